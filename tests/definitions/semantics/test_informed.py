"""Informed privacy: prior against posterior, when all records but one are known."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import check, measure, mechanism
from twoworlds.definitions.semantics.privacy import InformedPrivacy
from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, bounds
from twoworlds.testing.strategies import dense_mechanisms
from twoworlds.worlds import BitStrings, Records

PAIR = BitStrings(2)
THREE = Records(3, 1)


@pytest.mark.parametrize(
    ("text", "ratio", "value"),
    [
        ("noisy-parity(bits=2, keep=9/10)", 9, Fraction(1, 2)),
        ("randomized-response(bits=40, keep=9/10)", 9, Fraction(1, 2)),
        ("geometric(ratio=4)", 4, Fraction(1, 3)),
        ("geometric(ratio=4, bits=40)", 4, Fraction(1, 3)),
        ("truncated-geometric(ratio=4, bits=3)", 4, Fraction(1, 3)),
        ("laplace(ratio=4)", 4, Fraction(1, 3)),
        ("laplace(ratio=4, bits=7)", 4, Fraction(1, 3)),
        ("constant(bits=2)", 1, Fraction(0)),
        ("identity(bits=2)", INFINITY, Fraction(1)),
        ("random-index(records=4)", INFINITY, Fraction(1)),
        ("gaussian(sigma=1)", INFINITY, Fraction(1)),
        ("gaussian(sigma=1, bits=5)", INFINITY, Fraction(1)),
        ("skellam(1, 1)", INFINITY, Fraction(1)),
    ],
)
def test_it_is_tanh_of_a_quarter_of_epsilon_by_structure(text, ratio, value):
    found = InformedPrivacy().tightest(mechanism(text))
    assert (found.ratio, found.epsilon) == (ratio, value)
    assert found.witness.verify()


def moved(dense, rest, person, law, output):
    """SD(prior, posterior) by Bayes over the values of one record; None if it cannot occur."""
    joint = {
        v: p * dense.probability(output, (*rest[:person], v, *rest[person:]))
        for v, p in law.items()
    }
    total = sum(joint.values())
    return sum(abs(joint[v] / total - law[v]) for v in law) / 2 if total else None


@given(st.sampled_from([PAIR, THREE]).flatmap(dense_mechanisms), st.integers(0, 10**6))
def test_no_informed_belief_moves_further(dense, seed):
    _, top = bounds(InformedPrivacy().tightest(dense).epsilon)
    draw = random.Random(seed)
    universe = dense.universe
    for _ in range(8):
        person = draw.randrange(universe.n)
        rest = [draw.choice(universe.values) for _ in range(universe.n - 1)]
        weights = [draw.choice([1, 1, 2, 30]) for _ in universe.values]
        law = {v: Fraction(w, sum(weights)) for v, w in zip(universe.values, weights, strict=True)}
        for t in dense.outputs:
            difference = moved(dense, rest, person, law, t)
            assert difference is None or difference <= top


@given(st.sampled_from([PAIR, THREE]).flatmap(dense_mechanisms))
def test_the_belief_shown_attains_the_value_by_bayes(dense):
    found = InformedPrivacy().tightest(dense)
    witness = found.witness
    assert witness.verify()
    plain = witness.to_dict()
    x, y = (dense.universe.find(label) for label in plain["databases"])
    assert sum(a != b for a, b in zip(x, y, strict=True)) == 1
    event = [t for t in dense.outputs if dense.outputs.label(t) in plain["event"]]
    p, q = (float(sum(dense.probability(t, z) for t in event)) for z in (x, y))
    w = plain["belief"][dense.universe.label(x)]["value"]
    assert w * p / (w * p + (1 - w) * q) - w == pytest.approx(float(witness.number))
    if found.ratio != INFINITY:
        low, high = bounds(witness.number - found.epsilon)
        assert low <= 0 <= high
    else:
        assert "attained by none" in found.notes[0]


def test_claims_are_decided_from_text():
    assert check("geometric(ratio=4)", "informed(epsilon=1/3)")
    refuted = check("geometric(ratio=4)", "informed(epsilon=0.33)")
    assert not refuted
    assert refuted.witness.to_dict()["belief"]["1"]["exact"] == "1/3"
    assert "after output >= 1 it is 2/3" in refuted.explain()
    assert measure("geometric(ratio=4)", definition="informed").epsilon == Fraction(1, 3)


def test_bad_claims_are_refused():
    with pytest.raises(InvalidInput, match="give epsilon="):
        check("parity(bits=2)", "informed")
    with pytest.raises(InvalidInput, match="out of range"):
        InformedPrivacy(epsilon="3/2")
