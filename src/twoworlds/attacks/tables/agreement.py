"""What several tables say together about one sensitive value.

A cell of the sensitive column may itself be a set: ``flu|cold``, ``<50``, ``*``. Several cells can
be about the same person when some value is in all of them, and then they say the intersection. It
is computed exactly, as alternatives that each hold at most a value, or an interval and a mask:

* a value and anything that allows it give the value;
* two intervals, or two masks, give one;
* an interval and a mask, of which neither holds the other, stay side by side.

Two questions are asked of such a set, by `Sensitive`: which alternatives it names, and these are
what is counted and shown (``flu|cold`` leaves two values, ``*`` leaves anything); and which values
that occur are in it, and over these it is spread where probabilities are asked for.

Where not everything about a person is known, two rows that each match may still contradict each
other in another column: nobody is under 30 in one table and over 35 in another.
`consistent_choices` counts the choices of one row in every table that do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple

from twoworlds.attacks.tables.cells import AnyValue, Cell, Interval, Mask, Value, column_cells
from twoworlds.errors import TooLarge

_UNSAID = AnyValue("anything")  # what an empty cell says
_MOST = 1_000_000

Part = tuple[Cell, ...]  # a value, or at most an interval and a mask; empty: anything
Cells = tuple[str | None, ...]


@dataclass(frozen=True)
class Candidate:
    """What the person's sensitive value can be: alternatives, each an intersection of cells."""

    parts: tuple[Part, ...]

    @property
    def label(self) -> str:
        """The candidate as one writes it in a table."""
        return "|".join(dict.fromkeys(_label(part) for part in self.parts))

    @property
    def is_value(self) -> bool:
        """Whether it is a single value, and no set."""
        return len(self.parts) == 1 and _is_value(self.parts[0])

    def allows(self, value: object) -> bool:
        """Tell whether a value is in the set."""
        return any(all(cell.allows(value) for cell in part) for part in self.parts)

    @staticmethod
    def of(cell: Cell) -> Candidate:
        """Return what one cell says."""
        return Candidate(
            tuple(() if isinstance(one, AnyValue) else (_narrowed(one),) for one in cell.atoms())
        )

    def met(self, other: Candidate) -> Candidate | None:
        """Return the intersection with another one, or None when it is empty."""
        found = [
            part
            for mine, theirs in product(self.parts, other.parts)
            if (part := _intersection(mine, theirs)) is not None
        ]
        return Candidate(tuple(dict.fromkeys(found))) if found else None


class Together(NamedTuple):
    """What a choice of one cell in every table says."""

    candidate: Candidate  # all of them together
    named: tuple[str, ...]  # the labels of its alternatives, each once
    sets: frozenset[str]  # those of the labels that are no single values
    inside: tuple[str, ...]  # the values that occur and are in it
    spread: int  # how many ways there are to choose a value that occurs in each of the cells


Way = tuple[Together, Cells, int]  # what a choice of cells says, which they are, in how many ways


class Sensitive:
    """The sensitive cells of all tables, read as one column: numbers, or texts.

    Cells that hold the same have one label, that of the first.
    """

    def __init__(self, tables: Iterable[Iterable[str | None]]) -> None:
        self.read = read_sensitive(tables)
        self._labels: dict[Part, str] = {}
        for candidate in self.read.values():
            for part in candidate.parts:
                self._labels.setdefault(part, _label(part))
        self._values = {part: label for part, label in self._labels.items() if _is_value(part)}
        self._told: dict[Cells, Together | None] = {}
        self._sets = [text for text, one in self.read.items() if not one.is_value]
        self._same: dict[Candidate, list[str | None]] = {}  # the cells that say a value
        for text, one in self.read.items():
            if one.is_value:
                self._same.setdefault(one, []).append(text)

    def told(self, texts: Cells) -> Together | None:
        """Return what cells of the tables say together; None when no value is in all of them."""
        if texts not in self._told:
            self._told[texts] = self._tell(texts)
        return self._told[texts]

    def choices(
        self,
        counted: Sequence[Mapping[str | None, int]],
        numbers: Mapping[Cells, int] | None = None,
    ) -> list[Way]:
        """Return each choice of a cell in every table that can be one person's."""
        found: list[tuple[Together, Cells, int]] = [
            (told, (text,), number)
            for text, number in counted[0].items()
            if (told := self.told((text,))) is not None
        ]
        for counts in counted[1:]:
            found = [*self._extended(found, counts)]
        if numbers is None:
            return found
        return [(told, texts, numbers[texts]) for told, texts, _ in found if numbers.get(texts)]

    def _extended(self, found: Sequence[Way], counts: Mapping[str | None, int]) -> Iterator[Way]:
        """Add one more table; single values are looked up, sets are tried one by one."""
        made = 0
        for told, texts, number in found:
            tried: Iterable[str | None] = counts
            if told.candidate.is_value:
                tried = (*self._same.get(told.candidate, ()), *self._sets)
            for text in tried:
                both = self.told((*texts, text)) if text in counts else None
                if both is not None:
                    made += 1
                    if made > _MOST:
                        raise TooLarge(
                            f"the sensitive cells of the tables agree in more than {_MOST} ways: "
                            "round the values, or attack fewer tables at once"
                        )
                    yield both, (*texts, text), number * counts[text]

    def _tell(self, texts: Cells) -> Together | None:
        *before, last = texts
        candidate: Candidate | None = self.read[last]
        if before:
            earlier = self.told(tuple(before))
            candidate = None if earlier is None else earlier.candidate.met(self.read[last])
        if candidate is None:
            return None
        labels = [(part, self._labels.get(part) or _label(part)) for part in candidate.parts]
        inside = tuple(dict.fromkeys(one for part in candidate.parts for one in self._of(part)))
        spread = len(inside)
        if before:
            spread = prod(len(told.inside) for text in texts if (told := self.told((text,))))
        return Together(
            candidate,
            tuple(dict.fromkeys(label for _, label in labels)),
            frozenset(label for part, label in labels if not _is_value(part)),
            inside,
            spread,
        )

    def _of(self, part: Part) -> Iterable[str]:
        if _is_value(part):
            return [self._values[part]] if part in self._values else []
        return [
            label
            for (value,), label in self._values.items()
            if all(cell.meets(value) for cell in part)
        ]


