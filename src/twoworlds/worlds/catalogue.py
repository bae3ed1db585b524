"""Universes as calls: ``bits(3)``, ``records(values=3, n=4)``, ``integers(0, 10)``, ``reals()``."""

from __future__ import annotations

from twoworlds.calls import Registry, Text
from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole
from twoworlds.worlds.line import Integers, Reals
from twoworlds.worlds.universe import Explicit, Universe
from twoworlds.worlds.words import BitStrings, Records

__all__ = ["UNIVERSES", "read_values", "universe"]

UNIVERSES: Registry[Universe] = Registry("universe")


def universe(text: str | Universe) -> Universe:
    """Build a universe from a call.

    >>> universe("bits(2)").size
    4
    """
    return text if isinstance(text, Universe) else UNIVERSES.build(text)


def read_values(values: Text | int | tuple[object, ...]) -> int | list[object]:
    """Read a set of values: how many there are, or a list of names and whole numbers."""
    if isinstance(values, int):
        return values
    if isinstance(values, str):
        return whole(values, "values", at_least=1)
    listed: list[object] = []
    for value in values:
        if isinstance(value, list):
            raise InvalidInput(f"values={values}: give a plain list such as [a, b, c]")
        digits = isinstance(value, str) and value.removeprefix("-").isdigit()
        listed.append(int(str(value)) if digits else value)
    return listed


@UNIVERSES.register("bits")
def bits(n: object) -> Universe:
    """All strings of n bits, one bit per person, from 11..1 down to 00..0."""
    return BitStrings(whole(n, "bits", at_least=1))


@UNIVERSES.register("records")
def records(values: Text, n: object, smallest: object = None) -> Universe:
    """All lists of n records over the values; of smallest to n records if given."""
    least = None if smallest is None else whole(smallest, "smallest")
    return Records(read_values(values), whole(n, "n"), smallest=least)


@UNIVERSES.register("integers")
def integers(low: object = None, high: object = None, step: object = 1) -> Universe:
    """The possible true answers of a count or sum; one person moves them by at most step."""
    return Integers(low, high, step)  # type: ignore[arg-type]


@UNIVERSES.register("reals")
def reals(step: object = 1) -> Universe:
    """The possible true answers on the real line; one person moves them by at most step."""
    return Reals(step)  # type: ignore[arg-type]


@UNIVERSES.register("points")
def points(labels: Text) -> Universe:
    """Databases given by their labels, such as healthy and ill."""
    if isinstance(labels, str):
        raise InvalidInput(f"labels={labels}: give a list such as [healthy, ill]")
    return Explicit(tuple(str(label) for label in labels))
