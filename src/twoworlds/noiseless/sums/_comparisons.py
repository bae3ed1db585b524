"""Which two laws of a total are compared, and which of these comparisons is the worst.

One person's entry is v, the attacker knows some entries, and S is the sum of the others that are
unknown. Known entries only shift the total, in both worlds alike, so they are left out.

    ddp, canonical      S + v  against  S             the simulator adds up the other entries
    ddp, centred        S + v  against  S + c         ... and adds a constant near the midpoint
    ddp, resampled      S + v  against  S + V         ... and adds a fresh draw V of the entry's law
    noiseless           S + v  against  S + v'

each in both directions, for all v (and v') that the person's law allows (Bassily, Groce, Katz &
Smith, Definitions 3 and 6). Without V the comparison is one of S with S + d, and when S is
log-concave only the largest |d| counts: P(S = t - d) / P(S = t) then does not decrease in t for
d > 0, so some half-line is the best event,

    H_a(S + d, S) = max_x P(S >= x - d) - a P(S >= x) ,

which does not decrease in d for fixed x. The same holds for d < 0 with the lower half-lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from twoworlds.noiseless.sums._convolution import SumLaw, gap, one, smallest_ratio
from twoworlds.noiseless.sums.laws import EntryLaw
from twoworlds.numbers import INFINITY, Number, bounds, exact_text

__all__ = [
    "Comparison",
    "Groups",
    "World",
    "Worst",
    "centres",
    "comparisons",
    "worst_of",
    "worst_ratio",
]

Groups = tuple[tuple[EntryLaw, int], ...]


@dataclass(frozen=True)
class World:
    """A law of the total: of independent entries, and a constant.

    Attributes:
        text: which world it is.
        groups: the laws of the entries, with how many have each.
        constant: what is added.
    """

    text: str
    groups: Groups
    constant: Fraction


@dataclass(frozen=True)
class Comparison:
    """Two worlds, with their laws on a common lattice that begins at ``origin``.

    Both laws are None when the worlds have no total in common.
    """

    first: World
    second: World
    origin: Fraction
    laws: tuple[SumLaw, SumLaw] | None


@dataclass(frozen=True)
class Worst:
    """The worst comparison at a ratio.

    Attributes:
        delta: how much likelier its event is than the ratio allows.
        comparison: the two worlds.
        pieces: the event, as closed ranges of totals; empty if the worlds share no total.
        masses: its known probability in both worlds.
    """

    delta: Number
    comparison: Comparison | None
    pieces: tuple[tuple[Fraction, Fraction], ...] = ()
    masses: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))


def centres(law: EntryLaw, step: Fraction) -> list[Fraction]:
    """Return the constants next to the midpoint that leave S + c on the lattice of S + v."""
    low, high = law.ends
    below = low + (high - low) / 2 // step * step
    return [below] if 2 * below == low + high else [below, below + step]


def comparisons(
    person: EntryLaw, groups: Groups, total: SumLaw, step: Fraction, how: str
) -> Iterator[Comparison]:
    """Yield every comparison that may be the worst one, in both directions.

    Args:
        person: the law of the entry that is protected.
        groups: the laws of the unknown other entries.
        total: the law of (S - its least value) / step.
        step: the lattice.
        how: "canonical", "centred C" with its constant, "resampled" or "noiseless".
    """
    least = sum((law.values[0] * count for law, count in groups), Fraction(0))
    if how == "resampled":
        yield from _resampled(person, groups, total, step, least)
        return
    for first, second in _pairs(person, groups, how, concave=total.log_concave):
        distance = (first.constant - second.constant) / step
        laws = None
        if distance.denominator == 1:
            laws = total.shifted(int(distance)), total
        origin = least + second.constant
        yield Comparison(first, second, origin, laws)
        if laws is None:
            return
        yield Comparison(second, first, origin, (laws[1], laws[0]))


def worst_of(found: Iterator[Comparison], ratio: Number, step: Fraction) -> Worst:
    """Return the largest hockey-stick divergence among the comparisons."""
    best = Worst(Fraction(0), None)
    for comparison in found:
        if comparison.laws is None:
            return Worst(Fraction(1), comparison)
        seen = gap(*comparison.laws, ratio)
        if bounds(seen.delta)[1] > bounds(best.delta)[1]:
            pieces = tuple(
                (comparison.origin + low * step, comparison.origin + (high - 1) * step)
                for low, high in seen.pieces
            )
            best = Worst(seen.delta, comparison, pieces, seen.masses)
    return best


def worst_ratio(found: Iterator[Comparison], delta: Fraction) -> Number:
    """Return the smallest ratio with which all comparisons have at most this delta."""
    best: Number = Fraction(1)
    for comparison in found:
        if comparison.laws is None:
            return INFINITY if delta < 1 else Fraction(1)
        ratio = smallest_ratio(*comparison.laws, delta)
        if ratio == INFINITY:
            return ratio
        if bounds(ratio)[1] > bounds(best)[1]:
            best = ratio
    return best


def _pairs(
    person: EntryLaw, groups: Groups, how: str, *, concave: bool
) -> Iterator[tuple[World, World]]:
    """Yield the worlds that differ by a constant: with each value, or only the extreme ones."""
    if how == "noiseless":
        listed = [person.ends] if concave else combinations(person.values, 2)
        seen = set()
        for low, high in listed:
            if high - low not in seen and low != high:
                seen.add(high - low)
                yield World(_entry(high), groups, high), World(_entry(low), groups, low)
        return
    centre = Fraction(how.partition(" ")[2] or 0)
    text = "without it" if how == "canonical" else f"without it, {exact_text(centre)} added"
    other = World(text, groups, centre)
    values: Sequence[Fraction] = person.values
    if concave:
        values = [max(person.ends, key=lambda v: abs(v - centre))]
    for value in values:
        if value != centre:
            yield World(_entry(value), groups, value), other


def _resampled(
    person: EntryLaw, groups: Groups, total: SumLaw, step: Fraction, least: Fraction
) -> Iterator[Comparison]:
    ideal = total.plus(one(person, step))
    second = World("without it, a fresh draw added", (*groups, (person, 1)), Fraction(0))
    origin = least + person.values[0]
    for value in person.values:
        first = World(_entry(value), groups, value)
        real = total.shifted(int((value - person.values[0]) / step))
        yield Comparison(first, second, origin, (real, ideal))
        yield Comparison(second, first, origin, (ideal, real))


def _entry(value: Fraction) -> str:
    return f"entry {exact_text(value)}"
