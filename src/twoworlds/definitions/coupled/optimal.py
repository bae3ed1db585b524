r"""The best simulator there is, found for you, with a proof that no simulator does better.

`optimal` solves the linear program of `_program` at a ratio a = e^epsilon: the least delta of all
simulators (Definitions 3 and 5 of Bassily, Groce, Katz & Smith ask that there be one). An `Optimum`
brings a simulator, which shows that delta is possible (`upper`), and tests, which show that less is
not (`lower`). Where the two meet, delta is exact. Solution and multipliers are exact fractions;
both are added up again before anything is returned, and once more from the certificate in
`Optimum.to_dict`, by `proof`. The convex hull of the beliefs costs nothing: the same
simulator serves all mixtures (Theorem 4).

delta(a) falls as a grows, so a ratio that is irrational is enclosed by two rational ones, and the
answer is an enclosure that can be refined. Irrational probabilities are enclosed as well: when
P and Q move by e in total, no delta moves by more than (1 + a) e.

**At ratio infinity** an output counts only if it is possible in one world and impossible in the
other: a simulator has the delta

    max over comparisons of   max ( P{t : Q(t) = 0},  Q{t : P(t) = 0} ).

Naming every output a little makes the first of the two 0 and the second hardly larger, so that the
infimum is L = min_s max Q{P = 0}, the limit of delta(a) as a grows (the program without a ratio).
It need not be a minimum. Of the simulators with Q{P = 0} <= L take the one of largest support
(`SceneProgram.widest`): if it leaves P{Q = 0} above L, they all do, and L is approached, not
attained.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from flint import arb

from twoworlds.answer import Answer, Facts
from twoworlds.definitions.coupled._program import (
    BITS,
    GivenValue,
    Laws,
    SceneProgram,
    comparisons,
    scene_program,
)
from twoworlds.definitions.coupled.proof import (
    Distinguisher,
    TestBound,
    attained,
    facts_of,
    layers,
    sound,
    written,
)
from twoworlds.definitions.coupled.scene import Scene, Simulator
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError, Unsupported
from twoworlds.laws.comparison import apart
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    bounds,
    compare,
    exact_text,
    ratio_at_least_one,
    show,
    to_json,
)
from twoworlds.show import Result
from twoworlds.worlds.joint import plain_label

ZERO = Fraction(0)
_MOST_BITS, _COMPARED_BITS = 512, 256
_NEARLY = "is nearly the best there is, found by a linear program"
_WIDEST = (
    "names as many outputs as it can without naming impossible ones more often than it must; there "
    "is not a best one"
)


class OfSimulator(Result, ABC):
    """A result about simulators: a sentence that begins small, facts, and the simulator itself."""

    scene: Scene
    simulator: Simulator
    tests: tuple[Distinguisher, ...]

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What is reached, and why nothing better can be, as a clause."""

    @property
    def why(self) -> str:
        """Why no simulator does better, as a clause."""
        return self.sentence

    def tested(self) -> Iterable[tuple[str, str]]:
        """Return the tests that prove it, one a line."""
        return facts_of(self.scene, self.tests)

    @abstractmethod
    def verify(self) -> bool:
        """Evaluate simulator and tests again, from the scene alone."""

    def proof(self) -> dict[str, Any]:
        """Return what proves it, as plain data."""
        return self.to_dict()

    def answer(self) -> Answer:
        """Say the sentence, the tests, and the simulator."""
        return Answer(
            f"{self.sentence[0].upper()}{self.sentence[1:]}.",
            subject=self.scene.release.name,
            blocks=(Facts([*self.tested()]), *self.simulator.blocks(self.scene)),
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
        tests: those that no simulator withstands better, with weights that add up to at most 1
            (the rest is not to test at all).
        tests_at: the ratio at which they show ``lower``; it holds for smaller ones too.
        lower: no simulator has less.
        upper: the simulator has no more.
        at: the rational ratio, at most the true one, at which ``upper`` is stated.
        bits: how tightly irrational probabilities were enclosed.
        near: whether the program was solved in floats, so that tests and simulator need not meet.
    """

    scene: Scene = field(repr=False)
    ratio: Number
    delta: Number
    simulator: Simulator
    tests: tuple[Distinguisher, ...]
    tests_at: Fraction
    lower: Fraction
    upper: Fraction
    at: Fraction
    laws: Laws = field(repr=False)
    bits: int = 0
    near: bool = False

    @property
    def exact(self) -> bool:
        """Whether the tests and the simulator meet in one rational number."""
        return self.lower == self.upper

    def verify(self) -> bool:
        """Evaluate the simulator and the tests again, by fractions from the scene alone."""
        made, outputs = comparisons(self.scene, self.bits), len(self.scene.outputs)
        return (
            sound(made, outputs, self.tests)
            and TestBound(made, outputs, self.tests).at(self.tests_at) == self.lower <= self.upper
            and laws_of(self.scene, self.simulator) == self.laws
            and attained(made, self.laws, self.at) == self.upper
            and self.at >= 1
            and encloses(self.at, self.ratio, self.tests_at)
            and encloses(self.lower, self.delta, self.upper)
        )

    @property
    def sentence(self) -> str:
        """What is reached, and why nothing better can be."""
        best = "" if self.exact else " or a little less"
        return (
            f"the best simulator keeps delta at {show(self.delta)}{best} at ratio "
            f"{show(self.ratio)}; {self.why}"
        )

    @property
    def why(self) -> str:
        """Why no simulator does better."""
        if self.lower == 0:
            return "no simulator can have a delta below 0"
        number = len(self.tests)
        tests = "this test tells" if number == 1 else f"one of these {number} tests tells"
        return (
            f"whatever a simulator does, {tests} the worlds apart with advantage at least "
            f"{show(self.lower, side='down')} at ratio {show(self.tests_at)}"
        )

    def proof(self) -> dict[str, Any]:
        """Return the tests as plain data."""
        return {
            "ratio": to_json(self.tests_at),
            "bound": to_json(self.lower, side="down"),
            "sentence": self.why,
            "tests": [written(self.scene, test) for test in self.tests],
        }

    def fields(self) -> dict[str, Any]:
        """Return everything; "certificate" is what `verify_optimum` reads."""
        return {
            "ratio": self.ratio,
            "delta": self.delta,
            "exact": self.exact,
            "simulator": self.simulator.to_dict(self.scene),
            "proof": self.proof(),
            "certificate": self._certificate(),
        }

    def _certificate(self) -> dict[str, Any]:
        cells = self.scene.cells
        return {
            "lower": exact_text(self.lower),
            "lower_at_ratio": exact_text(self.tests_at),
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
                for made in comparisons(self.scene, self.bits)
            ],
            "simulator": [_written(law) for law in self.laws],
            "tests": [
                {
                    "comparison": test.comparison,
                    "favours": test.favours,
                    "event": list(test.event),
                    "weight": exact_text(test.weight),
                }
                for test in self.tests
            ],
        }


def optimal(scene: Scene, ratio: object) -> Optimum:
    """Return the least delta of all simulators at a ratio, such a simulator, and the proof.

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.worlds import BitStrings
    >>> from twoworlds.worlds.classes import belief_class
    >>> from twoworlds.worlds.scrubbing import persons
    >>> fair = belief_class("uniform", BitStrings(3))
    >>> best = optimal(scene(sum, fair, persons(3)), "3/2")
    >>> best.delta, best.verify()
    (Fraction(1, 8), True)
    """
    a = ratio_at_least_one(ratio)
    if a == INFINITY:
        raise InvalidInput(
            "ratio=infinity has no best simulator: ask for limit, which says what stays of delta "
            "and whether a simulator attains it"
        )
    found = _solved(scene, a, BITS)
    if found.exact or found.near:
        return found

    def refine(bits: int) -> arb:
        # Beyond a limit the ball stays as it is: a delta of 0 has no relative precision.
        better = _solved(scene, a, min(bits, _MOST_BITS)) if bits > BITS else found
        return Real.between(better.lower, better.upper).ball(bits)

    delta = Real(refine)
    delta.cap = Fraction(1)
    return replace(found, delta=delta)


def _solved(scene: Scene, ratio: Number, bits: int) -> Optimum:
    """Solve at rational ratios on both sides; the lower one bounds delta from above."""
    game = scene_program(scene, bits)
    made = game.made
    low, high = bounds(ratio, bits)
    low = max(low, Fraction(1))
    at_low = game.solve(low)
    at_high = at_low if low == high or not game.exact else game.solve(high)
    tests, laws = layers(at_high[2]), at_low[1]
    lower = TestBound(made, len(scene.outputs), tests).at(high)
    if game.exact and at_low[0] == 0 and attained(made, laws, low) > 0:
        # Nothing but the enclosures is left: a simulator that is within a smaller ratio has room
        # for them.
        spare = game.solve(max(Fraction(1), low - low / (1 << bits // 2)))[1]
        laws = min(laws, spare, key=lambda some: attained(made, some, low))
    upper = attained(made, laws, low)
    rational = game.exact and isinstance(ratio, Fraction) and not any(any(c.error) for c in made)
    if lower > upper or (rational and lower != upper):
        raise TwoWorldsError(
            "the best simulator and the proof of its optimality do not meet: please report this"
        )
    delta: Number = upper if lower == upper else Real.between(lower, upper)
    near = lower != upper and (not game.exact or scene.lost > 0)
    shown = table(scene, laws, _NEARLY) if near else table(scene, laws)
    used = tests if lower else ()
    return Optimum(scene, ratio, delta, shown, used, high, lower, upper, low, laws, bits, near)


def encloses(low: Fraction, x: Number, high: Fraction) -> bool:
    """Tell whether a number is known as these bounds say: a fraction only where they meet."""
    if isinstance(x, Fraction):
        return low == x == high
    ends = compare(low, x, limit=_COMPARED_BITS), compare(x, high, limit=_COMPARED_BITS)
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


@dataclass(frozen=True)
class Limit(OfSimulator):
    """What stays of delta at ratio infinity."""

    scene: Scene = field(repr=False)
    delta: Fraction
    reached: Fraction
    simulator: Simulator
    tests: tuple[Distinguisher, ...]

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
        bound = TestBound(made, outputs, self.tests)
        return (
            sound(made, outputs, self.tests)
            and bound.fall == 0
            and all(test.favours == "ideal" for test in self.tests)
            and bound.at(Fraction(1)) == self.delta
        )

    @property
    def sentence(self) -> str:
        """What stays, and why no simulator does better."""
        if not self.attained:
            return (
                f"simulators bring delta arbitrarily near to {show(self.delta)}, but none attains "
                "it"
            )
        if self.delta == 0:
            return "a simulator shows every output that the release does, and no other"
        number = len(self.tests)
        tests = "this test meets" if number == 1 else f"one of these {number} tests meets"
        return (
            f"whatever a simulator does, {tests} an output that the release never shows there, "
            f"with probability at least {show(self.delta, side='down')}"
        )

    def fields(self) -> dict[str, Any]:
        """Return everything."""
        return {
            "ratio": "infinity",
            "delta": self.delta,
            "attained": self.attained,
            "reached": self.reached,
            "sentence": self.sentence,
            "tests": [written(self.scene, test) for test in self.tests],
        }


def limit(scene: Scene) -> Limit:
    """Return the least delta at ratio infinity, and whether a simulator attains it.

    >>> from twoworlds.definitions.coupled.scene import scene
    >>> from twoworlds.worlds import BitStrings
    >>> from twoworlds.worlds.classes import belief_class
    >>> from twoworlds.worlds.scrubbing import persons
    >>> fair = belief_class("uniform", BitStrings(2))
    >>> found = limit(scene(sum, fair, persons(2)))
    >>> found.delta, found.attained
    (Fraction(0, 1), False)
    """
    made = rational_tables(scene)
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


def rational_tables(scene: Scene) -> tuple[GivenValue, ...]:
    """Return all comparisons of a scene, refusing irrational probabilities."""
    if scene.lost:
        raise TooLarge(
            "only likely tables are listed here, so that delta has two ends: give a finite ratio= "
            "or epsilon=, or a delta above 0"
        )
    made = comparisons(scene, BITS)
    if any(any(comparison.error) for comparison in made):
        raise Unsupported(
            "a probability is irrational here, and this is found for rational ones only: ask for "
            "delta at a finite ratio, or give the release and the belief in fractions"
        )
    return made
