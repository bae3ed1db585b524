r"""The exact case of Theorem 2.4(1) of Kasiviswanathan & Smith: one record with two values.

Let w be the belief in the value that is not the default, a = e^epsilon, s the semantic epsilon.
Transcripts are bad whose ratio exceeds rho = 1 + s / (w (1 - w - s)), or the same with 1 - w the
other way round. Under (epsilon, delta)-DP they have probability at most delta g(w) + delta g(1 - w),
attained for small delta:

    g(w) = (w rho + 1 - w) / (rho - a) = w (1 - w) / (s - (a - 1) w (1 - w - s))   for w < 1 - s

From w = 1 - s on, no ratio is bad: g = 0; but a transcript that is impossible with the default value
counts as a breach, so that the first g(w) is w there. g rises up to w = 1 / (1 + q), q = sqrt a,
where it is 1 / ((1 + q)^2 s - (q^2 - 1)), and falls from there on. So its largest value on any
interval is known, and the largest sum over all beliefs is enclosed by bisection.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, Number, Order, Real, bounds, show, sqrt
from twoworlds.theorems.formulas import order, tanh_quarter
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import (
    finite,
    needs,
    one_person,
    positive_delta,
    strictly_below,
    substitution,
)
from twoworlds.theorems.theorem import Check, Context, theorem

__all__ = ["one_bit_failure", "one_bit_worst"]

_PAPER = "Kasiviswanathan & Smith"
_PRECISION = Fraction(1, 1 << 17)
_MOST_PIECES = 20_000


def one_bit_failure(ratio: Number, distance: Number, weight: Number) -> Number:
    r"""Return the failure probability for one belief, per unit of delta.

    ``weight`` is the belief in the value that is not the default. At 1/2 the failure is
    2 / (1 + 2 s - a (1 - 2 s)). Valid for s > tanh(epsilon/4).

    >>> one_bit_failure(Fraction(2), Fraction(1, 4), Fraction(1, 2))
    Fraction(4, 1)
    """
    defined = order(weight, 1 - distance) is Order.LESS
    first = _side(ratio, distance, weight) if defined else weight
    return first + _side(ratio, distance, 1 - weight)


def _side(ratio: Number, distance: Number, weight: Number) -> Number:
    if order(weight, 1 - distance) is not Order.LESS:
        return Fraction(0)
    spread = (ratio - 1) * weight * (1 - weight - distance)
    return weight * (1 - weight) / (distance - spread)


def one_bit_worst(ratio: Number, distance: Number) -> Number:
    """Return an enclosure of the largest failure over all beliefs, per unit of delta.

    >>> from twoworlds.numbers import above, exp
    >>> round(above(one_bit_worst(exp(Fraction(1, 5)), Fraction(1, 5))), 4)
    2.9978

    Raises:
        InvalidInput: when s <= tanh(epsilon/4): then no multiple of delta is enough.
    """
    limit = tanh_quarter(ratio)
    if order(distance, limit) is not Order.GREATER:
        raise InvalidInput(
            f"distance={show(distance)} must lie above tanh(epsilon/4) = {show(limit)}"
        )
    # g grows with a and falls with s, so the outer ends bound it from above.
    (low, high), (near, far) = bounds(ratio), bounds(distance)
    curve = _Curve(high, near, bounds(sqrt(high)))
    if min(curve.bottom(q) for q in curve.roots) <= 0:
        return INFINITY  # too near to the limit to tell
    belief, most = _largest(curve)
    least = one_bit_failure(low, far, belief)
    assert isinstance(least, Fraction)
    return Real.between(min(least, most), most)


@dataclass(frozen=True)
class _Curve:
    """g for one a and s, with rationals on both sides of sqrt a."""

    ratio: Fraction
    s: Fraction
    roots: tuple[Fraction, Fraction]

    def value(self, w: Fraction) -> Fraction:
        """Return the failure at one belief."""
        found = one_bit_failure(self.ratio, self.s, w)
        assert isinstance(found, Fraction)
        return found

    def bound(self, low: Fraction, high: Fraction) -> Fraction:
        """Return a bound on the failure for all beliefs of an interval."""
        end = 1 - self.s
        first = high if low >= end else self.top(low, min(high, end))
        other = Fraction(0) if 1 - high >= end else self.top(1 - high, min(1 - low, end))
        return max(first, high if high > end else first) + other

    def top(self, low: Fraction, high: Fraction) -> Fraction:
        """Return the largest value of g on an interval: where it is nearest to the peak."""
        if high <= 1 / (1 + self.roots[1]) or low >= 1 / (1 + self.roots[0]):
            at = high if high <= 1 / (1 + self.roots[1]) else low
            return at * (1 - at) / (self.s - (self.ratio - 1) * at * (1 - at - self.s))
        return 1 / min(self.bottom(q) for q in self.roots)

    def bottom(self, q: Fraction) -> Fraction:
        """Return the denominator of g at its peak; concave in q, so smallest at an end."""
        return (1 + q) ** 2 * self.s - (q * q - 1)


def _largest(curve: _Curve) -> tuple[Fraction, Fraction]:
    """Return a belief that is nearly worst, and a bound for all beliefs."""
    zero, half, one = Fraction(0), Fraction(1, 2), Fraction(1)
    cuts = sorted({zero, half, one, curve.s, 1 - curve.s})
    pieces = [(-curve.bound(*part), *part) for part in pairwise(cuts)]
    heapq.heapify(pieces)
    best, reached = half, curve.value(half)
    for _ in range(_MOST_PIECES):
        top, low, high = pieces[0]
        if -top <= reached * (1 + _PRECISION):
            break
        heapq.heappop(pieces)
        middle = (low + high) / 2
        if (value := curve.value(middle)) > reached:
            best, reached = middle, value
        for part in ((low, middle), (middle, high)):
            heapq.heappush(pieces, (-curve.bound(*part), *part))
    return best, -pieces[0][0]


def _one_bit(given: Guarantee, context: Context) -> Check:
    name = "one record with two values"
    if given.records is None or context.values is None:
        return needs(name, known=None, how="records=1 and values=2")
    ok = given.records == 1 and context.values == 2
    seen = f"records = {given.records}, values = {context.values}"
    return Check(name, ok, name if ok else f"needs {name}: {seen}")


def _wanted_above_quarter(given: Guarantee, context: Context) -> Check:
    wanted = context.aim("semantic", "epsilon")
    if wanted is None:
        return needs("the semantic epsilon that is wanted", known=None, how="epsilon=")
    limit = Fraction(1) if given.ratio == INFINITY else tanh_quarter(given.ratio)
    return strictly_below("tanh(epsilon/4) < the wanted epsilon", limit, wanted)


@theorem(
    "s4-one-bit",
    premises=["dp"],
    conclusion="semantic",
    citation=f"twoworlds, S4 for one bit, sharper than {_PAPER}, Theorem 2.4(1)",
    hypotheses=(one_person, substitution, positive_delta, finite, _one_bit, _wanted_above_quarter),
    tight="delta times the largest one_bit_failure over all beliefs; at w = 1/2 it is "
    "2 delta / (1 + 2 s - e^epsilon (1 - 2 s))",
    tightness="tight",
)
def one_bit_theorem(given: Guarantee, context: Context) -> Guarantee:
    """One bit, any wanted epsilon: delta' is delta times the largest failure over all beliefs."""
    wanted = context.goal["epsilon"]
    failure = given.delta * one_bit_worst(given.ratio, wanted)
    return given.to("semantic", epsilon=wanted, delta=failure)
