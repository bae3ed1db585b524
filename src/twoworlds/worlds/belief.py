"""Beliefs: what an attacker holds likely before and after seeing an output, exactly.

A `Belief` is a law on the databases of a universe (prior and posterior are its roles;
Kasiviswanathan & Smith, Section 2, write b). It has finite support: only databases that somebody
holds possible are stored, so that a belief about 40 people, all but one of whom are known, has two
databases in it. Builders: `uniform`, `independent`, `explicit`, `mixture`, `informed`, `hidden`.

Most builders know more than the databases: the records are independent, or a mixture of such,

    b(x) = sum_c w_c prod_j p_cj(x_j).

These `parts` answer what is asked about single records, and databases are written out only when
somebody lists them. With one part the records are independent (`laws`). Where each part has one law
for all records, people are alike (`common_laws`): only counts of values matter, and a belief about
10,000 people costs what one about ten does.

A `Secret` is an event in the universe, a statement about the database that an attacker bets on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod
from typing import Any

from flint import arb

from twoworlds.answer import Answer, Facts
from twoworlds.charts import Bar, GroupedBars
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.ratios import by_ratio
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    compare,
    number,
    positive_part,
    show,
)
from twoworlds.show import Result
from twoworlds.worlds.orbits import Orbits
from twoworlds.worlds.records import Records
from twoworlds.worlds.universe import Point, Universe

LARGEST_SUPPORT = 1 << 20
_SHOWN = 16
_LONGEST_DRAWN = 24  # letters of a label beside a bar
_SHORT = 2048  # bits of a rational that is kept exactly
_ZERO = Fraction(0)

Law = Mapping[Point, Number]
Part = tuple[Number, Sequence[Law]]  # a weight, and the law of each record


@dataclass(frozen=True)
class Secret:
    """A set of databases, by the rule that decides membership.

    ``entry`` is the person and the value where the secret is about one record, ``odd`` the parity
    of the number of ones where it is about that.
    """

    name: str
    holds: Callable[[Any], bool]
    entry: tuple[int, Point] | None = None
    odd: bool | None = None

    def opposite(self) -> Secret:
        """Return the secret that is true when this one is not."""
        return Secret(f"not {self.name}", lambda x: not self.holds(x))

    @staticmethod
    def of(universe: Universe, databases: Iterable[object]) -> Secret:
        """Return the secret that the true database is one of these."""
        listed = dict.fromkeys(universe.find(x) for x in databases)  # in the order given
        shown = " or ".join(universe.label(x) for x in listed)
        return Secret(f"the database is {shown}", listed.__contains__)

    @staticmethod
    def record(universe: Universe, person: int, value: object) -> Secret:
        """Return the secret that a person's record has a value; persons count from 1."""
        if not isinstance(universe, Records) or not universe.fixed:
            raise InvalidInput(
                f"{universe.expression} has no persons to speak of: name databases instead"
            )
        names = {str(v): v for v in universe.values}
        if not 1 <= person <= universe.n:
            raise InvalidInput(f"person={person}: there are {universe.n}, counted from 1")
        if str(value) not in names:
            known = ", ".join(names)
            raise InvalidInput(f"{value!r} is not a value of a record: the values are {known}")
        wanted = names[str(value)]
        name, about = f"record {person} is {value}", (person, wanted)
        return Secret(name, lambda x: bool(x[person - 1] == wanted), entry=about)

    @staticmethod
    def parity(universe: Universe, *, odd: bool = True) -> Secret:
        """Return the secret that the number of ones is odd (or even)."""
        if not isinstance(universe, Records) or not set(universe.values) <= {0, 1}:
            raise InvalidInput(f"parity needs bits, {universe.expression} has other records")
        name = "parity is odd" if odd else "parity is even"
        return Secret(name, lambda x: sum(x) % 2 == odd, odd=odd)


def secret(text: str, universe: Universe) -> Secret:
    """Read a secret: ``parity``, ``odd``, ``even``, ``1=1`` (a record), or databases ``11,00``.

    >>> from twoworlds.worlds.records import BitStrings
    >>> secret("2=1", BitStrings(3)).holds((0, 1, 0))
    True
    """
    body = text.strip()
    if body in ("parity", "odd", "even"):
        return Secret.parity(universe, odd=body != "even")
    person, equals, value = body.partition("=")
    if equals and person.strip().removeprefix("record").strip().isdigit():
        number = int(person.strip().removeprefix("record").strip())
        return Secret.record(universe, number, value.strip())
    listed: list[Point] = []
    labels = [universe.label(x) for x in universe] if (universe.size or 1 << 20) <= 1024 else []
    mark = ";" if ";" in body or any("," in label for label in labels) else ","
    for label in [body] if body in labels else body.split(mark):
        try:
            listed.append(universe.find(label.strip()))
        except InvalidInput as error:
            raise InvalidInput(
                f"{text!r} is not a secret: write parity, 1=value for record 1, or databases; "
                f"{error}"
            ) from None
    return Secret.of(universe, listed)


