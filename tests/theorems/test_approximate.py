"""Theorem 2.4(1) of Kasiviswanathan & Smith, its sharper form, and the case of one bit."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.theorems import brute
from twoworlds.errors import InvalidInput
from twoworlds.numbers import above, below, bounds, exp
from twoworlds.theorems import (
    THEOREMS,
    Context,
    Guarantee,
    one_bit_failure,
    one_bit_worst,
    sharper_semantic,
)
from twoworlds.theorems.formulas import tanh_half, tanh_quarter

RATIOS = st.fractions(1, Fraction(5, 4), max_denominator=60)


@given(
    st.data(),
    brute.leaky_mechanisms(),
    RATIOS,
    st.fractions(Fraction(1, 50), 1, max_denominator=50),
)
def test_the_sharper_form_holds_for_every_tau(data, mechanism, ratio, tau):
    belief = data.draw(brute.beliefs(mechanism))
    delta = brute.delta_of(mechanism, ratio)
    distance = tanh_half(ratio) + tau
    bound = sharper_semantic(ratio, delta, 2, epsilon=distance)[1]
    for default in (0, 1):
        assert brute.failure(mechanism, belief, distance, default) <= bound


@given(st.data(), brute.leaky_mechanisms(), RATIOS)
def test_the_main_theorem_holds_where_its_condition_does(data, mechanism, ratio):
    belief = data.draw(brute.beliefs(mechanism))
    stated = Guarantee.of("dp", ratio=ratio, delta=brute.delta_of(mechanism, ratio), records=2)
    outcome = THEOREMS["ks-2.4-1"].apply(stated, Context("semantic"))[0]
    assume(outcome.conclusion is not None)
    for found in (outcome.conclusion, outcome.application.printed):
        assert brute.failure(mechanism, belief, found.epsilon) <= found.delta


def test_both_forms_are_given_with_their_conditions_checked():
    found = Guarantee.parse("dp(epsilon=0.1, delta=1e-9)").implies("semantic", records=1000)
    assert found.steps[-1].theorem.name == "s4"
    assert abs(above(found.best.epsilon) - (0.0499583749579 + 0.001762149516)) < 1e-11
    assert abs(above(found.best.delta) - 0.001762149516) < 1e-11
    main = next(o for o in found.tried if o.application.theorem.name == "ks-2.4-1")
    assert main.application.printed.delta == Fraction(4, 1000)
    assert main.conclusion.delta == Fraction(24, 10_000)
    assert main.application.printed.epsilon.formula == "e^(3/10) - 1 + 1/500"
    texts = [check.text for check in main.application.checks]
    assert "delta < epsilon^2/n: 1/1000000000 is below 1/100000" in texts


def test_a_failed_condition_is_named_with_the_value_that_fails():
    found = Guarantee.parse("dp(epsilon=0.1, delta=0.01)").implies("semantic", records=1000)
    main = next(o for o in found.tried if o.application.theorem.name == "ks-2.4-1")
    assert main.conclusion is None
    assert main.application.failure == "needs delta < epsilon^2/n: 1/100 is not below 1/100000"
    with pytest.raises(InvalidInput, match="1/100 is not below 1/100000"):
        THEOREMS["ks-2.4-1"].conclude(Guarantee.parse("dp(epsilon=0.1, delta=0.01, records=1000)"))


@pytest.mark.parametrize("wanted", [{"delta": "1e-4"}, {"epsilon": "0.06"}, {}])
def test_tau_is_chosen_for_what_is_wanted(wanted):
    stated = Guarantee.parse("dp(epsilon=0.1, delta=1e-9, records=1000)")
    found = stated.implies("semantic", **wanted)
    best, a = found.best, stated.ratio
    if wanted:
        ((name, value),) = wanted.items()
        assert best[name] == Fraction(value)
        assert found.holds
    product = Fraction(1, 10**6) * (2 + a)
    tau = best.epsilon - tanh_half(a)
    assert abs(float(tau * best.delta) - float(product)) < 1e-15


def test_an_epsilon_below_tanh_is_refused_by_name():
    stated = Guarantee.parse("dp(epsilon=0.1, delta=1e-9, records=9)")
    context = Context("semantic", {"epsilon": Fraction(1, 100)})
    outcome = THEOREMS["s4"].apply(stated, context)[0]
    assert "needs tanh(epsilon/2) < the wanted epsilon" in outcome.application.failure
    claim = stated.implies("semantic", epsilon="0.01", delta="0.1")
    assert claim.holds is False  # by the noisy parity


@given(st.fractions(Fraction(1, 100), Fraction(1, 5), max_denominator=100), st.integers(1, 1000))
def test_the_sharper_form_beats_the_printed_one_wherever_that_applies(epsilon, records):
    delta = epsilon**2 / records / 2
    stated = Guarantee.of("dp", epsilon=epsilon, delta=delta, records=records)
    best = stated.implies("semantic").best
    printed = THEOREMS["ks-2.4-1"].printed_rule(stated, Context("semantic"))
    assert best.at_least_as_strong_as(printed)


def test_the_repaired_constant_is_at_most_2_4():
    # epsilon/(1 - e^-epsilon) + e^epsilon rises; beyond ln(2)/3 the first number is at least 1.
    for epsilon in (Fraction(1, 100), Fraction(1, 10), Fraction(2310491, 10**7)):
        a = exp(epsilon)
        assert epsilon / (1 - 1 / a) + a < Fraction(12, 5)
    assert exp(3 * Fraction(2310491, 10**7)) > 2


def test_linear_in_n_delta_is_necessary():
    # Publish (J, x_J) with probability n delta: failure n delta at every epsilon below 1.
    delta, n = Fraction(1, 100), 2
    mechanism = {}
    for x in ((0, 0), (0, 1), (1, 0), (1, 1)):
        shown = [delta * (x[i] == v) for i in range(n) for v in (0, 1)]
        mechanism[x] = (*shown, 1 - n * delta)
    assert brute.delta_of(mechanism, Fraction(100)) == delta
    assert brute.failure(mechanism, {(1, 1): Fraction(1)}, Fraction(99, 100)) == n * delta
    found = Guarantee.parse("dp(ratio=100, delta=0.01, records=2)").implies(
        "semantic(epsilon=0.99, delta=0.019)"
    )
    assert found.holds is False


# --- one bit --------------------------------------------------------------------------------------


@given(
    st.data(),
    brute.mechanisms(people=1, transcripts=4, least=0),
    st.fractions(1, 4, max_denominator=12),
)
def test_one_bit_no_belief_fails_more_often_than_the_exact_formula(data, mechanism, ratio):
    delta = brute.delta_of(mechanism, ratio)
    weight = data.draw(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))
    s = data.draw(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))
    assume(s > tanh_quarter(ratio) + Fraction(1, 50))
    found = brute.failure(mechanism, {(1,): weight, (0,): 1 - weight}, s)
    assert found <= delta * one_bit_failure(ratio, s, weight)
    assert found <= delta * one_bit_worst(ratio, s)


def test_one_bit_the_formula_is_attained():
    # Bad cells of ratio just above rho on both sides; the rest is balanced.
    a, s, w, delta = Fraction(2), Fraction(1, 4), Fraction(1, 2), Fraction(1, 1000)
    rho = 1 + s / (w * (1 - w - s)) + Fraction(1, 10**6)
    cell = delta / (rho - a)
    rest = 1 - cell * (1 + rho)
    mechanism = {(1,): (rho * cell, cell, rest), (0,): (cell, rho * cell, rest)}
    assert brute.delta_of(mechanism, a) == delta
    found = brute.failure(mechanism, {(1,): w, (0,): 1 - w}, s)
    assert found > delta * one_bit_failure(a, s, w) * Fraction(9999, 10_000)


def test_reference_numbers_of_one_bit():
    a, s = exp(Fraction(1, 5)), Fraction(1, 5)
    assert abs(above(one_bit_failure(a, s, Fraction(1, 2))) - 2.99778907762674) < 1e-13
    worst = one_bit_worst(a, s)
    assert 2.997789 < below(worst) <= above(worst) < 2.9977891
    found = Guarantee.parse("dp(epsilon=0.2, delta=1e-6)").implies(
        "semantic", records=1, values=2, epsilon="0.2"
    )
    assert found.steps[-1].theorem.name == "s4-one-bit"
    assert abs(above(found.best.delta) - 2.99778907762674e-6) < 1e-10


@given(
    st.fractions(1, 9, max_denominator=6),
    st.fractions(Fraction(1, 24), Fraction(23, 24), max_denominator=24),
)
def test_one_bit_the_enclosure_of_the_worst_belief_is_narrow_and_right(ratio, s):
    assume(s > tanh_quarter(ratio) + Fraction(1, 50))
    low, high = bounds(one_bit_worst(ratio, s))
    grid = max(one_bit_failure(ratio, s, Fraction(k, 200)) for k in range(1, 200))
    assert grid <= high
    assert high - low <= high / 10**8


def test_one_bit_near_the_limit_the_worst_belief_is_not_even():
    ratio = Fraction(3)
    s = Fraction(27, 100)
    assert one_bit_failure(ratio, s, Fraction(1, 2)) < below(one_bit_worst(ratio, s)) / 2


def test_one_bit_nothing_holds_up_to_tanh_of_a_quarter():
    with pytest.raises(InvalidInput, match="must lie above tanh"):
        one_bit_worst(Fraction(9), Fraction(1, 2))
    stated = Guarantee.parse("dp(ratio=9, delta=0.001, records=1)")
    context = Context("semantic", {"epsilon": Fraction(1, 2)}, values=2)
    failure = THEOREMS["s4-one-bit"].apply(stated, context)[0].application.failure
    assert failure == "needs tanh(epsilon/4) < the wanted epsilon: 1/2 is not below 1/2"
