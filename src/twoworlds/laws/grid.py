r"""Losses on a grid: the law of a sum of losses from above and from below, in whole numbers.

A part is known by its best tests {L > l} at some points of the grid, its *marks*, which are
multiples of a unit. `Grid.above` and `Grid.below` turn the tests of all parts into lines p - a q,
one for each threshold t of the sum S of losses, in units; the gap H_a lies between the line of the
one that belongs to a, and any line of the other (`twoworlds.laws.composition` says why).

    above   p = P'(S >= t) + missing,    q = Q'(S >= t)             S on the grid
    below   p = P(S >= t),               q = Q(S >= t) + missing    S the sum of rounded losses;
                                                                    infinite ones stay infinite

Q is much smaller than P where S is large. So rows hold the masses of Q times e^S (above, that is P'
itself; below, it is nearly P), and the factor is taken out of the sums at the end:

    Q(S >= t) = sum_{s >= t} e^-s (e^S Q)(s)  <=  known sum + e^-t missing.

Masses are whole multiples of 2^-bits, rounded down; ``missing`` is what was lost on the way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, chain, pairwise
from math import ceil, floor, prod
from typing import TYPE_CHECKING, NamedTuple

from flint import arb, fmpz, fmpz_poly

from twoworlds.errors import TooLarge
from twoworlds.laws.comparison import Comparison, larger
from twoworlds.laws.lattice import Row, SumLaw
from twoworlds.numbers import (
    INFINITY,
    Number,
    Real,
    ball,
    bounds,
    exp,
    ln,
    rough_log,
    working_precision,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROUNDING_BITS = 24  # more than all roundings of a row together lose
_BALL_BITS = 64  # more than differences of tests lose
_MOST_MARKS, _MOST_PLACES = 1 << 15, 1 << 19
_LARGEST = 90_000  # loss
_FAR = 700  # a loss whose exponential is still a float
_SCAN = 64  # points at which the mass beyond is looked at, to space the marks
_WIDEST, _FEW = 4, 16  # cells are up to 2^4 units wide, from a mass beyond of 2^-16 on

Marks = tuple[int, ...]
_Tested = tuple[Comparison, Marks, int, list[tuple[arb, arb]]]


class Part(NamedTuple):
    """Two laws, and how many independent outputs they have."""

    comparison: Comparison
    times: int


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines p - a q for all thresholds t of a range: whole numbers over 2^bits.

    The rows begin at ``start``, and ``raised`` holds e^(t unit) q.
    """

    start: int
    p: Sequence[fmpz]
    raised: Sequence[fmpz]
    bits: int
    unit: Number

    @property
    def thresholds(self) -> range:
        """The thresholds that have a line; further out, that of the nearest one is meant."""
        return range(self.start, self.start + len(self.p))

    def ratio(self, threshold: int) -> tuple[Fraction, Fraction]:
        """Return bounds on e^(t unit)."""
        if abs(float(self.unit) * threshold) > _LARGEST:
            raise TooLarge(
                f"all outputs together have losses beyond {_LARGEST}: they hide nothing, and no "
                "number is computed; ask about fewer of them"
            )
        return bounds(exp(self.unit * threshold))

    def sums(self, threshold: int) -> tuple[Fraction, Fraction]:
        """Return p and the raised q."""
        place = threshold - self.start
        p, q = (Fraction(int(row[place]), 1 << self.bits) for row in (self.p, self.raised))
        return p, q

    def nearest(self, threshold: int) -> int:
        """Return the nearest threshold that has a line."""
        return min(max(threshold, self.start), self.thresholds[-1])

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The losses of the thresholds, p and the raised q, nearly: they choose a threshold."""
        import numpy as np

        scale = 1 << self.bits
        rows = ([int(mass) / scale for mass in row] for row in (self.p, self.raised))
        return np.array([float(self.unit) * np.array(self.thresholds), *rows])


@dataclass(frozen=True, eq=False)
class Above(Lines):
    """Lines of a dominating pair: the one from the first t with e^(t unit) > a on is the gap."""

    def gap(self, ratio: Number) -> Fraction:
        """Return a bound on the gap from above."""
        loss = ln(ratio)
        threshold = floor(float(bounds(loss)[0]) / float(self.unit)) - 1
        while not larger(self.unit * threshold, loss):
            threshold += 1
        return self._height(threshold, bounds(ratio)[0])

    def ratio_for(self, delta: Fraction) -> Number:
        """Return a bound on the ratio from above, infinity where none is large enough."""
        if self._height(1, Fraction(1)) <= delta:
            return Fraction(1)
        last = self.thresholds[-1]
        if self.sums(last)[0] > delta:
            return INFINITY
        threshold = 1 + bisect_left(range(1, last), 1, key=lambda t: self._gap_at(t) <= delta)
        # From the ratio of the threshold before to that of this one the gap is one line.
        line = self.nearest(threshold)
        p, raised = self.sums(line)
        return max(self.ratio(threshold - 1)[1], (p - delta) / raised * self.ratio(line)[1])

    def power(self, level: Fraction) -> Fraction:
        """Return min_a a z + H_a: no alarm that is false with probability z is true more often."""
        return self._least(lambda a, gap: a * level + gap)

    def turned_power(self, level: Fraction) -> Fraction:
        """Return min_a 1 - (1 - z - H_a) / a, where H_a is the gap of the reverse.

        Without the alarm, Q(none) - a P(none) <= H_a, and Q(none) = 1 - z.
        """
        return self._least(lambda a, gap: 1 - (1 - level - gap) / a)

    def _least(self, value: Callable[[Fraction, Fraction], Fraction]) -> Fraction:
        """Return the least value over ratios e^(t unit) >= 1, or nearly: each is a bound."""
        low, high = 0, max(1, self.thresholds[-1])
        found = {}
        while high - low > 2:  # it falls, then rises, as the gap is convex
            third = (high - low) // 3
            one, two = low + third, high - third
            found = {t: self._value(t, value) for t in (low, one, two, high)}
            low, high = (low, two) if found[one] <= found[two] else (one, high)
        return min(self._value(t, value) for t in range(low, high + 1))

    def _value(self, threshold: int, value: Callable[[Fraction, Fraction], Fraction]) -> Fraction:
        gap = max(Fraction(0), self._gap_at(threshold))
        return max(value(end, gap) for end in self.ratio(threshold))

    def _gap_at(self, threshold: int) -> Fraction:
        """Return the gap at the ratio of a threshold, to which that one itself adds nothing."""
        return self._height(threshold + 1, self.ratio(threshold)[0])

    def _height(self, threshold: int, ratio: Fraction) -> Fraction:
        line = self.nearest(threshold)
        p, raised = self.sums(line)
        return p - ratio * raised / self.ratio(line)[1]


@dataclass(frozen=True, eq=False)
class Below(Lines):
    """Lines of real events: each of them is at most the gap.

    ``missing`` is what P may be above p, and what the raised q may be too large by. The row of the
    raised q is divided by ``factor``, of which bounds are known.
    """

    missing: tuple[Fraction, Fraction]
    factor: tuple[Fraction, Fraction]

    def line(self, threshold: int) -> tuple[Fraction, Fraction]:
        """Return P and Q of an event, to the side that makes its gap smaller."""
        p, raised = self.sums(threshold)
        return p, raised * self.factor[1] / self.ratio(threshold)[0]

    def masses(self, threshold: int) -> tuple[Number, Number]:
        """Enclose P and Q of an event."""
        (p, q), less = self.line(threshold), self.sums(threshold)[1] - self.missing[1]
        least = max(Fraction(0), less) * self.factor[0] / self.ratio(threshold)[1]
        return Real.between(p, p + self.missing[0]), Real.between(least, q)

    def gap(self, ratio: Fraction) -> tuple[Fraction, int]:
        """Return a bound on the gap from below, and its threshold."""
        import numpy as np

        losses, p, raised = self.floats
        away = rough_log(ratio) + rough_log(self.factor[1]) - losses
        threshold = self.start + int((p - raised * np.exp(np.minimum(away, _FAR))).argmax())
        p, q = self.line(threshold)
        return p - ratio * q, threshold

    def ratio_for(self, delta: Fraction) -> tuple[Fraction, int]:
        """Return a bound on the ratio from below, and its threshold."""
        import numpy as np

        losses, p, raised = self.floats
        found = p > float(delta)
        heights = np.full(len(p), -np.inf)
        heights[found] = np.log((p[found] - float(delta)) / raised[found]) + losses[found]
        threshold = self.start + int(heights.argmax())
        p, q = self.line(threshold)
        return (p - delta) / q, threshold

    def power(self, level: Fraction) -> Fraction:
        """Return P of an alarm with Q <= level: from a threshold on, with a coin just below it."""
        place = bisect_left(self.thresholds, 1, key=lambda t: self.line(t)[1] <= level)
        if place == len(self.thresholds):
            return Fraction(0)
        p, q = self.line(self.start + place)
        if place == 0:
            return p
        more_p, more_q = self.line(self.start + place - 1)
        return p + (level - q) / (more_q - q) * (more_p - p)


@dataclass(frozen=True, eq=False)
class Grid:
    """Parts whose losses are put on multiples of a unit."""

    parts: tuple[Part, ...]
    unit: Number
    _marked: list[tuple[Part, int, Marks]] = field(default_factory=list, repr=False)
    _tested: list[_Tested] = field(default_factory=list, repr=False)

    def above(self, spare: int) -> Above:
        """Return lines from above; next to 2^-spare nothing is lost."""
        bits = spare + _ROUNDING_BITS
        total = _nothing(bits)
        for comparison, times in self.parts:
            part = Part(comparison.dominating, times)
            row = self._spread(part.comparison, self.marks(part, spare), bits)
            total = _shortened(total.plus(_power(row, times, bits, spare)), bits, spare)
        masses, missing = total.row.coefficients, _ceiling(total.missing, bits)
        p = [one + missing for one in _sums(masses, fmpz(1) << bits, bits)]
        step = self._shrink(bits)[0]
        return Above(total.start, p, _sums(masses, step, bits), bits, self.unit)

    def below(self, spare: int, marks: Sequence[Marks]) -> Below:
        """Return lines from below; next to 2^-spare nothing is lost."""
        bits = spare + _ROUNDING_BITS
        p = q = _nothing(bits)
        factor: Number = Fraction(1)
        for part, chosen in zip(self.parts, marks, strict=True):
            one, other, most = self._rounded(part.comparison, chosen, bits)
            p = _shortened(p.plus(_power(one, part.times, bits, spare)), bits, spare)
            q = _shortened(q.plus(_power(other, part.times, bits, spare)), bits, spare)
            factor *= most**part.times
        start, stop = min(p.start, q.start), max(p.stop, q.stop)
        masses = [
            [fmpz(0)] * (law.start - start) + law.row.coefficients + [fmpz(0)] * (stop - law.stop)
            for law in (p, q)
        ]
        step = self._shrink(bits)[1]
        lost = _ceiling(q.missing, bits) + len(masses[1])  # with what rounding the sums loses
        raised = [one + lost for one in _sums(masses[1], step, bits)]
        safe = ((1 - part.comparison.limit()) ** part.times for part in self.parts)
        certain = bounds(1 - prod(safe, start=Fraction(1)))[0]  # some loss is infinite
        sure = fmpz(floor(certain * (1 << bits)))
        left = max(Fraction(0), p.missing - Fraction(int(sure), 1 << bits))
        missing = left, Fraction(int(2 * lost), 1 << bits)
        sums = [one + sure for one in _sums(masses[0], fmpz(1) << bits, bits)]
        return Below(start, sums, raised, bits, self.unit, missing, bounds(factor))

    def marks(self, part: Part, spare: int) -> Marks:
        """Choose marks: up to where next to nothing lies beyond, denser where there is much."""
        for known, bits, marks in self._marked:
            if known.comparison is part.comparison and (known.times, bits) == (part.times, spare):
                return marks
        self._marked.append((part, spare, self._choose(part, spare)))
        return self._marked[-1][2]

    def _choose(self, part: Part, spare: int) -> Marks:
        goal = Fraction(1, part.times << spare + 1)
        certain = bounds(part.comparison.limit())[1]  # of infinite loss
        low = -self._reach(lambda j: 1 - self._mass(part.comparison, -j), goal)
        high = self._reach(lambda j: self._mass(part.comparison, j) - certain, goal)
        scanned = sorted({low + (high - low) * i // _SCAN for i in range(_SCAN + 1)})
        beyond = [min(mass, 1 - mass) for mass in (self._mass(part.comparison, j) for j in scanned)]
        pieces = [
            range(first, last, _spacing(max(masses)))
            for (first, last), masses in zip(pairwise(scanned), pairwise(beyond), strict=True)
        ]
        number = sum(map(len, pieces))
        if number > _MOST_MARKS:
            raise TooLarge(f"{number} marks are more than {_MOST_MARKS}")
        return (*chain.from_iterable(pieces), high)

    def _reach(self, mass: Callable[[int], Fraction], goal: Fraction) -> int:
        """Return how many units from 0 next to no mass lies beyond, not much too far."""
        reach = 1
        while mass(reach) > goal:
            reach *= 2
        for step in (reach // 4, reach // 8, reach // 16):
            reach -= step if mass(reach - step) <= goal else 0
        return reach

    def _mass(self, comparison: Comparison, place: int) -> Fraction:
        """Return P(L > l) at a point of the grid, rounded."""
        [test] = comparison.best_tests([self.unit * place])
        return min(Fraction(1), bounds(test.p)[1])

    def _tests(self, comparison: Comparison, marks: Marks, bits: int) -> list[tuple[arb, arb]]:
        for known in self._tested:  # above and below ask for the same ones
            if known[0] is comparison and known[1:3] == (marks, bits):
                return known[3]
        found = comparison.best_tests([self.unit * mark for mark in marks])
        tests = [(ball(p, bits), ball(q, bits)) for p, q in found]
        self._tested.append((comparison, marks, bits, tests))
        return tests

    def _shrink(self, bits: int) -> tuple[fmpz, fmpz]:
        """Return e^-unit, rounded down and up."""
        with working_precision(bits + _BALL_BITS):
            found = ball(exp(-self.unit), bits + _BALL_BITS)
            return _floor(found, bits), _ceil(found, bits)

    def _rounded(
        self, comparison: Comparison, marks: Marks, bits: int
    ) -> tuple[SumLaw, SumLaw, Number]:
        """Return the laws of rounded losses: P, and the raised Q over its total, which is third.

        Outputs of infinite loss, up or down, are in neither.
        """
        places, fine = rounded_places(marks), bits + _BALL_BITS
        with working_precision(fine):
            tests = self._tests(comparison, marks, fine)
            certain, never = (ball(one.limit(), fine) for one in (comparison, comparison.reverse()))
            ends = [(arb(1), 1 - never), *tests, (certain, arb(0))]
            p, q = ([one[side] - two[side] for one, two in pairwise(ends)] for side in (0, 1))
            raised = [
                mass * ball(exp(self.unit * place), fine)
                for mass, place in zip(q, places, strict=True)
            ]
            total = sum(raised, start=arb(0))
            shares = [mass / total for mass in raised]
            return _row(places, p, bits), _row(places, shares, bits), Real(lambda _bits: total)

    def _spread(self, comparison: Comparison, marks: Marks, bits: int) -> SumLaw:
        """Return the law P' of a loss that is moved to the marks on either side of it.

        With h the gaps at the ratios a of the marks, Q' of a mark is the change there of the slope
        (h_i - h_(i+1)) / (a_(i+1) - a_i), where h = 1 at a = 0. The gap that is left at the last
        mark is moved to an infinite loss: it is missing.
        """
        fine = bits + _BALL_BITS
        with working_precision(fine):
            ratios = [ball(exp(self.unit * mark), fine) for mark in marks]
            tests = self._tests(comparison, marks, fine)
            gaps = [p - a * q for (p, q), a in zip(tests, ratios, strict=True)]
            corners = [(arb(0), arb(1)), *zip(ratios, gaps, strict=True)]
            slopes = [(h - g) / (b - a) for (a, h), (b, g) in pairwise(corners)]
            changes = [one - two for one, two in pairwise([*slopes, arb(0)])]
            return _row(marks, [a * q for a, q in zip(ratios, changes, strict=True)], bits)


def rounded_places(marks: Marks) -> list[int]:
    """Return what losses up to the first mark, up to the second, ..., and beyond are rounded to."""
    return [marks[0], *((low + high + 1) // 2 for low, high in pairwise(marks)), marks[-1] + 1]


def _spacing(beyond: Fraction) -> int:
    """Return how wide cells may be with so much mass beyond them."""
    if beyond <= 0:
        return 1 << _WIDEST
    bits = beyond.denominator.bit_length() - beyond.numerator.bit_length()
    return 1 << min(_WIDEST, max(0, (bits - _FEW) // 2))


def _row(places: Sequence[int], masses: Iterable[arb], bits: int) -> SumLaw:
    """Return masses at some places, rounded down."""
    start = places[0]
    row = [fmpz(0)] * (places[-1] - start + 1)
    for place, mass in zip(places, masses, strict=True):
        row[place - start] = max(fmpz(0), _floor(mass, bits))
    return _law(start, row, bits)


def _law(start: int, row: Sequence[fmpz], bits: int) -> SumLaw:
    missing = 1 - Fraction(int(sum(row, start=fmpz(0))), 1 << bits)
    return SumLaw(start, Row(fmpz_poly(row), 1 << bits, max(Fraction(0), missing)))


def _floor(x: arb, bits: int) -> fmpz:
    return _exact((x * (fmpz(1) << bits)).lower().floor())


def _ceil(x: arb, bits: int) -> fmpz:
    return _exact((x * (fmpz(1) << bits)).upper().ceil())


def _exact(x: arb) -> fmpz:
    found = x.unique_fmpz()
    assert found is not None, "the ball is a point"
    return found


def _ceiling(x: Fraction, bits: int) -> fmpz:
    return fmpz(ceil(x * (1 << bits)))


def _nothing(bits: int) -> SumLaw:
    return SumLaw(0, Row(fmpz_poly([1 << bits]), 1 << bits))


def _power(law: SumLaw, times: int, bits: int, spare: int) -> SumLaw:
    """Return the law of the sum of so many independent terms."""
    found = law
    for digit in bin(times)[3:]:
        found = _shortened(found.plus(found), bits, spare)
        if digit == "1":
            found = _shortened(found.plus(law), bits, spare)
    return found


def _shortened(law: SumLaw, bits: int, spare: int) -> SumLaw:
    """Round a product of two rows down, and cut off ends that hold next to nothing."""
    row = law.row.weights.coeffs()
    allowed = fmpz(1) << 2 * bits - spare - 8
    first, last = _light(row, allowed), len(row) - _light(reversed(row), allowed)
    if last - first > _MOST_PLACES:
        raise TooLarge(f"{last - first} places are more than {_MOST_PLACES}")
    return _law(law.start + first, [one >> bits for one in row[first:last]], bits)


def _light(row: Iterable[fmpz], allowed: fmpz) -> int:
    """Return how many places at the beginning hold no more than allowed."""
    return next((place for place, sum_ in enumerate(accumulate(row)) if sum_ > allowed), 0)


def _sums(row: Sequence[fmpz], step: fmpz, bits: int) -> list[fmpz]:
    """Return sum_{s >= t} c^(s - t) row(s), rounded down, for each place t and the one after."""
    found = [fmpz(0)]
    for mass in reversed(row):
        found.append(mass + (found[-1] * step >> bits))
    return found[::-1]
