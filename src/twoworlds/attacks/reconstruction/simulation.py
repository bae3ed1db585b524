r"""Simulation: the attack on a column that is known, so that the bits found can be counted.

Subsets are drawn evenly, their sums are answered with noise of one of these laws, and the column is
read back from the answers:

* ``laplace``: continuous, of the given scale b (standard deviation b sqrt 2);
* ``uniform``: anywhere within the given noise of the truth;
* ``rounding``: to the nearest multiple of the given noise (so within half of it);
* ``none``: exact answers.

The same seed gives the same numbers. Noise is drawn as multiples of 2^-20, so that answers are
exact numbers. These are simulations: `twoworlds.release` draws its noise otherwise.

`sweep` does it for many scales of noise and numbers of questions. For m evenly drawn subsets of n
people and noise of standard deviation s, least squares has about the error 2 s / sqrt(m - n) in
each bit before rounding, which is wrong when it passes 1/2. So about

    Phi(sqrt(m - n) / (4 s))        `expected_fraction`, for m > n

of the bits come out right; slightly more where the deviation is known, as it is here, since then
the commoner bit is leant on. The attack stops working where the noise grows to about the root of
the number of questions, and with a number of questions in proportion to n, to about sqrt n. All
attacks of one repetition share their column, the first of their subsets, and their noise up to its
scale, so that the curves differ by what is varied and not by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from twoworlds.answer import Answer, Said, Table
from twoworlds.attacks.english import counted
from twoworlds.attacks.reconstruction.decoding import (
    Method,
    Reconstruction,
    check_method,
    estimate,
    reconstruct,
)
from twoworlds.attacks.reconstruction.sums import random_subsets, read_column, true_sums
from twoworlds.charts import BLUE, GREY, ORANGE, Axis, Bars, Curves, Line
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import decimal, rational, show, whole
from twoworlds.progress import track
from twoworlds.show import Result
from twoworlds.show.bars import share_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

Law = Literal["laplace", "uniform", "rounding", "none"]
LAWS: tuple[str, ...] = get_args(Law)

_UNIT = 1 << 20
_MOST_NOISE = 10**9
_WORKS = Fraction(3, 4)


@dataclass(frozen=True, eq=False)
class Trial(Result):
    """One attack on a known column."""

    truth: tuple[int, ...]  # the column
    found: Reconstruction  # what was read back
    law: str  # of the noise
    noise: Fraction  # its scale
    seed: int  # of subsets and noise

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

    def answer(self) -> Answer:
        """Say how many bits came out, and beside it what guessing gives."""
        right = {"read back": self.fraction, "by guessing the commoner": self.baseline}
        title = "Secret bits that are right"
        return Answer.of(
            self._sentences(),
            Said([self.found.sentences(), f"Simulated with seed {self.seed}."]),
            Bars(title, right, grey=["by guessing the commoner"]),
        )

    def _sentences(self) -> str:
        return (
            f"{self.right} of {counted(len(self.truth), 'secret bit')} "
            f"({share_text(self.fraction)}) {'was' if self.right == 1 else 'were'} read back from "
            f"{counted(len(self.found.answers), 'sum')} over random subsets, answered "
            f"{_in_words(self.law, self.noise)}. Guessing the commoner bit for everybody gets "
            f"{share_text(self.baseline)}."
        )

    def fields(self) -> dict[str, Any]:
        """Return how much came out, the truth, and what was found."""
        return {
            "right": self.right,
            "fraction": self.fraction,
            "guessing": self.baseline,
            "shares": {
                "Read back": share_text(self.fraction),
                "By guessing": share_text(self.baseline),
            },
            "law": self.law,
            "noise": self.noise,
            "seed": self.seed,
            "truth": self.truth,
            **self.found.fields(),
            "explanation": f"{self._sentences()}\n\n{self.found.sentences()}",
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
    """Return the sums with noise of a law."""
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
    """Return the share of the commoner bit."""
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


# --- many attacks, over noise and numbers of questions --------------------------------------------


@dataclass(frozen=True)
class Sweep(Result):
    """Fractions of bits that were read back; law, method, seed and repeats say how it was done."""

    rows: int  # how many secret bits
    queries: tuple[int, ...]  # numbers of questions, increasing
    noises: tuple[Fraction, ...]  # scales of noise, increasing
    # for each number of questions, for each scale, the fraction over all repetitions
    right: tuple[tuple[Fraction, ...], ...]
    baseline: Fraction  # the fraction that guessing the commoner bit gets
    law: str
    method: str
    seed: int
    repeats: int

    def stops(self, queries: int) -> Fraction | None:
        """Return the first noise at which fewer than 3/4 are right; None if it always works."""
        fractions = self.right[self.queries.index(queries)]
        failed = (b for b, share in zip(self.noises, fractions, strict=True) if share < _WORKS)
        return next(failed, None)

    def answer(self) -> Answer:
        """Say where the attack works and where it stops, with a table and a chart of it all."""
        first, *others = self._lines()
        rows = [
            [_short(noise), *(share_text(fractions[j]) for fractions in self.right)]
            for j, noise in enumerate(self.noises)
        ]
        return Answer(
            first,
            blocks=(
                Said(others),
                Table(["noise", *(counted(m, "sum") for m in self.queries)], rows, numbers=True),
                Said([f"Means of {self.repeats} simulations, seed {self.seed}."], quiet=True),
                self._chart(),
            ),
        )

    def _lines(self) -> list[str]:
        said = [
            f"{counted(self.rows, 'secret bit')} from noisy sums over random subsets "
            f"({self.law} noise, {self.method}); guessing the commoner bit gets "
            f"{share_text(self.baseline)}."
        ]
        for m in self.queries:
            end, sums = self.stops(m), counted(m, "sum")
            if end is None:
                said.append(f"{sums}: three quarters or more are right at every noise tried.")
            elif end == self.noises[0]:
                said.append(f"{sums}: fewer than three quarters are right even at {_short(end)}.")
            else:
                before = self.noises[self.noises.index(end) - 1]
                said.append(
                    f"{sums}: works up to noise {_short(before)}, and fails at {_short(end)} "
                    "(fewer than three quarters right)."
                )
        root = f"{math.sqrt(self.rows):.1f}"
        said.append(f"For comparison: the root of the number of people is {root}.")
        return said

    def _chart(self) -> Curves:
        """Chart the fraction against noise, whose scales stand at equal distances, as tried."""
        last = max(1, len(self.noises) - 1)
        ticks = [(float(j), _short(noise)) for j, noise in enumerate(self.noises)]
        shares = [(k / 4, f"{k * 25}%") for k in range(5)]
        lines = [
            Line(
                counted(m, "sum"),
                [(float(j), float(share)) for j, share in enumerate(line)],
                BLUE if i % 2 else ORANGE,
                dashed=i > 1,
                dotted=True,
            )
            for i, (m, line) in enumerate(zip(self.queries, self.right, strict=True))
        ]
        guess = float(self.baseline)
        lines.append(Line("guessing", [(0.0, guess), (float(last), guess)], GREY, thin=True))
        return Curves(
            f"How much noise keeps {self.rows} secret bits secret",
            " ".join(self._lines()),
            Axis(f"noise ({self.law}), equal steps as tried", 0.0, float(last), ticks),
            Axis("bits read back", 0.0, 1.0, shares),
            lines,
        )

    def fields(self) -> dict[str, Any]:
        """Return the fraction at every noise and number of questions."""
        return {
            "rows": self.rows,
            "law": self.law,
            "method": self.method,
            "seed": self.seed,
            "repeats": self.repeats,
            "guessing": self.baseline,
            "points": [
                {
                    "queries": m,
                    "noise": noise,
                    "fraction": self.right[i][j],
                    "expected": expected_fraction(self.rows, m, deviation(self.law, noise)),
                }
                for (i, m), (j, noise) in product(enumerate(self.queries), enumerate(self.noises))
            ],
            "explanation": "\n".join(self._lines()),
        }


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
    for time in track(range(times), "reconstructing", times):
        rng = np.random.default_rng([_seeded(seed), time])
        truth = rng.integers(0, 2, n, dtype=np.int8)
        masks = random_subsets(n, counts[-1], seed=int(rng.integers(1 << 60)))
        unit = rng.laplace(size=len(masks)) if law == "laplace" else rng.uniform(-1, 1, len(masks))
        common += guessing(truth.tolist())
        for (i, m), (j, noise) in product(enumerate(counts), enumerate(scales)):
            values = _attacked(masks[:m], true_sums(masks[:m], truth), unit[:m], law, noise, method)
            right[i, j] += int(((values > 0.5) == truth).sum())
    fractions = tuple(tuple(Fraction(int(k), n * times) for k in line) for line in right)
    return Sweep(
        *(n, tuple(counts), tuple(scales), fractions, common / times),
        *(law, method, seed, times),
    )


def expected_fraction(rows: int, queries: int, deviation: float) -> float | None:
    """Return about what fraction plain least squares get right; None unless queries exceed rows."""
    if queries <= rows:
        return None
    if deviation == 0:
        return 1.0
    return NormalDist().cdf(math.sqrt(queries - rows) / (4 * deviation))


def _attacked(
    masks: NDArray[np.int8],
    sums: NDArray[np.int64],
    unit: NDArray[np.float64],
    law: str,
    noise: Fraction,
    method: str,
) -> NDArray[np.float64]:
    """Answer with noise of scale 1, made larger, and return what the bits are rounded from."""
    scale, answers = float(noise), sums.astype(np.float64)
    if law != "rounding":
        answers = answers + scale * unit
    elif scale:
        answers = np.rint(answers / scale) * scale
    bound = largest_error(law, noise)
    slack = None if bound is None else np.full(len(sums), float(bound))
    return estimate(masks, answers, method, slack=slack, deviation=deviation(law, noise))[0]


def _short(noise: Fraction) -> str:
    return decimal(noise, 3)
