"""Laplace and Gaussian noise on a statistic of the database, such as the count of n bits.

The bare noise (`twoworlds.mechanisms.continuous`) takes the true answer itself as the database.
Here the database has persons, so that one can leave a person out and ask what changes. Two worlds
still differ in two answers only: `AddedDensity` compares the noise around them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from twoworlds.laws.comparison import Comparison
from twoworlds.laws.event import Event
from twoworlds.mechanisms.continuous import Continuous
from twoworlds.mechanisms.on_statistic import Channel, OnStatistic
from twoworlds.numbers import Number, rational
from twoworlds.worlds import Change, Point, Reals, Universe

if TYPE_CHECKING:
    import numpy as np

__all__ = ["AddedDensity", "NoisyStatistic"]


@dataclass(frozen=True)
class AddedDensity(Channel):
    """Noise with a density, added to a rational value."""

    noise: Continuous

    by_difference = True
    extremes = True
    why = "the gap grows with the distance, so the furthest answers are the worst"

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        """The real numbers."""
        return Reals()

    def probability(self, output: Point, value: Any) -> Number:
        """Return the density of the output around the value."""
        return self.noise.probability(output, rational(value, "answer"))

    def mass(self, event: Event, value: Any) -> Number:
        """Return the mass of a half-line."""
        return self.noise.mass(event, rational(value, "answer"))

    def compare(self, change: Change) -> Comparison:
        """Compare the noise around two values."""
        u, v = (rational(value, "answer") for value in (change.before, change.after))
        return self.noise.between(change.x, change.y, u, v)

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        """Draw the noise and add it."""
        return self.noise.sample(rational(value, "answer"), rng)


class NoisyStatistic(OnStatistic):
    """Noise with a density on a statistic: single outputs have no probability."""

    channel: AddedDensity

    def example(self, event: Event, database: Point) -> Point | None:
        """Single outputs have no probability here."""
        return None
