r"""An upper bound on the failure probability over all beliefs, by cutting their simplex into cells.

A cell is a simplex of beliefs with corners v. For an output t and a person whose likelihoods are p
and q, and a set S of databases, P_S(b) = sum_(x in S) b_x p_x and Q_S are linear in b. The two
games differ by more than s after t if for some S, where p/q exceeds a number on S and nowhere else,

    P_S Q - Q_S P - s P Q > 0,

a quadratic form in the barycentric coordinates of b. It is at most its largest coefficient,

    (P_S(v) Q(w) + P_S(w) Q(v) - Q_S(v) P(w) - Q_S(w) P(v) - s (P(v) Q(w) + P(w) Q(v))) / 2

over pairs of corners v, w. If no S has one above 0, t is no breach anywhere on the cell. The
probability of all other outputs is linear in b, so it is largest at a corner. A cell whose bound is
near enough to what some belief attains is done; any other is cut in two at its longest edge, until
the budget is spent. The bound holds wherever the cutting stops.

Floats are used with a margin that is far above their rounding errors. The bound need not come
close: where several outputs have a difference of s exactly under one belief, cells around it keep
all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.semantics.table import Likelihoods, bad_outputs

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

WIDTH = Fraction(1, 1000)  # how near to the belief shown a bound is near enough
_MARGIN = 1e-9
_MOST_DATABASES = 4
_BUDGET = 100_000  # cells
_AT_ONCE = 2048
_STEPS = 10**6  # the bound is rounded up to one of these


def bounded_above(
    table: Likelihoods, s: Fraction, shown: Fraction, truths: Sequence[int] = ()
) -> Fraction:
    """Return a bound on the failure at s over all beliefs; a little above ``shown`` is enough.

    With ``truths`` outputs are drawn from the worst of these databases, else from the belief; what
    is found then is the exact probability of some outputs.
    """
    import numpy as np

    size = len(table.databases)
    if size > _MOST_DATABASES:  # too many dimensions for cells to become small
        return Fraction(1)
    p = table.floats  # by output and database
    q = np.array([p[:, list(removed)] for removed in table.removed])  # by person, output, database
    sets = [[_thresholds(p[t], person[t]) for t in range(len(p))] for person in q]
    kept = np.zeros(len(p), dtype=bool)
    kept[bad_outputs(table, s)] = True
    kept |= (p <= 0).any(axis=1)  # a belief in one database may leave a posterior undefined

    enough, most, looked_at = float(shown) + (_MARGIN if truths else float(WIDTH)), 0.0, 0
    cells = np.eye(size)[None]
    left_over: set[bytes] = set()  # the outputs that may be breaches in cells that are done
    while len(cells):
        looked_at += len(cells)
        parts = np.array_split(cells, 1 + len(cells) // _AT_ONCE)
        found = [_possible(part, p, q, sets, float(s)) for part in parts]
        possible = np.concatenate([one for _, one in found]) & kept
        if truths:
            top = (possible @ p[:, list(truths)]).max(axis=1)
        else:
            chances = np.concatenate([one for one, _ in found])
            top = (chances * possible[:, None, :]).sum(axis=2).max(axis=1)
        done = top <= enough if looked_at < _BUDGET else np.full(len(cells), fill_value=True)
        most = max(most, float(top[done].max(initial=0.0)))
        left_over.update(row.tobytes() for row in np.unique(possible[done], axis=0))
        cells = cells[~done]
        cells = _cut(cells) if len(cells) else cells
    if not truths:
        return min(Fraction(ceil(most * _STEPS + _MARGIN), _STEPS), Fraction(1))
    rows = [[t for t, may in enumerate(one) if may] for one in left_over]
    masses = (sum((table.high[t][j] for t in row), Fraction(0)) for row in rows for j in truths)
    return min(max(masses, default=Fraction(0)), Fraction(1))


def _thresholds(p: Floats, q: Floats) -> Floats:
    """Return the sets of databases where p/q exceeds a number; 0/0 belongs anywhere."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(p > 0, p / q, 0.0)
    return np.array([ratios > r for r in np.unique(ratios)], dtype=float)


def _possible(
    cells: Floats, p: Floats, q: Floats, sets: list[list[Floats]], s: float
) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return the chance of every output at the corners, and whether it may be a breach."""
    import numpy as np

    chances = cells @ p.T  # by cell, corner, output
    possible = np.zeros((len(cells), p.shape[0]), dtype=bool)
    for person, known in zip(q, sets, strict=True):
        others = cells @ person.T
        for t in range(p.shape[0]):
            real, removed = chances[:, :, t], others[:, :, t]
            undefined = ((real <= 0) | (removed <= 0)).any(axis=1)
            inside = (cells * p[t]) @ known[t].T - s * real[:, :, None] / 2  # by cell, corner, set
            outside = (cells * person[t]) @ known[t].T + s * removed[:, :, None] / 2
            form = inside[:, :, None] * removed[:, None, :, None]
            form -= outside[:, :, None] * real[:, None, :, None]
            largest = (form + form.swapaxes(1, 2)).max(axis=(1, 2, 3)) / 2
            scale = real.max(axis=1) * removed.max(axis=1)
            possible[:, t] |= undefined | ~(largest <= -_MARGIN * scale)
    return chances, possible


def _cut(cells: Floats) -> Floats:
    """Cut every cell in two at its longest edge."""
    import numpy as np

    size = cells.shape[1]
    pairs = list(combinations(range(size), 2))
    lengths = np.stack([((cells[:, a] - cells[:, b]) ** 2).sum(axis=1) for a, b in pairs], axis=1)
    chosen = np.array(pairs)[lengths.argmax(axis=1)]
    rows = np.arange(len(cells))
    middle = (cells[rows, chosen[:, 0]] + cells[rows, chosen[:, 1]]) / 2
    halves = []
    for side in (0, 1):
        half = cells.copy()
        half[rows, chosen[:, side]] = middle
        halves.append(half)
    return np.concatenate(halves)
