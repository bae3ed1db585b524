r"""Samplers: exact draws from the laws of integer noise, many at a time.

They are arrays of 64-bit numbers, or else of Python's integers: whole numbers never wrap around.
Noise of moderate width is drawn from one table, with one word for each value (`Inversion`).

Two-sided geometric noise of any width, by digits.

Let P(X >= k) = p^k for k >= 0 and let B be independent of X with P(B = 1) = p / (1 + p). Then

    Z = X if B = 0,   Z = -1 - X if B = 1

has the law P(Z = k) = (1 - p) / (1 + p) p^|k|. The digits of X in base 2^b are independent of one
another, of B, and of what stands above them, which is geometric again with p^(2^b) in place of p.
So Z is put together from small tables, with one word for each: the top one gives B and the high
part of X, as H = floor(Z / 2^m), and each further table one digit of X. Nothing is rejected, and
nothing rounded: a scale of 10^6 costs three words. Reversing the digits when Z is negative is an
exclusive or:

    Z = 2^m H + (L xor (2^m - 1)) if H < 0,   Z = 2^m H + L otherwise.

A sum of r such variables is the difference of two negative binomial variables with r each.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any, Self

from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    Noise,
    SkellamNoise,
)
from twoworlds.numbers import (
    LIMIT_BITS,
    Number,
    Real,
    ball,
    exact_text,
    ln,
    whole,
    working_precision,
)
from twoworlds.release.noise.bits import Bits, SimulatedBits, SystemBits
from twoworlds.release.noise.laws import Digit, SignedGeometric, Tailed, spread
from twoworlds.release.noise.table import CHUNK, WordTable, prepare

if TYPE_CHECKING:
    import numpy as np

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]  # or, very rarely, of Python's integers (dtype object)


_WIDEST = 100.0  # of one table
_MOST_TERMS = 8
_ROOM = 1 << 62
_LIMIT = (1 << 63) - 1
_SAFE = 256
_PRECISE = 256
_FEW = 1 << 12  # values that are drawn one by one in less time than numpy takes to load


class Sampler(ABC):
    """Draws whole numbers whose law is exactly that of ``noise``.

    >>> from fractions import Fraction
    >>> sampler = Sampler.of(GeometricNoise(Fraction(1, 2)))
    >>> sampler.draw(3, SystemBits()).dtype
    dtype('int64')
    """

    noise: Noise

    @staticmethod
    def of(noise: Noise) -> Sampler:
        """Return the sampler of a law; the last ones made are kept.

        Raises:
            InvalidInput: for a law that is known by an enclosure only.
            TooLarge: for noise so wide that it is not drawn.
            Unsupported: for wide noise of a law that is none of those of twoworlds.
        """
        if not isinstance(noise, Noise):
            raise InvalidInput(f"noise={noise!r} is no law: give one such as GeometricNoise(p)")
        return _made(noise)

    def draw(self, size: int, source: SystemBits) -> Integers:
        """Draw ``size`` values for a release.

        Args:
            size: how many.
            source: the operating system's bits; nothing that has a seed is taken.

        Raises:
            TooLarge: if a value may leave the range of 64 bits with a probability above 2^-256
                (then use `draw_integers`), or, with less than that probability, if one does.
        """
        return self._within_64_bits(size, _real(source))

    def draw_integers(self, size: int, source: SystemBits) -> list[int]:
        """Draw ``size`` values for a release as Python's integers, which have no limit."""
        if whole(size, "size") <= _FEW and "numpy" not in sys.modules:
            return self.few(size, _real(source))
        found: list[int] = self.values(size, _real(source)).tolist()
        return found

    def simulate(self, size: int, source: SimulatedBits) -> Integers:
        """Draw ``size`` values for a simulation, from bits that can be repeated.

        >>> from fractions import Fraction
        >>> from twoworlds.release.noise.bits import SeededBits
        >>> Sampler.of(GeometricNoise(Fraction(1, 2))).simulate(8, SeededBits(1)).tolist()
        [-1, 0, -1, 1, 1, -3, 0, -1]
        """
        if not isinstance(source, SimulatedBits):
            raise InvalidInput(
                f"a simulation takes SimulatedBits, such as SeededBits(1), not "
                f"{type(source).__name__}"
            )
        return self._within_64_bits(size, source)

    @cached_property
    def escape(self) -> int:
        """The n for which a value leaves the range of 64 bits with probability at most 2^-n."""
        return self.beyond(_LIMIT)

    def beyond(self, limit: int) -> int:
        """Return n such that P(|Z| > limit) <= 2^-n.

        By log-concavity P(Z >= K + n) <= (pmf(K+1) / pmf(K))^n for K beyond the mode, and likewise
        below; K is an end of the tables.
        """
        low, high = self.ends
        above = _falling_bits(self.noise, high, limit)
        below = _falling_bits(self.noise.reflected(), -low, limit)
        return max(0, int(min(above, below)) - 1)

    def _within_64_bits(self, size: int, source: Bits) -> Integers:
        if self.escape < _SAFE:
            raise TooLarge(
                f"{type(self.noise).__name__} may leave the range of 64 bits with a probability of "
                f"more than 2^-{_SAFE}: use draw_integers, or publish in larger units"
            )
        prepare(whole(size, "size"))
        found = self.values(whole(size, "size"), source)
        if found.dtype != "int64":
            raise TooLarge(
                f"a value left the range of 64 bits, which has a probability below "
                f"2^-{self.escape}: use draw_integers"
            )
        return found

    @property
    @abstractmethod
    def ends(self) -> tuple[int, int]:
        """Two values on either side of the mode, beyond nearly all of the law."""

    @abstractmethod
    def values(self, size: int, source: Bits) -> Integers:
        """Draw from any bits; an array of Python's integers if a value needs more than 64 bits.

        Not for releases: `draw` checks where the bits come from.
        """

    def few(self, size: int, source: Bits) -> list[int]:
        """Draw what `values` draws from the same bits, for a few; laws with tables need no numpy.

        Not for releases: `draw_integers` checks where the bits come from.
        """
        found: list[int] = self.values(size, source).tolist()
        return found


