"""The true totals of a query, in whole numbers: what the engine hands over, before any noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from twoworlds.release.values import Value

__all__ = ["Cell", "Layout", "Totals"]

Cell = tuple[int | Value, ...]
LIMB = 30  # bits of each part of a sum that would not fit its engine's integers


@dataclass(frozen=True)
class Totals:
    """The true totals of a query.

    Attributes:
        cells: One whole number for each measure (0 for ``ranks``), by cell; a cell has the index of
            the group along each declared axis (keys or bins in order, then ``other``) and the key
            itself along a discovered one. A cell that is absent has zeros.
        ranks: For each measure of ranks, by its index: the number of rows in each of the
            ``2 * len(grid) + 1`` bins, by cell.
    """

    cells: Mapping[Cell, tuple[int, ...]]
    ranks: Mapping[int, Mapping[Cell, tuple[int, ...]]]


@dataclass(frozen=True)
class Layout:
    """How the rows of a statement are read: ``(part, *groups, *numbers)``.

    Part 0 has the sums, each in one or more limbs of 30 bits; part ``j + 1`` has the ranks of
    measure ``j``: the bin, and how many rows are in it.

    Attributes:
        kinds: For each axis None, or the kind of the keys that are discovered along it.
        limbs: For each measure the number of columns of its sum; 0 for ranks.
        bins: For each measure the number of bins of its ranks; 0 for others.
    """

    kinds: tuple[str | None, ...]
    limbs: tuple[int, ...]
    bins: tuple[int, ...]

    def decode(self, rows: Iterable[Sequence[Any]]) -> Totals:
        """Return the totals, exactly; rows of one cell are added up."""
        cells: dict[Cell, list[int]] = {}
        ranks: dict[int, dict[Cell, list[int]]] = {j: {} for j, n in enumerate(self.bins) if n}
        axes = len(self.kinds)
        for row in rows:
            part, numbers = int(row[0]), row[1 + axes :]
            cell = tuple(map(_coordinate, row[1 : 1 + axes], self.kinds))
            if part == 0:
                found = cells.setdefault(cell, [0] * len(self.limbs))
                for j, total in enumerate(self._sums(numbers)):
                    found[j] += total
            else:
                counts = ranks[part - 1].setdefault(cell, [0] * self.bins[part - 1])
                counts[int(numbers[0])] += int(numbers[1])
        return Totals(
            {cell: tuple(found) for cell, found in cells.items()},
            {j: {c: tuple(n) for c, n in found.items()} for j, found in ranks.items()},
        )

    def _sums(self, numbers: Sequence[Any]) -> Iterable[int]:
        start = 0
        for limbs in self.limbs:
            parts = [0 if n is None else int(n) for n in numbers[start : start + limbs]]
            yield sum(part << (LIMB * i) for i, part in enumerate(parts))
            start += limbs


def _coordinate(value: Any, kind: str | None) -> int | Value:
    """Return the index of a declared group, or a key that was discovered."""
    match kind:
        case None:
            return int(value)
        case "text":  # MySQL hands over bytes
            bare = isinstance(value, (bytes, bytearray))
            return value.decode("utf-8", "backslashreplace") if bare else str(value)
        case "boolean":
            return bool(value)
        case "date":
            return date.fromisoformat(value) if isinstance(value, str) else value
        case _:
            return Fraction(value)
