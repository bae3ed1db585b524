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
is a ratio of two sums over true counts (`noisy_factor`), and the product stays within e^-eps and
e^eps, where epsilon is the cost of all counts.

*Histograms.* A histogram that leaves out cells below a limit is no protection either: what is
left out tells something too. The person's cell holds c of n people, or is left out; with share p
of the population in it, P(c | in) / P(c | out) = c / (n p) again, and for a cell that is left out
the ratio of the two chances to stay below the limit (`histogram_factor`). With noise that was added
before cells were left out, all of these are chances of sums, as above.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod
from pathlib import Path
from typing import Any

from twoworlds.answer import Answer
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import GeometricNoise, Noise
from twoworlds.numbers import (
    Number,
    decimal,
    exact_text,
    exp,
    positive,
    power,
    probability,
    whole,
)
from twoworlds.show import Result

_MOST_PEOPLE = 20_000
_EQUAL = Fraction(2000, 2001)  # a likelihood ratio so near 1 is not given in digits
_MOST_TERMS = 100_000
_MOST_NOISY = 2_000
_BELIEF = (
    "The people of the study were drawn independently from the population of which the shares are "
    "known, and attributes are independent."
)


@dataclass(frozen=True)
class Membership(Result):
    """How published numbers change the odds that a person was in the study."""

    people: int  # how many people the study had
    ratio: Number  # the likelihood ratio, in against out
    prior: Fraction  # the probability of having been in it, before
    factors: tuple[Number, ...]  # the factor of each attribute or cell
    noise: str = ""  # what was added to the counts, in words; empty for nothing

    @property
    def posterior(self) -> Number:
        """The probability of having been in the study, afterwards."""
        with_ratio = self.prior * self.ratio
        return with_ratio / (with_ratio + 1 - self.prior)

    def answer(self) -> Answer:
        """Say what the numbers tell, and what that rests on."""
        believed = {"before": self.prior, "after": self.posterior}
        title = "Probability that this person took part"
        return Answer.of(self.sentences(), Bars(title, believed, grey=["before"]))

    def sentences(self) -> str:
        """Return in words what the numbers tell, and what that rests on."""
        if self.ratio == 1:
            told = "The published numbers say nothing about whether this person took part"
        elif self.ratio == 0:
            told = "The published numbers rule out that this person took part"
        elif _EQUAL < self.ratio < 1 / _EQUAL:
            told = (
                "The published numbers are about equally likely whether this person took part or "
                "not"
            )
        else:
            likelier = self.ratio > 1
            by = decimal(self.ratio if likelier else 1 / self.ratio, 4, "about")
            told = (
                f"The published numbers are {by} times as likely if this person "
                f"{'took part' if likelier else 'did not take part'}"
            )
        return (
            f"{told}: the probability of having taken "
            f"part goes from {exact_text(self.prior)} to {decimal(self.posterior, 4, 'about')}. "
            f"It was a study of {self.people:,} people. {_BELIEF}"
            + (f" The counts carry {self.noise}." if self.noise else "")
        )

    def fields(self) -> dict[str, Any]:
        """Return the ratio, and the belief before and after."""
        return {
            "belief": _BELIEF,
            "people": self.people,
            "attributes": len(self.factors),
            "noise": self.noise or None,
            "prior": self.prior,
            "likelihood_ratio": self.ratio,
            "posterior": self.posterior,
            "explanation": self.sentences(),
        }


