"""The simplex method in exact rationals, from any starting basis.

A program is held in activities: minimise c.x subject to s = A x, with a box for every variable
x_j and every activity s_i. A basis names as many basic variables as there are rows; the others
sit on a bound (or at 0 when they have none). What remains to solve is the square system of the
basic columns in the rows whose activity is not basic (`twoworlds.programs._factor`).

Phase one needs no second basis: where basic values violate their box, they are clipped into it
and one further column, the residual of the clipping, makes up the difference with weight t = 1,
non-basic at its upper bound; t is then minimised. A start that is almost right therefore costs a
few pivots. After a step that does not move, the next follows Bland's rule, so that no sequence
of bases repeats and the method ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from flint import fmpq, fmpq_mat

from twoworlds.programs._factor import ZERO, Factor, Singular, Sparse, pivots

__all__ = ["Program", "Simplex", "certifies"]

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
