r"""Laplace noise on every answer of a strategy.

The loss (|r - v| - |r - u|) / b of an answer r, with the true values u and v, rises or falls from
one end of an interval to the other, so that its supremum is at an end, and the suprema of several
answers add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from twoworlds.errors import Unsupported
from twoworlds.mechanisms.continuous import Laplace
from twoworlds.mechanisms.strategy.noise import AnswerNoise, Largest, Part, Value
from twoworlds.mechanisms.strategy.regions import Box, Interval
from twoworlds.numbers import Log, Number, exp, power
from twoworlds.worlds import Point, Reals, Universe

if TYPE_CHECKING:
    import numpy as np

__all__ = ["LaplaceNoise"]

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

    def mass(self, interval: Interval, value: Value) -> Number:
        """Subtract two tails, those of the side on which they are small."""
        low, high, centre = interval.low, interval.high, Fraction(value)
        if low is None:
            return Fraction(1) if high is None else self._one.upper_tail(centre - high)
        if high is None:
            return self._one.upper_tail(low - centre)
        ends = (centre - high, centre - low) if high <= centre else (low - centre, high - centre)
        near, far = map(self._one.upper_tail, ends)
        return near - far

    def parts(self, interval: Interval, u: Value, v: Value) -> list[Part]:
        """The ratio is constant only where the true values are equal."""
        if u == v:
            mass = self.mass(interval, u)
            return [Part(interval, mass, mass)]
        raise Unsupported("the likelihood ratio of Laplace noise takes infinitely many values")

    def largest(self, box: Box, u: Sequence[Value], v: Sequence[Value]) -> Largest:
        """Add up the largest losses of all answers, in units of the scale."""
        found = [_reach(i, Fraction(a), Fraction(b)) for i, a, b in zip(box, u, v, strict=True)]
        total = sum((reach.loss for reach in found), start=Fraction(0))
        where = tuple(reach.interval for reach in found)
        return Largest(self._raised(total), where, all(reach.attained for reach in found))

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


class _Reach(NamedTuple):
    loss: Fraction
    interval: Interval
    attained: bool


def _reach(interval: Interval, u: Fraction, v: Fraction) -> _Reach:
    """Return sup |r - v| - |r - u| over an interval, and a part of it where it is reached."""
    if u == v:
        return _Reach(Fraction(0), interval, attained=True)
    if u < v:  # the same after changing every sign
        found = _reach_upward(_turned(interval), -u, -v)
        return found._replace(interval=_turned(found.interval))
    return _reach_upward(interval, u, v)


def _turned(interval: Interval) -> Interval:
    low, high = interval.low, interval.high
    return Interval(None if high is None else -high, None if low is None else -low)


def _reach_upward(interval: Interval, u: Fraction, v: Fraction) -> _Reach:
    """For u > v the loss rises: -(u - v) up to v, then 2r - u - v, and u - v from u on."""
    low, high = interval.low, interval.high
    if high is None or high > u:
        from_u = interval.meet(Interval(low=u))
        return _Reach(u - v, from_u or interval, attained=True)
    if high <= v:
        return _Reach(v - u, interval, attained=True)
    start = v if low is None else max(low, v)
    near = Interval(high - (high - start) / _NARROW, high)
    return _Reach(2 * high - u - v, near, attained=False)
