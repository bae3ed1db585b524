"""Measures in SQL: each is one sum over rows, in as many columns as its engine needs to be exact.

Up to 2^33 rows of values below 2^62 are summed without loss: in the engine's 128-bit sums, or in
limbs of 30 bits, v = l_0 + 2^30 l_1 + 2^60 l_2 with 0 <= l_0, l_1 < 2^30, whose sums fit 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from twoworlds.release.plan import sql
from twoworlds.release.plan.columns import Clean
from twoworlds.release.plan.conditions import truth
from twoworlds.release.plan.engines import Engine
from twoworlds.release.plan.totals import LIMB
from twoworlds.release.query.measures import Measure

__all__ = ["aggregates", "limbs"]


def limbs(measure: Measure, engine: Engine) -> int:
    """Return in how many columns a measure is summed; 0 for ranks, which are counted by bin."""
    if measure.kind == "ranks":
        return 0
    if measure.kind in ("rows", "people") or engine.wide:
        return 1
    return max(1, -(-_largest(measure).bit_length() // LIMB))


def _largest(measure: Measure) -> int:
    distance = max(abs(measure.low - measure.center), abs(measure.high - measure.center))
    return distance**2 if measure.kind == "squares" else distance


def aggregates(
    measure: Measure, engine: Engine, column: Callable[[str], Clean], person: Clean | None
) -> list[exp.Expression]:
    """Return the sums of a measure over clean rows, one for each limb."""
    match measure.kind:
        case "ranks":
            return []
        case "people" if person is not None:
            distinct = exp.Distinct(expressions=[_where(measure, person(), column)])
            return [exp.Count(this=distinct)]
        case "rows" | "people":
            return [exp.Count(this=_counted(measure, column))]
    count = limbs(measure, engine)
    term = _term(measure, engine, column)
    return [exp.Sum(this=_where(measure, _limb(term, i, count), column)) for i in range(count)]


def _counted(measure: Measure, column: Callable[[str], Clean]) -> exp.Expression:
    if measure.column is not None:
        return _where(measure, column(measure.column)(), column)
    return exp.Star() if measure.where is None else _where(measure, sql.number(1), column)


def _where(
    measure: Measure, value: exp.Expression, column: Callable[[str], Clean]
) -> exp.Expression:
    if measure.where is None:
        return value
    return sql.case((truth(measure.where, column), value))


def _term(measure: Measure, engine: Engine, column: Callable[[str], Clean]) -> exp.Expression:
    """Return what one row adds; arithmetic is done in 64 bits, which always suffice."""
    v = column(str(measure.column)).units(measure)
    if engine.narrow or measure.center or measure.kind == "squares":
        v = sql.cast(v, "BIGINT")
    if measure.center:
        v = exp.Paren(this=v - sql.number(measure.center))
    return v * v.copy() if measure.kind == "squares" else v


def _limb(v: exp.Expression, index: int, count: int) -> exp.Expression:
    if count == 1:
        return v
    part: exp.Expression = sql.cast(v.copy(), "BIGINT")
    if index:
        part = exp.BitwiseRightShift(this=part, expression=sql.number(LIMB * index))
    if index == count - 1:
        return part
    return exp.BitwiseAnd(this=exp.Paren(this=part), expression=sql.number((1 << LIMB) - 1))
