"""``twoworlds anonymity``: how anonymous a table is, whom it exposes, and how to coarsen it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.render import console, print_json, print_table, progress
from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    from twoworlds.attacks.anonymity import Anonymity, Generalised
    from twoworlds.numbers import Number

__all__ = ["anonymity"]

_MOST_PARTS = 40
_BRIEF = 9
_SHORT = {
    "smallest group (k)": "k",
    "distinct values (l)": "l",
    "entropy, e^H (l)": "e^H",
    "largest share": "share",
    "equal distance (t)": "t equal",
    "ordered distance (t)": "t ordered",
}


@app.command()
def anonymity(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="a CSV, TSV or Parquet file, or a bundled example")
    ],
    quasi: Annotated[
        str | None,
        typer.Option(help="the columns that an attacker may know: zip,age,nationality"),
    ] = None,
    sensitive: Annotated[str | None, typer.Option(help="the column to be protected")] = None,
    k: Annotated[
        str | None, typer.Option("--k", help="claim: every group has at least so many people")
    ] = None,
    diversity: Annotated[
        str | None, typer.Option("--l", help="claim: at least so many sensitive values in a group")
    ] = None,
    entropy: Annotated[
        str | None, typer.Option(help="claim: e to the entropy of a group is at least this")
    ] = None,
    recursive: Annotated[
        str | None,
        typer.Option(metavar="C,L", help="claim: recursive (c, l)-diversity, such as 3,2"),
    ] = None,
    closeness: Annotated[
        str | None, typer.Option("--t", help="claim: no group is further from the whole table")
    ] = None,
    distance: Annotated[
        str | None,
        typer.Option(
            help="equal or ordered; by default ordered if all sensitive values are numbers"
        ),
    ] = None,
    groups: Annotated[
        str,
        typer.Option(
            metavar="texts|knowledge",
            help="form groups of equal cells, or of what exact knowledge matches",
        ),
    ] = "texts",
    subsets: Annotated[
        bool, typer.Option("--subsets", help="measure every part of the quasi-identifier, too")
    ] = False,
    make: Annotated[
        str | None, typer.Option(metavar="K", help="make the table K-anonymous, with least loss")
    ] = None,
    hierarchies: Annotated[
        Path | None, typer.Option(metavar="FILE", help="how columns may be coarsened, as YAML")
    ] = None,
    suppression: Annotated[
        str | None, typer.Option(help="the share of people whom --make may leave out: 0 if not")
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="certainty|discernibility", help="what --make keeps least: certainty if not"
        ),
    ] = None,
    keep: Annotated[
        str | None, typer.Option(help="further columns that --make publishes as they are: a,b")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="OUT", help="where --make writes")
    ] = None,
    json_: Json = False,
) -> None:
    """Measure the anonymity of a table, name whom it exposes, or make it anonymous.

    With --make, claims are checked on the table that was made; one that fails is not written.
    """
    from twoworlds.attacks.composition.examples import example_note

    note = example_note(file)
    columns = _columns(quasi)
    if make is not None:
        _make(
            file,
            columns,
            sensitive,
            make=make,
            hierarchies=hierarchies,
            output=output,
            suppression="0" if suppression is None else suppression,
            claims=_Claimed(k, diversity, entropy, _pair(recursive), closeness, distance),
            subsets=subsets,
            groups=groups,
            loss="certainty" if loss is None else loss,
            keep=_columns(keep) or [],
            json_=json_,
        )
        return
    _refuse_without_make(
        {
            "--hierarchies": hierarchies,
            "--output": output,
            "--suppression": suppression,
            "--loss": loss,
            "--keep": keep,
        }
    )
    if columns is None:
        raise InvalidInput("name the columns that an attacker may know: --quasi zip,age")
    from twoworlds.attacks.anonymity import examine

    with progress():
        found = examine(
            file,
            columns,
            sensitive,
            k=k,
            diversity=diversity,
            entropy=entropy,
            recursive=_pair(recursive),
            closeness=closeness,
            distance=distance,
            subsets=subsets,
            groups=groups,
        )
    if json_:
        print_json(found.to_dict())
    else:
        if note is not None:
            console().print(Text(note))
        _print(found)
    if found.holds is False:
        raise typer.Exit(1)


class _Claimed(NamedTuple):
    """Claims as they were typed."""

    k: str | None
    diversity: str | None
    entropy: str | None
    recursive: tuple[str, str] | None
    closeness: str | None
    distance: str | None


def _refuse_without_make(options: dict[str, object]) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        belong = "belongs" if len(given) == 1 else "belong"
        raise InvalidInput(
            f"{' and '.join(given)} {belong} to --make K, which makes a table anonymous: give that "
            "as well"
        )


def _make(
    file: str,
    columns: list[str] | None,
    sensitive: str | None,
    *,
    make: str,
    hierarchies: Path | None,
    output: Path | None,
    suppression: str,
    claims: _Claimed,
    subsets: bool,
    groups: str,
    loss: str,
    keep: list[str],
    json_: bool,
) -> None:
    from twoworlds.attacks.anonymity import anonymise, read_hierarchies
    from twoworlds.attacks.anonymity.claims import Claims
    from twoworlds.attacks.anonymity.examination import check_extent

    if hierarchies is None:
        raise InvalidInput("--make needs to know how columns may be coarsened: --hierarchies FILE")
    if output is not None:
        _check_output(output, {"the table": Path(file), "the file of hierarchies": hierarchies})
    declared = read_hierarchies(hierarchies)
    for column in columns or ():
        if column not in declared:
            raise InvalidInput(
                f"{hierarchies} declares no hierarchy for {column}: add one, such as "
                f"{column}: suppress"
            )
    chosen = {column: declared[column] for column in columns or declared}
    wanted = claims._replace(
        k=make if claims.k is None else claims.k,
        distance="equal" if claims.distance is None else claims.distance,
    )
    read = Claims.read(*wanted, sensitive)
    check_extent(list(chosen), subsets=subsets, groups=groups)
    asked = subsets or groups != "texts" or any(claim is not None for claim in claims)
    with progress():
        found = anonymise(
            file,
            chosen,
            make,
            sensitive=sensitive,
            suppression=suppression,
            diversity=claims.diversity,
            closeness=claims.closeness,
            loss=loss,
            keep=keep,
        )
        empty = found.left_out == found.people
        examined = (
            None if empty and not asked else found.examined(read, subsets=subsets, groups=groups)
        )
        failed = examined is not None and examined.holds is False
        written = None if output is None or failed else found.write(output)
    if json_:
        place = {"output": None if written is None else str(written)} if output else {}
        plain = None if examined is None else examined.to_dict()
        print_json({**found.to_dict(), "anonymity": plain, **place})
    else:
        _print_made(found, examined)
        if written is not None:
            console().print(f"wrote {written}", soft_wrap=True)
        elif output is not None:
            console().print(f"{output} was not written: a claim does not hold", soft_wrap=True)
    if failed:
        raise typer.Exit(1)


def _check_output(output: Path, sources: dict[str, Path]) -> None:
    """Refuse to write over what is read, by whatever name or link it goes."""
    from twoworlds.files import check_place

    check_place(output)
    for what, source in sources.items():
        if output.exists() and source.exists() and output.samefile(source):
            raise InvalidInput(
                f"-o {output} is {what} itself, which would be lost: give another name"
            )


def _columns(text: str | None) -> list[str] | None:
    """Read names of columns, if there are any."""
    from twoworlds.attacks.tables import named_columns

    return None if text is None else named_columns(text)


def _pair(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    first, comma, second = text.partition(",")
    if not comma:
        raise InvalidInput(f"--recursive {text}: give c and l, such as 3,2")
    return first.strip(), second.strip()


def _print(found: Anonymity) -> None:
    from twoworlds.attacks.anonymity.answer import CAUTION

    out = console()
    for sentence in found.sentences():
        out.print(Text(sentence))
    _print_measures(found)
    if found.subsets:
        _print_parts(found)
    out.print(Text(CAUTION))


def _print_measures(found: Anonymity) -> None:
    from twoworlds.attacks.anonymity.answer import shown

    rows = [
        [name, shown(worst.value), found.people_in(worst.group)]
        for name, worst in found.measures.named()
    ]
    print_table(["measure", "value", "worst group"], rows)


def _print_parts(found: Anonymity) -> None:
    headings = [_SHORT[name] for name, _ in found.measures.named()]
    rows = [
        [", ".join(part.columns), *(_brief(worst.value) for _, worst in part.named())]
        for part in found.subsets[:_MOST_PARTS]
    ]
    console().print(Text("If only some of the columns are known:"))
    print_table(["known", *headings], rows)
    if len(found.subsets) > _MOST_PARTS:
        console().print(f"and {len(found.subsets) - _MOST_PARTS} more: --json has all of them")


def _brief(value: Number) -> str:
    from fractions import Fraction

    from twoworlds.numbers import decimal

    brief = str(value) if isinstance(value, Fraction) else ""
    return brief if 0 < len(brief) <= _BRIEF else decimal(value, side="down")


def _print_made(made: Generalised, examined: Anonymity | None) -> None:
    out = console()
    for sentence in made.sentences():
        out.print(Text(sentence))
    if examined is not None:
        out.print()
        _print(examined)
