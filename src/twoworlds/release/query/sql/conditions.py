"""WHERE and FILTER: from sqlglot's nodes to conditions."""

from __future__ import annotations

from sqlglot import exp

from twoworlds.release.query.conditions import (
    All,
    AnyOf,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
    Operator,
)
from twoworlds.release.query.sql.constants import constant, is_constant
from twoworlds.release.query.sql.names import Scope
from twoworlds.release.query.sql.refusals import check_arguments, refusal, unwrapped, why_not

__all__ = ["read_condition"]

_OPERATORS: dict[type[exp.Expr], Operator] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_MIRRORED: dict[Operator, Operator] = {
    "=": "=",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}


def read_condition(node: exp.Expr, scope: Scope) -> Condition:
    """Return the condition that a node says."""
    node = unwrapped(node)
    kind = type(node)
    if kind is exp.And:
        return All(tuple(read_condition(part, scope) for part in _chain(node, exp.And)))
    if kind is exp.Or:
        return AnyOf(tuple(read_condition(part, scope) for part in _chain(node, exp.Or)))
    if kind is exp.Not:
        return Not(read_condition(node.this, scope))
    if kind in _OPERATORS:
        return _comparison(node, _OPERATORS[kind], scope)
    if kind is exp.Column:
        return _truth(node, scope)
    if kind is exp.Boolean or (kind is exp.Literal and not node.is_string):
        raise refusal(node, "this says nothing about a row: leave it out")
    if kind not in (exp.In, exp.Between, exp.Is):
        raise why_not(node, "a condition compares a column with a constant, as in age >= 18")
    condition = _test(node, scope)
    # Depending on its version, sqlglot writes NOT around IN, BETWEEN and IS or marks them.
    return Not(condition) if node.args.get("negate") else condition


def _chain(node: exp.Expr, kind: type[exp.And | exp.Or]) -> list[exp.Expr]:
    """Return the parts of a AND b AND c, which sqlglot nests to the left, without recursion."""
    parts = []
    while type(node) is kind:
        parts.append(node.expression)
        node = node.this
    return [node, *reversed(parts)]


def _comparison(node: exp.Expr, operator: Operator, scope: Scope) -> Compare:
    left, right = unwrapped(node.this), unwrapped(node.expression)
    if not is_constant(left) and not is_constant(right):
        for side in (left, right):
            scope.column(side)
        raise refusal(node, "a column is compared with a constant, not with another column")
    if is_constant(left):
        if is_constant(right):
            raise refusal(node, "this compares two constants: leave it out")
        left, right, operator = right, left, _MIRRORED[operator]
    column = scope.column(left)
    return Compare(column, operator, constant(right, scope.kind(column)))


def _test(node: exp.Expr, scope: Scope) -> Condition:
    """Return the condition that IN, BETWEEN or IS says, before any negation."""
    column = scope.column(unwrapped(node.this))
    kind = scope.kind(column)
    if type(node) is exp.In:
        if node.args.get("query") is not None:
            raise why_not(node.args["query"], "")
        check_arguments(node, "this", "expressions", "negate")
        return OneOf(column, tuple(constant(item, kind) for item in node.expressions))
    if type(node) is exp.Between:
        check_arguments(node, "this", "low", "high", "negate")
        low, high = (constant(node.args[end], kind) for end in ("low", "high"))
        return All((Compare(column, ">=", low), Compare(column, "<=", high)))
    check_arguments(node, "this", "expression", "negate")
    what = unwrapped(node.expression)
    if type(what) is exp.Null:
        return Missing(column)
    if type(what) is exp.Boolean:
        return All((Compare(column, "=", bool(what.this)), Not(Missing(column))))
    raise refusal(node, "IS asks for NULL, NOT NULL, TRUE or FALSE: use = for other constants")


def _truth(node: exp.Expr, scope: Scope) -> Compare:
    column = scope.column(node)
    if scope.kind(column) != "boolean":
        raise refusal(
            node, f"this is {scope.kind(column)}, and no condition: compare it with a constant"
        )
    return Compare(column, "=", value=True)
