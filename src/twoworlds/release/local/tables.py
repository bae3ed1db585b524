"""Files with a column to be randomized: what CSV and Parquet files have in common.

A file yields its records in chunks, so that any number of them takes the same memory, and writes
chunks of reports to a new file. The value of a record becomes its *code*: its place among the
declared values, or their number for any other cell. What a cell holds never makes the work fail.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.release.local.columns import Codes

__all__ = ["Chunk", "TableFile", "kept_columns", "open_table"]

_TEXT = (".csv", ".tsv")
_STORED = (".parquet", ".pq")


@dataclass(frozen=True)
class Chunk:
    """Some records in a row: their codes, and whatever the file needs to copy other columns."""

    codes: Codes
    carried: Any = None


class TableFile(ABC):
    """A file, a column of it, and the columns to be copied as they are."""

    @abstractmethod
    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the records, with codes by these names."""

    @abstractmethod
    def write(self, path: Path, names: Sequence[str], chunks: Iterable[Chunk]) -> None:
        """Write records to a new file of the same kind, with these names for the codes."""


def open_table(path: Path, column: str, carry: Sequence[str] = ()) -> TableFile:
    """Open a CSV, TSV or Parquet file by its ending.

    Raises:
        InvalidInput: when there is no such file or column, or the ending is another one.
    """
    from twoworlds.release.local.csv_file import CsvFile
    from twoworlds.release.local.parquet_file import ParquetFile

    if not path.is_file():
        raise InvalidInput(f"{path}: there is no such file")
    ending = path.suffix.lower()
    if ending in _TEXT:
        return CsvFile.opened(path, column, carry)
    if ending in _STORED:
        return ParquetFile.opened(path, column, carry)
    known = ", ".join((*_TEXT, *_STORED))
    raise InvalidInput(f"{path}: the ending says which kind of file it is, one of {known}")


def kept_columns(
    path: Path, names: Sequence[str], column: str, carry: Sequence[str]
) -> tuple[int, ...]:
    """Return the places of the column and of those to be copied, in the order of the file.

    No other name is ever printed: the first line of a file without header is data.
    """
    if column in carry:
        raise InvalidInput(f"column {column!r} is to be randomized: it cannot be public as well")
    if len(set(carry)) < len(carry):
        raise InvalidInput("a public column is named twice: name each once")
    for wanted in (column, *carry):
        times = names.count(wanted)
        if times > 1:
            raise InvalidInput(
                f"{path} has {times} columns called {wanted!r}: rename them, so that it is plain "
                "which is meant"
            )
        if times == 0:
            raise InvalidInput(
                f"{path} has no column {wanted!r}: it has {len(names)} columns, whose names are "
                "not printed here, as they are data if the header is missing; spell the column as "
                "its header does"
            )
    return tuple(i for i, name in enumerate(names) if name == column or name in carry)
