"""Noise on a cycle."""

import random
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat

from twoworlds.cones.noise.cyclic import CyclicNoise, cyclic_noise
from twoworlds.cones.row_cone import row_cone
from twoworlds.errors import InvalidInput, NotStochastic, Unsupported


def matrix(mechanism):
    rows = mechanism.rows
    entries = [fmpq(p.numerator, p.denominator) for row in rows for p in row]
    return fmpq_mat(len(rows), len(rows[0]), entries)


@pytest.mark.parametrize("m", range(2, 25))
def test_result_uniform_noise_is_singular_exactly_when_three_divides_m(m):
    # R8
    noise = CyclicNoise.of(["1/3", "1/3", "1/3"], m, start=-1)
    assert noise.singular == (m % 3 == 0)
    assert noise.singular == (matrix(noise.mechanism).det() == 0)
    assert (noise.zero is None) == (m % 3 != 0)
    if m % 3 == 0:
        assert noise.zero.angle == "2 pi/3"


def test_the_inverse_agrees_with_elimination():
    source = random.Random(11)
    for _ in range(30):
        m = source.randint(2, 9)
        weights = [source.randint(0, 5) for _ in range(source.randint(1, 4))]
        if not sum(weights):
            continue
        masses = [Fraction(w, sum(weights)) for w in weights]
        noise = CyclicNoise.of(masses, m, start=source.randint(-3, 3))
        circulant = matrix(noise.mechanism)
        if noise.singular:
            assert circulant.det() == 0
            continue
        inverse = circulant.inv()
        for d in range(m):
            for o in range(m):
                entry = noise.inverse[(d - o) % m]
                assert inverse[d, o] == fmpq(entry.numerator, entry.denominator)


def test_the_rows_are_the_rays_and_each_lies_on_all_facets_but_one():
    noise = CyclicNoise.of(["1/10", "6/10", "3/10"], 5, start=-1)
    for o, row in enumerate(noise.mechanism.rows):
        weights = noise.weights(row)
        assert weights == tuple(Fraction(k == o) for k in range(5))
        values = [sum(a * x for a, x in zip(facet, row, strict=True)) for facet in noise.facets]
        assert [value > 0 for value in values] == [k == o for k in range(5)]
        assert all(value >= 0 for value in values)


@pytest.mark.parametrize(
    ("masses", "m"),
    [(["1/10", "6/10", "3/10"], 5), (["1/4", "3/4"], 4), (["1/3", "1/3", "1/3"], 4)],
)
def test_the_facets_are_those_of_the_general_machinery(masses, m):
    noise = CyclicNoise.of(masses, m, start=-1)
    assert set(row_cone(noise.mechanism).cone.facets) == set(noise.facets)


def test_singular_noise_goes_through_the_general_machinery():
    # The transform vanishes at two of six angles, so the rows span four dimensions.
    found = row_cone(cyclic_noise(["1/3", "1/3", "1/3"], 6, start=-1))
    assert len(found.cone.equalities) == 2
    assert len(found.cone.facets) == 8
    assert found.contains([1, 1, 1, 1, 1, 1])
    assert not found.contains([1, 0, 0, 0, 0, 0])


def test_membership():
    noise = CyclicNoise.of(["1/4", "3/4"], 3)
    rows = noise.mechanism.rows
    inside = [2 * a + b for a, b in zip(rows[0], rows[2], strict=True)]
    assert noise.contains(inside)
    assert noise.contains([1, 1, 1])
    assert not noise.contains([1, 0, 0])


def test_mass_wraps_around_and_mappings_are_read():
    assert CyclicNoise.of(["1/2", "1/4", "1/4"], 2).masses == (Fraction(3, 4), Fraction(1, 4))
    assert CyclicNoise.of({-1: "1/4", 0: "3/4"}, 5).masses[4] == Fraction(1, 4)
    published = cyclic_noise(["1/4", "3/4"], 3)
    assert published.expression == "cyclic-noise([1/4, 3/4, 0], m=3)"
    assert published.probability(0, 2) == Fraction(3, 4)
    assert cyclic_noise([1], 1).probability(0, 0) == 1


def test_singular_noise_names_the_angle_and_the_way_out():
    noise = CyclicNoise.of(["1/2", "1/2"], 4)
    with pytest.raises(Unsupported, match="0 at pi") as error:
        _ = noise.facets
    assert "row_cone" in str(error.value)
    assert noise.to_dict()["zero"] == "pi"
    assert noise.to_dict()["facets"] is None
    assert CyclicNoise.of(["1/2", "1/2"], 3).to_dict()["facets"] == [
        [1, -1, 1],
        [1, 1, -1],
        [-1, 1, 1],
    ]


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
        CyclicNoise.of(pmf, m)


def test_rejects_a_row_of_the_wrong_length():
    with pytest.raises(InvalidInput, match="2 entries"):
        CyclicNoise.of([1], 3).contains([1, 2])
