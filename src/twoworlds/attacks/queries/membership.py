r"""Was this person in the study? Tests against published means and against histograms.

*Means.* A study of n people publishes, for each of d yes-or-no attributes, how many said yes. The
attacker has the person's own answers y and, from elsewhere, the share p_j of yes in the population.
The belief that all of this rests on: people are drawn independently from the population, attributes
are independent. Then, with q_j = c_j / n published, the odds of having been in the study change by
the likelihood ratio

    prod_j  q_j / p_j  where y_j is yes,  (1 - q_j) / (1 - p_j)  where it is no:

for one attribute P(c | in) / P(c | out) = [C(n-1, c-1) p^(c-1)] / [C(n, c) p^c] = (c / n) / p. It
is a product of many factors near one, so enough attributes tell members from others (Homer et al.
2008; Sankararaman et al. 2009). If the counts carry two-sided geometric noise, each factor
is a ratio of two sums over true counts, and the product stays within e^-eps and
e^eps, where epsilon is the cost of all counts.

*Histograms.* A histogram that leaves out cells below a limit is no protection either: what is
left out tells something too. The person's cell holds c of n people, or is left out; with share p
of the population in it, P(c | in) / P(c | out) = c / (n p) again, and for a cell that is left out
the ratio of the two chances to stay below the limit. With noise that was added
before cells were left out, all of these are chances of sums, as above.

*Made-up studies*: members and outsiders tested against what is published, with noise or without.
`study`: a population in which each of d attributes has its own share of yes; a study of n people;
the counts. `histogram_study`: each person belongs to one of so many cells, whose shares are known;
a histogram without the cells below a limit. Both are exact, or carry noise for epsilon, drawn here
or by the release engine. Everybody in the study, and as many outsiders, are tested with the
likelihood ratio above. What is shown is the share of members,
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
from math import comb, prod
from pathlib import Path
from typing import TYPE_CHECKING

from twoworlds.answer import Answer
from twoworlds.attacks.queries.server import TABLE, largest_fraction, made_up_engine
from twoworlds.attacks.tables.table import read_lines
from twoworlds.charts import Bars
from twoworlds.definitions.words import percent_above
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import GeometricNoise, Noise
from twoworlds.numbers import (
    Number,
    counted,
    decimal,
    exact_text,
    exp,
    positive,
    power,
    probability,
    rational,
    whole,
)
from twoworlds.release.policy import Column
from twoworlds.release.query import Query
from twoworlds.release.query.conditions import Compare
from twoworlds.show import Told
from twoworlds.show.svg import share_text

if TYPE_CHECKING:
    import numpy as np

_MOST_PEOPLE = 20_000
_EQUAL = Fraction(2000, 2001)  # a likelihood ratio so near 1 is not given in digits
_MOST_TERMS = 100_000
_MOST_NOISY = 2_000
_BELIEF = (
    "The people of the study were drawn independently from the population of which the shares are "
    "known, and attributes are independent."
)


def membership_in_means(
    person: Sequence[object],
    counts: Sequence[object],
    shares: Sequence[object],
    people: object,
    *,
    prior: object = "1/2",
    noise: Noise | None = None,
) -> Told:
    """Test whether a person was among those whose means were published.

    Args:
        person: Their own answers, 0 or 1 for each attribute.
        counts: How many said yes, published; with noise, any whole number.
        shares: The share of yes in the population, strictly between 0 and 1.
        people: How many the study had.
        prior: The probability of having been in it, before.
        noise: What was added to each count.

    >>> found = membership_in_means([1, 0], [3, 0], ["1/2", "1/2"], 4).data
    >>> str(found["likelihood_ratio"]), str(found["posterior"])
    ('3', '3/4')
    """
    size = whole(people, "the number of people", at_least=1)
    if not len(person) == len(counts) == len(shares):
        raise InvalidInput(
            f"{len(person)} answers, {len(counts)} counts and {len(shares)} shares: each attribute "
            "needs one of each"
        )
    if not person:
        raise InvalidInput("no attribute was given")
    bits = [whole(bit, f"the person's answer {i}") for i, bit in enumerate(person, start=1)]
    for i, bit in enumerate(bits, start=1):
        if bit > 1:
            raise InvalidInput(f"the person's answer {i} is {bit}: an answer is 0 or 1")
    if noise is not None and size * len(bits) > _MOST_TERMS:
        raise TooLarge(
            f"{size:,} people with {len(bits):,} noisy counts: at most {_MOST_TERMS:,} of both "
            "multiplied; take fewer attributes"
        )
    factors = [
        factor(bit, _count(count, noise), size, _uncertain(share, "share"), noise=noise)
        for bit, count, share in zip(bits, counts, shares, strict=True)
    ]
    ratio = prod(factors, start=Fraction(1))
    return _told(size, len(bits), ratio, _uncertain(prior, "prior"), noise)


def membership_in_histogram(
    count: object,
    share: object,
    people: object,
    *,
    at_least: object = 0,
    prior: object = "1/2",
    noise: Noise | None = None,
) -> Told:
    """Test whether a person was among those of a histogram, by the cell that they belong to.

    Args:
        count: What the histogram shows for the cell; None if it was left out as too small.
        share: The share of the population that belongs to the cell.
        people: How many the study had.
        at_least: Cells with fewer people are left out.
        prior: The probability of having been in it, before.
        noise: What was added to each cell, before small ones were left out.

    >>> str(membership_in_histogram(3, "1/100", 100, at_least=3).data["likelihood_ratio"])
    '3'
    """
    size = whole(people, "the number of people", at_least=1)
    limit = whole(at_least, "the limit of a cell")
    known, before = _uncertain(share, "share"), _uncertain(prior, "prior")
    shown = None if count is None else _count(count, noise)
    if shown is not None and shown < limit:
        raise InvalidInput(f"a cell of {shown} is shown though cells below {limit} are not")
    if shown is None and limit == 0 and noise is None:
        raise InvalidInput("no cell is left out when the limit is 0: give the count")
    if noise is not None and size > _MOST_NOISY:
        raise TooLarge(f"a noisy cell among {size:,} people: at most {_MOST_NOISY:,}")
    if shown is None and size > _MOST_PEOPLE:
        raise TooLarge(f"a hidden cell among {size:,} people: at most {_MOST_PEOPLE:,}")
    return _told(size, 1, factor(1, shown, size, known, limit, noise), before, noise)


def _told(
    people: int, attributes: int, ratio: Number, prior: Fraction, noise: Noise | None
) -> Told:
    """Say how published numbers change the odds that a person was in the study."""
    posterior = prior * ratio / (prior * ratio + 1 - prior)
    noisy = None if noise is None else f"noise: {noise.expression} on each"
    said = (
        f"{_likelihood(ratio)}: the probability of having taken part goes from "
        f"{exact_text(prior)} to {decimal(posterior, 4, 'about')}. "
        f"It was a study of {counted(people, 'person')}. {_BELIEF}"
        + (f" The counts carry {noisy}." if noisy else "")
    )
    believed = {"before": prior, "after": posterior}
    chart = Bars("Probability that this person took part", believed, grey=["before"])
    data = {
        "belief": _BELIEF,
        "people": people,
        "attributes": attributes,
        "noise": noisy,
        "prior": prior,
        "likelihood_ratio": ratio,
        "posterior": posterior,
        "explanation": said,
    }
    return Told(Answer.of(said, chart), data)


def _likelihood(ratio: Number) -> str:
    """Say a likelihood ratio, in against out."""
    if ratio == 1:
        return "The published numbers say nothing about whether this person took part"
    if ratio == 0:
        return "The published numbers rule out that this person took part"
    if _EQUAL < ratio < 1 / _EQUAL:
        return "The published numbers are about equally likely whether this person took part or not"
    by = decimal(ratio if ratio > 1 else 1 / ratio, 4, "about")
    part = "took part" if ratio > 1 else "did not take part"
    return f"The published numbers are {by} times as likely if this person {part}"


def read_study(path: Path, people: object, *, prior: object, epsilon: object) -> Told:
    """Test a person by a CSV file with columns person (0 or 1), count and share.

    Epsilon is what all counts cost together; None for exact ones.
    """
    head, *lines = read_lines(path, str(path)) or [[]]
    names = ("person", "count", "share")
    if not lines or not {*names} <= {*head} or any(len(line) < len(head) for line in lines):
        raise InvalidInput(f"{path} needs the columns person, count and share, and a line")
    noise = None
    if epsilon is not None:
        noise = shared_noise(positive(epsilon, "epsilon"), len(lines))
    person, counts, shares = ([line[head.index(name)] for line in lines] for name in names)
    return membership_in_means(person, counts, shares, people, prior=prior, noise=noise)


def shared_noise(epsilon: Number, counts: int) -> GeometricNoise:
    """Return the noise on each count where one person may change so many of them by 1."""
    return GeometricNoise(1 / power(exp(epsilon), Fraction(1, counts)))


def factor(
    bit: int,
    count: int | None,
    people: int,
    share: Fraction,
    at_least: int = 0,
    noise: Noise | None = None,
) -> Number:
    """Return P(count | in) / P(count | out), None being a count below ``at_least``, left out."""
    if noise is None and count is not None:
        if not 0 <= count <= people:
            raise InvalidInput(f"a count of {count} among {people} people is impossible")
        seen = Fraction(count, people)
        return seen / share if bit else (1 - seen) / (1 - share)

    def chance(others: int, own: int) -> Number:
        """Return the mean of the chance of what is shown, over a binomial number of others."""
        total: Number = Fraction(0)
        for k in range(others + 1 if noise else min(at_least - own, others + 1)):
            shown: Number = Fraction(1)
            if noise is not None:
                rest = (at_least if count is None else count) - own - k
                shown = 1 - noise.at_least(rest) if count is None else noise.pmf(rest)
            total = total + comb(others, k) * share**k * (1 - share) ** (others - k) * shown
        return total

    return chance(people - 1, bit) / chance(people, 0)


def _count(value: object, noise: Noise | None) -> int:
    """Read a count; with noise it may be below 0."""
    if noise is None:
        return whole(value, "a count")
    found = rational(value, "a count")
    if found.denominator > 1:
        raise InvalidInput(f"a count is {value!r}, no whole number")
    return int(found)


def _uncertain(value: object, name: str) -> Fraction:
    """Read a probability that is no certainty."""
    found = probability(value, name)
    if not 0 < found < 1:
        raise InvalidInput(f"{name}={found} must lie strictly between 0 and 1")
    return found


# --- made-up studies ------------------------------------------------------------------------------

_MOST_ENTRIES = 50_000_000
_MOST_CELLS = 1000
_MOST_MADE_UP = 10_000


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
        law = shared_noise(loss, many)
        counts = counts + _drawn(law, many, rng)
    no, yes = (log_factors(bit, counts, size, shares, law) for bit in (0, 1))
    inside, outside = (np.where(some, yes, no).sum(axis=1) for some in (members, outsiders))
    sizes = {"people": size, "attributes": many}
    return _told_apart(inside, outside, sizes, start, loss, engine=engine)


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
    if many > _MOST_CELLS or size > _MOST_MADE_UP:
        raise TooLarge(
            f"{size:,} people in {many:,} cells: at most {_MOST_MADE_UP:,} people and "
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
        law = shared_noise(loss, 2)
        counts = counts + _drawn(law, many, rng)
    logs = log_factors(1, counts, size, shares, law, limit)
    sizes = {"people": size, "cells": many, "at_least": limit}
    return _told_apart(logs[members], logs[outsiders], sizes, start, loss, engine=engine)


def _setting(
    people: object, epsilon: object, seed: object, *, engine: bool
) -> tuple[int, Number | None, int]:
    loss = None if epsilon is None else positive(epsilon, "epsilon")
    if engine and loss is None:
        raise InvalidInput("the release engine needs an epsilon")
    return whole(people, "the number of people", at_least=1), loss, whole(seed, "the seed")


def _told_apart(
    inside: np.ndarray,
    outside: np.ndarray,
    sizes: Mapping[str, int],
    seed: int,
    epsilon: Number | None,
    *,
    engine: bool,
) -> Told:
    """Say how well members are told from outsiders, by logarithms of their likelihood ratios."""
    members, outsiders = (float((each > 0).mean()) for each in (inside, outside))
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
        f"takes {share_text(members)} of the members for members, and so "
        f"{share_text(outsiders)} of as many outsiders; it is right for "
        f"{share_text(right)} of these people, a coin for 50%."
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
    columns = [Column(name, "integer", Fraction(0), listed[-1], keys=listed) for name in names]
    with made_up_engine(columns, lines, epsilon) as curator:
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

    As `factor`, in floats, for all counts at once.
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
