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
from itertools import product
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np

from twoworlds.attacks.tables.groups import Codes, combined, entries, renumbered
from twoworlds.errors import TooLarge
from twoworlds.progress import track

LOSSES = ("certainty", "discernibility")
_LARGEST = 300_000
_KEPT = 24
_WIDEST = 1 << 62

Node = tuple[int, ...]
Key = tuple[Fraction | int, int, Node]


@dataclass(frozen=True)
class Wanted:
    """What the groups of the generalised table must be."""

    k: int  # so large
    diversity: int = 1  # with at least so many sensitive values
    closeness: Fraction | None = None  # at most so far from the table, by total variation
    left_out: int = 0  # at most so many people may be left out
    loss: str = "certainty"  # what is to be least

    @property
    def is_monotone(self) -> bool:
        """Whether everything above a good node is good."""
        return self.closeness is None or self.left_out == 0


class _Rows(NamedTuple):
    """Distinct combinations at some node."""

    codes: tuple[Codes, ...]
    values: Codes
    counts: Codes


class BestNode(NamedTuple):
    """The best node: the level of each column, its loss, how many people are left out of it.

    ``tried`` of all ``nodes`` were looked at.
    """

    node: Node
    loss: Fraction
    left_out: int
    tried: int
    nodes: int


class Lattice:
    """All nodes, and the counts by which they are judged."""

    def __init__(
        self,
        levels: Sequence[Sequence[Codes]],
        codes: Sequence[Codes],
        values: Codes,
        counts: Codes,
        wanted: Wanted,
    ) -> None:
        self.levels = levels
        self.heights = tuple(len(column) - 1 for column in levels)
        self.size = prod(height + 1 for height in self.heights)
        if self.size > _LARGEST:
            raise TooLarge(
                f"the hierarchies have {self.size:,} combinations of levels, at most "
                f"{_LARGEST:,} are searched: declare fewer levels, or fewer columns"
            )
        self.wanted = wanted
        self.people = int(counts.sum())
        self._many = int(values.max(initial=0)) + 1
        self._penalties = [_penalties(column) for column in levels]
        bottom = (0,) * len(levels)
        self._stored: dict[Node, _Rows] = {bottom: _Rows(tuple(codes), values, counts)}
        self._lifts: dict[tuple[int, int, int], Codes] = {}
        self._means = [self._column_means(place) for place in range(len(levels))]
        self._judged: dict[Node, tuple[Fraction, int] | None] = {}

    def nodes(self) -> Iterator[Node]:
        """Yield all nodes."""
        return product(*(range(height + 1) for height in self.heights))

    def bound(self, node: Node) -> Fraction:
        """Return what the loss of a node is at least."""
        if self.wanted.loss != "certainty":
            return Fraction(0)
        total = sum((self._means[i][level] for i, level in enumerate(node)), start=Fraction(0))
        return total / len(node)

    def judge(self, node: Node) -> tuple[Fraction, int] | None:
        """Return the loss of a node and how many people are left out; None if it is bad."""
        if node not in self._judged:
            self._judged[node] = self._judge(node)
        return self._judged[node]

    def search(self) -> BestNode | None:
        """Return the best node; of equal losses the lower one. None if all nodes are bad."""
        scale, order = self._ordered()
        best: tuple[Key, Node, int] | None = None
        bad, good = (np.zeros((0, len(self.heights)), dtype=np.int64) for _ in range(2))
        for key in track(order, "searching the lattice of levels", total=len(order)):
            node = key[2]
            if best is not None and key >= best[0]:
                break
            if self._is_settled(np.array(node), bad, good):
                continue
            for tried in self._climbed(node) if self.wanted.is_monotone else (node,):
                found = self.judge(tried)
                if found is None:
                    bad = np.vstack([bad, [tried]])
                    continue
                good = np.vstack([good, [tried]])
                rated: Key = (found[0] * scale, sum(tried), tried)
                if best is None or rated < best[0]:
                    best = rated, tried, found[1]
        if best is None:
            return None
        _, node, left_out = best
        found = self.judge(node)
        assert found is not None
        return BestNode(node, found[0], left_out, len(self._judged), self.size)

    def _ordered(self) -> tuple[int, list[tuple[int, int, Node]]]:
        """Return all nodes by their bounds, which are whole numbers of 1/scale."""
        if self.wanted.loss != "certainty":
            return 1, sorted((0, sum(node), node) for node in self.nodes())
        common = lcm(*(mean.denominator for means in self._means for mean in means))
        shares = [[int(mean * common) for mean in means] for means in self._means]
        keys = (
            (sum(share[level] for share, level in zip(shares, node, strict=True)), sum(node), node)
            for node in self.nodes()
        )
        return common * len(self.heights), sorted(keys)

    def _is_settled(self, node: Codes, bad: Codes, good: Codes) -> bool:
        """Tell whether a node is known to be bad, or no better than a good one below it."""
        if not self.wanted.is_monotone:
            return False
        if (bad >= node).all(axis=1).any():
            return True
        return self.wanted.left_out == 0 and bool((good <= node).all(axis=1).any())

    def kept(self, node: Node) -> Codes:
        """Return for every combination of the table whether it stays, at a node."""
        rows = self._stored[(0,) * len(node)]
        codes = [self._lift(i, 0, level)[rows.codes[i]] for i, level in enumerate(node)]
        keys, good, *_ = self._groups(_Rows(tuple(codes), rows.values, rows.counts), node)
        return np.asarray(good[keys])

    def _climbed(self, node: Node) -> Iterator[Node]:
        """Yield the nodes that are judged to find the first good one on a path to the top."""
        path = list(self._path(node))
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            yield path[middle]
            if self.judge(path[middle]) is None:
                low = middle + 1
            else:
                high = middle - 1

    def _path(self, node: Node) -> Iterator[Node]:
        """Yield nodes from one to the top, each time raising the column that costs least."""
        yield node
        while node != self.heights:
            raised = [
                (self._means[i][level + 1] - self._means[i][level], i)
                for i, level in enumerate(node)
                if level < self.heights[i]
            ]
            _, column = min(raised)
            node = (*node[:column], node[column] + 1, *node[column + 1 :])
            yield node

    def _groups(self, rows: _Rows, node: Node) -> tuple[Any, ...]:
        """Return each combination's group, which groups are good, and their entries."""
        keys = self._keys(rows.codes, node)
        starts, values, counts, sizes, _ = entries(keys, rows.values, rows.counts, self._many)
        distinct = np.diff(starts, append=len(values))
        good = (sizes >= self.wanted.k) & (distinct >= self.wanted.diversity)
        return keys, good, starts, values, counts, sizes

    def _judge(self, node: Node) -> tuple[Fraction, int] | None:
        rows = self._rows(node)
        keys, good, starts, values, counts, sizes = self._groups(rows, node)
        left_out = int(sizes[~good].sum())
        if left_out > self.wanted.left_out:
            return None
        if not self._is_close(good, starts, values, counts, sizes):
            return None
        if self.wanted.loss == "certainty":
            return self._certainty(rows, good[keys], node, left_out), left_out
        squares = sum(int(size) ** 2 for size in sizes[good].tolist())
        return Fraction(squares + left_out * self.people, self.people**2), left_out

    def _is_close(
        self, good: Codes, starts: Codes, values: Codes, counts: Codes, sizes: Codes
    ) -> bool:
        """Tell whether the groups that stay are close to the rows that stay."""
        limit = self.wanted.closeness
        if limit is None or not good.any():
            return True
        distinct = np.diff(starts, append=len(values))
        stays = np.repeat(good, distinct)
        totals = np.zeros(self._many, dtype=np.int64)
        np.add.at(totals, values[stays], counts[stays])
        people = int(totals.sum())
        exact = np.int64 if people * people * limit.denominator < _WIDEST else object
        over = counts.astype(exact) * people
        over = over - totals.astype(exact)[values] * np.repeat(sizes, distinct)
        above = np.add.reduceat(np.where(over > 0, over, 0), starts)
        allowed = sizes.astype(exact) * people * limit.numerator
        return bool((above * limit.denominator <= allowed)[good].all())

    def _certainty(self, rows: _Rows, stays: Codes, node: Node, left_out: int) -> Fraction:
        """Return the mean penalty of all cells; those of people who are left out count 1."""
        if not left_out:
            return self.bound(node)
        total = Fraction(left_out * len(node))
        for place, level in enumerate(node):
            tops, bottom = self._penalties[place][level]
            of_code = np.zeros(int(self.levels[place][level].max()) + 1, dtype=np.int64)
            of_code[self.levels[place][level]] = tops
            lost = int((of_code[rows.codes[place]] * rows.counts * stays).sum())
            total += Fraction(lost, bottom)
        return total / (self.people * len(node))

    def _column_means(self, place: int) -> list[Fraction]:
        rows = self._stored[(0,) * len(self.levels)]
        weights = np.zeros(len(self.levels[place][0]), dtype=np.int64)
        np.add.at(weights, rows.codes[place], rows.counts)
        return [
            Fraction(int((tops * weights).sum()), bottom * self.people)
            for tops, bottom in self._penalties[place]
        ]

    def _keys(self, codes: Sequence[Codes], node: Node) -> Codes:
        """Return the number of each combination's group."""
        sizes = [int(self.levels[i][level].max()) + 1 for i, level in enumerate(node)]
        return renumbered(combined(codes, sizes))

    def _rows(self, node: Node) -> _Rows:
        """Return the combinations at a node, from the smallest stored ones below it."""
        below = [n for n in self._stored if all(a <= b for a, b in zip(n, node, strict=True))]
        nearest = min(below, key=lambda n: len(self._stored[n].counts))
        if nearest == node:
            return self._stored[node]
        rows = self._stored[nearest]
        codes = [self._lift(i, nearest[i], level)[rows.codes[i]] for i, level in enumerate(node)]
        sizes = [int(self.levels[i][level].max()) + 1 for i, level in enumerate(node)]
        keys = combined([*codes, rows.values], [*sizes, self._many])
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, place, rows.counts)
        found = _Rows(tuple(code[first] for code in codes), rows.values[first], counts)
        self._store(node, found)
        return found

    def _store(self, node: Node, rows: _Rows) -> None:
        """Remember the rows of some nodes; the bottom stays, of others the largest goes."""
        self._stored[node] = rows
        if len(self._stored) > _KEPT:
            bottom = (0,) * len(node)
            others = [n for n in self._stored if n != bottom]
            self._stored.pop(max(others, key=lambda n: len(self._stored[n].counts)))

    def _lift(self, place: int, low: int, high: int) -> Codes:
        """Return for each code of a column at one level its code at a higher one."""
        if (place, low, high) not in self._lifts:
            below, above = self.levels[place][low], self.levels[place][high]
            lift = np.zeros(int(below.max()) + 1, dtype=np.int64)
            lift[below] = above
            self._lifts[place, low, high] = lift
        return self._lifts[place, low, high]


def _penalties(levels: Sequence[Codes]) -> list[tuple[Codes, int]]:
    """Return for each level the penalty of every value, as numerators over one denominator."""
    many = len(levels[0])
    if many == 1:
        return [(np.zeros(1, dtype=np.int64), 1) for _ in levels]
    return [(np.bincount(codes)[codes].astype(np.int64) - 1, many - 1) for codes in levels]
