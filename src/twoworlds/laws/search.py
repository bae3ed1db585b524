"""The least whole number from which on a falling function stays below a limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

__all__ = ["least_enough"]

_MARGIN = 32


def least_enough(delta: Callable[[int], Fraction], limit: Fraction, most: int) -> int | None:
    """Return the least n >= 0 with delta(n) <= limit, or None if there is none up to ``most``.

    ``delta`` must not increase. Doubling finds a bracket; as the logarithm of delta is nearly
    linear for totals, it is narrowed by interpolation, a step to the other side, and halving.

    >>> least_enough(lambda n: Fraction(1, 2**n), Fraction(1, 1000), 100)
    10
    """
    low, high = -1, 0  # too few, and enough
    seen = {-1: 1.0}
    while (value := delta(high)) > limit:
        if high >= most:
            return None
        seen[high] = _log(value)
        low, high = high, min(most, max(1, 2 * high))
    seen[high], goal = _log(value), _log(limit)
    turn, aim = 0, high
    while high - low > 1:
        margin = 1 + (high - low) // _MARGIN
        if turn % 3 == 0:
            aim = _between(low, high, seen[low], seen[high], goal)
        elif turn % 3 == 1:
            aim = aim - margin if aim == high else aim + margin
        else:
            aim = (low + high) // 2
        aim = min(high - 1, max(low + 1, aim))
        value = delta(aim)
        seen[aim] = _log(value)
        low, high = (low, aim) if value <= limit else (aim, high)
        turn += 1
    return high


def _between(low: int, high: int, first: float, last: float, goal: float) -> int:
    """Return where a straight line between both ends reaches the goal."""
    if not first > last > -math.inf or goal == -math.inf:
        return (low + high) // 2
    return low + math.ceil((high - low) * (first - goal) / (first - last))


def _log(value: Fraction) -> float:
    if value <= 0:
        return -math.inf
    return math.log(value.numerator) - math.log(value.denominator)
