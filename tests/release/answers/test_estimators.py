"""Estimates and intervals, checked by going through every noise of a narrow law."""

from fractions import Fraction
from itertools import product
from math import sqrt

import pytest

from tests.release.answers.helpers import (
    FREE,
    PERSON,
    ROW,
    asked,
    calibrated,
    laplace,
    noised,
)
from tests.release.noise.scripted import SeededBits
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise
from twoworlds.release.answers import AnswerContext, QueryAnswer, expected_errors
from twoworlds.release.answers.estimates import EXACT, LAW, estimators
from twoworlds.release.costs import Cost
from twoworlds.release.noise import Sampler
from twoworlds.release.policy.model import Column, Dataset
from twoworlds.release.query import Query

HALF = noised(GeometricNoise(Fraction(1, 2)))
THIRD = noised(GeometricNoise(Fraction(1, 3)))
NARROW = Dataset(
    "people",
    None,
    "add-remove",
    columns={
        "x": Column("x", "integer", low=Fraction(0), high=Fraction(5)),
        "y": Column("y", "number", low=Fraction(-1), high=Fraction(2), unit=Fraction(1, 2)),
    },
)


def made(query, *noises, dataset=ROW):
    resolved = asked(query, dataset)
    return resolved, estimators(resolved, calibrated(resolved, *noises).noises[0])


def through(noises, reach):
    """Yield every combination of noises up to a reach, with its probability."""
    for zs in product(range(-reach, reach + 1), repeat=len(noises)):
        p = Fraction(1)
        for z, noise in zip(zs, noises, strict=True):
            p *= noise.law.pmf(z)
        yield zs, p


# --- counts and sums ----------------------------------------------------------------------------


@pytest.mark.parametrize("law", [HALF.law, THIRD.law, DiscreteGaussianNoise(Fraction(7, 3))])
def test_counts_and_sums_are_unbiased_and_their_interval_is_exact(law):
    _, (count, total) = made(Query("people").count().sum("income"), noised(law), noised(law))
    for column, truth, unit in ((count, 12, Fraction(1)), (total, 345, Fraction(1, 2))):
        mean = covered = shorter = 0.0
        for z in range(-60, 61):
            found = column.estimate([12 + z, 345 + z])
            p = float(law.pmf(z))
            mean += p * float(found.value - unit * truth)
            covered += p * (found.low <= unit * truth <= found.high)
            shorter += p * (found.low + unit <= unit * truth <= found.high - unit)
        assert mean == pytest.approx(0, abs=1e-12)
        assert covered >= 0.95 > shorter
        assert float(column.estimate([0, 0]).error) == pytest.approx(
            float(unit) * sqrt(float(law.variance))
        )
        assert column.certainty == LAW


def test_under_substitution_a_count_of_all_is_exact_and_says_so():
    _, (count,) = made(Query("visits").count(), FREE, dataset=PERSON)
    found = count.estimate([77])
    assert (found.value, found.error, found.low, found.high) == (77, 0, 77, 77)
    assert count.certainty == EXACT


# --- means and variances ------------------------------------------------------------------------


def truth_of(values, center):
    return len(values), sum(v - center for v in values), sum((v - center) ** 2 for v in values)


@pytest.mark.parametrize("values", [[3], [0, 5], [1, 1, 4], [0] * 6 + [5] * 6, [5] * 30])
def test_the_interval_of_a_mean_covers_it_with_at_least_95_percent(values):
    resolved, (mean,) = made(Query("people").mean("x"), HALF, THIRD, dataset=NARROW)
    n, total, _ = truth_of(values, resolved.measures[1].center)
    true = Fraction(sum(values), n)
    covered = Fraction(0)
    for (z, w), p in through((HALF, THIRD), 14):
        found = mean.estimate([n + z, total + w])
        assert 0 <= found.low <= found.value <= found.high <= 5
        covered += p * (found.low <= true <= found.high)
    assert covered >= Fraction(95, 100)


@pytest.mark.parametrize("values", [[3], [0, 5], [2, 2, 2, 3], [0] * 5 + [5] * 5, [4] * 20])
def test_the_interval_of_a_variance_covers_it_with_at_least_95_percent(values):
    noises = (THIRD, THIRD, THIRD)
    resolved, (variance,) = made(Query("people").variance("x"), *noises, dataset=NARROW)
    parts = dict(zip((m.kind for m in resolved.measures), range(3), strict=True))
    n, total, squares = truth_of(values, resolved.measures[parts["total"]].center)
    exact = {"rows": n, "total": total, "squares": squares}
    true = Fraction(sum(v * v for v in values), n) - Fraction(sum(values), n) ** 2
    covered = Fraction(0)
    for zs, p in through(noises, 5):
        noisy = [exact[m.kind] + z for m, z in zip(resolved.measures, zs, strict=True)]
        found = variance.estimate(noisy)
        assert 0 <= found.low <= found.high <= Fraction(25, 4)
        assert 0 <= found.value <= Fraction(25, 4)
        covered += p * (found.low <= true <= found.high)
    assert covered >= Fraction(95, 100)


