"""Solving for what a truncated histogram needs: the threshold, the rate, the members, the unknown.

    threshold     delta never rises with it: truncating at k + 1 is a function of truncating at k
    known         delta never falls with it: a mixture is no worse than its worst part
    population    what is too much in either direction is one interval of sizes, since both rise
                  and then fall with the size (`bins`)
    rate          neither rises nor falls: all rates of a grid are tried

Every answer is a verdict that holds at the value found, and says that the value next to it fails.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from twoworlds.definitions.base import read_delta, read_ratio
from twoworlds.definitions.coupled.words import first_where
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.definitions.words import digits_apart
from twoworlds.errors import InvalidInput
from twoworlds.laws.counts import Binomial
from twoworlds.noiseless.histograms.bins import BinKind, directions, peaks
from twoworlds.noiseless.histograms.histogram import Histogram, judge, read_histogram
from twoworlds.noiseless.histograms.shared import SharedBins
from twoworlds.noiseless.histograms.size_laws import SizeLaw, read_rate
from twoworlds.numbers import INFINITY, Number, counted, decimal, rational, whole

_MOST_RATES = 10_000


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
        return _noted(found, "every threshold is enough, even 1")
    below = judge(sample, k - 1, a, allowed)
    return _noted(found, f"a threshold of {k - 1:,} is not enough: {_left_out(below, allowed)}")


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
        return _noted(found, "the claim holds whoever else of the bin is known to be sampled")
    first = first_where(fails, 0, most)
    if first == 0:
        return _with_known(judge(sample, k, a, allowed), 0)
    found = _with_known(judge(sample.knowing(first - 1), k, a, allowed), first - 1)
    worse = judge(sample.knowing(first), k, a, allowed)
    return _noted(
        found, f"with {counted(first, 'other')} known it fails: {_left_out(worse, allowed)}"
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
        return _noted(verdict, "bins of any size are enough")
    before = judge(_sizes(low - 1, low - 1, p, others), k, a, allowed)
    verdict = _noted(
        verdict, f"a bin of {low - 1:,} members is not enough: {_left_out(before, allowed)}"
    )
    small = min(first for first, _ in found) + others
    if small > others:
        most = counted(small, "member")
        verdict = _noted(verdict, f"bins of at most {most} work as well: they are seldom shown")
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
            return _noted(
                found, note if i < most else f"it is the largest multiple of {width} below 1"
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


def _with_known(verdict: Verdict, known: int) -> Verdict:
    return replace(verdict, values={**verdict.values, "known": Fraction(known)})


def _left_out(verdict: Verdict, allowed: Number) -> str:
    digits = digits_apart(verdict.delta, allowed)
    return f"its delta is {decimal(verdict.delta, digits, 'about')}"


def _noted(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, notes=(note, *verdict.notes))
