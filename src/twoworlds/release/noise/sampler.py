"""Samplers: exact draws from the laws of integer noise, many at a time."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from functools import cached_property, lru_cache
from math import log
from typing import TYPE_CHECKING

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
from twoworlds.release.noise.search import prepare

if TYPE_CHECKING:
    from twoworlds.release.noise.integers import Integers

__all__ = ["Sampler"]

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
    from twoworlds.release.noise.inversion import Inversion

    if Inversion.suits(noise):
        return Inversion.of(noise)
    if isinstance(noise, NegativeBinomialDifference):
        from twoworlds.release.noise.laplace import SumOfLaplace

        return SumOfLaplace.of(noise)
    from twoworlds.release.noise.wide import WideGaussian, WideSkellam

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
