"""Printing: every decimal and every float lies on the promised side of the number."""

import decimal as context
import json
import math
import sys
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    INFINITY,
    Order,
    Real,
    above,
    at_most_one,
    below,
    bounds,
    compare,
    decimal,
    exact_text,
    exp,
    ln,
    positive_part,
    show,
    sqrt,
    to_json,
)

BITS = 3000
RATIONALS = st.one_of(
    st.fractions(),
    st.builds(
        lambda q, n: q * Fraction(10) ** n,
        st.fractions(max_denominator=1000),
        st.integers(-400, 400),
    ),
)
IRRATIONALS = st.one_of(
    st.builds(ln, st.fractions(min_value=Fraction(1, 10**6)).filter(lambda q: q not in (0, 1))),
    st.builds(exp, st.fractions(min_value=-900, max_value=900).filter(bool)),
    st.builds(lambda q: 1 - exp(-q), st.fractions(max_value=100).filter(lambda q: q > 0)),
    st.builds(lambda n: 1 - exp(-Fraction(1, 10**n)), st.integers(1, 100)),
    st.builds(lambda n: ln(1 + Fraction(1, 10**n)), st.integers(1, 100)),
    st.builds(
        lambda n: sqrt(Fraction(n)),
        st.integers(2, 99).filter(lambda n: n not in (4, 9, 16, 25, 36, 49, 64, 81)),
    ),
)
NUMBERS = st.one_of(RATIONALS, IRRATIONALS)


def sides(x):
    """Very tight rational bounds of the number, made without the code under test."""
    if isinstance(x, Fraction):
        return x, x
    with ctx.workprec(BITS):
        value = x.ball(BITS)
        return _exact(value.lower()), _exact(value.upper())


def _exact(point):
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def one_unit(text, digits):
    """One unit in the last of so many significant digits of a decimal."""
    value = context.Decimal(text)
    return Fraction(10) ** (value.adjusted() - digits + 1) if value else Fraction(0)


@given(NUMBERS, st.integers(1, 45))
def test_a_decimal_lies_on_the_promised_side_and_is_tight(x, digits):
    low, high = sides(x)
    up, down = decimal(x, digits, side="up"), decimal(x, digits, side="down")
    assert Fraction(down) <= low <= high <= Fraction(up)
    # Never more than one unit away (ten where a carry adds a digit).
    assert Fraction(up) - high < 10 * one_unit(up, digits) or Fraction(up) == high
    assert Fraction(up) - Fraction(down) <= 2 * one_unit(
        max(up, down, key=lambda t: abs(Fraction(t))), digits
    )


@given(NUMBERS, st.integers(1, 12))
def test_the_precision_that_the_caller_set_for_decimals_does_not_matter(x, digits):
    expected = decimal(x, digits, side="up"), decimal(x, digits, side="down")
    with context.localcontext() as local:
        local.prec = 2
        local.rounding = context.ROUND_DOWN
        assert (decimal(x, digits, side="up"), decimal(x, digits, side="down")) == expected


@given(NUMBERS)
def test_neighbouring_floats_enclose_the_number(x):
    low, high = sides(x)
    lower, upper = below(x), above(x)
    assert lower == -math.inf or Fraction(lower) <= low
    assert upper == math.inf or Fraction(upper) >= high
    assert upper in (lower, math.nextafter(lower, math.inf))


@given(NUMBERS)
def test_bounds_enclose_and_keep_the_leading_digits(x):
    low, high = bounds(x)
    least, most = sides(x)
    assert low <= least <= most <= high
    assert high - low <= abs(least) * Fraction(1, 2**50)


@given(IRRATIONALS, st.integers(1, 12))
def test_what_is_printed_does_not_depend_on_what_was_asked_before(x, digits):
    first = decimal(x, digits), decimal(x, digits, side="down")
    x.ball(2 * BITS)  # now a tighter ball is known
    assert (decimal(x, digits), decimal(x, digits, side="down")) == first


@pytest.mark.parametrize("n", [30, 100, 300, 1000])
def test_tiny_numbers_keep_relative_accuracy(n):
    tiny = Fraction(1, 10**n)
    x = 1 - exp(-tiny)  # = t - t^2/2 + ..., between t - t^2/2 and t
    low, high = bounds(x)
    assert tiny - tiny**2 / 2 <= high
    assert low <= tiny
    assert high - low <= tiny / 2**50
    assert decimal(x) == f"1e-{n}" or n == 1000
    assert Fraction(decimal(x)) >= tiny - tiny**2 / 2


