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
the sample, m + 1 + s takes the place of m + 1.

**Adding up.** A *pattern* says which of the other bins show "0": let R be the sum of the counts
that the rest of them show, V(R) the total weight of the ways to get it, W(h) that of h hidden
entries, and K(u) = sum_h W(h) kappa(u + h). With x_c = g(c) K(c + R), the tables of a pattern and
an R in which the person's bin shows c have

    with the entry       V(R) x_(c-1)    if c >= k,     V(R) (x_0 + ... + x_(k-2))    if "0"
    without it           V(R) x_c        if c >= k,     V(R) (x_0 + ... + x_(k-1))    if "0"

The factor V(R) adds up tables of one and the same quotient, so nothing is lost by it: both worst
events, and delta, are exact. Bins of equal weights are exchangeable and only counted. Weights that
are irrational, or without end, are rounded to rationals; with a total error e of the weights Z, the
laws are off by at most 2 e / (Z - e) and delta by at most 1 + ratio times that.

**An upper bound.** Where that takes too long, all other counts are revealed, which are then as good
as one other bin that is always shown: its count R has V(R) = g'(R), the weight of all others, and
K = kappa. What is published is a function of that table, so its delta is no larger. The sums are
the same, in ball arithmetic, over the sizes and the R that matter. Given m others, R has mean m mu,
and lies further off than t with probability at most 2 exp(-2 t^2 / m) (Hoeffding, also for draws
without replacement). What is left out is counted in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import comb, factorial, floor, isqrt, perm, prod
from typing import Any

from flint import arb, fmpq, fmpq_poly, fmpz

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.event import EventWitness, recomputed
from twoworlds.noiseless.histograms.bins import WITH, WITHOUT
from twoworlds.noiseless.histograms.size_laws import SizeLaw
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    bounds,
    compare,
    counted,
    show,
    working_precision,
)

WORK = 600_000_000
_BITS = 256
_TAIL_BITS = 100
_LONG = 5000
_PLAIN_TABLES = 20_000

Groups = tuple[tuple[fmpq_poly, int], ...]
Pattern = tuple[int, fmpq_poly, fmpq_poly]
"""How many other bins show "0", and the weights of what is shown and of what is hidden."""
TableKind = tuple[int, int, int]
"""What your bin shows, how many others show 0, and the sum of the rest."""


@dataclass(frozen=True)
class WorstTables:
    """What the two worlds of one bin and one state of knowledge come to.

    Attributes:
        delta: the larger of the two directions.
        upper: whether the worst event is likelier with the entry.
        probabilities: of the worst event, in the world where it is likelier and in the other;
            None if delta is only an upper bound.
        table: the likeliest kind of table in it, if there is any.
        bin: the person's bin.
        sampled: how many others are known to be in the sample.
    """

    delta: Number
    upper: bool
    probabilities: tuple[Number, Number] | None
    table: TableKind | None
    bin: int = 0
    sampled: int = 0


def _larger(a: WorstTables, b: WorstTables) -> WorstTables:
    """Return the comparison with the larger delta; of enclosures the one that reaches higher."""
    order = compare(a.delta, b.delta, limit=_BITS)
    if order is Order.UNDECIDED:
        order = compare(bounds(a.delta)[1], bounds(b.delta)[1])
    return b if order is Order.LESS else a


