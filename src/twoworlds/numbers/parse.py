"""Reading numbers exactly: ``3/4``, ``0.1`` (one tenth), ``ln 3``, ``e^0.5``, ints, Decimals.

A float is read as the decimal that it prints, so ``0.1`` is one tenth whether it comes as text
or as a float; a user who means the binary value passes ``Fraction(x)``. NaN is refused here,
once, for the whole package.
"""

from __future__ import annotations

import numbers as abstract
import re
from decimal import Decimal
from fractions import Fraction

from flint import fmpq

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers.formula import read_formula
from twoworlds.numbers.named import exp, ln
from twoworlds.numbers.real import INFINITY, Number, Real

_LARGEST_EXPONENT = 4000
_LARGEST_WHOLE = 10**18
_LONGEST_TEXT = 20_000
_LONGEST_SHOWN = 60
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_RATIONAL = re.compile(r"[+-]?[\d.eE+-]+(\s*/\s*[\d.eE+-]+)?\s*%?", re.ASCII)
_FORMULA = re.compile(r"ln|log|exp|sqrt|[-+*/^(]\s*[\d(e]", re.ASCII)
# What may follow ln or e^ without doubt: a plain number, or anything simple in parentheses.
_SIMPLE = re.compile(r"\s*[+-]?[\d.]+([eE][+-]?\d+)?\s*%?\s*|\s*\([\d.eE/%\s+-]*\)\s*", re.ASCII)
_FUNCTION = re.compile(r"(ln|log|exp)\s*(.+)|e\s*\^\s*(.+)|(e)", re.ASCII | re.DOTALL)


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
    if exponent and (len(exponent) > 7 or abs(int(exponent[1:])) > _LARGEST_EXPONENT):
        raise InvalidInput(
            f"{name}={_shown(text)}: exponents beyond {_LARGEST_EXPONENT} are not read"
        )
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
