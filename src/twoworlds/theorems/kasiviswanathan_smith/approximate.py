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

from twoworlds.numbers import Number, sqrt
from twoworlds.theorems.formulas import tanh_half
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import (
    finite,
    known_records,
    one_person,
    positive_delta,
    strictly_below,
)
from twoworlds.theorems.statements import Check, Context, Hypothesis, theorem

__all__ = ["REPAIRED", "reachable", "sharper_semantic"]

_PAPER = "Kasiviswanathan & Smith"
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
