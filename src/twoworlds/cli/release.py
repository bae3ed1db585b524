"""``twoworlds release``: private answers from a table, within a budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.render import Interrupted, console, print_json, print_table, progress
from twoworlds.errors import InvalidInput
from twoworlds.files import check_place, write
from twoworlds.numbers import show, to_json

if TYPE_CHECKING:
    from twoworlds.release.curator import Curator, NoiseKind, Released
    from twoworlds.release.outputs import Kind
    from twoworlds.release.strategy import Strategy

_INTERRUPTED = "interrupted; if it was charged already, the same query again costs nothing more"
_LONG = 1 << 20  # characters of a certificate

__all__ = ["Analyst", "Policy", "release", "show_checked"]

Policy = Annotated[
    Path, typer.Option("--policy", metavar="FILE", help="the policy file of the data's owner")
]
Analyst = Annotated[str | None, typer.Option(help="who asks, if the policy names several")]


def _named(suffix: str) -> Callable[[Path | None], Path | None]:
    """Return a check that a file can be written, and has the suffix of its kind."""

    def check(path: Path | None) -> Path | None:
        if path is not None and path.suffix.lower() != suffix:
            raise InvalidInput(f"{path}: give it a name that ends in {suffix}")
        return None if path is None else check_place(path)

    return check


@app.command()
def release(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[DATA] SQL...",
            help="the data, if the policy does not say where it is, and one query or several",
        ),
    ],
    policy: Policy = Path("policy.yml"),
    epsilon: Annotated[str | None, typer.Option(help="what to spend, such as 1 or 'ln 3'")] = None,
    delta: Annotated[str | None, typer.Option(help="besides, such as 1e-6")] = None,
    rho: Annotated[
        str | None, typer.Option(help="instead of epsilon: zCDP, Gaussian noise")
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            help="find the epsilon at which 95% of the errors are at most this; no charge"
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="ask as the next question of a strategy that is open"),
    ] = None,
    analyst: Analyst = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="say what it would cost and how exact it would be")
    ] = False,
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", callback=_named(".json"), help="write a certificate, for `verify`"
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", callback=_named(".html"), help="write an HTML report"),
    ] = None,
    json_: Json = False,
) -> None:
    """Answer a query with noise set to the sensitivity of all of it, charged before it is shown."""
    data, queries = _split(words)
    outputs: dict[Kind, Path | None] = {"certificate": certificate, "report": report}
    with _curator(policy, data, queries, outputs) as curator, progress():
        if within is not None:
            if strategy is not None:
                raise InvalidInput("--within finds an epsilon, without --strategy: leave one out")
            _print_cost(curator, queries, within, epsilon or delta or rho, json_)
            return
        if strategy is not None:
            if epsilon is None or delta or rho or certificate or len(queries) > 1:
                raise InvalidInput(
                    "a strategy asks one query with --epsilon, and neither --delta nor --rho; "
                    "its questions have no --certificate of their own: the ledger has them all"
                )
            _ask(curator, strategy, queries[0], epsilon, analyst, dry_run, report, json_)
            return
        cost, noise = _cost(epsilon, delta, rho)
        if dry_run:
            plan = curator.plan(queries, cost, analyst=analyst, noise=noise)
            print_json(plan.to_dict()) if json_ else console().print(Text(plan.explain()))
            return
        try:
            released = curator.release_all(queries, cost, analyst=analyst, noise=noise)
        except KeyboardInterrupt:
            raise Interrupted(_INTERRUPTED) from None
    _print(released, certificate, report, as_json=json_)


def _split(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the data, if it is named, and the queries."""
    first, *rest = words
    if first.lstrip().lower().startswith(("select", "with", "(", "--", "/*")):
        return None, [first, *rest]
    if not rest:
        raise InvalidInput(
            f"{first!r} is no query: write one in quotes, such as "
            "'SELECT region, COUNT(*) FROM people GROUP BY region'"
        )
    return first, rest


def _curator(
    policy: Path, data: str | None, queries: Sequence[str], outputs: Mapping[Kind, Path | None]
) -> Curator:
    """Return the curator, after checking that what is to be written takes nobody's place."""
    from twoworlds.release.backends.sources import import_command, text_file_of
    from twoworlds.release.curator import Curator, open_ledger
    from twoworlds.release.outputs import check_output, kept_files
    from twoworlds.release.policy import read_policy
    from twoworlds.release.query.sql import parse_sql

    read = read_policy(policy)
    sources: dict[str, Any] = {}
    if data is not None:
        name = parse_sql(queries[0], read).dataset
        declared = read.dataset(name).source
        if text_file_of(data) is not None:
            command = import_command(Path(data), str(policy), name)
            raise InvalidInput(
                f"{data} is a text file, and releases read typed tables: run `{command}`, and then "
                f"release from {Path(data).with_suffix('.parquet')}"
            )
        if declared is not None and _other(data, declared, read.folder):
            raise InvalidInput(
                f"the policy says that {name!r} is elsewhere than {data}: leave the data out, or "
                "take source: out of the policy"
            )
        sources[name] = str(Path(data).absolute()) if declared is None else declared
    for kind, path in outputs.items():
        if path is not None:
            check_output(path, kind, kept_files(read, policy, sources))
    return Curator(read, open_ledger(read), sources=sources)


def _other(data: str, declared: Any, folder: Path) -> bool:
    """Whether a file is not the one that the policy names."""
    if not isinstance(declared, str):
        return True
    return Path(data).absolute().resolve() != (folder / declared).absolute().resolve()


