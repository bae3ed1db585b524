r"""Small formulas of the theorems, on exact numbers: tanh, artanh, minimum.

Bounds are kept as ratios a = e^epsilon, in which the hyperbolic functions are rational:

    tanh(epsilon/2) = (a - 1) / (a + 1)          e^(4 artanh s) = ((1 + s) / (1 - s))^2

so that epsilon = ln 3 gives tanh(epsilon/2) = 1/2 exactly.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    Side,
    ball,
    compare,
    exact_text,
    exp,
    ln,
    show,
    sqrt,
)
from twoworlds.numbers import decimal as rounded

_BITS = 512
_SHORT, _LONG = 12, 24


def tanh(x: Number) -> Number:
    """Return tanh x = (e^(2x) - 1) / (e^(2x) + 1).

    >>> tanh(ln(Fraction(3)))
    Fraction(4, 5)
    """
    return tanh_half(exp(2 * x))


def artanh(x: Number) -> Number:
    """Return artanh x = ln((1 + x) / (1 - x)) / 2, for x between -1 and 1.

    >>> artanh(Fraction(4, 5)) * 2
    Real(ln 9)
    """
    if not -1 < x < 1:
        raise InvalidInput(f"artanh({show(x)}): the argument lies between -1 and 1")
    return ln((1 + x) / (1 - x)) / 2


def tanh_half(ratio: Number) -> Number:
    """Return tanh(epsilon/2) for the ratio a = e^epsilon: (a - 1) / (a + 1)."""
    return Fraction(1) if ratio == INFINITY else (ratio - 1) / (ratio + 1)


def tanh_quarter(ratio: Number) -> Number:
    """Return tanh(epsilon/4) for the ratio a = e^epsilon: (sqrt a - 1) / (sqrt a + 1)."""
    return tanh_half(sqrt(ratio))


def ratio_of_four_artanh(distance: Number) -> Number:
    """Return e^(4 artanh s) = ((1 + s) / (1 - s))^2, the ratio whose tanh(epsilon/4) is s."""
    if order(distance, Fraction(1)) is not Order.LESS:
        return INFINITY
    return ((1 + distance) / (1 - distance)) ** 2


def order(a: Number, b: Number) -> Order:
    """Compare two numbers; formulas of one value that agree to many bits stay undecided."""
    return compare(a, b, limit=_BITS)


def minimum(a: Number, b: Number) -> Number:
    """Return the smaller of two numbers, or an enclosure of it when their order is not known."""
    found = order(a, b)
    if found is Order.UNDECIDED:
        return Real(lambda bits: ball(a, bits).min(ball(b, bits)))
    return b if found is Order.GREATER else a


def capped(x: Number) -> Number:
    """Return a bound on a probability, which is never above 1."""
    return minimum(x, Fraction(1))


def typed(x: Number) -> str:
    """Write a number so that it can be typed in again, rounded up where it is not exact.

    >>> typed(Fraction(1, 10)), typed(Fraction(1, 3)), typed(tanh(Fraction(1, 20)))
    ('0.1', '1/3', '0.04995837496')
    """
    if x == INFINITY:
        return "inf"
    digits = rounded(x, 10)
    if isinstance(x, Fraction):
        text = str(exact_text(x))
        return digits if Fraction(digits) == x else text if len(text) <= _LONG else digits
    return digits


def brief(x: Number, side: Side = "about") -> str:
    """Write a number for a sentence: as exactly as it is short."""
    if x == INFINITY:
        return "infinity"
    text = exact_text(x)
    if isinstance(x, Fraction) and text is not None and len(text) <= _SHORT:
        return text
    return rounded(x, 6, side)
