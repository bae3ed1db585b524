"""Samplers: what they take, what they refuse, and the laws of what they draw."""

from __future__ import annotations

import subprocess
import sys
import threading
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb

from tests.release.noise.scripted import LAST, Scripted, SeededBits, first_bits
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, SkellamNoise
from twoworlds.numbers import Real, ball, exp
from twoworlds.release.noise import Sampler, SystemBits
from twoworlds.release.noise.sampler import (
    _keeps,
    _made,
    by_digits,
    digit_table,
    geometric_table,
    scale_bits,
)

NARROW = [
    GeometricNoise(Fraction(1, 2)),
    GeometricNoise(exp(Fraction(-1, 60))),
    GeometricNoise(Fraction(97, 100)),
    DiscreteGaussianNoise(Fraction(1, 4)),
    DiscreteGaussianNoise(Fraction(400)),
]
WIDE = [
    GeometricNoise(exp(Fraction(-1, 100_000))),
    GeometricNoise(Fraction(999_999, 1_000_000)),
    DiscreteGaussianNoise(Fraction(10**6)),
    DiscreteGaussianNoise(Fraction(30_011, 2)),
]
ALARM = arb("1e-6")  # how often a correct sampler fails one of these tests; the seeds are fixed


def named(noise):
    return noise.expression


def spread(noise):
    return float(noise.variance) ** 0.5


def surprise(counts, chances):
    """The probability that a chi-square variable is larger than what was observed."""
    total = counts.sum()
    expected = np.array(chances) * total
    assert expected.min() > 5
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return arb(statistic / 2).gamma_upper(arb(len(counts) - 1) / 2, regularized=1)


def chances_between(noise, edges):
    """The probabilities of the intervals between the edges, and beyond both ends.

    In floats, good to ten digits, where a chi-square of 200,000 draws sees three.
    """
    if isinstance(noise, GeometricNoise):
        p = float(noise.p)
        above = np.where(edges > 0, p ** np.abs(edges), 1 + p - p ** np.abs(1 - edges)) / (1 + p)
        return -np.diff(np.concatenate([[1.0], above, [0.0]]))
    ks = np.arange(-15_000, 15_001)
    weights = np.exp(-(ks.astype(float) ** 2) / (2 * float(noise.sigma2)))
    cells = np.searchsorted(edges, ks, side="right")
    shares = np.bincount(cells, weights=weights, minlength=len(edges) + 1)
    return shares / shares.sum()


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [*NARROW, *WIDE], ids=named)
def test_values_have_their_probabilities(noise):
    """Chi-square over single values, or 42 intervals, and two tails. False alarms: 10^-6 each."""
    width = spread(noise)
    reach = min(30, int(2 * width) + 1)
    edges = np.arange(-reach, reach + 1)
    if noise in WIDE:
        edges = np.array([int(width * (i - 20) / 8) for i in range(41)])
    drawn = np.array(Sampler.of(noise).values(200_000, SeededBits(11)))
    chances = chances_between(noise, edges)
    counts = np.bincount(np.searchsorted(edges, drawn, side="right"), minlength=len(chances))
    often = chances * len(drawn) > 10  # cells that are hardly ever hit are thrown together
    cells = np.append(counts[often], counts[~often].sum())
    expected = np.append(chances[often], chances[~often].sum())
    usable = expected * len(drawn) > 5
    assert cells[~usable].sum() < 60
    assert surprise(cells[usable], expected[usable] / expected[usable].sum()) > ALARM


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [WIDE[1], WIDE[2]], ids=named)
def test_low_bits_of_wide_noise_are_even(noise):
    """Chi-square of the last six bits. False alarms: 10^-6 for each law."""
    drawn = np.array(Sampler.of(noise).values(200_000, SeededBits(13)))
    counts = np.bincount(drawn & 63, minlength=64)
    assert surprise(counts, np.full(64, 1 / 64)) > ALARM


@pytest.mark.parametrize("noise", [*NARROW, *WIDE], ids=named)
def test_a_release_draws_whole_numbers(noise):
    sampler = Sampler.of(noise)
    assert sampler is Sampler.of(noise)
    assert sampler.noise == noise
    drawn = sampler.draw_integers(np.int64(5), SystemBits())
    assert [type(value) for value in drawn] == [int] * 5
    assert sampler.draw_integers(0, SystemBits()) == []
    first = sampler.values(2000, SeededBits(1))
    assert len(first) == 2000
    assert first == sampler.values(2000, SeededBits(1)) != sampler.values(2000, SeededBits(2))


