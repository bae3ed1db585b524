"""The same two questions when the simulator may be chosen: the best one, and the proof that it is.

`BestSimulator` asks `optimal` (a linear program) for the simulator of least delta, or of least
ratio, and then measures that simulator like any other: the witness is its worst event, beside the
tests that no simulator withstands better. `BestConclusions` does the same for the inference-based
definitions, by `inference_optimal`, and `MixedConclusions` for classes that hold all mixtures of
their beliefs, for a given simulator or the best one, by `mixing`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic, TypeVar

from twoworlds.definitions.coupled._program import BITS, scene_program, simplest
from twoworlds.definitions.coupled.inference_optimal import InferenceOptimum, inference_optimum
from twoworlds.definitions.coupled.measures import ByConclusions, ByEvents, Found, real_and_ideal
from twoworlds.definitions.coupled.mixing import tables, worst_mixture
from twoworlds.definitions.coupled.optimal import OfSimulator, Optimum, limit, optimal
from twoworlds.definitions.coupled.original import ButForRare
from twoworlds.definitions.coupled.posteriors import against_simulator
from twoworlds.definitions.coupled.scene import Scene, Simulator
from twoworlds.definitions.coupled.scene import scene as scene_of
from twoworlds.definitions.coupled.smallest import smallest_ratio
from twoworlds.definitions.verdict import Proof
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import INFINITY, Number, Real, bounds, rational, rough_log, show
from twoworlds.worlds.joint import Joint

_METHOD = (
    "a linear program over all simulators, solved exactly; the tests of its proof show that no "
    "simulator does better"
)
_METHOD_NEAR = (
    "a linear program over all simulators, solved in floats; the simulator and the tests that it "
    "gives are added up by fractions, and prove both ends"
)
_METHOD_AT_INFINITY = (
    "linear programs over all simulators, solved exactly: how often outputs must be named that are "
    "impossible, and which others can be named besides"
)
_METHOD_OF_CONCLUSIONS = (
    "linear programs over all simulators, output by output; their tests show that no simulator "
    "does better than the lower end"
)
_METHOD_OF_MIXTURES = (
    "mixtures of two beliefs are the worst for each output; simplices of mixtures are halved until "
    "the largest delta of a mixture and what no mixture exceeds are near"
)
_LEFT_OUT = "are left out: this is counted to both ends of delta"
_LARGEST_RATIO = 1 << 16
_STEPS, _ROUNDS, _RATIO_BITS = 32, 3, 128
_NEAR, _ASIDE = Fraction(1, 1 << 16), Fraction(1, 32)


@dataclass(frozen=True)
class BestWitness:
    """The worst event of the best simulator, and why every other simulator is no better."""

    worst: Proof
    best: OfSimulator
    simulator: Simulator

    def verify(self) -> bool:
        """Recompute both."""
        return self.worst.verify() and self.best.verify()

    def explain(self) -> str:
        """Say both."""
        return f"{self.worst.explain()}; {self.best.why}"

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the facts of both."""
        yield from self.worst.facts()
        yield "no better", self.best.why
        yield from self.best.tested()

    def to_dict(self) -> dict[str, Any]:
        """Return both, and the simulator, as plain data."""
        return {
            **self.worst.to_dict(),
            "proof": self.best.proof(),
            "simulator": self.simulator.to_dict(self.best.scene),
        }


Ended = TypeVar("Ended", Optimum, InferenceOptimum, "MixedOptimum")


