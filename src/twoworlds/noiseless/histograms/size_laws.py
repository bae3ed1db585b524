"""Laws of a sample's size: their masses, their half lines, and where they move too fast.

The integer-valued Laplace variable has Pr[l] proportional to ratio^-|l|. A two-sided size is
max(0, centre + Laplace); a discarded sample has N = max(0, size - [Laplace + shift]_+).

Everything is a closed form in the ratio, so that it is exact for a rational one and an enclosure of
any precision for an irrational one. `SizeLaw.jumps` finds the sizes n at which Pr[N = n] and
Pr[N = n - 1] are further apart than a given ratio; n runs over all sizes that N or N + 1 can take,
and a size that only one of the two can take is always among them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from twoworlds.definitions.coupled.words import counted
from twoworlds.laws.counts import Binomial, Counts, Poisson, added
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import INFINITY, Number, Order, Real, above, ball, compare, exact_text

Run = tuple[int, int | None, Number]
_LONGEST = 1 << 14


@dataclass(frozen=True)
class Jump:
    """Sizes ``low`` to ``high`` at which Pr[N = n] and Pr[N = n - 1] are further apart than asked.

    ``rises`` tells whether Pr[N = n] is the larger of the two.
    """

    low: int
    high: int | None
    rises: bool


class SizeLaw(ABC):
    """The law of a sample's size, from ``first`` to ``last`` (None: no end)."""

    first: int
    last: int | None

    @property
    @abstractmethod
    def text(self) -> str:
        """The law as one would type it."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What is believed about the size, as a clause."""

    @property
    @abstractmethod
    def middle(self) -> int:
        """A likeliest size, or nearly so."""

    @abstractmethod
    def mass(self, n: int) -> Number:
        """Return Pr[N = n]."""

    @abstractmethod
    def at_least(self, n: int) -> Number:
        """Return Pr[N >= n]."""

    @abstractmethod
    def runs(self) -> Iterator[Run]:
        """Yield (low, high, q): Pr[N = n - 1] / Pr[N = n] = q for all low <= n <= high."""

    def between(self, low: int, high: int | None) -> Number:
        """Return Pr[low <= N <= high]; no ``high`` means no end."""
        beyond = Fraction(0) if high is None else self.at_least(high + 1)
        return self.at_least(low) - beyond

    def jumps(self, ratio: Number) -> Iterator[Jump]:
        """Yield the sizes where the law moves by more than the ratio, one more than N included."""
        yield Jump(self.first, self.first, rises=True)
        for low, high, q in self.runs():
            if compare(q, ratio) is Order.GREATER:
                yield Jump(low, high, rises=False)
            elif compare(q * ratio, 1) is Order.LESS:
                yield Jump(low, high, rises=True)
        if self.last is not None:
            yield Jump(self.last + 1, self.last + 1, rises=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Sampled(SizeLaw):
    """The size of a sample drawn member by member: binomial or Poisson."""

    counts: Binomial | Poisson

    @property
    def first(self) -> int:  # type: ignore[override]
        """The smallest size, 0."""
        return self.counts.first

    @property
    def last(self) -> int | None:  # type: ignore[override]
        """The population, or no end."""
        return self.counts.last

    @property
    def text(self) -> str:
        """The call."""
        if isinstance(self.counts, Poisson):
            return f"poisson(mean={self.counts.mean})"
        return f"binomial(population={self.counts.trials}, rate={self.counts.rate})"

    @property
    def words(self) -> str:
        """How the sample is drawn."""
        if isinstance(self.counts, Poisson):
            return f"the size of the sample is Poisson with mean {self.counts.mean}"
        return (
            f"each of the {self.counts.trials:,} members of the population is sampled "
            f"independently with probability {self.counts.rate}"
        )

    @property
    def middle(self) -> int:
        """The mode."""
        return self.counts.mode

    def mass(self, n: int) -> Number:
        """Return Pr[N = n]."""
        return self.counts.pmf(n)

    def at_least(self, n: int) -> Number:
        """Return Pr[N >= n]."""
        return self.counts.at_least(n)

    def runs(self) -> Iterator[Run]:
        """Not needed: the quotients only rise, see `jumps`."""
        raise NotImplementedError

    def jumps(self, ratio: Number) -> Iterator[Jump]:
        """Yield both ends: quotients only rise, so what is within the ratio is an interval."""
        counts = self.counts
        low = _first_where(counts, lambda q: compare(q * ratio, 1) is not Order.LESS)
        high = _first_where(counts, lambda q: compare(q, ratio) is Order.GREATER)
        yield Jump(counts.first, low - 1, rises=True)
        yield Jump(high, None if counts.last is None else counts.last + 1, rises=False)


def _first_where(counts: Counts, holds: Callable[[Fraction], bool]) -> int:
    """Return the first n above the support's first at which a rising property of q(n) holds."""

    def test(n: int) -> bool:
        beyond = counts.last is not None and n > counts.last
        return beyond or holds(counts.quotient(n))

    low, high = counts.first + 1, counts.first + 1
    while not test(high):
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if test(middle) else (middle + 1, high)
    return low


def _laplace(ratio: Number, value: int) -> GeometricNoise:
    """Return the integer-valued Laplace variable: Pr[l] = (a - 1)/(a + 1) a^-|l|.

    Where a power up to the value would be too long a fraction, it is an enclosure.
    """
    p = 1 / ratio
    if isinstance(ratio, Fraction) and abs(value) * ratio.numerator.bit_length() > _LONGEST:
        p = Real(lambda bits: 1 / ball(ratio, bits))
    return GeometricNoise(p)


@dataclass(frozen=True)
class TwoSided(SizeLaw):
    """max(0, centre + integer-valued Laplace)."""

    centre: int
    ratio: Number
    first = 0
    last = None

    @property
    def text(self) -> str:
        """The call."""
        return f"two-sided(centre={self.centre}, ratio={exact_text(self.ratio)})"

    @property
    def words(self) -> str:
        """How the size is spread."""
        return (
            f"the size of the sample is {self.centre:,} plus an integer-valued Laplace variable "
            f"of ratio {exact_text(self.ratio)}"
        )

    @property
    def middle(self) -> int:
        """The centre."""
        return self.centre

    def mass(self, n: int) -> Number:
        """Return Pr[N = n], with all that would be negative at 0."""
        if n <= 0:
            return Fraction(0) if n < 0 else 1 - self.at_least(1)
        return _laplace(self.ratio, n - self.centre).pmf(n - self.centre)

    def at_least(self, n: int) -> Number:
        """Return Pr[N >= n]."""
        return (
            Fraction(1)
            if n <= 0
            else _laplace(self.ratio, n - self.centre).at_least(n - self.centre)
        )

    def runs(self) -> Iterator[Run]:
        """Yield the quotient next to 0, then those on either side of the centre."""
        a, c = self.ratio, self.centre
        yield (1, 1, 1 / (a - 1) if c else a**2 / (a - 1))
        if c >= 2:
            yield (2, c, 1 / a)
        yield (max(2, c + 1), None, a)


@dataclass(frozen=True)
class Discarded(SizeLaw):
    """A sample of a fixed size of which [Laplace + shift]_+ entries are discarded at random."""

    size: int
    ratio: Number
    shift: int
    first = 0

    @property
    def last(self) -> int:  # type: ignore[override]
        """The size before anything is discarded."""
        return self.size

    @property
    def text(self) -> str:
        """The call; the shift says which delta it was made for."""
        return f"discarded(size={self.size}, ratio={exact_text(self.ratio)}, shift={self.shift})"

    @property
    def words(self) -> str:
        """What is discarded."""
        return (
            f"the sample is what remains of {counted(self.size, 'entry', 'entries')} when a random "
            "number of them, "
            f"{self.shift} give or take an integer-valued Laplace variable of ratio "
            f"{exact_text(self.ratio)}, is discarded at random"
        )

    @property
    def middle(self) -> int:
        """The size less the shift."""
        return max(0, self.size - self.shift)

    def mass(self, n: int) -> Number:
        """Return Pr[N = n]."""
        if 0 < n < self.size:
            return _laplace(self.ratio, self.size - n - self.shift).pmf(self.size - n - self.shift)
        return self.at_least(n) - self.at_least(n + 1)

    def at_least(self, n: int) -> Number:
        """Return Pr[N >= n] = Pr[Laplace <= size - n - shift]."""
        if n <= 0 or n > self.size:
            return Fraction(n <= 0)
        return _laplace(self.ratio, n + self.shift - self.size).at_least(n + self.shift - self.size)

    def runs(self) -> Iterator[Run]:
        """Yield the quotients at both ends, and between them on either side of the middle."""
        a, middle = self.ratio, self.size - self.shift
        if self.size == 1:
            yield (1, 1, self.mass(0) / self.mass(1))
        if self.size < 2:
            return
        # Next to 0: (a + 1 - a^l) a^(1 - l) / (a - 1) where the middle l is not above 0.
        low = 1 / (a - 1) if middle > 0 else (a + 1 - a**middle) * a ** (1 - middle) / (a - 1)
        yield (1, 1, low)
        inner = self.size - 1
        if (top := min(middle, inner)) >= 2:
            yield (2, top, 1 / a)
        if (bottom := max(2, middle + 1)) <= inner:
            yield (bottom, inner, a)
        yield (self.size, self.size, a - 1 if self.shift else (a - 1) / a**2)

    def more_than(self, entries: int) -> Number:
        """Return the probability that more than so many entries would be discarded."""
        return _laplace(self.ratio, entries + 1 - self.shift).at_least(entries + 1 - self.shift)


@dataclass(frozen=True)
class ListedSizes(SizeLaw):
    """A law with listed weights, which are divided by their sum."""

    weights: Mapping[int, Number]
    call: str
    clause: str

    @property
    def first(self) -> int:  # type: ignore[override]
        """The smallest size."""
        return min(self.weights)

    @property
    def last(self) -> int:  # type: ignore[override]
        """The largest size."""
        return max(self.weights)

    @property
    def text(self) -> str:
        """The call."""
        return self.call

    @property
    def words(self) -> str:
        """What is believed."""
        return self.clause

    @cached_property
    def total(self) -> Number:
        """The sum of the weights."""
        return added(self.weights.values())

    @property
    def middle(self) -> int:
        """The first of the likeliest sizes."""
        return max(self.weights, key=lambda n: above(self.weights[n]))

    def mass(self, n: int) -> Number:
        """Return Pr[N = n]."""
        weight = self.weights.get(n, Fraction(0))
        return weight if weight == 0 else weight / self.total

    def at_least(self, n: int) -> Number:
        """Return Pr[N >= n]."""
        if n <= self.first or n > self.last:
            return Fraction(n <= self.first)
        return added(w for j, w in self.weights.items() if j >= n) / self.total

    def runs(self) -> Iterator[Run]:
        """Yield each quotient; sizes that are impossible on both sides do not matter."""
        for n in range(self.first + 1, self.last + 1):
            before, here = (self.weights.get(j, Fraction(0)) for j in (n - 1, n))
            if before != 0 or here != 0:
                yield (n, n, INFINITY if here == 0 else before / here)
