"""Parquet files, read and written by DuckDB.

Records are read by ranges of row numbers, so that a file of any length takes the memory of one
range. A cell is compared with the declared values as the text that DuckDB makes of it: true, 42,
2024-05-01. The reports have the type of the column where every report is a value of that type (and
the type is a plain one), and are text otherwise; that depends on the declaration and never on data.

Reports and public columns are gathered in a database in the hidden folder of the new file, which
DuckDB then writes in one go. Nothing that has not been randomized, or said to be public, is ever
written to the disk: DuckDB may keep its intermediate results in memory only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from twoworlds.errors import InvalidInput
from twoworlds.release.local.tables import Chunk, TableFile, kept_columns

if TYPE_CHECKING:
    import duckdb

__all__ = ["ParquetFile"]

_CHUNK = 1 << 20  # records
_GLOB = set("*?[]{}")
_NUMBER = "file_row_number"
_PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DATE")
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "temp_directory": "",
}


@dataclass(frozen=True)
class ParquetFile(TableFile):
    """A Parquet file.

    Attributes:
        path: the file.
        column: the column that is randomized.
        kind: its type.
        kept: the names of the columns that are written.
        records: how many rows there are.
    """

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
        names = _top_level(stored)
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
            for start in range(0, self.records, _CHUNK):
                stop = min(start + _CHUNK, self.records)
                found = database.execute(
                    query, {**given, "start": start, "stop": stop}
                ).fetchnumpy()
                numbers, codes = np.asarray(found["number"]), np.asarray(found["code"])
                if len(codes) != stop - start:
                    raise InvalidInput(f"{self.path} was changed while it was read: try again")
                order = numbers - start
                placed = np.empty(len(codes), dtype=np.uint8)
                placed[order] = codes
                yield Chunk(placed, (start, stop))

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
            for chunk in chunks:
                start, stop = chunk.carried or (0, len(chunk.codes))
                if len(self.kept) > 1:
                    given |= {"start": start, "stop": stop}
                database.register("randomized", _numbered(chunk.codes, start))
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

    try:
        with duckdb.connect(place, config=_SETTINGS) as database:
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


def _top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """Return the names of the columns: the children of the root, without what lies below them."""
    names: list[str] = []
    below = 0
    for name, children in schema[1:]:
        if below == 0:
            names.append(name)
        else:
            below -= 1
        below += children or 0
    return names


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
