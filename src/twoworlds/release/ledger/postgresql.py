r"""The ledger's store in PostgreSQL, through psycopg 3: many writers on many machines.

    durable     every charge is committed with ``synchronous_commit=on``, whatever the server's
                default is; a server that runs with ``fsync=off``, or a table that is unlogged or
                temporary, is refused; a COMMIT waits for a synchronous standby as long as the
                server does, and one that the server warns about (the standby did not confirm)
                counts as not made durable
    one writer  an advisory lock, held to the end of the transaction, with a timeout; should
                anybody write beside it, the primary key lets one of them through
    append-only a trigger refuses UPDATE, DELETE and TRUNCATE; its name is also the sign by which
                a ledger and its format are known. A writer needs SELECT and INSERT on the table,
                and USAGE on its schema, nothing more

A connection that is lost during COMMIT leaves an unknown outcome. The next attempt first takes the
lock, which the old session holds until it has committed or gone back, and then reads what is there:
the charge, which is not made twice, or no charge, which is then made. A writer that vanishes
without a word loses the lock after a minute.

The high-water mark is a file on each machine (`twoworlds.release.ledger.entries`), and says what
that guarantees. Look at the primary server only: a standby may be behind the mark.

An address is read once, and shown without password or options: a message, a ``repr`` and a log hold
host, port, database and table. Whatever of an address cannot be told from a password is not shown,
even in the refusal of an address that is wrong.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import psycopg
from psycopg import ProgrammingError, errors, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from twoworlds.errors import InvalidInput
from twoworlds.files import make_folder
from twoworlds.release.errors import LedgerDamaged, LedgerUnavailable
from twoworlds.release.ledger.entries import Entry
from twoworlds.release.ledger.journal import Location, Mode, Store

TABLE = "twoworlds_ledger"
_NAME = re.compile(r"(?:[a-z_][a-z0-9_]{0,39}\.)?[a-z_][a-z0-9_]{0,39}")
_LOCKS = 0x32574C44  # "2WLD": the first half of the keys of our advisory locks
_SIGN, _VERSION = "twoworlds_ledger_format_", 1
_BATCH = 500  # rows read at a time
_LONGEST = 2**31 - 1  # no setting of the server is larger
_SILENCE = {  # seconds, so that a server that vanished is noticed
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}
_BEGIN = """
    BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
    SET LOCAL synchronous_commit = on;
    SET LOCAL lock_timeout = {wait};
    SET LOCAL idle_in_transaction_session_timeout = 60000;
"""
_LOCK = "SELECT pg_advisory_xact_lock({locks}, to_regclass({name})::oid::int4)"
_LOCK_NAME = "SELECT pg_advisory_xact_lock({locks}, hashtext({name}))"
_LOOK = """
    SELECT c.relpersistence = 'p', current_setting('fsync') = 'on',
           (SELECT max(substr(t.tgname, length({sign}) + 1)) FROM pg_trigger t
            WHERE t.tgrelid = c.oid AND starts_with(t.tgname, {sign}) AND t.tgenabled <> 'D')
    FROM pg_class c WHERE c.oid = to_regclass({name})
"""
_LAYOUT = """
    CREATE TABLE {table} (
        sequence bigint PRIMARY KEY, body text NOT NULL, hash text NOT NULL);
    CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''a ledger is append-only''; END';
    CREATE TRIGGER {trigger} BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION {function}();
