"""What a table gives away about the people of a group, whatever its anonymity.

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
from typing import NamedTuple

import numpy as np

from twoworlds.attacks.english import counted, listed
from twoworlds.attacks.tables.cells import Cell, read_cell
from twoworlds.attacks.tables.groups import Codes, Group, Groups

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
