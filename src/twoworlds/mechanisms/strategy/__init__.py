"""Adaptive query strategies, and the mechanism that answers them with noise (Dwork, Theorem 5).

>>> from twoworlds.mechanisms.strategy import Strategy
>>> from twoworlds.worlds import BitStrings
>>> from twoworlds.worlds.statistics import count, parity
>>> both = Strategy.batch(BitStrings(4), count(), parity()).answered("geometric(ratio=2)")
>>> both.strategy.sensitivity().joint, both.bound()
(Fraction(2, 1), Fraction(4, 1))
"""

from __future__ import annotations

from twoworlds.mechanisms.strategy.interaction import Answering, Interaction
from twoworlds.mechanisms.strategy.noise import (
    AnswerNoise,
    BoundedNoise,
    IntegerNoise,
    LaplaceNoise,
    read_noise,
)
from twoworlds.mechanisms.strategy.randomized import Randomized, from_family, randomized
from twoworlds.mechanisms.strategy.regions import Boxes, HalfOpen, Transcripts
from twoworlds.mechanisms.strategy.strategy import (
    Ask,
    Course,
    Strategy,
    StrategySensitivity,
    Then,
    strategy_sensitivity,
)

__all__ = [
    "AnswerNoise",
    "Answering",
    "Ask",
    "BoundedNoise",
    "Boxes",
    "Course",
    "HalfOpen",
    "IntegerNoise",
    "Interaction",
    "LaplaceNoise",
    "Randomized",
    "Strategy",
    "StrategySensitivity",
    "Then",
    "Transcripts",
    "from_family",
    "randomized",
    "read_noise",
    "strategy_sensitivity",
]
