"""The command-line application itself, and the arguments that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from twoworlds import __version__
from twoworlds.cli.render import console
from twoworlds.show.figure import check_path

__all__ = ["Group", "Json", "Neighbours", "Picture", "Text", "Where", "app"]

app = typer.Typer(
    name="twoworlds",
    help="What does this data release let anyone learn about a person? Exact answers.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": 120},
)

Text = Annotated[
    str,
    typer.Argument(
        metavar="MECHANISM",
        help="a call such as 'geometric(ratio=2)', a matrix file, or python:module:name",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="print the answer as JSON")]
Neighbours = Annotated[
    str | None,
    typer.Option(help="substitute, add-remove, or listed pairs such as '11~10, 10~00'"),
]
Group = Annotated[str, typer.Option(help="how many people may differ at once")]
Where = Annotated[
    str | None, typer.Option(help="what the columns of a matrix file are, such as 'bits(2)'")
]


def _writable(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written before the work starts."""
    return None if path is None else check_path(path)


Picture = Annotated[
    Path | None,
    typer.Option(metavar="FILE", callback=_writable, help="draw it, into an .svg or .png file"),
]


def _version(wanted: bool) -> None:
    if wanted:
        console().print(f"twoworlds {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    del version  # its callback has answered
    if context.invoked_subcommand is None:
        console().print(context.get_help())
