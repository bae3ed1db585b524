"""Conditions: one form for equal ones, refusals, plain data."""

from datetime import date, datetime
from fractions import Fraction

import pytest
from hypothesis import given

from tests.release.query.people import PLAIN
from tests.release.query.queries import conditions
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.release.query import All, AnyOf, Compare, Missing, Not, OneOf, Query
from twoworlds.release.query.conditions import check_condition, columns_of, plain

A, B, C = Missing("a"), Missing("b"), Missing("c")


@pytest.mark.parametrize("kind", [All, AnyOf])
def test_parts_of_parts_stand_in_the_whole(kind):
    flat = kind((A, B, C))
    assert kind((kind((A, B)), C)) == kind((A, kind((B, C)))) == flat
    assert kind([A, B, C]) == flat
    assert hash(kind([A, B, C])) == hash(flat)


def test_all_inside_any_stays():
    assert AnyOf((All((A, B)), C)).parts == (All((A, B)), C)
    assert All((AnyOf((A, B)), C)).parts == (AnyOf((A, B)), C)


def test_operators_join():
    assert All((A, B, C)) == A & B & C
    assert AnyOf((A, B, C)) == A | B | C
    assert AnyOf((All((A, B)), Not(C))) == A & B | ~C


@pytest.mark.parametrize("condition", [A, Not(A), A & B, A | B, Compare("a", "=", "b")])
def test_a_condition_has_no_truth_value(condition):
    with pytest.raises(InvalidInput, match="write & for and"):
        bool(condition)
    with pytest.raises(InvalidInput, match="write & for and"):
        _ = condition and A


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: Compare("a", "==", "b"), "'==' is no comparison: use =,"),
        (lambda: Compare("a", "=", 3), "not int"),
        (lambda: Compare("a", "=", None), "not NoneType"),
        (lambda: Compare("a", "=", datetime(2026, 1, 31)), "not datetime"),
        (lambda: Compare("", "=", "b"), "'' is no name"),
        (lambda: Compare(3, "=", "b"), "3 is no name"),
        (lambda: OneOf("a", ()), "list of values for 'a' is empty"),
        (lambda: OneOf("a", ("b", 3)), "not int"),
        (lambda: Missing(None), "None is no name"),
        (lambda: Not("a"), "str is no condition"),
        (lambda: Not(None), "NoneType is no condition"),
        (lambda: All(()), "no parts"),
        (lambda: AnyOf(()), "no parts"),
        (lambda: All((A, True)), "bool is no condition"),
        (lambda: A & True, "bool is no condition"),
        (lambda: A | "b", "str is no condition"),
    ],
)
def test_what_is_no_condition_is_refused(build, reason):
    with pytest.raises(InvalidInput, match=reason):
        build()


def nested(levels: int):
    condition = A
    for _ in range(levels):
        condition = Not(condition)
    return condition


def test_the_deepest_condition():
    check_condition(nested(20))
    for condition in (nested(21), nested(5000)):
        with pytest.raises(TooLarge, match="more than 20 levels"):
            check_condition(condition)
        with pytest.raises(TooLarge):
            Query("people").where(condition)
        with pytest.raises(TooLarge):
            Query("people").count(where=condition)


def test_wide_is_not_deep():
    wide = A
    for n in range(3000):
        wide = wide | Missing(str(n))
    check_condition(wide)
    assert len(wide.parts) == 3001


def test_columns_in_order_with_repetitions():
    condition = (A & ~B) | OneOf("c", ("x",)) | Compare("a", "=", "x")
    assert list(columns_of(condition)) == ["a", "b", "c", "a"]
    assert list(columns_of(None)) == []


def test_plain_data_tells_numbers_from_texts_and_dates():
    values = OneOf("a", (Fraction(1, 2), "1/2", date(2026, 1, 31), True))
    assert plain(values) == {
        "column": "a",
        "in": [{"number": "1/2"}, "1/2", {"date": "2026-01-31"}, True],
    }
    assert plain(~(A & (B | C))) == {
        "not": {
            "all": [
                {"column": "a", "is": "missing"},
                {"any": [{"column": "b", "is": "missing"}, {"column": "c", "is": "missing"}]},
            ]
        }
    }


@given(conditions(tuple(PLAIN)), conditions(tuple(PLAIN)))
def test_plain_data_are_equal_only_for_equal_conditions(one, other):
    assert (plain(one) == plain(other)) == (one == other)
