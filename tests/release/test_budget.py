"""Costs and caps: exact sums, and rules that hold against every adaptive analyst."""

import math
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.release.budget import (
    BASIC,
    CONCENTRATED,
    Cap,
    Cost,
    Spent,
    parse_cap,
    parse_cost,
    read_cap,
)
from twoworlds.release.conversions import zcdp_to_delta


def spend(cap, cost, times):
    spent = Spent()
    for _ in range(times):
        spent = spent.plus(parse_cost(cost))
        assert cap.rule(spent) is not None
    return spent


@pytest.mark.parametrize("tenth", ["0.1", 0.1, "1/10", "epsilon=0.1", "10%", Fraction(1, 10)])
def test_ten_times_a_tenth_fills_one_exactly(tenth):
    cap = parse_cap("1")
    spent = spend(cap, tenth, 10)
    assert cap.left(spent) == Cost()
    assert cap.rule(spent.plus(parse_cost("1e-100"))) is None


def test_ten_times_a_tenth_with_delta_fills_epsilon_and_delta_exactly():
    cap = parse_cap("epsilon=1, delta=1e-6")
    spent = spend(cap, "epsilon=0.1, delta=1e-7", 10)
    assert cap.left(spent) == Cost()
    assert cap.rule(spent.plus(Cost(delta=Fraction(1, 10**30)))) is None


def test_three_thirds_fill_one_exactly():
    assert parse_cap("1").left(spend(parse_cap("1"), "1/3", 3)) == Cost()


def test_pure_costs_fill_a_zcdp_cap_by_half_their_square():
    cap = parse_cap("rho=1/20")
    spent = spend(cap, "0.1", 10)
    assert cap.used(spent) == (Cost(rho=Fraction(1, 20)), CONCENTRATED)
    assert cap.rule(spent.plus(parse_cost("1e-6"))) is None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0.1", "epsilon=1/10"),
        ("epsilon=1,delta=1e-6", "epsilon=1, delta=1/1000000"),
        (" rho = 1/8 ", "rho=1/8"),
        (2, "epsilon=2"),
        ("0", "epsilon=0"),
    ],
)
def test_costs_are_written_as_they_are_read(text, written):
    cost = parse_cost(text)
    assert str(cost) == written
    assert parse_cost(written) == cost


@given(st.fractions(0, 10, max_denominator=10**6), st.fractions(0, 1, max_denominator=10**9))
def test_every_cost_and_cap_comes_back_from_its_text(epsilon, delta):
    cost = Cost(epsilon, delta)
    assert parse_cost(str(cost)) == cost
    if delta < 1:
        assert parse_cap(str(Cap(cost, delta / 3))) == Cap(cost, delta / 3)


def test_an_irrational_cost_is_rounded_up_and_an_irrational_cap_down():
    assert 0 < parse_cost("ln 3").epsilon - Fraction(math.log(3)) < Fraction(1, 10**11)
    assert 0 < Fraction(math.log(3)) - parse_cap("ln 3").most.epsilon < Fraction(1, 10**11)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("nan", "not a number"),
        (float("nan"), "not a number"),
        ("inf", "infinite"),
        (math.inf, "infinite"),
        ("-0.1", "negative"),
        ("epsilon=1, delta=1.5", "at most 1"),
        ("epsilon=1, rho=1", "not both"),
        ("epsilon=1, epsilon=2", "twice"),
        ("sigma=1", "'sigma'"),
        ("delta=1e-6", "needs epsilon"),
        ("", "not a number"),
        (None, "expected a number"),
        (True, "truth value"),
        ("1/" + "7" * 400, "bits"),
        ("epsilon=1; DROP TABLE entries", "not a number"),
    ],
)
def test_what_is_no_cost_is_refused_with_the_reason(bad, said):
    with pytest.raises(InvalidInput, match=said):
        parse_cost(bad)


def test_a_float_is_no_exact_cost():
    with pytest.raises(InvalidInput, match="exact"):
        Cost(0.1)


@pytest.mark.parametrize(
    "bad", ["epsilon=1, delta=1e-6, tail=1e-5", "epsilon=1, tail=1e-9", "epsilon=1, delta=1"]
)
def test_a_cap_has_no_room_for_a_larger_tail_than_delta(bad):
    with pytest.raises(InvalidInput):
        parse_cap(bad)


