"""Laws of the utility vector by name: uniform, even-weight, iid(3/5), binomial(8), explicit(...).

A source is the list of the probabilities of all strings of some length, by their number in binary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from twoworlds.attacks.auxiliary.bits import check_bits, counted, read_bits
from twoworlds.attacks.auxiliary.laws import binomial as binomial_law
from twoworlds.calls import Registry
from twoworlds.errors import InvalidInput, NotStochastic
from twoworlds.numbers import Number, ln, probability, whole

__all__ = ["SOURCES", "min_entropy", "source"]

SOURCES: Registry[list[Fraction]] = Registry("source")


def source(text: str, bits: object) -> list[Fraction]:
    """Build a source from its call.

    >>> [str(p) for p in source("even-weight", 2)]
    ['1/2', '0', '0', '1/2']
    """
    return SOURCES.build(text, bits=bits)


def min_entropy(largest: Fraction) -> Number:
    """Return -log2 of the largest probability: exact for powers of two, else an enclosure.

    >>> min_entropy(Fraction(1, 8)), min_entropy(Fraction(35, 128))
    (Fraction(3, 1), Real(ln(128/35)/(ln 2)))
    """
    if not 0 < largest <= 1:
        raise InvalidInput(f"{largest} is not the largest probability of a law")
    power = largest.denominator.bit_length() - 1
    if largest.numerator == 1 and largest.denominator == 1 << power:
        return Fraction(power)
    return ln(1 / largest) / ln(Fraction(2))


@SOURCES.register("uniform")
def uniform(bits: object) -> list[Fraction]:
    """All strings, equally likely."""
    k = _bits(bits)
    return [Fraction(1, 1 << k)] * (1 << k)


@SOURCES.register("even-weight")
def even_weight(bits: object) -> list[Fraction]:
    """The strings with an even number of ones, equally likely."""
    k = _bits(bits)
    each = Fraction(1, 1 << k - 1)
    return [Fraction(0) if w.bit_count() % 2 else each for w in range(1 << k)]


@SOURCES.register("weight")
def weight(most: object, *, bits: object) -> list[Fraction]:
    """The strings with at most so many ones, equally likely."""
    k, limit = _bits(bits), whole(most, "most")
    if limit > k:
        raise InvalidInput(
            f"weight({limit}) is at most {limit} ones, and {counted(k, 'bit')} have at most {k}: "
            f"take weight({k}), or more bits with --bits"
        )
    chosen = [w.bit_count() <= limit for w in range(1 << k)]
    return [Fraction(one, sum(chosen)) for one in chosen]


@SOURCES.register("iid")
def iid(p: object, *, bits: object) -> list[Fraction]:
    """Independent bits, each 1 with probability p."""
    k, one = _bits(bits), probability(p, "p")
    by_weight = [one**i * (1 - one) ** (k - i) for i in range(k + 1)]
    return [by_weight[w.bit_count()] for w in range(1 << k)]


@SOURCES.register("independent")
def independent(*chances: object, bits: object) -> list[Fraction]:
    """Independent bits, each with its own probability of being 1."""
    k = _bits(bits)
    if len(chances) != k:
        raise InvalidInput(
            f"independent(...) has {counted(len(chances), 'probability', 'probabilities')} for "
            f"{counted(k, 'bit')}: give one for each bit, or --bits {len(chances)}"
        )
    law = [Fraction(1)]
    for text in chances:
        one = probability(text)
        law = [chance * side for chance in law for side in (1 - one, one)]
    return law


@SOURCES.register("binomial")
def binomial(n: object, p: object = "1/2", *, bits: object) -> list[Fraction]:
    """The number of successes in n trials, in binary."""
    k, trials = _bits(bits), whole(n, "n", at_least=1)
    if trials >> k:
        raise InvalidInput(
            f"a count up to {trials} needs {counted(trials.bit_length(), 'bit')}, not {k}: leave "
            "--bits out"
        )
    return padded(binomial_law(trials, probability(p, "p")), k)


@SOURCES.register("first")
def first(count: object, *, bits: object) -> list[Fraction]:
    """The first so many strings in binary order, equally likely."""
    k, chosen = _bits(bits), whole(count, "count", at_least=1)
    if chosen > 1 << k:
        raise InvalidInput(
            f"first({chosen}): there are only {1 << k} strings of {counted(k, 'bit')}; "
            "take more bits with --bits"
        )
    return padded([Fraction(1, chosen)] * chosen, k)


@SOURCES.register("explicit")
def explicit(*pairs: object, bits: object) -> list[Fraction]:
    """Strings with their probabilities, each written as 01=1/2."""
    k = _bits(bits)
    law: Counter[int] = Counter()
    for pair in pairs:
        string, equals, chance = str(pair).partition("=")
        length = len(read_bits(string.strip(), "string")) if equals else 0
        if length == 0:
            raise InvalidInput(f"{pair!r}: write a string of bits with its probability, 01=1/2")
        if length != k:
            raise InvalidInput(
                f"{pair!r} is a string of {counted(length, 'bit')}, and w has {k}: give --bits "
                f"{length}, or strings of {counted(k, 'bit')}"
            )
        law[int(string, 2)] += probability(chance.strip(), string)  # type: ignore[assignment]
    if sum(law.values()) != 1:
        raise NotStochastic(f"the probabilities of explicit(...) sum to {sum(law.values())}, not 1")
    return [Fraction(law[w]) for w in range(1 << k)]


def padded(law: Sequence[Fraction], bits: int) -> list[Fraction]:
    """Return a law with zeros up to all strings of so many bits."""
    return [*law, *[Fraction(0)] * ((1 << bits) - len(law))]


def _bits(bits: object) -> int:
    return check_bits(whole(bits, "bits", at_least=1), "a utility vector")
