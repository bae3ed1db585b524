"""An open chain of entries: its store, its mark and what the entries add up to, kept in step.

Many threads may use one journal, and processes may be forked from the one that opened it. Entries
are added by one writer at a time: the mark's lock keeps the other processes of this machine out,
the store's transaction everybody else. Within it the entries that others added are read first, then
the mark is compared, then new entries are decided on, one after the other; they are durable before
the mark moves.

A `Store` is an append-only table of entries with one writer at a time. Its methods raise
`LedgerUnavailable` when the database cannot be reached, is locked, read-only or full, and
`LedgerDamaged` when it cannot be read as what it was. A `Location` says where it is and where its
mark is. `begin` makes a new ledger with its mark; `remark` makes a new mark for a ledger, on a
machine that joins or after a loss.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.files import check_place
from twoworlds.release.errors import LedgerDamaged, LedgerUnavailable
from twoworlds.release.ledger.entries import ChainPlace, Entry, Mark, Places, digest, read_mark
from twoworlds.release.ledger.sqlite import FILES, SQLiteStore
from twoworlds.release.ledger.state import LedgerState, PaidQuery, check_name

if TYPE_CHECKING:
    from twoworlds.release.ledger.postgresql import PostgreSQLStore

Store: TypeAlias = "SQLiteStore | PostgreSQLStore"
Mode = Literal["ro", "rw", "rwc"]  # read; read and write; the same, and make it if it is missing
TIMEOUT = 10.0  # seconds
Decision = tuple[str, Mapping[str, Any]] | None  # the kind and content of an entry to add
_Result = TypeVar("_Result")
_ABANDONED: list[object] = []  # connections of a parent process: neither to be used nor closed


class Journal:
    """The entries of one ledger, open for reading and adding."""

    def __init__(self, location: Location, timeout: float) -> None:
        """Connect, and check every entry and the mark."""
        self.location, self.timeout = location, timeout
        self._mutex = threading.RLock()
        self._closed = False
        self._connect()

    def state(self) -> LedgerState:
        """Return what all entries add up to at this moment; do not change it."""
        with self._held():
            self._catch_up()
            self._note()
            return self._state

    def write(
        self, decide: Callable[[LedgerState], Decision], finish: Callable[[LedgerState], _Result]
    ) -> _Result:
        """Add the entry that ``decide`` wants, durably, and return what ``finish`` makes of it."""
        [found] = self.write_each([(decide, finish)])
        if isinstance(found, TwoWorldsError):
            raise found
        return found

    def write_each(
        self,
        wanted: Sequence[
            tuple[Callable[[LedgerState], Decision], Callable[[LedgerState], _Result]]
        ],
    ) -> list[_Result | TwoWorldsError]:
        """Do the same for several, which become durable together: they wait for the disk once.

        Each is decided on after those before it were counted. One that breaks a rule is left out,
        and its error returned in its place; when the ledger itself fails, none is written.
        """
        with self._held(), self._sign.locked(self.timeout):
            before = self._sign.read().last
            refused: dict[int, TwoWorldsError] = {}
            with self._store.writing():
                self._catch_up()
                check_mark(self._store, self._state, before)
                for number, (decide, _) in enumerate(wanted):
                    try:
                        self._add(decide(self._state))
                    except (LedgerDamaged, LedgerUnavailable):
                        raise
                    except TwoWorldsError as error:
                        refused[number] = error
            self._certain = True
            if self._state.point != before:
                self._sign.write(self._state.point)
            return [
                refused[number] if number in refused else finish(self._state)
                for number, (_, finish) in enumerate(wanted)
            ]

    def _add(self, decision: Decision) -> None:
        """Count an entry and put it into the transaction."""
        if decision is None:
            return
        entry = next_entry(self._state, *decision)
        certain, self._certain = self._certain, False  # until it is both counted and stored
        try:
            self._state.apply(*decision, ChainPlace(entry.sequence, entry.hash))
        except TwoWorldsError:
            self._certain = certain  # a refused one changes nothing
            raise
        self._store.append(entry)

    def stored_answer(self, charge: PaidQuery) -> Any:
        """Return a stored answer, after making sure that the mark on the disk is not before it.

        Only inside ``finish`` of `write`.
        """
        assert charge.answer is not None
        body = self._body(charge.answer)
        synced = self._sign.read().synced
        if synced is None or synced.sequence < charge.answer.sequence:
            self._sign.sync(self._state.point)
        return body["answer"]

    def entry(self, place: ChainPlace) -> dict[str, Any]:
        """Return what an entry holds, with its time and kind."""
        with self._held():
            return self._body(place)

    def _body(self, place: ChainPlace) -> dict[str, Any]:
        row = self._store.row(place.sequence)
        if row is None or row.hash != place.hash or digest(row.body) != row.hash:
            raise LedgerDamaged(
                f"ledger entry {place.sequence} does not verify: it was changed since it was read; "
                "restore the newest backup in which it does",
                entry=place.sequence,
            )
        found: dict[str, Any] = json.loads(row.body)
        return found

    def close(self) -> None:
        """Close store and mark; under the lock, since closing SQLite tidies its log."""
        if self._closed:  # the number of the mark's file may be another's by now
            return
        self._closed = True
        if self._pid != os.getpid():
            self._abandon()
            return
        with self._mutex:
            try:
                with self._sign.locked(self.timeout):
                    self._store.close()
            except (LedgerDamaged, LedgerUnavailable, OSError):
                self._store.close()
            self._sign.close()

    def _connect(self) -> None:
        self._pid = os.getpid()
        points = read_mark(self.location.mark)  # before the entries, so that it cannot be ahead
        with ExitStack() as undo:
            if points is not None:
                self._sign = Mark(self.location.mark)
                undo.callback(self._sign.close)
            store = self.location.connect(self.timeout)
            if store is None:
                raise gone(self.location, points)
            undo.callback(store.close)
            if points is None:
                raise unmarked(self.location)
            self._store: Store = store
            self._state, self._certain = replay(store, points), True
            self._note()
            undo.pop_all()

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Exclude other threads; after a fork, leave the parent's connection and lock alone."""
        if self._pid != os.getpid() and not self._closed:
            self._abandon()
            self._mutex = threading.RLock()
            self._connect()
        with self._mutex:
            if self._closed:
                raise InvalidInput(f"the ledger {self.location} was closed: open it again")
            yield

    def _abandon(self) -> None:
        """Leave the parent's connection open and untouched; our copy of its lock must go."""
        _ABANDONED.append(self._store)
        self._sign.close()

    def _catch_up(self) -> None:
        """Read what others wrote, starting at our own last entry, which must still be there."""
        if not self._certain:
            points = self._sign.read()
            self._state, self._certain = replay(self._store, points), True
        last = self._state.point
        rows = self._store.rows(last.sequence - 1)
        first = next(rows, None)
        if first is None or (first.sequence, first.hash) != (last.sequence, last.hash):
            raise back_in_time(last)
        for row in rows:
            self._state.follow(row)

    def _note(self) -> None:
        """Move the mark on to what was read; who holds its lock right now will do so too."""
        with suppress(LedgerUnavailable), self._sign.locked(0):
            if self._sign.read().last.sequence < self._state.point.sequence:
                self._sign.write(self._state.point)


