"""Polyhedral cones of exact integers, and answers about them that carry their proof.

    cone = {x : a . x >= 0, e . x = 0} = {sum of weight * ray + any combination of lines}

A `Cone` is built from either description and computes the other one when it is first asked for
(`double_description`). Both are kept in one canonical form, so that equal cones compare equal:
vectors are primitive and sorted in descending order, lines and equalities are a reduced echelon
basis, rays vanish at the pivots of the lines and facets at the pivots of the equalities.

Every answer was verified by `certificates.verify` before it is returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

from twoworlds.cones.certificates import Certificate, proved
from twoworlds.cones.kernel.vectors import (
    Combination,
    Description,
    Vector,
    dot,
    kernel,
    negative,
    primitive,
    rationals,
)
from twoworlds.errors import InvalidInput, TooLarge

if TYPE_CHECKING:
    from twoworlds.cones.kernel.ratios import RatioGraph

QUICK = 10**5  # facets that are sooner listed than a linear program is set up
MOST_COMPARED = 128  # databases
MOST_COLUMNS = 64  # of a step in the proof that one cone lies in another
POSSIBLE = 10**9  # at most so many by the upper bound theorem: in practice far fewer, so try
_MOST_TIDIED = 100_000


@dataclass(frozen=True)
class Answered:
    """Whether a vector or a cone lies in a cone, with the proof; true or false like the answer.

    Attributes:
        certificate: The proof.
        inequality: If not: an inequality a . x >= 0 of the cone that is violated.
        ray: By this vector: the one asked about, or a ray of the cone asked about.
        combination: Of a vector inside a cone of rays, pairs (generator, weight) that sum to it.
    """

    certificate: Certificate
    inequality: Vector | None = None
    ray: Vector | None = None
    combination: Combination | None = None

    @property
    def holds(self) -> bool:
        """The answer."""
        return self.inequality is None

    def __bool__(self) -> bool:
        return self.holds


class Cone:
    """A polyhedral cone; immutable.

    Attributes:
        dimension: Of the space around it.
        generators: The rays and lines that it was built from, primitive, without repetition and
            zeros; None for a cone that was built from inequalities.
        constraints: Likewise the inequalities and equalities.

    >>> cone = Cone.from_rays([(3, 1), (2, 1), (1, 3)])
    >>> cone.facets
    ((3, -1), (-1, 3))
    >>> cone.rays
    ((3, 1), (1, 3))
    >>> bool(cone.contains((1, "1/4")))
    False
    """

    def __init__(
        self,
        dimension: int,
        *,
        generators: Description | None = None,
        constraints: Description | None = None,
    ) -> None:
        """Use `from_rays` or `from_inequalities`."""
        self.dimension = dimension
        self.generators = generators
        self.constraints = constraints

    @classmethod
    def from_rays(
        cls,
        rays: Iterable[Iterable[object]],
        *,
        lines: Iterable[Iterable[object]] = (),
        dimension: int | None = None,
    ) -> Cone:
        """Build the cone that rays and lines generate; of none of them it is {0}."""
        given, size = _read(("ray", rays), ("line", lines), dimension)
        return cls(size, generators=given)

    @classmethod
    def from_inequalities(
        cls,
        inequalities: Iterable[Iterable[object]],
        *,
        equalities: Iterable[Iterable[object]] = (),
        dimension: int | None = None,
    ) -> Cone:
        """Build {x : a . x >= 0, e . x = 0}; without any of them it is the whole space.

        >>> Cone.from_inequalities([(-1, 3), (3, -1)]).rays
        ((3, 1), (1, 3))
        """
        given, size = _read(("inequality", inequalities), ("equality", equalities), dimension)
        return cls(size, constraints=given)

    @classmethod
    def from_facets(cls, facets: Sequence[Vector]) -> Cone:
        """Build {x : a . x >= 0} from inequalities of which none follows from the others."""
        cone = cls.from_inequalities(facets)
        cone.__dict__["_outer"] = (tuple(sorted(cone._premises(), reverse=True)), ())
        return cone

    @property
    def rays(self) -> tuple[Vector, ...]:
        """The extreme rays, modulo lines."""
        return self._inner[0]

    @property
    def lines(self) -> tuple[Vector, ...]:
        """A basis of the largest linear space inside the cone."""
        return self._inner[1]

    @property
    def facets(self) -> tuple[Vector, ...]:
        """The inequalities a . x >= 0 that no others imply, modulo equalities."""
        return self._outer[0]

    @property
    def equalities(self) -> tuple[Vector, ...]:
        """A basis of the equalities a . x = 0 that hold on the cone."""
        return self._outer[1]

    @cached_property
    def ratios(self) -> RatioGraph | None:
        """The graph of a cone of bounded ratios, as that of differential privacy; else None."""
        if self.constraints is None or self.constraints[1]:
            return None
        from twoworlds.cones.kernel.ratios import RatioGraph  # numpy

        return RatioGraph.of(self.constraints[0], self.dimension)

    @cached_property
    def _inner(self) -> Description:
        from twoworlds.cones.kernel.double_description import extreme_rays  # numpy

        if self.ratios is not None and (side := self.ratios.side) is not None:
            if self.ratios.heights is None:
                raise TooLarge(
                    f"the cone of {self.dimension} columns has at least 2^{side} extreme rays, and "
                    "they are listed up to 5 bits and for counts up to 19: take fewer columns, or "
                    "ask for facets, statements, membership or odds, which need no rays"
                )
            return self.ratios.rays(), ()
        if self.constraints is not None:
            if self.hopeless:
                raise TooLarge(
                    f"the cone of {len(self.constraints[0])} inequalities over {self.dimension} "
                    "databases may have too many extreme rows to list: ask for facets, statements, "
                    "membership or odds, which need no rays"
                )
            given = self.constraints
            return extreme_rays(*(self._outer if self._large(given) else given), self.dimension)
        assert self.generators is not None
        return self._tidied(self.generators, "_outer")

    @cached_property
    def _outer(self) -> Description:
        from twoworlds.cones.kernel.double_description import extreme_rays

        if self.generators is not None:
            if self._large(self.generators):
                raise TooLarge(
                    f"the cone of {len(self.generators[0])} rows over {self.dimension} databases "
                    "may have too many facets to list: use fewer records or fewer values, or ask "
                    "whether a row can occur (member --row), or for odds, which need no facets"
                )
            return extreme_rays(*self.generators, self.dimension)
        assert self.constraints is not None
        if self.ratios is not None:
            return self.ratios.facets(), ()
        return self._tidied(self.constraints, "_inner")

    def _tidied(self, given: Description, opposite: str) -> Description:
        """Bring what was given into canonical form, by means of the opposite description."""
        from twoworlds.cones.kernel.double_description import irredundant, irredundant_by_programs

        if opposite not in self.__dict__ and self._large(given):
            if (numbers := len(given[0]) * self.dimension) > _MOST_TIDIED:
                raise TooLarge(
                    f"{len(given[0])} inequalities or rows over {self.dimension} databases hold "
                    f"{numbers} numbers, and the redundant ones are found up to {_MOST_TIDIED}: "
                    "use fewer records or fewer values, or ask for odds or membership of one row"
                )
            return irredundant_by_programs(*given, self.dimension)
        vectors, basis = getattr(self, opposite)
        space = kernel([*vectors, *basis], self.dimension)
        return irredundant(given[0], vectors, space), space

    @property
    def hopeless(self) -> bool:
        """Whether it is given by inequalities that may meet in too many rays, redundant or not."""
        given, known = self.constraints, "_inner" in self.__dict__
        return given is not None and not known and self._large(given) and self._large(self._outer)

    def _large(self, given: Description) -> bool:
        return self._bound(given) > POSSIBLE

    def _bound(self, given: Description) -> int:
        return most_facets(len(given[0]), self.dimension - len(given[1]))

    def _at_hand(self, given: Description, opposite: str) -> Description | None:
        """Return the opposite description if it is known or quickly found."""
        if opposite in self.__dict__ or self._bound(given) <= QUICK:
            return getattr(self, opposite)  # type: ignore[no-any-return]
        return None

    @property
    def listed(self) -> bool:
        """Whether both descriptions are known, or quickly found."""
        given, opposite = self.constraints, "_inner"
        if given is None:
            given, opposite = self.generators, "_outer"
        return given is not None and self._at_hand(given, opposite) is not None

    # --- questions ------------------------------------------------------------------------------

    def contains(self, x: Iterable[object]) -> Answered:
        """Say whether a vector lies in the cone, and prove it.

        A cone that was built from inequalities evaluates them; one that was built from rays gives
        the combination of at most ``dimension`` generators, or an inequality that separates.

        >>> cone = Cone.from_rays([(9, 3, 3, 1), (3, 9, 1, 3), (3, 1, 9, 3), (1, 3, 3, 9)])
        >>> cone.contains((3, 1, 1, 3)).inequality
        (-3, 9, 1, -3)
        >>> cone.contains((3, 3, 1, 1)).combination
        (((9, 3, 3, 1), Fraction(1, 4)), ((3, 9, 1, 3), Fraction(1, 4)))
        """
        vector = self._vector(x)
        if self.generators is not None:
            return self._generated(vector, self.generators)
        direction, premises = primitive(vector), self._premises()
        for inequality in premises:
            if dot(inequality, direction) < 0:
                proof = proved("violates", vector=vector, inequality=inequality)
                return Answered(proof, inequality, direction)
        return Answered(proved("satisfies", vector=vector, inequalities=premises))

    def __contains__(self, x: Iterable[object]) -> bool:
        return self.contains(x).holds

    def inside(self, other: Cone) -> Answered:
        """Say whether this cone is a part of the other one, and prove it.

        Yes, for each generator of this cone, or for each inequality of the other one:

        * this one built from inequalities: each of the other's inequalities is a non-negative
          combination of them (Farkas);
        * both built from rays: each ray is a combination of the other's generators;
        * this one built from rays, the other from inequalities: its facets hold on its rays, and
          the other's inequalities are combinations of the facets.

        No: a ray of this cone that violates an inequality of the other one.

        >>> narrow, wide = Cone.from_rays([(2, 1), (1, 2)]), Cone.from_rays([(3, 1), (1, 3)])
        >>> bool(narrow.inside(wide)), wide.inside(narrow).ray
        (True, (3, 1))
        """
        self._same_space(other)
        if self.generators is None:
            return self._implies(other._premises())
        parts = []
        for ray in self._spanning():
            found = other.contains(ray)
            if not found:
                return Answered(found.certificate, found.inequality, ray)
            parts.append(found.certificate)
        listed = self.dimension <= MOST_COLUMNS and self._bound(self.generators) <= POSSIBLE
        if other.generators is None and listed:
            return self._implies(other._premises())
        return Answered(proved("all", parts=parts))

    def __le__(self, other: object) -> bool:
        return self.inside(other).holds if isinstance(other, Cone) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return other.inside(self).holds if isinstance(other, Cone) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cone):
            return NotImplemented
        if self.dimension != other.dimension:
            return False
        if self.constraints is not None and other.constraints is not None:
            return self._outer == other._outer
        return self._inner == other._inner

    def __hash__(self) -> int:
        """Agree with the equality without converting anything."""
        return hash(("Cone", self.dimension))

    # --- new cones ------------------------------------------------------------------------------

    def project(self, keep: Sequence[int]) -> Cone:
        """Forget all columns but those of the given indices, in the order given.

        >>> Cone.from_inequalities([(1, -1, 0), (0, 1, -1), (0, 0, 1)]).project([0, 2]).facets
        ((1, -1), (0, 1))
        """
        columns = list(keep)
        known = range(self.dimension)
        if len(set(columns)) != len(columns) or any(column not in known for column in columns):
            raise InvalidInput(
                f"keep={columns}: give different column indices from 0 to {self.dimension - 1}"
            )
        rays, lines = self.generators or self._inner
        return Cone.from_rays(
            [[ray[column] for column in columns] for ray in rays],
            lines=[[line[column] for column in columns] for line in lines],
            dimension=len(columns),
        )

    def intersect(self, other: Cone) -> Cone:
        """Return the cone of the vectors that lie in both.

        >>> half, other = Cone.from_inequalities([(1, 0)]), Cone.from_inequalities([(0, 1)])
        >>> half.intersect(other).rays
        ((1, 0), (0, 1))
        """
        self._same_space(other)
        (a, e), (b, f) = (cone.constraints or cone._outer for cone in (self, other))
        return Cone.from_inequalities([*a, *b], equalities=[*e, *f], dimension=self.dimension)

    def __repr__(self) -> str:
        kinds, given = ("rays", "lines"), self.generators
        if given is None:
            kinds, given = ("inequalities", "equalities"), self.constraints
        parts = [f"{len(v)} {kind}" for v, kind in zip(given or (), kinds, strict=True)]
        return f"Cone(dimension={self.dimension}, {', '.join(parts)})"

    # --- proofs ---------------------------------------------------------------------------------

    def _premises(self) -> tuple[Vector, ...]:
        """Inequalities that define the cone: the given ones or the facets; an equality as two."""
        return _with_opposites(self.constraints or self._outer)

    def _spanning(self) -> tuple[Vector, ...]:
        """Vectors that generate the cone: the given ones or the extreme ones; a line as two."""
        return _with_opposites(self.generators or self._inner)

    def _generated(self, vector: tuple[Fraction, ...], given: Description) -> Answered:
        from twoworlds.cones.kernel.double_description import decider  # numpy

        found, functional = decider(*given, self._at_hand(given, "_outer"))(vector)
        if functional is not None:
            proof = proved(
                "separated", vector=vector, generators=self._spanning(), functional=functional
            )
            return Answered(proof, functional, primitive(vector))
        generators, weights = _unzipped(found)
        proof = proved("member", vector=vector, generators=generators, weights=weights)
        return Answered(proof, combination=found)

    def _implies(self, targets: Sequence[Vector]) -> Answered:
        from twoworlds.cones.kernel.double_description import decider  # numpy
        from twoworlds.cones.kernel.ratios import read_bound

        given = self.constraints or self._outer
        if self.dimension > MOST_COMPARED and None in map(read_bound, (*given[0], *targets)):
            raise TooLarge(
                f"{len(targets)} guarantees are compared with {len(given[0])} others on "
                f"{self.dimension} databases, which is done on up to {MOST_COMPARED} unless each "
                "bounds the ratio of two databases, as those of dp do: use fewer, such as 7 bits"
            )
        decide = decider(*given, self._at_hand(given, "_inner"))
        steps: dict[tuple[Any, ...], None] = {}
        facets: dict[Vector, None] = {}
        for target in targets:
            found, ray = decide(target)
            if ray is not None:
                premises = self._premises()
                proof = proved("escape", ray=ray, premises=premises, inequality=target)
                return Answered(proof, target, ray)
            used, weights = _unzipped(found)
            steps[*_spoken_of([target, *used]), tuple(weights)] = None
            facets.update(dict.fromkeys(used))
        parts = [
            proved("implied", inequality=step[0], premises=step[1:-1], multipliers=step[-1])
            for step in steps
        ]
        if self.generators is not None:
            spanning = self._spanning()
            parts += [proved("satisfies", vector=a, inequalities=spanning) for a in facets]
        return Answered(proved("all", parts=parts))

    def _vector(self, x: Iterable[object]) -> tuple[Fraction, ...]:
        vector = rationals(x)
        if len(vector) != self.dimension:
            raise InvalidInput(
                f"vector of {len(vector)} entries in a cone of dimension {self.dimension}: "
                "give one entry per column"
            )
        return vector

    def _same_space(self, other: Cone) -> None:
        if self.dimension != other.dimension:
            raise InvalidInput(
                f"cones of dimensions {self.dimension} and {other.dimension} cannot be compared: "
                "both need the same columns"
            )


def most_facets(rays: int, dimension: int) -> int:
    """Return how many facets a cone of so many rays can have (McMullen's upper bound theorem)."""
    if rays <= dimension or dimension < 2:
        return rays
    half, other = (dimension - 1) // 2, dimension // 2
    return comb(rays - other, half) + comb(rays - half - 1, other - 1)


def _spoken_of(vectors: Sequence[Vector]) -> list[Vector]:
    """Leave out columns that are 0 in all vectors, so that like steps are proved once."""
    if len(vectors[0]) <= MOST_COLUMNS:
        return [*vectors]
    kept = [i for i, entries in enumerate(zip(*vectors, strict=True)) if any(entries)]
    return [tuple([vector[i] for i in kept]) for vector in vectors]


def _with_opposites(given: Description) -> tuple[Vector, ...]:
    vectors, both_ways = given
    return (*vectors, *both_ways, *map(negative, both_ways))


def _read(
    first: tuple[str, Iterable[Iterable[object]]],
    second: tuple[str, Iterable[Iterable[object]]],
    dimension: int | None,
) -> tuple[Description, int]:
    if dimension is not None and not (type(dimension) is int and dimension >= 0):
        raise InvalidInput(f"dimension={dimension!r}: give the number of columns, 0 or more")
    groups = []
    for name, vectors in (first, second):
        if isinstance(vectors, str) or not isinstance(vectors, Iterable):
            raise InvalidInput(f"{name}: expected a list of vectors, not {vectors!r}")
        listed = [primitive(vector, f"{name} {i}") for i, vector in enumerate(vectors)]
        groups.append(listed)
        for i, vector in enumerate(listed):
            dimension = len(vector) if dimension is None else dimension
            if len(vector) != dimension:
                raise InvalidInput(
                    f"{name} {i} has {len(vector)} entries, others have {dimension}: "
                    "all vectors of a cone need one entry per column"
                )
    if dimension is None:
        raise InvalidInput("a cone of no vectors needs dimension=, the number of its columns")
    kept = [tuple(dict.fromkeys(v for v in group if any(v))) for group in groups]
    return (kept[0], kept[1]), dimension


def _unzipped(pairs: Combination) -> tuple[list[Vector], list[Fraction]]:
    return [vector for vector, _ in pairs], [weight for _, weight in pairs]
