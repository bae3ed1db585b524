"""Polynomials over two elements and the fields GF(2^m), as whole numbers.

The polynomial x^3 + x + 1 is the number 0b1011: bit i is the coefficient of x^i. An element of
GF(2^m) is a polynomial of degree below m, multiplied modulo an irreducible one of degree m.
"""

from __future__ import annotations

import re
from functools import cache

from twoworlds.errors import InvalidInput

__all__ = ["divided", "irreducible", "multiply", "polynomial_text", "primitive", "read_polynomial"]

_TERM = re.compile(r"x\^(\d{1,3})|x|1")
_HIGHEST = 128


def read_polynomial(value: object, name: str) -> int:
    """Read a polynomial: ``x^3+x+1``, or the number whose bits are its coefficients.

    >>> read_polynomial("x^3 + x + 1", "polynomial"), read_polynomial(11, "polynomial")
    (11, 11)
    """
    text = str(value).replace(" ", "")
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        found = value
    elif text.isdecimal() and text != "1" and int(text) > 0:
        found = int(text)
    else:
        found = 0
        for term in text.split("+"):
            match = _TERM.fullmatch(term)
            if match is None:
                raise InvalidInput(
                    f"{name}={value!r} is no polynomial over 0 and 1: write it like x^3+x+1"
                )
            found ^= 1 << (int(match.group(1)) if match.group(1) else int(term == "x"))
    if found.bit_length() > _HIGHEST:
        raise InvalidInput(f"{name}={value!r}: degrees below {_HIGHEST} are read")
    return found


def polynomial_text(polynomial: int) -> str:
    """Write a polynomial.

    >>> polynomial_text(0b1011)
    'x^3+x+1'
    """
    names = {0: "1", 1: "x"}
    degrees = [i for i in reversed(range(polynomial.bit_length())) if polynomial >> i & 1]
    return "+".join(names.get(i, f"x^{i}") for i in degrees) or "0"


def product(first: int, second: int) -> int:
    """Return the product of two polynomials."""
    found = 0
    while second:
        if second & 1:
            found ^= first
        first, second = first << 1, second >> 1
    return found


def divided(polynomial: int, by: int) -> tuple[int, int]:
    """Return quotient and remainder.

    >>> divided(0b1001, 0b11)
    (7, 0)
    """
    quotient, degree = 0, by.bit_length()
    while polynomial.bit_length() >= degree:
        shift = polynomial.bit_length() - degree
        quotient ^= 1 << shift
        polynomial ^= by << shift
    return quotient, polynomial


def multiply(first: int, second: int, modulus: int) -> int:
    """Return the product of two elements of a field.

    >>> multiply(0b10, 0b11, 0b111)  # x (x + 1) = 1 modulo x^2 + x + 1
    1
    """
    return divided(product(first, second), modulus)[1]


def is_irreducible(polynomial: int) -> bool:
    """Tell whether a polynomial has no proper divisor (Rabin's test)."""
    degree = polynomial.bit_length() - 1
    if degree < 1:
        return False
    power = divided(0b10, polynomial)[1]
    start = power
    for i in range(1, degree + 1):
        power = multiply(power, power, polynomial)  # x^(2^i)
        proper = i < degree and degree % i == 0
        if proper and _common(power ^ start, polynomial) != 1:
            return False
    return power == start


def _common(first: int, second: int) -> int:
    while second:
        first, second = second, divided(first, second)[1]
    return first


@cache
def irreducible(degree: int) -> int:
    """Return the irreducible polynomial of a degree that comes first as a number.

    >>> polynomial_text(irreducible(2)), polynomial_text(irreducible(3))
    ('x^2+x+1', 'x^3+x+1')
    """
    return next(p for p in range(1 << degree, 2 << degree) if is_irreducible(p))


@cache
def primitive(degree: int) -> int:
    """Return the first polynomial modulo which the powers of x are all non-zero elements.

    >>> polynomial_text(primitive(4))
    'x^4+x+1'
    """
    return next(
        p for p in range(1 << degree, 2 << degree) if is_irreducible(p) and _is_primitive(p)
    )


def _is_primitive(polynomial: int) -> bool:
    everything = (1 << polynomial.bit_length() - 1) - 1
    power, order = divided(0b10, polynomial)[1], 1
    while power != 1:
        power, order = multiply(power, 0b10, polynomial), order + 1
    return order == everything


def minimal_polynomial(exponent: int, modulus: int) -> int:
    """Return the polynomial of least degree that vanishes at x^exponent in the field.

    It is the product of (X - x^j) over the conjugates j = exponent * 2^i.

    >>> polynomial_text(minimal_polynomial(3, 0b10011))
    'x^4+x^3+x^2+x+1'
    """
    order = (1 << modulus.bit_length() - 1) - 1
    conjugates, j = [], exponent % order
    while j not in conjugates:
        conjugates.append(j)
        j = 2 * j % order
    coefficients = [1]  # of a polynomial in X, lowest first
    for j in conjugates:
        root = _power_of_x(j, modulus)
        shifted = [0, *coefficients]
        scaled = [multiply(root, c, modulus) for c in coefficients] + [0]
        coefficients = [a ^ b for a, b in zip(shifted, scaled, strict=True)]
    return sum(c << i for i, c in enumerate(coefficients))


def _power_of_x(exponent: int, modulus: int) -> int:
    return divided(1 << exponent, modulus)[1]


def bch_generator(degree: int, corrected: int) -> int:
    """Return the generator of the binary BCH code of length 2^degree - 1 that mends so many errors.

    It is the least common multiple of the minimal polynomials of x, x^3, ..., x^(2 corrected - 1).

    >>> polynomial_text(bch_generator(4, 2))
    'x^8+x^7+x^6+x^4+1'
    """
    modulus = primitive(degree)
    factors = {minimal_polynomial(2 * i + 1, modulus) for i in range(corrected)}
    found = 1
    for factor in sorted(factors):
        found = product(found, factor)
    return found
