"""The ledger's store in SQLite, through the standard library.

Write-ahead log with ``synchronous=FULL``: a commit is one append to the log and one sync, after
which it survives kill -9 and a loss of power; a log cut short is recognised by its checksums and
ends at the last whole commit. The rollback journal is as durable but syncs three or four times for
each commit (measured: a tenth of the speed). The files must lie on a local disk: a write-ahead log
does not work across a network.

Its owner alone may read and write the file; SQLite gives its log and the index of the log the
rights of the file. A ledger that others may read, of an earlier version or by a ``chmod``, is taken
from them when its owner opens it for writing: they ask the service, or use PostgreSQL.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from twoworlds.errors import InvalidInput
from twoworlds.files import keep_private, make_private
from twoworlds.release.errors import LedgerDamaged, LedgerUnavailable
from twoworlds.release.ledger.entries import Entry, sync_folder

_APPLICATION = 0x32574C44  # "2WLD", so that other programs' databases are not taken for ledgers
_VERSION = 1
FILES = ("", "-wal", "-shm", "-journal")  # of a database: what comes after its name
_SCHEMA = (
    "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL)"
)
_SETTINGS = (
    "synchronous=FULL",
    "fullfsync=ON",  # these two matter on macOS only
    "checkpoint_fullfsync=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
)


class SQLiteStore:
    """An open SQLite database of entries; see `Store`."""

    def __init__(self, path: Path, *, seconds: float, mode: str = "rw") -> None:
        """Connect: mode ``rw`` to a database that exists, ``rwc`` to make it, ``ro`` to read."""
        self.path, self._made = path, mode == "rwc"
        with self._said():
            self._connection = _connect(path, mode, seconds)
        try:
            with self._said():
                self._prepare(mode)
                if mode != "ro":
                    for end in FILES:
                        keep_private(path.with_name(f"{path.name}{end}"))
                self._opened = path.stat()
        except BaseException:
            self._connection.close()
            raise

    def rows(self, after: int) -> Iterator[Entry]:
        """Yield the rows with a larger sequence, in order."""
        number = after
        try:
            sql = "SELECT sequence, body, hash FROM entries WHERE sequence > ? ORDER BY sequence"
            for found in self._connection.execute(sql, (after,)):
                yield Entry(*found)
                number = found[0]
        except sqlite3.OperationalError as error:
            raise self._kind(error) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self._broken(number + 1) from error

    def row(self, sequence: int) -> Entry | None:
        """Return one row, if it is there."""
        sql = "SELECT sequence, body, hash FROM entries WHERE sequence = ?"
        with self._said():
            found = self._connection.execute(sql, (sequence,)).fetchone()
        return Entry(*found) if found else None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the one write transaction; commit it durably at the end, or undo it."""
        with self._said():
            self._check_in_place()
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            with self._said():
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")

    def append(self, row: Entry) -> None:
        """Add one row; only inside `writing`."""
        with self._said():
            self._connection.execute(
                "INSERT INTO entries (sequence, body, hash) VALUES (?, ?, ?)",
                (row.sequence, row.body, row.hash),
            )

    def close(self) -> None:
        """Close the connection; the last one tidies the log away, and a new file is settled."""
        with suppress(sqlite3.Error):
            self._connection.close()
        if self._made:
            sync_folder(self.path.parent)

    def _prepare(self, mode: str) -> None:
        run = self._connection.execute
        for setting in _SETTINGS:
            run(f"PRAGMA {setting}")
        application = run("PRAGMA application_id").fetchone()[0]
        empty = run("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if mode == "rwc" and empty and not application:
            self._lay_out()
        elif application != _APPLICATION:
            raise InvalidInput(
                f"{self.path} is not a ledger of twoworlds: if it was one, restore it from a copy; "
                "else give another path"
            )
        version = run("PRAGMA user_version").fetchone()[0]
        if version != _VERSION:
            raise InvalidInput(
                f"{self.path} is a ledger of format {version}, this program reads {_VERSION}: "
                "use the program that wrote it"
            )
        if mode != "ro" and run("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
            raise LedgerUnavailable(
                f"{self.path}: this place cannot hold a write-ahead log; use a local disk"
            )

    def _lay_out(self) -> None:
        """Make the table; application and version are set with it, in one transaction."""
        run = self._connection.execute
        run("PRAGMA journal_mode=WAL")
        run("BEGIN IMMEDIATE")
        if run("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            run(_SCHEMA)
            run(f"PRAGMA application_id={_APPLICATION}")
            run(f"PRAGMA user_version={_VERSION}")
        run("COMMIT")

    def _check_in_place(self) -> None:
        """Refuse to write into a file that was moved away or replaced under us."""
        try:
            there = os.path.samestat(self._opened, self.path.stat())
        except OSError:
            there = False
        if not there:
            raise LedgerDamaged(
                f"the ledger {self.path} was removed or replaced while it was open: "
                "put it back, or open it again"
            )

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Translate the errors of SQLite."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._kind(error) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self._broken(None) from error

    def _kind(self, error: sqlite3.OperationalError) -> LedgerUnavailable:
        text = str(error)
        if "locked" in text or "busy" in text:
            what = "is locked by another program: close that program's transaction, or try again"
        elif "full" in text:
            what = "has no room left on its disk: free some, then try again"
        elif "readonly" in text or "read-only" in text:
            what = "can only be read: make the file and its folder writable"
        elif "unable to open" in text:
            what = "cannot be opened: check that it exists and that you may read and write there"
        else:
            what = f"cannot be used ({text}): check its disk, then try again"
        return LedgerUnavailable(f"the ledger {self.path} {what}; nothing was answered")

    def _broken(self, entry: int | None) -> LedgerDamaged:
        where = f"from entry {entry} on" if entry else "as a ledger"
        return LedgerDamaged(
            f"the ledger {self.path} cannot be read {where}: its file is damaged, or it is another "
            "file; restore the newest backup, nothing is answered until then",
            entry=entry,
        )


def _connect(path: Path, mode: str, seconds: float) -> sqlite3.Connection:
    where = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"
    log = path.with_name(path.name + "-wal")
    if mode == "rwc":
        with suppress(OSError, RuntimeError):  # it is there, or SQLite says what is wrong
            make_private(path.resolve()).close()
    if mode == "ro" and not log.exists() and not os.access(path.parent, os.W_OK):
        where += "&immutable=1"  # there is no log, so nobody writes, and we cannot make one
    connection = sqlite3.connect(
        where, uri=True, timeout=seconds, isolation_level=None, check_same_thread=False
    )
    # Entries are ASCII. Anything else is damage: it must reach the check of the hash, not an error
    # of SQLite's that quotes it.
    connection.text_factory = lambda content: content.decode("ascii", "replace")
    return connection
