"""The commands about row cones, each a few lines around the public API."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from twoworlds.cli import cones, designs
from twoworlds.cli.app import Json, Picture, app
from twoworlds.errors import InvalidInput

__all__: list[str] = []

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="a mechanism, such as 'randomized-response(bits=2, keep=3/4)', a matrix file, or a "
        "definition, such as 'dp(ratio=3)'",
    ),
]
Universe = Annotated[
    str | None, typer.Option(help="the databases that a definition is about, such as 'bits(2)'")
]


def _json_file(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written before the work starts."""
    return None if path is None else cones.check_proof(path)


Save = Annotated[
    Path | None,
    typer.Option(metavar="FILE", callback=_json_file, help="write the proof to a .json file"),
]
SaveCone = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", callback=_json_file, help="write the cone to .json: linear(FILE) reads it"
    ),
]


@app.command()
def cone(
    source: Source,
    universe: Universe = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="the true row cone where the usual one is larger")
    ] = False,
    facet: Annotated[
        str | None, typer.Option(help="one guarantee of a survey too large to list, by its output")
    ] = None,
    inverse: Annotated[
        bool, typer.Option("--inverse", help="the inverse matrix, and the norms of its columns")
    ] = False,
    save: SaveCone = None,
    picture: Picture = None,
    json_: Json = False,
) -> None:
    """List the likelihood rows that can occur: guarantees (facets) and extreme rows (rays)."""
    if inverse:
        cones.show_inverse(source, universe=universe, as_json=json_)
        return
    cones.show_cone(
        source,
        universe=universe,
        exact=exact,
        facet=facet,
        save=save,
        picture=picture,
        as_json=json_,
    )


@app.command()
def member(
    candidate: Annotated[
        str | None, typer.Argument(metavar="MECHANISM", help="the mechanism in question")
    ] = None,
    of: Annotated[
        list[str] | None, typer.Option(help="a trusted mechanism (repeat it), or a definition")
    ] = None,
    row: Annotated[
        str | None, typer.Option(help="a likelihood row instead of a mechanism, such as '3,1,1,3'")
    ] = None,
    universe: Universe = None,
    save: Save = None,
    json_: Json = False,
) -> int:
    """Decide whether a mechanism follows from trusted ones by post-processing and choice."""
    if not of:
        raise InvalidInput("name what is trusted, as in --of 'randomized-response(bits=2)'")
    if (candidate is None) == (row is None):
        raise InvalidInput(
            "give a mechanism, or a likelihood row with --row '3,1,1,3': one of them"
        )
    if row is not None:
        return cones.show_row(row, of, universe=universe, save=save, as_json=json_)
    assert candidate is not None
    return cones.show_member(candidate, of, universe=universe, save=save, as_json=json_)


@app.command()
def statements(
    source: Source,
    universe: Universe = None,
    all_: Annotated[
        bool, typer.Option("--all", help="every statement, not one of each kind")
    ] = False,
    json_: Json = False,
) -> None:
    """Say in words which attackers a mechanism or definition protects from learning what."""
    cones.show_statements(source, universe=universe, every=all_, as_json=json_)


@app.command()
def odds(
    source: Source,
    of: Annotated[
        str, typer.Option(help="a secret: even, odd, 1=1 (record 1 is 1), or databases '11, 00'")
    ],
    against: Annotated[
        str | None, typer.Option(help="another secret (the opposite if left out)")
    ] = None,
    belief: Annotated[str, typer.Option(help="such as uniform or 'independent(3/4, 1/2)'")] = (
        "uniform"
    ),
    universe: Universe = None,
    save: Save = None,
    json_: Json = False,
) -> None:
    """Say how far the odds between two secrets can move at most, and the row that does it."""
    cones.show_odds(
        source,
        of=of,
        against=against,
        belief=belief,
        universe=universe,
        save=save,
        as_json=json_,
    )


@app.command()
def relax(
    source: Source,
    eliminate: Annotated[
        str | None, typer.Option(help="databases to say nothing about, such as '01' or '01, 10'")
    ] = None,
    any_: Annotated[
        str | None, typer.Option("--any", help="every choice of so many databases instead")
    ] = None,
    universe: Universe = None,
    save: SaveCone = None,
    proof: Save = None,
    json_: Json = False,
) -> None:
    """Drop guarantees that nobody needs, and show how each remaining one follows."""
    designs.show_relaxation(
        source,
        eliminate=eliminate,
        any_of=any_,
        universe=universe,
        save=save,
        proof=proof,
        as_json=json_,
    )


@app.command()
def compare(
    first: Source,
    second: Annotated[str, typer.Argument(metavar="OTHER", help="another one")],
    universe: Universe = None,
    save: Save = None,
    json_: Json = False,
) -> None:
    """Say which of two definitions promises more, with a mechanism that tells them apart."""
    designs.show_comparison(first, second, universe=universe, save=save, as_json=json_)


@app.command()
def design(
    source: Source,
    loss: Annotated[
        str | None,
        typer.Option(help="absolute (for a statistic), squared, or zero-one (for databases)"),
    ] = None,
    statistic: Annotated[
        str | None, typer.Option(help="what to answer, such as count (the database if left out)")
    ] = None,
    belief: Annotated[
        str | None, typer.Option(help="whose expected loss counts (the worst case if left out)")
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(help="the only answers allowed, such as '0, 1/2, 1' (any if left out)"),
    ] = None,
    relaxed: Annotated[
        str | None, typer.Option(help="a weaker definition: show the loss that it saves")
    ] = None,
    universe: Universe = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write the mechanism to a .csv or .json")
    ] = None,
    proof: Save = None,
    json_: Json = False,
) -> None:
    """Find the most accurate mechanism that a definition allows, with a proof that it is."""
    designs.show_design(
        source,
        loss=loss,
        statistic=statistic,
        belief=belief,
        outputs=outputs,
        relaxed=relaxed,
        universe=universe,
        save=save,
        proof=proof,
        as_json=json_,
    )


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a certificate saved as .json")],
    ledger: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="an exported ledger (.jsonl), to find a release's charge in"
        ),
    ] = None,
    json_: Json = False,
) -> int:
    """Check a saved certificate by exact arithmetic: without any solver, without the data."""
    from twoworlds.report.reading import time_limit

    with time_limit():
        return designs.show_verification(file, ledger=ledger, as_json=json_)
