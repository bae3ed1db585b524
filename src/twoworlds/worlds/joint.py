"""Beliefs about the database and about what else the attacker knows: laws of (X, Z), and classes.

A `Joint` is a law on pairs (database x, side information z), the D of Bassily, Groce, Katz & Smith,
Section II-B. A `BeliefClass` is their Delta: a guarantee holds if it holds for every member, so a
class says against whom. Both are finite; only pairs of positive probability are stored, and they
are written out when somebody lists them. Where people are alike (`Belief.common_laws`), a class can
be listed up to the order of all people but one instead (`Orbits`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Any

from twoworlds.answer import Answer, Listing, Table
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError
from twoworlds.numbers import Number, Order, Real, compare, number, show
from twoworlds.show import Result
from twoworlds.worlds.belief import LARGEST_SUPPORT, Belief
from twoworlds.worlds.universe import Point, Universe

NOTHING = "nothing"
"""The side information of an attacker who has none."""

Side = Hashable
RandomMap = Callable[[Any], Any]
"""A function whose value is an outcome, or a mapping from outcomes to probabilities."""
Told = Callable[[Point, Side], Mapping[Any, Number]]
"""What is told of a database and of former side information, as a law."""
_SHOWN = 16
_LONG, _RUNS = 64, 8  # records of a database, and runs of equal ones
_ONE = Fraction(1)


def as_law(value: object) -> Mapping[Any, Number]:
    """Return a random map's value as a law: a mapping is one, anything else is certain."""
    if not isinstance(value, Mapping):
        _require_hashable(value, "a random value")
        return {value: _ONE}
    law = {outcome: number(mass, f"probability of {outcome}") for outcome, mass in value.items()}
    _require_law(law, "a random value")
    return {outcome: mass for outcome, mass in law.items() if mass != 0}


def value_at(function: Callable[[Any], Any], argument: Any, what: str) -> Hashable:
    """Return a function's value, with its failure or a value that cannot be a key as an error."""
    value = _called(function, argument, what)
    _require_hashable(value, f"{what} at {plain_label(argument)}")
    return value  # type: ignore[no-any-return]


def law_at(function: RandomMap, argument: Any, what: str) -> Mapping[Any, Number]:
    """Return the law of a random map's value, with its failure as an error that names it."""
    value = _called(function, argument, what)
    try:
        return as_law(value)
    except InvalidInput as error:
        raise InvalidInput(f"{what} at {plain_label(argument)}: {error}") from None


def _called(function: Callable[[Any], Any], argument: Any, what: str) -> Any:
    try:
        return function(argument)
    except TwoWorldsError:
        raise
    except Exception as error:
        kind = type(error).__name__
        raise InvalidInput(f"{what} failed at {plain_label(argument)}: {kind}: {error}") from error


def _require_hashable(value: object, what: str) -> None:
    try:
        hash(value)
    except TypeError:
        raise InvalidInput(
            f"{what} is {value!r} (type {type(value).__name__}), which cannot be compared and "
            "stored: return a number, a text or a tuple of such"
        ) from None


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


