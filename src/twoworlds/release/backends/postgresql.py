"""PostgreSQL: a server by its address, or a connection of psycopg that is given.

Every session is a read-only transaction: what a view or a function tries to write fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import DbApiBackend, Field, Run, run
from twoworlds.release.backends.sources import Origin

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["PostgreSQLBackend"]

_TYPES: dict[str, Field] = {
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


class PostgreSQLBackend(DbApiBackend):
    """Tables of PostgreSQL."""

    dialect = "postgres"
    begin = (
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        "SET LOCAL TIME ZONE 'UTC'",  # the day of a moment, whatever the server's own
    )

    def __init__(
        self, address: str = "", *, given: Any = None, origin: Origin | None = None
    ) -> None:
        """Use a server, or a connection."""
        super().__init__(given=given, origin=origin)
        self._address = address
        if given is None:
            self._idle.append(self._connect())
        else:
            _check_quotes(partial(run, given))

    def snapshot(self, relation: exp.Table) -> bool:
        """Whether it is a table and the transaction is our own; a view may read anything."""
        if self._given is not None:
            return False
        with self._session([]) as run:
            found = run(f"SELECT relkind FROM pg_catalog.pg_class WHERE oid = {_oid(relation)}")
            return [_letter(kind) for (kind,) in found] in (["r"], ["p"], ["m"])

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
        try:
            _check_quotes(partial(run, connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def _describe(self, run: Run, table: exp.Table) -> Mapping[str, Field]:
        found = run(
            "SELECT a.attname, t.typname, t.typtype FROM pg_catalog.pg_attribute a "
            "JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
            f"WHERE a.attrelid = {_oid(table)} "
            "AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        )
        fields = [_field(str(name), str(kind), _letter(sort)) for name, kind, sort in found]
        return {field.name: field for field in fields}


def _check_quotes(run: Run) -> None:
    (setting,) = next(run("SHOW standard_conforming_strings"))
    if setting != "on":
        raise InvalidInput(
            "standard_conforming_strings is off on this connection, and a backslash in a text "
            "would change its meaning: SET standard_conforming_strings = on"
        )


def _oid(table: exp.Table) -> str:
    from twoworlds.release.plan import sql

    return f"pg_catalog.to_regclass({sql.text(table.sql('postgres')).sql('postgres')})"


def _letter(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _field(name: str, kind: str, sort: str) -> Field:
    if sort == "e":  # an enumeration
        return Field(name, "text", cast=True)
    plain = _TYPES.get(kind, Field("", "other"))
    return Field(name, plain.family, bits=plain.bits, cast=plain.cast)
