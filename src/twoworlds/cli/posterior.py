"""What an attacker concludes from one output, with everyone's data and without each person's."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.table import Table

from twoworlds.cli.render import console, print_json, print_saved, save_picture
from twoworlds.definitions.semantics.games import Games, play
from twoworlds.definitions.verdict import shortened
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import Number, show
from twoworlds.report import draw_games
from twoworlds.worlds.beliefs import belief as build_belief
from twoworlds.worlds.secret import Secret
from twoworlds.worlds.secret import secret as read_secret

__all__ = ["show_posterior"]

_MOST_PERSONS, _MOST_DATABASES = 12, 16


def show_posterior(
    mechanism: Mechanism,
    *,
    belief: str,
    output: str,
    secret: str | None,
    default: str | None,
    picture: Path | None,
    as_json: bool,
) -> None:
    """Print prior, Game 0 and the games without each person, side by side."""
    held = build_belief(belief, mechanism.universe)
    games = play(mechanism, held, output, default=default)
    asked = None if secret is None else read_secret(secret, mechanism.universe)
    if asked is not None:
        _certain(asked, held.probability(asked))
    saved = save_picture(picture, lambda: draw_games(games, asked))
    if as_json:
        print_json({**games.to_dict(asked), **saved})
        return
    out = console()
    out.print(_headline(games))
    out.print()
    if asked is not None:
        _print_secret(games, asked)
    else:
        _print_databases(games)
    _print_differences(games)
    print_saved(saved)


def _certain(secret: Secret, chance: Number) -> None:
    if chance == 0 or chance == 1:
        word = "impossible" if chance == 0 else "certain"
        raise InvalidInput(
            f"{secret.name} is {word} under this belief already: no output can change that"
        )


def _headline(games: Games) -> str:
    label = shortened(games.mechanism.outputs.label(games.output))
    return (
        f"{games.mechanism.expression}: after output {label}\n\n"
        f"The belief as a whole moves by {percent(games.moved)} from the prior. What the data of "
        f"one person adds to that is at most {percent(games.worst)}: so far do the conclusions "
        "with and without that person lie apart."
    )


def _print_secret(games: Games, secret: Secret) -> None:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("", f"P({secret.name})"):
        table.add_column(heading)
    for name, chance in list(games.chances(secret).items())[: _MOST_PERSONS + 2]:
        table.add_row(
            _words(name), "undefined: impossible output" if chance is None else show(chance)
        )
    console().print(table)


def _print_databases(games: Games) -> None:
    universe = games.mechanism.universe
    table = Table(box=box.SIMPLE_HEAD)
    persons = list(enumerate(games.without, start=1))[:_MOST_PERSONS]
    for heading in ("database", "prior", "with everyone", *(f"without {i}" for i, _ in persons)):
        table.add_column(heading)
    for x in list(games.prior)[:_MOST_DATABASES]:
        after = ["undefined" if b is None else show(b[x]) for _, b in persons]
        row = (show(games.prior[x]), show(games.with_everyone[x]), *after)
        table.add_row(shortened(universe.label(x)), *row)
    console().print(table)


def _print_differences(games: Games) -> None:
    for i, difference in list(enumerate(games.differences, start=1))[:_MOST_PERSONS]:
        if difference is None:
            console().print(f"  without person {i} this output is impossible: a breach")
        else:
            console().print(f"  with and without person {i}: differ by {show(difference)}")
    rest = len(games.differences) - _MOST_PERSONS
    if rest > 0:
        console().print(f"  ... and {rest} persons more")


def _words(name: str) -> str:
    if name == "prior":
        return "before"
    return "with everyone" if name == "game 0" else f"without person {name.split()[-1]}"
