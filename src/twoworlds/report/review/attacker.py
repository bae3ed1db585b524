"""One attacker: what they believe before, and conclude with your data and without it.

Every output is tried where there are few; the one that tells most about a person is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from twoworlds.answer import Block, Said, Table
from twoworlds.charts import BLUE, GREY, ORANGE, Bar, GroupedBars
from twoworlds.definitions.semantics.games import Games, play
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import Number, above, stated
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.beliefs import belief as build_belief

_MOST_OUTPUTS, _MOST_DATABASES = 64, 12


def games_of(mechanism: Mechanism, belief: str) -> list[Games]:
    """Play the games for every output that the belief does not rule out.

    Raises:
        InvalidInput: where there are no persons, or more outputs than can be tried.
    """
    if not isinstance(mechanism.universe, Records) or not mechanism.universe.fixed:
        raise InvalidInput(
            f"--belief: {mechanism.universe.expression} has no fixed list of records to leave "
            "people out of; take a mechanism on bits or records"
        )
    size = mechanism.outputs.size
    if size is None or size > _MOST_OUTPUTS:
        raise InvalidInput(
            f"--belief: {mechanism.expression} has more than {_MOST_OUTPUTS} outputs; ask about "
            "one of them with: twoworlds posterior MECHANISM --belief BELIEF --output OUTPUT"
        )
    held = build_belief(belief, mechanism.universe)
    return [
        play(mechanism, held, output)
        for output in mechanism.outputs
        if _possible(mechanism, held, output)
    ]


def _possible(mechanism: Mechanism, belief: Belief, output: Point) -> bool:
    return any(mechanism.probability(output, x) != 0 for x in belief)


def attacker_blocks(belief: str, found: list[Games]) -> Iterator[Block]:
    """Yield what the attacker concludes: from the worst output in full, from all in a table."""
    worst = max(found, key=lambda games: above(games.worst))
    label = worst.mechanism.outputs.label(worst.output)
    person = _person(worst)
    without = worst.without[person]
    yield Said(
        (
            f"The attacker believes {belief}. The output that tells most about one person is "
            f"{label}: it moves the belief by {percent(worst.moved, side='about')} of probability "
            "from before, "
            f"and the data of person {person + 1} makes a difference of "
            f"{percent(worst.worst, side='about')}.",
        )
    )
    universe = worst.mechanism.universe
    databases = list(worst.prior)[:_MOST_DATABASES]
    groups = []
    for x in databases:
        after = None if without is None else without[x]
        bars = [
            Bar("before", above(worst.prior[x]), GREY),
            Bar("with your data", above(worst.with_everyone[x]), BLUE),
        ]
        if after is not None:
            bars.append(Bar("without it", above(after), ORANGE))
        groups.append((f"database {universe.label(x)}", bars))
    words = _words(worst, person, databases)
    title = f"Belief in each database, before and after output {label}"
    yield GroupedBars(title, groups, words)
    heads = ("output", "moved from before", "with and without you, at most")
    rows = tuple(
        (
            games.mechanism.outputs.label(games.output),
            stated(games.moved),
            stated(games.worst),
        )
        for games in found
    )
    yield Table(heads, rows, numbers=True)
    yield Said(
        (
            "Without a person: with "
            f"{worst.default} in the place of that person's record. The first number may be large "
            "because something was learned about everybody; the second is what a person is owed.",
        ),
        quiet=True,
    )


def _person(games: Games) -> int:
    """Return whose data makes the largest difference; an impossible output is the largest."""
    sizes = [float("inf") if d is None else above(d) for d in games.differences]
    return sizes.index(max(sizes))


def _words(games: Games, person: int, databases: list[Point]) -> str:
    universe, without = games.mechanism.universe, games.without[person]

    def told(x: Point) -> str:
        after: Number | None = None if without is None else without[x]
        last = (
            "impossible without them"
            if after is None
            else f"{percent(after, side='about')} without"
        )
        return (
            f"{universe.label(x)}: {percent(games.prior[x], side='about')} before, "
            f"{percent(games.with_everyone[x], side='about')} with everyone, {last}"
        )

    return f"Person {person + 1} left out. " + "; ".join(map(told, databases)) + "."


def attacker_data(found: list[Games]) -> list[dict[str, Any]]:
    """Return the games as JSON has them."""
    return [games.to_dict() for games in found]
