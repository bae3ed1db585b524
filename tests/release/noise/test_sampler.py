"""Samplers: what they take, what they refuse, and the laws of what they draw."""

from __future__ import annotations

import subprocess
import sys
import threading
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from flint import arb

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    Noise,
    SkellamNoise,
)
from twoworlds.numbers import INFINITY, Real, exp
from twoworlds.release.noise import Sampler, SeededBits, SimulatedBits, SystemBits
from twoworlds.release.noise.laws import centre, spread
from twoworlds.release.noise.sampler import _made

NARROW = [
    GeometricNoise(Fraction(1, 2)),
    GeometricNoise(exp(Fraction(-1, 10))),
    GeometricNoise(exp(Fraction(-1, 60))),
    GeometricNoise(Fraction(97, 100)),
    DiscreteGaussianNoise(Fraction(1, 4)),
    DiscreteGaussianNoise(Fraction(400)),
    SkellamNoise(Fraction(3), Fraction(1, 2)),
    SkellamNoise(Fraction(200), Fraction(200)),
    NegativeBinomialDifference(Fraction(1, 2), 2),
    NegativeBinomialDifference(Fraction(4, 5), 9),
]
WIDE = [
    GeometricNoise(exp(Fraction(-1, 100_000))),
    GeometricNoise(Fraction(999_999, 1_000_000)),
    DiscreteGaussianNoise(Fraction(10**6)),
    SkellamNoise(Fraction(30_000), Fraction(25_000)),
    SkellamNoise(Fraction(30_000), Fraction(5)),
]
ALARM = arb("1e-6")  # how often a correct sampler fails one of these tests; the seeds are fixed


def named(noise):
    return noise.expression


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
    ks, weights = in_floats(noise)
    cells = np.searchsorted(edges, ks, side="right")
    shares = np.bincount(cells, weights=weights, minlength=len(edges) + 1)
    return shares / shares.sum()


def in_floats(noise):
    """Values, and numbers proportional to their probabilities."""
    if isinstance(noise, DiscreteGaussianNoise):
        ks = np.arange(-15_000, 15_001)
        return ks, np.exp(-(ks.astype(float) ** 2) / (2 * float(noise.sigma2)))
    if isinstance(noise, SkellamNoise):
        return difference(poisson(float(noise.l1)), poisson(float(noise.l2)))
    one = negative_binomial(float(noise.p), noise.r)
    return difference(one, one)


def poisson(mean):
    ks = np.arange(int(mean) + 20 * isqrt(int(mean)) + 60)
    return np.exp(ks * np.log(mean) - mean - np.concatenate([[0], np.cumsum(np.log(ks[1:]))]))


def negative_binomial(p, r):
    ks = np.arange(1, 2000)
    return np.concatenate([[1.0], np.cumprod(p * (ks + r - 1) / ks)])


def difference(first, second):
    """The law of X - Y."""
    size = 1 << 17
    both = np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second[::-1], size), size)
    ks = np.arange(len(first) + len(second) - 1) - (len(second) - 1)
    return ks, both[: len(ks)]


@pytest.mark.statistical
@pytest.mark.parametrize("noise", NARROW, ids=named)
def test_single_values_have_their_probabilities(noise):
    """Chi-square over single values and two tails. False alarms: 10^-6 for each law."""
    middle, reach = centre(noise), min(30, int(2 * spread(noise)) + 1)
    check(noise, np.arange(middle - reach, middle + reach + 1), seed=11)


@pytest.mark.few(3)
@pytest.mark.statistical
@pytest.mark.parametrize("noise", WIDE, ids=named)
def test_wide_noise_has_the_probabilities_of_its_tails(noise):
    """Chi-square over 42 intervals. False alarms: 10^-6 for each law."""
    middle, width = centre(noise), spread(noise)
    check(noise, np.array([middle + int(width * (i - 20) / 8) for i in range(41)]), seed=12)