@lru_cache(maxsize=64)
def _made(noise: Noise) -> Sampler:
    _check_exact(noise)
    if isinstance(noise, GeometricNoise):
        return LaplaceSampler.of(noise)

    if Inversion.suits(noise):
        return Inversion.of(noise)
    if isinstance(noise, NegativeBinomialDifference):
        return SumOfLaplace.of(noise)
    from twoworlds.release.noise.blocks import WideGaussian, WideSkellam

    if isinstance(noise, DiscreteGaussianNoise):
        return WideGaussian.of(noise)
    if isinstance(noise, SkellamNoise):
        return WideSkellam.of(noise)
    raise Unsupported(
        f"{type(noise).__name__} is too wide for a table, and twoworlds knows no other way to draw "
        "it exactly: use less noise, or a law of twoworlds"
    )


def _check_exact(noise: Noise) -> None:
    """Refuse parameters of which only an enclosure of fixed width is known."""
    for name, value in vars(noise).items():
        if isinstance(value, Real):
            found = ball(value, 2 * _PRECISE)
            if found.rel_accuracy_bits() < _PRECISE:
                raise InvalidInput(
                    f"{name}={value!r} is known by an enclosure only, and exact noise needs an "
                    "exact number: give a fraction such as 3/4, or e^(-1/10)"
                )


def _falling_bits(noise: Noise, high: int, limit: int) -> float:
    """Return n such that P(Z > limit) <= 2^-n, but for the rounding of a float."""
    if high >= limit:
        return 0.0
    rate = ball(ln(noise.likelihood(high + 1, 1)), 2 * _PRECISE).lower()  # above 0 beyond the mode
    return 0.999 * float(rate) / log(2) * (limit - high)


def _real(source: SystemBits) -> SystemBits:
    if type(source) is not SystemBits:
        raise InvalidInput(
            f"a release takes its bits from SystemBits(), not from {type(source).__name__}: "
            "for a simulation use simulate"
        )
    return source


