"""A finite mechanism as a float matrix: the fast path for large universes.

Entries are taken as the exact doubles that they are; each column must sum to 1 to within a stated
tolerance. The worst pairs are found by compiled loops (`twoworlds.mechanisms._kernels`), and every
number comes back as an enclosure with proven ends: the lower end is attained by the pair that is
shown, recomputed in exact arithmetic, and the upper end covers the rounding of the whole search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from twoworlds.errors import InvalidInput, NotStochastic, Unsupported
from twoworlds.laws.comparison import Comparison, Family, FiniteComparison, Gap, Peak
from twoworlds.laws.event import Listed
from twoworlds.mechanisms.base import Dense, Mechanism
from twoworlds.numbers import INFINITY, Number, Order, Real, above, below, compare
from twoworlds.worlds import SUBSTITUTE, Part, Point, Records, Universe, pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from twoworlds.mechanisms._kernels import HammingWorst

TOLERANCE = 1e-9
_SEARCH_WIDTH = 16
_SEARCH_ROUNDS = 12
_LARGEST = float(np.finfo(np.float64).max)


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
        """Compare all neighbouring columns by compiled loops."""
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

    def __iter__(self) -> Iterator[Comparison]:
        position = self._mechanism.universe.positions
        for x, y in pairs(self._mechanism.universe, self._relation, self._group):
            yield self._pair(position[x], position[y])
            yield self._pair(position[y], position[x])

    def peak(self) -> tuple[Comparison, Peak]:
        worst = self._worst([])
        x, y = worst.ratio_pair or (0, 0)
        pair = self._pair(x, y)
        if worst.ratio_output is None:
            return pair, Peak(Fraction(1), Listed.of(()))
        ratio = _between(worst.ratio_lower, worst.ratio_upper)
        return pair, Peak(ratio, Listed.of([self._outputs[worst.ratio_output]]))

    def gap(self, ratio: Number) -> tuple[Comparison, Gap]:
        low, high = (_LARGEST, _LARGEST) if ratio == INFINITY else (below(ratio), above(ratio))
        low = max(low, 1.0)
        worst = self._worst([low, min(high, _LARGEST)])
        x, y = (int(i) for i in worst.delta_pairs[1])
        pair = self._pair(x, y)
        attained = pair.gap(ratio)
        # The pair's own gap is exact and attained; nothing exceeds the gap at the lower ratio.
        top = Fraction(float(worst.deltas_upper[0]))
        if not isinstance(attained.delta, Fraction):
            floor = Fraction(below(attained.delta))
        else:
            floor = attained.delta
        return pair, Gap(_interval(floor, max(top, floor)), attained.event)

    def ratio_for(self, delta: Number) -> tuple[Comparison, Number]:
        if delta == 0:
            pair, peak = self.peak()
            return pair, peak.ratio
        pair, limit = self.gap(INFINITY)
        if compare(limit.delta, delta) is Order.GREATER:
            return pair, INFINITY
        low, high = 1.0, _LARGEST
        if self._worst([1.0]).deltas_upper[0] <= below(delta):
            return pair, Fraction(1)
        for _ in range(_SEARCH_ROUNDS):
            low, high = self._narrowed(low, high, delta)
        worst = self._worst([low])
        x, y = (int(i) for i in worst.delta_pairs[0])
        return self._pair(x, y), _between(low, high)

    def _narrowed(self, low: float, high: float, delta: Number) -> tuple[float, float]:
        """Cut the bracket of the wanted ratio by evaluating many ratios in one pass."""
        # By logarithms: the largest float, as an end of geomspace, would overflow.
        grid = [float(np.exp(g)) for g in np.linspace(log(low), log(high), _SEARCH_WIDTH + 2)[1:-1]]
        worst = self._worst(grid)
        for i, ratio in enumerate(grid):
            if worst.deltas_lower[i] > above(delta):
                low = max(low, ratio)
            elif worst.deltas_upper[i] <= below(delta):
                return low, min(high, ratio)
        return low, high

    def _worst(self, ratios: Sequence[float]) -> HammingWorst:
        from twoworlds.mechanisms import _kernels  # numba is slow to import: only when needed

        wanted = np.array(ratios, dtype=np.float64)
        universe, matrix = self._mechanism.universe, self._mechanism.matrix
        plain = isinstance(universe, Records) and universe.fixed
        if plain and self._relation == SUBSTITUTE and self._group == 1:
            words: Any = universe
            return _kernels.hamming_worst(matrix, words.n, len(words.values), wanted)
        position = universe.positions
        listed = list(pairs(universe, self._relation, self._group))
        xs = np.array([position[x] for x, _ in listed], dtype=np.int64)
        ys = np.array([position[y] for _, y in listed], dtype=np.int64)
        return _kernels.pairs_worst(matrix, xs, ys, wanted)

    def _pair(self, x: int, y: int) -> FiniteComparison:
        """Return the exact comparison of two columns of doubles."""
        matrix, outputs = self._mechanism.matrix, self._outputs
        p = [Fraction(float(entry)) for entry in matrix[:, x]]
        q = [Fraction(float(entry)) for entry in matrix[:, y]]
        return FiniteComparison.of(self._databases[x], self._databases[y], outputs, p, q)


def _between(low: float, high: float) -> Number:
    if np.isinf(low):
        return INFINITY
    if np.isinf(high):
        raise Unsupported("a ratio exceeds the largest float: write the matrix in exact fractions")
    return _interval(Fraction(low), Fraction(high))


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
