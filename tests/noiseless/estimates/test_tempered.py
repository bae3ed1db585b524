"""The likeliest law with noise, against all databases."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

import twoworlds as tw
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.on_statistic import exponent_for, spread
from twoworlds.noiseless import tempered
from twoworlds.numbers import bounds, ln

COINS = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
DICE = tuple(tuple(Fraction(x, 6) for x in row) for row in ((3, 2, 1), (1, 2, 3), (2, 2, 2)))
FAMILIES = [(COINS, 4, 1), (COINS, 4, 3), (DICE, 3, 1), (DICE, 2, 2)]


def named(laws, x, t):
    """The probability of each law on a database."""
    scores = [prod(law[a] for a in x) ** t for law in laws]
    return [score / sum(scores) for score in scores]


def databases(laws, people):
    return list(product(range(len(laws[0])), repeat=people))


def texts(laws):
    return [", ".join(f"{a}={p}" for a, p in enumerate(law)) for law in laws]


@pytest.mark.parametrize(("laws", "people", "t"), FAMILIES)
def test_epsilon_is_the_largest_ratio_of_any_neighbours(laws, people, t):
    every = databases(laws, people)
    worst = max(
        p / q
        for x, y in product(every, every)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
        for p, q in zip(named(laws, x, t), named(laws, y, t), strict=True)
    )
    found = tempered(texts(laws), people=people, power=t)
    assert found.ratio == worst
    assert worst <= spread(laws) ** t


@pytest.mark.parametrize(("laws", "people", "t"), FAMILIES)
def test_the_true_law_is_named_as_often_as_all_samples_say(laws, people, t):
    every = databases(laws, people)

    def chance(j, right):
        return sum(prod(laws[j][a] for a in x) * right(x, j) for x in every)

    def exactly(x, j):
        scores = [prod(law[a] for a in x) for law in laws]
        return scores.index(max(scores)) == j

    found = tempered(texts(laws), people=people, power=t)
    places = range(len(laws))
    assert found.right_at_least == min(chance(j, lambda x, j: named(laws, x, t)[j]) for j in places)
    assert found.exact_estimate_right_at_least == min(chance(j, exactly) for j in places)


def test_the_bound_is_approached_as_people_are_added():
    ratios = [tempered(texts(COINS), people=n, power=1).ratio for n in (1, 3, 9, 20)]
    assert ratios == sorted(ratios)
    assert 9 - Fraction(1, 10**6) < ratios[-1] < 9


def test_weights_do_not_change_the_bound():
    found = tempered(texts(COINS), people=6, power=1, weights=["99/100", "1/100"])
    assert found.ratio <= 9


@pytest.mark.parametrize("epsilon", ["1/10", "1", "ln 9"])
def test_a_calibrated_power_keeps_epsilon_and_the_next_one_has_a_larger_bound(epsilon):
    wanted = tw.numbers.number(epsilon, "epsilon")
    t = exponent_for(COINS, wanted)
    found = tempered(texts(COINS), people=5, epsilon=epsilon)
    assert found.power == t
    assert bounds(found.epsilon)[1] <= bounds(wanted)[1]
    assert bounds((t + Fraction(1, 1024)) * ln(Fraction(9)))[0] > bounds(wanted)[0]


def test_power_0_ignores_the_data():
    found = tempered(texts(COINS), people=3, power=0)
    assert (found.ratio, found.right_at_least) == (1, Fraction(1, 2))


@pytest.mark.parametrize(
    ("laws", "asked", "text"),
    [
        (["1=1, 0=0", "1=1/2, 0=1/2"], {"power": 1}, "probability 0"),
        (["1=1/2, 0=1/2", "1=1/2, 0=1/2"], {"power": 1}, "nothing to name"),
        (texts(COINS), {}, "either power= or epsilon="),
        (texts(COINS), {"power": -1}, "must not be below 0"),
        (texts(COINS), {"epsilon": "1/10000"}, "larger epsilon"),
    ],
)
def test_bad_input_is_refused(laws, asked, text):
    with pytest.raises(InvalidInput, match=text):
        tempered(laws, people=3, **asked)
