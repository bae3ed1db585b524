r"""Hypotheses and implications of no single paper: restatements, smaller epsilons, groups.

Notation: a = e^epsilon; H_b(P, Q) = max over events S of P(S) - b Q(S). (a, delta)-differential
privacy says H_a <= delta for the laws of neighbours, both ways round.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.numbers import INFINITY, Number, Order
from twoworlds.theorems.formulas import (
    brief,
    group_delta,
    order,
    smaller_ratio_delta,
)
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import Check, Context, restate, theorem
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE

_PAPER = "Kasiviswanathan & Smith"


# --- hypotheses: each a check that states the values it saw --------------------------------------


def strictly_below(name: str, left: Number, right: Number) -> Check:
    """Check left < right."""
    return _compared(name, left, right, (Order.LESS,), "below")


def at_most(name: str, left: Number, right: Number) -> Check:
    """Check left <= right."""
    return _compared(name, left, right, (Order.LESS, Order.EQUAL), "at most")


def _compared(
    name: str, left: Number, right: Number, accepted: tuple[Order, ...], word: str
) -> Check:
    found = order(left, right)
    ok = found in accepted
    if ok:
        return Check(name, ok, f"{name}: {brief(left)} is {word} {brief(right)}")
    known = "is not" if found is not Order.UNDECIDED else "is not known to be"
    return Check(name, ok, f"needs {name}: {brief(left)} {known} {word} {brief(right)}")


def needs(name: str, *, known: object, how: str) -> Check:
    """Check that a fact was given.

    >>> needs("the number of records", known=None, how="records=").text
    'needs the number of records: give records='
    """
    if known is None:
        return Check(name, ok=False, text=f"needs {name}: give {how}", missing=True)
    return Check(name, ok=True, text=f"{name}: {known}")


def known_records(given: Guarantee, _context: Context) -> Check:
    """Check that the number of records is known."""
    return needs("the number of records", known=given.records, how="records=")


def known_delta1(_given: Guarantee, context: Context) -> Check:
    """Check that the belief's mass outside of the good databases is known."""
    known = None if context.delta1 is None else brief(context.delta1)
    return needs("a bound on the belief's mass outside of E", known=known, how="delta1=")


def known_level(_given: Guarantee, context: Context) -> Check:
    """Check that the level of the test is known."""
    known = None if context.level is None else brief(context.level)
    return needs("the level of the test", known=known, how="level=")


def pure(given: Guarantee, _context: Context) -> Check:
    """Check delta = 0."""
    if given.delta == 0:
        return Check("delta = 0", ok=True, text="delta = 0")
    return Check("delta = 0", ok=False, text=f"needs delta = 0: {brief(given.delta)} is not 0")


def positive_delta(given: Guarantee, _context: Context) -> Check:
    """Check delta > 0."""
    return strictly_below("0 < delta", Fraction(0), given.delta)


def finite(given: Guarantee, _context: Context) -> Check:
    """Check that epsilon is finite."""
    if given.ratio == INFINITY:
        return Check("epsilon is finite", ok=False, text="needs a finite epsilon: it is infinite")
    return Check("epsilon is finite", ok=True, text=f"epsilon is finite: {brief(given.epsilon)}")


def one_person(given: Guarantee, _context: Context) -> Check:
    """Check that the guarantee is for single people."""
    name = "one person differs (group = 1)"
    if given.group == 1:
        return Check(name, ok=True, text=name)
    return Check(name, ok=False, text=f"needs group = 1: it is {given.group}")


def substitution(given: Guarantee, _context: Context) -> Check:
    """Check that neighbours differ by one replaced record."""
    name = "neighbours by substitution"
    if given.neighbours == SUBSTITUTE:
        return Check(name, ok=True, text=name)
    return Check(name, ok=False, text=f"needs {name}: they are {given.neighbours}")


# --- theorems ------------------------------------------------------------------------------------


for _name, _premise, _conclusion, _place, _statement in (
    (
        "dp-is-indistinguishability",
        "dp",
        "indistinguishable",
        "Definitions 1.2 and 3.1",
        "Differential privacy says that the laws of neighbours are indistinguishable.",
    ),
    (
        "indistinguishability-is-dp",
        "indistinguishable",
        "dp",
        "Definitions 1.2 and 3.1",
        "If the laws of all neighbours are indistinguishable, that is differential privacy.",
    ),
    (
        "semantic-for-one-belief",
        "semantic",
        "local-semantic",
        "Definitions 2.3 and 4.1",
        "Semantic privacy holds for every belief, so for each one.",
    ),
    (
        "averaging-over-databases",
        "reality-oblivious",
        "semantic",
        "Definition 2.3 and appendix, Definition 1.1",
        "What holds for every true database holds for one that is drawn from the belief.",
    ),
):
    restate(_name, _premise, _conclusion, f"{_PAPER}, {_place}", _statement)


@theorem(
    "statistical-difference-is-dp",
    premises=["statistical-difference"],
    conclusion="dp",
    citation=f"{_PAPER}, equation 3 and Definition 1.2",
    tightness="tight",
    auxiliary=True,
)
def statistical_difference_is_dp(given: Guarantee, _context: Context) -> Guarantee:
    """A statistical difference epsilon is differential privacy with (0, epsilon)."""
    return given.to("dp", ratio=Fraction(1), delta=given.epsilon)


