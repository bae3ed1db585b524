"""Queries and conditions: built step by step, refused at the step that is wrong, plain data."""

import json
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release.query.people import PLAIN
from tests.release.query.queries import conditions, queries
from tests.release.query.truth import SIGNS, truth
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.release.query import (
    Aggregate,
    All,
    AnyOf,
    Compare,
    GroupAxis,
    Missing,
    Not,
    OneOf,
    Query,
)
from twoworlds.release.query.conditions import check_condition, column, columns_of, plain
from twoworlds.release.query.model import query_of

A, B, C = Missing("a"), Missing("b"), Missing("c")
people, age = Query("people"), column("age")
small = st.integers(-3, 3)


def test_each_method_adds_one_thing_and_keeps_the_rest():
    query = people.where(age >= 18).by("region", other=True).join("regions", on="region")
    query = query.count().mean("income", between=(0, "1/2"), share=2, name="m")
    bounds = (Fraction(0), Fraction(1, 2))
    mean = Aggregate("mean", "income", "m", between=bounds, share=Fraction(2))
    groups, joins = (GroupAxis("region", other=True),), (("regions", "region"),)
    asked = (Aggregate("count", None, "count"), mean)
    assert query == Query("people", asked, age >= 18, groups, joins)
    assert people == Query("people")


def test_names_of_aggregates():
    query = people.count().count("age").people().sum("age").mean("age").variance("age")
    query = query.quantile("age", 0.9).median("age")
    assert [a.name for a in query.aggregates] == [
        *("count", "count_age", "people", "sum_age", "mean_age", "variance_age"),
        *("quantile_age", "median_age"),
    ]
    assert [a.at for a in query.aggregates][-2:] == [Fraction(9, 10), Fraction(1, 2)]


@pytest.mark.parametrize("kind", [All, AnyOf])
def test_parts_of_parts_stand_in_the_whole(kind):
    flat = kind((A, B, C))
    assert kind((kind((A, B)), C)) == kind((A, kind((B, C)))) == flat
    assert kind((Not(flat), C)).parts == (Not(flat), C)
    assert A & B & C == people.where(A).where(B).where(C).condition == All((A, B, C))
    assert AnyOf((All((A, B)), Not(C))) == A & B | ~C


@given(st.sampled_from(list(SIGNS)), small, small)
def test_every_comparison_says_what_python_says(sign, x, y):
    compare = SIGNS[sign]
    assert compare(age, y) == Compare("age", sign, Fraction(y))
    assert truth(compare(age, y), {"age": x}) == compare(x, y)
    assert truth(compare(y, age), {"age": x}) == compare(y, x)


@given(small | st.none(), small, small)
def test_between_and_is_in_as_in_python(x, low, high):
    row = {"age": x}
    assert truth(age.between(low, high), row) == (None if x is None else low <= x <= high)
    assert truth(age.is_in([low, high]), row) == (None if x is None else x in (low, high))
    assert truth(age.is_missing(), row) == (x is None)


