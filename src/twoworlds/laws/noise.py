r"""Laws on the whole numbers with exact tails: noise that is added to a true answer.

An `IntegerLaw` knows its probabilities and its exact tails. All laws here are log-concave, so that
the likelihood ratio of two shifted copies,

    likelihood(k, d) = P(Z = k - d) / P(Z = k),   d > 0,

never falls as k grows: the worst event is always a half-line, found by bisection, and its mass is
a tail (`twoworlds.laws.shifted`). That is what makes infinitely many outputs exact. A `Noise` has a
mean and a variance besides, and can be drawn from for simulation.

    GeometricNoise               P(Z = k) = (1 - p) / (1 + p) p^|k|, the integer form of Laplace
                                 noise (Lin & Kifer, Lemma 5.14 with r = 1; p is the failure
                                 probability of the underlying geometric, 1/p = e^epsilon)
    NegativeBinomialDifference   the difference of two negative binomial variables (Section 5.3.1)
    SkellamNoise                 the difference of two Poisson variables (Section 5.3.2)
    DiscreteGaussianNoise        P(Z = k) proportional to e^(-k^2 / (2 s))

Laws of counts, such as the binomial one, are in `twoworlds.laws.counts`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from flint import arb

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import (
    INFINITY,
    Exp,
    Number,
    Real,
    ball,
    exact_text,
    number,
    positive,
    power,
    rational,
    whole,
    working_precision,
)

if TYPE_CHECKING:
    import numpy as np

_MOST_TERMS = 1 << 19
_LARGEST_R = 100_000
_NO_TAIL = (
    "the tail of this noise cannot be added up: it is too narrow, too wide, or asked for too far "
    "out; laplace, gaussian and geometric noise of that width have tails in closed form"
)
_RECURRENCE_BITS = 32  # more than the steps of a recurrence lose
_ENOUGH = 1.6  # variances, times bits: beyond the root of so many there is next to nothing, mostly


class Supremum(NamedTuple):
    """sup_k likelihood(k, d), and the smallest k that attains it, or None."""

    ratio: Number
    attained_at: int | None


class IntegerLaw(ABC):
    """A log-concave law on the whole numbers from ``first`` to ``last`` (None: no end)."""

    first: int | None = None
    last: int | None = None

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
    def reflected(self) -> IntegerLaw:
        """Return the law of -Z."""

    def at_most(self, k: int) -> Number:
        """Return P(Z <= k)."""
        return 1 - self.at_least(k + 1)

    def likelihood(self, k: int, shift: int) -> Number:
        """Return pmf(k - shift) / pmf(k)."""
        return self.pmf(k - shift) / self.pmf(k)

    def last_step(self, shift: int) -> int | None:
        """Return the k from which the likelihood ratio stays constant, or None if it never does."""
        return None


class Noise(IntegerLaw):
    """A law on all whole numbers that is added to an answer: symmetric unless said otherwise."""

    expression: str

    def reflected(self) -> Noise:
        return self

    @property
    def mean(self) -> Number:
        """Return E Z."""
        return Fraction(0)

    @property
    @abstractmethod
    def variance(self) -> Number:
        """Return E (Z - E Z)^2."""

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> int:
        """Draw one value, for simulation."""


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
            raise Unsupported(_NO_TAIL)
        if r < 1:
            rest = following / (1 - r)
            if rest < floor * total:
                return _widened(total, rest)
        current, k = following, k + 1


def _widened(total: arb, rest: arb) -> arb:
    """Return a ball that holds everything from ``total`` to ``total + rest``."""
    half = rest / 2
    return total + half + arb(0, half.abs_upper())


@dataclass(frozen=True)
class GeometricNoise(Noise):
    """The two-sided geometric law.

    >>> [str(GeometricNoise(Fraction(1, 2)).pmf(k)) for k in (-1, 0, 1)]
    ['1/6', '1/3', '1/6']
    """

    p: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", number(self.p, "p"))
        if not 0 < self.p < 1:
            raise InvalidInput(f"p={exact_text(self.p)} must lie strictly between 0 and 1")

    @property
    def expression(self) -> str:  # type: ignore[override]
        return f"geometric(ratio={exact_text(1 / self.p)})"

    def pmf(self, k: int) -> Number:
        return (1 - self.p) / (1 + self.p) * power(self.p, abs(k))

    def at_least(self, k: int) -> Number:
        """Return P(Z >= k) = p^k / (1 + p) for k > 0, and its complement otherwise."""
        if k > 0:
            return power(self.p, k) / (1 + self.p)
        return 1 - power(self.p, 1 - k) / (1 + self.p)

    def likelihood(self, k: int, shift: int) -> Number:
        return power(self.p, abs(k - shift) - abs(k))

    def supremum(self, shift: int) -> Supremum:
        """Return p^-d, attained by every k >= d."""
        return Supremum(power(self.p, -shift), shift)

    def last_step(self, shift: int) -> int:
        """The ratio is constant from k = d on."""
        return shift

    @property
    def variance(self) -> Number:
        return 2 * self.p / (1 - self.p) ** 2

    def sample(self, rng: np.random.Generator) -> int:
        stop = 1 - float(self.p)
        return int(rng.geometric(stop)) - int(rng.geometric(stop))


@dataclass(frozen=True)
class NegativeBinomialDifference(Noise):
    r"""The differenced negative binomial law.

    With X, Y independent and P(X = j) = C(j + r - 1, j) p^j (1 - p)^r, Z = X - Y has for k >= 0

        P(Z = k) = (1 - p)^(2r) p^k  sum_j C(j + r - 1, r - 1) C(j + k + r - 1, r - 1) p^(2j),

    symmetric in k (p is the continuation probability). For whole r the sum is a polynomial of
    degree r - 1 in k, so that probabilities and tails are rational. The tight ratio for a shift d
    is p^-d: attained for r = 1 (geometric noise), only approached for r > 1.

    >>> str(NegativeBinomialDifference(Fraction(1, 2), 2).pmf(0))
    '5/27'
    """

    p: Fraction
    r: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", rational(self.p, "p"))
        object.__setattr__(self, "r", whole(self.r, "r", at_least=1, at_most=_LARGEST_R))
        if not 0 < self.p < 1:
            raise InvalidInput(f"p={exact_text(self.p)} must lie strictly between 0 and 1")

    @property
    def expression(self) -> str:  # type: ignore[override]
        return f"differenced-negative-binomial(p={exact_text(self.p)}, r={self.r})"

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
        """The forward differences of the factor P(Z = k) / p^k at 0: its Newton form."""
        row, found = [self._factor_by_sum(k) for k in range(self.r)], []
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

    @property
    def variance(self) -> Number:
        return 2 * self.r * self.p / (1 - self.p) ** 2

    def sample(self, rng: np.random.Generator) -> int:
        stop = 1 - float(self.p)
        return int(rng.negative_binomial(self.r, stop)) - int(rng.negative_binomial(self.r, stop))


@dataclass(frozen=True)
class SkellamNoise(Noise):
    """The Skellam law with means l1, l2 > 0; I is the modified Bessel function.

        P(Z = k) = e^-(l1 + l2) (l1 / l2)^(k/2) I_|k|(2 sqrt(l1 l2))

    The likelihood ratio grows without bound, so that no finite epsilon holds with delta = 0. All
    values are rigorous enclosures of any wanted precision.
    """

    l1: Number
    l2: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "l1", positive(self.l1, "l1"))
        object.__setattr__(self, "l2", positive(self.l2, "l2"))

    @property
    def expression(self) -> str:  # type: ignore[override]
        return f"skellam(l1={exact_text(self.l1)}, l2={exact_text(self.l2)})"

    def _term(self, k: int, bits: int) -> arb:
        return _skellam_mass(self.l1, self.l2, k, bits)

    def pmf(self, k: int) -> Real:
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
        if k > 0:
            return Real(lambda bits: self._tail(k, bits))
        return Real(lambda bits: summed_tail(lambda j: self._term(j, bits), k, bits))

    def _tail(self, k: int, bits: int) -> arb:
        """Sum from far out inward, P(Z = j-1) = (l2/l1) P(Z = j+1) + (j/l1) P(Z = j), for k > 0.

        All terms are positive, so that nothing cancels. What lies further out is bounded as in
        `summed_tail`.
        """
        mean, variance, fine = float(self.mean), float(self.variance), bits + _RECURRENCE_BITS
        reach = 1 + int(math.hypot(k - mean, math.sqrt(_ENOUGH * bits * variance)) - (k - mean))
        with working_precision(fine):
            floor = self._term(k, fine) * arb(2) ** (-bits - 8)
            while True:
                outer, inner = self._term(k + reach + 1, fine), self._term(k + reach, fine)
                rest = outer / (1 - outer / inner)
                if reach > _MOST_TERMS or not rest.is_finite():
                    raise Unsupported(_NO_TAIL)
                if outer < inner and rest < floor:
                    break
                reach *= 2
            l1, share = ball(self.l1, fine), ball(self.l2, fine) / ball(self.l1, fine)
            total = inner
            for j in range(k + reach, k, -1):
                outer, inner = inner, share * outer + j * inner / l1
                total += inner
            return _widened(total, rest)

    def supremum(self, shift: int) -> Supremum:
        return Supremum(INFINITY, None)

    def reflected(self) -> SkellamNoise:
        """Return the law of -Z: the means change places."""
        return SkellamNoise(self.l2, self.l1)

    @property
    def mean(self) -> Number:
        return self.l1 - self.l2 if self.l1 != self.l2 else Fraction(0)

    @property
    def variance(self) -> Number:
        return self.l1 + self.l2

    def sample(self, rng: np.random.Generator) -> int:
        return int(rng.poisson(float(self.l1))) - int(rng.poisson(float(self.l2)))


@lru_cache(maxsize=1 << 13)
def _skellam_mass(l1: Number, l2: Number, k: int, bits: int) -> arb:
    with working_precision(bits):
        one, two = ball(l1, bits), ball(l2, bits)
        bessel = (2 * (one * two).sqrt()).bessel_i(abs(k))
        return (-(one + two)).exp() * (one / two).sqrt() ** k * bessel


@dataclass(frozen=True)
class DiscreteGaussianNoise(Noise):
    """The discrete Gaussian law with s = sigma2 (close to, but not exactly, the variance).

        P(Z = k) = e^(-k^2 / (2 s)) / sum_j e^(-j^2 / (2 s))

    The likelihood ratio of two copies shifted by d is e^(d (2k - d) / (2 s)), without bound.
    """

    sigma2: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma2", rational(self.sigma2, "sigma2"))
        if self.sigma2 <= 0:
            raise InvalidInput(f"sigma2={exact_text(self.sigma2)} must be above 0")

    @property
    def expression(self) -> str:  # type: ignore[override]
        return f"discrete-gaussian(sigma2={exact_text(self.sigma2)})"

    def _weight(self, k: int, bits: int) -> arb:
        return ball(-k * k / (2 * self.sigma2), bits).exp()

    def _total(self, bits: int) -> arb:
        return _normaliser(self.sigma2, bits)

    def pmf(self, k: int) -> Real:
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
        return Supremum(INFINITY, None)

    @property
    def variance(self) -> Number:
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
