"""Estimates of the true counts from the counts of randomized reports.

`estimate` inverts the channel exactly: the estimates are unbiased whatever the data are, they add
up to the number of records, and they may lie below 0 or above it, since cutting them off would bias
them. Each comes with its variance and two intervals, one that holds and one that is roughly right.
`Estimates.feasible` moves them to the nearest numbers of at least 0 with the same sum: handier, and
biased where an estimate was below 0.

All this is post-processing of reports: it costs nothing, and can be done again as often as wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from twoworlds.answer import Answer, Said, Table
from twoworlds.charts import ErrorBar as Drawn
from twoworlds.charts import Intervals
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, bounds, counted, decimal, probability, sqrt, to_json, whole
from twoworlds.release.local.linear import (
    ConfidenceInterval,
    Inverse,
    hoeffding_interval,
    normal_interval,
    tail_interval,
)
from twoworlds.release.local.randomizer import Randomizer
from twoworlds.show import Result
from twoworlds.show.saving import Column, Columns

_MOST_WORK = 1 << 12  # values times the square root of records, for exact tails


@dataclass(frozen=True)
class Estimate:
    """What the reports say about the count of one value, without bias.

    One of the whole counts of ``interval`` is the true one with the stated confidence; ``normal``
    is the usual interval, which is an approximation. ``largest_variance`` is that for the worst
    data.
    """

    value: str
    count: Number
    variance: Number
    largest_variance: Number
    interval: ConfidenceInterval
    normal: ConfidenceInterval

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "value": self.value,
            "count": to_json(self.count),
            "variance": to_json(self.variance),
            "largest_variance": to_json(self.largest_variance),
            "interval": self.interval.to_dict(),
            "normal_interval": self.normal.to_dict(),
        }


@dataclass(frozen=True)
class Estimates(Result):
    """The estimates for all values of a column; ``reports`` counts the reports of each kind.

    ``simultaneous``: whether all guaranteed intervals hold at once, or each on its own.
    """

    randomizer: Randomizer
    reports: tuple[int, ...]
    each: tuple[Estimate, ...]
    confidence: Fraction
    simultaneous: bool

    @property
    def records(self) -> int:
        """How many reports there are."""
        return sum(self.reports)

    @property
    def counts(self) -> dict[str, Number]:
        """The estimate for each value."""
        return {one.value: one.count for one in self.each}

    def feasible(self) -> dict[str, Fraction]:
        """Return the nearest counts that are at least 0 and add up to n: biased, post-processed.

        Nearest in squares: all are lowered by one number, and what falls below 0 becomes 0. An
        irrational estimate is first replaced by a fraction that agrees with it to 64 bits.
        """
        found = projected([bounds(one.count)[0] for one in self.each], self.records)
        return {one.value: count for one, count in zip(self.each, found, strict=True)}

    @property
    def sentence(self) -> str:
        """What the estimates are."""
        reports = counted(self.records, "report")
        return (
            f"{reports} through {self.randomizer.expression}, taken back exactly: "
            "unbiased estimates of the true counts, whatever the data are, in which a cell without "
            "a declared value counts as the value that stood in for it. They may fall below 0 "
            f"or above {self.records}."
        )

    @property
    def caution(self) -> str:
        """What the intervals are worth."""
        scope = f"all {len(self.each)} at once" if self.simultaneous else "each on its own"
        methods = " and ".join(sorted({one.interval.method for one in self.each}))
        return (
            f"The guaranteed intervals hold with {percent(self.confidence)} confidence, {scope}, "
            f"for any data ({methods}). The normal ones are an approximation for many records."
        )

    def answer(self) -> Answer:
        """Say what was estimated and how sure one can be."""
        level = percent(self.confidence)
        heads = ["value", "estimate", "give or take", f"guaranteed {level}", f"normal {level}"]
        rows = [
            [
                one.value,
                shown(one.count),
                deviation(one.variance),
                str(one.interval),
                str(one.normal),
            ]
            for one in self.each
        ]
        drawn = [
            Drawn(one.value, float(one.count), float(one.interval.low), float(one.interval.high))
            for one in self.each
        ]
        title = "Estimated counts, with the guaranteed interval"
        return Answer.of(
            self.sentence,
            Table(heads, rows),
            Said([self.caution]),
            Intervals(title, drawn, self.sentence),
        )

    def to_columns(self) -> Columns:
        """Return a row for each value, in numbers: the estimate and the ends of both intervals."""
        numbers: dict[str, list[Number]] = {
            "estimate": [one.count for one in self.each],
            "estimate_error": [sqrt(max(one.variance, Fraction(0))) for one in self.each],
            "estimate_low": [one.interval.low for one in self.each],
            "estimate_high": [one.interval.high for one in self.each],
            "normal_low": [one.normal.low for one in self.each],
            "normal_high": [one.normal.high for one in self.each],
        }
        columns = {name: Column("number", [*map(float, x)]) for name, x in numbers.items()}
        return {"value": Column("text", [one.value for one in self.each]), **columns}

    def fields(self) -> dict[str, Any]:
        """Return the estimates, with the channel and the counts of the reports."""
        outputs = self.randomizer.outputs
        return {
            "channel": self.randomizer.expression,
            "records": self.records,
            "reports": dict(zip(outputs, self.reports, strict=True)),
            "confidence": self.confidence,
            "simultaneous": self.simultaneous,
            "estimates": self.each,
        }


def estimate(
    reports: Mapping[str, object] | Sequence[object],
    randomizer: Randomizer,
    *,
    confidence: object = "95%",
    simultaneous: bool = False,
) -> Estimates:
    """Estimate the true counts of the values from the counts of the reports.

    Args:
        reports: how often each report was seen, by name or in the order of ``outputs``.
        randomizer: the channel that every record went through.
        confidence: that of the intervals, above 0 and below 1.
        simultaneous: whether the guaranteed intervals shall all hold at once with it.

    >>> coin = Randomizer.of("randomized-response(keep=3/4)", values=["yes", "no"])
    >>> found = estimate({"yes": 40, "no": 60}, coin)
    >>> found.counts, found.each[0].variance
    ({'yes': Fraction(30, 1), 'no': Fraction(70, 1)}, Fraction(75, 1))

    Raises:
        InvalidInput: when the counts do not fit, or the channel has no unbiased estimate; then it
            says which combinations of counts have one.
    """
    level = probability(confidence, "confidence")
    if not 0 < level < 1:
        raise InvalidInput(f"confidence={confidence} must lie between 0 and 1, both excluded")
    seen = _counts(reports, randomizer)
    inverse = Inverse.of(randomizer)
    values = len(randomizer.values)
    # Of two values one count says the other: both intervals hold or both fail.
    alpha = (1 - level) / (values if simultaneous and values > 2 else 1)
    counts = inverse.counts(seen)
    each: list[Estimate] = []
    for v, value in enumerate(randomizer.values):
        variance = inverse.estimated_variance(v, seen)
        interval = (
            each[0].interval.mirrored(sum(seen))
            if v == 1 and values == 2
            else _guaranteed(randomizer, inverse, v, seen, counts[v], alpha)
        )
        each.append(
            Estimate(
                value,
                counts[v],
                variance,
                inverse.largest_variance(v, sum(seen)),
                interval,
                normal_interval(counts[v], variance, 1 - level),
            )
        )
    return Estimates(randomizer, tuple(seen), tuple(each), level, simultaneous)


def variance_of_estimate(
    histogram: Mapping[str, object] | Sequence[object], randomizer: Randomizer
) -> dict[str, Number]:
    """Return the exact variance of each estimate, given the true counts.

    >>> coin = Randomizer.of("randomized-response(keep=3/4)", values=["yes", "no"])
    >>> variance_of_estimate([30, 70], coin)["yes"]
    Fraction(75, 1)
    """
    counts = _by_name(histogram, randomizer.values, "value")
    inverse = Inverse.of(randomizer)
    return {value: inverse.variance(v, counts) for v, value in enumerate(randomizer.values)}


def projected(counts: Sequence[Fraction], total: int) -> list[Fraction]:
    """Return the nearest point with entries of at least 0 that add up to the total.

    The entries above a threshold t are lowered by t and the others become 0, where t makes the sum
    right: with the i largest entries kept, t is their sum less the total, divided by i.

    >>> [str(x) for x in projected([Fraction(-2), Fraction(5), Fraction(7)], 10)]
    ['0', '4', '6']
    """
    threshold, gathered = Fraction(0), Fraction(0)
    for i, count in enumerate(sorted(counts, reverse=True), start=1):
        gathered += count
        if count > (gathered - total) / i:
            threshold = (gathered - total) / i
    return [max(count - threshold, Fraction(0)) for count in counts]


def _guaranteed(
    randomizer: Randomizer,
    inverse: Inverse,
    v: int,
    seen: Sequence[int],
    count: Number,
    alpha: Fraction,
) -> ConfidenceInterval:
    """Use exact tails where one report tells the value apart, and Hoeffding's inequality else."""
    n = sum(seen)
    telling = _telling(randomizer, v)
    if telling is not None and len(randomizer.values) * isqrt(n) <= _MOST_WORK:
        o, own, other = telling
        return tail_interval(seen[o], n, own, other, alpha)
    return hoeffding_interval(count, inverse.spread(v), n, alpha)


