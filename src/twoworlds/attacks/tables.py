"""Tables as published with k-anonymity: quasi-identifiers, groups, ranges, suppressed cells.

A table is a list of rows, each a mapping from columns to values, or each a tuple whose columns are
0, 1, 2 and so on. Some columns are the *quasi-identifier*: what an attacker may know about a person
from elsewhere. A table is k-anonymous when each row agrees on them with at least k - 1 other rows
(Lin & Kifer, Section 3.2.1). To reach that, numbers are coarsened into ranges, `generalise`, and
other values are replaced by a star, `suppress`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import rational

__all__ = [
    "STAR",
    "Column",
    "Group",
    "Range",
    "Row",
    "anonymity",
    "cell",
    "cells",
    "check_column",
    "columns_of",
    "generalise",
    "listed_columns",
    "named_columns",
    "shown_number",
    "smallest_group",
    "suppress",
    "whole_numbers",
    "written_column",
]

STAR = "*"
_LONG = 1 << 64
_SHOWN = 24

Column = str | int
Row = Mapping[str, Any] | tuple[Any, ...]


_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,"]*))(?:,|\Z)')


@dataclass(frozen=True, order=True)
class Range:
    """The numbers from ``least`` up to, and without, ``below``.

    >>> print(Range(Fraction(0), Fraction(16)))
    0 to below 16
    """

    least: Fraction
    below: Fraction

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float | Fraction) and self.least <= value < self.below

    def __str__(self) -> str:
        return f"{shown_number(self.least)} to below {shown_number(self.below)}"

    def to_dict(self) -> dict[str, Any]:
        """Return both ends exactly; an end with many digits in binary."""
        return {"least": _exact(self.least), "below": _exact(self.below)}


@dataclass(frozen=True)
class Group:
    """Rows that agree on the quasi-identifier.

    Attributes:
        values: What they agree on, by column.
        rows: Where they stand in the table, counted from 0.
    """

    values: tuple[tuple[Column, Any], ...]
    rows: tuple[int, ...]

    def explain(self) -> str:
        """Say what the rows share and how many they are."""
        shared = ", ".join(f"{column} {value}" for column, value in self.values)
        count = f"{len(self.rows)} row{'' if len(self.rows) == 1 else 's'}"
        return f"{count} with {shared}" if shared else count


def anonymity(table: Sequence[Row], quasi_identifier: Sequence[Column]) -> int:
    """Return the largest k for which a table is k-anonymous: the size of its smallest group.

    >>> anonymity([(34, "flu"), (34, "cold"), (51, "flu")], [0])
    1
    """
    return len(smallest_group(table, quasi_identifier).rows)


def smallest_group(table: Sequence[Row], quasi_identifier: Sequence[Column]) -> Group:
    """Return the rows that are hidden among the fewest others; the first such group.

    >>> smallest_group([(34, "flu"), (34, "cold"), (51, "flu")], [0]).explain()
    '1 row with 0 51'
    """
    known = columns_of(table)
    chosen = [check_column(column, known) for column in listed_columns(quasi_identifier)]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, row in enumerate(table):
        groups.setdefault(cells(row, chosen), []).append(number)
    values, rows = min(groups.items(), key=lambda item: len(item[1]))
    return Group(tuple(zip(chosen, values, strict=True)), tuple(rows))


def generalise(table: Sequence[Row], column: Column, boundaries: Sequence[object]) -> list[Row]:
    """Replace the numbers of a column by the range between two boundaries that holds them.

    >>> for row in generalise([{"age": 7}, {"age": 34}], "age", [0, 16, 51]):
    ...     print(row["age"])
    0 to below 16
    16 to below 51
    """
    known = columns_of(table)
    check_column(column, known)
    ends = [rational(boundary, "boundary") for boundary in boundaries]
    if len(ends) < 2 or any(a >= b for a, b in pairwise(ends)):
        raise InvalidInput("boundaries: give two or more numbers, each larger than the one before")
    ranges = [Range(a, b) for a, b in pairwise(ends)]
    changed = []
    for number, row in enumerate(table):
        value = cell(row, column)
        if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
            raise InvalidInput(
                f"row {number} has {column}={value!r}, which is no number: only numbers are "
                "generalised to ranges"
            )
        if not ends[0] <= value < ends[-1]:
            raise InvalidInput(
                f"row {number} has {column}={value}, outside of the boundaries from "
                f"{shown_number(ends[0])} to below {shown_number(ends[-1])}: add a boundary"
            )
        changed.append(_changed(row, {column: ranges[bisect_right(ends, value) - 1]}))
    return changed


def suppress(table: Sequence[Row], columns: Sequence[Column]) -> list[Row]:
    """Replace all values of some columns by a star."""
    known = columns_of(table)
    stars = {check_column(column, known): STAR for column in columns}
    return [_changed(row, stars) for row in table]


def columns_of(table: Sequence[Row]) -> tuple[Column, ...]:
    """Return the columns of a table in order, once it is known to be one without gaps.

    Raises:
        InvalidInput: when it has no rows, rows of different columns, or a missing value.
    """
    given: object = table
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidInput(f"table: expected a list of rows, not {type(given).__name__}")
    if not table:
        raise InvalidInput("the table is empty: there is nobody to hide, and nothing to publish")
    columns = _keys(table[0], 0)
    for number, row in enumerate(table):
        keys = _keys(row, number)
        for column in keys:
            if column not in columns:
                raise InvalidInput(f"row {number} has a column {column!r} that row 0 has not")
        for column in columns:
            if column not in keys:
                raise InvalidInput(f"row {number} has no {column!r}: give every row every column")
            _check(cell(row, column), column, number)
    return columns


def cell(row: Row, column: Column) -> Any:
    """Return one value of a row."""
    return row[column]  # type: ignore[index]


def cells(row: Row, columns: Sequence[Column]) -> tuple[Any, ...]:
    """Return the values of a row in the order of the columns."""
    return tuple(cell(row, column) for column in columns)


def whole_numbers(table: Sequence[Row], column: Column) -> list[int]:
    """Return the values of a column of whole numbers."""
    found = []
    for number, row in enumerate(table):
        value = cell(row, column)
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidInput(
                f"row {number} has {column}={value!r}: the column to generalise holds whole "
                "numbers, such as ages in years; choose another one with column=, or count in a "
                "smaller unit"
            )
        found.append(value)
    return found


def _keys(row: object, number: int) -> tuple[Column, ...]:
    if isinstance(row, Mapping):
        if odd := [name for name in row if not isinstance(name, str)]:
            raise InvalidInput(f"row {number} has a column {odd[0]!r}: names of columns are text")
        return tuple(row)
    if isinstance(row, tuple):
        return tuple(range(len(row)))
    raise InvalidInput(
        f"row {number} is of type {type(row).__name__}: give a mapping from columns to values, or "
        "a tuple"
    )


def _check(value: object, column: Column, number: int) -> None:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        raise InvalidInput(
            f"row {number} has no value for {column!r} ({value}): fill it in, or leave the row out"
        )
    if not isinstance(value, str | int | float | Fraction | Range):
        raise InvalidInput(
            f"row {number} has {column}={value!r} of type {type(value).__name__}: values are text "
            "and numbers"
        )


def listed_columns(columns: object) -> tuple[Column, ...]:
    """Return the columns of a quasi-identifier."""
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise InvalidInput(f"quasi_identifier={columns!r}: give a list of columns")
    return tuple(columns)


def named_columns(text: str) -> list[str]:
    """Read names of columns with commas between them; any name may stand in double quotes.

    Inside quotes a comma and blanks are part of the name, and two quotes are one.

    >>> named_columns('zip, "age, in years", " sex"')
    ['zip', 'age, in years', ' sex']

    Raises:
        InvalidInput: for a quote that is not closed, or stands in the middle of a name.
    """
    found, at = [], 0
    while at < len(text):
        name = _NAME.match(text, at)
        if name is None:
            raise InvalidInput(
                f"{text!r} is no list of columns: write a,b,c, and a name with a comma, a quote or "
                "blanks at its ends in double quotes"
            )
        quoted, bare = name.groups()
        found.append(bare.strip() if quoted is None else quoted.replace('""', '"'))
        at = name.end()
    return [one for one in found if one]


def written_column(name: str) -> str:
    """Write the name of a column as `named_columns` reads it.

    >>> written_column("zip"), written_column("age, in years")
    ('zip', '"age, in years"')
    """
    if name == name.strip() and not {",", '"'} & {*name} and name:
        return name
    return '"' + name.replace('"', '""') + '"'


def check_column(column: Column, known: Sequence[Column]) -> Column:
    """Return the column if the table has it."""
    if column not in known:
        names = ", ".join(map(str, known))
        raise InvalidInput(f"there is no column {column!r}: the table has {names}")
    return column


def _changed(row: Row, values: Mapping[Column, Any]) -> Row:
    if isinstance(row, Mapping):
        return {column: values.get(column, value) for column, value in row.items()}
    return tuple(values.get(column, value) for column, value in enumerate(row))


def _is_long(value: Fraction) -> bool:
    """Tell whether a number has so many binary digits that they are written as such."""
    return value.denominator >= _LONG and value.denominator & (value.denominator - 1) == 0


def _digits(value: Fraction) -> str:
    part = value % 1
    return f"{part.numerator:0{part.denominator.bit_length() - 1}b}"


def shown_number(value: Fraction) -> str:
    """Write a number; one with many binary digits by the first of them."""
    if not _is_long(value):
        return str(value)
    digits = _digits(value)
    return f"{math.floor(value)}.{digits[:_SHOWN]}... (binary)"


def _exact(value: Fraction) -> Any:
    if not _is_long(value):
        return str(value)
    return {"whole": math.floor(value), "binary_digits": _digits(value)}
