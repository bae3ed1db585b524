r"""The noise that every answer of a strategy gets, on one interval of answers at a time.

For an answer whose true values are u on one database and v on another, and an interval I, three
things are needed: the masses P(u + Z in I), the largest likelihood ratio p(r - u) / p(r - v) over
r in I, and, where they are finitely many, the parts of I on which that ratio is constant.

    Laplace, rate 1/b:   ln ratio = (|r - v| - |r - u|) / b, which rises or falls from one end of
                         I to the other, by at most |u - v| / b: its supremum is at an end of I
    integer noise:       log-concave, so that the ratio is monotone too
    a finite range:      the outputs are listed

Differs: Dwork's equation (3) calls sigma^2 the variance; the density exp(-|z| / sigma) has variance
2 sigma^2, and its coordinates are Laplace, not exponential.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.laws.event import AtLeast, AtMost
from twoworlds.laws.noise import GeometricNoise, NegativeBinomialDifference, Noise
from twoworlds.laws.shifted import Shifted
from twoworlds.mechanisms.calibration import geometric_ratio
from twoworlds.mechanisms.continuous import AddedDensity, Continuous, Laplace
from twoworlds.mechanisms.on_statistic import AddedNoise, Channel, FiniteNoise, OnStatistic
from twoworlds.mechanisms.strategy.regions import Box, HalfOpen
from twoworlds.numbers import INFINITY, Log, Number, exp, power
from twoworlds.worlds import Integers, Point, Reals, TrueAnswer, Universe

if TYPE_CHECKING:
    import numpy as np

Value = Any  # a whole number or a fraction


Piece = tuple[HalfOpen, Number, Number]
"""Answers of one likelihood ratio, with their masses under both true values."""


class Largest(NamedTuple):
    """The supremum of the likelihood ratio over a box, where it is reached or nearly so."""

    ratio: Number
    box: Box
    attained: bool


class AnswerNoise(ABC):
    """Independent noise of one law on every answer."""

    answers: Universe
    by_difference: bool = True
    discrete: bool = True

    @abstractmethod
    def density(self, answer: Point, value: Value) -> Number:
        """Return the probability, or the density, of an answer around a true value."""

    @abstractmethod
    def mass(self, interval: HalfOpen, value: Value) -> Number:
        """Return the probability that the answer lies in an interval."""

    def pieces(self, interval: HalfOpen, u: Value, v: Value) -> list[Piece]:
        """Return the parts of an interval on which the likelihood ratio is constant."""
        if u == v:
            mass = self.mass(interval, u)
            return [(interval, mass, mass)]
        return self._pieces(interval, u, v)

    @abstractmethod
    def _pieces(self, interval: HalfOpen, u: Value, v: Value) -> list[Piece]:
        """Cut an interval for two different true values."""

    def largest(self, box: Box, u: Sequence[Value], v: Sequence[Value]) -> Largest | None:
        """Return the supremum of the likelihood ratio over a box; None where u has no mass.

        The answers are independent: their ratios multiply.
        """
        found = Largest(Fraction(1), (), attained=True)
        for one in (self._largest(i, a, b) for i, a, b in zip(box, u, v, strict=True)):
            if one is None:
                return None
            attained = found.attained and one.attained
            found = Largest(found.ratio * one.ratio, (*found.box, *one.box), attained)
        return found

    @abstractmethod
    def _largest(self, interval: HalfOpen, u: Value, v: Value) -> Largest | None:
        """Return the supremum for one answer."""

    @abstractmethod
    def sample(self, value: Value, rng: np.random.Generator) -> Point:
        """Draw one answer."""

    @abstractmethod
    def bound(self, sensitivity: Fraction) -> Number:
        """Return e^epsilon of Dwork's Theorem 5 for the joint sensitivity of a strategy."""

    def joint_density(self, answers: Sequence[Point], values: Sequence[Value]) -> Number:
        """Return the density of the noise vector at answers - values (Dwork, equation 7)."""
        found: Number = Fraction(1)
        for answer, value in zip(answers, values, strict=True):
            found = found * self.density(answer, value)
        return found


# --- Laplace noise on every answer of a strategy -------------------------------------------------
# The loss (|r - v| - |r - u|) / b of an answer r, with the true values u and v, rises or falls
# from one end of an interval to the other, so that its supremum is at an end, and the suprema of
# several answers add up.

_NARROW = 64


