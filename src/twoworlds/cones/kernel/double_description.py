"""Double description: from inequalities to rays, in exact integers.

    cone = {x : a . x >= 0 for every inequality a, e . x = 0 for every equality e}
         = {sum of weight * ray + any combination of lines, weights >= 0}

Read with the roles exchanged, the same function turns generators into facets and equalities,
because those are the rays and lines of the dual cone. Equalities and lines are split off by linear
algebra; what remains is a pointed cone in as many columns as its constraints have rank.

It starts as the simplicial cone of the first independent constraints, and takes one further
constraint at a time: rays on its wrong side go, and each of them that is adjacent to a ray on the
right side leaves a new ray between the two (Motzkin et al.). A constraint that cuts nothing off is
forgotten. Entries are 64-bit integers as long as every result fits, and unbounded ones from the
step on where it does not. No step rounds.

**Adjacency.** A ray of a pointed cone in dimension r is known by the set of constraints on which it
vanishes, its *tight set*, kept as bits. Two rays span a face of dimension two, they are *adjacent*,
exactly when no third ray vanishes on all constraints of their common tight set; then at least r - 2
constraints are common. Call a ray *simple* when its tight set has exactly r - 1 constraints, which
are then independent. If one of two rays is simple, r - 2 common constraints are enough: they are
independent, so they cut out a face of dimension two. For two others the third ray is searched, and
only among rays that are not simple: a simple third ray would make the r - 2 constraints that it
shares with the two independent, and the face too small for three rays.

A cone of a few hundred inequalities in 32 columns may have more rays than a machine can hold. Then
linear programs decide which inequalities follow from the others (`irredundant_by_programs`).

**Combinations.** A vector of a cone is a non-negative combination of few generators.
With the facets of the cone known, no solver is needed. Take a generator g of the smallest face that
holds x, and subtract as much of it as the cone allows,

    t = min of (f . x) / (f . g) over the facets f with f . g > 0.

Then x - t g lies on one more facet, hence on a smaller face; so after at most as many steps as
the cone has dimensions nothing is left (Carathéodory), or something that lies on every facet: in
the lineality space. There the lines give it by linear algebra; generators that span the
space without being declared as lines give it after lifting each g to (g, 1), which makes the cone
pointed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import gcd
from typing import Any

import numpy as np
from flint import fmpq_mat, fmpz_mat
from numpy.typing import NDArray

from twoworlds.cones.kernel.vectors import (
    Combination,
    Description,
    Vector,
    completed,
    divided,
    dot,
    echelon,
    flint,
    fraction,
    kernel,
    negative,
    primitive,
    rationals,
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
    found = pointed(list(matrix), len(free)) if free else []
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
MOST_WORK = 2 * 10**10  # comparisons of rays: some minutes
AT_ONCE = 10**6  # of them, in one step
LIMIT = 2**62


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
        pairs = [np.zeros((0, 2), np.int64)]
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
    simple = _ones(bits) == rank - 1
    words = range(bits.shape[1])
    step = 1 + AT_ONCE // len(below)
    for start in range(0, len(above), step):
        part = above[start : start + step]
        common = sum(np.bitwise_count(bits[part, w, None] & bits[below, w]) for w in words)
        left, right = np.nonzero(common >= rank - 2)
        pairs = np.stack([part[left], below[right]], axis=1)
        known = simple[pairs].any(axis=1)
        found, work = [pairs[known]], len(part) * len(below)
        for i in np.unique(pairs[~known, 0]):
            partners = pairs[~known & (pairs[:, 0] == i), 1]
            near = bits[~simple] & bits[i]
            near = near[_ones(near) >= rank - 2]
            partners = partners[_unblocked(bits[partners] & bits[i], near)]
            found.append(np.stack([np.full_like(partners, i), partners], axis=1))
            work += len(bits) + len(near) * len(partners)
        yield np.concatenate(found), work


def _ones(bits: Bits) -> Pairs:
    """Count the bits that are set in each row."""
    return np.asarray(np.bitwise_count(bits).sum(axis=1, dtype=np.int64))


def _unblocked(common: Bits, near: Bits) -> NDArray[np.bool_]:
    """Tell which tight sets of a pair no third ray shares; near holds the two themselves."""
    step = 1 + AT_ONCE // max(len(near), 1)
    parts = [np.zeros(0, np.bool_)]
    for start in range(0, len(common), step):
        part = common[start : start + step, None]
        sharing = np.ones((part.shape[0], len(near)), np.bool_)
        for w in range(common.shape[1]):
            sharing &= part[:, :, w] & ~near[:, w] == 0
        parts.append(sharing.sum(axis=1) == 2)
    return np.concatenate(parts)


LARGEST_TABLE = 10**7  # products of generators and facets; beyond, a program takes less memory

Target = Sequence[int | Fraction]
Decided = tuple[Combination, Vector | None]


def combination(
    target: Target,
    generators: Sequence[Vector],
    lines: Sequence[Vector],
    facets: Sequence[Vector],
    slopes_of: Any = None,
) -> Combination:
    """Return pairs (generator, weight > 0) that sum to the target, a line as itself or negated.

    ``facets`` must be the facets of the cone of generators and lines, and the target lie in it;
    ``slopes_of`` are their products with the generators, where these are known.

    >>> combination((3, 1), [(1, 0), (1, 1), (2, 1)], [], [(0, 1), (1, -1)])
    (((1, 0), Fraction(2, 1)), ((1, 1), Fraction(1, 1)))
    """
    rest = primitive(target)
    unit = _quotient(rationals(target), rest)  # what is left is unit * rest
    heights = products([rest], facets)[0].tolist()
    slopes_of = products(generators, facets) if slopes_of is None else slopes_of
    found: list[tuple[Vector, Fraction]] = []
    flat: list[Vector] = []
    face = np.arange(len(generators))
    while any(rest):
        tight = np.flatnonzero([not height for height in heights])
        face = face[(slopes_of[np.ix_(face, tight)] == 0).all(axis=1)]
        if not len(face):
            break
        generator, slopes = generators[face[0]], slopes_of[face[0]].tolist()
        face = face[1:]
        if not any(slopes):
            flat.append(generator)
            continue
        step, factor = _least(heights, slopes)
        found.append((generator, unit * Fraction(step, factor)))
        longer = [factor * x - step * g for x, g in zip(rest, generator, strict=True)]
        common = gcd(*longer) or 1
        rest, unit = divided(longer), unit * Fraction(common, factor)
        heights = [(factor * h - step * s) // common for h, s in zip(heights, slopes, strict=True)]
    if any(rest):
        found += _within_lineality([unit * x for x in rest], flat, lines)
    return tuple(found)


def _quotient(values: Sequence[Fraction], vector: Vector) -> Fraction:
    return next((v / entry for v, entry in zip(values, vector, strict=True) if entry), Fraction(0))


def _least(heights: Sequence[int], slopes: Sequence[int]) -> tuple[int, int]:
    """Return the least quotient height / slope over the slopes that are not 0, as a pair."""
    top, bottom = 1, 0
    for height, slope in zip(heights, slopes, strict=True):
        if slope and height * bottom < top * slope:
            top, bottom = height, slope
    return top, bottom


def decider(
    generators: Sequence[Vector], lines: Sequence[Vector], description: Description | None
) -> Callable[[Target], Decided]:
    """Return what decides targets: a combination as above, or none and an inequality it violates.

    ``description`` holds the facets and equalities of the cone. Without it bounds on ratios follow
    from each other (`Ways`), and else a linear program decides; then the inequality need not be a
    facet.

    >>> decider([(1, 0), (1, 1)], [], (((1, -1), (0, 1)), ()))((1, 2))
    ((), (1, -1))
    """
    if description is not None:
        facets, equalities = description
        if len(generators) * len(facets) <= LARGEST_TABLE:
            return _by_facets(generators, lines, facets, equalities)
    from twoworlds.cones.kernel.ratios import Ways  # numpy
    from twoworlds.programs import combine

    ways = Ways.of(generators, len(generators[0])) if generators and not lines else None
    spanning = [*generators, *lines, *map(negative, lines)]

    def decide(target: Target) -> Decided:
        direction = primitive(target)
        if ways is not None and (found := ways.decide(direction)) is not None:
            scale = 1 if direction == target else _quotient(rationals(target), direction)
            return tuple([(g, scale * weight) for g, weight in found[0]]), found[1]
        inside, numbers = combine(spanning, target)
        if not inside:
            return (), primitive(numbers)
        pairs = zip(spanning, numbers, strict=True)
        return tuple([(g, weight) for g, weight in pairs if weight]), None

    return decide


def _by_facets(
    generators: Sequence[Vector],
    lines: Sequence[Vector],
    facets: Sequence[Vector],
    equalities: Sequence[Vector],
) -> Callable[[Target], Decided]:
    outside = [*facets, *equalities, *map(negative, equalities)]

    @cache
    def table() -> Any:
        return products(generators, facets)

    def decide(target: Target) -> Decided:
        direction = primitive(target)
        for inequality in outside:
            if dot(inequality, direction) < 0:
                return (), inequality
        return combination(target, generators, lines, facets, table()), None

    return decide


def _within_lineality(
    rest: Sequence[Fraction], flat: Sequence[Vector], lines: Sequence[Vector]
) -> Combination:
    basis, _ = echelon(lines)
    if basis and len(echelon([*basis, primitive(rest)])[0]) == len(basis):
        return _of_lines(rest, lines)
    spanning = [*flat, *lines, *[negative(line) for line in lines]]
    lifted = [(*vector, 1) for vector in spanning]
    facets, _ = extreme_rays(lifted, [], len(rest) + 1)
    height = max(-dot(f[:-1], rest) / Fraction(f[-1]) for f in facets)
    lifting = combination((*rest, max(height, Fraction(0))), lifted, [], facets)
    return tuple([(vector[:-1], weight) for vector, weight in lifting])


def _of_lines(rest: Sequence[Fraction], lines: Sequence[Vector]) -> Combination:
    independent = [lines[i] for i in echelon(list(zip(*lines, strict=True)))[1]]
    _, columns = echelon(independent)
    system = flint([[line[i] for line in independent] for i in columns])
    solution = map(fraction, system.solve(flint([[rest[i]] for i in columns])).entries())
    pairs = zip(independent, solution, strict=True)
    return tuple([(g if w > 0 else negative(g), abs(w)) for g, w in pairs if w])
