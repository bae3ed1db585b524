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

from twoworlds.numbers import (
    Number,
    Order,
    exp,
    sqrt,
)
from twoworlds.theorems.common import (
    at_most,
    finite,
    known_delta1,
    known_level,
    known_records,
    one_person,
    positive_delta,
    pure,
    strictly_below,
    substitution,
)
from twoworlds.theorems.formulas import (
    conditioning_failure,
    dp_factor,
    largest_difference,
    largest_power,
    order,
    pointwise_delta,
    printed_conditioning_failure,
    ratio_of_four_artanh,
    sharper_semantic,
    tanh_half,
    tanh_quarter,
    widened_delta,
)
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import Check, Context, Hypothesis, restate, theorem
from twoworlds.worlds import SUBSTITUTE

_PAPER = "Kasiviswanathan & Smith"
LARGEST_HALF = Fraction(9, 40)  # epsilon <= 0.45, so epsilon/2 <= 0.225


@theorem(
    "ks-2.2-forward: dp => semantic",
    f"{_PAPER}, Theorem 2.2",
    hypotheses=(one_person, pure, finite),
    printed="epsilon-DP implies (e^epsilon - 1)-semantic privacy",
    printed_rule=lambda given, _context: given.to("semantic", epsilon=given.ratio - 1),
    tight="tanh(epsilon/2), attained by randomized response on the parity of two bits; "
    "tanh(epsilon/4) for a single record",
    tightness="tight",
    erratum="the proof starts from epsilon/2-DP, so it shows e^(2 epsilon) - 1; both bounds are "
    "true, since tanh(epsilon/2) is smaller",
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
    "ks-2.2-converse: semantic => dp",
    f"{_PAPER}, Theorem 2.2",
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
    "ks-informed: dp => informed",
    f"{_PAPER}, Section 2.1, prior to posterior",
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
    "ks-informed-converse: informed => dp",
    f"{_PAPER}, Section 2.1, prior to posterior",
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
    "ks-reality-oblivious-pure: dp => reality-oblivious",
    f"{_PAPER}, Theorem 2.2 and appendix, Definition 1.1",
    hypotheses=(one_person, pure, finite),
    tight="tanh(epsilon/2)",
    tightness="tight",
)
def pure_implies_reality_oblivious(given: Guarantee, _context: Context) -> Guarantee:
    """Pure DP bounds every transcript, so the true database does not matter: tanh(epsilon/2)."""
    return given.to("reality-oblivious", epsilon=tanh_half(given.ratio))


def _printed_power(given: Guarantee, context: Context) -> Guarantee | None:
    if context.level is None:
        return None
    power = given.ratio * context.level + given.delta
    return given.to("power", level=context.level, power=power)


