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
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import Any, NamedTuple, TypeVar

from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.event import Event, Listed, Point
from twoworlds.laws.renyi import divergence
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    bounds,
    compare,
    exact_text,
    exp,
    ln,
    maximum,
    positive_part,
)
from twoworlds.progress import track

_MOST_KEYED = 1 << 12  # cells that are looked at to tell whether two comparisons are alike
# Mirror images tie exactly; beyond this many bits both are kept as one enclosure of the maximum.
_TIE_BITS = 256
_LARGEST_LOSS = Fraction(100_000)  # of which e to the power is kept
_ROUNDING = 1 << 32  # ends that differ by less than such a share of a number are one


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


class Extreme(NamedTuple):
    """A least number that is enough everywhere, a place that needs it, and whether it is attained.

    The place is an order of divergences, or a ratio. Where nothing attains the number, it only
    comes near: further out, less and less is missing.
    """

    value: Number
    at: Number
    attained: bool = True


class RatioCell(NamedTuple):
    """Outputs of one likelihood ratio: their masses under both laws, and the event they form."""

    p: Number
    q: Number
    event: Event


class Comparison(ABC):
    """The law on database ``x`` against the law on database ``y``."""

    x: Point
    y: Point

    @property
    def key(self) -> Hashable:
        """What pairs of laws with the same profile have in common, None where that is not known.

        Of laws that are told apart alike both ways round it is the same for the reverse.
        """
        return None

    @property
    def dominating(self) -> Comparison:
        """Two laws that are told apart at least as well: the same, where no others are needed."""
        return self

    @abstractmethod
    def peak(self) -> Peak:
        """Return sup_E P(E) / Q(E)."""

    @abstractmethod
    def gap(self, ratio: Number) -> Gap:
        """Return H_a(P || Q) at a = ratio."""

    def roughly(self, ratio: Number) -> tuple[Fraction, Fraction]:
        """Return two ends of the gap that are found with little work."""
        return Fraction(0), Fraction(1)

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

    def tangent(self, ratio: Fraction, tiny: Fraction) -> tuple[ProfileLine, Fraction]:
        """Return the line of the best event at a ratio, and the gap there, rounded up.

        The line is at most the gap at every ratio. A tiny gap need not be known any better.
        """
        loss = ln(ratio)
        [(p, q)] = self.best_tests([loss])
        [above] = [(p, q)] if self.dominating is self else self.dominating.best_tests([loss])
        height = bounds(above[0] - ratio * above[1])[1]
        return ProfileLine(bounds(p)[0], bounds(q)[1]), max(Fraction(0), height)

    @property
    def closed_profile(self) -> str:
        """The gap as a formula in the ratio a, where one is known."""
        return ""

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

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Yield P(E) and Q(E) of the events E = {P > a Q} for rising logarithms of a > 0.

        That is all that composition needs to know of two laws (`twoworlds.laws.composition`).
        """
        raise Unsupported(
            "the best tests of these two worlds are not known one by one, so that they cannot be "
            "composed with others"
        )

    @property
    def factors(self) -> tuple[tuple[Comparison, int], ...]:
        """Independent parts that are compared together, with how often each occurs: itself, once.

        Their losses, and so their divergences, add up.
        """
        return ((self, 1),)

    def divergence(self, order: Fraction) -> Number:
        """Return the Renyi divergence D_a(P || Q) of an order a > 1; of order 1, the limit.

        The formulas are in `twoworlds.laws.renyi`.
        """
        raise Unsupported(
            f"the divergence of order {order} of these two worlds is not computed: ask for the "
            "epsilon of dp at a delta"
        )

    def closed_rho(self) -> Extreme | None:
        """Return the least rho of zCDP and an order that needs it; None if no formula is known."""
        return None

    def closed_mu(self) -> Extreme | None:
        """Return the least mu of GDP, and a ratio whose best test needs it, where it is known.

        Both ways round it is the same: a test that is exchanged for its complement needs the same.
        """
        return None


@dataclass(frozen=True)
class FiniteComparison(Comparison):
    """Two finite laws, as masses of the same cells; ``event`` turns cells into an event.

    Masses may be given over a common denominator ``scale`` to spare fractions. Where the laws are
    those of independent ``parts``, these are remembered.
    """

    x: Point
    y: Point
    p: Sequence[Number | int]
    q: Sequence[Number | int]
    event: Callable[[Sequence[int]], Event]
    scale: int = 1
    parts: tuple[tuple[Comparison, int], ...] = ()

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

    @property
    def key(self) -> Hashable:
        if len(self.p) > _MOST_KEYED:
            return None
        return frozenset(Counter(zip(self.p, self.q, strict=True)).items()), self.scale

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
        ordered, sums = self._falling
        above = bisect_left(ordered, 1, key=lambda i: not larger(self.p[i], self.q[i]))
        return sums[1 : above + 1]

    def ratio_for(self, delta: Number) -> Number:
        """Solve p - a q = delta on the piece where it crosses."""
        answer: Number = Fraction(1)
        for p, q in self.lines():
            if not larger(p - q, delta):
                continue
            if q == 0:
                return INFINITY
            answer = _largest(answer, (p - delta) / q)
        return answer

    def cells(self) -> list[RatioCell]:
        masses = ((self._mass(self.p, [i]), self._mass(self.q, [i])) for i in range(len(self.p)))
        return [RatioCell(p, q, self.event([i])) for i, (p, q) in enumerate(masses)]

    def reverse(self) -> Comparison:
        parts = tuple((one.reverse(), times) for one, times in self.parts)
        return FiniteComparison(self.y, self.x, self.q, self.p, self.event, self.scale, parts)

    @property
    def factors(self) -> tuple[tuple[Comparison, int], ...]:
        return self.parts or super().factors

    def divergence(self, order: Fraction) -> Number:
        """Add up the cells, or the divergences of the parts."""
        if self.parts:
            return summed_divergence(self.parts, order)
        alike = Counter(zip(self.p, self.q, strict=True))
        return divergence(
            (
                (Fraction(count, self.scale) * p, Fraction(count, self.scale) * q)
                for (p, q), count in alike.items()
            ),
            order,
        )

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Take the cells above each ratio, which are the first ones in falling order."""
        ordered, sums = self._falling
        for loss in losses:
            decide = _threshold(exp(loss))
            above = bisect_left(
                ordered, 1, key=lambda i: decide(self.p[i], self.q[i]) is not Order.GREATER
            )
            yield sums[above]

    def limit(self) -> Number:
        """Add up the cells that Q cannot produce."""
        return self.gap(INFINITY).delta

    @cached_property
    def _falling(self) -> tuple[list[int], list[ProfileLine]]:
        """The possible cells by falling p / q, and the masses of the first 0, 1, 2, ... of them."""
        possible = [
            i for i, (p, q) in enumerate(zip(self.p, self.q, strict=True)) if not p == q == 0
        ]

        def falling(i: int, j: int) -> int:
            """Put the cell of larger p / q first, where q = 0 comes before all."""
            left, right = self.p[i] * self.q[j], self.p[j] * self.q[i]
            return int(larger(right, left)) - int(larger(left, right))

        ordered = sorted(possible, key=cmp_to_key(falling))
        sums = [ProfileLine(Fraction(0), Fraction(0))]
        for i in ordered:
            p, q = (self._mass(masses, [i]) for masses in (self.p, self.q))
            sums.append(ProfileLine(sums[-1].p + p, sums[-1].q + q))
        return ordered, sums

    def _mass(self, masses: Sequence[Number | int], cells: Iterable[int]) -> Number:
        total = sum((masses[i] for i in cells), start=0)
        return Fraction(total, self.scale) if isinstance(total, int) else total / self.scale


