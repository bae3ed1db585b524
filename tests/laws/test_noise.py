"""Integer noise: probabilities, tails and moments against sums made from the definitions.

Every law is built a second time, as the law of a difference of two independent variables or from
its unnormalised weights, in exact fractions or in balls of 300 bits.
"""

from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    SkellamNoise,
    summed_tail,
)
from twoworlds.numbers import INFINITY, ball, bounds

BITS = 300
TINY = Fraction(1, 10**40)
WINDOW = range(-12, 13)


def _arb(q):
    q = Fraction(q)
    return arb(fmpq(q.numerator, q.denominator))


def difference_of(term_x, term_y, k, terms):
    """sum_j P(X = j + k) P(Y = j), up to a rest that the caller's choice of terms makes tiny."""
    start = max(0, -k)
    return sum((term_x(j + k) * term_y(j) for j in range(start, start + terms)), start=_arb(0))


def negative_binomial(p, r):
    def term(j):
        return _arb(comb(j + r - 1, j) * p**j * (1 - p) ** r)

    return term


def poisson(mean):
    def term(j):
        factorial = arb(j + 1).gamma()
        return (-_arb(mean)).exp() * _arb(Fraction(mean) ** j) / factorial

    return term


def geometric_law(p):
    return negative_binomial_law(p, 1)


def negative_binomial_law(p, r):
    term = cache(negative_binomial(p, r))
    return cache(lambda k: difference_of(term, term, k, 250))


def skellam_law(l1, l2):
    first, second = cache(poisson(l1)), cache(poisson(l2))
    return cache(lambda k: difference_of(first, second, k, 90))


def discrete_gaussian_law(s):
    total = sum((_weight(j, s) for j in range(-60, 61)), start=arb(0))
    return cache(lambda k: _weight(k, s) / total)


def _weight(k, s):
    return (-_arb(Fraction(k * k) / (2 * s))).exp()


HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
with ctx.workprec(BITS):
    CASES = {
        "geometric 1/2": (GeometricNoise(HALF), geometric_law(HALF)),
        "geometric 1/3": (GeometricNoise("1/3"), geometric_law(THIRD)),
        "negative binomial 1/2, 1": (NegativeBinomialDifference(HALF, 1), geometric_law(HALF)),
        "negative binomial 1/2, 2": (
            NegativeBinomialDifference(HALF, 2),
            negative_binomial_law(HALF, 2),
        ),
        "negative binomial 1/3, 5": (
            NegativeBinomialDifference("1/3", 5),
            negative_binomial_law(THIRD, 5),
        ),
        "skellam 1, 1": (SkellamNoise(1, 1), skellam_law(1, 1)),
        "skellam 3, 1/2": (SkellamNoise(3, "1/2"), skellam_law(3, HALF)),
        "skellam 1/10, 2": (SkellamNoise(0.1, 2), skellam_law(Fraction(1, 10), 2)),
        "discrete gaussian 1": (DiscreteGaussianNoise(1), discrete_gaussian_law(1)),
        "discrete gaussian 1/4": (
            DiscreteGaussianNoise("1/4"),
            discrete_gaussian_law(Fraction(1, 4)),
        ),
        "discrete gaussian 7": (DiscreteGaussianNoise(7), discrete_gaussian_law(7)),
    }
EXACT = [name for name in CASES if "geometric" in name or "binomial" in name]
every_law = pytest.mark.parametrize("name", CASES)


def near(found, expected, tolerance=TINY):
    """Both balls are tight and differ by less than the tolerance."""
    with ctx.workprec(BITS):
        gap = abs(ball(found, BITS) - expected)
        return gap < _arb(tolerance)


@every_law
def test_probabilities_are_those_of_the_definition(name):
    noise, law = CASES[name]
    with ctx.workprec(BITS):
        for k in WINDOW:
            assert near(noise.pmf(k), law(k))


