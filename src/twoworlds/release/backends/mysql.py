"""MySQL and MariaDB: their catalogue, and a connection for reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Field

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["connect_mysql", "describe_mysql"]

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


def connect_mysql(address: str) -> Any:
    """Open a server for reading, by ``mysql://user:password@host:port/database``.

    Raises:
        InvalidInput: when it cannot be reached; its password is never shown.
    """
    try:
        pymysql: Any = import_module("pymysql")
    except ImportError:
        raise InvalidInput("MySQL needs PyMySQL: pip install 'twoworlds[mysql]'") from None
    try:
        parts = urlsplit(address)
        if parts.scheme not in ("mysql", "mariadb") or not parts.hostname:
            raise ValueError(address)
        connection = pymysql.connect(
            host=parts.hostname,
            port=parts.port or 3306,
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            database=unquote(parts.path.removeprefix("/")) or None,
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=10,
            init_command="SET SESSION TRANSACTION READ ONLY",
        )
    except (ValueError, pymysql.Error):
        raise InvalidInput(
            "the MySQL server of this address cannot be reached or refuses the login: it is "
            "written mysql://user:password@host:port/database"
        ) from None
    return connection


def describe_mysql(
    run: Callable[[str], Iterator[tuple[Any, ...]]], relation: exp.Table
) -> list[Field]:
    """Return the columns of a table."""
    from twoworlds.release.plan import sql

    name = sql.text(relation.name).sql("mysql")
    schema = sql.text(relation.db).sql("mysql") if relation.db else "DATABASE()"
    found = run(
        "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE FROM information_schema.COLUMNS "
        f"WHERE CAST(TABLE_NAME AS BINARY) = {name} AND TABLE_SCHEMA = {schema} "
        "ORDER BY ORDINAL_POSITION"
    )
    return [_field(*map(_text, row)) for row in found]


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
