"""Made-up studies: members and outsiders tested against published counts, with and without noise.

A population in which each of d attributes has its own share of yes; a study of n people; the
counts, exact or from the release engine. Everybody in the study, and as many outsiders, are tested
with the likelihood ratio of `twoworlds.attacks.queries.membership`. What is shown is the share of
members, and of outsiders, for whom the test says "in the study", and the share of the two groups
that is told right. A simulation: its numbers are floats.
"""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.attacks.queries.differencing import best_chance
from twoworlds.attacks.queries.server import TABLE, made_up
from twoworlds.cards.explained import Explained
from twoworlds.definitions.words import percent, percent_above
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import Number, decimal, exp, positive, power, to_json, whole

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Study", "drawn", "log_ratio", "study"]

_MOST_CELLS = 50_000_000


@dataclass(frozen=True)
class Study(Explained):
    """How well members are told from outsiders.

    Attributes:
        people: The size of the study.
        attributes: How many counts were published; of a histogram, how many cells it has.
        seed: What the population was made from.
        epsilon: What all counts together cost; None for exact counts.
        members: The share of members whom the test calls members.
        outsiders: The share of outsiders whom the test calls members.
        largest: The largest likelihood ratio of anybody.
        engine: Whether the counts came from the release engine.
        at_least: Of a histogram: the limit below which cells were left out; None for counts.
    """

    people: int
    attributes: int
    seed: int
    epsilon: Number | None
    members: float
    outsiders: float
    largest: float
    engine: bool = False
    at_least: int | None = None

    @property
    def right(self) -> float:
        """The share of all tested people who were told right."""
        return (self.members + 1 - self.outsiders) / 2

    def explain(self) -> str:
        """Say how well the test does, beside what is possible."""
        text = (
            f"{self.people:,} people of a made-up study, {self._published()}: the test calls "
            f"{_share(self.members)} of the members a member, and {_share(self.outsiders)} of as "
            "many "
            f"outsiders; {_share(self.right)} are told right, where a coin has 50%."
        )
        if self.epsilon is None:
            return text
        return (
            f"{text} Whoever thinks it equally likely either way is right with at most "
            f"{percent_above(Fraction(1, 2), best_chance(self.epsilon))}, whatever the test; the "
            "largest likelihood "
            f"ratio seen is about {self.largest:.3g}, and none can exceed "
            f"{decimal(exp(self.epsilon), 4)}."
        )

    def picture(self) -> str:
        """Draw how many members and outsiders are called members."""
        from twoworlds.cards import bars

        called = {"of the members": self.members, "of the outsiders": self.outsiders}
        return bars("Called a member by the test", called, orange=["of the outsiders"])

    def _published(self) -> str:
        of = " of the release engine" if self.engine else ""
        if self.at_least is not None:
            exact = "an exact histogram" if self.epsilon is None else f"a histogram{of}"
            noise = "" if self.epsilon is None else f" with noise for epsilon {self._loss}"
            left = f"without the cells below {self.at_least}" if self.at_least else "complete"
            return f"{exact} of {self.attributes:,} cells{noise}, {left}"
        if self.epsilon is None:
            return f"{self.attributes:,} exact counts"
        return f"{self.attributes:,} counts{of} with noise for epsilon {self._loss} in all"

    @property
    def _loss(self) -> str:
        return "" if self.epsilon is None else decimal(self.epsilon, 4, "about")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        counted: dict[str, Any] = {"attributes": self.attributes}
        if self.at_least is not None:
            counted = {"cells": self.attributes, "at_least": self.at_least}
        return {
            "people": self.people,
            **counted,
            "seed": self.seed,
            "epsilon": None if self.epsilon is None else to_json(self.epsilon),
            "engine": self.engine,
            "members_called_members": self.members,
            "outsiders_called_members": self.outsiders,
            "told_right": self.right,
            "largest_ratio": self.largest if math.isfinite(self.largest) else None,
            "best_chance": None if self.epsilon is None else to_json(best_chance(self.epsilon)),
            "explanation": self.explain(),
        }


