"""The likeliest law with a little noise: what differential privacy costs the estimate.

`twoworlds.mechanisms.on_statistic` has the mechanism and the proof of its epsilon. Here it is
measured for a family of laws, beside how often it names the true law, and how often the exact
estimate does:

    P(named j | j true) = sum over counts c of  n!/c! f_j^c  P(j | c) ,   the least over j.

Unlike the exact estimate it needs no belief: epsilon holds against whoever knows all other entries.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb, prod

from twoworlds.definitions import DifferentialPrivacy
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms.named.maps import tempered_map
from twoworlds.mechanisms.on_statistic import OnStatistic, Tempered, spread
from twoworlds.noiseless.estimates.counting import Counting, Counts, samples
from twoworlds.noiseless.estimates.family import LawFamily
from twoworlds.numbers import Number, exact_text, ln, show, whole

_MOST_SAMPLES = 5000


def tempered(
    laws: object,
    *,
    people: object,
    power: object = None,
    epsilon: object = None,
    weights: object = None,
) -> Verdict:
    """Measure the likeliest law, named with noise: exact epsilon, and how often it is right.

    >>> coins = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
    >>> found = tempered(coins, people=3, power=1)
    >>> found.ratio, found.right_at_least, found.exact_estimate_right_at_least
    (Fraction(7, 1), Fraction(85, 112), Fraction(27, 32))
    """
    family = LawFamily.of(laws, weights)  # type: ignore[arg-type]
    size, kinds = whole(people, "people", at_least=1), family.kinds
    if len(kinds) < 2:
        raise InvalidInput("the laws are all the same: there is nothing to name")
    if comb(size + len(kinds) - 1, size) > _MOST_SAMPLES:
        raise TooLarge(
            f"people={size} with {len(kinds)} kinds of entry: more than {_MOST_SAMPLES:,} lists of "
            "counts; use fewer people, or measure tempered-map(...) by its bound"
        )
    rows = [[kind.masses[j] for kind in kinds] for j in range(len(family.laws))]
    made = tempered_map(
        rows,
        people=size,
        power=power,
        epsilon=epsilon,
        values=[kind.values[0] for kind in kinds],
        weights=None if weights is None else list(family.weights),
    )
    assert isinstance(made.channel, Tempered)
    found = DifferentialPrivacy().tightest(made)
    t, widest = made.channel.exponent, spread(made.channel.laws)
    right, exact = _right(made, family, size), _exactly_right(family, size)
    values = {
        "power": t,
        "bound": t * ln(widest),
        "right_at_least": right,
        "exact_estimate_right_at_least": exact,
    }
    notes = (
        f"epsilon is at most the bound, power times ln {exact_text(widest)}, for any number of "
        "people: one changed entry moves the odds between two laws by no more than that",
        "the law that is hardest to find is named, when it is true, with probability "
        f"{show(right, side='at least')}; without noise with {show(exact, side='at least')}",
    )
    return replace(found, values={**found.values, **values}, notes=(*notes, *found.notes))


def _right(made: OnStatistic, family: LawFamily, people: int) -> Number:
    """Return the least probability with which the true law is named."""
    rows = made.channel.laws  # type: ignore[attr-defined]
    listed = list(samples(people, len(family.kinds)))
    found: list[Number] = []
    for j, law in enumerate(rows, start=1):
        chances = (_ways(c) * prod(f**n for f, n in zip(law, c, strict=True)) for c in listed)
        terms = (p * made.channel.probability(j, c) for p, c in zip(chances, listed, strict=True))
        found.append(sum(terms, start=Fraction(0)))
    return _least(found)


def _exactly_right(family: LawFamily, people: int) -> Fraction:
    counting, nothing = Counting(family, people), (0,) * len(family.kinds)
    scale = counting.denominator**people
    laws = range(len(family.laws))
    return min(Fraction(counting.outcome(j, nothing, people, people)[j], scale) for j in laws)


def _ways(counts: Counts) -> int:
    left, ways = sum(counts), 1
    for c in counts:
        ways, left = ways * comb(left, c), left - c
    return ways


def _least(numbers: list[Number]) -> Number:
    best = numbers[0]
    for one in numbers[1:]:
        best = one if larger(best, one) else best
    return best
