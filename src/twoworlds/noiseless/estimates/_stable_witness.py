"""One case of a stable function, and the witness that it makes when it is the worst."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.indistinguishability import TwoLaws
from twoworlds.definitions.verdict import agree
from twoworlds.mechanisms.comparison import larger
from twoworlds.numbers import INFINITY, Number, show, to_json
from twoworlds.worlds.joint import NOTHING, Joint, plain_label

__all__ = ["Case", "Function", "Records", "StableWitness"]

Records = tuple[Any, ...]
Function = Callable[[Records], Hashable]


@dataclass(frozen=True)
class Case:
    """What one belief says of F, given one person's record and the side information."""

    joint: Joint
    side: Hashable
    person: int
    value: Hashable
    size: int
    having: dict[Hashable, Number]
    without: dict[Hashable, Number]
    changed: Number

    @property
    def laws(self) -> TwoLaws:
        """The two laws of the answer, with the record and without it."""
        return TwoLaws(self.having, self.without)


@dataclass(frozen=True)
class StableWitness:
    """One person's record, the side information, and an event likelier in the first world.

    Attributes:
        person: whose record it is, counted from 1.
        value: the record.
        side: what the attacker knows.
        event: a set of values of the function.
        with_first: whether the first world is the one with the record.
        probabilities: of the event, in the first and in the second world.
    """

    function: Function = field(repr=False)
    joint: Joint = field(repr=False)
    person: int
    value: Hashable
    side: Hashable
    event: tuple[Hashable, ...]
    with_first: bool
    probabilities: tuple[Number, Number]

    @staticmethod
    def of(function: Function, case: Case, ratio: Number) -> StableWitness:
        """Take the event that is the worst at a ratio."""
        orders = ((case.having, case.without, True), (case.without, case.having, False))
        found = [(*_excess(p, q, ratio), flag) for p, q, flag in orders]
        gap, event, having_first = found[0]
        if larger(found[1][0], gap):
            _, event, having_first = found[1]
        p, q, _ = orders[0 if having_first else 1]
        masses = tuple(
            sum((law.get(t, Fraction(0)) for t in event), start=Fraction(0)) for law in (p, q)
        )
        first, second = masses
        return StableWitness(
            function,
            case.joint,
            case.person,
            case.value,
            case.side,
            event,
            having_first,
            (first, second),
        )

    def verify(self) -> bool:
        """Recompute both probabilities by running through the belief."""
        sums = [Fraction(0), Fraction(0), Fraction(0)]
        i = self.person - 1
        for (x, z), mass in self.joint.masses.items():
            if z != self.side or x[i] != self.value:
                continue
            sums[0] += mass  # type: ignore[assignment]
            answers = (self.function(tuple(x)), self.function((*x[:i], *x[i + 1 :])))
            for place, answer in enumerate(answers, start=1):
                if answer in self.event:
                    sums[place] += mass  # type: ignore[assignment]
        having, without = sums[1] / sums[0], sums[2] / sums[0]
        fresh = (having, without) if self.with_first else (without, having)
        return all(agree(a, b) for a, b in zip(fresh, self.probabilities, strict=True))

    def explain(self) -> str:
        """Say the event, the two worlds and the two probabilities."""
        p, q = self.probabilities
        first, second = self._worlds()
        return (
            f"{self._event()} has probability {show(p, side='at least')} {first} and "
            f"{show(q, side='at most')} "
            f"{second}, {self._given()}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the worlds, the event and its probabilities."""
        p, q = self.probabilities
        first, second = self._worlds()
        yield "worst pair", f"{first}  against  {second}"
        yield "given", self._given()
        yield "event", self._event()
        yield "", f"probability {show(p, side='at least')} against {show(q, side='at most')}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        return {
            "person": self.person,
            "record": plain_label(self.value),
            "side_information": plain_label(self.side),
            "worlds": list(self._worlds()),
            "event": [plain_label(t) for t in self.event],
            "event_in_words": self._event(),
            "probabilities": [to_json(p) for p in self.probabilities],
        }

    def _worlds(self) -> tuple[str, str]:
        worlds = ("with the record", "without it")
        return worlds if self.with_first else (worlds[1], worlds[0])

    def _event(self) -> str:
        return f"the value {' or '.join(plain_label(t) for t in self.event) or 'none'}"

    def _given(self) -> str:
        side = "" if self.side == NOTHING else f", knowing {plain_label(self.side)}"
        name = f" under {self.joint.name}" if self.joint.name else ""
        return f"person {self.person} having {plain_label(self.value)}{side}{name}"


def _excess(
    first: Mapping[Hashable, Number], second: Mapping[Hashable, Number], ratio: Number
) -> tuple[Number, tuple[Hashable, ...]]:
    """Return sum (P - a Q)_+ and its event; without an excess, the output with the largest P/Q."""
    zero = Fraction(0)
    event = tuple(
        t
        for t, p in first.items()
        if second.get(t, zero) == 0 or (ratio != INFINITY and larger(p, ratio * second[t]))
    )
    if not event:
        steepest = next(iter(first))
        for t in first:
            if larger(first[t] / second[t], first[steepest] / second[steepest]):
                steepest = t
        return zero, (steepest,)
    p, q = (sum((law.get(t, zero) for t in event), start=zero) for law in (first, second))
    return (p if q == 0 else p - ratio * q), event
