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
from dataclasses import replace
from fractions import Fraction

from twoworlds.definitions.base import read_delta
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.noiseless.sums._breaking import HALF, breaking_words
from twoworlds.noiseless.sums._comparisons import centres
from twoworlds.noiseless.sums._setting import (
    EXACT_BITS,
    Answer,
    Setting,
    asked_ratio,
    read_groups,
    read_setting,
)
from twoworlds.noiseless.sums._witness import TotalWitness
from twoworlds.noiseless.sums._words import INDEPENDENT, Words, enclosed_words, undecided_words
from twoworlds.noiseless.sums.laws import AnyLaw, EntryLaw, Interval
from twoworlds.noiseless.words import claim
from twoworlds.numbers import Number, Real, at_most_one, bounds, ln, power, show

__all__ = ["largest_exact", "total"]


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
            (and a fresh draw), or "best", the best of these. Of several groups, the simulator is
            told whose entry is left out, and constants and the best are those of each group.
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
    words = Words(setting.groups, setting.known, answer.ways)
    notes = _notes(setting, answer, ratio, target)  # of the same sum, which is still remembered
    if target is not None and holds is None:
        notes = (undecided_words(delta, target), *notes)
    breaks = breaking_words(setting, ratio, delta, target, holds=holds)
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
        delta = show(better.worst.delta, side="about" if better.exact else "at most")
        notes.append(
            f"a simulator that adds {better.ways[0].split()[1]} instead of nothing has delta "
            f"{delta}: moving all entries changes the canonical simulator"
        )
    return (*notes, INDEPENDENT)


def _off_centre(setting: Setting) -> bool:
    law, _ = setting.groups[0]
    return len(setting.groups) == 1 and 0 not in centres(law, setting.step)


def _theorem_17(setting: Setting, ratio: Number) -> Number:
    """Return (1 + e^(epsilon/2)) delta' with delta' of ddp at epsilon/2: Theorem 17's bound."""
    root = power(ratio, HALF)
    ddp = replace(setting, definition="ddp", simulator="centred").answer(root)
    return at_most_one((1 + root) * ddp.worst.delta)
