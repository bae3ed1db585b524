"""Statistical difference against brute force, and why it protects nobody."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import StatisticalDifference
from twoworlds.errors import InvalidInput
from twoworlds.numbers import above
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import dense_mechanisms, probabilities, ratios, universes


@given(st.data(), probabilities())
def test_it_is_the_largest_change_of_any_event_on_any_neighbours(data, allowed):
    universe, relation = data.draw(universes())
    group = data.draw(st.integers(1, 3))
    mechanism = data.draw(dense_mechanisms(universe))
    pairs = brute.pairs(universe, relation, group)
    wanted = brute.worst(mechanism, pairs, brute.largest_difference)
    verdict = StatisticalDifference(neighbours=relation, group=group).tightest(mechanism)
    assert verdict.epsilon == wanted
    assert verdict.witness.excess(Fraction(1)) == wanted
    claim = StatisticalDifference(epsilon=allowed, neighbours=relation, group=group)
    assert bool(claim.check(mechanism)) == (wanted <= allowed)


@given(dense_mechanisms(), ratios())
def test_erratum_dp_implies_the_tight_statistical_difference(mechanism, ratio):
    # Kasiviswanathan & Smith, Lemma 3.3(5) prints delta + e^epsilon - 1; the tight value is
    # (e^epsilon - 1 + 2 delta) / (e^epsilon + 1).
    delta = tw.measure(mechanism, ratio=ratio).delta
    found = tw.measure(mechanism, definition="statistical-difference").epsilon
    tight = (ratio - 1 + 2 * delta) / (ratio + 1)
    assert found <= tight <= delta + ratio - 1


@pytest.mark.parametrize("n", [1, 4, 1000])
def test_it_does_not_see_that_somebody_is_exposed(n):
    # Kasiviswanathan & Smith, Remark 1.
    verdict = tw.measure(f"random-index(records={n})", definition="statistical-difference")
    assert verdict.epsilon == Fraction(1, n)
    assert any("impossible in the other world" in note for note in verdict.notes)
    said = "is possible in one world only" if n > 1 else "Nothing is promised"
    assert said in verdict.explain()


def test_a_mechanism_that_exposes_nobody_gets_no_such_note():
    verdict = tw.measure(
        "randomized-response(bits=2, keep=3/4)", definition="statistical-difference"
    )
    assert (verdict.epsilon, verdict.notes) == (Fraction(1, 2), ())


def test_rejects_what_is_no_probability():
    with pytest.raises(InvalidInput, match="out of range"):
        tw.definition("statistical-difference(epsilon=1.5)")
    with pytest.raises(InvalidInput, match="has no number to check"):
        tw.check("parity(bits=2)", "statistical-difference")


def test_what_no_difference_exceeds_holds_of_every_mechanism():
    verdict = tw.check("gaussian(sigma=1e-9)", "statistical-difference(epsilon=1)")
    assert verdict.holds is True
    assert above(verdict.epsilon) == 1
    assert "Nothing is promised" in verdict.sentence


def test_a_refuted_claim_leads_with_what_happens():
    survey = "randomized-response(bits=3, keep=3/4)"
    verdict = tw.check(survey, "statistical-difference(epsilon=0.4)")
    assert verdict.sentence.startswith("An event becomes 50 percentage points likelier")
    assert verdict.sentence.endswith("more than the 40 claimed.")
