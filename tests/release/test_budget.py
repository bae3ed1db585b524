"""Costs and caps: exact sums, and rules that hold against every adaptive analyst."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release.adversary import Adversary, fixed_batch, power, response, spent, under
from twoworlds.errors import InvalidInput
from twoworlds.release.budget import CONCENTRATED, Cap, Spent, parse_cap, read_cap
from twoworlds.release.costs import Cost, parse_cost, pure_to_zcdp, zcdp_to_delta


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


def test_pure_costs_fill_a_zcdp_cap_by_a_little_less_than_half_their_square():
    cap = parse_cap("rho=1/20")
    spent = spend(cap, "0.1", 10)
    used = cap.used(spent)
    assert (used.cost, used.rule) == (Cost(rho=10 * pure_to_zcdp(Fraction(1, 10))), CONCENTRATED)
    assert cap.left(spent) == Cost(rho=Fraction(1, 20) - used.cost.rho)
    assert cap.rule(spent.plus(parse_cost("0.1"))) is None
    spent = spend(cap, "rho=1/200", 10)
    assert cap.left(spent) == Cost()
    assert cap.rule(spent.plus(parse_cost("1e-30"))) is None


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
        ("inf", "far too large"),
        (math.inf, "far too large"),
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
        ("1", "rho=0.001", "pure, so no rho ever fits: pay with an epsilon (--epsilon)"),
        ("rho=1/8", "1", "at most rho 0.125 is left, or in one query epsilon 0.505"),
        ("rho=1", "epsilon=0.1, delta=1e-9", "no delta"),
        ("epsilon=1, delta=1e-6", "rho=0.001", "composition=tighter"),
        ("1", "2", "at most epsilon 1 is left"),
    ],
)
def test_a_cost_that_cannot_fit_is_refused_with_the_way_out(cap, cost, said):
    cap, cost = parse_cap(cap), parse_cost(cost)
    assert cap.rule(Spent().plus(cost)) is None
    assert said in cap.why_not(Spent(), cost)


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


TIGHTER = "epsilon=3, delta=1e-6, composition=tighter"


def test_the_tighter_composition_sets_half_of_delta_aside():
    cap = parse_cap(TIGHTER)
    assert cap == parse_cap("epsilon=3, delta=1e-6, tail=5e-7")
    assert cap.composition == "tighter"
    assert parse_cap(f"{TIGHTER}, tail=9e-7").tail == Fraction(9, 10**7)
    assert parse_cap(" composition = tighter , epsilon=3, delta=1e-6") == cap
    basic = parse_cap("epsilon=3, delta=1e-6, composition=basic")
    assert basic == parse_cap("epsilon=3, delta=1e-6")
    assert basic.composition == parse_cap("epsilon=3, composition=basic").composition == "basic"
    assert parse_cap("rho=1/8").composition == "zCDP"


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("epsilon=1, composition=tighter", "needs a delta"),
        ("epsilon=1, delta=1e-6, tail=0, composition=tighter", "needs a delta"),
        ("epsilon=1, delta=1e-6, tail=1e-7, composition=basic", "leave tail= out"),
        ("epsilon=1, delta=1e-6, composition=optimal", "fixed beforehand.*composition=tighter"),
        ("epsilon=1, delta=1e-6, composition=best", "'best' is unknown: say basic or tighter"),
        ("epsilon=1, delta=1e-6, composition=", "say basic or tighter"),
        ("epsilon=1, composition=basic, composition=basic", "twice"),
        ("rho=1/8, composition=tighter", "leave composition= out"),
        ("rho=1/8, composition=basic", "leave composition= out"),
        ("composition=tighter", "needs numbers"),
        ("composition", "say basic or tighter"),
    ],
)
def test_a_composition_that_cannot_be_is_refused_with_the_way_out(bad, said):
    with pytest.raises(InvalidInput, match=said):
        parse_cap(bad)


def test_each_rule_of_a_tighter_cap_lets_through_exactly_what_it_may():
    cap, ulp = parse_cap(TIGHTER), Fraction(1, 10**40)
    half = Cost(delta=Fraction(1, 2 * 10**6))
    for full in (Cost(Fraction(3)), Cost(rho=cap.concentrated)):
        spent = Spent().plus(full).plus(half)
        assert cap.rule(spent) is not None
        more = Cost(rho=ulp) if full.rho else Cost(ulp)
        assert cap.rule(spent.plus(more)) is None
        assert cap.rule(spent.plus(Cost(delta=ulp))) is None
        assert cap.left(spent) == Cost()
    assert zcdp_to_delta(cap.concentrated, cap.most.epsilon) <= cap.tail


@given(
    st.lists(
        st.sampled_from(["1/2", "1/20", "epsilon=1/5, delta=1e-7", "rho=0.01", "epsilon=2"]),
        max_size=12,
    ),
    st.sampled_from(["epsilon=1", "rho=1/20", "epsilon=3, delta=1e-6", TIGHTER]),
)
def test_what_is_left_always_fits(costs, cap):
    cap, spent = parse_cap(cap), Spent()
    for cost in costs:
        spent = spent.plus(parse_cost(cost))
    left = cap.left(spent)
    assert left == Cost() or cap.rule(spent.plus(left)) is not None


CAPS = [
    ("epsilon=ln 4", [response("4/3"), response("2")]),
    ("epsilon=ln 3, delta=0.1", [response("4/3", "0.02"), response("2"), response("9/8", "0.05")]),
    ("epsilon=ln 4, delta=0.4, composition=tighter", [response("3/2"), response("2")]),
    ("epsilon=ln 4, delta=0.4, tail=0.4", [response("3/2"), response("2")]),
    ("epsilon=ln 3, delta=0.5, tail=0.4", [response("4/3", "0.05"), response("2")]),
    ("epsilon=ln 2, delta=0.5, tail=0.45", [response("5/4", "0.025"), response("3/2")]),
    (
        "epsilon=ln 8, delta=0.3, composition=tighter",
        [response("3/2"), response("2"), response("3/2", as_rho=True)],
    ),
    (
        "epsilon=ln 4, delta=0.4, tail=0.3",
        [response("2", "0.02"), response("3", as_rho=True), response("3/2")],
    ),
    (
        "epsilon=ln(3/2), delta=0.6, tail=0.55",
        [response("3"), response("3/2"), response("2", "0.025")],
    ),
    ("epsilon=ln 3, delta=0.1", [fixed_batch("6/5", 6, "0.05"), response("5/4")]),
    ("epsilon=ln 4, delta=0.3, tail=0.2", [fixed_batch("4/3", 5, "0.05"), response("3/2")]),
]


@pytest.mark.parametrize(("cap", "tools"), CAPS)
def test_no_adaptive_choice_of_costs_breaks_the_promise_of_a_cap(cap, tools):
    cap = parse_cap(cap)
    adversary = under(cap, tools)
    found = adversary.worst()
    assert found <= max(cap.most.delta, Fraction(1, 10**9))  # the bound on e^epsilon is rounded
    if cap.most.delta:
        assert found > cap.most.delta / 10  # there is something to be gained, so this can fail
    law = [*adversary.transcripts()]
    assert sum(p for p, _ in law) == sum(q for _, q in law) == 1
    assert sum(max(Fraction(0), p - adversary.bound * q) for p, q in law) == found


def test_a_cap_that_let_too_much_through_would_be_found_out():
    cap = parse_cap("epsilon=ln 2, delta=0.5, tail=0.45")
    lax = Cap(cap.most, cap.tail, 3 * cap.concentrated)
    tools = [response("5/4", "0.025"), response("3/2")]
    assert under(lax, tools).worst() > cap.most.delta


def test_a_batch_is_charged_less_than_its_sum_and_would_be_found_out_at_less_still():
    tool = fixed_batch("6/5", 6, "0.05")
    assert tool.cost.epsilon < 6 * parse_cost("ln(6/5)").epsilon * Fraction(9, 10)
    delta = sum(max(0, p - power(tool.cost.epsilon) * q) for p, q in tool.outputs)
    assert Fraction(499, 10_000) < delta <= Fraction(1, 20) + Fraction(1, 10**9)


SO_FAR = [
    ("epsilon=ln 4", [response("4/3"), response("3/2")]),
    (
        "epsilon=ln 3, delta=0.1",
        [response("4/3", "0.02"), response("3/2"), response("9/8", "0.05")],
    ),
    ("epsilon=ln 4, delta=0.3, tail=0.2", [fixed_batch("4/3", 5, "0.05"), response("3/2")]),
]


@pytest.mark.parametrize(("cap", "tools"), SO_FAR)
def test_what_was_released_so_far_holds_at_every_moment_that_answers_may_choose(cap, tools):
    """The adversary stops when it likes, and is then held to the epsilons of its own transcript."""
    cap = parse_cap(cap)
    adversary = Adversary(
        tuple(tools),
        lambda used: cap.rule(spent(tools, used)) is not None,
        lambda used: power(cap.so_far(spent(tools, used)).epsilon),
    )
    allowed, found = cap.most.delta - cap.tail, adversary.worst()
    assert found <= max(allowed, Fraction(1, 10**9))
    if allowed:
        assert found > allowed / 2
    deltas = {
        cap.so_far(spent(tools, used)).delta for used in ((0,) * len(tools), (1,) * len(tools))
    }
    assert deltas == {0, allowed}


@pytest.mark.parametrize("first", ["rho=1/10", "rho=1/1000000", "0.1"])
def test_where_a_rho_is_left_the_largest_epsilon_is_said_too(first):
    cap = parse_cap("epsilon=3, delta=1e-6, composition=tighter")
    spent = Spent()
    for _ in range(1 if first.startswith("rho") else 29):
        spent = spent.plus(parse_cost(first))
    largest = cap.largest(spent)
    assert largest.delta == Fraction(1, 2 * 10**6)
    assert cap.rule(spent.plus(largest)) is not None
    more = Cost(largest.epsilon * (1 + Fraction(1, 10**9)), largest.delta)
    assert cap.rule(spent.plus(more)) is None
    assert f"or in one query {largest.shown('down')}" in cap.why_not(spent, more)
    assert cap.account(spent)["largest_query"] == largest.to_dict()
