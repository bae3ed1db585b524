"""Reading numbers: every form that a person may type, and a kind refusal of everything else."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    Exp,
    Log,
    Order,
    compare,
    exact_text,
    exp,
    ln,
    number,
    positive,
    probability,
    ratio_at_least_one,
    rational,
    sqrt,
    whole,
)
from twoworlds.numbers.formula import read_formula


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("3/4", Fraction(3, 4)),
        (" 3 / 4 ", Fraction(3, 4)),
        ("-3/4", Fraction(-3, 4)),
        ("6/8", Fraction(3, 4)),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("2.", Fraction(2)),
        ("+7", Fraction(7)),
        ("1e-6", Fraction(1, 10**6)),
        ("2.5E3", Fraction(2500)),
        ("1e-3/4", Fraction(1, 4000)),
        ("0.3/0.4", Fraction(3, 4)),
        ("25%", Fraction(1, 4)),
        ("12.5 %", Fraction(1, 8)),
        (3, Fraction(3)),
        (-3, Fraction(-3)),
        (Fraction(3, 4), Fraction(3, 4)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("1E+2"), Fraction(100)),
        (0.1, Fraction(1, 10)),
        (1e-6, Fraction(1, 10**6)),
        (-0.0, Fraction(0)),
        (1e300, Fraction(10**300)),
        (5e-324, Fraction(5, 10**324)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.1), Fraction(1, 10)),
        (np.int64(-7), Fraction(-7)),
        (np.uint8(255), Fraction(255)),
    ],
)
def test_every_rational_form_is_read_exactly(given_, expected):
    assert number(given_) == expected
    assert type(number(given_)) is Fraction


@pytest.mark.parametrize("text", ["ln 3", "ln3", "ln(3)", "ln ( 3 )", "log 3", "  ln 3 "])
def test_a_logarithm_is_read_symbolically(text):
    assert number(text) == Log(Fraction(3))


@pytest.mark.parametrize("text", ["e^0.5", "e^(1/2)", "exp(0.5)", "exp(1/2)", "e ^ 50%"])
def test_a_power_of_e_is_read_symbolically(text):
    assert number(text) == Exp(Fraction(1, 2))


def test_what_is_trivially_rational_becomes_rational():
    assert number("ln 1") == 0
    assert number("e^0") == 1
    assert type(number("ln 1")) is type(number("e^0")) is Fraction
    assert number("e") == Exp(Fraction(1))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_decimal_that_it_prints(x):
    assert number(x) == Fraction(repr(x)) == number(repr(x))


BAD = [
    "",
    " ",
    "abc",
    "1/2/3",
    "1//2",
    "--1",
    "1_000",
    "1e",
    "0x10",
    "1,5",
    "½",
    "٣",
    "nan",
    "-inf",
    "%",
    "5%%",
    "ln",
    "ln ln 3",
    "ln(3",
    "e^",
    "e^inf",
    "sqrt",
    "2 2",
    "ln 3/2",
    "2^ln 3",
    "(-2)^(1/2)",
    "1/(1-1)",
    float("nan"),
    float("-inf"),
    Decimal("NaN"),
    Decimal("sNaN"),
    np.float64("nan"),
    None,
    [1],
    (1, 2),
    1 + 2j,
    b"1",
    True,
    False,
    np.bool_(True),
    np.array([0.5]),
    "1/0",
    "0/0",
    "ln 0",
    "ln -1",
    "ln(-1/2)",
    "1e4001",
    "1e-99999999999999999999",
    "e^100001",
    "9" * 20_001,
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: repr(bad)[:30])
def test_what_is_no_number_is_refused_with_its_name(bad):
    with pytest.raises(InvalidInput) as caught:
        number(bad, "keep")
    message = str(caught.value)
    assert "keep" in message or "e^" in message
    assert len(message) < 300
    assert "\n" not in message


@pytest.mark.parametrize(
    "bad", ["5" + "%" * 19_000, "(" * 10_000 + "1" + ")" * 9_000, "ln " * 6000, "1/" * 9000]
)
def test_long_nonsense_is_refused_shortly(bad):
    with pytest.raises(InvalidInput) as caught:
        number(bad)
    assert len(str(caught.value)) < 300


def test_long_numbers_up_to_the_limit_are_read_exactly():
    assert number("9" * 20_000) == 10**20_000 - 1
    assert number("1e4000") == 10**4000
    assert number("1e-4000") == Fraction(1, 10**4000)
    assert number(10**5000) == 10**5000


@pytest.mark.parametrize("reader", [probability, ratio_at_least_one, positive, rational])
def test_a_refusal_never_fails_on_the_length_of_the_number(reader):
    with pytest.raises(InvalidInput) as caught:
        reader(-(10**5000)) if reader is not rational else reader(number(f"ln {10**2000}"))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("bad", ["1.2", "-1/100", 2, "1.0000000000000000000000000001", "120%"])
def test_a_probability_lies_between_0_and_1(bad):
    with pytest.raises(InvalidInput, match=r"keep=.*between 0 and 1"):
        probability(bad, "keep")


@pytest.mark.parametrize("bad", ["ln 2", "e^-1", "inf"])
def test_an_irrational_is_no_rational(bad):
    with pytest.raises(InvalidInput, match="fraction"):
        rational(bad)
    with pytest.raises(InvalidInput):
        probability(bad)


@pytest.mark.parametrize("bad", [0, -1, "inf", "ln 1", "ln(1/2)"])
def test_a_positive_number_is_finite_and_above_0(bad):
    with pytest.raises(InvalidInput, match=r"scale=.*above 0"):
        positive(bad, "scale")


@pytest.mark.parametrize("bad", [0, "1/2", "-3", "e^(-1/1000000000000)", "ln 2", 0.999])
def test_a_ratio_is_at_least_1(bad):
    with pytest.raises(InvalidInput, match="at least 1"):
        ratio_at_least_one(bad)


@pytest.mark.parametrize("bad", ["2.5", "-1", "1/2", "ln 3", "inf", True, None, "x"])
def test_a_whole_number_is_whole(bad):
    with pytest.raises(InvalidInput, match="bits="):
        whole(bad, "bits")


def test_a_whole_number_obeys_its_least_value():
    assert whole(0, "n") == 0
    with pytest.raises(InvalidInput, match="n=0 must be a whole number, at least 1"):
        whole(0, "n", at_least=1)


# --- Formulas: what we print, we read ------------------------------------------------------------


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
