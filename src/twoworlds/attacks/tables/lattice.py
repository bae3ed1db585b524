r"""Full-domain generalisation: the best choice of one level for every column.

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod
from typing import Any

import numpy as np

from twoworlds.attacks.tables.groups import Codes, combined, entries, renumbered
from twoworlds.errors import TooLarge
from twoworlds.progress import track

LOSSES = ("certainty", "discernibility")
_LARGEST = 300_000
_WIDEST = 1 << 62

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
        distinct = np.diff(starts, append=len(values))
        stays = np.repeat(good, distinct)
        totals = np.bincount(values[stays], counts[stays], int(values.max()) + 1).astype(np.int64)
        people = int(totals.sum())
        exact = np.int64 if people * people * limit.denominator < _WIDEST else object
        over = counts.astype(exact) * people
        over = over - totals.astype(exact)[values] * np.repeat(sizes, distinct)
        above = np.add.reduceat(np.where(over > 0, over, 0), starts)
        allowed = sizes.astype(exact) * people * limit.numerator
        return bool((above * limit.denominator <= allowed)[good].all())

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
