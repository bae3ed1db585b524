"""Uniform numbers that are drawn bit by bit decide exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.release.noise.scripted import LAST, Scripted, first_bits
from twoworlds.errors import Undecided
from twoworlds.numbers import Real, exp, sqrt
from twoworlds.release.noise.table import Uniform, inverted


@pytest.mark.parametrize(
    "x", [Fraction(1, 3), Fraction(1, 2), Fraction(0), Fraction(1), Fraction(7, 256)]
)
def test_every_prefix_of_eight_bits_decides_as_the_whole_number_does(x):
    for known in range(256):
        for after, further in ((0, Fraction(0)), (LAST, Fraction(1))):
            u = Fraction(known, 256) + further / 256  # nearly: all further bits are 0, or 1
            source = Scripted([after] * 3, after=LAST - after)
            expected = u < x if further == 0 else u <= x
            assert Uniform(source, known=known, count=8).below(x) is expected


def test_draws_bits_only_while_the_comparison_is_open():
    source = Scripted([0])
    assert Uniform(source, known=84, count=8).below(Fraction(1, 3))
    assert source.asked == 0
    assert Uniform(source, known=85, count=8).below(Fraction(1, 3))  # 85/256 < 1/3 < 86/256
    assert source.asked == 1


@pytest.mark.parametrize("x", [exp(Fraction(-1)), sqrt(Fraction(1, 2)), exp(Fraction(-1, 10**9))])
def test_ties_with_an_irrational_are_broken_by_its_further_bits(x):
    """The first 192 bits of x itself, and then more or less than x has."""
    digits = first_bits(x, 192)
    words = [(digits >> 128) & LAST, (digits >> 64) & LAST, digits & LAST]
    low = Scripted([*words, 0])
    high = Scripted([*words, LAST])
    assert Uniform(low).below(x)
    assert not Uniform(high).below(x)
    assert low.asked == high.asked == 4


def test_one_comparison_after_the_other_is_about_the_same_number():
    source = Scripted([1 << 63])  # U in [1/2, 1/2 + 2^-64)
    u = Uniform(source)
    assert not u.below(Fraction(1, 2))
    assert u.below(Fraction(3, 4))
    assert not u.below(exp(Fraction(-1)))
    assert source.asked == 1


def test_an_enclosure_that_does_not_shrink_is_reported():
    x = Real.between(Fraction(1, 4), Fraction(3, 4))
    with pytest.raises(Undecided, match="exact numbers"):
        Uniform(Scripted(after=1 << 63)).below(x)


def test_inversion_gives_the_least_value_above():
    """All 4096 prefixes of 12 bits against a search from below, with any guess."""
    law = [Fraction(1, 7), Fraction(2, 7), Fraction(1, 2), Fraction(99, 100), Fraction(1)]

    def at_most(k):
        return Fraction(0) if k < -2 else law[min(k + 2, 4)]

    for known in range(0, 4096, 3):
        u = Fraction(known, 4096)
        expected = next(k for k in range(-2, 3) if u < at_most(k))
        for guess in (-9, 0, 40):
            uniform = Uniform(Scripted(after=0), known=known, count=12)
            assert inverted(uniform, at_most, guess) == expected
