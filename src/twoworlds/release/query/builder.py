"""Conditions as Python writes them: ``(column("age") >= 18) & column("region").is_in(["north"])``.

A comparison builds a condition and compares nothing. Numbers are exact: 0.1 is one tenth.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from numbers import Real

from twoworlds.errors import InvalidInput
from twoworlds.numbers import rational
from twoworlds.release.query.conditions import All, Compare, Missing, OneOf, Operator, check_name
from twoworlds.release.values import Value, as_value

__all__ = ["NamedColumn", "column"]


def column(name: str) -> NamedColumn:
    """Name a column, to compare it with constants.

    >>> column("age") >= 18
    Compare(column='age', operator='>=', value=Fraction(18, 1))
    >>> ~column("region").is_in(["north", "south"])
    Not(part=OneOf(column='region', values=('north', 'south')))
    """
    return NamedColumn(name)


class NamedColumn:
    """A column by its name; comparing it builds a condition."""

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
            f"{self!r} is no truth value: compare it, as in {self!r} == True, and join conditions "
            "with & and |"
        )


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
