"""The proof of a delta for bins that share a sample: the tables that tell the two worlds apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod

from twoworlds.laws.witness import EventWitness, recomputed
from twoworlds.noiseless.histograms.bins import WITH, WITHOUT
from twoworlds.noiseless.histograms.shared import SharedBins
from twoworlds.noiseless.histograms.tables import Comparison, Table
from twoworlds.noiseless.words import counted
from twoworlds.numbers import Number, Order, compare, show

__all__ = ["table_witness"]

_PLAIN_TABLES = 20_000


def table_witness(
    bins: SharedBins, threshold: int, known: int, ratio: Number, found: Comparison
) -> EventWitness:
    """Return all tables that are more than the ratio likelier in one world than in the other."""
    assert found.probabilities is not None
    worlds = WITH if found.upper else WITHOUT
    place = f"bin {found.bin + 1}, of " + (
        counted(bins.members[found.bin], "member")
        if bins.members
        else f"share {bins.shares[found.bin]}"
    )
    example = _example(found.table)
    return EventWitness(
        worlds,
        f"a table more than {show(ratio)} times likelier {worlds[0]}",
        found.probabilities,
        recomputed(_Again(bins, threshold, known, ratio, found).probabilities),
        (("worst bin", place),),
        (("", f"for example: {example}"),),
        {"bin": place, "example": example},
    )


def _example(table: Table | None) -> str:
    """Say the likeliest kind of table in the event."""
    if table is None:
        return "none"
    rest = f", {counted(table.hidden, 'other bin')} show 0" if table.hidden > 1 else ""
    rest = ", 1 other bin shows 0" if table.hidden == 1 else rest
    return f"your bin shows {table.shown}{rest}, and the rest sum to {table.elsewhere}"


@dataclass(frozen=True)
class _Again:
    """The event's probabilities, from all tables one by one."""

    bins: SharedBins
    threshold: int
    known: int
    ratio: Number
    found: Comparison

    def probabilities(self) -> tuple[Number, Number]:
        """Go through all tables one by one if they are few, and else compare once more."""
        if self._tables() <= _PLAIN_TABLES and self.bins.size.last is not None:
            return self._plainly()
        again = self.bins.worst(self.threshold, self.ratio, self.known)
        assert again.probabilities is not None
        return again.probabilities

    def _tables(self) -> int:
        return comb((self.bins.size.last or 0) + self.bins.bins, self.bins.bins)

    def _plainly(self) -> tuple[Number, Number]:
        """Draw all samples, count them, truncate the counts, and add up the worst event."""
        real: dict[tuple[int, ...], Number] = {}
        ideal: dict[tuple[int, ...], Number] = {}
        zero: Number = Fraction(0)
        total = zero
        for others, weight in self._samples():
            total = total + weight
            for law, one in ((real, 1), (ideal, 0)):
                table = self._table(others, one)
                law[table] = law.get(table, zero) + weight
        first, second = (real, ideal) if self.found.upper else (ideal, real)
        worst = [t for t, p in first.items() if self._exceeds(p, second.get(t, zero))]
        sums = (sum((law.get(t, zero) for t in worst), start=zero) for law in (first, second))
        p, q = (x / total for x in sums)
        return p, q

    def _table(self, others: tuple[int, ...], one: int) -> tuple[int, ...]:
        counts = list(others)
        counts[self.found.bin] += self.found.sampled + one
        return tuple(c if c >= self.threshold else 0 for c in counts)

    def _samples(self) -> Iterator[tuple[tuple[int, ...], Number]]:
        bins, known = self.bins, self.bins.known_in(self.found.bin, self.known)
        last = (bins.size.last or 0) - 1 - self.found.sampled
        members = list(bins.members)
        if members:
            members[self.found.bin] -= 1 + known
        tops = members or [last] * bins.bins
        for counts in product(*(range(min(top, last) + 1) for top in tops)):
            m = sum(counts)
            n = m + 1 + self.found.sampled
            if m > last:
                continue
            if members:
                ways = prod(comb(top, c) for top, c in zip(tops, counts, strict=True))
                weight = Fraction(ways, comb(sum(bins.members), n))
                yield counts, bins.size.mass(n) * weight
            else:
                ways = factorial(m) // prod(factorial(c) for c in counts)
                chance = prod(x**c for x, c in zip(bins.shares, counts, strict=True)) * ways
                yield counts, bins.size.mass(n) * (chance * self._lift(n))

    def _lift(self, n: int) -> int:
        """Return how much likelier a sample of size n holds the people who are known to be in."""
        if self.bins.place is not None:
            return int(n >= self.bins.place)
        return prod(n - i for i in range(1 + self.found.sampled))

    def _exceeds(self, p: Number, q: Number) -> bool:
        return compare(p, self.ratio * q) is Order.GREATER
