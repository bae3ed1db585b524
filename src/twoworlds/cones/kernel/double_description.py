"""Double description: from inequalities to rays, in exact integers.

    cone = {x : a . x >= 0 for every inequality a, e . x = 0 for every equality e}
         = {sum of weight * ray + any combination of lines, weights >= 0}

Read with the roles exchanged, the same function turns generators into facets and equalities,
because those are the rays and lines of the dual cone. Equalities and lines are split off by linear
algebra; what remains is a pointed cone in as many columns as its constraints have rank, see
`_pointed`.
"""

from __future__ import annotations

from collections.abc import Sequence

from twoworlds.cones.kernel.echelon import completed, echelon, kernel, reduced_by, unit
from twoworlds.cones.kernel.vectors import Vector

__all__ = ["Description", "extreme_rays", "irredundant"]

Description = tuple[tuple[Vector, ...], tuple[Vector, ...]]


def extreme_rays(
    inequalities: Sequence[Vector], equalities: Sequence[Vector], dimension: int
) -> Description:
    """Return the extreme rays modulo lines, sorted descending, and a basis of the lines.

    >>> extreme_rays([(1, 0), (-1, 3)], [], 2)
    (((3, 1), (0, 1)), ())

    Raises:
        TooLarge: when more rays appear on the way than can be worked with.
    """
    from twoworlds.cones.kernel import _pointed  # numpy

    lines, pivots = echelon(kernel([*inequalities, *equalities], dimension))
    units = [unit(pivot, dimension) for pivot in pivots]
    fixed, bound = echelon([*equalities, *units])  # x vanishes at the pivots of the lines
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
