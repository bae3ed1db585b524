"""The habits of an engine that is not known, found out by trying.

For each habit there are a few ways to write it. Each is run on constants, no table is touched, and
the first that gives the right answer is taken. What is taken must pass the probe after that
(`twoworlds.release.plan.probe`), which tries whole plans.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from sqlglot import exp

from twoworlds.release.plan import engines, sql
from twoworlds.release.plan.engines import Build, Engine

__all__ = ["APART", "Run", "adds", "are_apart", "find_habits", "has_nan", "tried"]

Run = Callable[[exp.Query], list[tuple[Any, ...]]]
_Way = TypeVar("_Way")

APART = (  # texts that some collations take for the same
    ("a", "A"),
    ("a", "a "),
    ("", " "),
    ("e", "é"),
    ("ss", "ß"),
    ("é", "e\u0301"),
    ("\u00df", "\u1e9e"),
    ("-a", "a"),
)
BIG = 2 * (2**61 - 1)  # twice an odd number that no float holds


def find_habits(run: Run) -> Engine:
    """Return the habits that an engine shows; what cannot be found out is left to the probe.

    Args:
        run: Runs a query and returns its rows.
    """
    return Engine(
        nan=_first([*_NAN], lambda way: _tells_nan(run, way), _differs_from_itself),
        bytewise=_first([*_BYTEWISE], lambda way: _tells_texts_apart(run, way), engines._same),
        digest=_first([engines._md5], lambda way: _has(run, way), _none),
        divide=_first([*_DIVIDE], lambda way: _divides(run, way), engines._divide),
        wide=adds(run, [BIG] * 3),
        narrow=True,
        underflows=True,
        widest="DECIMAL(38, 0)",
        shifts=False,
        values=False,
    )


def tried(run: Run, *values: exp.Expression) -> tuple[Any, ...] | None:
    """Return constants as the engine computes them; None where it cannot."""
    names = [f"x{i}" for i in range(len(values))]
    try:
        rows = run(sql.literal_rows([values], names))
    except Exception:  # whatever the driver raises: this is no way to write it
        return None
    return rows[0] if len(rows) == 1 else None


def are_apart(
    way: Build, texts: Callable[[list[str]], exp.Query], column: str
) -> tuple[exp.Select, list[int]]:
    """Return a query that counts how often each text is found, and how often it should be.

    Args:
        way: How texts are made to compare byte by byte.
        texts: A query with these texts in its only column.
        column: The name of the column.
    """
    some = [left for left, _ in APART]
    constants = sorted({text for pair in APART for text in pair})
    query = exp.Select().from_(sql.part(texts(some), "texts"), copy=False)
    same = [
        sql.case(
            (sql.compare(way(sql.column(column)), "=", sql.text(right)), sql.number(1)),
            default=sql.number(0),
        )
        for right in constants
    ]
    found = query.select(
        *(sql.named(exp.Sum(this=one), f"s{i}") for i, one in enumerate(same)), copy=False
    )
    return found, [some.count(right) for right in constants]


def _first(ways: Iterable[_Way], works: Callable[[_Way], bool], otherwise: _Way) -> _Way:
    return next((way for way in ways if works(way)), otherwise)


def _none(columns: Sequence[exp.Expression]) -> exp.Expression:
    """Return the person, the same for all its rows: the columns themselves decide."""
    return columns[0]


def _has(run: Run, digest: Callable[[Sequence[exp.Expression]], exp.Expression]) -> bool:
    return bool((tried(run, digest([sql.number(1), sql.text("a")])) or (None,))[0])


# --- NaN ----------------------------------------------------------------------------------------


def _differs_from_itself(x: exp.Expression) -> exp.Expression:
    return sql.compare(x, "!=", x.copy())


_NAN = (engines._isnan, engines._equals_nan, _differs_from_itself)


def _tells_nan(run: Run, way: Build) -> bool:
    values = [exp.Literal.string(x) for x in ("NaN", "1.5", "0", "-0")]
    told = [
        sql.case((way(sql.cast(x, "DOUBLE")), sql.number(1)), default=sql.number(0)) for x in values
    ]
    return tried(run, *told) == (1, 0, 0, 0)


def has_nan(run: Run) -> bool:
    """Whether a constant can be NaN; a column might hold it all the same."""
    found = tried(run, sql.double(math.nan))
    return found is not None and isinstance(found[0], float) and math.isnan(found[0])


# --- texts, quotients, sums ---------------------------------------------------------------------


def _as_bytes(x: exp.Expression) -> exp.Expression:
    return sql.cast(x, "VARBINARY")


_BYTEWISE = (
    engines._same,
    engines._collate('"C"'),
    engines._collate("BINARY"),
    engines._bytes_of,
    _as_bytes,
)


def _tells_texts_apart(run: Run, way: Build) -> bool:
    query, expected = are_apart(way, _texts, "x")
    try:
        [row] = run(query)
        return [int(n) for n in row] == expected
    except Exception:  # whatever the driver raises: this is no way to write it
        return False


def _texts(values: list[str]) -> exp.Query:
    return sql.literal_rows([[sql.text(value)] for value in values], ["x"])


def _divide_and_cast(a: exp.Expression, b: exp.Expression) -> exp.Expression:
    return sql.cast(engines._divide(a, b), "BIGINT")


_DIVIDE = (engines._divide, engines._floor_divide, _divide_and_cast)


def _divides(run: Run, way: Callable[[exp.Expression, exp.Expression], exp.Expression]) -> bool:
    quotients = [
        way(sql.cast(sql.number(a), "BIGINT"), sql.number(b)) for a, b in ((BIG, 2), (-9, 3))
    ]
    return tried(run, *quotients) == (BIG // 2, -3)


def adds(run: Run, values: Sequence[int]) -> bool:
    """Whether the sum of 64-bit integers is exact."""
    rows = sql.literal_rows([[sql.cast(sql.number(x), "BIGINT")] for x in values], ["x"])
    query = exp.Select().from_(sql.part(rows, "few"), copy=False)
    try:
        [[found]] = run(query.select(sql.named(exp.Sum(this=sql.column("x")), "s")))
    except Exception:  # whatever the driver raises: it overflows
        return False
    return bool(found == sum(values))
