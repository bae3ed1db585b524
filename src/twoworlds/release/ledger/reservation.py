"""What a ledger gives back for a charge: the proof that a query is paid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.release.budget import Cost
from twoworlds.release.ledger.state import Charge, State

__all__ = ["Reservation", "charge_of"]


@dataclass(frozen=True)
class Reservation:
    """A paid query.

    Attributes:
        charge: The number of the entry that paid, and ``hash``, its hash, for certificates.
        paid: What this call charged to the dataset: nothing for a query that was paid before.
        answered: Whether an answer is stored; then ``answer`` is it.
    """

    charge: int
    hash: str
    dataset: str
    analyst: str
    cost: Cost
    paid: Cost
    answered: bool = False
    answer: Any = None


def charge_of(state: State, reservation: Reservation) -> Charge:
    """Return the charge of a reservation.

    Raises:
        InvalidInput: when it was made in another ledger.
    """
    charge = state.charges.get(reservation.charge)
    if charge is None or charge.hash != reservation.hash:
        raise InvalidInput(
            f"charge {reservation.charge} was not made in this ledger: reserve it here first"
        )
    return charge
