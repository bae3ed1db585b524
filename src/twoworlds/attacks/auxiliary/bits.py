"""Bit strings as whole numbers, linear maps over two elements, and sums of independent errors.

A string of n bits is the number that it writes in binary, its first bit being worth 2^(n-1). A
linear map to l bits is a tuple of l *masks*: bit i of the image of w is the parity of the bits that
w and mask i share. Vectors of probabilities are arrays of whole numbers over one denominator, in
machine words where nothing can overflow and in Python's own integers otherwise, so all is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twoworlds.errors import InvalidInput, TooLarge

__all__ = [
    "MOST_BITS",
    "Vector",
    "apply",
    "check_bits",
    "counted",
    "grouped",
    "images",
    "independent",
    "integers",
    "rank",
    "read_bits",
    "written_bits",
    "xor_sum",
]

Vector = NDArray[Any]
MOST_BITS = 16
_WORD = 1 << 62


def read_bits(text: object, name: str) -> str:
    """Return a string of zeros and ones, refusing anything else."""
    if not isinstance(text, str) or not text or text.strip("01"):
        raise InvalidInput(f"{name}={text!r} is no string of bits: write it like '0110'")
    return text


def written_bits(value: int, length: int) -> str:
    """Return a number as so many bits.

    >>> written_bits(6, 4)
    '0110'
    """
    return format(value, f"0{length}b") if length else ""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "bit"), counted(4, "bit"), counted(2, "person", "people")
    ('1 bit', '4 bits', '2 people')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def check_bits(length: int, what: str) -> int:
    """Refuse strings of which there are too many to run through."""
    if length > MOST_BITS:
        raise TooLarge(
            f"{what} of {length} bits has 2^{length} values, more than the 2^{MOST_BITS} that "
            "are run through: take a shorter one"
        )
    return length


def apply(masks: Sequence[int], w: int) -> int:
    """Return the image of one string under a linear map.

    >>> apply((0b110, 0b011), 0b101)
    3
    """
    image = 0
    for mask in masks:
        image = image << 1 | (mask & w).bit_count() & 1
    return image


def images(masks: Sequence[int], length: int) -> Vector:
    """Return the images of all strings of so many bits.

    >>> images((0b11,), 2).tolist()
    [0, 1, 1, 0]
    """
    strings = np.arange(1 << length, dtype=np.int64)
    found = np.zeros_like(strings)
    for mask in masks:
        found = found << 1 | np.bitwise_count(strings & mask) & 1
    return found


def rank(masks: Iterable[int]) -> int:
    """Return how many of the masks are linearly independent.

    >>> rank([0b110, 0b011, 0b101])
    2
    """
    return len(_reduced(masks))


def independent(candidates: Iterable[int], of: Iterable[int]) -> list[int]:
    """Return the candidates, taken in turn, that depend on nothing before them nor on ``of``.

    >>> independent([4, 2, 1], of=[0b110])
    [4, 1]
    """
    basis = _reduced(of)
    found = []
    for candidate in candidates:
        if _enters(basis, candidate):
            found.append(candidate)
    return found


def _reduced(masks: Iterable[int]) -> dict[int, int]:
    basis: dict[int, int] = {}
    for mask in masks:
        _enters(basis, mask)
    return basis


def _enters(basis: dict[int, int], mask: int) -> bool:
    """Reduce a mask by a basis (by leading bit) and add what is left of it, if anything."""
    while mask:
        top = mask.bit_length()
        if top not in basis:
            basis[top] = mask
            return True
        mask ^= basis[top]
    return False


def integers(weights: Sequence[Fraction]) -> tuple[Vector, int]:
    """Return rationals as whole numbers over their least common denominator.

    >>> integers([Fraction(1, 2), Fraction(1, 3)])
    (array([3, 2], dtype=object), 6)
    """
    bottom = lcm(*(weight.denominator for weight in weights))
    found = np.empty(len(weights), dtype=object)
    found[:] = [weight.numerator * (bottom // weight.denominator) for weight in weights]
    return found, bottom


def fitted(vector: Vector, largest: int) -> Vector:
    """Return a vector in machine words if no number on the way exceeds ``largest``."""
    return vector.astype(np.int64) if largest < _WORD else vector.astype(object)


def grouped(cells: Vector, weights: Vector, size: int) -> Vector:
    """Return the sum of the weights in each of ``size`` cells.

    >>> grouped(np.array([0, 1, 0]), np.array([3, 4, 5]), 2).tolist()
    [8, 4]
    """
    found = np.zeros(size, dtype=weights.dtype)
    np.add.at(found, cells, weights)
    return found


def xor_sum(first: Vector, second: Vector) -> Vector:
    """Return the law of the sum, bit by bit, of two independent strings, up to denominators.

    By the Walsh-Hadamard transform, which turns it into a product; whole numbers throughout.

    >>> xor_sum(np.array([3, 1, 0, 0]), np.array([3, 0, 1, 0])).tolist()
    [9, 3, 3, 1]
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
