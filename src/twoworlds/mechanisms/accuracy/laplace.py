r"""The error of Laplace noise: every part of Wu's Lemma 4.4, exact beside the printed bound.

For Z with density e^(-|z| / b) / (2 b), |Z| is exponential with mean b; for Z_1, ..., Z_d
independent, M = max |Z_j|:

    1(a)  E|Z| = b                     2(a)  E sum |Z_j| = d b
    1(b)  sqrt(E Z^2) = sqrt(2) b      2(b)  P(M > b (ln d + t)) = 1 - (1 - e^(-t)/d)^d
    1(c)  P(|Z| > t b) = e^(-t)        2(c)  E M = b H_d,  H_d = 1 + 1/2 + ... + 1/d

Differs: the lemma prints 1(c), 2(b), 2(c) as inequalities. 1(c) is an equality, 2(b) and 2(c) are
equalities for d = 1 only, and the exact right-hand sides are the ones above.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from twoworlds.mechanisms.accuracy.bound import Bound, any_of
from twoworlds.numbers import Number, Real, exp, ln, positive, sqrt, whole

__all__ = [
    "harmonic",
    "laplace_errors",
    "laplace_max_tail",
    "laplace_mean_error",
    "laplace_mean_l1_error",
    "laplace_mean_max_error",
    "laplace_root_mean_square_error",
    "laplace_tail",
    "laplace_variance",
]

_LONGEST_HARMONIC = 1000


def laplace_mean_error(scale: object) -> Bound:
    """Return E|Z| = b (Wu, Lemma 4.4(1a)).

    >>> laplace_mean_error("3/2").exact
    Fraction(3, 2)
    """
    b = positive(scale, "scale")
    return Bound("E|Z|", b, b, "Wu, Lemma 4.4(1a)", "an equality")


def laplace_root_mean_square_error(scale: object) -> Bound:
    """Return sqrt(E Z^2) = sqrt(2) b (Wu, Lemma 4.4(1b)).

    Wu, Section 4: with epsilon = 1/n the noise on a proportion, which lies between 0 and 1, has
    standard deviation sqrt(2), however many people there are: no useful answer.

    >>> from twoworlds.mechanisms.calibration import laplace_scale
    >>> n = 200
    >>> laplace_root_mean_square_error(laplace_scale(Fraction(1, n), Fraction(1, n))).exact
    Real(sqrt(2))
    """
    value = sqrt(Fraction(2)) * positive(scale, "scale")
    return Bound("sqrt(E Z^2)", value, value, "Wu, Lemma 4.4(1b)", "an equality")


def laplace_variance(scale: object) -> Bound:
    """Return E Z^2 = 2 b^2, beside the variance that Dwork gives to the same density.

    Differs: Dwork, equation (3), calls sigma^2 the variance of the density ~ e^(-|z| / sigma).

    >>> laplace_variance(2).exact, laplace_variance(2).holds
    (Fraction(8, 1), False)
    """
    b = positive(scale, "scale")
    note = "sigma is the scale, not the standard deviation: the variance is 2 sigma^2"
    return Bound("E Z^2", 2 * b * b, b * b, "Dwork, equation (3)", note)


def laplace_tail(scale: object, t: object) -> Bound:
    """Return P(|Z| > t b) = e^(-t) for t > 0 (Wu, Lemma 4.4(1c)).

    Differs: printed as "at most"; it is an equality.

    >>> laplace_tail(5, "ln 20").exact
    Fraction(1, 20)
    """
    positive(scale, "scale")
    value = exp(-positive(t, "t"))
    note = "printed as an inequality, but an equality"
    return Bound("P(|Z| > t b)", value, value, "Wu, Lemma 4.4(1c)", note)


def laplace_mean_l1_error(scale: object, dimension: object) -> Bound:
    """Return E(|Z_1| + ... + |Z_d|) = d b (Wu, Lemma 4.4(2a)).

    >>> laplace_mean_l1_error(2, 10).exact
    Fraction(20, 1)
    """
    value = whole(dimension, "dimension", at_least=1) * positive(scale, "scale")
    return Bound("E sum |Z_j|", value, value, "Wu, Lemma 4.4(2a)", "an equality")


def laplace_max_tail(scale: object, dimension: object, t: object) -> Bound:
    """Return P(M > b (ln d + t)) = 1 - (1 - e^(-t)/d)^d for t > 0, at most e^(-t).

    where: M is the largest of d independent errors  (Wu, Lemma 4.4(2b))

    >>> laplace_max_tail(1, 2, "ln 2").exact
    Fraction(7, 16)
    """
    positive(scale, "scale")
    d, bound = whole(dimension, "dimension", at_least=1), exp(-positive(t, "t"))
    note = "" if d > 1 else "an equality"
    value = any_of(bound / d, d)
    return Bound("P(M > b (ln d + t))", value, bound, "Wu, Lemma 4.4(2b)", note)


def laplace_mean_max_error(scale: object, dimension: object) -> Bound:
    """Return E M = b H_d, at most b (ln d + 1).

    where: M is the largest of d independent errors  (Wu, Lemma 4.4(2c))

    >>> laplace_mean_max_error(6, 3).exact
    Fraction(11, 1)
    """
    b, d = positive(scale, "scale"), whole(dimension, "dimension", at_least=1)
    note = "exactly b H_d" if d > 1 else "an equality"
    return Bound("E M", b * harmonic(d), b * (ln(Fraction(d)) + 1), "Wu, Lemma 4.4(2c)", note)


def laplace_errors(
    scale: object, *, dimension: object = 1, t: object = 1
) -> tuple[Bound, Bound, Bound, Bound, Bound, Bound]:
    """Return the six parts of Wu's Lemma 4.4 in order.

    >>> all(part.holds for part in laplace_errors("1/2", dimension=50, t="1/2"))
    True
    """
    return (
        laplace_mean_error(scale),
        laplace_root_mean_square_error(scale),
        laplace_tail(scale, t),
        laplace_mean_l1_error(scale, dimension),
        laplace_max_tail(scale, dimension, t),
        laplace_mean_max_error(scale, dimension),
    )


def harmonic(d: int) -> Number:
    """Return H_d = 1 + 1/2 + ... + 1/d: a fraction, or an enclosure when that would be long.

    >>> harmonic(4)
    Fraction(25, 12)
    """
    if d <= _LONGEST_HARMONIC:
        exact = fmpq.harmonic(d)
        return Fraction(int(exact.p), int(exact.q))
    return Real(lambda _bits: arb(d + 1).digamma() + arb.const_euler(), f"H_{d}")