def summed_divergence(parts: Iterable[tuple[Comparison, int]], order: Fraction) -> Number:
    """Return the divergence of independent parts together: those of the parts add up."""
    return weighted_sum((one.divergence(order), times) for one, times in parts)


def weighted_sum(numbers: Iterable[tuple[Number, int]]) -> Number:
    """Return the sum of numbers, each so many times; equal formulas are taken together.

    >>> from twoworlds.numbers import ln
    >>> weighted_sum([(ln(Fraction(3)) / 2, 1), (ln(Fraction(3)) / 2, 1)])
    Real(ln 3)
    """
    found: dict[Hashable, tuple[Number, int]] = {}
    for one, times in numbers:
        key = one if isinstance(one, Fraction) else one.formula or id(one)
        found[key] = one, times + found.get(key, (one, 0))[1]
    return sum((times * one for one, times in found.values()), start=Fraction(0))


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


class Family:
    """All ordered pairs of databases that a neighbour relation compares, looked at one by one."""

    method: str

    def __init__(self, comparisons: Iterable[Comparison], why: str) -> None:
        self._comparisons = list(track(comparisons, "listing neighbours"))
        number = len(self._comparisons)
        self.method = f"{why}; {number} comparison{'s' if number != 1 else ''} of two worlds made"
        if not self._comparisons:
            raise Unsupported("there are no two neighbouring databases to compare")

    def __iter__(self) -> Iterator[Comparison]:
        return iter(track(self._comparisons, "comparing worlds", len(self._comparisons)))

    def peak(self) -> tuple[Comparison, Peak]:
        """Return the pair with the largest ratio."""
        found = ((c, peak, peak.ratio) for c, peak in ((c, c.peak()) for c in self))
        comparison, peak, ratio = worst(found)
        return comparison, peak._replace(ratio=ratio)

    def gap(self, ratio: Number) -> tuple[Comparison, Gap]:
        """Return the pair with the largest gap."""
        found = ((c, gap, gap.delta) for c, gap in ((c, c.gap(ratio)) for c in self._near(ratio)))
        comparison, gap, delta = worst(found)
        return comparison, gap._replace(delta=delta)

    def _near(self, ratio: Number) -> Iterable[Comparison]:
        """Leave out what is surely not the worst: of tables, found in whole numbers alone."""
        tables = [c for c in self._comparisons if isinstance(c, FiniteComparison) and c.whole]
        if ratio == INFINITY or len(self._comparisons) == 1:
            return self
        if len(tables) < len(self._comparisons):
            ends = [c.roughly(ratio) for c in self._comparisons]
            least = max(low for low, _ in ends)
            return [
                c for c, (_, high) in zip(self._comparisons, ends, strict=True) if high >= least
            ]
        low, high = bounds(ratio)
        best, most = tables[0], tables[0].excess(high)
        for table in tables:
            excess = table.excess(high)
            if excess * best.scale > most * table.scale:
                best, most = table, excess
        top, bottom = most * low.denominator, best.scale * high.denominator
        return [table for table in tables if table.excess(low) * bottom >= top * table.scale]

    def ratio_for(self, delta: Number) -> tuple[Comparison, Number]:
        """Return the pair that needs the largest ratio to bring the gap down to delta."""
        found = ((c, None, c.ratio_for(delta)) for c in unlike(self))
        comparison, _, ratio = worst(found)
        return comparison, ratio


