"""Beliefs as calls: ``uniform``, ``independent(3/4, 1/2)``, ``explicit(11=1/2, 00=1/2)``, ...

A belief is about a universe, so it is built for one: ``belief("independent(3/4)", universe)``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from twoworlds.calls import Registry, Text
from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole
from twoworlds.worlds import belief as build
from twoworlds.worlds.belief import Belief
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
    read = dict(_pair(mass, "explicit(11=1/2, 00=1/2)") for mass in masses)
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
    read: dict[object, object] = dict(_pair(p, "hidden(9/10=1/2, 1/10=1/2)") for p in parameters)
    return lambda universe: build.hidden(universe, read)


def _law(text: Text) -> object:
    """Read the law of one record: the probability of 1, or a list such as [a=1/2, b=1/2]."""
    if isinstance(text, list):
        return dict(_pair(part, "[a=1/2, b=1/2]") for part in text)
    return text


def _pair(text: Text, example: str) -> tuple[str, str]:
    key, equals, value = str(text).partition("=")
    if not equals:
        raise InvalidInput(f"{text!r} needs a probability: write {example}")
    return key.strip(), value.strip()
