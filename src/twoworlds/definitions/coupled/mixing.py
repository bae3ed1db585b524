r"""Conclusions under all mixtures of some beliefs: proven ends, exact where they meet.

Of Definitions 2 and 4 of Bassily, Groce, Katz & Smith the conclusions under a mixture are no
mixture of the conclusions: with weights w of the beliefs, and R_j, I_j the joint laws of (v, t, z)
under belief j in the real and the ideal world,

    real posterior   sum_j w_j R_j(v, t, z) / sum_j w_j R_j(t, z),
    ideal posterior  sum_j w_j I_j(v, t, z) / sum_j w_j I_j(t, z),

so that both move, at different speeds, and the worst mixture may lie inside. (If belief j is sure
of the value j, the posteriors are w_j R_j(t) and w_j I_j(t) up to scale: each belief satisfies the
definition with (0, 0), whatever the release, and their mixtures need not.)

**Two beliefs are enough for one output.** For an event S of values, f(w) = (real posterior of S) -
a (ideal posterior of S) is A.w / B.w - a C.w / D.w. Scaled to B.w = 1, and with D.w fixed, it is
linear on a polytope whose corners have at most two positive weights. So the largest f over all
mixtures is one over the mixtures of two. There, with w = (1 - x, x), f' has the sign of
n L(x)^2 - a k M(x)^2, where M = B.w and L = D.w are linear and n, k constants (those of the
numerators of the two derivatives). It changes at most once, so f is largest at an end unless it
first rises and then falls; then f is at most the difference of the bounds of its two parts.

**The ends.** The delta of any one mixture is a lower end. Let level(t, z) be the largest distance
that mixtures of some beliefs give an output. Then under every mixture w of them
P_w(d_w > c) <= sum_j w_j P_j(level > c), so that no mixture has more than the largest, over the
beliefs, of min_c max(c, P_j(level > c)). A simplex of mixtures is the set of mixtures of its
corners: it is halved, where its upper end is largest, until both ends are near.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import combinations

from twoworlds.definitions.coupled.posteriors import least_delta
from twoworlds.definitions.coupled.scene import Scene, Simulator
from twoworlds.errors import Unsupported
from twoworlds.numbers import Number, rational

ZERO, ONE = Fraction(0), Fraction(1)
FAR = Fraction(2)
"""How far apart conclusions lie where the simulator never shows the output: further than any."""
_MOST_VALUES, _MOST_HALVED = 6, 400
_NEAR = Fraction(1, 1000)
Weights = tuple[Fraction, ...]
Row = dict[Hashable, Fraction]
Tables = dict[tuple[Hashable, Hashable], dict[int, tuple[Row, Row]]]
"""P(v, t, z) in the real and the ideal world by v, for each (t, z) and each pair by number."""


NONE: tuple[Row, Row] = ({}, {})


def tables(scene: Scene, simulator: Simulator) -> list[Tables]:
    """Return the two worlds under every belief of a scene."""
    laws = simulator.on(scene)
    numbers = {id(scrub): number for number, scrub in enumerate(scene.scrubs)}
    found: list[Tables] = [{} for _ in scene.beliefs]
    for cell in scene.cells:
        if len(cell.mass) > _MOST_VALUES:
            raise Unsupported(
                f"all mixtures of beliefs are compared for private parts of at most {_MOST_VALUES} "
                f"values, {cell.scrub.name} has {len(cell.mass)}: list the mixtures that you mean"
            )
        worlds = (cell.real, cell.simulated(laws.__getitem__))
        for k, world in enumerate(worlds):
            for v, law in world.items():
                for t, p in law.items():
                    here = found[cell.belief].setdefault((t, cell.side), {})
                    rows = here.setdefault(numbers[id(cell.scrub)], ({}, {}))
                    rows[k][v] = _fraction(cell.weight * p)
    return found


def _fraction(p: Number) -> Fraction:
    if isinstance(p, Fraction):
        return p
    raise Unsupported("all mixtures are compared for rational probabilities: give fractions")


def worst_mixture(
    beliefs: Sequence[Tables], low: Fraction, high: Fraction
) -> tuple[Fraction, Fraction, Weights]:
    """Return ends of the largest delta of all mixtures, and one that has the lower end.

    The lower end is stated at the ratio ``high``, the upper one at ``low``.
    """
    number_of = len(beliefs)
    corners = [tuple(Fraction(i == j) for j in range(number_of)) for i in range(number_of)]
    even = (Fraction(1, number_of),) * number_of
    mixed = {even: _mixed(beliefs, even), **dict(zip(corners, beliefs, strict=True))}
    delta = {w: _upper([mixed[w]], high) for w in mixed}
    best = max(delta, key=lambda w: delta[w])
    waiting = [(-_upper([mixed[w] for w in corners], low), 0, tuple(corners))]
    for number in range(1, _MOST_HALVED):
        top, _, simplex = waiting[0]
        if -top <= delta[best] or -top - delta[best] < _NEAR * delta[best]:
            break
        heappop(waiting)
        u, v = max(combinations(simplex, 2), key=lambda pair: _length(*pair))
        middle = tuple((a + b) / 2 for a, b in zip(u, v, strict=True))
        if middle not in mixed:
            mixed[middle] = _mixed(beliefs, middle)
            delta[middle] = _upper([mixed[middle]], high)
            best = max(best, middle, key=lambda w: delta[w])
        for gone in (u, v):
            new = tuple(middle if w == gone else w for w in simplex)
            above = -_upper([mixed[w] for w in new], low)
            heappush(waiting, (above, 2 * number + (gone is u), new))
    return delta[best], max(delta[best], -waiting[0][0]), best


def _length(u: Weights, v: Weights) -> Fraction:
    return sum((abs(a - b) for a, b in zip(u, v, strict=True)), start=ZERO)


def _mixed(beliefs: Sequence[Tables], weights: Weights) -> Tables:
    found: Tables = {}
    for part, weight in zip(beliefs, weights, strict=True):
        for key, by_pair in part.items() if weight else ():
            for number, rows in by_pair.items():
                sums = found.setdefault(key, {}).setdefault(number, ({}, {}))
                for total, row in zip(sums, rows, strict=True):
                    for v, p in row.items():
                        total[v] = total.get(v, ZERO) + weight * p
    return found


def _mass(row: Row) -> Fraction:
    return sum(row.values(), start=ZERO)


def _chance(by_pair: Mapping[int, tuple[Row, Row]]) -> Fraction:
    """Return P(t, z) in the real world, which is the same for every pair."""
    return _mass(next(iter(by_pair.values()))[0])


def _upper(corners: Sequence[Tables], ratio: Fraction) -> Fraction:
    """Return what no mixture of these beliefs exceeds; of one belief, its delta."""
    level: dict[tuple[Hashable, Hashable], Fraction] = {}
    for first, second in [*combinations(corners, 2)] or [(corners[0], corners[0])]:
        for key in {*first, *second}:
            one, other = first.get(key, {}), second.get(key, {})
            found = (_apart(one.get(k, NONE), other.get(k, NONE), ratio) for k in {**one, **other})
            level[key] = max(level.get(key, ZERO), *found)
    cases = ([(_chance(rows), level[key]) for key, rows in one.items()] for one in corners)
    return max(rational(least_delta(case)) for case in cases)


def _apart(first: tuple[Row, Row], second: tuple[Row, Row], ratio: Fraction) -> Fraction:
    """Return how far apart conclusions from one output lie at most, under mixtures of two."""
    for real, ideal in (first, second):
        if _mass(real) and not _mass(ideal):
            return FAR
    if not _mass(first[0]) and not _mass(second[0]):
        return ZERO
    values = [*dict.fromkeys(v for rows in (first, second) for row in rows for v in row)]
    worst = ZERO
    for event in _events(values):
        shown = _parts(first[0], second[0], event)
        guess = _parts(first[1], second[1], event)
        worst = max(worst, _excess(shown, guess, ratio), _excess(guess, shown, ratio))
    return worst


def _events(values: Sequence[Hashable]) -> Iterator[tuple[Hashable, ...]]:
    for size in range(1, len(values)):
        yield from combinations(values, size)


Parts = tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
"""The mass of an event and of everything, under two beliefs."""


def _parts(first: Row, second: Row, event: Sequence[Hashable]) -> Parts:
    inside = [sum((row.get(v, ZERO) for v in event), start=ZERO) for row in (first, second)]
    return (inside[0], _mass(first)), (inside[1], _mass(second))


def _excess(one: Parts, other: Parts, ratio: Fraction) -> Fraction:
    """Return a bound of f = P(S) - a Q(S), both given the output; attained unless f bends."""
    (n0, m0), (n1, m1) = one
    (k0, l0), (k1, l1) = other
    if not (m0 or m1) or not (l0 or l1):
        return ZERO
    p = n0 / m0 if m0 else n1 / m1, n1 / m1 if m1 else n0 / m0
    q = k0 / l0 if l0 else k1 / l1, k1 / l1 if l1 else k0 / l0
    rise, fall = n1 * m0 - n0 * m1, ratio * (k1 * l0 - k0 * l1)
    if rise * l0 * l0 > fall * m0 * m0 and rise * l1 * l1 < fall * m1 * m1:
        return max(p) - ratio * min(q)
    return max(p[0] - ratio * q[0], p[1] - ratio * q[1])
