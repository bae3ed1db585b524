"""The parts of a SELECT: constants, names, conditions and aggregates, from the nodes of sqlglot.

Constants are numbers as the exact decimals they are written as, texts, dates, truth values.

``3/4`` is three quarters. (Some engines divide whole numbers without a remainder; nobody means
that by a constant.)

A name is matched exactly, or else without regard to capitals if only one name fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

import sqlglot
from sqlglot import exp

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import rational
from twoworlds.release.policy.model import UNDECLARED, ColumnKind, Dataset, Value
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
from twoworlds.release.query.model import Query

_OPERATORS: dict[type[exp.Expr], Operator] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_MIRRORED: dict[Operator, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
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
_MOST_BITS = 1 << 16


def is_constant(node: exp.Expr) -> bool:
    """Whether a node has no column in it, and is no query."""
    return node.find(exp.Column, exp.Query, exp.Star) is None


def constant(node: exp.Expr, kind: ColumnKind) -> Value:
    """Return the constant that is written, for a column of this kind.

    A text is read as a date where the column holds dates, as engines do.
    """
    node = unwrapped(node)
    if type(node) is exp.Literal and node.is_string:
        return _date(node.this) if kind == "date" else str(node.this)
    if type(node) is exp.Boolean:
        return bool(node.this)
    text = type(node) is exp.Cast and type(node.this) is exp.Literal and node.this.is_string
    if text and node.args["to"].this == exp.DType.DATE:
        check_arguments(node, "this", "to")
        return _date(node.this.this)
    return number(node)


def number(node: exp.Expr) -> Fraction:
    """Return a number exactly: ``0.1`` is one tenth, ``1/3`` one third."""
    node = unwrapped(node)
    if type(node) is exp.Literal and not node.is_string:
        return rational(str(node.this), "number")
    if type(node) is exp.Neg:
        return -number(node.this)
    if type(node) is exp.Div:
        below = number(node.expression)
        if below == 0:
            raise refusal(node, "nothing can be divided by 0")
        found = number(node.this) / below
        if max(found.numerator.bit_length(), found.denominator.bit_length()) > _MOST_BITS:
            raise refusal(node, f"a constant of more than {_MOST_BITS:,} bits is not read")
        return found
    raise why_not(node, "a constant is expected here, such as 18, 0.5 or 'north'")


def _date(text: str) -> date:
    try:
        found = date.fromisoformat(text)
        if found.isoformat() == text:
            return found
    except ValueError:
        pass
    raise InvalidInput(f"{text[:20]!r} is not a date: write it as DATE '2026-01-31'")


def match_name(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the known name that is meant.

    >>> match_name("column", "AGE", ["age", "region"])
    'age'
    """
    names = list(known)
    if name in names:
        return name
    alike = [other for other in names if other.casefold() == name.casefold()]
    if len(alike) > 1:
        raise InvalidInput(
            f"{kind} {name!r} may be {' or '.join(map(repr, alike))}: write it exactly"
        )
    if not alike:
        raise UnknownName(kind, name, names, which=UNDECLARED if kind == "column" else "")
    return alike[0]


@dataclass(frozen=True)
class Scope:
    """The tables of a query, by the names under which its columns are written.

    Attributes:
        dataset: What the policy declares.
        tables: For each name or alias, the public table; None for the dataset itself.
    """

    dataset: Dataset
    tables: Mapping[str, str | None]

    def column(self, node: exp.Expr) -> str:
        """Return the name of a column as queries spell it."""
        if node.find(exp.AggFunc) is not None and node.find(exp.Query) is None:
            raise refusal(node, "an aggregate stands in SELECT and nowhere else")
        if type(node) is exp.Column and type(node.this) is exp.Star:
            raise refusal(node, "name the keys and the aggregates, as in SELECT COUNT(*)")
        if type(node) is not exp.Column or type(node.this) is not exp.Identifier:
            raise why_not(node, "a column is expected here")
        check_arguments(node, "this", "table")
        name = node.this.name
        if not node.table:
            known = [found for table in self.tables.values() for found in self._columns(table)]
            fits = [n for n in known if n[0] == name] or [
                n for n in known if n[0].casefold() == name.casefold()
            ]
            if len(fits) > 1:
                choices = " or ".join(repr(full) for _, full in fits)
                way_out = "write the table before it, and capitals exactly"
                raise InvalidInput(f"column {name!r} may be {choices}: {way_out}")
            return fits[0][1] if fits else match_name("column", name, [n for _, n in known])
        visible = match_name("table", node.table, self.tables)
        columns = dict(self._columns(self.tables[visible]))
        return columns[match_name("column", name, columns)]

    def kind(self, column: str) -> ColumnKind:
        """Return what the policy says a column holds."""
        return self.dataset.column(column).kind

    def _columns(self, table: str | None) -> list[tuple[str, str]]:
        """Return the columns of a table, each as written and as queries spell it."""
        if table is None:
            return [(name, name) for name in self.dataset.columns]
        return [(name, f"{table}.{name}") for name in self.dataset.public[table].columns]


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
        column = scope.column(node)
        if scope.kind(column) != "boolean":
            said = f"this is {scope.kind(column)}, and no condition: compare it with a constant"
            raise refusal(node, said)
        return Compare(column, "=", value=True)
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
        scope.column(left)
        try:
            scope.column(right)
        except UnknownName as error:
            text = error.name.replace("'", "''")
            raise refusal(node, f"a text stands in single quotes, as in x = '{text}'") from None
        raise refusal(node, "a column is compared with a constant, not with another column")
    if is_constant(left):
        if is_constant(right):
            raise refusal(node, "this compares two constants: leave it out")
        left, right, operator = right, left, _MIRRORED.get(operator, operator)
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


