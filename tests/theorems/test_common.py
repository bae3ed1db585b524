"""Groups, restatements and smaller epsilons, on small mechanisms and chains of laws."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twoworlds as tw
from tests.theorems import brute
from twoworlds import BitStrings
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms.strategy import Ask, Strategy, Then
from twoworlds.numbers import Order, bounds, compare, exp, sqrt
from twoworlds.theorems import (
    THEOREMS,
    Guarantee,
    compose,
    group_delta,
    mix,
    post_process,
    strategy_guarantee,
)
from twoworlds.theorems.formulas import tanh_quarter
from twoworlds.worlds import Computed
from twoworlds.worlds.statistics import count

RATIOS = st.fractions(1, 4, max_denominator=12)


@given(brute.mechanisms(people=3, transcripts=2, least=0), RATIOS, st.integers(2, 3))
def test_group_privacy_holds_for_every_group(mechanism, ratio, size):
    delta = brute.delta_of(mechanism, ratio)
    bound = group_delta(ratio, delta, size)
    for x, y in product(mechanism, repeat=2):
        if sum(a != b for a, b in zip(x, y, strict=True)) <= size:
            assert brute.excess(mechanism[x], mechanism[y], ratio**size) <= bound


@given(RATIOS, st.integers(1, 5))
def test_the_group_delta_is_attained_by_a_growing_alarm(ratio, size):
    delta = Fraction(1, 10_000)
    chances = [Fraction(0)]
    for _ in range(size):
        chances.append(ratio * chances[-1] + delta)
    laws = [(p, 1 - p) for p in chances]
    for one, other in pairwise(laws):
        assert max(brute.excess(one, other, ratio), brute.excess(other, one, ratio)) == delta
    assert brute.excess(laws[-1], laws[0], ratio**size) == group_delta(ratio, delta, size)


def test_replacing_a_record_costs_two_steps_of_adding_or_removing():
    stated = Guarantee.parse("dp(ratio=3, delta=0.01, neighbours=add-remove)")
    found = stated.implies("dp", neighbours="substitute").best
    assert (found.ratio, found.delta) == (9, Fraction(4, 100))


@given(RATIOS, RATIOS)
def test_a_wanted_epsilon_is_traded_for_delta_or_kept(ratio, wanted):
    found = Guarantee.of("dp", ratio=ratio, delta="1/10").implies("dp", ratio=wanted).best
    expected = Fraction(1, 10) + Fraction(9, 10) * max(0, ratio - wanted) / (ratio + 1)
    assert found.ratio <= wanted
    assert found.delta == expected


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("dp-is-indistinguishability", "dp(ratio=3, delta=1/10)"),
        ("indistinguishability-is-dp", "indistinguishable(ratio=3, delta=1/10)"),
        ("semantic-for-one-belief", "semantic(epsilon=1/10, delta=1/100)"),
        ("averaging-over-databases", "reality-oblivious(epsilon=1/10, delta=1/100)"),
        ("bgks-independent-ddp", "independent-ddp(ratio=2, delta=1/9)"),
        ("bgks-noiseless-pufferfish", "noiseless(ratio=2, delta=1/9)"),
        ("post-processing", "dp(ratio=3, delta=1/10)"),
        ("bgks-3", "pufferfish(ratio=2, delta=1/9)"),
        ("bgks-4", "ddp(ratio=2, delta=1/9)"),
        ("bgks-5", "simulation(ratio=2, delta=1/9)"),
        ("bgks-simulation-ddp", "simulation(ratio=2, delta=1/9)"),
        ("bgks-ddp-coupled-worlds", "ddp(ratio=2, delta=1/9)"),
        ("bgks-inference-ddp-coupled-worlds", "inference-ddp(ratio=2, delta=1/9)"),
        ("dp-at-some-databases", "dp(ratio=2, delta=1/10)"),
        ("ks-3.3-3", "dp(ratio=2, delta=1/10)"),
        ("dw-5", "laplace-strategy(ratio=2)"),
    ],
)
def test_a_case_of_another_kind_keeps_its_numbers(name, stated):
    premise, theorem = Guarantee.parse(stated), THEOREMS[name]
    found = theorem.conclude(premise)
    assert {number: found[number] for number in premise.numbers} == premise.numbers
    assert found.delta == premise.delta
    assert found.kind == (premise.kind if theorem.combines else theorem.conclusion)


PAIR = brute.mechanisms(people=1, transcripts=3, least=0)


@given(PAIR, PAIR, RATIOS, RATIOS)
def test_composition_multiplies_ratios_and_the_chances_of_no_delta(one, other, a, b):
    stated = [
        Guarantee.of("dp", ratio=r, delta=brute.delta_of(m, r)) for m, r in ((one, a), (other, b))
    ]
    both = {x: [p * q for p, q in product(one[x], other[x])] for x in one}
    found = compose(*stated)
    assert brute.delta_of(both, found.ratio) <= found.delta <= stated[0].delta + stated[1].delta


def test_composition_is_attained_by_publishing_now_and_then():
    delta = Fraction(1, 10)
    one = {(0,): (delta, Fraction(0), 1 - delta), (1,): (Fraction(0), delta, 1 - delta)}
    both = {x: [p * q for p, q in product(one[x], one[x])] for x in one}
    stated = Guarantee.of("dp", ratio=2, delta=delta)
    found = compose(stated, stated)
    assert (found.ratio, found.delta) == (4, Fraction(19, 100))
    assert brute.delta_of(both, found.ratio) == found.delta


@given(PAIR, RATIOS, st.data())
def test_post_processing_keeps_differential_privacy(mechanism, ratio, data):
    kernel = [data.draw(brute.laws(2)) for _ in range(3)]
    after = {
        x: [sum(p * row[j] for p, row in zip(law, kernel, strict=True)) for j in range(2)]
        for x, law in mechanism.items()
    }
    stated = Guarantee.of("dp", ratio=ratio, delta=brute.delta_of(mechanism, ratio))
    assert brute.delta_of(after, ratio) <= post_process(stated).delta


@given(PAIR, PAIR, RATIOS, st.fractions(0, 1, max_denominator=10))
def test_mixing_keeps_the_larger_numbers(one, other, ratio, weight):
    stated = [Guarantee.of("dp", ratio=ratio, delta=brute.delta_of(m, ratio)) for m in (one, other)]
    mixed = {
        x: [weight * p + (1 - weight) * q for p, q in zip(one[x], other[x], strict=True)]
        for x in one
    }
    assert brute.delta_of(mixed, ratio) <= mix(*stated).delta


def noisy_database(keep):
    """Publish the database on two bits with this probability, else another one."""
    points = list(product(range(2), repeat=2))
    return {x: tuple(keep if x == t else (1 - keep) / 3 for t in points) for x in points}


def largest_semantic(mechanism):
    """The exact semantic value by the formula tanh(ln(R)/4), over transcripts and persons."""
    best = Fraction(1)
    for t, i, default in product(range(len(mechanism[0, 0])), range(2), range(2)):
        moves = []
        for x in mechanism:
            without = (*x[:i], default, *x[i + 1 :])
            moves.append(mechanism[x][t] / mechanism[without][t])
        best = max(best, max(moves) / min(moves))
    return tanh_quarter(best)


@pytest.mark.parametrize("keep", [Fraction(3, 4), Fraction(3, 5)])
def test_the_loss_of_post_processing_is_approached_by_merging_an_output_with_its_complement(keep):
    odds = keep / (1 - keep)
    reached = []
    for n in range(3, 25):
        ones, rest, none = (1,) * n, (1,) + (0,) * (n - 1), (0,) * n

        def merged(x, n=n):
            """P(1...1 or 0...0 | x), by counting the bits that are kept."""
            k = sum(x)
            return keep**k * (1 - keep) ** (n - k) + (1 - keep) ** k * keep ** (n - k)

        without = [(0, *x[1:]) for x in (ones, rest)]
        real = merged(ones) / (merged(ones) + merged(rest))  # even belief in these two
        ideal = merged(without[0]) / (merged(without[0]) + merged(without[1]))
        r = (odds**n + 1) / (odds ** (n - 1) + odds)
        assert without[1] == none
        assert real - ideal == (r - 1) / (r + 1)
        reached.append(real - ideal)
    root = bounds(sqrt(odds))[1]
    s = (root - 1) / (root + 1)
    bound = post_process(Guarantee("semantic", {"epsilon": s, "delta": Fraction(0)})).epsilon
    assert reached == sorted(reached)
    assert reached[-1] <= bound <= reached[-1] + Fraction(1, 1000)


def test_semantic_privacy_is_not_closed_under_post_processing():
    before = noisy_database(Fraction(5, 8))
    even = [
        sum(p for p, t in zip(law, before, strict=True) if sum(t) % 2 == 0)
        for law in before.values()
    ]
    after = {x: (p, 1 - p) for x, p in zip(before, even, strict=True)}
    s = largest_semantic(before)
    assert s < Fraction(382, 1000)
    # Shown by a belief, without any formula: the parity moves beliefs by 1/2.
    belief = {(1, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}
    assert brute.largest_move(after, belief) == Fraction(1, 2) > s
    bound = post_process(Guarantee("semantic", {"epsilon": s, "delta": Fraction(0)}))
    assert bound.epsilon > Fraction(1, 2)


def test_what_is_not_known_is_refused():
    with pytest.raises(Unsupported, match="not about pointwise"):
        post_process(Guarantee.parse("pointwise(ratio=2, delta=0.1)"))
    with pytest.raises(InvalidInput, match="needs delta = 0"):
        post_process(Guarantee.parse("semantic(epsilon=0.1, delta=0.1)"))
    with pytest.raises(Unsupported, match="not about semantic"):
        compose(Guarantee.parse("semantic(epsilon=0.1)"))
    with pytest.raises(InvalidInput, match="the same setting"):
        compose(Guarantee.parse("dp(ratio=2)"), Guarantee.parse("dp(ratio=2, group=2)"))
    with pytest.raises(InvalidInput, match="nothing to combine"):
        mix()


# --- Theorem 5 of Dwork in the graph of theorems, against the exact epsilon of strategies --------


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
