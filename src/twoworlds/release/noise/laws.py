r"""The cumulative probabilities that tables are made of.

* `SignedGeometric` and `Digit`: the parts of two-sided geometric noise (see
  `twoworlds.release.noise.sampler`);
* `Tailed`: any `Noise`, by its probabilities and tails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import floor, sqrt

from flint import arb

from twoworlds.errors import TooLarge
from twoworlds.laws.noise import DiscreteGaussianNoise, Noise, SkellamNoise
from twoworlds.numbers import Exp, Number, Real, ball, exp, working_precision

WIDEST = 1 << 48  # the width up to which a law is drawn by rejection
_SMALL = 1 << 14  # up to this exponent a power of a rational is kept as a rational
_GUARD = 128  # bits beyond those of a word


def power(p: Number, exponent: int) -> Number:
    """Return p^exponent; exactly, unless the numerator would become very long."""
    if isinstance(p, Exp) or (isinstance(p, Fraction) and exponent <= _SMALL):
        return p**exponent
    return Real(lambda bits: _ball_power(p, exponent, bits))


def _ball_power(p: Number, exponent: int, bits: int) -> arb:
    """Enclose p^exponent for p < 1: the relative error of p is multiplied by the exponent."""
    bits += exponent.bit_length() + _GUARD
    base = ball(p, bits)
    with working_precision(bits):
        return base**exponent


@dataclass(frozen=True)
class SignedGeometric:
    r"""The law of H = floor(Z / width) for two-sided geometric Z with parameter p.

        P(H <= h) = 1 - q^(h+1) / (1+p)   for h >= 0,
        P(H <= h) = p q^(-h-1) / (1+p)    for h < 0,    where q = p^width.

    With width 1 it is the law of Z.
    """

    p: Number
    width: int = 1

    def at_most(self, k: int) -> Number:
        """Return P(H <= k)."""
        if k >= 0:
            return 1 - power(self.p, self.width * (k + 1)) / (1 + self.p)
        return self.p * power(self.p, self.width * (-k - 1)) / (1 + self.p)

    def enclosed(self, bits: int) -> tuple[int, Sequence[arb]]:
        """Multiply by q again and again, out to both ends."""
        precision = bits + _GUARD
        p = ball(self.p, precision)
        q = ball(power(self.p, self.width), precision)
        with working_precision(precision):
            above = _falling(q / (1 + p), q, bits)
            below = _falling(p / (1 + p), q, bits)
            return -len(below), [*reversed(below), *(1 - tail for tail in above)]


def _falling(first: arb, ratio: arb, bits: int) -> list[arb]:
    """Return first, first * ratio, ... down to one below 2^-bits."""
    tiny, found = arb(2) ** -bits, [first]
    while not found[-1] < tiny:
        found.append(found[-1] * ratio)
    return found


@dataclass(frozen=True)
class Digit:
    r"""The law of one digit of a geometric variable X, P(X >= k) = p^k.

    The digit is floor(X / unit) mod base. The digits of X are independent, and

        P(digit <= d) = (1 - q^(d+1)) / (1 - q^base),   where q = p^unit.
    """

    p: Number
    unit: int
    base: int

    def at_most(self, k: int) -> Number:
        """Return P(digit <= k)."""
        if k < 0 or k >= self.base - 1:
            return Fraction(k >= 0)
        return _complement(self.p, self.unit * (k + 1)) / _complement(self.p, self.unit * self.base)

    def enclosed(self, bits: int) -> tuple[int, Sequence[arb]]:
        """Multiply by q again and again; the common factor 1/(1 - q^base) needs more precision."""
        precision = bits + _GUARD
        while True:
            q = ball(power(self.p, self.unit), precision)
            with working_precision(precision):
                powers, found = q, []
                total = 1 - ball(power(self.p, self.unit * self.base), precision)
                for _ in range(self.base - 1):
                    found.append((1 - powers) / total)
                    powers *= q
            if all(each.rad() < arb(2) ** -bits for each in found):
                return 0, found
            precision *= 2


def _complement(p: Number, exponent: int) -> Number:
    """Return 1 - p^exponent to full relative precision, however close p is to 1."""
    if isinstance(p, Fraction) and exponent <= _SMALL:
        return 1 - p**exponent

    def enclosed(bits: int) -> arb:
        precision = bits
        while True:
            precision *= 2
            raised = ball(power(p, exponent), precision)
            with working_precision(precision):
                found = 1 - raised
            if found.rel_accuracy_bits() >= bits:
                return found

    return Real(enclosed)


# --- any noise ----------------------------------------------------------------------------------


def spread(noise: Noise) -> float:
    """Return about how wide a law is: its standard deviation, or the parameter near it."""
    squared = noise.sigma2 if isinstance(noise, DiscreteGaussianNoise) else noise.variance
    return sqrt(_as_float(squared, noise))


def centre(noise: Noise) -> int:
    """Return a whole number next to the mean."""
    mean = noise.mean
    return floor(mean) if isinstance(mean, Fraction) else floor(_as_float(mean, noise))


def _as_float(x: Number, noise: Noise) -> float:
    try:
        return float(x)
    except OverflowError:
        raise TooLarge(
            f"{type(noise).__name__} is wider than 2^1000: noise of that size is not drawn; "
            "use less noise, or publish in larger units"
        ) from None


@dataclass(frozen=True)
class Tailed:
    """Any noise, by its probabilities and tails."""

    noise: Noise

    def at_most(self, k: int) -> Number:
        """Return P(Z <= k), as a tail on the side where it is small."""
        if k < centre(self.noise):
            return self.noise.reflected().at_least(-k)
        return 1 - self.noise.at_least(k + 1)

    def enclosed(self, bits: int) -> tuple[int, Sequence[arb]]:
        """Add the probabilities up, from both ends inward."""
        precision, middle = bits + _GUARD, centre(self.noise)
        reflected = self.noise.reflected()
        high, last = _end(self.noise, middle, bits)
        low, first = (-high, last)
        if reflected != self.noise:
            turned, first = _end(reflected, -middle, bits)
            low = -turned
        masses = probabilities(self.noise, low, high, precision)
        with working_precision(precision):
            below = list(accumulate(masses[: middle - low], initial=first))
            above = list(accumulate(reversed(masses[middle + 1 - low :]), initial=last))
            return low - 1, [*below, *(1 - tail for tail in reversed(above))]


def _end(noise: Noise, middle: int, bits: int) -> tuple[int, arb]:
    """Return a k far out and a ball for P(Z > k), which is below 2^-bits.

    Where tails are long sums, k lies so far out that the ball may reach from 0 to a bound.
    """
    long = isinstance(noise, (DiscreteGaussianNoise, SkellamNoise))
    target = arb(2) ** -(bits + _GUARD if long else bits)
    reach = int((17 if long else 10) * spread(noise)) + 10
    while True:
        k = middle + reach
        rest = _bounded(noise, k) if long else ball(noise.at_least(k + 1), bits + _GUARD)
        if rest < target:
            return k, rest
        reach += 1 + reach // 4


def _bounded(noise: Noise, k: int) -> arb:
    """Return a ball for P(Z > k): beyond k, probabilities fall at least as fast as at k."""
    first, second = (ball(noise.pmf(k + n), 512) for n in (1, 2))
    half = (first / (1 - second / first) / 2).upper()
    return arb(half, half)


def probabilities(noise: Noise, low: int, high: int, precision: int) -> list[arb]:
    r"""Return P(Z = k) for k from low to high, by a recurrence where there is one.

    Skellam noise: l1 P(k-1) = k P(k) + l2 P(k+1). All terms are positive on the way down to 0 from
    above, and likewise on the way up to 0 from below, so that balls hardly grow.
    Discrete Gaussian noise: P(k+1) / P(k) falls by the factor e^(-1/s) with each k.
    """
    if isinstance(noise, SkellamNoise):
        split = min(max(0, low), high)
        above = _skellam(noise, split, high, precision)
        below = _skellam(noise.reflected(), -split + 1, -low, precision) if low < split else []
        return [*reversed(below), *above]
    if isinstance(noise, DiscreteGaussianNoise):
        half = _gaussian(noise, max(high, -low), precision)
        return [half[abs(k)] for k in range(low, high + 1)]
    return [ball(noise.pmf(k), precision) for k in range(low, high + 1)]


def _skellam(noise: SkellamNoise, low: int, high: int, precision: int) -> list[arb]:
    """Return P(Z = k) for k from low to high, where low >= 0."""
    l1, l2 = ball(noise.l1, precision), ball(noise.l2, precision)
    found = [ball(noise.pmf(k), precision) for k in (high + 1, high)]
    with working_precision(precision):
        for k in range(high, low, -1):
            found.append((k * found[-1] + l2 * found[-2]) / l1)
    return found[:0:-1][: high - low + 1]


def _gaussian(noise: DiscreteGaussianNoise, high: int, precision: int) -> list[arb]:
    """Return P(Z = k) for k from 0 to high."""
    mass = ball(noise.pmf(0), precision)
    shrink = ball(exp(-1 / noise.sigma2), precision)
    step = ball(exp(-1 / (2 * noise.sigma2)), precision)
    found = [mass]
    with working_precision(precision):
        for _ in range(high):
            found.append(found[-1] * step)
            step *= shrink
    return found
