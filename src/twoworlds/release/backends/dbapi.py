"""Any connection of Python's database interface (PEP 249).

What SQLite and PostgreSQL do is known. MySQL depends on its settings, and any other dialect that
sqlglot writes is found out (`twoworlds.release.plan.portable`); both are tried on constants first,
and refused unless all answers are right (`twoworlds.release.plan.probe`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import md5
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Field, kinds_of
from twoworlds.release.backends.sources import Origin, named_table, table_name

if TYPE_CHECKING:
    from sqlglot import exp

    from twoworlds.release.plan.engines import Engine

__all__ = ["DbApiBackend", "dialect_of", "open_mysql", "open_postgresql", "open_sqlite"]

CHUNK = 10_000
SAVEPOINT = "twoworlds_trial"
_MODULES = {
    "sqlite3": "sqlite",
    "psycopg": "postgres",
    "psycopg2": "postgres",
    "pg8000": "postgres",
    "pymysql": "mysql",
    "MySQLdb": "mysql",
    "mysql": "mysql",
    "mariadb": "mysql",
    "duckdb": "duckdb",
    "_duckdb": "duckdb",
}


class DbApiBackend:
    """Tables behind a connection."""

    def __init__(
        self,
        connection: Any,
        dialect: str,
        *,
        owned: bool = False,
        origin: Origin | None = None,
    ) -> None:
        """Use a connection.

        Args:
            connection: An open connection.
            dialect: A dialect that sqlglot writes, such as ``sqlite``, ``postgres`` or ``mysql``.
            owned: Whether `close` closes it.
            origin: How sources name this engine.

        Raises:
            UnknownName: for a dialect that sqlglot does not write.
            InvalidInput: for a connection that computes or reads texts in another way.
        """
        if not callable(getattr(connection, "cursor", None)):
            raise InvalidInput(
                f"{type(connection).__name__} is no open connection of Python's database "
                "interface: it has no cursor"
            )
        self.dialect = dialect
        self._connection = connection
        self._owned = owned
        self._origin = origin
        self._fields: dict[str, dict[str, Field]] = {}
        self.habits: Engine | None = None
        if dialect in _PREPARATIONS:
            self._prepare()
        else:
            self.habits = self._found_out()

    def _prepare(self) -> None:
        """Make a connection ready whose engine is known.

        Raises:
            InvalidInput: when it is one to another engine, or does not let itself be made ready.
        """
        try:
            _PREPARATIONS[self.dialect](self._connection)
        except InvalidInput:
            raise
        except Exception as error:  # whatever the driver raises; no table was touched
            words = " ".join(str(error).split())[:200]
            raise InvalidInput(
                f"this connection ({type(self._connection).__name__}) does not do what one with "
                f"dialect={self.dialect!r} does ({words}): give the dialect that it speaks, and "
                "the connection that the driver itself returns"
            ) from None

    def _found_out(self) -> Engine:
        """Return what the engine does, after it was tried on constants."""
        from twoworlds.errors import UnknownName
        from twoworlds.release.plan.engines import dialects, engine_of, is_known
        from twoworlds.release.plan.portable import find_habits
        from twoworlds.release.plan.probe import probe

        if self.dialect not in dialects():
            raise UnknownName("dialect", self.dialect, dialects())
        known = is_known(self.dialect)
        habits = engine_of(self.dialect) if known else find_habits(self._try)
        probe(self._try, self.dialect, habits)
        return habits

    def _try(self, statement: exp.Query) -> list[tuple[Any, ...]]:
        """Run a statement that may fail, without harm to a transaction that is open."""
        text = self._written(statement, copy=False)
        saved = _quietly(self._connection, f"SAVEPOINT {SAVEPOINT}")
        try:
            return list(_run(self._connection, text))
        except Exception:
            if saved:
                _quietly(self._connection, f"ROLLBACK TO SAVEPOINT {SAVEPOINT}")
            raise

    def _written(self, statement: exp.Query, *, copy: bool = True) -> str:
        """Return a statement in SQL; what an engine cannot say is an error, not left out."""
        from sqlglot import ErrorLevel

        return statement.sql(self.dialect, unsupported_level=ErrorLevel.RAISE, copy=copy)

    def relation(self, source: Any) -> exp.Table:
        """Return a table by its name."""
        name = table_name(source, self._origin)
        if name is None:
            raise InvalidInput(
                "a table of this engine is given by its name: load files and frames into it first"
            )
        return named_table(self, *name)

    def exists(self, relation: exp.Table) -> bool:
        """Whether the connection has a table or a view with columns."""
        return bool(self.fields(relation))

    def fields(self, relation: exp.Table) -> Mapping[str, Field]:
        """Return the columns of a table by name."""
        key = relation.sql(self.dialect)
        if key not in self._fields:
            found = self._described(relation)
            if not found:
                return {}
            self._fields[key] = {field.name: field for field in found}
        return self._fields[key]

    def _described(self, relation: exp.Table) -> list[Field]:
        if self.habits is None:
            return _CATALOGUES[self.dialect](self._connection, relation)
        if self.dialect == "mysql":
            from twoworlds.release.backends.mysql import describe_mysql

            return describe_mysql(lambda text: _run(self._connection, text), relation)
        from twoworlds.release.backends.portable import describe_portable, try_texts

        found = describe_portable(self._connection, self._try, self.dialect, relation)
        return try_texts(self._try, self.habits, relation, found)

    def kinds(self, relation: exp.Table) -> Mapping[str, str]:
        """Return the kind of each column in the words of a policy, or ``other``."""
        return kinds_of(self.fields(relation))

    def rows(self, statement: exp.Query) -> Iterator[tuple[Any, ...]]:
        """Run one statement and yield its rows, a chunk at a time."""
        text = self._written(statement)
        if not self._owned or self.dialect == "sqlite":
            yield from _run(self._connection, text)
            return
        # The mode of the session does not do: the function of a view may change it for the next.
        _execute(self._connection, "START TRANSACTION READ ONLY")
        try:
            yield from _run(self._connection, text)
        finally:
            _quietly(self._connection, "ROLLBACK")

    def fetch(self, statement: exp.Query) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        return list(self.rows(statement))

    def close(self) -> None:
        """Close the connection, if it was opened here."""
        if self._owned:
            self._connection.close()


def _quietly(connection: Any, text: str) -> bool:
    """Run a statement that returns nothing; whether it worked."""
    try:
        _execute(connection, text)
    except Exception:  # whatever the driver raises
        return False
    return True


def _execute(connection: Any, text: str) -> None:
    cursor = connection.cursor()
    try:
        cursor.execute(text)
    finally:
        cursor.close()


def _run(connection: Any, text: str) -> Iterator[tuple[Any, ...]]:
    cursor = connection.cursor()
    try:
        cursor.execute(text)
        while chunk := _fetched(connection, cursor):
            yield from map(tuple, chunk)
    finally:
        cursor.close()


def _fetched(connection: Any, cursor: Any) -> list[Any]:
    r"""Return some rows; a text of SQLite that is not UTF-8 is read as ``\xff`` and the like."""
    before = getattr(connection, "text_factory", None)
    if before is None:
        return list(cursor.fetchmany(CHUNK))
    connection.text_factory = lambda text: text.decode("utf-8", "backslashreplace")
    try:
        return list(cursor.fetchmany(CHUNK))
    finally:  # the connection may be somebody else's
        connection.text_factory = before


def dialect_of(connection: Any) -> str | None:
    """Return the dialect of a connection by the module that made it, if it is known."""
    modules = [one.__module__.partition(".")[0] for one in type(connection).__mro__]
    return next((_MODULES[module] for module in modules if module in _MODULES), None)


# --- MySQL --------------------------------------------------------------------------------------


def open_mysql(address: str, origin: Origin | None = None) -> DbApiBackend:
    """Open a MySQL or MariaDB server for reading; its password is never shown."""
    from twoworlds.release.backends.mysql import connect_mysql

    connection = connect_mysql(address)
    try:
        return DbApiBackend(connection, "mysql", owned=True, origin=origin)
    except BaseException:
        connection.close()
        raise


# --- SQLite -------------------------------------------------------------------------------------


def open_sqlite(path: Path, origin: Origin | None = None) -> DbApiBackend:
    """Open a file of SQLite for reading."""
    import sqlite3
    from urllib.parse import quote

    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise InvalidInput(f"{path.name!r} is no file of SQLite") from None
    return DbApiBackend(connection, "sqlite", owned=True, origin=origin)


def _prepare_sqlite(connection: Any) -> None:
    connection.create_function("md5", 1, _md5, deterministic=True)


def _md5(content: bytes) -> str:
    return md5(content, usedforsecurity=False).hexdigest()


def _describe_sqlite(connection: Any, relation: exp.Table) -> list[Field]:
    from twoworlds.release.plan import sql

    if relation.db and relation.db not in [
        row[1] for row in _run(connection, "PRAGMA database_list")
    ]:
        return []
    name = sql.text(relation.name).sql("sqlite")
    schema = f", {sql.text(relation.db).sql('sqlite')}" if relation.db else ""
    found = _run(connection, f"SELECT name, type FROM pragma_table_xinfo({name}{schema})")
    return [Field(column, "dynamic", declared=_affinity(kind)) for column, kind in found]


def _affinity(declared: str) -> str | None:
    """Return the kind that a column of SQLite is declared to have; None when it is not."""
    declared = declared.upper()
    kinds = {
        "BOOL": "boolean",
        "DATE": "date",
        "TIME": "date",
        "INT": "integer",
        "CHAR": "text",
        "CLOB": "text",
        "TEXT": "text",
        "BLOB": "other",
    }
    if not declared:
        return None
    return next((kind for word, kind in kinds.items() if word in declared), "number")


# --- PostgreSQL ---------------------------------------------------------------------------------


def open_postgresql(address: str, origin: Origin | None = None) -> DbApiBackend:
    """Open a PostgreSQL server for reading; its password is never shown."""
    try:
        import psycopg
    except ImportError:
        raise InvalidInput(
            "PostgreSQL needs psycopg: pip install 'twoworlds[postgresql]'"
        ) from None
    try:
        connection = psycopg.connect(address, autocommit=True, connect_timeout=10)
    except psycopg.Error:
        raise InvalidInput(
            "the PostgreSQL server of this address cannot be reached or refuses the login: check "
            "host, port, database, user and password"
        ) from None
    _execute(connection, "SET default_transaction_read_only = on")
    return DbApiBackend(connection, "postgres", owned=True, origin=origin)


def _prepare_postgresql(connection: Any) -> None:
    (setting,) = next(_run(connection, "SHOW standard_conforming_strings"))
    if setting != "on":
        raise InvalidInput(
            "standard_conforming_strings is off on this connection, and a backslash in a text "
            "would change its meaning: SET standard_conforming_strings = on"
        )


_POSTGRESQL_TYPES: dict[str, Field] = {
    "int2": Field("", "integer", bits=16),
    "int4": Field("", "integer", bits=32),
    "int8": Field("", "integer", bits=64),
    "float4": Field("", "float", cast=True),
    "float8": Field("", "float"),
    "numeric": Field("", "decimal"),
    "text": Field("", "text"),
    "varchar": Field("", "text", cast=True),
    "bpchar": Field("", "text", cast=True),
    "name": Field("", "text", cast=True),
    "citext": Field("", "text", cast=True),
    "uuid": Field("", "text", cast=True),
    "bool": Field("", "boolean"),
    "date": Field("", "date"),
    "timestamp": Field("", "timestamp"),
    "timestamptz": Field("", "timestamp"),
}


def _describe_postgresql(connection: Any, relation: exp.Table) -> list[Field]:
    from twoworlds.release.plan import sql

    name = sql.text(relation.sql("postgres")).sql("postgres")
    found = _run(
        connection,
        "SELECT a.attname, t.typname, t.typtype FROM pg_catalog.pg_attribute a "
        "JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
        f"WHERE a.attrelid = pg_catalog.to_regclass({name}) "
        "AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
    )
    return [_field(str(column), str(kind), _letter(sort)) for column, kind, sort in found]


def _letter(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _field(name: str, kind: str, sort: str) -> Field:
    if sort == "e":  # an enumeration
        return Field(name, "text", cast=True)
    plain = _POSTGRESQL_TYPES.get(kind, Field("", "other"))
    return Field(name, plain.family, bits=plain.bits, cast=plain.cast)


_CATALOGUES: dict[str, Callable[[Any, exp.Table], list[Field]]] = {
    "sqlite": _describe_sqlite,
    "postgres": _describe_postgresql,
}
_PREPARATIONS: dict[str, Callable[[Any], None]] = {
    "sqlite": _prepare_sqlite,
    "postgres": _prepare_postgresql,
}
