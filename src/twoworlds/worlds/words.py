"""Universes of records: bit strings, and lists of records over a set of values.

A database is a tuple of values, one for each person (Kasiviswanathan & Smith, Section 1.1).
Bit strings run from 11...1 down to 00...0, the order of Lin & Kifer. With ``smallest`` given,
all list lengths from there to ``n`` belong, and add-remove neighbours exist: one list is the
other with one record taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole
from twoworlds.worlds.universe import ADD_REMOVE, SUBSTITUTE, Point, Universe

__all__ = ["BitStrings", "Records"]

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
        """Take the values themselves, or how many there are (then 0, 1, 2, ...)."""
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
        """The number of databases."""
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
        """Run through the databases, first record slowest, longest databases first."""
        for length in self.lengths:
            yield from product(self.values, repeat=length)

    def __contains__(self, point: object) -> bool:
        """Tell whether this is a list of the right length over the values."""
        return (
            isinstance(point, tuple)
            and self.smallest <= len(point) <= self.n
            and all(value in self.values for value in point)
        )

    @property
    def expression(self) -> str:
        """The call that builds it."""
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
        """Take the number of bits."""
        super().__init__((1, 0), whole(k, "bits", at_least=1, at_most=_MOST))

    @property
    def expression(self) -> str:
        """The call that builds it."""
        return f"bits({self.n})"

    def __hash__(self) -> int:
        """Agree with the equality of records."""
        return hash((self.values, self.n, self.smallest))