@pytest.mark.parametrize(
    ("x", "up", "down"),
    [
        (Fraction(1, 3), "0.333334", "0.333333"),
        (Fraction(-1, 3), "-0.333333", "-0.333334"),
        (Fraction(1, 4), "0.25", "0.25"),
        (Fraction(0), "0", "0"),
        (Fraction(999_999_999), "999999999", "999999999"),
        (Fraction(12_345_678_901), "1.23457e10", "1.23456e10"),
        (Fraction(1, 10**5), "0.00001", "0.00001"),
        (Fraction(1, 10**6), "1e-6", "1e-6"),
        (Fraction(1, 10**7), "1e-7", "1e-7"),
        (Fraction(100), "100", "100"),
        (Fraction(1_000_001, 1_000_000), "1.00001", "1"),
        (INFINITY, "infinity", "infinity"),
    ],
)
def test_decimals_read_as_a_person_writes_them(x, up, down):
    assert decimal(x) == up
    assert decimal(x, side="down") == down


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (Fraction(3), "3"),
        (Fraction(1, 3), "1/3 (0.333333)"),
        (ln(Fraction(3)), "ln 3 (1.09861)"),
        (exp(Fraction(1, 2)), "e^(1/2) (1.64872)"),
        (1 - exp(Fraction(-1, 4)), "1 - e^(-1/4) (0.221199)"),
        (INFINITY, "infinity"),
        (Fraction(1, 3**60), decimal(Fraction(1, 3**60), side="about")),
    ],
)
def test_the_exact_form_comes_first_while_it_is_short(x, text):
    assert show(x) == text


@given(st.fractions(min_value=-9, max_value=9), st.integers(1, 8))
def test_beside_its_exact_form_a_number_is_rounded_to_the_nearest_decimal(x, digits):
    near = Fraction(decimal(x, digits, "nearest"))
    others = [Fraction(decimal(x, digits, side)) for side in ("up", "down")]
    assert near in others
    assert abs(near - x) == min(abs(other - x) for other in others)


def test_a_rational_of_very_many_digits_is_rounded_to_the_nearest_too():
    long = Fraction(10**3000 + 1, 3 * 10**3000)
    assert decimal(long, 3, "nearest") == "0.333"
    assert decimal(2 * long, 3, "nearest") == "0.667"
    assert decimal(2 * long, 3, "down") == "0.666"


@pytest.mark.parametrize("n", [400, 5000, 100_000])
def test_numbers_beyond_every_float_are_printed(n):
    big = Fraction(10) ** n
    assert (below(big), above(big)) == (math.nextafter(math.inf, 0), math.inf)
    assert (below(-big), above(-big)) == (-math.inf, -math.nextafter(math.inf, 0))
    assert (below(1 / big), above(1 / big)) == (0.0, 5e-324)
    assert decimal(big) == f"1e{n}"
    assert decimal(1 / big) == f"1e-{n}"
    assert len(exact_text(big)) == n + 1
    assert to_json(big)["value"] is None
    assert to_json(1 / big)["value"] == 0.0


def test_unimaginably_small_numbers_are_bounded_without_writing_them_out():
    x = exp(Fraction(-(10**15)))
    low, high = bounds(x)
    assert 0 <= low <= high < Fraction(1, 10**100_000)
    assert (below(x), above(x)) == (0.0, 5e-324)
    assert (below(-x), above(-x)) == (-5e-324, 0.0)
    assert Fraction(decimal(x)) > 0
    assert decimal(x, side="down") == "0"
    assert Fraction(decimal(-x, side="down")) < 0
    assert decimal(-x) == "0"


def test_unimaginably_large_numbers_are_refused_kindly():
    with pytest.raises(InvalidInput, match="give a smaller one"):
        bounds(exp(sqrt(Fraction(2)) * 10**15))


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (Fraction(3, 4), {"exact": "3/4", "value": 0.75}),
        (Fraction(3), {"exact": "3", "value": 3.0}),
        (Fraction(1, 3), {"exact": "1/3", "value": 1 / 3}),
        (INFINITY, {"exact": "inf", "value": None}),
    ],
)
def test_json_of_an_exact_number_is_its_text_and_its_float(x, expected):
    assert to_json(x) == expected


@given(IRRATIONALS)
def test_json_of_an_irrational_holds_its_enclosure(x):
    low, high = sides(x)
    shown = json.loads(json.dumps(to_json(x), allow_nan=False))
    assert set(shown) == {"exact", "value", "lower", "upper"}
    assert shown["exact"] == x.formula
    assert Fraction(shown["lower"]) <= low
    assert shown["upper"] is None or Fraction(shown["upper"]) >= high
    assert shown["value"] == shown["upper"]
    assert to_json(x, side="down")["value"] == shown["lower"]


def test_json_of_a_mere_enclosure_has_no_exact_form():
    shown = to_json(Real.between(Fraction(1, 3), Fraction(2, 3)))
    assert shown["exact"] is None
    assert Fraction(shown["lower"]) <= Fraction(1, 3)
    assert Fraction(shown["upper"]) >= Fraction(2, 3)


