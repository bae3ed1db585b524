"""The witness of two laws that differ: two worlds, an event, and its probability in each.

It re-verifies apart from how it was found: `EventWitness.check` takes the stated probabilities and
computes them once more from the worlds themselves, mostly by plain addition. What it says, in
facts, in a sentence and in JSON, is made here for every room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.numbers import INFINITY, Number, Order, compare, show, to_json

__all__ = ["EventWitness", "agree", "recomputed"]

_AGREE_BITS = 256
Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class EventWitness:
    """An event that is likelier in one world than in another.

    Attributes:
        worlds: their names, the one in which the event is likelier first.
        event: in words.
        probabilities: of the event in both worlds.
        check: tells whether these are the probabilities, computed once more.
        where: facts that say more about the worlds.
        besides: facts that say more about the event.
        data: what JSON has besides worlds, event and probabilities, or in their place.
    """

    worlds: tuple[str, str]
    event: str
    probabilities: tuple[Number, Number]
    check: Callable[[tuple[Number, Number]], bool] = field(repr=False, compare=False)
    where: Facts = ()
    besides: Facts = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    def verify(self) -> bool:
        """Compute both probabilities again."""
        return self.check(self.probabilities)

    def ratio(self) -> Number:
        """Return how many times likelier the event is in the first world."""
        p, q = self.probabilities
        if q == 0:
            return INFINITY if p != 0 else Fraction(1)
        return p / q

    def excess(self, ratio: Number) -> Number:
        """Return P(E) - a Q(E)."""
        p, q = self.probabilities
        return p if q == 0 else p - ratio * q

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the worlds, the event, and its probabilities."""
        yield from self.where
        yield "worst pair", "  against  ".join(self.worlds)
        yield "event", self.event
        yield "", f"probability {self._chances()}"
        yield from self.besides

    def explain(self) -> str:
        """Say it in a sentence."""
        first, second = self.worlds
        where = "".join(f"{name} {fact}, " for name, fact in self.where)
        besides = "".join(f"; {fact}" for _, fact in self.besides)
        return (
            f"{where}{first} against {second}: {self.event} has probability "
            f"{self._chances()}{besides}"
        )

    def _chances(self) -> str:
        p, q = self.probabilities
        return f"{show(p, side='at least')} against {show(q, side='at most')}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "worlds": list(self.worlds),
            "event": self.event,
            "probabilities": [to_json(p) for p in self.probabilities],
            **self.data,
        }


def recomputed(
    again: Callable[[], Iterable[Number]],
) -> Callable[[tuple[Number, Number]], bool]:
    """Return a check that computes both probabilities in another way, and compares."""
    return lambda stated: all(agree(a, b) for a, b in zip(again(), stated, strict=True))


def agree(a: Number, b: Number) -> bool:
    """Tell whether two numbers are equal, or enclosures that cannot be told apart."""
    return compare(a, b, limit=_AGREE_BITS) in (Order.EQUAL, Order.UNDECIDED)
