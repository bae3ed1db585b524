"""Is one mechanism a post-processing of another: exact answers with verified certificates.

The base is a 100 by 100 rational matrix with an inverse. qif asks the same question of channels
(`refined_by_witness`, rows and columns exchanged), in floats and in exact rationals; its floats
are compared at the same size, its rationals at a size at which they end in reasonable time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

from benchmarks import Row, best_of
from twoworlds.cones.normal_form import consistent_normal_form_contains
from twoworlds.mechanisms import Dense
from twoworlds.worlds import Explicit

LIMIT = 1.0  # seconds
SIZE, SMALL = 100, 12


def _matrix(rng: random.Random, size: int) -> list[list[Fraction]]:
    columns = []
    for _ in range(size):
        weights = [rng.randint(1, 9) for _ in range(size)]
        columns.append([Fraction(w, sum(weights)) for w in weights])
    return [list(row) for row in zip(*columns, strict=True)]


def question(size: int) -> tuple[Dense, Dense, Dense]:
    """Return a base, a mechanism that is in its normal form, and one that is not."""
    rng = random.Random(size)
    points = Explicit(tuple(range(size)))
    base, post, outside = (Dense(points, points, _matrix(rng, size)) for _ in range(3))
    return base, base.then(post), outside


def _ours(candidate: Dense, base: Dense, expected: bool) -> Callable[[], None]:  # noqa: FBT001
    def work() -> None:
        assert consistent_normal_form_contains(candidate, base).holds is expected

    return work


def _peer(candidate: Dense, base: Dense, *, exact: bool) -> Callable[[], object] | None:
    try:
        import numpy as np
        from qif import refinement
    except ImportError:
        return None
    kind: type = object if exact else float
    channels = [np.array(m.rows, dtype=kind).T.copy() for m in (base, candidate)]
    return lambda: refinement.refined_by_witness(*channels)


def run() -> list[Row]:
    """Yes and no against the limit, against qif in floats, and against qif in rationals."""
    rows = []
    for size, exact in ((SIZE, False), (SMALL, True)):
        base, inside, outside = question(size)
        for answer, candidate in (("yes", inside), ("no", outside)):
            seconds = best_of(3, _ours(candidate, base, answer == "yes"))
            name = f"normal form, {size} x {size} rationals, {answer}"
            if size == SIZE:
                rows.append(Row(name, seconds, peer=LIMIT, against="limit", target=1.0))
            peer = _peer(candidate, base, exact=exact)
            if peer is not None:
                kind = "exact rationals" if exact else "floats, not exact"
                rows.append(
                    Row(name, seconds, peer=best_of(1, peer), against=f"qif, {kind}", target=1.0)
                )
    return rows
