r"""Of no single paper: hypotheses, restatements, smaller epsilons, groups, and combinations.

Notation: a = e^epsilon; H_b(P, Q) = max over events S of P(S) - b Q(S). (a, delta)-differential
privacy says H_a <= delta for the laws of neighbours, both ways round.

**Combinations**, post-processing, composition, mixing and strategies, speak of a new mechanism made
from others, so the search for implications leaves them alone; call them.

Semantic privacy is not closed under post-processing (found here). Publish the database on two bits
with probability 5/8, each of the three others with 1/8: its semantic value is
(sqrt 5 - 1) / (sqrt 5 + 1) = 0.382. The parity of that output is the parity of the database with
probability 3/4: its semantic value is 1/2. Through differential privacy one still has
2 s / (1 + s^2) for pure semantic privacy s, which is what `post_process` returns. No smaller number
will do. Randomized response on n bits with odds a has the semantic value s = tanh(epsilon/4). Merge
the output 1...1 with 0...0: on a database of k ones the merged output has a probability in
proportion to a^k + a^(n - k). Person 1 changes it by the factor r = (a^n + 1) / (a^(n - 1) + a) on
1...1 and by 1/r on 10...0. With even belief in these two, the posterior of 1...1 is r / (1 + r)
with person 1, and 1 / (1 + r) without. They differ by (r - 1) / (r + 1), and r tends to a: the
difference tends to tanh(epsilon/2) = 2 s / (1 + s^2).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms.strategy import Interaction
from twoworlds.numbers import INFINITY, Number, Order, maximum
from twoworlds.theorems.formulas import (
    brief,
    group_delta,
    order,
    smaller_ratio_delta,
)
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.kinds import Kind, kind_of, register
from twoworlds.theorems.statements import (
    THEOREMS,
    Check,
    Context,
    Found,
    keep,
    non_implication,
    restate,
    theorem,
)
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, resolve

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


def settled(name: str, otherwise: str = "", *, ok: bool) -> Check:
    """Check what is plainly so or not; where it is not, say what is needed.

    >>> settled("delta = 0", ok=False).text
    'needs delta = 0'
    """
    return Check(name, ok, name if ok else f"needs {otherwise or name}")


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
    return settled("delta = 0", f"delta = 0: {brief(given.delta)} is not 0", ok=given.delta == 0)


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
    alone = given.group == 1
    return settled("one person differs (group = 1)", f"group = 1: it is {given.group}", ok=alone)


def substitution(given: Guarantee, _context: Context) -> Check:
    """Check that neighbours differ by one replaced record."""
    name = "neighbours by substitution"
    return settled(name, f"{name}: they are {given.neighbours}", ok=given.neighbours == SUBSTITUTE)


# --- theorems ------------------------------------------------------------------------------------


for _heading, _place, _statement in (
    (
        "dp-is-indistinguishability: dp => indistinguishable",
        "Definitions 1.2 and 3.1",
        "Differential privacy says that the laws of neighbours are indistinguishable.",
    ),
    (
        "indistinguishability-is-dp: indistinguishable => dp",
        "Definitions 1.2 and 3.1",
        "If the laws of all neighbours are indistinguishable, that is differential privacy.",
    ),
    (
        "semantic-for-one-belief: semantic => local-semantic",
        "Definitions 2.3 and 4.1",
        "Semantic privacy holds for every belief, so for each one.",
    ),
    (
        "averaging-over-databases: reality-oblivious => semantic",
        "Definition 2.3 and appendix, Definition 1.1",
        "What holds for every true database holds for one that is drawn from the belief.",
    ),
):
    restate(_heading, f"{_PAPER}, {_place}", _statement, auxiliary=True)


@theorem(
    "statistical-difference-is-dp: statistical-difference => dp",
    f"{_PAPER}, equation 3 and Definition 1.2",
    tightness="tight",
    auxiliary=True,
)
def statistical_difference_is_dp(given: Guarantee, _context: Context) -> Guarantee:
    """A statistical difference epsilon is differential privacy with (0, epsilon)."""
    return given.to("dp", ratio=Fraction(1), delta=given.epsilon)


restate(
    "dp-at-some-databases: dp => local-dp",
    f"{_PAPER}, Theorem 4.2",
    "Differential privacy holds at every database, so at those of any set E.",
    hypotheses=(one_person,),
    auxiliary=True,
)


def _smaller_ratio_wanted(given: Guarantee, context: Context) -> Check:
    wanted = context.aim("dp", "ratio")
    if wanted is None:
        return needs("the smaller epsilon that is wanted", known=None, how="epsilon=")
    return at_most("the wanted e^epsilon is no larger", wanted, given.ratio)


@theorem(
    "smaller-epsilon: dp => dp",
    f"{_PAPER}, Section 2, remark after Definition 2.3",
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
    "group-privacy: dp => dp",
    "Dwork, after Definition 2",
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
    name, wanted = "the guarantee is for a group of several people", context.group or 1
    return settled(name, f"a guarantee for more than {wanted} people", ok=wanted < given.group)


@theorem(
    "smaller-group: dp => dp",
    "Dwork, after Definition 2",
    hypotheses=(_smaller_group_wanted,),
    auxiliary=True,
)
def smaller_group(given: Guarantee, context: Context) -> Guarantee:
    """What holds for groups of up to c people holds for smaller ones."""
    return given.to("dp", **given.numbers, group=context.group or 1)


def by_removal(given: Guarantee, _context: Context) -> Check:
    """Check that neighbours differ by one record more or less."""
    name = "neighbours by adding or removing a record"
    return settled(name, f"{name}: they are {given.neighbours}", ok=given.neighbours == ADD_REMOVE)


@theorem(
    "replacing-is-removing-and-adding: dp => dp",
    "Dwork, after Definition 2",
    hypotheses=(finite, one_person, by_removal),
    auxiliary=True,
)
def replacing_is_removing_and_adding(given: Guarantee, _context: Context) -> Guarantee:
    """To replace a record is to remove one and add one: 2 epsilon, delta (1 + e^epsilon)."""
    delta = group_delta(given.ratio, given.delta, 2)
    return given.to("dp", ratio=given.ratio**2, delta=delta, neighbours=SUBSTITUTE)


# --- Combinations ---------------------------------------------------------------------------------


_CLOSED = "dp or indistinguishable or statistical-difference or rdp or zcdp or gdp"
_COMPOSITIONS = {kind: f"{kind}-composition" for kind in ("rdp", "zcdp", "gdp")}


def post_process(guarantee: Guarantee) -> Guarantee:
    """Return what holds after any randomized map of the output that does not see the data.

    >>> print(post_process(Guarantee.parse("dp(epsilon=0.1)")))
    dp(epsilon=0.1)
    """
    names = ("post-processing-semantic", "bgks-3")
    found = (name for name in names if guarantee.kind in THEOREMS[name].premises)
    return combined(next(found, "post-processing"), guarantee)


def compose(*guarantees: Guarantee) -> Guarantee:
    r"""Return what holds when all mechanisms run on the same data, each may see earlier outputs.

        e^epsilon = product of the ratios        delta = 1 - product of (1 - delta_i)

    The usual statement adds the deltas. Renyi divergences of one order add up, so does rho, and mu
    adds up in squares.

    >>> third = Guarantee.parse("dp(epsilon=0.1, delta=1/10)")
    >>> print(compose(third, third))
    dp(epsilon=0.2, delta=0.19)
    >>> print(compose(Guarantee.parse("gdp(mu=3)"), Guarantee.parse("gdp(mu=4)")))
    gdp(mu=5)
    """
    kind = guarantees[0].kind if guarantees else ""
    return combined(_COMPOSITIONS.get(kind, "basic-composition"), *guarantees)


def mix(*guarantees: Guarantee) -> Guarantee:
    """Return what holds when one of the mechanisms is run, chosen at random, by a hidden coin.

    >>> print(mix(Guarantee.parse("dp(ratio=2)"), Guarantee.parse("dp(ratio=3)")))
    dp(ratio=3)
    """
    return combined("mixing", *guarantees)


def combined(name: str, *guarantees: Guarantee) -> Guarantee:
    """Return what a theorem about a new mechanism, or a new belief, concludes."""
    if not guarantees:
        raise InvalidInput("there is nothing to combine: give at least one guarantee")
    statement = THEOREMS[name]
    for one in guarantees:
        if one.kind not in statement.premises:
            known = ", ".join(statement.premises)
            raise Unsupported(f"{statement.citation} is about {known}; not about {one.kind}")
    first, *others = guarantees
    return statement.conclude(first, Context(first.kind, others=tuple(others)))


def same_setting(given: Guarantee, context: Context) -> Check:
    """Check that all premises are of one kind and setting, and of one order."""
    name = "all guarantees have the same kind, neighbours and group"
    own = _setting(given)
    other = next((one for one in context.others if _setting(one) != own), None)
    return settled(name, f"the same setting: {given} and {other} differ", ok=other is None)


def _setting(given: Guarantee) -> tuple[object, ...]:
    fixed = (given[name] for name in kind_of(given.kind).fixed)
    return given.kind, given.neighbours, given.group, *fixed


keep(
    f"post-processing: {_CLOSED} => dp",
    "Lin & Kifer, Axiom 4.1",
    "A randomized map of the output keeps the numbers of hockey-stick definitions.",
)


@theorem(
    "post-processing-semantic: semantic => semantic",
    "twoworlds, through Kasiviswanathan & Smith, Theorem 2.2, both ways",
    hypotheses=(pure, substitution),
    tight="2 s / (1 + s^2) is approached: randomized response on n bits, one output merged with "
    "its complement",
    tightness="tight",
    combines=True,
)
def post_processing_semantic(given: Guarantee, _context: Context) -> Guarantee:
    """A randomized map of the output can raise s to at most tanh(2 artanh s) = 2 s / (1 + s^2)."""
    s = given.epsilon
    return given.to("semantic", epsilon=2 * s / (1 + s * s))


@non_implication(
    "semantic-and-post-processing: semantic =/=> semantic",
    "twoworlds, found here",
)
def semantic_and_post_processing(_given: Guarantee, _context: Context) -> Found | None:
    """Semantic privacy is not closed under post-processing: the parity of a noisy database."""
    return None  # it refutes a closure property, no implication between kinds


def _complement(deltas: Sequence[Number]) -> Number:
    """Return 1 - product of (1 - delta_i), exact where the deltas are."""
    return 1 - prod((1 - delta for delta in deltas), start=Fraction(1))


@theorem(
    "basic-composition: dp => dp",
    "twoworlds, basic composition (proof in the docstring)",
    hypotheses=(same_setting,),
    printed="epsilons and deltas add up",
    printed_rule=lambda given, context: given.to(
        "dp",
        ratio=prod((one.ratio for one in context.others), start=given.ratio),
        delta=sum((one.delta for one in context.others), start=given.delta),
    ),
    tight="(sum of epsilons, 1 - product of (1 - delta_i))",
    tightness="tight",
    combines=True,
)
def basic_composition(given: Guarantee, context: Context) -> Guarantee:
    r"""Ratios multiply, and the chances that no delta strikes multiply.

    Proof: for each part and each earlier output let P' = min(P, a Q), of mass at least 1 - delta_i.
    The product of the P' is at most (product of a_i) Q on every joint output, and its mass is at
    least the product of (1 - delta_i); the rest is the new delta. Attained by mechanisms that
    publish the record with probability delta_i.
    """
    parts = (given, *context.others)
    ratio = prod((one.ratio for one in parts), start=Fraction(1))
    return given.to("dp", ratio=ratio, delta=_complement([one.delta for one in parts]))


@theorem(
    f"mixing: {_CLOSED} => dp",
    "Lin & Kifer, Axiom 4.2",
    hypotheses=(same_setting,),
    tightness="tight",
    combines=True,
)
def mixing(given: Guarantee, context: Context) -> Guarantee:
    """A random choice between mechanisms has at most the largest of each number."""
    numbers = dict(given.numbers)
    for other in context.others:
        numbers = {name: maximum(x, other[name]) for name, x in numbers.items()}
    return given.to(given.kind, **numbers)


# --- Theorem 5 of Dwork: adaptive strategies whose answers all get Laplace noise -----------------
# For a strategy F = {f_rho : D -> R^d} with noise of scale sigma on every answer, the mechanism
# K_F is (Delta F / sigma)-differentially private, Delta F = sup_rho max_{D1 ~ D2} ||f_rho(D1) -
# f_rho(D2)||_1. Proof: the density of a transcript is exp(-||f_rho(X) - rho||_1 / sigma) / (2
# sigma)^d, by equations 5 to 7, and the triangle inequality bounds the ratio of two such
# densities; integrate over any event.
#
# Differs: Dwork's transcripts lie in (R^+)^d, but noisy answers can be negative; sigma is the
# scale, the variance is 2 sigma^2. The bound is attained by every strategy that asks the same
# queries whatever it is told, and need not be by others: where X is asked again only after an
# answer between 2/5 and 3/5, Delta F / sigma = 2 but the exact epsilon is 6/5.

KIND = register(
    Kind(
        "laplace-strategy",
        ("ratio",),
        "Laplace noise of scale Delta F/epsilon on every answer of an adaptive query strategy",
        "Dwork, Theorem 5",
    )
)


restate(
    "dw-5: laplace-strategy => dp",
    "Dwork, Theorem 5",
    "Laplace noise of scale Delta F/epsilon on every answer of a strategy is epsilon-DP.",
    printed="(Delta F/sigma)-differential privacy, for F = {f_rho : D -> (R^+)^d}",
    corrected="transcripts in R^d; Delta F is the L1 sensitivity of the whole vector of answers, "
    "neither the largest nor the sum of those of the single queries",
    tight="attained where the queries do not depend on answers; smaller for some that do: 6/5 in "
    "place of 2, if X is asked again only after an answer between 2/5 and 3/5",
    erratum="exp(-|x|/sigma) has variance 2 sigma^2, not sigma^2, and reported answers can be "
    "negative",
)


def strategy_guarantee(
    mechanism: Interaction, *, neighbours: Any = None, group: int = 1
) -> Guarantee:
    """Return what Theorem 5 starts from, for a strategy with noise: its Delta F in units of noise.

    A randomized adversary gets the largest number over its coins. Geometric noise, the integer
    form of Laplace noise, counts as well.

    >>> from twoworlds import mechanism
    >>> both = mechanism("batch(count, count, noise=laplace(scale=4), universe=bits(3))")
    >>> print(strategy_guarantee(both).implies("dp").best)
    dp(epsilon=0.5)
    """
    _, relation = resolve(mechanism.universe, neighbours)
    ratio = mechanism.bound(neighbours=neighbours, group=group)
    return Guarantee.of("laplace-strategy", ratio=ratio, neighbours=relation, group=group)
