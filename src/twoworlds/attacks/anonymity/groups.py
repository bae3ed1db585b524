"""Groups of people whom a published table does not tell apart, with their sensitive values.

The groups of a table are what every measure of anonymity is about. Two ways to form them:

* by *equal texts*: rows whose cells say the same, letter by letter. This is how k-anonymity is
  defined (Wu, Section 1.1);
* by *knowledge*, `twoworlds.attacks.anonymity.knowledge`: the rows that an attacker who knows the
  exact values of a person cannot rule out. When generalised cells overlap, as ``<35`` and ``3*``
  do, an attacker may match rows of several groups; then nobody is in fewer rows than before.

Held as arrays: the entries of all groups one after the other, an entry being a sensitive value and
how many people of the group have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from twoworlds.attacks.anonymity.counted import Codes, Counted, combined

__all__ = ["Group", "Grouping", "Labelled", "Labels", "entries", "equal_texts", "sensitive_codes"]


@dataclass(frozen=True)
class Group:
    """People whom the table does not tell apart.

    Attributes:
        values: For each column of the quasi-identifier the cells that they have: one, or with
            overlapping cells several, all of which allow what is known.
        counts: The sensitive values that they have, most frequent first, and how many have each;
            empty when no sensitive column was named.
        size: How many they are.
        but_not: For columns with overlapping cells, the cells that do not allow what is known
            although they have something in common with those of ``values``.
    """

    values: tuple[tuple[str, tuple[str, ...]], ...]
    counts: tuple[tuple[str, int], ...]
    size: int
    but_not: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def overlapping(self) -> bool:
        """Whether these are rows that fit what is known, rather than people who have a cell."""
        return bool(self.but_not) or any(len(texts) > 1 for _, texts in self.values)

    def share(self, value: str) -> Fraction:
        """Return which part of the group has a sensitive value."""
        return Fraction(dict(self.counts).get(value, 0), self.size)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        found: dict[str, Any] = {
            "values": {column: _all_of(texts) for column, texts in self.values},
            "size": self.size,
            "counts": dict(self.counts),
        }
        if self.but_not:
            found["but_not"] = {column: list(texts) for column, texts in self.but_not}
        return found


class Labelled(Protocol):
    """What the people of each group share."""

    def of(self, number: int) -> tuple[tuple[str, ...], ...]:
        """Return the cells of one group, for each column."""
        ...

    def but_not(self, number: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return columns with cells that overlap those of one group, and do not fit."""
        ...


@dataclass(frozen=True, eq=False)
class Grouping:
    """All groups of a table.

    Attributes:
        columns: The columns of the quasi-identifier.
        labels: For each group, what its people share.
        starts: Where the entries of each group begin.
        values: The code of the sensitive value of each entry; increasing within a group.
        counts: How many people each entry stands for.
        sizes: How many people each group has.
        names: The sensitive values by their codes; empty without a sensitive column.
        totals: How many people of the whole table have each of them.
    """

    columns: tuple[str, ...]
    labels: Labelled
    starts: Codes
    values: Codes
    counts: Codes
    sizes: Codes
    names: tuple[str, ...]
    totals: Codes

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def owners(self) -> Codes:
        """The group of each entry."""
        return np.repeat(np.arange(len(self)), self.distinct)

    @cached_property
    def distinct(self) -> Codes:
        """How many sensitive values each group has."""
        return np.diff(self.starts, append=len(self.values))

    def counts_of(self, number: int) -> Codes:
        """Return how many people of one group have each of its values."""
        return self.counts[self._slice(number)]

    def group(self, number: int) -> Group:
        """Return one group."""
        part = self._slice(number)
        pairs = zip(self.values[part].tolist(), self.counts[part].tolist(), strict=True)
        named = [(self.names[value], count) for value, count in pairs] if self.names else []
        named.sort(key=lambda pair: (-pair[1], pair[0]))
        texts = self.labels.of(number)
        return Group(
            tuple(zip(self.columns, texts, strict=True)),
            tuple(named),
            int(self.sizes[number]),
            self.labels.but_not(number),
        )

    def _slice(self, number: int) -> slice:
        start = int(self.starts[number])
        return slice(start, start + int(self.distinct[number]))


@dataclass(frozen=True, eq=False)
class Labels:
    """What the people of each group share, by equal texts.

    Attributes:
        texts: For each column its distinct texts.
        codes: For each column the code of each group.
    """

    texts: tuple[tuple[str, ...], ...]
    codes: tuple[Codes, ...]

    def of(self, number: int) -> tuple[tuple[str, ...], ...]:
        """Return the cells of one group, one for each column."""
        pairs = zip(self.texts, self.codes, strict=True)
        return tuple((texts[int(code[number])],) for texts, code in pairs)

    def but_not(self, number: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return nothing: different texts do not overlap."""
        return ()


def entries(keys: Codes, values: Codes, counts: Codes, size: int) -> tuple[Codes, ...]:
    """Add up the counts of equal keys and values, in their order.

    Returns:
        Where each key begins, the value and the count of each entry, the number of people of each
        key, and for each key a place in ``keys`` where it stands.
    """
    both = combined([keys, values], [int(keys.max(initial=0)) + 1, size])
    order = np.argsort(both, kind="stable")
    both, keys = both[order], keys[order]
    first = np.flatnonzero(np.diff(both, prepend=both[0] - 1))
    added = np.add.reduceat(counts[order], first)
    starts = np.flatnonzero(np.diff(keys[first], prepend=keys[0] - 1))
    places = order[first[starts]]
    return starts, values[order][first], added, np.add.reduceat(added, starts), places


def equal_texts(table: Counted, quasi: Sequence[str], sensitive: str | None) -> Grouping:
    """Return the groups of rows that have equal cells in some columns; of all rows for none."""
    places = [table.place(column) for column in quasi]
    texts = tuple(table.texts[i] for i in places)
    codes = tuple(table.codes[i] for i in places)
    keys = np.zeros(len(table.counts), dtype=np.int64)
    if quasi:
        keys = combined(codes, [len(one) for one in texts])
        keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    values, names = sensitive_codes(table, sensitive)
    starts, found, counts, sizes, where = entries(keys, values, table.counts, max(1, len(names)))
    totals = np.zeros(max(1, len(names)), dtype=np.int64)
    np.add.at(totals, values, table.counts)
    labels = Labels(texts, tuple(code[where] for code in codes))
    return Grouping(tuple(quasi), labels, starts, found, counts, sizes, names, totals)


def sensitive_codes(table: Counted, sensitive: str | None) -> tuple[Codes, tuple[str, ...]]:
    """Return the code of each combination's sensitive value, and the values by code."""
    if sensitive is None:
        return np.zeros(len(table.counts), dtype=np.int64), ()
    place = table.place(sensitive)
    return table.codes[place], table.texts[place]


def _all_of(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else " & ".join(text or "(empty)" for text in texts)
