r"""Differential privacy, exactly.

A mechanism is (epsilon, delta)-differentially private if for all neighbours x, y and all events E

    P(E | x) <= e^epsilon P(E | y) + delta

(Dwork, Definition 2; Kasiviswanathan & Smith, Definitions 1.1 and 1.2; Wu, Definition 2.1). Here
e^epsilon is kept as an exact ratio. The neighbour relation and the group size are parameters: for
groups of c people the exact value stands next to the bound e^(c epsilon) (Dwork, after
Definition 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from twoworlds.definitions.base import RatioAndDelta, Setting, read_delta
from twoworlds.definitions.profile import Profile
from twoworlds.definitions.verdict import Verdict, Witness, apart, left_open, within
from twoworlds.definitions.words import nearest_epsilon, odds_sentences, outweighed
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import Comparison, Event, Family, Gap, Mechanism
from twoworlds.mechanisms.several import Several
from twoworlds.numbers import (
    INFINITY,
    Number,
    at_most_one,
    exact_text,
    ln,
    offered,
    ratio_at_least_one,
    show,
)
from twoworlds.worlds import Point, Universe, pairs, resolve

_LARGEST_BOUND = 1000
_FINER = 100  # times, where two ends do not decide a claim


@dataclass(frozen=True, init=False)
class DifferentialPrivacy(RatioAndDelta):
    """(epsilon, delta)-differential privacy, for a neighbour relation and a group size.

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=40, keep=3/4)")
    >>> DifferentialPrivacy().tightest(survey).ratio
    Fraction(3, 1)
    >>> bool(DifferentialPrivacy(ratio=2, delta="1/4").check(survey))
    True
    """

    name = "differential privacy"

    @property
    def claim(self) -> str:
        """The definition with its numbers, as one would type it."""
        if self.ratio is None:
            return "dp"
        delta = "" if self.delta == 0 else f", delta={exact_text(self.delta)}"
        epsilon = ln(self.ratio)
        rational = isinstance(epsilon, Fraction) and self.ratio != 1
        first = f"epsilon={epsilon}" if rational else f"ratio={exact_text(self.ratio)}"
        return f"dp({first}{delta}{self.beside})"

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the exact ratio that holds with delta = 0, or infinity."""
        setting, family = self._asked(mechanism)
        comparison, peak = family.peak()
        values = {"ratio": peak.ratio, "epsilon": ln(peak.ratio), "delta": Fraction(0)}
        if peak.ratio == INFINITY:
            values["delta"] = at_most_one(family.gap(INFINITY)[1].delta)
        witness = _ratio_witness(setting, comparison, peak.event, attained=peak.attained)
        return self.guessed(
            mechanism,
            setting,
            family,
            values,
            odds_sentences(setting.subject, peak.ratio, values["delta"]),
            witness=witness,
            notes=self._group_note(setting) + _limit_note(peak.ratio, values["delta"]),
        )

    def delta_at(self, mechanism: Mechanism, ratio: object) -> Verdict:
        """Return the exact delta at a given ratio, with the event that attains it."""
        a = ratio_at_least_one(ratio)
        setting, family = self._asked(mechanism)
        comparison, gap = family.gap(a)
        return self.guessed(
            mechanism,
            setting,
            family,
            {"ratio": a, "epsilon": ln(a), "delta": at_most_one(gap.delta)},
            _sentences(setting, family, a, gap.delta),
            witness=_gap_witness(setting, family, comparison, gap),
            notes=_ends_note(comparison, gap.delta),
        )

    def ratio_at(self, mechanism: Mechanism, delta: object) -> Verdict:
        """Return the smallest ratio that holds with a given delta."""
        d = read_delta(delta)
        setting, family = self._asked(mechanism)
        comparison, ratio = family.ratio_for(d)
        notes = _ends_note(comparison, ratio)
        sentences = odds_sentences(setting.subject, ratio, d)
        if ratio == INFINITY:
            comparison, gap = family.gap(INFINITY)
            exposed = at_most_one(gap.delta)
            sentences = odds_sentences(setting.subject, INFINITY, exposed)
            notes = (
                f"no ratio, however large, holds with delta {show(d)}: "
                f"delta stays at least {show(exposed, side='down')}",
            )
        else:
            gap = comparison.gap(ratio)
        return self.guessed(
            mechanism,
            setting,
            family,
            {"ratio": ratio, "epsilon": ln(ratio), "delta": d},
            sentences,
            witness=_gap_witness(setting, family, comparison, gap),
            notes=notes,
        )

    def profile(self, mechanism: Mechanism) -> Profile:
        """Return the whole privacy profile delta(a)."""
        setting, family = self._asked(mechanism)
        return Profile(family, mechanism.expression, setting.assumptions)

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide the claim; a refuted one comes with the event and the nearest claims that hold."""
        if self.ratio is None:
            raise InvalidInput("dp has no numbers to check: give ratio= or epsilon=, and delta=")
        setting, family = self._asked(mechanism)
        comparison, gap = family.gap(self.ratio)
        delta = at_most_one(gap.delta)
        holds = within(delta, self.delta)
        values = {"ratio": self.ratio, "epsilon": ln(self.ratio), "delta": delta}
        notes: tuple[str, ...] = (f"the claim allows delta {show(self.delta)}",)
        witness = _gap_witness(setting, family, comparison, gap)
        broken = undecided = ""
        if holds is False:
            nearest = family.ratio_for(self.delta)[1]
            notes += self._nearest(nearest, gap.delta)
            broken = (
                f"{outweighed(*witness.probabilities, self.ratio, self.delta)} "
                f"{nearest_epsilon(nearest, self.delta)} "
            )
        notes += _ends_note(comparison, delta)
        found = self.guessed(
            mechanism,
            setting,
            family,
            values,
            _sentences(setting, family, self.ratio, gap.delta),
            witness=witness,
            notes=notes,
        )
        if holds is None:
            finer = "" if _ends_note(comparison, delta) else _finer(mechanism)
            undecided = left_open(delta, self.delta, "delta", finer)
        return replace(
            found,
            definition=self.claim,
            holds=holds,
            sentence=f"{broken}{found.sentence}",
            undecided=undecided,
        )

    def _asked(self, mechanism: Mechanism) -> tuple[Setting, Family]:
        """Return the mechanism with its neighbours, and all comparisons of two of them."""
        setting = self.setting(mechanism)
        return setting, setting.mechanism.family(setting.relation, self.group)

    def row_constraints(self, universe: Universe) -> Iterator[Mapping[Point, Number]]:
        """Yield x_D <= ratio x_E for all neighbours D, E, both ways round.

        >>> from twoworlds import BitStrings
        >>> for constraint in DifferentialPrivacy(ratio=3).row_constraints(BitStrings(1)):
        ...     print({x: str(c) for x, c in constraint.items()})
        {(0,): '3', (1,): '-1'}
        {(1,): '3', (0,): '-1'}
        """
        if self.ratio is None:
            raise InvalidInput("dp has no numbers: give ratio=, as in 'dp(ratio=3)'")
        if self.delta != 0:
            raise Unsupported(
                f"{self.claim}: delta is a sum over outputs, where every row may fail a little, so "
                "it is not a condition on single likelihood rows: take delta=0"
            )
        where, relation = resolve(universe, self.neighbours)
        if self.ratio == INFINITY:
            return
        for x, y in pairs(where, relation, self.group):
            yield {y: self.ratio, x: Fraction(-1)}
            yield {x: self.ratio, y: Fraction(-1)}

    def _nearest(self, ratio: Number, delta: Number) -> tuple[str, ...]:
        """Say which claims next to the refuted one do hold."""
        same_ratio = f"holds with delta {offered(delta)} at this ratio"
        if ratio == INFINITY:
            return (f"{same_ratio}; no ratio is large enough for delta {show(self.delta)}",)
        return (f"{same_ratio}, or with ratio {offered(ratio)} at this delta",)

    def _group_note(self, setting: Setting) -> tuple[str, ...]:
        """Put the bound from single people next to the exact value for a group."""
        if self.group == 1:
            return ()
        try:
            single = setting.mechanism.family(setting.relation, 1).peak()[1].ratio
        except InvalidInput:  # a part of a universe may hold no single-person neighbours
            return ()
        if self.group > _LARGEST_BOUND:
            return ()
        bound = INFINITY if single == INFINITY else single**self.group
        shown = show(bound, side="at most")
        return (f"from one person, the bound for groups of {self.group} is {shown}",)


def _sentences(setting: Setting, family: Family, ratio: Number, delta: Number) -> tuple[str, ...]:
    """Say what (ratio, delta) means; an infinite ratio without delta says less than the price."""
    if ratio == INFINITY and delta == 0:
        ratio = family.peak()[1].ratio
    return odds_sentences(setting.subject, ratio, delta)


def _limit_note(ratio: Number, delta: Number) -> tuple[str, ...]:
    if ratio != INFINITY:
        return ()
    if delta == 0:
        return ("no finite ratio holds with delta 0: give the delta you accept, as --delta 1e-6",)
    least = show(delta, side="down")
    return (f"delta stays at least {least} however large the ratio",)


def _ends_note(comparison: Comparison, value: Number) -> tuple[str, ...]:
    """Say that the ends of a composition need not meet, where the upper one is by domination."""
    parts = comparison.factors
    dominated = any(one.dominating is not one for one, _ in parts if one is not comparison)
    if not dominated or not apart(value):
        return ()
    return (
        "both ends need not meet, whatever the width: the lower one is of one pair of databases; "
        "the upper one bounds each output on its own, over all pairs, and no pair need be the "
        "worst for every output",
    )


def _finer(mechanism: Mechanism) -> str:
    """Say how the ends of a composition come nearer to each other."""
    if not isinstance(mechanism, Several):
        return ""
    width = f"{float(mechanism.width / _FINER):.0e}".replace("e-0", "e-")
    return f"ask with a smaller width: '{mechanism.expression[:-1]}, width={width})'"


def _ratio_witness(
    setting: Setting, comparison: Comparison, event: Event, *, attained: bool
) -> Witness:
    """Show an event of the largest ratio and, where outputs have probability, one output of it."""
    mechanism = setting.mechanism
    databases = (comparison.x, comparison.y)
    output = mechanism.example(event, comparison.x)
    return Witness.of(mechanism, databases, event, attained=attained, output=output)


def _gap_witness(setting: Setting, family: Family, comparison: Comparison, gap: Gap) -> Witness:
    """Show the event that attains the gap or, without a gap, the one that comes nearest."""
    if gap.delta == 0:
        comparison, peak = family.peak()
        return _ratio_witness(setting, comparison, peak.event, attained=peak.attained)
    return _event_witness(setting, comparison, gap.event)


def _event_witness(setting: Setting, comparison: Comparison, event: Event) -> Witness:
    return Witness.of(setting.mechanism, (comparison.x, comparison.y), event)
