"""Double description: from inequalities to rays, in exact integers.

    cone = {x : a . x >= 0 for every inequality a, e . x = 0 for every equality e}
         = {sum of weight * ray + any combination of lines, weights >= 0}

Read with the roles exchanged, the same function turns generators into facets and equalities,
because those are the rays and lines of the dual cone.

Equalities and lines are split off by linear algebra; what remains is a pointed cone in as many
columns as its constraints have rank. It starts as the simplicial cone of the first independent
constraints, and takes one further constraint at a time: rays on its wrong side go, and each of
them that is adjacent to a ray on the right side leaves a new ray between the two (Motzkin et
al.; the adjacency is in `_bitsets`). A constraint that cuts nothing off is forgotten.

Entries are 64-bit integers as long as every result fits, and unbounded ones from the step on
where it does not. No step rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

import numpy as np
from flint import fmpq_mat, fmpz_mat
from numpy.typing import NDArray

from twoworlds.cones.kernel.vectors import Vector, divided, dot, negative
from twoworlds.errors import TooLarge
from twoworlds.progress import track

__all__ = ["Description", "echelon", "extreme_rays", "irredundant", "kernel", "products"]

Description = tuple[tuple[Vector, ...], tuple[Vector, ...]]
Rays = NDArray[Any]  # int64, or Python's integers where those are too small
Bits = NDArray[np.uint64]
Pairs = NDArray[np.int64]
_System = tuple[Rays, Bits]

MOST_RAYS = 1_000_000
MOST_WORK = 5 * 10**10  # comparisons of rays: some minutes
AT_ONCE = 10**8  # of them, between two chances to interrupt
LIMIT = 2**62
FEW, SMALL = 50, 10**5  # rays, and comparisons of rays, that are done before numba is loaded


# --- linear algebra -----------------------------------------------------------------------------


def echelon(rows: Sequence[Vector]) -> tuple[tuple[Vector, ...], list[int]]:
    """Return the reduced echelon basis of the row space, primitive, and its pivot columns.

    >>> echelon([(2, 4, 6), (1, 1, 1)])
    (((1, 0, -1), (0, 1, 2)), [0, 1])
    """
    if not rows or not rows[0]:
        return (), []
    reduced, _, rank = fmpz_mat(rows).rref()
    basis, pivots = [], []
    for row in reduced.tolist()[:rank]:
        vector = divided([int(value) for value in row])
        pivot = next(i for i, value in enumerate(vector) if value)
        basis.append(vector if vector[pivot] > 0 else negative(vector))
        pivots.append(pivot)
    return tuple(basis), pivots


def kernel(rows: Sequence[Vector], dimension: int) -> tuple[Vector, ...]:
    """Return the reduced echelon basis of {x : row . x = 0 for every row}.

    >>> kernel([(1, 1, 1)], 3)
    ((1, 0, -1), (0, 1, -1))
    """
    basis, pivots = echelon(rows)
    bound = set(pivots)
    units = [_unit(i, dimension) for i in range(dimension) if i not in bound]
    return echelon([_completed(unit, basis, pivots) for unit in units])[0]


def reduced_by(vector: Vector, basis: Sequence[Vector], pivots: Sequence[int]) -> Vector:
    """Add multiples of an echelon basis until the entries at its pivots vanish.

    >>> reduced_by((1, 5), [(2, 1)], [0])
    (0, 1)
    """
    for row, pivot in zip(basis, pivots, strict=True):
        if vector[pivot]:
            p, q = row[pivot], vector[pivot]
            vector = tuple([p * v - q * b for v, b in zip(vector, row, strict=True)])
    return divided(vector)


def _unit(index: int, dimension: int) -> Vector:
    return tuple([int(i == index) for i in range(dimension)])


def _completed(vector: Vector, basis: Sequence[Vector], pivots: Sequence[int]) -> Vector:
    """Fill in the entries at the pivots so that every row of an echelon basis vanishes."""
    scale = lcm(*[row[pivot] for row, pivot in zip(basis, pivots, strict=True)])
    entries = [scale * value for value in vector]
    for row, pivot in zip(basis, pivots, strict=True):
        entries[pivot] = -int(dot(row, vector)) * (scale // row[pivot])
    return divided(entries)


# --- the two descriptions -----------------------------------------------------------------------


def extreme_rays(
    inequalities: Sequence[Vector], equalities: Sequence[Vector], dimension: int
) -> Description:
    """Return the extreme rays modulo lines, sorted descending, and a basis of the lines.

    >>> extreme_rays([(1, 0), (-1, 3)], [], 2)
    (((3, 1), (0, 1)), ())

    Raises:
        TooLarge: when more rays appear on the way than can be worked with.
    """
    lines, pivots = echelon(kernel([*inequalities, *equalities], dimension))
    units = [_unit(pivot, dimension) for pivot in pivots]
    fixed, bound = echelon([*equalities, *units])  # x vanishes at the pivots of the lines
    free = sorted(set(range(dimension)) - set(bound))
    reduced = [reduced_by(a, fixed, bound) for a in inequalities] if fixed else inequalities
    matrix = dict.fromkeys(tuple([a[i] for i in free]) for a in reduced if any(a))
    try:
        found = _pointed(list(matrix), len(free)) if free else []
    except SystemError as error:  # what numba makes of an interrupt that arrives inside its code
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
    if fixed:
        place = {column: i for i, column in enumerate(free)}
        padded = [[ray[place[i]] if i in place else 0 for i in range(dimension)] for ray in found]
        found = [_completed(tuple(ray), fixed, bound) for ray in padded]
    return tuple(sorted(found, reverse=True)), lines


def irredundant(
    vectors: Sequence[Vector], duals: Sequence[Vector], basis: Sequence[Vector]
) -> tuple[Vector, ...]:
    """Return the extreme ones of some vectors, modulo the space that an echelon basis spans.

    A generator is extreme when it lies on a maximal set of facets, and an inequality is a facet
    when it vanishes on a maximal set of rays: ``duals`` are those facets or rays.
    """
    pivots = [next(i for i, value in enumerate(row) if value) for row in basis]
    reduced = [reduced_by(vector, basis, pivots) for vector in vectors]
    distinct = list(dict.fromkeys(vector for vector in reduced if any(vector)))
    packed = np.packbits(products(distinct, duals) == 0, axis=1)
    sets = [int.from_bytes(row.tobytes()) for row in packed]
    kept = [
        vector
        for vector, own in zip(distinct, sets, strict=True)
        if sum(own & other == own for other in sets) == 1
    ]
    return tuple(sorted(kept, reverse=True))


def products(left: Sequence[Vector], right: Sequence[Vector]) -> NDArray[Any]:
    """Return the matrix of all dot products, exactly.

    >>> products([(1, 2), (0, 1)], [(3, -1), (10**30, 0)])
    array([[1, 1000000000000000000000000000000],
           [-1, 0]], dtype=object)
    """
    if not left or not right:
        return np.zeros((len(left), len(right)), np.int64)
    a, b = (np.array(rows, dtype=object) for rows in (left, right))
    if np.abs(a).max(initial=0) * np.abs(b).max(initial=0) * a.shape[1] < LIMIT:
        return np.asarray(a.astype(np.int64) @ b.astype(np.int64).T)
    return np.asarray(a @ b.T)


# --- pointed cones ------------------------------------------------------------------------------


def _pointed(matrix: list[Vector], rank: int) -> list[Vector]:
    """Return the extreme rays of {x : matrix x >= 0}, the matrix having full column rank."""
    matrix = sorted(matrix)
    first = set(echelon(list(zip(*matrix, strict=True)))[1])
    start = [matrix[i] for i in sorted(first)]
    later = [row for i, row in enumerate(matrix) if i not in first]
    rays, bits = _simplicial(start, len(matrix))
    used = rank
    effort = _Effort(rank, len(matrix))
    for done, row in enumerate(track(later, "double description", len(later))):
        values = _values(rays, row)
        if not (values < 0).any():
            continue
        effort.next(rank + done, len(rays))
        pairs = _adjacent(bits, values, rank, effort)
        new, tight = _combined(rays, bits, values, pairs, used)
        bits[values == 0, used >> 6] |= np.uint64(1 << (used & 63))
        stay = values >= 0
        rays = np.concatenate([rays[stay], new])
        bits = np.concatenate([bits[stay], tight])
        used += 1
    return [tuple(ray) for ray in rays.tolist()]


def _simplicial(rows: list[Vector], total: int) -> _System:
    """Return the rays of the cone of as many independent constraints as columns."""
    rank = len(rows)
    numerators, _ = fmpq_mat(fmpz_mat(rows)).inv().numer_denom()  # the denominator is positive
    rays = [divided([int(value) for value in column]) for column in numerators.transpose().tolist()]
    bits = np.zeros((rank, (total + 63) // 64), np.uint64)
    for i in range(rank):
        for k in range(rank):
            if k != i:
                bits[i, k >> 6] |= np.uint64(1 << (k & 63))
    return _fitted(np.array(rays, dtype=object)), bits


def _fitted(rays: Rays) -> Rays:
    """Use 64-bit integers if all entries are far enough below their limit."""
    return rays.astype(np.int64) if np.abs(rays).max(initial=0) < LIMIT else rays


def _values(rays: Rays, row: Vector) -> Rays:
    if rays.dtype == np.int64 and int(np.abs(rays).max(initial=0)) * sum(map(abs, row)) < LIMIT:
        return np.asarray(rays @ np.array(row, np.int64))
    return np.asarray(rays.astype(object) @ np.array(row, dtype=object))


def _combined(rays: Rays, bits: Bits, values: Rays, pairs: Pairs, constraint: int) -> _System:
    """Return the rays of adjacent pairs on the new hyperplane, and their tight sets."""
    left, right = pairs.T
    tight = bits[left] & bits[right]
    tight[:, constraint >> 6] |= np.uint64(1 << (constraint & 63))
    if len(pairs) > FEW and rays.dtype == values.dtype == np.int64:
        from twoworlds.cones.kernel._bitsets import (
            combine,  # numba is slow to import: only when needed
        )

        new, fits = combine(rays, values, pairs)
        if fits:
            return new, tight
    x, y = rays[left].astype(object), rays[right].astype(object)
    v, w = (np.abs(values[side].astype(object))[:, None] for side in (left, right))
    new = w * x + v * y
    if len(new):
        new //= np.gcd.reduce(new, axis=1, keepdims=True)
    return _fitted(new), tight


def _adjacent(bits: Bits, values: Rays, rank: int, effort: _Effort) -> Pairs:
    """Return the adjacent pairs of rays on the two sides of a constraint."""
    if np.count_nonzero(values > 0) * np.count_nonzero(values < 0) * bits.size < SMALL:
        return _adjacent_few(bits, values, rank)
    from twoworlds.cones.kernel import _bitsets

    simple = np.bitwise_count(bits).sum(axis=1) == rank - 1
    above, below = (
        [np.flatnonzero(side & kind) for kind in (simple, ~simple)]
        for side in (values > 0, values < 0)
    )
    few, many = sorted((above[0], below[0]), key=len)
    pairs = [_bitsets.simple_with_simple(bits, few, many, rank)]
    for one, other in ((above[0], below[1]), (below[0], above[1])):
        parts = 1 + len(one) * len(other) // AT_ONCE
        for part in np.array_split(other, parts):
            pairs.append(_bitsets.simple_with_others(bits, one, part, rank))
            effort.spend(len(one) * len(part))
    first, second = above[1], below[1]
    rest = np.flatnonzero((values >= 0) & ~simple)
    while len(first) and len(second):
        found, done, work = _bitsets.others_with_others(bits, first, second, rest, rank, AT_ONCE)
        pairs.append(found)
        first = first[done:]
        effort.spend(work)
    return np.concatenate(pairs)


def _adjacent_few(bits: Bits, values: Rays, rank: int) -> Pairs:
    """Search all pairs for those whose common tight set no third ray shares, without numba."""
    above, below = np.flatnonzero(values > 0), np.flatnonzero(values < 0)
    pairs = np.stack(np.meshgrid(above, below, indexing="ij"), axis=-1).reshape(-1, 2)
    common = bits[pairs[:, 0]] & bits[pairs[:, 1]]
    close = np.bitwise_count(common).sum(axis=1) >= rank - 2
    pairs, common = pairs[close], common[close, None]
    sharing = ((bits & common) == common).all(axis=2).sum(axis=1)
    return np.asarray(pairs[sharing == 2])  # the two themselves


class _Effort:
    """Counts the comparisons of one conversion, and gives up when they pass the limit."""

    def __init__(self, rank: int, total: int) -> None:
        self.rank = rank
        self.total = total
        self.vectors = self.rays = self.work = 0

    def next(self, vectors: int, rays: int) -> None:
        """Take note of the vectors done so far, and the rays that there are."""
        self.vectors, self.rays = vectors, rays
        self.spend(0)

    def spend(self, work: int) -> None:
        """Add comparisons of rays."""
        self.work += work
        if self.rays > MOST_RAYS or self.work > MOST_WORK:
            raise TooLarge(
                f"double description in {self.rank} dimensions met {self.rays} rays after "
                f"{self.vectors} of {self.total} vectors and {self.work} comparisons of rays "
                f"(limits: {MOST_RAYS} rays, {MOST_WORK} comparisons): use the structure instead "
                "(one record at a time, a smaller universe), or ask only for facets, membership "
                "or containment of a cone that is given by inequalities, which need no rays"
            )