def check(noise, edges, *, seed):
    """Draw, and compare the counts; cells that are hardly ever hit are thrown together."""
    drawn = Sampler.of(noise).simulate(200_000, SeededBits(seed))
    chances = chances_between(noise, edges)
    counts = np.bincount(np.searchsorted(edges, drawn, side="right"), minlength=len(chances))
    often = chances * len(drawn) > 10
    cells = np.append(counts[often], counts[~often].sum())
    expected = np.append(chances[often], chances[~often].sum())
    usable = expected * len(drawn) > 5
    assert cells[~usable].sum() < 60
    assert surprise(cells[usable], expected[usable] / expected[usable].sum()) > ALARM


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [WIDE[1], WIDE[2], WIDE[4]], ids=named)
def test_low_bits_of_wide_noise_are_even(noise):
    """Chi-square of the last six bits. False alarms: 10^-6 for each law."""
    drawn = Sampler.of(noise).simulate(200_000, SeededBits(13))
    counts = np.bincount(drawn & 63, minlength=64)
    assert surprise(counts, np.full(64, 1 / 64)) > ALARM


@pytest.mark.parametrize("noise", [*NARROW, *WIDE], ids=named)
def test_a_release_draws_64_bit_integers(noise):
    sampler = Sampler.of(noise)
    assert sampler.noise == noise
    assert sampler.escape >= 256
    drawn = sampler.draw(5, SystemBits())
    assert drawn.dtype == np.int64
    assert drawn.shape == (5,)
    assert sampler.draw(0, SystemBits()).tolist() == []
    assert [type(value) for value in sampler.draw_integers(2, SystemBits())] == [int, int]


@pytest.mark.parametrize("noise", [NARROW[1], NARROW[5], WIDE[1], WIDE[2]], ids=named)
def test_one_large_draw_is_as_good_as_its_seed(noise):
    sampler = Sampler.of(noise)
    first = sampler.simulate(100_000, SeededBits(1))
    assert (first == sampler.simulate(100_000, SeededBits(1))).all()
    assert (first != sampler.simulate(100_000, SeededBits(2))).any()


def test_a_release_refuses_bits_that_can_be_repeated():
    sampler = Sampler.of(NARROW[0])

    class Disguised(SimulatedBits):
        def words(self, count):
            return np.zeros(count, dtype=np.uint64)

    for source in (SeededBits(1), Disguised(), None, 7, np.random.default_rng(1), SystemBits):
        for draw in (sampler.draw, sampler.draw_integers):
            with pytest.raises(InvalidInput, match="a release takes its bits from SystemBits"):
                draw(3, source)


def test_a_simulation_refuses_the_bits_of_releases():
    with pytest.raises(InvalidInput, match="a simulation takes SimulatedBits"):
        Sampler.of(NARROW[0]).simulate(3, SystemBits())


@pytest.mark.parametrize("size", [-1, 2.5, True, "three", None])
def test_rejects_a_size_that_is_no_whole_number(size):
    for sampler in map(Sampler.of, (NARROW[0], WIDE[0], WIDE[2])):
        with pytest.raises(InvalidInput):
            sampler.draw(size, SystemBits())


@pytest.mark.parametrize("noise", [None, 1, "geometric(ratio=2)", GeometricNoise])
def test_rejects_what_is_no_law(noise):
    with pytest.raises(InvalidInput, match="is no law"):
        Sampler.of(noise)


@pytest.mark.parametrize(
    "build",
    [
        lambda: GeometricNoise(Fraction(0)),
        lambda: GeometricNoise(Fraction(1)),
        lambda: GeometricNoise(Fraction(-1, 2)),
        lambda: GeometricNoise(INFINITY),
        lambda: GeometricNoise(float("nan")),
        lambda: DiscreteGaussianNoise(Fraction(0)),
        lambda: DiscreteGaussianNoise(Fraction(-1)),
        lambda: DiscreteGaussianNoise(INFINITY),
        lambda: SkellamNoise(Fraction(0), Fraction(1)),
        lambda: SkellamNoise(Fraction(1), INFINITY),
        lambda: NegativeBinomialDifference(Fraction(1, 2), 0),
    ],
)
def test_scales_that_are_zero_negative_or_infinite_never_reach_a_sampler(build):
    with pytest.raises(InvalidInput):
        Sampler.of(build())


