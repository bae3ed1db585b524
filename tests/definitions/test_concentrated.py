"""Zero-concentrated differential privacy: brute force over orders, and exact cases."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.laws import divergences as plain
from twoworlds.definitions.concentrated import ConcentratedDifferentialPrivacy, said
from twoworlds.definitions.words import Subject
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import INFINITY, Order, bounds, compare, exp, ln
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import dense_mechanisms, universes


def rho(text, **beside):
    return tw.measure(text, definition="zcdp", **beside).rho


@given(st.data())
def test_it_is_the_largest_quotient_of_divergence_and_order_of_any_neighbours(data):
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


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("gaussian(sigma=2)", Fraction(1, 8)),
        ("gaussian(sigma2=2)", Fraction(1, 4)),
        ("discrete-gaussian(sigma2=2)", Fraction(1, 4)),
        ("laplace(epsilon=1)", exp(Fraction(-1))),
        ("compose(gaussian(sigma=2), times=8)", Fraction(1)),
        ("poisson-sample(gaussian(sigma=2), rate=1/100)", Fraction(1, 8)),
    ],
)
def test_known_mechanisms_are_exact(text, wanted):
    assert compare(rho(text), wanted) is Order.EQUAL


@pytest.mark.parametrize("ratio", [2, 3, 19])
def test_randomized_response_has_epsilon_tanh_of_half_of_it(ratio):
    keep = Fraction(ratio, 1 + ratio)
    found = rho(f"randomized-response(bits=2, keep={keep})")
    wanted = ln(Fraction(ratio)) * Fraction(ratio - 1, ratio + 1)
    assert compare(found, wanted, limit=256) in (Order.EQUAL, Order.UNDECIDED)


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


def test_a_refuted_claim_names_the_number_that_holds():
    verdict = tw.check("laplace(epsilon=1)", "zcdp(rho=1/8)")
    assert verdict.holds is False
    assert verdict.notes == ("the claim allows 1/8 (0.125)", "holds with rho e^(-1) (0.36788)")
    assert tw.check("gaussian(sigma=2)", "zcdp(rho=1/8)").holds
    leak = tw.check("random-index(records=4, values=3)", "zcdp(rho=9)")
    assert leak.notes[-1] == "no rho is large enough"


def test_rejects_what_has_no_meaning_and_says_the_way_out():
    with pytest.raises(InvalidInput, match="no number to check: give rho="):
        tw.check("gaussian(sigma=2)", "zcdp")
    with pytest.raises(InvalidInput, match="rho is at least 0"):
        tw.definition("zcdp(rho=-1)")
    with pytest.raises(Unsupported, match="ask for rdp, with one order"):
        rho("skellam(1, 1)")


def test_the_sentence_compares_with_gaussian_noise_and_rounds_its_width_down():
    told = said(Subject.of(1), Fraction(1, 3))
    assert "is at least 1.224 times what the record can change" in told  # 1/sqrt(2/3) = 1.2247...
    assert "your presence" in said(Subject.of(1, "add-remove"), Fraction(1, 3))
    assert "the difference of two neighbours" in said(Subject.of(2), Fraction(1, 3))
    wide = said(Subject.of(1), Fraction(5))
    assert "probability" not in wide
    assert "says nothing" in said(Subject.of(1), Fraction(0))


@pytest.mark.parametrize("value", [Fraction(1, 50), Fraction(1, 8), Fraction(1), Fraction(3)])
def test_the_claim_about_rare_odds_is_true_of_gaussian_noise(value):
    """The loss of Gaussian noise is normal, with mean rho and variance 2 rho."""
    shift = (math.log(100) - float(value)) / math.sqrt(2 * float(value))
    truly = 1 - plain.NORMAL.cdf(shift)
    bound = math.exp(-((math.log(100) - float(value)) ** 2) / (4 * float(value)))
    assert truly <= bound
