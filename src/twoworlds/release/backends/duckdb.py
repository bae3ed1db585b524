"""DuckDB: Parquet and CSV files, data frames, and DuckDB's own files.

A file or frame is seen through a view whose columns are numbered, so that no name of a column, odd
or twice given, ever stands in a statement. Nothing about a text file is guessed from its rows: each
line is a row (`texts` has the rules), and each value is read as what the policy declares; one that
cannot be read so is missing.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.release.ahead import Ahead
from twoworlds.release.backends.base import Field, kinds_of
from twoworlds.release.backends.sources import Origin, as_file, existing, named_table, table_name
from twoworlds.release.backends.texts import TextFile

if TYPE_CHECKING:
    import duckdb
    from sqlglot import exp

__all__ = ["DuckDBBackend"]

CHUNK = 10_000
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_INTEGERS = {
    "TINYINT": 8,
    "SMALLINT": 16,
    "INTEGER": 32,
    "BIGINT": 64,
    "UTINYINT": 16,
    "USMALLINT": 32,
    "UINTEGER": 64,
    "HUGEINT": 128,
}
_PLAIN = {
    "UBIGINT": Field("", "integer", bits=128, cast=True),
    "DOUBLE": Field("", "float"),
    "FLOAT": Field("", "float", cast=True),
    "VARCHAR": Field("", "text"),
    "UUID": Field("", "text", cast=True),
    "BOOLEAN": Field("", "boolean"),
    "DATE": Field("", "date"),
}


class DuckDBBackend:
    """Tables that DuckDB reads."""

    dialect = "duckdb"

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection | None = None,
        *,
        folder: Path = Path(),
        file: Path | None = None,
        origin: Origin | None = None,
    ) -> None:
        """Use a connection, or open one.

        Args:
            connection: A connection that is used and left open.
            folder: What relative paths start from.
            file: A file of DuckDB, opened for reading only.
            origin: How sources name this engine.
        """
        self._folder = folder
        self._origin = origin
        self._owned = connection is None
        self._connected = _opened(connection, file)
        self._numbers = count()
        self._seen: dict[Any, exp.Table] = {}
        self._fields: dict[str, dict[str, Field]] = {}
        self._keys: dict[tuple[str, ...], str] = {}  # the texts of tables, by their names
        self._kept: list[object] = []  # frames must live as long as their views
        self._texts: dict[str, TextFile] = {}  # by the names of their views
        self._read: dict[str, tuple[int, ...]] = {}  # what they were when they were last looked at

    def relation(self, source: Any) -> exp.Table:
        """Return the table of a file, a frame or a name in the file of DuckDB."""
        found = as_file(source, self._folder)
        if found is None and self._origin is None and isinstance(source, str):
            found = existing(source, self._folder)  # a folder: there are no tables by name here
        if found is not None:
            if found not in self._seen:
                self._seen[found] = self._file(found)
            return self._seen[found]
        name = table_name(source, self._origin)
        if name is not None:
            return named_table(self, *name)
        if id(source) not in self._seen:
            self._kept.append(source)
            self._seen[id(source)] = self._frame(source)
        return self._seen[id(source)]

    def fields(self, relation: exp.Table) -> Mapping[str, Field]:
        """Return the columns of a table by the names that their owner gave them."""
        names = (relation.catalog, relation.db, relation.name)
        if names not in self._keys:
            self._keys[names] = _text_of(relation)
        key = self._keys[names]
        if key not in self._fields:
            self._fields[key] = {f.name: f for f in self._described(key)}
        return self._fields[key]

    def kinds(self, relation: exp.Table) -> Mapping[str, str]:
        """Return the kind of each column in the words of a policy, or ``other``."""
        return kinds_of(self.fields(relation))

    def rows(self, statement: exp.Query) -> Iterator[tuple[Any, ...]]:
        """Run one statement and yield its rows, a chunk at a time."""
        if self._texts:
            from sqlglot import exp

            named = {table.name for table in statement.find_all(exp.Table)}
            for name in named & self._texts.keys():
                self._look_at(name)
        result = self._connection.execute(_text_of(statement))
        while chunk := result.fetchmany(CHUNK):
            yield from chunk

    def fetch(self, statement: exp.Query) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        return list(self.rows(statement))

    def close(self) -> None:
        """Close the connection, if it was opened here."""
        if self._owned:
            self._connection.close()

    def exists(self, relation: exp.Table) -> bool:
        """Whether the connection has a table or a view."""
        import duckdb

        try:
            self.fields(relation)
        except (duckdb.CatalogException, duckdb.BinderException):
            return False
        return True

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        return self._connected()

    def _file(self, path: Path) -> exp.Table:
        import duckdb

        delimiter = _DELIMITERS.get(path.suffix.lower())
        try:
            if delimiter is not None:
                return self._text(TextFile(path, delimiter))
            reader = f"read_parquet({_quoted(_glob(path))}, hive_partitioning = false)"
            return self._view(self._parquet_names(path), reader)
        except (duckdb.Error, OSError, UnicodeDecodeError, csv.Error):
            kind = "Parquet" if delimiter is None else "text"
            raise InvalidInput(
                f"{path.name!r} cannot be read as {kind}: check the file and its ending "
                "(.parquet, .csv, .tsv)"
            ) from None

    def _text(self, text: TextFile) -> exp.Table:
        """Return the view of a text file; it is made when a statement needs it."""
        from twoworlds.release.plan import sql

        names = _distinct(text.names())
        relation = sql.table(f"twoworlds_view{next(self._numbers)}")
        self._texts[relation.name] = text
        self._fields[_text_of(relation)] = {
            name: Field(f"c{i}", "untyped") for i, name in enumerate(names)
        }
        return relation

    def _look_at(self, view: str) -> None:
        """Make the view of a text file, unless it is there and the file is what it was."""
        text = self._texts[view]
        now = text.path.stat()
        state = (now.st_ino, now.st_size, now.st_mtime_ns)
        if self._read.get(view) == state:
            return
        width = len(self._fields[f'"{view}"'])
        columns = ", ".join(f"c{i}" for i in range(width))
        self._connection.execute(f"DROP VIEW IF EXISTS {view}")
        self._connection.execute(f"DROP TABLE IF EXISTS {view}_rows")
        ending = text.ending(width)
        if ending is not None:
            source = _reader(text.path, text.delimiter, width, ending)
        else:
            source = f"{view}_rows"
            self._copy(text, width, source)
        self._connection.execute(f"CREATE TEMPORARY VIEW {view} AS SELECT {columns} FROM {source}")
        self._read[view] = state

    def _copy(self, text: TextFile, width: int, table: str) -> None:
        """Read a text file in which not all lines are plain into a temporary table."""
        from tempfile import mkstemp  # late: few sources need it

        handle, name = mkstemp(suffix=".csv")
        try:
            with os.fdopen(handle, "wb") as file:
                text.copy(file, width)
            reader = _reader(Path(name), text.delimiter, width + 1, "\n")
            self._connection.execute(f"CREATE TEMPORARY TABLE {table} AS SELECT * FROM {reader}")
        finally:
            Path(name).unlink()

    def _frame(self, frame: Any) -> exp.Table:
        import duckdb

        from twoworlds.release.backends.frames import as_arrow

        table = as_arrow(frame)
        self._kept.append(table)
        names = _distinct(table.column_names)
        name = f"twoworlds_frame{next(self._numbers)}"
        try:
            self._connection.register(name, table)
            return self._view(names, name)
        except duckdb.Error:
            raise InvalidInput(
                "DuckDB cannot read all types of this frame: leave out the columns that are not "
                "needed, or cast them"
            ) from None

    def _view(self, names: Sequence[str], reader: str) -> exp.Table:
        """Make a view with numbered columns, and remember their true names."""
        from twoworlds.release.plan import sql

        names = _distinct(names)
        view = f"twoworlds_view{next(self._numbers)}"
        columns = ", ".join(f"c{i}" for i in range(len(names)))
        self._connection.execute(
            f"CREATE TEMPORARY VIEW {view} ({columns}) AS SELECT * FROM {reader}"
        )
        relation = sql.table(view)
        key = _text_of(relation)
        self._fields[key] = dict(zip(names, self._described(key), strict=True))
        return relation

    def _described(self, name: str) -> list[Field]:
        found = self._connection.execute(f"DESCRIBE {name}").fetchall()
        return [_field(row[0], row[1]) for row in found]

    def _parquet_names(self, path: Path) -> list[str]:
        """Return the names of the columns in their order, without those inside of others."""
        found = self._connection.execute(
            "SELECT name, num_children FROM parquet_schema(?)", [_glob(path)]
        ).fetchall()
        names, skip = [], 0
        for name, children in found[1:]:
            if skip:
                skip -= 1
            else:
                names.append(name)
                if len(names) == found[0][1]:
                    break
                skip = 0
            skip += children or 0
        return names


def _opened(
    connection: duckdb.DuckDBPyConnection | None, file: Path | None
) -> Callable[[], duckdb.DuckDBPyConnection]:
    """Return what returns the connection; one in memory is opened while sqlglot is loaded."""
    import duckdb  # noqa: F401 (loaded here, since two threads that load slow each other down)

    if connection is None and file is None:
        return Ahead(lambda: _connect(None)).value
    opened = _connect(file) if connection is None else connection
    return lambda: opened


def _connect(file: Path | None) -> duckdb.DuckDBPyConnection:
    """Open DuckDB: nothing is installed or loaded on demand, no variable of Python is a table."""
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
        "pandas_analyze_sample": "0",  # a column of objects is text, whatever it holds
    }
    if file is None:
        connection = duckdb.connect(":memory:", config=settings)
    else:
        try:
            connection = duckdb.connect(str(file), read_only=True, config=settings)
        except duckdb.Error:
            raise InvalidInput(
                f"{file.name!r} cannot be opened as a file of DuckDB: is it one, and is no other "
                "program writing to it?"
            ) from None
    connection.execute("SET lock_configuration = true")
    return connection


def _field(name: str, kind: str) -> Field:
    """Return a column from DuckDB's name of its type."""
    if kind in _INTEGERS:
        return Field(name, "integer", bits=_INTEGERS[kind])
    if kind in _PLAIN:
        plain = _PLAIN[kind]
        return Field(name, plain.family, bits=plain.bits, cast=plain.cast)
    if kind.startswith("DECIMAL"):
        return Field(name, "decimal")
    if kind.startswith("ENUM"):
        return Field(name, "text", cast=True)
    if kind.startswith("TIMESTAMP"):
        return Field(name, "timestamp")
    return Field(name, "other")


