"""A table as counts: how many people share each combination of cells.

Every cell is text. DuckDB reads the table, numbers the distinct texts of each column in their
alphabetical order, and counts; from there on, only numbers are handled. A missing cell, and one of
blanks, is the empty text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twoworlds.attacks.composition.sources import load, opened, text_of
from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    import duckdb

    from twoworlds.attacks.composition.sources import Loaded

__all__ = ["Codes", "Counted", "check_columns", "combined", "count_table"]

Codes = NDArray[np.int64]

_WIDEST = 1 << 62


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct combinations of the cells of some columns.

    Attributes:
        name: What the table is called.
        columns: The columns.
        texts: For each column its distinct texts; a code is a place in them.
        codes: For each column the code of each combination.
        counts: How many people have each combination.
    """

    name: str
    columns: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    codes: tuple[Codes, ...]
    counts: Codes

    @property
    def people(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    def place(self, column: str) -> int:
        """Return where a column stands."""
        return self.columns.index(column)

    def without(self, column: str) -> Counted:
        """Return the counts of the other columns."""
        kept = [i for i, other in enumerate(self.columns) if other != column]
        codes = tuple(self.codes[i] for i in kept)
        texts = tuple(self.texts[i] for i in kept)
        keys = np.zeros(len(self.counts), dtype=np.int64)
        if kept:
            keys = combined(codes, [len(one) for one in texts])
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, place, self.counts)
        columns = tuple(self.columns[i] for i in kept)
        return Counted(self.name, columns, texts, tuple(code[first] for code in codes), counts)


def count_table(table: Any, columns: Sequence[str], name: str | None = None) -> Counted:
    """Read some columns of a table and count the combinations of their cells.

    Args:
        table: A CSV, TSV or Parquet file, a list of mappings, or a data frame.
        columns: Which columns.
        name: What the table is called in words; a file by its own name.

    Raises:
        InvalidInput: when it cannot be read, has no rows or lacks a column.
    """
    called = name or _name(table)
    if isinstance(table, Sequence) and not isinstance(table, str):
        return _count_rows(table, columns, called)
    with opened() as connection:
        loaded = load(connection, called, table, (), columns)
        places = [loaded.columns[column] for column in columns]
        texts = tuple(
            _numbered(connection, loaded, place, f"texts{i}") for i, place in enumerate(places)
        )
        joins = " ".join(
            f"JOIN texts{i} ON coalesce(t.{place}, '') = texts{i}.text"
            for i, place in enumerate(places)
        )
        codes = "".join(f"texts{i}.code AS code{i}, " for i in range(len(places)))
        found = connection.execute(
            f"SELECT {codes}count(*) AS people FROM {loaded.table} AS t {joins} "
            "GROUP BY ALL ORDER BY ALL"
        ).fetchnumpy()
    return Counted(
        called,
        tuple(columns),
        texts,
        tuple(_plain(found[f"code{i}"]) for i in range(len(places))),
        _plain(found["people"]),
    )


def check_columns(quasi: object, sensitive: str | None) -> tuple[str, ...]:
    """Return the columns of a quasi-identifier.

    Raises:
        InvalidInput: for none at all, one that comes twice, and one that is sensitive as well.
    """
    if isinstance(quasi, str) or not isinstance(quasi, Sequence):
        raise InvalidInput(f"quasi={quasi!r}: give a list of columns, such as ['zip', 'age']")
    columns = tuple(quasi)
    if not columns:
        raise InvalidInput(
            "the quasi-identifier is empty: name the columns that an attacker may know"
        )
    for column in columns:
        if not isinstance(column, str) or not column:
            raise InvalidInput(f"quasi={list(columns)!r}: {column!r} is no name of a column")
        if columns.count(column) > 1:
            raise InvalidInput(f"the quasi-identifier names {column!r} twice: once is enough")
    if sensitive in columns:
        raise InvalidInput(
            f"{sensitive!r} is both sensitive and part of the quasi-identifier: an attacker who "
            "knows it has nothing left to learn; leave it out of one of them"
        )
    return columns


def combined(codes: Sequence[Codes], sizes: Sequence[int]) -> Codes:
    """Return one number for each combination of codes, equal for equal combinations.

    Combinations are numbered anew wherever the plain product of sizes would not fit in 64 bits.
    """
    found = np.zeros(len(codes[0]), dtype=np.int64)
    width = 1
    for code, size in zip(codes, sizes, strict=True):
        if width * size >= _WIDEST:
            found = np.unique(found, return_inverse=True)[1].astype(np.int64)
            width = int(found.max(initial=0)) + 1
        found = found * size + code
        width *= size
    return found


def _count_rows(rows: Sequence[Any], columns: Sequence[str], name: str) -> Counted:
    """Count a list of rows, for which no database is needed."""
    if not rows:
        raise InvalidInput(f"{name} has no rows: there is nobody to hide, and nothing to publish")
    counts: Counter[tuple[str, ...]] = Counter()
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise InvalidInput(
                f"row {number} of {name} is of type {type(row).__name__}: give mappings from "
                "columns to values"
            )
        for column in columns:
            if column not in row:
                known = ", ".join(map(str, row))
                raise InvalidInput(
                    f"row {number} of {name} has no column {column!r}: it has {known}"
                )
        counts[tuple(_cell(row[column]) for column in columns)] += 1
    found = sorted(counts)
    texts = tuple(tuple(sorted(set(cells))) for cells in zip(*found, strict=True))
    places = [{text: code for code, text in enumerate(column)} for column in texts]
    codes = tuple(
        _plain([place[cell] for cell in cells])
        for place, cells in zip(places, zip(*found, strict=True), strict=True)
    )
    return Counted(name, tuple(columns), texts, codes, _plain([counts[row] for row in found]))


def _numbered(
    connection: duckdb.DuckDBPyConnection, loaded: Loaded, place: str, name: str
) -> tuple[str, ...]:
    connection.execute(
        f"CREATE TABLE {name} AS SELECT text, row_number() OVER (ORDER BY text) - 1 AS code "
        f"FROM (SELECT DISTINCT coalesce({place}, '') AS text FROM {loaded.table})"
    )
    found = connection.execute(f"SELECT text FROM {name} ORDER BY code").fetchall()
    return tuple(row[0] for row in found)


def _cell(value: object) -> str:
    text = text_of(value)
    return "" if text is None or not text.strip(" ") else text


def _plain(found: Any) -> Codes:
    return np.asarray(found, dtype=np.int64)


def _name(table: Any) -> str:
    from pathlib import Path

    return Path(table).name or str(table) if isinstance(table, str | Path) else "the table"
