"""Beginning a ledger, and making a new mark for one: by a machine that joins, or after a loss."""

from __future__ import annotations

import secrets
from pathlib import Path

from twoworlds.errors import InvalidInput
from twoworlds.files import check_place
from twoworlds.release.ledger.history import gone, replay
from twoworlds.release.ledger.journal import Journal, next_entry
from twoworlds.release.ledger.locations import Location, locate
from twoworlds.release.ledger.mark import Mark, Place, read_mark
from twoworlds.release.ledger.state import State, check_name

__all__ = ["TIMEOUT", "begin", "remark"]

TIMEOUT = 10.0  # seconds


def begin(location: Location, timeout: float) -> None:
    """Make a new ledger and its mark, or finish what a crash interrupted.

    Raises:
        InvalidInput: when there is a ledger already.
        LedgerDamaged: when there was one: its mark is still there.
    """
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
                first = next_entry(State(), "begin", {"name": secrets.token_hex(16)}).row()
                store.append(first)
            elif store.row(2) is not None:
                raise InvalidInput(
                    f"{location} is a ledger already, but its mark {location.mark} is missing: "
                    "put the mark back, or, if you trust the ledger as it is, call remark"
                )
    finally:
        store.close()
    Mark.create(location.mark, Place(first.sequence, first.hash)).close()


def remark(
    place: Path | str, *, reason: str, mark: Path | str | None = None, table: str | None = None
) -> None:
    """Make a mark for a ledger that has none here, and note in the ledger that this was done.

    A mark is missing when it was lost, and on a machine that joins a ledger on a server. Only
    somebody who knows that this is the newest copy of the ledger may do so: what was spent after
    an older copy was made is forgotten otherwise.

    Raises:
        InvalidInput: when there is a mark, or no ledger.
        LedgerDamaged: when an entry does not verify.
    """
    location = locate(place, mark=mark, table=table)
    check_name(reason, "reason")
    if read_mark(check_place(location.mark)) is not None:
        raise InvalidInput(
            f"the ledger {location} has its mark {location.mark}: there is nothing to make anew"
        )
    store = location.connect(TIMEOUT)
    if store is None:
        raise gone(location, None)
    try:
        point = replay(store, None).point
    finally:
        store.close()
    Mark.create(location.mark, point).close()
    journal = Journal(location, TIMEOUT)
    try:
        journal.write(lambda _state: ("remark", {"reason": reason}), lambda _state: None)
    finally:
        journal.close()