def study(
    people: object = 100,
    attributes: object = 1000,
    *,
    epsilon: object = None,
    seed: object = 0,
    engine: bool = False,
) -> Study:
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

    size = whole(people, "the number of people", at_least=1)
    many = whole(attributes, "the number of attributes", at_least=1)
    start = whole(seed, "the seed")
    if size * many > _MOST_CELLS:
        raise TooLarge(f"{size:,} people with {many:,} attributes: at most {_MOST_CELLS:,} cells")
    loss = None if epsilon is None else positive(epsilon, "epsilon")
    if engine and loss is None:
        raise InvalidInput("the release engine needs an epsilon")
    rng = np.random.default_rng(start)
    shares = rng.integers(5, 96, many) / 100
    members = rng.random((size, many)) < shares
    outsiders = rng.random((size, many)) < shares
    counts = members.sum(axis=0)
    law = None
    if loss is not None:
        if engine:
            counts, law = _released(members, epsilon)
        else:
            law = GeometricNoise(1 / power(exp(loss), Fraction(1, many)))
            counts = counts + drawn(law, many, rng)
    yes, no = _log_factors(counts, size, shares, law)
    inside = np.where(members, yes, no).sum(axis=1)
    outside = np.where(outsiders, yes, no).sum(axis=1)
    top = float(max(inside.max(), outside.max()))
    return Study(
        size,
        many,
        start,
        loss,
        float((inside > 0).mean()),
        float((outside > 0).mean()),
        math.exp(top) if top < 700 else math.inf,
        engine,
    )


def _share(x: float) -> str:
    return percent(Fraction(x).limit_denominator(10**9), side="about")


def log_ratio(law: GeometricNoise) -> float:
    """Return the logarithm of the ratio of the law, also where the ratio is no float any more."""
    return math.log(max(float(law.p), 1e-300))


def drawn(law: GeometricNoise, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw noise for a simulation."""
    stop = 1 - float(law.p)
    return rng.geometric(stop, size) - rng.geometric(stop, size)


def _released(members: np.ndarray, epsilon: object) -> tuple[np.ndarray, GeometricNoise]:
    """Publish the counts through the release engine, as one batch."""
    import numpy as np

    from twoworlds.release import Curator, Policy, Query, column
    from twoworlds.release.budget import Cap, parse_cost
    from twoworlds.release.policy import Column, Dataset

    many = members.shape[1]
    if many > 1000:
        raise TooLarge(f"{many:,} attributes: the release engine is asked for 1,000 at most here")
    names = [f"a{j}" for j in range(many)]
    with tempfile.TemporaryDirectory() as folder:
        lines = [",".join(names), *(",".join("01"[int(bit)] for bit in row) for row in members)]
        parquet = made_up(lines, Path(folder))
        columns = {
            name: Column(name, "integer", Fraction(0), Fraction(1), keys=(Fraction(0), Fraction(1)))
            for name in names
        }
        cap = Cap(parse_cost(f"epsilon={epsilon}"))  # rounded as the charge is
        dataset = Dataset(TABLE, str(parquet), "substitute", columns=columns, cap=cap)
        asked = Query(TABLE)
        for name in names:
            asked = asked.count(name=name, where=column(name) == 1)
        with Curator.open(Policy({TABLE: dataset}, "ledger.db", folder=Path(folder))) as curator:
            answer = curator.release(asked, f"epsilon={epsilon}")
    law = answer.calibration.noises[0][0].law
    assert isinstance(law, GeometricNoise)
    found = [round(estimate.value) for estimate in answer.estimates[0]]
    return np.array(found), law


def _log_factors(
    counts: np.ndarray, people: int, shares: np.ndarray, law: GeometricNoise | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the logarithms of the factors for yes and for no, attribute by attribute."""
    import numpy as np

    if law is None:
        seen = counts / people
        with np.errstate(divide="ignore"):
            return np.log(seen / shares), np.log((1 - seen) / (1 - shares))
    both = _log_smoothed(counts, people, shares, law)
    yes = _log_smoothed(counts - 1, people - 1, shares, law)
    no = _log_smoothed(counts, people - 1, shares, law)
    return yes - both, no - both


def _log_smoothed(
    counts: np.ndarray, people: int, shares: np.ndarray, law: GeometricNoise
) -> np.ndarray:
    """Return log P(binomial + noise = count), up to a constant that all of them share."""
    import numpy as np

    k = np.arange(people + 1)[:, None]
    factorials = np.cumsum(np.log(np.maximum(np.arange(people + 1), 1)))
    ways = (factorials[people] - factorials - factorials[::-1])[:, None]
    weights = ways + k * np.log(shares) + (people - k) * np.log1p(-shares)
    terms = weights + np.abs(counts - k) * log_ratio(law)
    top = terms.max(axis=0)
    found: np.ndarray = top + np.log(np.exp(terms - top).sum(axis=0))
    return found
