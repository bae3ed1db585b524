"""``twoworlds attack membership``: was this person in the study?"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from twoworlds.cli.app import Json
from twoworlds.cli.attacks.group import attack_app
from twoworlds.cli.render import console, print_json
from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    from twoworlds.attacks.queries import Membership, Study

__all__ = ["membership"]


@attack_app.command()
def membership(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="a CSV with columns person (0 or 1), count and share: one line for each attribute",
        ),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(help="how many people the study has; a made-up one has 100 if left out"),
    ] = None,
    attributes: Annotated[
        str | None,
        typer.Option(help="for a made-up study: how many counts are published; 1000 if left out"),
    ] = None,
    cells: Annotated[
        str | None,
        typer.Option(help="for a made-up study: publish a histogram of so many cells instead"),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(help="what is published costs this in all; exact numbers if left out"),
    ] = None,
    engine: Annotated[
        bool, typer.Option("--engine", help="let the release engine publish the made-up study")
    ] = False,
    seed: Annotated[str, typer.Option(help="what the made-up study is made from")] = "0",
    cell: Annotated[
        str | None,
        typer.Option(help="one person's cell of a histogram: the count that is shown, or 'hidden'"),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(
            help="with --cell: the share of the population in the cell; 1/100 if left out"
        ),
    ] = None,
    at_least: Annotated[
        str | None,
        typer.Option(help="with --cell or --cells: smaller cells are not published; 3 if left out"),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(help="the probability of having taken part, beforehand; 1/2 if left out"),
    ] = None,
    json_: Json = False,
) -> None:
    """Test whether a person took part in a study, from its published counts or histogram."""
    from twoworlds.attacks.queries import histogram_study, study

    found: Membership | Study
    if people is None and (file is not None or cell is not None):
        raise InvalidInput("say how many people the study has: --people 100")
    _check(file, attributes=attributes, cells=cells, cell=cell, engine=engine)
    if share is not None and cell is None:
        raise InvalidInput("--share is that of a person's cell: give --cell as well")
    if at_least is not None and cell is None and cells is None:
        raise InvalidInput("--at-least is for a histogram: give --cell or --cells as well")
    if prior is not None and file is None and cell is None:
        raise InvalidInput("--prior is for one person: give a file of their attributes, or --cell")
    size, limit = people or "100", at_least or "3"
    if cell is not None:
        found = _from_cell(cell, share or "1/100", size, limit, epsilon, prior or "1/2")
    elif file is not None:
        found = _from_file(file, size, epsilon, prior or "1/2")
    elif cells is not None:
        found = histogram_study(
            size, cells, at_least=limit, epsilon=epsilon, seed=seed, engine=engine
        )
    else:
        found = study(size, attributes or "1000", epsilon=epsilon, seed=seed, engine=engine)
    if json_:
        print_json(found.to_dict())
        return
    console().print(Text(found.explain()))


def _check(
    file: Path | None,
    *,
    attributes: str | None,
    cells: str | None,
    cell: str | None,
    engine: bool,
) -> None:
    """Refuse two subjects at once: a file, a cell, or one of two made-up studies."""
    given = {
        "FILE": file is not None,
        "--cell": cell is not None,
        "--cells": cells is not None,
        "--attributes": attributes is not None,
    }
    named = [name for name, is_given in given.items() if is_given]
    if len(named) > 1:
        raise InvalidInput(f"{' and '.join(named)} do not go together: leave all but one out")
    if engine and (file is not None or cell is not None):
        raise InvalidInput(f"--engine publishes a made-up study: leave out {named[0]}")


def _from_cell(
    cell: str, share: str, people: str, at_least: str, epsilon: str | None, prior: str
) -> Membership:
    """Test one person by what a histogram shows of their cell."""
    from twoworlds.attacks.queries import membership_in_histogram
    from twoworlds.attacks.queries.membership import cell_noise
    from twoworlds.numbers import positive

    return membership_in_histogram(
        None if cell == "hidden" else cell,
        share,
        people,
        at_least=at_least,
        prior=prior,
        noise=None if epsilon is None else cell_noise(positive(epsilon, "epsilon")),
    )


def _from_file(file: Path, people: str, epsilon: str | None, prior: str) -> Membership:
    """Read the person, the counts and the shares; epsilon is for all counts together."""
    import csv

    from twoworlds.attacks.queries import membership_in_means
    from twoworlds.laws.noise import GeometricNoise
    from twoworlds.numbers import exp, positive, power

    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}") from None
    for name in ("person", "count", "share"):
        if not rows or rows[0].get(name) is None:
            raise InvalidInput(f"{file} needs the columns person, count and share, and a line")
    noise = None
    if epsilon is not None:
        whole = exp(positive(epsilon, "epsilon"))
        noise = GeometricNoise(1 / power(whole, Fraction(1, len(rows))))
    person, counts, shares = ([row[n] for row in rows] for n in ("person", "count", "share"))
    return membership_in_means(person, counts, shares, people, prior=prior, noise=noise)
