"""The laws of the self-test are right, its false alarms are rare, and it notices what is off."""

from fractions import Fraction
from math import exp, lgamma, log

import numpy as np
import pytest

from twoworlds.attacks.selftest import bench, selftest
from twoworlds.attacks.selftest.bench import (
    MOST,
    RATE,
    gaussian,
    gaussian_delta,
    laplace,
    misfit,
    noise_events,
    too_often,
)
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise
from twoworlds.numbers import exp as exact_exp

LAWS = [
    *((laplace(s), GeometricNoise(exact_exp(-1 / Fraction(s)))) for s in (1, 5, 100)),
    *((gaussian(s), DiscreteGaussianNoise(Fraction(s))) for s in (1, 4, 300)),
]


@pytest.mark.parametrize(("law", "exact"), LAWS)
def test_laws_are_those_of_the_mechanisms(law, exact):
    for k in (-7, -1, 0, 1, 2, 30):
        assert law(k) == pytest.approx(float(exact.at_least(k)), rel=1e-9)


def test_the_delta_of_gaussian_noise_is_that_of_its_two_laws():
    sigma2, epsilon, d = 9, 0.5, 2
    noise = DiscreteGaussianNoise(Fraction(sigma2))
    masses = {k: float(noise.pmf(k)) for k in range(-60, 61)}
    lost = sum(max(0, masses[k] - exp(epsilon) * masses.get(k + d, 0)) for k in masses)
    assert gaussian_delta(sigma2, d, epsilon) == pytest.approx(lost, rel=1e-9)


@pytest.mark.parametrize(("n", "p"), [(50, 0.5), (200, 0.03), (1000, 0.368), (1000, 0.999)])
def test_an_alarm_is_false_no_more_often_than_is_stated(n, p):
    def mass(m):
        ways = lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1)
        return exp(ways + m * log(p) + (n - m) * log(1 - p))

    draws = [[1] * m + [0] * (n - m) for m in range(n + 1)]
    event = [("one", p, bool)]
    assert sum(mass(sum(one)) for one in draws if misfit(one, event)) <= RATE
    assert sum(mass(m) for m in range(n + 1) if too_often(m, n, p)) <= RATE
    assert misfit(draws[0], event) or misfit(draws[-1], event)


def drawn(rng, scale, size=16_384):
    """Draw discrete Laplace noise: the difference of two geometric variables."""
    p = 1 - exp(-1 / scale)
    return (rng.geometric(p, size) - rng.geometric(p, size)).tolist()


@pytest.mark.parametrize("scale", [1, 5, 50])
def test_scales_that_are_off_by_a_tenth_are_noticed(scale):
    rng = np.random.default_rng(16)
    events = noise_events(laplace(scale))
    for _ in range(8):
        assert misfit(drawn(rng, scale), events) is None
        assert misfit(drawn(rng, 1.1 * scale), events)
        assert misfit(drawn(rng, 0.9 * scale), events)


def test_other_mistakes_in_noise_are_noticed():
    rng = np.random.default_rng(17)
    events = noise_events(laplace(20))
    honest = drawn(rng, 20)
    assert misfit([z + 2 for z in honest], events)
    assert misfit([abs(z) for z in honest], events)
    assert misfit([min(z, 60) for z in honest], events)
    assert misfit([0] * len(honest), events)


@pytest.mark.slow
@pytest.mark.statistical
def test_a_whole_self_test_makes_fewer_comparisons_than_is_stated(monkeypatch):
    """Its own false-alarm rate does not matter: only comparisons are counted."""
    real, counted = bench._exponent, []

    def exponent(*arguments):
        counted.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(bench, "_exponent", exponent)
    selftest([29, 30, 31, 32, 34, 35])
    assert 100 < len(counted) < MOST
