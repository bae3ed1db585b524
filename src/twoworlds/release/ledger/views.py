"""The ledger of a policy, and looking at a ledger without changing it: show, verify, export.

Every dataset has an account, and so has every analyst of it; where the policy names no analyst
there is one, the curator, who may spend all of it. What is shown is plain data; `account_table`
makes a table of it. An exported ledger is a file with one JSON object to a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Said, Table
from twoworlds.errors import InvalidInput
from twoworlds.files import write
from twoworlds.numbers import Side, rational
from twoworlds.release.budget import Cap, Spent, parse_cap
from twoworlds.release.costs import Cost
from twoworlds.release.errors import LedgerDamaged
from twoworlds.release.ledger.entries import ChainPlace, Entry, Places, canonical, read_mark
from twoworlds.release.ledger.journal import (
    TIMEOUT,
    Location,
    Store,
    gone,
    locate,
    replay,
    unmarked,
)
from twoworlds.release.ledger.ledger import Ledger
from twoworlds.release.ledger.state import Account, LedgerState

if TYPE_CHECKING:
    from twoworlds.release.policy import Dataset, Policy

SOLE_ANALYST = "curator"
_SUFFIX = ".jsonl"
_LONGEST = 1 << 30


def ledger_of(policy: Policy) -> Location:
    """Return where the ledger of a policy and its mark are."""
    if policy.ledger is None:
        raise InvalidInput("the policy names no ledger: add 'ledger: ledger.db' to it")
    mark = None if policy.mark is None else policy.folder / policy.mark
    if "://" in policy.ledger:
        return locate(policy.ledger, mark=mark)
    return locate(policy.folder / policy.ledger, mark=mark)


def open_ledger(policy: Policy) -> Ledger:
    """Open the ledger of a policy; begin it if neither it nor its mark was ever there."""
    location = ledger_of(policy)
    refused = None
    if read_mark(location.mark) is None:
        try:
            return Ledger.create(location)  # finishes one that a crash interrupted, too
        except InvalidInput as error:  # it is there after all, or it cannot be made here
            refused = error
    try:
        return Ledger.open(location)
    except InvalidInput:
        if refused is None:
            raise
        raise refused from None


def analysts(dataset: Dataset) -> Mapping[str, Cap]:
    """Return who may ask a dataset that has a cap, with the most that each may spend."""
    assert dataset.cap is not None
    return dataset.analysts or {SOLE_ANALYST: dataset.cap}


def budgets(policy: Policy) -> list[dict[str, Any]]:
    """Return, for each dataset of a policy, its account and those of its analysts.

    Caps are those of the policy, as a release would set them; spent is what the ledger says, and
    nothing when it was never begun. Nothing is written.
    """
    state = policy_state(policy)
    return [accounts(state, name) for name in policy.datasets]


def policy_state(policy: Policy) -> LedgerState:
    """Return what the ledger of a policy says, under the caps of the policy."""
    from twoworlds.release.answers.words import unit_text

    location = ledger_of(policy)
    begun = read_mark(location.mark) is not None
    if not begun:
        store = location.connect(TIMEOUT, "ro")
        begun = store is not None
        if store is not None:
            store.close()
    state = read_state(location) if begun else LedgerState()
    declared = {d.name for d in policy.datasets.values() if d.cap is not None}
    state.caps = {account: cap for account, cap in state.caps.items() if account[0] not in declared}
    for dataset in policy.datasets.values():
        if dataset.cap is not None:
            state.caps[dataset.name, None] = dataset.cap
            state.units.setdefault(dataset.name, unit_text(dataset))
            for analyst, cap in analysts(dataset).items():
                state.caps[dataset.name, analyst] = cap
    return state


def show(place: Path | str | Location, **where: Any) -> dict[str, Any]:
    """Return caps, what is spent and what is left, for each dataset and its analysts.

    It takes ``place``, ``mark`` and ``table`` as `Ledger.create` does; so do the functions below.
    """
    return summary(read_state(place, **where))


def read_state(place: Path | str | Location, **where: Any) -> LedgerState:
    """Return what all entries add up to, after checking them and the mark, which must be there."""
    location = locate(place, **where)
    with _reading(location) as (store, points):
        if points is None:
            raise unmarked(location)
        return replay(store, points)


def summary(state: LedgerState) -> dict[str, Any]:
    """Return what `show` shows, of a state that was read already."""
    datasets = sorted({dataset for dataset, _ in state.caps})
    return {
        "ledger": state.name,
        "entries": state.point.sequence,
        "hash": state.point.hash,
        "charges": len(state.charges),
        "strategies": sum(charge.strategy for charge in state.charges.values()),
        "answered": sum(
            charge.answer is not None and not charge.strategy for charge in state.charges.values()
        ),
        "expired": sum(charge.expired for charge in state.charges.values()),
        "open": [
            {"entry": one.sequence, "dataset": one.dataset, "analysts": one.analysts}
            for one in state.charges.values()
            if one.answer is None and not one.expired
        ],
        "datasets": [accounts(state, dataset) for dataset in datasets],
    }


def verify(place: Path | str | Location, **where: Any) -> dict[str, Any]:
    """Check every entry, every rule and the mark; say which entry is the first that is wrong."""
    state, problem, entry = LedgerState(), None, None
    with _reading(locate(place, **where)) as (store, points):
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
        "changes": state.changes,
        "exceeded": state.exceeded(),
    }


def export(place: Path | str | Location, **where: Any) -> Iterator[dict[str, Any]]:
    """Yield all entries as ``{"sequence", "hash", "entry"}``, checked as they go.

    The hash is the SHA-256 of ``entry`` as JSON with sorted keys, no spaces and only ASCII.
    """
    with _reading(locate(place, **where)) as (store, _):
        state = LedgerState()
        for row in store.rows(0):
            state.follow(row)
            yield {"sequence": row.sequence, "hash": row.hash, "entry": json.loads(row.body)}


def verify_export(exported: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Check exported entries without the ledger; return what they add up to, as `show` does."""
    return summary(ExportedLedger(exported).state())


