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
from twoworlds.release.query.resolve import Axis, Measure, Recipe, Resolved, resolve

__all__ = [
    "Aggregate",
    "All",
    "AnyOf",
    "Axis",
    "By",
    "Compare",
    "Condition",
    "Join",
    "Measure",
    "Missing",
    "Not",
    "OneOf",
    "Query",
    "Recipe",
    "Resolved",
    "resolve",
]
