"""Who is in a database: the persons of a universe, their entries, and the databases without them.

For lists of records the persons are the positions 1, 2, ..., all of them present in every database;
the labels of an explicit universe are read as such lists where they are of one length.
For samples of a population (`twoworlds.worlds.samples`) and for graphs (`twoworlds.worlds.graphs`)
they are named, and a universe answers for itself through `HasMembers`: who a person is does not
depend on who else was sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole
from twoworlds.worlds.catalogue import read_values
from twoworlds.worlds.records import Records
from twoworlds.worlds.universe import Explicit, Universe


@runtime_checkable
class HasMembers(Protocol):
    """A universe whose databases speak of named persons.

    Attributes:
        noun: what a member is called, such as "person".
        entry: what the database says of one, and of several.
        shows_missing: whether a database without a member shows who is missing.
    """

    noun: ClassVar[str]
    entry: ClassVar[tuple[str, str]]
    shows_missing: ClassVar[bool]

    @property
    def members(self) -> tuple[Hashable, ...]:
        """The names."""

    def part(self, database: Any, member: Hashable) -> Hashable:
        """Return what the database says of a person."""

    def without(self, database: Any, member: Hashable) -> Hashable:
        """Return the database without the person."""


def members_of(
    universe: Universe, chosen: Sequence[object] | None = None, example: str = "persons(1, 3)"
) -> tuple[Hashable, ...]:
    """Return the persons chosen, or all of them."""
    everyone = _everyone(universe)
    if chosen is None:
        return everyone
    names = {str(member): member for member in everyone}
    found: list[Hashable] = []
    for given in chosen:
        if str(given).strip() not in names:
            raise InvalidInput(
                f"{given!r} is no {noun_of(universe)} of {universe.expression}: "
                f"{_range(everyone)}; write {example}"
            )
        member = names[str(given).strip()]
        if member in found:
            raise InvalidInput(f"{noun_of(universe)} {member} is named twice: write {example}")
        found.append(member)
    if not found:
        raise InvalidInput(f"no person is named: write {example}")
    return tuple(found)


def read_names(given: Text | int, what: str) -> tuple[Hashable, ...]:
    """Read a list of names, or how many there are (then 1, 2, ...)."""
    if isinstance(given, list):
        found = read_values(given)
        return tuple(found) if isinstance(found, list) else ()
    return tuple(range(1, whole(given, what, at_least=1) + 1))


def member_part(universe: Universe, member: Hashable) -> Callable[[Any], Hashable]:
    """Return the function from a database to a person's entry."""
    if isinstance(universe, HasMembers):
        return lambda x: universe.part(x, member)
    position, word = int(str(member)) - 1, _word(universe)
    return lambda x: word(x)[position]


def member_rest(universe: Universe, member: Hashable) -> Callable[[Any], Hashable]:
    """Return the function from a database to the database without a person."""
    if isinstance(universe, HasMembers):
        return lambda x: universe.without(x, member)
    position, word = int(str(member)) - 1, _word(universe)
    return lambda x: (*word(x)[:position], *word(x)[position + 1 :])


def noun_of(universe: Universe) -> str:
    """Return what a member is called: person or node."""
    return universe.noun if isinstance(universe, HasMembers) else "person"


def say_members(universe: Universe, chosen: Sequence[Hashable]) -> str:
    """Name the entries of persons in words."""
    noun, names = noun_of(universe), [str(member) for member in chosen]
    one, many = universe.entry if isinstance(universe, HasMembers) else ("entry", "entries")
    if len(names) == 1:
        return f"{one} of {noun} {names[0]}"
    return f"{many} of {noun}s {', '.join(names[:-1])} and {names[-1]}"


def _word(universe: Universe) -> Callable[[Any], Any]:
    """Return the function from a database to its list of records."""
    return universe._words.__getitem__ if isinstance(universe, Explicit) else lambda x: x


def _everyone(universe: Universe) -> tuple[Hashable, ...]:
    if isinstance(universe, HasMembers):
        return universe.members
    if isinstance(universe, Records) and universe.fixed and universe.n:
        return tuple(range(1, universe.n + 1))
    if isinstance(universe, Records):
        raise InvalidInput(
            f"{universe.expression} has databases of several sizes, so that nobody is in all of "
            "them: use samples(members, values), where persons have names"
        )
    if isinstance(universe, Explicit):
        sizes = {len(word) for word in universe._words.values()}
        if len(sizes) == 1 and sizes != {0}:
            return tuple(range(1, sizes.pop() + 1))
    raise InvalidInput(
        f"{universe.expression} has no persons to speak of: use bits(n), records(values, n), "
        "samples(members, values) or graphs(n), or give functions of your own"
    )


def _range(everyone: tuple[Hashable, ...]) -> str:
    if everyone == tuple(range(1, len(everyone) + 1)):
        return f"there are {len(everyone)}, counted from 1"
    shown = ", ".join(str(member) for member in everyone[:8])
    return f"there are {shown}{', ...' if len(everyone) > 8 else ''}"
