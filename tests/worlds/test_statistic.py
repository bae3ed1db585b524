"""Statistics: how neighbours move them, against the enumeration of all pairs of databases."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.worlds import (
    ADD_REMOVE,
    SUBSTITUTE,
    Additive,
    Explicit,
    Integers,
    Records,
    TrueAnswer,
    distance,
)

PARTS = [Fraction(0), Fraction(1), Fraction(-2), Fraction(1, 2), Fraction(7, 3)]


@st.composite
def cases(draw):
    """A universe, a relation, a group and a sum over records, with the sum written out by hand."""
    count, n = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    if count == 3:
        n = min(n, 3)
    relation = draw(st.sampled_from([SUBSTITUTE, ADD_REMOVE]))
    smallest = (
        draw(st.integers(0, n - 1)) if relation == ADD_REMOVE or draw(st.booleans()) else None
    )
    universe = Records(count, n, smallest=smallest)
    dimension = draw(st.sampled_from([None, None, 1, 2]))
    scale = draw(st.sampled_from([Fraction(1), Fraction(3), Fraction(1, 2)]))
    modulo = draw(st.sampled_from([None, None, 2, 3]))
    part = st.sampled_from(PARTS if modulo is None else [Fraction(k) for k in range(-2, 4)])
    width = dimension or 1
    table = {v: draw(st.tuples(*[part] * width)) for v in universe.values}
    phi = table.__getitem__ if dimension else lambda value: table[value][0]

    def by_hand(database):
        totals = tuple(
            scale * sum((table[v][i] for v in database), start=Fraction(0)) for i in range(width)
        )
        reduced = tuple(t if modulo is None else t % modulo for t in totals)
        return reduced if dimension else reduced[0]

    statistic = Additive(phi, scale=scale, modulo=modulo, dimension=dimension)
    return universe, relation, draw(st.integers(1, 3)), statistic, by_hand


def moves(universe, relation, group, value):
    """All (before, after) on two databases at most so many steps apart, that differ."""
    found = set()
    for x, y in product(universe, repeat=2):
        steps = distance(universe, x, y, relation)
        if steps is not None and 1 <= steps <= group and value(x) != value(y):
            found.add((value(x), value(y)))
    return found


def minus(a, b):
    return tuple(p - q for p, q in zip(a, b, strict=True)) if isinstance(a, tuple) else a - b


@given(cases())
def test_a_sum_over_records_is_the_sum_written_out(case):
    universe, _, _, statistic, by_hand = case
    for database in universe:
        assert statistic(database) == by_hand(database)


@given(cases())
def test_changes_are_those_of_the_enumeration(case):
    universe, relation, group, statistic, by_hand = case
    found = [(c.before, c.after) for c in statistic.changes(universe, relation, group)]
    assert len(found) == len(set(found))
    assert set(found) == moves(universe, relation, group, by_hand)


@given(cases())
def test_differences_are_those_of_the_enumeration(case):
    universe, relation, group, statistic, by_hand = case
    found = [c.difference for c in statistic.differences(universe, relation, group)]
    assert len(found) == len(set(found))
    expected = {minus(after, before) for before, after in moves(universe, relation, group, by_hand)}
    assert set(found) == expected


@given(cases())
def test_every_example_is_a_pair_of_neighbours_that_shows_the_change(case):
    universe, relation, group, statistic, by_hand = case
    for listing in (statistic.changes, statistic.differences):
        for change in listing(universe, relation, group):
            assert change.x in universe
            assert change.y in universe
            assert 1 <= distance(universe, change.x, change.y, relation) <= group
            assert (by_hand(change.x), by_hand(change.y)) == (change.before, change.after)
            assert change.difference == minus(change.after, change.before)


@given(st.integers(-3, 3), st.integers(0, 6), st.integers(1, 3), st.integers(1, 3))
def test_the_answer_itself_moves_by_up_to_the_steps_of_the_group(low, size, step, group):
    universe = Integers(low, low + size, step)
    expected = {b - a for a, b in product(universe, repeat=2) if 0 < abs(b - a) <= step * group}
    for change in TrueAnswer().differences(universe, SUBSTITUTE, group):
        assert change.x in universe
        assert change.y in universe
        assert (change.before, change.after) == (change.x, change.y)
    found = [c.difference for c in TrueAnswer().differences(universe, SUBSTITUTE, group)]
    assert sorted(found) == sorted(expected)
    if size:
        changes = [(c.before, c.after) for c in TrueAnswer().changes(universe, SUBSTITUTE, group)]
        pairs = [p for p in product(universe, repeat=2) if 0 < abs(p[0] - p[1]) <= step * group]
        assert sorted(changes) == sorted(pairs)


def test_vectors_of_different_lengths_are_refused():
    with pytest.raises(InvalidInput, match="one length"):
        Additive(lambda v: (0,) * v)((1, 2))


def test_a_sum_on_listed_databases_is_enumerated():
    universe = Explicit(((0, 0), (0, 1), (1, 1)))
    found = {c.difference for c in Additive(lambda v: v).differences(universe, SUBSTITUTE)}
    assert found == {-1, 1}
    assert {c.difference for c in Additive(lambda v: v).differences(universe, SUBSTITUTE, 2)} == {
        -2,
        -1,
        1,
        2,
    }


@pytest.mark.parametrize("modulo", [None, 3])
@pytest.mark.parametrize(
    "phi",
    [
        {"a": 0, "b": 1, "c": 3},
        {"a": Fraction(1, 2), "b": Fraction(-2, 3), "c": 4},
        {"a": 5, "b": 5, "c": 5},
        {"a": 0, "b": 1, "c": 10**9},
        {"a": (1, 0), "b": (0, 1), "c": (0, 2)},
    ],
)
def test_the_law_of_a_sum_is_that_of_all_lists(phi, modulo):
    if modulo and isinstance(phi["a"], tuple):
        return
    law = {"a": Fraction(1, 2), "b": Fraction(1, 3), "c": Fraction(1, 6)}
    statistic = Additive(phi.__getitem__, modulo=modulo)
    found = {}
    for x in product(law, repeat=4):
        p = law[x[0]] * law[x[1]] * law[x[2]] * law[x[3]]
        found[statistic(x)] = found.get(statistic(x), 0) + p
    assert statistic.weighted(law, 4) == found