def add_aggregate(query: Query, node: exp.Expr, scope: Scope, text: str) -> Query:
    """Return the query with one more aggregate, from an item of SELECT."""
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
    if plain_name(node) == "mean":
        method = "mean"
        if len(node.expressions) != 1:
            raise refusal(node, "a mean is AVG(x)")
        value = node.expressions[0]
    elif type(node) in _OF_A_COLUMN:
        method = _OF_A_COLUMN[type(node)]
        check_arguments(node, "this")
        value = node.this
    else:
        otherwise = "an aggregate is expected here, such as COUNT(*) or AVG(income)"
        raise why_not(node, otherwise, _NAMES)
    # sqlglot has one node for several names of a variance, which differ in what they divide by.
    start, end = node.meta.get("start"), node.meta.get("end")
    spelled = "" if start is None or end is None else text[start : end + 1].strip('"').lower()
    if type(node) is exp.Variance and spelled not in ("variance", "", "var"):
        raise refusal(
            node, f"{spelled.upper()} divides by n - 1, the variance here by n: write VAR_POP(x)"
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
    items = node.this.expressions
    named = unwrapped(items[0]) if len(items) == 1 else None
    if type(named) is not exp.Column or type(named.this) is not exp.Identifier:
        raise refusal(node, way_out)
    check_arguments(named, "this", "table")
    public = named.table and scope.tables[match_name("table", named.table, scope.tables)]
    if public or named.name.casefold() != person.casefold():
        raise refusal(node, way_out)
    return query.people(**options)


def _quantile(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """Return what a quantile is taken of and where, or None for anything else."""
    arguments: dict[type[exp.Expr], str] = {
        exp.Quantile: "quantile",
        exp.PercentileCont: "expression",
    }
    if type(node) in arguments:
        check_arguments(node, "this", arguments[type(node)])
        value, at = node.this, node.args.get(arguments[type(node)])
    elif type(node) is exp.WithinGroup and type(node.this) is exp.PercentileCont:
        check_arguments(node.this, "this")
        ordered = node.expression.expressions
        if len(ordered) != 1:
            raise refusal(node, _QUANTILE)
        if ordered[0].args.get("desc"):
            raise refusal(ordered[0], "leave out DESC, and take the quantile from the other end")
        check_arguments(ordered[0], "this")
        value, at = ordered[0].this, node.this.this
    else:
        return None
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


# --- why a part is refused, and what works instead -----------------------------------------------

_LONGEST_SHOWN = 60
_ONE_TABLE = "a query reads one dataset: filter with WHERE, or ask two queries"
_AFTERWARDS = "ask for the parts and compute with the answers, which costs nothing more"
_ROW_WISE = "values are used as they are: prepare them in a column that the policy declares"
_REASONS: tuple[tuple[tuple[type[exp.Expr], ...], str], ...] = (
    ((exp.Star,), "name the keys and the aggregates, as in SELECT COUNT(*)"),
    (
        (exp.Distinct,),
        "every row is used: leave it out, or count people with COUNT(DISTINCT person)",
    ),
    ((exp.Array,), "give one constant, and an aggregate for each of several"),
    (
        (exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.Rand),
        "a query asks the same today and tomorrow: write the constant, as in DATE '2026-01-31'",
    ),
    ((exp.Window,), "window functions are not answered: use GROUP BY"),
    ((exp.Query, exp.Exists, exp.Any, exp.All), f"no query inside a query: {_ONE_TABLE}"),
    (
        (exp.Min,),
        "the extreme value is one person's: ask for a quantile, as in QUANTILE(x, 0.01)",
    ),
    (
        (exp.Max,),
        "the extreme value is one person's: ask for a quantile, as in QUANTILE(x, 0.99)",
    ),
    ((exp.Stddev, exp.StddevPop, exp.StddevSamp), "ask for VAR_POP(x) and take its root"),
    (
        (exp.ApproxQuantile, exp.PercentileDisc, exp.WithinGroup),
        "a quantile is QUANTILE(x, 0.9) or PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)",
    ),
    ((exp.AggFunc,), "the aggregates are COUNT, SUM, AVG, VAR_POP, MEDIAN and QUANTILE"),
    (
        (exp.Like, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.RegexpILike, exp.Glob, exp.Escape),
        "patterns are read differently by engines: list the values, as in IN ('a', 'b')",
    ),
    ((exp.NullSafeEQ, exp.NullSafeNEQ), "write x = 3, x <> 3 or x IS NULL, joined with AND and OR"),
    ((exp.Placeholder, exp.Parameter), "write the constant itself: nothing is filled in later"),
    ((exp.Null,), "nothing equals NULL: write x IS NULL"),
    ((exp.Case, exp.If), "write one aggregate for each case: COUNT(*) FILTER (WHERE ...)"),
    ((exp.Rollup, exp.Cube, exp.GroupingSets), "list the columns: GROUP BY region, age"),
    ((exp.Tuple,), "write single columns and constants, without parentheses around lists"),
    ((exp.Cast, exp.TryCast), f"{_ROW_WISE}; a date is written as DATE '2026-01-31'"),
    ((exp.Least, exp.Greatest), "bounds are written as LEAST(GREATEST(x, 0), 100), both of them"),
    ((exp.Binary, exp.Neg), f"no arithmetic: {_ROW_WISE}"),
    ((exp.Func,), f"no such function here: {_ROW_WISE}"),
)


def refusal(node: exp.Expr, reason: str) -> InvalidInput:
    """Return the error that names a part of the query and says why it is refused.

    The column of that part stands for the x of a reason.
    """
    column = node.find(exp.Column)
    if column is not None and type(column.this) is exp.Identifier:
        reason = re.sub(r"\bx\b", lambda _: _shown(column), reason)
    return InvalidInput(f"{_shown(node)}: {reason}")


def why_not(node: exp.Expr, otherwise: str, known: Sequence[str] = ()) -> InvalidInput:
    """Return the error for a part that does not belong where it stands."""
    if isinstance(node, exp.IgnoreNulls | exp.RespectNulls):
        return InvalidInput(
            "IGNORE NULLS: missing values are left out, or count as the policy says"
        )
    aggregate = next((p for p in node.find_all(exp.AggFunc) if p is not node), None)
    if aggregate is not None and not isinstance(node, exp.Query | exp.Window | exp.WithinGroup):
        return refusal(node, f"no computing with aggregates: {_AFTERWARDS}")
    if type(node) is exp.Anonymous and known:
        return UnknownName("function", plain_name(node), known)
    for kinds, reason in _REASONS:
        if isinstance(node, kinds):
            return refusal(node, reason)
    return refusal(node, otherwise)


def check_arguments(node: exp.Expr, *allowed: str) -> None:
    """Refuse a node that says more than what is understood of it."""
    for name, value in node.args.items():
        if name not in allowed and value is not None and value is not False and value != []:
            word = name.strip("_").replace("_", " ").upper()
            raise refusal(node, f"{word} is not understood here: leave it out")


def unwrapped(node: exp.Expr) -> exp.Expr:
    """Return what stands inside parentheses."""
    while type(node) is exp.Paren:
        node = node.this
    return node


def plain_name(node: exp.Expr) -> str:
    """Return the name of one of our own functions, in small letters; empty for anything else."""
    return str(node.this).lower() if type(node) is exp.Anonymous else ""


def _shown(node: exp.Expr) -> str:
    quiet = sqlglot.ErrorLevel.IGNORE
    try:
        text = node.sql(dialect="duckdb", comments=False, unsupported_level=quiet)
        text = " ".join(text.split()).removeprefix(", ")  # of FROM a, b
    except Exception:  # a part that the writer does not know is not worth another error
        text = type(node).__name__
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
