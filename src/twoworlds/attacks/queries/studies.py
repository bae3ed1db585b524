r"""Made-up studies: members and outsiders tested against what is published, with noise or without.

`study`: a population in which each of d attributes has its own share of yes; a study of n people;
the counts. `histogram_study`: each person belongs to one of so many cells, whose shares are known;
a histogram without the cells below a limit. Both are exact, or carry noise for epsilon, drawn here
or by the release engine. Everybody in the study, and as many outsiders, are tested with the
likelihood ratio of `twoworlds.attacks.queries.membership`. What is shown is the share of members,
and of outsiders, for whom the test says "in the study", and the share of the two groups that is
told right. A simulation: its numbers are floats.

If one person's answers change, all counts together move by their cost; of a histogram two cells
move by 1, so its noise is two-sided geometric with ratio e^(-epsilon/2). What is left out after
noise was added costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer
from twoworlds.attacks.english import counted
from twoworlds.attacks.queries.differencing import best_chance
from twoworlds.attacks.queries.membership import cell_noise
from twoworlds.attacks.queries.server import TABLE, cap_of, made_up, release_engine
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import Number, decimal, exp, positive, power, whole
from twoworlds.show import Told
from twoworlds.show.bars import share_text

if TYPE_CHECKING:
    import numpy as np

_MOST_ENTRIES = 50_000_000
_MOST_CELLS = 1000
_MOST_PEOPLE = 10_000


def study(
    people: object = 100,
    attributes: object = 1000,
    *,
    epsilon: object = None,
    seed: object = 0,
    engine: bool = False,
) -> Told:
    """Make a study, publish its counts, and test members and outsiders.

    Args:
        people: The size of the study, and of the group of outsiders.
        attributes: How many yes-or-no attributes are counted.
        epsilon: The cost of all counts together, where neighbours differ in one person's answers;
            None publishes them exactly.
        seed: Makes the population; of noise only when it does not come from the engine.
        engine: Whether the release engine publishes them, with real noise.
    """
    import numpy as np

    size, loss, start = _setting(people, epsilon, seed, engine=engine)
    many = whole(attributes, "the number of attributes", at_least=1)
    if size * many > _MOST_ENTRIES:
        raise TooLarge(f"{size:,} people with {many:,} attributes: at most {_MOST_ENTRIES:,} cells")
    rng = np.random.default_rng(start)
    shares = rng.integers(5, 96, many) / 100
    members = rng.random((size, many)) < shares
    outsiders = rng.random((size, many)) < shares
    counts = members.sum(axis=0)
    law = None
    if loss is not None and engine:
        counts, law = _released_counts(members, epsilon)
    elif loss is not None:
        law = GeometricNoise(1 / power(exp(loss), Fraction(1, many)))
        counts = counts + _drawn(law, many, rng)
    yes, no = _log_factors_of_counts(counts, size, shares, law)
    inside = np.where(members, yes, no).sum(axis=1)
    outside = np.where(outsiders, yes, no).sum(axis=1)
    sizes = {"people": size, "attributes": many}
    return _told(inside, outside, sizes, start, loss, engine=engine)


def histogram_study(
    people: object = 100,
    cells: object = 40,
    *,
    at_least: object = 3,
    epsilon: object = None,
    seed: object = 0,
    engine: bool = False,
) -> Told:
    """Make a study, publish its histogram without small cells, and test members and outsiders.

    Args:
        people: The size of the study, and of the group of outsiders.
        cells: How many cells the histogram has.
        at_least: Cells with fewer people are left out.
        epsilon: The cost of the histogram, where neighbours differ in one person's cell; None
            publishes it exactly.
        seed: Makes the population; of noise only when it does not come from the engine.
        engine: Whether the release engine publishes it, with real noise.

    >>> histogram_study(1000, 1000).data["told_right"]
    0.595
    """
    import numpy as np

    size, loss, start = _setting(people, epsilon, seed, engine=engine)
    many = whole(cells, "the number of cells", at_least=2)
    limit = whole(at_least, "the limit of a cell")
    if many > _MOST_CELLS or size > _MOST_PEOPLE:
        raise TooLarge(
            f"{size:,} people in {many:,} cells: at most {_MOST_PEOPLE:,} people and "
            f"{_MOST_CELLS:,} cells"
        )
    rng = np.random.default_rng(start)
    weights = rng.integers(1, 20, many)
    shares = weights / weights.sum()
    members, outsiders = (rng.choice(many, size, p=shares) for _ in range(2))
    counts = np.bincount(members, minlength=many)
    law = None
    if loss is not None and engine:
        counts, law = _released_histogram(members, many, epsilon)
    elif loss is not None:
        law = cell_noise(loss)
        counts = counts + _drawn(law, many, rng)
    logs = _log_factors_of_cells(counts, size, shares, limit, law)
    sizes = {"people": size, "cells": many, "at_least": limit}
    return _told(logs[members], logs[outsiders], sizes, start, loss, engine=engine)


def _setting(
    people: object, epsilon: object, seed: object, *, engine: bool
) -> tuple[int, Number | None, int]:
    loss = None if epsilon is None else positive(epsilon, "epsilon")
    if engine and loss is None:
        raise InvalidInput("the release engine needs an epsilon")
    return whole(people, "the number of people", at_least=1), loss, whole(seed, "the seed")


def _told(
    inside: np.ndarray,
    outside: np.ndarray,
    sizes: Mapping[str, int],
    seed: int,
    epsilon: Number | None,
    *,
    engine: bool,
) -> Told:
    """Say how well members are told from outsiders, by logarithms of their likelihood ratios."""
    members, outsiders = float((inside > 0).mean()), float((outside > 0).mean())
    right, top = (members + 1 - outsiders) / 2, float(max(inside.max(), outside.max()))
    largest = math.exp(top) if top < 700 else math.inf
    best = None if epsilon is None else best_chance(epsilon)
    of = " of the release engine" if engine else ""
    noise = "" if epsilon is None else f" with noise for epsilon {decimal(epsilon, 4, 'about')}"
    if "cells" in sizes:
        kind = "an exact histogram" if epsilon is None else f"a histogram{of}"
        limit = sizes["at_least"]
        left = f"without the cells below {limit}" if limit else "complete"
        published = f"{kind} of {counted(sizes['cells'], 'cell')}{noise}, {left}"
    elif epsilon is None:
        published = counted(sizes["attributes"], "exact count")
    else:
        published = f"{counted(sizes['attributes'], 'count')}{of}{noise} in all"
    said = (
        f"{counted(sizes['people'], 'person')} of a made-up study, {published}: the test "
        f"calls {share_text(members)} of the members a member, and "
        f"{share_text(outsiders)} of as many outsiders; {share_text(right)} are told "
        "right, where a coin has 50%."
    )
    if epsilon is not None and best is not None:
        from twoworlds.definitions.words import percent_above

        said += (
            " Whoever thinks it equally likely either way is right with at most "
            f"{percent_above(Fraction(1, 2), best)}, whatever the test; the "
            f"largest likelihood ratio seen is about {largest:.3g}, and none can exceed "
            f"{decimal(exp(epsilon), 4)}."
        )
    called = {"of the members": members, "of the outsiders": outsiders}
    chart = Bars("Called a member by the test", called, orange=["of the outsiders"])
    data = {
        **sizes,
        "seed": seed,
        "epsilon": epsilon,
        "engine": engine,
        "members_called_members": members,
        "outsiders_called_members": outsiders,
        "told_right": right,
        "largest_ratio": largest if math.isfinite(largest) else None,
        "best_chance": best,
        "explanation": said,
    }
    return Told(Answer.of(said, chart), data)


def _drawn(law: GeometricNoise, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw noise for a simulation."""
    stop = 1 - float(law.p)
    return rng.geometric(stop, size) - rng.geometric(stop, size)


