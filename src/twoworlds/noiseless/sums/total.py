"""The exact total of a table, published as it is: how private that is, and against whom.

Nothing is random but what the attacker does not know: L of the n entries are known to them, and the
others are independent with given laws (Bassily, Groce, Katz & Smith, Section III-A, Theorems 8 and
9, and Theorem 17 for noiseless privacy). The paper's bounds hide their constants; here delta is
computed, exactly for laws on listed values as long as the law of the sum fits, and else enclosed.

Differs: the paper lets entries lie in [-1, 1] without loss of generality while its simulator is
canonical. Shifting all entries does change that simulator: {9, 10, 11} with 50 unknown others has
delta 0.567 at epsilon 0.5, and {-1, 0, 1} has 0.000169. The centred simulator adds the midpoint and
restores the claim. Nothing here says that no other simulator does better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from twoworlds.definitions.base import read_delta
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.errors import TooLarge
from twoworlds.noiseless.sums._comparisons import centres
from twoworlds.noiseless.sums._search import least_enough
from twoworlds.noiseless.sums._setting import (
    EXACT_BITS,
    Answer,
    Setting,
    asked_ratio,
    read_groups,
    read_setting,
)
from twoworlds.noiseless.sums._witness import TotalWitness
from twoworlds.noiseless.sums.laws import AnyLaw, EntryLaw, Interval
from twoworlds.noiseless.words import assumed, claim, counted, odds_words, short
from twoworlds.numbers import Number, Real, at_most_one, bounds, ln, power, show

__all__ = ["largest_exact", "total"]

HALF = Fraction(1, 2)
INDEPENDENT = (
    "the entries must be independent given what the attacker knows; "
    "entries that move together, or a law with less spread, end the guarantee"
)


def total(
    law: AnyLaw | str | Mapping[object, object] | Iterable[object],
    *,
    people: object = None,
    known: object = 0,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
    simulator: str = "canonical",
    definition: str = "ddp",
) -> Verdict:
    """Measure the release of an exact total, or check a claim about it if a delta is given.

    Args:
        law: what the attacker believes about each entry (`read_law`), or a list of pairs
            (law, how many people).
        people: how many entries are added up.
        known: how many of them the attacker may know.
        ratio: e^epsilon.
        epsilon: instead of the ratio.
        delta: what the claim allows.
        simulator: "canonical" (the total of the others), "centred" (and a constant), "resampled"
            (and a fresh draw), or "best", the best of these.
        definition: "ddp" compares with and without the entry, "noiseless" two values of it.

    >>> total("0,1", people=3, ratio="3/2").delta
    Fraction(3, 8)
    >>> total("0,1", people=3, ratio="3/2", simulator="resampled").delta
    Fraction(1, 8)
    """
    groups = read_groups(law, people)
    asked = asked_ratio(ratio, epsilon)
    target = None if delta is None else read_delta(delta)
    if len(groups) == 1 and isinstance(groups[0][0], Interval):
        from twoworlds.noiseless.sums.continuous import continuous_total

        return continuous_total(
            groups[0][0], groups[0][1], known, asked, target, simulator, definition
        )
    return judged(read_setting(groups, known, simulator, definition), asked, target)


def judged(setting: Setting, ratio: Number, target: Number | None) -> Verdict:
    """Return the verdict on a question about discrete entries."""
    goal = None if target is None else bounds(target)[0]
    answer = setting.answer(ratio, target=goal)
    delta = at_most_one(answer.worst.delta)
    holds = None if target is None else within(delta, target)
    words = Words(setting.groups, setting.known, answer.how)
    notes = _notes(setting, answer, ratio, target)  # of the same sum, which is still remembered
    breaks = breaking_words(setting, ratio, target, holds=holds)
    values = {"ratio": ratio, "epsilon": ln(ratio), "delta": delta}
    if setting.definition == "noiseless":
        values["theorem_17"] = _theorem_17(setting, ratio)
    return Verdict(
        words.released,
        claim(setting.definition, ratio, target),
        values,
        words.sentence(ratio, delta, breaks),
        words.assumptions,
        holds=holds,
        witness=_witness(answer),
        method=_method(setting, answer),
        notes=notes,
        exact=answer.exact,
    )


def largest_exact(law: EntryLaw) -> int:
    """Return how many entries of this law can be added up exactly.

    >>> from twoworlds.noiseless.sums.laws import EntryLaw
    >>> largest_exact(EntryLaw.uniform(range(21))) > 1000
    True
    """
    return math.isqrt(int(EXACT_BITS / max(1.0, law.places[-1] * math.log2(law.scale))))


@dataclass(frozen=True)
class Words:
    """How a total is spoken of.

    Attributes:
        groups: laws (anything with ``text``) and how many entries have each.
        known: how many entries are known.
        how: the comparison, as in `_comparisons`.
    """

    groups: tuple[tuple[AnyLaw, int], ...]
    known: int
    how: str

    @property
    def people(self) -> int:
        """How many entries there are."""
        return sum(count for _, count in self.groups)

    @property
    def released(self) -> str:
        """What is released."""
        return f"the exact total of {counted(self.people, 'entry', 'entries')}"

    @property
    def belief(self) -> str:
        """The belief class, as a clause."""
        if len(self.groups) == 1:
            laws = f"each {self.groups[0][0].text}"
        else:
            laws = "; ".join(f"{count:,} {law.text}" for law, count in self.groups)
        entries = counted(self.people, "entry", "entries")
        if self.known == 0:
            return (
                f"nobody knows any of the {entries} and everybody holds them to be independent, "
                f"{laws}"
            )
        return (
            f"nobody knows more than {self.known:,} of the {entries} and everybody holds the "
            f"others to be independent, {laws}"
        )

    @property
    def bet(self) -> str:
        """What the odds are on."""
        if self.how == "noiseless":
            return "between two values of your entry"
        if self.how == "resampled":
            return "on whether your entry or a fresh draw in its place was used"
        if self.how.startswith("centred") and self.how != "centred 0":
            return f"on whether your entry or {self.how.split()[1]} in its place was used"
        return "on whether your entry was used"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The belief class first, then what is compared."""
        if self.how == "noiseless":
            return self.belief, "any two values of your entry are compared (noiseless privacy)"
        simulators = {
            "canonical": "the total of the others (canonical simulator)",
            "resampled": "the total of the others and a fresh draw of your law",
        }
        other = simulators.get(self.how) or (
            f"the total of the others plus {self.how.split()[1]} (centred simulator)"
        )
        index = "" if len(self.groups) == 1 else "; the simulator is told whose entry is left out"
        return self.belief, f"the total with your entry is compared with {other}{index}"

    def sentence(self, ratio: Number, delta: Number, breaks: str | None) -> str:
        """Return assumption, odds and what breaks it."""
        odds = odds_words(ratio, delta, bet=self.bet)
        return assumed(self.belief, f"on seeing the exact total {odds}", breaks)


