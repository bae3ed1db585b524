"""People who are alike: points stand for the databases that they stand for, and for no others."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from twoworlds.errors import TooLarge
from twoworlds.worlds.belief import hidden, uniform
from twoworlds.worlds.catalogue import statistic as build_statistic
from twoworlds.worlds.classes import belief_class
from twoworlds.worlds.orbits import Orbits, likelihood
from twoworlds.worlds.records import BitStrings, Records

F = Fraction
LETTERS = Records("abc", 4)
FAIR = "[a=1/2, b=1/3, c=1/6]"
OTHER = "[a=1/5, b=0, c=4/5]"


def point(universe, x):
    return (x[0], *sorted(x[1:], key=universe.values.index))


@pytest.mark.parametrize(
    "belief",
    [
        "uniform",
        f"independent({FAIR})",
        f"iid({FAIR}, {OTHER})",
        f"hidden-law({FAIR}, {OTHER}, weights=[1/3, 2/3])",
        f"mixture(uniform, independent({OTHER}), weights=[1/4, 3/4])",
        "draws([a, a, b])",
        f"[uniform, independent({FAIR})]",
        f"hull(uniform, independent({FAIR}))",
    ],
)
@pytest.mark.parametrize("side", [None, "count(a)"])
def test_a_point_has_the_mass_of_all_databases_it_stands_for(belief, side):
    listed = belief_class(belief, LETTERS, side)
    assert listed.alike
    short = listed.on(Orbits(LETTERS))
    assert short.assumption == listed.assumption
    assert short.hull == listed.hull
    for member, small in zip(listed, short, strict=True):
        masses = {}
        for (x, z), mass in member.masses.items():
            key = point(LETTERS, x), z
            masses[key] = masses.get(key, F(0)) + mass
        assert masses == small.masses


@pytest.mark.parametrize("belief", ["uniform", "hidden-law([0=1/2, 1=1/2], [1=1/3, 5=2/3])"])
@pytest.mark.parametrize("statistic", ["sum", "parity", "count(5)", "histogram", "mean(4)"])
def test_a_point_up_to_sums_has_the_mass_of_all_others_with_that_sum(belief, statistic):
    records = Records((0, 1, 5), 4)
    sum_of = build_statistic(statistic, records)
    listed = belief_class(belief, records, "none")
    assert listed.members[0].by_sums
    short = listed.on(Orbits(records, sum_of)).members[0].masses
    found = [Counter(), Counter()]
    for counted, masses in zip(found, (listed.members[0].masses, short), strict=True):
        for (x, z), mass in masses.items():
            counted[x[0], sum_of(x[1:]), z] += mass
    assert found[0] == found[1]


def test_what_is_told_of_the_database_is_not_listed_up_to_sums():
    records = Records((0, 1, 5), 4)
    assert not belief_class("uniform", records, "count(5)").members[0].by_sums
    assert not belief_class("independent(e^-1)", BitStrings(4)).members[0].by_sums


def test_the_hidden_chance_of_bits_is_kept_as_side_information():
    bits, belief = BitStrings(5), "hidden(9/10=1/3, 1/10=2/3)"
    short = belief_class(belief, bits, "parameter").on(Orbits(bits))
    assert short.members[0].sides == {F(9, 10): F(1, 3), F(1, 10): F(2, 3)}


@pytest.mark.parametrize("n", [1, 2, 5])
def test_size_counts_the_points(n):
    for records in (BitStrings(n), Records("abc", n)):
        orbits = Orbits(records)
        assert orbits.size == len(list(orbits)) == len({point(records, x) for x in records})


@pytest.mark.parametrize(
    ("belief", "side"),
    [
        (f"independent({FAIR}, {FAIR}, {FAIR}, {OTHER})", None),
        ("explicit(aaaa=1/2, bbbb=1/2)", None),
        ("informed(aaaa, 1, [a=1/2, b=1/2])", None),
        (f"[uniform, product({FAIR}, {OTHER})]", None),
        ("mixture(uniform, explicit(aaaa=1))", None),
        ("all-known", None),
        ("uniform", "known(1)"),
        ("uniform", "everything"),
        ("uniform", "python:builtins:len"),
    ],
)
def test_who_may_differ_is_not_taken_for_alike(belief, side):
    assert not belief_class(belief, LETTERS, side).alike


def test_databases_of_several_sizes_are_listed():
    assert not belief_class("uniform", Records("ab", 3, smallest=1)).alike


def test_a_thousand_people_are_known_alike_without_a_list():
    many = BitStrings(1000)
    objects = [uniform(many), hidden(many, {"1/3": "1/2", "1/5": "1/2"})]
    for given in ("hull(iid(1/3, 1/2), draws([1, 0, 0]))", "hidden-law(1/3, 1/2)", objects):
        found = belief_class(given, many)
        assert found.alike
        assert len(found.on(Orbits(many)).members[0]) == 2000
    with pytest.raises(TooLarge, match="know more records for certain"):
        len(found.members[0])
    assert found.assumption == (
        "either the 1000 bits are independent, each 1 with probability 1/2 or 0 with probability "
        "1/2, or the 1000 bits are independent given a hidden law: with probability 1/2 each is 1 "
        "with probability 1/3 or 0 with probability 2/3; or with probability 1/2 each is 1 with "
        "probability 1/5 or 0 with probability 4/5, and the attacker knows nothing else"
    )


@pytest.mark.parametrize(
    "laws",
    [
        [(1, 2, 3)],
        [(1, 1, 1), (2, 1, 1)],
        [(2, 1, 1), (1, 1, 2)],
        [(3, 2, 1), (1, 1, 1)],
        [(1, 1, 0), (0, 1, 2)],
        [(1, 0, 0), (0, 1, 1), (1, 2, 3)],
        [(4, 2, 1), (1, 2, 4), (1, 1, 1)],
    ],
)
def test_lists_of_one_likelihood_are_held_likely_in_one_proportion(laws):
    made = [{v: F(p, sum(law)) for v, p in zip("abc", law, strict=True)} for law in laws]
    seen = likelihood("abc", made)
    found = {}
    for x in product("abc", repeat=4):
        column = [prod(law[v] for v in x) for law in made]
        first = next((p for p in column if p), None)
        if first is not None:
            found.setdefault(seen(x), set()).add(tuple(p / first for p in column))
    assert all(len(proportions) == 1 for proportions in found.values())
    if all(0 not in law for law in laws):
        assert len(found) == len(set.union(*found.values()))
    examples = seen.examples("abc", 4)
    assert found.keys() <= examples.keys()
    assert all(seen(x) == total for total, x in examples.items())
