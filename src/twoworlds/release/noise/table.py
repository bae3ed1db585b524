r"""Exact inversion by a table of 64-bit words.

Let F(k) = P(Z <= k) and U be uniform in [0, 1): the least k with U < F(k) has exactly the law of Z.
Only the first 64 bits of U are drawn, as a word w, and compared with the words

    c_k = floor(2^64 F(k)).

If w < c_k then U < F(k), and if w > c_k then U > F(k), for certain. If w equals some c_k, a *tie*,
64 bits do not decide: further bits of U are drawn and compared with further bits of F, until they
do (`twoworlds.release.noise.uniform`). Far out, where F(k) < 2^-64 or 1 - F(k) <= 2^-64, all words
c_k are 0 or 2^64 - 1: they need no place in the table, because both words are ties, and whoever
draws one of them gets the exact continuation. So the law is exactly the stated one, ends included.

A tie has probability (size of the table) / 2^64, below 2^-50, and takes milliseconds instead of
nanoseconds.

The words are rigorous: they are read off enclosures, and where an enclosure holds a whole number
it is refined or replaced by the exact rational. ``bits`` below 64 gives the same table for shorter
words, so that tests can go through all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from flint import arb

from twoworlds.errors import Undecided
from twoworlds.numbers import LIMIT_BITS, Number, ball, exact_text, working_precision
from twoworlds.release.noise.bits import Bits
from twoworlds.release.noise.search import Boundaries
from twoworlds.release.noise.uniform import Uniform, inverted

if TYPE_CHECKING:
    from twoworlds.release.noise.bits import Words
    from twoworlds.release.noise.integers import Integers

__all__ = ["Cumulative", "Table"]

_WORD = 64
_GUARD = 128


class Cumulative(Protocol):
    """A law on the whole numbers that is known by P(Z <= k)."""

    def at_most(self, k: int) -> Number:
        """Return P(Z <= k)."""

    def enclosed(self, bits: int) -> tuple[int, Sequence[arb]]:
        """Return a start and balls for P(Z <= start), P(Z <= start + 1), ...

        The first is 0 or below 2^-bits for a law without a least value, and likewise 1 less the
        last for one without a greatest value; a law with both ends leaves out P(Z <= k) = 1.
        """


@dataclass(frozen=True)
class Table:
    """A law as a table of words.

    Attributes:
        law: the law, for the ties.
        start: the value below which all words are 0.
        listed: the words c_start, c_(start+1), ..., each in the first bits of 64.
        bits: the length of a word.
    """

    law: Cumulative
    start: int
    listed: tuple[int, ...]
    bits: int = _WORD

    @staticmethod
    def of(law: Cumulative, *, bits: int = _WORD) -> Table:
        """Compute the words of a law."""
        start, balls = law.enclosed(bits)
        skipped, kept = _within(balls, bits)
        start += skipped
        words = [_floored(law, start + i, found, bits) for i, found in enumerate(kept)]
        last = (1 << bits) - 1
        return Table(law, start, tuple(min(word, last) << (_WORD - bits) for word in words), bits)

    @cached_property
    def last(self) -> int:
        """The largest word."""
        return ((1 << self.bits) - 1) << (_WORD - self.bits)

    @cached_property
    def boundaries(self) -> Boundaries:
        """The words, for many to be found at once."""
        import numpy as np

        return Boundaries.of(np.array(self.listed, dtype=np.uint64), self.last)

    @cached_property
    def _filled_up(self) -> tuple[int, ...]:
        return self.listed + (self.last,) * (1 << len(self.listed).bit_length())

    def few(self, size: int, source: Bits) -> list[int]:
        """Draw one value after the other, ties included, in the same number of steps each.

        From the same bits it draws what `values` does, without loading numpy.
        """
        return [self._value(word & self.last, source) for word in source.few(size)]

    def _value(self, word: int, source: Bits) -> int:
        words, place = self._filled_up, 0
        half = (1 << len(self.listed).bit_length()) >> 1
        while half:
            place += half * (words[place + half - 1] < word)
            half //= 2
        if words[place] == word:
            return self._settled(word, place, source)
        return self.start + place

    def values(self, words: Words, source: Bits) -> tuple[Integers, dict[int, int]]:
        """Return the value of each word, and apart from them the values at ties.

        Args:
            words: the first bits of a uniform number each; lower bits than `bits` are left out.
            source: where a tie takes its further bits from.
        """
        import numpy as np

        if self.bits < _WORD:
            words = words >> np.uint64(_WORD - self.bits) << np.uint64(_WORD - self.bits)
        found, tied = self.boundaries.with_ties(words)
        exact: dict[int, int] = {}
        if tied:
            for i in np.flatnonzero(self.boundaries.words[found] == words):
                exact[int(i)] = self._settled(int(words[i]), int(found[i]), source)
        if self.start:
            found += self.start
        return found, exact

    def _settled(self, word: int, place: int, source: Bits) -> int:
        """Draw as many further bits as this word needs."""
        known = word >> (_WORD - self.bits)
        uniform = Uniform(source, known=known, count=self.bits)
        return inverted(uniform, self.law.at_most, self.start + place)


def _within(balls: Sequence[arb], bits: int) -> tuple[int, Sequence[arb]]:
    """Leave out what surely has the first word or the last one, but for one entry of word 0."""
    tiny = arb(2) ** -bits
    first = next((i for i, found in enumerate(balls) if not found < tiny), len(balls))
    with working_precision(bits + _GUARD):
        after = next((i for i, found in enumerate(balls) if found >= 1 - tiny), len(balls))
    first = max(0, first - 1)
    return first, balls[first:after]


def _floored(law: Cumulative, k: int, found: arb, bits: int) -> int:
    """Return floor(2^bits F(k)), exactly."""
    precision = bits + _GUARD
    while precision <= LIMIT_BITS:
        with working_precision(precision):
            whole = (found * arb(2) ** bits).floor().unique_fmpz()
        if whole is not None:
            return int(whole)
        exact = law.at_most(k)
        if isinstance(exact, Fraction):
            return int(exact * (1 << bits))
        precision *= 2
        found = ball(exact, precision)
    raise Undecided(
        f"P(Z <= {k}) = {exact_text(law.at_most(k))} cannot be told from a fraction with "
        f"denominator 2^{bits}: give the parameters of the noise as exact numbers"
    )
