"""Side information as calls: ``known(1, 3)``, ``parity``, ``noisy(known(1), 3/4)``, ...

A `Side` says what the attacker knows besides the belief: a random function of the database x and of
the hidden parameter w of a belief that has one (`parameter`). A statistic's call is the side
information of who knows its value; ``python:module:function`` is a function of the database, whose
value may be a mapping, a law.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sized
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from twoworlds.calls import Registry, Text, is_python, load_function, parse
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import Number, probability
from twoworlds.worlds.beliefs import plain
from twoworlds.worlds.catalogue import statistic
from twoworlds.worlds.joint import NOTHING, BeliefClass, as_law, law_at
from twoworlds.worlds.statistic import Additive
from twoworlds.worlds.statistics import STATISTICS, Constant
from twoworlds.worlds.universe import Point, Universe

Law = Mapping[Any, Number]


@dataclass(frozen=True)
class Side:
    """What the attacker knows.

    ``alike`` if it is the same whatever the order of the people, ``blind`` if it is the same
    whatever the database.
    """

    what: str
    law: Callable[[Point, Hashable], Law]
    hidden: bool = False
    alike: bool = False
    blind: bool = False

    @staticmethod
    def of(function: Callable[[Any], Any], what: str, *, alike: bool = False) -> Side:
        """Return the side information computed from the database, possibly at random."""
        return Side(what, lambda x, _: law_at(function, x, what), alike=alike)

    def beside(self, beliefs: BeliefClass) -> BeliefClass:
        """Return the class of attackers who know this, and of their former Z nothing else."""
        self._require_parameter(beliefs)
        told = "the attacker knows" in beliefs.assumption and not self.what
        tail = "" if told else f", and the attacker knows {self.what or 'nothing else'}"
        return beliefs.each(
            lambda joint: joint.telling(self.law, alike=self.alike, blind=self.blind),
            f"{beliefs.assumption}{tail}",
        )

    def added_to(self, beliefs: BeliefClass) -> BeliefClass:
        """Return the class of attackers who know this as well as their former Z.

        What looks at a hidden parameter takes the former Z for it.
        """
        if self.hidden or all(member.sides.keys() == {NOTHING} for member in beliefs):
            return self.beside(beliefs)
        if not self.what:
            return beliefs
        kept = Side(
            f"{self.what} as well",
            lambda x, w: {(w, z): p for z, p in self.law(x, w).items()},
        )
        return kept.beside(beliefs)

    def _require_parameter(self, beliefs: BeliefClass) -> None:
        if self.hidden and any(NOTHING in member.sides for member in beliefs):
            raise InvalidInput(
                "the belief has no hidden parameter that could be known: use one that has, such "
                "as hidden(9/10=1/2, 1/10=1/2) or hidden-law([a=9/10, b=1/10], [a=1/10, b=9/10])"
            )


SIDES: Registry[Side] = Registry("side information")


def side(text: str | Callable[[Any], Any] | Side | None, universe: Universe) -> Side:
    """Build side information about a universe from what one would type, or from a function.

    >>> from twoworlds.worlds.records import BitStrings
    >>> side("known(1, 3)", BitStrings(3)).what
    'the entries of persons 1 and 3'
    """
    if isinstance(text, Side):
        return text
    if text is None:
        return none()
    if not isinstance(text, str):
        return Side.of(text, f"the value of {getattr(text, '__name__', 'a function')}")
    if is_python(text):
        name = text.strip().rpartition(":")[2]
        return Side.of(load_function(text), f"the value of {name}")
    name = parse(text).name
    if name in SIDES:
        return SIDES.build(text, of=universe)
    if name in STATISTICS:
        found = statistic(text, universe)
        alike = isinstance(found, (Additive, Constant))
        return Side.of(found, f"the {found.name}", alike=alike)
    known = [entry.name for registry in (SIDES, STATISTICS) for entry in registry]
    raise UnknownName("side information", name, known)


@SIDES.register("none")
def none() -> Side:
    """The attacker knows nothing besides the belief."""
    return Side("", lambda *_: {NOTHING: Fraction(1)}, blind=True)


@SIDES.register("known")
def known(*members: Text, of: Universe) -> Side:
    """The attacker knows the entries of these persons, named like 1, 3."""
    chosen = of.chosen(members, "known(1, 3)")
    what = f"the {of.say_members(chosen)}"
    if len(chosen) == 1:
        return Side.of(lambda x: of.part(x, chosen[0]), what)
    return Side.of(lambda x: tuple(of.part(x, member) for member in chosen), what)


@SIDES.register("others")
def others(member: Text, *, of: Universe) -> Side:
    """The attacker knows everything except this person's entry."""
    (chosen,) = of.chosen((member,), "others(1)")
    what = f"everything except the {of.say_members([chosen])}"
    return Side.of(lambda x: of.without(x, chosen), what)


