"""Verdicts: what they claim, what they show, and what they refuse."""

import copy
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given

import twoworlds as tw
from twoworlds import BitStrings
from twoworlds.definitions import Witness
from twoworlds.errors import Undecided
from twoworlds.mechanisms import Listed
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.numbers import INFINITY
from twoworlds.testing.strategies import dense_mechanisms, ratios

SURVEY = tw.mechanism("randomized-response(bits=2, keep=3/4)")


def test_an_undecided_claim_is_no_truth_value():
    """The enclosure of a float matrix contains the claimed number, so nothing is guessed."""
    rows = [[0.95, 0.05], [0.05, 0.95]]
    floats = FloatMatrix(BitStrings(1), tw.Universe.of("ab"), rows)
    verdict = tw.check(floats, tw.DifferentialPrivacy(ratio=1, delta="0.9"))
    assert verdict.holds is None
    with pytest.raises(Undecided):
        bool(verdict)
    assert "holds" not in verdict.to_dict()


def test_values_are_attributes_and_others_are_named():
    verdict = tw.measure(SURVEY)
    assert (verdict.ratio, verdict.delta) == (3, 0)
    with pytest.raises(AttributeError, match="has no 'nats'; it has ratio, epsilon, delta"):
        verdict.nats  # noqa: B018


def test_a_verdict_can_be_copied():
    verdict = tw.measure(SURVEY)
    assert copy.copy(verdict) == verdict
    assert replace(verdict, notes=("seen",)).ratio == 3


@given(dense_mechanisms(), ratios())
def test_witnesses_agree_with_the_matrix_they_speak_of(mechanism, ratio):
    witness = tw.measure(mechanism, ratio=ratio).witness
    for database, stated in zip(witness.databases, witness.probabilities, strict=True):
        rows = [o for o in mechanism.outputs if witness.event.holds(o)]
        assert stated == sum((mechanism.probability(o, database) for o in rows), Fraction(0))
    assert witness.excess(ratio) == witness.probabilities[0] - ratio * witness.probabilities[1]


def test_the_ratio_of_a_witness_knows_impossible_events():
    identity = tw.mechanism("identity(bits=1)")
    one, zero = (1,), (0,)
    witness = Witness.of(identity, (one, zero), Listed.of([one]))
    assert (witness.ratio(), witness.excess(INFINITY)) == (INFINITY, 1)
    assert Witness.of(identity, (one, zero), Listed.of([])).ratio() == 0


# --- plain data ---------------------------------------------------------------------------------


def test_the_dictionary_has_the_shape_of_the_contract():
    plain = tw.check(SURVEY, "dp(ratio=2)").to_dict()
    assert plain["holds"] is False
    assert plain["ratio"] == {"exact": "2", "value": 2.0}
    assert plain["delta"] == {"exact": "1/4", "value": 0.25}
    assert plain["epsilon"]["exact"] == "ln 2"
    assert plain["epsilon"]["lower"] <= plain["epsilon"]["value"] == plain["epsilon"]["upper"]
    assert plain["witness"] == {
        "databases": ["11", "01"],
        "event": ["11", "10"],
        "event_in_words": "outputs whose entry 1 is 1",
        "probabilities": [{"exact": "3/4", "value": 0.75}, {"exact": "1/4", "value": 0.25}],
        "attained": True,
    }
    assert plain["arithmetic"] == "exact"
    assert list(plain) == [
        *("mechanism", "definition", "holds", "ratio", "epsilon", "delta", "guess"),
        *("witness", "sentence", "more", "assumptions", "notes", "method", "arithmetic"),
    ]


# --- words --------------------------------------------------------------------------------------


def test_an_unattained_ratio_says_so():
    assert "further out the ratio grows" in tw.measure("skellam(l1=1, l2=1)").explain()
    assert tw.measure("skellam(l1=1, l2=1)").to_dict()["witness"]["attained"] is False
