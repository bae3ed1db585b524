"""``twoworlds randomize`` and ``twoworlds estimate``: the local model, for files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.render import console, print_json, print_table, progress
from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    from twoworlds.release.local import Estimates

__all__ = ["estimate", "randomize"]

With = "a channel: 'randomized-response(keep=3/4)', 'frapp(gamma=3)', 'pram([[3/5, 1/5], ...])'"
Values = Annotated[
    str | None,
    typer.Option(help="what a record may hold, declared beforehand: 'yes, no'"),
]
Outputs = Annotated[
    str | None,
    typer.Option(help="the reports of a pram that has not as many as values: 'a, b, c'"),
]


@app.command()
def randomize(
    source: Annotated[Path, typer.Argument(metavar="IN", help="a CSV, TSV or Parquet file")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="the new file, of the same kind")],
    column: Annotated[str, typer.Option(help="the column to be randomized")],
    channel: Annotated[str, typer.Option("--with", metavar="CHANNEL", help=With)],
    values: Values = None,
    outputs: Outputs = None,
    missing: Annotated[
        str | None,
        typer.Option(help="the declared value that empty, NULL and undeclared cells count as"),
    ] = None,
    public: Annotated[
        list[str] | None,
        typer.Option(help="a column to be copied as it is; repeat it; others are left out"),
    ] = None,
    shuffle: Annotated[
        bool, typer.Option("--shuffle", help="put the reports in random order")
    ] = False,
    json_: Json = False,
) -> None:
    """Randomize a column record by record, so that nobody needs to be trusted with it."""
    from twoworlds.release.local import Randomizer, randomize_file
    from twoworlds.release.local.release import certificate_path

    randomizer = Randomizer.of(channel, values=values, outputs=outputs, missing=missing)
    with progress():
        made = randomize_file(
            source, target, column, randomizer, public=public or (), shuffle=shuffle
        )
    beside = certificate_path(target)
    if json_:
        print_json({"output": str(target), "certificate": str(beside), **made.to_dict()})
        return
    out = console()
    out.print(Text(made.explain()))
    out.print()
    out.print(f"wrote {target}", soft_wrap=True)
    out.print(f"wrote {beside}", soft_wrap=True)


@app.command()
def estimate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a file of reports")],
    column: Annotated[
        str | None, typer.Option(help="the randomized column; its certificate may say it")
    ] = None,
    channel: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="CHANNEL",
            help="what the records went through; the certificate may say it",
        ),
    ] = None,
    values: Values = None,
    outputs: Outputs = None,
    confidence: Annotated[str, typer.Option(help="how sure the intervals are to hold")] = "95%",
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="let all guaranteed intervals hold at once")
    ] = False,
    feasible: Annotated[
        bool,
        typer.Option("--feasible", help="also give the nearest counts that could be true (biased)"),
    ] = False,
    json_: Json = False,
) -> None:
    """Estimate true counts from a randomized column, without bias."""
    from twoworlds.release.local import Randomizer, estimate_file

    randomizer = None
    if channel is not None:
        randomizer = Randomizer.of(channel, values=values, outputs=outputs)
    elif values is not None or outputs is not None:
        raise InvalidInput("--values and --outputs are those of a channel: give --with as well")
    with progress():
        found = estimate_file(
            file, column, randomizer, confidence=confidence, simultaneous=simultaneous
        )
    if json_:
        nearest = {"feasible": _plain(found)} if feasible else {}
        print_json({**found.to_dict(), **nearest})
        return
    out = console()
    out.print(Text(found.sentence))
    _table(found, feasible=feasible)
    out.print(Text(found.caution))
    if feasible:
        out.print(Text("The nearest feasible counts are post-processed, and biased."))


def _plain(found: Estimates) -> dict[str, str]:
    return {value: str(count) for value, count in found.feasible().items()}


def _table(found: Estimates, *, feasible: bool) -> None:
    from twoworlds.release.local.estimates import deviation, percent, shown

    level = percent(found.confidence)
    headings = ["value", "estimate", "give or take", f"guaranteed {level}", f"normal {level}"]
    rows = [
        [
            one.value,
            shown(one.count),
            deviation(one.variance),
            str(one.interval),
            str(one.normal),
        ]
        for one in found.each
    ]
    if feasible:
        headings.append("nearest feasible")
        for row, count in zip(rows, found.feasible().values(), strict=True):
            row.append(shown(count))
    print_table(headings, rows)
