r"""Renyi divergences of two laws, and what they give in terms of epsilon and delta.

    D_a(P || Q) = ln(sum_o P(o)^a Q(o)^(1-a)) / (a - 1)     of an order a > 1
    D_1(P || Q) = sum_o P(o) ln(P(o) / Q(o))                its limit (Kullback-Leibler)

With L = ln P(o)/Q(o) the privacy loss, K(t) = t D_(1+t) = ln E_P[e^(t L)] is convex and 0 at t = 0.
So D_a never falls as the order grows, and it is at most the largest loss. The divergences of
independent outputs add up, and a map of the outputs never raises them.

rho-zCDP says that D_a(P || Q) <= a rho for every order a > 1 and both orders of the two worlds (Bun
& Steinke 2016, Definition 1.1); the least rho of two laws is found in `twoworlds.laws.least`.

**Pure to Renyi.** Between two worlds an epsilon-DP mechanism is a post-processing of randomized
response, whose loss is epsilon with probability e^epsilon / (1 + e^epsilon), and -epsilon
otherwise. So no divergence is larger than that of `response`, at any order.

**Pure to zCDP.** epsilon-DP implies (epsilon tanh(epsilon / 2))-zCDP, and no smaller rho will do
for all mechanisms; this is below epsilon^2 / 2 (Bun & Steinke 2016, Proposition 1.4). Proof: with
v = epsilon / 2 and u = (2 a - 1) v, randomized response has

    ln E_P[e^((a - 1) L)] = ln cosh u - ln cosh v <= (u^2 - v^2) tanh(v) / (2 v)

since ln cosh(sqrt w) is concave in w: its slope tanh(x) / (2 x), x = sqrt w, falls. The right side
is (a - 1) a epsilon tanh(epsilon / 2). As a goes to 1 both sides agree to first order.

**Renyi to approximate.** D_a(P || Q) <= d at one order a implies P(E) <= e^epsilon Q(E) + delta
with

    delta = e^((a - 1)(d - epsilon)) / (a - 1) * (1 - 1/a)^a

(Canonne, Kamath & Steinke 2020, Section 2.3). Proof: the delta of the pair is
E_P[(1 - e^(epsilon - L))_+], and 1 - u <= u^(1 - a) (1 - 1/a)^a / (a - 1) for 0 < u <= 1, with
equality at u = 1 - 1/a; put u = e^(epsilon - L) and use E_P[e^((a - 1) L)] <= e^((a - 1) d).

rho-zCDP has d = a rho at every order. Each gives a true bound, so that a float may choose the
order; the bound itself is an enclosure.

**A law on the whole numbers against its own shifted copy**, Z + d against Z:

    sum_k P(k - d) r(k)^(a-1),    r(k) = P(k - d) / P(k),    d > 0

*Geometric noise* takes finitely many ratios p^(d - 2k); the sum over them is a geometric series.

*Discrete Gaussian noise*, P(k) proportional to e^(-k^2 / (2 s)): completing the square,

    D_a = a d^2 / (2 s) + ln(S(a d) / S(0)) / (a - 1),    S(c) = sum_k e^(-(k - c)^2 / (2 s)).

By Poisson's summation S(c) is in proportion to 1 + 2 sum_n w^(n^2) cos(2 pi n c), w = e^(-2 pi^2
s). It is largest where c is a whole number. So D_a <= a d^2 / (2 s), with equality for whole a d,
and in the limit of order 1, where the mean loss is d^2 / (2 s): that is the least rho of zCDP
(Canonne, Kamath & Steinke 2020).

*Skellam noise.* With r1(k) = P(k - 1) / P(k) and x = 2 sqrt(l1 l2), the recurrence I_(k-1)(x) =
I_(k+1)(x) + (2k/x) I_k(x) and I_(k+1) < I_k give

    k / l1 <= r1(k) <= k / l1 + sqrt(l2 / l1)        for k >= 1.

The next term is r1(k + 1)^(a-1) / r1(k + 1 - d)^a times the term of k. By these bounds that is at
most a function of k that falls, so that what lies beyond some k is less than a geometric series.
Downward, the next term is at most r1(k - d) times the term of k, which falls as k does.

*Bounded ratios*, R = sup r (differenced negative binomial noise). As r never falls, what lies
beyond a window is a tail times a power between r at the end of the window and R, or 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from flint import arb

from twoworlds.errors import Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    IntegerLaw,
    SkellamNoise,
)
from twoworlds.numbers import INFINITY, Number, Real, ball, bounds, exp, ln, power

_EXACT_BITS = 1 << 16  # of all terms of a sum of powers that is worked out exactly
_WRITTEN = 3  # logarithms that are worth writing out
_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 120

Masses = Iterable[tuple[Number, Number]]


def divergence(masses: Masses, order: Fraction) -> Number:
    """Return D_a of two finite laws, given as pairs of masses; order 1 is the limit.

    >>> quarter = Fraction(1, 4)
    >>> response = [(3 * quarter, quarter), (quarter, 3 * quarter)]
    >>> divergence(response, Fraction(2)), divergence(response, Fraction(1))
    (Real(ln(7/3)), Real(1/2*ln 3))
    """
    ratios: dict[Number, Number] = {}
    for p, q in masses:
        if p == 0:
            continue
        if q == 0:
            return INFINITY
        ratios[p / q] = ratios.get(p / q, Fraction(0)) + p
    if order == 1:
        return _mean_loss(ratios)
    found = _mean_power(ratios, order - 1)
    if isinstance(found, Fraction):
        return ln(found) / (order - 1)
    return power_mean(found.ball, order)


def power_mean(total: Callable[[int], arb], order: Fraction) -> Number:
    """Return ln(total) / (a - 1), which is at least 0 for the total of two laws."""
    return Real(lambda bits: total(bits).log() / ball(order - 1, bits), floor=Fraction(0))


def _mean_power(ratios: dict[Number, Number], exponent: Fraction) -> Number:
    """Return the sum of P r^t over the ratios r: exactly where that is a short rational."""
    plain = {r: p for r, p in ratios.items() if isinstance(r, Fraction) and isinstance(p, Fraction)}
    bits = sum(r.numerator.bit_length() + r.denominator.bit_length() for r in plain)
    if len(plain) == len(ratios) and bits * exponent <= _EXACT_BITS:
        powers = [(p, power(r, exponent)) for r, p in plain.items()]
        if all(isinstance(r, Fraction) for _, r in powers):
            return sum((p * r for p, r in powers), start=Fraction(0))
    listed = list(ratios.items())

    def mean(bits: int) -> arb:
        t = ball(exponent, bits)
        terms = (ball(p, bits) * (ball(r, bits).log() * t).exp() for r, p in listed)
        return sum(terms, start=arb(0))

    return Real(mean)


def _mean_loss(ratios: dict[Number, Number]) -> Number:
    """Return the sum of P ln r, where ln r and ln 1/r are one logarithm if r is rational."""
    plain = all(isinstance(x, Fraction) for pair in ratios.items() for x in pair)
    weights: dict[Number, Number] = {}
    for r, p in ratios.items():
        key, sign = (1 / r, -1) if plain and r < 1 else (r, 1)
        weights[key] = weights.get(key, Fraction(0)) + sign * p
    terms = [(w, r) for r, w in weights.items() if not plain or (w != 0 and r != 1)]
    if plain and len(terms) <= _WRITTEN:
        gained = sum((w * ln(r) for w, r in terms if w > 0), start=Fraction(0))
        return gained - sum((-w * ln(r) for w, r in terms if w < 0), start=Fraction(0))
    return Real(
        lambda bits: sum((ball(w, bits) * ball(r, bits).log() for w, r in terms), start=arb(0)),
        floor=Fraction(0),
    )


# --- from pure differential privacy ---------------------------------------------------------------


def response(ratio: Number, order: Fraction) -> Number:
    """Return D_a of randomized response with odds r: ln((r^a + r^(1-a)) / (1 + r)) / (a - 1).

    >>> response(Fraction(3), Fraction(2))
    Real(ln(7/3))
    """
    if ratio == INFINITY:
        return INFINITY
    share = ratio / (1 + ratio)
    return divergence([(share, 1 - share), (1 - share, share)], order)


def pure_rho(epsilon: Number) -> Number:
    """Return epsilon tanh(epsilon / 2), the rho of epsilon-DP.

    >>> pure_rho(ln(Fraction(3)))
    Real(1/2*ln 3)
    """
    ratio = exp(epsilon)
    return INFINITY if ratio == INFINITY else epsilon * ((ratio - 1) / (ratio + 1))


# --- to approximate differential privacy ----------------------------------------------------------


def delta_for(order: Fraction, bound: Number, epsilon: Number) -> Number:
    """Return a delta such that D_a <= bound implies (epsilon, delta); it may be above 1."""

    def found(bits: int) -> arb:
        exponent = ball(order - 1, bits) * (ball(bound, bits) - ball(epsilon, bits))
        return (exponent + _constant_ball(order, bits)).exp()

    return Real(found)


def epsilon_for(order: Fraction, bound: Number, delta: Number) -> Number:
    """Return an epsilon such that D_a <= bound implies (epsilon, delta); it may be below 0.

    It is bound + (ln(1/delta) + c(a)) / (a - 1), the formula for delta solved for epsilon.
    """

    def found(bits: int) -> arb:
        top = _constant_ball(order, bits) - ball(delta, bits).log()
        return ball(bound, bits) + top / ball(order - 1, bits)

    return Real(found)


def zcdp_delta(rho: Number, epsilon: Number) -> Number:
    """Return a delta such that rho-zCDP, rho > 0, implies (epsilon, delta)."""
    r, e = float(rho), float(epsilon)
    order = _best(lambda a: (a - 1) * (a * r - e) + _constant(a))
    return delta_for(order, order * rho, epsilon)


def zcdp_epsilon(rho: Number, delta: Number) -> Number:
    """Return an epsilon such that rho-zCDP, rho > 0, implies (epsilon, delta).

    >>> from twoworlds.numbers import decimal
    >>> decimal(zcdp_epsilon(Fraction(1, 8), Fraction(1, 10**6)))
    '2.4191'
    """
    r, d = float(rho), _log(delta)
    order = _best(lambda a: a * r + (_constant(a) - d) / (a - 1))
    return epsilon_for(order, order * rho, delta)


def zcdp_within(epsilon: Number, delta: Number) -> Number:
    """Return a large rho such that rho-zCDP implies (epsilon, delta); it may be below 0."""
    e, d = float(epsilon), _log(delta)
    order = _best(lambda a: ((_constant(a) - d) / (a - 1) - e) / a)
    return (epsilon - epsilon_for(order, Fraction(0), delta)) / order


def _constant(order: float) -> float:
    """Return c(a) = a ln(1 - 1/a) - ln(a - 1), as a float."""
    return order * math.log1p(-1 / order) - math.log(order - 1)


def _constant_ball(order: Fraction, bits: int) -> arb:
    inside = ball(1 - 1 / order, bits + max(0, int(order).bit_length()))
    return ball(order, bits) * inside.log() - ball(order - 1, bits).log()


def _best(objective: Callable[[float], float]) -> Fraction:
    """Return an order near the minimum of a function with one valley, by golden section."""
    low, high = -30.0, 60.0  # of ln(a - 1)

    def at(t: float) -> float:
        order = 1 + math.exp(t)
        return objective(order) if order > 1 else math.inf

    for _ in range(_STEPS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if at(left) <= at(right):
            high = right
        else:
            low = left
    return 1 + Fraction(math.exp((low + high) / 2)).limit_denominator(1 << 60)


def _log(x: Number) -> float:
    """Return the logarithm of a number that may be too small for a float."""
    return float(ln(x))


# --- Renyi divergences of a law on the whole numbers from its own shifted copy --------------------


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
        return _of_geometric(noise.p, shift, order)
    if isinstance(noise, DiscreteGaussianNoise):
        return _of_discrete_gaussian(noise.sigma2, shift, order)
    if isinstance(noise, SkellamNoise) and order > 1:
        return power_mean(lambda bits: _of_skellam(noise, shift, order, bits), order)
    if noise.supremum(shift).ratio != INFINITY:
        return _of_bounded(noise, shift, order)
    raise Unsupported(
        f"no bound is known here on what is left out of the divergence of order {order} of noise "
        "without a largest ratio: ask for the epsilon of dp at a delta"
    )


def _of_geometric(p: Number, shift: int, order: Fraction) -> Number:
    """Add up the two ends, and the geometric series between them."""
    if order == 1:
        return -ln(p) * (shift - 2 * p * (1 - power(p, shift)) / (1 - p * p))
    low, high = power(p, shift * order), power(p, -shift * (order - 1))
    total = low + high
    if shift > 1:
        step = power(p, 1 - 2 * order)
        total += (1 - p) * low * ((power(step, shift) - step) / (step - 1))
    return ln(total / (1 + p)) / (order - 1)


def _of_discrete_gaussian(s: Fraction, shift: int, order: Fraction) -> Number:
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


def _of_skellam(noise: SkellamNoise, shift: int, order: Fraction, bits: int) -> arb:
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


def _of_bounded(noise: IntegerLaw, shift: int, order: Fraction) -> Number:
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
