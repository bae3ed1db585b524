r"""From a query and a policy to measures: everything definite, or refused with the reason.

A resolved query has the whole numbers that the engine adds up, and what is made of them. Every
aggregate comes from *measures*: sums over rows (or people) of whole numbers, in each cell of the
groups. Noise is added to these and to nothing else.

    rows       1 for each row (that has a value in the column, if there is one)
    people     1 for each person with such a row
    total      v - center            where v = clamp(round(x / unit), low, high)
    squares    (v - center)^2
    ranks      1 for each row, in the bin of the grid where v falls: the input of a quantile

A count is `rows`; a sum is `total` with center 0; a mean is `total` around the middle of the bounds
and `rows`, so that noise is half as wide; a variance takes `squares` besides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from math import prod
from typing import Literal

from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import exact_text, show
from twoworlds.release.policy.model import UNDECLARED, Column, Dataset, Value, shown_value
from twoworlds.release.query.conditions import Compare, Condition, OneOf, leaves
from twoworlds.release.query.model import Aggregate, GroupAxis, Query

MOST_CELLS = 1_000_000
MOST_UNITS = 1 << 62
_DIGITS, _PLACES = 15, 30
_KINDS: dict[str, tuple[type, ...]] = {
    "integer": (Fraction,),
    "number": (Fraction,),
    "text": (str,),
    "boolean": (bool,),
    "date": (date,),
}
MeasureKind = Literal["rows", "people", "total", "squares", "ranks"]


@dataclass(frozen=True)
class SummedMeasure:
    """One sum over rows, in every cell.

    Attributes:
        kind: As in the legend above.
        column: The column of values; for ``rows`` the one that must have a value, if any.
        where: A filter besides that of the query.
        low: The smallest v, in units; ``high`` the largest.
        unit: The worth of 1; values are whole multiples of it.
        center: What is taken off v, in units.
        fill: The v of a missing value, in units; None when such rows are left out.
        grid: For ``ranks``, the candidates in ascending order, in units. Bin 0 is v < grid[0], bin
            2i + 1 is v = grid[i], bin 2i + 2 is grid[i] < v < grid[i + 1], the last v > grid[-1].
        at: For ``ranks``, the quantile.
        share: Its part of the budget, relative to the other measures.
    """

    kind: MeasureKind
    column: str | None = None
    where: Condition | None = None
    low: int = 0
    high: int = 0
    unit: Fraction = Fraction(1)
    center: int = 0
    fill: int | None = None
    grid: tuple[int, ...] = ()
    at: Fraction = Fraction(1, 2)
    share: Fraction = Fraction(1)

    @property
    def largest(self) -> int:
        """The most that one row adds, or takes off."""
        if self.kind not in ("total", "squares"):
            return 1
        most = max(abs(self.low - self.center), abs(self.high - self.center))
        return most**2 if self.kind == "squares" else most


@dataclass(frozen=True)
class Resolved:
    """A query with everything that the policy says about it filled in."""

    query: Query
    dataset: Dataset
    axes: tuple[GroupAxis, ...]
    measures: tuple[SummedMeasure, ...]
    recipes: tuple[tuple[int, ...], ...]  # for each aggregate its rows, total and squares
    threshold: int | None = None  # the measure that decides which discovered keys are shown

    @property
    def discovers(self) -> bool:
        """Whether keys are read off the data."""
        return any(axis.discover for axis in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of declared groups along each axis."""
        return tuple(axis.size for axis in self.axes)


def resolve(query: Query, dataset: Dataset) -> Resolved:
    """Fill in what the policy says about a query.

    Raises:
        InvalidInput: for a column that is not declared, or not declared for this use; the message
            names the line of the policy that would allow it.
    """
    if query.dataset != dataset.name:
        raise InvalidInput(f"the query asks {query.dataset!r}, and this is {dataset.name!r}")
    if not query.aggregates:
        raise InvalidInput("the query asks for nothing: add count(), sum(column), ...")
    _check_joins(query, dataset)
    _check_condition(query.condition, query, dataset)
    axes = tuple(_axis(by, query, dataset) for by in query.groups)
    if prod(axis.size for axis in axes if not axis.discover) > MOST_CELLS:
        raise TooLarge(f"the groups have more than {MOST_CELLS:,} cells: use fewer keys or bins")
    if sum(axis.discover for axis in axes) > 1:
        raise InvalidInput("one column of keys can be discovered, not several: declare the others")
    found: Shares = {}
    recipes = tuple(_recipe(a, query, dataset, found) for a in query.aggregates)
    threshold = None
    if any(axis.discover for axis in axes):  # the people in each key decide whether it is shown
        counted = SummedMeasure("rows" if dataset.unit.person is None else "people")
        known = counted in found
        threshold = _need(found, counted, Fraction(0) if known else Fraction(1))
    measures = tuple(replace(measure, share=share) for measure, share in found.items())
    return Resolved(query, dataset, axes, measures, recipes, threshold)


