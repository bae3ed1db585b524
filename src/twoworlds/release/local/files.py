"""Files with a column to be randomized: CSV, TSV and Parquet.

A file yields its records in chunks, so that any number of them takes the same memory, and writes
chunks of reports to a new file. The value of a record becomes its *code*: its place among the
declared values, or their number for any other cell. What a cell holds never makes the work fail.

CSV and TSV files are read and written line by line. Such a file is UTF-8 text with a header, commas
between cells (or ; or tabs or |, if the header then holds the column) and double quotes around
cells that need them. Nothing about it is guessed: cells are compared with the declared values as
they are spelled. An empty line is an empty cell if there is one column, and no record otherwise. A
line with more or fewer cells than the header is a record without a declared value, and of the
public columns it has empty cells; bytes that are not UTF-8 make a cell that is none of the values.
Only a file that is no CSV at all, because a quote is not closed, say, is refused.

Parquet files are read and written by DuckDB. Records are read by ranges of row numbers, so that a
file of any length takes the memory of one range. A cell is compared with the declared values as the
text that DuckDB makes of it: true, 42, 2024-05-01. The reports have the type of the column where
every report is a value of that type (and the type is a plain one), and are text otherwise; that
depends on the declaration and never on data.

Reports and public columns are gathered in a database in the hidden folder of the new file, which
DuckDB then writes in one go. Nothing that has not been randomized, or said to be public, is ever
written to the disk: DuckDB may keep its intermediate results in memory only.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import NDArray

from twoworlds.errors import InvalidInput
from twoworlds.files import csv_header, parquet_columns

if TYPE_CHECKING:
    import duckdb

_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t"}
_CHUNK = 1 << 12  # records; more of them would only keep the garbage collector busy
_RANGE = 1 << 20  # records
_GLOB = set("*?[]{}")
_NUMBER = "file_row_number"
_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DATE")
_TEXT = (".csv", ".tsv")
_STORED = (".parquet", ".pq")


Codes = NDArray[np.uint8]
Chunk = tuple[Codes, Any]  # records in a row, and what the file needs to copy other columns


def open_table(path: Path, column: str, carry: Sequence[str] = ()) -> CsvFile | ParquetFile:
    """Open a CSV, TSV or Parquet file by its ending."""
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


@dataclass(frozen=True)
class CsvFile:
    """A file of text; ``kept`` are the places of the columns that are written."""

    path: Path
    mark: str
    header: tuple[str, ...]
    place: int
    kept: tuple[int, ...]

    @staticmethod
    def opened(path: Path, column: str, carry: Sequence[str]) -> CsvFile:
        """Read the header; the first separator is used with which it holds the column."""
        marks = _SEPARATORS[path.suffix.lower()]
        try:
            with _text(path) as file:
                headers = {mark: csv_header(file, mark) for mark in marks}
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}") from None
        mark = next((m for m in marks if column in headers[m]), marks[0])
        kept = kept_columns(path, headers[mark], column, carry)
        return CsvFile(path, mark, tuple(headers[mark]), headers[mark].index(column), kept)

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the records; if other columns are copied, their whole lines go with them."""
        code = {name: i for i, name in enumerate(names)}
        try:
            with _text(self.path) as file:
                rows = csv.reader(file, delimiter=self.mark, strict=True)
                next(rows, None)
                while (chunk := self._chunk(islice(rows, _CHUNK), code)) is not None:
                    yield chunk
        except csv.Error:  # its text may quote the data
            raise InvalidInput(
                f"{self.path} cannot be read as CSV: a quote is not closed, or text follows one, "
                "or a cell is longer than 131,072"
            ) from None

    def _chunk(self, rows: Iterable[list[str]], code: dict[str, int]) -> Chunk | None:
        place, width, other = self.place, len(self.header), len(code)
        codes, lines, seen = bytearray(), [], False
        copied = len(self.kept) > 1
        for row in rows:
            seen = True
            if len(row) == width:
                codes.append(code.get(row[place], other))
            elif not row:
                if width > 1:
                    continue
                codes.append(code.get("", other))
            else:
                codes.append(other)
                row = [""] * width
            if copied:
                lines.append(row)
        return (np.frombuffer(codes, dtype=np.uint8), lines) if seen else None

    def write(self, path: Path, names: Sequence[str], chunks: Iterable[Chunk]) -> None:
        """Write the header and the records, with the separator of this file."""
        with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(self._line([self.header[i] for i in self.kept]))
            if len(self.kept) == 1:
                labels = [self._line([name]) for name in names]
                for codes, _ in chunks:
                    file.write("".join([labels[code] for code in codes.tolist()]))
                return
            writer = csv.writer(file, delimiter=self.mark, lineterminator="\n")
            cells = itemgetter(*self.kept)
            for codes, rows in chunks:
                for row, code in zip(rows, codes.tolist(), strict=True):
                    row[self.place] = names[code]
                writer.writerows(map(cells, rows))

    def _line(self, cells: Sequence[str]) -> str:
        text = io.StringIO()
        csv.writer(text, delimiter=self.mark, lineterminator="\n").writerow(cells)
        return text.getvalue()


