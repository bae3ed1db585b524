r"""How far two laws are apart: indistinguishability, its point-wise form, statistical difference.

For two laws X, Y on one set of outputs and a = e^epsilon (Kasiviswanathan & Smith):

    ratio                 the smallest a with P(X in S) <= a P(Y in S), and the reverse, for all S
    delta(a)              the smallest delta of Definition 3.1 (both directions)
    pointwise(a)          the mass of {s : P(X=s) > a P(Y=s) or P(Y=s) > a P(X=s)} under each law
                          (Definition 3.2; the larger of the two is its delta)
    statistical difference  max_S |P(X in S) - P(Y in S)| = delta(1)   (Section 1.1)

`TwoLaws` answers for two given laws; `PointwiseIndistinguishability` takes the worst pair of
neighbours of a mechanism.

Privacy by statistical difference: a definition that sounds right and protects nobody.

A mechanism satisfies it with epsilon_SD if for all neighbours and events
P(E | x) <= P(E | y) + epsilon_SD (Kasiviswanathan & Smith, equation 3). The tight value is the
largest total variation between neighbours, the gap at ratio 1. `random-index` satisfies it with
1/n and still publishes somebody's record in the clear (Remark 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from twoworlds.definitions.base import Compared, Given, RatioAndDelta, read_delta
from twoworlds.definitions.verdict import Verdict, Witness
from twoworlds.definitions.words import (
    Subject,
    digits_apart,
    event_exceeds,
    odds_sentences,
    percent,
)
from twoworlds.errors import InvalidInput, NotStochastic
from twoworlds.laws.comparison import between, larger
from twoworlds.mechanisms import Comparison, Either, Event, Mechanism
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    at_most_one,
    compare,
    decimal,
    exact_text,
    ln,
    maximum,
    number,
    ratio_at_least_one,
    show,
)
from twoworlds.worlds import Point


class BadMass(NamedTuple):
    """The mass of the outputs where the ratio is exceeded, under each law."""

    first: Number
    second: Number

    @property
    def worst(self) -> Number:
        """The larger of the two: the delta of the point-wise definition."""
        return maximum(self.first, self.second)


class TwoLaws:
    """Two laws on one set of outputs, compared exactly.

    >>> two = TwoLaws({"a": "1/2", "b": "3/10", "c": "1/5"}, {"a": "2/5", "b": "7/20", "c": "1/4"})
    >>> two.ratio, two.delta(1)
    (Fraction(5, 4), Fraction(1, 10))
    """

    def __init__(self, first: Mapping[Point, object], second: Mapping[Point, object]) -> None:
        self._laws = _law(first, "first"), _law(second, "second")
        self._forward = between(*self._laws)
        self._backward = self._forward.reverse()

    @property
    def ratio(self) -> Number:
        """The smallest ratio that holds in both directions with delta = 0."""
        return maximum(self._forward.peak().ratio, self._backward.peak().ratio)

    @property
    def epsilon(self) -> Number:
        """The logarithm of the ratio."""
        return ln(self.ratio)

    def delta(self, ratio: object) -> Number:
        """Return the smallest delta that holds in both directions at a ratio."""
        a = ratio_at_least_one(ratio)
        return maximum(self._forward.gap(a).delta, self._backward.gap(a).delta)

    def event(self, ratio: object) -> Event:
        """Return the event that attains delta."""
        a = ratio_at_least_one(ratio)
        forward, backward = self._forward.gap(a), self._backward.gap(a)
        return backward.event if larger(backward.delta, forward.delta) else forward.event

    def ratio_for(self, delta: object) -> Number:
        """Return the smallest ratio that holds in both directions with a delta."""
        d = read_delta(delta)
        return maximum(self._forward.ratio_for(d), self._backward.ratio_for(d))

    @property
    def statistical_difference(self) -> Number:
        """The largest difference in the probability of any event."""
        return self._forward.gap(Fraction(1)).delta

    def pointwise(self, ratio: object) -> BadMass:
        """Return the mass, under each law, of the outputs that exceed the ratio either way."""
        a = ratio_at_least_one(ratio)
        events = (self._forward.gap(a).event, self._backward.gap(a).event)
        masses = (
            sum((m for o, m in law.items() if any(e.holds(o) for e in events)), start=Fraction(0))
            for law in self._laws
        )
        return BadMass(*masses)


@dataclass(frozen=True, init=False)
class PointwiseIndistinguishability(RatioAndDelta):
    """Point-wise (epsilon, delta)-indistinguishability of all neighbours.

    Kasiviswanathan & Smith, Definition 3.2: with probability at least 1 - delta over an output
    drawn from either world, its two probabilities are within a factor e^epsilon.

    >>> from twoworlds import measure
    >>> measure("geometric(ratio=2)", definition=PointwiseIndistinguishability()).epsilon
    Real(ln 2)
    """

    name = "point-wise indistinguishability"

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the bad mass at the ratio given; without one, the ratio at which it vanishes."""
        setting = self.setting(mechanism)
        family = setting.mechanism.family(setting.relation, self.group)
        ratio = family.peak()[1].ratio if self.ratio is None else self.ratio
        best: tuple[Comparison, Event, BadMass] | None = None
        for comparison in setting.mechanism.comparisons(setting.relation, self.group):
            event, bad = _bad(setting.mechanism, comparison, ratio)
            if best is None or compare(bad.worst, best[2].worst) is Order.GREATER:
                best = comparison, event, bad
        assert best is not None
        comparison, event, bad = best
        return self.guessed(
            mechanism,
            setting,
            family,
            {
                "ratio": ratio,
                "epsilon": ln(ratio),
                "delta": bad.worst,
                "mass_under_first": bad.first,
                "mass_under_second": bad.second,
            },
            (_meaning(setting.subject, ratio, bad.worst),),
            witness=Witness.of(setting.mechanism, (comparison.x, comparison.y), event),
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the bad mass stays within delta under both laws."""
        if self.ratio is None:
            raise InvalidInput("pointwise has no numbers to check: give ratio= or epsilon=")
        found = self.tightest(mechanism)
        numbers = f"ratio={exact_text(self.ratio)}, delta={exact_text(self.delta)}"
        claim = f"pointwise({numbers}{self.beside})"
        broken = _exceeded(self.ratio, found.delta, self.delta)
        return found.against(claim, found.delta, self.delta, broken=broken)


def _meaning(subject: Subject, ratio: Number, delta: Number) -> str:
    """Say how often the ratio is kept; an infinite one is always kept, so what it costs is said."""
    if ratio == INFINITY:
        return " ".join(odds_sentences(subject, ratio, delta))
    if compare(delta, 1, limit=64) is Order.EQUAL:
        return (
            f"Nothing is promised: some world has only outputs that are {_more_than(ratio)} in one "
            "world than in the other."
        )
    times = (
        "equally likely in both worlds"
        if ratio == 1
        else f"at most {decimal(ratio, 4)} times likelier in one world than in the other"
    )
    if delta == 0:
        return f"Whichever world is true, the output is {times}."
    return (
        f"With probability at least {decimal(1 - delta, 4, 'down')}, whichever world is true, the "
        f"output is {times}."
    )


def _exceeded(ratio: Number, delta: Number, claimed: Number) -> str | None:
    """Say that outputs beyond the ratio occur more often than claimed."""
    if ratio == INFINITY:
        return None
    digits = digits_apart(delta, claimed, 4)
    return (
        f"In some world the output is, with probability {decimal(delta, digits, 'at least')}, "
        f"{_more_than(ratio)} in one world than in the other; the claim allows at most "
        f"{decimal(claimed, digits)}."
    )


def _more_than(ratio: Number) -> str:
    return "likelier" if ratio == 1 else f"more than {decimal(ratio, 4, 'down')} times likelier"


def _bad(mechanism: Mechanism, comparison: Comparison, ratio: Number) -> tuple[Event, BadMass]:
    """Return the event that either direction is exceeded, and its mass in both worlds."""
    forward, backward = (c.gap(ratio).event for c in (comparison, comparison.reverse()))
    first, second = (
        mechanism.mass(forward, x) + mechanism.mass(backward, x)
        for x in (comparison.x, comparison.y)
    )
    return Either(forward, backward), BadMass(first, second)


def _law(given: Mapping[Point, object], which: str) -> dict[Point, Number]:
    law = {o: number(value, f"P({o})") for o, value in given.items()}
    for o, value in law.items():
        if value < 0:
            raise NotStochastic(f"P({o}) = {show(value)} in the {which} law is negative")
    total = sum(law.values(), start=Fraction(0))
    if compare(total, 1) in (Order.LESS, Order.GREATER):
        raise NotStochastic(f"the {which} law sums to {show(total)}, it must sum to 1")
    return law


_NEAR = 256


@dataclass(frozen=True, kw_only=True)
class StatisticalDifference(Compared):
    """Every event's probability changes by at most epsilon between neighbours.

    >>> from twoworlds import mechanism
    >>> StatisticalDifference().tightest(mechanism("random-index(records=4, values=3)")).epsilon
    Fraction(1, 4)
    """

    epsilon: Given[Number | None] = Given(read_delta)

    name = "statistical difference"
    call = "statistical-difference"
    numbers = ("epsilon",)
    unclaimed = "statistical-difference has no number to check: give epsilon="

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the largest statistical difference between neighbours, with its event."""
        setting = self.setting(mechanism)
        family = setting.mechanism.family(setting.relation, self.group)
        comparison, gap = family.gap(Fraction(1))
        difference = at_most_one(gap.delta)
        exposed = family.gap(INFINITY)[1].delta
        notes: tuple[str, ...] = ()
        if exposed != 0:
            notes = (
                f"with probability {show(exposed)} the output is impossible in the other world: "
                "this definition does not see it, differential privacy does",
            )
        return self.guessed(
            mechanism,
            setting,
            family,
            {"epsilon": difference},
            (_sentence(difference, setting.subject.who),),
            witness=Witness.of(setting.mechanism, (comparison.x, comparison.y), gap.event),
            notes=notes,
        )

    def broken(self, mechanism: Mechanism, found: Verdict, claimed: Number) -> str:
        """Say which change of an event exceeds the claim."""
        return event_exceeds(found.epsilon, claimed, self.setting(mechanism).subject.who)


def _sentence(difference: Number, who: str) -> str:
    if compare(difference, 1, limit=_NEAR) is not Order.LESS:
        return (
            f"Nothing is promised: an event may be certain in one world and impossible, or next to "
            f"impossible, in the other, through {who}."
        )
    return (
        f"No event becomes more than {percent(difference)} (in absolute terms) likelier or rarer "
        f"through {who}. That alone does not rule out that an output is possible in one world only."
    )
