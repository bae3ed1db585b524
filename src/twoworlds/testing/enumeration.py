r"""Privacy by brute force: every event, every pair of neighbours, in plain fractions.

Each function here is its definition, written down and tried on everything: no sorting by
likelihood ratio, no structure, no closed form. Laws are sequences of fractions over the same cells;
an event is any of the 2^n sets of cells. Good for a dozen cells.

This module must never import `twoworlds.laws.comparison` or any definition: it is what they
are judged by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import lcm, log

from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import bounds
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, Explicit, Integers, Part, Point, Universe

Law = Sequence[Fraction]
Adjacent = Callable[[Point, Point], bool]


def _events(p: Law, q: Law) -> tuple[int, list[tuple[int, int]]]:
    """Return a common denominator n, and (n P(E), n Q(E)) for every one of the 2^cells events."""
    n = lcm(*(Fraction(mass).denominator for mass in (*p, *q)))
    sums = [(0, 0)]
    for a, b in zip(p, q, strict=True):
        more_p, more_q = int(a * n), int(b * n)
        sums += [(x + more_p, y + more_q) for x, y in sums]
    return n, sums


def largest_excess(p: Law, q: Law, ratio: Fraction | int) -> Fraction:
    """Return max over all events of P(E) - a Q(E).

    >>> half = Fraction(1, 2)
    >>> largest_excess([half, half, 0], [half, 0, half], 1)
    Fraction(1, 2)
    """
    n, events = _events(p, q)
    top, bottom = Fraction(ratio).as_integer_ratio()
    return Fraction(max(bottom * x - top * y for x, y in events), bottom * n)


def largest_ratio(p: Law, q: Law) -> Fraction | None:
    """Return max over all events of P(E) / Q(E); None when an event has P(E) > 0 = Q(E).

    >>> largest_ratio([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])
    Fraction(3, 1)
    """
    _, events = _events(p, q)
    if any(y == 0 and x > 0 for x, y in events):
        return None
    return max(Fraction(x, y) for x, y in events if y > 0)


def smallest_ratio(p: Law, q: Law, delta: Fraction | int) -> Fraction | None:
    """Return the smallest a >= 1 with P(E) <= a Q(E) + delta for all events, or None."""
    n, events = _events(p, q)
    over = [(x - delta * n, y) for x, y in events if x > delta * n]
    if any(y == 0 for _, y in over):
        return None
    return max([Fraction(1), *(x / Fraction(y) for x, y in over)])


def largest_difference(p: Law, q: Law) -> Fraction:
    """Return max over all events of |P(E) - Q(E)|.

    >>> largest_difference([Fraction(1), Fraction(0)], [Fraction(1, 3), Fraction(2, 3)])
    Fraction(2, 3)
    """
    n, events = _events(p, q)
    return Fraction(max(abs(x - y) for x, y in events), n)


def bad_masses(p: Law, q: Law, ratio: Fraction | int) -> tuple[Fraction, Fraction]:
    """Return the mass, under each law, of the cells where one law exceeds a times the other."""
    bad = [i for i, (x, y) in enumerate(zip(p, q, strict=True)) if x > ratio * y or y > ratio * x]
    return sum((p[i] for i in bad), Fraction(0)), sum((q[i] for i in bad), Fraction(0))


def column(mechanism: Mechanism, database: Point) -> list[Fraction]:
    """Return the law of a finite mechanism on a database, entry by entry.

    An irrational entry is replaced by a fraction within about 2^-120 of it.
    """
    return [bounds(mechanism.probability(o, database), 256)[0] for o in mechanism.outputs]


def adjacency(universe: Universe, relation: str) -> Adjacent:
    """Return when two points are neighbours, read off the points themselves."""
    if isinstance(universe, Part) and universe.pairs is None:
        return adjacency(universe.whole, relation)
    listed = universe.pairs if isinstance(universe, (Explicit, Part)) else None
    if listed is not None and relation not in (SUBSTITUTE, ADD_REMOVE):
        return lambda x, y: (x, y) in listed or (y, x) in listed
    if isinstance(universe, Integers):
        return lambda x, y: 0 < abs(x - y) <= universe.step
    differs, records = _replaced if relation == SUBSTITUTE else _removed, _reading(universe)
    return lambda x, y: differs(records(x), records(y))


def _reading(universe: Universe) -> Callable[[Point], Sequence[Point]]:
    """Return how a point is read as records: labels as `Explicit` says, others as they are."""
    points = universe.points if isinstance(universe, Explicit) else ()
    texts = [point for point in points if isinstance(point, str)]
    if len(texts) < max(1, len(points)):
        return lambda x: x if isinstance(x, tuple) else (x,)
    separator = next((mark for mark in ",;| " if any(mark in text for text in texts)), None)
    if separator is not None:
        return lambda x: x.split(separator) if x else ()
    digits = all(text.isdigit() for text in texts if text)
    if digits and ("" in texts or len(set(map(len, texts))) == 1):
        return tuple
    return lambda x: (x,)


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


def pairs(universe: Universe, relation: str, group: int = 1) -> list[tuple[Point, Point]]:
    """Return all ordered pairs of a finite universe that differ by up to ``group`` people.

    In a part of a universe the steps may lead through databases outside of it.
    """
    inside_a_whole = isinstance(universe, Part) and universe.pairs is None
    whole = universe.whole if isinstance(universe, Part) and inside_a_whole else universe
    found = neighbours(whole, adjacency(universe, relation), group)
    return [(x, y) for x, y in found if x in universe and y in universe]


def once(laws: Iterable[tuple[Law, Law]]) -> list[tuple[Law, Law]]:
    """Drop pairs of laws that repeat an earlier one with the cells in another order.

    >>> len(once([([1, 0], [0, 1]), ([0, 1], [1, 0]), ([1, 0], [1, 0])]))
    2
    """
    return list({tuple(sorted(zip(p, q, strict=True))): (p, q) for p, q in laws}.values())


def worst(
    mechanism: Mechanism,
    compared: Sequence[tuple[Point, Point]],
    measure: Callable[[Law, Law], Fraction | None],
) -> Fraction | None:
    """Return the largest measure over all pairs of databases; None stands for infinity."""
    laws = {x: column(mechanism, x) for pair in compared for x in pair}
    found = [measure(p, q) for p, q in once((laws[x], laws[y]) for x, y in compared)]
    finite = [value for value in found if value is not None]
    return None if len(finite) < len(found) else max(finite, default=Fraction(0))


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
