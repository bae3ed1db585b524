"""A randomized adversary: a mixture over its coins, and the bound of its worst strategy."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import BitStrings, DifferentialPrivacy
from twoworlds.errors import InvalidInput, NotStochastic
from twoworlds.mechanisms.strategy import Ask, Strategy, Then, randomized
from twoworlds.worlds.statistics import constant, count, parity

BITS = BitStrings(2)
CLAMPED = "truncated-geometric(p=1/2, high=2)"
FOLLOW = {True: count(), False: constant(0)}
STRATEGIES = {
    "once": Strategy.batch(BITS, count(), constant(0)),
    "twice": Strategy.batch(BITS, count(), count()),
    "again": Strategy.of(
        BITS, [Ask(count(), [1]), Then(lambda box: FOLLOW[box[0].low is not None])]
    ),
    "parity": Strategy.batch(BITS, parity(), constant(0)),
}
some = st.lists(st.sampled_from(sorted(STRATEGIES)), min_size=1, max_size=3, unique=True)


def made(names, noise):
    weight = Fraction(1, len(names))
    return randomized({name: (weight, STRATEGIES[name]) for name in names}, noise)


@settings(max_examples=6)
@given(some, st.sampled_from([CLAMPED, "geometric(p=1/2)"]))
def test_the_ratio_is_the_largest_over_coins_and_within_the_bound(names, noise):
    mixed = made(names, noise)
    singles = [STRATEGIES[name].answered(noise) for name in names]
    assert tw.measure(mixed).ratio == max(tw.measure(one).ratio for one in singles)
    assert mixed.bound() == max(one.bound() for one in singles)
    assert tw.measure(mixed).ratio <= mixed.bound()


@settings(max_examples=4)
@given(some)
def test_everything_is_that_of_the_table_of_coins_and_transcripts(names):
    mixed = made(names, CLAMPED)
    table = mixed.table()
    for question in ({}, {"ratio": 2}, {"ratio": "6/5"}, {"delta": "1/20"}):
        found, wanted = tw.measure(mixed, **question), tw.measure(table, **question)
        assert (found.ratio, found.delta) == (wanted.ratio, wanted.delta)
        assert found.witness.verify()


@settings(max_examples=4)
@given(some)
def test_forgetting_the_coin_is_the_mixture_and_never_costs_more(names):
    mixed = made(names, CLAMPED)
    outputs = list(product(range(3), repeat=2))
    for x in BITS:
        law = {rho: mixed.forgotten(rho, x) for rho in outputs}
        assert sum(law.values()) == 1
        for rho in outputs:
            singles = [STRATEGIES[n].answered(CLAMPED).probability(rho, x) for n in names]
            assert law[rho] == sum(singles) / len(names)
    blind = tw.Dense.from_function(BITS, lambda x: {r: mixed.forgotten(r, x) for r in outputs})
    assert tw.measure(blind).ratio <= tw.measure(mixed).ratio


def test_laplace_noise_keeps_the_erratum_of_its_strategies():
    bit = BitStrings(1)
    follow = {True: count(), False: constant(0)}
    near_half = Then(lambda box: follow[Fraction(1, 2) in box[0]])
    careful = Strategy.of(bit, [Ask(count(), ["2/5", "3/5"]), near_half])
    once = Strategy.batch(bit, count(), constant(0))
    mixed = randomized([("1/4", once), ("3/4", careful)], "laplace(scale=1)")
    assert tw.measure(mixed).epsilon == Fraction(6, 5)
    assert mixed.bound() == tw.number("e^2")
    verdict = DifferentialPrivacy().delta_at(mixed, 2)
    singles = [
        DifferentialPrivacy().delta_at(s.answered("laplace(scale=1)"), 2) for s in (once, careful)
    ]
    wanted = float(singles[0].delta) / 4 + 3 * float(singles[1].delta) / 4
    assert float(verdict.delta) == pytest.approx(wanted, abs=1e-12)
    assert verdict.witness.verify()
    found = DifferentialPrivacy().ratio_at(mixed, "1/10").ratio
    at = mixed.family("substitute").gap(found)[1].delta
    assert float(at) == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize(
    ("strategies", "error", "said"),
    [
        ([], InvalidInput, "no strategy"),
        ([("1/2", STRATEGIES["once"])], NotStochastic, "sum to 1/2"),
        ([("3/2", STRATEGIES["once"])], InvalidInput, "not a probability"),
        (
            [("1/2", STRATEGIES["once"]), ("1/2", Strategy.batch(BITS, count()))],
            InvalidInput,
            "same number of answers",
        ),
        (
            [("1/2", STRATEGIES["once"]), ("1/2", Strategy.batch(BitStrings(3), count(), count()))],
            InvalidInput,
            "same databases",
        ),
    ],
)
def test_bad_adversaries_are_refused(strategies, error, said):
    with pytest.raises(error, match=said):
        randomized(strategies, CLAMPED)
