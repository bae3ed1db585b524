"""Facets and rays of cones against PyNormaliz, and large cones against limits of time.

The rays of the first are random integers with a positive first entry, so that the cone is pointed.
Both sides start from the same lists, and end with lists of Python integers that are compared.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable

import PyNormaliz

from benchmarks import Row, best_of
from twoworlds.cones import design, largest_odds, relax, row_cone
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.double_description import extreme_rays

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


def four_bits() -> None:
    """Double description for differential privacy on four bits: 16 columns, 64 inequalities."""
    rows = []
    for x in range(16):
        for bit in range(4):
            row = [0] * 16
            row[x], row[x ^ (1 << bit)] = -1, 3
            rows.append(tuple(row))
    rays, _ = extreme_rays(rows, [], 16)
    if len(rays) != RAYS_OF_FOUR_BITS:
        raise AssertionError(f"{len(rays)} rays instead of {RAYS_OF_FOUR_BITS}")


def privacy() -> Row:
    """The extreme rays of differential privacy, after compilation."""
    four_bits()
    name = f"{RAYS_OF_FOUR_BITS} rays of 4-bit differential privacy"
    return Row(name, best_of(5, four_bits), peer=LIMIT, against="limit", target=1.0)


def _limited(name: str, seconds: float, work: Callable[[], object]) -> Row:
    return Row(name, best_of(1, work), peer=seconds, against="limit", target=1.0)


def sizes() -> list[Row]:
    """The sizes of practice, each against the time that a person waits."""

    def five_bits() -> None:
        kinds = row_cone("dp(ratio=3)", "bits(5)").kinds
        if (len(kinds), sum(count for _, count in kinds)) != (434, 395_094):
            raise AssertionError("the 395,094 extreme rows of 5 bits are of 434 kinds")

    def ten_bits() -> None:
        cone = row_cone("dp(ratio=3)", "bits(10)")
        if len(cone.statements()) != 10_240 or not cone.contains([1] * 1024):
            raise AssertionError("10 bits have 10,240 guarantees, and constant rows keep them")

    def sixteen_bits() -> None:
        if largest_odds("dp(ratio=3)", "even", universe="bits(16)").factor != 3:
            raise AssertionError("the odds of a parity move by the ratio")

    def four_bits_relaxed() -> None:
        if len(relax(row_cone("randomized-response(bits=4, keep=3/4)"), 2).derived) != 128:
            raise AssertionError("128 guarantees remain")

    def count(belief: str | None) -> None:
        design(row_cone("dp(ratio=2)", "integers(0, 200)"), "absolute", belief=belief)

    return [
        _limited("extreme rows of 5-bit differential privacy, by kinds", 10.0, five_bits),
        _limited("statements and membership, 10-bit differential privacy", 10.0, ten_bits),
        _limited("odds of a parity, 16-bit differential privacy", 10.0, sixteen_bits),
        _limited("relax 4-bit randomized response by any 2 databases", 10.0, four_bits_relaxed),
        _limited("design a count of 200 people, uniform belief", 10.0, lambda: count("uniform")),
        _limited("design a count of 200 people, worst case", 10.0, lambda: count(None)),
    ]


def first_call() -> Row:
    """Import and first conversion in a fresh process."""
    command = [sys.executable, "-c", FIRST_CALL]
    return Row("the same, with import", float(subprocess.check_output(command, text=True)))


def run() -> list[Row]:
    """All rows; about a minute."""
    return [facets(8, 40), facets(10, 40), privacy(), *sizes(), first_call()]
