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

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, prod
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from twoworlds.attacks.tables.cells import plain_number
from twoworlds.attacks.tables.groups import Codes, Group, Groups
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
_MOST_CELLS = 10_000_000

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


Claims = Mapping[str, Any]  # what is claimed of every group, as `read_claims` returns it
Claim = tuple[
    str, bool | None, str
]  # in words; whether it holds, None if undecided; what was found


def measure(groups: Groups) -> Measures:
    """Return all measures of the groups of a table."""
    least = int(np.argmin(groups.sizes))
    smallest = Worst(Fraction(int(groups.sizes[least])), groups.group(least))
    if not groups.names:
        return Measures(groups.columns, len(groups), {"anonymity": smallest})
    most = np.maximum.reduceat(groups.counts, groups.starts)
    held = (groups.counts, groups.values, groups.starts, groups.sizes, groups.totals)
    worst = {
        "anonymity": smallest,
        "distinct": _distinct(groups),
        "entropy": _entropy(groups),
        "belief": _largest(groups, (most, groups.sizes)),
        "equal": _largest(groups, total_variations(*held)),
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
    seen: dict[tuple[int, ...], int] = {}
    for at in np.flatnonzero(entropies <= entropies.min() + _MARGIN).tolist():
        counts = groups.counts[groups.slice(at)]
        seen.setdefault(tuple(np.sort(counts // np.gcd.reduce(counts)).tolist()), at)
    worst = [(perplexity(shape), at) for shape, at in seen.items()]
    best = worst[0]
    for one in worst[1:]:
        if compare(one[0], best[0]) is Order.LESS:
            best = one
    return Worst(best[0], groups.group(best[1]))


def total_variations(
    counts: Codes, values: Codes, starts: Codes, sizes: Codes, totals: Codes
) -> Ratios:
    """Return the total variation of every group: sum over its values of what they exceed."""
    people = int(totals.sum())
    exact = np.int64 if people * people < _WIDEST else object
    counts, sizes = counts.astype(exact), sizes.astype(exact)
    many = np.diff(starts, append=len(values))
    over = counts * people - totals[values] * np.repeat(sizes, many)
    return np.add.reduceat(np.maximum(over, 0), starts), sizes * people


def _ordered_distances(groups: Groups, numbers: Sequence[Any]) -> Ratios:
    """Return the ordered distance of every group, some groups at a time."""
    ranked = {one: rank for rank, one in enumerate(sorted(set(numbers)))}
    ranks = np.array([ranked[one] for one in numbers], dtype=np.int64)
    many, people = len(ranked), int(groups.totals.sum())
    exact = np.int64 if people * people * many < _WIDEST else object
    totals = np.zeros(many, dtype=exact)
    np.add.at(totals, ranks, groups.totals)
    table, size = np.cumsum(totals), groups.sizes.astype(exact)
    distances, step = [], max(1, _MOST_CELLS // many)
    for first in range(0, len(groups), step):
        chosen = slice(first, first + step)
        here = slice(*np.searchsorted(groups.owners, (first, first + step)))
        counts = np.zeros((len(groups.sizes[chosen]), many), dtype=exact)
        places = (groups.owners[here] - first, ranks[groups.values[here]])
        np.add.at(counts, places, groups.counts[here])
        gaps = np.cumsum(counts, axis=1) * people - size[chosen, None] * table
        distances.append(np.abs(gaps).sum(axis=1))
    return np.concatenate(distances), size * (people * max(1, many - 1))


def _largest(groups: Groups, ratios: Ratios) -> Worst:
    """Return the largest quotient exactly, with the first group that has it."""
    tops, bottoms = ratios
    floats = np.asarray(tops, dtype=float) / np.asarray(bottoms, dtype=float)
    near = np.flatnonzero(floats >= floats.max() - _MARGIN)
    first: dict[tuple[int, int], int] = {}
    for at, *pair in zip(near.tolist(), tops[near].tolist(), bottoms[near].tolist(), strict=True):
        first.setdefault((pair[0], pair[1]), at)
    value, at = max(
        ((Fraction(*pair), at) for pair, at in first.items()), key=lambda one: (one[0], -one[1])
    )
    return Worst(value, groups.group(at))


def read_claims(
    k: object = None,
    diversity: object = None,
    entropy: object = None,
    recursive: object = None,
    closeness: object = None,
    distance: str | None = None,
    *,
    sensitive: str | None,
) -> Claims:
    """Read what is claimed of every group; None where nothing is.

    It has at least k people, and so many sensitive values, ``diversity``; its e^H is at least
    ``entropy``; r_1 < c (r_l + ... + r_m) for ``recursive``, (c, l); it is at most ``closeness``
    away from the whole table, by the ``distance`` that is named.
    """
    about_values = (diversity, entropy, recursive, closeness)
    if sensitive is None and any(claim is not None for claim in about_values):
        raise InvalidInput(
            "diversity and closeness are about a sensitive column: name it with sensitive"
        )
    if distance not in (None, "equal", "ordered"):
        raise InvalidInput(f"distance={distance!r}: choose 'equal' or 'ordered'")
    if entropy is not None and number(entropy, "entropy") < 1:
        raise InvalidInput(f"entropy={entropy}: e^H is at least 1, whatever the table")
    pair: tuple[Fraction, int] | None = None
    if recursive is not None:
        if not isinstance(recursive, tuple | list) or len(recursive) != 2:
            raise InvalidInput(f"recursive={recursive!r}: give two numbers (c, l), such as (3, 2)")
        pair = rational(recursive[0], "c"), whole(recursive[1], "l", at_least=1)
        if pair[0] <= 0:
            raise InvalidInput(f"c={recursive[0]}: the factor of recursive diversity is above 0")
    return {
        "k": None if k is None else whole(k, "k", at_least=1),
        "diversity": None if diversity is None else whole(diversity, "l", at_least=1),
        "entropy": None if entropy is None else number(entropy, "entropy"),
        "recursive": pair,
        "closeness": None if closeness is None else probability(closeness, "t"),
        "distance": distance,
    }


def checked(claims: Claims, groups: Groups, found: Measures) -> Iterator[Claim]:
    """Yield each claim, whether it holds, and what was found."""
    worst = found.worst
    if (k := claims["k"]) is not None:
        yield f"{k}-anonymous", found.k >= k, f"the smallest group has {found.k:,}"
    if (many := claims["diversity"]) is not None:
        least = len(worst["distinct"].group.counts)
        said = f"the fewest sensitive values in a group are {least:,}"
        yield f"{many}-diverse", least >= many, said
    if (entropy := claims["entropy"]) is not None:
        value = worst["entropy"].value
        said = f"the least e^H is {show(value, side='at least')}"
        yield f"entropy {show(entropy)}-diverse", _at_most(entropy, value), said
    if claims["recursive"] is not None:
        factor, values = claims["recursive"]
        value = _recursive(groups, values)
        most = show(value, side="up")
        said = f"the most frequent value is up to {most} times the others from l on"
        if value == INFINITY:
            said = f"some group has fewer than {values} sensitive values"
        text = f"recursive ({show(factor)}, {values})-diverse"
        yield text, compare(value, factor) is Order.LESS, said
    if (closeness := claims["closeness"]) is not None:
        chosen = claims["distance"] or ("ordered" if "ordered" in worst else "equal")
        if chosen not in worst:
            raise InvalidInput(
                "the ordered distance needs numbers, and not all sensitive values are plain "
                "ones: use the equal distance"
            )
        value = worst[chosen].value
        text = f"{show(closeness)}-close by the {chosen} distance"
        yield text, _at_most(value, closeness), f"the farthest group is {show(value)} away"


def _at_most(one: Number, other: Number) -> bool | None:
    order = compare(one, other)
    return None if order is Order.UNDECIDED else order is not Order.GREATER
