r"""The ways in which an output breaches, as convex sets of beliefs.

For an output t and a person let p and q be the likelihoods with and without their data, and for a
set S of databases P_S(b) = sum_(x in S) b_x p_x; Q_S likewise; all linear in the belief b. The two
games differ by more than s after t if and only if for some S, where p/q is at least some number,

    P_S / P - Q_S / Q > s.                                                               (*)

If p/q is one number r all over S, the largest one, then P_S = r Q_S, and (*) says

    (Q_S + s Q) (r Q - P) > s r Q^2,    both factors at least 0:

a convex cone of beliefs. If it is one number r all over the rest R of the databases, the smallest
one, then (*) says (Q_R - s Q)(P - r Q) > s r Q^2, both factors above 0: a convex cone again. Any
release of two bits, and geometric noise on a count of any number of bits, have no other S. For any
other S, P/Q lies between the smallest ratio in S and the largest one in R where the difference of
S is the largest. Let P/(P + Q) lie between l and h; then (*) gives

    (P_S - s P)(1 - l) > l Q_S,    (Q_R - s Q) h > (1 - h) P_R,

and the range is halved where that is not sharp. A cone X Y > k Q^2 lies inside
u X + (k/u) Y > 2 k Q for every u > 0, whatever float u came from: all numbers here are rational.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import isqrt, sqrt
from typing import NamedTuple

Row = tuple[Fraction, ...]
Inside = tuple[bool, ...]

_NEAR = Fraction(1, 10**9)  # a cone is cut where a belief breaks it by more than this share
_NARROW = Fraction(1, 10**7)
_SIZES = (10, 100, 1000, 10**5, 10**8)  # denominators of cuts
_TANGENTS, _PIECES = 8, 4
_ZERO, _ONE = Fraction(0), Fraction(1)


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Return sum a b."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), _ZERO)


def added(u: Fraction | int, a: Row, v: Fraction | int, b: Row) -> Row:
    """Return u a + v b."""
    return tuple(u * x + v * y for x, y in zip(a, b, strict=True))


def _on(row: Row, inside: Sequence[bool]) -> Row:
    return tuple(v if kept else _ZERO for v, kept in zip(row, inside, strict=True))


class Way(NamedTuple):
    """One way for an output to breach: for a person and a set S, or with a posterior undefined.

    Attributes:
        means: the likelihoods p, those q without the person up to a factor, and S, by database.
        strict, closed: rows that are above 0, or at least 0, on every belief of this way.
        cone: X, Y, Q, k where X Y > k Q^2 decides.
        ranged: p, q, S, s, l, h where only narrow ranges of P/(P + Q) decide.
        place: its place among all ways.
    """

    output: int
    means: tuple[object, ...]
    strict: tuple[Row, ...]
    closed: tuple[Row, ...] = ()
    cone: tuple[Row, Row, Row, Fraction] | None = None
    ranged: tuple[Row, Row, Inside, Fraction, Fraction, Fraction] | None = None
    place: int = 0

    @property
    def key(self) -> tuple[int | Fraction, ...]:
        """What tells ways apart."""
        return (self.place, *(self.ranged[-2:] if self.ranged else ()))

    def excess(self, belief: Row) -> Fraction:
        """Return a number that is above 0 for a breach, and below 0 for none."""
        if self.ranged is not None:
            p, q, inside, s, _, _ = self.ranged
            real, removed = dot(p, belief), dot(q, belief)
            gap = dot(_on(p, inside), belief) * removed - dot(_on(q, inside), belief) * real
            return gap - s * real * removed
        values = [dot(row, belief) for row in self.strict]
        if self.cone is not None:
            x, y, z, k = self.cone
            values.append(dot(x, belief) * dot(y, belief) - k * dot(z, belief) ** 2)
        return min(values, default=_ONE)

    def breached(self, belief: Row) -> bool:
        """Tell whether the output is a breach in this way."""
        inside = self.ranged is not None or all(dot(row, belief) >= 0 for row in self.closed)
        return inside and self.excess(belief) > 0

    def cut(self, belief: Row) -> Row | None:
        """Return an inequality of the cone that a belief outside breaks."""
        if self.cone is None:
            return None
        x, y, z, k = self.cone
        a, b, c = dot(x, belief), dot(y, belief), dot(z, belief)
        if a * b >= k * c * c * (1 - _NEAR):
            return None
        least = c / 10**6
        wanted = Fraction(sqrt(k * max(b, least) / max(a, least)))
        rows = (self.tangent(wanted.limit_denominator(size)) for size in _SIZES)
        return next((row for row in rows if row and dot(row, belief) < 0), None)

    def tangent(self, u: Fraction) -> Row | None:
        """Return u X + (k/u) Y - 2 k Q, which is above 0 inside of the cone."""
        assert self.cone is not None
        x, y, z, k = self.cone
        return added(1, added(u, x, k / u, y), -2 * k, z) if u > 0 else None

    def tangents(self) -> list[Row]:
        """Return some inequalities of the cone, where X and Y are at most their largest shares."""
        if self.cone is None:
            return []
        x, y, z, k = self.cone
        furthest, nearest = (
            max((float(a / b) for a, b in zip(row, z, strict=True) if b), default=0.0)
            for row in (x, y)
        )
        if furthest <= 0 or nearest <= 0:
            return []
        low, high = float(k) / furthest, nearest
        grid = (low * (high / low) ** (n / _TANGENTS) for n in range(_TANGENTS + 1))
        found = (self.tangent(Fraction(u).limit_denominator(_SIZES[-1])) for u in grid)
        return [row for row in found if row]

    def pieces(self) -> list[Way]:
        """Return the way itself, or parts of its range of P/(P + Q)."""
        if self.ranged is None:
            return [self]
        p, q, inside, s, low, high = self.ranged
        ends = [low + (high - low) * Fraction(n, _PIECES) for n in range(_PIECES + 1)]
        return [_ranged(self.output, p, q, inside, s, *one) for one in pairwise(ends)]

    def halves(self, belief: Row) -> list[Way]:
        """Return the way with its range of P/(P + Q) cut near the belief's, or none if narrow."""
        assert self.ranged is not None
        p, q, inside, s, low, high = self.ranged
        if high - low < _NARROW:
            return []
        real, removed = dot(p, belief), dot(q, belief)
        middle = real / (real + removed) if real + removed else low
        if not low + (high - low) / 8 < middle < high - (high - low) / 8:
            middle = (low + high) / 2
        middle = Fraction(round(middle * 2**30), 2**30)
        ends = ((low, middle), (middle, high))
        both = [_ranged(self.output, p, q, inside, s, *one) for one in ends]
        return [way._replace(place=self.place) for way in both]


