r"""Intervals for a true count: two that hold, and one that is only roughly right.

* `tail_interval`: exact tails, where one report tells the value apart. If a record of the value
  reports o with probability a, and every other record with probability b, then the number Y of
  reports o is a sum of two binomial variables, Bin(h, a) + Bin(n - h, b), whatever the other values
  are. For a > b it grows with h, and the interval holds every h with

      P(Y >= y | h) > alpha/2   and   P(Y <= y | h) > alpha/2

  as Clopper and Pearson do for one binomial variable. The tails are enclosed; an h that is not
  excluded for certain stays in. It covers the true count with probability at least 1 - alpha,
  whatever the data are.
* `hoeffding_interval`: the estimate is a sum of independent terms, each within a range of R, so it
  misses by t or more with probability at most 2 exp(-2 t^2 / (n R^2)) (Hoeffding's inequality). It
  holds for every channel.
* `normal_interval`: the estimate plus or minus z times its estimated standard deviation. That is
  an approximation for many records: nothing is promised.

The first two speak of whole counts from 0 to n. Where no such count is left (then the data are very
unlikely, whatever they are), the nearest one is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, isqrt
from statistics import NormalDist
from typing import Any

from flint import arb

from twoworlds.numbers import Number, ball, below, bounds, ln, sqrt, working_precision

__all__ = ["Interval", "hoeffding_interval", "normal_interval", "tail_interval"]

_EXACT = "exact tails"
_BITS = 128
_REACH = 4  # times sqrt(m): what lies further from the mean has probability at most 2 e^(-32)


@dataclass(frozen=True)
class Interval:
    """From low to high, both included.

    Attributes:
        method: how it was found.
        guaranteed: whether it holds with the stated confidence, or only roughly.
    """

    low: Fraction
    high: Fraction
    method: str
    guaranteed: bool

    def mirrored(self, records: int) -> Interval:
        """Return the interval for the count of all other records."""
        return replace(self, low=records - self.high, high=records - self.low)

    def __str__(self) -> str:
        """Return the ends; those of an approximation are rounded to one place."""
        places = 0 if self.guaranteed else 1
        return f"{float(self.low):.{places}f} to {float(self.high):.{places}f}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        low, high = (int(end) if self.guaranteed else float(end) for end in (self.low, self.high))
        return {
            "low": low,
            "high": high,
            "method": self.method,
            "guaranteed": self.guaranteed,
        }


def normal_interval(estimate: Number, variance: Number, alpha: Fraction) -> Interval:
    """Return the estimate plus or minus z standard deviations, in floats; a variance below 0 is 0.

    >>> found = normal_interval(Fraction(30), Fraction(75), Fraction(1, 20))
    >>> round(float(found.low), 3), round(float(found.high), 3)
    (13.026, 46.974)
    """
    z = NormalDist().inv_cdf(1 - float(alpha) / 2)
    middle, half = below(estimate), z * max(0.0, below(variance)) ** 0.5
    low, high = Fraction(middle - half), Fraction(middle + half)
    return Interval(low, high, "normal approximation", guaranteed=False)


def hoeffding_interval(estimate: Number, spread: Number, records: int, alpha: Fraction) -> Interval:
    """Return the whole counts within R sqrt(n ln(2 / alpha) / 2) of the estimate.

    >>> found = hoeffding_interval(Fraction(30), Fraction(2), 100, Fraction(1, 20))
    >>> int(found.low), int(found.high)
    (3, 57)
    """
    reach = spread * sqrt(ln(2 / alpha) * Fraction(records, 2)) if records else Fraction(0)
    low, high = ceil(bounds(estimate - reach)[0]), floor(bounds(estimate + reach)[1])
    return _within(low, high, records, "Hoeffding's inequality")


def tail_interval(seen: int, records: int, own: Number, other: Number, alpha: Fraction) -> Interval:
    """Return the whole counts that exact tails do not exclude.

    Args:
        seen: how often the report was seen.
        records: n.
        own: a, the probability of that report for a record of the value.
        other: b, the same for every other record; not equal to a.
        alpha: the probability with which the interval may miss.

    >>> found = tail_interval(40, 100, Fraction(3, 4), Fraction(1, 4), Fraction(1, 20))
    >>> int(found.low), int(found.high)
    (12, 47)
    """
    if own < other:  # then the records of other values make the report likelier
        return tail_interval(seen, records, other, own, alpha).mirrored(records)
    half = alpha / 2
    a, b = ball(own, 2 * _BITS), ball(other, 2 * _BITS)
    estimate, spread = (seen - other * records) / (own - other), 1 / (own - other)
    wider = hoeffding_interval(estimate, spread, records, alpha)  # excludes less, and at once

    def stays_from_below(h: int) -> bool:
        return not _at_most(half, seen, (h, a), (records - h, b))

    def stays_from_above(h: int) -> bool:  # Y <= y: at least n - y do not report it
        return not _at_most(half, records - seen, (records - h, 1 - b), (h, 1 - a))

    first, last = int(wider.low), int(wider.high)
    low = first + _first(lambda i: stays_from_below(first + i), last - first)
    high = last - _first(lambda i: stays_from_above(last - i), last - first)
    return _within(min(low, high), max(low, high), records, _EXACT)


def _first(stays: Callable[[int], bool], most: int) -> int:
    """Return the least of 0, 1, ..., most that stays in, or most if none does."""
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if stays(middle) else (middle, high)
    return high


def _within(low: int, high: int, records: int, method: str) -> Interval:
    """Cut an interval to 0..n, and leave the nearest count if nothing else is left."""
    ends = (min(max(low, 0), records), min(max(high, 0), records))
    return Interval(Fraction(min(ends)), Fraction(max(ends)), method, guaranteed=True)


def _at_most(level: Fraction, y: int, one: tuple[int, arb], two: tuple[int, arb]) -> bool:
    """Tell whether P(A + B >= y) <= level for certain, with A ~ Bin(*one) and B ~ Bin(*two).

    Values of A and B far from their means are left out; by Hoeffding's inequality their
    probability is at most 4 e^(-32).
    """
    with working_precision(_BITS):
        first, masses = _law(*one)
        start, others = _law(*two)
        tails = [arb(0)]  # sums of the last 0, 1, ... of the others
        for mass in reversed(others):
            tails.append(tails[-1] + mass)
        total = arb(0)
        for i, mass in enumerate(masses):
            needed = y - (first + i) - start
            total += mass * tails[len(others) - min(max(needed, 0), len(others))]
        left_out = 4 * arb(-2 * _REACH**2).exp()
        return bool(total + left_out <= arb(level.numerator) / level.denominator)


def _law(m: int, p: arb) -> tuple[int, list[arb]]:
    """Return the probabilities of Bin(m, p) near its mean, and where they begin."""
    if m == 0:
        return 0, [arb(1)]
    middle = int(float((p * m).mid()))
    reach = (isqrt(m) + 1) * _REACH + 2
    low, high = max(0, middle - reach), min(m, middle + reach)
    q = 1 - p
    if not p > 0 or not q > 0:  # certain: p is 0 or 1
        return (0 if not p > 0 else m), [arb(1)]
    logarithm = arb(m + 1).lgamma() - arb(low + 1).lgamma() - arb(m - low + 1).lgamma()
    mass = (logarithm + p.log() * low + q.log() * (m - low)).exp()
    odds = p / q
    masses = [mass]
    for j in range(low, high):
        mass = mass * odds * (m - j) / (j + 1)
        masses.append(mass)
    return low, masses
