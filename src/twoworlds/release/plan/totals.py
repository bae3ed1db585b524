"""The true totals of a query, in whole numbers: what the engine hands over, before any noise.

A measure is one sum over rows in SQL, in as many columns as its engine needs to be exact. Up to
2^33 rows of values below 2^62 are summed without loss: in the engine's 128-bit sums, or in limbs of
30 bits, v = l_0 + 2^30 l_1 + 2^60 l_2 with 0 <= l_0, l_1 < 2^30, whose sums fit 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any

from sqlglot import exp

from twoworlds.release.plan import sql
from twoworlds.release.plan.columns import Clean, truth
from twoworlds.release.plan.engines import Engine
from twoworlds.release.query.resolve import Measure, MeasureKind
from twoworlds.release.values import Value

__all__ = ["Cell", "Layout", "Totals", "aggregates", "limbs"]

Cell = tuple[int | Value, ...]
LIMB = 30  # bits of each part of a sum that would not fit its engine's integers
_EXACT = 1 << 53


@dataclass(frozen=True)
class Totals:
    """The true totals of a query.

    Attributes:
        cells: One whole number for each measure (0 for ``ranks``), by cell; a cell has the index of
            the group along each declared axis (keys or bins in order, then ``other``) and the key
            itself along a discovered one. A cell that is absent has zeros.
        ranks: For each measure of ranks, by its index: the number of rows in each of the
            ``2 * len(grid) + 1`` bins, by cell.
    """

    cells: Mapping[Cell, tuple[int, ...]]
    ranks: Mapping[int, Mapping[Cell, tuple[int, ...]]]


@dataclass(frozen=True)
class Layout:
    """How the rows of a statement are read: ``(part, *groups, *numbers)``.

    Part 0 has the sums, each in one or more limbs of 30 bits; part ``j + 1`` has the ranks of
    measure ``j``: the bin, and how many rows are in it. A shorter part ends in missing values.

    Attributes:
        kinds: For each axis None, or the kind of the keys that are discovered along it.
        sizes: For each axis the number of groups that are declared.
        measures: The kind of each measure.
        limbs: For each measure the number of columns of its sum; 0 for ranks.
        bins: For each measure the number of bins of its ranks; 0 for others.
        once: Whether each cell comes once at most; if not, rows of one cell are added up.
        keys: For each axis None, or the indices of declared keys that come back themselves; empty
            where none do.
    """

    kinds: tuple[str | None, ...]
    sizes: tuple[int, ...]
    measures: tuple[MeasureKind, ...]
    limbs: tuple[int, ...]
    bins: tuple[int, ...]
    once: bool = False
    keys: tuple[Mapping[Value, int] | None, ...] = ()

    def decode(self, rows: Iterable[Sequence[Any]]) -> Totals:
        """Return the totals, exactly."""
        cells: dict[Cell, list[int]] = {}
        ranks: dict[int, dict[Cell, list[int]]] = {j: {} for j, n in enumerate(self.bins) if n}
        axes, sums = len(self.kinds), sum(self.limbs)
        keys = self.keys or (None,) * axes
        width = 1 + axes + max(sums, 2 if ranks else 0)
        for row in rows:
            if len(row) != width:
                raise ValueError(f"a row has {len(row)} columns, not {width}")
            part, numbers = _whole(row[0]), row[1 + axes :]
            cell = tuple(map(_coordinate, row[1 : 1 + axes], self.kinds, self.sizes, keys))
            if part == 0 and sums:
                if self.once and cell in cells:
                    raise ValueError("a cell comes twice")
                found = cells.setdefault(cell, [0] * len(self.limbs))
                for j, total in enumerate(self._sums(numbers[:sums])):
                    found[j] += total
                padding = numbers[sums:]
            elif part - 1 in ranks:
                counts = ranks[part - 1].setdefault(cell, [0] * self.bins[part - 1])
                place = _index(numbers[0], len(counts))
                if self.once and counts[place]:
                    raise ValueError("a bin of a cell comes twice")
                counts[place] += _count(numbers[1])
                padding = numbers[2:]
            else:
                raise ValueError(f"there is no part {part}")
            if any(value is not None for value in padding):
                raise ValueError("a column has a value that belongs to no measure")
        if sums and not axes and not cells:
            raise ValueError("there is no row of totals")
        return Totals(
            {cell: tuple(found) for cell, found in cells.items()},
            {j: {c: tuple(n) for c, n in found.items()} for j, found in ranks.items()},
        )

    def _sums(self, numbers: Sequence[Any]) -> Iterable[int]:
        start = 0
        for kind, limbs in zip(self.measures, self.limbs, strict=True):
            parts = numbers[start : start + limbs]
            start += limbs
            if kind in ("rows", "people"):
                yield _count(parts[0])
                continue
            total = sum(
                0 if part is None else _whole(part) << (LIMB * i) for i, part in enumerate(parts)
            )
            if kind == "squares" and total < 0:
                raise ValueError("a sum of squares is negative")
            yield total


def _whole(value: Any) -> int:
    """Return a whole number, of whatever type the driver has for it."""
    if type(value) is int:
        return value
    if type(value) is bool:
        raise ValueError("a truth is no number")
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    if isinstance(value, Decimal) and value.is_finite() and value == int(value):
        return int(value)
    if isinstance(value, Integral):
        return int(value)
    raise ValueError("a number of the engine is not whole")


def _count(value: Any) -> int:
    count = _whole(value)
    if count < 0:
        raise ValueError("a count is negative")
    return count


def _index(value: Any, size: int) -> int:
    index = _whole(value)
    if not 0 <= index < size:
        raise ValueError("a group or bin does not exist")
    return index


def _coordinate(
    value: Any, kind: str | None, size: int, keys: Mapping[Value, int] | None
) -> int | Value:
    """Return the index of a declared group, or a key that was discovered."""
    if keys is not None:
        return _index(keys.get(value, -1), size)
    match kind:
        case None:
            return _index(value, size)
        case "text":  # MySQL hands over bytes
            bare = isinstance(value, (bytes, bytearray))
            return value.decode("utf-8", "backslashreplace") if bare else str(value)
        case "boolean":
            return bool(value)
        case "date":
            return date.fromisoformat(value) if isinstance(value, str) else value
        case _:
            return Fraction(value)


def limbs(measure: Measure, engine: Engine) -> int:
    """Return in how many columns a measure is summed; 0 for ranks, which are counted by bin."""
    if measure.kind == "ranks":
        return 0
    if measure.kind in ("rows", "people") or engine.wide:
        return 1
    return max(1, -(-_largest(measure).bit_length() // LIMB))


def _largest(measure: Measure) -> int:
    distance = max(abs(measure.low - measure.center), abs(measure.high - measure.center))
    return distance**2 if measure.kind == "squares" else distance


def aggregates(
    measure: Measure, engine: Engine, column: Callable[[str], Clean], person: Clean | None
) -> list[exp.Expression]:
    """Return the sums of a measure over clean rows, one for each limb."""
    match measure.kind:
        case "ranks":
            return []
        case "people" if person is not None:
            distinct = exp.Distinct(expressions=[_where(measure, person(), column)])
            return [exp.Count(this=distinct)]
        case "rows" | "people":
            return [exp.Count(this=_counted(measure, column))]
    count = limbs(measure, engine)
    term = _term(measure, engine, column)
    return [exp.Sum(this=_where(measure, _limb(term, i, count), column)) for i in range(count)]


def _counted(measure: Measure, column: Callable[[str], Clean]) -> exp.Expression:
    if measure.column is not None:
        return _where(measure, column(measure.column)(), column)
    return exp.Star() if measure.where is None else _where(measure, sql.number(1), column)


def _where(
    measure: Measure, value: exp.Expression, column: Callable[[str], Clean]
) -> exp.Expression:
    if measure.where is None:
        return value
    return sql.case((truth(measure.where, column), value))


def _term(measure: Measure, engine: Engine, column: Callable[[str], Clean]) -> exp.Expression:
    """Return what one row adds; arithmetic is done in 64 bits, which always suffice."""
    v = column(str(measure.column)).units(measure)
    if engine.narrow or measure.center or measure.kind == "squares":
        v = sql.cast(v, "BIGINT")
    if measure.center:
        v = exp.Paren(this=v - sql.number(measure.center))
    return v * v.copy() if measure.kind == "squares" else v


def _limb(v: exp.Expression, index: int, count: int) -> exp.Expression:
    if count == 1:
        return v
    part: exp.Expression = sql.cast(v.copy(), "BIGINT")
    if index:
        part = exp.BitwiseRightShift(this=part, expression=sql.number(LIMB * index))
    if index == count - 1:
        return part
    return exp.BitwiseAnd(this=exp.Paren(this=part), expression=sql.number((1 << LIMB) - 1))
