r"""The exact law of an estimate, by counting samples in integers.

What a sample elects depends on how many entries of each kind it has (`LawFamily.kinds`). The kinds
are written first, middle ..., last. With m entries drawn from law j, of which those of the middle
kinds have counts a with r entries left, the probabilities of the counts of the last kind are the
coefficients of

    m! / (a! r!)  p_middle^a  (p_first + p_last x)^r  /  D^m,     p = D f_j,  D a denominator.

Along that axis the logarithm of each likelihood is linear, so that the counts which elect one law
are a run: its ends are found by halving, its probability is a difference of prefix sums. Whole
numbers throughout.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from math import comb, lcm, prod

from flint import fmpz, fmpz_poly

from twoworlds.errors import TooLarge
from twoworlds.noiseless.estimates.family import LawFamily

_MOST_POINTS = 1 << 22
_MOST_BITS = 1 << 30

Counts = tuple[int, ...]
"""How many entries of each kind."""
Run = tuple[int, int, int]
"""From here to there (excluded) along the last kind, this law is elected."""


class Counting:
    """Exact probabilities of what ``people`` entries of a family elect."""

    def __init__(self, family: LawFamily, people: int) -> None:
        """Refuse sizes that would not fit."""
        if not countable(family, people):
            raise TooLarge(
                f"people={people} with {len(family.kinds)} kinds of entry is more than can be "
                f"counted exactly: the largest size is {largest_size(family)}; "
                "the bounds of Theorems 13 to 15 have no such limit"
            )
        self.denominator = _denominator(family)
        size, common = len(family.laws), lcm(*(weight.denominator for weight in family.weights))
        self._weights = [int(weight * common) for weight in family.weights]
        # Whole numbers p of each kind, by law; were there one kind, a second is never drawn.
        kinds = [[int(mass * self.denominator) for mass in kind.masses] for kind in family.kinds]
        self._masses = kinds if len(kinds) > 1 else [*kinds, [0] * size]
        self.outcome = cache(self._outcome)
        self._prefix = cache(self._prefix_sums)
        self._along = cache(self._elected_along)

    def _outcome(self, truth: int, start: Counts, n: int, drawn: int) -> tuple[int, ...]:
        """Return D^drawn times the probability that each law is elected by n entries.

        ``drawn`` of them are drawn from the law ``truth``; the others are ``start``.
        """
        totals = [fmpz(0)] * len(self._weights)
        start = start if len(start) > 1 else (*start, 0)
        middle = [masses[truth] for masses in self._masses[1:-1]]
        for counts in _up_to(drawn, len(middle)):
            left, ways = drawn, prod(p**a for p, a in zip(middle, counts, strict=True))
            for a in counts:
                ways, left = ways * comb(left, a), left - a
            sums = self._prefix(truth, left)
            there = tuple(a + b for a, b in zip(start[1:-1], counts, strict=True))
            for low, high, elected in self._along(there, n - sum(there)):
                low, high = max(low - start[-1], 0), min(high - start[-1], left + 1)
                if ways and low < high:
                    totals[elected] += ways * (sums[high] - sums[low])
        return tuple(int(total) for total in totals)

    def _prefix_sums(self, truth: int, size: int) -> list[fmpz]:
        """Return the sums of the coefficients of (p_first + p_last x)^size before each place."""
        row = fmpz_poly([self._masses[0][truth], self._masses[-1][truth]]) ** size
        coefficients = [row[c] for c in range(size + 1)]
        return list(accumulate(coefficients, initial=fmpz(0)))

    def _elected_along(self, middle: Counts, left: int) -> list[Run]:
        """Return which law is elected by counts 0 to ``left`` of the last kind, in runs."""

        @cache
        def elected(c: int) -> int | None:
            counts = (left - c, *middle, c)
            scores = [
                weight * prod(p[j] ** a for p, a in zip(self._masses, counts, strict=True))
                for j, weight in enumerate(self._weights)
            ]
            best = max(scores)
            return scores.index(best) if best else None  # None: no law allows such a sample

        found: list[Run] = []
        waiting = [(0, left)]
        while waiting:
            low, high = waiting.pop()
            law = elected(low)
            if law == elected(high) and (law is not None or low == high):
                found += [] if law is None else [(low, high + 1, law)]
            else:
                between = (low + high) // 2
                waiting += [(low, between), (between + 1, high)]
        return found


def likelihoods(family: LawFamily, counts: Counts) -> list[int]:
    """Return the likelihood of each law for so many entries of each kind, times a common factor."""
    scale = _denominator(family)
    return [
        prod(int(kind.masses[j] * scale) ** c for kind, c in zip(family.kinds, counts, strict=True))
        for j in range(len(family.laws))
    ]


def samples(many: int, kinds: int) -> Iterator[Counts]:
    """Yield how many entries of each kind a sample can have."""
    for counts in _up_to(many, kinds - 1):
        yield (many - sum(counts), *counts)


def _up_to(most: int, places: int) -> Iterator[Counts]:
    """Yield all lists of whole numbers whose sum is at most so much."""
    if places == 0:
        yield ()
        return
    for first in range(most, -1, -1):
        for rest in _up_to(most - first, places - 1):
            yield (first, *rest)


def largest_size(family: LawFamily) -> int:
    """Return the largest number of entries that can be counted exactly."""
    low, high = 1, 2
    while countable(family, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if countable(family, middle) else (low, middle)
    return low


def countable(family: LawFamily, n: int) -> bool:
    """Tell whether n entries can be counted exactly."""
    return (n + 1) ** (len(family.kinds) - 1) <= _MOST_POINTS and work(family, n) <= _MOST_BITS


def work(family: LawFamily, n: int) -> int:
    """Return how many bits the coefficients of one law of n entries have, at most."""
    points: int = (n + 1) ** (len(family.kinds) - 1)
    return points * n * _denominator(family).bit_length()


def _denominator(family: LawFamily) -> int:
    return lcm(*(mass.denominator for kind in family.kinds for mass in kind.masses))
