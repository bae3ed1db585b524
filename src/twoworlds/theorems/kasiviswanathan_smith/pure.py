"""Theorem 2.2 of Kasiviswanathan & Smith: pure differential privacy and semantic privacy.

    epsilon-DP           =>  tanh(epsilon/2)-semantic      (printed: e^epsilon - 1)
    s-semantic           =>  4 artanh(s)-DP                (printed: s = epsilon/2 gives 3 epsilon)
    epsilon-DP           <=> tanh(epsilon/4) from prior to posterior, for informed beliefs

The tight forms come from the exact worst belief: over all beliefs, the two posteriors given a
transcript t differ by at most tanh(ln(R)/4), where R is the largest ratio between two values of
r(x) = P(A(x) = t) / P(A(x_-i) = t). Differential privacy bounds each r(x) by e^epsilon both ways,
so R <= e^(2 epsilon); with a single record, r has one denominator and R <= e^epsilon.

Equations 4 and 5 of Kasiviswanathan & Smith: what privacy says about hypothesis tests.

A test of one value of a record against another, at level alpha, has power at most

    e^epsilon alpha + delta      under (epsilon, delta)-differential privacy        (equation 4)
    alpha + epsilon              under a statistical difference epsilon             (equation 5)

and, as the same holds for the complement, at most 1 - (1 - delta - alpha) e^-epsilon. The smaller
of the two is attained. Both equations read alike, but a mechanism that publishes a random record in
the clear satisfies the second one: power alone says little (Remark 1).
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.numbers import Number, Order, exp
from twoworlds.theorems.formulas import (
    capped,
    minimum,
    order,
    ratio_of_four_artanh,
    tanh_half,
    tanh_quarter,
)
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import (
    finite,
    known_level,
    one_person,
    pure,
    strictly_below,
    substitution,
)
from twoworlds.theorems.statements import Check, Context, theorem
from twoworlds.worlds import SUBSTITUTE

__all__ = ["LARGEST_HALF", "largest_power"]


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
    r"""Epsilon-DP implies tanh(epsilon/2)-semantic privacy; tanh(epsilon/4) for one record.

    >>> print(dp_implies_semantic(Guarantee.parse("dp(ratio=3)"), Context("semantic")))
    semantic(epsilon=0.5)
    """
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

    >>> print(semantic_implies_dp(Guarantee.parse("semantic(epsilon=1/2)"), Context("dp")))
    dp(ratio=9)
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
    """Epsilon-DP moves a belief about one unknown record by at most tanh(epsilon/4).

    >>> print(dp_implies_informed(Guarantee.parse("dp(ratio=9)"), Context("informed")))
    informed(epsilon=0.5)
    """
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
