r"""Exact binomial bounds of Clopper and Pearson, rounded to the safe side.

Of n independent draws, k fell into an event of unknown probability p. The lower bound is a p with

    P(Bin(n, p) >= k) = I_p(k, n - k + 1) <= alpha,

where I is the regularised incomplete beta function: were the truth smaller still, as many hits
would have had probability at most alpha. The upper bound is one minus the lower bound for the
misses. Tails are enclosed by balls; a bound that is not certain at its level is not returned. So
each bound misses the truth with probability at most alpha, whatever the truth is.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, lgamma, log, log1p, sqrt
from statistics import NormalDist

from flint import arb, fmpq

from twoworlds.errors import InvalidInput
from twoworlds.numbers import working_precision

__all__ = ["lower_bound", "tail_at_most", "upper_bound"]

_BITS = 64
_MOST_TERMS = 100_000
_GRID = 1 << 60


def lower_bound(hits: int, draws: int, alpha: Fraction) -> Fraction:
    """Return a probability below which the truth lies with probability at most ``alpha``.

    >>> float(round(lower_bound(8, 10, Fraction(1, 20)), 4))
    0.4931
    >>> lower_bound(0, 10, Fraction(1, 20))
    Fraction(0, 1)
    """
    _check(hits, draws, alpha)
    if hits == 0:
        return Fraction(0)
    guess = _guessed(hits, draws, float(alpha))
    for digits in range(9, -1, -1):  # the first that is certain, next to what floats say
        slack = Fraction(1, 10**digits) * min(Fraction(guess), 1 - Fraction(guess))
        certain = Fraction(int((Fraction(guess) - slack) * _GRID), _GRID)
        if tail_at_most(hits, draws, certain, alpha):
            return certain
    return Fraction(0)


def upper_bound(hits: int, draws: int, alpha: Fraction) -> Fraction:
    """Return a probability above which the truth lies with probability at most ``alpha``.

    >>> float(round(upper_bound(2, 10, Fraction(1, 20)), 4))
    0.5069
    """
    return 1 - lower_bound(draws - hits, draws, alpha)


def tail_at_most(hits: int, draws: int, p: Fraction, alpha: Fraction) -> bool:
    """Tell whether P(Bin(draws, p) >= hits) <= alpha for certain."""
    if hits <= 0:
        return alpha >= 1
    if p <= 0:
        return True
    if p >= 1:
        return alpha >= 1
    if hits == draws:  # p^n, exactly where that is cheap
        return _power_at_most(p, draws, alpha)
    with working_precision(_BITS):
        tail = _ball(p).beta_lower(arb(hits), arb(draws - hits + 1), True)  # noqa: FBT003
        return bool(tail <= _ball(alpha))


def _power_at_most(p: Fraction, draws: int, alpha: Fraction) -> bool:
    if draws * p.denominator.bit_length() < 10_000:
        return p**draws <= alpha
    with working_precision(_BITS):
        return bool(_ball(p) ** draws <= _ball(alpha))


def _guessed(hits: int, draws: int, alpha: float) -> float:
    """Return the p with P(Bin(draws, p) >= hits) = alpha, in floats: nothing rests on it."""
    if hits == draws:
        return float(alpha ** (1 / draws))
    low, high = 0.0, hits / draws
    z = -NormalDist().inv_cdf(min(0.5, max(1e-300, alpha)))
    near = high - 1.2 * z * sqrt(high * (1 - high) / draws) - (z * z + 1) / draws
    if near > 0 and _rough_tail(hits, draws, near) <= alpha:
        low = near
    while high - low > 1e-10 * min(high, 1 - high):
        middle = (low + high) / 2 if low >= high / 32 else high / 16
        if not low < middle < high:
            break
        low, high = (middle, high) if _rough_tail(hits, draws, middle) <= alpha else (low, middle)
    return low


def _rough_tail(hits: int, draws: int, p: float) -> float:
    """Return P(Bin(draws, p) >= hits) for p below the mean, by Lentz's continued fraction."""
    a, b = hits, draws - hits + 1
    front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(p) + b * log1p(-p) - log(a)
    c, d = 1.0, 1.0 / (1 - (a + b) * p / (a + 1))
    fraction = d
    for m in range(1, _MOST_TERMS):
        for term in (
            m * (b - m) * p / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * p / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + term * d), 1 + term / c
            fraction *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return exp(min(0.0, front + log(fraction))) if fraction > 0 else 1.0


def _ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def _check(hits: int, draws: int, alpha: Fraction) -> None:
    if not 0 <= hits <= draws or draws < 1:
        raise InvalidInput(f"{hits} hits of {draws} draws: hits lie between 0 and the draws")
    if not 0 < alpha < 1:
        raise InvalidInput(f"alpha={alpha} must lie strictly between 0 and 1")
