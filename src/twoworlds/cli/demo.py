"""The main job on built-in examples, and attacks that one can watch."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from twoworlds import measure, mechanism
from twoworlds.attacks import demonstration
from twoworlds.cli.render import console, print_json, print_verdict
from twoworlds.errors import UnknownName

__all__ = ["run"]

_SURVEY = "randomized-response(bits=1000, keep=3/4)"
_COUNT = "geometric(ratio=2)"


def run(what: str | None, *, as_json: bool) -> None:
    """Print one demonstration, the two everyday releases by default."""
    shows = {"releases": _releases, "k-anonymity": _k_anonymity}
    name = "releases" if what is None else what
    if name not in shows:
        raise UnknownName("demonstration", name, shows)
    shows[name](as_json=as_json)


def _releases(*, as_json: bool) -> None:
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
