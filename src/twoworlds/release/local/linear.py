r"""Unbiased linear estimates, by the inverse of a channel, and intervals for a true count.

Let h be the true counts of the values, c the counts of the reports and T the channel, so that
E c = T h. A matrix L with L T = 1 gives the unbiased estimate L c, whose variance, given h, is

    Var (L c)_v = sum_u h_u s_vu,    s_vu = sum_o L_vo^2 T_ou - [u = v],

because each record adds L_vo with probability T_ou, of mean [u = v]. It is linear in h, and so

    sum_o L_vo^2 c_o - (L c)_v

is an unbiased estimate of it. (Wu, Proposition 3.3, is the case of two values and symmetric T.)

For a square channel L = T^(-1). With more reports than values there are many L; this is the one of
least squares, weighted by W = diag(1 / r) with r = T (1, ..., 1)':

    L = (T' W T)^(-1) T' W.

Its columns add up to 1, so that the estimates add up to the number of records: T' W T (1, ..., 1)'
= T' (1, ..., 1)' = (1, ..., 1)', which makes (1, ..., 1) L = (W r)' = (1, ..., 1).

Of symmetric channels, keep p and q for each other value, L c = (c - q n) / (p - q), and that also
for irrational p and q: L has (1 - q) / (p - q) on its diagonal and -q / (p - q) elsewhere, and
likewise s has p (1 - p) / (p - q)^2 and q (1 - q) / (p - q)^2.

Of the intervals two hold, and one is only roughly right.

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

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil, floor, isqrt
from statistics import NormalDist
from typing import Any

from flint import arb, fmpq, fmpq_mat

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, ball, below, bounds, ln, maximum, sqrt, working_precision
from twoworlds.release.local.randomizer import Randomizer
from twoworlds.release.sensitivity.calibration import least


@dataclass(frozen=True)
class Inverse:
    """The matrix L of a channel, and what one record of each value adds to each variance."""

    rows: tuple[tuple[Number, ...], ...]
    shares: tuple[tuple[Number, ...], ...]
    possible: tuple[bool, ...]
    symmetric: tuple[Number, Number] | None = None  # p and q

    @staticmethod
    def of(channel: Randomizer) -> Inverse:
        """Invert a channel: a symmetric one in closed form, a rational one by least squares."""
        if channel.symmetric:
            p, q = channel.rows[0][0], channel.rows[0][1]
            if not (p < q or p > q):
                raise InvalidInput(_not_estimable(channel))
            gap, values = p - q, range(len(channel.values))
            rows, shares = (
                tuple(tuple(own if v == o else other for o in values) for v in values)
                for own, other in (
                    ((1 - q) / gap, -q / gap),
                    (p * (1 - p) / (gap * gap), q * (1 - q) / (gap * gap)),
                )
            )
            return Inverse(rows, shares, (True,) * len(values), (p, q))
        t = _rational(channel)
        height, width = t.nrows(), t.ncols()
        if t.rank() < width:
            raise InvalidInput(_not_estimable(channel))
        possible = [sum((t[o, v] for v in range(width)), fmpq(0)) for o in range(height)]
        weighted = fmpq_mat(
            [[t[o, v] / possible[o] if possible[o] != 0 else fmpq(0) for o in range(height)]
             for v in range(width)]
        )  # fmt: skip
        found = (weighted * t).inv() * weighted
        squares = fmpq_mat(
            [[found[v, o] * found[v, o] for o in range(height)] for v in range(width)]
        )
        added = squares * t
        return Inverse(
            tuple(tuple(_fraction(found[v, o]) for o in range(height)) for v in range(width)),
            tuple(
                tuple(_fraction(added[v, u]) - (u == v) for u in range(width)) for v in range(width)
            ),
            tuple(mass != 0 for mass in possible),
        )

    def counts(self, reports: Sequence[int]) -> list[Number]:
        """Return L c."""
        if self.symmetric is not None:  # the same, as a shorter formula
            p, q = self.symmetric
            return [(count - q * sum(reports)) / (p - q) for count in reports]
        return [_dot(row, reports) for row in self.rows]

    def variance(self, v: int, histogram: Sequence[int]) -> Number:
        """Return the variance of the estimate of v, exactly, given the true counts."""
        return _dot(self.shares[v], histogram)

    def estimated_variance(self, v: int, reports: Sequence[int]) -> Number:
        """Return the unbiased estimate of the variance, which may be negative."""
        return _dot(self.rows[v], reports, lambda weight: weight * weight - weight)

    def largest_variance(self, v: int, records: int) -> Number:
        """Let all records have the value that adds most."""
        return reduce(maximum, _distinct(self.shares[v])) * records

    def spread(self, v: int) -> Number:
        """Return max L_vo - min L_vo over the possible reports o."""
        row = _distinct(w for w, can in zip(self.rows[v], self.possible, strict=True) if can)
        return reduce(maximum, row) + reduce(maximum, [-w for w in row])


def _distinct(weights: Iterable[Number]) -> list[Number]:
    """Return each object once: a symmetric channel has two in a row, however many values it has."""
    return [*{id(weight): weight for weight in weights}.values()]


def _dot(
    weights: Sequence[Number],
    counts: Sequence[int],
    term: Callable[[Number], Number] = lambda weight: weight,
) -> Number:
    """Return the sum of term(weight) count, after adding the counts of each weight."""
    totals: Counter[int] = Counter()
    for weight, count in zip(weights, counts, strict=True):
        totals[id(weight)] += count
    return sum((term(weight) * totals[id(weight)] for weight in _distinct(weights)), Fraction(0))


def _not_estimable(channel: Randomizer) -> str:
    return (
        f"{channel.expression} mixes the {len(channel.values)} values so that different true "
        "counts give the same reports on average, and no estimate tells them apart: use a channel "
        "whose columns are linearly independent"
    )


def _rational(channel: Randomizer) -> fmpq_mat:
    rows = [[entry for entry in row if isinstance(entry, Fraction)] for row in channel.rows]
    if any(len(row) < len(channel.values) for row in rows):
        raise InvalidInput(
            f"{channel.expression} holds irrational probabilities, which are inverted for "
            "randomized-response and frapp only: give the matrix as fractions"
        )
    return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows])


def _fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


_EXACT = "exact tails"
_BITS = 128
_REACH = 4  # times sqrt(m): what lies further from the mean has probability at most 2 e^(-32)


@dataclass(frozen=True)
class ConfidenceInterval:
    """From low to high, both included.

    Attributes:
        method: how it was found.
        guaranteed: whether it holds with the stated confidence, or only roughly.
    """

    low: Fraction
    high: Fraction
    method: str
    guaranteed: bool

    def mirrored(self, records: int) -> ConfidenceInterval:
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


def normal_interval(estimate: Number, variance: Number, alpha: Fraction) -> ConfidenceInterval:
    """Return the estimate plus or minus z standard deviations, in floats; a variance below 0 is 0.

    >>> found = normal_interval(Fraction(30), Fraction(75), Fraction(1, 20))
    >>> round(float(found.low), 3), round(float(found.high), 3)
    (13.026, 46.974)
    """
    z = NormalDist().inv_cdf(1 - float(alpha) / 2)
    middle, half = below(estimate), z * max(0.0, below(variance)) ** 0.5
    low, high = Fraction(middle - half), Fraction(middle + half)
    return ConfidenceInterval(low, high, "normal approximation", guaranteed=False)


def hoeffding_interval(
    estimate: Number, spread: Number, records: int, alpha: Fraction
) -> ConfidenceInterval:
    """Return the whole counts within R sqrt(n ln(2 / alpha) / 2) of the estimate.

    >>> found = hoeffding_interval(Fraction(30), Fraction(2), 100, Fraction(1, 20))
    >>> int(found.low), int(found.high)
    (3, 57)
    """
    reach = spread * sqrt(ln(2 / alpha) * Fraction(records, 2)) if records else Fraction(0)
    low, high = ceil(bounds(estimate - reach)[0]), floor(bounds(estimate + reach)[1])
    return _within(low, high, records, "Hoeffding's inequality")


def tail_interval(
    seen: int, records: int, own: Number, other: Number, alpha: Fraction
) -> ConfidenceInterval:
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
    low = first + least(lambda i: first + i >= last or stays_from_below(first + i), 0)
    high = last - least(lambda i: last - i <= first or stays_from_above(last - i), 0)
    return _within(min(low, high), max(low, high), records, _EXACT)


def _within(low: int, high: int, records: int, method: str) -> ConfidenceInterval:
    """Cut an interval to 0..n, and leave the nearest count if nothing else is left."""
    ends = (min(max(low, 0), records), min(max(high, 0), records))
    return ConfidenceInterval(Fraction(min(ends)), Fraction(max(ends)), method, guaranteed=True)


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
