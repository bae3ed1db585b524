"""A transition for every record on its own (the local model), or one record published.

Randomized response, PRAM and FRAPP pass each record through a stochastic matrix, the same for all
records (Lin & Kifer, Section 3.2.2) or one of its own for each (footnote 2 there). So the mechanism
is a Kronecker product that is never built: two databases that differ in k records differ, as far as
the output law is concerned, in those k factors alone (Wu, equation 3). A survey of thousands of
people costs as much as one of k people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, combinations_with_replacement, permutations, product
from math import prod
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import Comparison, Family, FiniteComparison
from twoworlds.laws.event import Event, OnRecords
from twoworlds.laws.ratios import by_ratio, times_ratio
from twoworlds.mechanisms.base import Dense, Mechanism
from twoworlds.numbers import INFINITY, Number, Real, show, whole
from twoworlds.worlds import SUBSTITUTE, BitStrings, Explicit, Point, Product, Records, Universe

if TYPE_CHECKING:
    import numpy as np

_WORDS_LISTED = 256
_MOST_WORDS = 4096
_MOST_SHOWN = 10_000


class EachRecord(Mechanism):
    """A transition of its own for each record.

    >>> from twoworlds.worlds import Explicit
    >>> bit = Explicit((1, 0))
    >>> firm = Dense(bit, bit, [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> shy = Dense(bit, bit, [["2/3", "1/3"], ["1/3", "2/3"]])
    >>> EachRecord([firm, shy]).compare((1, 1), (1, 0)).peak().ratio
    Fraction(2, 1)
    """

    def __init__(self, transitions: Sequence[Dense], *, expression: str | None = None) -> None:
        """Take the transition of each record; all share their values and their outputs."""
        first, *others = transitions
        for other in others:
            if other.universe != first.universe or other.outputs != first.outputs:
                raise InvalidInput(
                    "the transitions of all records need the same values and the same outputs: "
                    f"{first.expression} and {other.expression} differ"
                )
        self._transitions, self.records = tuple(transitions), len(transitions)
        self.universe: Records = _words(first.universe, self.records)
        self.outputs: Records = _words(first.outputs, self.records)
        self.expression = expression or " x ".join(one.expression for one in transitions)

    def of(self, i: int) -> Dense:
        """Return the transition of record i, counted from 0."""
        return self._transitions[i]

    def probability(self, output: Point, database: Point) -> Number:
        pairs = enumerate(zip(output, database, strict=True))
        return prod((self.of(i).probability(o, x) for i, (o, x) in pairs), start=Fraction(1))

    def mass(self, event: Event, database: Point) -> Number:
        """Return the mass of an event on some records; the other records sum to 1."""
        values: Sequence[Point] = database
        if isinstance(event, OnRecords):
            laws = [self._column(i, values[i]) for i in event.positions]
            return sum((_product(laws, word) for word in event.words), start=Fraction(0))
        if isinstance(event, ByLoss):
            return event.mass([self._column(i, values[i]) for i in event.positions])
        return super().mass(event, database)

    def _column(self, i: int, value: Point) -> dict[Point, Number]:
        return {o: self.of(i).probability(o, value) for o in self.of(i).outputs}

    def example(self, event: Event, database: Point) -> Point | None:
        """Fill the records that do not matter with their likeliest outputs."""
        if self.records > _MOST_SHOWN:
            return None  # the event says it better
        values: Sequence[Point] = database
        word = [self._likeliest(i, value) for i, value in enumerate(values)]
        if isinstance(event, OnRecords):
            for chosen in list(event.words)[:1]:
                for i, o in zip(event.positions, chosen, strict=True):
                    word[i] = o
        elif isinstance(event, ByLoss):
            for i, o in zip(event.positions, event.extreme(), strict=True):
                word[i] = o
        return tuple(word)

    def _likeliest(self, i: int, value: Point) -> Point:
        column = self._column(i, value)
        return max(column, key=lambda o: float(column[o]))

    def family(self, relation: str, group: int = 1) -> Family:
        """Compare databases that differ in any min(group, records) records.

        Fewer differing records are never worse: dropping a factor is post-processing.
        """
        _require_substitution(self.universe, relation, "one transition per record")
        values = tuple(self.of(0).universe)
        moves = list(permutations(values, 2)) or [(values[0], values[0])]
        rest, changed = values[0], min(group, self.records)
        return Family(
            (
                self._differing(*self._pair(places, chosen, rest), places)
                for places in combinations(range(self.records), changed)
                for chosen in product(moves, repeat=changed)
            ),
            "the records that do not change cancel, so only those that do matter",
        )

    def _pair(
        self, places: Sequence[int], moves: Sequence[tuple[Point, Point]], rest: Point
    ) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
        """Return two databases that differ at some places by the moves given."""
        at = dict(zip(places, moves, strict=True))
        records = [at.get(i, (rest, rest)) for i in range(self.records)]
        return tuple(u for u, _ in records), tuple(v for _, v in records)

    def comparisons(self, relation: str, group: int = 1) -> Iterator[Comparison]:
        """Yield comparisons for every number of differing records up to the group."""
        for changed in range(1, min(group, self.records) + 1):
            yield from self.family(relation, changed)

    def compare(self, x: Point, y: Point) -> Comparison:
        """Compare the records in which two databases differ; the others cancel.

        >>> from twoworlds.worlds import Explicit
        >>> flip = Dense(Explicit((1, 0)), Explicit((1, 0)), [["3/4", "1/4"], ["1/4", "3/4"]])
        >>> many = PerRecord(flip, 40)
        >>> many.compare((1,) * 40, (1,) * 38 + (0, 0)).peak().ratio
        Fraction(9, 1)
        """
        differ = tuple(i for i, (u, v) in enumerate(zip(x, y, strict=True)) if u != v)
        return self._differing(x, y, differ or (0,))

    def _differing(
        self, x: tuple[Point, ...], y: tuple[Point, ...], positions: tuple[int, ...]
    ) -> Comparison:
        """Compare two databases that are equal but for the records at some positions."""
        p = [self._column(i, x[i]) for i in positions]
        q = [self._column(i, y[i]) for i in positions]
        outputs = tuple(self.of(0).outputs)
        irrational = any(isinstance(mass, Real) for law in (*p, *q) for mass in law.values())
        words = len(outputs) ** len(positions)
        if words <= (_MOST_WORDS if irrational else _WORDS_LISTED):
            listed = list(product(outputs, repeat=len(p)))
            top, bottom = ([_product(laws, word) for word in listed] for laws in (p, q))

            def of_words(cells: Sequence[int]) -> Event:
                return OnRecords(positions, frozenset(listed[i] for i in cells))

            return FiniteComparison(x, y, top, bottom, of_words)
        if irrational:
            raise Unsupported(
                f"{words} words of outputs are too many to list, and irrational likelihood ratios "
                "cannot be merged: use a smaller group, or give the transition as fractions"
            )
        classes = by_ratio(p, q)
        ratios = list(classes)

        def of_ratios(cells: Sequence[int]) -> Event:
            return ByLoss(positions, tuple(p), tuple(q), frozenset(ratios[i] for i in cells))

        top, bottom = map(list, zip(*classes.values(), strict=True))
        return FiniteComparison(x, y, top, bottom, of_ratios)

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        values: Any = self.universe.find(database)
        return tuple(self.of(i).sample(value, rng) for i, value in enumerate(values))


class PerRecord(EachRecord):
    """The same transition for each of ``records`` records.

    >>> from twoworlds.worlds import Explicit
    >>> flip = Dense(Explicit((1, 0)), Explicit((1, 0)), [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> PerRecord(flip, 40).family("substitute").peak()[1].ratio
    Fraction(3, 1)
    """

    def __init__(
        self,
        transition: Dense,
        records: object,
        *,
        expression: str | None = None,
        alike: bool = False,
    ) -> None:
        """Take the transition of one record: its databases and outputs are single values.

        ``alike`` says that all values are treated alike, so that one change of value is every one.
        """
        self._alike = alike
        self.transition = transition
        self.records = whole(records, "records", at_least=1)
        self.universe: Records = _words(transition.universe, self.records)
        self.outputs: Records = _words(transition.outputs, self.records)
        plain = f"{transition.expression}, for each of {self.records} records"
        self.expression = expression or plain

    def of(self, i: int) -> Dense:
        return self.transition

    def family(self, relation: str, group: int = 1) -> Family:
        """Compare databases that differ in the first min(group, records) records.

        Fewer differing records are never worse: dropping a factor is post-processing.
        """
        _require_substitution(self.universe, relation, "one transition per record")
        changed = min(group, self.records)
        values = tuple(self.transition.universe)
        if len(values) == 1:
            return Family([self._compare(values * changed, values * changed)], "one value only")
        moves = [values[:2]] if self._alike else self._distinct(permutations(values, 2))
        return Family(
            (
                self._compare(tuple(u for u, _ in chosen), tuple(v for _, v in chosen))
                for chosen in combinations_with_replacement(moves, changed)
            ),
            "the records that do not change cancel, so only those that do matter",
        )

    def _distinct(self, moves: Iterable[tuple[Point, Point]]) -> list[tuple[Point, Point]]:
        """Keep one change of a record's value for each way in which it changes the law."""
        kept: dict[object, tuple[Point, Point]] = {}
        for u, v in moves:
            p, q = self._column(0, u), self._column(0, v)
            kept.setdefault(frozenset(Counter((p[o], q[o]) for o in p).items()), (u, v))
        return list(kept.values())

    def _compare(self, first: tuple[Point, ...], second: tuple[Point, ...]) -> Comparison:
        rest = (next(iter(self.transition.universe)),) * (self.records - len(first))
        return self._differing(first + rest, second + rest, tuple(range(len(first))))


@dataclass(frozen=True)
class ByLoss(Event):
    """Outputs whose likelihood ratio, over the differing records, lies in one of some classes.

    ``first`` and ``second`` hold, for the record at each of the ``positions``, the law of its
    output in the two worlds; the likelihood ratio of an output is the product over those records.
    """

    positions: tuple[int, ...]
    first: tuple[dict[Point, Number], ...]
    second: tuple[dict[Point, Number], ...]
    classes: frozenset[Number]

    def holds(self, output: Point) -> bool:
        """Multiply the ratios of the differing records and look the class up."""
        entries = [output[i] for i in self.positions]
        top, bottom = _product(self.first, entries), _product(self.second, entries)
        return top != 0 and (INFINITY if bottom == 0 else top / bottom) in self.classes

    def mass(self, laws: Sequence[dict[Point, Number]]) -> Number:
        """Add up the event under any laws of the differing records."""
        states: dict[Number, Number] = {Fraction(1): Fraction(1)}
        for law, p, q in zip(laws, self.first, self.second, strict=True):
            grown: dict[Number, Number] = {}
            for ratio, mass in states.items():
                for o, probability in law.items():
                    key = times_ratio(ratio, p[o], q[o])
                    grown[key] = grown.get(key, Fraction(0)) + mass * probability
            states = grown
        return sum(
            (mass for ratio, mass in states.items() if ratio in self.classes), start=Fraction(0)
        )

    def extreme(self) -> list[Point]:
        """Return, for each differing record, the output of the largest likelihood ratio."""
        found = []
        for p, q in zip(self.first, self.second, strict=True):
            possible = [o for o in p if p[o] != 0]
            found.append(max(possible, key=lambda o: float(times_ratio(Fraction(1), p[o], q[o]))))
        return found

    def describe(self, outputs: Universe) -> str:
        if not self.classes:
            return "no output at all"
        least = min(self.classes)
        return f"outputs at least {show(least, side='down')} times likelier in the first world"


class _Composed(Records):
    """Outputs of several mechanisms about the same records: the word of each, as in (11; 10)."""

    @cached_property
    def each(self) -> Product:
        columns = [Explicit(tuple(dict.fromkeys(one))) for one in zip(*self.values, strict=True)]
        return Product(tuple(_words(one, self.n) for one in columns))

    @property
    def expression(self) -> str:
        return self.each.expression

    def label(self, point: Point) -> str:
        return self.each.label(tuple(zip(*point, strict=True)))

    def _parse(self, label: str) -> Point | None:
        found = self.each._parse(label)
        return None if found is None else tuple(zip(*found, strict=True))

    def _hint(self) -> str:
        first = self.label(next(iter(self)))
        return f"write the {len(self.each.parts)} outputs between brackets, as in {first}"


def _words(values: Universe, records: int) -> Records:
    listed = tuple(values)
    if isinstance(values, Product):
        return _Composed(listed, records)
    return BitStrings(records) if listed == (1, 0) else Records(listed, records)


def _require_substitution(universe: Records, relation: str, what: str) -> None:
    if relation != SUBSTITUTE:
        universe.require_lengths()
        raise Unsupported(f"{what} is compared under substitution only")


def _product(laws: Sequence[dict[Point, Number]], word: Sequence[Point]) -> Number:
    """Return the probability of a word of outputs, one for each law."""
    return prod((law[o] for law, o in zip(laws, word, strict=True)), start=Fraction(1))


# --- Publish one person's record, chosen at random: private on paper, exposed in fact ------------
# On input (x_1, ..., x_n) the mechanism outputs (J, x_J) for a uniform J. Two neighbours are
# within statistical difference 1/n, yet somebody's record is always published in the clear
# (Kasiviswanathan & Smith, Remark 1): delta is 1/n at every epsilon, and c/n for groups of c.


class RandomIndex(Mechanism):
    """Output (J, x_J) for a uniformly random person J."""

    def __init__(
        self, records: int, values: int | Sequence[Point], *, expression: str | None = None
    ) -> None:
        self.universe: Records = Records(values, whole(records, "records", at_least=1))
        self.outputs = Explicit(
            tuple((i + 1, value) for i in range(self.universe.n) for value in self.universe.values)
        )
        self.expression = expression or f"random-index(records={records}, values={values})"

    def probability(self, output: Point, database: Point) -> Number:
        person, value = output
        return Fraction(database[person - 1] == value, self.universe.n)

    def family(self, relation: str, group: int = 1) -> Family:
        """Compare databases that differ in the first records; which values does not matter."""
        _require_substitution(self.universe, relation, "random-index")
        n, values = self.universe.n, self.universe.values
        changed = min(group, n) if len(values) > 1 else 0
        x = (values[0],) * n
        y = (values[-1],) * changed + x[changed:]
        cells = [(i + 1, x[i]) for i in range(n)] + [(i + 1, y[i]) for i in range(changed)]
        p = [Fraction(1, n)] * n + [Fraction(0)] * changed
        q = [Fraction(i >= changed, n) for i in range(n)] + [Fraction(1, n)] * changed
        compared = FiniteComparison.of(x, y, cells, p, q)
        return Family([compared], "all values and persons are alike")

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        values: Any = self.universe.find(database)
        person = int(rng.integers(self.universe.n))
        return (person + 1, values[person])
