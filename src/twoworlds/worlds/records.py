"""Universes of records (bit strings, lists over a set of values) and answers; neighbours in them.

A database is a tuple of values, one for each person (Kasiviswanathan & Smith, Section 1.1).
Bit strings run from 11...1 down to 00...0, the order of Lin & Kifer. With ``smallest`` given,
all list lengths from there to ``n`` belong, and add-remove neighbours exist: one list is the
other with one record taken out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, product
from typing import Any

from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import Number, exact_text, number, positive, rational, show, whole
from twoworlds.progress import track
from twoworlds.worlds.universe import (
    ADD_REMOVE,
    EXPLICIT,
    LARGEST_LISTED,
    SUBSTITUTE,
    Part,
    Point,
    Universe,
)

_MOST = 10**6  # records, or values of one: a database is written out
_SEPARATORS = ",;|/ "


@dataclass(frozen=True, init=False)
class Records(Universe):
    """All lists of ``n`` records over the values; of ``smallest`` to ``n`` records if given.

    >>> [r for r in Records(["a", "b"], 2)]
    [('a', 'a'), ('a', 'b'), ('b', 'a'), ('b', 'b')]
    """

    values: tuple[Point, ...]
    n: int
    smallest: int

    def __init__(
        self, values: int | Sequence[Point], n: int, *, smallest: int | None = None
    ) -> None:
        if not isinstance(values, Iterable):
            values = tuple(range(whole(values, "values", at_least=1, at_most=_MOST)))
        chosen = tuple(values)
        if not chosen:
            raise InvalidInput("the universe is empty: a record needs at least one possible value")
        if len({str(value).strip() for value in chosen}) != len(chosen):
            raise InvalidInput(f"values={chosen} repeats a value: values must differ, as text too")
        n = whole(n, "n", at_most=_MOST)
        least = n if smallest is None else whole(smallest, "smallest")
        if least > n:
            raise InvalidInput(f"smallest={least} is above n={n}")
        object.__setattr__(self, "values", chosen)
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "smallest", least)

    @property
    def size(self) -> int:
        return sum(len(self.values) ** length for length in self.lengths)

    @property
    def lengths(self) -> range:
        """The numbers of records that a database may have, longest first."""
        return range(self.n, self.smallest - 1, -1)

    @property
    def fixed(self) -> bool:
        """Whether all databases have the same number of records."""
        return self.smallest == self.n

    def __iter__(self) -> Iterator[tuple[Point, ...]]:
        for length in self.lengths:
            yield from product(self.values, repeat=length)

    def __contains__(self, point: object) -> bool:
        return (
            isinstance(point, tuple)
            and self.smallest <= len(point) <= self.n
            and all(value in self.values for value in point)
        )

    @property
    def expression(self) -> str:
        plain = self.values == tuple(range(len(self.values)))
        values = str(len(self.values)) if plain else f"[{', '.join(map(str, self.values))}]"
        tail = "" if self.fixed else f", smallest={self.smallest}"
        return f"records(values={values}, n={self.n}{tail})"

    def label(self, point: Point) -> str:
        """Return the values run together, or with commas when one has several characters."""
        texts = [str(value) for value in point]
        return self._join.join(texts) if texts else "()"

    @property
    def _join(self) -> str:
        """Nothing between single characters; else the first separator that no value contains."""
        texts = [str(value) for value in self.values]
        if all(len(text) == 1 for text in texts):
            return ""
        return next((mark for mark in _SEPARATORS if not any(mark in t for t in texts)), ",")

    def _parse(self, label: str) -> Point | None:
        names = {str(value).strip(): value for value in self.values}
        if label in ("", "()"):
            return ()
        together = self._join == "" and ("," in names or "," not in label)
        parts = list(label) if together else label.split(self._join or ",")
        words = [part.strip() for part in parts]
        return tuple(names[w] for w in words) if all(w in names for w in words) else None

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Yield the databases with one record replaced, added or taken out."""
        word: tuple[Point, ...] = point
        if relation == SUBSTITUTE:
            yield from self._substitutions(word)
        elif relation == ADD_REMOVE:
            self.require_lengths()
            yield from dict.fromkeys(self._insertions(word))
            yield from dict.fromkeys(self._deletions(word))
        else:
            raise InvalidInput(f"{self.expression} has no listed pairs: use substitute")

    @property
    def members(self) -> tuple[int, ...]:
        if not self.fixed:
            raise InvalidInput(
                f"{self.expression} has databases of several sizes, so that nobody is in all of "
                "them: use samples(members, values), where persons have names"
            )
        return tuple(range(1, self.n + 1)) or super().members  # type: ignore[return-value]

    def require_lengths(self) -> None:
        """Raise unless databases of several sizes exist, as add-remove needs."""
        if self.fixed:
            raise InvalidInput(
                f"add-remove needs databases of several sizes, but all of {self.expression} have "
                f"{self.n} records: use substitute, or a universe such as "
                f"records(values={len(self.values)}, n={self.n}, smallest={max(0, self.n - 1)})"
            )

    def _substitutions(self, word: tuple[Point, ...]) -> Iterator[Point]:
        for i, old in enumerate(word):
            for value in self.values:
                if value != old:
                    yield (*word[:i], value, *word[i + 1 :])

    def _insertions(self, word: tuple[Point, ...]) -> Iterator[Point]:
        if len(word) < self.n:
            for i in range(len(word) + 1):
                for value in self.values:
                    yield (*word[:i], value, *word[i:])

    def _deletions(self, word: tuple[Point, ...]) -> Iterator[Point]:
        if len(word) > self.smallest:
            for i in range(len(word)):
                yield (*word[:i], *word[i + 1 :])