"""
_READ_ONLY = (
    "can only be read: the server is a standby, or read-only; give the address of the "
    "primary server"
)
_WORDS: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.LockNotAvailable, "is being written by another writer, who kept it for {wait} seconds: "
     "try again, or open the ledger with a longer timeout"),
    (errors.QueryCanceled, "was stopped by the server's own limit of time: try again"),
    (errors.ReadOnlySqlTransaction, _READ_ONLY),
    (errors.FeatureNotSupported, _READ_ONLY),  # what a standby says to BEGIN READ WRITE
    (errors.InsufficientPrivilege, "may not be used by this user: grant SELECT and INSERT on its "
     "table and USAGE on its schema"),
    (errors.DiskFull, "has no room left on the server's disk: free some, then try again"),
    (errors.UniqueViolation, "was written by another program at the same time: try again"),
)  # fmt: skip


class PostgreSQLStore:
    """A connection to a table of entries; see `Store`."""

    def __init__(self, address: str, table: str, shown: str, *, seconds: float) -> None:
        """Connect; then ask whether the table is `ready`."""
        self._address, self._shown, self._seconds = address, shown, seconds
        self._path = tuple(table.split("."))
        self._table = sql.Identifier(*self._path)
        name = ".".join(f'"{part}"' for part in self._path)
        self._words = {
            "table": self._table,
            "name": sql.Literal(name),
            "locks": sql.Literal(_LOCKS),
            "sign": sql.Literal(_SIGN),
            "wait": sql.Literal(max(1, math.ceil(min(1000 * seconds, _LONGEST)))),
        }
        self._statements: dict[str, bytes] = {}  # as they are sent
        self._warned, self._inside = False, False
        self._connection = self._connect()

    def ready(self, *, make: bool) -> bool:
        """Tell whether the table is there; if wanted, make it."""
        found = self._rows(_LOOK)
        if not found and make:
            self._lay_out()
            found = self._rows(_LOOK)
        if not found:
            return False
        permanent, synced, version = found[0]
        if version is None:
            raise InvalidInput(
                f"{self._shown} is not a ledger of twoworlds, or its append-only trigger is gone: "
                "give another table, or create one"
            )
        if version != str(_VERSION):
            raise InvalidInput(
                f"{self._shown} is a ledger of format {version}, this program reads {_VERSION}: "
                "use the program that wrote it"
            )
        if not permanent or not synced:
            what = "its server runs with fsync=off" if permanent else "its table is unlogged"
            raise LedgerUnavailable(
                f"the ledger {self._shown} would forget charges in a crash, since {what}: "
                "change that, then open it"
            )
        return True

    def rows(self, after: int) -> Iterator[Entry]:
        """Yield the rows with a larger sequence, in order."""
        statement = (
            "SELECT sequence, body, hash FROM {table} "
            f"WHERE sequence > %s ORDER BY sequence LIMIT {_BATCH}"
        )
        while True:
            found = self._rows(statement, after)
            for row in found:
                yield Entry(*row)
            if len(found) < _BATCH:
                return
            after = found[-1][0]

    def row(self, sequence: int) -> Entry | None:
        """Return one row, if it is there."""
        found = self._rows("SELECT sequence, body, hash FROM {table} WHERE sequence = %s", sequence)
        return Entry(*found[0]) if found else None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock in a transaction; commit it durably at the end, or undo it."""
        with self._transaction(_LOCK):
            yield

    def append(self, row: Entry) -> None:
        """Add one row; only inside `writing`."""
        self._run(
            "INSERT INTO {table} (sequence, body, hash) VALUES (%s, %s, %s)",
            row.sequence,
            row.body,
            row.hash,
        )

    def close(self) -> None:
        """Close the connection."""
        with suppress(psycopg.Error):
            self._connection.close()

    def _connect(self) -> psycopg.Connection[Any]:
        given = conninfo_to_dict(self._address)
        patience = max(2, math.ceil(min(self._seconds, _LONGEST)))
        wanted = {**_SILENCE, "connect_timeout": patience}
        ours = {key: value for key, value in wanted.items() if key not in given}
        try:
            connection = psycopg.connect(
                self._address,
                autocommit=True,
                prepare_threshold=None,  # a pool between us and the server may swap sessions
                client_encoding="utf8",
                **ours,  # type: ignore[arg-type]
            )
        except psycopg.Error as error:
            text = " ".join(str(error).split())
            if given.get("password") and str(given["password"]) in text:
                text = "for a reason that quotes the password"
            raise LedgerUnavailable(
                f"the ledger {self._shown} cannot be reached ({text}): check that the server runs "
                "and lets you in; nothing was answered"
            ) from None
        connection.add_notice_handler(self._notice)
        return connection

    def _notice(self, notice: psycopg.errors.Diagnostic) -> None:
        self._warned = self._warned or notice.severity_nonlocalized == "WARNING"

    @contextmanager
    def _transaction(self, lock: str) -> Iterator[None]:
        try:
            self._run(_BEGIN + lock)
            self._inside = True
            yield
            self._commit()
        finally:
            self._inside = False
            if self._connection.pgconn.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                with suppress(psycopg.Error):
                    self._connection.execute("ROLLBACK")

    def _commit(self) -> None:
        self._warned = False
        status = self._run("COMMIT").statusmessage
        if status != "COMMIT" or self._warned:
            raise LedgerUnavailable(
                f"the server did not make the change to the ledger {self._shown} surely durable: "
                "nothing was answered; look at the server's log, then try again, which costs "
                "nothing more if the charge was made"
            )

    def _lay_out(self) -> None:
        """Make schema, table and trigger, in one transaction."""
        words = {
            "function": sql.Identifier(*self._path[:-1], self._path[-1] + "_append_only"),
            "trigger": sql.Identifier(f"{_SIGN}{_VERSION}"),
        }
        with self._transaction(_LOCK_NAME):
            if len(self._path) == 2:
                schema = sql.Literal(self._path[0])
                if self._rows("SELECT to_regnamespace({schema}) IS NULL", schema=schema)[0][0]:
                    self._run("CREATE SCHEMA {schema}", schema=sql.Identifier(self._path[0]))
            if not self._rows(_LOOK):
                self._run(_LAYOUT, **words)

    def _rows(
        self, statement: str, *arguments: object, **words: sql.Composable
    ) -> list[tuple[Any, ...]]:
        with self._said():
            return self._run(statement, *arguments, **words).fetchall()

    def _run(
        self, statement: str, *arguments: object, **words: sql.Composable
    ) -> psycopg.Cursor[Any]:
        """Run a statement; a connection that died since the last transaction is made anew."""
        query = self._statements.get(statement)
        if query is None:
            query = sql.SQL(statement).format(**self._words, **words).as_bytes(self._connection)
            self._statements[statement] = query
        with self._said():
            try:
                return self._connection.execute(query, arguments or None)
            except psycopg.OperationalError:
                if self._inside or not self._connection.closed:
                    raise
            self._reconnect()
            return self._connection.execute(query, arguments or None)

    def _reconnect(self) -> None:
        self._connection, self._inside = self._connect(), True  # inside: without a third attempt
        try:
            self.ready(make=False)
        finally:
            self._inside = False

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Translate the errors of PostgreSQL; their own text may quote a row, so it is not kept."""
        try:
            yield
        except (psycopg.Error, UnicodeDecodeError) as error:
            self._raise(error)

    def _raise(self, error: psycopg.Error | UnicodeDecodeError) -> NoReturn:
        damage = (errors.UndefinedTable, errors.UndefinedColumn, errors.DataCorrupted,
                  errors.IndexCorrupted, errors.CharacterNotInRepertoire,
                  errors.UntranslatableCharacter, UnicodeDecodeError)  # fmt: skip
        if isinstance(error, damage):
            raise LedgerDamaged(
                f"the ledger {self._shown} cannot be read as a ledger: its table was removed, "
                "changed or damaged; restore the newest backup, nothing is answered until then"
            ) from None
        for kind, words in _WORDS:
            if isinstance(error, kind):
                what = words.format(wait=f"{self._seconds:g}") + "; nothing was charged or answered"
                break
        else:
            if self._connection.closed:
                what = (
                    "lost its connection: nothing was answered; try again, which costs nothing "
                    "more if the charge was made"
                )
            else:
                state = getattr(error, "sqlstate", None)
                what = f"cannot be used ({type(error).__name__}, {state}); nothing was answered"
        raise LedgerUnavailable(f"the ledger {self._shown} {what}") from None


def _connect(
    address: str, table: str, shown: str, seconds: float, mode: Mode = "rw"
) -> Store | None:
    store = PostgreSQLStore(address, table, shown, seconds=seconds)
    try:
        if store.ready(make=mode == "rwc"):
            return store
    except BaseException:
        store.close()
        raise
    store.close()
    return None


def locate_on_server(address: str, mark: Path | str | None, table: str | None) -> Location:
    """Return the location that an address names.

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
    shown = f"postgresql://{host}:{port}/{database} (table {name})"
    return Location(shown, sign, partial(_connect, address, name, shown))


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
