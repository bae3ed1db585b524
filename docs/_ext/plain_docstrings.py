r"""Docstrings as they are written, for readers of the source, turned into reStructuredText.

Our docstrings are plain text: formulas with ``|x|``, ``x_i`` and ``*`` in them, blocks that are set
off by indentation, names in single backticks. Before Napoleon reads the sections (Args, Returns),
an indented block becomes a literal block, lists stay lists, other marks that reStructuredText would
read are escaped, and names in backticks become code. Examples that begin
with ``>>>`` stay as they are.
"""

import re

from sphinx.application import Sphinx

SECTION = re.compile(r"(Args|Arguments|Attributes|Raises|Returns|Yields|Note|Example|Examples):$")
BACKTICKS = re.compile(r"(``[^`]+``|`[^`]+`)")
PROPERTIES = {"attribute", "data", "property"}
HIDDEN: dict[str, list[str]] = {}
BEFORE_NAPOLEON, AFTER_NAPOLEON = 400, 600


def translated(lines: list[str]) -> list[str]:
    """Return a docstring's lines as reStructuredText."""
    found: list[str] = []
    in_section = in_block = in_example = in_list = False
    for line in lines:
        blank, indented = not line.strip(), line.startswith("    ")
        if not blank and not indented:
            in_section = SECTION.match(line) is not None
            in_block = False
            in_list = line.startswith("* ") or (in_list and line.startswith("  "))
        in_example = not blank and (in_example or line.lstrip().startswith(">>>"))
        if in_example or in_block or blank:
            found.append(line)
        elif indented and not in_section:
            in_block = True
            found += ["  ::" if in_list else "::", "", line]
        else:
            found.append(escaped(line))
    return found


def escaped(line: str) -> str:
    """Escape what reStructuredText would read as a mark, outside of backticks."""
    if line.startswith("* "):
        return "* " + escaped(line[2:])
    parts = BACKTICKS.split(line)
    for i, part in enumerate(parts):
        if part.startswith("`"):
            parts[i] = f"``{part.strip('`')}``"
        else:
            parts[i] = re.sub(r"([*|_\\])", r"\\\1", part)
    return "".join(parts)


def before(app, what, name, obj, options, lines: list[str]) -> None:
    """Translate in place, as Sphinx wants it; hide properties from Napoleon.

    It would read "Whether it holds: decided, never guessed" as a type and its description.
    """
    lines[:] = translated(lines)
    if what in PROPERTIES:
        HIDDEN[name] = lines[:]
        lines.clear()


def after(app, what, name, obj, options, lines: list[str]) -> None:
    """Bring the text of properties back."""
    if what in PROPERTIES:
        lines[:] = HIDDEN.pop(name, lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Step in before Napoleon, and after it."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", before, priority=BEFORE_NAPOLEON)
    app.connect("autodoc-process-docstring", after, priority=AFTER_NAPOLEON)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
