"""Statements as text for DuckDB, without its dialect in sqlglot where that makes no difference.

That dialect parses dozens of templates when it is loaded, and a release would wait for them. Most
of what `twoworlds.release.plan` builds is SQL that the base dialect of sqlglot and the one of
DuckDB write alike. Where all parts of a statement are of this kind the base dialect writes it,
otherwise the one of DuckDB: the text is the same in both cases.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["duckdb_text"]

_ALIKE = frozenset(
    {
        exp.Add,
        exp.Alias,
        exp.And,
        exp.Anonymous,
        exp.Between,
        exp.Boolean,
        exp.Case,
        exp.Cast,
        exp.Coalesce,
        exp.Collate,
        exp.Column,
        exp.Count,
        exp.CTE,
        exp.DataType,
        exp.EQ,
        exp.From,
        exp.Group,
        exp.GT,
        exp.GTE,
        exp.Having,
        exp.Identifier,
        exp.If,
        exp.Is,
        exp.Join,
        exp.Literal,
        exp.LT,
        exp.LTE,
        exp.Mul,
        exp.Neg,
        exp.NEQ,
        exp.Not,
        exp.Null,
        exp.Or,
        exp.Paren,
        exp.Round,
        exp.Select,
        exp.Star,
        exp.Sub,
        exp.Subquery,
        exp.Sum,
        exp.Table,
        exp.TableAlias,
        exp.Tuple,
        exp.Values,
        exp.Var,
        exp.Where,
        exp.With,
    }
)
_TYPES = frozenset({exp.DType.BIGINT, exp.DType.DOUBLE, exp.DType.INT128, exp.DType.TEXT})


def duckdb_text(statement: exp.Expr) -> str:
    """Return a statement, or a part of one, as DuckDB takes it.

    >>> duckdb_text(exp.column("a", table="t", quoted=True))
    '"t"."a"'
    """
    alike = all(type(node) in _ALIKE and _is_plain(node) for node in statement.walk())
    if alike:
        return statement.sql("", copy=False)  # writing these parts changes nothing in them
    return statement.sql("duckdb")


def _is_plain(node: exp.Expr) -> bool:
    """Whether a node holds nothing that the two dialects may write in different ways."""
    value = node.args.get("this")
    if isinstance(node, exp.DataType):
        return value in _TYPES
    if isinstance(node, exp.Round):
        return len(node.args) == 1
    # Dialects differ in what they escape, beside the quote.
    return not isinstance(value, str) or (value.isprintable() and "\\" not in value)
