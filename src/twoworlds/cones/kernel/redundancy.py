"""Which inequalities of a cone follow from the others, without its rays.

Counting rays is the usual way (`double_description.irredundant`), but a cone of a few hundred
inequalities in 32 columns may have more rays than a machine can hold. Linear programs decide the
same question one inequality at a time. First one program finds the inequalities that hold with
equality on the whole cone,

    maximise sum of t_i   subject to   a_i . x >= t_i,   e . x = 0,   0 <= t_i <= 1 :

t_i = 0 for those and t_i = 1 for all others, because a point of a cone can be scaled. Modulo the
equalities, an inequality is then redundant exactly when it is a non-negative combination of the
others (Farkas). The same function answers for generators: which of them are extreme.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from twoworlds.cones.kernel.double_description import Description
from twoworlds.cones.kernel.echelon import echelon, reduced_by
from twoworlds.cones.kernel.vectors import Vector
from twoworlds.errors import TwoWorldsError
from twoworlds.progress import track

__all__ = ["irredundant_by_programs", "most_facets"]


def most_facets(rays: int, dimension: int) -> int:
    """Return how many facets a cone of so many rays can have (McMullen's upper bound theorem).

    >>> most_facets(40, 8), most_facets(8, 8)
    (14280, 8)
    """
    if rays <= dimension or dimension < 2:
        return rays
    half, other = (dimension - 1) // 2, dimension // 2
    return comb(rays - other, half) + comb(rays - half - 1, other - 1)


def irredundant_by_programs(
    inequalities: Sequence[Vector], equalities: Sequence[Vector], dimension: int
) -> Description:
    """Return the facets and the equalities of a cone that is given by inequalities.

    >>> irredundant_by_programs([(1, 0, 0), (0, 1, 0), (1, 2, 0), (0, 0, 1), (0, 0, -1)], [], 3)
    (((1, 0, 0), (0, 1, 0)), ((0, 0, 1),))
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
