"""Mechanisms that do not keep what they claim, for audits to find, and right ones beside them.

Each is a subject of `twoworlds.attacks.audit`: a callable of a database and a generator, with
`many` for whole batches, a claim, and pairs of neighbours or a reading of them. What is wrong, and
who published it, stands in ``wrong`` and ``source``. Nothing here may be used to release anything.

Laplace noise is drawn as floats and outputs are rounded to multiples of 2^-20, a grid that does not
depend on the data, so that what is found is what is meant to be wrong; only `naive_float_laplace`
and `noise_on_a_grid` leave their low-order bits as they fall. The same seed gives the same outputs
on every machine, to the last bit.

The sparse vector technique answers, for queries of sensitivity 1 in turn, whether each is above a
threshold: 1, 0, and -1 for those that are not answered any more. Its variants are those compared by
Lyu, Su and Li, Understanding the sparse vector technique for differential privacy (PVLDB 10(6),
2017): neighbouring databases may move every answer by 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from twoworlds.numbers.portable import log

if TYPE_CHECKING:
    import numpy as np

Draw = Callable[[Any, int, "np.random.Generator"], Any]
_GRID = 2.0**20
_LYU = "Lyu, Su and Li 2017"
_BINS = ("a", "b", "c")


@dataclass(frozen=True)
class BrokenMechanism:
    """A subject of an audit.

    Attributes:
        name: what it is called in this module.
        many: draws so many outputs on a database.
        wrong: what is wrong with it; empty for the right ones.
        source: who published it, or who described the mistake.
        claim: the epsilon that it claims.
        neighbours: ``one``, ``all`` or ``add-remove``.
        pairs: neighbouring databases; None to have them proposed.
    """

    name: str
    many: Draw = field(repr=False)
    wrong: str = ""
    source: str = ""
    claim: float = 1.0
    neighbours: str = "one"
    pairs: tuple[tuple[Any, Any], ...] | None = None

    def __call__(self, database: Any, rng: np.random.Generator) -> Any:
        """Draw one output."""
        return self.many(database, 1, rng)[0]


def _on_grid(values: Any) -> Any:
    return (values * _GRID).round() / _GRID


def _noise(rng: np.random.Generator, scale: float, size: int | tuple[int, int]) -> Any:
    """Draw Laplace noise in floats: -scale sign(u) ln(1 - 2|u|) with u even in [-1/2, 1/2)."""
    import numpy as np

    u = rng.random(size) - 0.5
    return -scale * np.sign(u) * log(1 - 2 * np.abs(u))


# --- one number -----------------------------------------------------------------------------------


def _laplace(scale: float) -> Draw:
    def many(value: float, size: int, rng: np.random.Generator) -> Any:
        return _on_grid(value + _noise(rng, scale, size))

    return many


_NUMBERS = ((0.0, 1.0),)

laplace = BrokenMechanism("laplace", _laplace(1.0), pairs=_NUMBERS)
laplace_ten_percent_short = BrokenMechanism(
    "laplace_ten_percent_short",
    _laplace(0.9),
    "its noise has scale 0.9 where 1 is needed, so that its epsilon is 1/0.9 = 1.11",
    "a mistake of calibration",
    pairs=_NUMBERS,
)
naive_float_laplace = BrokenMechanism(
    "naive_float_laplace",
    lambda value, size, rng: value + _noise(rng, 1.0, size),
    "a sum of floats keeps low-order bits that betray what was added to what",
    "Mironov, On significance of the least significant bits for differential privacy (CCS 2012)",
    pairs=_NUMBERS,
)
noise_on_a_grid = BrokenMechanism(
    "noise_on_a_grid",
    lambda value, size, rng: value + _on_grid(_noise(rng, 1.0, size)),
    "the noise lies on a grid and the value does not: the output's offset is the value's",
    "Haney, Desfontaines, Hartman, Shrestha and Hay, Precision-based attacks and interval "
    "refining (2022)",
    pairs=((0.0, 0.3),),
)


# --- noisy max ------------------------------------------------------------------------------------


def _noisy_max(scale: float) -> Draw:
    def many(answers: list[float], size: int, rng: np.random.Generator) -> Any:
        noise = _noise(rng, scale, (size, len(answers)))
        return (answers + noise).argmax(axis=1)

    return many


noisy_max = BrokenMechanism("noisy_max", _noisy_max(2.0), neighbours="all")
noisy_max_half_noise = BrokenMechanism(
    "noisy_max_half_noise",
    _noisy_max(1.0),
    "it names the largest noisy answer with noise of scale 1/epsilon; where neighbours may move "
    "every answer, and in both directions, 2/epsilon is needed",
    "compared in Ding, Wang, Wang, Zhang and Kifer (CCS 2018) as report noisy max",
    neighbours="all",
)


# --- histograms -----------------------------------------------------------------------------------


def _histogram(*, keep_empty: bool) -> Draw:
    def many(people: list[str], size: int, rng: np.random.Generator) -> Any:
        bins = [b for b in _BINS if keep_empty or b in people]
        counts = [float(people.count(b)) for b in bins]
        noisy = _on_grid(counts + _noise(rng, 1.0, (size, len(bins))))
        return [dict(zip(bins, row, strict=True)) for row in noisy.tolist()]

    return many


_PEOPLE = ((["a", "a"], ["a", "a", "b"]), (["a", "b"], ["b"]))
histogram = BrokenMechanism(
    "histogram", _histogram(keep_empty=True), neighbours="add-remove", pairs=_PEOPLE
)
histogram_without_empty_bins = BrokenMechanism(
    "histogram_without_empty_bins",
    _histogram(keep_empty=False),
    "bins in which nobody is are left out, so that a bin with one person shows that person",
    "a mistake of grouping: keys are read off the data",
    neighbours="add-remove",
    pairs=_PEOPLE,
)


# --- sparse vector --------------------------------------------------------------------------------


def _sparse_vector(
    threshold_scale: float, query_scale: float, cutoff: int | None, *, values: bool = False
) -> Draw:
    """Return the technique: noise on the threshold, noise on each answer, and when it stops."""

    def many(answers: list[float], size: int, rng: np.random.Generator) -> Any:
        import numpy as np

        threshold = _noise(rng, threshold_scale, (size, 1))
        noisy = np.asarray(answers, dtype=float) + np.zeros((size, 1))
        if query_scale:
            noisy = noisy + _noise(rng, query_scale, (size, len(answers)))
        above = noisy >= threshold
        before: np.ndarray = np.cumsum(above, axis=1) - above
        stopped = before >= cutoff if cutoff is not None else np.zeros_like(above)
        if values:
            return np.where(above & ~stopped, _on_grid(noisy), np.nan)
        return np.where(stopped, -1, above.astype(np.int64))

    return many


# epsilon = 1: half of it for the threshold and half for the answers, unless said otherwise.
sparse_vector = BrokenMechanism("sparse_vector", _sparse_vector(2.0, 4.0, 1), neighbours="all")
sparse_vector_roth = BrokenMechanism(
    "sparse_vector_roth",
    _sparse_vector(2.0, 2.0, 1, values=True),
    "it gives out the noisy answer that was compared with the threshold, which bounds that",
    f"Roth's lecture notes of 2011, as Algorithm 3 of {_LYU}",
    neighbours="all",
)
sparse_vector_lee_clifton = BrokenMechanism(
    "sparse_vector_lee_clifton",
    _sparse_vector(4.0, 4.0 / 3.0, 3),
    "the noise on the answers does not grow with the number of positive answers allowed, here 3",
    f"Lee and Clifton 2014, as Algorithm 4 of {_LYU}",
    neighbours="all",
)
sparse_vector_stoddard = BrokenMechanism(
    "sparse_vector_stoddard",
    _sparse_vector(2.0, 0.0, None),
    "the answers get no noise at all, and it never stops",
    f"Stoddard, Chen and Machanavajjhala 2014, as Algorithm 5 of {_LYU}",
    neighbours="all",
)
sparse_vector_chen = BrokenMechanism(
    "sparse_vector_chen",
    _sparse_vector(2.0, 2.0, None),
    "it gives any number of positive answers for the price of one",
    f"Chen, Xiao, Zhang and Xu 2015, as Algorithm 6 of {_LYU}",
    neighbours="all",
)

RIGHT = (laplace, noisy_max, histogram, sparse_vector)
BROKEN = (
    laplace_ten_percent_short,
    noisy_max_half_noise,
    histogram_without_empty_bins,
    sparse_vector_roth,
    sparse_vector_lee_clifton,
    sparse_vector_stoddard,
    sparse_vector_chen,
    naive_float_laplace,
    noise_on_a_grid,
)
