r"""Estimates with their errors, and the noisy measures that they are made of.

An error here is the error of noise and of nothing else: that values were clamped and rounded, that
rows without a value or beyond the limit of a person were left out, belongs to the question.

Let n, T, S be the true rows, total and squares of a cell (T and S around the center c, in units),
and N, X, Y the noisy ones.

    count, people, sum    unit * N, or unit * X: unbiased; interval from the exact law
    mean                  unit * (c + X / max(N, 1)), clamped to the bounds
    variance              unit^2 * (Y / max(N, 1) - (X / max(N, 1))^2), clamped to [0, range^2 / 4]
    quantile              the chosen value of the grid; its error is stated in ranks

Intervals of a mean or a variance are rigorous: each noisy part keeps to an interval of its own but
for 5 % divided by the number of noisy parts, so that all do with probability at least 95 %, and
then the true ratio lies between the least and the greatest that n >= 1, T and S in their intervals
allow. If a group is empty, its mean is not defined, and an interval says nothing.

Standard errors of a mean and a variance come from the first derivatives (delta method):

    mean        sqrt(var X + m^2 var N) / N                            m = X / N
    variance    sqrt(var Y + 4 m^2 var X + (2 m^2 - Y/N)^2 var N) / N

They are approximate, and none is given where N is within its noise of 0.

Before the data are seen, with M = max |v - c|, and if n exceeds the reach h_N of its noise,

    |mean - estimate| <= d = (h_X + M h_N) / (n - h_N)
    |variance - estimate| <= (h_Y + M^2 h_N) / (n - h_N) + d (2 M + d)

since X/N - T/n = (Z_X - (T/n) Z_N) / N with |T/n| <= M, likewise for Y/N with S/n <= M^2, and
A^2 - B^2 = (A - B)(A + B).

`expected_errors` says the errors that an answer will have, before it is paid for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from math import sqrt as root
from typing import NamedTuple

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, sqrt, whole
from twoworlds.release.answers.widths import FAILURE, half_width, rank_error, variance
from twoworlds.release.query.model import Kind
from twoworlds.release.query.resolve import Resolved, SummedMeasure
from twoworlds.release.sensitivity import Calibration, MeasureNoise


class Certainty(Enum):
    """What an interval is worth; the value is how it is said."""

    EXACT = "exact"
    LAW = "95%"
    BOUND = "at least 95%"
    RANKS = "at least 95%, in ranks"


class CellEstimate(NamedTuple):
    """An answer and its error.

    Attributes:
        value: The estimate, exact as a function of the noisy integers.
        error: Its standard error: a number of the exact law, a float where it is approximate (delta
            method), or None where there is none to be given.
        low: The lower end of the interval, ``high`` the upper; None for a quantile.
    """

    value: Fraction
    error: Number | float | None
    low: Fraction | None
    high: Fraction | None


class Expected(NamedTuple):
    """The error to be expected before anything is paid.

    Attributes:
        name: The column of the answer.
        kind: Its kind.
        standard_error: As in `CellEstimate`; at most that, for a mean or a variance.
        half_width: The answer is off by no more than this, with the certainty stated.
        ranks: For a quantile, in place of both: by how many ranks it is off.
        size: The group size that was supposed; None when it does not matter or was not given.
        needs_size: Whether the errors depend on the group size.
        certainty: What half width and ranks are worth.
    """

    name: str
    kind: Kind
    standard_error: Number | float | None
    half_width: Fraction | None
    ranks: Fraction | None
    size: int | None
    needs_size: bool
    certainty: Certainty


@dataclass(frozen=True)
class NoisyPart:
    """One noisy measure of an aggregate."""

    index: int
    measure: SummedMeasure
    noise: MeasureNoise

    @property
    def exact(self) -> bool:
        """Whether it has no noise."""
        return self.noise.law is None

    @cached_property
    def variance(self) -> Number:
        """The variance of its noise, in units squared."""
        return variance(self.noise.law)

    def reach(self, parts: int = 1) -> int:
        """Return the half width, in units, with a failure of 5 % shared among so many parts."""
        return half_width(self.noise.law, FAILURE / parts)


class Estimator(ABC):
    """One column of the answer: from the noisy integers of a cell to an estimate."""

    name: str
    kind: Kind

    @property
    @abstractmethod
    def certainty(self) -> Certainty:
        """What its intervals are worth."""

    @property
    def whole(self) -> bool:
        """Whether every estimate is a whole number, by declaration and not by chance."""
        return False

    @property
    def ranks(self) -> Fraction | None:
        """The error of a quantile, in ranks."""
        return None

    @abstractmethod
    def estimate(self, noisy: Sequence[int]) -> CellEstimate:
        """Return the estimate of a cell, from one integer for each measure of the query."""

    @abstractmethod
    def expected(self, size: int | None) -> Expected:
        """Return the error to be expected, in a group of the given size where that matters."""

    @property
    def approximate(self) -> bool:
        """Whether the standard error is approximate (delta method)."""
        return self.certainty is Certainty.BOUND


def clamped(x: Fraction, low: Fraction | int, high: Fraction | int) -> Fraction:
    """Return the nearest number between two bounds."""
    return Fraction(min(max(x, low), high))


def estimators(resolved: Resolved, noises: Sequence[MeasureNoise]) -> tuple[Estimator, ...]:
    """Return the estimator of each aggregate."""

    def part(index: int | None) -> NoisyPart:
        if index is None:
            raise InvalidInput("a recipe lacks a measure: resolve the query again")
        return NoisyPart(index, resolved.measures[index], noises[index])

    found: list[Estimator] = []
    for aggregate, recipe in zip(resolved.query.aggregates, resolved.recipes, strict=True):
        name, kind = aggregate.name, aggregate.kind
        match kind:
            case "count":
                found.append(Linear(name, kind, part(recipe.rows)))
            case "people":
                found.append(Linear(name, kind, part(recipe.people)))
            case "sum":
                found.append(Linear(name, kind, part(recipe.total)))
            case "mean":
                found.append(Mean(name, kind, part(recipe.rows), part(recipe.total)))
            case "variance":
                parts = (part(recipe.rows), part(recipe.total), part(recipe.squares))
                found.append(Variance(name, kind, *parts))
            case "quantile":
                found.append(Quantile(name, kind, part(recipe.ranks)))
    return tuple(found)


@dataclass(frozen=True)
class Linear(Estimator):
    """A count or a sum."""

    name: str
    kind: Kind
    part: NoisyPart

    @property
    def certainty(self) -> Certainty:
        """Exact without noise; otherwise by the law of the noise."""
        return Certainty.EXACT if self.part.exact else Certainty.LAW

    @cached_property
    def whole(self) -> bool:
        """By its unit."""
        return self.part.measure.unit.denominator == 1

    @cached_property
    def error(self) -> Number:
        """The standard error, the same in all cells."""
        return self.part.measure.unit * sqrt(self.part.variance)

    @cached_property
    def half_width(self) -> Fraction:
        """Half the width of all intervals."""
        return self.part.measure.unit * self.part.reach()

    def estimate(self, noisy: Sequence[int]) -> CellEstimate:
        """Return the noisy number in its unit."""
        value = self.part.measure.unit * noisy[self.part.index]
        return CellEstimate(value, self.error, value - self.half_width, value + self.half_width)

    def expected(self, size: int | None) -> Expected:
        """The error is the same whatever the data are."""
        found = (self.error, self.half_width, None, None, False, self.certainty)
        return Expected(self.name, self.kind, *found)


@dataclass(frozen=True)
class Quantile(Estimator):
    """A value of the grid."""

    name: str
    kind: Kind
    part: NoisyPart

    @property
    def certainty(self) -> Certainty:
        """Nothing is known of values, only of ranks; without noise no row ever counts."""
        return Certainty.RANKS if self.part.noise.rate else Certainty.EXACT

    @cached_property
    def whole(self) -> bool:
        """By its unit."""
        return self.part.measure.unit.denominator == 1

    @cached_property
    def ranks(self) -> Fraction:
        """How many ranks it may be worse than the best value of the grid."""
        rate, measure = self.part.noise.rate, self.part.measure
        return rank_error(measure.at, len(measure.grid), rate) if rate else Fraction(0)

    def estimate(self, noisy: Sequence[int]) -> CellEstimate:
        """Look the chosen place up in the grid."""
        measure = self.part.measure
        return CellEstimate(measure.unit * measure.grid[noisy[self.part.index]], None, None, None)

    def expected(self, size: int | None) -> Expected:
        """In ranks, the same whatever the data are."""
        found = (None, None, self.ranks, None, False, self.certainty)
        return Expected(self.name, self.kind, *found)


@dataclass(frozen=True)
class Ratio(Estimator):
    """What is divided by a noisy number of rows."""

    name: str
    kind: Kind
    rows: NoisyPart
    total: NoisyPart

    @property
    def noisy_parts(self) -> tuple[NoisyPart, ...]:
        """All measures, with noise or without."""
        return self.rows, self.total

    @cached_property
    def certainty(self) -> Certainty:
        """Exact only if nothing has noise."""
        exact = all(part.exact for part in self.noisy_parts)
        return Certainty.EXACT if exact else Certainty.BOUND

    @cached_property
    def _sharing(self) -> int:
        return max(1, sum(not part.exact for part in self.noisy_parts))

    @cached_property
    def _reaches(self) -> dict[int, int]:
        return {part.index: part.reach(self._sharing) for part in self.noisy_parts}

    @cached_property
    def _spreads(self) -> tuple[float, ...]:
        return tuple(float(part.variance) for part in self.noisy_parts)

    @cached_property
    def _alone(self) -> int:
        return self.rows.reach()

    def reach(self, part: NoisyPart) -> int:
        """Return the half width of a part when all are to hold together."""
        return self._reaches[part.index]

    def within(self, part: NoisyPart, noisy: Sequence[int]) -> tuple[int, int]:
        """Return the interval of a part when all are to hold together."""
        value, reach = noisy[part.index], self.reach(part)
        return value - reach, value + reach

    def sizes(self, noisy: Sequence[int]) -> tuple[int, int] | None:
        """Return the least and greatest size of the group, None if it seems to be empty."""
        low, high = self.within(self.rows, noisy)
        return None if high < 1 else (max(1, low), high)

    def visible(self, noisy: Sequence[int]) -> bool:
        """Tell whether the size of the group stands out from its noise."""
        return noisy[self.rows.index] > self._alone

    @property
    def largest(self) -> int:
        """The largest |v - c|."""
        measure = self.total.measure
        return max(measure.high - measure.center, measure.center - measure.low)

    def shift(self, size: int) -> Fraction | None:
        """Return d of the legend: how far X / N is from T / n at most; None if without bound."""
        surely = size - self.reach(self.rows)
        if surely < 1:
            return None
        return Fraction(self.reach(self.total) + self.largest * self.reach(self.rows), surely)


class Mean(Ratio):
    """A mean."""

    def estimate(self, noisy: Sequence[int]) -> CellEstimate:
        """Divide by the noisy size of the group, at least 1."""
        measure = self.total.measure
        n, x = noisy[self.rows.index], noisy[self.total.index]
        around = clamped(Fraction(x, max(n, 1)), *self._bounds)
        low, high = self._interval(noisy)
        error = None
        if self.visible(noisy):
            by_rows, by_total = self._spreads
            error = float(measure.unit) * root(by_total + float(around) ** 2 * by_rows) / n
        value, low, high = (measure.unit * (measure.center + y) for y in (around, low, high))
        return CellEstimate(value, error, low, high)

    @property
    def _bounds(self) -> tuple[int, int]:
        measure = self.total.measure
        return measure.low - measure.center, measure.high - measure.center

    def _interval(self, noisy: Sequence[int]) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest T / n."""
        sizes = self.sizes(noisy)
        if sizes is None:
            low, high = self._bounds
            return Fraction(low), Fraction(high)
        (small, large), (least, most) = sizes, self.within(self.total, noisy)
        ends = (
            Fraction(least, small if least < 0 else large),
            Fraction(most, large if most < 0 else small),
        )
        return clamped(ends[0], *self._bounds), clamped(ends[1], *self._bounds)

    def expected(self, size: int | None) -> Expected:
        """Return bounds for a group of the given size."""
        half, error, unit = None, None, self.total.measure.unit
        if size is not None:
            low, high = self._bounds
            shift = self.shift(size)
            half = unit * (high - low if shift is None else min(shift, Fraction(high - low)))
        if size is not None and size > self._alone:
            by_rows, by_total = self._spreads
            error = float(unit) * root(by_total + float(self.largest) ** 2 * by_rows) / size
        found = (error, half, None, size, True, self.certainty)
        return Expected(self.name, self.kind, *found)