class ByEnds(ABC, Generic[Ended]):
    """A measure that knows delta at a ratio between two proven ends."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    @abstractmethod
    def _optimum(self, ratio: Number) -> Ended:
        """Return the ends of delta at a ratio."""

    @abstractmethod
    def _found(
        self, ratio: Number, delta: Number, best: Ended, proof: Ended, notes: tuple[str, ...]
    ) -> Found:
        """Answer with what holds at one ratio, and why less does not, at the same or a smaller."""

    def at_ratio(self, ratio: Number) -> Found:
        """Return the least delta over all simulators, or an enclosure of it."""
        best = self._optimum(ratio)
        notes: tuple[str, ...] = ()
        if not best.exact and getattr(best, "near", True):  # else the enclosure is refined
            low, high = show(best.lower, side="down"), show(best.upper, side="up")
            notes = (f"delta is only known to lie between {low} and {high}",)
        return self._found(ratio, best.delta, best, best, notes)

    def at_delta(self, delta: Number) -> Found:
        """Return an enclosure of the least ratio over all simulators.

        The least delta falls with the ratio: a ratio at which no simulator keeps within delta is
        too small, one at which some simulator does is large enough. The two are brought together
        by lines between the last two, in the logarithm of delta, tried now above and now below
        where they meet what is allowed.
        """
        allowed = rational(delta, "delta")
        low, high = Fraction(1), Fraction(1)
        best = proof = self._optimum(high)
        while best.upper > allowed:
            if high >= _LARGEST_RATIO:
                raise Unsupported(
                    f"no ratio up to {high} was found to bring delta down to {show(allowed)}: give "
                    "ratio= or epsilon=, or a larger delta"
                )
            if best.lower > allowed:
                low, proof = high, best
            high = max(Fraction(2), high**2)
            best = self._optimum(high)
        for turn in range(_STEPS):
            width = high - low
            if width <= _NEAR * low:
                break
            share = _share(proof.lower, allowed, best.upper) + (-_ASIDE if turn % 2 else _ASIDE)
            share = Fraction(1, 2) if turn % 8 == 7 else min(max(share, _ASIDE), 1 - _ASIDE)
            middle = simplest(
                low + (share - _ASIDE / 2) * width, low + (share + _ASIDE / 2) * width
            )
            found = self._optimum(middle)
            if found.upper <= allowed:
                high, best = middle, found
            elif found.lower > allowed:
                low, proof = middle, found
            else:
                break
        ratio: Number = high if high == 1 else Real.between(low, high)
        notes = () if high == 1 else (_between(low, high),)
        return self._found(ratio, allowed, best, proof, notes)


class BestSimulator(ByEnds[Optimum]):
    """Coupled worlds with the best simulator."""

    def at_ratio(self, ratio: Number) -> Found:
        """Return the least delta over all simulators; at ratio infinity, what stays of it."""
        if ratio != INFINITY:
            return super().at_ratio(ratio)
        left = limit(self.scene)
        worst = self._worst(left.simulator).at_ratio(ratio)
        reached = None if left.attained else left.reached
        return _beside(left, worst, ratio, left.delta, _METHOD_AT_INFINITY, reached=reached)

    def at_delta(self, delta: Number) -> Found:
        """Return the least ratio over all simulators."""
        if delta != 0 and (self.scene.lost or not scene_program(self.scene, BITS).exact):
            return super().at_delta(delta)
        best = smallest_ratio(self.scene, delta)
        if best.ratio == INFINITY:
            return self.at_ratio(INFINITY)
        worst = self._worst(best.simulator).at_delta(delta)
        return _beside(best, worst, best.ratio, delta, _METHOD)

    def _optimum(self, ratio: Number) -> Optimum:
        return optimal(self.scene, ratio)

    def _found(
        self, ratio: Number, delta: Number, best: Optimum, proof: Optimum, notes: tuple[str, ...]
    ) -> Found:
        worst = self._worst(best.simulator).at_ratio(best.ratio)
        if lost := self.scene.lost:
            far = f"tables far from what is expected, of probability {show(lost, side='up')} in all"
            return _beside(proof, worst, ratio, delta, _METHOD, (*notes, f"{far}, {_LEFT_OUT}"))
        return _beside(proof, worst, ratio, delta, _METHOD_NEAR if best.near else _METHOD, notes)

    def _worst(self, simulator: Simulator) -> ByEvents:
        return ByEvents(self.scene, real_and_ideal(self.scene, simulator), simulator)


def _beside(
    best: OfSimulator,
    worst: Found,
    ratio: Number,
    delta: Number,
    method: str,
    notes: tuple[str, ...] = (),
    reached: Number | None = None,
) -> Found:
    """Put the proof that no simulator does better beside the worst event of one."""
    assert worst.witness is not None
    assert worst.simulator is not None
    witness = BestWitness(worst.witness, best, worst.simulator)
    return Found(ratio, delta, witness, method, notes, worst.simulator, reached)


class BestConclusions(ByEnds[InferenceOptimum]):
    """The same with the best simulator."""

    def _optimum(self, ratio: Number) -> InferenceOptimum:
        return inference_optimum(self.scene, ratio)

    def _found(
        self,
        ratio: Number,
        delta: Number,
        best: InferenceOptimum,
        proof: InferenceOptimum,
        notes: tuple[str, ...],
    ) -> Found:
        groups = against_simulator(self.scene, best.simulator)
        shown = ByConclusions(self.scene, groups, best.simulator).at_ratio(best.ratio)
        assert shown.witness is not None
        witness = BestWitness(shown.witness, proof, best.simulator)
        return replace(
            shown,
            ratio=ratio,
            delta=delta,
            witness=witness,
            method=_METHOD_OF_CONCLUSIONS,
            notes=(*notes, *shown.notes),
        )


@dataclass(frozen=True)
class MixedOptimum:
    """The largest delta of all mixtures of beliefs, for one simulator or the best one.

    Attributes:
        ratio: a = e^epsilon.
        lower: some mixture has no less (with the best simulator: none does with any simulator).
        upper: no mixture has more.
        simulator: the one for which ``upper`` holds.
        worst: the scene of the worst mixture found.
        best: why no simulator does better, where it was chosen.
    """

    ratio: Number
    lower: Fraction
    upper: Fraction
    simulator: Simulator
    worst: Scene
    best: InferenceOptimum | None

    @property
    def exact(self) -> bool:
        """Whether the ends meet."""
        return self.lower == self.upper

    @property
    def delta(self) -> Number:
        """The number itself, or an enclosure."""
        return self.upper if self.exact else Real.between(self.lower, self.upper)


class MixedConclusions(ByEnds[MixedOptimum]):
    """The same for all mixtures of the beliefs, with a given simulator or the best one."""

    def __init__(self, scene: Scene, simulator: Simulator | None = None) -> None:
        super().__init__(scene)
        self.simulator = simulator

    def _optimum(self, ratio: Number) -> MixedOptimum:
        if ratio == INFINITY:
            raise InvalidInput("ratio=infinity allows every inference: give a finite ratio")
        if self.simulator is not None:
            return self._largest(ratio, self.simulator, None)
        best: MixedOptimum | None = None
        scene = self.scene
        for _ in range(_ROUNDS):
            chosen = inference_optimum(scene, ratio)
            found = self._largest(ratio, chosen.simulator, chosen)
            if best is None or found.upper < best.upper:
                best = found
            best = replace(best, lower=chosen.lower, best=chosen)
            if best.lower == best.upper:
                break
            members = (*scene.beliefs.members, *found.worst.beliefs.members)
            scene = self._of(members)
        assert best is not None
        return best

    def _largest(
        self, ratio: Number, simulator: Simulator, best: InferenceOptimum | None
    ) -> MixedOptimum:
        low, high = bounds(ratio, _RATIO_BITS)
        worlds = tables(self.scene, simulator)
        lower, upper, weights = worst_mixture(worlds, max(low, Fraction(1)), high)
        members = self.scene.beliefs.members
        named = [
            (weight, member.name or f"belief {number}")
            for number, (member, weight) in enumerate(zip(members, weights, strict=True), 1)
            if weight
        ]
        shares = " and ".join(f"{show(weight)} of {name}" for weight, name in named)
        name = named[0][1] if len(named) == 1 else f"the mixture of {shares}"
        mixed = Joint.mixture(members, weights, name)
        return MixedOptimum(ratio, lower, upper, simulator, self._of((mixed,)), best)

    def _of(self, members: tuple[Joint, ...]) -> Scene:
        beliefs = replace(self.scene.beliefs, members=members)
        return scene_of(self.scene.release, beliefs, self.scene.scrubs)

    def _found(
        self,
        ratio: Number,
        delta: Number,
        best: MixedOptimum,
        proof: MixedOptimum,
        notes: tuple[str, ...],
    ) -> Found:
        groups = against_simulator(proof.worst, proof.simulator)
        shown = ByConclusions(proof.worst, groups, proof.simulator).at_ratio(proof.ratio)
        witness = shown.witness
        assert witness is not None
        if proof.best is not None:
            witness = BestWitness(witness, proof.best, best.simulator)
        (mixture,) = proof.worst.beliefs
        return replace(
            shown,
            ratio=ratio,
            delta=delta,
            witness=witness,
            method=_METHOD_OF_MIXTURES,
            notes=(*notes, f"the worst belief found is {mixture.name}", *shown.notes),
            simulator=best.simulator,
        )


Measure = ByEvents | ByConclusions | BestSimulator | BestConclusions | MixedConclusions | ButForRare
"""What can be asked for the smallest delta at a ratio, and for the smallest ratio at a delta."""


def _share(first: Fraction, goal: Fraction, last: Fraction) -> Fraction:
    """Return how far along a line from one logarithm to another the goal is met, or one half."""
    if not first > goal > last > 0:
        return Fraction(1, 2)
    start, end = rough_log(first), rough_log(last)
    return Fraction((start - rough_log(goal)) / (start - end)).limit_denominator(1 << 20)


def _between(low: Fraction, high: Fraction) -> str:
    return (
        f"the smallest ratio is only known to lie between {show(low, side='down')} and "
        f"{show(high, side='up')}: at the first no simulator suffices, at the second one does"
    )
