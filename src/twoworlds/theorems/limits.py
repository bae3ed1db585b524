r"""What does not follow within one kind: mechanisms that satisfy a guarantee, and nothing more.

* (a, delta)-differential privacy, a = e^epsilon. Publish one record with probability delta, else
  by randomized response with odds a. The laws of two values have masses (delta, a v, v, 0) and
  (0, v, a v, delta), v = (1 - delta)/(a + 1). At ratio b this needs

      delta + (1 - delta) max(0, a - b) / (a + 1),

  which `smaller_ratio_delta` shows to be enough for b <= a: the two meet. It uses one record only,
  so that larger groups cost nothing more: it refutes claims for every group size.
* Statistical difference epsilon. Publish one record with probability epsilon.
* Semantic privacy s. The parity of two bits, told truthfully with probability (1 + s)/2: with even
  belief in 11 and 10, the posteriors with and without person 1 differ by s whatever comes out.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.numbers import INFINITY, Number, Order
from twoworlds.theorems.common import smaller_ratio_delta
from twoworlds.theorems.formulas import brief, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.non_implications import Found, non_implication
from twoworlds.theorems.statements import Context

__all__: list[str] = []


def _other_neighbours(given: Guarantee, context: Context) -> bool:
    return context.neighbours not in (None, given.neighbours)


def _needed(ratio: Number, delta: Number, wanted: Number) -> Number:
    """Return the delta that randomized response with a leak needs at another ratio."""
    if wanted == INFINITY or order(wanted, ratio) is not Order.LESS:
        return delta
    return Fraction(1) if ratio == INFINITY else smaller_ratio_delta(ratio, delta, wanted)


@non_implication(
    "dp-limit",
    premises=["dp"],
    conclusion="dp",
    citation="twoworlds, the converse of smaller-epsilon",
)
def randomized_response_is_no_better(given: Guarantee, context: Context) -> Found | None:
    """A smaller epsilon or delta does not follow: randomized response, with a rare leak."""
    wanted, failure = (context.goal.get(name) for name in ("ratio", "delta"))
    if wanted is None or failure is None or _other_neighbours(given, context):
        return None
    needed = _needed(given.ratio, given.delta, wanted)
    if order(failure, needed) is not Order.LESS:
        return None
    if given.ratio == INFINITY:
        text = "a mechanism that publishes a record satisfies what is given, and has no epsilon"
    else:
        leak = "" if given.delta == 0 else f"published with probability {brief(given.delta)}, else "
        text = (
            f"one record, {leak}told by randomized response with odds {brief(given.ratio)}, "
            f"satisfies what is given, and at ratio {brief(wanted)} it needs delta {brief(needed)}"
        )
    return text, True, {"delta": needed}


@non_implication(
    "statistical-difference-limit",
    premises=["statistical-difference"],
    conclusion="statistical-difference",
    citation="twoworlds, by the definition",
)
def a_published_record_is_no_better(given: Guarantee, context: Context) -> Found | None:
    """A smaller statistical difference does not follow: publish one record, rarely."""
    wanted = context.goal.get("epsilon")
    if wanted is None or _other_neighbours(given, context):
        return None
    if order(wanted, given.epsilon) is not Order.LESS:
        return None
    text = (
        f"a mechanism that publishes one record with probability {brief(given.epsilon)}, and says "
        f"nothing otherwise, has the statistical difference {brief(given.epsilon)}"
    )
    return text, True, {"epsilon": given.epsilon}


@non_implication(
    "semantic-limit",
    premises=["semantic"],
    conclusion="semantic",
    citation="twoworlds, S2",
)
def noisy_parity_is_no_better(given: Guarantee, context: Context) -> Found | None:
    """A smaller semantic epsilon does not follow, with no delta below 1: the noisy parity."""
    wanted, failure = (context.goal.get(name) for name in ("epsilon", "delta"))
    if wanted is None or failure is None or _other_neighbours(given, context):
        return None
    strict = (
        order(wanted, given.epsilon) is Order.LESS and order(failure, Fraction(1)) is Order.LESS
    )
    if not strict or given.records == 1:
        return None
    keep = (1 + given.epsilon) / 2
    text = (
        f"the parity of two bits, told truthfully with probability {brief(keep)}, with even belief "
        "in 11 and 10: whatever it answers, the posteriors with and without person 1 differ by "
        f"{brief(given.epsilon)}"
    )
    return text, True, {"difference": given.epsilon}
