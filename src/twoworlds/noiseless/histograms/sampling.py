"""How a sample is drawn when bins are independent: member by member, or by a Poisson process.

Then only the person's own bin tells anything about them (`bins`), and what is
left to find is the worst bin. For bins of m members, each sampled with probability p, let n = m - 1
and write, for a threshold k and a ratio a,

    G_c(n) = Pr[B >= c - 1] - a Pr[B >= c]      H(n) = the largest over c >= k
    J_c(n) = Pr[B <= c] - a Pr[B <= c - 1]      I(n) = the largest over c >= k - 1

for B binomial with n trials; delta is the larger of H and I (and 0). One more trial gives
G_c(n+1) = (1 - p) G_c(n) + p G_(c-1)(n), and likewise for J. So H(n + 1) <= H(n) unless
G_(k-1)(n) > G_k(n), that is b(k - 2) > a b(k - 1); in that case quotients above k exceed a too,
H(n) = G_k(n), and it rises. Since b(k - 2) / b(k - 1) falls as n grows, H rises up to one size and
falls from there on, and so does I, with 1/a in place of a:

    H is largest at the first n >= k - 2 + (k - 1)(1 - p) / (p a)
    I is largest at the first n >= k - 2 + (k - 1)(1 - p) a / p

The worst of any range of bin sizes, even of all sizes, thus is one of two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from twoworlds.errors import InvalidInput
from twoworlds.noiseless.histograms.bins import BinWitness, compare_bin
from twoworlds.noiseless.histograms.counts import Binomial, Poisson
from twoworlds.noiseless.histograms.sizes import read_rate
from twoworlds.noiseless.words import counted
from twoworlds.numbers import Number, Order, bounds, compare, exact_text, rational, show, whole

__all__ = [
    "Bins",
    "IndependentBins",
    "MeanBin",
    "MemberBins",
    "peaks",
    "read_bins",
    "read_list",
    "read_mean",
]

_DIGITS = 256


class Bins(Protocol):
    """Bins of one kind, of which the worst is wanted."""

    @property
    def words(self) -> str:
        """How the bin is sampled, as a clause."""

    @property
    def most_known(self) -> int | None:
        """How many others of a bin there are at most; None if there is no end."""

    def worst(self, threshold: int, ratio: Number, known: int) -> BinWitness:
        """Return the worst bin and event, if so many others of the bin are known, or all."""


@dataclass(frozen=True)
class MemberBins:
    """Bins of ``low`` to ``high`` members (None: no end), each sampled at the rate."""

    low: int
    high: int | None
    rate: Fraction

    @property
    def words(self) -> str:
        """How the bin is sampled."""
        return f"{self._members} is in the sample independently with probability {self.rate}"

    @property
    def _members(self) -> str:
        if self.low == self.high:
            return f"each of the {counted(self.low, 'member')} of your bin"
        if self.high is None:
            least = "however many these are" if self.low == 1 else f"{self.low:,} or more of them"
            return f"each member of your bin, {least},"
        return f"each member of your bin, {self.low:,} to {self.high:,} in number,"

    @property
    def most_known(self) -> int | None:
        """All members but the person."""
        return None if self.high is None else self.high - 1

    def worst(self, threshold: int, ratio: Number, known: int) -> BinWitness:
        """Return the worst size in the range: one of two, see the module.

        Of a bin with fewer others all are known; then it is shown for certain or not at all, and a
        larger bin of which all are known is no better.
        """
        known = known if self.most_known is None else min(known, self.most_known)
        sizes = peaks(max(1, threshold - known), self.rate, ratio)
        low, high = self.low - 1 - known, None if self.high is None else self.high - 1 - known
        within = {max(0, low, n if high is None else min(n, high)) for n in sizes}
        return _worse(self._witness(n, threshold, ratio, known) for n in sorted(within))

    def _witness(self, others: int, threshold: int, ratio: Number, known: int) -> BinWitness:
        law = Binomial(others, self.rate)
        gap = compare_bin(law, threshold, ratio, sampled=known)
        members = others + 1 + known
        place = f"a bin of {counted(members, 'member')}"
        return BinWitness(law, place, threshold, known, gap, members)


@dataclass(frozen=True)
class MeanBin:
    """A bin of which a Poisson number of others is in the sample."""

    mean: Fraction
    most_known = None

    @property
    def words(self) -> str:
        """How the bin is sampled."""
        return (
            "the number of others of your bin in the sample is Poisson with mean "
            f"{exact_text(self.mean)}"
        )

    def worst(self, threshold: int, ratio: Number, known: int) -> BinWitness:
        """Return the worst event; others known to be in the sample come on top of the mean."""
        law = Poisson(self.mean)
        gap = compare_bin(law, threshold, ratio, sampled=known)
        place = f"a bin with {exact_text(self.mean)} others in the sample on average"
        return BinWitness(law, place, threshold, known, gap)


@dataclass(frozen=True)
class IndependentBins:
    """Several kinds of independent bins; your bin may be any of them."""

    kinds: tuple[Bins, ...]

    @property
    def words(self) -> str:
        """How the bins are sampled."""
        return ", or ".join(kind.words for kind in self.kinds)

    @property
    def most_known(self) -> int | None:
        """The others of the largest bin."""
        found = [kind.most_known for kind in self.kinds]
        return None if None in found else max(most for most in found if most is not None)

    def worst(self, threshold: int, ratio: Number, known: int) -> BinWitness:
        """Return the worst of all bins; in a small one all others are known."""
        _check_known(known, self.most_known)
        return _worse(kind.worst(threshold, ratio, known) for kind in self.kinds)


def peaks(threshold: int, rate: Fraction, ratio: Number) -> list[int]:
    """Return the numbers of others at which H and I are largest.

    >>> peaks(20, Fraction(1, 2), Fraction(3, 2))
    [31, 47]
    """
    base = (threshold - 1) * (1 - rate) / rate
    found: list[int] = []
    for x in (base / ratio, base * ratio):
        # An enclosure that meets a whole number names both neighbours.
        found += {max(0, math.ceil(end) + threshold - 2) for end in bounds(x, _DIGITS)}
    return sorted(found)


def read_bins(population: object, rate: object) -> IndependentBins:
    """Read bin sizes: 50, "30, 50", "1..120", "any", or a list of such.

    >>> read_bins("10..20, 50", "1/3").most_known
    49
    """
    sampled = read_rate(rate)
    kinds = tuple(MemberBins(low, high, sampled) for low, high in _ranges(population))
    if not kinds:
        raise InvalidInput("population is empty: give the members of a bin, such as 50")
    return IndependentBins(kinds)


def read_mean(mean: object) -> IndependentBins:
    """Read the mean number of others in the sample, for one bin or several."""
    found: list[Bins] = []
    for part in read_list(mean):
        value = rational(part, "mean")
        if value <= 0:
            raise InvalidInput(f"mean={show(value)}: a Poisson law needs a mean above 0")
        found.append(MeanBin(value))
    if not found:
        raise InvalidInput("mean is empty: give the mean number of others in a bin, such as 5")
    return IndependentBins(tuple(found))


def _ranges(population: object) -> Iterator[tuple[int, int | None]]:
    for part in read_list(population):
        if part == "any":
            yield 1, None
        elif isinstance(part, str) and ".." in part:
            first, _, last = part.partition("..")
            low = whole(first, "population", at_least=1)
            high = whole(last, "population", at_least=1) if last.strip() else None
            if high is not None and high < low:
                raise InvalidInput(f"population={part}: the range ends before it begins")
            yield low, high
        else:
            size = whole(part, "population", at_least=1)
            yield size, size


def read_list(given: object) -> list[object]:
    """Split a text at its commas; take a list as it is, and anything else as a list of one.

    >>> read_list("1/2, 1/2"), read_list(50)
    (['1/2', '1/2'], [50])
    """
    if isinstance(given, str):
        return [part.strip() for part in given.split(",") if part.strip()]
    if isinstance(given, range) and given.step == 1 and given:
        return [f"{given.start}..{given.stop - 1}"]
    return list(given) if isinstance(given, Iterable) else [given]


def _check_known(known: int, most: int | None) -> None:
    if most is not None and known > most:
        raise InvalidInput(
            f"known={known}: a bin has at most {counted(most, 'other')} beside the person, so no "
            "more can be known"
        )


def _worse(found: Iterable[BinWitness]) -> BinWitness:
    worst: BinWitness | None = None
    for witness in found:
        if worst is None or _exceeds(witness.gap.delta, worst.gap.delta):
            worst = witness
    assert worst is not None
    return worst


def _exceeds(a: Number, b: Number) -> bool:
    return compare(a, b, limit=_DIGITS) is Order.GREATER
