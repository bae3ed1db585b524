"""Queries back from plain data, as ledgers and certificates hold them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import rational
from twoworlds.release.query.conditions import (
    All,
    AnyOf,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
)
from twoworlds.release.query.model import Aggregate, By, Join, Query
from twoworlds.release.values import Value

__all__ = ["query_of", "value_of"]


def query_of(data: Any) -> Query:
    """Return the query of which ``Query.plain`` gave this.

    >>> asked = Query("people").by("region").count()
    >>> query_of(asked.plain()) == asked
    True

    Raises:
        InvalidInput: for anything else.
    """
    try:
        return Query(
            _text(data["dataset"]),
            tuple(_aggregate(part) for part in data["aggregates"]),
            _condition(data["where"]),
            tuple(_by(part) for part in data["groups"]),
            tuple(Join(_text(part["table"]), _text(part["on"])) for part in data["joins"]),
        )
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise InvalidInput("this is no query: a field is missing or of the wrong type") from None


def value_of(data: Any) -> Value:
    """Return the constant of which ``plain_value`` gave this."""
    if isinstance(data, (str, bool)):
        return data
    if isinstance(data, Mapping) and data.keys() == {"number"}:
        return rational(_text(data["number"]), "number")
    if isinstance(data, Mapping) and data.keys() == {"date"}:
        try:
            return date.fromisoformat(_text(data["date"]))
        except ValueError:
            raise InvalidInput("a date in the query is not written as 2026-01-31") from None
    raise InvalidInput("this is no constant of a query")


def _condition(data: Any) -> Condition | None:
    if data is None:
        return None
    keys = data.keys()
    if keys == {"not"}:
        return Not(_part(data["not"]))
    if keys == {"all"}:
        return All(tuple(_part(part) for part in data["all"]))
    if keys == {"any"}:
        return AnyOf(tuple(_part(part) for part in data["any"]))
    column = _text(data["column"])
    if keys == {"column", "in"}:
        return OneOf(column, tuple(value_of(value) for value in data["in"]))
    if keys == {"column", "is"} and data["is"] == "missing":
        return Missing(column)
    if keys == {"column", "is", "value"}:
        return Compare(column, data["is"], value_of(data["value"]))
    raise InvalidInput("this is no condition of a query")


def _part(data: Any) -> Condition:
    found = _condition(data)
    if found is None:
        raise InvalidInput("a condition lacks a part")
    return found


def _aggregate(data: Any) -> Aggregate:
    between = data["between"]
    return Aggregate(
        data["kind"],
        _text_or_none(data["column"]),
        _text(data["name"]),
        _condition(data["where"]),
        None if data["at"] is None else _number(data["at"]),
        None if between is None else (_number(between[0]), _number(between[1])),
        _number(data["share"]),
    )


def _by(data: Any) -> By:
    keys, bins = data["keys"], data["bins"]
    return By(
        _text(data["column"]),
        None if keys is None else tuple(value_of(key) for key in keys),
        None if bins is None else tuple(_number(edge) for edge in bins),
        data["other"] is True,
        data["discover"] is True,
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput("a name in the query is not a text")
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _number(value: Any) -> Fraction:
    return rational(_text(value), "number")
