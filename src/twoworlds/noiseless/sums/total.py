"""The exact total of a table, published as it is: how private that is, and against whom.

Nothing is random but what the attacker does not know: L of the n entries are known to them, and the
others are independent with given laws (Bassily, Groce, Katz & Smith, Section III-A, Theorems 8 and
9, and Theorem 17 for noiseless privacy). The paper's bounds hide their constants; here delta is
computed, exactly for laws on listed values as long as the law of the sum fits, and else enclosed.

Differs: the paper lets entries lie in [-1, 1] without loss of generality while its simulator is
canonical. Shifting all entries does change that simulator: {9, 10, 11} with 50 unknown others has
delta 0.567 at epsilon 0.5, and {-1, 0, 1} has 0.000169. The centred simulator adds the midpoint and
restores the claim. Nothing here says that no other simulator does better.

The exact total under noiseless privacy as first defined: epsilon, but for what is rare.

The definition, and how it compares with Definition 6, are in
`twoworlds.definitions.coupled.original`. Of independent entries with one law on listed values, the
total given your entry v is v plus the sum of the unknown others, whatever the known ones are; so
one entry and one list of totals decide for everybody. Unlike the delta of Definition 6, this one
need not fall as people are added, so that nothing is said here of more or fewer known entries.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from twoworlds.definitions.base import read_delta
from twoworlds.definitions.coupled.original import ONE_VALUE, Rare, Spared, left_out_words
from twoworlds.definitions.coupled.words import (
    assumed,
    claim,
    delta_words,
    enclosed_words,
    even_bet,
    short,
    undecided_words,
    weakens,
)
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.entry import AnyLaw, EntryLaw, StepDensity
from twoworlds.laws.event import EventWitness, Ranges
from twoworlds.laws.lattice import OnLattice, one
from twoworlds.laws.uniform import CELLS, MOST_UNIFORM
from twoworlds.noiseless.sums.setting import (
    EXACT_BITS,
    TotalSetting,
    World,
    WorstTotal,
    asked_ratio,
    centres,
    law_of_sum,
    read_setting,
)
from twoworlds.noiseless.sums.witness import agrees, total_witness
from twoworlds.numbers import (
    Number,
    Real,
    at_most_one,
    bounds,
    counted,
    decimal,
    exact_text,
    ln,
    power,
    show,
)

_HALF = Fraction(1, 2)
_LAST = "knowing all entries but one, from which the total gives that one away"
_INDEPENDENT = (
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
            (and a fresh draw), or "best", the best of these. Of several groups, the simulator is
            told whose entry is left out, and constants and the best are those of each group.
        definition: "ddp" compares with and without the entry, "noiseless" two values of it, and
            "original" two values as first defined, where rare ones are left out.

    >>> total("0,1", people=3, ratio="3/2").delta
    Fraction(3, 8)
    >>> total("0,1", people=3, ratio="3/2", simulator="resampled").delta
    Fraction(1, 8)
    """
    setting = read_setting(law, people, known, simulator, definition)
    target = None if delta is None else read_delta(delta)
    return judged(setting, asked_ratio(ratio, epsilon), target)


def judged(setting: TotalSetting, ratio: Number, target: Number | None) -> Verdict:
    """Return the verdict on a question."""
    if setting.definition == "original":
        return original_total(setting, ratio, target)
    goal = None if target is None else bounds(target)[0]
    worst = setting.answer(ratio, target=goal)
    delta = at_most_one(worst.delta)
    holds = None if target is None else _claimed(setting, delta, target)
    notes = list(_notes(setting, worst, ratio))  # of the same sum, which is still remembered
    if target is not None:
        notes.insert(0, f"the claim allows delta {show(target)}")
        notes[:0] = [undecided_words(delta, target)] if holds is None else []
    breaks = _breaks(setting, ratio, delta, target, holds=holds)
    values = {"ratio": ratio, "epsilon": ln(ratio), "delta": delta}
    if setting.definition == "noiseless" and setting.density is None:
        values["theorem_17"] = _theorem_17(setting, ratio)
    even = setting.answer(Fraction(1), target=goal)  # (1 + its delta)/2 is the best guess
    chance = (1 + at_most_one(even.delta)) / 2 if even.ways == worst.ways else None
    odds = even_bet(ratio, delta, bet=_bet(worst.ways), chance=chance)
    belief = _belief(setting)
    return Verdict(
        f"the exact total of {counted(setting.people, 'entry', 'entries')}",
        claim(setting.definition, ratio, target),
        values,
        assumed(belief, f"on seeing the exact total {odds}", breaks),
        (belief, _compared(setting, worst.ways)),
        holds=holds,
        witness=total_witness(setting, worst, ratio),
        method=_method(setting, worst),
        notes=tuple(notes),
        exact=worst.exact,
    )


