"""Utility at a glance: noise against the size of the answer, in a word.

    relative error   standard error / |value|; for a quantile, ranks / rows

    good            at most 5 %
    fair            at most 20 %
    poor            at most 100 %
    lost in noise   more, or the value is 0, or a count below 0, or its error cannot be told from
                    noise
    exact           there is no noise

Computed from noisy values only, so it tells nothing that the answer does not.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from twoworlds.numbers import Number

__all__ = ["Utility", "relative_error", "utility"]

_GOOD, _FAIR, _POOR = 0.05, 0.2, 1.0


class Utility(Enum):
    """How much of an answer is left beside its noise."""

    EXACT = "exact"
    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    LOST = "lost in noise"

    @property
    def bar(self) -> str:
        """Four blocks, filled as far as the answer is good."""
        filled = {"exact": 4, "good": 4, "fair": 3, "poor": 2, "lost in noise": 1}[self.value]
        return "█" * filled + "░" * (4 - filled)


def relative_error(error: Number | float | None, value: Fraction) -> float | None:
    """Return |error / value|, or None where it has no bound.

    >>> relative_error(Fraction(2), Fraction(-50))
    0.04
    """
    if error is None:
        return None
    if error == 0:
        return 0.0
    if value == 0:
        return None
    return abs(float(error) / float(value))


def utility(relative: float | None) -> Utility:
    """Return the word for a relative error.

    >>> utility(0.04).value, utility(None).value
    ('good', 'lost in noise')
    """
    if relative is None or relative > _POOR:
        return Utility.LOST
    if relative == 0:
        return Utility.EXACT
    return (
        Utility.GOOD if relative <= _GOOD else Utility.FAIR if relative <= _FAIR else Utility.POOR
    )
