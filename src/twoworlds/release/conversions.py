r"""Conversions between kinds of privacy cost, rounded to the safe side.

rho-zCDP: D_alpha(P, Q) <= alpha rho for every order alpha > 1 and both orders of the two worlds
(Bun & Steinke 2016, Definition 1.1). Two facts are used.

Pure to zCDP. epsilon-DP implies (epsilon tanh(epsilon / 2))-zCDP, and no smaller rho will do for
all mechanisms; this is below epsilon^2 / 2 (Bun & Steinke 2016, Proposition 1.4). Proof: between
two worlds an epsilon-DP mechanism is a post-processing of randomized response, whose loss L is
epsilon with probability e^epsilon / (1 + e^epsilon) and -epsilon otherwise. With v = epsilon / 2
and u = (2 alpha - 1) v

    ln E_P[e^((alpha - 1) L)] = ln cosh u - ln cosh v <= (u^2 - v^2) tanh(v) / (2 v)

since ln cosh(sqrt w) is concave in w: its slope tanh(x) / (2 x), x = sqrt w, falls. The right side
is (alpha - 1) alpha epsilon tanh(epsilon / 2). As alpha goes to 1 both sides agree to first order.

zCDP to approximate. rho-zCDP implies (epsilon, delta)-DP with, for any alpha > 1,

    delta = e^((alpha - 1)(alpha rho - epsilon)) / (alpha - 1) * (1 - 1/alpha)^alpha

(Canonne, Kamath & Steinke 2020, Section 2.3). Proof: with L the privacy loss, the delta of the pair
is E_P[(1 - e^(epsilon - L))_+], and 1 - u <= u^(1 - alpha) (1 - 1/alpha)^alpha / (alpha - 1) for
0 < u <= 1, with equality at u = 1 - 1/alpha; put u = e^(epsilon - L) and use
E_P[e^((alpha - 1) L)] <= e^((alpha - 1) alpha rho).

Every alpha gives a true bound, so a float may choose it; the bound itself is an enclosure, rounded
to a decimal on the side that never overstates privacy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import arb

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Real, Side, ball, decimal

__all__ = [
    "pure_to_zcdp",
    "pure_within",
    "rounded",
    "zcdp_to_delta",
    "zcdp_to_epsilon",
    "zcdp_within",
]

DIGITS = 12
_FLAT, _STEEP = (
    Fraction(1, 10**6),
    30,
)  # beyond them tanh(x) is x, or 1, in all digits that are kept
_SMALLEST = Fraction(1, 10**1000)
_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 120
_HALVINGS = 60


@lru_cache(maxsize=1024)
def pure_to_zcdp(epsilon: Fraction) -> Fraction:
    """Return the rho of epsilon-DP: epsilon tanh(epsilon / 2), rounded up, at most epsilon^2 / 2.

    >>> float(pure_to_zcdp(Fraction(1))), pure_to_zcdp(Fraction(1, 10**9))
    (0.462117157261, Fraction(1, 2000000000000000000))
    """
    _not_negative(epsilon=epsilon)
    half = epsilon / 2
    if epsilon < _FLAT:
        return epsilon * half
    if epsilon > _STEEP:
        return epsilon
    tight = Real(lambda bits: ball(epsilon, bits) * ball(half, bits).tanh())
    return min(epsilon * half, rounded(tight, "up"))


def pure_within(rho: Fraction) -> Fraction:
    """Return the largest epsilon with at most this rho, `pure_to_zcdp`, rounded down.

    >>> float(pure_within(Fraction(1, 8))), pure_within(Fraction(0))
    (0.505..., Fraction(0, 1))
    """
    _not_negative(rho=rho)
    low, high = Fraction(0), rho + 2  # tanh(x) > 1 - 1/x, so that the rho of this is larger
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if pure_to_zcdp(middle) <= rho else (low, middle)
    return Fraction(decimal(low, DIGITS, "down"))


def zcdp_to_delta(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Return a delta, rounded up, such that rho-zCDP implies (epsilon, delta)-DP.

    >>> float(zcdp_to_delta(Fraction(1, 8), Fraction(3)))
    2.0014...e-09
    """
    _not_negative(rho=rho, epsilon=epsilon)
    if rho == 0:
        return Fraction(0)
    r, e = float(rho), float(epsilon)
    alpha = _order(lambda a: (a - 1) * (a * r - e) + _constant(a))

    def bound(bits: int) -> arb:
        exponent = ball((alpha - 1) * (alpha * rho - epsilon), bits)
        return (exponent + _constant_ball(alpha, bits)).exp()

    return min(Fraction(1), max(_SMALLEST, rounded(Real(bound), "up")))


