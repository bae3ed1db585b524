"""The question for a page to sign."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from twoworlds.errors import InvalidInput
from twoworlds.files import check_place, write
from twoworlds.questions.mechanisms import Neighbours, Universe
from twoworlds.show import Result


def report(
    subject: Annotated[
        str,
        "a call such as 'geometric(ratio=2)', a matrix file, python:module:name, or a certificate "
        "saved as .json",
    ],
    output: Annotated[Path | None, "the .html file to write"] = None,
    claim: Annotated[str | None, "what is claimed, such as 'dp(epsilon=1)'"] = None,
    belief: Annotated[str | None, "an attacker to look at, as 'independent(3/4, 1/2)'"] = None,
    neighbours: Neighbours = None,
    group: Annotated[str | None, "how many people may differ at once"] = None,
    universe: Universe = None,
    ledger: Annotated[Path | None, "for the certificate of a release: an exported ledger"] = None,
    title: Annotated[str | None, "the title of the page"] = None,
    reviewer: Annotated[list[str] | None, "who will sign (repeat it)"] = None,
) -> Result:
    """Write a report for a review board; exit 1 if the claim or the certificate fails."""
    from twoworlds.report.reading import time_limit
    from twoworlds.report.review import is_certificate, review_certificate, review_mechanism

    if output is not None:
        _check(output)
    names = tuple(reviewer or ())
    asked = {"claim": claim, "belief": belief, "neighbours": neighbours, "group": group}
    given = {name: text for name, text in {**asked, "universe": universe}.items() if text}
    if is_certificate(subject):
        if given:
            raise InvalidInput(
                f"{', '.join(f'--{name}' for name in given)}: a certificate says itself what is "
                "claimed of what; leave them out"
            )
        told = {} if ledger is None else {"ledger": ledger.name}
        typed = _typed(subject, told, title, names, output)
        with time_limit():
            found = review_certificate(
                subject, ledger=ledger, title=title, reviewers=names, command=typed
            )
    else:
        if ledger is not None:
            raise InvalidInput("--ledger is for certificates of releases: leave it out")
        typed = _typed(subject, given, title, names, output)
        found = review_mechanism(subject, **given, title=title, reviewers=names, command=typed)
    if output is None:
        return found
    return replace(found, written=str(write(output, found.html())))


def _check(path: Path) -> None:
    """Refuse a file that cannot be written before the work starts."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(
            f"{path}: a report is a page, give it a name that ends in .html; for a PDF, open it "
            "in a browser and print it"
        )
    check_place(path)


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
        words += [f"--{name}", value]
    words += [] if title is None else ["--title", title]
    for reviewer in reviewers:
        words += ["--reviewer", reviewer]
    return shlex.join([*words, *([] if output is None else ["-o", output.name])])
