r"""Beliefs on two databases that differ in one person: how often they see a breach, exactly.

Let x and y differ in person i only, y be without that person's data, P and Q the laws of A(x) and
A(y), and w the belief in x, 1 - w that in y. Without person i the belief stays at w, and

    SD_t = w (1 - w) |P(t) - Q(t)| / (w P(t) + (1 - w) Q(t)).

For outputs of one likelihood ratio rho = P/Q > 1 this exceeds s iff w (1 - w - s) > s / (rho - 1),
an open interval of w with the ends (1 - s -+ sqrt((1 - s)^2 - 4 s / (rho - 1))) / 2; for rho < 1
the same with 1/rho and 1 - w. An output with Q = 0 is impossible without the person: a breach for
every w > 0. The probability of a breach,

    f(w) = sum over the outputs t that breach at w of  w P(t) + (1 - w) Q(t),

is linear between the ends of these intervals, so its supremum over w is a limit at one of them. It
is the exact failure probability over all beliefs for one record with two values.

Where the ratio takes infinitely many values, the outputs that breach s at w are {P > a(w) Q} and
{Q > a(1 - w) P} with a(w) = 1 + s / (w (1 - w - s)), two disjoint events. On a range of beliefs the
largest of both events are those of the smallest ratios; w (1 - w - s) rises up to (1 - s)/2 and
falls from there on, so these are known. With them fixed, the probability of a breach is linear in
the belief, hence at most its larger value at the two ends. The range of the largest such bound is
halved until that bound is next to what a single belief reaches (`ranged_failure`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from heapq import heappop, heappush
from typing import NamedTuple

from twoworlds.mechanisms import Comparison, Mechanism
from twoworlds.numbers import Number, Order, bounds, compare, maximum, sqrt

_TIE_BITS = 256
_NEAR = Fraction(1, 10**6)
_NEARER = 10**6
_NEAREST = Fraction(1, 10**96)
_BITS = 64
_CLOSE = 1 + Fraction(1, 10**4)
_MOST_RANGES = 1000


class Masses(NamedTuple):
    """Outputs of one likelihood ratio: their masses under P and under Q."""

    p: Fraction
    q: Fraction


class BreachInterval(NamedTuple):
    """The beliefs w for which a class of outputs breaches: open, but for a closed end at 1."""

    cell: Masses
    low: Number
    high: Number
    closed: bool = False


class PairFailure(NamedTuple):
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


def intervals(cells: Iterable[Masses], s: Fraction) -> list[BreachInterval]:
    """Return when each class of outputs breaches s, outputs of the same ratio put together."""
    masses: dict[Fraction | None, Masses] = {}
    for p, q in cells:
        if p or q:
            ratio = None if q == 0 else p / q
            before = masses.get(ratio, Masses(Fraction(0), Fraction(0)))
            masses[ratio] = Masses(before.p + p, before.q + q)
    found = []
    for cell in masses.values():
        small, large = sorted(cell)
        if cell.q == 0:
            found.append(BreachInterval(cell, Fraction(0), Fraction(1), closed=True))
        elif small != large and s < 1:
            width = (1 - s) ** 2 - (4 * s * small / (large - small))
            if width > 0:
                root = sqrt(width)
                low, high = (1 - s - root) / 2, (1 - s + root) / 2
                ends = (low, high) if cell.p > cell.q else (1 - high, 1 - low)
                found.append(BreachInterval(cell, *ends))
    return found


def pair_failure(
    cells: Iterable[Masses], s: Fraction, *, above: Fraction | None = None
) -> PairFailure:
    """Return the supremum over w of the probability of a breach of s.

    The belief comes nearer to a supremum that none attains until its failure exceeds ``above``, if
    that can be.

    >>> flip = [Masses(Fraction(3, 4), Fraction(1, 4)), Masses(Fraction(1, 4), Fraction(3, 4))]
    >>> pair_failure(flip, Fraction(1, 5)).value
    Fraction(1, 1)
    """
    found = intervals(cells, s)
    value: Number = Fraction(0)
    doubtful: Number = Fraction(0)
    for end, sure, possible in together(found):
        value = maximum(value, _at(sure, end))
        if len(possible) > len(sure):
            doubtful = maximum(doubtful, _at(possible, end))
    most = value if _order(doubtful, value) is Order.LESS else maximum(value, doubtful)
    near = _NEAR
    reached, weight = _best_near(found, s, near)
    if above is not None and _order(value, above) is Order.GREATER:
        while reached <= above and near > _NEAREST:
            near /= _NEARER
            reached, weight = _best_near(found, s, near)
    return PairFailure(value, most, weight, reached)


def _best_near(
    found: Sequence[BreachInterval], s: Fraction, near: Fraction
) -> tuple[Fraction, Fraction]:
    """Return how often the best of some beliefs next to the ends sees a breach, and that belief."""
    reached, weight = Fraction(0), Fraction(1, 2)
    for w in candidates(found, near):
        masses = [(w * p + (1 - w) * q, p, q) for p, q in (one.cell for one in found)]
        here = sum(
            (m for m, p, q in masses if m and (q == 0 or w * (1 - w) * abs(p - q) > s * m)),
            start=Fraction(0),
        )
        if here > reached:
            reached, weight = here, w
    return reached, weight


def together(
    found: Sequence[BreachInterval],
) -> Iterator[tuple[Number, list[Masses], list[Masses]]]:
    """Yield the ends, and the classes that breach next to them, inside: surely, and possibly."""
    for own in found:
        for end, inward in ((own.low, 1), (own.high, -1)):
            sure, possible = [own.cell], [own.cell]
            for other in found:
                if other is own:
                    continue
                left, right = _order(other.low, end), _order(end, other.high)
                inside = left is Order.LESS and right is Order.LESS
                inside |= left is Order.EQUAL and right is Order.LESS and inward > 0
                inside |= right is Order.EQUAL and left is Order.LESS and inward < 0
                sure += [other.cell] if inside else []
                possible += [other.cell] if inside or Order.UNDECIDED in (left, right) else []
            yield end, sure, possible


def candidates(found: Iterable[BreachInterval], nearest: Fraction = _NEAR) -> list[Fraction]:
    """Return rational beliefs just inside of the ends, and in the middle."""
    weights = {Fraction(1, 2), Fraction(1)}
    for one in found:
        bits = 128 + 2 * nearest.denominator.bit_length()
        low, high = bounds(one.low, bits)[1], bounds(one.high, bits)[0]
        for near in (nearest, 1000 * nearest, Fraction(1, 4)):
            if (step := (high - low) * near) > 0:
                short = int(2 / step) + 1
                weights |= {w.limit_denominator(short) for w in (low + step, high - step)}
    return [w for w in weights if 0 < w <= 1]


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
    p, q = (sum(masses, start=Fraction(0)) for masses in zip(*cells, strict=True))
    return q + w * (p - q)


def ranged_failure(
    mechanism: Mechanism, comparison: Comparison, s: Fraction
) -> tuple[Fraction, Fraction]:
    """Return a belief next to the worst one, and a bound on the failure of every belief.

    No output may be possible on one of the two databases only.

    >>> from twoworlds import mechanism
    >>> noise = mechanism("gaussian(sigma=2, bits=1)")
    >>> weight, upper = ranged_failure(noise, noise.compare((1,), (0,)), Fraction(1, 5))
    >>> float(weight), round(float(upper), 4)
    (0.5, 0.1002)
    """
    zero = Fraction(0)
    sides = comparison, comparison.reverse()

    @cache
    def masses(k: int, ratio: Fraction) -> tuple[Fraction, Fraction]:
        side = sides[k]
        delta, event = side.gap(ratio)
        if delta == 0:
            return zero, zero
        own, other = (bounds(mechanism.mass(event, x), _BITS)[1] for x in (side.x, side.y))
        return own, other

    def largest(k: int, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        weight = min(max((1 - s) / 2, low), high)
        slack = weight * (1 - weight - s)
        return masses(k, 1 + s / slack) if slack > 0 else (zero, zero)

    def upper(low: Fraction, high: Fraction) -> Fraction:
        first, second = largest(0, low, high), largest(1, 1 - high, 1 - low)
        p, q = first[0] + second[1], first[1] + second[0]
        return max(w * p + (1 - w) * q for w in (low, high))

    best = (upper(Fraction(1, 2), Fraction(1, 2)), Fraction(1, 2))
    waiting = [(-upper(zero, Fraction(1)), zero, Fraction(1))]
    for _ in range(_MOST_RANGES):
        if -waiting[0][0] <= best[0] * _CLOSE:
            break
        _, low, high = heappop(waiting)
        middle = (low + high) / 2
        best = max(best, (upper(middle, middle), middle))
        for start, stop in ((low, middle), (middle, high)):
            heappush(waiting, (-upper(start, stop), start, stop))
    return best[1], min(max(-waiting[0][0], best[0]), Fraction(1))
