r"""Inverses of integer noise in closed form: Poisson differences and the discrete Gaussian.

With q = e^(-1 / (2 sigma2)),

    Poisson difference   g(k) = e^(2 (l1 + l2)) (-1)^k f(k)      (Lin & Kifer, Theorem 5.16)
    discrete Gaussian    g(k) = (-1)^k T q^|k| sum_m (-1)^m q^(m (m+1) + 2 m |k|) / S,
                         T = sum_k q^(k^2),  S = prod_n (1 - q^(2n))^3,

the second by partial fractions of the reciprocal theta function, whose poles are -q^(2n+1). Both
alternate. Differs: at the end of Appendix 9 the factor e^(2 (l1 + l2)) is missing, which does not
change the cone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import factorial

from flint import arb

from twoworlds.cones.noise.convolution import Summable
from twoworlds.laws.noise import SkellamNoise, summed_tail
from twoworlds.numbers import Number, Real, ball, exp, working_precision

__all__ = ["GaussianInverse", "PoissonInverse", "PoissonLaw"]

_GUARD = 32


@dataclass(frozen=True)
class PoissonLaw:
    """The law of X - Y for Poisson variables with means l1 and l2, one of which may be 0."""

    l1: Number
    l2: Number

    def pmf(self, k: int) -> Number:
        """Return P(X - Y = k)."""
        if self.l1 != 0 and self.l2 != 0:
            return SkellamNoise(self.l1, self.l2).pmf(k)
        mean, j = (self.l1, k) if self.l2 == 0 else (self.l2, -k)
        return exp(-mean) * mean**j / factorial(j) if j >= 0 else Fraction(0)

    def outside(self, reach: int) -> Number:
        """Return P(|X - Y| > reach)."""
        if self.l1 != 0 and self.l2 != 0:
            noise = SkellamNoise(self.l1, self.l2)
            return noise.at_least(reach + 1) + noise.reflected().at_least(reach + 1)
        if reach < 0:
            return Fraction(1)
        mean = self.l1 if self.l2 == 0 else self.l2

        def tail(bits: int) -> arb:
            l = ball(mean, bits)  # noqa: E741 - the paper's letter
            return summed_tail(lambda j: (-l).exp() * l**j / factorial(j), reach + 1, bits)

        return Real(tail)


class PoissonInverse(Summable):
    """The inverse of Skellam or Poisson noise (Theorem 5.16 and Appendix 9)."""

    def __init__(self, law: PoissonLaw) -> None:
        """Invert the law; with one mean 0 the inverse is one-sided like the law."""
        self.law = law
        self.low = 0 if law.l2 == 0 else None
        self.high = 0 if law.l1 == 0 else None

    @property
    def alternating(self) -> bool:
        """All probabilities are positive, so the signs are those of (-1)^k."""
        return True

    @cached_property
    def l1(self) -> Number:
        """Return e^(2 (l1 + l2))."""
        return exp(2 * (self.law.l1 + self.law.l2))

    def sign(self, k: int) -> int:
        """Return (-1)^k on the support."""
        outside = (self.low == 0 and k < 0) or (self.high == 0 and k > 0)
        return 0 if outside else 1 - 2 * (k % 2)

    def at(self, k: int) -> Number:
        """Return the signed probability times the scale."""
        return self.sign(k) * self.l1 * self.belief(k)

    def belief(self, k: int) -> Number:
        """Return the law itself: it is its own dual."""
        return self.law.pmf(k)

    def belief_tail(self, reach: int) -> Number:
        """Return the tail of the law."""
        return self.law.outside(reach)

    def tail(self, reach: int) -> Number:
        """Return the tail of the law times the scale."""
        return self.l1 * self.belief_tail(reach)

    def remainder(self, reach: int, bits: int) -> arb:
        """Return the tail itself."""
        return ball(self.tail(reach), bits)


class GaussianInverse(Summable):
    """The inverse of discrete Gaussian noise, for any sigma2 above 0."""

    def __init__(self, sigma2: Fraction) -> None:
        """Prepare q = e^(-1 / (2 sigma2))."""
        self.sigma2 = sigma2

    @property
    def alternating(self) -> bool:
        """The sum over m alternates with falling terms, so it is positive for every k."""
        return True

    def sign(self, k: int) -> int:
        """Return (-1)^k."""
        return 1 - 2 * (k % 2)

    @cached_property
    def l1(self) -> Number:
        """Return 1 / P^(pi) = prod_n ((1 + q^(2n-1)) / (1 - q^(2n-1)))^2, without cancellation."""
        return Real(lambda bits: _products(self.sigma2, bits)[0])

    def at(self, k: int) -> Number:
        """Sum the partial fractions."""
        return Real(lambda bits: self.sign(k) * self._sum(bits, abs(k), closed=False))

    def tail(self, reach: int) -> Number:
        """Sum both sides of each partial fraction in closed form."""
        if reach < 0:
            return self.l1
        return Real(lambda bits: 2 * self._sum(bits, reach + 1, closed=True))

    def remainder(self, reach: int, bits: int) -> arb:
        """Return the tail itself."""
        return ball(self.tail(reach), bits)

    def _sum(self, bits: int, k: int, *, closed: bool) -> arb:
        """Return T / S sum_m (-1)^m q^(m (m+1) + (2m+1) k), each over 1 - q^(2m+1) if closed.

        The terms fall, so the first one left out bounds the rest. For a large sigma2 they nearly
        cancel, so the precision is raised until ``bits`` of the sum are right.
        """
        work = bits + _GUARD
        while True:
            with working_precision(work):
                total = _falling(self.sigma2, k, work, closed=closed)
                result: arb = total * _products(self.sigma2, work)[1]
            if result.rel_accuracy_bits() >= bits or work > 64 * (bits + _GUARD):
                return result
            work *= 2


def _falling(sigma2: Fraction, k: int, bits: int, *, closed: bool) -> arb:
    q = ball(-1 / (2 * sigma2), bits).exp()
    total, m = arb(0), 0
    while True:
        term = q ** (m * (m + 1) + (2 * m + 1) * k)
        if closed:
            term /= 1 - q ** (2 * m + 1)
        if term < arb(2) ** -(2 * bits):
            return total + arb(0, term.abs_upper())
        total += -term if m % 2 else term
        m += 1


@lru_cache(maxsize=64)
def _products(sigma2: Fraction, bits: int) -> tuple[arb, arb]:
    """Return the absolute sum and T / S, from Jacobi's triple product.

    T / S = prod_n (1 + q^(2n-1))^2 / (1 - q^(2n))^2. After n factors the exponents of what
    remains sum to less than 8 q^(2n+1) / (1 - q)^2 in absolute value.
    """
    with working_precision(bits + _GUARD):
        q = ball(-1 / (2 * sigma2), bits + _GUARD).exp()
        norm, factor, n = arb(1), arb(1), 1
        while True:
            odd, even = q ** (2 * n - 1), q ** (2 * n)
            norm *= ((1 + odd) / (1 - odd)) ** 2
            factor *= ((1 + odd) / (1 - even)) ** 2
            rest = 8 * even * q / (1 - q) ** 2
            if rest < arb(2) ** -bits:
                spread = arb(0, rest.abs_upper()).exp()
                return norm * spread, factor * spread
            n += 1