def test_the_interval_of_a_variance_is_the_range_over_all_parts():
    """Against a search through every n, T and S between the ends."""
    resolved, (variance,) = made(Query("people").variance("x"), HALF, HALF, HALF, dataset=NARROW)
    reach = variance.reaches[0]
    kinds = [m.kind for m in resolved.measures]
    for n, total, squares in ((12, 3, 40), (9, -11, 25), (3, 2, 4), (30, 60, 125), (8, 0, 0)):
        noisy = [{"rows": n, "total": total, "squares": squares}[kind] for kind in kinds]
        found = variance.estimate(noisy)
        span = range(-reach, reach + 1)
        every = [
            Fraction(s, m) - Fraction(t, m) ** 2
            for m in (n + z for z in span if n + z >= 1)
            for t in (total + z for z in span)
            for s in (squares + z for z in span if squares + z >= 0)
        ]
        low, high = max(min(every), Fraction(0)), min(max(every), Fraction(25, 4))
        assert found.low <= low
        assert found.high >= high
        assert found.low == low  # the least is at an end
        assert found.high - high <= Fraction(1, 10)  # n was taken for a real number


@pytest.mark.statistical
def test_standard_errors_by_the_delta_method_are_near_the_truth():
    """False alarm: 10 % is more than 5 deviations of 4,000 draws, so less than 1e-6."""
    query = Query("people").mean("income").variance("age")
    scales = (5, 900, 2000, 5, 90)
    resolved, columns = made(query, *[laplace(x) for x in scales])
    assert [m.kind for m in resolved.measures] == ["rows", "total", "squares", "rows", "total"]
    exact, source, draws = (2000, -200_000, 1_200_000, 2000, 6000), SeededBits(4), 4000
    noise = [Sampler.of(laplace(x).law).values(draws, source) for x in scales]
    for column in columns:
        found = [
            float(column.estimate([e + z[i] for e, z in zip(exact, noise, strict=True)]).value)
            for i in range(draws)
        ]
        mean = sum(found) / draws
        spread = sqrt(sum((x - mean) ** 2 for x in found) / draws)
        assert column.estimate(exact).error == pytest.approx(spread, rel=0.1)


def test_a_group_lost_in_noise_has_the_bounds_as_interval_and_no_standard_error():
    _, (mean, variance) = made(
        Query("people").mean("x").variance("x"), HALF, HALF, HALF, dataset=NARROW
    )
    found = mean.estimate([-9, 2, 3])
    assert (found.low, found.high, found.error) == (0, 5, None)
    found = variance.estimate([-9, 2, 3])
    assert (found.low, found.high, found.error) == (0, Fraction(25, 4), None)
    assert mean.estimate([4, 0, 0]).error is None  # P(|Z| > 4) is below 5 %
    assert mean.estimate([5, 0, 0]).error is not None


def test_a_mean_without_noise_is_exact():
    _, (mean,) = made(Query("people").mean("y"), FREE, FREE, dataset=NARROW)
    found = mean.estimate([4, 3])  # around the center 1, in halves
    assert found.value == found.low == found.high == Fraction(1, 2) * (1 + Fraction(3, 4))
    assert found.error == 0
    assert mean.certainty == EXACT


# --- what is expected beforehand ----------------------------------------------------------------


@pytest.mark.few(3)
@pytest.mark.parametrize("size", [4, 9, 25])
@pytest.mark.parametrize("extreme", [0, 2, 5])
def test_errors_stay_within_the_expected_half_width(size, extreme):
    noises = (THIRD, THIRD, THIRD)
    query = Query("people").mean("x").variance("x")
    resolved, columns = made(query, *noises, dataset=NARROW)
    expected = expected_errors(resolved, calibrated(resolved, *noises), size=size)
    values = [extreme] * (size // 2) + [5] * (size - size // 2)
    center = next(m.center for m in resolved.measures if m.kind == "total")
    exact = dict(zip(("rows", "total", "squares"), truth_of(values, center), strict=True))
    mean = Fraction(sum(values), size)
    true = (mean, Fraction(sum(v * v for v in values), size) - mean**2)
    inside = [Fraction(0), Fraction(0)]
    for zs, p in through(noises, 5):
        noisy = [exact[m.kind] + z for m, z in zip(resolved.measures, zs, strict=True)]
        for place, column in enumerate(columns):
            off = abs(column.estimate(noisy).value - true[place])
            inside[place] += p * (off <= expected[place].half_width)
    assert min(inside) >= Fraction(95, 100)


def test_expected_errors_of_means_fall_with_the_size_and_are_open_without_one():
    resolved, _ = made(Query("people").mean("income").variance("age"))
    noise = calibrated(resolved)
    for expected in expected_errors(resolved, noise):
        assert expected.needs_size
        assert expected.half_width is expected.standard_error is None
    found = [expected_errors(resolved, noise, size=n) for n in (0, 30, 1000, 100_000)]
    for place in (0, 1):
        halves = [each[place].half_width for each in found]
        assert halves == sorted(halves, reverse=True)
        assert found[0][place].standard_error is None
        errors = [each[place].standard_error for each in found[1:]]
        assert errors == sorted(errors, reverse=True)
    assert found[0][0].half_width == 1000
    assert found[0][1].half_width == 2500


@pytest.mark.parametrize(
    ("rows", "word"), [(0, "lost in noise"), (6, "lost in noise"), (8, "poor"), (12, "fair")]
)
def test_the_word_for_a_mean_is_no_better_than_its_interval(rows, word):
    """By its standard error alone, each of the last three would be fair."""
    resolved, (mean,) = made(Query("people").mean("x"), HALF, HALF, dataset=NARROW)
    stored = {"cells": None, "values": [[rows], [0]]}
    context = AnswerContext(NARROW, Cost(Fraction(1)), Cost(Fraction(1)))
    answer = QueryAnswer.of(resolved, calibrated(resolved, HALF, HALF), stored, context)
    [[estimate]] = answer.estimates
    wide = (estimate.high - estimate.low) / mean.widest
    assert answer.utility(0, 0) == word
    assert (wide == 1) == (word == "lost in noise")
    assert (wide > Fraction(1, 2)) == (word != "fair")
