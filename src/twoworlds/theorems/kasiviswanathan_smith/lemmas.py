r"""Lemma 3.3 of Kasiviswanathan & Smith: indistinguishability and its point-wise form.

Part 2 is false as printed. Let X, Y be (a, delta)-indistinguishable, a = e^epsilon, and take any
b > a. Where X > b Y: X - a Y <= delta gives mass at most delta b/(b - a) under X and delta/(b - a)
under Y; and the other way round. So the bad mass under each law is at most

    delta (b + 1) / (b - a),      for b = a^2:  2 delta cosh(epsilon) / (e^epsilon - 1),

which is approached. The printed bounds forget that each half is the small one under one law only.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.numbers import Number
from twoworlds.theorems.formulas import capped
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import finite, known_delta1, one_person, strictly_below
from twoworlds.theorems.statements import Check, Context, theorem

__all__ = ["largest_difference", "pointwise_delta", "widened_delta"]

_PAPER = "Kasiviswanathan & Smith"


@theorem(
    "ks-3.3-1",
    premises=["pointwise"],
    conclusion="indistinguishable",
    citation=f"{_PAPER}, Lemma 3.3(1)",
    printed="point-wise (epsilon, delta)-indistinguishable laws are (epsilon, delta)-"
    "indistinguishable",
    printed_rule=lambda given, _context: given.to("indistinguishable", **given.numbers),
    tightness="tight",
)
def pointwise_implies_indistinguishable(given: Guarantee, _context: Context) -> Guarantee:
    """Point-wise indistinguishable laws are indistinguishable, with the same numbers."""
    return given.to("indistinguishable", **given.numbers)


def pointwise_delta(ratio: Number, delta: Number, wider: Number) -> Number:
    r"""Return the largest mass of outputs beyond the ratio b: delta (b + 1) / (b - a).

    >>> pointwise_delta(Fraction(2), Fraction(1, 1000), Fraction(4))
    Fraction(1, 400)
    """
    return capped(delta * (wider + 1) / (wider - ratio)) if delta != 0 else Fraction(0)


def _wider(given: Guarantee, context: Context) -> Number:
    wanted = context.aim("pointwise", "ratio")
    return given.ratio**2 if wanted is None else wanted


def _wider_is_wider(given: Guarantee, context: Context) -> Check:
    if given.delta == 0:
        return Check("delta = 0", ok=True, text="delta = 0: the same epsilon holds point-wise")
    wider = _wider(given, context)
    return strictly_below("e^epsilon < the point-wise e^epsilon'", given.ratio, wider)


def _printed_pointwise(given: Guarantee, _context: Context) -> Guarantee:
    return given.to("pointwise", ratio=given.ratio**2, delta=2 * given.delta / given.ratio)


@theorem(
    "ks-3.3-2",
    premises=["indistinguishable"],
    conclusion="pointwise",
    citation=f"{_PAPER}, Lemma 3.3(2), corrected",
    hypotheses=(finite, _wider_is_wider),
    printed="(epsilon, delta)-indistinguishable laws are point-wise (2 epsilon, 2 delta/e^epsilon)-"
    "indistinguishable",
    printed_rule=_printed_pointwise,
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

    >>> given = Guarantee.parse("indistinguishable(ratio=2, delta=0.001)")
    >>> print(indistinguishable_implies_pointwise(given, Context("pointwise")))
    pointwise(ratio=4, delta=0.0025)
    """
    if given.delta == 0:
        return given.to("pointwise", ratio=given.ratio)
    wider = _wider(given, context)
    return given.to(
        "pointwise", ratio=wider, delta=pointwise_delta(given.ratio, given.delta, wider)
    )


@theorem(
    "ks-3.3-3",
    premises=["dp"],
    conclusion="joint",
    citation=f"{_PAPER}, Lemma 3.3(3)",
    hypotheses=(one_person,),
    printed="(X, A(X)) and (X, A'(X)) are (epsilon, delta)-indistinguishable if A(a), A'(a) are "
    "for every a",
    tightness="tight",
)
def joint_indistinguishability(given: Guarantee, _context: Context) -> Guarantee:
    """For every belief and person i, (x, A(x)) and (x, A(x_-i)) are indistinguishable."""
    return given.to("joint", **given.numbers)


def widened_delta(delta: Number, outside: Number) -> Number:
    r"""Return delta_1 + (1 - delta_1) delta, the joint delta when a mass delta_1 is not protected.

    >>> widened_delta(Fraction(1, 10), Fraction(1, 2))
    Fraction(11, 20)
    """
    return outside + (1 - outside) * delta


def _printed_widened(given: Guarantee, context: Context) -> Guarantee | None:
    if context.delta1 is None:
        return None
    return given.to("local-joint", ratio=given.ratio, delta=given.delta + context.delta1)


@theorem(
    "ks-3.3-4",
    premises=["local-dp"],
    conclusion="local-joint",
    citation=f"{_PAPER}, Lemma 3.3(4)",
    hypotheses=(one_person, known_delta1),
    printed="(epsilon, delta + delta_1), if A(a), A'(a) are (epsilon, delta)-indistinguishable "
    "with probability 1 - delta_1 over a",
    printed_rule=_printed_widened,
    tight="(epsilon, delta_1 + (1 - delta_1) delta)",
    tightness="tight",
    erratum="true; in the proof T must be where the laws are indistinguishable, and < must be <=",
)
def joint_for_one_belief(given: Guarantee, context: Context) -> Guarantee:
    """With a mass delta_1 of unprotected databases: (epsilon, delta_1 + (1 - delta_1) delta).

    >>> given = Guarantee.parse("local-dp(ratio=2, delta=0.1)")
    >>> print(joint_for_one_belief(given, Context("local-joint", delta1=Fraction(1, 2))))
    local-joint(ratio=2, delta=0.55)
    """
    assert context.delta1 is not None
    delta = widened_delta(given.delta, context.delta1)
    return given.to("local-joint", ratio=given.ratio, delta=delta)


def largest_difference(ratio: Number, delta: Number) -> Number:
    r"""Return the largest statistical difference: (e^epsilon - 1 + 2 delta) / (e^epsilon + 1).

    >>> largest_difference(Fraction(3), Fraction(0))
    Fraction(1, 2)
    """
    return capped((ratio - 1 + 2 * delta) / (ratio + 1))


@theorem(
    "ks-3.3-5",
    premises=["indistinguishable", "pointwise"],
    conclusion="statistical-difference",
    citation=f"{_PAPER}, Lemma 3.3(5)",
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

    >>> given = Guarantee.parse("indistinguishable(ratio=3, delta=0.1)")
    >>> print(statistical_difference_of_laws(given, Context("statistical-difference")))
    statistical-difference(epsilon=0.55)
    """
    difference = largest_difference(given.ratio, given.delta)
    return given.to("statistical-difference", epsilon=difference)
