r"""How far noise reaches: its exact variance, and the width that it keeps to with a confidence.

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
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import floor, log, sqrt
from statistics import NormalDist

from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, Noise
from twoworlds.numbers import Number, exp, ln
from twoworlds.release.sensitivity.calibration import FAILURE, at_least, least

_WIDE = 100  # above it no 4096 bits tell sigma from a rational number next to it


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
    return floor(deviations * sqrt(float(variance(law))))


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
