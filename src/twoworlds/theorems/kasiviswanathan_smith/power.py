r"""Equations 4 and 5 of Kasiviswanathan & Smith: what privacy says about hypothesis tests.

A test of one value of a record against another, at level alpha, has power at most

    e^epsilon alpha + delta      under (epsilon, delta)-differential privacy        (equation 4)
    alpha + epsilon              under a statistical difference epsilon             (equation 5)

and, as the same holds for the complement, at most 1 - (1 - delta - alpha) e^-epsilon. The smaller
of the two is attained. Both equations read alike, but a mechanism that publishes a random record in
the clear satisfies the second one: power alone says little (Remark 1).
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.numbers import Number
from twoworlds.theorems.formulas import capped, minimum
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import finite, known_level
from twoworlds.theorems.statements import Context, theorem

__all__ = ["largest_power"]

_PAPER = "Kasiviswanathan & Smith"


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
