"""Exact errors against enumeration, integration and print."""

from fractions import Fraction
from math import exp as float_exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms.accuracy import (
    geometric_errors,
    laplace_crossover,
    laplace_errors,
    laplace_variance,
    randomized_response_mean_square_error,
)
from twoworlds.mechanisms.calibration import laplace_scale
from twoworlds.numbers import Order, compare, exp, ln

POSITIVE = st.fractions(min_value=Fraction(1, 20), max_value=20, max_denominator=20)
CHANCES = st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20)
DIMENSIONS = st.integers(1, 12)


def integral(f, upper, steps=8_000):
    """Return the integral from 0 to ``upper`` by Simpson's rule (smooth f: about 1e-9)."""
    h = upper / steps
    weights = (1 if i in (0, steps) else 4 if i % 2 else 2 for i in range(steps + 1))
    return h / 3 * sum(w * f(i * h) for i, w in enumerate(weights))


def tail(p, t):
    return geometric_errors(p, t=t)[2].exact


def largest(p, d):
    return geometric_errors(p, dimension=d)[5].exact


# --- Laplace: Wu, Lemma 4.4 ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "t", "mean", "mean_bound", "tail", "tail_bound", "l1"),
    [
        (1, "1", "1.0", "1.0", "0.367879441171442", "0.367879441171442", 1),
        (50, "0.5", "4.49920533832943", "4.91202300542815", "0.456779235999802",
         "0.606530659712633", 50),
    ],
)  # fmt: skip
def test_reference_lemma_4_4_part_2(d, t, mean, mean_bound, tail, tail_bound, l1):
    total, top, expected = laplace_errors(1, dimension=d, t=t)[3:]
    assert float(expected.exact) == pytest.approx(float(mean), abs=1e-12)
    assert float(expected.printed) == pytest.approx(float(mean_bound), abs=1e-12)
    assert float(top.exact) == pytest.approx(float(tail), abs=1e-12)
    assert float(top.printed) == pytest.approx(float(tail_bound), abs=1e-12)
    assert total.exact == l1


def test_reference_epsilon_one_over_n_drowns_a_proportion():
    # Wu, Section 4: n = 200 and epsilon = 1/200 give standard deviation sqrt(2).
    error = laplace_errors(laplace_scale("1/200", "1/200"))[1].exact
    assert float(error) == pytest.approx(1.4142135623731, abs=1e-12)


@pytest.mark.parametrize("b", [Fraction(1, 2), Fraction(3)])
def test_lemma_4_4_part_1_by_integration(b):
    scale, top = float(b), 60 * float(b)

    def density(z):
        return float_exp(-z / scale) / scale  # of |Z|

    mean, spread, beyond = (float(part.exact) for part in laplace_errors(b, t="3/2")[:3])
    assert mean == pytest.approx(integral(lambda z: z * density(z), top), rel=1e-7)
    assert spread**2 == pytest.approx(integral(lambda z: z * z * density(z), top), rel=1e-7)
    assert float(laplace_variance(b).exact) == pytest.approx(spread**2)
    assert beyond == pytest.approx(1 - integral(density, 1.5 * scale), rel=1e-7)


@pytest.mark.parametrize("d", [1, 2, 7])
def test_lemma_4_4_part_2_by_integration(d):
    # E M is the integral of P(M > x), as Exercise 4.5 says (its printed integral lacks dx).
    found = integral(lambda x: 1 - (1 - float_exp(-x)) ** d, 60.0)
    assert float(laplace_errors(1, dimension=d)[5].exact) == pytest.approx(found, rel=1e-7)


@given(POSITIVE, DIMENSIONS, POSITIVE)
def test_every_part_of_lemma_4_4_holds(scale, d, t):
    parts = laplace_errors(scale, dimension=d, t=t)
    places = [f"Wu, Lemma 4.4({place})" for place in ("1a", "1b", "1c", "2a", "2b", "2c")]
    assert [part.citation for part in parts] == places
    assert all(part.holds for part in parts)


def test_an_irrational_scale_is_carried_symbolically():
    scale = laplace_scale(1, "ln 3")
    parts = laplace_errors(scale, dimension=3, t="ln 2")
    assert parts[0].exact is scale
    assert parts[4].exact == 1 - Fraction(5, 6) ** 3
    assert float(parts[5].exact) == pytest.approx(11 / 6 / 1.0986122886681098)


@given(POSITIVE, POSITIVE)
def test_erratum_part_1c_is_an_equality(scale, t):
    part = laplace_errors(scale, t=t)[2]
    assert part.exact == part.printed == exp(-t)


