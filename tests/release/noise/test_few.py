"""A few values, drawn one by one without numpy, are what the arrays give from the same bits."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from tests.release.noise.scripted import LAST, Scripted
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    SkellamNoise,
)
from twoworlds.numbers import exp
from twoworlds.release.noise import Sampler, SeededBits, SystemBits
from twoworlds.release.noise.laws import Tailed
from twoworlds.release.noise.sampler import LaplaceSampler
from twoworlds.release.noise.table import WordTable

LAWS = [
    GeometricNoise(Fraction(1, 2)),
    GeometricNoise(exp(Fraction(-1, 3))),
    GeometricNoise(exp(Fraction(-1, 400_000))),
    GeometricNoise(exp(Fraction(-1, 10**20))),
    NegativeBinomialDifference(Fraction(1, 2), 3),
    NegativeBinomialDifference(Fraction(999_999, 1_000_000), 3),
    DiscreteGaussianNoise(Fraction(7, 2)),
    DiscreteGaussianNoise(Fraction(10**9)),
    SkellamNoise(Fraction(3), Fraction(2)),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("seed", range(5))
def test_few_values_are_those_of_the_arrays(law, seed):
    sampler = Sampler.of(law)
    assert sampler.few(300, SeededBits(seed)) == sampler.values(300, SeededBits(seed)).tolist()


@pytest.mark.parametrize("bits", [1, 3, 8])
def test_every_short_word_has_the_value_of_the_arrays_ties_included(bits):
    table = WordTable.of(Tailed(GeometricNoise(Fraction(1, 2))), bits=bits)
    tied = 0
    for word in range(1 << bits):
        given = [word << (64 - bits) | 12345, *SeededBits(word).few(20)]
        (one,) = table.few(1, Scripted(given))
        source = Scripted(given)
        (many,), exact = table.values(source.words(1), source)
        assert one == exact.get(0, many)
        tied += bool(exact)
    assert tied


def test_ties_in_every_table_are_settled_alike():
    """Words that are entries of the top table, and the two ends: each needs further bits."""
    sampler = LaplaceSampler.split(GeometricNoise(Fraction(99, 100)), 4)
    entries = [0, *sampler.top.listed[1:6], LAST]
    script = [*entries, *SeededBits(3).few(200)]
    few = sampler.few(len(entries), Scripted(script))
    assert few == sampler.values(len(entries), Scripted(script)).tolist()


def test_words_as_integers_are_the_words():
    assert list(SeededBits(2).few(9)) == SeededBits(2).words(9).tolist()
    given = SystemBits().few(1000)
    assert len(set(given)) == 1000
    assert all(0 <= word <= LAST for word in given)
    assert list(SystemBits().few(0)) == Sampler.of(LAWS[0]).few(0, SeededBits(1)) == []


def test_a_few_values_for_a_release_load_no_numpy():
    program = """
import sys
from fractions import Fraction
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise
from twoworlds.numbers import exp
from twoworlds.release.noise import Sampler, SystemBits
for law in (GeometricNoise(exp(Fraction(-1, 400000))), DiscreteGaussianNoise(Fraction(9))):
    assert len(Sampler.of(law).draw_integers(50, SystemBits())) == 50
assert "numpy" not in sys.modules
assert len(Sampler.of(law).draw_integers(5000, SystemBits())) == 5000
assert "numpy" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
