"""Why a table is not k-anonymous, and which column to coarsen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from twoworlds.attacks.anonymity.groups import Group, Grouping
from twoworlds.attacks.anonymity.words import Cells, counted, joined, people

__all__ = ["Advice", "Without", "advise"]

_SHOWN = 5


@dataclass(frozen=True)
class Without:
    """What would be if a column were hidden altogether.

    Attributes:
        column: The column.
        people: How many people would still be in groups that are too small.
        smallest: The size of the smallest group.
        groups: How many groups would still be too small.
    """

    column: str
    people: int
    smallest: int
    groups: int


@dataclass(frozen=True)
class Advice:
    """Why a table is not k-anonymous.

    Attributes:
        k: What was wanted.
        groups: How many groups are smaller than that.
        people: How many people are in them; by knowledge, the rows of all of them, and a row may
            be in several.
        smallest: Some of them, smallest first.
        columns: The columns, the one first whose hiding would help most.
        rows: How many rows the table has.
        by_knowledge: Whether groups are what exact knowledge matches.
    """

    k: int
    groups: int
    people: int
    smallest: tuple[Group, ...]
    columns: tuple[Without, ...]
    rows: int
    by_knowledge: bool = False

    def sentences(self, cells: Cells) -> list[str]:
        """Say it in words."""
        small = joined([people(group, cells) for group in self.smallest])
        more = " for example" if self.groups > len(self.smallest) else ""
        size = (
            "" if self.by_knowledge else f" with {counted(self.people, 'person', 'people')} in all"
        )
        because = f"because of {counted(self.groups, 'group')}{size}:{more} {small}"
        return [f"It is not {self.k}-anonymous {because}.", self._remedy()]

    def _remedy(self) -> str:
        if self.rows < self.k:
            return (
                f"It has only {counted(self.rows, 'row')}: nothing makes it {self.k}-anonymous, "
                "not even hiding every column."
            )
        best = self.columns[0]
        if best.people == 0:
            helping = joined([one.column for one in self.columns if one.people == 0], "or")
            return f"Hiding {helping} altogether would make it {self.k}-anonymous."
        if self.by_knowledge and best.groups < self.groups:
            return (
                f"Coarsen {best.column} first: without it {counted(best.groups, 'group')} instead "
                f"of {self.groups:,} would be smaller than {self.k}."
            )
        if not self.by_knowledge and best.people < self.people:
            return (
                f"Coarsen {best.column} first: without it "
                f"{counted(best.people, 'person', 'people')} would be left in groups smaller than "
                f"{self.k}."
            )
        return "Hiding a single column would help nobody: coarsen several."

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "k": self.k,
            "groups": self.groups,
            "people": self.people,
            "rows": self.rows,
            "smallest": [group.to_dict() for group in self.smallest],
            "without": {
                one.column: {
                    "people": one.people,
                    "smallest": one.smallest,
                    "groups": one.groups,
                }
                for one in self.columns
            },
        }


def advise(
    groups: Grouping,
    k: int,
    regrouped: Callable[[Sequence[str]], Grouping],
    *,
    by_knowledge: bool = False,
) -> Advice | None:
    """Return why a table is not k-anonymous; None if it is.

    Args:
        groups: Its groups.
        k: What is wanted.
        regrouped: Returns the groups by fewer columns.
        by_knowledge: Whether groups are what exact knowledge matches; a row may be in several.
    """
    small = np.flatnonzero(groups.sizes < k)
    if not len(small):
        return None
    order = small[np.argsort(groups.sizes[small], kind="stable")]
    tried = [_without(groups.columns, column, k, regrouped) for column in groups.columns]
    tried.sort(key=lambda one: (one.groups if by_knowledge else one.people, -one.smallest))
    return Advice(
        k,
        len(small),
        int(groups.sizes[small].sum()),
        tuple(groups.group(number) for number in order[:_SHOWN].tolist()),
        tuple(tried),
        int(groups.totals.sum()),
        by_knowledge,
    )


def _without(
    columns: Sequence[str], column: str, k: int, regrouped: Callable[[Sequence[str]], Grouping]
) -> Without:
    sizes = regrouped([other for other in columns if other != column]).sizes
    small = sizes[sizes < k]
    return Without(column, int(small.sum()), int(sizes.min()), len(small))
