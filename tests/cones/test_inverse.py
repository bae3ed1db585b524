"""The inverse of a mechanism's matrix and its columns (Lin & Kifer, Theorem 5.1)."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat

from twoworlds.cones import inverse, row_cone
from twoworlds.cones.inverse import _PRIME, Negative, _simple, quotient
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms.named import mechanism

SURVEY = "randomized-response(bits=2, keep=3/4)"


def test_the_inverse_of_randomized_response_and_its_norms():
    found = inverse(mechanism(SURVEY))
    assert found.rows[0] == (Fraction(9, 4), Fraction(-3, 4), Fraction(-3, 4), Fraction(1, 4))
    assert set(found.column_norms) == {Fraction(4)}


@pytest.mark.parametrize("text", [SURVEY, "pram([[3/5,1/7,1/7],[1/5,3/7,2/7],[1/5,3/7,4/7]])"])
def test_its_product_with_the_matrix_is_the_identity_and_its_columns_are_the_facets(text):
    built = mechanism(text)
    found = inverse(built)
    table = [[built.probability(o, x) for x in built.universe] for o in built.outputs]
    for i, row in enumerate(table):
        for j, column in enumerate(zip(*found.rows, strict=True)):
            assert sum(a * b for a, b in zip(row, column, strict=True)) == (i == j)
    facets = {inequality.coefficients for inequality in found.inequalities()}
    assert facets == set(row_cone(built).cone.facets)
    assert found.to_dict()["column_norms"] == [str(norm) for norm in found.column_norms]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("noisy-parity(bits=2, keep=3/4)", "square"),
        ("randomized-response(bits=1, keep=1/2)", "no inverse"),
    ],
)
def test_matrices_without_an_inverse_are_refused_with_the_way_out(text, said):
    with pytest.raises(Unsupported, match=said):
        inverse(mechanism(text))


def test_a_large_one_is_refused():
    with pytest.raises(TooLarge):
        inverse(mechanism("randomized-response(bits=9, keep=3/4)"))


def random_matrix(rng, height, width, largest=9):
    return fmpq_mat(
        height,
        width,
        [fmpq(rng.randint(1, largest), rng.randint(1, largest)) for _ in range(height * width)],
    )


@pytest.mark.parametrize("size", [3, 31])
def test_non_negative_quotients_are_found(size):
    rng = random.Random(size)
    for largest in (3, 10**6):  # fractions with and without a small common denominator
        base, expected = random_matrix(rng, size, size), random_matrix(rng, 2, size, largest)
        assert quotient(expected * base, base) == expected


@pytest.mark.parametrize("size", [3, 31])
@pytest.mark.parametrize("margin", [fmpq(1), fmpq(1, 10**9), fmpq(1, 10**40)])
def test_a_negative_entry_is_found_however_small(size, margin):
    rng = random.Random(size)
    base, wanted = random_matrix(rng, size, size), random_matrix(rng, 2, size)
    wanted[1, 2] = -margin
    found = quotient(wanted * base, base)
    assert isinstance(found, Negative)
    assert (found.row, found.column, found.value) == (1, 2, -margin)
    assert found.inverse == [base.inv()[d, 2] for d in range(size)]


def test_a_base_that_floats_call_singular():
    size = 31
    base = fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
    base[0, 1] = base[1, 0] = fmpq(1) - fmpq(1, 10**30)
    assert quotient(base, base) == fmpq_mat(
        size, size, [int(i == j) for i in range(size) for j in range(size)]
    )
    found = quotient(fmpq_mat(1, size, [1] + [0] * (size - 1)), base)
    assert isinstance(found, Negative)
    assert (found.row, found.column) == (0, 1)


def test_a_base_that_is_singular_modulo_the_prime_only():
    size = 31
    base = fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
    base[0, 0] = _PRIME
    assert _simple(base, base) is None
    assert quotient(base, base) == base * base.inv()
    assert _simple(base * fmpq(1, _PRIME), base) is None
