"""Sparse systems of rational equations, factored once and solved exactly for many right sides.

Gaussian elimination on the sparse entries, with the pivot that promises the least fill (the
product of the other entries in its row and in its column, Markowitz 1957) while that stays
small; what then remains is handed to python-flint as a dense matrix. The bases of linear programs
are so sparse that often nothing remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from flint import fmpq, fmpq_mat, nmod_mat

__all__ = ["ZERO", "Factor", "Singular", "Sparse", "pivots"]

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
        """Eliminate; ``rows`` hold the entries of their chosen columns and maybe of others.

        Raises:
            Singular: when this is seen on the way; `regular` tells about the rest.
        """
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
