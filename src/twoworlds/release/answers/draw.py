r"""From true totals to noisy integers: the only place where data meet noise.

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

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.laws.noise import Noise
from twoworlds.release.answers.cells import Cell, in_order, place, plain_cell, shown
from twoworlds.release.answers.widths import choice_rate, scores
from twoworlds.release.query.resolve import Measure, Resolved
from twoworlds.release.sensitivity import Calibration, MeasureNoise

if TYPE_CHECKING:
    from twoworlds.release.noise import SimulatedBits, SystemBits
    from twoworlds.release.plan.totals import Totals

__all__ = ["noisy", "simulated"]

Draw = Callable[[Noise, int], list[int]]
Choose = Callable[[Sequence[int], Fraction], int]


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

    return _Release(
        resolved,
        totals,
        calibration.noises[query],
        calibration.threshold,
        lambda law, size: Sampler.of(law).draw_integers(size, source),
        lambda given, rate: choose(given, rate, source),
    ).stored()


def simulated(
    resolved: Resolved,
    totals: Totals,
    calibration: Calibration,
    source: SimulatedBits,
    *,
    query: int = 0,
) -> dict[str, Any]:
    """Return what `noisy` returns, for a simulation, from bits that can be repeated."""
    from twoworlds.release.noise import Sampler
    from twoworlds.release.noise.choice import choose_simulated

    return _Release(
        resolved,
        totals,
        calibration.noises[query],
        calibration.threshold,
        lambda law, size: Sampler.of(law).simulate(size, source).tolist(),
        lambda given, rate: choose_simulated(given, rate, source),
    ).stored()


class _Release:
    """One release: what is added up, and where noise comes from."""

    def __init__(
        self,
        resolved: Resolved,
        totals: Totals,
        noises: Sequence[MeasureNoise],
        threshold: int | None,
        draw: Draw,
        choose: Choose,
    ) -> None:
        self.resolved, self.totals, self.noises = resolved, totals, noises
        self.threshold, self.draw, self.choose = threshold, draw, choose
        if len(noises) != len(resolved.measures):
            raise InvalidInput(
                f"{len(noises)} noises for {len(resolved.measures)} measures: calibrate this query"
            )

    def stored(self) -> dict[str, Any]:
        if self.resolved.discovers:
            return self._discovered()
        shape, measures = self.resolved.shape, self.resolved.measures
        size = 1
        for groups in shape:
            size *= groups
        values = [self._noise(j, size) for j in range(len(measures))]
        for cell, found in self.totals.cells.items():
            at = place(cell, shape)
            for j, measure in enumerate(measures):
                if measure.kind != "ranks":
                    values[j][at] += int(found[j])
        for j, measure in enumerate(measures):
            if measure.kind == "ranks":
                by_place = {
                    place(c, shape): counts for c, counts in self.totals.ranks.get(j, {}).items()
                }
                values[j] = [self._chosen(j, by_place.get(i)) for i in range(size)]
        return {"cells": None, "values": values}

    def _discovered(self) -> dict[str, Any]:
        decides = self.resolved.threshold
        if decides is None or self.threshold is None:
            raise InvalidInput("keys are discovered above a threshold, and none was calibrated")
        true = self.totals.cells
        found = in_order(cell for cell, of in true.items() if of[decides] > 0)
        noise = self._noise(decides, len(found))
        counts = {cell: int(true[cell][decides]) + z for cell, z in zip(found, noise, strict=True)}
        kept = shown(counts, self.threshold, self.resolved.axes)
        values = [
            [counts[cell] for cell in kept] if j == decides else self._answers(j, measure, kept)
            for j, measure in enumerate(self.resolved.measures)
        ]
        return {"cells": [plain_cell(c, self.resolved.axes) for c in kept], "values": values}

    def _answers(self, j: int, measure: Measure, cells: Sequence[Cell]) -> list[int]:
        if measure.kind == "ranks":
            ranks: Mapping[Cell, Sequence[int]] = self.totals.ranks.get(j, {})
            return [self._chosen(j, ranks.get(cell)) for cell in cells]
        noise = self._noise(j, len(cells))
        return [int(self.totals.cells[c][j]) + z for c, z in zip(cells, noise, strict=True)]

    def _noise(self, j: int, size: int) -> list[int]:
        noise = self.noises[j]
        if noise.law is not None:
            return self.draw(noise.law, size)
        if noise.sensitivity and self.resolved.measures[j].kind != "ranks":
            raise InvalidInput(f"measure {j} has no noise, though a person can move it: calibrate")
        return [0] * size

    def _chosen(self, j: int, counts: Sequence[int] | None) -> int:
        measure, rate = self.resolved.measures[j], self.noises[j].rate
        if not rate:  # nobody can move it: the data are not looked at
            return 0
        bins = 2 * len(measure.grid) + 1
        given = scores([0] * bins if counts is None else [int(c) for c in counts], measure.at)
        return self.choose(given, choice_rate(measure.at, rate))
