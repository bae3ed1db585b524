"""Independent records, each treated on its own, against beliefs that are written out."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.definitions.semantics import brute
from twoworlds import mechanism
from twoworlds.definitions.semantics.games import conclusions, play
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.worlds import BitStrings, Records
from twoworlds.worlds.belief import Belief, explicit, hidden, independent, secret, uniform

SURVEYS = [
    "randomized-response(bits=3, keep=3/4)",
    "pram([[1/2, 1/4, 0], [1/2, 1/2, 1/3], [0, 1/4, 2/3]], records=2)",
    "identity(bits=2)",
]
weights = st.lists(st.integers(0, 3), min_size=3, max_size=3)


def law(values, numbers):
    kept = numbers[: len(values)]
    total = sum(kept)
    return {v: Fraction(k, total) for v, k in zip(values, kept, strict=True)} if total else None


@st.composite
def surveys(draw):
    survey = mechanism(draw(st.sampled_from(SURVEYS)))
    records = survey.universe
    laws = []
    for _ in range(records.n):
        laws.append(draw(weights.map(lambda w: law(records.values, w)).filter(bool)))
    return survey, laws


def written_out(records, laws):
    masses = {
        x: prod(
            (one.get(v, Fraction(0)) for one, v in zip(laws, x, strict=True)), start=Fraction(1)
        )
        for x in product(records.values, repeat=records.n)
    }
    return Belief(records, masses)


def possible(law):
    return None if law is None else {x: p for x, p in law.items() if p}


@given(surveys())
@settings(max_examples=12)
def test_games_match_bayes_by_enumeration(case):
    survey, laws = case
    plain = written_out(survey.universe, laws)
    d = survey.universe.values[-1]
    for t in survey.outputs:
        real = possible(brute.posterior(survey, plain, t))
        if real is None:
            with pytest.raises(InvalidInput, match="cannot occur"):
                play(survey, plain, t)
            continue
        games = play(survey, plain, t)
        assert dict(games.with_everyone.items()) == real
        assert games.moved == brute.distance(dict(plain.items()), real)
        for i, found in enumerate(games.without):
            removed = possible(brute.posterior(survey, plain, t, i, d))
            assert (None if found is None else dict(found.items())) == removed
            gap = games.differences[i]
            assert gap is None if removed is None else gap == brute.distance(real, removed)
        one = secret(f"1={survey.universe.values[0]}", survey.universe)
        expected = sum((p for x, p in real.items() if one.holds(x)), start=Fraction(0))
        assert games.chances(one)["game 0"] == expected


@given(surveys())
def test_a_product_reads_like_the_belief_it_stands_for(case):
    survey, laws = case
    kept = [{v: p for v, p in one.items() if p} for one in laws]
    held = Belief.of_records(survey.universe, [(Fraction(1), kept)])
    plain = written_out(survey.universe, laws)
    assert held == plain
    assert len(held) == len(plain)
    assert all(held[x] == p for x, p in plain.items())
    for person in range(1, survey.universe.n + 1):
        assert held.marginal(person) == plain.marginal(person)


def test_products_are_recognised_and_nothing_else():
    bits = BitStrings(2)
    assert uniform(bits).laws is not None
    plain = Belief(bits, independent(bits, ["1/3", "1/5"]))
    assert plain.laws == independent(bits, ["1/3", "1/5"]).laws
    tied = explicit(bits, {"11": "1/2", "00": "1/2"})
    assert tied.laws is None
    leaning = explicit(bits, {"11": "2/5", "10": "1/10", "01": "1/10", "00": "2/5"})
    assert leaning.laws is None
    assert hidden(bits, {"9/10": "1/2", "1/10": "1/2"}).laws is None
    three = Records(("a", "b"), 3)
    known = explicit(three, {"aaa": "1/4", "aba": "3/4"})
    assert known.laws[1] == {"a": Fraction(1, 4), "b": Fraction(3, 4)}


def test_irrational_likelihoods_stay_products():
    survey = mechanism("randomized-response(bits=40, epsilon=1)")
    held = uniform(survey.universe)
    real, without = conclusions(survey, held, (1,) * 40, 7)
    difference = real.difference(without)
    assert float(difference) == pytest.approx(2.718281828459045 / 3.718281828459045 - 0.5)


def test_a_posterior_about_fourteen_people():
    survey = mechanism("randomized-response(bits=14, keep=3/4)")
    games = play(survey, uniform(survey.universe), "1" * 14)
    assert set(games.differences) == {Fraction(1, 4)}
    chances = games.chances(secret("1=1", survey.universe))
    assert (chances["game 0"], chances["game 1"]) == (Fraction(3, 4), Fraction(1, 2))
    # Of the prior 2^-14 each, the posterior favours databases with at least 12 ones or so.
    favoured = sum(
        max(Fraction(0), Fraction(3 ** sum(x), 4**14) - Fraction(1, 2**14))
        for x in product((0, 1), repeat=14)
    )
    assert games.moved == favoured


def test_forty_records_refuse_to_be_written_out():
    held = uniform(BitStrings(40))
    with pytest.raises(TooLarge, match="ask about single records"):
        held.items()
    with pytest.raises(TooLarge):
        held.probability(secret("1" * 40, BitStrings(40)))
    assert held.probability(secret("parity", BitStrings(40))) == Fraction(1, 2)
