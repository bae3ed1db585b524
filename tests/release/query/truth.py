"""What a condition says of a row, by the truth tables of three-valued logic: the reference.

A missing value in a row is None or NaN; a constant meets a float as the nearest float.
"""

import math
import operator
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from twoworlds.release.query import All, AnyOf, Compare, Condition, Missing, Not, OneOf

SIGNS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def value(row: Mapping[str, Any], name: str) -> Any:
    found = row[name]
    return None if isinstance(found, float) and math.isnan(found) else found


def exact(x: Any) -> Any:
    """A number as a fraction or an infinite float; anything else as it is."""
    if isinstance(x, (bool, str)) or not hasattr(x, "as_integer_ratio"):
        return x
    return x if isinstance(x, float) and math.isinf(x) else Fraction(x)


def comparable(x: Any, constant: Any) -> tuple[Any, Any]:
    """Both sides of a comparison."""
    largest = Fraction(sys.float_info.max)
    if isinstance(x, float) and isinstance(constant, Fraction) and abs(constant) < largest:
        constant = Fraction(float(constant))
    return exact(x), constant


def truth(condition: Condition | None, row: Mapping[str, Any]) -> bool | None:
    """True, False, or None for unknown."""
    match condition:
        case None:
            return True
        case Compare(name, sign, constant):
            x = value(row, name)
            return None if x is None else SIGNS[sign](*comparable(x, constant))
        case OneOf(name, values):
            equal = [truth(Compare(name, "=", one), row) for one in values]
            return None if None in equal else any(equal)
        case Missing(name):
            return value(row, name) is None
        case Not(part):
            inner = truth(part, row)
            return None if inner is None else not inner
        case All(parts):
            found = {truth(part, row) for part in parts}
            return False if False in found else None if None in found else True
        case AnyOf(parts):
            found = {truth(part, row) for part in parts}
            return True if True in found else None if None in found else False
