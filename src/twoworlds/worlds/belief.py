"""Beliefs: what an attacker holds likely before and after seeing an output, exactly.

A `Belief` is a law on the databases of a universe (prior and posterior are its roles;
Kasiviswanathan & Smith, Section 2, write b). It has finite support: only databases that somebody
holds possible are stored, so that a belief about 40 people, all but one of whom are known, has two
databases in it. Builders: `uniform`, `independent`, `explicit`, `mixture`, `informed`, `hidden`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from math import prod
from typing import Any

from twoworlds.answer import Answer, Facts
from twoworlds.charts import Bar, GroupedBars
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import INFINITY, Number, Order, compare, number, positive_part, show
from twoworlds.show import Result
from twoworlds.worlds.orbits import Orbits
from twoworlds.worlds.records import Records
from twoworlds.worlds.secret import Secret
from twoworlds.worlds.universe import Point, Universe

LARGEST_SUPPORT = 1 << 20
_SHOWN = 16
_LONGEST_DRAWN = 24  # letters of a label beside a bar


class Belief(Result, Mapping[Point, Number]):
    """A law on databases, given by those that have positive probability.

    >>> from twoworlds.worlds.records import BitStrings
    >>> belief = explicit(BitStrings(1), {"1": "1/4", "0": "3/4"})
    >>> belief[(1,)]
    Fraction(1, 4)
    """

    def __init__(self, universe: Universe, masses: Mapping[Point, Number]) -> None:
        self.universe = universe
        self._masses = {x: mass for x, mass in masses.items() if mass != 0}
        for x, mass in self._masses.items():
            if mass < 0:
                raise InvalidInput(f"the belief in {universe.label(x)} is {show(mass)}: negative")
        total = sum(self._masses.values(), start=Fraction(0))
        if compare(total, 1) in (Order.LESS, Order.GREATER):
            raise InvalidInput(
                f"the belief sums to {show(total)}, it must sum to 1: divide by the sum first"
            )

    def __getitem__(self, database: object) -> Number:
        return self._masses.get(self.universe.find(database), Fraction(0))

    def __iter__(self) -> Iterator[Point]:
        return iter(self._masses)

    def __len__(self) -> int:
        return len(self._masses)

    def given(self, likelihood: Callable[[Point], Number]) -> Belief | None:
        """Return the posterior by Bayes' rule, or None when the observation was impossible.

            b(x | t) = P(t | x) b(x) / sum_z P(t | z) b(z)

        (Kasiviswanathan & Smith, equation 1).
        """
        joint = {x: likelihood(x) * mass for x, mass in self._masses.items()}
        total = sum(joint.values(), start=Fraction(0))
        if total == 0:
            return None
        return Belief(self.universe, {x: mass / total for x, mass in joint.items() if mass != 0})

    def probability(self, secret: Secret) -> Number:
        """Return the probability that a secret is true."""
        held = (mass for x, mass in self._masses.items() if secret.holds(x))
        return sum(held, start=Fraction(0))

    def odds(self, secret: Secret, against: Secret | None = None) -> Number:
        """Return the odds of a secret against another, or against its opposite; may be infinite."""
        top = self.probability(secret)
        bottom = self.probability(secret.opposite() if against is None else against)
        if bottom == 0:
            if top == 0:
                raise InvalidInput(f"neither {secret.name} nor its rival is held possible")
            return INFINITY
        return top / bottom

    def marginal(self, person: int) -> dict[Point, Number]:
        """Return the law of one person's record; persons are counted from 1."""
        records = records_of(self.universe)
        if not 1 <= person <= records.n:
            raise InvalidInput(f"person={person}: there are {records.n}, counted from 1")
        law: dict[Point, Number] = dict.fromkeys(records.values, Fraction(0))
        for x, mass in self._masses.items():
            law[x[person - 1]] += mass
        return law

    def difference(self, other: Belief) -> Number:
        """Return the statistical difference of two beliefs."""
        points = dict.fromkeys([*self._masses, *other._masses])
        zero = Fraction(0)
        gaps = (self._masses.get(x, zero) - other._masses.get(x, zero) for x in points)
        return sum((positive_part(gap) for gap in gaps), start=zero)

    def __repr__(self) -> str:
        ranked = sorted(self._masses.items(), key=lambda item: -float(item[1]))[:4]
        shown = ", ".join(f"{self.universe.label(x)}: {show(mass)}" for x, mass in ranked)
        return f"Belief({shown}{', ...' if len(self) > 4 else ''})"

    def answer(self) -> Answer:
        """Say the likeliest databases, as numbers and as bars."""
        ranked = sorted(self._masses.items(), key=lambda item: -float(item[1]))[:_SHOWN]
        facts = [(self.universe.label(x), show(mass)) for x, mass in ranked]
        shown = "the likeliest of " if len(self) > _SHOWN else ""
        title = f"A belief about {self.universe.expression}: {shown}{len(self)} databases"
        words = "; ".join(f"{label}: {mass}" for label, mass in facts)
        bars = [Bar(self.universe.label(x), float(mass)) for x, mass in ranked]
        readable = max(len(label) for label, _ in facts) <= _LONGEST_DRAWN
        chart = [GroupedBars(title, [("", bars)], words)] if readable else []
        return Answer(title, blocks=(Facts(facts), *chart))

    def fields(self) -> dict[str, Number]:
        """Return the probability of each database, by its label."""
        return {self.universe.label(x): mass for x, mass in self._masses.items()}


