r"""Lemmas 3.3 (indistinguishability, point by point) and 3.4 of Kasiviswanathan & Smith.

Part 2 of Lemma 3.3 is false as printed. Let X, Y be (a, delta)-indistinguishable, a = e^epsilon,
and take any b > a. Where X > b Y: X - a Y <= delta gives mass at most delta b/(b - a) under X and
delta/(b - a) under Y; and the other way round. So the bad mass under each law is at most

    delta (b + 1) / (b - a),      for b = a^2:  2 delta cosh(epsilon) / (e^epsilon - 1),

which is approached. The printed bounds forget that each half is the small one under one law only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Said
from twoworlds.charts import Bars
from twoworlds.definitions.base import read_ratio
from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    ln,
    maximum,
    number,
    positive_part,
    show,
    sqrt,
)
from twoworlds.show import Result
from twoworlds.theorems.common import (
    finite,
    known_delta1,
    known_records,
    one_person,
    positive_delta,
    strictly_below,
)
from twoworlds.theorems.formulas import capped, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import Check, Context, theorem
from twoworlds.worlds import Point

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
    """With a mass delta_1 of unprotected databases: (epsilon, delta_1 + (1 - delta_1) delta)."""
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
    """
    difference = largest_difference(given.ratio, given.delta)
    return given.to("statistical-difference", epsilon=difference)


# --- The Conditioning Lemma of Kasiviswanathan & Smith (Lemma 3.4), corrected and sharper --------
# Let (A, B) and (A', B') be (epsilon, delta)-indistinguishable, a = e^epsilon, and 0 < d <= 1.
# Then, but for t of probability at most delta'' under B, and also under B', A given B = t and A'
# given B' = t are (2 epsilon, d)-indistinguishable, with
#
#     delta'' = delta (1 + a (1 - d)) / d        tight for d <= 1 - 1/a, also with 3 epsilon
#
# Differs: printed are 3 epsilon and 2 delta/d + 2 delta/(epsilon e^epsilon), "over t drawn from
# A"; the number is too small, and t is drawn from B. The step "similarly, Bad_2 has probability at
# most delta/d" is true under B', not under B.
#
# Proof. Fix t and an event about A. Let x, y be its probabilities given t under the two laws, r =
# B'(t) / B(t), and c1, c2 what t adds to the excess of the first law over a times the second and
# the other way round, divided by B(t). The event and its opposite give
#
#     c1 >= (x - a r y)+ + (1 - x - a r (1 - y))+      c2 >= (r y - a x)+ + (r (1 - y) - a (1 - x))+
#
# If t is bad, some event has x > a^2 y + d or y > a^2 x + d, and then c1 + a (1 - d) c2 >= d:
#
# * x > a^2 y + d, r <= a:  c1 >= x - a^2 y >= d.
# * x > a^2 y + d, r > a:   c2 >= r - a, the sum of both terms; and y <= (1 - d)/a^2, so that c1 >=
#   x - a r y >= d - (r - a) a y >= d - (r - a) (1 - d)/a. The sum is at least d + (1 - d) (r - a)
#   (a - 1/a).
# * y > a^2 x + d, a r >= 1:  c2 >= r y - a x >= d r, since a^2 x < y - d and a r >= 1; also c1 >=
#   1 - x - a r (1 - d - a^2 x) >= 1 - a r (1 - d). With u = a r (1 - d) the sum is at least (1 -
#   u)+ + d u >= d.
# * y > a^2 x + d, a r < 1:  c1 >= 1 - x - a r (1 - d - a^2 x), which is linear in x: at x = 0 it
#   is 1 - a r (1 - d) >= d, and at the other end, x = (1 - d)/a^2, it is 1 - x >= d.
#
# The means of c1 and c2 under B are at most delta, and so bad t have probability at most delta''.
# A t that is impossible in the second world has r = 0 and c1 = 1, and is bad. Exchange the laws
# for B'. (The proof of Theorems 1 and 2 of Bassily, Groce, Katz & Smith is the same, for pairs.)


