"""Groups of people whom a published table does not tell apart, with their sensitive values.

A table is counted once: how many rows have each combination of cells. A missing cell, and one of
blanks, is the empty text. Its groups are what every measure of anonymity is about, formed either

* by *equal texts*: rows whose cells say the same, letter by letter. This is how k-anonymity is
  defined (Wu, Section 1.1);
* or by *knowledge*: the rows that an attacker who knows the exact values of a person cannot rule
  out. If no two cells of a column overlap, both agree. If they do, as ``<35`` and ``3*`` do at 33,
  somebody who matches rows of several groups hides among all of them, and whether this helps
  depends on the exact value: at 28, only ``<35`` matches. Every point that some row allows
  (`twoworlds.attacks.tables.knowledge`) is examined: the true values of the people are not in the
  table, so any of them may be somebody's.

Held as arrays: the entries of all groups one after the other, an entry being a sensitive value and
how many people of the group have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twoworlds.attacks.tables.cells import Cell
from twoworlds.attacks.tables.knowledge import Point, points
from twoworlds.attacks.tables.table import Origin, load, opened
from twoworlds.errors import TooLarge
from twoworlds.progress import track

Codes = NDArray[np.int64]
Texts = tuple[str, ...]

_WIDEST = 1 << 62
_MOST_ENTRIES = 500_000_000


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct combinations of the cells of some columns."""

    name: str  # what the table is called
    columns: tuple[str, ...]  # the columns
    # For each column its distinct texts, sorted; a code is a place in them
    texts: tuple[Texts, ...]
    codes: tuple[Codes, ...]  # for each column the code of each combination
    counts: Codes  # how many people have each combination

    @property
    def people(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    def place(self, column: str) -> int:
        """Return where a column stands."""
        return self.columns.index(column)

    def keys(self, columns: Sequence[str], rows: Codes | slice = slice(None)) -> Codes:
        """Return one number for each combination of some columns, in their order, from 0 on."""
        if not columns:
            return np.zeros(len(self.counts[rows]), dtype=np.int64)
        places = [self.place(column) for column in columns]
        codes = [self.codes[i][rows] for i in places]
        return renumbered(combined(codes, [len(self.texts[i]) for i in places]))


def count_table(table: Origin | Counted, columns: Sequence[str]) -> Counted:
    """Read some columns of a table and count the combinations of their cells."""
    if isinstance(table, Counted):
        return table
    file = Path(table).name if isinstance(table, str | Path) else "the table"
    with opened() as connection:
        loaded = load(connection, file or str(table), table, (), columns)
        names = [f"coalesce({loaded.columns[column]}, '')" for column in columns]
        distinct = (f"SELECT DISTINCT {name} FROM {loaded.place} ORDER BY 1" for name in names)
        texts = [tuple(text for (text,) in loaded.fetch(one)) for one in distinct]
        keys = "".join(f"{name} AS k{i}, " for i, name in enumerate(names))
        ranks = (f"dense_rank() OVER (ORDER BY k{i}) - 1 AS c{i}, " for i in range(len(names)))
        counted = connection.execute(
            f"SELECT {''.join(ranks)}people FROM (SELECT {keys}count(*) AS people FROM "
            f"{loaded.place} GROUP BY ALL) ORDER BY ALL"
        ).fetchnumpy()
    *places, counts = (np.asarray(counted[one], dtype=np.int64) for one in counted)
    return Counted(loaded.name, tuple(columns), tuple(texts), tuple(places), counts)


@dataclass(frozen=True)
class Group:
    """People whom the table does not tell apart."""

    # For each column of the quasi-identifier the cells that they have: one, or with overlapping
    # cells several, all of which allow what is known
    values: tuple[tuple[str, Texts], ...]
    # The sensitive values that they have, most frequent first, and how many have each; empty when
    # no sensitive column was named
    counts: tuple[tuple[str, int], ...]
    size: int  # how many they are
    # For columns with overlapping cells, the cells that do not allow what is known although they
    # have something in common with those of ``values``
    but_not: tuple[tuple[str, Texts], ...] = ()

    @property
    def overlapping(self) -> bool:
        """Whether these are rows that fit what is known, rather than people who have a cell."""
        return bool(self.but_not) or any(len(texts) > 1 for _, texts in self.values)

    def share(self, value: str) -> Fraction:
        """Return which part of the group has a sensitive value."""
        return Fraction(dict(self.counts).get(value, 0), self.size)


@dataclass(frozen=True, eq=False)
class Groups:
    """All groups of a table."""

    columns: tuple[str, ...]  # the columns of the quasi-identifier
    table: Counted  # the table
    overlapping: Mapping[str, list[Point]]  # what can be known of the columns whose cells overlap
    choices: Sequence[tuple[int, ...]]  # for each group a point of each of these columns
    where: Codes  # for each group a combination that is in it
    starts: Codes  # where the entries of each group begin
    values: Codes  # the code of the sensitive value of each entry; increasing within a group
    counts: Codes  # how many people each entry stands for
    sizes: Codes  # how many people each group has
    names: Texts  # the sensitive values by their codes; empty without a sensitive column
    totals: Codes  # how many people of the whole table have each of them

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def distinct(self) -> Codes:
        """How many sensitive values each group has."""
        return np.diff(self.starts, append=len(self.values))

    @cached_property
    def owners(self) -> Codes:
        """The group of each entry."""
        return np.repeat(np.arange(len(self)), self.distinct)

    def slice(self, number: int) -> slice:
        """Return where the entries of one group are."""
        start = int(self.starts[number])
        return slice(start, start + int(self.distinct[number]))

    def group(self, number: int) -> Group:
        """Return one group."""
        part = self.slice(number)
        pairs = zip(self.values[part].tolist(), self.counts[part].tolist(), strict=True)
        named = [(self.names[value], count) for value, count in pairs] if self.names else []
        named.sort(key=lambda pair: (-pair[1], pair[0]))
        known = dict(zip(self.overlapping, self.choices[number], strict=True))
        values = tuple((column, self._texts(column, number, known)) for column in self.columns)
        but_not = tuple(self._but_not(known)) if known else ()
        return Group(values, tuple(named), int(self.sizes[number]), but_not)

    def _texts(self, column: str, number: int, known: Mapping[str, int]) -> Texts:
        place = self.table.place(column)
        code = (int(self.table.codes[place][self.where[number]]),)
        point = self.overlapping[column][known[column]] if column in known else code
        return tuple(self.table.texts[place][one] for one in point)

    def _but_not(self, known: Mapping[str, int]) -> list[tuple[str, Texts]]:
        """Return the cells that share a value with all that match, but not the known one.

        A value that all matching cells allow is at this point if no other cell allows it; another
        cell that allows some such value is at a larger point.
        """
        found = []
        for column, place in known.items():
            point = set(self.overlapping[column][place])
            larger = (other for other in self.overlapping[column] if point < set(other))
            codes = sorted({code for other in larger for code in other if code not in point})
            texts = self.table.texts[self.table.place(column)]
            if codes:
                found.append((column, tuple(texts[code] for code in codes)))
        return found


def groups_of(
    table: Counted,
    quasi: Sequence[str],
    sensitive: str | None,
    cells: Mapping[str, Mapping[str, Cell]] | None = None,
) -> Groups:
    """Return the groups of rows that have equal cells in some columns; of all rows for none."""
    columns = [] if cells is None else quasi
    known = {c: points(table.texts[table.place(c)], (cells or {})[c]) for c in columns}
    overlapping = {c: found for c, found in known.items() if any(len(one) > 1 for one in found)}
    tried = prod(map(len, overlapping.values()))
    if overlapping and tried * len(table.counts) > _MOST_ENTRIES:
        raise TooLarge(
            f"the cells of {', '.join(overlapping)} overlap in {tried} ways in a table of "
            f"{len(table.counts)} distinct rows: leave a column out, or compare equal texts"
        )
    plain = [column for column in quasi if column not in overlapping]
    values, names = np.zeros(len(table.counts), dtype=np.int64), Texts()
    if sensitive is not None:
        values, names = table.codes[table.place(sensitive)], table.texts[table.place(sensitive)]
    size = max(1, len(names))
    choices, parts, before = [], [], 0
    for choice in track(
        product(*(range(len(one)) for one in overlapping.values())), "forming groups", total=tried
    ):
        rows = _matching(table, overlapping, choice)
        if len(rows):
            starts, *found, where = entries(
                table.keys(plain, rows), values[rows], table.counts[rows], size
            )
            parts.append((rows[where], starts + before, *found))
            choices += [choice] * len(starts)
            before += len(found[0])
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, values, table.counts)
    where, starts, found_values, counts, sizes = map(np.concatenate, zip(*parts, strict=True))
    return Groups(
        tuple(quasi),
        table,
        overlapping,
        choices,
        where,
        starts,
        found_values,
        counts,
        sizes,
        names,
        totals,
    )


