r"""Ordered records: differential privacy that no simulator attains if it is not told the place.

Against Section II-A of Bassily, Groce, Katz & Smith, which inserts an entry into x_-i. The
databases x = 1010... and y = 0101... of n bits differ in every record; but x without its first
record is y without its last, and the other way round. Each bit is told by randomized response with
odds a = e^epsilon. An output that differs from x in k bits has the probabilities

    P = a^(n-k) / (1 + a)^n  from x          Q = a^k / (1 + a)^n  from y

* One law S must simulate both, at ratio b: P <= b S + delta and S <= b Q + delta give the first of
  these bounds; S <= b P + delta where P < Q, and S <= b Q + delta elsewhere, give the second.

      H_(b^2)(P, Q) <= (1 + b) delta          1 <= b (sum of min(P, Q)) + 2 delta

* Conclusions of who believes in x and y evenly. If a simulated output speaks for x when the first
  record is missing, it speaks for y when the last one is, by the same odds. So for one of these two
  persons the database that is less likely in truth, of probability 1/(1 + a^m) with m = |n - 2k|,
  has at least 1/2 in the ideal world: the inner delta is at least 1/2 - b/(1 + a^m).

For n = 3, a = b = 3 the first needs delta 9/128; at b = 9 conclusions need 5/28.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb

from twoworlds.numbers import INFINITY, Number, Order, maximum, positive_part
from twoworlds.theorems.formulas import brief, minimum, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.non_implications import Found, non_implication
from twoworlds.theorems.statements import Context
from twoworlds.worlds import SUBSTITUTE

__all__ = ["concluding_needs", "simulating_needs"]

_CITATION = "twoworlds, against Bassily, Groce, Katz & Smith, Section II-A"
_SIZES = (3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_SHOWN = 8
_HALF = Fraction(1, 2)


def simulating_needs(records: int, odds: Number, ratio: Number) -> Number:
    """Return a delta without which no one law is near those of both databases.

    >>> simulating_needs(3, Fraction(3), Fraction(3))
    Fraction(9, 128)
    """
    whole = (1 + odds) ** records
    excess: Number = Fraction(0)
    common: Number = Fraction(0)
    for k in range(records + 1):
        p, q = odds ** (records - k), odds**k
        excess += comb(records, k) * positive_part(p - ratio**2 * q) / whole
        common += comb(records, k) * odds ** min(k, records - k) / whole
    return maximum(excess / (1 + ratio), (1 - ratio * common) / 2)


def concluding_needs(records: int, odds: Number, ratio: Number) -> Number:
    """Return the smallest delta with which conclusions about the first and the last may agree.

    >>> concluding_needs(3, Fraction(3), Fraction(9))
    Fraction(5, 28)
    """
    whole = (1 + odds) ** records

    def inner(m: int) -> Number:
        return positive_part(_HALF - ratio / (1 + odds**m)) if m > 0 else Fraction(0)

    least: Number = inner(records)
    failure: Number = Fraction(0)
    for k in range((records + 1) // 2):  # fail for outputs with up to k bits, or all but k, as in x
        m = records - 2 * k
        failure += comb(records, k) * (odds ** (records - k) + odds**k) / whole
        least = minimum(least, maximum(inner(m - 2), failure))
    return least


def _ordered(
    given: Guarantee,
    context: Context,
    needs: Callable[[int, Number, Number], Number],
    ratio: Number,
    word: str,
) -> Found | None:
    """Return randomized response on as few bits as refute what was asked, if any number does."""
    if context.tagged or context.symmetric or given.records == 1:
        return None
    if (given.neighbours, given.group) != (SUBSTITUTE, 1) or INFINITY in (given.ratio, ratio):
        return None
    most = given.records or _SIZES[-1]
    sizes = [n for n in _SIZES if n < most] + [min(most, _SIZES[-1])]
    wanted = context.goal.get("delta")
    asked = wanted is not None and "ratio" in context.goal
    for n in sizes if asked else sizes[:1]:
        needed = needs(n, given.ratio, ratio)
        if order(needed, wanted if asked and wanted is not None else Fraction(0)) is Order.GREATER:
            return _text(n, given.ratio, ratio, needed, word), asked, {"delta": needed}
    return None


def _text(n: int, odds: Number, ratio: Number, needed: Number, word: str) -> str:
    more = "..." if n > _SHOWN else ""
    x, y = (f"{(bits * n)[: min(n, _SHOWN)]}{more}" for bits in ("10", "01"))
    return (
        f"{n} bits, each told by randomized response with odds {brief(odds)}, satisfy what is "
        f"given. {x} without its first record is {y} without its last: if the simulator is not "
        f"told whose record is missing, {word} need delta {brief(needed)} at ratio {brief(ratio)}"
    )


def _simulated(given: Guarantee, context: Context) -> Found | None:
    ratio = context.goal.get("ratio", given.ratio)
    return _ordered(given, context, simulating_needs, ratio, "these two databases")


def _concluded(given: Guarantee, context: Context) -> Found | None:
    ratio = context.goal.get("ratio", given.ratio)
    word = "conclusions of who believes in these two evenly"
    return _ordered(given, context, concluding_needs, ratio, word)


@non_implication("dp-unknown-place", premises=["dp"], conclusion="simulation", citation=_CITATION)
def dp_without_the_place(given: Guarantee, context: Context) -> Found | None:
    """Differential privacy is not simulated with the same numbers, unless the place is known."""
    return _simulated(given, context)


@non_implication("dp-unknown-place-ddp", premises=["dp"], conclusion="ddp", citation=_CITATION)
def dp_without_the_place_to_ddp(given: Guarantee, context: Context) -> Found | None:
    """The same for distributional privacy, if two databases are believed in for certain."""
    return _simulated(given, context)


@non_implication(
    "dp-unknown-place-coupled-worlds",
    premises=["dp"],
    conclusion="coupled-worlds",
    citation=_CITATION,
)
def dp_without_the_place_to_coupled_worlds(given: Guarantee, context: Context) -> Found | None:
    """The same for coupled worlds with one pair for each person."""
    return _simulated(given, context)


@non_implication(
    "dp-unknown-place-inference", premises=["dp"], conclusion="inference-ddp", citation=_CITATION
)
def dp_without_the_place_to_inference(given: Guarantee, context: Context) -> Found | None:
    """Nor are conclusions those from a simulation: the first and the last record disagree."""
    return _concluded(given, context)


@non_implication(
    "dp-unknown-place-inference-coupled-worlds",
    premises=["dp"],
    conclusion="inference-coupled-worlds",
    citation=_CITATION,
)
def dp_without_the_place_to_inference_worlds(given: Guarantee, context: Context) -> Found | None:
    """The same for coupled worlds with one pair for each person."""
    return _concluded(given, context)