def records_of(universe: Universe) -> Records:
    """Return the universe as lists of records, which speaking of a person needs."""
    if isinstance(universe, Records) and universe.fixed and universe.n:
        return universe
    raise InvalidInput(
        f"{universe.expression} has no persons to speak of: use bits(n) or records(values, "
        "n), as does 'randomized-response(bits=2, keep=3/4)'"
    )


def uniform(universe: Universe) -> Belief:
    """Hold every database equally likely."""
    if isinstance(universe, Orbits):
        return independent(
            universe, [dict.fromkeys(universe.values, Fraction(1, len(universe.values)))]
        )
    size = universe.size
    if size is None:
        raise TooLarge(
            f"{universe.expression} has too many databases for a uniform belief: use finitely "
            "many, as does 'randomized-response(bits=2, keep=3/4)'"
        )
    if size > LARGEST_SUPPORT:
        first, second = map(universe.label, islice(universe, 2))
        raise TooLarge(
            f"{universe.expression} has too many databases for a uniform belief: use a smaller "
            "universe, or a belief that holds few databases possible, as in "
            f"--belief 'explicit({first}=1/2, {second}=1/2)'"
        )
    return Belief(universe, dict.fromkeys(universe, Fraction(1, size)))


def explicit(universe: Universe, masses: Mapping[Any, object]) -> Belief:
    """Hold these databases possible, with these probabilities."""
    read: dict[Point, Number] = {}
    for given, mass in masses.items():
        point = universe.find(given)
        if point in read:
            raise InvalidInput(f"{universe.label(point)} is given twice in the belief")
        read[point] = number(mass, f"belief in {universe.label(point)}")
    return Belief(universe, read)


def independent(universe: Universe, laws: Sequence[object]) -> Belief:
    """Hold the records independent, each with its own law.

    A law is a mapping from values to probabilities or, for bits, the probability of 1. One law may
    stand for all records.

    >>> from twoworlds.worlds.records import BitStrings
    >>> independent(BitStrings(2), ["3/4", "1/2"])[(1, 1)]
    Fraction(3, 8)
    """
    records = records_of(universe)
    if len(laws) not in (1, records.n):
        raise InvalidInput(f"{len(laws)} laws are given for {records.n} records")
    chosen = list(laws) * (1 if len(laws) == records.n else records.n)
    if isinstance(universe, Orbits) and len(laws) == 1:
        return Belief(universe, universe.independent(_law(laws[0], records)))
    read = [_law(law, records) for law in chosen]
    _refuse_large([len(law) for law in read])
    masses = {
        word: prod((law[value] for law, value in zip(read, word, strict=True)), start=Fraction(1))
        for word in product(*read)
    }
    return Belief(universe, masses)