def placed(found: Integers, exact: dict[int, int]) -> Integers:
    """Put single values into their places.

    >>> import numpy as np
    >>> placed(np.array([1, 2]), {1: 7})
    array([1, 7])
    >>> placed(np.array([1, 2]), {1: 2**70})
    array([1, 1180591620717411303424], dtype=object)
    """
    if any(abs(value) > _ROOM for value in exact.values()):
        found = found.astype(object)
    for i, value in exact.items():
        found[i] = value
    return found


def summed(parts: Sequence[Integers], *, offset: int = 0) -> Integers:
    """Add arrays of one length, and a number to each entry.

    >>> import numpy as np
    >>> summed([np.array([1, 2]), np.array([3, 4])], offset=10)
    array([14, 16])
    """
    import numpy as np

    room = _ROOM // (len(parts) + 1)
    fits = abs(offset) <= room and all(_within(part, room) for part in parts)
    kind = np.dtype(np.int64 if fits else object)
    total = np.full(len(parts[0]), offset, dtype=kind)
    for part in parts:
        total += part.astype(kind, copy=False)
    return total


def _within(part: Integers, room: int) -> bool:
    return part.dtype == "int64" and (
        not part.size or -room <= int(part.min()) <= int(part.max()) <= room
    )


@dataclass(frozen=True)
class Inversion(Sampler):
    """A law as one table."""

    noise: Noise
    table: WordTable

    @classmethod
    def of(cls, noise: Noise) -> Self:
        """Compute the table."""
        return cls(noise, WordTable.of(Tailed(noise)))

    @staticmethod
    def suits(noise: Noise) -> bool:
        """Whether the table is small, and quickly made."""
        if isinstance(noise, NegativeBinomialDifference) and noise.r > _MOST_TERMS:
            return False
        return spread(noise) <= _WIDEST

    @property
    def ends(self) -> tuple[int, int]:
        """The ends of the table."""
        return self.table.start, self.table.start + len(self.table.boundaries.words)

    def values(self, size: int, source: Bits) -> Integers:
        """Look one word up for each value."""
        return filled(self.table, size, source)

    def few(self, size: int, source: Bits) -> list[int]:
        """Look them up one after the other."""
        return self.table.few(size, source)


def filled(table: WordTable, size: int, source: Bits) -> Integers:
    """Draw from one table, chunk by chunk."""
    import numpy as np

    found = np.empty(size, dtype=np.int64)
    exact: dict[int, int] = {}
    for start in range(0, size, CHUNK):
        words = source.words(min(CHUNK, size - start))
        found[start : start + CHUNK], ties = table.values(words, source)
        exact |= {start + i: value for i, value in ties.items()}
    return placed(found, exact)


_DIGIT = 10  # bits of a digit, at most
_ONE_TABLE = 4  # up to 2^4 times the scale of p = 1/2, one table holds the law
_LONGEST = 54  # bits below H for which 2^m H has at most 62: |H| stays below 2^8 in a table


