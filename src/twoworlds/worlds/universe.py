"""Universes: the ordered sets of all databases that may be true, and of all possible outputs.

A `Universe` is a finite or infinite ordered set of hashable points, each with a label that a
person can type. Neighbours are asked of it point by point (`Universe.around`); everything else
about neighbours (pairs, distances, groups) is derived in `twoworlds.worlds.records`.

Wu, Section 2, and Dwork, Definition 2 leave the neighbour relation to the reader; here it is a
parameter everywhere: ``"substitute"``, ``"add-remove"`` or ``"explicit"`` pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from twoworlds.errors import InvalidInput, TooLarge

Point = Any  # hashable: a tuple of records, a whole number, a fraction, a label
LARGEST_LISTED = 1 << 22
SUBSTITUTE = "substitute"
ADD_REMOVE = "add-remove"
EXPLICIT = "explicit"
MIXED = "mixed relations"  # of several universes, each by its own
_SEPARATORS = ",;| "


class Universe(ABC):
    """An ordered set of points with labels and neighbours.

    >>> from twoworlds import universe
    >>> [*map(universe("bits(2)").label, universe("bits(2)"))]
    ['11', '10', '01', '00']
    """

    @property
    @abstractmethod
    def size(self) -> int | None:
        """The number of points, or None when there are infinitely many."""

    @abstractmethod
    def __iter__(self) -> Iterator[Point]:
        """Run through the points in order (forever, when infinite)."""

    @abstractmethod
    def __contains__(self, point: object) -> bool:
        """Tell whether this is one of the points."""

    @abstractmethod
    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Yield the neighbours of a point under a relation, each once, never the point itself."""

    @property
    @abstractmethod
    def expression(self) -> str:
        """The call that builds this universe, as one would type it."""

    @property
    def relation(self) -> str:
        """The neighbour relation that is meant when none is named."""
        return SUBSTITUTE

    def explain(self, relation: str) -> str:
        """Say in words when two databases are neighbours."""
        if relation == ADD_REMOVE:
            return "one database has one person's record more than the other"
        return "the databases differ in one person's record"

    # What is said of a person, where databases speak of persons; see `members`.
    noun: ClassVar[str] = "person"
    entry: ClassVar[tuple[str, str]] = ("entry", "entries")
    shows_missing: ClassVar[bool] = False  # whether a database without someone shows who is missing

    @property
    def members(self) -> tuple[Hashable, ...]:
        """The persons: positions 1, 2, ... of a list, or names where a database may lack some."""
        raise InvalidInput(
            f"{self.expression} has no persons to speak of: use bits(n), records(values, n), "
            "samples(members, values) or graphs(n), or give functions of your own"
        )

    def part(self, database: Point, member: Hashable) -> Hashable:
        """Return what the database says of a person."""
        return self._word(database)[int(str(member)) - 1]  # type: ignore[no-any-return]

    def without(self, database: Point, member: Hashable) -> Hashable:
        """Return the database without the person."""
        word, position = self._word(database), int(str(member)) - 1
        return (*word[:position], *word[position + 1 :])

    def _word(self, database: Point) -> Any:
        """Return the list of records that a database is."""
        return database

    def chosen(
        self, given: Sequence[object] | None = None, example: str = "persons(1, 3)"
    ) -> tuple[Hashable, ...]:
        """Return the persons of these names, or all of them."""
        everyone = self.members
        if given is None:
            return everyone
        names = {str(member): member for member in everyone}
        texts = [str(name).strip() for name in given]
        for name, text in zip(given, texts, strict=True):
            if text not in names:
                raise InvalidInput(
                    f"{name!r} is no {self.noun} of {self.expression}: {_range(everyone)}; "
                    f"write {example}"
                )
            if texts.count(text) > 1:
                raise InvalidInput(f"{self.noun} {text} is named twice: write {example}")
        if not texts:
            raise InvalidInput(f"no person is named: write {example}")
        return tuple(names[text] for text in texts)

    def say_members(self, chosen: Sequence[Hashable]) -> str:
        """Name the entries of persons in words."""
        names, (one, many) = [str(member) for member in chosen], self.entry
        if len(names) == 1:
            return f"{one} of {self.noun} {names[0]}"
        return f"{many} of {self.noun}s {', '.join(names[:-1])} and {names[-1]}"

    def entries(self, database: Point) -> Point:
        """Return what a statistic looks at: the records, where a database holds more than them."""
        return database

    def label(self, point: Point) -> str:
        """Return what a person would type for this point."""
        return str(point)

    def find(self, given: object) -> Point:
        """Return the point that ``given`` is, or is the label of."""
        try:
            if given in self:
                return given
        except TypeError:  # not hashable, so it is no point
            pass
        if isinstance(given, str):
            point = self._parse(given.strip())
            if point is not None and point in self:
                return point
        raise InvalidInput(f"{given!r} is not in {self.expression}: {self._hint()}")

    def _parse(self, label: str) -> Point | None:
        return next((point for point in self if self.label(point) == label), None)

    def _hint(self) -> str:
        """Show the first few labels, for an error message."""
        labels: list[str] = []
        for point in self:
            if len(labels) == 4:
                return f"its points are {', '.join(labels)}, ..."
            labels.append(self.label(point))
        return f"its points are {', '.join(labels)}"

    @cached_property
    def positions(self) -> dict[Point, int]:
        """The position of every point (finite universes of moderate size)."""
        if self.size is None or self.size > LARGEST_LISTED:
            raise TooLarge(
                f"{self.expression} has too many points to list them one by one: "
                "use a smaller universe, or a mechanism with structure"
            )
        return {point: position for position, point in enumerate(self)}

    @staticmethod
    def of(labels: Iterable[Point], pairs: Iterable[tuple[Point, Point]] | None = None) -> Explicit:
        """Return the universe of these points, with these neighbour pairs if given.

        >>> Universe.of(["a", "b", "c"], [("a", "b"), ("b", "c")]).size
        3
        """
        chosen = None if pairs is None else tuple((x, y) for x, y in pairs)
        return Explicit(tuple(labels), chosen)


