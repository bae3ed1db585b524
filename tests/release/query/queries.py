"""Hypothesis strategies for conditions and queries of the dataset in `people`."""

from datetime import date
from fractions import Fraction
from functools import cache
from typing import get_args

from hypothesis import strategies as st

from tests.release.query.people import ODD, PEOPLE, PLAIN, REGIONS
from twoworlds.release.query import (
    Aggregate,
    All,
    AnyOf,
    Compare,
    Condition,
    GroupAxis,
    Missing,
    Not,
    OneOf,
    Query,
)
from twoworlds.release.query.conditions import OPERATORS
from twoworlds.release.query.model import Kind

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
exact = st.one_of(
    st.integers(-(10**30), 10**30).map(Fraction),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(Fraction),
    st.fractions(max_denominator=50),
)
VALUES = {
    "integer": exact,
    "number": exact,
    "text": texts,
    "boolean": st.booleans(),
    "date": st.dates(date(1, 1, 1)),
}
PUBLIC = [f"regions.{name}" for name in REGIONS.columns]


@st.composite
def simple(draw: st.DrawFn, columns: tuple[str, ...]) -> Condition:
    name = draw(st.sampled_from(columns))
    values = VALUES[PEOPLE.column(name).kind]
    which = draw(st.sampled_from(["compare", "one of", "missing"]))
    if which == "missing":
        return Missing(name)
    if which == "one of":
        return OneOf(name, tuple(draw(st.lists(values, min_size=1, max_size=3))))
    return Compare(name, draw(st.sampled_from(OPERATORS)), draw(values))


@cache
def conditions(columns: tuple[str, ...]) -> st.SearchStrategy[Condition]:
    def joined(parts: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        several = st.lists(parts, min_size=2, max_size=3).map(tuple)
        return st.one_of(parts.map(Not), several.map(All), several.map(AnyOf))

    return st.recursive(simple(columns), joined, max_leaves=6)


@st.composite
def groups(draw: st.DrawFn, columns: tuple[str, ...]) -> GroupAxis:
    name = draw(st.sampled_from(columns))
    kind = PEOPLE.column(name).kind
    if draw(st.booleans()) and draw(st.booleans()):
        return GroupAxis(name, discover=True)
    other = draw(st.booleans())
    if kind in ("integer", "number") and draw(st.booleans()):
        edges = draw(st.lists(exact, min_size=2, max_size=4, unique=True).map(sorted))
        return GroupAxis(name, bins=tuple(edges), other=other)
    keys = draw(st.lists(VALUES[kind], max_size=3).map(tuple))
    return GroupAxis(name, keys, other=other)


@st.composite
def aggregates(draw: st.DrawFn, columns: tuple[str, ...], name: str | None) -> Aggregate:
    kind = draw(st.sampled_from(get_args(Kind)))
    column = None if kind == "people" else draw(st.sampled_from(columns))
    if kind == "count" and draw(st.booleans()):
        column = None
    between = None
    if kind not in ("count", "people"):
        between = draw(st.none() | st.tuples(exact, exact))
    at = draw(st.fractions(0, 1)) if kind == "quantile" else None
    default = kind if column is None else f"{kind}_{column}"
    if at == Fraction(1, 2) and draw(st.booleans()):
        default = f"median_{column}"
    return Aggregate(
        kind,
        column,
        name or default,
        draw(st.none() | conditions(columns)),
        at,
        between,
        draw(st.just(Fraction(1)) | st.fractions(Fraction(1, 100), 100)),
    )


@st.composite
def queries(draw: st.DrawFn) -> Query:
    joined = draw(st.booleans())
    columns = (*PLAIN, *ODD, *(PUBLIC if joined else ()))
    names = draw(st.lists(texts.filter(bool), unique=True, max_size=3))
    asked = [draw(aggregates(columns, name)) for name in names]
    if not asked:
        asked = [draw(aggregates(columns, None))]
    taken = {aggregate.name for aggregate in asked}
    free = st.lists(groups(columns), max_size=3, unique_by=lambda by: by.column)
    by = [group for group in draw(free) if group.column not in taken]
    return Query(
        "people",
        tuple(asked),
        draw(st.none() | conditions(columns)),
        tuple(by),
        (("regions", draw(st.sampled_from([*PLAIN, *ODD]))),) if joined else (),
    )
