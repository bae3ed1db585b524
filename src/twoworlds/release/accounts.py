"""The ledger of a policy: where it is, opening it, and what its accounts hold.

Every dataset has an account, and so has every analyst of it; where the policy names no analyst
there is one, the curator, who may spend all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from twoworlds.answer import Said, Table
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Side, decimal, rational
from twoworlds.release.answers.words import unit_text
from twoworlds.release.budget import Cap, parse_cap
from twoworlds.release.costs import Cost
from twoworlds.release.ledger import Ledger
from twoworlds.release.ledger.entries import read_mark
from twoworlds.release.ledger.journal import locate
from twoworlds.release.ledger.state import LedgerState
from twoworlds.release.ledger.views import accounts, read_state
from twoworlds.release.policy import Dataset, Policy

SOLE_ANALYST = "curator"
_SECONDS = 10.0


def ledger_place(policy: Policy) -> tuple[str, str | None]:
    """Return where the ledger of a policy and its mark are."""
    if policy.ledger is None:
        raise InvalidInput("the policy names no ledger: add 'ledger: ledger.db' to it")
    mark = None if policy.mark is None else str(policy.folder / policy.mark)
    if "://" in policy.ledger:
        return policy.ledger, mark
    return str(policy.folder / policy.ledger), mark


def open_ledger(policy: Policy) -> Ledger:
    """Open the ledger of a policy; begin it if neither it nor its mark was ever there."""
    place, mark = ledger_place(policy)
    refused = None
    if read_mark(locate(place, mark=mark).mark) is None:
        try:
            return Ledger.create(place, mark=mark)  # finishes one that a crash interrupted, too
        except InvalidInput as error:  # it is there after all, or it cannot be made here
            refused = error
    try:
        return Ledger.open(place, mark=mark)
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
    place, mark = ledger_place(policy)
    location = locate(place, mark=mark)
    begun = read_mark(location.mark) is not None
    if not begun:
        store = location.connect(_SECONDS, "ro")
        begun = store is not None
        if store is not None:
            store.close()
    state = read_state(place, mark=mark) if begun else LedgerState()
    declared = {d.name for d in policy.datasets.values() if d.cap is not None}
    state.caps = {account: cap for account, cap in state.caps.items() if account[0] not in declared}
    for dataset in policy.datasets.values():
        if dataset.cap is not None:
            state.caps[dataset.name, None] = dataset.cap
            state.units.setdefault(dataset.name, unit_text(dataset))
            for analyst, cap in analysts(dataset).items():
                state.caps[dataset.name, analyst] = cap
    return [accounts(state, name) for name in policy.datasets]


def account_table(datasets: list[dict[str, Any]]) -> Table:
    """Return what `budgets` returns as a table for people."""
    heads = ["dataset", "who", "budget", "spent", "left", "added up by"]
    return Table(heads, [*_rows(datasets)], repeated=2)


def learned_lines(datasets: list[dict[str, Any]]) -> Said:
    """Return what all releases from each dataset together let anyone learn, a line for each."""
    return Said([" ".join(filter(None, one["learned"].values())) for one in datasets])


def _rows(datasets: list[dict[str, Any]]) -> Iterator[list[str]]:
    for one in datasets:
        yield [one["dataset"], "everybody", *_account(one)]
        for analyst in one["analysts"]:
            yield [one["dataset"], analyst["analyst"], *_account(analyst)]


def _account(account: Mapping[str, Any]) -> list[str]:
    if "cap" not in account:
        return ["none", "", "", ""]
    cap = parse_cap(account["cap"])
    tail = "" if not cap.tail else f", tail {decimal(cap.tail, side='about')}"
    others = (  # what the rule that does not count would say
        f" ({'plain sum' if rule == 'basic composition' else rule}: {_cost(cost, 'about')})"
        for rule, cost in account["by_rule"].items()
        if rule != account["rule"]
    )
    return [
        cap.most.shown() + tail,
        _cost(account["spent"], "about"),
        _cost(account["left"], "at least"),
        account["rule"] + "".join(others),
    ]


def _cost(cost: Mapping[str, Any], side: Side) -> str:
    return Cost(**{name: rational(number["exact"]) for name, number in cost.items()}).shown(side)
