"""A policy against the data: are the columns there, of the declared kinds? And a first draft.

Only names and types of columns are looked at, never a value, unless the owner asks for a report on
the data (`examination`).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.answer import Answer, Said
from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName
from twoworlds.numbers import counted, show
from twoworlds.release.answers.words import guess_data, strength_of
from twoworlds.release.backends import Field, open_backend
from twoworlds.release.backends.sources import text_file_of
from twoworlds.release.budget import Cap, Spent
from twoworlds.release.plan.columns import check_unit
from twoworlds.release.plan.statement import check_field, check_kind
from twoworlds.release.policy.examination import WARNING, Examination, as_dataset, examine
from twoworlds.release.policy.model import Column, Dataset, Policy, grouped
from twoworlds.release.query.model import Aggregate, Query
from twoworlds.release.query.resolve import resolve
from twoworlds.show import Result, Told

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


def checked(
    policy: Policy, *, data: bool = False, sources: Mapping[str, Any] | None = None
) -> tuple[list[Result], list[str]]:
    """Check every dataset of a policy against its data; return all that is wrong besides."""
    faults: list[str] = []
    found: list[Result] = []
    for dataset in policy.datasets.values():
        faults += _useless(dataset)
        source = (sources or {}).get(dataset.name, dataset.source)
        if source is None:
            found.append(_told(dataset, None, []))
        elif text_file_of(source) is None:  # others are faults of the policy itself
            try:
                found.append(_checked(dataset, source, policy.folder, faults, data=data))
            except InvalidInput as error:
                faults.append(f"{dataset.name}: {error}")
    return found, faults


def _checked(
    dataset: Dataset, source: Any, folder: Path, faults: list[str], *, data: bool
) -> Result:
    backend, relation = open_backend(source, folder=folder)
    try:
        before = len(faults)
        fields = backend.fields(relation)
        faults += misfits(dataset.columns, fields, dataset.name)
        for table in dataset.public.values():
            if text_file_of(table.source) is None:
                try:
                    theirs = backend.fields(backend.relation(table.source))
                except InvalidInput as error:
                    faults.append(f"{table.name}: {error}")
                    continue
                faults += misfits(table.columns, theirs, table.name)
                if table.key not in theirs:
                    faults.append(f"{table.name}: the public table has no column {table.key!r}")
        examined: list[Examination] = []
        if data and len(faults) == before:
            examined.append(examine(dataset, backend, relation))
            for table in dataset.public.values():
                public = backend.relation(table.source)
                examined.append(examine(as_dataset(table), backend, public))
        return _told(dataset, [name for name in fields if name not in dataset.columns], examined)
    finally:
        backend.close()


def _told(one: Dataset, undeclared: list[str] | None, examined: list[Examination]) -> Result:
    """Say what is declared, and what the data are like if that was asked for.

    ``undeclared`` are columns that the policy leaves out; None where the data was not there.
    """
    headline, *lines = _lines(one, undeclared)
    seen = [line for report in examined for line in report.lines()]
    told = Answer(headline, blocks=(Said(lines), *([Said([WARNING, *seen])] if seen else [])))
    doubts = [f"{one.name}: {doubt}" for doubt in _doubts(one)]
    doubts += [doubt for report in examined for doubt in report.doubts()]
    data = {
        "dataset": one.name,
        "neighbours": one.neighbours,
        "unit": {"person": one.unit.person, "rows": one.unit.rows, "groups": one.unit.groups},
        "budget": None if one.cap is None else str(one.cap),
        "composition": None if one.cap is None else one.cap.composition,
        "analysts": {name: str(cap) for name, cap in one.analysts.items()},
        "columns": [*one.columns],
        "public": [*one.public],
        "review": one.review,
        "compared_with_the_data": undeclared is not None,
        "undeclared": undeclared or [],
        "doubts": doubts,
    }
    return Told(told, data | ({"data": examined} if examined else {}))


def _lines(one: Dataset, undeclared: list[str] | None) -> Iterator[str]:
    if one.unit.person is None:
        protected = "every row is another person"
    else:
        protected = (
            f"column {one.unit.person!r} identifies a person; a query uses at most "
            f"{counted(one.unit.rows, 'row')} of each, in at most "
            f"{counted(one.unit.groups, 'group')}"
        )
    yield f"{one.name}: {protected}; neighbours by {one.neighbours}"
    known = None if one.cap is None else one.cap.composition
    yield f"  budget {'none: nothing can be released' if one.cap is None else _said(one.cap)}"
    if one.review:
        yield "  every release needs a reviewer's approval"
    for name, limit in one.analysts.items():
        said = limit.shown() if limit.composition == known else _said(limit)
        yield f"  analyst {name}: {said}"
    for column in one.columns.values():
        yield f"  {column.name}: {_uses(column)}"
    for table in one.public.values():
        columns = ", ".join(table.columns) or "no columns"
        yield f"  public table {table.name}, found by {table.key}: {columns}"
    if undeclared is None:
        yield "  the policy does not say where the data is: columns were not compared"
    elif undeclared:
        yield f"  not declared, so nobody can use them: {', '.join(undeclared)}"


def _doubts(one: Dataset) -> Iterator[str]:
    """Say which declarations are hardly meant so, though none of them is an error."""
    if one.cap is None or max(one.cap.most.epsilon, one.cap.most.rho) == 0:
        yield "without a budget above 0 nothing can be released"
    elif strength_of(one.cap.most) == "none":
        bought = guess_data(one.cap.most, one.neighbours)["words"]
        yield f"the budget {one.cap.most.shown()} is very large. {bought}"
    for name, limit in one.analysts.items():
        whole = Spent().plus(replace(limit.most, delta=limit.most.delta - limit.tail))
        if one.cap is not None and one.cap.rule(whole) is None:
            yield (
                f"analyst {name} may spend {limit.most.shown()}, for which the budget "
                f"{one.cap.most.shown()} has no room"
            )
    for column in one.columns.values():
        if column.low is not None and column.low == column.high:
            yield f"{column.name}: both bounds are {show(column.low)}, so its values tell nothing"
        if len(column.grid) == 1:
            yield f"{column.name}: every quantile is {show(column.grid[0])}, the one value of grid"


def _useless(one: Dataset) -> Iterator[str]:
    """Say which declarations no query can use: every sum over such bounds would be refused."""
    for column in one.columns.values():
        asked = [Aggregate("sum", column.name, "sum")] if column.low is not None else []
        if asked and column.grid:
            asked.append(Aggregate("quantile", column.name, "quantile", at=Fraction(1, 2)))
        for aggregate in asked:
            try:
                for measure in resolve(Query(one.name, (aggregate,)), one).measures:
                    check_unit(measure)
            except TwoWorldsError as error:
                yield f"{one.name}: every {aggregate.kind} of {column.name} is refused: {error}"
                break


def misfits(columns: Mapping[str, Column], fields: Mapping[str, Field], name: str) -> Iterator[str]:
    """Say which declared columns are absent or of another kind."""
    for column in columns.values():
        try:
            check_field(column.name, column.kind, fields, f"{name!r}")
            check_kind(column.name, column.kind, fields[column.name], f"{name!r}")
        except InvalidInput as error:
            yield str(error)


def draft(data: str, name: str, file: Path, *, table: str | None = None) -> str:
    """Return the text of a policy for a table; UNIT, LOW, HIGH and KEYS are to be filled in.

    Two policies in one folder, about different people, get a ledger each.
    """
    folder = file.parent
    ledger = "ledger.db" if file.stem == "policy" else f"{file.stem}-ledger.db"
    source = Path(data).absolute()
    place = data if Path(data).is_absolute() else _relative(source, folder)
    engine = "duckdb" if source.suffix.lower() in (".duckdb", ".ddb") else "sqlite"
    if table is None and source.suffix.lower() in _TABLES:
        listed = ", ".join(_tables(engine, source))
        raise InvalidInput(f"{data} holds several tables: name one with --table: {listed}")
    if table is None:
        kinds, written = _kinds(str(source), folder), _quoted(place)
    else:
        tables = _tables(engine, source)
        if table.casefold() not in map(str.casefold, tables):
            raise UnknownName("table", table, tables)
        kinds = _kinds({engine: str(source), "table": table}, folder)
        written = f"{{{engine}: {_quoted(place)}, table: {_quoted(table)}}}"
    lines = [
        "# Fill in what is in capitals. Take it from what is known about such data, not from these",
        "# data: bounds and keys are published. Leave out columns that nobody is to use.",
        f"ledger: {_quoted(ledger)}",
        "datasets:",
        f"  {_quoted(name)}:",
        f"    source: {written}",
        "    neighbours: add-remove         # or substitute, if the number of people is public",
        "    unit: UNIT                     # row if every row is another person, else, such as",
        "                                   # {person: COLUMN, rows: 3, groups: 2}",
        "    columns:",
    ]
    for column, kind in kinds.items():
        if kind in _HINTS:
            lines.append(f"      {_quoted(column)}: {{kind: {kind}, {_HINTS[kind]}}}")
        else:
            lines.append(f"      # {_quoted(column)} has a type that queries cannot use")
    lines.append("    budget: epsilon=1              # in all, by everybody together")
    return "\n".join(lines) + "\n"


def _tables(engine: str, file: Path) -> list[str]:
    """Return the names of the tables and views in a file."""
    import duckdb

    try:
        if engine == "duckdb":
            with duckdb.connect(str(file), read_only=True) as connection:
                return [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as lite:
            asked = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
            return [name for (name,) in lite.execute(asked) if not name.startswith("sqlite_")]
    except (duckdb.Error, sqlite3.Error):
        raise InvalidInput(f"{file} cannot be read as a file of {engine}") from None


def _kinds(source: Any, folder: Path) -> Mapping[str, str]:
    backend, relation = open_backend(source, folder=folder)
    try:
        return dict(backend.kinds(relation))
    finally:
        backend.close()


def _said(cap: Cap) -> str:
    return f"{cap.shown()}: {cap.explain()}"


def _uses(column: Column) -> str:
    parts: list[str] = [column.kind]
    if column.low is not None and column.high is not None:
        parts.append(
            f"from {grouped(column.low)} to {grouped(column.high)} in steps of "
            f"{grouped(column.unit)}"
        )
    if column.fill is not None:
        bounds = [end for end in (column.low, column.high) if end is not None]
        counts_as = sorted((column.fill, *bounds))[len(bounds) // 2]  # clamped, as any value
        parts.append(f"a missing value counts as {grouped(counts_as)}")
    parts += [counted(len(column.keys), "key")] if column.keys else []
    parts += [counted(len(column.bins) - 1, "bin")] if column.bins else []
    parts += [f"quantiles from {counted(len(column.grid), 'value')}"] if column.grid else []
    return ", ".join(parts)


def _quoted(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


def _relative(source: Path, folder: Path) -> str:
    try:
        return str(source.relative_to(folder.absolute()))
    except ValueError:
        return str(source)
