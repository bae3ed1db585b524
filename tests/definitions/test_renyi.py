"""Renyi and concentrated differential privacy: brute force, closed forms, claims and refusals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.laws import divergences as plain
from twoworlds.definitions.accountants import (
    ConcentratedDifferentialPrivacy,
    RenyiDifferentialPrivacy,
)
from twoworlds.definitions.words import Subject
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.numbers import INFINITY, Order, bounds, compare, ln
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import dense_mechanisms, universes

SURVEY = "randomized-response(bits=2, keep=3/4)"


def asked(text, order, **beside):
    return tw.measure(text, definition=f"rdp(order={order})", **beside)


@given(st.data(), st.fractions(Fraction(9, 8), 6, max_denominator=8))
def test_it_is_the_largest_divergence_of_any_neighbours(data, order):
    universe, relation = data.draw(universes())
    group = data.draw(st.integers(1, 2))
    mechanism = data.draw(dense_mechanisms(universe))
    wanted = max(
        plain.divergence(brute.column(mechanism, x), brute.column(mechanism, y), order)
        for x, y in brute.pairs(universe, relation, group)
    )
    found = RenyiDifferentialPrivacy(order=order, neighbours=relation, group=group)
    assert float(found.tightest(mechanism).epsilon) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "order", "wanted"),
    [
        ("gaussian(sigma=2)", 2, Fraction(1, 4)),
        ("gaussian(sigma=2, bits=3)", 4, Fraction(1, 2)),
        (SURVEY, 2, ln(Fraction(7, 3))),
        ("randomized-response(bits=40, keep=3/4)", 2, ln(Fraction(7, 3))),
        ("geometric(ratio=3)", 2, ln(Fraction(7, 3))),
        ("discrete-gaussian(sigma2=2)", 3, Fraction(3, 4)),
        ("random-index(records=4, values=3)", 2, INFINITY),
        ("constant(bits=2)", 2, Fraction(0)),
    ],
)
def test_known_mechanisms_are_exact(text, order, wanted):
    assert compare(asked(text, order).epsilon, wanted) is Order.EQUAL


@pytest.mark.parametrize("times", [1, 7, 100])
def test_outputs_add_up(times):
    one = asked("laplace(epsilon=1/10)", 2).epsilon
    all_ = asked(f"compose(laplace(epsilon=1/10), times={times})", 2).epsilon
    assert float(all_) == pytest.approx(times * float(one), rel=1e-12)
    pair = asked("compose(laplace(epsilon=1/10), gaussian(sigma=2))", 2).epsilon
    assert float(pair) == pytest.approx(float(one) + 1 / 4, rel=1e-12)


def test_a_sample_is_as_private_as_its_worse_direction():
    found = asked("poisson-sample(gaussian(sigma=4), rate=1/100)", 8)
    forth = next(
        iter(tw.mechanism("poisson-sample(gaussian(sigma=4), rate=1/100)").family("add-remove"))
    )
    assert float(found.epsilon) == pytest.approx(float(forth.divergence(Fraction(8))), rel=1e-9)
    assert found.witness.data["databases"] == ["with", "without"]


def test_the_answers_of_a_strategy_are_added_up_cell_by_cell():
    one = asked("geometric(ratio=2, bits=2)", 2).epsilon
    batch = asked("batch(count(1), noise=geometric(ratio=2), universe=bits(2))", 2).epsilon
    assert compare(batch, one) is Order.EQUAL
    with pytest.raises(Unsupported, match="is not computed"):
        asked("batch(count(1), noise=laplace(scale=1), universe=bits(2))", 2)


def test_groups_and_neighbours_are_those_of_the_claim():
    assert asked("gaussian(sigma=2)", 2, group=3).epsilon == Fraction(9, 4)
    assert asked(SURVEY, 2, neighbours="11~00").epsilon == 2 * ln(Fraction(7, 3))
    assert tw.check(SURVEY, "rdp(order=2, epsilon=0.85, neighbours='11~10')").definition == (
        "rdp(order=2, epsilon=17/20, neighbours='11~10')"
    )


def test_a_refuted_claim_names_the_number_that_holds():
    verdict = tw.check("gaussian(sigma=2)", "rdp(order=2, epsilon=1/5)")
    assert verdict.holds is False
    assert verdict.notes == (
        "the claim allows 1/5 (0.2)",
        "holds with epsilon 1/4 (0.25) at this order",
    )
    assert "is 0.25, where the claim allows at most 0.2." in verdict.sentence
    assert tw.check("gaussian(sigma=2)", "rdp(order=2, epsilon=1/4)").holds
    leak = tw.check("random-index(records=4, values=3)", "rdp(order=2, epsilon=9)")
    assert leak.notes[-1] == "no epsilon is large enough at this order"


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: tw.measure(SURVEY, definition="rdp"), "give it, as in --definition"),
        (lambda: tw.check(SURVEY, "rdp(order=2)"), "no numbers to check: give order= and epsilon="),
        (lambda: tw.definition("rdp(order=1)"), "is a fraction above 1"),
        (lambda: tw.definition("rdp(order=1/2)"), "is a fraction above 1"),
        (lambda: tw.definition("rdp(order=ln 3)"), "is a fraction above 1"),
        (lambda: tw.definition("rdp(order=1e9)"), "at most 1000000"),
        (lambda: tw.definition("rdp(order=inf)"), "is the epsilon of dp: ask for dp"),
        (lambda: tw.definition("rdp(order=2, epsilon=-1)"), "epsilon is at least 0"),
    ],
)
def test_rejects_what_has_no_meaning_and_says_the_way_out(ask, message):
    with pytest.raises(InvalidInput, match=message):
        ask()


@pytest.mark.parametrize(
    ("text", "order", "message"),
    [
        ("poisson-sample(gaussian(sigma=2), rate=1/10)", "5/2", "whole orders from 2 to 1024"),
        ("fixed-sample(gaussian(sigma=2), size=1, of=10)", "2", "is not computed"),
    ],
)
def test_what_is_not_known_is_refused(text, order, message):
    with pytest.raises(Unsupported, match=message):
        asked(text, order)


def test_a_matrix_of_floats_is_refused_with_the_way_out():
    known = FloatMatrix(tw.BitStrings(1), tw.BitStrings(1), np.array([[0.7, 0.4], [0.3, 0.6]]))
    for definition in ("rdp(order=2)", "zcdp", "gdp"):
        with pytest.raises(Unsupported, match="write the matrix as fractions"):
            tw.measure(known, definition=definition)


def test_the_sentence_leaves_out_a_probability_that_is_no_bound():
    told = RenyiDifferentialPrivacy(order=Fraction(2)).means(Subject.of(1), ln(Fraction(200)))
    assert "by at most 200." in told
    assert "probability" not in told
    assert "says nothing about your record" in RenyiDifferentialPrivacy(order=Fraction(2)).means(
        Subject.of(1), Fraction(0)
    )
    listed = RenyiDifferentialPrivacy(order=Fraction(3, 2)).means(
        Subject.of(1, "explicit"), ln(Fraction(2))
    )
    assert "(as a mean of order 1/2), the output multiplies the odds of the true database" in listed


# --- all orders at once ---------------------------------------------------------------------------


ZCDP = ConcentratedDifferentialPrivacy()


def rho(text, **beside):
    return tw.measure(text, definition="zcdp", **beside).rho


@given(st.data())
def test_rho_is_the_largest_quotient_of_divergence_and_order_of_any_neighbours(data):
    universe, relation = data.draw(universes())
    mechanism = data.draw(dense_mechanisms(universe))
    wanted = max(
        plain.largest_rho(brute.column(mechanism, x), brute.column(mechanism, y))
        for x, y in brute.pairs(universe, relation, 1)
    )
    found = ConcentratedDifferentialPrivacy(neighbours=relation).tightest(mechanism).rho
    if wanted == math.inf:
        assert found == INFINITY
        return
    low, high = bounds(found)
    assert wanted <= float(high) + 1e-12
    assert high - low <= Fraction(1, 10**8) * (1 + high)


def test_groups_cost_the_square_for_gaussian_noise():
    assert rho("gaussian(sigma=2)", group=3) == Fraction(9, 8)


def test_the_witness_is_an_order_that_needs_it():
    rare = tw.Dense(
        tw.BitStrings(1), tw.Universe.of("ab"), [["1/100", "1/1000"], ["99/100", "999/1000"]]
    )
    found = ConcentratedDifferentialPrivacy().tightest(rare)
    order = Fraction(found.witness.data["order"]["exact"])
    assert order > 1
    assert float(found.witness.number) == pytest.approx(float(order) * float(found.rho), rel=1e-8)
    assert "times the order" in found.explain()


def test_a_limit_that_no_order_reaches_is_said_to_be_one():
    found = tw.measure("poisson-sample(gaussian(sigma=2), rate=1/10)", definition="zcdp")
    assert found.rho == Fraction(1, 8)
    assert "larger orders come nearer to rho" in found.explain()
    assert float(found.witness.number) / 16 < 1 / 8


def test_a_refuted_claim_names_the_rho_that_holds():
    verdict = tw.check("laplace(epsilon=1)", "zcdp(rho=1/8)")
    assert verdict.holds is False
    assert verdict.notes == ("the claim allows 1/8 (0.125)", "holds with rho e^(-1) (0.36788)")
    assert tw.check("gaussian(sigma=2)", "zcdp(rho=1/8)").holds
    leak = tw.check("random-index(records=4, values=3)", "zcdp(rho=9)")
    assert leak.notes[-1] == "no rho is large enough"


def test_rejects_a_rho_without_meaning():
    with pytest.raises(InvalidInput, match="no number to check: give rho="):
        tw.check("gaussian(sigma=2)", "zcdp")
    with pytest.raises(InvalidInput, match="rho is at least 0"):
        tw.definition("zcdp(rho=-1)")
    with pytest.raises(Unsupported, match="ask for rdp, with one order"):
        rho("skellam(1, 1)")


def test_the_sentence_compares_with_gaussian_noise_and_rounds_its_width_down():
    told = ZCDP.means(Subject.of(1), Fraction(1, 3))
    assert "is at least 1.224 times what the record can change" in told  # 1/sqrt(2/3) = 1.2247...
    assert "your presence" in ZCDP.means(Subject.of(1, "add-remove"), Fraction(1, 3))
    assert "the difference of two neighbours" in ZCDP.means(Subject.of(2), Fraction(1, 3))
    wide = ZCDP.means(Subject.of(1), Fraction(5))
    assert "probability" not in wide
    assert "says nothing" in ZCDP.means(Subject.of(1), Fraction(0))
