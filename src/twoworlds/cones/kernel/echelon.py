"""Linear algebra of exact integer vectors: echelon bases, kernels, reduction."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from flint import fmpz_mat

from twoworlds.cones.kernel.vectors import Vector, divided, dot, negative

__all__ = ["completed", "echelon", "kernel", "reduced_by", "unit"]


def echelon(rows: Sequence[Vector]) -> tuple[tuple[Vector, ...], list[int]]:
    """Return the reduced echelon basis of the row space, primitive, and its pivot columns.

    >>> echelon([(2, 4, 6), (1, 1, 1)])
    (((1, 0, -1), (0, 1, 2)), [0, 1])
    """
    if not rows or not rows[0]:
        return (), []
    reduced, _, rank = fmpz_mat(rows).rref()
    basis, pivots = [], []
    for row in reduced.tolist()[:rank]:
        vector = divided([int(value) for value in row])
        pivot = next(i for i, value in enumerate(vector) if value)
        basis.append(vector if vector[pivot] > 0 else negative(vector))
        pivots.append(pivot)
    return tuple(basis), pivots


def kernel(rows: Sequence[Vector], dimension: int) -> tuple[Vector, ...]:
    """Return the reduced echelon basis of {x : row . x = 0 for every row}.

    >>> kernel([(1, 1, 1)], 3)
    ((1, 0, -1), (0, 1, -1))
    """
    basis, pivots = echelon(rows)
    bound = set(pivots)
    units = [unit(i, dimension) for i in range(dimension) if i not in bound]
    return echelon([completed(unit, basis, pivots) for unit in units])[0]


def reduced_by(vector: Vector, basis: Sequence[Vector], pivots: Sequence[int]) -> Vector:
    """Add multiples of an echelon basis until the entries at its pivots vanish.

    >>> reduced_by((1, 5), [(2, 1)], [0])
    (0, 1)
    """
    for row, pivot in zip(basis, pivots, strict=True):
        if vector[pivot]:
            p, q = row[pivot], vector[pivot]
            vector = tuple([p * v - q * b for v, b in zip(vector, row, strict=True)])
    return divided(vector)


def unit(index: int, dimension: int) -> Vector:
    """Return the vector with a one at the index and zeros elsewhere."""
    return tuple([int(i == index) for i in range(dimension)])


def completed(vector: Vector, basis: Sequence[Vector], pivots: Sequence[int]) -> Vector:
    """Fill in the entries at the pivots so that every row of an echelon basis vanishes."""
    scale = lcm(*[row[pivot] for row, pivot in zip(basis, pivots, strict=True)])
    entries = [scale * value for value in vector]
    for row, pivot in zip(basis, pivots, strict=True):
        entries[pivot] = -int(dot(row, vector)) * (scale // row[pivot])
    return divided(entries)
