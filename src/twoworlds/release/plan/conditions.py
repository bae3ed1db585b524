"""Conditions of a query in SQL, whose three-valued logic they share."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from twoworlds.release.plan import sql
from twoworlds.release.plan.columns import Clean
from twoworlds.release.query.conditions import (
    All,
    AnyOf,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
)

__all__ = ["truth"]


def truth(condition: Condition, column: Callable[[str], Clean]) -> exp.Expression:
    """Return a condition as an expression over clean columns: true, false or unknown.

    Args:
        condition: The condition.
        column: The clean column of a name.
    """
    match condition:
        case Compare(name, operator, value):
            return column(name).compare(operator, value)
        case OneOf(name, values):
            return column(name).one_of(values)
        case Missing(name):
            return sql.is_missing(column(name)())
        case Not(part):
            return exp.Not(this=exp.Paren(this=truth(part, column)))
        case All(parts):
            return sql.all_of([truth(part, column) for part in parts])
        case AnyOf(parts):
            return sql.any_of([truth(part, column) for part in parts])
