"""Named statistics: their values, and that structure and enumeration agree."""

from __future__ import annotations

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
    BitStrings,
    Computed,
    Explicit,
    Integers,
    Records,
    TrueAnswer,
    distance,
)
from twoworlds.worlds.catalogue import statistic, universe
from twoworlds.worlds.sensitivity import global_sensitivity
from twoworlds.worlds.statistics import (
    Batch,
    constant,
    count,
    histogram,
    mean,
    parity,
    proportion,
    total,
)

VALUES = [
    (count(), (1, 0, 1), 2),
    (count("b"), ("a", "b", "b"), 2),
    (count("1"), (1, 0, 1), 2),
    (count(1), "101", 2),
    (proportion(1, 4), (1, 0, 1, 1), Fraction(3, 4)),
    (proportion(1, 2), (1, 1), 1),
    (total(), (0, 10, 3), 13),
    (total(), (Fraction(1, 2), "1/3"), Fraction(5, 6)),
    (mean(4), (0, 10, 10, 10), Fraction(15, 2)),
    (histogram("abc"), ("a", "c", "c"), (1, 0, 2)),
    (histogram([0, 1]), (), (0, 0)),
    (histogram([0, 1]), (2, 1), (0, 1)),
    (histogram(bins=[range(3), range(3, 6)]), (0, 4, 5, 9), (1, 2)),
    (parity(), (1, 0, 1, 1), 1),
    (parity("b"), ("a", "b", "b"), 0),
    (constant(), (1, 0), 0),
    (constant("1/2"), (1, 0), Fraction(1, 2)),
    (constant((1, "1/2")), (), (1, Fraction(1, 2))),
]


@pytest.mark.parametrize(("statistic", "database", "expected"), VALUES)
def test_a_named_statistic_has_its_textbook_value(statistic, database, expected):
    assert statistic(database) == expected


@pytest.mark.parametrize(
    "statistic",
    [count(1), proportion(2, 3), total(), mean(3), histogram([0, 1, 2]),
     histogram(bins=[(0, 1), (2,)]), parity(2), constant(7)],
    ids=lambda s: s.name,
)  # fmt: skip
@pytest.mark.parametrize("relation", ["substitute", "add-remove"])
@pytest.mark.parametrize("group", [1, 2])
def test_structure_and_enumeration_find_the_same_differences(statistic, relation, group):
    universe = Records(3, 3, smallest=1)
    by_structure = statistic.differences(universe, relation, group)
    by_enumeration = Computed(statistic).differences(universe, relation, group)
    assert {c.difference for c in by_structure} == {c.difference for c in by_enumeration}


def test_digit_labels_are_read_one_record_per_digit():
    labelled = Explicit(("11", "10", "01", "00"))
    words = BitStrings(2)
    assert [count()(x) for x in labelled] == [count()(x) for x in words]
    assert [total()(x) for x in labelled] == [total()(x) for x in words]


@pytest.mark.parametrize("name", ["mean", "proportion"])
def test_a_mean_is_that_of_the_database_or_asks_for_the_public_number(name):
    assert statistic(name, BitStrings(4))((1, 0, 1, 1)) == Fraction(3, 4)
    several = Records(2, 3, smallest=1)
    with pytest.raises(InvalidInput, match=rf"different sizes: give it, as in {name}\(n=100\)"):
        statistic(name, several)
    told = statistic(f"{name}(n=3)", several)
    assert told((1, 0)) == Fraction(1, 3)
    assert told.name.endswith("divided by 3")


def test_a_constant_has_no_changes_on_any_universe():
    assert list(constant(3).changes(BitStrings(60), "substitute")) == []


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: proportion(1, 0), r"n=0 must be a whole number, at least 1"),
        (lambda: mean("3/2"), r"n=3/2 must be a whole number"),
        (lambda: histogram(), r"exactly one of values and bins"),
        (lambda: histogram([]), r"no cells: name at least one"),
        (lambda: histogram([1, 2, 1]), r"value 1 lies in cells 0 and 2.*disjoint"),
        (lambda: histogram(bins=["ab", "bc"]), r"value 'b' lies in cells 0 and 1.*disjoint"),
        (lambda: constant("ln 2"), r"constant=ln 2 is irrational"),
        (lambda: total()(("a", "b")), r"sum of 'a'='a' is not a number"),
        (lambda: mean(2)((True, 1)), r"truth value"),
    ],
)
def test_rejects(build, message):
    with pytest.raises(InvalidInput, match=message):
        build()