def membership_in_means(
    person: Sequence[object],
    counts: Sequence[object],
    shares: Sequence[object],
    people: object,
    *,
    prior: object = "1/2",
    noise: Noise | None = None,
) -> Membership:
    """Test whether a person was among those whose means were published.

    Args:
        person: Their own answers, 0 or 1 for each attribute.
        counts: How many said yes, published; with noise, any whole number.
        shares: The share of yes in the population, strictly between 0 and 1.
        people: How many the study had.
        prior: The probability of having been in it, before.
        noise: What was added to each count.

    >>> found = membership_in_means([1, 0], [3, 0], ["1/2", "1/2"], 4)
    >>> str(found.ratio), str(found.posterior)
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
    known = [_share(share) for share in shares]
    before = _prior(prior)
    if noise is not None and size * len(bits) > _MOST_TERMS:
        raise TooLarge(
            f"{size:,} people with {len(bits):,} noisy counts: at most {_MOST_TERMS:,} of both "
            "multiplied; take fewer attributes"
        )
    read = whole if noise is None else _signed
    factors = tuple(
        _factor(bit, read(count, "a count"), size, share, noise)
        for bit, count, share in zip(bits, counts, known, strict=True)
    )
    words = "" if noise is None else f"noise: {noise.expression} on each"
    return Membership(size, prod(factors, start=Fraction(1)), before, factors, words)


def mean_factor(bit: int, count: int, people: int, share: Fraction) -> Fraction:
    """Return P(count | in) / P(count | out) for one attribute, from an exact count."""
    if not 0 <= count <= people:
        raise InvalidInput(f"a count of {count} among {people} people is impossible")
    seen = Fraction(count, people)
    return seen / share if bit else (1 - seen) / (1 - share)


def noisy_factor(bit: int, count: int, people: int, share: Fraction, noise: Noise) -> Number:
    """Return P(count | in) / P(count | out) for one attribute whose count carries noise."""
    inside = _smoothed(count - bit, people - 1, share, noise)
    return inside / _smoothed(count, people, share, noise)


def _factor(bit: int, count: int, people: int, share: Fraction, noise: Noise | None) -> Number:
    if noise is None:
        return mean_factor(bit, count, people, share)
    return noisy_factor(bit, count, people, share, noise)


def _smoothed(count: int, people: int, share: Fraction, noise: Noise) -> Number:
    """Return P(binomial + noise = count)."""
    return _mean(people, share, lambda k: noise.pmf(count - k))


def _mean(people: int, share: Fraction, value: Callable[[int], Number]) -> Number:
    """Return the mean of a function of a binomial number of people."""
    total: Number = Fraction(0)
    for k in range(people + 1):
        weight = comb(people, k) * share**k * (1 - share) ** (people - k)
        total = total + weight * value(k)
    return total


def membership_in_histogram(
    count: object,
    share: object,
    people: object,
    *,
    at_least: object = 0,
    prior: object = "1/2",
    noise: Noise | None = None,
) -> Membership:
    """Test whether a person was among those of a histogram, by the cell that they belong to.

    Args:
        count: What the histogram shows for the cell; None if it was left out as too small.
        share: The share of the population that belongs to the cell.
        people: How many the study had.
        at_least: Cells with fewer people are left out.
        prior: The probability of having been in it, before.
        noise: What was added to each cell, before small ones were left out.

    >>> str(membership_in_histogram(3, "1/100", 100, at_least=3).ratio)
    '3'
    """
    size = whole(people, "the number of people", at_least=1)
    limit = whole(at_least, "the limit of a cell")
    known, before = _share(share), _prior(prior)
    read = whole if noise is None else _signed
    shown = None if count is None else read(count, "a count")
    factor = histogram_factor(shown, size, known, limit, noise)
    words = "" if noise is None else f"noise: {noise.expression} on each"
    return Membership(size, factor, before, (factor,), words)


def cell_noise(epsilon: Number) -> GeometricNoise:
    """Return the noise on each cell of a histogram in which one person may change cells."""
    return GeometricNoise(1 / power(exp(epsilon), Fraction(1, 2)))


def read_study(path: Path, people: object, *, prior: object, epsilon: object) -> Membership:
    """Test a person by a CSV file with columns person (0 or 1), count and share.

    Epsilon is what all counts cost together; None for exact ones.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from None
    for name in ("person", "count", "share"):
        if not rows or rows[0].get(name) is None:
            raise InvalidInput(f"{path} needs the columns person, count and share, and a line")
    noise = None
    if epsilon is not None:
        all_of_it = exp(positive(epsilon, "epsilon"))
        noise = GeometricNoise(1 / power(all_of_it, Fraction(1, len(rows))))
    person, counts, shares = ([row[n] for row in rows] for n in ("person", "count", "share"))
    return membership_in_means(person, counts, shares, people, prior=prior, noise=noise)


def histogram_factor(
    count: int | None, people: int, share: Fraction, at_least: int, noise: Noise | None = None
) -> Number:
    """Return P(what is shown | in) / P(what is shown | out) for the person's own cell."""
    if count is not None and count < at_least:
        raise InvalidInput(f"a cell of {count} is shown though cells below {at_least} are not")
    if count is None and at_least == 0 and noise is None:
        raise InvalidInput("no cell is left out when the limit is 0: give the count")
    if noise is not None and people > _MOST_NOISY:
        raise TooLarge(f"a noisy cell among {people:,} people: at most {_MOST_NOISY:,}")
    if count is not None:
        return _factor(1, count, people, share, noise)
    if people > _MOST_PEOPLE:
        raise TooLarge(f"a hidden cell among {people:,} people: at most {_MOST_PEOPLE:,}")
    inside = _below(at_least - 1, people - 1, share, noise)
    return inside / _below(at_least, people, share, noise)


def _below(limit: int, people: int, share: Fraction, noise: Noise | None) -> Number:
    """Return P(binomial + noise < limit)."""
    if noise is not None:
        return _mean(people, share, lambda k: 1 - noise.at_least(limit - k))
    return sum(
        (
            comb(people, k) * share**k * (1 - share) ** (people - k)
            for k in range(min(limit, people + 1))
        ),
        Fraction(0),
    )


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


def _signed(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        try:
            return int(str(value))
        except ValueError:
            raise InvalidInput(f"{name} is {value!r}, no whole number") from None
    return value
