r"""The largest loss of the unit that is protected: a row, or a person with several rows.

A row enters all queries of a batch alike, so the loss is that of its row type, or of a pair.

A person has at most R rows and m cells in each query: m = min(R, G, cells), and 1 without groups.
Each query chooses the rows that it keeps for itself, and a person may have other rows besides, so
that the losses of the queries of a batch are added, even where their filters exclude each other.

Within one query let F be the largest loss of a row in the measures of rows, H in all measures, and
P the sum of the weights of the measures of people. Each row adds at most F to measures of rows, and
nothing stops all R from being the same. A measure of people changes once in a cell; charge that to
the first row that changes it. With K different filters of such measures, at most M = min(R, K m)
rows are charged, each at most H in all:

    add-remove, power 1:   min(M H + (R - M) F,  R F + m P)

For power 2 rows in one cell add up before they are squared and cells are added; n_1 + ... + n_k = R
rows in k cells lose at most (n_1^2 + ... + n_k^2) F + k P, which is largest for one full cell and
others with one row, and convex in k:

    add-remove, power 2:   max over k = 1, m of ((R - k + 1)^2 + k - 1) F + k P

Two persons: pair their rows (a person with fewer has rows that do not count). By the triangle
inequality R pairs lose at most R^p times the worst pair D of rows, and repeating that pair attains
it. Measures of people change in at most 2 m cells, or in all cells if these are fewer:

    substitute:            R^p D + min(2 m, cells) P,  and for p = 1 at most twice the above
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod

from twoworlds.release.query.measures import Resolved
from twoworlds.release.sensitivity.rows import Index, Rows
from twoworlds.release.sensitivity.suprema import Supremum, row_supremum

__all__ = ["cells", "cells_of_one", "unit_supremum"]


def cells(resolved: Resolved) -> int | None:
    """Return the number of cells of a query, None when keys are discovered."""
    return None if resolved.discovers else prod(resolved.shape)


def cells_of_one(resolved: Resolved) -> int:
    """Return in how many cells of a query one row, or one person, appears at most."""
    unit = resolved.dataset.unit
    if unit.person is None or not resolved.axes:
        return 1
    most = min(unit.rows, unit.groups)
    every = cells(resolved)
    return most if every is None else min(most, every)


def unit_supremum(
    rows: Rows,
    resolved: Resolved,
    weights: Mapping[Index, Fraction],
    power: int,
    ceiling: Fraction | None = None,
) -> Supremum:
    """Return the largest loss of a unit; for persons, all weights belong to the given query.

    A ``ceiling`` that the loss is known not to exceed makes the search shorter.
    """
    substitute = resolved.dataset.neighbours == "substitute"
    if resolved.dataset.unit.person is None:
        return row_supremum(rows, weights, power, pairs=substitute, absent=False, ceiling=ceiling)
    people = {i: w for i, w in weights.items() if rows.measures[i].kind == "people"}
    of_rows = {i: w for i, w in weights.items() if i not in people}
    if substitute:
        return _two_persons(rows, resolved, of_rows, people, power)
    return _one_person(rows, resolved, of_rows, people, power)


def _one_person(
    rows: Rows,
    resolved: Resolved,
    of_rows: Mapping[Index, Fraction],
    people: Mapping[Index, Fraction],
    power: int,
) -> Supremum:
    most = resolved.dataset.unit.rows
    single = row_supremum(rows, of_rows, power, pairs=False, absent=True)
    if not people:
        return single.times(most**power)
    m, everyone = cells_of_one(resolved), sum(people.values(), Fraction(0))
    if power == 2:
        value = max(((most - k + 1) ** 2 + k - 1) * single.value + k * everyone for k in {1, m})
        return Supremum(value, attained=False)
    both = row_supremum(rows, {**of_rows, **people}, 1, pairs=False, absent=True)
    filters = len({rows.measures[i].where for i in people})
    charged = min(most, filters * m)
    by_rows = charged * both.value + (most - charged) * single.value
    by_cells = most * single.value + m * everyone
    return Supremum(min(by_rows, by_cells), not of_rows and filters == 1)


def _two_persons(
    rows: Rows,
    resolved: Resolved,
    of_rows: Mapping[Index, Fraction],
    people: Mapping[Index, Fraction],
    power: int,
) -> Supremum:
    most, every = resolved.dataset.unit.rows, cells(resolved)
    pair = row_supremum(rows, of_rows, power, pairs=True, absent=True).times(most**power)
    if not people:
        return pair
    twice = 2 * cells_of_one(resolved)
    changed = twice if every is None else min(twice, every)
    value = pair.value + changed * sum(people.values(), Fraction(0))
    if power == 1:
        value = min(value, 2 * _one_person(rows, resolved, of_rows, people, power).value)
    filters = len({rows.measures[i].where for i in people})
    return Supremum(value, not of_rows and filters == 1 and every == 1)
