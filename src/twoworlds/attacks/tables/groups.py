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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twoworlds.attacks.tables.cells import Cell, read_cell
from twoworlds.attacks.tables.knowledge import Point, points
from twoworlds.attacks.tables.table import Origin, listed, load, opened
from twoworlds.errors import TooLarge
from twoworlds.numbers import counted
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
_MOST_COMPARED = 40
_SHOWN = 10  # disclosures
_LAST = 3  # where a column stands of which only is known what it is not


def who(group: Group, cells: Cells) -> str:
    """Say what is known of the people of a group, as it follows "people".

    Suppressed cells say nothing, unless all that is known is that other cells do not fit.
    """
    but_not = dict(group.but_not)
    empty = [column for column, texts in group.values if _is_empty(texts, cells.get(column, {}))]
    said = [
        _said(column, texts, but_not.get(column, ()), cells.get(column, {}))
        for column, texts in group.values
        if column not in empty
    ]
    found = sorted(one for one in said if one is not None)
    phrases = [phrase for (place, _), phrase in found if place < _LAST]
    if empty:
        phrases.append(f"with {listed(empty)} left empty")
    last = " and ".join(phrase for (place, _), phrase in found if place == _LAST)
    return " ".join([*phrases, last]).rstrip()


def people(group: Group, cells: Cells) -> str:
    """Return "4 people under 30 in 130**", or which rows fit somebody where cells overlap."""
    if group.overlapping:
        fit = "fits" if group.size == 1 else "fit"
        return f"{counted(group.size, 'row')} that {fit} somebody {who(group, cells)}".rstrip()
    return f"{counted(group.size, 'person')} {who(group, cells)}".rstrip()


def has(column: str, values: Sequence[str]) -> str:
    """Say sensitive values, as they follow "have": alone where they speak for themselves."""
    plain = all(_PLAIN.search(value) and value.strip().lower() not in _FLAGS for value in values)
    shown = listed([value or "(empty)" for value in values], "or")
    return shown if plain else f"{column} {shown}"


def _read(texts: Sequence[str], cells: Mapping[str, Cell]) -> list[Cell]:
    return [cells[text] if text in cells else read_cell(text) for text in texts]


def _is_empty(texts: Sequence[str], cells: Mapping[str, Cell]) -> bool:
    return not any(text.strip() for text in texts) and not any(
        cell.is_anything for cell in _read(texts, cells)
    )


def _said(
    column: str, texts: Sequence[str], but_not: Sequence[str], cells: Mapping[str, Cell]
) -> tuple[tuple[int, str], str] | None:
    """Return where a column stands in a sentence, and what is said of it."""
    read = [cell for cell in _read(texts, cells) if not cell.is_anything]
    others = [str(cell).strip() for cell in _kept(_read(but_not, cells), Cell.within)]
    if not read:
        return ((_LAST, column), f"whose {column} is {_none_of(others)}") if others else None
    shown = _kept(read, lambda cell, other: other.within(cell))
    but = f" but not {listed(others, 'or')}" if others else ""
    if _AGE.search(column):
        words = sorted((cell.words() for cell in shown), key=lambda one: not one.startswith(_BARE))
        said = listed(words)
        return (0, column), (said if said.startswith(_BARE) else f"aged {said}") + but
    named = listed([str(cell).strip() for cell in shown])
    if _PLACE.search(column):
        return (1, column), f"in {named}{but}"
    return (2, column), f"with {column} {named}{but}"


def _none_of(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return f"not {texts[0]}"
    return f"neither {listed(texts, 'nor')}" if len(texts) == 2 else f"none of {listed(texts)}"


def _kept(cells: Sequence[Cell], needless: Callable[[Cell, Cell], bool]) -> list[Cell]:
    """Leave out the cells that another one makes needless; of many, none."""
    if len(cells) > _MOST_COMPARED:
        return list(cells)
    return [
        cell
        for i, cell in enumerate(cells)
        if not any(
            needless(cell, other) and (j < i or not needless(other, cell))
            for j, other in enumerate(cells)
            if j != i
        )
    ]


class Disclosure(NamedTuple):
    """One thing that a table gives away about a group."""

    kind: str  # ``everybody has it`` or ``nobody has it``
    group: Group  # about whom
    values: tuple[str, ...]  # the sensitive values that all of them have, or that none of them has
    sentence: str  # the same in words


class Disclosures(NamedTuple):
    """How many groups are exposed in one way, how many people are in them, and the worst of them.

    By knowledge, the people are the rows that match, and a row may be in several groups.
    """

    groups: int = 0
    people: int = 0
    shown: tuple[Disclosure, ...] = ()


def exposed(groups: Groups, sensitive: str, cells: Cells) -> Disclosures:
    """Return the groups in which everybody has the same value, the largest first."""
    alike = np.flatnonzero(groups.distinct == 1)
    shown = []
    for group in _worst(groups, alike, -groups.sizes[alike]):
        shared, size = who(group, cells), group.size
        start = "the only person" if size == 1 else f"all {size:,} people"
        if group.overlapping:
            start = "anybody" if shared else "everybody"
        have = "has" if size == 1 or group.overlapping else "have"
        values = tuple(value for value, _ in group.counts)
        said = f"{f'{start} {shared}'.rstrip()} {have} {has(sensitive, values)}{_fitting(group)}"
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
        missing = tuple(value for value in there if value not in dict(group.counts))
        start = "nobody" if group.overlapping else f"none of the {group.size:,} people"
        said = f"{start} {who(group, cells)}".rstrip()
        sentence = f"{said} has {has(sensitive, missing)}{_fitting(group)}"
        shown.append(Disclosure("nobody has it", group, missing, sentence))
    return Disclosures(len(lacking), int(groups.sizes[lacking].sum()), tuple(shown))


def _worst(groups: Groups, some: Codes, by: Codes) -> Iterator[Group]:
    """Yield the first of some groups, in an order."""
    return map(groups.group, some[np.argsort(by, kind="stable")][:_SHOWN].tolist())


def _fitting(group: Group) -> str:
    if not group.overlapping:
        return ""
    return f" ({counted(group.size, 'row')} {'fits' if group.size == 1 else 'fit'})"
