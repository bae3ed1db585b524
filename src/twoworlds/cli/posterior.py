"""What an attacker concludes from one output, with everyone's data and without each person's.

Of many independent records, each treated on its own, no list of databases is made: the answer is
given record by record, and without person i record i keeps the law that it had before.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

from twoworlds.cli.render import console, print_json, print_saved, print_table, save_picture
from twoworlds.definitions.semantics.games import Games, play
from twoworlds.definitions.semantics.product import ProductBelief, product_belief
from twoworlds.definitions.verdict import shortened
from twoworlds.definitions.words import percent, points
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.numbers import (
    Number,
    Order,
    Side,
    at_most_one,
    compare,
    decimal,
    show,
    signed,
    stated,
    to_json,
)
from twoworlds.report import draw_games
from twoworlds.worlds.belief import LARGEST_SUPPORT, Belief
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
    held = _read_belief(belief, mechanism)
    asked = None if secret is None else read_secret(secret, mechanism.universe)
    if asked is not None:
        _certain(asked, _chance(asked, held))
    many = isinstance(held, ProductBelief) and _many(held)
    if many and picture is not None:
        raise TooLarge("a picture shows databases, and these are too many: leave out --picture")
    games = play(mechanism, held, output, default=default)
    chances = None if asked is None else _chances(games, asked)
    saved = save_picture(picture, lambda: draw_games(games, asked))
    if as_json:
        found = _data(games, asked, chances) if many else games.to_dict(asked)
        print_json({**found, **saved})
        return
    out = console()
    out.print(_headline(games))
    out.print()
    if asked is not None and chances is not None:
        _print_secret(asked, chances)
    elif many:
        _print_records(games)
    else:
        _print_databases(games)
    _print_differences(games)
    print_saved(saved)


def _read_belief(text: str, mechanism: Mechanism) -> Belief:
    """Read a belief, as a product of laws where it is one and the mechanism keeps it one."""
    product = product_belief(text, mechanism.universe) if isinstance(mechanism, PerRecord) else None
    return build_belief(text, mechanism.universe) if product is None else product


def _many(belief: ProductBelief) -> bool:
    return prod(len(law) for law in belief.laws) > LARGEST_SUPPORT


def _chance(secret: Secret, belief: Belief) -> Number:
    """Return the probability of a secret; of many records, for one record and for the parity."""
    if not isinstance(belief, ProductBelief) or not _many(belief):
        return belief.probability(secret)
    if secret.name.startswith("record "):
        _, person, _, value = secret.name.split(" ", 3)
        return {str(v): p for v, p in belief.marginal(int(person)).items()}[value]
    if secret.name.startswith("parity "):
        zero = Fraction(0)
        gaps = (law.get(0, zero) - law.get(1, zero) for law in belief.laws)
        even_less_odd = prod(gaps, start=Fraction(1))
        return (1 + (even_less_odd if secret.name.endswith("even") else -even_less_odd)) / 2
    return belief.probability(secret)  # which refuses, and says what can be asked


def _chances(games: Games, secret: Secret) -> dict[str, Number | None]:
    """Return the probability of a secret: before, with everyone, and without each person."""
    worlds: dict[str, Belief | None] = {"prior": games.prior, "game 0": games.with_everyone}
    worlds |= {f"game {i}": posterior for i, posterior in enumerate(games.without, start=1)}
    return {
        name: None if belief is None else at_most_one(_chance(secret, belief))
        for name, belief in worlds.items()
    }


def _data(
    games: Games, secret: Secret | None, chances: Mapping[str, Number | None] | None
) -> dict[str, Any]:
    """Return the games of many records as plain data, record by record."""
    moved = _distance(games)
    found: dict[str, Any] = {
        "mechanism": games.mechanism.expression,
        "output": games.mechanism.outputs.label(games.output),
        "default": str(games.default),
        "prior_to_posterior": None if moved is None else to_json(moved),
        "differences": [None if d is None else to_json(d) for d in games.differences],
        "records": [
            {name: {str(v): to_json(p) for v, p in law.items()} for name, law in laws.items()}
            for laws in _laws(games)
        ],
        "persons": len(games.without),
    }
    if secret is not None and chances is not None:
        found["secret"] = secret.name
        found["chances"] = {n: None if p is None else to_json(p) for n, p in chances.items()}
    return found


def _laws(games: Games) -> list[dict[str, dict[Any, Number]]]:
    """Return the law of every record before, and with everyone's data."""
    people = range(1, len(games.without) + 1)
    return [
        {"prior": games.prior.marginal(i), "game_0": games.with_everyone.marginal(i)}
        for i in people
    ]


