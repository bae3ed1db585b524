"""The proof of a delta for bins that share a sample: the tables that tell the two worlds apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from typing import Any

from twoworlds.definitions.verdict import agree
from twoworlds.noiseless.histograms.shared import SharedBins
from twoworlds.noiseless.histograms.tables import Comparison
from twoworlds.noiseless.words import counted
from twoworlds.numbers import Number, Order, compare, show, to_json

__all__ = ["TableWitness"]

_PLAIN_TABLES = 20_000


@dataclass(frozen=True)
class TableWitness:
    """All published tables that are more than the ratio likelier in one world than in the other."""

    bins: SharedBins
    threshold: int
    known: int
    ratio: Number
    found: Comparison

    @property
    def probabilities(self) -> tuple[Number, Number]:
        """The event's probability in the world where it is likelier, and in the other."""
        assert self.found.probabilities is not None
        return self.found.probabilities

    @property
    def place(self) -> str:
        """The person's bin in words."""
        number = f"bin {self.found.bin + 1}"
        if self.bins.members:
            return f"{number}, of {counted(self.bins.members[self.found.bin], 'member')}"
        return f"{number}, of share {self.bins.shares[self.found.bin]}"

    @property
    def worlds(self) -> tuple[str, str]:
        """The world in which the event is likelier, and the other."""
        both = ("with your entry", "without it")
        return both if self.found.upper else ("without your entry", "with it")

    @property
    def event(self) -> str:
        """The event in words."""
        return f"a table more than {show(self.ratio)} times likelier {self.worlds[0]}"

    @property
    def example(self) -> str:
        """The likeliest kind of table in the event."""
        table = self.found.table
        if table is None:
            return "none"
        rest = f", {counted(table.hidden, 'other bin')} show 0" if table.hidden > 1 else ""
        rest = ", 1 other bin shows 0" if table.hidden == 1 else rest
        return f"your bin shows {table.shown}{rest}, and the rest sum to {table.elsewhere}"

    def verify(self) -> bool:
        """Go through all tables one by one if they are few, and else compare once more."""
        if self._tables() <= _PLAIN_TABLES and self.bins.size.last is not None:
            fresh = self._plainly()
        else:
            again = self.bins.worst(self.threshold, self.ratio, self.known)
            assert again.probabilities is not None
            fresh = again.probabilities
        return all(agree(a, b) for a, b in zip(fresh, self.probabilities, strict=True))

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

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the bin, the event, its probabilities and an example."""
        p, q = self.probabilities
        first, second = self.worlds
        yield "worst bin", self.place
        yield "event", self.event
        yield (
            "",
            f"probability {show(p, side='at least')} {first}, {show(q, side='at most')} {second}",
        )
        yield "", f"for example: {self.example}"

    def explain(self) -> str:
        """Say the event and its probabilities in a sentence."""
        p, q = self.probabilities
        first, second = self.worlds
        return (
            f"in {self.place}, {self.event} has probability {show(p, side='at least')} {first} and "
            f"{show(q, side='at most')} {second}; for example: {self.example}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        return {
            "bin": self.place,
            "event": self.event,
            "worlds": list(self.worlds),
            "probabilities": [to_json(p) for p in self.probabilities],
            "example": self.example,
        }
