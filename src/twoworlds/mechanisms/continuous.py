r"""Laplace and Gaussian noise on a real answer or a count, with exact or enclosed formulas.

With d the distance of the two true answers and a = e^epsilon:

    Laplace, scale b:   tight ratio e^L with L = d / b;   H_a = 1 - sqrt(a / e^L)  for a <= e^L
    Gaussian, sigma:    no finite ratio;   H_a = F(m - epsilon/(2m)) - a F(-m - epsilon/(2m)),
                        m = d / (2 sigma), F the standard normal distribution function

(Wu, Theorem 4.3, with the exponent corrected to epsilon/Delta; Dwork, Theorem 4). Both gaps grow
with d, so the worst neighbours are exactly the sensitivity apart. For d-dimensional answers the
Gaussian formula holds with the L2 sensitivity, since the noise is rotation invariant; the Laplace
ratio holds with the L1 sensitivity.

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
from twoworlds.laws.comparison import Comparison, Each, Family, Gap, Peak, larger
from twoworlds.laws.event import Anything, AtLeast, AtMost, Event, Listed
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.on_statistic import Channel, OnStatistic
from twoworlds.numbers import (
    INFINITY,
    Exp,
    Number,
    Real,
    at_most_one,
    ball,
    exact_text,
    exp,
    ln,
    number,
    positive,
    rational,
    sqrt,
)
from twoworlds.worlds import EXPLICIT, Change, Point, Reals, Universe, pairs

if TYPE_CHECKING:
    import numpy as np


class Continuous(Mechanism):
    """Noise with a density, added to a real-valued answer of given sensitivity."""

    def __init__(self, sensitivity: object = 1) -> None:
        self.sensitivity = positive(sensitivity, "sensitivity")
        self.universe: Universe = Reals(self.sensitivity)
        self.outputs = Reals()
        moved = exact_text(self.sensitivity)
        self._tail = "" if self.sensitivity == 1 else f", sensitivity={moved}"

    @abstractmethod
    def upper_tail(self, distance: Number) -> Number:
        """Return P(Z >= distance)."""

    @abstractmethod
    def between(self, x: Point, y: Point, u: Number, v: Number) -> Comparison:
        """Compare the noise around u, the answer on x, with the noise around v, that on y."""

    def compare(self, x: Point, y: Point) -> Comparison:
        """Compare the noise around two answers."""
        return self.between(x, y, *(number(answer, "database") for answer in (x, y)))

    def _charts(self) -> Iterator[Chart]:
        """Chart how often the noise, which is symmetric, hides more than a person can move."""
        beyond = {
            f"{times} x the sensitivity": 2 * self.upper_tail(times * self.sensitivity)
            for times in (1, 2, 4, 8)
        }
        yield Bars("The answer is off by more than", beyond)

    def mass(self, event: Event, database: Point) -> Number:
        """Return the mass of a half-line."""
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
        return Each([self.compare(furthest, zero), self.compare(zero, furthest)], why)

    def over(self, universe: Universe) -> Continuous:
        """Return the same noise for listed pairs of answers."""
        listed = copy(self)
        listed.universe = universe
        return listed

    def _listed(self, group: int) -> Family:
        both = (
            (u, v) for x, y in pairs(self.universe, EXPLICIT, group) for u, v in ((x, y), (y, x))
        )
        compared = [self.compare(Fraction(u), Fraction(v)) for u, v in both]
        return Each(compared, "every listed pair of answers")


class Laplace(Continuous):
    """Laplace noise of a given scale.

    >>> from twoworlds.numbers import show
    >>> show(Laplace(scale=2, sensitivity=1).family("substitute").peak()[1].ratio)
    'e^(1/2) (1.64873)'
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
        width = f"rate={exact_text(self.rate)}" if by_rate else f"scale={exact_text(self.scale)}"
        self.expression = f"laplace({width}{self._tail})"

    def probability(self, output: Point, database: Point) -> Number:
        """Return the density e^(-|output - answer| / b) / (2 b)."""
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
        """Compare two Laplace laws."""
        return _LaplacePair(x, y, u, v, self.rate)

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
            width = f"sigma={exact_text(self.sigma)}"
        else:
            square = positive(sigma2, "sigma2")
            self.sigma, width = sqrt(square), f"sigma2={exact_text(square)}"
        self.expression = f"gaussian({width}{self._tail})"

    def probability(self, output: Point, database: Point) -> Number:
        """Return the normal density."""
        away = (number(output, "output") - number(database, "database")) / self.sigma
        root = Real(lambda _bits: (2 * arb.pi()).sqrt(), "sqrt(2 pi)")
        return exp(-(away * away) / 2) / (root * self.sigma)

    def upper_tail(self, distance: Number) -> Number:
        """Return erfc(t / (sigma sqrt 2)) / 2."""
        return normal(-(distance / self.sigma))

    def between(self, x: Point, y: Point, u: Number, v: Number) -> Comparison:
        """Compare two normal laws."""
        return _GaussianPair(x, y, u, v, self.sigma)

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        """Draw one output, as the fraction that a float is."""
        return Fraction(float(Fraction(self.universe.find(database)))) + Fraction(
            rng.normal(scale=float(self.sigma))
        )


