"""The worlds and the totals that tell them apart, re-verified apart from how they were found.

Small sums are added up again in plain integers, entry by entry. Long ones are computed again modulo
a prime of 61 bits: a stated probability is accepted when it agrees with the true one in that field,
which a wrong one does by accident with a chance of about 1 in 10^18. Probabilities that are only
enclosed are enclosed again, in another window and with another precision, and must overlap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import nmod_poly

from twoworlds.definitions.verdict import agree
from twoworlds.noiseless.sums._comparisons import World
from twoworlds.noiseless.sums._setting import law_of_sum
from twoworlds.noiseless.sums.laws import common_step
from twoworlds.numbers import Number, Real, bounds, exact_text, show, to_json

__all__ = ["TotalWitness"]

Pieces = tuple[tuple[Fraction, Fraction], ...]
_PRIME = (1 << 61) - 1
_PLAIN = 100_000
_SHOWN = 3
_BITS = 24


@dataclass(frozen=True)
class TotalWitness:
    """Two worlds, a set of totals and its probability in each.

    Attributes:
        first: the world in which these totals are likelier than the ratio allows.
        second: the other one.
        pieces: the totals, as closed ranges; empty if the worlds have no total in common.
        probabilities: of these totals in both worlds; enclosed for long sums.
    """

    first: World
    second: World
    pieces: Pieces
    probabilities: tuple[Number, Number]

    def verify(self) -> bool:
        """Compute both probabilities again."""
        if not self.pieces:
            return self._apart()
        pairs = zip((self.first, self.second), self.probabilities, strict=True)
        return all(_agrees(world, self.pieces, stated) for world, stated in pairs)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the worlds, the totals and their probabilities."""
        yield "worst pair", f"{self.first.text}  against  {self.second.text}"
        yield "event", self.event
        p, q = self.probabilities
        yield "", f"probability {show(p, side='at least')} against {show(q, side='at most')}"

    def explain(self) -> str:
        """Say it in a sentence."""
        p, q = self.probabilities
        return (
            f"{self.first.text} against {self.second.text}: {self.event} "
            f"has probability {show(p, side='at least')} against {show(q, side='at most')}"
        )

    @property
    def event(self) -> str:
        """The totals in words."""
        if not self.pieces:
            return "every total: none is possible in both worlds"
        ranges = [
            exact_text(low) if low == high else f"from {exact_text(low)} to {exact_text(high)}"
            for low, high in self.pieces[:_SHOWN]
        ]
        rest = len(self.pieces) - _SHOWN
        more = f" and {rest} further ranges" if rest > 0 else ""
        return f"a total (known entries aside) {' or '.join(map(str, ranges))}{more}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "worlds": [self.first.text, self.second.text],
            "event": [[exact_text(low), exact_text(high)] for low, high in self.pieces],
            "event_in_words": self.event,
            "probabilities": [to_json(p) for p in self.probabilities],
        }

    def _apart(self) -> bool:
        """Tell whether the lattices of both worlds are disjoint."""
        laws = [law for world in (self.first, self.second) for law, _ in world.groups]
        starts = [_least(world) for world in (self.first, self.second)]
        certain = all(len(law.values) == 1 for law in laws)  # one total is possible in each world
        distance = starts[0] - starts[1]
        apart = distance != 0 if certain else distance % common_step(laws) != 0
        return apart and list(self.probabilities) == [1, 0]


def _least(world: World) -> Fraction:
    return world.constant + sum((law.values[0] * count for law, count in world.groups), Fraction(0))


def _agrees(world: World, pieces: Pieces, stated: Number) -> bool:
    if isinstance(stated, Real):
        return agree(stated, _again(world, pieces, stated))
    entries = sum(count for _, count in world.groups)
    values = max((len(law.values) for law, _ in world.groups), default=1)
    if entries * entries * values * values <= _PLAIN:
        return _plain(world, pieces) == stated
    return _modular(world, pieces, stated)


def _plain(world: World, pieces: Pieces) -> Fraction:
    """Add up the probability of the totals, entry by entry, in whole numbers."""
    step = common_step(law for law, _ in world.groups)
    weights, scale = {0: 1}, 1
    for law, count in world.groups:
        bottom, times = law.scale, int(law.step / step)
        terms = [(p * times, w) for p, w in zip(law.places, law.weights, strict=True)]
        for _ in range(count):
            moved: dict[int, int] = {}
            for place, weight in weights.items():
                for value, mass in terms:
                    moved[place + value] = moved.get(place + value, 0) + weight * mass
            weights, scale = moved, scale * bottom
    least = _least(world)
    totals = ((least + place * step, weight) for place, weight in weights.items())
    inside = sum(w for t, w in totals if any(low <= t <= high for low, high in pieces))
    return Fraction(inside, scale)


def _modular(world: World, pieces: Pieces, stated: Fraction) -> bool:
    """Compare the stated probability with the true one modulo a prime."""
    step = common_step(law for law, _ in world.groups)
    row, scale = nmod_poly([1], _PRIME), 1
    for law, count in world.groups:
        times = int(law.step / step)
        base = [0] * (law.places[-1] * times + 1)
        for place, weight in zip(law.places, law.weights, strict=True):
            base[place * times] = weight % _PRIME
        row *= nmod_poly(base, _PRIME) ** count
        scale = scale * pow(law.scale, count, _PRIME) % _PRIME
    least, places = _least(world), [int(c) for c in row.coeffs()]
    inside = 0
    for low, high in pieces:
        first, last = math.ceil((low - least) / step), math.floor((high - least) / step)
        inside += sum(places[max(0, first) : max(0, last + 1)])
    return (stated.numerator * scale - inside * stated.denominator) % _PRIME == 0


def _again(world: World, pieces: Pieces, stated: Real) -> Number:
    """Enclose the probability of the totals once more, with digits enough to tell it from 0."""
    step, (low, _) = common_step(law for law, _ in world.groups), bounds(stated)
    small = low.denominator.bit_length() - low.numerator.bit_length() if low > 0 else _BITS
    law = law_of_sum.__wrapped__(world.groups, step, small + _BITS)
    least = _least(world)
    known = law.mass(
        tuple(
            (math.ceil((low - least) / step), math.floor((high - least) / step) + 1)
            for low, high in pieces
        )
    )
    return Real.between(known, known + law.missing)
