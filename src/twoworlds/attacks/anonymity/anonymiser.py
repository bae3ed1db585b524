"""Making a table k-anonymous: declared hierarchies, one level for each column, the least loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any

import numpy as np

from twoworlds.attacks.anonymity.counted import Codes, Counted, check_columns, count_table
from twoworlds.attacks.anonymity.generalised_table import Generalised
from twoworlds.attacks.anonymity.hierarchies import Hierarchy
from twoworlds.attacks.anonymity.lattice import Best, Lattice, Wanted
from twoworlds.attacks.anonymity.losses import LOSSES
from twoworlds.errors import InvalidInput
from twoworlds.numbers import probability, whole

__all__ = ["anonymise"]


def anonymise(
    table: Any,
    hierarchies: Mapping[str, Hierarchy],
    k: object,
    *,
    sensitive: str | None = None,
    suppression: object = 0,
    diversity: object = None,
    closeness: object = None,
    loss: str = "certainty",
    keep: Sequence[str] = (),
    name: str | None = None,
) -> Generalised:
    """Generalise a table until it is k-anonymous, with the least loss over all levels.

    Args:
        table: A CSV, TSV or Parquet file, a list of mappings, or a data frame.
        hierarchies: For each column of the quasi-identifier how it may be coarsened.
        k: How large every group must be.
        sensitive: The column that is to be protected; it is published as it is.
        suppression: The largest share of people who may be left out.
        diversity: How many sensitive values every group must have.
        closeness: How far a group may be from the table, by total variation.
        loss: What is least: ``certainty`` or ``discernibility``.
        keep: Further columns that are published as they are; all others are left out.
        name: What the table is called in words.

    Raises:
        InvalidInput: for a value that no hierarchy covers, and for what cannot be reached.
        TooLarge: when the hierarchies have too many combinations of levels.

    >>> from twoworlds.attacks.anonymity import intervals
    >>> rows = [{"age": age, "has": "flu"} for age in (31, 34, 36, 52, 57)]
    >>> found = anonymise(rows, {"age": intervals([5, 10, 50])}, 2, sensitive="has")
    >>> found.levels, found.loss
    ({'age': 2}, Fraction(2, 5))
    """
    given: object = hierarchies
    if not isinstance(given, Mapping):
        raise InvalidInput("hierarchies: give a mapping from columns to hierarchies")
    columns = check_columns(list(hierarchies), sensitive)
    kept = _kept(keep, columns, sensitive)
    if loss not in LOSSES:
        raise InvalidInput(f"loss={loss!r}: choose one of {', '.join(LOSSES)}")
    if sensitive is None and (diversity is not None or closeness is not None):
        raise InvalidInput("diversity and closeness are about a sensitive column: name it")
    size = whole(k, "k", at_least=1)
    share = probability(suppression, "suppression")
    wanted_values = 1 if diversity is None else whole(diversity, "l", at_least=1)
    limit = None if closeness is None else probability(closeness, "t")
    shown = columns if sensitive is None else (*columns, sensitive)
    counted = count_table(table, (*shown, *kept), name)
    wanted = Wanted(size, wanted_values, limit, floor(share * counted.people), loss)
    _check_reachable(counted, wanted, sensitive)
    texts, levels = _levels(counted, columns, hierarchies)
    lattice = _lattice(counted, columns, sensitive, levels, wanted)
    best = lattice.search()
    assert best is not None  # the top, where everything is hidden, is good
    return Generalised(
        counted.name,
        columns,
        sensitive,
        wanted,
        best,
        tuple(len(column) - 1 for column in levels),
        counted.people,
        _published(counted, lattice, best, texts, columns),
    )


def _kept(keep: Sequence[str], columns: Sequence[str], sensitive: str | None) -> tuple[str, ...]:
    if isinstance(keep, str):
        raise InvalidInput(f"keep={keep!r}: give a list of columns")
    for column in keep:
        if column in columns or column == sensitive or list(keep).count(column) > 1:
            raise InvalidInput(f"keep names {column!r}, which is published already: leave it out")
    return tuple(keep)


def _check_reachable(counted: Counted, wanted: Wanted, sensitive: str | None) -> None:
    if wanted.k > counted.people:
        raise InvalidInput(
            f"k={wanted.k} is more than the {counted.people} people of {counted.name}: even with "
            "everything hidden there is no group of that size"
        )
    if sensitive is not None:
        values = len(counted.texts[counted.place(sensitive)])
        if wanted.diversity > values:
            raise InvalidInput(
                f"l={wanted.diversity} is more than the {values} values of {sensitive}: no group "
                "can have as many"
            )


def _levels(
    counted: Counted, columns: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> tuple[list[list[tuple[str, ...]]], list[list[Codes]]]:
    """Return for each column and level the distinct texts, and the code of each value."""
    texts, levels = [], []
    for column in columns:
        hierarchy = hierarchies[column]
        if not isinstance(hierarchy, Hierarchy):
            raise InvalidInput(
                f"the hierarchy of {column} is {hierarchy!r}: declare mask(), intervals([5, 10]), "
                "tree(...) or suppress()"
            )
        found = hierarchy.levels(column, counted.texts[counted.place(column)])
        named = [tuple(dict.fromkeys(level)) for level in found]
        texts.append(named)
        levels.append(
            [
                np.array([places[text] for text in level], dtype=np.int64)
                for level, places in zip(found, map(_places, named), strict=True)
            ]
        )
    return texts, levels


def _places(texts: Sequence[str]) -> dict[str, int]:
    return {text: place for place, text in enumerate(texts)}


def _lattice(
    counted: Counted,
    columns: Sequence[str],
    sensitive: str | None,
    levels: Sequence[Sequence[Codes]],
    wanted: Wanted,
) -> Lattice:
    nobody = np.zeros(len(counted.counts), dtype=np.int64)
    values = nobody if sensitive is None else counted.codes[counted.place(sensitive)]
    codes = [counted.codes[counted.place(column)] for column in columns]
    return Lattice(levels, codes, values, counted.counts, wanted)


def _published(
    counted: Counted,
    lattice: Lattice,
    best: Best,
    texts: Sequence[Sequence[tuple[str, ...]]],
    columns: Sequence[str],
) -> Counted:
    """Return the table at the best node, without the people who are left out."""
    stays = np.flatnonzero(lattice.kept(best.node))
    new_texts, new_codes = list(counted.texts), [code[stays] for code in counted.codes]
    for place, column in enumerate(columns):
        level = best.node[place]
        where = counted.place(column)
        new_texts[where] = texts[place][level]
        new_codes[where] = lattice.levels[place][level][new_codes[where]]
    return Counted(
        f"{counted.name}, generalised,",
        counted.columns,
        tuple(new_texts),
        tuple(new_codes),
        counted.counts[stays],
    )
