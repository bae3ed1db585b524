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

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import combinations
from math import lcm

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
Key = tuple[Hashable, Hashable]
Tables = dict[Key, dict[int, tuple[Row, Row]]]
"""P(v, t, z) in the real and the ideal world by v, for each (t, z) and each pair by number."""


View = tuple[Row, Row, Fraction]
"""Both posteriors, empty where there is none, and how much likelier the output is in the ideal."""
Views = dict[Key, tuple[Fraction, dict[int, View]]]
"""P(t, z) in the real world, which is the same for every pair, and the view of each pair."""
NONE: View = {}, {}, ZERO


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
    rows = (
        row for one in beliefs for pairs in one.values() for two in pairs.values() for row in two
    )
    scale = lcm(*{p.denominator for row in rows for p in row.values()})
    mixed = {w: _mixed(beliefs, scale, w) for w in (even, *corners)}
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
            mixed[middle] = _mixed(beliefs, scale, middle)
            delta[middle] = _upper([mixed[middle]], high)
            best = max(best, middle, key=lambda w: delta[w])
        for gone in (u, v):
            new = tuple(middle if w == gone else w for w in simplex)
            above = -_upper([mixed[w] for w in new], low)
            heappush(waiting, (above, 2 * number + (gone is u), new))
    return delta[best], max(delta[best], -waiting[0][0]), best


def _length(u: Weights, v: Weights) -> Fraction:
    return sum((abs(a - b) for a, b in zip(u, v, strict=True)), start=ZERO)


def _mixed(beliefs: Sequence[Tables], scale: int, weights: Weights) -> Views:
    """Return what is concluded under a mixture; masses are over a common ``scale``."""
    parts = lcm(*(weight.denominator for weight in weights))
    sums: dict[Key, dict[int, tuple[dict[Hashable, int], dict[Hashable, int]]]] = {}
    for one, weight in zip(beliefs, weights, strict=True):
        share = int(weight * parts)
        for key, by_pair in one.items() if share else ():
            for number, rows in by_pair.items():
                here = sums.setdefault(key, {}).setdefault(number, ({}, {}))
                for total, row in zip(here, rows, strict=True):
                    for v, p in row.items():
                        mass = share * (p.numerator * (scale // p.denominator))
                        total[v] = total.get(v, 0) + mass
    found: Views = {}
    for key, by_number in sums.items():
        real, _ = next(iter(by_number.values()))
        views = {number: _view(*rows) for number, rows in by_number.items()}
        found[key] = Fraction(sum(real.values()), scale * parts), views
    return found


def _view(real: dict[Hashable, int], ideal: dict[Hashable, int]) -> View:
    shown, guessed = sum(real.values()), sum(ideal.values())
    first = {v: Fraction(p, shown) for v, p in real.items()} if shown else {}
    second = {v: Fraction(p, guessed) for v, p in ideal.items()} if guessed else {}
    return first, second, Fraction(guessed, shown) if shown else ZERO


def _upper(corners: Sequence[Views], ratio: Fraction) -> Fraction:
    """Return what no mixture of these beliefs exceeds; of one belief, its delta."""
    level: dict[Key, Fraction] = {}
    for first, second in [*combinations(corners, 2)] or [(corners[0], corners[0])]:
        for key in {*first, *second}:
            one, other = (views.get(key, (ZERO, {}))[1] for views in (first, second))
            found = (_apart(one.get(k, NONE), other.get(k, NONE), ratio) for k in {**one, **other})
            level[key] = max(level.get(key, ZERO), *found)
    cases = ([(chance, level[key]) for key, (chance, _) in one.items()] for one in corners)
    return max(rational(least_delta(case)) for case in cases)


def _apart(first: View, second: View, ratio: Fraction) -> Fraction:
    """Return how far apart conclusions from one output lie at most, under mixtures of two."""
    if any(real and not ideal for real, ideal, _ in (first, second)):
        return FAR
    if not first[0] and not second[0]:
        return ZERO
    values = [*dict.fromkeys(v for one in (first, second) for row in one[:2] for v in row)]
    odds = first[2], second[2]
    worst = ZERO
    for event in _events(values):
        shown, guess = _ends(first[0], second[0], event), _ends(first[1], second[1], event)
        worst = max(worst, _excess(shown, guess, odds, ratio))
        worst = max(worst, _excess(guess, shown, odds[::-1], ratio))
    return worst


def _events(values: Sequence[Hashable]) -> Iterator[tuple[Hashable, ...]]:
    for size in range(1, len(values)):
        yield from combinations(values, size)


Pair = tuple[Fraction, Fraction]


def _ends(first: Row, second: Row, event: Sequence[Hashable]) -> Pair:
    """Return the posterior of an event under two beliefs; one that rules the output out follows."""
    p, q = (sum((row.get(v, ZERO) for v in event), start=ZERO) for row in (first, second))
    return p if first else q, q if second else p


def _excess(p: Pair, q: Pair, odds: Pair, ratio: Fraction) -> Fraction:
    """Return a bound of f = P(S) - a Q(S), both given the output; attained unless f bends.

    ``odds`` are how much likelier the output is in the world of Q than in that of P, under the two
    beliefs; up to a factor, where both are turned round.
    """
    rise, fall = p[1] - p[0], ratio * (q[1] - q[0])
    if rise * odds[0] > fall * odds[1] and rise * odds[1] < fall * odds[0]:
        return max(p) - ratio * min(q)
    return max(p[0] - ratio * q[0], p[1] - ratio * q[1])
