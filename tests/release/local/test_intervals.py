"""Intervals: their coverage, exactly, by going through all reports."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest

from twoworlds.numbers import bounds
from twoworlds.release.local import Randomizer, estimate
from twoworlds.release.local.linear import (
    hoeffding_interval,
    tail_interval,
)

F = Fraction
ALPHA = F(1, 20)


def binomial(m, p):
    return [comb(m, j) * p**j * (1 - p) ** (m - j) for j in range(m + 1)]


def reported(h, n, a, b):
    """The law of Bin(h, a) + Bin(n - h, b)."""
    law = [F(0)] * (n + 1)
    for i, p in enumerate(binomial(h, a)):
        for j, q in enumerate(binomial(n - h, b)):
            law[i + j] += p * q
    return law


def brute_interval(seen, n, a, b, alpha):
    """All counts that neither tail excludes, in exact fractions."""
    kept = [
        h
        for h in range(n + 1)
        if sum((law := reported(h, n, a, b))[seen:]) > alpha / 2
        and sum(law[: seen + 1]) > alpha / 2
    ]
    return (min(kept), max(kept)) if kept else None


CASES = [
    (n, F(a), F(b))
    for n in (1, 2, 7, 16)
    for a, b in (("3/4", "1/4"), ("1/4", "3/4"), ("3/5", "1/7"), ("1", "1/2"), ("1/10", "0"))
]


@pytest.mark.few(3)
@pytest.mark.parametrize(("n", "a", "b"), CASES)
def test_tail_intervals_are_those_of_exact_fractions(n, a, b):
    for seen in range(n + 1):
        found = tail_interval(seen, n, a, b, ALPHA)
        expected = brute_interval(seen, n, a, b, ALPHA)
        if expected is not None:
            assert (found.low, found.high) == expected
        else:
            assert found.low == found.high or found.high - found.low == 1


@pytest.mark.few(6)
@pytest.mark.parametrize(("n", "a", "b"), CASES)
@pytest.mark.parametrize("alpha", [F(1, 20), F(1, 3), F(9, 10)])
def test_tail_intervals_cover_the_true_count(n, a, b, alpha):
    found = [tail_interval(seen, n, a, b, alpha) for seen in range(n + 1)]
    for h in range(n + 1):
        law = reported(h, n, a, b)
        covered = sum(p for p, one in zip(law, found, strict=True) if one.low <= h <= one.high)
        assert covered >= 1 - alpha


@pytest.mark.parametrize(("n", "a", "b"), [case for case in CASES if case[1] != case[2]])
def test_hoeffding_intervals_cover_the_true_count_and_hold_the_tail_intervals(n, a, b):
    found = [
        hoeffding_interval((seen - b * n) / (a - b), 1 / abs(a - b), n, ALPHA)
        for seen in range(n + 1)
    ]
    for h in range(n + 1):
        law = reported(h, n, a, b)
        covered = sum(p for p, one in zip(law, found, strict=True) if one.low <= h <= one.high)
        assert covered >= 1 - ALPHA
    for seen, wide in enumerate(found):
        narrow = tail_interval(seen, n, a, b, ALPHA)
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize(
    "channel",
    [
        Randomizer.of("randomized-response(keep=3/5)", values="a, b, c"),
        Randomizer.of("pram([[1/2, 1/4, 1/8], [1/4, 1/2, 1/8], [1/4, 1/4, 3/4]])", values="a,b,c"),
    ],
)
def test_intervals_of_all_values_cover_at_once_if_asked(channel, simultaneous):
    """Five records of three values: all 243 outputs for each of some data."""
    rows, alpha = channel.rows, F(1, 4)
    known = {}
    for data in [(0, 0, 0, 0, 0), (0, 1, 2, 2, 2), (1, 1, 1, 2, 0)]:
        each, at_once = [F(0)] * 3, F(0)
        for reports in product(range(3), repeat=5):
            mass = F(1)
            for o, v in zip(reports, data, strict=True):
                mass *= rows[o][v]
            counts = tuple(reports.count(o) for o in range(3))
            if counts not in known:
                known[counts] = estimate(
                    counts, channel, confidence=1 - alpha, simultaneous=simultaneous
                )
            hits = [
                one.interval.low <= data.count(v) <= one.interval.high
                for v, one in enumerate(known[counts].each)
            ]
            each = [e + mass * hit for e, hit in zip(each, hits, strict=True)]
            at_once += mass * all(hits)
        assert min(each) >= 1 - alpha
        if simultaneous:
            assert at_once >= 1 - alpha


def test_a_large_survey_is_enclosed_within_the_normal_width():
    made = Randomizer.of("randomized-response(keep=3/4)", values="a, b")
    one = estimate([4_000, 6_000], made).each[0]
    assert one.interval.method == "exact tails"
    assert abs(one.interval.low - one.normal.low) < 3
    assert abs(one.interval.high - one.normal.high) < 3


def test_a_huge_survey_falls_back_to_hoeffding():
    made = Randomizer.of("randomized-response(keep=3/4)", values="a, b")
    one = estimate([4 * 10**9, 6 * 10**9], made).each[0]
    assert one.interval.method == "Hoeffding's inequality"
    assert one.interval.low < 3 * 10**9 < one.interval.high


def test_irrational_tails_cover_too():
    made = Randomizer.of("randomized-response(epsilon=1)", values="a, b, c")
    keep, other = (bounds(p)[0] for p in made.rows[0][:2])
    found = [estimate([seen, 9 - seen, 0], made).each[0].interval for seen in range(10)]
    for h in range(10):
        law = reported(h, 9, keep, other)
        covered = sum(p for p, one in zip(law, found, strict=True) if one.low <= h <= one.high)
        assert covered >= 1 - ALPHA


def test_reports_that_hardly_fit_leave_the_nearest_count():
    found = tail_interval(100, 100, F(3, 5), F(1, 5), ALPHA)
    assert (found.low, found.high) == (100, 100)
    found = tail_interval(0, 100, F(3, 5), F(1, 5), ALPHA)
    assert (found.low, found.high) == (0, 0)
