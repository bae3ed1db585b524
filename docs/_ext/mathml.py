"""Formulas as MathML, so that a page shows them without scripts and without the network.

Every current browser draws MathML itself. LaTeX is translated when the pages are built; a formula
that cannot be translated is a warning, which ``make docs`` turns into an error. Brackets and sums
grow only in a font with mathematical tables, so the pages bring one along: STIX Two Math, taken
from the ziamath package.
"""

from html import escape
from importlib.resources import as_file, files

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.fileutil import copy_asset
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)

CONVERTER = LatexToMathML(
    annotation=True,  # keeps the LaTeX, for readers who copy a formula
    fancy_error=False,
    macros={
        "SD": r"\operatorname{SD}",
        "row": r"\operatorname{row}",
        "rowcone": r"\operatorname{rowcone}",
    },
)


def to_mathml(node: nodes.math | nodes.math_block, *, displaystyle: bool) -> str:
    """Translate the formula of one node."""
    latex = node.astext()
    try:
        return CONVERTER.convert_with_local_state(latex, displaystyle=displaystyle)
    except LatexError as error:
        LOGGER.warning("formula not understood: %s (%s)", latex, error, location=node)
        return f"<code>{escape(latex)}</code>"


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Write an inline formula."""
    self.body.append(to_mathml(node, displaystyle=False))
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula, with its number if it has one."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(to_mathml(node, displaystyle=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def copy_font(app: Sphinx) -> None:
    """Put the font beside the style sheet that names it."""
    if app.builder.format == "html":
        with as_file(files("ziamath.fonts") / "STIXTwoMath-Regular.ttf") as font:
            copy_asset(font, app.outdir / "_static")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer; conf.py selects it with ``html_math_renderer``."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("write-started", lambda app, _builder: copy_font(app))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
