"""``twoworlds audit``: somebody else's mechanism as a black box."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.render import console, print_facts, print_json, progress

if TYPE_CHECKING:
    from twoworlds.attacks.audit import Audit

__all__ = ["audit"]


@app.command()
def audit(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="SUBJECT",
            help="python:module:name, command:./program, or a mechanism such as geometric(ratio=2)",
        ),
    ],
    epsilon: Annotated[
        str | None, typer.Option(help="the claim to be refuted; else the subject's own, or none")
    ] = None,
    delta: Annotated[str | None, typer.Option(help="the delta that is granted; 0 if not")] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A~B", help="two neighbouring databases: '[0, 0] ~ [1, 0]'; repeat it"
        ),
    ] = None,
    neighbours: Annotated[
        str | None,
        typer.Option(help="how pairs are proposed: one (entry differs), all, or add-remove"),
    ] = None,
    confidence: Annotated[str, typer.Option(help="how sure the finding must be")] = "95%",
    samples: Annotated[int, typer.Option(help="how many outputs are drawn at most")] = 10_000_000,
    time_limit: Annotated[float, typer.Option(help="stop after so many seconds")] = 60.0,
    patience: Annotated[float, typer.Option(help="seconds to wait for one output")] = 10.0,
    seed: Annotated[int, typer.Option(help="what the generators are made from")] = 0,
    ignore_low_bits: Annotated[
        bool, typer.Option("--ignore-low-bits", help="do not look for floating-point leaks")
    ] = False,
    repeat: Annotated[
        bool, typer.Option("--repeat", help="the command answers each line of its input")
    ] = False,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="go on from this file, and keep it up to date"),
    ] = None,
    json_: Json = False,
) -> None:
    """Look for an event that shows a mechanism to be less private than it claims.

    The subject is run as code of yours, with your rights: audit only what you would run yourself.

    Exit 1 when the claim is refuted. It never says that a mechanism is private.
    """
    from twoworlds.attacks.audit import audit as run

    try:
        with progress():
            found = run(
                subject,
                epsilon=epsilon,
                delta=delta,
                pairs=pair or None,
                neighbours=neighbours,
                confidence=confidence,
                seed=seed,
                samples=samples,
                time_limit=time_limit,
                patience=patience,
                low_bits=not ignore_low_bits,
                repeat=repeat,
                state=state,
            )
    except KeyboardInterrupt:
        if state is None:
            raise
        said = f"how far the audit is was written to {state}: the same command goes on from it"
        print(f"twoworlds: {said}", file=sys.stderr)
        raise typer.Abort from None
    if json_:
        print_json(found.to_dict())
    else:
        _print(found)
    if found.refuted:
        raise typer.Exit(1)


def _print(found: Audit) -> None:
    out = console()
    style = "bold red" if found.refuted else "bold"
    out.print(Text(found.sentence, style=style))
    out.print()
    if found.finding is not None:
        out.print(Text(found.finding.explain()))
        out.print()
    print_facts(_facts(found))


def _facts(found: Audit) -> Iterator[tuple[str, str]]:
    from twoworlds.attacks.audit.finding import brief

    yield "subject", found.subject
    finding = found.finding
    if finding is not None:
        shown = {
            "likelier on": repr(finding.likelier),
            "than on": repr(finding.other),
            "event": finding.code,
        }
        yield from ((label, brief(text)) for label, text in shown.items())
        if any(brief(text) != text for text in shown.values()):
            yield "note", "--json has in full what is left out here"
    yield "neighbours", found.neighbours
    plural = "s" if found.pairs != 1 else ""
    yield "searched", f"{found.pairs} pair{plural} of databases, {found.tried:,} events"
    events = "1 event" if found.rounds == 1 else f"{found.rounds} events"
    yield "tested", f"{events} on fresh outputs, one in each round"
    yield "drawn", f"{found.samples:,} outputs, seed {found.seed}; {found.stopped}"
    yield from (("note", note) for note in found.notes)
