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
from twoworlds.laws.noise import DiscreteGaussianNoise, IntegerLaw
from twoworlds.laws.renyi import divergence, shifted_divergence
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
    """The law of ``u + Z`` on database x against ``v + Z`` on database y.

    All is computed for u > v, where thresholds are lower ends of half-lines (`_upward`).
    """

    x: Point
    y: Point
    u: int
    v: int
    noise: IntegerLaw
    low: int | None = None
    high: int | None = None

    @property
    def _upward(self) -> Shifted:
        """The same comparison turned so that P lies above Q."""
        if self.u > self.v:
            return self
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return Shifted(self.x, self.y, -self.u, -self.v, self.noise.reflected(), low, high)

    def _event(self, threshold: int | None) -> Event:
        if threshold is None:
            return Listed.of(())
        return AtLeast(threshold) if self.u > self.v else AtMost(-threshold)

    def peak(self) -> Peak:
        """Return the ratio at the far end."""
        if self.u == self.v:
            return Peak(Fraction(1), Anything())
        ratio, threshold, attained = self._upward._far_end()
        return Peak(ratio, self._event(threshold), attained)

    def gap(self, ratio: Number) -> Gap:
        """Find the threshold by bisection and subtract the tails."""
        threshold = None if self.u == self.v else self._upward._first_above(ratio)
        if threshold is None:
            return Gap(Fraction(0), self._event(None))
        return Gap(self._upward._height(threshold, ratio), self._event(threshold))

    def ratio_for(self, delta: Number) -> Number:
        """Solve on the piece where the profile crosses delta."""
        if self.u == self.v:
            return Fraction(1)
        up = self._upward
        if delta == 0:
            return _at_least_one(up._far_end()[0])
        one = up._first_above(Fraction(1))
        if one is None or not larger(up._height(one, Fraction(1)), delta):
            return Fraction(1)
        threshold = up._first(lambda o: not larger(up._height(o, up._likelihood(o)), delta))
        if threshold is None:
            return _at_least_one(up._far_end()[0])
        p, q = up._tails(threshold)
        return _at_least_one((p - delta) / q)

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
        up = self._upward
        found = up._first(lambda o: not larger(up._tails(o).q, level))
        if found is None:  # even the largest output alone is a false alarm too often
            assert up.high is not None
            found = up.high + 1
        (p, q), (more_p, more_q) = up._tails(found), up._tails(found - 1)
        return p + (level - q) / (more_q - q) * (more_p - p)

    def divergence(self, order: Fraction) -> Number:
        """Add up all outputs: of a clamped range one by one, else by the formulas of the noise."""
        if self.u == self.v:
            return Fraction(0)
        if self.low is None and self.high is None:
            turned = self._upward
            return shifted_divergence(turned.noise, turned.u - turned.v, order)
        if self.low is None or self.high is None or self.high - self.low > _MOST_LISTED:
            return super().divergence(order)
        outputs = range(self.low, self.high + 1)
        return divergence(((self._at(self.u, o), self._at(self.v, o)) for o in outputs), order)

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
        """Move the threshold up as the losses rise."""
        up = self._upward
        place, tails, likelihood = up.v, {}, cache(up._likelihood)
        for loss in losses:
            if self.u == self.v:
                yield ProfileLine(*(Fraction(larger(0, loss)),) * 2)
                continue
            ratio = exp(loss)
            if up._everything(ratio):
                yield ProfileLine(Fraction(1), Fraction(1))
                continue
            threshold = up._first_above(ratio, place, likelihood)
            if threshold is None:
                yield ProfileLine(Fraction(0), Fraction(0))
                continue
            place = threshold
            if place not in tails:
                tails[place] = up._tails(place)
            yield tails[place]

    def reverse(self) -> Comparison:
        return Shifted(self.y, self.x, self.v, self.u, self.noise, self.low, self.high)

    def lines(self) -> list[ProfileLine]:
        """Return one line per threshold, when only finitely many matter."""
        if self.u == self.v:
            return []
        up = self._upward
        step = up.noise.last_step(up.u - up.v)
        last = up.high if step is None else up._above_low(up.v + step)
        if last is None:
            return super().lines()
        last = last if up.high is None else min(last, up.high)
        first = up._first_above(Fraction(1))
        if first is None:
            return []
        if last - first > _MOST_LINES:
            raise Unsupported(
                f"the profile of this mechanism has {last - first + 1} pieces, more than are "
                f"listed ({_MOST_LINES}): ask for delta at the ratios that matter instead"
            )
        return [up._tails(t) for t in range(last, first - 1, -1)]

    # --- for u > v ----------------------------------------------------------------------------

    def _at(self, value: int, o: int) -> Number:
        return _at(self.noise, value, o, self.low, self.high)

    def _likelihood(self, o: int) -> Number:
        """Return P(o) / Q(o), at the clamped ends by tails."""
        if o == self.high or o == self.low:
            p, q = self._at(self.u, o), self._at(self.v, o)
            if q == 0:
                return INFINITY if p != 0 or o == self.high else Fraction(0)
            return p / q
        return self.noise.likelihood(o - self.v, self.u - self.v)

    def _tails(self, threshold: int) -> ProfileLine:
        """Return P and Q of the half-line."""
        event, ends = AtLeast(threshold), (self.low, self.high)
        return ProfileLine(*(tail(self.noise, x, event, *ends) for x in (self.u, self.v)))

    def _height(self, threshold: int, ratio: Number) -> Number:
        p, q = self._tails(threshold)
        return p if q == 0 else p - ratio * q

    def _far_end(self) -> tuple[Number, int, bool]:
        """Return the largest ratio, an output that has it or comes near, and whether it has it."""
        if self.high is not None:
            return self._likelihood(self.high), self.high, True
        ratio, at = self.noise.supremum(self.u - self.v)
        if at is not None:
            return ratio, self._above_low(self.v + at), True
        # Not attained: show an output that is telling enough, or far enough out.
        goal: Number = (
            Fraction(_TELLING) if ratio == INFINITY else 1 + (ratio - 1) * Fraction(99, 100)
        )
        threshold = self._first(lambda o: larger(self._likelihood(o), goal))
        return ratio, self.v if threshold is None else threshold, False

    def _first_above(
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
        found = likelihood or self._likelihood
        return self._first(lambda o: larger(found(o), ratio), near)

    def _everything(self, ratio: Number) -> bool:
        """Tell whether the likelihood exceeds a ratio everywhere."""
        if self.low is not None:
            return larger(self._likelihood(self.low), ratio)
        least = self.noise.reflected().supremum(self.u - self.v).ratio  # of Q over P
        return least != INFINITY and larger(1, ratio * least)

    def _first(self, reached: Callable[[int], bool], near: int | None = None) -> int | None:
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

    def _above_low(self, o: int) -> int:
        """Return the output, or the first one above the heap at the low end of the range."""
        return o if self.low is None else max(o, self.low + 1)


def _at_least_one(ratio: Number) -> Number:
    return ratio if larger(ratio, Fraction(1)) else Fraction(1)
