"""Solving for what is unknown about an exact total: people, known entries, or epsilon.

Delta never grows with the number of people and never falls with the number of known entries
(`setting` proves it: a further unknown entry is post-processing), so a search
by doubling and halving finds the border. The answer is then computed again on both sides of it: the
claim holds at the answer, and at the neighbouring value it fails, or, for classes of laws of which
only a bound is known, is not proven.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from twoworlds.definitions.base import read_delta
from twoworlds.definitions.coupled.words import short
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError, Unsupported
from twoworlds.laws.comparison import FiniteComparison
from twoworlds.laws.entry import AnyLaw
from twoworlds.laws.uniform import least_enough
from twoworlds.noiseless.sums.setting import TotalSetting, asked_ratio
from twoworlds.noiseless.sums.setting import read_setting as _read
from twoworlds.noiseless.sums.total import judged
from twoworlds.numbers import (
    INFINITY,
    Number,
    at_most_one,
    bounds,
    counted,
    ln,
    rational,
    show,
    whole,
)

_MOST_PEOPLE = 1 << 20


def solve_people(
    law: AnyLaw | str | Mapping[object, object] | Iterable[object],
    *,
    ratio: object = None,
    epsilon: object = None,
    delta: object,
    known: object = 0,
    simulator: str = "canonical",
    definition: str = "ddp",
) -> Verdict:
    """Return the smallest number of people whose exact total satisfies the claim.

    >>> int(solve_people("-1,0,1", epsilon="0.5", delta="0.001").people)
    35
    """
    asked, limit = asked_ratio(ratio, epsilon), _allowed(delta)
    one = _readable(law, 1, 0, simulator, definition)
    count = whole(known, "known")
    unknown = _fewest(one, asked, limit)
    people = unknown + 1 + count
    found = judged(_sized(one, people, count), asked, limit)
    if unknown == 0:
        note = f"{counted(people, 'person', 'people')} is the least with {count:,} known entries"
        return _solved(found, {"people": Fraction(people)}, note)
    before = _delta(_sized(one, people - 1, count), asked, limit)
    note = f"with {counted(people - 1, 'person', 'people')} {_missed(before, limit)}"
    return _solved(found, {"people": Fraction(people), "delta_before": before}, note)


def solve_known(
    law: AnyLaw | str | Mapping[object, object] | Iterable[object],
    *,
    people: object = None,
    ratio: object = None,
    epsilon: object = None,
    delta: object,
    simulator: str = "canonical",
    definition: str = "ddp",
) -> Verdict:
    """Return the largest number of entries that an attacker may know while the claim holds.

    If the claim fails although nobody knows anything, the verdict says so and does not hold.

    >>> int(solve_known("-1,0,1", people=50, epsilon="0.5", delta="0.01").known)
    33
    """
    asked, limit = asked_ratio(ratio, epsilon), _allowed(delta)
    setting = _readable(law, people, 0, simulator, definition)
    first = setting.breaking(asked, limit)
    breaks = setting.people if first is None else first
    if breaks == 0:
        found = judged(setting, asked, limit)
        fails = "is not proven" if found.holds is None else "does not hold"
        return _solved(found, {}, f"the claim {fails} even if nobody knows any entry")
    found = judged(setting.knowing(breaks - 1), asked, limit)
    values = {"known": Fraction(breaks - 1)}
    if breaks == setting.people:
        return _solved(found, values, "all other entries may be known")
    after = _delta(setting.knowing(breaks), asked, limit)
    note = f"with {counted(breaks, 'known entry', 'known entries')} {_missed(after, limit)}"
    return _solved(found, {**values, "delta_after": after}, note)


def solve_epsilon(
    law: AnyLaw | str | Mapping[object, object] | Iterable[object],
    *,
    people: object = None,
    delta: object,
    known: object = 0,
    simulator: str = "canonical",
    definition: str = "ddp",
) -> Verdict:
    """Return the smallest epsilon that holds with a given delta: exact as a ratio e^epsilon.

    >>> solve_epsilon("0,1", people=3, delta="3/8").ratio
    Fraction(3, 2)
    """
    limit = _allowed(delta)
    setting = _readable(law, people, known, simulator, definition)
    if setting.density is not None:
        raise Unsupported(
            "the smallest epsilon is computed for listed values only: give an epsilon and read its "
            "delta, or use a lattice such as 0..1 by 1/100"
        )
    ratio = setting.ratio(limit)
    if ratio == INFINITY:
        return _hopeless(setting, limit)
    found = judged(setting, bounds(ratio)[1], limit)
    values = {"ratio": ratio, "epsilon": ln(ratio), "delta": found.delta}
    note = f"the smallest epsilon with delta {short(limit)}; delta is attained or epsilon is 0"
    asked = f"{setting.definition}(delta={short(limit)})"
    return replace(found, definition=asked, values=values, notes=(note, *found.notes))


def _readable(
    law: AnyLaw | str | Mapping[object, object] | Iterable[object],
    people: object,
    known: object,
    simulator: str,
    definition: str,
) -> TotalSetting:
    """Read the setting, and refuse the one definition whose delta need not fall with people."""
    if definition == "original":
        raise Unsupported(
            "the delta of the original definition need not fall as people are added, so that no "
            'search finds a border: give all numbers, or solve for definition="noiseless"'
        )
    return _read(law, people, known, simulator, definition)


def _allowed(delta: object) -> Fraction:
    value = read_delta(delta)
    return rational(value, "delta")


def _sized(one: TotalSetting, people: int, known: int) -> TotalSetting:
    return replace(one, groups=((one.groups[0][0], people),), known=known)


def _delta(setting: TotalSetting, ratio: Number, limit: Fraction) -> Number:
    """Return delta at the value next to the answer, where it must exceed the limit."""
    return at_most_one(setting.answer(ratio, target=limit).delta)


def _missed(delta: Number, limit: Fraction) -> str:
    low, high = bounds(delta)
    if high <= limit:
        raise TwoWorldsError("the search missed its border: please report this")
    if low > limit:
        return f"the claim fails: delta is {show(delta)}"
    return f"the claim is not proven: delta is at most {show(delta, side='up')}"


def _solved(verdict: Verdict, values: Mapping[str, Number], note: str) -> Verdict:
    return replace(verdict, values={**values, **verdict.values}, notes=(note, *verdict.notes))


def _fewest(one: TotalSetting, ratio: Number, limit: Fraction) -> int:
    """Return the smallest number of unknown others with which delta is at most the limit."""
    if one.density is not None:
        found = one.enough(ratio, limit, _MOST_PEOPLE)
        if found is None:
            raise _too_many(one.density, _sized(one, _MOST_PEOPLE + 1, 0).answer(ratio).delta)
        return found

    def delta(unknown: int) -> Fraction:
        return _sized(one, unknown + 1, 0).decided(ratio, limit)

    law = one.listed[0][0]
    if delta(0) > limit:
        if limit == 0:
            raise InvalidInput(
                f"entries {law.text}: no number of people gives delta 0, as the largest and the "
                "least total are possible in one world only; allow a delta above 0"
            )
        apart = isinstance(_sized(one, 2, 0).answer(ratio).comparison, FiniteComparison)
        if apart or law.variance == 0:
            raise InvalidInput(
                f"entries {law.text}: no number of people is enough, as totals with and without an "
                'entry never coincide; use simulator="centred", which adds a constant in its place'
                if apart
                else f"entries {law.text}: no number of people is enough, as nothing is unknown"
            )
    enough = least_enough(delta, limit, _MOST_PEOPLE)
    if enough is None:
        raise _too_many(law, limit)
    return enough


def _too_many(law: AnyLaw, delta: Number) -> TooLarge:
    return TooLarge(
        f"entries {law.text}: more than {_MOST_PEOPLE:,} people would be needed for delta "
        f"{short(delta)}; allow a larger epsilon or delta, or use the centred simulator"
    )


def _hopeless(setting: TotalSetting, limit: Fraction) -> Verdict:
    """Return the verdict that no epsilon holds with this delta, by one large ratio."""
    found = judged(setting, Fraction(1 << 20), limit)
    values: dict[str, Number] = {"ratio": INFINITY, "epsilon": INFINITY, "delta": limit}
    note = f"no epsilon, however large, holds with delta {short(limit)}"
    return replace(
        found,
        definition=f"{setting.definition}(delta={short(limit)})",
        values=values,
        notes=(note, *found.notes),
        holds=False,
    )
