"""Whether a simulator for inferences can do without symbols outside the range of the release.

Given which views must be served, at which inner delta, the conditions of `_column` are linear in
all columns together, and that every law adds up to 1 is one equation for each scrubbed database.
The program maximises the smallest probability with which an output that must be served is named.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction

from twoworlds.definitions.coupled._column import Sigma, View
from twoworlds.programs import Optimal, Rational, solve

__all__ = ["within_range"]

ZERO, ONE = Fraction(0), Fraction(1)
_MOST_ENTRIES = 1 << 18


def within_range(
    served: Iterable[tuple[int, Sequence[View]]],
    outputs: int,
    inputs: int,
    ratio: Fraction,
    level: Fraction,
) -> dict[int, Sigma] | None:
    """Return columns that add up to 1 and keep all served views within a level.

    None when there are none, or when the program would be too large to try.

    Args:
        served: outputs by number, with the views that must be kept.
        outputs: how many outputs there are.
        inputs: how many scrubbed databases there are.
        ratio: a = e^epsilon.
        level: the inner delta allowed.
    """
    wanted = _different(served)
    if sum(len(view.ideal) * len(view.total()) for _, view in wanted) > _MOST_ENTRIES:
        return None
    rows: list[dict[int, Rational]] = [
        {1 + y * outputs + t: ONE for t in range(outputs)} for y in range(inputs)
    ]
    lower: list[Rational | None] = [ONE] * inputs
    upper: list[Rational | None] = [ONE] * inputs
    width = 1 + inputs * outputs
    for t, view in wanted:
        place = {y: 1 + y * outputs + t for y in view.total()}
        total = {place[y]: q for y, q in view.total().items()}
        rows.append({**total, 0: -ONE})
        added, width = _conditions(view, place, total, ratio, level, width)
        rows += added
    lower += [ZERO] * (len(rows) - inputs)
    upper += [None] * (len(rows) - inputs)
    costs = [-ONE, *([ZERO] * (width - 1))]
    most = [ONE, *([None] * (width - 1))]
    outcome = solve(costs, rows, lower=lower, upper=upper, most=most)
    if not isinstance(outcome, Optimal) or outcome.value == 0:
        return None
    x = outcome.x
    return {
        t: {y: x[1 + y * outputs + t] for y in range(inputs) if x[1 + y * outputs + t] != 0}
        for t in range(outputs)
    }


def _different(served: Iterable[tuple[int, Sequence[View]]]) -> list[tuple[int, View]]:
    found: dict[tuple[object, ...], tuple[int, View]] = {}
    for t, views in served:
        for view in views:
            ideal = frozenset((v, frozenset(row.items())) for v, row in view.ideal.items())
            found.setdefault((t, frozenset(view.posterior.items()), ideal), (t, view))
    return list(found.values())


def _conditions(
    view: View,
    place: dict[int, int],
    total: dict[int, Fraction],
    ratio: Fraction,
    level: Fraction,
    width: int,
) -> tuple[list[dict[int, Rational]], int]:
    """Return the rows, all at least 0, of one view in both directions, and the new width."""
    rows: list[dict[int, Rational]] = []
    for favours_real in (True, False):
        budget: dict[int, Rational] = {j: level * q for j, q in total.items()}
        for v, p in _values(view):
            sign, scale = (ratio, -p) if favours_real else (-ONE, ratio * p)
            excess = {j: scale * q for j, q in total.items()}
            for y, q in view.ideal[v].items():
                excess[place[y]] += sign * q
            rows.append({**excess, width: ONE})
            budget[width] = -ONE
            width += 1
        rows.append(budget)
    return rows, width


def _values(view: View) -> list[tuple[Hashable, Fraction]]:
    return [(v, view.posterior.get(v, ZERO)) for v in view.ideal]
