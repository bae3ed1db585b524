"""A review as data: the question, the outcome in words, what it rests on, and its sections.

A section is a title and blocks, and a block is one of a few plain things: sentences, facts, a
table, a picture with its words. What a section says is computed before; the page only sets it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "SMALL",
    "VERIFIED",
    "Block",
    "Facts",
    "Grid",
    "Outcome",
    "Picture",
    "Proof",
    "Review",
    "Said",
    "Section",
    "Steps",
]

SMALL: dict[str, int] = {"width": 380, "height": 246}  # of a chart that may stand beside another
VERIFIED = (
    "It answers that the certificate holds, and exits with 0. The command belongs to the program "
    "that made this page, on whatever machine it is installed."
)

Outcome = Literal["holds", "refuted", "measured", "broken"]


@dataclass(frozen=True)
class Said:
    """Paragraphs; ``quiet`` ones stand back, as a remark does."""

    sentences: tuple[str, ...]
    quiet: bool = False


@dataclass(frozen=True)
class Facts:
    """Names with what there is to say of each."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Grid:
    """A table of texts, with a sentence above it.

    ``numbers`` says that the columns after the first are numbers; what follows a line break in a
    cell is a remark.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: bool = False
    lead: str = ""


@dataclass(frozen=True)
class Steps:
    """A numbered list: each step in a sentence, with remarks."""

    items: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Picture:
    """A chart, and the same in words; a ``small`` one may stand beside another."""

    title: str
    words: str
    svg: str
    small: bool = False


Block = Said | Facts | Grid | Steps | Picture


@dataclass(frozen=True)
class Section:
    """One part of the page."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Proof:
    """What can be checked again: a text to save in a file, and the command that checks it.

    Attributes:
        about: what it proves, in words.
        text: the content of the file.
        name: of the file.
        check: the command.
        expected: what it answers if all is well.
    """

    about: str
    text: str
    name: str
    check: str
    expected: str

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
class Review:
    """A review.

    Attributes:
        title: of the page.
        question: what was asked.
        outcome: whether a claim holds or is refuted, something was measured without a claim, or a
            certificate is broken.
        headline: the answer in one sentence.
        sentences: what that means, in words.
        assumptions: what it rests on, the neighbour relation first.
        sections: the details.
        proof: what can be checked again.
        data: what the sections were made of, as JSON has it.
        subject: what was reviewed, named and in words.
        meaning: what it means to a person.
        limits: what is not promised.
        command: what was typed to make it, if anything was.
        reviewers: who will sign.
    """

    title: str
    question: str
    outcome: Outcome
    headline: str
    sentences: tuple[str, ...]
    assumptions: tuple[str, ...]
    sections: tuple[Section, ...]
    proof: Proof
    data: Mapping[str, Any] = field(repr=False)
    subject: tuple[tuple[str, str], ...] = ()
    meaning: tuple[Block, ...] = ()
    limits: tuple[str, ...] = ()
    command: str | None = None
    reviewers: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing was refuted."""
        return self.outcome in ("holds", "measured")

    def html(self) -> str:
        """Return the page."""
        from twoworlds.report.review.page import page

        return page(self)

    def _repr_html_(self) -> str:
        """Show the verdict on a card in a notebook; the whole page is `html`."""
        from twoworlds.cards import card

        blocks = [*self.meaning, *(block for part in self.sections for block in part.blocks)]
        return card(
            self.title,
            badge={"holds": "holds", "refuted": "does not hold", "broken": "broken"}.get(
                self.outcome, ""
            ),
            tone="good" if self.holds else "bad",
            sentences=[self.headline, *self.sentences],
            facts=[("to check it", self.proof.check), ("SHA-256", self.proof.digest)],
            inside=[next((one.svg for one in blocks if isinstance(one, Picture)), "")],
            notes=self.assumptions,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what is on the page as plain data."""
        return {
            "title": self.title,
            "question": self.question,
            "outcome": self.outcome,
            "headline": self.headline,
            "sentences": list(self.sentences),
            "assumptions": list(self.assumptions),
            "not_promised": list(self.limits),
            **self.data,
            "proof": self.proof.to_dict(),
            "reviewers": list(self.reviewers),
        }
