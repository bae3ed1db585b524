"""``twoworlds report``: a mechanism or a certificate as a page that a review board can sign."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from twoworlds.cli.app import Json, Neighbours, Where, app
from twoworlds.cli.render import console, print_json, progress
from twoworlds.errors import InvalidInput
from twoworlds.files import check_place, write

__all__: list[str] = []


def _page(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written before the work starts."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(
            f"{path}: a report is a page, give it a name that ends in .html; for a PDF, open it "
            "in a browser and print it"
        )
    return None if path is None else check_place(path)


@app.command()
def report(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="MECHANISM|CERTIFICATE",
            help="a call such as 'geometric(ratio=2)', a matrix file, python:module:name, or a "
            "certificate saved as .json",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", callback=_page, help="the .html file"),
    ] = None,
    claim: Annotated[
        str | None, typer.Option(help="what is claimed, such as 'dp(epsilon=1)'")
    ] = None,
    belief: Annotated[
        str | None, typer.Option(help="an attacker to look at, such as 'independent(3/4, 1/2)'")
    ] = None,
    neighbours: Neighbours = None,
    group: Annotated[str | None, typer.Option(help="how many people may differ at once")] = None,
    universe: Where = None,
    ledger: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="for the certificate of a release: an exported ledger"),
    ] = None,
    title: Annotated[str | None, typer.Option(help="the title of the page")] = None,
    reviewer: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="who will sign (repeat it)")
    ] = None,
    json_: Json = False,
) -> int:
    """Write a report to hand to a review board: exit 1 if the claim or the certificate fails."""
    from twoworlds.report.reading import time_limit
    from twoworlds.report.review import is_certificate, review_certificate, review_mechanism

    if output is None and not json_:
        raise InvalidInput("name the file to write, as in -o report.html, or ask for --json")
    names = tuple(reviewer or ())
    asked = {
        "--claim": claim,
        "--belief": belief,
        "--neighbours": neighbours,
        "--group": group,
        "--universe": universe,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    if is_certificate(subject):
        if given:
            raise InvalidInput(
                f"{', '.join(given)}: a certificate says itself what is claimed of what; leave "
                "them out"
            )
        told = {} if ledger is None else {"--ledger": str(ledger)}
        typed = _typed(subject, told, title, names, output)
        with progress(), time_limit():
            found = review_certificate(
                subject, ledger=ledger, title=title, reviewers=names, command=typed
            )
    else:
        if ledger is not None:
            raise InvalidInput("--ledger is for certificates of releases: leave it out")
        typed = _typed(subject, given, title, names, output)
        with progress():
            found = review_mechanism(
                subject,
                claim=claim,
                belief=belief,
                neighbours=neighbours,
                group=group,
                universe=universe,
                title=title,
                reviewers=names,
                command=typed,
            )
    saved = {} if output is None else {"report": str(write(output, found.html()))}
    if json_:
        print_json({**found.to_dict(), **saved})
    else:
        out = console()
        out.print(found.headline)
        for said in found.sentences:
            out.print(said)
        out.print(f"wrote {output}", soft_wrap=True)
    return 0 if found.holds else 1


def _typed(
    subject: str,
    given: dict[str, str],
    title: str | None,
    reviewers: tuple[str, ...],
    output: Path | None,
) -> str:
    """Return the command that makes the page, with names of files instead of whole paths."""
    words = ["twoworlds", "report", Path(subject).name if Path(subject).is_file() else subject]
    for name, value in given.items():
        words += [name, Path(value).name if name == "--ledger" else value]
    words += [] if title is None else ["--title", title]
    for reviewer in reviewers:
        words += ["--reviewer", reviewer]
    words += [] if output is None else ["-o", output.name]
    return shlex.join(words)
