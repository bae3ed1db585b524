"""Finite laws of databases, and what matters of them: the utility vector and the breaches.

A law gives each database a probability, a utility vector w (a string of bits: what a useful release
has to tell) and its set of privacy breaches (strings that count as a win for whoever says them):
Dwork's distribution D, with the breach decider C as a table. Databases that agree on w and on the
breaches are one and the same to everybody here, so a `Law` keeps for each set of breaches the
weights of the vectors, as whole numbers over one total.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from twoworlds.attacks.auxiliary.bits import (
    Vector,
    check_bits,
    counted,
    integers,
    read_bits,
    written_bits,
)
from twoworlds.errors import InvalidInput, NotStochastic, TooLarge
from twoworlds.numbers import probability, whole

__all__ = ["Case", "Group", "Law", "count_law", "flaw_law", "independent_law", "law_of", "table"]

_MOST_ENTRIES = 1 << 23
_MOST_DATABASES = 1 << 18


@dataclass(frozen=True)
class Case:
    """One database with its probability.

    Attributes:
        database: What it is called.
        utility: The vector w, as bits.
        breaches: The strings of bits that are a breach of it.
        probability: Of this database.
        size: Its length, for laws in which that matters (Assumption 2, part 1).
    """

    database: str
    utility: str
    breaches: tuple[str, ...]
    probability: Fraction
    size: int = 0


@dataclass(frozen=True, eq=False)
class Group:
    """The databases with one set of breaches.

    Attributes:
        breaches: That set, sorted.
        factor: The weight of w is ``factor * weights[w]``.
        weights: Whole numbers; groups of a product law share them.
    """

    breaches: tuple[str, ...]
    factor: int
    weights: Vector


@dataclass(frozen=True, eq=False)
class Law:
    """A law of utility vector and set of breaches.

    Attributes:
        bits: Length of the utility vector.
        groups: By set of breaches.
        total: What all weights sum to.
        name: What it is, in words.
        cases: The databases one by one, where they are listed.
    """

    bits: int
    groups: tuple[Group, ...]
    total: int
    name: str
    cases: tuple[Case, ...] = ()

    @property
    def answers(self) -> tuple[str, ...]:
        """All strings that are a breach of some database, shortest first."""
        every = {y for group in self.groups for y in group.breaches}
        return tuple(sorted(every, key=lambda y: (len(y), y)))

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths that breaches have."""
        return tuple(sorted({len(y) for y in self.answers}))


def law_of(cases: Iterable[Case], *, name: str = "the given law") -> Law:
    """Gather databases into a law.

    >>> half = Fraction(1, 2)
    >>> law = law_of([Case("a", "0", ("1",), half), Case("b", "1", ("1",), half)])
    >>> [(group.breaches, group.weights.tolist()) for group in law.groups], law.total
    ([(('1',), [1, 1])], 2)
    """
    listed = tuple(cases)
    if not listed:
        raise InvalidInput("a law needs at least one database")
    bits = check_bits(len(listed[0].utility), "a utility vector")
    for case in listed:
        if len(read_bits(case.utility, "utility")) != bits:
            raise InvalidInput(
                f"database {case.database}: its utility vector {case.utility} must have "
                f"{counted(bits, 'bit')}, as that of the first has"
            )
        for breach in case.breaches:
            read_bits(breach, "breach")
        probability(case.probability)
    mass = sum(case.probability for case in listed)
    if mass != 1:
        raise NotStochastic(f"the probabilities of the databases sum to {mass}, not to 1")
    sets = [tuple(sorted(set(case.breaches), key=lambda y: (len(y), y))) for case in listed]
    numbers, total = integers([case.probability for case in listed])
    if len(set(sets)) << bits > _MOST_ENTRIES:
        raise TooLarge(
            f"{len(set(sets))} sets of breaches times 2^{bits} utility vectors are more than "
            f"{_MOST_ENTRIES} weights: shorten the utility vector"
        )
    weights = {one: np.zeros(1 << bits, dtype=object) for one in dict.fromkeys(sets)}
    for one, case, number in zip(sets, listed, numbers, strict=True):
        weights[one][int(case.utility, 2)] += number
    groups = tuple(Group(one, 1, vector) for one, vector in weights.items() if vector.any())
    return Law(bits, groups, total, name, listed)


def table(
    databases: Mapping[str, object],
    utility: Callable[[str], str],
    breaches: Callable[[str], Iterable[str]],
    *,
    name: str = "the given law",
) -> Law:
    """Build a law from probabilities of databases and two functions of a database.

    >>> law = table({"00": "1/2", "11": "1/2"}, lambda x: x[:1], lambda x: [x])
    >>> law.answers
    ('00', '11')
    """
    return law_of(
        (
            Case(x, utility(x), tuple(breaches(x)), probability(p, f"probability of {x}"), len(x))
            for x, p in databases.items()
        ),
        name=name,
    )


