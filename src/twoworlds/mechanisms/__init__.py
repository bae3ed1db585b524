"""Randomized algorithms from databases to outputs, each with the structure it has."""

from __future__ import annotations

from twoworlds.laws.comparison import (
    Comparison,
    Family,
    FiniteComparison,
    Gap,
    ProfileLine,
)
from twoworlds.laws.event import Anything, AtLeast, AtMost, Either, Event, Listed
from twoworlds.mechanisms.base import Dense, Mechanism
from twoworlds.mechanisms.continuous import (
    AddedDensity,
    Continuous,
    Gaussian,
    Laplace,
)
from twoworlds.mechanisms.on_statistic import (
    AddedNoise,
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
    "Comparison",
    "Continuous",
    "Dense",
    "Deterministic",
    "EachRecord",
    "Either",
    "Event",
    "Family",
    "FiniteComparison",
    "Gap",
    "Gaussian",
    "Laplace",
    "Listed",
    "Mechanism",
    "OnStatistic",
    "PerRecord",
    "ProfileLine",
    "RandomIndex",
    "Through",
]
