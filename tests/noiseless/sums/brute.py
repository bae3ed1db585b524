"""Totals by enumerating every table: slow, plain and independent of the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

Law = Mapping[Fraction, Fraction]


def law_of_sum(laws: Sequence[Law], plus: Fraction = Fraction(0)) -> dict[Fraction, Fraction]:
    """Return the law of a constant plus the sum of independent entries, table by table."""
    found: dict[Fraction, Fraction] = {}
    for table in product(*(law.items() for law in laws)):
        chance = Fraction(1)
        for _, mass in table:
            chance *= mass
        total = plus + sum((value for value, _ in table), Fraction(0))
        found[total] = found.get(total, Fraction(0)) + chance
    return found


def hockey_stick(p: Law, q: Law, ratio: Fraction) -> Fraction:
    """Return the largest P(E) - r Q(E)."""
    excess = (p.get(t, Fraction(0)) - ratio * q.get(t, Fraction(0)) for t in {*p, *q})
    return sum((x for x in excess if x > 0), Fraction(0))


def both(p: Law, q: Law, ratio: Fraction) -> Fraction:
    """Return the larger of both directions."""
    return max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio))


def delta(
    people: Sequence[Law], known: int, ratio: Fraction, how: str, centre: Fraction = Fraction(0)
) -> Fraction:
    """Return the worst delta over persons (known ones too), known sets and values."""
    everybody = range(len(people))
    return max(person_delta(people, i, known, ratio, how, centre) for i in everybody)


def person_delta(
    people: Sequence[Law],
    person: int,
    known: int,
    ratio: Fraction,
    how: str,
    centre: Fraction = Fraction(0),
) -> Fraction:
    """Return the worst delta for one person over known sets and values."""
    worst = Fraction(0)
    everybody = range(len(people))
    for told in combinations(everybody, known):
        others = [people[i] for i in everybody if i != person and i not in told]
        if how == "noiseless" and person in told:
            continue
        for value in people[person]:
            real = law_of_sum(others, value)
            if how == "noiseless":
                rivals = [law_of_sum(others, other) for other in people[person]]
            elif how == "resampled":
                rivals = [law_of_sum([*others, people[person]])]
            else:
                rivals = [law_of_sum(others, centre if how == "centred" else Fraction(0))]
            worst = max([worst, *(both(real, rival, ratio) for rival in rivals)])
    return worst
