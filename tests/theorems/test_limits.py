"""What does not follow within one kind: the mechanisms that refute it, by brute force."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theorems import brute
from twoworlds.theorems import Guarantee, smaller_ratio_delta

SMALL = st.fractions(0, Fraction(9, 10), max_denominator=10)


def leaky_response(ratio, delta):
    """One bit, published with probability delta, else by randomized response."""
    v = (1 - delta) / (ratio + 1)
    return {(1,): (delta, ratio * v, v, 0), (0,): (0, v, ratio * v, delta)}


@given(
    st.fractions(1, 5, max_denominator=6),
    SMALL,
    st.fractions(1, 6, max_denominator=6),
    SMALL,
)
def test_a_claim_of_dp_follows_from_dp_or_randomized_response_refutes_it(a, delta, b, wanted):
    mechanism = leaky_response(a, delta)
    assert brute.delta_of(mechanism, a) == delta
    found = Guarantee.of("dp", ratio=a, delta=delta).implies("dp", ratio=b, delta=wanted)
    assert found.holds is (brute.delta_of(mechanism, b) <= wanted)
    if found.holds is False:
        (refutation,) = found.refutations
        assert refutation.facts["delta"] == brute.delta_of(mechanism, b)


@pytest.mark.parametrize(
    ("given_", "claim"),
    [
        ("dp(epsilon=0.2)", "dp(epsilon=0.1)"),
        ("dp(epsilon=0.2, delta=0.01)", "dp(epsilon=0.2, delta=0.001)"),
        ("dp(epsilon=0.2, group=3)", "dp(epsilon=0.1, group=3)"),
        ("dp(epsilon=0.2, neighbours=add-remove)", "dp(epsilon=0.1)"),
        ("dp(epsilon=inf)", "dp(epsilon=100, delta=0.9)"),
        ("statistical-difference(epsilon=0.2)", "statistical-difference(epsilon=0.1)"),
        ("semantic(epsilon=0.2)", "semantic(epsilon=0.1)"),
        ("semantic(epsilon=0.2)", "semantic(epsilon=0.1, delta=0.99)"),
    ],
)
def test_plainly_false_claims_are_refuted_with_a_mechanism(given_, claim):
    found = Guarantee.parse(given_).implies(claim)
    assert found.holds is False
    assert "does NOT imply" in found.explain()
    assert any(refutation.decisive for refutation in found.refutations)


@pytest.mark.parametrize(
    ("given_", "claim"),
    [
        ("dp(epsilon=0.2)", "dp(epsilon=0.2)"),
        ("dp(epsilon=0.2)", "dp(epsilon=0.3, delta=0.1)"),
        ("statistical-difference(epsilon=0.2)", "statistical-difference(epsilon=0.2)"),
        ("semantic(epsilon=0.2)", "semantic(epsilon=0.3)"),
    ],
)
def test_what_is_given_follows_and_nothing_refutes_it(given_, claim):
    found = Guarantee.parse(given_).implies(claim)
    assert found.holds is True
    assert found.refutations == ()


def test_a_kind_without_numbers_has_nothing_to_refute():
    assert Guarantee.parse("dp(epsilon=0.2)").implies("dp").refutations == ()


@given(st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10))
def test_the_noisy_parity_differs_by_s_whatever_it_answers(s):
    keep = (1 + s) / 2
    parity = {
        x: (keep, 1 - keep) if sum(x) % 2 else (1 - keep, keep) for x in product(range(2), repeat=2)
    }
    belief = {(1, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}
    assert brute.failure(parity, belief, s - Fraction(1, 1000)) == 1
    assert brute.largest_move(parity, belief) == s
    assert brute.pure_ratio(parity) == (1 + s) / (1 - s)  # so no belief moves by more than s


def test_the_answer_says_yes_to_the_claim_that_was_asked():
    def headline(given_, claim):
        return Guarantee.parse(given_).implies(claim).explain().splitlines()[0]

    assert headline("dp(epsilon=0.1)", "dp(epsilon=0.2)") == (
        "dp(epsilon=0.1) implies dp(epsilon=0.2); proved: dp(epsilon=0.1)"
    )
    assert headline("dp(ratio=3)", "semantic(epsilon=1/2)") == (
        "dp(ratio=3) implies semantic(epsilon=0.5)"
    )
    assert "implies power(level=0.1, power=0.5);" in headline(
        "informed(epsilon=0.2)", "power(level=0.1, power=0.5)"
    )
    assert headline("dp(epsilon=0.2)", "dp(epsilon=0.4, group=2)") == (
        "dp(epsilon=0.2) implies dp(epsilon=0.4, group=2)"
    )


def test_the_needed_delta_is_the_one_that_is_proved():
    assert brute.delta_of(leaky_response(3, Fraction(1, 10)), 2) == smaller_ratio_delta(
        Fraction(3), Fraction(1, 10), Fraction(2)
    )


def test_the_counterexample_of_remark_1_is_a_sentence():
    text = Guarantee.parse("statistical-difference(epsilon=1e-9)").implies("semantic").explain()
    assert "With n >= 1000000000 records its statistical difference, 1/n, is at most" in text
    few = Guarantee.parse("statistical-difference(epsilon=0.01, records=10)").implies("semantic")
    assert "with probability 1/10, publish (J, x_J)" in few.explain()
    many = Guarantee.parse("statistical-difference(epsilon=0.1, records=10)").implies("semantic")
    assert "out of 10. Its statistical difference is at most 1/10" in many.explain()
