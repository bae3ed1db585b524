"""Columns and answers from files.

A secret column is read from a CSV, TSV or Parquet file: 0 and 1, false and true, or no and yes.
Answers are read from a CSV or TSV file with a header, in one of two forms:

* one column of 0 and 1 for each person, and the answer in the last column;
* two columns: the rows of the subset, counted from 1 and separated by blanks, and the answer.

No message holds a cell of a file.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from twoworlds.attacks.reconstruction.sums import masks
from twoworlds.errors import InvalidInput
from twoworlds.noiseless.data import read_column
from twoworlds.numbers import rational

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_secret", "read_sums"]

_BITS = {"0": 0, "1": 1, "false": 0, "true": 1, "no": 0, "yes": 1}
_MARKS = {".csv": ",", ".tsv": "\t"}
_MOST_LISTED = 100_000


def read_secret(path: str | Path, column: str) -> tuple[int, ...]:
    """Return a column of 0 and 1, or of truth values, from a CSV, TSV or Parquet file."""
    cells = [str(value).strip().lower() for value in read_column(path, column)]
    wrong = sum(cell not in _BITS for cell in cells)
    if wrong:
        raise InvalidInput(
            f"{path}: {wrong} of {len(cells)} rows have something else than 0 and 1 (or false and "
            f"true, or no and yes) in column {column!r}: reconstruction is for a column of bits"
        )
    if not cells:
        raise InvalidInput(f"{path}: column {column!r} has no rows: there is nothing to attack")
    return tuple(_BITS[cell] for cell in cells)


def read_sums(
    path: str | Path, *, rows: int | None = None
) -> tuple[NDArray[np.int8], tuple[Fraction, ...]]:
    """Return the masks and the answers of a file.

    Args:
        path: a CSV or TSV file with a header.
        rows: how many people there are, for lists of rows; their largest row if left out.
    """
    lines = _lines(Path(path))
    width = len(lines[0])
    if width < 2 or len(lines) < 2:
        raise InvalidInput(
            f"{path}: give a header, and in each line the subset (0 and 1 for each person, or a "
            "list of rows such as 1 4 7) and the answer"
        )
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != width:
            raise InvalidInput(
                f"{path}, line {number}: {len(line)} cells under a header of {width}; give one each"
            )
    body = lines[1:]
    answers = tuple(_answer(path, i, line[-1]) for i, line in enumerate(body, start=2))
    if width == 2:
        return _listed(path, [line[0] for line in body], rows), answers
    if rows not in (None, width - 1):
        raise InvalidInput(f"{path} has masks of {width - 1} people, and rows={rows} was asked for")
    for number, line in enumerate(body, start=2):
        if any(cell.strip() not in ("0", "1") for cell in line[:-1]):
            raise InvalidInput(f"{path}, line {number}: a mask holds 0 and 1 only")
    return np.array([[int(cell) for cell in line[:-1]] for line in body], dtype=np.int8), answers


def _lines(path: Path) -> list[list[str]]:
    mark = _MARKS.get(path.suffix.lower())
    if not path.is_file():
        raise InvalidInput(f"{path}: there is no such file")
    if mark is None:
        raise InvalidInput(f"{path}: answers are read from .csv and .tsv files")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            found = [line for line in csv.reader(file, delimiter=mark, strict=True) if line]
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not text in UTF-8") from None
    except csv.Error:
        raise InvalidInput(f"{path}: a quote is not closed, or a cell is too long") from None
    return found or [[]]


def _answer(path: str | Path, number: int, cell: str) -> Fraction:
    try:
        return rational(cell, "answer")
    except InvalidInput:
        raise InvalidInput(f"{path}, line {number}: the last cell is no number") from None


def _listed(path: str | Path, cells: Sequence[str], rows: int | None) -> NDArray[np.int8]:
    subsets = []
    for number, cell in enumerate(cells, start=2):
        words = cell.split()
        if not all(word.isdecimal() and 1 <= int(word) <= _MOST_LISTED for word in words):
            raise InvalidInput(
                f"{path}, line {number}: a subset lists rows counted from 1, separated by blanks, "
                f"up to {_MOST_LISTED:,}"
            )
        subsets.append([int(word) - 1 for word in words])
    largest = 1 + max((max(subset) for subset in subsets if subset), default=-1)
    if not largest:
        raise InvalidInput(f"{path}: all subsets are empty, so nothing was asked")
    if rows is not None and largest > rows:
        raise InvalidInput(f"{path} names row {largest}, and there are {rows}")
    return masks(subsets, largest if rows is None else rows)
