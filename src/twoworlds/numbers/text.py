"""Numbers as text: read exactly, and printed exactly or rounded to the safe side.

A float is read as the decimal that it prints, so ``0.1`` is one tenth whether it comes as text
or as a float; a user who means the binary value passes ``Fraction(x)``. NaN is refused here,
once, for the whole package.

Printing gives the exact form first, then the nearest decimal in parentheses. Privacy prices
(ratios, epsilons, deltas) without an exact form are rounded up, so that no printed bound promises
more privacy than there is. A number with few digits is never rounded, however few are asked for.
What is rounded stands behind a word or sign that says so. The side of `show` and `decimal` names
the word:

    "about", "at most", "at least"   written before a rounded number, and before no exact one
    "up", "down"                     not written: the sentence around it says at most, or at least
    "nearest"                        not written: the exact form stands beside it

and "about" rounds up, so that a price that is typed back in still holds. `stated`, for a value on a
line of its own, begins with <= or >=. `below` and `above` are the floats next to a number on either
side.
"""

from __future__ import annotations

import math
import numbers as abstract
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, Inexact
from fractions import Fraction
from typing import Any, Literal

from flint import arb, fmpq

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers.formula import read_formula
from twoworlds.numbers.named import Exp, exp, ln
from twoworlds.numbers.real import INFINITY, Number, Real, working_precision, written

_LARGEST_TYPED = 4000
_LARGEST_WHOLE = 10**18
_LONGEST_TEXT = 20_000
_LONGEST_SHOWN = 60
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_RATIONAL = re.compile(r"[+-]?[\d.eE+-]+(\s*/\s*[\d.eE+-]+)?\s*%?", re.ASCII)
_FORMULA = re.compile(r"ln|log|exp|sqrt|[-+*/^(]\s*[\d(e]", re.ASCII)
# What may follow ln or e^ without doubt: a plain number, or anything simple in parentheses.
_SIMPLE = re.compile(r"\s*[+-]?[\d.]+([eE][+-]?\d+)?\s*%?\s*|\s*\([\d.eE/%\s+-]*\)\s*", re.ASCII)
_FUNCTION = re.compile(r"(ln|log|exp)\s*(.+)|e\s*\^\s*(.+)|(e)", re.ASCII | re.DOTALL)
_FLOAT_BITS = 128
_MOST_BITS = 8192
_DECIDING_BITS = 1024
_LARGEST_EXPONENT = 1 << 19
_SHORT = 24
_SMALL, _MOST_TYPED = 100, 16  # numbers of a fraction that reads well; digits of a typed decimal
_WIDE = Fraction(1, 10**5)  # an enclosure of so large a share shows both of its ends
_FEW_DIGITS = 6  # so few are never rounded away,
_WHOLE = 10**9  # nor are those of a whole number below this
_LONG_BITS = 1 << 12
_SMALLEST_SHOWN = 1000  # smaller than 1e-1000 is only said to be below it
Side = Literal["up", "down", "nearest", "about", "at most", "at least"]
_DOWN = ("down", "at least")
_ROUNDINGS: dict[Side, str] = {
    "up": ROUND_CEILING,
    "at most": ROUND_CEILING,
    "down": ROUND_FLOOR,
    "at least": ROUND_FLOOR,
    "nearest": ROUND_HALF_EVEN,
    "about": ROUND_CEILING,
}
_SILENT = ("up", "down", "nearest")


def number(value: object, name: str = "number") -> Number:
    """Read one exact number.

    >>> number("0.1"), number(0.1), number("ln 3")
    (Fraction(1, 10), Fraction(1, 10), Real(ln 3))
    """
    if isinstance(value, (Fraction, Real)):
        return value
    if isinstance(value, bool):
        raise InvalidInput(f"{name}={value} is a truth value: give a number")
    if isinstance(value, abstract.Integral):
        return Fraction(int(value))
    if isinstance(value, (float, Decimal, abstract.Real)):
        return _from_text(str(value), name)
    if isinstance(value, str):
        return _from_text(value, name)
    raise InvalidInput(f"{name}={value!r} (type {type(value).__name__}): expected a number")


