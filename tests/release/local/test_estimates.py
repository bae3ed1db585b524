"""Estimates: unbiased, with the stated variance, by going through all outputs."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.accuracy import (
    randomized_response_mean_square_error,
)
from twoworlds.numbers import bounds
from twoworlds.release.local import Randomizer, estimate, variance_of_estimate
from twoworlds.release.local.estimates import projected
from twoworlds.release.local.linear import Inverse

F = Fraction
CHANNELS = {
    "coin": Randomizer.of("randomized-response(keep=3/4)", values="a, b"),
    "coin that lies": Randomizer.of("randomized-response(keep=1/5)", values="a, b"),
    "three values": Randomizer.of("randomized-response(keep=1/2)", values="a, b, c"),
    "frapp": Randomizer.of("frapp(gamma=3)", values="a, b, c"),
    "pram": Randomizer.of(
        "pram([[1/2, 1/4, 1/8], [1/4, 1/2, 1/8], [1/4, 1/4, 3/4]])", values="a, b, c"
    ),
    "pram of two": Randomizer.of("pram([[3/5, 1/7], [2/5, 6/7]])", values="a, b"),
    "more reports": Randomizer.of(
        "pram([[1/2, 1/4], [1/4, 1/3], [1/4, 5/12], [0, 0]], outputs=[w, x, y, z])", values="a, b"
    ),
}
each_channel = pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)


def outcomes(channel, data):
    """All outputs of some records: their probability, and how often each report occurs."""
    rows, count = channel.rows, len(channel.outputs)
    for reports in product(range(count), repeat=len(data)):
        mass = prod((rows[o][v] for o, v in zip(reports, data, strict=True)), start=F(1))
        if mass:
            yield mass, [reports.count(o) for o in range(count)]


def datasets(channel):
    values = len(channel.values)
    return [(0,), (0, 1), (1, 1, 0), tuple(v % values for v in range(4)), (values - 1,) * 3]


@each_channel
def test_estimates_are_unbiased_and_add_up_by_enumeration(channel):
    for data in datasets(channel):
        mean = [F(0)] * len(channel.values)
        for mass, reports in outcomes(channel, data):
            found = estimate(reports, channel)
            assert sum(found.counts.values()) == len(data)
            mean = [m + mass * c for m, c in zip(mean, found.counts.values(), strict=True)]
        assert mean == [data.count(v) for v in range(len(channel.values))]


@each_channel
def test_the_variance_and_the_mean_of_its_estimate_by_enumeration(channel):
    for data in datasets(channel):
        histogram = [data.count(v) for v in range(len(channel.values))]
        exact = list(variance_of_estimate(histogram, channel).values())
        square, guessed = [F(0)] * len(histogram), [F(0)] * len(histogram)
        for mass, reports in outcomes(channel, data):
            for v, one in enumerate(estimate(reports, channel).each):
                square[v] += mass * (one.count - histogram[v]) ** 2
                guessed[v] += mass * one.variance
                assert exact[v] <= one.largest_variance
        assert square == guessed == exact


@given(st.integers(0, 500), st.integers(0, 500), st.integers(1, 99))
def test_two_values_agree_with_wu_proposition_3_3(ones, zeros, hundredths):
    if hundredths == 50 or ones + zeros == 0:
        return
    keep, n = F(hundredths, 100), ones + zeros
    found = estimate(
        [ones, zeros],
        Randomizer.of(f"randomized-response(keep={keep})", values="yes, no"),
    )
    assert found.counts["yes"] == (ones - n * (1 - keep)) / (2 * keep - 1)
    error = randomized_response_mean_square_error(n, keep)
    assert {one.variance for one in found.each} == {one.largest_variance for one in found.each}
    assert found.each[0].variance == error


def test_irrational_randomized_response_is_taken_back_exactly():
    """At epsilon = 1 and n reports, c of them v: (c (e + k - 1) - n) / (e - 1)."""
    made = Randomizer.of("randomized-response(epsilon=1)", values="a, b, c")
    found = estimate([10, 20, 70], made)
    e = F("2.718281828459045235360287471352662497757247093699959574966967627724")
    for one, c in zip(found.each, (10, 20, 70), strict=True):
        low, high = bounds(one.count, 160)
        assert low <= high
        assert abs(low - (c * (e + 2) - 100) / (e - 1)) < F(1, 10**30)
    assert abs(bounds(sum(found.counts.values()))[0] - 100) < F(1, 10**20)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("randomized-response(keep=1/2)", "a, b"),
        ("randomized-response(epsilon=0)", "a, b, c"),
        ("pram([[1/2, 1/2, 1/8], [1/4, 1/4, 1/8], [1/4, 1/4, 3/4]])", "a, b, c"),
        ("pram([[1/2, 1/4, 1/8], [1/2, 3/4, 7/8]], outputs=[x, y])", "a, b, c"),
    ],
)
def test_rejects_a_channel_without_inverse(text, values):
    made = Randomizer.of(text, values=values)
    with pytest.raises(InvalidInput, match="no estimate tells them apart"):
        estimate([1] * len(made.outputs), made)


@each_channel
def test_the_spread_is_the_largest_change_that_one_report_makes(channel):
    """Estimates from single reports: what Hoeffding's inequality needs."""
    possible = [o for o, row in enumerate(channel.rows) if any(row)]
    single = [
        estimate([int(o == i) for o in range(len(channel.outputs))], channel) for i in possible
    ]
    for v, value in enumerate(channel.values):
        counts = [found.counts[value] for found in single]
        assert Inverse.of(channel).spread(v) == max(counts) - min(counts)


