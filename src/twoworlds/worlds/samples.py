"""Samples of a population: databases that hold some people, each under their own name.

A database of `Samples` is a tuple of pairs (name, value), one for each person sampled, in the order
of the population. Who a person is does not depend on who else was sampled: the entry of a person is
their value or ``absent``, and taking them out leaves the others under their names. (Bassily, Groce,
Katz & Smith, Section III-B, write X_i for the i-th of a sample of random size; read as a position
in the list that is no person, and Theorem 10 fails for large i.)

`sampling` is their sampling prior: the number N of people sampled has a law, and given N all sets
of N people are equally likely. Only finite laws are taken; the `noiseless` histogram takes others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import Number, Order, compare, number, probability, show, whole
from twoworlds.worlds.belief import LARGEST_SUPPORT, Belief
from twoworlds.worlds.catalogue import UNIVERSES, read_names, read_values
from twoworlds.worlds.universe import ADD_REMOVE, SUBSTITUTE, Point, Universe

ABSENT = "absent"
"""The entry of a person who was not sampled."""


@dataclass(frozen=True)
class Samples(Universe):
    """All databases of some of these people, each with one of these values.

    >>> two = Samples(("ann", "bob"), (0, 1))
    >>> two.size, two.label((("ann", 1),)), two.part((("ann", 1),), "bob")
    (9, 'ann=1', 'absent')
    """

    people: tuple[Hashable, ...]
    values: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        for what, given in (("member", self.people), ("value", self.values)):
            if not given:
                raise InvalidInput(f"samples need at least one {what}")
            if len({str(one).strip() for one in given}) != len(given):
                raise InvalidInput(f"{given} repeats a {what}: each must be named once")
        if ABSENT in map(str, self.values):
            raise InvalidInput(f"{ABSENT!r} says that a person was not sampled: rename the value")

    @property
    def members(self) -> tuple[Hashable, ...]:
        return self.people

    def part(self, database: Point, member: Hashable) -> Hashable:
        """Return a person's value, or that they are absent."""
        held: dict[Hashable, Hashable] = dict(database)
        return held.get(member, ABSENT)

    def without(self, database: Point, member: Hashable) -> Hashable:
        return tuple(entry for entry in database if entry[0] != member)

    @property
    def size(self) -> int:
        return int((len(self.values) + 1) ** len(self.people))

    def __iter__(self) -> Iterator[Point]:
        for choice in product((*self.values, ABSENT), repeat=len(self.people)):
            entries = zip(self.people, choice, strict=True)
            yield tuple(entry for entry in entries if entry[1] != ABSENT)

    def __contains__(self, point: object) -> bool:
        if not isinstance(point, tuple) or not all(_is_pair(entry) for entry in point):
            return False
        names = [entry[0] for entry in point]
        ordered = [person for person in self.people if person in names]
        return names == ordered and all(entry[1] in self.values for entry in point)

    @property
    def relation(self) -> str:
        return ADD_REMOVE

    @property
    def expression(self) -> str:
        plain = self.people == tuple(range(1, len(self.people) + 1))
        people = str(len(self.people)) if plain else f"[{', '.join(map(str, self.people))}]"
        return f"samples(members={people}, values=[{', '.join(map(str, self.values))}])"

    def entries(self, database: Point) -> Point:
        return tuple(value for _, value in database)

    def label(self, point: Point) -> str:
        return "; ".join(f"{person}={value}" for person, value in point) or "nobody"

    def _parse(self, label: str) -> Point | None:
        if label in ("nobody", "()", ""):
            return ()
        people = {str(person): person for person in self.people}
        values = {str(value): value for value in self.values}
        found = []
        for part in label.split(";"):
            person, _, value = (text.strip() for text in part.partition("="))
            if person not in people or value not in values:
                return None
            found.append((people[person], values[value]))
        return tuple(sorted(found, key=lambda entry: self.people.index(entry[0])))

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Yield the databases with one person's value replaced, or one person added or removed."""
        if relation not in (SUBSTITUTE, ADD_REMOVE):
            raise InvalidInput(f"{self.expression} has no listed pairs: use {ADD_REMOVE}")
        held = dict(point)
        for person in self.people:
            if relation == ADD_REMOVE:
                changes = [ABSENT] if person in held else list(self.values)
            else:
                changes = [v for v in self.values if person in held and v != held[person]]
            for change in changes:
                new = {**held, person: change}
                entries = ((p, new[p]) for p in self.people if p in new)
                yield tuple(entry for entry in entries if entry[1] != ABSENT)


