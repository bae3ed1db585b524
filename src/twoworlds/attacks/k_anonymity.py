"""Why k-anonymity protects nothing by itself: an encoder, its decoder, and what follows.

k-anonymity is a rule about the published table alone, whatever algorithm made it. A bucket of ages
may end anywhere between two ages: `encode` publishes a table in which everybody is hidden among k,
and lets the digits behind the point of the first bucket's end spell out the whole input (Lin &
Kifer, Section 4.1.1); `decode` reads it back from the published table alone. So whoever trusts
every algorithm with k-anonymous output trusts the encoder, by post-processing (Axiom 4.1) the
algorithm that publishes its input, and so every algorithm: the consistent normal form holds all of
them, the row cone is the non-negative orthant, and no statement about any attacker is left.

A rule about the algorithm is another matter. If every output comes from at least k databases, as
in `many_to_one_cone`, something remains: no database is likelier than all others together.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

from twoworlds.attacks.tables import (
    STAR,
    Column,
    Group,
    Range,
    Row,
    anonymity,
    cell,
    cells,
    check_column,
    columns_of,
    generalise,
    listed_columns,
    shown_number,
    smallest_group,
    suppress,
    whole_numbers,
)
from twoworlds.cards.explained import Explained
from twoworlds.cones.cone import Cone
from twoworlds.cones.normal_form import consistent_normal_form_contains
from twoworlds.cones.row_cone import RowCone, listed_universe
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms import Dense
from twoworlds.numbers import whole
from twoworlds.worlds import Explicit, Records, Universe
from twoworlds.worlds.catalogue import universe as build_universe

__all__ = [
    "Collapse",
    "Group",
    "Range",
    "anonymity",
    "collapse",
    "decode",
    "demonstration",
    "encode",
    "encoder",
    "everything_is_trusted",
    "generalise",
    "many_to_one_cone",
    "smallest_group",
]

_MOST_BYTES = 1 << 16
_MOST_BLOCKS = 1 << 16
_PATIENTS = (
    {"name": "Alice", "age": 34, "diagnosis": "flu"},
    {"name": "Bob", "age": 51, "diagnosis": "measles"},
    {"name": "Carol", "age": 29, "diagnosis": "flu"},
    {"name": "Dave", "age": 62, "diagnosis": "asthma"},
    {"name": "Erin", "age": 47, "diagnosis": "flu"},
    {"name": "Frank", "age": 29, "diagnosis": "asthma"},
)


@dataclass(frozen=True)
class Collapse(Explained):
    """A table, what the encoder publishes of it, and what the decoder reads from that.

    Attributes:
        table: The input.
        k: What was asked for.
        column: The numbers that were coarsened into ranges.
        quasi_identifier: The columns on which the rows of a group agree.
        published: The k-anonymous table.
        decoded: What the published table gives away.
    """

    table: tuple[Row, ...]
    k: int
    column: Column
    quasi_identifier: tuple[Column, ...]
    published: tuple[Row, ...]
    decoded: tuple[Row, ...]

    @property
    def smallest_group(self) -> Group:
        """The published rows that are hidden among the fewest others."""
        return smallest_group(self.published, self.quasi_identifier)

    @property
    def boundary(self) -> Fraction:
        """The end of the first range, whose digits spell out the table."""
        return _first_range(self.published).below

    @property
    def boundary_text(self) -> str:
        """The end of the first range, with its first digits."""
        return shown_number(self.boundary)

    def verify(self) -> bool:
        """Check everything again: published is an honest k-anonymous version, decoded the input."""
        if anonymity(self.published, self.quasi_identifier) < self.k:
            return False
        columns = columns_of(self.table)
        honest = all(
            seen in (value, STAR) or (isinstance(seen, Range) and value in seen)
            for row, shown in zip(self.table, self.published, strict=True)
            for value, seen in zip(cells(row, columns), cells(shown, columns), strict=True)
        )
        return honest and decode(self.published) == list(self.table) == list(self.decoded)

    def explain(self) -> str:
        """Say what was published, what it gives away, and what follows for k-anonymity."""
        names = ", ".join(map(str, self.quasi_identifier))
        digits = self.boundary.denominator.bit_length() - 1
        return (
            f"The published table is {len(self.smallest_group.rows)}-anonymous on {names}: no "
            f"group is smaller. Yet its first range of {self.column} ends at {self.boundary_text}, "
            f"and these {digits} digits behind the point spell out the whole input: all "
            f"{len(self.decoded)} rows are read back exactly. "
            "Whoever trusts every algorithm with a k-anonymous output trusts this one, and with it "
            "the one that publishes its input, and so every algorithm: nothing is protected "
            "(Lin & Kifer, Section 4.1.1)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "table": _plain(self.table),
            "k": self.k,
            "column": self.column,
            "quasi_identifier": list(self.quasi_identifier),
            "published": _plain(self.published),
            "anonymity": len(self.smallest_group.rows),
            "smallest_group": self.smallest_group.explain(),
            "decoded": _plain(self.decoded),
            "recovered": list(self.decoded) == list(self.table),
            "explanation": self.explain(),
        }


def demonstration() -> Collapse:
    """Collapse 2-anonymity on six patients.

    >>> found = demonstration()
    >>> print(found.published[1]["age"], found.published[1]["name"])
    51 to below 63 *
    >>> found.decoded[3]
    {'name': 'Dave', 'age': 62, 'diagnosis': 'asthma'}
    """
    return collapse(_PATIENTS, 2, column="age")


def collapse(
    table: Sequence[Row],
    k: object,
    *,
    column: Column | None = None,
    quasi_identifier: Sequence[Column] | None = None,
) -> Collapse:
    """Publish a k-anonymous version of a table, and read the table back from it.

    Args:
        table: Rows as mappings or tuples of text and numbers.
        k: How many rows at least agree on the quasi-identifier.
        column: Of whole numbers, coarsened into ranges; the first such column if left out.
        quasi_identifier: Its other columns are replaced by stars; all columns if left out.

    >>> found = collapse([(34, "flu"), (51, "measles"), (29, "flu")], 3)
    >>> [cell for _, cell in found.published], found.decoded[1], found.verify()
    (['*', '*', '*'], (51, 'measles'), True)
    """
    columns_of(table)
    rows = tuple(table)
    chosen = _numeric(rows) if column is None else column
    names = columns_of(rows) if quasi_identifier is None else listed_columns(quasi_identifier)
    published = encode(rows, k, column=chosen, quasi_identifier=names)
    size = whole(k, "k", at_least=1)
    return Collapse(rows, size, chosen, names, tuple(published), tuple(decode(published)))


def encode(
    table: Sequence[Row], k: object, *, column: Column, quasi_identifier: Sequence[Column]
) -> list[Row]:
    """Publish a k-anonymous table whose first range spells out the whole input in its end.

    Raises:
        InvalidInput: when there are fewer than k rows, or the column is not of whole numbers.
    """
    size = whole(k, "k", at_least=1)
    known = columns_of(table)
    for name in (column, *listed_columns(quasi_identifier)):
        check_column(name, known)
    if column not in quasi_identifier:
        raise InvalidInput(f"{column!r} is generalised, so it belongs to the quasi-identifier")
    if len(table) < size:
        raise InvalidInput(f"{len(table)} rows cannot be hidden among k={size}: choose a smaller k")
    values = whole_numbers(table, column)
    starts = _starts(sorted(values), size)
    # Values are whole, so an end anywhere in (end - 1, end) makes the same groups as end does.
    ends = [Fraction(end) for end in (*starts[1:], max(values) + 1)]
    boundaries = [Fraction(starts[0]), ends[0] - 1 + _spelled(table), *ends[1:]]
    others = [name for name in quasi_identifier if name != column]
    return suppress(generalise(table, column, boundaries), others)


def decode(published: Sequence[Row]) -> list[Row]:
    """Read the input back from the published table alone.

    >>> decode(encode([(34,), (51,)], 2, column=0, quasi_identifier=[0]))
    [(34,), (51,)]
    """
    digits = _first_range(published).below % 1
    length = (digits.denominator.bit_length() - 2) // 8
    try:
        text = (digits.numerator >> 1).to_bytes(length, "big").decode()
        data = json.loads(text)
        names, rows = data["columns"], [[_unwritten(cell) for cell in row] for row in data["rows"]]
    except (ValueError, OverflowError, TypeError, KeyError) as error:
        raise InvalidInput("the first range of this table spells out nothing") from error
    if names is None:
        return [tuple(row) for row in rows]
    return [dict(zip(names, row, strict=True)) for row in rows]


# --- on a whole universe ------------------------------------------------------------------------


def encoder(values: Sequence[int], people: object, k: object) -> Dense:
    """Return the encoder as a matrix, for all tables of so many people with these ages.

    >>> encoder([0, 1], people=2, k=2).rows[1]
    (Fraction(0, 1), Fraction(1, 1), Fraction(0, 1), Fraction(0, 1))
    """
    count = whole(people, "people", at_least=1)
    universe = Records(list(values), count)
    listed_universe(universe, "the encoder")
    tables = {
        x: tuple(encode([(age,) for age in x], k, column=0, quasi_identifier=[0])) for x in universe
    }
    outputs = tuple(dict.fromkeys(tables.values()))
    rows = [[int(tables[x] == output) for x in universe] for output in outputs]
    return Dense(universe, Explicit(outputs), rows, expression=f"a {k}-anonymous encoder")


def everything_is_trusted(values: Sequence[int], people: object, k: object) -> Verdict:
    """Decide that publishing the input is a post-processing of the k-anonymous encoder.

    >>> bool(everything_is_trusted([0, 1], people=2, k=2))
    True
    """
    base = encoder(values, people, k)
    same = [[int(x == y) for x in base.universe] for y in base.universe]
    identity = Dense(base.universe, base.universe, same, expression="publish the input")
    return consistent_normal_form_contains(identity, base)


def many_to_one_cone(universe: str | Universe, k: object) -> RowCone:
    """Return the row cone of the deterministic algorithms with at least k databases per output.

    >>> cone = many_to_one_cone("bits(2)", 2)
    >>> cone.inequalities()[0].text()
    'x00 <= x11 + x10 + x01'
    """
    size = whole(k, "k", at_least=1)
    where = listed_universe(build_universe(universe), f"{size} databases per output")
    total = len(where.positions)
    if total < size:
        raise InvalidInput(f"k={size}, but {where.expression} has {total} databases")
    # What one output leaves must be enough for others; larger sets are sums of smaller ones.
    block = size if total >= 2 * size else total
    if comb(total, block) > _MOST_BLOCKS:
        raise TooLarge(
            f"{total} databases have {comb(total, block)} sets of {block}, and up to "
            f"{_MOST_BLOCKS} are listed: use fewer databases"
        )
    rays = [
        [int(place in chosen) for place in range(total)]
        for chosen in map(set, combinations(range(total), block))
    ]
    source = f"deterministic algorithms with at least {size} databases per output"
    return RowCone(where, Cone.from_rays(rays, dimension=total), source)


# --- parts --------------------------------------------------------------------------------------


def _numeric(table: Sequence[Row]) -> Column:
    for column in columns_of(table):
        if all(type(cell(row, column)) is int for row in table):
            return column
    raise InvalidInput(
        "no column holds whole numbers only, such as ages in years, that could be coarsened into "
        "ranges"
    )


def _starts(values: Sequence[int], k: int) -> list[int]:
    """Return where buckets of at least k sorted values begin; equal values stay together."""
    starts = [values[0]]
    first = 0
    for place in range(1, len(values)):
        enough = place - first >= k and len(values) - place >= k
        if enough and values[place] > values[place - 1]:
            starts.append(values[place])
            first = place
    return starts


def _spelled(table: Sequence[Row]) -> Fraction:
    """Return a number in (0, 1) whose binary digits are the table as text, then a 1 as a mark."""
    columns = columns_of(table)
    names = None if isinstance(table[0], tuple) else columns
    rows = [[_written(value) for value in cells(row, columns)] for row in table]
    text = json.dumps({"columns": names, "rows": rows}, separators=(",", ":")).encode()
    if len(text) > _MOST_BYTES:
        raise TooLarge(
            f"the table takes {len(text)} bytes as text, and up to {_MOST_BYTES} are encoded: "
            "show it on a part of the table"
        )
    return Fraction(2 * int.from_bytes(text, "big") + 1, 1 << (8 * len(text) + 1))


def _written(value: object) -> object:
    return {"fraction": str(value)} if isinstance(value, Fraction) else value


def _unwritten(value: Any) -> Any:
    return Fraction(value["fraction"]) if isinstance(value, dict) else value


def _first_range(published: Sequence[Row]) -> Range:
    columns = columns_of(published)
    found = [x for row in published for x in cells(row, columns) if isinstance(x, Range)]
    if not found:
        raise InvalidInput("no column of this table holds ranges: there is nothing to decode")
    return min(found)


def _plain(table: Sequence[Row]) -> list[Any]:
    columns = columns_of(table)

    def shown(value: Any) -> Any:
        if isinstance(value, Range):
            return value.to_dict()
        return str(value) if isinstance(value, Fraction) else value

    rows = [[shown(value) for value in cells(row, columns)] for row in table]
    if isinstance(table[0], tuple):
        return rows
    return [dict(zip(columns, row, strict=True)) for row in rows]
