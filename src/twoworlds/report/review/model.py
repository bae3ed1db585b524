"""A review as data: what a board needs on two pages, then the sections of the appendix.

What a section says is computed before; the page only sets it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from twoworlds.answer import Answer, Block, Facts, Said
from twoworlds.charts import Chart, Curves, Icons
from twoworlds.definitions.words import icons
from twoworlds.numbers import Number
from twoworlds.show import Result
from twoworlds.theorems import Guarantee
from twoworlds.theorems.implication import Implication
from twoworlds.theorems.promise import Promise

VERIFIED = (
    "It answers that the certificate holds, and exits with 0. The command belongs to the program "
    "that made this page, on whatever machine it is installed."
)

FAILS = "It answers that the certificate does NOT hold, and exits with 1."
ROOM = (
    "protection in every single case: delta leaves room for outputs, however unlikely, that give "
    "somebody away"
)

HALF = Fraction(1, 2)
_GROUPS = re.compile(r"Of [\d,]+ (groups of [\d,]+ people)")
STRENGTHS = {"strong": "strong", "moderate": "moderate", "weak": "weak", "none": "practically no"}

_BELIEVED = "A belief on the horizontal axis can become at most that on the curve."
_LIKELIER = (
    "What has the probability on the horizontal axis in one world has at most that of the curve in "
    "the other."
)

Section = tuple[str, tuple[Block, ...]]  # a title, and what is said
Outcome = Literal["holds", "refuted", "measured", "broken", "planned"]


@dataclass(frozen=True)
class ProofFile:
    """What can be checked again: a text to save in a file, and the command that checks it."""

    about: str  # what it proves, in words
    text: str
    name: str
    check: str
    expected: str  # what the command answers if all is well

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def is_certificate(self) -> bool:
        """Whether `twoworlds verify` checks the file, which a browser can do as well."""
        return self.check.startswith("twoworlds verify ")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "about": self.about,
            "content": json.loads(self.text),
            "sha256": self.digest,
            "file": self.name,
            "check": self.check,
            "expected": self.expected,
        }


def strength_in(said: str) -> str:
    """Return the word for a protection that a sentence gives, or nothing.

    >>> strength_in("... would get all 100 right: practically no protection.")
    'none'
    """
    return next((word for word in STRENGTHS if f"{STRENGTHS[word]} protection" in said), "")


@dataclass(frozen=True)
class Review(Result):
    """A review of a claim, of what was measured without one, or of a certificate.

    Attributes:
        sentences: what supports the headline.
        assumptions: what the outcome rests on, the neighbour relation first.
        sections: the appendix.
        data: what the sections were made of, as JSON has it.
        subject: what is asked about, as named facts.
        guess: the one sentence, and ``chance``, its number; empty where no person is concerned.
        before: what was released before about the same people; empty if unknown.
        total: the one sentence about all of it together; empty if unknown.
        meaning: the same promise in odds and beliefs.
        limits: what is not promised.
        purpose, date, prepared_by, reviewers: what only people know; a line to write on where it is
            left out. Of a release the ledger knows purpose and date, and ``asked_by``.
        decided: how the proposal of the same stands, with the remark; empty if there was none.
        plan: the SHA-256 of the plan, as the ledger names it; empty if nothing is released.
        released: whether it is out already, so that nothing is left to approve.
        read: the last entry of the ledger that it was made from, and its hash.
        command: what was typed to make the page.
    """

    title: str
    question: str
    outcome: Outcome
    headline: str
    sentences: tuple[str, ...]
    assumptions: tuple[str, ...]
    sections: tuple[Section, ...]
    proof: ProofFile
    data: Mapping[str, Any] = field(repr=False)
    subject: tuple[tuple[str, str], ...] = ()
    guess: str = ""
    chance: Number | None = None
    before: tuple[Block, ...] = ()
    total: str = ""
    meaning: tuple[Block, ...] = ()
    limits: tuple[str, ...] = ()
    purpose: str = ""
    date: str = ""
    prepared_by: str = ""
    asked_by: str = ""
    decided: str = ""
    plan: str = ""
    released: bool = False
    read: tuple[int, str] | None = None
    command: str | None = None
    reviewers: tuple[str, ...] = ()
    written: str | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing was refuted."""
        return self.outcome in ("holds", "measured", "planned")

    @property
    def strength(self) -> str:
        """The word for the protection: strong, moderate, weak or none; empty if none fits."""
        return "strong" if self.chance == HALF else strength_in(self.guess)

    def icons(self, chance: Number) -> Icons:
        """Chart the guess: of 100 people, or groups, how many are guessed right."""
        drawn, groups = icons(chance, self.guess), _GROUPS.match(self.guess)
        title = f"Of 100 {groups[1]}, guessed right" if groups else drawn.title
        return replace(drawn, title=title)

    def html(self) -> str:
        """Return the page."""
        from twoworlds.report.review.page import page

        return page(self)

    def answer(self) -> Answer:
        """Say the verdict; the whole page is `html`."""
        name = self.proof.name
        saved = f"the page holds it: follow its link 'Save {name}' first"
        check = Facts(
            [
                ("to check it", self.proof.check),
                *([(name, saved)] if name in self.proof.check else []),
                ("SHA-256", self.proof.digest),
                *([("plan", f"{self.plan} (SHA-256)")] if self.plan else []),
            ]
        )
        judged = "" if self.outcome in ("measured", "planned") else "the claim"
        if self.headline.startswith("The certificate"):
            judged = "the certificate"
        drawn = [block for _, part in self.sections for block in part if isinstance(block, Chart)]
        said = tuple(filter(None, (self.decided, self.guess, self.total, *self.sentences)))
        return Answer(
            self.headline,
            subject=self.title,
            claim=judged,
            holds=self.holds if judged else None,
            blocks=(
                *([Said(said)] if said else []),
                *([] if self.chance is None else [self.icons(self.chance)]),
                check,
                *drawn[:1],
            ),
            more=self.meaning,
            notes=[
                f"wrote {self.written}" if self.written else "to write the page: -o report.html"
            ],
            assumptions=self.assumptions,
        )

    def fields(self) -> dict[str, Any]:
        """Return what is on the page."""
        names = ("purpose", "date", "asked_by", "prepared_by", "decided", "plan")
        form = {name: getattr(self, name) for name in names}
        return {
            "title": self.title,
            **{name: given for name, given in form.items() if given},
            "question": self.question,
            "outcome": self.outcome,
            "headline": self.headline,
            **({"guess": self.guess, "chance": self.chance} if self.guess else {}),
            **({"strength": self.strength} if self.strength else {}),
            **({"total": self.total} if self.total else {}),
            "sentences": self.sentences,
            "assumptions": self.assumptions,
            "not_promised": self.limits,
            **self.data,
            "proof": self.proof,
            "reviewers": self.reviewers,
            **({"report": self.written} if self.written else {}),
        }


