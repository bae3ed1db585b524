r"""The best simulator of many inputs and outputs, in floats: a good simulator and good tests.

The program is that of `_program`. Most s(t | y) are 0, so that only some of them are variables: a
solution is best if no other has a negative reduced cost

    sum over comparisons of   p(y) ( w_ideal(t) - a w_real(t) )   -   level(y),

with the multipliers w of the outputs' rows and level(y) of sum_t s(t | y) = 1. For each y those
enter that have the least cost among their neighbours in the list of outputs; a sum of 1,000 people
then takes a few programs of some thousand variables. Probabilities below 2^-50 are left out, and
the search ends when six digits are known.

Nothing that is found here has to be believed: simulator and multipliers are rounded to fractions,
and what they prove is added up by fractions elsewhere (`proof`). The two ends need not meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.programs.solver import generate_in_floats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LEAST = 2.0**-50
_UNIT = 1 << 50
_CLOSE, _ZERO, _TINY, _SCALE = 1e-6, 1e-13, 2.0**-1000, 2.0**12
Law = Mapping[int, Fraction]
Stakes = dict[tuple[int, str], dict[int, Fraction]]


def near_best(
    worlds: Sequence[tuple[Law, Law]], ratio: Fraction, inputs: Sequence[int], shown: Sequence[int]
) -> tuple[Fraction, dict[int, dict[int, Fraction]], Stakes]:
    """Return delta, laws by input, and multipliers by comparison, favoured world and output.

    ``worlds`` holds P by output and p by input for each comparison; the numbers of comparisons are
    those of this list.
    """
    import numpy as np

    real = np.array([[float(p.get(t, 0)) for t in shown] for p, _ in worlds])
    ideal = np.array([[float(q.get(y, 0)) for y in inputs] for _, q in worlds])
    means = real @ np.arange(len(shown))  # inputs go by the mean output that they make likely
    order = np.argsort(means @ ideal / np.maximum(ideal.sum(axis=0), _TINY), kind="stable")
    inputs, ideal = [inputs[int(i)] for i in order], ideal[:, order]
    likely = [np.flatnonzero(table.max(axis=0) > _LEAST) for table in (real, ideal)]
    delta, simulator, weights = _solved(real[:, likely[0]], ideal[:, likely[1]], float(ratio))
    outputs = [shown[int(t)] for t in likely[0]]
    laws = [_rounded(row, outputs) for row in simulator]
    nearest = np.abs(np.arange(len(inputs))[:, None] - likely[1]).argmin(axis=1)
    stakes: Stakes = {}
    scale = _UNIT * (1 - 2.0**-40) / max(1.0, weights.max(axis=2).sum())  # 1 in all, or less
    for k, by_world in enumerate(weights):
        for world, row in zip(("real", "ideal"), by_world, strict=True):
            parts = [(t, int(w * scale)) for t, w in zip(outputs, row, strict=True)]
            stakes[k, world] = {t: Fraction(part, _UNIT) for t, part in parts if part > 0}
    return (
        Fraction(max(0.0, delta)),
        {y: laws[near] for y, near in zip(inputs, nearest, strict=True)},
        {key: row for key, row in stakes.items() if row},
    )


def _rounded(row: Floats, outputs: Sequence[int]) -> dict[int, Fraction]:
    """Return a law in multiples of 2^-50; what is missing goes to the likeliest output."""
    parts = {t: int(p * _UNIT) for t, p in zip(outputs, row, strict=True) if p * _UNIT >= 1}
    likeliest = max(parts, key=parts.__getitem__)
    parts[likeliest] += _UNIT - sum(parts.values())
    return {t: Fraction(part, _UNIT) for t, part in parts.items()}


def _solved(real: Floats, ideal: Floats, ratio: float) -> tuple[float, Floats, Any]:
    """Return delta, s(t | y), and the multipliers by comparison, world and output."""
    import numpy as np

    (count, outputs), (_, inputs) = real.shape, ideal.shape
    used = np.zeros((inputs, outputs), dtype=bool)
    middles = np.cumsum(ideal.mean(axis=0)) - ideal.mean(axis=0) / 2
    ranks = np.searchsorted(np.cumsum(real.mean(axis=0)), middles)
    for step in (-1, 0, 1):
        used[np.arange(inputs), np.clip(ranks + step, 0, outputs - 1)] = True
    places = [np.array(np.nonzero(used))]
    # Rows: sum_t s(t | y) = 1; then of each comparison and world the outputs', and their budget.
    starts = inputs + (outputs + 1) * np.arange(2 * count)

    def entering(places: Any) -> tuple[Any, Any, Any]:
        """Return the columns of some s(t | y): rows, numbers and values."""
        y, t = places
        rows = [y, *(start + t for start in starts)]
        scales = (scale * ideal[k, y] for k in range(count) for scale in (ratio, -1.0))
        values = [np.ones(len(y)), *scales]
        return np.concatenate(rows), np.tile(np.arange(len(y)), len(rows)), np.concatenate(values)

    def split(multipliers: Floats) -> tuple[Any, Floats]:
        by_world = multipliers[inputs:].reshape(count, 2, outputs + 1) / _SCALE
        return by_world[:, :, :outputs], multipliers[:inputs] / _SCALE

    def more(x: Floats, multipliers: Floats) -> tuple[Any, Any, Any] | None:
        weights, level = split(multipliers)
        prices = ideal.T @ (weights[:, 1] - ratio * weights[:, 0])
        won = (weights[:, 0] * real).sum() - ratio * (weights[:, 1] * real).sum()
        padded = np.pad(prices, ((0, 0), (1, 1)), constant_values=np.inf)
        least = (prices <= padded[:, :-2]) & (prices <= padded[:, 2:])
        new = least & (prices < level[:, None] - _ZERO) & ~used
        if x[0] - won - prices.min(axis=1).sum() < _CLOSE * x[0] + _ZERO or not new.any():
            return None
        used[new] = True
        places.append(np.array(np.nonzero(new)))
        return entering(places[-1])

    excess = 1 + np.arange(2 * count * outputs).reshape(2 * count, outputs)
    first = 1 + excess.size
    rows, numbers, values = entering(places[0])
    entries = [(rows, first + numbers, values)]
    lower = [np.ones(inputs)]
    for start, taken, world in zip(starts, excess, range(2 * count), strict=True):
        here, budget = start + np.arange(outputs), np.full(outputs + 1, start + outputs)
        entries.append((here, taken, np.ones(outputs)))
        entries.append((budget, np.append(0, taken), np.append(1.0, -np.ones(outputs))))
        known = real[world // 2]
        lower += [-ratio * known if world % 2 else known, np.zeros(1)]
    matrix = tuple(np.concatenate(part) for part in zip(*entries, strict=True))
    costs = np.zeros(first + places[0].shape[1])
    costs[0] = _SCALE  # so that multipliers have more digits than the solver's tolerance
    upper = np.append(np.ones(inputs), np.full(2 * count * (outputs + 1), np.inf))
    x, multipliers = generate_in_floats(costs, matrix, np.concatenate(lower), upper, more)
    simulator = np.zeros((inputs, outputs))
    simulator[tuple(np.concatenate(places, axis=1))] = np.maximum(0, x[first:])
    weights = np.maximum(0, split(multipliers)[0])
    return float(x[0]), simulator / simulator.sum(axis=1, keepdims=True), weights
