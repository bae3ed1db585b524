"""Integer noise on every answer of a strategy: log-concave, or with finitely many outputs.

Log-concave noise has a likelihood ratio that is monotone in the answer, so that its supremum over
an interval is at an end of it, or its limit. With finitely many outputs the answers are listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.laws.event import AtLeast, AtMost
from twoworlds.laws.noise import GeometricNoise, NegativeBinomialDifference, Noise
from twoworlds.laws.shifted import Shifted
from twoworlds.mechanisms.calibration import geometric_ratio
from twoworlds.mechanisms.on_statistic import AddedNoise, FiniteNoise
from twoworlds.mechanisms.strategy.noise import AnswerNoise, Largest, Part, Value, multiplied
from twoworlds.mechanisms.strategy.regions import Box, Interval
from twoworlds.numbers import INFINITY, Number
from twoworlds.worlds import Integers, Point, Universe

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BoundedNoise", "IntegerNoise"]

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

    def mass(self, interval: Interval, value: Value) -> Number:
        """Subtract two tails."""
        (low, high), centre = interval.whole_numbers, _whole(value)
        if low is not None and high is not None and low == high:
            return self.noise.pmf(low - centre)
        above: Number = Fraction(1) if low is None else self.noise.at_least(low - centre)
        return above if high is None else above - self.noise.at_least(high + 1 - centre)

    def parts(self, interval: Interval, u: Value, v: Value) -> list[Part]:
        """Cut at both true values, where the ratio is constant beyond them; or list the answers."""
        if u == v:
            mass = self.mass(interval, u)
            return [Part(interval, mass, mass)]
        first, last = sorted((_whole(u), _whole(v)))
        low, high = interval.whole_numbers
        if self.noise.last_step(last - first) == last - first:
            ends = [Interval(None, Fraction(first + 1)), Interval(Fraction(last), None)]
            cut = [ends[0], *map(_single, range(first + 1, last)), ends[1]]
        elif low is not None and high is not None:
            cut = [_single(k) for k in _few(low, high)]
        else:
            raise Unsupported(
                f"the likelihood ratio of {self.noise.expression} takes infinitely many values: "
                "ask for the ratio, or use geometric noise"
            )
        met = [common for piece in cut if (common := _common(piece, interval)) is not None]
        return [Part(piece, self.mass(piece, u), self.mass(piece, v)) for piece in met]

    def largest(self, box: Box, u: Sequence[Value], v: Sequence[Value]) -> Largest | None:
        """Multiply the largest ratios of all answers."""
        found = [self._largest(i, a, b) for i, a, b in zip(box, u, v, strict=True)]
        return multiplied(found)

    def _largest(self, interval: Interval, u: Value, v: Value) -> Largest | None:
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

    def _points(self, interval: Interval, *values: Value) -> range:
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

    def mass(self, interval: Interval, value: Value) -> Number:
        """Add up the answers of the interval."""
        points = self._points(interval, value)
        return sum((self.density(k, value) for k in points), start=Fraction(0))

    def parts(self, interval: Interval, u: Value, v: Value) -> list[Part]:
        """List the answers."""
        if u == v:
            mass = self.mass(interval, u)
            return [Part(interval, mass, mass)]
        points = self._points(interval, u, v)
        return [Part(_single(k), self.density(k, u), self.density(k, v)) for k in points]

    def largest(self, box: Box, u: Sequence[Value], v: Sequence[Value]) -> Largest | None:
        """Multiply the largest ratios of all answers that u can give."""
        found = [self._largest(i, a, b) for i, a, b in zip(box, u, v, strict=True)]
        return multiplied(found)

    def _largest(self, interval: Interval, u: Value, v: Value) -> Largest | None:
        best: Part | None = None
        for part in self.parts(interval, u, v):
            if part.p == 0:
                continue
            if best is None or larger(part.p * best.q, best.p * part.q):
                best = part
        if best is None:
            return None
        ratio = INFINITY if best.q == 0 else best.p / best.q
        return Largest(ratio, (best.interval,), attained=True)

    def sample(self, value: Value, rng: np.random.Generator) -> Point:
        """Draw one answer."""
        return self.channel.sample(_whole(value), rng)

    def bound(self, sensitivity: Fraction) -> Number:
        """Clamping an answer is post-processing: the bound is that of the noise before it."""
        if isinstance(self.channel, FiniteNoise):
            raise Unsupported("Theorem 5 speaks of Laplace noise and its kin, not of listed masses")
        return IntegerNoise(self.channel.noise).bound(sensitivity)


def _single(k: int) -> Interval:
    return Interval(Fraction(k), Fraction(k + 1))


def _common(piece: Interval, interval: Interval) -> Interval | None:
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


def _half_line(event: object) -> Interval:
    if isinstance(event, AtLeast):
        return Interval(low=Fraction(event.threshold))  # type: ignore[arg-type]
    assert isinstance(event, AtMost)
    return Interval(high=Fraction(event.threshold) + 1)  # type: ignore[arg-type]


def _whole(value: Value) -> int:
    if isinstance(value, int):
        return value
    raise InvalidInput(
        f"integer noise needs whole-numbered answers, this one is {value}: scale the query to "
        "whole units first, or use Laplace noise"
    )
