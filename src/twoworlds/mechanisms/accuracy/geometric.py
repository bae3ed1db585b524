r"""The error of two-sided geometric noise, the integer form of Laplace noise.

For P(Z = k) = (1 - p) / (1 + p) * p^|k| and Z_1, ..., Z_d independent, M = max |Z_j|:

    E|Z| = 2p / (1 - p^2)              P(|Z| > t) = 2 p^(floor(t) + 1) / (1 + p)
    E Z^2 = 2p / (1 - p)^2             P(M > t) = 1 - (1 - P(|Z| > t))^d
    E sum |Z_j| = d E|Z|               E M = sum_t P(M > t) over t = 0, 1, 2, ...

With p = e^(-epsilon) the first two lie below 1/epsilon and 2/epsilon^2, the values of the Laplace
noise that costs as much; the tail need not lie below e^(-epsilon t), since it falls in steps.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from flint import arb, fmpz

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms.accuracy.bound import any_of
from twoworlds.numbers import (
    INFINITY,
    Number,
    Real,
    ball,
    bounds,
    exact_text,
    number,
    sqrt,
    whole,
    working_precision,
)

__all__ = [
    "geometric_max_tail",
    "geometric_mean_error",
    "geometric_mean_l1_error",
    "geometric_mean_max_error",
    "geometric_root_mean_square_error",
    "geometric_tail",
]

_LARGEST_EXACT = 64
_LARGEST_ALTERNATING = 2048
_MOST_TERMS = 1_000_000
_USUAL_BITS = 128


def geometric_mean_error(p: object) -> Number:
    """Return E|Z| = 2p / (1 - p^2).

    >>> geometric_mean_error("1/3")
    Fraction(3, 4)
    """
    chance = _p(p)
    return 2 * chance / (1 - chance * chance)


def geometric_root_mean_square_error(p: object) -> Number:
    """Return sqrt(E Z^2) with E Z^2 = 2p / (1 - p)^2.

    >>> geometric_root_mean_square_error("1/2")
    Fraction(2, 1)
    """
    return sqrt(GeometricNoise(_p(p)).variance)


def geometric_tail(p: object, t: object) -> Number:
    """Return P(|Z| > t) = 2 p^(floor(t) + 1) / (1 + p) for t >= 0.

    >>> geometric_tail("1/2", 2)
    Fraction(1, 6)
    """
    chance, limit = _p(p), number(t, "t")
    if limit == INFINITY or limit < 0:
        raise InvalidInput(f"t={t} must be a finite number, at least 0")
    return 2 * GeometricNoise(chance).at_least(_floor(limit) + 1)


def geometric_mean_l1_error(p: object, dimension: object) -> Number:
    """Return E(|Z_1| + ... + |Z_d|) = 2 d p / (1 - p^2).

    >>> geometric_mean_l1_error("1/3", 4)
    Fraction(3, 1)
    """
    return whole(dimension, "dimension", at_least=1) * geometric_mean_error(p)


def geometric_max_tail(p: object, dimension: object, t: object) -> Number:
    """Return P(M > t) = 1 - (1 - P(|Z| > t))^d.

    >>> geometric_max_tail("1/2", 2, 2)
    Fraction(11, 36)
    """
    return any_of(geometric_tail(p, t), whole(dimension, "dimension", at_least=1))


def geometric_mean_max_error(p: object, dimension: object) -> Number:
    """Return E M, the expected largest of d errors: a fraction, or an enclosure for large d.

    E M = sum_{t >= 0} (1 - (1 - c p^(t+1))^d) = sum_{j=1}^d (-1)^(j+1) C(d, j) (c p)^j / (1 - p^j)
    where: c = 2 / (1 + p)

    >>> geometric_mean_max_error("1/3", 2)
    Fraction(39, 32)

    Raises:
        Unsupported: for more than 2048 errors with p so near 1 that a million terms are too few.
    """
    chance, d = _p(p), whole(dimension, "dimension", at_least=1)
    if d == 1:
        return geometric_mean_error(chance)
    if isinstance(chance, Fraction) and d <= _LARGEST_EXACT:
        return _alternating(chance, d)
    if d <= _LARGEST_ALTERNATING:
        return Real(lambda bits: _alternating_ball(chance, d, bits))
    _terms(ball(chance, _USUAL_BITS), d, _USUAL_BITS)
    return Real(lambda bits: _series_ball(chance, d, bits))


def _alternating(p: Fraction, d: int) -> Fraction:
    """Add the alternating sum, by expanding each term of the series with the binomial theorem."""
    cp = 2 * p / (1 + p)
    terms = (-((-1) ** j) * comb(d, j) * cp**j / (1 - p**j) for j in range(1, d + 1))
    return sum(terms, start=Fraction(0))


def _alternating_ball(p: Number, d: int, bits: int) -> arb:
    """Add it with d more bits: c p < 1, so no term exceeds 2^d / (1 - p)."""
    more = bits + d + 64
    with working_precision(more):
        q = ball(p, more)
        cp, total = 2 * q / (1 + q), arb(0)
        for j in range(1, d + 1):
            total -= (-1) ** j * arb(fmpz(comb(d, j))) * cp**j / (1 - q**j)
    return total


def _series_ball(p: Number, d: int, bits: int) -> arb:
    """Add the series to where its rest is negligible: at most d c p^(T+1) / (1 - p) from T on."""
    q = ball(p, bits)
    c, power, total = 2 / (1 + q), q, arb(0)
    for _ in range(_terms(q, d, bits)):
        total += 1 - (1 - c * power) ** d
        power *= q
    half = d * c * power / (1 - q) / 2
    return total + half + arb(0, half.abs_upper())


def _terms(q: arb, d: int, bits: int) -> int:
    """Return about how many terms leave a rest of 2^-bits, or refuse when they are too many."""
    wanted = (bits * arb(2).log() + (2 * d / (1 - q)).log()) / -q.log()
    if wanted < _MOST_TERMS:
        return int(float(wanted)) + 1
    raise Unsupported(
        f"the expected largest of {d} geometric errors with p={float(q)} needs more than "
        f"{_MOST_TERMS} terms: use the Laplace value of the same epsilon, which is close"
    )


def _p(p: object) -> Number:
    chance = number(p, "p")
    if not 0 < chance < 1:
        raise InvalidInput(f"p={exact_text(chance)} must lie strictly between 0 and 1")
    return chance


def _floor(t: Number) -> int:
    """Return the largest whole number that is at most t, decided exactly."""
    low, _ = bounds(t)
    below = low.numerator // low.denominator
    while below + 1 <= t:
        below += 1
    return below
