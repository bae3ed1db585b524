r"""SQLite, PostgreSQL and MySQL, by the connections of Python's database interface (PEP 249).

Such an engine opens as many connections as are needed at one time, and reads in a transaction of
one moment, read-only on servers.

SQLite is a file, opened for reading. Each row has a type of its own; a text need not be UTF-8, and
one that is not is shown as ``\xff`` and the like where it is a key. PostgreSQL, MySQL and MariaDB
are servers by their addresses. Of the last two, the settings on which the meaning of a statement
depends are set for every connection, and only tables of InnoDB are of one moment.
"""

from __future__ import annotations

import os
import sqlite3
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from hashlib import md5
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote, unquote, urlsplit

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Backend, Field, Run, field_of, rows_of
from twoworlds.release.backends.sources import Origin, named_table, table_name
from twoworlds.release.plan import sql

if TYPE_CHECKING:
    from sqlglot import exp


class DbApiBackend(Backend):
    """Tables behind connections."""

    begin: ClassVar[tuple[str, ...]]  # statements that begin a reading of one moment

    def __init__(self, origin: Origin | None = None) -> None:
        """Open connections when they are needed."""
        super().__init__()
        self._origin = origin
        self._idle: list[Any] = []

    @abstractmethod
    def _connect(self) -> Any:
        """Open a connection for reading."""

    def relation(self, source: Any) -> exp.Table:
        """Return a table by its name."""
        name = table_name(source, self._origin)
        if name is None:
            raise InvalidInput(
                "a table of this engine is given by its name: load files and frames into it first"
            )
        return named_table(self, *name)

    def close(self) -> None:
        """Close the connections that were opened here."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _session(self, _: Sequence[exp.Table]) -> Iterator[Run]:
        connection = self._begun()
        try:
            yield partial(run, connection)
            _execute(connection, "ROLLBACK")  # nothing was written
        except BaseException:
            with suppress(Exception):
                connection.close()
            raise
        self._idle.append(connection)

    def _begun(self) -> Any:
        """Return a connection in a new transaction; an idle one may have been cut off."""
        while self._idle:
            with suppress(Exception):
                connection = self._idle.pop()
                _execute(connection, *self.begin)
                return connection
        connection = self._connect()
        _execute(connection, *self.begin)
        return connection


def run(connection: Any, text: str) -> Iterator[tuple[Any, ...]]:
    """Run a statement and yield its rows."""
    cursor = connection.cursor()
    try:
        cursor.execute(text)
        yield from rows_of(cursor)
    finally:
        cursor.close()


def _execute(connection: Any, *texts: str) -> None:
    cursor = connection.cursor()
    try:
        for text in texts:
            cursor.execute(text)
    finally:
        cursor.close()


_AFFINITIES = {
    "BOOL": "boolean",
    "DATE": "date",
    "TIME": "date",
    "INT": "integer",
    "CHAR": "text",
    "CLOB": "text",
    "TEXT": "text",
    "BLOB": "other",
}


class SQLiteBackend(DbApiBackend):
    """Tables of SQLite; a file is opened anew for each session, since it may be replaced."""

    dialect = "sqlite"
    begin = ("BEGIN",)

    def __init__(self, path: Path, *, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self._path = path
        self._connect().close()

    def snapshot(self, relation: exp.Table) -> bool:
        """Always."""
        return True

    def _connect(self) -> sqlite3.Connection:
        where = f"file:{quote(os.fsencode(self._path.absolute()))}?mode=ro"
        connection = sqlite3.connect(where, uri=True, check_same_thread=False, isolation_level=None)
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.Error:
            connection.close()
            raise InvalidInput(f"{self._path.name!r} is not an SQLite file") from None
        connection.create_function("md5", 1, _md5, deterministic=True)
        connection.text_factory = _decoded
        return connection

    @contextmanager
    def _session(self, tables: Sequence[exp.Table]) -> Iterator[Run]:
        with super()._session(tables) as run:
            yield run
        self.close()

    def _describe(self, run: Run, table: exp.Table) -> Mapping[str, Field]:
        schemas = [row[1] for row in run("PRAGMA database_list")] if table.db else []
        if table.db and table.db not in schemas:
            return {}
        name = sql.text(table.name).sql("sqlite")
        schema = f", {sql.text(table.db).sql('sqlite')}" if table.db else ""
        found = run(f"SELECT name, type FROM pragma_table_xinfo({name}{schema})")
        return {column: Field(column, "dynamic", declared=_kind(type_)) for column, type_ in found}


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")


def _md5(content: bytes) -> str:
    return md5(content, usedforsecurity=False).hexdigest()


def _kind(declared: str) -> str | None:
    """Return the kind that a column is declared to have; None when it is not."""
    if not declared:
        return None
    known = (kind for word, kind in _AFFINITIES.items() if word in declared.upper())
    return next(known, "number")


_CAST_TEXT = Field("", "text", cast=True)
_POSTGRESQL: dict[str, Field] = {
    **{f"int{size}": Field("", "integer", bits=8 * size) for size in (2, 4, 8)},
    **dict.fromkeys(("varchar", "bpchar", "name", "citext", "uuid"), _CAST_TEXT),
    **dict.fromkeys(("timestamp", "timestamptz"), Field("", "timestamp")),
    "text": Field("", "text"),
    "float4": Field("", "float", cast=True),
    "float8": Field("", "float"),
    "numeric": Field("", "decimal"),
    "bool": Field("", "boolean"),
    "date": Field("", "date"),
}


class PostgreSQLBackend(DbApiBackend):
    """Tables of PostgreSQL."""

    dialect = "postgres"
    begin = (
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        "SET LOCAL TIME ZONE 'UTC'",  # the day of a moment, whatever the server's own
    )

    def __init__(self, address: str, *, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self._address = address
        self._idle.append(self._connect())

    def snapshot(self, relation: exp.Table) -> bool:
        """Whether it is a table; a view may read anything."""
        with self._session([]) as run:
            found = run(f"SELECT relkind FROM pg_catalog.pg_class WHERE oid = {_oid(relation)}")
            return [_text(kind) for (kind,) in found] in (["r"], ["p"], ["m"])

    def _connect(self) -> Any:
        try:
            import psycopg
        except ImportError:
            raise InvalidInput(
                "PostgreSQL needs psycopg: pip install 'twoworlds[postgresql]'"
            ) from None
        try:
            connection = psycopg.connect(self._address, autocommit=True, connect_timeout=10)
        except psycopg.Error:
            raise InvalidInput(
                "the PostgreSQL server of this address cannot be reached or refuses the login: "
                "check host, port, database, user and password"
            ) from None
        [(setting,)] = run(connection, "SHOW standard_conforming_strings")
        if setting != "on":
            connection.close()
            raise InvalidInput(
                "standard_conforming_strings is off on this server, and a backslash in a text "
                "would change its meaning: turn it on"
            )
        return connection

    def _describe(self, run: Run, table: exp.Table) -> Mapping[str, Field]:
        found = run(
            "SELECT a.attname, t.typname, t.typtype FROM pg_catalog.pg_attribute a "
            "JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
            f"WHERE a.attrelid = {_oid(table)} "
            "AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        )
        return {
            str(name): Field(str(name), "text", cast=True)
            if _text(sort) == "e"  # an enumeration
            else field_of(str(name), str(kind), _POSTGRESQL)
            for name, kind, sort in found
        }


def _oid(table: exp.Table) -> str:
    return f"pg_catalog.to_regclass({sql.text(table.sql('postgres')).sql('postgres')})"


_MODE = "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'"
_TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "uuid")
_WIDTHS = {"tinyint": 8, "smallint": 16, "mediumint": 32, "int": 32, "bigint": 64}
_MYSQL: dict[str, Field] = {
    **{name: Field("", "integer", bits=bits) for name, bits in _WIDTHS.items()},
    **dict.fromkeys(_TEXTS, Field("", "text")),
    **dict.fromkeys(("float", "decimal"), Field("", "float", cast=True)),
    **dict.fromkeys(("datetime", "timestamp"), Field("", "timestamp")),
    "year": Field("", "integer", bits=64, cast=True),
    "double": Field("", "float"),
    "date": Field("", "date"),
}


class MySQLBackend(DbApiBackend):
    """Tables of MySQL or MariaDB."""

    dialect = "mysql"
    begin = (
        "SET SESSION time_zone = '+00:00'",  # the day of a moment, whatever the server's own
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    )

    def __init__(self, address: str, *, origin: Origin | None = None) -> None:
        """Use the server at ``mysql://user:password@host:port/database``."""
        super().__init__(origin)
        self._address = address
        self._idle.append(self._connect())

    def snapshot(self, relation: exp.Table) -> bool:
        """Whether it is a table of InnoDB."""
        with self._session([]) as run:
            found = run(f"SELECT ENGINE FROM information_schema.TABLES WHERE {_named(relation)}")
            return [_text(engine) for (engine,) in found] == ["InnoDB"]

    def _connect(self) -> Any:
        try:
            pymysql: Any = import_module("pymysql")
        except ImportError:
            raise InvalidInput("MySQL needs PyMySQL: pip install 'twoworlds[mysql]'") from None
        try:
            parts = urlsplit(self._address)
            if parts.scheme not in ("mysql", "mariadb") or not parts.hostname:
                raise ValueError(self._address)
            return pymysql.connect(
                host=parts.hostname,
                port=parts.port or 3306,
                user=unquote(parts.username or ""),
                password=unquote(parts.password or ""),
                database=unquote(parts.path.removeprefix("/")) or None,
                charset="utf8mb4",
                autocommit=True,
                connect_timeout=10,
                init_command=_MODE,
            )
        except (ValueError, pymysql.Error):
            raise InvalidInput(
                "the MySQL server of this address cannot be reached or refuses the login: it is "
                "written mysql://user:password@host:port/database"
            ) from None

    def _describe(self, run: Run, table: exp.Table) -> Mapping[str, Field]:
        found = run(
            "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE FROM information_schema.COLUMNS "
            f"WHERE {_named(table)} ORDER BY ORDINAL_POSITION"
        )
        rows = [[*map(_text, row)] for row in found]
        return {name: _mysql_field(name, kind.lower(), full.lower()) for name, kind, full in rows}


def _named(table: exp.Table) -> str:
    schema = sql.text(table.db).sql("mysql") if table.db else "DATABASE()"
    name = sql.text(table.name).sql("mysql")
    return f"CAST(TABLE_NAME AS BINARY) = {name} AND TABLE_SCHEMA = {schema}"


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _mysql_field(name: str, kind: str, full: str) -> Field:
    """Return a column; an unsigned one is cast, since differences of such numbers fail."""
    plain = field_of(name, kind, _MYSQL)
    if plain.family == "integer" and "unsigned" in full:
        return Field(name, "integer", bits=128 if kind == "bigint" else 64, cast=True)
    return replace(plain, declared="boolean" if full == "tinyint(1)" else None)
