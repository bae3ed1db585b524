r"""At ratio infinity: the least delta of all simulators, and whether any simulator has it.

There an output counts only if it is possible in one world and impossible in the other: a simulator
has the delta

    max over comparisons of   max ( P{t : Q(t) = 0},  Q{t : P(t) = 0} ).

Naming every output a little makes the first of the two 0 and the second hardly larger, so that the
infimum is L = min_s max Q{P = 0}, the limit of delta(a) as a grows (`Game.solve` without a ratio).
It need not be a minimum. Of the simulators with Q{P = 0} <= L take the one of largest support
(`Game.widest`): if it leaves P{Q = 0} above L, they all do, and L is approached, not attained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.coupled._optimum import OfSimulator, laws_of, table
from twoworlds.definitions.coupled._program import Game
from twoworlds.definitions.coupled._proof import Bound, Distinguisher, layers, said, sound, written
from twoworlds.definitions.coupled._tables import Comparison, Laws, comparisons
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.definitions.coupled.simulator import Simulator
from twoworlds.numbers import show

__all__ = ["Limit", "at_infinity"]

ZERO = Fraction(0)
_WIDEST = (
    "names as many outputs as it can without naming impossible ones more often than it must; there "
    "is no best one"
)


@dataclass(frozen=True)
class Limit(OfSimulator):
    """What stays of delta at ratio infinity.

    Attributes:
        delta: the infimum over all simulators.
        reached: the delta of the simulator shown: the same where it is attained.
        simulator: one with the infimum where some has it; else the one of largest support among
            those that show impossible outputs no more often than that.
        distinguishers: the tests that no simulator withstands better, whatever the ratio.
    """

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
            game = Game(made, outputs)
            widest = game.widest(self.delta)
            return game.solve(None).delta == self.delta < _one_sided(made, widest) == self.reached
        bound = Bound(made, outputs, self.distinguishers)
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


def at_infinity(scene: Scene, made: Sequence[Comparison]) -> Limit:
    """Return the infimum at ratio infinity; the tables must be exact."""
    game = Game(made, len(scene.outputs))
    least = game.solve(None)
    widest = game.widest(least.delta)
    reached = _one_sided(made, widest)
    tests = layers(least.stakes) if least.delta else ()
    shown = table(scene, widest) if reached == least.delta else table(scene, widest, _WIDEST)
    return Limit(scene, least.delta, reached, shown, tests)


def _one_sided(made: Sequence[Comparison], laws: Laws) -> Fraction:
    """Return how likely an output is, at most, that only one of the two worlds can show."""
    worst = ZERO
    for comparison in made:
        real, ideal = comparison.real, comparison.simulated(laws)
        for p, q in ((real, ideal), (ideal, real)):
            only = (chance for t, chance in p.items() if chance and not q.get(t))
            worst = max(worst, sum(only, start=ZERO))
    return worst
