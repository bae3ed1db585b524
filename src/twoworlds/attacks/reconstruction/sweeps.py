r"""Sweeps: the fraction read back, over noise and numbers of questions.

For m evenly drawn subsets of n people and noise of standard deviation s, least squares has about
the error 2 s / sqrt(m - n) in each bit before rounding, which is wrong when it passes 1/2. So about

    Phi(sqrt(m - n) / (4 s))        `expected_fraction`, for m > n

of the bits come out right; slightly more where the deviation is known, as it is here, since then
the commoner bit is leant on. The attack stops working where the noise grows to about the root of
the number of questions, and with a number of questions in proportion to n, to about sqrt n.

All attacks of one repetition share their column, the first of their subsets, and their noise up to
its scale, so that the curves differ by what is varied and not by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from twoworlds.attacks.reconstruction.decoding import Method, check_method, estimate
from twoworlds.attacks.reconstruction.simulation import (
    Law,
    check_law,
    deviation,
    guessing,
    largest_error,
    read_noise,
)
from twoworlds.attacks.reconstruction.sums import random_subsets, true_sums
from twoworlds.cards.small import share_text
from twoworlds.errors import InvalidInput
from twoworlds.numbers import decimal, to_json, whole
from twoworlds.progress import track

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Sweep", "expected_fraction", "sweep"]

_WORKS = Fraction(3, 4)


@dataclass(frozen=True)
class Sweep:
    """Fractions of bits that were read back; law, method, seed and repeats say how it was done.

    Attributes:
        rows: how many secret bits.
        queries: numbers of questions, increasing.
        noises: scales of noise, increasing.
        right: for each number of questions, for each scale, the fraction over all repetitions.
        baseline: the fraction that guessing the commoner bit gets.
    """

    rows: int
    queries: tuple[int, ...]
    noises: tuple[Fraction, ...]
    right: tuple[tuple[Fraction, ...], ...]
    baseline: Fraction
    law: str
    method: str
    seed: int
    repeats: int

    def stops(self, queries: int) -> Fraction | None:
        """Return the first noise at which fewer than 3/4 are right; None if it always works."""
        fractions = self.right[self.queries.index(queries)]
        failed = (b for b, share in zip(self.noises, fractions, strict=True) if share < _WORKS)
        return next(failed, None)

    def explain(self) -> str:
        """Say where the attack works and where it stops."""
        said = [
            f"{self.rows} secret bits from noisy sums over random subsets ({self.law} noise, "
            f"{self.method}); guessing the commoner bit gets {share_text(self.baseline)}."
        ]
        for m in self.queries:
            end = self.stops(m)
            if end is None:
                said.append(f"{m} sums: three quarters or more are right at every noise tried.")
            elif end == self.noises[0]:
                said.append(f"{m} sums: fewer than three quarters are right even at {_short(end)}.")
            else:
                before = self.noises[self.noises.index(end) - 1]
                said.append(
                    f"{m} sums: works up to noise {_short(before)}, and fails from {_short(end)} "
                    "on (fewer than three quarters right)."
                )
        root = f"{math.sqrt(self.rows):.1f}"
        said.append(f"For comparison: the root of the number of people is {root}.")
        return "\n".join(said)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows of text."""
        headings = ["noise", *(f"{m} sums" for m in self.queries)]
        body = [
            [_short(noise), *(share_text(fractions[j]) for fractions in self.right)]
            for j, noise in enumerate(self.noises)
        ]
        return headings, body

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "rows": self.rows,
            "law": self.law,
            "method": self.method,
            "seed": self.seed,
            "repeats": self.repeats,
            "guessing": to_json(self.baseline),
            "points": [
                {
                    "queries": m,
                    "noise": to_json(noise),
                    "fraction": to_json(self.right[i][j]),
                    "expected": expected_fraction(self.rows, m, deviation(self.law, noise)),
                }
                for (i, m), (j, noise) in product(enumerate(self.queries), enumerate(self.noises))
            ],
            "explanation": self.explain(),
        }

    def _repr_html_(self) -> str:
        """Show words on a card in a notebook, and the table, each cell as dark as its share."""
        from twoworlds.cards import heat_map
        from twoworlds.cards.layout import explained

        shares = [
            (
                f"noise {_short(noise)}",
                [(share_text(line[j]), float(line[j])) for line in self.right],
            )
            for j, noise in enumerate(self.noises)
        ]
        drawn = heat_map("Bits that are right", [f"{m} sums" for m in self.queries], shares)
        return explained(self.explain(), drawn)


