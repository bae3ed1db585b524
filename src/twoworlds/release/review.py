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
from twoworlds.errors import InvalidInput
from twoworlds.numbers import counted, rational
from twoworlds.release.answers.words import (
    accounts_text,
    asked,
    guess_data,
    printable,
    related,
    strength_of,
    together,
)
from twoworlds.release.budget import Spent
from twoworlds.release.costs import Cost
from twoworlds.release.errors import OverBudget
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
_STRENGTHS = ("strong", "moderate", "weak", "none")
_ALARMS = {  # of the strength of a protection; empty where no word is put to it
    "weak": "more than 90 of 100 guesses may be right.",
    "none": "more than 99 of 100 guesses may be right.",
    "": "Some outputs give a person away with certainty, and no word on a scale says that.",
}
_REMEDIES = {
    "weak": "Ask for more noise, or for a reason.",
    "none": "Approve it only if you would also approve publishing these people's records.",
    "": "Approve it only if you would accept such a case.",
}
_OUT = "It is released already: what is left to decide is whether more follows."


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
        """Return a proposal, how it stands, and, until it is paid, what all would allow after it.

        One that may still be paid comes with its plan.
        """
        body, unpaid = self.ledger.entry(one.place), self._unpaid(one.dataset)
        standing = self.standing(one)
        open_ = self._own(one) is None and one.approved is not False
        still = bool(one.approved) and not self._paid(one)
        planned: dict[str, Any] = {} if one.approved is None else {"unpaid": still}
        if one.approved is None or still:
            planned["after"] = after = self._after(one, unpaid)
            planned["with_released"] = found = self._after(one, ())
            alone = strength_of(one.cost)
            planned["alarm"] = alarm(alone, alone if after is None else after["strength"])
        if open_:
            plan = self.plan(one, *made_of(body["query"])).fields()
            planned |= {name: plan[name] for name in ("warnings", "cells", "errors")}
            if not (standing["payable"] and found and found["fits"]):  # no share of what is left
                planned["warnings"] = [w for w in plan["warnings"] if w["kind"] != "spend"]
        return {
            "entry": one.place.sequence,
            "dataset": one.dataset,
            "analyst": one.analyst,
            "time": body["time"],
            "purpose": body["purpose"],
            **standing,
            "asked": _asked(body["query"]),
            "cost": one.cost.to_dict(),
            **self._alone(one.dataset, one.cost),
            **planned,
        }

    def standing(self, one: Proposal) -> dict[str, Any]:
        """Return how a proposal stands: what was decided, whether it was paid, whether it can be.

        ``stands`` says it in a sentence, everywhere the same; ``plan`` is the SHA-256 of the plan,
        which was approved or sent back, and which the charge of its release names again. What
        another analyst paid for the same is in ``paid``, and changes nothing of this proposal.
        """
        paid = self._own(one)
        decided = None if one.decision is None else self.ledger.entry(one.decision)
        refused = None if paid is not None or one.approved is False else self._refusal(one)
        return {
            "status": one.status,
            "stands": printable(f"{self._stands(one, decided, paid, refused)}."),
            "plan": one.query,
            "decision": decided
            and {"entry": decided["sequence"]}
            | {name: decided[name] for name in ("reviewer", "time", "remark")},
            "payable": refused is None and paid is None and one.approved is not False,
            **self.payment(self.charged(one)),
        }

    def _stands(
        self,
        one: Proposal,
        decided: dict[str, Any] | None,
        paid: PaidQuery | None,
        refused: str | None,
    ) -> str:
        number, then = one.place.sequence, ""
        if paid is not None:
            done = "released" if paid.answer else f"paid, {_outcome(paid)},"
            then = f"{done} on {self.body(paid)['time'][:10]} (entry {paid.sequence})"
        if decided is None:
            more = f", and was all the same {then}" if then else f"; {refused}" if refused else ""
            return f"Proposal {number} waits for a reviewer{more}"
        newest = self.state.proposed[one.dataset, one.analyst, one.query].place.sequence
        by = f"{one.status} by {one.reviewer} on {decided['time'][:10]} (proposal {number})"
        if not one.approved and newest != number:
            return f"{_upper(by)}, and proposed anew as proposal {newest}"
        if paid is not None and paid.sequence < decided["sequence"]:
            return f"{_upper(then)}, and only then {by}"
        if then:
            return _upper(by) + (f" and {then}" if one.approved else f", and all the same {then}")
        if refused:
            return f"{_upper(by)}, but {refused}"
        free = "release it as it is planned" if one.approved else "change it and propose anew"
        return f"{_upper(by)}: {one.analyst} may {free}"

    def _refusal(self, one: Proposal) -> str | None:
        """Say why a proposal cannot be paid as things stand; None where it can."""
        state = self.state
        try:
            if self._paid(one):  # the dataset has paid already
                state.check_fits((one.dataset, one.analyst), one.cost)
            else:
                state.check_charge(one.dataset, one.analyst, one.cost)
        except OverBudget:
            left = accounts_text(self._left(one, Cost()))
            return f"{one.analyst} cannot pay for it (it costs {one.cost.shown()}; left: {left})"
        except InvalidInput as error:  # without a cap
            return f"{one.analyst} cannot pay for it: {error}"
        return None

    def plan(self, one: Proposal, resolved: Sequence[Resolved], calibration: Calibration) -> DryRun:
        """Return what a proposal would cost now."""
        left, after = self._left(one, Cost()), self._left(one, one.cost)
        return DryRun(tuple(resolved), calibration, one.cost, left, after)

    def after(self, one: Proposal) -> dict[str, Any] | None:
        """Return what a proposal would allow with all that was released or approved."""
        return self._after(one, self._unpaid(one.dataset))

    def payment(self, paid: PaidQuery | None) -> dict[str, Any]:
        """Return which charge paid for a proposal, last, if any did, and say so."""
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
            f"Paid on {when(time)} (UTC) by {', '.join(paid.analysts)}, entry {paid.sequence}, "
            f"and {then}."
        )
        return {"paid": paid.sequence, "paid_time": time, "payment": printable(said)}

    def released(self, one: Proposal) -> int | None:
        """Return the entry that paid for a proposal, if its release has an answer."""
        paid = self.state.queries.get((one.dataset, one.query))
        return None if paid is None or paid.answer is None else paid.sequence

    def charged(self, one: Proposal) -> PaidQuery | None:
        """Return the last charge for a proposal, also one that was closed without an answer."""
        return self._charged.get((one.dataset, one.query))

    def _own(self, one: Proposal) -> PaidQuery | None:
        """Return the last charge for a proposal, if the analyst who made it has paid."""
        paid = self.charged(one)
        return paid if paid is not None and one.analyst in paid.analysts else None

    @cached_property
    def _charged(self) -> dict[tuple[str, str], PaidQuery]:
        return {(one.dataset, one.query): one for one in self.state.charges.values()}

    def body(self, paid: PaidQuery) -> dict[str, Any]:
        """Return the entry that made a charge, with its time and its statement."""
        return self.ledger.entry(ChainPlace(paid.sequence, paid.hash))

    def proposed(self, dataset: str, query: str) -> Proposal | None:
        """Return the last proposal of a plan; once it is paid, of those who paid, if any did."""
        paid = self._charged.get((dataset, query))
        every = self.state.proposals.values()
        found = [one for one in every if (one.dataset, one.query) == (dataset, query)]
        payers = [one for one in found if paid is not None and one.analyst in paid.analysts]
        return next(reversed(payers or found), None)

    def others(
        self, dataset: str, query: str, own: int | None = None
    ) -> tuple[list[PaidQuery], list[PaidQuery], list[Proposal]]:
        """Return what was charged before a release and after it, and what may still be charged.

        ``own`` is the entry that paid for it, None if nothing did: only then is what others have
        in hand, approved and not yet paid, of any weight for the decision.
        """
        charged = [
            one
            for one in self.state.charges.values()
            if one.dataset == dataset and one.cost != Cost() and one.sequence != own
        ]
        before = [one for one in charged if own is None or one.sequence < own]
        approved = [one for one in self._unpaid(dataset) if own is None and one.query != query]
        return before, charged[len(before) :], approved

    def row(self, one: PaidQuery | Proposal) -> tuple[str, str, str, str]:
        """Return the entry of a release or a proposal, its date, what it asked, and the cost."""
        if isinstance(one, Proposal):
            body, stands = self.ledger.entry(one.place), "approved, not yet paid: "
        else:
            body, stands = self.body(one), "" if one.answer else f"{_outcome(one)}: "
            stands = "" if one.strategy else stands
        said, *more = _asked(body["query"])
        said = said.partition(": ")[2] if said.startswith("Asked of ") else said
        said += f" And {counted(len(more), 'more question')}." if more else ""
        return str(body["sequence"]), body["time"][:10], f"{stands}{said}", one.cost.shown()

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
                    decided_words(one),
                    one["analyst"],
                    _cost(one),
                    " ".join(one["asked"]),
                    one["purpose"],
                ]
                for one in self.proposals
            ]
            blocks.append(Table(heads, _printable(rows), "Proposed:", prose=(1, 4, 5)))
        after = [
            f"Proposal {one['entry']}. {after_words(one)}"
            for one in self.proposals
            if one.get("after")
        ]
        if after:
            blocks.append(Said(after))
        warned = [
            printable(f"Warning of proposal {one['entry']}: {words}")
            for one in self.proposals
            for words in warnings_of(one)
        ]
        if warned:
            blocks.append(Said(warned))
        if self.releases:
            heads = ["release", "time (UTC)", "by", "cost", "asked"]
            rows = [
                [
                    str(one["entry"]),
                    when(one["time"]),
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
        known = self.proposed(one.dataset, one.query)
        return {
            "entry": one.sequence,
            "hash": one.hash,
            "plan": one.query,
            "stands": None if known is None else self.standing(known)["stands"],
            "reviewed": None if known is None else known.status,
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

        The cost and the guess are those of the totals (`together`). Where these do not fit, the
        guess is that of the whole budget, which is all that can be spent.
        """
        account = (one.dataset, None)
        cap, before = self.state.cap(account), self.state.spent.get(account, Spent())
        others = [each for each in approved if each.query != one.query]
        paid, spent = self._paid(one), before
        for each in others if paid else [*others, one]:
            spent = spent.plus(each.cost)
        fits = cap.rule(spent) is not None
        cost = together(cap, spent)[0] if fits else cap.most  # what is reached, in the end
        if cost is None or (not fits and cap.rule(before) is None):
            return None
        found, misfit = guess_data(cost, self._about(one.dataset)), None
        if fits:
            besides = " and with what is approved and not yet paid" if others else ""
            words = f"together with everything released{besides}, it costs {cost.shown()}. "
            words += found["words"]
        else:
            misfit = "It does not fit"
            if paid or cap.rule(before.plus(one.cost)) is not None:
                misfit = "This one fits alone; with the others that are approved it does not"
            whole = cap.used(spent).cost
            misfit += f": the budget is {cap.most.shown()}, and all of it would be {whole.shown()}."
            words = f"{_lower(misfit)} With the whole budget spent, {_lower(found['words'])}"
        return {
            **found,
            "cost": (cost if fits else whole).to_dict(),
            "fits": fits,
            "misfit": misfit,
            "together": words,
            "strength": strength_of(cost),
            "others": len(others),
        }

    def _about(self, dataset: str) -> str | None:
        return related(self.state.units.get(dataset))

    def _left(self, one: Proposal, cost: Cost) -> dict[str, Cost]:
        """Return what is left after a cost, of which a dataset that has paid pays nothing."""
        more = Cost() if self._paid(one) else cost, cost
        return self.state.accounts(one.dataset, one.analyst, more=more)[0]


def alarm(alone: str, total: str = "strong", *, released: bool = False) -> str:
    """Return what a reviewer is warned of, by the weaker of two protections, or nothing.

    Of a release alone, and of it together with the others (`twoworlds.definitions.words.strength`).

    >>> alarm("strong", "weak")[:49]
    'Together with the other releases, this is weak: m'
    """
    worst = max(alone, total, key=_STRENGTHS.index) if alone else ""
    if worst not in _ALARMS:
        return ""
    lead = "This" if worst == alone else "Together with the other releases, this"
    kept = {"weak": f"{lead} is weak: ", "none": f"{lead} is hardly a protection at all: ", "": ""}
    return f"{kept[worst]}{_ALARMS[worst]} {_OUT if released else _REMEDIES[worst]}"


def warnings_of(one: dict[str, Any]) -> list[str]:
    """Return what a reviewer is warned of, of one proposal; of protection first."""
    said = one.get("alarm")
    return [*([said] if said else []), *(each["words"] for each in one.get("warnings", ()))]


def after_words(one: dict[str, Any]) -> str:
    """Say what a proposal allows, with everything else, once it is released."""
    lead = "If it is approved" if one["status"] == "waiting" else "Now that it is approved"
    return f"{lead}: {one['after']['together']}"


def reviewed(ledger: Books, dataset: str, plan: str) -> str:
    """Say how the last proposal of a plan stands, or that there was none."""
    desk = ReviewDesk(ledger)
    known = desk.proposed(dataset, plan)
    if known is None:
        return "Nobody proposed this plan, and no reviewer decided on it."
    return decided_words(desk.standing(known))


def decided_words(one: dict[str, Any]) -> str:
    """Say how a proposal stands, with the remark of the decision."""
    said = one["decision"]["remark"] if one["decision"] else ""
    return f"{one['stands']}{printable(f' Remark: {said}') if said else ''}"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


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


def _outcome(paid: PaidQuery) -> str:
    """Say what became of a charge that has no answer."""
    return "closed without an answer" if paid.expired else "not answered so far"


def when(time: str) -> str:
    """Write the time of an entry, to the minute."""
    return time[:16].replace("T", " ")


def _cost(one: dict[str, Any]) -> str:
    return Cost(**{name: rational(x["exact"]) for name, x in one["cost"].items()}).shown()


def _printable(rows: list[list[str]]) -> list[list[str]]:
    return [[printable(cell) for cell in row] for row in rows]
