"""Two shifted copies of integer noise: all events on a clamped range, truncated sums without."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import Unsupported
from twoworlds.laws.event import Anything, AtLeast, AtMost, Listed, OnRecords
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    SkellamNoise,
)
from twoworlds.laws.shifted import Shifted
from twoworlds.mechanisms.on_statistic import AddedNoise, OnStatistic
from twoworlds.numbers import INFINITY, ball, bounds, exp
from twoworlds.testing import enumeration as brute
from twoworlds.worlds import SUBSTITUTE, Additive, BitStrings

RATIONAL = [
    GeometricNoise(Fraction(1, 2)),
    GeometricNoise(Fraction(4, 5)),
    NegativeBinomialDifference(Fraction(1, 2), 2),
    NegativeBinomialDifference(Fraction(2, 3), 4),
]
ENCLOSED = [
    SkellamNoise(Fraction(1), Fraction(1)),
    SkellamNoise(Fraction(3), Fraction(1, 2)),
    DiscreteGaussianNoise(Fraction(2)),
    GeometricNoise(exp(Fraction(-1, 2))),
]
NOISES = st.sampled_from(RATIONAL)
ANSWERS = st.integers(-4, 4)
RATIOS = st.one_of(
    st.sampled_from([Fraction(1), Fraction(2), Fraction(4)]),
    st.fractions(min_value=1, max_value=6, max_denominator=8),
)
DELTAS = st.fractions(min_value=0, max_value=1, max_denominator=30)


def exact(noise, k):
    """P(Z = k), rational; verified against its definition in test_noise.py."""
    return noise.pmf(k)


@cache
def clamped_law(noise, answer, low, high):
    """The law of max(low, min(high, answer + Z)), heaping by plain sums of probabilities."""
    inside = {o: exact(noise, o - answer) for o in range(low, high + 1)}
    upper = noise.at_least(high + 1 - answer)
    lower = 1 - upper - sum(inside.values())
    inside[low] += lower
    inside[high] += upper
    return inside


def worst_gap(p, q, ratio):
    return brute.largest_excess([*p.values()], [*q.values()], ratio)


@st.composite
def clamped(draw):
    """Two answers, noise, and a range of at most 6 outputs that need not hold the answers."""
    low = draw(st.integers(-4, 2))
    high = low + draw(st.integers(0, 5))
    return draw(ANSWERS), draw(ANSWERS), draw(NOISES), low, high


def compared(case):
    u, v, noise, low, high = case
    laws = (clamped_law(noise, u, low, high), clamped_law(noise, v, low, high))
    return Shifted("x", "y", u, v, noise, low, high), *laws


@given(clamped(), RATIOS)
def test_the_gap_on_a_range_equals_the_best_event_by_enumeration(case, ratio):
    comparison, p, q = compared(case)
    found = comparison.gap(ratio)
    lines = [a - ratio * b for a, b in comparison.lines()]
    assert found.delta == worst_gap(p, q, ratio) == max([Fraction(0), *lines])
    chosen = [o for o in p if found.event.holds(o)]
    assert sum(p[o] for o in chosen) - ratio * sum(q[o] for o in chosen) == found.delta


@given(clamped())
def test_the_peak_on_a_range_equals_the_best_event_by_enumeration(case):
    comparison, p, q = compared(case)
    found = comparison.peak()
    assert found.ratio == max(p[o] / q[o] for o in p)
    assert found.attained
    chosen = [o for o in p if found.event.holds(o)]
    assert sum(p[o] for o in chosen) == found.ratio * sum(q[o] for o in chosen) > 0


@given(clamped(), DELTAS)
def test_ratio_for_on_a_range_is_the_smallest_that_every_event_obeys(case, delta):
    comparison, p, q = compared(case)
    assert comparison.ratio_for(delta) == brute.smallest_ratio([*p.values()], [*q.values()], delta)


WIDTH = 60


@cache
def window(noise, answer):
    """Probabilities near the answers, and a bound on all that lies outside."""
    inside = {o: exact(noise, o - answer) for o in range(-WIDTH, WIDTH + 1)}
    return inside, 1 - sum(inside.values())


def truncated_gap(noise, u, v, ratio):
    """Bounds of the sum of max(0, P - a Q) over all whole numbers."""
    (p, outside), (q, _) = window(noise, u), window(noise, v)
    inside = sum(max(Fraction(0), p[o] - ratio * q[o]) for o in p)
    return inside, inside + outside


@given(NOISES, ANSWERS, ANSWERS, RATIOS)
def test_the_gap_without_a_range_equals_the_truncated_sum(noise, u, v, ratio):
    low, high = truncated_gap(noise, u, v, ratio)
    found = Shifted("x", "y", u, v, noise).gap(ratio)
    assert low <= found.delta <= high
    channel = AddedNoise(noise)
    assert channel.mass(found.event, u) - ratio * channel.mass(found.event, v) == found.delta


@given(NOISES, ANSWERS, ANSWERS)
def test_the_peak_without_a_range_bounds_every_output_and_is_approached(noise, u, v):
    found = Shifted("x", "y", u, v, noise).peak()
    ratios = [exact(noise, o - u) / exact(noise, o - v) for o in range(-200, 201)]
    assert max(ratios) <= found.ratio
    channel = AddedNoise(noise)
    shown = channel.mass(found.event, u) / channel.mass(found.event, v)
    if found.attained:
        assert shown == found.ratio == max(ratios)
    else:
        assert 1 + (found.ratio - 1) * Fraction(99, 100) <= shown < found.ratio


@given(NOISES, ANSWERS, ANSWERS, DELTAS)
def test_ratio_for_without_a_range_is_the_smallest(noise, u, v, delta):
    ratio = Shifted("x", "y", u, v, noise).ratio_for(delta)
    assert ratio >= 1
    assert truncated_gap(noise, u, v, ratio)[0] <= delta
    if ratio > 1:
        less = 1 + (ratio - 1) * Fraction(9999, 10_000)
        if delta > 0:
            assert truncated_gap(noise, u, v, less)[1] > delta
        assert Shifted("x", "y", u, v, noise).gap(less).delta > delta


@given(st.sampled_from(RATIONAL[:2]), ANSWERS, ANSWERS, ANSWERS, st.booleans(), RATIOS)
def test_a_range_with_one_end_is_exact_too(noise, u, v, end, upper, ratio):
    low, high = (None, end) if upper else (end, None)
    comparison = Shifted("x", "y", u, v, noise, low, high)
    (p, outside), (q, _) = window(noise, u), window(noise, v)

    def heaped(law, answer):
        kept = {o: m for o, m in law.items() if (o < end if upper else o > end)}
        tail = noise.at_least(end - answer) if upper else 1 - noise.at_least(end + 1 - answer)
        return {**kept, end: tail}

    p, q = heaped(p, u), heaped(q, v)
    inside = sum(max(Fraction(0), p[o] - ratio * q[o]) for o in p)
    found = comparison.gap(ratio)
    assert inside <= found.delta <= inside + outside
    assert max([Fraction(0), *(a - ratio * b for a, b in comparison.lines())]) == found.delta
    top = comparison.peak()
    assert max(p[o] / q[o] for o in p) <= top.ratio
    channel = AddedNoise(noise, low, high)
    masses = channel.mass(top.event, u), channel.mass(top.event, v)
    assert masses[0] == top.ratio * masses[1] > 0
    needed = comparison.ratio_for(Fraction(1, 10))
    assert comparison.gap(needed).delta <= Fraction(1, 10)
    if needed > 1:
        less = 1 + (needed - 1) * Fraction(9999, 10_000)
        assert comparison.gap(less).delta > Fraction(1, 10)


@pytest.mark.parametrize("noise", [*RATIONAL[2:], *ENCLOSED[:3]])
def test_infinitely_many_pieces_are_refused_kindly(noise):
    with pytest.raises(Unsupported, match="infinitely many pieces"):
        Shifted("x", "y", 1, 0, noise).lines()


def close(a, b, tolerance=Fraction(1, 10**20)):
    with ctx.workprec(200):
        return (ball(a, 200) - ball(b, 200)).abs_upper() < ball(tolerance, 200)


@pytest.mark.few(6)
@pytest.mark.parametrize("noise", ENCLOSED, ids=lambda noise: noise.expression)
@pytest.mark.parametrize(("u", "v"), [(1, 0), (-2, 1), (3, 0)])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3), exp(Fraction(1, 3))])
def test_enclosed_gaps_equal_truncated_sums(noise, u, v, ratio):
    found = Shifted("x", "y", u, v, noise).gap(ratio)
    a = bounds(ratio)[1]
    total = Fraction(0)
    for o in range(-130, 131):
        p, q = (sum(bounds(noise.pmf(o - answer))) / 2 for answer in (u, v))
        total += max(Fraction(0), p - a * q)
    assert close(found.delta, total)
    channel = AddedNoise(noise)
    mass_u, mass_v = channel.mass(found.event, u), channel.mass(found.event, v)
    assert close(mass_u - ratio * mass_v, found.delta, Fraction(1, 10**30))


@pytest.mark.parametrize("noise", ENCLOSED, ids=lambda noise: noise.expression)
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**30)])
def test_enclosed_ratios_undo_the_gap(noise, delta):
    comparison = Shifted("x", "y", 2, 0, noise)
    ratio = comparison.ratio_for(delta)
    assert ratio > 1
    low, high = bounds(ratio)
    assert comparison.gap(high).delta <= delta
    less = 1 + (low - 1) * (1 - Fraction(1, 10**12))
    assert comparison.gap(less).delta > delta


@pytest.mark.parametrize("noise", ENCLOSED[:3], ids=lambda noise: noise.expression)
def test_unbounded_noise_has_no_finite_ratio(noise):
    comparison = Shifted("x", "y", 1, 0, noise)
    found = comparison.peak()
    assert found.ratio == INFINITY
    assert not found.attained
    channel = AddedNoise(noise)
    assert channel.mass(found.event, 1) > 100 * channel.mass(found.event, 0)
    assert comparison.ratio_for(Fraction(0)) == INFINITY
    assert comparison.gap(INFINITY).delta == 0


@pytest.mark.parametrize("noise", [*RATIONAL, *ENCLOSED], ids=lambda noise: noise.expression)
@pytest.mark.parametrize("ends", [(None, None), (0, 3)])
def test_equal_answers_are_not_told_apart(noise, ends):
    same = Shifted("x", "y", 2, 2, noise, *ends)
    assert same.peak().ratio == 1
    assert same.gap(Fraction(1)).delta == 0
    assert same.ratio_for(Fraction(0)) == 1
    assert same.lines() == []


def test_a_ratio_just_below_its_limit_is_found():
    noise = NegativeBinomialDifference(Fraction(1, 2), 2)
    near = 2 - Fraction(1, 10**6)
    found = Shifted("x", "y", 1, 0, noise).gap(near)
    channel = AddedNoise(noise)
    assert found.delta > 0
    assert channel.mass(found.event, 1) - near * channel.mass(found.event, 0) == found.delta
    with pytest.raises(Unsupported, match="too near its limit"):
        Shifted("x", "y", 1, 0, noise).gap(2 - Fraction(1, 10**20))


def _count(noise, bits=3, low=None, high=None):
    count = Additive(lambda bit: bit, name="count")
    return OnStatistic(BitStrings(bits), count, AddedNoise(noise, low, high), expression="count")


@given(NOISES, st.integers(1, 3), st.booleans(), RATIOS)
def test_a_noisy_count_is_as_bad_as_its_worst_neighbours(noise, group, clamp, ratio):
    ends = (0, 3) if clamp else (None, None)
    mechanism = _count(noise, 3, *ends)
    comparison, found = mechanism.family(SUBSTITUTE, group).gap(ratio)
    answers = [(u, v) for u in range(4) for v in range(4) if 0 < abs(u - v) <= group]
    if clamp:
        laws = {u: clamped_law(noise, u, 0, 3) for u in range(4)}
        assert found.delta == max(worst_gap(laws[u], laws[v], ratio) for u, v in answers)
    else:
        bounds_ = [truncated_gap(noise, u, v, ratio) for u, v in answers]
        assert max(low for low, _ in bounds_) <= found.delta <= max(high for _, high in bounds_)
    x, y = comparison.x, comparison.y
    assert 0 < sum(a != b for a, b in zip(x, y, strict=True)) <= group
    witnessed = mechanism.mass(found.event, x) - ratio * mechanism.mass(found.event, y)
    assert witnessed == found.delta


@given(NOISES, ANSWERS, st.integers(-3, 1), st.integers(0, 5))
def test_the_mass_of_events_is_the_sum_of_their_outputs(noise, answer, low, size):
    high = low + size
    channel = AddedNoise(noise, low, high)
    law = clamped_law(noise, answer, low, high)
    assert {o: channel.probability(o, answer) for o in channel.outputs} == law
    for t in range(low - 2, high + 3):
        for event in (
            AtLeast(t),
            AtMost(t),
            AtLeast(t - Fraction(1, 2)),
            AtMost(t + Fraction(1, 3)),
        ):
            assert channel.mass(event, answer) == sum(m for o, m in law.items() if event.holds(o))
    assert channel.mass(Anything(), answer) == 1
    assert channel.mass(Listed.of(range(low - 1, high + 2)), answer) == 1
    assert channel.mass(Listed.of(()), answer) == 0


def test_an_event_of_another_kind_has_no_mass_here():
    with pytest.raises(Unsupported, match="integer noise"):
        AddedNoise(RATIONAL[0]).mass(OnRecords((0,), frozenset()), 0)


@pytest.mark.statistical
@pytest.mark.parametrize("ends", [(None, None), (0, 3)])
def test_samples_follow_the_clamped_law(ends):
    """A fresh seed would fail once in a million runs (chi-square tail of Laurent & Massart)."""
    mechanism = _count(GeometricNoise(Fraction(1, 2)), 3, *ends)
    rng = np.random.default_rng(20_240_503)
    n = 4000
    drawn = [mechanism.sample("110", rng) for _ in range(n)]
    cells = [AtMost(0), Listed.of([1]), Listed.of([2]), AtLeast(3)]
    statistic = 0.0
    for cell in cells:
        expected = n * float(mechanism.mass(cell, (1, 1, 0)))
        statistic += (sum(cell.holds(o) for o in drawn) - expected) ** 2 / expected
    assert all(o in mechanism.outputs for o in set(drawn))
    degrees, tail = len(cells) - 1, 14.0
    assert statistic < degrees + 2 * (degrees * tail) ** 0.5 + 2 * tail
