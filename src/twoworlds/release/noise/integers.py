"""Arrays of whole numbers that never wrap around: of 64 bits, or else of Python's integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]  # or, very rarely, of Python's integers (dtype object)

__all__ = ["placed", "summed"]

_LIMIT = 1 << 62


def placed(found: Integers, exact: dict[int, int]) -> Integers:
    """Put single values into their places.

    >>> import numpy as np
    >>> placed(np.array([1, 2]), {1: 7})
    array([1, 7])
    >>> placed(np.array([1, 2]), {1: 2**70})
    array([1, 1180591620717411303424], dtype=object)
    """
    if any(abs(value) > _LIMIT for value in exact.values()):
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

    room = _LIMIT // (len(parts) + 1)
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
