"""What several tables say together about one sensitive value.

A cell of the sensitive column may itself be a set: ``flu|cold``, ``<50``, ``*``. Several cells can
be about the same person when some value is in all of them, and then they say the intersection. It
is computed exactly, as alternatives that each hold at most a value, or an interval and a mask:

* a value and anything that allows it give the value;
* two intervals, or two masks, give one;
* an interval and a mask, of which neither holds the other, stay side by side.

Two questions are asked of such a set, by `Values`: which alternatives it names, and these are what
is counted and shown (``flu|cold`` leaves two values, ``*`` leaves anything); and which values that
occur are in it, and over these it is spread where probabilities are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from twoworlds.attacks.generalised import (
    Anything,
    Cell,
    Choice,
    Interval,
    Mask,
    Value,
    column_cells,
)
from twoworlds.errors import TooLarge

__all__ = ["UNSAID", "Candidate", "Values", "agreements", "read_sensitive"]

UNSAID = Anything("anything")  # what an empty cell says
_MOST = 1_000_000

Part = tuple[Cell, ...]  # a value, or at most an interval and a mask; empty: anything


@dataclass(frozen=True)
class Candidate:
    """What the person's sensitive value can be: one value, or a set that nothing divides.

    Attributes:
        parts: Alternatives, each an intersection of cells.
    """

    parts: tuple[Part, ...]

    @property
    def label(self) -> str:
        """The candidate as one writes it in a table."""
        return "|".join(dict.fromkeys(_label(part) for part in self.parts))

    @property
    def value(self) -> Value | None:
        """The value, if it is a single one."""
        if len(self.parts) == 1 and _is_value(self.parts[0]):
            [[cell]] = self.parts
            return cell if isinstance(cell, Value) else None
        return None

    def allows(self, value: object) -> bool:
        """Tell whether a value is in the set."""
        return any(all(cell.allows(value) for cell in part) for part in self.parts)

    @classmethod
    def of(cls, cell: Cell) -> Candidate:
        """Return what one cell says."""
        return cls(tuple(_parts(cell)))

    def met(self, other: Candidate) -> Candidate | None:
        """Return the intersection with another one, or None when it is empty."""
        found = [
            part
            for mine, theirs in product(self.parts, other.parts)
            if (part := _intersection(mine, theirs)) is not None
        ]
        return Candidate(tuple(dict.fromkeys(found))) if found else None


class Values:
    """The values that occur among cells, and how a set divides into them.

    Cells that hold the same have one label, that of the first.

    >>> read = read_sensitive([["flu|cold", "cold|flu", "*"]])
    >>> values = Values(read.values())
    >>> values.alternatives(read["cold|flu"]), values.alternatives(read["*"])
    (('cold', 'flu'), ('anything',))
    >>> values.inside(read["*"])
    ('flu', 'cold')
    """

    def __init__(self, read: Iterable[Candidate]) -> None:
        self._labels: dict[Part, str] = {}
        for candidate in read:
            for part in candidate.parts:
                self._labels.setdefault(part, _label(part))
        self._values = {part: label for part, label in self._labels.items() if _is_value(part)}
        self._inside: dict[Candidate, tuple[str, ...]] = {}

    def alternatives(self, candidate: Candidate) -> tuple[str, ...]:
        """Return the labels of what a candidate names, each once."""
        return tuple(dict.fromkeys(self._labels.get(p) or _label(p) for p in candidate.parts))

    def inside(self, candidate: Candidate) -> tuple[str, ...]:
        """Return the values that occur and are in the set, each once."""
        if len(candidate.parts) == 1 and _is_value(candidate.parts[0]):
            return tuple(self._of(candidate.parts[0]))
        if candidate not in self._inside:
            found = dict.fromkeys(label for part in candidate.parts for label in self._of(part))
            self._inside[candidate] = tuple(found)
        return self._inside[candidate]

    def sets(self, candidate: Candidate) -> set[str]:
        """Return the labels of those alternatives that are no single values."""
        return {self._labels.get(p) or _label(p) for p in candidate.parts if not _is_value(p)}

    def _of(self, part: Part) -> Iterable[str]:
        if _is_value(part):
            return [self._values[part]] if part in self._values else []
        return [
            label
            for (value,), label in self._values.items()
            if all(cell.meets(value) for cell in part)
        ]


_Chosen = tuple[tuple[str | None, ...], Candidate]


def read_sensitive(tables: Iterable[Iterable[str | None]]) -> dict[str | None, Candidate]:
    """Read the sensitive cells of all tables, as one column: numbers, or texts."""
    texts = dict.fromkeys(text for table in tables for text in table)
    cells = column_cells(text for text in texts if text is not None)
    return {text: Candidate.of(UNSAID if text is None else cells[text]) for text in texts}


def agreements(
    tables: Sequence[Iterable[str | None]], read: Mapping[str | None, Candidate]
) -> Iterator[tuple[tuple[str | None, ...], Candidate]]:
    """Yield each choice of a cell from every table that can be one person's, and what it says.

    Args:
        tables: The distinct sensitive cells of each table.
        read: What each of them says, from `read_sensitive`.

    >>> tables = [["flu", "cold"], ["flu|cancer"]]
    >>> [(texts, one.label) for texts, one in agreements(tables, read_sensitive(tables))]
    [(('flu', 'flu|cancer'), 'flu')]

    Raises:
        TooLarge: when there are too many choices.
    """
    first, *others = [list(table) for table in tables]
    found: list[_Chosen] = [((text,), read[text]) for text in first]
    for table in others:
        found = list(_extended(found, table, read))
    yield from found


def _extended(
    found: Sequence[_Chosen], table: Sequence[str | None], read: Mapping[str | None, Candidate]
) -> Iterator[_Chosen]:
    """Add one more table; single values are looked up, sets are tried one by one."""
    values: dict[Cell, list[str | None]] = {}
    sets = []
    for text in table:
        value = read[text].value
        if value is None:
            sets.append(text)
        else:
            values.setdefault(value, []).append(text)
    made = 0
    for texts, candidate in found:
        value = candidate.value
        tried = table if value is None else (*values.get(value, ()), *sets)
        for text in tried:
            both = candidate.met(read[text])
            if both is not None:
                made += 1
                if made > _MOST:
                    raise TooLarge(
                        f"the sensitive cells of the tables agree in more than {_MOST} ways: "
                        "round the values, or attack fewer tables at once"
                    )
                yield (*texts, text), both


def _parts(cell: Cell) -> Iterator[Part]:
    if isinstance(cell, Choice):
        for option in sorted(cell.options, key=lambda o: cell.listed.index(str(o))):
            yield from _parts(option)
    else:
        yield () if isinstance(cell, Anything) else (_narrowed(cell),)


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
    size = max(len(old.pattern), len(new.pattern))
    pairs = zip(old.pattern.rjust(size, "0"), new.pattern.rjust(size, "0"), strict=True)
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
    return " and ".join(str(cell).strip() for cell in part) or str(UNSAID)
