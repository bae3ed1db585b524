"""Pairs (alt, priv): what each builder keeps private and what it leaves, and what is refused."""

from fractions import Fraction
from itertools import product

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.worlds import BitStrings, Records, Tagged, Universe
from twoworlds.worlds.graphs import Graph, Graphs
from twoworlds.worlds.samples import ABSENT, Samples
from twoworlds.worlds.scrubbing import (
    firms,
    members,
    own,
    persons,
    public_attributes,
    schools,
)

QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)
STEP = {-1: QUARTER, 0: HALF, 1: QUARTER}


def drop(x, gone):
    return tuple(value for i, value in enumerate(x, 1) if i not in gone)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_persons_are_positions_of_a_list(n):
    for x in product("ab", repeat=n):
        for i, pair in enumerate(persons(n), 1):
            assert pair.private(x) == x[i - 1]
            assert pair.law(x) == {drop(x, {i}): 1}
        tags = [next(iter(pair.law(x))) for pair in persons(n, tagged=True)]
        assert tags == [Tagged(f"person {i}", drop(x, {i})) for i in range(1, n + 1)]


def test_a_person_of_a_sample_is_a_name_and_not_a_position():
    universe = Samples(("ann", "bob", "cid"), (0, 1))
    ann, bob, cid = members(universe)
    x = (("bob", 1), ("cid", 0))
    assert [pair.private(x) for pair in (ann, bob, cid)] == [ABSENT, 1, 0]
    assert bob.scrubbed(x) == (("cid", 0),)
    assert ann.scrubbed(x) == x
    for y in universe:  # whoever else is there, alt and priv together are the whole database
        for pair, name in zip((ann, bob, cid), universe.people, strict=True):
            value = pair.private(y)
            entry = () if value == ABSENT else ((name, value),)
            assert sorted(pair.scrubbed(y) + entry) == sorted(y)


def test_a_node_leaves_with_its_edges_and_the_others_keep_their_names():
    universe = Graphs((1, 2, 3), ("ill", "well"))
    graph = Graph.of({1: "ill", 2: "well", 3: "ill"}, [(1, 2), (3, 2)])
    _, second, third = members(universe)
    assert second.name == "node 2"
    assert second.private(graph) == ("well", frozenset({1, 3}))
    assert second.scrubbed(graph) == Tagged("node 2", Graph.of({1: "ill", 3: "ill"}, []))
    assert third.scrubbed(graph).database == Graph.of({1: "ill", 2: "well"}, [(1, 2)])
    for g in universe:
        for pair, node in zip(members(universe), universe.nodes, strict=True):
            label, joined = pair.private(g)
            rest = pair.scrubbed(g).database
            rebuilt = dict(rest.labels) | {node: label}
            ordered = {n: rebuilt[n] for n in universe.nodes}
            assert Graph.of(ordered, [*rest.edges, *((node, m) for m in joined)]) == g


def test_labels_of_an_explicit_universe_are_lists_of_records():
    found = members(Universe.of(["11", "10", "00"]))
    assert [pair.private("10") for pair in found] == ["1", "0"]
    assert [pair.scrubbed("10") for pair in found] == [("0",), ("1",)]
    (whole,) = members(Universe.of(["ill", "well"]))
    assert (whole.private("ill"), whole.scrubbed("ill")) == ("ill", ())
    with pytest.raises(InvalidInput, match="no persons to speak of"):
        members(Universe.of(["a|b", "a"]))


def test_public_fields_stay_and_the_person_still_counts():
    first, second = public_attributes(2, [2, 1])
    x = (("ann", "young", "ill"), ("bob", "old", "well"))
    assert first.private(x) == "ill"
    assert first.scrubbed(x) == (("ann", "young", "?"), x[1])
    assert second.scrubbed(x) == (x[0], ("bob", "old", "?"))
    (only,) = public_attributes(1, [1], blank=0)
    assert only.private((("a", 3, 4),)) == (3, 4)
    assert only.scrubbed((("a", 3, 4),)) == (("a", 0, 0),)
    (text,) = public_attributes(1, ["2"])
    assert (text.private(("ill/old",)), text.scrubbed(("ill/old",))) == ("ill", ("?/old",))


def test_the_whole_school_leaves():
    groups = [[1, 3], [2], [4, 5]]
    x = tuple("abcde")
    for i, pair in enumerate(schools(groups, 5), 1):
        own_school = next(group for group in groups if i in group)
        assert pair.private(x) == x[i - 1]
        assert pair.scrubbed(x) == drop(x, set(own_school))
    assert schools(groups, 5)[3].how == "all records of school 3 are taken out"
    tagged = schools(groups, 5, tagged=True)[4].scrubbed(x)
    assert tagged == Tagged("person 5", ("a", "b", "c"))


