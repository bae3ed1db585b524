r"""The exact case of Theorem 2.4(1) of Kasiviswanathan & Smith: one record with two values.

Let w be the belief in the value that is not the default, a = e^epsilon, s the semantic epsilon.
Transcripts are bad whose ratio exceeds rho = 1 + s / (w (1 - w - s)), or the same with 1 - w the
other way round. Under (epsilon, delta)-DP they have probability at most delta (g(w) + g(1 - w)),
attained for small delta:

    g(w) = (w rho + 1 - w) / (rho - a) = w (1 - w) / D(w),   D(w) = s - (a - 1) w (1 - w - s),

for w < 1 - s.

From w = 1 - s on, no ratio is bad, g = 0; but a transcript that is impossible with the default
value counts as a breach, so that the first g(w) is w there. So the worst belief gives the larger of

    g(w) + g(1 - w) over s <= w <= 1/2      and      1 - v + g(v) over 0 <= v <= min(s, 1 - s)

(the second contains the beliefs with g(v) alone): at an end, or where the slope is 0.

That it is attained is shown by a mechanism (`one_bit_counterexample`): it has one output of ratio
just above rho(w), whose excess P - a Q is delta, one of ratio just above rho(1 - w) the other way
round, and one output of all the rest. For n records, choose a person J at random, tell J, and do
the same with n delta for the bit of J: a change of one record changes one branch in n, so that it
is (epsilon, delta)-DP, and it fails n times as often. Below tanh(epsilon/4), randomized response
with odds a is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from flint import acb_poly, arb, fmpq, fmpq_poly

from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    bounds,
    decimal,
    show,
    sqrt,
    working_precision,
)
from twoworlds.theorems.common import (
    finite,
    needs,
    one_person,
    positive_delta,
    strictly_below,
    substitution,
)
from twoworlds.theorems.formulas import brief, minimum, order, tanh_quarter
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import Check, Context, Found, non_implication, theorem
from twoworlds.worlds import SUBSTITUTE

_PAPER = "Kasiviswanathan & Smith"
_BITS = 128
_GRID = 1 << 16  # of the belief shown, which need not be the very worst


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
    """
    limit = tanh_quarter(ratio)
    if order(distance, limit) is not Order.GREATER:
        raise InvalidInput(
            f"distance={show(distance)} must lie above tanh(epsilon/4) = {show(limit)}"
        )
    # g grows with a and falls with s, so the outer ends bound it from above.
    (low, high), (near, far) = bounds(ratio), bounds(distance)
    if _denominator(high, near)((1 - near) / 2) <= 0:
        return INFINITY  # too near to the limit to tell
    belief, most = _worst(high, near)
    least = one_bit_failure(low, far, belief)
    assert isinstance(least, Fraction)
    return Real.between(min(least, most), most)


def _polynomial(*coefficients: Fraction | int) -> fmpq_poly:
    return fmpq_poly([fmpq(c.numerator, c.denominator) for c in coefficients])


def _denominator(a: Fraction, s: Fraction) -> Callable[[Any], Any]:
    """Return D(w) = s - (a - 1) w (1 - w - s), which is least at w = (1 - s)/2."""
    return lambda w: (a - 1) * (w * w - (1 - s) * w) + s


def _worst(a: Fraction, s: Fraction) -> tuple[Fraction, Fraction]:
    """Return a belief that is nearly worst, and a bound for all beliefs."""
    one, w = _polynomial(1), _polynomial(0, 1)
    top = w * (one - w)
    bottom = _polynomial(s, (a - 1) * (s - 1), a - 1)
    mirrored = bottom(one - w)
    # 1 - v + g(v), and g(w) + g(1 - w)
    v, most = _largest((one - w) * bottom + top, bottom, Fraction(0), min(s, 1 - s))
    belief, reached = 1 - v, 1 - v + v * (1 - v) / _denominator(a, s)(v)
    if s < Fraction(1, 2):
        both = top * (bottom + mirrored), bottom * mirrored
        u, bound = _largest(*both, s, Fraction(1, 2))
        if _at(both[0], u) / _at(both[1], u) > reached:
            belief = u
        most = max(most, bound)
    return belief, most


def _at(of: fmpq_poly, x: Fraction) -> Fraction:
    value = of(fmpq(x.numerator, x.denominator))
    return Fraction(int(value.p), int(value.q))


def _largest(
    top: fmpq_poly, bottom: fmpq_poly, low: Fraction, high: Fraction
) -> tuple[Fraction, Fraction]:
    """Return a point of an interval where top / bottom is nearly largest, and a bound for all.

    It is largest at an end, or where its slope is 0: the roots are enclosed, and so is its value.
    """
    points = {x: _at(top, x) / _at(bottom, x) for x in (low, high)}
    bounds_above = list(points.values())
    slope = (top.derivative() * bottom - top * bottom.derivative()).numer()
    with working_precision(_BITS):
        found: Any = slope.complex_roots()  # real roots are given as exactly real
        for root in (root.real for root, _ in found if root.imag == 0):
            if _exact(root.upper()) > low and _exact(root.lower()) < high:
                middle = min(max(Fraction(round(_exact(root.mid()) * _GRID), _GRID), low), high)
                points[middle] = _at(top, middle) / _at(bottom, middle)
                value = acb_poly(top)(root).real / acb_poly(bottom)(root).real
                bounds_above.append(max(points[middle], _exact(value.upper())))
    return max(points, key=points.__getitem__), max(bounds_above)


