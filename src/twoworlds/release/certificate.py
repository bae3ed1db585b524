r"""Certificates of releases: what was released, by which noise, with which promise, paid where.

A certificate is plain data. `check_certificate` works out again, from the queries and the part of
the policy in it, the sensitivity of the whole, the noise of every measure, the promise and the
chain of theorems, and compares; it makes the published table again from the noisy whole numbers;
and, given an export of the ledger, it finds the charge. It needs no data.

It cannot show that the data were what they are said to be, that the noise was really drawn, or
that nobody saw the data by another way.

Where certificates and reports may be written: never over something else.

A file that is there already is replaced only if it is empty, or begins as this program begins such
a file. What a release depends on (the policy, the ledger with its mark, the tables) is refused by
its place too, whatever it is called and whether it is there yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal

from twoworlds.answer import Answer, Facts
from twoworlds.errors import InvalidInput
from twoworlds.numbers import exact_text
from twoworlds.release.answers import AnswerContext, QueryAnswer
from twoworlds.release.costs import Cost, parse_cost, zcdp_to_epsilon
from twoworlds.release.forms import Released
from twoworlds.release.ledger import LedgerDamaged
from twoworlds.release.ledger.entries import canonical, digest
from twoworlds.release.ledger.sqlite import FILES
from twoworlds.release.ledger.views import Books, ExportedLedger, ledger_of
from twoworlds.release.policy import Policy
from twoworlds.release.policy.model import Neighbours
from twoworlds.release.sensitivity import Calibration
from twoworlds.release.statement import made_of, statement
from twoworlds.show import Result

if TYPE_CHECKING:
    from twoworlds.theorems import Guarantee

KIND = "release"
_HASH = re.compile("[0-9a-f]{64}")
_DELTA = Fraction(1, 10**6)  # at which a promise in rho is said as epsilon
_FIELDS = ("kind", "statement", "promise", "sensitivity", "answers", "stored", "charge", "digest")


@dataclass(frozen=True)
class Checked(Result):
    """What was checked, in words, and the first thing that was not as it should be."""

    done: tuple[str, ...]
    failure: str | None = None
    with_ledger: bool = False
    plan: str | None = None  # the SHA-256 of the plan, by which the ledger knows it
    stands: str | None = None  # how its proposal stands, as the ledger says

    @property
    def holds(self) -> bool:
        """Whether everything that was checked is as it should be."""
        return self.failure is None

    @property
    def left_out(self) -> str:
        """What no certificate shows, and what this check did not look at."""
        told = "that the data are what they are said to be, and that the noise was drawn"
        if self.with_ledger:
            return told
        return f"the charge and the answer in the ledger (give an export, --ledger), {told}"

    def answer(self) -> Answer:
        """Say whether it holds, what was checked, and what was not."""
        headline = "Everything that was checked is as it should be."
        if self.failure is not None:
            headline = f"Wrong: {self.failure}."
        facts = [*(("checked", said) for said in self.done), ("not checked", self.left_out)]
        facts += [("plan", f"SHA-256 {self.plan}")] if self.plan else []
        facts += [("review", self.stands)] if self.stands else []
        claim = "certificate of a release"
        return Answer(headline, claim=claim, holds=self.holds, blocks=(Facts(facts),))

    def fields(self) -> dict[str, Any]:
        """Return whether it holds, and what was checked."""
        return {
            "kind": KIND,
            "holds": self.holds,
            "checked": [*self.done],
            "failure": self.failure,
            "plan": self.plan,
            "stands": self.stands,
        }


def certify(released: Released) -> dict[str, Any]:
    """Return the certificate of a release."""
    paid = released.charge
    body = {
        "kind": KIND,
        "statement": released.statement,
        "promise": promise(released.calibration),
        "sensitivity": _sensitivity(released.calibration),
        "answers": [_published(answer) for answer in released.answers],
        "stored": released.stored,
        "charge": {
            "entry": paid.entry,
            "hash": paid.hash,
            "dataset": paid.dataset,
            "cost": str(paid.cost),
        },
    }
    return {**body, "digest": digest(canonical(body, "certificate"))}


def promise(calibration: Calibration) -> dict[str, Any]:
    """Return the guarantee in plain data, with the chain of theorems to what it means."""
    return deepcopy(_promise(calibration.price, calibration.neighbours))


@lru_cache(maxsize=256)  # a service promises the same with most answers
def _promise(cost: Cost, neighbours: Neighbours) -> dict[str, Any]:
    from twoworlds.theorems import Guarantee

    epsilon, delta = cost.epsilon, cost.delta
    if cost.kind == "zcdp":
        epsilon, delta = zcdp_to_epsilon(cost.rho, _DELTA), _DELTA
    given = Guarantee.of("dp", epsilon=epsilon, delta=delta, neighbours=neighbours, group=1)
    found = given.implies("semantic")
    return {
        "cost": str(cost),
        "guarantee": str(given),
        "neighbours": neighbours,
        "implies": None if found.best is None else str(found.best),
        "theorems": [] if found.best is None else [*_chain(found.best)],
    }


def check_certificate(data: Any, *, ledger: Books | Path | str | None = None) -> Checked:
    """Check all of a certificate that can be checked without the data.

    ``ledger`` is the ledger, or an export of it, to look the charge up in.
    """
    done: list[str] = []
    books = ExportedLedger(ledger) if isinstance(ledger, (str, Path)) else ledger
    try:
        for said in _checks(data, books):
            done.append(said)
        failure = None
    except (KeyError, TypeError, AttributeError, IndexError):
        failure = "a field is missing or of the wrong type"
    except (InvalidInput, LedgerDamaged) as error:
        failure = str(error)
    if failure is not None:
        return Checked(tuple(done), failure, with_ledger=books is not None)
    plan, stands = digest(canonical(data["statement"])), None
    if books is not None:
        from twoworlds.release.review import reviewed

        stands = reviewed(books, data["charge"]["dataset"], plan)
    return Checked(tuple(done), None, books is not None, plan, stands)


def _checks(data: Any, books: Books | None) -> Iterator[str]:
    """Yield what holds; raise at the first thing that does not."""
    if not isinstance(data, Mapping) or data.keys() != set(_FIELDS):
        raise InvalidInput(f"a certificate of a release has the fields {', '.join(_FIELDS)}")
    body = {name: value for name, value in data.items() if name != "digest"}
    _same(digest(canonical(body, "certificate")), data["digest"], "the digest is of other content")
    yield "the digest fits the content"
    if data["kind"] != KIND or not isinstance(data["statement"]["source"], (str, NoneType)):
        raise InvalidInput("the kind is not release, or the source is no text")
    asked, calibration = made_of(data["statement"])
    said = statement(asked, calibration, data["statement"]["source"])
    _same(said, data["statement"], "the noise is not what queries, bounds and cost give")
    yield "the noise of every measure follows from the queries, the bounds and the cost"
    _same(_sensitivity(calibration), data["sensitivity"], "the sensitivity is another one")
    yield "the sensitivity of the whole is as stated"
    _same(promise(calibration), data["promise"], "the promise does not follow")
    yield "the promise follows, by the chain of theorems"
    _check_answers(data, asked, calibration)
    yield "the published answers follow from the noisy whole numbers"
    _check_charge(data["charge"], said["dataset"]["name"], calibration)
    yield "the charge is what the noise costs"
    if books is not None:
        _find_charge(data, books)
        yield "the charge and the answer are in the ledger, whose chain of hashes is whole"


def _check_answers(data: Mapping[str, Any], asked: Any, calibration: Calibration) -> None:
    stored = data["stored"]["answers"]
    fields = [
        data["stored"].keys() == {"answers"},
        *(o.keys() == {"cells", "values"} for o in stored),
    ]
    if len(stored) != len(asked) or len(data["answers"]) != len(asked) or not all(fields):
        raise InvalidInput("there is not one answer for each query, with cells and values")
    context = AnswerContext(asked[0].dataset, calibration.price, calibration.price)
    for index, one in enumerate(asked):
        answer = QueryAnswer.of(one, calibration, stored[index], context, query=index)
        _same(_published(answer), data["answers"][index], "a published value is another one")


def _check_charge(charge: Mapping[str, Any], dataset: str, calibration: Calibration) -> None:
    entry, found = charge["entry"], charge["hash"]
    paid = {"entry": entry, "hash": found, "dataset": dataset, "cost": str(calibration.price)}
    _same(paid, charge, "the charge is not what the noise costs, or not of this dataset")
    if type(entry) is not int or entry < 1 or not _HASH.fullmatch(found):
        raise InvalidInput("the charge is known by the number of an entry and its SHA-256")


def _published(answer: QueryAnswer) -> list[Any]:
    """Return what is published, in exact numbers only: floats may differ between machines."""
    return [
        {
            "group": [*answer.groups(cell)],
            "values": [
                {
                    "name": column.name,
                    "value": exact_text(estimate.value),
                    "interval": [None if x is None else exact_text(x) for x in estimate[2:]],
                }
                for column, estimate in zip(answer.columns, estimates, strict=True)
            ],
        }
        for cell, estimates in zip(answer.cells, answer.estimates, strict=True)
    ]


def _find_charge(data: Mapping[str, Any], books: Books) -> None:
    """Look the charge and its answer up in a ledger, which verifies what it reads."""
    wanted = data["charge"]
    paid = books.state().charges.get(wanted["entry"])
    said = digest(canonical(data["statement"]))
    found = paid and (paid.hash, paid.query, paid.dataset, paid.cost)
    if found != (wanted["hash"], said, wanted["dataset"], parse_cost(wanted["cost"])):
        raise InvalidInput("the ledger has no such charge for this statement")
    answer = None if paid is None else paid.answer
    if answer is None or canonical(books.entry(answer)["answer"]) != canonical(data["stored"]):
        raise InvalidInput("the ledger holds another answer, or none, for this charge")


def _sensitivity(calibration: Calibration) -> dict[str, str]:
    return {"whole": str(calibration.joint), "sum_of_parts": str(calibration.naive)}


def _chain(guarantee: Guarantee) -> Iterator[str]:
    """Yield the theorems that lead to a guarantee, first to last."""
    source = guarantee.source
    if source is not None:
        yield from _chain(source.given)
        yield f"{source.theorem.name} ({source.theorem.citation})"


def _same(found: object, wanted: object, complaint: str) -> None:
    """Compare as JSON: to Python, 1, 1.0 and True are the same."""
    if canonical(found) != canonical(wanted):
        raise InvalidInput(complaint)


Kind = Literal["certificate", "report"]
_BEGINNINGS = {
    "certificate": re.compile(r'\{\s*"kind": "release",\s*"statement": \{'),
    "report": re.compile(
        r'<!doctype html>\s*<html lang="en"><head>.*?'
        r'(<title>Release from |<meta name="generator" content="twoworlds )',
        re.DOTALL,
    ),
}
_LOOKED_AT = 2000  # bytes of a file


def check_output(path: Path, kind: Kind, policy: Policy) -> None:
    """Refuse to write a certificate or a report over anything but another one.

    The ledger is kept, too, where it has not begun.
    """
    location = ledger_of(policy)
    kept = {location.mark.resolve(): "the mark of the ledger"}
    if location.path is not None:
        real = location.path.resolve()
        kept |= {Path(f"{real}{end}"): "the ledger" for end in FILES}
    if (what := kept.get(path.resolve())) is not None:
        raise InvalidInput(f"{path} is {what}: give the {kind} another name")
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            beginning = file.read(_LOOKED_AT)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}; give another name") from None
    if beginning and not _BEGINNINGS[kind].match(beginning.decode("utf-8", "replace")):
        raise InvalidInput(
            f"{path} is there already, and is no {kind} of a release: give another name, or move "
            "it away"
        )
