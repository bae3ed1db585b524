"""The commands about mechanisms and guarantees, each a few lines around the public API."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from twoworlds import DifferentialPrivacy, Mechanism, mechanism
from twoworlds import (
    check as check_claim,
)
from twoworlds import (
    measure as measure_it,
)
from twoworlds.cli import accuracy, listing, matrix, tests
from twoworlds.cli import demo as demo_
from twoworlds.cli import local as local_
from twoworlds.cli import posterior as posterior_
from twoworlds.cli import sensitivity as sensitivity_
from twoworlds.cli import theorems as theorems_
from twoworlds.cli.app import Group, Json, Neighbours, Picture, Text, Where, app
from twoworlds.cli.render import (
    console,
    print_answer,
    print_json,
    print_saved,
    progress,
    save_picture,
)
from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole
from twoworlds.report import draw_odds, draw_profile

__all__: list[str] = []


@app.command()
def measure(
    mechanism_: Text,
    ratio: Annotated[str | None, typer.Option(help="e^epsilon: ask for the delta there")] = None,
    epsilon: Annotated[str | None, typer.Option(help="ask for the delta there")] = None,
    delta: Annotated[str | None, typer.Option(help="ask for the smallest epsilon there")] = None,
    neighbours: Neighbours = None,
    group: Group = "1",
    definition: Annotated[str, typer.Option(help="the definition to measure in")] = "dp",
    universe: Where = None,
    profile: Annotated[bool, typer.Option("--profile", help="the delta of every ratio")] = False,
    picture: Picture = None,
    json_: Json = False,
) -> None:
    """Say what a mechanism costs: the exact ratio, epsilon or delta, and the worst case."""
    built = mechanism(mechanism_, universe=universe)
    size = None if group == "1" else group
    with progress():
        if profile:
            if (ratio, epsilon, delta) != (None, None, None) or definition != "dp":
                raise InvalidInput(
                    "--profile is the whole curve of dp: leave numbers and definition out"
                )
            _profile(built, neighbours, group, picture=picture, as_json=json_)
            return
        verdict = measure_it(
            built,
            ratio=ratio,
            epsilon=epsilon,
            delta=delta,
            neighbours=neighbours,
            group=size,
            definition=definition,
        )
    saved = save_picture(picture, lambda: draw_odds(verdict))
    if json_:
        print_json({**verdict.to_dict(), **saved})
    else:
        print_answer(verdict.answer())
        print_saved(saved)


def _profile(
    built: Mechanism, neighbours: str | None, group: str, *, picture: Path | None, as_json: bool
) -> None:
    asked = DifferentialPrivacy(neighbours=neighbours, group=whole(group, "group", at_least=1))
    found = asked.profile(built)
    pieces = found.to_dict()
    source = f"{built.expression}; assumes {'; '.join(asked.setting(built).assumptions)}"
    saved = save_picture(picture, lambda: draw_profile(found, source=source))
    if as_json:
        print_json({"mechanism": built.expression, "profile": pieces, **saved})
    else:
        console().print(f"{built.expression}: tight delta at every ratio a = e^epsilon\n\n{found}")
        print_saved(saved)


@app.command()
def check(
    mechanism_: Text,
    claim: Annotated[str, typer.Argument(help="a definition such as 'dp(ratio=3, delta=1/100)'")],
    neighbours: Neighbours = None,
    group: Annotated[str | None, typer.Option(help="how many people may differ at once")] = None,
    universe: Where = None,
    json_: Json = False,
) -> int:
    """Decide whether a claim holds: exit 0 if it does, exit 1 with a witness if not."""
    built = mechanism(mechanism_, universe=universe)
    with progress():
        verdict = check_claim(built, claim, neighbours=neighbours, group=group)
    code = 0 if verdict else 1
    with contextlib.suppress(BrokenPipeError):  # the exit code tells what the reader left unread
        print_json(verdict.to_dict()) if json_ else print_answer(verdict.answer())
    return code


@app.command()
def show(
    mechanism_: Text,
    database: Annotated[
        str | None, typer.Option(help="one column: the law on this database")
    ] = None,
    output: Annotated[
        str | None, typer.Option(help="one row: the likelihoods of this output")
    ] = None,
    decimals: Annotated[
        bool, typer.Option("--decimals", help="decimals instead of fractions")
    ] = False,
    save: Annotated[
        Path | None, typer.Option(help="write the exact matrix to a .csv or .json file")
    ] = None,
    universe: Where = None,
    json_: Json = False,
) -> None:
    """Print a mechanism's matrix: one row per output, one column per database."""
    built = mechanism(mechanism_, universe=universe)
    matrix.show(
        built, database=database, output=output, decimals=decimals, save=save, as_json=json_
    )


