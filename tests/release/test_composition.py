"""Composition of a batch against the definition, by enumeration in high-precision decimals."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release.adversary import Adversary, power, response, under
from twoworlds.errors import InvalidInput
from twoworlds.release.budget import BASIC, CONCENTRATED, parse_cap
from twoworlds.release.composition import OPTIMAL, compose, optimal_delta, optimal_epsilon
from twoworlds.release.costs import Cost, parse_cost, pure_to_zcdp


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def enumerated_delta(costs, epsilon):
    """The hockey-stick divergence of leaking randomized responses, outcome by outcome."""
    with localcontext() as context:
        context.prec = 60
        bound, total = decimal(epsilon).exp(), Decimal(0)
        for outcome in product(("leak 0", "leak 1", "high", "low"), repeat=len(costs)):
            p = q = Decimal(1)
            for cost, seen in zip(costs, outcome, strict=True):
                delta, ratio = decimal(cost.delta), decimal(cost.epsilon).exp()
                high, low = (1 - delta) * ratio / (1 + ratio), (1 - delta) / (1 + ratio)
                p *= {"leak 0": delta, "leak 1": 0, "high": high, "low": low}[seen]
                q *= {"leak 0": 0, "leak 1": delta, "high": low, "low": high}[seen]
            total += max(Decimal(0), p - bound * q)
        return Fraction(total)


COSTS = st.builds(
    Cost,
    st.sampled_from([Fraction(n, 10) for n in range(6)]),
    st.sampled_from([Fraction(0), Fraction(1, 100)]),
)


@given(st.lists(COSTS, min_size=1, max_size=4), st.fractions(0, 2, max_denominator=10))
def test_optimal_delta_is_that_of_leaking_randomized_responses(costs, epsilon):
    expected = enumerated_delta(costs, epsilon)
    found = optimal_delta(costs, epsilon)
    assert -Fraction(1, 10**50) <= found - expected <= expected / 10**11 + Fraction(1, 10**50)


@given(st.lists(COSTS, min_size=1, max_size=4), st.sampled_from([Fraction(1, 20), Fraction(1, 4)]))
def test_optimal_epsilon_is_the_least_that_reaches_delta(costs, delta):
    epsilon = optimal_epsilon(costs, delta)
    if epsilon is None:
        assert enumerated_delta(costs, Fraction(100)) > delta
        return
    assert enumerated_delta(costs, epsilon) <= delta
    if epsilon > 0:
        assert enumerated_delta(costs, epsilon - Fraction(1, 10**9)) > delta


@pytest.mark.parametrize("i", range(6))
def test_equal_costs_give_the_formula_of_kairouz_oh_and_viswanath(i):
    k, epsilon, delta = 10, Fraction(1, 5), Fraction(1, 1000)
    with localcontext() as context:
        context.prec = 60
        e = decimal(epsilon)
        inner = (
            sum(comb(k, j) * (((k - j) * e).exp() - ((k - 2 * i + j) * e).exp()) for j in range(i))
            / (1 + e.exp()) ** k
        )
        expected = Fraction(1 - (1 - decimal(delta)) ** k * (1 - inner))
    found = optimal_delta([Cost(epsilon, delta)] * k, (k - 2 * i) * epsilon)
    assert 0 <= found - expected + Fraction(1, 10**50) <= expected / 10**10


def test_the_tighter_rule_is_used_and_named():
    many = compose([parse_cost("0.1")] * 100, delta=Fraction(1, 10**6))
    assert many.rule == OPTIMAL
    assert many.all[OPTIMAL].epsilon < many.all[CONCENTRATED].epsilon < many.all[BASIC].epsilon
    few = compose([parse_cost("0.1")] * 2, delta=Fraction(1, 10**6))
    assert few.cost.epsilon <= Fraction(1, 5)
    assert compose([parse_cost("0.1")] * 10).cost == Cost(Fraction(1))


def test_a_gaussian_in_the_batch_needs_a_delta_or_gives_rho():
    batch = [parse_cost("rho=0.01"), parse_cost("0.1")]
    assert compose(batch).cost == Cost(rho=Fraction(1, 100) + pure_to_zcdp(Fraction(1, 10)))
    found = compose(batch, delta=Fraction(1, 10**6))
    assert (found.rule, found.cost.delta) == (CONCENTRATED, Fraction(1, 10**6))
    with pytest.raises(InvalidInput, match="give delta="):
        compose([parse_cost("rho=0.01"), parse_cost("epsilon=0.1, delta=1e-9")])


def test_many_different_losses_leave_optimal_composition_out():
    batch = [Cost(Fraction(1, 1000 + 7 * n)) for n in range(40)]
    found = compose(batch, delta=Fraction(1, 10**6))
    assert OPTIMAL not in found.all
    assert found.rule in (BASIC, CONCENTRATED)


def test_an_empty_batch_costs_nothing():
    assert compose([]).cost == Cost()
    assert compose([], delta=Fraction(1, 10)).cost.epsilon == 0


@pytest.mark.parametrize("delta", [Fraction(-1), Fraction(1), Fraction(1, 10**9)])
def test_an_impossible_delta_is_refused(delta):
    with pytest.raises(InvalidInput, match="delta"):
        compose([parse_cost("epsilon=0.1, delta=1e-6")], delta=delta)


def test_optimal_composition_is_no_cap_for_costs_chosen_as_one_goes():
    """Why caps use other rules: an adversary who picks 1 or 3/10 by what it saw gets past this one.

    Every sequence of costs that is let through has an optimal delta of at most 1/20 at epsilon 3/2,
    and yet the whole has 0.064.
    """
    epsilon, delta = Fraction(3, 2), Fraction(1, 20)
    tools = [response(power(e), cost=Cost(e)) for e in (Fraction(1), Fraction(3, 10))]

    def fits(used):
        costs = [tool.cost for tool, k in zip(tools, used, strict=True) for _ in range(k)]
        return len(costs) <= 10 and optimal_delta(costs, epsilon) <= delta

    bound = power(epsilon) + Fraction(1, 10**11)  # not below e^epsilon
    assert Adversary(tuple(tools), fits, bound).worst() > Fraction(64, 1000)
    for composition in ("basic", "tighter"):
        cap = parse_cap(f"epsilon=3/2, delta=1/20, composition={composition}")
        assert under(cap, tools).worst() <= delta
