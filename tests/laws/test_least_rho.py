"""The least rho of two laws, against a grid of orders, and where it is known exactly."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.laws import divergences as brute
from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import FiniteComparison
from twoworlds.laws.least import _Orders, _under, least_rho
from twoworlds.laws.renyi import pure_rho
from twoworlds.numbers import INFINITY, Order, bounds, compare, exp, ln


def compared(p, q):
    return FiniteComparison.of("x", "y", range(len(p)), p, q)


def pair_of(text):
    built = tw.mechanism(text)
    return next(iter(built.family(built.universe.relation)))


@given(brute.pairs(least=0, sizes=(2, 4)))
def test_the_least_rho_is_enough_at_every_order_and_no_less_is(pair):
    found = least_rho(compared(*pair))
    wanted = brute.largest_rho(*pair)
    if wanted == math.inf:
        assert found.value == INFINITY
        return
    low, high = bounds(found.value)
    assert wanted <= float(high) + 1e-12
    if found.at == 1:
        assert float(low) <= brute.divergence(*pair, 1) + 1e-12
    else:
        attained = brute.divergence(*pair, found.at) / float(found.at)
        assert float(low) == pytest.approx(attained, rel=1e-9)
    assert high - low <= max(Fraction(1, 10**8) * high, Fraction(1, 10**30))


@given(
    st.fractions(Fraction(1, 1000), Fraction(1, 10), max_denominator=1000),
    st.fractions(Fraction(3, 2), 9, max_denominator=8),
)
def test_a_rare_event_is_worst_at_an_order_above_one(rare, ratio):
    """Where a rare output tells much, no limit at order 1 is enough."""
    p, q = (rare * ratio, 1 - rare * ratio), (rare, 1 - rare)
    found = least_rho(compared(p, q))
    fine = [1 + Fraction(int(1.05**k * 1000), 10**5) for k in range(1, 400)]
    assert float(found.value) == pytest.approx(brute.largest_rho(p, q, fine), rel=1e-3)
    assert brute.largest_rho(p, q, fine) <= float(bounds(found.value)[1]) + 1e-12


@given(st.fractions(Fraction(11, 10), 200, max_denominator=10))
def test_randomized_response_has_exactly_epsilon_tanh_of_half_of_it(ratio):
    p = [ratio / (1 + ratio), 1 / (1 + ratio)]
    found = least_rho(compared(p, p[::-1]))
    assert (found.at, found.attained) == (1, True)
    assert compare(found.value, pure_rho(ln(ratio)), limit=256) is not Order.LESS
    assert compare(found.value, pure_rho(ln(ratio)), limit=256) is not Order.GREATER


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("gaussian(sigma=2)", Fraction(1, 8)),
        ("gaussian(sigma2=3, sensitivity=2)", Fraction(2, 3)),
        ("discrete-gaussian(sigma2=2)", Fraction(1, 4)),
        ("discrete-gaussian(sigma2=2, sensitivity=3)", Fraction(9, 4)),
        ("laplace(epsilon=1)", exp(Fraction(-1))),
        ("compose(gaussian(sigma=2), times=10)", Fraction(10, 8)),
        ("compose(randomized-response(bits=1, keep=3/4), times=100)", 50 * ln(Fraction(3))),
        ("compose(gaussian(sigma=2), laplace(epsilon=1))", exp(Fraction(-1)) + Fraction(1, 8)),
        ("poisson-sample(gaussian(sigma=2), rate=1/10)", Fraction(1, 8)),
        ("poisson-sample(discrete-gaussian(sigma2=2), rate=1/10)", Fraction(1, 4)),
        ("constant(bits=1)", Fraction(0)),
    ],
)
def test_known_numbers_are_exact(text, wanted):
    found = least_rho(pair_of(text)).value
    assert compare(found, wanted, limit=512) in (Order.EQUAL, Order.UNDECIDED)
    assert isinstance(found, Fraction) == isinstance(wanted, Fraction)


@pytest.mark.parametrize("loss", ["1/10", "1", "4"])
def test_laplace_noise_needs_its_mean_loss_at_no_order_more(loss):
    pair = pair_of(f"laplace(epsilon={loss})")
    rho = float(least_rho(pair).value)
    for order in brute.ORDERS:
        assert float(pair.divergence(order)) <= float(order) * rho * (1 + 1e-12)


@pytest.mark.parametrize(
    "text", ["geometric(ratio=3, sensitivity=4)", "differenced-negative-binomial(p=1/2, r=2)"]
)
def test_other_noise_with_bounded_losses_is_enclosed(text):
    pair = pair_of(text)
    low, high = bounds(least_rho(pair).value)
    best = max(float(pair.divergence(a)) / float(a) for a in (Fraction(1), *brute.ORDERS))
    assert best <= float(high) + 1e-12
    assert float(low) <= best + 1e-9


def test_different_parts_add_up_or_are_searched_together():
    rare = compared([Fraction(1, 10), Fraction(9, 10)], [Fraction(1, 100), Fraction(99, 100)])
    asked = compared([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])
    alone, response = least_rho(rare), least_rho(asked)
    assert alone.at > 1
    both = FiniteComparison("x", "y", [1], [1], rare.event, 1, ((rare, 1), (asked, 2)))
    found = bounds(least_rho(both).value)
    assert float(found[1]) <= float(alone.value) + 2 * float(response.value) + 1e-12
    best = max(float(both.divergence(a)) / float(a) for a in (Fraction(1), *brute.ORDERS))
    assert best <= float(found[1]) + 1e-12
    assert float(found[0]) <= best * 1.01
    assert found[1] - found[0] < Fraction(1, 10**8)


def test_a_part_without_bound_beside_one_that_is_no_limit_lies_between_two_ends():
    parts = "gaussian(sigma=2)", "geometric(ratio=3)"
    pair = pair_of(f"compose({', '.join(f'poisson-sample({one}, rate=1/2)' for one in parts)})")
    low, high = bounds(least_rho(pair).value)
    assert 0 < low < high
    assert low <= Fraction(1, 8) + Fraction(1, 2) * Fraction(12, 10) >= high


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("skellam(1, 1)", "have no largest one.*ask for rdp, with one order"),
        ("poisson-sample(laplace(epsilon=1), rate=1/10)", "whole orders from 2 to 1024"),
    ],
)
def test_what_is_not_known_at_all_orders_is_refused(text, message):
    with pytest.raises(Unsupported, match=message):
        least_rho(pair_of(text))


@given(
    st.fractions(Fraction(1, 8), 4, max_denominator=16),
    st.fractions(Fraction(1, 8), 4, max_denominator=16),
    st.fractions(0, 2, max_denominator=16),
    st.fractions(Fraction(1, 16), 3, max_denominator=16),
    st.fractions(0, 1, max_denominator=16),
)
def test_the_bound_between_two_points_holds_for_every_parabola(a, width, start, slope, bent):
    b = a + width
    low = max(Fraction(0), slope * a - start)
    top = _under(a, low, b, low + slope * width, bent)
    values = []
    for k in range(65):
        t = a + width * Fraction(k, 64)
        value = low + slope * (t - a) - bent * (t - a) * (b - t) / 2
        values.append(value / (t + t * t))
    assert max(values) <= top
    assert top <= max(values) + Fraction(1, 50)


def test_a_search_without_any_gain_near_order_one_is_still_an_enclosure():
    """A divergence known between two ends only: nothing exact may come out."""
    from twoworlds.numbers import Real

    def known(order):
        value = order * Fraction(1, 4)  # as Gaussian noise has it, with a loss cut off far out
        return Real.between(value * Fraction(99, 100), value * Fraction(101, 100))

    found = _Orders(known, Fraction(40), Fraction(80)).run()
    low, high = bounds(found.value)
    assert low <= Fraction(1, 4) * Fraction(101, 100)
    assert high >= Fraction(1, 4) * Fraction(99, 100)
    assert low < high