class Belief(Result, Mapping[Point, Number]):
    """A law on databases, given by those that have positive probability.

    >>> from twoworlds.worlds.records import BitStrings
    >>> belief = explicit(BitStrings(1), {"1": "1/4", "0": "3/4"})
    >>> belief[(1,)]
    Fraction(1, 4)
    """

    parts: tuple[Part, ...] = ()

    def __init__(self, universe: Universe, masses: Mapping[Point, Number]) -> None:
        self.universe = universe
        self._masses = {x: mass for x, mass in masses.items() if mass != 0}
        for x, mass in self._masses.items():
            if mass < 0:
                raise InvalidInput(f"the belief in {universe.label(x)} is {show(mass)}: negative")
        _require_one(sum(self._masses.values(), start=_ZERO))

    @classmethod
    def of_records(cls, universe: Universe, parts: Sequence[Part]) -> Belief:
        """Return a mixture of beliefs under which the records (of graphs: edges) are independent.

        >>> from twoworlds.worlds.records import BitStrings
        >>> coin = {1: Fraction(1, 2), 0: Fraction(1, 2)}
        >>> Belief.of_records(BitStrings(3), [(Fraction(1), [coin] * 3)])["111"]
        Fraction(1, 8)
        """
        _require_one(sum((w for w, _ in parts), start=_ZERO))
        found = cls.__new__(cls)
        found.universe = universe
        found.parts = tuple((w, laws) for w, laws in parts if w != 0)
        return found

    @cached_property
    def _masses(self) -> dict[Point, Number]:
        """The databases held possible with their probabilities, written out where possible."""
        if not self.listable:
            raise TooLarge(
                f"the belief holds more than {LARGEST_SUPPORT} databases possible: ask about "
                "single records, know more records for certain, or use fewer of them, as in "
                "explicit(...) and informed(...)"
            )
        whole: dict[Point, Number] = {}
        for weight, laws in self.parts:
            for x, p in self._listed(weight, laws):
                whole[x] = whole[x] + p if x in whole else p
        return whole

    def _listed(self, weight: Number, laws: Sequence[Law]) -> Iterator[tuple[Point, Number]]:
        """Yield the databases of one part, with one multiplication each."""
        if not isinstance(self.universe, Records) or isinstance(self.universe, Orbits):
            found = self.universe.independent(laws[0])  # type: ignore[attr-defined]
            return ((x, p if weight == 1 else weight * p) for x, p in found.items())
        masses = [weight]
        for law in laws:
            masses = [mass * p for mass in masses for p in law.values()]
        return zip(product(*laws), masses, strict=True)

    @property
    def listable(self) -> bool:
        """Whether there are few enough databases to write them out."""
        if isinstance(self.universe, Orbits) or not isinstance(self.universe, Records):
            return True
        return all(prod(map(len, laws)) <= LARGEST_SUPPORT for _, laws in self.parts)

    @cached_property
    def laws(self) -> tuple[Law, ...] | None:
        """The law of each record where the records are independent; None where they are not."""
        if not isinstance(self.universe, Records) or not self.universe.fixed:
            return None
        if self.parts:
            return tuple(self.parts[0][1]) if len(self.parts) == 1 else None
        if any(isinstance(mass, Real) for mass in self._masses.values()):
            return None
        possible = [dict.fromkeys(column) for column in zip(*self._masses, strict=True)]
        if prod(map(len, possible)) != len(self._masses):
            return None
        marginals = [self.marginal(i) for i in range(1, self.universe.n + 1)]
        laws = [{v: law[v] for v in kept} for law, kept in zip(marginals, possible, strict=True)]
        whole = Belief.of_records(self.universe, [(Fraction(1), laws)])
        return tuple(laws) if self._masses == whole._masses else None

    @cached_property
    def alike(self) -> bool:
        """Whether the belief is known to treat all people alike."""
        return bool(self.parts) and all(
            law is laws[0] or law == laws[0] for _, laws in self.parts for law in laws
        )

    @cached_property
    def common_laws(self) -> tuple[tuple[Any, dict[Point, Any]], ...] | None:
        """The weight of each part and its one law for all records; None where people differ."""
        if not self.alike or not isinstance(self.universe, Records):
            return None
        values = self.universe.values
        return tuple((w, {v: laws[0].get(v, _ZERO) for v in values}) for w, laws in self.parts)

    @property
    def rational(self) -> bool:
        """Whether all weights and laws of people who are alike are rational numbers."""
        parts = self.common_laws or ()
        return all(isinstance(x, Fraction) for w, law in parts for x in (w, *law.values()))

    @property
    def denominator(self) -> int:
        """A common denominator of all weights and common laws."""
        parts = self.common_laws or ()
        return lcm(*(x.denominator for w, law in parts for x in (w, *law.values())))

    @property
    def short(self) -> bool:
        """Whether probabilities of people who are alike are short enough to be kept exactly."""
        return self.denominator.bit_length() * (records_of(self.universe).n + 1) <= _SHORT

    def meets(self, values: Collection[Point]) -> Number:
        """Return the probability that somebody's record is one of these, where people are alike."""
        n = records_of(self.universe).n
        others = [(w, 1 - sum(law[v] for v in values)) for w, law in self.common_laws or ()]
        if self.short or not values or all(rest == 0 for _, rest in others):
            return 1 - sum((w * rest**n for w, rest in others), start=_ZERO)
        none = Real(
            lambda bits: sum((ball(w, bits) * ball(r, bits) ** n for w, r in others), arb(0))
        )
        return at_most_one(1 - none)

    def on(self, orbits: Universe) -> Belief:
        """Return the belief about people who are alike, by databases up to the order of others."""
        return Belief.of_records(orbits, self.parts)

    def __getitem__(self, database: object) -> Number:
        x: Any = self.universe.find(database)
        written = not isinstance(self.universe, Records) or isinstance(self.universe, Orbits)
        if "_masses" in self.__dict__ or written:
            return self._masses.get(x, _ZERO)
        found = (
            prod((law.get(v, _ZERO) for law, v in zip(laws, x, strict=True)), start=w)
            for w, laws in self.parts
        )
        return sum(found, start=_ZERO)

    def items(self) -> ItemsView[Point, Number]:
        """Return the databases held possible with their probabilities."""
        return self._masses.items()

    def __iter__(self) -> Iterator[Point]:
        return iter(self._masses)

    def __len__(self) -> int:
        return len(self._masses)

    def __bool__(self) -> bool:
        return True

    def given(self, likelihood: Callable[[Point], Number]) -> Belief | None:
        """Return the posterior by Bayes' rule, or None when the observation was impossible.

            b(x | t) = P(t | x) b(x) / sum_z P(t | z) b(z)

        (Kasiviswanathan & Smith, equation 1).
        """
        held = self._masses.items()
        joint = {x: p * mass for x, mass in held if (p := likelihood(x)) != 0}
        total = sum(joint.values(), start=_ZERO)
        if total == 0:
            return None
        return Belief(self.universe, {x: mass / total for x, mass in joint.items() if mass != 0})

    def probability(self, secret: Secret) -> Number:
        """Return the probability that a secret is true."""
        if secret.entry is not None and self.parts:
            person, value = secret.entry
            return self.marginal(person)[value]
        if secret.odd is not None and self.parts:
            gaps = (
                prod((law.get(0, _ZERO) - law.get(1, _ZERO) for law in laws), start=w)
                for w, laws in self.parts
            )
            even_less_odd = sum(gaps, start=_ZERO)
            return (1 + (-even_less_odd if secret.odd else even_less_odd)) / 2
        held = (mass for x, mass in self._masses.items() if secret.holds(x))
        return sum(held, start=_ZERO)

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
        law: dict[Point, Number] = dict.fromkeys(records.values, _ZERO)
        for weight, laws in self.parts:
            for v, p in laws[person - 1].items():
                law[v] += p if weight == 1 else weight * p
        for x, mass in () if self.parts else self._masses.items():
            law[x[person - 1]] += mass
        return law

    def difference(self, other: Belief) -> Number:
        """Return the statistical difference; independent records of the same law do not count."""
        if len(self.parts) == len(other.parts) == 1:
            (_, first), (_, second) = *self.parts, *other.parts
            pairs = [(p, q) for p, q in zip(first, second, strict=True) if not _same(p, q)]
            if len(pairs) <= 1:
                return sum((law_difference(p, q) for p, q in pairs), start=_ZERO)
            if all(isinstance(p, Fraction) for pair in pairs for law in pair for p in law.values()):
                return _of_products(pairs)
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
        return {self.universe.label(x): mass for x, mass in self._masses.items()}


