"""``twoworlds attack linkage``: a register of names against a published table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from twoworlds.cli.app import Json
from twoworlds.cli.attacks.composition import print_notes
from twoworlds.cli.attacks.group import attack_app
from twoworlds.cli.render import console, print_json, print_table, progress

if TYPE_CHECKING:
    from twoworlds.attacks.composition.linkage import Linkage

__all__ = ["linkage"]


@attack_app.command()
def linkage(
    register: Annotated[
        Path, typer.Argument(metavar="REGISTER", help="people with names: CSV, TSV or Parquet")
    ],
    table: Annotated[
        Path, typer.Argument(metavar="TABLE", help="the published table, raw or generalised")
    ],
    on: Annotated[
        str,
        typer.Option(
            help="the columns that both have, such as zip,age; one with a comma in double quotes"
        ),
    ],
    sensitive: Annotated[
        str | None, typer.Option(help="a column of the table that is attacked")
    ] = None,
    json_: Json = False,
) -> None:
    """Link a register to a published table, and count whom it leaves alone with how many rows."""
    from twoworlds.attacks.composition.linkage import link

    with progress():
        found = link(register, table, on, sensitive=sensitive)
    if json_:
        print_json(found.to_dict())
        return
    console().print(Text(found.explain()))
    print_notes([register, table])
    _print_counts(found)
    _print_links(found, sensitive)


def _print_counts(found: Linkage) -> None:
    numbers = sorted({*found.outside, *found.inside})
    shown = numbers if len(numbers) <= 12 else [*numbers[:10], *numbers[-2:]]
    print_table(
        ["matches", "people with so many rows", "rows with so many people"],
        [[f"{n:,}", f"{found.outside.get(n, 0):,}", f"{found.inside.get(n, 0):,}"] for n in shown],
    )
    if len(shown) < len(numbers):
        left = len(numbers) - len(shown)
        console().print(Text(f"{left:,} numbers in between are left out; --json has all of them."))


def _print_links(found: Linkage, sensitive: str | None) -> None:
    if not found.links:
        return
    columns = list(found.links[0].person)
    headings = ["row", *columns, "matching rows", "rivals"]
    rows = [
        [
            str(one.row),
            *(one.person[column] or "" for column in columns),
            f"{one.rows:,}",
            f"{one.rivals:,}",
        ]
        for one in found.links
    ]
    if sensitive is not None:
        headings.append(sensitive)
        for row, one in zip(rows, found.links, strict=True):
            row.append(", ".join(f"{value} {share}" for value, share in one.values.items()))
    print_table(headings, rows)
    if found.unlisted:
        matching = (
            "person matches rows and is" if found.unlisted == 1 else "people match rows and are"
        )
        said = f"{found.unlisted:,} more {matching} left out: link(..., most=N) in Python lists N."
        console().print(Text(said))
