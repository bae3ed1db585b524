"""Two worlds as two laws of the output, and the worst pair among many.

Coupled worlds (Bassily, Groce, Katz & Smith, Definitions 3 and 5), noiseless privacy (Definition 6)
and Pufferfish (Definition 7) all ask that certain pairs of laws are (epsilon, delta)-
indistinguishable (Definition 1): P(E) <= a Q(E) + delta and Q(E) <= a P(E) + delta for all events
E. They differ in the pairs, which are conditional laws given what the attacker knows (z):

    real_and_ideal   F(X) and Sim(alt(X)), both given priv(X) = v
    two_values       F(X) given priv(X) = v and given priv(X) = w

Only v, w of positive probability given z are compared: nothing follows from what is impossible.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from twoworlds.definitions.coupled.scene import Cell, Law, Scene
from twoworlds.definitions.coupled.simulator import Simulator
from twoworlds.laws.comparison import Each, Table
from twoworlds.laws.event import Event, Listed
from twoworlds.numbers import INFINITY, Number, ratio_at_least_one

__all__ = ["Closest", "TwoWorlds", "Worst", "real_and_ideal", "two_values", "worst"]


@dataclass(frozen=True)
class TwoWorlds:
    """Two laws of the output that should be close, and what they are conditioned on.

    Attributes:
        cell: belief, pair (alt, priv) and side information.
        values: the private value of both worlds, or one of each.
        first: the law of the release, under the first value where there are two.
        second: the law of the simulation, or of the release under the second value.
    """

    cell: Cell
    values: tuple[Hashable, ...]
    first: Law
    second: Law


@dataclass(frozen=True)
class Worst:
    """The largest distance between two worlds.

    Attributes:
        delta: P(E) - ratio Q(E) for the event.
        ratio: the ratio meant.
        worlds: the pair that attains it.
        swapped: whether P is the second law of the pair (the ideal world, or the other value).
        event: the outputs of E, possibly none.
    """

    delta: Number
    ratio: Number
    worlds: TwoWorlds
    swapped: bool
    event: tuple[Hashable, ...]

    @property
    def cell(self) -> Cell:
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


def worst(scene: Scene, simulator: Simulator, ratio: object) -> Worst:
    """Return how far a simulator misses at a ratio: the smallest delta of Definition 5.

    delta(a) = max over beliefs, pairs, z, v of max(H_a(P || Q), H_a(Q || P))
    with P = F(X), Q = Sim(alt(X)) given v and z, and H_a(P || Q) = sum_t max(0, P(t) - a Q(t)).

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.definitions.coupled.simulator import canonical
    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.joint import BeliefClass, Joint
    >>> from twoworlds.worlds.scrubbing import persons
    >>> from twoworlds.worlds.records import BitStrings
    >>> fair = BeliefClass((Joint.of(uniform(BitStrings(3))),), "the bits are fair")
    >>> found = scene(sum, fair, persons(3))
    >>> worst(found, canonical(found.release), "3/2").delta
    Fraction(3, 8)
    """
    return Closest(real_and_ideal(scene, simulator)).gap(ratio_at_least_one(ratio))


class Closest:
    """Many pairs of worlds, compared both ways round."""

    def __init__(self, pairs: Iterable[TwoWorlds]) -> None:
        """Take the pairs; equal laws need no comparison, but count."""
        self.pairs = tuple(pairs)
        ways = ((pair, swapped) for pair in self.pairs for swapped in (False, True))
        self._each = Each(_tables(ways), "every pair of worlds, both ways") if self.pairs else None

    @property
    def method(self) -> str:
        """Why nothing worse was missed."""
        if self._each is None:
            return "no two worlds are possible together, so that there is nothing to compare"
        return self._each.method

    def gap(self, ratio: Number) -> Worst:
        """Return the largest gap at a ratio."""
        assert self._each is not None
        table, gap = self._each.gap(ratio)
        return _found(table, gap.delta, ratio, gap.event)

    def peak(self) -> Worst:
        """Return the smallest ratio with delta 0; where it is infinite, delta is what stays."""
        assert self._each is not None
        table, peak = self._each.peak()
        if peak.ratio == INFINITY:
            return self.gap(INFINITY)
        return _found(table, Fraction(0), peak.ratio, peak.event)

    def ratio_for(self, delta: Number) -> Worst:
        """Return the smallest ratio with a delta; where there is none, what stays of delta."""
        assert self._each is not None
        if delta == 0:
            return self.peak()
        table, ratio = self._each.ratio_for(delta)
        if ratio == INFINITY:
            return self.gap(INFINITY)
        return _found(table, delta, ratio, table.gap(ratio).event)


def _tables(ways: Iterable[tuple[TwoWorlds, bool]]) -> Iterator[Table]:
    for pair, swapped in ways:
        p, q = (pair.second, pair.first) if swapped else (pair.first, pair.second)
        outputs = tuple(dict.fromkeys([*p, *q]))
        nothing: Number = Fraction(0)
        yield Table(
            pair,
            swapped,
            [p.get(t, nothing) for t in outputs],
            [q.get(t, nothing) for t in outputs],
            _listing(outputs),
        )


def _listing(outputs: tuple[Hashable, ...]) -> Callable[[Sequence[int]], Event]:
    return lambda cells: Listed.of(outputs[i] for i in cells)


def _found(table: object, delta: Number, ratio: Number, event: object) -> Worst:
    assert isinstance(table, Table)
    assert isinstance(event, Listed)
    outputs = dict.fromkeys([*table.x.first, *table.x.second])
    return Worst(delta, ratio, table.x, table.y, tuple(t for t in outputs if event.holds(t)))


def _given(law: Law, mass: Number) -> dict[Hashable, Number]:
    return {t: p / mass for t, p in law.items() if p != 0}