class ExportedLedger:
    """Exported entries, to be read as the ledger is: what they add up to, and each of them."""

    def __init__(self, exported: Iterable[Mapping[str, Any]] | Path | str) -> None:
        """Take the entries, or the file that holds them; `state` checks them."""
        if isinstance(exported, (Path, str)):
            exported = read_export(exported)
        self._entries = [*exported]
        self._state: LedgerState | None = None

    def state(self) -> LedgerState:
        """Return what the entries add up to, after checking them."""
        if self._state is None:
            state = LedgerState()
            for item in self._entries:
                state.follow(_exported(item, state.point.sequence + 1))
            self._state = state
        return self._state

    def text(self) -> str:
        """Return the file that would hold them."""
        return _lines(self._entries)

    def entry(self, place: ChainPlace) -> dict[str, Any]:
        """Return what an entry holds, with its time and kind."""
        self.state()
        return {**self._entries[place.sequence - 1]["entry"]}


Books = Ledger | ExportedLedger


def _exported(item: Mapping[str, Any], number: int) -> Entry:
    try:
        sequence, found = item["sequence"], item["hash"]
        if type(sequence) is not int or type(found) is not str or len(item) != 3:
            raise TypeError("other types, or other fields")
        return Entry(sequence, canonical(item["entry"]), found)
    except (KeyError, TypeError, InvalidInput):
        raise LedgerDamaged(
            f"exported entry {number} needs sequence, hash and entry: export the ledger again",
            entry=number,
        ) from None


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
    store = location.connect(TIMEOUT, "ro")
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
        raise InvalidInput(
            f"{place} is not an exported ledger, which has one JSON object to a line: write one "
            "with `twoworlds ledger export policy.yml ledger.jsonl`"
        ) from None


def write_export(path: Path, entries: Iterable[Mapping[str, Any]]) -> int:
    """Write exported entries to a file; return how many."""
    if path.suffix != _SUFFIX:
        raise InvalidInput(f"{path}: give the export a name that ends in {_SUFFIX}")
    text = _lines(entries)
    write(path, text)
    return text.count("\n")


def _lines(entries: Iterable[Mapping[str, Any]]) -> str:
    found = (json.dumps(entry, sort_keys=True, separators=(",", ":")) for entry in entries)
    return "".join(f"{line}\n" for line in found)


def account_table(datasets: list[dict[str, Any]]) -> Table:
    """Return what `budgets` returns as a table for people."""
    heads = ["dataset", "who", "budget", "spent", "left", "added up by"]
    return Table(heads, [*_rows(datasets)], repeated=2)


def learned_lines(datasets: list[dict[str, Any]]) -> Said:
    """Return what all releases from each dataset together let anyone learn, a line for each."""
    return Said([" ".join(filter(None, one["learned"].values())) for one in datasets])


def _rows(datasets: list[dict[str, Any]]) -> Iterator[list[str]]:
    for one in datasets:
        yield [one["dataset"], f"everybody{_gone(one)}", *_cells(one)]
        for analyst in one["analysts"]:
            yield [one["dataset"], f"{analyst['analyst']}{_gone(analyst)}", *_cells(analyst)]


def _gone(account: Mapping[str, Any]) -> str:
    return "" if account.get("in_policy", True) else " (not in the policy)"


def _cells(account: Mapping[str, Any]) -> list[str]:
    if "cap" not in account:
        return ["none", "", "", ""]
    cap = parse_cap(account["cap"])
    others = (  # what the rule that does not count would say
        f" ({'plain sum' if rule == 'basic composition' else rule}: {_cost(cost, 'about')})"
        for rule, cost in account["by_rule"].items()
        if rule != account["rule"]
    )
    return [
        cap.shown(),
        _cost(account["spent"], "about"),
        _cost(account["left"], "at least"),
        account["rule"] + "".join(others),
    ]


def _cost(cost: Mapping[str, Any], side: Side) -> str:
    return Cost(**{name: rational(number["exact"]) for name, number in cost.items()}).shown(side)
