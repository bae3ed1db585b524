r"""The law of a sum of independent lattice entries, in integers, and how far a shift moves it.

A `SumLaw` holds whole numbers w(k) >= 0 and a scale with

    w(k) / scale <= P(S = k)    and    1 - sum w / scale = missing,

so the probabilities are known from below and what lies anywhere else has total mass ``missing``.
Exact laws miss nothing: w are the coefficients of a product of powers of polynomials. Laws of long
sums are computed by squaring in fixed point, where every product is rounded down and cut to a
window; whatever is lost that way is in ``missing``, so no tail bound has to be believed.

For p the law of S, q another, and a ratio a the hockey-stick divergence is

    H_a(p, q) = sum_t (p(t) - a q(t))_+ .

With p_0 <= p and q_0 <= q of missing mass m and m'

    H_a(p_0, q_0) - a m'  <=  H_a(p, q)  <=  H_a(p_0, q_0) + m

since (x + e - a y - a f)_+ <= (x - a y)_+ + e and >= (x - a y)_+ - a f for e, f >= 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from flint import fmpz, fmpz_poly

from twoworlds.laws.comparison import Comparison, Gap, Peak
from twoworlds.laws.entry import EntryLaw
from twoworlds.laws.event import Anything, Event, Point, Ranges
from twoworlds.numbers import INFINITY, Number, Order, Real, bounds, compare

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SAMPLES = 1000
_UNSURE = 1e-6  # in logarithms to base 2, which are good to 1e-9
Pieces = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Row:
    """Whole numbers w(0), w(1), ... that stand for probabilities, from below."""

    weights: fmpz_poly
    scale: int
    missing: Fraction = Fraction(0)
    log_concave: bool = False

    @cached_property
    def coefficients(self) -> list[fmpz]:
        return self.weights.coeffs()

    @cached_property
    def sums(self) -> list[fmpz]:
        """The sums of the first 0, 1, 2, ... weights."""
        return list(accumulate(self.coefficients, initial=fmpz(0)))

    @cached_property
    def logs(self) -> NDArray[np.float64]:
        """The logarithms of the probabilities to base 2, to within 1e-9."""
        import numpy as np

        whole = map(int, self.coefficients)  # of any size, which log2 takes
        found = [math.log2(w) if w else -math.inf for w in whole]
        return np.array(found) - math.log2(self.scale)


@dataclass(frozen=True, eq=False)
class SumLaw:
    """A row of probabilities that begins at the place ``start``."""

    start: int
    row: Row

    @property
    def stop(self) -> int:
        """The place after the last one."""
        return self.start + len(self.row.coefficients)

    @property
    def missing(self) -> Fraction:
        """The probability that is left out."""
        return self.row.missing

    @property
    def log_concave(self) -> bool:
        """Whether the true law is known to be log-concave, without gaps."""
        return self.row.log_concave

    def mass(self, pieces: Pieces) -> Fraction:
        """Return the known probability of a union of ranges [low, high)."""
        found, size = fmpz(0), len(self.row.coefficients)
        for low, high in pieces:
            first, last = (min(size, max(0, end - self.start)) for end in (low, high))
            found += self.row.sums[last] - self.row.sums[first]
        return Fraction(int(found), self.row.scale)

    def known(self, event: Ranges, origin: Fraction, step: Fraction) -> Number:
        """Return the probability of totals origin + k step: exact, or enclosed."""
        mass = self.mass(
            tuple(
                (math.ceil((low - origin) / step), math.floor((high - origin) / step) + 1)
                for low, high in event.pieces
            )
        )
        return Real.between(mass, mass + self.missing) if self.missing else mass

    def shifted(self, by: int) -> SumLaw:
        """Return the law of S + by."""
        return SumLaw(self.start + by, self.row)

    def plus(self, other: SumLaw) -> SumLaw:
        """Return the law of the sum with an independent term."""
        a, b = self.row, other.row
        row = Row(
            a.weights * b.weights,
            a.scale * b.scale,
            1 - (1 - a.missing) * (1 - b.missing),
            a.log_concave and b.log_concave,
        )
        return SumLaw(self.start + other.start, row)


def one(law: EntryLaw, step: Fraction) -> SumLaw:
    """Return the law of (X - least value) / step."""
    times = int(law.step / step)
    row = [0] * (law.places[-1] * times + 1)
    for place, weight in zip(law.places, law.weights, strict=True):
        row[place * times] = weight
    concave = law.is_log_concave and (times == 1 or len(row) == 1)
    return SumLaw(0, Row(fmpz_poly(row), law.scale, log_concave=concave))


def convolve(groups: Sequence[tuple[EntryLaw, int]], step: Fraction) -> SumLaw:
    """Return the exact law of (S - least value of S) / step.

    Log-concavity passes to sums: a sequence without gaps is log-concave when all 2 by 2 minors of
    its Toeplitz matrix are nonnegative, and the minors of a product of matrices are sums of
    products of their minors (Cauchy & Binet).
    """
    result = SumLaw(0, Row(fmpz_poly([1]), 1, log_concave=True))
    for law, count in groups:
        if count:
            base = one(law, step).row
            row = Row(base.weights**count, base.scale**count, log_concave=base.log_concave)
            result = result.plus(SumLaw(0, row))
    return result


def exact_bits(groups: Sequence[tuple[EntryLaw, int]], step: Fraction) -> int:
    """Return about how many bits the exact law of the sum takes."""
    length, bits = 1, 1.0
    for law, count in groups:
        length += int((law.values[-1] - law.values[0]) / step) * count
        bits += math.log2(law.scale) * count
    return math.ceil(length * bits)


def windowed(
    groups: Sequence[tuple[EntryLaw, int]], step: Fraction, bits: int, deviations: int
) -> SumLaw:
    """Return the law of (S - least value of S) / step in fixed point, within a window."""
    result = SumLaw(0, Row(fmpz_poly([1 << bits]), 1 << bits, log_concave=True))
    for law, count in groups:
        if count:
            base, spread = one(law, step), float(law.variance / step**2)
            power, terms = _rounded(base, bits, None), 1
            for digit in bin(count)[3:]:
                power, terms = power.plus(power), 2 * terms
                power = _rounded(power, bits, _width(terms * spread, deviations))
                if digit == "1":
                    power, terms = power.plus(base), terms + 1
                    power = _rounded(power, bits, _width(terms * spread, deviations))
            result = _rounded(result.plus(power), bits, None)
    return result


def _width(variance: float, deviations: int) -> int:
    return math.ceil(2 * deviations * math.sqrt(variance)) + 2 * deviations


def _rounded(law: SumLaw, bits: int, width: int | None) -> SumLaw:
    """Round down to fixed point and cut to a window; what is lost counts as missing."""
    rows, start, scale = law.row.coefficients, law.start, law.row.scale
    if width is not None and len(rows) > width:
        first = _heaviest(law.row, width)
        rows, start = rows[first : first + width], start + first
    if scale.bit_count() == 1:
        drop = scale.bit_length() - 1 - bits
        rows = [w >> drop for w in rows] if drop >= 0 else [w << -drop for w in rows]
    else:
        rows = [(w << bits) // scale for w in rows]
    missing = 1 - Fraction(int(sum(rows, start=fmpz(0))), 1 << bits)
    return SumLaw(start, Row(fmpz_poly(rows), 1 << bits, missing, law.row.log_concave))


def _heaviest(row: Row, width: int) -> int:
    """Return where a window around the mean begins; any place would be right, only worse."""
    shift, size = max(0, row.scale.bit_length() - 60), len(row.coefficients)
    every = max(1, size // _SAMPLES)
    parts = [int(w >> shift) for w in row.coefficients[::every]]
    mean = every * sum(k * w for k, w in enumerate(parts)) / max(1, sum(parts))
    return int(min(max(0.0, mean - width / 2), size - width))


@dataclass(frozen=True, eq=False)
class OnLattice(Comparison):
    """Two laws of totals origin + k step, exact or known from below, compared total by total."""

    x: Point
    y: Point
    p: SumLaw
    q: SumLaw
    origin: Fraction = Fraction(0)
    step: Fraction = Fraction(1)

    def gap(self, ratio: Number) -> Gap:
        """Return H_a, or an enclosure, with the event that attains it on the known masses.

        It is exact if both laws are: rational for a rational ratio, otherwise p - a q.
        """
        pieces = _above(self.p, self.q, ratio)
        p, q = self.p.mass(pieces), self.q.mass(pieces)
        delta: Number = p if q == 0 else p - ratio * q
        if self.p.missing or self.q.missing:
            low, high = bounds(delta)
            delta = enclosure(low - bounds(ratio)[1] * self.q.missing, high + self.p.missing)
        return Gap(delta, self._event(pieces))

    def peak(self) -> Peak:
        """Take the totals that no ratio, or the largest one, is needed for."""
        ratio, pieces = self._least(Fraction(0))
        return Peak(ratio, Anything() if pieces is None else self._event(pieces))

    def ratio_for(self, delta: Number) -> Number:
        """Return the smallest a >= 1 with H_a <= delta; enclosed if masses are missing."""
        assert isinstance(delta, Fraction)
        return self._least(delta)[0]

    def reverse(self) -> Comparison:
        return OnLattice(self.y, self.x, self.q, self.p, self.origin, self.step)

    def _least(self, delta: Fraction) -> tuple[Number, Pieces | None]:
        """Return the smallest ratio for delta, and the event that needs it.

        H_a is convex, decreasing and piecewise linear in a, so Newton's steps from a = 1 never pass
        the answer and reach it after finitely many; each is (P(E) - delta) / Q(E) for the event E
        of the step before.
        """
        p, q, event = self.p, self.q, None
        allowed = delta - p.missing
        if allowed < 0:
            return INFINITY, None
        a, lower = Fraction(1), Fraction(1)
        while True:
            pieces = _above(p, q, a)
            first, second = p.mass(pieces), q.mass(pieces)
            if first - a * second <= allowed:
                return a if p.missing == q.missing == 0 else Real.between(lower, a), event
            event = pieces
            if second == 0:
                return INFINITY, event
            a = (first - allowed) / second
            lower = max(lower, (first - delta) / (second + q.missing))

    def _event(self, pieces: Pieces) -> Event:
        ends = ((low, high - 1) for low, high in pieces)
        return Ranges(tuple((self._total(low), self._total(high)) for low, high in ends))

    def _total(self, place: int) -> Fraction:
        return self.origin + place * self.step


def enclosure(low: Fraction, high: Fraction) -> Real:
    """Return a probability of which these bounds are known.

    A ball that begins at 0 gets a short radius, which is exact, so that it does not reach below.
    """
    if low <= 0:
        spare = 24 - (high.numerator.bit_length() - high.denominator.bit_length())
        short = Fraction(2) ** spare
        low, high = Fraction(0), math.ceil(high * short) / short
    found = Real.between(low, high)
    found.cap = Fraction(1)
    return found


def _above(p: SumLaw, q: SumLaw, ratio: Number) -> Pieces:
    """Return the ranges of places where p(t) > a q(t).

    Logarithms decide wherever they differ enough, and exact comparisons everywhere else. Numbers
    that exact comparison cannot tell apart are taken to be equal, as they count for nothing then.
    """
    import numpy as np

    base, stop = min(p.start, q.start), max(p.stop, q.stop)
    rows = np.full((2, stop - base), -np.inf)
    for row, law in zip(rows, (p, q), strict=True):
        row[law.start - base : law.stop - base] = law.row.logs
    possible = rows[0] > -np.inf
    margin = np.full(stop - base, -np.inf)
    np.subtract(rows[0], rows[1], out=margin, where=possible)
    margin -= _log(ratio)
    exceeds = margin > 0
    for place in np.flatnonzero(np.abs(margin) < _UNSURE).tolist():
        over = p.row.coefficients[base + place - p.start] * q.row.scale
        under = q.row.coefficients[base + place - q.start] * p.row.scale
        exceeds[place] = compare(Fraction(int(over), int(under)), ratio) is Order.GREATER
    edges = np.flatnonzero(np.diff(np.concatenate(([False], exceeds, [False])).astype(np.int8)))
    ends = [base + int(edge) for edge in edges]
    return tuple(zip(ends[::2], ends[1::2], strict=True))


def _log(ratio: Number) -> float:
    """Return the logarithm to base 2, to within 1e-9."""
    low, _ = bounds(ratio)
    return math.log2(low.numerator) - math.log2(low.denominator)
