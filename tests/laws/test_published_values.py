"""What other accountants expect of their own results lies where ours says that it must.

A value that is rounded there lies within our two ends, up to the rounding. A distribution that
dominates there, composed, is at least our lower end; one that is dominated is at most our upper
end. The values are in `tests.laws.published`.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

import twoworlds as tw
from tests.laws import published
from tests.laws.published import REMOVE
from twoworlds.laws.comparison import FiniteComparison, between
from twoworlds.laws.sampling import Mixed
from twoworlds.numbers import bounds, exp, ln

PLACES = 1e-7  # to which values are compared there


def sample(kind, parameter, sensitivity, rate):
    amount, size, chance = (Fraction(str(x)) for x in (parameter, sensitivity, rate))
    name = {"laplace": "scale", "gaussian": "sigma", "geometric": "epsilon"}[kind]
    amount = amount * size if kind == "geometric" else amount
    return f"poisson-sample({kind}({name}={amount}, sensitivity={size}), rate={chance})"


def directed(mechanism, direction):
    worlds = ("with", "without")
    return mechanism.compare(*worlds if direction == REMOVE else worlds[::-1])


def ends(comparison, epsilon):
    """Return two ends of H_a at a = e^epsilon; below 1 it is 1 - a + a H_(1/a) of the reverse."""
    if epsilon >= 0:
        return [float(end) for end in bounds(comparison.gap(exp(Fraction(str(epsilon)))).delta)]
    ratio = math.exp(epsilon)
    return [1 - ratio + ratio * end for end in ends(comparison.reverse(), -epsilon)]


# --- one output -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "parameter", "sensitivity", "rate", "direction", "deltas"), published.DELTAS
)
def test_a_single_delta_is_the_published_one(kind, parameter, sensitivity, rate, direction, deltas):
    mechanism = tw.mechanism(sample(kind, parameter, sensitivity, rate))
    for epsilon, delta in deltas.items():
        low, high = ends(directed(mechanism, direction), epsilon)
        assert low - PLACES <= delta <= high + PLACES
        assert high - low < PLACES


@pytest.mark.parametrize(
    ("sigma", "sensitivity", "bound", "rate", "direction", "deltas"), published.CUT_OFF
)
def test_noise_that_is_cut_off_is_a_table(sigma, sensitivity, bound, rate, direction, deltas):
    """It is `poisson-sample` of a table: the record moves the answer, and is drawn, or not."""
    weights = {x: exp(Fraction(-x * x, 2 * sigma**2)) for x in range(-bound, bound + 1)}
    total = sum(weights.values(), start=Fraction(0))
    law = {x: weight / total for x, weight in weights.items()}
    moved = {x + sensitivity: mass for x, mass in law.items()}
    found = Mixed("with", "without", between(moved, law), Fraction(str(rate)))
    for epsilon, delta in deltas.items():
        low, high = ends(found if direction == REMOVE else found.reverse(), epsilon)
        assert low - PLACES <= delta <= high + PLACES
        assert high - low < PLACES


@pytest.mark.few(12)
@pytest.mark.parametrize(
    ("noise", "epsilon", "delta"),
    [
        (row[:5], epsilon, delta)
        for row in published.DELTAS
        for epsilon, delta in row[5].items()
        if epsilon >= 0
    ],
)
def test_the_grid_encloses_a_published_delta(noise, epsilon, delta):
    *noise, direction = noise
    once = directed(tw.compose(sample(*noise)), direction)
    low, high = ends(once, epsilon)
    assert low - PLACES <= delta <= high + PLACES
    assert high - low <= 0.011 * high + PLACES


# --- several outputs ------------------------------------------------------------------------------


def composed(losses, times):
    """Return the law of the sum of so many losses."""
    total = Counter({0: 1.0})
    for _ in range(times):
        grown = Counter()
        for (one, mass), (other, more) in product(total.items(), losses.items()):
            grown[one + other] += mass * more
        total = grown
    return total


def delta_of(losses, epsilon, infinite=0.0):
    finite = (
        mass * (1 - math.exp(epsilon - loss)) for loss, mass in losses.items() if loss > epsilon
    )
    return infinite + sum(finite)


@pytest.mark.few(6)
@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize(("noise", "buckets", "dots", "optimistic"), published.LOSSES)
def test_published_distributions_compose_to_bounds_on_ours(noise, buckets, dots, optimistic, times):
    *noise, direction = noise
    ours = directed(tw.compose(sample(*noise), times=times), direction)
    slack = times * PLACES
    for epsilon in range(times * max(optimistic) + 1):
        low, high = ends(ours, epsilon)
        for dominating in (buckets, dots):
            left = 1 - sum(dominating.values()) ** times
            assert low <= delta_of(composed(dominating, times), epsilon, left) + slack
        assert delta_of(composed(optimistic, times), epsilon) <= high + slack


@pytest.mark.parametrize(("noise", "buckets", "dots", "optimistic"), published.LOSSES)
def test_connected_dots_meet_the_curve_of_one_output(noise, buckets, dots, optimistic):
    """At whole epsilons the distribution has the delta of the mechanism, not only more."""
    *noise, direction = noise
    once = directed(tw.mechanism(sample(*noise)), direction)
    for epsilon in range(max(dots) + 1):
        low, high = ends(once, epsilon)
        left = 1 - sum(dots.values())
        assert low - PLACES <= delta_of(dots, epsilon, left) <= high + PLACES


def several(parts, width):
    built = [tw.compose(text, times=times) for text, times in parts]
    return tw.compose(*built, width=width)


@pytest.mark.parametrize("source", published.SEVERAL)
def test_several_outputs_have_the_published_epsilon(source):
    parts, epsilon, delta, off, _ = published.SEVERAL[source]
    low, high = bounds(tw.measure(several(parts, "1/1000"), delta=delta).epsilon)
    assert low - Fraction(off) <= Fraction(epsilon) <= high + Fraction(off)
    assert high - low <= high / 1000


NEAR_THE_LARGEST_LOSS = "pld_privacy_accountant_test.py, test_poisson_subsampled_laplace"


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(source, marks=[pytest.mark.slow] * (source == NEAR_THE_LARGEST_LOSS))
        for source in published.SEVERAL
    ],
)
def test_several_outputs_have_the_published_delta(source):
    parts, epsilon, delta, _, off = published.SEVERAL[source]
    low, high = bounds(tw.measure(several(parts, "1/50"), epsilon=epsilon).delta)
    assert low - Fraction(off) <= Fraction(delta) <= high + Fraction(off)
    assert high - low <= max(Fraction(off), high / 5)


@pytest.mark.parametrize(("numbers", "epsilon"), published.GAUSSIANS)
def test_gaussian_outputs_together_have_the_delta_of_one(numbers, epsilon):
    parts = [tw.compose(f"gaussian(sigma={sigma})", times=n) for sigma, n in numbers.items()]
    mu = math.sqrt(sum(n / sigma**2 for sigma, n in numbers.items()))
    p, q = (math.erfc((epsilon / mu - side * mu / 2) / math.sqrt(2)) / 2 for side in (1, -1))
    low, high = bounds(tw.measure(tw.compose(*parts), epsilon=epsilon).delta)
    assert float(low) * (1 - 1e-9) <= p - math.exp(epsilon) * q <= float(high) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("source", "row"),
    [(source, row) for source, rows in published.LEAST_NOISE.items() for row in rows],
)
def test_the_published_noise_is_just_enough(source, row):
    text, times, epsilon, delta, least, off = row
    amount, slack = Fraction(least), Fraction(off)
    enough, too_little = (
        bounds(tw.measure(tw.compose(text.format(one), times=times), epsilon=epsilon).delta)
        for one in (amount + slack, amount - slack)
    )
    assert enough[0] <= Fraction(delta) <= too_little[1]


# --- Renyi divergences ----------------------------------------------------------------------------


def renyi(mechanism, order):
    return tw.definition(f"rdp(order={order})").tightest(tw.mechanism(mechanism)).epsilon


@pytest.mark.parametrize(("order", "expected"), published.RENYI_OF_A_SAMPLE.items())
def test_divergences_of_a_sample_are_the_published_ones(order, expected):
    outputs = "compose(poisson-sample(gaussian(sigma=2.5), rate=0.01), times=50)"
    assert float(renyi(outputs, order)) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("sigmas", [("2.71828",), ("2.71828", "6.28319"), ("3.14159",) * 6])
def test_divergences_of_gaussian_noise_add_up(sigmas):
    """rdp_privacy_accountant_test.py, test_compute_rdp_gaussian, _multi_gaussian, _composition."""
    order = Fraction("3.14159")
    outputs = tw.compose(*(tw.mechanism(f"gaussian(sigma={sigma})") for sigma in sigmas))
    assert renyi(outputs, order) == sum(order / (2 * Fraction(sigma) ** 2) for sigma in sigmas)


@pytest.mark.parametrize(("epsilon", "times"), [("0.01", 1), ("1", 1), ("100", 1), ("1", 100)])
def test_a_very_large_order_is_pure_privacy_for_laplace_noise(epsilon, times):
    """rdp_privacy_accountant_test.py, test_laplace: order 10^10, here 10^6, the largest one.

    The divergence is smaller than epsilon by at most ln 2 / (order - 1) for each output.
    """
    most = Fraction(epsilon) * times
    found = renyi(tw.compose(f"laplace(epsilon={epsilon})", times=times), 10**6)
    assert float(most) - 0.7e-6 * times <= float(found) < most


@pytest.mark.parametrize(("noise", "buckets", "relation", "expected"), published.RENYI_OF_RESPONSES)
def test_divergences_of_randomized_response_are_the_published_ones(
    noise, buckets, relation, expected
):
    other = Fraction(noise) / buckets
    own = 1 - Fraction(noise) + other
    first = [own] + [other] * (buckets - 1)
    second = [Fraction(1, buckets)] * buckets if relation == "special" else [other, own, *first[2:]]
    pairs = [(first, second), (second, first)]
    both = [FiniteComparison.of("x", "y", range(buckets), p, q) for p, q in pairs]
    for order, value in zip(published.ORDERS, expected, strict=False):
        found = max(float(one.divergence(Fraction(order))) for one in both)
        assert found == pytest.approx(value, rel=1e-4)
    assert max(float(ln(one.peak().ratio)) for one in both) == pytest.approx(expected[-1], rel=1e-4)


def test_noise_for_the_epsilon_of_divergences_is_enough():
    """rdp_privacy_accountant_test.py, test_compute_epsilon_delta_gaussian: a bound on delta."""
    assert tw.check("gaussian(sigma=4.530877117)", "dp(epsilon=1, delta=1e-6)").holds
