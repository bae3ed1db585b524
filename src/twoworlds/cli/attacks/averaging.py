"""``twoworlds attack averaging``: fresh noise, asked away."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from twoworlds.cli.app import Json
from twoworlds.cli.attacks.group import attack_app
from twoworlds.cli.attacks.tables import SECRET, Table, known_of, print_notes, table_of
from twoworlds.cli.render import console, print_json, print_table, progress
from twoworlds.errors import InvalidInput

__all__ = ["averaging"]


@attack_app.command()
def averaging(
    file: Table = None,
    epsilon: Annotated[str, typer.Option(help="the loss of one answer")] = "1/2",
    times: Annotated[str, typer.Option(help="how often it is asked, several with commas")] = (
        "1,4,16,64,256"
    ),
    confidence: Annotated[str, typer.Option(help="how sure the attacker wants to be")] = "95%",
    engine: Annotated[
        bool, typer.Option("--engine", help="do it to the release engine, with real noise")
    ] = False,
    count: Annotated[
        str | None,
        typer.Option(metavar="COLUMN=VALUE", help="for the engine: whom of FILE to count"),
    ] = None,
    cap: Annotated[
        str | None, typer.Option(help="for the engine: the budget, an epsilon; 2 if left out")
    ] = None,
    json_: Json = False,
) -> None:
    """Ask a noisy count again and again until the noise is gone, and see the engine hold."""
    from twoworlds.attacks.queries import ExactServer, average_out
    from twoworlds.attacks.queries.averaging import against_engine, chance_text
    from twoworlds.numbers import decimal

    if not engine and (file is not None or count is not None or cap is not None):
        raise InvalidInput("FILE, --count and --cap are for the release engine: give --engine too")
    if file is not None and count is None:
        raise InvalidInput("say whom to count: --count condition=AIDS")
    with progress():
        found = average_out(epsilon, times.split(","), confidence=confidence)
    repeated = None
    if engine:
        with ExactServer(table_of(file)) as server:
            [asked] = known_of(server, [count or SECRET])
            repeated = against_engine(server, asked, epsilon=epsilon, cap=cap or "2")
    if json_:
        beside = {} if repeated is None else {"engine": repeated.to_dict()}
        print_json({**found.to_dict(), **beside})
        return
    out = console()
    out.print(Text(found.explain()))
    rows = [
        [f"{m:,}", chance_text(c), decimal(m * found.epsilon, 4, "about")]
        for m, c in zip(found.times, found.chances, strict=True)
    ]
    print_table(["questions", "rounded mean is the truth", "epsilon in all"], rows)
    if repeated is not None:
        out.print(Text(repeated.explain()))
        print_notes([] if file is None else [file])
