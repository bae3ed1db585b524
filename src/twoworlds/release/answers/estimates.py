r"""Estimates with their errors, and the noisy measures that they are made of.

An error here is the error of noise and of nothing else: that values were clamped and rounded, that
rows without a value or beyond the limit of a person were left out, belongs to the question.

Let n, T, S be the true rows, total and squares of a cell (T and S around the center c, in units),
and N, X, Y the noisy ones.

    count, people, sum    unit * N, or unit * X: unbiased; interval from the exact law
    mean                  unit * (c + X / max(N, 1)), clamped to the bounds
    variance              unit^2 * (Y / max(N, 1) - (X / max(N, 1))^2), clamped to [0, range^2 / 4]
    quantile              the chosen value of the grid; its error is stated in ranks

Intervals of a mean or a variance are rigorous: each noisy part keeps to an interval of its own but
for 5 % divided by the number of noisy parts, so that all do with probability at least 95 %, and
then the true ratio lies between the least and the greatest that n >= 1, T and S in their intervals
allow. If a group is empty, its mean is not defined, and an interval says nothing.

Standard errors of a mean and a variance come from the first derivatives (delta method):

    mean        sqrt(var X + m^2 var N) / N                            m = X / N
    variance    sqrt(var Y + 4 m^2 var X + (2 m^2 - Y/N)^2 var N) / N

They are approximate, and none is given where N is within its noise of 0.

Before the data are seen, with M = max |v - c|, and if n exceeds the reach h_N of its noise,

    |mean - estimate| <= d = (h_X + M h_N) / (n - h_N)
    |variance - estimate| <= (h_Y + M^2 h_N) / (n - h_N) + d (2 M + d)

since X/N - T/n = (Z_X - (T/n) Z_N) / N with |T/n| <= M, likewise for Y/N with S/n <= M^2, and
A^2 - B^2 = (A - B)(A + B).

`expected_errors` says the errors that an answer will have, before it is paid for.

How far noise reaches: its exact variance, and the width that it keeps to with a confidence.

The half width for a failure probability a is

    h = min {h >= 0 : P(|Z| > h) <= a},

found from a float guess and certified by exact tails. Tails of wide Gaussian laws are bounds from
above (`twoworlds.release.sensitivity`): there h is never too small, and may be too large by
one. The variance of the discrete Gaussian law with parameter s above `_WIDE` is given as s. By
Poisson summation it is

    s - 4 pi^2 s^2 (sum of m^2 q^(m^2)) / (sum of q^(m^2)),   q = e^(-2 pi^2 s),

over all whole m: less than s, by a relative part below 100 s e^(-19 s).

Quantiles: scores of the candidates, what one row does to them, and how good the choice is. For the
quantile a/b in lowest terms, of n rows, let x_i rows lie below candidate i, y_i at it and z_i above
it. Its ranks are the interval [x_i, x_i + y_i], the target rank is a n / b, and

    score_i = -max(0, U_i, W_i),   U_i = b x_i - a n = (b - a) x_i - a (y_i + z_i)
                                   W_i = a n - b (x_i + y_i) = a z_i - (b - a) (x_i + y_i)

is minus b times the distance of the target from the candidate's ranks: a whole number.

What one row more does. Below the candidate: U rises and W falls by b - a. At it: U falls by a, W
by b - a. Above it: U falls and W rises by a. So no score moves by more than max(a, b - a), and the
changes of two candidates differ by at most

    range = 2 max(a, b - a)   in general,
    range = 1                 for a/b = 0 and a/b = 1.

In the second case the score is -x_i, or -z_i: a row lowers some scores by 1 and raises none. Both
are attained (the tests enumerate). Hence candidate i with probability proportional to
e^(rate * score_i / range) makes a row more or less cost at most `rate`: with D_i the change of
score i, the probability of i changes by the factor e^(r D_i) / average of e^(r D_j), r = rate /
range, which lies within e^(+-r range). All factors of one change lie within e^rate of one another,
so the choice has bounded range `rate` as well.

How good it is. If best is the largest score among m candidates, the others with a score of
best - k or less weigh together at most w = (m - 1) e^(-r k) of a best one, and so

    P(score <= best - k) <= w / (1 + w).

It is at most 5 % from the least k with (m - 1) e^(-r k) <= 1/19 on. So with probability 95 % the
target lies at most (k - 1) / b ranks further from the chosen candidate than from the best one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from math import ceil, floor, log
from math import sqrt as root
from statistics import NormalDist
from typing import NamedTuple

from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, Noise
from twoworlds.numbers import Number, exp, ln, sqrt, whole
from twoworlds.release.query.model import Kind
from twoworlds.release.query.resolve import Resolved, SummedMeasure
from twoworlds.release.sensitivity import Calibration, MeasureNoise
from twoworlds.release.sensitivity.calibration import FAILURE, at_least, least

_WIDE = 100  # above it no 4096 bits tell sigma from a rational number next to it
# What an interval is worth, as it is said.
EXACT, LAW, BOUND, RANKS = "exact", "95%", "at least 95%", "at least 95%, in ranks"


@lru_cache(maxsize=256)
def half_width(law: Noise | None, failure: Fraction = FAILURE) -> int:
    """Return the least h with P(|Z| > h) <= failure; 0 when there is no noise.

    >>> half_width(GeometricNoise(Fraction(1, 2)))  # P(|Z| > h) = 2/3 * 2^-h
    4
    """
    if law is None:
        return 0
    return least(lambda h: bool(_beyond(law, h) <= failure), _guess(law, failure))


@lru_cache(maxsize=256)
def variance(law: Noise | None) -> Number:
    """Return E Z^2 of noise with mean 0."""
    if law is None:
        return Fraction(0)
    if isinstance(law, DiscreteGaussianNoise) and law.sigma2 > _WIDE:
        return law.sigma2
    return law.variance


def _beyond(law: Noise, h: int) -> Number:
    """Return P(|Z| > h), or a bound from above."""
    return at_least(law, h + 1) + at_least(law.reflected(), h + 1)


def _guess(law: Noise, failure: Fraction) -> int:
    if isinstance(law, GeometricNoise):
        return floor(log(2 / (float(failure) * (1 + float(law.p)))) / -float(ln(law.p)))
    deviations = NormalDist().inv_cdf(1 - float(failure) / 2)
    return floor(deviations * root(float(variance(law))))


def scores(counts: Sequence[int], at: Fraction) -> list[int]:
    """Return the score of each candidate from the rows in 2 m + 1 bins: below, at, between, above.

    >>> scores([0, 1, 0, 1, 0, 1, 0], Fraction(1, 2))  # one row at each of three candidates
    [-1, 0, -1]
    """
    a, b = at.numerator, at.denominator
    up_to = list(accumulate(counts))
    target = a * up_to[-1]
    return [
        -max(0, b * up_to[i] - target, target - b * up_to[i + 1])
        for i in range(0, len(up_to) - 1, 2)
    ]


def score_range(at: Fraction) -> int:
    """Return by how much the changes of two scores differ at most, when a row comes or goes.

    >>> score_range(Fraction(1, 2)), score_range(Fraction(9, 10)), score_range(Fraction(0))
    (2, 18, 1)
    """
    if at in (0, 1):
        return 1
    return 2 * max(at.numerator, at.denominator - at.numerator)


def choice_rate(at: Fraction, rate: Fraction) -> Fraction:
    """Return r such that P(i) proportional to e^(r score_i) costs at most ``rate`` for one row."""
    return rate / score_range(at)


def rank_error(at: Fraction, candidates: int, rate: Fraction) -> Fraction:
    """Return how many ranks the choice is worse than the best candidate, at most, but for failure.

    >>> rank_error(Fraction(1, 2), 101, Fraction(1))
    Fraction(15, 2)
    """
    if candidates == 1:
        return Fraction(0)
    r, odds = choice_rate(at, rate), FAILURE / (1 - FAILURE)
    guess = int(log((candidates - 1) / odds) / r)
    worse = least(lambda k: bool((candidates - 1) * exp(-r * k) <= odds), guess)
    return Fraction(max(0, worse - 1), at.denominator)


class CellEstimate(NamedTuple):
    """An answer and its error.

    Attributes:
        value: The estimate, exact as a function of the noisy integers.
        error: Its standard error: a number of the exact law, a float where it is approximate (delta
            method), or None where there is none to be given.
        low: The lower end of the interval, ``high`` the upper; None for a quantile.
    """

    value: Fraction
    error: Number | float | None
    low: Fraction | None
    high: Fraction | None


class Expected(NamedTuple):
    """The error to be expected before anything is paid, with what it is worth.

    The answer is off by at most ``half_width``, or in place of that ``ranks``. ``size`` is the
    group size that was supposed; None when it does not matter or was not given. In groups smaller
    than ``least_group`` the answer is lost in noise.
    """

    name: str
    kind: Kind
    standard_error: Number | float | None
    half_width: Fraction | None
    ranks: Fraction | None
    size: int | None
    needs_size: bool
    certainty: str
    least_group: int


@dataclass(frozen=True)
class Estimator:
    """One column of the answer: from the noisy integers of a cell to an estimate.

    ``places`` says where its measures stand among those of the query: rows, total and squares, as
    far as it needs them.
    """

    name: str
    kind: Kind
    places: tuple[int, ...]
    measures: tuple[SummedMeasure, ...]
    noises: tuple[MeasureNoise, ...]

    @property
    def linear(self) -> bool:
        """Whether it is a count or a sum: a noisy number in its unit, and nothing else."""
        return self.kind in ("count", "people", "sum")

    @property
    def unit(self) -> Fraction:
        """The unit of the values; that of a total comes last but for the squares."""
        return self.measures[min(1, len(self.measures) - 1)].unit

    @cached_property
    def certainty(self) -> str:
        """What its intervals are worth; of a quantile only ranks are known."""
        if self.kind == "quantile":
            return RANKS if self.noises[0].rate else EXACT
        if all(noise.law is None for noise in self.noises):
            return EXACT
        return LAW if self.linear else BOUND

    @cached_property
    def whole(self) -> bool:
        """Whether every estimate is a whole number, by declaration and not by chance."""
        return len(self.measures) == 1 and self.unit.denominator == 1

    @cached_property
    def ranks(self) -> Fraction | None:
        """How many ranks a quantile may be worse than the best value of the grid."""
        if self.kind != "quantile":
            return None
        rate, measure = self.noises[0].rate, self.measures[0]
        return rank_error(measure.at, len(measure.grid), rate) if rate else Fraction(0)

    @cached_property
    def reaches(self) -> tuple[int, ...]:
        """The half width of each part, in units, when all are to hold together."""
        sharing = max(1, sum(noise.law is not None for noise in self.noises))
        return tuple(half_width(noise.law, FAILURE / sharing) for noise in self.noises)

    @cached_property
    def error(self) -> Number:
        """The standard error of a count or a sum, the same in all cells."""
        return self.unit * sqrt(variance(self.noises[0].law))

    @cached_property
    def half_width(self) -> Fraction:
        """Half the width of all intervals of a count or a sum."""
        return self.unit * self.reaches[0]

    @cached_property
    def widest(self) -> Fraction:
        """How wide the interval of a mean or variance is that tells nothing."""
        return self._off_by(0)

    @cached_property
    def least_group(self) -> int:
        """The least number of rows in a group whose answer need not be lost in noise.

        A count or sum is lost where its standard error exceeds what so many rows can add up to; a
        mean or variance where the bound on its error is no less than what the policy's bounds say
        without any answer; a quantile where it may be off by more ranks than there are rows.
        """
        if self.certainty == EXACT:
            return 1
        if self.kind == "quantile":
            return max(1, ceil(self.ranks or 0))
        if self.linear:
            measure = self.measures[0]
            one = max(abs(measure.low), abs(measure.high), 1) * self.unit
            guess = int(float(self.error) / float(one))
            return least(lambda n: n > 0 and bool(self.error <= n * one), guess)
        if self.widest == 0:
            return 1
        return least(lambda n: n > 0 and self._off_by(n) < self.widest, self.reaches[0])

    def estimate(self, noisy: Sequence[int]) -> CellEstimate:
        """Return the estimate of a cell, from one integer for each measure of the query."""
        found = [noisy[place] for place in self.places]
        if self.linear:
            value = self.unit * found[0]
            return CellEstimate(value, self.error, value - self.half_width, value + self.half_width)
        if self.kind == "quantile":
            return CellEstimate(self.unit * self.measures[0].grid[found[0]], None, None, None)
        return self._mean(*found) if self.kind == "mean" else self._variance(*found)

    def expected(self, size: int | None) -> Expected:
        """Return the error to be expected, in a group of the given size where that matters."""
        error: Number | float | None = self.error if self.linear else None
        half = self.half_width if self.linear else None
        ratio = self.kind in ("mean", "variance")
        if ratio and size is not None:
            half = self._off_by(size)
            if size > self._alone:
                error = self._deviation(
                    size, self.measures[1].largest, self.measures[1].largest ** 2
                )
        supposed = size if ratio else None
        return Expected(
            self.name,
            self.kind,
            error,
            half,
            self.ranks,
            supposed,
            ratio,
            self.certainty,
            self.least_group,
        )

    # --- means and variances, around the center and in units -----------------------------------

    @cached_property
    def _spreads(self) -> tuple[float, ...]:
        return tuple(float(variance(noise.law)) for noise in self.noises)

    @cached_property
    def _alone(self) -> int:
        """How far the noise of the number of rows reaches, by itself."""
        return half_width(self.noises[0].law)

    @property
    def _bounds(self) -> tuple[int, int]:
        """The least and the greatest v - c."""
        total = self.measures[1]
        return total.low - total.center, total.high - total.center

    @property
    def _largest_variance(self) -> Fraction:
        """The largest variance of values between the bounds: (range / 2)^2 (Popoviciu)."""
        return Fraction(self._bounds[1] - self._bounds[0], 2) ** 2

    def _within(self, *noisy: int) -> list[tuple[int, int]]:
        """Return the interval of each part when all are to hold together."""
        pairs = zip(noisy, self.reaches, strict=True)
        return [(value - reach, value + reach) for value, reach in pairs]

    def _deviation(self, n: int, mean: float, square: float) -> float:
        """Return the standard error by the delta method; with the most that values allow, a bound.

        A square of m^2 stands for the largest (2 m^2 - Y/N)^2, which is m^4.
        """
        by_rows, by_total, *by_squares = self._spreads
        if not by_squares:
            return float(self.unit) * root(by_total + mean**2 * by_rows) / n
        spread = by_squares[0] + 4 * mean**2 * by_total + (2 * mean**2 - square) ** 2 * by_rows
        return float(self.unit) ** 2 * root(spread) / n

    def _mean(self, n: int, x: int) -> CellEstimate:
        """Divide by the noisy size of the group, at least 1."""
        bounds = self._bounds
        around = clamped(Fraction(x, max(n, 1)), *bounds)
        error = self._deviation(n, float(around), 0) if n > self._alone else None
        (small, large), (least, most) = self._within(n, x)
        low, high = map(Fraction, bounds)
        if large >= 1:  # otherwise the group seems to be empty
            small = max(1, small)
            low = clamped(Fraction(least, small if least < 0 else large), *bounds)
            high = clamped(Fraction(most, large if most < 0 else small), *bounds)
        center = self.measures[1].center
        value, low, high = (self.unit * (center + y) for y in (around, low, high))
        return CellEstimate(value, error, low, high)

    def _variance(self, n: int, x: int, y: int) -> CellEstimate:
        r"""Put the three parts together.

        Of the interval: as a function of n, S / n - T^2 / n^2 rises up to n = 2 T^2 / S and falls
        from there on. It is least at an end of the interval of n, and greatest at that place or at
        the end next to it.
        """
        unit, most = self.unit**2, self._largest_variance
        size = max(n, 1)
        value = clamped(Fraction(y, size) - Fraction(x, size) ** 2, 0, most)
        error = self._deviation(n, x / n, y / n) if n > self._alone else None
        (small, large), totals, squares = self._within(n, x, y)
        low, high = Fraction(0), most
        if large >= 1:  # otherwise the group seems to be empty
            small = max(1, small)
            furthest = max(end**2 for end in totals)
            nearest = 0 if totals[0] <= 0 <= totals[1] else min(end**2 for end in totals)
            least, greatest = (max(0, end) for end in squares)
            top = clamped(Fraction(2 * nearest, greatest or 1), small, large)
            top = top if greatest else Fraction(large)
            ends = (Fraction(least, k) - Fraction(furthest, k * k) for k in (small, large))
            low = clamped(min(ends), 0, most)
            high = clamped(greatest / top - nearest / top**2, 0, most)
        return CellEstimate(unit * value, error, unit * low, unit * high)

    def _off_by(self, size: int) -> Fraction:
        """Return how far an estimate is off at most, in a group of a size (d of the legend)."""
        surely, m = size - self.reaches[0], self.measures[1].largest
        if self.kind == "mean":
            most, power = Fraction(self._bounds[1] - self._bounds[0]), 1
        else:
            most, power = self._largest_variance, 2
        if surely >= 1:
            rows, total, *squares = self.reaches
            off = Fraction(total + m * rows, surely)
            if squares:
                off = Fraction(squares[0] + m * m * rows, surely) + off * (2 * m + off)
            most = min(most, off)
        return self.unit**power * most


def clamped(x: Fraction, low: Fraction | int, high: Fraction | int) -> Fraction:
    """Return the nearest number between two bounds."""
    return Fraction(min(max(x, low), high))


def estimators(resolved: Resolved, noises: Sequence[MeasureNoise]) -> tuple[Estimator, ...]:
    """Return the estimator of each aggregate."""
    return tuple(
        Estimator(
            aggregate.name,
            aggregate.kind,
            places,
            tuple(resolved.measures[i] for i in places),
            tuple(noises[i] for i in places),
        )
        for aggregate, places in zip(resolved.query.aggregates, resolved.recipes, strict=True)
    )


def expected_errors(
    resolved: Resolved, calibration: Calibration, *, size: int | None = None, query: int = 0
) -> tuple[Expected, ...]:
    """Return for each aggregate the standard error and the 95 % half width to be expected.

    Those of counts, sums and quantiles do not depend on the data. Those of means and variances
    fall with the size of the group: they are None unless a size is supposed, and then they hold
    whatever the values in the group are.
    """
    supposed = None if size is None else whole(size, "size")
    noises = calibration.noises[query]
    return tuple(each.expected(supposed) for each in estimators(resolved, noises))
