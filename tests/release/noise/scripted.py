"""Bits that say what a test wants, and count what was asked for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from flint import arb, ctx

from twoworlds.numbers import Number, ball
from twoworlds.release.noise import Bits

LAST = (1 << 64) - 1


class Scripted(Bits):
    """The given words, and then ``after`` for ever; without ``after`` it is an error to go on."""

    def __init__(self, words: Iterable[int] = (), *, after: int | None = None) -> None:
        self.left, self.after, self.asked = list(words), after, 0

    def words(self, count):
        self.asked += count
        given, self.left = self.left[:count], self.left[count:]
        if len(given) < count:
            assert self.after is not None, "more bits were asked for than this test expects"
            given += [self.after] * (count - len(given))
        return np.array(given, dtype=np.uint64)


def first_bits(x: Number, count: int) -> int:
    """Return floor(2^count x)."""
    with ctx.workprec(2 * count + 64):
        return int((ball(x, 2 * count) * arb(2) ** count).floor().unique_fmpz())
