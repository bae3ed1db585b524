"""People who are alike: points stand for the databases that they stand for, and for no others."""

from __future__ import annotations

from fractions import Fraction

import pytest

from twoworlds.worlds.catalogue import statistic
from twoworlds.worlds.classes import belief_class
from twoworlds.worlds.orbits import Orbits, alike
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
    assert alike(statistic("count(a)", LETTERS), belief, side, LETTERS) is not None
    listed = belief_class(belief, LETTERS, side)
    short = belief_class(belief, Orbits(LETTERS), side)
    assert short.assumption == listed.assumption
    assert short.hull == listed.hull
    for member, small in zip(listed, short, strict=True):
        masses = {}
        for (x, z), mass in member.masses.items():
            key = point(LETTERS, x), z
            masses[key] = masses.get(key, F(0)) + mass
        assert masses == small.masses


def test_the_hidden_chance_of_bits_is_kept_as_side_information():
    bits, belief = BitStrings(5), "hidden(9/10=1/3, 1/10=2/3)"
    short = belief_class(belief, Orbits(bits), "parameter")
    assert short.members[0].sides == {F(9, 10): F(1, 3), F(1, 10): F(2, 3)}


@pytest.mark.parametrize("n", [1, 2, 5])
def test_size_counts_the_points(n):
    for records in (BitStrings(n), Records("abc", n)):
        orbits = Orbits(records)
        assert orbits.size == len(list(orbits)) == len({point(records, x) for x in records})


@pytest.mark.parametrize(
    ("asked", "belief", "side"),
    [
        ("count(a)", f"independent({FAIR}, {FAIR}, {FAIR}, {OTHER})", None),
        ("count(a)", "explicit(aaaa=1)", None),
        ("count(a)", "informed(aaaa, 1, [a=1/2, b=1/2])", None),
        ("count(a)", f"[uniform, product({FAIR})]", None),
        ("count(a)", "mixture(uniform, explicit(aaaa=1))", None),
        ("count(a)", "all-known", None),
        ("count(a)", "uniform", "known(1)"),
        ("count(a)", "uniform", "everything"),
        ("count(a)", "uniform", "python:math:prod"),
        ("count(a)", "python:somewhere:belief", None),
        ("python:builtins:len", "uniform", None),
    ],
)
def test_who_may_differ_is_not_taken_for_alike(asked, belief, side):
    assert alike(statistic(asked, LETTERS), belief, side, LETTERS) is None


def test_databases_of_several_sizes_are_listed():
    several = Records("ab", 3, smallest=1)
    assert alike(statistic("count(a)", several), "uniform", None, several) is None
