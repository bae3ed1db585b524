r"""The best simulator of a scene, with the proof that it is.

An `Optimum` brings a simulator, which shows that delta is possible (`upper`), and tests, which
show that less is not (`lower`). Where the two meet, delta is exact. The certificate in
`Optimum.to_dict` holds the tables, the simulator and the tests as fractions, for `_certificate` to
check again.

At ratio infinity: the least delta of all simulators, and whether any simulator has it.

There an output counts only if it is possible in one world and impossible in the other: a simulator
has the delta

    max over comparisons of   max ( P{t : Q(t) = 0},  Q{t : P(t) = 0} ).

Naming every output a little makes the first of the two 0 and the second hardly larger, so that the
infimum is L = min_s max Q{P = 0}, the limit of delta(a) as a grows (`Game.solve` without a ratio).
It need not be a minimum. Of the simulators with Q{P = 0} <= L take the one of largest support
(`Game.widest`): if it leaves P{Q = 0} above L, they all do, and L is approached, not attained.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Facts
from twoworlds.definitions.coupled._program import GivenValue, Laws, SceneProgram, comparisons
from twoworlds.definitions.coupled._proof import (
    Distinguisher,
    OptimalityProof,
    TestBound,
    layers,
    said,
    sound,
    written,
)
from twoworlds.definitions.coupled.scene import Scene, Simulator
from twoworlds.laws.comparison import apart, between
from twoworlds.numbers import INFINITY, Number, Order, compare, exact_text, show
from twoworlds.show import Result
from twoworlds.worlds.joint import plain_label

ZERO = Fraction(0)
_BITS = 256


class OfSimulator(Result):
    """A result about simulators: a sentence that begins small, facts, and the simulator itself."""

    scene: Scene
    simulator: Simulator

    @property
    def sentence(self) -> str:
        """What is reached, and why nothing better can be, as a clause."""
        raise NotImplementedError

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the sentence, then the tests that prove it."""
        raise NotImplementedError

    def verify(self) -> bool:
        """Evaluate simulator and tests again, from the scene alone."""
        raise NotImplementedError

    def answer(self) -> Answer:
        """Say the sentence, the tests, and the simulator."""
        said = f"{self.sentence[0].upper()}{self.sentence[1:]}."
        tests = Facts([fact for fact in self.facts() if fact[0] != "no better"])
        return Answer(
            said,
            subject=self.scene.release.name,
            blocks=(tests, *self.simulator.blocks(self.scene)),
            assumptions=(self.scene.beliefs.assumption,),
        )