def normal(x: Number) -> Number:
    """Return the standard normal distribution function."""
    if x == 0:
        return Fraction(1, 2)
    return Real(lambda bits: (-ball(x, bits) / arb(2).sqrt()).erfc() / 2)


@dataclass(frozen=True)
class _LaplacePair(Comparison):
    x: Point
    y: Point
    u: Number
    v: Number
    rate: Number

    @property
    def _top(self) -> Number:
        """e^L, the largest ratio."""
        return exp(self.rate * abs(self.u - self.v))

    def _event(self, threshold: Number) -> Event:
        return AtLeast(threshold) if self.u > self.v else AtMost(threshold)

    def reverse(self) -> Comparison:
        return _LaplacePair(self.y, self.x, self.v, self.u, self.rate)

    def peak(self) -> Peak:
        return Peak(self._top, self._event(self.u))

    def gap(self, ratio: Number) -> Gap:
        if not larger(self._top, ratio):
            return Gap(Fraction(0), Listed.of(()))
        away = ln(ratio) / self.rate
        threshold = (self.u + self.v + (away if self.u > self.v else -away)) / 2
        return Gap(1 - sqrt(ratio / self._top), self._event(threshold))

    def ratio_for(self, delta: Number) -> Number:
        if not larger(Fraction(1), delta):
            return Fraction(1)
        ratio = self._top * (1 - delta) ** 2
        return ratio if larger(ratio, Fraction(1)) else Fraction(1)

    def power(self, level: Number) -> Number:
        """Raise the alarm on a half-line: its two tails are those of the noise.

        The power is e^L z up to a power of 1/2, then 1 - 1/(4 e^L z), and from z = 1/2 on
        1 - (1 - z)/e^L: the threshold lies beyond both answers, between them, before them.
        """
        half = Fraction(1, 2)
        if level == 0 or level == 1 or self.u == self.v:
            return level
        if larger(level, half):
            return 1 - (1 - level) / self._top
        if larger(self._top * level, half):
            return 1 - 1 / (4 * level * self._top)
        return self._top * level


@dataclass(frozen=True)
class _GaussianPair(Comparison):
    x: Point
    y: Point
    u: Number
    v: Number
    sigma: Number

    @property
    def _m(self) -> Number:
        return abs(self.u - self.v) / (2 * self.sigma)

    def _event(self, epsilon: Number) -> Event:
        away = epsilon * self.sigma**2 / abs(self.u - self.v)
        middle = (self.u + self.v) / 2
        if self.u > self.v:
            return AtLeast(middle + away)
        return AtMost(middle - away)

    def reverse(self) -> Comparison:
        return _GaussianPair(self.y, self.x, self.v, self.u, self.sigma)

    def peak(self) -> Peak:
        return Peak(INFINITY, self._event(ln(Fraction(100))), attained=False)

    def gap(self, ratio: Number) -> Gap:
        if ratio == INFINITY:
            return Gap(Fraction(0), Listed.of(()))
        epsilon = ln(ratio)
        away = epsilon / (2 * self._m)
        return Gap(normal(self._m - away) - ratio * normal(-self._m - away), self._event(epsilon))

    def ratio_for(self, delta: Number) -> Number:
        if delta == 0:
            return INFINITY
        if not larger(self.gap(Fraction(1)).delta, delta):
            return Fraction(1)
        return exp(Real(lambda bits: self._epsilon_for(delta, bits)))

    def power(self, level: Number) -> Number:
        """Return F(F^-1(z) + d / sigma): the alarm is a half-line."""
        if level == 0 or level == 1 or self.u == self.v:
            return level
        if level == Fraction(1, 2):
            return at_most_one(normal(2 * self._m))
        start = Real(lambda bits: -arb(2).sqrt() * (2 * ball(level, bits)).erfcinv())
        return at_most_one(normal(start + 2 * self._m))

    def _epsilon_for(self, delta: Number, bits: int) -> arb:
        """Bisect: the gap falls strictly in epsilon."""
        low, high = Fraction(0), Fraction(1)
        while larger(self.gap(Exp(high)).delta, delta):
            low, high = high, 2 * high
        for _ in range(bits):
            middle = (low + high) / 2
            if larger(self.gap(Exp(middle)).delta, delta):
                low = middle
            else:
                high = middle
        radius = ball((high - low) / 2, bits)
        return ball((low + high) / 2, bits) + arb(0, radius.abs_upper())


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
