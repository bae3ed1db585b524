"""What the engines must answer, by a plain loop over the rows; it shares no code with them.

A row is a dict. Missing is None or NaN.
"""

from __future__ import annotations

import math
from fractions import Fraction

from tests.release.query.truth import comparable, exact, truth, value


def group(axis, row):
    """The group of a row along an axis; None when it has none."""
    x = value(row, axis.column)
    other = axis.size - 1 if axis.other else None
    if x is None:
        return other
    if axis.discover:
        return None if isinstance(x, float) and math.isinf(x) else exact(x)
    if axis.keys:
        for i, key in enumerate(axis.keys):
            a, b = comparable(x, key)
            if a == b:
                return i
        return other
    for i, (low, high) in enumerate(zip(axis.bins, axis.bins[1:], strict=False)):
        a, b = comparable(x, low)
        c = comparable(x, high)[1]
        if b <= a < c or (i == len(axis.bins) - 2 and a == c):
            return i
    return other


def units(measure, row):
    x = value(row, measure.column)
    if x is None:
        return measure.fill
    if isinstance(x, float) and math.isinf(x):
        return measure.high if x > 0 else measure.low
    v = math.floor(Fraction(x) / measure.unit + Fraction(1, 2))
    return min(max(v, measure.low), measure.high)


def contribution(measure, row):
    """What a row adds: a whole number, or the bin of a rank; None when it does not count."""
    if truth(measure.where, row) is not True:
        return None
    match measure.kind:
        case "people":
            return 1
        case "rows":
            return 1 if measure.column is None or value(row, measure.column) is not None else None
    v = units(measure, row)
    if v is None:
        return None
    match measure.kind:
        case "total":
            return v - measure.center
        case "squares":
            return (v - measure.center) ** 2
        case "ranks":
            below = sum(g < v for g in measure.grid)
            return 2 * below + (v in measure.grid)
    raise AssertionError(f"the oracle does not know the measure {measure.kind}")


def joined(resolved, rows, publics):
    """The rows with the columns of public tables, ``table.column``."""
    for row in rows:
        found = dict(row)
        for table, on in resolved.query.joins:
            public, key = resolved.dataset.public[table], value(row, on)
            match = [r for r in publics[table] if key is not None and r[public.key] == key]
            assert len(match) <= 1
            for name in public.columns:
                found[f"{table}.{name}"] = match[0][name] if match else None
        yield found


def totals(resolved, rows, publics=None):
    """The totals where no person exceeds the limits: cells and ranks, without zeros."""
    person = resolved.dataset.unit.person
    cells, ranks, seen = {}, {}, set()
    for row in joined(resolved, rows, publics or {}):
        cell = tuple(group(axis, row) for axis in resolved.axes)
        if truth(resolved.query.condition, row) is not True or None in cell:
            continue
        if person is not None and value(row, person) is None:
            continue
        for j, measure in enumerate(resolved.measures):
            added = contribution(measure, row)
            if added is None:
                continue
            if measure.kind == "ranks":
                counts = ranks.setdefault((j, cell), [0] * (2 * len(measure.grid) + 1))
                counts[added] += 1
                continue
            if measure.kind == "people":
                key = (j, cell, value(row, person))
                if key in seen:
                    continue
                seen.add(key)
            cells.setdefault(cell, [0] * len(resolved.measures))[j] += added
    return {c: tuple(n) for c, n in cells.items() if any(n)}, {
        k: tuple(n) for k, n in ranks.items()
    }


def plain(found):
    """The same shape from the totals of an engine."""
    cells = {cell: numbers for cell, numbers in found.cells.items() if any(numbers)}
    ranks = {(j, c): n for j, by_cell in found.ranks.items() for c, n in by_cell.items()}
    return cells, ranks
