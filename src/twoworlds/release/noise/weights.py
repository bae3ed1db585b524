r"""Weights: what probabilities are proportional to, for the laws that are drawn by rejection.

* Discrete Gaussian: f(k) = e^(-k^2 / (2 s)). The sum of all weights is never needed.
* Poisson: f(k) = l^k m! / (l^m k!), which is 1 at the mode m.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Protocol

from flint import arb

from twoworlds.numbers import Number, Real, ball, working_precision

__all__ = ["WIDEST", "GaussianWeights", "PoissonWeights", "Weights"]

WIDEST = 1 << 48  # the width up to which a law is drawn by rejection


class Weights(Protocol):
    """A log-concave function on the whole numbers, rising up to the mode and falling from it on."""

    @property
    def mode(self) -> int:
        """Where it is greatest."""

    @property
    def width(self) -> float:
        """About the standard deviation of the law."""

    def exact(self, k: int) -> Number:
        """Return f(k)."""

    def enclosed(self, k: int, bits: int) -> arb:
        """Return a ball that holds f(k)."""


@dataclass(frozen=True)
class GaussianWeights:
    """The weights of discrete Gaussian noise."""

    sigma2: Fraction
    mode = 0

    @property
    def width(self) -> float:
        """Return the square root of sigma2."""
        return sqrt(self.sigma2)

    def exact(self, k: int) -> Number:
        """Return f(k)."""
        return Real(lambda bits: self.enclosed(k, bits))

    def enclosed(self, k: int, bits: int) -> arb:
        """Return a ball that holds f(k)."""
        top, bottom = -k * k * self.sigma2.denominator, 2 * self.sigma2.numerator
        with working_precision(bits):
            return (arb(top) / bottom).exp()


@dataclass(frozen=True)
class PoissonWeights:
    """The weights of a Poisson variable with the given mean l >= 1."""

    mean: Number

    @cached_property
    def mode(self) -> int:
        """Return the least k with l <= k + 1: f(k + 1) / f(k) is l / (k + 1)."""
        guess = max(0, round(float(self.mean)) - 2)
        while not self.mean <= guess + 1:
            guess += 1
        while guess > 0 and self.mean <= guess:
            guess -= 1
        return guess

    @property
    def width(self) -> float:
        """Return the standard deviation."""
        return sqrt(float(self.mean))

    def exact(self, k: int) -> Number:
        """Return f(k), which is 0 below 0."""
        return Real(lambda bits: self.enclosed(k, bits)) if k >= 0 else Fraction(0)

    def enclosed(self, k: int, bits: int) -> arb:
        """Return a ball that holds f(k), for k >= 0, with about ``bits`` bits of its own."""
        precision = bits + 2 * max(k, self.mode).bit_length() + 16  # what the difference cancels
        mean = ball(self.mean, precision)
        with working_precision(precision):
            factorials = arb(self.mode + 1).lgamma() - arb(k + 1).lgamma()
            return (mean.log() * (k - self.mode) + factorials).exp()
