r"""Decoding: a 0/1 column from (noisy) answers to subset sums, by a linear program or by squares.

* ``lp`` (Dwork, McSherry & Talwar 2007): the column x in [0, 1]^n with the least sum of absolute
  errors sum_i |a_i - (A x)_i|, then rounded. It bears a share of wildly wrong answers. With a known
  bound ``error`` on every error only what exceeds it counts, so that any column that fits will do
  (Dinur & Nissim 2003); sums are whole, which narrows what fits.
* ``least-squares``: the x with the least sum of squares, then rounded; the fastest. With a known
  standard deviation s of the noise, squares of the distances to 1/2 are added with the weight 4
  s^2: the best linear estimate for evenly spread bits. By normal equations, n by n.

The estimates are floats. What is said of the column found is computed again from the answers, in
exact numbers: its errors; for ``lp`` a floor under the sum of errors of every column, fractional
ones included; and with ``error`` how many rows every fitting column shares (`Agreement`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from twoworlds.answer import Answer, Listing
from twoworlds.attacks.reconstruction.fitting import (
    Agreement,
    agreement,
    check_program,
    intervals,
    read_error,
)
from twoworlds.attacks.reconstruction.sums import (
    read_answers,
    read_column,
    read_queries,
    true_sums,
)
from twoworlds.charts import HeatMap
from twoworlds.errors import TooLarge, UnknownName
from twoworlds.numbers import decimal
from twoworlds.programs.decoding import decoding_bound, solve_decoding
from twoworlds.show import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["METHODS", "Method", "Reconstruction", "check_method", "estimate", "reconstruct"]

Method = Literal["lp", "least-squares"]
METHODS: tuple[str, ...] = get_args(Method)

_MOST_ROWS = 8192
_BLOCK = 4096
_RIDGE = 1e-6  # of a query: what no answer decides is left at 1/2
_DRAWN, _IN_A_LINE = 24, 64
_NAMES = {"lp": "linear programming", "least-squares": "least squares"}


@dataclass(frozen=True, eq=False)
class Reconstruction(Result):
    """A column that was read back from answers; its method is ``lp`` or ``least-squares``.

    Attributes:
        column: the bits found.
        estimate: what they were rounded from, floats.
        queries: the masks.
        answers: one for each.
        total: the sum of the absolute errors of the answers, if the column is the truth.
        largest: the largest of them.
        floor: no column has a smaller sum of errors; for ``lp`` without ``error``.
        agreement: what every column that fits shares with it, where ``error`` is given.
        truth: the column itself, where it is known.
    """

    column: tuple[int, ...]
    estimate: tuple[float, ...] = field(repr=False)
    method: str
    queries: NDArray[np.int8] = field(repr=False)
    answers: tuple[Fraction, ...] = field(repr=False)
    total: Fraction
    largest: Fraction
    floor: Fraction | None = None
    agreement: Agreement | None = None
    _z: NDArray[np.int64] | None = field(repr=False, default=None)
    truth: tuple[int, ...] | None = field(repr=False, default=None)

    def right(self, truth: Sequence[int]) -> int:
        """Return how many bits are those of the truth."""
        known = read_column(truth, rows=len(self.column))
        return int((known == np.array(self.column)).sum())

    def verify(self) -> bool:
        """Compute errors, floor and agreement again from the answers, in exact numbers."""
        errors = _errors(self.queries, self.answers, self.column)
        return (
            (sum(errors), max(errors)) == (self.total, self.largest)
            and self.floor == _floor(self.queries, self.answers, self._z)
            and (self.agreement is None or self.agreement.verify())
        )

    def answer(self) -> Answer:
        """Say what was found and what is proven of it; show the column, and the first estimates."""
        digits = "".join(map(str, self.column))
        lines = [digits[i : i + _IN_A_LINE] for i in range(0, len(digits), _IN_A_LINE)]
        shown = self.column[:_DRAWN]
        found = [(str(bit), float(bit)) for bit in shown]
        before = [
            (f"{round(x, 1) + 0.0:g}", min(max(x, 0.0), 1.0)) for x in self.estimate[: len(shown)]
        ]
        heads = [str(i) for i in range(1, len(shown) + 1)]
        chart = HeatMap("The secret bits", heads, [("before rounding", before), ("found", found)])
        checked = ""
        if self.truth is not None:
            right = self.right(self.truth)
            checked = f"{right} of {len(self.truth)} bits are those of the data. "
        return Answer.of(f"{checked}{self.sentences()}", Listing("the bits", lines), chart)

    def sentences(self) -> str:
        """Return in words what was found and what is proven of it."""
        n, m = len(self.column), len(self.answers)
        said = [
            f"A column of {n} bits was decoded from {m} sums by {_NAMES[self.method]}. If it is "
            f"right, the answers were off by at most {decimal(self.largest, 4)}, and by "
            f"{decimal(self.total / m, 4, 'about')} on average."
        ]
        if self.floor is not None:
            least = decimal(self.floor / m, 4, side="down")
            said.append(f"No column comes below {least} on average, not even with fractions.")
        if self.agreement is not None:
            said.append(self.agreement.sentence)
        return " ".join(said)

    def fields(self) -> dict[str, Any]:
        """Return the column, and what is proven of it."""
        return {
            "rows": len(self.column),
            "queries": len(self.answers),
            "method": self.method,
            "column": self.column,
            "estimate": self.estimate,
            "total_error": self.total,
            "largest_error": self.largest,
            "floor": self.floor,
            "agreement": self.agreement,
            "explanation": self.sentences(),
            **({} if self.truth is None else {"right": self.right(self.truth)}),
        }


def reconstruct(
    queries: Any,
    answers: Iterable[object],
    *,
    method: Method = "lp",
    error: object | None = None,
    deviation: float = 0.0,
    truth: tuple[int, ...] | None = None,
) -> Reconstruction:
    """Read a secret 0/1 column back from answers to subset sums.

    Args:
        queries: a mask of 0 and 1 for each query.
        answers: one number for each.
        method: ``lp`` or ``least-squares``.
        error: what every answer is known to be within of the truth, if anything.
        deviation: the standard deviation of the noise, if known, for ``least-squares``.
        truth: the column, if known, to count what is right.

    >>> found = reconstruct([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1.2, 0.9, 2.1], error="0.2")
    >>> found.column, found.agreement.rows
    ((1, 0, 1), 3)
    """
    matrix = read_queries(queries)
    read = read_answers(answers, len(matrix))
    bound = None if error is None else read_error(error)
    allowed = None if bound is None or method != "lp" else intervals(read, bound)
    middles = read if allowed is None else allowed[0]
    slack = None if allowed is None else np.array([float(e) for e in allowed[1]])
    floats = np.array([float(a) for a in middles])
    values, z = estimate(matrix, floats, method, slack=slack, deviation=deviation)
    z = z if bound is None else None
    column = tuple((values > 0.5).astype(int).tolist())
    errors = _errors(matrix, read, column)
    return Reconstruction(
        column,
        tuple(values.tolist()),
        method,
        matrix,
        read,
        sum(errors, start=Fraction(0)),
        max(errors),
        _floor(matrix, read, z),
        None if bound is None else agreement(matrix, read, column, bound),
        z,
        truth,
    )


def check_method(method: str) -> str:
    """Return a method that there is."""
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    return method


def estimate(
    matrix: NDArray[np.int8],
    answers: NDArray[np.float64],
    method: str,
    *,
    slack: NDArray[np.float64] | None = None,
    deviation: float = 0.0,
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Return the estimates before rounding, and multipliers of the linear program, if it is one."""
    if check_method(method) == "lp":
        check_program(matrix.shape)
        found = solve_decoding(matrix, answers, slack=slack)
        return found.x, found.z
    return _least_squares(matrix, answers, deviation), None


