"""Facets and rays of cones against PyNormaliz, which computes them exactly too.

The rays are random integers with a positive first entry, so that the cone is pointed. Both sides
start from the same lists, and end with lists of Python integers that are compared.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile

import PyNormaliz

from benchmarks import Row, best_of
from twoworlds.cones.cone import Cone

SLOWDOWN = 0.5  # our time is at most twice the peer's
RAYS_OF_FOUR_BITS = 990
LIMIT = 1.0  # seconds
FIRST_CALL = """
import time
start = time.perf_counter()
from benchmarks.cones import four_bits
four_bits()
print(time.perf_counter() - start)
"""


def random_rays(dimension: int, count: int, seed: int) -> list[list[int]]:
    """Rays with entries from 0 to 20, the first one at least 1."""
    numbers = random.Random(f"{dimension} {count} {seed}")
    return [
        [numbers.randint(1, 20), *(numbers.randint(0, 20) for _ in range(dimension - 1))]
        for _ in range(count)
    ]


def facets(dimension: int, count: int) -> Row:
    """The facets of three random cones, once both have given the same ones."""
    cones = [random_rays(dimension, count, seed) for seed in range(3)]

    def ours() -> list[tuple[tuple[int, ...], ...]]:
        return [Cone.from_rays(rays).facets for rays in cones]

    def theirs() -> list[list[list[int]]]:
        return [PyNormaliz.Cone(cone=rays).SupportHyperplanes() for rays in cones]

    for a, b in zip(ours(), theirs(), strict=True):
        if set(a) != set(map(tuple, b)):
            raise AssertionError(f"two answers: {len(a)} and {len(b)} facets")
    name = f"facets of 3 cones, dimension {dimension}, {count} rays"
    return Row(
        name, best_of(5, ours), peer=best_of(5, theirs), against="PyNormaliz", target=SLOWDOWN
    )


def four_bits() -> Cone:
    """The cone of differential privacy with ratio 3 on four bits: 16 columns, 64 inequalities."""
    rows = []
    for x in range(16):
        for bit in range(4):
            row = [0] * 16
            row[x], row[x ^ (1 << bit)] = -1, 3
            rows.append(row)
    cone = Cone.from_inequalities(rows)
    if len(cone.rays) != RAYS_OF_FOUR_BITS:
        raise AssertionError(f"{len(cone.rays)} rays instead of {RAYS_OF_FOUR_BITS}")
    return cone


def privacy() -> Row:
    """The extreme rays of differential privacy, after compilation."""
    four_bits()
    name = f"{RAYS_OF_FOUR_BITS} rays of 4-bit differential privacy"
    return Row(name, best_of(5, four_bits), peer=LIMIT, against="limit", target=1.0)


def first_calls() -> list[Row]:
    """Import and first conversion in fresh processes: one that compiles, one with the cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-c", FIRST_CALL]
        compiling, cached = (
            float(subprocess.check_output(command, env=environment, text=True)) for _ in range(2)
        )
    return [
        Row("the same, with import and compilation", compiling),
        Row("the same, with import, compiled before", cached),
    ]


def run() -> list[Row]:
    """All rows; about half a minute."""
    return [facets(8, 40), facets(10, 40), privacy(), *first_calls()]