def records_of(universe: Universe) -> Records:
    """Return the universe as lists of records, which speaking of a person needs."""
    if isinstance(universe, Records) and universe.fixed and universe.n:
        return universe
    raise InvalidInput(
        f"{universe.expression} has no persons to speak of: use bits(n) or records(values, "
        "n), as do 'geometric(ratio=2, bits=2)' and 'randomized-response(bits=2, keep=3/4)'"
    )


def uniform(universe: Universe) -> Belief:
    """Hold every database equally likely."""
    if isinstance(universe, Records) and universe.fixed and universe.n:
        law: Law = dict.fromkeys(universe.values, Fraction(1, len(universe.values)))
        return Belief.of_records(universe, [(Fraction(1), (law,) * universe.n)])
    size = universe.size
    if size is None or size > LARGEST_SUPPORT:
        raise TooLarge(
            f"{universe.expression} has too many databases for a uniform belief: use fewer, as "
            "does 'randomized-response(bits=2, keep=3/4)', or hold few of them possible, as does "
            "'explicit(DATABASE=1/2, DATABASE=1/2)'"
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
        raise InvalidInput(
            f"{len(laws)} laws are given for {records.n} records: give one for all, or one for "
            f"each, such as independent({_even(records)})"
        )
    read = [_law(law, records) for law in laws]
    return Belief.of_records(records, [(Fraction(1), read * (records.n // len(read)))])


def mixture(beliefs: Sequence[Belief], weights: Sequence[object]) -> Belief:
    """Hold one of several beliefs, each with its weight."""
    if not beliefs or len(beliefs) != len(weights):
        raise InvalidInput(f"{len(beliefs)} beliefs need as many weights, {len(weights)} given")
    universe = beliefs[0].universe
    if any(belief.universe != universe for belief in beliefs):
        raise InvalidInput("the beliefs to mix speak of different universes")
    shares = [number(weight, "weight") for weight in weights]
    for weight, share in zip(weights, shares, strict=True):
        if share < 0:
            raise InvalidInput(f"weight={weight} is negative")
    mixed = [*zip(beliefs, shares, strict=True)]
    if all(belief.parts for belief in beliefs):
        parts = [(share * w, laws) for belief, share in mixed for w, laws in belief.parts]
        return Belief.of_records(universe, parts)
    masses: dict[Point, Number] = {}
    for belief, share in mixed:
        for x, mass in belief.items():
            masses[x] = masses.get(x, _ZERO) + share * mass
    return Belief(universe, masses)


def informed(universe: Universe, database: object, person: int, law: object) -> Belief:
    """Know every record but one person's, and hold a law about that one.

    Kasiviswanathan & Smith, Section 2.1, "informed beliefs".
    """
    records = records_of(universe)
    x = records.find(database)
    if not 1 <= person <= records.n:
        raise InvalidInput(f"person={person}: there are {records.n}, counted from 1")
    laws: list[Law] = [{value: Fraction(1)} for value in x]
    laws[person - 1] = _law(law, records)
    return Belief.of_records(records, [(Fraction(1), laws)])


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
        raise InvalidInput(
            f"{given!r}: a law over {records.values} names each value's probability, such as "
            f"{_even(records)}"
        )
    for value, p in law.items():
        if value not in records.values:
            raise InvalidInput(f"{value!r} is not a value of {records.expression}")
        if p < 0 or p > 1:
            raise InvalidInput(f"belief in {value} is {show(p)}: it must lie between 0 and 1")
    if compare(sum(law.values(), start=Fraction(0)), 1) in (Order.LESS, Order.GREATER):
        total = sum(law.values(), start=Fraction(0))
        raise InvalidInput(f"the law of a record sums to {show(total)}, it must sum to 1")
    return {value: p for value, p in law.items() if p != 0}


def _even(records: Records) -> str:
    """Write an example of a law, even odds between two values."""
    if records.values == (1, 0):
        return "1/2"
    share = Fraction(1, len(shown := records.values[:2]))
    return f"[{', '.join(f'{value}={share}' for value in shown)}]"


def _require_one(total: Number) -> None:
    if compare(total, 1) in (Order.LESS, Order.GREATER):
        raise InvalidInput(
            f"the belief sums to {show(total)}, it must sum to 1: divide by the sum first"
        )


def _same(p: Law, q: Law) -> bool:
    return p is q or (
        p.keys() == q.keys() and all(compare(p[v], q[v], limit=64) is Order.EQUAL for v in p)
    )


def law_difference(p: Law, q: Law) -> Number:
    """Return the statistical difference of two laws of a record."""
    gaps = (positive_part(p.get(v, _ZERO) - q.get(v, _ZERO)) for v in dict.fromkeys([*p, *q]))
    return sum(gaps, start=_ZERO)


def _of_products(pairs: Sequence[tuple[Law, Law]]) -> Number:
    """Return the statistical difference of two products, by databases of equal ratio."""
    values = [dict.fromkeys([*p, *q]) for p, q in pairs]
    first, second = (
        [{v: pair[k].get(v, _ZERO) for v in kept} for pair, kept in zip(pairs, values, strict=True)]
        for k in (0, 1)
    )
    classes = by_ratio(first, second).values()
    return sum((positive_part(p - q) for p, q in classes), start=_ZERO)