def ways_of(choices: Iterable[Way]) -> dict[str, int]:
    """Return for each alternative how many choices of rows say it."""
    ways: dict[str, int] = {}
    for told, _, number in choices:
        for label in told.named:
            ways[label] = ways.get(label, 0) + number
    return ways


def read_sensitive(tables: Iterable[Iterable[str | None]]) -> dict[str | None, Candidate]:
    """Read the cells of one column of all tables: numbers, or texts."""
    texts = dict.fromkeys(text for table in tables for text in table)
    cells = column_cells(text for text in texts if text is not None)
    return {text: Candidate.of(_UNSAID if text is None else cells[text]) for text in texts}


def consistent_choices(
    tables: Sequence[Mapping[Cells, int]],
    columns: Sequence[Sequence[str]],
    known: Mapping[str, str],
) -> dict[Cells, int]:
    """Count the choices of rows that agree in every column, by their sensitive cells.

    The tables are gone through one after the other, and choices that say the same about every
    column so far are counted together.
    """
    anything = Candidate.of(_UNSAID)
    texts: dict[str | None, list[list[str | None]]] = {name: [[one]] for name, one in known.items()}
    for table, here in zip(tables, columns, strict=True):
        for place, name in enumerate((*here, None)):  # None: the sensitive column
            texts.setdefault(name, []).append([cells[place] for cells in table])
    read = {name: read_sensitive(said) for name, said in texts.items()}
    given = dict[str | None, str](known)
    start = tuple(cells[given[one]] if one in given else anything for one, cells in read.items())
    found: dict[tuple[tuple[Candidate, ...], Cells], int] = {(start, ()): 1}
    for table, here in zip(tables, columns, strict=True):
        if len(found) * len(table) > _MOST:
            raise TooLarge(
                f"there are {len(found) * len(table)} kinds of choices to compare, and up to "
                f"{_MOST} are compared: tell more about the person, or use belief='independent'"
            )
        places = [(name, [*read].index(name)) for name in (None, *reversed(here))]
        longer: dict[tuple[tuple[Candidate, ...], Cells], int] = {}
        for ((said, chosen), ways), (cells, number) in product(found.items(), table.items()):
            now = list(said)
            for (name, place), text in zip(places, reversed(cells), strict=True):
                both = now[place].met(read[name][text])
                if both is None:
                    break
                now[place] = both
            else:
                key = (tuple(now), (*chosen, cells[-1]))
                longer[key] = longer.get(key, 0) + ways * number
        found = longer
    choices: dict[Cells, int] = {}
    for (_, chosen), ways in found.items():
        choices[chosen] = choices.get(chosen, 0) + ways
    return choices


def _intersection(mine: Part, theirs: Part) -> Part | None:
    cells = list(mine)
    for new in theirs:
        for old in cells:
            if not old.meets(new):
                return None
        same = next((old for old in cells if type(old) is type(new)), None)
        merged = new if same is None else _merged(same, new)
        cells = [old for old in cells if old is not same]
        if any(not old.meets(merged) for old in cells):
            return None
        cells.append(merged)
        cells = _smallest(cells)
    return tuple(sorted(cells, key=lambda cell: type(cell).__name__))


def _smallest(cells: Sequence[Cell]) -> list[Cell]:
    """Leave out each cell that holds all of another one."""
    kept: list[Cell] = []
    for i, cell in enumerate(cells):
        others = [*kept, *cells[i + 1 :]]
        if not any(other.within(cell) for other in others):
            kept.append(cell)
    return kept


def _merged(old: Cell, new: Cell) -> Cell:
    """Return the intersection of two cells of one kind that meet."""
    if old.within(new):
        return old
    if new.within(old):
        return new
    if isinstance(old, Interval) and isinstance(new, Interval):
        return _narrowed(_interval(old, new))
    assert isinstance(old, Mask)
    assert isinstance(new, Mask)
    pairs = zip(*old.of_one_length(new), strict=True)
    pattern = "".join(b if a == "*" else a for a, b in pairs)
    numeric = old.numeric or new.numeric
    if "*" in pattern:
        return Mask(pattern, pattern, numeric)
    [value] = column_cells([pattern], numeric=numeric).values()
    return value


def _interval(old: Interval, new: Interval) -> Interval:
    lows = [(end.low, not end.with_low) for end in (old, new) if end.low is not None]
    highs = [(end.high, end.with_high) for end in (old, new) if end.high is not None]
    low, without_low = max(lows, default=(None, True))
    high, with_high = min(highs, default=(None, False))
    text = f"{'(' if without_low else '['}{low}, {high}{']' if with_high else ')'}"
    return Interval(text, low, high, with_low=not without_low, with_high=with_high)


def _narrowed(cell: Cell) -> Cell:
    """Return the value of an interval that holds one number, and everything else as it is."""
    if isinstance(cell, Interval) and cell.low is not None and cell.low == cell.high:
        return Value(str(cell.low), str(cell.low), cell.low)
    return cell


def _is_value(part: Part) -> bool:
    return len(part) == 1 and isinstance(part[0], Value)


def _label(part: Part) -> str:
    return " and ".join(str(cell).strip() for cell in part) or str(_UNSAID)
