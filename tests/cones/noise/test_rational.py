"""Laurent series of rational functions and their zeros on the unit circle."""

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_poly

from twoworlds.cones.noise.laws import circle_zero
from twoworlds.cones.noise.rational import Rational, polynomial
from twoworlds.errors import TooLarge

ONE = fmpq_poly([1])


def poly(*coefficients):
    return polynomial([Fraction(c) for c in coefficients])


def random_masses(source, size):
    weights = [source.randint(0, 9) for _ in range(size)]
    weights[0] += 1
    weights[-1] += 1
    return [Fraction(w, sum(weights)) for w in weights]


def test_zeros_agree_with_float_root_finding():
    source = random.Random(1)
    for _ in range(200):
        masses = random_masses(source, source.randint(2, 8))
        if source.random() < 0.4:  # palindromes often have zeros on the circle
            masses = [(a + b) / 2 for a, b in zip(masses, reversed(masses), strict=True)]
        roots = np.roots([float(m) for m in reversed(masses)])
        distance = np.abs(np.abs(roots) - 1).min()
        assert (circle_zero(polynomial(masses)) is not None) == (distance < 1e-6)


@pytest.mark.parametrize("order", [2, 3, 4, 5, 6, 7, 8, 12, 30])
def test_cyclotomic_zeros_are_named_by_their_order(order):
    from flint import fmpz_poly

    zero = circle_zero(fmpq_poly(fmpz_poly.cyclotomic(order)) * poly(3, 1))
    names = {2: "pi", 4: "pi/2"}
    assert zero == names.get(order, f"2 pi/{order}")


def test_other_zeros_are_named_by_their_cosine():
    # z^2 H(z + 1/z) with H = u^2 - u - 1: roots of u are the golden ratio and its conjugate.
    zero = circle_zero(poly(1, -1, 1, -1, 1) * poly(1, 5))
    assert zero == "2 pi/10"
    irrational = circle_zero(poly(2, 1, 3, 1, 2))  # 2 u^2 + u - 1 = (2u - 1)(u + 1)
    assert irrational in ("arccos(1/4)", "2 pi/3", "arccos(-1/2)")
    quadratic = circle_zero(poly(3, 1, 3, 1, 3))  # 3 u^2 + u - 3 does not factor
    u = (-1 - 37**0.5) / 6
    assert quadratic.startswith("arccos(-0.59")
    assert float(quadratic[7:-4]) == pytest.approx(u / 2, rel=1e-11)


def test_a_root_extremely_near_the_circle_is_not_on_it():
    near = Fraction(10**30 + 1, 10**30)
    assert circle_zero(polynomial([near, Fraction(1)])) is None
    tiny = Rational(0, ONE, polynomial([near, Fraction(1)]))
    assert (tiny.low, tiny.high) == (0, None)


def test_terms_agree_with_the_discrete_fourier_transform():
    # A cross-check only: 1/transform on a fine grid, well away from zeros.
    source = random.Random(2)
    tried = 0
    while tried < 4:
        masses = random_masses(source, source.randint(2, 6))
        grid = np.fft.fft([float(m) for m in masses], 4096)
        if np.abs(grid).min() < 0.05:
            continue
        tried += 1
        expected = np.fft.ifft(1 / grid).real
        found = Rational(0, ONE, polynomial(masses))
        for k in range(-15, 16):
            assert float(found.at(k)) == pytest.approx(expected[k % 4096], abs=1e-9)
        total = np.abs(expected).sum()
        assert float(found.l1) == pytest.approx(total, rel=1e-9)
        beyond = total - np.abs(expected[:6]).sum() - np.abs(expected[-5:]).sum()
        assert float(found.tail(5)) == pytest.approx(beyond, abs=1e-8)


def test_multiple_roots_on_both_sides():
    # (1 + z/2)^2 (1 + 1/(3z))^2 has double poles inside and outside.
    square = poly(1, "1/2") ** 2 * poly("1/3", 1) ** 2
    exact = Rational(2, ONE, square)
    assert exact.exact
    for k in range(-6, 7):
        residues = exact._by_residues(k - exact.shift, 128)
        value = exact.at(k)
        assert abs(residues - float(value)) < 1e-12
    # the convolution with the finite sequence it inverts, exactly
    weights = [square[i] for i in range(5)]
    for k in range(-4, 5):
        total = sum(
            Fraction(int(w.p), int(w.q)) * exact.at(k - (i - 2)) for i, w in enumerate(weights)
        )
        assert total == (k == 0)


def test_erratum_formal_inverses_are_not_unique():
    # E11: Bernoulli(3/4) has the causal 4 (-3)^k and the valid anticausal (4/3)(-1/3)^k.
    coin = poly("1/4", "3/4")
    causal = [4 * Fraction(-3) ** k for k in range(5)]
    undone = [
        Fraction(1, 4) * a + Fraction(3, 4) * b for a, b in zip(causal, [0, *causal], strict=False)
    ]
    assert undone == [1, 0, 0, 0, 0]
    valid = Rational(0, ONE, coin)
    assert (valid.low, valid.high) == (None, -1)
    assert [valid.at(-1 - k) for k in range(5)] == [
        Fraction(4, 3) * Fraction(-1, 3) ** k for k in range(5)
    ]
    assert valid.l1 == 2


def test_a_large_degree_is_refused_with_the_way_out():
    with pytest.raises(TooLarge, match="fewer values"):
        circle_zero(fmpq_poly([1] + [0] * 700 + [1]))


@pytest.mark.parametrize(
    "denominator",
    [
        poly(1, "1/2") * poly(1, "1/3") ** 2,  # a simple pole dominates a double one, outside
        poly("1/2", 1) * poly("1/3", 1) ** 2,  # and inside
        poly(1, "-1/2") * poly(1, "1/3") ** 3,  # without alternation in the end
        poly(1, "1/2") * poly("-1/3", 1) ** 2,
    ],
)
def test_settled_signs_repeat_for_ever(denominator):
    found = Rational(0, ONE, denominator)
    first, last = found.settled
    for end, step in ((last, 1), (first, -1)):
        near = [found.sign(end + step * i) for i in range(4)]
        far = [found.sign(end + step * (200 + i)) for i in range(4)]
        assert near == far
    window = sum(abs(found.at(k)) for k in range(-150, 151))
    assert float(found.l1) == pytest.approx(float(window), rel=1e-12)
