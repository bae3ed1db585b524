r"""Comparing two shifted copies of a law on the whole numbers, possibly clamped to a range.

With P the law of u + Z and Q that of v + Z, the likelihood ratio P(o) / Q(o) is monotone in o
because Z is log-concave, and clamping keeps it so. Hence every worst event is a half-line, and

    H_a(P || Q) = P(o >= t) - a Q(o >= t),   t = min {o : P(o) > a Q(o)}   (for u > v),

is a difference of tails. The case u < v is the same after changing every sign.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, floor

from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import (
    Comparison,
    Extreme,
    Gap,
    Peak,
    ProfileLine,
    RatioCell,
    larger,
)
from twoworlds.laws.event import Anything, AtLeast, AtMost, Event, Listed, Point
from twoworlds.laws.moments import shifted_divergence
from twoworlds.laws.noise import DiscreteGaussianNoise, IntegerLaw
from twoworlds.laws.renyi import divergence
from twoworlds.numbers import INFINITY, Number, exp

_FURTHEST = 1 << 40
_TELLING = 100
_MOST_LINES = 1 << 12
_MOST_LISTED = 1 << 16


def tail(noise: IntegerLaw, value: int, event: Event, low: int | None, high: int | None) -> Number:
    """Return the mass of a half-line or of listed outputs under value + Z, clamped to a range."""
    if isinstance(event, Listed):
        parts = (_at(noise, value, o, low, high) for o in event.members)
        return sum(parts, start=Fraction(0))
    if isinstance(event, AtLeast):
        t = ceil(event.threshold)
        if low is not None and t <= low:
            return Fraction(1)
        return Fraction(0) if high is not None and t > high else noise.at_least(t - value)
    if isinstance(event, Anything):
        return Fraction(1)
    if isinstance(event, AtMost):
        t = floor(event.threshold)
        return 1 - tail(noise, value, AtLeast(t + 1), low, high)
    raise Unsupported(f"the mass of {event} under integer noise")


def _at(noise: IntegerLaw, value: int, o: int, low: int | None, high: int | None) -> Number:
    if (low is not None and o < low) or (high is not None and o > high):
        return Fraction(0)
    if low is not None and o == low:
        return 1 - noise.at_least(o + 1 - value) if low != high else Fraction(1)
    return noise.at_least(o - value) if o == high else noise.pmf(o - value)


@dataclass(frozen=True)
class Shifted(Comparison):
    """The law of ``u + Z`` on database x against ``v + Z`` on database y."""

    x: Point
    y: Point
    u: int
    v: int
    noise: IntegerLaw
    low: int | None = None
    high: int | None = None

    @property
    def _upward(self) -> _Upward:
        """The same comparison turned so that P lies above Q."""
        if self.u > self.v:
            return _Upward(self.u, self.v, self.noise, self.low, self.high)
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return _Upward(-self.u, -self.v, self.noise.reflected(), low, high)

    def _event(self, threshold: int | None) -> Event:
        if threshold is None:
            return Listed.of(())
        return AtLeast(threshold) if self.u > self.v else AtMost(-threshold)

    def peak(self) -> Peak:
        """Return the ratio at the far end."""
        if self.u == self.v:
            return Peak(Fraction(1), Anything())
        ratio, threshold, attained = self._upward.peak()
        return Peak(ratio, self._event(threshold), attained)

    def gap(self, ratio: Number) -> Gap:
        """Find the threshold by bisection and subtract the tails."""
        threshold = None if self.u == self.v else self._upward.first_above(ratio)
        if threshold is None:
            return Gap(Fraction(0), self._event(None))
        return Gap(self._upward.height(threshold, ratio), self._event(threshold))

    def ratio_for(self, delta: Number) -> Number:
        """Solve on the piece where the profile crosses delta."""
        return Fraction(1) if self.u == self.v else self._upward.ratio_for(delta)

    def cells(self) -> list[RatioCell]:
        """Return the two ends, where the ratio is constant, and each output in between."""
        low, high = min(self.u, self.v), max(self.u, self.v)
        if self.low is not None and self.high is not None:
            events: list[Event] = [Listed.of([o]) for o in range(self.low, self.high + 1)]
        elif self.low is self.high and self.noise.last_step(high - low) == high - low:
            inner = (Listed.of([o]) for o in range(low + 1, high))
            events = [AtMost(low), *inner, AtLeast(high)]
        else:
            return super().cells()
        masses = (
            [tail(self.noise, value, event, self.low, self.high) for event in events]
            for value in (self.u, self.v)
        )
        return [RatioCell(p, q, event) for p, q, event in zip(*masses, events, strict=True)]

    def power(self, level: Number) -> Number:
        """Raise the alarm from a threshold on, with a coin on the output just below it."""
        if level == 0 or level == 1 or self.u == self.v:
            return level
        return self._upward.power(level)

    def divergence(self, order: Fraction) -> Number:
        """Add up all outputs: of a clamped range one by one, else by the formulas of the noise."""
        if self.u == self.v:
            return Fraction(0)
        if self.low is None and self.high is None:
            turned = self._upward
            return shifted_divergence(turned.noise, turned.u - turned.v, order)
        if self.low is None or self.high is None or self.high - self.low > _MOST_LISTED:
            return super().divergence(order)
        return divergence(
            (
                (
                    _at(self.noise, self.u, o, self.low, self.high),
                    _at(self.noise, self.v, o, self.low, self.high),
                )
                for o in range(self.low, self.high + 1)
            ),
            order,
        )

    def limit(self) -> Number:
        """Return the mass beyond the end of the noise, where it has one."""
        return self.gap(INFINITY).delta

    def closed_rho(self) -> Extreme | None:
        """Return d^2 / (2 s) for discrete Gaussian noise, the limit at order 1."""
        clamped = self.low is not None or self.high is not None
        if clamped or not isinstance(self.noise, DiscreteGaussianNoise):
            return None
        return Extreme((self.u - self.v) ** 2 / (2 * self.noise.sigma2), Fraction(1))

    @property
    def key(self) -> Hashable:
        """The noise and the shift, in either direction if the noise is symmetric."""
        if self.low is not None or self.high is not None:
            return self.noise, self.u, self.v, self.low, self.high
        symmetric = self.noise.reflected() == self.noise
        return self.noise, abs(self.u - self.v) if symmetric else self.u - self.v

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Walk along the thresholds."""
        if self.u == self.v:
            for loss in losses:
                everything = Fraction(larger(0, loss))
                yield ProfileLine(everything, everything)
        else:
            yield from self._upward.best_tests(losses)

    def reverse(self) -> Comparison:
        """Swap the two answers."""
        return Shifted(self.y, self.x, self.v, self.u, self.noise, self.low, self.high)

    def lines(self) -> list[ProfileLine]:
        """Return one line per threshold, when only finitely many matter."""
        return [] if self.u == self.v else self._upward.lines()


