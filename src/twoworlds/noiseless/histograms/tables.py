"""Truncated tables whose bins hang together: the two worlds added up in whole numbers.

The others' counts c have weight kappa(|c|) g(c_t) g_1(c_1) ... g_d(c_d), where t is the person's
bin (`shared`). A *pattern* says which of the other bins show "0": let R be the
sum of the counts that the rest of them show, V(R) the total weight of the ways to get it, W(h) that
of h hidden entries, and K(u) = sum_h W(h) kappa(u + h). With x_c = g(c) K(c + R), the tables of a
pattern and an R in which the person's bin shows c have

    with the entry       V(R) x_(c-1)    if c >= k,     V(R) (x_0 + ... + x_(k-2))    if "0"
    without it           V(R) x_c        if c >= k,     V(R) (x_0 + ... + x_(k-1))    if "0"

The factor V(R) adds up tables of one and the same quotient, so nothing is lost by it: both worst
events, and delta, are exact. Bins of equal weights are exchangeable and only counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import comb

from flint import fmpq, fmpq_poly, fmpz

from twoworlds.numbers import Number, Order, Real, at_most_one, bounds, compare

_BITS = 256
Groups = tuple[tuple[fmpq_poly, int], ...]


@dataclass(frozen=True)
class Pattern:
    """How many other bins show "0", and the weights of what is shown and of what is hidden."""

    hidden: int
    shown_weights: fmpq_poly
    hidden_weights: fmpq_poly


@dataclass(frozen=True)
class TableKind:
    """A kind of table: what your bin shows, how many others show 0, and the sum of the rest."""

    shown: int
    hidden: int
    elsewhere: int


@dataclass(frozen=True)
class WorstTables:
    """What the two worlds of one bin and one state of knowledge come to.

    Attributes:
        delta: the larger of the two directions.
        upper: whether the worst event is likelier with the entry.
        probabilities: of the worst event, in the world where it is likelier and in the other.
        table: the likeliest kind of table in it, if there is any.
        bin: the person's bin.
        sampled: how many others are known to be in the sample.
        bounded: True when all other counts were revealed, so that delta is only enclosed.
    """

    delta: Number
    upper: bool
    probabilities: tuple[Number, Number] | None
    table: TableKind | None
    bin: int = 0
    sampled: int = 0
    bounded: bool = False

    def of_bin(self, number: int, sampled: int) -> WorstTables:
        """Return the comparison with the bin and the knowledge that it is of."""
        table = self.table
        if table is not None and table.shown:
            table = replace(table, shown=table.shown + sampled)
        return replace(self, bin=number, sampled=sampled, table=table)

    def rounded(self, error: Fraction, ratio: Number) -> WorstTables:
        """Widen everything by what a total error of either law can change."""
        if error == 0 or self.probabilities is None:
            return self
        p, q = (_widened(x, error) for x in self.probabilities)
        delta = _widened(self.delta, error * (1 + bounds(ratio)[1]))
        return replace(self, delta=delta, probabilities=(p, q))


def larger(a: WorstTables, b: WorstTables | None) -> WorstTables:
    """Return the comparison with the larger delta; of enclosures the one that reaches higher."""
    if b is None:
        return a
    order = compare(a.delta, b.delta, limit=_BITS)
    if order is Order.UNDECIDED:
        order = compare(bounds(a.delta)[1], bounds(b.delta)[1])
    return b if order is Order.LESS else a


def patterns(others: Groups, threshold: int, last: int) -> Iterator[Pattern]:
    """Yield all patterns of bins that come in groups of equal weights."""
    small = [_cut(weights, 0, threshold) for weights, _ in others]
    large = [_cut(weights, threshold, None) for weights, _ in others]
    for chosen in product(*(range(count + 1) for _, count in others)):
        shown, kept = fmpq_poly([1]), fmpq_poly([1])
        for i, (_, count) in enumerate(others):
            shown = _cut(shown * _power(large[i], count - chosen[i], last), 0, last + 1)
            kept = _cut(kept * _power(small[i], chosen[i], last), 0, last + 1)
            shown = shown * comb(count, chosen[i])
        yield Pattern(sum(chosen), shown, kept)


def _power(weights: fmpq_poly, exponent: int, last: int) -> fmpq_poly:
    """Return a power, cut beyond a last degree as it grows."""
    found = fmpq_poly([1])
    for _ in range(exponent):
        found = _cut(found * weights, 0, last + 1)
    return found


def _cut(weights: fmpq_poly, start: int, stop: int | None) -> fmpq_poly:
    kept = weights.coeffs()[:stop]
    return fmpq_poly([fmpq(0)] * min(start, len(kept)) + kept[start:])


def compare_tables(
    own: fmpq_poly,
    shapes: Iterator[Pattern] | list[Pattern],
    kappa: list[fmpq],
    threshold: int,
    ratio: Number,
) -> WorstTables:
    """Add up both worlds over all patterns, and return the worst event of either direction."""
    test = _Test(ratio)
    sums = (_Sum(), _Sum())
    total = fmpq(0)
    for pattern in shapes:
        total += _add(own, pattern, kappa, threshold, test, sums)
    found = [
        one.of(total, ratio, upper=upper) for one, upper in zip(sums, (True, False), strict=True)
    ]
    return larger(*found)


def _add(
    own: fmpq_poly,
    pattern: Pattern,
    kappa: list[fmpq],
    threshold: int,
    test: _Test,
    sums: tuple[_Sum, _Sum],
) -> fmpq:
    """Add one pattern to the sums of both directions, and return its total weight."""
    g, g_scale = _whole(own)
    shown, shown_scale = _whole(pattern.shown_weights)
    kernel, kernel_scale = _kernel(pattern.hidden_weights, kappa)
    parts = (_Part(), _Part())
    total = fmpz(0)
    for rest, ways in enumerate(shown):
        if ways == 0 or rest >= len(kernel):
            continue
        x = [ways * a * b for a, b in zip(g, kernel[rest:], strict=False)]
        total += sum(x)
        for c, p, q in _lines(x, threshold):
            if test.exceeds(p, q):
                parts[0].add(p, q, c, rest)
            elif test.exceeds(q, p):
                parts[1].add(q, p, c, rest)
    scale = g_scale * shown_scale * kernel_scale
    for one, part in zip(sums, parts, strict=True):
        one.add(part, scale, pattern.hidden)
    return fmpq(total, scale)


def _lines(x: list[fmpz], threshold: int) -> Iterator[tuple[int, fmpz, fmpz]]:
    """Yield what the person's bin shows with its weight in both worlds."""
    low, edge = sum(x[: threshold - 1], start=fmpz(0)), sum(x[:threshold], start=fmpz(0))
    yield 0, low, edge
    for c in range(threshold, len(x) + 1):
        yield c, x[c - 1], x[c] if c < len(x) else fmpz(0)


