"""Groups by what an attacker's exact knowledge matches, where generalised cells overlap.

An attacker who knows the exact values of a person in the quasi-identifier cannot rule out the rows
whose cells all allow them. If no two cells of a column overlap, these rows are a group of equal
texts, and both ways to form groups agree. If cells do overlap, as ``<35`` and ``3*`` do at 33:

* somebody who matches rows of several groups hides among all of them, so equal texts may say less
  anonymity than there is;
* whether this helps depends on the exact value: at 28, only ``<35`` matches.

What can be known of a column is divided into `twoworlds.attacks.anonymity.points`. Every point that
some row allows is examined: the true values of the people are not in the table, so any of them may
be somebody's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from twoworlds.attacks.anonymity.counted import Codes, Counted, combined
from twoworlds.attacks.anonymity.groups import Grouping, entries, sensitive_codes
from twoworlds.attacks.anonymity.points import Point, points
from twoworlds.attacks.generalised import Cell
from twoworlds.errors import TooLarge
from twoworlds.progress import track

__all__ = ["by_knowledge"]

_MOST_ENTRIES = 500_000_000


def by_knowledge(
    table: Counted,
    quasi: Sequence[str],
    sensitive: str | None,
    cells: Mapping[str, Mapping[str, Cell]],
) -> Grouping:
    """Return, for all that can be known of somebody in the table, the rows that match.

    A row is in several groups if several things can be known of the person behind it.

    Raises:
        TooLarge: when too many cells overlap in too many ways.
    """
    known = {c: points(table.texts[table.place(c)], cells[c]) for c in quasi}
    overlapping = [c for c in quasi if any(len(point) > 1 for point in known[c])]
    plain = [c for c in quasi if c not in overlapping]
    tried = prod(len(known[c]) for c in overlapping)
    if tried * len(table.counts) > _MOST_ENTRIES:
        raise TooLarge(
            f"the cells of {', '.join(overlapping)} overlap in {tried} ways in a table of "
            f"{len(table.counts)} distinct rows: leave a column out, or compare equal texts"
        )
    choices = product(*(range(len(known[c])) for c in overlapping))
    parts = [
        part
        for choice in track(choices, "matching knowledge", total=tried)
        if (part := _matching(table, plain, overlapping, known, choice, sensitive)) is not None
    ]
    return _together(table, quasi, sensitive, known, overlapping, parts)


@dataclass(frozen=True, eq=False)
class _Part:
    """The groups of those whose overlapping columns are at one point each."""

    choice: tuple[int, ...]
    starts: Codes
    values: Codes
    counts: Codes
    sizes: Codes
    where: Codes


def _matching(
    table: Counted,
    plain: Sequence[str],
    overlapping: Sequence[str],
    known: Mapping[str, list[Point]],
    choice: tuple[int, ...],
    sensitive: str | None,
) -> _Part | None:
    rows = np.ones(len(table.counts), dtype=bool)
    for column, point in zip(overlapping, choice, strict=True):
        place = table.place(column)
        allowed = np.zeros(len(table.texts[place]), dtype=bool)
        allowed[list(known[column][point])] = True
        rows &= allowed[table.codes[place]]
    chosen = np.flatnonzero(rows)
    if not len(chosen):
        return None
    keys = np.zeros(len(chosen), dtype=np.int64)
    if plain:
        places = [table.place(column) for column in plain]
        keys = combined(
            [table.codes[i][chosen] for i in places], [len(table.texts[i]) for i in places]
        )
        keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    codes, names = sensitive_codes(table, sensitive)
    starts, values, counts, sizes, where = entries(
        keys, codes[chosen], table.counts[chosen], max(1, len(names))
    )
    return _Part(choice, starts, values, counts, sizes, chosen[where])


@dataclass(frozen=True, eq=False)
class _KnownLabels:
    """The cells that match, of each group."""

    table: Counted
    quasi: tuple[str, ...]
    known: Mapping[str, list[Point]]
    overlapping: tuple[str, ...]
    choices: tuple[tuple[int, ...], ...]
    part: Codes
    where: Codes

    def of(self, number: int) -> tuple[tuple[str, ...], ...]:
        choice = dict(zip(self.overlapping, self.choices[int(self.part[number])], strict=True))
        return tuple(self._texts(column, number, choice.get(column)) for column in self.quasi)

    def but_not(self, number: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the cells that share a value with all that match, but not the known one.

        A value that all matching cells allow is at this point if no other cell allows it; another
        cell that allows some such value is at a larger point.
        """
        found = []
        for column, place in zip(
            self.overlapping, self.choices[int(self.part[number])], strict=True
        ):
            point = set(self.known[column][place])
            larger = (other for other in self.known[column] if point < set(other))
            codes = sorted({code for other in larger for code in other if code not in point})
            texts = self.table.texts[self.table.place(column)]
            if codes:
                found.append((column, tuple(texts[code] for code in codes)))
        return tuple(found)

    def _texts(self, column: str, number: int, point: int | None) -> tuple[str, ...]:
        place = self.table.place(column)
        texts = self.table.texts[place]
        if point is None:
            return (texts[int(self.table.codes[place][self.where[number]])],)
        return tuple(texts[code] for code in self.known[column][point])


def _together(
    table: Counted,
    quasi: Sequence[str],
    sensitive: str | None,
    known: Mapping[str, list[Point]],
    overlapping: Sequence[str],
    parts: Sequence[_Part],
) -> Grouping:
    codes, names = sensitive_codes(table, sensitive)
    totals = np.zeros(max(1, len(names)), dtype=np.int64)
    np.add.at(totals, codes, table.counts)
    before = np.cumsum([0, *(len(part.values) for part in parts[:-1])])
    labels = _KnownLabels(
        table,
        tuple(quasi),
        known,
        tuple(overlapping),
        tuple(part.choice for part in parts),
        np.repeat(np.arange(len(parts)), [len(part.starts) for part in parts]),
        np.concatenate([part.where for part in parts]),
    )
    return Grouping(
        tuple(quasi),
        labels,
        np.concatenate([part.starts + b for part, b in zip(parts, before, strict=True)]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        names,
        totals,
    )
