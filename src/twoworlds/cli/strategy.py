"""``twoworlds strategy``: pay once for questions that may each depend on earlier answers.

The questions themselves are asked by ``twoworlds release ... --strategy NAME``.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from twoworlds.cli.app import Json, app
from twoworlds.cli.release import Analyst, Policy
from twoworlds.cli.render import console, print_json
from twoworlds.errors import InvalidInput
from twoworlds.numbers import show, to_json

if TYPE_CHECKING:
    from twoworlds.release.budget import Cost
    from twoworlds.release.curator import Curator

__all__ = ["strategy_app"]

strategy_app = typer.Typer(
    help="Pay once for questions that may each depend on the answers before.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"max_content_width": 120},
)
app.add_typer(strategy_app, name="strategy")

Name = Annotated[str, typer.Argument(metavar="NAME", help="what to call the strategy")]
OfDataset = Annotated[
    str | None, typer.Option("--dataset", help="what is asked, if the policy has several datasets")
]
_LONGEST = 1_000_000


@strategy_app.command("open")
def open_strategy(
    name: Name,
    policy: Policy = Path("policy.yml"),
    epsilon: Annotated[
        str | None, typer.Option(help="what all questions may cost together")
    ] = None,
    may_ask: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="questions that may be asked, with ; between them"),
    ] = None,
    each: Annotated[str | None, typer.Option(help="the epsilon of each of them alone")] = None,
    dataset: OfDataset = None,
    analyst: Analyst = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="say what it would cost; nothing is charged")
    ] = False,
    json_: Json = False,
) -> None:
    """Pay for a strategy, or find that it was paid; of --may-ask say what all together cost."""
    from twoworlds.release.budget import Cost
    from twoworlds.release.curator import Curator
    from twoworlds.release.ledger.state import check_name
    from twoworlds.release.strategy import find_strategy, price_of

    check_name(name, "strategy")
    if (may_ask is None) != (each is None):
        raise InvalidInput("--may-ask FILE and --each EPSILON go together: give both or neither")
    if epsilon is None and may_ask is None:
        raise InvalidInput(
            "say what to spend: --epsilon 1, or the questions with --may-ask FILE --each 1/2"
        )
    asked = [] if may_ask is None else _read(may_ask)
    with Curator.open(policy) as curator:
        if asked and dataset is None:
            dataset = curator.query(asked[0]).dataset
        dataset = _dataset(curator, dataset)
        who = curator.analyst(dataset, analyst)
        prices = price_of(curator, dataset, asked, each) if asked else None
        wanted = _wanted(epsilon, prices)
        before = find_strategy(curator, dataset, name, who)
        _check_same(name, before, wanted)
        if dry_run:
            curator.ledger.check(dataset, who, {"strategy": name}, Cost() if before else wanted)
            told = {"dry_run": True, "strategy": name, "dataset": dataset, "analyst": who}
            _print(
                told,
                wanted,
                prices,
                "It was paid before, and would cost nothing more." if before else None,
                json_,
            )
            return
        found = curator.strategy(dataset, wanted, name=name, analyst=who).resume()
        told = {**found.to_dict(), "charged": before is None}
        said = f"Strategy {name!r} is open" + (
            f", paid with {wanted.shown()}: ask with release --strategy {name}."
            if before is None
            else " already; you pay nothing more."
        )
        _print(told, wanted, prices, said, json_)


@strategy_app.command("show")
def show_strategy(
    name: Name,
    policy: Policy = Path("policy.yml"),
    dataset: OfDataset = None,
    analyst: Analyst = None,
    json_: Json = False,
) -> None:
    """Show the questions so far, and what they cost together and one by one."""
    from twoworlds.release.answers.words import asked
    from twoworlds.release.curator import Curator

    with Curator.open(policy) as curator:
        found = resumed(curator, _dataset(curator, dataset), name, analyst)
        said = [asked(question) for question in found.questions]
        if json_:
            print_json({**found.to_dict(), "asked": said})
            return
        out = console()
        for number, question in enumerate(said, start=1):
            out.print(Text(f"{number}. {question}"))
        out.print(Text(found.explain()))


def resumed(curator: Curator, dataset: str, name: str, analyst: str | None) -> Any:
    """Return a strategy that was opened, with its questions so far.

    Raises:
        InvalidInput: when it was not.
    """
    from twoworlds.release.strategy import find_strategy

    who = curator.analyst(dataset, analyst)
    paid = find_strategy(curator, dataset, name, who)
    if paid is None:
        raise InvalidInput(
            f"{who} has no strategy {name!r} on {dataset!r}: open it first, as in "
            f"twoworlds strategy open {name} --epsilon 1"
        )
    return curator.strategy(dataset, paid, name=name, analyst=who).resume()


def _read(path: Path) -> list[str]:
    """Return the questions of a file."""
    from sqlglot.errors import SqlglotError
    from sqlglot.tokens import Tokenizer

    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LONGEST + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is no text file in UTF-8") from None
    if len(text) > _LONGEST:
        raise InvalidInput(f"{path} has more than {_LONGEST} characters: ask less")
    try:
        tokens = Tokenizer().tokenize(text)
    except SqlglotError:
        raise InvalidInput(f"{path} cannot be read as SQL: a quote is not closed") from None
    groups: list[list[Any]] = [[]]
    for token in tokens:
        if token.token_type.name == "SEMICOLON":
            groups.append([])
        else:
            groups[-1].append(token)
    found = [text[group[0].start : group[-1].end + 1] for group in groups if group]
    if not found:
        raise InvalidInput(f"{path} has no question: write queries with ; between them")
    return found


def _dataset(curator: Curator, name: str | None) -> str:
    names = [*curator.policy.datasets]
    if name is None and len(names) > 1:
        raise InvalidInput(f"say what is asked: --dataset {' or '.join(names)}")
    return curator.policy.dataset(names[0] if name is None else name).name


def _wanted(epsilon: str | None, prices: tuple[Fraction, Fraction] | None) -> Cost:
    """Return the price: what is given, or what the questions cost together."""
    from twoworlds.release.budget import Cost, parse_cost

    if epsilon is None:
        assert prices is not None
        return Cost(epsilon=prices[0])
    wanted = parse_cost(f"epsilon={epsilon}")
    if prices is not None and prices[0] > wanted.epsilon:
        raise InvalidInput(
            f"these questions cost {show(prices[0])} together, more than {wanted.shown()}: "
            "give a larger --epsilon or a smaller --each, or leave --epsilon out"
        )
    return wanted


def _check_same(name: str, before: str | None, wanted: Cost) -> None:
    from twoworlds.release.budget import parse_cost

    if before is not None and parse_cost(before) != wanted:
        raise InvalidInput(
            f"strategy {name!r} was paid with {parse_cost(before).shown()}, not {wanted.shown()}: "
            "use another name for another strategy"
        )


def _print(
    told: dict[str, Any],
    wanted: Cost,
    prices: tuple[Fraction, Fraction] | None,
    said: str | None,
    as_json: bool,
) -> None:
    if prices is not None:
        listed = {"together": to_json(prices[0]), "one_by_one": to_json(prices[1])}
        told = {**told, "may_ask": listed}
    if as_json:
        print_json({**told, "cost": wanted.to_dict()})
        return
    out = console()
    if prices is not None:
        out.print(
            f"Together these questions cost epsilon {show(prices[0])}, one by one they would cost "
            f"{show(prices[1])}."
        )
    if said is not None:
        out.print(Text(said))
    if "dry_run" in told and said is None:
        out.print(f"The strategy would cost {wanted.shown()}. Nothing was charged.")
