"""What the attacks on counts share: a table, somebody in it, and a secret."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from twoworlds.cli.render import console

if TYPE_CHECKING:
    from twoworlds.attacks.queries import ExactServer
    from twoworlds.release.query.conditions import Compare

__all__ = ["EXAMPLE", "Know", "Table", "known_of", "print_notes", "table_of"]

EXAMPLE = "staff.csv"
Table = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help=f"a CSV, TSV or Parquet file; {EXAMPLE}, which comes with the program, if left out",
    ),
]
Know = Annotated[
    list[str] | None,
    typer.Option("--know", metavar="COLUMN=VALUE", help="what is known of the person; repeat it"),
]
STORY = ("department=physics", "sex=f", "job=professor")  # of whom the example has one
SECRET = "depressed=yes"


def table_of(file: Path | None) -> Path:
    """Return the file, or the bundled table of its name; the example if it was left out."""
    from twoworlds.attacks.tables.table import example_path

    if file is None:
        return example_path(EXAMPLE, bundled=True)
    return example_path(file)


def known_of(server: ExactServer, known: Sequence[str] | None) -> list[Compare]:
    """Read what is known of the person."""
    from twoworlds.attacks.queries import equal

    return [equal(server.kinds, text) for text in known or ()]


def print_notes(paths: Sequence[Path]) -> None:
    """Say which files are bundled examples, after an empty line."""
    from twoworlds.attacks.tables.table import example_note

    notes = dict.fromkeys(note for path in paths if (note := example_note(path)) is not None)
    if notes:
        console().print()
    for note in notes:
        console().print(Text(note))
