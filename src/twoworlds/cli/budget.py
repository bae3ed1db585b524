"""``twoworlds budget`` and ``ledger``: what may be spent, and what was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.release import Policy
from twoworlds.cli.render import console, print_json, print_table
from twoworlds.files import check_place
from twoworlds.numbers import Side, decimal, rational

__all__ = ["budget", "ledger_app"]

ledger_app = typer.Typer(
    help="Look at the ledger: what was charged, and whether its chain of hashes is whole.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"max_content_width": 120},
)
app.add_typer(ledger_app, name="ledger")

Where = Annotated[
    str,
    typer.Argument(metavar="WHERE", help="a policy file, the ledger's file, or postgresql://..."),
]
_YAML = (".yml", ".yaml")


@app.command()
def budget(
    policy: Policy = Path("policy.yml"),
    dataset: Annotated[str | None, typer.Option(help="only this dataset")] = None,
    json_: Json = False,
) -> None:
    """Show what may be spent on each dataset, what was spent, and what is left."""
    from twoworlds.release.budgets import budgets
    from twoworlds.release.policy import read_policy

    read = read_policy(policy)
    if dataset is not None:
        read.dataset(dataset)
    datasets = [one for one in budgets(read) if dataset in (None, one["dataset"])]
    if json_:
        print_json({"datasets": datasets})
        return
    _print_accounts(datasets)


def _print_accounts(datasets: list[dict[str, Any]]) -> None:
    headings = ["dataset", "who", "budget", "spent", "left", "added up by"]
    print_table(headings, [*_accounts(datasets)], repeated=2)


def _accounts(datasets: list[dict[str, Any]]) -> Iterator[list[str]]:
    for one in datasets:
        yield [one["dataset"], "everybody", *_account(one)]
        for analyst in one["analysts"]:
            yield ["", analyst["analyst"], *_account(analyst)]


def _account(account: Mapping[str, Any]) -> list[str]:
    from twoworlds.release.budget import parse_cap

    if "cap" not in account:
        return ["none", "", "", ""]
    cap = parse_cap(account["cap"])
    tail = "" if not cap.tail else f", tail {decimal(cap.tail, side='about')}"
    return [
        cap.most.shown() + tail,
        _cost(account["spent"], "about"),
        _cost(account["left"], "at least"),
        _rule(account),
    ]


def _rule(account: Mapping[str, Any]) -> str:
    """Name the rule that counts, with what the other one would say."""
    others = (
        f"{'plain sum' if rule == 'basic composition' else rule}: {_cost(cost, 'about')}"
        for rule, cost in account["by_rule"].items()
        if rule != account["rule"]
    )
    return str(account["rule"]) + "".join(f" ({said})" for said in others)


def _cost(cost: Mapping[str, Any], side: Side) -> str:
    from twoworlds.release.budget import Cost

    return Cost(**{name: rational(number["exact"]) for name, number in cost.items()}).shown(side)


@ledger_app.command("show")
def show_ledger(where: Where, json_: Json = False) -> None:
    """Show accounts and the number of charges and answers, after checking the chain."""
    from twoworlds.release.ledger import show

    place, mark = _located(where)
    found = show(place, mark=mark)
    if json_:
        print_json(found)
        return
    out = console()
    out.print(
        f"{found['entries']} entries: {found['charges']} charges, {found['answered']} answered, "
        f"{found['expired']} closed without an answer"
    )
    out.print(f"last hash {found['hash']}", soft_wrap=True)
    _print_accounts(found["datasets"])


@ledger_app.command("verify")
def verify_ledger(
    where: Annotated[
        str, typer.Argument(metavar="WHERE", help="as in show, or an exported .jsonl file")
    ],
    json_: Json = False,
) -> int:
    """Check every entry, every rule and the mark; exit 1 at the first entry that is wrong."""
    from twoworlds.release.exports import read_export
    from twoworlds.release.ledger import LedgerDamaged, verify, verify_export

    if Path(where).suffix == ".jsonl":
        try:
            found: dict[str, Any] = {"ok": True, **verify_export(read_export(where))}
        except LedgerDamaged as error:
            found = {"ok": False, "problem": str(error)}
    else:
        place, mark = _located(where)
        found = verify(place, mark=mark)
    holds = found.pop("ok")
    if json_:
        print_json({"holds": holds, **found})
    elif holds:
        console().print(
            f"The ledger holds: {found['entries']} entries, each with the hash of the one before, "
            "and no budget exceeded."
        )
    else:
        console().print(Text(f"The ledger does NOT hold: {found['problem']}"))
    return 0 if holds else 1


@ledger_app.command("export")
def export_ledger(
    where: Where,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a .jsonl file to write")],
    json_: Json = False,
) -> None:
    """Write all entries, one JSON object to a line, for `verify` and for safekeeping."""
    from twoworlds.release.exports import write_export
    from twoworlds.release.ledger import export

    check_place(file)
    place, _ = _located(where)
    count = write_export(file, export(place))
    if json_:
        print_json({"file": str(file), "entries": count})
    else:
        console().print(f"wrote {file}: {count} entries", soft_wrap=True)


@ledger_app.command("remark")
def remark_ledger(
    where: Where,
    reason: Annotated[str, typer.Option(help="why the mark is missing; kept in the ledger")],
    json_: Json = False,
) -> None:
    """Make a new mark for a ledger that lost it, if you know that this is its newest copy."""
    from twoworlds.release.ledger import remark

    place, mark = _located(where)
    remark(place, reason=reason, mark=mark)
    if json_:
        print_json({"remarked": True})
    else:
        console().print("made a new mark; the reason stands in the ledger")


def _located(where: str) -> tuple[str, str | None]:
    """Return the place of a ledger and of its mark."""
    if Path(where).suffix.lower() not in _YAML:
        return where, None
    from twoworlds.release.curator import ledger_place
    from twoworlds.release.policy import read_policy

    return ledger_place(read_policy(where))
