"""A review of the certificate of a release: checked first, then the answers and what they mean.

The answers are made again from the noisy whole numbers that the certificate holds; nothing that was
not checked is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import reduce
from typing import Any

from twoworlds.answer import Block, Facts, Said, Table
from twoworlds.errors import InvalidInput
from twoworlds.files import certificate_text
from twoworlds.numbers import counted, exact_text, show
from twoworlds.release.answers import AnswerContext, QueryAnswer
from twoworlds.release.answers.answer import charts, table
from twoworlds.release.answers.words import (
    accounts_text,
    accuracy,
    asked,
    guarantee_of,
    guess,
    learned,
    meaning,
    notes,
    price,
    printable,
    protected,
)
from twoworlds.release.budget import Spent
from twoworlds.release.certificate import Checked, certify, check_certificate
from twoworlds.release.costs import Cost
from twoworlds.release.forms import Released
from twoworlds.release.ledger import Ledger
from twoworlds.release.ledger.entries import canonical, digest
from twoworlds.release.ledger.state import PaidQuery, Proposal
from twoworlds.release.ledger.views import SOLE_ANALYST, Books
from twoworlds.release.query import Resolved
from twoworlds.release.query.sql import to_sql
from twoworlds.release.review import ReviewDesk, decided_words
from twoworlds.release.sensitivity import Calibration
from twoworlds.release.statement import made_of
from twoworlds.report.review.model import (
    ROOM,
    VERIFIED,
    Outcome,
    ProofFile,
    Review,
    Section,
    belief_charts,
    broken,
    chain_blocks,
    chains,
)
from twoworlds.theorems import Guarantee
from twoworlds.theorems.promise import promise

_MOST_ROWS = 60
_QUESTION = (
    "Is this release what it says it is, what does it let anyone learn about a person, and was it "
    "paid for?"
)
_MAY_IT = "May this be released? What would it let anyone learn about a person?"
_NOT_SHOWN = (
    "what no certificate can show: that the data are what they are said to be, that the noise was "
    "really drawn, and that nobody saw the data in another way"
)
_NOT_PLANNED = (
    "what no plan can show: that the data are what they are said to be, that this is what will be "
    "released, and that nobody sees the data in another way"
)
_EVERYBODY = (
    "that nothing about you is learned: what holds of everybody, such as how regions differ, is "
    "learned with your data or without them, and can be applied to you"
)
_FURTHER = (
    "the same for further releases about the same data: their prices add up, and the ledger keeps "
    "the sum"
)
_ASSUMED = "nothing is assumed of the attacker, who may know all others and believe anything"
_IN_LEDGER = "the charge was made in the ledger before anything was answered"
_NOT_LOOKED = (
    "nothing else is released about the same people, before or after: that is assumed, since the "
    "ledger was not looked at; with --ledger the charge is found in it, and all charges are "
    "added up"
)
_MOST_EARLIER, _LONGEST_ASKED = 3, 100  # on the first page; the appendix has more
_LOOKED = "the ledger that was given holds everything released about these people"
_ELSEWHERE = "Whatever is released from now on, or about the same people elsewhere, adds to it."
_OF_STRATEGY = (
    "A question of a strategy has no certificate of its own: the ledger holds what the strategy "
    "cost and which questions were asked. The answers are kept here as data. Check the ledger of "
    "the policy, here called ledger.db:"
)
_WHOLE = "It answers that every entry, every rule and the chain of hashes are whole."
_MOST_ASKED = 2
_OF_RELEASE = (
    "The certificate of this release holds the questions, the noisy numbers, the noise and the "
    "promise. It needs neither the data nor a solver to be checked:"
)
_OF_PLAN = (
    "The plan holds the questions, the bounds, the noise and the cost. The ledger names it by its "
    "SHA-256, and so do the report of its release and what twoworlds verify says of the "
    "certificate: if that is another one, something else was released than what was signed. To see "
    "how it stands, and with -o to make this page again:"
)
_STANDS = "It says whether the proposal was decided on and paid."
_PLANS = "It says what this would cost now, and changes nothing."


@dataclass(frozen=True)
class _Made:
    """A release as it was made, or as it is planned.

    ``cost`` bounds what is learned: that of the release, or of the strategy that it is part of;
    ``given`` is the same, as the theorems know it; ``priced`` says what was paid, or would be;
    ``before`` says what was released before, and ``earlier`` lists it, where a ledger tells;
    ``total`` says what all of it allows, and ``learned`` also what the budget does.
    """

    resolved: Sequence[Resolved]
    calibration: Calibration
    cost: Cost
    given: Guarantee
    answered: Section
    priced: tuple[Block, ...]
    before: tuple[Block, ...] = ()
    earlier: tuple[Section, ...] = ()
    total: str = ""
    learned: Mapping[str, str | None] = field(default_factory=dict)


def review_released(released: Released, ledger: Ledger) -> Review:
    """Review a release by its certificate and by the ledger that it was charged in.

    A question of a strategy has none: what is said of it is true of the whole strategy.
    """
    context, certificate = released.answers[0].context, certify(released)
    if not context.covered:
        return review_certified(certificate_text(certificate), ledger)
    paid = f"Asked by {released.charge.analyst}. {price(context)}"
    plan = digest(canonical(certificate["statement"]))
    charge = {**certificate["charge"], "cost": f"{context.cost}, for the whole strategy"}
    cost, desk = context.cost, ReviewDesk(ledger)
    given = guarantee_of(cost, context.dataset.neighbours)
    charges, strategy = desk.state.charges, released.statement["strategy"]
    opened = next(one for one in charges.values() if one.hash == strategy)
    made = _made(released.answers, released.calibration, charge, cost, given, plan, paid)
    made = replace(made, **_history(desk, opened.dataset, cost, opened.query, opened.sequence))
    answers = [answer.to_dict() for answer in released.answers]
    text = json.dumps(answers, indent=2, ensure_ascii=False) + "\n"
    check = "twoworlds ledger verify ledger.db"
    review = _reviewed(
        made,
        f"A question of a strategy about {charge['dataset']}",
        "measured",
        f"All questions of this strategy together cost {cost.shown()}, which was paid.",
        _IN_LEDGER,
        ProofFile(_OF_STRATEGY, text, "answers.json", check, _WHOLE),
        answers=answers,
    )
    return replace(review, **_form(desk, charges[released.charge.entry]))


def review_certified(text: str, ledger: Books) -> Review:
    """Review a release by its certificate, as a text, and by its own ledger."""
    name = "certificate.json"
    proof = ProofFile(_OF_RELEASE, text, name, f"twoworlds verify {name}", VERIFIED)
    return review_release(json.loads(text), proof, ledger, own=True)


def review_release(
    data: Mapping[str, Any], proof: ProofFile, ledger: Books | None, *, own: bool = False
) -> Review:
    """Check the certificate of a release, and review it, with what the ledger holds.

    ``own`` says that it is the ledger of the policy, which nobody had to bring.
    """
    checked = check_certificate(data, ledger=ledger)
    looked = "What was checked", tuple(_checked(checked, looked=ledger is not None))
    found: dict[str, Any] = {"kind": "release", "check": checked.to_dict()}
    if not checked.holds:
        warned = "Nothing in it should be relied on: its content stands only at the end, as it is."
        title = f"A certificate of a release, {proof.name}"
        return broken(title, _QUESTION, checked.failure, (warned,), proof, found, looked)
    charge, (queries, calibration) = data["charge"], made_of(data["statement"])
    context = AnswerContext(queries[0].dataset, calibration.price, calibration.price)
    answers = [
        QueryAnswer.of(one, calibration, data["stored"]["answers"][i], context, query=i)
        for i, one in enumerate(queries)
    ]
    given = Guarantee.parse(data["promise"]["guarantee"])
    plan = digest(canonical(data["statement"]))
    made = _made(answers, calibration, charge, calibration.price, given, plan)
    form: dict[str, Any] = {"plan": plan, "released": True}
    if ledger is not None:
        desk = ReviewDesk(ledger)
        paid = desk.state.charges[charge["entry"]]
        form = _form(desk, paid)
        spent = desk.state.spent[paid.dataset, None]
        said = f"{desk.payment(paid)['payment']} Left to {paid.dataset} now: "
        said += f"{desk.state.caps[paid.dataset, None].left(spent).shown('at least')}."
        before = _history(desk, paid.dataset, calibration.price, paid.query, paid.sequence)
        made = replace(made, priced=(Said((said,)), *made.priced), **before)
    review = _reviewed(
        made,
        f"A certified release from {charge['dataset']}",
        "holds",
        f"The certificate holds: a release from {charge['dataset']} that costs "
        f"{calibration.price.shown()}.",
        _IN_LEDGER if own else _NOT_LOOKED if ledger is None else _LOOKED,
        proof,
        answers=[answer.to_dict() for answer in answers],
    )
    return replace(
        review,
        sections=(*review.sections, looked),
        data={**found, **review.data, "promise": data["promise"]},
        **form,
    )


def review_planned(
    ledger: Books, planned: Proposal, *, command: str, statement: Mapping[str, Any] | None = None
) -> Review:
    """Review a release before it is paid: a proposal, or a ``statement`` that nobody has proposed.

    ``command`` says how it stands now, and with ``-o`` makes the page again.

    Raises:
        InvalidInput: when it was paid: its release is reviewed then (`review_certified`).
    """
    desk = ReviewDesk(ledger)
    charged = desk.charged(planned)
    charge = desk.payment(charged)
    if charged is not None and not charged.expired:
        raise InvalidInput(
            f"there is nothing to sign before it is paid: {charge['payment']} Release it again, "
            "with --report"
        )
    free = "Nothing was charged, and no data were read for it."
    filed = statement is None
    body: Mapping[str, Any] = {"query": statement, "time": f"{datetime.now(UTC):%Y-%m-%d}"}
    if filed:
        body = ledger.entry(planned.place)
    (resolved, calibration), cost = made_of(body["query"]), planned.cost
    dataset, who = resolved[0].dataset, planned.analyst
    plan = desk.plan(planned, resolved, calibration)
    left = f"Left before: {accounts_text(plan.left)}. Left after: {accounts_text(plan.after)}."
    priced = Said((f"To be paid by {who}: {cost.shown()}. {left}",))
    answered = "What would be asked, and how exact the answers would be", (*plan.expectations(),)
    made = _Made(
        resolved, calibration, cost, guarantee_of(cost, dataset.neighbours), answered, (priced,)
    )
    made = replace(made, **_history(desk, dataset.name, cost, planned.query))
    after = desk.after(planned)
    if after is not None:
        made = replace(made, total=f"If this is released: {after['together']}")
    proof = ProofFile(
        _OF_PLAN, canonical(body["query"]), "plan.json", command, _STANDS if filed else _PLANS
    )
    review = _reviewed(
        made,
        f"A planned release from {dataset.name}",
        "planned",
        f"It would cost {cost.shown()}. {charge['payment'] if charged else free}",
        "the ledger of the policy holds everything released about these people",
        proof,
    )
    return replace(
        review,
        sentences=tuple(
            f"Warning: {one.words.removesuffix(review.guess).strip()}" for one in plan.warnings
        ),
        **_proposed(desk, dataset.name, planned.query),
        asked_by=who if who != SOLE_ANALYST else "",
        date=str(body["time"])[:10],
    )


def _form(desk: ReviewDesk, paid: PaidQuery) -> dict[str, Any]:
    """Return what is known of a release besides its numbers: for what, when, by whom, decided."""
    return {
        **_proposed(desk, paid.dataset, paid.query),
        "date": desk.body(paid)["time"][:10],
        "asked_by": paid.analysts[0] if paid.analysts[0] != SOLE_ANALYST else "",
        "released": True,
    }


def _proposed(desk: ReviewDesk, dataset: str, plan: str) -> dict[str, Any]:
    """Return what the last proposal of a plan says, and up to where the ledger was read."""
    point, known = desk.state.point, desk.proposed(dataset, plan)
    told = {"plan": plan, "read": (point.sequence, point.hash)}
    if known is None:
        return told
    return {
        **told,
        "purpose": desk.ledger.entry(known.place)["purpose"],
        "decided": decided_words(desk.standing(known)),
    }


def _history(
    desk: ReviewDesk, name: str, cost: Cost, plan: str, own: int | None = None
) -> dict[str, Any]:
    """Say what else was charged about the same data, or is approved, and what all of it comes to.

    ``own`` is the entry that paid for it, None if nothing did. What was charged later is counted
    apart; the sentence about all of it together holds for that too. Before it is paid, that
    sentence alone gives the sum.
    """
    state, account = desk.state, (name, None)
    cap, everything = state.cap(account), state.spent.get(account, Spent())
    before, later, approved = desk.others(name, plan, own)
    held = counted(len(before), "charge") if before else "no charge"
    said = f"The ledger holds {held} about {name} before this one"
    if approved:
        said += f", and {counted(len(approved), 'approved release')} not yet paid"
    if before and own is not None:
        spent = reduce(Spent.plus, (*(one.cost for one in before), cost), Spent())
        said += f": with this one it comes to {cap.used(spent).shown()}"
    if later:
        said += f". {counted(len(later), 'charge')} came later: everything together comes to "
        said += cap.used(everything).shown()
    found: dict[str, Any] = {"before": (Said((f"{said}. {_ELSEWHERE}",)),)}
    others: list[PaidQuery | Proposal] = [*reversed(approved), *reversed(before)]
    if others:
        rows = [*map(desk.row, others[:_MOST_ROWS])]
        whole = Table(("entry", "date", "what was asked", "cost"), rows)
        short = [tuple(map(_cut, row)) for row in rows[:_MOST_EARLIER]]
        more = len(others) > len(short)
        lead = f"The latest {_MOST_EARLIER} of {len(others):,}:" if more else ""
        found["before"] += (replace(whole, rows=short, lead=lead),)
        left = len(others) - len(rows)
        tail = (Said((f"… and {left:,} more, in the ledger.",)),) if left else ()
        found["earlier"] = (("What was released before", (whole, *tail)),) if more else ()
    told = learned(name, state.units.get(name), cap, everything, released=bool(before or own))
    return {**found, "total": told["so_far"] or "", "learned": told}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_ASKED else f"{text[:_LONGEST_ASKED]}…"


def _made(
    answers: Sequence[QueryAnswer],
    calibration: Calibration,
    charge: Mapping[str, Any],
    cost: Cost,
    given: Guarantee,
    plan: str,
    paid: str = "",
) -> _Made:
    """Return a release that was made."""
    resolved = [one.resolved for one in answers]
    version = resolved[0].dataset.version
    facts = Facts(
        (
            ("charged", str(charge["cost"])),
            ("dataset", f"{charge['dataset']}, version {version}"),
            ("ledger", f"entry {charge['entry']}"),
            ("hash of the entry", str(charge["hash"])),
            ("plan", f"SHA-256 {plan}"),
        )
    )
    answered = "What was asked, and the answers", tuple(_answers(answers))
    said = (Said((paid,)),) if paid else ()
    return _Made(resolved, calibration, cost, given, answered, (*said, facts))


def _reviewed(
    made: _Made,
    title: str,
    outcome: Outcome,
    headline: str,
    ledger: str,
    proof: ProofFile,
    **data: Any,
) -> Review:
    dataset, planned = made.resolved[0].dataset, outcome == "planned"
    implied, told = chains(made.given), meaning(made.cost, dataset)
    drawn = tuple(belief_charts(promise(made.given), made.cost.delta))
    wanted = " ".join(_cut(asked(one)) for one in made.resolved[:_MOST_ASKED])
    if (left := len(made.resolved) - _MOST_ASKED) > 0:
        wanted += f" And {counted(left, 'more question')}, in the appendix."
    room = made.cost.delta or made.cost.kind == "zcdp"
    chance = guess(made.cost)
    whole_budget = made.learned.get("whole_budget")
    budget = (Said((whole_budget,)),) if whole_budget else ()
    sections = (
        made.answered,
        *made.earlier,
        ("The noise, and the price", (*_noise(made), *budget, *made.priced)),
        *((("How far a belief can move", drawn),) if drawn else ()),
        ("By which theorems", tuple(chain_blocks(implied))),
    )
    return Review(
        title,
        _MAY_IT if planned else _QUESTION,
        outcome,
        headline,
        (),
        (protected(dataset), _ASSUMED, ledger),
        sections,
        proof,
        {
            "kind": "release",
            **data,
            "meaning": told,
            **({"learned": made.learned} if made.learned else {}),
            "theorems": [one.to_dict() for one in implied],
        },
        subject=(("questions", wanted),),
        guess=told[0],
        chance=Fraction(1) if chance is None else chance,
        before=made.before,
        total=made.total,
        meaning=(Said(tuple(told[1:])),),
        limits=(
            _EVERYBODY,
            _FURTHER,
            _NOT_PLANNED if planned else _NOT_SHOWN,
            *((ROOM,) if room else ()),
        ),
    )


def _answers(answers: Sequence[QueryAnswer]) -> Iterator[Block]:
    for answer in answers:
        yield Said((asked(answer.resolved),))
        yield Facts((("as SQL", to_sql(answer.resolved.query)),))
        whole = table(answer)
        rows = [[cell.lstrip("█░ ") for cell in row] for row in whole.rows]
        yield Table(whole.heads, rows[:_MOST_ROWS], numbers=True)
        if len(rows) > _MOST_ROWS:
            yield Said((f"… and {len(rows) - _MOST_ROWS} rows more, in the certificate.",))
        sure = [
            f"{column.name}: at least 95 times in 100 the true value is published, as it is."
            for column in answer.columns
            if column.certainty == "95%" and column.half_width == 0
        ]
        told = (*map(accuracy, answer.columns), *map(printable, sure), *notes(answer.resolved))
        yield Said(told, quiet=True)
        yield from charts(answer)


def _noise(made: _Made) -> Iterator[Block]:
    rows = []
    for resolved, noises in zip(made.resolved, made.calibration.noises, strict=True):
        for measure, noise in zip(resolved.measures, noises, strict=True):
            of = "" if measure.column is None else f" of {measure.column}"
            scale = noise.scale if noise.rate is None else noise.rate
            cells = (show(scale), show(noise.sensitivity), str(exact_text(measure.unit)))
            rows.append((f"{measure.kind}{of}", noise.name, *cells))
    yield Table(("measure", "noise", "scale", "moved by one unit at most", "unit"), tuple(rows))
    yield Said((made.calibration.whole_words(),))


def _checked(checked: Checked, *, looked: bool) -> Iterator[Block]:
    rows = [("holds", said) for said in checked.done]
    if checked.failure is not None:
        rows.append(("WRONG", checked.failure))
    elif not looked:
        rows.append(("not looked up", "the charge and the answer in the ledger"))
    if rows:
        yield Facts(tuple(rows))
