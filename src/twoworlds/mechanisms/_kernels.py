"""Worst neighbouring columns of a dense mechanism, in floating point with proven bounds.

A mechanism is a matrix M with one row per output o and one column per database x
(Lin & Kifer, Definition 2.1). For every ordered pair (x, y) of neighbouring databases

    ratio(x, y)    = max over o of  M[o, x] / M[o, y]          0/0 is left out, p/0 is infinite
    delta(x, y; a) = sum over o of  max(0, M[o, x] - a M[o, y])

and this module finds the largest of each over all pairs, and where it is attained.

How: a *task* is a few columns and the pairs among them. Eight rows of those columns are copied
into a *tile*, scaled, in an order which makes the pairs contiguous: a *run* (x, y, length) stands
for the pairs (x + i, y + i), i < length, of tile columns. All loops over a run vectorise without
reassociating any sum. The matrix is never copied: beside it, each thread needs 0.13 MB for its
tile and as much again for each requested a.

Why the bounds hold, with u = 2^-53 and entries which are exact doubles in [0, 1]:

* Scaling by 2^110 is exact and makes every entry a multiple of 2^-964. A double a >= 1 is a
  multiple of 2^-52, so x - a y is a multiple of 2^-1016: it cannot underflow, and fma(-a, y, x)
  has the exact sign and relative error at most u. Where it overflows to -inf, x < a y indeed.
* Ratios are compared by that sign, x > b y, with the best b so far: a quotient rounded up, and at
  least 1 since both x/y and y/x are compared. So the maximum lies between the witness' x/y and
  that quotient rounded up.
* Sums have terms >= 0, each rounded at most k = (number of tiles) + 7 times: once by the fma,
  7 times inside a tile, and once per tile after the first. Hence computed/true is between
  (1 - u)^k and (1 + u)^k, and the true value between c (1 - k u) and c / (1 - k u).
  A computed 0 is exactly 0.

Not checked here: entries that are NaN, negative or larger than 1. A quotient beyond the largest
double is reported as infinite, which overstates it: the safe side.
Never reorder the arithmetic, and never turn on fastmath: the bounds above would be void.
"""

from __future__ import annotations

import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Function = TypeVar("Function", bound=Callable[..., Any])

TILE_COLUMNS = 2048
CHUNK = 256  # tile columns treated at a time, so that both sides of a run stay in the L1 cache
TASK_PAIRS = 8192  # their sums stay in the L2 cache
GROUP = 64  # largest number of settings of the record positions that one task compares
VALUES = 32  # record values are compared in parts of this size when there are more
ROWS = 8  # rows of a tile, unrolled by the compiler: the sums are read and written once for all
STRIDE = TILE_COLUMNS + 24  # not a multiple of 4096 bytes, so that a tile's rows do not collide
SCALE_BITS = 110
SCALE = 2.0**SCALE_BITS
THREADED = 1 << 15  # smaller matrices are done before a thread has started


class HammingWorst(NamedTuple):
    """The worst pair for the ratio and for each delta, with ends that enclose the true maximum.

    Attributes:
        ratio: The witness' quotient M[o, x] / M[o, y], rounded to nearest; 1 if there is none.
        ratio_lower, ratio_upper: Enclose the largest ratio; equal when the quotient is a double.
        ratio_pair: The databases (x, y), or None when no pair has a positive entry.
        ratio_output: The output o, or None likewise.
        deltas, deltas_lower, deltas_upper: One entry per requested ratio.
        delta_pairs: One row (x, y) per requested ratio; (-1, -1) when there is no pair at all.
    """

    ratio: float
    ratio_lower: float
    ratio_upper: float
    ratio_pair: tuple[int, int] | None
    ratio_output: int | None
    deltas: Floats
    deltas_lower: Floats
    deltas_upper: Floats
    delta_pairs: Indices


_Found = tuple[float, Indices, Floats, Indices]
"""What one task found: the ratios' bound, its witness (x, y, output), scaled sums, their pairs."""


# --- compiled: everything down to the next rule runs without the interpreter lock ---------------


