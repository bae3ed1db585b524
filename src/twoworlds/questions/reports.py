"""The question for a page to sign."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date as day
from pathlib import Path
from typing import Annotated, Any

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
    purpose: Annotated[str | None, "what the release is for"] = None,
    prepared_by: Annotated[str | None, "who prepared the report"] = None,
    date: Annotated[str | None, "the date of the report, such as 2026-03-01"] = None,
    reviewer: Annotated[list[str] | None, "who will sign (repeat it)"] = None,
    ledger: Annotated[
        Path | None, "for the certificate of a release: an exported ledger, for what came before"
    ] = None,
    belief: Annotated[str | None, "an attacker to look at, as 'independent(3/4, 1/2)'"] = None,
    neighbours: Neighbours = None,
    group: Annotated[str | None, "how many people may differ at once"] = None,
    universe: Universe = None,
    title: Annotated[str | None, "the title of the page"] = None,
) -> Result:
    """Write two pages for a review board to sign, with the proof in an appendix.

    It exits with 1 if the claim or the certificate fails.
    """
    from twoworlds.report.reading import time_limit
    from twoworlds.report.review import is_certificate, review_certificate, review_mechanism

    if output is not None:
        _check(output)
    if date is not None:
        _check_date(date)
    asked = {"claim": claim, "belief": belief, "neighbours": neighbours, "group": group}
    given = {name: text for name, text in {**asked, "universe": universe}.items() if text}
    certificate = is_certificate(subject)
    if certificate and given:
        names = ", ".join(f"--{name}" for name in given)
        raise InvalidInput(
            f"{names}: a certificate says itself what is claimed of what; leave this out"
        )
    if ledger is not None and not certificate:
        raise InvalidInput("--ledger is for certificates of releases: leave it out")
    if certificate:
        with time_limit():
            found = review_certificate(subject, ledger=ledger)
    else:
        found = review_mechanism(subject, **given)
    form = {"purpose": purpose, "prepared_by": prepared_by, "date": date, "title": title}
    looked = {} if ledger is None else {"ledger": ledger.name}
    typed = _typed(subject, {**given, **looked, **form}, reviewer, output)
    filled: dict[str, Any] = {name: text for name, text in form.items() if text}
    found = replace(found, **filled, reviewers=tuple(reviewer or ()), command=typed)
    return found if output is None else replace(found, written=str(write(output, found.html())))


def _check_date(text: str) -> None:
    with suppress(ValueError):
        if day.fromisoformat(text).isoformat() == text:
            return
    raise InvalidInput(f"--date {text[:40]}: write a day of the calendar, as 2026-03-01")


def _check(path: Path) -> None:
    """Refuse a file that cannot be written before the work starts."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(
            f"{path}: a report is an HTML page, so its name ends in .html. For a PDF, open the "
            "page in a browser and print it"
        )
    check_place(path)


def _typed(
    subject: str, given: Mapping[str, str | None], reviewers: list[str] | None, output: Path | None
) -> str:
    """Return the command that makes the page, with names of files instead of whole paths."""
    words = ["twoworlds", "report", Path(subject).name if Path(subject).is_file() else subject]
    for name, value in given.items():
        words += [] if value is None else [f"--{name.replace('_', '-')}", value]
    for reviewer in reviewers or ():
        words += ["--reviewer", reviewer]
    return shlex.join([*words, *([] if output is None else ["-o", output.name])])
