"""A generalised table: which levels were chosen, what that loses, and the table itself.

The rows are published sorted by their own cells, so that their order tells nothing about the order
of the source. Only the quasi-identifier, the sensitive column and columns that were asked for are
published.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from twoworlds.attacks.anonymity.answer import Anonymity
from twoworlds.attacks.anonymity.claims import Claims
from twoworlds.attacks.anonymity.counted import Counted
from twoworlds.attacks.anonymity.examination import check_extent, examine_counted
from twoworlds.attacks.anonymity.lattice import Best, Wanted
from twoworlds.attacks.anonymity.words import counted as so_many
from twoworlds.attacks.anonymity.words import joined
from twoworlds.errors import InvalidInput
from twoworlds.files import check_place, write
from twoworlds.numbers import show, to_json

__all__ = ["Generalised"]

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True)
class Generalised:
    """A table that was made k-anonymous.

    Attributes:
        name: What the source is called.
        quasi: The columns that were generalised.
        sensitive: The sensitive column, if there is one.
        wanted: What was asked for.
        best: The levels that lose least, and how they were found.
        heights: The highest level of each column, which hides it.
        people: How many rows the source has.
        table: The generalised table, counted.
    """

    name: str
    quasi: tuple[str, ...]
    sensitive: str | None
    wanted: Wanted
    best: Best
    heights: tuple[int, ...]
    people: int
    table: Counted = field(repr=False)

    @property
    def levels(self) -> dict[str, int]:
        """The level of each column; 0 is the value itself."""
        return dict(zip(self.quasi, self.best.node, strict=True))

    @property
    def loss(self) -> Fraction:
        """What the table loses: 0 nothing, 1 everything."""
        return self.best.loss

    @property
    def left_out(self) -> int:
        """How many people are left out."""
        return self.best.left_out

    @cached_property
    def anonymity(self) -> Anonymity:
        """What is known about the anonymity of the generalised table.

        Raises:
            InvalidInput: when everybody was left out.
        """
        claims = Claims(k=self.wanted.k)
        if self.sensitive is not None:
            asked = self.wanted.diversity if self.wanted.diversity > 1 else None
            close = self.wanted.closeness
            claims = Claims(self.wanted.k, asked, closeness=close, distance="equal")
        return self.examined(claims)

    def examined(
        self, claims: Claims, *, subsets: bool = False, groups: str = "texts"
    ) -> Anonymity:
        """Examine the generalised table for other claims than those that it was made for.

        Args:
            claims: What is claimed of it.
            subsets: Whether to measure every part of the quasi-identifier as well.
            groups: ``texts`` or ``knowledge``, as in `twoworlds.attacks.anonymity.examine`.

        Raises:
            InvalidInput: when everybody was left out.
        """
        if self.left_out == self.people:
            raise InvalidInput(
                "everybody was left out: there is no table to examine; allow less suppression"
            )
        check_extent(self.quasi, subsets=subsets, groups=groups)
        return examine_counted(
            self.table, self.quasi, self.sensitive, claims=claims, subsets=subsets, grouped=groups
        )

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the published rows, sorted."""
        ranks = [_ranks(texts) for texts in self.table.texts]
        codes = [rank[code] for rank, code in zip(ranks, self.table.codes, strict=True)]
        order = np.lexsort(tuple(reversed(codes)))
        for place in order.tolist():
            row = tuple(
                texts[int(code[place])]
                for texts, code in zip(self.table.texts, self.table.codes, strict=True)
            )
            for _ in range(int(self.table.counts[place])):
                yield row

    def write(self, path: str | Path) -> Path:
        """Write the table as CSV, TSV or Parquet, whole or not at all.

        Raises:
            InvalidInput: for another ending, and for a place that cannot be written.
        """
        place = check_place(Path(path))
        ending = place.suffix.lower()
        if ending == ".parquet":
            return self._write_parquet(place)
        if ending not in _DELIMITERS:
            raise InvalidInput(f"{place}: the ending must be .csv, .tsv or .parquet")
        return write(place, self._text(_DELIMITERS[ending]))

    def sentences(self) -> list[str]:
        """Say what was done and what it costs."""
        levels = joined(
            [
                f"{column} at level {level} of {height}"
                for (column, level), height in zip(self.levels.items(), self.heights, strict=True)
            ]
        )
        found = [
            f"{self.name} becomes {self.wanted.k}-anonymous with {levels}.",
            f"The {self.wanted.loss} loss is {show(self.loss)}, from 0 (nothing) to 1 "
            f"(everything), the least of {so_many(self.best.nodes, 'combination')} of levels; "
            f"{self.best.tried:,} had to be looked at.",
        ]
        if self.left_out:
            found.append(f"{self.left_out:,} of {self.people:,} people are left out of it.")
        return found

    def explain(self) -> str:
        """Return what was done, and what the result still gives away."""
        if self.left_out == self.people:
            return "\n".join(self.sentences())
        return "\n".join([*self.sentences(), "", self.anonymity.explain()])

    def verify(self) -> bool:
        """Count the published rows again, and compare with what was asked for."""
        width = len(self.quasi)
        groups: dict[tuple[str, ...], Counter[str]] = {}
        total = 0
        for row in self.rows():
            value = row[width] if self.sensitive is not None else ""
            groups.setdefault(row[:width], Counter())[value] += 1
            total += 1
        large = all(group.total() >= self.wanted.k for group in groups.values())
        diverse = all(len(group) >= self.wanted.diversity for group in groups.values())
        close = self.wanted.closeness is None or not groups or self.anonymity.holds is not False
        return large and diverse and close and total + self.left_out == self.people

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; the rows themselves are written to a file."""
        nobody = self.left_out == self.people
        return {
            "table": self.name,
            "k": self.wanted.k,
            "levels": self.levels,
            "highest_levels": dict(zip(self.quasi, self.heights, strict=True)),
            "loss": {"kind": self.wanted.loss, **to_json(self.loss)},
            "people": self.people,
            "left_out": self.left_out,
            "combinations": self.best.nodes,
            "looked_at": self.best.tried,
            "sentences": self.sentences(),
            "anonymity": None if nobody else self.anonymity.to_dict(),
        }

    def _repr_html_(self) -> str:
        """Show a card in a notebook."""
        from twoworlds.cards import bars
        from twoworlds.cards.layout import explained

        levels = {
            column: Fraction(level, height)
            for (column, level), height in zip(self.levels.items(), self.heights, strict=True)
            if height
        }
        drawn = bars("How coarse the columns become (100%: nothing is left)", levels)
        return explained("\n".join(self.sentences()), drawn)

    def _text(self, delimiter: str) -> str:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(self.table.columns)
        writer.writerows(self.rows())
        return text.getvalue()

    def _write_parquet(self, place: Path) -> Path:
        import duckdb

        kinds = {f"c{i}": "VARCHAR" for i in range(len(self.table.columns))}
        quoted = (name.replace('"', '""') for name in self.table.columns)
        names = ", ".join(f'c{i} AS "{name}"' for i, name in enumerate(quoted))
        with TemporaryDirectory() as folder:
            source, target = Path(folder) / "rows.csv", Path(folder) / "rows.parquet"
            source.write_text(self._text(","), encoding="utf-8")
            with duckdb.connect(":memory:") as connection:
                read = connection.read_csv(
                    str(source), header=True, auto_detect=False, columns=kinds, null_padding=False
                )
                read.project(names).write_parquet(str(target))
            return write(place, target.read_bytes())


def _ranks(texts: tuple[str, ...]) -> Any:
    """Return for each code its place in the order of the texts."""
    ranks = np.zeros(len(texts), dtype=np.int64)
    ranks[np.argsort(np.array(texts, dtype=object), kind="stable")] = np.arange(len(texts))
    return ranks
