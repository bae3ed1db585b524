r"""The largest ratio of two linear functions over a cone of likelihood rows.

    maximise a . x / r . x,    a, r >= 0

A ratio of linear functions is largest at an extreme ray. A cone that is given by rays is answered
by trying them, and so is one with no more inequalities than dimensions. One that is given by more
inequalities c . x >= 0 is answered by the linear program

    maximise a . x    subject to    r . x = 1,  c . x >= 0,  x >= 0,

whose optimum alpha comes with multipliers y >= 0 of the inequalities: alpha r - a = sum of y c, so
that no row of the cone has a larger ratio. If the program is unbounded, or r vanishes on the whole
cone, there is a row with r . x = 0 < a . x, and the ratio is infinite.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.combination import combination
from twoworlds.cones.kernel.vectors import Vector, dot, negative, primitive
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import INFINITY, Number

__all__ = ["largest_ratio"]

Found = tuple[Vector, Number, dict[str, object]]


def largest_ratio(cone: Cone, a: Sequence[Fraction], r: Sequence[Fraction]) -> Found:
    """Return a row x of the largest ratio a . x / r . x, the ratio, and the proof as data.

    >>> largest_ratio(Cone.from_rays([(3, 1), (1, 3)]), [Fraction(1), Fraction(0)],
    ...               [Fraction(0), Fraction(1)])[:2]
    ((3, 1), Fraction(3, 1))
    """
    given = cone.given_inequalities
    if given is None:
        row, odds = _best(cone.given_rays or (), cone.given_lines or (), a, r)
        proof: dict[str, object] = {"generators": cone.given_rays}
    elif len(given) <= cone.dimension and not cone.given_equalities:
        row, odds = _best(cone.rays, cone.lines, a, r)
        proof = _implied(cone, a, r, odds)
    else:
        row, odds, proof = _by_program(cone, a, r)
    shown = "infinity" if odds == INFINITY else odds
    return row, odds, {"first": a, "second": r, "row": row, "odds": shown, **proof}


def _best(
    rays: Sequence[Vector],
    lines: Sequence[Vector],
    a: Sequence[Fraction],
    r: Sequence[Fraction],
) -> tuple[Vector, Number]:
    """Try all rays."""
    if lines or any(min(ray) < 0 for ray in rays):
        raise Unsupported(
            "the cone holds rows with negative entries, which are no likelihoods: intersect it "
            "with the rows that are at least 0"
        )
    scale = lcm(*[value.denominator for value in (*a, *r)])
    top, bottom = (tuple(int(value * scale) for value in values) for values in (a, r))
    best: tuple[bool, Fraction] | None = None
    for ray in rays:
        p, q = dot(top, ray), dot(bottom, ray)
        if p or q:
            ratio = (not q, Fraction(p) / q if q else Fraction(0))
            if best is None or ratio > best:
                best, row = ratio, ray
    if best is None:
        raise _no_row()
    return row, INFINITY if best[0] else best[1]


def _implied(
    cone: Cone, a: Sequence[Fraction], r: Sequence[Fraction], odds: Number
) -> dict[str, object]:
    """Write odds * r - a as a combination of the inequalities."""
    premises = cone.given_inequalities or ()
    if not isinstance(odds, Fraction):
        return {"premises": premises}
    gap = [odds * q - p for p, q in zip(a, r, strict=True)]
    used = dict(combination(gap, premises, (), cone.rays))
    return {"premises": premises, "multipliers": [used.get(c, Fraction(0)) for c in premises]}


def _by_program(cone: Cone, a: Sequence[Fraction], r: Sequence[Fraction]) -> Found:
    from twoworlds.programs import Infeasible, Optimal, Unbounded, solve

    size = cone.dimension
    units = [tuple(int(i == j) for j in range(size)) for i in range(size)]
    known = set(units)
    inequalities = [c for c in cone.given_inequalities or () if c not in known]
    equalities = list(cone.given_equalities or ())
    given = [*inequalities, *equalities]
    rows: list[Sequence[int | Fraction]] = [r, *given]
    low = [1, *[0] * len(given)]
    high = [1, *[None] * len(inequalities), *[0] * len(equalities)]
    outcome = solve([-c for c in a], rows, lower=low, upper=high)
    premises = [*inequalities, *equalities, *map(negative, equalities), *units]
    if isinstance(outcome, Infeasible):
        # r vanishes on the whole cone, so any row that a sees has infinite odds.
        found = solve([0] * size, [a, *given], lower=low, upper=high)
        if not isinstance(found, Optimal):
            raise _no_row()
        return primitive(found.x), INFINITY, {"premises": premises}
    if isinstance(outcome, Unbounded):
        return primitive(outcome.ray), INFINITY, {"premises": premises}
    odds = -outcome.value
    rest = [odds * q - p for p, q in zip(a, r, strict=True)]
    multipliers: list[Fraction] = []
    for row, y in zip(given, outcome.y[1:], strict=True):
        multipliers.append(y)
        if y:
            rest = [c - y * e for c, e in zip(rest, row, strict=True)]
    equal = multipliers[len(inequalities) :]
    multipliers[len(inequalities) :] = [max(y, Fraction(0)) for y in equal]
    multipliers += [max(-y, Fraction(0)) for y in equal] + rest
    return primitive(outcome.x), odds, {"premises": premises, "multipliers": multipliers}


def _no_row() -> InvalidInput:
    return InvalidInput(
        "every row of the cone vanishes on both sets: no mechanism has such rows, as its rows sum "
        "to the row of ones"
    )
