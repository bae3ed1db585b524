"""The exact total under noiseless privacy as first defined: epsilon, but for what is rare.

The definition, and how it compares with Definition 6, are in
`twoworlds.definitions.coupled.original`. Of independent entries with one law on listed values, the
total given your entry v is v plus the sum of the unknown others, whatever the known ones are; so
one entry and one list of totals decide for everybody. Unlike the delta of Definition 6, this one
need not fall as people are added, so that nothing is said here of more or fewer known entries.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction

from twoworlds.definitions.coupled.original import ONE_VALUE, Entry, Rare, Spared, left_out_words
from twoworlds.definitions.coupled.words import assumed, claim, counted, even_bet, short
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.entry import EntryLaw
from twoworlds.laws.event import EventWitness, Ranges
from twoworlds.laws.lattice import one
from twoworlds.noiseless.sums.setting import EXACT_BITS, TotalSetting, World, law_of_sum
from twoworlds.noiseless.sums.witness import agrees
from twoworlds.numbers import Number, at_most_one, decimal, exact_text, ln, show

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
    return Rare((Entry(masses, laws),), release, everybody.scale)


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