def test_rejects_an_irrational_matrix():
    made = Randomizer.of("pram([[e^(-1), 1/7], [1 - e^(-1), 6/7]])", values="a, b")
    with pytest.raises(InvalidInput, match="give the matrix as fractions"):
        estimate([1, 1], made)


@pytest.mark.parametrize(
    ("reports", "options", "message"),
    [
        ([1, 2, 3], {}, "3 counts for 2 reports"),
        ([1, -2], {}, "count of b"),
        ([1, 2.5], {}, "count of b"),
        ({"a": 1, "z": 2}, {}, "1 of the counts are for no report"),
        ([1, 2], {"confidence": 1}, "confidence=1"),
        ([1, 2], {"confidence": "0%"}, "confidence=0%"),
        ([1, 2], {"confidence": 2}, "confidence=2"),
    ],
)
def test_rejects_bad_counts(reports, options, message):
    with pytest.raises(InvalidInput, match=message):
        estimate(reports, CHANNELS["coin"], **options)


def test_rejects_reports_that_never_occur():
    with pytest.raises(InvalidInput, match="never reports 'z'"):
        estimate([1, 1, 1, 1], CHANNELS["more reports"])


def nearest_on_a_grid(point, total, step):
    grid = range(0, total * step + 1)
    feasible = (
        [F(a, step), F(b, step), total - F(a + b, step)] for a in grid for b in grid if
        a + b <= total * step
    )  # fmt: skip
    return min(feasible, key=lambda x: sum((u - v) ** 2 for u, v in zip(x, point, strict=True)))


@pytest.mark.parametrize(
    "point", [(5, 5, 0), (-3, 4, 9), (-2, -2, 14), (12, -1, -1), (4, 3, 3), (20, -5, -5), (8, 7, 1)]
)
def test_the_projection_is_nearest_among_feasible_points(point):
    exact = [F(x) for x in point]
    found = projected(exact, 10)
    assert sum(found) == 10
    assert min(found) >= 0
    grid = nearest_on_a_grid(exact, 10, 4)
    assert sum((u - v) ** 2 for u, v in zip(found, exact, strict=True)) <= sum(
        (u - v) ** 2 for u, v in zip(grid, exact, strict=True)
    )


def test_feasible_counts_are_the_estimates_when_these_are_feasible():
    found = estimate([50, 50], CHANNELS["coin"])
    assert found.feasible() == found.counts
    assert estimate([100, 0], CHANNELS["coin"]).feasible() == {"a": 100, "b": 0}
    skew = estimate([10, 20, 70], Randomizer.of("randomized-response(epsilon=1)", values="a,b,c"))
    assert sum(skew.feasible().values()) == pytest.approx(100)
