"""Arithmetic and order of numbers, against balls of 600 bits computed in the test itself."""

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput, Undecided
from twoworlds.numbers import (
    INFINITY,
    Exp,
    Order,
    Real,
    Root,
    at_most_one,
    ball,
    compare,
    exp,
    ln,
    maximum,
    power,
    sqrt,
)
from twoworlds.numbers.formula import read_formula

BITS = 600
TWO = ln(Fraction(2))
SMALL = st.fractions(min_value=-20, max_value=20, max_denominator=30)
ABOVE_0 = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50)


@st.composite
def numbers_with_balls(draw):
    """A number, and the same number as a ball made by python-flint alone."""
    kind = draw(st.sampled_from(["rational", "ln", "exp", "root"]))
    with ctx.workprec(BITS):
        if kind == "rational":
            q = draw(SMALL)
            return q, _arb(q)
        if kind == "exp":
            q = draw(SMALL)
            return exp(q), _arb(q).exp()
        q = draw(ABOVE_0)
        return (ln(q), _arb(q).log()) if kind == "ln" else (sqrt(q), _arb(q).sqrt())


def _arb(q):
    q = Fraction(q)
    return arb(fmpq(q.numerator, q.denominator))


def agrees(x, expected):
    """The two enclosures overlap, and both are tight."""
    with ctx.workprec(BITS):
        found = ball(x, BITS)
        return found.overlaps(expected) and (found - expected).rad() < arb(2) ** -400


OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


@pytest.mark.parametrize("sign", OPERATIONS)
@given(data=st.data())
def test_arithmetic_agrees_with_balls(sign, data):
    (x, bx), (y, by) = data.draw(numbers_with_balls()), data.draw(numbers_with_balls())
    operation = OPERATIONS[sign]
    with ctx.workprec(BITS):
        assume(sign != "/" or not by.contains(0))
        expected = operation(bx, by)
    result = operation(x, y)
    assert isinstance(result, (Fraction, Real))
    assert agrees(result, expected)


@given(numbers_with_balls(), st.integers(-6, 6))
def test_powers_agree_with_balls(x, n):
    x, bx = x
    with ctx.workprec(BITS):
        assume(n > 0 or not bx.contains(0))
        expected = bx**n
    assert agrees(x**n, expected)


@given(numbers_with_balls())
def test_sign_changes_and_absolute_values_agree_with_balls(x):
    x, bx = x
    with ctx.workprec(BITS):
        assert agrees(-x, -bx)
        assert agrees(abs(x), abs(bx))


@given(
    st.recursive(
        numbers_with_balls(),
        lambda inner: st.tuples(st.sampled_from(sorted(OPERATIONS)), inner, inner),
        max_leaves=4,
    )
)
def test_a_formula_says_what_the_number_is(tree):
    x = _built(tree)
    assume(isinstance(x, Real) and x.formula is not None)
    with ctx.workprec(BITS):
        expected = read_formula(x.formula).ball(BITS)
        found = x.ball(BITS)
        assert found.overlaps(expected)
        assert expected.rel_accuracy_bits() > 100 or found.contains(0)


def test_a_fraction_that_is_divided_stands_in_parentheses():
    half = Fraction(1, 2) / ln(Fraction(1, 50))
    assert read_formula(half.formula).ball(BITS).overlaps(half.ball(BITS))


def _built(tree):
    if len(tree) == 2:
        return tree[0]
    sign, left, right = tree
    a, b = _built(left), _built(right)
    assume(sign != "/" or (b != 0 and not (isinstance(b, Real) and b.ball(BITS).contains(0))))
    return OPERATIONS[sign](a, b)


@pytest.mark.parametrize(
    ("x", "formula"),
    [
        (ln(Fraction(3)), "ln 3"),
        (ln(Fraction(3, 4)), "ln(3/4)"),
        (exp(Fraction(1)), "e"),
        (exp(Fraction(2)), "e^2"),
        (exp(Fraction(-1, 4)), "e^(-1/4)"),
        (1 - exp(Fraction(-1, 4)), "1 - e^(-1/4)"),
        (sqrt(Fraction(2)), "sqrt(2)"),
        (exp(ln(Fraction(3)) / 2) ** 2, "(e^(1/2*ln 3))^2"),
        (ln(Fraction(3)) ** 2, "(ln 3)^2"),
    ],
)
def test_formulas_read_as_a_person_would_write_them(x, formula):
    assert x.formula == formula


@given(SMALL)
def test_ln_undoes_exp_exactly(q):
    assert ln(exp(q)) == q
    assert type(ln(exp(q))) is Fraction


@given(ABOVE_0)
def test_exp_undoes_ln_exactly(q):
    assert exp(ln(q)) == q
    assert type(exp(ln(q))) is Fraction


