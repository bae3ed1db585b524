"""Classes of beliefs as calls: ``[uniform, independent(1/3)]``, ``iid(1/3, 2/3)``, ``sample(...)``.

Any belief of `twoworlds.worlds.beliefs` is a class of one. A class is built for a universe, and
what the attacker knows is given beside it (`twoworlds.worlds.sides`). The hidden parameter of
``hidden(...)`` and ``hidden-law(...)`` is side information, which an attacker has only whose side
information is ``parameter``. That matters: what is private against those who do not know it can
fail against those who do, and for noiseless privacy the other way round as well (Bassily, Groce,
Katz & Smith, Section II-E).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from twoworlds.calls import Registry, Text, is_python, parse
from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import whole
from twoworlds.worlds.belief import LARGEST_SUPPORT, Belief, independent, records_of
from twoworlds.worlds.beliefs import (
    BELIEFS,
    alternatives,
    belief,
    either,
    entries,
    plain,
    read_pairs,
    say_belief,
    say_law,
    say_population,
)
from twoworlds.worlds.catalogue import load_for
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.samples import Samples, sampling, sizes_after_discard, sizes_at_rate
from twoworlds.worlds.sides import Side
from twoworlds.worlds.sides import side as build_side
from twoworlds.worlds.universe import Universe

CLASSES: Registry[BeliefClass] = Registry("class of beliefs")

Given = str | Belief | Joint | BeliefClass
Knowledge = str | Callable[[Any], Any] | Side


def belief_class(
    text: Given | Sequence[Given],
    universe: Universe,
    side: Knowledge | None = None,
    *,
    hull: bool = False,
) -> BeliefClass:
    """Build a class of beliefs about a universe and side information.

    Args:
        text: a belief's or a class's call, several of them, or objects, also as
            ``python:module:name`` (an object, or a function from the universe to one). Side
            information that a `Joint` already has is kept, and ``side`` is known besides.
        universe: what the databases are.
        side: what the attacker knows; a call or a function of the database.
        hull: whether all mixtures belong as well (Theorem 4).

    >>> from twoworlds.worlds.records import BitStrings
    >>> found = belief_class("[uniform, independent(1/3)]", BitStrings(2), side="known(1)")
    >>> len(found), found.members[1].sides[1]
    (2, Fraction(1, 3))
    >>> belief_class("uniform", BitStrings(2), side="known(1)").assumption
    'the 2 bits are fair and independent, and the attacker knows the entry of person 1'
    """
    if isinstance(text, str) and is_python(text):
        text = load_for(text, universe)
    found = _read(text, universe)
    if not _has_objects(text):
        found = build_side(side, universe).beside(found)
    elif side is not None:
        found = build_side(side, universe).added_to(found)
    return found.with_mixtures() if hull and not found.hull else found


def _has_objects(text: object) -> bool:
    """Tell whether there are joint laws among what is given, whose side information is kept."""
    if isinstance(text, (str, Belief)):
        return False
    if isinstance(text, Sequence):
        return any(_has_objects(part) for part in text)
    return True


def _read(text: Given | Sequence[Given], universe: Universe) -> BeliefClass:
    """Return the class, with hidden parameters for side information."""
    if isinstance(text, BeliefClass):
        return text
    if isinstance(text, Joint):
        return BeliefClass((text,), f"the belief is {text.name or repr(text)}")
    if isinstance(text, Belief):
        found = belief(text, universe)
        return BeliefClass((Joint.of(found),), _say(found))
    if not isinstance(text, str):
        if not isinstance(text, Iterable):
            raise InvalidInput(f"{text!r} (type {type(text).__name__}) is not a belief: name one")
        return _union([_read(part, universe) for part in text])
    if is_python(text):
        raise InvalidInput(f"{text!r} stands in a list: let the Python function return the list")
    if text.strip().startswith("[") and text.strip().endswith("]"):
        return CLASSES.build(f"list({text.strip()[1:-1]})", of=universe)
    name = parse(text).name
    if name in CLASSES:
        return CLASSES.build(text, of=universe)
    if name not in BELIEFS:
        known = [entry.name for registry in (CLASSES, BELIEFS) for entry in registry]
        raise UnknownName("belief or class of beliefs", name, known)
    read = belief(text, universe)
    joint = _hidden(read) if name == "hidden" else Joint.of(read)
    joint.name = text.strip()
    return BeliefClass((joint,), say_belief(text, universe))


def _hidden(found: Belief) -> Joint:
    """Return the belief with a hidden chance of 1, which is the side information."""
    records = records_of(found.universe)
    alone = [(w, Belief.of_records(records, [(Fraction(1), laws)])) for w, laws in found.parts]
    return Joint.of_beliefs([(w, part, part.marginal(1)[1]) for w, part in alone])


def _say(found: Belief) -> str:
    """Say what a belief assumes that is given as an object."""
    if found.listable:
        masses = [(found.universe.label(x), mass) for x, mass in found.items()]
        return f"the database is {alternatives(masses)}"
    common = found.common_laws
    if common is None:
        return f"{entries(found.universe)} independent, each with a law of its own"
    said = [f"with probability {plain(w)} each is {say_law(law)}" for w, law in common]
    if len(said) == 1:
        return f"{entries(found.universe)} independent, each {say_law(common[0][1])}"
    return f"{entries(found.universe)} independent given a hidden law: {'; or '.join(said)}"


def _union(parts: Sequence[BeliefClass]) -> BeliefClass:
    """Return the class of all members of several classes."""
    if not parts:
        raise InvalidInput("the class of beliefs is empty: name at least one belief")
    if any(part.hull for part in parts) and len(parts) > 1:
        raise InvalidInput(
            "a list of classes some of which hold all their mixtures is not itself one of "
            "mixtures: put hull(...) around the whole list"
        )
    members = tuple(member for part in parts for member in part)
    return BeliefClass(members, either([part.assumption for part in parts]), parts[0].hull)


@CLASSES.register("list")
def listed(*beliefs: Text, of: Universe) -> BeliefClass:
    """One of these beliefs or classes, nobody says which; short: [uniform, independent(1/3)]."""
    flat = [one for part in beliefs for one in (part if isinstance(part, list) else [part])]
    return _union([_read(str(one), of) for one in flat])


@CLASSES.register("hull")
def hull(*beliefs: Text, of: Universe) -> BeliefClass:
    """Any mixture of these beliefs or classes (Theorem 4)."""
    return listed(*beliefs, of=of).with_mixtures()


@CLASSES.register("all-known")
def all_known(*, of: Universe) -> BeliefClass:
    """The attacker knows the whole database, whichever it is: all point beliefs."""
    _refuse_large(of.size, 1, f"{of.expression} has too many databases")
    members = tuple(Joint.of({x: Fraction(1)}, name=of.label(x)) for x in of)
    return BeliefClass(members, "the attacker knows the whole database")


@CLASSES.register("product")
def product_family(*laws: object, of: Universe) -> BeliefClass:
    """Records are independent, each with one of these laws: all combinations.

    >>> from twoworlds.worlds.records import BitStrings
    >>> len(product_family("1/3", "1/2", of=BitStrings(3)))
    8
    """
    n, chosen = records_of(of).n, _laws(laws)
    _refuse_large(len(chosen) ** n, of.size, f"{len(chosen)} laws for each of {n} records")
    members = tuple(_independent(of, choice) for choice in product(chosen, repeat=n))
    said = ", or ".join(map(say_law, chosen))
    return BeliefClass(members, f"{entries(of)} independent, each {said}")


@CLASSES.register("iid")
def identical_family(*laws: object, of: Universe) -> BeliefClass:
    """Records are independent with the same law, one of these, fixed but unknown.

    >>> from twoworlds.worlds.records import BitStrings
    >>> identical_family("9/10", "1/10", of=BitStrings(2)).assumption
    'the 2 bits are independent, all 1 with probability 9/10, or all 1 with probability 1/10'
    """
    chosen = _laws(laws)
    members = tuple(_independent(of, [law]) for law in chosen)
    said = ", or ".join(f"all {say_law(law)}" for law in chosen)
    return BeliefClass(members, f"{entries(of)} independent, {said}")


@CLASSES.register("hidden-law")
def hidden_law(
    *laws: object,
    weights: Sequence[object] | None = None,
    names: Sequence[Hashable] | None = None,
    of: Universe,
) -> BeliefClass:
    """Records are independent given one of these laws, which is drawn by the weights.

    The side information is which law it is: its name, or else its number from 1.

    >>> from twoworlds.worlds.records import Records
    >>> laws = {1: "9/10", -1: "1/10"}, {1: "1/10", -1: "9/10"}
    >>> hidden_law(*laws, of=Records((1, -1), 2)).members[0].given(1)[1, 1]
    Fraction(81, 100)
    """
    if isinstance(weights, str) or isinstance(names, str):
        raise InvalidInput("hidden-law: give weights and names as lists, such as [1/3, 2/3]")
    chosen = _laws(laws)
    shares = list(weights) if weights else [Fraction(1, len(chosen))] * len(chosen)
    called = list(names) if names else list(range(1, len(chosen) + 1))
    if len(shares) != len(chosen) or len(set(called)) != len(chosen) or len(called) != len(chosen):
        raise InvalidInput(
            f"{len(chosen)} laws need as many weights and different names, "
            f"{len(shares)} weights and the names {', '.join(map(str, called))} are given"
        )
    drawn = [
        (share, independent(of, [law]), name)
        for share, law, name in zip(shares, chosen, called, strict=True)
    ]
    said = "; or ".join(
        f"with probability {plain(share)} each is {say_law(law)}"
        for law, share in zip(chosen, shares, strict=True)
    )
    mixed = Joint.of_beliefs(drawn, "hidden law")
    return BeliefClass((mixed,), f"{entries(of)} independent given a hidden law: {said}")


@CLASSES.register("draws")
def draws(population: Sequence[object], *, of: Universe) -> BeliefClass:
    """Records are drawn independently, with replacement, from a population's values: [1, 1, 0].

    That is the limit of samples from ever larger populations in which each value keeps its share.
    """
    values = _population(population)
    if not values:
        raise InvalidInput("the population is empty: give each person's value")
    texts = [str(value).strip() for value in values]
    law = {value: Fraction(texts.count(value), len(texts)) for value in dict.fromkeys(texts)}
    joint = Joint.of(independent(of, [law]), name="draws")
    return BeliefClass(
        (joint,),
        f"{entries(of)} independent draws, with replacement, from a population of "
        f"{len(values)}, so that each is {alternatives(list(law.items()))}",
    )


@CLASSES.register("sample")
def sample(
    population: Sequence[object],
    rate: Text | None = None,
    fixed: Text | None = None,
    discard: Text | None = None,
    sizes: Text | None = None,
    *,
    of: Universe,
) -> BeliefClass:
    """A random sample of a population's values: at a rate, of a fixed size, or by sizes' law."""
    values = _population(population)
    law, words = _size_law(len(values), rate, fixed, discard, sizes)
    if not isinstance(of, Samples):
        raise InvalidInput(
            f"sample needs people with names, {of.expression} has none: use the universe "
            "samples(members, values), or draws(...) for draws with replacement"
        )
    joint = Joint.of(sampling(of, values, law), name="sample")
    people = say_population(of.people, values)
    return BeliefClass((joint,), f"the database is a random sample of {people}, {words}")


def _size_law(
    people: int,
    rate: Text | None,
    fixed: Text | None,
    discard: Text | None,
    sizes: Text | None,
) -> tuple[Mapping[int, object], str]:
    """Return the law of the sample size, and what it is in words."""
    if [rate, fixed, sizes].count(None) != 2:
        raise InvalidInput(
            "sample needs one of rate=1/2, fixed=3 and sizes=[2=1/2, 3=1/2] "
            "(Poisson sizes have no finite list: use the `noiseless` histogram)"
        )
    if discard is not None and fixed is None:
        raise InvalidInput(
            "discard goes with a fixed number: write fixed=3, discard=[0=1/2, 1=1/2]"
        )
    if rate is not None:
        words = f"each person sampled independently with probability {plain(rate)}"
        return sizes_at_rate(people, rate), words
    if sizes is not None:
        law = _integers(sizes, "sizes=[2=1/2, 3=1/2]")
        said = alternatives(list(law.items()))
        return law, f"all samples of a size equally likely, of size {said}"
    drawn = whole(fixed, "fixed")
    if discard is None:
        return {drawn: 1}, f"all samples of {drawn} people equally likely"
    law = _integers(discard, "discard=[0=1/2, 1=1/2]")
    said = alternatives(list(law.items()))
    return (
        sizes_after_discard(drawn, law),
        f"{drawn} people drawn evenly and of these as many discarded evenly as is secret: {said}",
    )


def _integers(text: Text, example: str) -> dict[int, str]:
    if isinstance(text, str):
        raise InvalidInput(f"{text!r} is not a law of a whole number: write {example}")
    pairs = read_pairs(text, example)
    law = {whole(value, "size"): mass for value, mass in pairs}
    if len(law) != len(pairs):
        raise InvalidInput(f"{example.partition('=')[0]}: a number is given twice")
    return law


def _population(text: Sequence[object]) -> list[object]:
    if isinstance(text, str):
        raise InvalidInput(f"population={text}: give each person's value, such as [1, 1, 0]")
    return list(text)


def _laws(laws: Sequence[object]) -> list[object]:
    """Read laws of a record: the probability of 1, or a list such as [a=1/2, b=1/2]."""
    if not laws:
        raise InvalidInput("the family is empty: name at least one law of a record, such as 1/3")
    return [
        dict(read_pairs(law, "[a=1/2, b=1/2]")) if isinstance(law, list) else law for law in laws
    ]


def _independent(universe: Universe, laws: Sequence[object]) -> Joint:
    texts = (
        f"[{', '.join(f'{value}={plain(mass)}' for value, mass in law.items())}]"
        if isinstance(law, Mapping)
        else plain(law)
        for law in laws
    )
    return Joint.of(independent(universe, laws), name=f"independent({', '.join(texts)})")


def _refuse_large(members: int | None, databases: int | None, what: str) -> None:
    if members is None or databases is None or members * databases > LARGEST_SUPPORT:
        raise TooLarge(
            f"{what}: more than {LARGEST_SUPPORT} databases in all the beliefs of the class; "
            "use fewer people or laws, or a `noiseless` release, which works by structure"
        )
