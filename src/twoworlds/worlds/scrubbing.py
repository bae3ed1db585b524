"""What is private and what is scrubbed: the pairs (alt, priv) of coupled worlds.

A `Scrub` names one private part of the database (priv) and the scrubbed database that the ideal
world is given instead (alt), which may be random. A guarantee speaks of a list of them, the Gamma
of Bassily, Groce, Katz & Smith, Section II-C. Builders: `persons`; more in `scrubs`.

Whether the scrubbed database carries the index of the person who was taken out is a choice:
Definition 3 as printed gives the simulator x_-i alone; with ``tagged`` it gets (i, x_-i), which can
only help it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, whole
from twoworlds.worlds.joint import as_law
from twoworlds.worlds.universe import Point

__all__ = ["Scrub", "Tagged", "persons"]


@dataclass(frozen=True)
class Tagged:
    """A scrubbed database together with the name of whom it is scrubbed of."""

    tag: Hashable
    database: Point

    def __str__(self) -> str:
        """Show both."""
        from twoworlds.worlds.joint import plain_label

        return f"{plain_label(self.database)} without {self.tag}"


@dataclass(frozen=True)
class Scrub:
    """One pair (alt, priv).

    Attributes:
        name: whose privacy it is, such as "person 1".
        private: priv, a function of the database.
        scrubbed: alt, a function of the database; its value may be a mapping, a law.
    """

    name: str
    private: Callable[[Any], Hashable]
    scrubbed: Callable[[Any], Any]

    def law(self, database: Point) -> Mapping[Hashable, Number]:
        """Return the law of the scrubbed database."""
        return as_law(self.scrubbed(database))


def persons(n: object, *, tagged: bool = False) -> tuple[Scrub, ...]:
    """Return one pair for each of n persons: priv is their record, alt the list without it.

    >>> first, second = persons(2)
    >>> first.private(("a", "b")), first.scrubbed(("a", "b")), second.scrubbed(("a", "b"))
    ('a', ('b',), ('a',))
    """
    count = whole(n, "persons", at_least=1)
    return tuple(_person(i, tagged=tagged) for i in range(count))


def _person(i: int, *, tagged: bool) -> Scrub:
    name = f"person {i + 1}"

    def private(x: Point) -> Hashable:
        _require(x, i)
        return x[i]  # type: ignore[no-any-return]

    def scrubbed(x: Point) -> Hashable:
        _require(x, i)
        rest = (*x[:i], *x[i + 1 :])
        return Tagged(name, rest) if tagged else rest

    return Scrub(name, private, scrubbed)


def _require(x: Point, i: int) -> None:
    if not isinstance(x, tuple) or len(x) <= i:
        raise InvalidInput(f"database {x!r} has no person {i + 1}: it must be a list of records")
