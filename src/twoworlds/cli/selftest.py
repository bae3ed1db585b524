"""``twoworlds selftest``: the release engine under its 18 known kinds of failure."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.render import console, print_json, print_table, progress

__all__ = ["selftest"]


@app.command()
def selftest(
    only: Annotated[
        str | None, typer.Option(help="the numbers of some of the 18 failures: '10, 11'")
    ] = None,
    json_: Json = False,
) -> None:
    """Attack the installed release engine in the 18 known ways. Takes a minute or two."""
    from twoworlds.attacks.selftest.suite import selftest as run

    with progress():
        found = run(None if only is None else [part.strip() for part in only.split(",")])
    if json_:
        print_json(found.to_dict())
    else:
        console().print(Text(found.explain(), style="" if found.holds else "bold red"))
        rows = [
            [
                str(one.failure.number),
                one.failure.name,
                "holds" if one.holds else "FAILS",
                one.said,
            ]
            for one in found.outcomes
        ]
        print_table(["", "failure", "", "what was tried"], rows, repeated=3)
    if not found.holds:
        raise typer.Exit(1)
