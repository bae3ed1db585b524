"""What follows from a guarantee, the theorems that say so, and what it means in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from twoworlds import definition, measure, mechanism
from twoworlds.calls import parse
from twoworlds.cli.render import console, print_json, print_saved, print_table, save_picture
from twoworlds.definitions.catalogue import DEFINITIONS
from twoworlds.definitions.words import percent, percent_above
from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName, Unsupported
from twoworlds.numbers import INFINITY, Number, to_json
from twoworlds.report import draw_odds
from twoworlds.report.promises import Promise, promise
from twoworlds.theorems import KINDS, THEOREMS, Guarantee, Theorem
from twoworlds.theorems.words import Row, sentences, table

__all__ = ["explain", "list_theorems", "show_implication"]

_UNDECIDED = 2
_BESIDE = ("belief", "default", "truth")
_HEADINGS = (
    "belief without your data",
    "with it, if they know all others: at most",
    "with it, whatever they believe: at most",
)


def show_implication(
    text: str,
    *,
    to: str,
    records: str | None,
    pairs: str | None,
    values: str | None,
    facts: Sequence[str],
    as_json: bool,
) -> int:
    """Print the strongest chain of theorems; return 1 when the claim is refuted, 2 when open.

    Args:
        text: the guarantee.
        to: a kind, or a whole claim.
        records: the number of records.
        pairs: the number of pairs, for coupled worlds.
        values: the number of values of a record.
        facts: what is so: symmetric, tagged, decided.
        as_json: print plain data.
    """
    told = dict.fromkeys(facts, "yes")
    found = Guarantee.parse(text).implies(to, records=records, pairs=pairs, values=values, **told)
    if as_json:
        data = found.to_dict()
        if found.best is not None:  # the answer itself, at the top
            data = {**{k: to_json(v) for k, v in found.best.numbers.items()}, **data}
        print_json(data)
    else:
        console().print(Text(found.explain()))
    if found.holds is None and found.context.goal:
        return _UNDECIDED
    return 1 if found.holds is False else 0


def list_theorems(name: str | None, *, as_json: bool) -> None:
    """Print all theorems in a line each, or one of them in full."""
    if name is not None:
        if name not in THEOREMS:
            raise UnknownName("theorem", name, THEOREMS)
        print_json(THEOREMS[name].to_dict()) if as_json else console().print(
            Text(THEOREMS[name].explain())
        )
        return
    if as_json:
        print_json([theorem.to_dict() for theorem in THEOREMS.values()])
        return
    print_table(
        ("name", "statement", "where"),
        [(theorem.name, theorem.statement, _where(theorem)) for theorem in THEOREMS.values()],
        prose=(1, 2),
    )


def _where(theorem: Theorem) -> str:
    printed = " (false as printed)" if theorem.printed_false else ""
    return f"{theorem.citation}{printed}"


@dataclass(frozen=True)
class _Explained:
    """A guarantee to put in words, and what is known beside it.

    Attributes:
        mechanism: what was measured, None for a guarantee that was typed.
        swing: how far the answer of a mechanism moves odds, with your data against without.
        assumed: arguments of the definition that are part of the question: belief, default.
        note: what was left out.
    """

    guarantee: Guarantee
    mechanism: str | None = None
    swing: Number | None = None
    assumed: tuple[str, ...] = ()
    note: str | None = None

    @property
    def assumptions(self) -> tuple[str, ...]:
        if not KINDS[self.guarantee.kind].groups:  # with and without a person, under beliefs
            return ("the beliefs and the side information that it was stated for", *self.assumed)
        return (f"neighbours by {self.guarantee.neighbours}", *self.assumed)

    def beside(self) -> dict[str, object]:
        """Return what JSON says beside guarantee and sentences."""
        found: dict[str, object] = {"assumptions": list(self.assumptions)}
        if self.mechanism is not None:
            found["mechanism"] = self.mechanism
        if self.swing is not None:
            found["swing"] = to_json(self.swing)
        return found if self.note is None else {**found, "note": self.note}


def explain(text: str, *, picture: Path | None, as_json: bool) -> None:
    """Print what a definition, or the guarantee of a mechanism, promises a person."""
    told = _promised(text)
    if told is not None:
        if picture is not None:
            raise Unsupported(f"{told.claim} has words and no picture: leave out --picture")
        _show_promise(told, as_json=as_json)
        return
    read = _read(text)
    guarantee = read.guarantee
    said = list(sentences(guarantee, swing=read.swing))
    rows = table(guarantee, swing=read.swing)
    saved = save_picture(picture, lambda: draw_odds(guarantee, swing=read.swing))
    if as_json:
        found = {"guarantee": str(guarantee), "sentences": said, "beliefs": _beliefs(rows)}
        print_json({**found, **read.beside(), **saved})
        return
    out = console()
    out.print(f"{guarantee}" if read.mechanism is None else f"{read.mechanism}: {guarantee}")
    for sentence in said:
        out.print()
        out.print(sentence)
    _print_beliefs(rows)
    if read.note is not None:
        out.print(f"note: {read.note}")
    out.print(f"assumes: {'; '.join(read.assumptions)}")
    print_saved(saved)


def _promised(text: str) -> Promise | None:
    """Return the words of a definition that the theorems do not know; None for anything else."""
    try:
        call = parse(text)
    except InvalidInput:
        return None
    if call.name in KINDS or call.name not in DEFINITIONS:
        return None
    return promise(definition(text))


def _show_promise(told: Promise, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "guarantee": told.claim,
                "sentences": list(told.sentences),
                "beliefs": _beliefs(told.beliefs),
                "assumptions": list(told.assumptions),
            }
        )
        return
    out = console()
    out.print(Text(told.claim))
    for sentence in told.sentences:
        out.print()
        out.print(Text(sentence))
    _print_beliefs(told.beliefs)
    out.print()
    out.print(f"assumes: {'; '.join(told.assumptions)}")


def _beliefs(rows: Sequence[Row]) -> list[dict[str, object]]:
    columns = ("belief", "knows_all_others", "any_belief")
    return [
        {name: to_json(value) for name, value in zip(columns, row, strict=True)} for row in rows
    ]


def _print_beliefs(rows: Sequence[Row]) -> None:
    if rows:
        cells = [
            (percent(prior), *(percent_above(prior, value) for value in most))
            for prior, *most in rows
        ]
        print_table(_HEADINGS, cells)


def _read(text: str) -> _Explained:
    """Read a guarantee, or measure a mechanism and take its price."""
    try:
        call = parse(text)
    except InvalidInput:
        return _measured(text)
    if call.name in KINDS:
        beside = {name: x for name, x in call.named.items() if name in _BESIDE}
        if not beside:
            return _Explained(Guarantee.parse(text))
        definition(text)  # refuses what this definition does not take
        numbers = {name: x for name, x in call.named.items() if name not in beside}
        assumed = tuple(f"{name}={x}" for name, x in beside.items())
        return _Explained(Guarantee.of(call.name, **numbers), assumed=assumed)
    if call.name in DEFINITIONS:
        raise Unsupported(
            f"explain has no words for {call.name}; it has for {', '.join(KINDS)}. What "
            f"{call.name} means for a mechanism says: twoworlds check MECHANISM {text!r}"
        )
    return _measured(text)


def _measured(text: str) -> _Explained:
    """Measure a mechanism, and how far its own answers move odds, where that is known."""
    built = mechanism(text)
    verdict = measure(built)
    guarantee = Guarantee.of("dp", ratio=verdict.ratio, delta=verdict.delta)
    if not table(guarantee) or verdict.ratio == INFINITY:
        return _Explained(guarantee, built.expression)
    try:
        swing = measure(built, definition="semantic").values["swing"]
    except TwoWorldsError:
        note = f"these are the words for every mechanism with {guarantee}; this one may move less"
        return _Explained(guarantee, built.expression, note=note)
    return _Explained(guarantee, built.expression, swing)
