"""Plans for the compiled search: which columns and runs make up all pairs of neighbours.

A *task* is a few columns of the matrix, in an order which makes the pairs among them contiguous,
and the runs (x, y, length) of tile columns that stand for the pairs (x + i, y + i), i < length.
The tasks of a neighbour relation cover every pair once; `twoworlds.mechanisms._kernels` runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]

TILE_COLUMNS = 2048
CHUNK = 256  # tile columns treated at a time, so that both sides of a run stay in the L1 cache
TASK_PAIRS = 8192  # their sums stay in the L2 cache
GROUP = 64  # largest number of settings of the record positions that one task compares
VALUES = 32  # record values are compared in parts of this size when there are more


class Task(NamedTuple):
    """Columns to load, and runs among them.

    `segments` has rows (first column, end, first run, end): these columns share one tile.
    `runs` has rows (x, y, length), length <= CHUNK, in columns of that tile.
    The pairs of a task are numbered in the order of its runs.
    """

    columns: Indices
    segments: Indices
    runs: Indices


def _runs_inside(values: int, digits: int) -> Indices:
    """All pairs of words that differ in one digit, as runs: for each digit, a shift by d values."""
    runs = [
        (start, start + shift * weight, (values - shift) * weight)
        for weight in (values**digit for digit in range(digits))
        for start in range(0, values**digits, values * weight)
        for shift in range(1, values)
    ]
    return np.array(runs, dtype=np.int64)


def _runs_across(first: int, second: int) -> Indices:
    """All pairs between two lists, when the tile holds the first, then the second one twice."""
    return np.array([(0, first + shift, first) for shift in range(second)], dtype=np.int64)


def _digit_groups(records: int, values: int) -> Iterator[tuple[int, int]]:
    """Split the record positions into groups (first, length) with at most GROUP settings each."""
    if values < 2:
        return
    longest = 1
    while values ** (longest + 1) <= GROUP:
        longest += 1
    count = -(-records // longest)
    for k in range(count):
        first, end = k * records // count, (k + 1) * records // count
        yield first, end - first


def _settings(values: int, digits: int) -> Iterator[tuple[Indices, Indices]]:
    """Lists of settings of a group, and runs in them, which together make up all its pairs."""
    if digits > 1 or values <= GROUP:
        yield np.arange(values**digits), _runs_inside(values, digits)
        return
    parts = [np.arange(v, min(v + VALUES, values)) for v in range(0, values, VALUES)]
    for i, part in enumerate(parts):
        if len(part) > 1:
            yield part, _runs_inside(len(part), 1)
        for other in parts[:i]:  # all but the last part have full length
            yield np.concatenate([part, other, other]), _runs_across(len(part), len(other))


def hamming_tasks(records: int, values: int) -> Iterator[Callable[[], Task]]:
    """Tasks for all pairs of columns whose words differ in one digit.

    A task varies the digits of one group, as the tile's major index, and a range of settings of
    the other digits, its lanes, as the minor index: so each run is at least as long as the lanes.
    """
    for first, digits in _digit_groups(records, values):
        weight = values ** (records - first - digits)
        others = values ** (records - digits)
        for settings, runs in _settings(values, digits):
            room = min(TILE_COLUMNS // len(settings), TASK_PAIRS // int(runs[:, 2].sum()))
            lanes = max(1, min(room // 16 * 16 or room, others))  # 16: whole cache lines
            for start in range(0, others, lanes):
                rest = range(start, min(start + lanes, others))
                yield partial(_lane_task, settings, runs, rest, weight, values**digits)


def _lane_task(settings: Indices, runs: Indices, rest: range, weight: int, size: int) -> Task:
    """The columns (rest div weight) size weight + setting weight + (rest mod weight)."""
    lanes = np.arange(rest.start, rest.stop)
    base = lanes // weight * (size * weight) + lanes % weight
    columns = (settings[:, None] * weight + base).ravel()
    runs = _cut(runs * len(lanes))
    return Task(columns, np.array([[0, len(columns), 0, len(runs)]]), runs)


def pair_tasks(xs: Indices, ys: Indices) -> Iterator[Callable[[], Task]]:
    """Tasks for listed pairs."""
    for start in range(0, len(xs), TASK_PAIRS):
        yield partial(_pair_task, xs[start : start + TASK_PAIRS], ys[start : start + TASK_PAIRS])


def _pair_task(xs: Indices, ys: Indices) -> Task:
    """Each tile holds one side of its pairs, then the other side."""
    half = TILE_COLUMNS // 2
    sides: list[Indices] = []
    segments: list[tuple[int, int, int, int]] = []
    runs: list[list[int]] = []
    for start in range(0, len(xs), half):
        left, right = xs[start : start + half], ys[start : start + half]
        cut = _cut(np.array([[0, len(left), len(left)]]))
        segments.append((2 * start, 2 * (start + len(left)), len(runs), len(runs) + len(cut)))
        sides += [left, right]
        runs += cut.tolist()
    return Task(np.concatenate(sides).astype(np.int64), np.array(segments), np.array(runs))


def _cut(runs: Indices) -> Indices:
    """The same pairs in runs of length CHUNK at most."""
    cut = [
        (x + start, y + start, min(CHUNK, length - start))
        for x, y, length in runs.tolist()
        for start in range(0, length, CHUNK)
    ]
    return np.array(cut, dtype=np.int64)
