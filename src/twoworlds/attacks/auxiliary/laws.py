"""Finite laws of databases, and what matters of them: the utility vector and the breaches.

A law gives each database a probability, a utility vector w (a string of bits: what a useful release
has to tell) and its set of privacy breaches (strings that count as a win for whoever says them):
Dwork's distribution D, with the breach decider C as a table. Databases that agree on w and on the
breaches are one and the same to everybody here, so a `BreachLaw` keeps for each set of breaches the
weights of the vectors, as whole numbers over one total.

A *source* is a law of w alone: the list of the probabilities of all strings of some length, by
their number in binary. By name: uniform, even-weight, weight(2), iid(3/5), binomial(8) and
independent(1/2, 1/3).

CSV files (`read_law`) have a row for each database, with the columns ``utility``, ``breaches`` and
``probability``; ``database`` (its name) and ``size`` may be added. Breaches are strings of bits
separated by blanks or semicolons; a cell may be empty.

A string of n bits is the number that it writes in binary, its first bit being worth 2^(n-1).
Weights are whole numbers over one denominator, so all is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, lcm
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twoworlds.attacks.tables.table import read_lines
from twoworlds.calls import Registry, parse
from twoworlds.errors import InvalidInput, NotStochastic, TooLarge, UnknownName
from twoworlds.numbers import counted, probability, whole

Vector = NDArray[Any]
MOST_BITS = 16
_MOST_ENTRIES = 1 << 23
_MOST_PEOPLE = 10_000
_NEEDED = ("utility", "breaches", "probability")
_KNOWN = ("database", *_NEEDED, "size")


def read_bits(text: object, name: str) -> str:
    """Return a string of zeros and ones, refusing anything else."""
    if not isinstance(text, str) or not text or text.strip("01"):
        raise InvalidInput(f"{name}={text!r} is not a string of bits: write it like '0110'")
    return text


def written_bits(value: int, length: int) -> str:
    """Return a number as so many bits."""
    return format(value, f"0{length}b") if length else ""


def check_bits(length: int, what: str) -> int:
    """Refuse strings of which there are too many to run through."""
    if length > MOST_BITS:
        raise TooLarge(
            f"{what} of {length} bits has 2^{length} values, more than the 2^{MOST_BITS} that "
            "are run through: take a shorter one"
        )
    return length


def integers(weights: Sequence[Fraction]) -> tuple[Vector, int]:
    """Return rationals as whole numbers over their least common denominator."""
    bottom = lcm(*(weight.denominator for weight in weights))
    found = np.empty(len(weights), dtype=object)
    found[:] = [weight.numerator * (bottom // weight.denominator) for weight in weights]
    return found, bottom


class Case(NamedTuple):
    """One database with its probability."""

    database: str  # what it is called
    utility: str  # the vector w, as bits
    breaches: tuple[str, ...]  # the strings of bits that are a breach of it
    probability: Fraction  # of this database
    size: int = 0  # its length, for laws in which that matters (Assumption 2, part 1)


@dataclass(frozen=True, eq=False)
class BreachLaw:
    """A law of utility vector and set of breaches."""

    bits: int  # length of the utility vector
    # By set of breaches: whole weights of the vectors; the sets of a product law share them
    weights: Mapping[tuple[str, ...], Vector]
    total: int  # what all weights sum to
    name: str  # what it is, in words
    cases: tuple[Case, ...] = ()  # the databases one by one, where they are listed

    @property
    def answers(self) -> tuple[str, ...]:
        """All strings that are a breach of some database, shortest first."""
        return _sorted(y for breaches in self.weights for y in breaches)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths that breaches have."""
        return tuple(sorted({len(y) for y in self.answers}))


def _sorted(breaches: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(breaches), key=lambda y: (len(y), y)))