def conditioning_failure(ratio: Number, delta: Number, inner: Number) -> Number:
    r"""Return delta'' = delta (1 + a (1 - d)) / d of the Conditioning Lemma, for the inner delta d.

    >>> conditioning_failure(Fraction(3), Fraction(1, 100), Fraction(99, 1000))
    Fraction(3703, 9900)
    """
    if ratio == INFINITY:
        raise InvalidInput(f"ratio={show(ratio)}: the lemma needs a finite epsilon")
    if not 0 < inner <= 1:
        raise InvalidInput(f"inner={show(inner)} must lie above 0, and at most at 1")
    return delta * (1 + ratio * (1 - inner)) / inner


def printed_conditioning_failure(
    ratio: Number, epsilon: Number, delta: Number, inner: Number
) -> Number:
    """Return 2 delta/d + 2 delta/(epsilon e^epsilon), as printed: too small."""
    return 2 * delta / inner + 2 * delta / (epsilon * ratio)


def _allows(bound: Number) -> str:
    if order(bound, Fraction(1)) is Order.LESS:
        return f"allows them a probability of at most {show(bound, side='up')}"
    return "says nothing, since its bound is not below 1"


Joint = Mapping[tuple[Point, Point], object]
Cells = dict[Point, dict[Point, Number]]


@dataclass(frozen=True)
class Conditioned(Result):
    """The Conditioning Lemma on two given joint laws: what it promises, and what is true of them.

    Attributes:
        ratio: e^epsilon.
        delta: the smallest with which (A, B) and (A', B') are (epsilon, delta)-indistinguishable.
        inner: d, allowed given t.
        bad: the t at which A given t and A' given t are not (2 epsilon, d)-indistinguishable.
        mass: the probability of these t under B, and under B'.
        corrected: the bound delta'' of the corrected lemma, for both.
        beyond_print: the same for (3 epsilon, d), of which print speaks.
        printed: the bound for these as printed, which may be violated.
    """

    ratio: Number
    delta: Number
    inner: Number
    bad: tuple[Point, ...]
    mass: tuple[Number, Number]
    corrected: Number
    beyond_print: tuple[Number, Number]
    printed: Number

    def answer(self) -> Answer:
        """Say how often a second coordinate gives the laws away, beside both bounds for that."""
        listed = ", ".join(str(t) for t in self.bad) or "no value"
        violated = " (violated here)" if self.violates_print else ""
        chances = {
            "in the first law": self.mass[0],
            "in the second law": self.mass[1],
            "corrected bound": min(1.0, float(self.corrected)),
            "printed bound": min(1.0, float(self.printed)),
        }
        grey = ["corrected bound", "printed bound"]
        title = "A second coordinate gives them away"
        return Answer(
            f"As laws of pairs the two are alike: whatever one of them does with some probability, "
            f"the other does with at most {show(self.ratio, side='up')} times that, plus "
            f"{show(self.delta, side='up')}.",
            blocks=(
                Said(
                    [
                        "Who sees the second coordinate compares the laws of the first one given "
                        f"it. There the factor {show(self.ratio**2)} (the square), plus "
                        f"{show(self.inner)}, is allowed.",
                        f"The second coordinate breaks that at: {listed}. Such values have "
                        f"probability {show(self.mass[0])} in the first law, and "
                        f"{show(self.mass[1])} in the second.",
                        f"The corrected Conditioning Lemma {_allows(self.corrected)}.",
                        f"As printed, with the cube {show(self.ratio**3)} in place of the square, "
                        f"it {_allows(self.printed)}; the values that break this have probability "
                        f"{show(self.beyond_print[0])} and {show(self.beyond_print[1])}{violated}.",
                    ]
                ),
                Bars(title, chances, orange=["in the second law"], grey=grey),
            ),
        )

    @property
    def violates_print(self) -> bool:
        """Whether one of the two masses beyond 3 epsilon exceeds the bound as printed."""
        return any(order(mass, self.printed) is Order.GREATER for mass in self.beyond_print)

    def fields(self) -> dict[str, Any]:
        """Return all numbers."""
        bad = [str(t) for t in self.bad]
        return {**super().fields(), "bad": bad, "violates_print": self.violates_print}


