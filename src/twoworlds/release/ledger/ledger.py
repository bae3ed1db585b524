r"""The ledger: charge durably first, answer second.

    reserve     the charge is on the disk when this returns; no answer exists yet
    commit      the answer is on the disk, and the high-water mark too, before it is given

A crash before the first leaves nothing; between the two, a charge without an answer, which the next
attempt at the same query takes up at no further cost; after the second, a stored answer, which
every later attempt gets. Noise drawn for an attempt that did not commit was shown to nobody. Of
two attempts at one time the first to commit stands, and both get its answer.

The same query is the same dataset and the same plain data, so the query must name everything that
decides the law of the answer: what is asked, the noise, and the version of the data.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from twoworlds.errors import InvalidInput
from twoworlds.files import check_place
from twoworlds.release.budget import Cap, Cost, Spent, parse_cap, parse_cost
from twoworlds.release.ledger.entries import Entry, canonical, digest
from twoworlds.release.ledger.failures import LedgerDamaged, LedgerUnavailable
from twoworlds.release.ledger.history import (
    back_in_time,
    check_mark,
    deleted,
    mark_path,
    replay,
)
from twoworlds.release.ledger.mark import Mark, Place, read_mark, sync_folder
from twoworlds.release.ledger.reservation import Reservation, charge_of
from twoworlds.release.ledger.sqlite import SQLiteStore
from twoworlds.release.ledger.state import Charge, State, check_name
from twoworlds.release.ledger.store import Store

__all__ = ["Ledger", "remark"]

TIMEOUT = 10.0  # seconds
_Result = TypeVar("_Result")
_Decision = tuple[str, Mapping[str, Any]] | None  # the kind and content of an entry to add
_ABANDONED: list[object] = []  # connections of a parent process: neither to be used nor closed


class Ledger:
    """An open ledger; many threads and processes may have the same one open.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger.create(Path(folder.name, "ledger.db")) as ledger:
    ...     ledger.set_cap("people", "epsilon=1")
    ...     ledger.set_cap("people", "epsilon=1/2", analyst="ann")
    ...     once = ledger.pay("people", "ann", {"count": "rows"}, "0.1", lambda: 42)
    ...     again = ledger.pay("people", "ann", {"count": "rows"}, "0.1", lambda: 43)
    ...     once, again, str(ledger.left("people")), str(ledger.left("people", "ann"))
    (42, 42, 'epsilon=9/10', 'epsilon=2/5')
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, mark: Path, timeout: float) -> None:
        """Use `Ledger.open` or `Ledger.create`."""
        self.path, self.mark, self.timeout = path, mark, timeout
        self._mutex = threading.RLock()
        self._connect()

    @classmethod
    def create(
        cls, path: Path | str, *, mark: Path | str | None = None, timeout: float = TIMEOUT
    ) -> Ledger:
        """Make a new ledger, or finish making one that a crash interrupted.

        Args:
            path: Its file, on a local disk.
            mark: The high-water mark, best on another disk; ``path`` with ``.mark`` by default.
            timeout: How many seconds to wait for other writers.

        Raises:
            InvalidInput: when there is a ledger already.
            LedgerDamaged: when there was one: its mark is still there.
        """
        place, sign = check_place(Path(path)), check_place(mark_path(path, mark))
        if read_mark(sign) is not None:
            if place.exists():
                raise InvalidInput(f"{place} is a ledger already: open it, or give another path")
            raise deleted(place, sign)
        store = SQLiteStore(place, seconds=timeout, mode="rwc")
        try:
            with store.writing():
                first = next(store.rows(0), None)
                if first is None:
                    first = _entry(State(), "begin", {"name": secrets.token_hex(16)}).row()
                    store.append(first)
                elif store.row(2) is not None:
                    raise InvalidInput(
                        f"{place} is a ledger already, but its mark {sign} is missing: "
                        "put the mark back, or, if you trust the ledger as it is, call remark"
                    )
            sync_folder(place.parent)
        finally:
            store.close()
        Mark.create(sign, Place(first.sequence, first.hash)).close()
        return cls(place, sign, timeout)

    @classmethod
    def open(
        cls, path: Path | str, *, mark: Path | str | None = None, timeout: float = TIMEOUT
    ) -> Ledger:
        """Open a ledger, after checking every entry and the high-water mark.

        Raises:
            InvalidInput: when there is none.
            LedgerDamaged: when an entry does not verify, or the ledger went back in time.
        """
        place, sign = Path(path), mark_path(path, mark)
        if not place.exists():
            if read_mark(sign) is not None:
                raise deleted(place, sign)
            raise InvalidInput(f"there is no ledger {place}: create it first")
        return cls(place, sign, timeout)

    def set_cap(self, dataset: str, cap: object, *, analyst: str | None = None) -> None:
        """Set the most that may be spent on a dataset, by everybody or by one analyst.

        Both caps hold for every charge. A cap below what is spent stops further charges.
        """
        wanted = parse_cap(cap)
        check_name(dataset, "dataset")
        if analyst is not None:
            check_name(analyst, "analyst")
        content = {"dataset": dataset, "analyst": analyst, **wanted.stored()}
        account = (dataset, analyst)

        def decide(state: State) -> _Decision:
            return None if state.caps.get(account) == wanted else ("cap", content)

        self._write(decide, lambda _state: None)

    def reserve(
        self,
        dataset: str,
        analyst: str,
        query: Any,
        cost: object,
        *,
        request: str | None = None,
    ) -> Reservation:
        """Charge a query durably, unless it is paid already.

        Args:
            dataset: Its name; the dataset and the analyst must have caps.
            analyst: Who asks.
            query: Plain data that names everything that decides the law of the answer.
            cost: What it costs; see `twoworlds.release.budget.parse_cost`.
            request: A name under which the analyst may repeat the request.

        Raises:
            OverBudget: when the cost does not fit under a cap; nothing is charged.
            InvalidInput: when a cap is missing, or an argument is no good.
            LedgerUnavailable: when the charge cannot be made durable.
        """
        price = parse_cost(cost)
        for name, value in (("dataset", dataset), ("analyst", analyst)):
            check_name(value, name)
        if request is not None:
            check_name(request, "request")
        asked = digest(canonical(query, "query"))

        paid = Cost()

        def decide(state: State) -> _Decision:
            nonlocal paid
            known = state.find(dataset, analyst, asked, request)
            if known is None:
                paid = price
                content = {"dataset": dataset, "analyst": analyst, "query": query}
                return "reserve", {**content, "cost": str(price), "request": request}
            if known.cost != price:
                raise InvalidInput(
                    f"the same query was charged {known.cost} before and would now cost {price}: "
                    "a query must name its noise"
                )
            if analyst in known.analysts:
                return None
            return "share", {"charge": known.sequence, "analyst": analyst, "request": request}

        def finish(state: State) -> Reservation:
            charge = state.find(dataset, analyst, asked, request)
            assert charge is not None
            return self._reservation(charge, analyst, paid)

        return self._write(decide, finish)

    def commit(self, reservation: Reservation, answer: Any) -> Any:
        """Store the answer to a charge and return it; if there is one already, return that one.

        The answer comes back as plain data, just as a later retry will get it.
        """
        canonical(answer, "answer")

        def decide(state: State) -> _Decision:
            charge = charge_of(state, reservation)
            if charge.answer is not None:
                return None
            return "answer", {"charge": charge.sequence, "answer": answer}

        return self._write(decide, lambda state: self._stored(charge_of(state, reservation)))

    def expire(self, reservation: Reservation) -> None:
        """Close a charge that will not be answered: it stays charged, and can never be answered.

        The same query may then be charged anew. Without this a charge stays open for a retry.
        """
        self._write(
            lambda state: ("expire", {"charge": charge_of(state, reservation).sequence}),
            lambda _state: None,
        )

    def pay(
        self,
        dataset: str,
        analyst: str,
        query: Any,
        cost: object,
        compute: Callable[[], Any],
        *,
        request: str | None = None,
    ) -> Any:
        """Charge a query, compute its answer, store it, and only then return it.

        A stored answer is returned without computing anything. When ``compute`` fails the charge
        stays, and the next attempt at the same query is free.
        """
        paid = self.reserve(dataset, analyst, query, cost, request=request)
        return paid.answer if paid.answered else self.commit(paid, compute())

    def spent(self, dataset: str, analyst: str | None = None) -> Cost:
        """Return what is spent, by all or by one analyst, in the kind of cost of their cap."""
        cap, spent = self._account(dataset, analyst)
        return cap.used(spent)[0]

    def left(self, dataset: str, analyst: str | None = None) -> Cost:
        """Return a cost that still fits under one cap; the other cap must have room too."""
        cap, spent = self._account(dataset, analyst)
        return cap.left(spent)

    def check(self, dataset: str, analyst: str, query: Any, cost: object) -> Cost:
        """Return what a query would cost the dataset now, without charging it.

        Raises:
            OverBudget: when it would not fit.
        """
        price, asked = parse_cost(cost), digest(canonical(query, "query"))
        state = self._read()
        known = state.find(dataset, analyst, asked, None)
        if known is None:
            state.check_fits((dataset, None), price)
        if known is None or analyst not in known.analysts:
            state.check_fits((dataset, analyst), price)
        return price if known is None else Cost()

    def state(self) -> State:
        """Return what all entries add up to at this moment; do not change it."""
        return self._read()

    def close(self) -> None:
        """Close the ledger; under the lock, since closing tidies the log."""
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

    def __enter__(self) -> Self:
        """Return the ledger itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def _connect(self) -> None:
        self._pid = os.getpid()
        points = read_mark(self.mark)  # before the database, so that it cannot be ahead
        if points is None:
            raise LedgerDamaged(
                f"the mark {self.mark} of the ledger {self.path} is missing, so nobody can tell "
                "whether the ledger went back in time: put the mark back, or name its place with "
                "mark=; if you trust the ledger as it is, call remark"
            )
        self._sign = Mark(self.mark)
        try:
            self._store: Store = SQLiteStore(self.path, seconds=self.timeout)
            try:
                self._state, self._certain = replay(self._store, points), True
            except BaseException:
                self._store.close()
                raise
        except BaseException:
            self._sign.close()
            raise

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

    def _read(self) -> State:
        with self._held():
            self._catch_up()
            return self._state

    def _catch_up(self) -> None:
        """Read what others wrote, starting at our own last entry, which must still be there."""
        if not self._certain:
            self._state, self._certain = replay(self._store, None), True
        last = self._state.point
        rows = self._store.rows(last.sequence - 1)
        first = next(rows, None)
        if first is None or (first.sequence, first.hash) != (last.sequence, last.hash):
            raise back_in_time(last)
        for row in rows:
            self._state.follow(row)

    def _write(
        self, decide: Callable[[State], _Decision], finish: Callable[[State], _Result]
    ) -> _Result:
        """Add the entry that ``decide`` wants, durably, and return what ``finish`` makes of it."""
        with self._held(), self._sign.locked(self.timeout):
            before = self._sign.read().last
            with self._store.writing():
                self._catch_up()
                check_mark(self._store, self._state, before)
                decision = decide(self._state)
                if decision is not None:
                    entry = _entry(self._state, *decision)
                    row = entry.row()
                    self._certain = False  # until it is both counted and stored
                    self._state.apply(entry, row.hash)
                    self._store.append(row)
            self._certain = True
            if self._state.point != before:
                self._sign.write(self._state.point)
            return finish(self._state)

    def _stored(self, charge: Charge) -> Any:
        """Return a stored answer, after making sure that the mark on the disk is not before it."""
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

    def _reservation(self, charge: Charge, analyst: str, paid: Cost) -> Reservation:
        answered = charge.answer is not None
        return Reservation(
            charge=charge.sequence,
            hash=charge.hash,
            dataset=charge.dataset,
            analyst=analyst,
            cost=charge.cost,
            paid=paid,
            answered=answered,
            answer=self._stored(charge) if answered else None,
        )

    def _account(self, dataset: str, analyst: str | None) -> tuple[Cap, Spent]:
        state, account = self._read(), (dataset, analyst)
        return state.cap(account), state.spent.get(account, Spent())


def remark(path: Path | str, *, reason: str, mark: Path | str | None = None) -> None:
    """Make a new mark for a ledger whose mark is lost, and note in the ledger that this was done.

    Only somebody who knows that this is the newest copy of the ledger may do so: what was spent
    after an older copy was made is forgotten otherwise.

    Raises:
        InvalidInput: when there is a mark.
        LedgerDamaged: when an entry does not verify.
    """
    place, sign = Path(path), mark_path(path, mark)
    check_name(reason, "reason")
    if read_mark(sign) is not None:
        raise InvalidInput(f"the ledger {place} has its mark {sign}: there is nothing to make anew")
    store = SQLiteStore(place, seconds=TIMEOUT)
    try:
        point = replay(store, None).point
    finally:
        store.close()
    Mark.create(sign, point).close()
    with Ledger.open(place, mark=sign) as ledger:
        ledger._write(lambda _state: ("remark", {"reason": reason}), lambda _state: None)


def _entry(state: State, kind: str, content: Mapping[str, Any]) -> Entry:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Entry(state.point.sequence + 1, state.point.hash, now, kind, content)
