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
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer, Table
from twoworlds.attacks.tables.cells import Interval
from twoworlds.attacks.tables.table import check_columns
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import rational, whole
from twoworlds.show import Told

if TYPE_CHECKING:
    from twoworlds.cones.row_cone import RowCone
    from twoworlds.definitions.verdict import Verdict
    from twoworlds.mechanisms import Dense
    from twoworlds.worlds import Universe

STAR = "*"
_MOST_BYTES = 1 << 16
_MOST_BLOCKS = 1 << 16
_LONG, _SHOWN = 1 << 64, 24  # numbers with more binary digits are written with the first of them
_PATIENTS = (
    {"name": "Alice", "age": 34, "diagnosis": "flu"},
    {"name": "Bob", "age": 51, "diagnosis": "measles"},
    {"name": "Carol", "age": 29, "diagnosis": "flu"},
    {"name": "Dave", "age": 62, "diagnosis": "asthma"},
    {"name": "Erin", "age": 47, "diagnosis": "flu"},
    {"name": "Frank", "age": 29, "diagnosis": "asthma"},
)

Row = Mapping[str, Any]


def demonstration() -> Told:
    """Collapse 2-anonymity on six patients.

    >>> found = demonstration().data
    >>> found["published"][1]
    {'name': '*', 'age': {'least': '51', 'below': '63'}, 'diagnosis': '*'}
    >>> found["decoded"][3]
    {'name': 'Dave', 'age': 62, 'diagnosis': 'asthma'}
    """
    return collapse(_PATIENTS, 2, column="age")


def collapse(
    table: Sequence[Row],
    k: object,
    *,
    column: str | None = None,
    quasi_identifier: Sequence[str] | None = None,
) -> Told:
    """Publish a k-anonymous version of a table, and read the table back from it.

    Args:
        table: Rows as mappings from columns to text and numbers.
        k: How many rows at least agree on the quasi-identifier.
        column: Of whole numbers, coarsened into ranges; the first such column if left out.
        quasi_identifier: Its other columns are replaced by stars; all columns if left out.

    >>> found = collapse([{"age": 34, "has": "flu"}, {"age": 51, "has": "measles"}], 2).data
    >>> [row["has"] for row in found["published"]], found["decoded"][1], found["recovered"]
    (['*', '*'], {'age': 51, 'has': 'measles'}, True)
    """
    columns = _columns(table)
    chosen = column
    if chosen is None:
        chosen = next((c for c in columns if all(type(row[c]) is int for row in table)), None)
    if chosen is None:
        raise InvalidInput(
            "no column holds whole numbers only, such as ages in years, that could be coarsened "
            "into ranges"
        )
    names = columns if quasi_identifier is None else tuple(quasi_identifier)
    published = encode(table, k, column=chosen, quasi_identifier=names)
    decoded = decode(published)
    groups = Counter(tuple(row[name] for name in names) for row in published)
    shared, size = min(groups.items(), key=lambda one: one[1])
    of_group = ", ".join(f"{n} {value}" for n, value in zip(names, shared, strict=True))
    end = _first_end(published)
    said = (
        f"The published table is {size}-anonymous on {', '.join(names)}, and it gives "
        f"all {len(decoded)} rows of the input away. Its first range of {chosen} "
        f"ends at {_written(end)}, and these {end.denominator.bit_length() - 1} digits behind the "
        "point spell out the whole input, which is read back exactly. To trust every algorithm "
        "with a k-anonymous output is to trust this one, and with it the one that publishes its "
        "input: nothing is protected (Lin & Kifer, Section 4.1.1)."
    )
    tables = [
        Table([*rows[0]], [[str(value) for value in row.values()] for row in rows], lead)
        for lead, rows in (("Published:", published), ("Decoded from it:", decoded))
    ]
    data = {
        "table": _plain(table),
        "k": whole(k, "k", at_least=1),
        "column": chosen,
        "quasi_identifier": names,
        "published": _plain(published),
        "anonymity": size,
        "smallest_group": f"{size} row{'' if size == 1 else 's'} with {of_group}",
        "decoded": _plain(decoded),
        "recovered": decoded == [*table],
        "explanation": said,
    }
    return Told(Answer.of(said, *tables), data)


