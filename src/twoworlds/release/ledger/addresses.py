"""Addresses of ledgers on PostgreSQL: read once, and shown without password or options.

A message, a ``repr`` and a log hold host, port, database and table. Whatever of an address cannot
be told from a password is not shown, even in the refusal of an address that is wrong.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from twoworlds.errors import InvalidInput
from twoworlds.files import make_folder
from twoworlds.release.ledger.locations import Mode
from twoworlds.release.ledger.postgresql import PostgreSQLStore
from twoworlds.release.ledger.store import Store

__all__ = ["TABLE", "ServerLocation", "locate_on_server"]

TABLE = "twoworlds_ledger"
_NAME = re.compile(r"(?:[a-z_][a-z0-9_]{0,39}\.)?[a-z_][a-z0-9_]{0,39}")


@dataclass(frozen=True)
class ServerLocation:
    """A table on a PostgreSQL server."""

    address: str = field(repr=False)
    table: str
    mark: Path
    shown: str

    def __str__(self) -> str:
        """Return the address without user, password and options, and the table."""
        return f"{self.shown} (table {self.table})"

    def connect(self, seconds: float, mode: Mode = "rw") -> Store | None:
        """Connect to the entries, or return None when there is no such table."""
        store = PostgreSQLStore(self.address, self.table, str(self), seconds=seconds)
        try:
            if store.ready(make=mode == "rwc"):
                return store
        except BaseException:
            store.close()
            raise
        store.close()
        return None


def locate_on_server(address: str, mark: Path | str | None, table: str | None) -> ServerLocation:
    """Return the location that an address names.

    Raises:
        InvalidInput: when the address or the name of the table cannot be read.

    >>> place = locate_on_server("postgresql://ann:hidden@db.example:5433/budget", "m", None)
    >>> str(place)
    'postgresql://db.example:5433/budget (table twoworlds_ledger)'
    >>> "hidden" in repr(place)
    False
    """
    name = TABLE if table is None else table
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"table={name!r} cannot be the table of a ledger: give a name or schema.name, each of "
            "1 to 40 small letters, digits and underscores"
        )
    host, port, database, options = _parts(address)
    words = (host.lower(), port, database, name)
    sign = _default_mark(words, options) if mark is None else Path(mark)
    return ServerLocation(address, name, sign, f"postgresql://{host}:{port}/{database}")


def _parts(address: str) -> tuple[str, str, str, str]:
    """Return host, port, database and options; what is left out is as the environment has it."""
    try:
        given = conninfo_to_dict(address)
    except ProgrammingError:
        raise _unreadable() from None
    usual = {o.keyword.decode(): (o.val or b"").decode() for o in Conninfo.get_defaults()}
    keys = ("host", "port", "user", "dbname", "options")
    host, port, user, database, options = (
        str(given.get(key) or usual.get(key) or "") for key in keys
    )
    # A stray @, : or / in a password moves the rest of it into another part.
    if "@" in host + database or not re.fullmatch(r"[0-9,]*", port):
        raise _unreadable()
    return host or "local", port or "5432", database or user, options


def _unreadable() -> InvalidInput:
    return InvalidInput(
        "the address of the ledger cannot be read: write postgresql://user@host:port/database, "
        "with @ : / % in a password written as %40 %3A %2F %25; better, keep the password in a "
        "password file (~/.pgpass)"
    )


def _default_mark(words: tuple[str, ...], options: str) -> Path:
    """Return a file in the folder in which this user keeps the state of programs."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    folder = Path(state, "twoworlds", "marks")
    with suppress(OSError):  # who makes the mark says why there is no such folder
        make_folder(folder)
    readable = re.sub(r"[^A-Za-z0-9._-]", "-", "-".join(words))[:100]
    check = sha256(repr((words, options)).encode()).hexdigest()[:8]  # options choose a schema too
    return folder / f"{readable}-{check}.mark"
