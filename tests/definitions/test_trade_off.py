"""Hypothesis tests: the exact curve of power against level."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import DifferentialPrivacy, mechanism
from twoworlds.definitions import StatisticalDifference
from twoworlds.definitions.record_trade_off import record_trade_off
from twoworlds.definitions.trade_off import trade_off
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import Order, bounds, compare, show
from twoworlds.testing.strategies import dense_mechanisms
from twoworlds.worlds import BitStrings, Records
from twoworlds.worlds.belief import explicit, independent

ONE = BitStrings(1)
levels = st.fractions(0, 1, max_denominator=12)


def brute_power(p, q, level):
    """The best power over all alarms and coins: a concave hull of the pure alarms."""
    points = []
    for event in product([0, 1], repeat=len(p)):
        q_on, p_on = (
            sum((m for m, on in zip(law, event, strict=True) if on), start=Fraction(0))
            for law in (q, p)
        )
        points.append((q_on, p_on))
    best = Fraction(0)
    for q1, p1 in points:
        for q2, p2 in points:
            if q1 <= level <= q2:
                share = Fraction(0) if q1 == q2 else (level - q1) / (q2 - q1)
                best = max(best, p1 + share * (p2 - p1), p1)
    return best


@given(dense_mechanisms(ONE), levels)
def test_power_is_the_best_over_all_alarms_and_coins(dense, level):
    if dense.outputs.size > 5:
        return
    p, q = ([dense.probability(o, (v,)) for o in dense.outputs] for v in (1, 0))
    assert trade_off(dense, "1", "0").power(level) == brute_power(p, q, level)


@given(dense_mechanisms(ONE), levels, st.fractions(1, 5, max_denominator=4))
def test_power_stays_below_what_differential_privacy_allows(dense, level, ratio):
    curve = trade_off(dense, "1", "0")
    delta = DifferentialPrivacy().delta_at(dense, ratio).delta
    assert curve.power(level) <= curve.bound(level, ratio=ratio, delta=delta)
    difference = StatisticalDifference().tightest(dense).epsilon
    assert curve.power(level) <= curve.bound(level, ratio=1, delta=difference)


@pytest.mark.parametrize(
    ("text", "x", "y", "corners"),
    [
        ("randomized-response(bits=1, keep=3/4)", "1", "0", ["0 0", "1/4 3/4", "1 1"]),
        ("geometric(ratio=2)", 0, 3, ["0 0", "1/12 2/3", "1/6 5/6", "1/3 11/12", "1 1"]),
        ("random-index(records=4)", "0000", "1000", ["0 1/4", "3/4 1", "1 1"]),
        ("constant(bits=1)", "1", "0", ["0 0", "1 1"]),
        ("identity(bits=1)", "1", "0", ["0 1", "1 1"]),
    ],
)
def test_curves_have_exact_corners(text, x, y, corners):
    curve = trade_off(mechanism(text), x, y)
    assert [f"{c.level} {c.power}" for c in curve.corners] == corners


@pytest.mark.few(3)
@pytest.mark.parametrize("text", ["geometric(ratio=2)", "truncated-geometric(ratio=2, high=9)"])
@pytest.mark.parametrize(("x", "y"), [(1, 4), (7, 2), (0, 9)])
@given(level=levels)
def test_half_lines_give_the_power_of_the_corners(text, x, y, level):
    curve = trade_off(mechanism(text), x, y)
    assert curve.corners
    assert curve.forward.power(level) == curve.power(level)


@pytest.mark.parametrize("noise", ["skellam(1, 1)", "discrete-gaussian(sigma2=4)"])
def test_noise_of_infinitely_many_ratios_has_a_power_at_each_level(noise):
    added = mechanism(noise)
    curve = trade_off(added, 2, 0)
    assert curve.corners == ()
    law = {o: [float(added.probability(o, d)) for d in (2, 0)] for o in range(-40, 41)}
    for level in (Fraction(1, 1000), Fraction(1, 20), Fraction(9, 10)):
        left, power = float(level), 0.0
        for p, q in sorted(law.values(), key=lambda pair: -pair[0] / pair[1]):
            share = min(1.0, left / q)
            left, power = left - share * q, power + share * p
        assert float(curve.power(level)) == pytest.approx(power, rel=1e-9)
    assert (curve.power(0), curve.power(1)) == (0, 1)


@pytest.mark.parametrize("text", ["laplace(scale=2)", "gaussian(sigma=2)"])
@pytest.mark.parametrize("threshold", ["-30", "1/3", "3"])
def test_the_best_test_of_a_density_is_a_half_line(text, threshold):
    noise, t = mechanism(text), Fraction(threshold)
    level, power = noise.upper_tail(t), noise.upper_tail(t - 3)
    for curve in (trade_off(noise, 3, 0), trade_off(noise, 0, 3)):
        found = curve.forward.power(level)
        assert compare(found, power, limit=256) in (Order.EQUAL, Order.UNDECIDED)
        low, high = bounds(found)
        assert 0 < high - low < Fraction(1, 10**15) or low == high
        assert high <= 1
    assert (curve.power(0), curve.power(1)) == (0, 1)


def test_far_answers_have_no_list_of_corners_but_a_curve():
    curve = trade_off(mechanism("geometric(ratio=2)"), 0, 10**6)
    assert curve.corners == ()
    assert compare(curve.power("1/100"), 1) is Order.LESS
    assert show(curve.power("1/100")) == "just below 1"


def test_pairs_without_structure_equal_databases_and_bad_levels_are_refused():
    with pytest.raises(Unsupported, match="too many to list"):
        trade_off(mechanism("batch(count, noise=laplace(scale=1), universe=bits(1))"), "0", "1")
    with pytest.raises(InvalidInput, match="101 cannot be told from itself"):
        trade_off(mechanism("randomized-response(bits=3, keep=3/4)"), "101", "101")
    with pytest.raises(InvalidInput, match="told from itself"):
        trade_off(mechanism("geometric(ratio=2)"), 0, 0)
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        trade_off(mechanism("geometric(ratio=2)"), 0, 1).power(2)


TWO_OF_THREE = Records(3, 2)
LAW = {0: Fraction(1, 2), 1: Fraction(1, 3), 2: Fraction(1, 6)}


def mixed(dense, belief, person, values):
    """The law of the output given that a record is one of the values, by plain addition."""
    chosen = {x: p for x, p in belief.items() if x[person - 1] in values}
    total = sum(chosen.values())
    return [
        sum((p * dense.probability(t, x) for x, p in chosen.items()), start=Fraction(0)) / total
        for t in dense.outputs
    ]


@given(dense_mechanisms(TWO_OF_THREE), levels, st.sampled_from([1, 2]))
def test_a_test_about_one_record_is_the_best_between_two_mixtures(dense, level, person):
    if dense.outputs.size > 4:
        return
    belief = independent(TWO_OF_THREE, [LAW, {0: "1/4", 1: "1/4", 2: "1/2"}])
    curve = record_trade_off(dense, belief=belief, person=person, alternative=[1, 2])
    p, q = mixed(dense, belief, person, (1, 2)), mixed(dense, belief, person, (0,))
    assert curve.null == (0,)
    assert curve.power(level) == brute_power(p, q, level)


@given(dense_mechanisms(TWO_OF_THREE), levels, st.sampled_from([([1], [0]), ([0, 2], [1])]))
def test_equations_4_and_5_bound_the_power_under_a_product_law(dense, level, sets):
    alternative, null = sets
    curve = record_trade_off(
        dense,
        belief=independent(TWO_OF_THREE, [LAW]),
        person=2,
        alternative=alternative,
        null=null,
    )
    assert curve.independent
    assert curve.power(level) <= curve.largest_power(level)
    assert curve.power(level) <= curve.largest_power_by_difference(level)


def test_equation_4_fails_under_a_belief_that_ties_the_records():
    noisy = mechanism("truncated-geometric(ratio=2, bits=3)")
    tied = explicit(noisy.universe, {"111": "1/2", "000": "1/2"})
    curve = record_trade_off(noisy, belief=tied, person=1, alternative=[1])
    assert not curve.independent
    assert curve.power("1/12") == Fraction(2, 3)  # 8 times the level, where e^epsilon is 2
    with pytest.raises(Unsupported, match="ties record 1"):
        curve.largest_power("1/12")
    assert "ties record 1 to the others" in curve.explain()
    assert curve.to_dict()["independent"] is False


def test_knowing_all_others_gives_the_test_of_two_databases():
    noisy = mechanism("geometric(ratio=2, bits=3)")
    curve = record_trade_off(noisy, belief="informed(110, 3, 1/5)", person=3, alternative=[1])
    assert curve.corners == trade_off(noisy, "111", "110").corners
    assert curve.independent


def test_equation_5_says_little_about_a_record_either():
    exposed = mechanism("random-index(records=4)")
    curve = record_trade_off(exposed, belief="uniform", person=2, alternative=[0])
    assert curve.power(0) == Fraction(1, 4)
    assert curve.largest_power_by_difference(0) == Fraction(1, 4)
    assert "sure, without any false alarm" in curve.explain()


def test_a_count_with_infinitely_many_outputs_has_exact_corners():
    noisy = mechanism("geometric(ratio=2, bits=3)")
    curve = record_trade_off(noisy, belief="independent(1/2)", person=1, alternative=[1])
    found = [f"{c.level} {c.power}" for c in curve.corners]
    assert found == ["0 0", "3/16 3/8", "3/8 5/8", "5/8 13/16", "1 1"]


@pytest.mark.parametrize(
    ("text", "given", "said"),
    [
        ("skellam(1, 1, bits=2)", {}, "infinitely many"),
        ("gaussian(sigma=1, bits=2)", {}, "infinitely many"),
        ("geometric(ratio=2)", {}, "no persons"),
        ("parity(bits=2)", {"alternative": [7]}, "7 is not a value"),
        ("parity(bits=2)", {"alternative": []}, "alternative is empty"),
        ("parity(bits=2)", {"null": [1, 0]}, "must not overlap"),
        ("parity(bits=2)", {"person": 3}, "there are 2"),
        ("parity(bits=2)", {"belief": "independent(1)"}, "no chance to be 0"),
        ("parity(bits=2)", {"alternative": [1, 0]}, "no chance to be anything else"),
    ],
)
def test_bad_questions_about_a_record_are_refused(text, given, said):
    asked = {"belief": "uniform", "person": 1, "alternative": [1], **given}
    with pytest.raises((InvalidInput, Unsupported), match=said):
        record_trade_off(mechanism(text), **asked)


@pytest.mark.parametrize(
    ("text", "x", "y"),
    [
        ("laplace(scale=1/20)", -3, 2),
        ("gaussian(sigma=1/20)", -3, 2),
        ("skellam(l1=1, l2=1)", 0, 60),
    ],
)
def test_no_enclosure_of_a_power_reaches_beyond_one(text, x, y):
    curve = trade_off(mechanism(text), x, y)
    for level in ("1/200", "1/2", "999/1000"):
        low, high = bounds(curve.power(level))
        assert Fraction(9, 10) < low <= high <= 1
        assert bounds(curve.type_two(level))[0] >= 0
    for corner in curve.corners:
        assert max(bounds(corner.level)[1], bounds(corner.power)[1]) <= 1
