"""Bit strings and lists of records."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.worlds import ADD_REMOVE, EXPLICIT, SUBSTITUTE, BitStrings, Records

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


def by_definition(universe, relation):
    """All ordered pairs of neighbours, from the words alone."""
    points = list(universe)
    near = one_replaced if relation == SUBSTITUTE else one_more
    return {(x, y) for x in points for y in points if near(x, y)}


def one_replaced(a, b):
    return len(a) == len(b) and sum(s != t for s, t in zip(a, b, strict=True)) == 1


def one_more(a, b):
    short, long = sorted((a, b), key=len)
    cuts = [long[:i] + long[i + 1 :] for i in range(len(long))]
    return len(long) == len(short) + 1 and short in cuts


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
    assert set(listed) == by_definition(universe, relation)


def test_bit_strings_run_from_ones_to_zeros():
    universe = BitStrings(3)
    labels = [universe.label(x) for x in universe]
    assert labels == [f"{i:03b}" for i in range(7, -1, -1)]
    assert universe.expression == "bits(3)"


@pytest.mark.parametrize("k", [1, 2, 5])
def test_bit_strings_have_k_neighbours_each(k):
    universe = BitStrings(k)
    assert universe.size == 2**k
    assert all(len(list(universe.around(x, SUBSTITUTE))) == k for x in universe)


def test_huge_universes_cost_nothing_until_listed():
    universe = BitStrings(400)
    assert universe.size == 2**400
    word = universe.find("10" * 200)
    assert word in universe
    assert len(list(universe.around(word, SUBSTITUTE))) == 400


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
        ((-1, 2), "values=-1"),
        ((True, 2), "truth value"),
        ((2.5, 2), "values=2.5"),
        ((["a", "a"], 2), "repeats a value"),
        ((["1", 1], 2), "repeats a value"),
        ((2, -1), "n=-1"),
        ((2, 1.5), "n=1.5"),
        ((2, "x"), "n='x'"),
    ],
)
def test_ill_formed_lists_of_records_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        Records(*arguments)


@pytest.mark.parametrize("smallest", [3, -1, 0.5])
def test_the_smallest_size_lies_between_0_and_n(smallest):
    with pytest.raises(InvalidInput, match="smallest="):
        Records(2, 2, smallest=smallest)


def test_listed_pairs_are_not_invented():
    with pytest.raises(InvalidInput, match="no listed pairs"):
        list(BitStrings(2).around((1, 1), EXPLICIT))


def test_add_remove_on_one_size_says_the_way_out():
    with pytest.raises(InvalidInput, match="use substitute, or a universe such as"):
        list(BitStrings(2).around((1, 1), ADD_REMOVE))