def _distinct(names: Sequence[str]) -> Sequence[str]:
    if not names:
        raise InvalidInput("a table without columns has nothing to count")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"two columns are called {twice!r}: rename one")
    return names


def _reader(path: Path, delimiter: str, width: int, ending: str) -> str:
    """Return DuckDB's reader of a text file, with nothing left to be guessed."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
    escaped = ending.replace("\r", "\\r").replace("\n", "\\n")
    return (
        f"read_csv({_quoted(_glob(path))}, auto_detect = false, delim = {_quoted(delimiter)}, "
        f"new_line = {_quoted(escaped)}, quote = '\"', escape = '\"', header = false, "
        f"skip = 1, columns = {{{columns}}}, nullstr = '', allow_quoted_nulls = false, "
        "max_line_size = 8000000, ignore_errors = true)"
    )


def _quoted(value: str) -> str:
    """Return a text as DuckDB's reader takes it: a view has no parameters."""
    from twoworlds.release.plan import sql

    return _text_of(sql.text(value))


def _text_of(statement: exp.Expr) -> str:
    from twoworlds.release.backends.plain_sql import duckdb_text

    return duckdb_text(statement)


def _glob(path: Path) -> str:
    """Return a path as DuckDB takes it: for a folder, the Parquet files in it."""
    escaped = re.sub(r"([*?\[])", r"[\1]", str(path))
    return f"{escaped}/*.parquet" if path.is_dir() else escaped