def _claimed(setting: TotalSetting, delta: Number, target: Number) -> bool | None:
    """Decide a claim; a bound above what is allowed refutes nothing."""
    if setting.density is None or setting.density.uniform:
        return within(delta, target)
    low, high = bounds(delta)
    return True if high <= bounds(target)[0] else False if low > bounds(target)[1] else None


def largest_exact(law: EntryLaw) -> int:
    """Return how many entries of this law can be added up exactly.

    >>> from twoworlds.laws.entry import EntryLaw
    >>> largest_exact(EntryLaw.uniform(range(21))) > 1000
    True
    """
    return math.isqrt(int(EXACT_BITS / max(1.0, law.places[-1] * math.log2(law.scale))))


def _method(setting: TotalSetting, worst: WorstTotal) -> str:
    if setting.density is not None:
        return _density_method(setting.density, setting.unknown)
    found = worst.comparison
    concave = isinstance(found, OnLattice) and found.p.row is found.q.row and found.p.log_concave
    values = (
        "the law of the sum is log-concave, so only the extreme values of an entry count"
        if concave
        else "all values of an entry are tried"
    )
    first = setting.listed[0][0]
    exact = f"up to {largest_exact(first):,} entries of this law are added up exactly"
    if worst.exact:
        return f"whole-number convolution; {values}, in both directions ({exact})"
    return (
        f"fixed-point convolution in a window, rounded down, with all that is lost added to delta: "
        f"both ends are proven; {values}, in both directions ({exact})"
    )


def _density_method(law: StepDensity, unknown: int) -> str:
    if not law.flat:
        return _step_method(law)
    lattice = (
        f"beyond {MOST_UNIFORM} unknown entries, each is rounded to one of at least {CELLS} cells "
        "and the rest of it counted as noise, which bounds delta from above"
    )
    plain = (
        "the sum of uniform entries in closed form (Irwin & Hall), enclosed in ball arithmetic; it "
        "is log-concave, so the extreme entries and half-lines are the worst"
    )
    if not law.uniform:
        plain += (
            "; averaged over how many entries are drawn from their uniform part, the others being "
            "told to the attacker, which bounds delta from above"
        )
    return f"{plain}; {lattice}" if unknown > MOST_UNIFORM else plain


def _step_method(law: StepDensity) -> str:
    how = (
        f"each entry is rounded to one of {law.cells.places[-1] + 1} cells and the rest of it "
        "counted as noise, which bounds delta from above"
    )
    if law.share == 1:
        return f"{how}; an event whose probability is computed exactly bounds it from below"
    return (
        f"the density is at least a step function of integral {decimal(law.share, 4, 'down')}; "
        f"{how}; averaged over how many entries follow the steps, the others being told to the "
        "attacker; an event whose probability is enclosed bounds it from below"
    )


def _notes(setting: TotalSetting, worst: WorstTotal, ratio: Number) -> Iterator[str]:
    low, high = bounds(at_most_one(worst.delta))
    wide = isinstance(worst.delta, Real) and high > low * (1 + Fraction(1, 1 << 20))
    if wide if setting.density is not None else not worst.exact:
        yield enclosed_words(low, high)
    if setting.density is not None and setting.density.flat and not setting.density.uniform:
        if setting.definition == "ddp":
            yield (
                "holds for every mixture of such laws as well (Theorem 4), as the simulator is the "
                "same"
            )
        yield (
            "Theorem 8 says that delta falls exponentially in the number of people; its constant "
            "is not known, so no number is given for it"
        )
    if (setting.simulator, setting.definition) == ("canonical", "ddp") and _off_centre(setting):
        better = replace(setting, simulator="centred").answer(ratio, quick=not worst.exact)
        delta = show(better.delta, side="about" if better.exact else "at most")
        yield (
            f"a simulator that adds {better.ways[0].split()[1]} instead of nothing has delta "
            f"{delta}: moving all entries changes the canonical simulator"
        )
    yield _INDEPENDENT


def _off_centre(setting: TotalSetting) -> bool:
    """Tell whether one law on listed values has no midpoint at 0."""
    return len(setting.listed) == 1 and 0 not in centres(setting.listed[0][0], setting.step)


def _theorem_17(setting: TotalSetting, ratio: Number) -> Number:
    """Return (1 + e^(epsilon/2)) delta' with delta' of ddp at epsilon/2: Theorem 17's bound."""
    root = power(ratio, _HALF)
    ddp = replace(setting, definition="ddp", simulator="centred").answer(root)
    return at_most_one((1 + root) * ddp.delta)


# --- which knowledge ends it ----------------------------------------------------------------------


