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
ones included; and with ``error`` how many rows every fitting column shares (`agreement`).

If every answer is known to be within E of the truth, the truth is among the columns that *fit*: all
sums within E of the answers. Sums are whole, so each lies between the whole numbers next to a - E
and a + E, which may be much narrower. Whatever holds for all of those holds for the truth.

All subsets (Dinur & Nissim 2003, their first attack). Two columns c and x that both fit the answers
to all 2^n subsets differ in at most 4 E rows. For let S be the rows where c is 1 and x is 0: on the
subset S their sums are |S| and 0, and both are within E of one answer, so |S| <= 2 E; likewise for
the rows where x is 1 and c is 0. Both sizes are whole, so the columns differ in at most

    min(n, 2 floor(2 E))        `furthest_apart`

rows, and this is reached: answer every subset by the mean of what two such columns say.

Any subsets. The columns of few people are gone through. For many, the differing rows are at
most the largest c.x + (ones of the column) over the polytope of fractional columns that fit, with
c = +1 where the column has 0 and -1 where it has 1; multipliers from the linear program prove an
upper bound in whole numbers (`twoworlds.programs.decoding`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from twoworlds.answer import Answer, Listing, Said
from twoworlds.attacks.reconstruction.sums import (
    all_subsets,
    read_answers,
    read_column,
    read_queries,
    true_sums,
)
from twoworlds.charts import Bars, HeatMap
from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import counted, decimal, rational, show, whole
from twoworlds.programs.decoding import decoding_bound, solve_decoding
from twoworlds.show import Told
from twoworlds.show.svg import share_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_ENUMERATED = 16
_BOX = 4
_MOST_PROGRAM = 20_000_000


def furthest_apart(rows: object, error: object) -> int:
    """Return in how many rows two columns can differ that fit the answers to all subsets.

    >>> furthest_apart(100, 3), furthest_apart(100, "0.4"), furthest_apart(100, 40)
    (12, 0, 100)
    """
    return min(whole(rows, "rows", at_least=1), 2 * floor(2 * read_error(error)))


def agreement(
    queries: Any, answers: Iterable[object], column: Sequence[int], error: object
) -> Told:
    """Return on how many rows a column agrees with every column that fits the answers.

    Of few people all columns are gone through, and some fitting column shares no more; of many a
    linear program proves the number.

    >>> agreement(all_subsets(4), [sum(q) for q in all_subsets(4)], [1, 1, 1, 1], 1).data["rows"]
    3
    """
    matrix = read_queries(queries)
    read, bound = read_answers(answers, len(matrix)), read_error(error)
    bits = tuple(read_column(column, rows=matrix.shape[1]).tolist())
    if len(bits) <= _MOST_ENUMERATED:
        method, shared = "all columns", _shared(matrix, read, bound, bits)
    else:
        method, shared = "linear program", _proven(matrix, read, bound, bits)
    share = Fraction(shared or 0, len(bits))
    chart = Bars("Bits that are certainly right", {"at least": share}, side="down")
    said = _certain(bound, shared, len(bits), method)
    data = {"error": bound, "rows": shared, "exact": method == "all columns", "method": method}
    return Told(
        Answer(said, blocks=() if shared is None else [chart]), {**data, "explanation": said}
    )


def _certain(error: Fraction, rows: int | None, total: int, method: str) -> str:
    """Say what is known of the truth."""
    given = f"If every answer is within {show(error)} of the truth"
    if rows is None:
        return (
            f"No column of 0 and 1 is within {show(error)} of every answer: at least one "
            "error is larger."
        )
    if rows == total:
        return f"{given}, then this column is the truth: no other one fits."
    exact = method == "all columns"
    known = "exactly" if exact else "by linear programming, checked in whole numbers"
    return (
        f"{given}, then at least {rows} of these {total} bits are right, whatever the "
        f"truth is ({known})."
    )


def read_error(error: object) -> Fraction:
    """Return a bound on errors that can be one."""
    found = rational(error, "error")
    if found < 0:
        raise InvalidInput(f"error={found}: a bound on errors is at least 0")
    return found


def intervals(
    answers: Sequence[Fraction], error: Fraction
) -> tuple[list[Fraction], list[Fraction]] | None:
    """Return the middle and the half width of the whole numbers within the error of each answer.

    None if there is an answer that no whole number is near enough to.

    >>> intervals([Fraction(13, 4)], Fraction(1))
    ([Fraction(7, 2)], [Fraction(1, 2)])
    """
    ends = [(ceil(answer - error), floor(answer + error)) for answer in answers]
    if any(low > high for low, high in ends):
        return None
    middles = [Fraction(low + high, 2) for low, high in ends]
    return middles, [Fraction(high - low, 2) for low, high in ends]


def check_program(shape: tuple[int, ...]) -> None:
    """Refuse a linear program that would take very long."""
    if shape[0] * shape[1] > _MOST_PROGRAM:
        raise TooLarge(
            f"a linear program of {shape[0]} queries about {shape[1]} rows takes too long: decode "
            "by least-squares without an error, or take fewer of either"
        )


def _shared(
    matrix: NDArray[np.int8], answers: Sequence[Fraction], error: Fraction, column: Sequence[int]
) -> int | None:
    """Return on how many rows all fitting columns agree with this one; None if none fits."""
    found = all_subsets(matrix.shape[1])
    for mask, answer in zip(matrix, answers, strict=True):
        sums = found @ mask  # at most 20: fits in 8 bits
        found = found[(sums >= ceil(answer - error)) & (sums <= floor(answer + error))]
    return int((found == np.asarray(column)).sum(axis=1).min()) if len(found) else None


def _proven(
    matrix: NDArray[np.int8], answers: Sequence[Fraction], error: Fraction, column: Sequence[int]
) -> int | None:
    """Return the rows that multipliers prove to be shared; None if they prove that none fits."""
    allowed = intervals(answers, error)
    if allowed is None:
        return None
    check_program(matrix.shape)
    direction = (1 - 2 * np.asarray(column)).astype(np.int8)
    middles, slacks = (np.array([float(x) for x in part]) for part in allowed)
    found = solve_decoding(matrix, middles, slack=slacks, direction=direction, box=_BOX)
    bound = decoding_bound(matrix, allowed[0], found.z, slack=allowed[1], direction=direction)
    differing = floor(bound + sum(column))
    return None if differing < 0 else max(0, len(column) - differing)


# --- decoding -------------------------------------------------------------------------------------


Method = Literal["lp", "least-squares"]
METHODS: tuple[str, ...] = get_args(Method)

_MOST_ROWS = 8192
_BLOCK = 4096
_RIDGE = 1e-6  # of a query: what no answer decides is left at 1/2
_DRAWN, _IN_A_LINE = 24, 64
_NAMES = {"lp": "linear programming", "least-squares": "least squares"}


def guessing(column: Sequence[int]) -> Fraction:
    """Return the share of the commoner bit."""
    ones = sum(column)
    return Fraction(max(ones, len(column) - ones), len(column))


def reconstruct(
    queries: Any,
    answers: Iterable[object],
    *,
    method: Method = "lp",
    error: object | None = None,
    deviation: float = 0.0,
    truth: Sequence[int] | None = None,
    simulated: tuple[str, Fraction, int] | None = None,
) -> Told:
    """Read a secret 0/1 column back from answers to subset sums.

    Args:
        queries: a mask of 0 and 1 for each query.
        answers: one number for each.
        method: ``lp`` or ``least-squares``.
        error: what every answer is known to be within of the truth, if anything.
        deviation: the standard deviation of the noise, if known, for ``least-squares``.
        truth: the column, if known, to count what is right.
        simulated: of a simulation, the law of the noise, its scale, and the seed.

    >>> found = reconstruct([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1.2, 0.9, 2.1], error="0.2").data
    >>> found["column"], found["agreement"].data["rows"]
    ((1, 0, 1), 3)
    """
    matrix = read_queries(queries)
    read = read_answers(answers, len(matrix))
    bound = None if error is None else read_error(error)
    known = None if truth is None else tuple(read_column(truth, rows=matrix.shape[1]).tolist())
    allowed = None if bound is None or method != "lp" else intervals(read, bound)
    middles = read if allowed is None else allowed[0]
    slack = None if allowed is None else np.array([float(e) for e in allowed[1]])
    floats = np.array([float(a) for a in middles])
    values, z = estimate(matrix, floats, method, slack=slack, deviation=deviation)
    column = tuple((values > 0.5).astype(int).tolist())
    errors = _errors(matrix, read, column)
    found: dict[str, Any] = {
        "rows": len(column),
        "queries": len(read),
        "method": method,
        "column": column,
        "estimate": tuple(values.tolist()),  # what the column was rounded from, floats
        # Of the answers, if the column is the truth
        "total_error": sum(errors, start=Fraction(0)),
        "largest_error": max(errors),
        # No column has a smaller sum of errors; for ``lp`` without ``error``
        "floor": None
        if z is None or bound is not None
        else max(Fraction(0), -decoding_bound(matrix, read, z)),
        "agreement": None if bound is None else agreement(matrix, read, column, bound),
    }
    found["explanation"] = _proof(found)
    if known is not None:
        found["right"] = sum(map(int.__eq__, column, known))
    if known is None or simulated is None:
        return Told(_read_back(found), found)
    return _simulated(found, known, *simulated)


def _proof(found: Mapping[str, Any]) -> str:
    """Say what was found and what is proven of it."""
    n, m = found["rows"], found["queries"]
    said = [
        f"A column of {counted(n, 'bit')} was decoded from {counted(m, 'sum')} by "
        f"{_NAMES[found['method']]}. If it is "
        f"right, the answers were off by at most {decimal(found['largest_error'], 4)}, and by "
        f"{decimal(found['total_error'] / m, 4, 'about')} on average."
    ]
    if found["floor"] is not None:
        least = decimal(found["floor"] / m, 4, side="down")
        said.append(f"No column comes below {least} on average, not even with fractions.")
    if found["agreement"] is not None:
        said.append(found["agreement"].data["explanation"])
    return " ".join(said)


def _read_back(found: Mapping[str, Any]) -> Answer:
    """Show a column that was read back from answers."""
    column = found["column"]
    digits = "".join(map(str, column))
    lines = [digits[i : i + _IN_A_LINE] for i in range(0, len(digits), _IN_A_LINE)]
    bits = [(str(bit), float(bit)) for bit in column[:_DRAWN]]
    before = [(f"{round(x, 1) + 0.0:g}", min(max(x, 0.0), 1.0)) for x in found["estimate"][:_DRAWN]]
    heads = [str(i) for i in range(1, len(bits) + 1)]
    chart = HeatMap("The secret bits", heads, [("before rounding", before), ("found", bits)])
    checked = ""
    if "right" in found:
        those = "is that" if found["right"] == 1 else "are those"
        checked = f"{found['right']} of {counted(len(column), 'bit')} {those} of the data. "
    return Answer.of(f"{checked}{found['explanation']}", Listing("the bits", lines), chart)


def _simulated(
    found: Mapping[str, Any], truth: tuple[int, ...], law: str, noise: Fraction, seed: int
) -> Told:
    """Say how many bits of a simulation came out, and what guessing gives."""
    n, right = len(truth), found["right"]
    shares = {"Read back": Fraction(right, n), "By guessing": guessing(truth)}
    texts = {name: share_text(share) for name, share in shares.items()}
    how = {
        "laplace": f"with Laplace noise of scale {show(noise)}",
        "uniform": f"with noise spread evenly up to {show(noise)} on either side",
        "rounding": f"rounded to multiples of {show(noise)}",
    }
    said = (
        f"{right} of {counted(n, 'secret bit')} ({texts['Read back']}) "
        f"{'was' if right == 1 else 'were'} read back from "
        f"{counted(found['queries'], 'sum')} over random subsets, answered "
        f"{how.get(law, 'exactly') if noise else 'exactly'}. Guessing the commoner bit for "
        f"everybody gets {texts['By guessing']}."
    )
    by_guessing = "by guessing the commoner"
    drawn = dict(zip(("read back", by_guessing), shares.values(), strict=True))
    answer = Answer.of(
        said,
        Said([found["explanation"], f"Simulated with seed {seed}."]),
        Bars("Secret bits that are right", drawn, grey=[by_guessing]),
    )
    more = {
        "fraction": shares["Read back"],
        "guessing": shares["By guessing"],
        "shares": texts,
        "law": law,
        "noise": noise,
        "seed": seed,
        "truth": truth,
        "explanation": f"{said}\n\n{found['explanation']}",
    }
    return Told(answer, {**found, **more})


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
