"""Noise of moderate width: one table, one word for each value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from twoworlds.laws.noise import NegativeBinomialDifference, Noise
from twoworlds.release.noise.bits import Bits
from twoworlds.release.noise.integers import placed
from twoworlds.release.noise.laws import Tailed, spread
from twoworlds.release.noise.sampler import Sampler
from twoworlds.release.noise.search import CHUNK
from twoworlds.release.noise.table import Table

if TYPE_CHECKING:
    from twoworlds.release.noise.integers import Integers

__all__ = ["Inversion", "filled"]

_WIDEST = 100.0
_MOST_TERMS = 8


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