def test_noise_is_added_to_one_firm_only():
    pair = firms(2, STEP)[1]
    assert pair.private((5, 9)) == 9
    assert pair.law((5, 9)) == {(5, 8): QUARTER, (5, 9): HALF, (5, 10): QUARTER}


def test_noise_is_clipped_where_a_range_is_given():
    pair = firms(1, {-2: QUARTER, -1: QUARTER, 1: HALF}, low=0, high=1)[0]
    assert pair.law((1,)) == {(0,): HALF, (1,): HALF}
    assert pair.law((0,)) == {(0,): HALF, (1,): HALF}
    assert pair.how == "noise is added to it, clipped below 0 and above 1"
    tagged = firms(1, STEP, tagged=True)[0].law((0,))
    assert tagged[Tagged("firm 1", (1,))] == QUARTER
    assert sum(tagged.values()) == 1


def test_functions_of_ones_own_may_be_random():
    coin = own("the sum", sum, lambda x: {x[0]: "1/2", 0: "1/2"}, tagged=True)
    assert coin.private((1, 2)) == 3
    assert coin.law((1, 2)) == {Tagged("the sum", 1): HALF, Tagged("the sum", 0): HALF}
    assert str(Tagged("person 1", (0, 1))) == "01 without person 1"


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: persons(0), "persons=0"),
        (lambda: persons(2)[1].private((1,)), "no person 2"),
        (lambda: persons(1)[0].private("a"), "list of records"),
        (lambda: members(BitStrings(2), [3]), "'?3'? is no person of bits.2.: there are 2"),
        (lambda: members(BitStrings(2), [0]), "counted from 1"),
        (lambda: members(BitStrings(2), [1, "1"]), "named twice"),
        (lambda: members(BitStrings(2), []), "no person is named"),
        (lambda: members(Samples(("ann",), (0,)), ["bob"]), "there are ann"),
        (lambda: members(Records(2, 3, smallest=1)), "several sizes.*samples"),
        (lambda: public_attributes(2, []), "no field is public"),
        (lambda: public_attributes(2, [0]), "public field=0"),
        (lambda: public_attributes(1, [3])[0].private((("a", "b"),)), "field 3 .* 2 fields"),
        (lambda: public_attributes(1, [1, 2])[0].private((("a", "b"),)), "nothing is left"),
        (lambda: public_attributes(1, [1])[0].scrubbed((7,)), "record 7 has no fields"),
        (lambda: public_attributes(1, [1])[0].scrubbed(("plain",)), "has no fields"),
        (lambda: schools([[1, 2], [2]], 2), "person 2 is in schools 1 and 2.*overlap"),
        (lambda: schools([[1, 1]], 1), "person 1 is in schools 1 and 1"),
        (lambda: schools([[1], []], 1), "school 2 is empty"),
        (lambda: schools([[1, 4]], 3), "pupil 4: there are 3"),
        (lambda: schools([[1]], 2), r"person 2 is in no school.*\[2\]"),
        (lambda: schools([[0]], 1), "pupil=0"),
        (lambda: schools([[1, 2]], 2)[0].scrubbed((1,)), "no person 2"),
        (lambda: firms(1, {"1/2": HALF, "-1/2": HALF}), "noise of 1/2 .*whole.*smaller unit"),
        (lambda: firms(1, {"ln 2": 1}), "not a whole number"),
        (lambda: firms(1, {1: HALF}), "sum to 1/2"),
        (lambda: firms(1, {1: 2, 0: -1}), "negative"),
        (lambda: firms(1, STEP, low=2, high=1), "low=2 is above high=1"),
        (lambda: firms(1, STEP)[0].scrubbed((HALF,)), "entry of firm 1 .*whole numbers"),
        (lambda: firms(1, STEP)[0].scrubbed((True,)), "entry of firm 1 is True"),
        (lambda: own("x", lambda x: x[5], tuple).private((1,)), "priv of x failed at 1: Index"),
        (lambda: own("x", list, tuple).private((1,)), "priv of x at 1 is"),
        (lambda: own("x", sum, lambda _: {0: HALF}).law((1,)), "alt of x at 1: .*1/2"),
        (lambda: own("x", sum, list).law((1,)), "alt of x at 1: .*type list"),
    ],
)
def test_what_cannot_be_scrubbed_is_refused(build, words):
    with pytest.raises(InvalidInput, match=words):
        build()
