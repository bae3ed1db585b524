"""What a table gives away about the people of a group, whatever its anonymity.

* Everybody in a group has one and the same sensitive value: whoever is known to be in the group is
  known to have it (*homogeneity*; Wu, Section 1.1: everyone in their 30s has cancer).
* Nobody in a group has a value that others in the table have: whoever is known to be in the group
  does not have it (*negative disclosure*).
* Nobody in the whole table has a value: whoever is known to be in the table does not have it (Wu,
  Section 1.1: Alice cannot have come because of a broken leg).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from twoworlds.attacks.anonymity.groups import Group, Grouping
from twoworlds.attacks.anonymity.words import Cells, counted, has, who

__all__ = ["Exposure", "Found", "exposed", "ruled_out"]


@dataclass(frozen=True)
class Exposure:
    """One thing that a table gives away.

    Attributes:
        kind: ``everybody has it`` or ``nobody has it``.
        group: About whom.
        values: The sensitive values that all of them have, or that none of them has.
        sentence: The same in words.
    """

    kind: str
    group: Group
    values: tuple[str, ...]
    sentence: str

    def verify(self) -> bool:
        """Tell whether the counts of the group say so."""
        present = {value for value, _ in self.group.counts}
        if self.kind == "everybody has it":
            return present == set(self.values)
        return bool(self.values) and not present & set(self.values)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "kind": self.kind,
            "group": self.group.to_dict(),
            "values": list(self.values),
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class Found:
    """Exposures of one kind.

    Attributes:
        groups: How many groups are exposed in this way.
        people: How many people are in them; by knowledge, the rows that match.
        shown: The worst of them.
    """

    groups: int
    people: int
    shown: tuple[Exposure, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        shown = [one.to_dict() for one in self.shown]
        return {"groups": self.groups, "people": self.people, "shown": shown}


def exposed(groups: Grouping, sensitive: str, cells: Cells, most: int) -> Found:
    """Return the groups in which everybody has the same value, the largest first."""
    alike = np.flatnonzero(groups.distinct == 1)
    order = alike[np.argsort(-groups.sizes[alike], kind="stable")]
    shown = tuple(
        _everybody(groups.group(number), sensitive, cells) for number in order[:most].tolist()
    )
    return Found(len(alike), int(groups.sizes[alike].sum()), shown)


def ruled_out(groups: Grouping, sensitive: str, cells: Cells, most: int) -> Found:
    """Return the groups in which nobody has some value of the table; most excluding first.

    They are ordered by the share of the table that has a value which the group lacks. Groups in
    which everybody has the same value are left to `exposed`.
    """
    present = np.count_nonzero(groups.totals > 0)
    lacking = np.flatnonzero((groups.distinct < present) & (groups.distinct > 1))
    shares = np.add.reduceat(groups.totals[groups.values], groups.starts)[lacking]
    order = lacking[np.argsort(shares, kind="stable")]
    shown = tuple(_nobody(groups, number, sensitive, cells) for number in order[:most].tolist())
    return Found(len(lacking), int(groups.sizes[lacking].sum()), shown)


def _everybody(group: Group, sensitive: str, cells: Cells) -> Exposure:
    [(value, _)] = group.counts
    shared = who(group, cells)
    if group.overlapping:
        sentence = f"{_anybody(shared)} has {has(sensitive, [value])} {_rows_that_fit(group)}"
        return Exposure("everybody has it", group, (value,), sentence)
    if group.size == 1:
        subject = f"the only person {shared}".rstrip() + " has"
    else:
        subject = f"all {group.size:,} people {shared}".rstrip() + " have"
    sentence = f"{subject} {has(sensitive, [value])}"
    return Exposure("everybody has it", group, (value,), sentence)


def _nobody(groups: Grouping, number: int, sensitive: str, cells: Cells) -> Exposure:
    group = groups.group(number)
    missing = tuple(_missing(groups, group))
    rest, shared = has(sensitive, missing), who(group, cells)
    if group.overlapping:
        sentence = f"{f'nobody {shared}'.rstrip()} has {rest} {_rows_that_fit(group)}"
    else:
        sentence = f"{f'none of the {group.size:,} people {shared}'.rstrip()} has {rest}"
    return Exposure("nobody has it", group, missing, sentence)


def _anybody(shared: str) -> str:
    return f"anybody {shared}" if shared else "everybody"


def _rows_that_fit(group: Group) -> str:
    return f"({counted(group.size, 'row')} {'fits' if group.size == 1 else 'fit'})"


def _missing(groups: Grouping, group: Group) -> Iterator[str]:
    """Yield the values that others have, the most frequent first."""
    present = {value for value, _ in group.counts}
    for code in np.argsort(-groups.totals, kind="stable").tolist():
        if groups.totals[code] > 0 and groups.names[code] not in present:
            yield groups.names[code]
