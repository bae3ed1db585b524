"""A policy against the data: are the columns there, of the declared kinds? And a first draft.

Only names and types of columns are looked at, never a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twoworlds.cards.explained import Explained
from twoworlds.errors import InvalidInput
from twoworlds.numbers import show
from twoworlds.release.backends import open_backend
from twoworlds.release.budget import Cap
from twoworlds.release.plan.tables import check_field
from twoworlds.release.policy.model import Column, Dataset, Policy

__all__ = ["CheckedDataset", "checked", "draft"]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TABLES = (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3")
_WORDS = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")
_HINTS = {
    "integer": "bounds: [LOW, HIGH]",
    "number": "bounds: [LOW, HIGH], unit: 0.01",
    "text": "keys: KEYS",
    "boolean": "keys: [true, false]",
    "date": "keys: DATES",
}


@dataclass(frozen=True)
class CheckedDataset(Explained):
    """A dataset of a policy, found to be in order.

    Attributes:
        dataset: What is declared.
        found: Whether the data was there to compare with.
        undeclared: Columns of the data that the policy leaves out, and that nobody can use.
    """

    dataset: Dataset
    found: bool
    undeclared: tuple[str, ...]

    def explain(self) -> str:
        """Say what is declared, in words."""
        return "\n".join(self._lines())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        one = self.dataset
        return {
            "dataset": one.name,
            "neighbours": one.neighbours,
            "unit": {"person": one.unit.person, "rows": one.unit.rows, "groups": one.unit.groups},
            "budget": None if one.cap is None else str(one.cap),
            "composition": None if one.cap is None else one.cap.composition,
            "analysts": {name: str(cap) for name, cap in one.analysts.items()},
            "columns": [*one.columns],
            "public": [*one.public],
            "compared_with_the_data": self.found,
            "undeclared": [*self.undeclared],
        }

    def _lines(self) -> Iterator[str]:
        one = self.dataset
        if one.unit.person is None:
            protected = "every row is another person"
        else:
            protected = (
                f"column {one.unit.person!r} identifies a person, of whom a query uses at most "
                f"{one.unit.rows} rows in at most {one.unit.groups} groups"
            )
        yield f"{one.name}: {protected}; neighbours by {one.neighbours}"
        known = None if one.cap is None else one.cap.composition
        yield f"  budget {'none: nothing can be released' if one.cap is None else _said(one.cap)}"
        for name, limit in one.analysts.items():
            said = str(limit) if limit.composition == known else _said(limit)
            yield f"  analyst {name}: {said}"
        for column in one.columns.values():
            yield f"  {column.name}: {_uses(column)}"
        for table in one.public.values():
            columns = ", ".join(table.columns) or "no columns"
            yield f"  public table {table.name}, found by {table.key}: {columns}"
        if not self.found:
            yield "  the policy does not say where the data is: columns were not compared"
        if self.undeclared:
            yield f"  not declared, so nobody can use them: {', '.join(self.undeclared)}"


def checked(policy: Policy) -> Iterator[CheckedDataset]:
    """Check every dataset of a policy against its data.

    Raises:
        InvalidInput: for a column that is not there, or of another kind.
    """
    for dataset in policy.datasets.values():
        if dataset.source is None:
            yield CheckedDataset(dataset, found=False, undeclared=())
            continue
        kinds = _fitting(dataset.source, dataset.columns, dataset.name, policy.folder)
        if dataset.unit.person is not None and dataset.unit.person not in kinds:
            raise InvalidInput(
                f"{dataset.name}: the data has no column {dataset.unit.person!r}, "
                "which should identify a person"
            )
        for table in dataset.public.values():
            found = _fitting(table.source, table.columns, table.name, policy.folder)
            if table.key not in found:
                raise InvalidInput(f"{table.name}: the public table has no column {table.key!r}")
        used = {*dataset.columns, dataset.unit.person}
        left_out = tuple(name for name in kinds if name not in used)
        yield CheckedDataset(dataset, found=True, undeclared=left_out)


def draft(data: str, name: str, *, table: str | None = None, folder: Path = Path()) -> str:
    """Return the text of a policy for a table, with what must be filled in left as LOW, HIGH, KEYS.

    Args:
        data: A file of rows, or of tables.
        name: What queries call the table.
        table: For a file of DuckDB or SQLite, the table in it.
        folder: Where the policy will be.
    """
    source = Path(data).absolute()
    place = data if Path(data).is_absolute() else _relative(source, folder)
    if table is None and source.suffix.lower() in _TABLES:
        raise InvalidInput(f"{data} holds several tables: name one with --table")
    if table is None:
        kinds, written = _kinds(str(source), folder), _quoted(place)
    else:
        engine = "duckdb" if source.suffix.lower() in (".duckdb", ".ddb") else "sqlite"
        kinds = _kinds({engine: str(source), "table": table}, folder)
        written = f"{{{engine}: {_quoted(place)}, table: {_quoted(table)}}}"
    lines = [
        "# Fill in what is in capitals. Take it from what is known about such data, not from these",
        "# data: bounds and keys are published. Leave out columns that nobody is to use.",
        "ledger: ledger.db",
        "datasets:",
        f"  {_quoted(name)}:",
        f"    source: {written}",
        "    neighbours: add-remove         # or substitute, if the number of people is public",
        "    unit: row                      # or {person: COLUMN, rows: 3, groups: 2}",
        "    columns:",
    ]
    if source.suffix.lower() in (".csv", ".tsv"):
        lines.append(
            "      # a CSV file has no types: say integer, number, boolean or date, such as"
        )
        lines.append("      # age: {kind: integer, bounds: [0, 110]}")
    for column, kind in kinds.items():
        if kind in _HINTS:
            lines.append(f"      {_quoted(column)}: {{kind: {kind}, {_HINTS[kind]}}}")
        else:
            lines.append(f"      # {_quoted(column)} has a type that queries cannot use")
    lines.append("    budget: epsilon=1              # in all, by everybody together")
    return "\n".join(lines) + "\n"


def _fitting(
    source: Any, columns: Mapping[str, Column], name: str, folder: Path
) -> Mapping[str, str]:
    """Return the kinds of all columns of a table, after checking the declared ones."""
    backend, relation = open_backend(source, folder=folder)
    try:
        fields = backend.fields(relation)
    finally:
        backend.close()
    for column in columns.values():
        check_field(column.name, column.kind, fields, f"{name!r}")
    return {column: field.kind for column, field in fields.items()}


def _kinds(source: Any, folder: Path) -> Mapping[str, str]:
    backend, relation = open_backend(source, folder=folder)
    try:
        return dict(backend.kinds(relation))
    finally:
        backend.close()


def _said(cap: Cap) -> str:
    return f"{cap}: {cap.explain()}"


def _uses(column: Column) -> str:
    parts: list[str] = [column.kind]
    if column.low is not None and column.high is not None:
        parts.append(
            f"from {show(column.low)} to {show(column.high)} in steps of {show(column.unit)}"
        )
    if column.fill is not None:
        parts.append(f"a missing value counts as {show(column.fill)}")
    for name, values in (("keys", column.keys), ("edges of bins", column.bins)):
        if values:
            parts.append(f"{len(values)} {name}")
    if column.grid:
        parts.append(f"quantiles from {len(column.grid)} values")
    return ", ".join(parts)


def _quoted(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _relative(source: Path, folder: Path) -> str:
    try:
        return str(source.relative_to(folder.absolute()))
    except ValueError:
        return str(source)
