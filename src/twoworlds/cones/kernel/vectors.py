"""Vectors of exact integers: the rays and the inequalities of a cone.

A cone does not change when a ray or an inequality is multiplied by a positive number, so each of
them is kept as its *primitive* multiple: the one whose entries are integers without a common
divisor. Directions are never flipped. Nothing here rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

from twoworlds.errors import InvalidInput
from twoworlds.numbers import number

__all__ = ["Vector", "divided", "dot", "negative", "primitive", "rational", "rationals"]

Vector = tuple[int, ...]


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
    raise InvalidInput(
        f"{name}={result} is irrational, and a cone is computed with exact rationals: "
        "give ratio= as a rational such as 3 or 5/2"
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


def primitive(values: Iterable[object], name: str = "vector") -> Vector:
    """Return the positive multiple that has integer entries without a common divisor.

    >>> primitive(["9/16", "-3/16", 0])
    (3, -1, 0)
    """
    if isinstance(values, (tuple, list)) and all(type(value) is int for value in values):
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
