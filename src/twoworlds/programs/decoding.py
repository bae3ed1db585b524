r"""Linear programs of decoding: 0/1 sums with errors, solved in floats, bounded exactly.

For m sums of n unknowns, a 0/1 matrix A, answers a, slacks e, a direction c and a box b

    most(c) = max over 0 <= x <= 1 of   c.x - b sum_i max(0, |a_i - (A x)_i| - e_i)

is how far x can go in direction c when every error beyond its slack costs b for each unit. With
c = 0, e = 0 and b = 1 this is LP decoding (Dwork, McSherry & Talwar 2007): -most is the least sum
of absolute errors. With e > 0 it is the feasibility problem of Dinur & Nissim 2003: most(0) = 0 if
some x has all errors within e_i. The dual has one multiplier for each sum:

    most(c) <= sum_i (a_i z_i + e_i |z_i|) + sum_j max(0, c_j - (A^T z)_j)   whenever all |z_i| <= b

with equality at the best z. So any z at all proves a bound: `solve_decoding` finds a good z and x
by HiGHS in floats, with n rows in place of m, and `decoding_bound` rounds z to multiples of 2^-20
and computes the right-hand side in whole numbers. Nothing that HiGHS says has to be believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.errors import TwoWorldsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_UNIT = 1 << 20


@dataclass(frozen=True, eq=False)
class Decoded:
    """What HiGHS found, in floats."""

    x: NDArray[np.float64]
    z: NDArray[np.int64]


def solve_decoding(
    matrix: NDArray[np.int8],
    answers: NDArray[np.float64],
    *,
    slack: NDArray[np.float64] | None = None,
    direction: NDArray[np.int8] | None = None,
    box: int = 1,
) -> Decoded:
    """Return the unknowns that go farthest, and the multipliers that show it."""
    import highspy
    import numpy as np

    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    for option, value in (("solver", "simplex"), ("presolve", "off"), ("threads", 1)):
        solver.setOptionValue(option, value)
    rows = matrix.shape[1]
    wanted = np.zeros(rows) if direction is None else direction.astype(np.float64)
    split = slack is not None and bool(slack.any())
    solver.passModel(_model(matrix, answers, slack if split else None, wanted, box))
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise TwoWorldsError("the linear program of decoding was not solved: please report this")
    found = solver.getSolution()
    parts = np.array(found.col_value)
    queries = len(matrix)
    z = parts[:queries] - parts[queries : 2 * queries] if split else parts[:queries]
    limit = box * _UNIT
    return Decoded(
        np.clip(np.array(found.row_dual), 0.0, 1.0),
        np.clip(np.rint(z * _UNIT), -limit, limit).astype(np.int64),
    )


def decoding_bound(
    matrix: NDArray[np.int8],
    answers: Sequence[Fraction],
    z: NDArray[np.int64],
    *,
    slack: Sequence[Fraction] | None = None,
    direction: NDArray[np.int8] | None = None,
) -> Fraction:
    """Return the right-hand side of the dual, exactly: an upper bound of most(c)."""
    import numpy as np

    taken = np.zeros(matrix.shape[1], dtype=np.int64)
    for start in range(0, len(matrix), 4096):  # a product of int8 and int64 copies the former
        taken += matrix[start : start + 4096].T.astype(np.int64) @ z[start : start + 4096]
    wanted = 0 if direction is None else direction.astype(np.int64) * _UNIT
    kept = int(np.maximum(0, wanted - taken).sum())
    multipliers = z.tolist()
    paid = sum((a * w for a, w in zip(answers, multipliers, strict=True) if w), start=Fraction(0))
    if slack is not None:
        paid += sum((e * abs(w) for e, w in zip(slack, multipliers, strict=True)), Fraction(0))
    bound: Fraction = (paid + kept) / _UNIT
    return bound


def _model(
    matrix: NDArray[np.int8],
    answers: NDArray[np.float64],
    slack: NDArray[np.float64] | None,
    wanted: NDArray[np.float64],
    box: int,
) -> Any:
    """Return the dual: minimise a.z + e.|z| + sum s with A^T z + s >= c, where s >= 0.

    With slacks z is split into its positive and its negative part.
    """
    import highspy
    import numpy as np

    queries, rows = matrix.shape
    places = np.nonzero(matrix)[1]
    counts = np.count_nonzero(matrix, axis=1)
    copies = 1 if slack is None else 2
    costs = [answers] if slack is None else [answers + slack, slack - answers]
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = copies * queries + rows, rows
    model.col_cost_ = np.concatenate([*costs, np.ones(rows)])
    least = -float(box) if slack is None else 0.0
    model.col_lower_ = np.concatenate([np.full(copies * queries, least), np.zeros(rows)])
    model.col_upper_ = np.concatenate(
        [np.full(copies * queries, float(box)), np.full(rows, np.inf)]
    )
    model.row_lower_, model.row_upper_ = wanted, np.full(rows, np.inf)
    lengths = np.concatenate([[0], *([counts] * copies), np.ones(rows, dtype=np.int64)])
    signs = [np.full(len(places), sign) for sign in (1.0, -1.0)[:copies]]
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.cumsum(lengths).astype(np.int32)
    model.a_matrix_.index_ = np.concatenate([*([places] * copies), np.arange(rows)]).astype(
        np.int32
    )
    model.a_matrix_.value_ = np.concatenate([*signs, np.ones(rows)])
    return model
