r"""Cones of bounded ratios: x_u <= ratio * x_v along the edges of a graph, both ways round.

The row cone of differential privacy is one: its graph joins neighbouring databases. Let the graph
be connected and ratio > 1.

**Facets.** Every edge gives two of them, and nothing else does. Without the constraint from u to v
the others only bound x_u / x_v by ratio^d, with d >= 2 the length of another way, and the row
ratio^-(length of the shortest way from u) attains that. From x_u <= ratio x_v <= ratio^2 x_u it
follows that no entry is negative.

**Extreme rays.** A constraint that is tight fixes the ratio of two entries, so the tight ones have
rank n - 1 exactly when their edges connect all vertices. Hence the extreme rays are the rows
ratio^h with whole *heights* h that differ by at most 1 along every edge, those edges with a
difference connecting all vertices. If the graph is bipartite, as bits and counts are, there is a
difference along *every* edge: a way along edges with a difference, closed by an edge without one,
would be an odd circle. So rays are the maps to the line that step by 1, up to a constant. A place
on the line modulo 3 says which step was taken, so that h modulo 3 determines the ray: there are a
third as many as proper colourings of the graph with three colours.

With h = 0 on one side of a bipartite graph each vertex of the other side has +1 or -1: there are at
least 2^(vertices of the larger side) rays.

**What follows.** Let the ratios differ from edge to edge, and be at least 1: x_u <= w(u, v) x_v.
Then x_u <= c x_v holds on the whole cone if and only if c >= d(u, v), the least product of ratios
along a way from u to v: along that way the constraints add up to it, and x_k = d(k, v) attains it.
So if vertices are forgotten, x_u <= d(u, v) x_v is left between the others: a row that keeps these
bounds extends by x_k = min over v of d(k, v) x_v. Such a bound is a facet if and only if d(u, v) is
below d(u, k) d(k, v) for every other vertex k that is left.

**Symmetry.** A database of n records with k values each is a place in an array of n axes of length
k. Exchanging two records permutes the axes, and exchanging two values of a record permutes the
places along one axis. Where such a permutation changes nothing that was asked, a question about all
databases is a question about its *orbits*, the classes that it cannot tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from heapq import heappop, heappush
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twoworlds.cones.kernel.vectors import Combination, Vector, divided, primitive, unit

MOST_HEIGHTS = 1_000_000


@dataclass(frozen=True)
class RatioGraph:
    """A connected graph, and the ratio that bounds neighbouring entries.

    >>> line = RatioGraph.of([(2, -1, 0), (-1, 2, 0), (0, 2, -1), (0, -1, 2)], 3)
    >>> line.rays()
    ((4, 2, 1), (2, 1, 2), (1, 2, 4), (1, 2, 1))
    """

    ratio: Fraction
    neighbours: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(inequalities: Iterable[Vector], dimension: int) -> RatioGraph | None:
        """Read the graph off the inequalities of a cone, if they are of this form."""
        found: list[set[int]] = [set() for _ in range(dimension)]
        ratio = None
        for a in inequalities:
            if min(a) >= 0:
                continue  # holds for rows without negative entries
            u, v, own = read_bound(a) or (0, 0, Fraction(0))
            ratio = own if ratio is None else ratio
            if own <= 1 or own != ratio:
                return None
            found[u].add(v)
        if ratio is None or any(u not in found[v] for u in range(dimension) for v in found[u]):
            return None
        graph = RatioGraph(ratio, tuple(tuple(sorted(others)) for others in found))
        return graph if len(graph._order) == dimension else None

    @cached_property
    def _order(self) -> list[int]:
        """The vertices breadth first: each one but the first has a neighbour before it."""
        order, seen = [0], {0}
        for u in order:
            for v in self.neighbours[u]:
                if v not in seen:
                    seen.add(v)
                    order.append(v)
        return order

    @cached_property
    def _sides(self) -> list[int] | None:
        """0 or 1 for each vertex, different along every edge; None if the graph has odd circles."""
        side = {0: 0}
        for u in self._order:
            for v in self.neighbours[u]:
                if side.setdefault(v, 1 - side[u]) == side[u]:
                    return None
        return [side[u] for u in range(len(self.neighbours))]

    @property
    def side(self) -> int | None:
        """The vertices of the larger side: there are 2^side rays or more; None with odd circles."""
        if self._sides is None:
            return None
        ones = sum(self._sides)
        return max(ones, len(self._sides) - ones)

    @cached_property
    def heights(self) -> NDArray[np.int8] | None:
        """One row of heights per ray, 0 at the first vertex; None if too many or not of this form.

        A vertex whose neighbours before it lie at heights from l to r may lie at r - 1 or l + 1:
        two places if all are at one height, one if they differ by 2.
        """
        if self.side is None or 2**self.side > MOST_HEIGHTS:
            return None
        found = np.zeros((1, len(self.neighbours)), np.int8)
        for place, v in enumerate(self._order[1:], start=1):
            before = [u for u in self.neighbours[v] if u in set(self._order[:place])]
            low = found[:, before].max(axis=1) - 1
            high = found[:, before].min(axis=1) + 1
            one, two = low <= high, low < high
            if one.sum() + two.sum() > MOST_HEIGHTS:
                return None
            found[:, v] = low
            other = found[two]
            other[:, v] = high[two]
            found = np.concatenate([found[one], other])
        return found

    def facets(self) -> tuple[Vector, ...]:
        """Return two inequalities per edge, sorted in descending order."""
        found = []
        for u, others in enumerate(self.neighbours):
            for v in others:
                facet = [0] * len(self.neighbours)
                facet[v], facet[u] = self.ratio.numerator, -self.ratio.denominator
                found.append(tuple(facet))
        return tuple(sorted(found, reverse=True))

    def projected(self, kept: Sequence[int]) -> list[Vector]:
        """Return the facets that are left where all but some vertices are forgotten.

        >>> RatioGraph(Fraction(3), ((1,), (0, 2), (1,))).projected([0, 2])
        [(-1, 0, 9), (9, 0, -1)]
        """
        size, left = len(self.neighbours), {*kept}
        found = [] if len(left) > 1 else [unit(u, size) for u in kept]
        for u in kept:
            # The vertices one step further in each round, and whether another one lies between.
            front, seen, bound = {u: False}, {u}, Fraction(1)
            while not all(front.values()):
                further: dict[int, bool] = {}
                for w, beyond in front.items():
                    for v in self.neighbours[w]:
                        if v not in seen:
                            further[v] = further.get(v, False) or beyond
                bound, seen = bound * self.ratio, seen.union(further)
                new = [v for v, beyond in further.items() if v in left and not beyond]
                found += [bounded(size, u, v, bound) for v in new]
                front = {v: beyond or v in left for v, beyond in further.items()}
        return found

    def rays(self, heights: NDArray[Any] | None = None) -> tuple[Vector, ...]:
        """Return the rows ratio^h in whole numbers, sorted in descending order."""
        listed = self.heights if heights is None else heights
        assert listed is not None
        p, q = self.ratio.numerator, self.ratio.denominator
        found = []
        for row in (listed - listed.min(axis=1, keepdims=True)).tolist():
            top = max(row)
            found.append(divided([p**h * q ** (top - h) for h in row]))
        return tuple(sorted(found, reverse=True))

    def kinds(self, symmetries: Sequence[Places]) -> list[tuple[Vector, int]]:
        """Return one ray of each orbit under symmetries of the graph, and how many are in it."""
        assert self.heights is not None
        keys = _keys(self.heights)
        order = np.argsort(keys)
        heights, keys = np.asfortranarray(self.heights[order]), keys[order]
        generators = [np.searchsorted(keys, _keys(heights[:, move])) for move in symmetries]
        chosen, counts = np.unique(orbits(len(heights), generators), return_counts=True)
        listed = [self.rays(heights[[i]])[0] for i in chosen]
        return sorted(zip(listed, counts.tolist(), strict=True), key=lambda kind: kind[::-1])

    def keeps(self, move: Places) -> bool:
        """Say whether a permutation of the vertices maps edges to edges."""
        where = move.tolist()
        return all(
            where[v] in self.neighbours[where[u]]
            for u in range(len(where))
            for v in self.neighbours[u]
        )


def _keys(heights: NDArray[np.int8]) -> NDArray[np.int64]:
    """Number the rays by their heights modulo 3, from the first vertex on.

    A graph of so few rays has at most 2 * 19 vertices, and 3^38 is below 2^63.
    """
    keys = np.zeros(len(heights), np.int64)
    for column in heights.T:
        keys = 3 * keys + (column - heights[:, 0]) % 3
    return keys


class Ways:
    """Constraints x_u <= w x_v with w >= 1, with every x_u >= 0, and what follows from them.

    >>> line = [(-1, 2, 0), (2, -1, 0), (0, -1, 2), (0, 2, -1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> ways = Ways.of(line, 3)
    >>> ways.decide((-1, 0, 4))
    ((((-1, 2, 0), Fraction(1, 1)), ((0, -1, 2), Fraction(2, 1))), None)
    >>> ways.decide((-1, 0, 3))
    ((), (4, 2, 1))
    """

    def __init__(self, into: Sequence[dict[int, Fraction]]) -> None:
        """Take for each v the ratios w by u."""
        self.into = into
        self._lengths = cache(self._shortest)

    @staticmethod
    def of(inequalities: Iterable[Vector], dimension: int) -> Ways | None:
        """Read the ratios off inequalities that are all of this form."""
        into: list[dict[int, Fraction]] = [{} for _ in range(dimension)]
        signed = set(range(dimension))
        for a in inequalities:
            u, v, ratio = read_bound(a) or (0, 0, Fraction(0))
            if not ratio or (u != v and ratio < 1):
                return None
            if u == v:
                signed.discard(u)
            else:
                into[v][u] = min(ratio, into[v].get(u, ratio))
        return None if signed else Ways(into)

    def decide(self, target: Vector) -> tuple[Combination, Vector | None] | None:
        """Return constraints that sum to the target, or a row that breaks it; None if neither."""
        if (pair := read_bound(target)) is None:
            return None
        u, v, ratio = pair
        size = len(self.into)
        lengths, after = self._lengths(v, ratio)
        if u not in lengths:
            lengths, _ = self._lengths(v, None)
            # What has no way to v is not bounded by x_v, nor is what bounds it.
            far = max(lengths.values()) if u in lengths else 1
            near = lengths if u in lengths else dict.fromkeys(lengths, 0)
            return (), primitive([near.get(k, far) for k in range(size)])
        found, weight = [], Fraction(abs(target[u]))
        while u != v:
            step, ratio = after[u], self.into[after[u]][u]
            edge = bounded(size, u, step, ratio)
            found.append((edge, weight / ratio.denominator))
            u, weight = step, weight * ratio
        if rest := target[v] - (weight if found else 0):
            found.append((unit(v, size), Fraction(rest)))
        return tuple(found), None

    def _shortest(
        self, v: int, most: Fraction | None
    ) -> tuple[dict[int, Fraction], dict[int, int]]:
        """Return d(u, v) where it is at most ``most``, and the vertex after u on the way."""
        lengths: dict[int, Fraction] = {}
        after = {v: v}
        waiting = [(Fraction(1), v, v)]
        while waiting:
            length, u, step = heappop(waiting)
            if u in lengths:
                continue
            lengths[u], after[u] = length, step
            for t, ratio in self.into[u].items():
                if t not in lengths and (most is None or length * ratio <= most):
                    heappush(waiting, (length * ratio, t, u))
        return lengths, after


def bounded(size: int, u: int, v: int, ratio: Fraction) -> Vector:
    """Write x_u <= ratio x_v.

    >>> bounded(3, 0, 2, Fraction(5, 2))
    (-2, 0, 5)
    """
    row = [0] * size
    row[u], row[v] = -ratio.denominator, ratio.numerator
    return tuple(row)


def read_bound(a: Vector) -> tuple[int, int, Fraction] | None:
    """Read a bound x_u <= ratio x_v, or x_v >= 0, where u is v."""
    low, high = min(a), max(a)
    if high <= 0 or len(a) - a.count(0) != 1 + (low < 0):
        return None
    v = a.index(high)
    return (a.index(low), v, Fraction(high, -low)) if low < 0 else (v, v, Fraction(1))


# --- symmetries of databases that are lists of records --------------------------------------------

Places = NDArray[np.int64]  # where each database goes


def generators(values: int, records: int) -> Iterator[Places]:
    """Yield exchanges of neighbours, among values of record 1 and among records: they give all.

    >>> [move.tolist() for move in generators(2, 2)]
    [[2, 3, 0, 1], [0, 2, 1, 3]]
    """
    places = np.arange(values**records).reshape((values,) * records)
    for s in range(values - 1):
        yield np.take(places, _exchanged(values, s, s + 1), axis=0).ravel()
    for i in range(records - 1):
        yield np.swapaxes(places, i, i + 1).ravel()


def moves(values: int, records: int) -> Iterator[Places]:
    """Yield exchanges of values in one or two records, and of records, alone or with values.

    >>> [move.tolist() for move in moves(2, 1)]
    [[1, 0]]
    >>> sum(1 for _ in moves(2, 3))
    12
    """
    places = np.arange(values**records).reshape((values,) * records)
    orders = [_exchanged(values, s, t) for s, t in combinations(range(values), 2)]
    for i in range(records):
        yield from (np.take(places, order, axis=i).ravel() for order in orders)
    for i, j in combinations(range(records), 2):
        swapped = np.swapaxes(places, i, j)
        yield swapped.ravel()
        for order in orders:
            for grid in (places, swapped):
                yield np.take(np.take(grid, order, axis=i), order, axis=j).ravel()


def _exchanged(values: int, s: int, t: int) -> list[int]:
    return [t if v == s else s if v == t else v for v in range(values)]


def keeping(labels: NDArray[Any], candidates: Iterable[Places]) -> list[Places]:
    """Return the moves that leave the label of every place as it is."""
    return [move for move in candidates if np.array_equal(labels[move], labels)]


def orbits(size: int, generators: Sequence[Places]) -> Places:
    """Return for each place the first one of its orbit.

    >>> orbits(4, [np.array([0, 2, 1, 3])]).tolist()
    [0, 1, 1, 3]
    """
    first = np.arange(size)
    while True:
        before = first.copy()
        for move in generators:
            np.minimum(first, first[move], out=first)
        first = first[first]
        if np.array_equal(first, before):
            return first
