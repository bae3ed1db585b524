"""Theorems 2.2 and 2.4 of Kasiviswanathan & Smith: differential and semantic privacy.

Theorem 2.2, for delta = 0:

    epsilon-DP           =>  tanh(epsilon/2)-semantic      (printed: e^epsilon - 1)
    s-semantic           =>  4 artanh(s)-DP                (printed: s = epsilon/2 gives 3 epsilon)
    epsilon-DP           <=> tanh(epsilon/4) from prior to posterior, for informed beliefs

The tight forms come from the exact worst belief: over all beliefs, the two posteriors given a
transcript t differ by at most tanh(ln(R)/4), where R is the largest ratio between two values of
r(x) = P(A(x) = t) / P(A(x_-i) = t). Differential privacy bounds each r(x) by e^epsilon both ways,
so R <= e^(2 epsilon); with a single record, r has one denominator and R <= e^epsilon.

Equations 4 and 5 say what privacy means for hypothesis tests. A test of one value of a record
against another, at level alpha, has power at most

    e^epsilon alpha + delta      under (epsilon, delta)-differential privacy        (equation 4)
    alpha + epsilon              under a statistical difference epsilon             (equation 5)

and, as the same holds for the complement, at most 1 - (1 - delta - alpha) e^-epsilon. The smaller
of the two is attained. Both equations read alike, but a mechanism that publishes a random record in
the clear satisfies the second one: power alone says little (Remark 1).
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, Number, Order, exp, ln, show, sqrt
from twoworlds.theorems.common import (
    at_most,
    finite,
    known_level,
    known_records,
    one_person,
    positive_delta,
    pure,
    strictly_below,
    substitution,
)
from twoworlds.theorems.formulas import (
    capped,
    minimum,
    order,
    ratio_of_four_artanh,
    tanh_half,
    tanh_quarter,
)
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import Check, Context, Hypothesis, theorem
from twoworlds.worlds import SUBSTITUTE

_PAPER = "Kasiviswanathan & Smith"
LARGEST_HALF = Fraction(9, 40)  # epsilon <= 0.45, so epsilon/2 <= 0.225


def _printed_forward(given: Guarantee, _context: Context) -> Guarantee:
    return given.to("semantic", epsilon=given.ratio - 1)


@theorem(
    "ks-2.2-forward",
    premises=["dp"],
    conclusion="semantic",
    citation=f"{_PAPER}, Theorem 2.2",
    hypotheses=(one_person, pure, finite),
    printed="epsilon-DP implies (e^epsilon - 1)-semantic privacy",
    printed_rule=_printed_forward,
    tight="tanh(epsilon/2), attained by randomized response on the parity of two bits; "
    "tanh(epsilon/4) for a single record",
    tightness="tight",
    erratum="the proof starts from epsilon/2-DP, so it shows e^(2 epsilon) - 1; both bounds are "
    "true, because tanh(epsilon/2) is",
)
def dp_implies_semantic(given: Guarantee, _context: Context) -> Guarantee:
    r"""Epsilon-DP implies tanh(epsilon/2)-semantic privacy; tanh(epsilon/4) for one record."""
    single = given.records == 1 and given.neighbours == SUBSTITUTE
    return given.to("semantic", epsilon=(tanh_quarter if single else tanh_half)(given.ratio))


def _meaningful(given: Guarantee, _context: Context) -> Check:
    return strictly_below("epsilon < 1", given.epsilon, Fraction(1))


def _printed_converse(given: Guarantee, _context: Context) -> Guarantee | None:
    if order(given.epsilon, LARGEST_HALF) not in (Order.LESS, Order.EQUAL):
        return None
    return given.to("dp", ratio=exp(6 * given.epsilon), neighbours=SUBSTITUTE)


@theorem(
    "ks-2.2-converse",
    premises=["semantic"],
    conclusion="dp",
    citation=f"{_PAPER}, Theorem 2.2",
    hypotheses=(one_person, pure, _meaningful),
    printed="epsilon/2-semantic privacy implies 3 epsilon-DP, for epsilon <= 0.45",
    printed_rule=_printed_converse,
    tight="4 artanh(s) = 2 ln((1 + s)/(1 - s)), attained by randomized response on one record",
    tightness="tight",
    erratum="the statement is true; its proof speaks of epsilon-semantic privacy, and equation 6, "
    "(1/2 + e)/(1/2 - e) <= e^(3e), is false for every e between 0 and 1/2",
)
def semantic_implies_dp(given: Guarantee, _context: Context) -> Guarantee:
    r"""s-semantic privacy implies 4 artanh(s)-DP: e^epsilon = ((1 + s)/(1 - s))^2.

    Two databases that differ in record i look the same in Game i. By the worst belief on the two,
    tanh(ln(R)/4) <= s, where R is the ratio of their likelihoods.
    """
    return given.to("dp", ratio=ratio_of_four_artanh(given.epsilon), neighbours=SUBSTITUTE)


@theorem(
    "ks-informed",
    premises=["dp"],
    conclusion="informed",
    citation=f"{_PAPER}, Section 2.1, prior to posterior",
    hypotheses=(one_person, pure, finite, substitution),
    printed="for informed beliefs the definition is equivalent to differential privacy",
    corrected="SD(b, b_0) <= epsilon, the posterior of Game 0",
    tight="exactly tanh(epsilon/4)",
    tightness="tight",
    erratum="printed with the posterior of Game i, which equals the prior: that condition is empty",
)
def dp_implies_informed(given: Guarantee, _context: Context) -> Guarantee:
    """Epsilon-DP moves a belief about one unknown record by at most tanh(epsilon/4)."""
    return given.to("informed", epsilon=tanh_quarter(given.ratio))


@theorem(
    "ks-informed-converse",
    premises=["informed"],
    conclusion="dp",
    citation=f"{_PAPER}, Section 2.1, prior to posterior",
    hypotheses=(one_person, _meaningful, substitution),
    printed="for informed beliefs the definition is equivalent to differential privacy",
    corrected="SD(b, b_0) <= epsilon, the posterior of Game 0",
    tight="exactly 4 artanh(s)",
    tightness="tight",
)
def informed_implies_dp(given: Guarantee, _context: Context) -> Guarantee:
    """If beliefs about one unknown record move by at most s, that is 4 artanh(s)-DP."""
    return given.to("dp", ratio=ratio_of_four_artanh(given.epsilon))


@theorem(
    "ks-reality-oblivious-pure",
    premises=["dp"],
    conclusion="reality-oblivious",
    citation=f"{_PAPER}, Theorem 2.2 and appendix, Definition 1.1",
    hypotheses=(one_person, pure, finite),
    tight="tanh(epsilon/2)",
    tightness="tight",
)
def pure_implies_reality_oblivious(given: Guarantee, _context: Context) -> Guarantee:
    """Pure DP bounds every transcript, so the true database does not matter: tanh(epsilon/2)."""
    return given.to("reality-oblivious", epsilon=tanh_half(given.ratio))


# --- power of tests -------------------------------------------------------------------------------


def largest_power(ratio: Number, delta: Number, level: Number) -> Number:
    r"""Return min(1, a alpha + delta, 1 - (1 - delta - alpha)/a), the largest power at a level.

    >>> largest_power(Fraction(3), Fraction(0), Fraction(1, 4))
    Fraction(3, 4)
    """
    first, second = ratio * level + delta, 1 - (1 - delta - level) / ratio
    return capped(minimum(first, second))


def _printed_power(given: Guarantee, context: Context) -> Guarantee | None:
    if context.level is None:
        return None
    power = given.ratio * context.level + given.delta
    return given.to("power", level=context.level, power=power)


@theorem(
    "ks-equation-4",
    premises=["dp"],
    conclusion="power",
    citation=f"{_PAPER}, Section 2.1, equation 4",
    hypotheses=(finite, known_level),
    printed="1 - beta <= e^epsilon alpha (with delta: + delta)",
    printed_rule=_printed_power,
    tight="min(e^epsilon alpha + delta, 1 - (1 - delta - alpha) e^-epsilon)",
    tightness="tight",
    erratum='"H_1 versus H_1" means H_0 versus H_1; 1 - beta, the power, is 1 - type II error',
)
def power_under_dp(given: Guarantee, context: Context) -> Guarantee:
    """A test at level alpha has power at most min(a alpha + delta, 1 - (1 - delta - alpha)/a)."""
    assert context.level is not None
    power = largest_power(given.ratio, given.delta, context.level)
    return given.to("power", level=context.level, power=power)


@theorem(
    "ks-equation-5",
    premises=["statistical-difference"],
    conclusion="power",
    citation=f"{_PAPER}, Section 2.1, equation 5",
    hypotheses=(known_level,),
    printed="1 - beta <= alpha + epsilon_SD",
    tightness="tight",
)
def power_under_statistical_difference(given: Guarantee, context: Context) -> Guarantee:
    """A test at level alpha has power at most alpha + epsilon; this says little."""
    level = context.level or Fraction(0)
    return given.to("power", level=level, power=level + given.epsilon)


# --- Theorem 2.4(1) of Kasiviswanathan & Smith: (epsilon, delta)-DP implies semantic privacy -----
# Printed, for delta < epsilon^2/n:  (e^(3 epsilon) - 1 + 2 sqrt(n delta), 4 sqrt(n delta)). The
# proof rests on two false lemmas, but the statement is true, with 2.4 in place of 4 and one sqrt(n
# delta) less (`ks-2.4-1`). Sharper, without a condition (`s4`), for every tau > 0:
#
#     (tanh(epsilon/2) + tau,  n delta (2 + e^epsilon) / tau)
#
# Proof of `s4`. Let P = (x, A(x)) and Q = (x, A(x_-i)), and a = e^epsilon. P' = min(P, a Q) and Q'
# = min(Q, a P) have ratios within a. Given a transcript t, the posteriors differ by at most
# tanh(epsilon/2) + eta(t) + zeta(t), where eta = (P - P')(t) / P(t) and zeta = (Q - Q')(t) / Q(t).
# Under P, the mean of eta is at most delta, and that of zeta at most (1 + a) delta, as P(t) <= a
# Q(t) + (P - P')(t). By Markov's inequality eta + zeta > tau has probability at most delta (2 + a)
# / tau; add up over n people.

REPAIRED = Fraction(12, 5)


def _small_delta(given: Guarantee, context: Context) -> Check:
    if given.records is None:
        return known_records(given, context)
    limit = given.epsilon * given.epsilon / Fraction(given.records)
    return strictly_below("delta < epsilon^2/n", given.delta, limit)


def _printed_main(given: Guarantee, _context: Context) -> Guarantee:
    root = sqrt(given.delta * Fraction(given.records or 0))
    return given.to("semantic", epsilon=given.ratio**3 - 1 + 2 * root, delta=4 * root)


@theorem(
    "ks-2.4-1",
    premises=["dp"],
    conclusion="semantic",
    citation=f"{_PAPER}, Theorem 2.4(1)",
    hypotheses=(one_person, known_records, positive_delta, finite, _small_delta),
    printed="(e^(3 epsilon) - 1 + 2 sqrt(n delta), 4 sqrt(n delta))-semantic, for "
    "delta < epsilon^2/n",
    printed_rule=_printed_main,
    corrected="(e^(3 epsilon) - 1 + sqrt(n delta), 2.4 sqrt(n delta)), the proof repaired",
    tightness="loose",
    erratum="true as printed; the proof gives + sqrt(n delta), and uses Lemma 3.3(2) and Lemma "
    "3.4, which are false as printed",
)
def main_theorem(given: Guarantee, _context: Context) -> Guarantee:
    r"""If delta < epsilon^2/n: (e^(3 epsilon) - 1 + sqrt(n delta), 2.4 sqrt(n delta))-semantic.

    For epsilon >= ln(2)/3 the first number is at least 1. Below, with d = sqrt(n delta) < epsilon,
    the corrected Conditioning Lemma fails with probability at most
    (epsilon / (1 - e^-epsilon) + e^epsilon) sqrt(delta/n) <= 2.4 sqrt(delta/n) for each person.
    """
    root = sqrt(given.delta * Fraction(given.records or 0))
    return given.to("semantic", epsilon=given.ratio**3 - 1 + root, delta=REPAIRED * root)


def sharper_semantic(
    ratio: Number,
    delta: Number,
    records: int,
    *,
    epsilon: Number | None = None,
    failure: Number | None = None,
) -> tuple[Number, Number]:
    r"""Return (tanh(epsilon/2) + tau, n delta (2 + e^epsilon) / tau) for one tau.

    tau is chosen to give the semantic epsilon that is wanted, or the failure probability that is
    wanted; without either, tau = sqrt(n delta (2 + e^epsilon)), which makes both equal to tau. With
    delta = 0, tau = 0.

    >>> sharper_semantic(Fraction(3), Fraction(1, 10**6), 2, failure=Fraction(1, 1000))
    (Fraction(51, 100), Fraction(1, 1000))
    """
    pure, product = tanh_half(ratio), delta * records * (2 + ratio)
    if delta == 0:
        return pure, Fraction(0)
    if epsilon is not None:
        return epsilon, product / (epsilon - pure)
    tau = sqrt(product) if failure is None else product / failure
    return pure + tau, tau if failure is None else failure


def reachable(kind: str) -> tuple[Hypothesis, Hypothesis]:
    """Return the checks that the numbers aimed at, if any, can be reached by some tau > 0."""

    def above_tanh(given: Guarantee, context: Context) -> Check:
        name = "tanh(epsilon/2) < the wanted epsilon"
        wanted = context.aim(kind, "epsilon")
        if wanted is None:
            return Check(name, ok=True, text="any epsilon above tanh(epsilon/2) will do")
        return strictly_below(name, tanh_half(given.ratio), wanted)

    def positive_failure(_given: Guarantee, context: Context) -> Check:
        wanted = context.aim(kind, "delta")
        if wanted is None:
            return Check("0 < the wanted delta", ok=True, text="any delta above 0 will do")
        return strictly_below("0 < the wanted delta", Fraction(0), wanted)

    return above_tanh, positive_failure


@theorem(
    "s4",
    premises=["dp"],
    conclusion="semantic",
    citation=f"twoworlds, S4, sharper than {_PAPER}, Theorem 2.4(1)",
    hypotheses=(
        one_person,
        known_records,
        positive_delta,
        finite,
        *reachable("semantic"),
    ),
    tight="linear in n delta, as it must be: publish a random record with probability n delta",
    tightness="proved",
)
def sharper_theorem(given: Guarantee, context: Context) -> Guarantee:
    r"""(tanh(epsilon/2) + tau, n delta (2 + e^epsilon)/tau)-semantic for every tau > 0."""
    assert given.records is not None
    epsilon, failure = sharper_semantic(
        given.ratio,
        given.delta,
        given.records,
        epsilon=context.aim("semantic", "epsilon"),
        failure=context.aim("semantic", "delta"),
    )
    return given.to("semantic", epsilon=epsilon, delta=failure)


# --- Theorem 2.4(2) of Kasiviswanathan & Smith is false as printed -------------------------------
# Printed: (epsilon, delta)-semantic implies (3 epsilon, 2 delta)-DP for epsilon <= 0.45.
# Randomized response with odds 121 to 81 is 0.1-semantic, but needs delta = 0.0577 at epsilon =
# 0.3. Corrected: (epsilon/2, delta)-semantic implies (3 epsilon, 2 delta)-DP.
#
# Sharper (`s3`): (s, delta)-semantic implies (epsilon', c delta)-DP for all epsilon' >= 4
# artanh(s),
#
#     c = 1 + (1 - w) K - e^epsilon' (1 - w K)
#     w = (1 - s + sqrt((1 - s)^2 - 4 s / (e^epsilon' - 1))) / 2
#     K = ((1 - s)(1 - w) / (s w))^s / (1 - s)
#
# Proof. Let x, y differ in record i, and P, Q be the laws of their transcripts. With belief u in x
# and 1 - u in y, transcripts with P/Q > r(u) = 1 + s / (u (1 - s - u)) are bad, so that
#
#     u P(P/Q > r(u)) + (1 - u) Q(P/Q > r(u)) <= delta    for all u in [w, 1 - s),
#
# where r grows from r(w) = e^epsilon' =: b to infinity. Weigh these inequalities with the density
# m >= 0 for which, for all v, the integral from w to v of (u r(v) + 1 - u) m(u) du is r(v) - b.
# With y(v) = 1 - integral of u m this reads y'/y = -s (2v - 1 + s) / (v (1 - v)(1 - s - v)), so
# that y is proportional to v^s (1 - v)^(-1-s) (1 - s - v), and falls to 0. Adding up, P(S) - b
# Q(S) is at most delta times the integral of m, which is 1 - b + lim r y = c. The inequality at u
# = w alone gives the simple c <= 1/w.
#
# No smaller c will do (one bit, small delta): the laws for which all these are equalities have P -
# Q = K(v) delta and Q = (1 - v K(v)) delta beyond r(v), and the rest near ratio 1.


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

    The proof stands above (`s3`). It falls to 1/(1 - s) for large epsilon'.

    >>> from twoworlds.numbers import decimal
    >>> decimal(dp_factor(Fraction(1, 10), exp(Fraction(3, 5))), 12)
    '1.18305377172'
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
