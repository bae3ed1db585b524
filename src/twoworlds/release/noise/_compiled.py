"""The compiled search: block by block, all words of a block one step at a time.

That order lets the processor treat several words in one instruction, and leaves no branch that
depends on a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])
_BLOCK = 256


def njit(function: Function) -> Function:
    """Compile on first call; keep the machine code on disk where a directory can be written."""
    decorate: Any = numba.njit  # its stubs, where numba has any, refuse options from a dict
    try:
        return decorate(cache=True, nogil=True)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no directory for its cache
        return decorate(nogil=True)(function)  # type: ignore[no-any-return]


@njit
def search(
    listed: NDArray[np.uint64],
    guide: NDArray[np.int64],
    shift: int,
    first: int,
    words: NDArray[np.uint64],
    found: NDArray[np.int64],
) -> int:
    """Fill in how many entries lie below each word, and return how many words are ties."""
    ties = 0
    for start in range(0, words.size, _BLOCK):
        block = words[start : start + _BLOCK]
        place = found[start : start + _BLOCK]
        if guide.size > 1:
            for i in range(block.size):
                place[i] = guide[np.int64(block[i] >> np.uint64(shift))]
        else:
            for i in range(block.size):
                place[i] = 0
        half = first
        while half:
            for i in range(block.size):
                place[i] += half if listed[place[i] + half - 1] < block[i] else 0
            half //= 2
        for i in range(block.size):
            ties += listed[place[i]] == block[i]
    return ties
