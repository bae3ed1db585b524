"""The same two questions when the simulator may be chosen: the best one, and the proof that it is.

`BestSimulator` asks `optimal` (a linear program) for the simulator of least delta, or of least
ratio, and then measures that simulator like any other: the witness is its worst event, beside the
tests that no simulator withstands better. `BestConclusions` does the same for the inference-based
definitions, by `inference_optimal`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from twoworlds.definitions.coupled.inference_optimal import InferenceOptimum, inference_optimum
from twoworlds.definitions.coupled.measures import ByConclusions, ByEvents, Found, real_and_ideal
from twoworlds.definitions.coupled.optimal import OfSimulator, limit, optimal
from twoworlds.definitions.coupled.original import ButForRare
from twoworlds.definitions.coupled.posteriors import against_simulator
from twoworlds.definitions.coupled.scene import Scene, Simulator
from twoworlds.definitions.coupled.smallest import smallest_ratio
from twoworlds.definitions.verdict import Proof
from twoworlds.errors import Unsupported
from twoworlds.numbers import INFINITY, Number, Real, rational, show

_METHOD = (
    "a linear program over all simulators, solved exactly; the tests of its proof show that no "
    "simulator does better"
)
_METHOD_AT_INFINITY = (
    "linear programs over all simulators, solved exactly: how often outputs must be named that are "
    "impossible, and which others can be named besides"
)
_METHOD_OF_CONCLUSIONS = (
    "linear programs over all simulators, output by output; their tests show that no simulator "
    "does better than the lower end"
)
_LARGEST_RATIO = 1 << 16
_STEPS = 16


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


class BestSimulator:
    """Coupled worlds with the best simulator."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def at_ratio(self, ratio: Number) -> Found:
        """Return the least delta over all simulators; at ratio infinity, what stays of it."""
        if ratio == INFINITY:
            left = limit(self.scene)
            reached = None if left.attained else left.reached
            worst = self._worst(left.simulator).at_ratio(ratio)
            return self._found(left, worst, ratio, left.delta, _METHOD_AT_INFINITY, reached)
        best = optimal(self.scene, ratio)
        worst = self._worst(best.simulator).at_ratio(ratio)
        return self._found(best, worst, ratio, best.delta)

    def at_delta(self, delta: Number) -> Found:
        """Return the least ratio over all simulators."""
        best = smallest_ratio(self.scene, delta)
        if best.ratio == INFINITY:
            return self.at_ratio(INFINITY)
        return self._found(best, self._worst(best.simulator).at_delta(delta), best.ratio, delta)

    def _worst(self, simulator: Simulator) -> ByEvents:
        return ByEvents(self.scene, real_and_ideal(self.scene, simulator), simulator)

    def _found(
        self,
        best: OfSimulator,
        worst: Found,
        ratio: Number,
        delta: Number,
        method: str = _METHOD,
        reached: Number | None = None,
    ) -> Found:
        assert worst.witness is not None
        witness = BestWitness(worst.witness, best, best.simulator)
        return Found(ratio, delta, witness, method, (), best.simulator, reached)


class BestConclusions:
    """Inference-based coupled worlds with the best simulator."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def at_ratio(self, ratio: Number) -> Found:
        """Return the least delta over all simulators, or an enclosure of it."""
        best = inference_optimum(self.scene, ratio)
        notes: tuple[str, ...] = ()
        if not best.exact:
            low, high = show(best.lower, side="down"), show(best.upper, side="up")
            notes = (f"delta is only known to lie between {low} and {high}",)
        return self._found(ratio, best.delta, best, best, notes)

    def at_delta(self, delta: Number) -> Found:
        """Return an enclosure of the least ratio over all simulators.

        The least delta falls with the ratio: a ratio at which no simulator keeps within delta is
        too small, one at which some simulator does is large enough. The two are brought together
        by halving.
        """
        allowed = rational(delta, "delta")
        low, high = Fraction(1), Fraction(1)
        best = proof = inference_optimum(self.scene, high)
        while best.upper > allowed:
            if high >= _LARGEST_RATIO:
                raise Unsupported(
                    f"no ratio up to {high} was found to bring delta down to {show(allowed)} for "
                    "any simulator: give ratio= or epsilon=, or a larger delta"
                )
            if best.lower > allowed:
                low, proof = high, best
            high = max(Fraction(2), high**2)
            best = inference_optimum(self.scene, high)
        for _ in range(_STEPS if high > 1 else 0):
            middle = ((low + high) / 2).limit_denominator(1 << 20)
            found = inference_optimum(self.scene, middle)
            if found.upper <= allowed:
                high, best = middle, found
            elif found.lower > allowed:
                low, proof = middle, found
            else:
                break
        ratio: Number = high if high == 1 else Real.between(low, high)
        notes = () if high == 1 else (_between(low, high),)
        return self._found(ratio, allowed, best, proof, notes)

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


Measure = ByEvents | ByConclusions | BestSimulator | BestConclusions | ButForRare
"""What can be asked for the smallest delta at a ratio, and for the smallest ratio at a delta."""


def _between(low: Fraction, high: Fraction) -> str:
    return (
        f"the smallest ratio is only known to lie between {show(low, side='down')} and "
        f"{show(high, side='up')}: at the first no simulator suffices, at the second one does"
    )
