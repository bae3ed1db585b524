"""Queries: built step by step, refused at the step that is wrong, and plain data."""

import json
from fractions import Fraction

import pytest
from hypothesis import given

from tests.release.query.queries import queries
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.release.query import Aggregate, All, By, Join, Missing, Query
from twoworlds.release.query.conditions import column
from twoworlds.release.query.model import query_of

people = Query("people")


def test_each_method_adds_one_thing_and_keeps_the_rest():
    query = people.where(column("age") >= 18).by("region", other=True).join("regions", on="region")
    query = query.count().mean("income", between=(0, "1/2"), share=2, name="m")
    assert query == Query(
        "people",
        (
            Aggregate("count", None, "count"),
            Aggregate(
                "mean",
                "income",
                "m",
                between=(Fraction(0), Fraction(1, 2)),
                share=Fraction(2),
            ),
        ),
        column("age") >= 18,
        (By("region", other=True),),
        (Join("regions", "region"),),
    )
    assert people == Query("people")


def test_names_of_aggregates():
    query = people.count().count("age").people().sum("age").mean("age").variance("age")
    query = query.quantile("age", 0.9).median("age")
    assert [a.name for a in query.aggregates] == [
        *("count", "count_age", "people", "sum_age", "mean_age", "variance_age"),
        *("quantile_age", "median_age"),
    ]
    assert [a.at for a in query.aggregates][-2:] == [Fraction(9, 10), Fraction(1, 2)]


def test_wheres_join_into_one_flat_condition():
    a, b, c = Missing("a"), Missing("b"), Missing("c")
    assert people.where(a).condition == a
    assert people.where(a).where(b).where(c).condition == All((a, b, c))
    assert people.where(a & b).where(c) == people.where(a).where(b & c)


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: people.count().count(), "called 'count': rename one"),
        (lambda: people.by("a").count(name="a"), "called 'a': rename one"),
        (lambda: people.by("a").by("a"), "called 'a'"),
        (lambda: people.count(name=""), "is no name"),
        (lambda: people.count(column("age")), "is no name"),
        (lambda: people.count(colour=1), "unknown option 'colour'"),
        (lambda: people.sum("age", share=0), "share=0 must be positive"),
        (lambda: people.sum("age", share=-1), "must be positive"),
        (lambda: people.sum("age", where=True), "bool is no condition"),
        (lambda: people.sum("age", where="age > 3"), "str is no condition"),
        (lambda: people.sum("age", at="1/2"), "a quantile, and nothing else"),
        (lambda: people.count(between=(0, 1)), "not for count"),
        (lambda: people.people(between=(0, 1)), "not for people"),
        (lambda: people.quantile("age", 2), "at=2: a quantile lies between 0 and 1"),
        (lambda: people.quantile("age", "half"), "is not a number"),
        (lambda: Aggregate("quantile", "age", "q"), "needs at="),
        (lambda: Aggregate("people", "age", "n"), "without a column"),
        (lambda: Aggregate("sum", None, "n"), "sum needs a column"),
        (lambda: Aggregate("max", "age", "n"), "unknown aggregate 'max'"),
        (lambda: people.where("age > 3"), "str is no condition"),
        (lambda: people.where(column("member")), "NamedColumn is no condition"),
        (lambda: people.by("a", keys=["x"], bins=[0, 1]), "give one"),
        (lambda: people.by("a", keys=["x"], discover=True), "give one"),
        (lambda: people.by("a", discover=True, other=True), "leave no group"),
        (lambda: people.by("a", keys=[]), "keys for 'a' are empty"),
        (lambda: people.by("a", keys=[None]), "not NoneType"),
        (lambda: people.by("a", bins=[0]), "two or more ascending edges"),
        (lambda: people.by("a", bins=[0, 2, 2]), "two or more ascending edges"),
        (lambda: people.by(""), "is no name"),
    ],
)
def test_what_is_no_query_is_refused(build, reason):
    with pytest.raises(InvalidInput, match=reason):
        build()


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'between'"):
        people.sum("age", betwen=(0, 1))


@given(queries())
def test_plain_data_survive_json(query):
    assert query_of(json.loads(json.dumps(query.plain()))) == query


def test_queries_can_be_keys():
    assert {people.count(): 1}[Query("people").count()] == 1