# --- Several statistics as one vector: structure and brute force agree, and bad ones are refu ----


PARTS = {
    "count": count(1),
    "histogram": histogram([0, 1, 2]),
    "total": total(),
    "mean": mean(4),
    "parity": parity(1),
    "constant": constant((3, "1/2")),
    "product": Computed(lambda x: x[0] * x[-1], "product"),
}
chosen = st.lists(st.sampled_from(sorted(PARTS)), min_size=1, max_size=3)
relations = st.sampled_from(["substitute", "add-remove"])


@given(chosen, relations, st.integers(1, 2))
def test_changes_are_those_of_all_pairs(names, relation, group):
    universe = Records(3, 3, smallest=1)
    batch = Batch.of([PARTS[name] for name in names], universe)
    plain = Computed(batch, "plain")
    for ask in ("changes", "differences"):
        found, wanted = (
            {
                c.difference if ask == "differences" else (c.before, c.after)
                for c in getattr(one, ask)(universe, relation, group)
            }
            for one in (batch, plain)
        )
        assert found == wanted
    for change in batch.changes(universe, relation, group):
        assert (batch(change.x), batch(change.y)) == (change.before, change.after)


def test_sums_over_many_people_need_no_list_of_databases():
    people = Records(3, 1000)
    batch = statistic("batch(count, histogram)", people)
    assert global_sensitivity(batch, people).value == 3


def test_a_call_builds_its_parts_for_the_universe():
    universe = Records("abc", 4)
    batch = statistic("batch(count(a), histogram, proportion(b))", universe)
    assert batch(("a", "a", "b", "c")) == (2, 2, 1, 1, Fraction(1, 4))
    assert batch.widths == (1, 3, 1)
    assert statistic("batch(count(a), batch(count(b), count(c)))", universe)(
        ("a", "b", "b", "c")
    ) == (1, 2, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("batch()", "batch is empty"),
        ("batch(count, cuont)", "did you mean 'count'"),
        ("batch(count(7))", "no record"),
        ("batch(count, universe=bits(2))", "given twice"),
    ],
)
def test_bad_batches_are_refused(text, said):
    with pytest.raises(InvalidInput, match=said):
        statistic(text, BitStrings(2))


def test_a_part_that_changes_its_length_is_refused():
    ragged = Computed(lambda x: (1,) * (1 + sum(x)), "ragged")
    batch = Batch.of([count(), ragged], BitStrings(2))
    with pytest.raises(InvalidInput, match="ragged gives 2 numbers here and 3 there"):
        list(batch.changes(BitStrings(2), "substitute"))


# --- A statistic counts values that records can have, or says that it would count nothing --------


ANSWERS = universe("records(values=[yes, no], n=3)")


@pytest.mark.parametrize(
    "text", ["count(Yes)", "count", "parity", "proportion(y)", "histogram(bins=[[yes, nope]])"]
)
def test_values_that_no_record_can_have_are_refused(text):
    with pytest.raises(InvalidInput, match="no record of records"):
        statistic(text, ANSWERS)


LEVELS = [Fraction(0), Fraction(1), Fraction(-2), Fraction(1, 2), Fraction(7, 3)]


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
    part = st.sampled_from(LEVELS if modulo is None else [Fraction(k) for k in range(-2, 4)])
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
def test_changes_and_differences_are_those_of_the_enumeration(case):
    universe, relation, group, statistic, by_hand = case
    changes = [(c.before, c.after) for c in statistic.changes(universe, relation, group)]
    differences = [c.difference for c in statistic.differences(universe, relation, group)]
    expected = moves(universe, relation, group, by_hand)
    assert sorted(changes) == sorted(expected)
    assert sorted(differences) == sorted({minus(after, before) for before, after in expected})


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
