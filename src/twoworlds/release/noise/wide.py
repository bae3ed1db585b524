r"""Wide noise without a closed form for its tails: discrete Gaussian and Skellam.

Discrete Gaussian noise is drawn by rejection from blocks. Skellam noise is the difference of two
Poisson variables, and Poisson variables with the means l and l' add up to one with l + l'. So wide
Skellam noise is a sum of independent parts that are easy to draw: Poisson variables of large mean,
by rejection from blocks, and where one mean is small, narrow Skellam noise, from a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Self

from twoworlds.laws.noise import DiscreteGaussianNoise, Noise, SkellamNoise
from twoworlds.release.noise.bits import Bits
from twoworlds.release.noise.blocks import Blocks
from twoworlds.release.noise.integers import summed
from twoworlds.release.noise.inversion import Inversion
from twoworlds.release.noise.laws import centre, spread
from twoworlds.release.noise.sampler import Sampler
from twoworlds.release.noise.weights import GaussianWeights, PoissonWeights

if TYPE_CHECKING:
    from twoworlds.release.noise.integers import Integers

__all__ = ["WideGaussian", "WideSkellam"]

_LARGE = 5000  # a Poisson variable of this mean or more: its blocks stay far above 0
_KEPT = Fraction(2500)  # what is kept of the larger mean beside a small one


@dataclass(frozen=True, eq=False)
class WideGaussian(Sampler):
    """Discrete Gaussian noise by rejection."""

    noise: Noise
    blocks: Blocks

    @classmethod
    def of(cls, noise: DiscreteGaussianNoise) -> Self:  # type: ignore[override]
        """Compute the blocks."""
        return cls(noise, Blocks.of(GaussianWeights(noise.sigma2)))

    @property
    def ends(self) -> tuple[int, int]:
        """Where the tails begin."""
        return self.blocks.ends

    def values(self, size: int, source: Bits) -> Integers:
        """Draw by rejection."""
        return self.blocks.values(size, source)


@dataclass(frozen=True, eq=False)
class WideSkellam(Sampler):
    """Skellam noise: Poisson variables, each with its sign, and perhaps narrow Skellam noise."""

    noise: Noise
    poisson: tuple[tuple[int, Blocks], ...]
    narrow: Inversion | None

    @classmethod
    def of(cls, noise: SkellamNoise) -> Self:  # type: ignore[override]
        """Split the means; l1 + l2 must be at least twice `_LARGE`."""
        large = [mean >= _LARGE for mean in (noise.l1, noise.l2)]
        kept = Fraction(0) if all(large) else _KEPT
        poisson = tuple(
            (sign, Blocks.of(PoissonWeights(mean - kept)))
            for sign, mean, split in zip((1, -1), (noise.l1, noise.l2), large, strict=True)
            if split
        )
        if all(large):
            return cls(noise, poisson, None)
        rest = [kept if split else m for m, split in zip((noise.l1, noise.l2), large, strict=True)]
        return cls(noise, poisson, Inversion.of(SkellamNoise(*rest)))

    @property
    def ends(self) -> tuple[int, int]:
        """Ten times the width on either side."""
        middle, reach = centre(self.noise), int(10 * spread(self.noise))
        return middle - reach, middle + reach

    def values(self, size: int, source: Bits) -> Integers:
        """Add the parts; those by rejection come as distances from their modes."""
        parts = [sign * blocks.values(size, source) for sign, blocks in self.poisson]
        if self.narrow is not None:
            parts.append(self.narrow.values(size, source))
        return summed(parts, offset=sum(sign * each.weights.mode for sign, each in self.poisson))
