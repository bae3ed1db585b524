"""Finding many words in one sorted list, in the same number of steps for every word.

``positions(boundaries, words)`` counts, for each word, the boundaries below it. The list has 2^s
entries or fewer by padding, and each of the s steps halves the range of every word: the same
instructions whatever the word is, without a branch on it. (The memory that is read does depend on
the word; see the package's docstring.)

numpy does it for small draws. For large ones the same steps are compiled, about three times as
fast; importing the compiler takes longer than a million draws, so it is loaded only when that pays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from twoworlds.release.noise.bits import Words

__all__ = ["CHUNK", "Integers", "padded", "positions"]

Integers = NDArray[np.int64]

CHUNK = 1 << 16  # words at a time, so that they stay in the cache between the steps
_PAYS = 1 << 22  # words from which on loading the compiler pays
_PAYS_LOADED = 1 << 12


def padded(boundaries: Words, last: int) -> Words:
    """Return the sorted list filled up with its largest possible value to 2^s entries, s >= 1.

    At least one entry is added, so that every position is an index.
    """
    steps = max(1, len(boundaries).bit_length())
    found = np.full(1 << steps, last, dtype=np.uint64)
    found[: len(boundaries)] = boundaries
    return found


def positions(boundaries: Words, words: Words) -> Integers:
    """Return how many boundaries lie below each word; the list must be `padded`.

    >>> positions(padded(np.array([3, 7], dtype=np.uint64), 9), np.array([3, 4, 9], dtype=np.uint64))
    array([0, 1, 2])
    """
    return _chosen(len(words))(boundaries, words)


def _chosen(count: int) -> Callable[[Words, Words], Integers]:
    loaded = "numba" in sys.modules and count >= _PAYS_LOADED
    return _compiled() if loaded or count >= _PAYS else by_numpy


@lru_cache(maxsize=1)
def _compiled() -> Callable[[Words, Words], Integers]:
    from twoworlds.release.noise._compiled import by_compiled

    return by_compiled


def by_numpy(boundaries: Words, words: Words) -> Integers:
    """Halve the range of all words at once."""
    found = np.zeros(len(words), dtype=np.int64)
    half = len(boundaries) // 2
    while half:
        found += half * (boundaries[found + (half - 1)] < words)
        half //= 2
    return found
