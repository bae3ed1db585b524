r"""Two shifted copies of Laplace or Gaussian noise on the line compared, in closed form.

With d the distance of the two centres, a = e^epsilon and F the standard normal distribution
function:

    Laplace, scale b:   tight ratio e^L with L = d / b;   H_a = 1 - sqrt(a / e^L)  for a <= e^L
    Gaussian, sigma:    no finite ratio;   H_a = F(m - epsilon/(2m)) - a F(-m - epsilon/(2m)),
                        m = d / (2 sigma)

(Wu, Theorem 4.3, with the exponent corrected to epsilon/Delta; Dwork, Theorem 4). The likelihood
ratio is monotone, so that every best test is a half-line. For several Gaussian answers the product
of the likelihood ratios is that of one answer: the distances, each in units of its sigma, add up in
squares.

**Divergences** (Mironov 2017) of order a, and the least rho of zCDP and mu of Gaussian differential
privacy:

    Laplace     L + ln(s + (1 - s) e^(-(2a - 1) L)) / (a - 1), s = a / (2a - 1)
                rho = L + e^-L - 1        mu = 2 F^-1(1 - e^(-L/2) / 2)
    Gaussian    a d^2 / (2 sigma^2)
                rho = d^2 / (2 sigma^2)   mu = d / sigma

*The rho of Laplace noise* is its mean loss, the limit of D_a at order 1. With w = (a - 1/2)^2 the
moment is e^(-L/2) g(w), g(w) = cosh(L sqrt w) + sinh(L sqrt w) / (2 sqrt w), an entire function of
w of order 1/2. Its zeros w = -y^2 belong to the y with u'' = -y^2 u, u'(0) = u(0) / 2, u(L) = 0,
which has a solution for real y only, since y^2 times the integral of u^2 is that of u'^2 plus
u(0)^2 / 2. So g is a product of factors 1 + w / y^2, and ln g is concave: ln g(w) - L/2, which is
0 at w = 1/4, is at most its slope there times w - 1/4 = a (a - 1).

*The mu of Laplace noise.* A threshold between the answers has z b = e^-L / 4 for false alarms z
and misses b. With x = -F^-1(z) and y = -F^-1(b), ln F(-x) + ln F(-y) is fixed; as ln F is concave,
x + y is largest where x = y. A threshold further out has power e^L z, and F^-1(e^L z) - F^-1(z)
grows with z, since the hazard rate of the normal law grows; likewise on the other side.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from twoworlds.laws.comparison import (
    Comparison,
    Extreme,
    Gap,
    Peak,
    ProfileLine,
    larger,
    solved,
)
from twoworlds.laws.event import Anything, AtLeast, AtMost, Event, Events, Listed, Point
from twoworlds.numbers import (
    INFINITY,
    LIMIT_BITS,
    Number,
    Real,
    at_most_one,
    ball,
    exp,
    ln,
    show,
    sqrt,
    working_precision,
)

_STEPS = 16  # of a bisection, before Newton's


def normal(x: Number) -> Number:
    """Return the standard normal distribution function."""
    if x == 0:
        return Fraction(1, 2)
    return Real(lambda bits: _tail(ball(x, bits)))


def _tail(x: arb) -> arb:
    return (-x / arb(2).sqrt()).erfc() / 2


def quantile(z: Number) -> Number:
    """Return F^-1(z), for 0 < z < 1."""
    if z == Fraction(1, 2):
        return Fraction(0)
    if larger(z, Fraction(1, 2)):
        return -quantile(1 - z)
    return Real(lambda bits: -arb(2).sqrt() * (2 * ball(z, bits)).erfcinv())


@dataclass(frozen=True)
class LaplacePair(Comparison):
    """Laplace noise of a rate 1/b around u against the same noise around v."""

    x: Point
    y: Point
    u: Number
    v: Number
    rate: Number

    @property
    def key(self) -> Hashable:
        return "laplace", abs(self.u - self.v), self.rate

    @property
    def _largest_loss(self) -> Number:
        """L."""
        return self.rate * abs(self.u - self.v)

    @property
    def _top(self) -> Number:
        """e^L, the largest ratio."""
        return exp(self._largest_loss)

    def _event(self, threshold: Number) -> Event:
        return AtLeast(threshold) if self.u > self.v else AtMost(threshold)

    def reverse(self) -> Comparison:
        return LaplacePair(self.y, self.x, self.v, self.u, self.rate)

    def peak(self) -> Peak:
        """Return e^L, which every output beyond u has."""
        return Peak(self._top, self._event(self.u))

    def gap(self, ratio: Number) -> Gap:
        """Raise the alarm on a half-line that begins between the centres."""
        if not larger(self._top, ratio):
            return Gap(Fraction(0), Listed.of(()))
        away = ln(ratio) / self.rate
        threshold = (self.u + self.v + (away if self.u > self.v else -away)) / 2
        return Gap(1 - sqrt(ratio / self._top), self._event(threshold))

    @property
    def closed_profile(self) -> str:
        return f"1 - sqrt(a / r) up to the ratio r = {show(self._top)}, then 0"

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Return 1 - e^((l - L)/2) / 2 and e^(-(l + L)/2) / 2 where l lies between -L and L."""
        top = self._largest_loss
        for loss in losses:
            if not larger(top, loss):
                yield ProfileLine(Fraction(0), Fraction(0))
            elif larger(-top, loss):
                yield ProfileLine(Fraction(1), Fraction(1))
            else:
                yield ProfileLine(1 - exp((loss - top) / 2) / 2, exp(-(loss + top) / 2) / 2)

    def ratio_for(self, delta: Number) -> Number:
        """Solve 1 - sqrt(a / e^L) = delta."""
        if not larger(Fraction(1), delta):
            return Fraction(1)
        ratio = self._top * (1 - delta) ** 2
        return ratio if larger(ratio, Fraction(1)) else Fraction(1)

    def power(self, level: Number) -> Number:
        """Raise the alarm on a half-line: its two tails are those of the noise.

        The power is e^L z up to a power of 1/2, then 1 - 1/(4 e^L z), and from z = 1/2 on
        1 - (1 - z)/e^L: the threshold lies beyond both answers, between them, before them.
        """
        half = Fraction(1, 2)
        if level == 0 or level == 1 or self.u == self.v:
            return level
        if larger(level, half):
            return 1 - (1 - level) / self._top
        if larger(self._top * level, half):
            return 1 - 1 / (4 * level * self._top)
        return self._top * level

    def divergence(self, order: Fraction) -> Number:
        loss = self._largest_loss
        if loss == 0:
            return Fraction(0)
        if order == 1:
            return exp(-loss) + (loss - 1) if larger(loss, 1) else exp(-loss) - (1 - loss)
        share = order / (2 * order - 1)
        mean = share + (1 - share) * exp(-((2 * order - 1) * loss))  # over its largest value
        return ln(mean) / (order - 1) + loss

    def closed_rho(self) -> Extreme:
        """Return the mean loss."""
        return Extreme(self.divergence(Fraction(1)), Fraction(1))

    def closed_mu(self) -> Extreme:
        """Return that of the threshold halfway between the answers."""
        if self.u == self.v:
            return Extreme(Fraction(0), Fraction(1))
        return Extreme(-2 * quantile(exp(-self._largest_loss / 2) / 2), Fraction(1))


