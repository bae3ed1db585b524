"""Universes given point by point, and pairs of universes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.testing import enumeration as brute
from twoworlds.worlds import ADD_REMOVE, EXPLICIT, SUBSTITUTE, Explicit, Integers, Product, Universe

POINTS = st.one_of(
    st.text("ab01,|; ", max_size=4), st.integers(-3, 3), st.tuples(st.integers(0, 1), st.booleans())
)
UNIVERSES = st.lists(POINTS, min_size=1, max_size=7, unique=True).map(tuple)


def around(universe, relation):
    """The neighbour relation as a set of ordered pairs."""
    return {(x, y) for x in universe for y in universe.around(x, relation)}


@given(UNIVERSES)
def test_points_keep_their_order_and_have_positions(points):
    universe = Explicit(points)
    assert tuple(universe) == points
    assert universe.size == len(points)
    assert universe.positions == {point: i for i, point in enumerate(points)}
    assert all(point in universe for point in points)
    assert "not there" not in universe
    assert "not there" not in universe.expression


@given(UNIVERSES.filter(lambda points: len({str(p).strip() for p in points}) == len(points)))
def test_every_label_finds_its_point(points):
    universe = Explicit(points)
    for point in points:
        assert universe.find(point) == point
        assert universe.find(universe.label(point)) == point


@pytest.mark.parametrize(
    "points",
    [
        ("11", "10", "01", "00"),
        ("012", "112", "122"),
        ("", "0", "1", "01", "11"),
        ("a|b", "a|c", "c|b", "b|a"),
        ("a,b", "a,bb", "aa,bb", "a"),
        ("a b", "c b", "c d"),
        ("x;y;z", "x;y", "x;w;z"),
        ((), ("a",), ("b",), ("a", "b"), ("b", "b"), ("a", "b", "a")),
    ],
)
def test_points_are_read_as_one_value_for_each_person(points):
    universe = Explicit(points)
    for relation in (SUBSTITUTE, ADD_REMOVE):
        assert around(universe, relation) == set(brute.pairs(universe, relation))
    assert around(universe, SUBSTITUTE)


@pytest.mark.parametrize(
    "labels",
    [("yes", "no", "unknown"), ("ab", "cd", "ad"), ("1", "10", "2"), (1, 2, 30), (1, "10")],
)
def test_other_labels_are_the_whole_record_of_one_person(labels):
    universe = Explicit(labels)
    everyone = {(x, y) for x in labels for y in labels if x != y}
    assert around(universe, SUBSTITUTE) == everyone
    assert around(universe, ADD_REMOVE) == set()
    assert "one person's whole record" in universe.explain(SUBSTITUTE)


@given(UNIVERSES, st.data())
def test_listed_pairs_are_the_neighbours_both_ways(points, data):
    possible = [(x, y) for x in points for y in points if x != y]
    chosen = data.draw(st.lists(st.sampled_from(possible), max_size=6)) if possible else []
    universe = Universe.of(points, chosen)
    assert universe.relation == EXPLICIT
    assert around(universe, EXPLICIT) == set(chosen) | {(y, x) for x, y in chosen}
    for x in points:
        listed = list(universe.around(x, EXPLICIT))
        assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("points", "pairs", "message"),
    [
        ((), None, "empty"),
        (("a", "b", "a"), None, "'a' is named twice"),
        (("a", "b"), [("a", "c")], "'c' is not in the universe"),
        (("a", "b"), [("a", "a")], "not its own neighbour"),
    ],
)
def test_an_ill_formed_universe_is_refused(points, pairs, message):
    with pytest.raises(InvalidInput, match=message):
        Universe.of(points, pairs)


@pytest.mark.parametrize("bad", ["ba", 1, None, ["a"], ([1],), {}])
def test_an_unknown_point_is_refused_and_some_known_ones_shown(bad):
    with pytest.raises(InvalidInput, match=r"is not in .*its points are a, b"):
        Explicit(("a", "b")).find(bad)


@given(UNIVERSES, UNIVERSES)
def test_a_product_holds_all_pairs(first, second):
    both = Product((Explicit(first), Explicit(second)))
    expected = [(a, b) for a in first for b in second]
    assert list(both) == expected
    assert both.size == len(expected)
    assert all(pair in both for pair in expected)
    assert ("not there", second[0]) not in both
    assert first[0] not in both or isinstance(first[0], tuple)
    assert (*expected[0], 0) not in both


def test_a_product_finds_its_labels_and_lists_no_neighbours():
    both = Product((Explicit(("a", "b")), Explicit((0, 1))))
    for pair in both:
        assert both.find(both.label(pair)) == pair
    with pytest.raises(InvalidInput, match="not listed one by one"):
        both.around(("a", 0), SUBSTITUTE)


def test_a_product_with_an_infinite_part_is_infinite():
    assert Product((Integers(0, None), Explicit(("a",)))).size is None
    assert (10**9, "a") in Product((Integers(0, None), Explicit(("a",))))
