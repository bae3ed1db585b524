r"""The threshold above which a discovered key is shown, from its delta.

Only keys that occur are ever shown. Let a unit be alone in m cells; each has the count 1, and is
shown with probability p = P(1 + Z >= threshold). Without the unit these cells do not occur. Then

    (1)  1 - (1 - p)^m <= delta:      with the unit, a cell that gives it away is seldom shown;
    (2)  1 - p >= e^-w:               without it, that none is shown is at most e^(m w) as likely,

where w is the weight of the count: moving it by 1 in one cell costs w, and the m w is part of the
cost of the whole already. So with probability at least 1 - delta the loss is within that cost, in
both directions, and the least threshold with (1) and (2) is taken. The same holds for a unit that
is replaced: (1) bounds what the old one gives away, (2) pays for the cells of the new one.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from twoworlds.laws.noise import Noise
from twoworlds.numbers import exp
from twoworlds.release.sensitivity.tails import at_least

__all__ = ["least_threshold"]


def least_threshold(law: Noise, weight: Fraction, cells: int, delta: Fraction) -> int:
    """Return the least threshold for a count with this noise.

    Args:
        law: Of the noise.
        weight: What moving the count by 1 in one cell costs.
        cells: In how many cells a unit may be alone.
        delta: The probability that a cell may give it away.

    >>> from twoworlds.laws.noise import GeometricNoise
    >>> least_threshold(GeometricNoise(exp(Fraction(-1))), Fraction(1), 1, Fraction(1, 10**6))
    15
    """

    def enough(threshold: int) -> bool:
        hidden = 1 - at_least(law, threshold - 1)
        return bool(hidden >= exp(-weight)) and bool(hidden**cells >= 1 - delta)

    return _first(enough)


def _first(enough: Callable[[int], bool]) -> int:
    """Return the least whole number from 1 on; once enough, more is enough, too."""
    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
