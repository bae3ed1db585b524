"""The witness of a likeliest law: two worlds, an event, and its probability in both.

It re-verifies by listing all counts of the unknown entries with their multinomial probabilities,
and electing a law for each by comparing whole numbers: no polynomials, coordinates or logarithms.
Only where the list would be too long are the probabilities recomputed by `Counting`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb, lcm, prod
from typing import Any

from twoworlds.noiseless.estimates._counting import Counting
from twoworlds.noiseless.estimates._elections import Election, Scene
from twoworlds.noiseless.estimates._worst import Pair, Worst
from twoworlds.noiseless.estimates.family import Family
from twoworlds.numbers import show, to_json

__all__ = ["EstimateWitness"]

_LONGEST_LIST = 1_000_000  # counts to list, times the entries in each


@dataclass(frozen=True)
class EstimateWitness:
    """Two worlds and a set of laws, one of which is likelier to be elected in the first world.

    Attributes:
        posterior: the probability of each law, for one who knows your entry and the known ones.
        worlds: your value in each world, None in the world without your entry.
        known: how many known entries there are of each kind.
        event: the laws that are elected, counted from 1.
        probabilities: of the event in both worlds.
    """

    family: Family = field(repr=False)
    people: int
    posterior: tuple[Fraction, ...]
    worlds: tuple[str | None, str | None]
    known: tuple[int, ...]
    event: tuple[int, ...]
    probabilities: tuple[Fraction, Fraction]

    @staticmethod
    def of(election: Election, worst: Worst[Scene]) -> EstimateWitness:
        """Describe the worst pair of an election."""
        scene, pair = worst.pair.about, worst.pair
        event = worst.event or _likelier(pair)
        kinds = election.family.kinds
        other = None if scene.other is None else kinds[scene.other].values[-1]
        worlds = (kinds[scene.entry].values[0], other)
        known = election.counts or election.counting.counts_at(scene.known, election.known)
        return EstimateWitness(
            election.family,
            election.people,
            scene.posterior,
            worlds if pair.forward else worlds[::-1],
            known,
            tuple(t + 1 for t in event),
            pair.masses(event),
        )

    def verify(self) -> bool:
        """Recompute both probabilities."""
        fresh = tuple(self._probability(value) for value in self.worlds)
        return fresh == self.probabilities

    def _probability(self, value: str | None) -> Fraction:
        start = list(self.known)
        if value is not None:
            start[self.family.kind_of(value)] += 1
        drawn = self.people - 1 - sum(self.known)
        return sum(
            (
                share * _elected(self.family, j, start, drawn, self.event)
                for j, share in enumerate(self.posterior)
                if share
            ),
            start=Fraction(0),
        )

    def explain(self) -> str:
        """Say the event, the two worlds and the two probabilities."""
        p, q = self.probabilities
        return (
            f"{self._event()} is named with probability {show(p, side='at least')} "
            f"{self._world(0)} and {show(q, side='at most')} {self._world(1)}, if "
            f"{self._background()}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the worlds, the event and its probabilities, and what else is the case."""
        p, q = self.probabilities
        yield "worst pair", f"{self._world(0)}  against  {self._world(1)}"
        yield "event", f"{self._event()} is named"
        yield "", f"probability {show(p, side='at least')} against {show(q, side='at most')}"
        yield "", f"if {self._background()}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        return {
            "entry": list(self.worlds),
            "known": {
                kind.values[0]: count
                for kind, count in zip(self.family.kinds, self.known, strict=True)
                if count
            },
            "posterior_of_laws": [to_json(share) for share in self.posterior],
            "event": list(self.event),
            "event_in_words": f"{self._event()} is named",
            "probabilities": [to_json(p) for p in self.probabilities],
        }

    def _event(self) -> str:
        return " or ".join(f"law {t}" for t in self.event)

    def _world(self, place: int) -> str:
        value = self.worlds[place]
        return "without your entry" if value is None else f"with your entry {value}"

    def _background(self) -> str:
        sure = [j for j, share in enumerate(self.posterior, start=1) if share == 1]
        if sure:
            said = f"law {sure[0]} is true"
        else:
            shares = ", ".join(f"{show(share)}" for share in self.posterior)
            said = f"the laws have, given all that is known, probabilities {shares}"
        counts = [
            f"{count} times {kind.values[0]}"
            for kind, count in zip(self.family.kinds, self.known, strict=True)
            if count
        ]
        return f"{said} and the known entries are {', '.join(counts)}" if counts else said


def _likelier(pair: Pair[Scene]) -> tuple[int, ...]:
    """Return one output that is no less likely in the first world: there always is one."""
    gaps = [p - q for p, q in zip(pair.first, pair.second, strict=True)]
    return (max(range(len(gaps)), key=lambda t: (gaps[t], pair.first[t])),)


def _elected(
    family: Family, truth: int, start: Sequence[int], drawn: int, event: Sequence[int]
) -> Fraction:
    """Return the probability that one of some laws is elected, entries being drawn from one law."""
    kinds = len(family.kinds)
    if comb(drawn + kinds - 1, kinds - 1) * max(drawn, 1) > _LONGEST_LIST:
        people = sum(start) + drawn
        counting = Counting(family, people)
        law = counting.outcome(truth, counting.point(start), people, drawn)
        return Fraction(sum(law[t - 1] for t in event), counting.denominator**drawn)
    scale = lcm(*(mass.denominator for kind in family.kinds for mass in kind.masses))
    whole = [[int(mass * scale) for mass in kind.masses] for kind in family.kinds]
    common = lcm(*(weight.denominator for weight in family.weights))
    scores = [
        int(weight * common) * prod(row[j] ** c for row, c in zip(whole, start, strict=True))
        for j, weight in enumerate(family.weights)
    ]
    chosen = {t - 1 for t in event}
    found = sum(
        chance
        for chance, final in _samples(whole, truth, drawn, scores)
        if final.index(max(final)) in chosen
    )
    return Fraction(found, scale**drawn)


def _samples(
    whole: Sequence[Sequence[int]], truth: int, left: int, scores: list[int]
) -> Iterator[tuple[int, list[int]]]:
    """Yield the weight of every way to draw the entries that are left, and the final scores."""
    first, rest = whole[0], whole[1:]
    if not rest:
        yield first[truth] ** left, [x * f**left for x, f in zip(scores, first, strict=True)]
        return
    ways, chance = 1, 1
    for count in range(left + 1):
        for further, final in _samples(rest, truth, left - count, scores):
            yield ways * chance * further, final
        ways = ways * (left - count) // (count + 1)
        chance *= first[truth]
        scores = [x * f for x, f in zip(scores, first, strict=True)]
