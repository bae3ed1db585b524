"""Laws of the sample size: exact masses, and the condition of Eq (2) with its errata."""

from dataclasses import replace
from fractions import Fraction
from math import exp, factorial

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.noiseless import size_condition, size_law
from twoworlds.noiseless.histograms.size_laws import (
    binomial,
    discarded,
    masses,
    poisson,
    two_sided,
)
from twoworlds.numbers import Real, bounds
from twoworlds.numbers import exp as e_to

RATIONAL = [
    "binomial(population=12, rate=3/10)",
    "two-sided(centre=4, ratio=3/2, low=1, high=9)",
    "two-sided(centre=9, ratio=2, low=1, high=5)",
    "discarded(size=9, ratio=3/2, delta=1/5)",
    "discarded(size=3, ratio=3/2, delta=1/100)",
    "discarded(size=1, ratio=2, delta=1/10)",
    "discarded(size=2, ratio=2, delta=1/10)",
    "discarded(size=5, ratio=3, shift=0)",
    "fixed(size=4)",
    "masses(0=1/10, 3=4/10, 4=1/2)",
]


def laplace(ratio, value):
    return (ratio - 1) / (ratio + 1) * ratio ** -abs(value)


@pytest.mark.parametrize("text", RATIONAL)
def test_finite_laws_sum_to_one_and_agree_with_their_half_lines(text):
    law = size_law(text)
    listed = [law.mass(n) for n in range(law.last + 2)]
    assert sum(listed) == 1
    assert law.mass(-1) == 0
    for n in range(-1, law.last + 3):
        assert law.at_least(n) == sum(listed[max(n, 0) :])
    assert law.mass(law.first) > 0
    assert law.mass(law.last) > 0


def test_two_sided_sizes_below_zero_are_zero():
    for centre in (0, 1, 4):
        law, a = two_sided(centre, 2), Fraction(2)
        # Everything that is left out below -40 is a geometric series.
        negative = sum(laplace(a, n - centre) for n in range(-39, 1))
        rest = laplace(a, -40 - centre) * 2
        assert law.mass(0) == negative + rest
        assert law.mass(centre + 3) == laplace(a, 3)
        assert sum(law.mass(n) for n in range(centre + 5)) + law.at_least(centre + 5) == 1


def test_a_discarded_sample_follows_its_definition():
    law, a = discarded(10, "3/2", delta="1/5"), Fraction(3, 2)
    assert law.discards[2] == 4  # (3/2)^-4 = 16/81 <= 1/5 < (3/2)^-3
    for n in range(1, 10):
        assert law.mass(n) == laplace(a, 10 - n - 4)
    assert law.mass(10) == sum(laplace(a, -4 - j) for j in range(60)) + laplace(a, -64) * 3


def test_discarding_alters_at_most_twice_the_shift_but_for_half_of_delta():
    # Erratum 22: the paper's "at most 2 log(1/delta)/epsilon" holds with this probability only.
    for ratio in ("11/10", "3/2", "3"):
        for delta in ("1/10", "1/1000"):
            law = discarded(10**4, ratio, delta=delta)
            more = 1 - law.at_least(10**4 - 2 * law.discards[2])
            assert 0 < more <= Fraction(delta) / 2


def test_discarding_passes_the_condition_with_the_delta_it_was_made_for():
    for ratio in ("101/100", "3/2", "8/5", "17/10", "3"):
        for delta in ("1/10", "1/1000"):
            law = discarded(10**4, ratio, delta=delta)
            assert size_condition(law, ratio=ratio, delta=delta)


@pytest.mark.parametrize("text", RATIONAL)
@pytest.mark.parametrize("ratio", ["1", "3/2", "2", "7"])
def test_the_condition_agrees_with_the_definition(text, ratio):
    law, a = size_law(text), Fraction(ratio)
    p = [law.mass(n) for n in range(-1, law.last + 3)]  # p[n + 1] is the mass at n
    bad = []
    for n in range(law.last + 2):
        here, before = p[n + 1], p[n]
        if (here or before) and not (before and 1 / a <= here / before <= a):
            bad.append(n)
    found = size_condition(law, ratio=a)
    assert found.failure == sum(p[n + 1] for n in bad)
    assert found.failure_plus_one == sum(p[n] for n in bad)
    assert found.delta == max(found.failure, found.failure_plus_one)
    ups = sum(max(Fraction(0), p[n + 1] - a * p[n]) for n in range(law.last + 2))
    downs = sum(max(Fraction(0), p[n] - a * p[n + 1]) for n in range(law.last + 2))
    assert found.distance == max(ups, downs) <= found.delta


@pytest.mark.parametrize("centre", [0, 1, 2, 6])
def test_endless_two_sided_sizes_fail_where_they_should(centre):
    a = Fraction(3, 2)
    law = two_sided(centre, a)
    # At its own ratio only the ends fail; below it everything does.
    fails = size_condition(law, ratio=a)
    p = [law.mass(n) for n in range(4)]
    bad = [0] + ([1] if not (1 / a <= p[1] / p[0] <= a) else [])
    assert fails.failure == sum(p[n] for n in bad)
    assert size_condition(law, ratio="5/4").failure == 1


def test_erratum_19_the_condition_under_n_alone_does_not_make_n_and_n_plus_one_alike():
    a, m = Fraction(3, 2), 40
    total = sum(a**n for n in range(m + 1))
    law = masses({n: a**n / total for n in range(m + 1)})
    found = size_condition(law, ratio=a)
    assert found.failure == 1 / total
    assert found.failure < Fraction(31, 10**9)
    assert found.distance == found.failure_plus_one == a**m / total
    assert float(found.distance) == pytest.approx(0.3333, abs=1e-4)
    assert found.delta == found.failure_plus_one
    assert not size_condition(law, ratio=a, delta="1e-7")


