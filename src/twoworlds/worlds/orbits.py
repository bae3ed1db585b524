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

Where the others matter through their sum alone, a point is the record of person 1 with that sum:
of 1,000 records 0, 1, 2 there are 3 times 1,999 points, and 1,501,500 by how often each value
occurs. For what is released of independent records, or of a mixture of such, that is so; and for a
simulator that runs the release.

The best simulator learns from the others which of several laws holds, and nothing else: if y and y'
have probabilities P_1, ..., P_k by the laws in the same proportion, they are one input. The
logarithms of P_j(y) / P_1(y) are a sum over records too (`likelihood`), so that one list of others
stands for all of one such sum. Of one law there is one, and of bits one for each count.

Where even sums are too many, as of tables of three cells, only the likely ones are listed
(`multinomial`): each with a little less than its probability, so that what is missing from 1 in all
bounds how far any event's probability is off.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from math import comb

from flint import fmpz

from twoworlds.errors import TooLarge
from twoworlds.numbers import Number
from twoworlds.worlds.records import Records
from twoworlds.worlds.statistic import Additive, Sum, Value
from twoworlds.worlds.universe import Point

_PARTS = 1 << 96
_LEAST = _PARTS >> 42
_MOST_LIKELY = 1 << 16
_TRIED = 1 << 16


class Orbits(Records):
    """Records up to the order of all people but the first, or up to the others' sum.

    Of sums, the point names the sum, or one list of others that has it (``example``).

    >>> [*Orbits(Records("ab", 3))]
    [('a', 'a', 'a'), ('a', 'a', 'b'), ('a', 'b', 'b'), ('b', 'a', 'a'), ('b', 'a', 'b'), \
('b', 'b', 'b')]
    """

    def __init__(
        self,
        records: Records,
        sum_of: Additive | None = None,
        *,
        likely: bool = False,
        example: bool = False,
    ) -> None:
        super().__init__(records.values, records.n)
        self.sum_of, self.likely, self.example = sum_of, likely, example

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

    @cached_property
    def _examples(self) -> dict[Value, tuple[Point, ...]]:
        assert self.sum_of is not None
        return self.sum_of.examples(self.values, self.n - 1)

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
            masses = {v: p for v in values if isinstance(p := law[v], Fraction)}
            if self.likely:
                lists = multinomial([*masses.values()], self.n - 1)
                sums = self.sum_of.of_counts(values, lists)
            else:
                sums = self.sum_of.weighted(masses, self.n - 1)
            for total, mass in sums.items():
                others = self._examples[total] if self.example else (Sum(total),)
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


def likelihood(values: Sequence[Point], laws: Sequence[Mapping[Point, Fraction]]) -> Additive:
    """Return the sum over records that tells in which proportion the laws hold a list likely.

    A record of value v adds the exponents of the factors of p_j(v), for each law j, relative to the
    first law that is not 0 there; of a law that is 0 there it is counted. Where all these vectors
    lie on one line, their places on it are added up instead.

    >>> bits = [{0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: Fraction(1, 3), 1: Fraction(2, 3)}]
    >>> likelihood([0, 1], bits).phi(1) == 1, likelihood([0, 1], bits[:1]).phi(1) == 0
    (True, True)
    """
    parts: dict[Point, Counter[tuple[int, int]]] = {v: Counter() for v in values}
    for v, part in parts.items():
        first = next((p for law in laws if (p := law.get(v, Fraction(0)))), Fraction(1))
        for j, law in enumerate(laws):
            p = law.get(v, Fraction(0)) / first
            if p == 0:
                part[j, 0] = 1
            else:
                part.update({(j, int(q)): e for q, e in _factors(p.numerator)})
                part.subtract({(j, int(q)): e for q, e in _factors(p.denominator)})
    axes = sorted({axis for part in parts.values() for axis in part})
    start = parts[values[0]]
    moved = {v: [part[axis] - start[axis] for axis in axes] for v, part in parts.items()}
    line = next((vector for vector in moved.values() if any(vector)), [])
    at = next((k for k, x in enumerate(line) if x), 0)
    places = {v: Fraction(vector[at], line[at]) if line else 0 for v, vector in moved.items()}
    if all(vector == [places[v] * x for x in line] for v, vector in moved.items()):
        return Additive(places.__getitem__, name="likelihood")
    return Additive(moved.__getitem__, dimension=len(axes), name="likelihood")


def _factors(x: int) -> list[tuple[fmpz, int]]:
    """Return small primes of a number, and what is left: to split that, too, makes sums fewer."""
    return fmpz(x).factor(trial_limit=_TRIED)


def multinomial(law: Sequence[Fraction], count: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield how often each value may occur in so many draws, with its probability, rounded down.

    Lists of probability below 2^-42 are left out.

    >>> dict(multinomial([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], 2))[1, 0, 1]
    Fraction(1, 4)
    """
    _require_few(law, count)
    waiting: list[tuple[tuple[int, ...], int, int]] = [((), count, _PARTS)]
    left = Fraction(1)
    for p in law[:-1]:
        waiting = [
            ((*counts, k), rest - k, more)
            for counts, rest, mass in waiting
            for k, q in _binomial(rest, p / left)
            if (more := mass * q // _PARTS) >= _LEAST
        ]
        left -= p
    return (((*counts, rest), Fraction(mass, _PARTS)) for counts, rest, mass in waiting)


@lru_cache(1 << 12)
def _binomial(count: int, p: Fraction) -> list[tuple[int, int]]:
    """Return the likely numbers of successes, with their probabilities in parts, rounded down."""
    yes, no = p.numerator, p.denominator - p.numerator
    middle = min(count, (count + 1) * yes // p.denominator)
    peak = comb(count, middle) * yes**middle * no ** (count - middle) * _PARTS
    found, mass = [], peak // p.denominator**count
    for k in range(middle, count + 1):
        if mass < _LEAST:
            break
        found.append((k, mass))
        mass = mass * (count - k) * yes // ((k + 1) * no)
    mass = found[0][1]
    for k in range(middle, 0, -1):
        mass = mass * k * no // ((count - k + 1) * yes)
        if mass < _LEAST:
            break
        found.append((k - 1, mass))
    return found


def _require_few(law: Sequence[Fraction], count: int) -> None:
    """Refuse lists that are too many, by the volume of an ellipsoid around the mean.

    Where normal, the probability is peak exp(-r^2 / 2): it is at least 2^-42 up to a radius r.
    """

    def likely(n: int) -> int:
        places = len(law) - 1
        side = math.sqrt(math.prod(map(float, law)) * math.pow(max(1, n), places))
        peak = (2 * math.pi) ** (-places / 2) / side
        radius = math.sqrt(max(0.0, 2 * math.log(peak * float(_PARTS // _LEAST))))
        volume = math.pi ** (places / 2) / math.gamma(places / 2 + 1)
        return int(volume * radius**places * side)

    if likely(count) > _MOST_LIKELY:
        most = bisect(range(1, count), _MOST_LIKELY, key=likely)
        raise TooLarge(
            f"{count + 1:,} records of {len(law)} values have about {likely(count):,} likely "
            f"tables, at most {_MOST_LIKELY:,} are listed: {most:,} such records would do"
        )


def _powers(p: Number, most: int) -> list[Number]:
    found: list[Number] = [Fraction(1)]
    for _ in range(most):
        found.append(found[-1] * p)
    return found
