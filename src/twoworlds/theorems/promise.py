"""Promises: what a guarantee means to a person, with its table of beliefs and its chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twoworlds.answer import Answer, Said, Table
from twoworlds.charts import Curves, odds
from twoworlds.definitions.words import percent, percent_above
from twoworlds.numbers import Number, above
from twoworlds.show import Result
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.kinds import KINDS
from twoworlds.theorems.words import Row, sentences, table

__all__ = ["Promise", "promise"]

_HEADS = (
    "belief without your data",
    "with it, if they know all others: at most",
    "with it, whatever they believe: at most",
)
_LARGEST_DRAWN = 1e15


@dataclass(frozen=True)
class Promise(Result):
    """What is promised to a person.

    Attributes:
        claim: the guarantee or definition, as one types it.
        sentences: the promise, in plain words.
        assumptions: what it is about.
        beliefs: a table of beliefs, where pure differential privacy gives one.
        mechanism: what was measured; empty for what was typed.
        swing: how far the answer of a mechanism moves odds, with your data against without.
        note: what was left out.
        chart: how far beliefs can move, where that is bounded.
    """

    claim: str
    sentences: tuple[str, ...]
    assumptions: tuple[str, ...]
    beliefs: tuple[Row, ...] = ()
    mechanism: str = ""
    swing: Number | None = None
    note: str = ""
    chart: Curves | None = None

    def answer(self) -> Answer:
        """Say the promise, and what beliefs of 1, 10 and 50 % can become."""
        cells = [
            (percent(prior), *(percent_above(prior, value) for value in most))
            for prior, *most in self.beliefs
        ]
        return Answer(
            self.sentences[0],
            subject=self.mechanism or self.claim,
            claim=self.claim if self.mechanism else "",
            blocks=(
                *([Said(self.sentences[1:])] if self.sentences[1:] else []),
                *([Table(_HEADS, cells)] if cells else []),
                *([] if self.chart is None else [self.chart]),
            ),
            notes=[self.note] if self.note else [],
            assumptions=self.assumptions,
        )

    def fields(self) -> dict[str, Any]:
        """Return the guarantee, its sentences, and its table of beliefs."""
        names = ("belief", "knows_all_others", "any_belief")
        beside = {"mechanism": self.mechanism, "swing": self.swing, "note": self.note}
        return {
            "guarantee": self.claim,
            "sentences": self.sentences,
            "beliefs": [dict(zip(names, row, strict=True)) for row in self.beliefs],
            "assumptions": self.assumptions,
            **{name: value for name, value in beside.items() if value not in (None, "")},
        }


def promise(given: Guarantee, *, swing: Number | None = None) -> Promise:
    """Put a guarantee in words.

    Args:
        given: the guarantee.
        swing: the factor between odds with and without you, if one smaller than r^2 is known.
    """
    said = tuple(sentences(given, swing=swing))
    assumed = (
        f"neighbours by {given.neighbours}"
        if KINDS[given.kind].groups
        else "the beliefs and the side information that it was stated for"
    )
    rows = tuple(table(given, swing=swing))
    chart = _chart(given, swing, " ".join(said))
    return Promise(str(given), said, (assumed,), rows, swing=swing, chart=chart)


def _chart(given: Guarantee, swing: Number | None, words: str) -> Curves | None:
    """Chart how far beliefs, or with a delta probabilities, can move."""
    if given.kind == "semantic":
        return odds([("any belief", 1.0)], words, delta=above(given.epsilon))
    if given.kind != "dp" or above(given.ratio) >= _LARGEST_DRAWN:
        return None
    if given.delta != 0 or given.group != 1:
        return odds([("at most", above(given.ratio))], words, delta=above(given.delta))
    factor = given.ratio**2 if swing is None else swing
    curves = [("knows all others", above(given.ratio)), ("any belief", above(factor))]
    return odds(curves, words)