@every_law
def test_tails_fall_by_the_probabilities_from_1_to_0(name):
    """P(Z >= k) - P(Z >= k+1) = P(Z = k), and the tails vanish: that makes them the right sums."""
    noise, law = CASES[name]
    with ctx.workprec(BITS):
        for k in WINDOW:
            assert near(noise.at_least(k) - noise.at_least(k + 1), law(k))
    assert near(noise.at_least(600), arb(0))
    assert near(noise.at_least(-600), arb(1))
    assert noise.at_least(600) > 0
    assert noise.at_least(-20) < 1


@pytest.mark.parametrize("name", EXACT)
def test_rational_laws_sum_to_1_exactly(name):
    noise, _ = CASES[name]
    inside = sum(noise.pmf(k) for k in range(-30, 30))
    assert inside + noise.at_least(30) + (1 - noise.at_least(-30)) == 1
    assert type(noise.pmf(3)) is type(noise.at_least(3)) is Fraction


@every_law
def test_the_mean_and_the_variance_are_the_sums(name):
    noise, law = CASES[name]
    with ctx.workprec(BITS):
        window = range(-45, 46) if "gaussian" in name else range(-180, 181)
        if "skellam" in name:
            window = range(-45, 60)
        masses = {k: law(k) if "skellam" in name else ball(noise.pmf(k), BITS) for k in window}
        mean = sum((k * m for k, m in masses.items()), start=arb(0))
        assert near(noise.mean, mean, Fraction(1, 10**20))
        square = sum((k * k * m for k, m in masses.items()), start=arb(0))
        assert near(noise.variance, square - mean * mean, Fraction(1, 10**20))


@every_law
@pytest.mark.parametrize("shift", [1, 2, 5])
def test_the_likelihood_ratio_is_the_quotient_and_never_falls(name, shift):
    noise, law = CASES[name]
    previous = None
    with ctx.workprec(BITS):
        for k in WINDOW:
            ratio = noise.likelihood(k, shift)
            expected = law(k - shift) / law(k)
            assert abs(ball(ratio, BITS) / expected - 1) < _arb(Fraction(1, 10**25))
            if previous is not None:
                assert ball(previous, BITS) <= ball(ratio, BITS) or previous == ratio
            previous = ratio


@every_law
@pytest.mark.parametrize("shift", [1, 2, 5])
def test_the_supremum_bounds_the_likelihood_ratio_and_is_approached(name, shift):
    noise, _ = CASES[name]
    supremum, at = noise.supremum(shift)
    far = [noise.likelihood(k, shift) for k in (-40, 0, shift, 40, 400)]
    assert all(ratio <= supremum for ratio in far)
    if at is not None:
        assert noise.likelihood(at, shift) == supremum
        assert noise.likelihood(at - 1, shift) < supremum
        assert noise.last_step(shift) == at
    elif supremum == INFINITY:
        assert noise.likelihood(10**5, shift) > 1000
        assert noise.last_step(shift) is None
    else:
        assert far[-1] < supremum
        assert noise.likelihood(10**6, shift) > supremum * Fraction(999, 1000)
        assert noise.last_step(shift) is None


@every_law
def test_the_reflection_is_the_law_of_minus_z(name):
    noise, _ = CASES[name]
    mirrored = noise.reflected()
    with ctx.workprec(BITS):
        for k in (-5, -1, 0, 2, 7):
            assert near(mirrored.pmf(k), ball(noise.pmf(-k), BITS))
            assert near(mirrored.at_least(k), 1 - ball(noise.at_least(1 - k), BITS))


@pytest.mark.parametrize("k", [50, 10**4, 10**9])
def test_far_tails_keep_relative_accuracy(k):
    """P(Z >= k) lies between P(Z = k) and P(Z = k) / (1 - r), r the next quotient."""
    for noise in (DiscreteGaussianNoise(3), SkellamNoise(1, 1)):
        if k > 10**4 and isinstance(noise, SkellamNoise):
            continue
        tail, first = noise.at_least(k).ball(128), noise.pmf(k).ball(128)
        assert tail.rel_accuracy_bits() > 60
        assert first * (1 - arb(2) ** -40) <= tail
        assert tail <= first * 2


