"""Pairs of mechanisms with infinitely many outputs: exact composition, cell by cell."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import DifferentialPrivacy, measure, mechanism
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms.on_statistic import Both, Paired

ratios = st.fractions(1, 8, max_denominator=6)
prices = st.sampled_from(["2", "3", "3/2"])


@given(prices, prices, ratios)
def test_two_counts_cost_as_much_as_two_surveys_of_one_bit(first, second, ratio):
    """For neighbours one apart, geometric noise sorts its outputs like randomized response."""
    counts = mechanism(f"pair(geometric(ratio={first}), geometric(ratio={second}))")
    survey = "randomized-response(bits=1, ratio={})"
    surveys = mechanism(f"pair({survey.format(first)}, {survey.format(second)})")
    for question in ({"ratio": ratio}, {"delta": "1/20"}, {}):
        a, b = measure(counts, **question), measure(surveys, **question)
        assert (a.ratio, a.delta) == (b.ratio, b.delta)


@pytest.mark.slow
@given(st.integers(1, 3), ratios)
def test_the_gap_equals_a_long_truncated_sum(group, ratio):
    noise = mechanism("geometric(ratio=2)")
    both = noise.pair(mechanism("geometric(ratio=3)"))
    found = DifferentialPrivacy(group=group).delta_at(both, ratio).delta
    window = range(-24, 25 + group)
    total = sum(
        max(Fraction(0), both.probability((a, b), 0) - ratio * both.probability((a, b), group))
        for a, b in product(window, repeat=2)
    )
    assert total <= found <= total + Fraction(1, 2**22)


def test_on_bits_every_pair_of_databases_is_compared():
    both = mechanism("pair(geometric(ratio=2, bits=2), randomized-response(bits=2, keep=3/4))")
    assert isinstance(both, Paired)
    assert measure(both).ratio == 6
    assert measure(both, group=2).ratio == 36
    verdict = measure(both, ratio=2)
    assert isinstance(verdict.witness.event, Both)
    assert verdict.witness.excess(Fraction(2)) == verdict.delta


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("pair(skellam(1, 1), geometric(ratio=3))", Unsupported, "infinitely many values"),
        ("pair(geometric(ratio=2), laplace(epsilon=1))", InvalidInput, "different databases"),
        ("pair(geometric(ratio=2), constant(universe=integers()))", TooLarge, "too large"),
    ],
)
def test_what_cannot_be_paired_exactly_is_refused(text, error, said):
    with pytest.raises(error, match=said):
        measure(text)
