r"""Odds under differential privacy, by what a question cannot tell apart.

Records x = (x_1, ..., x_n) are neighbours when they differ in one record, and the row cone is
K = {x_D <= ratio * x_E for neighbours D, E}. For masses a on a set S and r on a set R the largest
odds a . x / r . x over K are those of a cone with few columns, by one of three reductions:

* **A record that is independent of all else.** If a(D) = a'(D without record i) q(D_i), and r
  likewise with the same law q, then y = sum over values v of q(v) x(., v) has a . x = a' . y and
  r . x = r' . y, and it lies in the cone of the other records: each x(., v) does, and the cone is
  convex. Conversely y, repeated for every v, lies in K. So record i can be left out.

* **Symmetry.** If exchanging records or values changes neither a nor r, then neither does it
  change a . x, r . x and K. The mean of x over the group has the same odds, lies in K, and is
  constant on orbits. So there is one column per orbit, and a constraint between two orbits that
  hold neighbours.

* **Few databases.** Let W hold the databases with a or r above 0. A row on W with
  x_D <= ratio^d(D, E) x_E, where d counts the records that differ, extends to K by
  x_D = min over E in W of ratio^d(D, E) x_E: a minimum of rows of K lies in K, and on W it is what
  was given. So the columns are W.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twoworlds.cones.kernel.ratios import bounded, keeping, moves, orbits
from twoworlds.cones.kernel.vectors import Vector
from twoworlds.errors import TooLarge
from twoworlds.worlds import Records

MOST_DATABASES = 2**16
_MOST_COLUMNS = 1024  # of the program that is left
_MOST_PAIRED = 40  # columns with a constraint between any two

Masses = NDArray[Any]  # whole numbers of any size, one axis per record


class Reduced(NamedTuple):
    """The columns that are left, each named by one of its databases, and the two masses on them."""

    columns: list[str]
    first: list[Fraction]
    second: list[Fraction]
    inequalities: list[Vector]


def reduced(
    records: Records, ratio: Fraction, a: Sequence[Fraction], r: Sequence[Fraction]
) -> Reduced:
    """Reduce the odds of masses a against masses r under a ratio for one changed record.

    >>> bits, half = Records([1, 0], 3), [Fraction(int(i < 4)) for i in range(8)]
    >>> reduced(bits, Fraction(3), half, [1 - p for p in half]).inequalities  # record 1 alone
    [(-1, 3), (3, -1)]
    """
    values, size = len(records.values), lcm(*(p.denominator for p in (*a, *r)))
    first, second = (
        np.array([int(p * size) for p in masses], dtype=object).reshape((values,) * records.n)
        for masses in (a, r)
    )
    kept = list(range(records.n))
    for i in reversed(range(records.n)):
        if _independent(first, second, i):
            first, second = first.sum(axis=i), second.sum(axis=i)
            kept.remove(i)
    flat = [first.ravel(), second.ravel()]
    places = np.flatnonzero(flat[0] + flat[1])
    if len(places) <= _MOST_PAIRED:
        sides = [masses[places] for masses in flat]
        rows = _distances(values, len(kept), places, ratio)
    else:
        labels = orbits(first.size, _symmetries(values, len(kept), *flat))
        places, classes = np.unique(labels, return_inverse=True)
        if len(places) > _MOST_COLUMNS:
            raise TooLarge(
                f"{len(places)} classes of databases differ in this question, and at most "
                f"{_MOST_COLUMNS} are compared: give more records the same chance, ask about "
                "fewer records, or take fewer (10 bits always do)"
            )
        sides = [np.zeros(len(places), dtype=object) for _ in flat]
        for side, masses in zip(sides, flat, strict=True):
            np.add.at(side, classes, masses)
        rows = _between(classes.reshape(first.shape), len(places), ratio)
    names = [_label(records, kept, int(place)) for place in places]
    left, right = ([Fraction(int(mass), size) for mass in side] for side in sides)
    return Reduced(names, left, right, rows)


def _independent(first: Masses, second: Masses, i: int) -> bool:
    """Say whether record i has one law, whatever the others are and whichever set it is."""
    others = tuple(j for j in range(first.ndim) if j != i)
    if not others:
        return False
    laws = [masses.sum(axis=others) for masses in (first, second)]
    if (laws[0] * laws[1].sum() != laws[1] * laws[0].sum()).any():
        return False
    shape = [-1 if j == i else 1 for j in range(first.ndim)]
    return all(
        (masses * law.sum() == masses.sum(axis=i, keepdims=True) * law.reshape(shape)).all()
        for masses, law in zip((first, second), laws, strict=True)
    )


def _symmetries(values: int, records: int, first: Masses, second: Masses) -> list[Any]:
    seen: dict[tuple[int, int], int] = {}
    pairs = zip(first, second, strict=True)
    labels = np.array([seen.setdefault(pair, len(seen)) for pair in pairs])
    return keeping(labels, moves(values, records))


def _distances(values: int, records: int, places: NDArray[Any], ratio: Fraction) -> list[Vector]:
    digits = np.array(np.unravel_index(places, (values,) * records)).T
    pairs = permutations(range(len(places)), 2)
    return [
        bounded(len(places), u, v, ratio ** int((digits[u] != digits[v]).sum())) for u, v in pairs
    ]


def _between(classes: NDArray[Any], count: int, ratio: Fraction) -> list[Vector]:
    found: set[tuple[int, int]] = set()
    for axis, values in enumerate(classes.shape):
        for step in range(1, values):
            pairs = np.stack([classes, np.roll(classes, step, axis=axis)], axis=-1).reshape(-1, 2)
            found |= {(int(u), int(v)) for u, v in np.unique(pairs, axis=0) if u != v}
    return [bounded(count, u, v, ratio) for u, v in sorted(found)]


def _label(records: Records, kept: Sequence[int], place: int) -> str:
    """Name the database at a place of the records that were kept, the others having value 1."""
    word = [records.values[0]] * records.n
    for i in reversed(kept):
        place, digit = divmod(place, len(records.values))
        word[i] = records.values[digit]
    return records.label(tuple(word))