@pytest.mark.parametrize(
    ("given_value", "value"),
    [
        (18, Fraction(18)),
        (0.1, Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.float64(0.25), Fraction(1, 4)),
        ("0.1", "0.1"),
        (True, True),
        (date(2026, 1, 31), date(2026, 1, 31)),
    ],
)
def test_constants_are_exact_and_keep_their_kind(given_value, value):
    built = column("x") == given_value
    assert built == Compare("x", "=", value)
    assert type(built.value) is type(value)
    assert column("x").is_in([given_value]) == OneOf("x", (value,))


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: people.count().count(), "called 'count': rename one"),
        (lambda: people.by("a").count(name="a"), "called 'a': rename one"),
        (lambda: people.by("a").by("a"), "called 'a'"),
        (lambda: people.count(name=""), "is not the name"),
        (lambda: people.count(age), "is not the name"),
        (lambda: people.count(colour=1), "unknown option 'colour'"),
        (lambda: people.sum("age", betwen=(0, 1)), "did you mean 'between'"),
        (lambda: people.sum("age", share=0), "share=0 must be positive"),
        (lambda: people.sum("age", where=True), "bool is not a condition"),
        (lambda: people.sum("age", at="1/2"), "a quantile, and nothing else"),
        (lambda: people.count(between=(0, 1)), "not for count"),
        (lambda: people.people(between=(0, 1)), "not for people"),
        (lambda: people.quantile("age", 2), "at=2: a quantile lies between 0 and 1"),
        (lambda: people.quantile("age", "half"), "is not a number"),
        (lambda: Aggregate("quantile", "age", "q"), "needs at="),
        (lambda: Aggregate("people", "age", "n"), "without a column"),
        (lambda: Aggregate("sum", None, "n"), "sum needs a column"),
        (lambda: Aggregate("max", "age", "n"), "unknown aggregate 'max'"),
        (lambda: people.where("age > 3"), "str is not a condition"),
        (lambda: people.where(column("member")), "NamedColumn is not a condition"),
        (lambda: people.by("a", keys=["x"], bins=[0, 1]), "give one"),
        (lambda: people.by("a", keys=["x"], discover=True), "give one"),
        (lambda: people.by("a", discover=True, other=True), "leave no group"),
        (lambda: people.by("a", keys=[]), "keys for 'a' are empty"),
        (lambda: people.by("a", keys=[None]), "not NoneType"),
        (lambda: people.by("a", bins=[]), "two or more ascending edges"),
        (lambda: people.by("a", bins=[0]), "two or more ascending edges"),
        (lambda: people.by("a", bins=[0, 2, 2]), "two or more ascending edges"),
        (lambda: people.by(""), "is not the name"),
        (lambda: age == None, r"use is_missing\(\)"),  # noqa: E711
        (lambda: age == column("income"), "another column"),
        (lambda: age == [1], "not list"),
        (lambda: age < datetime(2026, 1, 31), "not datetime"),
        (lambda: age < float("nan"), "nan"),
        (lambda: age.is_in("abc"), "is_in takes a list"),
        (lambda: age.is_in([]), "is empty"),
        (lambda: 18 <= age <= 65, r"between\(a, b\)"),
        (lambda: (age > 1) and (age < 2), "write & for and"),
        (lambda: not age, "is not a truth value"),
        (lambda: column(age), "is not the name"),
        (lambda: Compare("a", "==", "b"), "'==' is not a comparison: use =,"),
        (lambda: Compare("a", "=", 3), "not int"),
        (lambda: OneOf("a", ()), "list of values for 'a' is empty"),
        (lambda: Missing(None), "None is not the name"),
        (lambda: Not("a"), "str is not a condition"),
        (lambda: All(()), "no parts"),
        (lambda: A & True, "bool is not a condition"),
    ],
)
def test_what_is_no_query_is_refused(build, reason):
    with pytest.raises(InvalidInput, match=reason):
        build()


def test_a_condition_may_be_wide_and_not_deep():
    def nested(levels):
        condition = A
        for _ in range(levels):
            condition = Not(condition)
        return condition

    check_condition(nested(20))
    for condition in (nested(21), nested(5000)):
        with pytest.raises(TooLarge, match="more than 20 levels"):
            people.where(condition)
        with pytest.raises(TooLarge):
            people.count(where=condition)
    wide = A
    for n in range(3000):
        wide = wide | Missing(str(n))
    check_condition(wide)
    assert len([*columns_of(wide)]) == 3001


@given(queries())
def test_plain_data_survive_json(query):
    assert query_of(json.loads(json.dumps(query.plain()))) == query


@given(conditions(tuple(PLAIN)), conditions(tuple(PLAIN)))
def test_plain_data_are_equal_only_for_equal_conditions(one, other):
    assert (plain(one) == plain(other)) == (one == other)


ASKED = people.where(age > 1).by("region").count().plain()
AGGREGATE = ASKED["aggregates"][0]


def negated(levels: int) -> dict:
    data = ASKED["where"]
    for _ in range(levels):
        data = {"not": data}
    return data


@pytest.mark.parametrize(
    "changes",
    [
        {"dataset": 3},
        {"where": {"column": "age"}},
        {"where": {"column": "age", "is": "missing", "more": 1}},
        {"where": {"column": "age", "is": "~", "value": "x"}},
        {"where": {"column": "age", "is": "=", "value": 3}},
        {"where": {"column": "age", "is": "=", "value": {"number": "three"}}},
        {"where": {"column": "age", "is": "=", "value": {"date": "yesterday"}}},
        {"where": {"not": None}},
        {"where": {"all": []}},
        {"where": "age > 1"},
        {"where": negated(21)},
        {"where": negated(100_000)},
        {"groups": [{"column": "region"}]},
        {"groups": None},
        {"aggregates": [{**AGGREGATE, "kind": "max"}]},
        {"aggregates": [{**AGGREGATE, "share": "0"}]},
        {"aggregates": [AGGREGATE, AGGREGATE]},
        {"joins": [{"table": "regions"}]},
    ],
)
def test_plain_data_that_are_no_query_are_refused(changes):
    with pytest.raises(InvalidInput):
        query_of({**ASKED, **changes})
    for data in (None, [], "people", {}, 3):
        with pytest.raises(InvalidInput, match="not a query"):
            query_of(data)