def _breaks(
    setting: TotalSetting,
    ratio: Number,
    delta: Number,
    target: Number | None,
    *,
    holds: bool | None,
) -> str:
    """Say which knowledge ends the guarantee, given delta and the verdict on the claim, if any.

    Of a claim that is the least number of known entries at which it fails. Where nothing was
    claimed, it is said what one more known entry does, and at which number delta exceeds 1/2.
    """
    limit = _HALF if target is None else bounds(target)[0]
    try:
        found = setting.breaking(ratio, limit, holds=holds)
    except TooLarge:
        more = _one_more(setting, ratio)
        said = None if target is not None or more is None else weakens(setting.known + 1, more)
        return _LAST if said is None else f"{said}; knowing all others, your own is given away"
    if found is None and target is not None:
        return f"no number of known entries: delta never exceeds {short(limit)}"
    if found is not None and (found <= setting.known or holds is False):
        proven = bounds(delta)[0] > limit if target is None else holds is False
        exceeds = f"delta {'exceeds' if proven else 'is not proven to be at most'} {short(limit)}"
        if found == 0 or setting.density is not None:  # of a bound only this number is proven
            known = 0 if setting.density is None else setting.known
            many = counted(known, "entry", "entries") if known else "no entry"
            return f"nothing more is needed: {exceeds} with {many} known"
        start = "it is broken already" if holds is False else "nothing more is needed"
        return (
            f"{start}: {exceeds} for anyone who knows {counted(found, 'entry', 'entries')} or more"
        )
    certain = found is None or setting.certain(setting.people - found)
    if target is None:
        return _weakened(setting, ratio, delta, found, certain=certain)
    then = "then exceeds" if certain else "may then exceed"
    return f"knowing {found:,} of the entries; delta {then} {short(limit)}"


def _weakened(
    setting: TotalSetting, ratio: Number, delta: Number, found: int | None, *, certain: bool
) -> str:
    """Say what one more known entry does, and at how many delta exceeds 1/2, if at any."""
    most, more = setting.people - 1, setting.known + 1
    worst = None
    if found is None:
        worst = at_most_one(setting.knowing(most).answer(ratio).delta)
        if more > most or worst == delta:
            return f"no number of known entries: knowing all others gives {delta_words(worst)}"
    further = _one_more(setting, ratio)
    if further is None:
        return _LAST if found is None else f"knowing {found:,} of the entries; delta exceeds 1/2"
    limit = "delta exceed 1/2" if certain else "it possible that delta exceeds 1/2"
    said = weakens(more, further, found, limit=limit)
    if worst is None or more == most:
        return said
    return f"{said}; knowing all others gives {delta_words(worst)}"


def _one_more(setting: TotalSetting, ratio: Number) -> str | None:
    """Return delta in words if one more entry is known; None if that is too much work."""
    try:
        found = setting.knowing(setting.known + 1).answer(ratio, quick=True)
    except TooLarge:
        return None
    return delta_words(at_most_one(found.delta))


# --- words ----------------------------------------------------------------------------------------


def _belief(setting: TotalSetting) -> str:
    """Say the belief class, as a clause."""
    only, people = setting.groups[0][0], setting.people
    if people == 1:
        return f"nobody knows the one entry, and everybody believes that it is {only.text}"
    laws = f"each {only.text}"
    if len(setting.groups) > 1:
        each = ((counted(count, "entry", "entries"), law.text) for law, count in setting.groups)
        laws = "; ".join(f"for {many}: {text}" for many, text in each)
    entries = counted(people, "entry", "entries")
    known = f"more than {setting.known:,}" if setting.known else "any"
    others = "the others" if setting.known else "them"
    return (
        f"nobody knows {known} of the {entries}, and everybody believes {others} to be "
        f"independent, {laws}"
    )


def _bet(ways: tuple[str, ...]) -> str:
    """Say what the odds are on."""
    if len(set(ways)) > 1:
        return "on whether your entry, or what the simulator adds in its place, was used"
    way = ways[0]
    if way == "noiseless":
        return "between two values of your entry"
    if way == "resampled":
        return "on whether your entry or a fresh draw in its place was used"
    if way.startswith("centred") and way != "centred 0":
        return f"on whether your entry or {way.split()[1]} in its place was used"
    return "on whether your entry was used"


def _compared(setting: TotalSetting, ways: tuple[str, ...]) -> str:
    """Say what is compared with what."""
    if ways[0] == "noiseless":
        return "any two values of your entry are compared (noiseless privacy)"
    compared = "the total with your entry is compared with the total of the others"
    if set(ways) == {"canonical"}:
        return f"{compared} (canonical simulator)"
    if len(setting.groups) > 1:
        names = {"canonical": "nothing", "resampled": "a fresh draw of that law"}
        each = zip(setting.groups, ways, strict=True)
        added = (f"{names.get(w) or w.split()[1]} for an entry {law.text}" for (law, _), w in each)
        told = "the simulator is told the group of the person left out, and adds"
        return f"{compared}; {told} {', '.join(added)}"
    if ways[0] == "resampled":
        return f"{compared} and a fresh draw of your law"
    return f"{compared} plus {ways[0].split()[1]} (centred simulator)"


