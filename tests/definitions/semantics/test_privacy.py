"""Semantic privacy: the exact supremum over beliefs (Kasiviswanathan & Smith, Definition 2.1)."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions.semantics import brute
from twoworlds import Dense, check, measure, mechanism
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.semantics.local import LocalSemanticPrivacy
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.semantics.worst_swing import worst_swing
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import INFINITY, Order, bounds, compare
from twoworlds.testing.strategies import dense_mechanisms
from twoworlds.worlds import BitStrings, Explicit
from twoworlds.worlds.belief import Belief, explicit

PAIR = BitStrings(2)
PRIOR = explicit(PAIR, {"00": "1/2", "01": "1/4", "10": "1/8", "11": "1/8"})


@pytest.mark.parametrize(
    ("text", "swing", "value"),
    [
        ("noisy-parity(bits=2, keep=3/4)", 9, Fraction(1, 2)),
        ("truncated-geometric(ratio=2, bits=2)", 4, Fraction(1, 3)),
        ("truncated-geometric(ratio=2, bits=3)", 4, Fraction(1, 3)),
        ("geometric(ratio=2, bits=40)", 4, Fraction(1, 3)),
        ("geometric(ratio=2, bits=1)", 2, None),
        ("geometric(ratio=2)", 4, Fraction(1, 3)),
        ("geometric(ratio=3, sensitivity=2)", 9, Fraction(1, 2)),
        ("laplace(ratio=3)", 9, Fraction(1, 2)),
        ("randomized-response(bits=2, keep=3/4)", 3, None),
        ("randomized-response(bits=40, keep=9/10)", 9, Fraction(1, 2)),
        ("randomized-response(bits=2, keep=1/2)", 1, Fraction(0)),
        ("constant(bits=2)", 1, Fraction(0)),
        ("identity(bits=2)", INFINITY, Fraction(1)),
        ("random-index(records=3)", INFINITY, Fraction(1)),
        ("gaussian(sigma=1)", INFINITY, Fraction(1)),
        ("skellam(1, 1)", INFINITY, Fraction(1)),
        ("skellam(1, 1, bits=3)", INFINITY, Fraction(1)),
        ("discrete-gaussian(sigma=2, bits=3)", INFINITY, Fraction(1)),
    ],
)
def test_the_value_is_exact_by_structure(text, swing, value):
    verdict = SemanticPrivacy().tightest(mechanism(text))
    assert verdict.swing == swing
    if value is not None:
        assert verdict.epsilon == value
    assert verdict.witness is None or verdict.witness.verify()


def test_randomized_response_gives_the_hyperbolic_tangent_of_a_quarter_epsilon():
    low, high = bounds(
        measure("randomized-response(bits=2, keep=3/4)", definition="semantic").epsilon
    )
    assert abs(low - Fraction("0.267949192431122706")) < Fraction(1, 10**17)
    assert high - low < Fraction(1, 10**17)


@given(dense_mechanisms(PAIR), st.sampled_from([0, 1]))
def test_the_swing_is_the_largest_by_enumeration(dense, default):
    found = worst_swing(dense, default).ratio
    expected = brute.largest_swing(dense, dense.outputs, default)
    assert found == (INFINITY if expected is None else expected)


@given(dense_mechanisms(PAIR), st.integers(0, 10**6))
def test_no_random_belief_beats_the_supremum(dense, seed):
    value = SemanticPrivacy(default=0).tightest(dense).epsilon
    _, top = bounds(value)
    draw = random.Random(seed)
    for _ in range(5):
        masses = [draw.choice([0, 1, 1, 5, 50]) for _ in PAIR]
        if not any(masses):
            continue
        belief = Belief(
            PAIR, {x: Fraction(m, sum(masses)) for x, m in zip(PAIR, masses, strict=True)}
        )
        for t in dense.outputs:
            if sum(dense.probability(t, x) * p for x, p in belief.items()):
                assert play(dense, belief, t, default=0).worst <= top


@given(dense_mechanisms(PAIR))
def test_the_belief_shown_attains_the_supremum(dense):
    verdict = SemanticPrivacy(default=1).tightest(dense)
    if verdict.witness is not None:
        assert verdict.witness.verify()


def test_the_optimal_belief_of_noisy_parity_is_even_odds():
    witness = SemanticPrivacy().tightest(mechanism("noisy-parity(bits=2, keep=3/4)")).witness
    assert set(witness.belief.values()) == {Fraction(1, 2)}
    assert len(witness.belief) == 2


def test_the_curve_of_one_belief_is_exact_and_strict():
    clamped = mechanism("truncated-geometric(ratio=2, bits=2)")
    asked = LocalSemanticPrivacy(PRIOR, default=0)
    steps = asked.curve(clamped)
    assert steps[0].delta == 1
    for step in steps:
        assert asked.failure(clamped, step.epsilon) < step.delta
    assert asked.failure(clamped, steps[-1].epsilon) == 0
    failures = [asked.failure(clamped, x) for x in ("0", "3/50", "1/10", "3/20")]
    assert failures == [1, 1, 1, Fraction(25, 48)]


def test_local_claims_are_decided_from_text():
    text = "truncated-geometric(ratio=2, bits=2)"
    belief = "explicit(00=1/2, 01=1/4, 10=1/8, 11=1/8)"
    assert check(text, f"local-semantic({belief}, epsilon=3/20, delta=25/48)")
    assert not check(text, f"local-semantic({belief}, epsilon=3/20, delta=1/2)")
    with pytest.raises(InvalidInput, match="epsilon= and delta="):
        check(text, "local-semantic(uniform)")
    with pytest.raises(Unsupported, match="infinitely many outputs"):
        measure("discrete-gaussian(sigma=2, bits=2)", definition="local-semantic(uniform)")
    assert check("geometric(ratio=2, bits=2)", "local-semantic(uniform, epsilon=1/2)")


# --- witnesses of what is only approached, and of a difference of 1 -------------------------------


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        ("gaussian(sigma=4)", "0.4"),
        ("gaussian(sigma=4)", "0.999"),
        ("discrete-gaussian(sigma2=9)", "0.4"),
        ("gaussian(sigma=4, bits=3)", "0.4"),
        ("discrete-gaussian(sigma2=9, bits=3)", "0.9"),
        ("laplace(scale=1)", "0.1"),
    ],
)
def test_the_witness_differs_by_more_than_the_claim(text, epsilon):
    verdict = check(text, f"semantic(epsilon={epsilon})")
    assert verdict.holds is False
    assert "percentage points apart, more than the" in verdict.sentence
    name = "difference" if hasattr(verdict.witness, "difference") else "number"
    shown = getattr(verdict.witness, name)
    assert compare(shown, Fraction(epsilon)) is Order.GREATER
    assert not replace(verdict.witness, **{name: shown / 2}).verify()


def difference(built, witness, default=0):
    """Play both games; None where a posterior is undefined."""
    belief, i = dict(witness.belief), witness.person - 1
    real = brute.posterior(built, belief, witness.output)
    removed = brute.posterior(built, belief, witness.output, i, default)
    return None if None in (real, removed) else brute.distance(real, removed)


@pytest.mark.parametrize(
    "text", ["identity(bits=2)", "random-index(records=3)", "integer-noise([1/2, 1/2], bits=2)"]
)
def test_to_be_sure_leaves_the_other_game_undefined(text):
    built = mechanism(text)
    verdict = measure(built, definition="semantic")
    assert verdict.epsilon == 1
    assert verdict.witness.verify()
    default = built.universe.values[-1]
    assert difference(built, verdict.witness, default) in (None, 1)


def test_both_posteriors_may_exist_and_have_nothing_in_common():
    half, zero = Fraction(1, 2), Fraction(0)
    # Output a under 11, 10, 01, 00: without person 1 it is impossible at 11, and only then
    # possible at 10.
    rows = [[half, zero, zero, half], [half, 1, 1, half]]
    built = Dense(BitStrings(2), Explicit(("a", "b")), rows)
    verdict = measure(built, definition="semantic")
    assert verdict.epsilon == 1
    assert difference(built, verdict.witness) == 1


def test_a_supremum_that_is_only_approached_has_no_witness():
    half = Fraction(1, 2)
    built = Dense(BitStrings(1), Explicit(("a", "b")), [[0, half], [1, half]])  # columns 1, 0
    verdict = measure(built, definition="semantic")
    assert verdict.epsilon == 1
    assert verdict.witness is None
    assert "attained by none" in verdict.notes[0]
