"""Half widths and variances against plain sums."""

from fractions import Fraction
from math import isqrt

import pytest

from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, SkellamNoise
from twoworlds.numbers import exp, sqrt
from twoworlds.release.answers.estimates import half_width, variance
from twoworlds.release.sensitivity.calibration import least

FAILURES = (Fraction(1, 20), Fraction(1, 40), Fraction(1, 60))
NARROW = (
    GeometricNoise(Fraction(1, 100)),
    GeometricNoise(Fraction(1, 2)),
    GeometricNoise(exp(Fraction(-1, 7))),
    DiscreteGaussianNoise(Fraction(1, 10)),
    DiscreteGaussianNoise(Fraction(9, 2)),
    DiscreteGaussianNoise(Fraction(400)),
    SkellamNoise(Fraction(3), Fraction(3)),
)


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("law", NARROW, ids=lambda law: law.expression)
def test_half_width_is_the_least_that_holds_enough_of_the_law(law, failure):
    h = half_width(law, failure)
    inside = sum(float(law.pmf(k)) for k in range(-h, h + 1))
    shorter = inside - 2 * float(law.pmf(h)) if h else 0.0
    assert inside >= 1 - failure > shorter


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("sigma2", [1001, 1500, 2003, 4999])
def test_half_width_of_a_wide_gaussian_is_never_too_small(sigma2, failure):
    law = DiscreteGaussianNoise(Fraction(sigma2))
    h = half_width(law, failure)
    assert 2 * law.at_least(h + 1) <= failure
    assert 2 * law.at_least(h - 1) > failure  # too large by one at most


@pytest.mark.parametrize("law", NARROW, ids=lambda law: law.expression)
def test_variance_is_that_of_the_law(law):
    reach = 12 * half_width(law) + 60
    found = (
        sum(k * k * float(law.pmf(k)) for k in range(-reach, reach + 1)) if reach < 4000 else 400
    )
    assert float(variance(law)) == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("guess", [-5, 0, 1, 6, 7, 8, 9, 500])
@pytest.mark.parametrize("answer", [0, 1, 7, 8, 130])
def test_least_finds_the_turn_from_any_guess(answer, guess):
    assert least(lambda h: h >= answer, guess) == answer


@pytest.mark.parametrize("sigma2", [100, 121, 144, 400, 900])
def test_the_spread_of_a_gaussian_is_told_from_every_whole_number(sigma2):
    """Sigma is whole here: a decision between it and the true spread may need very many digits."""
    spread = sqrt(variance(DiscreteGaussianNoise(Fraction(sigma2))))
    assert spread <= isqrt(sigma2)
    assert spread > isqrt(sigma2) - 1
