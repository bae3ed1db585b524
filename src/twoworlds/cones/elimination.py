r"""Relaxing a definition: eliminate databases from its guarantees, and keep what remains.

Fourier-Motzkin elimination of x_D adds every inequality in which x_D has a positive coefficient
to every one in which it has a negative coefficient, scaled so that x_D cancels; those without x_D
stay. The result holds on the cone and says nothing about D (Lin & Kifer, Section 5.4). All that it
leads to, without what is redundant, are the facets of the cone's projection onto the other columns,
and so they are found; each carries its multipliers, so that it can be checked as a sum of the
inequalities it came from.

Two relaxations come out of it:

* `eliminate` names the databases to forget, and gives the guarantees on all others;
* `relax` forgets every choice of so many databases, and keeps the guarantees of all choices. A
  choice that an exchange of records or values turns into another one, where the cone does not
  change by it, gives the same guarantees with databases exchanged: one of each kind is tried.

Randomized response for two bits relaxes by one database to differential privacy exactly. Differs
from print, which says that elimination "yields the rest" of differential privacy: for three bits
that is so only when at least five databases are eliminated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, count
from math import comb
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.answer import Answer, Said, Steps
from twoworlds.cones.certificates import Certificate
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import Vector, negative, primitive, units
from twoworlds.cones.row_cone import Inequality, RowCone, coefficients
from twoworlds.cones.words.wording import as_records
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import whole
from twoworlds.progress import track
from twoworlds.show import Result
from twoworlds.worlds import Point

if TYPE_CHECKING:
    from twoworlds.cones.linear import LinearDefinition

_LISTED = 40
_MOST_CHOICES = 20_000
_MOST_INEQUALITIES = 300_000
_MOST_NUMBERS = 4**7  # in the guarantees, where databases are named: 7 bits of randomized response


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
    _check_size(cone, _MOST_NUMBERS)
    columns = [cone.universe.positions[point] for point in points]
    return Relaxation(cone, _derived(cone, _without(cone.cone, columns)), eliminated=tuple(points))


def relax(cone: RowCone, databases: object = 1) -> Relaxation:
    """Return the guarantees that speak of all but ``databases`` databases, for every choice.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> survey = row_cone("randomized-response(bits=2, keep=3/4)")
    >>> relax(survey).row_cone == row_cone("dp(ratio=3)", "bits(2)")
    True
    """
    many, size = whole(databases, "databases", at_least=1), cone.cone.dimension
    if many >= size:
        raise InvalidInput(f"databases={many}: eliminate fewer than all {size} of them")
    if cone.cone.ratios is not None:  # some choice keeps each pair that is bounded: no more follows
        left = cone.cone.facets if size - many > 1 else units(size)
        return Relaxation(cone, _derived(cone, left), any_of=many)
    _check_size(cone, _MOST_NUMBERS // 4)
    if (ways := comb(size, many)) > _MOST_CHOICES:
        raise TooLarge(
            f"there are {ways} ways to eliminate {many} of {size} databases, at most "
            f"{_MOST_CHOICES} are tried: name the databases to eliminate instead"
        )
    moves = _symmetries(cone)
    chosen = _choices(size, many, moves)
    found: dict[Vector, None] = dict.fromkeys(units(size))
    for columns in track(chosen, "eliminating", len(chosen)):
        for vector in _without(cone.cone, columns):
            if vector not in found:
                found.update(dict.fromkeys(_orbit(vector, moves)))
            if len(found) > _MOST_INEQUALITIES:
                raise TooLarge(
                    f"eliminating {many} of {size} databases gives more than "
                    f"{_MOST_INEQUALITIES} inequalities: name the databases to eliminate instead"
                )
    return Relaxation(cone, _derived(cone, _facets(found, moves, size)), any_of=many)


def _check_size(cone: RowCone, most: int) -> None:
    """Refuse at once what would take minutes; of products of records the size that does is told."""
    if cone.cone.ratios is not None:
        return
    numbers = sum(len(a) - a.count(0) for a in cone.cone.facets)
    if numbers > most:
        records, fewer = as_records(cone.universe), "fewer databases"
        if records is not None:
            fits = [n for n in range(1, records.n) if numbers**n <= most**records.n]
            fewer = f"at most {fits[-1]} record{'' if fits[-1] == 1 else 's'}" if fits else fewer
        raise TooLarge(
            f"the guarantees of {cone.source} hold {numbers} numbers that are not 0, and databases "
            f"are eliminated from up to {most}: use {fewer}"
        )


def _without(cone: Cone, columns: Sequence[int]) -> list[Vector]:
    """Return the facets of the projection that forgets columns; an equality as two of them."""
    keep = [i for i in range(cone.dimension) if i not in columns]
    if cone.ratios is not None:
        return cone.ratios.projected(keep)
    shadow = cone.project(keep)
    equal = shadow.equalities
    found = []
    for vector in (*shadow.facets, *equal, *map(negative, equal)):
        entries = dict(zip(keep, vector, strict=True))
        found.append(tuple([entries.get(i, 0) for i in range(cone.dimension)]))
    return found


def _symmetries(cone: RowCone) -> list[list[int]]:
    """Return exchanges of records and of values that turn guarantees into guarantees."""
    from twoworlds.cones.kernel.ratios import generators  # numpy

    records = as_records(cone.universe)
    if records is None or cone.cone.equalities:
        return []
    premises = {*cone.cone.facets}
    moves = [move.tolist() for move in generators(len(records.values), records.n)]
    return [m for m in moves if all(tuple([a[j] for j in m]) in premises for a in premises)]


def _orbit(vector: Vector, moves: Sequence[Sequence[int]]) -> list[Vector]:
    """Return all vectors that the moves make of one."""
    found = {vector: None}
    waiting = [vector]
    for one in waiting:
        for move in moves:
            if (other := tuple([one[j] for j in move])) not in found:
                found[other] = None
                waiting.append(other)
    return waiting


def _choices(size: int, many: int, moves: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return one choice of columns of each kind."""
    found, seen = [], set[Vector]()
    for columns in combinations(range(size), many):
        chosen = tuple([int(i in columns) for i in range(size)])
        if chosen not in seen:
            seen.update(_orbit(chosen, moves))
            found.append(list(columns))
    return found


