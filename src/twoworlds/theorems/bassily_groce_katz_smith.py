r"""What implies what in Bassily, Groce, Katz & Smith: simulation, inference, Pufferfish.

Simulation form (Bassily, Groce, Katz & Smith, Section II-A, after Gehrke, Lui & Pass): there is a
simulator with F(x) ~ Sim(x_-i) for all databases x and persons i. It is distributional differential
privacy (Definition 3) for all beliefs, or for all beliefs that are certain of the database.

    (epsilon, delta)-DP          =>  simulation with the same numbers, if the place is known
    (epsilon, delta)-simulation  =>  (2 epsilon, (1 + e^epsilon) delta)-DP

Print calls the two forms equivalent; the numbers are not. Both lines are tight: randomized response
that keeps a bit with probability 3/4 has e^epsilon = 3, but can be simulated at e^epsilon = 2.

The first line is argued by "insert an arbitrary entry into x_-i", which needs its place. The
simulator knows it, or does not need it, if

    it is told whose record is missing                     (tagged)
    the release does not depend on the order of records    (symmetric): any place will do
    neighbours differ by a record added or removed         Sim(x_-i) = F(x_-i)
    there are one or two records                           Sim() = F(v), Sim(b) = F(b, b)

Else it may fail, from three records on: 101 without its first record is 010 without its last, and
these two databases differ in every record. `twoworlds.theorems.bassily_groce_katz_smith`
computes what that costs.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from twoworlds.errors import Unsupported
from twoworlds.numbers import Number, Order, maximum, sqrt
from twoworlds.theorems.common import (
    at_most,
    combined,
    finite,
    known_records,
    needs,
    one_person,
    settled,
    strictly_below,
)
from twoworlds.theorems.formulas import (
    inference_delta,
    order,
    pufferfish_failure,
    there_and_back,
)
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import (
    THEOREMS,
    Check,
    Context,
    Hypothesis,
    keep,
    restate,
    theorem,
)
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE

_PAPER = "Bassily, Groce, Katz & Smith"


def place_is_known(given: Guarantee, context: Context) -> Check:
    """Check that the simulator can put a record where one is missing, or need not."""
    name = "a record can be put where one is missing"
    known = {
        "neighbours differ by a record that is added or removed": given.neighbours == ADD_REMOVE,
        "the simulator is told whose record is missing": context.tagged,
        "the release does not depend on the order of records": context.symmetric,
        f"there are few enough records: {given.records}": (given.records or 3) <= 2,
    }
    reason = next((reason for reason, holds in known.items() if holds), None)
    if reason is not None:
        return Check(name, ok=True, text=f"{name}: {reason}")
    way_out = (
        "give symmetric=yes if the release does not depend on the order of records, or tagged=yes "
        "for simulators that are told whose record is missing"
    )
    return Check(name, ok=False, text=f"needs that {name}: {way_out}", missing=True)


@theorem(
    "bgks-dp-simulation: dp => simulation",
    f"{_PAPER}, Section II-A",
    hypotheses=(one_person, place_is_known),
    printed="insert an arbitrary entry into x_-i, and run F",
    printed_false=True,
    corrected="if the place of the missing entry is known, or does not matter",
    tight="the same numbers; approached by randomized response on ever more values, whose best "
    "simulator says each value equally often",
    tightness="tight",
    erratum="false for ordered records, from three on, if the simulator is not told whose is "
    "missing: randomized response on three bits with odds 3 needs delta 9/128 at e^epsilon = 3, "
    'since 101 and 010 without a record may both be 01. Printed "F(x) ~ F(x) for all x, y": one of '
    "the two is F(y)",
)
def dp_implies_simulation(given: Guarantee, context: Context) -> Guarantee:
    """Differential privacy can be simulated: put any value in the place of the person left out.

    If neighbours differ by a record that is added or removed, run F without the person.
    """
    return given.to("simulation", **given.numbers, neighbours=context.neighbours or SUBSTITUTE)


@theorem(
    "bgks-simulation-dp: simulation => dp",
    f"{_PAPER}, Section II-A",
    hypotheses=(finite,),
    printed="F(x) ~ Sim(x_-i) = Sim(y_-i) ~ F(y)",
    tight="(2 epsilon, (1 + e^epsilon) delta): one record that sounds an alarm with probability "
    "(1 + e^epsilon) delta for one value, never for another",
    tightness="tight",
    erratum="called equivalent in print: both steps cost epsilon, so that epsilon is doubled",
)
def simulation_implies_dp(given: Guarantee, _context: Context) -> Guarantee:
    """A simulator stands between two neighbours: (2 epsilon, (1 + e^epsilon) delta)-DP."""
    ratio, delta = there_and_back(given.ratio, given.delta)
    return given.to("dp", ratio=ratio, delta=delta, neighbours=SUBSTITUTE)


restate(
    "bgks-simulation-ddp: simulation => ddp",
    f"{_PAPER}, Section II-B",
    "What can be simulated for every database can be for every class of beliefs.",
    printed="taking Delta to be the set of all distributions gives differential privacy",
    erratum="true of Definition 3, up to (2 epsilon, (1 + e^epsilon) delta); Definition 2 with all "
    "point distributions says nothing at all: publishing the database satisfies it with (0, 0)",
)


def _one_pair_each(given: Guarantee, _context: Context, *, kind: str) -> Guarantee:
    return given.to(kind, **given.numbers, records=None, pairs=given.records)


for _form, _statement in (
    ("", "Distributional privacy is coupled worlds with one pair for each person."),
    ("inference-", "The inference-based forms are cases of one another, too."),
):
    theorem(
        f"bgks-{_form}ddp-coupled-worlds: {_form}ddp => {_form}coupled-worlds",
        f"{_PAPER}, Section II-C",
        _statement,
        tightness="tight",
        auxiliary=True,
    )(partial(_one_pair_each, kind=f"{_form}coupled-worlds"))


restate(
    "bgks-independent-ddp: independent-ddp => ddp",
    f"{_PAPER}, Definition 3",
    "Beliefs that hold records independent are beliefs.",
    auxiliary=True,
)
restate(
    "bgks-noiseless-pufferfish: noiseless => pufferfish",
    f"{_PAPER}, Section II-E",
    "Noiseless privacy is Pufferfish: the secrets are one value of a record against another.",
    auxiliary=True,
)


# --- Theorems 1 and 2 of Bassily, Groce, Katz & Smith, corrected: what an attacker concludes -----
# Let F be (epsilon, delta)-private with coupled worlds, a = e^epsilon, and g the number of pairs
# (alt, priv). Given (t, z) = (F(X), Z), compare the laws of priv(X) given F(X) = t and z (real)
# and given Sim(alt(X)) = t and z (ideal). For every d in (0, 1] they are, for all pairs,
#
#     (2 epsilon, d)-indistinguishable, but for (t, z) of probability g delta (1 + a (1 - d)) / d
#
# The definitions use one delta for d and for this failure: the best choice makes them equal,
#
#     delta'^2 = g delta (1 + a (1 - delta'))
#
# Print has (3 epsilon, 2 sqrt(g delta)) for both numbers. With d = 2 sqrt(g delta) the bound above
# is at most d if a (1 - d) <= 3: there print is true, so for every a <= 3. It is false for a > 4,
# by outputs that deny one value each (`coupled_limits`).
#
# Proof, for one pair; several add up. Let P, Q be the laws of (priv(X), (t, z)) in the two worlds;
# each exceeds a times the other by at most delta, since this holds given priv(X) and z. The rest is
# the proof of the Conditioning Lemma (kasiviswanathan_smith/lemmas.py), with (t, z) for t: merging
# the values of priv(X) into an event and its opposite never adds to an excess. A (t, z) that is
# impossible in the ideal world counts as a failure here as well.


def _known_pairs_unless_pure(given: Guarantee, _context: Context) -> Check:
    if given.delta == 0:
        return Check("delta = 0", ok=True, text="delta = 0: no output fails, for any pair")
    if given.kind == "ddp":
        name = "the number of persons, or a bound for it"
        return needs(name, known=given.records, how="records=")
    return needs("the number of pairs (alt, priv)", known=given.pairs, how="pairs=")


def _printed(given: Guarantee, _context: Context, *, kind: str) -> Guarantee | None:
    claimed = 2 * sqrt(given.delta * Fraction(given.count or 1))
    allowed = at_most("2 sqrt(delta g) <= epsilon e^epsilon", claimed, given.epsilon * given.ratio)
    return given.to(kind, ratio=given.ratio**3, delta=claimed) if allowed.ok else None


def implies_inference(given: Guarantee, _context: Context, *, kind: str) -> Guarantee:
    """Return (2 epsilon, d) about what is concluded, with d = failure (Theorems 1 and 2)."""
    delta = inference_delta(given.ratio, given.delta, given.count or 1)
    return given.to(kind, ratio=given.ratio**2, delta=delta)


for _premise, _place, _counted, _name in (
    ("ddp", "Theorem 1", "records", "Distributional privacy"),
    ("coupled-worlds", "Theorem 2 with Lemma 1", "pairs (alt, priv)", "Coupled worlds"),
):
    theorem(
        f"bgks-{_place.split()[1]}: {_premise} => inference-{_premise}",
        f"{_PAPER}, {_place}, corrected and sharper",
        f"{_name} bounds what is concluded: (2 epsilon, d), with d = failure.",
        hypotheses=(finite, _known_pairs_unless_pure),
        printed="(epsilon, delta) implies (3 epsilon, 2 sqrt(delta g)) if 2 sqrt(delta g) <= "
        f"epsilon e^epsilon, g the number of {_counted}",
        printed_rule=partial(_printed, kind=f"inference-{_premise}"),
        printed_false=True,
        corrected="(2 epsilon, d) but for probability g delta (1 + e^epsilon (1 - d))/d, for every "
        "d; the best d makes both equal. As printed it is true if e^epsilon (1 - 2 sqrt(delta g)) "
        "<= 3, so for every e^epsilon <= 3",
        tight="for delta = 0, 2 epsilon is approached",
        tightness="proved",
        erratum="false for e^epsilon > 4: one record with 10 values, e^epsilon = 5 and delta = "
        "0.002401 fails with probability 0.108045, where 0.098 is printed",
    )(partial(implies_inference, kind=f"inference-{_premise}"))


# --- Pufferfish and noiseless privacy: Theorems 7, 16, 17 and Corollaries 1, 2 -------------------
# Bassily, Groce, Katz & Smith compare their definition, which sets the release against a
# simulator, with definitions that set one value of a secret against another (a = e^epsilon
# throughout):
#
#     coupled worlds  ->  Pufferfish            if the simulator's own output hides the secret
#     ddp             ->  noiseless             likewise; or if records are independent given Z
#     Pufferfish      ->  its inference form    if every secret is 0 or 1
#
# How well the simulator hides the secret is itself a Pufferfish guarantee: that of the release
# which runs Sim on alt(X). `through_simulator` takes it as a second guarantee.

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


def _through(given: Guarantee, context: Context, *, kind: str) -> Guarantee:
    (other,) = context.others
    a, b = given.ratio, other.ratio
    delta = given.delta * (1 + a * b) + other.delta * a
    return given.to(kind, ratio=a**2 * b, delta=delta)


for _premise, _kind, _place, _hidden, _tight in (
    (
        "coupled-worlds",
        "pufferfish",
        "Theorem 16",
        "a secret",
        "attained on an event of probability 0 for one value of the secret, delta and "
        "delta e^epsilon1 + delta1 in the simulations",
    ),
    ("ddp", "noiseless", "Corollary 1", "every record", "as Theorem 16"),
):
    _rule = partial(_through, kind=_kind)
    theorem(
        f"{_THROUGH[_premise]}: {_premise} => {_kind}",
        f"{_PAPER}, {_place}",
        f"If the simulator's output hides {_hidden}, the release does: two steps more.",
        hypotheses=(finite, _simulator_hides(_kind)),
        printed="(2 epsilon + epsilon1, delta (1 + e^(epsilon + epsilon1)) + delta1 e^epsilon)",
        printed_rule=_rule,
        tight=_tight,
        tightness="tight",
    )(_rule)


@theorem(
    "bgks-corollary-2: independent-ddp => noiseless",
    f"{_PAPER}, Corollary 2, and Theorem 17, which applies it to sums and estimators",
    hypotheses=(finite,),
    printed="(2 epsilon, delta (1 + e^epsilon)) if records are independent given side information",
    printed_rule=lambda given, _context: _independent(given),
    tight="(2 epsilon, delta (1 + e^epsilon)): e^epsilon = 3/2 and delta = 1/50 attain 1/20",
    tightness="tight",
    erratum='true; "Section 4" means Section III; for epsilon = 0, as in Theorem 13, it reads '
    "(0, 2 delta)",
)
def independent_ddp_implies_noiseless(given: Guarantee, _context: Context) -> Guarantee:
    """If records are independent given Z, the simulator cannot know the one it lacks."""
    return _independent(given)


def _independent(given: Guarantee) -> Guarantee:
    ratio, delta = there_and_back(given.ratio, given.delta)
    return given.to("noiseless", ratio=ratio, delta=delta)


def _decided(_given: Guarantee, context: Context) -> Check:
    name = "every secret is 0 or 1, never undecided"
    if context.decided is None:
        return needs(f"that {name}", known=None, how="decided=yes")
    return settled(name, f"that {name}", ok=context.decided)


def _printed_7(given: Guarantee, _context: Context) -> Guarantee | None:
    claimed = 2 * sqrt(given.delta)
    if order(claimed, given.epsilon * given.ratio) is not Order.LESS:
        return None
    return given.to("inference-pufferfish", ratio=given.ratio**3, delta=claimed)


@theorem(
    "bgks-7: pufferfish => inference-pufferfish",
    f"{_PAPER}, Theorem 7",
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
    "bgks-7-sharper: pufferfish => inference-pufferfish",
    f"twoworlds, sharper in delta than {_PAPER}, Theorem 7",
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
    "noiseless-inference: noiseless => inference-ddp",
    f"twoworlds, from {_PAPER}, Definitions 2 and 6",
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


_SIMULATED = "ddp or independent-ddp or coupled-worlds or simulation"


def less_side_information(guarantee: Guarantee) -> Guarantee:
    """Return what holds for attackers who know f(Z) only, f any random function (Theorem 5).

    >>> print(less_side_information(Guarantee.parse("ddp(ratio=3/2, delta=1/4)")))
    ddp(ratio=1.5, delta=0.25)
    """
    return combined("bgks-5", guarantee)


def with_mixtures(guarantee: Guarantee) -> Guarantee:
    """Return what holds for all mixtures of the beliefs, with the same simulator (Theorem 4)."""
    return combined("bgks-4", guarantee)


def compose_coupled(first: Guarantee, second: Guarantee) -> Guarantee:
    r"""Return what holds when F(X) and G(X) are both published (Theorem 6).

    Args:
        first: of F, for attackers who also know Sim_G(alt(X)).
        second: of G, with the simulator Sim_G, for attackers who also know F(X).

    >>> one = Guarantee.parse("coupled-worlds(ratio=6/5, delta=11/60)")
    >>> compose_coupled(one, one).delta
    Fraction(121, 300)
    """
    return combined("bgks-6", first, second)


_CLASSES = "ddp or coupled-worlds or simulation"
for _number, _premises, _statement, _erratum in (
    (
        3,
        f"{_SIMULATED} or noiseless or pufferfish",
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
        f"bgks-{_number}: {_premises} => coupled-worlds",
        f"{_PAPER}, Theorem {_number}",
        _statement,
        erratum=_erratum,
    )


def _two_of_a_kind(given: Guarantee, context: Context) -> Check:
    name = "two guarantees of one kind"
    alike = [other for other in context.others if other.kind == given.kind]
    if len(alike) != 1 or len(context.others) != 1:
        return settled(name, ok=False)
    other = finite(alike[0], context)
    return settled(name, ok=True) if other.ok else other


@theorem(
    "bgks-6: ddp or coupled-worlds => coupled-worlds",
    f"{_PAPER}, Theorem 6",
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
