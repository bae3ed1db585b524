"""column(...): comparing builds a condition that says what Python would say of a row."""

import operator
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release.query.truth import truth
from twoworlds.errors import InvalidInput
from twoworlds.release.query import Compare, OneOf
from twoworlds.release.query.conditions import column

age = column("age")
SIGNS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
small = st.integers(-3, 3)


@pytest.mark.parametrize("sign", SIGNS)
def test_every_comparison_builds_its_condition(sign):
    assert SIGNS[sign](age, 18) == Compare("age", sign, Fraction(18))


@given(st.sampled_from(list(SIGNS.values())), small, small)
def test_a_constant_may_stand_on_either_side(compare, x, y):
    row = {"age": x}
    assert truth(compare(age, y), row) == compare(x, y)
    assert truth(compare(y, age), row) == compare(y, x)


@given(small | st.none(), small, small)
def test_between_and_is_in_as_in_python(x, low, high):
    row = {"age": x}
    assert truth(age.between(low, high), row) == (None if x is None else low <= x <= high)
    assert truth(age.is_in([low, high]), row) == (None if x is None else x in (low, high))
    assert truth(age.is_missing(), row) == (x is None)


@given(small | st.none(), small | st.none())
def test_the_rules_of_de_morgan_hold_with_missing_values(x, y):
    row = {"x": x, "y": y}
    a, b = column("x") > 0, column("y") == 1
    assert truth(~(a & b), row) == truth(~a | ~b, row)
    assert truth(~(a | b), row) == truth(~a & ~b, row)
    assert truth(~~a, row) == truth(a, row)


@pytest.mark.parametrize(
    ("given_value", "value"),
    [
        (18, Fraction(18)),
        (0.1, Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (np.int64(3), Fraction(3)),
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
        (lambda: age == None, r"use is_missing\(\)"),  # noqa: E711
        (lambda: age.is_in([1, None]), r"use is_missing\(\)"),
        (lambda: age == column("income"), "another column"),
        (lambda: age == [1], "not list"),
        (lambda: age < datetime(2026, 1, 31), "not datetime"),
        (lambda: age < float("nan"), "nan"),
        (lambda: age < float("inf"), "inf"),
        (lambda: age.is_in("abc"), "is_in takes a list"),
        (lambda: age.is_in(3), "is_in takes a list"),
        (lambda: age.is_in([]), "is empty"),
        (lambda: 18 <= age <= 65, r"between\(a, b\)"),
        (lambda: (age > 1) and (age < 2), "write & for and"),
        (lambda: not age, "is no truth value"),
        (lambda: column(""), "is no name"),
        (lambda: column(age), "is no name"),
    ],
)
def test_what_cannot_be_meant_is_refused(build, reason):
    with pytest.raises(InvalidInput, match=reason):
        build()


def test_a_column_is_no_key_of_a_dictionary():
    with pytest.raises(TypeError, match="unhashable"):
        hash(age)
