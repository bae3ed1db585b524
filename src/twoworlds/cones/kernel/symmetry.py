"""Symmetries of databases that are lists of records, and what they leave alike.

A database of n records with k values each is a place in an array of n axes of length k. Exchanging
two records permutes the axes, and exchanging two values of a record permutes the places along one
axis. Where such a permutation of the databases changes nothing that was asked, a question about all
databases is a question about its *orbits*, the classes that it cannot tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]  # where each database goes


def generators(values: int, records: int) -> Iterator[Places]:
    """Yield exchanges of neighbours, among values of record 1 and among records: they give all.

    >>> [move.tolist() for move in generators(2, 2)]
    [[2, 3, 0, 1], [0, 2, 1, 3]]
    """
    places = np.arange(values**records).reshape((values,) * records)
    for s in range(values - 1):
        yield np.take(places, _exchanged(values, s, s + 1), axis=0).ravel()
    for i in range(records - 1):
        yield np.swapaxes(places, i, i + 1).ravel()


def moves(values: int, records: int) -> Iterator[Places]:
    """Yield exchanges of values in one or two records, and of records, alone or with values.

    >>> [move.tolist() for move in moves(2, 1)]
    [[1, 0]]
    >>> sum(1 for _ in moves(2, 3))
    12
    """
    places = np.arange(values**records).reshape((values,) * records)
    orders = [_exchanged(values, s, t) for s, t in combinations(range(values), 2)]
    for i in range(records):
        yield from (np.take(places, order, axis=i).ravel() for order in orders)
    for i, j in combinations(range(records), 2):
        swapped = np.swapaxes(places, i, j)
        yield swapped.ravel()
        for order in orders:
            for grid in (places, swapped):
                yield np.take(np.take(grid, order, axis=i), order, axis=j).ravel()


def _exchanged(values: int, s: int, t: int) -> list[int]:
    return [t if v == s else s if v == t else v for v in range(values)]


def keeping(labels: NDArray[Any], candidates: Iterable[Places]) -> list[Places]:
    """Return the moves that leave the label of every place as it is."""
    return [move for move in candidates if np.array_equal(labels[move], labels)]


def orbits(size: int, generators: Sequence[Places]) -> Places:
    """Return for each place the first one of its orbit.

    >>> orbits(4, [np.array([0, 2, 1, 3])]).tolist()
    [0, 1, 1, 3]
    """
    first = np.arange(size)
    while True:
        before = first.copy()
        for move in generators:
            np.minimum(first, first[move], out=first)
        first = first[first]
        if np.array_equal(first, before):
            return first