@dataclass(frozen=True)
class Optimum(OfSimulator):
    """The least delta of all simulators at a ratio.

    Attributes:
        scene: the two worlds.
        ratio: a = e^epsilon.
        delta: the least delta: a fraction where it is exact, else an enclosure.
        simulator: one that attains it (up to the enclosure).
        proof: the tests that no simulator withstands better.
        lower: what the proof shows: no simulator has less.
        upper: what the simulator shows: it has no more.
        at: the rational ratio, at most the true one, at which ``upper`` is stated.
    """

    scene: Scene = field(repr=False)
    ratio: Number
    delta: Number
    simulator: Simulator
    proof: OptimalityProof
    lower: Fraction
    upper: Fraction
    at: Fraction
    laws: Laws = field(repr=False)

    @property
    def exact(self) -> bool:
        """Whether the proof and the simulator meet in one rational number."""
        return self.lower == self.upper

    def verify(self) -> bool:
        """Evaluate the simulator and the tests again, by fractions from the scene alone."""
        made = comparisons(self.scene, self.proof.bits)
        return (
            self.proof.scene is self.scene
            and self.proof.verify()
            and self.lower == self.proof.bound <= self.upper
            and laws_of(self.scene, self.simulator) == self.laws
            and attained(made, self.laws, self.at) == self.upper
            and self.at >= 1
            and encloses(self.at, self.ratio, self.proof.ratio)
            and encloses(self.lower, self.delta, self.upper)
        )

    @property
    def sentence(self) -> str:
        """What is reached, and why nothing better can be."""
        best = "" if self.exact else " or a little less"
        return (
            f"the best simulator keeps delta at {show(self.delta)}{best} at ratio "
            f"{show(self.ratio)}; {self.proof.sentence}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what is reached, then the tests."""
        yield "best", f"delta {show(self.delta)} at ratio {show(self.ratio)}"
        yield from self.proof.facts()

    def fields(self) -> dict[str, Any]:
        """Return everything; "certificate" is what `verify_optimum` reads."""
        return {
            "ratio": self.ratio,
            "delta": self.delta,
            "exact": self.exact,
            "simulator": self.simulator.to_dict(self.scene),
            "proof": self.proof,
            "certificate": self._certificate(),
        }

    def _certificate(self) -> dict[str, Any]:
        cells = self.scene.cells
        return {
            "lower": exact_text(self.lower),
            "lower_at_ratio": exact_text(self.proof.ratio),
            "upper": exact_text(self.upper),
            "upper_at_ratio": exact_text(self.at),
            "outputs": _distinct(map(plain_label, self.scene.outputs)),
            "inputs": _distinct(map(plain_label, self.scene.inputs)),
            "comparisons": [
                {
                    "belief": cells[made.cell].belief,
                    "whose": cells[made.cell].scrub.name,
                    "side": plain_label(cells[made.cell].side),
                    "private": plain_label(made.private),
                    "real": _written(made.real),
                    "ideal": _written(made.ideal),
                    "errors": [exact_text(error) for error in made.error],
                }
                for made in comparisons(self.scene, self.proof.bits)
            ],
            "simulator": [_written(law) for law in self.laws],
            "tests": [
                {
                    "comparison": test.comparison,
                    "favours": test.favours,
                    "event": list(test.event),
                    "weight": exact_text(test.weight),
                }
                for test in self.proof.distinguishers
            ],
        }


def attained(made: Sequence[GivenValue], laws: Laws, ratio: Fraction) -> Fraction:
    """Return the least delta of a simulator in all comparisons, both ways, errors added."""
    worst = ZERO
    for comparison in made:
        ideal = comparison.simulated(laws)
        off, shift = comparison.error
        worst = max(
            worst,
            _excess(comparison.real, ideal, ratio, off + ratio * shift),
            _excess(ideal, comparison.real, ratio, shift + ratio * off),
        )
    return min(Fraction(1), worst)


def _excess(
    law: Mapping[int, Fraction], over: Mapping[int, Fraction], ratio: Fraction, error: Fraction
) -> Fraction:
    """Return sum_t (P - a Q)_+ and the error, which counts unless P < a Q by more than it.

    No single difference is off by more than the error, and neither is the sum of any of them.
    """
    delta = between(law, over).gap(ratio).delta
    assert isinstance(delta, Fraction)
    near = error and any(p - ratio * over.get(t, ZERO) > -error for t, p in law.items())
    return delta + error if near else delta


def encloses(low: Fraction, x: Number, high: Fraction) -> bool:
    """Tell whether a number is known as these bounds say: a fraction only where they meet."""
    if isinstance(x, Fraction):
        return low == x == high
    ends = compare(low, x, limit=_BITS), compare(x, high, limit=_BITS)
    return Order.GREATER not in ends


def laws_of(scene: Scene, simulator: Simulator) -> Laws | None:
    """Return a simulator's laws by number; None where they are no rational laws of the outputs."""
    places = {t: number for number, t in enumerate(scene.outputs)}
    found: list[Mapping[int, Fraction]] = []
    for law in simulator.on(scene).values():
        if any(t not in places or not isinstance(p, Fraction) for t, p in law.items()):
            return None
        found.append({places[t]: p for t, p in law.items() if isinstance(p, Fraction)})
    return tuple(found)


def table(
    scene: Scene, laws: Laws, name: str = "is the best there is, found by a linear program"
) -> Simulator:
    """Return laws by number as a simulator."""
    read: dict[Hashable, dict[Hashable, Number]] = {
        y: {scene.outputs[t]: p for t, p in law.items()}
        for y, law in zip(scene.inputs, laws, strict=True)
    }
    return Simulator.table(read, name)


def _written(law: Mapping[int, Fraction]) -> dict[str, str | None]:
    return {str(place): exact_text(p) for place, p in law.items()}


def _distinct(labels: Iterable[str]) -> list[str]:
    """Number the labels that repeat, such as those of 1 and of "1"."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for label in labels:
        new = label
        while new in seen:
            seen[label] += 1
            new = f"{label} ({seen[label]})"
        seen[new] = 1
        found.append(new)
    return found


_WIDEST = (
    "names as many outputs as it can without naming impossible ones more often than it must; there "
    "is no best one"
)


@dataclass(frozen=True)
class Limit(OfSimulator):
    """What stays of delta at ratio infinity."""

    scene: Scene = field(repr=False)
    delta: Fraction
    reached: Fraction
    simulator: Simulator
    distinguishers: tuple[Distinguisher, ...]

    @property
    def attained(self) -> bool:
        """Whether some simulator has the infimum."""
        return self.reached == self.delta

    def verify(self) -> bool:
        """Add up simulator and tests again, from the scene alone.

        That an infimum is not attained has no such proof: the programs are solved again.
        """
        made, outputs = comparisons(self.scene), len(self.scene.outputs)
        laws = laws_of(self.scene, self.simulator)
        if laws is None or _one_sided(made, laws) != self.reached:
            return False
        if not self.attained:
            game = SceneProgram(made, outputs)
            widest = game.widest(self.delta)
            return game.solve(None)[0] == self.delta < _one_sided(made, widest) == self.reached
        bound = TestBound(made, outputs, self.distinguishers)
        return (
            sound(made, outputs, self.distinguishers)
            and bound.fall == 0
            and all(test.favours == "ideal" for test in self.distinguishers)
            and bound.at(Fraction(1)) == self.delta
        )

    @property
    def sentence(self) -> str:
        """What stays, and why no simulator does better."""
        if not self.attained:
            return (
                f"simulators bring delta as near to {show(self.delta)} as one likes, but none to "
                f"it: delta {show(self.delta)} is approached, not attained"
            )
        if self.delta == 0:
            return "a simulator shows every output that the release does, and no other"
        number = len(self.distinguishers)
        tests = "this test meets" if number == 1 else f"one of these {number} tests meets"
        return (
            f"whatever a simulator does, {tests} an output that the release never shows there, "
            f"with probability at least {show(self.delta, side='down')}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the sentence, then the tests, one a line."""
        yield "no better", self.sentence
        for test in self.distinguishers:
            yield f"weight {show(test.weight)}", said(self.scene, test)

    def fields(self) -> dict[str, Any]:
        """Return everything."""
        return {
            "ratio": "infinity",
            "delta": self.delta,
            "attained": self.attained,
            "reached": self.reached,
            "sentence": self.sentence,
            "tests": [written(self.scene, test) for test in self.distinguishers],
        }


def at_infinity(scene: Scene, made: Sequence[GivenValue]) -> Limit:
    """Return the infimum at ratio infinity; the tables must be exact."""
    game = SceneProgram(made, len(scene.outputs))
    delta, _, stakes = game.solve(None)
    widest = game.widest(delta)
    reached = _one_sided(made, widest)
    shown = table(scene, widest) if reached == delta else table(scene, widest, _WIDEST)
    return Limit(scene, delta, reached, shown, layers(stakes) if delta else ())


def _one_sided(made: Sequence[GivenValue], laws: Laws) -> Fraction:
    """Return how likely an output is, at most, that only one of the two worlds can show."""
    worst = ZERO
    for comparison in made:
        real, ideal = comparison.real, comparison.simulated(laws)
        left = apart(real, ideal, INFINITY)
        assert isinstance(left, Fraction)
        worst = max(worst, left)
    return worst
