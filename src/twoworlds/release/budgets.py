"""What may be spent on the datasets of a policy, what was, and what is left; nothing is written."""

from __future__ import annotations

from typing import Any

from twoworlds.release.budget import Cap, Spent
from twoworlds.release.curator import SOLE_ANALYST, ledger_place
from twoworlds.release.ledger import show
from twoworlds.release.ledger.locations import Location, locate
from twoworlds.release.ledger.mark import read_mark
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
    known: dict[str, Any] = {}
    if read_mark(location.mark) is not None or _is_there(location):
        known = {one["dataset"]: one for one in show(place, mark=mark)["datasets"]}
    found = []
    for dataset in policy.datasets.values():
        if dataset.cap is None:
            found.append(known.get(dataset.name, {"dataset": dataset.name, "analysts": []}))
            continue
        before = known.get(dataset.name, {"analysts": []})
        spent = {one["analyst"]: one for one in before["analysts"]}
        analysts = dataset.analysts or {SOLE_ANALYST: dataset.cap}
        found.append(
            {
                "dataset": dataset.name,
                **_account(dataset.cap, before),
                "analysts": [
                    {"analyst": name, **_account(cap, spent.get(name, {}))}
                    for name, cap in analysts.items()
                ],
            }
        )
    return found


def _is_there(location: Location) -> bool:
    store = location.connect(_SECONDS, "ro")
    if store is not None:
        store.close()
    return store is not None


def _account(cap: Cap, before: dict[str, Any]) -> dict[str, Any]:
    """Return an account as the ledger has it, or with nothing spent."""
    if before.get("cap") == str(cap):
        return {name: before[name] for name in ("cap", "spent", "left", "rule")}
    used, rule = cap.used(Spent())
    if "spent" in before:  # under another cap: what was spent stays, what is left is for the ledger
        return {"cap": str(cap), "spent": before["spent"], "left": before["left"], "rule": rule}
    left = cap.left(Spent())
    return {"cap": str(cap), "spent": used.to_dict(), "left": left.to_dict(), "rule": rule}