def mixture(beliefs: Sequence[Belief], weights: Sequence[object]) -> Belief:
    """Hold one of several beliefs, each with its weight."""
    if not beliefs or len(beliefs) != len(weights):
        raise InvalidInput(f"{len(beliefs)} beliefs need as many weights, {len(weights)} given")
    if any(belief.universe != beliefs[0].universe for belief in beliefs):
        raise InvalidInput("the beliefs to mix speak of different universes")
    masses: dict[Point, Number] = {}
    for belief, weight in zip(beliefs, weights, strict=True):
        w = number(weight, "weight")
        if w < 0:
            raise InvalidInput(f"weight={weight} is negative")
        for x, mass in belief.items():
            masses[x] = masses.get(x, Fraction(0)) + w * mass
    return Belief(beliefs[0].universe, masses)


def informed(universe: Universe, database: object, person: int, law: object) -> Belief:
    """Know every record but one person's, and hold a law about that one.

    Kasiviswanathan & Smith, Section 2.1, "informed beliefs".
    """
    records = records_of(universe)
    x = records.find(database)
    if not 1 <= person <= records.n:
        raise InvalidInput(f"person={person}: there are {records.n}, counted from 1")
    read = _law(law, records)
    return Belief(universe, {(*x[: person - 1], v, *x[person:]): mass for v, mass in read.items()})


def hidden(universe: Universe, laws: Mapping[object, object]) -> Belief:
    """Hold the records independent with one common law that is itself uncertain.

    ``laws`` maps each possible probability of 1 (for bits) to its weight: the smoking study, where
    a hidden link is shared by all (Kasiviswanathan & Smith, Example 1).

    >>> from twoworlds.worlds.records import BitStrings
    >>> hidden(BitStrings(2), {"9/10": "1/2", "1/10": "1/2"})[(1, 1)]
    Fraction(41, 100)
    """
    if not laws:
        raise InvalidInput("name at least one possible parameter with its weight")
    parts = [independent(universe, [parameter]) for parameter in laws]
    return mixture(parts, list(laws.values()))


def _law(given: object, records: Records) -> dict[Point, Number]:
    """Read the law of one record; zero entries are left out."""
    if isinstance(given, Mapping):
        names = {str(value): value for value in records.values}
        law = {names.get(str(v), v): number(p, f"belief in {v}") for v, p in given.items()}
    elif records.values == (1, 0):
        p = number(given, "probability of 1")
        law = {1: p, 0: 1 - p}
    else:
        raise InvalidInput(f"{given!r}: a law over {records.values} names each value's probability")
    for value, p in law.items():
        if value not in records.values:
            raise InvalidInput(f"{value!r} is not a value of {records.expression}")
        if p < 0 or p > 1:
            raise InvalidInput(f"belief in {value} is {show(p)}: it must lie between 0 and 1")
    if compare(sum(law.values(), start=Fraction(0)), 1) in (Order.LESS, Order.GREATER):
        total = sum(law.values(), start=Fraction(0))
        raise InvalidInput(f"the law of a record sums to {show(total)}, it must sum to 1")
    return {value: p for value, p in law.items() if p != 0}


def _refuse_large(sizes: Sequence[int]) -> None:
    if prod(sizes) > LARGEST_SUPPORT:
        raise TooLarge(
            f"the belief holds {prod(sizes)} databases possible, more than {LARGEST_SUPPORT}: "
            "know more records for certain, or use fewer of them"
        )
