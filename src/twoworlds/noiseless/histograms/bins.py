"""One bin of a truncated histogram: what it shows with a person's entry, and without it.

The k-truncated histogram publishes each bin's count if it is at least k, and "0" otherwise
(Bassily, Groce, Katz & Smith, Section III-B). Somebody is known to be in the sample. Let B be the
number of the others of the same bin that are in it, with b(j) = Pr[B = j]. The two worlds are

    with the entry       1 + B, truncated       Pr[c] = b(c - 1) for c >= k
    without it               B, truncated       Pr[c] = b(c)     for c >= k

(the simulator publishes what the mechanism would without the entry: the canonical one). Where bins
are independent, other bins say nothing, and this one decides.

Both worst events are half lines. Let B be log-concave, so that b(c - 1) / b(c) never falls.
With > a without: {c >= k: b(c - 1) > a b(c)} is {c >= c*}, of Pr[B >= c* - 1] against
Pr[B >= c*]; "0" is never likelier with the entry. Without > a with: {c >= k: b(c) > a b(c - 1)}
is {k, ..., c'}. If it is not empty, b(j) > a b(j - 1) for all j <= c', and summing over j < k shows
that "0" belongs to the event too; if it is empty, only "0" may. Either way the event is "at most
c'" with c' >= k - 1, of Pr[B <= c'] against Pr[B <= c' - 1].

So the count with the entry and the count without it are two copies of B, shifted by 1 and clamped
from below to k - 1: `twoworlds.laws.shifted` compares them.

Truncating at k + 1 is a function of the histogram truncated at k, so delta never rises with k. Who
knows of L others of the bin (or of all, if they are fewer) whether they were sampled sees a bin of
the rest: if s of them were, it is truncated at k - s, so that s = L is the worst (and knowing more
never hurts the attacker: a mixture over what one might learn is no worse than its worst case).

**The worst bin.** Bins are independent when members are sampled one by one, or by a Poisson
process. Then only the person's own bin tells anything about them, and what is left to find is the
worst one. For bins of m members, each sampled with probability p, let n = m - 1 and write, for a
threshold k and a ratio a,

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import NamedTuple

from flint import arb, ctx

from twoworlds.definitions.verdict import Proof
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import Gap
from twoworlds.laws.counts import Binomial, Counts, Poisson
from twoworlds.laws.event import AtLeast, AtMost, EventWitness, Listed, recomputed
from twoworlds.laws.shifted import Shifted, tail
from twoworlds.noiseless.histograms.size_laws import read_mean, read_rate
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    ball,
    bounds,
    compare,
    counted,
    exact_text,
    whole,
    working_precision,
)

_PLAIN_TERMS = 2000
_DIGITS = 256
WITH = ("with your entry", "without it")
WITHOUT = ("without your entry", "with it")


class WorstBin(NamedTuple):
    """delta, its witness unless it is a bound, and the worst bin's members where they are known."""

    delta: Number
    witness: Proof | None
    members: int | None = None


def compare_bin(
    others: Counts,
    threshold: int,
    ratio: Number,
    *,
    sampled: int = 0,
    place: str = "a bin",
    members: int | None = None,
) -> WorstBin:
    """Return the exact delta at a ratio, for a bin with so many people known to be sampled.

    >>> found = compare_bin(Binomial(2, Fraction(1, 2)), 2, Fraction(3, 2))
    >>> found.delta, found.witness.event
    (Fraction(3, 8), 'the bin shows 2 or more')
    """
    shown = max(1, threshold - sampled)
    first, second = directions(others, shown, ratio)
    upper = compare(first.delta, second.delta, limit=_DIGITS) is not Order.LESS
    delta, event = first if upper else second
    cut = event.threshold  # type: ignore[attr-defined]
    edge = cut + sampled
    p, q = (tail(others, x, event, shown - 1, None) for x in ((1, 0) if upper else (0, 1)))
    if upper:
        said = f"the bin shows {edge} or more"
    else:
        said = f"the bin shows {edge} or less" if edge >= threshold else "the bin shows 0"

    def again() -> list[Number]:
        if upper:
            return [_again(others, cut - 1), _again(others, cut)]
        return [1 - _again(others, cut + 1), 1 - _again(others, cut)]

    worlds = WITH if upper else WITHOUT
    where = (("worst bin", place),)
    witness = EventWitness(worlds, said, (p, q), recomputed(again), where, data={"bin": place})
    return WorstBin(delta, witness, members)


def directions(others: Counts, threshold: int, ratio: Number) -> tuple[Gap, Gap]:
    """Return the worst events of both directions: likelier with the entry, and without it."""
    both = Shifted("with", "without", 1, 0, others, low=threshold - 1)
    there, back = both.gap(ratio), both.reverse().gap(ratio)
    if isinstance(there.event, Listed):  # nothing is likelier with the entry
        there = Gap(Fraction(0), AtLeast(threshold))
    if isinstance(back.event, Listed):  # nothing is likelier without the entry, "0" included
        back = Gap(Fraction(0), AtMost(threshold - 1))
    return there, back


