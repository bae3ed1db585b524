"""DuckDB: Parquet files, data frames, and DuckDB's own files.

A file or frame is seen through a temporary view that each session makes for itself; columns are
bound by their names. A file must be the same before and after it is read: together with DuckDB's
transactions this makes a session one moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Backend, Field, Run, TableChanged, field_of, rows_of
from twoworlds.release.backends.frames import OBJECTS
from twoworlds.release.backends.sources import (
    Origin,
    as_file,
    check_once,
    existing,
    named_table,
    table_name,
)

if TYPE_CHECKING:
    import duckdb
    from sqlglot import exp

# Nothing is installed or loaded on demand, and no variable of Python is a table.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
_WIDTHS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
_UNSIGNED = {"UTINYINT": 16, "USMALLINT": 32, "UINTEGER": 64}
_TYPES = {
    **{name: Field("", "integer", bits=bits) for name, bits in (_WIDTHS | _UNSIGNED).items()},
    **dict.fromkeys(("UUID", "ENUM"), Field("", "text", cast=True)),
    "UBIGINT": Field("", "integer", bits=128, cast=True),
    "DOUBLE": Field("", "float"),
    "FLOAT": Field("", "float", cast=True),
    "DECIMAL": Field("", "decimal"),
    "VARCHAR": Field("", "text"),
    "BOOLEAN": Field("", "boolean"),
    "DATE": Field("", "date"),
    "TIMESTAMP": Field("", "timestamp"),
    OBJECTS: Field("", "objects"),
}
_NUMBERS = ("integer", "float", "decimal")
Stamp = tuple[tuple[Any, ...], ...]  # what tells whether files are still the same


class DuckDBBackend(Backend):
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
        """Use a connection, or open one."""
        super().__init__()
        self._folder = folder
        self._origin = origin
        self._owned = connection is None
        self._connection = _connect(file) if connection is None else connection
        self._numbers = count()
        self._opening = RLock()
        self._views: dict[str, Path | Any] = {}  # a file, or a table of Arrow
        self._seen: dict[Any, tuple[Any, exp.Table]] = {}  # with the source, which must live on
        self._selects: dict[str, tuple[Stamp, str]] = {}

    def relation(self, source: Any) -> exp.Table:
        """Return the table of a file, a frame or a name in the file of DuckDB."""
        file = as_file(source, self._folder)
        if file is None and self._origin is None and isinstance(source, str):
            file = existing(source, self._folder)  # a folder: there are no tables by name here
        name = table_name(source, self._origin) if file is None else None
        if name is not None:
            return named_table(self, *name)
        key = id(source) if file is None else file
        with self._opening:
            if key not in self._seen:
                self._seen[key] = source, self._view(file if file is not None else _arrow(source))
            return self._seen[key][1]

    def snapshot(self, relation: exp.Table) -> bool:
        """Whether it is a file, a frame or a table; a view of DuckDB may read anything."""
        if relation.name in self._views:
            return True
        named = f"table_name = {_quoted(relation.name)}"
        if relation.db:
            named += f" AND table_schema = {_quoted(relation.db)}"
        with self._session([]) as run:
            found = {*run(f"SELECT table_type FROM information_schema.tables WHERE {named}")}
        return found == {("BASE TABLE",)}

    def close(self) -> None:
        """Close the connection, if it was opened here."""
        if self._owned:
            self._connection.close()

    @contextmanager
    def _session(self, tables: Sequence[exp.Table]) -> Iterator[Run]:
        views = [table.name for table in tables if table.name in self._views]
        files = [view for view in views if isinstance(self._views[view], Path)]
        cursor = self._connection.cursor()
        try:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            before = [_stamp(self._views[view]) for view in files]
            for view in views:
                self._show(cursor, view)
            yield lambda text: rows_of(cursor.execute(text))
            if [_stamp(self._views[view]) for view in files] != before:
                raise TableChanged
        finally:
            with suppress(Exception):  # nothing was written
                cursor.execute("ROLLBACK")
            cursor.close()

    def _show(self, cursor: duckdb.DuckDBPyConnection, view: str) -> None:
        """Make the view of a file or a frame, for this cursor alone."""
        place = self._views[view]
        if isinstance(place, Path):
            stamp, known = _stamp(place), self._selects.get(view)
            if known is None or known[0] != stamp:
                known = self._selects[view] = stamp, _rows_of(cursor, place)
            select = known[1]
        else:
            cursor.register(f"{view}_frame", place)
            select = f"SELECT * FROM {view}_frame"
        cursor.execute(f"CREATE TEMPORARY VIEW {view} AS {select}")

    def _describe(self, run: Run, table: exp.Table) -> Mapping[str, Field]:
        import duckdb

        try:
            rows = list(run(f"DESCRIBE {_text_of(table)}"))
        except (duckdb.CatalogException, duckdb.BinderException):
            return {}
        inferred = table.name in self._views
        return {row[0]: replace(_field(row[0], row[1]), inferred=inferred) for row in rows}

    def _view(self, place: Path | Any) -> exp.Table:
        """Return the view of a file or a frame, after a first look at it."""
        import duckdb

        from twoworlds.release.plan import sql

        view = f"twoworlds_view{next(self._numbers)}"
        self._views[view] = place
        relation = sql.table(view)
        try:
            self.fields(relation)
        except (duckdb.Error, OSError):
            del self._views[view]
            if not isinstance(place, Path):
                raise InvalidInput(
                    "DuckDB cannot read all types of this frame: leave out the columns that are "
                    "not needed, or cast them"
                ) from None
            raise InvalidInput(
                f"{place.name!r} cannot be read as Parquet: check the file and its ending"
            ) from None
        return relation


def _arrow(frame: Any) -> Any:
    from twoworlds.release.backends.frames import as_arrow

    table = as_arrow(frame)
    names = table.column_names
    if not names:
        raise InvalidInput("a table without columns has nothing to count")
    if len(set(map(str.casefold, names))) < len(names):
        folded = [name.casefold() for name in names]
        twice = next(name for name in names if folded.count(name.casefold()) > 1)
        raise InvalidInput(f"two columns are called {twice!r}, in capitals or not: rename one")
    return table


def _rows_of(cursor: duckdb.DuckDBPyConnection, path: Path) -> str:
    """Return the query for the rows of a file, or of all files in a folder.

    Files of a folder may differ in the type of a column, which one value may have decided. DuckDB
    would cast all to the type in the first, and fail at a value that is not of it. Such a column
    becomes one of structures, as Python objects do (`twoworlds.release.backends.frames`).
    """
    files = _files(path)
    check_once(path, files)
    readers = [_reader(file) for file in files]
    types = [dict(_described(cursor, reader)) for reader in readers]
    _check_names(cursor, path, types)
    if all(one == types[0] for one in types):
        return f"SELECT * FROM {_reader(path)}"
    names = list(dict.fromkeys(name for one in types for name in one))
    alike = {name for name in names if len({one.get(name) for one in types}) == 1}
    selects = [
        ", ".join(
            f"{_text_of_name(name)} AS {_text_of_name(name)}"
            if name in alike
            else f"{_parts(name, one.get(name))} AS {_text_of_name(name)}"
            for name in names
        )
        for one in types
    ]
    return " UNION ALL ".join(
        f"SELECT {select} FROM {reader}" for select, reader in zip(selects, readers, strict=True)
    )


def _described(cursor: duckdb.DuckDBPyConnection, reader: str) -> Iterator[tuple[str, str]]:
    for name, kind, *_ in cursor.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall():
        yield name, kind


def _check_names(
    cursor: duckdb.DuckDBPyConnection, path: Path, types: Sequence[Mapping[str, str]]
) -> None:
    """Refuse names that DuckDB does not tell apart, of which it would rename one."""
    query = f"SELECT DISTINCT name FROM parquet_schema({_quoted(_glob(path))})"
    written = {name for (name,) in cursor.execute(query).fetchall()}
    names = {name for one in types for name in one}
    renamed = sorted(names - written)
    if renamed or len({name.casefold() for name in names}) < len(names):
        which = f" ({renamed[0]!r} is one of them)" if renamed else ""
        raise InvalidInput(
            f"{path.name!r} has columns of one name, in capitals or not{which}: rename one"
        )


def _parts(name: str, kind: str | None) -> str:
    """Return a column as structures with a part for each kind that its values may be of."""
    column = _text_of_name(name)
    family = "other" if kind is None else _field(name, kind).family
    whole = f"TRY_CAST({column} AS BIGINT)" if family == "integer" else "NULL"
    number = f"TRY_CAST({column} AS DOUBLE)" if family in _NUMBERS else "NULL"
    texts = f"CAST({column} AS VARCHAR)" if family == "text" else "NULL"
    truth = column if family == "boolean" else "NULL"
    day = f"TRY_CAST({column} AS DATE)" if family in ("date", "timestamp") else "NULL"
    return (
        f"struct_pack(text := {texts}::VARCHAR, integer := {whole}::BIGINT, "
        f"number := {number}::DOUBLE, boolean := {truth}::BOOLEAN, date := {day}::DATE)"
    )


def _reader(path: Path) -> str:
    return f"read_parquet({_quoted(_glob(path))}, hive_partitioning = false)"


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("*.parquet")) if path.is_dir() else [path]


def _text_of_name(name: str) -> str:
    from twoworlds.release.plan import sql

    return _text_of(sql.column(name))


def _stamp(path: Path) -> Stamp:
    """Return what tells whether a file, or a file in a folder, was changed or replaced."""
    return tuple(
        (str(file), now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        for file in _files(path)
        for now in [file.stat()]
    )


def _connect(file: Path | None) -> duckdb.DuckDBPyConnection:
    """Open DuckDB in memory, or a file of it for reading; what is set cannot be changed."""
    import duckdb

    if file is None:
        connection = duckdb.connect(":memory:", config=SETTINGS)
    else:
        try:
            connection = duckdb.connect(str(file), read_only=True, config=SETTINGS)
        except duckdb.Error:
            raise InvalidInput(
                f"{file.name!r} cannot be opened as a file of DuckDB: is it one, and is no other "
                "program writing to it?"
            ) from None
    connection.execute("SET GLOBAL TimeZone = 'UTC'")  # the day of a moment, on every machine
    connection.execute("SET lock_configuration = true")
    return connection


def _field(name: str, kind: str) -> Field:
    """Return a column from DuckDB's name of its type; DECIMAL(9,2)[] is a list."""
    kind = kind.replace('"', "")
    if kind.endswith(")") and kind != OBJECTS:
        kind = kind.partition("(")[0]
    elif kind.startswith("TIMESTAMP") and not kind.endswith("]"):
        kind = "TIMESTAMP"  # of all units, in a zone or not
    return field_of(name, kind, _TYPES)


def _quoted(value: str) -> str:
    """Return a text as DuckDB's reader takes it: a view has no parameters."""
    from twoworlds.release.plan import sql

    return _text_of(sql.text(value))


def _text_of(statement: exp.Expr) -> str:
    return statement.sql("duckdb")


def _glob(path: Path) -> str:
    """Return a path as DuckDB takes it: for a folder, the Parquet files in it."""
    escaped = re.sub(r"([*?\[])", r"[\1]", str(path))
    return f"{escaped}/*.parquet" if path.is_dir() else escaped
