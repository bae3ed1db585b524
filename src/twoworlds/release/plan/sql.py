r"""Small pieces of SQL (names, constants, cases in a balanced tree), and what engines differ in.

Names are always quoted and constants are rendered by sqlglot, which knows the quotes and escapes of
each engine. No text is ever pasted into a statement.

What differs between engines stands in one table; everything else is left to sqlglot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from sqlglot import exp

from twoworlds.errors import InvalidInput

T = TypeVar("T")
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
    """Return rows of constants as one query, which every engine takes."""
    layer: list[exp.Query] = [
        exp.Select().select(*map(named, row, names), copy=False) for row in rows
    ]
    return _balanced(layer, lambda a, b: exp.union(a, b, distinct=False, copy=False))


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
    """Whether all parts are true."""
    return _connected(parts, exp.And)


def any_of(parts: Sequence[exp.Expression]) -> exp.Expression:
    """Whether some part is true."""
    return _connected(parts, exp.Or)


def _connected(parts: Sequence[exp.Expression], connector: type[exp.Expression]) -> exp.Expression:
    layer: list[exp.Expression] = [exp.Paren(this=part) for part in parts]
    return _balanced(layer, lambda a, b: exp.Paren(this=connector(this=a, expression=b)))


def _balanced(layer: list[T], join: Callable[[T, T], T]) -> T:
    """Put parts together in a balanced tree, so that a thousand of them nest ten deep."""
    while len(layer) > 1:
        rest = layer[len(layer) // 2 * 2 :]
        layer = [*map(join, layer[::2], layer[1::2]), *rest]
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


Build = Callable[[exp.Expression], exp.Expression]
Digest = Callable[[Sequence[exp.Expression]], exp.Expression]


def _collate(name: str) -> Build:
    return lambda x: exp.Collate(this=x, expression=exp.Var(this=name))


def _hash(name: str) -> Digest:
    return lambda columns: exp.Anonymous(this=name, expressions=list(columns))


def _md5(columns: Sequence[exp.Expression]) -> exp.Expression:
    """Return the MD5 of columns as text, with a bar between them."""
    joined: exp.Expression = exp.Literal.string("")
    for x in columns:
        part = exp.Coalesce(this=cast(x, "TEXT"), expressions=[exp.Literal.string("")])
        bar = exp.DPipe(this=joined, expression=exp.Literal.string("|"), safe=True)
        joined = exp.DPipe(this=bar, expression=part, safe=True)
    return exp.MD5(this=joined)


def _md5_of_bytes(columns: Sequence[exp.Expression]) -> exp.Expression:
    """Return the MD5 of columns as bytes: a text in SQLite need not be UTF-8."""
    found = _md5(columns)
    found.set("this", cast(found.this, "BLOB"))
    return found


def _in_calendar(x: exp.Expression) -> exp.Expression:
    """Whether a date is a day: MySQL may hold others, such as 2026-00-00 and 2026-02-31."""
    number = exp.Anonymous(this="TO_DAYS", expressions=[x])
    again = exp.Anonymous(this="FROM_DAYS", expressions=[number])
    return exp.EQ(this=again, expression=x.copy())


def _bytes_of(x: exp.Expression) -> exp.Expression:
    """Return the bytes of a text in UTF-8: MySQL's collations merge capitals, accents and blanks.

    Its binary collations, too, ignore blanks at the end.
    """
    unicode = exp.DataType(this=exp.DType.CHARACTER_SET, kind=exp.Var(this="utf8mb4"))
    return cast(exp.Cast(this=x, to=unicode), "BINARY")


@dataclass(frozen=True)
class Engine:
    """The habits of one engine."""

    nan: Build | None = lambda x: exp.IsNan(this=x)  # None where no such value can be kept
    bytewise: Build = lambda x: x  # how texts compare byte by byte, whatever the collation
    digest: Digest = _md5  # looks random, and depends on nothing but these columns
    round: Build = lambda x: exp.Round(this=x)  # to the nearest whole number
    # The quotient of whole numbers, the first a multiple of the second.
    divide: Callable[[exp.Expression, exp.Expression], exp.Expression] = lambda a, b: exp.IntDiv(
        this=a, expression=b
    )
    wide: bool = True  # whether sums of 64-bit integers are wider; if not, they have limbs
    narrow: bool = False  # whether a sum of integers below 64 bits has only 64 bits
    decimals: bool = False  # whether decimals are exact and unbounded; if not, read as floats
    underflows: bool = False  # whether a float that becomes too small is an error
    dates: bool = True  # whether dates have a type of their own; if not, they are ISO texts
    widest: str = "INT128"  # the type of whole numbers beyond 64 bits
    in_calendar: Build | None = None  # whether a date is a day; None where all are
    values: bool = True  # whether declared keys are a table of VALUES; if not, a union of rows


def _divide(a: exp.Expression, b: exp.Expression) -> exp.Expression:
    return exp.Div(this=a, expression=b, typed=True, safe=False)


_ENGINES = {
    "duckdb": Engine(bytewise=_collate('"C"'), digest=_hash("HASH")),
    "postgres": Engine(
        nan=lambda x: exp.EQ(this=x, expression=exp.Literal.string("NaN")),
        bytewise=_collate('"C"'),
        divide=_divide,
        narrow=True,
        decimals=True,
        underflows=True,
    ),
    "sqlite": Engine(
        nan=None,
        bytewise=_collate("BINARY"),
        digest=_md5_of_bytes,
        divide=_divide,
        wide=False,
        dates=False,
    ),
    "mysql": Engine(  # and MariaDB
        nan=None,
        bytewise=_bytes_of,
        widest="DECIMAL(20, 0)",
        in_calendar=_in_calendar,
        values=False,
    ),
    "spark": Engine(
        digest=_hash("XXHASH64"),
        round=lambda x: exp.Floor(this=x + double(0.5)),  # its ``round`` is slow
        wide=False,
    ),
}


def engine_of(dialect: str) -> Engine:
    """Return the habits of an engine that is supported."""
    return _ENGINES[dialect]
