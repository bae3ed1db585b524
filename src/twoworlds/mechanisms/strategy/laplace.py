r"""Several answers with Laplace noise: the probability that their likelihood ratio exceeds a.

Let lambda be the rate 1/b. An answer r with true values u and v, D = |u - v|, has the loss

    lambda D     beyond u,       -lambda D    beyond v,      lambda (D - 2y)   between them,

where y is the distance of r from u; there its densities are (lambda/2) e^(-lambda y) around u and
(lambda/2) e^(-lambda (D - y)) around v. With k answers between their true values, y_i in
[alpha_i, beta_i], and the others beyond them with losses that add up to lambda L, the ratio exceeds
a exactly if

    y_1 + ... + y_k < s = (L + D_1 + ... + D_k - (ln a) / lambda) / 2.

The mass of that part of a box is, by inclusion and exclusion over its 2^k corners c, a sum of

    (+-1) e^(-+ lambda |c|) G(lambda (s - |c|)),   G(x) = int_0^x t^(k-1) / (k-1)! e^(-+ t) dt,

which is elementary: 1 - e^(-x) sum_{j<k} x^j / j!, and (-1)^k (1 - e^x sum_{j<k} (-x)^j / j!).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import factorial, prod
from typing import NamedTuple

from twoworlds.laws.comparison import larger
from twoworlds.mechanisms.strategy.laplace_noise import LaplaceNoise
from twoworlds.mechanisms.strategy.regions import Box, Interval
from twoworlds.numbers import Number, exp, ln, positive_part

__all__ = ["Masses", "masses_above"]


class Masses(NamedTuple):
    """The probability of one event under both laws."""

    p: Number
    q: Number


class _Flat(NamedTuple):
    """Answers of one loss: its multiple of lambda, and the masses under both true values."""

    loss: Fraction
    p: Number
    q: Number


class _Slope(NamedTuple):
    """Answers between two true values D apart, by their distance from the first one."""

    nearest: Fraction
    furthest: Fraction
    apart: Fraction


_Zone = _Flat | _Slope


def masses_above(
    box: Box, u: Sequence[Fraction], v: Sequence[Fraction], noise: LaplaceNoise, ratio: Number
) -> Masses:
    """Return both masses of the transcripts of a box whose likelihood ratio exceeds ``ratio``.

    >>> found = masses_above((Interval(),), [Fraction(1)], [Fraction(0)], LaplaceNoise(Fraction(1)),
    ...                      Fraction(1))
    >>> print(float(found.p), float(found.q))
    0.6967346701436833 0.3032653298563167
    """
    zones = [_zones(i, a, b, noise) for i, a, b in zip(box, u, v, strict=True)]
    p: Number = Fraction(0)
    q: Number = Fraction(0)
    for combination in product(*zones):
        found = _above(combination, noise.rate, ratio)
        p, q = p + found.p, q + found.q
    return Masses(p, q)


def _zones(interval: Interval, u: Fraction, v: Fraction, noise: LaplaceNoise) -> list[_Zone]:
    """Cut an interval at the two true values."""
    if u == v:
        mass = noise.mass(interval, u)
        return [_Flat(Fraction(0), mass, mass)]
    low, high, apart = min(u, v), max(u, v), abs(u - v)
    found: list[_Zone] = []
    for outer, end in ((Interval(high=low), low), (Interval(low=high), high)):
        met = interval.meet(outer)
        if met is not None:
            loss = apart if end == u else -apart
            found.append(_Flat(loss, noise.mass(met, u), noise.mass(met, v)))
    between = interval.meet(Interval(low, high))
    if between is not None:
        assert between.low is not None
        assert between.high is not None
        ends = sorted((abs(between.low - u), abs(between.high - u)))
        found.append(_Slope(ends[0], ends[1], apart))
    return found


def _above(zones: Sequence[_Zone], rate: Number, ratio: Number) -> Masses:
    flat = [zone for zone in zones if isinstance(zone, _Flat)]
    slopes = [zone for zone in zones if isinstance(zone, _Slope)]
    level = sum((zone.loss for zone in flat), start=Fraction(0))
    p: Number = prod((zone.p for zone in flat), start=Fraction(1))
    q: Number = prod((zone.q for zone in flat), start=Fraction(1))
    if not slopes:
        return (
            Masses(p, q) if larger(exp(rate * level), ratio) else Masses(Fraction(0), Fraction(0))
        )
    k = len(slopes)
    apart = sum((zone.apart for zone in slopes), start=Fraction(0))
    limit = (rate * (level + apart) - ln(ratio)) / 2  # lambda s
    inner: Number = Fraction(0)
    outer: Number = Fraction(0)
    for ends in product((0, 1), repeat=k):
        corner = sum((zone[end] for zone, end in zip(slopes, ends, strict=True)), Fraction(0))
        sign = (-1) ** sum(ends)
        room = positive_part(limit - rate * corner)
        inner = inner + sign * exp(-(rate * corner)) * _falling(room, k)
        outer = outer + sign * exp(rate * corner) * _rising(room, k)
    half = Fraction(1, 2) ** k
    return Masses(p * half * inner, q * half * exp(-(rate * apart)) * outer)


def _falling(x: Number, k: int) -> Number:
    """Return int_0^x t^(k-1) / (k-1)! e^(-t) dt."""
    return 1 - exp(-x) * _series(x, k)


def _rising(x: Number, k: int) -> Number:
    """Return int_0^x t^(k-1) / (k-1)! e^t dt."""
    found = 1 - exp(x) * _series(-x, k)
    return -found if k % 2 else found


def _series(x: Number, k: int) -> Number:
    found: Number = Fraction(1)
    for j in range(1, k):
        found = found + x**j / factorial(j)
    return found
