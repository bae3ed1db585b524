"""Beliefs and secrets: laws on databases, Bayes' rule, and what is refused."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import INFINITY
from twoworlds.worlds import BitStrings, Integers, Records
from twoworlds.worlds.belief import (
    Belief,
    Secret,
    explicit,
    hidden,
    independent,
    informed,
    mixture,
    secret,
    uniform,
)
from twoworlds.worlds.beliefs import belief

PAIR = BitStrings(2)
weights = st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any)


def held(masses: list[int]) -> Belief:
    total = sum(masses)
    return Belief(PAIR, {x: Fraction(m, total) for x, m in zip(PAIR, masses, strict=True)})


@given(weights, st.lists(st.fractions(0, 1), min_size=4, max_size=4))
def test_posterior_matches_bayes_by_enumeration(masses, likelihoods):
    prior = held(masses)
    row = dict(zip(PAIR, likelihoods, strict=True))
    total = sum(row[x] * prior[x] for x in PAIR)
    posterior = prior.given(row.__getitem__)
    if total == 0:
        assert posterior is None
    else:
        assert {x: posterior[x] for x in PAIR} == {x: row[x] * prior[x] / total for x in PAIR}


@given(weights, weights)
def test_difference_is_the_largest_over_all_events(a, b):
    p, q = held(a), held(b)
    points = list(PAIR)
    best = max(
        sum(p[x] - q[x] for x, member in zip(points, event, strict=True) if member)
        for event in product([True, False], repeat=4)
    )
    assert p.difference(q) == best == q.difference(p)


@given(weights)
def test_marginals_and_odds_come_from_the_same_law(masses):
    prior = held(masses)
    for person in (1, 2):
        law = prior.marginal(person)
        one = Secret.record(PAIR, person, 1)
        assert law[1] == prior.probability(one)
        assert sum(law.values()) == 1
        if law[0]:
            assert prior.odds(one) == law[1] / law[0]
        else:
            assert prior.odds(one) == INFINITY


def test_builders_give_the_laws_they_name():
    assert uniform(PAIR)["10"] == Fraction(1, 4)
    assert independent(PAIR, ["3/4", "1/3"])["10"] == Fraction(3, 4) * Fraction(2, 3)
    assert independent(BitStrings(3), ["1/2"])["111"] == Fraction(1, 8)
    three = Records(["a", "b", "c"], 1)
    assert independent(three, [{"a": "1/2", "c": "1/2"}])["c"] == Fraction(1, 2)
    assert hidden(PAIR, {"9/10": "1/2", "1/10": "1/2"})["11"] == Fraction(41, 100)
    known = informed(BitStrings(40), "1" * 40, 40, "1/3")
    assert len(known) == 2
    assert known["1" * 39 + "0"] == Fraction(2, 3)
    both = mixture([uniform(PAIR), explicit(PAIR, {"11": 1})], ["1/2", "1/2"])
    assert both["11"] == Fraction(5, 8)


@pytest.mark.parametrize(
    ("text", "database", "expected"),
    [
        ("uniform", "11", Fraction(1, 4)),
        ("independent(3/4, 1/2)", "10", Fraction(3, 8)),
        ("independent(1/3)", "11", Fraction(1, 9)),
        ("explicit(11=1/2, 00=1/2)", "00", Fraction(1, 2)),
        ("informed(11, 2, 1/4)", "10", Fraction(3, 4)),
        ("hidden(9/10=1/2, 1/10=1/2)", "11", Fraction(41, 100)),
        ("mixture(uniform, explicit(11=1), weights=[1/4, 3/4])", "11", Fraction(13, 16)),
        ("mixture(uniform, explicit(11=1))", "11", Fraction(5, 8)),
    ],
)
def test_beliefs_are_typed_as_calls(text, database, expected):
    assert belief(text, PAIR)[database] == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("explicit(11=1/2)", "sums to 1/2 .0.5., it must sum to 1"),
        ("explicit(11=3/2, 00=-1/2)", "negative"),
        ("explicit(12=1)", "is not in bits"),
        ("explicit(11)", "needs a probability"),
        ("independent(0=1/3, 1=2/3)", "in brackets, such as independent"),
        ("independent(1/2, 1/2, 1/2)", "3 laws are given for 2 records: give one for all"),
        ("independent(5/4)", "between 0 and 1"),
        ("independent()", "at least one law"),
        ("independent([1=1/2])", "sums to 1/2"),
        ("informed(11, 3, 1/2)", "there are 2"),
        ("hidden()", "at least one possible parameter"),
        ("mixture(uniform, weights=[1/2])", "sums to 1/2"),
        ("mixture(uniform, weights=[1/2, 1/2])", "as many weights"),
        ("unifrom", "'uniform'"),
    ],
)
def test_a_bad_belief_says_why(text, said):
    with pytest.raises(InvalidInput, match=said):
        belief(text, PAIR)


def test_the_law_a_refusal_writes_is_read():
    of = Records((0, 1, 2), 4)
    with pytest.raises(InvalidInput) as refused:
        belief("independent(0=1/3, 1=1/3, 2=1/3)", of)
    assert belief(str(refused.value).split("such as ")[1], of)[0, 0, 1, 1] == Fraction(1, 16)
    with pytest.raises(InvalidInput, match=r"such as \[0=1/2, 1=1/2\]"):
        belief("independent(1/3)", of)


def test_a_belief_needs_a_listable_support():
    with pytest.raises(TooLarge, match="too many databases"):
        uniform(Integers())
    with pytest.raises(TooLarge, match="know more records"):
        independent(BitStrings(30), ["1/2"]).items()
    with pytest.raises(InvalidInput, match="no persons to speak of"):
        independent(Integers(0, 3), ["1/2"])


@pytest.mark.parametrize(
    ("text", "true_on"),
    [
        ("parity", {"10", "01"}),
        ("odd", {"10", "01"}),
        ("even", {"11", "00"}),
        ("1=1", {"11", "10"}),
        ("record 2=0", {"10", "00"}),
        ("11, 00", {"11", "00"}),
    ],
)
def test_secrets_are_read_from_text(text, true_on):
    asked = secret(text, PAIR)
    assert {PAIR.label(x) for x in PAIR if asked.holds(x)} == true_on
    assert {PAIR.label(x) for x in PAIR if asked.opposite().holds(x)} == {
        PAIR.label(x) for x in PAIR
    } - true_on


@pytest.mark.parametrize("text", ["3=1", "1=7", "colour", "", "111"])
def test_a_bad_secret_says_why(text):
    with pytest.raises(InvalidInput):
        secret(text, PAIR)
