"""Formulas: what we print, we read."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Exp, Log, Order, compare, exact_text, exp, ln, number, sqrt
from twoworlds.numbers.formula import read_formula

small = st.fractions(min_value=Fraction(1, 20), max_value=20, max_denominator=20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 ln 3", Log(Fraction(9))),
        ("2*ln 3", Log(Fraction(9))),
        ("-ln 2", Log(Fraction(1, 2))),
        ("ln(3/2) + ln 2", Log(Fraction(3))),
        ("e^(1/2)*e^(1/2)", Exp(Fraction(1))),
        ("2^(1/2)*2^(1/2)", Fraction(2)),
        ("sqrt(9/4)", Fraction(3, 2)),
        ("(1 + 2)*3 - 4/8", Fraction(17, 2)),
        ("2(3 + 4)", Fraction(14)),
        ("exp(ln 3)", Fraction(3)),
        ("100*ln 1000000", Log(Fraction(10) ** 600)),
    ],
)
def test_a_formula_is_read_exactly(text, expected):
    assert number(text) == expected


def test_a_long_logarithm_keeps_a_short_formula():
    assert number("100*ln 1000000").formula == "100*ln 1000000"


@given(small, small, small)
def test_what_is_printed_reads_back(a, b, c):
    for x in (ln(a), exp(b), sqrt(c), a - b * exp(c), exp(a) / (1 + exp(a)), sqrt(a) + ln(b)):
        text = exact_text(x)
        if text is not None:
            assert compare(number(text), x, limit=256) in (Order.EQUAL, Order.UNDECIDED)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("1 +", "ends too early"),
        ("(1", "not closed"),
        ("1)", "left over"),
        ("ln 3/2", "ambiguous"),
        ("--1", "two signs"),
        ("1/(2-2)", "divides by zero"),
        ("2^(ln 3)", "rational exponent"),
        ("3 $ 4", "not part of a formula"),
        ("(" * 50 + "1" + ")" * 50, "nested too deeply"),
        ("1+" * 300 + "1", "too long"),
    ],
)
def test_what_is_no_formula_says_why(bad, said):
    with pytest.raises(InvalidInput, match=said):
        read_formula(bad)
