"""Laplace and Gaussian noise, against integrals computed in the test.

The gap is the integral of max(0, f - a g). Its only zero is found by halving intervals, and the
smooth pieces are integrated by the Gauss-Legendre rule, so that nothing of the formulas under test
is used.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import measure, mechanism
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.event import Anything, AtLeast, AtMost, Listed, OnRecords
from twoworlds.mechanisms.continuous import Gaussian, Laplace
from twoworlds.numbers import INFINITY, Real, ball, bounds, decimal, exp, ln
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE

NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)


def laplace(scale):
    return lambda x, centre: np.exp(-np.abs(x - centre) / scale) / (2 * scale)


def gaussian(sigma):
    def density(x, centre):
        return np.exp(-(((x - centre) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))

    return density


def integral(f, ends):
    """Integrate over the pieces between the ends; each piece is smooth."""
    total = 0.0
    for a, b in pairwise(ends):
        x = (b - a) / 2 * NODES + (a + b) / 2
        total += (b - a) / 2 * float(np.sum(WEIGHTS * f(x)))
    return total


def gap(density, width, u, v, ratio):
    """The integral of max(0, density around u - ratio * density around v)."""
    low, high = min(u, v) - 40 * width, max(u, v) + 40 * width
    excess = lambda x: density(x, u) - ratio * density(x, v)  # noqa: E731
    # Its sign changes at most once: the likelihood ratio is monotone.
    grid = np.linspace(low, high, 4001)
    positive = excess(grid) > 0
    if not positive.any():
        return 0.0
    edges = [low, high, u, v]
    for i in np.flatnonzero(positive[1:] != positive[:-1]):
        a, b = grid[i], grid[i + 1]
        for _ in range(80):
            middle = (a + b) / 2
            a, b = (middle, b) if (excess(middle) > 0) == positive[i] else (a, middle)
        edges.append(a)
    steps = np.linspace(low, high, 41)
    ends = sorted({*edges, *steps})
    return integral(lambda x: np.maximum(0.0, excess(x)), ends)


RATES = st.fractions(min_value=Fraction(1, 4), max_value=3, max_denominator=8)
RATIOS = st.fractions(min_value=1, max_value=8, max_denominator=6)
SENSITIVITIES = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3)])
GROUPS = st.integers(1, 3)


def agrees(found, expected, tolerance=1e-9):
    return abs(float(found) - expected) < tolerance


def same(a, b, tolerance=Fraction(1, 10**25)):
    with ctx.workprec(200):
        return (ball(a, 200) - ball(b, 200)).abs_upper() < ball(tolerance, 200)


@given(RATES, SENSITIVITIES, GROUPS, RATIOS)
def test_the_laplace_gap_is_the_integral(scale, sensitivity, group, ratio):
    mechanism = Laplace(scale=scale, sensitivity=sensitivity)
    far = float(sensitivity * group)
    expected = gap(laplace(float(scale)), float(scale), far, 0.0, float(ratio))
    for comparison in mechanism.family(SUBSTITUTE, group):
        assert agrees(comparison.gap(ratio).delta, expected)
        assert {comparison.x, comparison.y} == {sensitivity * group, 0}


@given(RATES, SENSITIVITIES, GROUPS, RATIOS)
def test_the_gaussian_gap_is_the_integral(sigma, sensitivity, group, ratio):
    mechanism = Gaussian(sigma=sigma, sensitivity=sensitivity)
    far = float(sensitivity * group)
    expected = gap(gaussian(float(sigma)), float(sigma), far, 0.0, float(ratio))
    for comparison in mechanism.family(ADD_REMOVE, group):
        assert agrees(comparison.gap(ratio).delta, expected)


MECHANISMS = st.one_of(
    st.builds(lambda s, d: Laplace(scale=s, sensitivity=d), RATES, SENSITIVITIES),
    st.builds(lambda s, d: Laplace(rate=ln(1 + s), sensitivity=d), RATES, SENSITIVITIES),
    st.builds(lambda s, d: Gaussian(sigma=s, sensitivity=d), RATES, SENSITIVITIES),
    st.builds(lambda s, d: Gaussian(sigma2=s, sensitivity=d), RATES, SENSITIVITIES),
)


@given(MECHANISMS, GROUPS, st.one_of(RATIOS, st.builds(exp, RATES)))
def test_the_worst_event_shows_the_gap(mechanism, group, ratio):
    for comparison in mechanism.family(SUBSTITUTE, group):
        found = comparison.gap(ratio)
        above = mechanism.mass(found.event, comparison.x)
        below = mechanism.mass(found.event, comparison.y)
        assert same(above - ratio * below, found.delta)


@given(RATES, SENSITIVITIES, GROUPS)
def test_the_laplace_peak_is_shown_by_its_event(rate, sensitivity, group):
    mechanism = Laplace(rate=rate, sensitivity=sensitivity)
    comparison, found = mechanism.family(SUBSTITUTE, group).peak()
    assert found.ratio == exp(rate * sensitivity * group)
    assert found.attained
    above = mechanism.mass(found.event, comparison.x)
    below = mechanism.mass(found.event, comparison.y)
    assert same(above, found.ratio * below)
    assert comparison.gap(found.ratio).delta == 0


def test_a_logarithmic_rate_gives_an_exact_ratio():
    family = Laplace(rate="ln 3").family(SUBSTITUTE)
    assert family.peak()[1].ratio == 3
    assert family.gap(Fraction(3))[1].delta == 0
    assert same(family.gap(Fraction(1))[1].delta, 1 - 1 / Real(lambda _bits: ball(3, 300).sqrt()))
    assert Laplace(rate="ln 3").family(SUBSTITUTE, 2).peak()[1].ratio == 9


def test_the_gaussian_has_no_finite_ratio_and_shows_a_telling_event():
    for sigma in ("1/10", 1, 50):
        mechanism = Gaussian(sigma=sigma)
        comparison, found = mechanism.family(SUBSTITUTE).peak()
        assert found.ratio == INFINITY
        assert not found.attained
        above = mechanism.mass(found.event, comparison.x)
        below = mechanism.mass(found.event, comparison.y)
        assert above > 100 * below
        assert comparison.gap(INFINITY).delta == 0
        assert comparison.ratio_for(Fraction(0)) == INFINITY


@given(MECHANISMS, st.sampled_from([Fraction(1, 3), Fraction(1, 50), Fraction(1, 10**6)]))
def test_ratio_for_undoes_the_gap(mechanism, delta):
    comparison = next(iter(mechanism.family(SUBSTITUTE)))
    ratio = comparison.ratio_for(delta)
    assert ratio >= 1
    if ratio == 1:
        assert comparison.gap(Fraction(1)).delta <= delta
        return
    low, high = bounds(ratio)
    slack = Fraction(1, 10**12)
    assert comparison.gap(high * (1 + slack)).delta < delta
    assert comparison.gap(max(Fraction(1), low * (1 - slack))).delta > delta


@pytest.mark.parametrize("sigma", ["1/50", 1, 100])
@pytest.mark.parametrize("delta", ["1/1000", "1e-30"])
def test_the_loss_of_gaussian_noise_is_as_fine_as_asked(sigma, delta):
    comparison = next(iter(Gaussian(sigma=sigma).family(SUBSTITUTE)))
    loss = ball(ln(comparison.ratio_for(Fraction(delta))), 256)
    with ctx.workprec(512):
        low, high = (Fraction(str(end.fmpq())) for end in (loss.lower(), loss.upper()))
    assert 0 < high - low < Fraction(1, 2**253)
    assert comparison.gap(exp(high)).delta < Fraction(delta) < comparison.gap(exp(low)).delta


@given(RATES, st.fractions(-4, 4, max_denominator=5), st.fractions(-4, 4, max_denominator=5))
def test_half_lines_have_the_integral_of_the_density(scale, centre, threshold):
    for noise, density in (
        (Laplace(scale=scale), laplace(float(scale))),
        (Gaussian(sigma=scale), gaussian(float(scale))),
    ):
        t, c, s = float(threshold), float(centre), float(scale)
        ends = sorted({t, *np.linspace(t, max(t, c) + 40 * s, 60), max(c, t)})
        expected = integral(lambda x, d=density, c=c: d(x, c), ends)
        assert agrees(noise.mass(AtLeast(threshold), centre), expected)
        assert agrees(noise.mass(AtMost(threshold), centre), 1 - expected)
        assert agrees(noise.probability(threshold, centre), float(density(t, c)))
        assert noise.mass(Anything(), centre) == 1
        assert noise.mass(Listed.of([threshold]), centre) == 0


def test_far_tails_are_enclosed_not_lost():
    assert 0 < Laplace(scale=1).mass(AtLeast(10**7), 0) < Fraction(1, 10**4000)
    assert 0 < Gaussian(sigma=1).mass(AtLeast(10**4), 0) < Fraction(1, 10**4000)
    tiny = Gaussian(sigma=10**4).family(SUBSTITUTE).gap(exp(Fraction(10)))[1].delta
    assert 0 < Fraction(decimal(tiny)) < Fraction(1, 10**100_000)


@given(
    RATES,
    st.lists(st.tuples(*[st.fractions(-3, 3, max_denominator=4)] * 3), min_size=1, max_size=3),
)
def test_the_loss_is_the_logarithm_of_the_quotient_of_densities(scale, points):
    mechanism = Laplace(scale=scale)
    output, first, second = zip(*points, strict=True)
    density = laplace(float(scale))
    quotients = [density(float(o), float(a)) / density(float(o), float(b)) for o, a, b in points]
    expected = sum(math.log(q) for q in quotients)
    assert agrees(mechanism.loss(output, first, second), expected)
    assert agrees(mechanism.loss(output[0], first[0], second[0]), math.log(quotients[0]))


def test_an_event_of_another_kind_has_no_mass_here():
    with pytest.raises(Unsupported, match="density"):
        Laplace(scale=1).mass(OnRecords((0,), frozenset()), 0)


@pytest.mark.parametrize("bad", [0, -1, "inf", "x", float("nan"), True, [1]])
@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda bad: Laplace(scale=bad), "scale"),
        (lambda bad: Laplace(rate=bad), "rate"),
        (lambda bad: Laplace(scale=1, sensitivity=bad), "sensitivity"),
        (lambda bad: Gaussian(sigma=bad), "sigma"),
        (lambda bad: Gaussian(sigma2=bad), "sigma2"),
        (lambda bad: Gaussian(sigma=1, sensitivity=bad), "sensitivity"),
    ],
)
def test_parameters_are_finite_and_positive(build, name, bad):
    with pytest.raises(InvalidInput, match=f"{name}="):
        build(bad)


@pytest.mark.statistical
@pytest.mark.parametrize("mechanism", [Laplace(scale=2), Gaussian(sigma=2)])
def test_samples_follow_the_density(mechanism):
    """A fresh seed would fail once in a million runs (chi-square tail of Laurent & Massart)."""
    rng = np.random.default_rng(20_240_504)
    n, edges = 4000, [-3, -1, 0, 1, 2, 4]
    drawn = [float(mechanism.sample(0.5, rng)) for _ in range(n)]
    at_most = [0.0, *(float(mechanism.mass(AtMost(e), Fraction(1, 2))) for e in edges), 1.0]
    masses = np.diff(at_most)
    counts = np.histogram(drawn, bins=[-np.inf, *edges, np.inf])[0]
    statistic = float(np.sum((counts - n * masses) ** 2 / (n * masses)))
    degrees, tail = len(masses) - 1, 14.0
    assert statistic < degrees + 2 * (degrees * tail) ** 0.5 + 2 * tail


# --- Noise with a density on a count of bits is the bare noise around the count ------------------


PAIRS = [
    ("gaussian(sigma2=3)", "gaussian(sigma2=3, bits=4)"),
    ("laplace(scale=2)", "laplace(scale=2, bits=4)"),
    ("laplace(rate=ln 3)", "laplace(ratio=3, bits=4)"),
]


@pytest.mark.parametrize(("bare", "counted"), PAIRS)
def test_a_count_of_bits_costs_what_the_bare_noise_costs(bare, counted):
    a, b = measure(bare), measure(counted)
    assert a.ratio == b.ratio
    assert b.witness.verify()
    assert b.witness.output is None
    for ratio in (1, 2):
        assert bounds(measure(bare, ratio=ratio).delta) == bounds(
            measure(counted, ratio=ratio).delta
        )


def test_a_count_has_sensitivity_one():
    with pytest.raises(InvalidInput, match="sensitivity 1"):
        mechanism("gaussian(sigma=1, sensitivity=2, bits=4)")
    with pytest.raises(InvalidInput, match="bits"):
        mechanism("laplace(scale=1, bits=0)")
