"""Sentences that lead a refuted claim: what happens, and what was claimed."""

from __future__ import annotations

from twoworlds.definitions.words import percent
from twoworlds.numbers import INFINITY, Number, at_most_one, decimal

__all__ = ["event_exceeds", "moved_too_far", "moved_too_often", "outweighed", "points"]

_DIGITS = 4


def points(x: Number) -> str:
    """Write a difference of probabilities in percentage points, rounded up.

    >>> from fractions import Fraction
    >>> points(Fraction(1, 2)), points(Fraction(1, 100))
    ('50 percentage points', '1 percentage point')
    """
    number = percent(x)[:-1]
    return f"{number} percentage point{'' if number == '1' else 's'}"


def event_exceeds(difference: Number, claimed: Number, who: str) -> str:
    """Say that an event moves more than claimed."""
    return (
        f"An event becomes {points(difference)} likelier through {who}, "
        f"more than the {percent(claimed)[:-1]} claimed."
    )


def outweighed(p: Number, q: Number, ratio: Number, delta: Number) -> str:
    """Say that an event of probability p has more than a q + delta."""
    allowed = at_most_one(delta if ratio == INFINITY else ratio * q + delta)
    here, there, most = (decimal(x, _DIGITS, "down") for x in (p, q, allowed))
    return (
        f"An event has probability {here} in one world and {there} in the other, where the claim "
        f"allows at most {most}."
    )


def moved_too_far(difference: Number, claimed: Number) -> str:
    """Say that some belief differs by more than claimed."""
    return (
        "Some attacker's conclusions with and without the data of one person lie "
        f"{points(difference)} apart, more than the {percent(claimed)[:-1]} claimed."
    )


def moved_too_often(chance: Number, epsilon: Number, claimed: Number, whose: str) -> str:
    """Say that a breach is likelier than claimed; ``chance`` is known from below."""
    often = decimal(at_most_one(chance), 3, "down")
    return (
        f"{whose}, the conclusions with and without the data of some person lie more than "
        f"{points(epsilon)} apart with probability {often}, more than the "
        f"{decimal(claimed, 3)} claimed."
    )
