"""Differential privacy against its definition: all neighbours, all events, by brute force."""

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import Dense, DifferentialPrivacy
from twoworlds.errors import InvalidInput, UnknownName, Unsupported
from twoworlds.numbers import INFINITY, ln
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import (
    deltas,
    dense_mechanisms,
    ratios,
    universes,
)

GROUPS = st.integers(1, 3)


@st.composite
def questions(draw):
    """A mechanism, a relation on it, a group size, and the ordered pairs that they compare."""
    universe, relation = draw(universes())
    group = draw(GROUPS)
    mechanism = draw(dense_mechanisms(universe))
    return mechanism, relation, group, brute.pairs(universe, relation, group)


def same(found, wanted):
    return found == (INFINITY if wanted is None else wanted)


@given(questions())
def test_tightest_is_the_largest_ratio_of_any_event_on_any_neighbours(question):
    mechanism, relation, group, pairs = question
    verdict = DifferentialPrivacy(neighbours=relation, group=group).tightest(mechanism)
    largest = brute.worst(mechanism, pairs, brute.largest_ratio)
    assert same(verdict.ratio, largest)
    assert verdict.epsilon == ln(verdict.ratio)
    assert same(verdict.witness.ratio(), largest)
    assert verdict.witness.databases in pairs


@given(questions(), ratios())
def test_delta_is_the_largest_excess_of_any_event_on_any_neighbours(question, ratio):
    mechanism, relation, group, pairs = question
    verdict = DifferentialPrivacy(neighbours=relation, group=group).delta_at(mechanism, ratio)
    excess = partial(brute.largest_excess, ratio=ratio)
    assert verdict.delta == brute.worst(mechanism, pairs, excess)
    # Without any excess, the witness is the event that comes nearest to one.
    assert max(verdict.witness.excess(ratio), 0) == verdict.delta
    assert verdict.witness.databases in pairs


@given(questions(), deltas())
def test_the_smallest_ratio_for_a_delta_satisfies_every_event_and_no_smaller_one_does(
    question, delta
):
    mechanism, relation, group, pairs = question
    verdict = DifferentialPrivacy(neighbours=relation, group=group).ratio_at(mechanism, delta)
    assert same(
        verdict.ratio, brute.worst(mechanism, pairs, partial(brute.smallest_ratio, delta=delta))
    )
    assert verdict.delta == delta


@given(questions(), ratios(), deltas())
def test_a_claim_holds_exactly_when_every_event_satisfies_it(question, ratio, delta):
    mechanism, relation, group, pairs = question
    claim = DifferentialPrivacy(ratio=ratio, delta=delta, neighbours=relation, group=group)
    excess = brute.worst(mechanism, pairs, partial(brute.largest_excess, ratio=ratio))
    verdict = claim.check(mechanism)
    assert bool(verdict) == (excess <= delta)
    if not verdict:
        assert verdict.witness.excess(ratio) > delta


@given(questions())
def test_an_infinite_ratio_states_the_mass_that_one_world_alone_can_produce(question):
    mechanism, relation, group, pairs = question
    verdict = DifferentialPrivacy(neighbours=relation, group=group).tightest(mechanism)
    alone = brute.worst(mechanism, pairs, partial(brute.largest_excess, ratio=10**12))
    assert verdict.delta == (0 if verdict.ratio != INFINITY else pytest.approx(alone))


@given(questions(), ratios())
def test_the_exact_price_of_a_group_is_within_the_bound_from_one_person(question, ratio):
    # Dwork, after Definition 2: groups of c are protected with ratio^c; a path of c single steps.
    mechanism, relation, group, _ = question
    single = DifferentialPrivacy(neighbours=relation).tightest(mechanism).ratio
    together = DifferentialPrivacy(neighbours=relation, group=group).tightest(mechanism)
    assert single == INFINITY or together.ratio <= single**group
    if group > 1:
        assert f"the bound for groups of {group} is" in together.explain()


# --- given pairs, and what the answer says ------------------------------------------------------


