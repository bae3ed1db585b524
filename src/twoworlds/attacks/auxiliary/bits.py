"""Bit strings as whole numbers: linear maps over two elements, and weights of all strings.

A string of n bits is the number that it writes in binary, its first bit being worth 2^(n-1). A
linear map to l bits is a tuple of l *masks*: bit i of the image of w is the parity of the bits that
w and mask i share. Vectors of probabilities are arrays of whole numbers over one denominator, in
machine words where nothing can overflow and in Python's own integers otherwise, so all is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twoworlds.errors import InvalidInput, TooLarge

Vector = NDArray[Any]
MOST_BITS = 16
_WORD = 1 << 62


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


def grouped(cells: Vector, rows: Vector, size: int, gather: np.ufunc = np.add) -> Vector:
    """Return for each row the sum (or what ``gather`` makes) of the weights in each cell."""
    order = np.argsort(cells, kind="stable")
    places, starts = np.unique(cells[order], return_index=True)
    found = np.zeros((len(rows), size), dtype=rows.dtype)
    found[:, places] = gather.reduceat(rows[:, order], starts, axis=1)
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
