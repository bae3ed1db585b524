r"""Absolutely summable sequences on the whole numbers: the inverses of convolution operators.

Adding integer noise with probabilities f is the matrix M(o, d) = f(o - d). By Wiener's theorem it
has a summable inverse g, with g * f = delta, exactly when the characteristic function
sum_k f(k) e^(ikt) has no zero; then M^-1(d, o) = g(d - o) (Lin & Kifer, Section 5.3.3; Differs:
"if it exists" must mean summable, because formal inverses are not unique: Bernoulli(3/4) also has
the unbounded 4 (-3)^k).

A `Summable` encloses each term, its absolute sum and what lies beyond any window. Two inverses have
a closed form. With q = e^(-1 / (2 sigma2)),

    Poisson difference   g(k) = e^(2 (l1 + l2)) (-1)^k f(k)      (Lin & Kifer, Theorem 5.16)
    discrete Gaussian    g(k) = (-1)^k T q^|k| sum_m (-1)^m q^(m (m+1) + 2 m |k|) / S,
                         T = sum_k q^(k^2),  S = prod_n (1 - q^(2n))^3,

the second by partial fractions of the reciprocal theta function, whose poles are -q^(2n+1). Both
alternate. Differs: at the end of Appendix 9 the factor e^(2 (l1 + l2)) is missing, which does not
change the cone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from math import factorial

from flint import arb

from twoworlds.errors import InvalidInput, Undecided
from twoworlds.laws.noise import SkellamNoise, summed_tail
from twoworlds.numbers import Number, Order, Real, ball, compare, exp, working_precision

_SIGN_BITS = 2048
_FURTHEST = 1 << 13
_GUARD = 32


class Summable(ABC):
    """A sequence g on the whole numbers with a finite sum of |g(k)|.

    Attributes:
        low: the first place that is not 0, or None when there is none.
        high: the last such place, or None.
    """

    low: int | None = None
    high: int | None = None

    @abstractmethod
    def at(self, k: int) -> Number:
        """Return g(k)."""

    @abstractmethod
    def remainder(self, reach: int, bits: int) -> arb:
        """Return a ball that lies on or above the sum of |g(k)| over |k| > reach."""

    @property
    def finite(self) -> bool:
        """Whether only finitely many terms differ from 0."""
        return self.low is not None and self.high is not None

    @property
    def signs(self) -> dict[int, int] | None:
        """The signs of finitely many terms that tell all others, if they are known."""
        return None

    @property
    def alternating(self) -> bool:
        """Whether (-1)^k g(k) is known to keep one sign, so that g speaks of parity."""
        known = (self.signs or {}).items()
        return len({sign * (-1) ** k for k, sign in known if sign}) == 1

    @property
    def peak(self) -> int | None:
        """The one place with a positive term, when no other place is known to have one."""
        positive = [k for k, sign in (self.signs or {}).items() if sign > 0]
        return positive[0] if len(positive) == 1 else None

    def sign(self, k: int) -> int:
        """Return -1, 0 or 1."""
        order = compare(self.at(k), Fraction(0), limit=_SIGN_BITS)
        if order is Order.UNDECIDED:
            raise Undecided(
                f"the sign of the coefficient at {k} is not known with {_SIGN_BITS} bits: "
                "give the noise by rational numbers"
            )
        return {Order.LESS: -1, Order.EQUAL: 0, Order.GREATER: 1}[order]

    @cached_property
    def l1(self) -> Number:
        """The sum of |g(k)| over all k."""
        return self.beyond(-1)

    def tail(self, reach: int) -> Number:
        """Return the sum of |g(k)| over |k| > reach."""
        return self.beyond(reach)

    def beyond(self, reach: int) -> Number:
        """Sum |g(k)| outward from |k| > reach until what remains is negligible."""
        if self.low is not None and self.high is not None:
            places = [k for k in range(self.low, self.high + 1) if abs(k) > reach]
            return sum((abs(self.at(k)) for k in places), start=Fraction(0))
        return Real(lambda bits: self.summed(reach, bits, arb(0)))

    def summed(self, reach: int, bits: int, floor: arb) -> arb:
        """Enclose the sum of |g(k)| over |k| > reach; an error of ``floor`` is small enough."""
        total, done, end = arb(0), reach, max(2 * reach, 8)
        while True:
            for k in range(done + 1, end + 1):
                for place in {k, -k}:
                    total += abs(ball(self.at(place), bits))
            rest = self.remainder(end, bits)
            known = rest < total * arb(2) ** -bits or rest < total.rad() or rest < floor
            if known or not total.is_finite() or end >= _FURTHEST:
                return widened(total, rest)
            done, end = end, 2 * end

    def belief(self, k: int) -> Number:
        """Return |g(k)| / l1, a probability."""
        return abs(self.at(k)) / self.l1

    def belief_tail(self, reach: int) -> Number:
        """Return the probability of |k| > reach under the belief."""
        return self.tail(reach) / self.l1


def widened(total: arb, rest: arb) -> arb:
    """Return a ball that holds everything from ``total`` to ``total + rest``."""
    half = rest.abs_upper() / 2
    return total + half + arb(0, half.abs_upper())


class FiniteSequence(Summable):
    """A sequence with finitely many terms, exact wherever the terms are."""

    def __init__(self, terms: Mapping[int, Number]) -> None:
        """Keep the terms that are not 0."""
        self.terms = {k: term for k, term in sorted(terms.items()) if term != 0}
        if not self.terms:
            raise InvalidInput("a sequence of zeros has no inverse: give at least one term")
        self.low, self.high = min(self.terms), max(self.terms)

    def at(self, k: int) -> Number:
        """Look the term up."""
        return self.terms.get(k, Fraction(0))

    def remainder(self, reach: int, bits: int) -> arb:
        """Add up the terms outside."""
        outside = (abs(ball(term, bits)) for k, term in self.terms.items() if abs(k) > reach)
        return sum(outside, start=arb(0))

    @cached_property
    def signs(self) -> dict[int, int]:
        """Look at all terms."""
        return {k: self.sign(k) for k in self.terms}


class PoissonInverse(Summable):
    """The inverse of X - Y for Poisson variables with means l1 and l2, one of which may be 0.

    The belief is the law itself: it is its own dual (Theorem 5.16 and Appendix 9). With one mean 0
    the inverse is one-sided like the law.
    """

    def __init__(self, l1: Number, l2: Number) -> None:
        """Invert the law."""
        self.means = l1, l2
        self.low = 0 if l2 == 0 else None
        self.high = 0 if l1 == 0 else None
        self._noise = SkellamNoise(l1, l2) if l1 != 0 and l2 != 0 else None

    @property
    def alternating(self) -> bool:
        """All probabilities are positive, so the signs are those of (-1)^k."""
        return True

    @cached_property
    def l1(self) -> Number:
        """Return e^(2 (l1 + l2))."""
        return exp(2 * (self.means[0] + self.means[1]))

    def sign(self, k: int) -> int:
        """Return (-1)^k on the support."""
        outside = (self.low == 0 and k < 0) or (self.high == 0 and k > 0)
        return 0 if outside else 1 - 2 * (k % 2)

    def at(self, k: int) -> Number:
        """Return the signed probability times the scale."""
        return self.sign(k) * self.l1 * self.belief(k)

    def belief(self, k: int) -> Number:
        """Return P(X - Y = k)."""
        if self._noise is not None:
            return self._noise.pmf(k)
        mean, j = (self.means[0], k) if self.low == 0 else (self.means[1], -k)
        return exp(-mean) * mean**j / factorial(j) if j >= 0 else Fraction(0)

    def belief_tail(self, reach: int) -> Number:
        """Return P(|X - Y| > reach)."""
        if self._noise is not None:
            mirrored = self._noise.reflected()
            return self._noise.at_least(reach + 1) + mirrored.at_least(reach + 1)
        if reach < 0:
            return Fraction(1)
        mean = self.means[0] if self.low == 0 else self.means[1]

        def tail(bits: int) -> arb:
            l = ball(mean, bits)  # noqa: E741 - the paper's letter
            return summed_tail(lambda j: (-l).exp() * l**j / factorial(j), reach + 1, bits)

        return Real(tail)

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
