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
from fractions import Fraction
from itertools import product
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from twoworlds.answer import Answer, Said, Table
from twoworlds.attacks.reconstruction.decoding import (
    Method,
    check_method,
    estimate,
    guessing,
    reconstruct,
)
from twoworlds.attacks.reconstruction.sums import random_subsets, read_column, true_sums
from twoworlds.charts import BLUE, GREY, ORANGE, Axis, Curves, Line
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import counted, decimal, rational, whole
from twoworlds.progress import track
from twoworlds.show import Told
from twoworlds.show.svg import share_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

Law = Literal["laplace", "uniform", "rounding", "none"]
LAWS: tuple[str, ...] = get_args(Law)

_UNIT = 1 << 20
_MOST_NOISE = 10**9
_WORKS = Fraction(3, 4)


def simulate(
    rows: object,
    queries: object,
    *,
    noise: object = 0,
    law: Law = "laplace",
    method: Method = "lp",
    seed: int = 0,
) -> Told:
    """Draw a column of even bits and attack it.

    >>> simulate(64, 256, noise=1).data["right"]
    64
    """
    n = whole(rows, "rows", at_least=1)
    truth = np.random.default_rng([whole(seed, "seed"), 1]).integers(0, 2, n).tolist()
    return attack_column(truth, queries, noise=noise, law=law, method=method, seed=seed)


def attack_column(
    column: Sequence[int],
    queries: object,
    *,
    noise: object = 0,
    law: Law = "laplace",
    method: Method = "lp",
    seed: int = 0,
) -> Told:
    """Ask random subset sums of a column, answer them with noise, and read the column back."""
    truth, scale = read_column(column), read_noise(noise)
    check_law(law)
    masks = random_subsets(len(truth), queries, seed=whole(seed, "seed"))
    answers = noisy(true_sums(masks, truth).tolist(), law, scale, seed=seed)
    return reconstruct(
        masks,
        answers,
        method=method,
        error=largest_error(law, scale),
        deviation=deviation(law, scale),
        truth=truth.tolist(),
        simulated=(law, scale, seed),
    )


def noisy(sums: Sequence[int], law: str, noise: Fraction, *, seed: int = 0) -> list[Fraction]:
    """Return the sums with noise of a law."""
    if check_law(law) == "none" or noise == 0:
        return [Fraction(exact) for exact in sums]
    if law == "rounding":
        return [round(exact / noise) * noise for exact in sums]
    rng = np.random.default_rng([whole(seed, "seed"), 2])
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


# --- many attacks, over noise and numbers of questions --------------------------------------------


def sweep(
    rows: object,
    queries: Sequence[object],
    noise_scales: Sequence[object],
    *,
    seed: int = 0,
    law: Law = "laplace",
    method: Method = "lp",
    repeats: int = 3,
) -> Told:
    """Attack columns of even bits with each number of questions and each scale of noise.

    >>> points = sweep(32, [64, 256], [0, 1, 64]).data["points"]
    >>> [str(one["fraction"]) for one in points if one["queries"] == 256][:2]
    ['1', '1']
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
        rng = np.random.default_rng([whole(seed, "seed"), time])
        truth = rng.integers(0, 2, n, dtype=np.int8)
        masks = random_subsets(n, counts[-1], seed=int(rng.integers(1 << 60)))
        unit = rng.laplace(size=len(masks)) if law == "laplace" else rng.uniform(-1, 1, len(masks))
        common += guessing(truth.tolist())
        for (i, m), (j, noise) in product(enumerate(counts), enumerate(scales)):
            values = _attacked(masks[:m], true_sums(masks[:m], truth), unit[:m], law, noise, method)
            right[i, j] += int(((values > 0.5) == truth).sum())
    fractions = [[Fraction(int(k), n * times) for k in line] for line in right]
    common /= times
    lines = [
        f"{counted(n, 'secret bit')} from noisy sums over random subsets ({law} noise, {method}); "
        f"guessing the commoner bit gets {share_text(common)}.",
        *(_where(m, scales, line) for m, line in zip(counts, fractions, strict=True)),
        f"For comparison: the root of the number of people is {math.sqrt(n):.1f}.",
    ]
    names = [decimal(noise, 3) for noise in scales]
    rows_ = [
        [name, *map(share_text, shares)]
        for name, shares in zip(names, zip(*fractions, strict=True), strict=True)
    ]
    last = float(max(1, len(scales) - 1))
    curves = [
        Line(
            counted(m, "sum"),
            [(float(j), float(share)) for j, share in enumerate(line)],
            BLUE if i % 2 else ORANGE,
            dashed=i > 1,
            dotted=True,
        )
        for i, (m, line) in enumerate(zip(counts, fractions, strict=True))
    ]
    guess = Line("guessing", [(0.0, float(common)), (last, float(common))], GREY, thin=True)
    chart = Curves(
        f"How much noise keeps {n} secret bits secret",
        " ".join(lines),
        Axis(
            f"noise ({law}), equal steps as tried",
            0.0,
            last,
            [(float(j), name) for j, name in enumerate(names)],
        ),
        Axis("bits read back", 0.0, 1.0, [(k / 4, f"{k * 25}%") for k in range(5)]),
        [*curves, guess],
    )
    said = Answer(
        lines[0],
        blocks=(
            Said(lines[1:]),
            Table(["noise", *(counted(m, "sum") for m in counts)], rows_, numbers=True),
            Said([f"Means of {times} simulations, seed {seed}."], quiet=True),
            chart,
        ),
    )
    points = [
        {
            "queries": m,
            "noise": noise,
            "fraction": fractions[i][j],
            "expected": expected_fraction(n, m, deviation(law, noise)),
        }
        for (i, m), (j, noise) in product(enumerate(counts), enumerate(scales))
    ]
    data = {"rows": n, "law": law, "method": method, "seed": seed, "repeats": times}
    explanation = "\n".join(lines)
    return Told(said, {**data, "guessing": common, "points": points, "explanation": explanation})


def _where(queries: int, scales: Sequence[Fraction], shares: Sequence[Fraction]) -> str:
    """Say up to which noise so many questions work."""
    sums = counted(queries, "sum")
    stop = next((j for j, share in enumerate(shares) if share < _WORKS), None)
    if stop is None:
        return f"{sums}: three quarters or more are right at every noise tried."
    end = decimal(scales[stop], 3)
    if stop == 0:
        return f"{sums}: fewer than three quarters are right even at {end}."
    return (
        f"{sums}: works up to noise {decimal(scales[stop - 1], 3)}, and fails at {end} "
        "(fewer than three quarters right)."
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
