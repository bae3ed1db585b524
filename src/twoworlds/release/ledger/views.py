"""Looking at a ledger without changing it: show, verify, export; all as plain data.

An exported ledger is a file with one JSON object to a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.files import write
from twoworlds.release.budget import Spent
from twoworlds.release.errors import LedgerDamaged
from twoworlds.release.ledger.entries import Entry, Places, canonical, read_mark
from twoworlds.release.ledger.journal import Location, Store, gone, locate, replay
from twoworlds.release.ledger.state import Account, LedgerState

_SUFFIX = ".jsonl"
_LONGEST = 1 << 30
_TIMEOUT = 10.0


def show(
    place: Path | str, *, mark: Path | str | None = None, table: str | None = None
) -> dict[str, Any]:
    """Return caps, what is spent and what is left, for each dataset and its analysts.

    ``place``, ``mark`` and ``table`` are those of `Ledger.create`, here and below.
    """
    return summary(read_state(place, mark=mark, table=table))


def read_state(
    place: Path | str, *, mark: Path | str | None = None, table: str | None = None
) -> LedgerState:
    """Return what all entries add up to, after checking them and the mark."""
    with _reading(locate(place, mark=mark, table=table)) as (store, points):
        return replay(store, points)


def summary(state: LedgerState) -> dict[str, Any]:
    """Return what `show` shows, of a state that was read already."""
    datasets = sorted({dataset for dataset, _ in state.caps})
    return {
        "ledger": state.name,
        "entries": state.point.sequence,
        "hash": state.point.hash,
        "charges": len(state.charges),
        "answered": sum(charge.answer is not None for charge in state.charges.values()),
        "expired": sum(charge.expired for charge in state.charges.values()),
        "datasets": [accounts(state, dataset) for dataset in datasets],
    }


def verify(
    place: Path | str, *, mark: Path | str | None = None, table: str | None = None
) -> dict[str, Any]:
    """Check every entry, every rule and the mark; say which entry is the first that is wrong."""
    state, problem, entry = LedgerState(), None, None
    with _reading(locate(place, mark=mark, table=table)) as (store, points):
        try:
            state = replay(store, points)
            if points is None:
                problem = "the mark is missing: an older copy could not be told from this one"
        except LedgerDamaged as error:
            problem, entry = str(error), error.entry
    return {
        "ok": problem is None,
        "problem": problem,
        "entry": entry,
        "entries": state.point.sequence,
        "hash": state.point.hash,
        "mark": points and {"sequence": points.last.sequence, "hash": points.last.hash},
    }


def export(place: Path | str, *, table: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield all entries as ``{"sequence", "hash", "entry"}``, checked as they go.

    The hash is the SHA-256 of ``entry`` as JSON with sorted keys, no spaces and only ASCII.
    """
    with _reading(locate(place, table=table)) as (store, _):
        state = LedgerState()
        for row in store.rows(0):
            state.follow(row)
            yield {"sequence": row.sequence, "hash": row.hash, "entry": json.loads(row.body)}


def verify_export(exported: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Check exported entries without the ledger; return what they add up to, as `show` does."""
    return summary(exported_state(exported))


def exported_state(exported: Iterable[Mapping[str, Any]]) -> LedgerState:
    """Return what exported entries add up to, after checking them."""
    state = LedgerState()
    for item in exported:
        try:
            sequence, found = item["sequence"], item["hash"]
            if type(sequence) is not int or type(found) is not str or len(item) != 3:
                raise TypeError("other types, or other fields")
            row = Entry(sequence, canonical(item["entry"]), found)
        except (KeyError, TypeError, InvalidInput):
            number = state.point.sequence + 1
            raise LedgerDamaged(
                f"exported entry {number} needs sequence, hash and entry: export the ledger again",
                entry=number,
            ) from None
        state.follow(row)
    return state


def accounts(state: LedgerState, dataset: str) -> dict[str, Any]:
    """Return caps, what is spent, left and learned of a dataset, and of its analysts."""
    from twoworlds.release.answers.words import guess_data, learned, related, together

    analysts = [a for d, a in state.caps if d == dataset and a is not None]
    whole = _account(state, (dataset, None)) if (dataset, None) in state.caps else {}
    cap, spent = state.caps.get((dataset, None)), state.spent.get((dataset, None), Spent())
    released = any(charge.dataset == dataset for charge in state.charges.values())
    unit = state.units.get(dataset)
    cost = None if cap is None or not released else together(cap, spent)[0]
    return {
        "dataset": dataset,
        **whole,
        "learned": learned(dataset, unit, cap, spent, released=released),
        "guess": None if cost is None else guess_data(cost, related(unit)),
        "analysts": [{"analyst": a, **_account(state, (dataset, a))} for a in analysts],
    }


def _account(state: LedgerState, account: Account) -> dict[str, Any]:
    return state.caps[account].account(state.spent.get(account, Spent()))


@contextmanager
def _reading(location: Location) -> Iterator[tuple[Store, Places | None]]:
    points = read_mark(location.mark)  # before the database, so that it cannot be ahead
    store = location.connect(_TIMEOUT, "ro")
    if store is None:
        raise gone(location, points)
    try:
        yield store, points
    finally:
        store.close()


def read_export(path: Path | str) -> list[Mapping[str, Any]]:
    """Return the exported entries of a file, unchecked."""
    place = Path(path)
    try:
        if place.stat().st_size > _LONGEST:
            raise InvalidInput(
                f"{place} is larger than {_LONGEST >> 20} MB: verify the ledger itself"
            )
        lines = place.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]
    except OSError as error:
        raise InvalidInput(f"{place} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise InvalidInput(f"{place} is no exported ledger: a line of it is not JSON") from None


def write_export(path: Path, entries: Iterable[Mapping[str, Any]]) -> int:
    """Write exported entries to a file; return how many."""
    if path.suffix != _SUFFIX:
        raise InvalidInput(f"{path}: give the export a name that ends in {_SUFFIX}")
    lines = [json.dumps(entry, sort_keys=True, separators=(",", ":")) for entry in entries]
    write(path, "".join(f"{line}\n" for line in lines))
    return len(lines)
