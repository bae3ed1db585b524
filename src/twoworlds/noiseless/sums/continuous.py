"""The verdict on the exact total of entries with a density.

The mathematics is in `twoworlds.laws.uniform`: uniform entries, and the class of all entries
with a uniform component (Bassily, Groce, Katz & Smith, Theorems 8 and 9; Theorem 17 for noiseless
privacy).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.definitions.coupled.words import (
    claim,
    counted,
    delta_words,
    enclosed_words,
    short,
    undecided_words,
    weakens,
)
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.errors import Unsupported
from twoworlds.laws.entry import UniformComponent, UniformInterval
from twoworlds.laws.event import EventWitness, recomputed
from twoworlds.laws.uniform import (
    CELLS,
    MOST_UNIFORM,
    delta_between,
    enough_unknown,
    irwin_hall,
    nearly_best,
)
from twoworlds.noiseless.sums.breaking import HALF
from twoworlds.noiseless.sums.setting import check_known, check_names
from twoworlds.noiseless.sums.total import INDEPENDENT, TotalWords
from twoworlds.numbers import Number, Real, at_most_one, bounds, exact_text, ln, show

_WITNESS_BITS = 40


def continuous_total(
    law: UniformInterval,
    people: int,
    known: object,
    ratio: Number,
    target: Number | None,
    simulator: str = "canonical",
    definition: str = "ddp",
) -> Verdict:
    """Measure the exact total of entries with a density, or check a claim about it."""
    how, shift = read_shift(law, simulator, definition)
    count = check_known(known, people)
    asked = _Question(law, people, count, shift, ratio)
    unknown, delta = asked.unknown, asked.delta(asked.unknown)
    holds = None if target is None else _claimed(law, delta, target)
    words = TotalWords(((law, people),), count, (how,))
    notes = [] if target is None else [f"the claim allows delta {show(target)}"]
    if target is not None and holds is None:
        notes.insert(0, undecided_words(delta, target))
    return Verdict(
        words.released,
        claim(definition, ratio, target),
        {"ratio": ratio, "epsilon": ln(ratio), "delta": delta},
        words.sentence(ratio, delta, asked.breaks(delta, target, holds=holds)),
        words.assumptions,
        holds=holds,
        witness=_witness(law, unknown, shift, ratio, how),
        method=_method(law, unknown),
        notes=(*notes, *_notes(law, delta, definition), INDEPENDENT),
        exact=isinstance(delta, Fraction) or unknown <= MOST_UNIFORM,
    )


def read_shift(law: UniformInterval, simulator: str, definition: str) -> tuple[str, Fraction]:
    """Return the comparison and how far an entry moves the total, in lengths of the interval."""
    check_names(simulator, definition)
    low, high = law.ends
    if definition == "noiseless":
        return "noiseless", Fraction(1)
    if simulator == "resampled":
        raise Unsupported(
            "the resampled simulator is computed for listed values only: "
            "use centred, or a lattice such as 0..1 by 1/100"
        )
    if simulator == "canonical":
        return "canonical", max(abs(low), abs(high)) / (high - low)
    return f"centred {exact_text((low + high) / 2)}", HALF


def _witness(
    law: UniformInterval, unknown: int, shift: Fraction, ratio: Number, how: str
) -> EventWitness | None:
    """Return a half-line of totals, within ``reach`` of the largest one without the shift."""
    if not 0 < unknown <= MOST_UNIFORM:
        return None
    reach = nearly_best(unknown, shift, ratio, _WITNESS_BITS)
    low, high = law.ends
    far = high if abs(high) >= abs(low) else low
    worlds = {
        "noiseless": (f"entry {exact_text(high)}", f"entry {exact_text(low)}"),
        "canonical": (f"entry {exact_text(far)}", "without it"),
    }
    names = worlds.get(how, (f"entry {exact_text(high)}", f"without it, {how.split()[-1]} added"))
    masses = irwin_hall(unknown, reach + shift), irwin_hall(unknown, reach)
    event = (
        f"the unknown entries (in lengths of the interval) add up to at least "
        f"{show(unknown - reach, side='down')}"
    )

    def again() -> list[Number]:
        return [irwin_hall(unknown, y) for y in (reach + shift, reach)]

    return EventWitness(names, event, masses, recomputed(again), data={"event_in_words": event})


def _claimed(law: UniformInterval, delta: Number, target: Number) -> bool | None:
    """Decide a claim; a bound above what is allowed refutes nothing."""
    low, high = bounds(delta)
    if high <= bounds(target)[0]:
        return True
    if low > bounds(target)[1]:
        return False
    return None if isinstance(law, UniformComponent) else within(delta, target)


@dataclass(frozen=True)
class _Question:
    """So many unknown uniform entries, or entries with a uniform component, and a shift."""

    law: UniformInterval
    people: int
    known: int
    shift: Fraction
    ratio: Number

    @property
    def unknown(self) -> int:
        """How many others are unknown."""
        return self.people - 1 - self.known

    def delta(self, unknown: int) -> Number:
        """Return delta, or an enclosure, if so many others are unknown."""
        return at_most_one(delta_between(self.law, unknown, self.shift, self.ratio))

    def breaks(self, delta: Number, target: Number | None, *, holds: bool | None) -> str:
        """Say which knowledge ends the guarantee; classes of laws are judged by their bound."""
        limit = HALF if target is None else bounds(target)[0]
        fewest = enough_unknown(self.law, self.shift, self.ratio, limit, self.unknown)
        if fewest is None:
            above = holds is False if target is not None else bounds(delta)[0] > limit
            known = counted(self.known, "entry", "entries") if self.known else "no entry"
            missed = "exceeds" if above else "is not proven to be at most"
            return f"nothing more is needed: delta {missed} {short(limit)} with {known} known"
        if fewest == 0:
            return f"no number of known entries: delta stays at most {short(limit)}"
        first = self.people - fewest
        certain = not isinstance(self.law, UniformComponent) and fewest - 1 <= MOST_UNIFORM
        if target is not None:
            exceeds = "then exceeds" if certain else "may then exceed"
            return f"knowing {first:,} of the entries; delta {exceeds} {short(limit)}"
        makes = "delta exceed 1/2" if certain else "it possible that delta exceeds 1/2"
        further = delta_words(self.delta(self.unknown - 1))
        return weakens(self.known + 1, further, first, limit=makes)


def _method(law: UniformInterval, unknown: int) -> str:
    lattice = (
        f"beyond {MOST_UNIFORM} unknown entries, each is rounded to one of at least {CELLS} cells "
        "and the rest of it counted as noise, which bounds delta from above"
    )
    plain = (
        "the sum of uniform entries in closed form (Irwin & Hall), enclosed in ball arithmetic; it "
        "is log-concave, so the extreme entries and half-lines are the worst"
    )
    if isinstance(law, UniformComponent):
        plain += (
            "; averaged over how many entries are drawn from their uniform part, the others being "
            "told to the attacker, which bounds delta from above"
        )
    return f"{plain}; {lattice}" if unknown > MOST_UNIFORM else plain


def _notes(law: UniformInterval, delta: Number, definition: str) -> Iterator[str]:
    low, high = bounds(delta)
    if isinstance(delta, Real) and high > low * (1 + Fraction(1, 1 << 20)):
        yield enclosed_words(low, high)
    if not isinstance(law, UniformComponent):
        return
    if definition == "ddp":
        yield (
            "holds for every mixture of such laws as well (Theorem 4), as the simulator is the same"
        )
    yield (
        "Theorem 8 says that delta falls exponentially in the number of people; its constant is "
        "not known, so no number is given for it"
    )
