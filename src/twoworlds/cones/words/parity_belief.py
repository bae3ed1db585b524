r"""Beliefs about a parity: independent records of two possible values each.

Record i is a_i with probability q_i and b_i otherwise (for bits: yes and no), and what counts is
the parity of the number of a_i among persons J. The *balance* of a belief is P(even) - P(odd): the
product of 1 - 2 q_j over J. After an output of a mechanism with one transition Q per record it is
again a product, over J, of

    (P(o_j, b_j) - P(o_j, a_j)) / (P(o_j, b_j) + P(o_j, a_j)),    P(o, a) = q Q[o, a],

so that the largest and the least balance over all outputs are found record by record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from twoworlds.cones.kernel.vectors import rational
from twoworlds.cones.words.beliefs import Wording, as_records, multiplied
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.numbers import probability
from twoworlds.worlds import Point, Records, Universe
from twoworlds.worlds.belief import Belief, independent

__all__ = ["Extreme", "ParityBelief", "balance_after", "extremes", "listed_chances"]

_MOST_WORK = 1 << 22


@dataclass(frozen=True)
class Extreme:
    """An output with its balance, P(even | output) - P(odd | output)."""

    output: Point
    balance: Fraction


@dataclass(frozen=True)
class ParityBelief:
    """Independent records of two possible values each, and the persons whose parity counts.

    Attributes:
        universe: Of lists of records.
        records: The same, read as lists of records.
        chances: For each record the probability of its first value.
        values: For each record its first value, which is counted, and its second one.
        persons: J, counted from 1.
    """

    universe: Universe
    records: Records
    chances: tuple[Fraction, ...]
    values: tuple[tuple[Point, Point], ...]
    persons: tuple[int, ...]

    @staticmethod
    def read(
        universe: Universe,
        chances: object,
        persons: Sequence[int] | None = None,
        values: Sequence[Sequence[object]] | None = None,
    ) -> ParityBelief:
        """Read one chance for all records or one for each; all persons count unless named.

        >>> from twoworlds import BitStrings
        >>> ParityBelief.read(BitStrings(2), "3/4").prior_even
        Fraction(5, 8)
        """
        records = as_records(universe)
        if records is None:
            raise InvalidInput(
                f"{universe.expression} has no persons to speak of: use bits(n) or "
                "records(values, n)"
            )
        given = listed_chances(chances)
        if len(given) not in (1, records.n):
            raise InvalidInput(f"{len(given)} chances are given for {records.n} records")
        read = [rational(probability(q, "chance"), "chance") for q in given]
        return ParityBelief(
            universe,
            records,
            tuple(read * (records.n // len(read))),
            _pairs(records, values),
            _persons(records, persons),
        )

    @property
    def prior_balance(self) -> Fraction:
        """P(even) - P(odd) before any output."""
        return multiplied(1 - 2 * self.chances[i - 1] for i in self.persons)

    @property
    def prior_even(self) -> Fraction:
        """The probability of an even number before any output."""
        return (1 + self.prior_balance) / 2

    @property
    def laws(self) -> tuple[dict[Point, Fraction], ...]:
        """The law of each record; values held impossible are left out."""
        pairs = zip(self.values, self.chances, strict=True)
        return tuple({v: p for v, p in ((a, q), (b, 1 - q)) if p} for (a, b), q in pairs)

    @property
    def signs(self) -> tuple[dict[Point, int], ...]:
        """-1 for the value that is counted, 1 for the other; 1 for persons who do not count."""
        counted = frozenset(self.persons)
        return tuple(
            {a: -1 if i in counted else 1, b: 1} for i, (a, b) in enumerate(self.values, 1)
        )

    def belief(self) -> Belief:
        """List the belief, for the universes where that is possible."""
        listed = independent(self.records, list(self.laws))
        return Belief(self.universe, {self.point(word): mass for word, mass in listed.items()})

    def point(self, word: tuple[Point, ...]) -> Point:
        """Return the database of the universe with these records."""
        return word if self.universe is self.records else "".join(map(str, word))

    def words(self) -> Iterator[tuple[Point, Fraction, int]]:
        """Run through the databases held possible, with probability and sign."""
        laws, signs = self.laws, self.signs
        for word in product(*laws):
            mass = prod((law[v] for law, v in zip(laws, word, strict=True)), start=Fraction(1))
            sign = prod(of[v] for of, v in zip(signs, word, strict=True))
            yield self.point(word), mass, sign

    def explain(self) -> str:
        """Say the belief in words."""
        laws = [[law.get(v, Fraction(0)) for v in self.records.values] for law in self.laws]
        return Wording(self.records).independent(laws)

    def number_of(self) -> str:
        """Say what is counted, as in "number of yeses among persons 1 and 3"."""
        words = Wording(self.records)
        where = (
            "" if len(self.persons) == self.records.n else f" among {words.persons(self.persons)}"
        )
        counted = {self.values[i - 1][0] for i in self.persons}
        if len(counted) == 1:
            value = next(iter(counted))
            plural = words.bits and str(value) == "1"
            return f"number of {'yeses' if plural else f'records {value}'}{where}"
        events = "; ".join(f"person {i} has {self.values[i - 1][0]}" for i in self.persons)
        return f"number of these events ({events})"


def listed_chances(chances: object) -> list[object]:
    """Read one chance, or a list of them.

    >>> listed_chances("3/4"), listed_chances(["3/4", 1])
    (['3/4'], ['3/4', 1])
    """
    if isinstance(chances, Iterable) and not isinstance(chances, str):
        return list(chances)
    return [chances]


def _pairs(
    records: Records, values: Sequence[Sequence[object]] | None
) -> tuple[tuple[Point, Point], ...]:
    names = {str(value): value for value in records.values}
    if values is None:
        if len(records.values) != 2:
            raise InvalidInput(
                f"parity needs two possible values of each record, {records.expression} has "
                f"{len(records.values)}: give values=, one pair per record"
            )
        a, b = records.values
        if sorted(names) == ["0", "1"]:
            a, b = names["1"], names["0"]
        return ((a, b),) * records.n
    if len(values) not in (1, records.n):
        raise InvalidInput(f"{len(values)} pairs of values are given for {records.n} records")
    read = []
    for pair in values:
        texts = [str(value) for value in pair]
        if len(set(texts)) != 2 or len(texts) != 2 or any(text not in names for text in texts):
            raise InvalidInput(
                f"values={list(pair)!r}: give two different values of a record, "
                f"from {', '.join(names)}"
            )
        read.append((names[texts[0]], names[texts[1]]))
    return tuple(read) * (records.n // len(read))


def _persons(records: Records, persons: Sequence[int] | None) -> tuple[int, ...]:
    if persons is None:
        return tuple(range(1, records.n + 1))
    if not persons:
        raise InvalidInput("persons=[]: name at least one person whose record counts")
    for person in persons:
        if type(person) is not int or not 1 <= person <= records.n:
            raise InvalidInput(f"person={person!r}: there are {records.n}, counted from 1")
    return tuple(sorted(set(persons)))


def balance_after(mechanism: Mechanism, belief: ParityBelief, output: Point) -> Fraction | None:
    """Return P(even | output) - P(odd | output)."""
    if isinstance(mechanism, PerRecord):
        shares = _shares(mechanism, belief)
        found = [of[o] for of, o in zip(shares, output, strict=True) if o in of]
        return multiplied(found) if len(found) == len(output) else None
    total = balance = Fraction(0)
    for database, mass, sign in belief.words():
        likelihood = rational(mechanism.probability(output, database), "P(output | database)")
        total += mass * likelihood
        balance += sign * mass * likelihood
    return balance / total if total else None


def extremes(mechanism: Mechanism, belief: ParityBelief) -> tuple[Extreme, Extreme]:
    """Return the outputs of least and of largest balance; one transition per record by structure.

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=40, keep=3/4)")
    >>> extremes(survey, ParityBelief.read(survey.universe, "3/4", [1, 40]))[1].balance
    Fraction(16, 25)
    """
    if isinstance(mechanism, PerRecord):
        return _product_extremes(mechanism, belief)
    work = prod(len(law) for law in belief.laws) * (mechanism.outputs.size or _MOST_WORK + 1)
    if work > _MOST_WORK:
        raise TooLarge(
            f"{mechanism.expression} would need {_MOST_WORK} and more likelihoods: use fewer "
            "records, or one transition per record"
        )
    found = [
        Extreme(output, balance)
        for output in mechanism.outputs
        if (balance := balance_after(mechanism, belief, output)) is not None
    ]
    return min(found, key=lambda e: e.balance), max(found, key=lambda e: e.balance)


def _shares(mechanism: PerRecord, belief: ParityBelief) -> list[dict[Point, Fraction]]:
    """For each record, the balance of its own parity after each output that it may have."""
    kept: dict[tuple[Any, ...], dict[Point, Fraction]] = {}
    result = []
    for law, signs in zip(belief.laws, belief.signs, strict=True):
        key = (tuple(law.items()), tuple(signs.items()))
        if key not in kept:
            kept[key] = dict(_record_shares(mechanism, law, signs))
        result.append(kept[key])
    return result


def _record_shares(
    mechanism: PerRecord, law: Mapping[Point, Fraction], signs: Mapping[Point, int]
) -> Iterator[tuple[Point, Fraction]]:
    transition = mechanism.transition
    for o in transition.outputs:
        name = f"P({o} | value)"
        masses = {v: p * rational(transition.probability(o, v), name) for v, p in law.items()}
        total = sum(masses.values())
        if total:
            yield o, sum((signs[v] * m for v, m in masses.items()), start=Fraction(0)) / total


def _product_extremes(mechanism: PerRecord, belief: ParityBelief) -> tuple[Extreme, Extreme]:
    """Find the extreme products record by record."""
    shares = _shares(mechanism, belief)
    return _least(shares), _largest(shares)


def _least(shares: Sequence[Mapping[Point, Fraction]]) -> Extreme:
    """Return the least product: the largest one when a record's factors change their signs."""
    negated = {o: -share for o, share in shares[0].items()}
    found = _largest([negated, *shares[1:]])
    return Extreme(found.output, -found.balance)


