r"""Pufferfish and noiseless privacy: Theorems 7, 16, 17 and Corollaries 1, 2.

Bassily, Groce, Katz & Smith compare their definition, which sets the release against a simulator,
with definitions that set one value of a secret against another (a = e^epsilon throughout):

    coupled worlds  ->  Pufferfish            if the simulator's own output hides the secret
    ddp             ->  noiseless             likewise; or if records are independent given Z
    Pufferfish      ->  its inference form    if every secret is 0 or 1

How well the simulator hides the secret is itself a Pufferfish guarantee: that of the release which
runs Sim on alt(X). `through_simulator` takes it as a second guarantee.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.errors import Unsupported
from twoworlds.numbers import Number, Order, sqrt
from twoworlds.theorems.bassily_groce_katz_smith.simulation import there_and_back
from twoworlds.theorems.formulas import capped, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import finite, known_records, needs, strictly_below
from twoworlds.theorems.statements import THEOREMS, Check, Context, Hypothesis, theorem

__all__ = ["pufferfish_failure", "through_simulator"]

_PAPER = "Bassily, Groce, Katz & Smith"
_THROUGH = {"coupled-worlds": "bgks-16", "ddp": "bgks-corollary-1"}


def through_simulator(guarantee: Guarantee, simulator: Guarantee) -> Guarantee:
    r"""Return what follows for two values of a secret, when the simulator's output hides it.

    Theorem 16 and Corollary 1: P <= a S + delta, S <= a1 S' + delta1, S' <= a P' + delta give

        (2 epsilon + epsilon1, delta (1 + e^(epsilon + epsilon1)) + delta1 e^epsilon).

    Args:
        guarantee: coupled-worlds or ddp, of the release.
        simulator: pufferfish (for ddp: noiseless), of Sim(alt(X)) with the same simulator, pairs
            and beliefs. Only side information that is possible with both values is compared.

    >>> given = Guarantee.parse("ddp(epsilon=0.2, delta=0.01)")
    >>> print(through_simulator(given, Guarantee.parse("noiseless(epsilon=0.1, delta=0.005)")))
    noiseless(epsilon=0.5, delta=0.02960560187)

    Raises:
        Unsupported: for a guarantee of another kind.
        InvalidInput: for a simulator's guarantee of another kind, and for an infinite epsilon.
    """
    if guarantee.kind not in _THROUGH:
        known = ", ".join(_THROUGH)
        raise Unsupported(f"a simulator belongs to {known}; {guarantee.kind} has none")
    statement = THEOREMS[_THROUGH[guarantee.kind]]
    return statement.conclude(guarantee, Context(statement.conclusion, others=(simulator,)))


def _simulator_hides(kind: str) -> Hypothesis:
    """Return the check that a guarantee of the simulator is given, of this kind and finite."""
    name = f"how well the simulator's output hides the secret, a {kind} guarantee"

    def check(_given: Guarantee, context: Context) -> Check:
        if not context.others:
            return needs(name, known=None, how="it to `twoworlds.theorems.through_simulator`")
        (other,) = context.others
        if other.kind != kind:
            return Check(name, ok=False, text=f"needs {name}: {other} is none")
        bounded = finite(other, context)
        return Check(name, ok=True, text=f"{name}: {other}") if bounded.ok else bounded

    return check


def _through(given: Guarantee, context: Context, kind: str) -> Guarantee:
    (other,) = context.others
    a, b = given.ratio, other.ratio
    delta = given.delta * (1 + a * b) + other.delta * a
    return given.to(kind, ratio=a**2 * b, delta=delta)


@theorem(
    "bgks-16",
    premises=["coupled-worlds"],
    conclusion="pufferfish",
    citation=f"{_PAPER}, Theorem 16",
    hypotheses=(finite, _simulator_hides("pufferfish")),
    printed="(2 epsilon + epsilon1, delta (1 + e^(epsilon + epsilon1)) + delta1 e^epsilon)",
    printed_rule=lambda given, context: _through(given, context, "pufferfish"),
    tight="attained on an event of probability 0 for one value of the secret, delta and "
    "delta e^epsilon1 + delta1 in the simulations",
    tightness="tight",
)
def coupled_worlds_implies_pufferfish(given: Guarantee, context: Context) -> Guarantee:
    """If the simulator's output hides a secret, the release does: two steps more."""
    return _through(given, context, "pufferfish")


@theorem(
    "bgks-corollary-1",
    premises=["ddp"],
    conclusion="noiseless",
    citation=f"{_PAPER}, Corollary 1",
    hypotheses=(finite, _simulator_hides("noiseless")),
    printed="(2 epsilon + epsilon1, delta (1 + e^(epsilon + epsilon1)) + delta1 e^epsilon)",
    printed_rule=lambda given, context: _through(given, context, "noiseless"),
    tight="as Theorem 16",
    tightness="tight",
)
def ddp_implies_noiseless(given: Guarantee, context: Context) -> Guarantee:
    """If the simulator's output hides every record, the release does: two steps more."""
    return _through(given, context, "noiseless")


@theorem(
    "bgks-corollary-2",
    premises=["independent-ddp"],
    conclusion="noiseless",
    citation=f"{_PAPER}, Corollary 2, and Theorem 17, which applies it to sums and estimators",
    hypotheses=(finite,),
    printed="(2 epsilon, delta (1 + e^epsilon)) if records are independent given side information",
    printed_rule=lambda given, _context: _independent(given),
    tight="(2 epsilon, delta (1 + e^epsilon)): e^epsilon = 3/2 and delta = 1/50 attain 1/20",
    tightness="tight",
    erratum='true; "Section 4" means Section III; for epsilon = 0, as in Theorem 13, it reads '
    "(0, 2 delta)",
)
def independent_ddp_implies_noiseless(given: Guarantee, _context: Context) -> Guarantee:
    """If records are independent given Z, the simulator cannot know the one it lacks.

    >>> given = Guarantee.parse("independent-ddp(ratio=3/2, delta=1/50)")
    >>> print(independent_ddp_implies_noiseless(given, Context("noiseless")))
    noiseless(ratio=2.25, delta=0.05)
    """
    return _independent(given)


