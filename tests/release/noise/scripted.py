"""Bits that say what a test wants or repeat themselves from a seed, and the law of a choice."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from hashlib import sha256

import numpy as np
from flint import arb, ctx

from twoworlds.numbers import Number, Real, ball, exp
from twoworlds.release.noise.bits import _counter_mode
from twoworlds.release.noise.choice import _below, _weights

LAST = (1 << 64) - 1


class SeededBits:
    """Words that are the same for the same seed, on every machine."""

    def __init__(self, seed: int) -> None:
        self._stream = _counter_mode(sha256(b"twoworlds %d" % seed).digest(), bytes(16))

    def words(self, count):
        return np.frombuffer(self._stream.update(bytes(8 * count)), dtype="<u8").astype(np.uint64)

    def few(self, count):
        return self.words(count).tolist()


def choice_law(scores, rate):
    """Return the probability of each candidate: a fraction where it is rational."""
    below, r = _below(scores, rate)
    if r == 0 or not any(below):
        return [Fraction(1, len(below))] * len(below)
    total = Real(lambda bits: sum(_weights(below, r, bits), start=arb(0)))
    return [exp(-r * d) / total for d in below]


class Scripted:
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

    def few(self, count):
        return self.words(count).tolist()


def first_bits(x: Number, count: int) -> int:
    """Return floor(2^count x)."""
    with ctx.workprec(2 * count + 64):
        return int((ball(x, 2 * count) * arb(2) ** count).floor().unique_fmpz())
