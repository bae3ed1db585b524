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
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twoworlds.cones.kernel.symmetry import Places, orbits
from twoworlds.cones.kernel.vectors import Vector, divided

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
            q, p = min(a), max(a)
            if q >= 0:
                continue  # holds for rows without negative entries
            if p <= 0 or a.count(0) != dimension - 2:
                return None
            u, v = a.index(q), a.index(p)
            ratio = Fraction(p, -q) if ratio is None else ratio
            if ratio <= 1 or p != -q * ratio:
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