def _facets(
    found: Iterable[Vector], moves: Sequence[Sequence[int]], size: int
) -> tuple[Vector, ...]:
    """Return those that no others imply, and equalities as two.

    Where the row of ones lies inside, a vector is decided against the facets known so far. If
    they do not imply it, a row x satisfies them and not the vector; the way from a row inside to x
    leaves the cone through a facet: the first one that is met, if there is only one. With it come
    all that the moves make of it (after Clarkson, 1994).
    """
    from twoworlds.programs import combine

    listed = list(found)
    if any(sum(a) <= 0 for a in listed):
        together = Cone.from_inequalities(listed, dimension=size)
        equal = together.equalities
        return (*together.facets, *equal, *map(negative, equal))
    facets: dict[Vector, None] = {}
    done: set[Vector] = set()
    for vector in sorted(listed, key=lambda a: (size - a.count(0), sum(map(abs, a)))):
        if vector in done:
            continue
        done.update(_orbit(vector, moves))
        while vector not in facets:
            implied, row = combine(list(facets), vector)
            if implied:
                break
            facets.update(dict.fromkeys(_orbit(_first_met(listed, primitive(row)), moves)))
    return tuple(facets)


def _first_met(inequalities: Sequence[Vector], row: Vector) -> Vector:
    """Return the only inequality that is met first on a way from near the ones to a row."""
    from twoworlds.cones.kernel.double_description import products  # numpy

    outside = products(inequalities, [row])[:, 0].tolist()
    draw = Random(0)
    for digits in count(3):  # ever nearer to the ones, which lie inside
        start = tuple([10**digits + draw.randrange(100) for _ in row])
        inside = products(inequalities, [start])[:, 0].tolist()
        if min(inside) > 0:
            trio = zip(inequalities, inside, outside, strict=True)
            met = [(Fraction(s, s - x), a) for a, s, x in trio if x < 0]
            first = min(met)
            if sum(way == first[0] for way, _ in met) == 1:
                return first[1]
    raise AssertionError("unreachable")


def _derived(cone: RowCone, vectors: Sequence[Vector]) -> tuple[Derived, ...]:
    from twoworlds.cones.kernel.double_description import decider  # numpy

    inside, known = cone.cone, {*vectors}
    if inside.ratios is None:
        decide = decider(inside.facets, inside.equalities, (inside.rays, inside.lines))
    else:
        decide = decider([*inside.facets, *units(inside.dimension)], (), None)
    equal = {sign: a for a in inside.equalities for sign in (a, negative(a))}
    derived = []
    for vector in sorted(vectors, reverse=True):
        equality = negative(vector) in known
        if equality and vector < negative(vector):
            continue  # the other direction stands for both
        pairs, _ = decide(vector)
        used = tuple((Inequality(cone.universe, a, equality=a in equal), m) for a, m in pairs)
        found = Derived(Inequality(cone.universe, vector, equality=equality), used)
        if not found.certificate.verify():
            raise AssertionError(f"the multipliers of {found.inequality.text()} do not add up")
        derived.append(found)
    return tuple(derived)
