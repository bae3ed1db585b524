"""Theorem 2.2 of Kasiviswanathan & Smith, and informed beliefs, against plain Bayes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theorems import brute
from twoworlds.numbers import above, below, exp
from twoworlds.theorems import THEOREMS, Guarantee, largest_power
from twoworlds.theorems.formulas import artanh, ratio_of_four_artanh, tanh_half, tanh_quarter

BITS = {(0,): brute.law([3, 1]), (1,): brute.law([1, 3])}


def parity(keep):
    """Randomized response on x1 xor x2: transcript 0 says even."""
    even, odd = (keep, 1 - keep), (1 - keep, keep)
    return {x: odd if sum(x) % 2 else even for x in product(range(2), repeat=2)}


@given(st.data(), brute.mechanisms())
def test_no_belief_moves_more_than_tanh_of_half_epsilon(data, mechanism):
    belief = data.draw(brute.beliefs(mechanism))
    stated = Guarantee("dp", {"ratio": brute.pure_ratio(mechanism), "delta": Fraction(0)})
    bound = stated.implies("semantic").best.epsilon
    for default in (0, 1):
        assert brute.largest_move(mechanism, belief, default) <= bound


@given(st.data(), brute.mechanisms(people=1, values=3))
def test_with_one_record_no_belief_moves_more_than_tanh_of_a_quarter(data, mechanism):
    belief = data.draw(brute.beliefs(mechanism))
    stated = Guarantee.of("dp", ratio=brute.pure_ratio(mechanism), records=1)
    bound = stated.implies("semantic").best.epsilon
    assert brute.largest_move(mechanism, belief) <= bound


@pytest.mark.parametrize("ratio", [Fraction(3), Fraction(9), Fraction(3, 2)])
def test_noisy_parity_attains_tanh_of_half_epsilon_for_both_transcripts(ratio):
    mechanism = parity(ratio / (1 + ratio))
    belief = {(1, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}
    assert brute.pure_ratio(mechanism) == ratio
    assert [brute.moved(mechanism, belief, t, 0, 0) for t in (0, 1)] == [tanh_half(ratio)] * 2


def test_one_bit_attains_tanh_of_a_quarter_of_epsilon():
    ratio = Fraction(9)
    mechanism = {(0,): (Fraction(1, 10), Fraction(9, 10)), (1,): (Fraction(9, 10), Fraction(1, 10))}
    belief = {(1,): Fraction(1, 4), (0,): Fraction(3, 4)}  # weight 1/(sqrt R + 1)
    assert brute.largest_move(mechanism, belief) == tanh_quarter(ratio) == Fraction(1, 2)


def test_removing_the_only_record_can_move_beliefs_by_tanh_of_half_epsilon():
    one = Guarantee.parse("dp(ratio=3, records=1, neighbours=add-remove)")
    assert one.implies("semantic").best.epsilon == Fraction(1, 2)
    nobody, laws = brute.law([3, 9]), {1: brute.law([9, 3]), 0: brute.law([1, 11])}
    for law in laws.values():
        assert all(p <= 3 * q and q <= 3 * p for p, q in zip(law, nobody, strict=True))
    belief = {1: Fraction(1, 4), 0: Fraction(3, 4)}  # also the posterior when the record is out
    after = brute.posterior(belief, lambda x: laws[x][0])
    assert brute.difference(belief, after) == Fraction(1, 2)


@given(st.data(), brute.mechanisms(people=1))
def test_semantic_privacy_gives_four_artanh(data, mechanism):
    # The exact semantic value of a bit is tanh(ln(R)/4), so the theorem returns R.
    ratio = brute.pure_ratio(mechanism)
    semantic = tanh_quarter(ratio)
    back = Guarantee("semantic", {"epsilon": semantic, "delta": Fraction(0)}).implies("dp").best
    assert abs(float(back.ratio) - float(ratio)) < 1e-9 * float(ratio)


def test_a_tenth_of_semantic_privacy_is_worth_0_4013_of_epsilon():
    found = Guarantee.parse("semantic(epsilon=0.1)").implies("dp")
    assert found.best.ratio == Fraction(121, 81)
    assert abs(below(found.best.epsilon) - 0.401341390924302) < 1e-12
    assert found.steps[-1].printed.epsilon == Fraction(6, 10)
    uniform = 2 * artanh(Fraction(2, 10))
    assert abs(above(uniform) - 0.405465108108164) < 1e-12


def test_the_printed_bound_stands_beside_the_tight_one():
    found = Guarantee.parse("dp(epsilon=0.1)").implies("semantic")
    assert str(found.best) == "semantic(epsilon=0.04995837496)"
    assert 0.0499583749 < below(found.best.epsilon) < above(found.best.epsilon) < 0.0499583750
    assert found.best.epsilon.formula == "(e^(1/10) - 1)/(e^(1/10) + 1)"
    assert found.steps[-1].printed.epsilon.formula == "e^(1/10) - 1"


@given(st.fractions(Fraction(1, 100), Fraction(49, 100), max_denominator=100))
def test_erratum_equation_6_is_false_everywhere(e):
    # Printed: (1/2 + e)/(1/2 - e) <= e^(3e). True value: e^(2 artanh 2e) > e^(4e).
    odds = (Fraction(1, 2) + e) / (Fraction(1, 2) - e)
    assert odds > exp(4 * e) > exp(3 * e)


@given(st.fractions(Fraction(1, 1000), Fraction(9, 40), max_denominator=1000))
def test_the_statement_of_theorem_2_2_is_true_all_the_same(s):
    assert ratio_of_four_artanh(s) < exp(6 * s)
    odds = (Fraction(1, 2) + s) / (Fraction(1, 2) - s)
    assert odds < exp(6 * s)


@given(st.data(), brute.mechanisms(people=2, values=2))
def test_informed_beliefs_move_by_at_most_tanh_of_a_quarter(data, mechanism):
    known = data.draw(st.sampled_from([0, 1]))
    weight = data.draw(st.fractions(0, 1, max_denominator=12))
    belief = {(0, known): weight, (1, known): 1 - weight}
    stated = Guarantee("dp", {"ratio": brute.pure_ratio(mechanism), "delta": Fraction(0)})
    bound = stated.implies("informed").best.epsilon
    for t in range(3):
        after = brute.posterior(belief, lambda x, t=t: mechanism[x][t])
        assert brute.difference(belief, after) <= bound


def test_informed_privacy_and_differential_privacy_are_equivalent():
    found = Guarantee.parse("informed(epsilon=1/2)").implies("dp").best
    assert found.ratio == 9
    assert found.implies("informed").best.epsilon == Fraction(1, 2)
    assert Guarantee.parse("semantic(epsilon=1/2)").implies("informed").best.epsilon == Fraction(
        1, 2
    )


def test_erratum_the_printed_informed_condition_is_empty():
    # SD(b, b_i) = 0: in Game i nothing is learned about the only unknown record.
    belief = {(0,): Fraction(1, 3), (1,): Fraction(2, 3)}
    for t in (0, 1):
        game = brute.posterior(belief, lambda x, t=t: BITS[(0,)][t])
        assert game == belief
    assert "Game i" in THEOREMS["ks-informed"].erratum


def test_pure_privacy_does_not_depend_on_the_true_database():
    found = Guarantee.parse("dp(ratio=3)").implies("reality-oblivious")
    assert found.best.epsilon == Fraction(1, 2)
    assert found.best.implies("semantic").best.epsilon == Fraction(1, 2)


def test_infinite_epsilon_implies_nothing():
    found = Guarantee.parse("dp(epsilon=inf)").implies("semantic", records=3)
    assert found.conclusions == ()


# --- Equations 4 and 5 of Kasiviswanathan & Smith: the power of tests, against every event -------


RATIOS = st.fractions(1, 6, max_denominator=12)
LEVELS = st.fractions(0, 1, max_denominator=20)


def best_power(p, q, level):
    """The power of the best randomized test: reject events of the second law first (exact)."""
    order = sorted(range(len(p)), key=lambda i: (p[i] != 0, p[i] / q[i] if q[i] else 10**9))
    spent, power = Fraction(0), Fraction(0)
    for i in order:
        if p[i] == 0:
            power += q[i]
            continue
        share = min(Fraction(1), (level - spent) / p[i])
        spent, power = spent + share * p[i], power + share * q[i]
    return power


@given(brute.laws(4), brute.laws(4), RATIOS, LEVELS)
def test_no_test_has_more_power(p, q, ratio, level):
    delta = max(brute.excess(p, q, ratio), brute.excess(q, p, ratio))
    assert best_power(p, q, level) <= largest_power(ratio, delta, level)
    difference = brute.excess(p, q, Fraction(1))
    assert best_power(p, q, level) <= level + difference


@given(RATIOS, st.fractions(0, 1, max_denominator=20), LEVELS)
def test_the_largest_power_is_attained(ratio, delta, level):
    v = (1 - delta) / (ratio + 1)
    p, q = (Fraction(0), v, ratio * v, delta), (delta, ratio * v, v, Fraction(0))
    assert best_power(p, q, level) == largest_power(ratio, delta, level)


def test_every_event_of_two_bits_obeys_equation_4():
    p, q = brute.law([9, 3, 3, 1]), brute.law([3, 1, 9, 3])
    for chosen in product((0, 1), repeat=4):
        level, power = (sum(x for x, c in zip(law, chosen, strict=True) if c) for law in (p, q))
        assert power <= 3 * level


def test_equation_4_with_its_printed_and_its_tight_form():
    found = Guarantee.parse("dp(ratio=3)").implies("power", level="1/2")
    assert found.best["power"] == Fraction(5, 6)
    assert found.steps[-1].printed["power"] == 1
    low = Guarantee.parse("dp(ratio=3, delta=0.01)").implies("power", level="0.05")
    assert low.best["power"] == Fraction(16, 100)


def test_equation_5_says_little():
    # A mechanism that publishes a random record in the clear passes it, too.
    found = Guarantee.parse("statistical-difference(epsilon=0.01)").implies("power", level="0.05")
    assert found.best["power"] == Fraction(6, 100)
    claim = Guarantee.parse("statistical-difference(epsilon=0.01)").implies("semantic")
    assert claim.holds is False
