r"""Zeros of rational polynomials on the unit circle, decided exactly and named by their angle.

An irreducible rational polynomial with a root on the circle shares it with its reciprocal, so it
equals its reciprocal up to sign; then it is z + 1 (angle pi), z - 1, or z^d H(z + 1/z), and its
roots on the circle are the real roots of H between -2 and 2, where z + 1/z is twice the cosine of
the angle. No value of the polynomial is ever computed to see whether it is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import acb, arb, fmpq, fmpq_poly, fmpz, fmpz_poly

from twoworlds.errors import TooLarge
from twoworlds.numbers import Number, Real, ball, working_precision

__all__ = ["CircleZero", "circle_zero", "fraction", "polynomial", "refuse_large", "roots"]

_START_BITS = 64
_LARGEST_DEGREE = 600


def polynomial(coefficients: Sequence[Fraction]) -> fmpq_poly:
    """Return the polynomial with these coefficients, lowest first."""
    return fmpq_poly([fmpq(c.numerator, c.denominator) for c in coefficients])


def fraction(q: fmpq) -> Fraction:
    """Convert from python-flint."""
    return Fraction(int(q.p), int(q.q))


@dataclass(frozen=True)
class CircleZero:
    """A zero e^(it) of a polynomial: the angle t as text, and its cosine enclosed."""

    angle: str
    cosine: Number


def circle_zero(of: fmpq_poly) -> CircleZero | None:
    """Return a zero on the unit circle, named by its angle, or None; decided exactly.

    >>> circle_zero(fmpq_poly([1, 1, 1])).angle
    '2 pi/3'
    >>> circle_zero(fmpq_poly([2, 5, 2])) is None
    True
    """
    refuse_large(of)
    zeros = (_zero_of_irreducible(factor) for factor, _ in of.numer().factor()[1])
    return next((zero for zero in zeros if zero is not None), None)


def _zero_of_irreducible(factor: fmpz_poly) -> CircleZero | None:
    coefficients = factor.coeffs()
    backwards = coefficients[::-1]
    if coefficients != backwards and coefficients != [-c for c in backwards]:
        return None
    degree = factor.degree()
    if degree == 0 or (degree == 1 and coefficients[0] == 0):
        return None
    if degree == 1:  # z + 1 or z - 1, since it is its own reciprocal
        negative = coefficients[0] == coefficients[1]
        return CircleZero("pi" if negative else "0", Fraction(-1 if negative else 1))
    folded = _folded(coefficients)
    if order := factor.is_cyclotomic():
        numeric = Real(lambda bits: (2 * arb.pi() / ball(int(order), bits)).cos())
        exact = folded.degree() == 1
        cosine = Fraction(-int(folded[0]), 2 * int(folded[1])) if exact else numeric
        return CircleZero("pi/2" if order == 4 else f"2 pi/{int(order)}", cosine)
    for place in range(folded.degree()):
        if (cosine_found := _cosine(folded, place)) is not None:
            half = cosine_found
            shown = str(half) if isinstance(half, Fraction) else f"{float(half):.12g}..."
            return CircleZero(f"arccos({shown})", half)
    return None


def _folded(coefficients: Sequence[fmpz]) -> fmpz_poly:
    """Return H with z^d H(z + 1/z) = the palindrome of degree 2d.

    z^j + z^-j = 2 T_j(u / 2) obeys V_(j+1) = u V_j - V_(j-1) with V_0 = 2, V_1 = u.
    """
    d = len(coefficients) // 2
    u, before, current = fmpz_poly([0, 1]), fmpz_poly([2]), fmpz_poly([0, 1])
    result = fmpz_poly([coefficients[d]])
    for j in range(1, d + 1):
        result += coefficients[d + j] * current
        before, current = current, u * current - before
    return result


def _cosine(folded: fmpz_poly, place: int) -> Number | None:
    """Return half of the root number ``place`` of H if it is real and inside (-2, 2)."""
    if folded.degree() == 1:
        cosine = Fraction(-int(folded[0]), 2 * int(folded[1]))
        return cosine if abs(cosine) < 1 else None
    bits = _START_BITS
    while True:
        with working_precision(bits):
            root = roots(folded, bits)[place]  # real roots are given as exactly real
            if root.imag != 0 or abs(root.real) > 2:
                return None
            if abs(root.real) < 2:
                return Real(lambda b: roots(folded, b)[place].real / 2)
        bits *= 2  # it ends, because the factor does not vanish at z = 1 or -1, where u is 2 or -2


@lru_cache(maxsize=64)
def _roots_of(coefficients: tuple[int, ...], bits: int) -> tuple[acb, ...]:
    with working_precision(bits):
        found: Any = fmpz_poly(list(coefficients)).complex_roots()  # the stubs miss the pairs
        return tuple(root for root, _ in found)


def roots(of: fmpz_poly, bits: int) -> tuple[acb, ...]:
    """Enclose the roots of a polynomial without multiple roots: the real ones first, ascending."""
    return _roots_of(tuple(int(c) for c in of.coeffs()), bits)


def refuse_large(of: fmpq_poly) -> None:
    """Refuse a degree whose roots would take too long."""
    if of.degree() > _LARGEST_DEGREE:
        raise TooLarge(
            f"the generating function has degree {of.degree()}, more than {_LARGEST_DEGREE}: "
            "use noise with fewer values, or a law with a closed form (geometric, skellam, "
            "discrete-gaussian)"
        )
