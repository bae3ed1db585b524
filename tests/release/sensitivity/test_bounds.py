"""Sensitivity against the definition, on random queries of a small table."""

from fractions import Fraction
from math import prod

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.release.sensitivity.brute import all_vectors, person_supremum, supremum
from twoworlds.release.policy.model import Column, Dataset, Unit
from twoworlds.release.query import All, AnyOf, Compare, Missing, Not, OneOf, Query, resolve
from twoworlds.release.sensitivity import bounds
from twoworlds.release.sensitivity.joint import Analysis

F = Fraction
COLUMNS = {
    "region": Column("region", "text", keys=("a", "b", "c")),
    "member": Column("member", "boolean", keys=(True, False)),
    "x": Column(
        "x", "number", F(-1), F(3), F(1), bins=(F(-1), F(1), F(2)), grid=(F(0), F(1), F(2))
    ),
    "n": Column("n", "integer", F(-4), F(4), F(2), keys=(F(0), F(1), F(3)), fill=F(2)),
}
SAMPLES = {
    "region": ["a", "b", "c", "z", "elsewhere", None],
    "member": [True, False, None],
    "x": [F(i, 4) for i in range(-7, 14)] + [F(-99), F(99), None],
    "n": [F(i) for i in range(-5, 6)] + [F(-99), F(99), None],
}


def dataset(neighbours="add-remove", unit=None):
    return Dataset("people", None, neighbours, unit or Unit(), COLUMNS)


FEW, MANY = 9, 1000  # vectors of persons, and rows, that are enumerated
halves = st.integers(-3, 6).map(lambda i: F(i, 2))
operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
leaves = st.one_of(
    st.builds(Compare, st.sampled_from(["x", "n"]), operators, halves),
    st.builds(Compare, st.just("region"), st.sampled_from(["=", "!="]), st.sampled_from("abz")),
    st.builds(OneOf, st.just("region"), st.just(("a", "z"))),
    st.builds(Compare, st.just("member"), st.just("="), st.booleans()),
    st.builds(Missing, st.sampled_from(["x", "region", "n"])),
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=1, max_size=3).map(tuple).map(All),
        st.lists(inner, min_size=1, max_size=3).map(tuple).map(AnyOf),
    ),
    max_leaves=4,
)
maybe = st.none() | conditions


@st.composite
def queries(draw, *, people=False, groups=True, squares=True):
    query = Query("people")
    condition = draw(maybe)
    if condition is not None:
        query = query.where(condition)
    axes = ["region", "x", "n"]
    for name in draw(st.lists(st.sampled_from(axes), max_size=2, unique=True)) if groups else []:
        discover = draw(st.booleans()) and not any(by.discover for by in query.groups)
        query = query.by(name, other=not discover and draw(st.booleans()), discover=discover)
    kinds = ["count", "count of x", "sum x", "sum n", "sum of part", "median", "mean"]
    kinds += ["variance"] if squares else []
    kinds += ["people", "people"] if people else []
    for place, kind in enumerate(draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=2))):
        options = {"name": f"answer {place}", "where": draw(maybe)}
        match kind:
            case "count":
                query = query.count(**options)
            case "count of x":
                query = query.count("x", **options)
            case "sum of part":
                query = query.sum("x", between=(0, 2), **options)
            case "people":
                query = query.people(**options)
            case "median":
                query = query.median("x", **options)
            case "mean":
                query = query.mean("x", **options)
            case "variance":
                query = query.variance("x", **options)
            case _:
                query = query.sum(kind[4:], **options)
    return query


def used(query):
    """The samples of the columns that a query looks at; others cannot matter."""
    text = repr(query)
    return {name for name in SAMPLES if f"'{name}'" in text}


def samples_of(batch):
    names = set().union(*(used(one.query) for one in batch))
    return {name: SAMPLES[name] for name in SAMPLES if name in names}


def weights_of(draw, batch):
    return {
        (q, j): draw(st.sampled_from([F(1), F(1, 2), F(3), F(1, 7)]))
        for q, one in enumerate(batch)
        for j in range(len(one.measures))
    }


@st.composite
def weighted(draw, **options):
    neighbours = draw(st.sampled_from(["add-remove", "substitute"]))
    unit = options.pop("unit", None)
    most = options.pop("most", 2)
    asked = draw(st.lists(queries(**options), min_size=1, max_size=most))
    batch = [resolve(query, dataset(neighbours, unit)) for query in asked]
    return batch, weights_of(draw, batch)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(weighted())
def test_loss_is_that_of_the_worst_neighbours(asked):
    batch, weights = asked
    assume(prod(map(len, samples_of(batch).values())) <= MANY)
    found, expected = (
        Analysis(batch).loss(weights, 1),
        supremum(batch, samples_of(batch), weights, 1),
    )
    keys = {by.column for one in batch for by in one.query.groups if by.discover}
    ranks = any(m.kind == "ranks" for one in batch for m in one.measures)
    assert found.attained or ranks or keys & {"x", "n"}
    assert found.value == expected if found.attained else found.value >= expected


@settings(max_examples=15, deadline=None)
@given(weighted())
def test_squared_loss_is_that_of_the_worst_neighbours_or_a_little_more(asked):
    batch, weights = asked
    assume(prod(map(len, samples_of(batch).values())) <= MANY)
    found, expected = (
        Analysis(batch).loss(weights, 2),
        supremum(batch, samples_of(batch), weights, 2),
    )
    assert expected <= found.value
    if found.attained:
        assert found.value == expected
    elif not any(m.kind == "ranks" for one in batch for m in one.measures) and not any(
        by.discover for one in batch for by in one.query.groups
    ):
        assert found.value <= expected * F(65, 64)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data(), st.sampled_from([(1, 1), (2, 1), (2, 2), (3, 2)]), st.sampled_from([1, 2]))
def test_loss_of_a_person_is_never_understated_and_exact_where_said(data, limits, power):
    unit = Unit("id", *limits)
    batch, weights = data.draw(weighted(people=True, unit=unit, most=1))
    samples = samples_of(batch)
    assume(prod(map(len, samples.values())) <= 150)
    assume(len(all_vectors(batch, samples)) <= FEW)
    found, expected = (
        Analysis(batch).loss(weights, power),
        person_supremum(batch, samples, weights, power),
    )
    assert expected <= found.value
    if found.attained:
        assert found.value == expected


def test_a_search_that_is_cut_short_gives_a_bound_and_says_so(monkeypatch):
    query = Query("people").by("region", other=True).mean("x").sum("n")
    batch = [resolve(query, dataset("substitute"))]
    weights = {(0, 0): F(1), (0, 1): F(1, 9), (0, 2): F(2)}
    exact = Analysis(batch).loss(weights, 1)
    monkeypatch.setattr(bounds, "_MOST_PAIRS", 0)
    bound = Analysis(batch).loss(weights, 1)
    assert exact.attained
    assert not bound.attained
    assert bound.value >= exact.value


def test_many_bent_measures_of_one_column_give_a_close_bound(monkeypatch):
    query = Query("people").variance("x").variance("x", name="part", between=(0, 2))
    batch = [resolve(query, dataset("substitute"))]
    weights = {(0, j): F(j + 1, 3) for j in range(len(batch[0].measures))}
    exact = Analysis(batch).loss(weights, 1).value
    monkeypatch.setattr(bounds, "_MOST_SIGNS", 0)
    assert exact <= Analysis(batch).loss(weights, 1).value <= exact * F(65, 64)
    assert exact == supremum(batch, samples_of(batch), weights, 1)
