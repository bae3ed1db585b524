"""Making a table k-anonymous: declared hierarchies, one level for each column, the least loss.

The rows are published sorted by their own cells, so that their order tells nothing about the order
of the source. Only the quasi-identifier, the sensitive column and columns that were asked for are
published.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import floor
from pathlib import Path
from typing import Any

import numpy as np

from twoworlds.answer import Answer, Said
from twoworlds.attacks.english import counted, listed
from twoworlds.attacks.tables.anonymity import Anonymity, examine
from twoworlds.attacks.tables.groups import Codes, Counted, count_table
from twoworlds.attacks.tables.hierarchies import Hierarchy
from twoworlds.attacks.tables.lattice import LOSSES, Lattice
from twoworlds.attacks.tables.measures import read_claims
from twoworlds.attacks.tables.table import DELIMITERS, Origin, named_columns
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.files import check_place, write
from twoworlds.numbers import probability, show, to_json, whole
from twoworlds.show import Result


@dataclass(frozen=True)
class Generalised(Result):
    """A table that was made k-anonymous."""

    name: str  # what the source is called
    quasi: tuple[str, ...]  # the columns that were generalised
    sensitive: str | None  # the sensitive column, if there is one
    lattice: Lattice = field(repr=False)  # what was asked for, and all combinations of levels
    node: tuple[int, ...]  # the levels that lose least
    loss: Fraction  # what the table loses: 0 nothing, 1 everything
    left_out: int  # how many people are left out
    people: int  # how many rows the source has
    table: Counted = field(repr=False)  # the generalised table, counted

    @property
    def levels(self) -> dict[str, int]:
        """The level of each column; 0 is the value itself."""
        return dict(zip(self.quasi, self.node, strict=True))

    @property
    def heights(self) -> dict[str, int]:
        """The highest level of each column, which hides it."""
        return dict(zip(self.quasi, self.lattice.heights, strict=True))

    @cached_property
    def anonymity(self) -> Anonymity | None:
        """What is known about the anonymity of the table; None when everybody was left out."""
        if self.left_out == self.people:
            return None
        asked = self.lattice
        diversity = asked.diversity if asked.diversity > 1 else None
        return self.examined(
            k=asked.k, diversity=diversity, closeness=asked.closeness, distance="equal"
        )

    def examined(self, **asked: Any) -> Anonymity:
        """Examine the table for other claims than those that it was made for; see `examine`."""
        if self.left_out == self.people:
            raise InvalidInput(
                "everybody was left out: there is no table to examine; allow less suppression"
            )
        return examine(self.table, self.quasi, self.sensitive, **asked)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the published rows, sorted."""
        columns = [
            np.array(texts, dtype=object)[code].tolist()
            for texts, code in zip(self.table.texts, self.table.codes, strict=True)
        ]
        for *row, number in sorted(zip(*columns, self.table.counts.tolist(), strict=True)):
            yield from [tuple(row)] * number

    def write(self, path: str | Path) -> Path:
        """Write the table as CSV, TSV or Parquet, whole or not at all."""
        place = check_place(Path(path))
        if place.suffix.lower() == ".parquet":
            return write(place, self._parquet())
        if place.suffix.lower() not in DELIMITERS:
            raise InvalidInput(f"{place}: the ending must be .csv, .tsv or .parquet")
        text = io.StringIO()
        delimiter = DELIMITERS[place.suffix.lower()]
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(self.table.columns)
        writer.writerows(self.rows())
        return write(place, text.getvalue())

    def _parquet(self) -> bytes:
        import pyarrow as pa
        from pyarrow import parquet

        cells = [pa.array(cells, pa.string()) for cells in zip(*self.rows(), strict=True)]
        written = pa.BufferOutputStream()
        parquet.write_table(pa.table(cells, names=list(self.table.columns)), written)
        return bytes(written.getvalue())

    def sentences(self) -> list[str]:
        """Say what was done and what it costs."""
        levels = [f"{one} at level {n} of {self.heights[one]}" for one, n in self.levels.items()]
        found = [
            f"{self.name} becomes {self.lattice.k}-anonymous with {listed(levels)}.",
            f"The {self.lattice.loss} loss is {show(self.loss)}, from 0 (nothing) to 1 "
            f"(everything), the least of {counted(self.lattice.size, 'combination')} of levels; "
            f"{len(self.lattice.judged):,} had to be looked at.",
        ]
        if self.left_out:
            found.append(f"{self.left_out:,} of {self.people:,} people are left out of it.")
        return found

    def answer(self, examined: Anonymity | None = None) -> Answer:
        """Say what was done, what it costs, and what the table still gives away."""
        headline, *others = self.sentences()
        levels = {one: Fraction(self.levels[one], top) for one, top in self.heights.items() if top}
        chart = Bars("How coarse the columns become (100%: nothing is left)", levels)
        known = self.anonymity if examined is None else examined
        if known is None:
            return Answer(headline, blocks=(Said(others), chart))
        found = known.answer()
        blocks = (Said([*others, found.headline]), chart, *found.blocks)
        subject = self.name if found.subject else ""
        return replace(found, headline=headline, subject=subject, blocks=blocks)

    def fields(self) -> dict[str, Any]:
        """Return all but the rows themselves, which are written to a file."""
        return {
            "table": self.name,
            "k": self.lattice.k,
            "levels": self.levels,
            "highest_levels": self.heights,
            "loss": {"kind": self.lattice.loss, **to_json(self.loss)},
            "people": self.people,
            "left_out": self.left_out,
            "combinations": self.lattice.size,
            "looked_at": len(self.lattice.judged),
            "sentences": self.sentences(),
            "anonymity": self.anonymity,
        }


