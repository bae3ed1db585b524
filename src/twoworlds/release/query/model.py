"""A query: aggregates of a dataset, filtered and grouped. Plain data, built step by step.

>>> from twoworlds.release.query.conditions import column
>>> query = Query("people").where(column("age") >= 18).by("region").count().mean("income")
>>> [aggregate.name for aggregate in query.aggregates]
['count', 'mean_income']

`query_of` reads queries back from plain data, as ledgers and certificates hold them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, get_args

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import exact_text, rational
from twoworlds.release.policy.model import Value, as_value, plain_value
from twoworlds.release.query.conditions import (
    All,
    AnyOf,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
    check_condition,
    check_name,
    plain,
)

_LARGEST_SHARE = Fraction(10**9)
Kind = Literal["count", "people", "sum", "mean", "variance", "quantile"]


@dataclass(frozen=True)
class Aggregate:
    """One column of the answer.

    Attributes:
        kind: ``count`` of rows (of those that have a value, if there is a column), ``people``,
            ``sum``, ``mean``, ``variance`` or ``quantile``.
        column: What is aggregated; none for ``people`` and for a count of rows.
        name: Its heading in the answer.
        where: A filter of its own.
        at: For a quantile, between 0 and 1; 1/2 is the median.
        between: Bounds to which values are clamped, within those of the policy.
        share: How much of the budget it gets, relative to the others.
    """

    kind: Kind
    column: str | None
    name: str
    where: Condition | None = None
    at: Fraction | None = None
    between: tuple[Fraction, Fraction] | None = None
    share: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise UnknownName("aggregate", str(self.kind), get_args(Kind))
        if (self.kind == "quantile") != (self.at is not None):
            raise InvalidInput("a quantile, and nothing else, needs at=, such as 1/2")
        if self.at is not None and not 0 <= self.at <= 1:
            raise InvalidInput(f"at={self.at}: a quantile lies between 0 and 1")
        if self.kind == "people" and self.column is not None:
            raise InvalidInput("people are counted without a column: the policy says who is who")
        if self.kind not in ("count", "people") and self.column is None:
            raise InvalidInput(f"{self.kind} needs a column")
        if self.kind in ("count", "people") and self.between is not None:
            raise InvalidInput(f"between is for values that are added up, not for {self.kind}")
        if self.column is not None:
            check_name(self.column)
        check_name(self.name)
        if self.where is not None:
            check_condition(self.where)
        if self.share <= 0:
            raise InvalidInput(f"share={self.share} must be positive: leave out what is not wanted")
        if not 1 / _LARGEST_SHARE <= self.share <= _LARGEST_SHARE:
            raise InvalidInput(
                f"the share of {self.name!r} is out of range: shares count relative to each other, "
                "so give one from 1e-9 to 1e9"
            )

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "kind": self.kind,
            "column": self.column,
            "name": self.name,
            "where": plain(self.where),
            "at": None if self.at is None else exact_text(self.at),
            "between": None if self.between is None else [exact_text(x) for x in self.between],
            "share": exact_text(self.share),
        }


@dataclass(frozen=True)
class GroupAxis:
    """The groups along one column: as asked, or with the keys or bins of the policy filled in.

    Attributes:
        column: Its name.
        keys: The keys to answer for, in order; each is answered, whether or not it occurs.
        bins: Edges in ascending order: groups [a, b), the last one with its upper edge.
        other: Whether everything else, and missing values, is one more group, the last.
        discover: Whether keys are read off the data, above a threshold that costs a delta.
    """

    column: str
    keys: tuple[Value, ...] = ()
    bins: tuple[Fraction, ...] = ()
    other: bool = False
    discover: bool = False

    def __post_init__(self) -> None:
        check_name(self.column)
        if bool(self.keys) + bool(self.bins) + self.discover > 1:
            raise InvalidInput(
                f"{self.column!r} is grouped by keys, by bins or by discovered keys: give one"
            )
        if self.discover and self.other:
            raise InvalidInput("keys that are discovered leave no group for all others")
        if len(self.bins) == 1 or any(a >= b for a, b in pairwise(self.bins)):
            raise InvalidInput(f"the bins of {self.column!r} need two or more ascending edges")

    @property
    def size(self) -> int:
        """How many groups are declared; 0 when they are discovered."""
        return (len(self.keys) or max(0, len(self.bins) - 1)) + self.other

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "column": self.column,
            "keys": [plain_value(key) for key in self.keys] or None,
            "bins": [exact_text(edge) for edge in self.bins] or None,
            "other": self.other,
            "discover": self.discover,
        }


def group_axis(
    column: str,
    *,
    keys: Iterable[object] | None = None,
    bins: Iterable[object] | None = None,
    other: bool = False,
    discover: bool = False,
) -> GroupAxis:
    """Return the groups that are asked for; None for what the policy says."""
    edges = tuple(rational(edge, "bins") for edge in bins or ())
    wanted = tuple(as_value(key) for key in keys or ())
    if keys is not None and not wanted:
        raise InvalidInput(f"the keys for {column!r} are empty: give at least one")
    if bins is not None and not edges:
        raise InvalidInput(f"the bins of {column!r} need two or more ascending edges")
    return GroupAxis(column, wanted, edges, other, discover)


@dataclass(frozen=True)
class Query:
    """What is asked of one dataset. Every method returns a new query."""

    dataset: str
    aggregates: tuple[Aggregate, ...] = ()
    condition: Condition | None = None
    groups: tuple[GroupAxis, ...] = ()
    joins: tuple[tuple[str, str], ...] = ()  # a public table, and the column found in its key

    def __post_init__(self) -> None:
        """Refuse two columns of the answer with one name, and a condition that is none."""
        if self.condition is not None:
            check_condition(self.condition)
        names = [by.column for by in self.groups] + [a.name for a in self.aggregates]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput(
                    f"two columns of the answer are called {name!r}: rename one, as in "
                    "COUNT(*) AS number"
                )

    def where(self, condition: Condition) -> Query:
        """Keep only rows for which this is true, too."""
        both = condition if self.condition is None else All((self.condition, condition))
        return replace(self, condition=both)

    def by(
        self,
        column: str,
        *,
        keys: Iterable[object] | None = None,
        bins: Iterable[object] | None = None,
        other: bool = False,
        discover: bool = False,
    ) -> Query:
        """Answer separately for each key or bin of a column."""
        axis = group_axis(column, keys=keys, bins=bins, other=other, discover=discover)
        return replace(self, groups=(*self.groups, axis))

    def join(self, table: str, on: str) -> Query:
        """Look up each row in a public table of the policy."""
        return replace(self, joins=(*self.joins, (table, on)))

    def count(self, column: str | None = None, **options: Any) -> Query:
        """Count rows, or rows in which a column has a value."""
        return self._with("count", column, options)

    def people(self, **options: Any) -> Query:
        """Count people, where the policy says which column identifies one."""
        return self._with("people", None, options)

    def sum(self, column: str, **options: Any) -> Query:
        """Add up a column, each value clamped to its bounds."""
        return self._with("sum", column, options)

    def mean(self, column: str, **options: Any) -> Query:
        """Average a column, each value clamped to its bounds."""
        return self._with("mean", column, options)

    def variance(self, column: str, **options: Any) -> Query:
        """Return the variance (divided by n) of a column, each value clamped to its bounds."""
        return self._with("variance", column, options)

    def quantile(self, column: str, at: object, **options: Any) -> Query:
        """Return a quantile of a column from the grid of the policy."""
        return self._with("quantile", column, {"at": rational(at, "at"), **options})

    def median(self, column: str, **options: Any) -> Query:
        """Return the median of a column from the grid of the policy."""
        return self.quantile(column, Fraction(1, 2), **{"name": f"median_{column}", **options})

    def plain(self) -> dict[str, Any]:
        """Return the query as plain data, for the ledger and for certificates."""
        return {
            "dataset": self.dataset,
            "aggregates": [aggregate.plain() for aggregate in self.aggregates],
            "where": plain(self.condition),
            "groups": [by.plain() for by in self.groups],
            "joins": [{"table": table, "on": on} for table, on in self.joins],
        }

    def _with(self, kind: Kind, column: str | None, options: dict[str, Any]) -> Query:
        unknown = options.keys() - {"name", "where", "at", "between", "share"}
        if unknown:
            raise UnknownName("option", min(unknown), ("name", "where", "between", "share"))
        name = options.pop("name", None)
        if name is None:
            name = kind if column is None else f"{kind}_{column}"
        between = options.pop("between", None)
        if between is not None:
            low, high = between
            options["between"] = (rational(low, "between"), rational(high, "between"))
        if "share" in options:
            options["share"] = rational(options["share"], "share")
        aggregate = Aggregate(kind, column, name, **options)
        return replace(self, aggregates=(*self.aggregates, aggregate))


def query_of(data: Any) -> Query:
    """Return the query of which ``Query.plain`` gave this.

    >>> asked = Query("people").by("region").count()
    >>> query_of(asked.plain()) == asked
    True
    """
    try:
        return Query(
            text_of(data["dataset"]),
            tuple(map(_aggregate, data["aggregates"])),
            _condition(data["where"]),
            tuple(map(_axis, data["groups"])),
            tuple((text_of(part["table"]), text_of(part["on"])) for part in data["joins"]),
        )
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise InvalidInput("this is not a query: a field is missing or of the wrong type") from None


def value_of(data: Any) -> Value:
    """Return the constant of which ``plain_value`` gave this."""
    if isinstance(data, (str, bool)):
        return data
    if isinstance(data, Mapping) and data.keys() == {"number"}:
        return _number(data["number"])
    if isinstance(data, Mapping) and data.keys() == {"date"}:
        try:
            return date.fromisoformat(text_of(data["date"]))
        except ValueError:
            raise InvalidInput("a date in the query is not written as 2026-01-31") from None
    raise InvalidInput("this is not a constant of a query")


def _condition(data: Any) -> Condition | None:
    if data is None:
        return None
    keys = data.keys()
    if keys == {"not"}:
        return Not(_part(data["not"]))
    if keys == {"all"}:
        return All(tuple(map(_part, data["all"])))
    if keys == {"any"}:
        return AnyOf(tuple(map(_part, data["any"])))
    column = text_of(data["column"])
    if keys == {"column", "in"}:
        return OneOf(column, tuple(map(value_of, data["in"])))
    if keys == {"column", "is"} and data["is"] == "missing":
        return Missing(column)
    if keys == {"column", "is", "value"}:
        return Compare(column, data["is"], value_of(data["value"]))
    raise InvalidInput("this is not a condition of a query")


def _part(data: Any) -> Condition:
    found = _condition(data)
    if found is None:
        raise InvalidInput("a condition lacks a part")
    return found


def _aggregate(data: Any) -> Aggregate:
    between = data["between"]
    return Aggregate(
        data["kind"],
        None if data["column"] is None else text_of(data["column"]),
        text_of(data["name"]),
        _condition(data["where"]),
        None if data["at"] is None else _number(data["at"]),
        None if between is None else (_number(between[0]), _number(between[1])),
        _number(data["share"]),
    )


def _axis(data: Any) -> GroupAxis:
    keys, bins = data["keys"], data["bins"]
    return group_axis(
        text_of(data["column"]),
        keys=None if keys is None else [*map(value_of, keys)],
        bins=None if bins is None else [*map(_number, bins)],
        other=data["other"] is True,
        discover=data["discover"] is True,
    )


def text_of(value: Any) -> str:
    """Return a text that plain data hold."""
    if not isinstance(value, str):
        raise InvalidInput("a name or number of a query or statement is not a text")
    return value


def _number(value: Any) -> Fraction:
    return rational(text_of(value), "number")
