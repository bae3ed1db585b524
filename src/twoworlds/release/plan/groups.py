r"""Groups and sums in SQL, and the totals that come back.

The index of a bin is found by bisection, that of a key by a lookup.

Rows are first aggregated by the raw values of the columns with keys, and only the few results are
looked up in the table of declared keys; for people, whose groups are limited, each row is.

Limits on what one person adds are at most so many groups, and then at most so many rows. Which
groups and rows are kept is decided by a digest of them, a rule that looks at nothing but the
person's own rows, so that nobody's presence changes what is kept of somebody else. Rows that agree
in everything that the query uses are interchangeable.

The true totals of a query are whole numbers: what the engine hands over, before any noise.

A measure is one sum over rows in SQL, in as many columns as its engine needs to be exact. Up to
2^33 rows of values below 2^62 are summed without loss: in the engine's 128-bit sums, or in limbs of
30 bits, v = l_0 + 2^30 l_1 + 2^60 l_2 with 0 <= l_0, l_1 < 2^30, whose sums fit 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from numbers import Integral
from typing import Any

from sqlglot import exp

from twoworlds.release.plan import sql
from twoworlds.release.plan.columns import Clean, truth
from twoworlds.release.plan.sql import Engine
from twoworlds.release.policy.model import Unit, Value
from twoworlds.release.query.model import GroupAxis
from twoworlds.release.query.resolve import MeasureKind, SummedMeasure


@dataclass(frozen=True)
class Grouping:
    """One axis of a query over clean rows."""

    axis: GroupAxis
    column: Clean
    name: str  # what statements call the group
    keys: str  # what statements call the table of keys

    def __call__(self) -> exp.Expression:
        """Return the group, to be used in an expression."""
        return sql.column(self.name)

    def raw(self) -> exp.Expression:
        """Return what clean rows are aggregated by: the index of a bin, or a value."""
        if self.axis.discover:
            return self.column.finite()
        if not self.axis.bins:
            return self.column()
        edges, last = self.axis.bins, len(self.axis.bins) - 2
        inside = sql.all_of(
            [self.column.compare(">=", edges[0]), self.column.compare("<=", edges[-1])]
        )
        index = sql.tree(lambda j: self.column.compare("<", edges[j + 1]), sql.number, last + 1)
        return self._with_other(sql.case((inside, index)))

    def key_table(self) -> exp.Query | exp.Values:
        """Return the declared keys with their indices; those that cannot occur are left out."""
        rows = [
            [self.column.constant(key), sql.number(i)]
            for i, key in enumerate(self.axis.keys)
            if self.column.holds(key)
        ]
        if not rows:  # a table cannot be empty: this index is never used
            kinds = {"integer": "BIGINT", "decimal": "DECIMAL"}
            never = sql.null(kinds.get(self.column.family, "DOUBLE"))
            rows = [[never, sql.number(-1)]]
        if not self.column.engine.values:
            return sql.literal_rows(rows, ["key", "cell"])
        return exp.Values(expressions=[exp.Tuple(expressions=row) for row in rows])

    def look_up(self, query: exp.Select, source: str) -> exp.Select:
        """Select the index of the group of each row of ``source``, which has the raw value."""
        index: exp.Expression = sql.column(self.name, source)
        if self.axis.keys:
            on = sql.compare(index, "=", sql.column("key", self.keys))
            kind = "left" if self.axis.other else "inner"
            query = query.join(sql.table(self.keys), on=on, join_type=kind, copy=False)
            index = self._with_other(sql.column("cell", self.keys))
        return query.select(sql.named(index, self.name), copy=False)

    def _with_other(self, index: exp.Expression) -> exp.Expression:
        if not self.axis.other:
            return index
        return exp.Coalesce(this=index, expressions=[sql.number(self.axis.size - 1)])


def rank(v: exp.Expression, grid: tuple[int, ...], engine: Engine) -> exp.Expression:
    """Return the bin of the grid in which a whole number falls.

    Bin 0 is v < grid[0], bin 2i + 1 is v = grid[i], bin 2i + 2 lies between grid[i] and the next.
    In a grid with equal steps it is found by a division, in any other by bisection.
    """
    first, last = sql.number(grid[0]), sql.number(grid[-1])
    steps = {b - a for a, b in pairwise(grid)}
    if len(steps) != 1:
        edges = [edge for value in grid for edge in (value, value + 1)]
        below = [sql.compare(v, "<", sql.number(edge)) for edge in edges]
        return sql.tree(lambda j: below[j], sql.number, len(edges) + 1)
    step = sql.number(steps.pop())
    above = exp.Paren(this=sql.cast(v, "BIGINT") - first)
    rest = exp.Paren(this=above % step)
    whole = exp.Paren(this=engine.divide(exp.Paren(this=above - rest), step))
    between = sql.case(
        (sql.compare(rest, ">", sql.number(0)), sql.number(2)), default=sql.number(1)
    )
    return sql.case(
        (sql.compare(v, "<", first), sql.number(0)),
        (sql.compare(v, ">", last), sql.number(2 * len(grid))),
        default=whole * sql.number(2) + between,
    )


def limited(
    rows: exp.Select,
    person: exp.Expression,
    groups: Sequence[exp.Expression],
    columns: Sequence[exp.Expression],
    digest: sql.Digest,
    unit: Unit,
) -> exp.Select:
    """Keep at most ``unit.groups`` groups and ``unit.rows`` rows of each person."""
    ranks: list[tuple[exp.Expression, Sequence[exp.Expression], int]] = []
    if groups and unit.groups < unit.rows:
        ranks.append((exp.Anonymous(this="DENSE_RANK"), groups, unit.groups))
    ranks.append((exp.RowNumber(), [*groups, *columns], unit.rows))
    for rank, by, most in ranks:
        order = [digest([x.copy() for x in (person, *by)]), *by]
        window = exp.Window(
            this=rank,
            partition_by=[person.copy()],
            order=exp.Order(expressions=[exp.Ordered(this=x.copy()) for x in order]),
        )
        names = rows.named_selects
        ranked = exp.Select().select(*map(sql.column, names), sql.named(window, "nth"))
        ranked = ranked.from_(sql.part(rows, "unlimited"))
        kept = sql.compare(sql.column("nth"), "<=", sql.number(most))
        rows = exp.Select().select(*map(sql.column, names)).from_(sql.part(ranked, "ranked"))
        rows = rows.where(kept)
    return rows


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
class Plan:
    """A statement, and how its rows are read: ``(part, *groups, *numbers)``.

    Part 0 has the sums, each in one or more limbs of 30 bits; part ``j + 1`` has the ranks of
    measure ``j``: the bin, and how many rows are in it. A shorter part ends in missing values.

    """

    statement: exp.Query
    kinds: tuple[str | None, ...]  # for each axis None, or the kind of keys that are discovered
    sizes: tuple[int, ...]  # for each axis the number of groups that are declared
    measures: tuple[MeasureKind, ...]
    limbs: tuple[int, ...]  # for each measure the columns of its sum; 0 for ranks
    bins: tuple[int, ...]  # for each measure the bins of its ranks; 0 for others
    once: bool = False  # whether each cell comes once at most; if not, its rows are added up

    def decode(self, rows: Iterable[Sequence[Any]]) -> Totals:
        """Return the totals, exactly."""
        cells: dict[Cell, list[int]] = {}
        ranks: dict[int, dict[Cell, list[int]]] = {j: {} for j, n in enumerate(self.bins) if n}
        axes, sums = len(self.kinds), sum(self.limbs)
        width = 1 + axes + max(sums, 2 if ranks else 0)
        for row in rows:
            if len(row) != width:
                raise ValueError(f"a row has {len(row)} columns, not {width}")
            part, numbers = _whole(row[0]), row[1 + axes :]
            cell = tuple(map(_coordinate, row[1 : 1 + axes], self.kinds, self.sizes))
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
        raise ValueError("a truth is not a number")
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


def _coordinate(value: Any, kind: str | None, size: int) -> int | Value:
    """Return the index of a declared group, or a key that was discovered."""
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


def limbs(measure: SummedMeasure, engine: Engine) -> int:
    """Return in how many columns a measure is summed; 0 for ranks, which are counted by bin."""
    if measure.kind == "ranks":
        return 0
    if measure.kind in ("rows", "people") or engine.wide:
        return 1
    return max(1, -(-measure.largest.bit_length() // LIMB))


def aggregates(
    measure: SummedMeasure, engine: Engine, columns: Mapping[str, Clean], person: Clean | None
) -> list[exp.Expression]:
    """Return the sums of a measure over clean rows, one for each limb."""

    def kept(value: exp.Expression) -> exp.Expression:
        return value if measure.where is None else sql.case((truth(measure.where, columns), value))

    match measure.kind:
        case "ranks":
            return []
        case "people" if person is not None:
            return [exp.Count(this=exp.Distinct(expressions=[kept(person())]))]
        case "rows" | "people":
            if measure.column is not None:
                return [exp.Count(this=kept(columns[measure.column]()))]
            every = exp.Star() if measure.where is None else kept(sql.number(1))
            return [exp.Count(this=every)]
    v = columns[str(measure.column)].units(measure)
    if engine.narrow or measure.center or measure.kind == "squares":
        v = sql.cast(v, "BIGINT")  # 64 bits suffice for all that follows
    if measure.center:
        v = exp.Paren(this=v - sql.number(measure.center))
    if measure.kind == "squares":
        v = v * v.copy()
    count = limbs(measure, engine)
    return [exp.Sum(this=kept(_limb(v, i, count))) for i in range(count)]


def _limb(v: exp.Expression, index: int, count: int) -> exp.Expression:
    if count == 1:
        return v
    part: exp.Expression = sql.cast(v.copy(), "BIGINT")
    if index:
        part = exp.BitwiseRightShift(this=part, expression=sql.number(LIMB * index))
    if index == count - 1:
        return part
    return exp.BitwiseAnd(this=exp.Paren(this=part), expression=sql.number((1 << LIMB) - 1))
