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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise, product
from math import prod
from typing import cast

from twoworlds.errors import TooLarge
from twoworlds.release.policy.model import Column
from twoworlds.release.query.conditions import All, Condition, Missing, Not, columns_of
from twoworlds.release.query.model import GroupAxis
from twoworlds.release.query.resolve import Resolved, SummedMeasure
from twoworlds.release.sensitivity.domain import (
    DomainPiece,
    Label,
    Place,
    Rule,
    comparisons,
    compiled,
    constants,
    holds,
    labels,
    pieces,
    place,
    rule,
    span,
)

MOST_TYPES = 1 << 14
Index = tuple[int, int]  # query, measure
Cell = tuple[Label, ...]
Option = tuple[int, int] | None  # v from .. to .., or missing
MOST_TESTS = 1 << 20  # of a comparison at a place: about a second
_MANY_KEYS = 200


@dataclass(frozen=True)
class ColumnState:
    """What can be seen of one column.

    Attributes:
        truths: Of each rule on it.
        groups: On each axis along it; None when the row is in no group.
        options: The values that are possible.
    """

    truths: tuple[bool, ...]
    groups: tuple[Label, ...]
    options: frozenset[Option]


@dataclass
class Uses:
    """What a batch does with one column: rules, axes (each once) and measures."""

    column: Column
    rules: list[Rule] = field(default_factory=list)
    axes: list[GroupAxis] = field(default_factory=list)
    measures: list[SummedMeasure] = field(default_factory=list)

    def states(self) -> list[ColumnState]:
        """Return the states, interchangeable ones twice at most."""
        found: dict[tuple[tuple[bool, ...], tuple[Label, ...]], set[Option]] = {}
        keys = [self._keys(axis) for axis in self.axes]
        kind = self.column.kind
        cut = pieces(kind, self._places(keys))
        self._check_work(len(cut) * sum(map(comparisons, self.rules)))
        tests = [holds(rule) for rule in self.rules]
        for piece in cut:
            truths = tuple(test(piece) for test in tests)
            options = self._options(piece)
            reached = (labels(a, k, kind, piece) for a, k in zip(self.axes, keys, strict=True))
            for groups in product(*reached):
                found.setdefault((truths, groups), set()).update(options)
        made = (ColumnState(t, g, frozenset(options)) for (t, g), options in found.items())
        return _two_of_each(made, len(self.axes))

    def _check_work(self, tests: int) -> None:
        if tests > MOST_TESTS:
            raise TooLarge(
                f"the conditions on {self.column.name!r} would be tried {tests:,} times, more than "
                f"{MOST_TESTS:,}: compare it with fewer constants, or list values with IN"
            )

    def _keys(self, axis: GroupAxis) -> Mapping[Place, None]:
        """Return the keys of an axis, in order and quick to look up."""
        if self.column.kind == "date":
            return dict.fromkeys(map(place, axis.keys))
        return cast("Mapping[Place, None]", dict.fromkeys(axis.keys))

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


@dataclass(frozen=True)
class RowType:
    """How a row enters: its cell in each query, the measures, the options of each value column."""

    cells: tuple[Cell | None, ...]
    active: frozenset[Index]
    options: tuple[frozenset[Option], ...]

    def only(self, wanted: frozenset[Index], columns: Sequence[frozenset[Index]]) -> RowType:
        """Forget all that some measures do not see."""
        active = self.active & wanted
        queries = {q for q, _ in active}
        cells = tuple(c if q in queries else None for q, c in enumerate(self.cells))
        return RowType(
            cells,
            active,
            tuple(
                options if active & on else frozenset()
                for options, on in zip(self.options, columns, strict=True)
            ),
        )


@dataclass(frozen=True)
class Rows:
    """The row types of a batch, and which measures look at which column of values."""

    types: tuple[RowType, ...]  # in an order that is always the same
    columns: tuple[frozenset[Index], ...]
    measures: Mapping[Index, SummedMeasure]

    @staticmethod
    def of(batch: Sequence[Resolved], wanted: Iterable[Index]) -> Rows:
        """Find the row types, as far as these measures see them."""
        return _Combining(batch, frozenset(wanted)).rows()

    def only(self, wanted: Iterable[Index]) -> list[RowType]:
        """Return the different types that some of the measures see."""
        kept = frozenset(wanted)
        return list(dict.fromkeys(t.only(kept, self.columns) for t in self.types))


Row = Mapping[str, ColumnState]
Test = Callable[[Row], bool]


