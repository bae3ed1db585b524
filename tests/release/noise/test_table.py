"""Tables: every word of a small size goes to the right value, ties and tails included."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import floor

import numpy as np
import pytest

from tests.release.noise.scripted import LAST, Scripted, first_bits
from twoworlds.errors import Undecided
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    SkellamNoise,
)
from twoworlds.numbers import Real, ball, bounds, exp
from twoworlds.release.noise.laws import Digit, SignedGeometric, Tailed
from twoworlds.release.noise.table import WordTable

LAWS = {
    "geometric 1/2": SignedGeometric(Fraction(1, 2)),
    "geometric 1/3, with the boundary 3/4": SignedGeometric(Fraction(1, 3)),
    "geometric e^-1/4": SignedGeometric(exp(Fraction(-1, 4))),
    "geometric by 4": SignedGeometric(Fraction(9, 10), 4),
    "digit": Digit(Fraction(9, 10), 2, 8),
    "digit of an irrational": Digit(exp(Fraction(-1, 1000)), 1, 16),
    "geometric as any noise": Tailed(GeometricNoise(Fraction(2, 3))),
    "negative binomial": Tailed(NegativeBinomialDifference(Fraction(1, 2), 3)),
    "gaussian": Tailed(DiscreteGaussianNoise(Fraction(3, 2))),
    "narrow gaussian": Tailed(DiscreteGaussianNoise(Fraction(1, 50))),
    "skellam": Tailed(SkellamNoise(Fraction(1), Fraction(1))),
    "skellam to one side": Tailed(SkellamNoise(Fraction(9, 2), Fraction(1, 3))),
    "skellam to the other": Tailed(SkellamNoise(Fraction(1, 3), Fraction(20))),
}
each_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


@cache
def cumulative(law):
    """F(k) for k from -48 to 48, to 256 bits at least."""
    return {k: bounds(law.at_most(k), 512)[0] for k in range(-48, 49)}


def brute(law, u):
    """The least k with u < F(k), one after the other."""
    return next(k for k, f in cumulative(law).items() if u < f)


@each_law
def test_every_word_of_eight_bits_goes_to_its_value_and_ties_are_told(law):
    words = np.arange(256, dtype=np.uint64) << np.uint64(56)
    words |= np.uint64(12345)  # bits below the first eight are left out
    found, exact = WordTable.of(law, bits=8).values(words, Scripted(after=1))
    inside = {floor(256 * f) for f in cumulative(law).values()} & set(range(1, 255))
    for word in range(1, 255):
        assert (word in exact) == (word in inside)
        if word not in exact:
            assert found[word] == brute(law, Fraction(word, 256))
            assert found[word] == brute(law, Fraction(word + 1, 256) - Fraction(1, 1 << 200))


@pytest.mark.slow
@each_law
def test_ties_are_settled_by_further_bits(law):
    """All words of 8 bits, each with 16 ways to go on: U = (word + sixteenth) / 256, and a bit."""
    table = WordTable.of(law, bits=8)
    words = np.arange(256, dtype=np.uint64) << np.uint64(56)
    _, ties = table.values(words, Scripted(after=1))
    assert ties
    for word in ties:
        for part in range(word == 0, 16):
            source = Scripted([part << 60], after=1)
            _, exact = table.values(words[word : word + 1], source)
            asked_for = Fraction(16 * word + part, 4096) + Fraction(1, 1 << 140)
            if source.asked == 0:  # then any way to go on gives the same value
                asked_for = Fraction(word + 1, 256) - Fraction(1, 1 << 200)
            assert exact[0] == brute(law, asked_for)


@pytest.mark.parametrize("bits", [6, 8])
def test_counts_of_all_words_are_the_probabilities_when_these_are_dyadic(bits):
    """A law with P(0), ..., P(3) = 1/2, 1/4, 1/8, 1/8: all words of the size, counted."""

    class Dyadic:
        def at_most(self, k):
            return (
                Fraction(0)
                if k < 0
                else [Fraction(1, 2), Fraction(3, 4), Fraction(7, 8)][k]
                if k < 3
                else Fraction(1)
            )

        def enclosed(self, bits):
            return 0, [ball(self.at_most(k), bits + 64) for k in range(3)]

    words = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
    found, exact = WordTable.of(Dyadic(), bits=bits).values(words, Scripted(after=0))
    counts = Counter(exact.get(i, int(value)) for i, value in enumerate(found))
    assert counts == {k: (1 << bits) // d for k, d in enumerate((2, 4, 8, 8))}


@pytest.mark.parametrize(
    "law", [LAWS["geometric 1/2"], LAWS["geometric by 4"], LAWS["negative binomial"]]
)
def test_counts_of_all_words_of_sixteen_bits_are_the_probabilities_rounded(law):
    """Word by word U = word / 2^16 and a bit: value k is found once for each U in its interval.

    The first word is left out; it belongs to the tail.
    """
    bits = 16
    words = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
    found, exact = WordTable.of(law, bits=bits).values(words, Scripted(after=1))
    counts = Counter(exact.get(i, int(value)) for i, value in enumerate(found) if i)
    for k in range(-40, 41):
        low, high = (-floor(-law.at_most(j) * (1 << bits)) for j in (k - 1, k))
        assert counts.get(k, 0) == max(1, high) - max(1, low)


@each_law
def test_64_bit_words_are_the_cumulative_probabilities_rounded_down(law):
    table = WordTable.of(law)
    for i, word in enumerate(table.boundaries.words.tolist()):
        exact = law.at_most(table.start + i)
        if exact >= 1 - Fraction(1, 1 << 64):
            assert word == LAST
            break
        assert Fraction(word, 1 << 64) <= exact
        assert exact < Fraction(word + 1, 1 << 64)
    else:
        pytest.fail("the table does not reach the upper end")
    assert isinstance(law, Digit) or table.boundaries.words[0] == 0


@each_law
def test_first_and_last_word_continue_into_the_tails(law):
    table = WordTable.of(law)
    if isinstance(law, Digit):
        found, _ = table.values(np.array([0], dtype=np.uint64), Scripted())
        assert found[0] == 0
        return
    for word, inner, outer in ((0, LAST, 1), (LAST, 0, LAST - 1)):
        words = np.array([word], dtype=np.uint64)
        _, near = table.values(words, Scripted([inner], after=1))
        _, far = table.values(words, Scripted([word, outer], after=1))
        sign = 1 if word else -1
        assert sign * far[0] > sign * near[0]
        for value, u in (
            (near[0], (word << 64) + inner),
            (far[0], (((word << 64) + word) << 64) + outer),
        ):
            bits = 64 * (2 if value == near[0] else 3)
            assert Fraction(u, 1 << bits) < law.at_most(value)
            assert not Fraction(u + 1, 1 << bits) < law.at_most(value - 1)


def test_a_tie_takes_further_bits_of_the_boundary():
    """p = e^(-1/4): 64 bits of F(0) as the word, then its next 64 bits, one less or one more."""
    law = SignedGeometric(exp(Fraction(-1, 4)))
    digits = first_bits(law.at_most(0), 128)
    word, following = np.array([digits >> 64], dtype=np.uint64), digits & LAST
    table = WordTable.of(law)
    for step, expected in ((-1, 0), (1, 1)):
        source = Scripted([following + step])
        _, exact = table.values(word, source)
        assert exact == {0: expected}
        assert source.asked == 1


def test_a_boundary_that_may_be_a_word_is_not_guessed():
    class Hidden:
        def at_most(self, k):
            return Real(
                lambda bits: (
                    ball(Fraction(1, 2), bits)
                    + (ball(Fraction(1, 3), bits) - 1 + ball(Fraction(2, 3), bits))
                )
            )

        def enclosed(self, bits):
            return 0, [ball(self.at_most(0), 2 * bits)]

    with pytest.raises(Undecided, match="exact numbers"):
        WordTable.of(Hidden())
