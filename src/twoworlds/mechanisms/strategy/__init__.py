"""Adaptive query strategies, and the mechanism that answers them with noise (Dwork, Theorem 5).

>>> from twoworlds.mechanisms.strategy import Strategy
>>> from twoworlds.worlds import BitStrings
>>> from twoworlds.worlds.statistics import count, parity
>>> both = Strategy.batch(BitStrings(4), count(), parity()).answered("geometric(ratio=2)")
>>> both.strategy.sensitivity().joint, both.bound()
(Fraction(2, 1), Fraction(4, 1))
"""

from __future__ import annotations

from twoworlds.mechanisms.strategy.boxes import Boxes, HalfOpen
from twoworlds.mechanisms.strategy.interaction import (
    Answering,
    Interaction,
    randomized,
    read_noise,
)
from twoworlds.mechanisms.strategy.strategy import (
    Ask,
    Course,
    Strategy,
    Then,
    from_family,
    tiles,
)

__all__ = [
    "Answering",
    "Ask",
    "Boxes",
    "Course",
    "HalfOpen",
    "Interaction",
    "Strategy",
    "Then",
    "from_family",
    "randomized",
    "read_noise",
    "tiles",
]