def _distance(games: Games) -> Number | None:
    """Return how far the belief moved; None where too many records moved differently."""
    try:
        return games.moved
    except (TooLarge, Unsupported):
        return None


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
    moved = _distance(games)
    if moved is None:
        return "This output moves the belief, by an amount that would take too long to compute."
    if moved == 0:
        return "This output leaves the belief as it was."
    return f"This output moves the belief by {_points(moved, 'about')} away from the prior."


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


def _points(difference: Number, side: Side = "up") -> str:
    """Write a statistical difference in percentage points: so much does some event move."""
    if percent(difference) == "100%" and difference != 1:
        return "just below 100 percentage points"
    return points(difference, side=side)


def _print_secret(secret: Secret, chances: Mapping[str, Number | None]) -> None:
    rows = [
        (_words(name), "undefined: impossible output", "")
        if chance is None
        else (_words(name), _written(chance), _odds(chance))
        for name, chance in list(chances.items())[: _MOST_PERSONS + 2]
    ]
    print_table(("", f"P({secret.name})", "odds"), rows)


def _written(chance: Number) -> str:
    """Write a probability; what is too close to 1 to be told from it is not written as 1."""
    if compare(chance, 1) is Order.UNDECIDED:
        return "1, or just below"
    return stated(chance)


def _odds(chance: Number) -> str:
    """Write the odds that belong to a probability, rounded up: ``3 to 1``, ``1 to 3``."""
    if compare(chance, 0) is Order.EQUAL:
        return "0 to 1"
    if compare(chance, 1) is not Order.LESS:
        return "certain"
    against = (1 - chance) / chance
    if compare(against, 1) is Order.GREATER:
        text = decimal(against, 4, "down")
        sign = signed(against, text, side="down").removesuffix(text).replace(">", "<")
        return f"{sign}1 to {text}"
    odds = chance / (1 - chance)
    return f"{signed(odds, decimal(odds, 4))} to 1"


def _print_databases(games: Games) -> None:
    universe = games.mechanism.universe
    persons = list(enumerate(games.without, start=1))[:_MOST_PERSONS]
    headings = ("database", "prior", "with everyone", *(f"without {i}" for i, _ in persons))
    listed = list(games.prior)
    rows = []
    for x in listed[:_MOST_DATABASES]:
        after = ["undefined" if b is None else _written(b[x]) for _, b in persons]
        row = (_written(games.prior[x]), _written(games.with_everyone[x]), *after)
        rows.append((shortened(universe.label(x)), *row))
    print_table(headings, rows)
    if len(listed) > _MOST_DATABASES:
        rest = len(listed) - _MOST_DATABASES
        console().print(f"  ... and {rest} databases more: --json lists them all")


def _print_records(games: Games) -> None:
    rows = [
        (f"record {i} is {v}", _written(p), _written(laws["game_0"][v]), _written(p))
        for i, laws in list(enumerate(_laws(games), start=1))[:_MOST_PERSONS]
        for v, p in laws["prior"].items()
    ]
    print_table(("", "prior", "with everyone", "without that person"), rows)
    rest = len(games.without) - _MOST_PERSONS
    if rest > 0:
        console().print(f"  ... and {rest} records more: --json lists them all")


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