def test_one_database_alone_has_no_neighbours_to_compare():
    alone = Dense(tw.Universe.of(["only"]), tw.Universe.of(["x"]), [[1]])
    with pytest.raises(Unsupported, match="no two neighbouring databases"):
        DifferentialPrivacy().tightest(alone)


@pytest.mark.parametrize("claim", ["dp(epsilon=5)", "dp(epsilon=1/2, delta=1e-6)"])
def test_the_nearest_claims_hold_with_the_digits_that_are_printed(claim):
    asked = tw.check("gaussian(sigma=1)", claim)
    note = asked.notes[1]
    found = re.match(
        r"holds with delta at most (\S+) at this ratio(?:, or with ratio at most (\S+) at)?", note
    )
    assert found, note
    delta, ratio = found.groups()
    assert tw.check("gaussian(sigma=1)", f"{claim.split(',')[0].rstrip(')')}, delta={delta})")
    if ratio is not None:
        assert tw.check("gaussian(sigma=1)", f"dp(ratio={ratio}, delta=1e-6)")
    hopeless = tw.check("identity(bits=1)", "dp(ratio=2, delta=1/2)")
    assert "no ratio is large enough for delta 1/2" in hopeless.notes[1]


@pytest.mark.parametrize(
    ("numbers", "claim"),
    [
        ({"ratio": 3}, "dp(ratio=3)"),
        ({"epsilon": "ln 3"}, "dp(ratio=3)"),
        ({"epsilon": "1/2", "delta": "1e-6"}, "dp(epsilon=1/2, delta=1/1000000)"),
        ({"epsilon": 0}, "dp(ratio=1)"),
        ({"ratio": "inf", "delta": 0.5, "group": 2}, "dp(ratio=inf, delta=1/2, group=2)"),
        ({}, "dp"),
    ],
)
def test_a_claim_can_be_typed_again(numbers, claim):
    assert DifferentialPrivacy(**numbers).claim == claim
    assert tw.definition(claim) == DifferentialPrivacy(**numbers)


@pytest.mark.parametrize(
    ("numbers", "error", "message"),
    [
        ({"ratio": 3, "epsilon": 1}, InvalidInput, "give one of them, not both"),
        ({"ratio": "1/2"}, InvalidInput, "ratio=1/2 must be at least 1"),
        ({"ratio": "nan"}, InvalidInput, "is not a number"),
        ({"epsilon": -1}, InvalidInput, "epsilon=-1 is negative"),
        ({"epsilon": float("nan")}, InvalidInput, "is not a number"),
        ({"delta": -1}, InvalidInput, "delta=-1 is out of range"),
        ({"delta": "1.01"}, InvalidInput, "delta=1.01 is out of range"),
        ({"delta": "inf"}, InvalidInput, "delta=inf is out of range"),
        ({"group": 0}, InvalidInput, "group=0 must be a whole number, at least 1"),
        ({"group": "1/2"}, InvalidInput, "group=1/2 must be a whole number"),
    ],
)
def test_rejects_numbers_that_mean_nothing(numbers, error, message):
    with pytest.raises(error, match=message):
        DifferentialPrivacy(**numbers)


def test_rejects_relations_that_do_not_exist_on_the_universe():
    survey = tw.mechanism("randomized-response(bits=2, keep=3/4)")
    with pytest.raises(UnknownName, match="did you mean 'substitute'"):
        DifferentialPrivacy(neighbours="substitutes").tightest(survey)
    with pytest.raises(InvalidInput, match="add-remove needs databases of several sizes"):
        DifferentialPrivacy(neighbours="add-remove").tightest(survey)
    with pytest.raises(InvalidInput, match="no neighbour pairs are listed"):
        DifferentialPrivacy(neighbours=[]).tightest(survey)
    with pytest.raises(InvalidInput, match="'7' is not in bits"):
        DifferentialPrivacy(neighbours="7~11").tightest(survey)


def test_a_delta_of_one_holds_of_every_mechanism():
    assert tw.check("gaussian(sigma=1e-9)", "dp(epsilon=1, delta=1)").holds is True
    assert tw.check("identity(bits=2)", "dp(ratio=1, delta=1)").holds is True
