"""Mechanisms on a random part of the data, and reports that lose their senders.

`Sampled` runs noise on an answer over a random sample of the records: each drawn on its own
(Poisson sampling, neighbours by add-remove), or a fixed number of them (neighbours by
substitution). Its databases are two worlds that differ in one person, while the other records
contribute nothing: that is the worst case. `Shuffled` collects randomized reports and shows only
how many there are of each kind (neighbours by substitution). Their laws, and why nothing is worse,
are in `twoworlds.laws.sampling`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import comb, floor
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.comparison import Comparison, Family, FiniteComparison, unlike
from twoworlds.laws.counts import Binomial
from twoworlds.laws.event import AtLeast, AtMost, Event, Point
from twoworlds.laws.sampling import Clones, Dominated, Mixed, Symmetrized
from twoworlds.laws.shifted import Shifted
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.continuous import Continuous
from twoworlds.mechanisms.on_statistic import AddedNoise, OnStatistic
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.numbers import Number, exact_text, probability
from twoworlds.worlds import (
    ADD_REMOVE,
    SUBSTITUTE,
    Explicit,
    Integers,
    Product,
    TrueAnswer,
    Universe,
)

if TYPE_CHECKING:
    import numpy as np

_MOST_COMPOSITIONS = 64  # of the others' values that are looked at one by one
_MOST_HISTOGRAMS = 1 << 12
_OTHERS = 64  # people whose value is not the most frequent one, whose reports are added one by one


# --- samples --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OnePerson(Universe):
    """Two worlds that differ in one person, whatever the others are."""

    worlds: tuple[str, str]
    by: str
    words: str

    @property
    def size(self) -> int:
        return 2

    @property
    def relation(self) -> str:
        return self.by

    def __iter__(self) -> Iterator[Point]:
        return iter(self.worlds)

    def __contains__(self, point: object) -> bool:
        return point in self.worlds

    @property
    def expression(self) -> str:
        return f"{{{', '.join(self.worlds)}}}"

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Yield the other world."""
        if relation == self.by:
            yield from (world for world in self.worlds if world != point)

    def explain(self, relation: str) -> str:
        """Say what a neighbour is, and how the sample is drawn."""
        return self.words


class Sampled(Mechanism):
    """Noise on an answer that is computed from a random sample.

    >>> from twoworlds import mechanism
    >>> drawn = Sampled.poisson(mechanism("geometric(ratio=3)"), "1/100")
    >>> drawn.family("add-remove").peak()[1].ratio
    Fraction(51, 50)
    """

    def __init__(self, base: Mechanism, rate: Fraction, universe: OnePerson, text: str) -> None:
        self.base, self.rate = base, rate
        self.universe: OnePerson = universe
        self.outputs, self.expression = base.outputs, text
        step = _moved(base)
        self._answers = dict(zip(universe.worlds, (step, step * 0), strict=True))

    @staticmethod
    def poisson(base: Mechanism, rate: object) -> Sampled:
        """Draw every record on its own with probability ``rate``."""
        chance = probability(rate, "rate")
        if chance == 0:
            raise InvalidInput("rate=0 draws nobody: give a probability above 0")
        shown = exact_text(chance)
        words = (
            "one database has one person's record more than the other, and every record is drawn "
            f"into the sample on its own with probability {shown}"
        )
        text = f"poisson-sample({base.expression}, rate={shown})"
        return Sampled(base, chance, OnePerson(("with", "without"), ADD_REMOVE, words), text)

    @staticmethod
    def fixed(base: Mechanism, size: int, of: int) -> Sampled:
        """Draw ``size`` of ``of`` records, without replacement."""
        if not 1 <= size <= of:
            raise InvalidInput(f"size={size}: a sample of {of} records has 1 to {of} of them")
        words = (
            f"the databases have {of} records and differ in one person's, and {size} of them are "
            "drawn into the sample, without replacement"
        )
        worlds = ("one record", "another record")
        text = f"fixed-sample({base.expression}, size={size}, of={of})"
        return Sampled(base, Fraction(size, of), OnePerson(worlds, SUBSTITUTE, words), text)

    def _mixed(self, drawn: Number, left_out: Number, database: Point) -> Number:
        first = database == self.universe.worlds[0]
        return self.rate * drawn + (1 - self.rate) * left_out if first else left_out

    def probability(self, output: Point, database: Point) -> Number:
        """Mix the probabilities, or densities, with the record drawn and left out."""
        found = [self.base.probability(output, answer) for answer in self._answers.values()]
        return self._mixed(found[0], found[1], database)

    def mass(self, event: Event, database: Point) -> Number:
        found = [self.base.mass(event, answer) for answer in self._answers.values()]
        return self._mixed(found[0], found[1], database)

    def example(self, event: Event, database: Point) -> Point | None:
        return self.base.example(event, self._answers[database])

    def compare(self, x: Point, y: Point) -> Comparison:
        base = self.base.compare(*self._answers.values())
        rates = dict(zip(self.universe.worlds, (self.rate, Fraction(0)), strict=True))
        return Mixed.of(x, y, base, rates[x], rates[y])

    def family(self, relation: str, group: int = 1) -> Family:
        if relation != self.universe.by:
            raise Unsupported(
                f"{self.expression} is compared by {self.universe.by}, not by {relation}: leave "
                "the neighbours out"
            )
        if group != 1:
            raise Unsupported(
                f"group={group}: how many of a group are drawn is chance, which is not computed "
                "here: ask for one person"
            )
        one, two = self.universe.worlds
        drawn = self.compare(one, two)
        compared = [drawn, self.compare(two, one)]
        if relation == SUBSTITUTE:  # what is drawn may be on either side
            compared = [Dominated(one, two, drawn, Symmetrized(one, two, drawn))]
        return Family(compared, "a record that is left out of the sample changes nothing")

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        drawn = database == self.universe.worlds[0] and rng.random() < self.rate
        answers = [*self._answers.values()]
        return self.base.sample(answers[0 if drawn else 1], rng)