def rational(value: object, name: str = "number") -> Fraction:
    """Read one number that must be rational.

    >>> rational("3/4")
    Fraction(3, 4)
    """
    result = number(value, name)
    if isinstance(result, Fraction):
        return result
    raise InvalidInput(f"{name}={_shown(value)} is irrational here: give a fraction such as 3/4")


def probability(value: object, name: str = "probability") -> Fraction:
    """Read a rational between 0 and 1.

    >>> probability("25%")
    Fraction(1, 4)
    """
    result = rational(value, name)
    if not 0 <= result <= 1:
        raise InvalidInput(
            f"{name}={_shown(value)} is not a probability: it must lie between 0 and 1"
        )
    return result


def positive(value: object, name: str = "number") -> Number:
    """Read a finite number above 0."""
    result = number(value, name)
    if result == INFINITY or not result > 0:
        raise InvalidInput(f"{name}={_shown(value)} must be a finite number above 0")
    return result


def ratio_at_least_one(value: object, name: str = "ratio") -> Number:
    """Read e^epsilon: a number of at least 1, possibly infinite."""
    result = number(value, name)
    if result < 1:
        raise InvalidInput(
            f"{name}={_shown(value)} must be at least 1: "
            "it is e^epsilon, and 1 means no difference at all"
        )
    return result


def whole(value: object, name: str, *, at_least: int = 0, at_most: int = _LARGEST_WHOLE) -> int:
    """Read a whole number: how many there are of something, so never an absurdly large one.

    >>> whole("3", "bits")
    3
    """
    result = number(value, name)
    if not isinstance(result, Fraction) or result.denominator != 1 or result < at_least:
        raise InvalidInput(f"{name}={_shown(value)} must be a whole number, at least {at_least}")
    if result > at_most:
        raise TooLarge(f"{name}={_shown(value)} is too large: give at most {at_most}")
    return int(result)


def _from_text(text: str, name: str) -> Number:
    if len(text) > _LONGEST_TEXT:
        raise InvalidInput(f"{name} has {len(text)} characters: at most {_LONGEST_TEXT} are read")
    stripped = text.strip()
    lowered = stripped.lower()
    if lowered in ("inf", "+inf", "infinity", "+infinity", "∞"):
        return INFINITY
    if function := _FUNCTION.fullmatch(stripped):
        return _from_function(function, text, name)
    if _RATIONAL.fullmatch(stripped) or not _FORMULA.search(stripped):
        return _from_fraction(stripped, text, name)
    return _from_formula(stripped, name)


def _from_formula(text: str, name: str) -> Number:
    try:
        return read_formula(text)
    except InvalidInput as error:
        raise InvalidInput(
            f"{name}={_shown(text)!r} is not a number ({error}): "
            "write it like 3/4, 0.1, 1e-6, ln 3 or e^0.5"
        ) from None


def _from_function(match: re.Match[str], text: str, name: str) -> Number:
    which, argument, power, alone = match.groups()
    if alone:
        return exp(Fraction(1))
    body = argument or power
    if not _SIMPLE.fullmatch(body):
        return _from_formula(text.strip(), name)
    inner = _from_fraction(_unwrapped(body), text, name)
    if which not in ("ln", "log"):
        return exp(inner)
    if inner <= 0:
        raise InvalidInput(f"{name}={_shown(text)}: a logarithm needs an argument above 0")
    return ln(inner)


def _from_fraction(body: str, text: str, name: str) -> Fraction:
    if body.endswith("%"):
        return _plain(body[:-1], text, name) / 100
    top, slash, bottom = body.partition("/")
    numerator = _plain(top, text, name)
    if not slash:
        return numerator
    denominator = _plain(bottom, text, name)
    if denominator == 0:
        raise InvalidInput(f"{name}={_shown(text)} divides by zero")
    return numerator / denominator


def _plain(body: str, text: str, name: str) -> Fraction:
    match = _PLAIN.fullmatch(body.strip())
    if match is None:
        raise InvalidInput(
            f"{name}={_shown(text)!r} is not a number: write it like 3/4, 0.1, 1e-6, ln 3 or e^0.5"
        )
    exponent = match.group(2)
    if exponent and (len(exponent) > 7 or abs(int(exponent[1:])) > _LARGEST_TYPED):
        raise InvalidInput(f"{name}={_shown(text)}: exponents beyond {_LARGEST_TYPED} are not read")
    return Fraction(Decimal(body.strip()))