class Joint(Result):
    """A law on pairs of a database and side information.

    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.records import BitStrings
    >>> parity = Joint.of(uniform(BitStrings(2)), lambda x: sum(x) % 2)
    >>> parity.given(1)
    {(1, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    """

    drawn: tuple[tuple[Number, Belief, Side], ...] = ()
    told: Told | None = None

    def __init__(self, masses: Mapping[tuple[Point, Side], object], name: str = "") -> None:
        what = f"the belief {name}".strip()
        read = {_pair(pair, what): _mass(mass, pair) for pair, mass in masses.items()}
        _require_law(read, what)
        self.masses = {pair: mass for pair, mass in read.items() if mass != 0}
        self.name = name

    @staticmethod
    def of(
        belief: Belief | Mapping[Point, object], side: RandomMap | None = None, name: str = ""
    ) -> Joint:
        """Return a belief with side information computed from the database, possibly at random."""
        if isinstance(belief, Belief) and side is None:
            return Joint.of_beliefs([(_ONE, belief, NOTHING)], name)
        laws = ((x, _mass(mass, x), _side_at(side, x)) for x, mass in belief.items())
        return Joint(
            gathered((x, z, times(p, q)) for x, p, law in laws for z, q in law.items()), name
        )

    @classmethod
    def of_beliefs(cls, drawn: Sequence[tuple[object, Belief, Side]], name: str = "") -> Joint:
        """Return one of several beliefs, drawn by weights; the side information says which.

        >>> from twoworlds.worlds.belief import hidden, uniform
        >>> from twoworlds.worlds.records import BitStrings
        >>> fair, sure = uniform(BitStrings(90)), hidden(BitStrings(90), {"1": 1})
        >>> Joint.of_beliefs([("1/3", fair, "fair"), ("2/3", sure, "sure")]).sides
        {'fair': Fraction(1, 3), 'sure': Fraction(2, 3)}
        """
        found = cls.__new__(cls)
        read = [
            (_ONE if weight == 1 else number(weight, "weight"), belief, side)
            for weight, belief, side in drawn
        ]
        _require_law(dict(enumerate((w for w, _, _ in read), 1)), "the list of weights")
        found.drawn, found.name = tuple(part for part in read if part[0] != 0), name
        return found

    @cached_property
    def masses(self) -> dict[tuple[Point, Side], Number]:
        """The probabilities of the pairs, written out."""
        pairs = (
            (x, w, times(mass, weight)) for weight, b, w in self.drawn for x, mass in b.items()
        )
        return gathered(pairs if self.told is None else _telling(pairs, self.told))

    @property
    def alike(self) -> bool:
        """Whether the law is known to treat all people alike."""
        return bool(self.drawn) and all(b.alike for _, b, _ in self.drawn)

    @property
    def by_sums(self) -> bool:
        """Whether people are alike, and what the others sum to has a law that can be listed."""
        return self.alike and self.told is None and all(b.rational for _, b, _ in self.drawn)

    @property
    def independent(self) -> bool:
        """Whether the records are known to be independent, and no side information says more."""
        return len(self.drawn) == 1 and self.told is None and len(self.drawn[0][1].parts) == 1

    def on(self, orbits: Universe) -> Joint:
        """Return the law of people who are alike, by databases up to the order of the others."""
        found = Joint.of_beliefs([(w, b.on(orbits), z) for w, b, z in self.drawn], self.name)
        found.told = self.told
        return found

    def telling(self, told: Told, *, alike: bool = False, blind: bool = False) -> Joint:
        """Return the belief of who is told this about x and the former side information.

        ``alike`` says that it is the same whatever the order of the people, ``blind`` whatever x.
        """
        if blind and self.drawn and self.told is None:
            parts = [(w, b, told(None, z)) for w, b, z in self.drawn]
            return Joint.of_beliefs(
                [(times(w, q), b, z) for w, b, law in parts for z, q in law.items()], self.name
            )
        if not alike or not self.alike or self.told is not None:
            pairs = ((x, w, mass) for (x, w), mass in self.masses.items())
            return Joint(gathered(_telling(pairs, told)), self.name)
        found = Joint.of_beliefs(self.drawn, self.name)
        found.told = told
        return found

    @cached_property
    def sides(self) -> dict[Side, Number]:
        """The law of the side information."""
        if self.drawn and self.told is None:
            law: dict[Side, Number] = {}
            for weight, _, z in self.drawn:
                law[z] = law[z] + weight if z in law else weight
            return law
        return {z: sum(part.values(), start=Fraction(0)) for z, part in self._parts.items()}

    @cached_property
    def databases(self) -> tuple[Point, ...]:
        """The databases held possible."""
        return tuple(dict.fromkeys(x for x, _ in self.masses))

    @cached_property
    def _parts(self) -> dict[Side, dict[Point, Number]]:
        """The probabilities of the databases, by side information."""
        parts: dict[Side, dict[Point, Number]] = {}
        for (x, z), mass in self.masses.items():
            parts.setdefault(z, {})[x] = mass
        return parts

    def given(self, side: Side) -> dict[Point, Number]:
        """Return what is believed about the database by who knows this."""
        if side not in self._parts:
            possible = ", ".join(plain_label(z) for z in list(self._parts)[:4])
            more = ", ..." if len(self._parts) > 4 else ""
            raise InvalidInput(
                f"{self.name or 'the belief'} holds side information {plain_label(side)} "
                f"impossible: nothing can be concluded from it; possible are {possible}{more}"
            )
        total, part = self.sides[side], self._parts[side]
        return part if total is _ONE else {x: mass / total for x, mass in part.items()}

    def knowing(self, more: RandomMap) -> Joint:
        """Return the belief of an attacker who knows (Z, g(X)); g may be random."""
        laws = (
            (x, z, mass, law_at(more, x, "the side information"))
            for (x, z), mass in self.masses.items()
        )
        found = gathered((x, (z, w), times(p, q)) for x, z, p, law in laws for w, q in law.items())
        return Joint(found, self.name)

    def knowing_less(self, blur: RandomMap) -> Joint:
        """Return the belief of one who knows only f(Z); f may be random (Theorem 5).

        >>> from twoworlds.worlds.belief import uniform
        >>> from twoworlds.worlds.records import BitStrings
        >>> Joint.of(uniform(BitStrings(2)), lambda x: x).knowing_less(lambda z: z[0]).sides
        {1: Fraction(1, 2), 0: Fraction(1, 2)}
        """
        what = "the function of the side information"
        laws = {z: law_at(blur, z, what) for z in self.sides}
        return Joint(
            gathered(
                (x, w, times(p, q)) for (x, z), p in self.masses.items() for w, q in laws[z].items()
            ),
            self.name,
        )

    @staticmethod
    def mixture(parts: Sequence[Joint], weights: Sequence[object], name: str = "") -> Joint:
        """Return the convex combination of several beliefs (Theorem 4)."""
        if not parts or len(parts) != len(weights):
            raise InvalidInput(f"{len(parts)} beliefs need as many weights, {len(weights)} given")
        shares = [number(weight, "weight") for weight in weights]
        _require_law(dict(enumerate(shares, 1)), "the list of weights")
        found = gathered(
            (x, z, share * mass)
            for part, share in zip(parts, shares, strict=True)
            for (x, z), mass in part.masses.items()
        )
        return Joint(found, name or " or ".join(part.name for part in parts if part.name))

    def __len__(self) -> int:
        return len(self.masses)

    def __repr__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        known = "no side information" if self.sides.keys() <= {NOTHING} else f"{len(self.sides)} Z"
        return f"Joint({name}{len(self.databases)} databases, {known})"

    def answer(self) -> Answer:
        """Say the likeliest pairs, in a table and as bars."""
        ranked = sorted(self.masses.items(), key=lambda item: -float(item[1]))[:_SHOWN]
        rows = [(plain_label(x), plain_label(z), show(mass)) for (x, z), mass in ranked]
        count = f"{len(self)} pairs" + (f", the {_SHOWN} likeliest" if len(self) > _SHOWN else "")
        masses = {f"{plain_label(x)}, {plain_label(z)}": mass for (x, z), mass in ranked}
        return Answer(
            f"A belief about databases and side information: {self.name or count}",
            blocks=(
                Table(("database", "side information", "probability"), rows),
                Bars("Probability of database, side information", masses),
            ),
            notes=[count] if self.name else [],
        )

    def fields(self) -> dict[str, object]:
        """Return the name, and each pair with its probability."""
        pairs = [[plain_label(x), plain_label(z), mass] for (x, z), mass in self.masses.items()]
        return {"name": self.name, "masses": pairs}


