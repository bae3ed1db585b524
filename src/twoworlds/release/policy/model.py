r"""What the owner of the data declares: bounds, keys, the privacy unit, what is public, budgets.

Constants of queries and policies are numbers, texts, dates and truth values (`Value`). Nothing here
is read off the data. A column that is not declared cannot be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import Side, exact_text, rational, show
from twoworlds.release.budget import Cap

Value = str | bool | Fraction | date


def check_value(value: object) -> None:
    """Refuse what is no constant of a query."""
    if isinstance(value, datetime) or not isinstance(value, (str, bool, Fraction, date)):
        raise InvalidInput(
            f"a constant is a number, a text, a date or a truth value, not {type(value).__name__}"
        )


def as_value(value: object) -> Value:
    """Return a constant, numbers exactly.

    >>> as_value(18), as_value("north")
    (Fraction(18, 1), 'north')
    """
    if not isinstance(value, bool) and isinstance(value, (int, float)):
        return rational(value, "a constant")
    check_value(value)
    return value  # type: ignore[return-value]  # checked


def plain_value(value: Value) -> Any:
    """Return a constant as plain data, which tells a number from a text and a date.

    >>> plain_value(Fraction(1, 2)), plain_value("1/2")
    ({'number': '1/2'}, '1/2')
    """
    match value:
        case bool() | str():
            return value
        case Fraction():
            return {"number": exact_text(value)}
        case _:
            return {"date": value.isoformat()}


def shown_value(value: Value) -> str:
    """Return a constant as a person would write it.

    >>> shown_value(Fraction(5, 2)), shown_value(True)
    ('5/2', 'true')
    """
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case Fraction():
            return str(exact_text(value))
        case _:
            return value.isoformat()


ENDLESS = 10**60  # nobody reads the digits of such a number


def grouped(x: Fraction, side: Side = "about") -> str:
    """Return a number for people, a whole one with separators.

    >>> grouped(Fraction(485200000)), grouped(Fraction(5, 2))
    ('485,200,000', '5/2 (2.5)')
    """
    if x.denominator == 1 and abs(x) >= ENDLESS:
        digits = str(abs(x.numerator))
        return f"{'-' * (x < 0)}{digits[:8]}... ({len(digits):,} digits)"
    return f"{x.numerator:,}" if x.denominator == 1 else show(x, side=side)


UNDECLARED = "which the policy does not declare"  # a column; the table may have it
ColumnKind = Literal["integer", "number", "text", "boolean", "date"]
Neighbours = Literal["add-remove", "substitute"]


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        name: As in the table.
        kind: ``integer``, ``number``, ``text``, ``boolean`` or ``date``.
        low: The smallest value, ``high`` the largest; others are clamped. Multiples of ``unit``.
        unit: The step to which values are rounded before they are added up.
        keys: The values by which rows can be grouped.
        bins: Edges by which rows can be grouped: [a, b), the last one with its upper edge.
        grid: The values a quantile can take, ascending multiples of ``unit``.
        fill: What a missing value counts as; rows without a value are left out when None.
    """

    name: str
    kind: ColumnKind
    low: Fraction | None = None
    high: Fraction | None = None
    unit: Fraction = Fraction(1)
    keys: tuple[Value, ...] = ()
    bins: tuple[Fraction, ...] = ()
    grid: tuple[Fraction, ...] = ()
    fill: Fraction | None = None

    def __post_init__(self) -> None:
        """Refuse what no policy declares; a policy file says which field is wrong."""
        if self.kind not in get_args(ColumnKind):
            raise InvalidInput(f"column {self.name!r} has the kind {self.kind!r}, which is none")
        ascending = all(a < b for edges in (self.bins, self.grid) for a, b in pairwise(edges))
        ordered = self.low is None or self.high is None or self.low <= self.high
        if self.unit <= 0 or not (ascending and ordered) or len({*self.keys}) < len(self.keys):
            raise InvalidInput(
                f"column {self.name!r} needs a positive unit, ordered bounds, ascending bins and "
                "grid, and each key once: declare it so"
            )


@dataclass(frozen=True)
class Unit:
    """Whose data is protected: a row, or a person with at most so many rows and groups a query.

    Attributes:
        person: The column that identifies a person; None when every row is its own person.
        rows: How many rows of a person a query uses at most; others are left out by the engine.
        groups: In how many groups of a query a person appears at most.
    """

    person: str | None = None
    rows: int = 1
    groups: int = 1


@dataclass(frozen=True)
class PublicTable:
    """A table that is public, in which rows are looked up by a key that is unique in it."""

    name: str
    source: Any
    key: str
    columns: Mapping[str, Column] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """One table of people.

    Attributes:
        name: As queries call it.
        source: Where it lives; see `twoworlds.release.backends`. None when it is given in Python.
        neighbours: ``add-remove`` one unit, or ``substitute`` one for another.
        unit: Whose data is protected.
        columns: What is declared, by name.
        public: Public tables, by name.
        version: Of the data: a stored answer is repeated only for the same version.
        frozen: Whether the owner promises that the data of this version never change, so that what
            is read at different moments is of one table.
        cap: The most that may be spent on it in all; None when none is declared.
        analysts: The most that each analyst may spend on it.
        review: Whether a release needs a proposal that a reviewer has approved.
    """

    name: str
    source: Any
    neighbours: Neighbours
    unit: Unit = Unit()
    columns: Mapping[str, Column] = field(default_factory=dict)
    public: Mapping[str, PublicTable] = field(default_factory=dict)
    version: str = "1"
    cap: Cap | None = None
    analysts: Mapping[str, Cap] = field(default_factory=dict)
    frozen: bool = False
    review: bool = False

    def __post_init__(self) -> None:
        """Refuse a column that cannot tell people apart exactly."""
        person = self.columns.get(self.unit.person or "")
        if person is not None and person.kind not in ("integer", "text"):
            raise InvalidInput(
                f"{self.name}: column {person.name!r} identifies a person and is declared "
                f"{person.kind}, by which different people may be taken for one: declare it "
                "integer or text"
            )

    def column(self, name: str) -> Column:
        """Return a declared column: of the dataset, or ``table.column`` of a public table."""
        if name in self.columns:
            return self.columns[name]
        table, dot, rest = name.partition(".")
        if dot and table in self.public and rest in self.public[table].columns:
            return self.public[table].columns[rest]
        known = [*self.columns]
        known += [f"{t.name}.{c}" for t in self.public.values() for c in t.columns]
        raise UnknownName("column", name, known, which=UNDECLARED)


@dataclass(frozen=True)
class Policy:
    """Datasets, and where the ledger is.

    Attributes:
        datasets: By name.
        ledger: A path or a postgresql:// address; ``mark`` is where its high-water mark is kept.
        folder: What relative paths start from.
        text: What was read, if it was read from a text.

    >>> Policy({}, ledger="ledger.db").ledger
    'ledger.db'
    """

    datasets: Mapping[str, Dataset]
    ledger: str | None = None
    mark: str | None = None
    folder: Path = Path()
    text: str = field(default="", repr=False, compare=False)

    def dataset(self, name: str) -> Dataset:
        """Return a dataset."""
        if not self.datasets:
            raise InvalidInput("the policy declares no dataset: add one under datasets:")
        if name not in self.datasets:
            raise UnknownName("dataset", name, self.datasets)
        return self.datasets[name]
