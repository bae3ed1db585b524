r"""The measures of anonymity, each with the group that is worst off.

Of a group g with n people, of whom c_s have the sensitive value s, in a table of N people of whom
C_s have it:

    anonymity            n                                                (Sweeney 2002)
    distinct diversity   the number of values s with c_s > 0
    entropy diversity    e^H, H = -sum_s (c_s/n) ln(c_s/n): the number of equally likely values that
                         are as hard to guess
    recursive diversity  r_1 / (r_l + ... + r_m), with the c_s in decreasing order r_1, ..., r_m:
                         (c, l)-diversity wants it below c
    belief               max_s c_s/n: how sure an attacker can be
    equal distance       (1/2) sum_s |c_s/n - C_s/N|, the total variation: t-closeness with values
                         that are all equally far apart
    ordered distance     1/(m - 1) sum_i |sum_{j <= i} (c_j/n - C_j/N)|, over the m numbers of the
                         table in increasing order: t-closeness for numbers

(l-diversity: Machanavajjhala and others 2007; t-closeness: Li, Li & Venkatasubramanian 2007.) All
are rational, and found exactly, but for the entropy, which is a root of a rational number: floats
only shorten the list of groups that may be the worst, by a margin far above their error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, prod
from typing import Any

import numpy as np
from flint import arb

from twoworlds.attacks.anonymity.groups import Group, Grouping, entries
from twoworlds.numbers import INFINITY, Number, Order, Real, compare, power, to_json

__all__ = [
    "Worst",
    "belief",
    "distinct_diversity",
    "entropy_diversity",
    "equal_distance",
    "equal_distances",
    "ordered_distance",
    "ordered_distances",
    "perplexity",
    "recursive_diversity",
    "smallest",
    "tail_ratio",
]

_MARGIN = 1e-9  # far above the error of the floats, which is below 1e-12
_SHORT_ROOT = 64
_WIDEST = 1 << 62

Ratios = tuple[Any, Any]  # numerators and denominators, one of each for every group


@dataclass(frozen=True)
class Worst:
    """A measure of the whole table, which is that of its worst group.

    Attributes:
        value: The measure.
        group: The group that has it, the first one of them.
    """

    value: Number
    group: Group

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"value": to_json(self.value, side="down"), "group": self.group.to_dict()}


def smallest(groups: Grouping) -> Worst:
    """Return the size of the smallest group."""
    number = int(np.argmin(groups.sizes))
    return Worst(Fraction(int(groups.sizes[number])), groups.group(number))


def distinct_diversity(groups: Grouping) -> Worst:
    """Return the least number of sensitive values in a group; the largest such group."""
    least = int(groups.distinct.min())
    sizes = np.where(groups.distinct == least, groups.sizes, 0)
    return Worst(Fraction(least), groups.group(int(np.argmax(sizes))))


def belief(groups: Grouping) -> Worst:
    """Return the largest share of one value in a group."""
    return _largest(groups, (np.maximum.reduceat(groups.counts, groups.starts), groups.sizes))


def recursive_diversity(groups: Grouping, values: int) -> Worst:
    """Return the largest r_1 / (r_l + ... + r_m), l = ``values``; infinite with fewer values."""
    if (groups.distinct < values).any():
        return Worst(INFINITY, groups.group(int(np.argmax(groups.distinct < values))))
    order = np.lexsort((-groups.counts, groups.owners))
    falling = groups.counts[order]
    rank = np.arange(len(falling)) - np.repeat(groups.starts, groups.distinct)
    tails = np.add.reduceat(np.where(rank >= values - 1, falling, 0), groups.starts)
    return _largest(groups, (falling[groups.starts], tails))


def tail_ratio(counts: Sequence[int], values: int) -> Number:
    """Return r_1 / (r_l + ... + r_m) of the counts of one group.

    >>> tail_ratio([4, 2, 1, 1], 2)
    Fraction(1, 1)
    """
    falling = sorted(counts, reverse=True)
    tail = sum(falling[values - 1 :])
    return Fraction(falling[0], tail) if tail else INFINITY


def perplexity(counts: Sequence[int]) -> Number:
    """Return e^H of the counts of one group: the n-th root of n^n / prod c^c.

    >>> perplexity([2, 2]), perplexity([4])
    (Fraction(2, 1), Fraction(1, 1))
    >>> perplexity([1, 1, 2])
    Real(64^(1/4))
    """
    common = gcd(*counts)
    reduced = sorted(count // common for count in counts)
    total = sum(reduced)
    if total <= _SHORT_ROOT:
        bottom = prod(count**count for count in reduced)
        return power(Fraction(total**total, bottom), Fraction(1, total))

    def enclosed(_: int) -> arb:
        weighted = sum((count * arb(count).log() for count in reduced), start=arb(0))
        return (arb(total).log() - weighted / total).exp()

    return Real(enclosed)


def entropy_diversity(groups: Grouping) -> Worst:
    """Return the least e^H of a group: 1 as soon as everybody in one has the same value."""
    if (groups.distinct == 1).any():
        return Worst(Fraction(1), distinct_diversity(groups).group)
    logs = np.add.reduceat(groups.counts * np.log(groups.counts), groups.starts)
    entropies = np.log(groups.sizes) - logs / groups.sizes
    near = np.flatnonzero(entropies <= entropies.min() + _MARGIN)
    seen: dict[tuple[int, ...], int] = {}
    for number in near.tolist():
        counts = groups.counts_of(number)
        shape = tuple(np.sort(counts // np.gcd.reduce(counts)).tolist())
        seen.setdefault(shape, number)
    best: tuple[Number, int] | None = None
    for shape, number in seen.items():
        value = perplexity(shape)
        if best is None or compare(value, best[0]) is Order.LESS:
            best = value, number
    assert best is not None
    return Worst(best[0], groups.group(best[1]))


def equal_distance(groups: Grouping) -> Worst:
    """Return the largest total variation between a group and the table."""
    return _largest(groups, equal_distances(groups))


def equal_distances(groups: Grouping) -> Ratios:
    """Return the total variation of every group: sum over its values of what they exceed."""
    people = int(groups.totals.sum())
    values, counts, totals = groups.values, groups.counts, groups.totals
    if people * people >= _WIDEST:
        counts, totals = counts.astype(object), totals.astype(object)
    over = counts * people - totals[values] * np.repeat(groups.sizes, groups.distinct)
    above = np.add.reduceat(np.where(over > 0, over, 0), groups.starts)
    return above, groups.sizes.astype(above.dtype) * people


def ordered_distance(groups: Grouping, numbers: Sequence[Fraction]) -> Worst:
    """Return the largest ordered distance between a group and the table.

    Args:
        groups: The groups.
        numbers: The sensitive values as numbers, by their codes.
    """
    return _largest(groups, ordered_distances(groups, numbers))


def ordered_distances(groups: Grouping, numbers: Sequence[Fraction]) -> Ratios:
    """Return the ordered distance of every group.

    Between two values that a group has next to each other, its cumulated share stands still while
    that of the table grows: the sum over the numbers in between is had from running sums of the
    table's cumulated counts, split where the table overtakes the group.
    """
    ranked = sorted(set(numbers))
    rank_of = {number: rank for rank, number in enumerate(ranked)}
    ranks = np.array([rank_of[number] for number in numbers], dtype=np.int64)
    many, people = len(ranked), int(groups.totals.sum())
    if many == 1:
        return np.zeros(len(groups), dtype=np.int64), np.ones(len(groups), dtype=np.int64)
    starts, values, counts, sizes, _ = entries(
        groups.owners, ranks[groups.values], groups.counts, many
    )
    totals = np.zeros(many, dtype=np.int64)
    np.add.at(totals, ranks, groups.totals)
    exact = np.int64 if people * people * many < _WIDEST else object
    cumulated = np.cumsum(totals)
    running = np.concatenate([[0], np.cumsum(cumulated)]).astype(exact)
    owners = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(values)))
    mine = np.cumsum(counts)
    mine = mine - np.repeat((mine - counts)[starts], np.diff(starts, append=len(values)))
    until = np.append(values[1:], many)
    until[np.append(starts[1:], len(values)) - 1] = many
    size, level = sizes[owners].astype(exact), mine.astype(exact) * people
    # The table is at most at the group's level before ``turn``, and above it from there on.
    turn = np.searchsorted(cumulated, np.asarray(level // size, dtype=np.int64), side="right")
    turn = np.clip(turn, values, until)
    below = level * (turn - values) - size * (running[turn] - running[values])
    above = size * (running[until] - running[turn]) - level * (until - turn)
    before = sizes.astype(exact) * running[values[starts]]
    distance = np.add.reduceat(below + above, starts) + before
    return distance, sizes.astype(exact) * (people * (many - 1))


def _largest(groups: Grouping, ratios: Ratios) -> Worst:
    """Return the largest quotient exactly, with the first group that has it."""
    tops, bottoms = ratios
    floats = np.asarray(tops, dtype=float) / np.asarray(bottoms, dtype=float)
    best: tuple[Fraction, int] | None = None
    seen: set[tuple[int, int]] = set()
    near = np.flatnonzero(floats >= floats.max() - _MARGIN)
    pairs = zip(tops[near].tolist(), bottoms[near].tolist(), strict=True)
    for number, pair in zip(near.tolist(), pairs, strict=True):
        if pair not in seen:
            seen.add(pair)
            value = Fraction(*pair)
            if best is None or value > best[0]:
                best = value, number
    assert best is not None
    return Worst(best[0], groups.group(best[1]))
