"""What does not follow: worlds that separate the definitions of Bassily, Groce, Katz & Smith.

* Example 1. The parity of fair bits, known beforehand, tells nothing, but cannot be simulated
  without one of the bits: at every epsilon delta is at least 1/2, since the simulator's output does
  not depend on the parity.
* Section II-E. Records that all follow one hidden sign: their majority can be simulated without any
  one of them, but depends on the value of each. If all records are equal, delta is 0 for the one
  and 1 for the other.
* Differential privacy does not bound what tied records give away. An alarm that sounds with
  probability 1/(1 + a^(m - k)) if k records are ones is epsilon-DP, a = e^epsilon; between 2m equal
  records of one value and of the other it changes from 1/(1 + a^m) to a^m/(1 + a^m).
* The parity of two fair bits that nobody knows tells nothing about either; publishing it is not
  differentially private with any delta below 1.
* Definition 2 for beliefs that are certain of the database: publishing it satisfies (0, 0).
* Against Theorems 1 and 2 as printed: outputs that deny one value each, by which (epsilon, delta)
  implies nothing below about sqrt(g delta e^epsilon), whatever epsilon'. With g persons, one of
  them, named in the output, is drawn at random, with g delta in place of delta.
* Two laws, each (epsilon, delta)-close to a simulator: an alarm of probabilities (1 + a) delta,
  delta, 0 needs (1 + a) delta at every ratio; one of a/(a + 1), 1/(a + 1), 1/(a (a + 1)) needs
  (a^2 - b)/(a (a + 1)) at ratio b.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import comb

from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    bounds,
    ln,
    maximum,
    positive_part,
)
from twoworlds.theorems.formulas import brief, minimum, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import (
    Context,
    Found,
    non_implication,
)
from twoworlds.worlds import SUBSTITUTE

_PAPER = "Bassily, Groce, Katz & Smith"
_ONE, _HALF = Fraction(1), Fraction(1, 2)
_OTHERS = "noiseless or pufferfish or inference-pufferfish"
_DDP, _COUPLED = "ddp or inference-ddp", "coupled-worlds or inference-coupled-worlds"


def _below(context: Context, needed: Number) -> bool:
    """Tell whether the delta that was asked for is known to be too small."""
    wanted = context.goal.get("delta")
    return wanted is not None and order(wanted, needed) is Order.LESS


_PARITY = (
    "the parity of {}, if the attacker knows it beforehand: nothing new is concluded "
    "about any bit, and it does not depend on one; but a simulator that lacks a bit knows nothing "
    "of the parity, and needs delta = 1/2 at every epsilon"
)


@non_implication(
    "bgks-example-1: inference-ddp or noiseless =/=> ddp",
    f"{_PAPER}, Example 1",
)
def parity_that_is_known(given: Guarantee, context: Context) -> Found | None:
    """What is concluded may be harmless, and yet not simulated: the parity, known beforehand."""
    n = given.records or 2
    text = _PARITY.format("1 fair bit" if n == 1 else f"{n} fair bits")
    return text, _below(context, _HALF), {"delta": _HALF}


non_implication(
    "bgks-example-1-coupled-worlds: inference-ddp or inference-coupled-worlds or "
    f"{_OTHERS} =/=> coupled-worlds",
    f"{_PAPER}, Example 1",
    statement="The same for coupled worlds: the implication of Theorem 2 is strict.",
)(parity_that_is_known)


def _tied(given: Guarantee, context: Context, *, needed: Number, word: str) -> Found | None:
    if given.kind == "ddp" and given.records == 1:
        return None  # then the simulator has nothing to look at
    text = (
        "the majority of records that are all equal to one hidden fair sign can be simulated "
        f"without any one of them (epsilon = delta = 0), but shows each of them: {word} delta = "
        f"{brief(needed)} at every epsilon. (Five records that follow the sign with probability "
        "9/10 have delta 243/5000 and 4019/5000 at epsilon = 0.)"
    )
    return text, _below(context, needed), {"delta": needed}


for _name, _premises, _conclusion, _word, _needed, _statement in (
    (
        "",
        _DDP,
        "noiseless",
        "noiseless privacy needs",
        _ONE,
        "Distributional privacy does not imply noiseless privacy: records that follow one sign.",
    ),
    (
        "-pufferfish",
        f"{_DDP} or {_COUPLED}",
        "pufferfish",
        "Pufferfish needs",
        _ONE,
        "Coupled worlds does not imply Pufferfish: records that follow one sign.",
    ),
    (
        "-inference",
        f"{_DDP} or {_COUPLED}",
        "inference-pufferfish",
        "an even belief becomes certain, which needs",
        _HALF,
        "Nor the inference form of Pufferfish: an even belief in a record becomes certain.",
    ),
):
    non_implication(
        f"bgks-hidden-sign{_name}: {_premises} =/=> {_conclusion}",
        f"{_PAPER}, Section II-E",
        statement=_statement,
    )(partial(_tied, needed=_needed, word=_word))


def _tied_alarm(given: Guarantee, context: Context) -> Found | None:
    """Return the alarm over 2m equal records, m as large as needed, or as the records allow."""
    if given.ratio in (1, INFINITY) or given.group != 1:
        return None
    wanted, failure = context.goal.get("ratio", given.ratio), context.goal.get("delta", _HALF)
    if wanted == INFINITY or order(failure, _ONE) is not Order.LESS:
        return None
    least = ln((wanted + failure) / (1 - failure)) / ln(given.ratio)
    m = int(bounds(least)[1]) + 1  # a^m > (b + delta)/(1 - delta)
    if given.records is not None and given.records < 2 * m:
        return None
    text = (
        f"an alarm that sounds with probability 1/(1 + r^({m} - k)), r = {brief(given.ratio)}, if "
        f"k of {2 * m} records are ones, satisfies what is given; if all records are known to be "
        f"equal, it tells one value from the other with delta above {brief(failure, 'down')} at "
        "ratio "
        f"{brief(wanted)}"
    )
    decisive = "ratio" in context.goal and "delta" in context.goal
    return text, decisive, {"records": Fraction(2 * m)}


for _name, _conclusion, _kind in (
    ("dp-tied-records", "noiseless", "noiseless privacy"),
    ("dp-tied-records-pufferfish", "pufferfish", "Pufferfish"),
):
    non_implication(
        f"{_name}: dp or simulation =/=> {_conclusion}",
        f"twoworlds, after {_PAPER}, Section II-E",
        statement=f"Differential privacy does not imply {_kind}: records that are all equal.",
    )(_tied_alarm)


@non_implication(
    "fair-parity: ddp or independent-ddp or coupled-worlds or "
    f"{_OTHERS} or inference-ddp or inference-coupled-worlds =/=> dp",
    f"twoworlds, from {_PAPER}, Definition 3",
)
def parity_of_fair_bits(given: Guarantee, context: Context) -> Found | None:
    """What holds for some beliefs does not imply differential privacy: the parity of fair bits."""
    if given.records == 1:
        return None
    text = (
        "the exact parity of fair bits of which the attacker knows none tells nothing about any "
        "bit (epsilon = delta = 0 in every one of these definitions); but it changes whenever a "
        "bit does: differential privacy needs delta = 1 at every epsilon"
    )
    return text, _below(context, _ONE), {"delta": _ONE}


@non_implication(
    "bgks-point-beliefs: inference-ddp or inference-coupled-worlds =/=> simulation",
    f"{_PAPER}, Section II-B, after Definition 3",
    erratum="Definition 2 with all point distributions is said to give differential privacy; it is "
    "empty, since a belief that is certain cannot be moved",
)
def certain_beliefs(_given: Guarantee, context: Context) -> Found | None:
    """Conclusions of attackers who are certain anyway say nothing: publish the database."""
    text = (
        "for beliefs that are each certain of the database, publishing the database changes no "
        "conclusion (epsilon = delta = 0); but with two values it cannot be simulated with a delta "
        "below 1/2"
    )
    return text, _below(context, _HALF), {"delta": _HALF}


def _denied(given: Guarantee, context: Context) -> Found | None:
    """Return outputs that deny one of m values each, for the delta that was asked for."""
    wanted = context.goal.get("delta")
    if wanted is None or given.ratio == INFINITY or given.delta == 0:
        return None
    if order(wanted, _HALF) is not Order.LESS:
        return None
    m = 2 if wanted == 0 else max(2, -int(-(1 / bounds(wanted)[1]) // 1) - 1)
    if order(wanted, Fraction(1, m)) is not Order.LESS:
        return None
    a, pairs = given.ratio, Fraction(given.count or 1)
    chance = minimum(given.delta * pairs, 1 / ((m - 1) * a))
    room = a**2 * (m - 1) - m
    if order(room, Fraction(0)) is Order.GREATER:
        chance = minimum(chance, (a - 1) / room)
    failure = (m - 1) * a * chance
    if order(failure, wanted) is not Order.GREATER:
        return None
    text = (
        f"one record{'' if pairs == 1 else f' out of {brief(pairs)}, named in the output'}, evenly "
        f"one of {m} values: every value but the true one is denied with probability "
        f"{brief(a * chance)}. That satisfies what is given; but a denial excludes what has "
        f"probability 1/{m} in every ideal world, and comes with probability {brief(failure)}"
    )
    return text, True, {"failure": failure, "values": Fraction(m)}


_STRICT = (
    f"twoworlds, against {_PAPER}, Theorem {{}}, which is refuted as printed for e^epsilon > 4"
)
non_implication(
    "bgks-denied-value: ddp =/=> inference-ddp",
    _STRICT.format(1),
    statement="A delta below about sqrt(n delta e^epsilon) does not follow, whatever epsilon'.",
)(_denied)
non_implication(
    "bgks-denied-value-coupled-worlds: ddp or coupled-worlds =/=> inference-coupled-worlds",
    _STRICT.format(2),
    statement="The same for coupled worlds, with the number of pairs for n.",
)(_denied)


def _between(given: Guarantee, context: Context) -> Found | None:
    """Return an alarm whose two laws are as far apart as a simulator between them allows."""
    wanted, failure = (context.goal.get(name) for name in ("ratio", "delta"))
    if wanted is None or failure is None or given.ratio == INFINITY or wanted == INFINITY:
        return None
    a, needed = given.ratio, Fraction(0)
    chances: tuple[Number, Number] = (Fraction(0), Fraction(0))
    most: Number = needed
    if a == 1 or order(given.delta * (a + 2), _ONE) in (Order.LESS, Order.EQUAL):
        most, chances = (1 + a) * given.delta, ((1 + a) * given.delta, Fraction(0))
    pure = (a**2 - wanted) / (a * (a + 1))
    if order(pure, most) is Order.GREATER:
        most, chances = pure, (a / (a + 1), 1 / (a * (a + 1)))
    if order(failure, most) is not Order.LESS:
        return None
    high, low = (brief(chance) for chance in chances)
    text = (
        f"one record with two values, and an alarm with probability {high} for the one and {low} "
        f"for the other, satisfies what is given, and needs delta {brief(most)} at ratio "
        f"{brief(wanted)}"
    )
    return text, True, {"delta": maximum(most, Fraction(0))}


non_implication(
    "bgks-simulation-limit: simulation =/=> dp",
    f"twoworlds, against {_PAPER}, Section II-A",
    statement="The same numbers do not follow: a simulator may stand in the middle of two "
    "databases.",
)(_between)
non_implication(
    "bgks-corollary-2-limit: independent-ddp =/=> noiseless",
    f"twoworlds, {_PAPER}, Corollary 2 is tight",
    statement="Less than 2 epsilon or delta (1 + e^epsilon) does not follow: a simulator in the "
    "middle.",
)(_between)


@non_implication(
    "noiseless-and-less-side-information: noiseless or pufferfish =/=> noiseless",
    f"{_PAPER}, Section II-E, after Theorem 7",
)
def noiseless_and_less_side_information(_given: Guarantee, _context: Context) -> Found | None:
    """Noiseless privacy may be lost when less is known: a hidden sign that ties the records."""
    return None  # it refutes a closure property, no implication between kinds


@non_implication(
    "ddp-and-mixtures: ddp or coupled-worlds =/=> ddp",
    f"{_PAPER}, Section I-A, against its remark on convexity",
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
    given: Guarantee, context: Context, *, needs: Callable[..., Number], word: str
) -> Found | None:
    """Return randomized response on as few bits as refute what was asked, if any number does."""
    ratio = context.goal.get("ratio", given.ratio)
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


_simulated = partial(_ordered, needs=simulating_needs, word="these two databases")
_concluded = partial(
    _ordered, needs=concluding_needs, word="conclusions of who believes in these two evenly"
)

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
        f"dp-unknown-place{_name}: dp =/=> {_conclusion}",
        _CITATION,
        statement=_statement,
    )(_refute)