def _exact(x: arb) -> Fraction:
    """Return the exact value of a ball without a radius."""
    man, exponent = x.man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exponent)


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
    "s4-one-bit: dp => semantic",
    f"twoworlds, S4 for one bit, sharper than {_PAPER}, Theorem 2.4(1)",
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


# --- nothing more follows -------------------------------------------------------------------------

Rows = list[tuple[Fraction, Fraction]]
_FINE = [Fraction(1, 1 << k) for k in (10, 20, 40, 80)]
_HALVINGS = 40


def one_bit_counterexample(
    ratio: Number, delta: Number, distance: Number, failure: Number
) -> tuple[Rows, Fraction, Fraction] | None:
    r"""Return an (epsilon, delta)-DP mechanism of one bit that fails more often than claimed.

    That is: the probabilities of its outputs under the value that is not the default and under the
    default, a belief in the former, and the probability of a breach; None if none was found.

    >>> rows, belief, reached = one_bit_counterexample(
    ...     Fraction(2), Fraction(1, 100), Fraction(1, 4), Fraction(3, 100)
    ... )
    >>> len(rows), reached > Fraction(3, 100)
    (3, True)
    """
    # A smaller ratio or delta, and a larger distance, are harder to refute with.
    a, d = bounds(ratio)[0], bounds(delta)[0]
    s, claimed = bounds(distance)[1], bounds(failure)[1]
    if s >= 1:
        return None
    for rows, weight in _candidates(a, d, s):
        ways = rows, [(q, p) for p, q in rows]
        excess = [sum((max(p - a * q, Fraction(0)) for p, q in way), Fraction(0)) for way in ways]
        reached = _breached(rows, weight, s)
        if max(excess) <= d and reached > claimed:
            return rows, weight, reached
    return None


def _candidates(a: Fraction, d: Fraction, s: Fraction) -> Iterator[tuple[Rows, Fraction]]:
    inside = (1 - s) ** 2 - 4 * s / (a - 1) if a > 1 else Fraction(-1)
    if inside > 0:
        survey = [(a / (a + 1), 1 / (a + 1)), (1 / (a + 1), a / (a + 1))]
        yield survey, Fraction(1, 2)
        root = bounds(sqrt(inside))[0]
        yield from ((survey, (1 - s + root * (1 - fine)) / 2) for fine in reversed(_FINE))
        return
    if d == 0 or _denominator(a, s)((1 - s) / 2) <= 0:
        return
    weight, _ = _worst(a, s)
    for k in range(_HALVINGS):
        for fine in _FINE:
            if (rows := _leak(a, d / 2**k, s, weight, fine)) is not None:
                yield rows, weight


def _leak(a: Fraction, d: Fraction, s: Fraction, w: Fraction, fine: Fraction) -> Rows | None:
    """Return the three outputs that the module describes; None where delta is too large."""

    def excess(weight: Fraction) -> tuple[Fraction, Fraction] | None:
        if weight >= 1 - s or weight == 0:
            return None
        ratio = (1 + s / (weight * (1 - weight - s))) * (1 + fine)
        return ratio * d / (ratio - a), d / (ratio - a)

    rows = [excess(w) or (d, Fraction(0))]
    if (other := excess(1 - w)) is not None:
        rows.append((other[1], other[0]))
    p, q = (1 - sum((row[i] for row in rows), Fraction(0)) for i in (0, 1))
    return [*rows, (p, q)] if min(p, q) >= 0 and p <= a * q and q <= a * p else None


def _breached(rows: Rows, weight: Fraction, s: Fraction) -> Fraction:
    """Return how often the posterior lies more than s from the prior, or is undefined."""
    found = Fraction(0)
    for p, q in rows:
        total = weight * p + (1 - weight) * q
        if total and (q == 0 or abs(weight * p / total - weight) > s):
            found += total
    return found


@non_implication(
    "s4-one-bit-limit: dp =/=> semantic",
    f"twoworlds, S4 for one bit, against {_PAPER}, Theorem 2.4(1)",
)
def one_bit_is_no_better(given: Guarantee, context: Context) -> Found | None:
    """A smaller failure probability does not follow: one bit, told with a rare leak."""
    wanted, failure = (context.goal.get(name) for name in ("epsilon", "delta"))
    other = context.neighbours not in (None, SUBSTITUTE) or given.neighbours != SUBSTITUTE
    if wanted is None or failure is None or other or given.group != 1 or given.ratio == INFINITY:
        return None
    people = given.records or 1
    found = one_bit_counterexample(
        given.ratio, minimum(given.delta * people, Fraction(1)), wanted, failure
    )
    if found is None:
        return None
    rows, weight, reached = found
    if len(rows) == 2:
        told = f"told by randomized response with odds {brief(given.ratio)}"
        people = 1
    else:
        masses = "; ".join(f"{brief(p, 'up')} or {brief(q, 'up')}" for p, q in rows[:-1])
        told = f"told by outputs of probability about {masses} if it is 1 or 0, and else not told"
    whose = "one bit" if people == 1 else f"the bit of one of {people} people at random"
    text = (
        f"{whose}, {told}, satisfies what is given; for who believes with probability "
        f"{brief(weight)} that it is 1, the posteriors with and without that person differ by more "
        f"than {brief(wanted, 'down')} with probability at least {decimal(reached, side='down')}"
    )
    return text, True, {"failure": reached, "belief": weight}
