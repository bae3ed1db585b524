"""The witness of coupled worlds: an event that tells two worlds apart, recomputed from the beliefs.

An `EventWitness` is a set of outputs with its probability in both worlds. It does not look at the
tables that the answer was computed from: `EventWitness.verify` goes back to the belief, the
release, the pair (alt, priv) and the simulator, and adds up by plain arithmetic.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.coupled.compare import Worst
from twoworlds.definitions.coupled.scene import Law, Scene
from twoworlds.definitions.coupled.simulator import Simulator
from twoworlds.definitions.verdict import agree, shortened
from twoworlds.numbers import INFINITY, Number, show, to_json
from twoworlds.worlds import Point
from twoworlds.worlds.joint import NOTHING, plain_label
from twoworlds.worlds.scrubbing import Scrub

__all__ = ["EventWitness", "Where"]

_SHOWN = 12


@dataclass(frozen=True)
class Where:
    """A place in a scene: whose belief, whose privacy, which side information.

    Attributes:
        scene: the question.
        belief: the position of the belief in its class.
        scrub: the pair (alt, priv).
        side: what the attacker knows.
        simulator: who answers in the ideal world, or None where there is no such world.
    """

    scene: Scene = field(repr=False)
    belief: int
    scrub: Scrub
    side: Hashable
    simulator: Simulator | None = field(default=None, repr=False)

    def databases(self) -> Mapping[Point, Number]:
        """Return what is believed about the database, given the side information."""
        return self.scene.beliefs.members[self.belief].given(self.side)

    def shown(self, database: Point) -> Law:
        """Return the law of what is released."""
        return self.scene.release.law(database)

    def simulated(self, database: Point) -> dict[Hashable, Number]:
        """Return the law of what is simulated from the scrubbed database."""
        assert self.simulator is not None
        law: dict[Hashable, Number] = {}
        for y, p in self.scrub.law(database).items():
            for t, chance in self.simulator(y).items():
                law[t] = law.get(t, Fraction(0)) + p * chance
        return law

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield belief, person and knowledge, as far as there is a choice."""
        member = self.scene.beliefs.members[self.belief]
        if len(self.scene.beliefs) > 1:
            yield "belief", shortened(member.name or f"number {self.belief + 1} of the class")
        yield "about", self.scrub.name
        if self.side != NOTHING:
            yield "knowing", shortened(plain_label(self.side))

    def words(self) -> str:
        """Say the same as a clause."""
        parts = [f"{name} {text}" for name, text in self.facts()]
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the place as plain data."""
        member = self.scene.beliefs.members[self.belief]
        return {
            "belief": member.name or f"number {self.belief + 1}",
            "about": self.scrub.name,
            "side": plain_label(self.side),
        }


@dataclass(frozen=True)
class EventWitness:
    """An event that is likelier in one world than in the other.

    Attributes:
        where: belief, pair and side information.
        values: the private value that both worlds share, or one value for each.
        swapped: whether the event is likelier in the second world: the ideal one, or that of the
            second value.
        event: the outputs.
        probabilities: of the event, in the world where it is likelier and in the other.
    """

    where: Where
    values: tuple[Hashable, ...]
    swapped: bool
    event: tuple[Hashable, ...]
    probabilities: tuple[Number, Number]

    @staticmethod
    def of(scene: Scene, found: Worst, simulator: Simulator | None = None) -> EventWitness:
        """Add up the two probabilities of the worst event."""
        cell, chosen = found.cell, set(found.event)
        where = Where(scene, cell.belief, cell.scrub, cell.side, simulator)
        laws = found.worlds.first, found.worlds.second
        p, q = (sum((law.get(t, Fraction(0)) for t in chosen), start=Fraction(0)) for law in laws)
        both = (q, p) if found.swapped else (p, q)
        order = tuple(t for t in dict.fromkeys([*scene.outputs, *found.event]) if t in chosen)
        return EventWitness(where, found.worlds.values, found.swapped, order, both)

    def excess(self, ratio: Number) -> Number:
        """Return P(E) - a Q(E)."""
        p, q = self.probabilities
        return p if q == 0 else p - ratio * q

    def ratio(self) -> Number:
        """Return how many times likelier the event is."""
        p, q = self.probabilities
        if q == 0:
            return INFINITY if p != 0 else Fraction(1)
        return p / q

    def verify(self) -> bool:
        """Recompute both probabilities from the belief and compare them with those stated."""
        last = self.values[-1]
        if self.where.simulator is None:
            fresh = [self._chance(v, simulated=False) for v in (self.values[0], last)]
        else:
            fresh = [self._chance(last, simulated=ideal) for ideal in (False, True)]
        if self.swapped:
            fresh.reverse()
        return all(agree(a, b) for a, b in zip(fresh, self.probabilities, strict=True))

    def _chance(self, value: Hashable, *, simulated: bool) -> Number:
        event = set(self.event)
        total: Number = Fraction(0)
        inside: Number = Fraction(0)
        look = self.where.simulated if simulated else self.where.shown
        for x, p in self.where.databases().items():
            if self.where.scrub.private(x) == value:
                total += p
                law = look(x)
                inside += p * _sum(chance for t, chance in law.items() if t in event)
        return inside / total

    @property
    def worlds(self) -> tuple[str, str]:
        """The two worlds in words, the likelier first."""
        if self.where.simulator is not None:
            names = ["the release", "the simulation"]
        else:
            names = [f"{self.where.scrub.name}: {plain_label(v)}" for v in self.values]
        return (names[1], names[0]) if self.swapped else (names[0], names[1])

    def explain(self) -> str:
        """Say the place, the event and the two probabilities."""
        p, q = self.probabilities
        first, second = self.worlds
        value = f", value {plain_label(self.values[0])}" if len(self.values) == 1 else ""
        return (
            f"{self.where.words()}{value}: {_outputs(self.event)} has probability "
            f"{show(p, side='at least')} for {first} and {show(q, side='at most')} for {second}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the place, the private value, the event and its probabilities."""
        yield from self.where.facts()
        if len(self.values) == 1:
            yield "value", plain_label(self.values[0])
        yield "worlds", "  against  ".join(self.worlds)
        yield "event", _outputs(self.event)
        p, q = self.probabilities
        yield "", f"probability {show(p, side='at least')} against {show(q, side='at most')}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        return {
            **self.where.to_dict(),
            "values": [plain_label(v) for v in self.values],
            "worlds": list(self.worlds),
            "event": [plain_label(t) for t in self.event],
            "probabilities": [to_json(p) for p in self.probabilities],
        }


def _sum(numbers: Iterable[Number]) -> Number:
    return sum(numbers, start=Fraction(0))


def _outputs(event: tuple[Hashable, ...]) -> str:
    if not event:
        return "no output at all"
    if len(event) == 1:
        return f"output {plain_label(event[0])}"
    shown = ", ".join(plain_label(t) for t in event[:_SHOWN])
    more = f", and {len(event) - _SHOWN} more" if len(event) > _SHOWN else ""
    return f"output in {{{shown}{more}}}"
