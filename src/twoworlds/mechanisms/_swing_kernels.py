"""The largest swing of a dense mechanism's likelihoods, in floating point with a proven bound.

For an output t and a person i let r(x) = M[t, x] / M[t, x_-i], where x_-i has the record of person
i replaced by a default value; 0/0 is left out. This module finds the largest

    R(t, i) = max over x of r(x)  /  min over x of r(x)

over all outputs and persons (`semantics.worst_swing` says what it means). As r(x_-i) = 1
wherever M[t, x_-i] > 0, both extremes start from 1. An x with just one of its two entries 0 has
r = 0 or infinity, and makes the swing infinite.

Some rows at a time are divided by themselves without a person, for all databases at once.

Why the bound holds, with u = 2^-53 and entries that are exact doubles in [0, 1]: a quotient in the
normal range has relative error at most u, and rounding is monotone. So if c is the computed
max / min of an output and a person, the true one is at most c (1 + u) / (1 - u)^2, and the largest
c bounds them all. The lower end is the swing of the output and person shown, in exact arithmetic.
The quotient of two doubles rounds to 1 only if they are equal (apart, they differ by more than half
the spacing next to 1, or by all of it below), so that a largest c of 1 is exact.
A quotient outside the normal range makes the swing exceed 2^1021; it is counted as infinite, and
refused in the end unless some other swing is truly infinite.

Not checked here: entries that are NaN, negative or larger than 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twoworlds.errors import Unsupported

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_CHUNK = 1 << 16  # entries divided at a time: they stay in the cache
SMALLEST = 2.0**-1022  # of the normal doubles
UNIT = Fraction(1, 2**53)


class SwingWorst(NamedTuple):
    """The largest swing, between two ends, and where it is.

    Attributes:
        lower, upper: Enclose the largest swing; both None when it is infinite.
        output: The row of the output.
        person: Counted from 0.
        high, low: The columns of the databases of the largest and the smallest r.
    """

    lower: Fraction | None
    upper: Fraction | None
    output: int
    person: int
    high: int
    low: int


def swing_worst(matrix: Floats, records: int, values: int, default: int) -> SwingWorst:
    """The largest swing over all outputs and persons.

    Column x = sum over i of r_i values^(records - i) stands for the records r_1, ..., r_records.

    >>> noisy_parity = np.array([[0.75, 0.25, 0.25, 0.75], [0.25, 0.75, 0.75, 0.25]])
    >>> found = swing_worst(noisy_parity, 2, 2, 1)
    >>> int(found.lower), float(found.upper), found.output, found.person
    (9, 9.000000000000004, 0, 0)
    """
    if records < 1 or matrix.shape[1] != values**records:
        raise ValueError(
            f"matrix has {matrix.shape[1]} columns, but records={records} of values={values} "
            f"make {values**records} databases: give one column for each, and at least one record"
        )
    if not 0 <= default < values:
        raise ValueError(f"default={default}: the values are numbered from 0 to {values - 1}")
    swing, output, person = _searched(matrix, records, values, default)
    if swing == 1.0:
        output = int(matrix.any(axis=1).argmax())  # one that occurs
    elif swing == np.inf:
        output, person = _infinite(matrix, output, person, records, values, default)
    found = _shown(
        matrix[output], output, person, values ** (records - person - 1), values, default
    )
    if found.lower is None:
        return found
    if swing == np.inf:
        raise Unsupported(
            "a swing exceeds the largest float, or nearly: write the matrix in exact fractions"
        )
    if swing > 1.0:
        return found._replace(upper=Fraction(swing) * (1 + UNIT) / (1 - UNIT) ** 2)
    return found


def _searched(matrix: Floats, records: int, values: int, default: int) -> tuple[float, int, int]:
    """Return the largest computed swing, with its output and person, the first of equal ones."""
    best = (0.0, 0, 0)
    rows = max(_CHUNK // matrix.shape[1], 1)
    for first in range(0, len(matrix), rows):
        block = matrix[first : first + rows]
        for person in range(records):
            shaped = block.reshape(len(block), values**person, values, -1)
            with np.errstate(all="ignore"):
                r = shaped / shaped[:, :, default, None, :]
                r = r.reshape(len(block), -1)  # 0/0 loses each comparison
                high, low = (end.reduce(r, axis=1, initial=1.0) for end in (np.fmax, np.fmin))
                swings = np.where(low >= SMALLEST, high / low, np.inf)
            output = int(swings.argmax())
            if swings[output] > best[0]:
                best = (float(swings[output]), first + output, person)
    return best


def _infinite(
    matrix: Floats, output: int, person: int, records: int, values: int, default: int
) -> tuple[int, int]:
    """Return an output and a person with a 0 against a positive entry, or those given."""
    for i in range(records):
        weight = values ** (records - i - 1)
        possible = matrix.reshape(len(matrix), -1, values, weight) > 0
        unlike = (possible != possible[:, :, default, None, :]).any(axis=(1, 2, 3))
        if unlike.any():
            return int(unlike.argmax()), i
    return output, person


def _shown(
    row: Floats, output: int, person: int, weight: int, values: int, default: int
) -> SwingWorst:
    """Return the exact swing of one output and person, and the databases that show it."""
    columns = np.arange(row.size)
    removed = columns + (default - columns // weight % values) * weight
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        quotients = row / row[removed]
    if np.isnan(quotients).all():  # this output never occurs
        return SwingWorst(Fraction(1), Fraction(1), output, person, 0, 0)
    known = np.where(np.isnan(quotients), 1.0, quotients)
    zero = (row == 0) != (row[removed] == 0)
    if zero.any():
        high = int(np.where(zero & (row > 0), np.inf, np.nan_to_num(known, posinf=0.0)).argmax())
        low = int(np.where(np.isnan(quotients), np.inf, known).argmin())
        return SwingWorst(None, None, output, person, high, low)
    # Rounding is monotone, so that each extreme is among the databases that round to it.
    tops = np.flatnonzero(quotients == np.nanmax(quotients)).tolist()
    bottoms = np.flatnonzero(quotients == np.nanmin(quotients)).tolist()
    high = max(tops, key=lambda x: _exact(row, removed, x))
    low = min(bottoms, key=lambda x: _exact(row, removed, x))
    swing = _exact(row, removed, high) / _exact(row, removed, low)
    return SwingWorst(swing, swing, output, person, high, low)


def _exact(row: Floats, removed: Indices, x: int) -> Fraction:
    return Fraction(float(row[x])) / Fraction(float(row[removed[x]]))
