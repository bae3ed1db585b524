"""Mutual information: enclosures that hold a brute-force optimum, and exact known values."""

from fractions import Fraction
from itertools import product
from math import log, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import BitStrings, Dense, Records
from twoworlds.definitions import MutualInformation, capacity, information
from twoworlds.definitions.mutual_information import _channels
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.numbers import bounds, exact_text
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import dense_mechanisms, laws, per_record_mechanisms

SLACK = 1e-9
CHANNELS = st.tuples(st.integers(2, 3), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(laws(shape[1]).map(list), min_size=shape[0], max_size=shape[0])
)


def inside(value, wanted, slack=SLACK):
    low, high = bounds(value)
    return float(low) - slack <= wanted <= float(high) + slack


@given(CHANNELS)
def test_no_belief_beats_the_capacity_and_the_enclosure_is_narrow(columns):
    low, high = map(float, bounds(capacity(columns)))
    best = brute.largest_information(columns, steps=30)
    assert best <= high + 1e-12
    assert high <= best + 0.02  # the grid of beliefs is coarse
    assert -1e-12 <= low <= high <= low + 1e-8


@given(dense_mechanisms(Records(2, 2)))
@settings(max_examples=15)
def test_the_tightest_value_holds_the_optimum_over_product_beliefs(mechanism):
    """A grid of beliefs about one record, with the other one known, or not at all."""
    low, high = map(float, bounds(MutualInformation().tightest(mechanism).nats))
    best = max(
        by_enumeration(mechanism, person, beliefs if person == 0 else beliefs[::-1])
        for person, own, other in product((0, 1), range(41), (0, 20, 40))
        for beliefs in [[(1 - Fraction(b, 40), Fraction(b, 40)) for b in (own, other)]]
    )
    assert best <= high + SLACK
    assert low <= best + 2e-3  # the best belief lies between two of the grid


def by_enumeration(mechanism, person, beliefs):
    """I(A(x); x_person) from the joint law of record and output."""
    values = mechanism.universe.values
    joint = {}
    for word in mechanism.universe:
        weight = prod(beliefs[i][values.index(v)] for i, v in enumerate(word))
        for output in mechanism.outputs:
            key = word[person], output
            joint[key] = joint.get(key, 0) + weight * mechanism.probability(output, word)
    of_value = {v: sum(m for (u, _), m in joint.items() if u == v) for v in values}
    of_output = {o: sum(m for (_, p), m in joint.items() if p == o) for o in mechanism.outputs}
    return sum(
        float(mass) * log(mass / (of_value[v] * of_output[o]))
        for (v, o), mass in joint.items()
        if mass
    )


@given(dense_mechanisms(Records(3, 1)) | dense_mechanisms(Records(2, 2)), st.data())
def test_information_under_a_belief_is_that_of_the_joint_law(mechanism, data):
    n, values = mechanism.universe.n, mechanism.universe.values
    person = data.draw(st.integers(1, n))
    uniform = [[Fraction(1, len(values))] * len(values)] * n
    assert inside(information(mechanism, person), by_enumeration(mechanism, person - 1, uniform))
    beliefs = [data.draw(laws(len(values))) for _ in range(n)]
    given_ = [dict(zip(values, belief, strict=True)) for belief in beliefs]
    assert inside(
        information(mechanism, person, given_), by_enumeration(mechanism, person - 1, beliefs)
    )


@given(per_record_mechanisms(most_records=2))
@settings(max_examples=15)
def test_one_transition_per_record_tells_what_its_whole_matrix_tells(mechanism):
    by_structure, by_table = (
        bounds(MutualInformation().tightest(m).nats) for m in (mechanism, mechanism.table())
    )
    assert by_structure[0] <= by_table[1] + Fraction(1, 10**6)
    assert by_table[0] <= by_structure[1] + Fraction(1, 10**6)


