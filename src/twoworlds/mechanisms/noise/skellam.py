r"""Skellam noise: the difference of two Poisson variables.

    P(Z = k) = e^-(l1 + l2) (l1 / l2)^(k/2) I_|k|(2 sqrt(l1 l2)),

where l1, l2 > 0 are the two means and I is the modified Bessel function (Lin & Kifer, Section
5.3.2). The likelihood ratio of two shifted copies grows without bound, so that no finite epsilon
holds with delta = 0. All values are rigorous enclosures of any wanted precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from twoworlds.mechanisms.noise.base import Noise, Supremum, summed_tail
from twoworlds.numbers import INFINITY, Number, Real, ball, exact_text, positive

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SkellamNoise"]


@dataclass(frozen=True)
class SkellamNoise(Noise):
    """The Skellam law with means l1 and l2."""

    l1: Number
    l2: Number

    def __post_init__(self) -> None:
        """Check that both means are above 0."""
        object.__setattr__(self, "l1", positive(self.l1, "l1"))
        object.__setattr__(self, "l2", positive(self.l2, "l2"))

    @property
    def expression(self) -> str:  # type: ignore[override]
        """The call that builds it."""
        return f"skellam(l1={exact_text(self.l1)}, l2={exact_text(self.l2)})"

    def _term(self, k: int, bits: int) -> arb:
        l1, l2 = ball(self.l1, bits), ball(self.l2, bits)
        bessel = (2 * (l1 * l2).sqrt()).bessel_i(abs(k))
        return (-(l1 + l2)).exp() * (l1 / l2).sqrt() ** k * bessel

    def pmf(self, k: int) -> Real:
        """Return P(Z = k)."""
        return Real(lambda bits: self._term(k, bits))

    def likelihood(self, k: int, shift: int) -> Number:
        """Return the ratio; with equal means it is exactly 1 halfway between the copies."""
        if 2 * k == shift and self.l1 == self.l2:
            return Fraction(1)
        return super().likelihood(k, shift)

    def at_least(self, k: int) -> Number:
        """Sum the upper tail, or one minus the lower one, whichever lies away from the mean."""
        if k <= self.mean:
            return 1 - self.reflected().at_least(1 - k)
        return Real(lambda bits: summed_tail(lambda j: self._term(j, bits), k, bits))

    def supremum(self, shift: int) -> Supremum:
        """The ratio has no bound."""
        return Supremum(INFINITY, None)

    def reflected(self) -> SkellamNoise:
        """Return the law of -Z: the means change places."""
        return SkellamNoise(self.l2, self.l1)

    @property
    def mean(self) -> Number:
        """Return l1 - l2."""
        return self.l1 - self.l2 if self.l1 != self.l2 else Fraction(0)

    @property
    def variance(self) -> Number:
        """Return l1 + l2."""
        return self.l1 + self.l2

    def sample(self, rng: np.random.Generator) -> int:
        """Draw the difference of two Poisson variables."""
        return int(rng.poisson(float(self.l1))) - int(rng.poisson(float(self.l2)))
