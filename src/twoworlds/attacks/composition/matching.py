"""Which cells of a published column somebody can stand behind, for many known values at once.

What is known about a person is compatible with a cell when some value is in both. A cell that is
missing (None) says nothing and is compatible with everything, and so is a value that is not known.
Known values are indexed, so that a column of many distinct texts is not compared one by one with
many people: numbers are sorted for intervals, texts are looked up by the characters that a mask
shows. The index only proposes; `Cell.meets` decides.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from fractions import Fraction

from twoworlds.attacks.generalised import (
    Anything,
    Cell,
    Choice,
    Interval,
    Mask,
    Value,
    column_cells,
    read_cell,
)

__all__ = ["KnownValues"]


class KnownValues:
    """Distinct known values of one column; None where nothing is known.

    >>> known = KnownValues(["28", "33", "45"])
    >>> sorted(known.behind(read_cell("<35")))
    ['28', '33']
    """

    def __init__(self, texts: Iterable[str | None]) -> None:
        listed = list(texts)
        self._unknown = None in listed
        self._cells = {text: read_cell(text) for text in listed if text is not None}
        plain = {text: cell for text, cell in self._cells.items() if isinstance(cell, Value)}
        self._plain = plain
        self._sets = [text for text in self._cells if text not in plain]
        self._by_text: dict[str, list[str]] = {}
        self._by_number: dict[Fraction, list[str]] = {}
        for text, cell in plain.items():
            self._by_text.setdefault(cell.plain, []).append(text)
            number = cell.number
            if number is None:  # an interval takes 007 for a number, too
                again = read_cell(text, numeric=True)
                number = again.number if isinstance(again, Value) else None
            if number is not None:
                self._by_number.setdefault(number, []).append(text)
        self._numbers = sorted(self._by_number)
        self._shown: dict[tuple[bool, int, tuple[int, ...]], dict[str, list[str]]] = {}

    def behind(self, cell: Cell) -> set[str]:
        """Return the known values with which a cell is compatible."""
        if isinstance(cell, Anything):
            return set(self._cells)
        proposed = (*self._sets, *self._proposed(cell))
        return {text for text in proposed if cell.meets(self._cells[text])}

    def pairs(self, texts: Iterable[str | None]) -> Iterator[tuple[str | None, str | None]]:
        """Yield each known value with each cell of a column that are compatible.

        >>> known = KnownValues(["13012", "14850"])
        >>> sorted(known.pairs(["130**", "14***"]))
        [('13012', '130**'), ('14850', '14***')]
        """
        listed = list(texts)
        cells = column_cells(text for text in listed if text is not None)
        for text in listed:
            for value in self._cells if text is None else self.behind(cells[text]):
                yield value, text
            if self._unknown:
                yield None, text

    def _proposed(self, cell: Cell) -> Iterable[str]:
        if isinstance(cell, Choice):
            return [text for option in cell.options for text in self.behind(option)]
        if isinstance(cell, Interval):
            return self._between(cell)
        if isinstance(cell, Mask):
            return self._fitting(cell)
        if isinstance(cell, Value):
            same = () if cell.number is None else self._by_number.get(cell.number, ())
            return {*self._by_text.get(cell.plain, ()), *same}
        return self._plain

    def _between(self, cell: Interval) -> Iterator[str]:
        first = 0 if cell.low is None else bisect_left(self._numbers, cell.low)
        last = len(self._numbers) if cell.high is None else bisect_right(self._numbers, cell.high)
        for number in self._numbers[first:last]:
            yield from self._by_number[number]

    def _fitting(self, mask: Mask) -> Iterable[str]:
        size = len(mask.pattern)
        places = tuple(i for i in range(size) if mask.pattern[i] != "*")
        key = (mask.numeric, size, places)
        if key not in self._shown:
            found: dict[str, list[str]] = {}
            for text, cell in self._plain.items():
                for spelled in _spellings(cell, size) if mask.numeric else (cell.plain,):
                    if len(spelled) == size:
                        found.setdefault(_at(spelled, places), []).append(text)
            self._shown[key] = found
        return self._shown[key].get(_at(mask.pattern, places), ())


def _spellings(cell: Value, size: int) -> set[str]:
    """Return how the digits of a whole number may stand in a mask of so many characters."""
    found = {cell.plain.zfill(size)} if cell.plain.isdecimal() else set()
    number = cell.number
    if number is not None and number >= 0 and number.denominator == 1:
        found.add(str(number).zfill(size))
    return found


def _at(text: str, places: tuple[int, ...]) -> str:
    return "".join(text[i] for i in places)
