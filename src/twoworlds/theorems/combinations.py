r"""Guarantees of mechanisms made from others: post-processing, composition, mixing, strategies.

These speak of a new mechanism, so the search for implications leaves them alone; call them.

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
from twoworlds.numbers import Number, maximum
from twoworlds.theorems.common import pure, substitution
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.kinds import Kind, kind_of, register
from twoworlds.theorems.statements import (
    THEOREMS,
    Check,
    Context,
    Found,
    keep,
    non_implication,
    theorem,
)
from twoworlds.worlds import resolve

_CLOSED = ("dp", "indistinguishable", "statistical-difference", "rdp", "zcdp", "gdp")
_COMPOSITIONS = {kind: f"{kind}-composition" for kind in ("rdp", "zcdp", "gdp")}


def post_process(guarantee: Guarantee) -> Guarantee:
    """Return what holds after any randomized map of the output that does not see the data.

    >>> print(post_process(Guarantee.parse("dp(epsilon=0.1)")))
    dp(epsilon=0.1)
    """
    names = ("post-processing-semantic", "bgks-3")
    found = (name for name in names if guarantee.kind in THEOREMS[name].premises)
    return _combined(next(found, "post-processing"), guarantee)


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
    return _combined(_COMPOSITIONS.get(kind, "basic-composition"), *guarantees)


def mix(*guarantees: Guarantee) -> Guarantee:
    """Return what holds when one of the mechanisms is run, chosen at random, by a hidden coin.

    >>> print(mix(Guarantee.parse("dp(ratio=2)"), Guarantee.parse("dp(ratio=3)")))
    dp(ratio=3)
    """
    return _combined("mixing", *guarantees)


def _combined(name: str, *guarantees: Guarantee) -> Guarantee:
    if not guarantees:
        raise InvalidInput("there is nothing to combine: give at least one guarantee")
    statement = THEOREMS[name]
    for one in guarantees:
        if one.kind not in statement.premises:
            known = ", ".join(statement.premises)
            raise Unsupported(f"{statement.name} is known for {known}; not for {one.kind}")
    first, *others = guarantees
    return statement.conclude(first, Context(first.kind, others=tuple(others)))


def same_setting(given: Guarantee, context: Context) -> Check:
    """Check that all premises are of one kind and setting, and of one order."""
    name = "all guarantees have the same kind, neighbours and group"
    own = _setting(given)
    for other in context.others:
        if _setting(other) != own:
            return Check(name, ok=False, text=f"needs the same setting: {given} and {other} differ")
    return Check(name, ok=True, text=name)


def _setting(given: Guarantee) -> tuple[object, ...]:
    fixed = (given[name] for name in kind_of(given.kind).fixed)
    return given.kind, given.neighbours, given.group, *fixed


keep(
    "post-processing",
    _CLOSED,
    "Lin & Kifer, Axiom 4.1",
    "A randomized map of the output keeps the numbers of hockey-stick definitions.",
    conclusion="dp",
)


@theorem(
    "post-processing-semantic",
    premises=["semantic"],
    conclusion="semantic",
    citation="twoworlds, through Kasiviswanathan & Smith, Theorem 2.2, both ways",
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
    "semantic-and-post-processing",
    premises=["semantic"],
    conclusion="semantic",
    citation="twoworlds, found here",
)
def semantic_and_post_processing(_given: Guarantee, _context: Context) -> Found | None:
    """Semantic privacy is not closed under post-processing: the parity of a noisy database."""
    return None  # it refutes a closure property, no implication between kinds


def _complement(deltas: Sequence[Number]) -> Number:
    """Return 1 - product of (1 - delta_i), exact where the deltas are."""
    return 1 - prod((1 - delta for delta in deltas), start=Fraction(1))


@theorem(
    "basic-composition",
    premises=["dp"],
    conclusion="dp",
    citation="twoworlds, basic composition (proof in the docstring)",
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
    "mixing",
    premises=_CLOSED,
    conclusion="dp",
    citation="Lin & Kifer, Axiom 4.2",
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


@theorem(
    "dw-5",
    premises=["laplace-strategy"],
    conclusion="dp",
    citation="Dwork, Theorem 5",
    printed="(Delta F/sigma)-differential privacy, for F = {f_rho : D -> (R^+)^d}",
    corrected="transcripts in R^d; Delta F is the L1 sensitivity of the whole vector of answers, "
    "neither the largest nor the sum of those of the single queries",
    tight="attained where the queries do not depend on answers; smaller for some that do: 6/5 in "
    "place of 2, if X is asked again only after an answer between 2/5 and 3/5",
    tightness="tight",
    erratum="exp(-|x|/sigma) has variance 2 sigma^2, not sigma^2, and reported answers can be "
    "negative",
)
def adaptive_laplace(given: Guarantee, _context: Context) -> Guarantee:
    """Laplace noise of scale Delta F/epsilon on every answer of a strategy is epsilon-DP."""
    return given.to("dp", ratio=given.ratio)


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
