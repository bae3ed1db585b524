"""Is a row in the cone of a transition per record? By the butterfly, exactly or with a bound.

Arrays of floats are taken as the doubles that they are, and answered with a proven bound on the
rounding error: within it the answer is left open. Everything else is exact: 64-bit integers where
they suffice (see `_butterfly.integers`), and Python's own for rows that are short enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twoworlds.cones.row_cone import Row, read_row
from twoworlds.cones.structure import _butterfly
from twoworlds.cones.structure.per_record import PerRecordCone, ProductMembership
from twoworlds.errors import InvalidInput, TooLarge, Unsupported

__all__ = ["decide"]

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
        least = _butterfly.floats(row, cone.one.functionals, len(cone.one.facets))
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
        least = _butterfly.integers(row, cone.one.functionals, len(cone.one.facets))
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
