r"""Theorems 3 to 6 of Bassily, Groce, Katz & Smith as rules for the numbers of guarantees.

They speak of another release or another class of beliefs, so the search for implications leaves
them alone; call them. `twoworlds.definitions.coupled.operations` does the same with the releases,
simulators and beliefs themselves, and computes both the bound and the exact delta.

Noiseless privacy and Pufferfish are kept under post-processing only. With less side information, or
under a mixture of beliefs, they may be lost: the sign of five records that follow a hidden sign
with probability 9/10 has delta 243/5000 at epsilon = 0 if that sign is known, 4019/5000 if not.
"""

from __future__ import annotations

from twoworlds.errors import Unsupported
from twoworlds.numbers import maximum
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import finite
from twoworlds.theorems.non_implications import Found, non_implication
from twoworlds.theorems.statements import THEOREMS, Check, Context, theorem

__all__ = ["compose_coupled", "less_side_information", "with_mixtures"]

_PAPER = "Bassily, Groce, Katz & Smith"
_SIMULATED = ("ddp", "independent-ddp", "coupled-worlds", "simulation")


def less_side_information(guarantee: Guarantee) -> Guarantee:
    """Return what holds for attackers who know f(Z) only, f any random function (Theorem 5).

    >>> print(less_side_information(Guarantee.parse("ddp(ratio=3/2, delta=1/4)")))
    ddp(ratio=1.5, delta=0.25)

    Raises:
        Unsupported: for noiseless privacy and Pufferfish, which may be lost.
    """
    return _kept("bgks-5", guarantee)


def with_mixtures(guarantee: Guarantee) -> Guarantee:
    """Return what holds for all mixtures of the beliefs, with the same simulator (Theorem 4).

    Raises:
        Unsupported: for noiseless privacy and Pufferfish, which may be lost.
    """
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


@theorem(
    "bgks-3",
    premises=(*_SIMULATED, "noiseless", "pufferfish"),
    conclusion="coupled-worlds",
    citation=f"{_PAPER}, Theorem 3",
    tightness="tight",
    combines=True,
)
def post_processing_coupled(given: Guarantee, _context: Context) -> Guarantee:
    """A random map of the output keeps the numbers; the simulator applies it, too."""
    return given.to(given.kind, **given.numbers)


@theorem(
    "bgks-4",
    premises=("ddp", "coupled-worlds", "simulation"),
    conclusion="coupled-worlds",
    citation=f"{_PAPER}, Theorem 4",
    tightness="tight",
    erratum="true; the introduction's version, private under D and under D', needs one simulator "
    "for both",
    combines=True,
)
def mixtures_of_beliefs(given: Guarantee, _context: Context) -> Guarantee:
    """All mixtures of the beliefs of a class are covered, with the same numbers."""
    return given.to(given.kind, **given.numbers)


@theorem(
    "bgks-5",
    premises=("ddp", "coupled-worlds", "simulation"),
    conclusion="coupled-worlds",
    citation=f"{_PAPER}, Theorem 5",
    tightness="tight",
    combines=True,
)
def side_information_may_shrink(given: Guarantee, _context: Context) -> Guarantee:
    """Attackers who know less than assumed are covered, with the same numbers."""
    return given.to(given.kind, **given.numbers)


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
