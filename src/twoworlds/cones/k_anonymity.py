"""Why k-anonymity protects nothing by itself: its consistent normal form holds everything.

A table is k-anonymous when every published bucket holds at least k people. That is a rule about
the output alone, and a bucket's boundary may lie anywhere between two ages: an encoder publishes a
k-anonymous table in which the digits of one boundary spell out the whole table (Lin & Kifer,
Section 4.1.1). A decoder reads them back. Whoever trusts every k-anonymous algorithm trusts the
encoder, hence by post-processing (Axiom 4.1) the algorithm that publishes its input, hence all
algorithms: the row cone is the whole non-negative orthant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from twoworlds.cones.normal_form import consistent_normal_form_contains
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Dense
from twoworlds.numbers import whole
from twoworlds.worlds import Explicit, Records

__all__ = ["OLDEST", "Bucket", "collapse", "decode", "encode", "is_anonymous"]

OLDEST = 127
_BITS = OLDEST.bit_length()


@dataclass(frozen=True, order=True)
class Bucket:
    """People whose age lies in [least, below), and how many they are."""

    least: Fraction
    below: Fraction
    people: int


def is_anonymous(table: Sequence[Bucket], k: int) -> bool:
    """Tell whether every bucket holds at least k people."""
    return all(bucket.people >= k for bucket in table)


def encode(ages: Sequence[int], k: object) -> tuple[Bucket, ...]:
    """Publish a k-anonymous table of ages whose first boundary spells out all of them.

    >>> table = encode([3, 14, 15, 92], 2)
    >>> [bucket.people for bucket in table], is_anonymous(table, 2)
    ([2, 2], True)
    >>> decode(table)
    (3, 14, 15, 92)
    """
    size = whole(k, "k", at_least=1)
    read = [whole(age, "age", at_least=0) for age in ages]
    if len(read) < size:
        raise InvalidInput(f"{len(read)} people cannot be hidden among k={size}: publish nothing")
    if max(read) > OLDEST:
        raise InvalidInput(f"age={max(read)}: whole ages from 0 to {OLDEST} are encoded")
    ends = _ends(sorted(read), size)
    # Ages are whole, so a boundary anywhere in (end - 1, end] groups the people alike.
    boundaries = [Fraction(0), ends[0] - 1 + _spelled(read), *map(Fraction, ends[1:])]
    return tuple(Bucket(a, b, sum(a <= age < b for age in read)) for a, b in pairwise(boundaries))


def decode(table: Sequence[Bucket]) -> tuple[int, ...]:
    """Read the ages back from the digits of the first boundary."""
    digits = table[0].below % 1
    text = f"{digits.numerator:b}".zfill(digits.denominator.bit_length() - 1)
    spelled = text[:-1]  # the last digit is a mark
    return tuple(int(spelled[i : i + _BITS], 2) for i in range(0, len(spelled), _BITS))


def collapse(values: Sequence[int], people: object, k: object) -> Verdict:
    """Decide that publishing the input is in the normal form of the k-anonymous encoder.

    >>> collapse([0, 1], 2, 2).holds
    True
    """
    universe = Records(list(values), whole(people, "people", at_least=1))
    tables = {x: encode(x, k) for x in universe}
    outputs = Explicit(tuple(dict.fromkeys(tables.values())))
    rows = [[int(tables[x] == table) for x in universe] for table in outputs]
    encoder = Dense(universe, outputs, rows, expression=f"a {k}-anonymous encoder")
    same = [[int(x == y) for x in universe] for y in universe]
    identity = Dense(universe, universe, same, expression="publish the input")
    return consistent_normal_form_contains(identity, encoder)


def _ends(ages: Sequence[int], k: int) -> list[int]:
    """Cut sorted ages into buckets of at least k people; equal ages stay together."""
    ends: list[int] = []
    inside = 0
    for i, age in enumerate(ages):
        inside += 1
        last = i + 1 == len(ages)
        if not last and inside >= k and ages[i + 1] > age and len(ages) - i - 1 >= k:
            ends.append(age + 1)
            inside = 0
    return [*ends, OLDEST + 1]


def _spelled(ages: Sequence[int]) -> Fraction:
    """Return a number in (0, 1) whose binary digits are all ages, then a 1 as a mark."""
    text = "".join(f"{age:0{_BITS}b}" for age in ages) + "1"
    return Fraction(int(text, 2), 1 << len(text))
