r"""The cells of an answer, their order and names, and the noisy number that each gets.

Declared cells come in the order of the policy, every one of them, whatever the data hold. Those in
which the conditions of the query leave no rows, by their own words, are stored and not shown.
Discovered cells are sorted by their keys. Nothing depends on the order in which an engine returns
rows. A cell has one entry for each axis: the place of a declared group, or a discovered key.

From true totals to noisy integers: the only place where data meet noise.

Every declared cell of every measure gets noise of its own, empty or not, all drawn at once and
before a total is looked at. Discovered cells cannot be known before: each one that somebody is in
gets noise on the measure of the threshold, and only those at or above it are kept; of the others
nothing is left. What is returned are whole numbers and nothing else, so that the grid of the
outputs is the unit of the policy, and the ledger can store it: everything shown to anyone is
computed from it.

    {"cells": None, "values": [[12, 3, ...], ...]}

``values`` has a list for each measure with one integer for each cell; for a quantile the place of
the chosen value in the grid. ``cells`` is None when all cells are declared, otherwise the list of
those that are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.laws.noise import Noise
from twoworlds.numbers import exact_text
from twoworlds.release.answers.estimates import choice_rate, scores
from twoworlds.release.ledger.entries import canonical
from twoworlds.release.policy.model import Value, plain_value, shown_value
from twoworlds.release.query.conditions import columns_of
from twoworlds.release.query.model import GroupAxis, value_of
from twoworlds.release.query.resolve import Resolved
from twoworlds.release.sensitivity import Calibration, MeasureNoise
from twoworlds.release.sensitivity.contributions import reachable

if TYPE_CHECKING:
    from twoworlds.release.noise import SystemBits
    from twoworlds.release.plan.groups import Totals

Cell = tuple[int | Value, ...]
MOST_DISCOVERED = 10_000  # cells that a query shows when it discovers keys
LONGEST_KEY = 200  # bytes of a discovered key, as the ledger has it
_UNDECLARED = "the engine returned a group that is not declared: please report this"


def declared(resolved: Resolved) -> list[Cell]:
    """Return all cells of a query whose groups are all declared; one empty cell without groups."""
    return list(product(*(range(size) for size in resolved.shape)))


def excluded(resolved: Resolved) -> list[tuple[int, ...]]:
    """Return the declared cells in which no row counts, by the conditions of the query alone.

    Where no cell can have rows, none is excluded: nobody can move the answer, and it is exact.
    """
    measures = resolved.measures
    conditions = [resolved.query.condition, *(measure.where for measure in measures)]
    looked_at = {name for condition in conditions for name in columns_of(condition)}
    if resolved.discovers or looked_at.isdisjoint(axis.column for axis in resolved.axes):
        return []
    allowed = {cell for measure in measures for cell in reachable(resolved, measure)}
    every = product(*map(range, resolved.shape))
    return [cell for cell in every if cell not in allowed] if allowed else []


def place(cell: Cell, shape: Sequence[int]) -> int:
    """Return where a declared cell stands in `declared`.

    >>> place((1, 2), (2, 3))
    5
    """
    if len(cell) != len(shape):
        raise InvalidInput(_UNDECLARED)
    found = 0
    for i, size in zip(cell, shape, strict=True):
        if type(i) is not int or not 0 <= i < size:
            raise InvalidInput(_UNDECLARED)
        found = found * size + i
    return found


def in_order(cells: Iterable[Cell]) -> list[Cell]:
    """Sort cells by their keys: numbers and dates by size, texts by code points."""
    return sorted(cells, key=lambda cell: [(type(part).__name__, part) for part in cell])


def shown(counts: Mapping[Cell, int], threshold: int, axes: Sequence[GroupAxis]) -> list[Cell]:
    """Return which discovered cells are shown, by their noisy counts: in the order they came in.

    Those that reach the threshold and have a short key; of too many the largest, and of equal ones
    the first. The cells before them are what a release without these limits would show.
    """
    kept = [
        cell
        for cell, count in counts.items()
        if count >= threshold
        and all(
            len(canonical(plain_value(part))) <= LONGEST_KEY  # type: ignore[arg-type]  # a key
            for part, axis in zip(cell, axes, strict=True)
            if axis.discover
        )
    ]
    largest = {*sorted(kept, key=lambda cell: -counts[cell])[:MOST_DISCOVERED]}
    return [cell for cell in kept if cell in largest]


def plain_cell(cell: Cell, axes: Sequence[GroupAxis]) -> list[Any]:
    """Return a cell as plain data.

    >>> plain_cell(("Bern", 1), [GroupAxis("city", discover=True), GroupAxis("sex", keys="fm")])
    ['Bern', 1]
    """
    return [
        plain_value(part) if axis.discover else part  # type: ignore[arg-type]  # a key
        for part, axis in zip(cell, axes, strict=True)
    ]


def read_cell(data: Any, axes: Sequence[GroupAxis]) -> Cell:
    """Read what `plain_cell` wrote."""
    if not isinstance(data, list) or len(data) != len(axes):
        raise InvalidInput(f"a stored group must have {len(axes)} parts")
    return tuple(_read(part, axis) for part, axis in zip(data, axes, strict=True))


def group_label(axis: GroupAxis, part: int | Value) -> str:
    """Return a group as a person would write it; the group of everything else is told from keys.

    >>> from fractions import Fraction
    >>> axis = GroupAxis("age", bins=(Fraction(0), Fraction(18), Fraction(65)), other=True)
    >>> [group_label(axis, i) for i in range(3)]
    ['0 to <18', '18 to 65', 'other']
    """
    if axis.discover:
        return shown_value(part)  # type: ignore[arg-type]  # a key
    i = _index(part)
    if axis.other and i == axis.size - 1:
        label = "other"
        while label in axis.keys:
            label = f"({label})"
        return label
    if axis.keys:
        return shown_value(axis.keys[i])
    last = "" if i == len(axis.bins) - 2 else "<"
    return f"{exact_text(axis.bins[i])} to {last}{exact_text(axis.bins[i + 1])}"


def group_data(axis: GroupAxis, part: int | Value) -> Any:
    """Return a group as JSON has it: a key, ``{"from", "to"}`` or ``{"other": true}``."""
    if axis.discover:
        return plain_value(part)  # type: ignore[arg-type]  # a key
    i = _index(part)
    if axis.other and i == axis.size - 1:
        return {"other": True}
    if axis.keys:
        return plain_value(axis.keys[i])
    return {"from": exact_text(axis.bins[i]), "to": exact_text(axis.bins[i + 1])}


def _index(part: int | Value) -> int:
    if type(part) is not int:
        raise InvalidInput("a declared group is known by its place")
    return part


def _read(part: Any, axis: GroupAxis) -> int | Value:
    if not axis.discover:
        if type(part) is not int or not 0 <= part < axis.size:
            raise InvalidInput(f"a stored group of {axis.column!r} is not declared")
        return part
    return value_of(part)


def noisy(
    resolved: Resolved,
    totals: Totals,
    calibration: Calibration,
    source: SystemBits,
    *,
    query: int = 0,
) -> dict[str, Any]:
    """Return noisy whole numbers as plain data, for a release."""
    from twoworlds.release.noise import Sampler
    from twoworlds.release.noise.choice import choose

    return stored(
        resolved,
        totals,
        calibration.noises[query],
        calibration.threshold,
        lambda law, size: Sampler.of(law).draw_integers(size, source),
        lambda given, rate: choose(given, rate, source),
    )


def stored(
    resolved: Resolved,
    totals: Totals,
    noises: Sequence[MeasureNoise],
    threshold: int | None,
    draw: Callable[[Noise, int], list[int]],
    choose: Callable[[Sequence[int], Fraction], int],
) -> dict[str, Any]:
    """Return totals with noise; ``draw`` and ``choose`` say where it comes from.

    The noise of a declared cell is drawn before its total is looked at.
    """
    measures, true = resolved.measures, totals.cells
    if len(noises) != len(measures):
        raise InvalidInput(
            f"{len(noises)} noises for {len(measures)} measures: calibrate this query"
        )

    def drawn(j: int, size: int) -> list[int]:
        noise = noises[j]
        if noise.law is not None:
            return draw(noise.law, size)
        if noise.sensitivity and measures[j].kind != "ranks":
            raise InvalidInput(f"measure {j} has no noise, though a person can move it: calibrate")
        return [0] * size

    def chosen(j: int, counts: Sequence[int] | None) -> int:
        measure, rate = measures[j], noises[j].rate
        if not rate:  # nobody can move it: the data are not looked at
            return 0
        bins = 2 * len(measure.grid) + 1
        given = scores([0] * bins if counts is None else [int(c) for c in counts], measure.at)
        return choose(given, choice_rate(measure.at, rate))

    def answers(wanted: Sequence[int], cells: Sequence[Cell]) -> dict[int, list[int]]:
        noise = {j: drawn(j, len(cells)) for j in wanted}
        found, nothing = {}, [0] * len(measures)
        for j in wanted:
            if measures[j].kind == "ranks":
                ranks = totals.ranks.get(j, {})
                found[j] = [chosen(j, ranks.get(cell)) for cell in cells]
            else:
                sums = (int(true.get(cell, nothing)[j]) for cell in cells)
                found[j] = [total + z for total, z in zip(sums, noise[j], strict=True)]
        return found

    every, decides = range(len(measures)), resolved.threshold
    if not resolved.discovers:
        for ranked in (true, *totals.ranks.values()):
            for cell in ranked:
                place(cell, resolved.shape)  # refuses one that is not declared
        return {"cells": None, "values": [*answers(every, declared(resolved)).values()]}
    if decides is None or threshold is None:
        raise InvalidInput("keys are discovered above a threshold, and none was calibrated")
    found = in_order(cell for cell, of in true.items() if of[decides] > 0)
    counts = dict(zip(found, answers([decides], found)[decides], strict=True))
    kept = shown(counts, threshold, resolved.axes)
    values = answers([j for j in every if j != decides], kept)
    values[decides] = [counts[cell] for cell in kept]
    cells = [plain_cell(cell, resolved.axes) for cell in kept]
    return {"cells": cells, "values": [values[j] for j in every]}
