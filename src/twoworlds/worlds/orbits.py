"""People who are alike: one database stands for all that differ in the order of the others.

`Orbits` is a universe of records up to the order of all people but the first. A point is the record
of person 1 followed by the records of the others in a fixed order, and stands for every database
with that first record and those others, however ordered. Of n bits there are 2 n such points where
there are 2^n databases.

That is enough where people are alike. Let the belief be exchangeable given Z (independent records
with one law, or a mixture of such), and let the release depend only on how often each value occurs.
Then P(X_i = v, X_-i = y | z) is the same for every person i and every order of y, so that all
persons have the same two worlds, and a simulator s(t | y) is as good as its average over the orders
of y: Q(v, t) = sum_y P(v, y | z) s(t | y) is the same sum. A simulator that is told who is missing
may answer person by person, and finds the same problem each time.

Where the others matter through their sum alone, one list of records stands for all with that sum:
of 1,000 records 0, 1, 2 there are 3 times 1,999 points, and 1,501,500 by how often each value
occurs. That is so if nobody sees more of the others than the release does: there is no simulator,
or it runs the release, or it may ignore what is left, as one belief holds the records independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb

from twoworlds.numbers import Number
from twoworlds.worlds.records import Records
from twoworlds.worlds.statistic import Additive
from twoworlds.worlds.universe import Point


class Orbits(Records):
    """Records up to the order of all people but the first, or up to the others' sum.

    >>> [*Orbits(Records("ab", 3))]
    [('a', 'a', 'a'), ('a', 'a', 'b'), ('a', 'b', 'b'), ('b', 'a', 'a'), ('b', 'a', 'b'), \
('b', 'b', 'b')]
    """

    def __init__(self, records: Records, sum_of: Additive | None = None) -> None:
        super().__init__(records.values, records.n)
        self.sum_of = sum_of

    @property
    def size(self) -> int:
        """The number of points, or a bound on it where they stand for sums."""
        kinds = len(self.values)
        if self.sum_of is not None:
            return kinds * self.sum_of.most_sums(self.values, self.n - 1)
        return kinds * comb(self.n + kinds - 2, kinds - 1)

    @property
    def members(self) -> tuple[int, ...]:
        """The person who stands for all."""
        return (1,)

    def __iter__(self) -> Iterator[tuple[Point, ...]]:
        for first in self.values:
            for others in combinations_with_replacement(self.values, self.n - 1):
                yield (first, *others)

    def independent(self, law: Mapping[Point, Number]) -> dict[Point, Number]:
        """Return the probabilities of the points when every record has one law.

        P(v, others) = p(v) (n - 1)! / (k_1! k_2! ...) p(1)^k_1 p(2)^k_2 ...

        >>> Orbits(Records("ab", 3)).independent({"a": Fraction(1, 2), "b": Fraction(1, 2)})[
        ...     "a", "a", "b"
        ... ]
        Fraction(1, 4)
        """
        values = [value for value in self.values if value in law]
        found: dict[Point, Number] = {}
        if self.sum_of is not None:
            rational = {v: p for v in values if isinstance(p := law[v], Fraction)}
            for others, mass in self.sum_of.weighted(rational, self.n - 1).items():
                found.update({(v, *others): law[v] * mass for v in values})
            return found
        powers = {value: _powers(p, self.n) for value, p in law.items()}
        for others in combinations_with_replacement(values, self.n - 1):
            mass, left = Fraction(1), self.n - 1
            for value, times in Counter(others).items():
                mass = mass * comb(left, times) * powers[value][times]  # type: ignore[assignment]
                left -= times
            found.update({(v, *others): law[v] * mass for v in values})
        return found


def _powers(p: Number, most: int) -> list[Number]:
    found: list[Number] = [Fraction(1)]
    for _ in range(most):
        found.append(found[-1] * p)
    return found
