"""Semantic privacy against one belief, against all games played by enumeration."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.definitions.semantics import brute
from twoworlds import Dense, check, mechanism
from twoworlds.definitions.semantics.local import LocalSemanticPrivacy
from twoworlds.definitions.semantics.oblivious import RealityObliviousPrivacy
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms import AddedNoise, OnStatistic
from twoworlds.testing.strategies import dense_mechanisms
from twoworlds.worlds import BitStrings
from twoworlds.worlds.beliefs import belief


def played(survey, held):
    """Every possible output, as its largest difference and its probability."""
    default = survey.universe.values[-1]
    found = [
        (apart, sum(p * survey.probability(t, x) for x, p in held.items()))
        for t, apart in brute.played(survey, dict(held.items()), default)
    ]
    return [(apart, mass) for apart, mass in found if mass]


TEXTS = [
    "randomized-response(bits=3, keep=3/4)",
    "pram([[1/2, 1/4, 0], [1/2, 1/2, 1/3], [0, 1/4, 2/3]], records=2)",
    "identity(bits=2)",
    "truncated-geometric(ratio=2, bits=3)",
    "noisy-parity(bits=3, keep=3/4)",
]
limits = st.fractions(0, 1, max_denominator=20)


@pytest.mark.few(3)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("held", ["uniform", "hidden", "independent"])
@given(limit=limits)
@settings(max_examples=6)
def test_the_failure_is_that_of_all_games(text, held, limit):
    survey = mechanism(text)
    records = survey.universe
    if held != "uniform" and records.values != (1, 0):
        return
    text_of = {
        "uniform": "uniform",
        "hidden": "hidden(9/10=1/2, 1/10=1/2)",
        "independent": f"independent({', '.join(f'1/{k + 2}' for k in range(records.n))})",
    }[held]
    every = played(survey, belief(text_of, records))
    definition = LocalSemanticPrivacy(text_of)
    assert definition.failure(survey, limit) == sum(m for worst, m in every if worst > limit)
    assert definition.tightest(survey).epsilon == max(worst for worst, _ in every)
    heights = sorted({worst for worst, _ in every})
    assert [(s.epsilon, s.delta) for s in definition.curve(survey)] == [
        (h, sum(m for worst, m in every if worst >= h)) for h in heights
    ]


@given(dense_mechanisms(BitStrings(2)), limits)
def test_the_failure_of_any_matrix_is_that_of_all_games(dense, limit):
    held = belief("explicit(11=1/2, 10=1/3, 00=1/6)", dense.universe)
    every = played(dense, held)
    found = LocalSemanticPrivacy(held).failure(dense, limit)
    assert found == sum(m for worst, m in every if worst > limit)


def test_a_refuted_claim_shows_output_person_and_posteriors():
    verdict = check(
        "randomized-response(bits=3, keep=3/4)",
        "local-semantic(belief=uniform, epsilon=0.2, delta=0.1)",
    )
    assert verdict.holds is False
    facts = " ".join(fact for _, fact in verdict.witness.facts())
    assert "output 111, with and without person 1" in facts
    assert "record 1 is 1: probability 3/4 (0.75) with their data, 1/2 (0.5) without" in facts
    assert "the conclusions differ by 1/4 (0.25)" in facts
    assert verdict.sentence.endswith("with probability 1, more than the 0.1 claimed.")
    assert not replace(verdict.witness, person=2, output=(0, 0, 0), difference=Fraction(1)).verify()


def test_an_impossible_output_is_said_to_give_the_person_away():
    verdict = LocalSemanticPrivacy("uniform").tightest(mechanism("identity(bits=2)"))
    assert verdict.epsilon == 1
    assert "gives them away" in verdict.witness.explain()
    assert verdict.witness.to_dict()["default"] == "0"


def test_what_is_too_large_is_refused_with_a_way_out():
    with pytest.raises(TooLarge, match="uniform and independent cost nothing"):
        LocalSemanticPrivacy("hidden(9/10=1/2, 1/10=1/2)").tightest(
            mechanism("randomized-response(bits=11, keep=3/4)")
        )
    with pytest.raises(Unsupported, match="infinitely many outputs"):
        LocalSemanticPrivacy("uniform").tightest(mechanism("skellam(l1=1, l2=1, bits=2)"))


def test_geometric_noise_moves_a_belief_as_far_as_in_its_clamped_form():
    asked = LocalSemanticPrivacy("uniform")
    noise, clamped = (
        mechanism(f"{name}(ratio=2, bits=2)") for name in ("geometric", "truncated-geometric")
    )
    assert asked.curve(noise) == asked.curve(clamped)
    one_end, both_ends = (
        OnStatistic(
            noise.universe, noise.statistic, AddedNoise(noise.channel.noise, 1, high), expression=""
        )
        for high in (None, 20)
    )
    assert asked.curve(one_end) == asked.curve(both_ends) != asked.curve(noise)


def test_delta_alone_asks_for_the_smallest_difference_that_it_allows():
    survey = mechanism("randomized-response(bits=2, keep=3/4)")
    belief = "explicit(11=1/6, 00=5/6)"
    curve = LocalSemanticPrivacy(belief).curve(survey)
    for delta in (Fraction(k, 12) for k in range(13)):
        found = LocalSemanticPrivacy(belief, delta=delta).tightest(survey)
        assert found.delta <= delta
        assert LocalSemanticPrivacy(belief).failure(survey, found.epsilon) == found.delta
        smaller = [Fraction(0), *(step.epsilon for step in curve)]
        for epsilon in (e for e in smaller if e < found.epsilon):
            assert LocalSemanticPrivacy(belief).failure(survey, epsilon) > delta
        oblivious = RealityObliviousPrivacy(belief, delta=delta).tightest(survey)
        assert oblivious.delta <= delta
        assert RealityObliviousPrivacy(belief).failure(survey, oblivious.epsilon) == oblivious.delta


@pytest.mark.parametrize(
    "held", ["uniform", "hidden(9/10=1/3, 1/5=2/3)", "independent(1/2, 1/3, 1/4)"]
)
def test_shuffled_reports_are_those_of_all_databases_in_any_order(held):
    """Databases up to their order are enough, and say what the matrix of all of them says."""
    shuffled = mechanism("shuffle(randomized-response(bits=3, keep=3/4))")
    matrix = Dense.from_function(
        shuffled.universe, lambda x: {t: shuffled.probability(t, x) for t in shuffled.outputs}
    )
    asked = LocalSemanticPrivacy(held)
    assert asked.curve(shuffled) == asked.curve(matrix)
    assert asked.tightest(shuffled).witness.verify()


def test_too_many_shuffled_reports_are_refused_with_a_size_that_will_do():
    asked = LocalSemanticPrivacy("uniform", epsilon="1/5")
    with pytest.raises(TooLarge, match="use at most 80 people"):
        asked.tightest(mechanism("shuffle(randomized-response(bits=5000, keep=3/4))"))
    three = "shuffle(pram([[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/4, 1/4, 1/2]], records={}))"
    with pytest.raises(TooLarge, match="use at most 16 people"):
        asked.tightest(mechanism(three.format(40)))
