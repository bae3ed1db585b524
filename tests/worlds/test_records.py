"""Bit strings and lists of records."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.testing import enumeration as brute
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, BitStrings, Integers, Reals, Records

VALUES = st.one_of(
    st.integers(1, 3),
    st.lists(st.sampled_from("abc,;|01"), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from([0, 1, 2, 10, 11]), min_size=1, max_size=3, unique=True),
    st.lists(
        st.sampled_from(["no", "yes", "a,b", "x;y", "(1)"]), min_size=1, max_size=3, unique=True
    ),
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=3, unique=True),
)


@st.composite
def universes(draw, most=3):
    n = draw(st.integers(0, most))
    smallest = draw(st.one_of(st.none(), st.integers(0, n)))
    return Records(draw(VALUES), n, smallest=smallest)


@given(universes())
def test_all_lists_of_the_right_lengths_belong(universe):
    expected = {
        word
        for length in range(universe.smallest, universe.n + 1)
        for word in product(universe.values, repeat=length)
    }
    found = list(universe)
    assert len(found) == universe.size == len(expected)
    assert set(found) == expected
    assert all(word in universe for word in expected)
    assert ("not a value",) * universe.n not in universe or universe.n == 0
    assert (universe.values[0],) * (universe.n + 1) not in universe


@given(universes(most=2))
def test_every_label_finds_its_database(universe):
    for word in universe:
        assert universe.find(universe.label(word)) == word
        assert universe.find(word) == word


@pytest.mark.parametrize("relation", [SUBSTITUTE, ADD_REMOVE])
@given(universe=universes())
def test_neighbours_are_those_of_the_definition(universe, relation):
    if relation == ADD_REMOVE and universe.fixed:
        with pytest.raises(InvalidInput, match="several sizes"):
            list(universe.around(next(iter(universe)), relation))
        return
    listed = [(x, y) for x in universe for y in universe.around(x, relation)]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(brute.pairs(universe, relation))


def test_bit_strings_run_from_ones_to_zeros():
    universe = BitStrings(3)
    labels = [universe.label(x) for x in universe]
    assert labels == [f"{i:03b}" for i in range(7, -1, -1)]
    assert universe.expression == "bits(3)"


def test_spaces_and_commas_in_labels_are_read():
    assert Records([10, 11], 2).find(" 10, 11 ") == (10, 11)
    assert BitStrings(3).find("1,0,1") == (1, 0, 1)
    assert Records(2, 1, smallest=0).find("()") == ()
    assert Records(2, 1, smallest=0).find("") == ()


@pytest.mark.parametrize("bad", ["1", "111", "12", "", "1,0,0", (1,), (1, 2), [1, 0], None, 10])
def test_what_is_no_database_is_refused(bad):
    with pytest.raises(InvalidInput, match=r"not in bits\(2\): its points are 11, 10, 01, 00"):
        BitStrings(2).find(bad)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], 2), "empty"),
        ((0, 2), "values=0"),
        ((True, 2), "truth value"),
        ((["a", "a"], 2), "repeats a value"),
    ],
)
def test_ill_formed_lists_of_records_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        Records(*arguments)


def test_add_remove_on_one_size_says_the_way_out():
    with pytest.raises(InvalidInput, match="use substitute, or a universe such as"):
        list(BitStrings(2).around((1, 1), ADD_REMOVE))


# --- Whole numbers and real numbers as possible true answers -------------------------------------


ENDS = st.one_of(st.none(), st.integers(-6, 6))


@st.composite
def ranges(draw):
    low, high = draw(ENDS), draw(ENDS)
    if low is not None and high is not None and low > high:
        low, high = high, low
    return Integers(low, high, draw(st.integers(1, 4)))


def inside(universe, k):
    return (universe.low is None or k >= universe.low) and (
        universe.high is None or k <= universe.high
    )


@given(ranges())
def test_membership_is_lying_between_the_ends(universe):
    for k in range(-12, 13):
        assert (k in universe) == inside(universe, k)
    assert True not in universe
    assert 0.5 not in universe
    assert "0" not in universe


@given(ranges())
def test_listing_visits_each_once(universe):
    found = list(islice(universe, 25))
    assert len(set(found)) == len(found)
    expected = [k for k in range(-12, 13) if inside(universe, k)]
    if universe.size is not None:
        assert found == expected
        assert universe.size == len(expected)
    else:
        near = sorted(found)
        assert near == list(range(near[0], near[-1] + 1))
        assert all(inside(universe, k) for k in found)
        if universe.low is None and universe.high is None:
            assert set(found) == set(range(-12, 13))


@given(ranges(), st.integers(-6, 6))
def test_neighbours_are_at_most_one_step_away(universe, x):
    if x not in universe:
        return
    found = list(universe.around(x, SUBSTITUTE))
    assert len(found) == len(set(found))
    assert set(found) == {
        y for y in range(-20, 21) if inside(universe, y) and 0 < abs(x - y) <= universe.step
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"low": 3, "high": 2}, "empty"),
        ({"low": 1.5}, "low=1.5"),
        ({"high": "x"}, "high='x'"),
        ({"low": "inf"}, "low=inf"),
        ({"low": True}, "truth value"),
        ({"step": 0}, "step=0"),
        ({"step": -1}, "step=-1"),
        ({"step": 0.5}, "step=0.5"),
    ],
)
def test_ill_formed_ranges_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        Integers(**arguments)


def test_reals_cannot_be_listed():
    assert Reals().size is None
    with pytest.raises(InvalidInput, match="cannot be listed"):
        iter(Reals())
    with pytest.raises(InvalidInput, match="cannot be listed"):
        Reals().around(Fraction(0), SUBSTITUTE)
