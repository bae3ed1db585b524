"""Informed privacy: prior against posterior, when all records but one are known."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import Dense, Universe, check, measure, mechanism
from twoworlds.definitions import DifferentialPrivacy
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.semantics.informed import InformedPrivacy
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, bounds
from twoworlds.testing.strategies import dense_mechanisms
from twoworlds.worlds import BitStrings, Records
from twoworlds.worlds.belief import informed

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
    x, y = witness.compared.databases
    assert sum(a != b for a, b in zip(x, y, strict=True)) == 1
    p, q = (
        sum(dense.probability(t, z) for t in dense.outputs if witness.compared.event.holds(t))
        for z in (x, y)
    )
    w = witness.weight
    low, high = bounds(w * p / (w * p + (1 - w) * q) - w - witness.difference)
    assert low <= 0 <= high
    if found.ratio != INFINITY:
        low, high = bounds(witness.difference - found.epsilon)
        assert low <= 0 <= high


def test_an_infinite_ratio_is_approached_by_a_belief_that_hardly_holds_the_truth_possible():
    found = InformedPrivacy().tightest(mechanism("identity(bits=2)"))
    assert found.witness.difference == Fraction(999, 1000)
    assert any("attained by none" in note for note in found.notes)


@given(dense_mechanisms(PAIR))
def test_erratum_10_the_printed_condition_is_empty(dense):
    belief = informed(PAIR, "10", 2, "1/3")
    for t in dense.outputs:
        if any(dense.probability(t, x) for x in belief):
            without = play(dense, belief, t).without[1]
            assert without is None or without.difference(belief) == 0


@given(dense_mechanisms(PAIR))
def test_it_is_never_above_semantic_privacy_and_decides_the_ratio(dense):
    found, semantic = InformedPrivacy().tightest(dense), SemanticPrivacy().tightest(dense)
    assert bounds(found.epsilon)[0] <= bounds(semantic.epsilon)[1]
    ratio = DifferentialPrivacy().tightest(dense).ratio
    if ratio != INFINITY:
        low, high = bounds(((1 + found.epsilon) / (1 - found.epsilon)) ** 2)
        assert low <= ratio <= high


def test_claims_are_decided_from_text():
    assert check("geometric(ratio=4)", "informed(epsilon=1/3)")
    refuted = check("geometric(ratio=4)", "informed(epsilon=0.33)")
    assert not refuted
    assert refuted.witness.to_dict()["belief"]["1"]["exact"] == "1/3"
    assert "after output >= 1 it is 2/3" in refuted.explain()
    assert measure("geometric(ratio=4)", definition="informed").epsilon == Fraction(1, 3)


def test_listed_pairs_are_neighbours_too():
    labels = Universe.of(["a", "b", "c"], [("a", "b")])
    dense = Dense(labels, Universe.of("uv"), [["4/5", "1/5", "1"], ["1/5", "4/5", "0"]])
    assert InformedPrivacy().tightest(dense).epsilon == Fraction(1, 3)


def test_bad_claims_are_refused():
    with pytest.raises(InvalidInput, match="give epsilon="):
        check("parity(bits=2)", "informed")
    with pytest.raises(InvalidInput, match="out of range"):
        InformedPrivacy(epsilon="3/2")
