"""Linear programs with exact answers; with `decoding` the only module that imports HiGHS.

    minimise c.x   subject to   lower <= A x <= upper,   least <= x <= most        (all rational)

HiGHS solves the program in floats and only its final basis is believed to be interesting: from
there the exact simplex of `_simplex` goes on, usually for no pivot at all. Data
that floats cannot hold (constraints that differ by 10^-15, entries of 10^400) cost time, never
truth. No outcome is returned before it has been verified against the program as given:

- `Optimal`: x is feasible, and the multipliers y give the lower bound
  sum_i y_i b_i + sum_j d_j e_j = c.x, where d = c - y A, b_i is the lower bound of row i when
  y_i > 0 and the upper when y_i < 0, and e_j likewise of variable j.
- `Infeasible`: multipliers y with min y.s over the rows' bounds > max (y A).x over the variables'
  (or y names a single row whose own bounds contradict each other).
- `Unbounded`: a feasible point and a ray along which it stays feasible and the cost falls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, lcm
from typing import Any

from flint import fmpq, fmpz

from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.programs._simplex import ZERO, Program, Simplex, certifies

Rational = int | Fraction | fmpz | fmpq
Row = Sequence[Rational] | Mapping[int, Rational]
Bounds = Sequence[Rational | None]

_TOLERANCE = 1e-9
_PRIMAL = 4
_HIGHEST = 1e19  # HiGHS reads 1e20 and more as infinite


@dataclass(frozen=True)
class Optimal:
    """A point of least cost, and the multipliers of the rows that prove it."""

    x: tuple[Fraction, ...]
    y: tuple[Fraction, ...]
    value: Fraction


@dataclass(frozen=True)
class Infeasible:
    """Multipliers of the rows that prove that no point satisfies them all."""

    y: tuple[Fraction, ...]


@dataclass(frozen=True)
class Unbounded:
    """A feasible point and a ray: the cost falls for ever."""

    x: tuple[Fraction, ...]
    ray: tuple[Fraction, ...]


Outcome = Optimal | Infeasible | Unbounded


def solve(
    objective: Sequence[Rational],
    rows: Sequence[Row],
    *,
    lower: Bounds,
    upper: Bounds,
    least: Bounds | None = None,
    most: Bounds | None = None,
) -> Outcome:
    """Minimise objective.x subject to lower <= rows.x <= upper and least <= x <= most, exactly.

    Args:
        objective: one cost per variable; zeros ask for any feasible point.
        rows: each a sequence of coefficients, or a mapping from variable to coefficient.
        lower: one bound per row; None for none.
        upper: likewise; equal bounds are an equation.
        least: one lower bound per variable, None for none; zeros unless given.
        most: likewise; no upper bounds unless given.

    >>> solve([1, 1], [[1, 2], [3, 1]], lower=[4, 6], upper=[None, None]).value
    Fraction(14, 5)
    >>> solve([0], [[1], [1]], lower=[1, None], upper=[None, Fraction(1, 2)])
    Infeasible(y=(Fraction(1, 1), Fraction(-1, 1)))
    """
    program, scales = _read(objective, rows, lower, upper, least, most)
    crossed = _crossed(program)
    if crossed is not None:
        return Infeasible(_given(crossed, scales))
    basic, high = _float_basis(program)
    simplex = Simplex(program, basic, high)
    width = program.width
    proof = simplex.feasible()
    if proof is not None:
        return _verified(program, scales, proof)
    costs = program.costs + [ZERO] * (simplex.program.width - width)
    ray = simplex.run(costs)
    x = simplex.x[:width]
    if ray is None:
        return _optimal(program, scales, x, simplex.y)
    return _unbounded(program, x, [ray.get(j, ZERO) for j in range(width)])


def combine(
    generators: Sequence[Sequence[Rational]], vector: Sequence[Rational]
) -> tuple[bool, tuple[Fraction, ...]]:
    """Write a vector as a non-negative combination of generators, or separate it from them.

    Returns:
        (True, weights) with vector = sum w g and w >= 0, or (False, functional) with f.g >= 0
        for every generator and f.vector < 0.

    >>> combine([[1, 0], [1, 1]], [3, 1])
    (True, (Fraction(2, 1), Fraction(1, 1)))
    >>> combine([[1, 0], [1, 1]], [0, 1])[0]
    False
    """
    rows: list[dict[int, Rational]] = [
        {k: generator[i] for k, generator in enumerate(generators) if generator[i]}
        for i in range(len(vector))
    ]
    outcome = solve([0] * len(generators), rows, lower=vector, upper=vector)
    if isinstance(outcome, Optimal):
        return True, outcome.x
    if isinstance(outcome, Infeasible):
        return False, tuple(-value for value in outcome.y)
    raise TwoWorldsError("a program without costs cannot be unbounded: please report this")


def _rational(value: Any) -> fmpq:
    if isinstance(value, fmpq):
        return value
    if isinstance(value, (int, Fraction)):
        return fmpq(value.numerator, value.denominator)
    if isinstance(value, fmpz):
        return fmpq(value)
    raise InvalidInput(f"{value!r} is not a rational number: give an int or a Fraction")


def _read(
    objective: Sequence[Rational],
    rows: Sequence[Row],
    lower: Bounds,
    upper: Bounds,
    least: Bounds | None,
    most: Bounds | None,
) -> tuple[Program, list[fmpq]]:
    """Scale every row to whole numbers without a common factor; return the scales."""
    width = len(objective)
    least = [0] * width if least is None else least
    most = [None] * width if most is None else most
    if len(least) != width or len(most) != width:
        raise InvalidInput(
            f"{len(least)} lower and {len(most)} upper bounds are given for {width} variables"
        )
    if len(lower) != len(rows) or len(upper) != len(rows):
        raise InvalidInput(
            f"{len(lower)} lower and {len(upper)} upper bounds are given for {len(rows)} rows"
        )
    read = [_sparse(row, width) for row in rows]
    scales = [_scale(row) for row in read]
    low = [None if b is None else _rational(b) for b in least]
    high = [None if b is None else _rational(b) for b in most]
    for bounds, target in ((lower, low), (upper, high)):
        target += [
            None if b is None else _rational(b) * s for b, s in zip(bounds, scales, strict=True)
        ]
    scaled = [{j: e * s for j, e in row.items()} for row, s in zip(read, scales, strict=True)]
    return Program([_rational(c) for c in objective], scaled, low, high), scales


def _sparse(row: Row, width: int) -> dict[int, fmpq]:
    if isinstance(row, Mapping):
        found = {j: _rational(e) for j, e in row.items()}
        if any(not 0 <= j < width for j in found):
            raise InvalidInput(f"a row names variable {max(found)}, of {width} counted from 0")
    elif len(row) != width:
        raise InvalidInput(f"a row of {len(row)} coefficients is given for {width} variables")
    else:
        found = {j: _rational(e) for j, e in enumerate(row)}
    return {j: e for j, e in found.items() if e != 0}


def _scale(row: dict[int, fmpq]) -> fmpq:
    if not row:
        return fmpq(1)
    bottom = lcm(*(int(e.q) for e in row.values()))
    top = gcd(*(int(e.p) * (bottom // int(e.q)) for e in row.values()))
    return fmpq(bottom, top)


def _crossed(program: Program) -> dict[int, fmpq] | None:
    """Return the row whose lower bound lies above its upper bound, if there is one."""
    for v, (low, high) in enumerate(zip(program.low, program.high, strict=True)):
        if low is None or high is None or low <= high:
            continue
        if v >= program.width:
            return {v - program.width: fmpq(1)}
        raise InvalidInput(
            f"variable {v} has the lower bound {low} above its upper bound {high}: "
            "state such a contradiction as a row"
        )
    return None


# --- what is returned -----------------------------------------------------------------------------


def _fractions(values: Sequence[fmpq]) -> tuple[Fraction, ...]:
    return tuple(Fraction(int(v.p), int(v.q)) for v in values)


def _given(y: Mapping[int, fmpq], scales: list[fmpq]) -> tuple[Fraction, ...]:
    """Return the multipliers of the rows as they were given."""
    return _fractions([y.get(i, ZERO) * s for i, s in enumerate(scales)])


def _require(truth: bool, what: str) -> None:  # noqa: FBT001
    if not truth:
        raise TwoWorldsError(f"{what} of a linear program does not verify: please report this")


def _feasible(program: Program, x: list[fmpq]) -> bool:
    return all(program.inside(v, value) for v, value in enumerate([*x, *program.activities(x)]))


def _verified(program: Program, scales: list[fmpq], y: Mapping[int, fmpq]) -> Infeasible:
    _require(certifies(program, y), "the proof of infeasibility")
    return Infeasible(_given(y, scales))


def _optimal(program: Program, scales: list[fmpq], x: list[fmpq], y: Mapping[int, fmpq]) -> Optimal:
    value = sum((c * v for c, v in zip(program.costs, x, strict=True)), start=ZERO)
    weights = {program.width + i: weight for i, weight in y.items()}
    weights.update({j: c for j, c in enumerate(program.costs) if c != 0})
    for j, part in program.combined(y).items():
        weights[j] = weights.get(j, ZERO) - part
    _require(_feasible(program, x), "the solution")
    _require(program.least(weights) == value, "the optimality")
    return Optimal(_fractions(x), _given(y, scales), _fractions([value])[0])


def _unbounded(program: Program, x: list[fmpq], ray: list[fmpq]) -> Unbounded:
    _require(_feasible(program, x), "the point")
    moves = [*ray, *program.activities(ray)]
    stays = all(
        (program.high[v] if move > 0 else program.low[v]) is None
        for v, move in enumerate(moves)
        if move != 0
    )
    falls = sum((c * r for c, r in zip(program.costs, ray, strict=True)), start=ZERO) < 0
    _require(stays and falls, "the ray")
    return Unbounded(_fractions(x), _fractions(ray))


# --- the start in floats --------------------------------------------------------------------------


def _size(value: fmpq) -> int:
    """Return the binary logarithm of a number, about."""
    return abs(int(value.p)).bit_length() - int(value.q).bit_length()


def _float(value: fmpq, shift: int) -> float:
    """Return value * 2^shift as a float, infinite where it is too large."""
    top, bottom = int(value.p), int(value.q)
    top, bottom = (top << shift, bottom) if shift >= 0 else (top, bottom << -shift)
    try:
        found = top / bottom
    except OverflowError:
        return inf if top > 0 else -inf
    return found if abs(found) < _HIGHEST else inf if found > 0 else -inf


def _run(model: Any, tolerance: float, more: Sequence[tuple[str, Any]]) -> Any:
    """Solve a program in floats."""
    import highspy

    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    within = [(f"{side}_feasibility_tolerance", tolerance) for side in ("primal", "dual")]
    for option, value in (("threads", 1), *within, *more):
        solver.setOptionValue(option, value)
    solver.passModel(model)
    solver.run()
    return solver


def _highs(costs: Any, low: Any, high: Any, columns: tuple[Any, Any, Any]) -> Any:
    """Return the model of HiGHS; ``columns`` hold counts, and the rows and values of entries."""
    import highspy
    import numpy as np

    width, (counts, rows, values) = len(costs), columns
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = width, len(low) - width
    model.col_cost_ = costs
    model.col_lower_, model.col_upper_ = low[:width], high[:width]
    model.row_lower_, model.row_upper_ = low[width:], high[width:]
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.append(0, np.cumsum(counts)).astype(np.int32)
    model.a_matrix_.index_ = rows.astype(np.int32)
    model.a_matrix_.value_ = values
    return model


def _float_basis(program: Program) -> tuple[list[int], list[int]]:
    """Return the basic variables, and those at their upper bounds, where HiGHS ends."""
    width, height = program.width, len(program.rows)
    slack = list(range(width, width + height))
    if not width or not height:
        return slack, []
    import highspy

    more = [("solver", "simplex"), ("presolve", "off")]
    solver = _run(_model(program), _TOLERANCE, more)
    basis = solver.getBasis()
    if not basis.valid:
        return slack, []
    status = [*basis.col_status, *basis.row_status]
    basic = [v for v, kind in enumerate(status) if kind == highspy.HighsBasisStatus.kBasic]
    high = [v for v, kind in enumerate(status) if kind == highspy.HighsBasisStatus.kUpper]
    return (basic, high) if len(basic) == height else (slack, [])


def _model(program: Program) -> Any:
    """Scale rows, columns, costs and bounds by powers of 2 so that floats can hold them."""
    import numpy as np

    by_row = [-max(map(_size, row.values()), default=0) for row in program.rows]
    by_column = [
        -max((_size(e) + by_row[i] for i, e in column.items()), default=0)
        for column in program.columns
    ]
    shifts = [*(-s for s in by_column), *by_row]
    given = [
        (b, s)
        for side in (program.low, program.high)
        for b, s in zip(side, shifts, strict=True)
        if b is not None and b != 0
    ]
    common = -max((_size(b) + s for b, s in given), default=0)
    cost = -max(
        (_size(c) + s for c, s in zip(program.costs, by_column, strict=True) if c != 0),
        default=0,
    )

    def bounds(side: Sequence[fmpq | None], none: float) -> Any:
        pairs = zip(side, shifts, strict=True)
        return np.array([none if b is None else _float(b, s + common) for b, s in pairs])

    costs = [_float(c, s + cost) for c, s in zip(program.costs, by_column, strict=True)]
    counts = [len(column) for column in program.columns]
    rows = np.array([i for column in program.columns for i in column], dtype=np.int32)
    scaled = zip(program.columns, by_column, strict=True)
    values = [_float(e, by_row[i] + shift) for column, shift in scaled for i, e in column.items()]
    low, high = bounds(program.low, -inf), bounds(program.high, inf)
    return _highs(np.array(costs), low, high, (counts, rows, np.array(values)))


def solve_in_floats(costs: Any, matrix: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
    """Minimise costs.x over x >= 0 and lower <= A x <= upper in floats, for who checks the answer.

    ``matrix`` holds the rows, the columns and the values of the entries of A, as arrays. Returns
    x and the multipliers of the rows: good guesses that prove nothing.
    """
    return generate_in_floats(costs, matrix, lower, upper, lambda _x, _multipliers: None)


def generate_in_floats(
    costs: Any, matrix: Any, lower: Any, upper: Any, more: Callable[[Any, Any], Any]
) -> tuple[Any, Any]:
    """Do the same with variables that enter as they are needed, at no cost.

    ``more`` is given x and the multipliers, and returns the columns of the variables that enter
    (their rows, their numbers from 0 on and the values), or None where the answer will do.
    """
    import numpy as np

    def by_column(matrix: Any, width: int) -> tuple[Any, Any, Any]:
        rows, columns, values = matrix
        order = np.lexsort((rows, columns))
        return np.bincount(columns, minlength=width), rows[order], values[order]

    width = len(costs)
    low = np.append(np.zeros(width), lower)
    high = np.append(np.full(width, np.inf), upper)
    model = _highs(costs, low, high, by_column(matrix, width))
    solver = _run(model, _TOLERANCE / 10, [("small_matrix_value", 1e-12)])
    while True:
        found = solver.getSolution()
        x, multipliers = np.array(found.col_value), np.array(found.row_dual)
        if len(x) != width:
            raise TwoWorldsError("a linear program was not solved in floats: please report this")
        new = more(x, multipliers)
        if new is None:
            return x, multipliers
        counts, rows, values = by_column(new, 0)
        many, free = len(counts), np.zeros(len(counts))
        starts = (np.cumsum(counts) - counts).astype(np.int32)
        endless = np.full(many, np.inf)
        entries = rows.astype(np.int32)
        solver.addCols(many, free, free, endless, len(values), starts, entries, values)
        solver.setOptionValue("simplex_strategy", _PRIMAL)  # the former answer is feasible
        solver.run()
        width += many
