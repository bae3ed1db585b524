r"""Noise on a cycle: answers 0, ..., m - 1, added modulo m.

The matrix is circulant, M(o, d) = f(o - d mod m), and is inverted in the ring of polynomials modulo
z^m - 1: it has an inverse exactly when the generating polynomial of f has no root among the m-th
roots of unity (Lin & Kifer, Section 5.3.3, on a finite group instead of the whole numbers). Then
the row cone has m facets, the shifts of one vector: sum_j g(j) x_(k+j) >= 0 for every k.
Uniform noise on -1, 0, 1 is singular exactly when 3 divides m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import fmpq_poly

from twoworlds.cones.kernel.vectors import Vector, primitive
from twoworlds.cones.noise.circle import CircleZero, circle_zero, fraction, polynomial
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import Dense
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import rational, whole
from twoworlds.worlds import Universe

__all__ = ["CyclicNoise", "cyclic_noise"]


@dataclass(frozen=True)
class CyclicNoise:
    """Noise with the given probabilities, added modulo m.

    Attributes:
        masses: the probability of each place 0, ..., m - 1 of the cycle.

    >>> CyclicNoise.of(["1/4", "1/2", "1/4"], 4, start=-1).zero.angle
    'pi'
    """

    masses: tuple[Fraction, ...]

    @staticmethod
    def of(
        pmf: Sequence[object] | Mapping[int, object], m: object, *, start: int = 0
    ) -> CyclicNoise:
        """Wrap probabilities around a cycle of m places.

        Args:
            pmf: probabilities of start, start + 1, ..., or a mapping from places to them.
            m: how many places the cycle has.
            start: the place of the first probability of a sequence.
        """
        size = whole(m, "m", at_least=1)
        if isinstance(pmf, str):
            raise InvalidInput(f"pmf={pmf!r}: give a list such as [1/4, 1/2, 1/4]")
        if isinstance(pmf, Mapping):
            items = list(pmf.items())
        else:
            items = [(start + i, mass) for i, mass in enumerate(pmf)]
        checked = FiniteNoise.of([mass for _, mass in items], 0).masses
        wrapped = [Fraction(0)] * size
        for (place, _), mass in zip(items, checked, strict=True):
            if type(place) is not int:
                raise InvalidInput(f"place {place!r} must be a whole number")
            wrapped[place % size] += mass
        return CyclicNoise(tuple(wrapped))

    @property
    def m(self) -> int:
        """How many places the cycle has."""
        return len(self.masses)

    @property
    def expression(self) -> str:
        """The call that names it."""
        return f"cyclic-noise([{', '.join(map(str, self.masses))}], m={self.m})"

    @property
    def mechanism(self) -> Dense:
        """The circulant matrix; neighbours are one step apart on the cycle."""
        m = self.m
        pairs = sorted({(min(k, (k + 1) % m), max(k, (k + 1) % m)) for k in range(m)})
        universe = Universe.of(range(m), [(a, b) for a, b in pairs if a != b])
        rows = [[self.masses[(o - d) % m] for d in range(m)] for o in range(m)]
        return Dense(universe, Universe.of(range(m)), rows, expression=self.expression)

    @cached_property
    def _common(self) -> fmpq_poly:
        return polynomial(self.masses).gcd(_cycle(self.m))

    @property
    def singular(self) -> bool:
        """Whether the matrix has no inverse."""
        return bool(self._common.degree() > 0)

    @property
    def zero(self) -> CircleZero | None:
        """A zero of the transform on the cycle, named by its angle, or None."""
        return circle_zero(self._common) if self.singular else None

    @cached_property
    def inverse(self) -> tuple[Fraction, ...]:
        """The vector g with g * f = delta on the cycle.

        >>> [str(g) for g in CyclicNoise.of(["1/4", "3/4"], 2).inverse]
        ['-1/2', '3/2']

        Raises:
            Unsupported: when the matrix is singular.
        """
        if (zero := self.zero) is not None:
            raise Unsupported(
                f"{self.expression} has no inverse: its transform is 0 at {zero.angle}, one "
                f"of the {self.m} angles of the cycle; row_cone(noise.mechanism) needs no inverse"
            )
        _, solution, _ = polynomial(self.masses).xgcd(_cycle(self.m))
        return tuple(fraction(solution[i]) for i in range(self.m))

    @property
    def facets(self) -> tuple[Vector, ...]:
        """The inequalities of the row cone, one per place k, as primitive integers."""
        g, m = self.inverse, self.m
        return tuple(primitive([g[(d - k) % m] for d in range(m)]) for k in range(m))

    def weights(self, row: Sequence[object]) -> tuple[Fraction, ...]:
        """Return sum_j g(j) x_(k+j) for every k: the combination that gives the row."""
        m = self.m
        if len(row) != m:
            raise InvalidInput(f"the row has {len(row)} entries, the cycle has {m} places")
        x = [rational(value, f"x({i})") for i, value in enumerate(row)]
        return tuple(
            sum((self.inverse[j] * x[(k + j) % m] for j in range(m)), start=Fraction(0))
            for k in range(m)
        )

    def contains(self, row: Sequence[object]) -> bool:
        """Decide whether a row is a non-negative combination of the rows of the matrix."""
        return all(weight >= 0 for weight in self.weights(row))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        angle = None if self.zero is None else self.zero.angle
        facets = None if self.singular else [list(facet) for facet in self.facets]
        return {"source": self.expression, "m": self.m, "zero": angle, "facets": facets}


def cyclic_noise(
    pmf: Sequence[object] | Mapping[int, object], m: object, *, start: int = 0
) -> Dense:
    """Return the mechanism that adds noise on a cycle, for the general machinery of matrices.

    >>> cyclic_noise(["1/3", "1/3", "1/3"], 5, start=-1).probability(4, 0)
    Fraction(1, 3)
    """
    return CyclicNoise.of(pmf, m, start=start).mechanism


def _cycle(m: int) -> fmpq_poly:
    """Return z^m - 1."""
    return fmpq_poly([-1] + [0] * (m - 1) + [1])
