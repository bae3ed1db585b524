"""Constants of queries and policies: numbers, texts, dates and truth values."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Side, exact_text, rational, show

__all__ = ["Value", "as_value", "check_value", "grouped", "plain_value", "shown_value"]

Value = str | bool | Fraction | date


def check_value(value: object) -> None:
    """Refuse what is no constant of a query."""
    if isinstance(value, datetime) or not isinstance(value, (str, bool, Fraction, date)):
        raise InvalidInput(
            f"a constant is a number, a text, a date or a truth value, not {type(value).__name__}"
        )


def as_value(value: object) -> Value:
    """Return a constant, numbers exactly.

    >>> as_value(18), as_value("north")
    (Fraction(18, 1), 'north')
    """
    if not isinstance(value, bool) and isinstance(value, (int, float)):
        return rational(value, "a constant")
    check_value(value)
    return value  # type: ignore[return-value]  # checked


def plain_value(value: Value) -> Any:
    """Return a constant as plain data, which tells a number from a text and a date.

    >>> plain_value(Fraction(1, 2)), plain_value("1/2")
    ({'number': '1/2'}, '1/2')
    """
    match value:
        case bool() | str():
            return value
        case Fraction():
            return {"number": exact_text(value)}
        case _:
            return {"date": value.isoformat()}


def shown_value(value: Value) -> str:
    """Return a constant as a person would write it.

    >>> shown_value(Fraction(5, 2)), shown_value(True)
    ('5/2', 'true')
    """
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case Fraction():
            return str(exact_text(value))
        case _:
            return value.isoformat()


def grouped(x: Fraction, side: Side = "about") -> str:
    """Return a number for people, a whole one with separators.

    >>> grouped(Fraction(485200000)), grouped(Fraction(5, 2))
    ('485,200,000', '5/2 (2.5)')
    """
    return f"{x.numerator:,}" if x.denominator == 1 else show(x, side=side)