def test_a_survey_tells_ln_two_minus_its_entropy():
    # The binary symmetric channel: ln 2 - h(3/4), the same for one bit and for forty.
    wanted = log(2) + 0.75 * log(0.75) + 0.25 * log(0.25)
    for bits in (1, 40):
        verdict = tw.measure(
            f"randomized-response(bits={bits}, keep=3/4)", definition="mutual-information"
        )
        assert inside(verdict.nats, wanted, 1e-15)
        assert exact_text(verdict.nats) is not None
        assert inside(verdict.bits, wanted / log(2), 1e-15)


def test_a_record_shown_to_one_in_n_tells_its_entropy_over_n():
    # Kasiviswanathan & Smith, Remark 1: H(x_i) / n.
    shown = tw.mechanism("random-index(records=4, values=3)")
    assert exact_text(tw.measure(shown, definition="mutual-information").nats) == "1/4*ln 3"
    uniform = information(shown, 2)
    assert inside(uniform, 0.274653072167027, 1e-15)
    sure = [{0: 1}] * 4
    assert information(shown, 1, sure) == 0


def test_the_z_channel_needs_an_uneven_belief():
    # 1 is reported as 0 half of the time: capacity ln(5/4), attained at belief 2/5.
    columns = [[Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(1, 2)]]
    assert inside(capacity(columns), log(1.25), 1e-12)


def test_overlapping_enclosures_are_enclosed_together():
    """Two different channels of nearly equal capacity: the answer covers both."""
    near = Fraction(1, 10**14)
    half, one = Fraction(1, 2), Fraction(1)
    rows = [[one, half, one, half + near], [0, half, 0, half - near]]
    mechanism = Dense(BitStrings(2), tw.Universe.of("ab"), rows)
    low, high = bounds(MutualInformation().tightest(mechanism).nats)
    assert low <= Fraction(log(1.25)) + Fraction(1, 10**10)
    for columns in ([[one, 0 * one], [half, half]], [[one, 0 * one], [half + near, half - near]]):
        assert bounds(capacity(columns))[1] <= high


def test_claims_about_information():
    survey = "randomized-response(bits=1, keep=3/4)"
    assert tw.check(survey, "mutual-information(nats=0.131)")
    assert not tw.check(survey, "mutual-information(nats=0.13)")
    with pytest.raises(InvalidInput, match="has no number to check"):
        tw.check(survey, "mutual-information")
    with pytest.raises(InvalidInput, match="nats=-1 is negative"):
        tw.definition("mutual-information(nats=-1)")
    with pytest.raises(InvalidInput, match="unknown argument of mutual-information 'neighbours'"):
        tw.check(survey, "mutual-information(nats=1)", neighbours="substitute")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("geometric(ratio=2)", Unsupported, "speaks of records"),
        ("geometric(ratio=2, bits=2)", Unsupported, "infinitely many outputs"),
        ("randomized-response(bits=1, epsilon=1)", Unsupported, "rational probabilities only"),
        ("constant(universe=records(values=2, n=2, smallest=0))", Unsupported, "no fixed list"),
        ("constant(bits=30)", TooLarge, "more than 2,097,152; use fewer records"),
    ],
)
def test_rejects_mechanisms_it_cannot_enumerate(text, error, message):
    with pytest.raises(error, match=message):
        tw.measure(text, definition="mutual-information")


@pytest.mark.parametrize(
    ("person", "beliefs", "message"),
    [
        (0, None, "counted from 1"),
        (3, None, "there are 2 records"),
        (1, [{1: 1}], "1 beliefs are given for 2 records"),
        (1, [{1: "1/2"}, {1: 1}], "a belief sums to 1/2"),
        (1, [{7: 1}, {1: 1}], "must give the values"),
        (1, [{1: 2, 0: -1}, {1: 1}], "must give the values"),
    ],
)
def test_rejects_beliefs_that_are_none(person, beliefs, message):
    survey = tw.mechanism("randomized-response(bits=2, keep=3/4)")
    with pytest.raises(InvalidInput, match=message):
        information(survey, person, beliefs)


def test_channels_that_are_alike_are_measured_once():
    """Of a noisy parity, whatever the others are: twice two columns, in both orders."""
    assert len([*_channels(tw.mechanism("noisy-parity(bits=5, keep=3/4)"))]) == 2
