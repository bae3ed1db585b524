"""Random bits: AES-256 in counter mode, keyed by the operating system.

`SystemBits` hands out 64-bit words, uniform and independent. The key comes from ``os.urandom`` and
is replaced after `KEY_LIFE` bytes. Every thread has a key of its own, and a child process never
goes on with its parent's: a fork is noticed by a hook and, where no hook runs, by the process
number. It takes no seed, and it cannot be copied or pickled, since a copy would say the same bits
twice. A release refuses everything else (`for_release`).

What it does not guarantee: a virtual machine that is saved and started twice from the same image
goes on with the same keys in both, up to `KEY_LIFE` bytes in each thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from struct import unpack
from typing import TYPE_CHECKING, Any, Never, final

from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

KEY_LIFE = 1 << 30  # bytes
_ZEROS = memoryview(bytes(1 << 16))
_KEY, _NONCE = 32, 16


@final
class SystemBits:
    """Bits for releases, from the operating system's entropy.

    >>> len(SystemBits().words(3))
    3
    """

    __slots__ = ("_here",)

    def __init__(self) -> None:
        self._here = _OfThisThread()

    def words(self, count: int) -> Words:
        """Return fresh words, whichever thread or process asks."""
        import numpy as np

        return np.frombuffer(self._filled(count), dtype="<u8").astype(np.uint64, copy=False)

    def few(self, count: int) -> Sequence[int]:
        """Return fresh words as Python's integers."""
        return unpack(f"<{count}Q", self._filled(count))

    def _filled(self, count: int) -> bytearray:
        found = bytearray(8 * whole(count, "count"))
        rest = memoryview(found)
        while rest:
            rest = rest[self._here.fill(rest) :]
        return found

    def __reduce_ex__(self, _protocol: Any) -> Never:
        """Refuse to be copied or pickled."""
        raise TypeError("SystemBits cannot be copied: a copy would repeat its bits; make a new one")


def for_release(source: SystemBits) -> SystemBits:
    """Return bits that a release may take: the operating system's, and nothing with a seed."""
    if type(source) is not SystemBits:
        raise InvalidInput(
            f"a release takes its bits from SystemBits(), not from {type(source).__name__}"
        )
    return source


class _OfThisThread(threading.local):
    """A key and what is left of its life. Each thread that asks gets an object of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.renew()

    def renew(self) -> None:
        """Take a new key."""
        self.owner = _owner()
        self.left = KEY_LIFE
        self.stream = _counter_mode(os.urandom(_KEY), os.urandom(_NONCE))

    def fill(self, rest: memoryview) -> int:
        """Fill the beginning, and return how many bytes were filled."""
        if self.left <= 0 or self.owner != _owner():
            self.renew()
        length = min(len(rest), self.left, len(_ZEROS))
        filled = int(self.stream.update_into(_ZEROS[:length], rest[:length]))
        self.left -= filled
        return filled


_forks = 0


def _count_fork() -> None:
    global _forks
    _forks += 1


def _owner() -> tuple[int, int]:
    """Return what changes in a child process: its number may be an ancestor's, the count not."""
    return os.getpid(), _forks


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


def _counter_mode(key: bytes, nonce: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor()
