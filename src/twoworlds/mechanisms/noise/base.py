"""Integer noise: a law on the whole numbers that is added to a true answer.

A `Noise` knows its probabilities and its exact tails. All laws here but `FiniteNoise` are
log-concave, so that the likelihood ratio of two shifted copies,

    likelihood(k, d) = pmf(k - d) / pmf(k),   d > 0,

never falls as k grows: the worst event is always a half-line, found by bisection, and its mass is
a tail. That is what makes infinitely many outputs exact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from flint import arb

from twoworlds.errors import Unsupported
from twoworlds.numbers import Number

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Noise", "Supremum", "summed_tail"]

_MOST_TERMS = 1 << 22


class Supremum(NamedTuple):
    """sup_k likelihood(k, d), and the smallest k that attains it, or None."""

    ratio: Number
    attained_at: int | None


class Noise(ABC):
    """A log-concave law on the whole numbers."""

    expression: str

    @abstractmethod
    def pmf(self, k: int) -> Number:
        """Return P(Z = k)."""

    @abstractmethod
    def at_least(self, k: int) -> Number:
        """Return P(Z >= k)."""

    @abstractmethod
    def supremum(self, shift: int) -> Supremum:
        """Return the supremum of the likelihood ratio for a shift above 0."""

    @abstractmethod
    def reflected(self) -> Noise:
        """Return the law of -Z."""

    @property
    @abstractmethod
    def mean(self) -> Number:
        """Return E Z."""

    @property
    @abstractmethod
    def variance(self) -> Number:
        """Return E (Z - E Z)^2."""

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> int:
        """Draw one value, for simulation."""

    def likelihood(self, k: int, shift: int) -> Number:
        """Return pmf(k - shift) / pmf(k)."""
        return self.pmf(k - shift) / self.pmf(k)

    def last_step(self, shift: int) -> int | None:
        """Return the k from which the likelihood ratio stays constant, or None if it never does."""
        return None


def summed_tail(term: Callable[[int], arb], start: int, bits: int) -> arb:
    """Return the sum of positive terms from ``start`` upward, where term(k+1)/term(k) falls.

    The remainder after K is at most term(K+1) / (1 - r) with r = term(K+2) / term(K+1), once r < 1
    (log-concavity), and is added as the radius of the ball.
    """
    total, k = arb(0), start
    current = term(k)
    floor = arb(2) ** (-bits - 8)
    while True:
        total += current
        following = term(k + 1)
        r = following / current
        if not r.is_finite() or k - start > _MOST_TERMS:
            raise Unsupported(
                "the tail of this noise cannot be added up: it is too narrow, too wide, or asked "
                "for too far out"
            )
        if r < 1:
            rest = following / (1 - r)
            if rest < floor * total:
                return _widened(total, rest)
        current, k = following, k + 1


def _widened(total: arb, rest: arb) -> arb:
    """Return a ball that holds everything from ``total`` to ``total + rest``."""
    half = rest / 2
    return total + half + arb(0, half.abs_upper())
