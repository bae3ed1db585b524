"""Bit strings as whole numbers: linear maps and polynomials over two elements, sums of errors.

A string of n bits is the number that it writes in binary, its first bit being worth 2^(n-1). A
linear map to l bits is a tuple of l *masks*: bit i of the image of w is the parity of the bits that
w and mask i share. The polynomial x^3 + x + 1 is the number 0b1011: bit i is the coefficient of
x^i. Vectors of probabilities are arrays of whole numbers over one denominator, in machine words
where nothing can overflow and in Python's own integers otherwise, so all is exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twoworlds.errors import InvalidInput, TooLarge

Vector = NDArray[Any]
MOST_BITS = 16
_WORD = 1 << 62
_TERM = re.compile(r"x\^(\d{1,2})|x|1")


def read_bits(text: object, name: str) -> str:
    """Return a string of zeros and ones, refusing anything else."""
    if not isinstance(text, str) or not text or text.strip("01"):
        raise InvalidInput(f"{name}={text!r} is no string of bits: write it like '0110'")
    return text


def written_bits(value: int, length: int) -> str:
    """Return a number as so many bits."""
    return format(value, f"0{length}b") if length else ""


def check_bits(length: int, what: str) -> int:
    """Refuse strings of which there are too many to run through."""
    if length > MOST_BITS:
        raise TooLarge(
            f"{what} of {length} bits has 2^{length} values, more than the 2^{MOST_BITS} that "
            "are run through: take a shorter one"
        )
    return length


# --- linear maps ----------------------------------------------------------------------------------


def apply(masks: Sequence[int], w: int) -> int:
    """Return the image of one string under a linear map."""
    image = 0
    for mask in masks:
        image = image << 1 | (mask & w).bit_count() & 1
    return image


def images(masks: Sequence[int], length: int) -> Vector:
    """Return the images of all strings of so many bits."""
    strings = np.arange(1 << length, dtype=np.int64)
    found = np.zeros_like(strings)
    for mask in masks:
        found = found << 1 | np.bitwise_count(strings & mask) & 1
    return found


def independent(candidates: Iterable[int], of: Iterable[int] = ()) -> list[int]:
    """Return the candidates, taken in turn, that depend on nothing before them nor on ``of``."""
    basis: dict[int, int] = {}  # by leading bit

    def enters(mask: int) -> bool:
        while mask:
            if mask.bit_length() not in basis:
                basis[mask.bit_length()] = mask
                return True
            mask ^= basis[mask.bit_length()]
        return False

    for one in of:
        enters(one)
    return [one for one in candidates if enters(one)]


def patterns(length: int, weight: int) -> Iterator[int]:
    """Run through the error patterns of weight up to ``weight``, lightest first."""
    bits = [1 << i for i in reversed(range(length))]
    for size in range(weight + 1):
        yield from map(sum, combinations(bits, size))


# --- polynomials ----------------------------------------------------------------------------------


def read_polynomial(value: object, name: str) -> int:
    """Read a polynomial: ``x^3+x+1``, or the number whose bits are its coefficients."""
    text = str(value).replace(" ", "")
    if text.isdecimal() and len(text) < 9 and text not in ("0", "1"):
        return int(text)
    found = 0
    for term in text.split("+"):
        match = _TERM.fullmatch(term)
        if match is None:
            raise InvalidInput(
                f"{name}={value!r} is no polynomial over 0 and 1: write it like x^3+x+1"
            )
        found ^= 1 << (int(match.group(1)) if match.group(1) else int(term == "x"))
    return found


def polynomial_text(polynomial: int) -> str:
    """Write a polynomial."""
    names = {0: "1", 1: "x"}
    degrees = [i for i in reversed(range(polynomial.bit_length())) if polynomial >> i & 1]
    return "+".join(names.get(i, f"x^{i}") for i in degrees) or "0"


def divided(polynomial: int, by: int) -> tuple[int, int]:
    """Return quotient and remainder."""
    quotient, degree = 0, by.bit_length()
    while polynomial.bit_length() >= degree:
        shift = polynomial.bit_length() - degree
        quotient ^= 1 << shift
        polynomial ^= by << shift
    return quotient, polynomial


def multiply(first: int, second: int, modulus: int) -> int:
    """Return the product of two elements of a field."""
    found = 0
    for i in range(second.bit_length()):
        found ^= (first << i) * (second >> i & 1)
    return divided(found, modulus)[1]


def is_irreducible(polynomial: int) -> bool:
    """Tell whether a polynomial has no divisor of at most half its degree."""
    degree = polynomial.bit_length() - 1
    divisors = range(2, 2 << degree // 2)
    return degree > 0 and all(divided(polynomial, d)[1] for d in divisors if d != polynomial)


@cache
def irreducible(degree: int) -> int:
    """Return the irreducible polynomial of a degree that comes first as a number."""
    return next(p for p in range(1 << degree, 2 << degree) if is_irreducible(p))


# --- vectors of weights ---------------------------------------------------------------------------


def integers(weights: Sequence[Fraction]) -> tuple[Vector, int]:
    """Return rationals as whole numbers over their least common denominator."""
    bottom = lcm(*(weight.denominator for weight in weights))
    found = np.empty(len(weights), dtype=object)
    found[:] = [weight.numerator * (bottom // weight.denominator) for weight in weights]
    return found, bottom


def fitted(vector: Vector, largest: int) -> Vector:
    """Return a vector in machine words if no number on the way exceeds ``largest``."""
    return vector.astype(np.int64) if largest < _WORD else vector.astype(object)


def grouped(cells: Vector, weights: Vector, size: int) -> Vector:
    """Return the sum of the weights in each of ``size`` cells."""
    found = np.zeros(size, dtype=weights.dtype)
    np.add.at(found, cells, weights)
    return found


def xor_sum(first: Vector, second: Vector) -> Vector:
    """Return the law of the sum, bit by bit, of two independent strings, up to denominators.

    By the Walsh-Hadamard transform, which turns it into a product; whole numbers throughout.
    """
    size = len(first)
    largest = size * sum(map(int, first)) * sum(map(int, second))
    product = _walsh(fitted(first, largest)) * _walsh(fitted(second, largest))
    return _walsh(product) // size


def _walsh(vector: Vector) -> Vector:
    found, half = vector.copy(), 1
    while half < len(found):
        pairs = found.reshape(-1, 2, half)
        low, high = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        found = np.stack([low, high], axis=1).reshape(-1)
        half *= 2
    return found
