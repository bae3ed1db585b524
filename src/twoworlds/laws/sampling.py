r"""Sampling and shuffling: chance decides what is seen of a person; and laws that dominate others.

**Mixing.** Let P and Q be two laws, and the first world show P with probability s, else Q, and the
second world with probability t < s. The ratio of the mixed laws rises with that of P over Q, so
that best tests stay best tests, and

    H_a((1-s) Q + s P, (1-t) Q + t P) = (s - a t) H_c(P, Q),   c = (a (1-t) - (1-s)) / (s - a t).

**Divergences of mixtures.** With t = 0 and a whole order a, the moment is a finite sum,

    sum ((1-s) Q + s P)^a Q^(1-a) = sum_k C(a, k) (1-s)^(a-k) s^k sum P^k Q^(1-k)

(Mironov, Talwar & Zhang 2019). If P and Q are told apart alike both ways round, the other way
round no divergence is larger. Proof: let r > 1 be a ratio of P over Q. By symmetry Q gives r times
as much mass to the ratio 1/r as to r. With A = 1 - s + s r and D = (1-s) r + s, these two ratios
of the mixture over Q are A and D/r, and their part of the moment is larger than the other way
round if h(A) >= D h(r/D), where h(y) = y^a - y^(1-a) = 2 sqrt(y) sinh((a - 1/2) ln y). For a = 1
both are equal, since A + D = 1 + r. The quotient sinh((a - 1/2) ln A) / sinh((a - 1/2) ln(r/D))
grows with a, as A >= r/D, because A D = r + s (1-s) (r-1)^2 >= r.

A mixture with t = 0 is a post-processing: in place of an output one draws from Q, with probability
1 - s. So nothing becomes larger than for P against Q. Where all orders, or ever rarer alarms, need
the same rho and mu of P against Q, as for Gaussian noise, the mixture needs them too in the limit:
its moment is at least s^a times that of P against Q.

**Poisson sampling**, every record drawn on its own with probability g, neighbours by add-remove: if
(P, Q) dominates a mechanism with a record against without it, then s = g, t = 0 dominates the
sampled mechanism with the record against without it, and s = 0, t = g the other way round (Zhu,
Dong & Wang 2022, Theorem 11; Balle, Barthe & Gaboardi 2018). It is attained where the other records
contribute nothing.

**Sampling without replacement**, a sample of fixed size, g its share of all records, neighbours by
substitution: the gap at a ratio of at least 1 is at most that of s = g, t = 0 (Balle, Barthe &
Gaboardi 2018, Theorem 9), and neighbours are symmetric; so the pair of laws that has this profile
both ways round dominates. One use attains it. Several uses need not, since a real pair of databases
has it in one direction (Lebeda, Regehr, Kamath & Steinke 2024).

**Shuffling.** Each of n people sends a randomized report, and only how many reports of each kind
there are is seen; neighbours by substitution. Let R be the law of a report, and

    b = min over values w and reports o of  2 R(o|w) / (R(o|u) + R(o|v))
    r = max over reports o of R(o|u) / R(o|v) and R(o|v) / R(o|u)

A report of anybody is with probability b one of (R(u) + R(v)) / 2, whatever the true value. Tell
the attacker which of the others' reports are not, and what they are: C ~ Binomial(n-1, b) are left,
each a *clone* of u or of v with probability 1/2. There are two laws of which R(u) is a mixture with
the weights s = r / (1 + r) and 1 - s, and R(v) one with the weights exchanged; a clone has each
with probability 1/2. So the number A of clones of the first law, C, and the law of the person's own
report are all that matters (Feldman, McMillan & Talwar 2021, 2023):

    (A + 1, C)  against  (A, C),   mixed with s = r / (1 + r) and t = 1 - s,   A ~ Binomial(C, 1/2).

**Domination.** (P', Q') dominates (P, Q) if H_a(P', Q') >= H_a(P, Q) for all a. What dominates the
parts dominates their composition (Zhu, Dong & Wang 2022, Theorem 10), so that it gives a bound from
above where nobody knows which of several pairs of worlds is the worst: `Worst` is above all of
them, and `Dominated` a pair of worlds with such a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, reduce
from math import comb, floor, isqrt

from flint import arb, ctx

from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import (
    Comparison,
    Extreme,
    Family,
    Gap,
    Peak,
    ProfileLine,
    larger,
    solved,
)
from twoworlds.laws.counts import Binomial, added, tail_ball
from twoworlds.laws.event import Event, Listed, Point
from twoworlds.laws.line import GaussianPair
from twoworlds.laws.renyi import divergence
from twoworlds.laws.shifted import Shifted
from twoworlds.numbers import INFINITY, Number, Real, bounds, exp, ln, maximum, working_precision

_NOTHING, _EVERYTHING = ProfileLine(Fraction(0), Fraction(0)), ProfileLine(Fraction(1), Fraction(1))
_GUARD_BITS = 48
_STEPS = 40  # of a bisection
_LARGEST_ORDER = 1 << 10
_FAR_OUT = 16  # an order, or a ratio, at which a limit is nearly reached


@dataclass(frozen=True)
class Mixed(Comparison):
    """(1 - s) Q + s P against (1 - t) Q + t P with t < s, where ``base`` compares P with Q."""

    x: Point
    y: Point
    base: Comparison
    s: Number
    t: Number = Fraction(0)
    named: Callable[[Event], Event] = field(default=lambda event: event, repr=False)

    @staticmethod
    def of(
        x: Point,
        y: Point,
        base: Comparison,
        s: Number,
        t: Number,
        named: Callable[[Event], Event] = lambda event: event,
    ) -> Mixed:
        """Compare the two mixtures, whichever shows P more often; ``named`` names events."""
        if larger(t, s):
            return Mixed(x, y, base.reverse(), 1 - s, 1 - t, named)
        return Mixed(x, y, base, s, t, named)

    @property
    def key(self) -> Hashable:
        return None if self.base.key is None else ("mixed", self.base.key, self.s, self.t)

    def _mixed(self, ratio: Number) -> Number:
        """Return the ratio of the mixtures where that of P over Q is so large."""
        if ratio == INFINITY:
            return INFINITY if self.t == 0 else self.s / self.t
        return (1 - self.s + self.s * ratio) / (1 - self.t + self.t * ratio)

    def _before(self, ratio: Number) -> Number | None:
        """Return c, infinity above all ratios of the mixtures, and None below all of them."""
        if ratio == INFINITY:
            return INFINITY
        above, below = self.s - ratio * self.t, ratio * (1 - self.t) - (1 - self.s)
        if not larger(above, 0):
            return INFINITY
        return below / above if larger(below, 0) else None

    def peak(self) -> Peak:
        ratio, event, attained = self.base.peak()
        return Peak(self._mixed(ratio), self.named(event), attained)

    def gap(self, ratio: Number) -> Gap:
        """Return (s - a t) H_c(P, Q)."""
        before = self._before(ratio)
        if ratio == INFINITY and self.t == 0:
            delta, event = self.base.gap(INFINITY)
            return Gap(self.s * delta, self.named(event))
        if before is None or before == INFINITY:
            return Gap(Fraction(0), Listed.of(()))
        delta, event = self.base.gap(before)
        return Gap((self.s - ratio * self.t) * delta, self.named(event))

    def limit(self) -> Number:
        """Return the mass of what only P can produce, where the second world never shows it."""
        return self.s * self.base.limit() if self.t == 0 else Fraction(0)

    def ratio_for(self, delta: Number) -> Number:
        """Solve for the ratio before mixing, or bisect."""
        if delta == 0:
            return self._mixed(self.base.ratio_for(delta))
        if self.t == 0:
            return self._mixed(self.base.ratio_for(delta / self.s))
        return solved(self, delta, _STEPS)

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Take the tests of P against Q at the ratios before mixing."""
        before = [self._before(exp(loss)) for loss in losses]
        inner = [ln(ratio) for ratio in before if ratio is not None and ratio != INFINITY]
        tests = self.base.best_tests(inner)
        for ratio in before:
            if ratio is None:
                yield _EVERYTHING
            elif ratio == INFINITY:
                yield _NOTHING
            else:
                p, q = next(tests)
                yield ProfileLine(q + self.s * (p - q), q + self.t * (p - q))

    def reverse(self) -> Comparison:
        """Swap the two mixtures: Q is shown more often in the first one then."""
        return Mixed(self.y, self.x, self.base.reverse(), 1 - self.t, 1 - self.s, self.named)

    def divergence(self, order: Fraction) -> Number:
        """Add up mixed cells, or moments of P against Q, where the second world shows Q only."""
        try:
            cells = self.base.cells()
        except Unsupported:
            return self._by_moments(order)
        return divergence(
            ((q + self.s * (p - q), q + self.t * (p - q)) for p, q, _ in cells), order
        )

    def _by_moments(self, order: Fraction) -> Number:
        turned = self.s == 1 and self._symmetric
        if self.t != 0 and not turned:
            raise Unsupported(
                "the divergences of these mixtures are not known: ask for the epsilon of dp at a "
                "delta"
            )
        if order.denominator > 1 or order == 1 or order > _LARGEST_ORDER:
            raise Unsupported(
                f"the divergence of order {order} of a sample is not known, only those of whole "
                f"orders from 2 to {_LARGEST_ORDER}: ask for rdp, with one of these"
            )
        if turned:
            return _up_to(self.reverse().divergence(order))
        a = int(order)
        moments = [
            Fraction(1) if k < 2 else exp((k - 1) * self.base.divergence(Fraction(k)))
            for k in range(a + 1)
        ]
        terms = [
            comb(a, k) * ((1 - self.s) ** (a - k) * self.s**k) * moment
            for k, moment in enumerate(moments)
        ]
        return ln(added(terms)) / (a - 1)

    @property
    def _symmetric(self) -> bool:
        return self.base.key is not None and self.base.key == self.base.reverse().key

    @property
    def _needed_far_out(self) -> bool:
        """Whether one world shows Q alone, and P against Q needs the same rho and mu far out."""
        gaussian = isinstance(self.base, (GaussianPair, Shifted)) and self.s != 0
        return gaussian and (self.t == 0 or self.s == 1)

    def closed_rho(self) -> Extreme | None:
        """Return that of Gaussian noise, to which sampling does nothing."""
        found = self.base.closed_rho() if self._needed_far_out else None
        if found is None or found.value == 0:
            return found
        value = found.value if self.t == 0 else _up_to(found.value)
        return Extreme(value, Fraction(_FAR_OUT), attained=False)

    def closed_mu(self) -> Extreme | None:
        """Return that of Gaussian noise, to which sampling does nothing."""
        found = self.base.closed_mu() if self._needed_far_out else None
        if found is None or found.value == 0:
            return found
        return Extreme(found.value, Fraction(_FAR_OUT), attained=False)


