"""One bin: both worst events against a direct sum, and the worst of a range of sizes."""

import random
from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

from tests.noiseless.histograms import samples
from twoworlds.laws.counts import Binomial, Poisson
from twoworlds.noiseless.histograms.bins import (
    BinKind,
    compare_bin,
    most_known,
    read_bins,
    read_means,
)
from twoworlds.numbers import INFINITY, bounds, exp

RATIOS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5)]


def worlds(masses, threshold, shift=0):
    """Return the laws of the count shown, with the entry and without it."""
    real, ideal = {}, {}
    for j, p in masses.items():
        for law, count in ((real, j + shift + 1), (ideal, j + shift)):
            shown = count if count >= threshold else 0
            law[shown] = law.get(shown, Fraction(0)) + p
    return real, ideal


def binomial(n, p):
    return {j: comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)}


@pytest.mark.few(3)
@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(1, 10), Fraction(9, 10)])
def test_a_bin_agrees_with_a_direct_sum(rate, ratio):
    for n in (0, 1, 2, 5, 12):
        for k in range(1, n + 4):
            for shift in (0, 1, 3):
                real, ideal = worlds(binomial(n, rate), k, shift)
                found = compare_bin(Binomial(n, rate), k, ratio, sampled=shift)
                assert found.delta == samples.worse(real, ideal, ratio)
                p, q = found.witness.probabilities
                assert found.delta == max(Fraction(0), p - ratio * q)


def test_an_infinite_ratio_leaves_what_is_impossible_in_the_other_world():
    assert compare_bin(Binomial(4, Fraction(1, 2)), 1, INFINITY).delta == Fraction(1, 16)
    hidden = compare_bin(Binomial(4, Fraction(1, 2)), 3, INFINITY)
    assert hidden.delta == Fraction(1, 16)  # only the full bin is impossible without the entry
    assert bounds(compare_bin(Poisson(Fraction(3)), 2, INFINITY).delta)[1] == 0


def test_delta_never_rises_with_the_threshold_and_never_falls_with_what_is_known():
    chooser = random.Random(5)
    for _ in range(60):
        members, rate = chooser.randint(2, 25), Fraction(chooser.randint(1, 9), 10)
        ratio, k = chooser.choice(RATIOS), chooser.randint(1, 12)
        bins = BinKind(members, members, rate)
        by_threshold = [bins.worst(j, ratio, 0).delta for j in range(1, members + 3)]
        assert by_threshold == sorted(by_threshold, reverse=True)
        assert by_threshold[-1] == 0
        by_known = [bins.worst(k, ratio, known).delta for known in range(members)]
        assert by_known == sorted(by_known)


def test_the_worst_size_of_any_range_is_found():
    chooser = random.Random(7)
    for _ in range(50):
        rate, k = Fraction(chooser.randint(1, 19), 20), chooser.randint(1, 9)
        ratio, known = chooser.choice(RATIOS), chooser.randint(0, 3)
        low = chooser.randint(1, 12)
        high = low + chooser.randint(known, 40)
        each = [
            samples.worse(*worlds(binomial(m - 1 - known, rate), k, known), ratio)
            for m in range(max(low, known + 1), high + 1)
        ]
        assert BinKind(low, high, rate).worst(k, ratio, known).delta == max(each)


def test_witnesses_verify_and_notice_a_change():
    laws = [Binomial(30, Fraction(1, 3)), Binomial(3000, Fraction(1, 3)), Poisson(Fraction(7))]
    for law in laws:
        k = law.mode
        witness = compare_bin(law, k, exp(Fraction(1, 5))).witness
        assert witness.verify()
        p, q = witness.probabilities
        assert not replace(witness, probabilities=(p + Fraction(1, 10**9), q)).verify()
        assert witness.worlds[0].endswith("your entry")


def test_bins_are_read_from_text():
    assert [(k.low, k.high) for k in read_bins("30, 5..9, any, 12..", "1/2")] == [
        (30, 30),
        (5, 9),
        (1, None),
        (12, None),
    ]
    assert most_known(read_bins([3, 4], 0.5)) == 3
    assert most_known(read_bins(range(1, 121), 0.5)) == 119
    assert [kind.mean for kind in read_means("5, 1/2")] == [5, Fraction(1, 2)]
