r"""Swings of several outputs, computed independently on one database.

The likelihood ratios of the parts multiply: r(x) = r_1(x) r_2(x) ... at an output of each. The
largest r belongs to one database for all parts, so their moves (`twoworlds.definitions
.swing_statistic`) are taken jointly; persons are alike only where every part is a sum.

Which outputs are enough: all of a finite part; of geometric noise those from the smallest to the
largest value, since r is constant beyond them. If the likelihood ratio of a part has no bound,
take a change x -> x_-i of its statistic and outputs of the other parts that x can produce: either
x_-i cannot, or the ratio of x grows without bound while that of x_-i itself is 1. So R is infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from twoworlds.definitions.semantics.games import default_value
from twoworlds.definitions.semantics.swing_cases import (
    Case,
    Swing,
    bare,
    largest,
    of_cases,
    on_answers,
    people,
    refuse_large,
    removals,
)
from twoworlds.definitions.semantics.swing_statistic import limit_far_out, summed, telling_outputs
from twoworlds.errors import Unsupported
from twoworlds.mechanisms import Mechanism, OnStatistic
from twoworlds.mechanisms.paired import Paired
from twoworlds.numbers import INFINITY, Number
from twoworlds.worlds import Additive, Change, Point, Universe

__all__ = ["on_pair"]


def on_pair(mechanism: Paired, default: object) -> Swing:
    """Return the largest swing of several outputs, computed independently on one database."""
    if bare(mechanism.universe):
        return on_answers(mechanism)
    parts = list(_flat(mechanism))
    d = default_value(people(mechanism.universe), default)
    found = [
        _of_joint_moves(mechanism, parts, person, moves)
        for person, moves in _joint(mechanism.universe, parts, d).items()
    ]
    return largest(found)


def _flat(mechanism: Mechanism) -> Iterator[Mechanism]:
    if isinstance(mechanism, Paired):
        yield from _flat(mechanism.first)
        yield from _flat(mechanism.second)
    else:
        yield mechanism


def _nested(mechanism: Mechanism, outputs: Iterator[Point]) -> Point:
    """Put outputs of all parts together, as the pair itself writes them."""
    if isinstance(mechanism, Paired):
        return _nested(mechanism.first, outputs), _nested(mechanism.second, outputs)
    return next(outputs)


def _joint(
    universe: Universe, parts: Sequence[Mechanism], default: Point
) -> dict[int, list[list[Change]]]:
    """Return, for each person, the distinct moves of all parts at once (one list for each move).

    A part that looks at no statistic moves from database to database.
    """
    statistics = [part.statistic for part in parts if isinstance(part, OnStatistic)]
    if len(statistics) == len(parts) and all(summed(universe, s) for s in statistics):
        sums: Any = statistics
        together = Additive(lambda v: tuple(s.phi(v) for s in sums), dimension=len(sums))
        moves = together.replacements(people(universe), default)
        found: Iterable[tuple[int, Point, Point]] = ((1, move.x, move.y) for move in moves)
    else:
        found = removals(universe, default)
    kept: dict[int, dict[object, list[Change]]] = {}
    for person, x, y in found:
        changes = [_change(part, x, y) for part in parts]
        key = tuple((change.before, change.after) for change in changes)
        kept.setdefault(person, {}).setdefault(key, changes)
    return {person: list(moves.values()) for person, moves in kept.items()}


def _change(part: Mechanism, x: Point, y: Point) -> Change:
    if isinstance(part, OnStatistic):
        return Change(part.statistic(x), part.statistic(y), x, y)
    return Change(x, y, x, y)


def _of_joint_moves(
    mechanism: Paired, parts: Sequence[Mechanism], person: int, moves: list[list[Change]]
) -> Swing:
    columns = [[move[k] for move in moves] for k in range(len(parts))]
    tables = []
    for part, column in zip(parts, columns, strict=True):
        changed = [change for change in column if change.before != change.after]
        if changed and isinstance(part, OnStatistic) and _endless(part, changed):
            # The likelihood ratio of a change is unbounded, that of x_-i is 1.
            case = Case(changed[0].x, changed[0].y, Fraction(1), Fraction(1))
            return Swing(INFINITY, None, person, case, case, attained=False)
        outputs = telling_outputs(part, column)
        refuse_large(len(outputs) * len(column), part.expression)
        tables.append([(t, [_chances(part, t, change) for change in column]) for t in outputs])
    size = prod(len(table) for table in tables) * len(moves)
    refuse_large(size, mechanism.expression)

    def swing(chosen: Sequence[tuple[Point, list[tuple[Number, Number]]]]) -> Swing:
        t = _nested(mechanism, iter([o for o, _ in chosen]))
        cases = (
            Case(
                moves[m][0].x,
                moves[m][0].y,
                prod((chances[m][0] for _, chances in chosen), start=Fraction(1)),
                prod((chances[m][1] for _, chances in chosen), start=Fraction(1)),
            )
            for m in range(len(moves))
        )
        return of_cases(t, person, cases)

    return largest(swing(chosen) for chosen in product(*tables))


def _endless(part: OnStatistic, moves: list[Change]) -> bool:
    """Tell whether the likelihood ratio has no bound; refuse one that never becomes constant."""
    limit = limit_far_out(part.channel, moves)
    if limit is None or limit == INFINITY:
        return limit == INFINITY
    noise = part.channel.noise  # type: ignore[attr-defined]
    if noise.last_step(1) != 1:
        raise Unsupported(
            f"the likelihood ratio of {part.expression} never becomes constant, so it cannot be "
            "paired exactly with another mechanism: use geometric noise, or measure it alone"
        )
    return False


def _chances(part: Mechanism, t: Point, change: Change) -> tuple[Number, Number]:
    chance: Callable[[Point, Any], Number] = (
        part.channel.probability if isinstance(part, OnStatistic) else part.probability
    )
    return chance(t, change.before), chance(t, change.after)
