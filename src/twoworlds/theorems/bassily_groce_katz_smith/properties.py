r"""Theorems 3 to 6 of Bassily, Groce, Katz & Smith as rules for numbers; ordered records.

The theorems speak of another release or class of beliefs, so the search for implications leaves
them alone; call them. `twoworlds.definitions.coupled.operations` does the same with the releases,
simulators and beliefs themselves, and computes both the bound and the exact delta.

Noiseless privacy and Pufferfish are kept under post-processing only. With less side information, or
under a mixture of beliefs, they may be lost: the sign of five records that follow a hidden sign
with probability 9/10 has delta 243/5000 at epsilon = 0 if that sign is known, 4019/5000 if not.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb

from twoworlds.errors import Unsupported
from twoworlds.numbers import INFINITY, Number, Order, maximum, positive_part
from twoworlds.theorems.common import finite
from twoworlds.theorems.formulas import brief, minimum, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import (
    THEOREMS,
    Check,
    Context,
    Found,
    keep,
    non_implication,
    theorem,
)
from twoworlds.worlds import SUBSTITUTE

_PAPER = "Bassily, Groce, Katz & Smith"
_SIMULATED = ("ddp", "independent-ddp", "coupled-worlds", "simulation")


def less_side_information(guarantee: Guarantee) -> Guarantee:
    """Return what holds for attackers who know f(Z) only, f any random function (Theorem 5).

    >>> print(less_side_information(Guarantee.parse("ddp(ratio=3/2, delta=1/4)")))
    ddp(ratio=1.5, delta=0.25)
    """
    return _kept("bgks-5", guarantee)


def with_mixtures(guarantee: Guarantee) -> Guarantee:
    """Return what holds for all mixtures of the beliefs, with the same simulator (Theorem 4)."""
    return _kept("bgks-4", guarantee)


def compose_coupled(first: Guarantee, second: Guarantee) -> Guarantee:
    r"""Return what holds when F(X) and G(X) are both published (Theorem 6).

    Args:
        first: of F, for attackers who also know Sim_G(alt(X)).
        second: of G, with the simulator Sim_G, for attackers who also know F(X).

    >>> one = Guarantee.parse("coupled-worlds(ratio=6/5, delta=11/60)")
    >>> compose_coupled(one, one).delta
    Fraction(121, 300)
    """
    return _kept("bgks-6", first, second)


def _kept(name: str, *guarantees: Guarantee) -> Guarantee:
    statement = THEOREMS[name]
    for one in guarantees:
        if one.kind not in statement.premises:
            known = ", ".join(statement.premises)
            raise Unsupported(f"{statement.citation} is about {known}; not about {one.kind}")
    first, *others = guarantees
    return statement.conclude(first, Context(first.kind, others=tuple(others)))


_CLASSES = ("ddp", "coupled-worlds", "simulation")
for _number, _premises, _statement, _erratum in (
    (
        3,
        (*_SIMULATED, "noiseless", "pufferfish"),
        "A random map of the output keeps the numbers; the simulator applies it, too.",
        None,
    ),
    (
        4,
        _CLASSES,
        "All mixtures of the beliefs of a class are covered, with the same numbers.",
        "true; the introduction's version, private under D and under D', needs one simulator for "
        "both",
    ),
    (
        5,
        _CLASSES,
        "Attackers who know less than assumed are covered, with the same numbers.",
        None,
    ),
):
    keep(
        f"bgks-{_number}",
        _premises,
        f"{_PAPER}, Theorem {_number}",
        _statement,
        conclusion="coupled-worlds",
        erratum=_erratum,
    )


def _two_of_a_kind(given: Guarantee, context: Context) -> Check:
    name = "two guarantees of one kind"
    if len(context.others) != 1 or context.others[0].kind != given.kind:
        return Check(name, ok=False, text=f"needs {name}")
    other = finite(context.others[0], context)
    return other if not other.ok else Check(name, ok=True, text=name)


@theorem(
    "bgks-6",
    premises=("ddp", "coupled-worlds"),
    conclusion="coupled-worlds",
    citation=f"{_PAPER}, Theorem 6",
    hypotheses=(finite, _two_of_a_kind),
    printed="(epsilon_F + epsilon_G, max(delta_F e^epsilon_G + delta_G, delta_F + delta_G "
    "e^epsilon_F)), and this is O(delta_F + delta_G)",
    printed_rule=lambda given, context: _composed(given, context.others[0]),
    tight="attained, so that delta_F + delta_G is not enough",
    tightness="tight",
    erratum='true; but O(delta_F + delta_G) only for bounded epsilon. "(priv, alt)" means (alt, '
    "priv), and each pair needs the class Delta_F of its own alt only",
    combines=True,
)
def composition_of_two(given: Guarantee, context: Context) -> Guarantee:
    """Two releases, each private given the other's output, real or simulated: epsilons add up."""
    return _composed(given, context.others[0])