def _again(others: Counts, cut: int) -> Number:
    """Compute Pr[B >= cut] term by term or by an incomplete beta function, not as `Counts`."""
    if cut <= others.first:
        return Fraction(1)
    if others.last is not None and cut > others.last:
        return Fraction(0)
    if isinstance(others, Poisson):
        return Real(lambda bits: _poisson_again(others.mean, cut, bits))
    assert isinstance(others, Binomial)
    n, p = others.trials, others.rate
    if n > _PLAIN_TERMS:
        return Real(lambda bits: ball(p, bits).beta_lower(cut, n - cut + 1, regularized=1))
    u, v = p.numerator, p.denominator
    terms = (comb(n, j) * u**j * (v - u) ** (n - j) for j in range(cut, n + 1))
    return Fraction(sum(terms), v**n)


def _poisson_again(mean: Fraction, cut: int, bits: int) -> arb:
    with working_precision(bits + 2 * cut.bit_length() + 32):
        top = ball(mean, ctx.prec)
        term = total = (-top).exp()
        for j in range(1, cut):
            term = term * top / j
            total += term
        return 1 - total


@dataclass(frozen=True)
class BinKind:
    """Independent bins of one kind, of which yours may be any.

    Either bins of ``low`` to ``high`` members (None: no end), each sampled at the rate; or a bin of
    which a Poisson number of others with a mean is in the sample.
    """

    low: int = 1
    high: int | None = None
    rate: Fraction | None = None
    mean: Fraction | None = None

    @property
    def words(self) -> str:
        """How the bin is sampled, as a clause."""
        if self.mean is not None:
            return (
                "the number of others of your bin in the sample is Poisson with mean "
                f"{exact_text(self.mean)}"
            )
        if self.low == self.high:
            several = f"each of the {self.low:,} members"
            members = f"{'the only member' if self.low == 1 else several} of your bin"
        elif self.high is None:
            least = "however many these are" if self.low == 1 else f"{self.low:,} or more of them"
            members = f"each member of your bin, {least},"
        else:
            members = f"each member of your bin, {self.low:,} to {self.high:,} in number,"
        return f"{members} is in the sample independently with probability {self.rate}"

    def worst(self, threshold: int, ratio: Number, known: int) -> WorstBin:
        """Return the worst bin and event, if so many others of the bin are known, or all.

        Of a range of sizes it is one of two, see the module. Of a bin with fewer others all are
        known; then it is shown for certain or not at all, and a larger bin of which all are known
        is no better. Others known to be in the sample come on top of a mean.
        """
        if self.mean is not None:
            place = f"a bin with {exact_text(self.mean)} others in the sample on average"
            return compare_bin(Poisson(self.mean), threshold, ratio, sampled=known, place=place)
        assert self.rate is not None
        known = known if self.high is None else min(known, self.high - 1)
        sizes = peaks(max(1, threshold - known), self.rate, ratio)
        low, high = self.low - 1 - known, None if self.high is None else self.high - 1 - known
        within = {max(0, low, n if high is None else min(n, high)) for n in sizes}
        return _worse(self._sized(n, threshold, ratio, known) for n in sorted(within))

    def _sized(self, others: int, threshold: int, ratio: Number, known: int) -> WorstBin:
        assert self.rate is not None
        law, members = Binomial(others, self.rate), others + 1 + known
        place = f"a bin of {counted(members, 'member')}"
        return compare_bin(law, threshold, ratio, sampled=known, place=place, members=members)


def most_known(kinds: Iterable[BinKind]) -> int | None:
    """Return how many others the largest bin has; None if there is no end."""
    highs = [kind.high for kind in kinds]
    return None if None in highs else max(high for high in highs if high is not None) - 1


def worst_bin(kinds: Sequence[BinKind], threshold: int, ratio: Number, known: int) -> WorstBin:
    """Return the worst of all bins; in a small one all others are known."""
    most = most_known(kinds)
    if most is not None and known > most:
        raise InvalidInput(
            f"known={known}: a bin has at most {counted(most, 'other')} beside the person, so no "
            "more can be known"
        )
    return _worse(kind.worst(threshold, ratio, known) for kind in kinds)


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


def read_bins(population: object, rate: object) -> tuple[BinKind, ...]:
    """Read bin sizes: 50, "30, 50", "1..120", "any", or a list of such.

    >>> most_known(read_bins("10..20, 50", "1/3"))
    49
    """
    sampled = read_rate(rate)
    kinds = tuple(BinKind(low, high, sampled) for low, high in _ranges(population))
    if not kinds:
        raise InvalidInput("population is empty: give the members of a bin, such as 50")
    return kinds


def read_means(mean: object) -> tuple[BinKind, ...]:
    """Read the mean number of others in the sample, for one bin or several."""
    found = tuple(BinKind(mean=read_mean(part)) for part in read_list(mean))
    if not found:
        raise InvalidInput("mean is empty: give the mean number of others in a bin, such as 5")
    return found


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


def _worse(found: Iterable[WorstBin]) -> WorstBin:
    worst, *others = found
    for other in others:
        if compare(other.delta, worst.delta, limit=_DIGITS) is Order.GREATER:
            worst = other
    return worst
