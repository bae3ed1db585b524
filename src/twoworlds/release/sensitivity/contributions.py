r"""Contributions: every way in which one row can enter a batch of queries.

Of one column, a batch sees a *state*: the truth of its conditions, its groups, and its values.

A state is a class of pieces with the same truth of every rule and the same group on every axis. Its
*options* are what a measure can see besides: that the value is missing, or an interval of whole
units in which every clamp and the sign of v - center stay the same.

Keys that nothing but the cell tells apart are interchangeable, and two of them are kept. Why two
are enough: let each group of an axis that just one set of states has be called its own. Two such
sets of states with the same rules, options and shared groups can be exchanged for each other, and a
pair of rows looks at two of them at most: at one twice, or at two different ones.

A row type puts the states of all columns together. It says, for each query, in which cell the row
counts (None: nowhere) and in which measures, and for each column of values what may be in it. All
combinations of states of the columns that conditions and groups look at are possible; so are,
independently, the columns of a public table that is joined, which is more than there is, and safe.
A column that is only added up has one state, so that it does not multiply the number of types.

`reachable` asks less: in which declared cells a row that a measure counts can be at all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise, product
from math import prod
from typing import NamedTuple, TypeVar

from twoworlds.errors import TooLarge
from twoworlds.release.policy.model import Column
from twoworlds.release.query.conditions import All, Condition, Missing, Not, columns_of, leaves
from twoworlds.release.query.model import GroupAxis
from twoworlds.release.query.resolve import Resolved, SummedMeasure
from twoworlds.release.sensitivity.domain import (
    DomainPiece,
    Label,
    Place,
    compiled,
    constants,
    declared_values,
    holds,
    labels,
    pieces,
    place,
    span,
)

T = TypeVar("T")
MOST_TYPES = 1 << 14
Index = tuple[int, int]  # query, measure
Cell = tuple[Label, ...]
Option = tuple[int, int] | None  # v from .. to .., or missing
MOST_TESTS = 1 << 20  # of a comparison at a place: about a second
_MANY_KEYS = 200


class ColumnState(NamedTuple):
    """What can be seen of one column.

    Attributes:
        truths: Of each rule on it.
        groups: On each axis along it; None when the row is in no group.
        options: The values that are possible.
    """

    truths: tuple[bool, ...]
    groups: tuple[Label, ...]
    options: frozenset[Option]


Row = Mapping[str, ColumnState]


@dataclass
class Uses:
    """What a batch does with one column: rules, axes and measures, each once and numbered."""

    column: Column
    rules: dict[Condition, int] = field(default_factory=dict)
    axes: dict[GroupAxis, int] = field(default_factory=dict)
    measures: dict[SummedMeasure, int] = field(default_factory=dict)

    def states(self) -> list[ColumnState]:
        """Return the states, interchangeable ones twice at most."""
        found: dict[tuple[tuple[bool, ...], tuple[Label, ...]], set[Option]] = {}
        keys = [dict.fromkeys(map(place, axis.keys)) for axis in self.axes]
        kind = self.column.kind
        cut = pieces(kind, self._places(keys))
        tests = len(cut) * sum(1 for rule in self.rules for _ in leaves(rule))
        if tests > MOST_TESTS:
            raise TooLarge(
                f"the conditions on {self.column.name!r} would be tried {tests:,} times, more than "
                f"{MOST_TESTS:,}: compare it with fewer constants, or list values with IN"
            )
        rules = [holds(rule) for rule in self.rules]
        for piece in cut:
            truths = tuple(rule(piece) for rule in rules)
            options = self._options(piece)
            reached = (labels(a, k, kind, piece) for a, k in zip(self.axes, keys, strict=True))
            for groups in product(*reached):
                found.setdefault((truths, groups), set()).update(options)
        made = (ColumnState(t, g, frozenset(options)) for (t, g), options in found.items())
        return _two_of_each(made, len(self.axes))

    def _places(self, keys: Sequence[Mapping[Place, None]]) -> list[Place]:
        """Return all constants, edges and keys; of very many keys, two of each sort.

        Between two constants keys are alike, but for the axes that have them. Of integers some may
        then seem to be in no group where all are declared: more than there is, and safe.
        """
        hard = [p for rule in self.rules for p in constants(rule)]
        hard += [edge for axis in self.axes for edge in axis.bins]
        if sum(map(len, keys)) <= _MANY_KEYS or self._clamps():
            return [*hard, *(key for of_axis in keys for key in of_axis)]
        known, cuts = set(hard), sorted({p for p in hard if isinstance(p, Fraction)})
        if len(keys) == 1 and not cuts:
            return [*hard, *islice((key for key in keys[0] if key not in known), 2)]
        seen: Counter[object] = Counter()
        kept: list[Place] = []
        for key in dict.fromkeys(key for of_axis in keys for key in of_axis if key not in known):
            gap = bisect_left(cuts, key) if isinstance(key, Fraction) else 0
            sort = (gap, *(key in of_axis for of_axis in keys))
            seen[sort] += 1
            if seen[sort] <= 2:
                kept.append(key)
        return [*hard, *kept]

    def _clamps(self) -> list[SummedMeasure]:
        return [m for m in self.measures if m.kind in ("total", "squares", "ranks")]

    def _options(self, piece: DomainPiece) -> Iterable[Option]:
        """Cut the values of a piece at bounds and centers."""
        if not self.measures:
            return ()
        if piece.kind == "missing":
            return (None,)
        measures = self._clamps()
        if not measures:
            return ((0, 0),)
        least, most = min(m.low for m in measures), max(m.high for m in measures)
        low, high = span(self.column.kind, self.column.unit, piece)
        first = least if low is None else min(max(low, least), most)
        last = most if high is None else min(max(high, least), most)
        bends = {b for m in measures for b in (m.low, m.high, m.center) if m.kind != "ranks"}
        cuts = sorted({first, last, *(b for b in bends if first < b < last)})
        return list(pairwise(cuts)) or ((first, first),)


def _two_of_each(states: Iterable[ColumnState], axes: int) -> list[ColumnState]:
    """Keep two of each sort of interchangeable groups."""
    by_groups: dict[tuple[Label, ...], list[ColumnState]] = {}
    for state in states:
        by_groups.setdefault(state.groups, []).append(state)
    often = [Counter(g[i] for g in by_groups) for i in range(axes)]
    seen: Counter[object] = Counter()
    kept: list[ColumnState] = []
    for groups, members in by_groups.items():
        shared = tuple(
            label if label is None or count[label] > 1 else "own"
            for label, count in zip(groups, often, strict=True)
        )
        sort = (shared, frozenset((s.truths, s.options) for s in members))
        seen[sort] += 1
        if seen[sort] <= 2:
            kept += members
    return kept


class RowType(NamedTuple):
    """How a row enters: its cell in each query, the measures, the options of each value column."""

    cells: tuple[Cell | None, ...]
    active: frozenset[Index]
    options: tuple[frozenset[Option], ...]


@dataclass(frozen=True)
class Rows:
    """The row types of a batch, and which measures look at which column of values."""

    types: tuple[RowType, ...]  # in an order that is always the same
    columns: tuple[frozenset[Index], ...]
    measures: Mapping[Index, SummedMeasure]

    def only(self, wanted: Iterable[Index]) -> list[RowType]:
        """Return the different types that some of the measures see."""
        kept = frozenset(wanted)
        return list(dict.fromkeys(_seen(t, kept, self.columns) for t in self.types))


def _seen(row: RowType, wanted: frozenset[Index], columns: Sequence[frozenset[Index]]) -> RowType:
    """Forget all that some measures do not see."""
    active = row.active & wanted
    queries = {q for q, _ in active}
    cells = tuple(c if q in queries else None for q, c in enumerate(row.cells))
    of_columns = zip(row.options, columns, strict=True)
    options = tuple(options if active & on else frozenset() for options, on in of_columns)
    return RowType(cells, active, options)


def row_types(batch: Sequence[Resolved], wanted: Iterable[Index]) -> Rows:
    """Find the row types of a batch, as far as these measures see them."""
    uses: dict[str, Uses] = {}
    measures = {(q, j): batch[q].measures[j] for q, j in sorted(wanted)}
    dataset = batch[0].dataset

    def use(name: str, what: Callable[[Uses], dict[T, int]], part: T) -> int:
        """Note a use of a column, and return its number among those of its sort."""
        known = what(uses.setdefault(name, Uses(dataset.column(name))))
        return known.setdefault(part, len(known))

    def atom(name: str, rule: Condition) -> Callable[[Row], bool]:
        number = use(name, lambda of: of.rules, rule)
        return lambda row: row[name].truths[number]

    conditions = {q: compiled(batch[q].query.condition, atom) for q, _ in measures}
    axes = {
        q: [(a.column, use(a.column, lambda of: of.axes, a)) for a in batch[q].axes]
        for q in conditions
    }
    filters = {index: compiled(measure.where, atom) for index, measure in measures.items()}
    for measure in measures.values():
        if measure.column is not None:
            use(measure.column, lambda of: of.measures, measure)
    states = {name: of.states() for name, of in uses.items()}
    _check_size(prod(map(len, states.values())), len(conditions), len(filters))
    valued = [name for name, of in uses.items() if of.measures]
    on = tuple(frozenset(i for i, m in measures.items() if m.column == name) for name in valued)
    found: dict[RowType, None] = {}
    for combination in product(*states.values()):
        row = dict(zip(states, combination, strict=True))
        cells: list[Cell | None] = [None] * len(batch)
        for q, condition in conditions.items():
            cell = tuple(row[column].groups[number] for column, number in axes[q])
            if None not in cell and condition(row):
                cells[q] = cell
        active = frozenset(
            i for i, kept in filters.items() if cells[i[0]] is not None and kept(row)
        )
        full = RowType(tuple(cells), active, tuple(row[name].options for name in valued))
        found[_seen(full, active, on)] = None
    return Rows(tuple(found), on, measures)


def _check_size(count: int, conditions: int, filters: int) -> None:
    if count > MOST_TYPES:
        raise TooLarge(
            f"conditions and groups make {count:,} kinds of rows, more than {MOST_TYPES:,}: "
            "look at fewer columns in one query"
        )
    tests = count * (conditions + filters)
    if tests > MOST_TESTS:
        raise TooLarge(
            f"{filters:,} measures of {count:,} kinds of rows make {tests:,} tests, "
            f"more than {MOST_TESTS:,}: ask for fewer at a time, or with fewer conditions"
        )


def reachable(
    asked: Resolved, measure: SummedMeasure, *, declared: bool = False
) -> set[tuple[int, ...]]:
    """Return the declared cells in which a row that a measure counts can be.

    The row must meet the conditions of the query and of the measure, and have a value where one is
    needed. Values of a column with the same truths of these conditions are taken together; every
    combination of truths that meets them allows the groups of these values. Discovered keys are
    no part of a cell here. ``declared`` supposes that values are declared keys and lie within the
    bounds: that is for warnings only, since the data may hold others.
    """
    axes = {axis.column: axis for axis in asked.axes if not axis.discover}
    wanted = [part for part in (asked.query.condition, measure.where) if part is not None]
    if not wanted and measure.column not in axes:
        return {*product(*(range(axis.size) for axis in axes.values()))}
    if measure.column is not None and measure.fill is None:
        wanted.append(Not(Missing(measure.column)))
    condition = All(tuple(wanted)) if wanted else None
    rules: dict[str, list[Condition]] = {name: [] for name in columns_of(condition)}

    def atom(name: str, rule: Condition) -> Callable[[Mapping[str, tuple[bool, ...]]], bool]:
        rules[name].append(rule)
        number = len(rules[name]) - 1
        return lambda truths: truths[name][number]

    met = compiled(condition, atom)
    groups = {
        name: _by_truths(asked, name, of, axes.get(name), declared=declared)
        for name, of in rules.items()
    }
    rows = (dict(zip(groups, truths, strict=True)) for truths in product(*groups.values()))
    parts = {
        tuple(
            frozenset(groups[name][row[name]]) if name in row else range(axis.size)
            for name, axis in axes.items()
        )
        for row in rows
        if met(row)
    }
    return {cell for part in parts for cell in product(*part)}


def _by_truths(
    asked: Resolved,
    name: str,
    of: Sequence[Condition],
    axis: GroupAxis | None,
    *,
    declared: bool,
) -> dict[tuple[bool, ...], set[int]]:
    """Return the declared groups along a column, by the truths of rules on it."""
    column = asked.dataset.column(name)
    kind, tests = column.kind, [holds(part) for part in of]
    keys = [] if axis is None else [*map(place, axis.keys)]
    edges = () if axis is None else axis.bins
    numbers: dict[Label, int] = {(g,): i for i, g in enumerate(keys or range(len(edges) - 1))}
    known, found = frozenset(keys), dict[tuple[bool, ...], set[int]]()
    cuts = [*(p for part in of for p in constants(part)), *keys, *edges]
    limits, expected = declared_values(column) if declared else ((), lambda _: True)
    for piece in pieces(kind, [*cuts, *limits]):
        if not expected(piece):
            continue
        reached = found.setdefault(tuple(test(piece) for test in tests), set())
        if axis is not None:
            [group] = labels(axis, known, kind, piece)
            reached.update(() if group is None else (numbers.get(group, axis.size - 1),))
    return found


def between_the_grid(asked: Resolved) -> Iterator[str]:
    """Yield the quantiles whose values all lie between two neighbours of the grid, by name.

    So the conditions say, whatever the data hold: no rank then tells a value of the grid from most
    others.
    """
    for aggregate, recipe in zip(asked.query.aggregates, asked.recipes, strict=True):
        measure = asked.measures[recipe[0]]
        if measure.kind != "ranks":
            continue
        try:
            rows = row_types([asked], [(0, recipe[0])])
        except TooLarge:
            continue
        missing = () if measure.fill is None else (measure.fill, measure.fill)
        options = {option for row in rows.types if row.active for option in row.options[0]}
        ends = [end for option in options for end in (missing if option is None else option)]
        if not ends or (min(ends) == max(ends) and min(ends) in measure.grid):
            continue
        if not any(min(ends) < value < max(ends) for value in measure.grid):
            yield aggregate.name
