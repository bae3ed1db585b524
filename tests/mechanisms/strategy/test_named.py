"""Adaptive strategies typed as text: they are the families of functions that the text says."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import BitStrings, Records, measure, mechanism
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms.strategy import from_family

WHERE = Records((0, 1, 2), 2)
NOISE = "noise=geometric(ratio=2)"


def counted(value, database):
    return sum(record == value for record in database)


def taken(value, listed):
    """Return the listed value that an answer counts as."""
    return max((one for one in listed if one <= value), default=listed[0])


@given(st.sets(st.integers(0, 2), min_size=1).map(sorted))
def test_values_that_were_reported_choose_the_next_queries(listed):
    text = (
        f"adaptive(count(0), values={listed}, then=ask(count({{1}}), values={listed}, "
        f"then=count({{2}})), {NOISE}, universe=records(values=[0, 1, 2], n=2))"
    )

    def family(rho, x):
        first, second = (taken(answer, listed) for answer in rho[:2])
        return counted(0, x), counted(first, x), counted(second, x)

    ours = mechanism(text)
    given_as_functions = from_family(WHERE, family, [listed, listed, [0]]).answered(
        "geometric(ratio=2)"
    )
    for rho, x in product(product(range(-1, 4), repeat=3), WHERE):
        assert ours.probability(rho, x) == given_as_functions.probability(rho, x)
    assert measure(ours).ratio == measure(given_as_functions).ratio
    assert ours.bound() == given_as_functions.bound()


def test_each_branch_may_go_on_for_as_many_rounds_as_it_likes():
    tree = mechanism(
        "adaptive(count, cuts=[1], then=[count(0), ask(count, cuts=[1/2, 2], "
        f"then=[constant, ask(count(0), cuts=[0], then=[count, constant]), count])], {NOISE}, "
        "universe=bits(2))"
    )

    def family(rho, x):
        ones, zeros = counted(1, x), counted(0, x)
        if rho[0] < 1:
            return ones, zeros, 0, 0
        if rho[1] < 0.5 or rho[1] >= 2:
            return ones, ones, 0 if rho[1] < 0.5 else ones, 0
        return ones, ones, zeros, ones if rho[2] < 0 else 0

    plain = from_family(BitStrings(2), family, [range(-1, 4)] * 3 + [[0]]).answered(
        "geometric(ratio=2)"
    )
    assert tree.strategy.length == 4
    for rho, x in product(product(range(-1, 4), repeat=4), BitStrings(2)):
        assert tree.probability(rho, x) == plain.probability(rho, x)
    assert measure(tree).ratio == measure(plain).ratio


def test_many_rounds_are_refused_before_they_are_listed():
    text = "count({9})"
    for place in range(8, 0, -1):
        text = f"ask(count({{{place}}}), values=[0, 1, 2], then={text})"
    with pytest.raises(TooLarge, match="boxes"):
        mechanism(
            f"adaptive(count(0), values=[0, 1, 2], then={text.replace('{9}', '{8}')}, {NOISE}, "
            "universe=records(values=[0, 1, 2], n=2))"
        )


@pytest.mark.parametrize(
    ("steps", "rule"),
    [
        ("then=[count]", "told apart by a list"),
        ("cuts=[1], values=[1], then=count", "told apart by a list"),
        ("cuts=1, then=count", "told apart by a list"),
        ("cuts=[2, 1], then=count", "must list numbers that rise"),
        ("cuts=[1], then=[count]", "but then has 1 step: give one"),
        ("values=[0, 1], then=count({2})", r"there is no answer \{2\} here"),
        ("values=[0, 1], then=[count, count({1})]", r"there is no answer \{1\} here"),
        ("cuts=[1], then=ask(count, sometimes=[1])", "write it like ask"),
        ("cuts=[1], then=ask(count, then=[count])", "told apart by a list"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_form(steps, rule):
    with pytest.raises(InvalidInput, match=rule):
        mechanism(f"adaptive(count, {steps}, {NOISE}, universe=bits(2))")
