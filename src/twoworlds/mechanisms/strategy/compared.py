r"""Comparing two worlds by their transcripts.

On a course everything is a product: the ratio of two transcript laws is the product of the ratios
of the answers, and its supremum over a box is the product of the suprema over the intervals. So the
tight ratio of all events is the largest over courses, exactly. The gap at a ratio a,

    H_a(P || Q) = sum over courses of  int over the box of  max(0, p(rho) - a q(rho)) d rho,

is a sum over cells of constant ratio, where these are finitely many (geometric noise, finite
ranges), and has a closed form for Laplace noise (`twoworlds.mechanisms.strategy.compared`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import factorial, prod
from typing import Any, NamedTuple

from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import (
    Comparison,
    FiniteComparison,
    Gap,
    Peak,
    ProfileLine,
    RatioCell,
    larger,
)
from twoworlds.laws.event import Event, Listed
from twoworlds.mechanisms.strategy.noise import AnswerNoise, BoundedNoise, LaplaceNoise, Largest
from twoworlds.mechanisms.strategy.regions import Box, Boxes, HalfOpen
from twoworlds.mechanisms.strategy.strategy import Course, course_of
from twoworlds.numbers import INFINITY, Number, Real, exp, ln, positive_part, show
from twoworlds.worlds import Point, Universe

_MOST_CELLS = 1 << 18
_DIGITS = 64  # bits of a ratio that is found by bisection


@dataclass(frozen=True)
class LikelyTranscripts(Event):
    """Transcripts whose likelihood ratio, of one vector of true values over another, exceeds a."""

    u: tuple[Any, ...]
    v: tuple[Any, ...]
    courses: tuple[Course, ...]
    noise: LaplaceNoise
    ratio: Number

    def holds(self, output: Point) -> bool:
        """Compare the densities."""
        picks = course_of(self.courses, output).picks
        p, q = (self.noise.joint_density(output, [w[i] for i in picks]) for w in (self.u, self.v))
        return larger(p, self.ratio * q)

    def describe(self, outputs: Universe) -> str:
        """Say the ratio."""
        if self.ratio == 1:
            return "transcripts that are likelier in the first world than in the second"
        return (
            f"transcripts that are more than {show(self.ratio)} times as likely in the first world "
            "as in the second"
        )

    def mass(self, value: Sequence[Any]) -> Number:
        """Return the probability of the event for one of the two vectors of true values."""
        found = self.masses
        if tuple(value) == self.u:
            return found[0]
        if tuple(value) == self.v:
            return found[1]
        raise Unsupported("the mass of this event is known in the two worlds that it compares only")

    @cached_property
    def masses(self) -> Masses:
        """The probabilities of the event for both."""
        found = [
            masses_above(
                course.box,
                [Fraction(self.u[i]) for i in course.picks],
                [Fraction(self.v[i]) for i in course.picks],
                self.noise,
                self.ratio,
            )
            for course in self.courses
        ]
        p, q = (sum((one[side] for one in found), start=Fraction(0)) for side in (0, 1))
        return p, q


@dataclass(frozen=True)
class TwoTranscriptLaws(Comparison):
    """The law of the transcript for true values u, on x, against that for v, on y."""

    x: Point
    y: Point
    u: tuple[Any, ...]
    v: tuple[Any, ...]
    courses: tuple[Course, ...]
    noise: AnswerNoise

    def reverse(self) -> Comparison:
        """Swap the two laws."""
        return TwoTranscriptLaws(self.y, self.x, self.v, self.u, self.courses, self.noise)

    def peak(self) -> Peak:
        """Take the course of the largest ratio."""
        best: Largest | None = None
        for course in self.courses:
            u, v = ([w[i] for i in course.picks] for w in (self.u, self.v))
            found = self.noise.largest(course.box, u, v)
            if found is not None and (best is None or larger(found.ratio, best.ratio)):
                best = found
        assert best is not None, "some course has mass"
        return Peak(best.ratio, Boxes((best.box,)), best.attained)

    def gap(self, ratio: Number) -> Gap:
        """Add up the cells, or use the closed form."""
        bounded = isinstance(self.noise, BoundedNoise)
        if not bounded and (ratio == INFINITY or not larger(self.peak().ratio, ratio)):
            return Gap(Fraction(0), Listed.of(()))
        if isinstance(self.noise, LaplaceNoise):
            event = LikelyTranscripts(self.u, self.v, self.courses, self.noise, ratio)
            p, q = event.masses
            return Gap(p - ratio * q, event)
        return self._table.gap(ratio)

    def ratio_for(self, delta: Number) -> Number:
        """Solve on the piece where the profile crosses delta; for Laplace noise by bisection."""
        if delta == 0:
            peak = self.peak().ratio
            return peak if larger(peak, Fraction(1)) else Fraction(1)
        if not isinstance(self.noise, LaplaceNoise):
            return self._table.ratio_for(delta)
        if not larger(self.gap(Fraction(1)).delta, delta):
            return Fraction(1)
        return exp(self._epsilon_for(delta))

    def _epsilon_for(self, delta: Number) -> Real:
        """Bisect between 0 and the tight epsilon: the gap falls strictly there."""
        low, high = Fraction(0), Fraction(1)
        while larger(self.peak().ratio, exp(high)):
            high *= 2
        for _ in range(_DIGITS):
            middle = (low + high) / 2
            if larger(self.gap(exp(middle)).delta, delta):
                low = middle
            else:
                high = middle
        return Real.between(low, high)

    def lines(self) -> list[ProfileLine]:
        """Return the lines of the profile, where the cells are finitely many."""
        return super().lines() if isinstance(self.noise, LaplaceNoise) else self._table.lines()

    def cells(self) -> list[RatioCell]:
        """Return the cells, where they are finitely many."""
        return super().cells() if isinstance(self.noise, LaplaceNoise) else self._table.cells()

    def limit(self) -> Number:
        """Return the mass of what only the first world can produce."""
        return self.gap(INFINITY).delta

    @cached_property
    def _table(self) -> FiniteComparison:
        boxes: list[Box] = []
        p: list[Number] = []
        q: list[Number] = []
        for course in self.courses:
            parts = [
                self.noise.pieces(interval, self.u[i], self.v[i])
                for interval, i in zip(course.box, course.picks, strict=True)
            ]
            if len(boxes) + prod(map(len, parts)) > _MOST_CELLS:
                raise TooLarge(
                    f"the transcripts fall into more than {_MOST_CELLS} cells of constant "
                    "likelihood ratio: ask for the ratio alone, or ask fewer queries"
                )
            for cell in product(*parts):
                where, ps, qs = zip(*cell, strict=True)
                boxes.append(where)
                p.append(prod(ps, start=Fraction(1)))
                q.append(prod(qs, start=Fraction(1)))

        def event(cells: Sequence[int]) -> Event:
            return Boxes(tuple(boxes[i] for i in cells)) if cells else Listed.of(())

        return FiniteComparison(self.x, self.y, p, q, event)


# --- Several answers with Laplace noise: the probability that their likelihood ratio exceeds a ---
# Let lambda be the rate 1/b. An answer r with true values u and v, D = |u - v|, has the loss
#
#     lambda D     beyond u,       -lambda D    beyond v,      lambda (D - 2y)   between them,
#
# where y is the distance of r from u; there its densities are (lambda/2) e^(-lambda y) around u
# and (lambda/2) e^(-lambda (D - y)) around v. With k answers between their true values, y_i in
# [alpha_i, beta_i], and the others beyond them with losses that add up to lambda L, the ratio
# exceeds a exactly if
#
#     y_1 + ... + y_k < s = (L + D_1 + ... + D_k - (ln a) / lambda) / 2.
#
# The mass of that part of a box is, by inclusion and exclusion over its 2^k corners c, a sum of
#
#     (+-1) e^(-+ lambda |c|) G(lambda (s - |c|)),   G(x) = int_0^x t^(k-1) / (k-1)! e^(-+ t) dt,
#
# which is elementary: 1 - e^(-x) sum_{j<k} x^j / j!, and (-1)^k (1 - e^x sum_{j<k} (-x)^j / j!).


Masses = tuple[Number, Number]
"""The probability of one event under both laws."""


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
    """Return both masses of the transcripts of a box whose likelihood ratio exceeds ``ratio``."""
    zones = [_zones(i, a, b, noise) for i, a, b in zip(box, u, v, strict=True)]
    p: Number = Fraction(0)
    q: Number = Fraction(0)
    for combination in product(*zones):
        more_p, more_q = _above(combination, noise.rate, ratio)
        p, q = p + more_p, q + more_q
    return p, q


def _zones(interval: HalfOpen, u: Fraction, v: Fraction, noise: LaplaceNoise) -> list[_Zone]:
    """Cut an interval at the two true values."""
    if u == v:
        mass = noise.mass(interval, u)
        return [_Flat(Fraction(0), mass, mass)]
    low, high, apart = min(u, v), max(u, v), abs(u - v)
    found: list[_Zone] = []
    for outer, end in ((HalfOpen(high=low), low), (HalfOpen(low=high), high)):
        met = interval.meet(outer)
        if met is not None:
            loss = apart if end == u else -apart
            found.append(_Flat(loss, noise.mass(met, u), noise.mass(met, v)))
    between = interval.meet(HalfOpen(low, high))
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
        exceeds = larger(exp(rate * level), ratio)
        return (p, q) if exceeds else (Fraction(0), Fraction(0))
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
    return p * half * inner, q * half * exp(-(rate * apart)) * outer


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