@pytest.mark.parametrize(
    ("population", "rate", "epsilon", "exact"),
    [
        (200, "1/2", 0.2, 0.158165345200941),
        (200, "99/100", 0.2, 0.729333990185935),
        (1000, "999/1000", 1, 0.264241086969813),
    ],
)
def test_lemma_2_for_binomial_sizes_needs_the_variance(population, rate, epsilon, exact):
    found = size_condition(binomial(population, rate), epsilon=epsilon)
    assert float(found.failure) == pytest.approx(exact, abs=1e-12)
    assert found.failure <= found.chernoff


def test_erratum_20_a_poisson_size_of_mean_1000():
    found = size_condition("poisson(mean=1000)", epsilon="1/10")
    assert float(found.failure) == pytest.approx(0.001599, abs=1e-6)
    assert found.failure > e_to(Fraction(-10))
    assert size_condition("poisson(mean=2)", epsilon=5).failure >= e_to(Fraction(-2))


@pytest.mark.parametrize("epsilon", ["1/20", "1/5", "1", "2"])
@pytest.mark.parametrize(
    "law", ["poisson(mean=3)", "poisson(mean=400)", "binomial(population=300, rate=1/10)",
            "binomial(population=80, rate=9/10)", "binomial(population=1, rate=1/2)"]
)  # fmt: skip
def test_corrected_bounds_hold_under_both_sizes(law, epsilon):
    found = size_condition(law, epsilon=epsilon)
    assert bounds(found.failure)[0] <= bounds(found.chernoff)[1]
    assert bounds(found.failure_plus_one)[0] <= bounds(found.chernoff_plus_one)[1]


def test_poisson_failures_are_the_series():
    mean, epsilon = 7, 0.6
    found = size_condition(poisson(mean), epsilon="3/5")
    p = [exp(-mean) * mean**n / factorial(n) for n in range(80)]
    bad = [n for n in range(80) if n == 0 or not exp(-epsilon) <= mean / n <= exp(epsilon)]
    assert float(found.failure) == pytest.approx(sum(p[n] for n in bad), rel=1e-12)
    more = sum(p[n - 1] for n in bad if n)
    assert float(found.failure_plus_one) == pytest.approx(more, rel=1e-12)


def test_irrational_ratios_are_decided_exactly():
    # The law moves by exactly e^(1/2): not a failure, although no rational can say so.
    ranged = size_condition("two-sided(centre=30, ratio=e^0.5, low=10, high=50)", epsilon=0.5)
    ends = ranged.values["failure"]
    assert isinstance(ends, Real)
    weights = [exp(-0.5 * abs(n - 30)) for n in range(10, 51)]
    assert float(ends) == pytest.approx(weights[0] / sum(weights), rel=1e-12)
    dropped = size_condition("discarded(size=1000, ratio=e^0.5, delta=1e-6)", epsilon=0.5)
    assert bounds(dropped.delta)[1] <= Fraction(1, 10**6)


def test_the_witness_says_where_the_condition_fails():
    found = size_condition("binomial(population=20, rate=1/2)", ratio=2)
    # (21 - n)/n lies between 1/2 and 2 for n from 7 to 14.
    assert found.witness.to_dict()["fails_at"] == [[0, 6], [15, 21]]
    assert found.witness.event.endswith("n = 0 to 6, 15 to 21")
    assert not replace(found.witness, probabilities=(Fraction(1, 2), Fraction(1, 2))).verify()
    endless = size_condition("two-sided(centre=3, ratio=3)", ratio=2)
    assert "4 and above" in endless.witness.event
    many = size_condition("masses(0=1/5, 2=1/5, 4=1/5, 6=1/5, 8=1/5)", ratio=2)
    assert "more" in many.witness.event


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("binomial(population=50, rate=0)", "strictly between 0 and 1"),
        ("binomial(population=50, rate=1)", "strictly between 0 and 1"),
        ("binomial(population=50, rate=3/2)", "strictly between 0 and 1"),
        ("binomial(population=0, rate=1/2)", "population=0"),
        ("binomial(population=2.5, rate=1/2)", "whole number"),
        ("binomial(population=50)", "needs the argument 'rate'"),
        ("poisson(mean=-1)", "above 0"),
        ("poisson(mean=0)", "above 0"),
        ("poisson(mean=ln 2)", "irrational"),
        ("two-sided(centre=3, ratio=1)", "above 1"),
        ("two-sided(centre=3, ratio=inf)", "above 1"),
        ("two-sided(centre=3, ratio=2, low=1)", "both ends"),
        ("two-sided(centre=3, ratio=2, low=5, high=1)", "range"),
        ("discarded(size=10, ratio=2)", "needs delta"),
        ("discarded(size=10, ratio=2, delta=0)", "no finite number"),
        ("discarded(size=10, ratio=2, delta=1/2, shift=3)", "not both"),
        ("fixed(size=0)", "at least 1"),
        ("masses(1=1/2)", "sum to"),
        ("masses(1=1/2, 1=1/2)", "twice"),
        ("masses(1=3/2, 2=-1/2)", "less than 0"),
        ("masses(1)", "size=probability"),
    ],
)
def test_laws_refuse_bad_input(text, said):
    with pytest.raises(InvalidInput, match=said):
        size_law(text)