def _least_squares(
    matrix: NDArray[np.int8], answers: NDArray[np.float64], deviation: float
) -> NDArray[np.float64]:
    rows = matrix.shape[1]
    if rows > _MOST_ROWS:
        raise TooLarge(f"{rows} rows: least squares are solved for up to {_MOST_ROWS}; take fewer")
    gram, moved = np.zeros((rows, rows)), np.zeros(rows)
    for start in range(0, len(matrix), _BLOCK):
        block = matrix[start : start + _BLOCK].astype(np.float64)
        gram += block.T @ block
        moved += block.T @ (answers[start : start + _BLOCK] - block.sum(axis=1) / 2)
    gram[np.diag_indices(rows)] += max(_RIDGE, 4 * deviation**2)
    return np.asarray(np.linalg.solve(gram, moved) + 0.5, dtype=np.float64)


def _errors(
    matrix: NDArray[np.int8], answers: Sequence[Fraction], column: Sequence[int]
) -> list[Fraction]:
    sums = true_sums(matrix, column).tolist()
    return [abs(answer - exact) for answer, exact in zip(answers, sums, strict=True)]


def _floor(
    matrix: NDArray[np.int8],
    answers: Sequence[Fraction],
    z: NDArray[np.int64] | None,
) -> Fraction | None:
    return None if z is None else max(Fraction(0), -decoding_bound(matrix, answers, z))
