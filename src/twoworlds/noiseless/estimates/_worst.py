r"""The worst of many pairs of laws on few outputs, in integers.

A `Pair` holds numerators P_t, Q_t over one denominator. With a = e^epsilon, both directions,

    delta(a)   = max over pairs of  sum_t (P_t - a Q_t)_+
    ratio(d)   = max over pairs and events E of  (P(E) - d) / Q(E)     (at least 1),

and the best event of the second is a set of outputs with the largest P_t / Q_t: where
delta(a) = d, the event {P > a Q} attains it. For an irrational a, two rationals around it keep only
the pairs that can be the worst; the value is then the largest of few enclosures P(E) - a Q(E),
refinable to any precision.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import Generic, NamedTuple, TypeVar

from twoworlds.numbers import INFINITY, Number, Order, bounds, compare, maximum

__all__ = ["Pair", "Worst", "largest_delta", "smallest_ratio"]

_BITS = 1024
T = TypeVar("T")


@dataclass(frozen=True)
class Pair(Generic[T]):
    """Two laws on outputs 0, 1, ..., as numerators over one denominator; ``about`` says which.

    ``forward`` is False when the two have changed places.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    denominator: int
    about: T
    forward: bool = True

    def reverse(self) -> Pair[T]:
        """Return the other direction."""
        return Pair(self.second, self.first, self.denominator, self.about, not self.forward)

    def excess(self, ratio: Fraction) -> int:
        """Return the numerator of sum (P - a Q)_+ over ``denominator * ratio.denominator``."""
        top, bottom = ratio.numerator, ratio.denominator
        gaps = (bottom * p - top * q for p, q in zip(self.first, self.second, strict=True))
        return sum(gap for gap in gaps if gap > 0)

    def event(self, ratio: Number) -> tuple[int, ...]:
        """Return the outputs with P > a Q."""
        return tuple(
            t
            for t, (p, q) in enumerate(zip(self.first, self.second, strict=True))
            if p and (not q or compare(Fraction(p, q), ratio) is Order.GREATER)
        )

    def masses(self, event: Iterable[int]) -> tuple[Fraction, Fraction]:
        """Return the probability of an event under both laws."""
        chosen = tuple(event)
        sums = (sum(law[t] for t in chosen) for law in (self.first, self.second))
        p, q = (Fraction(total, self.denominator) for total in sums)
        return p, q


class Worst(NamedTuple, Generic[T]):
    """The worst value, and the pair and event that attain it (the first law is the likelier)."""

    value: Number
    pair: Pair[T]
    event: tuple[int, ...]


def largest_delta(pairs: Iterable[Pair[T]], ratio: Number) -> Worst[T]:
    """Return the largest delta of any pair in any direction; there must be a pair."""
    both = [way for pair in pairs for way in (pair, pair.reverse())]
    if ratio == INFINITY:
        pair = max(both, key=lambda way: way.masses(way.event(ratio))[0])
        event = pair.event(ratio)
        return Worst(pair.masses(event)[0], pair, event)
    low, high = bounds(ratio, _BITS)
    best = _largest(both, high)
    if isinstance(ratio, Fraction):
        value = Fraction(best.excess(ratio), best.denominator * ratio.denominator)
        return Worst(value, best, best.event(ratio))
    floor = Fraction(best.excess(high), best.denominator * high.denominator)
    worst: Worst[T] = Worst(_excess(best, ratio), best, best.event(ratio))
    known = {(best.first, best.second)}
    for pair in both:
        top = pair.excess(low) * floor.denominator
        if top <= floor.numerator * pair.denominator * low.denominator:
            continue
        if (pair.first, pair.second) not in known:
            known.add((pair.first, pair.second))
            found = _excess(pair, ratio)
            if compare(found, worst.value) is Order.GREATER:
                worst = Worst(found, pair, pair.event(ratio))
            else:
                worst = Worst(maximum(worst.value, found), worst.pair, worst.event)
    return worst


def _largest(pairs: list[Pair[T]], ratio: Fraction) -> Pair[T]:
    best, most = pairs[0], pairs[0].excess(ratio)
    for pair in pairs[1:]:
        excess = pair.excess(ratio)
        if excess * best.denominator > most * pair.denominator:
            best, most = pair, excess
    return best


def _excess(pair: Pair[T], ratio: Number) -> Number:
    p, q = pair.masses(pair.event(ratio))
    return p - ratio * q


def smallest_ratio(pairs: Iterable[Pair[T]], delta: Fraction) -> Worst[T]:
    """Return the smallest ratio that holds for every pair in both directions with a delta."""
    best: Worst[T] | None = None
    top, bottom = 0, 1
    for pair in (way for one in pairs for way in (one, one.reverse())):
        for event, p, q in _prefixes(pair):
            gain = delta.denominator * p - delta.numerator * pair.denominator
            cost = delta.denominator * q
            if gain <= 0:
                continue
            if not cost:
                return Worst(INFINITY, pair, event)
            if gain * bottom > top * cost:
                top, bottom = gain, cost
                best = Worst(Fraction(0), pair, event)
        if best is None:
            best = Worst(Fraction(0), pair, ())
    assert best is not None
    return Worst(max(Fraction(top, bottom), Fraction(1)), best.pair, best.event)


def _prefixes(pair: Pair[T]) -> list[tuple[tuple[int, ...], int, int]]:
    """Return the events made of the outputs with the largest quotients, with their numerators."""

    def steeper(s: int, t: int) -> int:
        gap = pair.first[t] * pair.second[s] - pair.first[s] * pair.second[t]
        return (gap > 0) - (gap < 0)

    order = sorted((t for t, p in enumerate(pair.first) if p), key=cmp_to_key(steeper))
    found: list[tuple[tuple[int, ...], int, int]] = []
    event: tuple[int, ...] = ()
    p = q = 0
    for t in order:
        event, p, q = (*event, t), p + pair.first[t], q + pair.second[t]
        found.append((event, p, q))
    return found
