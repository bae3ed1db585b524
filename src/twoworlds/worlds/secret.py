"""Secrets: events in the universe, the statements about a database that an attacker bets on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.worlds.records import Records
from twoworlds.worlds.universe import Point, Universe


@dataclass(frozen=True)
class Secret:
    """A set of databases, by the rule that decides membership.

    ``entry`` is the person and the value where the secret is about one record, ``odd`` the parity
    of the number of ones where it is about that.
    """

    name: str
    holds: Callable[[Any], bool]
    entry: tuple[int, Point] | None = None
    odd: bool | None = None

    def opposite(self) -> Secret:
        """Return the secret that is true when this one is not."""
        return Secret(f"not {self.name}", lambda x: not self.holds(x))

    @staticmethod
    def of(universe: Universe, databases: Iterable[object]) -> Secret:
        """Return the secret that the true database is one of these."""
        listed = dict.fromkeys(universe.find(x) for x in databases)  # in the order given
        shown = " or ".join(universe.label(x) for x in listed)
        return Secret(f"the database is {shown}", listed.__contains__)

    @staticmethod
    def record(universe: Universe, person: int, value: object) -> Secret:
        """Return the secret that a person's record has a value; persons count from 1."""
        if not isinstance(universe, Records) or not universe.fixed:
            raise InvalidInput(
                f"{universe.expression} has no persons to speak of: name databases instead"
            )
        names = {str(v): v for v in universe.values}
        if not 1 <= person <= universe.n:
            raise InvalidInput(f"person={person}: there are {universe.n}, counted from 1")
        if str(value) not in names:
            known = ", ".join(names)
            raise InvalidInput(f"{value!r} is not a value of a record: the values are {known}")
        wanted = names[str(value)]
        name, about = f"record {person} is {value}", (person, wanted)
        return Secret(name, lambda x: bool(x[person - 1] == wanted), entry=about)

    @staticmethod
    def parity(universe: Universe, *, odd: bool = True) -> Secret:
        """Return the secret that the number of ones is odd (or even)."""
        if not isinstance(universe, Records) or not set(universe.values) <= {0, 1}:
            raise InvalidInput(f"parity needs bits, {universe.expression} has other records")
        name = "parity is odd" if odd else "parity is even"
        return Secret(name, lambda x: sum(x) % 2 == odd, odd=odd)


def secret(text: str, universe: Universe) -> Secret:
    """Read a secret: ``parity``, ``odd``, ``even``, ``1=1`` (a record), or databases ``11,00``.

    >>> from twoworlds.worlds.records import BitStrings
    >>> secret("2=1", BitStrings(3)).holds((0, 1, 0))
    True
    """
    body = text.strip()
    if body in ("parity", "odd", "even"):
        return Secret.parity(universe, odd=body != "even")
    person, equals, value = body.partition("=")
    if equals and person.strip().removeprefix("record").strip().isdigit():
        number = int(person.strip().removeprefix("record").strip())
        return Secret.record(universe, number, value.strip())
    listed: list[Point] = []
    labels = [universe.label(x) for x in universe] if (universe.size or 1 << 20) <= 1024 else []
    mark = ";" if ";" in body or any("," in label for label in labels) else ","
    for label in [body] if body in labels else body.split(mark):
        try:
            listed.append(universe.find(label.strip()))
        except InvalidInput as error:
            raise InvalidInput(
                f"{text!r} is no secret: write parity, 1=value for record 1, or databases; {error}"
            ) from None
    return Secret.of(universe, listed)
