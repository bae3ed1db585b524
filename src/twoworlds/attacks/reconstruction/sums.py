"""Subset sums: questions as a 0/1 matrix with a row for each, answers as exact numbers.

The secret is a column x of n bits. A question is a subset of the n people, written as a mask: 1 for
who is in it. Its true answer is how many of them have the bit, mask . x.

A secret column is read from a CSV, TSV or Parquet file: 0 and 1, false and true, or no and yes.
Answers are read from a CSV or TSV file with a header, in one of two forms:

* one column of 0 and 1 for each person, and the answer in the last column;
* two columns: the rows of the subset, counted from 1 and separated by blanks, and the answer.

No message holds a cell of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from twoworlds.attacks.tables.table import read_lines
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import rational, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.int8]

_MOST_CELLS = 1 << 28
_MOST_SUBSETS = 20
_MOST_LISTED = 100_000
_BITS = {"0": 0, "1": 1, "false": 0, "true": 1, "no": 0, "yes": 1}


def random_subsets(rows: object, queries: object, *, seed: int = 0) -> Matrix:
    """Return masks of subsets that each hold each person with probability 1/2.

    >>> random_subsets(6, 2, seed=1).tolist()
    [[1, 1, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1]]
    """
    n, m = whole(rows, "rows", at_least=1), whole(queries, "queries", at_least=1)
    _check_size(m, n)
    return np.random.default_rng(seed).integers(0, 2, (m, n), dtype=np.int8)


def all_subsets(rows: object) -> Matrix:
    """Return the masks of all 2^n subsets.

    >>> all_subsets(2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    n = whole(rows, "rows", at_least=1)
    if n > _MOST_SUBSETS:
        raise TooLarge(
            f"rows={n}: there are 2^{n} subsets, and at most 2^{_MOST_SUBSETS} are listed; ask "
            "random ones instead"
        )
    numbers = np.arange(1 << n, dtype=np.int64)
    return ((numbers[:, None] >> np.arange(n)) & 1).astype(np.int8)


def masks(subsets: Iterable[Iterable[int]], rows: object) -> Matrix:
    """Return the masks of subsets that are given as lists of rows, counted from 0.

    >>> masks([[0, 2], [1]], 3).tolist()
    [[1, 0, 1], [0, 1, 0]]
    """
    n, listed = whole(rows, "rows", at_least=1), [list(subset) for subset in subsets]
    _check_size(len(listed), n)
    matrix = np.zeros((len(listed), n), dtype=np.int8)
    for i, subset in enumerate(listed):
        for row in subset:
            if not 0 <= row < n:
                raise InvalidInput(f"query {i} names row {row}: the rows are 0 to {n - 1}")
            matrix[i, row] = 1
    return matrix


def read_queries(queries: Any) -> Matrix:
    """Return a 0/1 matrix: a mask for each query, all of the same length."""
    try:
        given = np.asarray(queries)
    except ValueError:
        raise InvalidInput(
            "queries: the masks have different lengths; give all n entries"
        ) from None
    if given.ndim != 2 or 0 in given.shape:
        raise InvalidInput(
            f"queries has the shape {given.shape}: give a mask of 0 and 1 for each query, or lists "
            "of rows through masks(...)"
        )
    _check_size(*given.shape)
    return _bits(given, "queries")


def read_answers(answers: Iterable[object], queries: int) -> tuple[Fraction, ...]:
    """Return one exact number for each query; a float stands for the number that it shows."""
    found = tuple(
        rational(value.item() if isinstance(value, np.generic) else value, "answer")
        for value in answers
    )
    if len(found) != queries:
        raise InvalidInput(f"{len(found)} answers are given to {queries} queries: give one to each")
    return found


def read_column(column: Any, *, rows: int | None = None) -> Matrix:
    """Return a 0/1 column, of a given length if there is one."""
    given = np.asarray(column)
    if given.ndim != 1 or not given.size:
        raise InvalidInput("the secret column must be a list of 0 and 1, at least one")
    if rows is not None and len(given) != rows:
        raise InvalidInput(f"the column has {len(given)} rows, and the queries are about {rows}")
    return _bits(given, "the secret column")


def true_sums(queries: Matrix, column: Sequence[int] | Matrix) -> NDArray[np.int64]:
    """Return how many of each subset have the bit."""
    found: NDArray[np.int64] = np.matmul(queries, np.asarray(column, dtype=np.int64))
    return found


def _bits(given: NDArray[Any], name: str) -> Matrix:
    if given.dtype.kind not in "biuf" or not ((given == 0) | (given == 1)).all():
        raise InvalidInput(f"{name}: every entry must be 0 or 1")
    return given.astype(np.int8)


def _check_size(queries: int, rows: int) -> None:
    if queries * rows > _MOST_CELLS:
        raise TooLarge(
            f"{queries} queries about {rows} rows are {queries * rows:,} entries, and "
            f"{_MOST_CELLS:,} fit: take fewer of either"
        )


# --- from files -----------------------------------------------------------------------------------


def read_secret(path: str | Path, column: str) -> tuple[int, ...]:
    """Return a column of 0 and 1, or of truth values, from a CSV, TSV or Parquet file."""
    from twoworlds.noiseless.data import read_column as read

    cells = [str(value).strip().lower() for value in read(path, column)]
    wrong = sum(cell not in _BITS for cell in cells)
    if wrong:
        raise InvalidInput(
            f"{path}: {wrong} of {len(cells)} rows have something else than 0 and 1 (or false and "
            f"true, or no and yes) in column {column!r}: reconstruction is for a column of bits"
        )
    if not cells:
        raise InvalidInput(f"{path}: column {column!r} has no rows: there is nothing to attack")
    return tuple(_BITS[cell] for cell in cells)


def read_sums(path: str | Path, *, rows: int | None = None) -> tuple[Matrix, tuple[Fraction, ...]]:
    """Return the masks and the answers of a CSV or TSV file with a header.

    For lists of rows, ``rows`` says how many people there are; their largest row if left out.
    """
    separator = "\t" if Path(path).suffix.lower() == ".tsv" else ","
    head, *body = read_lines(Path(path), str(path), separator) or [[]]
    if len(head) < 2 or not body:
        raise InvalidInput(
            f"{path}: give a header, and in each line the subset (0 and 1 for each person, or a "
            "list of rows such as 1 4 7) and the answer"
        )
    if all(word.isdecimal() for cell in head for word in cell.split() or [""]):
        raise InvalidInput(
            f"{path}: its first line is a subset like the others: put names above it"
        )
    listed, answers = len(head) == 2, []
    subsets: list[list[int]] = []
    for number, (*cells, answer) in enumerate(body, start=2):
        wrong = f"{path}, line {number}:"
        if len(cells) + 1 != len(head):
            raise InvalidInput(
                f"{wrong} {len(cells) + 1} cells under a header of {len(head)}; give one each"
            )
        words = cells[0].split() if listed else [cell.strip() for cell in cells]
        if listed and not all(w.isdecimal() and 1 <= int(w) <= _MOST_LISTED for w in words):
            raise InvalidInput(
                f"{wrong} a subset lists rows counted from 1, separated by blanks, "
                f"up to {_MOST_LISTED:,}"
            )
        if not listed and not {*words} <= {"0", "1"}:
            raise InvalidInput(f"{wrong} a mask holds 0 and 1 only")
        subsets.append([int(word) for word in words])
        try:
            answers.append(rational(answer, "answer"))
        except InvalidInput:
            raise InvalidInput(f"{wrong} the last cell is not a number") from None
    if not listed:
        if rows not in (None, len(head) - 1):
            raise InvalidInput(
                f"{path} has masks of {len(head) - 1} people, and rows={rows} was asked for"
            )
        return np.array(subsets, dtype=np.int8), tuple(answers)
    largest = max((row for subset in subsets for row in subset), default=0)
    if not largest:
        raise InvalidInput(f"{path}: all subsets are empty, so nothing was asked")
    if rows is not None and largest > rows:
        raise InvalidInput(f"{path} names row {largest}, and there are {rows}")
    counted = [[row - 1 for row in subset] for subset in subsets]
    return masks(counted, largest if rows is None else rows), tuple(answers)