def _patterns(others: Groups, threshold: int, last: int) -> Iterator[Pattern]:
    """Yield all patterns of bins that come in groups of equal weights."""
    small = [_cut(weights, 0, threshold) for weights, _ in others]
    large = [_cut(weights, threshold, None) for weights, _ in others]
    for chosen in product(*(range(count + 1) for _, count in others)):
        shown, kept = fmpq_poly([1]), fmpq_poly([1])
        for i, (_, count) in enumerate(others):
            shown = _cut(shown * _power(large[i], count - chosen[i], last), 0, last + 1)
            kept = _cut(kept * _power(small[i], chosen[i], last), 0, last + 1)
            shown = shown * comb(count, chosen[i])
        yield sum(chosen), shown, kept


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
    shapes: Iterator[Pattern],
    kappa: list[fmpq],
    threshold: int,
    ratio: Number,
) -> WorstTables:
    """Add up both worlds over all patterns, and return the worst event of either direction."""
    exceeds = _exceeds(ratio)
    sums = [[fmpq(0), fmpq(0)], [fmpq(0), fmpq(0)]]  # of the events of both directions, p and q
    best: list[tuple[fmpq, TableKind | None]] = [(fmpq(0), None), (fmpq(0), None)]
    total = fmpq(0)
    g, g_scale = _whole(own)
    for hidden, shown_weights, hidden_weights in shapes:
        shown, shown_scale = _whole(shown_weights)
        kernel, kernel_scale = _kernel(hidden_weights, kappa)
        scale = g_scale * shown_scale * kernel_scale
        parts = [[fmpz(0), fmpz(0)], [fmpz(0), fmpz(0)]]
        top = [(fmpz(0), 0, 0), (fmpz(0), 0, 0)]
        weight = fmpz(0)
        for rest, ways in enumerate(shown):
            if ways == 0 or rest >= len(kernel):
                continue
            x = [ways * a * b for a, b in zip(g, kernel[rest:], strict=False)]
            weight += sum(x)
            for c, p, q in _lines(x, threshold):
                side = 0 if exceeds(p, q) else 1 if exceeds(q, p) else None
                if side is not None:
                    more, less = (p, q) if side == 0 else (q, p)
                    parts[side][0] += more
                    parts[side][1] += less
                    top[side] = max(top[side], (more, c, rest), key=lambda one: one[0])
        total += fmpq(weight, scale)
        for side in (0, 1):
            sums[side][0] += fmpq(parts[side][0], scale)
            sums[side][1] += fmpq(parts[side][1], scale)
            most, c, rest = top[side]
            if fmpq(most, scale) > best[side][0]:
                best[side] = fmpq(most, scale), (c, hidden, rest)
    found = []
    for side, upper in ((0, True), (1, False)):
        first, second = (Fraction(int(x.p), int(x.q)) for x in (m / total for m in sums[side]))
        delta: Number = first if second == 0 else first - ratio * second
        found.append(WorstTables(delta, upper, (first, second), best[side][1]))
    return _larger(*found)


def _lines(x: list[Any], threshold: int, first: int = 0) -> Iterator[tuple[int, Any, Any]]:
    """Yield what the person's bin shows with its weight in both worlds; x begins at a count."""
    yield 0, sum(x[: max(0, threshold - 1 - first)]), sum(x[: max(0, threshold - first)])
    for c in range(max(threshold, first), first + len(x) + 1):
        i = c - first
        yield c, x[i - 1] if i > 0 else 0, x[i] if i < len(x) else 0


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


def _exceeds(ratio: Number) -> Callable[[fmpz, fmpz], bool]:
    """Return the test whether p > ratio q, for whole numbers p and q."""
    ends = ((fmpz(end.numerator), fmpz(end.denominator)) for end in bounds(ratio, 2 * _BITS))
    (low, low_scale), (high, high_scale) = ends
    exact = (low, low_scale) == (high, high_scale)

    def exceeds(p: fmpz, q: fmpz) -> bool:
        if p * high_scale > q * high:
            return True
        if exact or p * low_scale <= q * low:
            return False
        return compare(Fraction(int(p), int(q)), ratio) is Order.GREATER

    return exceeds


