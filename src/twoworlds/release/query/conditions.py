"""Conditions on a row, in the three-valued logic of SQL.

A comparison with a missing value is neither true nor false, and a row is kept only where the
condition is true. NaN in a column of numbers is a missing value, here and everywhere.

Conditions are joined with ``&`` and ``|`` and turned round with ``~``; Python's ``and``, ``or`` and
``not`` ask for a truth value, which a condition has only for a row. What stands in an `All` inside
an `All` stands in the outer one, and so for `AnyOf`: equal conditions have one form.

In Python they are written ``(column("age") >= 18) & column("region").is_in(["north"])``.

A comparison builds a condition and compares nothing. Numbers are exact: 0.1 is one tenth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import rational
from twoworlds.release.policy.model import Value, as_value, check_value, plain_value

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
        check_name(self.column)
        if self.operator not in OPERATORS:
            raise InvalidInput(f"{self.operator!r} is not a comparison: use {', '.join(OPERATORS)}")
        check_value(self.value)


@dataclass(frozen=True)
class OneOf(_Logic):
    """A column is one of these values."""

    column: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
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
        check_name(self.column)


@dataclass(frozen=True)
class Not(_Logic):
    """The other way round; of an unknown, unknown."""

    part: Condition

    def __post_init__(self) -> None:
        _checked(self.part)


@dataclass(frozen=True)
class All(_Logic):
    """Every part is true."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _flat(All, self.parts))


@dataclass(frozen=True)
class AnyOf(_Logic):
    """Some part is true."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _flat(AnyOf, self.parts))


Condition = Compare | OneOf | Missing | Not | All | AnyOf


def check_condition(condition: object) -> None:
    """Refuse what is no condition, and one that is nested too deeply to be worked on."""
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
        raise InvalidInput(f"{name!r} is not the name of a column: give a text, such as 'age'")


def _parts(condition: Condition) -> tuple[Condition, ...]:
    if isinstance(condition, Not):
        return (condition.part,)
    return condition.parts if isinstance(condition, All | AnyOf) else ()


def _checked(condition: object) -> Condition:
    if not isinstance(condition, Condition):
        raise InvalidInput(
            f"{type(condition).__name__} is not a condition: compare a column with a constant, "
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


def leaves(condition: Condition | None) -> Iterator[Compare | OneOf | Missing]:
    """Yield the parts that look at one column, in order."""
    if isinstance(condition, Compare | OneOf | Missing):
        yield condition
    elif condition is not None:
        for part in _parts(condition):
            yield from leaves(part)


def columns_of(condition: Condition | None) -> Iterator[str]:
    """Yield the columns that a condition looks at, with repetitions."""
    return (leaf.column for leaf in leaves(condition))


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


class NamedColumn:
    """A column by its name, as `column`, to be compared with constants: that builds a condition.

    >>> column("age") >= 18
    Compare(column='age', operator='>=', value=Fraction(18, 1))
    >>> ~column("region").is_in(["north", "south"])
    Not(part=OneOf(column='region', values=('north', 'south')))
    """

    __hash__ = None  # type: ignore[assignment]  # comparing builds, so it cannot be looked up

    def __init__(self, name: str) -> None:
        check_name(name)
        self.name = name

    def __repr__(self) -> str:
        return f"column({self.name!r})"

    def __eq__(self, other: object) -> Compare:  # type: ignore[override]
        return self._compare("=", other)

    def __ne__(self, other: object) -> Compare:  # type: ignore[override]
        return self._compare("!=", other)

    def __lt__(self, other: object) -> Compare:
        return self._compare("<", other)

    def __le__(self, other: object) -> Compare:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Compare:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Compare:
        return self._compare(">=", other)

    def is_in(self, values: Iterable[object]) -> OneOf:
        """Whether it is one of these values."""
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidInput(f"is_in takes a list of values, such as [{values!r}]")
        return OneOf(self.name, tuple(_constant(value) for value in values))

    def between(self, low: object, high: object) -> All:
        """Whether low <= x <= high."""
        return All((self >= low, self <= high))

    def is_missing(self) -> Missing:
        """Whether it has no value."""
        return Missing(self.name)

    def _compare(self, operator: Operator, other: object) -> Compare:
        return Compare(self.name, operator, _constant(other))

    def __bool__(self) -> bool:
        raise InvalidInput(
            f"{self!r} is not a truth value: compare it, as in {self!r} == True, and join "
            "conditions with & and |"
        )


column = NamedColumn


def _constant(value: object) -> Value:
    if value is None:
        raise InvalidInput("nothing equals a missing value: use is_missing()")
    if isinstance(value, NamedColumn):
        raise InvalidInput(
            f"{value!r} is another column: a column is compared with constants, not with columns"
        )
    if isinstance(value, bool):
        return value
    return rational(value, "a constant") if isinstance(value, Decimal | Real) else as_value(value)
