"""Accounts: who may do what, known by a token of which only a salted hash is kept.

A token is 256 random bits, so a plain salted SHA-256 cannot be turned round; a slow hash is for
passwords that people choose. Whoever sends a token is compared with every account, each in
constant time, so that the time tells neither a name nor a prefix.

    curator   releases, all budgets and the ledger; no decision on a proposal
    analyst   dry runs and releases within the budget that the policy gives to the name
    reviewer  reads datasets, budgets and the ledger, and decides on proposals; releases nothing

Accounts are kept in a small SQLite file beside the ledger, readable by its owner only. For every
request it is looked at whether the file has changed: SQLite counts its changes in the file's head.
So an account that is removed is refused at once. The one-time account of a running service is only
in its memory.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.files import check_place, keep_private, make_private
from twoworlds.release.ledger.state import check_person, same_person
from twoworlds.release.policy import Policy

Role = Literal["curator", "analyst", "reviewer"]
ROLES: tuple[Role, ...] = get_args(Role)
PREFIX = "tw-"  # so that a token that got lost in a file is recognised as one
_APPLICATION = 0x32574143  # "2WAC"
_SCHEMA = (
    "CREATE TABLE accounts (name TEXT PRIMARY KEY, role TEXT NOT NULL, salt BLOB NOT NULL, "
    "hash BLOB NOT NULL, created TEXT NOT NULL)"
)
_SECONDS = 10.0
_HEAD = 100  # bytes of the head of a file of SQLite
_CHANGES = slice(24, 28)  # where it counts the transactions that changed the file
_Version = tuple[int, bytes] | None


@dataclass(frozen=True)
class Account:
    """Somebody who may use the service."""

    name: str
    role: Role
    created: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"name": self.name, "role": self.role}


def new_token() -> str:
    """Return 256 fresh random bits as text."""
    return PREFIX + secrets.token_urlsafe(32)


_Stored = tuple[Account, bytes, bytes]  # with salt and hash


def accounts_place(policy: Policy) -> Path:
    """Return where the accounts of a policy are: beside its ledger, or beside the policy itself.

    >>> from twoworlds.release.policy import parse_policy
    >>> said = parse_policy('''
    ... ledger: ledger.db
    ... datasets: {people: {neighbours: add-remove, unit: row}}
    ... ''')
    >>> str(accounts_place(said))
    'ledger.db.accounts'
    """
    if policy.ledger is None or "://" in policy.ledger:
        return policy.folder / "accounts.db"
    place = policy.folder / policy.ledger
    return place.with_name(place.name + ".accounts")


class Accounts:
    """The accounts in a file, and those that live in memory only."""

    def __init__(self, path: Path | str | None = None) -> None:
        """Take the file; it is made when the first account is added."""
        self.path = None if path is None else Path(path)
        self._lock = threading.Lock()
        self._passing: list[_Stored] = []
        self._kept: tuple[_Version, list[_Stored]] | None = None

    def add(self, name: str, role: str) -> str:
        """Add an account and return its token, which nobody can look up later.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     accounts = Accounts(Path(folder, "accounts"))
        ...     token = accounts.add("ann", "analyst")
        ...     accounts.find(token).name, accounts.find(token + "x")
        ('ann', None)

        Raises:
            InvalidInput: when the name is taken, or there is no such role.
        """
        account = _checked(name, role)
        token = new_token()
        salt, digest = _hashed(token)
        with self._open(make=True) as connection:
            for (known,) in connection.execute("SELECT name FROM accounts"):
                if known != name and same_person(known, name):
                    raise InvalidInput(
                        f"an account {name!r} would look the same as {known!r}: give another name"
                    )
            created = datetime.now(UTC).isoformat(timespec="seconds")
            try:
                connection.execute(
                    "INSERT INTO accounts VALUES (?, ?, ?, ?, ?)",
                    (account.name, account.role, salt, digest, created),
                )
            except sqlite3.IntegrityError:
                raise InvalidInput(
                    f"there is an account {name!r} already: remove it first, and its token with it"
                ) from None
        return token

    def add_passing(self, name: str, role: str) -> str:
        """Add an account that lives as long as this object, and return its token."""
        token = new_token()
        self._passing.append((_checked(name, role), *_hashed(token)))
        return token

    def remove(self, name: str) -> None:
        """Remove an account; its token is refused from now on.

        Raises:
            UnknownName: when there is none of this name.
        """
        known = [account.name for account in self.listed()]
        if name not in known:
            raise UnknownName("account", name, known)
        with self._open(make=False) as connection:
            connection.execute("DELETE FROM accounts WHERE name = ?", (name,))

    def listed(self) -> list[Account]:
        """Return the accounts in the file, by name."""
        return sorted((account for account, _, _ in self._stored()), key=lambda one: one.name)

    def find(self, token: str) -> Account | None:
        """Return whose token this is, comparing it with every account."""
        given = token.encode("utf-8", "surrogatepass")
        found = None
        for account, salt, digest in [*self._passing, *self._stored()]:
            if hmac.compare_digest(hashlib.sha256(salt + given).digest(), digest):
                found = account
        return found

    @property
    def unchanged(self) -> bool:
        """Whether `find` answers from memory, without waiting for the file."""
        return self._kept is not None and self._kept[0] == self._version()

    def _stored(self) -> list[_Stored]:
        version = self._version()
        if self._kept is not None and self._kept[0] == version:
            return self._kept[1]
        found = [] if version is None else self._read()
        # A change that was being written while we looked may still be undone: it is not kept.
        self._kept = (version, found) if self._version() == version else None
        return found

    def _version(self) -> _Version:
        """Return which file there is, and how often it was changed; None if there is none."""
        if self.path is None:
            return None
        try:
            with self.path.open("rb") as file:
                return os.fstat(file.fileno()).st_ino, file.read(_HEAD)[_CHANGES]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidInput(f"{self.path} cannot be read: {error.strerror}") from None

    def _read(self) -> list[_Stored]:
        with self._open(make=False) as connection:
            rows = connection.execute("SELECT name, role, created, salt, hash FROM accounts")
            return [
                (Account(name, role, created), bytes(salt), bytes(digest))
                for name, role, created, salt, digest in rows
                if role in ROLES
            ]

    @contextmanager
    def _open(self, *, make: bool) -> Iterator[sqlite3.Connection]:
        if self.path is None:
            raise InvalidInput("there is no file for accounts: name a policy with a ledger")
        if make and not self.path.exists():
            check_place(self.path)
            with suppress(OSError, RuntimeError):  # somebody was faster, or SQLite says why not
                make_private(self.path.resolve()).close()
        keep_private(self.path)
        with self._lock:
            try:
                connection = sqlite3.connect(self.path, timeout=_SECONDS)
                try:
                    with connection:
                        self._prepare(connection)
                        yield connection
                finally:
                    connection.close()
            except sqlite3.DatabaseError as error:
                raise InvalidInput(
                    f"{self.path} cannot be used as a file of accounts: {error}"
                ) from None

    def _prepare(self, connection: sqlite3.Connection) -> None:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if empty and not application:
            connection.execute(_SCHEMA)
            connection.execute(f"PRAGMA application_id={_APPLICATION}")
        elif application != _APPLICATION:
            raise InvalidInput(f"{self.path} holds no accounts of twoworlds: name another file")


def _checked(name: str, role: str) -> Account:
    check_person(name, "name of an account")
    for known in ROLES:
        if role == known:
            return Account(name, known)
    raise UnknownName("role", role, ROLES)


def _hashed(token: str) -> tuple[bytes, bytes]:
    salt = secrets.token_bytes(16)
    return salt, hashlib.sha256(salt + token.encode()).digest()
