"""The sensitivity of whole queries and batches: the papers' examples, and hard cases one by one."""

import json
from fractions import Fraction
from types import SimpleNamespace

import pytest

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.release.costs import Cost
from twoworlds.release.policy.model import Column, Dataset, PublicTable, Unit
from twoworlds.release.query import All, AnyOf, Compare, Missing, Not, Query, resolve
from twoworlds.release.sensitivity import calibrate
from twoworlds.release.sensitivity.joint import Analysis

F = Fraction
TEN = tuple("abcdefghij")
COLUMNS = {
    "key": Column("key", "text", keys=TEN),
    "income": Column("income", "number", F(0), F(5000), F(1)),
    "age": Column("age", "integer", F(0), F(120), bins=(F(0), F(18), F(65))),
    "hours": Column("hours", "number", F(0), F(5000), F(1), fill=F(0)),
    "bonus": Column("bonus", "integer", F(-10), F(20), fill=F(5)),
}


def people(neighbours="add-remove", unit=None, columns=COLUMNS):
    return Dataset("people", None, neighbours, unit or Unit(), columns)


def asked(*queries, neighbours="add-remove", unit=None):
    return [resolve(query, people(neighbours, unit)) for query in queries]


def at(column, operator, value):
    return Compare(column, operator, F(value) if isinstance(value, int) else value)


COUNT = Query("people").count()


def joint(batch):
    """Return what is lost when each measure has noise in the scale of its sensitivity."""
    found = Analysis(batch)
    own = {index: found.own(index) for index in found.indices}
    weights = {i: found.measure(i).share / b for i, b in own.items() if b}
    whole = found.loss(weights, 1)
    sensitivities = tuple(
        tuple(own[q, j] for j in range(len(one.measures))) for q, one in enumerate(batch)
    )
    return SimpleNamespace(
        sensitivities=sensitivities,
        whole=whole.value,
        attained=whole.attained,
        apart=sum(w * own[i] for i, w in weights.items()),
        naive=found.naive(weights, 1),
    )


@pytest.mark.parametrize(("neighbours", "whole"), [("add-remove", 1), ("substitute", 2)])
def test_a_histogram_costs_once_and_not_once_for_each_cell(neighbours, whole):
    found = joint(asked(COUNT.by("key"), neighbours=neighbours))
    assert found.sensitivities == ((whole,),)
    assert (found.whole, found.apart, found.attained) == (1, 1, True)
    assert found.naive * whole == 10  # Dwork, Section 5.1: 10 counts of sensitivity 1


def test_sensitivities_and_noise_are_plain_data():
    batch = asked(COUNT.by("key"), COUNT.sum("income"))
    data = calibrate(batch, Cost(F(1))).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["neighbours"] == "add-remove"
    assert data["whole"]["value"] < data["sum_of_parts"]["value"]


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
def test_the_largest_part_undercounts_and_the_sum_overcounts(neighbours):
    overlapping = asked(
        COUNT.where(at("age", "<", 65)), COUNT.where(at("age", ">", 18)), neighbours=neighbours
    )
    disjoint = asked(
        COUNT.where(at("age", "<", 18)), COUNT.where(at("age", ">=", 18)), neighbours=neighbours
    )
    both, one = joint(overlapping), joint(disjoint)
    assert both.sensitivities == one.sensitivities == ((1,), (1,))
    assert (both.whole, both.apart) == (2, 2)
    assert (one.whole, one.apart) == ((1, 2) if neighbours == "add-remove" else (2, 2))


def test_a_filter_on_the_summed_column_narrows_its_sensitivity():
    def own(condition, column="income"):
        return joint(asked(Query("people").where(condition).sum(column))).sensitivities[0][0]

    assert own(at("income", "<", 1000)) == 1000  # 999.6 is rounded up
    assert own(at("income", "<=", F(10004, 10))) == 1000
    assert own(at("age", "<", 100), "age") == 99
    assert own(All((at("age", ">", 3), at("age", "<", 4))), "age") == 0
    assert own(at("age", ">", 200), "age") == 120  # clamped, not impossible
    assert own(Missing("income")) == 0
    assert own(Missing("bonus"), "bonus") == 5
    assert own(Not(at("bonus", "<", 30)), "bonus") == 20


def test_a_constant_next_to_a_half_does_not_hide_a_unit():
    almost = F(5, 2) - F(1, 10**14)
    found = joint(asked(Query("people").where(at("income", "<", almost)).sum("income")))
    assert found.sensitivities == ((3,),)


def test_a_public_number_of_rows_is_counted_for_free():
    found = joint(asked(COUNT, neighbours="substitute"))
    assert (found.sensitivities, found.whole) == (((0,),), 0)
    filtered = joint(asked(Query("people").count("income"), neighbours="substitute"))
    assert filtered.sensitivities == ((1,),)  # a value may be missing


