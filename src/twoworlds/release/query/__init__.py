"""Queries as plain data: what is asked, of whom, in which groups."""

from __future__ import annotations

from twoworlds.release.query.conditions import All, AnyOf, Compare, Condition, Missing, Not, OneOf
from twoworlds.release.query.model import Aggregate, GroupAxis, Query
from twoworlds.release.query.resolve import Resolved, SummedMeasure, resolve

__all__ = [
    "Aggregate",
    "All",
    "AnyOf",
    "Compare",
    "Condition",
    "GroupAxis",
    "Missing",
    "Not",
    "OneOf",
    "Query",
    "Resolved",
    "SummedMeasure",
    "resolve",
]
