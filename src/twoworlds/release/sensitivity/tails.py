r"""Tails of noise that are quick also for wide Gaussian laws, never too small."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from twoworlds.laws.noise import DiscreteGaussianNoise, Noise
from twoworlds.numbers import Number, Real, ball

__all__ = ["at_least"]

_WIDE = 1000


def at_least(law: Noise, k: int) -> Number:
    """Return P(Z >= k), or for a wide Gaussian law a bound from above.

    With s = sigma^2 the weight at j is at most its integral from j - 1/2 to j + 1/2 where it is
    convex, for j - 1/2 >= sqrt(s), and the sum of all weights is at least sqrt(2 pi s) (Poisson
    summation). So P(Z >= k) <= 1/2 erfc((k - 1/2) / sqrt(2 s)).

    >>> from twoworlds.numbers import decimal
    >>> decimal(at_least(DiscreteGaussianNoise(Fraction(10**12)), 2 * 10**6))
    '0.0227502'
    """
    if not isinstance(law, DiscreteGaussianNoise) or law.sigma2 <= _WIDE:
        return law.at_least(k)
    if k <= 0 or (2 * k - 1) ** 2 < 4 * law.sigma2:
        return Fraction(1)

    def bound(bits: int) -> arb:
        inside: arb = ball((2 * k - 1) ** 2 / (8 * law.sigma2), bits)
        return inside.sqrt().erfc() / 2

    return Real(bound)
