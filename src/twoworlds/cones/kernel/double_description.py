"""Double description: from inequalities to rays, in exact integers.

    cone = {x : a . x >= 0 for every inequality a, e . x = 0 for every equality e}
         = {sum of weight * ray + any combination of lines, weights >= 0}

Read with the roles exchanged, the same function turns generators into facets and equalities,
because those are the rays and lines of the dual cone. Equalities and lines are split off by linear
algebra; what remains is a pointed cone in as many columns as its constraints have rank.

It starts as the simplicial cone of the first independent constraints, and takes one further
constraint at a time: rays on its wrong side go, and each of them that is adjacent to a ray on the
right side leaves a new ray between the two (Motzkin et al.; the adjacency is in `_compiled`). A
constraint that cuts nothing off is forgotten. Entries are 64-bit integers as long as every result
fits, and unbounded ones from the step on where it does not. No step rounds.

A cone of a few hundred inequalities in 32 columns may have more rays than a machine can hold. Then
linear programs decide which inequalities follow from the others (`irredundant_by_programs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from flint import fmpq_mat, fmpz_mat
from numpy.typing import NDArray

from twoworlds.cones.kernel.vectors import (
    Description,
    Vector,
    completed,
    divided,
    echelon,
    kernel,
    reduced_by,
    unit,
)
from twoworlds.errors import TooLarge, TwoWorldsError
from twoworlds.progress import track


def extreme_rays(
    inequalities: Sequence[Vector], equalities: Sequence[Vector], dimension: int
) -> Description:
    """Return the extreme rays modulo lines, sorted descending, and a basis of the lines."""
    lines, pivots = echelon(kernel([*inequalities, *equalities], dimension))
    flat = [unit(pivot, dimension) for pivot in pivots]
    fixed, bound = echelon([*equalities, *flat])  # x vanishes at the pivots of the lines
    free = sorted(set(range(dimension)) - set(bound))
    reduced = [reduced_by(a, fixed, bound) for a in inequalities] if fixed else inequalities
    matrix = dict.fromkeys(tuple([a[i] for i in free]) for a in reduced if any(a))
    try:
        found = pointed(list(matrix), len(free)) if free else []
    except SystemError as error:  # what numba makes of an interrupt that arrives inside its code
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
    if fixed:
        place = {column: i for i, column in enumerate(free)}
        padded = [[ray[place[i]] if i in place else 0 for i in range(dimension)] for ray in found]
        found = [completed(tuple(ray), fixed, bound) for ray in padded]
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
    sets = tight_sets(distinct, duals)
    kept = [
        vector
        for vector, own in zip(distinct, sets, strict=True)
        if sum(own & other == own for other in sets) == 1
    ]
    return tuple(sorted(kept, reverse=True))


def irredundant_by_programs(
    inequalities: Sequence[Vector], equalities: Sequence[Vector], dimension: int
) -> Description:
    """Return the facets and the equalities of a cone of inequalities, without its rays.

    Modulo the equalities an inequality is redundant exactly when it is a non-negative combination
    of the others (Farkas). The same function answers for generators: which of them are extreme.
    """
    from twoworlds.programs import combine

    flat = _holding_with_equality(inequalities, equalities, dimension)
    basis, pivots = echelon([*equalities, *flat])
    reduced = [reduced_by(a, basis, pivots) for a in inequalities]
    kept = list(dict.fromkeys(a for a in reduced if any(a)))
    for a in track(list(kept), "redundant inequalities", len(kept)):
        others = [b for b in kept if b != a]
        if combine(others, a)[0]:
            kept = others
    return tuple(sorted(kept, reverse=True)), basis


def _holding_with_equality(
    inequalities: Sequence[Vector], equalities: Sequence[Vector], dimension: int
) -> list[Vector]:
    """Return the inequalities that are equalities on the whole cone, by one program.

    Maximise the sum of t_i with a_i . x >= t_i, e . x = 0 and 0 <= t_i <= 1: then t_i = 0 for
    those and t_i = 1 for all others, because a point of a cone can be scaled.
    """
    from twoworlds.programs import Optimal, solve

    count = len(inequalities)
    above = [
        {**{k: v for k, v in enumerate(a) if v}, dimension + i: -1}
        for i, a in enumerate(inequalities)
    ]
    equal = [{k: v for k, v in enumerate(e) if v} for e in equalities]
    outcome = solve(
        [0] * dimension + [-1] * count,
        [*above, *equal],
        lower=[0] * (count + len(equal)),
        upper=[None] * count + [0] * len(equal),
        least=[None] * dimension + [0] * count,
        most=[None] * dimension + [1] * count,
    )
    if not isinstance(outcome, Optimal):
        raise TwoWorldsError("a bounded program with a solution has an optimum: please report this")
    return [a for a, t in zip(inequalities, outcome.x[dimension:], strict=True) if not t]


Rays = NDArray[Any]  # int64, or Python's integers where those are too small
Bits = NDArray[np.uint64]
Pairs = NDArray[np.int64]
_System = tuple[Rays, Bits]

MOST_RAYS = 1_000_000
MOST_WORK = 5 * 10**10  # comparisons of rays: some minutes
AT_ONCE = 10**8  # of them, between two chances to interrupt
LIMIT = 2**62
SMALL = 10**5  # comparisons of rays that are done before numba is loaded


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


def tight_sets(vectors: Sequence[Vector], duals: Sequence[Vector]) -> list[int]:
    """Return for each vector the set of dual vectors that it vanishes on, as bits of an integer."""
    packed = np.packbits(products(vectors, duals) == 0, axis=1)
    return [int.from_bytes(row.tobytes()) for row in packed]


def pointed(matrix: list[Vector], rank: int) -> list[Vector]:
    """Return the extreme rays of {x : matrix x >= 0}, the matrix having full column rank."""
    matrix = sorted(matrix)
    first = set(echelon(list(zip(*matrix, strict=True)))[1])
    start = [matrix[i] for i in sorted(first)]
    later = [row for i, row in enumerate(matrix) if i not in first]
    rays, bits = _simplicial(start, len(matrix))
    used, work = rank, 0
    for done, row in enumerate(track(later, "double description", len(later))):
        values = _values(rays, row)
        if not (values < 0).any():
            continue
        pairs = []
        for part, comparisons in _adjacent(bits, values, rank):
            pairs.append(part)
            work += comparisons
            if len(rays) > MOST_RAYS or work > MOST_WORK:
                raise TooLarge(
                    f"double description in {rank} dimensions met {len(rays)} rays after "
                    f"{rank + done} of {len(matrix)} vectors and {work} comparisons of rays "
                    f"(limits: {MOST_RAYS} rays, {MOST_WORK} comparisons): use the structure "
                    "instead (one record at a time, a smaller universe), or ask only for facets, "
                    "membership or containment of a cone that is given by inequalities, which need "
                    "no rays"
                )
        new, tight = _combined(rays, bits, values, np.concatenate(pairs), used)
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
    """Return the rays of adjacent pairs on the new hyperplane, and their tight sets.

    That of x with value v > 0 and y with value -w < 0 is w x + v y, divided by its content.
    """
    left, right = pairs.T
    tight = bits[left] & bits[right]
    tight[:, constraint >> 6] |= np.uint64(1 << (constraint & 63))
    x, y = rays[left], rays[right]
    v, w = (np.abs(values[side])[:, None] for side in (left, right))
    common = np.gcd(v, w)
    v, w = v // common, w // common
    sizes = [np.abs(part).max(initial=0) for part in (w, x, v, y)]
    if int(sizes[0]) * int(sizes[1]) + int(sizes[2]) * int(sizes[3]) >= LIMIT:
        x, y, v, w = (part.astype(object) for part in (x, y, v, w))
    new = w * x + v * y
    if len(new):
        new //= np.gcd.reduce(new, axis=1, keepdims=True)
    return _fitted(new), tight


def _adjacent(bits: Bits, values: Rays, rank: int) -> Iterator[tuple[Pairs, int]]:
    """Yield the adjacent pairs of rays on the two sides of a constraint, and the comparisons."""
    above, below = np.flatnonzero(values > 0), np.flatnonzero(values < 0)
    if len(above) * len(below) * bits.size < SMALL:
        yield _adjacent_few(bits, above, below, rank), 0
        return
    from twoworlds.cones.kernel._compiled import adjacent  # numba is slow to import

    simple = np.bitwise_count(bits).sum(axis=1) == rank - 1
    done = 0
    while not done or done < len(above):
        found, more, work = adjacent(bits, above[done:], below, simple, rank, AT_ONCE)
        done += max(more, 1)
        yield found, work


def _adjacent_few(bits: Bits, above: Pairs, below: Pairs, rank: int) -> Pairs:
    """Search all pairs for those whose common tight set no third ray shares, without numba."""
    pairs = np.stack(np.meshgrid(above, below, indexing="ij"), axis=-1).reshape(-1, 2)
    common = bits[pairs[:, 0]] & bits[pairs[:, 1]]
    close = np.bitwise_count(common).sum(axis=1) >= rank - 2
    pairs, common = pairs[close], common[close, None]
    sharing = ((bits & common) == common).all(axis=2).sum(axis=1)
    return np.asarray(pairs[sharing == 2])  # the two themselves