def _largest(shares: Sequence[Mapping[Point, Fraction]]) -> Extreme:
    """Return the largest product of one factor per record.

    If some product is positive, take from each record the factor of largest size; should the
    product be negative, exchange the one factor whose best rival of the other sign costs least (an
    exchange of three or more costs more). If none is positive, 0 is the largest where it occurs,
    and otherwise no record has factors of both signs, so that the smallest sizes are taken.
    """
    distinct = {id(of): of for of in shares}
    kept = {key: _Choice.of(of) for key, of in distinct.items()}
    choices = [kept[id(of)] for of in shares]
    if all(choice.best is not None for choice in choices):
        picked = [choice.best for choice in choices]
        if sum(choice.negative for choice in choices) % 2:
            place = max(range(len(choices)), key=lambda i: choices[i].kept_by_exchange)
            picked[place] = choices[place].rival
        if None not in picked:
            return _extreme(shares, picked)
    zeros = [i for i, choice in enumerate(choices) if choice.zero is not None]
    if zeros:
        anything = [next(iter(of)) for of in shares]
        anything[zeros[-1]] = choices[zeros[-1]].zero
        return _extreme(shares, anything)
    return _extreme(shares, [choice.smallest for choice in choices])


@dataclass(frozen=True)
class _Choice:
    """What one record may contribute to a product.

    Attributes:
        best: The output of the factor of largest size, None if all are 0.
        negative: Whether that factor is negative.
        rival: The output of the factor of largest size among those of the other sign.
        kept_by_exchange: The share of its size that a product keeps with the rival; -1 without.
        zero: An output of the factor 0.
        smallest: The output of the factor of smallest size.
    """

    best: Point | None
    negative: bool
    rival: Point | None
    kept_by_exchange: Fraction
    zero: Point | None
    smallest: Point

    @staticmethod
    def of(shares: Mapping[Point, Fraction]) -> _Choice:
        """Compare the factors of one record."""
        order = sorted(shares, key=lambda o: -abs(shares[o]))
        best = order[0] if shares[order[0]] else None
        negative = shares[order[0]] < 0
        rivals = [o for o in order if (shares[o] > 0 if negative else shares[o] < 0)]
        rival = rivals[0] if best is not None and rivals else None
        exchanged = Fraction(-1) if rival is None else abs(shares[rival] / shares[order[0]])
        zero = order[-1] if not shares[order[-1]] else None
        return _Choice(best, negative, rival, exchanged, zero, order[-1])


def _extreme(shares: Sequence[Mapping[Point, Fraction]], output: Sequence[Point]) -> Extreme:
    return Extreme(tuple(output), multiplied(of[o] for of, o in zip(shares, output, strict=True)))
