"""Where a ledger is: a file of SQLite, or a table on a PostgreSQL server; and where its mark is."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from twoworlds.errors import InvalidInput
from twoworlds.files import check_place
from twoworlds.release.ledger.sqlite import SQLiteStore
from twoworlds.release.ledger.store import Store

__all__ = ["FileLocation", "Location", "Mode", "locate"]

Mode = Literal["ro", "rw", "rwc"]  # read; read and write; the same, and make it if it is missing


class Location(Protocol):
    """Where a ledger is; as text it is what messages call it, without any password."""

    @property
    def mark(self) -> Path:
        """The file of the high-water mark."""
        ...

    def connect(self, seconds: float, mode: Mode = "rw") -> Store | None:
        """Connect to the entries, or return None when there is no ledger here.

        Args:
            seconds: How long to wait for other writers.
            mode: ``ro`` to read, ``rw`` to read and write, ``rwc`` to make what is missing.
        """
        ...


@dataclass(frozen=True)
class FileLocation:
    """A file of SQLite on a local disk."""

    path: Path
    mark: Path

    def __str__(self) -> str:
        """Return the path."""
        return str(self.path)

    def connect(self, seconds: float, mode: Mode = "rw") -> Store | None:
        """Connect to the entries, or return None when there is no such file."""
        if mode == "rwc":
            check_place(self.path)
        elif not self.path.exists():
            return None
        return SQLiteStore(self.path, seconds=seconds, mode=mode)


def locate(
    place: Path | str, *, mark: Path | str | None = None, table: str | None = None
) -> Location:
    """Return where a ledger is, by its path or its address.

    Args:
        place: The path of a file, or an address such as ``postgresql://user@host:5432/database``.
        mark: The file of the mark; by default beside a file, and for a server in the folder in
            which this user keeps the state of programs.
        table: For a server: the table, as ``name`` or ``schema.name``.

    >>> str(locate("ledgers/people.db").mark)
    'ledgers/people.db.mark'
    """
    text = os.fspath(place)
    if isinstance(place, str) and re.match(r"postgres(ql)?://", text):
        return _server(text, mark, table)
    if "://" in text or re.match(r"\w+:/", text) or re.search(r"\bpassword\s*=", text):
        raise InvalidInput(  # it may hold a password, so it is not shown
            "this is no path of a ledger: give the path of a file, or an address as text that "
            "begins with postgresql://"
        )
    if table is not None:
        raise InvalidInput(
            f"table={table!r} was given for a file, which holds one ledger: leave it out"
        )
    path = Path(text)
    return FileLocation(path, path.with_name(path.name + ".mark") if mark is None else Path(mark))


def _server(address: str, mark: Path | str | None, table: str | None) -> Location:
    try:
        from twoworlds.release.ledger.addresses import locate_on_server
    except ImportError:
        raise InvalidInput(
            "a ledger on PostgreSQL needs psycopg: pip install 'twoworlds[postgresql]'"
        ) from None
    return locate_on_server(address, mark, table)