class BitStrings(Records):
    """All strings of k bits, from 11...1 down to 00...0.

    >>> [BitStrings(2).label(x) for x in BitStrings(2)]
    ['11', '10', '01', '00']
    """

    def __init__(self, k: int) -> None:
        super().__init__((1, 0), whole(k, "bits", at_least=1, at_most=_MOST))

    @property
    def expression(self) -> str:
        return f"bits({self.n})"

    def __hash__(self) -> int:
        return hash((self.values, self.n, self.smallest))


# --- Universes on the line: the true answer stands for the database ------------------------------
# When noise is added to a count or a sum, all that matters about a database is its true answer.
# `Integers` and `Reals` are the possible true answers, either end open; neighbours are answers
# that one person can turn into each other, that is, at most ``step`` apart (the sensitivity,
# Dwork, Definition 3). For a count both substitution and add-remove move the answer by at most 1;
# for other statistics the step depends on the relation and is the caller's to give.

_FARTHEST = 10**18


@dataclass(frozen=True)
class Integers(Universe):
    """The whole numbers from ``low`` to ``high``; None leaves an end open.

    >>> list(Integers(0, 3))
    [0, 1, 2, 3]
    """

    low: int | None = None
    high: int | None = None
    step: int = 1

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            if value is not None:
                exact = number(value, name)
                if not isinstance(exact, Fraction) or exact.denominator != 1:
                    raise InvalidInput(f"{name}={value} must be a whole number, or left out")
                if abs(exact) > _FARTHEST:
                    raise TooLarge(
                        f"{name} is too far from 0: give at most {_FARTHEST}, or leave it out"
                    )
                object.__setattr__(self, name, int(exact))
        object.__setattr__(self, "step", whole(self.step, "step", at_least=1))
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InvalidInput(f"the universe is empty: low={self.low} is above high={self.high}")

    @property
    def size(self) -> int | None:
        return None if self.low is None or self.high is None else self.high - self.low + 1

    def __iter__(self) -> Iterator[int]:
        if self.low is not None:
            yield from count(self.low) if self.high is None else range(self.low, self.high + 1)
        elif self.high is not None:
            yield from count(self.high, -1)
        else:
            yield 0
            for k in count(1):
                yield from (k, -k)

    def __contains__(self, point: object) -> bool:
        return (
            isinstance(point, int)
            and not isinstance(point, bool)
            and (self.low is None or point >= self.low)
            and (self.high is None or point <= self.high)
        )

    @property
    def expression(self) -> str:
        both = self.low is not None and self.high is not None
        ends = {"low": self.low, "high": self.high}
        given = [str(n) if both else f"{name}={n}" for name, n in ends.items() if n is not None]
        return f"integers({', '.join(given + [f'step={self.step}'] * (self.step != 1))})"

    def explain(self, relation: str) -> str:
        return f"one person changes the true answer by at most {self.step}"

    def _parse(self, label: str) -> Point | None:
        try:
            return int(label)
        except ValueError:
            return None

    def around(self, point: Point, relation: str) -> Iterator[int]:
        """Yield the answers at most ``step`` away."""
        for k in range(1, self.step + 1):
            yield from (p for p in (point + k, point - k) if p in self)