def test_a_summed_tail_holds_the_whole_sum():
    """sum_{k >= s} 2^-k = 2^(1-s)."""
    for bits in (32, 64, 200):
        with ctx.workprec(bits):
            total = summed_tail(lambda k: arb(2) ** -k, 5, bits)
            assert total.contains(arb(2) ** -4)
            assert total.rel_accuracy_bits() > bits - 16
    with ctx.workprec(300):  # no rounding to speak of: the rest itself must be in the ball
        assert summed_tail(lambda k: arb(2) ** -k, 5, 8).contains(arb(2) ** -4)


@pytest.mark.parametrize("p", [0, 1, -1, "3/2", "inf", "e", "x", None, float("nan"), True])
def test_geometric_noise_needs_p_between_0_and_1(p):
    with pytest.raises(InvalidInput, match="p="):
        GeometricNoise(p)
    with pytest.raises(InvalidInput, match="p="):
        NegativeBinomialDifference(p, 2)


@pytest.mark.parametrize("r", [0, -1, "1/2", "x", None])
def test_negative_binomial_noise_needs_whole_r(r):
    with pytest.raises(InvalidInput, match="r="):
        NegativeBinomialDifference("1/2", r)


@pytest.mark.parametrize(
    ("l1", "l2"), [("3", "3"), ("1/1000", "1/1000"), ("7", "2"), ("300", "290")]
)
@pytest.mark.parametrize("away", [1, 5, 80])
def test_a_skellam_tail_added_up_inward_is_the_plain_sum(l1, l2, away):
    noise = SkellamNoise(l1, l2)
    k = int(noise.mean) + away
    with ctx.workprec(BITS):
        found, plain = (
            noise.at_least(k).ball(BITS),
            summed_tail(lambda j: noise._term(j, BITS), k, BITS),
        )
        assert found.overlaps(plain)
        assert found.rel_accuracy_bits() > BITS - 10
        assert plain.rel_accuracy_bits() > BITS / 2


@pytest.mark.parametrize("mean", [0, -1, "inf", "x", None, float("nan")])
def test_skellam_noise_needs_means_above_0(mean):
    with pytest.raises(InvalidInput, match="l1="):
        SkellamNoise(mean, 1)
    with pytest.raises(InvalidInput, match="l2="):
        SkellamNoise(1, mean)


@pytest.mark.parametrize("sigma2", [0, -1, "inf", "ln 3", "x", None, float("nan")])
def test_discrete_gaussian_noise_needs_a_rational_sigma2_above_0(sigma2):
    with pytest.raises(InvalidInput, match="sigma2="):
        DiscreteGaussianNoise(sigma2)


@pytest.mark.statistical
@every_law
def test_samples_follow_the_law(name):
    """A fresh seed would fail once in a million runs (chi-square tail of Laurent & Massart)."""
    noise, _ = CASES[name]
    rng = np.random.default_rng(20_240_502)
    n = 4000
    drawn = np.array([noise.sample(rng) for _ in range(n)])
    middle = round(float(noise.mean))
    cells = range(middle - 3, middle + 4)
    expected = [n * float(noise.pmf(k)) for k in cells]
    found = [int(np.sum(drawn == k)) for k in cells]
    expected += [n * float(noise.at_least(middle + 4)), n * float(1 - noise.at_least(middle - 3))]
    found += [int(np.sum(drawn > middle + 3)), int(np.sum(drawn < middle - 3))]
    kept = [i for i, e in enumerate(expected) if e >= 5]
    rest = sum(expected[i] for i in range(len(expected)) if i not in kept)
    statistic = sum((found[i] - expected[i]) ** 2 / expected[i] for i in kept)
    degrees, tail = len(kept), 14.0
    assert statistic < degrees + 2 * (degrees * tail) ** 0.5 + 2 * tail
    # Cells too rare for the chi-square: a Poisson count of mean below 45 exceeds it by 60 never.
    assert sum(found[i] for i in range(len(expected)) if i not in kept) < rest + 60


def test_tails_that_take_minutes_are_refused_at_once():
    with pytest.raises(Unsupported, match="gaussian and geometric noise of that width"):
        bounds(DiscreteGaussianNoise(Fraction(10**10)).at_least(10**6))
