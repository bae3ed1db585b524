"""From a query to SQL, such that `parse_sql` reads the same query again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from twoworlds.errors import InvalidInput
from twoworlds.numbers import exact_text
from twoworlds.release.policy.model import Value
from twoworlds.release.query.conditions import All, AnyOf, Compare, Condition, Missing, Not, OneOf
from twoworlds.release.query.model import Aggregate, By, Query

_MOST_DECIMALS = 40
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_FUNCTIONS = {"sum": "SUM", "mean": "AVG", "variance": "VAR_POP"}


def to_sql(query: Query) -> str:
    """Return the SQL of a query: ``parse_sql(to_sql(query), dataset) == query``.

    >>> to_sql(Query("people").by("region", other=True).mean("income"))
    'SELECT region, AVG(income) FROM people GROUP BY WITH_OTHER(region)'
    """
    if not query.aggregates:
        raise InvalidInput("the query asks for nothing: add count(), sum(column), ...")
    text = _Writer(query).query()
    if "\0" in text:
        raise InvalidInput("a name or text holds the character 0, which no SQL can hold")
    return text


class _Writer:
    """Writes the parts of one query; columns carry their table where there are several."""

    def __init__(self, asked: Query) -> None:
        self.asked = asked
        self.joined = {join.table for join in asked.joins}

    def query(self) -> str:
        asked = self.asked
        items = [self.column(by.column) for by in asked.groups]
        items += [self.aggregate(aggregate) for aggregate in asked.aggregates]
        text = f"SELECT {', '.join(items)} FROM {_name(asked.dataset)}"
        for join in asked.joins:
            table = _name(join.table)
            text += f" LEFT JOIN {table} ON {self.column(join.on)} = KEY({table})"
        if asked.condition is not None:
            text += f" WHERE {self.condition(asked.condition)}"
        if asked.groups:
            text += f" GROUP BY {', '.join(self.group(by) for by in asked.groups)}"
        return text

    def column(self, name: str) -> str:
        if not self.joined:
            return _name(name)
        table, dot, rest = name.partition(".")
        if dot and table in self.joined:
            return f"{_name(table)}.{_name(rest)}"
        return f"{_name(self.asked.dataset)}.{_name(name)}"

    def aggregate(self, asked: Aggregate) -> str:
        text, default = self._called(asked)
        if asked.where is not None:
            text += f" FILTER (WHERE {self.condition(asked.where)})"
        if asked.share != 1:
            text = f"WITH_SHARE({text}, {_number(asked.share)})"
        return text if asked.name == default else f"{text} AS {_name(asked.name)}"

    def _called(self, asked: Aggregate) -> tuple[str, str]:
        """Return the call of an aggregate and the name that it has if no other is given."""
        if asked.kind == "people":
            return "PEOPLE()", "people"
        if asked.column is None:
            return "COUNT(*)", "count"
        value = self.column(asked.column)
        if asked.between is not None:
            low, high = asked.between
            value = f"LEAST(GREATEST({value}, {_number(low)}), {_number(high)})"
        default = f"{asked.kind}_{asked.column}"
        if asked.kind == "count":
            return f"COUNT({value})", default
        if asked.at is None:
            return f"{_FUNCTIONS[asked.kind]}({value})", default
        median = f"median_{asked.column}"
        if asked.at == Fraction(1, 2) and asked.name == median:
            return f"MEDIAN({value})", median
        return f"QUANTILE({value}, {_number(asked.at)})", default

    def group(self, by: By) -> str:
        text = self.column(by.column)
        if by.discover:
            return f"DISCOVER({text})"
        if by.keys is not None:
            text = f"KEYS({_listed([text, *map(_value, by.keys)])})"
        if by.bins is not None:
            text = f"BIN({_listed([text, *map(_number, by.bins)])})"
        return f"WITH_OTHER({text})" if by.other else text

    def condition(self, condition: Condition) -> str:
        match condition:
            case Compare(column, operator, value):
                sign = "<>" if operator == "!=" else operator
                return f"{self.column(column)} {sign} {_value(value)}"
            case OneOf(column, values):
                return f"{self.column(column)} IN ({_listed(map(_value, values))})"
            case Not(OneOf(column, values)):
                return f"{self.column(column)} NOT IN ({_listed(map(_value, values))})"
            case Missing(column):
                return f"{self.column(column)} IS NULL"
            case Not(Missing(column)):
                return f"{self.column(column)} IS NOT NULL"
            case Not(part):
                return f"NOT ({self.condition(part)})"
            case All(parts):
                return " AND ".join(map(self._part, parts))
            case AnyOf(parts):
                return " OR ".join(map(self._part, parts))

    def _part(self, condition: Condition) -> str:
        text = self.condition(condition)
        return f"({text})" if isinstance(condition, All | AnyOf) else text


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items)


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
