"""Small pieces of SQL: names, constants, and cases in a balanced tree.

Names are always quoted and constants are rendered by sqlglot, which knows the quotes and escapes of
each engine. No text is ever pasted into a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from sqlglot import exp

from twoworlds.errors import InvalidInput

__all__ = [
    "all_of",
    "any_of",
    "case",
    "cast",
    "column",
    "compare",
    "double",
    "is_missing",
    "is_present",
    "literal_rows",
    "named",
    "null",
    "number",
    "part",
    "table",
    "text",
    "tree",
]

_COMPARISONS: dict[str, type[exp.Expression]] = {
    "=": exp.EQ,
    "!=": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}


def _no_nul(name: str) -> str:
    if "\0" in name:
        raise InvalidInput("a name or a text holds the character NUL, which no engine takes")
    return name


def column(name: str, source: str | None = None) -> exp.Column:
    """Return a column, quoted.

    >>> column('a"b', "t").sql()
    '"t"."a""b"'
    """
    return exp.column(_no_nul(name), table=source, quoted=True)


def table(name: str, schema: str | None = None) -> exp.Table:
    """Return a table, quoted."""
    parts = {"this": exp.to_identifier(_no_nul(name), quoted=True)}
    if schema is not None:
        parts["db"] = exp.to_identifier(_no_nul(schema), quoted=True)
    return exp.Table(**parts)


def named(value: exp.Expression, name: str) -> exp.Alias:
    """Return a value under a name."""
    return exp.Alias(this=value, alias=exp.to_identifier(name, quoted=True))


def part(query: exp.Query, name: str) -> exp.Subquery:
    """Return a query as a table within another, under a name."""
    return query.subquery(exp.to_identifier(name, quoted=True), copy=False)


def number(value: int) -> exp.Expression:
    """Return a whole number."""
    found: exp.Expression = exp.Literal.number(value)
    return found


def text(value: str) -> exp.Expression:
    """Return a text.

    >>> text("it's").sql("duckdb")
    "'it''s'"
    """
    return exp.Literal.string(_no_nul(value))


def literal_rows(rows: Sequence[Sequence[exp.Expression]], names: Sequence[str]) -> exp.Query:
    """Return rows of constants as one query, which every engine takes; a balanced union."""
    layer: list[exp.Query] = [
        exp.Select().select(*(named(x, n) for x, n in zip(row, names, strict=True)), copy=False)
        for row in rows
    ]
    while len(layer) > 1:
        pairs = [layer[i : i + 2] for i in range(0, len(layer), 2)]
        layer = [
            exp.union(*pair, distinct=False, copy=False) if pair[1:] else pair[0] for pair in pairs
        ]
    return layer[0]


def double(value: float) -> exp.Expression:
    """Return a float, to its last bit."""
    return cast(exp.Literal.string(repr(value)), "DOUBLE")


def null(kind: str) -> exp.Expression:
    """Return a missing value of a type."""
    return cast(exp.Null(), kind)


def cast(x: exp.Expression, kind: str) -> exp.Expression:
    """Return a value as another type."""
    return exp.Cast(this=x, to=_type(kind).copy())


@cache
def _type(kind: str) -> exp.DataType:
    """Return a type; sqlglot parses its name, which takes longer than all the rest of a cast."""
    return exp.DataType.build(kind)


def compare(left: exp.Expression, operator: str, right: exp.Expression) -> exp.Expression:
    """Return a comparison."""
    return _COMPARISONS[operator](this=left, expression=right)


def is_missing(x: exp.Expression) -> exp.Expression:
    """Whether there is no value."""
    return exp.Is(this=x, expression=exp.Null())


def is_present(x: exp.Expression) -> exp.Expression:
    """Whether there is a value."""
    return exp.Not(this=is_missing(x))


def case(
    *branches: tuple[exp.Expression, exp.Expression], default: exp.Expression | None = None
) -> exp.Expression:
    """Return the value of the first condition that is true; missing when none is."""
    ifs = [exp.If(this=condition, true=value) for condition, value in branches]
    return exp.Case(ifs=ifs, default=default)


def all_of(parts: Sequence[exp.Expression]) -> exp.Expression:
    """Whether all parts are true; a balanced tree, so that a thousand parts nest ten deep."""
    return _balanced(parts, exp.And)


def any_of(parts: Sequence[exp.Expression]) -> exp.Expression:
    """Whether some part is true."""
    return _balanced(parts, exp.Or)


def _balanced(parts: Sequence[exp.Expression], connector: type[exp.Expression]) -> exp.Expression:
    layer: list[exp.Expression] = [exp.Paren(this=part) for part in parts]
    while len(layer) > 1:
        pairs = [layer[i : i + 2] for i in range(0, len(layer), 2)]
        layer = [
            exp.Paren(this=connector(this=pair[0], expression=pair[1])) if pair[1:] else pair[0]
            for pair in pairs
        ]
    return layer[0]


def tree(
    below: Callable[[int], exp.Expression], leaf: Callable[[int], exp.Expression], size: int
) -> exp.Expression:
    """Return one of ``size`` leaves by bisection: leaf i where ``below(j)`` is false for j < i."""

    def branch(first: int, last: int) -> exp.Expression:
        if first == last:
            return leaf(first)
        middle = (first + last) // 2
        return case((below(middle), branch(first, middle)), default=branch(middle + 1, last))

    return branch(0, size - 1)
