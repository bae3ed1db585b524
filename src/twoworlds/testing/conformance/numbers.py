"""Comparing numbers in suites: exactly where they are rational, to 100 bits where they are not."""

from __future__ import annotations

from fractions import Fraction

from twoworlds.numbers import INFINITY, Number, bounds

__all__ = ["TINY", "at_most", "near", "same"]

TINY = Fraction(1, 2**100)


def near(x: Number | int | None) -> Fraction:
    """Return a rational within 2^-100 of a finite number."""
    if x is None or x == INFINITY:
        raise AssertionError(f"{x} is not finite")
    return bounds(Fraction(x) if isinstance(x, int) else x, 256)[0]


def same(x: Number | int | None, y: Number | int | None) -> bool:
    """Tell whether two numbers agree; None and infinity are the same thing.

    >>> same(Fraction(1, 3), Fraction(1, 3)), same(None, INFINITY), same(1, INFINITY)
    (True, True, False)
    """
    infinite = [z is None or z == INFINITY for z in (x, y)]
    if any(infinite):
        return all(infinite)
    rational = all(isinstance(z, (int, Fraction)) for z in (x, y))
    return x == y if rational else abs(near(x) - near(y)) <= TINY


def at_most(x: Number | int, y: Number | int | None) -> bool:
    """Tell whether x <= y, up to 2^-100 for irrational numbers."""
    if y is None or y == INFINITY or same(x, y):
        return True
    return x != INFINITY and near(x) < near(y)