def sweep(
    rows: object,
    queries: Sequence[object],
    noise_scales: Sequence[object],
    *,
    seed: int = 0,
    law: Law = "laplace",
    method: Method = "lp",
    repeats: int = 3,
) -> Sweep:
    """Attack columns of even bits with each number of questions and each scale of noise.

    >>> found = sweep(32, [64, 256], [0, 1, 64])
    >>> [float(share) for share in found.right[1]][:2]
    [1.0, 1.0]
    >>> found.stops(256)
    Fraction(64, 1)
    """
    n, times = whole(rows, "rows", at_least=1), whole(repeats, "repeats", at_least=1)
    counts = sorted({whole(m, "queries", at_least=1) for m in queries})
    scales = sorted({read_noise(noise) for noise in noise_scales})
    if not counts or not scales:
        raise InvalidInput("a sweep needs at least one number of queries and one scale of noise")
    if check_law(law) == "none":
        raise InvalidInput("a sweep varies the noise, and law='none' has none: choose another law")
    check_method(method)
    right = np.zeros((len(counts), len(scales)), dtype=np.int64)
    common = Fraction(0)
    work = list(product(range(times), range(len(counts)), range(len(scales))))
    drawn: dict[int, _Draw] = {}
    for time, i, j in track(work, "reconstructing", len(work)):
        if time not in drawn:
            drawn = {time: _Draw.of(n, counts[-1], [whole(seed, "seed"), time], law)}
            common += guessing(drawn[time].truth.tolist())
        right[i, j] += drawn[time].attack(counts[i], law, scales[j], method)
    fractions = tuple(tuple(Fraction(int(k), n * times) for k in line) for line in right)
    return Sweep(
        *(n, tuple(counts), tuple(scales), fractions, common / times),
        *(law, method, seed, times),
    )


def expected_fraction(rows: int, queries: int, deviation: float) -> float | None:
    """Return about what fraction plain least squares get right; None unless queries exceed rows.

    >>> round(expected_fraction(128, 512, 8), 3)
    0.73
    """
    if queries <= rows:
        return None
    if deviation == 0:
        return 1.0
    return NormalDist().cdf(math.sqrt(queries - rows) / (4 * deviation))


@dataclass(frozen=True, eq=False)
class _Draw:
    """One column, its subsets, their sums, and noise of scale 1."""

    truth: NDArray[np.int8]
    masks: NDArray[np.int8]
    sums: NDArray[np.int64]
    unit: NDArray[np.float64]

    @staticmethod
    def of(rows: int, queries: int, seeds: Sequence[int], law: str) -> _Draw:
        rng = np.random.default_rng(seeds)
        truth = rng.integers(0, 2, rows, dtype=np.int8)
        masks = random_subsets(rows, queries, seed=int(rng.integers(1 << 60)))
        unit = rng.laplace(size=queries) if law == "laplace" else rng.uniform(-1, 1, queries)
        return _Draw(truth, masks, true_sums(masks, truth), unit)

    def attack(self, queries: int, law: str, noise: Fraction, method: str) -> int:
        """Return how many bits come out."""
        scale, sums = float(noise), self.sums[:queries].astype(np.float64)
        if law == "rounding":
            answers = np.rint(sums / scale) * scale if scale else sums
        else:
            answers = sums + scale * self.unit[:queries]
        bound = largest_error(law, noise)
        values = estimate(
            self.masks[:queries],
            answers,
            method,
            slack=None if bound is None else np.full(queries, float(bound)),
            deviation=deviation(law, noise),
        )
        return int(((values > 0.5) == self.truth).sum())


def _short(noise: Fraction) -> str:
    return decimal(noise, 3)
