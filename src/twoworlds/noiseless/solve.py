"""Solving for what an exact release needs: people, known entries, epsilon, threshold, rate.

Every answer is a verdict that holds at the value found, and a note says what holds at the value
next to it: the claim fails there or, where only a bound is known, is not proven.

*Totals.* Delta never grows with the number of people and never falls with the number of known
entries (`setting` proves it: a further unknown entry is post-processing).

*Truncated histograms.*

    threshold     delta never rises with it: truncating at k + 1 is a function of truncating at k
    known         delta never falls with it: a mixture is no worse than its worst part
    population    what is too much in either direction is one interval of sizes, since both rise
                  and then fall with the size (`bins`)
    rate          neither rises nor falls: all rates of a grid are tried

*Likeliest laws.* Delta grows with what is known, and need not fall with each further person.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from twoworlds.definitions.base import read_delta, read_ratio
from twoworlds.definitions.coupled.words import first_where, short
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.definitions.words import digits_apart
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError, Unsupported
from twoworlds.laws.comparison import FiniteComparison
from twoworlds.laws.counts import Binomial
from twoworlds.laws.entry import AnyLaw
from twoworlds.laws.uniform import least_enough
from twoworlds.noiseless.estimates.counting import largest_size, work
from twoworlds.noiseless.estimates.elections import DDP, NOISELESS, Election, first_known
from twoworlds.noiseless.estimates.family import LawFamily, rates
from twoworlds.noiseless.estimates.likeliest import allowed as read_allowed
from twoworlds.noiseless.estimates.likeliest import judge as judge_likeliest
from twoworlds.noiseless.estimates.likeliest import meets, read_election
from twoworlds.noiseless.histograms.bins import BinKind, directions, peaks
from twoworlds.noiseless.histograms.histogram import Histogram, judge, read_histogram
from twoworlds.noiseless.histograms.shared import SharedBins
from twoworlds.noiseless.histograms.size_laws import SizeLaw, read_rate
from twoworlds.noiseless.sums.setting import TotalSetting, asked_ratio, read_setting
from twoworlds.noiseless.sums.total import judged
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    at_most_one,
    bounds,
    compare,
    counted,
    decimal,
    ln,
    rational,
    show,
    whole,
)
from twoworlds.progress import track

_MOST_PEOPLE = 1 << 20
_MOST_RATES = 10_000
_TRIED_BLINDLY = 60
_WORK = 1 << 31  # bits of coefficients that one search may look at


def _solved(
    verdict: Verdict, values: Mapping[str, Number], *notes: str, how: str | None = None
) -> Verdict:
    """Put what was solved for, and what holds next to it, before all else."""
    return replace(
        verdict,
        values={**values, **verdict.values},
        notes=(*notes, *verdict.notes),
        method=verdict.method if how is None else f"{how}; {verdict.method}",
    )


# --- totals ---------------------------------------------------------------------------------------


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
    return read_setting(law, people, known, simulator, definition)


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


# --- likeliest laws -------------------------------------------------------------------------------


def likeliest_known(
    laws: object,
    *,
    people: object,
    delta: object,
    ratio: object = None,
    epsilon: object = None,
    weights: object = None,
    least: object = None,
    definition: str = DDP,
    s: object = None,
) -> Verdict:
    """Return how many entries of others the attacker may know before a claim fails.

    Knowing more never helps privacy, so the largest number is found by bisection; the verdict is
    the one for it, and a note gives delta one entry further. If the claim fails although nobody
    knows anything, the verdict does not hold, a note says so, and it has no value ``known``.

    >>> found = likeliest_known(["1=3/4, 0=1/4", "1=1/4, 0=3/4"], people=61, epsilon=0, delta="0.1")
    >>> found.known, found.holds
    (Fraction(17, 1), True)
    """
    election = read_election(
        laws, people=people, weights=weights, least=least, definition=definition
    )
    factor, limit = _claimed(ratio, epsilon, delta)
    if not meets(election, factor, limit):
        failed = judge_likeliest(election, factor, limit, s=s)
        return _solved(failed, {}, "the claim does not hold even if nobody knows any entry")
    first = first_known(election, lambda more: not meets(more, factor, limit))
    most = election.people - 1 if first is None else first - 1
    verdict = judge_likeliest(election.variant(known=most), factor, limit, s=s)
    if most == election.people - 1:
        beyond = "the claim holds even if all other entries are known"
    else:
        further = election.variant(known=most + 1).worst_delta(factor)[0]
        beyond = f"with {most + 1} known entries delta is {decimal(further, 3, 'about')}: too much"
    how = "bisection: delta grows with what is known"
    return _solved(verdict, {"known": Fraction(most)}, beyond, how=how)


def likeliest_people(
    laws: object,
    *,
    delta: object,
    ratio: object = None,
    epsilon: object = None,
    weights: object = None,
    least: object = None,
    known: object = 0,
    definition: str = DDP,
    s: object = None,
    most: object = None,
) -> Verdict:
    """Return how many people it takes until a claim holds.

    delta need not fall with each further person (ties come and go), so the search is from above:
    Theorem 13 or 14 proves the claim from some size on, and exact counting walks down from there
    to the first size that fails; if that takes too long, the answer says below which size nothing
    was counted. Where the theorems say nothing, all sizes up to ``most`` are counted.

    >>> coins = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
    >>> found = likeliest_people(coins, epsilon=0, delta="1e-3")
    >>> found.people, found.holds
    (Fraction(39, 1), True)
    """
    factor, limit = _claimed(ratio, epsilon, delta)
    first = whole(known, "known") + 1
    election = read_election(
        laws, people=first, weights=weights, least=least, known=known, definition=definition
    )
    proved = _proved_from(election, factor, limit, s)
    end = first + _TRIED_BLINDLY - 1 if most is None else whole(most, "most", at_least=first)
    if proved is not None and (most is None or end > proved):
        end = proved
    good, stopped = _walk_down(election, end, factor, limit)
    if good is None:
        raise Unsupported(_never(election.family, end, proved, known=first - 1))
    verdict = judge_likeliest(replace(election, people=good), factor, limit, s=s)
    how = f"all sizes from {good} to {end} counted"
    if end == proved:
        how += ", all larger ones by Theorem 13 or 14"
    notes = [f"sizes below {good} were not counted"]
    if not stopped:
        notes = [_one_fewer(election, good, factor)]
    if end != proved:
        notes.append(f"sizes above {end} were not examined")
    return _solved(verdict, {"people": Fraction(good)}, *notes, how=how)


def _claimed(ratio: object, epsilon: object, delta: object) -> tuple[Number, Fraction]:
    factor, limit = read_ratio(ratio, epsilon), read_allowed(delta)
    if factor is None or limit is None:
        raise InvalidInput("a claim needs epsilon (or ratio) and delta: give both")
    return factor, limit


def _proved_from(election: Election, ratio: Number, delta: Fraction, s: object) -> int | None:
    """Return a size from which on the theorems prove the claim, or None.

    For a fixed s each bound falls with every further person, so what holds at one size holds at
    all larger ones.
    """
    if len({tuple(law.items()) for law in election.family.laws}) < len(election.family.laws):
        return None  # two equal laws: u = 0, and the bounds never fall
    if election.family.largest_factor is None:
        return None
    if delta == 0 and (election.least is None or ratio == 1):
        return None

    def proves(people: int) -> bool:
        found = rates(
            election.family, people=people, known=election.known, least=election.least, s=s
        )
        twice = 2 if election.definition == NOISELESS else 1
        if delta and compare(twice * found.theorem_13_sharper, delta) is not Order.GREATER:
            return True
        fourteen = found.theorem_14
        return fourteen is not None and compare(fourteen, ln(ratio)) is not Order.GREATER

    return first_where(proves, election.known + 1)


def _walk_down(
    election: Election, end: int, ratio: Number, delta: Fraction
) -> tuple[int | None, bool]:
    """Return the smallest size from which all up to ``end`` meet the claim, and if work ran out."""
    largest = largest_size(election.family)
    if end > largest:
        raise TooLarge(
            f"by Theorem 13 or 14, {end} people are enough; the smallest number cannot be counted "
            f"exactly, as {largest} is the largest size that can: allow more, or choose fewer laws"
        )
    smallest, bits = None, 0
    for people in track(range(end, election.known, -1), "counting every size"):
        here = replace(election, people=people)
        if not meets(here, ratio, delta):
            break
        smallest = people
        bits += work(election.family, people)
        if bits > _WORK:
            return smallest, True
    return smallest, False


def _one_fewer(election: Election, people: int, ratio: Number) -> str:
    if people == election.known + 1:
        return "no smaller size makes sense"
    short = replace(election, people=people - 1).worst_delta(ratio)[0]
    fewer = counted(people - 1, "person", "people")
    return f"with {fewer} delta is {decimal(short, 3, 'about')}: too much"


def _never(family: LawFamily, end: int, proved: int | None, *, known: int) -> str:
    if proved is not None:
        return f"people={end} does not meet the claim; from {proved} on every size does"
    hint = (
        "two of the laws are the same, so the answer keeps depending on single entries"
        if len({tuple(law.items()) for law in family.laws}) < len(family.laws)
        else "no theorem promises that it ever will: allow delta above 0, or raise most"
    )
    aware = f" with {counted(known, 'known entry', 'known entries')}" if known else ""
    return f"the claim is not met by {counted(end, 'person', 'people')}{aware}, and {hint}"


# --- truncated histograms -------------------------------------------------------------------------


def solve_threshold(
    population: object = None,
    *,
    delta: object,
    ratio: object = None,
    epsilon: object = None,
    rate: object = None,
    mean: object = None,
    size: SizeLaw | str | None = None,
    shares: object = None,
    place: object = None,
    known: object = 0,
) -> Verdict:
    """Return the verdict at the smallest threshold for which the claim holds.

    >>> found = solve_threshold(50, rate="3/10", epsilon=0.5, delta=0.001)
    >>> found.threshold, bool(found)
    (Fraction(26, 1), True)
    """
    sample = read_histogram(population, rate, mean, size, shares, place, known)
    a, allowed = _asked(ratio, epsilon, delta)

    def holds(k: int) -> bool:
        return within(sample.delta(k, a), allowed) is True

    top = _no_count_reaches(sample)
    if top is None and allowed == 0:
        raise InvalidInput("delta=0: counts have no end here, so no threshold hides them all")
    k = first_where(holds, 1, top)
    found = judge(sample, k, a, allowed)
    if k == 1:
        return _solved(found, {}, "every threshold is enough, even 1")
    below = judge(sample, k - 1, a, allowed)
    return _solved(
        found, {}, f"a threshold of {k - 1:,} is not enough: {_left_out(below, allowed)}"
    )


def solve_known_members(
    population: object = None,
    *,
    threshold: object,
    delta: object,
    ratio: object = None,
    epsilon: object = None,
    rate: object = None,
    mean: object = None,
    size: SizeLaw | str | None = None,
    shares: object = None,
) -> Verdict:
    """Return the verdict at the largest number of others of a bin who may be known.

    If the claim fails already when nobody is known, the verdict says so.

    >>> found = solve_known_members(50, rate="3/10", threshold=20, epsilon=0.5, delta=0.01)
    >>> found.known
    Fraction(7, 1)
    """
    sample = read_histogram(population, rate, mean, size, shares)
    a, allowed = _asked(ratio, epsilon, delta)
    k = whole(threshold, "threshold", at_least=1)

    def fails(known: int) -> bool:
        return within(sample.knowing(known).delta(k, a), allowed) is not True

    most = k - 1 if sample.most_known is None else sample.most_known  # more changes nothing
    if not fails(most):
        found = _with_known(judge(sample.knowing(most), k, a, allowed), most)
        return _solved(found, {}, "the claim holds whoever else of the bin is known to be sampled")
    first = first_where(fails, 0, most)
    if first == 0:
        return _with_known(judge(sample, k, a, allowed), 0)
    found = _with_known(judge(sample.knowing(first - 1), k, a, allowed), first - 1)
    worse = judge(sample.knowing(first), k, a, allowed)
    return _solved(
        found, {}, f"with {counted(first, 'other')} known it fails: {_left_out(worse, allowed)}"
    )


def solve_population(
    *,
    threshold: object,
    rate: object,
    delta: object,
    ratio: object = None,
    epsilon: object = None,
    known: object = 0,
) -> Verdict:
    """Return the verdict at the fewest members from which on every bin is large enough.

    >>> found = solve_population(threshold=20, rate="1/2", epsilon=0.5, delta=0.01)
    >>> found.population
    Fraction(42, 1)
    """
    p, others = read_rate(rate), whole(known, "known")
    a, allowed = _asked(ratio, epsilon, delta)
    if allowed == 0:
        raise InvalidInput("delta=0: however large a bin is, its count says something; raise delta")
    k = whole(threshold, "threshold", at_least=1)
    shown = max(1, k - others)
    spans = [_too_much(shown, p, a, allowed, side) for side in (0, 1)]
    found = [span for span in spans if span is not None]
    low = max((last + 2 + others for _, last in found), default=1)
    verdict = judge(_sizes(low, None, p, others), k, a, allowed)
    verdict = replace(verdict, values={**verdict.values, "population": Fraction(low)})
    if not found:
        return _solved(verdict, {}, "bins of any size are enough")
    before = judge(_sizes(low - 1, low - 1, p, others), k, a, allowed)
    verdict = _solved(
        verdict, {}, f"a bin of {low - 1:,} members is not enough: {_left_out(before, allowed)}"
    )
    small = min(first for first, _ in found) + others
    if small > others:
        most = counted(small, "member")
        verdict = _solved(
            verdict, {}, f"bins of at most {most} work as well: they are seldom shown"
        )
    return verdict


def solve_rate(
    population: object,
    *,
    threshold: object,
    delta: object,
    ratio: object = None,
    epsilon: object = None,
    known: object = 0,
    step: object = "1/100",
) -> Verdict:
    """Return the verdict at the largest rate of a grid for which the claim holds.

    delta is not monotone in the rate, so all multiples of the step above it were tried.

    >>> solve_rate(50, threshold=20, epsilon=0.5, delta=0.01, step="1/20").rate
    Fraction(3, 5)
    """
    a, allowed = _asked(ratio, epsilon, delta)
    k, width = whole(threshold, "threshold", at_least=1), rational(step, "step")
    if not 0 < width < 1 or 1 / width > _MOST_RATES:
        raise InvalidInput(f"step={step}: rates are tried in steps from 1/{_MOST_RATES} to below 1")
    most = -(-1 // width) - 1
    for i in range(most, 0, -1):
        rate = i * width
        sample = read_histogram(population, rate, known=known)
        if within(sample.delta(k, a), allowed) is True:
            found = judge(sample, k, a, allowed)
            found = replace(found, values={**found.values, "rate": rate})
            note = f"every larger multiple of {width} below 1 was tried and fails"
            return _solved(
                found, {}, note if i < most else f"it is the largest multiple of {width} below 1"
            )
    raise InvalidInput(
        f"no multiple of {width} is a rate at which the claim holds: raise the threshold or delta, "
        "or try a smaller step"
    )


def _asked(ratio: object, epsilon: object, delta: object) -> tuple[Number, Number]:
    a = read_ratio(ratio, epsilon)
    if a is None or a == INFINITY:
        raise InvalidInput("to solve for a value, give a finite ratio= or epsilon=, and delta=")
    return a, read_delta(delta)


def _no_count_reaches(sample: Histogram) -> int | None:
    """Return a threshold that hides everything, if there is one."""
    if isinstance(sample.bins, SharedBins):
        return None if sample.bins.size.last is None else sample.bins.size.last + 1
    return None if sample.most_known is None else sample.most_known + 2


def _too_much(
    threshold: int, rate: Fraction, ratio: Number, allowed: Number, side: int
) -> tuple[int, int] | None:
    """Return the first and the last number of others at which one direction exceeds delta."""

    def exceeds(n: int) -> bool:
        gap = directions(Binomial(n, rate), threshold, ratio)[side]
        return within(gap.delta, allowed) is not True

    around = peaks(threshold, rate, ratio)
    peak = around[0] if side == 0 else around[-1]
    if not exceeds(peak):
        return None
    return first_where(exceeds, 0, peak), first_where(lambda n: not exceeds(n), peak + 1) - 1


def _sizes(low: int, high: int | None, rate: Fraction, known: int) -> Histogram:
    return Histogram((BinKind(low, high, rate),), known)


def _left_out(verdict: Verdict, allowed: Number) -> str:
    digits = digits_apart(verdict.delta, allowed)
    return f"its delta is {decimal(verdict.delta, digits, 'about')}"


def _with_known(verdict: Verdict, known: int) -> Verdict:
    return replace(verdict, values={**verdict.values, "known": Fraction(known)})