def _matching(
    table: Counted, overlapping: Mapping[str, list[Point]], choice: Sequence[int]
) -> Codes:
    """Return the combinations whose cells all allow a choice of points."""
    rows = np.ones(len(table.counts), dtype=bool)
    for (column, known), point in zip(overlapping.items(), choice, strict=True):
        place = table.place(column)
        allowed = np.zeros(len(table.texts[place]), dtype=bool)
        allowed[list(known[point])] = True
        rows &= allowed[table.codes[place]]
    return np.flatnonzero(rows)


def entries(keys: Codes, values: Codes, counts: Codes, size: int) -> tuple[Codes, ...]:
    """Add up the counts of equal keys and values, in their order."""
    both = combined([keys, values], [int(keys.max(initial=0)) + 1, size])
    order = np.argsort(both, kind="stable")
    both, keys = both[order], keys[order]
    first = np.flatnonzero(np.diff(both, prepend=both[0] - 1))
    added = np.add.reduceat(counts[order], first)
    starts = np.flatnonzero(np.diff(keys[first], prepend=keys[0] - 1))
    places = order[first[starts]]
    return starts, values[order][first], added, np.add.reduceat(added, starts), places


def combined(codes: Sequence[Codes], sizes: Sequence[int]) -> Codes:
    """Return one number for each combination of codes, equal for equal combinations.

    Combinations are numbered anew wherever the plain product of sizes would not fit in 64 bits.
    """
    found = np.zeros(len(codes[0]), dtype=np.int64)
    width = 1
    for code, size in zip(codes, sizes, strict=True):
        if width * size >= _WIDEST:
            found = renumbered(found)
            width = int(found.max(initial=0)) + 1
        found = found * size + code
        width *= size
    return found


def renumbered(codes: Codes) -> Codes:
    """Return codes from 0 on without gaps, in the same order."""
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
