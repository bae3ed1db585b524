"""What may be true: universes of databases, neighbour relations, statistics and sensitivity."""

from __future__ import annotations

from twoworlds.worlds.line import Integers, Reals
from twoworlds.worlds.neighbours import check_group, distance, pairs, resolve, within
from twoworlds.worlds.part import Part
from twoworlds.worlds.statistic import Additive, Answer, Change, Computed, Statistic, Value
from twoworlds.worlds.universe import (
    ADD_REMOVE,
    EXPLICIT,
    SUBSTITUTE,
    Explicit,
    Point,
    Product,
    Universe,
)
from twoworlds.worlds.words import BitStrings, Records

__all__ = [
    "ADD_REMOVE",
    "EXPLICIT",
    "SUBSTITUTE",
    "Additive",
    "Answer",
    "BitStrings",
    "Change",
    "Computed",
    "Explicit",
    "Integers",
    "Part",
    "Point",
    "Product",
    "Reals",
    "Records",
    "Statistic",
    "Universe",
    "Value",
    "check_group",
    "distance",
    "pairs",
    "resolve",
    "within",
]
