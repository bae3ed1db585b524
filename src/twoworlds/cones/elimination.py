r"""Relaxing a definition: eliminate databases from its guarantees, and keep what remains.

Fourier-Motzkin elimination of x_D adds every inequality in which x_D has a positive coefficient
to every one in which it has a negative coefficient, scaled so that x_D cancels; those without x_D
stay. The result holds on the cone and says nothing about D (Lin & Kifer, Section 5.4). Each
inequality carries its multipliers, so that it can be checked as a sum of the ones it came from.

Redundant inequalities are dropped after every step. Whether one is redundant is decided by the
generators on which it is tight: a facet of the projected cone is tight on a largest set of them.

Two relaxations come out of it:

* `eliminate` names the databases to forget, and gives the guarantees on all others;
* `relax` forgets every choice of so many databases, and keeps the guarantees of all choices.

Randomized response for two bits relaxes by one database to differential privacy exactly. Differs
from print, which says that elimination "yields the rest" of differential privacy: for three bits
that is so only when at least five databases are eliminated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.answer import Answer, Said, Steps
from twoworlds.cones.certificates import Certificate
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.combination import combination
from twoworlds.cones.kernel.vectors import Vector, divided, dot, negative, units
from twoworlds.cones.row_cone import Inequality, RowCone, coefficients
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import whole
from twoworlds.progress import track
from twoworlds.show import Result
from twoworlds.worlds import Point

if TYPE_CHECKING:
    from twoworlds.cones.linear import LinearDefinition

_LISTED = 40
_MOST_CHOICES = 5_000
_MOST_INEQUALITIES = 20_000

Terms = dict[int, Fraction]
System = list[tuple[Vector, Terms]]


class Derived(NamedTuple):
    """A guarantee, and the pairs of a stronger one and its multiplier that add up to it."""

    inequality: Inequality
    premises: tuple[tuple[Inequality, Fraction], ...]

    @property
    def certificate(self) -> Certificate:
        """The proof: the inequality is the sum of multiplier times premise."""
        return Certificate(
            "implied",
            {
                "inequality": self.inequality.coefficients,
                "premises": [premise.coefficients for premise, _ in self.premises],
                "multipliers": [multiplier for _, multiplier in self.premises],
                "claim": self.inequality.text(),
            },
        )


@dataclass(frozen=True)
class Relaxation(Result):
    """The guarantees that remain, each with its proof.

    Attributes:
        source: The row cone that was relaxed.
        derived: The remaining guarantees, none of which follows from the others.
        eliminated: The databases whose entries were eliminated; none when it was every choice.
        any_of: How many databases were eliminated in every possible way; None when named.
    """

    source: RowCone
    derived: tuple[Derived, ...]
    eliminated: tuple[Point, ...] = ()
    any_of: int | None = None

    @property
    def row_cone(self) -> RowCone:
        """The rows that keep the remaining guarantees; a probability is never negative."""
        size = self.source.cone.dimension
        kept = [d.inequality for d in self.derived]
        cone = Cone.from_inequalities(
            [*(i.coefficients for i in kept if not i.equality), *units(size)],
            equalities=[i.coefficients for i in kept if i.equality],
            dimension=size,
        )
        return RowCone(self.source.universe, cone, self.name)

    @property
    def name(self) -> str:
        """What it was made from, and how."""
        what = ", ".join(self.source.universe.label(x) for x in self.eliminated)
        if self.any_of is not None:
            what = f"any {self.any_of} of the databases" if self.any_of > 1 else "any one database"
        return f"{self.source.source} relaxed by eliminating {what}"

    @property
    def definition(self) -> LinearDefinition:
        """A privacy definition: every row of a mechanism keeps the remaining guarantees."""
        from twoworlds.cones.linear import LinearDefinition

        return LinearDefinition.of(self.row_cone)

    @property
    def certificate(self) -> Certificate:
        """The proofs of all remaining guarantees."""
        parts = [d.certificate for d in self.derived]
        columns = list(self.source.columns)
        return Certificate("all", {"parts": parts, "claim": self.name, "columns": columns})

    def answer(self) -> Answer:
        """Say what remains, and the sum that gives each."""
        count = len(self.derived)
        steps = [
            (d.inequality.text(), [f"{m} times  {p.text()}" for p, m in d.premises])
            for d in self.derived
        ]
        more = [f"... and {count - _LISTED} more, all in JSON"] if count > _LISTED else []
        return Answer(
            f"{count} {'guarantee remains, a' if count == 1 else 'guarantees remain, each a'} sum "
            "of those before."
            if count
            else "Nothing remains: no guarantee is left.",
            self.name,
            blocks=[
                *([Steps(steps[:_LISTED])] if steps else []),
                *([Said(more)] if more else []),
                *coefficients([one.inequality for one in self.derived]),
            ],
        )

    def fields(self) -> dict[str, Any]:
        """Return the guarantees with their sums; the certificate is for ``twoworlds verify``."""
        label = self.source.universe.label
        kept = [d.inequality for d in self.derived]
        listed = [
            {
                "text": d.inequality.text(),
                "coefficients": d.inequality.coefficients,
                "equality": d.inequality.equality,
                "multipliers": [
                    {"premise": p.coefficients, "text": p.text(), "multiplier": str(m)}
                    for p, m in d.premises
                ],
            }
            for d in self.derived
        ]
        return {
            "source": self.source.source,
            "universe": self.source.universe,
            "columns": self.source.columns,
            "eliminated": [label(x) for x in self.eliminated],
            "any": self.any_of,
            "counts": {"inequalities": len(self.derived)},
            "inequalities": listed,
            "facets": [i.coefficients for i in kept if not i.equality],
            "equalities": [i.coefficients for i in kept if i.equality],
            "certificate": self.certificate,
        }


def eliminate(cone: RowCone, databases: Iterable[object]) -> Relaxation:
    """Return the guarantees of a row cone that do not speak of the given databases.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> survey = row_cone("randomized-response(bits=2, keep=3/4)")
    >>> for derived in eliminate(survey, ["01"]).derived:
    ...     print(derived.inequality.text())
    x10 <= 3 x11
    x00 <= 3 x10
    x10 <= 3 x00
    x11 <= 3 x10
    """
    points = [cone.universe.find(database) for database in databases]
    labels = [cone.universe.label(point) for point in points]
    if not points:
        raise InvalidInput(f"name a database to eliminate, such as {cone.columns[-1]}")
    if len(set(points)) != len(points):
        raise InvalidInput(f"eliminate={', '.join(labels)}: name each database once")
    columns = [cone.universe.positions[point] for point in points]
    system = _eliminated(cone.cone, _premises(cone), columns)
    return Relaxation(cone, _derived(cone, system), eliminated=tuple(points))


def relax(cone: RowCone, databases: object = 1) -> Relaxation:
    """Return the guarantees that speak of all but ``databases`` databases, for every choice.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> survey = row_cone("randomized-response(bits=2, keep=3/4)")
    >>> relax(survey).row_cone == row_cone("dp(ratio=3)", "bits(2)")
    True
    """
    count, size = whole(databases, "databases", at_least=1), cone.cone.dimension
    if count >= size:
        raise InvalidInput(f"databases={count}: eliminate fewer than all {size} of them")
    choices = comb(size, count)
    if choices > _MOST_CHOICES:
        raise TooLarge(
            f"there are {choices} ways to eliminate {count} of {size} databases, at most "
            f"{_MOST_CHOICES} are tried: name the databases to eliminate instead"
        )
    premises, found = _premises(cone), dict[Vector, Terms]()
    for chosen in track(combinations(range(size), count), "eliminating", choices):
        for vector, terms in _eliminated(cone.cone, premises, chosen):
            found.setdefault(vector, terms)
    return Relaxation(cone, _derived(cone, _irredundant(cone, premises, found)), any_of=count)


def _premises(cone: RowCone) -> tuple[Vector, ...]:
    """The guarantees to add up, an equality as two of them."""
    equal = cone.cone.equalities
    return (*cone.cone.facets, *equal, *[negative(a) for a in equal])


def _eliminated(cone: Cone, premises: Sequence[Vector], columns: Sequence[int]) -> System:
    generators = (*cone.rays, *cone.lines)
    system: System = [(a, {i: Fraction(1)}) for i, a in enumerate(premises)]
    left = list(columns)
    while left:
        column = min(left, key=lambda c: _pairs(system, c))
        if _pairs(system, column) > _MOST_INEQUALITIES:
            raise TooLarge(
                f"the next step would add {_pairs(system, column)} inequalities, at most "
                f"{_MOST_INEQUALITIES} are handled: eliminate fewer databases"
            )
        left.remove(column)
        system = _pruned(_step(system, column), generators)
    return system


def _pairs(system: System, column: int) -> int:
    positive = sum(a[column] > 0 for a, _ in system)
    return positive * sum(a[column] < 0 for a, _ in system)


def _step(system: System, column: int) -> System:
    kept = [entry for entry in system if entry[0][column] == 0]
    for a, s in system:
        if a[column] <= 0:
            continue
        for b, t in system:
            if b[column] < 0:
                kept.append(_sum(a, s, -b[column], b, t, a[column]))
    return kept


def _sum(a: Vector, s: Terms, p: int, b: Vector, t: Terms, q: int) -> tuple[Vector, Terms]:
    """Return p a + q b, divided by its greatest common divisor, with its multipliers."""
    whole_sum = [p * x + q * y for x, y in zip(a, b, strict=True)]
    vector = divided(whole_sum)
    index = next((i for i, value in enumerate(vector) if value), None)
    if index is None:
        return vector, {}
    scale = Fraction(vector[index], whole_sum[index])
    terms = {i: s.get(i, Fraction(0)) * p * scale for i in s}
    for i, multiplier in t.items():
        terms[i] = terms.get(i, Fraction(0)) + multiplier * q * scale
    return vector, terms


def _pruned(system: System, generators: Sequence[Vector]) -> System:
    """Keep one inequality for each facet, and those that are equalities on the cone."""
    everything = (1 << len(generators)) - 1
    kept: dict[int, tuple[Vector, Terms]] = {}
    equalities: dict[Vector, Terms] = {}
    for vector, terms in sorted(system, key=lambda entry: (len(entry[1]), _size(entry[0]))):
        if not any(vector):
            continue
        tight = sum(1 << i for i, g in enumerate(generators) if not dot(vector, g))
        if tight == everything:
            equalities.setdefault(vector, terms)
        else:
            kept.setdefault(tight, (vector, terms))
    facets = [
        entry
        for tight, entry in kept.items()
        if not any(tight != other and tight & other == tight for other in kept)
    ]
    return [*facets, *equalities.items()]


def _size(vector: Vector) -> tuple[int, int]:
    return sum(1 for value in vector if value), sum(abs(value) for value in vector)


def _irredundant(cone: RowCone, premises: Sequence[Vector], found: dict[Vector, Terms]) -> System:
    """Keep what no others imply, given that probabilities are not negative."""
    size = cone.cone.dimension
    together = Cone.from_inequalities([*found, *units(size)], dimension=size)
    equal = together.equalities
    system: System = []
    for vector in (*together.facets, *equal, *[negative(a) for a in equal]):
        terms = found.get(vector)
        if terms is None:
            index = {premise: i for i, premise in enumerate(premises)}
            pairs = combination(vector, cone.cone.facets, cone.cone.equalities, cone.cone.rays)
            terms = {index[premise]: multiplier for premise, multiplier in pairs}
        system.append((vector, terms))
    return system


def _derived(cone: RowCone, system: System) -> tuple[Derived, ...]:
    premises = [
        Inequality(cone.universe, a, equality=a in cone.cone.equalities) for a in _premises(cone)
    ]
    vectors = {vector for vector, _ in system}
    derived = []
    for vector, terms in sorted(system, key=lambda entry: entry[0], reverse=True):
        equality = negative(vector) in vectors
        if equality and vector < negative(vector):
            continue  # the other direction stands for both
        used = tuple((premises[i], m) for i, m in sorted(terms.items()) if m)
        found = Derived(Inequality(cone.universe, vector, equality=equality), used)
        if not found.certificate.verify():
            raise AssertionError(f"the multipliers of {found.inequality.text()} do not add up")
        derived.append(found)
    return tuple(derived)
