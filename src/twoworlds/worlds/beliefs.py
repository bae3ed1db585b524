"""Beliefs as calls, ``uniform``, ``independent(3/4, 1/2)``, ..., and what each assumes in words.

A belief is about a universe, so it is built for one: ``belief("independent(3/4)", universe)``.
The words can follow "if".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from twoworlds.calls import Call, Registry, Text, parse
from twoworlds.errors import InvalidInput
from twoworlds.numbers import exact_text, number, show, whole
from twoworlds.worlds import belief as build
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.records import Records
from twoworlds.worlds.universe import Universe

Builder = Callable[[Universe], Belief]
BELIEFS: Registry[Builder] = Registry("belief")


def belief(text: str | Belief, universe: Universe) -> Belief:
    """Build a belief about a universe from what one would type.

    >>> from twoworlds.worlds.records import BitStrings
    >>> belief("independent(3/4, 1/2)", BitStrings(2))["11"]
    Fraction(3, 8)
    """
    if isinstance(text, Belief):
        if text.universe != universe:
            raise InvalidInput(
                f"the belief is about {text.universe.expression}, not {universe.expression}"
            )
        return text
    return BELIEFS.build(text)(universe)


@BELIEFS.register("uniform")
def uniform() -> Builder:
    """Every database is equally likely."""
    return build.uniform


@BELIEFS.register("independent")
def independent(*laws: Text) -> Builder:
    """Records are independent; for bits give each one's probability of 1, or one for all."""
    if not laws:
        raise InvalidInput("independent needs at least one law, such as independent(3/4)")
    read = [_law(law) for law in laws]
    return lambda universe: build.independent(universe, read)


@BELIEFS.register("explicit")
def explicit(*masses: Text) -> Builder:
    """These databases have these probabilities, such as 11=1/2 and 00=1/2."""
    read = dict(read_pairs(masses, "explicit(11=1/2, 00=1/2)"))
    if len(read) != len(masses):
        raise InvalidInput("explicit: a database is given twice")
    return lambda universe: build.explicit(universe, read)


@BELIEFS.register("mixture")
def mixture(*beliefs: Text, weights: Text | None = None) -> Builder:
    """One of several beliefs, with weights such as [1/3, 2/3] (equal if left out)."""
    if not beliefs or isinstance(weights, str):
        raise InvalidInput("mixture: write mixture(independent(9/10), uniform, weights=[1/2, 1/2])")
    shares: list[object] = list(weights) if weights else [Fraction(1, len(beliefs))] * len(beliefs)
    return lambda universe: build.mixture([belief(str(b), universe) for b in beliefs], shares)


@BELIEFS.register("informed")
def informed(database: Text, person: Text, law: Text) -> Builder:
    """All records are known but one person's, about whom a law is held."""
    number = whole(person, "person", at_least=1)
    read = _law(law)
    return lambda universe: build.informed(universe, str(database), number, read)


@BELIEFS.register("hidden")
def hidden(*parameters: Text) -> Builder:
    """Bits are independent given a hidden probability of 1, such as 9/10=1/2 and 1/10=1/2."""
    read: dict[object, object] = dict(read_pairs(parameters, "hidden(9/10=1/2, 1/10=1/2)"))
    return lambda universe: build.hidden(universe, read)


def _law(text: Text) -> object:
    """Read the law of one record: the probability of 1, or a list such as [a=1/2, b=1/2]."""
    if isinstance(text, list):
        return dict(read_pairs(text, "[a=1/2, b=1/2]"))
    if "=" in text:
        raise InvalidInput(f"{text}: write a law in brackets, such as independent([0=1/2, 1=1/2])")
    return text


# --- What a belief assumes, in words --------------------------------------------------------------


_SHOWN = 4
_SHORT = 24
_LISTED = 12
_INFORMED = ("database", "person", "law")


def entries(universe: Universe) -> str:
    """Name what a database consists of.

    >>> from twoworlds.worlds.records import BitStrings
    >>> entries(BitStrings(3)), entries(BitStrings(1))
    ('the 3 bits are', 'the bit is')
    """
    noun = "bit" if _bits(universe) else "record"
    if not isinstance(universe, Records):
        return "the records are"
    return f"the {universe.n} {noun}s are" if universe.n != 1 else f"the {noun} is"


def plain(value: object) -> str:
    """Write a number exactly where that is short, else as a decimal.

    >>> plain("0.25"), plain("ln 3")
    ('1/4', 'ln 3')
    """
    read = number(value, "probability")
    text = exact_text(read)
    return text if text is not None and len(text) <= _SHORT else show(read)


def alternatives(parts: Sequence[tuple[object, object]]) -> str:
    """Say the values that something may have, with their probabilities."""
    if len(parts) == 1 and number(parts[0][1]) == 1:
        return f"{str(parts[0][0]).strip()} for certain"
    said = [f"{str(value).strip()} with probability {plain(mass)}" for value, mass in parts]
    if len(said) > _SHOWN:
        return f"{', '.join(said[:_SHOWN])}, or one of {len(said) - _SHOWN} others"
    return " or ".join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else "".join(said)