def _up_to(top: Number) -> Number:
    """Return a number that is at most so large, and is not known."""
    if top == INFINITY or top == 0:
        return top
    found = Real.up_to(top)
    if isinstance(found, Real) and isinstance(top, Fraction):
        found.cap = top
    return found


@dataclass(frozen=True)
class Clones(Comparison):
    """(A + 1, C) against (A, C), where C ~ Binomial(others, share) and A ~ Binomial(C, 1/2).

    The likelihood ratio of (k, C) is k / (C + 1 - k), so that the best tests are k > h (C + 1) with
    h = c / (1 + c). With C + 1 - k in place of k, the reverse is the same.
    """

    x: Point
    y: Point
    others: int
    share: Fraction

    @property
    def key(self) -> Hashable:
        return "clones", self.others, self.share

    def reverse(self) -> Comparison:
        return Clones(self.y, self.x, self.others, self.share)

    def peak(self) -> Peak:
        """All clones may be of one kind."""
        return Peak(INFINITY, Listed.of(()))

    def limit(self) -> Number:
        return self.gap(INFINITY).delta

    def gap(self, ratio: Number) -> Gap:
        """Subtract the masses of the best test; no event is named."""
        p, q = self._test(ratio)
        return Gap(p if ratio == INFINITY else p - ratio * q, Listed.of(()))

    def ratio_for(self, delta: Number) -> Number:
        return INFINITY if larger(self.limit(), delta) else solved(self, delta, _STEPS)

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Enclose both masses of k > h (C + 1)."""
        yield from (self._test(exp(loss)) for loss in losses)

    def _test(self, ratio: Number) -> ProfileLine:
        masses = lru_cache(maxsize=4)(lambda bits: self._masses(ratio, bits))
        return ProfileLine(Real(lambda bits: masses(bits)[0]), Real(lambda bits: masses(bits)[1]))

    def _masses(self, ratio: Number, bits: int) -> tuple[arb, arb]:
        """Add up over C; as C grows by one, P(A >= k) grows by half of P(A = k - 1)."""
        first, last = self._window(bits)
        with working_precision(bits + _GUARD_BITS):
            weight = self._weight(first)
            above = _least(ratio)
            k = above(first)
            tail, mass = _tail(first, k)  # P(A >= k), P(A = k - 1)
            p = q = known = arb(0)
            for count in range(first, last + 1):
                p, q, known = p + weight * (tail + mass), q + weight * tail, known + weight
                tail, mass = tail + mass / 2, mass * (count + 1) / (2 * (count + 2 - k))
                if k < above(count + 1):
                    mass = mass * (count + 2 - k) / k
                    tail, k = tail - mass, k + 1
                if self.share < 1:
                    up, down = self._law.step(count)
                    weight = weight * up / down
            beyond = (1 - known).nonnegative_part().union(arb(0))
            return p + beyond, q + beyond

    @property
    def _law(self) -> Binomial:
        return Binomial(self.others, self.share)

    def _window(self, bits: int) -> tuple[int, int]:
        """Return the least and the greatest C that are looked at; what is left out is counted."""
        if self.share == 1:
            return self.others, self.others
        mean, variance = self.others * self.share, self.others * self.share * (1 - self.share)
        away = (isqrt(int(variance)) + 1) * (isqrt(2 * bits) + 2)
        return max(0, int(mean) - away), min(self.others, int(mean) + away + 1)

    def _weight(self, count: int) -> arb:
        return arb(1) if self.share == 1 else self._law.mass_ball(count, ctx.prec)


def _least(ratio: Number) -> Callable[[int], int]:
    """Return, by C, the least k with k / (C + 1 - k) > c."""
    if ratio == INFINITY:
        return lambda count: count + 1
    ends = [end / (1 + end) for end in bounds(ratio)]

    def above(count: int) -> int:
        low, high = (floor(share * (count + 1)) for share in ends)
        while low < high and not larger((low + 1) * (1 + ratio), ratio * (count + 1)):
            low += 1
        return low + 1

    return above


def _tail(count: int, k: int) -> tuple[arb, arb]:
    """Return P(A >= k) and P(A = k - 1) for A ~ Binomial(C, 1/2)."""
    if count == 0:
        return arb(0), arb(1)  # k is 1
    law = Binomial(count, Fraction(1, 2))
    return tail_ball(law, k, ctx.prec), law.mass_ball(k - 1, ctx.prec)


# --- Domination -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Worst(Comparison):
    """Two laws whose gap is the largest of several, at every ratio; a maximum of convex functions.

    Only `best_tests` and the numbers are meant: an event is that of one of them.
    """

    x: Point
    y: Point
    several: tuple[Comparison, ...]

    @property
    def _family(self) -> Family:
        return Family(self.several, "")

    def peak(self) -> Peak:
        return self._family.peak()[1]

    def gap(self, ratio: Number) -> Gap:
        return self._family.gap(ratio)[1]

    def ratio_for(self, delta: Number) -> Number:
        return self._family.ratio_for(delta)[1]

    def limit(self) -> Number:
        return max(one.limit() for one in self.several)

    def divergence(self, order: Fraction) -> Number:
        """Take the largest: no divergence of one of the several is above it."""
        found = (one.divergence(order) for one in self.several)
        return reduce(maximum, found)

    def reverse(self) -> Comparison:
        return Worst(self.y, self.x, tuple(one.reverse() for one in self.several))

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Take the test of the largest gap at each ratio."""
        for loss, *tests in zip(
            losses, *(one.best_tests(losses) for one in self.several), strict=True
        ):
            ratio, best = exp(loss), tests[0]
            for test in tests[1:]:
                best = test if larger(test.p - ratio * test.q, best.p - ratio * best.q) else best
            yield best


