"""Compositions written down in plain sums: what the grid, domination and sampling are judged by."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from hypothesis import strategies as st

from twoworlds.laws.comparison import FiniteComparison, larger
from twoworlds.laws.event import Event
from twoworlds.numbers import INFINITY, bounds, ln

RATIOS = st.fractions(1, 9, max_denominator=7)


@dataclass(frozen=True)
class Named(Event):
    """A set of outputs, by what it was made of."""

    kind: str
    made_of: tuple

    def holds(self, output):
        raise NotImplementedError

    def describe(self, outputs):
        return self.kind


class Names:
    """Remembers what sets of outputs were asked for."""

    def likelier(self, ratio):
        return Named("likelier", (ratio,))

    def rounded(self, unit, marks, least, spare):
        return Named("rounded", (unit, tuple(marks), least))

    def every(self, events):
        return Named("every", tuple(events))

    def reverse(self):
        return self


def compared(p, q):
    """Compare two laws of the outputs 0, 1, ..."""
    return FiniteComparison.of("x", "y", range(len(p)), p, q)


def independent(*pairs):
    """Return the two laws of all outputs together, output by output."""
    return tuple(
        tuple(prod(word, start=Fraction(1)) for word in product(*laws))
        for laws in zip(*pairs, strict=True)
    )


def gap(pair, ratio):
    """Return the sum of (p - a q)_+."""
    return sum((max(Fraction(0), p - ratio * q) for p, q in zip(*pair, strict=True)), Fraction(0))


def falling(pair):
    """Return the cells in order of falling likelihood ratio."""
    possible = [(p, q) for p, q in zip(*pair, strict=True) if p or q]
    return sorted(possible, key=lambda cell: -cell[0] / sum(cell))


def ratio_for(pair, delta):
    """Return the least a >= 1 with a gap of at most delta: some first cells need it."""
    best, p, q = Fraction(1), Fraction(0), Fraction(0)
    for more_p, more_q in falling(pair):
        p, q = p + more_p, q + more_q
        if p > delta:
            if q == 0:
                return INFINITY
            best = max(best, (p - delta) / q)
    return best


def power(pair, level):
    """Return the largest P(alarm) with Q(alarm) = level, with a coin on one cell."""
    left, gained = level, Fraction(0)
    for p, q in falling(pair):
        share = Fraction(1) if q == 0 else min(Fraction(1), left / q)
        left, gained = left - share * q, gained + share * p
    return gained


def limit(pair):
    return sum((p for p, q in zip(*pair, strict=True) if q == 0), Fraction(0))


def rounded_masses(pairs, unit, marks, least):
    """Return P and Q of: one loss at least is infinite, or the rounded ones add up to enough."""
    p = q = Fraction(0)
    for word in product(*(zip(*pair, strict=True) for pair in pairs)):
        if any(cell[0] == 0 for cell in word):
            continue
        infinite = any(cell[1] == 0 for cell in word)
        if not infinite:
            both = zip(word, marks, strict=True)
            places = [_place(ln(Fraction(c[0]) / c[1]), unit, own) for c, own in both]
        if infinite or sum(places) >= least:
            p, q = p + prod(c[0] for c in word), q + prod(c[1] for c in word)
    return p, q


def _place(loss, unit, marks):
    """Return the middle of the cell between two marks, or what lies just outside of all."""
    above = bisect_left(marks, 1, key=lambda mark: not larger(loss, unit * mark))
    if above == 0:
        return marks[0]
    return marks[-1] + 1 if above == len(marks) else (marks[above - 1] + marks[above] + 1) // 2


def encloses(found, exact, slack=Fraction(0)):
    """Tell whether a number lies between two ends, which may be a little apart from it."""
    low, high = bounds(found)
    return low - slack <= exact <= high + slack
