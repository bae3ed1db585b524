"""Tables: every word of a small size goes to the right value, ties and tails included."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from math import floor

import pytest

from tests.release.noise.scripted import LAST, Scripted, first_bits
from twoworlds.errors import Undecided
from twoworlds.laws.noise import DiscreteGaussianNoise
from twoworlds.numbers import Real, ball, bounds, exp, sqrt
from twoworlds.release.noise.sampler import digit_table, gaussian_table, geometric_table
from twoworlds.release.noise.table import Uniform, WordTable, inverted

TABLES = {
    "geometric 1/2": partial(geometric_table, Fraction(1, 2)),
    "geometric 1/3, with the boundary 3/4": partial(geometric_table, Fraction(1, 3)),
    "geometric e^-1/4": partial(geometric_table, exp(Fraction(-1, 4))),
    "geometric by 4": partial(geometric_table, Fraction(9, 10), 4),
    "digit": partial(digit_table, Fraction(9, 10), 2, 8),
    "digit of an irrational": partial(digit_table, exp(Fraction(-1, 1000)), 1, 16),
    "gaussian": partial(gaussian_table, DiscreteGaussianNoise(Fraction(3, 2))),
    "narrow gaussian": partial(gaussian_table, DiscreteGaussianNoise(Fraction(1, 50))),
}
each_table = pytest.mark.parametrize("made", TABLES.values(), ids=TABLES)


def drawn(table, word, *further):
    """The value of a word, with bits after its first ones that are left out, and what was asked."""
    source = Scripted(
        [word << (64 - table.bits) | (12345 if table.bits < 64 else 0), *further], after=1
    )
    [value] = table.draw(1, source)
    return value, source.asked - 1


def cumulative(table):
    """F(k) for k from -48 to 48, to 256 bits at least."""
    return {k: bounds(table.at_most(k), 512)[0] for k in range(-48, 49)}


def brute(known, u):
    """The least k with u < F(k), one after the other."""
    return next(k for k, f in known.items() if u < f)


@each_table
def test_every_word_of_eight_bits_goes_to_its_value(made):
    table = made(bits=8)
    known = cumulative(table)
    inside = {floor(256 * f) for f in known.values()}
    for word in {*range(1, 255)} - inside:
        value, asked = drawn(table, word)
        assert asked == 0
        assert value == brute(known, Fraction(word, 256))
        assert value == brute(known, Fraction(word + 1, 256) - Fraction(1, 1 << 200))


@each_table
def test_ties_are_settled_by_further_bits(made):
    """Words of 8 bits that are ties, each with 16 ways to go on: U = (word + sixteenth) / 256."""
    table = made(bits=8)
    known = cumulative(table)
    ties = sorted({floor(256 * f) for f in known.values() if f < 1})
    for word in ties[::4]:
        for part in range(word == 0, 16):
            value, asked = drawn(table, word, part << 60)
            asked_for = Fraction(16 * word + part, 4096) + Fraction(1, 1 << 140)
            if asked == 0:  # then any way to go on gives the same value
                asked_for = Fraction(word + 1, 256) - Fraction(1, 1 << 200)
            assert value == brute(known, asked_for)


@pytest.mark.parametrize("made", [TABLES["geometric 1/2"], TABLES["geometric by 4"]])
def test_counts_of_all_words_of_sixteen_bits_are_the_probabilities_rounded(made):
    """Word by word U = word / 2^16 and a bit: value k is found once for each U in its interval.

    The first word is left out; it belongs to the tail.
    """
    table = made(bits=16)
    counts = Counter(drawn(table, word)[0] for word in range(1, 1 << 16))
    for k in range(-40, 41):
        low, high = (-floor(-table.at_most(j) * (1 << 16)) for j in (k - 1, k))
        assert counts.get(k, 0) == max(1, high) - max(1, low)


@each_table
def test_64_bit_words_are_the_cumulative_probabilities_rounded_down(made):
    table = made()
    for i, word in enumerate([*table.listed, LAST]):
        exact = table.at_most(table.start + i)
        if exact >= 1 - Fraction(1, 1 << 64):
            assert word == LAST
            break
        assert Fraction(word, 1 << 64) <= exact
        assert exact < Fraction(word + 1, 1 << 64)
    else:
        pytest.fail("the table does not reach the upper end")
    assert table.start == 0 or table.listed[0] == 0


@pytest.mark.parametrize("name", [name for name in TABLES if "digit" not in name])
def test_first_and_last_word_continue_into_the_tails(name):
    table = TABLES[name]()
    for word, inner, outer in ((0, LAST, 1), (LAST, 0, LAST - 1)):
        near, far = drawn(table, word, inner)[0], drawn(table, word, word, outer)[0]
        sign = 1 if word else -1
        assert sign * far > sign * near
        for value, u, bits in (
            (near, (word << 64) + inner, 128),
            (far, (((word << 64) + word) << 64) + outer, 192),
        ):
            assert Fraction(u, 1 << bits) < table.at_most(value)
            assert not Fraction(u + 1, 1 << bits) < table.at_most(value - 1)


def test_a_boundary_that_may_be_a_word_is_not_guessed():
    half = Real(
        lambda bits: (
            ball(Fraction(1, 2), bits)
            + (ball(Fraction(1, 3), bits) - 1 + ball(Fraction(2, 3), bits))
        )
    )
    with pytest.raises(Undecided, match="exact numbers"):
        WordTable.of(lambda k: half, 0, [ball(half, 128)])


def test_digits_of_numbers_close_to_one_are_exact():
    """(1 - q^(d+1)) / (1 - q^base) for q = e^(-10^-30): nearly, but not exactly, (d + 1) / base."""
    digit = digit_table(exp(Fraction(-1, 10**30)), 1, 4)
    for d in range(3):
        assert 0 < digit.at_most(d) - Fraction(d + 1, 4) < Fraction(1, 10**29)


# --- one uniform number ---------------------------------------------------------------------------


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1, 2), Fraction(0), Fraction(1)])
def test_every_prefix_of_eight_bits_decides_as_the_whole_number_does(x):
    for known in range(256):
        for after, further in ((0, Fraction(0)), (LAST, Fraction(1))):
            u = Fraction(known, 256) + further / 256  # nearly: all further bits are 0, or 1
            source = Scripted([after] * 3, after=LAST - after)
            expected = u < x if further == 0 else u <= x
            assert Uniform(source, known=known, count=8).below(x) is expected


@pytest.mark.parametrize("x", [exp(Fraction(-1)), sqrt(Fraction(1, 2)), exp(Fraction(-1, 10**9))])
def test_ties_with_an_irrational_are_broken_by_its_further_bits(x):
    """The first 192 bits of x itself, and then more or less than x has."""
    digits = first_bits(x, 192)
    words = [(digits >> 128) & LAST, (digits >> 64) & LAST, digits & LAST]
    low, high = Scripted([*words, 0]), Scripted([*words, LAST])
    assert Uniform(low).below(x)
    assert not Uniform(high).below(x)
    assert low.asked == high.asked == 4


def test_an_enclosure_that_does_not_shrink_is_reported():
    x = Real.between(Fraction(1, 4), Fraction(3, 4))
    with pytest.raises(Undecided, match="exact numbers"):
        Uniform(Scripted(after=1 << 63)).below(x)


def test_inversion_gives_the_least_value_above():
    """Prefixes of 12 bits against a search from below, with any guess."""
    law = [Fraction(1, 7), Fraction(2, 7), Fraction(1, 2), Fraction(99, 100), Fraction(1)]

    def at_most(k):
        return Fraction(0) if k < -2 else law[min(k + 2, 4)]

    for known in range(0, 4096, 3):
        u = Fraction(known, 4096)
        expected = next(k for k in range(-2, 3) if u < at_most(k))
        for guess in (-9, 0, 40):
            uniform = Uniform(Scripted(after=0), known=known, count=12)
            assert inverted(uniform, at_most, guess) == expected
