"""``twoworlds selftest``: the release engine, or a running service, under the known failures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.render import console, print_json, progress
from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    from twoworlds.attacks.selftest.service import Service
    from twoworlds.attacks.selftest.suite import Outcome

__all__ = ["selftest"]


@app.command()
def selftest(
    only: Annotated[
        str | None, typer.Option(help="the numbers of some of the failures: '10, 11'")
    ] = None,
    service: Annotated[
        str | None, typer.Option(metavar="URL", help="try a running service instead, from outside")
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="TWOWORLDS_TOKEN", help="of an account of the service that may release"
        ),
    ] = None,
    second_token: Annotated[
        str | None,
        typer.Option(envvar="TWOWORLDS_SECOND_TOKEN", help="of another account, for failure 26"),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="the dataset of the service that may be asked about")
    ] = None,
    spend: Annotated[
        str | None, typer.Option(help="the epsilon that may be spent on it, such as 1/100")
    ] = None,
    json_: Json = False,
) -> None:
    """Attack the installed release engine in the known ways. Takes about a minute.

    With --service a running service is tried from outside instead: two counts of --dataset are
    released, for --spend together, and nothing else is charged.
    """
    from twoworlds.attacks.selftest.suite import SelfTest, outcomes, service_outcomes

    numbers = None if only is None else [part.strip() for part in only.split(",")]
    if service is None:
        running = outcomes(numbers)
    else:
        named = _service(service, token, second_token, dataset, spend)
        running = service_outcomes(named, numbers)
        if not json_:
            console().print(Text(named.spending()))
    together = SelfTest(tuple(_printed(running, quietly=json_)), service)
    if json_:
        print_json(together.to_dict())
    else:
        out = console()
        out.print()
        out.print(Text(together.explain(), style="" if together.holds else "bold red"))
    if not together.holds:
        raise typer.Exit(1)


def _service(
    address: str, token: str | None, second: str | None, dataset: str | None, spend: str | None
) -> Service:
    from twoworlds.attacks.selftest.service import Service
    from twoworlds.numbers import rational

    if token is None or dataset is None or spend is None:
        raise InvalidInput(
            "a service is tried with --token (or TWOWORLDS_TOKEN), on a --dataset that you name, "
            "within what you let it --spend, such as 1/100"
        )
    return Service(address, token, dataset, rational(spend, "spend"), second)


def _printed(running: Iterator[Outcome], *, quietly: bool) -> Iterator[Outcome]:
    """Print what each check found, at once: all of them take a minute."""
    with progress():
        for outcome in running:
            if not quietly:
                _print(outcome)
            yield outcome


def _print(outcome: Outcome) -> None:
    head = Text(f"{outcome.failure.number:>2}  ")
    head.append(
        "holds" if outcome.holds else "FAILS", style="green" if outcome.holds else "bold red"
    )
    head.append(f"  {outcome.failure.name}", style="bold")
    out = console()
    out.print(head)
    out.print(Padding(Text(outcome.said), (0, 0, 0, 11)))
