"""Families of beliefs against enumeration; the hidden mean of +1 or -1."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.worlds import BitStrings, Integers, Records
from twoworlds.worlds import families as module
from twoworlds.worlds.families import (
    all_known,
    draws,
    hidden_law,
    identical_family,
    product_family,
)
from twoworlds.worlds.joint import NOTHING

SIGNS = Records((1, -1), 5)
PLUS = {1: Fraction(9, 10), -1: Fraction(1, 10)}
MINUS = {1: Fraction(1, 10), -1: Fraction(9, 10)}


def majority(x):
    return 1 if sum(x) >= 0 else -1


def chance(law, event, given):
    total = sum(mass for x, mass in law.items() if given(x))
    return sum(mass for x, mass in law.items() if given(x) and event(x)) / total


def test_product_families_hold_all_combinations():
    laws = [{"a": Fraction(1, 3), "b": Fraction(2, 3)}, {"a": Fraction(1, 2), "b": Fraction(1, 2)}]
    universe = Records(("a", "b"), 3)
    family = product_family(universe, laws)
    expected = [
        {x: prod(law[v] for law, v in zip(choice, x, strict=True)) for x in universe}
        for choice in product(laws, repeat=3)
    ]
    assert [member.given(NOTHING) for member in family] == expected
    assert family.members[1].name == "independent([a=1/3, b=2/3], [a=1/3, b=2/3], [a=1/2, b=1/2])"


def test_identical_families_hold_one_member_for_each_parameter():
    family = identical_family(SIGNS, [PLUS, MINUS])
    assert [member.given(NOTHING) for member in family] == [
        {x: prod(law[v] for v in x) for x in SIGNS} for law in (PLUS, MINUS)
    ]


def test_the_hidden_mean_gives_itself_away_but_not_once_it_is_known():
    # Bassily, Groce, Katz & Smith, Section II-E, with a sign for the record: noiseless privacy
    # fails by 4019/5000; it is 243/5000 for those who know the mean.
    family = hidden_law(SIGNS, [PLUS, MINUS], names=[1, -1])
    (belief,) = family
    assert belief.sides == {1: Fraction(1, 2), -1: Fraction(1, 2)}
    (unknown,) = family.knowing_less(lambda _: NOTHING, "nothing")
    law = unknown.given(NOTHING)
    up = [chance(law, lambda x: majority(x) == 1, lambda x, v=v: x[0] == v) for v in (1, -1)]
    assert up == [Fraction(9019, 10000), Fraction(981, 10000)]
    assert up[0] - up[1] == Fraction(4019, 5000)
    for mean in (1, -1):
        law = belief.given(mean)
        up = [chance(law, lambda x: majority(x) == 1, lambda x, v=v: x[0] == v) for v in (1, -1)]
        assert up[0] - up[1] == Fraction(243, 5000)


def test_weights_and_names_of_a_hidden_law():
    (belief,) = hidden_law(BitStrings(1), ["1/4", 1], ["1/3", "2/3"], ["low", "high"])
    assert belief.masses == {
        ((1,), "low"): Fraction(1, 12),
        ((0,), "low"): Fraction(1, 4),
        ((1,), "high"): Fraction(2, 3),
    }
    assert list(hidden_law(BitStrings(1), ["1/4", 1]).members[0].sides) == [1, 2]


def test_point_beliefs_are_all_databases():
    family = all_known(BitStrings(2))
    assert [member.given(NOTHING) for member in family] == [{x: 1} for x in BitStrings(2)]
    assert family.members[1].name == "10"


def test_draws_are_independent_with_the_shares_of_the_population():
    universe = Records(("a", "b"), 2)
    (belief,) = draws(universe, ["a", "b", "b", "b"])
    shares = {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    assert belief.given(NOTHING) == {x: shares[x[0]] * shares[x[1]] for x in universe}


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: product_family(SIGNS, []), "family is empty"),
        (lambda: identical_family(SIGNS, []), "family is empty"),
        (lambda: hidden_law(SIGNS, []), "family is empty"),
        (lambda: draws(SIGNS, []), "population is empty"),
        (lambda: draws(SIGNS, [1, 7]), "'7' is not a value"),
        (lambda: identical_family(SIGNS, [{1: "1/2"}]), "sums to 1/2"),
        (lambda: identical_family(SIGNS, ["1/2"]), "names each value's probability"),
        (lambda: product_family(Integers(0, 3), ["1/2"]), "no persons"),
        (lambda: hidden_law(SIGNS, [PLUS, MINUS], ["1/2"]), "2 laws need as many weights"),
        (lambda: hidden_law(SIGNS, [PLUS, MINUS], names=["a", "a"]), "different names"),
        (lambda: hidden_law(SIGNS, [PLUS, MINUS], ["1/2", "1/3"]), "5/6"),
        (lambda: all_known(Integers()), "too many databases"),
        (lambda: product_family(BitStrings(16), ["1/2", "1/3"]), "2 laws for each of 16 records"),
    ],
)
def test_what_is_no_family_is_refused(build, words):
    with pytest.raises(InvalidInput, match=words):
        build()


def test_too_large_a_family_names_the_limit(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_SUPPORT", 15)
    with pytest.raises(TooLarge, match=r"more than 15 databases.*fewer people"):
        product_family(BitStrings(2), ["1/2", "1/3"])