@SIDES.register("everything")
def everything() -> Side:
    """The attacker knows the whole database."""
    return Side.of(lambda x: x, "the whole database")


@SIDES.register("size")
def size(*, of: Universe) -> Side:
    """The attacker knows how many records the database has."""
    if not isinstance(next(iter(of)), Sized):
        raise InvalidInput(
            f"size: the databases of {of.expression} are no lists of records, and have "
            "no size that could be known: name a statistic of them"
        )
    return Side.of(len, "the number of records")


@SIDES.register("parameter")
def parameter() -> Side:
    """The attacker knows the hidden parameter of the belief."""
    return Side("the hidden parameter", lambda _, w: {w: Fraction(1)}, hidden=True, blind=True)


@SIDES.register("both")
def both(*sides: Text, of: Universe) -> Side:
    """The attacker knows all of these, such as known(1), parity."""
    if not sides:
        raise InvalidInput("both: write both(known(1), parity)")
    parts = [side(str(part), of) for part in sides]

    def law(x: Point, w: Hashable) -> Law:
        laws = [part.law(x, w).items() for part in parts]
        return {
            tuple(z for z, _ in choice): prod((p for _, p in choice), start=Fraction(1))
            for choice in product(*laws)
        }

    what = " and also ".join(part.what for part in parts if part.what)
    return Side(what, law, any(part.hidden for part in parts))


@SIDES.register("sometimes")
def sometimes(what: Text, chance: Text, *, of: Universe) -> Side:
    """The attacker learns it with this chance, and nothing otherwise."""
    p, whole = probability(chance, "chance"), side(str(what), of)

    def law(x: Point, w: Hashable) -> Law:
        found = {("learned", z): p * q for z, q in whole.law(x, w).items() if p}
        return {**found, NOTHING: 1 - p} if p != 1 else found

    told = f"with probability {plain(p)} {whole.what}" if whole.what else ""
    return Side(told, law, whole.hidden)


@SIDES.register("blur")
def blur(what: Text, function: Text, *, of: Universe) -> Side:
    """The attacker knows only a function of it, given as python:module:function."""
    if not is_python(function):
        raise InvalidInput(f"blur: {function!r} is not a function: write python:module:function")
    change, whole = load_function(str(function)), side(str(what), of)
    name = str(function).rpartition(":")[2]

    def law(x: Point, w: Hashable) -> Law:
        found: dict[Any, Number] = {}
        for z, p in whole.law(x, w).items():
            for blurred, q in law_at(change, z, f"the function {name}").items():
                found[blurred] = found.get(blurred, Fraction(0)) + p * q
        return found

    return Side(f"the value of {name} on {whole.what or 'nothing'}", law, whole.hidden)


@SIDES.register("noisy")
def noisy(what: Text, keep: Text, *, of: Universe) -> Side:
    """The attacker hears it true with probability keep, else another value, evenly."""
    p, whole = probability(keep, "keep"), side(str(what), of)
    if whole.hidden:
        raise InvalidInput(
            "noisy: which values the hidden parameter has is not known from the universe: "
            "use blur(parameter, python:module:function) or sometimes(parameter, 1/4)"
        )
    _ = of.positions  # refuses a universe too large to list
    values = tuple(dict.fromkeys(z for x in of for z in whole.law(x, NOTHING)))
    true = p if len(values) > 1 else Fraction(1)
    other = (1 - true) / max(1, len(values) - 1)

    def law(x: Point, w: Hashable) -> Law:
        found: dict[Any, Number] = dict.fromkeys(values, Fraction(0))
        for z, q in whole.law(x, w).items():
            for heard in values:
                found[heard] += q * (true if heard == z else other)
        return as_law(found)

    heard = f"as heard: true with probability {plain(p)}, else one of the other values, evenly"
    return Side(f"{whole.what}, {heard}" if whole.what else "", law)
