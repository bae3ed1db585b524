"""Bins that hang together through the size of the sample: N has a law of its own.

N entries are drawn without replacement from a population with M_j members in bin j, or have types
that are independent with shares theta_j (its limit for a large population). Somebody of bin t is
known to be in the sample. Which law of N remains then depends on who that is:

    a person     Pr[N = n] gets a factor n (a large sample is likelier to hold a given person)
    a place      the i-th entry of the list exists: Pr[N = n] is cut to n >= i, no factor

Bassily, Groce, Katz & Smith speak of the i-th entry; their Theorem 10 is false for a place, as a
long list may be long only just (N Poisson with mean 20 and i = 60 is known to be 60 or little
more). So a person is meant unless a place is given.

A table of the others' counts c has weight kappa(|c|) g_1(c_1) ... g_d(c_d), where

    population   g_j(c) = C(M_j, c),        kappa(m) = Pr[N = m + 1] / C(|P|, m + 1)
    shares       g_j(c) = theta_j^c / c!,   kappa(m) = Pr[N = m + 1] (m + 1)!   (a place: m!)

and M_t counts neither the person nor those of whom the attacker knows; if s of L are known to be in
the sample, m + 1 + s takes the place of m + 1. The sums are in `tables`. Where
they would take too long, all other counts are revealed (`reveal`): what is
published is a function of that, so its delta is an upper bound.

Weights that are irrational, or without end, are rounded to rationals; with a total error e of the
weights Z, the laws are off by at most 2 e / (Z - e) and delta by at most 1 + ratio times that.

The proof of a delta for bins that share a sample: the tables that tell the two worlds apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, factorial, isqrt, perm, prod

from flint import arb, fmpq, fmpq_poly

from twoworlds.definitions.coupled.words import counted
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.event import EventWitness, recomputed
from twoworlds.noiseless.histograms.bins import WITH, WITHOUT
from twoworlds.noiseless.histograms.reveal import BITS, Own, Sizes, reveal
from twoworlds.noiseless.histograms.size_laws import SizeLaw
from twoworlds.noiseless.histograms.tables import (
    TableKind,
    WorstTables,
    compare_tables,
    larger,
    patterns,
)
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    bounds,
    compare,
    show,
    working_precision,
)

WORK = 200_000_000
_BITS = 256
_TAIL_BITS = 100
_LONG = 5000
_STRIDE = 16


@dataclass(frozen=True)
class SharedBins:
    """Bins that share a sample: members of a population, or shares of an endless one."""

    size: SizeLaw
    members: tuple[int, ...] = ()
    shares: tuple[Fraction, ...] = ()
    place: int | None = None

    def __post_init__(self) -> None:
        if bool(self.members) == bool(self.shares):
            raise InvalidInput("give the members of each bin, or the share of each bin")
        if self.shares and (min(self.shares) <= 0 or sum(self.shares) != 1):
            raise InvalidInput(f"shares sum to {sum(self.shares)}: positive shares must sum to 1")
        if self.members and (self.size.last is None or self.size.last > sum(self.members)):
            raise InvalidInput(
                f"{self.size.text} can exceed the population of {sum(self.members):,}: give a law "
                "that ends there, for example with low= and high="
            )
        if self.place is not None and self.members:
            raise InvalidInput("place is for independent types: in a population people are meant")

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return len(self.members or self.shares)

    def worst(self, threshold: int, ratio: Number, known: int = 0) -> WorstTables:
        """Return the worst bin, and the worst number of sampled people among those known."""
        if self.place is not None and known:
            raise InvalidInput(f"known={known}: with a place nobody else can be known")
        if self.members and known >= max(self.members):
            raise InvalidInput(
                f"known={known}: a bin has at most {counted(max(self.members) - 1, 'other')} "
                "beside the person, so no more can be known"
            )
        kinds = {(self.members or self.shares)[j]: j for j in reversed(range(self.bins))}
        found: WorstTables | None = None
        for j in kinds.values():
            here = self.known_in(j, known)
            for sampled in range(here + 1) if self.members else (here,):
                one = self._compare(j, threshold, ratio, here, sampled)
                found = one if found is None else larger(found, one)
        if found is None:
            raise InvalidInput(f"{self.size.text} leaves no room for the people who are known")
        return found

    def known_in(self, bin_: int, known: int) -> int:
        """Return how many others of this bin are known to who knows so many: at most all."""
        return min(known, self.members[bin_] - 1) if self.members else known

    def _compare(
        self, bin_: int, threshold: int, ratio: Number, known: int, sampled: int
    ) -> WorstTables | None:
        parts: tuple[int | Fraction, ...] = self.members or self.shares
        rest = [x for j, x in enumerate(parts) if j != bin_]
        groups = [(x, rest.count(x)) for x in dict.fromkeys(rest)]
        shown = max(1, threshold - sampled)
        if not self._fits(prod(count + 1 for _, count in groups)):
            return self._bound(bin_, shown, ratio, known, sampled)
        kappa = self._kappa(known, sampled)
        if not any(kappa.values):
            return None
        own = self._weights(bin_, known, kappa.last)
        others = tuple((_weights(x, kappa.last), count) for x, count in groups)
        shapes = patterns(others, threshold, kappa.last)
        found = compare_tables(own, shapes, kappa.values, shown, ratio)
        return found.rounded(kappa.error, ratio).of_bin(bin_, sampled)

    def _fits(self, count: int) -> bool:
        """Tell whether so many patterns can be added up exactly."""
        most = self.size.last
        n = self._window(0)[0] if most is None else most
        return n ** (3 if self.bins > 1 else 2) * count <= WORK

    def _weights(self, bin_: int, known: int, last: int) -> fmpq_poly:
        if self.members:
            return _weights(self.members[bin_] - 1 - known, last)
        return _weights(self.shares[bin_], last)

    def _bound(
        self, bin_: int, shown: int, ratio: Number, known: int, sampled: int
    ) -> WorstTables | None:
        """Return an upper bound by revealing all other counts."""
        if self.bins == 1:
            raise TooLarge(
                f"{self.size.text}: with one bin sizes up to {isqrt(WORK):,} are compared; the "
                "condition on the size says what the size alone gives away"
            )
        if self.members:
            own = Own(None, self.members[bin_] - 1 - known, sum(self.members) - 1 - known)
        else:
            own = Own(self.shares[bin_])
        sizes = self._sizes(known, sampled)
        if sizes is None:
            return None
        upper = reveal(own, sizes, shown, ratio)
        delta = at_most_one(_at_most(upper))
        found = WorstTables(delta, upper=True, probabilities=None, table=None, bounded=True)
        return found.of_bin(bin_, sampled)

    def _lift(self, n: int, known: int, sampled: int) -> Fraction:
        """Return the factor of Pr[N = n] for the person, and the known ones, to be as they are."""
        if self.place is not None:
            return Fraction(n >= self.place)
        if not self.members:
            return Fraction(perm(n, 1 + sampled))
        people, out = sum(self.members), known - sampled
        if people - n < out:
            return Fraction(0)
        return Fraction(perm(n, 1 + sampled) * perm(people - n, out), perm(people, 1 + known))

    def _kappa(self, known: int, sampled: int) -> Kappa:
        """Return the weights of the numbers of unknown others, from 0 on."""
        most, left_out = self.size.last, Fraction(0)
        if most is None:
            most, left_out = self._window(sampled)
        unknown = sum(self.members) - 1 - known
        top = most - 1 - sampled if not self.members else min(most - 1 - sampled, unknown)
        found: list[Number] = []
        ways: list[Fraction] = []
        factorial = 1
        for m in range(top + 1):
            factorial *= max(1, m)
            n = m + 1 + sampled
            # How much each table's weight stands for: all tables of m others.
            ways.append(Fraction(comb(unknown, m)) if self.members else Fraction(1, factorial))
            found.append(self.size.mass(n) * (self._lift(n, known, sampled) / ways[-1]))
        return Kappa.of(found, ways, left_out)

    def _window(self, sampled: int) -> tuple[int, Fraction]:
        """Return a largest size of an endless law, and a bound on the weight beyond it."""
        n = first = max(self.place or 1, self.size.middle, 1 + sampled)
        peak = total = Fraction(0)
        while n <= first + _LONG:
            here, ahead = (self._upper_weight(j, 0, sampled) for j in (n, n + 1))
            total, peak = total + here, max(peak, here)
            # From the peak on, quotients of neighbours only fall.
            if 0 < ahead < here < peak:
                rest = 2 * ahead / (1 - ahead / here)
                if rest * 2**_TAIL_BITS < total:
                    return n, rest
            n += 1
        raise TooLarge(
            f"{self.size.text} has more than {_LONG:,} sizes that matter: give it an end, for "
            "example by low= and high="
        )

    def _upper_weight(self, n: int, known: int, sampled: int) -> Fraction:
        return bounds(self.size.mass(n))[1] * self._lift(n, known, sampled)

    def _sizes(self, known: int, sampled: int) -> Sizes | None:
        """Return the law of the number of unknown others, without what is negligible."""
        last = self.size.last
        if last is None:
            last, beyond = self._window(sampled)
        else:
            beyond = Fraction(0)
        largest = Fraction(1) if self.members else self._lift(last, known, sampled)
        start = min(last, max(self.size.middle, 1 + sampled, self.place or 1))
        enough = self._upper_weight(start, known, sampled) / 2**_TAIL_BITS
        high, low, least = start, start, 1 + sampled
        while high < last and self._mass_above(high) * largest > enough:
            high = min(last, high + _STRIDE)
        while low > least and self._mass_below(low) * largest > enough:
            low = max(least, low - _STRIDE)
        above = self._mass_above(high) * largest if high < last else Fraction(0)
        below = self._mass_below(low) * largest if low > least else Fraction(0)
        with working_precision(BITS):
            found = [
                ball(self.size.mass(n), BITS) * ball(self._lift(n, known, sampled), BITS)
                for n in range(low, high + 1)
            ]
            total = sum(found, start=arb(0))
            if not total > 0:
                return None
            wrong = above + below + beyond
            weight = bounds(Real(lambda _: total))[0]
            masses = [x / total for x in found]
        return Sizes(low - 1 - sampled, masses, 2 * wrong / (weight - wrong))

    def _mass_above(self, n: int) -> Fraction:
        return bounds(self.size.at_least(n + 1))[1]

    def _mass_below(self, n: int) -> Fraction:
        return bounds(1 - self.size.at_least(n))[1]


@dataclass(frozen=True)
class Kappa:
    """Rational weights by number of others, and the error they carry relative to their total."""

    values: list[fmpq]
    error: Fraction

    @property
    def last(self) -> int:
        """The largest number of others."""
        return len(self.values) - 1

    @staticmethod
    def of(exact: list[Number], scale: list[Fraction], out: Fraction) -> Kappa:
        """Round what is irrational; ``scale`` says how much total weight each stands for."""
        ends = [bounds(x, 2 * _BITS) for x in exact]
        values = [fmpq(low.numerator, low.denominator) for low, _ in ends]
        off = sum(
            ((high - low) * w for (low, high), w in zip(ends, scale, strict=True)), Fraction(0)
        )
        wrong = off + out
        if wrong == 0:
            return Kappa(values, Fraction(0))
        total = sum((low * w for (low, _), w in zip(ends, scale, strict=True)), Fraction(0))
        return Kappa(values, 2 * wrong / (total - wrong))


def _weights(of: int | Fraction, last: int) -> fmpq_poly:
    """Return g(c) up to a last c: C(M, c) for members, theta^c / c! for a share."""
    if isinstance(of, int):
        return fmpq_poly([comb(of, c) for c in range(min(of, last) + 1)])
    x, term, found = fmpq(of.numerator, of.denominator), fmpq(1), []
    for c in range(last + 1):
        found.append(term)
        term = term * x / (c + 1)
    return fmpq_poly(found)


def _at_most(upper: Fraction) -> Real:
    """Return a number of which only an upper bound is known: a ball that ends at 0 exactly."""

    def evaluate(bits: int) -> arb:
        around = arb(0, ball(upper / 2, bits).upper())
        return around + around.rad()

    return Real(evaluate)


_PLAIN_TABLES = 20_000


def table_witness(
    bins: SharedBins, threshold: int, known: int, ratio: Number, found: WorstTables
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


def _example(table: TableKind | None) -> str:
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
    found: WorstTables

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
