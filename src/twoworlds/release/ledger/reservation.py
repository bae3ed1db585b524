"""A charge: how it is asked for, and the proof that a query is paid.

Both say what they want of the journal as a pair: what to add, decided on when all earlier entries
are known, and what to return once it is durable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from twoworlds.errors import InvalidInput
from twoworlds.release.budget import Cost, parse_cost
from twoworlds.release.ledger.entries import canonical, digest
from twoworlds.release.ledger.state import Charge, State, check_name

if TYPE_CHECKING:
    from twoworlds.release.ledger.journal import Decision, Journal

__all__ = ["Asked", "Reservation", "charge_of"]

_Result = TypeVar("_Result")
Change = tuple[Callable[[State], "Decision"], Callable[[State], _Result]]


class Asked(NamedTuple):
    """A query that is to be charged; see `twoworlds.release.ledger.Ledger.reserve`."""

    dataset: str
    analyst: str
    query: Any
    cost: object
    request: str | None = None

    def reserve(self, journal: Journal) -> Change[Reservation]:
        """Return what charges it, unless it is paid already.

        Raises:
            InvalidInput: when a part of it is no good.
        """
        dataset, analyst, query, cost, request = self
        price = parse_cost(cost)
        for name, value in (("dataset", dataset), ("analyst", analyst)):
            check_name(value, name)
        if request is not None:
            check_name(request, "request")
        wanted = digest(canonical(query, "query"))
        paid = Cost()

        def decide(state: State) -> Decision:
            nonlocal paid
            known = state.find(dataset, analyst, wanted, request)
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
            paid = price
            return "share", {"charge": known.sequence, "analyst": analyst, "request": request}

        def finish(state: State) -> Reservation:
            charge = state.find(dataset, analyst, wanted, request)
            assert charge is not None
            return Reservation.of(charge, analyst, paid, journal)

        return decide, finish


@dataclass(frozen=True)
class Reservation:
    """A paid query.

    Attributes:
        charge: The number of the entry that paid, and ``hash``, its hash, for certificates.
        paid: What this call charged to the analyst: nothing for a query that they paid before.
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

    @classmethod
    def of(cls, charge: Charge, analyst: str, paid: Cost, journal: Journal) -> Reservation:
        """Return the reservation of a charge, with the answer if there is one."""
        answered = charge.answer is not None
        return cls(
            charge=charge.sequence,
            hash=charge.hash,
            dataset=charge.dataset,
            analyst=analyst,
            cost=charge.cost,
            paid=paid,
            answered=answered,
            answer=journal.answer(charge) if answered else None,
        )

    def commit(self, answer: Any, journal: Journal) -> Change[Any]:
        """Return what stores an answer, unless there is one already, and gives the stored one."""

        def decide(state: State) -> Decision:
            canonical(answer, "answer")
            charge = charge_of(state, self)
            if charge.answer is not None:
                return None
            return "answer", {"charge": charge.sequence, "answer": answer}

        return decide, lambda state: journal.answer(charge_of(state, self))


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