def _text(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file; ``kept`` are the names of the columns that are written."""

    path: Path
    column: str
    kind: str
    kept: tuple[str, ...]
    records: int

    @staticmethod
    def opened(path: Path, column: str, carry: Sequence[str]) -> ParquetFile:
        """Read the names and types of the columns, and the number of rows."""
        if _GLOB & set(str(path)):
            raise InvalidInput(
                f"{path}: a path with one of * ? [ ] {{ }} names many files; rename it"
            )
        with _database(path) as database:
            described = database.execute(
                "DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]
            ).fetchall()
            stored = database.execute(
                "SELECT name, num_children FROM parquet_schema(?)", [str(path)]
            ).fetchall()
            counted = database.execute(
                "SELECT count(*) FROM read_parquet(?)", [str(path)]
            ).fetchall()
        names = parquet_columns(stored)
        places = kept_columns(path, names, column, carry)
        _check_spelling(path, names, (column, *carry))
        kinds = {str(name): str(kind) for name, kind, *_ in described}
        kept = tuple(names[i] for i in places)
        return ParquetFile(path, column, kinds[column], kept, int(counted[0][0]))

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the records; what is copied is named by the range of rows."""
        query = (
            f"SELECT {_NUMBER} AS number, (coalesce(nullif(list_position(CAST($names AS VARCHAR[]),"
            f" CAST({_quoted(self.column)} AS VARCHAR)), 0), $others) - 1)::UTINYINT AS code "
            f"FROM read_parquet($path, {_NUMBER} = true) "
            f"WHERE {_NUMBER} >= $start AND {_NUMBER} < $stop"
        )
        given = {"names": list(names), "others": len(names) + 1, "path": str(self.path)}
        with _database(self.path) as database:
            for start in range(0, self.records, _RANGE):
                stop = min(start + _RANGE, self.records)
                found = database.execute(
                    query, {**given, "start": start, "stop": stop}
                ).fetchnumpy()
                numbers, codes = np.asarray(found["number"]), np.asarray(found["code"])
                if len(codes) != stop - start:
                    raise InvalidInput(f"{self.path} was changed while it was read: try again")
                order = numbers - start
                placed = np.empty(len(codes), dtype=np.uint8)
                placed[order] = codes
                yield placed, (start, stop)

    def write(self, path: Path, names: Sequence[str], chunks: Iterable[Chunk]) -> None:
        """Gather the reports in a database beside the new file, and write that as Parquet."""
        with _database(self.path, str(path.with_name("gathered.duckdb"))) as database:
            kind = self._kind(database, names)
            listed = ", ".join(
                f"CAST(list_extract(CAST($names AS VARCHAR[]), c.code + 1) AS {kind}) AS "
                f"{_quoted(self.column)}"
                if name == self.column
                else f"p.{_quoted(name)}"
                for name in self.kept
            )
            alone = f"SELECT {listed} FROM randomized AS c"
            joined = (
                f"SELECT {listed} FROM randomized AS c JOIN read_parquet($path, {_NUMBER} = true) "
                f"AS p ON p.{_NUMBER} = c.number "
                f"WHERE p.{_NUMBER} >= $start AND p.{_NUMBER} < $stop ORDER BY c.number"
            )
            given: dict[str, Any] = {"names": list(names)}
            database.register("randomized", _numbered(np.empty(0, dtype=np.uint8), 0))
            if len(self.kept) > 1:
                given |= {"path": str(self.path), "start": 0, "stop": 0}
            select = alone if len(self.kept) == 1 else joined
            database.execute(f"CREATE TABLE gathered AS {select}", given)
            for codes, rows in chunks:
                start, stop = rows or (0, len(codes))
                if len(self.kept) > 1:
                    given |= {"start": start, "stop": stop}
                database.register("randomized", _numbered(codes, start))
                database.execute(f"INSERT INTO gathered {select}", given)
            target = str(path).replace("'", "''")
            database.execute(f"COPY gathered TO '{target}' (FORMAT parquet)")

    def _kind(self, database: duckdb.DuckDBPyConnection, names: Sequence[str]) -> str:
        """Return the type of the reports."""
        if self.kind not in _PLAIN:
            return "VARCHAR"
        found = database.execute(
            f"SELECT bool_and(coalesce(CAST(TRY_CAST(name AS {self.kind}) AS VARCHAR) = name, "
            "false)) FROM (SELECT unnest(CAST(? AS VARCHAR[])) AS name)",
            [list(names)],
        ).fetchall()
        return self.kind if found[0][0] else "VARCHAR"


def _numbered(codes: Any, start: int) -> dict[str, Any]:
    return {
        "number": np.arange(start, start + len(codes), dtype=np.int64),
        "code": codes.astype(np.int32),
    }


@contextmanager
def _database(path: Path, place: str = ":memory:") -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database; its errors may quote the data, so that only their kind is told."""
    import duckdb

    from twoworlds.release.backends.duckdb import SETTINGS

    try:
        with duckdb.connect(place, config={**SETTINGS, "temp_directory": ""}) as database:
            yield database
    except duckdb.Error as error:
        raise InvalidInput(
            f"{path} cannot be read or written as Parquet ({type(error).__name__}): check its "
            "format, and that there is room on the disk"
        ) from None


def _check_spelling(path: Path, names: Sequence[str], wanted: Sequence[str]) -> None:
    """Refuse what DuckDB, which reads names without capital letters, would take for another."""
    times = Counter(name.lower() for name in names)
    for name in wanted:
        if times[name.lower()] > 1:
            raise InvalidInput(
                f"{path} has another column that differs from {name!r} only in capital letters, "
                "which a Parquet file is read without: rename one of them"
            )
    if times[_NUMBER]:
        raise InvalidInput(f"{path} has a column {_NUMBER!r}, a name that is needed: rename it")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
