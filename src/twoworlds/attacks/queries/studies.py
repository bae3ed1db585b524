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
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from twoworlds.answer import Answer
from twoworlds.attacks.english import counted
from twoworlds.attacks.queries.membership import cell_noise
from twoworlds.attacks.queries.server import (
    TABLE,
    cap_of,
    largest_fraction,
    made_up,
    release_engine,
)
from twoworlds.charts import Bars
from twoworlds.definitions.words import percent_above
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import Number, decimal, exp, positive, power, whole
from twoworlds.release.policy import Column, Dataset
from twoworlds.release.query import Query
from twoworlds.release.query.conditions import Compare
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
    """Make a study, publish its counts, and test members and outsiders; see `histogram_study`.

    Epsilon is the cost of all counts together, where neighbours differ in one person's answers.
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
        if many > 1000:
            raise TooLarge(f"{many:,} attributes: the release engine is asked for 1,000 at most")
        names = [f"a{j}" for j in range(many)]
        asked = Query(TABLE)
        for name in names:
            asked = asked.count(name=name, where=Compare(name, "=", Fraction(1)))
        lines = [",".join("01"[int(bit)] for bit in row) for row in members]
        counts, law = _released(lines, names, 2, asked, epsilon)
    elif loss is not None:
        law = GeometricNoise(1 / power(exp(loss), Fraction(1, many)))
        counts = counts + _drawn(law, many, rng)
    no, yes = (log_factors(bit, counts, size, shares, law) for bit in (0, 1))
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
        asked = Query(TABLE).by("cell").count()
        counts, law = _released([*map(str, members)], ["cell"], many, asked, epsilon)
    elif loss is not None:
        law = cell_noise(loss)
        counts = counts + _drawn(law, many, rng)
    logs = log_factors(1, counts, size, shares, law, limit)
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
    best = None if epsilon is None else largest_fraction(epsilon)
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
        said += (
            " Someone who thinks it equally likely either way is right with at most "
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


def _released(
    lines: Sequence[str], names: Sequence[str], keys: int, asked: Query, epsilon: object
) -> tuple[np.ndarray, GeometricNoise]:
    """Ask a query about a table of whole numbers below ``keys``; return answers and their noise."""
    import numpy as np

    listed = tuple(map(Fraction, range(keys)))
    columns = {
        name: Column(name, "integer", Fraction(0), listed[-1], keys=listed) for name in names
    }
    with TemporaryDirectory() as folder:
        path = made_up([",".join(names), *lines], Path(folder))
        dataset = Dataset(TABLE, str(path), "substitute", columns=columns, cap=cap_of(epsilon))
        with release_engine(dataset) as curator:
            answer = curator.release(asked, f"epsilon={epsilon}")
    law = answer.calibration.noises[0][0].law
    assert isinstance(law, GeometricNoise)
    found = [round(estimate.value) for row in answer.estimates for estimate in row]
    return np.array(found), law


# --- logarithms of likelihood ratios --------------------------------------------------------------


def log_factors(
    bit: int,
    counts: np.ndarray,
    people: int,
    shares: np.ndarray,
    law: GeometricNoise | None,
    limit: float = -math.inf,
) -> np.ndarray:
    """Return log P(count | in) / P(count | out) for each count; below the limit it is left out.

    As `twoworlds.attacks.queries.membership.factor`, in floats, for all counts at once.
    """
    import numpy as np

    shown = counts >= limit
    rate = 0.0 if law is None else math.log(max(float(law.p), 1e-300))
    rest = math.log1p(math.exp(rate))  # P(Z <= m) is p^-m / (1 + p) for m <= 0

    def log_chance(others: int, own: int) -> np.ndarray:
        """Return the logarithm of the chance of what is shown, up to a constant if it is shown."""
        k = np.arange(others + 1)[:, None]
        factorials = np.cumsum(np.log(np.maximum(np.arange(others + 1), 1)))
        ways = (factorials[others] - factorials - factorials[::-1])[:, None]
        below = np.maximum(limit, -1.0) - 1 - k - own
        hidden = np.where(below >= 0, 0.0, -np.inf)
        if law is not None:
            above = np.log1p(-np.exp(rate * (np.maximum(below, 0) + 1) - rest))
            hidden = np.where(below < 0, rate * -below - rest, above)
        noise = np.where(shown, rate * np.abs(counts - k - own), hidden)
        terms = ways + k * np.log(shares) + (others - k) * np.log1p(-shares) + noise
        return np.asarray(np.logaddexp.reduce(terms, axis=0))

    with np.errstate(divide="ignore"):  # somebody of an empty cell was not there
        seen = np.clip(counts / people, 0, 1)
        exact = np.log(seen / shares) if bit else np.log((1 - seen) / (1 - shares))
    if law is None and shown.all():
        return np.asarray(exact)
    found = log_chance(people - 1, bit) - log_chance(people, 0)
    return np.asarray(np.where(shown, exact, found) if law is None else found)