def _composed(first: Guarantee, second: Guarantee) -> Guarantee:
    f, g = first.ratio, second.ratio
    delta = maximum(first.delta * g + second.delta, first.delta + second.delta * f)
    return first.to(first.kind, ratio=f * g, delta=delta)


@non_implication(
    "noiseless-and-less-side-information",
    premises=["noiseless", "pufferfish"],
    conclusion="noiseless",
    citation=f"{_PAPER}, Section II-E, after Theorem 7",
)
def noiseless_and_less_side_information(_given: Guarantee, _context: Context) -> Found | None:
    """Noiseless privacy may be lost when less is known: a hidden sign that ties the records."""
    return None  # it refutes a closure property, no implication between kinds


@non_implication(
    "ddp-and-mixtures",
    premises=["ddp", "coupled-worlds"],
    conclusion="ddp",
    citation=f"{_PAPER}, Section I-A, against its remark on convexity",
    erratum="private under D and under D' does not give private under their mixture, unless one "
    "simulator serves both: publish X_1, which is 0 under D and 1 under D'; delta is 0, 0 and 1/2",
)
def ddp_and_mixtures(_given: Guarantee, _context: Context) -> Found | None:
    """Privacy under two beliefs, each with its own simulator, may be lost under their mixture."""
    return None  # it refutes a closure property, no implication between kinds


# --- Ordered records -----------------------------------------------------------------------------
# Against Section II-A of Bassily, Groce, Katz & Smith, which inserts an entry into x_-i. The
# databases x = 1010... and y = 0101... of n bits differ in every record; but x without its first
# record is y without its last, and the other way round. Each bit is told by randomized response
# with odds a = e^epsilon. An output that differs from x in k bits has the probabilities
#
#     P = a^(n-k) / (1 + a)^n  from x          Q = a^k / (1 + a)^n  from y
#
# * One law S must simulate both, at ratio b: P <= b S + delta and S <= b Q + delta give the first
#   of these bounds; S <= b P + delta where P < Q, and S <= b Q + delta elsewhere, give the second.
#
#       H_(b^2)(P, Q) <= (1 + b) delta          1 <= b (sum of min(P, Q)) + 2 delta
#
# * Conclusions of who believes in x and y evenly. If a simulated output speaks for x when the
#   first record is missing, it speaks for y when the last one is, by the same odds. So for one of
#   these two persons the database that is less likely in truth, of probability 1/(1 + a^m) with m
#   = |n - 2k|, has at least 1/2 in the ideal world: the inner delta is at least 1/2 - b/(1 + a^m).
#
# For n = 3, a = b = 3 the first needs delta 9/128; at b = 9 conclusions need 5/28.

_CITATION = "twoworlds, against Bassily, Groce, Katz & Smith, Section II-A"
_SIZES = (3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_SHOWN = 8
_HALF = Fraction(1, 2)


def simulating_needs(records: int, odds: Number, ratio: Number) -> Number:
    """Return a delta without which no one law is near those of both databases."""
    whole = (1 + odds) ** records
    excess: Number = Fraction(0)
    common: Number = Fraction(0)
    for k in range(records + 1):
        p, q = odds ** (records - k), odds**k
        excess += comb(records, k) * positive_part(p - ratio**2 * q) / whole
        common += comb(records, k) * odds ** min(k, records - k) / whole
    return maximum(excess / (1 + ratio), (1 - ratio * common) / 2)


def concluding_needs(records: int, odds: Number, ratio: Number) -> Number:
    """Return the smallest delta with which conclusions about the first and the last may agree."""
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


for _name, _conclusion, _refute, _statement in (
    (
        "",
        "simulation",
        _simulated,
        "Differential privacy is not simulated with the same numbers, unless the place is known.",
    ),
    (
        "-ddp",
        "ddp",
        _simulated,
        "The same for distributional privacy, if two databases are believed in for certain.",
    ),
    (
        "-coupled-worlds",
        "coupled-worlds",
        _simulated,
        "The same for coupled worlds with one pair for each person.",
    ),
    (
        "-inference",
        "inference-ddp",
        _concluded,
        "Nor are conclusions those from a simulation: the first and the last record disagree.",
    ),
    (
        "-inference-coupled-worlds",
        "inference-coupled-worlds",
        _concluded,
        "The same for coupled worlds with one pair for each person.",
    ),
):
    non_implication(
        f"dp-unknown-place{_name}",
        premises=["dp"],
        conclusion=_conclusion,
        citation=_CITATION,
        statement=_statement,
    )(_refute)
