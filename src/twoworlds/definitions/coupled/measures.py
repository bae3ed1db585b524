"""Two questions to a scene: the smallest delta at a ratio, the smallest ratio at a delta.

A `Measure` answers both with a `Found`: the two numbers and the witness that no smaller one holds.
`ByEvents` compares laws of the output (Definitions 3, 5, 6 and 7 of Bassily, Groce, Katz & Smith),
`ByConclusions` what is concluded from it (Definitions 2, 4 and 8). Both are for a given simulator,
or none; the measures that look for the best simulator are in `best`.

Two worlds as two laws of the output, and the worst pair among many.

Coupled worlds (Bassily, Groce, Katz & Smith, Definitions 3 and 5), noiseless privacy (Definition 6)
and Pufferfish (Definition 7) all ask that certain pairs of laws are (epsilon, delta)-
indistinguishable (Definition 1): P(E) <= a Q(E) + delta and Q(E) <= a P(E) + delta for all events
E. They differ in the pairs, which are conditional laws given what the attacker knows (z):

    real_and_ideal   F(X) and Sim(alt(X)), both given priv(X) = v
    two_values       F(X) given priv(X) = v and given priv(X) = w

Only v, w of positive probability given z are compared: nothing follows from what is impossible.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from twoworlds.definitions.coupled.posteriors import (
    AlarmKind,
    Conclusion,
    Outcome,
    largest,
    least_delta,
    least_ratio,
)
from twoworlds.definitions.coupled.scene import Law, Scene, Simulator, WorldPair
from twoworlds.definitions.coupled.witness import PosteriorWitness, event_witness
from twoworlds.definitions.verdict import Proof
from twoworlds.laws.comparison import Family, FiniteComparison, between
from twoworlds.laws.event import Listed
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    at_most_one,
    bounds,
    compare,
    maximum,
    ratio_at_least_one,
)


@dataclass(frozen=True)
class TwoWorlds:
    """Two laws of the output that should be close, and what they are conditioned on."""

    cell: WorldPair
    values: tuple[Hashable, ...]
    first: Law
    second: Law


@dataclass(frozen=True)
class WorstEvent:
    """The largest distance between two worlds."""

    delta: Number
    ratio: Number
    worlds: TwoWorlds
    swapped: bool
    event: tuple[Hashable, ...]

    @property
    def cell(self) -> WorldPair:
        """Where the pair comes from."""
        return self.worlds.cell


def real_and_ideal(scene: Scene, simulator: Simulator) -> Iterator[TwoWorlds]:
    """Yield the release and its simulation, for every private value that is possible given z."""
    laws = simulator.on(scene)
    for cell in scene.cells:
        simulated = cell.simulated(laws.__getitem__)
        for v, mass in cell.mass.items():
            yield TwoWorlds(cell, (v,), _given(cell.real[v], mass), _given(simulated[v], mass))


def two_values(scene: Scene, wanted: Iterable[Hashable] | None = None) -> Iterator[TwoWorlds]:
    """Yield the release under every two private values (of those wanted) possible given z."""
    chosen = None if wanted is None else set(wanted)
    for cell in scene.cells:
        possible = [v for v in cell.mass if chosen is None or v in chosen]
        laws = {v: _given(cell.real[v], cell.mass[v]) for v in possible}
        for v, w in combinations(possible, 2):
            yield TwoWorlds(cell, (v, w), laws[v], laws[w])


def worst(scene: Scene, simulator: Simulator, ratio: object) -> WorstEvent:
    """Return how far a simulator misses at a ratio: the smallest delta of Definition 5.

    delta(a) = max over beliefs, pairs, z, v of max(H_a(P || Q), H_a(Q || P))
    with P = F(X), Q = Sim(alt(X)) given v and z, and H_a(P || Q) = sum_t max(0, P(t) - a Q(t)).

    >>> from twoworlds.definitions.coupled.scene import canonical, scene
    >>> from twoworlds.worlds import BitStrings
    >>> from twoworlds.worlds.classes import belief_class
    >>> from twoworlds.worlds.scrubbing import persons
    >>> fair = belief_class("uniform", BitStrings(3))
    >>> found = scene(sum, fair, persons(3))
    >>> worst(found, canonical(found.release), "3/2").delta
    Fraction(3, 8)
    """
    return ByEvents(scene, real_and_ideal(scene, simulator)).gap(ratio_at_least_one(ratio))


def _tables(ways: Iterable[tuple[TwoWorlds, bool]]) -> Iterator[FiniteComparison]:
    for pair, swapped in ways:
        p, q = (pair.second, pair.first) if swapped else (pair.first, pair.second)
        yield between(p, q, pair, swapped)


def _worst_event(table: object, delta: Number, ratio: Number, event: object) -> WorstEvent:
    assert isinstance(table, FiniteComparison)
    assert isinstance(event, Listed)
    outputs = dict.fromkeys([*table.x.first, *table.x.second])
    return WorstEvent(delta, ratio, table.x, table.y, tuple(t for t in outputs if event.holds(t)))


def _given(law: Law, mass: Number) -> dict[Hashable, Number]:
    return {t: p / mass for t, p in law.items() if p != 0}


_BITS = 256


@dataclass(frozen=True)
class Found:
    """The answer of a measure.

    Attributes:
        ratio: the ratio.
        delta: what holds with it; at an infinite ratio, what stays.
        witness: why no smaller number holds; None where there is nothing to compare.
        method: why nothing worse was missed.
        notes: further facts.
        simulator: the simulator with which it holds, where there is one.
        reached: where delta is an infimum that no simulator attains, what the one shown has.
        nothing_left: whether everything private is certain by the beliefs, so that nothing is
            promised.
        alarm: at an infinite ratio, what the worst conclusions do.
    """

    ratio: Number
    delta: Number
    witness: Proof | None
    method: str
    notes: tuple[str, ...] = ()
    simulator: Simulator | None = None
    reached: Number | None = None
    nothing_left: bool = False
    alarm: AlarmKind | None = None


class ByEvents:
    """The pairs of laws that a definition wants close, compared both ways round."""

    def __init__(
        self, scene: Scene, pairs: Iterable[TwoWorlds], simulator: Simulator | None = None
    ) -> None:
        self.scene, self.simulator, listed = scene, simulator, tuple(pairs)
        ways = ((pair, swapped) for pair in listed for swapped in (False, True))
        self._each = Family(_tables(ways), "every pair of worlds, both ways") if listed else None

    def at_ratio(self, ratio: Number) -> Found:
        """Return the largest gap, and the event that attains it."""
        if self._each is None:
            return self._nothing()
        found = self.gap(ratio)
        return self._found(ratio, found.delta, self.peak() if found.delta == 0 else found)

    def at_delta(self, delta: Number) -> Found:
        """Return the largest ratio that some pair needs; where there is none, what stays."""
        if self._each is None:
            return self._nothing()
        if delta == 0:
            found = self.peak()
        else:
            table, ratio = self._each.ratio_for(delta)
            if ratio == INFINITY:
                found = self.gap(INFINITY)
            else:
                found = _worst_event(table, delta, ratio, table.gap(ratio).event)
        return self._found(found.ratio, found.delta, found)

    def gap(self, ratio: Number) -> WorstEvent:
        """Return the largest gap at a ratio."""
        assert self._each is not None
        table, gap = self._each.gap(ratio)
        return _worst_event(table, gap.delta, ratio, gap.event)

    def peak(self) -> WorstEvent:
        """Return the smallest ratio with delta 0; where it is infinite, delta is what stays."""
        assert self._each is not None
        table, peak = self._each.peak()
        if peak.ratio == INFINITY:
            return self.gap(INFINITY)
        return _worst_event(table, Fraction(0), peak.ratio, peak.event)

    def _found(self, ratio: Number, delta: Number, shown: WorstEvent) -> Found:
        assert self._each is not None
        witness = event_witness(self.scene, shown, self.simulator)
        return Found(ratio, at_most_one(delta), witness, self._each.method, (), self.simulator)

    def _nothing(self) -> Found:
        return Found(
            Fraction(1),
            Fraction(0),
            None,
            "no two worlds are possible together, so there is nothing to compare",
            (_VACUOUS,),
            self.simulator,
            nothing_left=True,
        )


_VACUOUS = (
    "nothing was compared: by these beliefs every private value is certain already, so this "
    "definition promises nothing"
)
NOTHING_LEFT = (
    "nothing is left to conclude: by these beliefs every private value is certain already, so this "
    "definition promises nothing, even of a release of everything"
)


def nothing_left(scene: Scene) -> bool:
    """Tell whether every private value is certain, whatever the attacker knows."""
    return all(len(cell.mass) == 1 for cell in scene.cells)


class ByConclusions:
    """The cases of every belief, as an inference-based definition counts them."""

    def __init__(
        self, scene: Scene, groups: list[list[Outcome]], simulator: Simulator | None = None
    ) -> None:
        self.scene, self.groups, self.simulator = scene, groups, simulator

    @property
    def method(self) -> str:
        """Why nothing worse was missed."""
        number = sum(len(group) for group in self.groups)
        return (
            "delta bounds both how far conclusions lie apart and how often they lie further; the "
            f"smallest such number is found among the distances of all {number} cases"
        )

    def at_ratio(self, ratio: Number) -> Found:
        """Return min_c max(c, P(d > c)) for the worst group."""
        best, delta, values = self._least(ratio)
        bad = [
            (case, max(case[1], key=lambda c: _rank(c.apart(ratio))))
            for case, d in zip(self.groups[best], values[best], strict=True)
            if compare(d, delta, limit=_BITS) is not Order.LESS
        ]
        return self._found(ratio, delta, bad, self._witness(bad, ratio, delta, of_ratio=False))

    def at_delta(self, delta: Number) -> Found:
        """Return the smallest ratio at which the cases further apart than delta are rare enough."""
        values = [
            [(chance, largest(c.needs(delta) for c in concluded)) for chance, concluded in group]
            for group in self.groups
        ]
        best, ratio = _worst([least_ratio(cases, delta) for cases in values])
        bad = [
            (case, max(case[1], key=lambda c: _rank(c.needs(delta))))
            for case, (_, r) in zip(self.groups[best], values[best], strict=True)
            if compare(r, ratio, limit=_BITS) is not Order.LESS
        ]
        left = self._least(INFINITY)[1] if ratio == INFINITY else delta
        return self._found(ratio, left, bad, self._witness(bad, ratio, delta, of_ratio=True))

    def _least(self, ratio: Number) -> tuple[int, Number, list[list[Number]]]:
        """Return the worst group, its delta, and how far apart every case of every group lies."""
        values = [
            [largest(c.apart(ratio) for c in concluded) for _, concluded in group]
            for group in self.groups
        ]
        deltas = [
            least_delta([(chance, d) for (chance, _), d in zip(group, apart, strict=True)])
            for group, apart in zip(self.groups, values, strict=True)
        ]
        return *_worst(deltas), values

    def _witness(
        self, bad: list[tuple[Outcome, Conclusion]], ratio: Number, delta: Number, *, of_ratio: bool
    ) -> PosteriorWitness:
        if ratio == INFINITY:
            far = sorted(bad, key=lambda one: one[1].alarm or 0, reverse=True)
        else:
            far = sorted(bad, key=lambda one: _rank(one[1].apart(ratio)), reverse=True)
        return PosteriorWitness.of(self.scene, far, ratio, delta, self.simulator, of_ratio=of_ratio)

    def _found(
        self,
        ratio: Number,
        delta: Number,
        bad: list[tuple[Outcome, Conclusion]],
        witness: PosteriorWitness,
    ) -> Found:
        alarms = [found.alarm for _, found in bad if found.alarm is not None]
        empty = nothing_left(self.scene)
        return Found(
            ratio,
            at_most_one(delta),
            witness,
            self.method,
            (NOTHING_LEFT,) if empty else (),
            self.simulator,
            nothing_left=empty,
            alarm=max(alarms, default=None),
        )


def _worst(numbers: list[Number]) -> tuple[int, Number]:
    """Return the position of the largest number, and it, or an enclosure of an undecided tie."""
    best, value = 0, numbers[0]
    for i, x in enumerate(numbers):
        order = compare(x, value, limit=_BITS)
        if order is Order.GREATER:
            best, value = i, x
        elif order is Order.UNDECIDED and i:
            value = maximum(value, x)
    return best, value


def _rank(x: Number) -> tuple[bool, Fraction]:
    return (True, Fraction(0)) if x == INFINITY else (False, bounds(x)[1])
