"""Integer noise with finitely many values: any probability mass function on a range.

Nothing is assumed about its shape, so worlds are compared output by output. Where the two ranges
do not overlap an output is possible in one world only, and the ratio is infinite.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, NotStochastic
from twoworlds.laws.comparison import Comparison, Table
from twoworlds.laws.event import Event, Listed
from twoworlds.mechanisms.on_statistic import Channel
from twoworlds.numbers import Number, rational
from twoworlds.worlds import Change, Integers, Point, Universe

if TYPE_CHECKING:
    import numpy as np

__all__ = ["FiniteNoise"]


@dataclass(frozen=True)
class FiniteNoise(Channel):
    """Noise that is start, start + 1, ... with the given probabilities.

    Attributes:
        answers: the smallest and the largest true answer, None if any whole number may be one.
    """

    masses: tuple[Fraction, ...]
    start: int
    answers: tuple[int, int] | None = None
    by_difference = True
    why = "only the difference of the two answers matters, and it is compared output by output"

    @staticmethod
    def of(masses: Sequence[object], start: int) -> FiniteNoise:
        """Read and check the probabilities."""
        read = tuple(rational(mass, f"mass {i}") for i, mass in enumerate(masses))
        if not read:
            raise InvalidInput("the noise has no values: give at least one probability")
        for mass in read:
            if mass < 0:
                raise NotStochastic(f"mass {mass} is negative: a probability must be at least 0")
        if sum(read) != 1:
            raise NotStochastic(f"the masses sum to {sum(read)}, they must sum to 1")
        return FiniteNoise(read, start)

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        """The whole numbers that some true answer can become."""
        if self.answers is None:
            return Integers()
        low, high = self.answers
        return Integers(low + self.start, high + self.start + len(self.masses) - 1)

    def among(self, answers: Iterable[Any]) -> FiniteNoise:
        """Return the same noise on some true answers only."""
        known = sorted(answers)
        return replace(self, answers=(known[0], known[-1]))

    def probability(self, output: Point, value: Any) -> Number:
        """Look the probability of output - value up."""
        place = output - value - self.start
        return self.masses[place] if 0 <= place < len(self.masses) else Fraction(0)

    def mass(self, event: Event, value: Any) -> Number:
        """Add up the outputs of the event."""
        reachable = range(value + self.start, value + self.start + len(self.masses))
        hits = (self.probability(o, value) for o in reachable if event.holds(o))
        return sum(hits, start=Fraction(0))

    def compare(self, change: Change) -> Comparison:
        """Compare output by output over both ranges."""
        values: Any = (change.before, change.after)
        low = min(values) + self.start
        outputs = range(low, max(values) + self.start + len(self.masses))
        p = [self.probability(o, values[0]) for o in outputs]
        q = [self.probability(o, values[1]) for o in outputs]
        return Table(change.x, change.y, p, q, lambda cells: Listed.of(outputs[i] for i in cells))

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        """Draw the noise and add it."""
        drawn = rng.choice(len(self.masses), p=[float(mass) for mass in self.masses])
        return int(value) + self.start + int(drawn)
