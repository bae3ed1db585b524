"""Laws of integer noise and the Fourier recipe for any of them."""

from fractions import Fraction

import pytest

from twoworlds.cones.noise.laws import Approximated, any_law, law, mixture, total
from twoworlds.errors import InvalidInput, NotStochastic, TooLarge, Undecided, UnknownName
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    SkellamNoise,
)
from twoworlds.numbers import above, below

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    "noise",
    [
        GeometricNoise(Fraction(1, 3)),
        NegativeBinomialDifference(HALF, 3),
        SkellamNoise(2, 1),
        DiscreteGaussianNoise(Fraction(3, 4)),
    ],
)
def test_laws_keep_the_probabilities_and_tails_of_their_noise(noise):
    found = law(noise)
    for k in range(-4, 5):
        assert float(found.pmf(k)) == pytest.approx(float(noise.pmf(k)), rel=1e-12)
    outside = noise.at_least(4) + noise.reflected().at_least(4)
    assert float(found.outside(3)) == pytest.approx(float(outside), rel=1e-12)


@pytest.mark.parametrize(
    "noise", [SkellamNoise(1, HALF), DiscreteGaussianNoise(HALF), GeometricNoise(Fraction(1, 16))]
)
def test_the_recipe_agrees_with_the_closed_forms(noise):
    # The recipe sees probabilities only; the closed forms come from another derivation.
    closed = law(noise).inverse()
    general = any_law("any", noise.pmf, law(noise).outside).inverse()
    for k in range(-6, 7):
        low, high = below(general.at(k)), above(general.at(k))
        assert low <= above(closed.at(k))
        assert high >= below(closed.at(k))
        assert high - low < 1e-12
    assert float(general.l1) == pytest.approx(float(closed.l1), rel=1e-12)
    assert float(general.tail(3)) == pytest.approx(float(closed.tail(3)), rel=1e-9)
    assert general.error < Fraction(1, 10**15)


def test_the_recipe_never_calls_a_zero_invertible():
    uniform = {k: Fraction(1, 3) for k in (-1, 0, 1)}
    with pytest.raises(Undecided, match="it may have a zero"):
        Approximated("uniform", lambda k: uniform.get(k, Fraction(0)), lambda r: Fraction(r < 1))
    mixed = mixture(["skellam(1, 1)", "delta(at=1)"], ["1/2", "1/2"])
    assert mixed.parts is None


def test_the_recipe_refuses_what_is_no_law_or_too_wide():
    with pytest.raises(InvalidInput, match="must sum to 1"):
        Approximated("half", lambda k: Fraction(k == 0, 2), lambda r: Fraction(0))
    with pytest.raises(InvalidInput, match="negative"):
        Approximated("minus", lambda k: Fraction({0: 2, 1: -1}.get(k, 0)), lambda r: Fraction(0))
    with pytest.raises(TooLarge, match="lies beyond"):
        Approximated("heavy", lambda k: Fraction(k == 0), lambda r: Fraction(1, 2))


def test_sums_of_rational_laws_stay_rational_and_add_the_noise():
    both = total(["geometric(p=1/2)", "geometric(p=1/2)"])
    assert both.parts is not None
    expected = NegativeBinomialDifference(HALF, 2)
    assert [both.pmf(k) for k in range(-5, 6)] == [expected.pmf(k) for k in range(-5, 6)]


def test_sums_of_poisson_differences_add_the_means():
    found = law("sum([skellam(1, 1/2), poisson(2)])")
    expected = SkellamNoise(3, HALF)
    assert float(found.pmf(2)) == pytest.approx(float(expected.pmf(2)), rel=1e-12)
    assert found.inverse().l1.formula == "e^7"


def test_the_inverse_of_a_sum_is_the_convolution_of_the_inverses():
    found = law("sum([discrete-gaussian(sigma2=1/4), skellam(1/4, 1/4)])")
    inverse = found.inverse()
    assert inverse.alternating
    a, b = law("discrete-gaussian(sigma2=1/4)").inverse(), law("skellam(1/4, 1/4)").inverse()
    for k in (-2, 0, 1):
        expected = sum(float(a.at(j)) * float(b.at(k - j)) for j in range(-40, 41))
        assert float(inverse.at(k)) == pytest.approx(expected, rel=1e-10)
    assert float(inverse.l1) == pytest.approx(float(a.l1) * float(b.l1), rel=1e-12)
    window = sum(abs(float(inverse.at(k))) for k in range(-3, 4))
    assert float(inverse.tail(3)) == pytest.approx(float(inverse.l1) - window, rel=1e-6)
    assert float(found.outside(8)) < 1e-3


def test_mixtures_weigh_their_parts():
    found = law("mixture([delta(), geometric(p=1/2), binomial(1, 1/4)], weights=[1/2, 1/4, 1/4])")
    geometric = GeometricNoise(HALF)
    for k in range(-3, 4):
        coin = {0: Fraction(3, 4), 1: Fraction(1, 4)}.get(k, Fraction(0))
        assert found.pmf(k) == HALF * (k == 0) + geometric.pmf(k) / 4 + coin / 4


def test_irrational_mixtures_follow_the_recipe():
    found = law("mixture([delta(), skellam(1/4, 1/4)], weights=[3/4, 1/4])")
    inverse = found.inverse()
    for k in range(-2, 3):
        undone = sum(float(inverse.at(j)) * float(found.pmf(k - j)) for j in range(-20, 21))
        assert undone == pytest.approx(float(k == 0), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("binomial(0, 1/2)", InvalidInput, "at least 1"),
        ("binomial(3, 3/2)", InvalidInput, "not a probability"),
        ("poisson(0)", InvalidInput, "above 0"),
        ("delta(at=1/2)", InvalidInput, "whole number"),
        ("mixture([delta()], weights=[1/2])", InvalidInput, "sum 1"),
        ("mixture([delta(), delta(at=1)], weights=[1])", InvalidInput, "one weight each"),
        ("mixture(delta())", InvalidInput, "give a list"),
        ("sum([])", InvalidInput, "give a list"),
        ("binomal(3, 1/3)", UnknownName, "unknown mechanism"),
        ("integer-noise([1/2, 1/4])", NotStochastic, "sum to 3/4"),
    ],
)
def test_rejects_bad_laws(text, error, message):
    with pytest.raises(error, match=message):
        law(text)
