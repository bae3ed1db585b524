"""Gaussian differential privacy on mechanisms: every event by brute force, and exact cases."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.laws import divergences as plain
from twoworlds.definitions.accountants import GaussianDifferentialPrivacy, power_at
from twoworlds.definitions.words import Subject
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import INFINITY, bounds
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import dense_mechanisms, universes


def mu(text, **beside):
    return tw.measure(text, definition="gdp", **beside).mu


@given(st.data())
def test_it_is_that_of_the_best_event_between_any_neighbours(data):
    universe, relation = data.draw(universes())
    mechanism = data.draw(dense_mechanisms(universe))
    wanted = max(
        plain.largest_mu(brute.column(mechanism, x), brute.column(mechanism, y))
        for x, y in brute.pairs(universe, relation, 1)
    )
    found = GaussianDifferentialPrivacy(neighbours=relation).tightest(mechanism).mu
    assert (
        found == INFINITY
        if wanted == math.inf
        else math.isclose(float(found), wanted, rel_tol=1e-9, abs_tol=1e-12)
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("randomized-response(bits=2, keep=3/4)", 2 * plain.NORMAL.inv_cdf(0.75)),
        ("geometric(ratio=3)", 2 * plain.NORMAL.inv_cdf(0.75)),
    ],
)
def test_known_mechanisms(text, wanted):
    assert float(mu(text)) == pytest.approx(wanted, rel=1e-12)


def test_groups_add_up_for_gaussian_noise():
    assert mu("gaussian(sigma=2)", group=3) == Fraction(3, 2)


def test_the_witness_is_a_test_with_its_two_errors():
    found = tw.measure("randomized-response(bits=2, keep=3/4)", definition="gdp")
    shown = found.witness.data
    assert [p["exact"] for p in shown["probabilities"]] == ["3/4", "1/4"]
    assert "found with probability 3/4 (0.75), false alarms with 1/4 (0.25)" in found.explain()


def test_a_limit_that_no_test_reaches_is_said_to_be_one():
    found = tw.measure("poisson-sample(gaussian(sigma=2), rate=1/10)", definition="gdp")
    assert "rarer alarms come nearer to mu" in found.explain()
    assert 0 < float(found.witness.number) < 0.5


@pytest.mark.parametrize(
    "text", ["differenced-negative-binomial(p=1/2, r=2)", "compose(laplace(epsilon=1/2), times=9)"]
)
def test_the_test_that_is_shown_needs_no_more_than_mu(text):
    found = tw.measure(text, definition="gdp")
    low, high = bounds(found.mu)
    assert bounds(found.witness.number)[0] <= high
    assert float(found.witness.number) >= float(low) * 0.99


def test_a_refuted_claim_names_the_number_that_holds():
    verdict = tw.check("laplace(epsilon=1)", "gdp(mu=1)")
    assert verdict.holds is False
    assert verdict.notes == ("the claim allows 1", "holds with mu at most 1.03007")
    assert "shifted by at least 1.03 standard deviations" in verdict.sentence
    assert tw.check("gaussian(sigma=2)", "gdp(mu=1/2)").holds
    leak = tw.check("random-index(records=4, values=3)", "gdp(mu=9)")
    assert leak.notes[-1] == "no mu is large enough"
    assert "impossible in the other world" in leak.more[0]


def test_rejects_what_has_no_meaning_and_says_the_way_out():
    with pytest.raises(InvalidInput, match="no number to check: give mu="):
        tw.check("gaussian(sigma=2)", "gdp")
    with pytest.raises(InvalidInput, match="mu is at least 0"):
        tw.definition("gdp(mu=-1)")
    with pytest.raises(Unsupported, match="ask for the epsilon of dp"):
        mu("skellam(1, 1)")


def test_the_power_of_a_test_with_few_false_alarms():
    for shift in (0.5, 1.0, 3.0):
        wanted = plain.NORMAL.cdf(plain.NORMAL.inv_cdf(0.05) + shift)
        assert float(power_at(Fraction(shift))) == pytest.approx(wanted, rel=1e-12)
    assert power_at(Fraction(0)) == Fraction(1, 20)


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (Subject.of(1), "tell one value of your record from another better"),
        (Subject.of(1, "add-remove"), "tell whether you are in the data better"),
        (Subject.of(2), "tell one case of the records of 2 people from another better"),
        (Subject.of(1, "explicit"), "tell the true database from a listed neighbour better"),
    ],
)
def test_the_sentence_names_what_is_told_apart(subject, words):
    assert words in GaussianDifferentialPrivacy().means(subject, Fraction(2))
    assert "says nothing" in GaussianDifferentialPrivacy().means(subject, Fraction(0))
