"""Printing relaxations, comparisons, designed mechanisms, and the check of a saved proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.padding import Padding
from rich.text import Text

from twoworlds.cli.cones import listed_cone, write_proof
from twoworlds.cli.render import (
    console,
    print_answer,
    print_json,
    print_saved,
    print_table,
    progress,
)
from twoworlds.cones import compare, relax, saving
from twoworlds.cones import design as best
from twoworlds.cones import eliminate as eliminated
from twoworlds.cones.certificates import MEANINGS
from twoworlds.cones.row_cone import RowCone
from twoworlds.definitions.coupled.optimal import UNCHECKED
from twoworlds.errors import InvalidInput
from twoworlds.files import check_place
from twoworlds.mechanisms.files import write_table
from twoworlds.numbers import rational

__all__ = ["show_comparison", "show_design", "show_relaxation", "show_verification"]

_LONGEST = 40


def show_relaxation(
    source: str,
    *,
    eliminate: str | None,
    any_of: str | None,
    universe: str | None,
    save: Path | None,
    proof: Path | None,
    as_json: bool,
) -> None:
    """Print what remains, each with the sum that gives it."""
    if (eliminate is None) == (any_of is None):
        raise InvalidInput("name databases with --eliminate '01', or a number with --any 1")
    cone = listed_cone(source, universe)
    with progress():
        found = (
            relax(cone, any_of)
            if eliminate is None
            else eliminated(cone, _labels(eliminate, cone.columns))
        )
    _apart(save, proof)
    saved = {} if save is None else write_proof(save, found.row_cone.to_dict())
    if proof is not None:
        saved["proof"] = write_proof(proof, found.certificate.to_dict())["saved"]
    if as_json:
        print_json({**found.to_dict(), **saved})
        return
    out = console()
    out.print(Text(found.name, style="bold"))
    out.print()
    if not found.derived:
        out.print(Padding(Text("Nothing remains: no guarantee is left."), (0, 0, 0, 2)))
    for derived in found.derived[:_LONGEST]:
        out.print(Padding(Text(derived.inequality.text(), style="bold"), (0, 0, 0, 2)))
        for premise, multiplier in derived.premises:
            out.print(Padding(Text(f"{multiplier} times  {premise.text()}"), (0, 0, 0, 6)))
    if len(found.derived) > _LONGEST:
        out.print(f"  ... and {len(found.derived) - _LONGEST} more: use --json")
    out.print()
    print_saved(saved)
    if save is not None:
        out.print(Text(f"use it as a definition: linear({save})"), soft_wrap=True)


def _apart(save: Path | None, proof: Path | None) -> None:
    """Refuse to write two things into one file."""
    if save is not None and save == proof:
        raise InvalidInput(f"{save} cannot hold both: name different files for --save and --proof")


def _labels(text: str, columns: Sequence[str]) -> list[str]:
    """Split at commas, or at semicolons where labels hold commas themselves."""
    if text.strip() in columns:
        return [text.strip()]
    mark = ";" if ";" in text or any("," in label for label in columns) else ","
    return [part.strip() for part in text.split(mark)]


def show_comparison(
    first: str, second: str, *, universe: str | None, save: Path | None, as_json: bool
) -> None:
    """Print how the guarantees of two definitions relate."""
    with progress():
        found = compare(first, second, universe)
    parts = [found.forward.certificate.to_dict(), found.backward.certificate.to_dict()]
    saved = write_proof(save, {"kind": "all", "claim": found.sentence, "parts": parts})
    if as_json:
        print_json({**found.to_dict(), **saved})
        return
    out = console()
    out.print(Text(found.sentence, style="bold"))
    out.print()
    for separation in found.separations:
        out.print(Padding(Text(separation.explain()), (0, 0, 1, 2)))
    for note in found.notes:
        out.print(Padding(Text(f"note: {note}"), (0, 0, 0, 2)))
    print_saved(saved)


def show_design(
    source: str,
    *,
    loss: str | None,
    statistic: str | None,
    belief: str | None,
    outputs: str | None,
    relaxed: str | None,
    universe: str | None,
    save: Path | None,
    proof: Path | None,
    as_json: bool,
) -> None:
    """Print the mechanism of least loss, or the loss that a weaker definition saves."""
    _apart(save, proof)
    if save is not None:
        check_place(save)
    cone = listed_cone(source, universe)
    answers = None if outputs is None else _outputs(outputs, cone, statistic)
    options: dict[str, Any] = {"statistic": statistic, "belief": belief, "outputs": answers}
    if loss is None:
        counted = statistic is not None or isinstance(next(iter(cone.universe)), int)
        loss = "absolute" if counted else "zero-one"
    if relaxed is not None:
        weaker = listed_cone(relaxed, universe or cone.universe.expression)
        with progress():
            saved_loss = saving(cone, weaker, loss, **options)
        if as_json:
            print_json(saved_loss.to_dict())
        else:
            console().print(Text(saved_loss.explain()))
        return
    with progress():
        found = best(cone, loss, **options)
    saved = {}
    if save is not None:
        write_table(found.mechanism, save)
        saved = {"saved": str(save)}
    if proof is not None:
        saved["proof"] = write_proof(proof, found.certificate.to_dict())["saved"]
    if as_json:
        print_json({**found.to_dict(), **saved})
        return
    out = console()
    out.print(Text(found.explain()))
    out.print()
    label = found.mechanism.outputs.label
    pairs = zip(found.mechanism.outputs, found.mechanism.rows, strict=True)
    print_table(["output", *cone.columns], [[label(o), *map(str, row)] for o, row in pairs])
    print_saved(saved)


def _outputs(text: str, cone: RowCone, statistic: str | None) -> list[Any]:
    """Read answers: numbers where a statistic or a number is asked for, databases otherwise."""
    numbers = statistic is not None or isinstance(next(iter(cone.universe)), int)
    parts = _labels(text, () if numbers else cone.columns)
    return [rational(part, "output") if numbers else cone.universe.find(part) for part in parts]


def show_verification(file: Path, *, ledger: Path | None = None, as_json: bool) -> int:
    """Check a certificate from a file; print and return whether it proves its claim."""
    from twoworlds.report.reading import holds, proved_numbers, read_certificate

    saved = read_certificate(file)
    data = saved.data
    if saved.of_release:
        from twoworlds.release.certificate import check_certificate

        checked = check_certificate(data, ledger=ledger)
        if as_json:
            print_json({"file": str(file), **checked.to_dict()})
        else:
            print_answer(replace(checked.answer(), subject=str(file)))
        return 0 if checked.holds else 1
    if ledger is not None:
        raise InvalidInput("--ledger is for certificates of releases: leave it out")
    proved = holds(saved)
    claim = str(data.get("claim", "")) if isinstance(data, dict) else ""
    numbers = proved_numbers(data) if proved else []
    if as_json:
        found = {"file": str(file), "kind": data["kind"], "claim": claim, "holds": proved}
        shown = {"proved": [one.to_dict() for one in numbers], "not_checked": UNCHECKED}
        print_json({**found, **(shown if numbers else {})})
    else:
        word = "holds" if proved else "does NOT hold"
        console().print(Text(f"{file}: this certificate of kind {data['kind']} {word}"))
        kinds = ", ".join(sorted({str(part["kind"]) for part in data.get("parts", ())}))
        parts = f" ({len(data['parts'])}, of kind {kinds})" if kinds else ""
        told = MEANINGS[data["kind"]] if proved else f"it is not so that {MEANINGS[data['kind']]}"
        console().print(Padding(Text(told + parts), (0, 0, 0, 2)))
        for one in numbers:
            console().print(Padding(Text(one.explain()), (0, 0, 0, 2)))
        if numbers:
            console().print(Padding(Text(UNCHECKED), (0, 0, 0, 2)))
        if claim:
            told = f"it is described as (which is not checked): {claim}"
            console().print(Padding(Text(told), (0, 0, 0, 2)))
    return 0 if proved else 1