Shares = dict[SummedMeasure, Fraction]


def _need(found: Shares, measure: SummedMeasure, share: Fraction) -> int:
    """Return the number of a measure; one that is needed twice is taken once, with both shares."""
    found[measure] = found.get(measure, Fraction(0)) + share
    return list(found).index(measure)


def _recipe(aggregate: Aggregate, query: Query, dataset: Dataset, found: Shares) -> tuple[int, ...]:
    """Return the numbers of the measures that an aggregate needs: rows, total and squares."""
    _check_condition(aggregate.where, query, dataset)
    where, share = aggregate.where, aggregate.share
    if aggregate.kind == "people":
        if dataset.unit.person is None:
            raise InvalidInput(
                "people are counted where the policy names the column that identifies a person "
                "(unit: person: ...): count rows instead"
            )
        return (_need(found, SummedMeasure("people", where=where), share),)
    if aggregate.column is None:
        return (_need(found, SummedMeasure("rows", where=where), share),)
    column = _column(aggregate.column, query, dataset)
    if aggregate.kind == "count":
        return (_need(found, SummedMeasure("rows", aggregate.column, where), share),)
    return _numeric(aggregate, column, found)


def _numeric(aggregate: Aggregate, column: Column, found: Shares) -> tuple[int, ...]:
    """Return the same of a sum, mean, variance or quantile."""
    name = str(aggregate.column)
    low, high = _bounds(aggregate, column, name)
    fill = None if column.fill is None else _units(column.fill, column, name)
    if fill is not None:
        fill = min(max(fill, low), high)

    def measure(kind: MeasureKind, center: int, grid: tuple[int, ...] = ()) -> SummedMeasure:
        at = Fraction(1, 2) if aggregate.at is None else aggregate.at
        return SummedMeasure(
            kind, name, aggregate.where, low, high, column.unit, center, fill, grid, at
        )

    share = aggregate.share
    if aggregate.kind == "sum":
        return (_need(found, measure("total", 0), share),)
    if aggregate.kind == "quantile":
        grid = _grid(column, low, high, name)
        return (_need(found, measure("ranks", 0, grid), share),)
    needs_value = None if fill is not None else name
    rows = SummedMeasure("rows", needs_value, aggregate.where)
    center = (low + high) // 2
    variance = aggregate.kind == "variance"
    share /= 3 if variance else 2
    if variance and measure("squares", center).largest >= MOST_UNITS:
        raise TooLarge(
            f"{name!r} has too many units between its bounds for a variance: "
            "give it a larger unit in the policy"
        )
    squares = (_need(found, measure("squares", center), share),) if variance else ()
    both = _need(found, rows, share), _need(found, measure("total", center), share)
    return *both, *squares


def _axis(asked: GroupAxis, query: Query, dataset: Dataset) -> GroupAxis:
    """Fill in the keys or bins of the policy."""
    name, column = asked.column, _column(asked.column, query, dataset)
    if asked.discover:
        return asked
    if asked.bins or (not asked.keys and column.bins and not column.keys):
        axis = replace(asked, bins=asked.bins or column.bins)
        if column.kind not in ("integer", "number"):
            raise InvalidInput(f"{name!r} is {column.kind}: bins are for numbers")
    else:
        axis = replace(asked, keys=asked.keys or column.keys)
        if not axis.keys and name == dataset.unit.person:
            raise InvalidInput(
                f"{name!r} tells people apart, and a group of one person would be lost in noise: "
                f"count people with COUNT(DISTINCT {_written(name)})"
            )
        if not axis.keys:
            raise InvalidInput(
                f"no keys are declared for {name!r}, and keys are never read off the data: write "
                f"GROUP BY {_with_keys(name, column)}, declare them in the policy, or write "
                f"GROUP BY DISCOVER({_written(name)}) and pay for it with a delta such as 1e-7"
            )
    for value in (*axis.keys, *axis.bins):
        _check_kind(value, column, name)
    if len(set(axis.keys)) < len(axis.keys):
        raise InvalidInput(f"a key of {name!r} is given twice")
    return axis


def _with_keys(name: str, column: Column) -> str:
    """Return how a query names groups of a column, with made-up values."""
    low, high = column.low, column.high
    if column.kind in ("integer", "number"):
        if low is None or high is None or low == high:
            low, high = Fraction(0), Fraction(100)
        return f"BIN({_written(name)}, {low}, {(low + high) / 2}, {high})"
    values = {"date": "DATE '2026-01-31'", "boolean": "TRUE, FALSE"}.get(column.kind, "'a', 'b'")
    return f"KEYS({_written(name)}, {values})"


def _written(name: str) -> str:
    return name if name.replace(".", "").isidentifier() else f'"{name}"'