def _kernel(weights: fmpq_poly, kappa: list[fmpq]) -> tuple[list[fmpz], fmpz]:
    """Return K(u) = sum_h W(h) kappa(u + h) in whole numbers, and their scale."""
    w, w_scale = _whole(weights)
    k, k_scale = _whole(fmpq_poly(kappa))
    k += [fmpz(0)] * (len(kappa) - len(k))
    # A product with the reversed weights, of which the low degrees are left out.
    back = fmpq_poly(w[::-1]) * fmpq_poly(k)
    found = [fmpz(int(c.p)) for c in back.coeffs()][len(w) - 1 :]
    return found, w_scale * k_scale


def _whole(weights: fmpq_poly) -> tuple[list[fmpz], fmpz]:
    return list(weights.numer().coeffs()), weights.denom()


@dataclass
class _Part:
    """One pattern's share of a direction, in whole numbers."""

    p: fmpz = field(default_factory=lambda: fmpz(0))
    q: fmpz = field(default_factory=lambda: fmpz(0))
    best: tuple[fmpz, int, int] = field(default_factory=lambda: (fmpz(0), 0, 0))

    def add(self, p: fmpz, q: fmpz, shown: int, rest: int) -> None:
        self.p += p
        self.q += q
        if p > self.best[0]:
            self.best = (p, shown, rest)


@dataclass
class _Sum:
    """One direction: the weight of its event in both worlds, and its likeliest kind of table."""

    p: fmpq = field(default_factory=lambda: fmpq(0))
    q: fmpq = field(default_factory=lambda: fmpq(0))
    weight: fmpq = field(default_factory=lambda: fmpq(0))
    table: TableKind | None = None

    def add(self, part: _Part, scale: fmpz, hidden: int) -> None:
        self.p += fmpq(part.p, scale)
        self.q += fmpq(part.q, scale)
        weight, shown, rest = part.best
        if fmpq(weight, scale) > self.weight:
            self.weight = fmpq(weight, scale)
            self.table = TableKind(shown, hidden, rest)

    def of(self, total: fmpq, ratio: Number, *, upper: bool) -> WorstTables:
        p, q = (_fraction(x / total) for x in (self.p, self.q))
        delta = p if q == 0 else p - ratio * q
        return WorstTables(delta, upper, (p, q), self.table)


class _Test:
    """Whether p > ratio q, for whole numbers p and q."""

    def __init__(self, ratio: Number) -> None:
        self.ratio = ratio
        low, high = bounds(ratio, 2 * _BITS)
        self.low = fmpz(low.numerator), fmpz(low.denominator)
        self.high = fmpz(high.numerator), fmpz(high.denominator)

    def exceeds(self, p: fmpz, q: fmpz) -> bool:
        if p * self.high[1] > q * self.high[0]:
            return True
        if self.high == self.low or p * self.low[1] <= q * self.low[0]:
            return False
        return compare(Fraction(int(p), int(q)), self.ratio) is Order.GREATER


def _fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def _widened(x: Number, error: Fraction) -> Number:
    low, high = bounds(x)
    return at_most_one(Real.between(max(Fraction(0), low - error), high + error))
