"""What a table gives away about the people of a group, whatever its anonymity.

* Everybody in a group has one and the same sensitive value: whoever is known to be in the group is
  known to have it (*homogeneity*; Wu, Section 1.1: everyone in their 30s has cancer).
* Nobody in a group has a value that others in the table have: whoever is known to be in the group
  does not have it (*negative disclosure*).
* Nobody in the whole table has a value: whoever is known to be in the table does not have it (Wu,
  Section 1.1: Alice cannot have come because of a broken leg).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from twoworlds.attacks.english import counted
from twoworlds.attacks.tables.groups import Group, Groups
from twoworlds.attacks.tables.words import Cells, has, who

__all__ = ["Disclosure", "Disclosures", "exposed", "ruled_out"]

_SHOWN = 10


class Disclosure(NamedTuple):
    """One thing that a table gives away about a group."""

    kind: str  # ``everybody has it`` or ``nobody has it``
    group: Group  # about whom
    values: tuple[str, ...]  # the sensitive values that all of them have, or that none of them has
    sentence: str  # the same in words

    def verify(self) -> bool:
        """Tell whether the counts of the group say so."""
        present = {value for value, _ in self.group.counts}
        if self.kind == "everybody has it":
            return present == set(self.values)
        return bool(self.values) and not present & set(self.values)


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
    order = alike[np.argsort(-groups.sizes[alike], kind="stable")]
    shown = []
    for group in map(groups.group, order[:_SHOWN].tolist()):
        [(value, _)] = group.counts
        shared = who(group, cells)
        if group.overlapping:
            said = f"{f'anybody {shared}' if shared else 'everybody'} has"
        elif group.size == 1:
            said = f"the only person {shared}".rstrip() + " has"
        else:
            said = f"all {group.size:,} people {shared}".rstrip() + " have"
        sentence = f"{said} {has(sensitive, [value])}{_fitting(group)}"
        shown.append(Disclosure("everybody has it", group, (value,), sentence))
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
    order = lacking[np.argsort(shares, kind="stable")]
    shown = []
    for group in map(groups.group, order[:_SHOWN].tolist()):
        missing = tuple(value for value in there if value not in dict(group.counts))
        start = "nobody" if group.overlapping else f"none of the {group.size:,} people"
        said = f"{start} {who(group, cells)}".rstrip()
        sentence = f"{said} has {has(sensitive, missing)}{_fitting(group)}"
        shown.append(Disclosure("nobody has it", group, missing, sentence))
    return Disclosures(len(lacking), int(groups.sizes[lacking].sum()), tuple(shown))


def _fitting(group: Group) -> str:
    if not group.overlapping:
        return ""
    return f" ({counted(group.size, 'row')} {'fits' if group.size == 1 else 'fit'})"
