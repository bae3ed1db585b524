"""Ways to combine mechanisms, against the formulas written out entry by entry."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import DifferentialPrivacy, measure, mechanism
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.event import Listed
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms.base import Dense
from twoworlds.mechanisms.on_statistic import AddedNoise, OnStatistic
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.mechanisms.several import Several, composed
from twoworlds.testing import enumeration as brute
from twoworlds.worlds import SUBSTITUTE, BitStrings, Explicit, Integers, TrueAnswer

RATIOS = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3), Fraction(100)])
UNIVERSE = Explicit(("a", "b", "c"))


def laws(size):
    weights = st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: tuple(Fraction(k, sum(w)) for k in w))


@st.composite
def mechanisms(draw, universe=UNIVERSE, outputs=None):
    if outputs is None:
        start, size = draw(st.integers(0, 2)), draw(st.integers(1, 4))
        outputs = Explicit(tuple(range(start, start + size)))
    columns = [draw(laws(outputs.size)) for _ in universe]
    return Dense(universe, outputs, list(zip(*columns, strict=True)))


def worst(mechanism, ratio):
    """The largest gap over all ordered pairs, by all events."""
    pairs = list(permutations(mechanism.universe, 2))
    return brute.worst(mechanism, pairs, lambda p, q: brute.largest_excess(p, q, ratio))


def stochastic(mechanism):
    return all(sum(column) == 1 for column in zip(*mechanism.rows, strict=True))


@given(st.data())
def test_post_processing_is_the_product_of_the_matrices(data):
    first = data.draw(mechanisms())
    second = data.draw(mechanisms(universe=first.outputs))
    joined = first.then(second)
    assert stochastic(joined)
    for x in first.universe:
        for new in second.outputs:
            expected = sum(
                second.probability(new, o) * first.probability(o, x) for o in first.outputs
            )
            assert joined.probability(new, x) == expected


@given(mechanisms(), st.dictionaries(st.integers(0, 6), st.integers(0, 2), min_size=7, max_size=7))
def test_a_map_of_outputs_adds_up_what_it_merges(first, image):
    for post in (image, image.__getitem__):
        joined = first.then(post)
        assert set(joined.outputs) == {image[o] for o in first.outputs}
        for x in first.universe:
            for new in joined.outputs:
                expected = sum(first.probability(o, x) for o in first.outputs if image[o] == new)
                assert joined.probability(new, x) == expected


def test_mixed_noise_is_the_weighted_sum_and_is_not_compared():
    parts = [mechanism("integer-noise([1/4, 3/4], start=-1)"), mechanism("geometric(p=1/2)")]
    mixed = mechanism("mix(integer-noise([1/4, 3/4], start=-1), geometric(p=1/2), weight=1/3)")
    least = Listed.of([2, 3])
    for k in range(-4, 5):
        first, second = (part.probability(k, 1) for part in parts)
        assert mixed.probability(k, 1) == first / 3 + second * 2 / 3
    first, second = (part.mass(least, 1) for part in parts)
    assert mixed.mass(least, 1) == first / 3 + second * 2 / 3
    with pytest.raises(Unsupported, match="no known worst event"):
        measure(mixed)


@given(mechanisms(), mechanisms(), st.fractions(0, 1, max_denominator=9), RATIOS)
def test_a_mixture_is_the_weighted_sum(first, second, weight, ratio):
    mixed = first.mix(second, weight)
    assert stochastic(mixed)
    assert set(mixed.outputs) == {*first.outputs, *second.outputs}
    for x in UNIVERSE:
        for o in mixed.outputs:
            a = first.probability(o, x) if o in first.outputs else 0
            b = second.probability(o, x) if o in second.outputs else 0
            assert mixed.probability(o, x) == weight * a + (1 - weight) * b
    bound = weight * worst(first, ratio) + (1 - weight) * worst(second, ratio)
    assert mixed.family(SUBSTITUTE).gap(ratio)[1].delta <= bound


@given(mechanisms(), mechanisms(), RATIOS)
def test_a_pair_is_the_product_of_the_laws(first, second, ratio):
    both = composed([(first, 1), (second, 1)])
    for x in UNIVERSE:
        law = both.distribution(x)
        assert sum(law.values()) == 1
        for a in first.outputs:
            for b in second.outputs:
                assert law[a, b] == first.probability(a, x) * second.probability(b, x)
    assert both.family(SUBSTITUTE).gap(ratio)[1].delta >= worst(first, ratio)


@given(st.lists(st.sampled_from(list(BitStrings(3))), min_size=2, max_size=6, unique=True))
def test_a_restriction_keeps_the_neighbours_and_distances_of_the_whole(chosen):
    flip = Dense(Explicit((1, 0)), Explicit((1, 0)), [["3/4", "1/4"], ["1/4", "3/4"]])
    part = PerRecord(flip, 3).restrict(chosen)
    apart = [
        sum(a != b for a, b in zip(x, y, strict=True)) for x in chosen for y in chosen if x < y
    ]
    for group in (1, 2, 3):
        within = [k for k in apart if k <= group]
        if within:
            assert part.family(SUBSTITUTE, group).peak()[1].ratio == 3 ** max(within)


def _any():
    return Dense(UNIVERSE, Explicit((0, 1)), [["1/2", "1/3", 1], ["1/2", "2/3", 0]])


def test_mechanisms_on_different_databases_do_not_combine():
    other = Dense(Explicit(("a", "b")), Explicit((0, 1)), [["1/2", "1/3"], ["1/2", "2/3"]])
    with pytest.raises(InvalidInput, match="different databases"):
        _any().mix(other, "1/2")
    with pytest.raises(InvalidInput, match="different databases"):
        composed([(_any(), 1), (other, 1)])


@pytest.mark.parametrize("weight", ["1.2", -1, "ln 2", None, "x"])
def test_a_weight_is_a_probability(weight):
    with pytest.raises(InvalidInput, match="weight="):
        _any().mix(_any(), weight)


def test_post_processing_must_know_every_output():
    with pytest.raises(InvalidInput, match="says nothing about output 1"):
        _any().then({0: "yes"})
    with pytest.raises(InvalidInput, match="0 is not in"):
        _any().then(Dense(Explicit((1, 2)), Explicit(("u",)), [[1, 1]]))


def _geometric(universe=None):
    return OnStatistic(
        universe or Integers(0, 3), TrueAnswer(), AddedNoise(GeometricNoise("1/2")), expression="g"
    )


def test_infinitely_many_outputs_are_not_tabulated():
    with pytest.raises(TooLarge):
        _geometric().table()
    with pytest.raises(TooLarge):
        _geometric().then(lambda o: o)


# --- Pairs of mechanisms with infinitely many outputs: exact composition, cell by cell -----------


ratios = st.fractions(1, 8, max_denominator=6)
prices = st.sampled_from(["2", "3", "3/2"])


@pytest.mark.slow
@given(st.integers(1, 3), ratios)
def test_the_gap_equals_a_long_truncated_sum(group, ratio):
    noise = mechanism("geometric(ratio=2)")
    both = composed([(noise, 1), (mechanism("geometric(ratio=3)"), 1)])
    found = DifferentialPrivacy(group=group).delta_at(both, ratio).delta
    window = range(-24, 25 + group)
    total = sum(
        max(Fraction(0), both.probability((a, b), 0) - ratio * both.probability((a, b), group))
        for a, b in product(window, repeat=2)
    )
    assert total <= found <= total + Fraction(1, 2**22)


def test_on_bits_every_pair_of_databases_is_compared():
    both = mechanism("pair(geometric(ratio=2, bits=2), randomized-response(bits=2, keep=3/4))")
    assert isinstance(both, Several)
    assert measure(both).ratio == 6
    assert measure(both, group=2).ratio == 36
    verdict = measure(both, ratio=2)
    assert verdict.witness.excess(Fraction(2)) == verdict.delta