def _telling(randomizer: Randomizer, v: int) -> tuple[int, Number, Number] | None:
    """Return a report that all other values give with one probability, and v with another."""
    if randomizer.symmetric:
        return v, randomizer.rows[0][0], randomizer.rows[0][1]
    found = []
    for o, row in enumerate(randomizer.rows):
        others = set(row[:v] + row[v + 1 :])
        if len(others) == 1 and (other := others.pop()) != row[v]:
            found.append((o, row[v], other))
    return max(found, key=lambda one: abs(one[1] - one[2]), default=None)


def _counts(reports: Mapping[str, object] | Sequence[object], randomizer: Randomizer) -> list[int]:
    counts = _by_name(reports, randomizer.outputs, "report")
    for name, count, row in zip(randomizer.outputs, counts, randomizer.rows, strict=True):
        if count and all(mass == 0 for mass in row):
            raise InvalidInput(
                f"{randomizer.expression} never reports {name!r}, and {count} such reports are "
                "given: name the channel that the data went through"
            )
    return counts


def _by_name(
    given: Mapping[str, object] | Sequence[object], names: Sequence[str], kind: str
) -> list[int]:
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise InvalidInput(
                f"{len(unknown)} of the counts are for no {kind} of the channel: its {kind}s are "
                f"{', '.join(names)}"
            )
        given = [given.get(name, 0) for name in names]
    if len(given) != len(names):
        raise InvalidInput(f"{len(given)} counts for {len(names)} {kind}s: give one for each")
    pairs = zip(names, given, strict=True)
    return [whole(count, f"count of {name}") for name, count in pairs]


def shown(x: Number) -> str:
    """Return a count as a decimal with about two places.

    >>> shown(Fraction(1501526)), shown(Fraction(100, 3))
    ('1501526', '33.34')
    """
    return decimal(x, len(str(abs(int(float(x))))) + 2)


def deviation(variance: Number) -> str:
    """Return the standard deviation as a decimal; an estimated variance below 0 is taken as 0."""
    return shown(sqrt(variance)) if variance > 0 else "0"


def percent(level: Fraction) -> str:
    """Return a probability in percent.

    >>> percent(Fraction(19, 20))
    '95%'
    """
    return f"{decimal(100 * level, side='down')}%"
