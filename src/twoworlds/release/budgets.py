"""What may be spent on the datasets of a policy, what was, and what is left; nothing is written."""

from __future__ import annotations

from typing import Any

from twoworlds.release.curator import SOLE_ANALYST, ledger_place
from twoworlds.release.ledger.locations import Location, locate
from twoworlds.release.ledger.mark import read_mark
from twoworlds.release.ledger.state import State
from twoworlds.release.ledger.views import accounts, read_state
from twoworlds.release.policy import Policy

__all__ = ["budgets"]

_SECONDS = 10.0


def budgets(policy: Policy) -> list[dict[str, Any]]:
    """Return, for each dataset of a policy, its account and those of its analysts.

    Caps are those of the policy, as a release would set them; spent is what the ledger says, and
    nothing when it was never begun.

    Raises:
        LedgerDamaged: when the ledger does not verify.
    """
    place, mark = ledger_place(policy)
    location = locate(place, mark=mark)
    begun = read_mark(location.mark) is not None or _is_there(location)
    state = read_state(place, mark=mark) if begun else State()
    declared = {d.name for d in policy.datasets.values() if d.cap is not None}
    state.caps = {account: cap for account, cap in state.caps.items() if account[0] not in declared}
    for dataset in policy.datasets.values():
        if dataset.cap is not None:
            state.caps[dataset.name, None] = dataset.cap
            for analyst, cap in (dataset.analysts or {SOLE_ANALYST: dataset.cap}).items():
                state.caps[dataset.name, analyst] = cap
    return [accounts(state, name) for name in policy.datasets]


def _is_there(location: Location) -> bool:
    store = location.connect(_SECONDS, "ro")
    if store is not None:
        store.close()
    return store is not None
