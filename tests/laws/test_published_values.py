"""What other accountants expect of their own results lies where ours says that it must.

A value that is rounded there lies within our two ends, up to the rounding. The values are in
`tests.laws.published`.
"""

import math
from fractions import Fraction

import pytest

import twoworlds as tw
from tests.laws import published
from twoworlds.laws.comparison import FiniteComparison
from twoworlds.numbers import bounds, ln


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