def breaking(
    setting: Setting, ratio: Number, limit: Fraction, *, holds: bool | None = None
) -> int | None:
    """Return the smallest number of known entries at which delta exceeds the limit, or None.

    Delta depends, for one law, on the number of unknown others only and never grows with it, so
    the search begins where there are none. If the claim is known to hold, one more known entry is
    tried first, as claims are often tight.
    """
    people = setting.people

    def delta(unknown: int) -> Fraction:
        small = setting.knowing(people - 1 - unknown)
        if len(setting.groups) == 1:
            small = replace(setting, groups=((setting.groups[0][0], unknown + 1),), known=0)
        return decided(small, ratio, limit)

    others = people - 1 - setting.known
    if holds and others and delta(others - 1) > limit:
        return setting.known + 1
    enough = least_enough(delta, limit, people - 1)
    if enough is None:
        return 0
    return people - enough if enough else None


def decided(setting: Setting, ratio: Number, limit: Fraction) -> Fraction:
    """Return a bound on delta that is at most the limit if delta is: as many digits as that takes.

    Where no number of digits tells them apart, delta is taken to exceed the limit.
    """
    target = limit
    for _ in range(4):
        low, high = bounds(setting.answer(ratio, target=target, quick=True).worst.delta)
        if high <= limit or low > limit:
            return high
        target = target / (1 << 64)
    return bounds(setting.answer(ratio).worst.delta)[1]


