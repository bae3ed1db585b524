"""A finite mechanism as a float matrix: the fast path for large universes.

Entries are taken as the exact doubles that they are; each column must sum to 1 to within a stated
tolerance. All neighbouring columns are compared at once by numpy, some rows at a time:

* **Ratios.** Rounding is monotone, so that the largest quotient is among those that round to the
  largest double, or beyond it. These are compared in exact arithmetic: the ratio is exact.
* **Gaps.** The pair that is shown is recomputed in exact arithmetic, which gives the lower end. The
  upper end covers the rounding of the whole search. With u = 2^-53: scaling by 2^110 is exact and
  makes every entry a multiple of 2^-964. A double a >= 1 is a multiple of 2^-52, so that a y and
  the parts of which it is made (Dekker's product p + e = a y) are multiples of 2^-1016, and no part
  is lost to underflow. If x/2 <= p <= 2x then x - p is exact; else e is too small to change its
  sign. So (x - p) - e has the exact sign, and a relative error of at most 3u. Adding up n terms
  that are not negative rounds each at most n times more: the true sum is at most the computed one
  divided by 1 - (n + 3) u, and 0 only if that is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from twoworlds.errors import InvalidInput, NotStochastic, Unsupported
from twoworlds.laws.comparison import Comparison, Family, FiniteComparison, Gap, Peak
from twoworlds.laws.event import Listed
from twoworlds.mechanisms.base import Dense, Mechanism
from twoworlds.numbers import INFINITY, Number, Order, Real, below, bounds, compare
from twoworlds.worlds import Part, Point, Universe, pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-9
_SCALE_BITS = 110
_LARGEST_RATIO = 2.0**900  # beyond it the parts of a product would overflow; a gap only falls
_SPLITTER = 2.0**27 + 1
_AT_ONCE = 1 << 18  # entries
_FINE = Fraction(1, 1 << 40)  # of a ratio that is found from above


class FloatMatrix(Mechanism):
    """A mechanism whose probabilities are doubles."""

    exact = False

    def __init__(
        self, universe: Universe, outputs: Universe, matrix: Any, *, expression: str | None = None
    ) -> None:
        self.universe, self.outputs = universe, outputs
        self.matrix: NDArray[np.float64] = np.ascontiguousarray(matrix, dtype=np.float64)
        shape = f"float matrix of {outputs.size} outputs and {universe.size} databases"
        self.expression = expression or shape
        if self.matrix.shape != (outputs.size, universe.size):
            raise InvalidInput(
                f"the matrix has shape {self.matrix.shape}, but there are {outputs.size} outputs "
                f"and {universe.size} databases: one row per output, one column per database"
            )
        _check(self.matrix, universe, outputs)

    def probability(self, output: Point, database: Point) -> Number:
        row, column = self.outputs.positions[output], self.universe.positions[database]
        return Fraction(float(self.matrix[row, column]))

    def table(self) -> Dense:
        """Refuse: the columns sum to 1 only nearly."""
        raise Unsupported(
            "a float matrix has no exact table: write its entries as fractions to combine it"
        )

    def over(self, universe: Universe) -> FloatMatrix:
        return self._on(universe, self.expression)

    def restrict(self, databases: Iterable[object]) -> FloatMatrix:
        chosen = tuple(self.universe.find(database) for database in databases)
        shown = ", ".join(self.universe.label(x) for x in chosen)
        return self._on(Part(self.universe, chosen), f"restrict({self.expression}, [{shown}])")

    def _on(self, universe: Universe, expression: str) -> FloatMatrix:
        order = [self.universe.positions[database] for database in universe]
        same = order == list(range(self.matrix.shape[1]))
        matrix = self.matrix if same else self.matrix[:, order]
        return FloatMatrix(universe, self.outputs, matrix, expression=expression)

    def family(self, relation: str, group: int = 1) -> Family:
        """Compare all neighbouring columns at once."""
        return _FloatFamily(self, relation, group)

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        weights = self.matrix[:, self.universe.positions[self.universe.find(database)]]
        chosen = rng.choice(len(weights), p=weights / weights.sum())
        return tuple(self.outputs)[int(chosen)]


class _FloatFamily(Family):
    method = "every ordered pair of neighbouring columns, in floats with proven error bounds"

    def __init__(self, mechanism: FloatMatrix, relation: str, group: int) -> None:
        self._mechanism, self._relation, self._group = mechanism, relation, group
        self._databases = tuple(mechanism.universe)
        self._outputs = tuple(mechanism.outputs)

    @cached_property
    def _sides(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The columns of all pairs, each both ways round."""
        position = self._mechanism.universe.positions
        listed = list(pairs(self._mechanism.universe, self._relation, self._group))
        found = np.array([(position[x], position[y]) for x, y in listed], dtype=np.int64)
        xs, ys = found.reshape(-1, 2).T
        return np.concatenate([xs, ys]), np.concatenate([ys, xs])

    def __iter__(self) -> Iterator[Comparison]:
        return (self._pair(x, y) for x, y in zip(*self._sides, strict=True))

    def _blocks(self) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.float64]]]:
        """Yield some rows of both sides at a time, after the number of the first row."""
        matrix, (xs, ys) = self._mechanism.matrix, self._sides
        rows = max(1, _AT_ONCE // max(1, len(xs)))
        for first in range(0, len(matrix), rows):
            block = matrix[first : first + rows]
            yield first, block[:, xs], block[:, ys]

    def peak(self) -> tuple[Comparison, Peak]:
        """Compare the quotients that round to the largest double exactly."""
        top, best, place = 0.0, Fraction(0), (0, 0)
        for first, p, q in self._blocks():
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                quotients = p / q
            here = float(np.fmax.reduce(quotients, axis=None, initial=0.0))  # 0/0 is left out
            if here == 0 or here < top:
                continue
            top, near = here, quotients == here
            entries = np.unique(p[near] + 1j * q[near])
            a, b = max(((z.real, z.imag) for z in entries.tolist()), key=_quotient)
            if (found := _quotient((a, b))) > best:
                row, pair = np.argwhere(near & (p == a) & (q == b))[0]
                best, place = found, (first + int(row), int(pair))
        output, pair = place
        shown = self._shown(pair)
        if top == 0:
            return shown, Peak(Fraction(1), Listed.of(()))
        return shown, Peak(best, Listed.of([self._outputs[output]]))

    def gap(self, ratio: Number) -> tuple[Comparison, Gap]:
        """Enclose the largest gap between that of a pair and the bound of the search."""
        endless = ratio == INFINITY
        least = 1.0 if endless else max(1.0, min(below(ratio), _LARGEST_RATIO))
        sums = np.zeros(len(self._sides[0]))
        for _, p, q in self._blocks():
            sums += (np.where(q == 0, p, 0.0) if endless else _excess(p, q, least)).sum(axis=0)
        pair = int(sums.argmax()) if len(sums) else 0
        shown = self._shown(pair)
        attained = shown.gap(ratio)
        floor = bounds(attained.delta)[0]
        slack = 1 - Fraction(len(self._mechanism.matrix) + 3, 2**53)
        most = Fraction(float(sums[pair])) / slack if len(sums) else Fraction(0)
        if not endless:
            most /= 2**_SCALE_BITS
        return shown, Gap(_interval(floor, max(most, floor)), attained.event)

    def ratio_for(self, delta: Number) -> tuple[Comparison, Number]:
        """Solve for the worst pair, until no other one needs a larger ratio."""
        if delta == 0:
            pair, peak = self.peak()
            return pair, peak.ratio
        pair, limit = self.gap(INFINITY)
        if compare(limit.delta, delta) is Order.GREATER:
            return pair, INFINITY
        ratio = Fraction(1)
        while True:
            found, gap = self.gap(ratio)
            wanted = bounds(found.ratio_for(delta))[0]
            if compare(bounds(gap.delta)[0], delta) is not Order.GREATER or wanted <= ratio:
                break
            pair, ratio = found, wanted
        high, step = ratio, _FINE
        while compare(bounds(gap.delta)[1], delta) is Order.GREATER and high < _LARGEST_RATIO:
            high, step = ratio * (1 + step), step * 256
            _, gap = self.gap(high)
        return pair, _interval(ratio, high)

    def _shown(self, pair: int) -> FiniteComparison:
        xs, ys = self._sides
        return self._pair(xs[pair], ys[pair]) if len(xs) else self._pair(0, 0)

    def _pair(self, x: int, y: int) -> FiniteComparison:
        """Return the exact comparison of two columns of doubles."""
        matrix, outputs = self._mechanism.matrix, self._outputs
        p, q = ([Fraction(float(entry)) for entry in matrix[:, i]] for i in (x, y))
        return FiniteComparison.of(self._databases[x], self._databases[y], outputs, p, q)


def _quotient(pair: tuple[float, float]) -> Any:
    """Return the exact quotient of two doubles, of which the first is above 0."""
    return Fraction(pair[0]) / Fraction(pair[1]) if pair[1] else INFINITY


def _excess(x: NDArray[np.float64], y: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """Return max(0, x - a y), scaled by 2^110, with its exact sign."""
    x, y = np.ldexp(x, _SCALE_BITS), np.ldexp(y, _SCALE_BITS)
    whole = _SPLITTER * a
    a1 = whole - (whole - a)
    a2 = a - a1
    parts = _SPLITTER * y
    y1 = parts - (parts - y)
    y2 = y - y1
    p = a * y
    e = ((a1 * y1 - p) + a1 * y2 + a2 * y1) + a2 * y2
    return np.asarray(np.maximum((x - p) - e, 0.0))


def _interval(low: Fraction, high: Fraction) -> Number:
    return low if low == high else Real.between(low, high)


def _check(matrix: NDArray[np.float64], universe: Universe, outputs: Universe) -> None:
    bad = ~((matrix >= 0) & (matrix <= 1))
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        o, x = tuple(outputs)[row], tuple(universe)[column]
        raise NotStochastic(
            f"P({outputs.label(o)} | {universe.label(x)}) = {matrix[row, column]} "
            "is not a probability: entries lie between 0 and 1"
        )
    sums = matrix.sum(axis=0)
    column = int(np.argmax(np.abs(sums - 1)))
    off = float(sums[column] - 1)
    if abs(off) > TOLERANCE:
        x = tuple(universe)[column]
        raise NotStochastic(
            f"column {universe.label(x)} sums to {float(sums[column])}, off by {off:.3g}: "
            f"a float matrix may be off by at most {TOLERANCE}"
        )
