"""Two laws compared, and the point-wise definition, against brute force over events."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds.definitions import PointwiseIndistinguishability, StatisticalDifference, TwoLaws
from twoworlds.errors import InvalidInput, NotStochastic
from twoworlds.mechanisms import Listed
from twoworlds.numbers import INFINITY, Order, compare, exp, ln
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import (
    deltas,
    dense_mechanisms,
    integer_noise_mechanisms,
    laws,
    probabilities,
    ratios,
    universes,
)

SIZES = st.integers(1, 5)
PAIRS = SIZES.flatmap(lambda n: st.tuples(laws(n), laws(n)))


def compared(pair):
    return TwoLaws(*({f"o{i}": mass for i, mass in enumerate(law)} for law in pair))


def both_ways(measure, pair):
    """The larger of the two directions; None is infinity."""
    found = [measure(*pair), measure(*pair[::-1])]
    return INFINITY if None in found else max(found)


@given(PAIRS)
def test_the_ratio_bounds_every_event_both_ways(pair):
    assert compared(pair).ratio == both_ways(brute.largest_ratio, pair)
    assert compared(pair).epsilon == ln(compared(pair).ratio)


@given(PAIRS, ratios())
def test_delta_is_the_largest_excess_of_any_event_either_way(pair, ratio):
    two = compared(pair)
    wanted = both_ways(lambda p, q: brute.largest_excess(p, q, ratio), pair)
    assert two.delta(ratio) == wanted
    inside = [i for i in range(len(pair[0])) if two.event(ratio).holds(f"o{i}")]
    p, q = (sum((law[i] for i in inside), Fraction(0)) for law in pair)
    assert max(p - ratio * q, q - ratio * p) == wanted


@given(PAIRS, deltas())
def test_ratio_for_is_the_smallest_ratio_that_satisfies_every_event(pair, delta):
    wanted = both_ways(lambda p, q: brute.smallest_ratio(p, q, delta), pair)
    assert compared(pair).ratio_for(delta) == wanted


@given(PAIRS)
def test_statistical_difference_is_the_largest_difference_of_any_event(pair):
    # Kasiviswanathan & Smith, Section 1.1: also half the sum of absolute differences.
    found = compared(pair).statistical_difference
    assert found == brute.largest_difference(*pair) == compared(pair).delta(1)
    assert found == sum(abs(p - q) for p, q in zip(*pair, strict=True)) / 2


@given(PAIRS, ratios())
def test_pointwise_masses_are_those_of_the_outputs_that_exceed_the_ratio(pair, ratio):
    found = compared(pair).pointwise(ratio)
    assert tuple(found) == brute.bad_masses(*pair, ratio)
    assert found.worst == max(found)


def test_an_absent_output_has_probability_zero():
    two = TwoLaws({"a": 1}, {"a": "1/2", "b": "1/2"})
    assert (two.ratio, two.delta(1), two.delta(1000)) == (INFINITY, Fraction(1, 2), Fraction(1, 2))
    assert two.event(5) == Listed.of(["b"])
    assert two.ratio_for("1/2") == 1


def test_irrational_laws_that_mirror_each_other_are_compared():
    p = exp(Fraction(-1))
    two = TwoLaws({"a": p, "b": 1 - p}, {"a": 1 - p, "b": p})
    assert two.event(1) in (Listed.of(["a"]), Listed.of(["b"]))
    assert compare(two.delta(1), 1 - 2 * p, limit=256) in (Order.EQUAL, Order.UNDECIDED)


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ({"a": "1/2", "b": "1/3"}, "first law sums to 5/6"),
        ({"a": "3/2", "b": "-1/2"}, "in the first law is negative"),
        ({}, "first law sums to 0"),
    ],
)
def test_rejects_what_is_not_a_law(first, message):
    with pytest.raises(NotStochastic, match=message):
        TwoLaws(first, {"a": 1})
    with pytest.raises(InvalidInput, match="is not a number"):
        TwoLaws({"a": float("nan")}, {"a": 1})


# --- the definition on mechanisms ---------------------------------------------------------------


@given(st.data(), ratios())
def test_the_pointwise_delta_is_the_largest_bad_mass_on_any_neighbours(data, ratio):
    universe, relation = data.draw(universes())
    group = data.draw(st.integers(1, 2))
    mechanism = data.draw(dense_mechanisms(universe))
    pairs = brute.pairs(universe, relation, group)
    masses = [
        brute.bad_masses(brute.column(mechanism, x), brute.column(mechanism, y), ratio)
        for x, y in pairs
    ]
    verdict = PointwiseIndistinguishability(ratio=ratio, neighbours=relation, group=group).tightest(
        mechanism
    )
    assert verdict.delta == max(map(max, masses))
    assert (verdict.mass_under_first, verdict.mass_under_second) in masses


@given(integer_noise_mechanisms(), ratios())
def test_the_bad_mass_of_integer_noise_is_that_of_a_long_window(mechanism, ratio):
    verdict = PointwiseIndistinguishability(ratio=ratio).tightest(mechanism)
    x, y = verdict.witness.databases
    window = [o for o in range(-40, 45) if o in mechanism.outputs]
    laws_ = [[mechanism.probability(o, z) for o in window] for z in (x, y)]
    masses = brute.bad_masses(*laws_, ratio)
    lost = max(1 - sum(law) for law in laws_)
    assert max(masses) <= verdict.delta <= max(masses) + lost


@pytest.mark.parametrize(
    ("text", "ratio", "group", "expected"),
    [
        ("randomized-response(bits=2, keep=9/10)", "3/2", 2, 1),
        ("randomized-response(values=3, records=2, keep=3/4)", 2, 3, Fraction(7, 8)),
        ("pram([[0, 1/2], [8/9, 1/4], [1/9, 1/4]], records=2)", 3, 3, Fraction(8, 9)),
        ("geometric(p=1/2, sensitivity=2)", "3/2", 1, 1),
        ("geometric(p=1/2)", "3/2", 2, 1),
    ],
)
def test_nearer_neighbours_may_be_the_worst_point_by_point(text, ratio, group, expected):
    """Ties appear further out, so the bad mass may fall with distance."""
    found = PointwiseIndistinguishability(ratio=ratio, group=group).tightest(tw.mechanism(text))
    assert found.delta == expected


# --- statistical difference -----------------------------------------------------------------------


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


@pytest.mark.parametrize("n", [1, 4, 1000])
def test_it_does_not_see_that_somebody_is_exposed(n):
    # Kasiviswanathan & Smith, Remark 1.
    verdict = tw.measure(f"random-index(records={n})", definition="statistical-difference")
    assert verdict.epsilon == Fraction(1, n)
    assert any("impossible in the other world" in note for note in verdict.notes)
    said = "is possible in one world only" if n > 1 else "Nothing is promised"
    assert said in verdict.explain(more=True)
