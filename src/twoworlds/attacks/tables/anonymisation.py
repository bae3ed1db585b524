r"""Making a table k-anonymous: declared hierarchies, one level for each column, the least loss.

The rows are published sorted by their own cells, so that their order tells nothing about the order
of the source. Only the quasi-identifier, the sensitive column and columns that were asked for are
published.

A *node* is a level for each column. Its groups are found, the rows of groups that are too small or
not diverse enough are left out, and it is *good* if no more rows are left out than allowed and the
groups that stay are close enough to the table of the rows that stay.

Raising a level merges groups. Hence, for k-anonymity and distinct diversity, and for closeness if
no row may be left out, whatever is above a good node is good, and whatever is below a bad node is
bad: the search need not look there. Nodes are visited by a lower bound of their loss (for the
certainty penalty, that of the node if no row were left out, a sum over columns). From a node whose
state is open a path is climbed to the top, and the first good node on it found by halving, as in
OLA (El Emam and others 2009); the bad node before it rules out everything below. The search ends
when the bound exceeds the best loss: the answer is then the best of the whole lattice.

Where closeness is asked for and rows may be left out, goodness is not monotone, and every node is
tried whose bound is below the best loss.

Two losses, exact rationals between 0 and 1, say how much less a generalised table tells:

``certainty``: the mean over all cells of (v - 1) / (V - 1), where v of the V distinct values that
the column has in the table share the cell's generalised text: 0 for a cell that still says its
value, 1 for ``*`` (Iyengar's loss metric, the normalised certainty penalty for values that are all
equally far apart). The cells of a row that is left out count 1.

``discernibility``: sum over groups of (size / N)^2, N being all people: the probability that two
people drawn at random are not told apart; a row that is left out counts 1 / N (Bayardo & Agrawal's
metric, divided by N^2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import floor, lcm, prod
from pathlib import Path
from typing import Any

import numpy as np

from twoworlds.answer import Answer, Said
from twoworlds.attacks.tables.anonymity import Anonymity, examine
from twoworlds.attacks.tables.groups import (
    Codes,
    Counted,
    combined,
    count_table,
    entries,
    renumbered,
)
from twoworlds.attacks.tables.hierarchies import Hierarchy
from twoworlds.attacks.tables.measures import read_claims, total_variations
from twoworlds.attacks.tables.table import Origin, listed, named_columns
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.files import check_place, write
from twoworlds.numbers import counted, probability, show, to_json, whole
from twoworlds.progress import track
from twoworlds.show import Result
from twoworlds.show.saving import DELIMITERS, Column, table_file

LOSSES = ("certainty", "discernibility")
_LARGEST = 300_000

Node = tuple[int, ...]


@dataclass(eq=False)
class Lattice:
    """All nodes, what is wanted of them, and the counts by which they are judged."""

    levels: Sequence[Sequence[Codes]]  # for each column and level the code of each value
    codes: Sequence[Codes]  # for each column the value of each combination of the table
    values: Codes  # the sensitive value of each
    counts: Codes  # how many people have it
    k: int  # a group is so large
    diversity: int = 1  # and has at least so many sensitive values
    closeness: Fraction | None = None  # and is at most so far from the table, by total variation
    most_left_out: int = 0  # at most so many people may be left out
    loss: str = "certainty"  # what is to be least

    def __post_init__(self) -> None:
        self.heights = tuple(len(column) - 1 for column in self.levels)
        self.size = prod(height + 1 for height in self.heights)
        if self.size > _LARGEST:
            raise TooLarge(
                f"the hierarchies have {self.size:,} combinations of levels, at most "
                f"{_LARGEST:,} are searched: declare fewer levels, or fewer columns"
            )
        self.people = int(self.counts.sum())
        # Whether everything above a good node is good
        self.is_monotone = self.closeness is None or self.most_left_out == 0
        self.judged: dict[Node, tuple[Fraction, int] | None] = {}

    def search(self) -> tuple[Node, Fraction, int]:
        """Return the best node, its loss, and how many people are left out of it.

        Of equal losses it is the lower node. The top, where everything is hidden, is good.
        """
        best: tuple[Fraction | int, int, Node] | None = None
        bad, good = (np.zeros((0, len(self.heights)), dtype=np.int64) for _ in range(2))
        scale, order = self._ordered()
        for key in track(order, "searching the lattice of levels", total=len(order)):
            node = key[2]
            if best is not None and key >= best:
                break
            if self._is_settled(np.array(node), bad, good):
                continue
            for tried in self._climbed(node) if self.is_monotone else (node,):
                found = self.judge(tried)
                if found is None:
                    bad = np.vstack([bad, [tried]])
                    continue
                good = np.vstack([good, [tried]])
                rated = (found[0] * scale, sum(tried), tried)
                best = rated if best is None else min(best, rated)
        assert best is not None
        found = self.judge(best[2])
        assert found is not None
        return best[2], *found

    def judge(self, node: Node) -> tuple[Fraction, int] | None:
        """Return the loss of a node and how many people are left out; None if it is bad."""
        if node not in self.judged:
            self.judged[node] = self._judge(node)
        return self.judged[node]

    def kept(self, node: Node) -> Codes:
        """Return for every combination of the table whether it stays, at a node."""
        keys, good, *_ = self._groups(node)
        return np.asarray(good[keys])

    def _ordered(self) -> tuple[int, list[tuple[int, int, Node]]]:
        """Return all nodes by lower bounds of their losses, which are whole numbers of 1/scale."""
        nodes = product(*(range(height + 1) for height in self.heights))
        if self.loss != "certainty":
            return 1, sorted((0, sum(node), node) for node in nodes)
        common = lcm(*(mean.denominator for means in self._means for mean in means))
        shares = [[int(mean * common) for mean in means] for means in self._means]
        keys = (
            (sum(share[level] for share, level in zip(shares, node, strict=True)), sum(node), node)
            for node in nodes
        )
        return common * len(self.heights), sorted(keys)

    def _is_settled(self, node: Codes, bad: Codes, good: Codes) -> bool:
        """Tell whether a node is known to be bad, or no better than a good one below it."""
        if not self.is_monotone:
            return False
        if (bad >= node).all(axis=1).any():
            return True
        return self.most_left_out == 0 and bool((good <= node).all(axis=1).any())

    def _climbed(self, node: Node) -> Iterator[Node]:
        """Yield the nodes that are judged to find the first good one on a path to the top."""
        path = [node]  # each time raising the column that costs least
        while node != self.heights:
            _, column = min(
                (self._means[i][level + 1] - self._means[i][level], i)
                for i, level in enumerate(node)
                if level < self.heights[i]
            )
            node = (*node[:column], node[column] + 1, *node[column + 1 :])
            path.append(node)
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            yield path[middle]
            if self.judge(path[middle]) is None:
                low = middle + 1
            else:
                high = middle - 1

    def _groups(self, node: Node) -> tuple[Any, ...]:
        """Return each combination's group, which groups are good, and their entries."""
        codes = [self.levels[i][level][self.codes[i]] for i, level in enumerate(node)]
        sizes = [int(self.levels[i][level].max()) + 1 for i, level in enumerate(node)]
        keys = renumbered(combined(codes, sizes))
        many = int(self.values.max(initial=0)) + 1
        starts, values, counts, sizes_, _ = entries(keys, self.values, self.counts, many)
        distinct = np.diff(starts, append=len(values))
        good = (sizes_ >= self.k) & (distinct >= self.diversity)
        return keys, good, starts, values, counts, sizes_

    def _judge(self, node: Node) -> tuple[Fraction, int] | None:
        keys, good, starts, values, counts, sizes = self._groups(node)
        left_out = int(sizes[~good].sum())
        if left_out > self.most_left_out:
            return None
        if not self._is_close(good, starts, values, counts, sizes):
            return None
        if self.loss == "certainty":
            stays, total = good[keys], Fraction(left_out * len(node))
            for place, level in enumerate(node):
                tops, bottom = self._penalties[place][level]
                lost = int((tops[self.codes[place]] * self.counts * stays).sum())
                total += Fraction(lost, bottom)
            return total / (self.people * len(node)), left_out
        squares = sum(size**2 for size in sizes[good].tolist())
        return Fraction(squares + left_out * self.people, self.people**2), left_out

    def _is_close(
        self, good: Codes, starts: Codes, values: Codes, counts: Codes, sizes: Codes
    ) -> bool:
        """Tell whether the groups that stay are close to the rows that stay."""
        limit = self.closeness
        if limit is None or not good.any():
            return True
        stays = np.repeat(good, np.diff(starts, append=len(values)))
        totals = np.zeros(int(values.max()) + 1, dtype=np.int64)
        np.add.at(totals, values[stays], counts[stays])
        tops, bottoms = total_variations(counts, values, starts, sizes, totals)
        pairs = zip(tops[good].tolist(), bottoms[good].tolist(), strict=True)
        return all(top * limit.denominator <= bottom * limit.numerator for top, bottom in pairs)

    @cached_property
    def _penalties(self) -> list[list[tuple[Codes, int]]]:
        """For each column and level the penalty of every value: numerators, and a denominator."""
        return [
            [
                (np.bincount(codes)[codes].astype(np.int64) - 1, max(1, len(column[0]) - 1))
                for codes in column
            ]
            for column in self.levels
        ]

    @cached_property
    def _means(self) -> list[list[Fraction]]:
        """For each column and level the mean penalty of its cells, if nobody is left out."""
        return [
            [
                Fraction(int((tops[codes] * self.counts).sum()), bottom * self.people)
                for tops, bottom in penalties
            ]
            for penalties, codes in zip(self._penalties, self.codes, strict=True)
        ]


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
        form = place.suffix.lower()
        if form not in (*DELIMITERS, ".parquet"):
            raise InvalidInput(f"{place}: the ending must be .csv, .tsv or .parquet")
        cells = [*zip(*self.rows(), strict=True)] or [()] * len(self.table.columns)
        named = zip(self.table.columns, cells, strict=True)
        return write(place, table_file({name: Column("text", one) for name, one in named}, form))

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
