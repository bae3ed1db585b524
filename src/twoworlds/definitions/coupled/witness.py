"""The witness of coupled worlds: an event that tells two worlds apart, recomputed from the beliefs.

It does not look at the tables that the answer was computed from, but goes back to the belief, the
release, the pair (alt, priv) and the simulator, and adds up by plain arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.coupled.compare import Worst
from twoworlds.definitions.coupled.scene import Law, Scene
from twoworlds.definitions.coupled.simulator import Simulator
from twoworlds.definitions.verdict import shortened
from twoworlds.laws.witness import EventWitness, recomputed
from twoworlds.numbers import Number
from twoworlds.worlds import Point
from twoworlds.worlds.joint import NOTHING, plain_label
from twoworlds.worlds.scrubbing import Scrub

__all__ = ["Where", "event_witness"]

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


def event_witness(scene: Scene, found: Worst, simulator: Simulator | None = None) -> EventWitness:
    """Return the worst event, which re-verifies from the belief, the release and the simulator."""
    cell, chosen, values = found.cell, set(found.event), found.worlds.values
    where = Where(scene, cell.belief, cell.scrub, cell.side, simulator)
    order = tuple(t for t in dict.fromkeys([*scene.outputs, *found.event]) if t in chosen)
    laws = [found.worlds.first, found.worlds.second]
    names = ["the release", "the simulation"]
    if simulator is None:
        names = [f"{cell.scrub.name}: {plain_label(v)}" for v in values]
    if found.swapped:
        laws.reverse()
        names.reverse()
    p, q = (_sum(law.get(t, Fraction(0)) for t in order) for law in laws)

    def again() -> list[Number]:
        fresh = [
            _chance(where, values[0], chosen, where.shown),
            _chance(where, values[-1], chosen, where.simulated if simulator else where.shown),
        ]
        return fresh[::-1] if found.swapped else fresh

    value = (("value", plain_label(values[0])),) if len(values) == 1 else ()
    return EventWitness(
        (names[0], names[1]),
        _outputs(order),
        (p, q),
        recomputed(again),
        (*where.facts(), *value),
        data={
            **where.to_dict(),
            "values": [plain_label(v) for v in values],
            "event": [plain_label(t) for t in order],
        },
    )


def _chance(
    where: Where, value: Hashable, event: set[Hashable], look: Callable[[Point], Law]
) -> Number:
    """Return the probability of the event given a private value, by plain addition."""
    total: Number = Fraction(0)
    inside: Number = Fraction(0)
    for x, p in where.databases().items():
        if where.scrub.private(x) == value:
            total += p
            inside += p * _sum(chance for t, chance in look(x).items() if t in event)
    return inside / total


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
