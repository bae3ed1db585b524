r"""Discrete Gaussian noise.

    P(Z = k) = e^(-k^2 / (2 s)) / sum_j e^(-j^2 / (2 s)),

where s is the parameter sigma squared (close to, but not exactly, the variance). The likelihood
ratio of two copies shifted by d is exactly e^(d (2k - d) / (2 s)), which has no bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from flint import arb

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.noise.base import Noise, Supremum, summed_tail
from twoworlds.numbers import (
    INFINITY,
    Exp,
    Number,
    Real,
    ball,
    exact_text,
    rational,
    working_precision,
)

if TYPE_CHECKING:
    import numpy as np

__all__ = ["DiscreteGaussianNoise"]


@dataclass(frozen=True)
class DiscreteGaussianNoise(Noise):
    """The discrete Gaussian law with parameter sigma2."""

    sigma2: Fraction

    def __post_init__(self) -> None:
        """Check that sigma2 is a rational above 0."""
        object.__setattr__(self, "sigma2", rational(self.sigma2, "sigma2"))
        if self.sigma2 <= 0:
            raise InvalidInput(f"sigma2={exact_text(self.sigma2)} must be above 0")

    @property
    def expression(self) -> str:  # type: ignore[override]
        """The call that builds it."""
        return f"discrete-gaussian(sigma2={exact_text(self.sigma2)})"

    def _weight(self, k: int, bits: int) -> arb:
        return ball(-k * k / (2 * self.sigma2), bits).exp()

    def _total(self, bits: int) -> arb:
        return _normaliser(self.sigma2, bits)

    def pmf(self, k: int) -> Real:
        """Return P(Z = k)."""
        return Real(lambda bits: self._weight(k, bits) / self._total(bits))

    def at_least(self, k: int) -> Number:
        """Sum the tail; the law is symmetric."""
        if k <= 0:
            return 1 - self.at_least(1 - k)

        def tail(bits: int) -> arb:
            return summed_tail(_weights(self.sigma2, k, bits), k, bits) / self._total(bits)

        return Real(tail)

    def likelihood(self, k: int, shift: int) -> Number:
        """Return e^(d (2k - d) / (2 s)), however large: it is compared, not written out."""
        exponent = shift * (2 * k - shift) / (2 * self.sigma2)
        return Exp(exponent) if exponent else Fraction(1)

    def supremum(self, shift: int) -> Supremum:
        """The ratio has no bound."""
        return Supremum(INFINITY, None)

    def reflected(self) -> DiscreteGaussianNoise:
        """The law is symmetric."""
        return self

    @property
    def mean(self) -> Number:
        """Return 0."""
        return Fraction(0)

    @property
    def variance(self) -> Number:
        """Return sum_k k^2 P(Z = k)."""

        def second_moment(bits: int) -> arb:
            tail = summed_tail(lambda j: self._weight(j, bits) * j * j, 1, bits)
            return 2 * tail / self._total(bits)

        return Real(second_moment)

    def sample(self, rng: np.random.Generator) -> int:
        """Draw by rejection from two-sided geometric noise (simulation only)."""
        variance = float(self.sigma2)
        scale = int(variance**0.5) + 1
        stop = -math.expm1(-1 / scale)
        while True:
            k = int(rng.geometric(stop)) - int(rng.geometric(stop))
            excess = abs(k) - variance / scale
            if rng.random() < math.exp(-(excess**2) / (2 * variance)):
                return k


@lru_cache(maxsize=64)
def _normaliser(sigma2: Fraction, bits: int) -> arb:
    """Return the sum of all weights."""
    with working_precision(bits):
        return 1 + 2 * summed_tail(_weights(sigma2, 1, bits), 1, bits)


def _weights(sigma2: Fraction, start: int, bits: int) -> Callable[[int], arb]:
    """Return e^(-k^2 / (2 s)) for k = start, start + 1, ..., to be asked for in that order.

    Each weight is the last one times a step, and each step the last one times e^(-1/s): two
    products instead of an exponential.
    """
    weight = ball(-start * start / (2 * sigma2), bits).exp()
    step = ball(-(2 * start + 1) / (2 * sigma2), bits).exp()
    shrink = ball(-1 / sigma2, bits).exp()
    following = start

    def at(k: int) -> arb:
        nonlocal weight, step, following
        while following < k:
            weight, step, following = weight * step, step * shrink, following + 1
        return weight

    return at