@dataclass(frozen=True)
class LaplaceNoise(AnswerNoise):
    """Laplace noise of a given rate 1/b on every answer."""

    rate: Number
    discrete = False

    @property
    def answers(self) -> Universe:  # type: ignore[override]
        """The real numbers."""
        return Reals()

    @property
    def _one(self) -> Laplace:
        return Laplace(rate=self.rate)

    def density(self, answer: Point, value: Value) -> Number:
        """Return e^(-|answer - value| / b) / (2 b)."""
        return self._one.probability(answer, value)

    def joint_density(self, answers: Sequence[Point], values: Sequence[Value]) -> Number:
        """Return e^(-||answers - values||_1 / b) / (2 b)^d."""
        away = sum(
            (abs(Fraction(a) - Fraction(v)) for a, v in zip(answers, values, strict=True)),
            start=Fraction(0),
        )
        return (self.rate / 2) ** len(values) * exp(-(self.rate * away))

    def mass(self, interval: HalfOpen, value: Value) -> Number:
        """Subtract two tails, those of the side on which they are small."""
        low, high, centre = interval.low, interval.high, Fraction(value)
        if low is None:
            return Fraction(1) if high is None else self._one.upper_tail(centre - high)
        if high is None:
            return self._one.upper_tail(low - centre)
        ends = (centre - high, centre - low) if high <= centre else (low - centre, high - centre)
        near, far = map(self._one.upper_tail, ends)
        return near - far

    def _pieces(self, interval: HalfOpen, u: Value, v: Value) -> list[Piece]:
        """The ratio is constant only where the true values are equal."""
        raise Unsupported("the likelihood ratio of Laplace noise takes infinitely many values")

    def largest(self, box: Box, u: Sequence[Value], v: Sequence[Value]) -> Largest:
        """Add up the largest losses of all answers, in units of the scale."""
        reached = [_reach(i, Fraction(a), Fraction(b)) for i, a, b in zip(box, u, v, strict=True)]
        losses, where, attained = zip(*reached, strict=True)
        return Largest(self._raised(sum(losses, start=Fraction(0))), where, all(attained))

    def _largest(self, interval: HalfOpen, u: Value, v: Value) -> Largest:
        return self.largest((interval,), (u,), (v,))

    def sample(self, value: Value, rng: np.random.Generator) -> Point:
        """Draw one answer, as the fraction that a float is."""
        return self._one.sample(Fraction(value), rng)

    def bound(self, sensitivity: Fraction) -> Number:
        """Return e^(Delta F / b)."""
        return self._raised(sensitivity)

    def _raised(self, distance: Fraction) -> Number:
        """Return e^(distance / b), as a power of a rational where the rate is a logarithm."""
        if isinstance(self.rate, Log):
            return power(self.rate.of, distance)
        return exp(self.rate * distance)


_Reached = tuple[Fraction, HalfOpen, bool]


def _reach(interval: HalfOpen, u: Fraction, v: Fraction) -> _Reached:
    """Return sup |r - v| - |r - u| over an interval, a part where it is reached or nearly so."""
    if u == v:
        return Fraction(0), interval, True
    if u < v:  # the same after changing every sign
        loss, where, attained = _reach_upward(_turned(interval), -u, -v)
        return loss, _turned(where), attained
    return _reach_upward(interval, u, v)


def _turned(interval: HalfOpen) -> HalfOpen:
    low, high = interval.low, interval.high
    return HalfOpen(None if high is None else -high, None if low is None else -low)


def _reach_upward(interval: HalfOpen, u: Fraction, v: Fraction) -> _Reached:
    """For u > v the loss rises: -(u - v) up to v, then 2r - u - v, and u - v from u on."""
    low, high = interval.low, interval.high
    if high is None or high > u:
        return u - v, interval.meet(HalfOpen(low=u)) or interval, True
    if high <= v:
        return v - u, interval, True
    start = v if low is None else max(low, v)
    return 2 * high - u - v, HalfOpen(high - (high - start) / _NARROW, high), False


# --- Integer noise on every answer of a strategy: log-concave, or with finitely many outputs -----
# Log-concave noise has a likelihood ratio that is monotone in the answer, so that its supremum
# over an interval is at an end of it, or its limit. With finitely many outputs the answers are
# listed.

_MOST_POINTS = 1 << 12