def encode(
    table: Sequence[Row], k: object, *, column: str, quasi_identifier: Sequence[str]
) -> list[Row]:
    """Publish a k-anonymous table whose first range spells out the whole input in its end."""
    size = whole(k, "k", at_least=1)
    columns = _columns(table, column, *quasi_identifier)
    if column not in quasi_identifier:
        raise InvalidInput(f"{column!r} is generalised, so it belongs to the quasi-identifier")
    if len(table) < size:
        raise InvalidInput(f"{len(table)} rows cannot be hidden among k={size}: choose a smaller k")
    for number, row in enumerate(table):
        if type(row[column]) is not int:
            raise InvalidInput(
                f"row {number} has {column}={row[column]!r}: the column to generalise holds whole "
                "numbers, such as ages in years; choose another one with column=, or count in a "
                "smaller unit"
            )
    values = sorted(row[column] for row in table)
    starts, first = [values[0]], 0  # of buckets of at least k; equal values stay together
    for place in range(size, len(values) - size + 1):
        if place - first >= size and values[place] > values[place - 1]:
            starts.append(values[place])
            first = place
    # Values are whole, so an end anywhere in (end - 1, end) makes the same groups as end does.
    ends = [Fraction(end) for end in (*starts[1:], values[-1] + 1)]
    boundaries = [Fraction(starts[0]), ends[0] - 1 + _spelled(table, columns), *ends[1:]]
    stars = dict.fromkeys((name for name in quasi_identifier if name != column), STAR)
    return [{**row, **stars} for row in generalise(table, column, boundaries)]


def generalise(table: Sequence[Row], column: str, boundaries: Sequence[object]) -> list[Row]:
    """Replace the numbers of a column by the range between two boundaries that holds them.

    >>> for row in generalise([{"age": 7}, {"age": 34}], "age", [0, 16, 51]):
    ...     print(row["age"])
    0 to below 16
    16 to below 51
    """
    _columns(table, column)
    ends = [rational(boundary, "boundary") for boundary in boundaries]
    if len(ends) < 2 or any(a >= b for a, b in pairwise(ends)):
        raise InvalidInput("boundaries: give two or more numbers, each larger than the one before")
    ranges = [
        Interval(f"{_written(a)} to below {_written(b)}", a, b, with_low=True)
        for a, b in pairwise(ends)
    ]
    changed: list[Row] = []
    for number, row in enumerate(table):
        value = row[column]
        if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
            raise InvalidInput(
                f"row {number} has {column}={value!r}, which is not a number: only numbers are "
                "generalised to ranges"
            )
        if not ends[0] <= value < ends[-1]:
            raise InvalidInput(
                f"row {number} has {column}={value}, outside of the boundaries from "
                f"{_written(ends[0])} to below {_written(ends[-1])}: add a boundary"
            )
        changed.append({**row, column: ranges[bisect_right(ends, value) - 1]})
    return changed


def decode(published: Sequence[Row]) -> list[Row]:
    """Read the input back from the published table alone.

    >>> decode(encode([{"age": 34}, {"age": 51}], 2, column="age", quasi_identifier=["age"]))
    [{'age': 34}, {'age': 51}]
    """
    digits = _first_end(published) % 1
    length = (digits.denominator.bit_length() - 2) // 8
    try:
        data = json.loads((digits.numerator >> 1).to_bytes(length, "big").decode())
        return [
            {
                name: Fraction(value["fraction"]) if isinstance(value, dict) else value
                for name, value in zip(data["columns"], row, strict=True)
            }
            for row in data["rows"]
        ]
    except (ValueError, OverflowError, TypeError, KeyError) as error:
        raise InvalidInput("the first range of this table spells out nothing") from error


def encoder(values: Sequence[int], people: object, k: object) -> Dense:
    """Return the encoder as a matrix, for all tables of so many people with these ages.

    >>> encoder([0, 1], people=2, k=2).rows[1]
    (Fraction(0, 1), Fraction(1, 1), Fraction(0, 1), Fraction(0, 1))
    """
    from twoworlds.cones.row_cone import listed_universe
    from twoworlds.mechanisms import Dense
    from twoworlds.worlds import Explicit, Records

    universe = Records(list(values), whole(people, "people", at_least=1))
    listed_universe(universe, "the encoder")
    tables = {}
    for x in universe:
        rows = [{"age": one} for one in x]
        published = encode(rows, k, column="age", quasi_identifier=["age"])
        tables[x] = tuple(row["age"] for row in published)
    outputs = tuple(dict.fromkeys(tables.values()))
    matrix = [[int(tables[x] == output) for x in universe] for output in outputs]
    return Dense(universe, Explicit(outputs), matrix, expression=f"a {k}-anonymous encoder")