def _moved(base: Mechanism) -> Any:
    """Return how far one person moves the answer of symmetric noise."""
    if isinstance(base, Continuous):
        return base.sensitivity
    if (
        isinstance(base, OnStatistic)
        and isinstance(base.statistic, TrueAnswer)
        and isinstance(base.channel, AddedNoise)
        and isinstance(base.universe, Integers)
        and base.universe.size is None
        and base.channel.noise.reflected() == base.channel.noise
    ):
        return base.universe.step
    raise InvalidInput(
        f"{base.expression}: a sample is taken for symmetric noise on an answer, such as "
        "gaussian(sigma=4), laplace(epsilon=1) or geometric(ratio=2)"
    )


# --- shuffled reports -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Reports(Event):
    """At least so many reports are of some kinds, or fewer."""

    kinds: frozenset[int]
    names: tuple[str, ...]
    least: int
    fewer: bool = False

    @staticmethod
    def of(event: Event, kinds: frozenset[int], names: tuple[str, ...]) -> Event:
        """Say of reports what an event says of their number."""
        if isinstance(event, AtLeast):
            return Reports(kinds, names, floor(event.threshold))
        return (
            Reports(kinds, names, floor(event.threshold) + 1, fewer=True)
            if isinstance(event, AtMost)
            else event
        )

    def holds(self, output: Point) -> bool:
        return bool(sum(output[kind] for kind in self.kinds) >= self.least) != self.fewer

    def describe(self, outputs: Universe) -> str:
        named = " or ".join(self.names[kind] for kind in sorted(self.kinds))
        return f"{'fewer than' if self.fewer else 'at least'} {self.least} reports of {named}"


