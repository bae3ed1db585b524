"""An answer as data: one sentence first, then what supports it, in blocks of a few plain kinds.

A domain room says *what* there is to say; `twoworlds.show` alone knows how it looks: as text, on a
terminal, on a card of a notebook, on the page of a report, in JSON. Numbers are texts here, rounded
by whoever wrote the sentence; the exact ones are fields of the result that gave the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from twoworlds.charts import Chart


@dataclass(frozen=True)
class Said:
    """Paragraphs; ``quiet`` ones stand back, as a remark does."""

    sentences: Sequence[str]
    quiet: bool = False


@dataclass(frozen=True)
class Facts:
    """Names with what there is to say of each; a fact without a name continues the one before."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table:
    """A table of texts, with a sentence above it.

    Attributes:
        heads: the names of the columns.
        rows: the cells.
        lead: the sentence.
        numbers: whether all columns but the first are numbers, and stand on the right.
        prose: the columns whose cells may be folded between words.
        repeated: how many first columns are repeated where the others do not fit beside each other.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    lead: str = ""
    numbers: bool = False
    prose: Sequence[int] = ()
    repeated: int = 1


@dataclass(frozen=True)
class Listing:
    """Lines under a name, such as inequalities; of many the first are shown."""

    name: str
    lines: Sequence[str]


@dataclass(frozen=True)
class Steps:
    """A numbered list: each step in a sentence, with remarks."""

    items: Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class Verbatim:
    """Text that is shown as it is, such as a file: no line of it is folded."""

    text: str


Block = Said | Facts | Table | Listing | Steps | Verbatim | Chart


@dataclass(frozen=True)
class Answer:
    """What a question is answered with.

    Attributes:
        headline: the answer in one sentence, true on its own.
        subject: what was asked about, as one would type it; it stands above the headline.
        claim: what was claimed of the subject, or the definition in which it was measured.
        holds: whether the claim holds; None when nothing was claimed, or it is undecided.
        undecided: whether something was claimed that is neither proved nor refuted.
        blocks: what supports the headline: further sentences, numbers, tables, charts.
        notes: further facts, such as the nearest claim that does hold.
        assumptions: what the answer rests on, the neighbour relation first.
        method: why nothing worse was missed.
        more: what stands behind the headline, for those who ask: folded, or left out.

    >>> Answer("Odds move by at most 3.", claim="dp(ratio=3)", holds=True).verdict
    'dp(ratio=3) holds'
    """

    headline: str
    subject: str = ""
    claim: str = ""
    holds: bool | None = None
    undecided: bool = False
    blocks: Sequence[Block] = ()
    notes: Sequence[str] = ()
    assumptions: Sequence[str] = ()
    method: str = ""
    more: Sequence[Block] = ()

    @staticmethod
    def of(paragraph: str, *blocks: Block, notes: Iterable[str] = ()) -> Answer:
        """Make an answer of a paragraph: its first sentence is the headline.

        >>> Answer.of("The table is whole. So it is.").headline
        'The table is whole.'
        """
        first, stop, rest = paragraph.partition(". ")
        said = (Said([rest]),) if rest else ()
        return Answer(f"{first}{stop}".rstrip(), blocks=(*said, *blocks), notes=tuple(notes))

    @property
    def verdict(self) -> str:
        """The claim, and whether it holds, in words."""
        word = {None: "", True: " holds", False: " does NOT hold"}[self.holds]
        return self.claim and self.claim + word

    @property
    def foot(self) -> list[tuple[str, str]]:
        """The facts that stand last: notes, assumptions, and why nothing worse was missed."""
        return [
            *(("note", note) for note in self.notes),
            *(("assumes", assumption) for assumption in self.assumptions),
            *([("because", self.method)] if self.method else []),
        ]
