"""How much a generalised table says less: two losses, exact rationals between 0 and 1.

``certainty``: the mean over all cells of (v - 1) / (V - 1), where v of the V distinct values that
the column has in the table share the cell's generalised text: 0 for a cell that still says its
value, 1 for ``*`` (Iyengar's loss metric, the normalised certainty penalty for values that are all
equally far apart). The cells of a row that is left out count 1.

``discernibility``: sum over groups of (size / N)^2, N being all people: the probability that two
people drawn at random are not told apart; a row that is left out counts 1 / N (Bayardo & Agrawal's
metric, divided by N^2).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from twoworlds.attacks.anonymity.counted import Codes

__all__ = ["LOSSES", "penalties"]

LOSSES = ("certainty", "discernibility")


def penalties(levels: Sequence[Codes]) -> list[tuple[Codes, int]]:
    """Return for each level the penalty of every value, as numerators over one denominator.

    Args:
        levels: For each level the code of every distinct value of the column.

    >>> [(top.tolist(), bottom) for top, bottom in penalties([np.arange(3), np.array([0, 0, 1])])]
    [([0, 0, 0], 2), ([1, 1, 0], 2)]
    """
    many = len(levels[0])
    if many == 1:
        return [(np.zeros(1, dtype=np.int64), 1) for _ in levels]
    return [(np.bincount(codes)[codes].astype(np.int64) - 1, many - 1) for codes in levels]


def discernibility(sizes: Codes, left_out: int, people: int) -> Fraction:
    """Return the discernibility of groups of these sizes.

    >>> discernibility(np.array([2, 2]), 0, 4)
    Fraction(1, 2)
    """
    squares = sum(int(size) ** 2 for size in sizes.tolist())
    return Fraction(squares + left_out * people, people * people)
