"""What semantic privacy costs beside the tight epsilon of the same matrix, and by structure.

The peer is our own search for the tight epsilon, measured in the same run: the swing of every
output and person takes one division for each pair that the ratio compares.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks import Row, best_of
from benchmarks.dense import Floats, mechanism
from benchmarks.exact import unstructured
from twoworlds import DifferentialPrivacy
from twoworlds import mechanism as build
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.mechanisms._kernels import hamming_worst
from twoworlds.mechanisms._swing_kernels import SwingWorst, swing_worst
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.worlds import BitStrings

TIMES_EPSILON = 3.0
LIMIT = 1.0  # seconds
BITS = 10
DEFAULT = 1  # the bit 0, which comes second in the order of the columns


def with_numpy(matrix: Floats, bits: int) -> float:
    """The largest swing, one person at a time."""
    worst = 1.0
    for person in range(bits):
        pairs = matrix.reshape(len(matrix), 2**person, 2, -1)
        r = pairs[:, :, 0] / pairs[:, :, 1]
        high = np.maximum(r.max(axis=(1, 2)), 1.0)
        low = np.minimum(r.min(axis=(1, 2)), 1.0)
        worst = max(worst, (high / low).max())
    return worst


def same_answer(found: SwingWorst, swing: float) -> None:
    """Stop unless the two answers agree up to numpy's rounding."""
    if found.lower is None or not math.isclose(float(found.lower), swing, rel_tol=1e-14):
        raise AssertionError(f"two answers: {found} and swing={swing}")


def floats() -> list[Row]:
    """Compare the searches, and the verdicts with their witnesses, on one matrix."""
    matrix = mechanism(BITS)
    same_answer(swing_worst(matrix, BITS, 2, DEFAULT), with_numpy(matrix, BITS))
    people = BitStrings(BITS)
    dense = FloatMatrix(people, people, matrix)
    semantic, epsilon = SemanticPrivacy(), DifferentialPrivacy()
    semantic.tightest(dense)
    epsilon.tightest(dense)
    size = f"2^{BITS} x 2^{BITS}"
    return [
        Row(
            f"largest swing, all persons, floats {size}",
            best_of(15, lambda: swing_worst(matrix, BITS, 2, DEFAULT)),
            peer=TIMES_EPSILON * best_of(15, lambda: hamming_worst(matrix, BITS, 2)),
            against=f"limit, {TIMES_EPSILON:g} times the largest ratio",
            target=1.0,
        ),
        Row(
            f"semantic value with its witness, floats {size}",
            best_of(15, lambda: semantic.tightest(dense)),
            peer=TIMES_EPSILON * best_of(15, lambda: epsilon.tightest(dense)),
            against=f"limit, {TIMES_EPSILON:g} times its tight epsilon",
            target=1.0,
        ),
    ]


def exactly() -> list[Row]:
    """Report exact semantic values against a limit."""
    dense = unstructured()
    survey = build("randomized-response(bits=200, keep=3/4)")
    return [
        Row(
            name,
            best_of(3, lambda chosen=chosen: SemanticPrivacy().tightest(chosen)),  # type: ignore[misc]
            peer=LIMIT,
            against="limit",
            target=1.0,
        )
        for name, chosen in (
            ("exact semantic value, rational 2^6 x 2^6", dense),
            ("exact semantic value of randomized response, 200 bits", survey),
        )
    ]


def run() -> list[Row]:
    """Four rows."""
    return [*floats(), *exactly()]
