"""Randomized algorithms from databases to outputs, each with the structure it has."""

from __future__ import annotations

from twoworlds.laws.comparison import (
    Comparison,
    Each,
    Family,
    FiniteComparison,
    Gap,
    Peak,
    ProfileLine,
)
from twoworlds.laws.event import Anything, AtLeast, AtMost, Either, Event, Listed, OnRecords
from twoworlds.mechanisms.base import Dense, Law, Mechanism
from twoworlds.mechanisms.continuous import (
    AddedDensity,
    Continuous,
    Gaussian,
    Laplace,
    NoisyStatistic,
)
from twoworlds.mechanisms.on_statistic import (
    AddedNoise,
    Channel,
    Deterministic,
    OnStatistic,
    Through,
)
from twoworlds.mechanisms.per_record import EachRecord, PerRecord, RandomIndex

__all__ = [
    "AddedDensity",
    "AddedNoise",
    "Anything",
    "AtLeast",
    "AtMost",
    "Channel",
    "Comparison",
    "Continuous",
    "Dense",
    "Deterministic",
    "Each",
    "EachRecord",
    "Either",
    "Event",
    "Family",
    "FiniteComparison",
    "Gap",
    "Gaussian",
    "Laplace",
    "Law",
    "Listed",
    "Mechanism",
    "NoisyStatistic",
    "OnRecords",
    "OnStatistic",
    "Peak",
    "PerRecord",
    "ProfileLine",
    "RandomIndex",
    "Through",
]
