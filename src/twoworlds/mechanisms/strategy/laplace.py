r"""Several answers with Laplace noise: densities, largest losses, and the mass above a ratio.

Let lambda be the rate 1/b. An answer r with true values u and v, D = |u - v|, has the loss

    lambda D     beyond u,       -lambda D    beyond v,      lambda (D - 2y)   between them,

where y is the distance of r from u; there its densities are (lambda/2) e^(-lambda y) around u and
(lambda/2) e^(-lambda (D - y)) around v. The loss rises or falls from one end of an interval to the
other, so that its supremum is at an end, and the suprema of several answers add up. With k answers
between their true values, y_i in [alpha_i, beta_i], and the others beyond them with losses that add
up to lambda L, the ratio exceeds a exactly if

    y_1 + ... + y_k < s = (L + D_1 + ... + D_k - (ln a) / lambda) / 2.

The mass of that part of a box is, by inclusion and exclusion over its 2^k corners c, a sum of

    (+-1) e^(-+ lambda |c|) G(lambda (s - |c|)),   G(x) = int_0^x t^(k-1) / (k-1)! e^(-+ t) dt,

which is elementary: 1 - e^(-x) sum_{j<k} x^j / j!, and (-1)^k (1 - e^x sum_{j<k} (-x)^j / j!).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import factorial, prod
from typing import Any

from twoworlds.laws.comparison import larger
from twoworlds.mechanisms.continuous import Laplace
from twoworlds.mechanisms.strategy.boxes import HalfOpen
from twoworlds.numbers import Log, Number, exp, ln, positive_part, power

_NARROW = 64
Answers = Sequence[tuple[HalfOpen, Any, Any]]
"""For each answer an interval, and its true values on both databases."""


def joint_density(rate: Number, pairs: Sequence[tuple[Any, Any]]) -> Number:
    """Return e^(-||answers - values||_1 / b) / (2 b)^d."""
    away = sum((abs(Fraction(a) - Fraction(v)) for a, v in pairs), start=Fraction(0))
    return (rate / 2) ** len(pairs) * exp(-(rate * away))


def raised(rate: Number, distance: Fraction) -> Number:
    """Return e^(distance / b), as a power of a rational where the rate is a logarithm."""
    return power(rate.of, distance) if isinstance(rate, Log) else exp(rate * distance)


def mass(rate: Number, interval: HalfOpen, centre: Fraction) -> Number:
    """Return the mass of an interval: two tails subtracted, of the side where they are small."""
    tail, low, high = Laplace(rate=rate).upper_tail, interval.low, interval.high
    if low is None:
        return Fraction(1) if high is None else tail(centre - high)
    if high is None:
        return tail(low - centre)
    if high <= centre:
        return tail(centre - high) - tail(centre - low)
    return tail(low - centre) - tail(high - centre)


def largest(rate: Number, answers: Answers) -> tuple[Number, tuple[HalfOpen, ...], bool]:
    """Return the supremum of the ratio over a box, where it is reached or nearly, and if it is."""
    reached = [_reach(interval, Fraction(u), Fraction(v)) for interval, u, v in answers]
    losses, where, attained = zip(*reached, strict=True)
    return raised(rate, sum(losses, start=Fraction(0))), where, all(attained)


def _reach(interval: HalfOpen, u: Fraction, v: Fraction) -> tuple[Fraction, HalfOpen, bool]:
    """Return sup |r - v| - |r - u| over an interval, a part where it is reached or nearly so."""
    if u == v:
        return Fraction(0), interval, True
    if u < v:  # the same after changing every sign
        loss, where, attained = _reach(_turned(interval), -u, -v)
        return loss, _turned(where), attained
    low, high = interval.low, interval.high
    if high is None or high > u:  # the loss rises, and is u - v from u on
        return u - v, interval.meet(HalfOpen(low=u)) or interval, True
    if high <= v:
        return v - u, interval, True
    start = v if low is None else max(low, v)
    return 2 * high - u - v, HalfOpen(high - (high - start) / _NARROW, high), False


def _turned(interval: HalfOpen) -> HalfOpen:
    low, high = interval.low, interval.high
    return HalfOpen(None if high is None else -high, None if low is None else -low)


def masses_above(answers: Answers, rate: Number, ratio: Number) -> tuple[Number, Number]:
    """Return both masses of the transcripts of a box whose likelihood ratio exceeds ``ratio``."""
    p: Number = Fraction(0)
    q: Number = Fraction(0)
    for zones in product(*(_zones(interval, u, v, rate) for interval, u, v in answers)):
        flat = [zone for level, zone in zones if level]
        slopes = [zone for level, zone in zones if not level]
        more_p, more_q = _above(flat, slopes, rate, ratio)
        p, q = p + more_p, q + more_q
    return p, q


def _zones(
    interval: HalfOpen, u: Fraction, v: Fraction, rate: Number
) -> Iterable[tuple[bool, tuple[Any, Any, Any]]]:
    """Cut an interval at the two true values.

    Answers of one loss: (True, (its multiple of lambda, and both masses)). Answers between the true
    values: (False, (least and greatest distance from the first, D)).
    """
    if u == v:
        same = mass(rate, interval, u)
        yield True, (Fraction(0), same, same)
        return
    low, high, apart = min(u, v), max(u, v), abs(u - v)
    for outer, end in ((HalfOpen(high=low), low), (HalfOpen(low=high), high)):
        met = interval.meet(outer)
        if met is not None:
            loss = apart if end == u else -apart
            yield True, (loss, mass(rate, met, u), mass(rate, met, v))
    between: Any = interval.meet(HalfOpen(low, high))
    if between is not None:
        yield False, (*sorted((abs(between.low - u), abs(between.high - u))), apart)


def _above(
    flat: Sequence[tuple[Any, Any, Any]],
    slopes: Sequence[tuple[Any, Any, Any]],
    rate: Number,
    ratio: Number,
) -> tuple[Number, Number]:
    level = sum((loss for loss, _, _ in flat), start=Fraction(0))
    p: Number = prod((own for _, own, _ in flat), start=Fraction(1))
    q: Number = prod((other for _, _, other in flat), start=Fraction(1))
    if not slopes:
        exceeds = larger(exp(rate * level), ratio)
        return (p, q) if exceeds else (Fraction(0), Fraction(0))
    k = len(slopes)
    apart = sum((distance for _, _, distance in slopes), start=Fraction(0))
    limit = (rate * (level + apart) - ln(ratio)) / 2  # lambda s
    inner: Number = Fraction(0)
    outer: Number = Fraction(0)
    for ends in product((0, 1), repeat=k):
        corner = sum((zone[end] for zone, end in zip(slopes, ends, strict=True)), Fraction(0))
        sign = (-1) ** sum(ends)
        room = positive_part(limit - rate * corner)
        falling = 1 - exp(-room) * _series(room, k)
        rising = (-1) ** k * (1 - exp(room) * _series(-room, k))
        inner = inner + sign * exp(-(rate * corner)) * falling
        outer = outer + sign * exp(rate * corner) * rising
    half = Fraction(1, 2) ** k
    return p * half * inner, q * half * exp(-(rate * apart)) * outer


def _series(x: Number, k: int) -> Number:
    found: Number = Fraction(1)
    for j in range(1, k):
        found = found + x**j / factorial(j)
    return found
