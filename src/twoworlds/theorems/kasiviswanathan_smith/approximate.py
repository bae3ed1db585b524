r"""Theorem 2.4(1) of Kasiviswanathan & Smith: (epsilon, delta)-DP implies semantic privacy.

Printed, for delta < epsilon^2/n:  (e^(3 epsilon) - 1 + 2 sqrt(n delta), 4 sqrt(n delta)).
The proof rests on two false lemmas, but the statement is true, with 2.4 in place of 4 and one
sqrt(n delta) less (`ks-2.4-1`). Sharper, without a condition (`s4`), for every tau > 0:

    (tanh(epsilon/2) + tau,  n delta (2 + e^epsilon) / tau)

Proof of `s4`. Let P = (x, A(x)) and Q = (x, A(x_-i)), and a = e^epsilon. P' = min(P, a Q) and
Q' = min(Q, a P) have ratios within a. Given a transcript t, the posteriors differ by at most
tanh(epsilon/2) + eta(t) + zeta(t), where eta = (P - P')(t) / P(t) and zeta = (Q - Q')(t) / Q(t).
Under P, the mean of eta is at most delta, and that of zeta at most (1 + a) delta, as
P(t) <= a Q(t) + (P - P')(t). By Markov's inequality eta + zeta > tau has probability at most
delta (2 + a) / tau; add up over n people.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.numbers import INFINITY, Number, Order, sqrt
from twoworlds.theorems.formulas import minimum, order, tanh_half, tanh_quarter
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import (
    finite,
    known_records,
    needs,
    one_person,
    positive_delta,
    strictly_below,
    substitution,
)
from twoworlds.theorems.theorem import Check, Context, theorem

__all__ = ["sharper_semantic", "two_values_failure", "two_values_worst"]

_PAPER = "Kasiviswanathan & Smith"
REPAIRED = Fraction(12, 5)


def _small_delta(given: Guarantee, context: Context) -> Check:
    if given.records is None:
        return known_records(given, context)
    limit = given.epsilon * given.epsilon / Fraction(given.records)
    return strictly_below("delta < epsilon^2/n", given.delta, limit)


def _printed_main(given: Guarantee, context: Context) -> Guarantee:
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
def main_theorem(given: Guarantee, context: Context) -> Guarantee:
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


def wanted_epsilon_above_tanh(given: Guarantee, context: Context) -> Check:
    """Check that the semantic epsilon aimed at, if any, is above tanh(epsilon/2)."""
    name = "tanh(epsilon/2) < the wanted epsilon"
    wanted = context.goal.get("epsilon")
    if wanted is None:
        return Check(name, ok=True, text="any epsilon above tanh(epsilon/2) will do")
    return strictly_below(name, tanh_half(given.ratio), wanted)


def wanted_failure_positive(given: Guarantee, context: Context) -> Check:
    """Check that the delta aimed at, if any, is not 0."""
    wanted = context.goal.get("delta", Fraction(1))
    return strictly_below("0 < the wanted delta", Fraction(0), wanted)


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
        wanted_epsilon_above_tanh,
        wanted_failure_positive,
    ),
    tight="linear in n delta, as it must be: publish a random record with probability n delta",
    tightness="proved",
)
def sharper_theorem(given: Guarantee, context: Context) -> Guarantee:
    r"""(tanh(epsilon/2) + tau, n delta (2 + e^epsilon)/tau)-semantic for every tau > 0.

    >>> given = Guarantee.parse("dp(ratio=3, delta=1e-6, records=2)")
    >>> print(sharper_theorem(given, Context("semantic", {"delta": Fraction(1, 1000)})))
    semantic(epsilon=0.51, delta=0.001, records=2)
    """
    assert given.records is not None
    epsilon, failure = sharper_semantic(
        given.ratio,
        given.delta,
        given.records,
        epsilon=context.aim("semantic", "epsilon"),
        failure=context.aim("semantic", "delta"),
    )
    return given.to("semantic", epsilon=epsilon, delta=failure)


def two_values_failure(ratio: Number, distance: Number, weight: Number) -> Number:
    r"""Return the exact failure probability per unit of delta, for one bit and one belief.

    One record, two values, belief w in the first of them, a = e^epsilon, s the semantic epsilon:

        g(w) + g(1 - w),   g(w) = w (1 - w) / (s - (a - 1) w (1 - w - s)) if w < 1 - s, else 0

    (bad transcripts have ratio above 1 + s / (w (1 - w - s)); valid for s > tanh(epsilon/4)).

    >>> two_values_failure(Fraction(2), Fraction(1, 4), Fraction(1, 2))
    Fraction(4, 1)
    """
    return _one_side(ratio, distance, weight) + _one_side(ratio, distance, 1 - weight)


def _one_side(ratio: Number, distance: Number, weight: Number) -> Number:
    if order(weight, 1 - distance) is not Order.LESS:
        return Fraction(0)
    spread = (ratio - 1) * weight * (1 - weight - distance)
    return weight * (1 - weight) / (distance - spread)


def two_values_worst(ratio: Number, distance: Number) -> Number:
    r"""Return a bound on the failure per unit of delta over all beliefs, for one bit.

    g is largest at w = 1 / (1 + sqrt a), or at the end 1 - s of its range, where it is 1 - s. Twice
    that bounds the sum of both sides; beliefs with both sides exist for s < 1/2 only.
    """
    best = 1 / (1 + sqrt(ratio))
    inside = order(best, 1 - distance) is Order.LESS
    peak = _one_side(ratio, distance, best) if inside else 1 - distance
    both = order(distance, Fraction(1, 2)) is Order.LESS
    return 2 * peak if both else peak


def _one_bit(given: Guarantee, context: Context) -> Check:
    name = "one record with two values (records = 1, values = 2)"
    if given.records is None or context.values is None:
        return needs("one record with two values", known=None, how="records=1 and values=2")
    ok = given.records == 1 and context.values == 2
    seen = f"records = {given.records}, values = {context.values}"
    return Check(name, ok, name if ok else f"needs one record with two values: {seen}")


def _wanted_above_quarter(given: Guarantee, context: Context) -> Check:
    wanted = context.aim("semantic", "epsilon")
    if wanted is None:
        return needs("the semantic epsilon that is wanted", known=None, how="epsilon=")
    limit = Fraction(1) if given.ratio == INFINITY else tanh_quarter(given.ratio)
    return strictly_below("tanh(epsilon/4) < the wanted epsilon", limit, wanted)


@theorem(
    "s4-two-values",
    premises=["dp"],
    conclusion="semantic",
    citation=f"twoworlds, S4, exact case of {_PAPER}, Theorem 2.4(1)",
    hypotheses=(
        one_person,
        substitution,
        positive_delta,
        finite,
        _one_bit,
        _wanted_above_quarter,
    ),
    tight="delta times the largest two_values_failure over all beliefs; at w = 1/2 it is "
    "2 delta / (1 + 2 s - e^epsilon (1 - 2 s))",
    tightness="proved",
)
def two_values_theorem(given: Guarantee, context: Context) -> Guarantee:
    """One bit: delta' is delta times the worst failure over beliefs, by `two_values_worst`."""
    wanted = context.goal["epsilon"]
    failure = given.delta * two_values_worst(given.ratio, wanted)
    return given.to("semantic", epsilon=wanted, delta=minimum(failure, Fraction(1)))
