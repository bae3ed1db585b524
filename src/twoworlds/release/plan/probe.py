"""The probe: whole plans on rows of constants, compared with answers worked out here.

An engine whose habits are not known, or depend on its settings, is tried before it is first used:
texts that differ in case, accents or blanks; quotes and backslashes; missing values, NaN and
infinities; whole numbers near 2^62 and sums beyond 2^64; halves; keys, bins, quantiles, joins, and
the choice among the rows of one person. No data is touched, so the refusal may say what differed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlglot import exp

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Family, Field, kinds_of
from twoworlds.release.plan import sql
from twoworlds.release.plan.engines import Engine
from twoworlds.release.plan.portable import Run, adds, has_nan
from twoworlds.release.plan.statement import plan
from twoworlds.release.plan.tables import columns_used
from twoworlds.release.plan.totals import Totals
from twoworlds.release.plan.trials import (
    KINDS,
    PLACE_KINDS,
    PLACE_ROWS,
    PLACES,
    ROWS,
    WHOLE,
    Row,
    Trial,
    dataset_of,
    trials,
)
from twoworlds.release.query import resolve

__all__ = ["probe"]

_FAMILIES: dict[str, Family] = {
    "integer": "integer",
    "number": "float",
    "text": "text",
    "boolean": "boolean",
    "date": "date",
}
_TYPES = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "text": "TEXT",
    "boolean": "BOOLEAN",
    "date": "DATE",
}


def probe(run: Run, dialect: str, engine: Engine) -> None:
    """Try an engine on rows of constants.

    Args:
        run: Runs a query and returns its rows.
        dialect: What the engine speaks.
        engine: Its habits.

    Raises:
        InvalidInput: when an answer is missing or wrong; it says which.
    """
    for case in trials(infinite=has_nan(run) and engine.nan is not None):
        try:
            found = _answer(case, run, dialect, engine)
        except Exception as error:  # whatever the driver raises; there is no data in it
            words = " ".join(str(error).split())[:200]
            raise _refusal(dialect, f"it fails at {case.what} ({words})") from None
        wrong = case.wrong(found)
        if wrong is not None:
            raise _refusal(dialect, f"it differs in {case.what}: {wrong}")
    if not adds(run, [2**61 - 1, 2**61 - 1, 1]):
        raise _refusal(dialect, "its sums of whole numbers below 2^63 are not exact")


def _refusal(dialect: str, said: str) -> InvalidInput:
    return InvalidInput(
        f"this {dialect} connection was tried on constants, and {said}; nothing was charged: "
        "mend its settings, or export the table to Parquet"
    )


def _answer(case: Trial, run: Run, dialect: str, engine: Engine) -> Totals:
    resolved = resolve(case.query, dataset_of(case.columns, case.unit))
    used = {*columns_used(resolved), *(join.on for join in case.query.joins)} & {*KINDS}
    backend = _Constants(dialect, engine, run, case.rows, frozenset(used or {WHOLE}))
    found = plan(resolved, backend.relation(ROWS), backend)
    return found.decode(backend.fetch(found.statement))


@dataclass(frozen=True)
class _Constants:
    """A backend whose tables are constants within the statement."""

    dialect: str
    habits: Engine
    run: Run
    content: Sequence[Row]
    used: frozenset[str] = frozenset(KINDS)

    def relation(self, source: Any) -> exp.Table:
        return sql.table(str(source))

    def fields(self, relation: exp.Table) -> Mapping[str, Field]:
        kinds = KINDS if relation.name == ROWS else PLACE_KINDS
        if not self.habits.dates:  # values have types of their own
            return {name: Field(name, "dynamic", declared=kind) for name, kind in kinds.items()}
        return {name: Field(name, _FAMILIES[kind]) for name, kind in kinds.items()}

    def kinds(self, relation: exp.Table) -> Mapping[str, str]:
        return kinds_of(self.fields(relation))

    def rows(self, statement: exp.Query) -> Iterator[tuple[Any, ...]]:
        yield from self.fetch(statement)

    def fetch(self, statement: exp.Query) -> list[tuple[Any, ...]]:
        used = {name: kind for name, kind in KINDS.items() if name in self.used}
        tables = {ROWS: (self.content, used), PLACES: (PLACE_ROWS, PLACE_KINDS)}
        for table in list(statement.find_all(exp.Table)):
            if table.name in tables:
                constants = self._table(*tables[table.name])
                table.replace(sql.part(constants, table.alias or table.name))
        return self.run(statement)

    def close(self) -> None:
        """Do nothing: the connection is somebody else's."""

    def _table(self, rows: Sequence[Row], kinds: Mapping[str, str]) -> exp.Query:
        constants = [[self._constant(row[n], kind) for n, kind in kinds.items()] for row in rows]
        return sql.literal_rows(constants, [*kinds])

    def _constant(self, value: Any, kind: str) -> exp.Expression:
        match value:
            case None:
                return sql.null(_TYPES[kind]) if self.habits.dates else exp.Null()
            case bool():
                return exp.true() if value else exp.false()
            case int():
                return sql.cast(sql.number(value), "BIGINT")
            case float():
                return sql.double(value)
            case date():
                day = sql.text(value.isoformat())
                return sql.cast(day, "DATE") if self.habits.dates else day
        return sql.text(value)
