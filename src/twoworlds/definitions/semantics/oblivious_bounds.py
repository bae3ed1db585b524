r"""Bounds over all beliefs: how often some belief can be misled, if a given database is true.

Above: an output t is bad for some belief and person iff the swing R of its likelihood (see
`twoworlds.definitions.semantics.swing`) has (sqrt R - 1) / (sqrt R + 1) > epsilon, that is

    R > ((1 + epsilon) / (1 - epsilon))^2,

or if t is impossible on some database, as a belief in that one alone has no posterior. No belief
fails more often than these outputs occur. Below: a belief on two databases x, y of prior odds o.
With p and q the likelihoods of t with and without person i, the two posteriors of x differ by

    o |p_x q_y - p_y q_x| / ((o p_x + p_y) (o q_x + q_y)),

so that t is a breach for o in an interval whose ends solve a quadratic equation. The odds that lie
in the most likely intervals are searched in floating point; what is returned is a belief in exact
fractions, whose failure probability is then computed exactly.

For one record with two values these beliefs are all there are. The intervals of odds are then
enclosed in fractions, and no belief fails more often than those outputs occur whose intervals have
a point in common: just above the lower end of one of them, or at certainty (o = 0 or infinity),
where only an undefined posterior is a breach.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, islice, pairwise
from typing import Any

from twoworlds.definitions.semantics.breaches import reachable
from twoworlds.definitions.semantics.games import default_value, without
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.semantics.window import View, views
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, Order, at_most_one, bounds, compare, sqrt
from twoworlds.worlds import SUBSTITUTE, Point
from twoworlds.worlds.belief import Belief, records_of, uniform

_MOST_ENTRIES = 1 << 20
_MOST_PAIRS = 512
_ODDS_DIGITS = 10**6


def over_all_beliefs(
    mechanism: Mechanism, epsilon: Number, truths: list[Point], default: object = None
) -> tuple[Number, Belief | None, Point, str]:
    """Bound the failure probability over all beliefs, for the worst of some true databases.

    Returned are what no belief exceeds, a belief that fails often (None where none was found), the
    database at which it does, and why nothing more is possible.
    """
    if _never_fails(mechanism, epsilon, default):
        return Fraction(0), None, truths[0], "no output is bad for any belief"
    if mechanism.outputs.size is None:
        raise Unsupported(
            f"{mechanism.expression} has infinitely many outputs, and over all beliefs their "
            "failure is not known: name the belief, as in explicit(10=1/2, 00=1/2)"
        )
    bad = _bad_outputs(mechanism, epsilon, truths, default)
    truth = truths[0]
    upper: Number = Fraction(0)
    for x in truths:
        mass = sum((mechanism.probability(t, x) for t in bad), start=Fraction(0))
        if larger(mass, upper):
            upper, truth = mass, x
    method = "at most the outputs that are bad for some belief; at least those of the belief shown"
    together = _bad_together(mechanism, epsilon, bad, default)
    if together is not None:
        method = "at most the outputs that one belief makes bad; at least those of the belief shown"
        upper = max(
            sum((mechanism.probability(t, x) for t in hit), start=Fraction(0))
            for x in truths
            for hit in together
        )
    found = _Search(mechanism, float(epsilon), truths, bad, default).best()
    belief, at = found if found is not None else (None, truth)
    return at_most_one(upper), belief, at, method


def _never_fails(mechanism: Mechanism, epsilon: Number, default: object) -> bool:
    """Tell whether semantic privacy holds without any failure, where that is known."""
    try:
        value = SemanticPrivacy(default=default).tightest(mechanism).epsilon
    except Unsupported:
        return False
    return compare(value, epsilon) in (Order.LESS, Order.EQUAL)


def _bad_outputs(
    mechanism: Mechanism, epsilon: Number, truths: list[Point], default: object
) -> list[Point]:
    """Return the possible outputs that are bad for some belief."""
    size = records_of(mechanism.universe).size
    if size * (mechanism.outputs.size or 1) > _MOST_ENTRIES:
        raise TooLarge(
            f"{mechanism.expression} is too large to look at every output and database: "
            "name a belief"
        )
    everything = views(mechanism, uniform(mechanism.universe), default)
    limit = INFINITY if epsilon == 1 else ((1 + epsilon) / (1 - epsilon)) ** 2
    possible = dict.fromkeys(t for x in truths for t in reachable(mechanism, x))
    return [t for t in possible if any(_is_bad(view, t, limit) for view in everything)]


def _is_bad(view: View, output: Point, limit: Number) -> bool:
    if limit == INFINITY:
        return False
    ratios = []
    for case in view.cases:
        p, q = view.likelihood(output, case.answer), view.likelihood(output, case.removed)
        if p == 0 or q == 0:
            return True
        ratios.append(p / q)
    high = low = ratios[0]
    for ratio in ratios[1:]:
        high = ratio if larger(ratio, high) else high
        low = ratio if larger(low, ratio) else low
    return larger(high, limit * low)


def _bad_together(
    mechanism: Mechanism, epsilon: Number, bad: list[Point], default: object
) -> list[list[Point]] | None:
    """Return sets that hold all outputs that one belief can make breaches; None if not known."""
    records = records_of(mechanism.universe)
    if records.n != 1 or len(records.values) != 2 or not isinstance(epsilon, Fraction):
        return None
    x, y = records
    removed = (default_value(records, default),)
    found: list[tuple[Fraction, Fraction, Fraction | None]] = []
    for t in bad:
        p_x, p_y, q = (mechanism.probability(t, z) for z in (x, y, removed))
        if not (
            isinstance(p_x, Fraction) and isinstance(p_y, Fraction) and isinstance(q, Fraction)
        ):
            return None
        found.append(_odds(epsilon, p_x, p_y) if q else (Fraction(0), Fraction(0), None))
    ends = [
        [t for t in bad if 0 in (mechanism.probability(t, z), mechanism.probability(t, removed))]
        for z in (x, y)
    ]
    points = [(low, high) for low, high, _ in found]
    return ends + [
        [
            t
            for t, (low, _, top) in zip(bad, found, strict=True)
            if low <= below_high and (top is None or below < top)
        ]
        for below, below_high in points
    ]


def _odds(
    epsilon: Fraction, p_x: Fraction, p_y: Fraction
) -> tuple[Fraction, Fraction, Fraction | None]:
    """Enclose the odds o at which an output is a breach: below and above the lower end, the upper.

    They solve epsilon p_x o^2 + (epsilon (p_x + p_y) - |p_x - p_y|) o + epsilon p_y < 0. None
    stands for no upper end. Where the inequality has no solution the upper end is 0.
    """
    a, c = epsilon * p_x, epsilon * p_y
    b = epsilon * (p_x + p_y) - abs(p_x - p_y)
    inside = b * b - 4 * a * c
    if b >= 0 or inside <= 0:
        return Fraction(0), Fraction(0), Fraction(0)
    if a == 0:
        return c / -b, c / -b, None
    low, high = bounds(sqrt(inside))
    return 2 * c / (high - b), 2 * c / (low - b), (high - b) / (2 * a)


class _Search:
    """Looks for the belief on two databases that fails most often."""

    def __init__(
        self,
        mechanism: Mechanism,
        epsilon: float,
        truths: list[Point],
        bad: list[Point],
        default: object,
    ) -> None:
        self.mechanism, self.epsilon, self.bad = mechanism, epsilon, bad
        self.records = records_of(mechanism.universe)
        self.default = default_value(self.records, default)
        self.laws = [(x, [float(mechanism.probability(t, x)) for t in bad]) for x in truths]
        self._rows: dict[Point, list[float]] = {}

    def best(self) -> tuple[Belief, Point] | None:
        most, found = 0.0, None
        for x, y in self._pairs():
            for odds, hit in self._covers(x, y):
                for truth, law in self.laws:
                    mass = sum(law[k] for k in hit)
                    if mass > most + 1e-12:
                        most, found = mass, (self._belief(x, y, odds), truth)
        return found

    def _pairs(self) -> Iterator[tuple[Point, Point]]:
        """Yield all pairs in a small universe, else the first neighbours only."""
        size = self.records.size
        if size * (size - 1) <= 2 * _MOST_PAIRS:
            return combinations(self.records, 2)
        near = ((x, y) for x in self.records for y in self.records.around(x, SUBSTITUTE))
        return islice(near, _MOST_PAIRS)

    def _belief(self, x: Point, y: Point, odds: float) -> Belief:
        share = Fraction(odds / (1 + odds)).limit_denominator(_ODDS_DIGITS)
        return Belief(self.mechanism.universe, {x: share, y: 1 - share})

    def _covers(self, x: Point, y: Point) -> Iterator[tuple[float, list[int]]]:
        """Yield odds of x against y, one for each set of outputs that they make breaches."""
        intervals = [self._intervals(x, y, k) for k in range(len(self.bad))]
        ends = sorted({end for parts in intervals for part in parts for end in part})
        if not ends:
            return
        inside = [e for e in ends if 0 < e < math.inf]
        points = [ends[0]] if ends[0] > 0 else []
        points += [inside[0] / 2, inside[-1] * 2] if inside else [1.0]
        points += [math.sqrt(a * b) for a, b in pairwise(inside)]
        for odds in points:
            hit = [k for k, parts in enumerate(intervals) if any(a < odds < b for a, b in parts)]
            if hit and 1e-5 < odds < 1e5:
                yield odds, hit

    def _intervals(self, x: Point, y: Point, k: int) -> list[tuple[float, float]]:
        """Return the odds for which the k-th output is a breach, for some person."""
        found = []
        p_x, p_y = self._row(x)[k], self._row(y)[k]
        for i in range(self.records.n):
            q_x = self._row(without(x, i, self.default))[k]
            q_y = self._row(without(y, i, self.default))[k]
            if (p_x == 0 and p_y == 0) or (q_x == 0 and q_y == 0):
                return [(0.0, math.inf)]
            found += _below_zero(
                self.epsilon * p_x * q_x,
                self.epsilon * (p_x * q_y + p_y * q_x) - abs(p_x * q_y - p_y * q_x),
                self.epsilon * p_y * q_y,
            )
        return found

    def _row(self, database: Point) -> list[float]:
        if database not in self._rows:
            probability: Any = self.mechanism.probability
            self._rows[database] = [float(probability(t, database)) for t in self.bad]
        return self._rows[database]


def _below_zero(a: float, b: float, c: float) -> list[tuple[float, float]]:
    """Return where a o^2 + b o + c < 0, for o > 0 and a, c >= 0."""
    if b >= 0:
        return []
    if a == 0:
        return [(c / -b, math.inf)]
    inside = b * b - 4 * a * c
    if inside <= 0:
        return []
    root = math.sqrt(inside)
    return [(2 * c / (root - b), (root - b) / (2 * a))]
