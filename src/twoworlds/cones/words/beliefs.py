r"""Beliefs found in the coefficients of an inequality, and how to say them.

The coefficients c of a guarantee on databases of k records may be a product,

    c_D = f_1(D_1) f_2(D_2) ... f_k(D_k),

and then the belief proportional to |c| holds the records independent, record i having the law
|f_i| / sum |f_i|. The sign of c is the product of the signs of the f_i: the positive databases are
those with an even number of records whose factor is negative, which is a parity of the records
whose factor takes both signs (Lin & Kifer, Section 5.1). The test is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, product
from math import gcd, prod

from twoworlds.cones.kernel.vectors import Vector, divided
from twoworlds.worlds import Explicit, Point, Records, Universe

__all__ = [
    "Wording",
    "as_records",
    "factorise",
    "joined",
    "law_of",
    "listed_belief",
    "multiplied",
    "named_set",
]

_MOST_NAMED = 8
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def as_records(universe: Universe) -> Records | None:
    """Read a universe as lists of records: one that is, or equal-length digits in order.

    >>> as_records(Universe.of(["11", "10", "01", "00"])).values
    ('1', '0')
    """
    if isinstance(universe, Records):
        return universe if universe.fixed and universe.n else None
    if not isinstance(universe, Explicit) or not all(
        isinstance(point, str) and point.isdigit() for point in universe.points
    ):
        return None
    length = len(universe.points[0])
    values = tuple(dict.fromkeys(c for point in universe.points for c in point))
    if length < 2 or len(universe.points) != len(values) ** length:
        return None
    words = ("".join(word) for word in product(values, repeat=length))
    return Records(values, length) if tuple(words) == universe.points else None


def factorise(records: Records, coefficients: Vector) -> tuple[Vector, ...] | None:
    """Write coefficients as a product of one factor per record, or return None.

    The last factor carries the sign and size; the others are primitive, their first entry that is
    not 0 being positive.

    >>> from twoworlds import BitStrings
    >>> factorise(BitStrings(2), (-3, 9, 1, -3))
    ((3, -1), (-1, 3))
    >>> factorise(BitStrings(2), (1, 0, 0, 1)) is None
    True
    """
    rest: Sequence[int] = coefficients
    found: list[Vector] = []
    for _ in range(records.n - 1):
        width = len(rest) // len(records.values)
        place = next((i for i, c in enumerate(rest) if c), None)
        if place is None:
            return None
        pivot = place % width
        blocks = [rest[start : start + width] for start in range(0, len(rest), width)]
        base = blocks[place // width]
        head = [block[pivot] for block in blocks]
        for block, h in zip(blocks, head, strict=True):
            if any(base[pivot] * c != h * b for b, c in zip(base, block, strict=True)):
                return None
        common = gcd(*head) * (1 if base[pivot] > 0 else -1)
        found.append(tuple(h // common for h in head))
        rest = [c * common // base[pivot] for c in base]
    return (*found, divided(rest)) if any(rest) else None


def law_of(factor: Sequence[int]) -> tuple[Fraction, ...]:
    """Return |f| / sum |f|, the law of one record.

    >>> law_of((3, -1))
    (Fraction(3, 4), Fraction(1, 4))
    """
    total = sum(abs(c) for c in factor)
    return tuple(Fraction(abs(c), total) for c in factor)


def multiplied(factors: Iterable[Fraction]) -> Fraction:
    """Multiply, equal factors as a power, and reduce once: made for very many factors.

    >>> multiplied([Fraction(1, 2)] * 3 + [Fraction(2, 3)])
    Fraction(1, 12)
    """
    powers = [factor**times for factor, times in Counter(factors).items()]
    return Fraction(prod(p.numerator for p in powers), prod(p.denominator for p in powers))


def joined(parts: Sequence[str], last: str = "and") -> str:
    """Join words with commas.

    >>> joined(["1", "2", "3"])
    '1, 2 and 3'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


