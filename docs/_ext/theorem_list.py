"""The directive ``theorem-list``: what the registries of theorems hold, read at build time.

``theorem-list`` takes one word: ``theorems``, ``non-implications`` or ``kinds``. Theorems are
grouped by the authors whom they cite, in the order in which they are registered; each is a section
of its own. Nothing in the lists is written by hand, so nothing is left out.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from twoworlds.theorems import KINDS, NON_IMPLICATIONS, THEOREMS, NonImplication, Theorem

TESTS = Path(__file__).resolve().parents[2] / "tests"
OWN = "twoworlds"
BACKTICKS = re.compile(r"`([^`]+)`")

Entry = Theorem | NonImplication
Field = tuple[str, list[nodes.Node]]


def groups(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Return the entries by the authors that they cite, our own last."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.citation.partition(",")[0], []).append(entry)
    return dict(sorted(found.items(), key=lambda item: item[0] == OWN))


def function_of(entry: Entry) -> Callable[..., Any]:
    """Return the function that computes the conclusion, or the counterexample."""
    if isinstance(entry, Theorem):
        found = entry.rule
    else:
        found = inspect.getclosurevars(entry.refute).nonlocals["refute"]
    return getattr(found, "func", found)  # one function may serve several statements


def code_of(entry: Entry) -> str:
    """Return the function as ``package.module:name``."""
    function = function_of(entry)
    return f"{function.__module__}:{function.__qualname__}"


def files_of(entry: Entry, folder: Path = TESTS / "theorems") -> list[str]:
    """Return the file of tests with the module's name; else those that speak of the theorem."""
    own = folder / f"test_{function_of(entry).__module__.rpartition('.')[2]}.py"
    found = [own] if own.is_file() else []
    if not found:
        files = sorted(folder.glob("test_*.py"))
        found = [file for file in files if f'"{entry.name}"' in file.read_text(encoding="utf-8")]
    return [file.relative_to(folder.parents[1]).as_posix() for file in found]


def fields_of(entry: Entry) -> Iterator[Field]:
    """Yield what is known about an entry, name by name."""
    arrow = "→" if isinstance(entry, Theorem) else "↛"
    yield "Where", [nodes.Text(entry.citation)]
    between = f"{' or '.join(entry.premises)} {arrow} {entry.conclusion}"
    yield "From, to", [nodes.Text(between)]
    if isinstance(entry, Theorem):
        if entry.printed:
            mark = [nodes.strong("", "False as printed:"), nodes.Text(" ")]
            yield "Printed", [*(mark if entry.printed_false else []), *inline(entry.printed)]
        if entry.corrected:
            yield "Corrected", inline(entry.corrected)
        if entry.tight:
            yield "Tight", inline(entry.tight)
        yield "Used here", [nodes.Text(entry.tightness)]
    if entry.erratum:
        yield "Erratum", inline(entry.erratum)
    yield "Code", [nodes.literal("", code_of(entry))]
    if tests := files_of(entry):
        yield "Test", separated([nodes.literal("", test) for test in tests])


def inline(text: str) -> list[nodes.Node]:
    """Return plain text; names in backticks become code."""
    parts = BACKTICKS.split(text)
    return [nodes.literal("", p) if i % 2 else nodes.Text(p) for i, p in enumerate(parts) if p]


def separated(found: list[nodes.Node]) -> list[nodes.Node]:
    """Put a comma between pieces."""
    return [node for piece in found for node in (nodes.Text(", "), piece)][1:]


def section(title: str, name: str, *content: nodes.Node) -> nodes.section:
    """Return a section in which quotation marks and primes stay as they are."""
    found = nodes.section("", nodes.title("", title), *content)
    found["ids"], found["names"] = [nodes.make_id(name)], [nodes.fully_normalize_name(name)]
    found["support_smartquotes"] = False
    return found


def field_list(fields: Iterator[Field]) -> nodes.field_list:
    """Return names with what belongs to them."""
    found = nodes.field_list()
    for name, body in fields:
        text = nodes.field_body("", nodes.paragraph("", "", *body))
        found += nodes.field("", nodes.field_name("", name), text)
    return found


def statements(entries: Sequence[Entry], prefix: str) -> list[nodes.Node]:
    """Return a section for each group of authors, with a section for each entry."""
    return [
        section(
            "Found here" if authors == OWN else authors,
            f"{prefix} {authors}",
            *(
                section(
                    entry.name,
                    f"{prefix} {entry.name}",
                    nodes.paragraph("", "", *inline(entry.statement)),
                    field_list(fields_of(entry)),
                )
                for entry in group
            ),
        )
        for authors, group in groups(entries).items()
    ]


def kinds() -> list[nodes.Node]:
    """Return what each kind of guarantee says, as a list of definitions."""
    found = nodes.definition_list()
    for kind in KINDS.values():
        numbers = ["ratio or epsilon" if n == "ratio" else n for n in kind.numbers]
        carried = nodes.Text(f" ({', '.join(numbers)})")
        term = nodes.term("", "", nodes.literal("", kind.name), carried)
        told = nodes.paragraph("", f"{kind.summary} ({kind.citation})")
        found += nodes.definition_list_item("", term, nodes.definition("", told))
    return [found]


class TheoremList(SphinxDirective):
    """Show one of the registries."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # the registry may have changed although this page has not
        shown = {
            "theorems": lambda: statements(list(THEOREMS.values()), "theorem"),
            "non-implications": lambda: statements(list(NON_IMPLICATIONS.values()), "no"),
            "kinds": kinds,
        }
        if self.arguments[0] not in shown:
            raise self.error(f"theorem-list shows {', '.join(shown)}; not {self.arguments[0]}")
        return shown[self.arguments[0]]()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("theorem-list", TheoremList)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
