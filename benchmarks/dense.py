"""A float matrix against plain numpy: the largest ratio and a delta over all Hamming neighbours.

The peer is a loop over ordered pairs of neighbouring columns, as one writes it in numpy, without
bounds on its rounding. It works on a copy whose columns are contiguous, made outside the timing.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from benchmarks import Row, best_of
from twoworlds import BitStrings
from twoworlds.mechanisms.float_matrix import FloatMatrix

Floats = NDArray[np.float64]
RATIO = Fraction(3, 2)


def mechanism(bits: int) -> Floats:
    """A random matrix with 2^bits outputs and 2^bits databases whose columns sum to 1."""
    matrix = np.random.default_rng(bits).random((2**bits, 2**bits))
    matrix /= matrix.sum(axis=0)
    return matrix


def with_numpy(columns: Floats, bits: int) -> tuple[float, float]:
    """The largest ratio and delta, one ordered pair of columns at a time."""
    ratio, delta = 0.0, 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        for x in range(len(columns)):
            for bit in range(bits):
                p, q = columns[x], columns[x ^ (1 << bit)]
                ratio = max(ratio, np.fmax.reduce(p / q))  # fmax leaves out the NaN of 0/0
                delta = max(delta, np.maximum(p - float(RATIO) * q, 0.0).sum())
    return ratio, delta


def with_bounds(matrix: Floats, bits: int) -> tuple[float, float]:
    """The same from a mechanism, with proven bounds."""
    people = BitStrings(bits)
    family = FloatMatrix(people, people, matrix).family("substitute")
    return float(family.peak()[1].ratio), float(family.gap(RATIO)[1].delta)


def run() -> list[Row]:
    """Compare the times, once both have given the same answer."""
    bits = 10
    matrix = mechanism(bits)
    columns = np.ascontiguousarray(matrix.T)
    ours, theirs = with_bounds(matrix, bits), with_numpy(columns, bits)
    if not all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(ours, theirs, strict=True)):
        raise AssertionError(f"two answers: {ours} and {theirs}")
    return [
        Row(
            f"ratio and delta, 2^{bits} x 2^{bits}",
            best_of(3, lambda: with_bounds(matrix, bits)),
            peer=best_of(3, lambda: with_numpy(columns, bits)),
            against="numpy, without bounds",
        )
    ]