def test_a_variance_has_its_worst_pair_inside_the_bounds():
    batch = asked(Query("people").variance("hours"), neighbours="substitute")
    found = joint(batch)
    assert found.sensitivities == ((2500**2, 0, 5000),)
    square, linear = F(1, 3) / 2500**2, F(1, 3) / 5000

    def lost(v, u):
        return linear * abs(v - u) + square * abs((v - 2500) ** 2 - (u - 2500) ** 2)

    assert found.whole == max(lost(v, u) for v in range(0, 5001, 5) for u in (0, 5000))
    assert found.whole > lost(0, 5000)  # not at two ends
    assert found.whole > lost(2500, 5000)  # nor at an end and the middle


def test_persons_have_rows_in_filters_that_exclude_each_other():
    young, old = COUNT.where(at("age", "<", 18)), COUNT.where(at("age", ">=", 18))
    unit = Unit("id", 3, 2)
    found = joint(asked(young, old, unit=unit))
    assert found.sensitivities == ((3,), (3,))
    assert found.whole == 2


@pytest.mark.parametrize(
    ("neighbours", "query", "expected"),
    [
        ("add-remove", COUNT.by("key"), 5),
        ("substitute", COUNT.by("key"), 10),
        ("substitute", COUNT, 5),
        ("add-remove", Query("people").people(), 1),
        ("substitute", Query("people").people(), 1),
        ("add-remove", Query("people").people().by("key"), 2),
        ("substitute", Query("people").people().by("key"), 4),
        ("add-remove", Query("people").people().by("age", bins=(0, 18)), 1),
        ("add-remove", Query("people").sum("bonus"), 100),
        ("substitute", Query("people").sum("bonus"), 150),
    ],
)
def test_a_person_has_several_rows_and_groups(neighbours, query, expected):
    found = joint(asked(query, neighbours=neighbours, unit=Unit("id", 5, 2)))
    assert found.sensitivities == ((expected,),)


def test_too_many_kinds_of_rows_give_a_bound_that_says_so():
    columns = {f"c{i}": Column(f"c{i}", "integer") for i in range(20)}
    batch = [resolve(COUNT.where(at(name, "<", 0)), people(columns=columns)) for name in columns]
    found = joint(batch)
    assert (found.whole, found.attained) == (20, False)
    one = AnyOf(tuple(All((at(a, "<", 0), at(b, ">", 1))) for a in columns for b in columns))
    with pytest.raises(TooLarge, match="fewer columns"):
        joint([resolve(COUNT.where(one), people(columns=columns))])


def test_hundred_thousand_keys_cost_nothing():
    keys = tuple(f"key {i}" for i in range(100_000))
    columns = {**COLUMNS, "key": Column("key", "text", keys=keys)}
    query = COUNT.by("key").sum("income", where=at("key", "!=", "key 7"))
    batch = [resolve(query, people("substitute", columns=columns))]
    found = joint(batch)
    assert (found.sensitivities, found.whole) == (((2, 10000),), 2)


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
def test_many_keys_with_conditions_lose_as_much_as_few(neighbours):
    def whole(count):
        keys = tuple(F(i) for i in range(count))
        columns = {"year": Column("year", "integer", keys=keys), "income": COLUMNS["income"]}
        asked = COUNT.by("year").where(at("year", ">=", 2)).sum("income", where=at("year", "<", 9))
        return joint([resolve(asked, people(neighbours, columns=columns))])

    few, many = whole(20), whole(1000)
    assert (few.whole, few.sensitivities) == (many.whole, many.sensitivities)


def test_a_joined_column_may_have_any_value_or_none():
    city = PublicTable("city", None, "name", {"size": Column("size", "integer", F(0), F(9))})
    data = Dataset("people", None, "substitute", columns=COLUMNS, public={"city": city})
    query = Query("people").join("city", "key").sum("city.size")
    found = joint([resolve(query, data)])
    assert found.sensitivities == ((9,),)
    assert not found.attained  # not every value need be in the public table


def test_discovered_keys_are_as_many_as_there_are_texts():
    found = joint(asked(COUNT.by("key", discover=True), neighbours="substitute"))
    assert found.sensitivities == ((2,),)
    only = COUNT.by("key", discover=True).where(at("key", "=", "a"))
    assert joint(asked(only, neighbours="substitute")).sensitivities == ((1,),)


def test_refuses_queries_of_two_datasets():
    other = Dataset("others", None, "add-remove", columns=COLUMNS)
    with pytest.raises(InvalidInput, match="one by one"):
        joint([resolve(COUNT, people()), resolve(Query("others").count(), other)])
    with pytest.raises(InvalidInput, match="no query"):
        joint([])
