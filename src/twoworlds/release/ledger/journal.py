"""An open chain of entries: its store, its mark and what the entries add up to, kept in step.

Many threads may use one journal, and processes may be forked from the one that opened it. Entries
are added by one writer at a time: the mark's lock keeps the other processes of this machine out,
the store's transaction everybody else. Within it the entries that others added are read first, then
the mark is compared, then new entries are decided on, one after the other; they are durable before
the mark moves.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

from twoworlds.errors import TwoWorldsError
from twoworlds.release.ledger.entries import Entry, digest
from twoworlds.release.ledger.failures import LedgerDamaged, LedgerUnavailable
from twoworlds.release.ledger.history import back_in_time, check_mark, gone, replay
from twoworlds.release.ledger.locations import Location
from twoworlds.release.ledger.mark import Mark, read_mark
from twoworlds.release.ledger.state import Charge, State
from twoworlds.release.ledger.store import Store

__all__ = ["Decision", "Journal", "next_entry"]

Decision = tuple[str, Mapping[str, Any]] | None  # the kind and content of an entry to add
_Result = TypeVar("_Result")
_ABANDONED: list[object] = []  # connections of a parent process: neither to be used nor closed


class Journal:
    """The entries of one ledger, open for reading and adding."""

    def __init__(self, location: Location, timeout: float) -> None:
        """Connect, and check every entry and the mark."""
        self.location, self.timeout = location, timeout
        self._mutex = threading.RLock()
        self._connect()

    def read(self) -> State:
        """Return what all entries add up to at this moment; do not change it."""
        with self._held():
            self._catch_up()
            self._note()
            return self._state

    def write(
        self, decide: Callable[[State], Decision], finish: Callable[[State], _Result]
    ) -> _Result:
        """Add the entry that ``decide`` wants, durably, and return what ``finish`` makes of it."""
        [found] = self.write_each([(decide, finish)])
        if isinstance(found, TwoWorldsError):
            raise found
        return found

    def write_each(
        self, wanted: Sequence[tuple[Callable[[State], Decision], Callable[[State], _Result]]]
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
        row = entry.row()
        certain, self._certain = self._certain, False  # until it is both counted and stored
        try:
            self._state.apply(entry, row.hash)
        except TwoWorldsError:
            self._certain = certain  # a refused one changes nothing
            raise
        self._store.append(row)

    def answer(self, charge: Charge) -> Any:
        """Return a stored answer, after making sure that the mark on the disk is not before it.

        Only inside ``finish`` of `write`.
        """
        assert charge.answer is not None
        row = self._store.row(charge.answer.sequence)
        if row is None or row.hash != charge.answer.hash or digest(row.body) != row.hash:
            raise LedgerDamaged(
                f"ledger entry {charge.answer.sequence} does not verify: it was changed since it "
                "was read; restore the newest backup in which it does",
                entry=charge.answer.sequence,
            )
        synced = self._sign.read().synced
        if synced is None or synced.sequence < charge.answer.sequence:
            self._sign.sync(self._state.point)
        return json.loads(row.body)["answer"]

    def close(self) -> None:
        """Close store and mark; under the lock, since closing SQLite tidies its log."""
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
                raise LedgerDamaged(
                    f"the mark {self.location.mark} of the ledger {self.location} is missing, so "
                    "nobody can tell whether the ledger went back in time: put the mark back, or "
                    "name its place with mark=; if this machine joins a ledger on a server, or you "
                    "trust the ledger as it is, call remark"
                )
            self._store: Store = store
            self._state, self._certain = replay(store, points), True
            self._note()
            undo.pop_all()

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Exclude other threads; after a fork, leave the parent's connection and lock alone."""
        if self._pid != os.getpid():
            self._abandon()
            self._mutex = threading.RLock()
            self._connect()
        with self._mutex:
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


def next_entry(state: State, kind: str, content: Mapping[str, Any]) -> Entry:
    """Return the entry that would come next, at this moment."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Entry(state.point.sequence + 1, state.point.hash, now, kind, content)
