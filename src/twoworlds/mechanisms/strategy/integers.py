"""Integer noise on every answer of a strategy: log-concave, or with finitely many outputs.

For an answer whose true values are u on one database and v on another, and an interval I of
answers: the mass of I, the largest likelihood ratio over I, and the parts of I on which the ratio
is constant. The ratio of log-concave noise is monotone in the answer, so that its supremum over an
interval is at an end of it, or its limit. With finitely many outputs the answers are listed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.laws.event import AtLeast
from twoworlds.laws.noise import GeometricNoise, NegativeBinomialDifference
from twoworlds.laws.shifted import Shifted
from twoworlds.mechanisms.calibration import geometric_ratio
from twoworlds.mechanisms.on_statistic import AddedNoise, FiniteNoise
from twoworlds.mechanisms.strategy.boxes import HalfOpen
from twoworlds.numbers import INFINITY, Number

_MOST_POINTS = 1 << 12
Channel = AddedNoise | FiniteNoise
Piece = tuple[HalfOpen, Number, Number]
"""Answers of one likelihood ratio, with their masses under both true values."""


def is_finite(noise: object) -> bool:
    """Tell whether each true value has finitely many outputs: masses, or noise that is clamped."""
    return isinstance(noise, FiniteNoise) or (
        isinstance(noise, AddedNoise) and noise.low is not None
    )


def mass(noise: Any, interval: HalfOpen, value: Any) -> Number:
    """Return the probability that the answer lies in an interval."""
    centre = _whole(value)
    if is_finite(noise):
        points = _points(noise, interval, centre)
        return sum((noise.probability(k, centre) for k in points), start=Fraction(0))
    low, high = interval.whole_numbers
    if low is not None and low == high:
        return noise.noise.pmf(low - centre)  # type: ignore[no-any-return]
    above: Number = Fraction(1) if low is None else noise.noise.at_least(low - centre)
    return above if high is None else above - noise.noise.at_least(high + 1 - centre)


def pieces(noise: Any, interval: HalfOpen, u: Any, v: Any) -> list[Piece]:
    """Return the parts of an interval on which the likelihood ratio is constant."""
    if u == v:
        same = mass(noise, interval, u)
        return [(interval, same, same)]
    first, last = sorted((_whole(u), _whole(v)))
    low, high = interval.whole_numbers
    if is_finite(noise):
        cut = [*map(_single, _points(noise, interval, u, v))]
    elif noise.noise.last_step(last - first) == last - first:  # constant beyond both true values
        ends = HalfOpen(None, Fraction(first + 1)), HalfOpen(Fraction(last), None)
        cut = [ends[0], *map(_single, range(first + 1, last)), ends[1]]
    elif low is not None and high is not None:
        cut = [*map(_single, _few(low, high))]
    else:
        raise Unsupported(
            f"the likelihood ratio of {noise.noise.expression} takes infinitely many values: "
            "ask for the ratio, or use geometric noise"
        )
    met = [common for piece in cut if (common := piece.meet(interval)) and not _empty(common)]
    return [(piece, mass(noise, piece, u), mass(noise, piece, v)) for piece in met]


def largest(noise: Any, interval: HalfOpen, u: Any, v: Any) -> tuple[Number, HalfOpen, bool] | None:
    """Return the supremum of the ratio, where, and whether it is attained; None without mass."""
    if is_finite(noise):
        best: Piece | None = None
        for piece in pieces(noise, interval, u, v):
            if piece[1] != 0 and (best is None or larger(piece[1] * best[2], best[1] * piece[2])):
                best = piece
        if best is None:
            return None
        where, p, q = best
        return INFINITY if q == 0 else p / q, where, True
    if _empty(interval):
        return None
    if u == v:
        return Fraction(1), interval, True
    low, high = interval.whole_numbers
    end = high if u > v else low
    if end is not None:
        law = noise.noise
        ratio = law.likelihood(end - v, u - v) if u > v else 1 / law.likelihood(end - u, v - u)
        return ratio, _single(end), True
    peak = Shifted(None, None, _whole(u), _whole(v), noise.noise).peak()
    threshold = Fraction(peak.event.threshold)  # type: ignore[attr-defined]
    upward = isinstance(peak.event, AtLeast)
    far = HalfOpen(low=threshold) if upward else HalfOpen(high=threshold + 1)
    return peak.ratio, interval.meet(far) or interval, peak.attained


def bound(noise: Channel, sensitivity: Fraction) -> Number:
    """Return p^(-Delta F), where the law has such a p; else no ratio is a bound.

    Clamping an answer is post-processing: the bound is that of the noise before it.
    """
    if isinstance(noise, FiniteNoise):
        raise Unsupported("Theorem 5 speaks of Laplace noise and its kin, not of listed masses")
    law = noise.noise
    if isinstance(law, (GeometricNoise, NegativeBinomialDifference)):
        return geometric_ratio(law.p, sensitivity)
    if sensitivity == 0 or law.supremum(1).ratio == INFINITY:
        return INFINITY if sensitivity else Fraction(1)
    raise Unsupported(f"no bound in the manner of Theorem 5 is known for {law.expression}")


def nearest(interval: HalfOpen, value: int) -> int:
    """Return the whole number of an interval that is nearest to a true value."""
    low, high = interval.whole_numbers
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


def _points(noise: Channel, interval: HalfOpen, *values: Any) -> range:
    """Return the outputs of some true values that lie in an interval."""
    low, high = interval.whole_numbers
    if isinstance(noise, FiniteNoise):
        starts = [_whole(value) + noise.start for value in values]
        first, last = min(starts), max(starts) + len(noise.masses) - 1
    else:
        first, last = noise.low or 0, noise.high or 0
    first = first if low is None else max(first, low)
    return _few(first, last if high is None else min(last, high))


def _few(first: int, last: int) -> range:
    if last - first >= _MOST_POINTS:
        raise Unsupported(
            f"{last - first + 1} answers are too many to compare one by one (at most "
            f"{_MOST_POINTS}): use a smaller range, or geometric noise"
        )
    return range(first, last + 1)


def _single(k: int) -> HalfOpen:
    return HalfOpen(Fraction(k), Fraction(k + 1))


def _empty(interval: HalfOpen) -> bool:
    """Tell whether no whole number lies in an interval."""
    low, high = interval.whole_numbers
    return low is not None and high is not None and low > high


def _whole(value: Any) -> int:
    if isinstance(value, int):
        return value
    raise InvalidInput(
        f"integer noise needs whole-numbered answers, this one is {value}: scale the query to "
        "whole units first, or use Laplace noise"
    )
