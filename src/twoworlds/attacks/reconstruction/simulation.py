r"""Simulation: the attack on a column that is known, so that the bits found can be counted.

Subsets are drawn evenly, their sums are answered with noise of one of these laws, and the column is
read back from the answers:

* ``laplace``: continuous, of the given scale b (standard deviation b sqrt 2);
* ``uniform``: anywhere within the given noise of the truth;
* ``rounding``: to the nearest multiple of the given noise (so within half of it);
* ``none``: exact answers.

The same seed gives the same numbers. Noise is drawn as multiples of 2^-20, so that answers are
exact numbers. These are simulations: `twoworlds.release` draws its noise otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from twoworlds.attacks.reconstruction.decoding import Method, Reconstruction, reconstruct
from twoworlds.attacks.reconstruction.sums import random_subsets, read_column, true_sums
from twoworlds.cards.explained import Explained
from twoworlds.cards.small import share_text
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import rational, show, to_json, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "LAWS",
    "Law",
    "Trial",
    "attack_column",
    "check_law",
    "deviation",
    "guessing",
    "largest_error",
    "noisy",
    "read_noise",
    "simulate",
]

Law = Literal["laplace", "uniform", "rounding", "none"]
LAWS: tuple[str, ...] = get_args(Law)

_UNIT = 1 << 20
_MOST_NOISE = 10**9


@dataclass(frozen=True, eq=False)
class Trial(Explained):
    """One attack on a known column.

    Attributes:
        truth: the column.
        found: what was read back.
        law: of the noise.
        noise: its scale.
        seed: of subsets and noise.
    """

    truth: tuple[int, ...]
    found: Reconstruction
    law: str
    noise: Fraction
    seed: int

    @property
    def right(self) -> int:
        """How many bits were found."""
        return self.found.right(self.truth)

    @property
    def fraction(self) -> Fraction:
        """The share of them."""
        return Fraction(self.right, len(self.truth))

    @property
    def baseline(self) -> Fraction:
        """The share that is right when the commoner bit is guessed for everybody."""
        return guessing(self.truth)

    def verify(self) -> bool:
        """Compute everything that is stated again, and the truth against it."""
        stated = self.found.agreement
        at_least = 0 if stated is None else stated.rows
        return self.found.verify() and at_least is not None and self.right >= at_least

    def explain(self) -> str:
        """Say how many bits came out, and beside it what guessing gives."""
        n = len(self.truth)
        return (
            f"{self.right} of {n} secret bits ({share_text(self.fraction)}) were read back from "
            f"{len(self.found.answers)} sums over random subsets, answered "
            f"{_in_words(self.law, self.noise)}. Guessing the commoner bit for everybody gets "
            f"{share_text(self.baseline)}.\n\n{self.found.explain()}"
        )

    def picture(self) -> str:
        """Draw the share that was read back, beside guessing."""
        from twoworlds.cards import bars

        right = {"read back": self.fraction, "by guessing the commoner": self.baseline}
        return bars("Secret bits that are right", right, grey=["by guessing the commoner"])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "right": self.right,
            "fraction": to_json(self.fraction),
            "guessing": to_json(self.baseline),
            "shares": {
                "Read back": share_text(self.fraction),
                "By guessing": share_text(self.baseline),
            },
            "law": self.law,
            "noise": to_json(self.noise),
            "seed": self.seed,
            "truth": list(self.truth),
            **self.found.to_dict(),
            "explanation": self.explain(),
        }


def simulate(
    rows: object,
    queries: object,
    *,
    noise: object = 0,
    law: Law = "laplace",
    method: Method = "lp",
    seed: int = 0,
) -> Trial:
    """Draw a column of even bits and attack it.

    >>> trial = simulate(64, 256, noise=1)
    >>> trial.right, trial.fraction
    (64, Fraction(1, 1))
    """
    n = whole(rows, "rows", at_least=1)
    truth = np.random.default_rng([_seeded(seed), 1]).integers(0, 2, n).tolist()
    return attack_column(truth, queries, noise=noise, law=law, method=method, seed=seed)


def attack_column(
    column: Sequence[int],
    queries: object,
    *,
    noise: object = 0,
    law: Law = "laplace",
    method: Method = "lp",
    seed: int = 0,
) -> Trial:
    """Ask random subset sums of a column, answer them with noise, and read the column back.

    Args:
        column: of 0 and 1.
        queries: how many subsets.
        noise: the scale of the law.
        law: ``laplace``, ``uniform``, ``rounding`` or ``none``.
        method: ``lp`` or ``least-squares``.
        seed: of subsets and noise.
    """
    truth, scale = read_column(column), read_noise(noise)
    check_law(law)
    masks = random_subsets(len(truth), queries, seed=_seeded(seed))
    answers = noisy(true_sums(masks, truth).tolist(), law, scale, seed=seed)
    found = reconstruct(
        masks,
        answers,
        method=method,
        error=largest_error(law, scale),
        deviation=deviation(law, scale),
    )
    return Trial(tuple(truth.tolist()), found, law, scale, seed)


def noisy(sums: Sequence[int], law: str, noise: Fraction, *, seed: int = 0) -> list[Fraction]:
    """Return the sums with noise of a law.

    >>> noisy([7, 8], "rounding", Fraction(5))
    [Fraction(5, 1), Fraction(10, 1)]
    """
    if check_law(law) == "none" or noise == 0:
        return [Fraction(exact) for exact in sums]
    if law == "rounding":
        return [round(exact / noise) * noise for exact in sums]
    rng = np.random.default_rng([_seeded(seed), 2])
    drawn: NDArray[np.int64]
    if law == "laplace":
        drawn = np.rint(rng.laplace(0.0, float(noise), len(sums)) * _UNIT).astype(np.int64)
    else:
        limit = math.floor(noise * _UNIT)
        drawn = rng.integers(-limit, limit, len(sums), endpoint=True)
    return [exact + Fraction(step, _UNIT) for exact, step in zip(sums, drawn.tolist(), strict=True)]


def largest_error(law: str, noise: Fraction) -> Fraction | None:
    """Return what every error is within of 0, by law; None where nothing is."""
    if law == "none":
        return Fraction(0)
    return {"uniform": noise, "rounding": noise / 2}.get(law)


def deviation(law: str, noise: Fraction) -> float:
    """Return the standard deviation of the noise, about; for rounding as if it were uniform."""
    widths = {"laplace": math.sqrt(2), "uniform": 1 / math.sqrt(3), "rounding": 1 / math.sqrt(12)}
    return widths.get(law, 0.0) * float(noise)


def guessing(column: Sequence[int]) -> Fraction:
    """Return the share of the commoner bit.

    >>> guessing([1, 1, 0])
    Fraction(2, 3)
    """
    ones = sum(column)
    return Fraction(max(ones, len(column) - ones), len(column))


def read_noise(noise: object) -> Fraction:
    """Return a scale that noise can have."""
    found = rational(noise, "noise")
    if not 0 <= found <= _MOST_NOISE:
        raise InvalidInput(f"noise={found}: give a number from 0 to {_MOST_NOISE:,}")
    return found


def check_law(law: str) -> str:
    """Return a law that there is."""
    if law not in LAWS:
        raise UnknownName("law", law, LAWS)
    return law


def _seeded(seed: int) -> int:
    return whole(seed, "seed")


def _in_words(law: str, noise: Fraction) -> str:
    if law == "none" or noise == 0:
        return "exactly"
    return {
        "laplace": f"with Laplace noise of scale {show(noise)}",
        "uniform": f"with noise spread evenly up to {show(noise)} on either side",
        "rounding": f"rounded to multiples of {show(noise)}",
    }[law]
