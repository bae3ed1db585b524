r"""The ledger: charge durably first, answer second.

    reserve     the charge is on the disk when this returns; no answer exists yet
    commit      the answer is on the disk, and the high-water mark too, before it is given

A crash before the first leaves nothing; between the two, a charge without an answer, which the next
attempt at the same query takes up at no further cost; after the second, a stored answer, which
every later attempt gets. Noise drawn for an attempt that did not commit was shown to nobody. Of
two attempts at one time the first to commit stands, and both get its answer.

The same query is the same dataset and the same plain data, so the query must name everything that
decides the law of the answer: what is asked, the noise, and the version of the data.

A ledger is a journal whose entries are charges and answers. Charging and storing say what they want
of the journal as a pair: what to add, decided on when all earlier entries are known, and what to
return once it is durable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.release.budget import Cap, Spent, parse_cap
from twoworlds.release.costs import Cost, parse_cost
from twoworlds.release.ledger.entries import canonical, digest
from twoworlds.release.ledger.journal import TIMEOUT, Decision, Journal, Location, begin, locate
from twoworlds.release.ledger.state import (
    LONGEST_REMARK,
    LedgerState,
    PaidQuery,
    Proposal,
    check_name,
    check_person,
    own_proposal,
    place_in,
    same_person,
    shows,
)

_MOST_WAITING = 20  # proposals of one analyst
_Result = TypeVar("_Result")
Change = tuple[Callable[[LedgerState], Decision], Callable[[LedgerState], _Result]]


class Ledger(Journal, AbstractContextManager["Ledger"]):
    """An open ledger; many threads and processes may have the same one open.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Ledger.create(Path(folder.name, "ledger.db")) as ledger:
    ...     ledger.set_cap("people", "epsilon=1")
    ...     ledger.set_cap("people", "epsilon=1/2", analyst="ann")
    ...     once = ledger.pay("people", "ann", {"count": "rows"}, "0.1", lambda: 42)
    ...     again = ledger.pay("people", "ann", {"count": "rows"}, "0.1", lambda: 43)
    ...     once, again, str(ledger.left("people")), str(ledger.left("people", "ann"))
    (42, 42, 'epsilon=9/10', 'epsilon=2/5')
    >>> folder.cleanup()
    """

    @classmethod
    def create(
        cls,
        place: Path | str | Location,
        *,
        mark: Path | str | None = None,
        table: str | None = None,
        timeout: float = TIMEOUT,
    ) -> Ledger:
        """Make a new ledger, or finish making one that a crash interrupted.

        Args:
            place: Its file, on a local disk, or an address ``postgresql://user@host/database``.
            mark: The high-water mark, best on another disk; by default the path of the file with
                ``.mark``, and for a server a file of this user on this machine.
            table: For a server: the table, as ``name`` or ``schema.name``; ``twoworlds_ledger``
                by default.
            timeout: How many seconds to wait for other writers.

        Raises:
            InvalidInput: when there is a ledger already.
            LedgerDamaged: when there was one: its mark is still there.
            LedgerUnavailable: when the place cannot be reached, or could not keep it durably.
        """
        location = locate(place, mark=mark, table=table)
        begin(location, timeout)
        return cls(location, timeout)

    @classmethod
    def open(
        cls,
        place: Path | str | Location,
        *,
        mark: Path | str | None = None,
        table: str | None = None,
        timeout: float = TIMEOUT,
    ) -> Ledger:
        """Open a ledger, after checking every entry and the high-water mark.

        Takes what `Ledger.create` takes. A machine that uses a ledger on a server for the first
        time has no mark of it: it joins with `remark`.

        Raises:
            LedgerDamaged: when an entry does not verify, or the ledger went back in time.
        """
        return cls(locate(place, mark=mark, table=table), timeout)

    def set_cap(self, dataset: str, cap: object, *, analyst: str | None = None) -> None:
        """Set the most that may be spent on a dataset, by everybody or by one analyst.

        Both caps hold for every charge. A cap below what is spent stops further charges.
        """
        wanted = parse_cap(cap)
        check_name(dataset, "dataset")
        if analyst is not None:
            check_name(analyst, "analyst")
        content = {"dataset": dataset, "analyst": analyst, **wanted.stored()}
        account = (dataset, analyst)

        def decide(state: LedgerState) -> Decision:
            return None if state.caps.get(account) == wanted else ("cap", content)

        self.write(decide, lambda _state: None)

    def protect(self, dataset: str, unit: str) -> None:
        """Say whose data the costs of a dataset are about, such as "rows, by add-remove".

        Raises:
            InvalidInput: when something else was said before: such costs do not add up.
        """
        for name, value in (("dataset", dataset), ("unit", unit)):
            check_name(value, name)

        def decide(state: LedgerState) -> Decision:
            state.check_unit(dataset, unit)
            known = dataset in state.units
            return None if known else ("protect", {"dataset": dataset, "unit": unit})

        self.write(decide, lambda _state: None)

    def reserve(
        self,
        dataset: str,
        analyst: str,
        query: Any,
        cost: object,
        *,
        request: str | None = None,
    ) -> Charge:
        """Charge a query durably, unless it is paid already.

        Args:
            dataset: Its name; the dataset and the analyst must have caps.
            analyst: Who asks.
            query: Plain data that names everything that decides the law of the answer. Its field
                ``source``, if there is one, is the place of the data, which has one dataset.
            cost: What it costs; see `twoworlds.release.budget.parse_cost`.
            request: A name under which the analyst may repeat the request.

        Raises:
            OverBudget: when the cost does not fit under a cap; nothing is charged.
            InvalidInput: when a cap is missing, or an argument is no good.
            LedgerUnavailable: when the charge cannot be made durable.
        """
        return self.write(*_charging(self, dataset, analyst, query, cost, request))

    def reserve_each(
        self, asked: Sequence[tuple[str, str, Any, object, str | None]]
    ) -> list[Charge | TwoWorldsError]:
        """Charge several queries, each on its own; all of them become durable at one moment.

        Each is a tuple of the arguments of `reserve`. Of one that breaks a rule the error stands in
        its place, and it is not charged.

        Raises:
            LedgerUnavailable: when the charges cannot be made durable; none is made then.
        """
        found: list[Charge | TwoWorldsError | None] = []
        wanted = []
        for one in asked:
            try:
                wanted.append(_charging(self, *one))
                found.append(None)
            except TwoWorldsError as error:
                found.append(error)
        written = iter(self.write_each(wanted) if wanted else ())
        return [next(written) if one is None else one for one in found]

    def commit(self, charge: Charge, answer: Any) -> Any:
        """Store the answer to a charge and return it; if there is one already, return that one.

        The answer comes back as plain data, just as a later retry will get it.
        """
        return self.write(*_storing(charge, answer, self))

    def commit_each(self, answered: Sequence[tuple[Charge, Any]]) -> list[Any]:
        """Store several answers at one moment, and return them; errors stand in their place."""
        wanted = [_storing(charge, answer, self) for charge, answer in answered]
        return self.write_each(wanted) if wanted else []

    def expire(self, charge: Charge) -> None:
        """Close a charge that will not be answered: it stays charged, and can never be answered.

        The same query may then be charged anew. Without this a charge stays open for a retry.
        """
        self.write(
            lambda state: ("expire", {"charge": _paid(state, charge).sequence}),
            lambda _state: None,
        )

    def pay(
        self,
        dataset: str,
        analyst: str,
        query: Any,
        cost: object,
        compute: Callable[[], Any],
        *,
        request: str | None = None,
    ) -> Any:
        """Charge a query, compute its answer, store it, and only then return it.

        A stored answer is returned without computing anything. When ``compute`` fails the charge
        stays, and the next attempt at the same query is free.
        """
        paid = self.reserve(dataset, analyst, query, cost, request=request)
        return paid.answer if paid.answered else self.commit(paid, compute())

    def propose(
        self, dataset: str, analyst: str, query: Any, cost: object, *, purpose: str
    ) -> Proposal:
        """File a planned release for review; nothing is charged.

        The same one that waits or is approved is returned as it is; one that was sent back may be
        proposed again.

        Raises:
            InvalidInput: when the analyst has paid for it already, or it is for nothing.
        """
        price, wanted = parse_cost(cost), digest(canonical(query, "query"))
        content = {"dataset": dataset, "analyst": analyst, "query": query, "cost": str(price)}
        check_person(analyst, "analyst")
        if not shows(check_name(purpose, "purpose", most=LONGEST_REMARK)):
            raise InvalidInput("the purpose is empty: say what the release is for")

        def decide(state: LedgerState) -> Decision:
            paid = state.find(dataset, analyst, wanted, None)
            if paid is not None and analyst in paid.analysts:
                raise InvalidInput(
                    f"{analyst} has paid for this release already: release it again, at no cost"
                )
            state.check_place(dataset, place_in(query))
            before = state.proposed.get((dataset, analyst, wanted))
            if before is not None and before.approved is not False:
                return None
            every = state.proposals.values()
            if sum(o.analyst == analyst and o.approved is None for o in every) >= _MOST_WAITING:
                raise InvalidInput(
                    f"{_MOST_WAITING} proposals of {analyst} wait for review: propose more when "
                    "some are decided"
                )
            return "propose", {**content, "purpose": purpose}

        def finish(state: LedgerState) -> Proposal:
            return state.proposed[dataset, analyst, wanted]

        return self.write(decide, finish)

    def decide(self, proposal: int, reviewer: str, *, approved: bool, remark: str = "") -> Proposal:
        """Approve a proposal, or send it back with a remark: once, and never one's own.

        Raises:
            InvalidInput: when there is none, it is decided, or the reviewer has made it.
        """
        if not approved and not shows(remark):
            raise InvalidInput(
                "a proposal is sent back with a remark: say what is to be changed, such as "
                "'by region, not by age'"
            )
        content = {
            "proposal": proposal,
            "reviewer": reviewer,
            "approved": approved,
            "remark": remark,
        }

        def decide(state: LedgerState) -> Decision:
            analyst = state.proposal(proposal).analyst
            if same_person(reviewer, analyst):
                raise InvalidInput(own_proposal(proposal, analyst))
            check_person(reviewer, "reviewer")
            return "decide", content

        return self.write(decide, lambda state: state.proposal(proposal))

    def charge(self, entry: int, analyst: str) -> Charge:
        """Return a charge that was made, with its answer; nothing is charged."""

        def finish(state: LedgerState) -> Charge:
            known = state.charges[entry]
            return Charge.of(known, analyst, known.cost, self)

        return self.write(lambda _state: None, finish)

    def spent(self, dataset: str, analyst: str | None = None) -> Cost:
        """Return what is spent, by all or by one analyst, in the kind of cost of their cap."""
        cap, spent = self._account(dataset, analyst)
        return cap.used(spent).cost

    def left(self, dataset: str, analyst: str | None = None) -> Cost:
        """Return a cost that still fits under one cap; the other cap must have room too."""
        cap, spent = self._account(dataset, analyst)
        return cap.left(spent)

    def check(
        self, dataset: str, analyst: str, query: Any, cost: object
    ) -> tuple[Cost, PaidQuery | None]:
        """Return what a query would cost the analyst now, and the charge that it has already.

        Nothing is charged. Who asks what somebody else has asked pays as much of the own budget;
        the dataset, which has a charge for it, pays nothing.

        Raises:
            OverBudget: when it would not fit.
        """
        price, asked = parse_cost(cost), digest(canonical(query, "query"))
        state = self.state()
        known = state.find(dataset, analyst, asked, None)
        if known is None:
            state.check_place(dataset, place_in(query))
            state.check_charge(dataset, analyst, price)
        elif analyst in known.analysts:
            return Cost(), known
        else:
            state.check_fits((dataset, analyst), price)
        return price, known

    def __repr__(self) -> str:
        """Return where it is, without any password."""
        return f"<Ledger {self.location}>"

    def __exit__(self, *_: object) -> None:
        self.close()

    def _account(self, dataset: str, analyst: str | None) -> tuple[Cap, Spent]:
        state, account = self.state(), (dataset, analyst)
        return state.cap(account), state.spent.get(account, Spent())


def _charging(
    journal: Journal, dataset: str, analyst: str, query: Any, cost: object, request: str | None
) -> Change[Charge]:
    """Return what charges a query, unless it is paid already."""
    price = parse_cost(cost)
    for name, value in (("dataset", dataset), ("analyst", analyst)):
        check_name(value, name)
    if request is not None:
        check_name(request, "request")
    wanted = digest(canonical(query, "query"))
    paid = Cost()

    def decide(state: LedgerState) -> Decision:
        nonlocal paid
        known = state.find(dataset, analyst, wanted, request)
        if known is None:
            state.check_place(dataset, place_in(query))
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

    def finish(state: LedgerState) -> Charge:
        known = state.find(dataset, analyst, wanted, request)
        assert known is not None
        return Charge.of(known, analyst, paid, journal)

    return decide, finish


@dataclass(frozen=True)
class Charge:
    """A paid query: the proof that it may be answered, or its stored answer.

    Attributes:
        entry: The number of the entry that paid, and ``hash``, its hash, for certificates.
        paid: What this call charged to the analyst: nothing for a query that they paid before.
        answered: Whether an answer is stored; then ``answer`` is it.
    """

    entry: int
    hash: str
    dataset: str
    analyst: str
    cost: Cost
    paid: Cost
    answered: bool = False
    answer: Any = None

    @classmethod
    def of(cls, known: PaidQuery, analyst: str, paid: Cost, journal: Journal) -> Charge:
        """Return the charge of a paid query, with the answer if there is one."""
        answered = known.answer is not None
        return cls(
            entry=known.sequence,
            hash=known.hash,
            dataset=known.dataset,
            analyst=analyst,
            cost=known.cost,
            paid=paid,
            answered=answered,
            answer=journal.stored_answer(known) if answered else None,
        )


def _storing(charge: Charge, answer: Any, journal: Journal) -> Change[Any]:
    """Return what stores an answer, unless there is one already, and gives the stored one."""

    def decide(state: LedgerState) -> Decision:
        canonical(answer, "answer")
        known = _paid(state, charge)
        if known.answer is not None:
            return None
        return "answer", {"charge": known.sequence, "answer": answer}

    return decide, lambda state: journal.stored_answer(_paid(state, charge))


def _paid(state: LedgerState, charge: Charge) -> PaidQuery:
    """Return the paid query of a charge."""
    known = state.charges.get(charge.entry)
    if known is None or known.hash != charge.hash:
        raise InvalidInput(
            f"charge {charge.entry} was not made in this ledger: reserve it here first"
        )
    return known
