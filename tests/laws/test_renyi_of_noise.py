"""Divergences of integer noise from its shifted copy, against long windows."""

import math
from fractions import Fraction

import pytest

import twoworlds as tw
from tests.laws import divergences as brute
from twoworlds.errors import Unsupported
from twoworlds.laws.counts import Binomial, Poisson
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    SkellamNoise,
)
from twoworlds.laws.renyi import shifted_divergence
from twoworlds.numbers import INFINITY, bounds, exp, ln

ORDERS = [Fraction(3, 2), Fraction(2), Fraction(17, 4)]
NOISES = [
    GeometricNoise(Fraction(1, 3)),
    GeometricNoise(exp(Fraction(-1, 2))),
    DiscreteGaussianNoise(Fraction(1, 2)),
    DiscreteGaussianNoise(Fraction(3)),
    DiscreteGaussianNoise(Fraction(1, 8)),
    SkellamNoise(Fraction(1), Fraction(1)),
    SkellamNoise(Fraction(2), Fraction(5)),
    NegativeBinomialDifference(Fraction(1, 3), 3),
]


def window(noise, shift, order, reach=60):
    """The divergence over a window, by logarithms of masses."""
    masses = {k: float(ln(noise.pmf(k))) for k in range(-reach - shift, reach + 1)}
    logs = [(masses[k - shift], masses[k]) for k in range(-reach, reach + 1)]
    if order == 1:
        return math.fsum(math.exp(p) * (p - q) for p, q in logs)
    a = float(order)
    return brute.log_sum([a * p - (a - 1) * q for p, q in logs]) / (a - 1)


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.expression)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shift", [1, 3])
def test_the_divergence_is_that_of_a_long_window(noise, order, shift):
    found = shifted_divergence(noise, shift, order)
    low, high = bounds(found)
    assert high - low < Fraction(1, 10**12)
    assert float(found) == pytest.approx(window(noise, shift, order), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "noise", [n for n in NOISES if not isinstance(n, SkellamNoise)], ids=lambda n: n.expression
)
def test_order_one_is_the_mean_loss(noise):
    found = shifted_divergence(noise, 2, Fraction(1))
    assert float(found) == pytest.approx(window(noise, 2, Fraction(1)), rel=1e-9)


def test_discrete_gaussian_noise_is_exact_where_order_times_shift_is_whole():
    noise = DiscreteGaussianNoise(Fraction(2))
    assert shifted_divergence(noise, 3, Fraction(2)) == Fraction(9, 2)
    assert shifted_divergence(noise, 2, Fraction(5, 2)) == Fraction(5, 2)
    assert bounds(shifted_divergence(noise, 1, Fraction(5, 2)))[1] < Fraction(5, 8)


def test_noise_that_ends_or_has_no_bound_is_infinite_or_refused():
    assert shifted_divergence(Binomial(4, Fraction(1, 2)), 1, Fraction(2)) == INFINITY
    for noise, order in ((Poisson(Fraction(2)), 2), (SkellamNoise(1, 1), 1)):
        with pytest.raises(Unsupported, match="no bound is known here"):
            shifted_divergence(noise, 1, Fraction(order))
    with pytest.raises(Unsupported, match="too narrow"):
        bounds(shifted_divergence(DiscreteGaussianNoise(Fraction(1, 10**15)), 1, Fraction(3, 2)))


def test_a_clamped_range_is_added_up_one_by_one():
    clamped = tw.mechanism("truncated-geometric(ratio=2, high=4)")
    pairs = [*clamped.family("substitute")]
    for pair in pairs:
        p, q = ([clamped.probability(o, z) for o in range(5)] for z in (pair.x, pair.y))
        total = sum(x**2 / y for x, y in zip(p, q, strict=True))
        assert float(pair.divergence(Fraction(2))) == pytest.approx(math.log(total), rel=1e-12)
