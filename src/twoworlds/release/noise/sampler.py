"""Samplers: exact draws from the laws of integer noise, many at a time.

They are arrays of 64-bit numbers, or else of Python's integers: whole numbers never wrap around.
Noise of moderate width is drawn from one table, with one word for each value (`Inversion`).
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log
from typing import TYPE_CHECKING, Self

from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    Noise,
    SkellamNoise,
)
from twoworlds.numbers import Real, ball, ln, whole
from twoworlds.release.noise.bits import Bits, SimulatedBits, SystemBits
from twoworlds.release.noise.laws import Tailed, spread
from twoworlds.release.noise.table import CHUNK, Table, prepare

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]  # or, very rarely, of Python's integers (dtype object)

__all__ = ["Inversion", "Sampler", "filled", "placed", "summed"]

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
        from twoworlds.release.noise.laplace import Laplace

        return Laplace.of(noise)

    if Inversion.suits(noise):
        return Inversion.of(noise)
    if isinstance(noise, NegativeBinomialDifference):
        from twoworlds.release.noise.laplace import SumOfLaplace

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
    table: Table

    @classmethod
    def of(cls, noise: Noise) -> Self:
        """Compute the table."""
        return cls(noise, Table.of(Tailed(noise)))

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


def filled(table: Table, size: int, source: Bits) -> Integers:
    """Draw from one table, chunk by chunk."""
    import numpy as np

    found = np.empty(size, dtype=np.int64)
    exact: dict[int, int] = {}
    for start in range(0, size, CHUNK):
        words = source.words(min(CHUNK, size - start))
        found[start : start + CHUNK], ties = table.values(words, source)
        exact |= {start + i: value for i, value in ties.items()}
    return placed(found, exact)
