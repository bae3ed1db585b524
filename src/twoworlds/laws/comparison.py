r"""Comparing two worlds: the law P of the output on one database against the law Q on another.

For a ratio a >= 1 the gap is the hockey-stick divergence

    H_a(P || Q) = sup_E P(E) - a Q(E) = sum_o max(0, P(o) - a Q(o)),

attained by the event {o : P(o) > a Q(o)}; the tight ratio is sup_E P(E) / Q(E) (Kasiviswanathan &
Smith, Definitions 1.1 and 1.2; Wu, Exercise 3.2: single outputs suffice for the ratio).
A `Comparison` answers for one ordered pair; a `Family` takes the worst over all pairs that a
neighbour relation allows. `FiniteComparison` is the comparison of two finite laws; laws on the
integers are compared in `shifted` and `lattice`, those on the line in the modules of their
mechanisms.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import Any, NamedTuple, TypeVar

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.event import Event, Listed, Point
from twoworlds.numbers import INFINITY, Number, Order, Real, bounds, compare, maximum, positive_part
from twoworlds.progress import track

# Mirror images tie exactly; beyond this many bits both are kept as one enclosure of the maximum.
_TIE_BITS = 256


class Peak(NamedTuple):
    """The tight ratio of P over Q, an event that shows it, and whether the event attains it."""

    ratio: Number
    event: Event
    attained: bool = True


class Gap(NamedTuple):
    """The gap H_a(P || Q) and the event that attains it."""

    delta: Number
    event: Event


class ProfileLine(NamedTuple):
    """One event's contribution to the profile: delta(a) >= p - a q."""

    p: Number
    q: Number


class RatioCell(NamedTuple):
    """Outputs of one likelihood ratio: their masses under both laws, and the event they form."""

    p: Number
    q: Number
    event: Event


class Comparison(ABC):
    """The law on database ``x`` against the law on database ``y``."""

    x: Point
    y: Point

    @abstractmethod
    def peak(self) -> Peak:
        """Return sup_E P(E) / Q(E)."""

    @abstractmethod
    def gap(self, ratio: Number) -> Gap:
        """Return H_a(P || Q) at a = ratio."""

    @abstractmethod
    def ratio_for(self, delta: Number) -> Number:
        """Return the smallest a >= 1 with H_a(P || Q) <= delta, or infinity."""

    @abstractmethod
    def reverse(self) -> Comparison:
        """Return the comparison of Q against P."""

    def lines(self) -> list[ProfileLine]:
        """Return the lines whose maximum is the gap for every a >= 1, if they are finitely many."""
        raise Unsupported(
            "the profile of this mechanism has infinitely many pieces: "
            "ask for delta at the ratios that matter instead"
        )

    def cells(self) -> list[RatioCell]:
        """Return the outputs sorted into finitely many cells of constant likelihood ratio."""
        raise Unsupported(
            "the likelihood ratio of this mechanism takes infinitely many values: "
            "it cannot be paired exactly with another one"
        )

    def power(self, level: Number) -> Number:
        """Return the largest P(alarm) of a test with Q(alarm) = level, where lines are too many."""
        raise Unsupported(
            "the best test of these two worlds is known by its corners only, "
            "and they are too many to list"
        )

    def limit(self) -> Number:
        """Return the gap as a grows without bound: the mass of what only P can produce."""
        return Fraction(0)


