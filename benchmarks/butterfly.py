"""Membership of a row in randomized response of 24 bits, against numpy's reshape method.

The row has 2^24 float64 entries, one per database. The peers apply the two by two inverse to one
bit after the other: by ``matmul`` on the reshaped row, as one writes it first, and by slices of the
reshaped row, the fastest numpy found; then both take the smallest entry. Ours works in the memory
of the row. All three must find the same smallest inequality.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks import Row
from benchmarks.dense import extra_bytes
from twoworlds.cones.per_record import PerRecordCone

Floats = NDArray[np.float64]

BITS = 24
SPEEDUP = 4.0
MEMORY = 0.1  # of the row, beside it
INVERSE = np.array([[3.0, -1.0], [-1.0, 3.0]])


def likelihoods(bits: int) -> Floats:
    """A row well inside the cone: a nearly constant likelihood."""
    row = np.random.default_rng(bits).random(2**bits)
    row *= 1e-6
    row += 1.0
    return row


def by_matmul(row: Floats, bits: int) -> float:
    """Multiply each bit of the reshaped row by the inverse."""
    for bit in range(bits):
        row = np.matmul(INVERSE, row.reshape(-1, 2, 2**bit)).reshape(-1)
    return float(row.min())


def by_slices(row: Floats, bits: int) -> float:
    """Write the two rows of the inverse out, on slices of the reshaped row."""
    (a, b), (c, d) = INVERSE
    row = row.copy()
    for bit in range(bits):
        view = row.reshape(-1, 2, 2**bit)
        first, second = view[:, 0, :].copy(), view[:, 1, :].copy()
        view[:, 0, :] = a * first + b * second
        view[:, 1, :] = c * first + d * second
    return float(row.min())


def ours(row: Floats, bits: int) -> float:
    """Decide by the butterfly, in the memory of the row."""
    answer = PerRecordCone.of(f"randomized-response(bits={bits}, keep=3/4)").contains(
        row, overwrite=True
    )
    if not answer:
        raise AssertionError(f"the row is inside: {answer.explain()}")
    return float(answer.value)


def fastest(repeats: int, work: Callable[[Floats, int], float], bits: int) -> tuple[float, float]:
    """The least time, each on a fresh row made outside of the timing, and the answer."""
    times = []
    for _ in range(repeats):
        row = likelihoods(bits)
        start = time.perf_counter()
        least = work(row, bits)
        times.append(time.perf_counter() - start)
    return min(times), least


def refilled(row: Floats) -> float:
    """Make the row fresh in its own memory, and decide."""
    row[:] = 1.0
    return ours(row, BITS)


def run() -> list[Row]:
    """Speed against both peers, and memory; about half a minute."""
    ours(likelihoods(10), 10)  # compiled code is not counted
    mine, least = fastest(5, ours, BITS)
    rows = []
    for name, peer in (("matmul", by_matmul), ("slices", by_slices)):
        seconds, theirs = fastest(2, peer, BITS)
        if not np.isclose(least, theirs, rtol=1e-9):
            raise AssertionError(f"two answers: {least} and {theirs} by {name}")
        rows.append(
            Row(
                f"membership of a row of 2^{BITS} databases",
                mine,
                peer=seconds,
                against=f"numpy reshape and {name}",
                target=SPEEDUP,
            )
        )
    row = likelihoods(BITS)
    extra = extra_bytes(lambda: refilled(row))
    rows.append(
        Row(
            f"memory beside the row of 2^{BITS} databases",
            extra / 1e6,
            unit="MB",
            peer=MEMORY * row.nbytes / 1e6,
            against=f"limit, {MEMORY:.0%} of it",
            target=1.0,
        )
    )
    return rows
