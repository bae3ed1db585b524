"""``twoworlds attack composition``: several anonymised tables put together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from twoworlds.cli.app import Json
from twoworlds.cli.attacks.group import attack_app
from twoworlds.cli.render import console, print_json, print_table, progress
from twoworlds.errors import InvalidInput
from twoworlds.numbers import show, to_json

if TYPE_CHECKING:
    from twoworlds.attacks.composition.compose import Composition
    from twoworlds.attacks.composition.exposure import Exposure

__all__ = ["composition"]

_WEIGHTS = "'AIDS=1/100, Flu=1/4', or a CSV file of values and weights"


@attack_app.command()
def composition(
    tables: Annotated[
        list[Path], typer.Argument(metavar="TABLE...", help="CSV, TSV or Parquet files")
    ],
    sensitive: Annotated[str, typer.Option(help="the column that is attacked")],
    know: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=VALUE", help="what is known of the person; repeat it"),
    ] = None,
    belief: Annotated[
        str,
        typer.Option(
            help="independent; or consistent, which compares rows of different tables as well"
        ),
    ] = "independent",
    prior: Annotated[
        str | None, typer.Option(help=f"how likely the person's values are beforehand: {_WEIGHTS}")
    ] = None,
    population: Annotated[
        str | None, typer.Option(help=f"how common values are among all others: {_WEIGHTS}")
    ] = None,
    everyone: Annotated[
        Path | None,
        typer.Option(
            metavar="REGISTER",
            help="attack everybody of a file of known people instead; guesses are compared with "
            "the sensitive values that it gives",
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(help="with --everyone: the columns that are known, such as zip,age"),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="with --json: print all of it, not only candidates")
    ] = False,
    json_: Json = False,
) -> None:
    """Put several anonymised tables together, and see what they say of a person in all of them."""
    from twoworlds.attacks.composition.compose import compose
    from twoworlds.attacks.composition.exposure import expose

    if everyone is not None:
        if know or belief != "independent":
            raise InvalidInput(
                "--everyone takes what is known from the register, and compares no rows of "
                "different tables: leave out --know and --belief"
            )
        with progress():
            found = expose(tables, everyone, sensitive, on=on, prior=prior, population=population)
        if json_:
            print_json(found.to_dict())
        else:
            _print_everyone(found, [*tables, everyone])
        return
    if on is not None:
        raise InvalidInput("--on names columns of a register: give --everyone as well, or --know")
    with progress():
        one = compose(
            tables,
            _known(know or []),
            sensitive,
            belief=belief,
            prior=prior,
            population=population,
        )
    if json_:
        plain = {value: to_json(share) for value, share in one.posterior.items()}
        print_json(one.to_dict() if details else plain)
        return
    _print(one, tables)


def _known(pairs: Sequence[str]) -> dict[str, str]:
    known: dict[str, str] = {}
    for pair in pairs:
        column, equals, value = pair.partition("=")
        if not equals or not column.strip():
            raise InvalidInput(f"--know {pair}: write a column and its value, such as age=28")
        if column.strip() in known:
            raise InvalidInput(
                f"--know {column.strip()} is given twice: write several values as "
                f"{column.strip()}='a|b'"
            )
        known[column.strip()] = value
    return known


def print_notes(paths: Sequence[Path]) -> None:
    """Say which files are bundled examples, after an empty line."""
    from twoworlds.attacks.composition.examples import example_note

    notes = dict.fromkeys(note for path in paths if (note := example_note(path)) is not None)
    if notes:
        console().print()
    for note in notes:
        console().print(Text(note))


def _print(found: Composition, tables: Sequence[Path]) -> None:
    out = console()
    out.print(Text(found.sentence))
    for note in found.notes:
        out.print()
        out.print(Text(note))
    print_notes(tables)
    shares = [table.frequencies for table in found.tables]
    values = sorted({value for share in (*shares, found.posterior) for value in share})
    if values:
        headings = [found.sensitive, *(table.name for table in found.tables), "together"]
        print_table(
            headings,
            [
                [value, *(str(share.get(value, "-")) for share in shares), _together(found, value)]
                for value in values
            ],
        )
    else:
        out.print()
    matching = "; ".join(
        f"{table.name}: {table.matching:,} of {table.size:,} rows match" for table in found.tables
    )
    out.print(Text(f"{matching}."))
    if found.posterior:
        out.print()
        out.print(Text(found.footing))


def _together(found: Composition, value: str) -> str:
    share = found.posterior.get(value)
    return "-" if share is None else show(share)


def _print_everyone(found: Exposure, paths: Sequence[Path]) -> None:
    out = console()
    out.print(Text(found.explain()))
    print_notes(paths)
    if found.victims:
        columns = [column for column in found.victims[0].person if column != found.sensitive]
        alone = [f"{table.name} leaves" for table in found.tables]
        print_table(
            ["row", *columns, found.sensitive, *alone],
            [
                [
                    str(one.row),
                    *(one.person[column] or "" for column in columns),
                    one.value,
                    *map(str, one.alone),
                ]
                for one in found.victims
            ],
        )
        if found.pinned > len(found.victims):
            out.print(Text(f"... and {found.pinned - len(found.victims):,} more."))
