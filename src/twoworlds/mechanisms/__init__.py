"""Randomized algorithms from databases to outputs, each with the structure it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of
from twoworlds.laws.comparison import Comparison, Each, Family, Gap, Line, Peak, Table
from twoworlds.laws.event import (
    Anything,
    AtLeast,
    AtMost,
    Either,
    Event,
    Listed,
    OnRecords,
)

if TYPE_CHECKING:
    from twoworlds.mechanisms.base import Dense, Law, Mechanism
    from twoworlds.mechanisms.continuous import Continuous, Gaussian, Laplace
    from twoworlds.mechanisms.density import AddedDensity, NoisyStatistic
    from twoworlds.mechanisms.on_statistic import (
        AddedNoise,
        Channel,
        Deterministic,
        OnStatistic,
        Through,
    )
    from twoworlds.mechanisms.per_record import PerRecord
    from twoworlds.mechanisms.random_index import RandomIndex
    from twoworlds.mechanisms.strategy import Ask, Interaction, Strategy, Then

__all__ = [
    "AddedDensity",
    "AddedNoise",
    "Anything",
    "Ask",
    "AtLeast",
    "AtMost",
    "Channel",
    "Comparison",
    "Continuous",
    "Dense",
    "Deterministic",
    "Each",
    "Either",
    "Event",
    "Family",
    "Gap",
    "Gaussian",
    "Interaction",
    "Laplace",
    "Law",
    "Line",
    "Listed",
    "Mechanism",
    "NoisyStatistic",
    "OnRecords",
    "OnStatistic",
    "Peak",
    "PerRecord",
    "RandomIndex",
    "Strategy",
    "Table",
    "Then",
    "Through",
]

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "base": (
        "Dense",
        "Law",
        "Mechanism",
    ),
    "continuous": (
        "Continuous",
        "Gaussian",
        "Laplace",
    ),
    "density": (
        "AddedDensity",
        "NoisyStatistic",
    ),
    "on_statistic": (
        "AddedNoise",
        "Channel",
        "Deterministic",
        "OnStatistic",
        "Through",
    ),
    "per_record": ("PerRecord",),
    "random_index": ("RandomIndex",),
    "strategy": ("Ask", "Interaction", "Strategy", "Then"),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
