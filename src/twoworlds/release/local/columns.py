r"""Exact draws from the columns of a channel, one word for each record.

A record of value v reports the least k with U < F_v(k), where F_v(k) = P(report <= k | v) and U is
uniform in [0, 1). As in `twoworlds.release.noise.table`, the first 64 bits of U are compared with
the words floor(2^64 F_v(k)); where they do not decide, further bits are drawn until they do. So
every report has exactly its stated probability, be it rational or not.

The tables of all columns stand side by side, so that each record is looked up in the same number of
steps whatever its value is, and without a branch on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, Real, ball
from twoworlds.release.noise.bits import Bits
from twoworlds.release.noise.table import Uniform, WordTable, inverted

if TYPE_CHECKING:
    from twoworlds.release.noise.bits import Words

Codes = NDArray[np.uint8]
_WORD = 64
_LAST = (1 << _WORD) - 1
_CHUNK = 1 << 14  # records at a time: they stay in the cache
_PRECISE = 256
_GUARD = 128


Cumulated = tuple[Number, ...]  # P(Z <= 0), ..., P(Z <= m - 1) of a law on 0, ..., m


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
        _check_exact(laws)
        count = max(map(len, laws))
        steps = count.bit_length()
        last = _LAST >> (_WORD - bits) << (_WORD - bits)
        words = np.full((len(laws), 1 << steps), last, dtype=np.uint64)
        for row, law in zip(words, laws, strict=True):
            balls = [ball(mass, bits + _GUARD) for mass in law]
            table = WordTable.of(partial(_at_most, law), 0, balls, bits=bits)
            row[: table.start] = 0
            row[table.start : table.start + len(table.listed)] = table.listed
        words.flags.writeable = False
        return Columns(tuple(laws), words, (1 << steps) >> 1, bits)

    def reports(self, codes: Codes, source: Bits) -> Codes:
        """Draw one report for each record, given the column that its value belongs to."""
        found = np.empty(len(codes), dtype=np.uint8)
        for start in range(0, len(codes), _CHUNK):
            part = codes[start : start + _CHUNK]
            found[start : start + len(part)] = self.looked_up(part, source.words(len(part)), source)
        return found

    def looked_up(self, codes: Codes, words: Words, source: Bits) -> Codes:
        """Return the report of each record, given the first bits of its U."""
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
        reports: NDArray[Any] = found - first
        for i in tied:
            reports[i] = self._settled(int(codes[i]), int(words[i]), int(reports[i]), source)
        return reports.astype(np.uint8)

    def _settled(self, code: int, word: int, place: int, source: Bits) -> int:
        known = word >> (_WORD - self.bits)
        uniform = Uniform(source, known=known, count=self.bits)
        return inverted(uniform, partial(_at_most, self.laws[code]), place)


def _check_exact(laws: Sequence[Cumulated]) -> None:
    """Refuse numbers of which only an enclosure of fixed width is known."""
    distinct = {id(mass): mass for law in laws for mass in law}
    for mass in distinct.values():
        if isinstance(mass, Real) and ball(mass, 2 * _PRECISE).rel_accuracy_bits() < _PRECISE:
            raise InvalidInput(
                "a probability of the channel is not known exactly, and exact draws need "
                "exact numbers: give a fraction such as 3/4, or epsilon=1"
            )