def _widened(x: Number, error: Fraction) -> Number:
    low, high = bounds(x)
    return at_most_one(Real.between(max(Fraction(0), low - error), high + error))


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
                if one is not None:
                    found = one if found is None else _larger(found, one)
        if found is None:
            raise InvalidInput(f"{self.size.text} leaves no room for the people who are known")
        return found

    def known_in(self, bin_: int, known: int) -> int:
        """Return how many others of this bin are known to who knows so many: at most all."""
        return min(known, self.members[bin_] - 1) if self.members else known

    def _compare(
        self, bin_: int, threshold: int, ratio: Number, known: int, sampled: int
    ) -> WorstTables | None:
        """Compare the tables of a person of this bin; None where there are none."""
        parts: tuple[int | Fraction, ...] = self.members or self.shares
        rest = [x for j, x in enumerate(parts) if j != bin_]
        groups = [(x, rest.count(x)) for x in dict.fromkeys(rest)]
        if not self._fits(prod(count + 1 for _, count in groups)):
            return self._reveal(bin_, max(1, threshold - sampled), ratio, known, sampled)
        kappa, error = self._kappa(known, sampled)
        if not any(kappa):
            return None
        last = len(kappa) - 1
        own = self.members[bin_] - 1 - known if self.members else self.shares[bin_]
        others = tuple((_weights(x, last), count) for x, count in groups)
        shapes, shown = _patterns(others, threshold, last), max(1, threshold - sampled)
        found = compare_tables(_weights(own, last), shapes, kappa, shown, ratio)
        table = found.table
        if table is not None and table[0]:
            table = (table[0] + sampled, *table[1:])
        found = replace(found, bin=bin_, sampled=sampled, table=table)
        if error == 0:
            return found
        assert found.probabilities is not None
        p, q = (_widened(x, error) for x in found.probabilities)
        delta = _widened(found.delta, error * (1 + bounds(ratio)[1]))
        return replace(found, delta=delta, probabilities=(p, q))

    def _fits(self, patterns: int) -> bool:
        """Tell whether so many patterns can be added up exactly."""
        most = self._window(0)[0] if self.size.last is None else self.size.last
        return most ** (3 if self.bins > 1 else 2) * patterns <= WORK

    def _reveal(
        self, bin_: int, shown: int, ratio: Number, known: int, sampled: int
    ) -> WorstTables | None:
        """Bound delta from above by revealing all other counts; None where there are none."""
        own: int | Fraction = self.members[bin_] - 1 - known if self.members else self.shares[bin_]
        every = sum(self.members) - 1 - known if self.members else Fraction(1)
        with working_precision(_BITS):
            low, sizes, error = self._sizes(known, sampled)
            if not sizes:
                return None
            a = ball(ratio, _BITS)
            found = _revealed(own, every - own, low, sizes, shown, a)
            top = found + (1 + a) * ball(error, _BITS)
            delta = Real.up_to(bounds(Real(lambda _: top))[1])
        return WorstTables(
            at_most_one(delta),
            upper=True,
            probabilities=None,
            table=None,
            bin=bin_,
            sampled=sampled,
        )

    def _sizes(self, known: int, sampled: int) -> tuple[int, list[arb], Fraction]:
        """Return the law of the number of unknown others from a number on, and its error."""
        last, beyond = self.size.last, Fraction(0)
        if last is None:
            last, beyond = self._window(sampled)
        lift = Fraction(1) if self.members else self._lift(last, known, sampled)
        if self.members:
            last = min(last, sum(self.members) - known + sampled)
        least = max(1 + sampled, self.place or 1)
        start = min(last, max(self.size.middle, least))
        enough = self._upper_weight(start, known, sampled) / 2**_TAIL_BITS
        reach = 0
        while True:
            reach += reach // 4 + 16
            low, high = max(least, start - reach), min(last, start + reach)
            below = 1 - self.size.at_least(low) if low > least else Fraction(0)
            above = self.size.at_least(high + 1) if high < last else Fraction(0)
            wrong = (bounds(below)[1] + bounds(above)[1]) * lift
            if wrong <= enough:
                break
        found = [
            ball(self.size.mass(n), _BITS) * ball(self._lift(n, known, sampled), _BITS)
            for n in range(low, high + 1)
        ]
        total = sum(found, start=arb(0))
        if not total > 0:
            return 0, [], Fraction(0)
        wrong += beyond
        weight = bounds(Real(lambda _: total))[0]
        return low - 1 - sampled, [x / total for x in found], 2 * wrong / (weight - wrong)

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

    def _kappa(self, known: int, sampled: int) -> tuple[list[fmpq], Fraction]:
        """Return weights of the numbers of unknown others, from 0 on, and their relative error."""
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
        return _rounded(found, ways, left_out)

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


def _rounded(
    exact: list[Number], scale: list[Fraction], out: Fraction
) -> tuple[list[fmpq], Fraction]:
    """Round what is irrational; ``scale`` says how much total weight each stands for."""
    ends = [bounds(x, 2 * _BITS) for x in exact]
    values = [fmpq(low.numerator, low.denominator) for low, _ in ends]
    off = sum(((high - low) * w for (low, high), w in zip(ends, scale, strict=True)), Fraction(0))
    wrong = off + out
    if wrong == 0:
        return values, Fraction(0)
    total = sum((low * w for (low, _), w in zip(ends, scale, strict=True)), Fraction(0))
    return values, 2 * wrong / (total - wrong)


def _weights(of: int | Fraction, last: int) -> fmpq_poly:
    """Return g(c) up to a last c: C(M, c) for members, theta^c / c! for a share."""
    if isinstance(of, int):
        return fmpq_poly([comb(of, c) for c in range(min(of, last) + 1)])
    x, term, found = fmpq(of.numerator, of.denominator), fmpq(1), []
    for c in range(last + 1):
        found.append(term)
        term = term * x / (c + 1)
    return fmpq_poly(found)


