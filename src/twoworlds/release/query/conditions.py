"""Conditions on a row, in the three-valued logic of SQL.

A comparison with a missing value is neither true nor false, and a row is kept only where the
condition is true. NaN in a column of numbers is a missing value, here and everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from twoworlds.errors import InvalidInput
from twoworlds.release.values import Value, check_value, plain_value

__all__ = [
    "All",
    "AnyOf",
    "Compare",
    "Condition",
    "Missing",
    "Not",
    "OneOf",
    "Operator",
    "columns_of",
    "plain",
]

Operator = Literal["=", "!=", "<", "<=", ">", ">="]
OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Compare:
    """A column against a constant."""

    column: str
    operator: Operator
    value: Value

    def __post_init__(self) -> None:
        """Refuse an unknown operator or constant."""
        if self.operator not in OPERATORS:
            raise InvalidInput(f"{self.operator!r} is no comparison: use {', '.join(OPERATORS)}")
        check_value(self.value)


@dataclass(frozen=True)
class OneOf:
    """A column is one of these values."""

    column: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        """Refuse an empty list."""
        if not self.values:
            raise InvalidInput(
                f"the list of values for {self.column!r} is empty: give at least one"
            )
        for value in self.values:
            check_value(value)


@dataclass(frozen=True)
class Missing:
    """A column has no value."""

    column: str


@dataclass(frozen=True)
class Not:
    """The other way round; of an unknown, unknown."""

    part: Condition


@dataclass(frozen=True)
class All:
    """Every part is true."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """Some part is true."""

    parts: tuple[Condition, ...]


Condition = Compare | OneOf | Missing | Not | All | AnyOf


def columns_of(condition: Condition | None) -> Iterator[str]:
    """Yield the columns that a condition looks at, with repetitions."""
    match condition:
        case None:
            return
        case Compare(column) | OneOf(column) | Missing(column):
            yield column
        case Not(part):
            yield from columns_of(part)
        case All(parts) | AnyOf(parts):
            for part in parts:
                yield from columns_of(part)


def plain(condition: Condition | None) -> Any:
    """Return a condition as plain data, for the ledger and for certificates.

    >>> from fractions import Fraction
    >>> plain(Compare("age", ">=", Fraction(18)))
    {'column': 'age', 'is': '>=', 'value': {'number': '18'}}
    """
    match condition:
        case None:
            return None
        case Compare(column, operator, value):
            return {"column": column, "is": operator, "value": plain_value(value)}
        case OneOf(column, values):
            return {"column": column, "in": [plain_value(value) for value in values]}
        case Missing(column):
            return {"column": column, "is": "missing"}
        case Not(part):
            return {"not": plain(part)}
        case All(parts):
            return {"all": [plain(part) for part in parts]}
        case AnyOf(parts):
            return {"any": [plain(part) for part in parts]}
