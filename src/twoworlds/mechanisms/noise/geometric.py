r"""Two-sided geometric noise, the integer form of Laplace noise.

    P(Z = k) = (1 - p) / (1 + p) * p^|k|

where p in (0, 1) is the continuation probability and 1/p = e^epsilon for sensitivity 1
(Lin & Kifer, Lemma 5.14 with r = 1; p is the *failure* probability of the underlying geometric).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.noise.base import Noise, Supremum
from twoworlds.numbers import Number, exact_text, number, power

if TYPE_CHECKING:
    import numpy as np

__all__ = ["GeometricNoise"]


@dataclass(frozen=True)
class GeometricNoise(Noise):
    """The two-sided geometric law.

    >>> [str(GeometricNoise(Fraction(1, 2)).pmf(k)) for k in (-1, 0, 1)]
    ['1/6', '1/3', '1/6']
    """

    p: Number

    def __post_init__(self) -> None:
        """Check 0 < p < 1."""
        object.__setattr__(self, "p", number(self.p, "p"))
        if not 0 < self.p < 1:
            raise InvalidInput(f"p={exact_text(self.p)} must lie strictly between 0 and 1")

    @property
    def expression(self) -> str:  # type: ignore[override]
        """The call that builds it."""
        return f"geometric(ratio={exact_text(1 / self.p)})"

    def pmf(self, k: int) -> Number:
        """Return P(Z = k)."""
        return (1 - self.p) / (1 + self.p) * power(self.p, abs(k))

    def at_least(self, k: int) -> Number:
        """Return P(Z >= k) = p^k / (1 + p) for k > 0, and its complement otherwise."""
        if k > 0:
            return power(self.p, k) / (1 + self.p)
        return 1 - power(self.p, 1 - k) / (1 + self.p)

    def likelihood(self, k: int, shift: int) -> Number:
        """Return p^(|k - d| - |k|)."""
        return power(self.p, abs(k - shift) - abs(k))

    def supremum(self, shift: int) -> Supremum:
        """Return p^-d, attained by every k >= d."""
        return Supremum(power(self.p, -shift), shift)

    def last_step(self, shift: int) -> int:
        """The ratio is constant from k = d on."""
        return shift

    def reflected(self) -> GeometricNoise:
        """The law is symmetric."""
        return self

    @property
    def mean(self) -> Number:
        """Return 0."""
        return Fraction(0)

    @property
    def variance(self) -> Number:
        """Return 2 p / (1 - p)^2."""
        return 2 * self.p / (1 - self.p) ** 2

    def sample(self, rng: np.random.Generator) -> int:
        """Draw the difference of two geometric variables."""
        stop = 1 - float(self.p)
        return int(rng.geometric(stop)) - int(rng.geometric(stop))
