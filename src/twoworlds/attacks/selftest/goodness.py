r"""Goodness of fit: whether draws have the law that is due, with a proved rate of false alarms.

An event of probability p occurs m times in n independent draws. With a = m/n, Chernoff's bound says

    P(a share at least as far from p, on the same side)  <=  e^(-n K(a, p)),
    K(a, p) = a ln(a/p) + (1 - a) ln((1 - a)/(1 - p)),

whatever p and n are. So an alarm at e^(-n K) < `RATE`/2 on either side is false with a probability
of at most `RATE`. A whole self-test makes fewer than `MOST` such comparisons: an engine that is
right fails it by chance with a probability of at most `RATE` * `MOST` = 10^-6.

The laws are worked out here from the cost and the sensitivity, in a few lines that share nothing
with the calibration of the engine.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil, exp, inf, log, sqrt

__all__ = [
    "MOST",
    "RATE",
    "AtLeast",
    "gaussian",
    "gaussian_delta",
    "laplace",
    "misfit",
    "noise_events",
    "too_often",
]

RATE = 1e-9
MOST = 1000
AtLeast = Callable[[int], float]  # k -> P(Z >= k), of a law on the whole numbers
Event = tuple[str, float, Callable[[int], bool]]
_TAILS = (0.45, 0.3, 0.2, 0.12, 0.05, 0.01, 0.001)


def laplace(scale: Fraction | int) -> AtLeast:
    """Return the tails of discrete Laplace noise: P(Z = k) proportional to e^(-|k| / scale)."""
    q = exp(-1 / float(scale))

    def at_least(k: int) -> float:
        return q**k / (1 + q) if k > 0 else 1 - q ** (1 - k) / (1 + q)

    return at_least


def gaussian(sigma2: Fraction | int) -> AtLeast:
    """Return the tails of discrete Gaussian noise: P(Z = k) proportional to e^(-k^2 / (2 sigma2))."""
    far = ceil(12 * sqrt(sigma2)) + 2
    weights = [exp(-k * k / (2 * float(sigma2))) for k in range(far, 0, -1)]
    tails = [*accumulate(weights, initial=0.0)][::-1]  # of k = 1, 2, ...
    total = 1 + 2 * tails[0]

    def at_least(k: int) -> float:
        if k <= 0:
            return 1 - at_least(1 - k)
        return tails[k - 1] / total if k <= far else 0.0

    return at_least


def gaussian_delta(sigma2: Fraction | int, sensitivity: int, epsilon: Fraction | int) -> float:
    """Return the least delta: the sum of P(Z = k) - e^epsilon P(Z = k + d) where it is positive."""
    s, d, factor = float(sigma2), sensitivity, exp(epsilon)
    reach = ceil(40 * sqrt(s)) + d
    weights = {k: exp(-k * k / (2 * s)) for k in range(-reach - d, reach + d + 1)}
    lost = sum(max(0.0, weights[k] - factor * weights[k + d]) for k in range(-reach, reach + 1))
    return lost / sum(weights.values())


def noise_events(at_least: AtLeast) -> list[Event]:
    """Return events that tell laws of noise around 0 apart: the value 0, and several tails.

    With 16,384 draws a scale that is off by 10 % is noticed with a probability above 99.9 %, at the
    place where both tails together have about 1/e.
    """
    places = sorted({_first_below(at_least, tail) for tail in _TAILS})
    zero: Event = ("0", at_least(0) - at_least(1), lambda z: z == 0)
    return [zero, *(event for k in places for event in _tails(at_least(k), k))]


def _tails(p: float, k: int) -> tuple[Event, ...]:
    return (
        (f"{k} or more", p, lambda z: z >= k),
        (f"{-k} or less", p, lambda z: z <= -k),
        (f"{k} or more, or {-k} or less", 2 * p, lambda z: abs(z) >= k),
    )


def _first_below(at_least: AtLeast, tail: float) -> int:
    """Return the least k >= 1 with P(Z >= k) <= tail."""
    high = 1
    while at_least(high) > tail:
        high *= 2
    return bisect_left(range(1, high), 1, key=lambda k: int(at_least(k) <= tail)) + 1


def misfit(draws: Sequence[int], events: Iterable[Event]) -> str | None:
    """Return how draws differ from a law, or None: an event that occurs too often or too seldom."""
    n = len(draws)
    for words, p, occurs in events:
        seen = sum(map(occurs, draws))
        if _exponent(seen, n, p) > log(2 / RATE):
            return f"{words} came {seen:,} times in {n:,}, not about {p * n:,.0f} times"
    return None


def too_often(seen: int, n: int, most: float) -> bool:
    """Whether something that has at most this probability occurs too often for that."""
    return seen > most * n and _exponent(seen, n, most) > log(1 / RATE)


def _exponent(seen: int, n: int, p: float) -> float:
    """Return n K(seen / n, p)."""
    return n * (_part(seen / n, p) + _part(1 - seen / n, 1 - p))


def _part(a: float, p: float) -> float:
    if a <= 0:
        return 0.0
    return a * log(a / p) if p > 0 else inf
