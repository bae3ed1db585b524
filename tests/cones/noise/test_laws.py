"""Laws of integer noise and the Fourier recipe for any of them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat

from twoworlds.cones.kernel.vectors import primitive
from twoworlds.cones.noise.laws import (
    Approximated,
    any_law,
    cyclic_noise,
    cyclic_zero,
    law,
)
from twoworlds.cones.normal_form import inverse
from twoworlds.cones.row_cone import row_cone
from twoworlds.errors import (
    InvalidInput,
    NotStochastic,
    TooLarge,
    Undecided,
    UnknownName,
    Unsupported,
)
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


def test_the_recipe_refuses_what_is_no_law_or_too_wide():
    with pytest.raises(InvalidInput, match="must sum to 1"):
        Approximated("half", lambda k: Fraction(k == 0, 2), lambda r: Fraction(0))
    with pytest.raises(InvalidInput, match="negative"):
        Approximated("minus", lambda k: Fraction({0: 2, 1: -1}.get(k, 0)), lambda r: Fraction(0))
    with pytest.raises(TooLarge, match="lies beyond"):
        Approximated("heavy", lambda k: Fraction(k == 0), lambda r: Fraction(1, 2))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("binomal(3, 1/3)", UnknownName, "unknown mechanism"),
        ("integer-noise([1/2, 1/4])", NotStochastic, "sum to 3/4"),
    ],
)
def test_rejects_bad_laws(text, error, message):
    with pytest.raises(error, match=message):
        law(text)


# --- Noise on a cycle: Lin & Kifer, Section 5.3.3, by the general machinery of matrices ----------


UNIFORM = ["1/3", "1/3", "1/3"]


def matrix(mechanism):
    rows = mechanism.rows
    entries = [fmpq(p.numerator, p.denominator) for row in rows for p in row]
    return fmpq_mat(len(rows), len(rows[0]), entries)


@pytest.mark.parametrize("m", range(2, 11))
def test_result_uniform_noise_is_singular_exactly_when_three_divides_m(m):
    # R8
    zero = cyclic_zero(UNIFORM, m, start=-1)
    assert (zero is not None) == (m % 3 == 0)
    assert (matrix(cyclic_noise(UNIFORM, m, start=-1)).det() == 0) == (m % 3 == 0)
    assert zero is None or zero.angle == "2 pi/3"


def test_the_inverse_agrees_with_elimination():
    source = random.Random(11)
    for _ in range(30):
        m, start = source.randint(2, 9), source.randint(-3, 3)
        weights = [source.randint(0, 5) for _ in range(source.randint(1, 4))]
        if not sum(weights):
            continue
        masses = [Fraction(w, sum(weights)) for w in weights]
        noise = cyclic_noise(masses, m, start=start)
        assert (cyclic_zero(masses, m, start=start) is None) == (matrix(noise).det() != 0)
        if matrix(noise).det() == 0:
            with pytest.raises(Unsupported, match="no inverse"):
                inverse(noise)
            continue
        rows = inverse(noise).rows
        for d in range(m):  # circulant again: the row of 0, shifted
            assert rows[d] == tuple(rows[0][(o - d) % m] for o in range(m))


@pytest.mark.parametrize(
    ("masses", "m"), [(["1/10", "6/10", "3/10"], 5), (["1/4", "3/4"], 4), (UNIFORM, 4)]
)
def test_the_facets_are_those_of_the_general_machinery(masses, m):
    noise = cyclic_noise(masses, m, start=-1)
    columns = zip(*inverse(noise).rows, strict=True)
    assert set(row_cone(noise).cone.facets) == set(map(primitive, columns))


@pytest.mark.parametrize(
    ("pmf", "m", "error", "message"),
    [
        (["1/2", "1/4"], 3, NotStochastic, "sum to 3/4"),
        (["3/2", "-1/2"], 3, NotStochastic, "negative"),
        ([], 3, InvalidInput, "no values"),
        (["1"], 0, InvalidInput, "at least 1"),
        ("1/2", 3, InvalidInput, "give a list"),
        ({"a": 1}, 3, InvalidInput, "whole number"),
    ],
)
def test_rejects_bad_input(pmf, m, error, message):
    with pytest.raises(error, match=message):
        cyclic_noise(pmf, m)