class Wording:
    """The words for records: answers that are yes or no for bits, values otherwise.

    >>> from twoworlds import BitStrings
    >>> Wording(BitStrings(2)).independent([(Fraction(3, 4), Fraction(1, 4))] * 2)
    'the two answers are independent, each yes with probability 3/4'
    """

    def __init__(self, records: Records) -> None:
        """Take the records to speak of."""
        self.values = records.values
        self.n = records.n
        self.bits = sorted(map(str, records.values)) == ["0", "1"]
        self.noun = "answer" if self.bits else "record"

    def value(self, value: Point) -> str:
        """Name one value of a record."""
        return {"1": "yes", "0": "no"}[str(value)] if self.bits else str(value)

    def law(self, law: Sequence[Fraction]) -> str:
        """Say the law of one record."""
        pairs = [(self.value(v), p) for v, p in zip(self.values, law, strict=True) if p]
        if len(pairs) == 1:
            return f"certainly {pairs[0][0]}"
        if self.bits:
            return f"yes with probability {dict(pairs)['yes']}"
        if len({p for _, p in pairs}) == 1:
            return f"{joined([name for name, _ in pairs], 'or')}, equally likely"
        return joined([f"{name} with probability {p}" for name, p in pairs], "or")

    def independent(self, laws: Sequence[Sequence[Fraction]]) -> str:
        """Say a belief in which the records are independent."""
        spoken = [self.law(law) for law in laws]
        if self.n == 1:
            return f"the {self.noun} is {spoken[0]}"
        count = _SMALL[self.n] if self.n < len(_SMALL) else str(self.n)
        if len(set(spoken)) == 1:
            return f"the {count} {self.noun}s are independent, each {spoken[0]}"
        return f"the {count} {self.noun}s are independent, {self.each(spoken)}"

    def each(self, spoken: Sequence[str], persons: Sequence[int] | None = None) -> str:
        """Say something of every person, those of whom the same is true together."""
        numbers = range(1, len(spoken) + 1) if persons is None else persons
        of: dict[str, list[int]] = {}
        for person, text in zip(numbers, spoken, strict=True):
            of.setdefault(text, []).append(person)
        parts = [
            f"{'that' if len(who) == 1 else 'those'} of {self.persons(who)} {text}"
            for text, who in of.items()
        ]
        return ", ".join(parts)

    def persons(self, numbers: Iterable[int]) -> str:
        """Name persons by their numbers, runs of three and more as such.

        >>> from twoworlds import BitStrings
        >>> Wording(BitStrings(9)).persons([1, 3, 4, 5, 9])
        'persons 1, 3 to 5 and 9'
        """
        parts: list[str] = []
        for _, run in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
            run_of = [number for _, number in run]
            long = len(run_of) > 2
            parts += [f"{run_of[0]} to {run_of[-1]}"] if long else [str(i) for i in run_of]
        single = len(parts) == 1 and parts[0].isdigit()
        return f"{'person' if single else 'persons'} {joined(parts)}"

    def parity(self, factors: Sequence[Sequence[int]]) -> tuple[str, str]:
        """Name the databases where the product of the factors is positive, and the others."""
        inside = [i for i, f in enumerate(factors) if min(f) < 0 < max(f)]
        flipped = sum(max(f) <= 0 for f in factors) % 2
        where = "" if len(inside) == self.n else f" among {self.persons(i + 1 for i in inside)}"
        first = self._counted([factors[i] for i in inside])
        events = {self._negative(factors[i]) for i in inside}
        if first is None and len(events) == 1:
            of = f"an {_parity(flipped)} number of records {events.pop()}{where}"
            return of, f"an {_parity(not flipped)} one"
        if first is None:
            listed = "; ".join(self._event(i, factors[i]) for i in inside)
            of = f"an {_parity(flipped)} number of these events ({listed})"
            return of, f"an {_parity(not flipped)} one"
        name = "yeses" if self.bits else f"records {self.value(self.values[first])}"
        odd = (sum(factors[i][first] > 0 for i in inside) + flipped) % 2
        even = f"an {_parity(odd)} number of {name}{where}"
        return even, f"an {_parity(not odd)} one"

    def _counted(self, factors: Sequence[Sequence[int]]) -> int | None:
        """Return the value to count, if all factors are about the same two values."""
        supports = {tuple(i for i, c in enumerate(f) if c) for f in factors}
        support = next(iter(supports))
        if len(supports) > 1 or len(support) != 2:
            return None
        yes = [i for i in support if str(self.values[i]) == "1"] if self.bits else []
        return yes[0] if yes else support[0]

    def _event(self, i: int, factor: Sequence[int]) -> str:
        return f"person {i + 1} has {self._negative(factor)}"

    def _negative(self, factor: Sequence[int]) -> str:
        names = [self.value(v) for v, c in zip(self.values, factor, strict=True) if c < 0]
        return joined(names, "or")


def _parity(odd: object) -> str:
    return "odd" if odd else "even"


def listed_belief(universe: Universe, masses: Mapping[Point, Fraction]) -> str:
    """List a belief, databases of equal probability together, the likeliest first.

    >>> from twoworlds import BitStrings
    >>> listed_belief(BitStrings(1), {(1,): Fraction(3, 4), (0,): Fraction(1, 4)})
    '1 with probability 3/4 and 0 with probability 1/4'
    """
    order = sorted(masses, key=lambda x: -masses[x])
    parts = []
    for mass, group in groupby(order[:_MOST_NAMED], key=lambda x: masses[x]):
        names = [universe.label(x) for x in group]
        each = " each" if len(names) > 1 else ""
        parts.append(f"{joined(names, 'or')} with probability {mass}{each}")
    return joined(parts) + (" (and so on)" if len(order) > _MOST_NAMED else "")


def named_set(universe: Universe, databases: Sequence[Point]) -> str:
    """Name a set of databases.

    >>> from twoworlds import BitStrings
    >>> named_set(BitStrings(2), [(1, 1), (0, 0)])
    '{11, 00}'
    """
    shown = [universe.label(x) for x in databases[:_MOST_NAMED]]
    return "{" + ", ".join(shown) + (", ..." if len(databases) > _MOST_NAMED else "") + "}"