def _ranged(
    t: int, p: Row, q: Row, inside: Inside, s: Fraction, low: Fraction, high: Fraction
) -> Way:
    p_in, q_in = _on(p, inside), _on(q, inside)
    p_out, q_out = added(1, p, -1, p_in), added(1, q, -1, q_in)
    first, second = added(1, p_in, -s, p), added(1, q_out, -s, q)
    sharper = (added(1 - low, first, -low, q_in), added(high, second, high - 1, p_out))
    closed = (added(1 - low, p, -low, q), added(high, q, high - 1, p))
    ranged = (p, q, inside, s, low, high)
    means = tuple(zip(p, q, inside, strict=True))  # the range depends on the scale of q
    return Way(t, means, (first, second, *sharper), closed, ranged=ranged)


def _means(p: Row, q: Row, inside: Sequence[bool | None]) -> tuple[object, ...]:
    total = sum(q, _ZERO) or _ONE
    return tuple(zip(p, (v / total for v in q), inside, strict=True))


def ways(t: int, p: Row, q: Row, s: Fraction, *, unseen: bool = False) -> Iterator[Way]:
    """Yield the ways in which one output breaches for one person, who is left out in q.

    With ``unseen``, an output that the belief rules out is a breach too.
    """
    if any(a and not b for a, b in zip(p, q, strict=True)) or (unseen and 0 in q):
        yield Way(t, _means(p, q, (False,) * len(p)), (), (added(-1, q, 0, q),))
    if unseen and 0 in p:
        yield Way(t, _means(p, q, (True,) * len(p)), (), (added(-1, p, 0, p),))
    pairs = list(zip(p, q, strict=True))
    ratios = [a / b if b else None for a, b in pairs]  # None is infinite, or 0/0
    finite = sorted({r for r in ratios if r is not None}, reverse=True)
    classes = [*([None] if any(a and not b for a, b in pairs) else []), *finite]
    for j in range(1, len(classes)):
        inside = tuple(
            a + b > 0 and r in classes[:j] for (a, b), r in zip(pairs, ratios, strict=True)
        )
        yield _way(t, p, q, inside, s, classes, j)


def _way(
    t: int,
    p: Row,
    q: Row,
    inside: Inside,
    s: Fraction,
    classes: Sequence[Fraction | None],
    j: int,
) -> Way:
    """Return the way whose set S holds the first j classes of ratios, the largest ones."""
    largest, smallest = classes[0], classes[-1]
    means, q_in = _means(p, q, inside), _on(q, inside)
    if j == 1 and largest is None:  # q is 0 on S
        return Way(t, means, (added(1, _on(p, inside), -s, p), q))
    if j == len(classes) - 1:
        assert smallest is not None
        q_out = added(1, q, -1, q_in)
        x, y, k = added(1, q_out, -s, q), added(1, p, -smallest, q), s * smallest
    elif j == 1:
        assert largest is not None
        x, y, k = added(1, q_in, s, q), added(largest, q, -1, p), s * largest
    else:
        low, high = (_ONE if r is None else r / (1 + r) for r in (classes[j], classes[j - 1]))
        return _ranged(t, p, q, inside, s, low, high)
    if k == 0:
        return Way(t, means, (x, y))
    found = Way(t, means, (x, y), cone=(x, y, q, k))
    if len(classes) > 2 or largest is None or smallest is None:
        return found
    # Two ratios: the cone is a range of z = Q_R/Q_S, and the cuts at its ends are all.
    roots = _roots(s * smallest, s * (largest + smallest) - largest + smallest, s * largest)
    cuts = (found.tangent(k * (1 + z) / (z - s * (1 + z))) for z in roots if z > s * (1 + z))
    return found._replace(strict=(x, y, *(row for row in cuts if row)))


def _roots(a: Fraction, b: Fraction, c: Fraction) -> list[Fraction]:
    """Return the roots of a z^2 + b z + c, or rationals near them."""
    inner = max(b * b - 4 * a * c, _ZERO)
    exact = Fraction(isqrt(inner.numerator), isqrt(inner.denominator))
    root = exact if exact * exact == inner else Fraction(sqrt(inner)).limit_denominator(10**8)
    return [(-b - root) / (2 * a), (-b + root) / (2 * a)]
