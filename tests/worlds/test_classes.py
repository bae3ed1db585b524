"""Classes of beliefs as calls: what they hold, what they assume, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.worlds import BitStrings, Graphs, Integers, Records, Samples
from twoworlds.worlds import classes as module
from twoworlds.worlds import joint as joint_module
from twoworlds.worlds.belief import explicit
from twoworlds.worlds.belief import uniform as uniform_belief
from twoworlds.worlds.beliefs import belief
from twoworlds.worlds.classes import (
    all_known,
    belief_class,
    draws,
    hidden_law,
    identical_family,
    product_family,
)
from twoworlds.worlds.joint import NOTHING, Joint

PAIR = BitStrings(2)
LETTERS = Records(("a", "b"), 2)
PEOPLE = Samples(("ann", "bob", "cid"), (0, 1))


def laws(found):
    return [member.given(NOTHING) for member in found]


@pytest.mark.parametrize(
    "text",
    [
        "uniform",
        "independent(3/4, 1/2)",
        "explicit(11=1/2, 00=1/2)",
        "mixture(uniform, independent(1/3), weights=[1/4, 3/4])",
        "informed(11, 2, 1/3)",
        "hidden(9/10=1/2, 1/10=1/2)",
    ],
)
def test_every_belief_is_a_class_of_one(text):
    found = belief_class(text, PAIR)
    assert laws(found) == [dict(belief(text, PAIR))]
    assert found.members[0].name == text
    assert not found.hull


def test_a_list_holds_its_parts_in_order():
    texts = ["uniform", "independent(1/3)", "iid(1/4, 1/5)"]
    expected = [law for text in texts for law in laws(belief_class(text, PAIR))]
    assert len(expected) == 4
    assert laws(belief_class("[uniform, independent(1/3), iid(1/4, 1/5)]", PAIR)) == expected
    assert laws(belief_class("list(uniform, independent(1/3), iid(1/4, 1/5))", PAIR)) == expected
    assert laws(belief_class(texts, PAIR)) == expected
    objects = [uniform_belief(PAIR), "independent(1/3)", belief_class("iid(1/4, 1/5)", PAIR)]
    assert laws(belief_class(objects, PAIR)) == expected


def test_families_by_their_calls():
    third, half = {"a": "1/3", "b": "2/3"}, {"a": "1/2", "b": "1/2"}
    found = belief_class("product([a=1/3, b=2/3], [a=1/2, b=1/2])", LETTERS)
    assert laws(found) == laws(product_family(third, half, of=LETTERS))
    found = belief_class("iid(1/3, 1/2)", PAIR)
    assert laws(found) == [dict(belief(f"independent({p})", PAIR)) for p in ("1/3", "1/2")]
    text = "hidden-law([a=1/3, b=2/3], [a=1/2, b=1/2], weights=[1/4, 3/4], names=[x, y])"
    found = belief_class(text, LETTERS, "parameter")
    expected = hidden_law(third, half, weights=["1/4", "3/4"], names=["x", "y"], of=LETTERS)
    assert found.members[0].masses == expected.members[0].masses
    assert laws(belief_class(text, LETTERS))[0]["a", "a"] == Fraction(1, 36) + Fraction(3, 16)
    assert laws(belief_class("all-known", PAIR)) == [{x: 1} for x in PAIR]
    assert laws(belief_class("draws([1, 0, 0])", PAIR))[0][1, 1] == Fraction(1, 9)


def test_sampling_priors_by_their_calls():
    rate = laws(belief_class("sample([1, 0, 1], rate=1/4)", PEOPLE))[0]
    assert rate[("ann", 1), ("cid", 1)] == Fraction(3, 64)
    assert rate[()] == Fraction(27, 64)
    fixed = laws(belief_class("sample([1, 0, 1], fixed=2)", PEOPLE))[0]
    assert set(fixed.values()) == {Fraction(1, 3)}
    sizes = laws(belief_class("sample([1, 0, 1], sizes=[1=1/2, 3=1/2])", PEOPLE))[0]
    assert sizes[(("bob", 0),)] == Fraction(1, 6)
    text = "sample([1, 0, 1], fixed=1, discard=[0=1/2, 1=1/4, 2=1/4])"
    discard = laws(belief_class(text, PEOPLE))[0]
    assert discard[()] == Fraction(1, 2)
    assert discard[(("ann", 1),)] == Fraction(1, 6)


def test_hulls():
    assert belief_class("hull(uniform, explicit(11=1))", PAIR).hull
    assert belief_class("hull([uniform, explicit(11=1)])", PAIR, "known(1)").hull
    assert belief_class("[uniform, explicit(11=1)]", PAIR, hull=True).hull
    once = belief_class("hull(uniform)", PAIR, hull=True)
    assert once.assumption.count("mixture") == 1
    assert belief_class(once, PAIR) is once
    assert belief_class([once], PAIR).hull


@pytest.mark.parametrize(
    ("text", "universe", "words"),
    [
        ("uniform", BitStrings(3), "the 3 bits are fair and independent"),
        ("uniform", LETTERS, "the 2 records are independent, each uniform on a, b"),
        ("uniform", Graphs((1, 2, 3)), "all 8 databases are equally likely"),
        (
            "independent(1/4, 1/2)",
            PAIR,
            "the 2 bits are independent: record 1 is 1 with probability 1/4; "
            "record 2 is 1 with probability 1/2",
        ),
        ("explicit(11=1)", PAIR, "the database is 11 for certain"),
        (
            "hidden(9/10=1/2, 1/10=1/2)",
            PAIR,
            "the 2 bits are independent given a hidden chance of 1, which is 9/10 with probability "
            "1/2 or 1/10 with probability 1/2",
        ),
        (
            "mixture(uniform, independent(1))",
            PAIR,
            "with probability 1/2 the 2 bits are fair and independent; or with probability 1/2 "
            "the 2 bits are independent, each 1 with probability 1",
        ),
        (
            "informed(11, person=2, law=1/3)",
            PAIR,
            "everything but person 2's record is known to be as in 11, and that record is 1 with "
            "probability 1/3",
        ),
        (
            "random-edges(1/3)",
            Graphs((1, 2)),
            "each pair of nodes is joined with probability 1/3, independently",
        ),
        (
            "sample([1, 0, 1], rate=1/4)",
            PEOPLE,
            "the database is a random sample of 3 people (ann: 1, bob: 0, cid: 1), each person "
            "sampled independently with probability 1/4",
        ),
        (
            "[uniform, explicit(11=1)]",
            PAIR,
            "either the 2 bits are fair and independent, or the database is 11 for certain",
        ),
    ],
)
def test_the_assumption_can_follow_if(text, universe, words):
    assert (
        belief_class(text, universe).assumption == f"{words}, and the attacker knows nothing else"
    )


@pytest.mark.parametrize(
    ("text", "universe", "words"),
    [
        ("[]", PAIR, "class of beliefs is empty"),
        ("list()", PAIR, "class of beliefs is empty"),
        ("[uniform, ]", PAIR, "empty argument"),
        ("[uniform", PAIR, "is not a call"),
        ("[hull(uniform), explicit(11=1)]", PAIR, "put hull.*around the whole list"),
        ("explicit(11=1/2, 10=1/4)", PAIR, "sums to 3/4"),
        ("hidden(1/3=1/2, 2/3=1/3)", PAIR, "sums to 5/6"),
        ("hidden(1/3)", PAIR, "needs a probability"),
        ("hidden(1/3=1)", LETTERS, "names each value's probability"),
        ("iid()", PAIR, "family is empty"),
        ("iid(4/3)", PAIR, "between 0 and 1"),
        ("iid([a=1/2])", LETTERS, "sums to 1/2"),
        ("iid([a])", LETTERS, r"needs a probability: write \[a=1/2"),
        ("product(1/2)", PEOPLE, "no persons"),
        ("hidden-law(1/2, weights=1)", PAIR, "as lists"),
        ("draws(3)", PAIR, "each person's value"),
        ("sample([1, 0, 1], rate=1/2)", PAIR, "people with names.*samples"),
        ("sample([1, 0, 1])", PEOPLE, "one of rate.*Poisson"),
        ("sample([1, 0, 1], rate=1/2, fixed=1)", PEOPLE, "one of rate"),
        ("sample([1, 0, 1], rate=1/2, discard=[0=1])", PEOPLE, "discard goes with a fixed"),
        ("sample([1, 0], fixed=1)", PEOPLE, "2 values are given for 3"),
        ("sample(1, fixed=1)", PEOPLE, "population=1"),
        ("sample([1, 0, 1], fixed=4)", PEOPLE, "sample of 4"),
        ("sample([1, 0, 1], sizes=2)", PEOPLE, "write sizes="),
        ("sample([1, 0, 1], sizes=[2])", PEOPLE, "needs a probability"),
        ("sample([1, 0, 1], sizes=[2=1/2, 2=1/2])", PEOPLE, "given twice"),
        ("sample([1, 0, 1], sizes=[2=1/2])", PEOPLE, "sums to 1/2"),
        ("sample([1, 0, 1], people=3)", PEOPLE, "unknown argument of sample"),
        (3, PAIR, "is not a belief"),
        (explicit(BitStrings(1), {"1": 1}), PAIR, "is about bits.1., not bits.2."),
    ],
)
def test_what_is_no_class_is_refused(text, universe, words):
    with pytest.raises(InvalidInput, match=words):
        belief_class(text, universe)


def test_an_unknown_name_suggests_the_nearest_of_beliefs_and_classes():
    with pytest.raises(UnknownName, match="did you mean 'uniform'"):
        belief_class("unifrm", PAIR)
    with pytest.raises(UnknownName, match="did you mean 'sample'"):
        belief_class("smaple([1])", PAIR)


def test_too_much_side_information_is_refused_with_the_limit(monkeypatch):
    monkeypatch.setattr(joint_module, "LARGEST_SUPPORT", 4)
    with pytest.raises(TooLarge, match="more than 4 pairs"):
        belief_class("uniform", PAIR, "noisy(known(1), 1/3)")


def own_class(universe):
    return [Joint.of(uniform_belief(universe), sum, "total known"), "explicit(11=1)"]


OWN = Joint.of({(1, 1): 1}, name="certain")


def test_classes_of_ones_own_by_name():
    here = f"python:{__name__}"
    found = belief_class(f"{here}:own_class", PAIR)
    assert [list(member.sides) for member in found] == [[2, 1, 0], [NOTHING]]
    assert belief_class(f"{here}:OWN", PAIR).members == (OWN,)
    assert list(belief_class(f"{here}:OWN", PAIR, "known(2)").members[0].sides) == [1]
    with pytest.raises(InvalidInput, match=r"failed on bits.2.: TypeError"):
        belief_class("python:math:sqrt", PAIR)
    with pytest.raises(InvalidInput, match="is not a belief"):
        belief_class("python:math:pi", PAIR)
    with pytest.raises(InvalidInput, match="let the Python function return the list"):
        belief_class(f"[uniform, {here}:OWN]", PAIR)


def test_irrational_parameters_are_enclosed_and_never_floats():
    (known,) = belief_class("hidden(e^-1=1/2, 1/2=1/2)", PAIR, "parameter")
    assert len(known.sides) == 2
    assert known.given(Fraction(1, 2))[1, 1] == Fraction(1, 4)
    assert not any(isinstance(mass, float) for mass in known.masses.values())


# --- Families of beliefs against enumeration; the hidden mean of +1 or -1 ------------------------


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
    family = product_family(*laws, of=universe)
    expected = [
        {x: prod(law[v] for law, v in zip(choice, x, strict=True)) for x in universe}
        for choice in product(laws, repeat=3)
    ]
    assert [member.given(NOTHING) for member in family] == expected
    assert family.members[1].name == "independent([a=1/3, b=2/3], [a=1/3, b=2/3], [a=1/2, b=1/2])"


def test_identical_families_hold_one_member_for_each_parameter():
    family = identical_family(PLUS, MINUS, of=SIGNS)
    assert [member.given(NOTHING) for member in family] == [
        {x: prod(law[v] for v in x) for x in SIGNS} for law in (PLUS, MINUS)
    ]


def test_the_hidden_mean_gives_itself_away_but_not_once_it_is_known():
    # Bassily, Groce, Katz & Smith, Section II-E, with a sign for the record: noiseless privacy
    # fails by 4019/5000; it is 243/5000 for those who know the mean.
    family = hidden_law(PLUS, MINUS, names=[1, -1], of=SIGNS)
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
    (belief,) = hidden_law(
        "1/4", 1, weights=["1/3", "2/3"], names=["low", "high"], of=BitStrings(1)
    )
    assert belief.masses == {
        ((1,), "low"): Fraction(1, 12),
        ((0,), "low"): Fraction(1, 4),
        ((1,), "high"): Fraction(2, 3),
    }
    assert list(hidden_law("1/4", 1, of=BitStrings(1)).members[0].sides) == [1, 2]


def test_draws_are_independent_with_the_shares_of_the_population():
    universe = Records(("a", "b"), 2)
    (belief,) = draws(["a", "b", "b", "b"], of=universe)
    shares = {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    assert belief.given(NOTHING) == {x: shares[x[0]] * shares[x[1]] for x in universe}


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: product_family(of=SIGNS), "family is empty"),
        (lambda: identical_family(of=SIGNS), "family is empty"),
        (lambda: hidden_law(of=SIGNS), "family is empty"),
        (lambda: draws([], of=SIGNS), "population is empty"),
        (lambda: draws([1, 7], of=SIGNS), "'7' is not a value"),
        (lambda: identical_family({1: "1/2"}, of=SIGNS), "sums to 1/2"),
        (lambda: identical_family("1/2", of=SIGNS), "names each value's probability"),
        (lambda: product_family("1/2", of=Integers(0, 3)), "no persons"),
        (lambda: hidden_law(PLUS, MINUS, weights=["1/2"], of=SIGNS), "2 laws need as many weights"),
        (lambda: hidden_law(PLUS, MINUS, names=["a", "a"], of=SIGNS), "different names"),
        (lambda: hidden_law(PLUS, MINUS, weights=["1/2", "1/3"], of=SIGNS), "5/6"),
        (lambda: all_known(of=Integers()), "too many databases"),
        (lambda: product_family("1/2", "1/3", of=BitStrings(16)), "2 laws for each of 16 records"),
    ],
)
def test_what_is_no_family_is_refused(build, words):
    with pytest.raises(InvalidInput, match=words):
        build()


def test_too_large_a_family_names_the_limit(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_SUPPORT", 15)
    with pytest.raises(TooLarge, match=r"more than 15 databases.*fewer people"):
        product_family("1/2", "1/3", of=BitStrings(2))
