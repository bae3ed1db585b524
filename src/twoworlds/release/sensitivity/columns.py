r"""States of a column: what the conditions and the groups of a batch can see of it, and its values.

A state is a class of spots with the same truth of every rule and the same group on every axis. Its
*options* are what a measure can see besides: that the value is missing, or an interval of whole
units in which every clamp and the sign of v - center stay the same.

Keys that nothing but the cell tells apart are interchangeable, and two of them are kept. Why two
are enough: let each group of an axis that just one set of states has be called its own. Two such
sets of states with the same rules, options and shared groups can be exchanged for each other, and a
pair of rows looks at two of them at most: at one twice, or at two different ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise, product
from typing import cast

from twoworlds.errors import TooLarge
from twoworlds.release.policy.model import Column
from twoworlds.release.query.measures import Axis, Measure
from twoworlds.release.sensitivity.rules import Rule
from twoworlds.release.sensitivity.spots import (
    Label,
    Place,
    Spot,
    comparisons,
    constants,
    holds,
    labels,
    place,
    span,
    spots,
)

__all__ = ["Option", "State", "Uses"]

Option = tuple[int, int] | None  # v from .. to .., or missing
MOST_TESTS = 1 << 20  # of a comparison at a place: about a second
_MANY_KEYS = 200


@dataclass(frozen=True)
class State:
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
    axes: list[Axis] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)

    def states(self) -> list[State]:
        """Return the states, interchangeable ones twice at most."""
        found: dict[tuple[tuple[bool, ...], tuple[Label, ...]], set[Option]] = {}
        keys = [self._keys(axis) for axis in self.axes]
        kind = self.column.kind
        cut = spots(kind, self._places(keys))
        self._check_work(len(cut) * sum(map(comparisons, self.rules)))
        tests = [holds(rule) for rule in self.rules]
        for spot in cut:
            truths = tuple(test(spot) for test in tests)
            options = self._options(spot)
            reached = (labels(a, k, kind, spot) for a, k in zip(self.axes, keys, strict=True))
            for groups in product(*reached):
                found.setdefault((truths, groups), set()).update(options)
        made = (State(t, g, frozenset(options)) for (t, g), options in found.items())
        return _two_of_each(made, len(self.axes))

    def _check_work(self, tests: int) -> None:
        if tests > MOST_TESTS:
            raise TooLarge(
                f"the conditions on {self.column.name!r} would be tried {tests:,} times, more than "
                f"{MOST_TESTS:,}: compare it with fewer constants, or list values with IN"
            )

    def _keys(self, axis: Axis) -> Mapping[Place, None]:
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

    def _clamps(self) -> list[Measure]:
        return [m for m in self.measures if m.kind in ("total", "squares", "ranks")]

    def _options(self, spot: Spot) -> Iterable[Option]:
        """Cut the values of a spot at bounds and centers."""
        if not self.measures:
            return ()
        if spot.kind == "missing":
            return (None,)
        measures = self._clamps()
        if not measures:
            return ((0, 0),)
        least, most = min(m.low for m in measures), max(m.high for m in measures)
        low, high = span(self.column.kind, self.column.unit, spot)
        first = least if low is None else min(max(low, least), most)
        last = most if high is None else min(max(high, least), most)
        bends = {b for m in measures for b in (m.low, m.high, m.center) if m.kind != "ranks"}
        cuts = sorted({first, last, *(b for b in bends if first < b < last)})
        return list(pairwise(cuts)) or ((first, first),)


def _two_of_each(states: Iterable[State], axes: int) -> list[State]:
    """Keep two of each sort of interchangeable groups."""
    by_groups: dict[tuple[Label, ...], list[State]] = {}
    for state in states:
        by_groups.setdefault(state.groups, []).append(state)
    often = [Counter(g[i] for g in by_groups) for i in range(axes)]
    seen: Counter[object] = Counter()
    kept: list[State] = []
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