def broken(
    title: str,
    question: str,
    failure: str | None,
    sentences: tuple[str, ...],
    proof: ProofFile,
    data: Mapping[str, Any],
    *sections: Section,
) -> Review:
    """Return the review of a certificate that does not hold: nothing that it claims is shown."""
    headline = f"The certificate does NOT hold: {failure}."
    proof = replace(proof, expected=FAILS)
    return Review(title, question, "broken", headline, sentences, (), sections, proof, data)


def belief_charts(told: Promise, delta: Number) -> Iterator[Curves]:
    """Yield the chart of a promise, where it has one, with a caption instead of its sentences."""
    if told.chart is not None:
        yield replace(told.chart, words=_BELIEVED if delta == 0 else _LIKELIER)


# --- by which theorems ----------------------------------------------------------------------------

_CONCLUSIONS = ("semantic", "informed", "ddp", "inference-ddp", "noiseless", "pufferfish")


def chains(given: Guarantee) -> list[Implication]:
    """Ask what follows from a guarantee about each kind."""
    return [given.implies(kind) for kind in _CONCLUSIONS]


def chain_blocks(found: Sequence[Implication]) -> Iterator[Block]:
    """Yield what `implies` answers about each kind."""
    for one in found:
        answer = one.answer()
        yield Said((f"{answer.headline}.",))
        yield from answer.blocks
