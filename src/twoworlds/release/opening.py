"""Where the ledger of a policy is, and opening it."""

from __future__ import annotations

from twoworlds.errors import InvalidInput
from twoworlds.release.ledger import Ledger
from twoworlds.release.ledger.locations import locate
from twoworlds.release.ledger.mark import read_mark
from twoworlds.release.policy import Policy

__all__ = ["ledger_place", "open_ledger"]


def ledger_place(policy: Policy) -> tuple[str, str | None]:
    """Return where the ledger of a policy and its mark are.

    Raises:
        InvalidInput: when the policy names none.
    """
    if policy.ledger is None:
        raise InvalidInput("the policy names no ledger: add 'ledger: ledger.db' to it")
    mark = None if policy.mark is None else str(policy.folder / policy.mark)
    if "://" in policy.ledger:
        return policy.ledger, mark
    return str(policy.folder / policy.ledger), mark


def open_ledger(policy: Policy) -> Ledger:
    """Open the ledger of a policy; begin it if neither it nor its mark was ever there.

    Raises:
        LedgerDamaged: when it went back in time, or one of the two is missing.
    """
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
