"""Two questions to a scene: the smallest delta at a ratio, the smallest ratio at a delta.

A `Measure` answers both with a `Found`: the two numbers and the witness that no smaller one holds.
`ByEvents` compares laws of the output (Definitions 3, 5, 6 and 7 of Bassily, Groce, Katz & Smith),
`ByConclusions` what is concluded from it (Definitions 2, 4 and 8). Both are for a given simulator,
or none; the measures that look for the best simulator are in `best`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from twoworlds.definitions.coupled.compare import Closest, TwoWorlds, Worst
from twoworlds.definitions.coupled.posteriors import (
    Alarm,
    Case,
    Conclusion,
    least_delta,
    least_ratio,
)
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.definitions.coupled.simulator import Simulator
from twoworlds.definitions.coupled.witness import PosteriorWitness, event_witness
from twoworlds.definitions.verdict import Proof
from twoworlds.numbers import INFINITY, Number, Order, at_most_one, bounds, compare, maximum

__all__ = ["NOTHING_LEFT", "ByConclusions", "ByEvents", "Found", "Measure", "nothing_left"]

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
    alarm: Alarm | None = None


class Measure(Protocol):
    """What can be asked of a scene."""

    def at_ratio(self, ratio: Number) -> Found:
        """Return the smallest delta at a ratio."""

    def at_delta(self, delta: Number) -> Found:
        """Return the smallest ratio at a delta."""


class ByEvents:
    """The pairs of laws that a definition wants close."""

    def __init__(
        self, scene: Scene, pairs: Iterable[TwoWorlds], simulator: Simulator | None = None
    ) -> None:
        """Take the scene, its pairs, and the simulator that they come from."""
        self.scene, self.simulator = scene, simulator
        self.closest = Closest(pairs)

    def at_ratio(self, ratio: Number) -> Found:
        """Return the largest gap, and the event that attains it."""
        if not self.closest.pairs:
            return self._nothing()
        found = self.closest.gap(ratio)
        shown = self.closest.peak() if found.delta == 0 else found
        return self._found(ratio, found.delta, shown)

    def at_delta(self, delta: Number) -> Found:
        """Return the largest ratio that some pair needs."""
        if not self.closest.pairs:
            return self._nothing()
        found = self.closest.ratio_for(delta)
        return self._found(found.ratio, found.delta, found)

    def _found(self, ratio: Number, delta: Number, shown: Worst) -> Found:
        witness = event_witness(self.scene, shown, self.simulator)
        return Found(ratio, at_most_one(delta), witness, self.closest.method, (), self.simulator)

    def _nothing(self) -> Found:
        return Found(
            Fraction(1),
            Fraction(0),
            None,
            self.closest.method,
            (_VACUOUS,),
            self.simulator,
            nothing_left=True,
        )


_VACUOUS = (
    "nothing was compared: by these beliefs every private value is certain already, so that this "
    "definition promises nothing"
)
NOTHING_LEFT = (
    "nothing is left to conclude: by these beliefs every private value is certain already, so that "
    "this definition promises nothing, even of a release of everything"
)


def nothing_left(scene: Scene) -> bool:
    """Tell whether every private value is certain, whatever the attacker knows."""
    return all(len(cell.mass) == 1 for cell in scene.cells)


class ByConclusions:
    """The cases of every belief, as an inference-based definition counts them."""

    def __init__(
        self, scene: Scene, groups: list[list[Case]], simulator: Simulator | None = None
    ) -> None:
        """Take the scene, the cases by group, and the simulator that they come from."""
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
            (case, max(case.conclusions, key=lambda c: _rank(c.apart(ratio))))
            for case, d in zip(self.groups[best], values[best], strict=True)
            if compare(d, delta, limit=_BITS) is not Order.LESS
        ]
        return self._found(ratio, delta, bad, self._witness(bad, ratio, delta, of_ratio=False))

    def at_delta(self, delta: Number) -> Found:
        """Return the smallest ratio at which the cases further apart than delta are rare enough."""
        values = [[(c.chance, c.needs(delta)) for c in group] for group in self.groups]
        best, ratio = _worst([least_ratio(cases, delta) for cases in values])
        bad = [
            (case, max(case.conclusions, key=lambda c: _rank(c.needs(delta))))
            for case, (_, r) in zip(self.groups[best], values[best], strict=True)
            if compare(r, ratio, limit=_BITS) is not Order.LESS
        ]
        left = self._least(INFINITY)[1] if ratio == INFINITY else delta
        return self._found(ratio, left, bad, self._witness(bad, ratio, delta, of_ratio=True))

    def _least(self, ratio: Number) -> tuple[int, Number, list[list[Number]]]:
        """Return the worst group, its delta, and how far apart every case of every group lies."""
        values = [[case.apart(ratio) for case in group] for group in self.groups]
        deltas = [
            least_delta([(case.chance, d) for case, d in zip(group, apart, strict=True)])
            for group, apart in zip(self.groups, values, strict=True)
        ]
        return *_worst(deltas), values

    def _witness(
        self, bad: list[tuple[Case, Conclusion]], ratio: Number, delta: Number, *, of_ratio: bool
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
        bad: list[tuple[Case, Conclusion]],
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
