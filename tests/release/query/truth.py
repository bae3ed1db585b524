"""What a condition says of a row, by the truth tables of three-valued logic: the reference."""

from collections.abc import Mapping
from typing import Any

from twoworlds.release.query import All, AnyOf, Compare, Condition, Missing, Not, OneOf


def truth(condition: Condition, row: Mapping[str, Any]) -> bool | None:
    """True, False, or None for unknown; a missing value in the row is None."""
    match condition:
        case Compare(column, operator, value):
            x = row[column]
            if x is None:
                return None
            if operator in ("=", "!="):
                return (x == value) == (operator == "=")
            strictly = x < value if operator[0] == "<" else x > value
            return strictly or (len(operator) == 2 and x == value)
        case OneOf(column, values):
            x = row[column]
            return None if x is None else x in values
        case Missing(column):
            return row[column] is None
        case Not(part):
            inner = truth(part, row)
            return None if inner is None else not inner
        case All(parts):
            found = {truth(part, row) for part in parts}
            return False if False in found else None if None in found else True
        case AnyOf(parts):
            found = {truth(part, row) for part in parts}
            return True if True in found else None if None in found else False
