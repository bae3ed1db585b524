"""What does not follow: each counterexample is run by plain Bayes."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.theorems import brute
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import exp
from twoworlds.theorems import NON_IMPLICATIONS, Alarm, Guarantee


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


def test_remark_1_needs_no_convention_with_many_values_and_rare_lies():
    mechanism = random_index(2, 4, lie=Fraction(1, 1000))
    assert brute.delta_of(mechanism, Fraction(1)) < Fraction(1, 2)
    belief = dict.fromkeys(mechanism, Fraction(1, 16))
    assert brute.failure(mechanism, belief, Fraction(74, 100)) == 1


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


def test_for_few_records_a_tiny_statistical_difference_says_something():
    found = Guarantee.parse("statistical-difference(epsilon=1e-9, records=10)").implies("semantic")
    assert found.holds
    assert [made.theorem.name for made in found.steps] == ["statistical-difference-is-dp", "s4"]
    claim = found.given.implies("semantic(epsilon=0.9, delta=1e-9)")
    assert claim.holds is False


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


def test_claim_1_2_says_when_it_needs_too_many_records():
    with pytest.raises(TooLarge):
        _ = Alarm.against(Fraction(1), Fraction(1, 10**9), Fraction(1, 2)).records
    found = Guarantee.parse("dp(epsilon=0, delta=1e-9)").implies("reality-oblivious")
    assert found.holds is None


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
