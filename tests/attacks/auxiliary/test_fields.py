"""Fields: against trial division and counting."""

import pytest

from twoworlds.attacks.auxiliary.fields import (
    bch_generator,
    divided,
    irreducible,
    is_irreducible,
    minimal_polynomial,
    multiply,
    polynomial_text,
    primitive,
    product,
    read_polynomial,
)
from twoworlds.errors import InvalidInput


def test_irreducible_means_without_divisors():
    for polynomial in range(2, 1 << 9):
        half = range(2, 1 << (polynomial.bit_length() + 1) // 2)
        divisors = [d for d in half if d < polynomial and divided(polynomial, d)[1] == 0]
        assert is_irreducible(polynomial) == (not divisors), polynomial_text(polynomial)


def test_division_gives_back_the_product():
    for first in range(1, 64):
        for second in range(1, 64):
            quotient, remainder = divided(first, second)
            assert product(quotient, second) ^ remainder == first
            assert remainder.bit_length() < second.bit_length()


@pytest.mark.parametrize("degree", [2, 3, 4, 5])
def test_multiplication_makes_a_field(degree):
    modulus = irreducible(degree)
    size = 1 << degree
    for a in range(1, size):
        assert sorted(multiply(a, b, modulus) for b in range(size)) == list(range(size))
        for b in range(size):
            assert multiply(a, b, modulus) == multiply(b, a, modulus)
            assert multiply(a, b ^ 1, modulus) == multiply(a, b, modulus) ^ a


def test_powers_of_a_primitive_element_are_everything_but_zero():
    modulus = primitive(6)
    power, seen = 1, set()
    for _ in range(63):
        seen.add(power)
        power = multiply(power, 2, modulus)
    assert seen == set(range(1, 64))


def test_minimal_polynomials_vanish_and_have_coefficients_zero_and_one():
    modulus = primitive(4)
    for exponent in range(15):
        root = divided(1 << exponent, modulus)[1]
        polynomial = minimal_polynomial(exponent, modulus)
        value = 0
        for i in reversed(range(polynomial.bit_length())):
            value = multiply(value, root, modulus) ^ (polynomial >> i & 1)
        assert value == 0
        assert is_irreducible(polynomial)


def test_reference_the_generator_of_the_bch_code():
    assert bch_generator(4, 2) == read_polynomial("x^8+x^7+x^6+x^4+1", "g")


@pytest.mark.parametrize("text", ["x^2+x+1", "1", "x", "x^100+1"])
def test_polynomials_are_read_as_they_are_written(text):
    assert polynomial_text(read_polynomial(text, "p")) == text


@pytest.mark.parametrize("text", ["", "x^", "2x+1", "y", "x^999+1", "x^200", "-1"])
def test_what_is_no_polynomial_is_refused(text):
    with pytest.raises(InvalidInput, match=r"polynomial|degrees"):
        read_polynomial(text, "polynomial")