def zcdp_to_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon, rounded up, such that rho-zCDP implies (epsilon, delta)-DP.

    >>> float(zcdp_to_epsilon(Fraction(1, 8), Fraction(1, 10**6)))
    2.4190...
    """
    _not_negative(rho=rho)
    _between(delta)
    if rho == 0:
        return Fraction(0)
    r, d = float(rho), _log(delta)
    alpha = _order(lambda a: a * r + (_constant(a) - d) / (a - 1))
    return max(Fraction(0), rounded(Real(lambda bits: _epsilon(alpha, rho, delta, bits)), "up"))


def zcdp_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a large rho, rounded down, such that rho-zCDP implies (epsilon, delta)-DP.

    >>> float(zcdp_within(Fraction(1), Fraction(1, 10**6)))
    0.0243...
    """
    _not_negative(epsilon=epsilon)
    if delta == 0:
        return Fraction(0)
    _between(delta)
    e, d = float(epsilon), _log(delta)
    alpha = _order(lambda a: ((_constant(a) - d) / (a - 1) - e) / a)
    rest = Real(lambda bits: -_epsilon(alpha, Fraction(0), delta, bits) + ball(epsilon, bits))
    return max(Fraction(0), rounded(rest * (1 / alpha), "down"))


def rounded(x: Fraction | Real, side: Side) -> Fraction:
    """Return a rational as it is, and any other number as a decimal rounded to the given side.

    >>> rounded(Real.between(Fraction(1, 3), Fraction(1, 3)), "up")
    Fraction(166666666667, 500000000000)
    """
    return x if isinstance(x, Fraction) else Fraction(decimal(x, DIGITS, side))


def _epsilon(alpha: Fraction, rho: Fraction, delta: Fraction, bits: int) -> arb:
    """Return alpha rho + (ln(1/delta) + c(alpha)) / (alpha - 1): the bound solved for epsilon."""
    top = _constant_ball(alpha, bits) - ball(delta, bits).log()
    return ball(alpha * rho, bits) + top / ball(alpha - 1, bits)


def _constant(alpha: float) -> float:
    """Return c(alpha) = alpha ln(1 - 1/alpha) - ln(alpha - 1), as a float."""
    return alpha * math.log1p(-1 / alpha) - math.log(alpha - 1)


def _constant_ball(alpha: Fraction, bits: int) -> arb:
    inside = ball(1 - 1 / alpha, bits + max(0, int(alpha).bit_length()))
    return ball(alpha, bits) * inside.log() - ball(alpha - 1, bits).log()


def _order(objective: Callable[[float], float]) -> Fraction:
    """Return an alpha near the minimum of a function with one valley, by golden section."""
    low, high = -30.0, 60.0  # of ln(alpha - 1)

    def at(t: float) -> float:
        alpha = 1 + math.exp(t)
        return objective(alpha) if alpha > 1 else math.inf

    for _ in range(_STEPS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if at(left) <= at(right):
            high = right
        else:
            low = left
    return 1 + Fraction(math.exp((low + high) / 2)).limit_denominator(1 << 60)


def _log(x: Fraction) -> float:
    return math.log(x.numerator) - math.log(x.denominator)


def _not_negative(**numbers: Fraction) -> None:
    for name, value in numbers.items():
        if value < 0:
            raise InvalidInput(f"{name}={decimal(value)} may not be negative")


def _between(delta: Fraction) -> None:
    if not 0 < delta < 1:
        raise InvalidInput(
            f"delta={decimal(delta)}: zCDP gives an epsilon only for a delta between 0 and 1"
        )
