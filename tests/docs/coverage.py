"""The coverage page as data: its rows, what they refer to, the places that a checklist names."""

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

    @property
    def place(self) -> str:
        """The id without its paper, such as "Thm2.4-1"."""
        return self.id.partition("-")[2]


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


# --- the places that a checklist names ------------------------------------------------------------

KINDS = {
    "App Def": "AppDef",
    "Def": "Def",
    "Thm": "Thm",
    "Lemma": "Lemma",
    "Cor": "Cor",
    "Prop": "Prop",
    "Claim": "Claim",
    "Axiom": "Axiom",
    "Assumption": "Assumption",
    "Remark": "Remark",
    "Example": "Ex",
    "Ex": "Ex",
    "Alg": "Alg",
    "Fig": "Fig",
    "Footnote": "Footnote",
    "Attackers": "Attacker",
    "Sec": "Sec",
    "App.": "App",
    "Eq": "Eq",
    "eqs": "Eq",
    "eq": "Eq",
}
NUMBER = r"(?:\d+(?:\.\d+)*(?!\w)|A\b)"
ITEM = rf"(?:{NUMBER}(?:\(\d\))?|\(\d+\))"
LIST = rf"{ITEM}(?:(?:, ?|/|-){ITEM})*"
NAMED = re.compile(
    rf"\b({'|'.join(re.escape(kind) for kind in sorted(KINDS, key=len, reverse=True))}) ({LIST})"
)
BARE_SECTION = re.compile(r"(?<![\w.])\d+\.\d+(?:\.\d+)?(?![\w.])")


def places(bullet: str) -> list[str]:
    """The places named by one entry of a checklist, spelled as in the ids.

    "Def 2.3/4.1" gives Def2.3 and Def4.1, "eqs (4)-(6)" gives Eq4, Eq5, Eq6, "Thm 2.4(1),(2)" gives
    Thm2.4-1 and Thm2.4-2, a bare "5.3.1" gives Sec5.3.1. An entry without any place is known by its
    first word.
    """
    found = []
    for match in NAMED.finditer(bullet):
        found += [KINDS[match[1]] + number for number in _numbers(match[2])]
    found += [f"Sec{number}" for number in BARE_SECTION.findall(NAMED.sub(" ", bullet))]
    return found or re.findall(r"\w+", bullet)[:1]


def _numbers(listed: str) -> list[str]:
    numbers: list[str] = []
    whole = ""  # the number to which parts in brackets belong
    for separator, item in re.findall(rf"(^|, ?|/|-)({ITEM})", listed):
        head, _, part = item.rstrip(")").partition("(")
        whole = head or whole
        number = f"{whole}-{part}" if whole and part else whole or part
        if separator == "-":
            numbers += _between(numbers[-1], number)
        numbers.append(number)
    return numbers


def _between(first: str, last: str) -> list[str]:
    """What a range leaves out: "5.9" to "5.11" gives "5.10"."""
    stem = re.match(r"(.*?)\d+$", last)[1]
    low, high = (int(number.removeprefix(stem)) for number in (first, last))
    return [f"{stem}{number}" for number in range(low + 1, high)]


def checklist_entries(text: str) -> list[tuple[str, str]]:
    """Pairs (paper, entry) of a checklist: bullets under lines that name a paper."""
    entries = []
    paper = ""
    for line in text.splitlines():
        heading = line.lstrip("# ").strip()
        if heading in PAPERS:
            paper = heading
        elif line.startswith("- "):
            entries.append((paper, line.removeprefix("- ")))
    return entries
