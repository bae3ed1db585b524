"""Groups and what they give away, in words: "all 4 people in their 30s in 130** have Cancer"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from twoworlds.attacks.english import counted, listed
from twoworlds.attacks.tables.cells import Anything, Cell, read_cell
from twoworlds.attacks.tables.groups import Group

__all__ = ["Cells", "has", "people", "who"]

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


def has(column: str, values: Sequence[str], last: str = "or") -> str:
    """Say sensitive values, as they follow "have": alone where they speak for themselves."""
    plain = all(_PLAIN.search(value) and value.strip().lower() not in _FLAGS for value in values)
    shown = listed([value or "(empty)" for value in values], last)
    return shown if plain else f"{column} {shown}"


def _read(texts: Sequence[str], cells: Mapping[str, Cell]) -> list[Cell]:
    return [cells[text] if text in cells else read_cell(text) for text in texts]


def _is_empty(texts: Sequence[str], cells: Mapping[str, Cell]) -> bool:
    return not any(text.strip() for text in texts) and not any(
        isinstance(cell, Anything) for cell in _read(texts, cells)
    )


def _said(
    column: str, texts: Sequence[str], but_not: Sequence[str], cells: Mapping[str, Cell]
) -> tuple[tuple[int, str], str] | None:
    """Return where a column stands in a sentence, and what is said of it."""
    read = [cell for cell in _read(texts, cells) if not isinstance(cell, Anything)]
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
