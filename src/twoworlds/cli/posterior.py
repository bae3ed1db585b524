"""What an attacker concludes from one output, with everyone's data and without each person's."""

from __future__ import annotations

from pathlib import Path

from twoworlds.cli.render import console, print_json, print_saved, print_table, save_picture
from twoworlds.definitions.semantics.games import Games, play
from twoworlds.definitions.verdict import shortened
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import Number, Order, compare, decimal, show
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
    return f"{games.mechanism.expression}: after output {label}\n\n{_moved(games)} {_apart(games)}"


def _moved(games: Games) -> str:
    if games.moved == 0:
        return "This output leaves the belief as it was."
    return f"This output moves the belief by {_points(games.moved)} away from the prior."


def _apart(games: Games) -> str:
    if None in games.differences:
        return (
            "Without the data of some person it could not have come out at all: it gives that "
            "person away."
        )
    if games.worst == 0:
        return "The same output computed without any one person leads to the same conclusions."
    return (
        "Compared with the same output computed without one person's data, the conclusions differ "
        f"by at most {_points(games.worst)}."
    )


def _points(difference: Number) -> str:
    """Write a statistical difference in percentage points: so much does some event move."""
    points = percent(difference)[:-1]
    return f"{points} percentage point{'' if points == '1' else 's'}"


def _print_secret(games: Games, secret: Secret) -> None:
    chances = list(games.chances(secret).items())[: _MOST_PERSONS + 2]
    rows = [
        (_words(name), "undefined: impossible output", "")
        if chance is None
        else (_words(name), _chance(chance), _odds(chance))
        for name, chance in chances
    ]
    print_table(("", f"P({secret.name})", "odds"), rows)


def _chance(chance: Number) -> str:
    """Write a probability; what is too close to 1 to be told from it is not written as 1."""
    if compare(chance, 1) is Order.UNDECIDED:
        return "1, or just below"
    return show(chance)


def _odds(chance: Number) -> str:
    """Write the odds that belong to a probability, rounded up: ``3 to 1``, ``1 to 3``."""
    if compare(chance, 0) is Order.EQUAL:
        return "0 to 1"
    if compare(chance, 1) is not Order.LESS:
        return "certain"
    against = (1 - chance) / chance
    if compare(against, 1) is Order.GREATER:
        return f"1 to {decimal(against, 4, 'down')}"
    return f"{decimal(chance / (1 - chance), 4)} to 1"


def _print_databases(games: Games) -> None:
    universe = games.mechanism.universe
    persons = list(enumerate(games.without, start=1))[:_MOST_PERSONS]
    headings = ("database", "prior", "with everyone", *(f"without {i}" for i, _ in persons))
    listed = list(games.prior)
    rows = []
    for x in listed[:_MOST_DATABASES]:
        after = ["undefined" if b is None else _chance(b[x]) for _, b in persons]
        row = (_chance(games.prior[x]), _chance(games.with_everyone[x]), *after)
        rows.append((shortened(universe.label(x)), *row))
    print_table(headings, rows)
    if len(listed) > _MOST_DATABASES:
        rest = len(listed) - _MOST_DATABASES
        console().print(f"  ... and {rest} databases more: --json lists them all")


def _print_differences(games: Games) -> None:
    console().print(f"  without a person: with {games.default} as that person's record (--default)")
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