def _telling(
    pairs: Iterable[tuple[Point, Side, Number]], told: Told
) -> Iterator[tuple[Point, Side, Number]]:
    return ((x, z, times(p, q)) for x, w, p in pairs for z, q in told(x, w).items())


def gathered(parts: Iterable[tuple[Point, Side, Number]]) -> dict[tuple[Point, Side], Number]:
    """Return the law of pairs from contributions; equal pairs are added up."""
    masses: dict[tuple[Point, Side], Number] = {}
    for x, z, mass in parts:
        before = masses.get((x, z))
        masses[x, z] = mass if before is None else before + mass
        if len(masses) > LARGEST_SUPPORT:
            raise TooLarge(
                f"the belief holds more than {LARGEST_SUPPORT} pairs of a database and side "
                "information possible: use fewer people, coarser side information, or a "
                "`noiseless` release, which works by structure"
            )
    return masses


def times(p: Number, q: Number) -> Number:
    """Multiply probabilities, fast where nothing is random."""
    return p if q is _ONE else q if p is _ONE else p * q


def _mass(mass: object, of: object) -> Number:
    if isinstance(mass, (Fraction, Real)):
        return mass
    return number(mass, f"probability of {plain_label(of)}")


def _pair(pair: object, what: str) -> tuple[Point, Side]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise InvalidInput(f"{what}: {pair!r} is not a pair (database, side information)")
    return pair


@dataclass(frozen=True)
class BeliefClass(Result):
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
        if not self.members:
            raise InvalidInput("the class of beliefs is empty: name at least one belief")

    def __iter__(self) -> Iterator[Joint]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    @property
    def alike(self) -> bool:
        """Whether every member is known to treat all people alike."""
        return all(member.alike for member in self)

    def on(self, orbits: Universe) -> BeliefClass:
        """Return the class about people who are alike, up to the order of all but one."""
        return self.each(lambda joint: joint.on(orbits), self.assumption)

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

    def __repr__(self) -> str:
        count = f"{len(self)} belief{'s' if len(self) > 1 else ''}"
        return (
            f"BeliefClass({count}{' and their mixtures' if self.hull else ''}: {self.assumption})"
        )

    def answer(self) -> Answer:
        """Say the assumption, and list the members."""
        names = [
            member.name or f"{len(member)} pairs of a database and side information"
            for member in self.members
        ]
        mixed = " and all their mixtures" if self.hull else ""
        count = f"{len(self)} belief{'s' if len(self) > 1 else ''}{mixed}"
        return Answer(f"If {self.assumption}.", blocks=(Listing(count, names),))


def _side_at(side: RandomMap | None, x: Point) -> Mapping[Any, Number]:
    return {NOTHING: _ONE} if side is None else law_at(side, x, "the side information")


def plain_label(value: object) -> str:
    """Write a database, a part of one or side information as one would type it; a long one briefly.

    >>> plain_label((1, 0)), plain_label((1, *[0] * 99))
    ('10', '1 and 99 times 0')
    """
    if isinstance(value, tuple):
        if len(value) > _LONG:
            runs = [(plain_label(key), len([*same])) for key, same in groupby(value)]
            texts = [text if times == 1 else f"{times} times {text}" for text, times in runs]
            if len(texts) <= _RUNS:
                return " and ".join(texts)
        texts = [plain_label(part) for part in value]
        plain = all(len(text) == 1 for text in texts) and not any(
            isinstance(part, tuple) for part in value
        )
        return "".join(texts) if plain and texts else f"({', '.join(texts)})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(plain_label(part) for part in value))}}}"
    return str(value)