def say_law(law: object) -> str:
    """Say the law of one record: the probability of 1, or each value's."""
    if isinstance(law, Mapping):
        return alternatives(list(law.items()))
    if isinstance(law, list):
        return alternatives(read_pairs(law, "[a=1/2, b=1/2]"))
    return f"1 with probability {plain(law)}"


def either(assumptions: Sequence[str]) -> str:
    """Say that one of several assumptions holds, nobody knows which.

    >>> either(["the coin is fair", "the coin is loaded"])
    'either the coin is fair, or the coin is loaded'
    """
    shown = [*dict.fromkeys(assumptions)]
    if len(shown) == 1:
        return shown[0]
    more = len(shown) - _SHOWN
    tail = [f"one of {more} further beliefs holds"] if more > 0 else []
    return f"either {', or '.join([*shown[:_SHOWN], *tail])}"


def say_population(people: Sequence[object], values: Sequence[object]) -> str:
    """Name a population with its values."""
    numbered = list(people) == list(range(1, len(people) + 1))
    said = [f"{v}" if numbered else f"{p}: {v}" for p, v in zip(people, values, strict=True)]
    shown = ", ".join(said[:_LISTED]) + (", ..." if len(said) > _LISTED else "")
    return (
        f"{len(people)} people with the values {shown}"
        if numbered
        else (f"{len(people)} people ({shown})")
    )


def read_pairs(texts: Sequence[Any], example: str) -> list[tuple[str, str]]:
    """Read a list of texts ``value=probability``."""
    found = []
    for text in texts:
        value, equals, mass = str(text).partition("=")
        if not equals or isinstance(text, list):
            raise InvalidInput(f"{text!r} needs a probability: write {example}")
        found.append((value.strip(), mass.strip()))
    return found


def say_belief(text: str, universe: Universe) -> str:
    """Say what a belief's call assumes.

    >>> from twoworlds.worlds.records import BitStrings
    >>> say_belief("uniform", BitStrings(3))
    'the 3 bits are fair and independent'
    >>> say_belief("independent(1/3)", BitStrings(2))
    'the 2 bits are independent, each 1 with probability 1/3'
    """
    call = parse(text)
    say = _WORDS.get(call.name)
    return say(call, universe) if say is not None else f"the belief is {text.strip()}"


def _uniform(_: Call, universe: Universe) -> str:
    if not isinstance(universe, Records) or not universe.fixed:
        return f"all {universe.size} databases are equally likely"
    if _bits(universe):
        return f"{entries(universe)} {'fair and independent' if universe.n != 1 else 'fair'}"
    values = ", ".join(map(str, universe.values))
    apart = "independent, each uniform" if universe.n != 1 else "uniform"
    return f"{entries(universe)} {apart} on {values}"


def _independent(call: Call, universe: Universe) -> str:
    laws = call.positional
    if len(laws) == 1:
        return f"{entries(universe)} independent, each {say_law(laws[0])}"
    shown = "; ".join(f"record {i} is {say_law(law)}" for i, law in enumerate(laws[:_SHOWN], 1))
    more = f"; and so on for {len(laws)} records" if len(laws) > _SHOWN else ""
    return f"{entries(universe)} independent: {shown}{more}"


def _explicit(call: Call, _: Universe) -> str:
    return f"the database is {alternatives(_pairs(call))}"


def _hidden(call: Call, universe: Universe) -> str:
    return (
        f"{entries(universe)} independent given a hidden chance of 1, "
        f"which is {alternatives(_pairs(call))}"
    )


def _mixture(call: Call, universe: Universe) -> str:
    said = [say_belief(str(part), universe) for part in call.positional]
    weights = call.named.get("weights") or [f"1/{len(said)}"] * len(said)
    shares = zip(said, weights, strict=True)
    return "; or ".join(f"with probability {plain(weight)} {one}" for one, weight in shares)


def _informed(call: Call, _: Universe) -> str:
    given = {**dict(zip(_INFORMED, call.positional, strict=False)), **call.named}
    database, person, law = (given[name] for name in _INFORMED)
    return (
        f"everything but person {person}'s record is known to be as in {database}, "
        f"and that record is {say_law(law)}"
    )


def _random_edges(call: Call, universe: Universe) -> str:
    from twoworlds.worlds.graphs import Graphs

    (chance,) = (*call.positional, *call.named.values())
    edges = f"each pair of nodes is joined with probability {plain(chance)}, independently"
    if not isinstance(universe, Graphs) or len(universe.labels) == 1:
        return edges
    labels = ", ".join(map(str, universe.labels))
    return f"{edges}, and each node's label is one of {labels}, all equally likely, independently"


_WORDS: dict[str, Callable[[Call, Universe], str]] = {
    "uniform": _uniform,
    "independent": _independent,
    "explicit": _explicit,
    "hidden": _hidden,
    "mixture": _mixture,
    "informed": _informed,
    "random-edges": _random_edges,
}


def _pairs(call: Call) -> list[tuple[str, Text]]:
    return [*read_pairs(call.positional, "11=1/2"), *call.named.items()]


def _bits(universe: Universe) -> bool:
    return isinstance(universe, Records) and universe.values == (1, 0)