def ends(low: Number, high: Number) -> Number:
    """Return a number of which two ends are known, which may be equal."""
    if low == high or high == INFINITY:
        return high
    least, most = bounds(low)[0], bounds(high)[1]
    return Real.between(least, most) if least < most else high


@dataclass(frozen=True, eq=False)
class Dominated(Comparison):
    """Two laws, with others that dominate them and whatever else is compared."""

    x: Point
    y: Point
    inner: Comparison
    above: Comparison

    @property
    def key(self) -> Hashable:
        keys = self.inner.key, self.above.key
        return None if None in keys else keys

    @property
    def dominating(self) -> Comparison:
        return self.above

    def peak(self) -> Peak:
        ratio, event, attained = self.inner.peak()
        return Peak(ends(ratio, self.above.peak().ratio), event, attained)

    def gap(self, ratio: Number) -> Gap:
        delta, event = self.inner.gap(ratio)
        return Gap(ends(delta, self.above.gap(ratio).delta), event)

    def ratio_for(self, delta: Number) -> Number:
        return ends(self.inner.ratio_for(delta), self.above.ratio_for(delta))

    def limit(self) -> Number:
        return ends(self.inner.limit(), self.above.limit())

    def divergence(self, order: Fraction) -> Number:
        return ends(self.inner.divergence(order), self.above.divergence(order))

    def reverse(self) -> Comparison:
        return Dominated(self.y, self.x, self.inner.reverse(), self.above.reverse())

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        return self.inner.best_tests(losses)


@dataclass(frozen=True)
class Symmetrized(Comparison):
    """Two laws that have the profile of ``base`` at ratios of at least 1, both ways round.

    {L > l} for l < 0 is the complement of {L' >= -l} of the reverse, whose masses are exchanged.
    """

    x: Point
    y: Point
    base: Comparison

    @property
    def key(self) -> Hashable:
        return None if self.base.key is None else ("symmetrized", self.base.key)

    def peak(self) -> Peak:
        return self.base.peak()

    def gap(self, ratio: Number) -> Gap:
        return self.base.gap(ratio)

    def ratio_for(self, delta: Number) -> Number:
        return self.base.ratio_for(delta)

    def limit(self) -> Number:
        return self.base.limit()

    def reverse(self) -> Comparison:
        return self

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Take tests of the base, and of the reverse where the loss is below 0."""
        negative = [loss for loss in losses if larger(0, loss)]
        mirrored = [*self.base.best_tests([-loss for loss in reversed(negative)])]
        yield from (ProfileLine(1 - q, 1 - p) for p, q in reversed(mirrored))
        yield from self.base.best_tests(losses[len(negative) :])