class _Combining:
    """The states of all columns, combined."""

    def __init__(self, batch: Sequence[Resolved], wanted: frozenset[Index]) -> None:
        self.batch, self.wanted = batch, sorted(wanted)
        self.uses: dict[str, Uses] = {}
        self.places: dict[tuple[str, Rule], int] = {}  # of a rule among those on its column
        self.conditions: dict[int, Test] = {}
        self.filters: dict[Index, Test] = {}
        self.axes: dict[int, list[tuple[str, int]]] = {}  # column, place among its axes
        for q in sorted({q for q, _ in wanted}):
            self.conditions[q] = self._test(q, batch[q].query.condition)
            self.axes[q] = [self._axis(q, axis) for axis in batch[q].axes]
        for index in self.wanted:
            measure = self._measure(index)
            self.filters[index] = self._test(index[0], measure.where)
            if measure.column is not None:
                self._of(index[0], measure.column).measures.append(measure)

    def _measure(self, index: Index) -> SummedMeasure:
        return self.batch[index[0]].measures[index[1]]

    def _of(self, query: int, column: str) -> Uses:
        if column not in self.uses:
            self.uses[column] = Uses(self.batch[query].dataset.column(column))
        return self.uses[column]

    def _axis(self, query: int, axis: GroupAxis) -> tuple[str, int]:
        known = self._of(query, axis.column).axes
        if axis not in known:
            known.append(axis)
        return axis.column, known.index(axis)

    def _test(self, query: int, condition: Condition | None) -> Test:
        def atom(part: Rule) -> Test:
            name = str(part.column)
            known = self._of(query, name).rules
            place = self.places.setdefault((name, part), len(known))
            if place == len(known):
                known.append(part)
            return lambda row: row[name].truths[place]

        return compiled(rule(condition), atom)

    def rows(self) -> Rows:
        states = {name: uses.states() for name, uses in self.uses.items()}
        count = prod(map(len, states.values()))
        if count > MOST_TYPES:
            raise TooLarge(
                f"conditions and groups make {count:,} kinds of rows, more than {MOST_TYPES:,}: "
                "look at fewer columns in one query"
            )
        tests = count * (len(self.conditions) + len(self.filters))
        if tests > MOST_TESTS:
            raise TooLarge(
                f"{len(self.filters):,} measures of {count:,} kinds of rows make {tests:,} tests, "
                f"more than {MOST_TESTS:,}: ask for fewer at a time, or with fewer conditions"
            )
        valued = [name for name, uses in self.uses.items() if uses.measures]
        on = tuple(
            frozenset(i for i in self.wanted if self._measure(i).column == name) for name in valued
        )
        found: dict[RowType, None] = {}
        for combination in product(*states.values()):
            row = dict(zip(states, combination, strict=True))
            cells, active = self._entered(row)
            full = RowType(cells, active, tuple(row[name].options for name in valued))
            found[full.only(active, on)] = None
        return Rows(tuple(found), on, {index: self._measure(index) for index in self.wanted})

    def _entered(self, row: Row) -> tuple[tuple[Cell | None, ...], frozenset[Index]]:
        """Return the cell in each query, and the measures that count the row."""
        cells: list[Cell | None] = [None] * len(self.batch)
        for q, condition in self.conditions.items():
            cell = tuple(row[column].groups[place] for column, place in self.axes[q])
            if None not in cell and condition(row):
                cells[q] = cell
        active = (i for i, kept in self.filters.items() if cells[i[0]] is not None and kept(row))
        return tuple(cells), frozenset(active)


def reachable(asked: Resolved, measure: SummedMeasure) -> set[tuple[int, ...]]:
    """Return the declared cells in which a row that a measure counts can be.

    The row must meet the conditions of the query and of the measure, and have a value where one is
    needed. Values of a column with the same truths of these conditions are taken together; every
    combination of truths that meets them allows the groups of these values. Discovered keys are
    no part of a cell here.
    """
    axes = {axis.column: axis for axis in asked.axes if not axis.discover}
    wanted = [part for part in (asked.query.condition, measure.where) if part is not None]
    if not wanted and measure.column not in axes:
        return {*product(*(range(axis.size) for axis in axes.values()))}
    if measure.column is not None and measure.fill is None:
        wanted.append(Not(Missing(measure.column)))
    condition = All(tuple(wanted)) if wanted else None
    rules: dict[str, list[Rule]] = {name: [] for name in columns_of(condition)}

    def atom(part: Rule) -> Callable[[Mapping[str, tuple[bool, ...]]], bool]:
        name, number = str(part.column), len(rules[str(part.column)])
        rules[name].append(part)
        return lambda truths: truths[name][number]

    met = compiled(rule(condition), atom)
    groups = {name: _by_truths(asked, name, of, axes.get(name)) for name, of in rules.items()}
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
    asked: Resolved, name: str, of: Sequence[Rule], axis: GroupAxis | None
) -> dict[tuple[bool, ...], set[int]]:
    """Return the declared groups along a column, by the truths of rules on it."""
    kind, tests = asked.dataset.column(name).kind, [holds(part) for part in of]
    keys = [] if axis is None else [*map(place, axis.keys)]
    edges = () if axis is None else axis.bins
    numbers: dict[Label, int] = {(g,): i for i, g in enumerate(keys or range(len(edges) - 1))}
    known, found = frozenset(keys), dict[tuple[bool, ...], set[int]]()
    for piece in pieces(kind, [*(p for part in of for p in constants(part)), *keys, *edges]):
        reached = found.setdefault(tuple(test(piece) for test in tests), set())
        if axis is not None:
            [group] = labels(axis, known, kind, piece)
            reached.update(() if group is None else (numbers.get(group, axis.size - 1),))
    return found