@dataclass(frozen=True)
class FiniteComparison(Comparison):
    """Two finite laws, as masses of the same cells; ``event`` turns cells into an event.

    Masses may be given over a common denominator ``scale`` to spare fractions.
    """

    x: Point
    y: Point
    p: Sequence[Number | int]
    q: Sequence[Number | int]
    event: Callable[[Sequence[int]], Event]
    scale: int = 1

    @staticmethod
    def of(
        x: Point,
        y: Point,
        outputs: Sequence[Any],
        p: Sequence[Number | int],
        q: Sequence[Number | int],
        scale: int = 1,
    ) -> FiniteComparison:
        """Compare two laws of the same outputs; events list the outputs they hold."""
        return FiniteComparison(
            x, y, p, q, lambda cells: Listed.of(outputs[i] for i in cells), scale
        )

    def peak(self) -> Peak:
        """Take the cell of the largest ratio, comparing by cross-multiplication."""
        best: int | None = None
        for i, (p, q) in enumerate(zip(self.p, self.q, strict=True)):
            if p == 0:
                continue
            if q == 0:
                return Peak(INFINITY, self.event([i]))
            if best is None or larger(p * self.q[best], self.p[best] * q):
                best = i
        if best is None:
            raise InvalidInput("the first law has no mass at all: it must sum to 1")
        return Peak(_over(self.p[best], self.q[best]), self.event([best]))

    def gap(self, ratio: Number) -> Gap:
        """Add up the cells where P exceeds a Q; undecided cells enter as enclosures around 0."""
        decide = _threshold(ratio)
        orders = [decide(p, q) for p, q in zip(self.p, self.q, strict=True)]
        cells = [i for i, order in enumerate(orders) if order is Order.GREATER]
        p, q = self._mass(self.p, cells), self._mass(self.q, cells)
        delta = p if q == 0 else p - ratio * q
        for i, order in enumerate(orders):
            if order is Order.UNDECIDED:
                own, other = self._mass(self.p, [i]), self._mass(self.q, [i])
                delta = delta + positive_part(own - ratio * other)
        return Gap(delta, self.event(cells))

    @property
    def whole(self) -> bool:
        """Whether the masses are whole numbers, over the common denominator."""
        return all(isinstance(mass, int) for mass in (*self.p[:1], *self.q[:1]))

    def excess(self, ratio: Fraction) -> int:
        """Return sum (p - a q)_+ of whole numbers, times the denominator of a."""
        top, bottom = ratio.numerator, ratio.denominator
        gaps = (bottom * p - top * q for p, q in zip(self.p, self.q, strict=True))
        return sum(gap for gap in gaps if gap > 0)  # type: ignore[misc]

    def lines(self) -> list[ProfileLine]:
        """Return the cumulative masses in order of falling ratio, down to ratio 1."""
        return [ProfileLine(p, q) for p, q, _ in self._cumulative]

    def ratio_for(self, delta: Number) -> Number:
        """Solve p - a q = delta on the piece where it crosses."""
        answer: Number = Fraction(1)
        for p, q, _ in self._cumulative:
            if not larger(p - q, delta):
                continue
            if q == 0:
                return INFINITY
            answer = _largest(answer, (p - delta) / q)
        return answer

    def cells(self) -> list[RatioCell]:
        """Return the cells of the table."""
        masses = ((self._mass(self.p, [i]), self._mass(self.q, [i])) for i in range(len(self.p)))
        return [RatioCell(p, q, self.event([i])) for i, (p, q) in enumerate(masses)]

    def reverse(self) -> Comparison:
        """Swap the two laws."""
        return FiniteComparison(self.y, self.x, self.q, self.p, self.event, self.scale)

    def limit(self) -> Number:
        """Add up the cells that Q cannot produce."""
        return self.gap(INFINITY).delta

    @cached_property
    def _cumulative(self) -> list[tuple[Number, Number, int]]:
        above_one = [i for i, (p, q) in enumerate(zip(self.p, self.q, strict=True)) if larger(p, q)]

        def falling(i: int, j: int) -> int:
            """Put the cell of larger p / q first, where q = 0 comes before all."""
            return -int(larger(self.p[i] * self.q[j], self.p[j] * self.q[i]))

        ordered = sorted(above_one, key=cmp_to_key(falling))
        total_p: Number = Fraction(0)
        total_q: Number = Fraction(0)
        found = []
        for i in ordered:
            total_p += self._mass(self.p, [i])
            total_q += self._mass(self.q, [i])
            found.append((total_p, total_q, i))
        return found

    def _mass(self, masses: Sequence[Number | int], cells: Iterable[int]) -> Number:
        total = sum((masses[i] for i in cells), start=0)
        return Fraction(total, self.scale) if isinstance(total, int) else total / self.scale


def between(
    first: Mapping[Any, Number],
    second: Mapping[Any, Number],
    x: Point = "first",
    y: Point = "second",
) -> FiniteComparison:
    """Compare two finite laws, given as masses by outcome; events are the outcomes they hold.

    >>> law, prior = {0: Fraction(2, 5), 1: Fraction(3, 5)}, {0: Fraction(1, 4), 1: Fraction(3, 4)}
    >>> between(law, prior).gap(Fraction(6, 5)).delta
    Fraction(1, 10)
    """
    outcomes, nothing = tuple(dict.fromkeys([*first, *second])), Fraction(0)
    p, q = ([law.get(o, nothing) for o in outcomes] for law in (first, second))
    return FiniteComparison.of(x, y, outcomes, p, q)


def apart(first: Mapping[Any, Number], second: Mapping[Any, Number], ratio: Number) -> Number:
    """Return max(H_a(P || Q), H_a(Q || P)) of two finite laws."""
    table = between(first, second)
    return maximum(table.gap(ratio).delta, table.reverse().gap(ratio).delta)


