"""``twoworlds noiseless ...``: exact releases, judged by what the attacker does not know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text as Styled

from twoworlds import noiseless
from twoworlds.cli.app import Json, app
from twoworlds.cli.render import console, print_answer, print_json, progress
from twoworlds.definitions import Verdict
from twoworlds.errors import InvalidInput, Undecided, UnknownName
from twoworlds.noiseless import HistogramRelease, Release
from twoworlds.worlds.catalogue import statistic as build_statistic
from twoworlds.worlds.catalogue import universe as build_universe
from twoworlds.worlds.classes import belief_class

__all__ = ["exact"]

exact = typer.Typer(
    help="Publish exact totals, tables and estimates: against whom is that private?",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"max_content_width": 120},
)
app.add_typer(exact, name="noiseless")

Epsilon = Annotated[str | None, typer.Option(help="how far odds may move: e^epsilon")]
Ratio = Annotated[str | None, typer.Option(help="the same, as e^epsilon")]
Delta = Annotated[
    str | None, typer.Option(help="the probability allowed beyond that: makes it a claim")
]
Known = Annotated[str, typer.Option(help="how many entries the attacker may know")]
Kind = Annotated[
    str, typer.Option(help="ddp (with your entry or without), or noiseless (two values of it)")
]
Data = Annotated[
    Path | None, typer.Option("--data", help="publish it from this CSV, TSV or Parquet file")
]
Column = Annotated[str | None, typer.Option(help="the column of the file")]
Missing = Annotated[str, typer.Option(help="rows without a value: refuse, or skip")]


def _solve(*unknowns: str) -> Any:
    return typer.Option(help=f"find the unknown that the claim allows: {' or '.join(unknowns)}")


@exact.command("sum")
def sum_(
    values: Annotated[
        list[str],
        typer.Option(
            help="what an entry may be: '-1,0,1', '0..20', '0=3/4, 1=1/4', 'uniform [-1, 1]', "
            "'component [-1, 1] at least 1/4'; repeat it, with --people, for groups"
        ),
    ],
    people: Annotated[
        list[str] | None, typer.Option(help="how many entries are added up, yours included")
    ] = None,
    known: Known = "0",
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
    simulator: Annotated[
        str, typer.Option(help="canonical, centred, resampled, or best of these")
    ] = "canonical",
    definition: Kind = "ddp",
    solve: Annotated[str | None, _solve("people", "known", "epsilon")] = None,
    data: Data = None,
    column: Column = None,
    missing: Missing = "refuse",
    json_: Json = False,
) -> int:
    """Judge an exact total of independent entries, some of which the attacker knows."""
    law = _laws(values, people, solve)
    claimed = delta is not None and solve != "epsilon"
    if definition == "noiseless" and simulator != "canonical":
        raise InvalidInput("noiseless privacy compares two values of an entry: no --simulator")
    count = None if people is None or len(people) > 1 else people[0]
    numbers: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon}
    asked: dict[str, Any] = {"delta": delta, "simulator": simulator, "definition": definition}
    if data is not None:
        _only_rows(solve, count, column)
        return _release(
            lambda: noiseless.release_total(
                data, _named(column), law, missing=missing, known=known, **numbers, **asked
            ),
            claimed=claimed,
            as_json=json_,
        )
    _no_column(column)
    ways: dict[str | None, Callable[[], Verdict]] = {
        None: lambda: noiseless.total(law, people=count, known=known, **numbers, **asked),
        "people": lambda: noiseless.solve_people(law, known=known, **numbers, **asked),
        "known": lambda: noiseless.solve_known(law, people=count, **numbers, **asked),
        "epsilon": lambda: noiseless.solve_epsilon(law, people=count, known=known, **asked),
    }
    _given_once(solve, {"people": count, "epsilon": epsilon or ratio, "known": known != "0"})
    return _answer(_way(ways, solve, delta), claimed=claimed, as_json=json_)


def _laws(values: list[str], people: list[str] | None, solve: str | None) -> Any:
    """Return one law, or the groups of several laws with their sizes."""
    if len(values) == 1:
        if people is not None and len(people) > 1:
            raise InvalidInput(f"--people is given {len(people)} times for one group of --values")
        return values[0]
    if people is None or len(people) != len(values):
        raise InvalidInput(
            f"{len(values)} groups of --values need a number of --people each, "
            f"{len(people or ())} given"
        )
    if solve == "people":
        raise InvalidInput("--solve people is for one group: name all but one law's numbers")
    return list(zip(values, people, strict=True))


@exact.command("histogram")
def histogram(
    threshold: Annotated[str | None, typer.Option(help="the smallest count that is shown")] = None,
    population: Annotated[
        str | None, typer.Option(help="the members of your bin, of each bin, '1..120', or any")
    ] = None,
    rate: Annotated[
        str | None, typer.Option(help="the probability with which each member is sampled")
    ] = None,
    mean: Annotated[
        str | None, typer.Option(help="instead: the mean of the others of a bin (Poisson)")
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="instead: the law of the size, such as 'fixed(size=1000)'")
    ] = None,
    shares: Annotated[
        str | None, typer.Option(help="with --size: the bins' shares, '1/2, 1/4, 1/4'")
    ] = None,
    place: Annotated[
        str | None, typer.Option(help="with --shares: a place in the list, not a person")
    ] = None,
    known: Annotated[
        str, typer.Option(help="of how many others of the bin it is known whether they are in")
    ] = "0",
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
    solve: Annotated[str | None, _solve("threshold", "known", "population", "rate")] = None,
    data: Data = None,
    column: Column = None,
    bins: Annotated[str | None, typer.Option(help="with --data: the declared bins, 'a, b'")] = None,
    missing: Missing = "refuse",
    json_: Json = False,
) -> int:
    """Judge a table of a random sample in which counts below a threshold are left out."""
    numbers: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
    law: dict[str, Any] = {"rate": rate, "mean": mean, "size": size, "shares": shares}
    claimed = delta is not None
    _known_way(solve, "threshold", "known", "population", "rate")
    _given_once(
        solve,
        {"threshold": threshold, "known": known != "0", "population": population, "rate": rate},
    )
    if solve != "threshold" and threshold is None:
        raise InvalidInput("give --threshold, the smallest count that is shown, or --solve it")
    if data is not None:
        _only_rows(solve, None, column)
        if bins is None:
            raise InvalidInput("--data needs --bins, declared beforehand: reading them off leaks")
        listed = [part.strip() for part in bins.split(",")]
        return _release(
            lambda: noiseless.release_histogram(
                data,
                _named(column),
                listed,
                population=population,
                threshold=threshold,
                known=known,
                place=place,
                missing=missing,
                **law,
                **numbers,
            ),
            claimed=claimed,
            as_json=json_,
        )
    _no_column(column)
    if bins is not None:
        raise InvalidInput("--bins are those of --data, which is missing")
    grown: dict[str, Any] = {"threshold": threshold, "known": known, **numbers}
    ways: dict[str | None, Callable[[], Verdict]] = {
        None: lambda: noiseless.truncated_histogram(population, place=place, **law, **grown),
        "threshold": lambda: noiseless.solve_threshold(
            population, place=place, known=known, **law, **numbers
        ),
        "known": lambda: noiseless.solve_known_members(
            population, threshold=threshold, **law, **numbers
        ),
        "population": lambda: noiseless.solve_population(rate=rate, **grown),
        "rate": lambda: noiseless.solve_rate(population, **grown),
    }
    _only_rates(solve, mean, size, shares, place)
    return _answer(_way(ways, solve, delta), claimed=claimed, as_json=json_)


def _only_rates(solve: str | None, *others: str | None) -> None:
    if solve in ("population", "rate") and any(other is not None for other in others):
        raise InvalidInput(f"--solve {solve} is for members sampled at a rate: leave the rest out")


@exact.command("map")
def map_(
    law: Annotated[
        list[str], typer.Option(help="a law that entries may follow, '1=3/4, 0=1/4'; repeat it")
    ],
    people: Annotated[
        str | None, typer.Option(help="how many entries there are, yours included")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="the curator's weights, '1/2, 1/2' if left out")
    ] = None,
    least: Annotated[
        str | None, typer.Option(help="the least probability that anybody gives to any law")
    ] = None,
    known: Known = "0",
    known_values: Annotated[
        str | None, typer.Option(help="which entries are known, such as '1=20'")
    ] = None,
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
    definition: Kind = "ddp",
    s: Annotated[str | None, typer.Option(help="the exponent of the theorems' bounds")] = None,
    solve: Annotated[str | None, _solve("people", "known")] = None,
    data: Data = None,
    column: Column = None,
    missing: Missing = "refuse",
    json_: Json = False,
) -> int:
    """Judge naming the likeliest of several laws (the MAP estimator)."""
    claimed = delta is not None and (ratio is not None or epsilon is not None)
    shares = None if weights is None else [part.strip() for part in weights.split(",")]
    numbers: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
    common: dict[str, Any] = {"weights": shares, "least": least, "definition": definition, "s": s}
    knowledge: dict[str, Any] = {"known": known, "known_values": known_values}
    if data is not None:
        _only_rows(solve, people, column)
        return _release(
            lambda: noiseless.release_likeliest(
                data, _named(column), law, missing=missing, **common, **knowledge, **numbers
            ),
            claimed=claimed,
            as_json=json_,
        )
    _no_column(column)
    if people is None and solve != "people":
        raise InvalidInput("give --people, or --solve people with --epsilon and --delta")
    ways: dict[str | None, Callable[[], Verdict]] = {
        None: lambda: noiseless.likeliest(law, people=people, **common, **knowledge, **numbers),
        "people": lambda: noiseless.likeliest_people(law, known=known, **common, **numbers),
        "known": lambda: noiseless.likeliest_known(law, people=people, **common, **numbers),
    }
    _given_once(solve, {"people": people, "known": known != "0" or known_values})
    return _answer(_way(ways, solve, delta), claimed=claimed, as_json=json_)


@exact.command("stable")
def stable(
    statistic: Annotated[str, typer.Argument(help="such as majority, parity, python:m:f")],
    universe: Annotated[str, typer.Option(help="such as 'bits(5)'")],
    belief: Annotated[str, typer.Option(help="a belief or a class of them")] = "uniform",
    side: Annotated[
        str | None, typer.Option(help="what the attacker knows besides, such as 'known(1)'")
    ] = None,
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
    json_: Json = False,
) -> int:
    """Judge a statistic that one record seldom changes (Theorems 11 and 12)."""
    where = build_universe(universe)
    function = build_statistic(statistic, where)
    beliefs = belief_class(belief, where, side)
    return _answer(
        lambda: noiseless.stable(
            function, beliefs, ratio=ratio, epsilon=epsilon, delta=delta, name=statistic
        ),
        claimed=delta is not None and (ratio is not None or epsilon is not None),
        as_json=json_,
    )


@exact.command("size")
def size(
    law: Annotated[
        str, typer.Argument(help="the law of a sample's size, such as 'poisson(mean=100)'")
    ],
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
    json_: Json = False,
) -> int:
    """Say how often the size of a sample gives away that one more is in it (equation 2)."""
    return _answer(
        lambda: noiseless.size_condition(law, ratio=ratio, epsilon=epsilon, delta=delta),
        claimed=delta is not None,
        as_json=json_,
    )


# --- what the commands share ----------------------------------------------------------------------


def _known_way(solve: str | None, *ways: str) -> None:
    if solve is not None and solve not in ways:
        raise UnknownName("thing to --solve for", solve, ways)


def _way(
    ways: dict[str | None, Callable[[], Verdict]], solve: str | None, delta: str | None
) -> Callable[[], Verdict]:
    _known_way(solve, *(way for way in ways if way))
    if solve is not None and delta is None:
        raise InvalidInput(f"--solve {solve} needs --delta, the probability that the claim allows")
    return ways[solve]


def _given_once(solve: str | None, given: dict[str, object]) -> None:
    """Refuse a number that is asked for and given at the same time."""
    if solve is not None and given.get(solve):
        raise InvalidInput(f"--{solve} is given and --solve asks for it: leave one of them out")


def _only_rows(solve: str | None, people: object, column: str | None) -> None:
    if solve is not None:
        raise InvalidInput("--solve finds an unknown, --data publishes: use one at a time")
    if people is not None:
        raise InvalidInput("with --data the number of people is the number of rows")
    _named(column)


def _named(column: str | None) -> str:
    if column is None:
        raise InvalidInput("--data needs --column, the name of the column to publish")
    return column


def _no_column(column: str | None) -> None:
    if column is not None:
        raise InvalidInput("--column names a column of --data, which is missing")


def _answer(ask: Callable[[], Verdict], *, claimed: bool, as_json: bool) -> int:
    with progress():
        verdict = ask()
    print_json(verdict.to_dict()) if as_json else print_answer(verdict.answer())
    return _code(verdict, claimed=claimed)


def _code(verdict: Verdict, *, claimed: bool) -> int:
    """Return the exit code; a claim that is neither proved nor refuted ends like bad input."""
    if claimed and verdict.holds is None:
        raise Undecided(
            f"undecided: delta is only known to lie between two numbers, and {verdict.definition} "
            "lies between them; claim more, or ask for fewer people"
        )
    return 1 if verdict.holds is False else 0


def _release(ask: Callable[[], Release | HistogramRelease], *, claimed: bool, as_json: bool) -> int:
    """Print a release of data: the belief that it rests on comes before everything else."""
    with progress():
        release = ask()
    if as_json:
        print_json(release.to_dict())
    else:
        out = console()
        belief = f"This rests on a belief: {release.verdict.assumptions[0]}."
        out.print(Styled(belief, style="bold"))
        out.print()
        print_answer(release.verdict.answer())
        out.print()
        if isinstance(release, Release):
            text = f"{release.statistic} of {release.rows:,} rows: {release.shown}"
        else:
            text = release.shown
        out.print(Padding(Styled(text, style="bold"), (0, 0, 0, 2)))
    return _code(release.verdict, claimed=claimed)
