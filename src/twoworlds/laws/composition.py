r"""Composition: several independent outputs compared at once, exactly or between two proven ends.

The loss of an output is the logarithm of its likelihood ratio, L = ln P(o)/Q(o). The losses of
independent outputs add up, so that all that anybody can learn from several outputs follows from the
law of the sum of their losses (Dwork & Rothblum 2016; Sommer, Meiser & Mohammadi 2019).

**Exact.** Where all parts have finitely many likelihood ratios, outputs of equal ratio are merged.
Gaussian parts together are one Gaussian part: their distances add up in squares.

Where one part alone has infinitely many ratios, and is known exactly, the gap is a sum over the
likelihood ratios of the others, of masses p and q: sum p H_b of that part, where b = a q/p.

**Between two ends** (`Composed`). Elsewhere losses are put on a grid of multiples of a unit. Both
ends come from the best tests {L > l} of each part at the points l of the grid.

*From below.* Round the loss of each output to the grid. That is a post-processing, so that the
rounded losses, added up under P and under Q, are those of a real event: "the rounded losses add up
to at least t". Whatever t is, P(E) - a Q(E) is at most the gap.

*From above.* Between two neighbouring points of the grid, l and l', move every output to its two
ends such that both masses stay: the masses p, q of a cell become p', q' at the ratio e^l and p'',
q'' at e^l'. As (p - a q)_+ is convex in the ratio, that raises the gap at every a: the pair of laws
that results dominates the old one. It depends only on the gaps at the points of the grid
(Doroshenko, Ghazi, Kamath, Kumar & Manurangsi 2022, "connect the dots"), and domination passes to
compositions (Zhu, Dong & Wang 2022, Theorem 10).

Both ends are off by the square of the unit only: the first because the best test is at a maximum,
where moving its border a little changes little; the second because the mean of e^L is kept, and
only its spread grows. The unit is made smaller until the ends are as near as asked.

All sums are of whole numbers: masses are rounded down to multiples of 2^-bits, and ends of a row
that hold next to nothing are cut off. What is lost that way is counted, and added to the gap from
above and to Q(E) from below. So no bound on tails, and no float, has to be believed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import NamedTuple

from twoworlds.errors import TooLarge
from twoworlds.laws.comparison import (
    Comparison,
    FiniteComparison,
    Gap,
    Peak,
    ProfileLine,
    larger,
    summed_divergence,
)
from twoworlds.laws.event import Events, Listed, Point
from twoworlds.laws.grid import Above, Below, Grid, Marks, Part
from twoworlds.laws.lattice import enclosure
from twoworlds.laws.line import GaussianPair
from twoworlds.laws.ratios import commensurable, finite, ratio_tables
from twoworlds.numbers import (
    INFINITY,
    Number,
    Real,
    at_most_one,
    bounds,
    exp,
    ln,
    rough_log,
    sqrt,
)
from twoworlds.progress import track

WIDTH = Fraction(1, 1000)
_CELLS = 32  # of a part, to begin with
_MOST_ROUNDS = 16
_FIRST_BITS, _MARGIN_BITS, _MOST_BITS = 48, 20, 2048
_TINIEST = Fraction(1, 1 << 512)
_STEEP = 10  # a share of epsilon is about so many times the same share of delta
_FINER, _FINEST = 2, 16  # the unit becomes so many times smaller at a time
_FEW_RATIOS = 1 << 6
_STALLED = 0.7  # a finer grid that leaves more than this share of the width does not help
_TELLING = Fraction(100)
_VAGUE = Fraction(1, 1 << 32)  # a ratio is known between two ends only if they are further apart
_UNIT_BITS, _SELDOM, _SMALLEST = 20, 2.0**-16, 1e-9


def compose(
    parts: Sequence[Part], events: Events, x: Point, y: Point, *, width: Fraction = WIDTH
) -> Comparison:
    """Compare all outputs of several parts, which are independent in each world.

    Args:
        parts: Two laws each, and how often they occur.
        events: Names sets of outputs.
        x: The first world.
        y: The second one.
        width: How far two ends may be apart, as a share of the number that is asked for.
    """
    if all(isinstance(part.comparison, GaussianPair) for part in parts):
        return _one_gaussian(parts, events, x, y)
    return finite(parts, events, x, y) or Composed(x, y, tuple(parts), events, width)


def _one_gaussian(parts: Sequence[Part], events: Events, x: Point, y: Point) -> GaussianPair:
    """Return the comparison of all answers: d/sigma is the root of the sum of their squares."""
    squares: Number = Fraction(0)
    for pair, times in parts:
        assert isinstance(pair, GaussianPair)
        squares += times * ((pair.u - pair.v) / pair.sigma) ** 2
    return GaussianPair(x, y, sqrt(squares), Fraction(0), Fraction(1), events)


class _Ends(NamedTuple):
    """Two ends of a number, the threshold that shows the lower one, and how good they are.

    ``width`` is how far they are apart, as a share; fewer ``bits`` than these would count.
    """

    low: Fraction
    high: Number
    threshold: int
    width: float
    bits: int


class _Known(NamedTuple):
    """A grid, and its lines."""

    unit: Number
    bits: int
    marks: tuple[Marks, ...]
    above: Above
    below: Below


@dataclass(frozen=True, eq=False)
class Composed(Comparison):
    """The outputs of several parts together, between two ends.

    Attributes:
        parts: two laws each, with how often they occur.
        events: names sets of outputs.
        width: how far the two ends may be apart, as a share of the number that is asked for.
    """

    x: Point
    y: Point
    parts: tuple[Part, ...]
    events: Events = field(repr=False)
    width: Fraction = WIDTH
    _known: list[_Known] = field(default_factory=list, repr=False)

    def reverse(self) -> Comparison:
        parts = tuple(Part(part.comparison.reverse(), part.times) for part in self.parts)
        return Composed(self.y, self.x, parts, self.events.reverse(), self.width)

    @property
    def factors(self) -> tuple[tuple[Comparison, int], ...]:
        return self.parts

    def divergence(self, order: Fraction) -> Number:
        return summed_divergence(self.parts, order)

    def peak(self) -> Peak:
        """Multiply the largest ratios of all parts."""
        peaks = [part.comparison.peak() for part in self.parts]
        ratio = prod(
            (peak.ratio**part.times for peak, part in zip(peaks, self.parts, strict=True)),
            start=Fraction(1),
        )
        if all(peak.attained for peak in peaks):
            return Peak(ratio, self.events.every([peak.event for peak in peaks]))
        goal = _TELLING if ratio == INFINITY else 1 + (ratio - 1) * Fraction(9, 10)
        ends = self._gap_ends(goal)

        def shown(above: Above, below: Below) -> _Ends:
            found = ends(above, below)  # any event of a larger ratio will do
            return found._replace(width=0.0, bits=0) if found.low > 0 else found

        return Peak(ratio, self._gap(goal, shown).event, attained=False)

    def limit(self) -> Number:
        """Return the chance that some output is one that Q cannot produce."""
        safe = ((1 - part.comparison.limit()) ** part.times for part in self.parts)
        return 1 - prod(safe, start=Fraction(1))

    def gap(self, ratio: Number) -> Gap:
        """Enclose the gap; the event attains its lower end."""
        if ratio == INFINITY:
            return Gap(self.limit(), self.events.likelier(INFINITY))
        return self._gap(ratio, self._gap_ends(ratio))

    def _gap(self, ratio: Number, ends: Callable[[Above, Below], _Ends]) -> Gap:
        if not larger(self._largest(), ratio):
            return Gap(Fraction(0), Listed.of(()))
        if self.limit() == 1:
            return Gap(Fraction(1), self.events.likelier(INFINITY))
        found, known = self._search(ends)
        event = self.events.rounded(known.unit, known.marks, found.threshold, 2 * known.bits)
        exact = self._exact_gap(ratio)
        return Gap(enclosure(found.low, bounds(found.high)[1]) if exact is None else exact, event)

    def _exact_gap(self, ratio: Number) -> Number | None:
        """Return the gap where one part alone has more than a few likelihood ratios."""
        if self._split is None:
            return None
        table, other = self._split
        total: Number = Fraction(0)
        for p, q, _ in table.cells():
            if p == 0 or q == 0:
                total += p
            elif larger(p, ratio * q) or p == ratio * q:  # H_b = 1 - b + b H_(1/b) of the reverse
                total += p - ratio * q * (1 - other.reverse().gap(p / (ratio * q)).delta)
            else:
                total += p * other.gap(ratio * q / p).delta
        return total

    @cached_property
    def _split(self) -> tuple[FiniteComparison, Comparison] | None:
        """All parts of finitely many ratios as one, and the only other one."""
        tables = [part for part in self.parts if ratio_tables([part]) is not None]
        others = [part for part in self.parts if part not in tables]
        table = finite(tables, self.events, self.x, self.y) if tables else None
        if table is None or len(table.p) > _FEW_RATIOS or len(others) != 1:
            return None
        [(other, times)] = others
        return (table, other) if times == 1 and other.dominating is other else None

    def tangent(self, ratio: Fraction, tiny: Fraction) -> tuple[ProfileLine, Fraction]:
        """Take the line of the event that shows the lower end, and the upper end."""
        nothing = ProfileLine(Fraction(0), Fraction(0))
        if not larger(self._largest(), ratio):
            return nothing, Fraction(0)
        if self.limit() == 1:
            return nothing._replace(p=Fraction(1)), Fraction(1)
        found, known = self._search(self._gap_ends(ratio, max(tiny, _TINIEST)))
        return ProfileLine(*known.below.line(found.threshold)), bounds(found.high)[1]

    def roughly(self, ratio: Number) -> tuple[Fraction, Fraction]:
        """Enclose the gap by one grid, however far its ends are apart."""
        if ratio == INFINITY or not larger(self._largest(), ratio) or self.limit() == 1:
            return super().roughly(ratio)
        found, _ = self._search(self._gap_ends(ratio), rounds=1)
        return found.low, bounds(found.high)[1]

    def _gap_ends(
        self, ratio: Number, tiny: Fraction = _TINIEST
    ) -> Callable[[Above, Below], _Ends]:
        low_ratio, high_ratio = bounds(ratio)
        vague = high_ratio - low_ratio > low_ratio * _VAGUE

        def ends(above: Above, below: Below) -> _Ends:
            high = min(Fraction(1), above.gap(ratio))
            low, threshold = below.gap(high_ratio)
            low = max(Fraction(0), low)
            if high <= tiny:  # need not be known any better
                return _Ends(low, high, threshold, 0.0, 0)
            if vague:  # a finer grid does not help; what shows most at the least ratio is shown
                return _Ends(low, high, below.gap(low_ratio)[1], 0.0, 0)
            width = float(1 - low / high) / _STEEP if high else 0.0
            return _Ends(low, high, threshold, width, _MARGIN_BITS - _size(high))

        return ends

    def ratio_for(self, delta: Number) -> Number:
        if delta == 0:
            return self._largest()
        allowed, least = bounds(delta)
        if larger(self.limit(), delta):
            return INFINITY
        if allowed >= 1:
            return Fraction(1)

        def ends(above: Above, below: Below) -> _Ends:
            high, largest = above.ratio_for(allowed), self._largest()
            high = largest if high == INFINITY or larger(high, largest) else high
            low, threshold = below.ratio_for(least)
            low = max(Fraction(1), low)
            width = 0.0 if high == 1 else math.inf
            if high != INFINITY and high != 1:
                width = 1 - rough_log(low) / rough_log(bounds(high)[1])
            return _Ends(low, high, threshold, width, _MARGIN_BITS - _size(allowed))

        found, _ = self._search(ends)
        if found.high == INFINITY:
            raise TooLarge(
                "the ratio for this delta is too large to be computed: ask for a larger delta"
            )
        return _ratio_between(found.low, found.high)

    def power(self, level: Number) -> Number:
        """Enclose the largest P(alarm) of a test with Q(alarm) = level."""
        if level == 0 or level == 1:
            return Fraction(1) if level else self.limit()
        if not larger(self._largest(), 1):
            return level
        if self.limit() == 1:
            return Fraction(1)
        self.gap(Fraction(1))
        known = self._known[-1]
        low = known.below.power(bounds(level)[0])
        high = known.above.power(bounds(level)[1])
        other = self.reverse()
        assert isinstance(other, Composed)
        other.gap(Fraction(1))
        # P(alarm) = 1 - P(none), where Q(none) = 1 - level is the power of the reverse, turned.
        turned = other._known[-1].above.turned_power(bounds(level)[1])
        return at_most_one(Real.between(low, min(high, turned)))

    def _largest(self) -> Number:
        ratios = (part.comparison.dominating.peak().ratio ** part.times for part in self.parts)
        return prod(ratios, start=Fraction(1))

    def _search(
        self, ends: Callable[[Above, Below], _Ends], rounds: int = _MOST_ROUNDS
    ) -> tuple[_Ends, _Known]:
        """Refine the grid until both ends are as near as asked, or it would be too large."""
        tables = ratio_tables(self.parts)
        lattice = tables and commensurable([ln(r) for table in tables for r in table])
        unit, bits = (lattice[0] if lattice else self._first_unit()), _FIRST_BITS
        if self._known:
            unit, bits = self._known[-1].unit, self._known[-1].bits
        bounded = any(part.comparison.dominating is not part.comparison for part in self.parts)
        refined = len({known.unit for known in self._known}) > 1
        best: tuple[_Ends, _Known] | None = None
        for _ in track(range(rounds), "bringing both ends together"):
            known = self._lines(unit, bits)
            if known is None:
                break
            found = ends(known.above, known.below)
            before = math.inf if best is None else best[0].width
            if found.width <= before:
                best = found, known
            if found.bits > bits and bits < _MOST_BITS:
                seen = found.low > 0  # else the upper end is what rounding loses: it says little
                bits = min(found.bits if seen else max(found.bits, 2 * bits), _MOST_BITS)
            elif found.width <= self.width or lattice:
                break
            elif bounded and (refined or found.width > before * _STALLED):
                break  # what is left does not come from the grid
            else:
                finer = math.sqrt(min(found.width, 1e6) / self.width) * 1.1
                unit = unit / min(_FINEST, max(_FINER, math.ceil(finer)))
        if best is None:
            raise TooLarge("these parts differ too much in size to be composed on one grid")
        return best

    def _lines(self, unit: Number, bits: int) -> _Known | None:
        for known in self._known:
            if known.unit == unit and known.bits == bits:
                return known
        grid = Grid(self.parts, unit)
        try:
            marks = tuple(grid.marks(part, bits) for part in self.parts)
            known = _Known(unit, bits, marks, grid.above(bits), grid.below(bits, marks))
        except TooLarge:
            return None
        self._known.append(known)
        return known

    def _first_unit(self) -> Fraction:
        """Divide the widest range of losses into some cells."""
        laws = [part.comparison for part in self.parts]
        others = [one.dominating for one in laws if one.dominating is not one]
        widest = max(_reach(one) for one in (*laws, *others))
        for part in self.parts:  # where much mass has the largest loss, it lies on the grid then
            ratio = part.comparison.dominating.peak().ratio
            if ratio != INFINITY and ratio != 1:
                largest = float(ln(ratio))
                widest = largest / math.ceil(largest * _CELLS / widest) * _CELLS
                break
        share, exponent = math.frexp(widest / _CELLS)
        return math.ceil(math.ldexp(share, _UNIT_BITS)) * Fraction(2) ** (exponent - _UNIT_BITS)


def _reach(comparison: Comparison) -> float:
    """Return a loss that is seldom exceeded, in either direction."""
    reach, certain = 1.0, float(comparison.limit())

    def seldom(loss: float) -> bool:
        [low, high] = comparison.best_tests([Fraction(-loss), Fraction(loss)])
        return 1 - float(low.p) + float(high.p) - certain <= _SELDOM

    while not seldom(reach):
        reach *= 2
    while reach > _SMALLEST and seldom(reach / 2):
        reach /= 2
    return reach


def _ratio_between(low: Fraction, high: Number) -> Number:
    """Return a ratio of which two ends are known, with those of its loss: they may be large."""
    if low == high:
        return high
    loss = Real.between(bounds(ln(low))[0], bounds(ln(high))[1])
    loss.cap = bounds(ln(high))[1]
    found = exp(loss)
    assert isinstance(found, Real)
    found.floor, found.cap = low, bounds(high)[1]
    return found


def _size(x: Fraction) -> int:
    """Return the logarithm to base 2, roughly; of 0 that of what is not worth computing."""
    if x <= 0:
        return -_MOST_BITS
    return x.numerator.bit_length() - x.denominator.bit_length()
