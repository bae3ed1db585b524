"""The main job on built-in examples, and attacks that one can watch."""

from __future__ import annotations

import json
from pathlib import Path

from twoworlds import measure, mechanism
from twoworlds.attacks import demonstration
from twoworlds.cli.render import (
    console,
    print_answer,
    print_json,
    print_saved,
    print_table,
    save_picture,
)
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.files import check_place, write
from twoworlds.numbers import decimal, show, to_json

__all__ = ["run"]

_SURVEY = "randomized-response(bits=1000, keep=3/4)"
_COUNT = "geometric(ratio=2)"
_ASKED = (
    "SELECT region, COUNT(*), AVG(income) FROM people GROUP BY region",
    "SELECT MEDIAN(age) FROM people",
)
_EPSILON = "1"


def run(what: str | None, *, folder: Path, picture: Path | None, as_json: bool) -> None:
    """Print one demonstration, the release from the hospital by default."""
    shows = {"mechanisms": _mechanisms, "k-anonymity": _k_anonymity}
    drawn = {"noise": _noise, "epsilon": _epsilon}
    name = "hospital" if what is None else what
    if name not in ("hospital", *shows, *drawn):
        raise UnknownName("demonstration", name, ["hospital", *shows, *drawn])
    if name in drawn:
        drawn[name](picture, as_json=as_json)
        return
    if picture is not None:
        raise InvalidInput(f"there is no picture of {name}: {' and '.join(drawn)} have one")
    if name == "hospital":
        _hospital(folder, as_json=as_json)
    else:
        shows[name](as_json=as_json)


def _hospital(folder: Path, *, as_json: bool) -> None:
    """Make a release from the bundled table, with its report and certificate."""
    from twoworlds.cli.release import show_released
    from twoworlds.release.certificate import certify, check_certificate
    from twoworlds.release.curator import Curator
    from twoworlds.release.examples import PEOPLE, lay_out
    from twoworlds.report.release import release_page

    lay_out(folder)
    places = [check_place(folder / name) for name in ("report.html", "certificate.json")]
    with Curator.open(folder / "policy.yml") as curator:
        released = curator.release_all(_ASKED, _EPSILON, analyst="ann")
    certificate = certify(released)
    report = write(places[0], release_page(released))
    proof = write(places[1], json.dumps(certificate, indent=2, ensure_ascii=False) + "\n")
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
        print_answer(verdict.answer())
        out.print()
    out.print("Next: twoworlds explain 'dp(epsilon=1)'; twoworlds statements 'skellam(1, 1)'")


def _noise(picture: Path | None, *, as_json: bool) -> None:
    """Print what the scale of Laplace noise means (Wu, Figure 4)."""
    from twoworlds.report.noise import SCALES, draw_densities, spread

    rows = [spread(scale) for scale in SCALES]
    saved = save_picture(picture, draw_densities)
    if as_json:
        found = [{name: to_json(x) for name, x in row._asdict().items()} for row in rows]
        print_json({"scales": found, **saved})
        return
    out = console()
    out.print(
        "Laplace noise is as far off as its scale on average, and beyond three times the scale in "
        "5% of the cases. The scale is the sensitivity divided by epsilon."
    )
    print_table(
        ["scale", "epsilon of a count", "density at 0", "mean size", "beyond 3 scales"],
        [
            [show(row.scale), show(1 / row.scale), show(row.peak), show(row.mean), show(row.beyond)]
            for row in rows
        ],
    )
    print_saved(saved)


def _epsilon(picture: Path | None, *, as_json: bool) -> None:
    """Print what epsilon means as a factor (Wu, Figure 5)."""
    from twoworlds.report.exponential import EPSILONS, bounds_at, draw_exponential

    rows = [bounds_at(x) for x in EPSILONS]
    saved = save_picture(picture, draw_exponential)
    if as_json:
        found = [{name: to_json(x) for name, x in row._asdict().items()} for row in rows]
        print_json({"epsilons": found, **saved})
        return
    out = console()
    out.print(
        "Odds can grow by the factor e^epsilon. Up to epsilon 1 it lies between 1 + epsilon and "
        "1 + epsilon + epsilon^2: a small epsilon is, nearly, the share by which they grow."
    )
    print_table(
        ["epsilon", "1 + epsilon", "e^epsilon", "1 + epsilon + epsilon^2", "1 + 2 epsilon"],
        [[decimal(x, 6) for x in row] for row in rows],
    )
    print_saved(saved)


def _k_anonymity(*, as_json: bool) -> None:
    """Print a k-anonymous table that gives everything away."""
    found = demonstration()
    if as_json:
        print_json(found.to_dict())
        return
    print_answer(found.answer())