@app.command("list")
def list_(
    what: Annotated[
        str | None,
        typer.Argument(
            help="mechanisms, definitions, universes, statistics, beliefs, classes, sides, "
            "private or sizes"
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """List what can be named, with one line each."""
    listing.show(what, as_json=json_)


@app.command()
def posterior(
    mechanism_: Text,
    belief: Annotated[str, typer.Option(help="the attacker's belief, such as 'independent(3/4)'")],
    output: Annotated[str, typer.Option(help="what was published")],
    secret: Annotated[
        str | None, typer.Option(help="parity, 1=value (record 1), or databases such as '11, 00'")
    ] = None,
    default: Annotated[str | None, typer.Option(help="the value that stands for no data")] = None,
    picture: Picture = None,
    json_: Json = False,
) -> None:
    """Say what an attacker concludes from an output, with everyone and without each person."""
    posterior_.show_posterior(
        mechanism(mechanism_),
        belief=belief,
        output=output,
        secret=secret,
        default=default,
        picture=picture,
        as_json=json_,
    )


@app.command()
def tradeoff(
    mechanism_: Text,
    true: Annotated[
        str | None, typer.Argument(metavar="DATABASE", help="the database to detect")
    ] = None,
    other: Annotated[
        str | None, typer.Argument(metavar="OTHER", help="the database it is told from")
    ] = None,
    belief: Annotated[
        str | None, typer.Option(help="test one record instead; the records are drawn from this")
    ] = None,
    person: Annotated[str, typer.Option(help="whose record is tested, counted from 1")] = "1",
    alternative: Annotated[
        str | None, typer.Option(help="the values of the record to detect, such as '1' or 'a, b'")
    ] = None,
    null: Annotated[
        str | None, typer.Option(help="the values they are told from (all others if left out)")
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="the best power at this false alarm rate")
    ] = None,
    picture: Picture = None,
    json_: Json = False,
) -> None:
    """Say how well any test can tell two databases, or values of one record, apart."""
    tests.show_trade_off(
        mechanism(mechanism_),
        true,
        other,
        belief=belief,
        person=person,
        alternative=alternative,
        null=null,
        level=level,
        picture=picture,
        as_json=json_,
    )


@app.command()
def sensitivity(
    statistic: Annotated[str, typer.Argument(help="such as count, histogram, mean, python:m:f")],
    universe: Annotated[str, typer.Option(help="such as 'bits(50)' or 'records(values=3, n=50)'")],
    neighbours: Annotated[str, typer.Option(help="substitute, add-remove or both")] = "both",
    norm: Annotated[str, typer.Option(help="L1 or L2")] = "L1",
    at: Annotated[str | None, typer.Option(help="a database: its local sensitivity")] = None,
    group: Group = "1",
    json_: Json = False,
) -> None:
    """Say how far one person can move a statistic, and show the pair of databases."""
    sensitivity_.show(
        statistic,
        universe=universe,
        neighbours=neighbours,
        norm=norm,
        at=at,
        group=group,
        as_json=json_,
    )


@app.command()
def error(
    mechanism_: Text,
    dimension: Annotated[str, typer.Option(help="how many independent answers")] = "1",
    t: Annotated[str, typer.Option(help="the tails are those beyond t")] = "1",
    json_: Json = False,
) -> None:
    """Say how wrong the answer will be: exact errors next to the printed bounds."""
    accuracy.show_errors(mechanism(mechanism_), dimension=dimension, t=t, as_json=json_)


@app.command()
def calibrate(
    noise: Annotated[str, typer.Argument(help="laplace or geometric")],
    sensitivity: Annotated[str, typer.Option(help="how far one person moves the answer")] = "1",
    epsilon: Annotated[str | None, typer.Option(help="the price of the whole query")] = None,
    ratio: Annotated[str | None, typer.Option(help="the same, as e^epsilon")] = None,
    error: Annotated[str | None, typer.Option(help="the expected absolute error wanted")] = None,
    json_: Json = False,
) -> None:
    """Find the noise for an epsilon, or the epsilon for the error you can accept."""
    accuracy.calibrate(
        noise,
        sensitivity=sensitivity,
        epsilon=epsilon,
        ratio=ratio,
        error=error,
        as_json=json_,
    )


@app.command()
def implies(
    guarantee: Annotated[str, typer.Argument(help="such as 'dp(epsilon=0.1, delta=1e-9)'")],
    to: Annotated[str, typer.Option(help="another kind, such as semantic, or a whole claim")],
    records: Annotated[str | None, typer.Option(help="how many records databases have")] = None,
    pairs: Annotated[
        str | None, typer.Option(help="for coupled worlds: how many pairs of scrub and secret")
    ] = None,
    values: Annotated[str | None, typer.Option(help="how many values a record may have")] = None,
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="the release ignores the order of records")
    ] = False,
    tagged: Annotated[
        bool, typer.Option("--tagged", help="simulators are told whose record is missing")
    ] = False,
    decided: Annotated[
        bool, typer.Option("--decided", help="every secret is true or false, never undecided")
    ] = False,
    json_: Json = False,
) -> int:
    """Say what follows from a guarantee, by which theorems, and which of them are false."""
    facts = {"symmetric": symmetric, "tagged": tagged, "decided": decided}
    return theorems_.show_implication(
        guarantee,
        to=to,
        records=records,
        pairs=pairs,
        values=values,
        facts=[name for name, holds in facts.items() if holds],
        as_json=json_,
    )