@dataclass(frozen=True)
class _Upward:
    """P = u + Z against Q = v + Z with u > v: thresholds are lower ends of half-lines."""

    u: int
    v: int
    noise: IntegerLaw
    low: int | None
    high: int | None

    def likelihood(self, o: int) -> Number:
        """Return P(o) / Q(o), at the clamped ends by tails."""
        if o == self.high or o == self.low:
            p, q = (_at(self.noise, x, o, self.low, self.high) for x in (self.u, self.v))
            if q == 0:
                return INFINITY if p != 0 or o == self.high else Fraction(0)
            return p / q
        return self.noise.likelihood(o - self.v, self.u - self.v)

    def tails(self, threshold: int) -> tuple[Number, Number]:
        """Return P and Q of the half-line."""
        event = AtLeast(threshold)
        return (
            tail(self.noise, self.u, event, self.low, self.high),
            tail(self.noise, self.v, event, self.low, self.high),
        )

    def height(self, threshold: int, ratio: Number) -> Number:
        p, q = self.tails(threshold)
        return p if q == 0 else p - ratio * q

    def peak(self) -> tuple[Number, int, bool]:
        if self.high is not None:
            return self.likelihood(self.high), self.high, True
        ratio, at = self.noise.supremum(self.u - self.v)
        if at is not None:
            return ratio, self._above_low(self.v + at), True
        # Not attained: show an output that is telling enough, or far enough out.
        goal: Number = (
            Fraction(_TELLING) if ratio == INFINITY else 1 + (ratio - 1) * Fraction(99, 100)
        )
        threshold = self.first(lambda o: larger(self.likelihood(o), goal))
        return ratio, self.v if threshold is None else threshold, False

    def first_above(
        self,
        ratio: Number,
        near: int | None = None,
        likelihood: Callable[[int], Number] | None = None,
    ) -> int | None:
        """Return the smallest output with likelihood above the ratio, or None."""
        if ratio == INFINITY:  # what Q cannot produce, where it ends
            beyond = (
                None if self.noise.last is None else self._above_low(self.v + self.noise.last + 1)
            )
            ended = beyond is not None and self.high is not None and beyond > self.high
            return None if ended else beyond
        if self.high is None:
            supremum = self.noise.supremum(self.u - self.v)
            if not larger(supremum.ratio, ratio):
                return None
        found = likelihood or self.likelihood
        return self.first(lambda o: larger(found(o), ratio), near)

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Move the threshold up as the losses rise."""
        place, tails, likelihood = self.v, {}, cache(self.likelihood)
        for loss in losses:
            ratio = exp(loss)
            if self._everything(ratio):
                yield ProfileLine(Fraction(1), Fraction(1))
                continue
            threshold = self.first_above(ratio, place, likelihood)
            if threshold is None:
                yield ProfileLine(Fraction(0), Fraction(0))
                continue
            place = threshold
            if place not in tails:
                tails[place] = ProfileLine(*self.tails(place))
            yield tails[place]

    def _everything(self, ratio: Number) -> bool:
        """Tell whether the likelihood exceeds a ratio everywhere."""
        if self.low is not None:
            return larger(self.likelihood(self.low), ratio)
        least = self.noise.reflected().supremum(self.u - self.v).ratio  # of Q over P
        return least != INFINITY and larger(1, ratio * least)

    def first(self, reached: Callable[[int], bool], near: int | None = None) -> int | None:
        """Find the smallest output at which a monotone condition holds, by doubling and halving."""
        below, above = self._bracket(reached, self.v if near is None else near)
        if above is None:
            return None
        while above - below > 1:
            middle = (below + above) // 2
            if reached(middle):
                above = middle
            else:
                below = middle
        return above

    def _bracket(self, reached: Callable[[int], bool], near: int) -> tuple[int, int | None]:
        start = near if self.high is None else min(near, self.high)
        start = start if self.low is None else max(self.low, start)
        step = 1
        if reached(start):
            below = start
            while self.low is None or below >= self.low:
                if not reached(below):
                    return below, min(start, below + step)
                below, step = below - step, step * 2
            return self.low - 1, start
        above, below = start, start
        while step < _FURTHEST:
            above = start + step if self.high is None else min(start + step, self.high)
            if reached(above):
                return below, above
            if above == self.high:
                return below, None
            below, step = above, step * 2
        raise Unsupported(
            "the worst event lies beyond 2^40: the ratio asked for is too near its limit"
        )

    def ratio_for(self, delta: Number) -> Number:
        if delta == 0:
            return _at_least_one(self.peak()[0])
        one = self.first_above(Fraction(1))
        if one is None or not larger(self.height(one, Fraction(1)), delta):
            return Fraction(1)
        threshold = self.first(lambda o: not larger(self.height(o, self.likelihood(o)), delta))
        if threshold is None:
            return _at_least_one(self.peak()[0])
        p, q = self.tails(threshold)
        return _at_least_one((p - delta) / q)

    def power(self, level: Number) -> Number:
        found = self.first(lambda o: not larger(self.tails(o)[1], level))
        if found is None:  # even the largest output alone is a false alarm too often
            assert self.high is not None
            found = self.high + 1
        (p, q), (more_p, more_q) = self.tails(found), self.tails(found - 1)
        return p + (level - q) / (more_q - q) * (more_p - p)

    def lines(self) -> list[ProfileLine]:
        step = self.noise.last_step(self.u - self.v)
        last = self.high if step is None else self._above_low(self.v + step)
        if last is None:
            raise Unsupported(
                "the profile of this mechanism has infinitely many pieces: "
                "ask for delta at the ratios that matter instead"
            )
        last = last if self.high is None else min(last, self.high)
        first = self.first_above(Fraction(1))
        if first is None:
            return []
        if last - first > _MOST_LINES:
            raise Unsupported(
                f"the profile of this mechanism has {last - first + 1} pieces, more than are "
                f"listed ({_MOST_LINES}): ask for delta at the ratios that matter instead"
            )
        return [ProfileLine(*self.tails(t)) for t in range(last, first - 1, -1)]

    def _above_low(self, o: int) -> int:
        """Return the output, or the first one above the heap at the low end of the range."""
        return o if self.low is None else max(o, self.low + 1)


def _at_least_one(ratio: Number) -> Number:
    return ratio if larger(ratio, Fraction(1)) else Fraction(1)