@given(st.integers(2, 40))
def test_erratum_part_2c_is_the_harmonic_number_strictly_below_print(d):
    part = laplace_errors(1, dimension=d)[5]
    assert part.exact == sum(Fraction(1, j) for j in range(1, d + 1))
    assert compare(part.exact, part.printed) is Order.LESS


def test_erratum_the_variance_of_scale_sigma_is_twice_sigma_squared():
    # Dwork, equation (3): noise "with variance sigma^2" and density ~ exp(-|x| / sigma).
    claim = laplace_variance(3)
    assert (claim.printed, claim.exact, claim.holds) == (9, 18, False)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_erratum_the_density_printed_in_wus_proof_has_total_mass_two_to_the_d(d):
    # Wu, equation (7): coefficient epsilon/(2 Delta), exponent epsilon/(2 Delta) as well. The
    # integral of e^(-r |y|) is 2/r, so the coefficient r gives 2 and r/2 gives 1.
    epsilon, delta = Fraction(1, 2), Fraction(3)
    coefficient = epsilon / (2 * delta)
    printed, corrected = epsilon / (2 * delta), epsilon / delta
    assert (coefficient * 2 / printed) ** d == 2**d
    assert (coefficient * 2 / corrected) ** d == 1


def test_large_dimensions_stay_enclosed_and_bounded():
    *_, top, mean = laplace_errors(1, dimension=10**6, t="ln 2")
    assert float(mean.exact) == pytest.approx(14.392726722865724, rel=1e-14)
    assert mean.holds
    assert top.holds
    assert float(top.exact) == pytest.approx(1 - float_exp(-0.5), rel=1e-5)


# --- Wu, Appendix A and Figure 5 ----------------------------------------------------------------

GRID = [Fraction(k, 16) for k in range(1, 17)]


@pytest.mark.parametrize("x", GRID)
def test_figure_5_inequalities(x):
    e_x = exp(x)
    assert 1 + x < e_x < 1 + x + x * x <= 1 + 2 * x
    assert x >= 1 - exp(-x) >= x - x * x
    assert exp(-x) > 1 - x


def test_erratum_e_to_the_x_is_not_above_its_tangent_at_zero():
    # Wu, Appendix A prints e^x > 1 + x "for all x".
    assert exp(Fraction(0)) == 1 + Fraction(0)
    assert all(exp(x) > 1 + x for y in GRID for x in (y, -3 * y))


@pytest.mark.parametrize("constant", [1, 10, 1000])
def test_erratum_the_error_terms_of_the_reciprocals_are_constants(constant):
    # Wu, Appendix A prints 1/(e^x - 1) >= 1/x - O(x^2) and 1/(1 - e^(-x)) <= 1/x + O(x^2).
    x = Fraction(1, 100 * constant)
    lower, upper = 1 / (exp(x) - 1), 1 / (1 - exp(-x))
    assert lower < 1 / x - constant * x * x
    assert upper > 1 / x + constant * x * x
    # What holds: both are 1/x -+ 1/2 up to x/12.
    for y in (x, *GRID):
        low, high = 1 / (exp(y) - 1), 1 / (1 - exp(-y))
        assert 1 / y - Fraction(1, 2) < low < 1 / y - Fraction(1, 2) + y / 12
        assert 1 / y + Fraction(1, 2) < high < 1 / y + Fraction(1, 2) + y / 12


# --- geometric noise ----------------------------------------------------------------------------


@given(CHANCES)
def test_geometric_errors_by_summation(p):
    masses = [float(p) ** k * float(GeometricNoise(p).pmf(0)) for k in range(1200)]
    mean, spread, _, total, *_ = (part.exact for part in geometric_errors(p, dimension=3))
    expected, square = (2 * sum(k**n * m for k, m in enumerate(masses)) for n in (1, 2))
    assert float(mean) == pytest.approx(expected, rel=1e-10)
    assert float(spread) ** 2 == pytest.approx(square, rel=1e-10)
    assert total == 3 * mean


@given(CHANCES, st.fractions(0, 12, max_denominator=5), DIMENSIONS)
def test_the_geometric_tails_are_what_the_middle_leaves(p, t, d):
    noise = GeometricNoise(p)
    middle = sum((noise.pmf(k) for k in range(-13, 14) if abs(k) <= t), start=Fraction(0))
    found = geometric_errors(p, t=t, dimension=d)
    assert (found[2].exact, found[4].exact) == (1 - middle, 1 - middle**d)


@given(CHANCES, DIMENSIONS)
def test_the_expected_largest_geometric_error_is_the_sum_of_its_tails(p, d):
    partial = sum((1 - (1 - tail(p, t)) ** d for t in range(40)), start=Fraction(0))
    assert partial <= largest(p, d) <= partial + d * tail(p, 40) / (1 - p)


