r"""Exact inversion by a table of 64-bit words.

Let F(k) = P(Z <= k) and U be uniform in [0, 1): the least k with U < F(k) has exactly the law of Z.
Only the first 64 bits of U are drawn, as a word w, and compared with the words

    c_k = floor(2^64 F(k)).

If w < c_k then U < F(k), and if w > c_k then U > F(k), for certain. If w equals some c_k, a *tie*,
64 bits do not decide: further bits of U are drawn and compared with further bits of F, until they
do (`Uniform`). Far out, where F(k) < 2^-64 or 1 - F(k) <= 2^-64, all words
c_k are 0 or 2^64 - 1: they need no place in the table, because both words are ties, and whoever
draws one of them gets the exact continuation. So the law is exactly the stated one, ends included.

A tie has probability (size of the table) / 2^64, below 2^-50, and takes milliseconds instead of
nanoseconds.

The words are rigorous: they are read off enclosures, and where an enclosure holds a whole number
it is refined or replaced by the exact rational. ``bits`` below 64 gives the same table for shorter
words, so that tests can go through all of them.

`Uniform` is a number of which only as many bits are drawn as a decision needs. U lies in [0, 1).
After n bits it is known to lie in [v / 2^n, (v + 1) / 2^n). Whether U < x is decided when x lies
outside of that interval; otherwise more bits are drawn, and x is enclosed more tightly. So each
decision is exact, and it ends with probability 1 whatever x is: a further word is needed with
probability about 2^-64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb

from twoworlds.errors import Undecided
from twoworlds.numbers import LIMIT_BITS, Number, ball, exact_text, working_precision
from twoworlds.release.noise.bits import Bits

_MARGIN = 32
_WORD = 64
_GUARD = 128


@dataclass(frozen=True, eq=False)
class WordTable:
    """A law as a table of words.

    Attributes:
        at_most: P(Z <= k), for the ties.
        start: the value below which all words are 0.
        listed: the words c_start, c_(start+1), ..., each in the first bits of 64.
        bits: the length of a word.
    """

    at_most: Callable[[int], Number]
    start: int
    listed: tuple[int, ...]
    bits: int = _WORD

    @staticmethod
    def of(
        at_most: Callable[[int], Number], start: int, balls: Sequence[arb], *, bits: int = _WORD
    ) -> WordTable:
        """Compute the words of a law from balls for P(Z <= start), P(Z <= start + 1), ...

        The first is 0 or below 2^-bits for a law without a least value, and likewise 1 less the
        last for one without a greatest value; a law with both ends leaves out P(Z <= k) = 1.
        """
        skipped, kept = _within(balls, bits)
        start += skipped
        words = [_floored(at_most, start + i, found, bits) for i, found in enumerate(kept)]
        last = (1 << bits) - 1
        listed = tuple(min(word, last) << (_WORD - bits) for word in words)
        return WordTable(at_most, start, listed, bits)

    @cached_property
    def last(self) -> int:
        """The largest word."""
        return ((1 << self.bits) - 1) << (_WORD - self.bits)

    @cached_property
    def _filled_up(self) -> tuple[int, ...]:
        return self.listed + (self.last,) * (1 << len(self.listed).bit_length())

    def draw(self, size: int, source: Bits) -> list[int]:
        """Draw one value after the other, in the same number of steps each, but for ties."""
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

    def _settled(self, word: int, place: int, source: Bits) -> int:
        """Draw as many further bits as this word needs."""
        known = word >> (_WORD - self.bits)
        uniform = Uniform(source, known=known, count=self.bits)
        return inverted(uniform, self.at_most, self.start + place)


def _within(balls: Sequence[arb], bits: int) -> tuple[int, Sequence[arb]]:
    """Leave out what surely has the first word or the last one, but for one entry of word 0."""
    tiny = arb(2) ** -bits
    first = next((i for i, found in enumerate(balls) if not found < tiny), len(balls))
    with working_precision(bits + _GUARD):
        after = next((i for i, found in enumerate(balls) if found >= 1 - tiny), len(balls))
    first = max(0, first - 1)
    return first, balls[first:after]


def _floored(at_most: Callable[[int], Number], k: int, found: arb, bits: int) -> int:
    """Return floor(2^bits F(k)), exactly."""
    precision = bits + _GUARD
    while precision <= LIMIT_BITS:
        with working_precision(precision):
            whole = (found * arb(2) ** bits).floor().unique_fmpz()
        if whole is not None:
            return int(whole)
        exact = at_most(k)
        if isinstance(exact, Fraction):
            return int(exact * (1 << bits))
        precision *= 2
        found = ball(exact, precision)
    raise Undecided(
        f"P(Z <= {k}) = {exact_text(at_most(k))} cannot be told from a fraction with "
        f"denominator 2^{bits}: give the parameters of the noise as exact numbers"
    )


class Uniform:
    """A uniform number U in [0, 1), drawn bit by bit; ``count`` bits of it are ``known``."""

    def __init__(self, source: Bits, *, known: int = 0, count: int = 0) -> None:
        self._source, self._known, self._count = source, known, count

    def below(self, x: Number) -> bool:
        """Decide U < x, drawing further bits while it is open."""
        while True:
            decided = self._sides(x)
            if decided is not None:
                return decided
            if self._count > LIMIT_BITS:
                raise Undecided(
                    f"{self._count} random bits agree with the enclosure of a probability, which "
                    "does not shrink: give the parameters of the noise as exact numbers"
                )
            self._known = (self._known << _WORD) | self._source.few(1)[0]
            self._count += _WORD

    def _sides(self, x: Number) -> bool | None:
        """Return whether U < x, or None while that is open."""
        low, high = self._known, self._known + 1
        if isinstance(x, Fraction):
            scaled = x * (1 << self._count)
            return True if high <= scaled else False if low >= scaled else None
        bits = self._count + _MARGIN
        enclosed = ball(x, bits)
        with working_precision(bits + _MARGIN):
            enclosed *= arb(2) ** self._count
            return True if enclosed >= arb(high) else False if enclosed <= arb(low) else None


def inverted(uniform: Uniform, at_most: Callable[[int], Number], guess: int) -> int:
    """Return the least k with U < at_most(k): a draw from the law with P(Z <= k) = at_most(k).

    >>> from twoworlds.release.noise.bits import SeededBits
    >>> die = lambda k: Fraction(min(max(k, 0), 6), 6)
    >>> inverted(Uniform(SeededBits(5)), die, 0) in range(1, 7)
    True
    """
    step = 1
    if uniform.below(at_most(guess)):
        high = guess
        while uniform.below(at_most(high - step)):
            high, step = high - step, 2 * step
        low = high - step
    else:
        low = guess
        while not uniform.below(at_most(low + step)):
            low, step = low + step, 2 * step
        high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        if uniform.below(at_most(middle)):
            high = middle
        else:
            low = middle
    return high
