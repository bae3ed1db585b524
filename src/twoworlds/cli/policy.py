"""``twoworlds policy``: begin a policy, import text files, check both."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.release import Policy
from twoworlds.cli.render import console, print_json, progress
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.files import check_place, write

if TYPE_CHECKING:
    from twoworlds.release.policy.examination import Examination
    from twoworlds.release.policy.imports import Imported
    from twoworlds.release.policy.model import Dataset

__all__ = ["policy_app"]

policy_app = typer.Typer(
    help="Begin a policy file, check it, and import text files for it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"max_content_width": 120},
)
app.add_typer(policy_app, name="policy")

Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="whether the first line names the columns"),
]
Encoding = Annotated[
    str | None, typer.Option(help="of the text, such as latin-1; UTF-8 or by its mark otherwise")
]
Delimiter = Annotated[
    str | None, typer.Option(help="between values, such as ';' or tab; a comma otherwise")
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="COLUMN=KIND", help="integer, number, text, boolean or date"),
]
Skip = Annotated[
    bool, typer.Option("--skip-unreadable", help="leave out records that cannot be read")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="replace a Parquet file that no import made")
]


@policy_app.command("check")
def check_policy(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="the policy file")],
    data: Annotated[
        bool, typer.Option("--data", help="report what the data are like, for their owner alone")
    ] = False,
    json_: Json = False,
) -> None:
    """Check a policy, and its columns against the data; say what it declares, or all faults."""
    from twoworlds.release.policy.checking import checked
    from twoworlds.release.policy.examination import WARNING
    from twoworlds.release.policy.reading import read_with_faults

    read, faults = read_with_faults(file)
    found, others = checked(read, data=data)
    if faults or others:
        raise InvalidInput("\n".join(faults + others))
    if json_:
        print_json({"file": str(file), "holds": True, "datasets": [one.to_dict() for one in found]})
        return
    for one in found:
        console().print(Text(one.explain()))
    if data:
        console().print(Text(WARNING))
    for one in found:
        for examined in one.examined:
            console().print(Text("\n".join(examined.lines())))
    console().print(f"{file}: nothing is wrong with it")


@policy_app.command("new")
def new_policy(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="a .parquet, .duckdb or .sqlite file; a .csv or .tsv is imported"
        ),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="the policy file to write")] = Path(
        "policy.yml"
    ),
    name: Annotated[str, typer.Option(help="what queries call the table")] = "people",
    table: Annotated[
        str | None, typer.Option(help="the table in a .duckdb or .sqlite file")
    ] = None,
    kinds: Kinds = None,
    header: Header = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    skip_unreadable: Skip = False,
    replace: Replace = False,
    json_: Json = False,
) -> None:
    """Begin a policy from the names and types of the columns; a text file is imported first."""
    from twoworlds.release.backends.sources import text_file_of
    from twoworlds.release.policy.checking import draft
    from twoworlds.release.policy.imports import import_text
    from twoworlds.release.policy.model import Column, Dataset

    if file.exists():
        raise InvalidInput(f"{file} is there already: give another name")
    check_place(file)
    if text_file_of(data) is None:
        if kinds or encoding or delimiter or header is not None:
            raise InvalidInput(
                f"{data} is no text file: --kind, --header, --encoding and --delimiter say how one "
                "is read"
            )
        write(file, draft(data, name, table=table, folder=file.parent))
        if json_:
            print_json({"file": str(file)})
        else:
            console().print(f"wrote {file}: fill in bounds, keys and the budget, then check it")
        return
    asks = sys.stdin.isatty() and not json_
    if header is None and not kinds and not asks and Path(data).exists():
        raise InvalidInput(
            f"{data}: say --header if its first line has the names of the columns, or --no-header "
            "if it is a record like the others: no record must get into the policy"
        )
    with progress():
        imported = import_text(
            Path(data),
            kinds=_kinds(kinds),
            expected=[*_kinds(kinds)],
            header=header,
            encoding=encoding,
            delimiter=delimiter,
            skip_unreadable=skip_unreadable,
            replace=replace,
            ask=_ask if asks else None,
        )
        columns = {column: Column(column, kind) for column, kind in imported.kinds.items()}
        report = _examined(
            Dataset(name, str(imported.target), "add-remove", columns=columns), imported
        )
    write(file, draft(str(imported.target), name, folder=file.parent))
    if json_:
        print_json({"file": str(file), "data": str(imported.target), "report": report.to_dict()})
        return
    console().print(Text(report.explain()))
    console().print(
        f"wrote {imported.target} and {file}: fill in bounds, keys and the budget, then check it "
        "with --data",
        soft_wrap=True,
    )


@policy_app.command("import")
def import_data(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="a .csv or .tsv file")],
    policy: Policy = Path("policy.yml"),
    dataset: Annotated[str | None, typer.Option(help="which dataset it is, if of several")] = None,
    public: Annotated[
        str | None, typer.Option(help="which public table of the dataset it is, if one")
    ] = None,
    kinds: Kinds = None,
    header: Header = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    skip_unreadable: Skip = False,
    replace: Replace = False,
    json_: Json = False,
) -> None:
    """Write the typed Parquet file of a text file beside it, as a policy declares it."""
    from twoworlds.release.backends.sources import text_file_of
    from twoworlds.release.policy.examination import as_dataset
    from twoworlds.release.policy.imports import import_text
    from twoworlds.release.policy.reading import read_with_faults

    if text_file_of(data) is None:
        raise InvalidInput(f"{data} is no text file (.csv, .tsv): only those are imported")
    read, faults = read_with_faults(policy, text_sources=True)
    if faults:
        raise InvalidInput("\n".join(faults))
    if dataset is None and len(read.datasets) > 1:
        raise InvalidInput(f"say which it is with --dataset: {', '.join(read.datasets)}")
    declared = one = read.dataset(next(iter(read.datasets)) if dataset is None else dataset)
    key = set()
    if public is not None:
        if public not in one.public:
            raise UnknownName("public table", public, one.public)
        declared, key = as_dataset(one.public[public]), {one.public[public].key}
    known = {column.name: str(column.kind) for column in declared.columns.values()}
    with progress():
        imported = import_text(
            data,
            kinds={**_kinds(kinds), **known},
            expected=key | {*known},
            header=header,
            encoding=encoding,
            delimiter=delimiter,
            skip_unreadable=skip_unreadable,
            replace=replace,
        )
        report = _examined(declared, imported)
    if json_:
        print_json({"data": str(imported.target), "report": report.to_dict()})
        return
    console().print(Text(report.explain()))
    console().print(f"wrote {imported.target}", soft_wrap=True)
    if text_file_of(declared.source) is not None:
        console().print(
            f"Next: write {imported.target.name} instead of {data.name} as the source of "
            f"{declared.name} in {policy}",
            soft_wrap=True,
        )


def _examined(dataset: Dataset, imported: Imported) -> Examination:
    from twoworlds.release.backends import open_backend
    from twoworlds.release.policy.examination import examine

    backend, relation = open_backend(imported.target)
    try:
        return examine(dataset, backend, relation).after_import(imported)
    finally:
        backend.close()


def _kinds(said: Sequence[str] | None) -> dict[str, str]:
    """Read COLUMN=KIND, where the name of a column may hold signs of equality."""
    found = {}
    for one in said or ():
        name, sign, kind = one.rpartition("=")
        if not sign or not name:
            raise InvalidInput(f"--kind {one}: write COLUMN=KIND, such as age=integer")
        found[name] = kind
    return found


def _ask(names: Sequence[str], sure: bool) -> bool:
    """Ask whether the first line has names; on standard error, beside the answer."""
    return typer.confirm(
        f"The first line reads: {', '.join(map(repr, names))}\nAre these the names of the columns?",
        default=True if sure else None,
        err=True,
    )
