"""Hypothesis tests: the exact curve of power against level."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import DifferentialPrivacy, StatisticalDifference, mechanism
from twoworlds.definitions.trade_off import trade_off
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.testing.strategies import dense_mechanisms
from twoworlds.worlds import BitStrings

ONE = BitStrings(1)
levels = st.fractions(0, 1, max_denominator=12)


def brute_power(dense, x, y, level):
    """The best power over all alarms and coins: a concave hull of the pure alarms."""
    points = []
    for event in product([0, 1], repeat=dense.outputs.size):
        p, q = (
            sum((dense.probability(o, d) for o, on in zip(dense.outputs, event, strict=True) if on),
                start=Fraction(0))
            for d in (x, y)
        )  # fmt: skip
        points.append((q, p))
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
    assert trade_off(dense, "1", "0").power(level) == brute_power(dense, (1,), (0,), level)


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


def test_randomized_response_detects_three_in_a_hundred_at_one_false_alarm_in_a_hundred():
    curve = trade_off(mechanism("randomized-response(bits=1, keep=3/4)"), "1", "0")
    assert curve.power("1/100") == Fraction(3, 100)
    assert curve.type_two("1/100") == Fraction(97, 100)


def test_curves_without_corners_and_bad_levels_are_refused():
    with pytest.raises(Unsupported, match="infinitely many"):
        trade_off(mechanism("skellam(1, 1)"), 0, 1)
    with pytest.raises(InvalidInput, match="not its own neighbour"):
        trade_off(mechanism("geometric(ratio=2)"), 0, 0)
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        trade_off(mechanism("geometric(ratio=2)"), 0, 1).power(2)
