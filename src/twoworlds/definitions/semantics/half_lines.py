r"""Beliefs on two databases whose likelihood ratio takes infinitely many values: proved ends.

As in `pair`, x and y differ in one person, P and Q are the laws of A(x) and A(y), and w is the
belief in x. The outputs that breach s are {P > a(w) Q} and {Q > a(1 - w) P} with

    a(w) = 1 + s / (w (1 - w - s)),     w < 1 - s,

two disjoint events whose masses are tails of the noise, in closed form. On a range of beliefs from
v to w the largest of both events are those of the smallest ratios; w (1 - w - s) rises up to
(1 - s)/2 and falls from there on, so these are known. With them fixed, the probability of a breach
is linear in the belief, hence at most its larger value at the two ends: an upper bound for the
whole range. The range of the largest bound is halved until that bound is next to what a single
belief reaches. Outputs that are impossible without the person must have no mass.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heappop, heappush
from typing import NamedTuple

from twoworlds.mechanisms import Comparison, Mechanism
from twoworlds.numbers import bounds

__all__ = ["HalfLines", "half_line_failure", "worst_half_lines"]

_TRIFLE = 1 + Fraction(1, 1 << 40)
_CLOSE = 1 + Fraction(1, 10**4)
_MOST_RANGES = 1000
_BITS = 64


class HalfLines(NamedTuple):
    """A belief w, a lower bound of its failure, and an upper bound of that of every belief."""

    weight: Fraction
    reached: Fraction
    upper: Fraction


class _Event(NamedTuple):
    """Upper bounds of the mass of an event on the database that favours it, and on the other."""

    own: Fraction
    other: Fraction


def half_line_failure(
    mechanism: Mechanism, comparison: Comparison, s: Fraction, w: Fraction
) -> Fraction:
    """Return a lower bound of the failure at one belief w, as far as this person is concerned.

    The ratios are raised by a trifle, so that outputs that merely attain s are left out.
    """
    total = Fraction(0)
    for one, weight in ((comparison, w), (comparison.reverse(), 1 - w)):
        slack = weight * (1 - weight - s)
        if slack <= 0:
            continue
        delta, event = one.gap((1 + s / slack) * _TRIFLE)
        if bounds(delta, _BITS)[0] <= 0:
            continue
        p, q = (bounds(mechanism.mass(event, database), _BITS)[0] for database in (one.x, one.y))
        total += max(weight * p + (1 - weight) * q, Fraction(0))
    return total


def worst_half_lines(mechanism: Mechanism, comparison: Comparison, s: Fraction) -> HalfLines:
    """Return a belief next to the worst one, and bounds of its failure and of the supremum.

    >>> from twoworlds import mechanism
    >>> noise = mechanism("gaussian(sigma=2, bits=1)")
    >>> found = worst_half_lines(noise, noise.compare((1,), (0,)), Fraction(1, 5))
    >>> found.upper - found.reached < Fraction(1, 1000)
    True
    """
    search = _Ranges(mechanism, comparison, s)
    middle = Fraction(1, 2)
    best = (half_line_failure(mechanism, comparison, s, middle), middle)
    waiting: list[tuple[Fraction, Fraction, Fraction]] = []
    heappush(waiting, (-search.upper(Fraction(0), Fraction(1)), Fraction(0), Fraction(1)))
    for _ in range(_MOST_RANGES):
        if -waiting[0][0] <= best[0] * _CLOSE:
            break
        _, low, high = heappop(waiting)
        middle = (low + high) / 2
        best = max(best, (half_line_failure(mechanism, comparison, s, middle), middle))
        for start, stop in ((low, middle), (middle, high)):
            heappush(waiting, (-search.upper(start, stop), start, stop))
    return HalfLines(best[1], best[0], min(max(-waiting[0][0], best[0]), Fraction(1)))


class _Ranges:
    """Upper bounds of the failure over ranges of beliefs."""

    def __init__(self, mechanism: Mechanism, comparison: Comparison, s: Fraction) -> None:
        self.mechanism, self.s = mechanism, s
        self.sides = (comparison, comparison.reverse())
        self._known: dict[tuple[int, Fraction], _Event] = {}

    def upper(self, low: Fraction, high: Fraction) -> Fraction:
        """Return an upper bound of the failure of all beliefs of a range."""
        first, second = self._largest(0, low, high), self._largest(1, 1 - high, 1 - low)
        p, q = first.own + second.other, first.other + second.own
        return max(w * p + (1 - w) * q for w in (low, high))

    def _largest(self, side: int, low: Fraction, high: Fraction) -> _Event:
        """Return the largest event of one side, for the weights of that side's database."""
        weight = min(max((1 - self.s) / 2, low), high)
        slack = weight * (1 - weight - self.s)
        if slack <= 0:
            return _Event(Fraction(0), Fraction(0))
        key = (side, 1 + self.s / slack)
        if key not in self._known:
            self._known[key] = self._event(*key)
        return self._known[key]

    def _event(self, side: int, ratio: Fraction) -> _Event:
        comparison = self.sides[side]
        delta, event = comparison.gap(ratio)
        if delta == 0:
            return _Event(Fraction(0), Fraction(0))
        mass = self.mechanism.mass
        return _Event(
            *(bounds(mass(event, database), _BITS)[1] for database in (comparison.x, comparison.y))
        )