@theorem(
    "dp-at-some-databases",
    premises=["dp"],
    conclusion="local-dp",
    citation=f"{_PAPER}, Theorem 4.2",
    hypotheses=(one_person,),
    tightness="tight",
    auxiliary=True,
)
def dp_at_some_databases(given: Guarantee, _context: Context) -> Guarantee:
    """Differential privacy holds at every database, so at those of any set E."""
    return given.to("local-dp", **given.numbers)


def _smaller_ratio_wanted(given: Guarantee, context: Context) -> Check:
    wanted = context.aim("dp", "ratio")
    if wanted is None:
        return needs("the smaller epsilon that is wanted", known=None, how="epsilon=")
    return at_most("the wanted e^epsilon is no larger", wanted, given.ratio)


@theorem(
    "smaller-epsilon",
    premises=["dp"],
    conclusion="dp",
    citation=f"{_PAPER}, Section 2, remark after Definition 2.3",
    hypotheses=(finite, _smaller_ratio_wanted),
    printed="(epsilon, delta)-DP is (0, delta + e^epsilon - 1)-DP",
    printed_rule=lambda given, context: (
        given.to("dp", ratio=Fraction(1), delta=given.delta + given.ratio - 1)
        if context.aim("dp", "ratio") == 1
        else None
    ),
    tight="(e^epsilon', delta + (1 - delta) (e^epsilon - e^epsilon') / (e^epsilon + 1))",
    tightness="tight",
    auxiliary=True,
)
def smaller_epsilon(given: Guarantee, context: Context) -> Guarantee:
    """A smaller epsilon holds with a larger delta, by `smaller_ratio_delta`."""
    wanted = context.goal["ratio"]
    return given.to("dp", ratio=wanted, delta=smaller_ratio_delta(given.ratio, given.delta, wanted))


def larger_group_wanted(given: Guarantee, context: Context) -> Check:
    """Check that a larger group is asked about."""
    if context.group is None:
        return needs("the size of the group", known=None, how="group=")
    ok = context.group > given.group
    text = f"group {context.group} is larger than {given.group}"
    return Check("a larger group", ok, text if ok else f"needs a larger group than {given.group}")


def steps_to_group(given: Guarantee, context: Context) -> int:
    """Return how many steps of the guarantee lead to the wanted group."""
    assert context.group is not None
    return -(-context.group // given.group)


@theorem(
    "group-privacy",
    premises=["dp"],
    conclusion="dp",
    citation="Dwork, after Definition 2",
    hypotheses=(finite, larger_group_wanted),
    printed="e^(epsilon c) for groups of c (delta = 0)",
    printed_rule=lambda given, context: (
        given.to("dp", ratio=given.ratio**context.group, group=context.group)
        if context.group is not None and given.delta == 0 and given.group == 1
        else None
    ),
    tight="(c epsilon, delta (e^(c epsilon) - 1) / (e^epsilon - 1)); c e^((c-1) epsilon) delta is "
    "cruder",
    tightness="tight",
    auxiliary=True,
)
def group_privacy(given: Guarantee, context: Context) -> Guarantee:
    """Groups of c people cost c epsilon, and each step multiplies delta and adds to it."""
    steps = steps_to_group(given, context)
    ratio, delta = given.ratio**steps, group_delta(given.ratio, given.delta, steps)
    return given.to("dp", ratio=ratio, delta=delta, group=context.group)


def _smaller_group_wanted(given: Guarantee, context: Context) -> Check:
    name = "the guarantee is for a group of several people"
    wanted = context.group or 1
    ok = wanted < given.group
    return Check(name, ok, name if ok else f"needs a guarantee for more than {wanted} people")


@theorem(
    "smaller-group",
    premises=["dp"],
    conclusion="dp",
    citation="Dwork, after Definition 2",
    hypotheses=(_smaller_group_wanted,),
    auxiliary=True,
)
def smaller_group(given: Guarantee, context: Context) -> Guarantee:
    """What holds for groups of up to c people holds for smaller ones."""
    return given.to("dp", **given.numbers, group=context.group or 1)


def by_removal(given: Guarantee, _context: Context) -> Check:
    """Check that neighbours differ by one record more or less."""
    name = "neighbours by adding or removing a record"
    ok = given.neighbours == ADD_REMOVE
    return Check(name, ok, name if ok else f"needs {name}: they are {given.neighbours}")


@theorem(
    "replacing-is-removing-and-adding",
    premises=["dp"],
    conclusion="dp",
    citation="Dwork, after Definition 2",
    hypotheses=(finite, one_person, by_removal),
    auxiliary=True,
)
def replacing_is_removing_and_adding(given: Guarantee, _context: Context) -> Guarantee:
    """To replace a record is to remove one and add one: 2 epsilon, delta (1 + e^epsilon)."""
    delta = group_delta(given.ratio, given.delta, 2)
    return given.to("dp", ratio=given.ratio**2, delta=delta, neighbours=SUBSTITUTE)
