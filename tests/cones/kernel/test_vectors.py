"""Primitive integer vectors: the direction is kept, nothing is rounded."""

from fractions import Fraction
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones.kernel.vectors import dot, negative, primitive, rational, rationals
from twoworlds.errors import InvalidInput
from twoworlds.numbers import number

fractions = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**6)


@given(st.lists(fractions, max_size=6))
def test_a_primitive_vector_is_a_positive_multiple_without_a_common_divisor(values):
    vector = primitive(values)
    assert gcd(*vector) == (1 if any(values) else 0)
    for value, entry in zip(values, vector, strict=True):
        assert (value > 0) == (entry > 0)
        assert (value < 0) == (entry < 0)
        for other, other_entry in zip(values, vector, strict=True):
            assert value * other_entry == other * entry


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["9/16", "3/16", "3/16", "1/16"], (9, 3, 3, 1)),
        ([0.1, 0.2], (1, 2)),
        ([-4, 6], (-2, 3)),
        ([0, 0], (0, 0)),
        ([], ()),
        ([10**40, Fraction(1, 10**40)], (10**80, 1)),
        (iter([2, 4]), (1, 2)),
    ],
)
def test_primitive_vectors_of_examples(given, expected):
    assert primitive(given) == expected


def test_dot_of_integers_stays_an_integer():
    assert type(dot((10**30, 1), (10**30, -1))) is int
    assert dot((10**30, 1), (10**30, -1)) == 10**60 - 1
    assert dot((Fraction(1, 3), 1), (3, 0)) == 1
    assert dot((), ()) == 0


def test_dot_refuses_vectors_of_different_lengths():
    with pytest.raises(ValueError, match="shorter"):
        dot((1, 2), (1,))


def test_negative_is_an_involution():
    assert negative(negative((3, 0, -2))) == (3, 0, -2)


@pytest.mark.parametrize("value", ["ln 3", number("e^0.5"), "sqrt(2)"])
def test_an_irrational_entry_is_refused_with_the_way_out(value):
    with pytest.raises(InvalidInput, match=r"irrational.*ratio= as a rational"):
        rational(value)


@pytest.mark.parametrize("value", [True, None, "x", float("nan"), [1], "1/0"])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(InvalidInput):
        rational(value)


@pytest.mark.parametrize("values", ["12", 3, None])
def test_what_is_no_list_of_numbers_is_refused(values):
    with pytest.raises(InvalidInput, match="list of numbers"):
        rationals(values)
    with pytest.raises(InvalidInput, match="list of numbers"):
        primitive(values)


def test_an_infinite_entry_is_refused():
    with pytest.raises(InvalidInput):
        primitive([1, float("inf")])
