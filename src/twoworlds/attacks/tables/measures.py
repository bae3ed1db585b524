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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import gcd, prod
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from twoworlds.attacks.tables.cells import plain_number
from twoworlds.attacks.tables.groups import Group, Groups, entries
from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    compare,
    number,
    power,
    probability,
    rational,
    show,
    whole,
)

NAMES = {
    "anonymity": "smallest group (k)",
    "distinct": "distinct values (l)",
    "entropy": "entropy, e^H (l)",
    "belief": "largest share",
    "equal": "equal distance (t)",
    "ordered": "ordered distance (t)",
}
_MARGIN = 1e-9  # far above the error of the floats, which is below 1e-12
_SHORT_ROOT = 64
_WIDEST = 1 << 62

Ratios = tuple[Any, Any]  # numerators and denominators, one of each for every group


class Worst(NamedTuple):
    """A measure of the whole table, which is that of its worst group, the first one of them."""

    value: Number
    group: Group


class Measures(NamedTuple):
    """All measures for one choice of quasi-identifier, by their names in `NAMES`.

    Without a sensitive column there is the anonymity alone; the ordered distance is there if all
    sensitive values are numbers.
    """

    columns: tuple[str, ...]
    groups: int
    worst: dict[str, Worst]

    @property
    def k(self) -> int:
        """The largest k for which the table is k-anonymous."""
        return self.worst["anonymity"].group.size


class Claim(NamedTuple):
    """Something claimed of the table; whether it holds, None if undecided; what was found."""

    text: str
    holds: bool | None
    found: str


def measure(groups: Groups) -> Measures:
    """Return all measures of the groups of a table."""
    least = int(np.argmin(groups.sizes))
    smallest = Worst(Fraction(int(groups.sizes[least])), groups.group(least))
    if not groups.names:
        return Measures(groups.columns, len(groups), {"anonymity": smallest})
    most = np.maximum.reduceat(groups.counts, groups.starts)
    worst = {
        "anonymity": smallest,
        "distinct": _distinct(groups),
        "entropy": _entropy(groups),
        "belief": _largest(groups, (most, groups.sizes)),
        "equal": _largest(groups, _equal_distances(groups)),
    }
    numbers = [plain_number(name.strip()) for name in groups.names]
    if None not in numbers:
        worst["ordered"] = _largest(groups, _ordered_distances(groups, numbers))
    return Measures(groups.columns, len(groups), worst)


def _distinct(groups: Groups) -> Worst:
    """Return the least number of sensitive values in a group; the largest such group."""
    least = int(groups.distinct.min())
    sizes = np.where(groups.distinct == least, groups.sizes, 0)
    return Worst(Fraction(least), groups.group(int(np.argmax(sizes))))


def _recursive(groups: Groups, values: int) -> Number:
    """Return the largest r_1 / (r_l + ... + r_m), l = ``values``; infinite with fewer values."""
    if (groups.distinct < values).any():
        return INFINITY
    order = np.lexsort((-groups.counts, groups.owners))
    falling = groups.counts[order]
    rank = np.arange(len(falling)) - np.repeat(groups.starts, groups.distinct)
    tails = np.add.reduceat(np.where(rank >= values - 1, falling, 0), groups.starts)
    return _largest(groups, (falling[groups.starts], tails)).value


def perplexity(counts: Sequence[int]) -> Number:
    """Return e^H of the counts of one group: the n-th root of n^n / prod c^c."""
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