def anonymise(
    table: Origin,
    hierarchies: Mapping[str, Hierarchy],
    k: object,
    *,
    sensitive: str | None = None,
    suppression: object = 0,
    diversity: object = None,
    closeness: object = None,
    loss: str = "certainty",
    keep: Sequence[str] = (),
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

    >>> from twoworlds.attacks import intervals
    >>> rows = [{"age": age, "has": "flu"} for age in (31, 34, 36, 52, 57)]
    >>> found = anonymise(rows, {"age": intervals([5, 10, 50])}, 2, sensitive="has")
    >>> found.levels, found.loss
    ({'age': 2}, Fraction(2, 5))
    """
    given: object = hierarchies
    if not isinstance(given, Mapping):
        raise InvalidInput("hierarchies: give a mapping from columns to hierarchies")
    columns = named_columns(list(hierarchies), "hierarchies", sensitive)
    kept = _kept(keep, columns, sensitive)
    if loss not in LOSSES:
        raise InvalidInput(f"loss={loss!r}: choose one of {', '.join(LOSSES)}")
    claimed = (k, diversity, None, None, closeness)
    claims = read_claims(*claimed, sensitive=sensitive)
    share = probability(suppression, "suppression")
    shown = columns if sensitive is None else [*columns, sensitive]
    source = count_table(table, (*shown, *kept))
    size, least = whole(k, "k", at_least=1), claims["diversity"] or 1
    if size > source.people:
        raise InvalidInput(
            f"k={size} is more than the {source.people} people of {source.name}: even with "
            "everything hidden there is no group of that size"
        )
    nobody = np.zeros(len(source.counts), dtype=np.int64)
    values = nobody if sensitive is None else source.codes[source.place(sensitive)]
    there = 1 if sensitive is None else len(source.texts[source.place(sensitive)])
    if least > there:
        raise InvalidInput(
            f"l={least} is more than the {there} values of {sensitive}: no group can have as many"
        )
    texts, levels = _levels(source, columns, hierarchies)
    codes = [source.codes[source.place(column)] for column in columns]
    most = floor(share * source.people)
    wanted = (size, least, claims["closeness"], most, loss)
    lattice = Lattice(levels, codes, values, source.counts, *wanted)
    node, lost, left_out = lattice.search()
    published = _published(source, lattice, node, texts, columns)
    found = (node, lost, left_out, source.people, published)
    return Generalised(source.name, tuple(columns), sensitive, lattice, *found)


def _kept(keep: Sequence[str], columns: Sequence[str], sensitive: str | None) -> Sequence[str]:
    kept = named_columns(keep, "keep") if keep else []
    for column in kept:
        if column in columns or column == sensitive:
            raise InvalidInput(f"keep names {column!r}, which is published already: leave it out")
    return kept


def _levels(
    source: Counted, columns: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> tuple[list[list[list[str]]], list[list[Codes]]]:
    """Return for each column and level the distinct texts, and the code of each value."""
    texts, levels = [], []
    for column in columns:
        hierarchy = hierarchies[column]
        if not callable(hierarchy):
            raise InvalidInput(
                f"the hierarchy of {column} is {hierarchy!r}: declare mask(), intervals([5, 10]), "
                "tree(...) or suppress()"
            )
        found = hierarchy(column, source.texts[source.place(column)])
        places = [{text: i for i, text in enumerate(dict.fromkeys(level))} for level in found]
        texts.append([list(one) for one in places])
        levels.append(
            [
                np.array([place[text] for text in level], dtype=np.int64)
                for level, place in zip(found, places, strict=True)
            ]
        )
    return texts, levels


def _published(
    source: Counted,
    lattice: Lattice,
    node: tuple[int, ...],
    texts: Sequence[Sequence[Sequence[str]]],
    columns: Sequence[str],
) -> Counted:
    """Return the table at the best node, without the people who are left out."""
    stays = np.flatnonzero(lattice.kept(node))
    new_texts, new_codes = list(source.texts), [code[stays] for code in source.codes]
    for i, (column, level) in enumerate(zip(columns, node, strict=True)):
        place = source.place(column)
        new_texts[place] = tuple(texts[i][level])
        new_codes[place] = lattice.levels[i][level][new_codes[place]]
    counts = source.counts[stays]
    name = f"{source.name}, generalised,"
    return Counted(name, source.columns, tuple(new_texts), tuple(new_codes), counts)
