"""Rejection from blocks: every bound holds, and every way through it gives the exact law."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tests.release.noise.scripted import LAST, Scripted
from twoworlds.errors import TooLarge
from twoworlds.laws.noise import DiscreteGaussianNoise, SkellamNoise
from twoworlds.numbers import bounds, sqrt
from twoworlds.release.noise import Sampler, SeededBits
from twoworlds.release.noise import blocks as module
from twoworlds.release.noise.blocks import (
    Blocks,
    GaussianWeights,
    PoissonWeights,
    WideGaussian,
    WideSkellam,
)

WEIGHTS = {
    "gaussian": GaussianWeights(Fraction(40_001, 2)),
    "wide gaussian": GaussianWeights(Fraction(10**7, 3)),
    "very wide gaussian": GaussianWeights(Fraction(1 << 90)),
    "poisson": PoissonWeights(Fraction(30_000)),
    "wide poisson": PoissonWeights(Fraction(10**12 + 1, 7)),
    "poisson of an irrational mean": PoissonWeights(100 * sqrt(Fraction(30_000))),
}


@pytest.fixture(scope="module", params=WEIGHTS.values(), ids=WEIGHTS)
def blocks(request):
    return Blocks.of(request.param)


def chance(blocks, which, k):
    """S f(k) / a_b, enclosed."""
    low, high = bounds(blocks.weights.exact(blocks.weights.mode + k), 256)
    return low * blocks.scale / blocks.blocks[which].words, high * blocks.scale / blocks.blocks[
        which
    ].words


def close(x, y):
    return abs(bounds(x, 256)[0] - bounds(y, 256)[0]) < Fraction(1, 10**30)


def test_weights_are_proportional_to_the_probabilities():
    gaussian, noise = GaussianWeights(Fraction(5, 2)), DiscreteGaussianNoise(Fraction(5, 2))
    poisson = PoissonWeights(Fraction(7, 2))
    for k in range(6):
        assert close(gaussian.exact(k), noise.pmf(k) / noise.pmf(0))
        assert close(poisson.exact(k + 1) / poisson.exact(k), Fraction(7, 2) / (k + 1))
    assert poisson.exact(-1) == 0


@pytest.mark.parametrize(
    ("mean", "mode"), [("1", 0), ("7/2", 3), ("5000", 4999), ("50001/10", 5000)]
)
def test_the_mode_of_a_poisson_variable_is_where_its_weights_turn(mean, mode):
    weights = PoissonWeights(Fraction(mean))
    assert weights.mode == mode
    assert weights.exact(mode + 1) <= weights.exact(mode) + Fraction(1, 10**30)
    assert weights.exact(mode - 1) <= weights.exact(mode) + Fraction(1, 10**30)


def test_blocks_cover_every_value_between_the_tails_once(blocks):
    size = 1 << blocks.shift
    covered = []
    for block in blocks.blocks:
        ends = (block.base, block.base + block.sign * (size - 1))
        covered.append((min(ends), max(ends)))
    assert covered[0][0] == blocks.tails[0].start + 1
    assert covered[-1][1] == blocks.tails[1].start - 1
    assert all(a[1] + 1 == b[0] for a, b in pairwise(covered))


def test_words_choose_blocks_and_leave_some_over(blocks):
    words = [1, *(block.words for block in blocks.blocks), 1]
    assert sum(words) <= 1 << 64
    assert sum(words) > (1 << 64) * 0.999
    total = 0
    for i, count in enumerate(words):
        assert int(blocks.choice.words[i]) == total + count - 1  # its last word
        total += count


def test_both_lines_hold_at_every_value_of_many_blocks(blocks):
    """The hat and both lines, for every 29th block and those at the mode."""
    middle, size = len(blocks.blocks) // 2, 1 << blocks.shift
    inside = range(size) if size <= 32 else [0, 1, 2, size // 3, size // 2, size - 2, size - 1]
    for which in {*range(0, len(blocks.blocks), 29), middle - 1, middle}:
        block = blocks.blocks[which]
        for x in inside:
            low, high = chance(blocks, which, block.base + block.sign * x)
            part = (x << 32) >> blocks.shift
            assert high <= 1
            assert block.low + block.low_slope * part <= low * (1 << 64)
            if block.high < LAST:
                assert block.high + block.high_slope * (part + 1) >= high * (1 << 64)


def test_lines_leave_little_between_them(blocks):
    """Averaged over the words of the blocks, less than one attempt in a thousand is open."""
    unit = sum(block.words for block in blocks.blocks)
    gap = sum(
        block.words
        * ((block.high - block.low) + (block.high_slope - block.low_slope) * 2**31)
        / 2**64
        for block in blocks.blocks
    )
    assert gap / unit < 1e-3


def test_the_tails_lie_below_their_geometric_laws(blocks):
    for tail in blocks.tails:
        assert 0 < tail.ratio < 1
        for n in (0, 1, 2, 10, 100):
            k = blocks.weights.mode + tail.start + tail.sign * n
            high = bounds(blocks.weights.exact(k), 256)[1] * blocks.scale
            assert high <= (1 << tail.shift) * (1 - tail.ratio) * tail.ratio**n


def test_blocks_go_further_out_until_a_word_holds_each_tail(monkeypatch):
    monkeypatch.setattr(module, "_REACH", 4)
    near = Blocks.of(GaussianWeights(Fraction(10**6)))
    assert len(near.blocks) > 2 * module._SIDE
    test_the_tails_lie_below_their_geometric_laws(near)
    test_words_choose_blocks_and_leave_some_over(near)


def attempt(blocks, first, second, third, *further):
    source = Scripted([first, second, third, *further])
    found = blocks._attempt(1, source)
    return found.tolist(), source


def test_words_of_no_block_are_tried_again(blocks):
    last = 1 + sum(block.words for block in blocks.blocks) + 1
    if last <= LAST:
        assert attempt(blocks, LAST, 0, 0)[0] == []


def test_an_attempt_between_the_lines_is_decided_exactly(blocks):
    """A third word next to the chance itself, in each direction, and equal to its first bits."""
    which = len(blocks.blocks) // 2 + 30
    block = blocks.blocks[which]
    first = int(blocks.choice.words[which])  # the last word of the block before: one more is in it
    x = (1 << blocks.shift) // 2
    k = block.base + block.sign * x
    low, high = chance(blocks, which, k)
    word = int(low * (1 << 64))
    second = x << (64 - blocks.shift)
    assert attempt(blocks, first + 1, second, word - 1)[0] == [k]
    assert attempt(blocks, first + 1, second, word + 1)[0] == []
    following = int(low * (1 << 128)) & LAST
    assert attempt(blocks, first + 1, second, word, following - 1)[0] == [k]
    assert attempt(blocks, first + 1, second, word, following + 1)[0] == []
    assert high > low


def test_the_lines_decide_far_from_the_chance(blocks):
    which = len(blocks.blocks) // 2 + 30
    first = int(blocks.choice.words[which]) + 1
    assert len(attempt(blocks, first, 0, 0)[0]) == 1
    assert attempt(blocks, first, 0, LAST)[0] == []


@pytest.mark.parametrize("side", [0, 1])
def test_the_words_of_the_tails_continue_beyond_the_blocks(blocks, side):
    first = 0 if side == 0 else 1 + sum(block.words for block in blocks.blocks)
    tail = blocks.tails[side]
    kept = blocks._attempt(1, Scripted([first, 0, 0], after=0)).tolist()
    assert kept == [tail.start]  # the nearest value, and it is kept for U = 0
    assert attempt(blocks, first, 0, 0, 0, LAST)[0] == []
    words = Scripted([first, 0, 0, LAST - 1], after=0)  # far out, and U = 0 again
    far = blocks._attempt(1, words).tolist()
    assert tail.sign * far[0] > tail.sign * tail.start


def test_values_come_in_the_number_asked_for(blocks):
    for size in (0, 1, 17, 40_000):
        values = blocks.values(size, SeededBits(size))
        assert len(values) == size
        assert values.dtype == np.int64


@pytest.mark.parametrize(
    ("l1", "l2", "parts", "narrow"),
    [(6000, 7000, 2, False), (20_000, 10, 1, True), (Fraction(1, 3), 12_000, 1, True)],
)
def test_wide_skellam_noise_is_split_into_parts_of_the_same_sum(l1, l2, parts, narrow):
    noise = SkellamNoise(Fraction(l1), Fraction(l2))
    sampler = Sampler.of(noise)
    assert isinstance(sampler, WideSkellam)
    assert len(sampler.poisson) == parts
    assert (sampler.narrow is not None) == narrow
    means = [Fraction(0), Fraction(0)]
    for sign, each in sampler.poisson:
        means[sign < 0] += each.weights.mean
    if sampler.narrow is not None:
        means[0] += sampler.narrow.noise.l1
        means[1] += sampler.narrow.noise.l2
    assert means == [l1, l2]


def test_rejects_noise_wider_than_the_blocks_can_hold():
    with pytest.raises(TooLarge, match="publish in larger units"):
        Sampler.of(DiscreteGaussianNoise(Fraction(1 << 200)))
    with pytest.raises(TooLarge):
        Sampler.of(DiscreteGaussianNoise(Fraction(10) ** 4000))


def test_very_wide_noise_is_drawn():
    sampler = Sampler.of(DiscreteGaussianNoise(Fraction(1 << 90)))
    assert isinstance(sampler, WideGaussian)
    values = sampler.simulate(1000, SeededBits(1))
    assert 0.8 < values.std() / 2**45 < 1.2
    assert len({int(value) & 1 for value in values}) == 2
