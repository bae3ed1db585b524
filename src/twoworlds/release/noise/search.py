"""Finding many words in one sorted list, in the same number of steps for every word.

`Boundaries` counts, for each word, the entries of the list below it. A *guide* gives the count at
the beginning of the word's cell, by its first bits, where that leaves fewer steps; then each step
halves the range of every word: the same instructions whatever the word is, without a branch on it.
The number of steps is that of the fullest cell. (Which memory is read does depend on the word; see
the package's docstring.)

numpy does it, unless the compiler is loaded: then the same steps are compiled, and twice as fast.
Loading the compiler takes as long as some ten million values, so a draw does that only if it is
larger.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twoworlds.release.noise.bits import Words
    from twoworlds.release.noise.integers import Integers

__all__ = ["CHUNK", "Boundaries", "prepare"]

CHUNK = 1 << 13  # words at a time: they stay in the cache, and memory is not asked for each time
_PAYS = 1 << 25  # words from which on loading the compiler pays
_PAYS_LOADED = 1 << 10
_WORD = 64
_FINEST = 12  # bits of a guide, at most


@dataclass(frozen=True, eq=False)
class Boundaries:
    """A sorted list of words.

    Attributes:
        words: the list, filled up with its largest possible value.
        guide: how many entries lie below each cell, or a single 0.
        shift: the cell of a word is what remains above its last ``shift`` bits.
        half: the width of the first step.
    """

    words: Words
    guide: Integers
    shift: int
    half: int

    @staticmethod
    def of(listed: Words, last: int) -> Boundaries:
        """Choose a guide if it saves more steps than it takes.

        >>> import numpy as np
        >>> listed = Boundaries.of(np.array([3, 7], dtype=np.uint64), 9)
        >>> listed.positions(np.array([3, 4, 9], dtype=np.uint64))
        array([0, 1, 2])
        """
        import numpy as np

        count = len(listed)
        bits = min(max(1, count.bit_length()), _FINEST)
        starts = np.arange(1 << bits, dtype=np.uint64) << np.uint64(_WORD - bits)
        guide = np.searchsorted(listed, starts).astype(np.int64)
        steps = int(np.diff(guide, append=count).max()).bit_length()
        if steps + 1 >= count.bit_length():
            guide, bits, steps = np.zeros(1, dtype=np.int64), 0, count.bit_length()
        words = np.full(count + (1 << steps), last, dtype=np.uint64)
        words[:count] = listed
        words.flags.writeable = guide.flags.writeable = False  # shared by all who draw
        return Boundaries(words, guide, _WORD - bits, (1 << steps) >> 1)

    def positions(self, words: Words) -> Integers:
        """Return how many entries lie below each word."""
        return self.with_ties(words)[0]

    def with_ties(self, words: Words) -> tuple[Integers, bool]:
        """Return the positions, and whether any word equals an entry or what fills the list up."""
        loaded = "numba" in sys.modules and len(words) >= _PAYS_LOADED
        return by_compiled(self, words) if loaded else by_numpy(self, words)


def prepare(count: int) -> None:
    """Load the compiler if it pays for a draw of ``count`` values."""
    if count >= _PAYS:
        import_module("numba")


def by_numpy(listed: Boundaries, words: Words) -> tuple[Integers, bool]:
    """Halve the range of all words at once."""
    import numpy as np

    if len(listed.guide) > 1:
        found = listed.guide.take((words >> np.uint64(listed.shift)).astype(np.int64))
    else:
        found = np.zeros(len(words), dtype=np.int64)
    half = listed.half
    while half:
        found += half * (listed.words[half - 1 :].take(found) < words)
        half //= 2
    return found, bool((listed.words.take(found) == words).any())


def by_compiled(listed: Boundaries, words: Words) -> tuple[Integers, bool]:
    """The same steps, compiled."""
    import numpy as np

    from twoworlds.release.noise._compiled import search

    found = np.empty(len(words), dtype=np.int64)
    ties = search(listed.words, listed.guide, listed.shift, listed.half, words, found)
    return found, ties > 0
