"""Noise for an epsilon and epsilon for a noise, exactly, with the corrected misprints."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.accuracy import geometric_errors, laplace_errors
from twoworlds.mechanisms.calibration import (
    dwork_scale,
    gaussian_variance,
    geometric_epsilon_for_error,
    geometric_p,
    geometric_ratio,
    histogram_calibration,
    laplace_epsilon,
    laplace_epsilon_for_error,
    laplace_rate,
    laplace_scale,
)
from twoworlds.mechanisms.continuous import Laplace
from twoworlds.numbers import Exp, exp, ln
from twoworlds.worlds import BitStrings, Records
from twoworlds.worlds.sensitivity import global_sensitivity, local_sensitivity
from twoworlds.worlds.statistics import constant, count, histogram, mean

POSITIVE = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=60)


@pytest.mark.parametrize(
    ("sensitivity", "epsilon", "scale", "citation"),
    [
        (3, "3/4", "4", "Wu, Algorithm 2"),
        (2, "1/2", "4", "Dwork, Theorem 4"),
        ("1/200", "1/200", "1", "Wu, Section 4: epsilon = 1/n on a proportion"),
        (2, 0.1, "20", "Wu, Section 4: 2/epsilon on every cell of a histogram"),
        (0, 1, "0", "nobody moves the answer: no noise"),
    ],
)
def test_reference_laplace_scale(sensitivity, epsilon, scale, citation):
    assert laplace_scale(sensitivity, epsilon) == Fraction(scale), citation


@given(POSITIVE, POSITIVE)
def test_the_scale_gives_back_its_epsilon(sensitivity, epsilon):
    scale = laplace_scale(sensitivity, epsilon)
    assert laplace_epsilon(scale, sensitivity) == epsilon
    assert laplace_rate(sensitivity, epsilon) == 1 / scale


@given(POSITIVE, POSITIVE)
def test_calibrated_laplace_noise_costs_exactly_epsilon(sensitivity, epsilon):
    noisy = Laplace(scale=laplace_scale(sensitivity, epsilon), sensitivity=sensitivity)
    _, peak = noisy.family("substitute").peak()
    assert peak.ratio == exp(epsilon)


@pytest.mark.parametrize(
    ("sensitivity", "given_as", "p"),
    [
        (1, {"epsilon": "ln 3"}, Fraction(1, 3)),
        (1, {"ratio": 3}, Fraction(1, 3)),
        (2, {"ratio": 9}, Fraction(1, 3)),
        (3, {"ratio": "27/8"}, Fraction(2, 3)),
        (2, {"epsilon": "1/2"}, Exp(Fraction(-1, 4))),
        (2, {"ratio": "e^0.5"}, Exp(Fraction(-1, 4))),
        (0, {"epsilon": 1}, Fraction(0)),
    ],
)
def test_geometric_p(sensitivity, given_as, p):
    assert geometric_p(sensitivity, **given_as) == p


@given(st.integers(1, 6), st.fractions(Fraction(9, 8), 20, max_denominator=9))
def test_geometric_noise_costs_exactly_its_ratio(sensitivity, ratio):
    p = geometric_p(sensitivity, ratio=ratio)
    assert float(geometric_ratio(p, sensitivity)) == pytest.approx(float(ratio), rel=1e-14)
    tiny = Fraction(1, 10**40)
    assert ratio - tiny < geometric_ratio(p, sensitivity) < ratio + tiny


@given(POSITIVE, POSITIVE, st.integers(1, 1000))
def test_gaussian_variance_of_a_mu_is_that_of_half_its_square_as_rho(sensitivity, mu, times):
    by_mu = gaussian_variance(sensitivity, mu=mu, times=times)
    assert by_mu == gaussian_variance(sensitivity, rho=mu * mu / 2, times=times)
    assert times * sensitivity**2 / by_mu == mu * mu


def test_a_measured_sensitivity_can_be_given_as_it_is():
    people = Records("abc", 5, smallest=4)
    by_relation = [
        laplace_scale(global_sensitivity(histogram("abc"), people, neighbours=relation), "1/2")
        for relation in ("add-remove", "substitute")
    ]
    assert by_relation == [2, 4]
    assert geometric_p(global_sensitivity(count(), BitStrings(50)), ratio=3) == Fraction(1, 3)
    assert laplace_scale(global_sensitivity(constant(3), BitStrings(5)), 1) == 0


def test_erratum_dwork_prints_the_scale_upside_down():
    # Dwork, after Theorem 4: "one must choose sigma >= epsilon / Delta f".
    rule = dwork_scale(2, "1/2")
    assert (rule.scale, rule.printed, rule.epsilon_if_printed) == (4, Fraction(1, 4), 8)
    assert laplace_epsilon(rule.printed, 2) == 8 > rule.epsilon
    assert laplace_epsilon(rule.scale, 2) == rule.epsilon
    assert "which gives epsilon 8" in rule.explain()


@given(POSITIVE, POSITIVE)
def test_erratum_the_printed_scale_suffices_only_when_epsilon_is_at_least_delta(delta, epsilon):
    rule = dwork_scale(delta, epsilon)
    assert (rule.epsilon_if_printed <= epsilon) == (epsilon >= delta)


def test_reference_histogram_calibration():
    # Dwork, Section 5.1, with k = 10 cells and epsilon = 1/2.
    plan = histogram_calibration(10, "1/2")
    assert plan == {"naive": (10, 20, 800), "add-remove": (1, 2, 8), "substitute": (2, 4, 32)}


@given(st.integers(2, 40), POSITIVE)
def test_erratum_dworks_histogram_variances_are_scales(cells, epsilon):
    # Dwork, Section 5.1, calls k / epsilon and 1 / epsilon variances.
    plan = histogram_calibration(cells, epsilon)
    assert (plan["naive"].scale, plan["add-remove"].scale) == (cells / epsilon, 1 / epsilon)
    assert plan["naive"].variance == 2 * cells**2 / epsilon**2
    assert plan["add-remove"].variance == 2 / epsilon**2


@pytest.mark.parametrize("cells", [1, 2, 5])
def test_the_plan_agrees_with_the_measured_sensitivity(cells):
    people, plan = Records(cells, 4, smallest=3), histogram_calibration(cells, 1)
    for relation in ("add-remove", "substitute"):
        measured = global_sensitivity(histogram(range(cells)), people, neighbours=relation)
        assert measured.value == plan[relation].sensitivity


@given(POSITIVE, POSITIVE)
def test_laplace_epsilon_for_error_reaches_that_error(error, sensitivity):
    epsilon = laplace_epsilon_for_error(error, sensitivity)
    assert laplace_errors(laplace_scale(sensitivity, epsilon))[0].exact == error


@given(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20), st.integers(1, 4))
def test_geometric_epsilon_for_error_reaches_that_error(p, sensitivity):
    # The error of a rational p has a rational root, so that the way back is exact.
    found = geometric_epsilon_for_error(geometric_errors(p)[0].exact, sensitivity)
    assert found == ln(geometric_ratio(p, sensitivity))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: laplace_scale(1, 0), r"epsilon=0 must be a finite number above 0"),
        (lambda: laplace_scale(1, "ln 1"), r"epsilon=ln 1 must be a finite number above 0"),
        (lambda: laplace_scale(1, float("nan")), r"epsilon='nan' is not a number"),
        (lambda: laplace_scale(-1, 1), r"sensitivity=-1 must be a finite number, at least 0"),
        (lambda: laplace_scale("inf", 1), r"sensitivity=inf must be a finite number"),
        (lambda: laplace_scale(1), r'exactly one of epsilon and ratio: epsilon="ln 3" is ratio=3'),
        (lambda: laplace_scale(1, 1, ratio=3), r"exactly one of epsilon and ratio"),
        (lambda: laplace_scale(1, ratio="1/2"), r"ratio=1/2 must be at least 1"),
        (lambda: laplace_scale(1, ratio=1), r"ratio=1 must be finite and above 1"),
        (lambda: laplace_rate(0, 1), r"sensitivity=0: nobody moves the answer"),
        (lambda: laplace_epsilon(-2, 1), r"scale=-2 must be a finite number above 0"),
        (lambda: laplace_epsilon_for_error(0, 1), r"error=0 must be a finite number above 0"),
        (lambda: geometric_epsilon_for_error(-1, 1), r"error=-1 must be a finite number above 0"),
        (lambda: geometric_p("1/2", 1), r"sensitivity=1/2 .*whole units first, or use laplace"),
        (lambda: geometric_ratio(1, 1), r"p=1 must lie strictly between 0 and 1"),
        (lambda: geometric_ratio("1/2", "ln 3"), r"sensitivity=ln 3 .*must be a whole number"),
        (lambda: gaussian_variance(1), r"exactly one of rho and mu"),
        (lambda: gaussian_variance(1, rho=1, mu=1), r"exactly one of rho and mu"),
        (lambda: gaussian_variance(1, rho=0), r"rho=0 must be a finite number above 0"),
        (lambda: gaussian_variance(0, mu=1), r"sensitivity=0 must be a finite number above 0"),
        (lambda: gaussian_variance(1, mu=1, times=0), r"times=0 must be a whole number"),
        (lambda: dwork_scale(0, 1), r"sensitivity=0 must be a finite number above 0"),
        (lambda: histogram_calibration(0, 1), r"cells=0 must be a whole number, at least 1"),
        (lambda: histogram_calibration(5, 0), r"epsilon=0 must be a finite number above 0"),
        (lambda: laplace_scale(global_sensitivity(mean(2), BitStrings(2), norm="L2"), 1),
         r"norm=L2: .*need the L1 sensitivity"),
        (lambda: laplace_scale(local_sensitivity(count(), BitStrings(2), "11"), 1),
         r"local sensitivity depends on the data.*use global_sensitivity"),
    ],
)  # fmt: skip
def test_rejects(ask, message):
    with pytest.raises(InvalidInput, match=message):
        ask()
