"""The witness of coupled worlds: an event that tells two worlds apart, recomputed from the beliefs.

It does not look at the tables that the answer was computed from, but goes back to the belief, the
release, the pair (alt, priv) and the simulator, and adds up by plain arithmetic.

The witness of the inference-based definitions: the outputs from which too much is concluded.

A claim with delta fails when the outputs whose conclusions in the two worlds lie further apart
than delta have probability above delta. A `PosteriorWitness` lists such outputs: all of them lie at
least ``delta`` apart at the ratio (or need at least the ratio to come within delta), and together
they have probability at least ``delta``, so that no smaller number holds. One of them is shown with
both conclusions. `PosteriorWitness.verify` recomputes all of this from the beliefs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.coupled.posteriors import Conclusion, Outcome
from twoworlds.definitions.coupled.scene import Law, Scene, Simulator
from twoworlds.definitions.verdict import shortened
from twoworlds.laws.comparison import apart
from twoworlds.laws.event import EventWitness, agree, recomputed
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    compare,
    show,
    to_json,
)
from twoworlds.worlds import Point
from twoworlds.worlds.joint import NOTHING, plain_label
from twoworlds.worlds.scrubbing import Scrub

if TYPE_CHECKING:
    from twoworlds.definitions.coupled.measures import WorstEvent

_SHOWN, _LIKELY = 12, 8


@dataclass(frozen=True)
class Where:
    """A place in a scene: whose belief, whose privacy, which side information."""

    scene: Scene = field(repr=False)
    belief: int
    scrub: Scrub
    side: Hashable
    simulator: Simulator | None = field(default=None, repr=False)

    def databases(self, *, seen: bool = False) -> Mapping[Point, Number]:
        """Return what is believed about the database, or what a simulator sees of it, given z."""
        beliefs = self.scene.seen if seen and self.scene.seen else self.scene.beliefs
        return beliefs.members[self.belief].given(self.side)

    def shown(self, database: Point) -> Law:
        """Return the law of what is released."""
        return self.scene.release.law(database)

    def simulated(self) -> Iterator[tuple[Hashable, Number, Law]]:
        """Yield P(priv = v, alt = y | z), by v, with the law of what is simulated from y."""
        assert self.simulator is not None
        masses: dict[tuple[Hashable, Hashable], Number] = {}
        for x, p in self.databases(seen=True).items():
            for y, chance in self.scrub.law(x).items():
                key = self.scrub.private(x), y
                masses[key] = masses.get(key, Fraction(0)) + p * chance
        laws = {y: self.simulator(y) for y in dict.fromkeys(y for _, y in masses)}
        return ((v, mass, laws[y]) for (v, y), mass in masses.items())

    def released(self) -> Iterator[tuple[Hashable, Number, Law]]:
        """Yield P(X = x | z) with priv(x) and the law of what is released."""
        return ((self.scrub.private(x), p, self.shown(x)) for x, p in self.databases().items())

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


def event_witness(
    scene: Scene, found: WorstEvent, simulator: Simulator | None = None
) -> EventWitness:
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
            _chance(where.released(), values[0], chosen),
            _chance(where.simulated() if simulator else where.released(), values[-1], chosen),
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
    worlds: Iterable[tuple[Hashable, Number, Law]], value: Hashable, event: set[Hashable]
) -> Number:
    """Return the probability of the event given a private value, by plain addition."""
    total: Number = Fraction(0)
    inside: Number = Fraction(0)
    for v, p, law in worlds:
        if v == value:
            total += p
            inside += p * _sum(chance for t, chance in law.items() if t in event)
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


_LISTED = 256
_BITS = 256


@dataclass(frozen=True)
class PosteriorWitness:
    """Outputs from which too much is concluded, and one of them in full.

    Attributes:
        where: belief, pair and side information of the one that is shown.
        output: the output that is shown.
        posteriors: what is concluded from it, and what it is compared with (None: the simulator
            never shows the output).
        inner: how far the two lie apart at the ratio.
        bad: all outputs that lie as far apart, each with its place.
        failure: their total probability.
        ratio: the ratio meant.
        delta: the delta meant.
        given_side: whether the probability is over outputs alone, with the side information fixed
            (Definition 8), and not over both together (Definitions 2 and 4).
        of_ratio: whether it was the ratio that was asked for, with delta given.
    """

    where: Where
    output: Hashable
    posteriors: tuple[Law, Law | None]
    inner: Number
    bad: tuple[tuple[Where, Hashable], ...]
    failure: Number
    ratio: Number
    delta: Number
    given_side: bool = False
    of_ratio: bool = False

    @staticmethod
    def of(
        scene: Scene,
        bad: list[tuple[Outcome, Conclusion]],
        ratio: Number,
        delta: Number,
        simulator: Simulator | None,
        *,
        of_ratio: bool = False,
    ) -> PosteriorWitness:
        """Collect the outputs, the worst of which comes first."""
        places = tuple((_place(scene, found, simulator), found.output) for _, found in bad)
        first = bad[0][1]
        return PosteriorWitness(
            places[0][0],
            first.output,
            (first.real, first.ideal),
            first.apart(ratio),
            places,
            _sum(chance for (chance, _), _ in bad),
            ratio,
            delta,
            simulator is None,
            of_ratio,
        )

    def verify(self) -> bool:
        """Recompute the conclusions from every output listed, and the probability of them all."""
        if not self._of_one_group():
            return False
        total: Number = Fraction(0)
        seen: dict[tuple[int, Hashable], _Concluding] = {}
        for where, output in self.bad:
            key = id(where.scrub), where.side
            if key not in seen:
                seen[key] = _concluding(where)
            chance, real, ideal = seen[key](output)
            if chance == 0 or not self._as_far(real, ideal):
                return False
            weight = where.scene.beliefs.members[where.belief].sides[where.side]
            total += chance if self.given_side else chance * weight
        if not agree(total, self.failure):
            return False
        if not _no_less(self.failure, self.delta):
            return False
        _, real, ideal = _concluding(self.where)(self.output)
        fresh = INFINITY if ideal is None else apart(real, ideal, self.ratio)
        stated = self.posteriors[1]
        return (
            _same(real, self.posteriors[0])
            and (stated is None if ideal is None else stated is not None and _same(ideal, stated))
            and agree(fresh, self.inner)
        )

    def _of_one_group(self) -> bool:
        """Tell whether the outputs exclude each other, so that their probabilities add up."""
        places = [(where.side, output) for where, output in self.bad]
        beliefs = {where.belief for where, _ in self.bad}
        cells = {(id(where.scrub), where.side) for where, _ in self.bad}
        alone = len(beliefs) == 1 and (not self.given_side or len(cells) == 1)
        return alone and len(set(places)) == len(places)

    def _as_far(self, real: Law, ideal: Law | None) -> bool:
        if ideal is None or (self.of_ratio and self.ratio == 1):  # no ratio is smaller
            return True
        if self.of_ratio and self.delta == 0:
            ways = ((real, ideal), (ideal, real))
            return any(_likelier(p, q, self.ratio) for p, q in ways)
        order = compare(apart(real, ideal, self.ratio), self.delta, limit=_BITS)
        strict = self.of_ratio and self.ratio == INFINITY
        return order is Order.GREATER or (order is not Order.LESS and not strict)

    def explain(self) -> str:
        """Say the place, the output and both conclusions."""
        return (
            f"{self.where.words()}: output {plain_label(self.output)} leads to "
            f"{_law(self.posteriors[0])}, against {self._other()}; outputs like it have "
            f"probability {show(self.failure, side='at least')} in all"
        )

    def _other(self) -> str:
        ideal = self.posteriors[1]
        return "no conclusion: the simulator never shows it" if ideal is None else _law(ideal)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the place, the output, both conclusions and how often it happens."""
        yield from self.where.facts()
        yield "output", plain_label(self.output)
        yield "concluded", _law(self.posteriors[0])
        yield "without", self._other()
        if self.inner != INFINITY:
            yield "apart", show(self.inner)
        yield "as bad", f"outputs of probability {show(self.failure, side='at least')} in all"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        real, ideal = (
            None if law is None else {plain_label(v): to_json(p) for v, p in law.items()}
            for law in self.posteriors
        )
        listed = [
            {"side": plain_label(where.side), "about": where.scrub.name, "output": plain_label(t)}
            for where, t in self.bad[:_LISTED]
        ]
        return {
            **self.where.to_dict(),
            "output": plain_label(self.output),
            "posterior": real,
            "ideal_posterior": ideal,
            "inner": to_json(self.inner),
            "failing": listed,
            "failing_count": len(self.bad),
            "probability": to_json(self.failure),
        }


