"""A review of the certificate of a release: checked first, then the answers and what they mean.

The answers are made again from the noisy whole numbers that the certificate holds; nothing that was
not checked is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from twoworlds.cards import Interval, interval_chart, odds_chart
from twoworlds.numbers import above, decimal, exact_text, exp, show
from twoworlds.release.answers import Answer, Context
from twoworlds.release.answers.words import accuracy, asked, meaning, protected, selection
from twoworlds.release.certificate import Checked, check_certificate
from twoworlds.release.query.sql import to_sql
from twoworlds.release.sensitivity import Calibration
from twoworlds.release.statement import made_of
from twoworlds.report.review.chain import chain_blocks, chains, chains_data
from twoworlds.report.review.model import Block, Facts, Grid, Picture, Proof, Review, Said, Section
from twoworlds.theorems import Guarantee

__all__ = ["review_release"]

_MOST_ROWS, _MOST_PICTURES = 60, 4
_QUESTION = (
    "Is this release what it says it is, what does it let anyone learn about a person, and was it "
    "paid for?"
)
_NOT_CHECKED = (
    "not checked, because no certificate can show it: that the data are what they are said to be, "
    "that the noise was really drawn, and that nobody saw the data in another way"
)


def review_release(data: Mapping[str, Any], proof: Proof, ledger: str | Path | None) -> Review:
    """Check the certificate of a release, and review it."""
    checked = check_certificate(data, ledger=ledger)
    found: dict[str, Any] = {"kind": "release", "check": checked.to_dict()}
    if not checked.holds:
        return Review(
            f"A certificate of a release, {proof.name}",
            _QUESTION,
            "broken",
            f"The certificate does NOT hold: {checked.failure}.",
            ("Nothing in it should be relied on: its content stands only at the end, as it is.",),
            (),
            (Section("What was checked", tuple(_checked(checked, ledger))),),
            proof,
            found,
        )
    queries, calibration = made_of(data["statement"])
    context = Context.of(queries[0].dataset, calibration.price)
    answers = [
        Answer.of(one, calibration, data["stored"]["answers"][i], context, query=i)
        for i, one in enumerate(queries)
    ]
    given = Guarantee.parse(data["promise"]["guarantee"])
    implied = chains(given)
    told = meaning(context.cost, context.unit, context.neighbours)
    rests = [
        protected(context.unit, context.neighbours),
        "nothing is assumed of the attacker, who may know all others and believe anything",
        "one release: what was paid for others about the same data adds to it, as the ledger says",
        _NOT_CHECKED,
    ]
    if ledger is None:
        rests.append("the ledger was not looked at: with --ledger the charge is found in it")
    found |= {
        "answers": [answer.to_dict() for answer in answers],
        "meaning": told,
        "promise": data["promise"],
        "theorems": chains_data(implied),
    }
    cost = data["charge"]["cost"]
    sections = (
        Section("What was asked", tuple(_asked(answers))),
        Section("The answers", tuple(_answers(answers))),
        Section("What it means to a person", tuple(_meaning(told, calibration))),
        Section("The noise, and the price", tuple(_noise(data, answers, calibration))),
        Section("By which theorems", tuple(chain_blocks(given, implied))),
        Section("What was checked", tuple(_checked(checked, ledger))),
    )
    return Review(
        f"A certified release from {data['charge']['dataset']}",
        _QUESTION,
        "holds",
        f"The certificate holds: a release from {data['charge']['dataset']} that costs {cost}.",
        (told[0],),
        tuple(rests),
        sections,
        proof,
        found,
    )


def _asked(answers: list[Answer]) -> Iterator[Block]:
    for answer in answers:
        yield Said((asked(answer.resolved),))
        yield Facts((("as SQL", to_sql(answer.resolved.query)),))


def _answers(answers: list[Answer]) -> Iterator[Block]:
    for answer in answers:
        heads, rows = answer.table()
        shown = tuple(tuple(cell.lstrip("█░ ") for cell in row) for row in rows[:_MOST_ROWS])
        yield Grid(tuple(heads), shown, numbers=True)
        if len(rows) > _MOST_ROWS:
            yield Said((f"… and {len(rows) - _MOST_ROWS} rows more, in the certificate.",))
        yield Said((*map(accuracy, answer.columns), *selection(answer.resolved)), quiet=True)
        if len(answer.cells) > 1:
            yield from _charts(answer)


def _charts(answer: Answer) -> Iterator[Block]:
    for place, column in enumerate(answer.columns[:_MOST_PICTURES]):
        rows = []
        for cell, estimates in zip(answer.cells, answer.estimates, strict=True):
            one = estimates[place]
            ends = (None if x is None else float(x) for x in (one.low, one.high))
            rows.append(Interval(", ".join(answer.groups(cell)), float(one.value), *ends))
        words = (
            f"{column.name} of each group: a dot for the released value, and a line as long as the "
            "interval that noise leaves. The numbers are in the table above."
        )
        title = f"{column.name}, with the interval of its noise"
        yield Picture(title, words, interval_chart(title, rows, words))


def _meaning(told: list[str], calibration: Calibration) -> Iterator[Block]:
    yield Said(tuple(told))
    cost = calibration.price
    if cost.kind == "zcdp" or cost.epsilon > 30:
        return
    ratio, delta = exp(cost.epsilon), cost.delta
    if delta:
        curves, words = [("at most", above(ratio))], told[0]
        title = "How much likelier anything can become"
    else:
        curves = [("knows all others", above(ratio)), ("any belief", above(ratio**2))]
        title = "How far a belief can move"
        words = (
            f"Odds move by at most {decimal(ratio, 4)} for whoever knows all others, and by at "
            f"most {decimal(ratio**2, 4)} whatever is believed, with your data against without."
        )
    yield Picture(title, words, odds_chart(curves, words, delta=float(delta)))


def _noise(
    data: Mapping[str, Any], answers: list[Answer], calibration: Calibration
) -> Iterator[Block]:
    rows = []
    for answer, noises in zip(answers, calibration.noises, strict=True):
        for measure, noise in zip(answer.resolved.measures, noises, strict=True):
            of = "" if measure.column is None else f" of {measure.column}"
            scale = noise.scale if noise.rate is None else noise.rate
            cells = (show(scale), show(noise.sensitivity), str(exact_text(measure.unit)))
            rows.append((f"{measure.kind}{of}", noise.name, *cells))
    yield Grid(("measure", "noise", "scale", "moved by one unit at most", "unit"), tuple(rows))
    yield Said((calibration.explain().splitlines()[-1],))
    charge = data["charge"]
    yield Facts(
        (
            ("charged", str(charge["cost"])),
            ("dataset", f"{charge['dataset']}, version {answers[0].resolved.dataset.version}"),
            ("ledger", f"entry {charge['entry']}"),
            ("hash of the entry", str(charge["hash"])),
        )
    )


def _checked(checked: Checked, ledger: str | Path | None) -> Iterator[Block]:
    rows = [("holds", said) for said in checked.done]
    if checked.failure is not None:
        rows.append(("WRONG", checked.failure))
    elif ledger is None:
        rows.append(("not looked up", "the charge and the answer in the ledger"))
    if rows:
        yield Facts(tuple(rows))