@theorem(
    "ks-equation-4: dp => power",
    f"{_PAPER}, Section 2.1, equation 4",
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
    "ks-equation-5: statistical-difference => power",
    f"{_PAPER}, Section 2.1, equation 5",
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
    "ks-2.4-1: dp => semantic",
    f"{_PAPER}, Theorem 2.4(1)",
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
    "s4: dp => semantic",
    f"twoworlds, S4, sharper than {_PAPER}, Theorem 2.4(1)",
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
    "ks-2.4-2: semantic => dp",
    f"{_PAPER}, Theorem 2.4(2), corrected",
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


@theorem(
    "s3: semantic => dp",
    f"twoworlds, S3, sharper than {_PAPER}, Theorem 2.4(2)",
    hypotheses=(one_person, positive_delta, _meaningful),
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


restate(
    "ks-3.3-1: pointwise => indistinguishable",
    f"{_PAPER}, Lemma 3.3(1)",
    "Point-wise indistinguishable laws are indistinguishable, with the same numbers.",
    printed="point-wise (epsilon, delta)-indistinguishable laws are (epsilon, delta)-"
    "indistinguishable",
    printed_rule=lambda given, _context: given.to("indistinguishable", **given.numbers),
)


def _wider(given: Guarantee, context: Context) -> Number:
    wanted = context.aim("pointwise", "ratio")
    return given.ratio**2 if wanted is None else wanted


def _wider_is_wider(given: Guarantee, context: Context) -> Check:
    if given.delta == 0:
        return Check("delta = 0", ok=True, text="delta = 0: the same epsilon holds point-wise")
    wider = _wider(given, context)
    return strictly_below("e^epsilon < the point-wise e^epsilon'", given.ratio, wider)


@theorem(
    "ks-3.3-2: indistinguishable => pointwise",
    f"{_PAPER}, Lemma 3.3(2), corrected",
    hypotheses=(finite, _wider_is_wider),
    printed="(epsilon, delta)-indistinguishable laws are point-wise (2 epsilon, 2 delta/e^epsilon)-"
    "indistinguishable",
    printed_rule=lambda given, _context: given.to(
        "pointwise", ratio=given.ratio**2, delta=2 * given.delta / given.ratio
    ),
    printed_false=True,
    corrected="(2 epsilon, 2 delta cosh(epsilon)/(e^epsilon - 1)), for epsilon > 0; at most "
    "2 delta/epsilon for epsilon <= 1.4525",
    tight="delta (b + 1)/(b - e^epsilon) beyond any ratio b, approached",
    tightness="tight",
    erratum="the proof's 2 delta/(epsilon e^epsilon) is false, too: e^epsilon = 2 and delta = "
    "0.001 allow a bad mass of 0.0024",
)
def indistinguishable_implies_pointwise(given: Guarantee, context: Context) -> Guarantee:
    r"""Beyond a ratio b > e^epsilon lies a mass of at most delta (b + 1)/(b - e^epsilon).

    b is the one aimed at; else e^(2 epsilon), as printed.
    """
    if given.delta == 0:
        return given.to("pointwise", ratio=given.ratio)
    wider = _wider(given, context)
    return given.to(
        "pointwise", ratio=wider, delta=pointwise_delta(given.ratio, given.delta, wider)
    )


restate(
    "ks-3.3-3: dp => joint",
    f"{_PAPER}, Lemma 3.3(3)",
    "For every belief and person i, (x, A(x)) and (x, A(x_-i)) are indistinguishable.",
    hypotheses=(one_person,),
    printed="(X, A(X)) and (X, A'(X)) are (epsilon, delta)-indistinguishable if A(a), A'(a) are "
    "for every a",
)


def _printed_widened(given: Guarantee, context: Context) -> Guarantee | None:
    if context.delta1 is None:
        return None
    return given.to("local-joint", ratio=given.ratio, delta=given.delta + context.delta1)


@theorem(
    "ks-3.3-4: local-dp => local-joint",
    f"{_PAPER}, Lemma 3.3(4)",
    hypotheses=(one_person, known_delta1),
    printed="(epsilon, delta + delta_1), if A(a), A'(a) are (epsilon, delta)-indistinguishable "
    "with probability 1 - delta_1 over a",
    printed_rule=_printed_widened,
    tight="(epsilon, delta_1 + (1 - delta_1) delta)",
    tightness="tight",
    erratum="true; in the proof T must be where the laws are indistinguishable, and < must be <=",
)
def joint_for_one_belief(given: Guarantee, context: Context) -> Guarantee:
    """With a mass delta_1 of unprotected databases: (epsilon, delta_1 + (1 - delta_1) delta)."""
    assert context.delta1 is not None
    delta = widened_delta(given.delta, context.delta1)
    return given.to("local-joint", ratio=given.ratio, delta=delta)


@theorem(
    "ks-3.3-5: indistinguishable or pointwise => statistical-difference",
    f"{_PAPER}, Lemma 3.3(5)",
    hypotheses=(finite,),
    printed="SD <= e^epsilon - 1 + delta",
    printed_rule=lambda given, _context: given.to(
        "statistical-difference", epsilon=given.ratio - 1 + given.delta
    ),
    tight="(e^epsilon - 1 + 2 delta)/(e^epsilon + 1), also for point-wise",
    tightness="tight",
    erratum="true; but the proof adds delta once for every point of the space",
)
def statistical_difference_of_laws(given: Guarantee, _context: Context) -> Guarantee:
    r"""The statistical difference is at most (e^epsilon - 1 + 2 delta)/(e^epsilon + 1).

    Proof: `twoworlds.theorems.smaller_ratio_delta` with b = 1.
    """
    difference = largest_difference(given.ratio, given.delta)
    return given.to("statistical-difference", epsilon=difference)


def _inner(given: Guarantee, context: Context) -> Number:
    """Return d: the one aimed at, else sqrt(n delta) as in the proof of Theorem 2.4(1)."""
    wanted = context.aim("conditional", "delta")
    return sqrt(given.delta * Fraction(given.records or 1)) if wanted is None else wanted


def _inner_in_range(given: Guarantee, context: Context) -> Check:
    inner = _inner(given, context)
    if order(Fraction(0), inner) is not Order.LESS:
        return strictly_below("0 < inner delta", Fraction(0), inner)
    return strictly_below("inner delta < 1", inner, Fraction(1))


def _printed_conditioning(given: Guarantee, context: Context) -> Guarantee | None:
    if given.ratio == 1:
        return None
    inner = _inner(given, context)
    failure = printed_conditioning_failure(given.ratio, given.epsilon, given.delta, inner)
    return given.to("conditional", ratio=given.ratio**3, delta=inner, failure=failure)


@theorem(
    "ks-3.4: joint => conditional",
    f"{_PAPER}, Lemma 3.4, corrected and sharper",
    hypotheses=(finite, positive_delta, _inner_in_range),
    printed="(3 epsilon, d) but for probability 2 delta/d + 2 delta/(epsilon e^epsilon)",
    printed_rule=_printed_conditioning,
    printed_false=True,
    corrected="(2 epsilon, d) but for probability delta (1 + e^epsilon (1 - d))/d, for every d",
    tight="delta (1 + e^epsilon (1 - d))/d cannot be less for d <= 1 - e^-epsilon",
    tightness="tight",
    erratum="e^epsilon = 3, d = 0.099 and delta = 0.01 allow 0.37, where 0.2081 is printed; "
    "the probability is over t drawn from B, not from A",
)
def conditioning_lemma(given: Guarantee, context: Context) -> Guarantee:
    r"""Given the transcript, the database is (2 epsilon, d)-indistinguishable, but for delta''.

    d is the delta aimed at; else sqrt(n delta), with n = 1 when the records are not known.
    """
    inner = _inner(given, context)
    failure = conditioning_failure(given.ratio, given.delta, inner)
    return given.to("conditional", ratio=given.ratio**2, delta=inner, failure=failure)


@theorem(
    "ks-2.4-1-last-step: conditional => semantic",
    f"{_PAPER}, proof of Theorem 2.4(1), with Lemma 3.3(5)",
    hypotheses=(one_person, known_records),
    printed="the statistical difference is at most the ratio - 1 + d, but for n delta''",
    printed_rule=lambda given, _context: given.to(
        "semantic",
        epsilon=given.ratio - 1 + given.delta,
        delta=given["failure"] * Fraction(given.records or 0),
    ),
    tightness="proved",
)
def last_step(given: Guarantee, _context: Context) -> Guarantee:
    """Turn the ratio into a statistical difference, and add up the failures of n people."""
    epsilon = largest_difference(given.ratio, given.delta)
    failure = given["failure"] * Fraction(given.records or 0)
    return given.to("semantic", epsilon=epsilon, delta=failure)


def _root(given: Guarantee, delta2: Number) -> Number:
    return sqrt(delta2 * Fraction(given.records or 0))


def _small_delta2(given: Guarantee, context: Context) -> Check:
    if given.records is None:
        return known_records(given, context)
    if context.delta1 is None:
        return known_delta1(given, context)
    root = _root(given, given.delta + context.delta1)
    return strictly_below("sqrt(n delta_2) < epsilon", root, given.epsilon)


def printed_local(given: Guarantee, context: Context) -> Guarantee | None:
    """Return what Theorem 4.2 states as printed."""
    if context.delta1 is None:
        return None
    root = _root(given, given.delta + context.delta1)
    return given.to("local-semantic", epsilon=given.ratio**3 - 1 + root, delta=4 * root)


@theorem(
    "ks-4.2: local-dp => local-semantic",
    f"{_PAPER}, Theorem 4.2",
    hypotheses=(one_person, known_records, known_delta1, finite, _small_delta2),
    printed="(e^(3 epsilon) - 1 + sqrt(n delta_2), 4 sqrt(n delta_2)) for delta_2 = delta + "
    "delta_1, if epsilon > sqrt(n delta_2)",
    printed_rule=printed_local,
    corrected="2.4 sqrt(n delta_2), the proof repaired; delta_2 = delta_1 + (1 - delta_1) delta",
    tightness="loose",
    erratum="true as printed, though the proof uses Lemmas 3.3(2) and 3.4",
)
def local_theorem(given: Guarantee, context: Context) -> Guarantee:
    r"""If epsilon > sqrt(n delta_2): (e^(3 epsilon) - 1 + sqrt(n delta_2), 2.4 sqrt(n delta_2))."""
    root = _root(given, widened_delta(given.delta, context.delta1 or Fraction(0)))
    return given.to("local-semantic", epsilon=given.ratio**3 - 1 + root, delta=REPAIRED * root)


@theorem(
    "s4-local: local-joint => local-semantic",
    f"twoworlds, S4 for one belief, sharper than {_PAPER}, Theorem 4.2",
    hypotheses=(one_person, known_records, finite, *reachable("local-semantic")),
    tightness="proved",
)
def sharper_local_theorem(given: Guarantee, context: Context) -> Guarantee:
    """(tanh(epsilon/2) + tau, n delta_2 (2 + e^epsilon)/tau) for every tau > 0, and this belief."""
    epsilon, failure = sharper_semantic(
        given.ratio,
        given.delta,
        given.records or 0,
        epsilon=context.aim("local-semantic", "epsilon"),
        failure=context.aim("local-semantic", "delta"),
    )
    return given.to("local-semantic", epsilon=epsilon, delta=failure)


restate(
    "ks-4.4: local-laplace => local-dp",
    f"{_PAPER}, Corollary 4.4, first step",
    "Laplace noise of scale s/epsilon is epsilon-DP where the local sensitivity is at most s.",
    printed="f(x) + Lap(s/epsilon) is (epsilon, 0)-indistinguishable where the local sensitivity "
    "is at most s; then Theorem 4.2 with delta_2 = delta_1",
    erratum="before it: the standard deviation of Lap(lambda) is sqrt(2) lambda, not lambda",
)
