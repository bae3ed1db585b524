"""A review of the certificate of a release: checked first, then the answers and what they mean.

The answers are made again from the noisy whole numbers that the certificate holds; nothing that was
not checked is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.answer import Block, Facts, Said, Table
from twoworlds.errors import InvalidInput
from twoworlds.files import certificate_text
from twoworlds.numbers import exact_text, show
from twoworlds.release.answers import AnswerContext, QueryAnswer
from twoworlds.release.answers.answer import charts, table
from twoworlds.release.answers.words import (
    accuracy,
    asked,
    guess,
    meaning,
    notes,
    price,
    protected,
)
from twoworlds.release.certificate import Checked, certify, check_certificate
from twoworlds.release.costs import Cost
from twoworlds.release.forms import Released
from twoworlds.release.ledger import Ledger
from twoworlds.release.ledger.views import exported_state, read_export
from twoworlds.release.policy import Dataset
from twoworlds.release.query.sql import to_sql
from twoworlds.release.review import ReviewDesk
from twoworlds.release.sensitivity import Calibration
from twoworlds.release.statement import made_of
from twoworlds.report.review.model import (
    FAILS,
    ROOM,
    VERIFIED,
    Outcome,
    ProofFile,
    Review,
    Section,
    belief_charts,
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
_NOT_SHOWN = (
    "what no certificate can show: that the data are what they are said to be, that the noise was "
    "really drawn, and that nobody saw the data in another way"
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
_ELSEWHERE = "what is released later, or about the same people elsewhere, adds to it"
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


@dataclass(frozen=True)
class _Made:
    """A release that is what it says it is: its answers, its noise, its entry in the ledger.

    ``cost`` bounds what is learned: that of the release, or of the strategy that it is part of;
    ``given`` is the same, as the theorems know it; ``paid`` says who asked and what is left, which
    only those know who made it; ``earlier`` lists what was released before, where a ledger tells.
    """

    answers: Sequence[QueryAnswer]
    calibration: Calibration
    charge: Mapping[str, Any]
    cost: Cost
    given: Guarantee
    paid: str = ""
    earlier: Table | None = None

    @property
    def context(self) -> AnswerContext:
        return self.answers[0].context

    @property
    def in_all(self) -> str | None:
        """What the ledger charged about the same data in all; None where none was looked at."""
        dataset, charges = self.charge["dataset"], self.context.charges
        if charges is None:
            return None
        others = charges - (self.cost != Cost())
        if not others:
            return f"The ledger holds no other charge about {dataset}; {_ELSEWHERE}."
        held = "1 other charge" if others == 1 else f"{others:,} other charges"
        return (
            f"The ledger holds {held} about {dataset}: with this one it comes to "
            f"{self.context.spent[dataset].shown()}; {_ELSEWHERE}."
        )


def review_released(released: Released, ledger: Ledger) -> Review:
    """Review a release by its certificate and by the ledger that it was charged in.

    A question of a strategy has none: what is said of it is true of the whole strategy.
    """
    form = ReviewDesk(ledger).form(released.charge.entry)
    return replace(_review_released(released, ledger), **form)


def _review_released(released: Released, ledger: Ledger) -> Review:
    context, certificate = released.answers[0].context, certify(released)
    paid = f"Asked by {released.charge.analyst}. {price(context)}"
    if not context.covered:
        name, text = "certificate.json", certificate_text(certificate)
        proof = ProofFile(_OF_RELEASE, text, name, f"twoworlds verify {name}", VERIFIED)
        return review_release(json.loads(text), proof, ledger, paid=paid, context=context)
    charge = {**certificate["charge"], "cost": f"{context.cost}, for the whole strategy"}
    cost = context.cost
    given = Guarantee.of(
        "dp", epsilon=cost.epsilon, delta=cost.delta, neighbours=context.dataset.neighbours
    )
    made = _Made(released.answers, released.calibration, charge, cost, given, paid)
    answers = [answer.to_dict() for answer in released.answers]
    text = json.dumps(answers, indent=2, ensure_ascii=False) + "\n"
    check = "twoworlds ledger verify ledger.db"
    return _reviewed(
        made,
        f"A question of a strategy about {charge['dataset']}",
        "measured",
        f"All questions of this strategy together cost {context.cost}, which was paid.",
        _IN_LEDGER,
        ProofFile(_OF_STRATEGY, text, "answers.json", check, _WHOLE),
    )


def review_release(
    data: Mapping[str, Any],
    proof: ProofFile,
    ledger: Ledger | str | Path | None,
    *,
    paid: str = "",
    context: AnswerContext | None = None,
) -> Review:
    """Check the certificate of a release, and review it; ``ledger`` is the ledger, or an export.

    ``paid`` and ``context`` are known to whoever made the release.
    """
    checked = check_certificate(data, ledger=ledger)
    looked = "What was checked", tuple(_checked(checked, looked=ledger is not None))
    found: dict[str, Any] = {"kind": "release", "check": checked.to_dict()}
    if not checked.holds:
        return Review(
            f"A certificate of a release, {proof.name}",
            _QUESTION,
            "broken",
            f"The certificate does NOT hold: {checked.failure}.",
            ("Nothing in it should be relied on: its content stands only at the end, as it is.",),
            (),
            (looked,),
            replace(proof, expected=FAILS),
            found,
        )
    queries, calibration = made_of(data["statement"])
    if context is None:
        context = _context(queries[0].dataset, calibration.price, ledger)
    answers = [
        QueryAnswer.of(one, calibration, data["stored"]["answers"][i], context, query=i)
        for i, one in enumerate(queries)
    ]
    given = Guarantee.parse(data["promise"]["guarantee"])
    exported = read_export(ledger) if isinstance(ledger, (str, Path)) else ()
    earlier = _earlier(data["charge"], exported)
    made = _Made(answers, calibration, data["charge"], calibration.price, given, paid, earlier)
    dataset, cost = data["charge"]["dataset"], data["charge"]["cost"]
    review = _reviewed(
        made,
        f"A certified release from {dataset}",
        "holds",
        f"The certificate holds: a release from {dataset} that costs {cost}.",
        _IN_LEDGER if paid else _NOT_LOOKED if ledger is None else _LOOKED,
        proof,
    )
    return replace(
        review,
        sections=(*review.sections, looked),
        data={**found, **review.data, "promise": data["promise"]},
    )


def _context(dataset: Dataset, cost: Cost, ledger: Ledger | str | Path | None) -> AnswerContext:
    """Return the circumstances of a release that was checked, with what its ledger adds up to."""
    if ledger is None:
        return AnswerContext(dataset, cost, cost)
    state, account = (
        ledger.state() if isinstance(ledger, Ledger) else exported_state(read_export(ledger)),
        (dataset.name, None),
    )
    cap, spent = state.cap(account), state.spent[account]
    return AnswerContext(
        dataset,
        cost,
        cost,
        spent={dataset.name: cap.used(spent)},
        charges=state.counts[dataset.name],
        account=(cap, spent),
    )


def _earlier(charge: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> Table | None:
    """List what else was charged about the same data, the latest first; None if nothing was."""
    rows = [
        (str(item["sequence"]), item["entry"]["time"][:10], _asked_of(item["entry"]["query"]), cost)
        for item in reversed(entries)
        if item["entry"]["kind"] == "reserve"
        and item["entry"]["dataset"] == charge["dataset"]
        and item["sequence"] != charge["entry"]
        and (cost := item["entry"]["cost"]) != str(Cost())
    ]
    return Table(("entry", "date", "what was asked", "cost"), rows) if rows else None


def _asked_of(statement: Any) -> str:
    """Say what an entry of the ledger asked."""
    try:
        queries, _ = made_of(statement)
    except InvalidInput:
        return "a strategy: several questions paid for together"
    said = asked(queries[0]).partition(": ")[2]
    return f"{said} And {len(queries) - 1:,} more." if len(queries) > 1 else said


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_ASKED else f"{text[:_LONGEST_ASKED]}…"


def _before(made: _Made) -> Iterator[Block]:
    """Say what was released before about the same people, and what it costs in all."""
    told, found = made.in_all, made.earlier
    if told is None:
        return
    yield Said((told,))
    if found is not None:
        rows = [tuple(map(_cut, row)) for row in found.rows[:_MOST_EARLIER]]
        left = len(found.rows) - len(rows)
        lead = f"The latest {_MOST_EARLIER} of {len(found.rows):,}:" if left else ""
        yield replace(found, rows=rows, lead=lead)


def _all_before(made: _Made) -> Iterator[Section]:
    """Yield the whole list, where the first page holds a part of it."""
    found = made.earlier
    if found is None or len(found.rows) <= _MOST_EARLIER:
        return
    left = len(found.rows) - _MOST_ROWS
    more = (Said((f"… and {left:,} more, in the ledger.",)),) if left > 0 else ()
    yield "What else was released", (replace(found, rows=found.rows[:_MOST_ROWS]), *more)


def _reviewed(
    made: _Made, title: str, outcome: Outcome, headline: str, ledger: str, proof: ProofFile
) -> Review:
    implied, told = chains(made.given), meaning(made.cost, made.context.dataset)
    drawn = tuple(belief_charts(promise(made.given), made.cost.delta))
    wanted = " ".join(_cut(asked(one.resolved)) for one in made.answers[:_MOST_ASKED])
    left = len(made.answers) - _MOST_ASKED
    room = made.cost.delta or made.cost.kind == "zcdp"
    everything = made.context.learned
    chance = guess(made.cost)
    data = {
        "kind": "release",
        "answers": [answer.to_dict() for answer in made.answers],
        "meaning": told,
        **({"learned": everything} if everything else {}),
        "theorems": [one.to_dict() for one in implied],
    }
    sections = (
        ("What was asked, and the answers", tuple(_answers(made.answers))),
        *_all_before(made),
        ("The noise, and the price", tuple(_noise(made))),
        *((("How far a belief can move", drawn),) if drawn else ()),
        ("By which theorems", tuple(chain_blocks(made.given, implied))),
    )
    return Review(
        title,
        _QUESTION,
        outcome,
        headline,
        (),
        (protected(made.context.dataset), _ASSUMED, ledger),
        sections,
        proof,
        data,
        subject=(("questions", f"{wanted} And {left} more." if left > 0 else wanted),),
        guess=told[0],
        chance=Fraction(1) if chance is None else chance,
        before=tuple(_before(made)),
        total=everything.get("so_far") or "",
        meaning=(Said(tuple(told[1:])),),
        limits=(_EVERYBODY, _FURTHER, _NOT_SHOWN, *((ROOM,) if room else ())),
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
        yield Said((*map(accuracy, answer.columns), *notes(answer.resolved)), quiet=True)
        yield from charts(answer)


def _noise(made: _Made) -> Iterator[Block]:
    answers, calibration, charge = made.answers, made.calibration, made.charge
    rows = []
    for answer, noises in zip(answers, calibration.noises, strict=True):
        for measure, noise in zip(answer.resolved.measures, noises, strict=True):
            of = "" if measure.column is None else f" of {measure.column}"
            scale = noise.scale if noise.rate is None else noise.rate
            cells = (show(scale), show(noise.sensitivity), str(exact_text(measure.unit)))
            rows.append((f"{measure.kind}{of}", noise.name, *cells))
    yield Table(("measure", "noise", "scale", "moved by one unit at most", "unit"), tuple(rows))
    whole_budget = made.context.learned.get("whole_budget")
    yield Said(tuple(filter(None, (calibration.whole_words(), made.paid, whole_budget))))
    yield Facts(
        (
            ("charged", str(charge["cost"])),
            ("dataset", f"{charge['dataset']}, version {answers[0].resolved.dataset.version}"),
            ("ledger", f"entry {charge['entry']}"),
            ("hash of the entry", str(charge["hash"])),
        )
    )


def _checked(checked: Checked, *, looked: bool) -> Iterator[Block]:
    rows = [("holds", said) for said in checked.done]
    if checked.failure is not None:
        rows.append(("WRONG", checked.failure))
    elif not looked:
        rows.append(("not looked up", "the charge and the answer in the ledger"))
    if rows:
        yield Facts(tuple(rows))