def _cost(epsilon: str | None, delta: str | None, rho: str | None) -> tuple[str, NoiseKind]:
    if (epsilon is None) == (rho is None):
        raise InvalidInput("say what to spend: --epsilon 1, or --rho 1/8 for Gaussian noise")
    if rho is not None:
        if delta is not None:
            raise InvalidInput("--rho has no --delta of its own: the budget's delta covers it")
        return f"rho={rho}", "gaussian"
    return f"epsilon={epsilon}" + ("" if delta is None else f", delta={delta}"), "laplace"


def _print_cost(
    curator: Curator, queries: Sequence[str], within: str, given: str | None, as_json: bool
) -> None:
    if given is not None:
        raise InvalidInput("--within finds the epsilon: leave --epsilon, --delta and --rho out")
    found = curator.cost_for(queries, within)
    if as_json:
        print_json({"within": within, "cost": found.to_dict()})
    else:
        console().print(
            f"With {found.shown()}, 95% of the errors of every answer are at most {within}. "
            "Nothing was charged."
        )


def _ask(
    curator: Curator,
    name: str,
    query: str,
    epsilon: str,
    analyst: str | None,
    dry_run: bool,
    report: Path | None,
    as_json: bool,
) -> None:
    """Ask the next question of a strategy, or the same one again."""
    from twoworlds.cli.strategy import resumed

    found = resumed(curator, curator.query(query).dataset, name, analyst)
    if dry_run:
        _print_question(found, query, epsilon, as_json=as_json)
        return
    try:
        released = found.ask_once(query, epsilon)
    except KeyboardInterrupt:
        raise Interrupted(_INTERRUPTED) from None
    _print(released, None, report, as_json=as_json, strategy=found)


def _print_question(found: Strategy, query: str, epsilon: str, *, as_json: bool) -> None:
    plan = found.plan(query, epsilon)
    together, one_by_one = found.with_question(query, epsilon)
    if as_json:
        costs = {"together": to_json(together), "one_by_one": to_json(one_by_one)}
        print_json({**plan.to_dict(), "strategy": {**found.to_dict(), "with_question": costs}})
        return
    out = console()
    out.print(Text(plan.explain()))
    if plan.covered == "asked before":
        out.print(Text(found.explain()))
        return
    out.print(
        f"With this question the strategy costs epsilon {show(together)}; one by one its questions "
        f"would cost {show(one_by_one)}. It was paid with {show(found.cost.epsilon)}, and the "
        "question fits."
    )


def _print(
    released: Released,
    certificate: Path | None,
    report: Path | None,
    *,
    as_json: bool,
    strategy: Strategy | None = None,
) -> None:
    from twoworlds.release.certificate import certify

    saved: dict[str, str] = {}
    if certificate is not None:
        certified = certify(released)
        content = json.dumps(certified, ensure_ascii=False, separators=(",", ":"))
        if len(content) < _LONG:  # beyond that nobody reads it, and `verify` has a limit
            content = json.dumps(certified, indent=2, ensure_ascii=False)
        saved["certificate"] = str(write(certificate, content + "\n"))
    if report is not None:
        from twoworlds.report.release import release_page

        saved["report"] = str(write(report, release_page(released)))
    if as_json:
        more = {} if strategy is None else {"strategy": strategy.to_dict()}
        print_json({"answers": [answer.to_dict() for answer in released.answers], **more, **saved})
        return
    show_released(released)
    if strategy is not None:
        console().print(Text(strategy.explain()))
    for path in saved.values():
        console().print(f"wrote {path}", soft_wrap=True)


def show_released(released: Released) -> None:
    """Print every answer of a batch: what was asked, the table, what it means, what it cost."""
    from twoworlds.release.answers.words import (
        accuracy,
        asked,
        meaning,
        notes,
        price,
        protected,
    )

    out = console()
    for answer in released.answers:
        out.print(Text(asked(answer.resolved)))
        print_table(*answer.table(), repeated=max(1, len(answer.resolved.axes)))
        for said in (*map(accuracy, answer.columns), *notes(answer.resolved)):
            out.print(Padding(Text(said, style="dim"), (0, 0, 0, 2)))
        out.print()
    context = released.answers[0].context
    for said in meaning(context.cost, context.unit, context.neighbours):
        out.print(Padding(Text(said), (0, 0, 0, 2)))
    out.print()
    out.print(Text(protected(context.unit, context.neighbours), style="dim"))
    out.print(Text(released.calibration.explain(), style="dim"))
    out.print(Text(price(context)))


def show_checked(data: Any, file: Path, ledger: Path | None, *, as_json: bool) -> int:
    """Check the certificate of a release; print and return whether it holds."""
    from twoworlds.release.certificate import check_certificate

    found = check_certificate(data, ledger=ledger)
    if as_json:
        print_json({"file": str(file), **found.to_dict()})
        return 0 if found.holds else 1
    out = console()
    out.print(
        f"{file}: this certificate of a release {'holds' if found.holds else 'does NOT hold'}"
    )
    for said in found.done:
        out.print(Padding(Text(f"checked: {said}"), (0, 0, 0, 2)))
    if found.failure is not None:
        out.print(Padding(Text(f"wrong: {found.failure}", style="bold red"), (0, 0, 0, 2)))
    out.print(Padding(Text(f"not checked: {found.left_out}"), (0, 0, 0, 2)))
    return 0 if found.holds else 1
