"""Groups of people whom a published table does not tell apart, with their sensitive values.

A table is counted once: how many rows have each combination of cells. A missing cell, and one of
blanks, is the empty text. Its groups are the rows whose cells say the same, letter by letter: this
is how k-anonymity is defined (Wu, Section 1.1), and what every measure of anonymity is about. Whom
an attacker who knows exact values cannot tell apart, where cells overlap, is what
`twoworlds.attacks.tables.linkage` counts.

Held as arrays: the entries of all groups one after the other, an entry being a sensitive value and
how many people of the group have it.

What a table gives away about the people of a group, whatever its anonymity:

* Everybody in a group has one and the same sensitive value: whoever is known to be in the group is
  known to have it (*homogeneity*; Wu, Section 1.1: everyone in their 30s has cancer).
* Nobody in a group has a value that others in the table have: whoever is known to be in the group
  does not have it (*negative disclosure*).
* Nobody in the whole table has a value: whoever is known to be in the table does not have it (Wu,
  Section 1.1: Alice cannot have come because of a broken leg).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twoworlds.attacks.tables.cells import Cell, read_cell
from twoworlds.attacks.tables.table import Origin, listed, load, opened
from twoworlds.numbers import counted

Codes = NDArray[np.int64]
Texts = tuple[str, ...]

_WIDEST = 1 << 62


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

    def keys(self, columns: Sequence[str]) -> Codes:
        """Return one number for each combination of some columns, in their order, from 0 on."""
        if not columns:
            return np.zeros(len(self.counts), dtype=np.int64)
        places = [self.place(column) for column in columns]
        sizes = [len(self.texts[i]) for i in places]
        return renumbered(combined([self.codes[i] for i in places], sizes))


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

    values: Mapping[str, str]  # the cell that they have of each column
    size: int  # how many they are
    # The sensitive values that they have, most frequent first, and how many have each; empty when
    # no sensitive column was named
    counts: Mapping[str, int]

    def share(self, value: str) -> Fraction:
        """Return which part of the group has a sensitive value."""
        return Fraction(self.counts.get(value, 0), self.size)


@dataclass(frozen=True, eq=False)
class Groups:
    """All groups of a table."""

    columns: tuple[str, ...]  # the columns of the quasi-identifier
    table: Counted  # the table
    starts: Codes  # where the entries of each group begin
    values: Codes  # the code of the sensitive value of each entry; increasing within a group
    counts: Codes  # how many people each entry stands for
    sizes: Codes  # how many people each group has
    where: Codes  # for each group a combination that is in it
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
        values = {column: self._text(column, number) for column in self.columns}
        return Group(values, int(self.sizes[number]), dict(named))

    def _text(self, column: str, number: int) -> str:
        place = self.table.place(column)
        return self.table.texts[place][int(self.table.codes[place][self.where[number]])]


def groups_of(table: Counted, quasi: Sequence[str], sensitive: str | None) -> Groups:
    """Return the groups of rows that have equal cells in some columns; of all rows for none."""
    values, names = np.zeros(len(table.counts), dtype=np.int64), Texts()
    if sensitive is not None:
        values, names = table.codes[table.place(sensitive)], table.texts[table.place(sensitive)]
    size = max(1, len(names))
    found = entries(table.keys(quasi), values, table.counts, size)
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, values, table.counts)
    return Groups(tuple(quasi), table, *found, names, totals)


def entries(
    keys: Codes, values: Codes, counts: Codes, size: int
) -> tuple[Codes, Codes, Codes, Codes, Codes]:
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


# --- what they give away, in words ----------------------------------------------------------------

Cells = Mapping[str, Mapping[str, Cell]]

_AGE = re.compile(r"(^|[^a-z])age($|[^a-z])", re.IGNORECASE)
_PLACE = re.compile(
    r"zip|post(al|code)|city|town|county|country|state|region|district|ward|area|place|location",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[^\W\d]{3}")
_FLAGS = {"yes", "true", "false", "none", "other", "unknown", "not known", "high", "low"}
_BARE = ("in their", "under", "over")
_SHOWN = 10  # disclosures


def who(group: Group, cells: Cells) -> str:
    """Say what is known of the people of a group, as it follows "people".

    Suppressed cells say nothing.
    """
    empty = [column for column, text in group.values.items() if not text.strip()]
    said = (
        _said(column, cells.get(column, {}).get(text) or read_cell(text))
        for column, text in group.values.items()
        if text.strip()
    )
    phrases = [phrase for _, phrase in sorted(one for one in said if one is not None)]
    return " ".join([*phrases, *([f"with {listed(empty)} left empty"] if empty else [])])


def people(group: Group, cells: Cells) -> str:
    """Return "4 people under 30 in 130**"."""
    return f"{counted(group.size, 'person')} {who(group, cells)}".rstrip()


def has(column: str, values: Sequence[str]) -> str:
    """Say sensitive values, as they follow "have": alone where they speak for themselves."""
    plain = all(_PLAIN.search(value) and value.strip().lower() not in _FLAGS for value in values)
    shown = listed([value or "(empty)" for value in values], "or")
    return shown if plain else f"{column} {shown}"


def _said(column: str, cell: Cell) -> tuple[tuple[int, str], str] | None:
    """Return where a column stands in a sentence, and what is said of it."""
    if cell.is_anything:
        return None
    if _AGE.search(column):
        words = cell.words()
        return (0, column), words if words.startswith(_BARE) else f"aged {words}"
    text = str(cell).strip()
    if _PLACE.search(column):
        return (1, column), f"in {text}"
    return (2, column), f"with {column} {text}"


@dataclass(frozen=True)
class Disclosure:
    """One thing that a table gives away about a group."""

    kind: str  # ``everybody has it`` or ``nobody has it``
    group: Group  # about whom
    values: tuple[str, ...]  # the sensitive values that all of them have, or that none of them has
    sentence: str  # the same in words


@dataclass(frozen=True)
class Disclosures:
    """How many groups are exposed in one way, how many people are in them, and the worst ones."""

    groups: int = 0
    people: int = 0
    shown: tuple[Disclosure, ...] = ()


def exposed(groups: Groups, sensitive: str, cells: Cells) -> Disclosures:
    """Return the groups in which everybody has the same value, the largest first."""
    alike = np.flatnonzero(groups.distinct == 1)
    shown = []
    for group in _worst(groups, alike, -groups.sizes[alike]):
        start = "the only person" if group.size == 1 else f"all {group.size:,} people"
        have = "has" if group.size == 1 else "have"
        values = tuple(group.counts)
        said = f"{start} {who(group, cells)}".rstrip() + f" {have} {has(sensitive, values)}"
        shown.append(Disclosure("everybody has it", group, values, said))
    return Disclosures(len(alike), int(groups.sizes[alike].sum()), tuple(shown))


def ruled_out(groups: Groups, sensitive: str, cells: Cells) -> Disclosures:
    """Return the groups in which nobody has some value of the table; most excluding first.

    They are ordered by the share of the table that has a value which the group lacks. Groups in
    which everybody has the same value are left to `exposed`.
    """
    common = np.argsort(-groups.totals, kind="stable").tolist()
    there = [groups.names[code] for code in common if groups.totals[code] > 0]
    lacking = np.flatnonzero((groups.distinct < len(there)) & (groups.distinct > 1))
    shares = np.add.reduceat(groups.totals[groups.values], groups.starts)[lacking]
    shown = []
    for group in _worst(groups, lacking, shares):
        missing = tuple(value for value in there if value not in group.counts)
        said = f"none of the {group.size:,} people {who(group, cells)}".rstrip()
        sentence = f"{said} has {has(sensitive, missing)}"
        shown.append(Disclosure("nobody has it", group, missing, sentence))
    return Disclosures(len(lacking), int(groups.sizes[lacking].sum()), tuple(shown))


def _worst(groups: Groups, some: Codes, by: Codes) -> Iterator[Group]:
    """Yield the first of some groups, in an order."""
    return map(groups.group, some[np.argsort(by, kind="stable")][:_SHOWN].tolist())
