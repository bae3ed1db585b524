r"""The reviewer's desk: what was released so far, what all of it allows, and what is proposed.

An analyst proposes a release (`Curator.propose`), a reviewer approves it or sends it back
(`Ledger.decide`), and what was approved is released exactly as it was planned. All three are
entries of the ledger. What is shown here is made from the ledger alone: questions in the words of
their statements, whatever the policy says today.

What all releases together allow is composed for every adaptive choice (`twoworlds.release.budget`),
and said as a guess at even odds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.numbers import counted, rational
from twoworlds.release.answers.words import asked, guess_data, printable, related, together
from twoworlds.release.budget import Spent
from twoworlds.release.costs import Cost
from twoworlds.release.forms import DryRun
from twoworlds.release.ledger.entries import ChainPlace
from twoworlds.release.ledger.state import LedgerState, PaidQuery, Proposal
from twoworlds.release.ledger.views import Books, accounts
from twoworlds.release.policy import Dataset
from twoworlds.release.query import Resolved
from twoworlds.release.sensitivity import Calibration
from twoworlds.release.statement import asked_of, made_of
from twoworlds.show import Result

NEWEST = 100  # releases and proposals that are shown


@dataclass(frozen=True)
class ReviewDesk(Result):
    """What the ledger says about the people of one dataset, or of all of them."""

    ledger: Books
    dataset: str | None = None

    @cached_property
    def state(self) -> LedgerState:
        """What all entries add up to."""
        return self.ledger.state()

    @cached_property
    def datasets(self) -> list[dict[str, Any]]:
        """Accounts, and what everything together lets anyone learn, with the guess."""
        names = sorted({name for name, _ in self.state.caps if self.dataset in (None, name)})
        return [accounts(self.state, name) for name in names]

    @cached_property
    def releases(self) -> list[dict[str, Any]]:
        """The newest releases first: what was asked, when, by whom, at which cost."""
        found = [one for one in self.state.charges.values() if self.dataset in (None, one.dataset)]
        return [self._release(one) for one in reversed(found[-NEWEST:])]

    @cached_property
    def proposals(self) -> list[dict[str, Any]]:
        """The newest proposals first, those that wait before all others."""
        every = self.state.proposals.values()
        found = [one for one in every if self.dataset in (None, one.dataset)][-NEWEST:]
        found.sort(key=lambda one: (one.approved is not None, -one.place.sequence))
        return [self.proposal(one) for one in found]

    def proposal(self, one: Proposal) -> dict[str, Any]:
        """Return a proposal, with what all would allow after it; one that waits with its plan."""
        body = self.ledger.entry(one.place)
        unpaid = self._unpaid(one.dataset)
        planned = self.payment(one)
        if one.approved is None:
            plan = self.plan(one, *made_of(body["query"])).fields()
            planned |= {name: plan[name] for name in ("warnings", "cells", "errors")}
            planned["with_released"] = found = self._after(one, ())
            if found is not None and not found["fits"]:  # then no share of what is left is taken
                planned["warnings"] = [w for w in plan["warnings"] if w["kind"] != "spend"]
        else:
            planned["unpaid"] = bool(one.approved) and one.query in {each.query for each in unpaid}
        if one.approved is None or one in unpaid:
            planned["after"] = self._after(one, unpaid)
        decided = None if one.decision is None else self.ledger.entry(one.decision)
        return {
            "entry": one.place.sequence,
            "dataset": one.dataset,
            "analyst": one.analyst,
            "time": body["time"],
            "purpose": body["purpose"],
            "status": one.status,
            "decision": decided
            and {"entry": decided["sequence"]}
            | {name: decided[name] for name in ("reviewer", "time", "remark")},
            "asked": _asked(body["query"]),
            "cost": one.cost.to_dict(),
            **self._alone(one.dataset, one.cost),
            **planned,
        }

    def plan(self, one: Proposal, resolved: Sequence[Resolved], calibration: Calibration) -> DryRun:
        """Return what a proposal would cost now."""
        left, after = self._left(one, Cost()), self._left(one, one.cost)
        return DryRun(tuple(resolved), calibration, one.cost, left, after)

    def after(self, one: Proposal) -> dict[str, Any] | None:
        """Return what a proposal would allow with all that was released or approved."""
        return self._after(one, self._unpaid(one.dataset))

    def payment(self, one: Proposal) -> dict[str, Any]:
        """Return which charge paid for a proposal, last, if any did, and say so."""
        paid = self._charged.get((one.dataset, one.query))
        if paid is None:
            said = "Not paid so far: nothing was charged for it."
            return {"paid": None, "paid_time": None, "payment": said}
        time = self.body(paid)["time"]
        then = "answered"
        if paid.expired:
            then = "closed without an answer: the same again is paid for again"
        elif paid.answer is None:
            then = "not answered: the same again costs nothing more"
        said = (
            f"Paid on {_when(time)} (UTC) by {', '.join(paid.analysts)}, entry {paid.sequence}, "
            f"and {then}."
        )
        return {"paid": paid.sequence, "paid_time": time, "payment": printable(said)}

    @cached_property
    def _charged(self) -> dict[tuple[str, str], PaidQuery]:
        """The last charge for each query, also one that was closed without an answer."""
        return {(one.dataset, one.query): one for one in self.state.charges.values()}

    def body(self, paid: PaidQuery) -> dict[str, Any]:
        """Return the entry that made a charge, with its time and its statement."""
        return self.ledger.entry(ChainPlace(paid.sequence, paid.hash))

    def decision(self, dataset: str, query: str, paid: int | None = None) -> tuple[str, str]:
        """Return for what a release was proposed, last, and say how its review stands.

        ``paid`` is the entry that paid for it: what was not approved before is said to be paid.
        """
        found = [
            one
            for one in self.state.proposals.values()
            if (one.dataset, one.query) == (dataset, query)
        ]
        if not found:
            return "", ""
        one = found[-1]
        purpose = self.ledger.entry(one.place)["purpose"]
        when = "" if paid is None or one.status == "approved" else " all the same"
        if one.decision is None:
            said = f"Proposal {one.place.sequence} for it waits for a reviewer"
        else:
            decided = self.ledger.entry(one.decision)
            said = f"{one.status.capitalize()} by {one.reviewer} on {decided['time'][:10]}"
            said += f", proposal {one.place.sequence}"
            said += f": {decided['remark']}" if decided["remark"] else ""
            if paid is not None and paid < one.decision.sequence:
                when = " before that"
        said = printable(f"{said.rstrip('.')}.")
        return purpose, f"{said} It was paid{when}, entry {paid}." if when else said

    def answer(self) -> Answer:
        """Say what waits, what was released, and what all of it allows."""
        waiting = sum(one["status"] == "waiting" for one in self.proposals)
        count = sum(self.state.counts[one["dataset"]] for one in self.datasets)
        proposals = counted(waiting, "proposal waits", "proposals wait")
        releases = counted(count, "release was", "releases were")
        blocks: list[Block] = [
            Said([one["learned"]["so_far"]]) for one in self.datasets if one["guess"]
        ]
        if self.proposals:
            heads = ["proposal", "stands", "by", "cost", "asked", "for"]
            rows = [
                [
                    str(one["entry"]),
                    _stands(one),
                    one["analyst"],
                    _cost(one),
                    " ".join(one["asked"]),
                    one["purpose"],
                ]
                for one in self.proposals
            ]
            blocks.append(Table(heads, _printable(rows), "Proposed:", prose=(4, 5)))
        after = [
            f"Proposal {one['entry']}. {after_words(one)}"
            for one in self.proposals
            if one.get("after")
        ]
        if after:
            blocks.append(Said(after))
        warned = [
            printable(f"Warning of proposal {one['entry']}: {warning['words']}")
            for one in self.proposals
            for warning in one.get("warnings", ())
        ]
        if warned:
            blocks.append(Said(warned))
        if self.releases:
            heads = ["release", "time (UTC)", "by", "cost", "asked"]
            rows = [
                [
                    str(one["entry"]),
                    _when(one["time"]),
                    ", ".join(one["analysts"]),
                    _cost(one),
                    " ".join([*_unanswered(one), *one["asked"]]),
                ]
                for one in self.releases
            ]
            blocks.append(Table(heads, _printable(rows), "Paid for so far:", prose=(4,)))
        return Answer(f"{proposals} for review; {releases} paid for.", blocks=blocks)

    def fields(self) -> dict[str, Any]:
        """Return accounts, releases and proposals."""
        return {
            "datasets": self.datasets,
            "releases": self.releases,
            "proposals": self.proposals,
        }

    def _release(self, one: PaidQuery) -> dict[str, Any]:
        body = self.body(one)
        said = body["query"]
        single = isinstance(said, dict) and "queries" in said and "strategy" not in said
        return {
            "entry": one.sequence,
            "hash": one.hash,
            "time": body["time"],
            "dataset": one.dataset,
            "analysts": [*one.analysts],
            "cost": one.cost.to_dict(),
            "asked": _asked(said),
            **self._alone(one.dataset, one.cost),
            "answered": one.answer is not None,
            "expired": one.expired,
            "report": single and one.answer is not None,
        }

    def _alone(self, dataset: str, cost: Cost) -> dict[str, Any]:
        """Return what one cost alone allows, in words and as the chance of a right guess."""
        if cost == Cost():
            return {"meaning": None, "chance": None}
        found = guess_data(cost, self._about(dataset))
        return {"meaning": found["words"], "chance": found["chance"]}

    def _unpaid(self, dataset: str) -> list[Proposal]:
        """Return what was approved and is not yet paid; one of several for the same query."""
        approved = [
            one
            for one in self.state.proposals.values()
            if one.dataset == dataset and one.approved and not self._paid(one)
        ]
        return [*{one.query: one for one in approved}.values()]

    def _paid(self, one: Proposal) -> PaidQuery | None:
        """Return what the dataset has paid for a proposal: it gives nothing away twice."""
        return self.state.find(one.dataset, one.analyst, one.query, None)

    def _after(self, one: Proposal, approved: Sequence[Proposal]) -> dict[str, Any] | None:
        """Return what a proposal would allow with all that was released or approved before it.

        The cost and the guess are those of the totals (`together`); where these do not fit, those
        of the sum that would have to fit.
        """
        account = (one.dataset, None)
        cap, before = self.state.cap(account), self.state.spent.get(account, Spent())
        others = [each for each in approved if each.query != one.query]
        spent = before
        for each in others if self._paid(one) else [*others, one]:
            spent = spent.plus(each.cost)
        fits = cap.rule(spent) is not None
        cost = together(cap, spent)[0] if fits else cap.used(spent).cost
        if cost is None or (not fits and cap.rule(before) is None):
            return None
        found = guess_data(cost, self._about(one.dataset))
        besides = " and with what is approved and not yet paid" if others else ""
        total = f"it costs {cost.shown()}."
        if not fits:
            total = f"it does not fit: the budget is {cap.most.shown()}, and all of it would be "
            total += f"{cost.shown()}."
        words = f"together with everything released{besides}, {total} {found['words']}"
        said = {"cost": cost.to_dict(), "fits": fits, "together": words, "others": len(others)}
        return {**found, **said}

    def _about(self, dataset: str) -> str | None:
        return related(self.state.units.get(dataset))

    def _left(self, one: Proposal, cost: Cost) -> dict[str, Cost]:
        """Return what is left after a cost, of which a dataset that has paid pays nothing."""
        more = Cost() if self._paid(one) else cost, cost
        return self.state.accounts(one.dataset, one.analyst, more=more)[0]


def after_words(one: dict[str, Any]) -> str:
    """Say what a proposal allows, with everything else, once it is released."""
    lead = "If it is approved" if one["status"] == "waiting" else "Now that it is approved"
    return f"{lead}: {one['after']['together']}"


def binding(dataset: Dataset) -> str:
    """Say whether a decision about a proposal binds, or is advice."""
    if dataset.review:
        return f"The policy requires approval: nothing is released from {dataset.name} without it."
    return f"The policy does not require approval for {dataset.name}: a decision is advice."


def _asked(said: Any) -> list[str]:
    """Say what a statement asks; of a strategy, its name."""
    if isinstance(said, dict) and "queries" in said:
        return [asked(one) for one in asked_of(said)]
    if isinstance(said, dict) and "strategy" in said:
        return [printable(f"Strategy {said['strategy']!r}: questions chosen one after the other.")]
    return ["A charge that no release of this program made."]


def _unanswered(one: dict[str, Any]) -> Iterator[str]:
    """Say that a charge has no answer."""
    if one["expired"]:
        yield "Closed without an answer."
    elif not one["answered"]:
        yield "Not answered: the same again costs nothing more."


def _stands(one: dict[str, Any]) -> str:
    by, paid, said = one["decision"], one["paid"], str(one["status"])
    if by is not None:
        said += f" by {by['reviewer']}" + (f": {by['remark']}" if by["remark"] else "")
    if paid is None:
        return said
    when = "" if one["status"] == "approved" else " anyway"
    if by is not None and paid < by["entry"]:
        when = " before that"
    return f"{said}; paid{when}, entry {paid}"


def _when(time: str) -> str:
    return time[:16].replace("T", " ")


def _cost(one: dict[str, Any]) -> str:
    return Cost(**{name: rational(x["exact"]) for name, x in one["cost"].items()}).shown()


def _printable(rows: list[list[str]]) -> list[list[str]]:
    return [[printable(cell) for cell in row] for row in rows]
