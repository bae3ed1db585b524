"""M B^-1: the guesses of floats and of a prime field never decide by themselves."""

from __future__ import annotations

import random

import pytest
from flint import fmpq, fmpq_mat

from twoworlds.cones.kernel import _inverse
from twoworlds.cones.inverse import Negative, quotient


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


@pytest.mark.parametrize("size", [2, 31])
def test_singular_bases_have_no_quotient(size):
    base = random_matrix(random.Random(1), size, size)
    for d in range(size):
        base[1, d] = base[0, d] * 2
    assert quotient(base, base) is None


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
    base[0, 0] = _inverse._PRIME
    assert _inverse._simple(base, base) is None
    assert quotient(base, base) == base * base.inv()
    assert _inverse._simple(base * fmpq(1, _inverse._PRIME), base) is None
