"""Noise on a cycle: Lin & Kifer, Section 5.3.3, by the general machinery of matrices."""

import random
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat

from twoworlds.cones.inverse import inverse
from twoworlds.cones.kernel.vectors import primitive
from twoworlds.cones.noise.laws import cyclic_noise, cyclic_zero
from twoworlds.cones.row_cone import row_cone
from twoworlds.errors import InvalidInput, NotStochastic, Unsupported

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


def test_singular_noise_needs_no_inverse():
    # The transform vanishes at two of six angles, so the rows span four dimensions.
    found = row_cone(cyclic_noise(UNIFORM, 6, start=-1))
    assert (len(found.cone.equalities), len(found.cone.facets)) == (2, 8)
    assert found.contains([1, 1, 1, 1, 1, 1])
    assert not found.contains([1, 0, 0, 0, 0, 0])


def test_mass_wraps_around_and_mappings_are_read():
    assert cyclic_noise(["1/2", "1/4", "1/4"], 2).probability(0, 0) == Fraction(3, 4)
    assert cyclic_noise({-1: "1/4", 0: "3/4"}, 5).probability(4, 0) == Fraction(1, 4)
    assert cyclic_noise([1], 1).probability(0, 0) == 1


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