def condition(
    first: Joint,
    second: Joint,
    *,
    inner: object,
    ratio: object = None,
    epsilon: object = None,
) -> Conditioned:
    r"""Run the Conditioning Lemma on two joint laws, given as masses of pairs (a, t).

    >>> one = {("s", 1): "1/10", ("c", 1): "9/10"}
    >>> other = {("c", 1): 1}
    >>> found = condition(one, other, ratio=3, inner="1/20")
    >>> found.delta, found.bad, found.mass
    (Fraction(1, 10), (1,), (Fraction(1, 1), Fraction(1, 1)))
    """
    a = read_ratio(ratio, epsilon)
    if a is None:
        raise InvalidInput("the lemma needs a number: give ratio= or epsilon=")
    d = number(inner, "inner")
    left, right = _cells(first, "first"), _cells(second, "second")
    delta = maximum(_gap(_flat(left), _flat(right), a), _gap(_flat(right), _flat(left), a))
    corrected = conditioning_failure(a, delta, d)
    bad, beyond = (
        tuple(
            t for t in dict.fromkeys([*left, *right]) if _apart(left.get(t), right.get(t), power, d)
        )
        for power in (a**2, a**3)
    )
    printed = INFINITY if a == 1 else printed_conditioning_failure(a, ln(a), delta, d)
    masses, more = (_masses(listed, left, right) for listed in (bad, beyond))
    return Conditioned(a, delta, d, bad, masses, corrected, more, printed)


def _masses(listed: Sequence[Point], left: Cells, right: Cells) -> tuple[Number, Number]:
    """Return the probability of some t under both laws."""
    first, second = (
        sum((_total(law[t]) for t in listed if t in law), start=Fraction(0))
        for law in (left, right)
    )
    return first, second


def _cells(law: Joint, name: str) -> Cells:
    """Sort a joint law by t; masses of 0 are left out."""
    found: Cells = {}
    total: Number = Fraction(0)
    for (a, t), given in law.items():
        mass = number(given, f"P({a}, {t})")
        if mass < 0:
            raise InvalidInput(f"P({a}, {t})={show(mass)} in the {name} law is negative")
        total += mass
        if mass != 0:
            found.setdefault(t, {})[a] = mass
    if order(total, Fraction(1)) in (Order.LESS, Order.GREATER):
        raise InvalidInput(f"the {name} law sums to {show(total)}, it must sum to 1")
    return found


def _flat(cells: Cells) -> dict[Point, Number]:
    return {(a, t): mass for t, row in cells.items() for a, mass in row.items()}


def _total(row: Mapping[Point, Number]) -> Number:
    return sum(row.values(), start=Fraction(0))


def _gap(p: Mapping[Point, Number], q: Mapping[Point, Number], ratio: Number) -> Number:
    """Return H_a(P || Q)."""
    zero = Fraction(0)
    gaps = (positive_part(mass - ratio * q.get(cell, zero)) for cell, mass in p.items())
    return sum(gaps, start=zero)


def _apart(
    row: Mapping[Point, Number] | None,
    other: Mapping[Point, Number] | None,
    ratio: Number,
    inner: Number,
) -> bool:
    """Tell whether two conditional laws are too far apart; an undefined one always is."""
    if row is None or other is None:
        return True
    p, q = ({a: mass / _total(law) for a, mass in law.items()} for law in (row, other))
    return order(maximum(_gap(p, q, ratio), _gap(q, p, ratio)), inner) is Order.GREATER


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
    "ks-3.4",
    premises=["joint"],
    conclusion="conditional",
    citation=f"{_PAPER}, Lemma 3.4, corrected and sharper",
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
    "ks-2.4-1-last-step",
    premises=["conditional"],
    conclusion="semantic",
    citation=f"{_PAPER}, proof of Theorem 2.4(1), with Lemma 3.3(5)",
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
