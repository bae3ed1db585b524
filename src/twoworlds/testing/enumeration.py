r"""Privacy by brute force: every event, every pair of neighbours, in plain fractions.

Each function here is its definition, written down and tried on everything: no sorting by
likelihood ratio, no structure, no closed form. Laws are sequences of fractions over the same cells;
an event is any of the 2^n sets of cells. Good for a dozen cells.

This module must never import `twoworlds.mechanisms.comparison` or any definition: it is what they
are judged by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import log

from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import bounds
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, Explicit, Integers, Part, Point, Universe

__all__ = [
    "Adjacent",
    "adjacency",
    "bad_masses",
    "column",
    "information",
    "largest_difference",
    "largest_excess",
    "largest_information",
    "largest_ratio",
    "neighbours",
    "smallest_ratio",
    "worst",
]

Law = Sequence[Fraction]
Adjacent = Callable[[Point, Point], bool]


def _events(p: Law, q: Law) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield (P(E), Q(E)) for every one of the 2^n events."""
    sums = [(Fraction(0), Fraction(0))]
    for a, b in zip(p, q, strict=True):
        sums += [(x + a, y + b) for x, y in sums]
    yield from sums


def largest_excess(p: Law, q: Law, ratio: Fraction | int) -> Fraction:
    """Return max over all events of P(E) - a Q(E).

    >>> half = Fraction(1, 2)
    >>> largest_excess([half, half, 0], [half, 0, half], 1)
    Fraction(1, 2)
    """
    return max(x - ratio * y for x, y in _events(p, q))


def largest_ratio(p: Law, q: Law) -> Fraction | None:
    """Return max over all events of P(E) / Q(E); None when an event has P(E) > 0 = Q(E).

    >>> largest_ratio([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])
    Fraction(3, 1)
    """
    best = Fraction(0)
    for x, y in _events(p, q):
        if y == 0 and x > 0:
            return None
        if y > 0:
            best = max(best, x / y)
    return best


def smallest_ratio(p: Law, q: Law, delta: Fraction | int) -> Fraction | None:
    """Return the smallest a >= 1 with P(E) <= a Q(E) + delta for all events; None if there is none.

    >>> smallest_ratio([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)], 0)
    Fraction(3, 1)
    """
    best = Fraction(1)
    for x, y in _events(p, q):
        if x > delta and y == 0:
            return None
        if x > delta:
            best = max(best, (x - delta) / y)
    return best


def largest_difference(p: Law, q: Law) -> Fraction:
    """Return max over all events of |P(E) - Q(E)|.

    >>> largest_difference([Fraction(1), Fraction(0)], [Fraction(1, 3), Fraction(2, 3)])
    Fraction(2, 3)
    """
    return max(abs(x - y) for x, y in _events(p, q))


def bad_masses(p: Law, q: Law, ratio: Fraction | int) -> tuple[Fraction, Fraction]:
    """Return the mass, under each law, of the cells where one law exceeds a times the other."""
    bad = [i for i, (x, y) in enumerate(zip(p, q, strict=True)) if x > ratio * y or y > ratio * x]
    return sum((p[i] for i in bad), Fraction(0)), sum((q[i] for i in bad), Fraction(0))


def column(mechanism: Mechanism, database: Point) -> list[Fraction]:
    """Return the law of a finite mechanism on a database, entry by entry.

    An irrational entry is replaced by a fraction within about 2^-120 of it.
    """
    return [bounds(mechanism.probability(o, database))[0] for o in mechanism.outputs]


def adjacency(universe: Universe, relation: str) -> Adjacent:
    """Return when two points are neighbours, read off the points themselves."""
    if isinstance(universe, Part) and universe.pairs is None:
        return adjacency(universe.whole, relation)
    listed = universe.pairs if isinstance(universe, (Explicit, Part)) else None
    if listed is not None and relation not in (SUBSTITUTE, ADD_REMOVE):
        return lambda x, y: (x, y) in listed or (y, x) in listed
    if isinstance(universe, Integers):
        return lambda x, y: 0 < abs(x - y) <= universe.step
    return _replaced if relation == SUBSTITUTE else _removed


def _replaced(x: Point, y: Point) -> bool:
    """Tell whether two lists differ in exactly one place."""
    return len(x) == len(y) and [a == b for a, b in zip(x, y, strict=True)].count(False) == 1


def _removed(x: Point, y: Point) -> bool:
    """Tell whether one list is the other with one entry taken out."""
    long, short = (x, y) if len(x) > len(y) else (y, x)
    return any((*long[:i], *long[i + 1 :]) == tuple(short) for i in range(len(long)))


def neighbours(
    points: Iterable[Point], adjacent: Adjacent, group: int = 1
) -> list[tuple[Point, Point]]:
    """Return all ordered pairs of different points that 1 to ``group`` steps connect.

    >>> neighbours([0, 1, 2], lambda x, y: abs(x - y) == 1)
    [(0, 1), (1, 0), (1, 2), (2, 1)]
    """
    listed = list(points)
    near = {(x, y) for x, y in product(listed, repeat=2) if x != y and adjacent(x, y)}
    reached = set(near)
    for _ in range(group - 1):
        reached |= {(x, z) for x, y in reached for v, z in near if v == y and x != z}
    return [pair for pair in product(listed, repeat=2) if pair in reached]


def worst(
    mechanism: Mechanism,
    pairs: Iterable[tuple[Point, Point]],
    measure: Callable[[Law, Law], Fraction | None],
) -> Fraction | None:
    """Return the largest measure over all pairs of databases; None stands for infinity."""
    largest = Fraction(0)
    for x, y in pairs:
        found = measure(column(mechanism, x), column(mechanism, y))
        if found is None:
            return None
        largest = max(largest, found)
    return largest


def information(belief: Sequence[float | Fraction], columns: Sequence[Law]) -> float:
    """Return the mutual information in nats of a channel and a belief about its input, in floats.

    I = sum_v b(v) sum_o W(o | v) ln(W(o | v) / sum_u b(u) W(o | u))
    """
    total = 0.0
    for o in range(len(columns[0])):
        mixture = sum(float(b) * float(c[o]) for b, c in zip(belief, columns, strict=True))
        for b, c in zip(belief, columns, strict=True):
            if b > 0 and c[o] > 0:
                total += float(b) * float(c[o]) * log(float(c[o]) / mixture)
    return total


def largest_information(columns: Sequence[Law], steps: int = 40) -> float:
    """Return the largest information over a grid of beliefs about two or three inputs."""
    grid = product(range(steps + 1), repeat=len(columns) - 1)
    beliefs = ((*chosen, steps - sum(chosen)) for chosen in grid if sum(chosen) <= steps)
    return max(information([b / steps for b in belief], columns) for belief in beliefs)
