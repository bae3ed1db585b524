"""What does not follow: every counterexample satisfies the guarantee and breaks the claim."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.theorems import brute
from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, exp
from twoworlds.theorems import NON_IMPLICATIONS, Alarm, Guarantee, group_delta, smaller_ratio_delta
from twoworlds.theorems.limits import worst_group_delta

SMALL = st.fractions(0, Fraction(9, 10), max_denominator=10)


def leaky_response(ratio, delta):
    """One bit, published with probability delta, else by randomized response."""
    v = (1 - delta) / (ratio + 1)
    return {(1,): (delta, ratio * v, v, 0), (0,): (0, v, ratio * v, delta)}


@given(
    st.fractions(1, 5, max_denominator=6),
    SMALL,
    st.fractions(1, 6, max_denominator=6),
    SMALL,
)
def test_a_claim_of_dp_follows_from_dp_or_randomized_response_refutes_it(a, delta, b, wanted):
    mechanism = leaky_response(a, delta)
    assert brute.delta_of(mechanism, a) == delta
    found = Guarantee.of("dp", ratio=a, delta=delta).implies("dp", ratio=b, delta=wanted)
    assert found.holds is (brute.delta_of(mechanism, b) <= wanted)
    if found.holds is False:
        (refutation,) = found.refutations
        assert refutation.facts["delta"] == brute.delta_of(mechanism, b)


@pytest.mark.parametrize(
    ("given_", "claim"),
    [
        ("dp(epsilon=0.2)", "dp(epsilon=0.1)"),
        ("dp(epsilon=0.2, delta=0.01)", "dp(epsilon=0.2, delta=0.001)"),
        ("dp(epsilon=0.2, group=3)", "dp(epsilon=0.1, group=3)"),
        ("dp(epsilon=0.2, neighbours=add-remove)", "dp(epsilon=0.1)"),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=1)"),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=3, group=2)"),
        ("dp(epsilon=1)", "dp(epsilon=1, group=2)"),
        ("dp(epsilon=1, delta=1e-6)", "dp(epsilon=3, delta=1e-5, group=3)"),
        ("dp(epsilon=1, group=2)", "dp(epsilon=1.9, group=3)"),
        ("dp(epsilon=1)", "dp(epsilon=60, group=1000)"),
        ("dp(epsilon=1, delta=0.01)", "dp(epsilon=inf, delta=0.02, group=3)"),
        ("dp(epsilon=inf)", "dp(epsilon=100, delta=0.9, group=2)"),
        ("dp(epsilon=0)", "dp(epsilon=100, delta=0.99, neighbours=add-remove)"),
        ("semantic(epsilon=0)", "dp(epsilon=inf, delta=0.5, neighbours=add-remove)"),
        ("dp(epsilon=0)", "semantic(epsilon=0.99, delta=0.99, neighbours=add-remove)"),
        ("dp(epsilon=inf)", "dp(epsilon=100, delta=0.9)"),
        ("statistical-difference(epsilon=0.2)", "statistical-difference(epsilon=0.1)"),
        ("semantic(epsilon=0.2)", "semantic(epsilon=0.1)"),
        ("semantic(epsilon=0.2)", "semantic(epsilon=0.1, delta=0.99)"),
    ],
)
def test_plainly_false_claims_are_refuted_with_a_mechanism(given_, claim):
    found = Guarantee.parse(given_).implies(claim)
    assert found.holds is False
    assert "does NOT imply" in found.explain()
    assert any(refutation.decisive for refutation in found.refutations)


@pytest.mark.parametrize(
    ("given_", "claim"),
    [
        ("dp(epsilon=0.2)", "dp(epsilon=0.2)"),
        ("dp(epsilon=0.2)", "dp(epsilon=0.3, delta=0.1)"),
        ("statistical-difference(epsilon=0.2)", "statistical-difference(epsilon=0.2)"),
        ("semantic(epsilon=0.2)", "semantic(epsilon=0.3)"),
        ("dp(epsilon=0.2)", "dp(epsilon=0.4, group=2)"),
        ("dp(epsilon=0.2, group=2)", "dp(epsilon=0.4, group=3)"),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=2)"),
        ("dp(epsilon=1, neighbours=add-remove)", "dp(epsilon=4, group=2)"),
    ],
)
def test_what_is_given_follows_and_nothing_refutes_it(given_, claim):
    found = Guarantee.parse(given_).implies(claim)
    assert found.holds is True
    assert found.refutations == ()


def test_nothing_at_all_follows_for_added_and_removed_records():
    found = Guarantee.parse("dp(epsilon=1)").implies("dp", neighbours="add-remove")
    assert found.holds is False
    assert "does NOT imply dp(neighbours=add-remove)" in found.explain()


def most_power(a, delta, u):
    return min(delta + a * u, 1 - (1 - delta - u) / a, Fraction(1))


def chain(a, delta, steps):
    """The laws of the worst chain, on the intervals between all corners of its curves."""
    cuts, new = {Fraction(0), Fraction(1)}, {(1 - delta) / (a + 1), 1 - delta}
    for _ in range(steps):
        cuts |= new
        before = [u for v in new for u in ((v - delta) / a, 1 - delta - a * (1 - v))]
        new = {u for u in before if 0 <= u <= 1 and most_power(a, delta, u) in new}
    masses = [Fraction(0), *sorted(cuts)]
    laws = []
    for _ in range(steps + 1):
        laws.append([masses[0], *(y - x for x, y in pairwise(masses))])
        masses = [Fraction(0), *(most_power(a, delta, u) for u in masses[1:])]
    return laws


@given(
    st.fractions(Fraction(5, 4), 4, max_denominator=4),
    st.fractions(0, Fraction(3, 10), max_denominator=20),
    st.integers(1, 4),
    st.fractions(1, 20, max_denominator=3),
)
def test_the_ends_of_the_worst_chain_need_the_delta_that_is_told(a, delta, steps, b):
    laws = chain(a, delta, steps)
    for law in laws:
        assert sum(law) == 1
        assert min(law) >= 0
    for p, q in [*pairwise(laws), *pairwise(laws[::-1])]:
        assert brute.excess(p, q, a) <= delta
    needed = worst_group_delta(a, delta, steps, b)
    assert brute.excess(laws[-1], laws[0], b) == needed
    assert brute.excess(laws[0], laws[-1], b) == needed
    proved = group_delta(a, delta, steps)
    bound = smaller_ratio_delta(a**steps, proved, b) if b <= a**steps else proved
    assert needed <= max(bound, proved)
    never = sum(p for p, q in zip(laws[-1], laws[0], strict=True) if q == 0)
    assert worst_group_delta(a, delta, steps, INFINITY) == never


def random_index(n, values, lie=Fraction(0)):
    """Publish (J, x_J) for a random J, or with a tiny probability another value of theirs."""
    found = {}
    for x in product(range(values), repeat=n):
        law = [
            Fraction(1, n) * (1 - lie if x[i] == v else lie / (values - 1))
            for i in range(n)
            for v in range(values)
        ]
        found[x] = tuple(law)
    return found


def test_remark_1_random_index_is_close_in_statistical_difference_and_breaches_for_certain():
    mechanism = random_index(2, 3)
    assert brute.delta_of(mechanism, Fraction(1)) == Fraction(1, 2)
    assert tw.measure(
        "random-index(records=2, values=3)", definition="statistical-difference"
    ).epsilon == Fraction(1, 2)
    sure = {(1, 2): Fraction(1)}  # records that differ from the default: impossible without them
    assert brute.failure(mechanism, sure, Fraction(999, 1000)) == 1


def test_erratum_remark_1_with_two_values_and_undefined_posteriors_left_out():
    # Uniform belief on bits: defined posteriors differ by 1/2 only.
    mechanism = random_index(2, 2, lie=Fraction(1, 10**6))
    belief = dict.fromkeys(mechanism, Fraction(1, 4))
    assert brute.largest_move(mechanism, belief) <= Fraction(1, 2)


def test_statistical_difference_does_not_imply_semantic_privacy():
    found = Guarantee.parse("statistical-difference(epsilon=0.01)").implies("semantic")
    assert found.holds is False
    assert found.conclusions == ()
    assert "random-index" in found.explain()
    assert found.to_dict()["counterexamples"][0]["citation"].endswith("Remark 1")


def test_statistical_difference_gives_no_smaller_delta_at_any_epsilon():
    stated = Guarantee.parse("statistical-difference(epsilon=0.01)")
    assert stated.implies("dp(epsilon=100, delta=0.009)").holds is False
    assert stated.implies("dp(epsilon=100, delta=0.01)").holds is True


@given(
    st.fractions(1, 3, max_denominator=6),
    st.fractions(Fraction(1, 30), Fraction(1, 2), max_denominator=30),
    st.fractions(0, Fraction(19, 20), max_denominator=20),
)
def test_claim_1_2_the_alarm_is_private_and_is_misread(ratio, delta, distance):
    alarm = Alarm.against(ratio, delta, distance)
    laws = [(p, 1 - p) for p in alarm.chances]
    for one, other in pairwise(laws):
        assert max(brute.excess(one, other, ratio), brute.excess(other, one, ratio)) <= delta
    # By plain Bayes on the two databases 10...0 and 0...0, which only differ in person 1.
    belief = {(1,): alarm.weight, (0,): 1 - alarm.weight}
    mechanism = {(0,): laws[0], (1,): laws[1]}
    assert brute.moved(mechanism, belief, 0, 0, 0) == alarm.difference > distance
    assert alarm.chances[-1] == 1  # on 1...1 the alarm is certain


def test_rejects_alarms_against_pure_privacy():
    for ratio, delta, distance in (
        (Fraction(2), 0, 0),
        (Fraction(2), 1, 1),
        (exp(Fraction(1)), 2, 0),
    ):
        with pytest.raises(InvalidInput):
            Alarm.against(ratio, Fraction(delta), Fraction(distance))


def test_erratum_claim_1_2_the_uniform_belief_stays_below_one_half():
    for start in (Fraction(1, 100), Fraction(1, 10**6)):
        even = Alarm(Fraction(2), Fraction(1, 10), start, Fraction(1, 2))
        assert even.difference < Fraction(1, 2)
    assert "1/2" in NON_IMPLICATIONS["ks-claim-1.2"].erratum


def test_no_semantic_epsilon_below_tanh_holds_for_differential_privacy():
    stated = Guarantee.parse("dp(ratio=3)")
    assert stated.implies("semantic(epsilon=0.49, delta=0.99)").holds is False
    assert stated.implies("semantic(epsilon=0.5)").holds is True
    single = Guarantee.parse("dp(ratio=3, records=1)")
    assert single.implies("semantic(epsilon=0.49)").holds is True


def test_below_four_artanh_semantic_privacy_needs_the_delta_of_randomized_response():
    stated = Guarantee.parse("semantic(epsilon=1/2)")  # odds 9
    assert stated.implies("dp(ratio=4, delta=0.49)").holds is False
    assert stated.implies("dp(ratio=4, delta=1/2)").holds is True
    assert stated.implies("dp(ratio=9)").holds is True