# --- published by the release engine --------------------------------------------------------------


def _released_counts(members: np.ndarray, epsilon: object) -> tuple[np.ndarray, GeometricNoise]:
    """Publish the counts, as one query."""
    from twoworlds.release import Query, column

    many = members.shape[1]
    if many > 1000:
        raise TooLarge(f"{many:,} attributes: the release engine is asked for 1,000 at most here")
    names = [f"a{j}" for j in range(many)]
    lines = [",".join(names), *(",".join("01"[int(bit)] for bit in row) for row in members)]
    asked = Query(TABLE)
    for name in names:
        asked = asked.count(name=name, where=column(name) == 1)
    return _released(lines, names, 2, asked, epsilon)


def _released_histogram(
    members: np.ndarray, cells: int, epsilon: object
) -> tuple[np.ndarray, GeometricNoise]:
    from twoworlds.release import Query

    asked = Query(TABLE).by("cell").count()
    return _released(["cell", *map(str, members)], ["cell"], cells, asked, epsilon)


def _released(
    lines: Iterable[str], names: Iterable[str], keys: int, asked: Any, epsilon: object
) -> tuple[np.ndarray, GeometricNoise]:
    """Ask a query about a table of whole numbers below ``keys``; return answers and their noise."""
    import numpy as np

    from twoworlds.release.policy import Column, Dataset

    listed = tuple(map(Fraction, range(keys)))
    columns = {
        name: Column(name, "integer", Fraction(0), listed[-1], keys=listed) for name in names
    }
    with TemporaryDirectory() as folder:
        path = made_up(lines, Path(folder))
        cap = cap_of(epsilon)
        dataset = Dataset(TABLE, str(path), "substitute", columns=columns, cap=cap)
        with release_engine(dataset) as curator:
            answer = curator.release(asked, f"epsilon={epsilon}")
    law = answer.calibration.noises[0][0].law
    assert isinstance(law, GeometricNoise)
    found = [round(estimate.value) for row in answer.estimates for estimate in row]
    return np.array(found), law


