r"""Renyi divergences of a law on the whole numbers from its own shifted copy: Z + d against Z.

    sum_k P(k - d) r(k)^(a-1),    r(k) = P(k - d) / P(k),    d > 0

**Geometric noise** takes finitely many ratios p^(d - 2k); the sum over them is a geometric series.

**Discrete Gaussian noise**, P(k) proportional to e^(-k^2 / (2 s)): completing the square,

    D_a = a d^2 / (2 s) + ln(S(a d) / S(0)) / (a - 1),    S(c) = sum_k e^(-(k - c)^2 / (2 s)).

By Poisson's summation S(c) is in proportion to 1 + 2 sum_n w^(n^2) cos(2 pi n c), w = e^(-2 pi^2
s). It is largest where c is a whole number. So D_a <= a d^2 / (2 s), with equality for whole a d,
and in the limit of order 1, where the mean loss is d^2 / (2 s): that is the least rho of zCDP
(Canonne, Kamath & Steinke 2020).

**Skellam noise.** With r1(k) = P(k - 1) / P(k) and x = 2 sqrt(l1 l2), the recurrence I_(k-1)(x) =
I_(k+1)(x) + (2k/x) I_k(x) and I_(k+1) < I_k give

    k / l1 <= r1(k) <= k / l1 + sqrt(l2 / l1)        for k >= 1.

The next term is r1(k + 1)^(a-1) / r1(k + 1 - d)^a times the term of k. By these bounds that is at
most a function of k that falls, so that what lies beyond some k is less than a geometric series.
Downward, the next term is at most r1(k - d) times the term of k, which falls as k does.

**Bounded ratios**, R = sup r (differenced negative binomial noise). As r never falls, what lies
beyond a window is a tail times a power between r at the end of the window and R, or 0.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from twoworlds.errors import Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    IntegerLaw,
    SkellamNoise,
)
from twoworlds.laws.renyi import power_mean
from twoworlds.numbers import INFINITY, Number, Real, ball, bounds, ln, power

_MOST_TERMS = 1 << 16
_STEP = 32  # by which a window grows
_SPARE_BITS = 8


def shifted_divergence(noise: IntegerLaw, shift: int, order: Fraction) -> Number:
    """Return D_a(Z + d || Z) for a shift d > 0; order 1 is the limit.

    >>> shifted_divergence(DiscreteGaussianNoise(Fraction(2)), 1, Fraction(3))
    Fraction(3, 4)
    """
    if noise.last is not None:
        return INFINITY  # the shifted copy goes further
    if isinstance(noise, GeometricNoise):
        return _geometric(noise.p, shift, order)
    if isinstance(noise, DiscreteGaussianNoise):
        return _discrete_gaussian(noise.sigma2, shift, order)
    if isinstance(noise, SkellamNoise) and order > 1:
        return power_mean(lambda bits: _skellam(noise, shift, order, bits), order)
    if noise.supremum(shift).ratio != INFINITY:
        return _bounded(noise, shift, order)
    raise Unsupported(
        f"no bound is known here on what is left out of the divergence of order {order} of noise "
        "without a largest ratio: ask for the epsilon of dp at a delta"
    )


def _geometric(p: Number, shift: int, order: Fraction) -> Number:
    """Add up the two ends, and the geometric series between them."""
    if order == 1:
        return -ln(p) * (shift - 2 * p * (1 - power(p, shift)) / (1 - p * p))
    low, high = power(p, shift * order), power(p, -shift * (order - 1))
    total = low + high
    if shift > 1:
        step = power(p, 1 - 2 * order)
        total += (1 - p) * low * ((power(step, shift) - step) / (step - 1))
    return ln(total / (1 + p)) / (order - 1)


def _discrete_gaussian(s: Fraction, shift: int, order: Fraction) -> Number:
    most = order * shift**2 / (2 * s)
    if order == 1 or (order * shift).denominator == 1:
        return most

    def less(bits: int) -> arb:
        whole, part = (_theta(s, c, bits) for c in (Fraction(0), order * shift))
        return ball(most, bits) + (part / whole).log() / ball(order - 1, bits)

    return Real(less)


def _theta(s: Fraction, c: Fraction, bits: int) -> arb:
    """Return 1 + 2 sum_n w^(n^2) cos(2 pi n c), w = e^(-2 pi^2 s), whose terms fall fast.

    What lies beyond n is at most 2 w^((n+1)^2) / (1 - w).
    """
    w = (-2 * arb.pi() ** 2 * ball(s, bits)).exp()
    total, n = arb(1), 1
    while True:
        term = w ** (n * n)
        rest = 2 * term / (1 - w)
        if rest < arb(2) ** -bits:
            return total + arb(0, rest.abs_upper())
        if n > _MOST_TERMS:
            raise Unsupported(f"noise with sigma2={s} is too narrow for this divergence")
        total += 2 * term * ball(2 * n * c, bits).cos_pi()
        n += 1


def _skellam(noise: SkellamNoise, shift: int, order: Fraction, bits: int) -> arb:
    """Add up P(k - d)^a P(k)^(1-a) from the middle outward."""
    a, l1, c = ball(order, bits), ball(noise.l1, bits), ball(noise.l2 / noise.l1, bits).sqrt()
    masses: dict[int, arb] = {}

    def mass(k: int) -> arb:
        if k not in masses:
            masses[k] = noise._term(k, bits)
        return masses[k]

    def term(k: int) -> arb:
        return (a * mass(k - shift).log() - (a - 1) * mass(k).log()).exp()

    small = arb(2) ** (-bits - _SPARE_BITS)
    start = int(bounds(noise.mean)[0]) + shift
    total, k = arb(0), start
    while True:
        current = term(k)
        total += current
        near = k + 1 - shift
        if near >= 1:
            growth = ((k + 1) / l1 + c) ** (a - 1) / (near / l1) ** a
            rest = current * growth / (1 - growth)
            if growth < 1 and rest < small * total:
                total += arb(0).union(rest)
                break
        k = _next(k, 1, start)
    k = start - 1
    while True:
        current = term(k)
        total += current
        shrink = mass(k - shift - 1) / mass(k - shift)
        rest = current * shrink / (1 - shrink)
        if shrink < 1 and rest < small * total:
            return total + arb(0).union(rest)
        k = _next(k, -1, start)


def _next(k: int, step: int, start: int) -> int:
    if abs(k - start) > _MOST_TERMS:
        raise Unsupported("this noise is too wide to add up its divergence: ask for dp at a delta")
    return k + step


def _bounded(noise: IntegerLaw, shift: int, order: Fraction) -> Number:
    """Add up a window, and enclose what lies beyond it."""
    top = noise.supremum(shift).ratio
    bottom = 1 / noise.reflected().supremum(shift).ratio
    exponent = order - 1

    def value(ratio: Number, bits: int) -> arb:
        loss = ball(ratio, bits).log()
        return loss if order == 1 else (loss * ball(exponent, bits)).exp()

    def total(bits: int) -> arb:
        small = arb(2) ** (-bits - _SPARE_BITS)
        low, high, found = 0, -1, arb(0)
        while True:
            window = [*range(low - _STEP, low), *range(high + 1, high + 1 + _STEP)]
            for k in window:
                weight = ball(noise.pmf(k - shift), bits)
                found += weight * value(noise.likelihood(k, shift), bits)
            low, high = low - _STEP, high + _STEP
            ends = [
                (noise.at_most(low - 1 - shift), bottom, noise.likelihood(low, shift)),
                (noise.at_least(high + 1 - shift), noise.likelihood(high, shift), top),
            ]
            rest = sum(
                (
                    ball(mass, bits) * value(least, bits).union(value(most, bits))
                    for mass, least, most in ends
                ),
                start=arb(0),
            )
            if rest.rad() < small * abs(found) + small:
                return found + rest
            if high > _MOST_TERMS:
                raise Unsupported(
                    "this noise is too wide to add up its divergence: ask for dp at a delta"
                )

    return Real(total, floor=Fraction(0)) if order == 1 else power_mean(total, order)