Shown = TypeVar("Shown")


def worst(
    found: Iterator[tuple[Comparison, Shown, Number]],
) -> tuple[Comparison, Shown, Number]:
    """Return the first comparison of the largest number, or an enclosure of an undecided tie.

    Of numbers that are known between two ends only, the one of the largest lower end is shown.
    """
    best, shown, value = next(found)
    own = value
    for comparison, other, candidate in found:
        order = compare(candidate, value, limit=_TIE_BITS)
        if order is Order.GREATER:
            best, shown, value, own = comparison, other, candidate, candidate
        elif order is Order.UNDECIDED and not _capped_by(candidate, value):
            value = maximum(value, candidate)
            if _shows_more(candidate, own):
                best, shown, own = comparison, other, candidate
    return best, shown, value


def _shows_more(candidate: Number, own: Number) -> bool:
    """Tell whether the lower end of a number is larger, by more than rounding."""
    low, high = bounds(own)
    return bounds(candidate)[0] - low > high / _ROUNDING


def _capped_by(candidate: Number, value: Number) -> bool:
    """Tell whether a number is known to be at most another one, whatever its ball says."""
    return isinstance(candidate, Real) and candidate.cap is not None and candidate.cap == value


def unlike(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Leave out comparisons whose profile an earlier one has."""
    found: dict[Hashable, Comparison] = {}
    for one in comparisons:
        found.setdefault(id(one) if one.key is None else one.key, one)
    return list(found.values())


def solved(comparison: Comparison, delta: Number, steps: int) -> Number:
    """Return the smallest a >= 1 with a gap of at most delta > 0, by so many halvings of epsilon.

    The gap must fall strictly in epsilon, until it is 0 or vanishes.
    """

    def above(epsilon: Fraction) -> bool:
        return larger(comparison.gap(exp(epsilon)).delta, delta)

    low, high = Fraction(0), Fraction(1)
    if not above(low):
        return Fraction(1)
    while above(high):
        if high == _LARGEST_LOSS:
            raise TooLarge(
                f"the epsilon for delta {exact_text(delta)} is above {_LARGEST_LOSS}: this "
                "noise hides nothing, and no ratio is written out; take more noise"
            )
        low, high = high, min(2 * high, _LARGEST_LOSS)
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) else (low, middle)
    return exp(Real.between(low, high))


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
