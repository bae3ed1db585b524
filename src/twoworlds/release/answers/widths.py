r"""How far noise reaches: its exact variance, and the width that it keeps to with a confidence.

The half width for a failure probability a is

    h = min {h >= 0 : P(|Z| > h) <= a},

found from a float guess and certified by exact tails. Tails of wide Gaussian laws are bounds from
above (`twoworlds.release.sensitivity.tails`): there h is never too small, and may be too large by
one. The variance of the discrete Gaussian law with parameter s above `_WIDE` is given as s. By
Poisson summation it is

    s - 4 pi^2 s^2 (sum of m^2 q^(m^2)) / (sum of q^(m^2)),   q = e^(-2 pi^2 s),

over all whole m: less than s, by a relative part below 100 s e^(-19 s).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import floor, log, sqrt
from statistics import NormalDist

from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, Noise
from twoworlds.numbers import Number, ln
from twoworlds.release.sensitivity.tails import at_least

__all__ = ["FAILURE", "half_width", "least", "variance"]

FAILURE = Fraction(1, 20)  # intervals hold with probability 95 %
_WIDE = 1000


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


def least(holds: Callable[[int], bool], guess: int) -> int:
    """Return the least h >= 0 for which a condition holds that, once true, stays true.

    >>> least(lambda h: h * h >= 50, 3)
    8
    """
    high, step = max(0, guess), 1
    if holds(high):
        while high >= step and holds(high - step):
            high, step = high - step, 2 * step
        low = max(-1, high - step)
    else:
        while not holds(high + step):
            high, step = high + step, 2 * step
        low, high = high, high + step
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _beyond(law: Noise, h: int) -> Number:
    """Return P(|Z| > h), or a bound from above."""
    return at_least(law, h + 1) + at_least(law.reflected(), h + 1)


def _guess(law: Noise, failure: Fraction) -> int:
    if isinstance(law, GeometricNoise):
        return floor(log(2 / (float(failure) * (1 + float(law.p)))) / -float(ln(law.p)))
    deviations = NormalDist().inv_cdf(1 - float(failure) / 2)
    return floor(deviations * sqrt(float(variance(law))))