def law_of(cases: Iterable[Case], *, name: str = "the given law") -> BreachLaw:
    """Gather databases into a law.

    >>> half = Fraction(1, 2)
    >>> law = law_of([Case("a", "0", ("1",), half), Case("b", "1", ("1",), half)])
    >>> law.weights[("1",)].tolist(), law.total
    ([1, 1], 2)
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
    _check_total([case.probability for case in listed], "the databases")
    sets = [_sorted(case.breaches) for case in listed]
    numbers, total = integers([case.probability for case in listed])
    if len(set(sets)) << bits > _MOST_ENTRIES:
        raise TooLarge(
            f"{len(set(sets))} sets of breaches times 2^{bits} utility vectors are more than "
            f"{_MOST_ENTRIES} weights: shorten the utility vector"
        )
    weights = {one: np.zeros(1 << bits, dtype=object) for one in dict.fromkeys(sets)}
    for one, case, number in zip(sets, listed, numbers, strict=True):
        weights[one][int(case.utility, 2)] += number
    possible = {one: vector for one, vector in weights.items() if vector.any()}
    return BreachLaw(bits, possible, total, name, listed)


def _check_total(chances: Sequence[Fraction], what: str) -> None:
    if sum(chances) != 1:
        raise NotStochastic(f"the probabilities of {what} sum to {sum(chances)}, not to 1")


def table(
    databases: Mapping[str, object],
    utility: Callable[[str], str],
    breaches: Callable[[str], Iterable[str]],
) -> BreachLaw:
    """Build a law from probabilities of databases and two functions of a database.

    >>> law = table({"00": "1/2", "11": "1/2"}, lambda x: x[:1], lambda x: [x])
    >>> law.answers
    ('00', '11')
    """
    return law_of(
        Case(x, utility(x), tuple(breaches(x)), probability(p, f"probability of {x}"), len(x))
        for x, p in databases.items()
    )


def independent_law(
    weights: Sequence[Fraction], ell: object, *, name: str = "a secret that does not depend on w"
) -> BreachLaw:
    """Return the law of a utility vector and, independent of it, a uniform secret of ell bits."""
    bits, length = len(weights).bit_length() - 1, whole(ell, "ell", at_least=1)
    if len(weights) != 1 << bits or not bits:
        raise InvalidInput(f"a source has 2^bits probabilities, not {len(weights)}")
    if length > 10:
        raise TooLarge(f"ell={length}: secrets of up to 10 bits are run through")
    _check_total(weights, "the source")
    numbers, bottom = integers(weights)
    every = ((written_bits(y, length),) for y in range(1 << length))
    secrets: dict[tuple[str, ...], Vector] = dict.fromkeys(every, numbers)
    return BreachLaw(check_bits(bits, "a utility vector"), secrets, bottom << length, name)


def count_law(people: object, ell: object = 1, *, p: object = "1/2") -> BreachLaw:
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
        raise InvalidInput(f"ell={length} secret bits, but only {counted(n, 'person')}")
    if length > 10 or n > _MOST_PEOPLE:
        raise TooLarge(f"people={n}, ell={length}: take at most 10000 people and 10 secret bits")
    bits = check_bits(n.bit_length(), "the count")
    cases = []
    for first in product((0, 1), repeat=length):
        ones, secret = sum(first), "".join(map(str, first))
        weight = chance**ones * (1 - chance) ** (length - ones)
        for others, likely in enumerate(binomial_law(n - length, chance)):
            if weight * likely:
                vector = written_bits(ones + others, bits)
                cases.append(Case(f"{secret}+{others}", vector, (secret,), weight * likely, n))
    whose = "the bit of the first is" if length == 1 else f"the bits of the first {length} are"
    who = counted(n, "person")
    return law_of(cases, name=f"{who}, the number of ones is published, {whose} secret")


def binomial_law(n: int, p: Fraction) -> list[Fraction]:
    """Return the law of the number of successes in n trials."""
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def flaw_law(ell: object, *, breaches: int = 2) -> BreachLaw:
    """Return the law on which the printed proof of Theorem 1 fails.

    The database is a pair (w, y) of ell bits each, all pairs being equally likely, and both y and
    y + w (bit by bit) are breaches of it; with one breach, y is.

    >>> flaw_law(1).answers
    ('0', '1')
    """
    length = whole(ell, "ell", at_least=1)
    if length > 6:
        raise TooLarge(f"ell={length}: the counterexample is run up to 6 bits")
    size = 1 << length
    cases = []
    for w, y in product(range(size), repeat=2):
        vector, *pair = (written_bits(one, length) for one in (w, y, y ^ w))
        chance = Fraction(1, size * size)
        name = f"({vector}, {pair[0]})"
        cases.append(Case(name, vector, tuple(pair[:breaches]), chance, 2 * length))
    told = "breaches y and y + w" if breaches == 2 else "the breach y"
    return law_of(cases, name=f"pairs (w, y) of {counted(length, 'bit')}, with {told}")


# --- by name --------------------------------------------------------------------------------------

SOURCES: Registry[list[Fraction]] = Registry("source")


def source(text: str, bits: object = None, *, usual: object = 4) -> list[Fraction]:
    """Build a source from its call.

    If ``bits`` is left out, the length is what the source says: as many bits as a binomial count
    needs, or as have a probability. If it says nothing, it is ``usual``.

    >>> [str(p) for p in source("even-weight", 2)], len(source("binomial(8)"))
    (['1/2', '0', '0', '1/2'], 16)
    """
    call = parse(text)
    if call.name == "count":
        raise InvalidInput(
            f"{text!r} is a law of databases with a secret: for the count alone write "
            f"{text.replace('count', 'binomial', 1)!r}"
        )
    own = usual
    if call.positional and call.name == "binomial":
        own = whole(call.positional[0], "n", at_least=1).bit_length()
    elif call.positional and call.name == "independent":
        own = len(call.positional)
    given = whole(own if bits is None else bits, "bits", at_least=1)
    length = check_bits(given, "a utility vector")
    law = SOURCES.build(text, bits=length)
    _check_total(law, text)
    return [*law, *[Fraction(0)] * ((1 << length) - len(law))]


def named_law(text: str, ell: object, *, bits: object = None, usual: object = 4) -> BreachLaw:
    """Return the law of a source with an independent uniform secret, or that of ``count(8)``.

    >>> named_law("count(8)", 1).bits, named_law("uniform", 2, bits=3).bits
    (4, 3)
    """
    call = parse(text)
    if call.name != "count" and call.name not in SOURCES:
        raise UnknownName("source", call.name, ("count", *(entry.name for entry in SOURCES)))
    if call.name != "count":
        weights = source(text, bits, usual=usual)
        length, secret = len(weights).bit_length() - 1, whole(ell, "ell", at_least=1)
        held = f"w from {text} on {counted(length, 'bit')}"
        name = f"{held}, and an independent uniform secret of {counted(secret, 'bit')}"
        return independent_law(weights, secret, name=name)
    if bits is not None:
        raise InvalidInput("count(...) has as many bits as it needs: leave bits out")
    if not 1 <= len(call.positional) <= 2 or call.named:
        raise InvalidInput(f"{text!r}: write count(8), or count(8, 1/3) if ones are rarer")
    return count_law(call.positional[0], ell, p=(*call.positional, "1/2")[1])


@SOURCES.register("uniform")
def uniform(*, bits: int) -> list[Fraction]:
    """All strings, equally likely."""
    return [Fraction(1, 1 << bits)] * (1 << bits)


@SOURCES.register("even-weight")
def even_weight(*, bits: int) -> list[Fraction]:
    """The strings with an even number of ones, equally likely."""
    return [Fraction((w.bit_count() + 1) % 2, 1 << bits - 1) for w in range(1 << bits)]


@SOURCES.register("weight")
def weight(most: object, *, bits: int) -> list[Fraction]:
    """The strings with at most so many ones, equally likely."""
    limit = whole(most, "most")
    if limit > bits:
        raise InvalidInput(
            f"weight({limit}) is at most {limit} ones, and {counted(bits, 'bit')} have at most "
            f"{bits}: take weight({bits}), or more bits with --bits"
        )
    share = Fraction(1, sum(comb(bits, ones) for ones in range(limit + 1)))
    return [share * (w.bit_count() <= limit) for w in range(1 << bits)]


@SOURCES.register("iid")
def iid(p: object, *, bits: int) -> list[Fraction]:
    """Independent bits, each 1 with probability p."""
    return independent(*[probability(p, "p")] * bits, bits=bits)


@SOURCES.register("independent")
def independent(*chances: object, bits: int) -> list[Fraction]:
    """Independent bits, each with its own probability of being 1."""
    if len(chances) != bits:
        raise InvalidInput(
            f"independent(...) has {counted(len(chances), 'probability')} for "
            f"{counted(bits, 'bit')}: give one for each bit, or --bits {len(chances)}"
        )
    law = [Fraction(1)]
    for text in chances:
        one = probability(text)
        law = [chance * side for chance in law for side in (1 - one, one)]
    return law


@SOURCES.register("binomial")
def binomial(n: object, p: object = "1/2", *, bits: int) -> list[Fraction]:
    """The number of successes in n trials, in binary."""
    trials = whole(n, "n", at_least=1)
    if trials >> bits:
        raise InvalidInput(
            f"a count up to {trials} needs {counted(trials.bit_length(), 'bit')}, not {bits}: "
            "leave --bits out"
        )
    return binomial_law(trials, probability(p, "p"))


# --- from files -----------------------------------------------------------------------------------


def read_law(path: Path) -> BreachLaw:
    """Read a law of databases from a CSV file."""
    head, *rows = read_lines(path, str(path)) or [[]]
    for i, row in enumerate(rows, 1):
        if len(row) != len(head):
            raise InvalidInput(f"{path}: row {i} has another number of cells than the header")
    cases = (
        _case(dict(zip(head, row, strict=True)), f"{path}, row {i}", i)
        for i, row in enumerate(rows, 1)
    )
    return law_of(cases, name=str(path))


def _case(row: Mapping[str, str], where: str, number: int) -> Case:
    cells = {name.strip().lower(): value.strip() for name, value in row.items()}
    for name in cells:
        if name not in _KNOWN:
            raise InvalidInput(f"{where}: unknown column {name!r}; known: {', '.join(_KNOWN)}")
    for name in _NEEDED:
        if name not in cells:
            raise InvalidInput(f"{where}: the column {name!r} is missing")
    breaches = cells["breaches"].replace(";", " ").split()
    try:
        return Case(
            str(cells.get("database") or number),
            read_bits(cells["utility"], "utility"),
            tuple(read_bits(breach, "breach") for breach in breaches),
            probability(cells["probability"]),
            whole(cells.get("size") or 0, "size"),
        )
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
