"""Which knowledge ends the guarantee of an exact total: delta never falls with known entries.

Of a claim it is the least number of known entries at which it fails. Where nothing was claimed, it
is said what one more known entry does, and at which number delta exceeds 1/2.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from twoworlds.definitions.coupled.words import counted, delta_words, short, weakens
from twoworlds.errors import TooLarge
from twoworlds.laws.uniform import least_enough
from twoworlds.noiseless.sums.setting import TotalSetting
from twoworlds.numbers import Number, at_most_one, bounds

HALF = Fraction(1, 2)
_LAST = "knowing all entries but one, from which the total gives that one away"


def breaking(
    setting: TotalSetting, ratio: Number, limit: Fraction, *, holds: bool | None = None
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


def decided(setting: TotalSetting, ratio: Number, limit: Fraction) -> Fraction:
    """Return a bound on delta that is at most the limit if delta is: as many digits as that takes.

    Where no number of digits tells them apart, delta is taken to exceed the limit.
    """
    target = limit
    for _ in range(4):
        low, high = bounds(setting.answer(ratio, target=target, quick=True).delta)
        if high <= limit or low > limit:
            return high
        target = target / (1 << 64)
    return bounds(setting.answer(ratio).delta)[1]


def breaking_words(
    setting: TotalSetting,
    ratio: Number,
    delta: Number,
    target: Number | None,
    *,
    holds: bool | None,
) -> str:
    """Say which knowledge ends the guarantee, given delta and the verdict on the claim, if any."""
    limit = HALF if target is None else bounds(target)[0]
    try:
        found = breaking(setting, ratio, limit, holds=holds)
    except TooLarge:
        more = _one_more(setting, ratio)
        said = None if target is not None or more is None else weakens(setting.known + 1, more)
        return _LAST if said is None else f"{said}; knowing all others, your own is given away"
    if found is None and target is not None:
        return f"no number of known entries: delta never exceeds {short(limit)}"
    if found is not None and (found <= setting.known or holds is False):
        return _already(found, limit, claimed=target is not None, holds=holds)
    if target is None:
        return _weakened(setting, ratio, delta, found)
    return f"knowing {found:,} of the entries; delta then exceeds {short(limit)}"


def _already(found: int, limit: Fraction, *, claimed: bool, holds: bool | None) -> str:
    """Say that no more needs to be known than is."""
    exceeds = f"delta exceeds {short(limit)}"
    if claimed and holds is None:
        exceeds = f"delta is not proven to be at most {short(limit)}"
    if found == 0:
        return f"nothing more is needed: {exceeds} with no entry known"
    start = "it is broken already" if claimed and holds is False else "nothing more is needed"
    return f"{start}: {exceeds} for whoever knows {counted(found, 'entry', 'entries')} or more"


def _weakened(setting: TotalSetting, ratio: Number, delta: Number, found: int | None) -> str:
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
    said = weakens(more, further, found)
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
