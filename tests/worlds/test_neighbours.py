"""Pairs, distances and groups, against shortest paths found by squaring the adjacency matrix."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.testing import enumeration as brute
from twoworlds.worlds import (
    ADD_REMOVE,
    EXPLICIT,
    SUBSTITUTE,
    BitStrings,
    Explicit,
    Integers,
    Part,
    Records,
    Universe,
    check_group,
    distance,
    pairs,
    records,
    resolve,
    within,
)

SMALL = st.one_of(
    st.tuples(st.builds(Records, st.integers(1, 3), st.integers(0, 3)), st.just(SUBSTITUTE)),
    st.builds(
        lambda values, n, smallest: (Records(values, n, smallest=min(smallest, n - 1)), ADD_REMOVE),
        st.integers(1, 2),
        st.integers(1, 3),
        st.integers(0, 2),
    ),
    st.builds(
        lambda values, n: (Records(values, n, smallest=0), SUBSTITUTE),
        st.integers(1, 2),
        st.integers(1, 3),
    ),
    st.builds(
        lambda low, size, step: (Integers(low, low + size, step), SUBSTITUTE),
        st.integers(-3, 3),
        st.integers(0, 8),
        st.integers(1, 3),
    ),
    st.builds(
        lambda n, chosen: (
            Universe.of(range(n), [(a % n, b % n) for a, b in chosen if (a - b) % n]),
            EXPLICIT,
        ),
        st.integers(1, 6),
        st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8),
    ),
)


def shortest_paths(universe, relation):
    """The number of steps between any two points, by powers of the adjacency matrix."""
    points, near = list(universe), brute.adjacency(universe, relation)
    step = np.array([[x != y and near(x, y) for y in points] for x in points], dtype=int)
    steps, reached = {}, np.eye(len(points), dtype=int)
    for k in range(len(points) + 1):
        for i, j in zip(*np.nonzero(reached), strict=True):
            steps.setdefault((points[i], points[j]), k)
        reached = ((reached @ step) > 0).astype(int)
    return steps


@given(SMALL)
def test_distance_is_the_length_of_the_shortest_path(case):
    universe, relation = case
    expected = shortest_paths(universe, relation)
    for x, y in product(universe, repeat=2):
        assert distance(universe, x, y, relation) == expected.get((x, y))


@given(SMALL, st.integers(1, 4))
def test_a_group_reaches_what_is_at_most_that_many_steps_away(case, group):
    universe, relation = case
    expected = shortest_paths(universe, relation)
    for x in universe:
        found = list(within(universe, x, relation, group))
        assert len(found) == len(set(found))
        assert set(found) == {y for y in universe if 1 <= expected.get((x, y), 0) <= group}


@given(SMALL, st.integers(1, 4))
def test_every_unordered_pair_is_listed_once(case, group):
    universe, relation = case
    expected = {
        frozenset(pair) for pair, k in shortest_paths(universe, relation).items() if 1 <= k <= group
    }
    if not expected and universe.size > 1:
        with pytest.raises(InvalidInput, match="neighbours"):
            list(pairs(universe, relation, group))
        return
    found = list(pairs(universe, relation, group))
    assert len(found) == len(expected)
    assert {frozenset(pair) for pair in found} == expected
    assert all(universe.positions[x] < universe.positions[y] for x, y in found)


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(records, "PAIR_LIMIT", 100)
    crowd = Integers(0, 50, step=50)  # 1275 pairs
    with pytest.raises(TooLarge, match="more than 100 neighbour pairs"):
        for _ in pairs(crowd, SUBSTITUTE):
            pass


@pytest.mark.parametrize(
    "relation", ["11~10, 10~00", [("11", "10"), ("10", "00")], [((1, 1), (1, 0)), ("10", (0, 0))]]
)
def test_pairs_are_named_by_their_labels(relation):
    universe, name = resolve(BitStrings(2), relation)
    assert name == EXPLICIT
    assert tuple(universe) == tuple(BitStrings(2))
    assert set(pairs(universe, EXPLICIT)) == {((1, 1), (1, 0)), ((1, 0), (0, 0))}
    assert distance(universe, (1, 1), (0, 0), EXPLICIT) == 2
    assert distance(universe, (1, 1), (0, 1), EXPLICIT) is None


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ([], "nothing would be protected"),
        ("11~", "write pairs as"),
        ("11~10, 00", "write pairs as"),
        ("11~22", "'22' is not in"),
        ("11~11", "not its own neighbour"),
        ([("11", "10", "00")], "give two databases"),
    ],
)
def test_ill_formed_pairs_are_refused(relation, message):
    with pytest.raises(InvalidInput, match=message):
        resolve(BitStrings(2), relation)


def test_an_unknown_relation_gets_the_nearest_name():
    with pytest.raises(UnknownName, match="did you mean 'substitute'"):
        resolve(BitStrings(2), "substitution")
    with pytest.raises(UnknownName, match="did you mean 'substitute'"):
        resolve(BitStrings(2), "bounded")
    with pytest.raises(UnknownName, match=r"graphs\(100, protect=edge\)"):
        resolve(BitStrings(2), "edge")
    with pytest.raises(UnknownName, match="unknown neighbour relation 'explicit'"):
        resolve(BitStrings(2), EXPLICIT)


@pytest.mark.parametrize(
    ("universe", "x", "y"), [(Integers(), 1, 20), (BitStrings(40), (1,) * 40, (0,) * 40)]
)
def test_pairs_on_an_infinite_or_huge_universe_leave_the_named_databases(universe, x, y):
    part, name = resolve(universe, [(x, y)])
    assert name == EXPLICIT
    assert list(part) == [x, y]
    assert list(pairs(part, EXPLICIT)) == [(x, y)]


@given(SMALL, st.integers(1, 3), st.data())
def test_a_part_keeps_the_distances_of_the_whole(case, group, data):
    universe, relation = case
    chosen = data.draw(
        st.lists(st.sampled_from(list(universe)), min_size=1, max_size=6, unique=True)
    )
    part = Part(universe, tuple(chosen))
    expected = shortest_paths(universe, relation)
    for x in chosen:
        assert part.find(part.label(x)) == x
        for y in chosen:
            assert distance(part, x, y, relation) == expected.get((x, y))
        near = {y for y in chosen if 1 <= expected.get((x, y), 0) <= group}
        assert set(within(part, x, relation, group)) == near


@pytest.mark.parametrize("bad", [0, -1, 1.5, "x", None, True])
def test_a_group_has_at_least_one_person(bad):
    with pytest.raises(InvalidInput, match="group="):
        check_group(bad)


def test_labels_without_neighbours_say_the_way_out():
    with pytest.raises(InvalidInput, match="list the pairs instead"):
        list(pairs(Explicit(("yes", "no")), ADD_REMOVE))
