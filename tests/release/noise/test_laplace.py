"""Two-sided geometric noise from digits: the exact law, whatever the split."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tests.release.noise.scripted import LAST, Scripted
from twoworlds.errors import TooLarge
from twoworlds.laws.noise import GeometricNoise, NegativeBinomialDifference
from twoworlds.numbers import Real, ball, compare, exp
from twoworlds.release.noise import Sampler, SeededBits, SystemBits
from twoworlds.release.noise.laws import Digit, SignedGeometric
from twoworlds.release.noise.sampler import LaplaceSampler, SumOfLaplace


def mass(law, k):
    return law.at_most(k) - law.at_most(k - 1)


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(9, 10), Fraction(99, 100)])
@pytest.mark.parametrize("bits", [(1,), (3,), (2, 1), (1, 2, 2)])
def test_the_law_of_the_parts_is_the_law_of_the_whole(p, bits):
    """P(Z = k) as the product over H and the digits of k, counted from the end nearer to 0."""
    places = [sum(bits[:i]) for i in range(len(bits) + 1)]
    top = SignedGeometric(p, 1 << places[-1])
    noise = GeometricNoise(p)
    for k in range(-70, 70):
        distance = k if k >= 0 else -1 - k
        product = mass(top, k >> places[-1])
        for low, high in pairwise(places):
            digit = (distance >> low) % (1 << (high - low))
            product *= mass(Digit(p, 1 << low, 1 << (high - low)), digit)
        assert product == noise.pmf(k)


@pytest.mark.parametrize("shift", [0, 1, 4, 11, 25])
def test_parts_are_put_together_digit_by_digit(shift):
    """The words of each table one by one: what a draw of many gives, computed for each alone."""
    sampler = LaplaceSampler.split(GeometricNoise(exp(Fraction(-1, 3 << shift))), shift)
    count = 200
    drawn = sampler.values(count, SeededBits(5))
    source = SeededBits(5)
    columns = [source.words(count) for _ in range(1 + len(sampler.digits))]
    for i in range(count):
        high, *rest = (int(column[i]) for column in columns)
        h = sampler.top.start + int(np.searchsorted(sampler.top.boundaries.words, np.uint64(high)))
        distance = h if h >= 0 else -1 - h
        distance <<= shift
        for word, (place, table) in zip(rest, sampler.digits, strict=True):
            distance += int(np.searchsorted(table.boundaries.words, np.uint64(word))) << place
        assert drawn[i] == (distance if h >= 0 else -1 - distance)


def test_both_signs_are_reached_at_both_ends():
    """All words as small, or as large, as a word without a tie can be."""
    sampler = LaplaceSampler.split(GeometricNoise(Fraction(99, 100)), 4)
    low = sampler.values(3, Scripted(after=1))
    high = sampler.values(3, Scripted(after=LAST - 1))
    assert len(set(low.tolist())) == len(set(high.tolist())) == 1
    assert low[0] >> 4 == sampler.top.start + 1
    assert low[0] & 15 == 15  # the digit is 0, counted from the end nearer to 0
    assert high[0] & 15 == 15


@pytest.mark.parametrize(
    ("p", "parts"),
    [
        (Fraction(1, 1000), 1),
        (exp(Fraction(-1, 10)), 1),
        (exp(Fraction(-1, 1000)), 2),
        (Fraction(999_999, 1_000_000), 3),
        (exp(Fraction(-1, 10**15)), 6),
    ],
)
def test_tables_stay_small_at_any_scale(p, parts):
    sampler = Sampler.of(GeometricNoise(p))
    assert isinstance(sampler, LaplaceSampler)
    tables = [sampler.top, *(table for _, table in sampler.digits)]
    assert len(tables) == parts
    assert all(len(table.boundaries.words) <= 2048 for table in tables)


def test_a_tie_in_the_top_table_reaches_far_values_as_python_integers():
    """U = 1 - 2^-512 in the top table, and the lowest digit in each of the others."""
    sampler = LaplaceSampler.of(GeometricNoise(exp(Fraction(-1, 1 << 54))))
    found = sampler.values(1, Scripted([LAST] * 8, after=0))
    assert found.dtype == object
    assert type(found[0]) is int
    assert abs(found[0] / (1 << 54) - 511 * 0.6931472) < 2  # - ln P(Z > z), but for ln(1 + p)
    with pytest.raises(TooLarge, match="probability below"):
        sampler.simulate(1, Scripted([LAST] * 8, after=0))


def test_scales_beyond_64_bits_are_drawn_as_python_integers():
    noise = GeometricNoise(exp(Fraction(-1, 1 << 80)))
    sampler = Sampler.of(noise)
    assert sampler.escape == 0
    with pytest.raises(TooLarge, match="draw_integers"):
        sampler.draw(3, SystemBits())
    values = sampler.draw_integers(200, SystemBits())
    assert all(type(value) is int for value in values)
    assert max(map(abs, values)) > 1 << 78  # fails with probability e^-50
    assert max(map(abs, values)) < 1 << 90


@pytest.mark.parametrize("scale", [1, 20, 10**6, 10**15])
def test_the_bound_on_leaving_64_bits_is_one(scale):
    """2 p^(2^63) / (1 + p) <= 2^-escape: compared as 2^63 / scale ln e against escape ln 2."""
    sampler = Sampler.of(GeometricNoise(exp(Fraction(-1, scale))))
    assert sampler.escape >= 256
    exponent = Fraction(1 << 63, scale) - 1
    assert float(exponent) > sampler.escape * 0.6931


def test_the_sum_of_parts_is_the_differenced_negative_binomial():
    """Convolve the law of one part, on a range that holds all but 10^-20 of it."""
    p, r, reach = Fraction(1, 2), 3, 90
    one = {k: GeometricNoise(p).pmf(k) for k in range(-reach, reach + 1)}
    total = NegativeBinomialDifference(p, r)
    two = {k: sum(one[j] * one.get(k - j, 0) for j in one) for k in range(-reach, reach + 1)}
    for k in range(-5, 6):
        three = sum(two[j] * one.get(k - j, 0) for j in two)
        assert abs(three - total.pmf(k)) < Fraction(1, 10**20)


def test_sums_of_many_parts_have_the_right_spread():
    """r = 40: variance 2 r p / (1 - p)^2 = 160. False alarms: below 10^-8, with a fixed seed."""
    noise = NegativeBinomialDifference(Fraction(1, 2), 40)
    sampler = Sampler.of(noise)
    assert isinstance(sampler, SumOfLaplace)
    values = sampler.simulate(50_000, SeededBits(1))
    assert abs(values.mean()) < 6 * (160 / 50_000) ** 0.5
    assert abs(values.var() / 160 - 1) < 6 * (2.2 / 50_000) ** 0.5
    assert sampler.escape > 256
    assert -sampler.ends[0] > 160 < sampler.ends[1]


def test_rejects_noise_closer_to_one_than_any_precision():
    tiny = Fraction(1, 1 << 5000)
    with pytest.raises(TooLarge, match="closer to 1"):
        LaplaceSampler.of(_unchecked(Real(lambda bits: 1 - ball(tiny, bits))))


def _unchecked(p):
    """A law with a p that is too close to 1 for its own check."""
    noise = object.__new__(GeometricNoise)
    object.__setattr__(noise, "p", p)
    return noise


def test_digits_of_numbers_close_to_one_are_exact():
    """(1 - q^(d+1)) / (1 - q^base) for q = e^(-10^-30): nearly, but not exactly, (d + 1) / base."""
    digit = Digit(exp(Fraction(-1, 10**30)), 1, 4)
    for d in range(3):
        exact = digit.at_most(d)
        assert compare(exact, Fraction(d + 1, 4)).value == "greater"
        assert exact - Fraction(d + 1, 4) < Fraction(1, 10**29)