def _unwrapped(body: str) -> str:
    body = body.strip()
    return body[1:-1].strip() if body.startswith("(") and body.endswith(")") else body


def _shown(value: object) -> str:
    """Return a value as an error message can show it: whole, or its beginning."""
    if isinstance(value, (int, Fraction)):
        value = fmpq(value.numerator, value.denominator)  # no limit on digits, unlike str(int)
    text = str(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


# --- Printing ------------------------------------------------------------------------------------


def bounds(x: Number, bits: int = _FLOAT_BITS) -> tuple[Fraction, Fraction]:
    """Return rationals that enclose a finite number, equal when it is rational.

    Precision is raised until the enclosure is relatively tight (to half of ``bits``), so that a
    tiny number keeps its leading digits (a number that is zero, or known only as an interval,
    stays as it is).

    >>> bounds(Fraction(3, 4))
    (Fraction(3, 4), Fraction(3, 4))
    """
    if isinstance(x, Fraction):
        return x, x
    wanted, ball = bits // 2, x.ball(bits)
    while ball.rel_accuracy_bits() < wanted and bits < _MOST_BITS:
        bits *= 2
        ball = x.ball(bits)
    with working_precision(bits):  # the ends are rounded outward to this many bits
        low, high = _dyadic(ball.lower(), "down"), _dyadic(ball.upper(), "up")
    if x.floor is not None:
        low, high = max(low, x.floor), max(high, x.floor)
    return (low, high) if x.cap is None else (min(low, x.cap), min(high, x.cap))


def below(x: Number) -> float:
    """Return the largest float known to be at most ``x``."""
    return math.inf if x == INFINITY else 0.0 - _at_least(-bounds(x)[0])


def above(x: Number) -> float:
    """Return the smallest float known to be at least ``x``."""
    return math.inf if x == INFINITY else _at_least(bounds(x)[1])


def _at_least(x: Fraction) -> float:
    nearest = _nearest(x)
    if nearest == math.inf or (nearest > -math.inf and Fraction(nearest) >= x):
        return nearest
    return math.nextafter(nearest, math.inf)


def exact_text(x: Number) -> str | None:
    """Return the exact form (``3/4``, ``ln 3``, ``1 - e^(-1/4)``), or None when there is none."""
    if isinstance(x, Fraction):
        return str(fmpq(x.numerator, x.denominator))  # no limit on digits, unlike str(int)
    return x.formula


def spelled(x: Number) -> str | None:
    """Return the exact form as one would type it: a fraction of small numbers, else a decimal.

    >>> spelled(Fraction(3, 100)), spelled(Fraction("4.2168")), spelled(Fraction(1000, 3))
    ('3/100', '4.2168', '1000/3')
    >>> spelled(exp(Fraction("-1.00001")))
    'e^(-1.00001)'
    """
    text = exact_text(x)
    if isinstance(x, Exp) and text is not None:
        return text.replace(written(x.of), spelled(x.of) or "")
    if not isinstance(x, Fraction) or max(abs(x.numerator), x.denominator) <= _SMALL:
        return text
    short = Context(prec=_MOST_TYPED)
    if _is_long(x):
        return text
    found = _tidy(short.normalize(short.divide(Decimal(x.numerator), Decimal(x.denominator))))
    return found if not short.flags[Inexact] and text and len(found) < len(text) else text


def decimal(x: Number, digits: int = 6, side: Side = "up") -> str:
    """Return a decimal of so many significant digits, rounded to the given side.

    A number that needs no more than six digits, or is whole and below 10^9, is not rounded.

    >>> decimal(Fraction(1, 3)), decimal(Fraction(1, 3), side="down"), decimal(Fraction(19683), 4)
    ('0.333334', '0.333333', '19683')
    >>> decimal(Fraction(1, 3), 2, "about"), decimal(Fraction(1, 4), 1, "at most")
    ('about 0.34', '0.25')
    """
    if x == INFINITY:
        return "infinity"
    if isinstance(x, Fraction) and not _is_long(x):
        few = Context(prec=_FEW_DIGITS if x.denominator > 1 or abs(x) >= _WHOLE else 9)
        exact = few.divide(Decimal(x.numerator), Decimal(x.denominator))
        if not few.flags[Inexact]:
            return _tidy(few.normalize(exact))
    context = Context(prec=digits, rounding=_ROUNDINGS[side])
    bits = max(_FLOAT_BITS, 8 * digits)
    low, high = (_rounded(end, context) for end in bounds(x, bits))
    # Which digit is right may not be known yet; next to 0 more bits would not help.
    while low != high and low and high and bits < _DECIDING_BITS:
        bits *= 2
        low, high = (_rounded(end, context) for end in bounds(x, bits))
    text = _tidy(low if side in _DOWN else high)
    exactly = isinstance(x, Fraction) and not _is_long(x) and Fraction(text) == x
    return text if exactly or side in _SILENT else f"{side} {text}"


def show(x: Number, *, side: Side = "about") -> str:
    """Return the exact form with a decimal beside it when the form does not speak for itself.

    What would be rounded up to 1 is said to be below it, and of what is absurdly small, or known
    only to be so, no digits are given.

    >>> show(Fraction(3)), show(Fraction(1, 3)), show(1 - Fraction(1, 10**30))
    ('3', '1/3 (0.333333)', 'just below 1')
    >>> long = Fraction(10**30 + 1, 3 * 10**30)
    >>> show(long), show(long, side="at least"), f"at most {show(long, side='up')}"
    ('about 0.333334', 'at least 0.333333', 'at most 0.333334')
    """
    if x == INFINITY:
        return "infinity"
    text = None if isinstance(x, Fraction) and _is_long(x) else exact_text(x)
    if text is not None and len(text) <= _SHORT:
        plain = isinstance(x, Fraction) and x.denominator == 1
        return text if plain else f"{text} ({decimal(x, side='nearest')})"
    return _near_one(x, side) or _near_zero(x, side) or decimal(x, side=side)


def offered(x: Number) -> str:
    """Return a number that may be typed as a claim: whichever form is taken, it is large enough.

    >>> show(Fraction(1, 3)), offered(Fraction(1, 3))
    ('1/3 (0.333333)', '1/3 (0.333334)')
    """
    said = show(x, side="at most")
    exact, opening, _ = said.rpartition(" (")
    return f"{exact} ({decimal(x)})" if opening and exact == exact_text(x) else said


def stated(x: Number, *, side: Side = "up") -> str:
    """Return what `show` does, behind a sign where nothing else says that the number is rounded.

    >>> stated(Fraction(1, 3)), stated(Fraction(19683)), stated(Fraction(10**30 + 1, 3 * 10**30))
    ('1/3 (0.333333)', '19683', '<= 0.333334')
    >>> stated(Real.between(Fraction(1, 3), Fraction(1, 2)))
    'between 0.333333 and 0.500001'
    """
    if isinstance(x, Real) and x.formula is None and x != INFINITY:
        low, high = bounds(x)
        if 0 < low < high and (high - low) > _WIDE * high:
            return f"between {decimal(low, side='down')} and {decimal(high, side='up')}"
    return signed(x, show(x, side=side), side=side)


def signed(x: Number, text: str, *, side: Side = "up") -> str:
    """Put <=, >= or about before a plain decimal that is not exactly the number."""
    try:
        exact = Fraction(text) == x
    except ValueError:  # words, or an exact form
        return text
    sign = "about" if side == "nearest" else ">=" if side in _DOWN else "<="
    return text if exact else f"{sign} {text}"


def _near_one(x: Number, side: Side) -> str | None:
    """Say that a number is below 1 where rounding up would hide it."""
    if side in _DOWN or not Fraction(1, 2) < bounds(x)[1] < 1:
        return None
    return "just below 1" if decimal(x) == "1" else None


def _near_zero(x: Number, side: Side) -> str | None:
    low, high = bounds(x)
    tiny = Fraction(1, 10**_SMALLEST_SHOWN)
    if not (-tiny < low and 0 < high < tiny):
        return None
    if side not in _DOWN:
        return f"below 1e-{_SMALLEST_SHOWN}"
    return "above 0" if low > 0 else None


def plural(noun: str) -> str:
    """Return the plural of a noun, or of the name of a column.

    >>> plural("entry"), plural("person"), plural("diagnosis"), plural("day")
    ('entries', 'people', 'diagnoses', 'days')
    """
    if noun.endswith("is"):
        return f"{noun[:-2]}es"
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return "people" if noun == "person" else f"{noun}s"


def counted(number: int, noun: str, many: str | None = None) -> str:
    """Write how many of something there are, with its plural and with commas in the number.

    >>> counted(1, "entry"), counted(1000, "entry"), counted(2, "proposal waits", "proposals wait")
    ('1 entry', '1,000 entries', '2 proposals wait')
    """
    return f"{number:,} {noun if number == 1 else many or plural(noun)}"


def to_json(x: Number, *, side: Side = "up") -> dict[str, Any]:
    """Return ``{"exact": ..., "value": ...}``, with ``lower`` and ``upper`` for irrationals.

    ``value`` of a rational is its nearest float; of an irrational, the end of the enclosure on
    the safe side. An infinite number has exact ``"inf"`` and no float, since JSON has none. A
    number beyond all floats has a ``decimal`` instead, rounded to the safe side.
    """
    if x == INFINITY:
        return {"exact": "inf", "value": None}
    if isinstance(x, Fraction):
        found = {"exact": exact_text(x), "value": _finite(_nearest(x))}
    else:
        low, high = below(x), above(x)
        value = _finite(high if side == "up" else low)
        found = {"exact": x.formula, "value": value, "lower": _finite(low), "upper": _finite(high)}
    return found if found["value"] is not None else {**found, "decimal": decimal(x, side=side)}


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _nearest(x: Fraction) -> float:
    try:
        return x.numerator / x.denominator  # true division of ints rounds correctly
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def _dyadic(exact: arb, side: Side) -> Fraction:
    """Convert an exact ball to a rational, without building absurdly long integers."""
    if not exact.is_finite():
        raise InvalidInput("the number is infinite or undefined: it has no finite bounds")
    mantissa, exponent = (int(part) for part in exact.man_exp())
    size = mantissa.bit_length() + exponent
    if size > _LARGEST_EXPONENT:
        raise InvalidInput(
            f"a number beyond 2^{_LARGEST_EXPONENT} is not written out: give a smaller one"
        )
    if size < -_LARGEST_EXPONENT:
        outward = (mantissa > 0) == (side == "up")
        sign = 1 if mantissa > 0 else -1
        return Fraction(sign, 1 << _LARGEST_EXPONENT) if outward else Fraction(0)
    if exponent >= 0:
        return Fraction(mantissa << exponent)
    return Fraction(mantissa, 1 << -exponent)


def _is_long(x: Fraction) -> bool:
    return max(x.numerator.bit_length(), x.denominator.bit_length()) > _LONG_BITS


def _rounded(x: Fraction, context: Context) -> Decimal:
    if _is_long(x):
        return _rounded_by_ball(x, context)
    # Whole numbers convert exactly, so that the one division is the only rounding.
    return context.normalize(context.divide(Decimal(x.numerator), Decimal(x.denominator)))


def _rounded_by_ball(x: Fraction, context: Context) -> Decimal:
    """Round a rational of very many digits, by way of an enclosure of x = y 10^k.

    Whole numbers next to y are tried: one exact comparison with x decides between them.
    """
    digits = context.prec
    with working_precision(4 * digits + 128):
        value = arb(fmpq(x.numerator, x.denominator))
        k = math.floor(float((abs(value).log() / arb(10).log()).mid()))
        while True:
            step = k - digits + 1
            near = round(_dyadic((value / arb(10) ** step).mid(), "down"))
            there = Fraction(near) * Fraction(10) ** step
            if abs(near) > 10**digits:
                k += 1
            elif abs(near) > 10 ** (digits - 1) or abs(x) >= abs(there):
                break
            else:  # below the smallest number of so many digits, if only by a little
                k -= 1
    if context.rounding == ROUND_CEILING:
        near += there < x
    elif context.rounding == ROUND_FLOOR:
        near -= there > x
    return context.normalize(Decimal(near).scaleb(step, context))


def _tidy(value: Decimal) -> str:
    if value == 0:
        return "0"
    if -5 <= value.adjusted() < 9:  # a delta of 1e-6 stands beside one of 5e-7
        return f"{value:f}"
    return f"{value:e}".replace("e+", "e")
