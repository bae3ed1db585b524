"""Families of beliefs about lists of records: which laws the records may have.

    family             what is assumed                                         members
    all_known          the attacker knows the database (point beliefs)         one for each database
    product_family     independent records, each with one of several laws      all combinations
    identical_family   independent records with one of several laws, the       one for each law
                       same for all: fixed but unknown
    hidden_law         as before, but the law is random with known weights     one; Z = which law
    draws              independent draws, with replacement, from a population  one

The parameter of `hidden_law` is held as side information; `Joint.knowing_less` takes it away. That
matters: what is private against those who do not know it can fail against those who do, and for
noiseless privacy the other way round as well (Bassily, Groce, Katz & Smith, Section II-E).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.worlds.assumptions import alternatives, entries, plain, say_law
from twoworlds.worlds.belief import LARGEST_SUPPORT, independent, records_of
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.universe import Universe

Law = object
"""The law of a record: a mapping from values to probabilities or, for bits, that of 1."""


def all_known(universe: Universe) -> BeliefClass:
    """Return the point beliefs: every database, held for certain.

    >>> from twoworlds.worlds.records import BitStrings
    >>> len(all_known(BitStrings(3)))
    8
    """
    _refuse_large(universe.size, 1, f"{universe.expression} has too many databases")
    members = tuple(Joint.of({x: Fraction(1)}, name=universe.label(x)) for x in universe)
    return BeliefClass(members, "the attacker knows the whole database")


def product_family(universe: Universe, laws: Sequence[Law]) -> BeliefClass:
    """Return all beliefs of independent records, each with one of these laws.

    >>> from twoworlds.worlds.records import BitStrings
    >>> len(product_family(BitStrings(3), ["1/3", "1/2"]))
    8
    """
    n, chosen = records_of(universe).n, _laws(laws)
    _refuse_large(len(chosen) ** n, universe.size, f"{len(chosen)} laws for each of {n} records")
    members = tuple(_independent(universe, choice) for choice in product(chosen, repeat=n))
    said = _one_of([say_law(law) for law in chosen])
    return BeliefClass(members, f"{entries(universe)} independent, each {said}")


def identical_family(universe: Universe, laws: Sequence[Law]) -> BeliefClass:
    """Return the beliefs of independent records with one common law, fixed but unknown.

    >>> from twoworlds.worlds.records import BitStrings
    >>> identical_family(BitStrings(2), ["9/10", "1/10"]).assumption
    'the 2 bits are independent, all 1 with probability 9/10, or all 1 with probability 1/10'
    """
    chosen = _laws(laws)
    _refuse_large(len(chosen), universe.size, f"{len(chosen)} laws")
    members = tuple(_independent(universe, [law]) for law in chosen)
    said = _one_of([f"all {say_law(law)}" for law in chosen])
    return BeliefClass(members, f"{entries(universe)} independent, {said}")


def hidden_law(
    universe: Universe,
    laws: Sequence[Law],
    weights: Sequence[object] | None = None,
    names: Sequence[Hashable] | None = None,
) -> BeliefClass:
    """Return the belief of independent records with a common law that is itself random.

    The side information is which law it is: its name, or else its number from 1.

    >>> from twoworlds.worlds.records import Records
    >>> signs = Records((1, -1), 2)
    >>> found = hidden_law(signs, [{1: "9/10", -1: "1/10"}, {1: "1/10", -1: "9/10"}])
    >>> found.members[0].given(1)[1, 1]
    Fraction(81, 100)
    """
    chosen = _laws(laws)
    shares = list(weights) if weights else [Fraction(1, len(chosen))] * len(chosen)
    called = list(names) if names else list(range(1, len(chosen) + 1))
    if len(shares) != len(chosen) or len(set(called)) != len(chosen) or len(called) != len(chosen):
        raise InvalidInput(
            f"{len(chosen)} laws need as many weights and different names, "
            f"{len(shares)} weights and the names {', '.join(map(str, called))} are given"
        )
    _refuse_large(len(chosen), universe.size, f"{len(chosen)} laws")
    parts = [
        Joint.of(independent(universe, [law]), _always(name))
        for law, name in zip(chosen, called, strict=True)
    ]
    mixed = Joint.mixture(parts, shares, "hidden law")
    said = "; or ".join(
        f"with probability {plain(share)} each is {say_law(law)}"
        for law, share in zip(chosen, shares, strict=True)
    )
    return BeliefClass((mixed,), f"{entries(universe)} independent given a hidden law: {said}")


def draws(universe: Universe, population: Sequence[object]) -> BeliefClass:
    """Return the belief of independent draws, with replacement, from a population's values.

    That is the limit of samples from ever larger populations in which each value keeps its share.

    >>> from twoworlds.worlds.records import BitStrings
    >>> draws(BitStrings(2), [1, 1, 0]).members[0].given("nothing")[1, 0]
    Fraction(2, 9)
    """
    if not population:
        raise InvalidInput("the population is empty: give each person's value")
    counts: dict[str, int] = {}
    for value in population:
        counts[str(value).strip()] = counts.get(str(value).strip(), 0) + 1
    law = {value: Fraction(count, len(population)) for value, count in counts.items()}
    joint = Joint.of(independent(universe, [law]), name="draws")
    said = alternatives(list(law.items()))
    return BeliefClass(
        (joint,),
        f"{entries(universe)} independent draws, with replacement, from a population of "
        f"{len(population)}, so that each is {said}",
    )


def _laws(laws: Sequence[Law]) -> list[Law]:
    if not laws:
        raise InvalidInput("the family is empty: name at least one law of a record, such as 1/3")
    return list(laws)


def _independent(universe: Universe, laws: Sequence[Law]) -> Joint:
    return Joint.of(independent(universe, laws), name=f"independent({_shown(laws)})")


def _shown(laws: Sequence[Law]) -> str:
    return ", ".join(_law_text(law) for law in laws)


def _law_text(law: Law) -> str:
    if isinstance(law, Mapping):
        return f"[{', '.join(f'{value}={plain(mass)}' for value, mass in law.items())}]"
    return plain(law)


def _always(name: Hashable) -> Any:
    return lambda _: name


def _one_of(said: Sequence[str]) -> str:
    return ", or ".join(said)


def _refuse_large(members: int | None, databases: int | None, what: str) -> None:
    if members is None or databases is None or members * databases > LARGEST_SUPPORT:
        raise TooLarge(
            f"{what}: more than {LARGEST_SUPPORT} databases in all the beliefs of the class; "
            "use fewer people or laws, or a `noiseless` release, which works by structure"
        )