@given(SMALL, SMALL)
def test_powers_of_e_multiply_symbolically(p, q):
    assert exp(p) * exp(q) == exp(p + q)
    assert exp(p) / exp(q) == exp(p - q)
    assert 1 / exp(p) == exp(-p)


@given(ABOVE_0, ABOVE_0, st.integers(-5, 5))
def test_logarithms_add_symbolically(p, q, n):
    assert ln(p) + ln(q) == ln(p * q)
    assert ln(p) - ln(q) == ln(p / q)
    assert n * ln(p) == ln(p) * n == ln(p**n)


@given(ABOVE_0)
def test_the_root_of_a_square_is_rational(q):
    assert sqrt(q * q) == q
    assert type(sqrt(q * q)) is Fraction
    assert sqrt(exp(q)) ** 2 == exp(q)


@given(ABOVE_0, st.fractions(min_value=-3, max_value=3, max_denominator=6))
def test_rational_powers_agree_with_balls(base, exponent):
    with ctx.workprec(BITS):
        expected = (_arb(base).log() * _arb(exponent)).exp()
    assert agrees(power(base, exponent), expected)
    if base != 1 and exponent.denominator != 1:
        assert isinstance(power(base, exponent), Root)
        assert power(base, exponent) ** exponent.denominator == base**exponent.numerator
        assert power(base, exponent) * power(base, -exponent) == 1


@given(numbers_with_balls(), numbers_with_balls())
def test_order_agrees_with_disjoint_balls(x, y):
    (x, bx), (y, by) = x, y
    order = compare(x, y)
    if bx < by:
        assert order is Order.LESS
    elif bx > by:
        assert order is Order.GREATER
    else:
        assert order in (Order.EQUAL, Order.UNDECIDED)
    if order is not Order.UNDECIDED:
        assert (x < y, x <= y, x > y, x >= y) == (
            order is Order.LESS,
            order is not Order.GREATER,
            order is Order.GREATER,
            order is not Order.LESS,
        )
        assert (
            compare(y, x)
            is {
                Order.LESS: Order.GREATER,
                Order.GREATER: Order.LESS,
                Order.EQUAL: Order.EQUAL,
            }[order]
        )


@pytest.mark.parametrize("digits", [20, 100, 400])
def test_precision_is_raised_until_near_numbers_are_told_apart(digits):
    near = exp(Fraction(1, 10**digits))
    assert near > 1
    assert near > 1 + Fraction(1, 10**digits)
    assert near < 1 + Fraction(1, 10**digits) + Fraction(1, 10 ** (2 * digits))


def test_equal_numbers_in_different_clothes_are_undecided_not_guessed():
    root = sqrt(Fraction(2))
    assert compare(root * root, Fraction(2)) is Order.UNDECIDED
    for question in (
        lambda: root * root < 2,
        lambda: root * root <= 2,
        lambda: root * root > 2,
        lambda: Fraction(2) >= root * root,
    ):
        with pytest.raises(Undecided, match="4096 bits"):
            question()


def test_the_limit_of_a_comparison_is_obeyed():
    near = exp(Fraction(1, 10**30))
    assert compare(near, Fraction(1), limit=64) is Order.UNDECIDED
    assert compare(near, Fraction(1), limit=256) is Order.GREATER


def test_an_enclosure_is_undecided_inside_and_decided_outside():
    x = Real.between(Fraction(1, 3), Fraction(2, 3))
    assert compare(x, Fraction(1, 2)) is Order.UNDECIDED
    assert compare(x, Fraction(1, 3)) is Order.UNDECIDED
    assert x < Fraction(7, 10)
    assert x > Fraction(3, 10)


@given(ABOVE_0, ABOVE_0)
def test_an_enclosure_holds_both_ends(a, b):
    low, high = min(a, b), max(a, b)
    x = Real.between(low, high)
    for bits in (16, 64, 300):
        with ctx.workprec(1000):
            assert (
                x.ball(bits).contains(_arb(low)) or low != high or x.ball(bits).overlaps(_arb(low))
            )
            assert x.ball(bits).lower() <= _arb(low)
            assert x.ball(bits).upper() >= _arb(high)


@given(numbers_with_balls())
def test_infinity_is_above_every_number(x):
    x, _ = x
    assert x < INFINITY
    assert not x >= INFINITY
    assert compare(x, INFINITY) is Order.LESS
    assert maximum(x, INFINITY) is INFINITY
    assert compare(INFINITY, INFINITY) is Order.EQUAL


def test_infinity_absorbs_arithmetic():
    for x in (Fraction(2), 3, ln(Fraction(3)), INFINITY):
        assert INFINITY + x == x + INFINITY == INFINITY
        assert INFINITY * x == x * INFINITY == INFINITY
    assert INFINITY * 0 == 0 * INFINITY == 0
    assert INFINITY**3 == INFINITY
    assert ln(INFINITY) == exp(INFINITY) == sqrt(INFINITY) == INFINITY
    assert float(INFINITY) == float("inf")


