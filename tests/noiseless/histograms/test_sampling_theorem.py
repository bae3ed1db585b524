"""Theorem 10: the counterexample to print, and the corrected bound against all tables."""

from fractions import Fraction
from math import comb, exp, log
from random import Random

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.noiseless import size_condition, truncated_histogram
from twoworlds.noiseless.histograms.shared import SharedBins
from twoworlds.noiseless.histograms.size_condition import (
    proven_threshold,
    sampling_tails,
    theorem_10,
)
from twoworlds.noiseless.histograms.size_laws import size_law
from twoworlds.numbers import bounds, number


def brute_delta(others, share, threshold, ratio):
    """Delta of two bins, all of the other one's count revealed; ``others`` is the law of M."""
    real, ideal = {}, {}
    for m, p in others.items():
        for b in range(m + 1):
            w = p * comb(m, b) * share**b * (1 - share) ** (m - b)
            for table, count in ((real, b + 1), (ideal, b)):
                shown = count if count >= threshold else 0
                table[shown, m - b] = table.get((shown, m - b), 0) + w
    keys = {*real, *ideal}
    there = sum(max(0, real.get(t, 0) - ratio * ideal.get(t, 0)) for t in keys)
    back = sum(max(0, ideal.get(t, 0) - ratio * real.get(t, 0)) for t in keys)
    return max(there, back)


def failure(others, ratio):
    """The probability that M, or M + 1, is a size at which the law jumps by more than the ratio."""
    jumps = {
        m
        for m in range(max(others) + 2)
        if not others.get(m - 1, 0) / ratio <= others.get(m, 0) <= others.get(m - 1, 0) * ratio
    }
    return max(sum(p for m, p in others.items() if m + shift in jumps) for shift in (0, 1))


@pytest.mark.parametrize("seed", range(12))
def test_the_corrected_bound_holds_for_random_laws_of_the_size(seed):
    """Smooth laws of the number of others, with a few sizes at which they jump."""
    random = Random(seed)
    most, k = random.randint(20, 40), random.randint(6, 12)
    weights, here = {}, 1.0
    for m in range(most + 1):
        here *= exp(random.uniform(-0.3, 0.3)) * (8 if random.random() < 0.08 else 1)
        weights[m] = here
    others = {m: w / sum(weights.values()) for m, w in weights.items()}
    for epsilon in (0.4, 0.7, 1.0):
        tails = sampling_tails(k, number(Fraction(str(epsilon)), "epsilon"))
        if tails is None:
            continue
        bound = failure(others, exp(epsilon)) + float(tails)
        for share in (0.05, 0.2, 0.5, 0.9):
            assert brute_delta(others, share, k, exp(3 * epsilon)) <= bound + 1e-12


def test_the_bound_is_said_beside_the_exact_delta_and_is_above_it():
    size = "two-sided(centre=40, ratio=6/5, low=0, high=80)"
    found = truncated_histogram(size=size, shares="1/2, 1/2", threshold=8, ratio=8)
    assert bounds(found.delta)[1] <= bounds(found.theorem_10)[0] < Fraction(1, 2)


def test_a_place_in_the_list_has_its_own_number_of_others():
    law = size_law("two-sided(centre=40, ratio=6/5, low=0, high=80)")
    shares = (Fraction(1, 2), Fraction(1, 2))
    late = theorem_10(SharedBins(law, shares=shares, place=40), 8, Fraction(8))
    assert bounds(late)[0] > bounds(theorem_10(SharedBins(law, shares=shares), 8, Fraction(8)))[1]


@pytest.mark.parametrize("epsilon", ["1/10", "1/3", "1"])
@pytest.mark.parametrize("delta", ["1/9", "1/1000", "1e-9"])
def test_from_the_proven_threshold_on_the_tails_are_at_most_twice_delta(epsilon, delta):
    k, e = proven_threshold(epsilon, delta), number(epsilon, "epsilon")
    assert k - 1 <= 2 * log(1 / Fraction(delta)) / Fraction(epsilon) ** 2 <= k
    tails = sampling_tails(k, e)
    assert tails is not None
    assert bounds(tails)[1] <= 2 * Fraction(delta)


def test_no_constant_will_do_if_most_of_the_population_is_sampled():
    """k = 3000 is above 50 log(1/delta)/epsilon^2, and sizes pass: delta is nearly 1."""
    epsilon, delta, k = Fraction(1, 2), Fraction(1, 1000), 3000
    assert k > 50 * log(1 / delta) / epsilon**2
    rate = "99999/100000"
    sizes = size_condition(f"binomial(population=100000000, rate={rate})", epsilon=epsilon)
    assert bounds(sizes.delta)[1] <= delta
    found = truncated_histogram(k, rate=rate, threshold=k, epsilon=3 * epsilon)
    assert bounds(found.delta)[0] > Fraction(97, 100)


def test_any_simulator_fails_there():
    """The same others, in two populations: with you in the bin it shows k, without you never."""
    k, rate = 3, Fraction(99, 100)
    others = rate ** (k - 1)  # all k - 1 others of the bin are sampled: it then shows k, or 0
    ratio = Fraction(4)
    # for every simulator: P1(E) <= a S(E) + d and S(E) <= a P2(E) + d, with P2(E) = 0
    assert others / (1 + ratio) > Fraction(19, 100)
    first = truncated_histogram(k, rate=rate, threshold=k, ratio=ratio)
    assert first.delta == others
    second = truncated_histogram(k - 1, rate=rate, threshold=k, ratio=ratio)
    assert second.delta == 0


@pytest.mark.parametrize(("epsilon", "delta"), [("2", "1/100"), ("0", "1/100"), ("1", "1/2")])
def test_the_constant_is_refused_where_it_is_not_proven(epsilon, delta):
    with pytest.raises(InvalidInput, match="constant 2 is proven"):
        proven_threshold(epsilon, delta)
