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
from twoworlds.worlds.assumptions import plain
from twoworlds.worlds.catalogue import statistic
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint, as_law, gathered, law_at, times
from twoworlds.worlds.members import member_part, member_rest, members_of, say_members
from twoworlds.worlds.statistics import STATISTICS
from twoworlds.worlds.universe import Point, Universe

Law = Mapping[Any, Number]


@dataclass(frozen=True)
class Side:
    """What the attacker knows."""

    what: str
    law: Callable[[Point, Hashable], Law]
    hidden: bool = False

    @staticmethod
    def of(function: Callable[[Any], Any], what: str) -> Side:
        """Return the side information computed from the database, possibly at random."""
        return Side(what, lambda x, _: law_at(function, x, what))

    def beside(self, beliefs: BeliefClass) -> BeliefClass:
        """Return the class of attackers who know this, and of their former Z nothing else."""
        self._require_parameter(beliefs)
        told = "the attacker knows" in beliefs.assumption and not self.what
        tail = "" if told else f", and the attacker knows {self.what or 'nothing else'}"
        return beliefs.each(self._joint, f"{beliefs.assumption}{tail}")

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

    def _joint(self, joint: Joint) -> Joint:
        found = gathered(
            (x, z, times(mass, chance))
            for (x, w), mass in joint.masses.items()
            for z, chance in self.law(x, w).items()
        )
        return Joint(found, joint.name)


Builder = Callable[[Universe], Side]
SIDES: Registry[Builder] = Registry("side information")


def side(text: str | Callable[[Any], Any] | Side | None, universe: Universe) -> Side:
    """Build side information about a universe from what one would type, or from a function.

    >>> from twoworlds.worlds.records import BitStrings
    >>> side("known(1, 3)", BitStrings(3)).what
    'the entries of persons 1 and 3'
    """
    if isinstance(text, Side):
        return text
    if text is None:
        return none()(universe)
    if not isinstance(text, str):
        return Side.of(text, f"the value of {getattr(text, '__name__', 'a function')}")
    if is_python(text):
        name = text.strip().rpartition(":")[2]
        return Side.of(load_function(text), f"the value of {name}")
    name = parse(text).name
    if name in SIDES:
        return SIDES.build(text)(universe)
    if name in STATISTICS:
        found = statistic(text, universe)
        return Side.of(found, f"the {found.name}")
    known = [entry.name for registry in (SIDES, STATISTICS) for entry in registry]
    raise UnknownName("side information", name, known)


@SIDES.register("none")
def none() -> Builder:
    """The attacker knows nothing besides the belief."""
    return lambda _: Side("", lambda *_: {NOTHING: Fraction(1)})


@SIDES.register("known")
def known(*members: Text) -> Builder:
    """The attacker knows the entries of these persons, named like 1, 3."""

    def build(universe: Universe) -> Side:
        chosen = members_of(universe, members, "known(1, 3)")
        parts = [member_part(universe, member) for member in chosen]
        what = f"the {say_members(universe, chosen)}"
        if len(parts) == 1:
            return Side.of(parts[0], what)
        return Side.of(lambda x: tuple(part(x) for part in parts), what)

    return build


@SIDES.register("others")
def others(member: Text) -> Builder:
    """The attacker knows everything except this person's entry."""

    def build(universe: Universe) -> Side:
        (chosen,) = members_of(universe, (member,), "others(1)")
        what = f"everything except the {say_members(universe, [chosen])}"
        return Side.of(member_rest(universe, chosen), what)

    return build


@SIDES.register("everything")
def everything() -> Builder:
    """The attacker knows the whole database."""
    return lambda _: Side.of(lambda x: x, "the whole database")


@SIDES.register("size")
def size() -> Builder:
    """The attacker knows how many records the database has."""

    def build(universe: Universe) -> Side:
        if not isinstance(next(iter(universe)), Sized):
            raise InvalidInput(
                f"size: the databases of {universe.expression} are no lists of records, and have "
                "no size that could be known: name a statistic of them"
            )
        return Side.of(len, "the number of records")

    return build


@SIDES.register("parameter")
def parameter() -> Builder:
    """The attacker knows the hidden parameter of the belief."""
    return lambda _: Side("the hidden parameter", lambda _, w: {w: Fraction(1)}, hidden=True)


@SIDES.register("both")
def both(*sides: Text) -> Builder:
    """The attacker knows all of these, such as known(1), parity."""
    if not sides:
        raise InvalidInput("both: write both(known(1), parity)")

    def build(universe: Universe) -> Side:
        parts = [side(str(part), universe) for part in sides]

        def law(x: Point, w: Hashable) -> Law:
            laws = [part.law(x, w).items() for part in parts]
            return {
                tuple(z for z, _ in choice): prod((p for _, p in choice), start=Fraction(1))
                for choice in product(*laws)
            }

        what = " and also ".join(part.what for part in parts if part.what)
        return Side(what, law, any(part.hidden for part in parts))

    return build


@SIDES.register("sometimes")
def sometimes(what: Text, chance: Text) -> Builder:
    """The attacker learns it with this chance, and nothing otherwise."""
    p = probability(chance, "chance")

    def build(universe: Universe) -> Side:
        whole = side(str(what), universe)

        def law(x: Point, w: Hashable) -> Law:
            found = {("learned", z): p * q for z, q in whole.law(x, w).items() if p}
            return {**found, NOTHING: 1 - p} if p != 1 else found

        told = f"with probability {plain(p)} {whole.what}" if whole.what else ""
        return Side(told, law, whole.hidden)

    return build


@SIDES.register("blur")
def blur(what: Text, function: Text) -> Builder:
    """The attacker knows only a function of it, given as python:module:function."""
    if not is_python(function):
        raise InvalidInput(f"blur: {function!r} is no function: write python:module:function")
    change = load_function(str(function))

    def build(universe: Universe) -> Side:
        whole = side(str(what), universe)
        name = str(function).rpartition(":")[2]

        def law(x: Point, w: Hashable) -> Law:
            found: dict[Any, Number] = {}
            for z, p in whole.law(x, w).items():
                for blurred, q in law_at(change, z, f"the function {name}").items():
                    found[blurred] = found.get(blurred, Fraction(0)) + p * q
            return found

        return Side(f"the value of {name} on {whole.what or 'nothing'}", law, whole.hidden)

    return build


@SIDES.register("noisy")
def noisy(what: Text, keep: Text) -> Builder:
    """The attacker hears it true with probability keep, else another value, evenly."""
    p = probability(keep, "keep")

    def build(universe: Universe) -> Side:
        whole = side(str(what), universe)
        if whole.hidden:
            raise InvalidInput(
                "noisy: which values the hidden parameter has is not known from the universe: "
                "use blur(parameter, python:module:function) or sometimes(parameter, 1/4)"
            )
        values = _values(whole, universe)
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

    return build


def _values(whole: Side, universe: Universe) -> tuple[Hashable, ...]:
    """Return all values that side information takes on a universe."""
    universe.positions  # noqa: B018 - refuses a universe too large to list
    return tuple(dict.fromkeys(z for x in universe for z in whole.law(x, NOTHING)))
