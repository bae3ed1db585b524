r"""Theorem 2.4(2) of Kasiviswanathan & Smith is false as printed: semantic privacy implies what DP?

Printed: (epsilon, delta)-semantic implies (3 epsilon, 2 delta)-DP for epsilon <= 0.45. Randomized
response with odds 121 to 81 is 0.1-semantic, but needs delta = 0.0577 at epsilon = 0.3. Corrected:
(epsilon/2, delta)-semantic implies (3 epsilon, 2 delta)-DP.

Sharper (`s3`): (s, delta)-semantic implies (epsilon', c delta)-DP for all epsilon' >= 4 artanh(s),

    c = 1 + (1 - w) K - e^epsilon' (1 - w K)
    w = (1 - s + sqrt((1 - s)^2 - 4 s / (e^epsilon' - 1))) / 2
    K = ((1 - s)(1 - w) / (s w))^s / (1 - s)

Proof. Let x, y differ in record i, and P, Q be the laws of their transcripts. With belief u in x
and 1 - u in y, transcripts with P/Q > r(u) = 1 + s / (u (1 - s - u)) are bad, so that

    u P(P/Q > r(u)) + (1 - u) Q(P/Q > r(u)) <= delta    for all u in [w, 1 - s),

where r grows from r(w) = e^epsilon' =: b to infinity. Weigh these inequalities with the density
m >= 0 for which, for all v, the integral from w to v of (u r(v) + 1 - u) m(u) du is r(v) - b. With
y(v) = 1 - integral of u m this reads y'/y = -s (2v - 1 + s) / (v (1 - v)(1 - s - v)), so that y is
proportional to v^s (1 - v)^(-1-s) (1 - s - v), and falls to 0. Adding up, P(S) - b Q(S) is at most
delta times the integral of m, which is 1 - b + lim r y = c. The inequality at u = w alone gives the
simple c <= 1/w.

No smaller c will do (one bit, small delta): the laws for which all these are equalities have
P - Q = K(v) delta and Q = (1 - v K(v)) delta beyond r(v), and the rest near ratio 1.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, Number, Order, exp, ln, show, sqrt
from twoworlds.theorems.formulas import order, ratio_of_four_artanh
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import at_most, one_person, positive_delta, strictly_below
from twoworlds.theorems.kasiviswanathan_smith.pure import LARGEST_HALF
from twoworlds.theorems.statements import Check, Context, theorem
from twoworlds.worlds import SUBSTITUTE

__all__ = ["dp_factor", "simple_dp_factor"]

_PAPER = "Kasiviswanathan & Smith"


def _half_small(given: Guarantee, _context: Context) -> Check:
    return at_most("epsilon/2 <= 0.225", given.epsilon, LARGEST_HALF)


def _printed(given: Guarantee, _context: Context) -> Guarantee:
    ratio = exp(3 * given.epsilon)
    return given.to("dp", ratio=ratio, delta=2 * given.delta, neighbours=SUBSTITUTE)


@theorem(
    "ks-2.4-2",
    premises=["semantic"],
    conclusion="dp",
    citation=f"{_PAPER}, Theorem 2.4(2), corrected",
    hypotheses=(one_person, positive_delta, _half_small),
    printed="(epsilon, delta)-semantic privacy implies (3 epsilon, 2 delta)-DP for epsilon <= 0.45",
    printed_rule=_printed,
    printed_false=True,
    corrected="(epsilon/2, delta)-semantic privacy implies (3 epsilon, 2 delta)-DP for "
    "epsilon <= 0.45",
    tightness="loose",
    erratum="randomized response with odds 121:81 is 0.1-semantic, but is (0.3, delta)-DP for "
    "delta >= 0.0577 only",
)
def corrected_converse(given: Guarantee, _context: Context) -> Guarantee:
    r"""(epsilon/2, delta)-semantic privacy implies (3 epsilon, 2 delta)-DP, for epsilon <= 0.45.

    With s = epsilon/2: the uniform belief gives the ratio (1 + 2s)/(1 - 2s) <= e^(6s).

    >>> given = Guarantee.parse("semantic(epsilon=0.1, delta=0.01)")
    >>> print(corrected_converse(given, Context("dp")))
    dp(epsilon=0.6, delta=0.02)
    """
    ratio = exp(6 * given.epsilon)
    return given.to("dp", ratio=ratio, delta=2 * given.delta, neighbours=SUBSTITUTE)


def _largest_weight(distance: Number, ratio: Number) -> Number:
    """Return w, the larger belief for which transcripts of this ratio are just not bad."""
    least = ratio_of_four_artanh(distance)
    found = order(ratio, least)
    if found is Order.LESS:
        raise InvalidInput(
            f"e^epsilon = {show(ratio)} is below e^(4 artanh s) = {show(least)}: no multiple of "
            "delta is enough there"
        )
    if found is not Order.GREATER:  # the root is 0 there
        return (1 - distance) / 2
    return (1 - distance + sqrt((1 - distance) ** 2 - 4 * distance / (ratio - 1))) / 2


def simple_dp_factor(distance: Number, ratio: Number) -> Number:
    r"""Return the simple c = 1/w with which (s, delta)-semantic implies (epsilon', c delta)-DP.

    >>> simple_dp_factor(Fraction(1, 10), Fraction(3, 2))
    Fraction(2, 1)
    """
    return 1 / _largest_weight(distance, ratio)


def dp_factor(distance: Number, ratio: Number) -> Number:
    r"""Return the c with which (s, delta)-semantic implies (epsilon', c delta)-DP.

    See the module's docstring for c, and its proof. It falls to 1/(1 - s) for large epsilon'.

    >>> from twoworlds.numbers import decimal
    >>> decimal(dp_factor(Fraction(1, 10), exp(Fraction(3, 5))), 12)
    '1.18305377172'

    Raises:
        InvalidInput: when epsilon' < 4 artanh(s).
    """
    if distance == 0:
        return Fraction(1)
    if ratio == INFINITY:
        return 1 / (1 - distance)
    w = _largest_weight(distance, ratio)
    odds = (1 - distance) * (1 - w) / (distance * w)
    k = exp(distance * ln(odds)) / (1 - distance)
    return 1 + (1 - w) * k - ratio * (1 - w * k)


def _below_one(given: Guarantee, _context: Context) -> Check:
    return strictly_below("epsilon < 1", given.epsilon, Fraction(1))


@theorem(
    "s3",
    premises=["semantic"],
    conclusion="dp",
    citation=f"twoworlds, S3, sharper than {_PAPER}, Theorem 2.4(2)",
    hypotheses=(one_person, positive_delta, _below_one),
    tight="(epsilon', c delta) for epsilon' >= 4 artanh(s), see dp_factor; c <= 1/w",
    tightness="tight",
)
def sharper_converse(given: Guarantee, context: Context) -> tuple[Guarantee, ...]:
    r"""(s, delta)-semantic privacy implies (epsilon', c delta)-DP, for epsilon' >= 4 artanh(s).

    Without a wanted epsilon', or below: the smallest one, and 6 s, that of the corrected theorem.
    """
    s, wanted = given.epsilon, context.aim("dp", "ratio")
    least = ratio_of_four_artanh(s)
    reachable = wanted is not None and order(wanted, least) is not Order.LESS
    ratios = (wanted,) if wanted is not None and reachable else (least, exp(6 * s))
    usable = (ratio for ratio in ratios if order(ratio, least) is not Order.LESS)
    return tuple(
        given.to("dp", ratio=a, delta=dp_factor(s, a) * given.delta, neighbours=SUBSTITUTE)
        for a in usable
    )