def _is_pair(entry: object) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2


def sampling(
    universe: Samples, population: Sequence[object], sizes: Mapping[int, object]
) -> Belief:
    """Hold the database a random sample of a population with known values.

    >>> four = Samples((1, 2, 3, 4), (0, 1))
    >>> sampling(four, [1, 1, 0, 0], {1: "1/2", 2: "1/2"})[((1, 1),)]
    Fraction(1, 8)
    """
    people = _population(universe, population)
    law = _sizes(sizes, len(people))
    work = sum(comb(len(people), size) for size in law)
    if work > LARGEST_SUPPORT:
        raise TooLarge(
            f"{work} samples are possible, more than {LARGEST_SUPPORT}: use a smaller population, "
            "or the `noiseless` histogram, which works by structure"
        )
    masses: dict[Point, Number] = {}
    for size, mass in law.items():
        share = mass / comb(len(people), size)
        masses.update(dict.fromkeys(combinations(people, size), share))
    return Belief(universe, masses)


def sizes_at_rate(people: int, rate: object) -> dict[int, Number]:
    """Return the law of the number sampled when each person is, independently, at a rate.

    >>> sizes_at_rate(2, "1/4")[1]
    Fraction(3, 8)
    """
    p = probability(rate, "rate")
    law = {k: comb(people, k) * p**k * (1 - p) ** (people - k) for k in range(people + 1)}
    return {size: mass for size, mass in law.items() if mass != 0}


def sizes_after_discard(drawn: int, discard: Mapping[int, object]) -> dict[int, Number]:
    """Return the law of the number left of a fixed number after a random number is discarded.

    The discard is a whole number; where it exceeds what was drawn nobody is left (Bassily, Groce,
    Katz & Smith, Section III-B, discard [Lap]_+ people; that must be rounded and cut like this).

    >>> sizes_after_discard(1, {0: "1/2", 1: "1/4", 2: "1/4"})
    {1: Fraction(1, 2), 0: Fraction(1, 2)}
    """
    left: dict[int, Number] = {}
    for discarded, mass in discard.items():
        size = max(0, drawn - whole(discarded, "discard"))
        left[size] = left.get(size, Fraction(0)) + number(mass, "probability")
    return left


def _population(universe: Samples, population: Sequence[object]) -> list[tuple[Hashable, Hashable]]:
    if len(population) != len(universe.people):
        raise InvalidInput(
            f"{len(population)} values are given for {len(universe.people)} people: "
            "give each person's value, in their order"
        )
    values = {str(value): value for value in universe.values}
    found: list[tuple[Hashable, Hashable]] = []
    for person, value in zip(universe.people, population, strict=True):
        if str(value).strip() not in values:
            raise InvalidInput(
                f"{value!r} is not a value of {universe.expression}: "
                f"the values are {', '.join(values)}"
            )
        found.append((person, values[str(value).strip()]))
    return found


def _sizes(sizes: Mapping[int, object], people: int) -> dict[int, Number]:
    law: dict[int, Number] = {}
    for given, mass in sizes.items():
        size = whole(given, "sample size")
        if size > people:
            raise InvalidInput(f"a sample of {size} cannot be drawn from {people} people")
        law[size] = law.get(size, Fraction(0)) + number(mass, f"probability of size {size}")
    for size, mass in law.items():
        if mass < 0:
            raise InvalidInput(f"size {size} has probability {show(mass)}: negative")
    total = sum(law.values(), start=Fraction(0))
    if compare(total, 1) in (Order.LESS, Order.GREATER):
        raise InvalidInput(
            f"the law of the sample size sums to {show(total)}, it must sum to 1 (an infinite law "
            "such as Poisson's must be cut first; the `noiseless` histogram takes it whole)"
        )
    return {size: mass for size, mass in law.items() if mass != 0}


@UNIVERSES.register("samples")
def samples(members: Text | int, values: Text | int) -> Universe:
    """All samples of a population (how many, or a list of names), each person with a value."""
    listed = read_values(values)
    chosen = tuple(range(listed)) if isinstance(listed, int) else tuple(listed)
    return Samples(read_names(members, "members"), chosen)
