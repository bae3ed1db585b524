"""Which situations to give up, when one column of a simulator has to serve several.

A *situation* is an output with a belief and side information. For every output one set of them is
served together; the others are bad. If belief D gives the bad ones the probability b_D, and no
served set has an inner delta above c, the simulator has delta max(c, max_D b_D). What is known of
sets are conflicts: sets that cannot be served together with less than a bound (and so no larger
set can). `cheapest` finds the least delta that the known conflicts allow, which is a lower bound of
the true one, and the sets that would attain it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

__all__ = ["Conflict", "cheapest"]

ZERO, ONE = Fraction(0), Fraction(1)
_MOST_STEPS = 20_000

Masses = Mapping[int, Mapping[int, tuple[int, Fraction]]]
"""By output and situation: the belief, and the probability it gives to the situation."""

Served = dict[int, frozenset[int]]


class Conflict(NamedTuple):
    """Situations of one output that cannot be served together below a bound."""

    output: int
    situations: frozenset[int]
    bound: Fraction


class _TooMany(Exception):
    """The search was given up."""


def cheapest(masses: Masses, conflicts: Sequence[Conflict]) -> tuple[Fraction, Served] | None:
    """Return the least delta that the conflicts allow, and the sets served; None if too hard.

    >>> some = {0: {0: (0, Fraction(1, 4)), 1: (0, Fraction(3, 4))}}
    >>> both = Conflict(0, frozenset({0, 1}), Fraction(1, 2))
    >>> cheapest(some, [both])
    (Fraction(1, 4), {0: frozenset({1})})
    """
    steps = _Steps()
    best: tuple[Fraction, Served] = ONE, {t: frozenset() for t in masses}
    try:
        for c in sorted({ZERO, *(conflict.bound for conflict in conflicts)}):
            if c >= best[0]:
                break
            options = [
                (t, list(_maximal(frozenset(masses[t]), _active(conflicts, t, c), steps)))
                for t in masses
            ]
            found = _least_bad(masses, options, best[0], steps)
            if found is not None and max(c, found[0]) < best[0]:
                best = max(c, found[0]), found[1]
    except _TooMany:
        return None
    return best


class _Steps:
    def __init__(self) -> None:
        self.left = _MOST_STEPS

    def take(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _TooMany


def _active(conflicts: Sequence[Conflict], output: int, c: Fraction) -> list[frozenset[int]]:
    return [x.situations for x in conflicts if x.output == output and x.bound > c]


def _maximal(
    whole: frozenset[int], conflicts: Sequence[frozenset[int]], steps: _Steps
) -> Iterator[frozenset[int]]:
    """Yield sets without any conflict, among them all maximal ones."""
    seen: set[frozenset[int]] = set()
    waiting = [whole]
    while waiting:
        some = waiting.pop()
        if some in seen:
            continue
        seen.add(some)
        steps.take()
        broken = next((conflict for conflict in conflicts if conflict <= some), None)
        if broken is None:
            yield some
        else:
            waiting += [some - {s} for s in sorted(broken)]


def _least_bad(
    masses: Masses,
    options: Sequence[tuple[int, Sequence[frozenset[int]]]],
    below: Fraction,
    steps: _Steps,
) -> tuple[Fraction, Served] | None:
    """Choose a set for every output so that the worst belief's bad probability is least."""
    best: tuple[Fraction, Served] | None = None
    waiting: list[tuple[int, dict[int, Fraction], Served]] = [(0, {}, {})]
    while waiting:
        depth, bad, served = waiting.pop()
        steps.take()
        worst = max(bad.values(), default=ZERO)
        if worst >= (below if best is None else best[0]):
            continue
        if depth == len(options):
            best = worst, served
            continue
        t, sets = options[depth]
        for some in sorted(sets, key=lambda kept: (len(kept), sorted(kept))):
            total = dict(bad)
            for s, (belief, p) in masses[t].items():
                if s not in some:
                    total[belief] = total.get(belief, ZERO) + p
            waiting.append((depth + 1, total, {**served, t: some}))
    return best