def independent_law(
    source: Sequence[Fraction],
    secrets: Mapping[tuple[str, ...], Fraction],
    *,
    name: str = "a secret that does not depend on w",
) -> Law:
    """Return the law of a utility vector and, independent of it, a set of breaches.

    Args:
        source: The probability of each vector, by its number in binary.
        secrets: The probability of each set of breaches.
        name: What to call it.
    """
    bits = len(source).bit_length() - 1
    if len(source) != 1 << bits or not bits:
        raise InvalidInput(f"a source has 2^bits probabilities, not {len(source)}")
    check_bits(bits, "a utility vector")
    for what, chances in (("source", source), ("secrets", list(secrets.values()))):
        if sum(chances) != 1 or any(chance < 0 for chance in chances):
            raise NotStochastic(f"the probabilities of the {what} sum to {sum(chances)}, not to 1")
    weights, bottom = integers(source)
    factors, other = integers(list(secrets.values()))
    groups = tuple(
        Group(tuple(sorted(set(one))), int(factor), weights)
        for one, factor in zip(secrets, factors, strict=True)
        if factor
    )
    return Law(bits, groups, bottom * other, name)


def uniform_secret(ell: object) -> dict[tuple[str, ...], Fraction]:
    """Return the secrets of so many bits, all equally likely, each the only breach.

    >>> uniform_secret(1)
    {('0',): Fraction(1, 2), ('1',): Fraction(1, 2)}
    """
    length = whole(ell, "ell", at_least=1)
    if length > 10:
        raise TooLarge(f"ell={length}: secrets of up to 10 bits are run through")
    return {(written_bits(y, length),): Fraction(1, 1 << length) for y in range(1 << length)}


def count_law(people: object, ell: object = 1, *, p: object = "1/2") -> Law:
    """Return the law in which the count of ones is published, and the first bits are a secret.

    A database holds one bit of each person, 1 with probability p; the utility vector is the number
    of ones in binary, and the breach is the bits of the first ``ell`` people.

    >>> law = count_law(8)
    >>> law.bits, law.answers
    (4, ('0', '1'))
    """
    n, length = whole(people, "people", at_least=1), whole(ell, "ell", at_least=1)
    chance = probability(p, "p")
    if length > n:
        raise InvalidInput(f"ell={length} secret bits, but only {counted(n, 'person', 'people')}")
    if 1 << length > _MOST_DATABASES or n > 10_000:
        raise TooLarge(f"people={n}, ell={length}: take at most 10000 people and 10 secret bits")
    bits = check_bits(n.bit_length(), "the count")
    rest = binomial(n - length, chance)
    cases = []
    for first in product((0, 1), repeat=length):
        ones = sum(first)
        weight = chance**ones * (1 - chance) ** (length - ones)
        secret = "".join(map(str, first))
        for others, likely in enumerate(rest):
            if weight * likely:
                vector = written_bits(ones + others, bits)
                cases.append(Case(f"{secret}+{others}", vector, (secret,), weight * likely, n))
    whose = "the bit of the first is" if length == 1 else f"the bits of the first {length} are"
    who = counted(n, "person", "people")
    what = f"{who}, the number of ones is published, {whose} secret"
    return law_of(cases, name=what)


def binomial(n: int, p: Fraction) -> list[Fraction]:
    """Return the law of the number of successes in n trials.

    >>> [str(x) for x in binomial(2, Fraction(1, 3))]
    ['4/9', '4/9', '1/9']
    """
    law = [Fraction(1)]
    for _ in range(n):
        law = [
            (1 - p) * stay + p * come
            for stay, come in zip([*law, Fraction(0)], [Fraction(0), *law], strict=True)
        ]
    return law


def flaw_law(ell: object) -> Law:
    """Return the law on which the printed proof of Theorem 1 fails.

    The database is a pair (w, y) of ell bits each, all pairs being equally likely, and both y and
    y + w (bit by bit) are breaches of it.

    >>> flaw_law(1).answers
    ('0', '1')
    """
    length = whole(ell, "ell", at_least=1)
    if length > 6:
        raise TooLarge(f"ell={length}: the counterexample is run up to 6 bits")
    size = 1 << length
    chance = Fraction(1, size * size)
    cases = []
    for w, y in product(range(size), repeat=2):
        pair = tuple(written_bits(breach, length) for breach in (y, y ^ w))
        vector = written_bits(w, length)
        cases.append(Case(f"({vector}, {pair[0]})", vector, pair, chance, 2 * length))
    return law_of(
        cases, name=f"pairs (w, y) of {counted(length, 'bit')}, with breaches y and y + w"
    )
