"""The words for definitions that are not kinds of the theorems, against brute force."""

from fractions import Fraction
from itertools import product
from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import measure, mechanism
from twoworlds.errors import InvalidInput
from twoworlds.report.promises import read_promise as told


@given(st.lists(st.integers(1, 20), min_size=4, max_size=4), st.integers(1, 2**4 - 2))
def test_no_belief_and_no_question_move_odds_beyond_the_amplification(belief, chosen):
    """The promise of gamma-amplification, for every set of databases and every output."""
    survey = mechanism("randomized-response(bits=2, keep=3/4)")
    gamma = measure(survey, definition="gamma-amplification").gamma
    assert "by at most 9: 1% becomes at most 8.34%" in told("gamma-amplification(9)").sentences[0]
    assert gamma == 9
    for output in survey.outputs:
        before, after = [Fraction(0)] * 2, [Fraction(0)] * 2
        for i, x in enumerate(survey.universe):
            side = chosen >> i & 1
            before[side] += belief[i]
            after[side] += belief[i] * survey.probability(output, x)
        assert after[1] / after[0] <= gamma * before[1] / before[0]


def test_a_linear_constraint_bounds_odds_or_is_written_out():
    found = told("linear('2 x11 <= 3 x10; x00 + x01 <= 2 x10; x00 >= 0')")
    assert found.sentences == (
        "The answer multiplies the odds of database 11 against database 10 by at most 1.5.",
        "For every output x00 + x01 <= 2 x10, where x stands for its probability under that "
        "database.",
        "Nothing else is promised.",
    )
    assert "promises nothing" in told("linear('x00 >= 0')").sentences[0]
    many = "; ".join(f"x{i} <= {i} x0" for i in range(2, 20))
    assert told(f"linear('{many}')").sentences[-2] == "There are 6 such promises more."


@pytest.mark.parametrize("keep", [Fraction(3, 5), Fraction(3, 4), Fraction(99, 100)])
@pytest.mark.parametrize("prior", [Fraction(1, 10), Fraction(1, 2)])
def test_the_average_move_is_within_the_bound_of_the_information(keep, prior):
    mass = {o: sum(_joint(keep, prior, x, o) for x in (0, 1)) for o in (0, 1)}
    moved = sum(abs(_joint(keep, prior, 1, o) - prior * mass[o]) for o in (0, 1))
    nats = sum(
        float(_joint(keep, prior, x, o))
        * log(_joint(keep, prior, x, o) / (mass[o] * (prior if x else 1 - prior)))
        for x, o in product((0, 1), repeat=2)
    )
    assert float(moved) <= sqrt(nats / 2)


def _joint(keep, prior, x, o):
    return (prior if x else 1 - prior) * (keep if x == o else 1 - keep)


@pytest.mark.parametrize("text", ["gamma-amplification(inf)", "frapp(gamma=inf)"])
def test_an_infinite_factor_promises_nothing(text):
    assert told(text).sentences[0].startswith("It promises nothing")


@pytest.mark.parametrize("text", ["gamma-amplification", "frapp", "mutual-information"])
def test_a_definition_without_its_number_is_refused(text):
    with pytest.raises(InvalidInput, match="has no number to explain"):
        told(text)


@pytest.mark.parametrize("kind", ["informed", "semantic", "reality-oblivious"])
@pytest.mark.parametrize("keep", [Fraction(4, 5), Fraction(9, 10), Fraction(16, 17)])
def test_a_guess_follows_from_what_someone_who_knows_all_others_concludes(kind, keep):
    """One randomized answer attains it: the guess is right as often as the answer is true."""
    worst = measure(f"randomized-response(bits=1, keep={keep})", definition=kind).epsilon
    assert told(f"{kind}(epsilon={worst})").guess == keep


def test_a_small_difference_is_no_protection_where_a_record_is_published_at_random():
    """Of ten people one record is published: 11 guesses of 20 are right, and yet one is sure."""
    assert measure("random-index(10)", definition="statistical-difference").epsilon == Fraction(
        1, 10
    )
    said = told("statistical-difference(epsilon=1/10)").sentences[0]
    assert "55 right (50 without your data); with probability up to 0.1 the output gives it" in said
    assert said == told("dp(epsilon=0, delta=1/10)").sentences[0]


@pytest.mark.parametrize(
    "text",
    [
        "ddp(uniform, ratio=2)",
        "ddp(belief=uniform, side=known(1), simulator=coin, ratio=2)",
        "pufferfish(uniform, secrets=parity, ratio=2)",
        "reality-oblivious(belief=uniform, epsilon=1/10)",
    ],
)
def test_what_is_said_of_one_belief_is_not_said_of_all(text):
    said = told(text)
    assert "belief=uniform" in said.assumptions
    assert said.guess is None
    assert "Whatever someone believed" not in " ".join(said.sentences)


@pytest.mark.parametrize("kind", ["noiseless", "pufferfish", "inference-pufferfish"])
def test_a_large_ratio_is_not_called_hardly_any_change(kind):
    said = told(f"{kind}(ratio=1000)").sentences[0]
    assert "at most 100%" in said
    assert "hardly" not in said