def everything_is_trusted(values: Sequence[int], people: object, k: object) -> Verdict:
    """Decide that publishing the input is a post-processing of the k-anonymous encoder.

    >>> bool(everything_is_trusted([0, 1], people=2, k=2))
    True
    """
    from twoworlds.cones.normal_form import consistent_normal_form_contains
    from twoworlds.mechanisms import Dense

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
    from twoworlds.cones.cone import Cone
    from twoworlds.cones.row_cone import RowCone, listed_universe
    from twoworlds.worlds.catalogue import universe as build_universe

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


def _columns(table: Sequence[Row], *needed: str) -> tuple[str, ...]:
    """Return the columns of a table, once it is known to have the needed ones, and no gaps."""
    if not isinstance(table, list | tuple):
        raise InvalidInput(f"table: expected a list of rows, not {type(table).__name__}")
    if not table:
        raise InvalidInput("the table is empty: there is nobody to hide, and nothing to publish")
    for number, row in enumerate(table):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"row {number} is of type {type(row).__name__}: give mappings")
        if row.keys() != table[0].keys():
            raise InvalidInput(f"row {number} has other columns than row 0: give every row all")
        for column, value in row.items():
            if value is None or (isinstance(value, float) and not math.isfinite(value)):
                raise InvalidInput(
                    f"row {number} has no value for {column!r} ({value}): fill it in, or leave the "
                    "row out"
                )
            if not isinstance(value, str | int | float | Fraction | Interval):
                raise InvalidInput(
                    f"row {number} has {column}={value!r} of type {type(value).__name__}: values "
                    "are text and numbers"
                )
    check_columns("the table", table[0], needed)
    return tuple(table[0])


def _spelled(table: Sequence[Row], columns: Sequence[str]) -> Fraction:
    """Return a number in (0, 1) whose binary digits are the table as text, then a 1 as a mark."""
    rows = [
        [{"fraction": str(v)} if isinstance(v, Fraction) else v for v in map(row.get, columns)]
        for row in table
    ]
    text = json.dumps({"columns": columns, "rows": rows}, separators=(",", ":")).encode()
    if len(text) > _MOST_BYTES:
        raise TooLarge(
            f"the table takes {len(text)} bytes as text, and up to {_MOST_BYTES} are encoded: "
            "show it on a part of the table"
        )
    return Fraction(2 * int.from_bytes(text, "big") + 1, 1 << (8 * len(text) + 1))


def _first_end(published: Sequence[Row]) -> Fraction:
    """Return the end of the first range."""
    ranges = [value for row in published for value in row.values() if isinstance(value, Interval)]
    ends = [(one.low, one.high) for one in ranges if one.low is not None and one.high is not None]
    if not ends:
        raise InvalidInput("no column of this table holds ranges: there is nothing to decode")
    return min(ends)[1]


def _digits(value: Fraction) -> str:
    """Return the binary digits behind the point where they are many; none otherwise."""
    part = value % 1
    if part.denominator < _LONG or part.denominator & (part.denominator - 1):
        return ""
    return f"{part.numerator:0{part.denominator.bit_length() - 1}b}"


def _written(value: Fraction) -> str:
    """Write a number; one with many binary digits by the first of them."""
    digits = _digits(value)
    return f"{math.floor(value)}.{digits[:_SHOWN]}... (binary)" if digits else str(value)


def _plain(table: Sequence[Row]) -> list[dict[str, Any]]:
    def end(value: Fraction) -> Any:
        digits = _digits(value)
        return {"whole": math.floor(value), "binary_digits": digits} if digits else str(value)

    def shown(value: Any) -> Any:
        if isinstance(value, Interval):
            return {"least": end(value.low), "below": end(value.high)}  # type: ignore[arg-type]
        return str(value) if isinstance(value, Fraction) else value

    return [{name: shown(value) for name, value in row.items()} for row in table]