def _entropy(groups: Groups) -> Worst:
    """Return the least e^H of a group: 1 as soon as everybody in one has the same value."""
    if (groups.distinct == 1).any():
        return Worst(Fraction(1), _distinct(groups).group)
    logs = np.add.reduceat(groups.counts * np.log(groups.counts), groups.starts)
    entropies = np.log(groups.sizes) - logs / groups.sizes
    near = np.flatnonzero(entropies <= entropies.min() + _MARGIN)
    seen: dict[tuple[int, ...], int] = {}
    for at in near.tolist():
        counts = groups.counts[groups.slice(at)]
        shape = tuple(np.sort(counts // np.gcd.reduce(counts)).tolist())
        seen.setdefault(shape, at)
    best: tuple[Number, int] | None = None
    for shape, at in seen.items():
        value = perplexity(shape)
        if best is None or compare(value, best[0]) is Order.LESS:
            best = value, at
    assert best is not None
    return Worst(best[0], groups.group(best[1]))


def _equal_distances(groups: Groups) -> Ratios:
    """Return the total variation of every group: sum over its values of what they exceed."""
    people = int(groups.totals.sum())
    values, counts, totals = groups.values, groups.counts, groups.totals
    if people * people >= _WIDEST:
        counts, totals = counts.astype(object), totals.astype(object)
    over = counts * people - totals[values] * np.repeat(groups.sizes, groups.distinct)
    above = np.add.reduceat(np.where(over > 0, over, 0), groups.starts)
    return above, groups.sizes.astype(above.dtype) * people


def _ordered_distances(groups: Groups, numbers: Sequence[Any]) -> Ratios:
    """Return the ordered distance of every group.

    Between two values that a group has next to each other, its cumulated share stands still while
    that of the table grows: the sum over the numbers in between is had from running sums of the
    table's cumulated counts, split where the table overtakes the group.
    """
    ranked = sorted(set(numbers))
    rank_of = {one: rank for rank, one in enumerate(ranked)}
    ranks = np.array([rank_of[one] for one in numbers], dtype=np.int64)
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


def _largest(groups: Groups, ratios: Ratios) -> Worst:
    """Return the largest quotient exactly, with the first group that has it."""
    tops, bottoms = ratios
    floats = np.asarray(tops, dtype=float) / np.asarray(bottoms, dtype=float)
    best: tuple[Fraction, int] | None = None
    seen: set[tuple[int, int]] = set()
    near = np.flatnonzero(floats >= floats.max() - _MARGIN)
    pairs = zip(tops[near].tolist(), bottoms[near].tolist(), strict=True)
    for at, pair in zip(near.tolist(), pairs, strict=True):
        if pair not in seen:
            seen.add(pair)
            value = Fraction(*pair)
            if best is None or value > best[0]:
                best = value, at
    assert best is not None
    return Worst(best[0], groups.group(best[1]))


def recomputed(name: str, worst: Worst, totals: dict[str, int]) -> bool:
    """Tell whether a measure of one group, computed again by its definition, is the same."""
    group, counts, people = worst.group, dict(worst.group.counts), sum(totals.values())
    gaps = {value: group.share(value) - Fraction(n, people) for value, n in totals.items()}
    value: Number
    match name:
        case "anonymity":
            value = Fraction(group.size)
        case "distinct":
            value = Fraction(len(counts))
        case "entropy":
            value = perplexity(list(counts.values()))
        case "belief":
            value = Fraction(max(counts.values()), group.size)
        case "equal":
            value = sum(map(abs, gaps.values()), start=Fraction(0)) / 2
        case _:
            moves: dict[Any, Fraction] = {}
            for one, gap in gaps.items():
                rank = plain_number(one.strip())
                moves[rank] = moves.get(rank, Fraction(0)) + gap
            heights = accumulate(moves[rank] for rank in sorted(moves))
            value = sum(map(abs, heights), start=Fraction(0)) / max(1, len(moves) - 1)
    all_there = not counts or sum(counts.values()) == group.size
    return all_there and compare(value, worst.value) in (Order.EQUAL, Order.UNDECIDED)


@dataclass(frozen=True)
class Claims:
    """What is claimed of every group; None where nothing is."""

    k: int | None = None  # it has at least so many people
    diversity: int | None = None  # it has at least so many sensitive values
    entropy: Number | None = None  # its e^H is at least this
    recursive: tuple[Number, int] | None = None  # (c, l): r_1 < c (r_l + ... + r_m)
    closeness: Number | None = None  # it is at most so far from the whole table
    # By which distance; None: ordered if all sensitive values are numbers
    distance: str | None = None

    @classmethod
    def read(
        cls,
        k: object,
        diversity: object,
        entropy: object,
        recursive: tuple[object, object] | None,
        closeness: object,
        distance: str | None,
        sensitive: str | None,
    ) -> Claims:
        """Read claims."""
        about_values = (diversity, entropy, recursive, closeness)
        if sensitive is None and any(claim is not None for claim in about_values):
            raise InvalidInput(
                "diversity and closeness are about a sensitive column: name it with sensitive"
            )
        if distance not in (None, "equal", "ordered"):
            raise InvalidInput(f"distance={distance!r}: choose 'equal' or 'ordered'")
        return cls(
            None if k is None else whole(k, "k", at_least=1),
            None if diversity is None else whole(diversity, "l", at_least=1),
            None if entropy is None else _at_least_one(entropy),
            None if recursive is None else _factor_and_values(recursive),
            None if closeness is None else probability(closeness, "t"),
            distance,
        )

    def checked(self, groups: Groups, found: Measures) -> Iterator[Claim]:
        """Yield each claim with what was found."""
        worst = found.worst
        if self.k is not None:
            small = f"the smallest group has {found.k:,}"
            yield Claim(f"{self.k}-anonymous", found.k >= self.k, small)
        if self.diversity is not None:
            least = len(worst["distinct"].group.counts)
            said = f"the fewest sensitive values in a group are {least:,}"
            yield Claim(f"{self.diversity}-diverse", least >= self.diversity, said)
        if self.entropy is not None:
            value = worst["entropy"].value
            said = f"the least e^H is {show(value, side='at least')}"
            text = f"entropy {show(self.entropy)}-diverse"
            yield Claim(text, _at_most(self.entropy, value), said)
        if self.recursive is not None:
            factor, values = self.recursive
            value = _recursive(groups, values)
            most = show(value, side="up")
            said = f"the most frequent value is up to {most} times the others from l on"
            if value == INFINITY:
                said = f"some group has fewer than {values} sensitive values"
            text = f"recursive ({show(factor)}, {values})-diverse"
            yield Claim(text, compare(value, factor) is Order.LESS, said)
        if self.closeness is not None:
            chosen = self.distance or ("ordered" if "ordered" in worst else "equal")
            if chosen not in worst:
                raise InvalidInput(
                    "the ordered distance needs numbers, and not all sensitive values are plain "
                    "ones: use the equal distance"
                )
            value = worst[chosen].value
            text = f"{show(self.closeness)}-close by the {chosen} distance"
            holds = _at_most(value, self.closeness)
            yield Claim(text, holds, f"the farthest group is {show(value)} away")


def _at_most(one: Number, other: Number) -> bool | None:
    order = compare(one, other)
    return None if order is Order.UNDECIDED else order is not Order.GREATER


def _at_least_one(value: object) -> Number:
    read = number(value, "entropy")
    if read < 1:
        raise InvalidInput(f"entropy={value}: e^H is at least 1, whatever the table")
    return read


def _factor_and_values(pair: object) -> tuple[Number, int]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InvalidInput(f"recursive={pair!r}: give two numbers (c, l), such as (3, 2)")
    factor = rational(pair[0], "c")
    if factor <= 0:
        raise InvalidInput(f"c={pair[0]}: the factor of recursive diversity is above 0")
    return factor, whole(pair[1], "l", at_least=1)
