r"""The difference of two negative binomial variables, exactly.

With X, Y independent, P(X = j) = C(j + r - 1, j) p^j (1 - p)^r, Z = X - Y has for k >= 0 the law

    P(Z = k) = (1 - p)^(2r) p^k  sum_j C(j + r - 1, r - 1) C(j + k + r - 1, r - 1) p^(2j),

symmetric in k (Lin & Kifer, Section 5.3.1; p is the continuation probability). For whole r the
sum is a polynomial of degree r - 1 in k, so that probabilities and tails are rational. The tight
ratio for a shift d is p^-d: attained for r = 1 (geometric noise), only approached for r > 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.noise.base import Noise, Supremum
from twoworlds.numbers import Number, exact_text, power, rational, whole

if TYPE_CHECKING:
    import numpy as np

__all__ = ["NegativeBinomialDifference"]

_LARGEST_R = 100_000


@dataclass(frozen=True)
class NegativeBinomialDifference(Noise):
    """The differenced negative binomial law.

    >>> str(NegativeBinomialDifference(Fraction(1, 2), 2).pmf(0))
    '5/27'
    """

    p: Fraction
    r: int

    def __post_init__(self) -> None:
        """Check 0 < p < 1 and whole r >= 1."""
        object.__setattr__(self, "p", rational(self.p, "p"))
        object.__setattr__(self, "r", whole(self.r, "r", at_least=1, at_most=_LARGEST_R))
        if not 0 < self.p < 1:
            raise InvalidInput(f"p={exact_text(self.p)} must lie strictly between 0 and 1")

    @property
    def expression(self) -> str:  # type: ignore[override]
        """The call that builds it."""
        return f"differenced-negative-binomial(p={exact_text(self.p)}, r={self.r})"

    @cached_property
    def _at_zero_on(self) -> list[Fraction]:
        """The polynomial factor P(Z = k) / p^k at k = 0, 1, ..., r - 1."""
        return [self._factor_by_sum(k) for k in range(self.r)]

    def _factor_by_sum(self, k: int) -> Fraction:
        """Evaluate the series in closed form.

        sum_j C(j+r-1, r-1) C(j+k+r-1, r-1) x^j is C(k+r-1, r-1) 2F1(r, k+r; k+1; x), and Euler's
        transformation turns it into (1-x)^(1-2r) times a sum that ends after r terms.
        """
        r, x = self.r, self.p**2
        term, total = Fraction(comb(k + r - 1, r - 1)), Fraction(0)
        for i in range(r):
            total += term
            term *= Fraction((1 - r + i) * (k + 1 - r + i), (k + 1 + i) * (i + 1)) * x
        return (1 - self.p) ** (2 * r) * total / (1 - x) ** (2 * r - 1)

    @cached_property
    def _differences(self) -> list[Fraction]:
        """The forward differences of the factor at 0: its Newton form."""
        row, found = list(self._at_zero_on), []
        while row:
            found.append(row[0])
            row = [b - a for a, b in pairwise(row)]
        return found

    def _factor(self, k: int) -> Fraction:
        """Return P(Z = k) / p^k for k >= 0, a polynomial in k."""
        total, binomial = Fraction(0), Fraction(1)
        for i, difference in enumerate(self._differences):
            total += difference * binomial
            binomial *= Fraction(k - i, i + 1)
        return total

    def _power(self, k: int) -> Fraction:
        return rational(power(self.p, k))

    def pmf(self, k: int) -> Fraction:
        """Return P(Z = k)."""
        return self._factor(abs(k)) * self._power(abs(k))

    def likelihood(self, k: int, shift: int) -> Fraction:
        """Return the ratio without ever forming p^k."""
        factor = self._factor(abs(k - shift)) / self._factor(abs(k))
        return factor * self._power(abs(k - shift) - abs(k))

    def at_least(self, k: int) -> Fraction:
        """Sum polynomial times geometric: sum_m f(k+m) p^m = sum_i (D^i f)(k) p^i / (1-p)^(i+1)."""
        if k <= 0:
            return 1 - self.at_least(1 - k)
        row = [self._factor(k + i) for i in range(self.r)]
        total, weight = Fraction(0), 1 / (1 - self.p)
        while row:
            total += row[0] * weight
            weight *= self.p / (1 - self.p)
            row = [b - a for a, b in pairwise(row)]
        return total * self._power(k)

    def supremum(self, shift: int) -> Supremum:
        """Return p^-d; the polynomial factor keeps the ratio below it unless r = 1."""
        return Supremum(self._power(-shift), shift if self.r == 1 else None)

    def last_step(self, shift: int) -> int | None:
        """The ratio becomes constant only for r = 1."""
        return shift if self.r == 1 else None

    def reflected(self) -> NegativeBinomialDifference:
        """The law is symmetric."""
        return self

    @property
    def mean(self) -> Number:
        """Return 0."""
        return Fraction(0)

    @property
    def variance(self) -> Number:
        """Return 2 r p / (1 - p)^2."""
        return 2 * self.r * self.p / (1 - self.p) ** 2

    def sample(self, rng: np.random.Generator) -> int:
        """Draw the difference of two negative binomial variables."""
        stop = 1 - float(self.p)
        return int(rng.negative_binomial(self.r, stop)) - int(rng.negative_binomial(self.r, stop))