@pytest.mark.parametrize(
    ("cap", "cost", "said"),
    [
        ("1", "epsilon=0.1, delta=1e-9", "no delta"),
        ("1", "rho=0.001", "pure"),
        ("rho=1", "epsilon=0.1, delta=1e-9", "no delta"),
        ("epsilon=1, delta=1e-6", "rho=0.001", "tail=1/2000000"),
        ("1", "2", "at most epsilon=1 is left"),
    ],
)
def test_a_cost_that_cannot_fit_is_refused_with_the_way_out(cap, cost, said):
    cap, cost = parse_cap(cap), parse_cost(cost)
    assert cap.rule(Spent().plus(cost)) is None
    assert said in cap.why_not(Spent(), cost)


def test_small_costs_go_beyond_basic_composition_when_a_tail_is_set_aside():
    plain, tailed = (
        parse_cap("epsilon=1, delta=1e-6"),
        parse_cap("epsilon=1, delta=1e-6, tail=1e-6"),
    )
    spent = spend(tailed, "0.01", 300)
    assert plain.rule(spent) is None
    assert tailed.rule(spent) == CONCENTRATED
    used, rule = tailed.used(spent)
    assert rule == CONCENTRATED
    assert used.epsilon <= 1
    assert tailed.used(spend(tailed, "0.1", 2))[1] == BASIC


def test_what_is_left_fits_and_more_does_not():
    for text in ("1", "rho=1/3", "epsilon=1, delta=1e-6", "epsilon=1, delta=1e-6, tail=5e-7"):
        cap = parse_cap(text)
        spent = Spent().plus(parse_cost("1/7"))
        left = cap.left(spent)
        assert cap.rule(spent.plus(left)) is not None
        more = Cost(rho=left.rho + Fraction(1, 10**9)) if left.rho else left + parse_cost("1e-9")
        assert cap.rule(spent.plus(more)) is None


def test_a_stored_cap_keeps_its_limit_and_a_larger_one_is_refused():
    cap = parse_cap("epsilon=1, delta=1e-6, tail=5e-7")
    stored = cap.stored()
    assert read_cap(stored).concentrated == cap.concentrated
    assert zcdp_to_delta(cap.concentrated, Fraction(1)) <= cap.tail
    more = {**stored, "concentrated": str(cap.concentrated * Fraction(10001, 10000))}
    with pytest.raises(InvalidInput, match="more than the cap"):
        read_cap(more)


def test_overlong_sums_are_refused_instead_of_slowing_everything_down():
    spent = Spent()
    with pytest.raises(InvalidInput, match="denominators"):  # noqa: PT012
        for n in range(2000):
            spent = spent.plus(Cost(Fraction(1, 3**100 + 2 * n)))


def worst_delta(cap, menu):
    """The delta of the best adaptive adversary that a cap lets through, by dynamic programming.

    Every cost is spent on randomized response that leaks with probability delta, the worst
    mechanism of that cost. The adversary sees the loss so far and chooses the next cost, or stops.
    """
    target = float(cap.most.epsilon)

    @cache
    def value(spent, loss):
        best = max(0.0, 1 - math.exp(target - float(loss)))
        for cost in menu:
            after = spent.plus(cost)
            if cap.rule(after) is None:
                continue
            epsilon, delta = float(cost.epsilon), float(cost.delta)
            up = 1 / (1 + math.exp(-epsilon))
            ahead = up * value(after, loss + cost.epsilon)
            ahead += (1 - up) * value(after, loss - cost.epsilon)
            best = max(best, delta + (1 - delta) * ahead)
        return best

    return value(Spent(), Fraction(0))


@pytest.mark.parametrize(
    ("cap", "menu"),
    [
        ("epsilon=1", ["1/4", "1/2", "1/3"]),
        ("epsilon=1, delta=0.1", ["epsilon=1/4, delta=0.02", "1/2", "epsilon=1/8, delta=0.05"]),
        ("epsilon=2, delta=0.3, tail=0.3", ["1/2", "1"]),
        ("epsilon=2, delta=0.5, tail=0.4", ["epsilon=1/2, delta=0.05", "1", "1/4"]),
        ("epsilon=1/2, delta=0.4, tail=0.35", ["epsilon=1/4, delta=0.025", "1/5"]),
    ],
)
def test_no_adaptive_choice_of_costs_breaks_the_promise_of_a_cap(cap, menu):
    cap = parse_cap(cap)
    costs = [parse_cost(text) for text in menu]
    found = worst_delta(cap, costs)
    assert found <= float(cap.most.delta) + 1e-12
    if cap.most.delta:
        assert found > 0  # the adversary does gain something, so the test can fail
