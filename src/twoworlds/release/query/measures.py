r"""A query made definite: the whole numbers that the engine adds up, and what is made of them.

Every aggregate comes from *measures*: sums over rows (or people) of whole numbers, in each cell of
the groups. Noise is added to these and to nothing else.

    rows       1 for each row (that has a value in the column, if there is one)
    people     1 for each person with such a row
    total      v - center            where v = clamp(round(x / unit), low, high)
    squares    (v - center)^2
    ranks      1 for each row, in the bin of the grid where v falls: the input of a quantile

A count is `rows`; a sum is `total` with center 0; a mean is `total` around the middle of the bounds
and `rows`, so that noise is half as wide; a variance takes `squares` besides.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from twoworlds.release.policy.model import Dataset
from twoworlds.release.query.conditions import Condition
from twoworlds.release.query.model import Query
from twoworlds.release.values import Value

__all__ = ["Axis", "Measure", "MeasureKind", "Recipe", "Resolved"]

MeasureKind = Literal["rows", "people", "total", "squares", "ranks"]


@dataclass(frozen=True)
class Axis:
    """The groups along one column.

    Attributes:
        column: Its name.
        keys: Its keys, in order; empty for bins and for discovered keys.
        bins: The edges of its bins: [a, b), the last one with its upper edge; empty for keys.
        other: Whether one more group, the last, takes everything else and what is missing.
        discover: Whether the keys are read off the data.
    """

    column: str
    keys: tuple[Value, ...] = ()
    bins: tuple[Fraction, ...] = ()
    other: bool = False
    discover: bool = False

    @property
    def size(self) -> int:
        """How many groups are declared; 0 when they are discovered."""
        return (len(self.keys) or max(0, len(self.bins) - 1)) + self.other


@dataclass(frozen=True)
class Measure:
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


@dataclass(frozen=True)
class Recipe:
    """How an aggregate is made: the index of each measure that it needs, by kind."""

    rows: int | None = None
    people: int | None = None
    total: int | None = None
    squares: int | None = None
    ranks: int | None = None


@dataclass(frozen=True)
class Resolved:
    """A query with everything that the policy says about it filled in."""

    query: Query
    dataset: Dataset
    axes: tuple[Axis, ...]
    measures: tuple[Measure, ...]
    recipes: tuple[Recipe, ...]  # one for each aggregate
    threshold: int | None = None  # the measure that decides which discovered keys are shown

    @property
    def discovers(self) -> bool:
        """Whether keys are read off the data."""
        return any(axis.discover for axis in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of declared groups along each axis."""
        return tuple(axis.size for axis in self.axes)
