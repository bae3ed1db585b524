"""Domination: two laws that can be told apart at least as well as others, at every ratio.

(P', Q') dominates (P, Q) if H_a(P', Q') >= H_a(P, Q) for all a. What dominates the parts dominates
their composition (Zhu, Dong & Wang 2022, Theorem 10), so that it gives a bound from above where
nobody knows which of several pairs of worlds is the worst: `Worst` is above all of them, and
`Dominated` a pair of worlds with such a bound.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from twoworlds.laws.comparison import (
    Comparison,
    Each,
    Gap,
    Peak,
    ProfileLine,
    larger,
)
from twoworlds.laws.event import Point
from twoworlds.numbers import INFINITY, Number, Real, bounds, exp, maximum


@dataclass(frozen=True, eq=False)
class Worst(Comparison):
    """Two laws whose gap is the largest of several, at every ratio; a maximum of convex functions.

    Only `best_tests` and the numbers are meant: an event is that of one of them.
    """

    several: tuple[Comparison, ...]

    @property
    def x(self) -> Point:
        """The first world of one of them."""
        return self.several[0].x

    @property
    def y(self) -> Point:
        """The second world of one of them."""
        return self.several[0].y

    @property
    def _family(self) -> Each:
        return Each(self.several, "")

    def peak(self) -> Peak:
        """Take the largest."""
        return self._family.peak()[1]

    def gap(self, ratio: Number) -> Gap:
        """Take the largest."""
        return self._family.gap(ratio)[1]

    def ratio_for(self, delta: Number) -> Number:
        """Take the largest."""
        return self._family.ratio_for(delta)[1]

    def limit(self) -> Number:
        """Take the largest."""
        return max(one.limit() for one in self.several)

    def divergence(self, order: Fraction) -> Number:
        """Take the largest: no divergence of one of the several is above it."""
        found = (one.divergence(order) for one in self.several)
        return reduce(maximum, found)

    def reverse(self) -> Comparison:
        """Reverse all of them."""
        return Worst(tuple(one.reverse() for one in self.several))

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Take the test of the largest gap at each ratio."""
        for loss, *tests in zip(
            losses, *(one.best_tests(losses) for one in self.several), strict=True
        ):
            ratio, best = exp(loss), tests[0]
            for test in tests[1:]:
                best = test if larger(test.p - ratio * test.q, best.p - ratio * best.q) else best
            yield best


def between(low: Number, high: Number) -> Number:
    """Return a number of which two ends are known, which may be equal."""
    if low == high or high == INFINITY:
        return high
    least, most = bounds(low)[0], bounds(high)[1]
    return Real.between(least, most) if least < most else high


@dataclass(frozen=True, eq=False)
class Dominated(Comparison):
    """Two laws, with others that dominate them and whatever else is compared."""

    inner: Comparison
    above: Comparison

    @property
    def x(self) -> Point:
        """The first world."""
        return self.inner.x

    @property
    def y(self) -> Point:
        """The second world."""
        return self.inner.y

    @property
    def key(self) -> Hashable:
        """That of both."""
        keys = self.inner.key, self.above.key
        return None if None in keys else keys

    @property
    def dominating(self) -> Comparison:
        """The others."""
        return self.above

    def peak(self) -> Peak:
        """Return both ends; the event is of the two laws themselves."""
        ratio, event, attained = self.inner.peak()
        return Peak(between(ratio, self.above.peak().ratio), event, attained)

    def gap(self, ratio: Number) -> Gap:
        """Return both ends; the event is of the two laws themselves."""
        delta, event = self.inner.gap(ratio)
        return Gap(between(delta, self.above.gap(ratio).delta), event)

    def ratio_for(self, delta: Number) -> Number:
        """Return both ends."""
        return between(self.inner.ratio_for(delta), self.above.ratio_for(delta))

    def limit(self) -> Number:
        """Return both ends."""
        return between(self.inner.limit(), self.above.limit())

    def divergence(self, order: Fraction) -> Number:
        """Return both ends."""
        return between(self.inner.divergence(order), self.above.divergence(order))

    def reverse(self) -> Comparison:
        """Reverse both."""
        return Dominated(self.inner.reverse(), self.above.reverse())

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Return those of the two laws themselves."""
        return self.inner.best_tests(losses)


@dataclass(frozen=True)
class Symmetrized(Comparison):
    """Two laws that have the profile of ``base`` at ratios of at least 1, both ways round.

    {L > l} for l < 0 is the complement of {L' >= -l} of the reverse, whose masses are exchanged.
    """

    base: Comparison

    @property
    def x(self) -> Point:
        """One world."""
        return self.base.x

    @property
    def y(self) -> Point:
        """The other."""
        return self.base.y

    @property
    def key(self) -> Hashable:
        """That of the base."""
        return None if self.base.key is None else ("symmetrized", self.base.key)

    def peak(self) -> Peak:
        """Return that of the base."""
        return self.base.peak()

    def gap(self, ratio: Number) -> Gap:
        """Return that of the base."""
        return self.base.gap(ratio)

    def ratio_for(self, delta: Number) -> Number:
        """Return that of the base."""
        return self.base.ratio_for(delta)

    def limit(self) -> Number:
        """Return that of the base."""
        return self.base.limit()

    def reverse(self) -> Comparison:
        """Return the same profile."""
        return self

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Take tests of the base, and of the reverse where the loss is below 0."""
        negative = [loss for loss in losses if larger(0, loss)]
        mirrored = [*self.base.best_tests([-loss for loss in reversed(negative)])]
        yield from (ProfileLine(1 - q, 1 - p) for p, q in reversed(mirrored))
        yield from self.base.best_tests(losses[len(negative) :])
