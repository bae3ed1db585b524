r"""Theorem 4.2 and Corollary 4.4 of Kasiviswanathan & Smith: privacy for most databases.

Let E be the databases at which a mechanism is (epsilon, delta)-indistinguishable from all
neighbours, and b a belief with b[E] >= 1 - delta_1. With delta_2 = delta + delta_1 and
epsilon > sqrt(n delta_2), the mechanism is (epsilon', delta')-local semantically private for b:

    epsilon' = e^(3 epsilon) - 1 + sqrt(n delta_2),   delta' = 4 sqrt(n delta_2)       (printed)

True, with 2.4 in place of 4 (the proof repaired as for Theorem 2.4(1)), and with the smaller
delta_2 = delta_1 + (1 - delta_1) delta. `s4-local` needs no condition: the proof of S4 uses only
that (x, A(x)) and (x, A(x_-i)) are indistinguishable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, Order, compare, number, positive, show, sqrt
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import (
    finite,
    known_delta1,
    known_records,
    one_person,
    strictly_below,
)
from twoworlds.theorems.implication import Implication
from twoworlds.theorems.kasiviswanathan_smith.approximate import (
    REPAIRED,
    reachable,
    sharper_semantic,
)
from twoworlds.theorems.kasiviswanathan_smith.lemmas import widened_delta
from twoworlds.theorems.statements import Check, Context, theorem
from twoworlds.worlds import Point, Records, Universe
from twoworlds.worlds.sensitivity import local_sensitivity
from twoworlds.worlds.statistic import Statistic

__all__ = ["LocalCalibration", "calibrate_locally"]

_PAPER = "Kasiviswanathan & Smith"


def _root(given: Guarantee, delta2: Number) -> Number:
    return sqrt(delta2 * Fraction(given.records or 0))


def _small_delta2(given: Guarantee, context: Context) -> Check:
    if given.records is None:
        return known_records(given, context)
    if context.delta1 is None:
        return known_delta1(given, context)
    root = _root(given, given.delta + context.delta1)
    return strictly_below("sqrt(n delta_2) < epsilon", root, given.epsilon)


def _printed_local(given: Guarantee, context: Context) -> Guarantee | None:
    if context.delta1 is None:
        return None
    root = _root(given, given.delta + context.delta1)
    return given.to("local-semantic", epsilon=given.ratio**3 - 1 + root, delta=4 * root)


@theorem(
    "ks-4.2",
    premises=["local-dp"],
    conclusion="local-semantic",
    citation=f"{_PAPER}, Theorem 4.2",
    hypotheses=(one_person, known_records, known_delta1, finite, _small_delta2),
    printed="(e^(3 epsilon) - 1 + sqrt(n delta_2), 4 sqrt(n delta_2)) for delta_2 = delta + "
    "delta_1, if epsilon > sqrt(n delta_2)",
    printed_rule=_printed_local,
    corrected="2.4 sqrt(n delta_2), the proof repaired; delta_2 = delta_1 + (1 - delta_1) delta",
    tightness="loose",
    erratum="true as printed, though the proof uses Lemmas 3.3(2) and 3.4",
)
def local_theorem(given: Guarantee, context: Context) -> Guarantee:
    r"""If epsilon > sqrt(n delta_2): (e^(3 epsilon) - 1 + sqrt(n delta_2), 2.4 sqrt(n delta_2))."""
    root = _root(given, widened_delta(given.delta, context.delta1 or Fraction(0)))
    return given.to("local-semantic", epsilon=given.ratio**3 - 1 + root, delta=REPAIRED * root)


@theorem(
    "s4-local",
    premises=["local-joint"],
    conclusion="local-semantic",
    citation=f"twoworlds, S4 for one belief, sharper than {_PAPER}, Theorem 4.2",
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


@theorem(
    "ks-4.4",
    premises=["local-laplace"],
    conclusion="local-dp",
    citation=f"{_PAPER}, Corollary 4.4, first step",
    printed="f(x) + Lap(s/epsilon) is (epsilon, 0)-indistinguishable where the local sensitivity "
    "is at most s; then Theorem 4.2 with delta_2 = delta_1",
    tightness="tight",
    erratum="before it: the standard deviation of Lap(lambda) is sqrt(2) lambda, not lambda",
)
def laplace_where_sensitivity_is_small(given: Guarantee, _context: Context) -> Guarantee:
    """Laplace noise of scale s/epsilon is epsilon-DP where the local sensitivity is at most s."""
    return given.to("local-dp", ratio=given.ratio)


@dataclass(frozen=True)
class LocalCalibration:
    """Laplace noise calibrated to a bound on local sensitivity that holds with high probability.

    Attributes:
        scale: of the Laplace noise, threshold / epsilon.
        outside: the belief's mass of databases whose local sensitivity exceeds the threshold.
        implication: what follows, for this belief.
    """

    scale: Number
    outside: Number
    implication: Implication


def calibrate_locally(
    statistic: Statistic | Callable[[Any], object],
    universe: Universe,
    belief: Mapping[Point, Number],
    *,
    threshold: object,
    epsilon: object,
    **wanted: object,
) -> LocalCalibration:
    r"""Run Corollary 4.4 for a function, a belief and a threshold s on local sensitivity.

    delta_1 is computed exactly: the belief in databases with local sensitivity above s.

    >>> from statistics import median
    >>> from twoworlds.worlds import BitStrings
    >>> bits = BitStrings(3)
    >>> sure = {(1, 1, 1): Fraction(99, 100), (1, 1, 0): Fraction(1, 100)}
    >>> found = calibrate_locally(median, bits, sure, threshold="1/2", epsilon=1)
    >>> found.outside, found.scale
    (Fraction(1, 100), Fraction(1, 2))
    """
    if not isinstance(universe, Records) or not universe.fixed:
        raise InvalidInput(f"{universe.expression} has no fixed number of records")
    s, loss = positive(threshold, "threshold"), positive(epsilon, "epsilon")
    masses = {universe.find(x): number(mass, "belief") for x, mass in belief.items()}
    total = sum(masses.values(), start=Fraction(0))
    if compare(total, 1) in (Order.LESS, Order.GREATER):
        raise InvalidInput(f"the belief sums to {show(total)}, it must sum to 1")
    outside: Number = Fraction(0)
    for x, mass in masses.items():
        if local_sensitivity(statistic, universe, x, neighbours="substitute").value > s:
            outside += mass
    given = Guarantee.of("local-laplace", epsilon=loss, records=universe.n)
    implication = given.implies("local-semantic", delta1=outside, **wanted)
    return LocalCalibration(s / loss, outside, implication)