@pytest.mark.parametrize("d", [65, 2048, 2049])
def test_enclosures_of_the_expected_largest_error_agree_with_the_sum_of_tails(d):
    p = Fraction(2, 3)
    direct = sum(1 - (1 - 2 * float(p) ** (t + 1) / (1 + float(p))) ** d for t in range(200))
    assert float(largest(p, d)) == pytest.approx(direct, rel=1e-9)


@given(POSITIVE)
def test_geometric_noise_errs_less_than_laplace_noise_of_the_same_epsilon(epsilon):
    ours = geometric_errors(exp(-epsilon))
    theirs = laplace_errors(laplace_scale(1, epsilon))
    assert all(a.exact < b.exact for a, b in zip(ours[:2], theirs[:2], strict=True))


def test_numbers_next_to_a_whole_one_are_told_from_it():
    # 3 -+ e^(-200) looks like 3 in 128 bits: only more precision tells on which side it lies.
    near = exp(Fraction(-200))
    assert tail("1/2", 3 + near) == tail("1/2", 3) == Fraction(1, 12)
    assert tail("1/2", 3 - near) == tail("1/2", 2) == tail("1/2", ln(Fraction(20)))


# --- randomized response ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keep", "expected"), [("3/4", "75"), ("2/3", "200"), ("9/10", "225/16"), ("1/4", "75")]
)
def test_reference_randomized_response_variance(keep, expected):
    # Wu, Proposition 3.3 with n = 100.
    assert randomized_response_mean_square_error(100, keep) == Fraction(expected)


# --- crossover ----------------------------------------------------------------------------------


def test_erratum_laplace_beats_randomized_response_only_from_three_people_on():
    # Wu, Summary: "for the same privacy budget, the Laplace mechanism adds far less error".
    central = laplace_variance(laplace_scale(1, "ln 3")).exact
    local = {n: randomized_response_mean_square_error(n, "3/4") for n in (2, 3)}
    assert local[2] < central < local[3]
    assert laplace_crossover("ln 3").records == 3
    assert float(central) == pytest.approx(1.2873**2, abs=1e-3)


@given(POSITIVE)
def test_the_crossover_is_the_first_n_at_which_laplace_is_better(epsilon):
    found = laplace_crossover(epsilon)
    odds = exp(epsilon)
    keep = odds / (1 + odds)
    central = laplace_variance(laplace_scale(1, epsilon)).exact
    assert randomized_response_mean_square_error(found.records, keep) > central
    assert found.records > 2
    if found.records > 3:
        assert randomized_response_mean_square_error(found.records - 1, keep) < central


@given(CHANCES)
def test_geometric_noise_equals_randomized_response_at_two_people_and_beats_it_from_three(p):
    keep = 1 / (1 + p)
    variance = GeometricNoise(p).variance
    assert randomized_response_mean_square_error(2, keep) == variance
    assert randomized_response_mean_square_error(3, keep) > variance


def test_a_crossover_beyond_every_float_is_still_exact():
    found = laplace_crossover(1000)
    assert found.records - 1 < found.threshold < found.records
    assert found.records > 10**400


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: laplace_errors("inf"), r"scale=inf must be a finite number"),
        (lambda: laplace_variance(-1), r"scale=-1 must be a finite number above 0"),
        (lambda: laplace_errors(1, t=0), r"t=0 must be a finite number above 0"),
        (lambda: laplace_errors(1, dimension="5/2"), r"dimension=5/2 must be a whole number"),
        (lambda: geometric_errors(1), r"p=1 must lie strictly between 0 and 1"),
        (lambda: geometric_errors("1/2", t=-1), r"t=-1 must be a finite number, at least 0"),
        (lambda: geometric_errors("1/2", dimension=0), r"dimension=0 must be a whole number"),
        (lambda: randomized_response_mean_square_error(2, "1/2"),
         r"keep=1/2 makes every report a fair coin.*use keep other than 1/2"),
        (lambda: randomized_response_mean_square_error(5, 1.2), r"keep=1.2 is not a probability"),
        (lambda: randomized_response_mean_square_error(0, "3/4"), r"records=0 must be a whole"),
        (lambda: laplace_crossover(0), r"epsilon=0 must be a finite number above 0"),
    ],
)  # fmt: skip
def test_rejects(ask, message):
    with pytest.raises(InvalidInput, match=message):
        ask()


def test_refuses_a_series_that_would_not_end():
    with pytest.raises(Unsupported, match="needs more than 1000000 terms"):
        largest("999999999/1000000000", 5000)