class Shuffled(Mechanism):
    """How many randomized reports there are of each kind.

    >>> from twoworlds import mechanism
    >>> counted = Shuffled(mechanism("randomized-response(bits=3, keep=3/4)"))
    >>> counted.probability((3, 0), (1, 1, 1))
    Fraction(27, 64)
    """

    def __init__(self, local: Mechanism) -> None:
        if not isinstance(local, PerRecord):
            raise InvalidInput(
                f"{local.expression}: reports are shuffled that each person randomizes, as in "
                "shuffle(randomized-response(bits=1000, keep=3/4))"
            )
        if any(not isinstance(mass, Fraction) for row in local.transition.rows for mass in row):
            raise InvalidInput(
                f"{local.expression}: give the probabilities of reports as fractions, such as 3/4"
            )
        if any(mass == 0 for row in local.transition.rows for mass in row):
            raise InvalidInput(
                f"{local.expression}: some report is impossible for some value, so one report "
                "can give its sender away: every report must be possible for every value"
            )
        self.transition, self.people = local.transition, local.records
        self.universe, self.values = local.universe, tuple(local.transition.universe)
        self.kinds = tuple(local.transition.outputs)
        self.outputs = self._numbers()
        self.expression = f"shuffle({local.expression})"
        self._laws: dict[Point, defaultdict[tuple[int, ...], Fraction]] = {}

    @property
    def _size(self) -> int:
        return comb(self.people + len(self.kinds) - 1, self.people)

    def _numbers(self) -> Universe:
        """Return the numbers of reports that are possible, or a larger set where they are many."""
        if self._size > _MOST_HISTOGRAMS:
            return Product((Integers(0, self.people),) * len(self.kinds))
        drawn = combinations_with_replacement(range(len(self.kinds)), self.people)
        counted = (Counter(reports) for reports in drawn)
        return Explicit(tuple(tuple(c[i] for i in range(len(self.kinds))) for c in counted))

    def unordered(self, database: tuple[Point, ...]) -> tuple[Point, ...]:
        """Return the same records in one order: no output depends on theirs."""
        return tuple(sorted(database, key=self.values.index))

    def _chance(self, kinds: frozenset[int], value: Point) -> Fraction:
        """Return the probability that a report is of some kinds."""
        masses = (self.transition.probability(self.kinds[i], value) for i in kinds)
        return sum(masses, start=Fraction(0))  # type: ignore[return-value]

    def probability(self, output: Point, database: Point) -> Number:
        """Add the reports of all people, one after the other."""
        if self._size > _MOST_HISTOGRAMS:
            raise TooLarge(
                f"{self.expression} has {self._size} outputs, more than are computed one by one "
                f"({_MOST_HISTOGRAMS}): ask for delta or epsilon"
            )
        return self._law(database)[tuple(output)]

    def _law(self, database: Point) -> defaultdict[tuple[int, ...], Fraction]:
        """Return the law of the numbers of reports, computed once."""
        database = self.unordered(database)
        if database in self._laws:
            return self._laws[database]
        found = defaultdict(Fraction, {(0,) * len(self.kinds): Fraction(1)})
        for value in database:
            grown: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
            chances = [self._chance(frozenset([i]), value) for i in range(len(self.kinds))]
            for counts, mass in found.items():
                for i, chance in enumerate(chances):
                    grown[(*counts[:i], counts[i] + 1, *counts[i + 1 :])] += mass * chance
            found = grown
        self._laws[database] = found
        return found

    def mass(self, event: Event, database: Point) -> Number:
        """Add the reports of people with the most frequent value, and those of the others."""
        if not isinstance(event, Reports):
            return super().mass(event, database)
        counted: list[tuple[Point, int]] = Counter(database).most_common()
        (value, often), *others = counted
        if len(database) - often > _OTHERS:
            raise TooLarge(f"more than {_OTHERS} people do not have the most frequent value")
        numbers: list[Number] = [Fraction(1)]  # chances of 0, 1, ... reports from the rest
        for other, count in others:
            chance = self._chance(event.kinds, other)
            for _ in range(count):
                both = zip([*numbers, Fraction(0)], [Fraction(0), *numbers], strict=True)
                numbers = [(1 - chance) * stay + chance * more for stay, more in both]
        law = Binomial(often, self._chance(event.kinds, value))
        tails = (mass * law.at_least(event.least - more) for more, mass in enumerate(numbers))
        above = sum(tails, start=Fraction(0))
        return 1 - above if event.fewer else above

    def example(self, event: Event, database: Point) -> Point | None:
        """The event says it better."""
        return None

    def compare(self, x: Point, y: Point) -> Comparison:
        p, q = self._law(x), self._law(y)
        outputs = sorted({*p, *q})
        return FiniteComparison.of(x, y, outputs, [p[o] for o in outputs], [q[o] for o in outputs])

    def family(self, relation: str, group: int = 1) -> Family:
        """Compare all worlds where they are few, else bad ones, which clones bound from above."""
        if relation != SUBSTITUTE or group != 1:
            raise Unsupported(
                f"{self.expression} is compared by substitution of one person's record: leave the "
                "neighbours and the group out"
            )
        moves = [*permutations(self.values, 2)]
        few = comb(self.people + len(self.values) - 2, self.people - 1) <= _MOST_COMPOSITIONS
        if few and self._size <= _MOST_HISTOGRAMS:
            others = [*combinations_with_replacement(self.values, self.people - 1)]
            exact = (self.compare((u, *o), (v, *o)) for u, v in moves for o in others)
            return Family(unlike(exact), "all values that the others can have")
        found = [self._bad(u, v, other) for u, v in moves for other in self.values]
        return Family(
            unlike(found),
            "from below, the others all have one value; from above, their reports are clones of "
            "one's own with a chance that does not depend on their values",
        )

    def _bad(self, u: Point, v: Point, other: Point) -> Comparison:
        """Compare one person's two values, where all others have one value."""
        x, y = ((value, *(other,) * (self.people - 1)) for value in (u, v))
        kinds = range(len(self.kinds))
        laws = {w: [self._chance(frozenset([i]), w) for i in kinds] for w in self.values}
        told = frozenset(i for i in kinds if laws[u][i] > laws[v][i]) or frozenset([0])
        s, t, rate = (self._chance(told, w) for w in (u, v, other))
        names = tuple(map(self.transition.outputs.label, self.kinds))
        base = Shifted(x, y, 1, 0, Binomial(self.people - 1, rate))
        inner = Mixed.of(x, y, base, s, t, lambda event: Reports.of(event, told, names))
        both = [*zip(laws[u], laws[v], strict=True)]
        ratio = max(max(p / q, q / p) for p, q in both)
        share = min(
            2 * mass / (p + q)
            for w in self.values
            for mass, (p, q) in zip(laws[w], both, strict=True)
        )
        kind = ratio / (1 + ratio)
        clones = Mixed(x, y, Clones(x, y, self.people - 1, share), kind, 1 - kind)
        return Dominated(x, y, inner, clones)

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        values: Any = self.universe.find(database)
        drawn = Counter(self.transition.sample(value, rng) for value in values)
        return tuple(drawn[kind] for kind in self.kinds)
