"""Groups, restatements and smaller epsilons, on small mechanisms and chains of laws."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theorems import brute
from twoworlds.theorems import THEOREMS, Guarantee, group_delta

RATIOS = st.fractions(1, 4, max_denominator=12)


@given(brute.mechanisms(people=3, transcripts=2, least=0), RATIOS, st.integers(2, 3))
def test_group_privacy_holds_for_every_group(mechanism, ratio, size):
    delta = brute.delta_of(mechanism, ratio)
    bound = group_delta(ratio, delta, size)
    for x, y in product(mechanism, repeat=2):
        if sum(a != b for a, b in zip(x, y, strict=True)) <= size:
            assert brute.excess(mechanism[x], mechanism[y], ratio**size) <= bound


@given(RATIOS, st.integers(1, 5))
def test_the_group_delta_is_attained_by_a_growing_alarm(ratio, size):
    delta = Fraction(1, 10_000)
    chances = [Fraction(0)]
    for _ in range(size):
        chances.append(ratio * chances[-1] + delta)
    laws = [(p, 1 - p) for p in chances]
    for one, other in pairwise(laws):
        assert max(brute.excess(one, other, ratio), brute.excess(other, one, ratio)) == delta
    assert brute.excess(laws[-1], laws[0], ratio**size) == group_delta(ratio, delta, size)


def test_replacing_a_record_costs_two_steps_of_adding_or_removing():
    stated = Guarantee.parse("dp(ratio=3, delta=0.01, neighbours=add-remove)")
    found = stated.implies("dp", neighbours="substitute").best
    assert (found.ratio, found.delta) == (9, Fraction(4, 100))


@given(RATIOS, RATIOS)
def test_a_wanted_epsilon_is_traded_for_delta_or_kept(ratio, wanted):
    found = Guarantee.of("dp", ratio=ratio, delta="1/10").implies("dp", ratio=wanted).best
    expected = Fraction(1, 10) + Fraction(9, 10) * max(0, ratio - wanted) / (ratio + 1)
    assert found.ratio <= wanted
    assert found.delta == expected


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("dp-is-indistinguishability", "dp(ratio=3, delta=1/10)"),
        ("indistinguishability-is-dp", "indistinguishable(ratio=3, delta=1/10)"),
        ("semantic-for-one-belief", "semantic(epsilon=1/10, delta=1/100)"),
        ("averaging-over-databases", "reality-oblivious(epsilon=1/10, delta=1/100)"),
        ("bgks-independent-ddp", "independent-ddp(ratio=2, delta=1/9)"),
        ("bgks-noiseless-pufferfish", "noiseless(ratio=2, delta=1/9)"),
        ("post-processing", "dp(ratio=3, delta=1/10)"),
        ("bgks-3", "pufferfish(ratio=2, delta=1/9)"),
        ("bgks-4", "ddp(ratio=2, delta=1/9)"),
        ("bgks-5", "simulation(ratio=2, delta=1/9)"),
    ],
)
def test_a_case_of_another_kind_keeps_its_numbers(name, stated):
    premise, theorem = Guarantee.parse(stated), THEOREMS[name]
    found = theorem.conclude(premise)
    assert dict(found.numbers) == dict(premise.numbers)
    assert found.kind == (premise.kind if theorem.combines else theorem.conclusion)


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("dp-at-some-databases", "dp(ratio=2, delta=0.1)"),
        ("ks-3.3-3", "dp(ratio=2, delta=0.1)"),
        ("dw-5", "laplace-strategy(ratio=2)"),
    ],
)
def test_a_restatement_keeps_the_numbers(name, stated):
    claim = Guarantee.parse(stated)
    found = THEOREMS[name].conclude(claim)
    assert found.kind == THEOREMS[name].conclusion
    assert (found.ratio, found.delta) == (claim.ratio, claim.delta)
