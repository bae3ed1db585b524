"""What follows from a guarantee, the theorems that say so, and what it means in words."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from twoworlds import measure, mechanism
from twoworlds.calls import parse
from twoworlds.cli.render import console, print_json, print_saved, save_picture
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import to_json
from twoworlds.report import draw_odds
from twoworlds.theorems import KINDS, THEOREMS, Guarantee, Theorem
from twoworlds.theorems.words import sentences, table

__all__ = ["explain", "list_theorems", "show_implication"]


def show_implication(text: str, *, to: str, records: str | None, as_json: bool) -> int:
    """Print the strongest chain of theorems; return 1 when the claim asked for is refuted."""
    found = Guarantee.parse(text).implies(to, records=records)
    if as_json:
        data = found.to_dict()
        if found.best is not None:  # the answer itself, at the top
            data = {**{k: to_json(v) for k, v in found.best.numbers.items()}, **data}
        print_json(data)
    else:
        console().print(Text(found.explain()))
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
    listed = Table(box=box.SIMPLE_HEAD)
    for heading in ("name", "statement", "where"):
        listed.add_column(heading, overflow="fold")
    for theorem in THEOREMS.values():
        listed.add_row(theorem.name, theorem.statement, _where(theorem))
    console().print(listed)


def _where(theorem: Theorem) -> str:
    printed = " (false as printed)" if theorem.printed_false else ""
    return f"{theorem.citation}{printed}"


def explain(text: str, *, picture: Path | None, as_json: bool) -> None:
    """Print what a guarantee, or the guarantee of a mechanism, promises a person."""
    guarantee = _guarantee(text)
    said = list(sentences(guarantee))
    rows = table(guarantee)
    saved = save_picture(picture, lambda: draw_odds(guarantee))
    if as_json:
        columns = ("belief", "knows_all_others", "any_belief")
        beliefs = [
            {name: to_json(value) for name, value in zip(columns, row, strict=True)} for row in rows
        ]
        found = {"guarantee": str(guarantee), "sentences": said, "beliefs": beliefs}
        print_json({**found, **saved})
        return
    out = console()
    out.print(f"{guarantee}")
    for sentence in said:
        out.print()
        out.print(sentence)
    if rows:
        shown = Table(box=box.SIMPLE_HEAD)
        for heading in ("a belief of", "knows all others: at most", "any belief: at most"):
            shown.add_column(heading)
        for row in rows:
            shown.add_row(*(percent(value) for value in row))
        out.print(shown)
    out.print(f"assumes: neighbours by {guarantee.neighbours}")
    print_saved(saved)


def _guarantee(text: str) -> Guarantee:
    """Read a guarantee, or measure a mechanism and take its price."""
    try:
        name = parse(text).name
    except InvalidInput:
        name = ""
    if name in KINDS:
        return Guarantee.parse(text)
    verdict = measure(mechanism(text))
    return Guarantee.of("dp", ratio=verdict.ratio, delta=verdict.delta)
