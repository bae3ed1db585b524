r"""The least mu and the least rho of two laws, by formula, at corners, or enclosed by a search.

**mu**: no test tells the two laws apart better than N(0, 1) and N(mu, 1).

A test with false alarms z has at most the power p(z) for the two laws, and F(F^-1(z) + mu) for the
two normal ones (Dong, Roth & Su 2022). So the least mu is

    sup over tests of F^-1(power) - F^-1(false alarms).

*Corners suffice.* F(F^-1(z) + mu) is concave in z, and so is p. Where p is a polygon, it lies
below a concave curve if its corners do, since the curve lies above its own chords.

*Without corners*, with a largest ratio, the least mu is attained: the normal curve touches p at
some point, where both have one tangent, of some slope s. Let a_1 <= s <= a_2, with gaps H_1 and
H_2. The lines H_1 + a_1 z and H_2 + a_2 z meet at z = (H_1 - H_2) / (a_2 - a_1). As the gap is
convex in the ratio, that point lies on or above the tangent, and the normal curve lies below it.
So the point needs at least the least mu: F^-1 - F^-1 of it is a bound from above, off by the
square of a_2 - a_1. From below, mu is at least the one whose own gap at a is H_a: the two normal
laws have

    H_a = F(mu/2 - epsilon/mu) - a F(-mu/2 - epsilon/mu),    a = e^epsilon,

which grows with mu. Slopes below 1 are those above 1 of the laws exchanged. Where there is no
largest ratio, rare tests are not bounded by any of this, and a mu is known by formula only.

**rho**: D_a(P || Q) <= a rho for every order a > 1.

With t = a - 1, K(t) = t D_(1+t) and f(t) = K(t) / (t (1 + t)), the least rho is sup f over t > 0.
Some laws have a formula (`Comparison.closed_rho`). For others with a largest loss l:

*Far out.* K(t) <= t l, so that f(t) <= l / (1 + t), which is below the best value known from some
t on.

*Between two points* K lies below its chord, as it is convex. More than that: K'' is the variance
of the loss L under the law P e^(t L) / E_P[e^(t L)], and K''' its third central moment, at most w
K'' in size, where w is the width of the range of losses. So over a distance h, K'' grows or falls
at most by the factor e^(w h). A second difference of K is K'' somewhere between its points; e^(-w
h) of it is a lower bound k there, and K lies below the chord minus k (t - a) (b - t) / 2, a
parabola N(t) = n0 + n1 t + n2 t^2. The slope of N / (t + t^2) has the sign of -(n1 - n2) t^2 - 2
n0 t - n0, and where it is 0, the quotient is (n1 + 2 n2 t) / (1 + 2 t). Bounds are off by a high
power of the distance of the points.

*Near 0.* K'(0) is the mean loss m = D_1, the limit of f. As K'' changes slowly,

    K(b) - m b >= (b^2 / 2) K''(0) e^(-w b),    K(t) <= m t + (t^2 / 2) K''(0) e^(w b)   for t <= b.

If e^(2 w b) (K(b) - m b) <= m b^2, then K(t) <= m (t + t^2), and f <= m up to b. Where the rest
stays below m too, the least rho is m itself, exactly, as for randomized response.

Several independent parts have the sum of their K.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, count, pairwise
from math import isqrt, prod

from flint import arb

from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import (
    Comparison,
    Extreme,
    ProfileLine,
    larger,
    summed_divergence,
    weighted_sum,
)
from twoworlds.laws.line import GaussianPair, quantile
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    ball,
    bounds,
    compare,
    exp,
    ln,
    maximum,
    working_precision,
)

_WIDTH = Fraction(1, 10**6)  # how far both ends may be apart, as a share
_MOST_ROUNDS = 160
_FIRST = 8  # ratios to begin with, in each direction
_PLACES, _EDGE = 1 << 24, 16
_HALVINGS = 60
_BITS, _TIE_BITS = 192, 256
_ONE: Number = Fraction(1)


def gap_of(mu: Number, ratio: Number) -> Number:
    """Return the gap of N(mu, 1) against N(0, 1) at a ratio: the delta of mu-GDP.

    >>> from twoworlds.numbers import decimal
    >>> decimal(gap_of(Fraction(1), exp(Fraction(1))), 4)
    '0.127'
    """
    return normal_pair(mu).gap(ratio).delta if mu != 0 else Fraction(0)


def normal_pair(mu: Number) -> GaussianPair:
    """Return N(mu, 1) against N(0, 1)."""
    return GaussianPair("N(mu, 1)", "N(0, 1)", mu, Fraction(0), Fraction(1))


def response_mu(ratio: Number) -> Number:
    """Return 2 F^-1(r / (1 + r)), the mu of randomized response with odds r.

    Every mechanism of pure differential privacy with this ratio is a post-processing of it.
    """
    return INFINITY if ratio == INFINITY else -2 * quantile(1 / (1 + ratio))


def mu_of_test(power: Number, level: Number) -> Number:
    """Return F^-1(power) - F^-1(level), infinite for a test that is never wrong in one world."""
    if power == 0 or level == 1 or power == level:
        return Fraction(0)
    if level == 0 or power == 1:
        return INFINITY
    misses = 1 - power
    if misses == level:
        return -2 * quantile(level)
    return -(quantile(misses) + quantile(level))


def least_mu(comparison: Comparison) -> Extreme:
    """Return the least mu, and the ratio a whose test {P > a Q} shows it, or comes near.

    >>> from twoworlds.laws.comparison import between
    >>> quarter = Fraction(1, 4)
    >>> found = least_mu(between({0: quarter, 1: 3 * quarter}, {0: 3 * quarter, 1: quarter}))
    >>> round(float(found.value), 6), found.at
    (1.34898, Fraction(1, 1))
    """
    closed = comparison.closed_mu()
    if closed is not None:
        return closed
    try:
        forth, back = comparison.lines(), comparison.reverse().lines()
    except Unsupported:
        return _searched(comparison)
    return _at_corners(forth, back)


# --- corners --------------------------------------------------------------------------------------


def _at_corners(forth: list[ProfileLine], back: list[ProfileLine]) -> Extreme:
    """Take the corner of the largest mu; those of the reverse are complements, with ratios below 1.

    The same two errors, in either order, are one number.
    """
    found: dict[frozenset[Number], tuple[Number, Number]] = {}
    turned = ((test, 1 / ratio) for test, ratio in _with_ratios(back, Fraction(1, 2)))
    for (p, q), ratio in chain(_with_ratios(forth, Fraction(0)), turned):
        if q == 0 or p == 1:
            return Extreme(INFINITY, ratio)
        found.setdefault(frozenset((1 - p, q)), (mu_of_test(p, q), ratio))
    value, at = Fraction(0), Fraction(1)
    for candidate, ratio in found.values():
        order = compare(candidate, value, limit=_TIE_BITS)
        if order is Order.GREATER:
            value, at = candidate, ratio  # type: ignore[assignment]
        elif order is Order.UNDECIDED:
            value = maximum(value, candidate)  # type: ignore[assignment]
    return Extreme(value, at)


def _with_ratios(lines: list[ProfileLine], last: Fraction) -> Iterator[tuple[ProfileLine, Number]]:
    """Yield the corners with a ratio a each, such that {P > a Q} is the test of the corner.

    The last one, of all ratios above 1, gets one of ``last`` between 1 and the least of them.
    """
    for test, after in pairwise(lines):
        yield test, _slope(test, after)
    for test in lines[-1:]:
        before = lines[-2] if len(lines) > 1 else ProfileLine(Fraction(0), Fraction(0))
        yield test, 1 + last * (_slope(before, test) - 1)


def _slope(one: ProfileLine, other: ProfileLine) -> Number:
    """Return the ratio of what lies between two corners; 1 where only P is possible there."""
    return Fraction(1) if one.q == other.q else (other.p - one.p) / (other.q - one.q)


# --- two ends -------------------------------------------------------------------------------------


def _searched(comparison: Comparison) -> Extreme:
    """Search all ratios in both directions, or refuse where there is no largest one."""
    ways = comparison, comparison.reverse()
    if any(way.limit() != 0 for way in ways):
        return Extreme(INFINITY, INFINITY)
    tops = [
        prod((one.dominating.peak().ratio ** times for one, times in way.factors), start=_ONE)
        for way in ways
    ]
    if INFINITY in tops:
        raise Unsupported(
            "the likelihood ratio of these two worlds has no largest value, and nothing is known "
            "of their rarest tests: ask for the epsilon of dp at a delta"
        )
    if all(top == 1 for top in tops):
        return Extreme(Fraction(0), Fraction(1))
    return _Search(ways, tops).run()


class _Search:
    """Intervals of ratios in both directions, by their upper bounds on mu.

    A ratio is given by its place: a share of the way from 1 to the largest one, by logarithms, and
    near enough. It is rational, and so is the largest one, rounded up.
    """

    def __init__(self, ways: tuple[Comparison, Comparison], tops: list[Number]) -> None:
        self.ways = ways
        self.tops = [bounds(top)[1] for top in tops]
        self.losses = [ln(top) for top in self.tops]
        self.gap, self.ratio = cache(self._gap), cache(self._ratio)
        self.most = bounds(response_mu(max(self.tops)))[1]
        self.best, self.at = Fraction(0), (0, Fraction(0))
        self.queue: list[tuple[Fraction, int, int, Fraction, Fraction, float]] = []
        self.number = count()

    def _ratio(self, way: int, place: Fraction) -> Fraction:
        return self.tops[way] if place == 1 else bounds(exp(self.losses[way] * place))[0]

    def _gap(self, way: int, place: Fraction) -> tuple[Fraction, Fraction]:
        if place == 1:
            return Fraction(0), Fraction(0)
        low, high = bounds(self.ways[way].gap(self.ratio(way, place)).delta)
        return max(Fraction(0), low), high

    def run(self) -> Extreme:
        """Split the interval of the largest bound where the normal curve would touch it."""
        for way in (0, 1):
            for i in range(_FIRST if self.tops[way] != 1 else 0):
                self._look(way, Fraction(i, _FIRST))
                self._add(way, Fraction(i, _FIRST), Fraction(i + 1, _FIRST), self.most)
        for _ in range(_MOST_ROUNDS):
            top, _, way, a, b, touch = self.queue[0]
            if -top <= self.best * (1 + _WIDTH):
                break
            heapq.heappop(self.queue)
            middle = self._touched(way, a, b, touch)
            self._look(way, middle)
            self._add(way, a, middle, -top)
            self._add(way, middle, b, -top)
        most = max(self.best, -self.queue[0][0])
        way, place = self.at
        ratio = self.ratio(way, place)
        return Extreme(Real.between(self.best, most), ratio if way == 0 else 1 / ratio)

    def _touched(self, way: int, a: Fraction, b: Fraction, touch: float) -> Fraction:
        """Look where the normal curve would touch the corner; split there if it is well inside."""
        turned = way if touch >= 0 else 1 - way
        share = Fraction(abs(touch) / float(self.losses[turned])) if self.losses[turned] != 0 else 0
        place = Fraction(round(share * _PLACES), _PLACES)
        if place < 1:
            self._look(turned, place)
        edge = (b - a) / _EDGE
        return place if turned == way and a + edge < place < b - edge else (a + b) / 2

    def _look(self, way: int, place: Fraction) -> None:
        """Raise the lower end to a mu that is smaller than what the gap here needs."""
        low = self.gap(way, place)[0]
        ratio = self.ratio(way, place)
        if low == 0 or not larger(low, gap_of(self.best, ratio)):
            return
        needed, enough = self.best, self.most
        for _ in range(_HALVINGS):
            middle = (needed + enough) / 2
            needed, enough = (
                (middle, enough) if larger(low, gap_of(middle, ratio)) else (needed, middle)
            )
        self.best, self.at = needed, (way, place)

    def _add(self, way: int, a: Fraction, b: Fraction, known: Fraction) -> None:
        top, touch = self._corner(way, a, b) or (known, 0.0)
        entry = (-min(top, known), next(self.number), way, a, b, touch)
        heapq.heappush(self.queue, entry)

    def _corner(self, way: int, a: Fraction, b: Fraction) -> tuple[Fraction, float] | None:
        """Return a bound on the mu of the corner where two lines meet, and where it would touch.

        That is the logarithm of the slope -mu F^-1(z) - mu^2/2 of the normal curve there. None
        stands for lines that do not meet, since gaps are enclosures.
        """
        (_, first), (_, second) = self.gap(way, a), self.gap(way, b)
        if first == 0:
            return Fraction(0), 0.0
        with working_precision(_BITS):
            one, two = (ball(self.ratio(way, place), _BITS) for place in (a, b))
            level = ball(first - second, _BITS) / (two - one)
            misses = 1 - ball(first, _BITS) - one * level
            if not (level > 0 and misses > 0):
                return None
            away, root = (2 * level).erfcinv(), arb(2).sqrt()
            mu = root * (away + (2 * misses).erfcinv())
            if not mu.is_finite():
                return None
            touch = float((mu * root * away - mu * mu / 2).mid())
            return bounds(Real(lambda _bits: mu))[1], touch


# --- The least rho --------------------------------------------------------------------------------


_RHO_WIDTH = Fraction(1, 10**9)  # how far both ends may be apart, as a share
_MOST_ORDERS = 400
_RHO_HALVINGS = 16
_ROOT_BITS = 160
_WHOLE = Fraction(2)  # an order that all laws know
_NEAREST = Fraction(1, 1 << 32)  # from order 1, where nothing is known of small losses

Factors = Sequence[tuple[Comparison, int]]


def least_rho(comparison: Comparison) -> Extreme:
    """Return the least rho, and an order that shows it; order 1 stands for the limit.

    >>> from twoworlds.laws.comparison import between
    >>> quarter = Fraction(1, 4)
    >>> least_rho(between({0: quarter, 1: 3 * quarter}, {0: 3 * quarter, 1: quarter}))
    Extreme(value=Real(1/2*ln 3), at=Fraction(1, 1), attained=True)
    """
    closed = comparison.closed_rho()
    if closed is not None:
        return closed
    factors = _alike_together(comparison.factors)
    if factors == ((comparison, 1),):
        return _searched_orders(factors)
    ((one, times), *others) = factors
    if not others:
        value, at, attained = least_rho(one)
        return Extreme(times * value, at, attained)
    return _together(factors)


def _alike_together(factors: Factors) -> tuple[tuple[Comparison, int], ...]:
    """Count alike parts together."""
    found: dict[Hashable, tuple[Comparison, int]] = {}
    for one, times in factors:
        key = id(one) if one.key is None else one.key
        found[key] = one, times + found.get(key, (one, 0))[1]
    return tuple(found.values())


def _together(factors: Factors) -> Extreme:
    """Add up the least rhos of the parts: exact where all of them are limits at order 1."""
    found = [(least_rho(one), times) for one, times in factors]
    most = weighted_sum((one.value, times) for one, times in found)
    if most == INFINITY or all(one.at == 1 and one.attained for one, _ in found):
        return Extreme(most, Fraction(1))
    if all(one.peak().ratio != INFINITY for one, _ in factors):
        return _searched_orders(factors)
    places = {max(_WHOLE, Fraction(one.at)) for one, _ in found}  # type: ignore[arg-type]
    lows = {at: bounds(summed_divergence(factors, at))[0] / at for at in places}
    at = max(lows, key=lambda place: lows[place])
    return Extreme(Real.between(lows[at], bounds(most)[1]), at)


def _searched_orders(factors: Factors) -> Extreme:
    """Search all orders, or refuse where nothing is known far out."""
    largest, width = Fraction(0), _width_of_losses(factors)
    for one, times in factors:
        forth = ln(one.peak().ratio)
        if forth == INFINITY:
            if one.divergence(_WHOLE) == INFINITY:
                return Extreme(INFINITY, Fraction(1))
            raise Unsupported(
                "the losses of these two worlds have no largest one, and nothing is known of their "
                "divergences at large orders: ask for rdp, with one order"
            )
        largest += times * bounds(forth)[1]
    if largest == 0:
        return Extreme(Fraction(0), Fraction(1))
    return _Orders(lambda order: summed_divergence(factors, order), largest, width).run()


def _width_of_losses(factors: Factors) -> Fraction | None:
    """Return the width of the range of all losses together; None where it is not known.

    That is so where there is no least loss, and for divergences between two ends, which are not
    those of one pair of laws: then K is convex, and no more is used of it.
    """
    width = Fraction(0)
    for one, times in factors:
        losses = [ln(way.peak().ratio) for way in (one, one.reverse())]
        if INFINITY in losses or one.dominating is not one:
            return None
        width += times * sum(bounds(loss)[1] for loss in losses)
    return width


class _Orders:
    """Orders 1 + t that were looked at, and intervals between them by their upper bounds."""

    def __init__(
        self, divergence: Callable[[Fraction], Number], largest: Fraction, width: Fraction | None
    ) -> None:
        self.mean = divergence(Fraction(1))
        self.largest, self.width = largest, width
        self.ends = cache(lambda t: bounds(divergence(1 + t)))
        self.best, self.at = bounds(self.mean)[0], Fraction(0)
        self.queue: list[tuple[Fraction, int, Fraction, Fraction]] = []
        self.number = count()

    def run(self) -> Extreme:
        if self.best <= 0:
            return Extreme(Real.between(Fraction(0), self.largest), Fraction(1))
        first, settled = self._near_zero()
        points = [first]
        while self.largest / (1 + points[-1]) > self.best:
            points.append(2 * points[-1])
            self._look(points[-1])
        far = self.largest / (1 + points[-1])
        if not settled:
            self._add(Fraction(0), first)
        for a, b in pairwise(points):
            self._add(a, b)
        low = bounds(self.mean)[0]
        for _ in range(_MOST_ORDERS):
            if not self.queue:
                break
            top, _, a, b = self.queue[0]
            enough = low if settled and self.best == low else self.best * (1 + _RHO_WIDTH)
            if -top <= enough:
                break
            heapq.heappop(self.queue)
            middle = (a + b) / 2
            self._look(middle)
            bent = self._bent(a, middle, b)
            self._add(a, middle, -top, bent)
            self._add(middle, b, -top, bent)
        most = max(far, -self.queue[0][0] if self.queue else far)
        if settled and self.best == low and most <= low:
            return Extreme(self.mean, Fraction(1))
        most = max(most, bounds(self.mean)[1])
        return Extreme(Real.between(self.best, max(most, self.best)), 1 + self.at)

    def _look(self, t: Fraction) -> None:
        low = self.ends(t)[0] / (1 + t)
        if low > self.best:
            self.best, self.at = low, t

    def _near_zero(self) -> tuple[Fraction, bool]:
        """Return some b, and whether f is at most the mean loss up to there."""
        if self.width is None:
            self._look(_NEAREST)
            return _NEAREST, False
        b = Fraction(1)
        while b * self.width > 1:
            b /= 2
        low = bounds(self.mean)[0]
        for _ in range(_RHO_HALVINGS):
            over = b * self.ends(b)[1] - low * b
            if bounds(exp(2 * self.width * b))[1] * over <= low * b * b:
                return b, True
            b /= 2
        self._look(b)
        return b, False

    def _bent(self, a: Fraction, middle: Fraction, b: Fraction) -> Fraction:
        """Return a lower bound on K'' between a and b."""
        if self.width is None:
            return Fraction(0)
        (low, _), (_, high), (far, _) = (
            (t * self.ends(t)[0], t * self.ends(t)[1]) if t else (Fraction(0), Fraction(0))
            for t in (a, middle, b)
        )
        second = (low - 2 * high + far) * 4 / (b - a) ** 2
        return max(Fraction(0), second * bounds(exp(-self.width * (b - a)))[0])

    def _add(
        self,
        a: Fraction,
        b: Fraction,
        known: Fraction | None = None,
        bent: Fraction = Fraction(0),
    ) -> None:
        ends = (b, b * self.ends(b)[1])
        top = self.ends(b)[1] if a == 0 else _under(a, a * self.ends(a)[1], *ends, bent)
        top = top if known is None else min(top, known)
        heapq.heappush(self.queue, (-top, next(self.number), a, b))


def _under(a: Fraction, at_a: Fraction, b: Fraction, at_b: Fraction, bent: Fraction) -> Fraction:
    """Return a bound on N(t) / (t + t^2) between a and b: N is the chord less a parabola."""
    chord = (at_b - at_a) / (b - a)
    n0 = at_a - chord * a + bent * a * b / 2
    n1, n2 = chord - bent * (a + b) / 2, bent / 2
    first, last = at_a / (a + a * a), at_b / (b + b * b)
    c = n1 - n2
    if n0 >= 0:  # it falls, or falls and rises
        return max(first, last)
    if c <= 0:
        return last
    square = n0 * n0 - c * n0
    scale = 1 << _ROOT_BITS
    root = Fraction(isqrt(square.numerator * scale * scale // square.denominator), scale)
    low, high = (root - n0) / c, (root + Fraction(1, scale) - n0) / c
    if low >= b:
        return last
    if high <= a:
        return first
    return max((n1 + 2 * n2 * t) / (1 + 2 * t) for t in (max(low, a), min(high, b)))