def test_rejects_a_parameter_that_is_known_by_an_enclosure_only():
    p = Real.between(Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**12))
    with pytest.raises(InvalidInput, match=r"p=.*enclosure only"):
        Sampler.of(GeometricNoise(p))
    with pytest.raises(InvalidInput, match=r"l2=.*enclosure only"):
        Sampler.of(SkellamNoise(Fraction(1), p))


class Own(Noise):
    """Somebody's own law: 0 or 1, or wide."""

    mean = Fraction(1, 2)
    variance = Fraction(1, 4)

    def pmf(self, k):
        return Fraction(k in (0, 1), 2)

    def at_least(self, k):
        return Fraction(1) if k <= 0 else Fraction(k == 1, 2)

    def supremum(self, shift):
        raise NotImplementedError

    def reflected(self):
        return Reflected()

    def likelihood(self, k, shift):
        return Fraction(2)

    def sample(self, rng):
        raise NotImplementedError


class Reflected(Own):
    mean = Fraction(-1, 2)

    def pmf(self, k):
        return Fraction(k in (0, -1), 2)

    def at_least(self, k):
        return Fraction(1) if k < 0 else Fraction(k == 0, 2)


class Wide(Own):
    variance = Fraction(10**9)


def test_another_law_is_drawn_from_a_table_if_it_is_narrow():
    drawn = Sampler.of(Own()).simulate(1000, SeededBits(1))
    assert set(drawn.tolist()) == {0, 1}
    with pytest.raises(Unsupported, match="too wide for a table"):
        Sampler.of(Wide())


def test_samplers_are_kept():
    assert Sampler.of(GeometricNoise(Fraction(1, 5))) is Sampler.of(GeometricNoise(Fraction(1, 5)))


def test_importing_and_a_small_draw_do_not_load_the_compiler():
    code = (
        "import sys; from fractions import Fraction; "
        "from twoworlds.laws.noise import GeometricNoise; "
        "from twoworlds.release.noise import Sampler, SystemBits; "
        "Sampler.of(GeometricNoise(Fraction(1, 2))).draw(1000, SystemBits()); "
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
def test_draws_with_and_without_the_compiler_are_the_same():
    code = (
        "from fractions import Fraction; "
        "from twoworlds.laws.noise import GeometricNoise; "
        "from twoworlds.release.noise import Sampler, SeededBits; "
        "s = Sampler.of(GeometricNoise(Fraction(999, 1000))); "
        "print(s.simulate(20000, SeededBits(4)).sum(), s.simulate(20000, SeededBits(5))[-1])"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", start + code], check=True, capture_output=True, text=True
        ).stdout
        for start in ("", "import numba; ")
    ]
    assert said[0] == said[1]


def test_threads_that_build_the_same_laws_at_once_draw_the_same_values():
    """The precision of enclosures is shared by all threads: bounds must hold all the same.

    How far out a table reaches depends on that precision; what is drawn does not.
    """
    laws = [GeometricNoise(exp(Fraction(-1, n))) for n in (5, 70, 5000)]
    laws += [DiscreteGaussianNoise(Fraction(90)), SkellamNoise(Fraction(20), Fraction(30))]
    alone = [_made.__wrapped__(law) for law in laws]
    found = {}

    def work(turn):
        order = laws[turn:] + laws[:turn]
        found[turn] = {law: _made.__wrapped__(law) for law in order}

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(len(laws))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for expected in alone:
        for turn in range(len(laws)):
            built = found[turn][expected.noise]
            mine, same = (one.values(2000, SeededBits(1)) for one in (built, expected))
            assert (mine == same).all()


def test_a_draw_in_threads_gives_each_its_own_values():
    sampler, source = Sampler.of(GeometricNoise(Fraction(999_999, 1_000_000))), SystemBits()
    found = []

    def work():
        found.append(sampler.draw(50, source))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(values.tolist()) for values in found}) == 4


@pytest.mark.parametrize("p", [Fraction(1, 10**30), exp(Fraction(-1000))])
def test_hardly_any_noise_is_drawn_as_zero(p):
    assert not Sampler.of(GeometricNoise(p)).draw(1000, SystemBits()).any()


def test_sizes_may_be_integers_of_numpy():
    assert len(Sampler.of(NARROW[0]).draw(np.int64(3), SystemBits())) == 3