@dataclass(frozen=True)
class Explicit(Universe):
    """A finite universe given point by point.

    Without explicit pairs the labels decide: equal-length digit strings (``11,10,01,00``) and
    labels with separators (``a|b``) are read as one value per person; any other label is the
    whole record of one person, so that any two databases are neighbours under substitution.
    """

    points: tuple[Point, ...]
    pairs: tuple[tuple[Point, Point], ...] | None = None

    def __post_init__(self) -> None:
        if not self.points:
            raise InvalidInput("the universe is empty: name at least one database")
        if len(self.positions) != len(self.points):
            twice = next(p for i, p in enumerate(self.points) if self.positions[p] != i)
            raise InvalidInput(f"{twice!r} is named twice: labels must differ")
        for pair in self.pairs or ():
            for point in pair:
                if point not in self.positions:
                    raise InvalidInput(f"pair {pair}: {point!r} is not in the universe")
            if pair[0] == pair[1]:
                raise InvalidInput(f"pair {pair}: a database is not its own neighbour")

    @property
    def size(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __contains__(self, point: object) -> bool:
        return point in self.positions

    @property
    def expression(self) -> str:
        shown = ", ".join(str(p) for p in self.points[:6])
        return f"{{{shown}{', ...' if len(self.points) > 6 else ''}}}"

    @property
    def relation(self) -> str:
        """Explicit pairs where they are given, substitution otherwise."""
        return SUBSTITUTE if self.pairs is None else EXPLICIT

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        if relation == EXPLICIT:
            yield from self._listed.get(point, ())
            return
        own = self._words[point]
        for other in self.points:
            if other != point and _adjacent(own, self._words[other], relation):
                yield other

    def explain(self, relation: str) -> str:
        """Say how the labels were read."""
        if relation == EXPLICIT:
            return "the pair is one of those listed"
        records = max(len(word) for word in self._words.values())
        if records == 1 and relation == SUBSTITUTE:
            return "any two databases (each label is read as one person's whole record)"
        return super().explain(relation) + f" (each label is read as {records} records)"

    @property
    def members(self) -> tuple[Hashable, ...]:
        """The positions, where all labels are lists of one length."""
        sizes = {len(word) for word in self._words.values()}
        if len(sizes) == 1 and sizes != {0}:
            return tuple(range(1, sizes.pop() + 1))
        return super().members

    def _word(self, database: Point) -> Any:
        return self._words[database]

    @cached_property
    def _listed(self) -> dict[Point, tuple[Point, ...]]:
        near: dict[Point, dict[Point, None]] = {}
        for x, y in self.pairs or ():
            near.setdefault(x, {})[y] = None
            near.setdefault(y, {})[x] = None
        return {point: tuple(others) for point, others in near.items()}

    @cached_property
    def _words(self) -> dict[Point, Sequence[Point]]:
        """Each point read as a word of records."""
        texts = [p for p in self.points if isinstance(p, str)]
        if len(texts) < len(self.points):
            return {p: p if isinstance(p, tuple) else (p,) for p in self.points}
        for separator in _SEPARATORS:
            if any(separator in text for text in texts):
                return {t: tuple(t.split(separator)) if t else () for t in texts}
        same_length = len({len(text) for text in texts}) == 1
        if all(text.isdigit() or not text for text in texts) and (same_length or "" in texts):
            return {text: tuple(text) for text in texts}
        return {text: (text,) for text in texts}


@dataclass(frozen=True)
class Product(Universe):
    """Tuples of points: the outputs of several mechanisms, or what each of them looks at."""

    parts: tuple[Universe, ...]

    @property
    def size(self) -> int | None:
        found = 1
        for part in self.parts:
            if part.size is None:
                return None
            found *= part.size
        return found

    def __iter__(self) -> Iterator[Point]:
        if self.size is None:
            raise InvalidInput("there are infinitely many outputs: ask for single ones")
        return product(*self.parts)

    def __contains__(self, point: object) -> bool:
        fits = isinstance(point, tuple) and len(point) == len(self.parts)
        return fits and all(p in part for p, part in zip(point, self.parts, strict=True))  # type: ignore[call-overload]

    @property
    def expression(self) -> str:
        return " x ".join(part.expression for part in self.parts)

    def label(self, point: Point) -> str:
        labels = (part.label(p) for p, part in zip(point, self.parts, strict=True))
        return f"({'; '.join(labels)})"

    def _parse(self, label: str) -> Point | None:
        texts = label.removeprefix("(").removesuffix(")").split(";")
        if len(texts) != len(self.parts):
            return None if self.size is None else super()._parse(label)
        try:
            return tuple(part.find(t) for t, part in zip(texts, self.parts, strict=True))
        except InvalidInput:
            return None

    def _hint(self) -> str:
        return f"write the {len(self.parts)} outputs as in (0; 1), between brackets"

    @property
    def relation(self) -> str:
        """The relation of all parts, if it is one."""
        relations = {part.relation for part in self.parts}
        return relations.pop() if len(relations) == 1 else MIXED

    def explain(self, relation: str) -> str:
        """Say what a neighbour is in each part: one person changes all of them at once."""
        said = (
            f"in {part.expression} {part.explain(part.relation if relation == MIXED else relation)}"
            for part in self.parts
        )
        return "; ".join(said)

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Neighbours are not listed one by one."""
        raise InvalidInput(f"the neighbours in {self.expression} are not listed one by one")


def _range(everyone: tuple[Hashable, ...]) -> str:
    if everyone == tuple(range(1, len(everyone) + 1)):
        return f"there are {len(everyone)}, counted from 1"
    shown = ", ".join(str(member) for member in everyone[:8])
    return f"there are {shown}{', ...' if len(everyone) > 8 else ''}"


def _adjacent(x: Sequence[Point], y: Sequence[Point], relation: str) -> bool:
    """Tell whether two words differ in one record, or by one record more."""
    if relation == SUBSTITUTE:
        return len(x) == len(y) and sum(a != b for a, b in zip(x, y, strict=True)) == 1
    longer, shorter = (x, y) if len(x) > len(y) else (y, x)
    if len(longer) != len(shorter) + 1:
        return False
    return any(
        tuple(longer[:i]) + tuple(longer[i + 1 :]) == tuple(shorter) for i in range(len(longer))
    )


# --- A part of a universe ------------------------------------------------------------------------
# Restricting a universe keeps what a neighbour is: two databases are neighbours in the part when
# they are in the whole, and a group of c people is counted along paths of the whole.


@dataclass(frozen=True)
class Part(Universe):
    """Some points of a universe; with ``pairs``, those are its neighbours.

    >>> from twoworlds.worlds.records import BitStrings
    >>> part = Part(BitStrings(2), ((1, 1), (1, 0)))
    >>> [part.label(x) for x in part.around((1, 1), "substitute")]
    ['10']
    """

    whole: Universe
    points: tuple[Point, ...]
    pairs: tuple[tuple[Point, Point], ...] | None = None

    def __post_init__(self) -> None:
        for point in self.points:
            if point not in self.whole:
                raise InvalidInput(f"{point!r} is not in {self.whole.expression}")
        _ = self._own  # checks that there are points, that they differ, and that pairs use them

    @cached_property
    def _own(self) -> Explicit:
        return Explicit(self.points, self.pairs)

    @property
    def size(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __contains__(self, point: object) -> bool:
        return point in self._own

    @property
    def expression(self) -> str:
        """The points, shortened, and where they come from; the whole where nothing is left out."""
        if len(self.points) == self.whole.size:
            return self.whole.expression
        shown = ", ".join(self.whole.label(p) for p in self.points[:6])
        return f"{{{shown}{', ...' if len(self.points) > 6 else ''}}} of {self.whole.expression}"

    @property
    def relation(self) -> str:
        """Listed pairs where they are given, the universe's own relation otherwise."""
        return self.whole.relation if self.pairs is None else EXPLICIT

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Yield the neighbours that belong to the part."""
        if relation == EXPLICIT and self.pairs is not None:
            yield from self._own.around(point, relation)
        else:
            yield from (p for p in self.whole.around(point, relation) if p in self._own)

    def explain(self, relation: str) -> str:
        if relation == EXPLICIT and self.pairs is not None:
            return self._own.explain(relation)
        return self.whole.explain(relation)

    def label(self, point: Point) -> str:
        return self.whole.label(point)
