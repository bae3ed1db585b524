"""What a difference and a failure probability promise, and when that is nothing at all."""

from __future__ import annotations

from twoworlds.definitions.words import percent
from twoworlds.numbers import Number, Order, bounds, compare, show

__all__ = ["at_least", "promise"]


def promise(whose: str, epsilon: Number, delta: Number, shown: Number | None = None) -> str:
    """Say that conclusions differ by at most epsilon, but for delta.

    Args:
        whose: whose conclusions, such as "For this belief".
        epsilon: the difference.
        delta: the failure probability, or a bound on it.
        shown: where delta is only a bound, a failure probability that does occur.

    >>> from fractions import Fraction
    >>> promise("For this belief", Fraction(1, 5), Fraction(1))
    'For this belief, nothing is promised: no chance of staying within 20% is left.'
    >>> promise("For any belief", Fraction(1, 5), Fraction(1), Fraction(3, 4))
    'For any belief, no chance of staying within 20% is proved; at most 1/4 (0.25) is left.'
    """
    if compare(epsilon, 1) is not Order.LESS:
        return (
            f"{whose}, nothing is promised: the conclusions with and without one person may differ "
            "by as much as conclusions can."
        )
    sure = delta if shown is None else shown
    if compare(delta, 1) is not Order.LESS and compare(sure, 1) is not Order.EQUAL:
        return (
            f"{whose}, no chance of staying within {percent(epsilon)} is proved; at most "
            f"{show(1 - bounds(sure)[0], side='up')} is left."
        )
    if compare(delta, 1) is not Order.LESS:
        return (
            f"{whose}, nothing is promised: no chance of staying within {percent(epsilon)} is left."
        )
    if delta == 0:
        return (
            f"{whose}, whatever the output, the conclusions with and without any one person differ "
            f"by at most {percent(epsilon)}."
        )
    return (
        f"{whose}, with probability at least {at_least(delta)} the conclusions with and without "
        f"any one person differ by at most {percent(epsilon)}."
    )


def at_least(delta: Number) -> str:
    """Write 1 - delta, rounded down."""
    return show(1 - bounds(delta)[1], side="down")
