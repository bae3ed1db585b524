r"""The Kronecker butterfly: a row times a Kronecker power, in place, by compiled loops.

For an integer matrix T with n rows and columns and a row x of n^k entries it computes

    y_s = sum over D of  T[s_1, D_1] ... T[s_k, D_k]  x_D          (s, D: words of length k)

one position of the words after the other, in the memory of x: n k operations per entry instead of
n^k. The last positions are done block by block while a block is in the cache, the first ones on
tiles of a few neighbouring columns copied into a buffer of 1 MB; so the row is read and written
twice in all, whatever k is.

Why the bound on rounding holds, with u = 2^-53 and |T| the matrix of absolute values: each step
multiplies by integers that are exact doubles and adds n products, so that each of them is rounded
at most n times (a product with an integer never loses a bit to underflow). After k steps

    |computed - y| <= ((1 + u)^(n k) - 1) |T|...|T| |x|,

and |T|...|T| |x| <= min(L^k max|x|, M^k sum|x|), where L is the largest sum of a row of |T| and M
its largest entry. Never turn on fastmath: the bound would be void.

Integers wrap around modulo 2^64. Where y may not fit, `integers` runs the row through floats as
well: an entry beyond the bound has the sign of its float, any other one is smaller than 2^63 and so
is what the wrapped integers say. This is exact as long as the bound stays below 2^61.

`decide` tells whether a row is in the cone of a transition per record. Arrays of floats are taken
as the doubles that they are; within the bound on their rounding error the answer is left open.
Everything else is exact: 64-bit integers where they suffice, and Python's own for short rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twoworlds.cones.kernel._bitsets import njit
from twoworlds.cones.per_record import PerRecordCone, ProductMembership
from twoworlds.cones.row_cone import Row, read_row
from twoworlds.errors import InvalidInput, TooLarge, Unsupported

Numbers = NDArray[np.float64] | NDArray[np.int64]

BLOCK = 1 << 12  # entries of a block: 32 kB, the first cache
TILE = 1 << 17  # entries of the buffer
LARGEST_EXACT = 1 << 53
UNIT = Fraction(1, 1 << 53)
WORD = 1 << 64


class Slack(NamedTuple):
    """The entry of least slack: y itself where y >= 0 is asked, -|y| where y = 0 is.

    Attributes:
        place: Its position.
        slack: Exact for integers, as computed for floats.
        bound: On the rounding error of any entry; 0 for integers.
        near: How many entries have a sign that the bound leaves open.
    """

    place: int
    slack: int | float
    bound: Fraction
    near: int


def transform(row: Numbers, matrix: Numbers, length: int) -> None:
    """Multiply a row by the Kronecker power of a matrix, in place."""
    n = len(matrix)
    inner, low = n, 1
    while low < length and inner * n <= BLOCK:
        inner, low = inner * n, low + 1
    outer = n ** (length - low)
    width = min(inner, max(8, TILE // outer))
    buffer = np.empty(outer * width, dtype=row.dtype)
    _whole(row, matrix, low, length - low, buffer, width)


def floats(row: NDArray[np.float64], matrix: Sequence[Sequence[int]], facets: int) -> Slack:
    """Return the least slack of a row of floats, which is overwritten.

    Args:
        row: Contiguous, finite, n^k entries.
        matrix: The functionals of one record; the first ``facets`` of them ask for y >= 0, and a
            word with any other one for y = 0.
        facets: How many.
    """
    length = _length(row.size, len(matrix))
    largest, bound = _bounds(row, matrix, length)
    if largest > Fraction(np.finfo(np.float64).max) / 2 or not _exact_doubles(matrix):
        raise OverflowError
    transform(row, np.array(matrix, dtype=np.float64), length)
    place, slack, near = _least(row, row, _up(bound), facets, len(matrix))
    return Slack(int(place), float(slack), bound, int(near))


def integers(row: NDArray[np.int64], matrix: Sequence[Sequence[int]], facets: int) -> Slack:
    """Return the exact least slack of a row of integers, which is overwritten.

    Arguments as in `floats`.
    """
    length = _length(row.size, len(matrix))
    largest, bound = _bounds(row, matrix, length)
    if largest < WORD // 2:
        transform(row, np.array(matrix, dtype=np.int64), length)
        place = int(_least(row, row, np.inf, facets, len(matrix))[0])
        value = int(row[place])
    elif bound < WORD // 8 and _exact_doubles(matrix):
        near = row.astype(np.float64)
        transform(near, np.array(matrix, dtype=np.float64), length)
        transform(row, np.array(matrix, dtype=np.int64), length)
        place = int(_least(near, row, _up(bound), facets, len(matrix))[0])
        wrapped = int(row[place])
        value = wrapped + WORD * round((Fraction(float(near[place])) - wrapped) / WORD)
    else:
        raise OverflowError
    equality = _asks_equality(place, facets, len(matrix))
    return Slack(place, -abs(value) if equality else value, _ZERO, 0)


def _bounds(
    row: Numbers, matrix: Sequence[Sequence[int]], length: int
) -> tuple[Fraction, Fraction]:
    """Return bounds on the largest |y|, and on the rounding error of floats (see the module)."""
    peak, total = _norms(row)
    if np.isnan(total) or np.isinf(peak):
        raise InvalidInput("the row has entries that are no finite numbers: give probabilities")
    # A sum of m floats of one sign is right up to a factor (1 + u)^m, far below 2 for any row that
    # fits in memory; an integer becomes a float by one rounding.
    widest = max(sum(abs(c) for c in line) for line in matrix)
    biggest = max(abs(c) for line in matrix for c in line)
    largest = widest**length * Fraction(peak) * (1 + 2 * UNIT)
    if not np.isinf(total):
        largest = min(largest, biggest**length * 2 * Fraction(total))
    roundings = len(matrix) * length + 1
    return largest, largest * ((1 + UNIT) ** roundings - 1)


def _exact_doubles(matrix: Sequence[Sequence[int]]) -> bool:
    return all(abs(c) < LARGEST_EXACT for line in matrix for c in line)


def _up(bound: Fraction) -> float:
    return float(np.nextafter(float(bound), np.inf)) if bound else 0.0


def _length(size: int, n: int) -> int:
    length = 0
    while n**length < size:
        length += 1
    return length


@njit
def _whole(
    row: Numbers, matrix: Numbers, low: int, high: int, buffer: Numbers, width: int
) -> None:  # pragma: no cover (compiled)
    n = matrix.shape[0]
    inner = n**low
    outer = n**high
    for block in range(outer):
        _axes(row[block * inner : (block + 1) * inner], matrix, low, 1)
    if high == 0:
        return
    for start in range(0, inner, width):
        wide = min(width, inner - start)
        tile = buffer[: outer * wide]
        for i in range(outer):
            for j in range(wide):
                tile[i * wide + j] = row[i * inner + start + j]
        _axes(tile, matrix, high, wide)
        for i in range(outer):
            for j in range(wide):
                row[i * inner + start + j] = tile[i * wide + j]


@njit
def _axes(
    part: Numbers, matrix: Numbers, count: int, stride: int
) -> None:  # pragma: no cover (compiled)
    for _ in range(count):
        if matrix.shape[0] == 2:
            _pairs(part, matrix, stride)
        else:
            _words(part, matrix, stride)
        stride *= matrix.shape[0]


@njit
def _pairs(part: Numbers, matrix: Numbers, stride: int) -> None:  # pragma: no cover (compiled)
    a, b, c, d = matrix[0, 0], matrix[0, 1], matrix[1, 0], matrix[1, 1]
    for start in range(0, part.size, 2 * stride):
        first = part[start : start + stride]
        second = part[start + stride : start + 2 * stride]
        for i in range(stride):
            p, q = first[i], second[i]
            first[i] = a * p + b * q
            second[i] = c * p + d * q


@njit
def _words(part: Numbers, matrix: Numbers, stride: int) -> None:  # pragma: no cover (compiled)
    n = matrix.shape[0]
    old = np.empty(n, dtype=part.dtype)
    for start in range(0, part.size, n * stride):
        for i in range(start, start + stride):
            for s in range(n):
                old[s] = part[i + s * stride]
            for s in range(n):
                total = matrix[s, 0] * old[0]
                for t in range(1, n):
                    total += matrix[s, t] * old[t]
                part[i + s * stride] = total


@njit
def _norms(row: Numbers) -> tuple[float, float]:  # pragma: no cover (compiled)
    peak, total = 0.0, 0.0
    for i in range(row.size):
        size = abs(float(row[i]))
        total += size
        peak = max(peak, size)
    return peak, total


@njit
def _asks_equality(place: int, facets: int, n: int) -> bool:  # pragma: no cover (compiled)
    """Tell whether a digit of the place, written to the base n, is no facet."""
    while place:
        if place % n >= facets:
            return True
        place //= n
    return False


@njit
def _least(
    near: Numbers, whole: Numbers, bound: float, facets: int, n: int
) -> tuple[int, float, int]:  # pragma: no cover (compiled)
    """Find the least slack; beyond the bound ``near`` is believed, within it ``whole``."""
    best, least, close = 0, np.inf, 0
    for place in range(near.size):
        value = float(near[place])
        if abs(value) <= bound:
            value = float(whole[place])
        if facets < n and _asks_equality(place, facets, n):
            value = -abs(value)
            close += bound > 0.0 and abs(value) <= bound
        else:
            close += abs(value) < bound
        if value < least:
            best, least = place, value
    return best, least, close


LARGEST_ROW = 1 << 28
LARGEST_LISTED = 1 << 18  # entries of a row that is no array
_ZERO = Fraction(0)


def decide(cone: PerRecordCone, row: Row | NDArray[Any], *, overwrite: bool) -> ProductMembership:
    """Answer in the arithmetic that the row is given in."""
    size = cone.universe.size
    if size > LARGEST_ROW:
        raise TooLarge(
            f"a row over {cone.universe.expression} has {size} entries, more than {LARGEST_ROW}: "
            "ask for single inequalities"
        )
    if isinstance(row, np.ndarray) and row.dtype.kind in "fiu":
        return _array(cone, row, overwrite=overwrite)
    if size > LARGEST_LISTED:
        raise TooLarge(
            f"a row of {size} entries is read as an array only: give it as a numpy array of int64 "
            "(exact) or float64 (with an error bound)"
        )
    given: Row = row if isinstance(row, Mapping) else list(row)
    entries = read_row(cone.universe, given)
    scale = lcm(*[entry.denominator for entry in entries])
    whole = [entry.numerator * (scale // entry.denominator) for entry in entries]
    if max(map(abs, whole)) < 1 << 62:
        return _exact(cone, np.array(whole, dtype=np.int64), whole, scale)
    return _by_python(cone, whole, scale)


def _array(cone: PerRecordCone, row: NDArray[Any], *, overwrite: bool) -> ProductMembership:
    if row.shape != (cone.universe.size,):
        raise InvalidInput(
            f"the row has shape {row.shape}, but {cone.universe.expression} has "
            f"{cone.universe.size} databases: give one entry per database"
        )
    if row.dtype.itemsize > 8 or (row.dtype == np.uint64 and row.max() >= 1 << 63):
        raise InvalidInput(f"entries of {row.dtype} do not fit: give int64 or float64")
    wanted = np.float64 if row.dtype.kind == "f" else np.int64
    mine = overwrite and row.dtype == wanted and row.flags.c_contiguous and row.flags.writeable
    own: NDArray[Any] = row if mine else np.array(row, dtype=wanted, order="C")
    return _floats(cone, own) if wanted is np.float64 else _exact(cone, own, None, 1)


def _floats(cone: PerRecordCone, row: NDArray[np.float64]) -> ProductMembership:
    try:
        least = floats(row, cone.one.functionals, len(cone.one.facets))
    except OverflowError:
        raise Unsupported(
            f"the inequalities of {cone.source} exceed the range of floats on this row: "
            "give it as integers"
        ) from None
    inside = False if least.slack < -least.bound else None if least.near else True
    worst = cone.product(_word(cone, least.place))
    return ProductMembership(inside, worst, least.slack, least.bound, least.near)


def _exact(
    cone: PerRecordCone, row: NDArray[np.int64], whole: list[int] | None, scale: int
) -> ProductMembership:
    if whole is None and row.size <= LARGEST_LISTED:
        whole = row.tolist()
    try:
        least = integers(row, cone.one.functionals, len(cone.one.facets))
    except OverflowError:
        if whole is None:
            raise TooLarge(
                f"the inequalities of {cone.source} on this row of {row.size} entries need "
                "integers beyond about 2^109: divide the row by a common factor, or give floats"
            ) from None
        return _by_python(cone, whole, scale)
    slack = Fraction(int(least.slack), scale)
    return ProductMembership(slack >= 0, cone.product(_word(cone, least.place)), slack, _ZERO)


def _by_python(cone: PerRecordCone, row: list[int], scale: int) -> ProductMembership:
    """Do the same with integers of any size."""
    functionals = cone.one.functionals
    n, values, stride = len(functionals), row, 1
    while stride < len(row):
        fresh = [0] * len(values)
        for start in range(0, len(values), n * stride):
            for i in range(start, start + stride):
                old = values[i : i + n * stride : stride]
                for s, functional in enumerate(functionals):
                    fresh[i + s * stride] = sum(map(mul, functional, old))
        values, stride = fresh, stride * n
    facets = len(cone.one.facets)
    slacks = [
        -abs(value) if max(_word(cone, place)) >= facets else value
        for place, value in enumerate(values)
    ]
    place = min(range(len(slacks)), key=slacks.__getitem__)
    slack = Fraction(slacks[place], scale)
    return ProductMembership(slack >= 0, cone.product(_word(cone, place)), slack, _ZERO)


def _word(cone: PerRecordCone, place: int) -> list[int]:
    """Return the place of each record's functional."""
    digits = []
    for _ in range(cone.records):
        place, digit = divmod(place, len(cone.one.functionals))
        digits.append(digit)
    return digits[::-1]
