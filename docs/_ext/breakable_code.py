"""Long names in tables may be broken after a dot, a colon, a slash or an underscore.

Browsers break a line at ``<wbr>`` and copy nothing of it, so that a name in a narrow cell stays
readable and can still be pasted.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

PLACE = re.compile(r"(?<=[./:_])(?=[^./:_])")
SHORT = 16


def make_breakable(app: Sphinx, doctree: nodes.document) -> None:
    """Put a place to break into every long piece of code in a table."""
    for entry in doctree.findall(nodes.entry):
        for literal in list(entry.findall(nodes.literal)):
            text = literal.astext()
            if len(text) <= SHORT or " " in text:
                continue
            pieces = [nodes.Text(piece) for piece in PLACE.split(text)]
            literal.clear()
            for i, piece in enumerate(pieces):
                literal += [nodes.raw("", "<wbr>", format="html"), piece] if i else [piece]


def setup(app: Sphinx) -> dict[str, bool]:
    """Change pages after they are read."""
    app.connect("doctree-read", make_breakable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
