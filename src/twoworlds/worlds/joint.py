"""Beliefs about the database and about what else the attacker knows: laws of (X, Z), and classes.

A `Joint` is a law on pairs (database x, side information z), the D of Bassily, Groce, Katz & Smith,
Section II-B. A `BeliefClass` is their Delta: a guarantee holds if it holds for every member, so a
class says against whom. Both are finite; only pairs of positive probability are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, Order, compare, number, show
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.universe import Point

__all__ = ["NOTHING", "BeliefClass", "Joint", "as_law", "plain_label"]

NOTHING = "nothing"
"""The side information of an attacker who has none."""

Side = Hashable
RandomMap = Callable[[Any], Any]
"""A function whose value is an outcome, or a mapping from outcomes to probabilities."""


def as_law(value: object) -> Mapping[Any, Number]:
    """Return a random map's value as a law: a mapping is one, anything else is certain.

    >>> as_law("b"), as_law({"a": Fraction(1, 2), "b": Fraction(1, 2)})["a"]
    ({'b': Fraction(1, 1)}, Fraction(1, 2))
    """
    if not isinstance(value, Mapping):
        return {value: Fraction(1)}
    law = {outcome: number(mass, f"probability of {outcome}") for outcome, mass in value.items()}
    _require_law(law, "a random value")
    return {outcome: mass for outcome, mass in law.items() if mass != 0}


def _require_law(law: Mapping[Any, Number], what: str) -> None:
    for outcome, mass in law.items():
        if mass < 0:
            raise InvalidInput(
                f"{what}: {plain_label(outcome)} has probability {show(mass)}: negative"
            )
    total = sum(law.values(), start=Fraction(0))
    if compare(total, 1) in (Order.LESS, Order.GREATER):
        raise InvalidInput(
            f"{what} has probabilities that sum to {show(total)}: they must sum to 1"
        )


class Joint:
    """A law on pairs of a database and side information.

    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.words import BitStrings
    >>> parity = Joint.of(uniform(BitStrings(2)), lambda x: sum(x) % 2)
    >>> parity.given(1)
    {(1, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    """

    def __init__(self, masses: Mapping[tuple[Point, Side], Number], name: str = "") -> None:
        """Take the probability of each pair (x, z)."""
        _require_law(masses, f"the belief {name}".strip())
        self.masses = {pair: mass for pair, mass in masses.items() if mass != 0}
        self.name = name

    @staticmethod
    def of(
        belief: Belief | Mapping[Point, Number], side: RandomMap | None = None, name: str = ""
    ) -> Joint:
        """Return a belief with side information computed from the database, possibly at random."""
        masses: dict[tuple[Point, Side], Number] = {}
        for x, mass in belief.items():
            for z, chance in as_law(NOTHING if side is None else side(x)).items():
                masses[x, z] = masses.get((x, z), Fraction(0)) + mass * chance
        return Joint(masses, name)

    @cached_property
    def sides(self) -> dict[Side, Number]:
        """The law of the side information."""
        law: dict[Side, Number] = {}
        for (_, z), mass in self.masses.items():
            law[z] = law.get(z, Fraction(0)) + mass
        return law

    @cached_property
    def databases(self) -> tuple[Point, ...]:
        """The databases held possible."""
        return tuple(dict.fromkeys(x for x, _ in self.masses))

    def given(self, side: Side) -> dict[Point, Number]:
        """Return what is believed about the database by who knows this.

        Raises:
            InvalidInput: when the belief holds it impossible, so that nothing follows from it.
        """
        if side not in self.sides:
            raise InvalidInput(
                f"{self.name or 'the belief'} holds side information {plain_label(side)} "
                "impossible: nothing can be concluded from it"
            )
        total = self.sides[side]
        return {x: mass / total for (x, z), mass in self.masses.items() if z == side}

    def knowing(self, more: RandomMap) -> Joint:
        """Return the belief of an attacker who knows (Z, g(X)); g may be random."""
        masses: dict[tuple[Point, Side], Number] = {}
        for (x, z), mass in self.masses.items():
            for w, chance in as_law(more(x)).items():
                masses[x, (z, w)] = masses.get((x, (z, w)), Fraction(0)) + mass * chance
        return Joint(masses, self.name)

    def knowing_less(self, blur: RandomMap) -> Joint:
        """Return the belief of one who knows only f(Z); f may be random (Theorem 5).

        >>> from twoworlds.worlds.belief import uniform
        >>> from twoworlds.worlds.words import BitStrings
        >>> Joint.of(uniform(BitStrings(2)), lambda x: x).knowing_less(lambda z: z[0]).sides
        {1: Fraction(1, 2), 0: Fraction(1, 2)}
        """
        masses: dict[tuple[Point, Side], Number] = {}
        for (x, z), mass in self.masses.items():
            for w, chance in as_law(blur(z)).items():
                masses[x, w] = masses.get((x, w), Fraction(0)) + mass * chance
        return Joint(masses, self.name)

    @staticmethod
    def mixture(parts: Sequence[Joint], weights: Sequence[object], name: str = "") -> Joint:
        """Return the convex combination of several beliefs (Theorem 4)."""
        if not parts or len(parts) != len(weights):
            raise InvalidInput(f"{len(parts)} beliefs need as many weights, {len(weights)} given")
        masses: dict[tuple[Point, Side], Number] = {}
        for part, weight in zip(parts, weights, strict=True):
            share = number(weight, "weight")
            if share < 0:
                raise InvalidInput(f"weight={weight} is negative")
            for pair, mass in part.masses.items():
                masses[pair] = masses.get(pair, Fraction(0)) + share * mass
        return Joint(masses, name or " or ".join(part.name for part in parts if part.name))

    def __len__(self) -> int:
        """Return how many pairs are held possible."""
        return len(self.masses)

    def __repr__(self) -> str:
        """Show the size."""
        name = f"{self.name}: " if self.name else ""
        return f"Joint({name}{len(self.databases)} databases, {len(self.sides)} side informations)"


@dataclass(frozen=True)
class BeliefClass:
    """The beliefs that attackers may hold, and the class in words.

    Attributes:
        members: the beliefs.
        assumption: what the class assumes, to follow "if": "the bits are fair and independent".
        hull: whether all mixtures of the members belong as well (Theorem 4).
    """

    members: tuple[Joint, ...]
    assumption: str
    hull: bool = False

    def __post_init__(self) -> None:
        """Refuse an empty class: everything would be private against nobody."""
        if not self.members:
            raise InvalidInput("the class of beliefs is empty: name at least one belief")

    def __iter__(self) -> Iterator[Joint]:
        """Run through the members."""
        return iter(self.members)

    def __len__(self) -> int:
        """Return how many members are listed."""
        return len(self.members)

    def each(self, change: Callable[[Joint], Joint], assumption: str) -> BeliefClass:
        """Return the class with every member changed."""
        return BeliefClass(tuple(change(member) for member in self), assumption, self.hull)

    def knowing(self, more: RandomMap, what: str) -> BeliefClass:
        """Return the class of attackers who know g(X) as well."""
        return self.each(
            lambda joint: joint.knowing(more), f"{self.assumption}, and the attacker knows {what}"
        )

    def knowing_less(self, blur: RandomMap, what: str) -> BeliefClass:
        """Return the class of attackers who know only f(Z)."""
        return self.each(
            lambda joint: joint.knowing_less(blur),
            f"{self.assumption}, of whose side information the attacker knows only {what}",
        )

    def with_mixtures(self) -> BeliefClass:
        """Return the convex hull of the class."""
        return BeliefClass(self.members, f"{self.assumption} (or any mixture of these)", hull=True)


def plain_label(value: object) -> str:
    """Write a database, a part of one or side information as one would type it.

    >>> plain_label((1, 0, 1)), plain_label((9, 10)), plain_label(("1", (0, 1)))
    ('101', '(9, 10)', '(1, 01)')
    """
    if isinstance(value, tuple):
        texts = [plain_label(part) for part in value]
        plain = all(len(text) == 1 for text in texts) and not any(
            isinstance(part, tuple) for part in value
        )
        return "".join(texts) if plain and texts else f"({', '.join(texts)})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(plain_label(part) for part in value))}}}"
    if isinstance(value, Fraction):
        return show(value)
    return str(value)
