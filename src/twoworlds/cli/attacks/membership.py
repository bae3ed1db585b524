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
        str, typer.Option(help="for a made-up study: how many counts are published")
    ] = "1000",
    epsilon: Annotated[
        str | None, typer.Option(help="what all counts together cost; exact counts if left out")
    ] = None,
    engine: Annotated[
        bool, typer.Option("--engine", help="let the release engine publish the made-up study")
    ] = False,
    seed: Annotated[str, typer.Option(help="what the made-up study is made from")] = "0",
    cell: Annotated[
        str | None,
        typer.Option(help="a histogram instead: what it shows for the person's cell, or 'hidden'"),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(
            help="with --cell: the share of the population in the cell; 1/100 if left out"
        ),
    ] = None,
    at_least: Annotated[
        str | None,
        typer.Option(
            help="with --cell: smaller cells are left out of the histogram; 3 if left out"
        ),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(help="the probability of having taken part, beforehand; 1/2 if left out"),
    ] = None,
    json_: Json = False,
) -> None:
    """Test whether a person took part in a study, from its published counts or histogram."""
    from twoworlds.attacks.queries import membership_in_histogram, study

    found: Membership | Study
    if people is None and (file is not None or cell is not None):
        raise InvalidInput("say how many people the study has: --people 100")
    size = people or "100"
    if cell is not None:
        if file is not None or epsilon is not None or engine:
            raise InvalidInput("--cell is for an exact histogram: leave out file, epsilon, engine")
        found = membership_in_histogram(
            None if cell == "hidden" else cell,
            share or "1/100",
            size,
            at_least=at_least or "3",
            prior=prior or "1/2",
        )
    elif share is not None or at_least is not None:
        raise InvalidInput("--share and --at-least are those of a histogram: give --cell as well")
    elif file is not None:
        if engine:
            raise InvalidInput("--engine publishes a made-up study: leave out the file")
        found = _from_file(file, size, epsilon, prior or "1/2")
    elif prior is not None:
        raise InvalidInput("--prior is for one person: give a file of their attributes, or --cell")
    else:
        found = study(size, attributes, epsilon=epsilon, seed=seed, engine=engine)
    if json_:
        print_json(found.to_dict())
        return
    console().print(Text(found.explain()))


def _from_file(file: Path, people: str, epsilon: str | None, prior: str) -> Membership:
    """Read the person, the counts and the shares; epsilon is for all counts together."""
    import csv

    from twoworlds.attacks.queries import membership_in_means
    from twoworlds.mechanisms.noise import GeometricNoise
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
