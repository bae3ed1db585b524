r"""Two-sided geometric noise of any width, by digits.

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

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any, Self

from twoworlds.errors import TooLarge
from twoworlds.laws.noise import GeometricNoise, NegativeBinomialDifference, Noise
from twoworlds.numbers import LIMIT_BITS, Number, ball, exact_text, working_precision
from twoworlds.release.noise.bits import Bits
from twoworlds.release.noise.laws import Digit, SignedGeometric
from twoworlds.release.noise.sampler import Sampler, placed, summed
from twoworlds.release.noise.table import CHUNK, Table

if TYPE_CHECKING:
    import numpy as np

    from twoworlds.release.noise.sampler import Integers

__all__ = ["Laplace", "SumOfLaplace"]

_DIGIT = 10  # bits of a digit, at most
_WIDEST = 4  # up to 2^4 times the scale of p = 1/2, one table holds the law
_LONGEST = 54  # bits below H for which 2^m H has at most 62: |H| stays below 2^8 in a table


@dataclass(frozen=True)
class Laplace(Sampler):
    """Two-sided geometric noise: a table for H = floor(Z / 2^shift), and one for each digit.

    Attributes:
        digits: the place of each digit, in bits, and its table.
    """

    noise: Noise
    shift: int
    top: Table
    digits: tuple[tuple[int, Table], ...]

    @classmethod
    def of(cls, noise: GeometricNoise) -> Self:  # type: ignore[override]
        """Choose where to split: half the scale, unless one table holds everything."""
        bits = _scale_bits(noise.p)
        return cls.split(noise, 0 if bits <= _WIDEST else bits - 1)

    @classmethod
    def split(cls, noise: GeometricNoise, shift: int) -> Self:
        """Compute the tables for H = floor(Z / 2^shift), and for the digits below."""
        count = -(-shift // _DIGIT)
        places = [shift * i // count for i in range(count)] + [shift]
        return cls(
            noise,
            shift,
            Table.of(SignedGeometric(noise.p, 1 << shift)),
            tuple(
                (low, Table.of(Digit(noise.p, 1 << low, 1 << (high - low))))
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
    part: Laplace
    count: int

    @classmethod
    def of(cls, noise: NegativeBinomialDifference) -> Self:  # type: ignore[override]
        """Compute the tables of one part."""
        return cls(noise, Laplace.of(GeometricNoise(noise.p)), noise.r)

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
