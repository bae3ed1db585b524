"""The main job on built-in examples, and attacks that one can watch."""

from __future__ import annotations

import json
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from twoworlds import measure, mechanism
from twoworlds.attacks import demonstration
from twoworlds.cli.render import console, print_json, print_verdict
from twoworlds.errors import UnknownName
from twoworlds.files import write

__all__ = ["run"]

_SURVEY = "randomized-response(bits=1000, keep=3/4)"
_COUNT = "geometric(ratio=2)"
_ASKED = (
    "SELECT region, COUNT(*), AVG(income) FROM people GROUP BY region",
    "SELECT MEDIAN(age) FROM people",
)
_EPSILON = "1"


def run(what: str | None, *, folder: Path, as_json: bool) -> None:
    """Print one demonstration, the release from the hospital by default."""
    shows = {"mechanisms": _mechanisms, "k-anonymity": _k_anonymity}
    name = "hospital" if what is None else what
    if name == "hospital":
        _hospital(folder, as_json=as_json)
        return
    if name not in shows:
        raise UnknownName("demonstration", name, ["hospital", *shows])
    shows[name](as_json=as_json)


def _hospital(folder: Path, *, as_json: bool) -> None:
    """Make a release from the bundled table, with its report and certificate."""
    from twoworlds.cli.release import show_released
    from twoworlds.release.certificate import certify, check_certificate
    from twoworlds.release.curator import Curator
    from twoworlds.release.examples import PEOPLE, lay_out
    from twoworlds.report.release import release_page

    lay_out(folder)
    with Curator.open(folder / "policy.yml") as curator:
        released = curator.release_all(_ASKED, _EPSILON, analyst="ann")
    certificate = certify(released)
    report = write(folder / "report.html", release_page(released))
    proof = write(folder / "certificate.json", json.dumps(certificate, indent=2) + "\n")
    checked = check_certificate(certificate)
    if as_json:
        answers = [answer.to_dict() for answer in released.answers]
        files = {"report": str(report), "certificate": str(proof)}
        print_json({"answers": answers, **files, "checked": checked.to_dict()})
        return
    out = console()
    out.print(
        f"A private release from {PEOPLE:,} made-up patients ({folder / 'people.parquet'}), with "
        f"epsilon {_EPSILON} for both queries together"
    )
    out.rule()
    show_released(released)
    out.print()
    out.print(f"wrote {report} and {proof}", soft_wrap=True)
    out.print(f"Next: twoworlds budget --policy {folder / 'policy.yml'}", soft_wrap=True)
    out.print(f"      twoworlds verify {proof}", soft_wrap=True)
    out.print("      twoworlds demo mechanisms", soft_wrap=True)


def _mechanisms(*, as_json: bool) -> None:
    """Print the two analyses and where to go next."""
    found = [measure(mechanism(text)) for text in (_SURVEY, _COUNT)]
    if as_json:
        print_json([verdict.to_dict() for verdict in found])
        return
    out = console()
    titles = (
        "A survey of 1,000 people, each answer flipped with probability 1/4",
        "A count of people, published with two-sided geometric noise",
    )
    for title, verdict in zip(titles, found, strict=True):
        out.print(title)
        out.rule()
        print_verdict(verdict)
        out.print()
    out.print("Next: twoworlds explain 'dp(epsilon=1)'; twoworlds statements 'skellam(1, 1)'")


def _k_anonymity(*, as_json: bool) -> None:
    """Print a k-anonymous table that gives everything away."""
    found = demonstration()
    if as_json:
        print_json(found.to_dict())
        return
    out = console()
    out.print(Text(found.explain()))
    out.print()
    for title, table in (("published", found.published), ("decoded from it", found.decoded)):
        shown = Table(box=box.SIMPLE, title=title, title_justify="left")
        rows = [dict(row) for row in table]
        for column in rows[0]:
            shown.add_column(str(column))
        for row in rows:
            shown.add_row(*(str(value) for value in row.values()))
        out.print(shown)