@dataclass(frozen=True)
class IntegerNoise(AnswerNoise):
    """Log-concave integer noise on every answer; the true values must be whole numbers."""

    noise: Noise

    @property
    def answers(self) -> Universe:  # type: ignore[override]
        """All whole numbers."""
        return Integers()

    def density(self, answer: Point, value: Value) -> Number:
        """Return P(Z = answer - value)."""
        return self.noise.pmf(answer - _whole(value))

    def mass(self, interval: HalfOpen, value: Value) -> Number:
        """Subtract two tails."""
        (low, high), centre = interval.whole_numbers, _whole(value)
        if low is not None and high is not None and low == high:
            return self.noise.pmf(low - centre)
        above: Number = Fraction(1) if low is None else self.noise.at_least(low - centre)
        return above if high is None else above - self.noise.at_least(high + 1 - centre)

    def _pieces(self, interval: HalfOpen, u: Value, v: Value) -> list[Piece]:
        """Cut at both true values, where the ratio is constant beyond them; or list the answers."""
        first, last = sorted((_whole(u), _whole(v)))
        low, high = interval.whole_numbers
        if self.noise.last_step(last - first) == last - first:
            ends = [HalfOpen(None, Fraction(first + 1)), HalfOpen(Fraction(last), None)]
            cut = [ends[0], *map(_single, range(first + 1, last)), ends[1]]
        elif low is not None and high is not None:
            cut = [_single(k) for k in _few(low, high)]
        else:
            raise Unsupported(
                f"the likelihood ratio of {self.noise.expression} takes infinitely many values: "
                "ask for the ratio, or use geometric noise"
            )
        met = [common for piece in cut if (common := _common(piece, interval)) is not None]
        return [(piece, self.mass(piece, u), self.mass(piece, v)) for piece in met]

    def _largest(self, interval: HalfOpen, u: Value, v: Value) -> Largest | None:
        low, high = interval.whole_numbers
        if low is not None and high is not None and low > high:
            return None  # no whole number lies in it
        if u == v:
            return Largest(Fraction(1), (interval,), attained=True)
        end = high if u > v else low
        if end is not None:
            ratio = self.noise.likelihood(end - v, u - v) if u > v else self._inverse(end, u, v)
            return Largest(ratio, (_single(end),), attained=True)
        peak = Shifted(None, None, _whole(u), _whole(v), self.noise).peak()
        far = _half_line(peak.event)
        return Largest(peak.ratio, (interval.meet(far) or interval,), peak.attained)

    def _inverse(self, end: int, u: int, v: int) -> Number:
        return 1 / self.noise.likelihood(end - u, v - u)

    def sample(self, value: Value, rng: np.random.Generator) -> Point:
        """Draw one answer."""
        return _whole(value) + self.noise.sample(rng)

    def bound(self, sensitivity: Fraction) -> Number:
        """Return p^(-Delta F), where the law has such a p; else no ratio is a bound."""
        if isinstance(self.noise, (GeometricNoise, NegativeBinomialDifference)):
            return geometric_ratio(self.noise.p, sensitivity)
        if sensitivity == 0 or self.noise.supremum(1).ratio == INFINITY:
            return INFINITY if sensitivity else Fraction(1)
        raise Unsupported(
            f"no bound in the manner of Theorem 5 is known for {self.noise.expression}"
        )