def test_a_release_refuses_bits_that_can_be_repeated():
    class Disguised:
        def words(self, count):
            return np.zeros(count, dtype=np.uint64)

    sampler = Sampler.of(NARROW[0])
    for source in (SeededBits(1), Disguised(), None, 7, np.random.default_rng(1), SystemBits):
        with pytest.raises(InvalidInput, match="a release takes its bits from SystemBits"):
            sampler.draw_integers(3, source)


@pytest.mark.parametrize("size", [-1, 2.5, True, "three", None])
def test_rejects_a_size_that_is_no_whole_number(size):
    for sampler in map(Sampler.of, (NARROW[0], WIDE[0], WIDE[2])):
        with pytest.raises(InvalidInput):
            sampler.draw_integers(size, SystemBits())


def test_rejects_what_it_cannot_draw_exactly():
    p = Real.between(Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**12))
    tiny = Fraction(1, 1 << 5000)
    for refused, error, words in (
        (lambda: Sampler.of("geometric(ratio=2)"), InvalidInput, "is not a law"),
        (lambda: Sampler.of(GeometricNoise(p)), InvalidInput, r"p=.*not known exactly"),
        (lambda: Sampler.of(SkellamNoise(Fraction(1), Fraction(1))), Unsupported, "no release"),
        (lambda: Sampler.of(DiscreteGaussianNoise(Fraction(1 << 200))), TooLarge, "larger units"),
        (lambda: scale_bits(Real(lambda b: 1 - ball(tiny, b))), TooLarge, "closer to 1"),
    ):
        with pytest.raises(error, match=words):
            refused()


# --- geometric noise by digits --------------------------------------------------------------------


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(9, 10), Fraction(99, 100)])
@pytest.mark.parametrize("bits", [(1,), (3,), (2, 1), (1, 2, 2)])
def test_the_law_of_the_parts_is_the_law_of_the_whole(p, bits):
    """P(Z = k) as the product over H and the digits of k, counted from the end nearer to 0."""

    def mass(table, k):
        return table.at_most(k) - table.at_most(k - 1)

    places = [sum(bits[:i]) for i in range(len(bits) + 1)]
    top = geometric_table(p, 1 << places[-1])
    digits = {low: digit_table(p, 1 << low, 1 << (high - low)) for low, high in pairwise(places)}
    for k in range(-70, 70):
        distance = k if k >= 0 else -1 - k
        product = mass(top, k >> places[-1])
        for low, high in pairwise(places):
            product *= mass(digits[low], (distance >> low) % (1 << (high - low)))
        assert product == GeometricNoise(p).pmf(k)


@pytest.mark.parametrize("shift", [0, 1, 11, 25])
def test_parts_are_put_together_digit_by_digit(shift):
    """The words of each table one by one: what a draw of many gives, computed for each alone."""
    noise = GeometricNoise(exp(Fraction(-1, 3 << shift)))
    sampler, count = by_digits(noise, noise.p, shift), 200
    drawn, source = sampler.values(count, SeededBits(5)), SeededBits(5)
    columns = [source.words(count) for _ in range(1 + len(sampler.digits))]
    for i in range(count):
        high, *rest = (int(column[i]) for column in columns)
        h = sampler.top.start + sum(word < high for word in sampler.top.listed)
        distance = (h if h >= 0 else -1 - h) << shift
        for word, (place, table) in zip(rest, sampler.digits, strict=True):
            distance += sum(one < word for one in table.listed) << place
        assert drawn[i] == (distance if h >= 0 else -1 - distance)


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
    tables = [sampler.top, *(table for _, table in sampler.digits)]
    assert len(tables) == parts
    assert all(len(table.listed) <= 2048 for table in tables)


def test_values_may_be_longer_than_64_bits():
    """U = 1 - 2^-512 in the top table, and the lowest digit in the others; and a scale of 2^80."""
    sampler = Sampler.of(GeometricNoise(exp(Fraction(-1, 1 << 54))))
    [found] = sampler.values(1, Scripted([LAST] * 8, after=0))
    assert abs(found / (1 << 54) - 511 * 0.6931472) < 2  # - ln P(Z > z), but for ln(1 + p)
    values = Sampler.of(GeometricNoise(exp(Fraction(-1, 1 << 80)))).draw_integers(200, SystemBits())
    assert 1 << 78 < max(map(abs, values)) < 1 << 90  # fails with probability e^-50


