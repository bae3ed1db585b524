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
    """

    column: str
    people: int
    smallest: int


@dataclass(frozen=True)
class Advice:
    """Why a table is not k-anonymous.

    Attributes:
        k: What was wanted.
        groups: How many groups are smaller than that.
        people: How many people are in them.
        smallest: Some of them, smallest first.
        columns: The columns, the one first whose hiding would help most.
    """

    k: int
    groups: int
    people: int
    smallest: tuple[Group, ...]
    columns: tuple[Without, ...]

    def sentences(self, cells: Cells) -> list[str]:
        """Say it in words."""
        small = joined([people(group, cells) for group in self.smallest])
        more = " for example" if self.groups > len(self.smallest) else ""
        found = [
            f"It is not {self.k}-anonymous because of {counted(self.groups, 'group')} with "
            f"{counted(self.people, 'person', 'people')} in all:{more} {small}."
        ]
        best = self.columns[0]
        if best.people == 0:
            helping = joined([one.column for one in self.columns if one.people == 0], "or")
            found.append(f"Hiding {helping} altogether would make it {self.k}-anonymous.")
        elif best.people < self.people:
            found.append(
                f"Coarsen {best.column} first: without it {best.people:,} people would be left in "
                f"groups smaller than {self.k}."
            )
        else:
            found.append("Hiding a single column would help nobody: coarsen several.")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "k": self.k,
            "groups": self.groups,
            "people": self.people,
            "smallest": [group.to_dict() for group in self.smallest],
            "without": {
                one.column: {"people": one.people, "smallest": one.smallest} for one in self.columns
            },
        }


def advise(
    groups: Grouping, k: int, regrouped: Callable[[Sequence[str]], Grouping]
) -> Advice | None:
    """Return why a table is not k-anonymous; None if it is.

    Args:
        groups: Its groups.
        k: What is wanted.
        regrouped: Returns the groups by fewer columns.
    """
    small = np.flatnonzero(groups.sizes < k)
    if not len(small):
        return None
    order = small[np.argsort(groups.sizes[small], kind="stable")]
    tried = [_without(groups.columns, column, k, regrouped) for column in groups.columns]
    tried.sort(key=lambda one: (one.people, -one.smallest))
    return Advice(
        k,
        len(small),
        int(groups.sizes[small].sum()),
        tuple(groups.group(number) for number in order[:_SHOWN].tolist()),
        tuple(tried),
    )


def _without(
    columns: Sequence[str], column: str, k: int, regrouped: Callable[[Sequence[str]], Grouping]
) -> Without:
    sizes = regrouped([other for other in columns if other != column]).sizes
    return Without(column, int(sizes[sizes < k].sum()), int(sizes.min()))
