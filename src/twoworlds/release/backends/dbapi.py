"""Connections of Python's database interface (PEP 249): what SQLite, PostgreSQL and MySQL share.

An engine opens as many connections as are needed at one time, and reads in a transaction of one
moment. A connection that is given is used as it is, by one thread at a time: nothing is known about
the transaction that it is in, so no moment is promised.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Backend, Run
from twoworlds.release.backends.sources import Origin, named_table, table_name

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["DbApiBackend", "run"]

CHUNK = 10_000


class DbApiBackend(Backend):
    """Tables behind connections."""

    begin: ClassVar[tuple[str, ...]]  # statements that begin a reading of one moment

    def __init__(self, *, given: Any = None, origin: Origin | None = None) -> None:
        """Open connections when they are needed, or use one that is given.

        Args:
            given: An open connection, which stays open.
            origin: How sources name this engine.

        Raises:
            InvalidInput: for a connection that cannot be used.
        """
        super().__init__()
        self._given, self._origin = given, origin
        self._turn = RLock()
        self._idle: list[Any] = []

    @abstractmethod
    def _connect(self) -> Any:
        """Open a connection for reading.

        Raises:
            InvalidInput: when it cannot be opened; no password is shown.
        """

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
        if self._given is not None:
            with self._turn:
                yield partial(run, self._given)
            return
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
                for text in self.begin:
                    _execute(connection, text)
                return connection
        connection = self._connect()
        for text in self.begin:
            _execute(connection, text)
        return connection


def run(connection: Any, text: str) -> Iterator[tuple[Any, ...]]:
    """Run a statement and yield its rows, a chunk at a time."""
    cursor = connection.cursor()
    try:
        cursor.execute(text)
        while chunk := cursor.fetchmany(CHUNK):
            yield from map(tuple, chunk)
    finally:
        cursor.close()


def _execute(connection: Any, text: str) -> None:
    cursor = connection.cursor()
    try:
        cursor.execute(text)
    finally:
        cursor.close()
