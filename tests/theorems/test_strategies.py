"""Theorem 5 of Dwork in the graph of theorems, against the exact epsilon of strategies."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import BitStrings
from twoworlds.mechanisms.strategy import Ask, Strategy, Then, randomized
from twoworlds.numbers import Order, compare, exp
from twoworlds.theorems import THEOREMS, Guarantee, strategy_guarantee
from twoworlds.worlds import Computed
from twoworlds.worlds.statistics import constant, count

BITS = BitStrings(2)


@st.composite
def strategies(draw):
    def query():
        table = {x: draw(st.fractions(-2, 2, max_denominator=4)) for x in BITS}
        return Computed(lambda x: table[x], "query")

    first, follow = query(), (query(), query(), query())
    cuts = sorted(draw(st.sets(st.fractions(-2, 2, max_denominator=4), min_size=2, max_size=2)))
    places = {None: 0, cuts[0]: 1, cuts[1]: 2}
    return Strategy.of(BITS, [Ask(first, cuts), Then(lambda box: follow[places[box[0].low]])])


@settings(max_examples=8)
@given(strategies(), st.fractions(Fraction(1, 2), 4, max_denominator=3), st.integers(1, 2))
def test_the_theorem_never_promises_more_than_holds(strategy, scale, group):
    answered = strategy.answered(f"laplace(scale={scale})")
    promised = strategy_guarantee(answered, group=group).implies("dp", group=group).best
    assert promised.ratio == exp(strategy.sensitivity(group=group).joint / scale)
    exact = answered.family("substitute", group).peak()[1].ratio
    assert compare(exact, promised.ratio) is not Order.GREATER


def test_it_is_attained_where_queries_do_not_depend_on_answers_and_loose_elsewhere():
    batch = Strategy.batch(BITS, count(), count()).answered("laplace(scale=3)")
    assert strategy_guarantee(batch).implies("dp").best.epsilon == Fraction(2, 3)
    assert tw.measure(batch).epsilon == Fraction(2, 3)
    adaptive = tw.mechanism(
        "adaptive(count, cuts=[2/5, 3/5], then=[constant, count, constant], "
        "noise=laplace(scale=1), universe=bits(1))"
    )
    assert strategy_guarantee(adaptive).implies("dp").best.epsilon == 2
    assert tw.measure(adaptive).epsilon == Fraction(6, 5)


def test_a_randomized_adversary_gets_no_more_than_its_worst_strategy():
    once, twice = (Strategy.batch(BITS, count(), q) for q in (constant(0), count()))
    mixed = randomized([("1/2", once), ("1/2", twice)], "laplace(scale=1)")
    assert (
        strategy_guarantee(mixed).epsilon
        == strategy_guarantee(twice.answered("laplace(scale=1)")).epsilon
    )


def test_the_theorem_is_in_the_graph_and_leads_on():
    found = Guarantee.parse("laplace-strategy(epsilon=1/2)").implies("dp")
    assert found.best.epsilon == Fraction(1, 2)
    assert [step.theorem.name for step in found.steps] == ["dw-5"]
    assert Guarantee.parse("laplace-strategy(epsilon=1/2)").implies("semantic").best is not None
    shown = THEOREMS["dw-5"].explain()
    assert "Dwork, Theorem 5" in shown
    assert "whole vector" in shown