_BET = "between two values of your entry"


def original_total(setting: TotalSetting, ratio: Number, target: Number | None) -> Verdict:
    """Return the least probability of what must be left out for the ratio to hold."""
    law = _law(setting)
    spared = _rare(setting, law).at_ratio(ratio)
    delta = at_most_one(spared.delta)
    six = at_most_one(replace(setting, definition="noiseless").answer(ratio).delta)
    knows = f"the attacker knows {setting.known:,}" if setting.known else "nobody knows any"
    belief = (
        f"{knows} of the {counted(setting.people, 'entry', 'entries')} and everybody holds "
        f"{'the others' if setting.known else 'them'} to be independent, each {law.text}"
    )
    bet = even_bet(ratio, Fraction(0), _BET)
    but = f", but for values and totals of probability {decimal(delta, 3)}" if delta else ""
    promise = f"on seeing the exact total {bet}{but}"
    if delta == 1:
        promise = "nothing is promised: values and totals of probability 1 are left out"
    notes = [f"by Definition 6 delta is {show(six)}: it compares all values, and adds up excesses"]
    if spared.shown is None:
        notes.append(ONE_VALUE)
    if target is not None:
        notes.insert(0, f"the claim allows delta {short(target)}")
    return Verdict(
        f"the exact total of {counted(setting.people, 'entry', 'entries')}",
        claim("original", ratio, target),
        {"ratio": ratio, "epsilon": ln(ratio), "delta": delta, "definition_6": six},
        assumed(belief, promise, "knowing all other entries" if len(law.values) > 1 else None),
        (belief, "any two values of your entry are compared, but for those that are left out"),
        holds=None if target is None else within(delta, target),
        witness=_witness(setting, law, spared),
        method="every set of values that may be left out, and for each the totals that must be",
        notes=tuple(notes),
    )


def _law(setting: TotalSetting) -> EntryLaw:
    """Return the one law of the entries, where that is what is asked of."""
    if setting.density is not None or len(setting.groups) > 1:
        raise Unsupported(
            "the original definition is computed for one law on listed values: use "
            'definition="noiseless", or a lattice such as 0..1 by 1/100'
        )
    if not setting.exactable(EXACT_BITS, 1):
        raise TooLarge(
            f"people={setting.people:,}: the original definition needs the exact law of the total, "
            'which does not fit; use definition="noiseless", or fewer people'
        )
    return setting.listed[0][0]


def _rare(setting: TotalSetting, law: EntryLaw) -> Rare:
    step, origin = setting.step, law.values[0] * (setting.unknown + 1)
    others = law_of_sum(((law, setting.unknown),), step, None)
    everybody = others.plus(one(law, step)).row
    totals = [origin + place * step for place in range(len(everybody.coefficients))]
    masses: dict[Hashable, Number] = dict(zip(law.values, law.masses, strict=True))
    laws: dict[Hashable, dict[Hashable, Number | int]] = {}
    for v in law.values:
        moved = int((v - law.values[0]) / step)
        laws[v] = {totals[moved + k]: int(w) for k, w in enumerate(others.row.coefficients)}
    weights = zip(totals, everybody.coefficients, strict=True)
    release: dict[Hashable, Number | int] = {t: int(w) for t, w in weights if w != 0}
    return Rare(((masses, laws),), release, everybody.scale)


def _witness(setting: TotalSetting, law: EntryLaw, spared: Spared) -> EventWitness | None:
    """Return the total that moves the odds furthest: of those left out, or if none is, of all."""
    if spared.shown is None:
        return None
    total, need = spared.shown
    groups = ((law, setting.unknown),)
    scale = law_of_sum(groups, setting.step, None).row.scale
    masses: tuple[Number, Number] = Fraction(1, scale) * need.p, Fraction(1, scale) * need.q
    event = Ranges(((total, total),))  # type: ignore[arg-type]
    worlds = [World(f"entry {exact_text(v)}", groups, v) for v in need.values]  # type: ignore[arg-type]

    def check(stated: tuple[Number, Number]) -> bool:
        pairs = zip(worlds, stated, strict=True)
        return all(agrees(world, event, mass) for world, mass in pairs)

    said = f"a total (known entries aside) {event.describe()}"
    left = (("left out", left_out_words(spared)),)
    data = {"event": event.to_json(), "event_in_words": said}
    return EventWitness((worlds[0].text, worlds[1].text), said, masses, check, (), left, data)