def _likelier(first: Law, second: Law, ratio: Number) -> bool:
    """Tell whether some outcome is at least so many times likelier under the first law."""
    nothing: Number = Fraction(0)
    for v, p in first.items():
        q = second.get(v, nothing)
        if p != 0 and (q == 0 or (ratio != INFINITY and _no_less(p, ratio * q))):
            return True
    return False


def _no_less(a: Number, b: Number) -> bool:
    return compare(a, b, limit=_BITS) is not Order.LESS


def _place(scene: Scene, found: Conclusion, simulator: Simulator | None) -> Where:
    cell = found.cell
    return Where(scene, cell.belief, cell.scrub, cell.side, simulator)


_Concluding = Callable[[Hashable], tuple[Number, Law, Law | None]]


def _concluding(where: Where) -> _Concluding:
    """Return what gives the probability of an output, and what is concluded in both worlds.

    By enumeration of the databases.
    """
    shown: dict[Hashable, dict[Hashable, Number]] = {}
    simulated: dict[Hashable, dict[Hashable, Number]] = {}
    prior: dict[Hashable, Number] = {}
    for v, p, law in where.released():
        _add(shown, v, p, law)
        prior[v] = prior.get(v, Fraction(0)) + p
    for v, p, law in where.simulated() if where.simulator is not None else ():
        _add(simulated, v, p, law)

    def given(output: Hashable) -> tuple[Number, Law, Law | None]:
        seen = shown.get(output, {})
        guess = prior if where.simulator is None else simulated.get(output, {})
        chance, other = _sum(seen.values()), _sum(guess.values())
        real = {} if chance == 0 else {v: p / chance for v, p in seen.items()}
        return chance, real, None if other == 0 else {v: p / other for v, p in guess.items()}

    return given


def _add(
    table: dict[Hashable, dict[Hashable, Number]], value: Hashable, p: Number, law: Law
) -> None:
    for t, chance in law.items():
        row = table.setdefault(t, {})
        row[value] = row.get(value, Fraction(0)) + p * chance


def _same(a: Law, b: Law) -> bool:
    nothing: Number = Fraction(0)
    return all(agree(a.get(k, nothing), b.get(k, nothing)) for k in dict.fromkeys([*a, *b]))


def _law(law: Law) -> str:
    likely = [(v, p) for v, p in law.items() if p != 0]
    shown = ", ".join(f"{plain_label(v)} with {show(p)}" for v, p in likely[:_LIKELY])
    return shown + (f", and {len(likely) - _LIKELY} more" if len(likely) > _LIKELY else "")
