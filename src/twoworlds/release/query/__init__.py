"""Queries as plain data: what is asked, of whom, in which groups."""

from __future__ import annotations

from twoworlds.release.query.conditions import (
    All,
    AnyOf,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
)
from twoworlds.release.query.model import Aggregate, By, Join, Query
from twoworlds.release.query.resolve import GroupAxis, Recipe, Resolved, SummedMeasure, resolve

__all__ = [
    "Aggregate",
    "All",
    "AnyOf",
    "By",
    "Compare",
    "Condition",
    "GroupAxis",
    "Join",
    "Missing",
    "Not",
    "OneOf",
    "Query",
    "Recipe",
    "Resolved",
    "SummedMeasure",
    "resolve",
]
