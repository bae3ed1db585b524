"""Choices of one row in every table that can be the same person's in all columns.

Where not everything about a person is known, two rows that each match may still contradict each
other: nobody is under 30 in one table and over 35 in another. The choices that do not are counted,
exactly: the tables are gone through one after the other, and choices that say the same about every
column so far are counted together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twoworlds.attacks.composition.agreement import UNSAID, Candidate, read_sensitive
from twoworlds.errors import TooLarge

__all__ = ["Cells", "consistent_choices"]

_MOST = 1_000_000
_ANYTHING = Candidate.of(UNSAID)

Cells = tuple[str | None, ...]


def consistent_choices(
    tables: Sequence[Mapping[Cells, int]],
    columns: Sequence[Sequence[str]],
    known: Mapping[str, str],
) -> dict[Cells, int]:
    """Count the choices of rows that agree in every column, by their sensitive cells.

    Args:
        tables: For each table, how many matching rows have which cells; the sensitive one is last.
        columns: The columns of each table, without the sensitive one.
        known: What is known, by column.

    >>> first = {("<30", "flu"): 2, ("≥40", "cold"): 1}
    >>> second = {("<35", "flu"): 1, ("<35", "cold"): 1}
    >>> consistent_choices([first, second], [["age"], ["age"]], {})
    {('flu', 'flu'): 2}

    Raises:
        TooLarge: when too many choices say different things.
    """
    names = list(dict.fromkeys([*known, *(column for one in columns for column in one)]))
    read = [_read(name, tables, columns, known) for name in names]
    sensitive = read_sensitive([[cells[-1] for cells in table] for table in tables])
    start = tuple(
        cells[known[name]] if name in known else _ANYTHING
        for name, cells in zip(names, read, strict=True)
    )
    found: dict[tuple[tuple[Candidate, ...], Candidate, Cells], int] = {(start, _ANYTHING, ()): 1}
    for table, here in zip(tables, columns, strict=True):
        if len(found) * len(table) > _MOST:
            raise TooLarge(
                f"there are {len(found) * len(table)} kinds of choices to compare, and up to "
                f"{_MOST} are compared: tell more about the person, or use belief='independent'"
            )
        places = [names.index(column) for column in here]
        longer: dict[tuple[tuple[Candidate, ...], Candidate, Cells], int] = {}
        for (said, value, texts), ways in found.items():
            for cells, number in table.items():
                both = value.met(sensitive[cells[-1]])
                now = None if both is None else _met(said, places, cells, read)
                if both is not None and now is not None:
                    key = (now, both, (*texts, cells[-1]))
                    longer[key] = longer.get(key, 0) + ways * number
        found = longer
    choices: dict[Cells, int] = {}
    for (_, _, texts), ways in found.items():
        choices[texts] = choices.get(texts, 0) + ways
    return choices


def _read(
    name: str,
    tables: Sequence[Mapping[Cells, int]],
    columns: Sequence[Sequence[str]],
    known: Mapping[str, str],
) -> dict[str | None, Candidate]:
    texts = [
        [cells[here.index(name)] for cells in table]
        for table, here in zip(tables, columns, strict=True)
        if name in here
    ]
    return read_sensitive([*texts, [known[name]] if name in known else []])


def _met(
    said: Sequence[Candidate],
    places: Sequence[int],
    cells: Cells,
    read: Sequence[Mapping[str | None, Candidate]],
) -> tuple[Candidate, ...] | None:
    """Return what is said of each column together with one more row, or None for contradictions."""
    now = list(said)
    for place, text in zip(places, cells, strict=False):  # the sensitive cell is left over
        both = now[place].met(read[place][text])
        if both is None:
            return None
        now[place] = both
    return tuple(now)