class Family(ABC):
    """All ordered pairs of databases that a neighbour relation compares."""

    method: str

    @abstractmethod
    def peak(self) -> tuple[Comparison, Peak]:
        """Return the pair with the largest ratio."""

    @abstractmethod
    def gap(self, ratio: Number) -> tuple[Comparison, Gap]:
        """Return the pair with the largest gap."""

    @abstractmethod
    def ratio_for(self, delta: Number) -> tuple[Comparison, Number]:
        """Return the pair that needs the largest ratio to bring the gap down to delta."""

    @abstractmethod
    def __iter__(self) -> Iterator[Comparison]:
        """Run through the comparisons."""


class Each(Family):
    """A family that looks at one comparison after the other."""

    def __init__(self, comparisons: Iterable[Comparison], why: str) -> None:
        self._comparisons = list(track(comparisons, "listing neighbours"))
        number = len(self._comparisons)
        self.method = f"{why}; {number} comparison{'s' if number != 1 else ''} of two worlds made"
        if not self._comparisons:
            raise Unsupported("there are no two neighbouring databases to compare")

    def __iter__(self) -> Iterator[Comparison]:
        return iter(track(self._comparisons, "comparing worlds", len(self._comparisons)))

    def peak(self) -> tuple[Comparison, Peak]:
        """Take the largest ratio."""
        found = ((c, peak, peak.ratio) for c, peak in ((c, c.peak()) for c in self))
        comparison, peak, ratio = _worst(found)
        return comparison, peak._replace(ratio=ratio)

    def gap(self, ratio: Number) -> tuple[Comparison, Gap]:
        """Take the largest gap."""
        found = ((c, gap, gap.delta) for c, gap in ((c, c.gap(ratio)) for c in self._near(ratio)))
        comparison, gap, delta = _worst(found)
        return comparison, gap._replace(delta=delta)

    def _near(self, ratio: Number) -> Iterable[Comparison]:
        """Leave out tables that are surely not the worst, found in whole numbers alone."""
        tables = [c for c in self._comparisons if isinstance(c, FiniteComparison) and c.whole]
        if ratio == INFINITY or len(tables) < len(self._comparisons):
            return self
        low, high = bounds(ratio)
        best, most = tables[0], tables[0].excess(high)
        for table in tables:
            excess = table.excess(high)
            if excess * best.scale > most * table.scale:
                best, most = table, excess
        top, bottom = most * low.denominator, best.scale * high.denominator
        return [table for table in tables if table.excess(low) * bottom >= top * table.scale]

    def ratio_for(self, delta: Number) -> tuple[Comparison, Number]:
        """Take the largest ratio needed."""
        found = ((c, None, c.ratio_for(delta)) for c in self)
        comparison, _, ratio = _worst(found)
        return comparison, ratio


Shown = TypeVar("Shown")


def _worst(
    found: Iterator[tuple[Comparison, Shown, Number]],
) -> tuple[Comparison, Shown, Number]:
    """Return the first comparison of the largest number, or an enclosure of an undecided tie."""
    best, shown, value = next(found)
    for comparison, other, candidate in found:
        order = compare(candidate, value, limit=_TIE_BITS)
        if order is Order.GREATER:
            best, shown, value = comparison, other, candidate
        elif order is Order.UNDECIDED:
            value = maximum(value, candidate)
    return best, shown, value


def larger(a: Number | int, b: Number | int) -> bool:
    """Tell whether a is certainly larger; a tie that cannot be decided counts as not larger."""
    return compare(a, b) is Order.GREATER


def _largest(a: Number, b: Number) -> Number:
    return b if larger(b, a) else a


def _over(p: Number | int, q: Number | int) -> Number:
    return Fraction(p, q) if isinstance(p, int) and isinstance(q, int) else Fraction(1) * p / q


def _threshold(ratio: Number) -> Callable[[Number | int, Number | int], Order]:
    """Return the comparison of p with a q, cheap for rational masses even when a is irrational."""
    if ratio == INFINITY:
        return lambda p, q: Order.GREATER if q == 0 and p != 0 else Order.LESS
    low, high = bounds(ratio)

    def decide(p: Number | int, q: Number | int) -> Order:
        if isinstance(p, Real) or isinstance(q, Real):
            return compare(p, ratio * q)
        if p * high.denominator > high.numerator * q:
            return Order.GREATER
        if p * low.denominator <= low.numerator * q:
            return Order.LESS
        return compare(Fraction(p), ratio * q)

    return decide