@dataclass(frozen=True)
class Variance(Ratio):
    """A variance, divided by n."""

    squares: NoisyPart

    @property
    def noisy_parts(self) -> tuple[NoisyPart, ...]:
        """All measures, with noise or without."""
        return self.rows, self.total, self.squares

    @property
    def _most(self) -> Fraction:
        """The largest variance of values between the bounds: (range / 2)^2 (Popoviciu)."""
        measure = self.total.measure
        return Fraction(measure.high - measure.low, 2) ** 2

    def estimate(self, noisy: Sequence[int]) -> CellEstimate:
        """Put the three parts together."""
        unit = self.total.measure.unit
        n, x, y = (noisy[part.index] for part in self.noisy_parts)
        size = max(n, 1)
        value = clamped(Fraction(y, size) - Fraction(x, size) ** 2, 0, self._most)
        low, high = self._interval(noisy)
        error = self._error(n, x / n, y / n) if self.visible(noisy) else None
        return CellEstimate(unit**2 * value, error, unit**2 * low, unit**2 * high)

    def _error(self, n: int, mean: float, square: float) -> float:
        by_rows, by_total, by_squares = self._spreads
        spread = by_squares + 4 * mean**2 * by_total + (2 * mean**2 - square) ** 2 * by_rows
        return float(self.total.measure.unit) ** 2 * root(spread) / n

    def _interval(self, noisy: Sequence[int]) -> tuple[Fraction, Fraction]:
        r"""Return the least and the greatest S / n - T^2 / n^2.

        As a function of n it rises up to n = 2 T^2 / S and falls from there on: it is least at an
        end of the interval of n, and greatest at that place or at the end next to it.
        """
        sizes = self.sizes(noisy)
        if sizes is None:
            return Fraction(0), self._most
        (small, large), (low, high) = sizes, self.within(self.total, noisy)
        nearest = 0 if low <= 0 <= high else min(low**2, high**2)
        furthest = max(low**2, high**2)
        least, most = (max(0, end) for end in self.within(self.squares, noisy))
        top = clamped(Fraction(2 * nearest, most), small, large) if most else Fraction(large)
        bottom = min(Fraction(least, n) - Fraction(furthest, n * n) for n in (small, large))
        ends = bottom, most / top - nearest / top**2
        return clamped(ends[0], 0, self._most), clamped(ends[1], 0, self._most)

    def expected(self, size: int | None) -> Expected:
        """Return bounds for a group of the given size."""
        half, error, unit, m = None, None, self.total.measure.unit, self.largest
        if size is not None:
            half = unit**2 * self._most
            shift = self.shift(size)
            if shift is not None:
                reach = self.reach(self.rows)
                moved = Fraction(self.reach(self.squares) + m * m * reach, size - reach)
                half = unit**2 * min(self._most, moved + shift * (2 * m + shift))
        if size is not None and size > self._alone:
            by_rows, by_total, by_squares = self._spreads
            spread = by_squares + 4 * m**2 * by_total + float(m) ** 4 * by_rows
            error = float(unit) ** 2 * root(spread) / size
        found = (error, half, None, size, True, self.certainty)
        return Expected(self.name, self.kind, *found)


def expected_errors(
    resolved: Resolved, calibration: Calibration, *, size: int | None = None, query: int = 0
) -> tuple[Expected, ...]:
    """Return for each aggregate the standard error and the 95 % half width to be expected.

    Those of counts, sums and quantiles do not depend on the data. Those of means and variances
    fall with the size of the group: they are None unless a size is supposed, and then they hold
    whatever the values in the group are.
    """
    supposed = None if size is None else whole(size, "size")
    noises = calibration.noises[query]
    return tuple(each.expected(supposed) for each in estimators(resolved, noises))
