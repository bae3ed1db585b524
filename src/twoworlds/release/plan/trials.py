"""The trials of the probe: queries on rows of constants, and what is wrong with an answer.

Answers are worked out here by plain loops over the rows, and share nothing with the plans.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Any

from twoworlds.numbers import rational
from twoworlds.release.plan.totals import Totals
from twoworlds.release.policy.model import Column, Dataset, PublicTable, Unit
from twoworlds.release.query import Query, resolve
from twoworlds.release.query.conditions import Compare, Condition, Missing, Not, OneOf, Operator

__all__ = [
    "KINDS",
    "PLACES",
    "PLACE_KINDS",
    "PLACE_ROWS",
    "ROWS",
    "WHOLE",
    "Row",
    "Trial",
    "dataset_of",
    "trials",
]

Row = dict[str, Any]

ROWS, PLACES = "twoworlds_probe", "twoworlds_places"
WHOLE, REAL, WORD, TRUE, DAY, WHO = 'wh"ole', "re'al", "wo`rd", "tr ue", "Däy", "select"
KINDS = {
    WHOLE: "integer",
    REAL: "number",
    WORD: "text",
    TRUE: "boolean",
    DAY: "date",
    WHO: "integer",
}
PLACE_KINDS = {"code": "integer", "state": "text"}
PLACE_ROWS: list[Row] = [
    {"code": code, "state": state} for code, state in ((0, "A"), (1, "A"), (7, "b'b"), (99, None))
]
WORDS = (
    "a",
    "A",
    "a ",
    "",
    " ",
    "é",
    "e",
    "e\u0301",
    "ß",
    "ss",
    "o'brien",
    'q"q',
    "b\\n",
    "%s",
    "ü😀",
    "x\ny",
)
WHOLES = (
    0,
    7,
    -7,
    1,
    2**62,
    -(2**62),
    2**63 - 1,
    -(2**63) + 1,
    2**61 - 1,
    2**61 - 1,
    2**61 - 1,
    1000,
    -1001,
)
REALS = (0.0, 0.1, -0.1, 1.3, -1.3, 2.7, -2.7, 1e308, -1e308, 1e-300, 89.9, 2.0**62, -0.7)
HALVES = (0.5, -0.5, 1.5, -1.5, 2.5, -2.5)
DAYS = (date(2026, 1, 1), date(2026, 1, 2), date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31))
LOW, HIGH = Fraction(-(2**61)), Fraction(2**61)


@dataclass(frozen=True)
class Trial:
    """One query on rows of constants.

    Attributes:
        what: What is tried, in words.
        query: What is asked.
        rows: Of whom.
        wrong: What is wrong with totals; None when they are right.
        columns: The columns with bounds, bins or a grid.
        unit: Who is protected.
    """

    what: str
    query: Query
    rows: Sequence[Row]
    wrong: Callable[[Totals], str | None]
    columns: Mapping[str, Column] = field(default_factory=dict)
    unit: Unit = Unit()  # noqa: RUF009


def _rows(*, infinite: bool) -> list[Row]:
    """Return rows in which every column has all its values, and is missing sometimes."""
    reals = [*REALS, *((math.inf, -math.inf, math.nan) if infinite else ())]
    count = max(map(len, (WORDS, WHOLES, reals))) + 4

    def value(values: Sequence[Any], i: int) -> Any:
        return values[i] if i < len(values) else None

    return [
        {
            WHOLE: value(WHOLES, i),
            REAL: value(reals, i),
            WORD: value([*WORDS, "a"], i),
            TRUE: (True, False, None)[i % 3],
            DAY: value(DAYS, i),
            WHO: value([1, 1, 1, 2, 2, 3, 1, 1, 4], i),
        }
        for i in range(count)
    ]


def trials(*, infinite: bool) -> Iterator[Trial]:
    """Yield all trials.

    Args:
        infinite: Whether the engine has constants that are NaN or infinite.
    """
    rows = _rows(infinite=infinite)
    yield from _texts(rows)
    yield from _numbers(rows)
    yield from _halves()
    yield from _others(rows)
    yield from _people(rows)


def _texts(rows: list[Row]) -> Iterator[Trial]:
    counts = Counter(row[WORD] for row in rows)
    other = counts.pop(None)
    keyed = {(i,): (counts[word],) for i, word in enumerate(WORDS)}
    asked = Query(ROWS).by(WORD, keys=[*WORDS], other=True).count()
    yield _exact("texts as keys", asked, rows, {**keyed, (len(WORDS),): (other,)})
    found = Query(ROWS).by(WORD, discover=True).count()
    discovered = {(word,): (n,) for word, n in counts.items()}
    yield _exact("texts as discovered keys", found, rows, discovered)
    conditions: list[tuple[Condition, int]] = []
    for word in WORDS:
        conditions.append((Compare(WORD, "=", word), counts[word]))
    conditions += [
        (Not(Compare(WORD, "=", "a")), counts.total() - counts["a"]),
        (OneOf(WORD, ("A", "", "x\ny")), 3),
        (Missing(WORD), other),
    ]
    yield _counted("comparisons of texts", conditions, rows)


def _numbers(rows: list[Row]) -> Iterator[Trial]:
    wholes = [row[WHOLE] for row in rows if row[WHOLE] is not None]
    keys = sorted({*wholes})
    keyed = {(i,): (wholes.count(key),) for i, key in enumerate(keys)}
    yield _exact("whole numbers as keys", Query(ROWS).by(WHOLE, keys=keys).count(), rows, keyed)
    for name, values, constants in (
        (WHOLE, wholes, ["0", 2**62, 2**63, -(2**62), 10**30, "13/2"]),
        (REAL, [row[REAL] for row in rows if _is_there(row[REAL])], ["0", "0.1", "-1.3", "1e29"]),
    ):
        conditions: list[tuple[Condition, int]] = []
        for written in constants:
            constant = rational(written, "constant")
            near = Fraction(float(constant)) if name == REAL else constant
            for operator, test in _TESTS.items():
                condition = Compare(name, operator, constant)
                conditions.append((condition, sum(test(x, near) for x in values)))
        yield _counted(
            f"comparisons of {'whole numbers' if name == WHOLE else 'floats'}", conditions, rows
        )
    for unit in map(Fraction, ("1", "7", "5/2", "3/1000")):
        bound = HIGH if unit == 1 else 10**9 * unit
        column = Column(WHOLE, "integer", -bound, bound, unit=unit)
        asked = Query(ROWS).sum(WHOLE)
        if unit != 1:
            asked = asked.variance(WHOLE)
        yield _sums(f"sums of whole numbers in units of {unit}", asked, rows, column)
    for unit in map(Fraction, ("1", "3/10", "1/7", "40")):
        bound = 90 * unit if unit != 40 else Fraction(400)
        column = Column(REAL, "number", -bound, bound, unit=unit)
        yield _sums(
            f"sums of floats in units of {unit}",
            Query(ROWS).sum(REAL).variance(REAL),
            rows,
            column,
        )
    column = Column(
        WHOLE, "integer", LOW, HIGH, bins=(Fraction(-1001), Fraction(0), Fraction(1000))
    )
    inside = Counter(
        next((i for i, (a, b) in enumerate(pairwise((-1001, 0, 1001))) if a <= x < b), 2)
        for x in wholes
    )
    missing = len(rows) - len(wholes)
    expected_bins = {(0,): (inside[0],), (1,): (inside[1],), (2,): (inside[2] + missing,)}
    asked = Query(ROWS).by(WHOLE, bins=column.bins, other=True).count()
    yield _exact("bins of whole numbers", asked, rows, expected_bins, {WHOLE: column})
    for grid in ((-1000, -7, 0, 7, 2000), (-1000, 0, 1000)):
        column = Column(
            WHOLE, "integer", Fraction(-2000), Fraction(2000), grid=tuple(map(Fraction, grid))
        )
        bins = [0] * (2 * len(grid) + 1)
        for x in wholes:
            v0 = min(max(x, -2000), 2000)
            bins[2 * sum(g < v0 for g in grid) + (v0 in grid)] += 1
        yield _ranked(rows, column, tuple(bins))


def _halves() -> Iterator[Trial]:
    """Halves may go to either side."""
    rows = [_row(**{REAL: x}) for x in HALVES]
    asked = Query(ROWS)
    for i, x in enumerate(HALVES):
        asked = asked.sum(REAL, where=Compare(REAL, "=", Fraction(x)), name=f"half{i}")

    def wrong(found: Totals) -> str | None:
        [totals] = found.cells.values()
        for x, total in zip(HALVES, totals, strict=True):
            if total not in (math.floor(x), math.ceil(x)):
                return f"{x} is rounded to {total}"
        return None

    column = Column(REAL, "number", Fraction(-9), Fraction(9))
    yield Trial("rounding of halves", asked, rows, wrong, {REAL: column})


def _others(rows: list[Row]) -> Iterator[Trial]:
    for name, keys in ((TRUE, (True, False)), (DAY, DAYS)):
        values = [row[name] for row in rows]
        expected = {(i,): (values.count(key),) for i, key in enumerate(keys)}
        expected[(len(keys),)] = (values.count(None),)
        what = "truths as keys" if name == TRUE else "dates as keys"
        yield _exact(what, Query(ROWS).by(name, keys=[*keys], other=True).count(), rows, expected)
    later = [
        (Compare(DAY, operator, DAYS[0]), sum(test(d, DAYS[0]) for d in DAYS))
        for operator, test in _TESTS.items()
    ]
    yield _counted("comparisons of dates", later, rows)
    places = Query(ROWS).join(PLACES, on=WHOLE).by(f"{PLACES}.state", other=True).count()
    wholes = [row[WHOLE] for row in rows]
    found = {(0,): (wholes.count(0) + wholes.count(1),), (1,): (wholes.count(7),)}
    rest = len(rows) - found[0,][0] - found[1,][0]
    yield _exact("look-ups in another table", places, rows, {**found, (2,): (rest,)})


def _people(rows: list[Row]) -> Iterator[Trial]:
    mine = [row for row in rows if row[WHO] is not None]
    persons = Counter(row[WHO] for row in mine)
    for most in (1, 2, 100):
        kept = sum(min(most, n) for n in persons.values())
        asked = Query(ROWS).people().count()
        yield _exact(
            f"at most {most} rows of a person",
            asked,
            rows,
            {(): (len(persons), kept)},
            unit=Unit(WHO, most, most),
        )
    asked = Query(ROWS).by(TRUE, keys=[True, False], other=True).people().count()

    def wrong(found: Totals) -> str | None:
        people = sum(numbers[0] for numbers in found.cells.values())
        if people == len(persons) and all(n[1] <= 3 * n[0] for n in found.cells.values()):
            return None
        return f"{len(persons)} people with one group each are counted as {people}"

    yield Trial("one group of a person", asked, rows, wrong, {}, Unit(WHO, 3, 1))


# --- pieces -------------------------------------------------------------------------------------

_TESTS: dict[Operator, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "!=": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}


def _is_there(x: Any) -> bool:
    return x is not None and not (isinstance(x, float) and math.isnan(x))


def _row(**values: Any) -> Row:
    return {**dict.fromkeys(KINDS), **values}


def _clamped(x: Any, unit: Fraction, bound: Fraction | int) -> int:
    """Return v = clamp(round(x / unit)), half a unit rounded up."""
    top = int(bound / unit)
    if isinstance(x, float) and math.isinf(x):
        return top if x > 0 else -top
    return min(max(math.floor(Fraction(x) / unit + Fraction(1, 2)), -top), top)


def _exact(
    what: str,
    query: Query,
    rows: Sequence[Row],
    expected: Mapping[tuple[Any, ...], tuple[int | None, ...]],
    columns: Mapping[str, Column] | None = None,
    unit: Unit = Unit(),  # noqa: B008
) -> Trial:
    wanted = {cell: numbers for cell, numbers in expected.items() if any(numbers)}

    def wrong(found: Totals) -> str | None:
        cells = {cell: numbers for cell, numbers in found.cells.items() if any(numbers)}
        return None if cells == wanted else _difference(cells, wanted)

    return Trial(what, query, rows, wrong, columns or {}, unit)


def _counted(what: str, conditions: Sequence[tuple[Condition, int]], rows: Sequence[Row]) -> Trial:
    query = Query(ROWS)
    for i, (condition, _) in enumerate(conditions):
        query = query.count(where=condition, name=f"n{i}")
    return _exact(what, query, rows, {(): tuple(n for _, n in conditions)})


def _sums(what: str, query: Query, rows: Sequence[Row], column: Column) -> Trial:
    """Compare every measure of a query with the sum worked out here."""

    def wrong(found: Totals) -> str | None:
        values = [row[column.name] for row in rows if _is_there(row[column.name])]
        units = [_clamped(x, column.unit, column.high or 0) for x in values]
        dataset = dataset_of({column.name: column}, Unit())
        wanted = []
        for measure in resolve(query, dataset).measures:
            shifted = [v - measure.center for v in units]
            kinds = {
                "rows": len(units),
                "total": sum(shifted),
                "squares": sum(v * v for v in shifted),
            }
            wanted.append(kinds[measure.kind])
        cells = dict(found.cells)
        return None if cells == {(): tuple(wanted)} else _difference(cells, {(): tuple(wanted)})

    return Trial(what, query, rows, wrong, {column.name: column})


def _ranked(rows: Sequence[Row], column: Column, bins: tuple[int, ...]) -> Trial:
    def wrong(found: Totals) -> str | None:
        [by_cell] = found.ranks.values()
        return None if by_cell == {(): bins} else _difference(dict(by_cell), {(): bins})

    return Trial(
        "counts between the values of a grid",
        Query(ROWS).median(column.name),
        rows,
        wrong,
        {column.name: column},
    )


def _difference(found: Mapping[Any, Any], wanted: Mapping[Any, Any]) -> str:
    cell = next(c for c in (*wanted, *found) if found.get(c) != wanted.get(c))
    place = "" if cell == () else f" in group {cell[0]!r}"
    got, right = found.get(cell), wanted.get(cell)
    for i, (a, b) in enumerate(zip(got or (), right or (), strict=False)):
        if a != b:
            return f"number {i + 1}{place} is {a} and should be {b}"
    return f"the number{place} is {got} and should be {right}"


def dataset_of(columns: Mapping[str, Column], unit: Unit) -> Dataset:
    """Return the dataset of a trial."""
    plain = {name: Column(name, kind) for name, kind in KINDS.items()}  # type: ignore[arg-type]
    state = Column("state", "text", keys=("A", "b'b"))
    public = {PLACES: PublicTable(PLACES, PLACES, "code", {"state": state})}
    return Dataset(ROWS, ROWS, "add-remove", unit, {**plain, **columns}, public)
