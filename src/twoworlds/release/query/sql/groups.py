"""GROUP BY: from sqlglot's nodes to groups.

region                          the keys or bins of the policy
KEYS(region, 'north', 'south')  these keys
BIN(age, 0, 18, 65, 120)        [0, 18), [18, 65), [65, 120]
WITH_OTHER(...)                 any of these, and one more group for everything else
DISCOVER(city)                  keys read off the data, above a threshold that costs a delta
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from twoworlds.release.query.model import By
from twoworlds.release.query.sql.constants import constant, number
from twoworlds.release.query.sql.names import Scope
from twoworlds.release.query.sql.refusals import plain_name, refusal, unwrapped, why_not

__all__ = ["is_group", "read_group"]

_FUNCTIONS = {
    "keys": "KEYS(region, 'north', 'south')",
    "bin": "BIN(age, 0, 18, 65)",
    "with_other": "WITH_OTHER(region)",
    "discover": "DISCOVER(city)",
}


def is_group(node: exp.Expr) -> bool:
    """Whether a node can name a group: a column, or one of the functions above."""
    return type(node) is exp.Column or plain_name(node) in _FUNCTIONS


def read_group(node: exp.Expr, scope: Scope) -> By:
    """Return the group that a node says."""
    node = unwrapped(node)
    function = plain_name(node)
    if type(node) is exp.Column:
        return By(scope.column(node))
    if function not in _FUNCTIONS:
        raise why_not(
            node,
            "GROUP BY takes columns, BIN(...), KEYS(...), WITH_OTHER(...) and DISCOVER(...)",
            tuple(_FUNCTIONS),
        )
    if not node.expressions:
        raise refusal(node, f"write {_FUNCTIONS[function]}")
    first, *rest = node.expressions
    if function == "with_other" and not rest:
        return replace(read_group(first, scope), other=True)
    column = scope.column(unwrapped(first))
    if function == "keys":
        kind = scope.kind(column)
        return By(column, keys=tuple(constant(item, kind) for item in rest))
    if function == "bin":
        return By(column, bins=tuple(number(item) for item in rest))
    if rest:
        raise refusal(node, f"write {_FUNCTIONS[function]}")
    return By(column, discover=True)