def _independent(given: Guarantee) -> Guarantee:
    ratio, delta = there_and_back(given.ratio, given.delta)
    return given.to("noiseless", ratio=ratio, delta=delta)


def pufferfish_failure(ratio: Number, delta: Number, wider: Number) -> Number:
    r"""Return how often an output moves the odds of a secret by more than b: a bound.

        delta (1 + 1/b) / (1 - a/b)        for b > a

    Where the ratio p_0/p_1 of the laws given 0 and 1 exceeds b, p_0 - a p_1 >= (1 - a/b) p_0, so
    that this event has at most delta/(1 - a/b) under p_0, and 1/b of that under p_1; likewise the
    other way round. Within b, posterior and prior probabilities of the secret differ by at most b.

    >>> pufferfish_failure(Fraction(2), Fraction(1, 100), Fraction(4))
    Fraction(1, 40)
    """
    return capped(delta * (1 + 1 / wider) / (1 - ratio / wider)) if delta != 0 else Fraction(0)


def _decided(_given: Guarantee, context: Context) -> Check:
    name = "every secret is 0 or 1, never undecided"
    if context.decided is None:
        return needs(f"that {name}", known=None, how="decided=yes")
    return Check(name, context.decided, name if context.decided else f"needs that {name}")


def _printed_7(given: Guarantee, _context: Context) -> Guarantee | None:
    claimed = 2 * sqrt(given.delta)
    if order(claimed, given.epsilon * given.ratio) is not Order.LESS:
        return None
    return given.to("inference-pufferfish", ratio=given.ratio**3, delta=claimed)


@theorem(
    "bgks-7",
    premises=["pufferfish"],
    conclusion="inference-pufferfish",
    citation=f"{_PAPER}, Theorem 7",
    hypotheses=(finite, _decided),
    printed="(3 epsilon, 2 sqrt(delta)) if 2 sqrt(delta) < epsilon e^epsilon",
    printed_rule=_printed_7,
    tightness="proved",
)
def pufferfish_implies_inference(given: Guarantee, _context: Context) -> Guarantee:
    r"""A secret of two values: (epsilon, sqrt(delta)), with no condition on delta.

    Proof: let w_v be the prior, p_v the law of the output given v, p their mixture. The excess of
    the joint law w_v p_v over a times w_v p is at most the sum of w_v w_u H_a(p_v || p_u) over
    u != v, so at most 2 w_0 w_1 delta <= delta/2; the same the other way round. Both joint laws
    give every output t the same probability, so given t the two excesses exceed d with probability
    at most (delta/2 + delta/2)/d, which is d for d = sqrt(delta).

    >>> given = Guarantee.parse("pufferfish(ratio=2, delta=0.01)")
    >>> print(pufferfish_implies_inference(given, Context("inference-pufferfish")))
    inference-pufferfish(ratio=2, delta=0.1)
    """
    return given.to("inference-pufferfish", ratio=given.ratio, delta=sqrt(given.delta))


def _wider(given: Guarantee, context: Context) -> Number:
    wanted = context.aim("inference-pufferfish", "ratio")
    return given.ratio**3 if wanted is None else wanted


def _wider_is_wider(given: Guarantee, context: Context) -> Check:
    if given.delta == 0:
        return Check("delta = 0", ok=True, text="delta = 0: the same epsilon holds")
    return strictly_below("epsilon < the wanted epsilon'", given.ratio, _wider(given, context))


@theorem(
    "bgks-7-sharper",
    premises=["pufferfish"],
    conclusion="inference-pufferfish",
    citation=f"twoworlds, sharper in delta than {_PAPER}, Theorem 7",
    hypotheses=(finite, _decided, _wider_is_wider),
    tight="linear in delta; the inner delta is 0",
    tightness="proved",
)
def pufferfish_implies_inference_sharper(given: Guarantee, context: Context) -> Guarantee:
    """For epsilon' > epsilon: (epsilon', delta (1 + e^-epsilon')/(1 - e^(epsilon - epsilon'))).

    epsilon' is the one aimed at, else 3 epsilon, as printed.
    """
    if given.delta == 0:
        return given.to("inference-pufferfish", ratio=given.ratio)
    wider = _wider(given, context)
    delta = pufferfish_failure(given.ratio, given.delta, wider)
    return given.to("inference-pufferfish", ratio=wider, delta=delta)


@theorem(
    "noiseless-inference",
    premises=["noiseless"],
    conclusion="inference-ddp",
    citation=f"twoworlds, from {_PAPER}, Definitions 2 and 6",
    hypotheses=(finite, known_records),
    tightness="proved",
)
def noiseless_implies_inference(given: Guarantee, _context: Context) -> Guarantee:
    r"""If no record moves the output, nothing is concluded: (epsilon, sqrt(2 n delta)).

    The simulator names an output at random, without looking: the ideal conclusion is the prior. The
    excesses are those of the proof of `pufferfish_implies_inference`, each at most delta, since
    the sum of w_v w_u over u != v is below 1; n persons add up.
    """
    delta = sqrt(2 * given.delta * Fraction(given.records or 1))
    return given.to("inference-ddp", ratio=given.ratio, delta=delta)
