"""``twoworlds attack differencing``: one person from counts of many."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from twoworlds.cli.app import Json
from twoworlds.cli.attacks.group import attack_app
from twoworlds.cli.attacks.tables import SECRET, STORY, Know, Table, known_of, print_notes, table_of
from twoworlds.cli.render import console, print_json
from twoworlds.errors import InvalidInput

__all__ = ["differencing"]


@attack_app.command()
def differencing(
    file: Table = None,
    know: Know = None,
    secret: Annotated[
        str | None, typer.Option(metavar="COLUMN=VALUE", help="what is to be found out")
    ] = None,
    at_least: Annotated[
        str, typer.Option(help="the server refuses counts below this, and above n minus this")
    ] = "5",
    engine: Annotated[
        bool, typer.Option("--engine", help="ask the release engine the same, with real noise")
    ] = False,
    epsilon: Annotated[
        str | None,
        typer.Option(help="for the engine: what the attack may cost; 1 if left out"),
    ] = None,
    json_: Json = False,
) -> None:
    """Find out one person's secret from counts that look harmless, past any limit on their size."""
    from twoworlds.attacks.queries import ExactServer, single_out
    from twoworlds.attacks.queries.differencing import against_engine

    if file is not None and not (know and secret):
        raise InvalidInput("say what is known and what is secret: --know age=28 --secret ill=yes")
    if epsilon is not None and not engine:
        raise InvalidInput("--epsilon is for the release engine: give --engine as well")
    with ExactServer(table_of(file), at_least=at_least) as server:
        [hidden] = known_of(server, [secret or SECRET])
        found = single_out(server, known_of(server, know or STORY), hidden)
        private = against_engine(server, found.attempts[-1], epsilon or "1") if engine else None
    if json_:
        beside = {} if private is None else {"engine": private.to_dict()}
        print_json({**found.to_dict(), **beside})
        return
    out = console()
    out.print(Text(found.explain()))
    print_notes([] if file is None else [file])
    for attempt in found.attempts:
        out.print()
        out.print(Text(f"{attempt.name}:", style="bold"))
        for one in attempt.questions:
            answer = "refused" if one.answer is None else f"{one.answer:,}"
            sign = "-" if one.sign < 0 else "+"
            out.print(Text(f"  {sign} {answer:>8}  {one.sql}"), soft_wrap=True)
        if attempt.value is not None:
            out.print(Text(f"  = {attempt.value:>8}"))
    if private is not None:
        out.print()
        out.print(Text(private.explain()))
