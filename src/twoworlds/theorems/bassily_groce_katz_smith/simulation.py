r"""Simulation and differential privacy, and definitions that are cases of one another.

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
these two databases differ in every record. `twoworlds.theorems.bassily_groce_katz_smith.ordered`
computes what that costs.
"""

from __future__ import annotations

from twoworlds.numbers import Number
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import finite, one_person
from twoworlds.theorems.statements import Check, Context, theorem
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE

__all__ = ["there_and_back"]

_PAPER = "Bassily, Groce, Katz & Smith"


def there_and_back(ratio: Number, delta: Number) -> tuple[Number, Number]:
    """Return the numbers between two laws that are both (epsilon, delta)-close to a third.

    P <= a S + delta and S <= a Q + delta give P <= a^2 Q + (1 + a) delta. Attained on an event with
    Q = 0, S = delta, P = (1 + a) delta.
    """
    return ratio**2, delta * (1 + ratio)


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
    "bgks-dp-simulation",
    premises=["dp"],
    conclusion="simulation",
    citation=f"{_PAPER}, Section II-A",
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
    "bgks-simulation-dp",
    premises=["simulation"],
    conclusion="dp",
    citation=f"{_PAPER}, Section II-A",
    hypotheses=(finite,),
    printed="F(x) ~ Sim(x_-i) = Sim(y_-i) ~ F(y)",
    tight="(2 epsilon, (1 + e^epsilon) delta): one record that sounds an alarm with probability "
    "(1 + e^epsilon) delta for one value, never for another",
    tightness="tight",
    erratum="called equivalent in print: both steps cost epsilon, so that epsilon is doubled",
)
def simulation_implies_dp(given: Guarantee, _context: Context) -> Guarantee:
    """A simulator stands between two neighbours: (2 epsilon, (1 + e^epsilon) delta)-DP.

    >>> given = Guarantee.parse("simulation(ratio=3/2, delta=1/50)")
    >>> print(simulation_implies_dp(given, Context("dp")))
    dp(ratio=2.25, delta=0.05)
    """
    ratio, delta = there_and_back(given.ratio, given.delta)
    return given.to("dp", ratio=ratio, delta=delta, neighbours=SUBSTITUTE)


@theorem(
    "bgks-simulation-ddp",
    premises=["simulation"],
    conclusion="ddp",
    citation=f"{_PAPER}, Section II-B",
    printed="taking Delta to be the set of all distributions gives differential privacy",
    tightness="tight",
    erratum="true of Definition 3, up to (2 epsilon, (1 + e^epsilon) delta); Definition 2 with all "
    "point distributions says nothing at all: publishing the database satisfies it with (0, 0)",
)
def simulation_implies_ddp(given: Guarantee, _context: Context) -> Guarantee:
    """What can be simulated for every database can be for every class of beliefs."""
    return given.to("ddp", **given.numbers)


@theorem(
    "bgks-independent-ddp",
    premises=["independent-ddp"],
    conclusion="ddp",
    citation=f"{_PAPER}, Definition 3",
    tightness="tight",
    auxiliary=True,
)
def independent_is_ddp(given: Guarantee, _context: Context) -> Guarantee:
    """Beliefs that hold records independent are beliefs."""
    return given.to("ddp", **given.numbers)


@theorem(
    "bgks-ddp-coupled-worlds",
    premises=["ddp"],
    conclusion="coupled-worlds",
    citation=f"{_PAPER}, Section II-C",
    tightness="tight",
    auxiliary=True,
)
def ddp_is_coupled_worlds(given: Guarantee, _context: Context) -> Guarantee:
    """Distributional privacy is coupled worlds with one pair for each person."""
    return given.to("coupled-worlds", **given.numbers, records=None, pairs=given.records)


@theorem(
    "bgks-inference-ddp-coupled-worlds",
    premises=["inference-ddp"],
    conclusion="inference-coupled-worlds",
    citation=f"{_PAPER}, Section II-C",
    tightness="tight",
    auxiliary=True,
)
def inference_ddp_is_coupled_worlds(given: Guarantee, _context: Context) -> Guarantee:
    """The inference-based forms are cases of one another, too."""
    return given.to("inference-coupled-worlds", **given.numbers, records=None, pairs=given.records)


@theorem(
    "bgks-noiseless-pufferfish",
    premises=["noiseless"],
    conclusion="pufferfish",
    citation=f"{_PAPER}, Section II-E",
    tightness="tight",
    auxiliary=True,
)
def noiseless_is_pufferfish(given: Guarantee, _context: Context) -> Guarantee:
    """Noiseless privacy is Pufferfish: the secrets are one value of a record against another."""
    return given.to("pufferfish", **given.numbers)
