"""The coverage page as data: its rows, and what they refer to."""

import ast
import importlib
import re
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import DOCS, ROOT

PAGE = DOCS / "coverage.md"
PAPERS = ("KS", "BGKS", "LK", "WU", "DW")
STATUSES = ("done", "partly", "missing")
COLUMNS = ("id", "item", "status", "code", "test", "note")


@dataclass(frozen=True)
class Row:
    """One line of a table of the page."""

    id: str
    item: str
    status: str
    code: tuple[str, ...]
    test: tuple[str, ...]
    note: str
    section: str

    @property
    def paper(self) -> str:
        """The part of the id before the first hyphen."""
        return self.id.split("-")[0]


def read_rows(text: str) -> list[Row]:
    """The rows of all tables under a heading that names a paper."""
    rows: list[Row] = []
    section = ""
    for line in text.splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        if section not in PAPERS or not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if tuple(cells) == COLUMNS or set("".join(cells)) <= set("-: "):
            continue
        assert len(cells) == len(COLUMNS), f"{len(cells)} cells, not {len(COLUMNS)}: {line}"
        name, item, status, code, test, note = cells
        rows.append(Row(name, item, status, references(code), references(test), note, section))
    return rows


def references(cell: str) -> tuple[str, ...]:
    """The references in a cell, each between backticks."""
    outside = re.sub(r"`[^`]*`", "", cell)
    assert not outside.strip(", "), f"outside of backticks: {outside!r} in {cell!r}"
    return tuple(re.findall(r"`([^`]*)`", cell))


def code_exists(reference: str) -> bool:
    """Whether ``package.module:Name.attribute`` (or a module alone) can be imported."""
    module, _, path = reference.partition(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError:
        return False
    for attribute in filter(None, path.split(".")):
        if not hasattr(found, attribute):
            return False
        found = getattr(found, attribute)
    return True


def is_a_test(reference: str, root: Path = ROOT) -> bool:
    """Whether ``tests/file.py::name`` or ``tests/file.py::Class::method`` is in the file."""
    file, *names = reference.split("::")
    path = root / file
    if not names or not path.is_file():
        return False
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for name in names:
        found = next((node for node in body if getattr(node, "name", None) == name), None)
        if found is None:
            return False
        body = getattr(found, "body", [])
    return True


def faults(row: Row) -> list[str]:
    """What is wrong with a row; nothing, for a row that tells the truth."""
    found = []
    if row.paper != row.section:
        found.append(f"stands under {row.section}")
    if row.status not in STATUSES:
        found.append(f"status {row.status!r} is none of {STATUSES}")
    if row.status == "missing" and (row.code or row.test):
        found.append("a missing item names neither code nor test")
    if row.status in {"done", "partly"} and not (row.code and row.test):
        found.append(f"{row.status}, so it must name its code and a test")
    if row.status in {"partly", "missing"} and not row.note:
        found.append(f"{row.status}, so its note must say which part is not there")
    found += [f"no such code: {code}" for code in row.code if not code_exists(code)]
    found += [f"no such test: {test}" for test in row.test if not is_a_test(test)]
    return [f"{row.id}: {fault}" for fault in found]