def next_entry(state: LedgerState, kind: str, content: Mapping[str, Any]) -> Entry:
    """Return the entry that would come next, at this moment."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Entry.of(state.point.sequence + 1, state.point.hash, now, kind, content)


@dataclass(frozen=True)
class Location:
    """Where a ledger is, and its mark; as text without any password.

    ``connect(seconds, mode="rw")`` opens the entries, or returns None when they are not there.
    """

    shown: str
    mark: Path
    connect: Callable[..., Store | None] = field(repr=False, compare=False)
    path: Path | None = None  # of a file

    def __str__(self) -> str:
        """Return the path, or the address without user, password and options."""
        return self.shown


def _connect_file(path: Path, seconds: float, mode: Mode = "rw") -> Store | None:
    if mode == "rwc":
        check_place(path)
    elif not path.exists():
        return None
    return SQLiteStore(path, seconds=seconds, mode=mode)


def locate(
    place: Path | str | Location, *, mark: Path | str | None = None, table: str | None = None
) -> Location:
    """Return where a ledger is, by its path or its address, unless that is known already.

    Links are followed, so that a ledger has one mark; a change of the folder moves neither.

    >>> locate("ledgers/people.db").mark.name
    'people.db.mark'
    """
    if isinstance(place, Location):
        return place
    text = os.fspath(place)
    if isinstance(place, str) and re.match(r"postgres(ql)?://", text):
        return _server(text, mark, table)
    if "://" in text or re.match(r"\w+:/", text) or re.search(r"\bpassword\s*=", text):
        raise InvalidInput(  # it may hold a password, so it is not shown
            "this is not a path of a ledger: give the path of a file, or an address as text that "
            "begins with postgresql://"
        )
    if table is not None:
        raise InvalidInput(
            f"table={table!r} was given for a file, which holds one ledger: leave it out"
        )
    path = Path(text)
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder: name the file of the ledger, or the policy")
    real = Path(os.path.realpath(path))
    beside = real.with_name(f"{real.name}.mark") if mark is None else Path(mark).absolute()
    if Path(os.path.realpath(beside)) in {Path(f"{real}{end}") for end in FILES}:
        raise InvalidInput(
            f"the mark {mark} is a file of the ledger {path} itself: give the mark another place"
        )
    return Location(str(path), beside, partial(_connect_file, real), real)


def _server(address: str, mark: Path | str | None, table: str | None) -> Location:
    try:
        from twoworlds.release.ledger.postgresql import locate_on_server
    except ImportError:
        raise InvalidInput(
            "a ledger on PostgreSQL needs psycopg: pip install 'twoworlds[postgresql]'"
        ) from None
    return locate_on_server(address, mark, table)


def replay(store: Store, points: Places | None) -> LedgerState:
    """Read all entries of a store and check them, and the mark, if there is one."""
    state = LedgerState()
    for row in store.rows(0):
        state.follow(row)
    if points is not None:
        check_mark(store, state, points.last)
    return state


def check_mark(store: Store, state: LedgerState, point: ChainPlace) -> None:
    """Check that the entries hold a point that the mark remembers."""
    if point == state.point:
        return
    row = store.row(point.sequence) if point.sequence < state.point.sequence else None
    if row is None or row.hash != point.hash:
        raise back_in_time(point)


def back_in_time(point: ChainPlace) -> LedgerDamaged:
    """Return what to raise when a point that was reached is not there."""
    return LedgerDamaged(
        f"the ledger went back in time: it had entry {point.sequence} with hash "
        f"{point.hash[:12]}, which is no longer there; an older copy forgets what was spent, so "
        "restore the newest one, nothing is answered until then",
        entry=point.sequence,
    )


def unmarked(location: Location) -> LedgerDamaged:
    """Return what to raise when a ledger has no mark."""
    return LedgerDamaged(
        f"the mark {location.mark} of the ledger {location} is missing, so nobody can tell whether "
        "the ledger went back in time: put the mark back, or name its place with mark=; if this "
        "machine joins a ledger on a server, or you trust the ledger as it is, make a new one: "
        "twoworlds ledger remark FILE --reason 'why it is missing'"
    )


def gone(location: Location, points: Places | None) -> TwoWorldsError:
    """Return what to raise when there is no ledger where one was looked for."""
    if points is None:
        return InvalidInput(
            f"there is no ledger {location}: nothing has been released yet, since it begins with "
            "the first release; or it is in another place"
        )
    return LedgerDamaged(
        f"the ledger {location} is gone, though its mark {location.mark} says that it had reached "
        f"entry {points.last.sequence}: restore it, since a new one forgets what was spent",
        entry=1,
    )


def begin(location: Location, timeout: float) -> None:
    """Make a new ledger and its mark, or finish what a crash interrupted."""
    points = read_mark(check_place(location.mark))
    if points is not None:
        found = location.connect(timeout, "ro")
        if found is None:
            raise gone(location, points)
        found.close()
        raise InvalidInput(f"{location} is a ledger already: open it, or give another place")
    store = location.connect(timeout, "rwc")
    assert store is not None
    try:
        with store.writing():
            first = next(store.rows(0), None)
            if first is None:
                first = next_entry(LedgerState(), "begin", {"name": secrets.token_hex(16)})
                store.append(first)
            elif store.row(2) is not None:
                raise InvalidInput(
                    f"{location} is a ledger already, but its mark {location.mark} is missing: "
                    "put the mark back, or, if you trust the ledger as it is, make a new one: "
                    "twoworlds ledger remark FILE --reason 'why it is missing'"
                )
    finally:
        store.close()
    Mark.create(location.mark, ChainPlace(first.sequence, first.hash)).close()


def remark(place: Path | str | Location, *, reason: str, **where: Any) -> None:
    """Make a mark for a ledger that has none here, and note in the ledger that this was done.

    A mark is missing when it was lost, and on a machine that joins a ledger on a server. Only
    somebody who knows that this is the newest copy of the ledger may do so: what was spent after
    an older copy was made is forgotten otherwise.

    Raises:
        InvalidInput: when there is a mark, or no ledger.
        LedgerDamaged: when an entry does not verify.
    """
    location = locate(place, **where)
    check_name(reason, "reason")
    points = read_mark(check_place(location.mark))
    store = location.connect(TIMEOUT)
    if store is None:
        raise gone(location, points)
    try:
        if points is not None:
            raise InvalidInput(
                f"the ledger {location} has its mark {location.mark}: there is nothing to make anew"
            )
        point = replay(store, None).point
    finally:
        store.close()
    Mark.create(location.mark, point).close()
    journal = Journal(location, TIMEOUT)
    try:
        journal.write(lambda _state: ("remark", {"reason": reason}), lambda _state: None)
    finally:
        journal.close()