def breaking_words(
    setting: Setting, ratio: Number, target: Number | None, *, holds: bool | None
) -> str:
    """Say which knowledge ends the guarantee."""
    limit = HALF if target is None else bounds(target)[0]
    try:
        found = breaking(setting, ratio, limit, holds=holds)
    except TooLarge:
        return "knowing all entries but one, from which the total gives that one away"
    if found is None and target is None:
        worst = setting.knowing(setting.people - 1).answer(ratio).worst.delta
        return (
            "knowing all other entries, when the total gives yours away; delta is then "
            f"{short(worst)}"
        )
    if found is None:
        return f"no number of known entries: delta never exceeds {short(limit)}"
    if found == 0:
        return f"nothing more is needed: delta exceeds {short(limit)} with no entry known"
    if found <= setting.known or holds is False:
        return (
            f"it is broken already: delta exceeds {short(limit)} for whoever knows "
            f"{counted(found, 'entry', 'entries')} or more"
        )
    return f"knowing {found:,} of the entries; delta then exceeds {short(limit)}"


def _witness(answer: Answer) -> TotalWitness | None:
    """Return the worst event, unless delta may be 0 for all that is known."""
    comparison, pieces = answer.worst.comparison, answer.worst.pieces
    if comparison is None or bounds(answer.worst.delta)[0] <= 0:
        return None
    masses: tuple[Number, Number] = answer.worst.masses
    if comparison.laws is None:
        masses = Fraction(1), Fraction(0)
    elif not answer.exact:
        p, q = (
            Real.between(mass, mass + law.missing)
            for mass, law in zip(answer.worst.masses, comparison.laws, strict=True)
        )
        masses = p, q
    return TotalWitness(comparison.first, comparison.second, pieces, masses)


def _method(setting: Setting, answer: Answer) -> str:
    comparison = answer.worst.comparison
    laws = None if comparison is None else comparison.laws
    concave = laws is not None and laws[0].row is laws[1].row and laws[0].log_concave
    values = (
        "the law of the sum is log-concave, so only the extreme values of an entry count"
        if concave
        else "all values of an entry are tried"
    )
    first = setting.groups[0][0]
    exact = f"up to {largest_exact(first):,} entries of this law are added up exactly"
    if answer.exact:
        return f"whole-number convolution; {values}, in both directions ({exact})"
    return (
        f"fixed-point convolution in a window, rounded down, with all that is lost added to delta: "
        f"both ends are proven; {values}, in both directions ({exact})"
    )


def _notes(
    setting: Setting, answer: Answer, ratio: Number, target: Number | None
) -> tuple[str, ...]:
    notes = [] if target is None else [f"the claim allows delta {show(target)}"]
    if not answer.exact:
        low, high = bounds(answer.worst.delta)
        notes.append(enclosed_words(low, high))
    if setting.simulator == "canonical" and setting.definition == "ddp" and _off_centre(setting):
        better = replace(setting, simulator="centred").answer(ratio, quick=not answer.exact)
        notes.append(
            f"a simulator that adds {better.how.split()[1]} instead of nothing has delta "
            f"{show(better.worst.delta)}: moving all entries changes the canonical simulator"
        )
    return (*notes, INDEPENDENT)


def enclosed_words(low: Fraction, high: Fraction) -> str:
    """Say between which numbers delta lies."""
    if low <= 0:
        return f"delta is bounded: at most {show(high)}; it may be far smaller"
    return f"delta is enclosed: at least {show(low, side='down')}, at most {show(high)}"


def _off_centre(setting: Setting) -> bool:
    law, _ = setting.groups[0]
    return len(setting.groups) == 1 and 0 not in centres(law, setting.step)


def _theorem_17(setting: Setting, ratio: Number) -> Number:
    """Return (1 + e^(epsilon/2)) delta' with delta' of ddp at epsilon/2: Theorem 17's bound."""
    root = power(ratio, HALF)
    ddp = replace(setting, definition="ddp", simulator="centred").answer(root)
    return at_most_one((1 + root) * ddp.worst.delta)
