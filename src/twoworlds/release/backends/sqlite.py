r"""SQLite: a file, opened for reading, or a connection that is given.

Each row has a type of its own; a text need not be UTF-8, and one that is not is shown as ``\xff``
and the like where it is a key.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import md5
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import DbApiBackend, Field, Run
from twoworlds.release.backends.sources import Origin

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["SQLiteBackend"]

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

    def __init__(
        self, path: Path | None = None, *, given: Any = None, origin: Origin | None = None
    ) -> None:
        """Use a file, or a connection."""
        super().__init__(given=given, origin=origin)
        self._path = path
        if given is None:
            self._connect().close()
        else:
            given.create_function("md5", 1, _md5, deterministic=True)

    def check_usable(self) -> None:
        """Refuse a connection that was opened for another thread alone, too."""
        super().check_usable()
        if self._given is None:
            return
        try:
            self._given.cursor().close()
        except sqlite3.ProgrammingError as error:
            raise InvalidInput(
                f"this connection of SQLite cannot be used here ({error}): open it with "
                "check_same_thread=False, or give {sqlite: path, table: name}"
            ) from None

    def snapshot(self, relation: exp.Table) -> bool:
        """Whether the transaction is our own."""
        return self._given is None

    def _connect(self) -> sqlite3.Connection:
        assert self._path is not None
        where = f"file:{quote(str(self._path.absolute()))}?mode=ro"
        connection = sqlite3.connect(where, uri=True, check_same_thread=False, isolation_level=None)
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.Error:
            connection.close()
            raise InvalidInput(f"{self._path.name!r} is no file of SQLite") from None
        connection.create_function("md5", 1, _md5, deterministic=True)
        connection.text_factory = _decoded
        return connection

    @contextmanager
    def _session(self, tables: Sequence[exp.Table]) -> Iterator[Run]:
        with super()._session(tables) as run:
            if self._given is None:
                yield run
            else:  # its way to read texts is somebody else's
                before, self._given.text_factory = self._given.text_factory, _decoded
                try:
                    yield run
                finally:
                    self._given.text_factory = before
        self.close()

    def _describe(self, run: Run, table: exp.Table) -> Mapping[str, Field]:
        from twoworlds.release.plan import sql

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
