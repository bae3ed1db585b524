"""The dense kernel against numpy: ratio and three deltas over all Hamming neighbours.

The peer is a loop over ordered pairs of neighbouring columns, as one writes it in numpy. It works
on a copy whose columns are contiguous, made for it outside the timing.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import Row, best_of
from twoworlds.mechanisms._kernels import HammingWorst, hamming_worst

Floats = NDArray[np.float64]

RATIOS = (1.5, 2.0, 3.0)
SPEEDUP = 3.0
MEMORY = 0.1  # of the matrix, beside it
FIRST_CALL = """
import time
import numpy as np
matrix = np.full((16, 16), 1 / 16)
start = time.perf_counter()
from twoworlds.mechanisms._kernels import hamming_worst
hamming_worst(matrix, 4, 2, (1.5, 2.0, 3.0))
print(time.perf_counter() - start)
"""


def mechanism(bits: int) -> Floats:
    """A random matrix with 2^bits outputs and 2^bits databases whose columns sum to 1."""
    matrix = np.random.default_rng(bits).random((2**bits, 2**bits))
    matrix /= matrix.sum(axis=0)
    return matrix


def with_numpy(columns: Floats, bits: int) -> tuple[float, list[float]]:
    """The largest ratio and deltas, one ordered pair of columns at a time."""
    ratio, deltas = 0.0, [0.0] * len(RATIOS)
    with np.errstate(divide="ignore", invalid="ignore"):
        for x in range(len(columns)):
            for bit in range(bits):
                p, q = columns[x], columns[x ^ (1 << bit)]
                ratio = max(ratio, np.fmax.reduce(p / q))  # fmax leaves out the NaN of 0/0
                for j, a in enumerate(RATIOS):
                    deltas[j] = max(deltas[j], np.maximum(p - a * q, 0.0).sum())
    return ratio, deltas


def speed(bits: int, repeats: int) -> Row:
    """Compare the times, once both have given the same answer."""
    matrix = mechanism(bits)
    columns = np.ascontiguousarray(matrix.T)
    same_answer(hamming_worst(matrix, bits, 2, RATIOS), *with_numpy(columns, bits))
    ours = best_of(9, lambda: hamming_worst(matrix, bits, 2, RATIOS))
    theirs = best_of(repeats, lambda: with_numpy(columns, bits))
    name = f"ratio and 3 deltas, 2^{bits} x 2^{bits}"
    return Row(name, ours, peer=theirs, against="numpy", target=SPEEDUP)


def same_answer(worst: HammingWorst, ratio: float, deltas: list[float]) -> None:
    """Stop unless the two answers agree up to the rounding of numpy's sums."""
    close = [math.isclose(worst.ratio, ratio, rel_tol=1e-15)]
    close += [math.isclose(a, b, rel_tol=1e-12) for a, b in zip(worst.deltas, deltas, strict=True)]
    if not all(close):
        raise AssertionError(f"two answers: {worst} and ratio={ratio}, deltas={deltas}")


def extra_bytes(work: Callable[[], object]) -> int:
    """Peak memory above the present level: what Python asks for, or the process takes if more."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    reset, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")

    def kilobytes(field: str) -> int:
        return int(status.read_text().split(field)[1].split()[0])

    try:
        reset.write_text("5")  # the peak of resident memory starts again from here
    except OSError:  # only Linux has it
        return peak
    before = kilobytes("VmRSS:")
    work()
    return max(peak, 1024 * (kilobytes("VmHWM:") - before))


def memory(bits: int) -> Row:
    """Peak extra memory against a fraction of the matrix."""
    matrix = mechanism(bits)
    hamming_worst(matrix[:8], bits, 2, RATIOS)  # compiled code is not counted
    extra = extra_bytes(lambda: hamming_worst(matrix, bits, 2, RATIOS))
    return Row(
        f"memory beside the matrix, 2^{bits} x 2^{bits}",
        extra / 1e6,
        unit="MB",
        peer=MEMORY * matrix.nbytes / 1e6,
        against=f"limit, {MEMORY:.0%} of it",
        target=1.0,
    )


def first_calls() -> list[Row]:
    """Import and first call in fresh processes: one that compiles, one that finds the cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-c", FIRST_CALL]
        compiling, cached = (
            float(subprocess.check_output(command, env=environment, text=True)) for _ in range(2)
        )
    return [
        Row("import and first call, compiling", compiling),
        Row("import and first call, from the cache", cached),
    ]


def run() -> list[Row]:
    """All rows; about half a minute."""
    return [speed(10, 3), speed(12, 2), memory(12), *first_calls()]
