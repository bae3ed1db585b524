"""Examining a table: how anonymous it is, whom it exposes, and for which knowledge.

A table is read once and counted; every measure is taken from the counts. Measures for all parts of
a quasi-identifier follow from the counts of the larger parts. Knowing fewer columns never exposes
anybody more (Wu, footnote 1): groups merge, and merging can only improve each measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from twoworlds.attacks.anonymity.advice import advise
from twoworlds.attacks.anonymity.answer import Anonymity, Measures
from twoworlds.attacks.anonymity.claims import Claims
from twoworlds.attacks.anonymity.counted import Counted, check_columns, count_table
from twoworlds.attacks.anonymity.exposures import Found, exposed, ruled_out
from twoworlds.attacks.anonymity.groups import Grouping, equal_texts
from twoworlds.attacks.anonymity.knowledge import by_knowledge
from twoworlds.attacks.anonymity.measures import (
    belief,
    distinct_diversity,
    entropy_diversity,
    equal_distance,
    ordered_distance,
    smallest,
)
from twoworlds.attacks.anonymity.points import known_cells
from twoworlds.attacks.generalised import Cell, column_cells, plain_number
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.progress import track

__all__ = ["check_extent", "examine", "examine_counted", "measured"]

_MOST_COLUMNS = 12
_SHOWN = 10

Regroup = Callable[[Counted, Sequence[str]], Grouping]


def examine(
    table: Any,
    quasi: Sequence[str],
    sensitive: str | None = None,
    *,
    k: object = None,
    diversity: object = None,
    entropy: object = None,
    recursive: tuple[object, object] | None = None,
    closeness: object = None,
    distance: str | None = None,
    subsets: bool = False,
    groups: str = "texts",
    name: str | None = None,
) -> Anonymity:
    """Measure the anonymity of a table and name the people whom it exposes.

    Args:
        table: A CSV, TSV or Parquet file, a list of mappings from columns to values, or a frame.
        quasi: The columns of the quasi-identifier: what an attacker may know of a person.
        sensitive: The column that is to be protected.
        k: A claim: every group has at least so many people.
        diversity: A claim: every group has at least so many sensitive values.
        entropy: A claim: e^H of every group is at least this.
        recursive: A claim (c, l): r_1 < c (r_l + ... + r_m) in every group.
        closeness: A claim: no group is further than this from the whole table.
        distance: Which distance ``closeness`` is about: ``equal`` or ``ordered``; by default
            ordered if all sensitive values are numbers.
        subsets: Whether to measure every part of the quasi-identifier as well.
        groups: ``texts``, groups of equal cells, or ``knowledge``, what exact knowledge matches;
            they differ where generalised cells overlap.
        name: What the table is called in words.

    Raises:
        InvalidInput: for a table that cannot be read, a column that it lacks, a claim that makes
            no sense.
        TooLarge: for all parts of too many columns, and for cells that overlap in too many ways.

    >>> rows = [{"age": "3*", "has": "cancer"}] * 4 + [{"age": "<30", "has": "flu"}] * 2
    >>> found = examine(rows, ["age"], "has")
    >>> found.k, found.diversity, found.exposed.shown[0].sentence
    (2, 1, 'all 4 people in their 30s have cancer')
    """
    columns = check_columns(quasi, sensitive)
    claims = Claims.read(k, diversity, entropy, recursive, closeness, distance, sensitive)
    check_extent(columns, subsets=subsets, groups=groups)
    wanted = columns if sensitive is None else (*columns, sensitive)
    counted = count_table(table, wanted, name)
    return examine_counted(
        counted, columns, sensitive, claims=claims, subsets=subsets, grouped=groups
    )


def check_extent(columns: Sequence[str], *, subsets: bool, groups: str) -> None:
    """Refuse groups of no known kind, and all parts of too many columns."""
    if groups not in ("texts", "knowledge"):
        raise InvalidInput(f"groups={groups!r}: form them by 'texts' or by 'knowledge'")
    if subsets and len(columns) > _MOST_COLUMNS:
        raise TooLarge(
            f"{len(columns)} columns have {2 ** len(columns) - 1:,} parts: at most "
            f"{_MOST_COLUMNS} columns are examined in all parts; name fewer, or leave out subsets"
        )


def examine_counted(
    counted: Counted,
    columns: Sequence[str],
    sensitive: str | None,
    *,
    claims: Claims,
    subsets: bool = False,
    grouped: str = "texts",
) -> Anonymity:
    """Examine a table that is counted already; see `examine`."""
    reading = known_cells if grouped == "knowledge" else column_cells
    cells = {column: reading(counted.texts[counted.place(column)]) for column in columns}
    regroup = _regrouping(sensitive, grouped, cells)
    groups = regroup(counted, columns)
    numbers = _numbers(groups.names)
    found = measured(groups, numbers)
    wanted = claims.k if claims.k is not None else 2
    nothing = Found(0, 0, ())
    return Anonymity(
        counted.name,
        tuple(columns),
        sensitive,
        grouped,
        counted.people,
        _totals(groups),
        found,
        exposed(groups, sensitive, cells, _SHOWN) if sensitive else nothing,
        ruled_out(groups, sensitive, cells, _SHOWN) if sensitive else nothing,
        tuple(claims.checked(groups, found)),
        tuple(_parts(counted, columns, regroup, numbers)) if subsets else (),
        advise(
            groups,
            wanted,
            lambda chosen: regroup(counted, chosen),
            by_knowledge=grouped == "knowledge",
        ),
        cells,
    )


def measured(groups: Grouping, numbers: Sequence[Fraction] | None) -> Measures:
    """Return all measures of a grouping.

    Args:
        groups: The groups.
        numbers: The sensitive values as numbers, by their codes, where all of them are.
    """
    if not groups.names:
        return Measures(groups.columns, len(groups), smallest(groups))
    return Measures(
        groups.columns,
        len(groups),
        smallest(groups),
        distinct_diversity(groups),
        entropy_diversity(groups),
        belief(groups),
        equal_distance(groups),
        None if numbers is None else ordered_distance(groups, numbers),
    )


def _regrouping(
    sensitive: str | None, grouped: str, cells: Mapping[str, Mapping[str, Cell]]
) -> Regroup:
    if grouped == "knowledge":
        return lambda table, columns: by_knowledge(table, columns, sensitive, cells)
    return lambda table, columns: equal_texts(table, columns, sensitive)


def _numbers(names: Sequence[str]) -> list[Fraction] | None:
    """Return sensitive values as numbers, if all of them are."""
    found = [number for name in names if (number := plain_number(name.strip())) is not None]
    return found if names and len(found) == len(names) else None


def _totals(groups: Grouping) -> tuple[tuple[str, int], ...]:
    order = np.argsort(-groups.totals, kind="stable").tolist()
    return tuple((groups.names[code], int(groups.totals[code])) for code in order if groups.names)


def _parts(
    counted: Counted,
    columns: Sequence[str],
    regroup: Regroup,
    numbers: Sequence[Fraction] | None,
) -> Iterator[Measures]:
    """Yield the measures of every part, the larger ones first, the whole included."""
    found = [
        measured(regroup(table, chosen), numbers)
        for chosen, table in track(
            _projections(counted, tuple(columns), 0),
            "measuring parts of the quasi-identifier",
            total=2 ** len(columns) - 1,
        )
    ]
    order = {column: place for place, column in enumerate(columns)}
    yield from sorted(found, key=lambda m: (-len(m.columns), [order[c] for c in m.columns]))


def _projections(
    table: Counted, columns: tuple[str, ...], first: int
) -> Iterator[tuple[tuple[str, ...], Counted]]:
    """Yield every part once, each counted from a part that has one column more."""
    yield columns, table
    if len(columns) == 1:
        return
    for place in range(first, len(columns)):
        rest = columns[:place] + columns[place + 1 :]
        yield from _projections(table.without(columns[place]), rest, place)
