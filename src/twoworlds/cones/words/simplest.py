r"""The simplest form of a facet of a cone that satisfies equalities.

With equalities a facet has many forms: where 2 x_c = x_a + x_b, the guarantee x_a <= 2 x_c is the
same as x_b >= 0. Two forms are the same when they have the same values on all rows of the cone, up
to a positive factor. The first of these that exists is the one to say:

1. d x_E <= c x_D, with the least c + d: the odds of two databases, attained by some row;
2. x_E <= x_A + x_B, likewise attained;
3. x_D >= 0, which says nothing beyond the equalities;
4. the facet as given.

*Attained*: x_E > 0 on a row where both sides agree. Without that 2 x_D >= x_E would pass for a
bound where x_D = x_E always. The choice depends on the cone alone and not on the basis of its
equalities, so that facets that are alike are said alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations, product
from math import gcd

from twoworlds.cones.kernel.vectors import Vector, divided, dot
from twoworlds.worlds import Point

__all__ = ["simplest"]

_MOST_WORK = 1 << 23


def simplest(
    facets: Sequence[Vector], rays: Sequence[Vector], points: Sequence[Point]
) -> list[Vector]:
    """Return the simplest form of each facet of the cone of these rays.

    Args:
        facets: Functionals that are at least 0 on the rays.
        rays: Of a cone that satisfies some equality, at least 0.
        points: The databases, in the order of the entries.

    >>> simplest([(0, 1, 0), (0, -1, 2)], [(2, 0, 1), (0, 2, 1)], "abc")
    [(-1, 0, 2), (0, -1, 2)]
    """
    work = len(facets) * len(points) * len(rays)
    if work > _MOST_WORK:
        return list(facets)
    triples = work * len(points) <= _MOST_WORK
    return [_Forms(facet, rays).simplest(points, triples=triples) for facet in facets]


class _Forms:
    """All short forms of one facet."""

    def __init__(self, facet: Vector, rays: Sequence[Vector]) -> None:
        self.facet = facet
        values = [dot(facet, ray) for ray in rays]
        self.values = [value for value in values if value]
        self.tight = [ray for ray, value in zip(rays, values, strict=True) if not value]
        self.loose = [ray for ray, value in zip(rays, values, strict=True) if value]
        # Databases with the same entry on every ray are interchangeable.
        self.alike: dict[Vector, list[int]] = {}
        for i, column in enumerate(zip(*self.tight, *self.loose, strict=True)):
            self.alike.setdefault(column, []).append(i)

    def simplest(self, points: Sequence[Point], *, triples: bool) -> Vector:
        """Return the first form that exists."""
        found = self._pairs(points) or (self._triple() if triples else None) or self._unit()
        return self.facet if found is None else self._vector(found)

    def _vector(self, form: Mapping[int, int]) -> Vector:
        return tuple(form.get(i, 0) for i in range(len(self.facet)))

    def _is_facet(self, form: Mapping[int, int]) -> bool:
        """Tell whether a form that vanishes where the facet does is a multiple of the facet."""
        found = [sum(c * ray[i] for i, c in form.items()) for ray in self.loose]
        return found[0] > 0 and all(
            f * self.values[0] == v * found[0] for f, v in zip(found, self.values, strict=True)
        )

    def _pairs(self, points: Sequence[Point]) -> Mapping[int, int] | None:
        """Return d x_E <= c x_D with the least c + d, of databases that differ least.

        Among several of them the facet as given is preferred.
        """
        lines: dict[Vector, list[tuple[int, list[int]]]] = {}
        for column, places in self.alike.items():
            size = gcd(*column[: len(self.tight)])
            if size:
                lines.setdefault(divided(column[: len(self.tight)]), []).append((size, places))
        found: list[tuple[int, int, bool, Mapping[int, int]]] = []
        for line in lines.values():
            for (p, larger), (q, smaller) in permutations(line, 2):
                c, d = q // gcd(p, q), p // gcd(p, q)
                if self._is_facet({larger[0]: c, smaller[0]: -d}):
                    found += [
                        (
                            c + d,
                            _differing(points[i], points[j]),
                            not self._given(i, j),
                            {i: c, j: -d},
                        )
                        for i, j in product(larger, smaller)
                    ]
        return min(found, key=lambda form: form[:3])[3] if found else None

    def _given(self, i: int, j: int) -> bool:
        return self.facet[i] > 0 > self.facet[j] and sum(map(bool, self.facet)) == 2

    def _triple(self) -> Mapping[int, int] | None:
        """Return x_E <= x_A + x_B."""
        of: dict[Vector, list[int]] = {}
        for column, places in self.alike.items():
            if any(column[: len(self.tight)]):
                of.setdefault(column[: len(self.tight)], []).append(places[0])
        for first, second in combinations(of, 2):
            total = tuple(a + b for a, b in zip(first, second, strict=True))
            for e, a, b in product(of.get(total, ()), of[first], of[second]):
                form = {a: 1, b: 1, e: -1}
                if self._is_facet(form):
                    return form
        return None

    def _unit(self) -> Mapping[int, int] | None:
        """Return x_D >= 0, unless the facet is given like that."""
        if sum(map(bool, self.facet)) == 1:
            return None
        for column, places in self.alike.items():
            if not any(column[: len(self.tight)]) and self._is_facet({places[0]: 1}):
                return {places[0]: 1}
        return None


def _differing(x: Point, y: Point) -> int:
    """Count the places where two databases differ, if they are lists or words."""
    if isinstance(x, tuple | str) and isinstance(y, tuple | str) and len(x) == len(y):
        return sum(a != b for a, b in zip(x, y, strict=True))
    return 0
