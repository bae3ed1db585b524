"""SELECT: from sqlglot's nodes to aggregates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sqlglot import exp

from twoworlds.errors import InvalidInput
from twoworlds.release.query.model import Query
from twoworlds.release.query.sql.conditions import read_condition
from twoworlds.release.query.sql.constants import is_constant, number
from twoworlds.release.query.sql.names import Scope, match_name
from twoworlds.release.query.sql.refusals import (
    check_arguments,
    plain_name,
    refusal,
    unwrapped,
    why_not,
)

__all__ = ["add_aggregate"]

_OF_A_COLUMN: dict[type[exp.Expr], str] = {
    exp.Sum: "sum",
    exp.Avg: "mean",
    exp.VariancePop: "variance",
    exp.Variance: "variance",
    exp.Median: "median",
}
_NAMES = (
    *("count", "people", "sum", "avg", "mean", "var_pop", "variance", "median", "quantile"),
    *("quantile_cont", "percentile_cont", "with_share", "bin", "keys", "with_other", "discover"),
)
_QUANTILE = "a quantile is QUANTILE(x, 0.9) or PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)"


def add_aggregate(query: Query, node: exp.Expr, scope: Scope, text: str) -> Query:
    """Return the query with one more aggregate, from an item of SELECT.

    Args:
        query: The query so far.
        node: The item.
        scope: The tables.
        text: The whole SQL, in which a function is spelt as its author spelt it.
    """
    options: dict[str, Any] = {}
    if type(node) is exp.Alias:
        check_arguments(node, "this", "alias")
        options["name"] = node.alias
        node = node.this
    node = unwrapped(node)
    if plain_name(node) == "with_share":
        if len(node.expressions) != 2:
            raise refusal(node, "write WITH_SHARE(SUM(x), 2): an aggregate and its share")
        options["share"] = number(node.expressions[1])
        node = unwrapped(node.expressions[0])
    if type(node) is exp.Filter:
        options["where"] = read_condition(node.expression.this, scope)
        node = unwrapped(node.this)
    return _add(query, node, scope, text, options)


def _add(query: Query, node: exp.Expr, scope: Scope, text: str, options: dict[str, Any]) -> Query:
    if plain_name(node) == "people" and not node.expressions:
        return query.people(**options)
    if type(node) is exp.Count:
        return _count(query, node, scope, options)
    if (found := _quantile(node)) is not None:
        value, at = found
        column = _bounded(value, scope, options)
        return query.quantile(column, number(at), **options)
    method = _OF_A_COLUMN.get(type(node)) or ("mean" if plain_name(node) == "mean" else None)
    if method is None:
        raise why_not(
            node, "an aggregate is expected here, such as COUNT(*) or AVG(income)", _NAMES
        )
    if plain_name(node) == "mean":
        if len(node.expressions) != 1:
            raise refusal(node, "a mean is AVG(x)")
        value = node.expressions[0]
    else:
        check_arguments(node, "this")
        value = node.this
    if type(node) is exp.Variance and _spelling(node, text) not in ("variance", "", "var"):
        raise InvalidInput(
            f"{_spelling(node, text).upper()} divides by n - 1, the variance here by n: "
            "write VAR_POP(x)"
        )
    query_with: Query = getattr(query, method)(_bounded(value, scope, options), **options)
    return query_with


def _count(query: Query, node: exp.Expr, scope: Scope, options: dict[str, Any]) -> Query:
    what = node.this
    if node.expressions:
        raise refusal(node, "COUNT takes one column, or *")
    check_arguments(node, "this", "big_int")
    if type(what) is exp.Star:
        check_arguments(what)
        return query.count(**options)
    if type(what) is exp.Distinct:
        return _people(query, node, scope, options)
    if what is None or is_constant(what) or what.find(exp.Star) is not None:
        raise refusal(node, "rows are counted with COUNT(*)")
    return query.count(scope.column(unwrapped(what)), **options)


def _people(query: Query, node: exp.Expr, scope: Scope, options: dict[str, Any]) -> Query:
    """Read COUNT(DISTINCT person), where the policy names the column of persons."""
    person = scope.dataset.unit.person
    if person is None:
        raise refusal(node, "the policy names no column that identifies a person: use COUNT(*)")
    way_out = f"only people are counted once each, as COUNT(DISTINCT {person}): group by the column"
    check_arguments(node.this, "expressions")
    [*items] = node.this.expressions
    named = unwrapped(items[0]) if len(items) == 1 else None
    if type(named) is not exp.Column or type(named.this) is not exp.Identifier:
        raise refusal(node, way_out)
    check_arguments(named, "this", "table")
    if named.table and scope.tables[match_name("table", named.table, scope.tables)] is not None:
        raise refusal(node, way_out)
    if named.name != person and named.name.casefold() != person.casefold():
        raise refusal(node, way_out)
    return query.people(**options)


def _quantile(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """Return what a quantile is taken of and where, or None for anything else."""
    if type(node) is exp.Quantile:
        check_arguments(node, "this", "quantile")
        pair = (node.this, node.args.get("quantile"))
    elif type(node) is exp.PercentileCont:
        check_arguments(node, "this", "expression")
        pair = (node.this, node.args.get("expression"))
    elif type(node) is exp.WithinGroup and type(node.this) is exp.PercentileCont:
        check_arguments(node.this, "this")
        ordered = node.expression.expressions
        if len(ordered) != 1:
            raise refusal(node, _QUANTILE)
        if ordered[0].args.get("desc"):
            raise refusal(ordered[0], "leave out DESC, and take the quantile from the other end")
        check_arguments(ordered[0], "this")
        pair = (ordered[0].this, node.this.this)
    else:
        return None
    value, at = pair
    if at is None:
        raise refusal(node, _QUANTILE)
    return value, at


def _bounded(node: exp.Expr, scope: Scope, options: dict[str, Any]) -> str:
    """Return the column; note the bounds of LEAST(GREATEST(x, low), high) among the options."""
    node = unwrapped(node)
    bounds: dict[type[exp.Expr], Fraction] = {}
    whole = node
    while type(node) in (exp.Least, exp.Greatest) and type(node) not in bounds:
        check_arguments(node, "this", "expressions", "ignore_nulls")
        items = [unwrapped(item) for item in (node.this, *node.expressions)]
        inner = [item for item in items if not is_constant(item)]
        if len(items) != 2 or len(inner) != 1:
            raise why_not(node, "")
        bounds[type(node)] = number(next(item for item in items if is_constant(item)))
        node = inner[0]
    if len(bounds) == 1:
        raise why_not(whole, "")
    if bounds:
        options["between"] = (bounds[exp.Greatest], bounds[exp.Least])
    return scope.column(node)


def _spelling(node: exp.Expr, text: str) -> str:
    """Return the name of a function as written: sqlglot has one node for several names."""
    start, end = node.meta.get("start"), node.meta.get("end")
    return "" if start is None or end is None else text[start : end + 1].strip('"').lower()
