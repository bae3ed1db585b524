r"""The exact total of entries whose density has steps, or is at least a step function.

**Steps.** Let the density be constant on cells of width d. An entry is d (K + U) with K a whole
number and U uniform on [0, 1], independent; the sum of m unknown others is d (L + V), L the sum of
the K and V that of the U. Your entry moves the total by x = d (j + t), 0 <= t < 1, against what it
is compared with. Let one U of the others be told, up to the cell: U + t is uniform on [t, 1 + t],
which is on [t, 1] with probability 1 - t, and otherwise 1 more than uniform on [0, t]; U itself is
the same without the 1. So what is told is a function of the lattice part and of noise that is the
same in both worlds, and by joint convexity

    H_a(S + x, S) <= (1 - t) H_a(L + j, L) + t H_a(L + j + 1, L) ,

the larger of two lattice shifts. As x runs over a union of intervals (supports may have gaps), the
whole numbers around it are tried; finer cells bring the bound down to delta. Any event bounds delta
from below: the worst one of the lattice, moved by the mean of V, with P(L + V <= y) =
sum_k P(L = k) F_m(y - k) by the law of Irwin & Hall.

**At least a step function** (Bassily, Groce, Katz & Smith, Theorems 8 and 9). If a density is at
least a step function of integral w, an entry has that density with probability w, and otherwise
some other law. As for one uniform component (`uniform`), delta <= sum_b P(Bin(m, w) = b) delta_b.
Named densities (triangular, truncated normal and exponential, beta) rise and then fall, so that
their least value on a cell is at one of its ends: they are at least such a step function, with w
near 1. Nothing else about them is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from twoworlds.laws.entry import EntryLaw, StepDensity
from twoworlds.laws.event import Ranges
from twoworlds.laws.lattice import OnLattice, SumLaw, enclosure
from twoworlds.laws.uniform import irwin_hall, lattice_sum, mixed
from twoworlds.numbers import Number, bounds

_MOST_LOWER = 40


def step_delta(law: StepDensity, unknown: int, how: str, ratio: Number) -> Number:
    """Return delta for so many unknown others, between two proven ends.

    ``how`` is noiseless, canonical, or centred: what your entry is compared with.

    >>> from twoworlds.laws.entry import read_law
    >>> halves = read_law("steps [0, 1]=1/2, [2, 3]=1/2")
    >>> bounds(step_delta(halves, 0, "canonical", Fraction(2)))[1]
    Fraction(1, 1)
    """
    high = step_bound(law, unknown, how, ratio)
    low = Fraction(0)
    if law.share == 1 and 0 < unknown <= _MOST_LOWER:
        low = max(low, _below(law, unknown, how, ratio))
    return enclosure(min(low, high), min(Fraction(1), high))


def step_bound(law: StepDensity, unknown: int, how: str, ratio: Number) -> Fraction:
    """Return a number that is at least delta."""
    cells, moves = law.cells, _moves(law, how)

    def one(terms: int) -> Fraction:
        return _worst(cells, terms, moves, ratio)[0]

    return one(unknown) if law.share == 1 else mixed(unknown, law.share, one)


def _moves(law: StepDensity, how: str, *, inside: bool = False) -> tuple[int, ...]:
    """Return the whole numbers of cells around all that an entry moves the total by, or inside."""
    width, pieces = law.width, [(low, high) for low, high, _ in law.pieces]
    if law.share < 1:  # your own entry may be anywhere
        pieces = [law.ends]
    middle = sum(law.ends, Fraction(0)) / 2
    against = {"noiseless": pieces, "centred": [(middle, middle)]}
    found: set[int] = set()
    down, up = (math.ceil, math.floor) if inside else (math.floor, math.ceil)
    for low, high in pieces:
        for first, last in against.get(how, [(Fraction(0), Fraction(0))]):
            found.update(range(down((low - last) / width), up((high - first) / width) + 1))
    return tuple(sorted(found | {-move for move in found}))


@lru_cache(maxsize=256)
def _worst(
    cells: EntryLaw, terms: int, moves: tuple[int, ...], ratio: Number
) -> tuple[Fraction, int, Ranges]:
    """Return a bound on the largest delta of these shifts, the shift, and its event."""
    total = lattice_sum(((cells, terms),), cells.step)
    tried: Iterable[int] = moves
    if total.log_concave:  # delta does not decrease in the shift
        tried = (moves[0], moves[-1])
    best: tuple[Fraction, int, Ranges] = Fraction(0), 0, Ranges(())
    for move in tried:
        gap = OnLattice(None, None, total.shifted(move), total).gap(ratio)
        if bounds(gap.delta)[1] > best[0]:
            assert isinstance(gap.event, Ranges)
            best = bounds(gap.delta)[1], move, gap.event
    return best


def _below(law: StepDensity, unknown: int, how: str, ratio: Number) -> Fraction:
    """Return what the worst event of the lattice, moved by the mean of V, exceeds the ratio by."""
    moves = _moves(law, how, inside=True)
    if not moves:
        return Fraction(0)
    _, move, event = _worst(law.cells, unknown, moves, ratio)
    total = lattice_sum(((law.cells, unknown),), law.cells.step)
    first, last = total.start + min(0, move), total.stop - 1 + max(0, move)
    spread = Fraction(unknown - 1, 2)
    ends = [
        (None if low <= first else low + spread, None if high >= last else high + 1 + spread)
        for low, high in event.pieces
    ]
    chances = [
        sum(
            (
                (1 if z is None else _upto(total, unknown, z - by))
                - (0 if y is None else _upto(total, unknown, y - by))
                for y, z in ends
            ),
            Fraction(0),
        )
        for by in (move, 0)
    ]
    return bounds(chances[0] - ratio * chances[1])[0]


def _upto(total: SumLaw, terms: int, y: Fraction) -> Fraction:
    """Return P(L + V <= y); of a sum in a window, what is missing is not counted."""
    found = Fraction(0)
    for k, weight in enumerate(total.row.coefficients, start=total.start):
        if k < y and weight != 0:
            found += int(weight) * irwin_hall(terms, y - k)
    return found / total.row.scale
