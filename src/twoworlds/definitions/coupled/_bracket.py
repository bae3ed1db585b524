"""Where to look next for a number that is known to lie between two fractions.

Three kinds of trial take turns: the guess of Newton's method, which ends quickly; the simplest
fraction of the bracket, which hits simple answers exactly; and one near the middle, so that the
bracket shrinks whatever happens. All are rounded to the simplest fraction nearby, so that the
numbers stay short.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

__all__ = ["Trials", "simplest", "trial"]

_CLOSE = Fraction(1, 16)


class Trials:
    """The numbers to try, none of them twice."""

    def __init__(self) -> None:
        """Begin with the first turn."""
        self._turn = 0
        self._tried: set[Fraction] = set()

    def next(self, low: Fraction, high: Fraction, guess: Fraction) -> Fraction:
        """Return the next number to try; what was tried must not lie inside the bracket."""
        while True:
            self._turn += 1
            found = trial(low, high, guess, self._turn)
            if found not in self._tried:
                self._tried.add(found)
                return found


def trial(low: Fraction, high: Fraction, guess: Fraction, turn: int) -> Fraction:
    """Return the number to try in a given turn; 0 <= low < high."""
    width = high - low
    if turn % 4 == 3:
        return simplest(low, high)
    if turn % 4 == 0:
        return simplest(low + width / 4, high - width / 4)
    near = width * min(_CLOSE, width / high)
    centre = min(max(guess, low), high)
    return simplest(max(low, centre - near), min(high, centre + near))


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction of smallest denominator between two positive ones (ends included).

    >>> simplest(Fraction(31, 100), Fraction(35, 100))
    Fraction(1, 3)
    """
    whole = floor(low)
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))
