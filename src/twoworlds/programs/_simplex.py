"""The simplex method in exact rationals from any starting basis, on sparse factored systems.

A program is held in activities: minimise c.x subject to s = A x, with a box for every variable
x_j and every activity s_i. A basis names as many basic variables as there are rows; the others
sit on a bound (or at 0 when they have none). What remains to solve is the square system of the
basic columns in the rows whose activity is not basic (`twoworlds.programs._simplex`).

Phase one needs no second basis: where basic values violate their box, they are clipped into it
and one further column, the residual of the clipping, makes up the difference with weight t = 1,
non-basic at its upper bound; t is then minimised. A start that is almost right therefore costs a
few pivots. After a step that does not move, the next follows Bland's rule, so that no sequence
of bases repeats and the method ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from flint import fmpq, fmpq_mat, nmod_mat

ONE = fmpq(1)
_PROOFS_TRIED = 8


@dataclass
class Program:
    """Minimise c.x; ``low`` and ``high`` hold the boxes of the variables, then of the rows."""

    costs: list[fmpq]
    rows: list[Sparse]
    low: list[fmpq | None]
    high: list[fmpq | None]
    columns: list[Sparse] = field(init=False)

    def __post_init__(self) -> None:
        """Transpose the rows."""
        self.columns = [{} for _ in self.costs]
        for i, row in enumerate(self.rows):
            for j, entry in row.items():
                self.columns[j][i] = entry

    @property
    def width(self) -> int:
        """The number of variables; activities are numbered from here on."""
        return len(self.columns)

    def activities(self, x: list[fmpq]) -> list[fmpq]:
        """Return A x."""
        return [dot(row, x) for row in self.rows]

    def inside(self, v: int, value: fmpq) -> bool:
        """Tell whether a variable or activity may have this value."""
        low, high = self.low[v], self.high[v]
        return (low is None or value >= low) and (high is None or value <= high)

    def clipped(self, v: int, value: fmpq) -> fmpq:
        """Return the value of the box that is nearest."""
        low, high = self.low[v], self.high[v]
        if low is not None and value < low:
            return low
        return high if high is not None and value > high else value

    def combined(self, y: Mapping[int, fmpq]) -> Sparse:
        """Return y A, with its zeros left out."""
        found: Sparse = {}
        for i, weight in y.items():
            if weight != 0:
                for j, entry in self.rows[i].items():
                    found[j] = found.get(j, ZERO) + weight * entry
        return {j: value for j, value in found.items() if value != 0}

    def least(self, weights: Mapping[int, fmpq]) -> fmpq | None:
        """Return the minimum of a linear function over the boxes, None when there is none."""
        total = ZERO
        for v, weight in weights.items():
            if weight == 0:
                continue
            bound = self.low[v] if weight > 0 else self.high[v]
            if bound is None:
                return None
            total += weight * bound
        return total


def dot(row: Sparse, x: list[fmpq] | Sparse) -> fmpq:
    """Add up a sparse row."""
    return sum((entry * x[j] for j, entry in row.items()), start=ZERO)


def certifies(program: Program, y: Mapping[int, fmpq]) -> bool:
    """Tell whether y.s > (y A).x all over the boxes, so that s = A x is impossible (Farkas)."""
    weights = {program.width + i: weight for i, weight in y.items()}
    weights.update({j: -value for j, value in program.combined(y).items()})
    least = program.least(weights)
    return least is not None and least > 0


def independent(
    program: Program, columns: list[int], rows: list[int]
) -> tuple[list[int], set[int]]:
    """Return independent columns among those given, and rows in which they are square."""
    dense = fmpq_mat(
        len(rows), len(columns), [program.rows[i].get(j, ZERO) for i in rows for j in columns]
    )
    kept = [columns[k] for k in pivots(dense)]
    dense = fmpq_mat(
        len(kept), len(rows), [program.rows[i].get(j, ZERO) for j in kept for i in rows]
    )
    return kept, {rows[k] for k in pivots(dense)}


class Simplex:
    """A basis of a program, with the exact value of every variable and activity."""

    def __init__(self, program: Program, basic: Iterable[int], high: Iterable[int] = ()) -> None:
        """Put the variables that are not basic on a bound: the upper one where ``high`` says so."""
        self.program = program
        self.basic = set(basic)
        upper = set(high)
        self.x: list[fmpq] = [
            _resting(low, top, v in upper)
            for v, (low, top) in enumerate(zip(program.low, program.high, strict=True))
        ]
        self.y: Sparse = {}
        self._start()
        self._place()

    def _start(self) -> None:
        """Factor the basis; where it is singular, keep what is independent of it."""
        try:
            self._refactor()
            if self._factor.regular():
                return
        except Singular:
            pass
        width, height = self.program.width, len(self.program.rows)
        columns = [v for v in self.basic if v < width]
        kept, tight = independent(self.program, columns, list(range(height)))
        self.basic = {*kept, *(width + i for i in range(height) if i not in tight)}
        self._refactor()

    def _refactor(self) -> None:
        width = self.program.width
        columns = (v for v in self.basic if v < width)
        rows = {i: row for i, row in enumerate(self.program.rows) if width + i not in self.basic}
        self._factor = Factor(rows, columns)

    def _place(self) -> None:
        """Compute the basic values from the others."""
        program, width = self.program, self.program.width
        for v in self.basic:
            self.x[v] = ZERO
        moved = program.activities(self.x)
        right = {
            i: self.x[width + i] - moved[i]
            for i in range(len(moved))
            if width + i not in self.basic
        }
        for j, value in self._factor.solve(right).items():
            self.x[j] = value
        self._settle()

    def _settle(self) -> None:
        width = self.program.width
        for i, value in enumerate(self.program.activities(self.x)):
            if width + i in self.basic:
                self.x[width + i] = value

    def violated(self) -> list[int]:
        """Return the basic variables outside their box, furthest first."""
        found = [v for v in self.basic if not self.program.inside(v, self.x[v])]
        return sorted(
            found, key=lambda v: (-abs(self.x[v] - self.program.clipped(v, self.x[v])), v)
        )

    def refutation(self) -> Sparse | None:
        """Return a proof that no point is feasible that one row of the tableau gives."""
        width = self.program.width
        for v in self.violated()[:_PROOFS_TRIED]:
            if v < width:
                y = self._factor.transposed({v: ONE})
            else:
                row = self.program.rows[v - width]
                y = {i: -e for i, e in self._factor.transposed(row).items()}
                y[v - width] = ONE
            for sign in (ONE, -ONE):
                proof = {i: sign * value for i, value in y.items() if value != 0}
                if certifies(self.program, proof):
                    return proof
        return None

    def feasible(self) -> Sparse | None:
        """Move to a feasible basis, or return the proof that there is none."""
        if not self.violated():
            return None
        proof = self.refutation()
        return self._phase_one() if proof is None else proof

    def _phase_one(self) -> Sparse | None:
        """Minimise the weight t of the residual column, which is added for good."""
        program, width = self.program, self.program.width
        clipped = [program.clipped(v, value) for v, value in enumerate(self.x)]
        moved = program.activities(clipped)
        rows = [dict(row) for row in program.rows]
        for i, row in enumerate(rows):
            gap = clipped[width + i] - moved[i]
            if gap != 0:
                row[width] = gap
        low = [*program.low[:width], ZERO, *program.low[width:]]
        high = [*program.high[:width], ONE, *program.high[width:]]
        # The activities move up by one place, as the new variable is numbered before them.
        self.program = Program([*program.costs, ZERO], rows, low, high)
        self.basic = {v + (v >= width) for v in self.basic}
        self.x = [*clipped[:width], ONE, *clipped[width:]]
        self._refactor()
        self.run([ZERO] * width + [ONE])
        if self.x[width] > 0:
            return {i: value for i, value in self.y.items() if value != 0}
        self.program.high[width] = ZERO
        return None

    def run(self, costs: list[fmpq]) -> Sparse | None:
        """Pivot until no cost can fall (None), or return a ray along which it falls for ever."""
        careful = False
        while True:
            entering = self._entering(costs, careful=careful)
            if entering is None:
                return None
            v, sign = entering
            rates = self._rates(v, sign)
            step, leaving = self._step(v, sign, rates)
            if step is None:
                return rates
            for b, rate in rates.items():
                self.x[b] += step * rate
            careful = step == 0
            if leaving is not None and leaving != v:
                self.basic.remove(leaving)
                self.basic.add(v)
                self._refactor()

    def _entering(self, costs: list[fmpq], *, careful: bool) -> tuple[int, fmpq] | None:
        program, width = self.program, self.program.width
        self.y = self._factor.transposed({j: costs[j] for j in self.basic if j < width})
        reduced = {j: cost for j, cost in enumerate(costs) if cost != 0}
        for j, value in program.combined(self.y).items():
            reduced[j] = reduced.get(j, ZERO) - value
        reduced.update({width + i: value for i, value in self.y.items()})
        best: tuple[fmpq, int] | None = None
        for v, value in reduced.items():
            if value == 0 or v in self.basic or not self._may_move(v, -value):
                continue
            key = (ZERO if careful else -abs(value), v)
            if best is None or key < best:
                best = key
        if best is None:
            return None
        return best[1], ONE if reduced[best[1]] < 0 else -ONE

    def _may_move(self, v: int, sign: fmpq) -> bool:
        bound = self.program.high[v] if sign > 0 else self.program.low[v]
        return bound is None or bound != self.x[v]

    def _rates(self, v: int, sign: fmpq) -> Sparse:
        """Return how fast every variable moves when the entering one moves by ``sign``."""
        program, width = self.program, self.program.width
        if v < width:
            right = {i: -sign * e for i, e in program.columns[v].items()}
        else:
            right = {v - width: sign}
        rates = {j: rate for j, rate in self._factor.solve(right).items() if rate != 0}
        rates[v] = sign
        changes: Sparse = {}
        for j, rate in rates.items():
            if j < width:
                for i, e in program.columns[j].items():
                    if width + i in self.basic:
                        changes[width + i] = changes.get(width + i, ZERO) + e * rate
        rates.update({i: change for i, change in changes.items() if change != 0})
        return rates

    def _step(self, v: int, sign: fmpq, rates: Sparse) -> tuple[fmpq | None, int | None]:
        best: tuple[fmpq, int] | None = None
        for b, rate in rates.items():
            bound = self.program.high[b] if rate > 0 else self.program.low[b]
            if bound is not None:
                key = ((bound - self.x[b]) / rate, b)
                if best is None or key < best:
                    best = key
        return (None, None) if best is None else best


def _resting(low: fmpq | None, high: fmpq | None, upper: bool) -> fmpq:  # noqa: FBT001
    """Return where a variable rests that is not basic."""
    chosen = high if upper and high is not None else low
    if chosen is None:
        chosen = high
    return ZERO if chosen is None else chosen


# --- Sparse systems of rational equations, factored once and solved exactly for many right sides -
# Gaussian elimination on the sparse entries, with the pivot that promises the least fill (the
# product of the other entries in its row and in its column, Markowitz 1957) while that stays
# small; what then remains is handed to python-flint as a dense matrix. The bases of linear
# programs are so sparse that often nothing remains.

ZERO = fmpq(0)
Sparse = dict[int, fmpq]

_MOST_FILL = 64
_PRIME = (1 << 61) - 1


class Singular(Exception):
    """The chosen columns are linearly dependent in the chosen rows."""


class _Step(NamedTuple):
    """One pivot: what is left of its row, and how often the row is taken from the others."""

    row: int
    column: int
    pivot: fmpq
    rest: Sparse
    factors: Sparse


class Factor:
    """The square system of some columns in some rows, eliminated."""

    def __init__(self, rows: Mapping[int, Sparse], columns: Iterable[int]) -> None:
        """Eliminate; ``rows`` hold the entries of their chosen columns and maybe of others."""
        wanted = set(columns)
        self._rows = {i: {j: e for j, e in row.items() if j in wanted} for i, row in rows.items()}
        self._columns: dict[int, set[int]] = {j: set() for j in wanted}
        for i, row in self._rows.items():
            for j in row:
                self._columns[j].add(i)
        if len(self._rows) != len(wanted):
            raise Singular
        self._steps: list[_Step] = []
        self._eliminate()
        self._core_rows, self._core_columns = sorted(self._rows), sorted(self._columns)
        flat = [self._rows[i].get(j, ZERO) for i in self._core_rows for j in self._core_columns]
        self._core = fmpq_mat(len(self._core_rows), len(self._core_columns), flat)

    def _eliminate(self) -> None:
        # Lines are (count, 0, row) or (count, 1, column); a count that is out of date is skipped.
        self._heap = [(len(row), 0, i) for i, row in self._rows.items()]
        self._heap += [(len(column), 1, j) for j, column in self._columns.items()]
        heapify(self._heap)
        while self._heap:
            count, side, index = heappop(self._heap)
            line = (self._columns if side else self._rows).get(index)
            if line is None or len(line) != count:
                continue
            if not count:
                raise Singular
            if side:
                i, j = min(line, key=lambda i: (len(self._rows[i]), i)), index
            else:
                i, j = index, min(line, key=lambda j: (len(self._columns[j]), j))
            if (len(self._rows[i]) - 1) * (len(self._columns[j]) - 1) > _MOST_FILL:
                return
            self._pivot(i, j)

    def _pivot(self, i: int, j: int) -> None:
        rest = self._rows.pop(i)
        pivot = rest.pop(j)
        below = self._columns.pop(j) - {i}
        for column in rest:
            self._columns[column].discard(i)
        factors: Sparse = {}
        for other in below:
            row = self._rows[other]
            factor = factors[other] = row.pop(j) / pivot
            for column, entry in rest.items():
                value = row.get(column, ZERO) - factor * entry
                if value != 0:
                    row[column] = value
                    self._columns[column].add(other)
                else:
                    del row[column]
                    self._columns[column].discard(other)
            heappush(self._heap, (len(row), 0, other))
        for column in rest:
            heappush(self._heap, (len(self._columns[column]), 1, column))
        self._steps.append(_Step(i, j, pivot, rest, factors))

    def regular(self) -> bool:
        """Tell whether the system has an inverse; modulo a prime first, which is quick."""
        whole, _ = self._core.numer_denom()
        size = whole.nrows()
        return nmod_mat(whole, _PRIME).rank() == size or bool(whole.rank() == size)

    def solve(self, right: Mapping[int, fmpq]) -> Sparse:
        """Return the columns' values x with (A x)_i = right_i in every row of the system."""
        left = dict(right)
        for step in self._steps:
            value = left.get(step.row, ZERO)
            if value != 0:
                for i, factor in step.factors.items():
                    left[i] = left.get(i, ZERO) - factor * value
        found = self._dense(self._core, self._core_rows, self._core_columns, left)
        for step in reversed(self._steps):
            known = (entry * found[j] for j, entry in step.rest.items())
            found[step.column] = (left.get(step.row, ZERO) - sum(known, start=ZERO)) / step.pivot
        return found

    def transposed(self, right: Mapping[int, fmpq]) -> Sparse:
        """Return the rows' values y with (y A)_j = right_j in every column of the system."""
        left = dict(right)
        found: Sparse = {}
        for step in self._steps:
            value = found[step.row] = left.get(step.column, ZERO) / step.pivot
            if value != 0:
                for j, entry in step.rest.items():
                    left[j] = left.get(j, ZERO) - entry * value
        core = self._core.transpose()
        found.update(self._dense(core, self._core_columns, self._core_rows, left))
        for step in reversed(self._steps):
            taken = (factor * found[i] for i, factor in step.factors.items())
            found[step.row] -= sum(taken, start=ZERO)
        return found

    @staticmethod
    def _dense(
        matrix: fmpq_mat, rows: list[int], columns: list[int], right: Mapping[int, fmpq]
    ) -> Sparse:
        values = [right.get(i, ZERO) for i in rows]
        if all(value == 0 for value in values):
            return dict.fromkeys(columns, ZERO)
        solved = matrix.solve(fmpq_mat(len(values), 1, values))
        return dict(zip(columns, solved.entries(), strict=True))


def pivots(matrix: fmpq_mat) -> list[int]:
    """Return the first columns that span all of them."""
    if not matrix.nrows() or not matrix.ncols():
        return []
    reduced, rank = matrix.rref()
    table = reduced.tolist()
    return [next(k for k, entry in enumerate(table[i]) if entry != 0) for i in range(rank)]
