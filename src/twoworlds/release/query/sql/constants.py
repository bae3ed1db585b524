"""Constants in SQL: numbers as the exact decimals they are written as, texts, dates, truth values.

``3/4`` is three quarters. (Some engines divide whole numbers without a remainder; nobody means
that by a constant.)
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from sqlglot import exp

from twoworlds.errors import InvalidInput
from twoworlds.numbers import rational
from twoworlds.release.policy.model import ColumnKind
from twoworlds.release.query.sql.refusals import check_arguments, refusal, unwrapped, why_not
from twoworlds.release.values import Value

__all__ = ["constant", "is_constant", "number"]

_MOST_BITS = 1 << 16


def is_constant(node: exp.Expr) -> bool:
    """Whether a node has no column in it, and is no query."""
    return node.find(exp.Column, exp.Query, exp.Star) is None


def constant(node: exp.Expr, kind: ColumnKind) -> Value:
    """Return the constant that is written, for a column of this kind.

    A text is read as a date where the column holds dates, as engines do.
    """
    node = unwrapped(node)
    if type(node) is exp.Literal and node.is_string:
        return _date(node.this) if kind == "date" else str(node.this)
    if type(node) is exp.Boolean:
        return bool(node.this)
    if type(node) is exp.Cast and _is_date(node):
        check_arguments(node, "this", "to")
        return _date(node.this.this)
    return number(node)


def number(node: exp.Expr) -> Fraction:
    """Return a number exactly: ``0.1`` is one tenth, ``1/3`` one third."""
    node = unwrapped(node)
    if type(node) is exp.Literal and not node.is_string:
        return rational(str(node.this), "number")
    if type(node) is exp.Neg:
        return -number(node.this)
    if type(node) is exp.Div:
        below = number(node.expression)
        if below == 0:
            raise refusal(node, "nothing can be divided by 0")
        found = number(node.this) / below
        if max(found.numerator.bit_length(), found.denominator.bit_length()) > _MOST_BITS:
            raise refusal(node, f"a constant of more than {_MOST_BITS:,} bits is not read")
        return found
    raise why_not(node, "a constant is expected here, such as 18, 0.5 or 'north'")


def _is_date(node: exp.Expr) -> bool:
    literal = node.this
    return (
        bool(node.args["to"].this == exp.DType.DATE)
        and type(literal) is exp.Literal
        and bool(literal.is_string)
    )


def _date(text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.isoformat() != text:
        raise InvalidInput(f"{text[:20]!r} is no date: write it as DATE '2026-01-31'")
    return found
