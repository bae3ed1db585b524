"""Laws of integer noise."""

from __future__ import annotations

from fractions import Fraction

import pytest

from twoworlds.cones.kernel.vectors import primitive
from twoworlds.cones.noise.laws import law
from twoworlds.cones.normal_form import inverse
from twoworlds.cones.row_cone import row_cone
from twoworlds.errors import NotStochastic, UnknownName, Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    SkellamNoise,
)
from twoworlds.mechanisms import Dense
from twoworlds.worlds import Universe

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


UNIFORM = [Fraction(1, 3)] * 3


def circulant(masses, m, start=0):
    """The mechanism that adds noise on a cycle."""
    wrapped = [Fraction(0)] * m
    for place, mass in enumerate(masses, start):
        wrapped[place % m] += mass
    cycle = Universe.of(range(m), [])
    return Dense(cycle, cycle, [[wrapped[(o - d) % m] for d in range(m)] for o in range(m)])


@pytest.mark.parametrize("m", range(2, 11))
def test_result_uniform_noise_is_singular_exactly_when_three_divides_m(m):
    # R8
    noise = circulant(UNIFORM, m, -1)
    if m % 3 == 0:
        with pytest.raises(Unsupported, match="no inverse"):
            inverse(noise)
    else:
        rows = inverse(noise).rows
        for d in range(m):  # circulant again: the row of 0, shifted
            assert rows[d] == tuple(rows[0][(o - d) % m] for o in range(m))


@pytest.mark.parametrize(
    ("masses", "m"), [(["1/10", "6/10", "3/10"], 5), (["1/4", "3/4"], 4), (["1/3"] * 3, 4)]
)
def test_the_facets_are_those_of_the_general_machinery(masses, m):
    noise = circulant(map(Fraction, masses), m, -1)
    columns = zip(*inverse(noise).rows, strict=True)
    assert set(row_cone(noise).cone.facets) == set(map(primitive, columns))