@dataclass(frozen=True)
class GaussianPair(Comparison):
    """Gaussian noise around u against the same noise around v."""

    x: Point
    y: Point
    u: Number
    v: Number
    sigma: Number
    events: Events | None = None  # what sets of outputs are called, if they are not half-lines

    @property
    def key(self) -> Hashable:
        return "gaussian", abs(self.u - self.v), self.sigma

    @property
    def _m(self) -> Number:
        return abs(self.u - self.v) / (2 * self.sigma)

    def _event(self, epsilon: Number) -> Event:
        if self.events is not None:
            return self.events.likelier(exp(epsilon))
        away = epsilon * self.sigma**2 / abs(self.u - self.v)
        middle = (self.u + self.v) / 2
        if self.u > self.v:
            return AtLeast(middle + away)
        return AtMost(middle - away)

    def reverse(self) -> Comparison:
        events = None if self.events is None else self.events.reverse()
        return GaussianPair(self.y, self.x, self.v, self.u, self.sigma, events)

    def peak(self) -> Peak:
        """There is no largest ratio; show where it is 100."""
        if self.u == self.v:
            return Peak(Fraction(1), Anything())
        return Peak(INFINITY, self._event(ln(Fraction(100))), attained=False)

    def gap(self, ratio: Number) -> Gap:
        """Subtract the two tails of the best half-line."""
        if ratio == INFINITY or self.u == self.v:
            return Gap(Fraction(0), Listed.of(()))
        epsilon = ln(ratio)
        p, q = next(self.best_tests([epsilon]))
        return Gap(p - ratio * q, self._event(epsilon))

    @property
    def closed_profile(self) -> str:
        tails = "F(m - ln(a)/(2m)) - a F(-m - ln(a)/(2m))"
        return f"{tails} with m = {show(self._m)} and F the standard normal distribution function"

    def best_tests(self, losses: Sequence[Number]) -> Iterator[ProfileLine]:
        """Return F(m - l/(2m)) and F(-m - l/(2m))."""
        for loss in losses:
            if self.u == self.v:
                everything = Fraction(larger(0, loss))
                yield ProfileLine(everything, everything)
                continue
            away = loss / (2 * self._m)
            yield ProfileLine(normal(self._m - away), normal(-self._m - away))

    def ratio_for(self, delta: Number) -> Number:
        if delta == 0 and self.u != self.v:
            return INFINITY
        rough = solved(self, delta, _STEPS)
        return rough if rough == 1 else exp(Real(lambda bits: self._loss(delta, ln(rough), bits)))

    def _loss(self, delta: Number, rough: Number, bits: int) -> arb:
        """Return the loss at delta, between two ends that are less than 2^(2 - bits) apart.

        No event E allows a ratio below (P(E) - delta) / Q(E), and the best E at the loss itself
        allows it: the steps from one to the next climb to it, and double the digits (Newton).
        """
        fine = 2 * bits
        with working_precision(fine):
            m, most, low = (ball(x, fine) for x in (self._m, delta, rough))
            low, wide = low.lower(), arb(2) ** -bits

            def tails(loss: arb) -> tuple[arb, arb]:
                return _tail(m - loss / (2 * m)), _tail(-m - loss / (2 * m))

            at = low - 1
            while low > at + wide:
                at = low.lower()
                p, q = tails(at)
                low = ((p - most) / q).log()
            high = at + 2 * wide
            p, q = tails(high)
            if low.is_finite() and p - high.exp() * q < most:
                return low.union(high)
        return self._loss(delta, rough, fine) if fine < LIMIT_BITS else ball(rough, bits)

    def power(self, level: Number) -> Number:
        """Return F(F^-1(z) + d / sigma): the alarm is a half-line."""
        if level == 0 or level == 1 or self.u == self.v:
            return level
        if level == Fraction(1, 2):
            return at_most_one(normal(2 * self._m))
        return at_most_one(normal(quantile(level) + 2 * self._m))

    def divergence(self, order: Fraction) -> Number:
        return order * (self.u - self.v) ** 2 / (2 * self.sigma**2)

    def closed_rho(self) -> Extreme:
        """Return d^2 / (2 sigma^2), which all orders need."""
        return Extreme(self.divergence(Fraction(1)), Fraction(1))

    def closed_mu(self) -> Extreme:
        """Return d / sigma, which every test needs."""
        return Extreme(abs(self.u - self.v) / self.sigma, Fraction(1))
