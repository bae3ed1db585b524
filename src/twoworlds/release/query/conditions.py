"""Conditions on a row, in the three-valued logic of SQL.

A comparison with a missing value is neither true nor false, and a row is kept only where the
condition is true. NaN in a column of numbers is a missing value, here and everywhere.

Conditions are joined with ``&`` and ``|`` and turned round with ``~``; Python's ``and``, ``or`` and
``not`` ask for a truth value, which a condition has only for a row. What stands in an `All` inside
an `All` stands in the outer one, and so for `AnyOf`: equal conditions have one form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from twoworlds.errors import InvalidInput, TooLarge
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
    "check_condition",
    "check_name",
    "columns_of",
    "plain",
]

Operator = Literal["=", "!=", "<", "<=", ">", ">="]
OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=")
DEEPEST = 20


class _Logic:
    """The operators of conditions."""

    def __and__(self, other: Condition) -> All:
        return All((_checked(self), _checked(other)))

    def __or__(self, other: Condition) -> AnyOf:
        return AnyOf((_checked(self), _checked(other)))

    def __invert__(self) -> Not:
        return Not(_checked(self))

    def __bool__(self) -> bool:
        raise InvalidInput(
            "a condition is true or false of a row, not by itself: write & for and, | for or, "
            "~ for not, each side in parentheses, and between(a, b) for a <= x <= b"
        )


@dataclass(frozen=True)
class Compare(_Logic):
    """A column against a constant."""

    column: str
    operator: Operator
    value: Value

    def __post_init__(self) -> None:
        """Refuse an unknown operator or constant."""
        check_name(self.column)
        if self.operator not in OPERATORS:
            raise InvalidInput(f"{self.operator!r} is no comparison: use {', '.join(OPERATORS)}")
        check_value(self.value)


@dataclass(frozen=True)
class OneOf(_Logic):
    """A column is one of these values."""

    column: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        """Refuse an empty list."""
        check_name(self.column)
        if not self.values:
            raise InvalidInput(
                f"the list of values for {self.column!r} is empty: give at least one"
            )
        for value in self.values:
            check_value(value)


@dataclass(frozen=True)
class Missing(_Logic):
    """A column has no value."""

    column: str

    def __post_init__(self) -> None:
        """Refuse what is no name."""
        check_name(self.column)


@dataclass(frozen=True)
class Not(_Logic):
    """The other way round; of an unknown, unknown."""

    part: Condition

    def __post_init__(self) -> None:
        """Refuse what is no condition."""
        _checked(self.part)


@dataclass(frozen=True)
class All(_Logic):
    """Every part is true."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        """Take in the parts of parts."""
        object.__setattr__(self, "parts", _flat(All, self.parts))


@dataclass(frozen=True)
class AnyOf(_Logic):
    """Some part is true."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        """Take in the parts of parts."""
        object.__setattr__(self, "parts", _flat(AnyOf, self.parts))


Condition = Compare | OneOf | Missing | Not | All | AnyOf


def check_condition(condition: object) -> None:
    """Refuse what is no condition, and one that is nested too deeply to be worked on.

    Raises:
        InvalidInput: for anything else, such as a text or a truth value.
        TooLarge: when more than 20 levels of not, all and any stand inside one another.
    """
    level = [_checked(condition)]
    for _ in range(DEEPEST + 1):
        level = [part for outer in level for part in _parts(outer)]
        if not level:
            return
    raise TooLarge(
        f"a condition is nested more than {DEEPEST} levels deep: write it with fewer levels"
    )


def check_name(name: object) -> None:
    """Refuse what cannot name a column."""
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"{name!r} is no name of a column: give a text, such as 'age'")


def _parts(condition: Condition) -> tuple[Condition, ...]:
    match condition:
        case Not(part):
            return (part,)
        case All(parts) | AnyOf(parts):
            return parts
        case _:
            return ()


def _checked(condition: object) -> Condition:
    if not isinstance(condition, Condition):
        raise InvalidInput(
            f"{type(condition).__name__} is no condition: compare a column with a constant, "
            "as in column('age') >= 18"
        )
    return condition


def _flat(kind: type[All | AnyOf], parts: Iterable[Condition]) -> tuple[Condition, ...]:
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (_checked(part),)
    if not flat:
        raise InvalidInput("a condition has no parts: leave it out")
    return tuple(flat)


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
