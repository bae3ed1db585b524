"""Laws of a count with rational parameters: binomial, Poisson, hypergeometric.

They are log-concave, so that questions about them come down to sums over half lines, Pr[B >= c]:

    exactly      as integers over one common denominator, as long as that has at most
                 ``EXACT_BITS`` bits;
    enclosed     beyond it, and for Poisson laws: ball arithmetic from the first term of the half
                 line away from the mode. Terms fall by quotients r that only shrink, so what is
                 left out after a term t is at most t r / (1 - r), which is added to the ball.

An enclosure is a `Real`: any precision can be asked of it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import count
from math import comb

from flint import arb, ctx, fmpz

from twoworlds.errors import InvalidInput
from twoworlds.laws.noise import IntegerLaw, Supremum
from twoworlds.numbers import INFINITY, Number, Real, ball, show, working_precision

EXACT_BITS = 1 << 15
_GUARD_BITS = 32
_LOOK_EVERY = 16
_BLOCK = 32


def added(numbers: Iterable[Number]) -> Number:
    """Return a sum; the enclosures among many numbers are added flat, not one inside the other.

    >>> added([Fraction(1, 2), Fraction(1, 3)])
    Fraction(5, 6)
    """
    terms = list(numbers)
    exact = sum((x for x in terms if isinstance(x, Fraction)), start=Fraction(0))
    enclosed = [x for x in terms if isinstance(x, Real)]
    if not enclosed:
        return exact
    if len(enclosed) == 1:
        return enclosed[0] + exact
    return Real(lambda bits: sum((x.ball(bits) for x in enclosed), start=ball(exact, bits)))


class Counts(IntegerLaw):
    """The law of a count, from ``first`` on.

    `step(j)` is Pr[B = j + 1] / Pr[B = j] as two whole numbers, numerator and denominator.
    """

    first: int

    @abstractmethod
    def step(self, j: int) -> tuple[int, int]:
        """Return the quotient of the mass at j + 1 by the mass at j, for j in the support."""

    @abstractmethod
    def mass_ball(self, j: int, bits: int) -> arb:
        """Return a ball around the mass at a point of the support."""

    @property
    def scale(self) -> fmpz | None:
        """The common denominator of all masses, where there is one that is short enough."""
        return None

    def weight(self, j: int) -> fmpz:
        """Return the mass at j times the scale."""
        raise NotImplementedError

    @property
    def exact(self) -> bool:
        """Whether probabilities are rationals rather than enclosures."""
        return self.scale is not None

    def inside(self, j: int) -> bool:
        """Tell whether a whole number belongs to the support."""
        return self.first <= j and (self.last is None or j <= self.last)

    def pmf(self, j: int) -> Number:
        if not self.inside(j):
            return Fraction(0)
        if self.scale is not None:
            return Fraction(int(self.weight(j)), int(self.scale))
        return Real(lambda bits: self.mass_ball(j, bits))

    def quotient(self, j: int) -> Fraction:
        """Return Pr[B = j - 1] / Pr[B = j] for two neighbours in the support."""
        up, down = self.step(j - 1)
        return Fraction(down, up)

    def likelihood(self, k: int, shift: int) -> Number:
        """Multiply the quotients; 0 below the support and infinite above it: it never falls."""
        if self.last is not None and k > self.last:
            return INFINITY
        found = Fraction(1)
        for j in range(k, k - shift, -1):
            if j <= self.first:
                return Fraction(0)
            found *= self.quotient(j)
        return found

    def supremum(self, shift: int) -> Supremum:
        """No ratio is enough: above the last count, or as the counts grow."""
        return Supremum(INFINITY, None if self.last is None else self.last + 1)

    def reflected(self) -> Reflected:
        return Reflected(self)

    @cached_property
    def mode(self) -> int:
        """The last point whose mass is at least that of the point before."""
        low, high = self.first, self.last
        if high is None:
            high = low + 1
            while self._rises(high):
                low, high = high, 2 * high
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._rises(middle - 1) else (low, middle - 1)
        return low

    def _rises(self, j: int) -> bool:
        up, down = self.step(j)
        return up >= down

    def at_least(self, c: int) -> Number:
        if c <= self.first:
            return Fraction(1)
        if self.last is not None and c > self.last:
            return Fraction(0)
        return _tail(self, c, 1) if c > self.mode else 1 - _tail(self, c - 1, -1)

    def at_most(self, c: int) -> Number:
        if c < self.first:
            return Fraction(0)
        if self.last is not None and c >= self.last:
            return Fraction(1)
        return _tail(self, c, -1) if c < self.mode else 1 - _tail(self, c + 1, 1)


@dataclass(frozen=True)
class Reflected(IntegerLaw):
    """The law of -B."""

    counts: Counts

    @property
    def first(self) -> int | None:  # type: ignore[override]
        return None if self.counts.last is None else -self.counts.last

    @property
    def last(self) -> int:  # type: ignore[override]
        return -self.counts.first

    def pmf(self, k: int) -> Number:
        return self.counts.pmf(-k)

    def at_least(self, k: int) -> Number:
        return self.counts.at_most(-k)

    def likelihood(self, k: int, shift: int) -> Number:
        """Turn the ratio of the counts over."""
        if k > self.last:
            return INFINITY
        found = self.counts.likelihood(shift - k, shift)
        return Fraction(0) if found == INFINITY else 1 / found

    def supremum(self, shift: int) -> Supremum:
        """No ratio is enough: 0 is the least count."""
        return Supremum(INFINITY, self.last + 1)

    def reflected(self) -> Counts:
        return self.counts


def _quotients(
    law: Counts, c: int, way: int
) -> tuple[Callable[[int], tuple[int, int]], int | None]:
    """Return the quotients of each mass by the one before, from c upward or downward; how many."""
    if way > 0:
        return lambda i: law.step(c + i), None if law.last is None else law.last - c
    return lambda i: law.step(c - 1 - i)[::-1], c - law.first


@lru_cache(maxsize=4096)
def _tail(law: Counts, c: int, way: int) -> Number:
    """Return the mass from a c of the support on, away from the mode: upward or downward."""
    if law.scale is None:
        return Real(lambda bits: _ball(law, c, way, bits))
    step, many = _quotients(law, c, way)
    first, (_, bottom, top) = law.weight(c), _series(step, 0, many or 0)
    return Fraction(int(first + first * top // bottom), int(law.scale))


def _ball(law: Counts, c: int, way: int, bits: int) -> arb:
    """Enclose the same."""
    step, many = _quotients(law, c, way)
    with working_precision(bits + _GUARD_BITS):
        term = total = law.mass_ball(c, bits)
        for i in count(1) if many is None else range(1, many + 1):
            up, down = step(i - 1)
            term = term * up / down
            total += term
            if (c + way * i) % _LOOK_EVERY == 0 and up < down:
                rest = (term.upper() * up / (down - up)).upper()  # t r / (1 - r)
                if rest < total.lower() * arb(2) ** -bits:
                    return total + rest.union(arb(0))
        return total


def tail_ball(law: Counts, c: int, bits: int) -> arb:
    """Return a ball around Pr[B >= c], also where it could be had exactly."""
    if c <= law.first or (law.last is not None and c > law.last):
        return arb(int(c <= law.first))
    with working_precision(bits + _GUARD_BITS):
        return _ball(law, c, 1, bits) if c > law.mode else 1 - _ball(law, c - 1, -1, bits)


def _series(
    step: Callable[[int], tuple[int, int]], start: int, stop: int
) -> tuple[fmpz, fmpz, fmpz]:
    """Return P, Q, T for quotients r_j = p_j / q_j: P/Q is their product from start to stop - 1.

    T/Q is r_start + r_start r_(start+1) + ..., up to that product. Halves are put together by
    P = P' P'', Q = Q' Q'', T = T' Q'' + P' T'' (binary splitting).
    """
    if stop - start > _BLOCK:
        middle = (start + stop) // 2
        p, q, t = _series(step, start, middle)
        p_right, q_right, t_right = _series(step, middle, stop)
        return p * p_right, q * q_right, t * q_right + p * t_right
    p, q, t = fmpz(1), fmpz(1), fmpz(0)
    for j in range(start, stop):
        up, down = step(j)
        p *= up
        q *= down
        t = t * down + p
    return p, q, t


@dataclass(frozen=True)
class Binomial(Counts):
    """How many of ``trials`` independent events of probability ``rate`` happen."""

    trials: int
    rate: Fraction
    first = 0

    def __post_init__(self) -> None:
        if self.trials < 0 or not 0 < self.rate < 1:
            raise InvalidInput(
                f"binomial(trials={self.trials}, rate={self.rate}): the rate must lie strictly "
                "between 0 and 1, and there are no fewer than 0 trials"
            )

    @property
    def last(self) -> int:  # type: ignore[override]
        return self.trials

    def step(self, j: int) -> tuple[int, int]:
        """Return (n - j) p / ((j + 1) (1 - p))."""
        u, v = self.rate.numerator, self.rate.denominator
        return (self.trials - j) * u, (j + 1) * (v - u)

    @cached_property
    def scale(self) -> fmpz | None:
        """The denominator of the rate to the power of the trials."""
        v = self.rate.denominator
        return fmpz(v) ** self.trials if self.trials * v.bit_length() <= EXACT_BITS else None

    def weight(self, j: int) -> fmpz:
        """Return C(n, j) u^j (v - u)^(n - j) for a rate u / v."""
        u, v = self.rate.numerator, self.rate.denominator
        return fmpz(comb(self.trials, j)) * fmpz(u) ** j * fmpz(v - u) ** (self.trials - j)

    def mass_ball(self, j: int, bits: int) -> arb:
        """Return the mass from logarithms of factorials."""
        n = self.trials
        with working_precision(bits + 2 * n.bit_length() + _GUARD_BITS):
            p = ball(self.rate, ctx.prec)
            return (_log_choose(n, j) + j * p.log() + (n - j) * (1 - p).log()).exp()

    @staticmethod
    def largest_exact(rate: Fraction) -> int:
        """Return the most trials for which probabilities are still exact rationals."""
        return EXACT_BITS // rate.denominator.bit_length()


@dataclass(frozen=True)
class Poisson(Counts):
    """A Poisson count with a rational mean."""

    mean: Fraction
    first = 0
    last = None

    def __post_init__(self) -> None:
        if self.mean <= 0:
            raise InvalidInput(f"poisson(mean={show(self.mean)}): the mean must be above 0")

    def step(self, j: int) -> tuple[int, int]:
        """Return the mean over j + 1."""
        return self.mean.numerator, (j + 1) * self.mean.denominator

    def mass_ball(self, j: int, bits: int) -> arb:
        """Return exp(j ln mean - mean - ln j!)."""
        size = max(j, int(self.mean)) + 1
        with working_precision(bits + 2 * size.bit_length() + _GUARD_BITS):
            mean = ball(self.mean, ctx.prec)
            return (j * mean.log() - mean - arb(j + 1).lgamma()).exp()


def _log_choose(n: int, j: int) -> arb:
    return arb(n + 1).lgamma() - arb(j + 1).lgamma() - arb(n - j + 1).lgamma()
