"""What may be true and what is private: universes, neighbours, statistics, beliefs, scrubbing."""

from __future__ import annotations

from twoworlds.worlds.graphs import Graph, Graphs
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.records import (
    BitStrings,
    Integers,
    Reals,
    Records,
    check_group,
    distance,
    pairs,
    resolve,
    within,
)
from twoworlds.worlds.samples import Samples
from twoworlds.worlds.scrubbing import Scrub, Tagged
from twoworlds.worlds.statistic import Additive, Change, Computed, Statistic, TrueAnswer, Value
from twoworlds.worlds.universe import (
    ADD_REMOVE,
    EXPLICIT,
    MIXED,
    SUBSTITUTE,
    Explicit,
    Part,
    Point,
    Product,
    Universe,
)

__all__ = [
    "ADD_REMOVE",
    "EXPLICIT",
    "MIXED",
    "NOTHING",
    "SUBSTITUTE",
    "Additive",
    "BeliefClass",
    "BitStrings",
    "Change",
    "Computed",
    "Explicit",
    "Graph",
    "Graphs",
    "Integers",
    "Joint",
    "Part",
    "Point",
    "Product",
    "Reals",
    "Records",
    "Samples",
    "Scrub",
    "Statistic",
    "Tagged",
    "TrueAnswer",
    "Universe",
    "Value",
    "check_group",
    "distance",
    "pairs",
    "resolve",
    "within",
]
