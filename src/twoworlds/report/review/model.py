"""A review as data: the question, the outcome in words, what it rests on, and its sections.

What a section says is computed before; the page only sets it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from twoworlds.answer import Answer, Block, Facts, Said
from twoworlds.charts import Chart
from twoworlds.show import Result

VERIFIED = (
    "It answers that the certificate holds, and exits with 0. The command belongs to the program "
    "that made this page, on whatever machine it is installed."
)

Section = tuple[str, tuple[Block, ...]]  # a title, and what is said
Outcome = Literal["holds", "refuted", "measured", "broken"]


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


@dataclass(frozen=True)
class Review(Result):
    """A review of a claim, of what was measured without one, or of a certificate.

    ``assumptions`` is what the outcome rests on, the neighbour relation first; ``data`` what the
    sections were made of, as JSON has it.
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
    meaning: tuple[Block, ...] = ()
    limits: tuple[str, ...] = ()
    command: str | None = None
    reviewers: tuple[str, ...] = ()
    written: str | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing was refuted."""
        return self.outcome in ("holds", "measured")

    def html(self) -> str:
        """Return the page."""
        from twoworlds.report.review.page import page

        return page(self)

    def answer(self) -> Answer:
        """Say the verdict; the whole page is `html`."""
        blocks = [*self.meaning, *(block for _, part in self.sections for block in part)]
        name = self.proof.name
        saved = f"the page holds it: follow its link 'Save {name}' first"
        check = Facts(
            [
                ("to check it", self.proof.check),
                *([(name, saved)] if name in self.proof.check else []),
                ("SHA-256", self.proof.digest),
            ]
        )
        return Answer(
            self.headline,
            subject=self.title,
            claim="" if self.outcome == "measured" else "the claim",
            holds=self.holds if self.outcome != "measured" else None,
            blocks=(
                Said(self.sentences),
                check,
                *[one for one in blocks if isinstance(one, Chart)][:1],
            ),
            notes=[
                f"wrote {self.written}" if self.written else "to write the page: -o report.html"
            ],
            assumptions=self.assumptions,
        )

    def fields(self) -> dict[str, Any]:
        """Return what is on the page."""
        return {
            "title": self.title,
            "question": self.question,
            "outcome": self.outcome,
            "headline": self.headline,
            "sentences": self.sentences,
            "assumptions": self.assumptions,
            "not_promised": self.limits,
            **self.data,
            "proof": self.proof,
            "reviewers": self.reviewers,
            **({"report": self.written} if self.written else {}),
        }
