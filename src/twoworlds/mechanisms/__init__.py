"""Randomized algorithms from databases to outputs, each with the structure it has."""

from __future__ import annotations

from twoworlds.mechanisms.base import Dense, Law, Mechanism
from twoworlds.mechanisms.comparison import Comparison, Each, Family, Gap, Line, Peak, Table
from twoworlds.mechanisms.continuous import Continuous, Gaussian, Laplace
from twoworlds.mechanisms.density import AddedDensity, NoisyStatistic
from twoworlds.mechanisms.event import Anything, AtLeast, AtMost, Either, Event, Listed, OnRecords
from twoworlds.mechanisms.on_statistic import (
    AddedNoise,
    Channel,
    Deterministic,
    OnStatistic,
    Through,
)
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.mechanisms.random_index import RandomIndex

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
    "Either",
    "Event",
    "Family",
    "Gap",
    "Gaussian",
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
    "Table",
    "Through",
]