# --- logarithms of likelihood ratios --------------------------------------------------------------


def _log_factors_of_counts(
    counts: np.ndarray, people: int, shares: np.ndarray, law: GeometricNoise | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the logarithms of the factors for yes and for no, attribute by attribute."""
    import numpy as np

    if law is None:
        seen = counts / people
        with np.errstate(divide="ignore"):
            return np.log(seen / shares), np.log((1 - seen) / (1 - shares))
    rate = _log_ratio(law)

    def smoothed(shown: np.ndarray, size: int) -> np.ndarray:
        """Return log P(binomial + noise = count), up to a constant that all of them share."""
        terms = _log_binomial(size, shares) + np.abs(shown - np.arange(size + 1)[:, None]) * rate
        top = terms.max(axis=0)
        return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)))

    both = smoothed(counts, people)
    return smoothed(counts - 1, people - 1) - both, smoothed(counts, people - 1) - both


def _log_factors_of_cells(
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
    rate = _log_ratio(law)
    if count >= limit:
        return np.asarray(rate * np.abs(count - true))
    rest = math.log1p(math.exp(rate))  # P(Z <= m) is p^-m / (1 + p) for m <= 0
    above = np.log1p(-np.exp(rate * (np.maximum(below, 0) + 1) - rest))
    return np.where(below < 0, rate * -below - rest, above)


def _log_binomial(people: int, shares: np.ndarray) -> np.ndarray:
    """Return log P(k of so many people have it): a row for each k, a column for each share."""
    import numpy as np

    k = np.arange(people + 1)[:, None]
    factorials = np.cumsum(np.log(np.maximum(np.arange(people + 1), 1)))
    ways = (factorials[people] - factorials - factorials[::-1])[:, None]
    found: np.ndarray = ways + k * np.log(shares) + (people - k) * np.log1p(-shares)
    return found


def _log_ratio(law: GeometricNoise) -> float:
    """Return the logarithm of the ratio of the law, also where the ratio is no float any more."""
    return math.log(max(float(law.p), 1e-300))
