"""Laws of a count: exact half lines, enclosed half lines, and their agreement."""

from fractions import Fraction
from math import comb

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.laws import counts
from twoworlds.laws.counts import (
    Binomial,
    Poisson,
    added,
    tail_ball,
)
from twoworlds.numbers import Real, ball, bounds, exp

RATES = [Fraction(1, 2), Fraction(3, 10), Fraction(99, 100), Fraction(1, 7)]


def masses(n, p):
    return [comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("trials", [0, 1, 2, 7, 23])
def test_binomial_half_lines_are_exact_sums(trials, rate):
    law, listed = Binomial(trials, rate), masses(trials, rate)
    for c in range(-1, trials + 3):
        assert law.at_least(c) == sum(listed[max(c, 0) :])
        assert law.at_most(c) == sum(listed[: max(c + 1, 0)])
        assert law.pmf(c) == (listed[c] if 0 <= c <= trials else 0)


@pytest.mark.parametrize("rate", RATES)
def test_enclosures_hold_the_exact_half_lines(rate):
    law, listed = Binomial(40, rate), masses(40, rate)
    for c in range(42):
        exact = sum(listed[c:], Fraction(0))
        assert tail_ball(law, c, 128).contains(ball(exact, 400).mid())
        assert abs(float(tail_ball(law, c, 128).mid()) - float(exact)) < 1e-15


def test_too_long_denominators_become_tight_enclosures(monkeypatch):
    exact = Binomial(60, Fraction(3, 10)).at_least(25)
    monkeypatch.setattr(counts, "EXACT_BITS", 10)
    counts._tail.cache_clear()
    law = Binomial(60, Fraction(3, 10))
    assert not law.exact
    for found, true in ((law.at_least(25), exact), (law.at_most(24), 1 - exact)):
        low, high = bounds(found)
        assert isinstance(found, Real)
        assert low <= true <= high
        assert high - low < true / 2**50
    counts._tail.cache_clear()


@pytest.mark.parametrize("mean", [Fraction(1, 100), Fraction(5), Fraction(81, 2)])
def test_poisson_half_lines_are_their_series(mean):
    law = Poisson(mean)
    term, below = exp(-mean), Fraction(0)
    for c in range(45):
        low, high = bounds(law.at_least(c) + below - 1, 256)
        assert -Fraction(1, 2**100) < low <= 0 <= high < Fraction(1, 2**100)
        below, term = below + term, term * mean / (c + 1)


def test_far_tails_keep_their_leading_digits():
    low, high = bounds(Poisson(Fraction(10)).at_least(200))
    assert 0 < low <= high
    assert high - low < low / 2**50
    term = 1.0
    for j in range(1, 201):
        term *= 10 / j
    assert float(low) == pytest.approx(term * 2.718281828459045**-10 * (1 + 10 / 201), rel=1e-2)


@pytest.mark.parametrize("law", [Binomial(30, Fraction(1, 3)), Poisson(Fraction(17, 2))])
def test_quotients_never_fall_and_the_mode_is_where_they_pass_one(law):
    last = law.last or 40
    quotients = [law.quotient(j) for j in range(law.first + 1, last + 1)]
    assert quotients == sorted(quotients)
    assert law.quotient(law.mode) <= 1 < law.quotient(law.mode + 1)


def test_flat_sums_of_enclosures_hold_their_value():
    total = added([exp(Fraction(1, 2))] * 3000 + [Fraction(1, 3)])
    low, high = bounds(total - 3000 * exp(Fraction(1, 2)))
    assert low <= Fraction(1, 3) <= high


def test_laws_refuse_what_is_no_law():
    for rate in (0, 1, 2, -1):
        with pytest.raises(InvalidInput, match="strictly"):
            Binomial(3, Fraction(rate))
    with pytest.raises(InvalidInput, match="trials"):
        Binomial(-1, Fraction(1, 2))
    with pytest.raises(InvalidInput, match="above 0"):
        Poisson(Fraction(0))