@dataclass(frozen=True)
class BoundedNoise(AnswerNoise):
    """Integer noise with finitely many outputs: clamped to a range, or given by its masses."""

    channel: AddedNoise | FiniteNoise

    @property
    def by_difference(self) -> bool:  # type: ignore[override]
        """Clamping looks at the values themselves."""
        return self.channel.by_difference

    @property
    def answers(self) -> Universe:  # type: ignore[override]
        """The range, or all whole numbers."""
        return self.channel.outputs

    def density(self, answer: Point, value: Value) -> Number:
        """Return the probability of an answer."""
        return self.channel.probability(answer, _whole(value))

    def _points(self, interval: HalfOpen, *values: Value) -> range:
        low, high = interval.whole_numbers
        if isinstance(self.channel, FiniteNoise):
            starts = [_whole(value) + self.channel.start for value in values]
            first, last = min(starts), max(starts) + len(self.channel.masses) - 1
        else:
            assert self.channel.low is not None
            assert self.channel.high is not None
            first, last = self.channel.low, self.channel.high
        first = first if low is None else max(first, low)
        return _few(first, last if high is None else min(last, high))

    def mass(self, interval: HalfOpen, value: Value) -> Number:
        """Add up the answers of the interval."""
        points = self._points(interval, value)
        return sum((self.density(k, value) for k in points), start=Fraction(0))

    def _pieces(self, interval: HalfOpen, u: Value, v: Value) -> list[Piece]:
        """List the answers."""
        points = self._points(interval, u, v)
        return [(_single(k), self.density(k, u), self.density(k, v)) for k in points]

    def _largest(self, interval: HalfOpen, u: Value, v: Value) -> Largest | None:
        best: Piece | None = None
        for piece in self.pieces(interval, u, v):
            if piece[1] != 0 and (best is None or larger(piece[1] * best[2], best[1] * piece[2])):
                best = piece
        if best is None:
            return None
        where, p, q = best
        return Largest(INFINITY if q == 0 else p / q, (where,), attained=True)

    def sample(self, value: Value, rng: np.random.Generator) -> Point:
        """Draw one answer."""
        return self.channel.sample(_whole(value), rng)

    def bound(self, sensitivity: Fraction) -> Number:
        """Clamping an answer is post-processing: the bound is that of the noise before it."""
        if isinstance(self.channel, FiniteNoise):
            raise Unsupported("Theorem 5 speaks of Laplace noise and its kin, not of listed masses")
        return IntegerNoise(self.channel.noise).bound(sensitivity)


def _single(k: int) -> HalfOpen:
    return HalfOpen(Fraction(k), Fraction(k + 1))


def _common(piece: HalfOpen, interval: HalfOpen) -> HalfOpen | None:
    """Return what both have in common, if a whole number is."""
    met = piece.meet(interval)
    if met is None:
        return None
    low, high = met.whole_numbers
    return None if low is not None and high is not None and low > high else met


def _few(first: int, last: int) -> range:
    if last - first >= _MOST_POINTS:
        raise Unsupported(
            f"{last - first + 1} answers are too many to compare one by one (at most "
            f"{_MOST_POINTS}): use a smaller range, or geometric noise"
        )
    return range(first, last + 1)


def _half_line(event: object) -> HalfOpen:
    if isinstance(event, AtLeast):
        return HalfOpen(low=Fraction(event.threshold))  # type: ignore[arg-type]
    assert isinstance(event, AtMost)
    return HalfOpen(high=Fraction(event.threshold) + 1)  # type: ignore[arg-type]


def _whole(value: Value) -> int:
    if isinstance(value, int):
        return value
    raise InvalidInput(
        f"integer noise needs whole-numbered answers, this one is {value}: scale the query to "
        "whole units first, or use Laplace noise"
    )


# --- Reading the noise of a strategy: a law, a channel, or the mechanism that adds it ------------


def read_noise(given: object) -> AnswerNoise:
    """Return the noise on each answer: a law, a channel, or the mechanism that adds it.

    >>> from fractions import Fraction
    >>> from twoworlds.laws.noise import GeometricNoise
    >>> read_noise(GeometricNoise(Fraction(1, 2))).density(1, 0)
    Fraction(1, 6)
    """
    if isinstance(given, AnswerNoise):
        return given
    if isinstance(given, str):
        from twoworlds.mechanisms.named.load import mechanism

        given = mechanism(given)
    if isinstance(given, OnStatistic):
        if not isinstance(given.statistic, TrueAnswer):
            raise InvalidInput(
                f"{given.expression} already asks a question: name the noise alone, as in "
                "geometric(ratio=2)"
            )
        given = given.channel
    if isinstance(given, AddedDensity):
        given = given.noise
    if isinstance(given, Noise):
        return IntegerNoise(given)
    if isinstance(given, Laplace):
        return LaplaceNoise(given.rate)
    if isinstance(given, FiniteNoise):
        return BoundedNoise(given)
    if isinstance(given, AddedNoise):
        ends = (given.low, given.high)
        if ends == (None, None):
            return IntegerNoise(given.noise)
        if None not in ends:
            return BoundedNoise(given)
    name = given.expression if isinstance(given, Continuous) else type(given).__name__
    raise InvalidInput(
        f"noise={name}: the answers of a strategy get Laplace noise, integer noise, or integer "
        "noise clamped to a range with two ends"
        + ("; take discrete-gaussian in place of a density" if isinstance(given, Channel) else "")
    )
