"""The definition, by enumeration: every row, every neighbour, literally.

Written without the package's row types: three-valued conditions, cells and measures are computed
row by row from samples of the columns that are finer than every constant.
"""

from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import ceil, floor, lcm

from tests.release.query.truth import truth

NEAR = Fraction(1, 4)  # values so close to a half are rounded either way


def group(axis, x):
    """The index of a group, or None."""
    if axis.discover:
        return None if x is None else ("key", x)
    found = None
    if axis.keys:
        found = ("key", x) if x in axis.keys else None
    elif x is not None:
        for i, (a, b) in enumerate(zip(axis.bins, axis.bins[1:], strict=False)):
            if a <= x < b or (i == len(axis.bins) - 2 and x == b):
                found = ("bin", i)
    return ("other",) if found is None and axis.other else found


def rounded(x, unit):
    """Both ways of rounding, where it is close."""
    y = x / unit
    return {ceil(y - NEAR - Fraction(1, 2)), floor(y + NEAR + Fraction(1, 2))}


def vectors(batch, row, way):
    """The vector {(query, measure, cell[, bin]): change} of a row; ``way`` says how to round."""
    found = {}
    for q, one in enumerate(batch):
        if truth(one.query.condition, row) is not True:
            continue
        cell = tuple(group(axis, row[axis.column]) for axis in one.axes)
        if None in cell:
            continue
        for j, m in enumerate(one.measures):
            if truth(m.where, row) is not True:
                continue
            if m.column is None:
                found[q, j, cell] = 1
                continue
            x = row[m.column]
            if x is None and m.fill is None:
                continue
            if m.kind == "rows":
                found[q, j, cell] = 1
                continue
            v = m.fill if x is None else way(rounded(x, m.unit))
            v = min(max(v, m.low), m.high)
            if m.kind == "ranks":
                place = sum(2 * (v > g) + (v == g) for g in m.grid)
                found[q, j, cell, place] = 1
            else:
                found[q, j, cell] = (v - m.center) ** (2 if m.kind == "squares" else 1)
    return {key: c for key, c in found.items() if c}


def all_vectors(batch, samples):
    """The different vectors of all rows whose columns take the sampled values."""
    names = list(samples)
    found = {}
    for values in product(*samples.values()):
        row = dict(zip(names, values, strict=True))
        for way in (min, max):
            vector = vectors(batch, row, way)
            found[frozenset(vector.items())] = vector
    return list(found.values())


def losing(batch, weights, power, bottom):
    """The loss of changing one vector into another, in multiples of 1/bottom."""
    whole = {index: int(w * bottom) for index, w in weights.items()}
    ranks = {i for i in whole if batch[i[0]].measures[i[1]].kind == "ranks"}

    def loss(a, b):
        total, entered = 0, {}
        for key in a.keys() | b.keys():
            d = abs(a.get(key, 0) - b.get(key, 0))
            if key[:2] in ranks:
                entered[key[:3]] = entered.get(key[:3], 0) + d
            else:
                total += whole[key[:2]] * d**power
        return total + sum(whole[key[:2]] * d**power for key, d in entered.items())

    return loss


def supremum(batch, samples, weights, power):
    """The largest loss over neighbours that differ by one row."""
    bottom = lcm(*(w.denominator for w in weights.values()))
    every, loss = all_vectors(batch, samples), losing(batch, weights, power, bottom)
    if batch[0].dataset.neighbours == "add-remove":
        return Fraction(max(loss(a, {}) for a in every), bottom)
    return Fraction(max(loss(a, b) for i, a in enumerate(every) for b in every[: i + 1]), bottom)


def persons(batch, query, samples):
    """The vectors in one query of all persons, within the limits of the policy."""
    unit = batch[0].dataset.unit
    found = {frozenset(): {}}
    for rows in combinations_with_replacement(all_vectors([batch[query]], samples), unit.rows):
        total = {}
        for row in rows:
            for (_, j, *rest), c in row.items():
                key = (query, j, *rest)
                people = batch[query].measures[j].kind == "people"
                total[key] = 1 if people else total.get(key, 0) + c
        if len({key[2] for key in total}) <= unit.groups:
            found[frozenset(total.items())] = total
    return list(found.values())


def person_supremum(batch, samples, weights, power):
    """The largest loss over neighbours that differ by one person, one query at a time."""
    bottom = lcm(*(w.denominator for w in weights.values()))
    total, loss = 0, losing(batch, weights, power, bottom)
    for q in range(len(batch)):
        every = persons(batch, q, samples)
        others = every if batch[0].dataset.neighbours == "substitute" else [{}]
        total += max(loss(a, b) for a in every for b in others)
    return Fraction(total, bottom)