def _check_joins(query: Query, dataset: Dataset) -> None:
    for table, on in query.joins:
        if table not in dataset.public:
            raise UnknownName("public table", table, dataset.public)
        if on not in dataset.columns:
            raise UnknownName("column", on, dataset.columns, which=UNDECLARED)
    if len(dict(query.joins)) < len(query.joins):
        raise InvalidInput("a public table is joined once at most")


def _column(name: str, query: Query, dataset: Dataset) -> Column:
    column = dataset.column(name)
    if name not in dataset.columns:
        table = name.partition(".")[0]
        if table not in dict(query.joins):
            raise InvalidInput(f"{name!r} is in the public table {table!r}: join it first")
    return column


def _check_condition(condition: Condition | None, query: Query, dataset: Dataset) -> None:
    for part in leaves(condition):
        column = _column(part.column, query, dataset)
        match part:
            case Compare(name, operator, value):
                _check_kind(value, column, name)
                if column.kind in ("text", "boolean") and operator not in ("=", "!="):
                    raise InvalidInput(
                        f"{name!r} is {column.kind}, and the order of texts differs between "
                        "engines: compare it with = or !=, or list the values"
                    )
            case OneOf(name, values):
                for value in values:
                    _check_kind(value, column, name)


def _check_kind(value: Value, column: Column, name: str) -> None:
    wanted = _KINDS[column.kind]
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        raise InvalidInput(
            f"{name!r} is {column.kind}, and {shown_value(value)!r} is not: "
            + (
                "quote texts, and write dates as 2026-01-31"
                if column.kind in ("text", "date")
                else "write it as the policy declares it"
            )
        )
    if column.kind == "number" and isinstance(value, Fraction):
        _check_digits(value, name)


def _check_digits(value: Fraction, name: str) -> None:
    """Refuse a constant that engines might round: two constants could then become one.

    Engines compare in doubles or in decimals. Up to 15 significant digits both tell any two
    constants apart, and keep their order; so what conditions can hold together in an engine, they
    can hold together in exact numbers, for which sensitivity is worked out.
    """
    if abs(value) >= 10**_PLACES:
        raise InvalidInput(
            f"{show(value)} for {name!r} is larger than engines compare exactly: give a number "
            f"below 1e{_PLACES}"
        )
    scaled = value * 10**_PLACES
    if scaled.denominator > 1 or len(str(abs(scaled.numerator)).rstrip("0")) > _DIGITS:
        raise InvalidInput(
            f"{show(value)} for {name!r} has more digits than engines compare exactly: give at "
            f"most {_DIGITS} significant digits, none beyond the {_PLACES}th decimal place"
        )


def _bounds(aggregate: Aggregate, column: Column, name: str) -> tuple[int, int]:
    if column.kind not in ("integer", "number"):
        raise InvalidInput(f"{name!r} is {column.kind}: {aggregate.kind} is for numbers")
    if column.low is None or column.high is None:
        raise InvalidInput(
            f"no bounds are declared for {name!r}, and they are never read off the data: "
            "declare bounds: [low, high] in the policy"
        )
    low, high = _units(column.low, column, name), _units(column.high, column, name)
    if aggregate.between is not None:
        narrow = [_units(x, column, name) for x in aggregate.between]
        if narrow[0] > narrow[1]:
            raise InvalidInput(
                f"between for {name!r}: the lower bound is above the upper one: write "
                "LEAST(GREATEST(x, low), high)"
            )
        if not low <= narrow[0] <= narrow[1] <= high:
            raise InvalidInput(
                f"between for {name!r} must lie in the policy's bounds "
                f"{show(column.low)} to {show(column.high)}"
            )
        low, high = narrow
    if max(abs(low), abs(high)) >= MOST_UNITS:
        raise TooLarge(
            f"{name!r} has bounds of 2^62 units or more: give it a larger unit: in the policy, or "
            "narrower bounds"
        )
    return low, high


def _units(x: Fraction, column: Column, name: str) -> int:
    count = x / column.unit
    if count.denominator != 1:
        raise InvalidInput(
            f"{show(x)} is not a whole multiple of the unit {show(column.unit)} of {name!r}: "
            "round it, or declare another unit"
        )
    return int(count)


def _grid(column: Column, low: int, high: int, name: str) -> tuple[int, ...]:
    if not column.grid:
        step = exact_text(max(1, (high - low) // 20) * column.unit)
        raise InvalidInput(
            f"no grid is declared for {name!r}, and a quantile takes its values from one: declare "
            f"it in the policy, such as grid: {{step: {step}}}, or in Python "
            f"columns={{{name!r}: {{'grid': {{'step': '{step}'}}}}}}"
        )
    grid = tuple(_units(x, column, name) for x in column.grid)
    inside = tuple(g for g in grid if low <= g <= high)
    if not inside:
        raise InvalidInput(f"no value of the grid of {name!r} lies within the bounds: give it one")
    return inside
