"""The compiled loop of double description: which rays are adjacent.

**Adjacency.** A ray of a pointed cone in dimension r is known by the set of constraints on which it
vanishes, its *tight set*, kept as bits. Two rays span a face of dimension two, they are *adjacent*,
exactly when no third ray vanishes on all constraints of their common tight set; then at least r - 2
constraints are common. Call a ray *simple* when its tight set has exactly r - 1 constraints, which
are then independent. If one of two rays is simple, r - 2 common constraints are enough: they are
independent, so they cut out a face of dimension two. For two others the third ray is searched, and
only among rays that are not simple: a simple third ray would make the r - 2 constraints that it
shares with the two independent, and the face too small for three rays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
Integers = NDArray[np.int64]
Function = TypeVar("Function", bound=Callable[..., Any])


def njit(function: Function) -> Function:
    """Compile on first call; keep the machine code on disk where a directory can be written."""
    options = {"nogil": True, "error_model": "numpy"}
    decorate: Any = numba.njit  # its stubs, where numba has any, refuse options from a dict
    try:
        return decorate(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no directory for its cache
        return decorate(**options)(function)  # type: ignore[no-any-return]


def _ones_rule(_context: Any, _word: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return numba.types.uint64(numba.types.uint64), generate


_ones: Any = intrinsic(_ones_rule)  # how many bits are set


@njit
def _common(bits: Bits, i: int, j: int) -> int:
    count = np.uint64(0)
    for w in range(bits.shape[1]):
        count += _ones(bits[i, w] & bits[j, w])
    return np.int64(count)  # type: ignore[return-value]


@njit
def adjacent(
    bits: Bits, above: Integers, below: Integers, simple: NDArray[Any], rank: int, most: int
) -> tuple[Integers, int, int]:
    """Return the adjacent pairs (above, below).

    Stops after about ``most`` comparisons, and returns also how many of ``above`` were done, and
    with how many comparisons.
    """
    pairs = np.empty((max(16, above.size), 2), np.int64)
    near = np.empty((bits.shape[0] - np.count_nonzero(simple), bits.shape[1]), np.uint64)
    found, work, done, size = 0, 0, 0, 0
    while done < above.size and work < most:
        i = above[done]
        done += 1
        work += below.size
        gathered = False
        for j in below:
            if _common(bits, i, j) < rank - 2:
                continue
            if not simple[i] and not simple[j]:
                if not gathered:
                    size, gathered = _gather(bits, i, simple, rank, near), True
                    work += bits.shape[0]
                work += size
                if _blocked(bits, i, j, near[:size]):
                    continue
            if found == pairs.shape[0]:
                pairs = np.concatenate((pairs, np.empty_like(pairs)))
            pairs[found, 0], pairs[found, 1] = i, j
            found += 1
    return pairs[:found], done, work


@njit
def _gather(bits: Bits, i: int, simple: NDArray[Any], rank: int, near: Bits) -> int:
    """Write what ray i has in common with each other ray that may be adjacent and is not simple."""
    size = 0
    for k in range(bits.shape[0]):
        if k != i and not simple[k] and _common(bits, i, k) >= rank - 2:
            for w in range(bits.shape[1]):
                near[size, w] = bits[i, w] & bits[k, w]
            size += 1
    return size


@njit
def _blocked(bits: Bits, i: int, j: int, near: Bits) -> bool:
    """Tell whether another ray than j vanishes wherever i and j both do; near holds j as well."""
    holding = 0
    for k in range(near.shape[0]):
        inside = True
        for w in range(near.shape[1]):
            if bits[i, w] & bits[j, w] & ~near[k, w]:
                inside = False
                break
        if inside:
            holding += 1
            if holding == 2:
                if k:  # what blocked once blocks again: let it be tried sooner
                    for w in range(near.shape[1]):
                        near[k, w], near[k >> 1, w] = near[k >> 1, w], near[k, w]
                return True
    return False