def njit(function: Function) -> Function:
    """Compile on first call; keep the machine code on disk where a directory can be written."""
    options = {"nogil": True, "error_model": "numpy"}
    decorate: Any = numba.njit  # its stubs, where numba has any, refuse options from a dict
    try:
        return decorate(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no directory for its cache
        return decorate(**options)(function)  # type: ignore[no-any-return]


def _fma_rule(_context: Any, _x: Any, _y: Any, _z: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    double = numba.types.float64
    return double(double, double, double), generate


_fma: Any = intrinsic(_fma_rule)  # _fma(x, y, z) is x y + z, rounded once


@njit
def _load(matrix: Floats, first: int, columns: Indices, tile: Floats) -> None:
    """Copy some columns of rows first, first + 1, ... into the tile; rows past the end are 0."""
    for row in range(ROWS):
        target = tile[row * STRIDE : row * STRIDE + columns.size]
        if first + row < matrix.shape[0]:
            source = matrix[first + row]
            for i in range(columns.size):
                target[i] = SCALE * source[np.uint64(columns[i])]  # unsigned: no wrap-around
        else:
            target[:] = 0.0


@njit
def _add_deltas(xs: Floats, ys: Floats, ratio: float, forward: Floats, backward: Floats) -> None:
    """Add sum over rows of max(0, x - a y) and max(0, y - a x) to the sums of each pair."""
    for i in range(forward.size):
        there = 0.0
        back = 0.0
        for row in range(ROWS):
            x = xs[row * STRIDE + i]
            y = ys[row * STRIDE + i]
            excess = _fma(-ratio, y, x)
            there += excess if excess > 0.0 else 0.0
            excess = _fma(-ratio, x, y)
            back += excess if excess > 0.0 else 0.0
        forward[i] += there
        backward[i] += back


@njit
def _exceeds(xs: Floats, ys: Floats, length: int, bound: float) -> bool:
    """Whether x > bound * y or y > bound * x somewhere, decided exactly."""
    count = 0
    for i in range(length):
        most = 0.0
        for row in range(ROWS):
            x = xs[row * STRIDE + i]
            y = ys[row * STRIDE + i]
            excess = _fma(-bound, y, x)
            most = excess if excess > most else most
            excess = _fma(-bound, x, y)
            most = excess if excess > most else most
        count += most > 0.0
    return count > 0


@njit
def _largest_quotients(xs: Floats, ys: Floats, quotients: Floats) -> float:
    """Fill in the largest rounded x/y or y/x of each pair (0/0 loses each comparison)."""
    for i in range(quotients.size):
        most = 0.0
        for row in range(ROWS):
            x = xs[row * STRIDE + i]
            y = ys[row * STRIDE + i]
            most = x / y if x / y > most else most
            most = y / x if y / x > most else most
        quotients[i] = most
    top = 0.0
    for i in range(quotients.size):
        top = max(top, quotients[i])
    return top


@njit
def _rounded_up(x: float, y: float) -> float:
    """The least double which is at least x/y."""
    quotient = x / y
    if quotient < np.inf and _fma(-quotient, y, x) > 0.0:
        return np.nextafter(quotient, np.inf)  # type: ignore[no-any-return]
    return quotient


@njit
def _raise_bound(
    xs: Floats, ys: Floats, bound: float, quotients: Floats
) -> tuple[float, int, int, bool]:
    """The new bound and its place (pair, row, whether y/x), once `_exceeds` said yes.

    Rounding is monotone: a pair whose rounded quotient is below the largest one, q, is below q,
    and the new bound is at least q. So only the pairs that round to q need exact comparison.
    """
    top = _largest_quotients(xs, ys, quotients)
    pair, place, swapped = 0, 0, False
    for i in range(quotients.size):
        if quotients[i] == top:
            for row in range(ROWS):
                x = xs[row * STRIDE + i]
                y = ys[row * STRIDE + i]
                if _fma(-bound, y, x) > 0.0:
                    bound, pair, place, swapped = _rounded_up(x, y), i, row, False
                if _fma(-bound, x, y) > 0.0:
                    bound, pair, place, swapped = _rounded_up(y, x), i, row, True
    return bound, pair, place, swapped


@njit
def _scan(
    matrix: Floats,
    columns: Indices,
    segments: Indices,
    runs: Indices,
    ratios: Floats,
    sums: Floats,
    witness: Indices,
) -> float:
    """All rows of one task: fill the sums and the witness (x, y, output); return its bound."""
    tile = np.empty(ROWS * STRIDE)
    scratch = np.empty(CHUNK)
    bound = 0.0
    for output in range(0, matrix.shape[0], ROWS):
        number = 0
        for s in range(segments.shape[0]):
            held = columns[segments[s, 0] : segments[s, 1]]
            _load(matrix, output, held, tile)
            for r in range(segments[s, 2], segments[s, 3]):
                x, y, length = runs[r, 0], runs[r, 1], runs[r, 2]
                xs, ys = tile[x:], tile[y:]
                for j in range(ratios.size):
                    forward = sums[2 * j, number : number + length]
                    backward = sums[2 * j + 1, number : number + length]
                    _add_deltas(xs, ys, ratios[j], forward, backward)
                number += length
                if bound < np.inf and _exceeds(xs, ys, length, bound):
                    bound, i, row, swapped = _raise_bound(xs, ys, bound, scratch[:length])
                    witness[0] = held[(y if swapped else x) + i]
                    witness[1] = held[(x if swapped else y) + i]
                    witness[2] = output + row
    return bound


# --- plans: which columns and runs make up all pairs of neighbours, each once ---------------------


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


# --- the driver ----------------------------------------------------------------------------------


def _run(matrix: Floats, ratios: Floats, make: Callable[[], Task]) -> _Found:
    """Scan one task and keep only its largest sums and the pairs they belong to."""
    task = make()
    lengths = task.runs[:, 2]
    sums = np.zeros((2 * len(ratios), int(lengths.sum())))
    witness = np.full(3, -1)
    bound = _scan(matrix, *task, ratios, sums, witness)
    flat = sums.reshape(len(ratios), 2 * sums.shape[1])
    best = flat.argmax(axis=1)
    swapped, number = np.divmod(best, sums.shape[1])
    ends = np.cumsum(lengths)
    run = np.searchsorted(ends, number, side="right")
    shift = number - (ends[run] - lengths[run])
    segment = np.searchsorted(task.segments[:, 3], run, side="right")
    base = task.segments[segment, 0] + shift
    pairs = task.columns[base[:, None] + task.runs[run, :2]]
    pairs[swapped == 1] = pairs[swapped == 1, ::-1]
    return bound, witness, flat.max(axis=1), pairs


def _results(
    run: Callable[[Callable[[], Task]], _Found], tasks: Iterator[Callable[[], Task]], cores: int
) -> Iterator[_Found]:
    """Map in order, on threads, with only a few tasks under way."""
    if cores == 1:
        yield from map(run, tasks)
        return
    with ThreadPoolExecutor(cores) as pool:
        pending = deque(pool.submit(run, task) for task in islice(tasks, 2 * cores))
        while pending:
            yield pending.popleft().result()
            pending.extend(pool.submit(run, task) for task in islice(tasks, 1))


def _cores() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _worst(matrix: Floats, ratios: Floats, tasks: Iterator[Callable[[], Task]]) -> HammingWorst:
    """Run all tasks, on as many threads as there are cores, and keep the worst in task order."""
    bound, witness = 0.0, np.full(3, -1)
    sums = np.full(len(ratios), -1.0)
    pairs = np.full((len(ratios), 2), -1, dtype=np.int64)
    cores = _cores() if matrix.size >= THREADED else 1
    for found in _results(partial(_run, matrix, ratios), tasks, cores):
        if found[0] > bound:
            bound, witness = found[:2]
        worse = found[2] > sums
        sums[worse], pairs[worse] = found[2][worse], found[3][worse]
    return _enclosed(matrix, bound, witness, np.maximum(sums, 0.0), pairs)


def _down(value: Fraction) -> float:
    """The largest double that is at most ``value``, a number >= 0."""
    try:
        nearest = float(value)
    except OverflowError:
        return sys.float_info.max
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, 0.0)


def _up(value: Fraction) -> float:
    """The least double that is at least ``value``, a number >= 0 within range."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def _enclosed(
    matrix: Floats, bound: float, witness: Indices, sums: Floats, pairs: Indices
) -> HammingWorst:
    """Undo the scaling and round the ends outward, in exact arithmetic."""
    x, y, output = witness.tolist()
    ratio, lower, upper = 1.0, 1.0, 1.0
    if output >= 0:
        p, q = Fraction(float(matrix[output, x])), Fraction(float(matrix[output, y]))
        lower, upper = (_down(p / q) if q else math.inf), bound
        ratio = float(p / q) if upper < math.inf else math.inf
    exact = [Fraction(float(value)) / 2**SCALE_BITS for value in sums]
    roundings = -(-matrix.shape[0] // ROWS) + ROWS - 1
    slack = 1 - Fraction(roundings, 2**53)
    return HammingWorst(
        ratio,
        lower,
        upper,
        (x, y) if output >= 0 else None,
        output if output >= 0 else None,
        np.array([float(value) for value in exact]),
        np.array([_down(value * slack) for value in exact]),
        np.array([_up(value / slack) for value in exact]),
        pairs,
    )


# --- public --------------------------------------------------------------------------------------


def _checked(matrix: Floats, ratios: Sequence[float] | Floats) -> tuple[Floats, Floats]:
    """A read-only view (so that one compiled version serves all callers) and the ratios."""
    if matrix.dtype != np.float64 or matrix.ndim != 2 or not matrix.flags.c_contiguous:
        raise ValueError(
            f"matrix has dtype={matrix.dtype}, shape={matrix.shape}: it must be a C-contiguous "
            "float64 array of two dimensions; use numpy.ascontiguousarray(matrix, dtype=float)"
        )
    view = matrix.view()
    view.flags.writeable = False
    factors = np.array(ratios, dtype=np.float64).reshape(-1)
    if not (np.isfinite(factors) & (factors >= 1.0)).all():
        raise ValueError(f"ratios={factors.tolist()}: each must be finite and at least 1")
    return view, factors


def hamming_worst(
    matrix: Floats, records: int, values: int, ratios: Sequence[float] | Floats = ()
) -> HammingWorst:
    """The worst pair of databases that differ in one record.

    Column x = sum over i of r_i values^(records - i) stands for the records r_1, ..., r_records.

    >>> truth_or_coin = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> worst = hamming_worst(truth_or_coin, 1, 2, [1.0, 3.0])
    >>> worst.ratio_lower, worst.ratio_upper, worst.ratio_pair, worst.ratio_output
    (3.0, 3.0, (0, 1), 0)
    >>> worst.deltas.tolist(), worst.deltas_upper[1].item()
    ([0.5, 0.0], 0.0)
    """
    matrix, factors = _checked(matrix, ratios)
    if matrix.shape[1] != values**records:
        raise ValueError(
            f"matrix has {matrix.shape[1]} columns, but records={records} of values={values} "
            f"make {values**records} databases: give one column for each"
        )
    return _worst(matrix, factors, hamming_tasks(records, values))


def pairs_worst(
    matrix: Floats, xs: Indices, ys: Indices, ratios: Sequence[float] | Floats = ()
) -> HammingWorst:
    """The worst of the pairs (xs[i], ys[i]) and (ys[i], xs[i]): any other neighbour relation."""
    matrix, factors = _checked(matrix, ratios)
    xs, ys = np.asarray(xs), np.asarray(ys)
    if xs.ndim != 1 or xs.shape != ys.shape:
        raise ValueError(f"xs.shape={xs.shape}, ys.shape={ys.shape}: give two lists of one length")
    for side in (xs, ys):
        if len(side) and not 0 <= side.min() <= side.max() < matrix.shape[1]:
            raise ValueError(
                f"columns {side.min()} to {side.max()}: they must lie in 0..{matrix.shape[1] - 1}"
            )
    return _worst(matrix, factors, pair_tasks(xs, ys))
