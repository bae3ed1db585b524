"""Subset sums: questions as a 0/1 matrix with a row for each, answers as exact numbers.

The secret is a column x of n bits. A question is a subset of the n people, written as a mask: 1 for
who is in it. Its true answer is how many of them have the bit, mask . x.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import rational, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.int8]

__all__ = [
    "all_subsets",
    "masks",
    "random_subsets",
    "read_answers",
    "read_column",
    "read_queries",
    "true_sums",
]

_MOST_CELLS = 1 << 28
_MOST_LISTED = 20


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
    if n > _MOST_LISTED:
        raise TooLarge(
            f"rows={n}: there are 2^{n} subsets, and at most 2^{_MOST_LISTED} are listed; ask "
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
    """Return a 0/1 matrix: a mask for each query, all of the same length.

    Raises:
        InvalidInput: for other shapes, and for entries that are neither 0 nor 1.
    """
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
