"""A picture of the games: what was believed before, with everyone's data, and without a person's.

For a secret there is a bar for its probability before, after the output, and after the same output
computed without each person (Kasiviswanathan & Smith, equations 1 and 2). Without a secret the
databases stand below each other, each with three bars; the person left out is the one whose data
makes the largest difference. The step from before to after may be large. What a person is owed is
that *with everyone* and *without* are close.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from twoworlds.definitions.semantics.games import Games
from twoworlds.definitions.verdict import shortened
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number
from twoworlds.show.figure import BLUE, GREY, INK, ORANGE, canvas, percent_axis, style
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.secret import Secret

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Bar", "bars_of_databases", "bars_of_secret", "draw_games"]

_MOST_PERSONS, _MOST_DATABASES = 12, 16
_ROW, _GAP = 0.18, 0.12  # inches
_BEFORE, _WITH = "before", "with everyone"
_COLOURS = {_BEFORE: "#9a9a9a", _WITH: BLUE}  # and orange for every world without somebody


class Bar(NamedTuple):
    """A probability (None where undefined) in one world; bars of one group stand together."""

    group: str
    world: str
    chance: Number | None


def draw_games(games: Games, secret: Secret | None = None, *, person: int | None = None) -> Figure:
    """Draw the beliefs before, with everyone and without a person, for a secret or all databases.

    Args:
        games: from `twoworlds.definitions.semantics.games.play`.
        secret: its probability is drawn, in every game; the databases if left out.
        person: who is left out of the databases, counted from 1; the worst case if left out.

    Raises:
        InvalidInput: when there is no such person.
    """
    label = shortened(games.mechanism.outputs.label(games.output))
    if secret is None:
        bars, what = bars_of_databases(games, person=person), "each database"
    else:
        bars, what = bars_of_secret(games, secret), f"“{secret.name}”"
    sentence = (
        f"The belief as a whole moves by {percent(games.moved, side='about')} from before. The "
        "data of one "
        f"person adds at most {percent(games.worst)}: so far do the conclusions with and without "
        "that person lie apart."
    )
    said = "; ".join(" ".join((*filter(None, bar[:2]), _written(bar.chance))) for bar in bars)
    places = _places(bars)
    with style():
        figure, axes = canvas(
            f"Belief in {what} after output {label}",
            sentence,
            f"{games.mechanism.expression}; no data stands as {games.default}",
            words=f"{sentence} {said}.",
            height=places[-1] + _ROW,
            left=0.4 + 0.078 * max(len(bar.group or bar.world) for bar in bars),
        )
        _draw(axes, bars, places)
    return figure


def bars_of_secret(games: Games, secret: Secret) -> list[Bar]:
    """Return the probability of a secret before, with everyone, and without each person."""
    chances = [chance for _, chance in games.chances(secret).items()]
    worlds = [_BEFORE, _WITH, *(f"without person {i + 1}" for i in range(len(games.without)))]
    found = [Bar("", world, chance) for world, chance in zip(worlds, chances, strict=True)]
    return found[: _MOST_PERSONS + 2]


def bars_of_databases(games: Games, *, person: int | None = None) -> list[Bar]:
    """Return three bars for each database; of many databases, for the likeliest and the rest."""
    i = _worst_person(games) if person is None else person
    if not 1 <= i <= len(games.without):
        raise InvalidInput(f"person={i}: there are {len(games.without)}, counted from 1")
    beliefs: dict[str, Belief | None] = {
        _BEFORE: games.prior,
        _WITH: games.with_everyone,
        f"without person {i}": games.without[i - 1],
    }
    databases = list(games.prior)
    kept = _likeliest(databases, [belief for belief in beliefs.values() if belief is not None])
    groups = {shortened(games.mechanism.universe.label(x)): [x] for x in kept}
    rest = [x for x in databases if x not in set(kept)]
    if rest:
        groups[f"the other {len(rest)}"] = rest
    return [
        Bar(name, world, None if belief is None else sum((belief[x] for x in group), Fraction(0)))
        for name, group in groups.items()
        for world, belief in beliefs.items()
    ]


def _likeliest(databases: list[Point], beliefs: list[Belief]) -> list[Point]:
    if len(databases) <= _MOST_DATABASES:
        return databases
    ranked = sorted(databases, key=lambda x: -max(float(belief[x]) for belief in beliefs))
    chosen = set(ranked[: _MOST_DATABASES - 1])
    return [x for x in databases if x in chosen]


def _worst_person(games: Games) -> int:
    """Return who makes the largest difference; a posterior that is undefined is the largest."""
    sizes = [2.0 if d is None else float(d) for d in games.differences]
    return 1 + sizes.index(max(sizes))


def _places(bars: list[Bar]) -> list[float]:
    """Return how far below the top each bar stands, in inches, with gaps between groups."""
    places, at = [], _ROW
    for k, bar in enumerate(bars):
        if k:
            at += _ROW + (_GAP if bar.group != bars[k - 1].group else 0)
        places.append(at)
    return places


def _draw(axes: Axes, bars: list[Bar], places: list[float]) -> None:
    from matplotlib.ticker import MaxNLocator

    colours = [_COLOURS.get(bar.world, ORANGE) for bar in bars]
    widths = [0.0 if bar.chance is None else float(bar.chance) for bar in bars]
    axes.barh(places, widths, height=0.84 * _ROW, color=colours)
    grouped = bool(bars[0].group)
    longest = max(widths) if grouped else 1.0
    room = 1.4 if grouped else 1.12  # for the names next to the bars
    axes.set(xlim=(0, longest * room), ylim=(places[-1] + _ROW, 0), xlabel="probability")
    ticks = MaxNLocator(5).tick_values(0, longest)
    percent_axis(axes.xaxis, [x for x in ticks if x < longest + 1e-9])
    axes.spines["left"].set_visible(False)
    for bar, place, width in zip(bars, places, widths, strict=True):
        named = grouped and bar.group == bars[0].group
        text = f"{_written(bar.chance)} {bar.world}" if named else _written(bar.chance)
        colour = GREY if bar.world == _BEFORE else _COLOURS.get(bar.world, ORANGE)
        axes.annotate(
            text,
            (width, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            size=8,
        )
    _name_rows(axes, bars, places, grouped=grouped)


def _name_rows(axes: Axes, bars: list[Bar], places: list[float], *, grouped: bool) -> None:
    """Name each bar or, where they stand in groups, each group."""
    if not grouped:
        axes.set_yticks(places, labels=[bar.world for bar in bars])
    else:
        middles = [place for bar, place in zip(bars, places, strict=True) if bar.world == _WITH]
        axes.set_yticks(middles, labels=list(dict.fromkeys(bar.group for bar in bars)))
    axes.tick_params(axis="y", length=0, labelcolor=INK)


def _written(chance: Number | None) -> str:
    return "undefined: impossible output" if chance is None else percent(chance, side="about")
