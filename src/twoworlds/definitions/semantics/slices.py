r"""Noise with a density, cut into slices of outputs.

A slice is an interval of outputs. On a slice with no answer inside, ln p_a(t) is linear in t for
every answer a, up to a part that all answers share, with slopes

    Laplace, rate r:    r or -r            Gaussian, sigma:    a / sigma^2

Hence ln r, with r = P(A(x) = t) / P(A(x_-i) = t), is linear on a slice, too, and the range of ln r
over databases is convex in t: if an output of the slice can breach, one of its ends can (S1). Let k
be half of the range of the slopes and h the width. The likelihoods, up to a shared factor, are
mixtures of those at the ends, with one weight for all answers, but for a share of (k h)^2 / 8
e^(k h): so far above e^(k t) lies its chord. An inequality that is convex in the likelihoods and
fails at both ends by more than this share fails on the whole slice; `answers` tests such alone.

A slice counts as a whole where some of its outputs may breach: so far the ends lie apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil
from math import exp as exponential
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.semantics.answers import MOST_ANSWERS
from twoworlds.definitions.semantics.beliefs import Likelihoods, without_each
from twoworlds.mechanisms import AddedDensity, Laplace, Mechanism, OnStatistic
from twoworlds.numbers import Number, bounds
from twoworlds.numbers.portable import exp
from twoworlds.worlds import Point, Records

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

Slice = tuple[Fraction | None, Fraction | None]  # outputs from, to; None is no end

_SLICES, _SIGMAS = 256, 5
_MOST_DATABASES = 64
_LEAST = -400.0  # a likelihood that is smaller, as a logarithm, is not told from 0
_MARGIN = 1e-9


@dataclass(frozen=True)
class Slices(Likelihoods):
    """The likelihoods of slices, and in floats those at their two ends, up to a factor."""

    ends: tuple[tuple[Floats, Floats], ...] = ()

    def can_breach(self, t: int, person: int, s: Fraction) -> bool:
        """Tell whether some belief may see a difference above s after an output of the slice."""
        if s >= 1:
            return False
        limit = float((1 + s) / (1 - s)) ** 2 * (1 - _MARGIN)
        ratios = (p[t] / q[person, t] for p, q in self.ends)
        return any(r.max() > limit * r.min() for r in ratios)


def sliced(mechanism: Mechanism, default: object = None) -> Slices | None:
    """Return the table of slices; None without a density, or for many answers or databases."""
    import numpy as np

    channel = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    universe = mechanism.universe
    if not isinstance(mechanism, OnStatistic) or not isinstance(channel, AddedDensity):
        return None
    if not isinstance(universe, Records) or not universe.fixed or universe.size > _MOST_DATABASES:
        return None
    removed = (y for one in without_each(mechanism, default) for y in one)
    answer: dict[Point, Any] = {x: mechanism.statistic(x) for x in (*universe, *removed)}
    answers = sorted(set(answer.values()))
    noise: Any = channel.noise
    if not 1 < len(answers) <= MOST_ANSWERS:
        return None
    slices, rest, bend = _cut(noise, answers)

    @cache
    def mass(cut: Slice, around: Fraction) -> Number:
        away = sorted(abs(end - around) for end in cut if end is not None)
        nearer: Number = noise.upper_tail(away[0])
        return nearer - noise.upper_tail(away[1]) if away[1:] else nearer

    found = Likelihoods.of(mechanism, default, slices, lambda cut, x: mass(cut, answer[x]))
    line, logs = np.array([float(answer[x]) for x in (*found.databases, *found.left_out)]), []
    for k in (0, 1):
        t = np.array([[next(float(e) for e in (cut[k], *cut) if e is not None)] for cut in slices])
        away = np.abs(t - line)
        if isinstance(noise, Laplace):
            rows = -float(noise.rate) * away
        else:
            rows = -((away / float(noise.sigma)) ** 2) / 2
        logs.append(rows - rows.max(1, keepdims=True))
    if min(one.min() for one in logs) < _LEAST:
        return None
    shared = (found.databases, found.outputs, found.low, found.high, found.removed, found.left_out)
    return Slices(*shared, rest, bend, ends=tuple(found.by_person(exp(one)) for one in logs))


def _cut(noise: Any, answers: list[Any]) -> tuple[list[Slice], Fraction, float]:
    """Cut the outputs at all answers, and evenly between; return what is left out, and the bend."""
    rest, far, marks = Fraction(0), [None], answers
    if isinstance(noise, Laplace):
        slopes = 2 * noise.rate
    else:  # the ratios go on beyond all answers
        slopes = (answers[-1] - answers[0]) / noise.sigma**2
        beyond = bounds(noise.sigma * _SIGMAS)[1]
        rest, far = 2 * bounds(noise.upper_tail(beyond))[1], []
        marks = [answers[0] - beyond, *answers, answers[-1] + beyond]
    step = (marks[-1] - marks[0]) / (_SLICES - len(marks))
    cuts = [*far, Fraction(marks[0])]
    for low, high in pairwise(marks):
        parts = ceil((high - low) / step)
        cuts += [low + (high - low) * Fraction(k, parts) for k in range(1, parts + 1)]
    turn = float(slopes * step) / 2
    return list(pairwise([*cuts, *far])), rest, turn**2 / 8 * exponential(turn) + _MARGIN
