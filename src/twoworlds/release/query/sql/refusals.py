"""Why a part of SQL is refused, and what works instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from twoworlds.errors import InvalidInput, UnknownName

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