@given(RATIONALS)
def test_json_of_a_rational_reads_back_exactly(x):
    assert Fraction(to_json(x)["exact"]) == x


@given(IRRATIONALS)
def test_a_float_of_a_number_is_near(x):
    if math.isinf(float(x)):
        assert sides(x)[1] > Fraction(sys.float_info.max)
        return
    with ctx.workprec(BITS):
        exact = x.ball(BITS)
        assert abs(arb(float(x)) - exact) <= abs(exact) * arb(fmpq(1, 2**50)) + arb(2) ** -1070


def test_a_probability_next_to_one_is_enclosed_and_not_called_exact():
    """1 - e^-100000 lies below 1 by less than any double can say."""
    near = 1 - exp(Fraction(-100_000))
    capped = at_most_one(near)
    data = to_json(capped)
    assert data["exact"] == near.formula
    assert data["upper"] == data["value"] == 1.0
    assert data["lower"] < 1.0
    assert decimal(capped) == "1"
    unnamed = at_most_one(Real(near.ball))
    assert to_json(unnamed)["exact"] is None
    assert to_json(unnamed)["upper"] == 1.0
    assert at_most_one(exp(Fraction(1))) == at_most_one(Fraction(3, 2)) == 1
    assert at_most_one(Fraction(1, 3)) == Fraction(1, 3)


@pytest.mark.parametrize(
    "x",
    [
        Real.between(Fraction(0), Fraction(1, 3)),
        Real.between(Fraction(0), Fraction(1, 7**100)),
        Real.up_to(Fraction(1, 3)),
        Real.up_to(exp(Fraction(-700, 3))),
        positive_part(Real.between(Fraction(-1, 3), Fraction(1, 7))),
        at_most_one(Real.up_to(Fraction(2, 3))),
        at_most_one(Real.between(Fraction(0), Fraction(4, 3))),
    ],
)
def test_an_enclosure_that_begins_at_zero_has_no_negative_end(x):
    data = to_json(x)
    assert data["lower"] == 0.0
    assert 0 < data["upper"] <= 1
    assert bounds(x)[0] == 0
    assert decimal(x, side="down") == "0"


def test_an_enclosure_never_begins_below_its_lower_end_nor_ends_below_its_upper_one():
    low, high = Fraction(1, 3), Fraction(2, 3)
    for x, start in (
        (Real.between(low, high), low),
        (Real.between(-low, high), -low),
        (Real.up_to(high), Fraction(0)),
    ):
        first, last = bounds(x)
        assert first == start
        assert high <= last < high + Fraction(1, 2**25)  # a radius has 30 bits
    assert bounds(at_most_one(Real.between(low, 2 * high))) == (low, 1)


def test_of_a_number_up_to_another_nothing_else_is_known():
    top = exp(Fraction(-1))
    x = Real.up_to(top)
    assert compare(x, Fraction(1, 10**9), limit=256) is Order.UNDECIDED
    assert compare(x, Fraction(37, 100)) is Order.LESS
    assert bounds(x)[1] >= bounds(top)[0]
    assert Real.up_to(Fraction(0)) == 0


@pytest.mark.parametrize(
    ("x", "side", "said"),
    [
        (1 - Fraction(1, 10**30), "up", "just below 1"),
        (1 - Fraction(1, 10**30), "down", "0.999999"),
        (Fraction(999999, 10**6), "up", "999999/1000000 (0.999999)"),
        (1 + Fraction(1, 10**30), "up", "1.00001"),
        (Fraction(1, 3**3000), "up", "below 1e-1000"),
        (Fraction(1, 3**3000), "down", "above 0"),
        (Real.between(Fraction(-1, 10**2000), Fraction(1, 10**2000)), "up", "below 1e-1000"),
        (at_most_one(Real.between(Fraction(999999999, 10**9), Fraction(2))), "up", "1"),
    ],
)
def test_nearly_one_and_nearly_zero_are_said_in_words(x, side, said):
    assert show(x, side=side) == said


@pytest.mark.parametrize("tiny", [Fraction(1, 3**3000), -Fraction(1, 3**3000), Fraction(0)])
@pytest.mark.parametrize("lead", [1, 3, 123, 999999, 10**20 - 1])
@pytest.mark.parametrize("exponent", [-30, -1, 0, 7, 40])
def test_numbers_of_thousands_of_digits_round_to_the_safe_side(tiny, lead, exponent):
    scale = Fraction(7**2000, 7**2000 + 1) if tiny == 0 else Fraction(1)
    x = lead * Fraction(10) ** exponent * (1 + tiny) * scale
    for sign in (1, -1):
        for digits in (3, 6, 20):
            up, down = (Fraction(decimal(sign * x, digits, side)) for side in ("up", "down"))
            assert down <= sign * x <= up
            assert up - down <= abs(x) * Fraction(10) ** (1 - digits)
