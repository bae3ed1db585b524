r"""What the entries of a ledger add up to: caps, what was spent, which queries are paid.

The entries are the only truth; this is what reading them in order gives, and the rules that every
further entry must obey. Reading refuses a ledger that breaks them, so that for every ledger that
opens: each answer belongs to one earlier charge, no charge has two answers, and no charge went
above a cap that stood at the time. Spent >= answered, always.

Kinds of entry:

    begin    the first one, with a random name for the ledger
    cap      the most that may be spent on a dataset, by everybody or by one analyst
    protect  whose data the costs of a dataset are about; said once, since costs that are about
             different units do not add up
    reserve  a charge: dataset, analyst, query, cost; counts on dataset and analyst from now on
    share    another analyst gets the answer to a charged query: counts on that analyst alone,
             since the dataset gives nothing away twice
    answer   the stored answer to a charge, before it is given to anybody
    expire   a charge that will never be answered; it stays charged
    propose  a planned release, for review: dataset, analyst, query, cost and purpose; it charges
             nothing
    decide   a reviewer approves a proposal or sends it back, once; never the analyst who made it
    remark   a new high-water mark was made by hand; the reason says why

There is no refund: whether a computation failed can depend on the data.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.release.budget import Cap, ComposedCost, Spent, read_cap
from twoworlds.release.costs import Cost, parse_cost
from twoworlds.release.errors import LedgerDamaged, OverBudget, RequestTaken
from twoworlds.release.ledger.entries import START, ChainPlace, Entry, canonical, digest

LONGEST_NAME = 200
LONGEST_REMARK = 2000
_LISTED = 5  # proposals in a refusal
_UNSEEN = {  # letters and marks that are printable, and that nobody sees
    *map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)),
    *map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))),
}
_KINDS = (  # of entries: each has its method below
    *("begin", "cap", "protect", "reserve", "share", "answer", "expire"),
    *("propose", "decide", "remark"),
)
Account = tuple[str, str | None]  # dataset, and analyst; None is the dataset as a whole
Content = Mapping[str, Any]


@dataclass
class PaidQuery:
    """A paid query, by the entry that charged it."""

    sequence: int
    hash: str
    dataset: str
    query: str
    cost: Cost
    analysts: list[str]
    strategy: bool = False  # it opens one: its questions are answered, each by its own entry
    answer: ChainPlace | None = None  # the entry that holds it
    expired: bool = False


@dataclass
class Proposal:
    """A planned release, by the entry that filed it, and the entry that decided on it."""

    place: ChainPlace
    dataset: str
    analyst: str
    query: str
    cost: Cost
    approved: bool | None = None
    decision: ChainPlace | None = None
    reviewer: str = ""

    @property
    def status(self) -> str:
        """``waiting``, ``approved`` or ``sent back``."""
        return {None: "waiting", True: "approved", False: "sent back"}[self.approved]


@dataclass
class LedgerState:
    """Everything that the entries read so far say."""

    point: ChainPlace = field(default_factory=lambda: ChainPlace(0, START))
    name: str | None = None
    caps: dict[Account, Cap] = field(default_factory=dict)
    changes: list[str] = field(default_factory=list)  # of caps, in words
    units: dict[str, str] = field(default_factory=dict)  # by dataset
    places: dict[str, str] = field(default_factory=dict)  # of data, with the dataset that has spent
    spent: dict[Account, Spent] = field(default_factory=dict)
    charges: dict[int, PaidQuery] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)  # of charges above 0, by dataset
    queries: dict[tuple[str, str], PaidQuery] = field(default_factory=dict)
    requests: dict[tuple[str, str, str], PaidQuery] = field(default_factory=dict)
    proposals: dict[int, Proposal] = field(default_factory=dict)
    proposed: dict[tuple[str, str, str], Proposal] = field(default_factory=dict)  # the newest

    def follow(self, entry: Entry) -> None:
        """Read the next entry."""
        number = self.point.sequence + 1
        if entry.sequence != number:
            raise LedgerDamaged(f"ledger entry {number} is missing: restore a backup", entry=number)
        kind, content = entry.read(self.point.hash)
        try:
            self.apply(kind, content, ChainPlace(number, entry.hash))
        except (InvalidInput, KeyError, TypeError, AttributeError) as error:
            raise LedgerDamaged(
                f"ledger entry {number} breaks a rule of the ledger "
                f"({error if isinstance(error, InvalidInput) else 'a part of it is missing'}); "
                "restore the newest backup in which it does not",
                entry=number,
            ) from error

    def apply(self, kind: str, content: Content, place: ChainPlace) -> None:
        """Check an entry against the rules, and count it; a refused one changes nothing."""
        if kind not in _KINDS or (kind == "begin") != (place.sequence == 1):
            raise InvalidInput(f"an entry of kind {kind[:20]!r} has no place here")
        getattr(self, f"_{kind}")(content, place)
        self.point = place

    def find(self, dataset: str, analyst: str, query: str, request: str | None) -> PaidQuery | None:
        """Return the charge that already pays for a query, by request or by query."""
        asked = self.requests.get((dataset, analyst, request)) if request is not None else None
        if asked is not None and asked.query != query:
            raise RequestTaken(
                f"request {request!r} of analyst {analyst!r} paid for another query: "
                "use a new request for a new query"
            )
        if asked is not None and asked.expired:
            raise InvalidInput(
                f"request {request!r} of analyst {analyst!r} has expired without an answer: "
                "use a new request, which is charged anew"
            )
        return asked or self.queries.get((dataset, query))

    def cap(self, account: Account) -> Cap:
        """Return the cap of an account."""
        cap = self.caps.get(account)
        if cap is None:
            raise InvalidInput(
                f"{_who(account)} has no cap, so nothing can be charged: set one first"
            )
        return cap

    def check_fits(self, account: Account, cost: Cost) -> Spent:
        """Return what is spent on an account after a further cost."""
        cap, before = self.cap(account), self.spent.get(account, Spent())
        after = before.plus(cost)
        if cap.rule(after) is None and cost == Cost():
            raise OverBudget(
                f"{_who(account)} has spent {cap.used(before).cost.shown()}, which is more than "
                f"the cap of now {cap.shown()}: nothing new is answered, not even what would cost "
                "nothing more; nothing was charged"
            )
        if cap.rule(after) is None:
            raise OverBudget(
                f"{cost.shown()} does not fit for {_who(account)}: {cap.why_not(before, cost)}; "
                "nothing was charged"
            )
        return after

    def accounts(
        self, dataset: str, analyst: str, *, more: tuple[Cost, Cost] = (Cost(), Cost())
    ) -> tuple[dict[str, Cost], dict[str, ComposedCost]]:
        """Return what is left, and what is used, of a dataset and of an analyst.

        ``more`` is what the dataset and the analyst would pay then.
        """
        accounts: dict[str, Account] = {dataset: (dataset, None), analyst: (dataset, analyst)}
        left, used = {}, {}
        for (name, account), cost in zip(accounts.items(), more, strict=False):
            cap, spent = self.cap(account), self.spent.get(account, Spent()).plus(cost)
            left[name], used[name] = cap.left(spent), cap.used(spent)
        return left, used

    def check_charge(self, dataset: str, analyst: str, cost: Cost) -> dict[Account, Spent]:
        """Return what is spent on both accounts after a charge; a refusal offers what fits both."""
        accounts: list[Account] = [(dataset, analyst), (dataset, None)]
        after: dict[Account, Spent] = {}
        refused: dict[Account, OverBudget] = {}
        for account in accounts:
            try:
                after[account] = self.check_fits(account, cost)
            except OverBudget as over:
                refused[account] = over
        if not refused:
            return after
        spent = {one: self.spent.get(one, Spent()) for one in accounts}
        left = {one: self.cap(one).left(spent[one]) for one in accounts}
        for account, error in refused.items():
            fits = all(self.cap(one).rule(spent[one].plus(left[account])) for one in accounts)
            if fits or cost == Cost():
                raise error
        also = next(one for one in accounts if one != account)
        raise OverBudget(f"{error}; at most {left[also].shown('down')} is left for {_who(also)}")

    def _begin(self, content: Content, _point: ChainPlace) -> None:
        self.name = str(content["name"])

    def exceeded(self) -> list[str]:
        """Return, in words, which accounts have spent more than their caps now allow."""
        return [
            f"{_who(account)}: {cap.used(spent).cost.shown()} is spent, of now {cap.most.shown()}"
            for account, cap in self.caps.items()
            if cap.rule(spent := self.spent.get(account, Spent())) is None
        ]

    def _cap(self, content: Content, place: ChainPlace) -> None:
        account = (check_name(content["dataset"], "dataset"), content["analyst"])
        if account[1] is not None:
            check_name(account[1], "analyst")
        before, cap = self.caps.get(account), read_cap(content)
        if before is not None and before != cap:
            self.changes.append(
                f"{_who(account)}: entry {place.sequence} changed the cap from "
                f"{before.shown()} to {cap.shown()}"
            )
        self.caps[account] = cap

    def _protect(self, content: Content, _point: ChainPlace) -> None:
        dataset = check_name(content["dataset"], "dataset")
        unit = check_name(content["unit"], "unit")
        self.check_unit(dataset, unit)
        self.units[dataset] = unit

    def check_unit(self, dataset: str, unit: str) -> None:
        """Refuse another unit than the one that the costs of a dataset are about."""
        before = self.units.get(dataset, unit)
        if before != unit:
            raise InvalidInput(
                f"what was spent on {dataset!r} is about {before}, and the policy now says {unit}; "
                "the two do not add up: put it back, or begin another ledger, and bear in mind "
                "that what was spent in this one counts besides"
            )

    def check_place(self, dataset: str, place: str | None) -> None:
        """Refuse data that another dataset has spent on: one place has one account.

        A place within another, such as a file in a folder, is the same one.
        """
        if place is None:
            return
        for known, owner in self.places.items():
            short, long = sorted((place, known), key=len)
            if owner != dataset and f"{long}/".startswith(f"{short}/"):
                raise InvalidInput(
                    f"what was released from {known!r} so far was spent on {owner!r}, and "
                    f"{dataset!r} would have a budget of its own for the same people: call it "
                    f"{owner!r} again; if other data lie there now, move them to another place"
                )

    def _reserve(self, content: Content, point: ChainPlace) -> None:
        dataset = check_name(content["dataset"], "dataset")
        analyst = check_name(content["analyst"], "analyst")
        request = _request(content)
        cost = parse_cost(content["cost"])
        query = digest(canonical(content["query"], "query"))
        if self.find(dataset, analyst, query, request) is not None:
            raise InvalidInput("the same query was charged before, so it must not be charged again")
        self.spent.update(self.check_charge(dataset, analyst, cost))
        said = content["query"]
        opens = isinstance(said, dict) and "strategy" in said and "question" not in said
        charge = PaidQuery(point.sequence, point.hash, dataset, query, cost, [analyst], opens)
        self.charges[point.sequence] = charge
        place = place_in(said)
        if place is not None and (cost != Cost() or "question" in said):
            self.places.setdefault(place, dataset)
        self.counts[dataset] += cost != Cost()
        self.queries[dataset, query] = charge
        self._remember(charge, analyst, request)

    def _share(self, content: Content, _point: ChainPlace) -> None:
        charge, analyst = self._open(content), check_name(content["analyst"], "analyst")
        if analyst in charge.analysts:
            raise InvalidInput(f"analyst {analyst!r} has paid for this query already")
        account, request = (charge.dataset, analyst), _request(content)
        self.spent[account] = self.check_fits(account, charge.cost)
        charge.analysts.append(analyst)
        self._remember(charge, analyst, request)

    def _answer(self, content: Content, point: ChainPlace) -> None:
        charge = self._open(content)
        if charge.answer is not None or "answer" not in content:
            raise InvalidInput(f"charge {charge.sequence} must have one answer")
        charge.answer = point

    def _expire(self, content: Content, _point: ChainPlace) -> None:
        charge = self._open(content)
        if charge.answer is not None:
            raise InvalidInput(f"charge {charge.sequence} is answered, so it cannot expire")
        charge.expired = True
        del self.queries[charge.dataset, charge.query]

    def _propose(self, content: Content, point: ChainPlace) -> None:
        dataset = check_name(content["dataset"], "dataset")
        analyst = check_name(content["analyst"], "analyst")
        check_name(content["purpose"], "purpose", most=LONGEST_REMARK)
        cost, query = parse_cost(content["cost"]), digest(canonical(content["query"], "query"))
        before = self.proposed.get((dataset, analyst, query))
        if before is not None and before.approved is not False:
            raise InvalidInput(
                f"proposal {before.place.sequence} is the same and {before.status}: it needs no "
                "other"
            )
        made = Proposal(point, dataset, analyst, query, cost)
        self.proposals[point.sequence] = self.proposed[dataset, analyst, query] = made

    def _decide(self, content: Content, point: ChainPlace) -> None:
        proposal = self.proposal(content["proposal"])
        reviewer = check_name(content["reviewer"], "reviewer")
        approved, remark = content["approved"], content["remark"]
        if type(approved) is not bool:
            raise InvalidInput("a decision approves or sends back: approved is true or false")
        if remark != "":
            check_name(remark, "remark", most=LONGEST_REMARK)
        if proposal.approved is not None:
            way_out = "the analyst may propose it anew"
            if proposal.approved:
                way_out = "to stop the release, let the owner lower the budget in the policy"
            raise InvalidInput(
                f"proposal {proposal.place.sequence} is decided, and {proposal.status}: a decision "
                f"stands; {way_out}"
            )
        if reviewer.strip().casefold() == proposal.analyst.strip().casefold():
            raise InvalidInput(own_proposal(proposal.place.sequence, proposal.analyst))
        proposal.approved, proposal.decision, proposal.reviewer = approved, point, reviewer

    def proposal(self, number: object) -> Proposal:
        """Return a proposal by the number of its entry."""
        found = self.proposals.get(number) if type(number) is int else None
        if found is None:
            known = ", ".join(map(str, [*self.proposals][-_LISTED:]))
            there = "nothing was proposed so far, release with --propose does that"
            if known:
                there = f"the newest {'are' if ',' in known else 'is'} {known}"
            raise InvalidInput(f"there is no proposal {str(number)[:20]}: {there}")
        return found

    def _remark(self, content: Content, _point: ChainPlace) -> None:
        check_name(content["reason"], "reason")

    def _open(self, content: Content) -> PaidQuery:
        charge = self.charges.get(content["charge"])
        if charge is None or charge.expired:
            raise InvalidInput(
                f"there is no open charge {content['charge']}: it was never made, or has expired"
            )
        return charge

    def _remember(self, charge: PaidQuery, analyst: str, request: str | None) -> None:
        if request is not None:
            self.requests[charge.dataset, analyst, request] = charge


def check_name(name: object, what: str, *, most: int = LONGEST_NAME) -> str:
    """Return a name; any text will do, and it is never read as anything but a name."""
    if not isinstance(name, str):
        raise InvalidInput(f"{what} has type {type(name).__name__}: give it as text")
    if not 1 <= len(name) <= most:
        raise InvalidInput(f"{what} has {len(name)} characters: give 1 to {most} of them")
    return name


def check_person(name: object, what: str) -> str:
    """Return the name of somebody who asks or decides: no two of them look the same."""
    said = check_name(name, what)
    if not shows(said) or any(not shows(c) for c in said if c != " ") or "  " in f" {said} ":
        raise InvalidInput(
            f"{what} {said!a}: a name has letters that can be seen, and no blanks at its ends or "
            "twice in a row, so that nobody can sign as nobody, or as somebody else"
        )
    return said


def same_person(one: str, other: str) -> bool:
    r"""Tell whether two names look the same, but for capitals, blanks and what cannot be seen.

    >>> same_person("bob", " Bo\u200bb"), same_person("bob", "rob")
    (True, False)
    """
    return _seen(one) == _seen(other)


def shows(text: str) -> bool:
    """Tell whether anything of a text can be seen."""
    return _seen(text) != ""


def _seen(text: str) -> str:
    """Return the letters that can be seen, in one spelling of each."""
    letters = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in letters if c.isprintable() and not c.isspace() and c not in _UNSEEN)


def own_proposal(number: int, analyst: str) -> str:
    """Say why somebody cannot decide on a proposal."""
    return (
        f"proposal {number} is by {analyst!r}, and nobody reviews their own: ask another reviewer"
    )


def place_in(query: Any) -> str | None:
    """Return the place of the data that a query names as its source, if it does."""
    place = query.get("source") if isinstance(query, dict) else None
    return place if isinstance(place, str) else None


def _request(content: Content) -> str | None:
    request = content["request"]
    return None if request is None else check_name(request, "request")


def _who(account: Account) -> str:
    dataset, analyst = account
    return f"dataset {dataset!r}" + ("" if analyst is None else f", analyst {analyst!r}")
