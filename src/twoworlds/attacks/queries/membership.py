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
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, prod
from pathlib import Path

from twoworlds.answer import Answer
from twoworlds.attacks.tables.table import read_lines
from twoworlds.charts import Bars
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
from twoworlds.show import Told

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
        factor(bit, _count(count, noise), size, _share(share), noise=noise)
        for bit, count, share in zip(bits, counts, shares, strict=True)
    ]
    return _told(size, len(bits), prod(factors, start=Fraction(1)), _prior(prior), noise)


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
    known, before = _share(share), _prior(prior)
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
        all_of_it = exp(positive(epsilon, "epsilon"))
        noise = GeometricNoise(1 / power(all_of_it, Fraction(1, len(lines))))
    person, counts, shares = ([line[head.index(name)] for line in lines] for name in names)
    return membership_in_means(person, counts, shares, people, prior=prior, noise=noise)


def cell_noise(epsilon: Number) -> GeometricNoise:
    """Return the noise on each cell of a histogram in which one person may change cells."""
    return GeometricNoise(1 / power(exp(epsilon), Fraction(1, 2)))


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


def _share(value: object) -> Fraction:
    found = probability(value, "a share of the population")
    if not 0 < found < 1:
        raise InvalidInput(f"a share of {found} in the population: it must lie between 0 and 1")
    return found


def _prior(value: object) -> Fraction:
    found = probability(value, "prior")
    if not 0 < found < 1:
        raise InvalidInput(f"prior={found} is certainty already: it must lie between 0 and 1")
    return found
