"""Equations 4 and 5 of Kasiviswanathan & Smith: the power of tests, against every event."""

from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tests.theorems import brute
from twoworlds.theorems import Guarantee, largest_power

RATIOS = st.fractions(1, 6, max_denominator=12)
LEVELS = st.fractions(0, 1, max_denominator=20)


def best_power(p, q, level):
    """The power of the best randomized test: reject events of the second law first (exact)."""
    order = sorted(range(len(p)), key=lambda i: (p[i] != 0, p[i] / q[i] if q[i] else 10**9))
    spent, power = Fraction(0), Fraction(0)
    for i in order:
        if p[i] == 0:
            power += q[i]
            continue
        share = min(Fraction(1), (level - spent) / p[i])
        spent, power = spent + share * p[i], power + share * q[i]
    return power


@given(brute.laws(4), brute.laws(4), RATIOS, LEVELS)
def test_no_test_has_more_power(p, q, ratio, level):
    delta = max(brute.excess(p, q, ratio), brute.excess(q, p, ratio))
    assert best_power(p, q, level) <= largest_power(ratio, delta, level)
    difference = brute.excess(p, q, Fraction(1))
    assert best_power(p, q, level) <= level + difference


@given(RATIOS, st.fractions(0, 1, max_denominator=20), LEVELS)
def test_the_largest_power_is_attained(ratio, delta, level):
    v = (1 - delta) / (ratio + 1)
    p, q = (Fraction(0), v, ratio * v, delta), (delta, ratio * v, v, Fraction(0))
    assert best_power(p, q, level) == largest_power(ratio, delta, level)


def test_every_event_of_two_bits_obeys_equation_4():
    p, q = brute.law([9, 3, 3, 1]), brute.law([3, 1, 9, 3])
    for chosen in product((0, 1), repeat=4):
        level, power = (sum(x for x, c in zip(law, chosen, strict=True) if c) for law in (p, q))
        assert power <= 3 * level


def test_equation_4_with_its_printed_and_its_tight_form():
    found = Guarantee.parse("dp(ratio=3)").implies("power", level="1/2")
    assert found.best["power"] == Fraction(5, 6)
    assert found.steps[-1].printed["power"] == 1
    low = Guarantee.parse("dp(ratio=3, delta=0.01)").implies("power", level="0.05")
    assert low.best["power"] == Fraction(16, 100)


def test_equation_5_says_little():
    # A mechanism that publishes a random record in the clear passes it, too.
    found = Guarantee.parse("statistical-difference(epsilon=0.01)").implies("power", level="0.05")
    assert found.best["power"] == Fraction(6, 100)
    claim = Guarantee.parse("statistical-difference(epsilon=0.01)").implies("semantic")
    assert claim.holds is False
