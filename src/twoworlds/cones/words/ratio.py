r"""The largest ratio of two linear functions over a cone of likelihood rows, with its proof.

A ratio a . x / r . x of functions that are not negative is largest at an extreme row. A cone that
is given by rows is answered by trying them, and one that is given by inequalities c . x >= 0 by the
linear program

    maximise a . x    subject to    r . x = 1,  c . x >= 0,  x >= 0,

whose optimum alpha comes with multipliers y >= 0 of the inequalities: alpha r - a = sum of y c, so
that no row of the cone has a larger ratio. A row with a . x > 0 = r . x makes it infinite.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import Vector, dot, negative, primitive, units
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import INFINITY, Number

Found = tuple[Vector, Number, dict[str, object]]


def largest_ratio(cone: Cone, a: Sequence[Fraction], r: Sequence[Fraction]) -> Found:
    """Return a row x of the largest ratio a . x / r . x, the ratio, and the proof as data.

    >>> largest_ratio(Cone.from_rays([(3, 1), (1, 3)]), [Fraction(1), Fraction(0)],
    ...               [Fraction(0), Fraction(1)])[:2]
    ((3, 1), Fraction(3, 1))
    """
    given = cone.constraints
    if given is None:
        rays, lines = cone.generators or ((), ())
        row, odds = _best(rays, lines, a, r)
        proof: dict[str, object] = {"generators": rays}
    else:
        row, odds, proof = _by_program(cone.dimension, *given, a, r)
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


def _by_program(
    size: int,
    listed: Sequence[Vector],
    equalities: Sequence[Vector],
    a: Sequence[Fraction],
    r: Sequence[Fraction],
) -> Found:
    from twoworlds.programs import Infeasible, Optimal, Unbounded, solve

    ones = units(size)
    known = set(ones)
    inequalities = [c for c in listed if c not in known]
    given = [*inequalities, *equalities]
    rows: list[Sequence[int | Fraction]] = [r, *given]
    low = [1, *[0] * len(given)]
    high = [1, *[None] * len(inequalities), *[0] * len(equalities)]
    outcome = solve([-c for c in a], rows, lower=low, upper=high)
    premises = [*inequalities, *equalities, *map(negative, equalities), *ones]
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
