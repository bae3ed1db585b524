"""Sentences that lead a refuted claim: what happens, and what was claimed."""

from __future__ import annotations

from fractions import Fraction

from twoworlds.definitions.words import percent, points
from twoworlds.numbers import INFINITY, Number, at_most_one, decimal

__all__ = ["event_exceeds", "moved_too_far", "moved_too_often", "outweighed", "points_claimed"]

_MOST_DIGITS = 12


def points_claimed(difference: Number, claimed: Number) -> tuple[str, str]:
    """Write a difference in percentage points, and the smaller one that was claimed.

    >>> points_claimed(Fraction(1, 2), Fraction(1, 4))
    ('50 percentage points', '25')
    >>> points_claimed(Fraction(1, 3), Fraction("0.3333"))
    ('at least 33.333 percentage points', '33.33')
    """
    digits = _digits_apart(difference, claimed)
    claim = percent(claimed, digits=digits, side="about")[:-1]
    return points(difference, digits=digits, side="at least"), claim


def _digits_apart(found: Number, claimed: Number, fewest: int = 3) -> int:
    """Return how many digits tell what was found, rounded down, from what was claimed."""
    for digits in range(fewest, _MOST_DIGITS):
        if Fraction(decimal(found, digits, "down")) > Fraction(decimal(claimed, digits)):
            return digits
    return _MOST_DIGITS


def event_exceeds(difference: Number, claimed: Number, who: str) -> str:
    """Say that an event moves more than claimed."""
    moved, claim = points_claimed(difference, claimed)
    return f"An event becomes {moved} likelier through {who}, more than the {claim} claimed."


def outweighed(p: Number, q: Number, ratio: Number, delta: Number) -> str:
    """Say that an event of probability p has more than a q + delta."""
    allowed = at_most_one(delta if ratio == INFINITY else ratio * q + delta)
    digits = _digits_apart(p, allowed, 4)
    here, there = decimal(p, digits, "at least"), decimal(q, digits, "at most")
    return (
        f"An event has probability {here} in one world and {there} in the other, where the claim "
        f"allows at most {decimal(allowed, digits)}."
    )


def moved_too_far(difference: Number, claimed: Number) -> str:
    """Say that some belief differs by more than claimed."""
    moved, claim = points_claimed(difference, claimed)
    return (
        "Some attacker's conclusions with and without the data of one person lie "
        f"{moved} apart, more than the {claim} claimed."
    )


def moved_too_often(chance: Number, epsilon: Number, claimed: Number, whose: str) -> str:
    """Say that a breach is likelier than claimed; ``chance`` is known from below."""
    digits = _digits_apart(at_most_one(chance), claimed)
    often = decimal(at_most_one(chance), digits, "at least")
    return (
        f"{whose}, the conclusions with and without the data of some person lie more than "
        f"{points(epsilon, side='down')} apart with probability {often}, more than the "
        f"{decimal(claimed, digits, 'about')} claimed."
    )
