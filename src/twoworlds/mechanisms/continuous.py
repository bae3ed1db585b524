r"""Laplace and Gaussian noise on a real answer or a count, with exact or enclosed formulas.

Two true answers are compared in `twoworlds.laws.line`. The gap grows with their distance, so the
worst neighbours are exactly the sensitivity apart. For d-dimensional answers the Gaussian formula
holds with the L2 sensitivity, since the noise is rotation invariant; the Laplace ratio holds with
the L1 sensitivity.

Differs: these are ideal densities. Floating point noise does not have them; see the release engine
for noise that may be published.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from twoworlds.charts import Bars, Chart
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import Comparison, Family
from twoworlds.laws.event import Anything, AtLeast, AtMost, Event, Listed
from twoworlds.laws.line import GaussianPair, LaplacePair, normal
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.on_statistic import Channel
from twoworlds.numbers import Number, Real, exp, number, positive, rational, spelled, sqrt
from twoworlds.worlds import EXPLICIT, Change, Point, Reals, Universe, pairs

if TYPE_CHECKING:
    import numpy as np


class Continuous(Mechanism):
    """Noise with a density, added to a real-valued answer of given sensitivity."""

    def __init__(self, sensitivity: object = 1) -> None:
        self.sensitivity = positive(sensitivity, "sensitivity")
        self.universe: Universe = Reals(self.sensitivity)
        self.outputs = Reals()
        moved = spelled(self.sensitivity)
        self._tail = "" if self.sensitivity == 1 else f", sensitivity={moved}"

    @abstractmethod
    def upper_tail(self, distance: Number) -> Number:
        """Return P(Z >= distance)."""

    @abstractmethod
    def between(self, x: Point, y: Point, u: Number, v: Number) -> Comparison:
        """Compare the noise around u, the answer on x, with the noise around v, that on y."""

    def compare(self, x: Point, y: Point) -> Comparison:
        return self.between(x, y, *(number(answer, "database") for answer in (x, y)))

    def _charts(self) -> Iterator[Chart]:
        """Chart how often the noise, which is symmetric, hides more than a person can move."""
        beyond = {
            f"{times} x the sensitivity": 2 * self.upper_tail(times * self.sensitivity)
            for times in (1, 2, 4, 8)
        }
        yield Bars("The answer is off by more than", beyond)

    def mass(self, event: Event, database: Point) -> Number:
        centre = number(database, "database")
        if isinstance(event, AtLeast):
            return self.upper_tail(_minus(event.threshold, centre))
        if isinstance(event, AtMost):
            return self.upper_tail(_minus(centre, event.threshold))
        if isinstance(event, (Listed, Anything)):
            return Fraction(isinstance(event, Anything))
        raise Unsupported(f"the mass of {event} under a density")

    def example(self, event: Event, database: Point) -> Point | None:
        """Single outputs have no probability here."""
        return None

    def family(self, relation: str, group: int = 1) -> Family:
        """Compare two answers as far apart as a group can move them, both ways round."""
        if relation == EXPLICIT:
            return self._listed(group)
        furthest = self.sensitivity * group
        zero = Fraction(0)
        why = "the gap grows with the distance, so the furthest neighbours are the worst"
        return Family([self.compare(furthest, zero), self.compare(zero, furthest)], why)

    def over(self, universe: Universe) -> Continuous:
        listed = copy(self)
        listed.universe = universe
        return listed

    def _listed(self, group: int) -> Family:
        both = (
            (u, v) for x, y in pairs(self.universe, EXPLICIT, group) for u, v in ((x, y), (y, x))
        )
        compared = [self.compare(Fraction(u), Fraction(v)) for u, v in both]
        return Family(compared, "every listed pair of answers")


class Laplace(Continuous):
    """Laplace noise of a given scale.

    >>> from twoworlds.numbers import show
    >>> show(Laplace(scale=2, sensitivity=1).family("substitute").peak()[1].ratio)
    'e^(1/2) (1.64872)'
    """

    def __init__(
        self, *, rate: object = None, scale: object = None, sensitivity: object = 1
    ) -> None:
        super().__init__(sensitivity)
        if (rate is None) == (scale is None):
            raise InvalidInput("laplace takes exactly one of scale and rate")
        if scale is None:
            self.rate = positive(rate, "rate")
            self.scale = 1 / self.rate
        else:
            self.scale = positive(scale, "scale")
            self.rate = 1 / self.scale
        by_rate = scale is None and not isinstance(self.scale, Fraction)
        width = f"rate={spelled(self.rate)}" if by_rate else f"scale={spelled(self.scale)}"
        self.expression = f"laplace({width}{self._tail})"

    def probability(self, output: Point, database: Point) -> Number:
        away = abs(number(output, "output") - number(database, "database"))
        return self.rate / 2 * exp(-(self.rate * away))

    def loss(self, output: object, first: object, second: object) -> Number:
        """Return ln of the density around ``first`` over that around ``second`` (Wu, equation 8).

        Vectors are given as sequences; the losses of independent coordinates add up.
        """
        columns = [v if isinstance(v, (list, tuple)) else (v,) for v in (output, first, second)]
        total: Number = Fraction(0)
        for y, a, b in zip(*columns, strict=True):
            point = number(y, "output")
            total += abs(point - number(b, "second")) - abs(point - number(a, "first"))
        return self.rate * total

    def upper_tail(self, distance: Number) -> Number:
        """Return e^(-t/b) / 2 for t >= 0 and its complement below."""
        if distance < 0:
            return 1 - self.upper_tail(-distance)
        return exp(-(self.rate * distance)) / 2

    def between(self, x: Point, y: Point, u: Number, v: Number) -> Comparison:
        return LaplacePair(x, y, u, v, self.rate)

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        """Draw one output, as the fraction that a float is."""
        return Fraction(float(Fraction(self.universe.find(database)))) + Fraction(
            rng.laplace(scale=float(self.scale))
        )


class Gaussian(Continuous):
    """Gaussian noise of standard deviation sigma.

    >>> from twoworlds.numbers import decimal
    >>> decimal(Gaussian(sigma=1).family("substitute").gap(Fraction(1))[1].delta)
    '0.382925'
    """

    def __init__(
        self, *, sigma: object = None, sigma2: object = None, sensitivity: object = 1
    ) -> None:
        super().__init__(sensitivity)
        if (sigma is None) == (sigma2 is None):
            raise InvalidInput("gaussian takes exactly one of sigma and sigma2")
        if sigma2 is None:
            self.sigma = positive(sigma, "sigma")
            width = f"sigma={spelled(self.sigma)}"
        else:
            square = positive(sigma2, "sigma2")
            self.sigma, width = sqrt(square), f"sigma2={spelled(square)}"
        self.expression = f"gaussian({width}{self._tail})"

    def probability(self, output: Point, database: Point) -> Number:
        away = (number(output, "output") - number(database, "database")) / self.sigma
        root = Real(lambda _bits: (2 * arb.pi()).sqrt(), "sqrt(2 pi)")
        return exp(-(away * away) / 2) / (root * self.sigma)

    def upper_tail(self, distance: Number) -> Number:
        """Return erfc(t / (sigma sqrt 2)) / 2."""
        return normal(-(distance / self.sigma))

    def between(self, x: Point, y: Point, u: Number, v: Number) -> Comparison:
        return GaussianPair(x, y, u, v, self.sigma)

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        return Fraction(float(Fraction(self.universe.find(database)))) + Fraction(
            rng.normal(scale=float(self.sigma))
        )


def _minus(a: int | Number, b: int | Number) -> Number:
    difference = a - b
    return Fraction(difference) if isinstance(difference, int) else difference


# --- Laplace and Gaussian noise on a statistic of the database, such as the count of n bits ------
# The bare noise (`twoworlds.mechanisms.continuous`) takes the true answer itself as the database.
# Here the database has persons, so that one can leave a person out and ask what changes. Two
# worlds still differ in two answers only: `AddedDensity` compares the noise around them.


@dataclass(frozen=True)
class AddedDensity(Channel):
    """Noise with a density, added to a rational value."""

    noise: Continuous

    by_difference = True
    extremes = True
    why = "the gap grows with the distance, so the furthest answers are the worst"

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        return Reals()

    @property
    def discrete(self) -> bool:
        return False

    def probability(self, output: Point, value: Any) -> Number:
        return self.noise.probability(output, rational(value, "answer"))

    def mass(self, event: Event, value: Any) -> Number:
        return self.noise.mass(event, rational(value, "answer"))

    def compare(self, change: Change) -> Comparison:
        u, v = (rational(value, "answer") for value in (change.before, change.after))
        return self.noise.between(change.x, change.y, u, v)

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        return self.noise.sample(rational(value, "answer"), rng)
