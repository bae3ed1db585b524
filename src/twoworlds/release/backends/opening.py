"""From a source to an engine and a table in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Backend
from twoworlds.release.backends.frames import library_of
from twoworlds.release.backends.sources import FILES, check_typed, existing, origin_of

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["open_backend"]

_FORMS = (
    "a path (.parquet), {duckdb: path, table: name}, {sqlite: path, table: name}, "
    "{postgresql: address, table: name}, {mysql: address, table: name}, {spark: path or table}, "
    "a data frame, or {connection: ..., table: name}"
)


def open_backend(source: Any, folder: Path = Path()) -> tuple[Backend, exp.Table]:
    """Open what holds a table.

    Args:
        source: The path of a ``.parquet`` file, or of a folder of them;
            ``{duckdb: path, table: name}``, ``{sqlite: path, table: name}``,
            ``{postgresql: address, table: name}``, ``{mysql: address, table: name}`` or
            ``{spark: path or table}``, tables with ``schema: name`` besides if need be; a frame of
            pandas, polars or Spark or a table of pyarrow; or an open connection of duckdb, sqlite3
            or psycopg, ``{connection: c, table: name}``.
        folder: What relative paths start from.

    Raises:
        InvalidInput: when it is none of these, or not there; the message names the way out.
    """
    backend = _backend(source, folder)
    try:
        return backend, backend.relation(source)
    except BaseException:
        backend.close()
        raise


def _backend(source: Any, folder: Path) -> Backend:
    check_typed(source)
    if isinstance(source, Mapping):
        return _from_mapping(source, folder)
    if isinstance(source, (str, Path)):
        _check_path(source, folder)
    elif type(source).__module__.startswith("pyspark."):
        from twoworlds.release.backends.spark import SparkBackend

        return SparkBackend(source.sparkSession, folder=folder)
    elif library_of(source) is None:
        raise InvalidInput(f"{type(source).__name__} is no source of data: give {_FORMS}")
    from twoworlds.release.backends.duckdb import DuckDBBackend

    return DuckDBBackend(folder=folder)


def _check_path(source: str | Path, folder: Path) -> None:
    if isinstance(source, str) and "://" in source:  # it may hold a password: not shown
        raise InvalidInput(
            "an address of a server is given as {postgresql: address, table: name}; "
            f"a source is {_FORMS}"
        )
    path = existing(source, folder)
    if path.is_dir():
        if not any(path.glob("*.parquet")):
            raise InvalidInput(f"the folder {str(source)!r} has no .parquet file")
    elif path.suffix.lower() in (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3"):
        raise InvalidInput(
            f"{str(source)!r} holds several tables: give {{duckdb: {source}, table: name}} or "
            f"{{sqlite: {source}, table: name}}"
        )
    elif path.suffix.lower() not in FILES:
        raise InvalidInput(
            f"{str(source)!r} does not end in {FILES[0]}: the ending says how it is read"
        )


def _from_mapping(source: Mapping[str, Any], folder: Path) -> Backend:
    forms = [form for form in _OPENERS if form in source]
    unknown = source.keys() - {*_OPENERS, "table", "schema"}
    if len(forms) != 1 or unknown:
        raise InvalidInput(f"a source is {_FORMS}")
    if forms != ["spark"] and "table" not in source:
        raise InvalidInput(f"a source with {forms[0]}: needs table: and the name of the table")
    return _OPENERS[forms[0]](source, folder)


def _open_duckdb(source: Mapping[str, Any], folder: Path) -> Backend:
    from twoworlds.release.backends.duckdb import DuckDBBackend

    file = existing(source["duckdb"], folder)
    return DuckDBBackend(folder=folder, file=file, origin=origin_of(source))


def _open_sqlite(source: Mapping[str, Any], folder: Path) -> Backend:
    from twoworlds.release.backends.sqlite import SQLiteBackend

    return SQLiteBackend(existing(source["sqlite"], folder), origin=origin_of(source))


def _open_postgresql(source: Mapping[str, Any], _: Path) -> Backend:
    from twoworlds.release.backends.postgresql import PostgreSQLBackend

    return PostgreSQLBackend(str(source["postgresql"]), origin=origin_of(source))


def _open_mysql(source: Mapping[str, Any], _: Path) -> Backend:
    from twoworlds.release.backends.mysql import MySQLBackend

    return MySQLBackend(str(source["mysql"]), origin=origin_of(source))


def _open_spark(_: Mapping[str, Any], folder: Path) -> Backend:
    from twoworlds.release.backends.spark import SparkBackend, active_session

    return SparkBackend(active_session(), folder=folder)


def _open_connection(source: Mapping[str, Any], folder: Path) -> Backend:
    connection, origin = source["connection"], origin_of(source)
    modules = [one.__module__.partition(".")[0] for one in type(connection).__mro__]
    try:
        if "duckdb" in modules or "_duckdb" in modules:
            from twoworlds.release.backends.duckdb import DuckDBBackend

            connection.cursor().close()
            return DuckDBBackend(connection, folder=folder, origin=origin)
        if "sqlite3" in modules:
            from twoworlds.release.backends.sqlite import SQLiteBackend

            return SQLiteBackend(given=connection, origin=origin)
        if "psycopg" in modules:
            from twoworlds.release.backends.postgresql import PostgreSQLBackend

            return PostgreSQLBackend(given=connection, origin=origin)
    except InvalidInput:
        raise
    except Exception as error:  # whatever the driver raises; no table was touched
        words = " ".join(str(error).split())[:200]
        raise InvalidInput(f"this connection cannot be used ({words}): give an open one") from None
    raise InvalidInput(
        f"{type(connection).__module__}.{type(connection).__name__} is no connection of duckdb, "
        "sqlite3 or psycopg: give {mysql: address, table: name} for MySQL, and export tables of "
        "other databases to Parquet"
    )


_OPENERS = {
    "duckdb": _open_duckdb,
    "sqlite": _open_sqlite,
    "postgresql": _open_postgresql,
    "mysql": _open_mysql,
    "spark": _open_spark,
    "connection": _open_connection,
}
