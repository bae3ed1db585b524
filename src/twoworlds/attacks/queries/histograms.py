r"""Made-up studies that publish a histogram without its small cells: is leaving out enough?

Each person of the population belongs to one of so many cells, whose shares are known. A study of n
people publishes how many of them are in each cell, and leaves out the cells below a limit; with
noise, those whose noisy count is below it. Everybody in the study, and as many outsiders, are
tested by their own cell (`twoworlds.attacks.queries.membership.histogram_factor`). A simulation:
its numbers are floats.

If one person's answer changes, two cells move by 1, so noise for epsilon is two-sided geometric
with ratio e^(-epsilon/2). What is left out after noise was added costs nothing.
"""

from __future__ import annotations

import math
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from twoworlds.attacks.queries.membership import cell_noise
from twoworlds.attacks.queries.server import TABLE, made_up
from twoworlds.attacks.queries.studies import Study, drawn, log_ratio
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import positive, whole

if TYPE_CHECKING:
    import numpy as np

__all__ = ["histogram_study"]

_MOST_CELLS = 1000
_MOST_PEOPLE = 10_000


def histogram_study(
    people: object = 100,
    cells: object = 40,
    *,
    at_least: object = 3,
    epsilon: object = None,
    seed: object = 0,
    engine: bool = False,
) -> Study:
    """Make a study, publish its histogram without small cells, and test members and outsiders.

    Args:
        people: The size of the study, and of the group of outsiders.
        cells: How many cells the histogram has.
        at_least: Cells with fewer people are left out.
        epsilon: The cost of the histogram, where neighbours differ in one person's cell; None
            publishes it exactly.
        seed: Makes the population; of noise only when it does not come from the engine.
        engine: Whether the release engine publishes it, with real noise.

    >>> histogram_study(1000, 1000).right
    0.595
    """
    import numpy as np

    size = whole(people, "the number of people", at_least=1)
    many = whole(cells, "the number of cells", at_least=2)
    limit = whole(at_least, "the limit of a cell")
    start = whole(seed, "the seed")
    if many > _MOST_CELLS or size > _MOST_PEOPLE:
        raise TooLarge(
            f"{size:,} people in {many:,} cells: at most {_MOST_PEOPLE:,} people and "
            f"{_MOST_CELLS:,} cells"
        )
    loss = None if epsilon is None else positive(epsilon, "epsilon")
    if engine and loss is None:
        raise InvalidInput("the release engine needs an epsilon")
    rng = np.random.default_rng(start)
    weights = rng.integers(1, 20, many)
    shares = weights / weights.sum()
    members, outsiders = (rng.choice(many, size, p=shares) for _ in range(2))
    counts = np.bincount(members, minlength=many)
    law = None
    if loss is not None:
        if engine:
            counts, law = _released(members, many, epsilon)
        else:
            law = cell_noise(loss)
            counts = counts + drawn(law, many, rng)
    logs = _log_factors(counts, size, shares, limit, law)
    inside, outside = logs[members], logs[outsiders]
    return Study(
        size,
        many,
        start,
        loss,
        float((inside > 0).mean()),
        float((outside > 0).mean()),
        math.exp(float(max(inside.max(), outside.max()))),
        engine,
        limit,
    )


def _log_factors(
    counts: np.ndarray, people: int, shares: np.ndarray, limit: int, law: GeometricNoise | None
) -> np.ndarray:
    """Return log P(what is shown of a cell | in it) / P(the same | out), cell by cell."""
    import numpy as np

    inside, outside = _log_binomial(people - 1, shares), _log_binomial(people, shares)
    found = np.empty(len(shares))
    for cell, count in enumerate(counts.tolist()):
        if law is None and count >= limit:
            with np.errstate(divide="ignore"):  # somebody of an empty cell was not there
                found[cell] = np.log(count / people / shares[cell])
            continue
        with_person = _log_chances(np.arange(1, people + 1), count, limit, law)
        without = _log_chances(np.arange(people + 1), count, limit, law)
        found[cell] = np.logaddexp.reduce(inside[:, cell] + with_person)
        found[cell] -= np.logaddexp.reduce(outside[:, cell] + without)
    return found


def _log_chances(
    true: np.ndarray, count: int, limit: int, law: GeometricNoise | None
) -> np.ndarray:
    """Return the logarithm of the chance of what is shown of a cell, for each true count.

    A count that is shown has it up to a constant, which is the same for all true counts.
    """
    import numpy as np

    below = limit - 1 - true
    if law is None:
        return np.where(below >= 0, 0.0, -np.inf)
    rate = log_ratio(law)
    if count >= limit:
        return np.asarray(rate * np.abs(count - true))
    rest = math.log1p(math.exp(rate))  # P(Z <= m) is p^-m / (1 + p) for m <= 0
    above = np.log1p(-np.exp(rate * (np.maximum(below, 0) + 1) - rest))
    return np.where(below < 0, rate * -below - rest, above)


def _log_binomial(people: int, shares: np.ndarray) -> np.ndarray:
    """Return log P(k of so many people are in a cell): a row for each k, a column for each cell."""
    import numpy as np

    k = np.arange(people + 1)[:, None]
    factorials = np.cumsum(np.log(np.maximum(np.arange(people + 1), 1)))
    ways = (factorials[people] - factorials - factorials[::-1])[:, None]
    found: np.ndarray = ways + k * np.log(shares) + (people - k) * np.log1p(-shares)
    return found


def _released(
    members: np.ndarray, cells: int, epsilon: object
) -> tuple[np.ndarray, GeometricNoise]:
    """Publish the histogram through the release engine."""
    import numpy as np

    from twoworlds.release import Curator, Policy, Query
    from twoworlds.release.budget import Cap, parse_cost
    from twoworlds.release.policy import Column, Dataset

    with tempfile.TemporaryDirectory() as folder:
        path = made_up(["cell", *map(str, members)], Path(folder))
        keys = tuple(map(Fraction, range(cells)))
        column = Column("cell", "integer", Fraction(0), Fraction(cells - 1), keys=keys)
        cap = Cap(parse_cost(f"epsilon={epsilon}"))  # rounded as the charge is
        dataset = Dataset(TABLE, str(path), "substitute", columns={"cell": column}, cap=cap)
        policy = Policy({TABLE: dataset}, "ledger.db", folder=Path(folder))
        with Curator.open(policy) as curator:
            answer = curator.release(Query(TABLE).by("cell").count(), f"epsilon={epsilon}")
    law = answer.calibration.noises[0][0].law
    assert isinstance(law, GeometricNoise)
    return np.array([round(estimate.value) for [estimate] in answer.estimates]), law
