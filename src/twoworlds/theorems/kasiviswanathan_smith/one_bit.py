r"""The exact case of Theorem 2.4(1) of Kasiviswanathan & Smith: one record with two values.

With belief w in the first value, a = e^epsilon, and s the semantic epsilon, transcripts are bad
whose ratio exceeds rho = 1 + s / (w (1 - w - s)); under (epsilon, delta)-DP, such have probability
at most delta g(w), attained for small delta, and delta g(1 - w) on the other side:

    g(w) = (w rho + 1 - w) / (rho - a)
         = w (1 - w) / (s - (a - 1) w (1 - w - s))   if w < 1 - s, else 0

g rises up to w = 1 / (1 + q), q = sqrt a, where it is 1 / ((1 + q)^2 s - (q^2 - 1)), and falls from
there on. So its largest value on any interval is known, and the largest g(w) + g(1 - w) over all
beliefs is enclosed by bisection.
"""

from __future__ import annotations

import heapq
from fractions import Fraction

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
Ends = tuple[Fraction, Fraction]


def one_bit_failure(ratio: Number, distance: Number, weight: Number) -> Number:
    r"""Return g(w) + g(1 - w): the failure probability for one belief, per unit of delta.

    At w = 1/2 it is 2 / (1 + 2 s - a (1 - 2 s)). Valid for s > tanh(epsilon/4).

    >>> one_bit_failure(Fraction(2), Fraction(1, 4), Fraction(1, 2))
    Fraction(4, 1)
    """
    return _side(ratio, distance, weight) + _side(ratio, distance, 1 - weight)


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
    peaks = bounds(sqrt(high))
    if min(_bottom(q, near) for q in peaks) <= 0:
        return INFINITY  # too near to the limit to tell
    beliefs = [Fraction(1, 2), 1 / (1 + peaks[0]), (1 - far) * (1 - _PRECISION / 1024)]
    most = _top(high, near, peaks, (Fraction(0), 1 - near))
    if near < Fraction(1, 2):
        found, top = _two_sided(high, near, peaks)
        beliefs, most = [*beliefs, found], max(most, top)
    return Real.between(max(_failure(low, far, w) for w in beliefs), most)


def _failure(ratio: Fraction, s: Fraction, weight: Fraction) -> Fraction:
    found = one_bit_failure(ratio, s, weight)
    assert isinstance(found, Fraction)
    return found


def _bottom(q: Fraction, s: Fraction) -> Fraction:
    """Return the denominator of g at its peak; concave in q, so smallest at an end of a range."""
    return (1 + q) ** 2 * s - (q * q - 1)


def _top(ratio: Fraction, s: Fraction, q: Ends, place: Ends) -> Fraction:
    """Return the largest value of g on an interval; sqrt a is known to lie between both q."""
    low, high = place
    if high <= 1 / (1 + q[1]) or low >= 1 / (1 + q[0]):
        at = high if high <= 1 / (1 + q[1]) else low
        return at * (1 - at) / (s - (ratio - 1) * at * (1 - at - s))
    return 1 / min(_bottom(end, s) for end in q)


def _two_sided(ratio: Fraction, s: Fraction, q: Ends) -> tuple[Fraction, Fraction]:
    """Return a belief between s and 1/2 that is nearly worst, and a bound for all of these."""

    def bound(low: Fraction, high: Fraction) -> Fraction:
        other = (1 - high, 1 - low)
        return _top(ratio, s, q, (low, high)) + _top(ratio, s, q, other)

    best, reached = Fraction(1, 2), _failure(ratio, s, Fraction(1, 2))
    pieces = [(-bound(s, best), s, best)]
    for _ in range(_MOST_PIECES):
        top, low, high = pieces[0]
        if -top <= reached * (1 + _PRECISION):
            break
        heapq.heappop(pieces)
        middle = (low + high) / 2
        if (value := _failure(ratio, s, middle)) > reached:
            best, reached = middle, value
        for part in ((low, middle), (middle, high)):
            heapq.heappush(pieces, (-bound(*part), *part))
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
