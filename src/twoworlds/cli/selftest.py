"""``twoworlds selftest``: the release engine under its 18 known kinds of failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.render import console, print_json, progress

if TYPE_CHECKING:
    from twoworlds.attacks.selftest.suite import Outcome

__all__ = ["selftest"]


@app.command()
def selftest(
    only: Annotated[
        str | None, typer.Option(help="the numbers of some of the 18 failures: '10, 11'")
    ] = None,
    json_: Json = False,
) -> None:
    """Attack the installed release engine in the 18 known ways. Takes a minute or two."""
    from twoworlds.attacks.selftest.suite import SelfTest, outcomes

    numbers = None if only is None else [part.strip() for part in only.split(",")]
    found = []
    with progress():
        for outcome in outcomes(numbers):
            found.append(outcome)
            if not json_:
                _print(outcome)
    together = SelfTest(tuple(found))
    if json_:
        print_json(together.to_dict())
    else:
        out = console()
        out.print()
        out.print(Text(together.explain(), style="" if together.holds else "bold red"))
    if not together.holds:
        raise typer.Exit(1)


def _print(outcome: Outcome) -> None:
    """Print what one check found, at once: all of them take minutes."""
    head = Text(f"{outcome.failure.number:>2}  ")
    head.append(
        "holds" if outcome.holds else "FAILS", style="green" if outcome.holds else "bold red"
    )
    head.append(f"  {outcome.failure.name}", style="bold")
    out = console()
    out.print(head)
    out.print(Padding(Text(outcome.said), (0, 0, 0, 11)))
