r"""Boxes: sets of transcripts in which each answer lies in a range of its own, and their masses.

For an answer whose true values are u on one database and v on another, and an interval I of
answers: the mass of I, the largest likelihood ratio over I, and the parts of I on which the ratio
is constant.

**Integer noise.** The ratio of log-concave noise is monotone in the answer, so that its supremum
over an interval is at an end of it, or its limit. With finitely many outputs the answers are
listed.

**Laplace noise.** Let lambda be the rate 1/b. An answer r with D = |u - v| has the loss

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
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, factorial, prod
from typing import Any

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.laws.event import AtLeast, Event
from twoworlds.laws.noise import GeometricNoise, NegativeBinomialDifference
from twoworlds.laws.shifted import Shifted
from twoworlds.mechanisms.calibration import geometric_ratio
from twoworlds.mechanisms.continuous import AddedDensity, Laplace
from twoworlds.mechanisms.on_statistic import AddedNoise, FiniteNoise
from twoworlds.numbers import INFINITY, Log, Number, exp, ln, positive_part, power
from twoworlds.worlds import Integers, Point, Product, Universe

_SHOWN = 4


@dataclass(frozen=True)
class HalfOpen(Event):
    """All numbers from ``low`` on and below ``high``; None leaves an end open.

    >>> third = HalfOpen(Fraction(1, 3), Fraction(2))
    >>> Fraction(1, 3) in third, 2 in third, third.whole_numbers
    (True, False, (1, 1))
    """

    low: Fraction | None = None
    high: Fraction | None = None

    def __contains__(self, answer: object) -> bool:
        above = self.low is None or answer >= self.low  # type: ignore[operator]
        return bool(above and (self.high is None or answer < self.high))  # type: ignore[operator]

    def holds(self, output: Point) -> bool:
        return output in self

    @property
    def whole_numbers(self) -> tuple[int | None, int | None]:
        """The least and the greatest whole number in it, None where there is none."""
        low = None if self.low is None else ceil(self.low)
        return low, None if self.high is None else ceil(self.high) - 1

    def meet(self, other: HalfOpen) -> HalfOpen | None:
        """Return what both have in common, or None."""
        lows = [end for end in (self.low, other.low) if end is not None]
        highs = [end for end in (self.high, other.high) if end is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        return None if low is not None and high is not None and low >= high else HalfOpen(low, high)

    def inner(self) -> Fraction:
        """Return some number that lies in it."""
        if self.low is not None:
            return self.low
        return Fraction(0) if self.high is None else self.high - 1

    def describe(self, outputs: Universe, name: str = "output") -> str:
        """Say it of an answer, as briefly as possible for whole numbers."""
        if self == HalfOpen():
            return ""
        whole = isinstance(outputs, Integers)
        low, high = self.whole_numbers if whole else (self.low, self.high)
        if high is None:
            return f"{name} >= {low}"
        if low is None:
            return f"{name} <= {high}" if whole else f"{name} < {high}"
        if whole:
            return f"{name} = {low}" if low == high else f"{low} <= {name} <= {high}"
        return f"{low} <= {name} < {high}"


@dataclass(frozen=True)
class Boxes(Event):
    """Tuples of outputs that lie in one of several boxes: an event for each part."""

    parts: tuple[tuple[Event, ...], ...]

    def holds(self, output: Point) -> bool:
        return any(
            all(event.holds(part) for event, part in zip(box, output, strict=True))
            for box in self.parts
        )

    def describe(self, outputs: Universe) -> str:
        if not self.parts or not isinstance(outputs, Product):
            return "no output at all"
        said = [self._said(box, outputs) for box in self.parts[:_SHOWN]]
        more = len(self.parts) - _SHOWN
        tail = f", and {more} more case{'s' if more > 1 else ''}" if more > 0 else ""
        return (said[0] if len(said) == 1 else " or ".join(f"({one})" for one in said)) + tail

    @staticmethod
    def _said(box: tuple[Event, ...], outputs: Product) -> str:
        said = [
            event.describe(part, f"answer {i}")
            if isinstance(event, HalfOpen)
            else event.describe(part)
            for i, (event, part) in enumerate(zip(box, outputs.parts, strict=True), start=1)
        ]
        return " and ".join(filter(None, said)) or "any answers"


# --- Integer noise on an answer -------------------------------------------------------------------


_MOST_POINTS = 1 << 12
Channel = AddedDensity | AddedNoise | FiniteNoise
Piece = tuple[HalfOpen, Number, Number]
"""Answers of one likelihood ratio, with their masses under both true values."""


def is_finite(noise: object) -> bool:
    """Tell whether each true value has finitely many outputs: masses, or noise that is clamped."""
    return isinstance(noise, FiniteNoise) or (
        isinstance(noise, AddedNoise) and noise.low is not None
    )


def mass(noise: Any, interval: HalfOpen, value: Any) -> Number:
    """Return the probability that the answer lies in an interval."""
    if isinstance(noise, AddedDensity):
        return laplace_mass(rate_of(noise), interval, Fraction(value))
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
            "use noise=geometric(ratio=2) or noise=laplace(scale=2)"
        )
    met = [common for piece in cut if (common := piece.meet(interval)) and not _empty(common)]
    return [(piece, mass(noise, piece, u), mass(noise, piece, v)) for piece in met]


def largest_ratio(
    noise: Any, interval: HalfOpen, u: Any, v: Any
) -> tuple[Number, HalfOpen, bool] | None:
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
    """Return e^(Delta F / b), or p^(-Delta F) where the law has such a p; else none is a bound.

    Clamping an answer is post-processing: the bound is that of the noise before it.
    """
    if isinstance(noise, AddedDensity):
        return _raised(rate_of(noise), sensitivity)
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


def _points(noise: AddedNoise | FiniteNoise, interval: HalfOpen, *values: Any) -> range:
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


# --- Laplace noise on several answers -------------------------------------------------------------


_NARROW = 64
Answers = Sequence[tuple[HalfOpen, Any, Any]]
"""For each answer an interval, and its true values on both databases."""


def rate_of(noise: Channel) -> Number:
    """Return the rate of Laplace noise, the one density that answers get."""
    assert isinstance(noise, AddedDensity)
    assert isinstance(noise.noise, Laplace)
    return noise.noise.rate


def joint_density(rate: Number, pairs: Sequence[tuple[Any, Any]]) -> Number:
    """Return e^(-||answers - values||_1 / b) / (2 b)^d."""
    away = sum((abs(Fraction(a) - Fraction(v)) for a, v in pairs), start=Fraction(0))
    return (rate / 2) ** len(pairs) * exp(-(rate * away))


def _raised(rate: Number, distance: Fraction) -> Number:
    """Return e^(distance / b), as a power of a rational where the rate is a logarithm."""
    return power(rate.of, distance) if isinstance(rate, Log) else exp(rate * distance)


def laplace_mass(rate: Number, interval: HalfOpen, centre: Fraction) -> Number:
    """Return the mass of an interval: two tails subtracted, of the side where they are small."""
    tail, low, high = Laplace(rate=rate).upper_tail, interval.low, interval.high
    if low is None:
        return Fraction(1) if high is None else tail(centre - high)
    if high is None:
        return tail(low - centre)
    if high <= centre:
        return tail(centre - high) - tail(centre - low)
    return tail(low - centre) - tail(high - centre)


def largest_loss(rate: Number, answers: Answers) -> tuple[Number, tuple[HalfOpen, ...], bool]:
    """Return the supremum of the ratio over a box, where it is reached or nearly, and if it is."""
    reached = [_reach(interval, Fraction(u), Fraction(v)) for interval, u, v in answers]
    losses, where, attained = zip(*reached, strict=True)
    return _raised(rate, sum(losses, start=Fraction(0))), where, all(attained)


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
        same = laplace_mass(rate, interval, u)
        yield True, (Fraction(0), same, same)
        return
    low, high, apart = min(u, v), max(u, v), abs(u - v)
    for outer, end in ((HalfOpen(high=low), low), (HalfOpen(low=high), high)):
        met = interval.meet(outer)
        if met is not None:
            loss = apart if end == u else -apart
            yield True, (loss, laplace_mass(rate, met, u), laplace_mass(rate, met, v))
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
