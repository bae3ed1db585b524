r"""Exact inversion by a table of 64-bit words.

Let F(k) = P(Z <= k) and U be uniform in [0, 1): the least k with U < F(k) has exactly the law of Z.
Only the first 64 bits of U are drawn, as a word w, and compared with the words

    c_k = floor(2^64 F(k)).

If w < c_k then U < F(k), and if w > c_k then U > F(k), for certain. If w equals some c_k, a *tie*,
64 bits do not decide: further bits of U are drawn and compared with further bits of F, until they
do (`Uniform`). Far out, where F(k) < 2^-64 or 1 - F(k) <= 2^-64, all words c_k are 0 or 2^64 - 1:
they need no place in the table, because both words are ties, and whoever draws one of them gets the
exact continuation. So the law is exactly the stated one, ends included.

A tie has probability (size of the table) / 2^64, below 2^-50, and takes milliseconds instead of
microseconds.

The words are rigorous: they are read off enclosures, and where an enclosure holds a whole number
it is refined or replaced by the exact rational. ``bits`` below 64 gives the same table for shorter
words, so that tests can go through all of them.

`Uniform` is a number of which only as many bits are drawn as a decision needs. U lies in [0, 1).
After n bits it is known to lie in [v / 2^n, (v + 1) / 2^n). Whether U < x is decided when x lies
outside of that interval; otherwise more bits are drawn, and x is enclosed more tightly. So each
decision is exact, and it ends with probability 1 whatever x is: a further word is needed with
probability about 2^-64.

`Columns` are the tables of the columns of a channel, from which many records draw at once: a record
of value v reports the least k with U < F_v(k), where F_v(k) = P(report <= k | v). The tables stand
side by side, so that each record is looked up in the same number of steps whatever its value is,
and without a branch on it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING

from flint import arb

from twoworlds.errors import InvalidInput, Undecided
from twoworlds.numbers import LIMIT_BITS, Number, Real, ball, exact_text, working_precision
from twoworlds.release.noise.bits import SystemBits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from twoworlds.release.noise.bits import Words

    Codes = NDArray[np.uint8]

Cumulated = tuple[Number, ...]  # P(Z <= 0), ..., P(Z <= m - 1) of a law on 0, ..., m
_MARGIN = 32
_WORD = 64
_GUARD = 128
_PRECISE = 256
_CHUNK = 1 << 14  # records at a time: they stay in the cache


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
    def _filled_up(self) -> array[int]:
        """One word less than a power of two, so that each is searched in the same number of steps.

        They lie side by side: so many objects would leave the cache, and rare ones be slower.
        """
        size = (1 << (len(self.listed) + 1).bit_length()) - 1
        return array("Q", self.listed + (self.last,) * (size - len(self.listed)))

    def draw(self, size: int, source: SystemBits) -> list[int]:
        """Draw one value after the other, in the same number of steps each, but for ties."""
        return [self._value(word & self.last, source) for word in source.few(size)]

    def _value(self, word: int, source: SystemBits) -> int:
        words = self._filled_up
        place = bisect_left(words, word)
        if words[place] == word:
            return _settled(word, self.bits, self.at_most, self.start + place, source)
        return self.start + place


def _settled(
    word: int, bits: int, at_most: Callable[[int], Number], guess: int, source: SystemBits
) -> int:
    """Draw as many further bits as a word needs that does not decide."""
    uniform = Uniform(source, known=word >> (_WORD - bits), count=bits)
    return inverted(uniform, at_most, guess)


def known_exactly(x: object) -> bool:
    """Whether a number is known as precisely as one may ask, and not by an enclosure only."""
    return not isinstance(x, Real) or ball(x, 2 * _PRECISE).rel_accuracy_bits() >= _PRECISE


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

    def __init__(self, source: SystemBits, *, known: int = 0, count: int = 0) -> None:
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

    >>> die = lambda k: Fraction(min(max(k, 0), 6), 6)
    >>> inverted(Uniform(SystemBits()), die, 0) in range(1, 7)
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


# --- many records at once ------------------------------------------------------------------------


def _at_most(cumulated: Cumulated, k: int) -> Number:
    if k < 0:
        return Fraction(0)
    return cumulated[k] if k < len(cumulated) else Fraction(1)


def cumulated(rows: Sequence[Sequence[Number]], *, symmetric: bool) -> list[Cumulated]:
    """Return the law of each column, and then that of a column chosen evenly.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> cumulated([[half, third], [half, 1 - third]], symmetric=False)
    [(Fraction(1, 2),), (Fraction(1, 3),), (Fraction(5, 12),)]
    """
    width = len(rows[0])
    if symmetric:
        keep, other = rows[0][0], rows[0][1]
        before = [other * (j + 1) for j in range(width - 1)]
        after = [keep + other * j for j in range(width - 1)]
        even = tuple(Fraction(j + 1, width) for j in range(width - 1))
        return [*((*before[:v], *after[v:]) for v in range(width)), even]
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns.append([sum(row, start=Fraction(0)) / width for row in rows])
    return [tuple(accumulate(column[:-1])) for column in columns]


@dataclass(frozen=True, eq=False)
class Columns:
    """The words of all columns, one row of ``words`` for each, filled up with the largest one.

    ``laws`` are for words that do not decide; ``half`` is the width of the first step of the
    search.
    """

    laws: tuple[Cumulated, ...]
    words: Words
    half: int
    bits: int = _WORD

    @staticmethod
    def of(laws: Sequence[Cumulated], *, bits: int = _WORD) -> Columns:
        """Compute the words; ``bits`` below 64 lets tests go through all words."""
        import numpy as np

        if not all(map(known_exactly, {id(mass): mass for law in laws for mass in law}.values())):
            raise InvalidInput(
                "a probability of the channel is not known exactly, and exact draws need "
                "exact numbers: give a fraction such as 3/4, or epsilon=1"
            )
        count = max(map(len, laws))
        steps = count.bit_length()
        last = ((1 << bits) - 1) << (_WORD - bits)
        words = np.full((len(laws), 1 << steps), last, dtype=np.uint64)
        for row, law in zip(words, laws, strict=True):
            balls = [ball(mass, bits + _GUARD) for mass in law]
            table = WordTable.of(partial(_at_most, law), 0, balls, bits=bits)
            row[: table.start] = 0
            row[table.start : table.start + len(table.listed)] = table.listed
        words.flags.writeable = False
        return Columns(tuple(laws), words, (1 << steps) >> 1, bits)

    def reports(self, codes: Codes, source: SystemBits) -> Codes:
        """Draw one report for each record, given the column that its value belongs to."""
        import numpy as np

        found = np.empty(len(codes), dtype=np.uint8)
        for start in range(0, len(codes), _CHUNK):
            part = codes[start : start + _CHUNK]
            found[start : start + len(part)] = self.looked_up(part, source.words(len(part)), source)
        return found

    def looked_up(self, codes: Codes, words: Words, source: SystemBits) -> Codes:
        """Return the report of each record, given the first bits of its U."""
        import numpy as np

        if self.bits < _WORD:
            words = words >> np.uint64(_WORD - self.bits) << np.uint64(_WORD - self.bits)
        flat = self.words.reshape(-1)
        first = codes.astype(np.int64) * self.words.shape[1]
        found = first.copy()
        half = self.half
        while half:
            found += half * (flat.take(found + (half - 1)) < words)
            half //= 2
        tied = np.flatnonzero(flat.take(found) == words)
        reports: NDArray[np.int64] = found - first
        for i in tied:
            law = partial(_at_most, self.laws[codes[i]])
            reports[i] = _settled(int(words[i]), self.bits, law, int(reports[i]), source)
        return reports.astype(np.uint8)
