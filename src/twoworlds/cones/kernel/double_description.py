"""Double description: from inequalities to rays, in exact integers.

    cone = {x : a . x >= 0 for every inequality a, e . x = 0 for every equality e}
         = {sum of weight * ray + any combination of lines, weights >= 0}

Read with the roles exchanged, the same function turns generators into facets and equalities,
because those are the rays and lines of the dual cone. Equalities and lines are split off by linear
algebra; what remains is a pointed cone in as many columns as its constraints have rank, see
`_pointed`.

A cone of a few hundred inequalities in 32 columns may have more rays than a machine can hold. Then
linear programs decide which inequalities follow from the others (`irredundant_by_programs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from twoworlds.cones.kernel.vectors import Vector, completed, echelon, kernel, reduced_by, unit
from twoworlds.errors import TwoWorldsError
from twoworlds.progress import track

Description = tuple[tuple[Vector, ...], tuple[Vector, ...]]


def extreme_rays(
    inequalities: Sequence[Vector], equalities: Sequence[Vector], dimension: int
) -> Description:
    """Return the extreme rays modulo lines, sorted descending, and a basis of the lines."""
    from twoworlds.cones.kernel import _pointed  # numpy

    lines, pivots = echelon(kernel([*inequalities, *equalities], dimension))
    flat = [unit(pivot, dimension) for pivot in pivots]
    fixed, bound = echelon([*equalities, *flat])  # x vanishes at the pivots of the lines
    free = sorted(set(range(dimension)) - set(bound))
    reduced = [reduced_by(a, fixed, bound) for a in inequalities] if fixed else inequalities
    matrix = dict.fromkeys(tuple([a[i] for i in free]) for a in reduced if any(a))
    try:
        found = _pointed.pointed(list(matrix), len(free)) if free else []
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
    from twoworlds.cones.kernel._pointed import tight_sets  # numpy

    sets = tight_sets(distinct, duals)
    kept = [
        vector
        for vector, own in zip(distinct, sets, strict=True)
        if sum(own & other == own for other in sets) == 1
    ]
    return tuple(sorted(kept, reverse=True))


def most_facets(rays: int, dimension: int) -> int:
    """Return how many facets a cone of so many rays can have (McMullen's upper bound theorem)."""
    if rays <= dimension or dimension < 2:
        return rays
    half, other = (dimension - 1) // 2, dimension // 2
    return comb(rays - other, half) + comb(rays - half - 1, other - 1)


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
