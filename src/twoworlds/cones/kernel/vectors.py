"""Vectors of exact integers, the rays and inequalities of a cone, and their linear algebra.

A cone does not change when a ray or an inequality is multiplied by a positive number, so each of
them is kept as its *primitive* multiple: the one whose entries are integers without a common
divisor. Directions are never flipped. Nothing here rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

from flint import fmpq, fmpq_mat, fmpz_mat

from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, bounds, number, show

Vector = tuple[int, ...]
Combination = tuple[tuple[Vector, Fraction], ...]  # vectors with weights
Description = tuple[tuple[Vector, ...], tuple[Vector, ...]]  # rays, lines: or duals


def rational(value: object, name: str = "entry") -> Fraction:
    """Read one exact rational; irrational numbers have no place in an exact cone.

    >>> rational("3/4"), rational(0.1)
    (Fraction(3, 4), Fraction(1, 10))
    """
    if type(value) is int:
        return Fraction(value)
    result = number(value, name)
    if isinstance(result, Fraction):
        return result
    near = 3 if result == INFINITY else bounds(result)[0].limit_denominator(9)
    raise InvalidInput(
        f"{name} is {show(result)}, which is irrational, and a cone is computed with exact "
        f"rationals: give one such as {near} (of a definition, ratio={near})"
    )


def rationals(values: Iterable[object], name: str = "vector") -> tuple[Fraction, ...]:
    """Read the entries of a vector.

    >>> rationals(["1/2", 3])
    (Fraction(1, 2), Fraction(3, 1))
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput(
            f"{name} is of type {type(values).__name__}: give a list of numbers, one per column"
        )
    return tuple([rational(value, f"{name}[{i}]") for i, value in enumerate(values)])


def fraction(value: fmpq) -> Fraction:
    """Convert from python-flint."""
    return Fraction(int(value.p), int(value.q))


def flint(rows: Sequence[Sequence[int | Fraction]]) -> fmpq_mat:
    """Return rows of exact numbers as a matrix of python-flint."""
    entries = [fmpq(e.numerator, e.denominator) for row in rows for e in row]
    return fmpq_mat(len(rows), len(rows[0]), entries)


def primitive(values: Iterable[object], name: str = "vector") -> Vector:
    """Return the positive multiple that has integer entries without a common divisor."""
    if isinstance(values, (tuple, list)) and {*map(type, values)} <= {int}:
        return divided(values)
    exact = rationals(values, name)
    scale = lcm(*[value.denominator for value in exact])
    return divided([value.numerator * (scale // value.denominator) for value in exact])


def divided(entries: Sequence[int]) -> Vector:
    """Divide integers by their greatest common divisor.

    >>> divided([4, -6])
    (2, -3)
    """
    common = gcd(*entries)
    return tuple(entries) if common <= 1 else tuple([value // common for value in entries])


def negative(vector: Sequence[int]) -> Vector:
    """Return the opposite vector.

    >>> negative((1, -2))
    (-1, 2)
    """
    return tuple([-value for value in vector])


def dot(a: Sequence[int | Fraction], x: Sequence[int | Fraction]) -> int | Fraction:
    """Return the sum of a_i x_i; it is an int when all entries are.

    >>> dot((9, -3, -3, 1), (9, 3, 3, 1))
    64
    """
    return sum(p * q for p, q in zip(a, x, strict=True) if p and q)


def echelon(rows: Sequence[Vector]) -> tuple[tuple[Vector, ...], list[int]]:
    """Return the reduced echelon basis of the row space, primitive, and its pivot columns."""
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
    free = [unit(i, dimension) for i in range(dimension) if i not in bound]
    return echelon([completed(one, basis, pivots) for one in free])[0]


def reduced_by(vector: Vector, basis: Sequence[Vector], pivots: Sequence[int]) -> Vector:
    """Add multiples of an echelon basis until the entries at its pivots vanish."""
    for row, pivot in zip(basis, pivots, strict=True):
        if vector[pivot]:
            p, q = row[pivot], vector[pivot]
            vector = tuple([p * v - q * b for v, b in zip(vector, row, strict=True)])
    return divided(vector)


def unit(index: int, dimension: int) -> Vector:
    """Return the vector with a one at the index and zeros elsewhere."""
    return tuple([int(i == index) for i in range(dimension)])


def units(dimension: int) -> list[Vector]:
    """Return all unit vectors: as inequalities they say that no entry is negative."""
    return [unit(i, dimension) for i in range(dimension)]


def completed(vector: Vector, basis: Sequence[Vector], pivots: Sequence[int]) -> Vector:
    """Fill in the entries at the pivots so that every row of an echelon basis vanishes."""
    scale = lcm(*[row[pivot] for row, pivot in zip(basis, pivots, strict=True)])
    entries = [scale * value for value in vector]
    for row, pivot in zip(basis, pivots, strict=True):
        entries[pivot] = -int(dot(row, vector)) * (scale // row[pivot])
    return divided(entries)