@dataclass(frozen=True)
class LaplaceSampler(Sampler):
    """Two-sided geometric noise: a table for H = floor(Z / 2^shift), and one for each digit.

    Attributes:
        digits: the place of each digit, in bits, and its table.
    """

    noise: Noise
    shift: int
    top: WordTable
    digits: tuple[tuple[int, WordTable], ...]

    @classmethod
    def of(cls, noise: GeometricNoise) -> Self:  # type: ignore[override]
        """Choose where to split: half the scale, unless one table holds everything."""
        bits = _scale_bits(noise.p)
        return cls.split(noise, 0 if bits <= _ONE_TABLE else bits - 1)

    @classmethod
    def split(cls, noise: GeometricNoise, shift: int) -> Self:
        """Compute the tables for H = floor(Z / 2^shift), and for the digits below."""
        count = -(-shift // _DIGIT)
        places = [shift * i // count for i in range(count)] + [shift]
        return cls(
            noise,
            shift,
            WordTable.of(SignedGeometric(noise.p, 1 << shift)),
            tuple(
                (low, WordTable.of(Digit(noise.p, 1 << low, 1 << (high - low))))
                for low, high in pairwise(places)
            ),
        )

    @property
    def ends(self) -> tuple[int, int]:
        """The ends of the top table."""
        start = self.top.start
        return start << self.shift, (start + len(self.top.boundaries.words)) << self.shift

    def values(self, size: int, source: Bits) -> Integers:
        """Draw one word for each table and value, chunk by chunk."""
        import numpy as np

        kind = np.dtype(np.int64 if self.shift <= _LONGEST else object)
        found = np.empty(size, dtype=kind)
        exact: dict[int, int] = {}
        for start in range(0, size, CHUNK):
            count = min(CHUNK, size - start)
            found[start : start + count], ties = self._chunk(count, source, kind)
            exact |= {start + i: value for i, value in ties.items()}
        return placed(found, exact)

    def few(self, size: int, source: Bits) -> list[int]:
        """Draw from one table after the other."""
        high, low = self.top.few(size, source), [0] * size
        for place, table in self.digits:
            drawn = table.few(size, source)
            low = [known | digit << place for known, digit in zip(low, drawn, strict=True)]
        ones = (1 << self.shift) - 1
        return [
            (h << self.shift) + (digits ^ (ones if h < 0 else 0))
            for h, digits in zip(high, low, strict=True)
        ]

    def _chunk(
        self, count: int, source: Bits, kind: np.dtype[Any]
    ) -> tuple[Integers, dict[int, int]]:
        high, ties = self.top.values(source.words(count), source)
        if not self.digits:
            return high, ties
        import numpy as np

        parts = []
        for place, table in self.digits:
            digit = placed(*table.values(source.words(count), source)).astype(kind, copy=False)
            digit <<= place
            parts.append(digit)
        low = reduce(np.bitwise_or, parts)
        ones = (1 << self.shift) - 1
        exact = {
            i: (value << self.shift) + (int(low[i]) ^ (ones if value < 0 else 0))
            for i, value in ties.items()
        }
        high = high.astype(kind, copy=False)
        low ^= (high >> 63) & ones
        high <<= self.shift
        high |= low
        return high, exact


@dataclass(frozen=True)
class SumOfLaplace(Sampler):
    """The difference of two negative binomial variables, as a sum of r two-sided geometric ones."""

    noise: Noise
    part: LaplaceSampler
    count: int

    @classmethod
    def of(cls, noise: NegativeBinomialDifference) -> Self:  # type: ignore[override]
        """Compute the tables of one part."""
        return cls(noise, LaplaceSampler.of(GeometricNoise(noise.p)), noise.r)

    @property
    def ends(self) -> tuple[int, int]:
        """Those of all parts together."""
        low, high = self.part.ends
        return self.count * low, self.count * high

    def beyond(self, limit: int) -> int:
        """One part would have to pass limit / r: r times its probability."""
        return max(0, self.part.beyond(limit // self.count) - self.count.bit_length())

    def values(self, size: int, source: Bits) -> Integers:
        """Add the parts, two at a time, so that memory does not grow with r."""
        import numpy as np

        total = np.zeros(size, dtype=np.int64)
        for _ in range(self.count):
            total = summed([total, self.part.values(size, source)])
        return total


def _scale_bits(p: Number) -> int:
    """Return about log2(1 / (1 - p)): how many bits a value has."""
    if isinstance(p, Fraction):
        gap = 1 - p
        return max(0, gap.denominator.bit_length() - gap.numerator.bit_length())
    bits = 64
    while bits <= LIMIT_BITS:
        enclosed = ball(p, bits)
        with working_precision(bits):
            enclosed = 1 - enclosed
            if enclosed.rel_accuracy_bits() >= 8:
                return max(0, round(-float(enclosed.log()) / log(2)))
        bits *= 2
    raise TooLarge(
        f"p={exact_text(p)} is closer to 1 than 2^-{LIMIT_BITS}: noise of that width is not drawn"
    )
