"""Statistics: the function of the database that a mechanism answers, and how one person moves it.

A `Statistic` maps a database to a number or a tuple of numbers. What privacy needs of it is
local: which values it takes on two neighbours (`changes`), or at least by how much it moves
(`differences`), each with an example pair of databases. Sums over records (`Additive`: counts,
sums, means, histograms, parities) answer that from one record, for any number of people; any
other function is enumerated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain
from math import comb, gcd, lcm
from operator import add
from typing import NamedTuple

from flint import fmpz_poly

from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError, Unsupported
from twoworlds.numbers import rational
from twoworlds.worlds.records import Integers, Records, pairs
from twoworlds.worlds.universe import ADD_REMOVE, SUBSTITUTE, Point, Universe

Scalar = int | Fraction
Value = Scalar | tuple[Scalar, ...]
_Chain = tuple[Point, "_Chain"] | None
_MOST_WORK = 1 << 25
_MOST_PLACES = 1 << 16


class NoRecord:
    """A default value that is no record, so that it equals none: it adds nothing to a sum."""

    def __repr__(self) -> str:
        return "none"


NO_RECORD = NoRecord()


@dataclass(frozen=True)
class Sum:
    """Records of which only the sum matters: it adds just that to another."""

    total: Value

    def __str__(self) -> str:
        return f"others that add up to {self.total}"


class Change(NamedTuple):
    """The statistic on two neighbours: ``before`` on database x, ``after`` on database y."""

    before: Value
    after: Value
    x: Point
    y: Point

    @property
    def difference(self) -> Value:
        """How far the statistic moves from x to y."""
        return _minus(self.after, self.before)


class Statistic(ABC):
    """A function of the database."""

    name: str

    @abstractmethod
    def __call__(self, database: Point) -> Value:
        """Return the value on a database."""

    def changes(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Yield the distinct ordered (before, after) on databases 1 to ``group`` steps apart.

        They are found on all pairs of neighbours, where nothing better is known.
        """
        # As a plain function a statistic says what fails, if it cannot read such databases.
        value = cache(self if isinstance(self, Computed) else Computed(self, self.name))
        listed = pairs(universe, relation, group)
        both = (Change(value(a), value(b), a, b) for x, y in listed for a, b in ((x, y), (y, x)))
        return _once(both, lambda change: (change.before, change.after))

    def differences(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Yield one change for each distinct difference, in both directions."""
        return _once(self.changes(universe, relation, group), lambda change: change.difference)

    def furthest(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Yield changes among which are the largest: all, where those are not known alone."""
        return self.differences(universe, relation, group)


@dataclass(frozen=True)
class Computed(Statistic):
    """Any Python function of the database; its neighbours are enumerated."""

    function: Callable[[Point], object]
    name: str = "function"

    def __call__(self, database: Point) -> Value:
        try:
            value = self.function(database)
        except TwoWorldsError:
            raise
        except Exception as error:
            kind = type(error).__name__
            raise InvalidInput(f"{self.name} failed on {database!r}: {kind}: {error}") from error
        try:
            return read_value(value, self.name)
        except InvalidInput:
            raise InvalidInput(
                f"{self.name} returned {value!r} on {database!r}: the function must return a "
                "rational number, or several"
            ) from None


@dataclass(frozen=True)
class TrueAnswer(Statistic):
    """The true answer itself, when the universe is a set of whole numbers."""

    name: str = "answer"

    def __call__(self, database: Point) -> Value:
        answer: Value = database
        return answer

    def differences(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Yield every step up to ``group`` times the universe's step, both ways."""
        if not isinstance(universe, Integers):
            yield from super().differences(universe, relation, group)
            return
        room = None if universe.size is None else universe.size - 1
        furthest = universe.step * group if room is None else min(universe.step * group, room)
        start = next(iter(universe))
        away = 1 if start + 1 in universe else -1
        for k in range(1, furthest + 1):
            yield Change(start, start + away * k, start, start + away * k)
            yield Change(start + away * k, start, start + away * k, start)


@dataclass(frozen=True)
class Additive(Statistic):
    r"""A sum over records: f(x) = scale * sum_i phi(x_i), reduced modulo m if given.

    where: ``phi`` maps one record's value to a number, or to a tuple of ``dimension`` numbers.

    >>> from twoworlds.worlds.records import BitStrings
    >>> count = Additive(lambda bit: bit, name="count")
    >>> sorted(c.difference for c in count.differences(BitStrings(40), "substitute"))
    [-1, 1]
    """

    phi: Callable[[Point], object]
    scale: Fraction = Fraction(1)
    modulo: int | None = None
    dimension: int | None = None
    name: str = "sum"

    def __call__(self, database: Point) -> Value:
        if isinstance(database, str) and not (database.isdigit() or not database):
            raise InvalidInput(
                f"the {self.name} adds over records, but {database!r} is one label: "
                "use records(...), tuples, or digit strings such as 0110"
            )
        if len(database) == 2 and isinstance(rest := database[1], Sum):
            return self._finish(_plus(self._of(database[0]), rest.total))
        counted: Counter[Point] = Counter(database)
        parts = [_times(self._of(value), k) for value, k in counted.items()]
        if self.dimension is not None or not parts:
            parts.append(0 if self.dimension is None else (0,) * self.dimension)
        return self._finish(_total(parts))

    def changes(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Combine what the differing records can sum to with what all the others can."""
        if not isinstance(universe, Records):
            return super().changes(universe, relation, group)
        found = chain.from_iterable(
            self._with_rest(universe, a, b, m, universe.values)
            for a, b, m in _shapes(universe, relation, group)
        )
        return _once(found, lambda change: (change.before, change.after))

    def differences(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Look at the differing records only; the others stand still at the first value."""
        if not isinstance(universe, Records) or self.modulo is not None:
            yield from super().differences(universe, relation, group)
            return
        found = chain.from_iterable(
            self._with_rest(universe, a, b, m, universe.values[:1])
            for a, b, m in _shapes(universe, relation, group)
        )
        yield from _once(found, lambda change: change.difference)

    def replacements(self, universe: Records, default: Point) -> Iterator[Change]:
        """Yield f(x) and f(x_-i), where the first record is replaced by a default value.

        All persons are alike in a sum.
        """
        common = _sums(self._table(universe.values), universe.n - 1)
        for value in universe.values:
            for base, word in common.items():
                shared = _word(word, universe.values[0], universe.n - 1)
                before = self._finish(_total([self._of(value), base]))
                after = self._finish(_total([self._of(default), base]))
                yield Change(before, after, (value, *shared), (default, *shared))

    def _with_rest(
        self, universe: Records, more_x: int, more_y: int, rest: int, others: tuple[Point, ...]
    ) -> Iterator[Change]:
        """Yield changes where so many records are only in x, only in y, and in both."""
        table, first = self._table(universe.values), universe.values[0]
        common = self._sums(others, rest)
        for own_x, word_x in _sums(table, more_x).items():
            for own_y, word_y in _sums(table, more_y).items():
                if own_x == own_y:
                    continue
                for base, word in common.items():
                    before, after = _total([own_x, base]), _total([own_y, base])
                    shared = _word(word, first, rest)
                    yield Change(
                        self._finish(before),
                        self._finish(after),
                        _word(word_x, first, more_x) + shared,
                        _word(word_y, first, more_y) + shared,
                    )

    def values(self, universe: Records) -> set[Value]:
        """Return the values that it takes on a universe."""
        sums = (self._sums(universe.values, length) for length in universe.lengths)
        return {self._finish(total) for found in sums for total in found}

    def weighted(self, law: Mapping[Point, Fraction], count: int) -> dict[Value, Fraction]:
        """Return the law of the sum of so many independent records.

        >>> Additive(lambda bit: bit).weighted({1: Fraction(1, 3), 0: Fraction(2, 3)}, 2)
        {0: Fraction(4, 9), 1: Fraction(4, 9), 2: Fraction(1, 9)}
        """
        parts = self._table(law)
        self._require_few(parts, count)
        unit = lcm(*(p.denominator for p in law.values()))
        weights = dict.fromkeys(sorted({self._folded(part) for part in parts.values()}), 0)
        for v, p in law.items():
            weights[self._folded(parts[v])] += int(p * unit)
        found = _powered(weights, count)
        if found is None:
            found = {_times(next(iter(weights)), 0): 1}
            for _ in range(count):
                grown: dict[Value, int] = {}
                for total, weight in found.items():
                    for part, more in weights.items():
                        new = _plus(total, part)
                        grown[new] = grown.get(new, 0) + weight * more
                found = grown
        folded: dict[Value, int] = {}
        for total, weight in found.items():
            rest = self._folded(total)
            folded[rest] = folded.get(rest, 0) + weight
        return {total: Fraction(weight, unit**count) for total, weight in folded.items()}

    def examples(self, values: Collection[Point], count: int) -> dict[Value, tuple[Point, ...]]:
        """Return every sum of so many records, with one list of records that has it.

        >>> Additive(lambda bit: bit).examples([0, 1], 2)
        {0: (0, 0), 1: (1, 0), 2: (1, 1)}
        """
        first = next(iter(values))
        return {t: _word(w, first, count) for t, w in self._sums(values, count).items()}

    def of_counts(
        self, values: Sequence[Point], counted: Iterable[tuple[Sequence[int], Fraction]]
    ) -> dict[Value, Fraction]:
        """Return the masses of sums, from those of lists by how often they have each value."""
        parts = [self._of(value) for value in values]
        found: dict[Value, Fraction] = {}
        for counts, mass in counted:
            total = self._folded(_total([*map(_times, parts, counts)]))
            found[total] = found.get(total, Fraction(0)) + mass
        return found

    def _folded(self, total: Value) -> Value:
        """Return the remainder that stands for a sum; the sum itself where there is none."""
        if self.modulo is None or self.scale != 1 or isinstance(total, tuple):
            return total
        return total % self.modulo

    def _sums(self, values: Collection[Point], count: int) -> dict[Value, _Chain]:
        """Return what so many records can sum to; a remainder stands for all sums that leave it."""
        table = self._table(values)
        self._require_few(table, count)
        return _sums(table, count, self._folded)

    def _require_few(self, values: Collection[Point], count: int) -> None:
        """Refuse sums that are too many to list."""
        steps = len(values) * (self.dimension or 1)  # for each record and sum
        if count * steps * self.most_sums(values, count) > _MOST_WORK:
            room = _MOST_WORK // steps
            most = bisect(range(1, count), room, key=lambda n: n * self.most_sums(values, n))
            raise TooLarge(
                f"the {self.name} of {count:,} records of {len(values)} values takes up to "
                f"{self.most_sums(values, count):,} values, too many to list: {most:,} such "
                "records would do"
            )

    def most_sums(self, values: Collection[Point], count: int) -> int:
        """Return a bound on how many sums so many records can have."""
        parts = set(self._table(values).values())
        most = comb(count + len(parts) - 1, count)
        scalars = [Fraction(part) for part in parts if not isinstance(part, tuple)]
        if len(scalars) < len(parts):
            return most
        unit = lcm(*(part.denominator for part in scalars))
        low, *more = sorted(int(part * unit) for part in scalars)
        steps = (more[-1] - low) // gcd(*(place - low for place in more)) if more else 0
        remainders = most if self._folded(-1) == -1 else (self.modulo or 1) * unit
        return min(most, steps * count + 1, remainders)

    def _table(self, values: Iterable[Point]) -> dict[Point, Value]:
        return {value: self._of(value) for value in values}

    def _of(self, value: Point) -> Value:
        if isinstance(value, Sum):
            return value.total
        if value is NO_RECORD:
            return 0 if self.dimension is None else (0,) * self.dimension
        return read_value(self.phi(value), f"{self.name} of {value!r}")

    def _finish(self, total: Value) -> Value:
        if self.modulo is None and self.scale == 1:
            return total
        if isinstance(total, tuple):
            return tuple(self._reduced(part) for part in total)
        return self._reduced(total)

    def _reduced(self, part: Scalar) -> Scalar:
        scaled = _plain(self.scale * part)
        return scaled if self.modulo is None else _plain(scaled % self.modulo)


def _shapes(universe: Records, relation: str, group: int) -> Iterator[tuple[int, int, int]]:
    """Yield (records only in x, records only in y, records in common) up to ``group`` steps."""
    if relation == SUBSTITUTE:
        for length in universe.lengths:
            if length:
                k = min(group, length)
                # Equal records among the differing ones cover every smaller distance as well.
                yield k, k, length - k
    elif relation == ADD_REMOVE:
        universe.require_lengths()
        for more_x in range(group + 1):
            for more_y in range(group + 1 - more_x):
                for m in range(universe.n + 1):
                    fits = m + more_x in universe.lengths and m + more_y in universe.lengths
                    if fits and more_x + more_y:
                        yield more_x, more_y, m
    else:
        raise Unsupported(f"{universe.expression} has no listed pairs")


def _sums(
    table: dict[Point, Value], count: int, folded: Callable[[Value], Value] = lambda total: total
) -> dict[Value, _Chain]:
    """Return every sum of ``count`` records, up to a modulus, with one word that attains it.

    All records are the first one at first, then one more of them is another. A sum that was reached
    with fewer others need not be looked at again, as any word that goes on from it is shorter. Of
    the word only these others are kept (`_word`).
    """
    (first, start), *_ = table.items()
    _total([*table.values()])  # refuses vectors of several lengths
    steps = {value: _minus(part, start) for value, part in table.items() if value != first}
    sums: dict[Value, _Chain] = {folded(_total([_times(start, count)])): None}
    newest = [*sums]
    for _ in range(count):
        found: list[Value] = []
        for total in newest:
            for value, step in steps.items():
                new = folded(_plus(total, step))
                if new not in sums:
                    sums[new] = (value, sums[total])
                    found.append(new)
        newest = found
    return sums


def _powered(weights: Mapping[Value, int], count: int) -> dict[Value, int] | None:
    """Return the weights of the sums of so many numbers, as a power of a polynomial.

    None where the numbers are vectors, or lie too far apart.
    """
    parts = [part for part in weights if not isinstance(part, tuple)]
    unit = lcm(*(Fraction(part).denominator for part in parts))
    places = [int(part * unit) for part in parts]
    low, step = min(places, default=0), gcd(*(place - places[0] for place in places)) or 1
    if len(parts) < len(weights) or not parts or (max(places) - low) // step * count > _MOST_PLACES:
        return None
    row = [0] * ((max(places) - low) // step + 1)
    for place, weight in zip(places, weights.values(), strict=True):
        row[(place - low) // step] = weight
    sums = enumerate((fmpz_poly(row) ** count).coeffs())
    return {_plain(Fraction(count * low + step * k, unit)): int(w) for k, w in sums if w != 0}


def _word(others: _Chain, first: Point, count: int) -> tuple[Point, ...]:
    """Return so many records: these others, and the first one as often as is left."""
    values = []
    while others is not None:
        value, others = others
        values.append(value)
    return (*values, *[first] * (count - len(values)))


def _once(changes: Iterable[Change], key: Callable[[Change], object]) -> Iterator[Change]:
    """Keep the first change of each kind in which something moves."""
    seen = set()
    for change in changes:
        if change.before != change.after and key(change) not in seen:
            seen.add(key(change))
            yield change


def read_value(value: object, name: str) -> Value:
    """Read a rational, or several of them; whole ones as ints."""
    if isinstance(value, (tuple, list)):
        if all(type(part) is int for part in value):
            return tuple(value)
        return tuple(_plain(rational(part, name)) for part in value)
    return _plain(rational(value, name))


def _plain(value: Scalar) -> Scalar:
    """Return an int where the number is whole, so that equal values print alike."""
    return int(value) if isinstance(value, int) or value.denominator == 1 else value


def _plus(a: Value, b: Value) -> Value:
    """Return the sum of two values, quickly where they are whole."""
    if type(a) is int and type(b) is int:
        return a + b
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        found = tuple(map(add, a, b))
        return found if all(type(part) is int for part in found) else _total([found])
    return _total([a, b])


def _times(value: Value, k: int) -> Value:
    return tuple(k * part for part in value) if isinstance(value, tuple) else k * value


def _total(parts: list[Value]) -> Value:
    if isinstance(parts[0], tuple):
        widths = {len(p) if isinstance(p, tuple) else -1 for p in parts}
        if len(widths) != 1:
            raise InvalidInput("a statistic must give vectors of one length for every record")
        return tuple(_plain(sum(column)) for column in zip(*parts, strict=True))
    return _plain(sum(parts))  # type: ignore[arg-type]


def _minus(a: Value, b: Value) -> Value:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(_plain(p - q) for p, q in zip(a, b, strict=True))
    return _plain(a - b)  # type: ignore[operator]