def _revealed(
    own: int | Fraction, rest: int | Fraction, low: int, sizes: list[arb], threshold: int, a: arb
) -> arb:
    """Bound delta if only the person's bin is truncated, given the law of the others' number."""
    every, high = own + rest, low + len(sizes) - 1
    kappa = [q / _ball_weight(every, m) for m, q in enumerate(sizes, low)]
    mean, far = Fraction(rest) / (every or 1), isqrt(high * _TAIL_BITS // 2) + 1
    shown = range(max(0, floor(low * mean) - far), min(high, floor(high * mean) + far + 1) + 1)
    start = max(0, low - shown[-1])
    g = [_ball_weight(own, c) for c in range(start, high - shown[0] + 1)]
    found = [arb(0), arb(0)]
    for r in shown:
        first = max(0, low - r)
        x = [u * v for u, v in zip(g[first - start :], kappa[first + r - low :], strict=False)]
        parts = [arb(0), arb(0)]
        for _, p, q in _lines(x, threshold, first):
            for side, excess in enumerate((p - a * q, q - a * p)):
                if not excess < 0:
                    parts[side] += excess.nonnegative_part()
        ways = _ball_weight(rest, r)
        found = [total + ways * part for total, part in zip(found, parts, strict=True)]
    return found[0].max(found[1]) + 2 * arb(-_TAIL_BITS).exp()


def _ball_weight(of: int | Fraction, c: int) -> arb:
    """Return g(c) as a ball."""
    if isinstance(of, int):
        return arb.bin_uiui(of, c)
    return ball(of, _BITS) ** c / arb.fac_ui(c)


def table_witness(
    bins: SharedBins, threshold: int, known: int, ratio: Number, found: WorstTables
) -> EventWitness | None:
    """Return all tables that are more than the ratio likelier in one world than in the other.

    An upper bound has no witness.
    """
    if found.probabilities is None:
        return None
    worlds = WITH if found.upper else WITHOUT
    place = f"bin {found.bin + 1}, of " + (
        counted(bins.members[found.bin], "member")
        if bins.members
        else f"share {bins.shares[found.bin]}"
    )
    example = "none"
    if found.table is not None:
        shown, hidden, elsewhere = found.table
        rest = f", {counted(hidden, 'other bin')} show{'s' * (hidden == 1)} 0" if hidden else ""
        example = f"your bin shows {shown}{rest}, and the rest sum to {elsewhere}"

    def again() -> tuple[Number, Number]:
        """Go through all tables one by one if they are few, and else compare once more."""
        last = bins.size.last
        if last is not None and comb(last + bins.bins, bins.bins) <= _PLAIN_TABLES:
            return _plainly(bins, threshold, known, ratio, found)
        once_more = bins.worst(threshold, ratio, known).probabilities
        assert once_more is not None
        return once_more

    return EventWitness(
        worlds,
        f"a table more than {show(ratio)} times likelier {worlds[0]}",
        found.probabilities,
        recomputed(again),
        (("worst bin", place),),
        (("", f"for example: {example}"),),
        {"bin": place, "example": example},
    )


def _plainly(
    bins: SharedBins, threshold: int, known: int, ratio: Number, found: WorstTables
) -> tuple[Number, Number]:
    """Draw all samples, count them, truncate the counts, and add up the worst event."""
    laws: list[dict[tuple[int, ...], Number]] = [{}, {}]  # without the entry, and with it
    zero: Number = Fraction(0)
    total = zero
    for others, weight in _samples(bins, known, found):
        total = total + weight
        for one, law in enumerate(laws):
            counts = list(others)
            counts[found.bin] += found.sampled + one
            table = tuple(c if c >= threshold else 0 for c in counts)
            law[table] = law.get(table, zero) + weight
    first, second = laws[::-1] if found.upper else laws
    worst = [
        t for t, p in first.items() if compare(p, ratio * second.get(t, zero)) is Order.GREATER
    ]
    p, q = (sum((law.get(t, zero) for t in worst), start=zero) / total for law in (first, second))
    return p, q


def _samples(
    bins: SharedBins, known: int, found: WorstTables
) -> Iterator[tuple[tuple[int, ...], Number]]:
    """Yield the counts of the unknown others, with the weight of each."""
    last = (bins.size.last or 0) - 1 - found.sampled
    members = list(bins.members)
    if members:
        members[found.bin] -= 1 + bins.known_in(found.bin, known)
    tops = members or [last] * bins.bins
    for counts in product(*(range(min(top, last) + 1) for top in tops)):
        m = sum(counts)
        n = m + 1 + found.sampled
        if m > last:
            continue
        if members:
            ways = prod(comb(top, c) for top, c in zip(tops, counts, strict=True))
            yield counts, bins.size.mass(n) * Fraction(ways, comb(sum(bins.members), n))
        else:
            ways = factorial(m) // prod(factorial(c) for c in counts)
            chance = prod(x**c for x, c in zip(bins.shares, counts, strict=True)) * ways
            lift = perm(n, 1 + found.sampled) if bins.place is None else int(n >= bins.place)
            yield counts, bins.size.mass(n) * (chance * lift)
