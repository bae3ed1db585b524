"""Reading a ledger from its first entry, and telling whether it went back in time."""

from __future__ import annotations

from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.release.ledger.failures import LedgerDamaged
from twoworlds.release.ledger.locations import Location
from twoworlds.release.ledger.mark import Place, Places
from twoworlds.release.ledger.state import State
from twoworlds.release.ledger.store import Store

__all__ = ["back_in_time", "check_mark", "gone", "replay"]


def replay(store: Store, points: Places | None) -> State:
    """Read all entries of a store and check them, and the mark, if there is one.

    Raises:
        LedgerDamaged: when an entry does not verify, or the ledger went back in time.
    """
    state = State()
    for row in store.rows(0):
        state.follow(row)
    if points is not None:
        check_mark(store, state, points.last)
    return state


def check_mark(store: Store, state: State, point: Place) -> None:
    """Check that the entries hold a point that the mark remembers.

    Raises:
        LedgerDamaged: when they do not.
    """
    if point == state.point:
        return
    row = store.row(point.sequence) if point.sequence < state.point.sequence else None
    if row is None or row.hash != point.hash:
        raise back_in_time(point)


def back_in_time(point: Place) -> LedgerDamaged:
    """Return what to raise when a point that was reached is not there."""
    return LedgerDamaged(
        f"the ledger went back in time: it had entry {point.sequence} with hash "
        f"{point.hash[:12]}, which is no longer there; an older copy forgets what was spent, so "
        "restore the newest one, nothing is answered until then",
        entry=point.sequence,
    )


def gone(location: Location, points: Places | None) -> TwoWorldsError:
    """Return what to raise when there is no ledger where one was looked for."""
    if points is None:
        return InvalidInput(f"there is no ledger {location}: create it first")
    return LedgerDamaged(
        f"the ledger {location} is gone, though its mark {location.mark} says that it had reached "
        f"entry {points.last.sequence}: restore it, since a new one forgets what was spent",
        entry=1,
    )