@app.command()
def local(
    mechanism_: Annotated[
        str | None, typer.Argument(metavar="MECHANISM", help="the mechanism in question")
    ] = None,
    belief: Annotated[str, typer.Option(help="the attacker's belief")] = "uniform",
    ratio: Annotated[str | None, typer.Option(help="e^epsilon, to hold where it can")] = None,
    epsilon: Annotated[str | None, typer.Option(help="the same, as epsilon")] = None,
    delta: Annotated[str, typer.Option(help="the probability of failing it")] = "0",
    default: Annotated[str | None, typer.Option(help="the value that stands for no data")] = None,
    statistic: Annotated[
        str | None, typer.Option(help="instead: calibrate Laplace noise for this statistic")
    ] = None,
    universe: Annotated[str | None, typer.Option(help="its databases")] = None,
    threshold: Annotated[
        str | None, typer.Option(help="a sensitivity that most databases do not exceed")
    ] = None,
    json_: Json = False,
) -> None:
    """Say what holds for one belief because most databases are good, and which are not."""
    if (mechanism_ is None) == (statistic is None):
        raise InvalidInput("give a mechanism, or --statistic with --threshold: one of them")
    if statistic is not None:
        local_.show_calibration(
            statistic,
            universe=universe,
            belief=belief,
            threshold=threshold,
            epsilon=epsilon,
            as_json=json_,
        )
        return
    assert mechanism_ is not None
    local_.show_good_databases(
        mechanism_,
        belief=belief,
        ratio=ratio,
        epsilon=epsilon,
        delta=delta,
        default=default,
        as_json=json_,
    )


@app.command("condition")
def condition_(
    first: Annotated[str, typer.Argument(help="a law of pairs: 's,1=1/10; c,1=9/10'")],
    second: Annotated[str, typer.Argument(help="another one")],
    inner: Annotated[str, typer.Option(help="the delta allowed given the second coordinate")],
    ratio: Annotated[str | None, typer.Option(help="e^epsilon")] = None,
    epsilon: Annotated[str | None, typer.Option(help="the same, as epsilon")] = None,
    json_: Json = False,
) -> None:
    """Say how often two laws of pairs are told apart given the second coordinate."""
    local_.show_conditioned(first, second, ratio=ratio, epsilon=epsilon, inner=inner, as_json=json_)


@app.command()
def theorems(
    name: Annotated[str | None, typer.Argument(help="one of them, in full")] = None,
    json_: Json = False,
) -> None:
    """List the theorems: as printed, corrected, and tight."""
    theorems_.list_theorems(name, as_json=json_)


@app.command()
def explain(
    what: Annotated[
        str, typer.Argument(help="a guarantee such as 'dp(epsilon=1)', or a mechanism")
    ],
    picture: Picture = None,
    json_: Json = False,
) -> None:
    """Say what a guarantee promises a person, in odds."""
    theorems_.explain(what, picture=picture, as_json=json_)


@app.command()
def demo(
    what: Annotated[
        str | None,
        typer.Argument(help="hospital (if left out), mechanisms, noise, epsilon, or k-anonymity"),
    ] = None,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="where the hospital's files are laid out")
    ] = Path("hospital"),
    picture: Picture = None,
    json_: Json = False,
) -> None:
    """Make a private release from a made-up hospital, or watch another demonstration."""
    demo_.run(what, folder=folder, picture=picture, as_json=json_)
