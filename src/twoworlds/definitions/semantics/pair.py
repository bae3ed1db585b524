r"""Beliefs on two databases that differ in one person: how often they see a breach, exactly.

Let x and y differ in person i only, P and Q be the laws of A(x) and A(y), and w the belief in x,
1 - w that in y. Without person i both databases are the same, so that the belief stays at w, and

    SD_t = w (1 - w) |P(t) - Q(t)| / (w P(t) + (1 - w) Q(t)).

For outputs of one likelihood ratio rho = P/Q > 1 this exceeds s iff w (1 - w - s) > s / (rho - 1),
an open interval of w with the ends (1 - s -+ sqrt((1 - s)^2 - 4 s / (rho - 1))) / 2; for rho < 1
the same with 1/rho and 1 - w. Where y has the default value, an output with Q = 0 is impossible
without the person: a breach for every w > 0. The probability of a breach,

    f(w) = sum over the outputs t that breach at w of  w P(t) + (1 - w) Q(t),

is linear between the ends of these intervals, so its supremum over w is a limit at one of them. It
is the exact failure probability over all beliefs for one record with two values, and a lower bound
for any mechanism: everyone else known for certain.

Beliefs on two databases whose likelihood ratio takes infinitely many values: proved ends.

As in `pair`, x and y differ in one person, P and Q are the laws of A(x) and A(y), and w is the
belief in x. The outputs that breach s are {P > a(w) Q} and {Q > a(1 - w) P} with

    a(w) = 1 + s / (w (1 - w - s)),     w < 1 - s,

two disjoint events whose masses are tails of the noise, in closed form. On a range of beliefs from
v to w the largest of both events are those of the smallest ratios; w (1 - w - s) rises up to
(1 - s)/2 and falls from there on, so these are known. With them fixed, the probability of a breach
is linear in the belief, hence at most its larger value at the two ends: an upper bound for the
whole range. The range of the largest bound is halved until that bound is next to what a single
belief reaches. Outputs that are impossible without the person must have no mass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from typing import NamedTuple

from twoworlds.mechanisms import Comparison, Mechanism
from twoworlds.numbers import Number, Order, bounds, compare, maximum, sqrt

_TIE_BITS = 256
_NEAR = Fraction(1, 10**6)
_NEARER = 10**6
_NEAREST = Fraction(1, 10**96)


class Masses(NamedTuple):
    """Outputs of one likelihood ratio: their masses under P and under Q."""

    p: Fraction
    q: Fraction


@dataclass(frozen=True)
class PairFailure:
    """The supremum over w, and a rational w that comes near it.

    Attributes:
        value: the supremum, or a lower bound of it where it could not be decided.
        upper: an upper bound of the supremum; equal to ``value`` but for ties.
        weight: a belief w in x.
        reached: the failure probability at that w.
    """

    value: Number
    upper: Number
    weight: Fraction
    reached: Fraction


@dataclass(frozen=True)
class _Interval:
    """The beliefs w for which a class of outputs breaches: open, but for a closed end at 1."""

    low: Number
    high: Number
    closed: bool = False


def breaching(cell: Masses, s: Fraction, w: Fraction, *, default: bool) -> bool:
    """Tell whether a class of outputs breaches s at the belief w; ``default``: y has no data.

    >>> breaching(Masses(Fraction(3, 4), Fraction(1, 4)), Fraction(1, 5), Fraction(1, 2),
    ...     default=True)
    True
    """
    p, q = cell
    seen = w * p + (1 - w) * q
    if seen == 0:
        return False
    return (default and q == 0) or w * (1 - w) * abs(p - q) > s * seen


def pair_failure(
    cells: Iterable[Masses], s: Fraction, *, default: bool, above: Fraction | None = None
) -> PairFailure:
    """Return the supremum over w of the probability of a breach of s.

    The belief comes nearer to a supremum that none attains until its failure exceeds ``above``, if
    that can be.

    >>> flip = [Masses(Fraction(3, 4), Fraction(1, 4)), Masses(Fraction(1, 4), Fraction(3, 4))]
    >>> pair_failure(flip, Fraction(1, 5), default=True).value
    Fraction(1, 1)
    """
    classes = _merged(cells)
    intervals = [
        (cell, interval) for cell in classes for interval in _intervals(cell, s, default=default)
    ]
    value: Number = Fraction(0)
    doubtful: Number = Fraction(0)
    for _, own in intervals:
        for end, inward in ((own.low, 1), (own.high, -1)):
            sure, possible = _breaching_beside(intervals, own, end, inward)
            value = maximum(value, _at(sure, end))
            if len(possible) > len(sure):
                doubtful = maximum(doubtful, _at(possible, end))
    most = value if _order(doubtful, value) is Order.LESS else maximum(value, doubtful)
    near, ends = _NEAR, [own for _, own in intervals]
    weight, reached = _near(classes, ends, s, near, default=default)
    if above is not None and _order(value, above) is Order.GREATER:
        while reached <= above and near > _NEAREST:
            near /= _NEARER
            weight, reached = _near(classes, ends, s, near, default=default)
    return PairFailure(value, most, weight, reached)


def _near(
    classes: Sequence[Masses],
    intervals: Sequence[_Interval],
    s: Fraction,
    near: Fraction,
    *,
    default: bool,
) -> tuple[Fraction, Fraction]:
    """Return the best of some beliefs next to the ends, and how often it sees a breach."""
    weight, reached = Fraction(1, 2), Fraction(0)
    for w in _candidates(intervals, near):
        here = failure_at(classes, s, w, default=default)
        if here > reached:
            weight, reached = w, here
    return weight, reached


def failure_at(cells: Iterable[Masses], s: Fraction, w: Fraction, *, default: bool) -> Fraction:
    """Return the probability of a breach of s at one belief w."""
    bad = (cell for cell in cells if breaching(cell, s, w, default=default))
    return sum((w * cell.p + (1 - w) * cell.q for cell in bad), start=Fraction(0))


def _merged(cells: Iterable[Masses]) -> list[Masses]:
    """Put outputs of the same ratio together."""
    masses: dict[Fraction | None, Masses] = {}
    for p, q in cells:
        if p == q == 0:
            continue
        ratio = None if q == 0 else p / q
        before = masses.get(ratio, Masses(Fraction(0), Fraction(0)))
        masses[ratio] = Masses(before.p + p, before.q + q)
    return list(masses.values())


def _intervals(cell: Masses, s: Fraction, *, default: bool) -> list[_Interval]:
    p, q = cell
    if default and q == 0:
        return [_Interval(Fraction(0), Fraction(1), closed=True)]
    if p == q or s >= 1:
        return []
    small, large = sorted((p, q))
    width = (1 - s) ** 2 - (4 * s * small / (large - small))
    if width <= 0:
        return []
    root = sqrt(width)
    low, high = (1 - s - root) / 2, (1 - s + root) / 2
    return [_Interval(low, high) if p > q else _Interval(1 - high, 1 - low)]


def _breaching_beside(
    intervals: Sequence[tuple[Masses, _Interval]], own: _Interval, end: Number, inward: int
) -> tuple[list[Masses], list[Masses]]:
    """Return the classes that breach next to an end, on its inner side: surely, and possibly."""
    sure, possible = [], []
    for cell, other in intervals:
        if other is own:
            sure.append(cell)
            possible.append(cell)
            continue
        left, right = _order(other.low, end), _order(end, other.high)
        inside = left is Order.LESS and right is Order.LESS
        start = left is Order.EQUAL and right is Order.LESS and inward > 0
        stop = right is Order.EQUAL and left is Order.LESS and inward < 0
        if inside or start or stop:
            sure.append(cell)
        if inside or start or stop or Order.UNDECIDED in (left, right):
            possible.append(cell)
    return sure, possible


def _order(a: Number, b: Number) -> Order:
    (low, high), (least, most) = _bounds(a), _bounds(b)
    if high < least:
        return Order.LESS
    if most < low:
        return Order.GREATER
    return compare(a, b, limit=_TIE_BITS)


@lru_cache(maxsize=4096)
def _bounds(x: Number) -> tuple[Fraction, Fraction]:
    return bounds(x)


def _at(cells: Iterable[Masses], w: Number) -> Number:
    p = q = Fraction(0)
    for cell in cells:
        p, q = p + cell.p, q + cell.q
    return q + w * (p - q)


def _candidates(intervals: Iterable[_Interval], nearest: Fraction) -> list[Fraction]:
    """Return rational beliefs just inside of the ends, and in the middle."""
    found = {Fraction(1, 2), Fraction(1)}
    for one in intervals:
        bits = 128 + 2 * nearest.denominator.bit_length()
        low, high = bounds(one.low, bits)[1], bounds(one.high, bits)[0]
        for near in (nearest, 1000 * nearest, Fraction(1, 4)):
            step = (high - low) * near
            for w in (low + step, high - step):
                found.add(_simple(w, step))
        if one.closed:
            found.add(Fraction(1))
    return [w for w in found if 0 < w <= 1]


def _simple(x: Fraction, within: Fraction) -> Fraction:
    """Return a fraction of small denominator next to x."""
    if within <= 0:
        return x
    return x.limit_denominator(int(2 / within) + 1)


_TRIFLE = 1 + Fraction(1, 1 << 40)
_CLOSE = 1 + Fraction(1, 10**4)
_MOST_RANGES = 1000
_BITS = 64


class HalfLines(NamedTuple):
    """A belief w, a lower bound of its failure, and an upper bound of that of every belief."""

    weight: Fraction
    reached: Fraction
    upper: Fraction


class _Event(NamedTuple):
    """Upper bounds of the mass of an event on the database that favours it, and on the other."""

    own: Fraction
    other: Fraction


def half_line_failure(
    mechanism: Mechanism, comparison: Comparison, s: Fraction, w: Fraction
) -> Fraction:
    """Return a lower bound of the failure at one belief w, as far as this person is concerned.

    The ratios are raised by a trifle, so that outputs that merely attain s are left out.
    """
    total = Fraction(0)
    for one, weight in ((comparison, w), (comparison.reverse(), 1 - w)):
        slack = weight * (1 - weight - s)
        if slack <= 0:
            continue
        delta, event = one.gap((1 + s / slack) * _TRIFLE)
        if bounds(delta, _BITS)[0] <= 0:
            continue
        p, q = (bounds(mechanism.mass(event, database), _BITS)[0] for database in (one.x, one.y))
        total += max(weight * p + (1 - weight) * q, Fraction(0))
    return total


def worst_half_lines(mechanism: Mechanism, comparison: Comparison, s: Fraction) -> HalfLines:
    """Return a belief next to the worst one, and bounds of its failure and of the supremum.

    >>> from twoworlds import mechanism
    >>> noise = mechanism("gaussian(sigma=2, bits=1)")
    >>> found = worst_half_lines(noise, noise.compare((1,), (0,)), Fraction(1, 5))
    >>> found.upper - found.reached < Fraction(1, 1000)
    True
    """
    search = _Ranges(mechanism, comparison, s)
    middle = Fraction(1, 2)
    best = (half_line_failure(mechanism, comparison, s, middle), middle)
    waiting: list[tuple[Fraction, Fraction, Fraction]] = []
    heappush(waiting, (-search.upper(Fraction(0), Fraction(1)), Fraction(0), Fraction(1)))
    for _ in range(_MOST_RANGES):
        if -waiting[0][0] <= best[0] * _CLOSE:
            break
        _, low, high = heappop(waiting)
        middle = (low + high) / 2
        best = max(best, (half_line_failure(mechanism, comparison, s, middle), middle))
        for start, stop in ((low, middle), (middle, high)):
            heappush(waiting, (-search.upper(start, stop), start, stop))
    return HalfLines(best[1], best[0], min(max(-waiting[0][0], best[0]), Fraction(1)))


class _Ranges:
    """Upper bounds of the failure over ranges of beliefs."""

    def __init__(self, mechanism: Mechanism, comparison: Comparison, s: Fraction) -> None:
        self.mechanism, self.s = mechanism, s
        self.sides = (comparison, comparison.reverse())
        self._known: dict[tuple[int, Fraction], _Event] = {}

    def upper(self, low: Fraction, high: Fraction) -> Fraction:
        """Return an upper bound of the failure of all beliefs of a range."""
        first, second = self._largest(0, low, high), self._largest(1, 1 - high, 1 - low)
        p, q = first.own + second.other, first.other + second.own
        return max(w * p + (1 - w) * q for w in (low, high))

    def _largest(self, side: int, low: Fraction, high: Fraction) -> _Event:
        """Return the largest event of one side, for the weights of that side's database."""
        weight = min(max((1 - self.s) / 2, low), high)
        slack = weight * (1 - weight - self.s)
        if slack <= 0:
            return _Event(Fraction(0), Fraction(0))
        key = (side, 1 + self.s / slack)
        if key not in self._known:
            self._known[key] = self._event(*key)
        return self._known[key]

    def _event(self, side: int, ratio: Fraction) -> _Event:
        comparison = self.sides[side]
        delta, event = comparison.gap(ratio)
        if delta == 0:
            return _Event(Fraction(0), Fraction(0))
        mass = self.mechanism.mass
        return _Event(
            *(bounds(mass(event, database), _BITS)[1] for database in (comparison.x, comparison.y))
        )
