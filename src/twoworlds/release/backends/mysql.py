"""MySQL and MariaDB: a server by its address.

The settings on which the meaning of a statement depends are set for every connection. Every session
is a read-only transaction; of one moment where the tables are of InnoDB.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import DbApiBackend, Field, Run
from twoworlds.release.backends.sources import Origin

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["MySQLBackend"]

_MODE = "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'"
_TYPES: dict[str, Field] = {
    "tinyint": Field("", "integer", bits=8),
    "smallint": Field("", "integer", bits=16),
    "mediumint": Field("", "integer", bits=32),
    "int": Field("", "integer", bits=32),
    "bigint": Field("", "integer", bits=64),
    "year": Field("", "integer", bits=64, cast=True),
    "float": Field("", "float", cast=True),
    "double": Field("", "float"),
    "decimal": Field("", "float", cast=True),
    "char": Field("", "text"),
    "varchar": Field("", "text"),
    "tinytext": Field("", "text"),
    "text": Field("", "text"),
    "mediumtext": Field("", "text"),
    "longtext": Field("", "text"),
    "enum": Field("", "text"),
    "uuid": Field("", "text"),
    "date": Field("", "date"),
    "datetime": Field("", "timestamp"),
    "timestamp": Field("", "timestamp"),
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
        super().__init__(origin=origin)
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
        fields = [_field(*map(_text, row)) for row in found]
        return {field.name: field for field in fields}


def _named(table: exp.Table) -> str:
    from twoworlds.release.plan import sql

    schema = sql.text(table.db).sql("mysql") if table.db else "DATABASE()"
    name = sql.text(table.name).sql("mysql")
    return f"CAST(TABLE_NAME AS BINARY) = {name} AND TABLE_SCHEMA = {schema}"


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _field(name: str, kind: str, full: str) -> Field:
    """Return a column; an unsigned one is cast, since differences of such numbers fail."""
    plain = _TYPES.get(kind.lower(), Field("", "other"))
    unsigned = "unsigned" in full.lower()
    if plain.family == "integer" and unsigned:
        return Field(name, "integer", bits=128 if kind.lower() == "bigint" else 64, cast=True)
    declared = "boolean" if full.lower() == "tinyint(1)" else None
    return Field(name, plain.family, declared, plain.bits, plain.cast)
