"""Estimates with their errors, and the noisy measures that they are made of.

An error here is the error of noise and of nothing else: that values were clamped and rounded, that
rows without a value or beyond the limit of a person were left out, belongs to the question.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from twoworlds.numbers import Number
from twoworlds.release.answers.widths import FAILURE, half_width, variance
from twoworlds.release.query.measures import Measure
from twoworlds.release.query.model import Kind
from twoworlds.release.sensitivity import MeasureNoise

__all__ = ["Certainty", "Estimate", "Estimator", "Expected", "Part", "clamped"]


class Certainty(Enum):
    """What an interval is worth; the value is how it is said."""

    EXACT = "exact"
    LAW = "95%"
    BOUND = "at least 95%"
    RANKS = "at least 95%, in ranks"


class Estimate(NamedTuple):
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
        standard_error: As in `Estimate`; at most that, for a mean or a variance.
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
class Part:
    """One noisy measure of an aggregate."""

    index: int
    measure: Measure
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
    def estimate(self, noisy: Sequence[int]) -> Estimate:
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