@pytest.mark.parametrize("p", [Fraction(1, 10**30), exp(Fraction(-1000))])
def test_hardly_any_noise_is_drawn_as_zero(p):
    assert not any(Sampler.of(GeometricNoise(p)).draw_integers(1000, SystemBits()))


# --- Gaussian noise by rejection ------------------------------------------------------------------


def kept(sampler, value, word, *further):
    return _keeps(sampler.noise.sigma2, value, word, Scripted(further))


@pytest.mark.parametrize("sigma2", [Fraction(10**6), Fraction(30_011, 2), Fraction(1 << 90)])
def test_a_value_is_kept_with_its_exact_probability(sigma2):
    """At each value the word next to the probability, on either side, and the same with more bits.

    With the law of what is kept from, that probability is the Gaussian law up to a constant.
    """
    sampler = Sampler.of(DiscreteGaussianNoise(sigma2))
    t = int(float(sigma2) ** 0.5)
    t = next(n for n in (t, t + 1, t + 2) if n * n > sigma2)
    for value in (0, 1, -t, t // 3, -2 * t, 5 * t):
        chance = exp(-((abs(value) - sigma2 / t) ** 2) / (2 * sigma2))
        word, following = divmod(first_bits(chance, 128), 1 << 64)
        assert kept(sampler, value, word - 1)
        assert word == LAST or not kept(sampler, value, word + 1)
        assert kept(sampler, value, word, following - 1)
        assert not kept(sampler, value, word, following + 1)
        gaussian = exp(-Fraction(value**2) / (2 * sigma2))
        proposed = exp(Fraction(-abs(value), t)) * exp(sigma2 / (2 * t * t))
        assert abs(chance * proposed - gaussian) < Fraction(1, 10**60)
    same = geometric_table(exp(Fraction(-1, t)), 1 << sampler.shift)
    assert sampler.top.listed == same.listed


def test_very_wide_noise_is_drawn():
    drawn = Sampler.of(DiscreteGaussianNoise(Fraction(1 << 90))).draw_integers(1000, SystemBits())
    values = np.array(drawn)
    assert 0.8 < values.std() / 2**45 < 1.2  # fails with probability 10^-18
    assert len({int(value) & 1 for value in values}) == 2


# --- threads, and what is loaded ------------------------------------------------------------------


def test_threads_that_build_the_same_laws_at_once_draw_the_same_values():
    """The precision of enclosures is shared by all threads: bounds must hold all the same."""
    laws = [GeometricNoise(exp(Fraction(-1, n))) for n in (5, 70, 5000)]
    laws += [DiscreteGaussianNoise(Fraction(90)), DiscreteGaussianNoise(Fraction(90_000))]
    alone = [_made.__wrapped__(law) for law in laws]
    found = {}

    def work(turn):
        order = laws[turn:] + laws[:turn]
        found[turn] = {law: _made.__wrapped__(law) for law in order}

    run([lambda turn=turn: work(turn) for turn in range(len(laws))])
    for expected in alone:
        for turn in range(len(laws)):
            built = found[turn][expected.noise]
            mine, same = (one.values(500, SeededBits(1)) for one in (built, expected))
            assert mine == same


def test_a_draw_in_threads_gives_each_its_own_values():
    sampler, source, found = Sampler.of(WIDE[1]), SystemBits(), []
    run([lambda: found.append(tuple(sampler.draw_integers(50, source)))] * 4)
    assert len({*found}) == 4


def run(jobs):
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_noise_for_a_release_loads_no_numpy():
    program = """
import sys
from fractions import Fraction
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise
from twoworlds.numbers import exp
from twoworlds.release.noise import Sampler, SystemBits, choose
for law in (GeometricNoise(exp(Fraction(-1, 400000))), DiscreteGaussianNoise(Fraction(10**6))):
    assert len(Sampler.of(law).draw_integers(50, SystemBits())) == 50
choose([0, 1, 2], Fraction(1), SystemBits())
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
