"""Groups by what an attacker's exact knowledge matches, where generalised cells overlap.

An attacker who knows the exact values of a person in the quasi-identifier cannot rule out the rows
whose cells all allow them. If no two cells of a column overlap, these rows are a group of equal
texts, and both ways to form groups agree. If cells do overlap, as ``<35`` and ``3*`` do at 33:

* somebody who matches rows of several groups hides among all of them, so equal texts may say less
  anonymity than there is;
* whether this helps depends on the exact value: at 28, only ``<35`` matches.

What can be known of a column is divided into *points*: two values that the same cells allow are
one point. A point is what is left after intersecting cells: for numbers the ends of all intervals,
and what lies between two neighbouring ends; for masks all their intersections, with characters
that no cell shows in place of the stars. Every point that some row allows is examined: the true
values of the people are not in the table, so any of them may be somebody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor, prod

import numpy as np

from twoworlds.attacks.anonymity.counted import Codes, Counted, combined
from twoworlds.attacks.anonymity.groups import Grouping, entries, sensitive_codes
from twoworlds.attacks.generalised import Anything, Cell, Choice, Interval, Mask, Value
from twoworlds.errors import TooLarge
from twoworlds.progress import track

__all__ = ["by_knowledge", "points"]

_HIDDEN = "\x00"  # a character that no cell shows
_MOST_TRIED = 20_000_000
_MOST_MASKS = 20_000
_MOST_SHAPES = 64
_MOST_MEMBERS = 10_000
_MOST_ENTRIES = 500_000_000

_Shape = tuple[int, tuple[int, ...]]  # how long a mask is, and which places it shows
Point = tuple[int, ...]  # the codes of the cells that allow it


def points(texts: Sequence[str], cells: Mapping[str, Cell]) -> list[Point]:
    """Return what can be known of a column, each as the cells that allow it.

    >>> from twoworlds.attacks.generalised import column_cells
    >>> points(["<35", "3*"], column_cells(["<35", "3*"]))
    [(0,), (0, 1), (1,)]

    Raises:
        TooLarge: when too many cells overlap in too many ways.
    """
    values: dict[object, list[int]] = {}
    masks = _Masks()
    sets: list[tuple[int, Cell]] = []
    for code, text in enumerate(texts):
        cell = cells[text]
        if isinstance(cell, Value):
            values.setdefault(_key(cell), []).append(code)
        elif isinstance(cell, Mask) and not cell.numeric:
            masks.add(cell.pattern, code)
        else:
            sets.append((code, cell))
    tried = [*_candidates([cells[text] for text in texts])]
    if len(tried) * len(sets) > _MOST_TRIED:
        raise TooLarge(
            f"{len(sets)} generalised cells of one column divide it into {len(tried)} parts: "
            "too many to try; compare equal texts instead"
        )
    found = set()
    for value in tried:
        met = [code for code, cell in sets if cell.meets(value)]
        met += [*values.get(_key(value), ()), *masks.matching(value.plain)]
        found.add(tuple(sorted(met)))
    return sorted(found - {()})


def by_knowledge(
    table: Counted,
    quasi: Sequence[str],
    sensitive: str | None,
    cells: Mapping[str, Mapping[str, Cell]],
) -> Grouping:
    """Return, for all that can be known of somebody in the table, the rows that match.

    A row is in several groups if several things can be known of the person behind it.

    Raises:
        TooLarge: when too many cells overlap in too many ways.
    """
    known = {c: points(table.texts[table.place(c)], cells[c]) for c in quasi}
    overlapping = [c for c in quasi if any(len(point) > 1 for point in known[c])]
    plain = [c for c in quasi if c not in overlapping]
    tried = prod(len(known[c]) for c in overlapping)
    if tried * len(table.counts) > _MOST_ENTRIES:
        raise TooLarge(
            f"the cells of {', '.join(overlapping)} overlap in {tried} ways in a table of "
            f"{len(table.counts)} distinct rows: leave a column out, or compare equal texts"
        )
    choices = product(*(range(len(known[c])) for c in overlapping))
    parts = [
        part
        for choice in track(choices, "matching knowledge", total=tried)
        if (part := _matching(table, plain, overlapping, known, choice, sensitive)) is not None
    ]
    return _together(table, quasi, sensitive, known, overlapping, parts)


@dataclass(frozen=True, eq=False)
class _Part:
    """The groups of those whose overlapping columns are at one point each."""

    choice: tuple[int, ...]
    starts: Codes
    values: Codes
    counts: Codes
    sizes: Codes
    where: Codes


def _matching(
    table: Counted,
    plain: Sequence[str],
    overlapping: Sequence[str],
    known: Mapping[str, list[Point]],
    choice: tuple[int, ...],
    sensitive: str | None,
) -> _Part | None:
    rows = np.ones(len(table.counts), dtype=bool)
    for column, point in zip(overlapping, choice, strict=True):
        place = table.place(column)
        allowed = np.zeros(len(table.texts[place]), dtype=bool)
        allowed[list(known[column][point])] = True
        rows &= allowed[table.codes[place]]
    chosen = np.flatnonzero(rows)
    if not len(chosen):
        return None
    keys = np.zeros(len(chosen), dtype=np.int64)
    if plain:
        places = [table.place(column) for column in plain]
        keys = combined(
            [table.codes[i][chosen] for i in places], [len(table.texts[i]) for i in places]
        )
        keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    codes, names = sensitive_codes(table, sensitive)
    starts, values, counts, sizes, where = entries(
        keys, codes[chosen], table.counts[chosen], max(1, len(names))
    )
    return _Part(choice, starts, values, counts, sizes, chosen[where])


@dataclass(frozen=True, eq=False)
class _KnownLabels:
    """The cells that match, of each group."""

    table: Counted
    quasi: tuple[str, ...]
    known: Mapping[str, list[Point]]
    overlapping: tuple[str, ...]
    choices: tuple[tuple[int, ...], ...]
    part: Codes
    where: Codes

    def of(self, number: int) -> tuple[tuple[str, ...], ...]:
        choice = dict(zip(self.overlapping, self.choices[int(self.part[number])], strict=True))
        return tuple(self._texts(column, number, choice.get(column)) for column in self.quasi)

    def _texts(self, column: str, number: int, point: int | None) -> tuple[str, ...]:
        place = self.table.place(column)
        texts = self.table.texts[place]
        if point is None:
            return (texts[int(self.table.codes[place][self.where[number]])],)
        return tuple(texts[code] for code in self.known[column][point])


def _together(
    table: Counted,
    quasi: Sequence[str],
    sensitive: str | None,
    known: Mapping[str, list[Point]],
    overlapping: Sequence[str],
    parts: Sequence[_Part],
) -> Grouping:
    codes, names = sensitive_codes(table, sensitive)
    totals = np.zeros(max(1, len(names)), dtype=np.int64)
    np.add.at(totals, codes, table.counts)
    before = np.cumsum([0, *(len(part.values) for part in parts[:-1])])
    labels = _KnownLabels(
        table,
        tuple(quasi),
        known,
        tuple(overlapping),
        tuple(part.choice for part in parts),
        np.repeat(np.arange(len(parts)), [len(part.starts) for part in parts]),
        np.concatenate([part.where for part in parts]),
    )
    return Grouping(
        tuple(quasi),
        labels,
        np.concatenate([part.starts + b for part, b in zip(parts, before, strict=True)]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        names,
        totals,
    )


def _key(value: Value) -> object:
    return value.plain if value.number is None else value.number


def _candidates(cells: Iterable[Cell]) -> Iterator[Value]:
    """Yield values of which every set of cells that can be met at once meets at least one."""
    atoms = [atom for cell in cells for atom in _atoms(cell)]
    yield from (atom for atom in atoms if isinstance(atom, Value))
    for pattern in _intersections(atoms):
        filled = pattern.replace("*", _HIDDEN)
        yield Value(filled, filled)
    numbers = [*_numbers(atoms)]
    yield from (Value(str(number), str(number), number) for number in numbers)
    if not numbers and any(isinstance(atom, Anything) for atom in atoms):
        yield Value(_HIDDEN, _HIDDEN)


def _atoms(cell: Cell) -> Iterator[Cell]:
    if isinstance(cell, Choice):
        for option in cell.options:
            yield from _atoms(option)
    else:
        yield cell


class _Masks:
    """Masks of text, found by the characters that they show.

    Masks that show the same places are of one *shape*; two of them have nothing in common.
    """

    def __init__(self) -> None:
        self._shapes: dict[_Shape, dict[str, list[tuple[str, int]]]] = {}

    def add(self, pattern: str, code: int) -> None:
        shape = _shape(pattern)
        shown = _shown(pattern, shape[1])
        self._shapes.setdefault(shape, {}).setdefault(shown, []).append((pattern, code))

    def matching(self, text: str) -> Iterator[int]:
        """Yield the codes of the masks that a text matches."""
        for (size, places), index in self._shapes.items():
            if size == len(text):
                yield from (code for _, code in index.get(_shown(text, places), ()))


def _shape(pattern: str) -> _Shape:
    return len(pattern), tuple(i for i, character in enumerate(pattern) if character != "*")


def _shown(text: str, places: Iterable[int]) -> str:
    return "".join(text[place] for place in places)


def _intersections(atoms: Iterable[Cell]) -> set[str]:
    """Return the masks of text and all their intersections, adding one shape after the other."""
    added: dict[_Shape, set[str]] = {}
    for atom in atoms:
        if isinstance(atom, Mask) and not atom.numeric:
            added.setdefault(_shape(atom.pattern), set()).add(atom.pattern)
    found: dict[_Shape, set[str]] = {}
    for shape, masks in sorted(added.items()):
        met = [*masks]
        for other, before in found.items():
            met += _met(shape, masks, other, before)
        for pattern in met:
            found.setdefault(_shape(pattern), set()).add(pattern)
        if len(found) > _MOST_SHAPES or sum(map(len, found.values())) > _MOST_MASKS:
            raise TooLarge(
                f"the masks of one column overlap in more than {_MOST_MASKS:,} ways, or hide more "
                f"than {_MOST_SHAPES} choices of characters: hide the same characters in all of "
                "them, or compare equal texts instead"
            )
    return {pattern for patterns in found.values() for pattern in patterns}


def _met(shape: _Shape, masks: set[str], other: _Shape, before: set[str]) -> Iterator[str]:
    """Yield the intersections of masks of two shapes: they agree where both show something."""
    if shape[0] != other[0]:
        return
    common = [place for place in shape[1] if place in other[1]]
    index: dict[str, list[str]] = {}
    for pattern in before:
        index.setdefault(_shown(pattern, common), []).append(pattern)
    for mask in masks:
        for pattern in index.get(_shown(mask, common), ()):
            pairs = zip(mask, pattern, strict=True)
            yield "".join(b if a == "*" else a for a, b in pairs)


def _numbers(atoms: Sequence[Cell]) -> Iterator[Fraction]:
    """Yield all ends, and between two neighbours, and beyond, a whole number and another one."""
    ends = sorted({end for atom in atoms for end in _ends(atom)})
    if not ends:
        return
    yield from ends
    bounds = [ends[0] - 3, *ends, ends[-1] + 3]
    for low, high in pairwise(bounds):
        middle = (low + high) / 2
        yield middle if middle.denominator > 1 else middle + min((high - low) / 4, Fraction(1, 2))
        whole = Fraction(floor(low) + 1)
        if whole <= ceil(high) - 1:
            yield whole


def _ends(atom: Cell) -> Iterator[Fraction]:
    if isinstance(atom, Interval):
        yield from (end for end in (atom.low, atom.high) if end is not None)
    elif isinstance(atom, Value) and atom.number is not None:
        yield atom.number
    elif isinstance(atom, Mask) and atom.numeric:
        yield from _members(atom)


def _members(mask: Mask) -> Iterator[Fraction]:
    """Yield the first and last number of each run of neighbouring numbers in a mask."""
    shown = mask.pattern.rstrip("*")
    hidden = 10 ** (len(mask.pattern) - len(shown))
    if 10 ** shown.count("*") > _MOST_MEMBERS:
        raise TooLarge(
            f"the mask {mask} stands for more than {_MOST_MEMBERS} separate numbers: hide digits "
            "at the end only, or compare equal texts instead"
        )
    for digits in product("0123456789", repeat=shown.count("*")):
        front = int("".join(_filled(shown, digits)))
        yield Fraction(front * hidden)
        yield Fraction(front * hidden + hidden - 1)


def _filled(shown: str, digits: Sequence[str]) -> Iterator[str]:
    rest = iter(digits)
    for character in shown:
        yield next(rest) if character == "*" else character
