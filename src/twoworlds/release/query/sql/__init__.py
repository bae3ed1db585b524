"""Queries as SQL: a closed subset, read by `parse_sql` and written by `to_sql`.

Whatever is outside the subset is refused with the reason; nothing is guessed or left out. Four
functions say what SQL has no words for: ``WITH_OTHER``, ``BIN``, ``KEYS`` and ``DISCOVER`` in GROUP
BY, besides ``PEOPLE()``, ``WITH_SHARE(aggregate, share)`` and, in a join, ``KEY(table)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from twoworlds.errors import InvalidInput
from twoworlds.numbers import exact_text
from twoworlds.release.policy.model import Dataset, Policy, Value
from twoworlds.release.query.conditions import All, AnyOf, Compare, Condition, Missing, Not, OneOf
from twoworlds.release.query.model import Aggregate, GroupAxis, Query

__all__ = ["parse_sql", "to_sql"]

_MOST_DECIMALS = 40
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
Writer = Callable[[str], str]
_FUNCTIONS = {"count": "COUNT", "sum": "SUM", "mean": "AVG", "variance": "VAR_POP"}


def parse_sql(text: str, dataset: Dataset | Policy) -> Query:
    """Read a query that is written in SQL, of a dataset or of one that a policy has.

    >>> from twoworlds.release.policy import Column, Dataset
    >>> columns = {"age": Column("age", "integer"), "region": Column("region", "text")}
    >>> people = Dataset("people", None, "add-remove", columns=columns)
    >>> query = parse_sql("SELECT region, COUNT(*) FROM people GROUP BY region", people)
    >>> query == Query("people").by("region").count()
    True

    Raises:
        InvalidInput: for anything outside the subset; the message names the part and a way out.
    """
    # sqlglot takes a third of a second to import, which only those pay who write SQL.
    from twoworlds.release.query.sql.parse import parse

    return parse(text, dataset)


def to_sql(query: Query) -> str:
    """Return the SQL of a query: ``parse_sql(to_sql(query), dataset) == query``.

    >>> to_sql(Query("people").by("region", other=True).mean("income"))
    'SELECT region, AVG(income) FROM people GROUP BY WITH_OTHER(region)'
    """
    if not query.aggregates:
        raise InvalidInput("the query asks for nothing: add count(), sum(column), ...")
    text = _query(query)
    if "\0" in text:
        raise InvalidInput("a name or text holds the character 0, which no SQL can hold")
    return text


def _query(query: Query) -> str:
    def column(name: str) -> str:
        """Write a column, behind its table where there are several."""
        if not query.joins:
            return _name(name)
        table, dot, rest = name.partition(".")
        if dot and table in dict(query.joins):
            return f"{_name(table)}.{_name(rest)}"
        return f"{_name(query.dataset)}.{_name(name)}"

    items = [column(axis.column) for axis in query.groups]
    items += [_aggregate(aggregate, column) for aggregate in query.aggregates]
    text = f"SELECT {', '.join(items)} FROM {_name(query.dataset)}"
    for table, on in query.joins:
        text += f" LEFT JOIN {_name(table)} ON {column(on)} = KEY({_name(table)})"
    if query.condition is not None:
        text += f" WHERE {_condition(query.condition, column)}"
    if query.groups:
        text += f" GROUP BY {', '.join(_axis(axis, column) for axis in query.groups)}"
    return text


def _aggregate(asked: Aggregate, column: Writer) -> str:
    text, default = _called(asked, column)
    if asked.where is not None:
        text += f" FILTER (WHERE {_condition(asked.where, column)})"
    if asked.share != 1:
        text = f"WITH_SHARE({text}, {_number(asked.share)})"
    return text if asked.name == default else f"{text} AS {_name(asked.name)}"


def _called(asked: Aggregate, column: Writer) -> tuple[str, str]:
    """Return the call of an aggregate and the name that it has if no other is given."""
    if asked.kind == "people":
        return "PEOPLE()", "people"
    if asked.column is None:
        return "COUNT(*)", "count"
    value = column(asked.column)
    if asked.between is not None:
        low, high = asked.between
        value = f"LEAST(GREATEST({value}, {_number(low)}), {_number(high)})"
    default = f"{asked.kind}_{asked.column}"
    if asked.at is None:
        return f"{_FUNCTIONS[asked.kind]}({value})", default
    median = f"median_{asked.column}"
    if asked.at == Fraction(1, 2) and asked.name == median:
        return f"MEDIAN({value})", median
    return f"QUANTILE({value}, {_number(asked.at)})", default


def _axis(axis: GroupAxis, column: Writer) -> str:
    text = column(axis.column)
    if axis.discover:
        return f"DISCOVER({text})"
    if axis.keys:
        text = f"KEYS({', '.join([text, *map(_value, axis.keys)])})"
    if axis.bins:
        text = f"BIN({', '.join([text, *map(_number, axis.bins)])})"
    return f"WITH_OTHER({text})" if axis.other else text


def _condition(condition: Condition, column: Writer) -> str:
    match condition:
        case Compare(name, operator, value):
            sign = "<>" if operator == "!=" else operator
            return f"{column(name)} {sign} {_value(value)}"
        case OneOf(name, values):
            return f"{column(name)} IN ({', '.join(map(_value, values))})"
        case Not(OneOf(name, values)):
            return f"{column(name)} NOT IN ({', '.join(map(_value, values))})"
        case Missing(name):
            return f"{column(name)} IS NULL"
        case Not(Missing(name)):
            return f"{column(name)} IS NOT NULL"
        case Not(part):
            return f"NOT ({_condition(part, column)})"
        case All(parts) | AnyOf(parts):
            texts = [
                f"({text})" if isinstance(part, All | AnyOf) else text
                for part in parts
                for text in [_condition(part, column)]
            ]
            return (" AND " if isinstance(condition, All) else " OR ").join(texts)


def _name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in _words():
        return name
    return '"' + name.replace('"', '""') + '"'


@cache
def _words() -> frozenset[str]:
    """Return the words that mean something by themselves, so that as names they are quoted."""
    from sqlglot.dialects.duckdb import DuckDB

    return frozenset({*DuckDB.Tokenizer.KEYWORDS, *DuckDB.Parser.NO_PAREN_FUNCTION_PARSERS})


def _value(value: Value) -> str:
    match value:
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bool():
            return "TRUE" if value else "FALSE"
        case Fraction():
            return _number(value)
        case _:
            return f"DATE '{value.isoformat()}'"


def _number(x: Fraction) -> str:
    """Return a number as a decimal if it is a short one, else as a fraction."""
    for digits in range(_MOST_DECIMALS):
        scaled = x * 10**digits
        if scaled.denominator == 1:
            text = str(exact_text(abs(scaled))).rjust(digits + 1, "0")
            decimal = f"{text[:-digits]}.{text[-digits:]}" if digits else text
            return f"-{decimal}" if x < 0 else decimal
    return str(exact_text(x))