@given(numbers_with_balls(), numbers_with_balls())
def test_the_maximum_is_the_larger_one(x, y):
    (x, bx), (y, by) = x, y
    with ctx.workprec(BITS):
        assert agrees(maximum(x, y), bx.max(by))


def test_the_maximum_of_one_formula_twice_keeps_how_it_binds():
    first, second = (1 - exp(Fraction(-1, 2)) for _ in range(2))
    assert (1 - maximum(first, second)).formula == "e^(-1/2)"


def test_the_maximum_of_a_tie_is_an_enclosure():
    root = sqrt(Fraction(2))
    largest = maximum(root * root, Fraction(2))
    assert agrees(largest, arb(2))


@pytest.mark.parametrize("function", [ln, sqrt])
def test_functions_refuse_what_lies_outside_their_domain(function):
    with pytest.raises(InvalidInput, match="-1"):
        function(Fraction(-1))


def test_exp_refuses_what_it_cannot_write_but_not_what_is_tiny():
    with pytest.raises(InvalidInput, match="exponents up to"):
        exp(Fraction(100_001))
    tiny = exp(Fraction(-(10**9)))
    assert 0 < tiny < Fraction(1, 10**1000)


def test_numbers_of_any_length_have_logarithms_and_roots():
    big = Fraction(3) ** 10_000
    assert exp(ln(big)) == big
    assert ln(big).formula is None
    assert sqrt(big * 3).formula is None
    assert 10986 < ln(big) < 10987
    assert (big + ln(Fraction(3))).formula is None
    assert Exp(1 / big).formula is None
    assert power(big, Fraction(1, 3)).formula is None


def test_numbers_do_not_mix_with_floats_silently():
    for operation in OPERATIONS.values():
        with pytest.raises(TypeError):
            operation(ln(Fraction(3)), 0.1)
        with pytest.raises(TypeError):
            operation(0.1, ln(Fraction(3)))


@pytest.mark.parametrize(
    ("top", "bottom", "quotient"),
    [
        (TWO / 2, TWO, Fraction(1, 2)),
        (TWO, TWO, Fraction(1)),
        (TWO, 3 * TWO / 5, Fraction(5, 3)),
        (ln(Fraction(8, 27)) / 7, ln(Fraction(9, 4)), Fraction(-3, 14)),
    ],
)
def test_logarithms_that_are_multiples_of_each_other_have_a_rational_quotient(
    top, bottom, quotient
):
    assert top / bottom == quotient


def test_other_logarithms_have_an_irrational_quotient():
    assert (ln(Fraction(3)) / TWO).formula == "ln 3/(ln 2)"
    close = ln(1 + Fraction(1, 10**400))
    assert isinstance(TWO / close, Real)
    assert isinstance(close / TWO, Real)


def test_what_is_left_of_a_rest_is_the_number_itself():
    half = exp(Fraction(-1)) / 2
    assert (1 - (1 - half)).formula == half.formula
    assert (1 - at_most_one(1 - half)).formula == half.formula
    assert (3 - (1 - half)).formula == "1/2*e^(-1) + 2"


@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(3), Fraction(-2, 3)])
def test_quotients_of_sums_of_powers_of_e_are_compared_exactly(x):
    def tanh_half():
        return (exp(x) - 1) / (exp(x) + 1)

    s = tanh_half()
    assert compare(s, tanh_half()) is Order.EQUAL
    assert compare(s, (1 - exp(-x)) / (1 + exp(-x))) is Order.EQUAL
    assert compare(s, 1 - 2 / (exp(x) + 1)) is Order.EQUAL
    assert compare(((1 + s) / (1 - s)) ** 2, exp(2 * x)) is Order.EQUAL
    assert compare(s, tanh_half() + Fraction(1, 10**60)) is Order.LESS
    assert compare(s * (1 + exp(Fraction(-300))), s) is not Order.EQUAL
    assert compare(1 + power(Fraction(2), Fraction(1, 2)), 1 + exp(Fraction(1, 2))) is Order.LESS
    assert compare(exp(Fraction(1)) + ln(Fraction(2)), ln(Fraction(2)) + exp(Fraction(1))) is (
        Order.UNDECIDED
    )


def test_a_long_sum_is_worked_out_however_long_it_is():
    terms = [ln(Fraction(1)) + exp(Fraction(1, k)) for k in range(1, 5001)]
    total = sum(terms[1:], start=terms[0])
    assert float(total) == pytest.approx(sum(map(float, terms)))
    assert float(sum(terms[:10])) == pytest.approx(sum(map(float, terms[:10])))
