"""Groups in SQL: the index of a bin by bisection, the index of a key by a lookup.

Rows are first aggregated by the raw values of the columns with keys, and only the few results are
looked up in the list of declared keys; for people, whose groups are limited, each row is. Keys are
looked up by a join with a table of them. Where a join is dear, the results whose keys are in a list
are kept instead, and these few keys are looked up when they have come back.

Limits on what one person adds are at most so many groups, and then at most so many rows. Which
groups and rows are kept is decided by a digest of them, a rule that looks at nothing but the
person's own rows, so that nobody's presence changes what is kept of somebody else. Rows that agree
in everything that the query uses are interchangeable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp

from twoworlds.release.plan import sql
from twoworlds.release.plan.columns import Clean
from twoworlds.release.plan.engines import Engine
from twoworlds.release.policy.model import Unit
from twoworlds.release.query.resolve import Axis
from twoworlds.release.values import Value

__all__ = ["Grouping", "limited", "rank"]

Digest = Callable[[Sequence[exp.Expression]], exp.Expression]


@dataclass(frozen=True)
class Grouping:
    """One axis of a query over clean rows.

    Attributes:
        axis: What is declared.
        column: The clean column.
        name: What statements call the group.
        keys: What statements call the table of keys.
    """

    axis: Axis
    column: Clean
    name: str
    keys: str

    def __call__(self) -> exp.Expression:
        """Return the group, to be used in an expression."""
        return sql.column(self.name)

    @property
    def looked_up(self) -> bool:
        """Whether groups are looked up in a table of keys."""
        return bool(self.axis.keys)

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

    @property
    def listed(self) -> bool:
        """Whether the keys of results are better searched in a list than in a table."""
        few = len(self.axis.keys) <= self.column.engine.listed
        return few and any(map(self.column.holds, self.axis.keys))

    def position(self, source: str) -> exp.Expression:
        """Return the index of a group by its place in the list of keys, or that of others."""
        keys = [
            self.column.constant(key) if self.column.holds(key) else self._never()
            for key in self.axis.keys
        ]
        raw = sql.column(self.name, source)
        place = exp.Anonymous(this="ARRAY_POSITION", expressions=[exp.Array(expressions=keys), raw])
        other = sql.number(self.axis.size - 1)
        return sql.case((self._in_list(raw.copy()), place - sql.number(1)), default=other)

    def declared(self) -> exp.Expression:
        """Whether the key of a result is in the list, for the results of an aggregation.

        The count of its rows, which is never 0, takes part, so that no engine tests each row
        instead of each result.
        """
        some = sql.compare(exp.Count(this=exp.Star()), ">", sql.number(0))
        return self._in_list(sql.case((some, self())))

    def places(self) -> dict[Value, int]:
        """Return the index of each key, as it comes back."""
        keys = enumerate(self.axis.keys)
        return {self.column.nearest(key): i for i, key in keys if self.column.holds(key)}

    def _in_list(self, raw: exp.Expression) -> exp.Expression:
        held = [self.column.constant(key) for key in self.axis.keys if self.column.holds(key)]
        return exp.In(this=raw, expressions=held)

    def key_table(self) -> exp.Query | exp.Values:
        """Return the declared keys with their indices; those that cannot occur are left out."""
        rows = [
            [self.column.constant(key), sql.number(i)]
            for i, key in enumerate(self.axis.keys)
            if self.column.holds(key)
        ]
        if not rows:  # a table cannot be empty: this index is never used
            rows = [[self._never(), sql.number(-1)]]
        if not self.column.engine.values:
            return sql.literal_rows(rows, ["key", "cell"])
        return exp.Values(expressions=[exp.Tuple(expressions=row) for row in rows])

    def _never(self) -> exp.Expression:
        kinds = {"integer": "BIGINT", "decimal": "DECIMAL"}
        return sql.null(kinds.get(self.column.family, "DOUBLE"))

    def look_up(self, query: exp.Select, source: str) -> exp.Select:
        """Join the table of keys to a query whose ``source`` has the raw value."""
        on = sql.compare(sql.column(self.name, source), "=", sql.column("key", self.keys))
        kind = "left" if self.axis.other else "inner"
        return query.join(sql.table(self.keys), on=on, join_type=kind, copy=False)

    def index(self) -> exp.Expression:
        """Return the index of a group whose key has been looked up."""
        return self._with_other(sql.column("cell", self.keys))

    def _with_other(self, index: exp.Expression) -> exp.Expression:
        if not self.axis.other:
            return index
        return exp.Coalesce(this=index, expressions=[sql.number(self.axis.size - 1)])

    @property
    def must_exist(self) -> bool:
        """Whether rows without a group are left out before they are aggregated."""
        return not self.axis.other


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
    digest: Digest,
    unit: Unit,
) -> exp.Select:
    """Keep at most ``unit.groups`` groups and ``unit.rows`` rows of each person."""
    if groups and unit.groups < unit.rows:
        rows = _first(exp.Anonymous(this="DENSE_RANK"), rows, person, groups, digest, unit.groups)
    return _first(exp.RowNumber(), rows, person, [*groups, *columns], digest, unit.rows)


def _first(
    rank: exp.Expression,
    rows: exp.Select,
    person: exp.Expression,
    columns: Sequence[exp.Expression],
    digest: Digest,
    most: int,
) -> exp.Select:
    order = [digest([x.copy() for x in (person, *columns)]), *columns]
    window = exp.Window(
        this=rank,
        partition_by=[person.copy()],
        order=exp.Order(expressions=[exp.Ordered(this=x.copy()) for x in order]),
    )
    nth = exp.Alias(this=window, alias=exp.to_identifier("nth", quoted=True))
    everything = rows.named_selects
    ranked = (
        exp.Select()
        .select(*(sql.column(name) for name in everything), nth)
        .from_(sql.part(rows, "unlimited"))
    )
    return (
        exp.Select()
        .select(*(sql.column(name) for name in everything))
        .from_(sql.part(ranked, "ranked"))
        .where(sql.compare(sql.column("nth"), "<=", sql.number(most)))
    )
