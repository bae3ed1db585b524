"""Events: sets of outputs, named so that a person can picture them and arithmetic can check them.

An event is the witness of every failure of privacy: a set of outputs that is likelier in one
world than in the other. `Event.holds` decides membership; a mechanism's `mass` adds it up.

The witness of two laws that differ: two worlds, an event, and its probability in each.

It re-verifies apart from how it was found: `EventWitness.check` takes the stated probabilities and
computes them once more from the worlds themselves, mostly by plain addition. What it says, in
facts, in a sentence and in JSON, is made here for every room.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from twoworlds.numbers import INFINITY, Number, Order, compare, exact_text, show, to_json

Point = Any  # an output: hashable
Outputs = Any  # all outputs, as a universe of the room above: size, label, iteration

_SHOWN, _RANGES = 16, 3
_LONGEST_WALK = 1 << 20  # outputs of a universe that are run through to put some in order
_LISTED_IN_JSON = 256


class Event(ABC):
    """A set of outputs."""

    @abstractmethod
    def holds(self, output: Point) -> bool:
        """Tell whether an output belongs to the event."""

    @abstractmethod
    def describe(self, outputs: Outputs) -> str:
        """Say what the event is."""

    def to_json(self, outputs: Outputs) -> Any:
        """Return the labels of a small event, or its description."""
        if outputs.size is not None and outputs.size <= _LISTED_IN_JSON:
            return [outputs.label(o) for o in outputs if self.holds(o)]
        return self.describe(outputs)


@dataclass(frozen=True)
class Listed(Event):
    """These outputs."""

    members: frozenset[Point]

    @staticmethod
    def of(members: Iterable[Point]) -> Listed:
        return Listed(frozenset(members))

    def holds(self, output: Point) -> bool:
        return output in self.members

    def describe(self, outputs: Outputs) -> str:
        """List the outputs, in order, as many as one can read."""
        if not self.members:
            return "no output at all"
        if len(self.members) == 1:
            return f"output {outputs.label(next(iter(self.members)))}"
        ordered = self._ordered(outputs)
        shown = ", ".join(outputs.label(o) for o in ordered[:_SHOWN])
        more = len(ordered) - _SHOWN
        return f"output in {{{shown}{f', and {more} more' if more > 0 else ''}}}"

    def to_json(self, outputs: Outputs) -> Any:
        return [outputs.label(o) for o in self._ordered(outputs)]

    def _ordered(self, outputs: Outputs) -> list[Point]:
        """Return the outputs in the order of their universe, or by label where that is too long."""
        if outputs.size is not None and outputs.size <= _LONGEST_WALK:
            return [o for o in outputs if o in self.members]
        return sorted(self.members, key=outputs.label)


@dataclass(frozen=True)
class Anything(Event):
    """Every output: the event of mechanisms that tell nothing."""

    def holds(self, output: Point) -> bool:
        return True

    def describe(self, outputs: Outputs) -> str:
        return "any output"


@dataclass(frozen=True)
class Either(Event):
    """Two events that exclude each other."""

    first: Event
    second: Event

    def holds(self, output: Point) -> bool:
        return self.first.holds(output) or self.second.holds(output)

    def describe(self, outputs: Outputs) -> str:
        parts = [part.describe(outputs) for part in (self.first, self.second)]
        said = [part for part in parts if part != "no output at all"]
        return ", or ".join(said) if said else "no output at all"


@dataclass(frozen=True)
class AtLeast(Event):
    """All outputs from a threshold upward."""

    threshold: int | Number

    def holds(self, output: Point) -> bool:
        return bool(output >= self.threshold)

    def describe(self, outputs: Outputs) -> str:
        return f"output >= {_text(self.threshold)}"


@dataclass(frozen=True)
class AtMost(Event):
    """All outputs up to a threshold."""

    threshold: int | Number

    def holds(self, output: Point) -> bool:
        return bool(output <= self.threshold)

    def describe(self, outputs: Outputs) -> str:
        return f"output <= {_text(self.threshold)}"


@dataclass(frozen=True)
class Ranges(Event):
    """A union of ranges of numbers, both ends included."""

    pieces: tuple[tuple[Fraction, Fraction], ...]

    def holds(self, output: Point) -> bool:
        return any(low <= output <= high for low, high in self.pieces)

    def describe(self, outputs: Outputs = None) -> str:
        said = [
            f"{exact_text(low)}" if low == high else f"from {exact_text(low)} to {exact_text(high)}"
            for low, high in self.pieces[:_RANGES]
        ]
        rest = len(self.pieces) - _RANGES
        more = f" and {rest} further ranges" if rest > 0 else ""
        return f"{' or '.join(said)}{more}" if said else "no output at all"

    def to_json(self, outputs: Outputs = None) -> Any:
        return [[exact_text(low), exact_text(high)] for low, high in self.pieces]


@dataclass(frozen=True)
class OnRecords(Event):
    """Outputs whose entries at some positions form one of the listed words; the rest is free."""

    positions: tuple[int, ...]
    words: frozenset[tuple[Point, ...]]

    def holds(self, output: Point) -> bool:
        return tuple(output[i] for i in self.positions) in self.words

    def describe(self, outputs: Outputs) -> str:
        if not self.words:
            return "no output at all"
        where = ", ".join(str(i + 1) for i in self.positions)
        if len(self.positions) == 1:
            values = sorted(str(word[0]) for word in self.words)
            return f"outputs whose entry {where} is {' or '.join(values)}"
        plain = all(len(str(value)) == 1 for word in self.words for value in word)
        shown = sorted(("" if plain else ",").join(map(str, word)) for word in self.words)[:_SHOWN]
        more = len(self.words) - _SHOWN
        tail = f"; and {more} more" if more > 0 else ""
        return f"outputs whose entries {where} read {'; '.join(shown)}{tail}"


class Events(Protocol):
    """What sets of outputs are called that tell one world from another by how likely they are."""

    def likelier(self, ratio: Number) -> Event:
        """Name the outputs that are at least so many times as likely in the first world."""

    def rounded(
        self, unit: Number, marks: Sequence[tuple[int, ...]], least: int, spare: int
    ) -> Event:
        """Name the outputs whose losses, rounded to marks, add up to at least so many units.

        Its masses were computed with half as many ``spare`` bits.
        """

    def every(self, events: Sequence[Event]) -> Event:
        """Name the outputs of which each lies in the event of its part."""

    def reverse(self) -> Events:
        """Exchange the two worlds."""


def _text(x: int | Number) -> str:
    if isinstance(x, (int, Fraction)):
        return str(exact_text(Fraction(x)))
    return show(x)


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
