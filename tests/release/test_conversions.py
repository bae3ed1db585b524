"""Conversions of zCDP: true for the Gaussian, tighter than the classical bound, safely rounded."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.release.costs import (
    pure_to_zcdp,
    pure_within,
    zcdp_to_delta,
    zcdp_to_epsilon,
    zcdp_within,
)

RHOS = st.fractions(Fraction(1, 1000), 2, max_denominator=1000)
EPSILONS = st.fractions(0, 8, max_denominator=100)
DELTAS = st.integers(1, 12).map(lambda n: Fraction(1, 10**n))


def tail(x):
    return math.erfc(x / math.sqrt(2)) / 2


def gaussian_delta(rho, epsilon):
    """The exact delta of Gaussian noise with rho = 1 / (2 sigma^2), whose zCDP bound is tight."""
    shift = math.sqrt(2 * rho)
    return tail(epsilon / shift - shift / 2) - math.exp(epsilon) * tail(epsilon / shift + shift / 2)


@given(RHOS, EPSILONS)
def test_no_gaussian_has_a_larger_delta(rho, epsilon):
    assert float(zcdp_to_delta(rho, epsilon)) >= gaussian_delta(float(rho), float(epsilon)) - 1e-15


@given(RHOS, DELTAS)
def test_the_three_conversions_agree_on_the_safe_side(rho, delta):
    epsilon = zcdp_to_epsilon(rho, delta)
    within = zcdp_within(epsilon, delta)
    near = Fraction(1, 10**8)
    if epsilon:
        assert zcdp_to_delta(rho, epsilon) <= delta * (1 + near)
        assert rho * (1 - near) <= within <= rho * (1 + near)
    assert within == 0 or zcdp_to_delta(within, epsilon) <= delta * (1 + near)


def test_extremes():
    assert zcdp_to_delta(Fraction(0), Fraction(1)) == 0
    assert zcdp_to_epsilon(Fraction(0), Fraction(1, 10)) == 0
    assert zcdp_within(Fraction(1), Fraction(0)) == 0
    assert 0 < zcdp_to_delta(Fraction(1, 10**12), Fraction(5)) <= Fraction(1, 10**900)
    assert zcdp_to_delta(Fraction(10**6), Fraction(1)) <= 1
    assert pure_to_zcdp(Fraction(0)) == 0
    assert pure_to_zcdp(Fraction(10**100)) == 10**100


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (zcdp_to_delta, (Fraction(-1), Fraction(1))),
        (zcdp_to_delta, (Fraction(1), Fraction(-1))),
        (pure_to_zcdp, (Fraction(-1),)),
        (zcdp_to_epsilon, (Fraction(1), Fraction(0))),
        (zcdp_to_epsilon, (Fraction(1), Fraction(1))),
        (zcdp_within, (Fraction(1), Fraction(2))),
    ],
)
def test_numbers_out_of_range_are_refused(function, arguments):
    with pytest.raises(InvalidInput, match=r"negative|between"):
        function(*arguments)


def renyi_of_response(epsilon, alpha):
    """D_alpha of randomized response, as a float."""
    up = 1 / (1 + math.exp(-epsilon))
    powers = up**alpha * (1 - up) ** (1 - alpha) + (1 - up) ** alpha * up ** (1 - alpha)
    return math.log(powers) / (alpha - 1)


@given(
    st.fractions(Fraction(1, 100), 8, max_denominator=100),
    st.fractions(Fraction(101, 100), 40, max_denominator=100),
)
def test_randomized_response_has_the_rho_of_its_epsilon_at_every_order(epsilon, alpha):
    rho = pure_to_zcdp(epsilon)
    e, a = float(epsilon), float(alpha)
    assert renyi_of_response(e, a) <= a * float(rho) * (1 + 1e-9)


@given(st.fractions(Fraction(1, 10**7), 100, max_denominator=10**8))
def test_the_rho_of_an_epsilon_is_the_least_one_rounded_up(epsilon):
    """As alpha goes to 1, D_alpha goes to epsilon tanh(epsilon / 2), so no rho may be less."""
    with localcontext() as context:
        context.prec = 80
        e = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
        least = Fraction(e * (e.exp() - 1) / (e.exp() + 1))
    rho = pure_to_zcdp(epsilon)
    assert rho <= epsilon * epsilon / 2  # so that what was let through before still is
    assert -Fraction(1, 10**60) <= rho - least <= least / 10**11


@pytest.mark.parametrize("rho", ["1e-20", "1e-9", "1/1000", "1/8", "1", "29", "100"])
def test_the_largest_epsilon_within_a_rho(rho):
    rho = Fraction(rho)
    epsilon = pure_within(rho)
    assert pure_to_zcdp(epsilon) <= rho < pure_to_zcdp(epsilon * (1 + Fraction(1, 10**6)))