@dataclass(frozen=True)
class Reals(Universe):
    """The real numbers; neighbours are at most ``step`` apart.

    >>> Reals(step=2).expression
    'reals(step=2)'
    """

    step: Number = Fraction(1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", positive(self.step, "step"))

    @property
    def size(self) -> None:
        return

    def __iter__(self) -> Iterator[Point]:
        raise InvalidInput("the real numbers cannot be listed one by one")

    def __contains__(self, point: object) -> bool:
        return isinstance(point, (int, Fraction)) and not isinstance(point, bool)

    @property
    def expression(self) -> str:
        return "reals()" if self.step == 1 else f"reals(step={exact_text(self.step)})"

    def explain(self, relation: str) -> str:
        return f"one person changes the true answer by at most {show(self.step, side='up')}"

    def find(self, given: object) -> Fraction:
        """Read a rational number; a float is the decimal that it prints."""
        return rational(given, "point")

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Neighbours cannot be listed one by one."""
        raise InvalidInput("neighbours of a real number cannot be listed one by one")


# --- Neighbours: which two databases differ by one person, or by a group of them ----------------
# `pairs` lists the unordered pairs of a finite universe at distance 1 to ``group``; `distance` is
# the number of single steps between two databases (Hamming distance for substitution). Group
# privacy (Dwork, after Definition 2) compares databases at distance at most c.

PAIR_LIMIT = 1 << 22
LARGEST_GROUP = 1_000_000


def resolve(
    universe: Universe, relation: str | Iterable[tuple[object, object]] | None
) -> tuple[Universe, str]:
    """Return the universe and the name of the relation that is meant on it.

    Explicit pairs (as pairs of labels, or as the text ``"11~10, 10~00"``) give a new universe
    that carries them.
    """
    if relation is None:
        return universe, universe.relation
    if isinstance(relation, str) and "~" not in relation:
        known = [SUBSTITUTE, ADD_REMOVE] + ([EXPLICIT] if universe.relation == EXPLICIT else [])
        if relation not in known:
            raise UnknownName("neighbour relation", relation, [*known, "pairs such as 11~10"])
        return universe, relation
    listed: list[Any] = _from_text(relation) if isinstance(relation, str) else list(relation)
    for pair in listed:
        if len(pair) != 2:
            raise InvalidInput(f'neighbour pair {pair!r}: give two databases, as in ("11", "10")')
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in listed):
        raise InvalidInput("listed neighbours are pairs of databases, as in [(x, y), (y, z)]")
    found = tuple((universe.find(x), universe.find(y)) for x, y in listed)
    if not found:
        raise InvalidInput("no neighbour pairs are listed: nothing would be protected")
    if universe.size is not None and universe.size <= LARGEST_LISTED:
        points = tuple(universe)
    else:
        points = tuple(dict.fromkeys(point for pair in found for point in pair))
    return Part(universe, points, found), EXPLICIT


def check_group(group: object) -> int:
    """Read a group size of at least one person."""
    size = whole(group, "group", at_least=1)
    if size > LARGEST_GROUP:
        raise InvalidInput(f"group={size}: groups of at most {LARGEST_GROUP} people are compared")
    return size


def distance(universe: Universe, x: Point, y: Point, relation: str) -> int | None:
    """Return the number of single steps from x to y, or None when there is no way.

    >>> distance(BitStrings(3), (1, 1, 1), (0, 1, 0), "substitute")
    2
    """
    if isinstance(universe, Part) and not (universe.pairs and relation == EXPLICIT):
        return distance(universe.whole, x, y, relation)
    if relation == SUBSTITUTE and isinstance(universe, Records):
        same = len(x) == len(y)
        return sum(a != b for a, b in zip(x, y, strict=True)) if same else None
    if isinstance(universe, Integers):
        steps: int = -(-abs(x - y) // universe.step)
        return steps
    for point, away in _breadth_first(universe, x, relation, None):
        if point == y:
            return away
    return None


def within(universe: Universe, x: Point, relation: str, group: int = 1) -> Iterator[Point]:
    """Yield the databases at distance 1 to ``group`` from x."""
    if group == 1:
        yield from universe.around(x, relation)
    elif isinstance(universe, Part) and not (universe.pairs and relation == EXPLICIT):
        yield from (p for p in within(universe.whole, x, relation, group) if p in universe)
    else:
        yield from (p for p, steps in _breadth_first(universe, x, relation, group) if steps)


def pairs(universe: Universe, relation: str, group: int = 1) -> Iterator[tuple[Point, Point]]:
    """Yield every unordered pair of databases at distance 1 to ``group``, each once."""
    if universe.size is None or universe.size > PAIR_LIMIT:
        raise TooLarge(
            f"{universe.expression} is too large to list its neighbours one by one: "
            f"use a smaller one, of at most {PAIR_LIMIT:,} pairs of neighbours, or noise on one "
            "count, as does 'geometric(ratio=2, bits=1000)'"
        )
    positions = universe.positions
    found = 0
    for x in track(universe, "listing neighbours", universe.size):
        for y in within(universe, x, relation, group):
            if positions[x] < positions[y]:
                found += 1
                if found > PAIR_LIMIT:
                    raise TooLarge(
                        f"more than {PAIR_LIMIT} neighbour pairs in {universe.expression}: "
                        "use a smaller universe or a mechanism with structure"
                    )
                yield x, y
    if not found and universe.size > 1:
        raise InvalidInput(
            f"no two databases of {universe.expression} are neighbours under {relation}, which "
            "reads labels as lists of records: list the pairs instead, as in "
            "neighbours='a~b, b~c'"
        )


def _breadth_first(
    universe: Universe, start: Point, relation: str, limit: int | None
) -> Iterator[tuple[Point, int]]:
    seen = {start}
    queue = deque([(start, 0)])
    while queue:
        point, steps = queue.popleft()
        yield point, steps
        if limit is None or steps < limit:
            for other in universe.around(point, relation):
                if other not in seen:
                    seen.add(other)
                    queue.append((other, steps + 1))


def _from_text(text: str) -> list[tuple[str, str]]:
    listed = []
    for part in text.split(","):
        x, tilde, y = part.partition("~")
        if not tilde or not x.strip() or not y.strip():
            raise InvalidInput(f'neighbour pair {part.strip()!r}: write pairs as "11~10, 10~00"')
        listed.append((x.strip(), y.strip()))
    return listed
